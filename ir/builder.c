/* Building modules from a program; see norn/builder.h.
 *
 * Input that cannot be represented (a constant too large for its type, too many operands) is
 * recorded in the module as its first fault, which makes the verifier reject the module; building
 * continues. */
#include "ir/builder.h"
#include "ir/assert.h"
#include "ir/construct.h"
#include "ir/diagnostics.h"
#include "ir/ops.h"
#include <string.h>

G_STATIC_ASSERT((int)NORN_IMMEDIATE_COUNT <= NORN_SPEC_IMMEDIATES);

G_GNUC_PRINTF(2, 3)
static void
refuse(NornModule *module, const char *format, ...) {
  if (module->fault)
    return;
  va_list arguments;
  va_start(arguments, format);
  module->fault = norn_format_message(format, arguments);
  va_end(arguments);
}

/* Checks the number of an enumeration's value: one that is not below `count` is refused and
 * replaced by the first value, 0. */
static unsigned
known(NornModule *module, const char *what, unsigned number, unsigned count) {
  if (number < count)
    return number;
  refuse(module, "%s %u does not exist", what, number);
  return 0;
}

static NornType
known_type(NornModule *module, NornType type) {
  return known(module, "type", type, NORN_TYPE_COUNT);
}

/* Narrows a number to the width that instructions hold; one that is too large stays too large. */
static uint8_t
narrow(unsigned number) {
  return (uint8_t)MIN(number, UINT8_MAX);
}

/* Interns a name after making it valid in the text; 0 for none. */
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
  module->is_verified = false;
  module->workgroup[0] = x;
  module->workgroup[1] = y;
  module->workgroup[2] = z;
}

void
norn_module_set_grid_limit(NornModule *module, uint32_t count) {
  module->is_verified = false;
  module->grid_limit = count;
}

void
norn_module_set_memory(NornModule *module, uint32_t shared, uint32_t scratch) {
  module->is_verified = false;
  module->shared_size = shared;
  module->scratch_size = scratch;
}

void
norn_module_set_float_mode(NornModule *module, NornDenormals denormals, NornRound rounding) {
  module->is_verified = false;
  module->denormals = known(module, "denormal mode", denormals, NORN_DENORMALS_COUNT);
  module->rounding = known(module, "rounding mode", rounding, NORN_ROUND_COUNT);
}

void
norn_module_set_early_tests(NornModule *module, bool tests_early) {
  module->is_verified = false;
  module->tests_early = tests_early;
}

void
norn_module_set_by_sample(NornModule *module, bool runs_by_sample) {
  module->is_verified = false;
  module->runs_by_sample = runs_by_sample;
}

NornRef
norn_module_add_fau(NornModule *module, const char *name, NornType type, unsigned word,
                    unsigned count) {
  module->is_verified = false;
  NORN_GROW(module->faus, module->fau_capacity, (uint64_t)module->fau_count + 1);
  module->faus[module->fau_count++] = (NornFau){.name = intern_name(module, name),
                                                .type = (uint8_t)known_type(module, type),
                                                .word = word,
                                                .count = count};
  if (!module->faus[module->fau_count - 1].name)
    refuse(module, "a uniform has no name");
  return norn_ref(NORN_REF_UNIFORM, MIN(word, NORN_FAU_WORDS));
}

/* The declaration of the uniform word, or NULL. */
static NornFau *
declaration_of(const NornModule *module, NornRef fau) {
  return norn_ref_kind(fau) == NORN_REF_UNIFORM ? norn_module_fau_at(module, norn_ref_payload(fau))
                                                : NULL;
}

void
norn_module_set_noalias(NornModule *module, NornRef fau, bool is_noalias) {
  module->is_verified = false;
  NornFau *declared = declaration_of(module, fau);
  if (declared)
    declared->is_noalias = is_noalias;
  else
    refuse(module, "noalias is set where no uniform is declared");
}

void
norn_module_set_alignment(NornModule *module, NornRef fau, unsigned bytes) {
  module->is_verified = false;
  NornFau *declared = declaration_of(module, fau);
  if (!declared)
    refuse(module, "an alignment is set where no uniform is declared");
  else if (!bytes || bytes > NORN_MAX_ALIGNMENT || bytes & (bytes - 1))
    refuse(module, "the alignment of a uniform must be a power of two up to 128");
  else
    declared->alignment = (uint8_t)bytes;
}

uint32_t
norn_module_add_data(NornModule *module, const void *bytes, size_t size) {
  module->is_verified = false;
  for (uint32_t at = 0; size && at < NORN_DATA_SEARCHED && at + (uint64_t)size <= module->data_size;
       at += 4)
    if (!memcmp(module->data + at, bytes, size))
      return at;
  uint32_t place = module->data_size;
  if (!norn_module_append_data(module, bytes, size))
    refuse(module, "more than %u bytes of constant data", NORN_DATA_LIMIT);
  return place;
}

NornFunction *
norn_module_add_function(NornModule *module, const char *name, NornType result_type) {
  module->is_verified = false;
  uint32_t string = intern_name(module, name);
  if (!string)
    refuse(module, "a function has no name");
  return norn_function_create(module, string, known_type(module, result_type));
}

NornBuilder *
norn_builder_new(NornModule *module) {
  module->is_verified = false;
  NornBuilder *builder = g_new(NornBuilder, 1);
  *builder = (NornBuilder){
      .function = module->functions[0], .block = NORN_INDEX_NONE, .before = NORN_INDEX_NONE};
  return builder;
}

void
norn_builder_free(NornBuilder *builder) {
  g_free(builder);
}

void
norn_builder_set_function(NornBuilder *builder, NornFunction *function) {
  NornModule *module = builder->function->module;
  builder->block = NORN_INDEX_NONE;
  if (function && function->module != module)
    refuse(module, "a builder was moved to a function of another module");
  else
    builder->function = function ? function : module->functions[0];
}

void
norn_builder_set_block(NornBuilder *builder, NornRef block) {
  builder->block = norn_ref_payload(block);
  if (norn_ref_kind(block) == NORN_REF_BLOCK && builder->block < builder->function->block_count)
    return;
  builder->block = NORN_INDEX_NONE;
  refuse(builder->function->module,
         "a builder was moved to something that is not a block of its function");
}

void
norn_builder_set_flags(NornBuilder *builder, unsigned flags) {
  const unsigned known = (1u << NORN_INST_FLAG_COUNT) - 1;
  if (flags & ~known)
    refuse(builder->function->module, "the flags %#x do not exist", flags & ~known);
  builder->flags = (uint16_t)(flags & known);
}

void
norn_builder_set_line(NornBuilder *builder, uint32_t line) {
  builder->line = line;
}

NornRef
norn_build_block(NornBuilder *builder, const char *name) {
  uint32_t block =
      norn_block_create(builder->function, intern_name(builder->function->module, name));
  return norn_ref(NORN_REF_BLOCK, block);
}

NornRef
norn_build_parameter(NornBuilder *builder, NornRef block, NornType type, const char *name) {
  NornFunction *function = builder->function;
  uint32_t index = norn_ref_payload(block);
  if (norn_ref_kind(block) != NORN_REF_BLOCK || index >= function->block_count ||
      norn_block(function, index)->parameter_count == UINT16_MAX) {
    refuse(builder->function->module,
           "a parameter was added to something that is not a block, or to a block with too many");
    return 0;
  }
  NornModule *module = function->module;
  uint32_t value = norn_block_add_parameter(function, index, known_type(module, type),
                                            intern_name(module, name));
  return norn_ref(NORN_REF_VALUE, value);
}

NornRef
norn_build_name(NornBuilder *builder, NornRef value, const char *name) {
  uint32_t index = norn_ref_payload(value);
  if (norn_ref_kind(value) == NORN_REF_VALUE && index < builder->function->value_count)
    norn_value(builder->function, index)->name = intern_name(builder->function->module, name);
  return value;
}

NornRef
norn_build_int(NornBuilder *builder, NornType type, int64_t value) {
  type = known_type(builder->function->module, type);
  unsigned bits = norn_type_bits(type);
  uint64_t mask = norn_type_mask(type);
  bool is_signed = value < 0;
  if (norn_types[type].class != NORN_CLASS_INT || bits > 64 ||
      (bits < 64 && (is_signed ? value < -(INT64_C(1) << (bits - 1)) : (uint64_t)value > mask)))
    refuse(builder->function->module, "%" G_GINT64_FORMAT " is not a constant of type %s",
           (gint64)value, norn_types[type].name);
  return norn_constant(builder->function->module, (uint64_t)value & mask);
}

NornRef
norn_build_float(NornBuilder *builder, NornType type, double value) {
  type = known_type(builder->function->module, type);
  if (type != NORN_TYPE_F16 && type != NORN_TYPE_F32 && type != NORN_TYPE_F64) {
    refuse(builder->function->module, "%g is not a constant of type %s", value,
           norn_types[type].name);
    return norn_constant(builder->function->module, 0);
  }
  return norn_constant(builder->function->module, norn_float_bits(type, value));
}

NornRef
norn_build_bits(NornBuilder *builder, uint64_t bits) {
  return norn_constant(builder->function->module, bits);
}

NornRef
norn_build_uniform(NornBuilder *builder, unsigned word) {
  if (word >= NORN_FAU_WORDS)
    refuse(builder->function->module, "uniform word %u does not exist", word);
  return norn_ref(NORN_REF_UNIFORM, MIN(word, NORN_FAU_WORDS));
}

static NornRef
callee_ref(const NornModule *module, const NornFunction *callee) {
  uint32_t index = 0;
  while (index < module->function_count && module->functions[index] != callee)
    index++;
  return norn_ref(NORN_REF_FUNCTION, index);
}

/* Copies operands to `to` and returns where to put the next ones. */
static NornRef *
put(NornRef *to, const NornRef *operands, unsigned count) {
  if (count)
    memcpy(to, operands, count * sizeof *to);
  return to + count;
}

static NornRef *
put_branch(NornRef *to, const NornBranch *branch) {
  *to++ = branch->block;
  return put(to, branch->arguments, branch->argument_count);
}

/* The number of single operands. An operand that the signature makes optional is given as 0 if it
 * is omitted. */
static unsigned
single_operands(const NornInstSpec *spec) {
  unsigned count = spec->operand_count;
  bool is_left_out =
      count && !spec->operands[count - 1] && norn_operand_arity(spec->op).is_optional;
  return count - is_left_out;
}

static uint64_t
count_operands(const NornInstSpec *spec) {
  uint64_t count = (uint64_t)single_operands(spec) + !!spec->callee + spec->list_count;
  for (unsigned i = 0; i < spec->branch_count; i++)
    count += 1 + (uint64_t)spec->branches[i].argument_count;
  for (unsigned i = 0; i < spec->case_count; i++)
    count += 2 + (uint64_t)spec->cases[i].to.argument_count;
  return count;
}

static void
put_operands(NornBuilder *builder, uint32_t inst, const NornInstSpec *spec) {
  NornFunction *function = builder->function;
  NornRef *to = norn_operands(function, norn_inst(function, inst));
  to = put(to, spec->operands, single_operands(spec));
  if (spec->callee)
    *to++ = callee_ref(function->module, spec->callee);
  to = put(to, spec->list, spec->list_count);
  for (unsigned i = 0; i < spec->branch_count; i++)
    to = put_branch(to, &spec->branches[i]);
  for (unsigned i = 0; i < spec->case_count; i++) {
    *to++ = norn_build_int(builder, spec->type, spec->cases[i].value);
    to = put_branch(to, &spec->cases[i].to);
  }
}

static uint64_t
immediates(NornBuilder *builder, const NornInstSpec *spec) {
  uint64_t payload = 0;
  for (unsigned i = 0; i < NORN_IMMEDIATE_COUNT; i++) {
    int64_t value = spec->immediates[i];
    if (value < norn_immediate_minimum(i) || value > norn_immediate_maximum(i))
      refuse(builder->function->module,
             "%s: %s %" G_GINT64_FORMAT " is not between %" G_GINT64_FORMAT
             " and %" G_GINT64_FORMAT,
             norn_ops[spec->op].name, norn_immediates[i].name, (gint64)value,
             (gint64)norn_immediate_minimum(i), (gint64)norn_immediate_maximum(i));
    else if (value)
      payload = norn_set_immediate(payload, i, value);
  }
  return payload;
}

/* Creates an instruction at the insertion point; the caller fills in its operands and results. */
static uint32_t
insert(NornBuilder *builder, unsigned op, unsigned operand_count, unsigned result_count) {
  NornFunction *function = builder->function;
  uint32_t inst = norn_inst_create(function, (uint16_t)op, operand_count, result_count);
  NornInst *self = norn_inst(function, inst);
  self->line = builder->line;
  self->column = builder->column;
  self->origin = builder->origin;
  if (builder->block != NORN_INDEX_NONE)
    norn_inst_link(function, builder->block, inst, builder->before);
  return inst;
}

/* Sets the types of the results as the row says. */
static void
type_results(NornFunction *function, uint32_t inst) {
  const NornInst *self = norn_inst(function, inst);
  NornSignatureCursor cursor = norn_inst_results(self);
  for (unsigned k = 0; k < self->result_count; k++, norn_cursor_next(&cursor))
    norn_value(function, self->result + k)->type = (uint8_t)norn_cursor_type(&cursor);
}

/* Whether an array that should have elements is NULL. */
static bool
lacks_operands(const NornInstSpec *spec) {
  bool lacks = (spec->operand_count && !spec->operands) || (spec->list_count && !spec->list) ||
               (spec->branch_count && !spec->branches) || (spec->case_count && !spec->cases);
  for (unsigned i = 0; i < spec->branch_count && !lacks; i++)
    lacks = spec->branches[i].argument_count && !spec->branches[i].arguments;
  for (unsigned i = 0; i < spec->case_count && !lacks; i++)
    lacks = spec->cases[i].to.argument_count && !spec->cases[i].to.arguments;
  return lacks;
}

NornRef
norn_build(NornBuilder *builder, const NornInstSpec *spec) {
  NornFunction *function = builder->function;
  if (spec->op == NORN_OP_NONE || spec->op >= NORN_OP_COUNT) {
    refuse(function->module, "operation %u does not exist", (unsigned)spec->op);
    return 0;
  }
  if (lacks_operands(spec)) {
    refuse(function->module, "%s: a list of operands is NULL, but its count is not 0",
           norn_ops[spec->op].name);
    return 0;
  }
  uint64_t operand_count = count_operands(spec);
  unsigned count = norn_result_count(spec->op, spec->type, spec->result_count);
  if (operand_count > UINT16_MAX || count > UINT16_MAX) {
    refuse(function->module, "%s: too many operands", norn_ops[spec->op].name);
    return 0;
  }
  if (builder->block == NORN_INDEX_NONE)
    refuse(function->module, "%s: the builder is not in a block", norn_ops[spec->op].name);
  uint32_t inst = insert(builder, spec->op, (unsigned)operand_count, count);
  put_operands(builder, inst, spec);
  NornInst *self = norn_inst(function, inst);
  self->type = narrow(spec->type);
  self->source_type = narrow(spec->source_type);
  self->modifier = narrow(spec->modifier);
  self->flags = norn_op_has_flags(spec->op) ? builder->flags : 0;
  if (!norn_accesses_buffer(spec->op))
    self->flags &= (uint16_t)~NORN_INST_COARSE;
  self->payload = immediates(builder, spec);
  type_results(function, inst);
  for (unsigned k = 0; spec->results && k < count; k++)
    spec->results[k] = norn_result(function, inst, k);
  return count ? norn_result(function, inst, 0) : 0;
}

/* --- Functions that only passes use; see ir/builder.h --- */

static NornBuilder
builder_at(NornFunction *function, uint32_t block, uint32_t before, uint32_t location) {
  NORN_ASSERT(block < function->block_count);
  NornBuilder builder = {.function = function, .block = block, .before = before};
  if (location != NORN_INDEX_NONE) {
    builder.line = norn_inst(function, location)->line;
    builder.column = norn_inst(function, location)->column;
  }
  return builder;
}

NornBuilder
norn_builder_before(NornFunction *function, uint32_t inst) {
  NORN_ASSERT(inst < function->inst_count);
  return builder_at(function, norn_inst(function, inst)->block, inst, inst);
}

NornBuilder
norn_builder_in_place_of(NornFunction *function, uint32_t inst) {
  NornBuilder builder = norn_builder_before(function, inst);
  builder.flags =
      norn_inst(function, inst)->flags & (uint16_t) ~(NORN_INST_DIVERGENT | NORN_INST_COARSE);
  return builder;
}

NornBuilder
norn_builder_after(NornFunction *function, uint32_t inst) {
  NORN_ASSERT(inst < function->inst_count);
  return builder_at(function, norn_inst(function, inst)->block, norn_inst(function, inst)->next,
                    inst);
}

NornBuilder
norn_builder_at_start(NornFunction *function, uint32_t block) {
  NORN_ASSERT(block < function->block_count);
  uint32_t first = norn_block(function, block)->first;
  if (first != NORN_INDEX_NONE && norn_inst(function, first)->op == NORN_OP_LOOP_ENTRY)
    return norn_builder_after(function, first);
  return builder_at(function, block, first, first);
}

NornBuilder
norn_builder_at_end(NornFunction *function, uint32_t block) {
  NORN_ASSERT(block < function->block_count);
  return builder_at(function, block, NORN_INDEX_NONE, norn_block(function, block)->last);
}

NornBuilder
norn_builder_at_end_for(NornFunction *function, uint32_t block, uint32_t inst) {
  return builder_at(function, block, NORN_INDEX_NONE, inst);
}

NornBuilder
norn_builder_after_def(NornFunction *function, uint32_t value) {
  NORN_ASSERT(value < function->value_count);
  const NornValue *self = norn_value(function, value);
  return self->is_parameter ? norn_builder_at_start(function, self->def)
                            : norn_builder_after(function, self->def);
}

NornRef
norn_build_op(NornBuilder *builder, NornOp op, unsigned modifier, NornType type,
              NornType source_type, const NornRef *operands, unsigned count) {
  NornFunction *function = builder->function;
  NORN_ASSERT(builder->block != NORN_INDEX_NONE);
  NORN_ASSERT(!norn_ops[op].types || norn_type_in(norn_ops[op].types, type));
  NORN_ASSERT(!norn_ops[op].source_types || norn_type_in(norn_ops[op].source_types, source_type));
  unsigned results = norn_result_count(op, type, norn_type_words(source_type));
  uint32_t inst = insert(builder, op, count, results);
  NornInst *self = norn_inst(function, inst);
  put(norn_operands(function, self), operands, count);
  self->type = (uint8_t)type;
  self->source_type = (uint8_t)source_type;
  self->modifier = (uint8_t)modifier;
  self->flags = builder->flags;
  type_results(function, inst);
  return results ? norn_result(function, inst, 0) : 0;
}

NornRef
norn_build_machine(NornBuilder *builder, unsigned instruction, uint64_t payload, NornType result,
                   const NornRef *operands, unsigned count) {
  NornFunction *function = builder->function;
  NORN_ASSERT(builder->block != NORN_INDEX_NONE);
  uint32_t inst = insert(builder, NORN_OP_MACHINE + instruction, count, result != NORN_TYPE_VOID);
  NornInst *self = norn_inst(function, inst);
  put(norn_operands(function, self), operands, count);
  self->type = (uint8_t)result;
  self->payload = payload;
  if (result == NORN_TYPE_VOID)
    return 0;
  norn_value(function, self->result)->type = (uint8_t)result;
  return norn_result(function, inst, 0);
}

uint32_t
norn_build_clone(NornBuilder *builder, const NornFunction *from, uint32_t inst) {
  NornFunction *function = builder->function;
  const NornInst model = *norn_inst(from, inst);
  const NornRef *operands = norn_operands(from, &model);
  uint32_t clone = insert(builder, model.op, model.operand_count, model.result_count);
  NornInst *self = norn_inst(function, clone);
  put(norn_operands(function, self), operands, model.operand_count);
  self->type = model.type;
  self->source_type = model.source_type;
  self->modifier = model.modifier;
  self->flags = model.flags;
  self->line = model.line;
  self->column = model.column;
  self->origin = model.origin;
  self->payload = model.payload;
  for (unsigned k = 0; k < model.result_count; k++)
    norn_value(function, self->result + k)->type = norn_value(from, model.result + k)->type;
  return clone;
}

NornBranch
norn_edge_branch(const NornFunction *function, uint32_t inst, const NornEdge *edge) {
  const NornRef *operands = norn_operands(function, norn_inst(function, inst)) + edge->operand;
  return (NornBranch){operands[0], edge->argument_count, operands + 1};
}
