/* See selected.h.
 *
 * Copies, splits, collects and moves define no new symbols, so a word keeps its symbol wherever
 * it is moved. Results that depend on no value (constants that require an instruction, sums of
 * uniforms) have a symbol based on how they are computed: they may be computed anywhere, any
 * number of times. The parameter of a block with one predecessor has the symbol of its argument. */
#include "check/valhall/selected.h"
#include "ir/analysis/dominance.h"
#include <norn/valhall.h>

/* --- Symbols of literals --- */

typedef struct LiteralKey {
  uint32_t kind, number;
} LiteralKey;

enum {
  LITERAL_UNIFORM,
  LITERAL_CONSTANT,
  LITERAL_SPECIAL,
  LITERAL_START,
  LITERAL_THREAD_LOCAL,
  LITERAL_OTHER
};

static uint32_t
literal(NornSelected *selected, uint32_t kind, uint32_t number) {
  LiteralKey key = {kind, number};
  return norn_symbol_literal(&selected->symbols, &key, sizeof key);
}

uint32_t
norn_selected_start(NornSelected *selected, unsigned reg) {
  return literal(selected, LITERAL_START, reg);
}

uint32_t
norn_selected_value(const NornSelected *selected, uint32_t value, unsigned word) {
  return g_array_index(selected->words, uint32_t, selected->first_symbol[value] + word);
}

uint32_t
norn_selected_symbol(NornSelected *selected, NornRef ref, unsigned word) {
  uint32_t payload = norn_ref_payload(ref);
  switch (norn_ref_kind(ref)) {
  case NORN_REF_VALUE:
    return norn_selected_value(selected, payload, word);
  case NORN_REF_CONSTANT:
    return literal(selected, LITERAL_CONSTANT,
                   (uint32_t)(norn_constant_bits(selected->function->module, ref) >> 32 * word));
  case NORN_REF_UNIFORM:
    return literal(selected, LITERAL_UNIFORM, payload + word);
  case NORN_REF_SPECIAL:
    return literal(selected, LITERAL_SPECIAL, payload + word);
  default:
    return literal(selected, LITERAL_OTHER, ref);
  }
}

uint32_t
norn_selected_source(NornSelected *selected, const NornCodeSource *source, unsigned word) {
  switch (source->kind) {
  case NORN_ISA_CODE_UNIFORM:
    return literal(selected, LITERAL_UNIFORM, source->number + word);
  case NORN_ISA_CODE_CONSTANT:
    return literal(selected, LITERAL_CONSTANT, word ? 0 : source->value);
  default:
    return literal(selected, LITERAL_SPECIAL, source->number + word);
  }
}

uint32_t
norn_selected_thread_local(NornSelected *selected, uint32_t byte, unsigned word) {
  return literal(selected, LITERAL_THREAD_LOCAL, byte * 2 + word);
}

static uint32_t
word_of_source(const NornCodeSource *source, unsigned word, gpointer selected) {
  return norn_selected_source(selected, source, word);
}

/* --- Results that depend on no value --- */

typedef struct ComputedKey {
  uint64_t pattern;
  uint32_t sources[2 * NORN_CODE_SOURCES]; /* symbols of the words that it reads */
  uint32_t word;
} ComputedKey;

uint32_t
norn_selected_computed(NornSelected *selected, const NornWordInst *inst, unsigned word) {
  ComputedKey key = {.pattern = norn_code_pattern(selected->isa, inst->encoding, inst->word),
                     .word = word};
  unsigned count = 0;
  for (unsigned k = 0; k < inst->source_count; k++)
    for (unsigned w = 0; w < inst->sources[k].words_read; w++) {
      if (norn_code_is_register(&inst->sources[k]))
        return 0;
      key.sources[count++] =
          norn_selected_source(selected, &inst->sources[k], inst->sources[k].first_read + w);
    }
  return norn_symbol_find_literal(&selected->symbols, &key, sizeof key);
}

/* The symbol of a word of the result of such an instruction of the program. */
static uint32_t
computed_symbol(NornSelected *selected, uint32_t index, unsigned word) {
  const NornInst *inst = norn_inst(selected->function, index);
  const NornSelectedInst *self = &selected->insts[index];
  ComputedKey key = {.pattern = self->pattern, .word = word};
  unsigned count = 0;
  const NornRef *operands = norn_operands(selected->function, inst);
  for (unsigned k = 0; k < self->code.source_count && k < inst->operand_count; k++)
    for (unsigned w = 0; w < self->code.sources[k].words_read; w++)
      key.sources[count++] =
          norn_selected_symbol(selected, operands[k], self->code.sources[k].first_read + w);
  return norn_symbol_literal(&selected->symbols, &key, sizeof key);
}

/* Whether the instruction computes its result only from constants and uniforms, in one lane. */
static bool
is_computed(const NornSelected *selected, uint32_t index) {
  return selected->insts[index].may_repeat &&
         norn_reads_no_value(selected->function, norn_inst(selected->function, index));
}

/* --- Instructions --- */

uint64_t
norn_code_pattern(const NornIsa *isa, const NornIsaEncoding *encoding, uint64_t word) {
  word = norn_isa_derive(isa, encoding, (word & ~encoding->mask) | encoding->match);
  if (norn_isa_field_exists(encoding, NORN_VALHALL_FIELD_SWIZZLE1)) {
    const NornIsaField *field = norn_isa_field(encoding, NORN_VALHALL_FIELD_SWIZZLE1);
    bool is_part = false;
    for (unsigned k = 0; k < encoding->operand_count; k++)
      is_part |= encoding->operands[k].words == 2 && encoding->operands[k].modifier_count &&
                 &encoding->fields[encoding->operands[k].modifiers[0]] == field;
    if (is_part && norn_isa_extract(field, word) == NORN_VALHALL_WIDEN_INTEGER_W1)
      word = (word & ~norn_isa_insert(field, UINT64_MAX)) |
             norn_isa_insert(field, NORN_VALHALL_WIDEN_INTEGER_W0);
  }
  return word & ~norn_code_operand_bits(encoding);
}

/* The operand that holds the address: only sources and staging groups with registers count. */
static NornRef
address_of(const NornSelected *selected, const NornInst *inst, const NornWordInst *code) {
  unsigned source = 0, number = 0;
  for (unsigned k = 0; k < code->encoding->operand_count; k++) {
    const NornIsaOperand *operand = &code->encoding->operands[k];
    if (operand->role == NORN_ISA_OPERAND_SOURCE && source++ == code->address_source)
      return norn_operands(selected->function, inst)[number] & ~NORN_REF_LAST_USE;
    number += operand->role == NORN_ISA_OPERAND_SOURCE ||
              (operand->role == NORN_ISA_OPERAND_STAGING_READ && code->staging_read.count);
  }
  return 0;
}

static void
describe_inst(NornSelected *selected, uint32_t index) {
  const NornInst *inst = norn_inst(selected->function, index);
  NornSelectedInst *self = &selected->insts[index];
  const NornIsaEncoding *encoding =
      norn_isa_encoding(selected->isa, selected->architecture, inst->op - NORN_OP_MACHINE);
  uint64_t word =
      norn_isa_derive(selected->isa, encoding, (inst->payload & ~encoding->mask) | encoding->match);
  bool is_nothing =
      norn_is_terminator(selected->function, inst) || encoding->instruction == NORN_VALHALL_NOP;
  norn_code_decode(selected->isa, encoding, word, &self->code);
  self->code.is_data = inst->flags & NORN_INST_DATA;
  self->pattern = norn_code_pattern(selected->isa, encoding, word);
  self->is_fence =
      !is_nothing && (self->code.is_message ? self->code.wait_before || self->code.wait_on_self
                                            : !inst->result_count);
  self->has_effect = !is_nothing && (self->is_fence || self->code.is_message);
  self->may_repeat = !is_nothing && !self->code.is_message && inst->result_count == 1 &&
                     !(encoding->flags & (NORN_VALHALL_FLAG_CROSSLANE | NORN_VALHALL_FLAG_TILE));
  self->is_required = !is_nothing && !is_computed(selected, index);
}

static uint64_t
base_of(NornSelected *selected, NornRef address) {
  return norn_base(norn_selected_symbol(selected, address, 0),
                   norn_selected_symbol(selected, address, 1));
}

/* The root of the result of a machine instruction, once the result has symbols. */
static void
find_root(NornSelected *selected, uint32_t index) {
  const NornInst *inst = norn_inst(selected->function, index);
  const NornRef *operands = norn_operands(selected->function, inst);
  const NornWordInst *self = &selected->insts[index].code;
  unsigned terms = norn_roots_terms(self);
  uint64_t bases[NORN_CODE_SOURCES];
  for (unsigned k = 0; terms >> k; k++)
    bases[k] = terms >> k & 1 ? base_of(selected, operands[k]) : 0;
  if (self->is_data)
    norn_roots_enter_data(&selected->roots, norn_selected_value(selected, inst->result, 0));
  if (terms)
    norn_roots_enter_sum(&selected->roots, terms, bases,
                         norn_base(norn_selected_value(selected, inst->result, 0),
                                   norn_selected_value(selected, inst->result, 1)));
}

/* The memory of an access, once its address has symbols. */
static void
describe_memory(NornSelected *selected, uint32_t index) {
  NornSelectedInst *self = &selected->insts[index];
  self->memory = self->code.memory;
  self->memory.base = NORN_FOOTPRINT_ANYWHERE;
  if (self->code.has_address) {
    const NornInst *inst = norn_inst(selected->function, index);
    self->memory.base = base_of(selected, address_of(selected, inst, &self->code));
    self->memory.root = norn_roots_find(&selected->roots, self->memory.base);
  }
  if (self->memory.combine && self->code.staging_read.count) {
    NornRef operand = norn_operand(selected->function, index, 0) & ~NORN_REF_LAST_USE;
    self->memory.operand =
        norn_base(norn_selected_symbol(selected, operand, 0),
                  norn_selected_symbol(selected, operand, self->code.staging_read.count - 1u));
  }
}

/* --- Values --- */

/* Whether the instruction only moves its operand or immediate bits. */
static bool
is_move(const NornSelected *selected, uint32_t index) {
  const NornInst *inst = norn_inst(selected->function, index);
  const NornWordInst *code = &selected->insts[index].code;
  return norn_is_machine(inst) && code->instruction == NORN_VALHALL_MOV_I32 &&
         norn_code_is_move(code);
}

/* The same for two words. */
static bool
is_pair_move(const NornSelected *selected, uint32_t index) {
  const NornInst *inst = norn_inst(selected->function, index);
  if (inst->op != NORN_OP_MACHINE + NORN_VALHALL_IADD_U64)
    return false;
  NornWordInst code = selected->insts[index].code;
  for (unsigned k = 0; k < 2; k++) {
    NornRef ref = norn_operands(selected->function, inst)[k];
    if (norn_is_constant(ref)) {
      code.sources[k].kind = NORN_ISA_CODE_CONSTANT;
      code.sources[k].value = (uint32_t)norn_constant_bits(selected->function->module, ref);
    } else {
      code.sources[k].kind = NORN_ISA_CODE_REGISTER;
    }
  }
  return norn_code_is_pair_move(&code);
}

static bool
is_constant(NornSelected *selected, uint32_t index, uint32_t *bits) {
  const NornInst *inst = norn_inst(selected->function, index);
  if (inst->op != NORN_OP_MACHINE + NORN_VALHALL_IADD_IMM_I32 &&
      inst->op != NORN_OP_MACHINE + NORN_VALHALL_FADD_IMM_F32)
    return false;
  NornWordInst code = selected->insts[index].code;
  NornRef ref = norn_operands(selected->function, inst)[0];
  if (!norn_is_constant(ref))
    return false;
  code.sources[0] =
      (NornCodeSource){.kind = NORN_ISA_CODE_CONSTANT,
                       .value = (uint32_t)norn_constant_bits(selected->function->module, ref)};
  return norn_code_is_constant(&code, bits);
}

static uint32_t
result_symbol(NornSelected *selected, uint32_t index, unsigned result, unsigned word) {
  const NornFunction *function = selected->function;
  const NornInst *inst = norn_inst(function, index);
  const NornRef *operands = norn_operands(function, inst);
  uint32_t bits;
  if (inst->op == NORN_OP_COLLECT)
    return norn_selected_symbol(selected, operands[word], 0);
  if (inst->op == NORN_OP_SPLIT)
    return norn_selected_symbol(selected, operands[0], result);
  if (inst->op == NORN_OP_COPY || is_move(selected, index) || is_pair_move(selected, index))
    return norn_selected_symbol(selected, operands[0], word);
  if (inst->op == NORN_OP_PRELOAD)
    return norn_selected_start(selected,
                               (unsigned)norn_constant_bits(function->module, operands[0]) + word);
  if (is_constant(selected, index, &bits))
    return literal(selected, LITERAL_CONSTANT, bits);
  if (norn_is_machine(inst) && is_computed(selected, index))
    return computed_symbol(selected, index, word);
  return norn_symbol_fresh(&selected->symbols);
}

/* The symbol of a parameter. If the block has only one predecessor, it is that of the argument. */
static uint32_t
parameter_symbol(NornSelected *selected, const NornDominance *dominance, uint32_t block,
                 unsigned index, unsigned word) {
  const NornFunction *function = selected->function;
  if (norn_predecessor_count(dominance, block) == 1) {
    uint32_t terminator = norn_block(function, norn_predecessor(dominance, block, 0))->last;
    NornEdge found = {0};
    unsigned edges = 0;
    norn_for_each_edge (function, terminator, edge)
      if (edge.block == block && !edges++)
        found = edge;
    if (edges == 1)
      return norn_selected_symbol(
          selected,
          norn_operands(function, norn_inst(function, terminator))[found.operand + 1 + index],
          word);
  }
  return norn_symbol_fresh(&selected->symbols);
}

static void
name_value(NornSelected *selected, const NornDominance *dominance, uint32_t value) {
  const NornValue *self = norn_value(selected->function, value);
  selected->first_symbol[value] = selected->words->len;
  for (unsigned word = 0; word < norn_type_words(self->type); word++) {
    uint32_t symbol = self->is_parameter
                          ? parameter_symbol(selected, dominance, self->def, self->index, word)
                          : result_symbol(selected, self->def, self->index, word);
    g_array_append_val(selected->words, symbol);
  }
}

/* Enters the instruction under its pattern if it may be repeated. */
static void
note_repeatable(NornSelected *selected, uint32_t index) {
  NornSelectedInst *self = &selected->insts[index];
  if (!self->may_repeat || !self->is_required)
    return;
  GArray *list = g_hash_table_lookup(selected->repeatable, &self->pattern);
  if (!list) {
    list = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_hash_table_insert(selected->repeatable, &self->pattern, list);
  }
  g_array_append_val(list, index);
}

void
norn_selected_leave_out(NornSelected *selected, uint32_t index) {
  selected->insts[index].is_required = false;
  selected->required[norn_inst(selected->function, index)->block]--;
}

static void
name_block(NornSelected *selected, const NornDominance *dominance, uint32_t block) {
  const NornFunction *function = selected->function;
  for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++)
    name_value(selected, dominance, norn_block_parameter(function, block, k));
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = norn_inst(function, index);
    if (norn_is_machine(inst))
      describe_inst(selected, index);
    for (unsigned k = 0; k < inst->result_count; k++)
      name_value(selected, dominance, inst->result + k);
    if (!norn_is_machine(inst))
      continue;
    find_root(selected, index);
    describe_memory(selected, index);
    uint32_t bits;
    selected->insts[index].is_required &= !is_move(selected, index) &&
                                          !is_pair_move(selected, index) &&
                                          !is_constant(selected, index, &bits);
    selected->required[block] += selected->insts[index].is_required;
    note_repeatable(selected, index);
  }
}

void
norn_selected_init(NornSelected *selected, const NornCheckInput *input) {
  const NornFunction *function = input->rewritten ? input->rewritten : input->selected;
  *selected = (NornSelected){
      .function = function,
      .isa = norn_isa_find("valhall"),
      .architecture = input->architecture,
      .insts = g_new0(NornSelectedInst, function->inst_count + 1),
      .first_symbol = g_new0(uint32_t, function->value_count + 1),
      .words = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
      .required = g_new0(uint32_t, function->block_count),
      .repeatable =
          g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, (GDestroyNotify)g_array_unref),
  };
  norn_symbols_init(&selected->symbols);
  norn_roots_init(&selected->roots, input, word_of_source, selected);
  const NornDominance *dominance = norn_dominance_new(&selected->arena, function);
  selected->dominance = dominance;
  for (uint32_t i = 0; i < dominance->order_count; i++)
    name_block(selected, dominance, dominance->order[i]);
  for (uint32_t i = 0; i < dominance->order_count; i++)
    norn_for_each_edge (function, norn_block(function, dominance->order[i])->last, edge)
      selected->has_loops |= dominance->position[edge.block] <= i;
}

void
norn_selected_clear(NornSelected *selected) {
  norn_arena_free(&selected->arena);
  g_hash_table_unref(selected->repeatable);
  g_free(selected->insts);
  g_free(selected->first_symbol);
  g_array_free(selected->words, TRUE);
  g_free(selected->required);
  norn_roots_clear(&selected->roots);
  norn_symbols_clear(&selected->symbols);
}
