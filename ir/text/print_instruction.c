/* Instructions to text; the inverse of parse_instruction.c. */
#include "ir/text/print.h"

/* --- Operands --- */

/* The name of a value, including values that have no name of their own or no definition. */
void
norn_put_value_name(NornPrinter *p, uint32_t value) {
  const NornValue *self = norn_value(p->function, value);
  uint32_t number = p->names.value_numbers[value];
  if (number == NORN_NAME_UNDEFINED) {
    norn_put_text(p, "undefined_");
    norn_put_number(p, value);
    return;
  }
  if (self->name)
    norn_put_string(p, self->name);
  if (!number)
    return;
  if (self->name)
    norn_put_char(p, '_');
  norn_put_number(p, number - 1);
}

void
norn_put_block_name(NornPrinter *p, uint32_t block) {
  uint32_t name = norn_block(p->function, block)->name, number = p->names.block_numbers[block];
  if (!number) {
    norn_put_string(p, name);
    return;
  }
  if (number == NORN_NAME_UNDEFINED) {
    norn_put_text(p, "undefined_");
    norn_put_number(p, block);
    return;
  }
  if (name) {
    norn_put_string(p, name);
    norn_put_char(p, '_');
  } else {
    norn_put_char(p, 'b');
  }
  norn_put_number(p, number - 1);
}

static void
put_register(NornPrinter *p, const NornValue *value) {
  norn_put(p, "@r", 2);
  norn_put_number(p, value->reg);
  unsigned words = norn_type_words(value->type);
  if (words < 2)
    return;
  norn_put(p, ":r", 2);
  norn_put_number(p, value->reg + words - 1);
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
 * Most names are short and belong to the value itself. */
void
norn_put_value(NornPrinter *p, const char *before, size_t length, uint32_t value) {
  const NornValue *self = norn_value(p->function, value);
  char *at = norn_reserve(p, 2 + 1 + NORN_STRING_SLACK);
  memcpy(at, before, 2);
  at += length;
  if (p->values)
    note_value(p, (size_t)(at - p->text), value);
  *at++ = '%';
  uint32_t name_length = norn_string_length(p->module, self->name);
  if (p->names.value_numbers[value] || name_length > NORN_STRING_SLACK) {
    p->at = at;
    norn_put_value_name(p, value);
  } else {
    memcpy(at, norn_string(p->module, self->name), NORN_STRING_SLACK);
    p->at = at + name_length;
  }
  if (self->reg != NORN_REGISTER_NONE)
    put_register(p, self);
}

/* A uniform, by name if an element of exactly this type starts at the word. */
static void
put_uniform(NornPrinter *p, uint32_t word, NornType type) {
  const NornFau *fau = NULL;
  if (word < NORN_FAU_WORDS && p->fau_of_word[word])
    fau = &p->module->faus[p->fau_of_word[word] - 1];
  uint32_t offset = fau ? word - fau->word : 0;
  if (!fau || fau->type != type || (offset && offset % norn_type_words(type))) {
    norn_put_char(p, 'u');
    norn_put_number(p, word);
    return;
  }
  norn_put_text(p, "fau.");
  norn_put_string(p, fau->name);
  if (fau->count == 1)
    return;
  norn_put_char(p, '[');
  norn_put_number(p, offset / norn_type_words(type));
  norn_put_char(p, ']');
}

static void
put_constant(NornPrinter *p, NornRef ref, NornType type) {
  p->at += norn_print_literal(norn_reserve(p, NORN_LITERAL_SIZE), type,
                              norn_constant_bits(p->module, ref));
}

/* Whether the reference is to something that exists; in a module that has not been verified it may
 * not be. */
static inline bool
is_valid(const NornPrinter *p, NornRef ref) {
  return norn_ref_payload(ref) < p->limits[norn_ref_kind(ref)];
}

/* An operand of a generic instruction, or an argument. */
static void
put_operand(NornPrinter *p, NornRef ref, NornType type) {
  if (ref & NORN_REF_LAST_USE)
    norn_put_char(p, '^');
  switch (is_valid(p, ref) ? norn_ref_kind(ref) : NORN_REF_NONE) {
  case NORN_REF_VALUE:
    norn_put_value(p, "  ", 0, norn_ref_payload(ref));
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
    norn_put(p, p->scratch->str, p->scratch->len);
    break;
  case NORN_REF_FUNCTION:
    norn_put_char(p, '@');
    norn_put_string(p, p->module->functions[norn_ref_payload(ref)]->name);
    break;
  case NORN_REF_BLOCK:
    norn_put_block_name(p, norn_ref_payload(ref));
    break;
  case NORN_REF_NONE:
    norn_put_text(p, "none");
    break;
  }
}

/* "(a, b)", with the types of the target's parameters. */
static void
put_arguments(NornPrinter *p, const NornRef *arguments, unsigned count, const NornFunction *target,
              uint32_t block) {
  norn_put_char(p, '(');
  for (unsigned k = 0; k < count; k++) {
    if (k)
      norn_put(p, ", ", 2);
    put_operand(p, arguments[k], norn_parameter_type(target, block, k));
  }
  norn_put_char(p, ')');
}

/* The blocks of a terminator, with arguments and the values of cases. */
static void
put_edges(NornPrinter *p, uint32_t inst, bool first) {
  const NornFunction *function = p->function;
  const NornInst *self = norn_inst(function, inst);
  const NornRef *operands = norn_operands(function, self);
  uint32_t end = 0;
  norn_for_each_edge (function, inst, edge) {
    norn_put_separator(p, first);
    /* A case's value is between the arguments of one edge and the next block. */
    if (end && end < edge.operand) {
      put_operand(p, operands[end], self->type);
      norn_put(p, ": ", 2);
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
  norn_put_separator(p, first);
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
      norn_put_char(p, ' ');
      norn_put_text(p, norn_inst_flags[i].name);
    }
}

static void
put_immediates(NornPrinter *p, const NornInst *inst, uint64_t flags, bool first) {
  for (unsigned i = 0; i < NORN_IMMEDIATE_COUNT; i++) {
    const NornImmediateInfo *info = &norn_immediates[i];
    int64_t value = flags & info->flag ? norn_immediate(inst->payload, i) : 0;
    if (!value)
      continue;
    norn_put_separator(p, first);
    first = false;
    norn_put_text(p, info->name);
    if (info->width == 1 && !info->modifier)
      continue;
    norn_put_char(p, ':');
    if (info->modifier) {
      norn_put_text(p, norn_modifiers[info->modifier].texts[value]);
    } else {
      if (value < 0)
        norn_put_char(p, '-');
      norn_put_number(p, value < 0 ? -(uint64_t)value : (uint64_t)value);
    }
  }
}

/* A type, including an invalid one. */
static void
put_type(NornPrinter *p, unsigned type) {
  norn_put_text(p, type < NORN_TYPE_COUNT ? norn_types[type].name : "none");
}

static void
put_mnemonic(NornPrinter *p, const NornInst *inst) {
  const NornOpInfo *info = &norn_ops[inst->op];
  norn_put_text(p, info->name);
  if (info->modifier) {
    const NornModifierInfo *values = &norn_modifiers[info->modifier];
    norn_put_char(p, '.');
    norn_put_text(p, inst->modifier < values->count ? values->texts[inst->modifier] : "none");
  }
  if (info->types) {
    norn_put_char(p, '.');
    put_type(p, inst->type);
  }
  if (info->source_types) {
    norn_put_char(p, '.');
    put_type(p, inst->source_type);
  }
}

/* Prints the mnemonic and returns the cached signature; NULL if it is not cached. */
static inline const NornSignature *
put_known_mnemonic(NornPrinter *p, const NornInst *inst) {
  uint64_t key = norn_form_key(inst);
  CachedMnemonic *form = &p->known[norn_form_slot(key)];
  if (form->key == key) {
    memcpy(norn_reserve(p, sizeof form->text), form->text, sizeof form->text);
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

/* "%a, %b = "; the results of a machine instruction may have suffixes and their own types. */
static inline void
put_results(NornPrinter *p, const NornInst *inst, const NornMachineShape *shape) {
  for (unsigned k = 0; k < inst->result_count; k++) {
    const NornValue *value = norn_value(p->function, inst->result + k);
    norn_put_value(p, ", ", k ? 2 : 0, inst->result + k);
    if (!shape)
      continue;
    g_string_truncate(p->scratch, 0);
    p->module->machine->print_result_suffix(p->module->machine, inst->op - NORN_OP_MACHINE, k,
                                            inst->payload, p->scratch);
    norn_put(p, p->scratch->str, p->scratch->len);
    if (k < shape->result_count && value->type == norn_type_of_words(shape->result_words[k]))
      continue;
    norn_put(p, ": ", 2);
    norn_put_text(p, norn_types[value->type].name);
  }
  if (inst->result_count)
    norn_put(p, " = ", 3);
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
      norn_put_value(p, k ? ", " : " ", k ? 2 : 1, norn_ref_payload(operands[k]));
    } else {
      norn_put_separator(p, k == 0);
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
    norn_put_separator(p, k == 0);
    put_operand(p, operands[k], norn_cursor_type(&cursor));
  }
  if (inst->payload)
    put_immediates(p, inst, info->flags, k == 0);
}

/* A source of a machine instruction: constants are printed as bits, uniforms as words. */
static void
put_machine_source(NornPrinter *p, NornRef ref, bool is_staging) {
  if (ref & NORN_REF_LAST_USE)
    norn_put_char(p, '^');
  if (is_staging)
    norn_put_char(p, '@');
  ref &= ~NORN_REF_LAST_USE;
  if (norn_is_constant(ref) && is_valid(p, ref))
    p->at += norn_print_hexadecimal(norn_reserve(p, NORN_LITERAL_SIZE),
                                    norn_constant_bits(p->module, ref));
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
  norn_put(p, p->scratch->str, p->scratch->len);
  put_flags(p, inst->flags);
  const NornRef *operands = norn_operands(p->function, inst);
  unsigned k = 0;
  for (; k < inst->operand_count && norn_ref_kind(operands[k]) != NORN_REF_BLOCK; k++) {
    norn_put_separator(p, k == 0);
    put_machine_source(p, operands[k], shape.operand_is_staging >> k & 1);
    g_string_truncate(p->scratch, 0);
    machine->print_operand_suffix(machine, instruction, k, inst->payload, p->scratch);
    norn_put(p, p->scratch->str, p->scratch->len);
  }
  g_string_truncate(p->scratch, 0);
  machine->print_immediates(machine, instruction, inst->payload, k == 0, p->scratch);
  norn_put(p, p->scratch->str, p->scratch->len);
  if (k < inst->operand_count)
    put_edges(p, index, k == 0 && !p->scratch->len);
}

void
norn_put_inst(NornPrinter *p, uint32_t index) {
  if (p->insts)
    note_inst(p, norn_inst(p->function, index));
  if (norn_is_machine(norn_inst(p->function, index)))
    put_machine(p, index);
  else
    put_generic(p, index);
}
