/* IR to text; the inverse of ir/parser.c, byte for byte. */
#include "ir/text/printer.h"
#include "ir/ops.h"
#include "ir/text/literal.h"
#include "ir/text/names.h"
#include <string.h>

/* Longer mnemonics are put together each time. */
#define NORN_MNEMONIC_ROOM 40
/* The first room for the text of a part, in bytes. */
#define PART_ROOM 256

/* The mnemonic of a generic instruction met before, and its operands. */
typedef struct CachedMnemonic {
  uint64_t key; /* 0: none */
  uint8_t length;
  char text[NORN_MNEMONIC_ROOM];
  NornSignature signature;
} CachedMnemonic;

struct NornPrinter {
  const NornModule *module;
  const NornFunction *function;
  char *text, *at, *end; /* what is printed, where it ends, where its room ends */
  NornNames names;
  uint32_t limits[8]; /* by the kind of a reference: what its payload must be below */
  GString *scratch;   /* what the machine's hooks append to */
  uint8_t fau_of_word[NORN_UNIFORM_WORDS]; /* index + 1 of the declaration that covers the word */
  CachedMnemonic known[NORN_FORM_SLOTS];
  GArray *insts, *values; /* NornTextInst, NornTextValue; NULL: they are not asked for */
  unsigned first_value;   /* the number of the function's value 0 */
};

/* Where so many bytes can be written; what was written is kept by moving `at` after it. */
static inline char *
reserve(NornPrinter *p, size_t size) {
  if ((size_t)(p->end - p->at) < size) {
    size_t length = (size_t)(p->at - p->text), capacity = 2 * length + size;
    p->text = g_realloc(p->text, capacity);
    p->at = p->text + length;
    p->end = p->text + capacity;
  }
  return p->at;
}

static inline void
put(NornPrinter *p, const char *text, size_t length) {
  memcpy(reserve(p, length), text, length);
  p->at += length;
}

static inline void
put_text(NornPrinter *p, const char *text) {
  put(p, text, strlen(text));
}

static inline void
put_char(NornPrinter *p, char c) {
  *reserve(p, 1) = c;
  p->at++;
}

static inline void
put_number(NornPrinter *p, uint64_t number) {
  p->at += norn_print_decimal(reserve(p, NORN_LITERAL_SIZE), number);
}

static inline void
put_string(NornPrinter *p, uint32_t string) {
  const char *text = norn_string(p->module, string);
  uint32_t length = norn_string_length(p->module, string);
  if (length > NORN_STRING_SLACK) {
    put(p, text, length);
    return;
  }
  memcpy(reserve(p, NORN_STRING_SLACK), text, NORN_STRING_SLACK);
  p->at += length;
}

/* Between the parts of a list. */
static inline void
put_separator(NornPrinter *p, bool first) {
  memcpy(reserve(p, 2), first ? " " : ", ", 2);
  p->at += first ? 1 : 2;
}

/* --- Operands --- */

/* The name of a value, also of one that does not have its own or is not defined. */
static void
put_value_name(NornPrinter *p, uint32_t value) {
  const NornValue *self = norn_value(p->function, value);
  uint32_t number = p->names.value_numbers[value];
  if (number == NORN_NAME_UNDEFINED) {
    put_text(p, "undefined_");
    put_number(p, value);
    return;
  }
  if (self->name)
    put_string(p, self->name);
  if (!number)
    return;
  if (self->name)
    put_char(p, '_');
  put_number(p, number - 1);
}

static void
put_block_name(NornPrinter *p, uint32_t block) {
  uint32_t name = norn_block(p->function, block)->name, number = p->names.block_numbers[block];
  if (!number) {
    put_string(p, name);
    return;
  }
  if (number == NORN_NAME_UNDEFINED) {
    put_text(p, "undefined_");
    put_number(p, block);
    return;
  }
  if (name) {
    put_string(p, name);
    put_char(p, '_');
  } else {
    put_char(p, 'b');
  }
  put_number(p, number - 1);
}

static void
put_register(NornPrinter *p, const NornValue *value) {
  put(p, "@r", 2);
  put_number(p, value->reg);
  unsigned words = norn_type_words(value->type);
  if (words < 2)
    return;
  put(p, ":r", 2);
  put_number(p, value->reg + words - 1);
}

static G_GNUC_NO_INLINE void
note_value(NornPrinter *p, size_t offset, uint32_t value) {
  uint32_t name = norn_value(p->function, value)->name;
  const NornTextValue entry = {offset, p->first_value + value,
                               name ? norn_string(p->module, name) : NULL};
  g_array_append_val(p->values, entry);
}

static G_GNUC_NO_INLINE void
note_inst(NornPrinter *p, const NornInst *inst) {
  const NornTextInst entry = {(size_t)(p->at - p->text), inst->line, norn_is_machine(inst)};
  g_array_append_val(p->insts, entry);
}

/* "%name", perhaps with a register, after `length` bytes of `before`, of which two can be read.
 * Most names are short and the value's own. */
static inline void
put_value(NornPrinter *p, const char *before, size_t length, uint32_t value) {
  const NornValue *self = norn_value(p->function, value);
  char *at = reserve(p, 2 + 1 + NORN_STRING_SLACK);
  memcpy(at, before, 2);
  at += length;
  if (p->values)
    note_value(p, (size_t)(at - p->text), value);
  *at++ = '%';
  uint32_t name_length = norn_string_length(p->module, self->name);
  if (p->names.value_numbers[value] || name_length > NORN_STRING_SLACK) {
    p->at = at;
    put_value_name(p, value);
  } else {
    memcpy(at, norn_string(p->module, self->name), NORN_STRING_SLACK);
    p->at = at + name_length;
  }
  if (self->reg != NORN_REGISTER_NONE)
    put_register(p, self);
}

/* A uniform, by name where one of just this type starts at the word. */
static void
put_uniform(NornPrinter *p, uint32_t word, NornType type) {
  const NornFau *fau = NULL;
  if (word < NORN_UNIFORM_WORDS && p->fau_of_word[word])
    fau = &p->module->faus[p->fau_of_word[word] - 1];
  uint32_t offset = fau ? word - fau->word : 0;
  if (!fau || fau->type != type || (offset && offset % norn_type_words(type))) {
    put_char(p, 'u');
    put_number(p, word);
    return;
  }
  put_text(p, "fau.");
  put_string(p, fau->name);
  if (fau->count == 1)
    return;
  put_char(p, '[');
  put_number(p, offset / norn_type_words(type));
  put_char(p, ']');
}

static void
put_constant(NornPrinter *p, NornRef ref, NornType type) {
  p->at +=
      norn_print_literal(reserve(p, NORN_LITERAL_SIZE), type, norn_constant_bits(p->module, ref));
}

/* Whether the reference names something there is; a module that has not been verified may have
 * others. */
static inline bool
is_valid(const NornPrinter *p, NornRef ref) {
  return norn_ref_payload(ref) < p->limits[norn_ref_kind(ref)];
}

/* An operand of a generic instruction, or an argument. */
static void
put_operand(NornPrinter *p, NornRef ref, NornType type) {
  if (ref & NORN_REF_LAST_USE)
    put_char(p, '^');
  switch (is_valid(p, ref) ? norn_ref_kind(ref) : NORN_REF_NONE) {
  case NORN_REF_VALUE:
    put_value(p, "  ", 0, norn_ref_payload(ref));
    break;
  case NORN_REF_CONSTANT:
    put_constant(p, ref, type);
    break;
  case NORN_REF_UNIFORM:
    put_uniform(p, norn_ref_payload(ref), type);
    break;
  case NORN_REF_SPECIAL:
    g_string_truncate(p->scratch, 0);
    p->module->machine->print_special(p->module->machine, norn_ref_payload(ref), p->scratch);
    put(p, p->scratch->str, p->scratch->len);
    break;
  case NORN_REF_FUNCTION:
    put_char(p, '@');
    put_string(p, p->module->functions[norn_ref_payload(ref)]->name);
    break;
  case NORN_REF_BLOCK:
    put_block_name(p, norn_ref_payload(ref));
    break;
  case NORN_REF_NONE:
    put_text(p, "none");
    break;
  }
}

/* The parameter of the block or function entry, of VOID type if there are fewer. */
static NornType
parameter_type(const NornFunction *function, uint32_t block, unsigned k) {
  if (block >= function->block_count || k >= norn_block(function, block)->parameter_count)
    return NORN_TYPE_VOID;
  return norn_value(function, norn_block_parameter(function, block, k))->type;
}

/* "(a, b)": operands from `first` on, typed by the target's parameters. */
static void
put_arguments(NornPrinter *p, const NornRef *arguments, unsigned count, const NornFunction *target,
              uint32_t block) {
  put_char(p, '(');
  for (unsigned k = 0; k < count; k++) {
    if (k)
      put(p, ", ", 2);
    put_operand(p, arguments[k], parameter_type(target, block, k));
  }
  put_char(p, ')');
}

/* The blocks of a terminator, with arguments and the values of cases. */
static void
put_edges(NornPrinter *p, uint32_t inst, bool first) {
  const NornFunction *function = p->function;
  const NornInst *self = norn_inst(function, inst);
  const NornRef *operands = norn_operands(function, self);
  uint32_t end = 0;
  norn_for_each_edge (function, inst, edge) {
    put_separator(p, first);
    /* Between one edge's arguments and the next block stands a case's value. */
    if (end && end < edge.operand) {
      put_operand(p, operands[end], self->type);
      put(p, ": ", 2);
    }
    put_operand(p, operands[edge.operand], NORN_TYPE_VOID);
    if (edge.argument_count)
      put_arguments(p, operands + edge.operand + 1, edge.argument_count, function, edge.block);
    end = edge.operand + 1 + edge.argument_count;
    first = false;
  }
}

static void
put_call(NornPrinter *p, const NornRef *operands, unsigned count, bool first) {
  const NornModule *module = p->module;
  put_separator(p, first);
  put_operand(p, operands[0], NORN_TYPE_VOID);
  if (norn_ref_kind(operands[0]) != NORN_REF_FUNCTION || !is_valid(p, operands[0]))
    return;
  const NornFunction *callee = module->functions[norn_ref_payload(operands[0])];
  uint32_t entry = callee->block_order_count ? callee->block_order[0] : 0;
  put_arguments(p, operands + 1, count - 1, callee, entry);
}

/* --- Instructions --- */

static void
put_flags(NornPrinter *p, unsigned flags) {
  for (unsigned i = 0; i < NORN_INST_FLAG_COUNT; i++)
    if (flags & norn_inst_flags[i].flag) {
      put_char(p, ' ');
      put_text(p, norn_inst_flags[i].name);
    }
}

static void
put_immediates(NornPrinter *p, const NornInst *inst, uint64_t flags, bool first) {
  for (unsigned i = 0; i < NORN_IMMEDIATE_COUNT; i++) {
    const NornImmediateInfo *info = &norn_immediates[i];
    int64_t value = flags & info->flag ? norn_immediate(inst->payload, i) : 0;
    if (!value)
      continue;
    put_separator(p, first);
    first = false;
    put_text(p, info->name);
    if (info->width == 1 && !info->modifier)
      continue;
    put_char(p, ':');
    if (info->modifier) {
      put_text(p, norn_modifiers[info->modifier].texts[value]);
    } else {
      if (value < 0)
        put_char(p, '-');
      put_number(p, value < 0 ? -(uint64_t)value : (uint64_t)value);
    }
  }
}

/* A type, also of an instruction that is none of its row. */
static void
put_type(NornPrinter *p, unsigned type) {
  put_text(p, type < NORN_TYPE_COUNT ? norn_types[type].name : "none");
}

static void
put_mnemonic(NornPrinter *p, const NornInst *inst) {
  const NornOpInfo *info = &norn_ops[inst->op];
  put_text(p, info->name);
  if (info->modifier) {
    const NornModifierInfo *values = &norn_modifiers[info->modifier];
    put_char(p, '.');
    put_text(p, inst->modifier < values->count ? values->texts[inst->modifier] : "none");
  }
  if (info->types) {
    put_char(p, '.');
    put_type(p, inst->type);
  }
  if (info->source_types) {
    put_char(p, '.');
    put_type(p, inst->source_type);
  }
}

/* The mnemonic and what is known of its operands, NULL if that is not kept. */
static inline const NornSignature *
put_known_mnemonic(NornPrinter *p, const NornInst *inst) {
  uint64_t key = norn_form_key(inst);
  CachedMnemonic *form = &p->known[norn_form_slot(key)];
  if (form->key == key) {
    memcpy(reserve(p, sizeof form->text), form->text, sizeof form->text);
    p->at += form->length;
    return &form->signature;
  }
  size_t start = (size_t)(p->at - p->text);
  put_mnemonic(p, inst);
  size_t length = (size_t)(p->at - p->text) - start;
  if (length > sizeof form->text)
    return NULL;
  *form = (CachedMnemonic){.key = key, .length = (uint8_t)length};
  memcpy(form->text, p->text + start, length);
  form->signature = norn_signature(inst->op, inst->type, inst->source_type);
  return &form->signature;
}

/* "%a, %b = "; the results of a machine instruction may have suffixes and types of their own. */
static inline void
put_results(NornPrinter *p, const NornInst *inst, const NornMachineShape *shape) {
  for (unsigned k = 0; k < inst->result_count; k++) {
    const NornValue *value = norn_value(p->function, inst->result + k);
    put_value(p, ", ", k ? 2 : 0, inst->result + k);
    if (!shape)
      continue;
    g_string_truncate(p->scratch, 0);
    p->module->machine->print_result_suffix(p->module->machine, inst->op - NORN_OP_MACHINE, k,
                                            inst->payload, p->scratch);
    put(p, p->scratch->str, p->scratch->len);
    if (k < shape->result_count && value->type == norn_type_of_words(shape->result_words[k]))
      continue;
    put(p, ": ", 2);
    put_text(p, norn_types[value->type].name);
  }
  if (inst->result_count)
    put(p, " = ", 3);
}

static inline void
put_generic(NornPrinter *p, uint32_t index) {
  const NornInst *inst = norn_inst(p->function, index);
  const NornOpInfo *info = &norn_ops[inst->op];
  put_results(p, inst, NULL);
  const NornSignature *signature = put_known_mnemonic(p, inst);
  if (inst->flags)
    put_flags(p, inst->flags);
  const NornRef *operands = norn_operands(p->function, inst);
  unsigned plain = signature ? MIN(inst->operand_count, signature->operand_count) : 0, k = 0;
  for (; k < plain; k++) {
    if (operands[k] >> 28 == NORN_REF_VALUE && is_valid(p, operands[k])) {
      put_value(p, k ? ", " : " ", k ? 2 : 1, norn_ref_payload(operands[k]));
    } else {
      put_separator(p, k == 0);
      put_operand(p, operands[k], signature->operand_types[k]);
    }
  }
  NornSignatureCursor cursor = norn_inst_operands(inst);
  if (k < inst->operand_count)
    norn_cursor_skip(&cursor, k);
  for (; k < inst->operand_count; k++, norn_cursor_next(&cursor)) {
    NornLetterKind kind = norn_cursor_kind(&cursor);
    if (kind == NORN_LETTER_BLOCK || kind == NORN_LETTER_CASE) {
      put_edges(p, index, k == 0);
      break;
    }
    if (kind == NORN_LETTER_FUNCTION) {
      put_call(p, operands + k, inst->operand_count - k, k == 0);
      break;
    }
    put_separator(p, k == 0);
    put_operand(p, operands[k], norn_cursor_type(&cursor));
  }
  if (inst->payload)
    put_immediates(p, inst, info->flags, k == 0);
}

/* A source of a machine instruction: constants are bits, uniforms words. */
static void
put_machine_source(NornPrinter *p, NornRef ref, bool is_staging) {
  if (ref & NORN_REF_LAST_USE)
    put_char(p, '^');
  if (is_staging)
    put_char(p, '@');
  ref &= ~NORN_REF_LAST_USE;
  if (norn_ref_kind(ref) == NORN_REF_CONSTANT && is_valid(p, ref))
    p->at +=
        norn_print_hexadecimal(reserve(p, NORN_LITERAL_SIZE), norn_constant_bits(p->module, ref));
  else
    put_operand(p, ref, NORN_TYPE_VOID);
}

static G_GNUC_NO_INLINE void
put_machine(NornPrinter *p, uint32_t index) {
  const NornInst *inst = norn_inst(p->function, index);
  NornMachineShape shape;
  norn_inst_shape(p->module, inst, &shape);
  put_results(p, inst, &shape);
  const NornMachine *machine = p->module->machine;
  uint16_t instruction = inst->op - NORN_OP_MACHINE;
  g_string_truncate(p->scratch, 0);
  machine->print_mnemonic(machine, instruction, inst->payload, p->scratch);
  put(p, p->scratch->str, p->scratch->len);
  put_flags(p, inst->flags);
  const NornRef *operands = norn_operands(p->function, inst);
  unsigned k = 0;
  for (; k < inst->operand_count && norn_ref_kind(operands[k]) != NORN_REF_BLOCK; k++) {
    put_separator(p, k == 0);
    put_machine_source(p, operands[k], shape.operand_is_staging >> k & 1);
    g_string_truncate(p->scratch, 0);
    machine->print_operand_suffix(machine, instruction, k, inst->payload, p->scratch);
    put(p, p->scratch->str, p->scratch->len);
  }
  g_string_truncate(p->scratch, 0);
  machine->print_immediates(machine, instruction, inst->payload, k == 0, p->scratch);
  put(p, p->scratch->str, p->scratch->len);
  if (k < inst->operand_count)
    put_edges(p, index, k == 0 && !p->scratch->len);
}

static inline void
put_inst(NornPrinter *p, uint32_t index) {
  if (p->insts)
    note_inst(p, norn_inst(p->function, index));
  if (norn_is_machine(norn_inst(p->function, index)))
    put_machine(p, index);
  else
    put_generic(p, index);
}

/* "(%a: i32, %b: f32)" */
static void
put_parameters(NornPrinter *p, uint32_t block) {
  const NornBlock *self = norn_block(p->function, block);
  put_char(p, '(');
  for (unsigned k = 0; k < self->parameter_count; k++) {
    uint32_t value = norn_block_parameter(p->function, block, k);
    put_value(p, ", ", k ? 2 : 0, value);
    put(p, ": ", 2);
    put_text(p, norn_types[norn_value(p->function, value)->type].name);
  }
  put_char(p, ')');
}

/* --- The module --- */

static void
put_blocks(NornPrinter *p, bool is_callable) {
  const NornFunction *function = p->function;
  norn_for_each_block (function, block) {
    put_block_name(p, block);
    bool is_entry_of_callable = is_callable && block == function->block_order[0];
    if (norn_block(function, block)->parameter_count && !is_entry_of_callable)
      put_parameters(p, block);
    put_char(p, ':');
    norn_for_each_inst (function, block, inst) {
      put(p, "\n  ", 3);
      put_inst(p, inst);
    }
    put_char(p, '\n');
  }
  put(p, "}\n", 2);
}

static void
begin_function(NornPrinter *p, const NornFunction *function) {
  p->function = function;
  memset(p->limits, 0xFF, sizeof p->limits);
  p->limits[NORN_REF_VALUE] = function->value_count;
  p->limits[NORN_REF_CONSTANT] = p->module->constants.count;
  p->limits[NORN_REF_BLOCK] = function->block_count;
  p->limits[NORN_REF_FUNCTION] = p->module->function_count;
  p->limits[NORN_REF_SPECIAL] = p->module->machine ? UINT32_MAX : 0;
  norn_names_find(&p->names, function);
}

static void
put_faus(NornPrinter *p) {
  const NornModule *module = p->module;
  for (uint32_t i = 0; i < module->fau_count; i++) {
    const NornFau *fau = &module->faus[i];
    put_text(p, i ? ", " : "  fau ");
    put_string(p, fau->name);
    put(p, ": ", 2);
    put_text(p, norn_types[fau->type].name);
    if (fau->count != 1) {
      put_char(p, '[');
      put_number(p, fau->count);
      put_char(p, ']');
    }
    put(p, " @ ", 3);
    put_number(p, fau->word);
    if (fau->is_noalias)
      put_text(p, " noalias");
  }
  if (module->fau_count)
    put_char(p, '\n');
}

static void
put_shader(NornPrinter *p) {
  const NornModule *module = p->module;
  if (module->machine) {
    put_text(p, "target ");
    put_text(p, module->machine->name);
    put_char(p, ' ');
    put_text(p, module->machine->architecture_name(module->machine));
    put_char(p, '\n');
  }
  put_text(p, "shader ");
  put_text(p, norn_stage_names[module->stage]);
  put(p, " @", 2);
  put_string(p, module->name);
  const uint32_t *size = module->workgroup;
  if (module->stage == NORN_STAGE_COMPUTE || size[0] != 1 || size[1] != 1 || size[2] != 1) {
    for (unsigned axis = 0; axis < 3; axis++) {
      put_text(p, axis ? ", " : " workgroup(");
      put_number(p, size[axis]);
    }
    put_char(p, ')');
  }
  if (module->shared_size) {
    put_text(p, " shared(");
    put_number(p, module->shared_size);
    put_char(p, ')');
  }
  if (module->scratch_size) {
    put_text(p, " scratch(");
    put_number(p, module->scratch_size);
    put_char(p, ')');
  }
  if (module->denormals) {
    put_text(p, " denormals(");
    put_text(p, norn_denormals_names[module->denormals]);
    put_char(p, ')');
  }
  if (module->rounding) {
    put_text(p, " rounding(");
    put_text(p, norn_modifiers[NORN_MODIFIER_ROUND].texts[module->rounding]);
    put_char(p, ')');
  }
  if (module->tests_early)
    put_text(p, " early_tests");
  put(p, " {\n", 3);
  put_faus(p);
  begin_function(p, module->functions[0]);
  put_blocks(p, false);
  norn_names_forget(&p->names);
  p->first_value += p->function->value_count;
}

static void
put_function(NornPrinter *p, const NornFunction *function) {
  begin_function(p, function);
  put_text(p, "\nfunction @");
  put_string(p, function->name);
  if (function->block_order_count)
    put_parameters(p, function->block_order[0]);
  else
    put(p, "()", 2);
  put_text(p, " -> ");
  put_text(p, norn_types[function->result_type].name);
  put(p, " {\n", 3);
  put_blocks(p, true);
  norn_names_forget(&p->names);
  p->first_value += function->value_count;
}

/* Notes which declaration each uniform word belongs to. */
static void
map_uniforms(NornPrinter *p) {
  const NornModule *module = p->module;
  for (uint32_t i = 0; i < MIN(module->fau_count, UINT8_MAX); i++) {
    const NornFau *fau = &module->faus[i];
    uint64_t end = fau->word + (uint64_t)norn_type_words(fau->type) * fau->count;
    for (uint64_t word = fau->word; word < end && word < NORN_UNIFORM_WORDS; word++)
      if (!p->fau_of_word[word])
        p->fau_of_word[word] = (uint8_t)(i + 1);
  }
}

/* The printer with that much room for text. */
static void
printer_init(NornPrinter *p, const NornModule *module, size_t room) {
  p->module = module;
  p->text = p->at = g_malloc(room);
  p->end = p->text + room;
  p->scratch = g_string_new(NULL);
  norn_names_init(&p->names, module);
  map_uniforms(p);
}

static void
printer_clear(NornPrinter *p) {
  norn_names_clear(&p->names);
  g_string_free(p->scratch, TRUE);
}

/* About what the text will take, rather more than less: only saves growing step by step. */
static size_t
estimate_size(const NornModule *module) {
  size_t name = 4 + module->strings.text_size / module->strings.count, size = 256;
  for (uint32_t i = 0; i < module->function_count; i++) {
    const NornFunction *function = module->functions[i];
    size += function->inst_count * (size_t)24 +
            ((size_t)function->value_count + function->operand_count) * name;
  }
  return size;
}

static char *
print_module(NornPrinter *p, const NornModule *module, size_t *length) {
  printer_init(p, module, estimate_size(module));
  put_shader(p);
  for (uint32_t i = 1; i < module->function_count; i++)
    put_function(p, module->functions[i]);
  put_char(p, 0);
  size_t size = (size_t)(p->at - p->text);
  if (length)
    *length = size - 1;
  printer_clear(p);
  return g_realloc(p->text, size);
}

char *
norn_module_print(const NornModule *module, size_t *length) {
  NornPrinter p = {0};
  return print_module(&p, module, length);
}

char *
norn_module_print_with_map(const NornModule *module, size_t *length, NornTextMap *map) {
  NornPrinter p = {.insts = g_array_new(FALSE, FALSE, sizeof(NornTextInst)),
                   .values = g_array_new(FALSE, FALSE, sizeof(NornTextValue))};
  char *text = print_module(&p, module, length);
  *map = (NornTextMap){.inst_count = p.insts->len, .value_count = p.values->len};
  map->insts = (NornTextInst *)(void *)g_array_free(p.insts, FALSE);
  map->values = (NornTextValue *)(void *)g_array_free(p.values, FALSE);
  return text;
}

void
norn_text_map_clear(NornTextMap *map) {
  g_free(map->insts);
  g_free(map->values);
  *map = (NornTextMap){0};
}

/* --- Parts of a function --- */

NornPrinter *
norn_printer_new(const NornModule *module) {
  NornPrinter *p = g_new0(NornPrinter, 1);
  printer_init(p, module, PART_ROOM);
  return p;
}

void
norn_printer_free(NornPrinter *p) {
  if (!p)
    return;
  if (p->function)
    norn_names_forget(&p->names);
  printer_clear(p);
  g_free(p->text);
  g_free(p);
}

/* Empties the text and finds the names of the function. */
static void
begin_part(NornPrinter *p, const NornFunction *function) {
  p->at = p->text;
  if (p->function == function)
    return;
  if (p->function)
    norn_names_forget(&p->names);
  begin_function(p, function);
}

static const char *
end_part(NornPrinter *p) {
  put_char(p, 0);
  return p->text;
}

const char *
norn_printer_inst(NornPrinter *p, const NornFunction *function, uint32_t inst) {
  begin_part(p, function);
  put_inst(p, inst);
  return end_part(p);
}

const char *
norn_printer_block(NornPrinter *p, const NornFunction *function, uint32_t block) {
  begin_part(p, function);
  put_block_name(p, block);
  return end_part(p);
}

const char *
norn_printer_value(NornPrinter *p, const NornFunction *function, uint32_t value) {
  begin_part(p, function);
  if (p->names.value_numbers[value] == NORN_NAME_UNDEFINED)
    return NULL;
  put_char(p, '%');
  put_value_name(p, value);
  return end_part(p);
}
