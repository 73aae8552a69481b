/* Building modules from a program; see norn/builder.h.
 *
 * What cannot be held (a constant too large for its type, too many operands) is noted in the module
 * as its first fault, which makes the verifier refuse it; building goes on. */
#include "ir/ir.h"
#include "ir/numeric.h"
#include "ir/ops.h"
#include <norn/builder.h>
#include <string.h>

struct NornBuilder {
  NornModule *module;
  NornFunction *function;
  uint32_t block; /* NORN_INDEX_NONE: none */
  uint32_t line;
  uint8_t flags;
  NornRef *operands; /* of the instruction being built */
  uint32_t operand_count, operand_capacity;
};

G_STATIC_ASSERT((int)NORN_IMMEDIATE_COUNT <= NORN_SPEC_IMMEDIATES);

G_GNUC_PRINTF(2, 3)
static void
refuse(NornModule *module, const char *format, ...) {
  if (module->fault)
    return;
  va_list arguments;
  va_start(arguments, format);
  module->fault = g_strdup_vprintf(format, arguments);
  va_end(arguments);
}

/* The string of a name made fit for the text, 0 for none. */
static uint32_t
intern_name(NornModule *module, const char *name) {
  if (!name || !*name)
    return 0;
  char *clean = g_strdup(name);
  for (char *c = clean; *c; c++)
    if (!g_ascii_isalnum(*c))
      *c = '_';
  uint32_t string = norn_intern(module, clean, strlen(clean));
  g_free(clean);
  return string;
}

void
norn_module_set_workgroup(NornModule *module, uint32_t x, uint32_t y, uint32_t z) {
  module->workgroup[0] = x;
  module->workgroup[1] = y;
  module->workgroup[2] = z;
}

void
norn_module_set_memory(NornModule *module, uint32_t shared, uint32_t scratch) {
  module->shared_size = shared;
  module->scratch_size = scratch;
}

void
norn_module_set_float_mode(NornModule *module, NornDenormals denormals, NornRound rounding) {
  module->denormals = denormals;
  module->rounding = rounding;
}

NornRef
norn_module_add_fau(NornModule *module, const char *name, NornType type, unsigned word,
                    unsigned count) {
  NORN_GROW(module->faus, module->fau_capacity, (uint64_t)module->fau_count + 1);
  module->faus[module->fau_count++] =
      (NornFau){intern_name(module, name), (uint8_t)type, word, count, 0, 0};
  if (!module->faus[module->fau_count - 1].name)
    refuse(module, "a uniform has no name");
  return norn_ref(NORN_REF_UNIFORM, MIN(word, NORN_UNIFORM_WORDS));
}

NornFunction *
norn_module_add_function(NornModule *module, const char *name, NornType result_type) {
  uint32_t string = intern_name(module, name);
  if (!string)
    refuse(module, "a function has no name");
  return norn_function_create(module, string, result_type);
}

NornBuilder *
norn_builder_new(NornModule *module) {
  NornBuilder *builder = g_new0(NornBuilder, 1);
  builder->module = module;
  norn_builder_set_function(builder, NULL);
  return builder;
}

void
norn_builder_free(NornBuilder *builder) {
  if (!builder)
    return;
  g_free(builder->operands);
  g_free(builder);
}

void
norn_builder_set_function(NornBuilder *builder, NornFunction *function) {
  builder->function = function ? function : builder->module->functions[0];
  builder->block = NORN_INDEX_NONE;
}

void
norn_builder_set_block(NornBuilder *builder, NornRef block) {
  builder->block = norn_ref_payload(block);
  if (norn_ref_kind(block) == NORN_REF_BLOCK && builder->block < builder->function->block_count)
    return;
  builder->block = NORN_INDEX_NONE;
  refuse(builder->module, "a builder was sent to what is no block of its function");
}

void
norn_builder_set_flags(NornBuilder *builder, unsigned flags) {
  builder->flags = (uint8_t)flags;
}

void
norn_builder_set_line(NornBuilder *builder, uint32_t line) {
  builder->line = line;
}

NornRef
norn_build_block(NornBuilder *builder, const char *name) {
  uint32_t block = norn_block_create(builder->function, intern_name(builder->module, name));
  return norn_ref(NORN_REF_BLOCK, block);
}

NornRef
norn_build_parameter(NornBuilder *builder, NornRef block, NornType type, const char *name) {
  NornFunction *function = builder->function;
  uint32_t index = norn_ref_payload(block);
  if (norn_ref_kind(block) != NORN_REF_BLOCK || index >= function->block_count ||
      function->blocks[index].parameter_count == UINT16_MAX) {
    refuse(builder->module, "a parameter was given to what is no block, or has too many");
    return 0;
  }
  uint32_t value =
      norn_block_add_parameter(function, index, type, intern_name(builder->module, name));
  return norn_ref(NORN_REF_VALUE, value);
}

NornRef
norn_build_name(NornBuilder *builder, NornRef value, const char *name) {
  uint32_t index = norn_ref_payload(value);
  if (norn_ref_kind(value) == NORN_REF_VALUE && index < builder->function->value_count)
    builder->function->values[index].name = intern_name(builder->module, name);
  return value;
}

NornRef
norn_build_int(NornBuilder *builder, NornType type, int64_t value) {
  unsigned bits = norn_type_bits(type);
  uint64_t mask = norn_type_mask(type);
  bool is_signed = value < 0;
  if (norn_types[type].class != NORN_CLASS_INT || bits > 64 ||
      (bits < 64 && (is_signed ? value < -(INT64_C(1) << (bits - 1)) : (uint64_t)value > mask)))
    refuse(builder->module, "%" G_GINT64_FORMAT " is no constant of type %s", (gint64)value,
           norn_types[type].name);
  return norn_constant(builder->module, (uint64_t)value & mask);
}

NornRef
norn_build_float(NornBuilder *builder, NornType type, double value) {
  if (type != NORN_TYPE_F16 && type != NORN_TYPE_F32 && type != NORN_TYPE_F64) {
    refuse(builder->module, "%g is no constant of type %s", value, norn_types[type].name);
    return norn_constant(builder->module, 0);
  }
  NornFloatFormat format = type == NORN_TYPE_F16   ? NORN_FLOAT_16
                           : type == NORN_TYPE_F32 ? NORN_FLOAT_32
                                                   : NORN_FLOAT_64;
  return norn_constant(builder->module, norn_float_from_double(format, value));
}

NornRef
norn_build_bits(NornBuilder *builder, uint64_t bits) {
  return norn_constant(builder->module, bits);
}

NornRef
norn_build_uniform(NornBuilder *builder, unsigned word) {
  if (word >= NORN_UNIFORM_WORDS)
    refuse(builder->module, "there is no uniform word %u", word);
  return norn_ref(NORN_REF_UNIFORM, MIN(word, NORN_UNIFORM_WORDS));
}

static void
push(NornBuilder *builder, const NornRef *operands, unsigned count) {
  NORN_GROW(builder->operands, builder->operand_capacity, (uint64_t)builder->operand_count + count);
  if (count)
    memcpy(builder->operands + builder->operand_count, operands, count * sizeof *operands);
  builder->operand_count += count;
}

static void
push_branch(NornBuilder *builder, const NornBranch *branch) {
  push(builder, &branch->block, 1);
  push(builder, branch->arguments, branch->argument_count);
}

static void
push_cases(NornBuilder *builder, const NornInstSpec *spec) {
  for (unsigned i = 0; i < spec->case_count; i++) {
    NornRef value = norn_build_int(builder, spec->type, spec->cases[i].value);
    push(builder, &value, 1);
    push_branch(builder, &spec->cases[i].to);
  }
}

static void
push_callee(NornBuilder *builder, const NornFunction *callee) {
  uint32_t index = 0;
  while (index < builder->module->function_count && builder->module->functions[index] != callee)
    index++;
  NornRef ref = norn_ref(NORN_REF_FUNCTION, index);
  push(builder, &ref, 1);
}

static uint64_t
immediates(NornBuilder *builder, const NornInstSpec *spec) {
  uint64_t payload = 0;
  for (unsigned i = 0; i < NORN_IMMEDIATE_COUNT; i++) {
    int64_t value = spec->immediates[i];
    if (value < norn_immediate_minimum(i) || value > norn_immediate_maximum(i))
      refuse(builder->module, "%s: %s %" G_GINT64_FORMAT " is out of range",
             norn_ops[spec->op].name, norn_immediates[i].name, (gint64)value);
    else if (value)
      payload = norn_set_immediate(payload, i, value);
  }
  return payload;
}

/* How many results the instruction has, by the letters of its row. */
static unsigned
result_count(const NornInstSpec *spec) {
  const char *letters = norn_ops[spec->op].results;
  size_t length = strlen(letters);
  if (length && letters[length - 1] == '*')
    return spec->result_count;
  if (length && letters[length - 1] == '?')
    return spec->type != NORN_TYPE_VOID;
  return (unsigned)length;
}

static void
collect_operands(NornBuilder *builder, const NornInstSpec *spec) {
  builder->operand_count = 0;
  /* An operand that a signature makes optional is given as 0 if it is left out. */
  unsigned count = spec->operand_count;
  if (count && !spec->operands[count - 1] && strchr(norn_ops[spec->op].operands, '?'))
    count--;
  push(builder, spec->operands, count);
  if (spec->callee)
    push_callee(builder, spec->callee);
  push(builder, spec->list, spec->list_count);
  for (unsigned i = 0; i < spec->branch_count; i++)
    push_branch(builder, &spec->branches[i]);
  push_cases(builder, spec);
}

/* Gives the results the types of the row's letters and hands them out. */
static void
finish_results(NornBuilder *builder, uint32_t inst, const NornInstSpec *spec) {
  NornFunction *function = builder->function;
  const NornInst *self = &function->insts[inst];
  const char *letter = norn_ops[spec->op].results;
  for (unsigned k = 0; k < self->result_count; k++) {
    function->values[self->result + k].type = (uint8_t)norn_letter_type(self, *letter);
    if (spec->results)
      spec->results[k] = norn_result(function, inst, k);
    if (letter[1] != '*')
      letter++;
  }
}

NornRef
norn_build(NornBuilder *builder, const NornInstSpec *spec) {
  if (spec->op == NORN_OP_NONE || spec->op >= NORN_OP_COUNT) {
    refuse(builder->module, "no operation has the number %u", (unsigned)spec->op);
    return 0;
  }
  collect_operands(builder, spec);
  unsigned count = result_count(spec);
  if (builder->operand_count > UINT16_MAX || count > UINT16_MAX) {
    refuse(builder->module, "%s: too many operands", norn_ops[spec->op].name);
    return 0;
  }
  if (builder->block == NORN_INDEX_NONE)
    refuse(builder->module, "%s: the builder is in no block", norn_ops[spec->op].name);
  NornFunction *function = builder->function;
  uint32_t inst = norn_inst_create(function, (uint16_t)spec->op, builder->operand_count, count);
  NornInst *self = &function->insts[inst];
  if (builder->operand_count)
    memcpy(function->operands + self->operand, builder->operands,
           builder->operand_count * sizeof *builder->operands);
  self->type = (uint8_t)spec->type;
  self->source_type = (uint8_t)spec->source_type;
  self->modifier = (uint8_t)spec->modifier;
  self->flags = norn_ops[spec->op].operands[0] == 'K' ? 0 : builder->flags;
  self->line = builder->line;
  self->payload = immediates(builder, spec);
  finish_results(builder, inst, spec);
  if (builder->block != NORN_INDEX_NONE)
    norn_inst_append(function, builder->block, inst);
  return count ? norn_result(function, inst, 0) : 0;
}
