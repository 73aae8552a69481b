/* How one word changes the state of a translation (translation.h): either it is an instruction
 * of the program on operands that hold its operands' symbols, or it computes nothing new. */
#include "check/valhall/translation.h"

/* --- Operands and results --- */

static uint32_t
set_of_source(Translation *translation, const NornCodeSource *source, unsigned word) {
  return norn_code_is_register(source) ? translation->now.registers[source->number + word]
                                       : norn_selected_source(&translation->selected, source, word);
}

/* "value %x" or a description of another operand, for messages; to be freed. */
static char *
describe_operand(const Translation *translation, NornRef ref) {
  const NornFunction *function = translation->function;
  if (norn_ref_kind(ref) != NORN_REF_VALUE)
    return g_strdup("the program's constant or uniform");
  const NornValue *value = norn_value(function, norn_ref_payload(ref));
  return value->name ? g_strdup_printf("%%%s", norn_string(function->module, value->name))
                     : g_strdup_printf("value %u", norn_ref_payload(ref));
}

static bool
expect(Translation *translation, uint32_t set, NornRef ref, unsigned word, unsigned operand) {
  uint32_t symbol = norn_selected_symbol(&translation->selected, ref & ~NORN_REF_LAST_USE, word);
  if (norn_symbol_set_has(&translation->selected.symbols, set, symbol))
    return true;
  char *text = describe_operand(translation, ref & ~NORN_REF_LAST_USE);
  norn_translation_refuse(translation, "word %u of operand %u is not %s", word, operand, text);
  g_free(text);
  return false;
}

/* Values that the code called by a blend finds in registers in addition to the color. */
static bool
expect_implied(Translation *translation, const NornInst *inst, unsigned first) {
  static const uint8_t registers[] = {NORN_VALHALL_PRELOAD_COVERAGE, NORN_VALHALL_PRELOAD_SAMPLE,
                                      NORN_VALHALL_PRELOAD_SECOND_COLOR};
  const NornFunction *function = translation->function;
  const NornRef *operands = norn_operands(function, inst);
  for (unsigned k = first; k < inst->operand_count; k++) {
    NornRef ref = operands[k];
    if (norn_ref_kind(ref) == NORN_REF_BLOCK)
      return true;
    if (norn_ref_kind(ref) != NORN_REF_VALUE || k < 2 || k - 2 >= G_N_ELEMENTS(registers))
      return norn_translation_refuse(translation, "operand %u is not in the expected register", k);
    unsigned words = norn_type_words(norn_value(function, norn_ref_payload(ref))->type);
    for (unsigned word = 0; word < words; word++)
      if (!expect(translation, translation->now.registers[registers[k - 2] + word], ref, word, k))
        return false;
  }
  return true;
}

static bool
expect_group(Translation *translation, NornCodeGroup group, NornRef ref, unsigned operand) {
  for (unsigned word = 0; word < group.count; word++)
    if (!expect(translation, translation->now.registers[group.first + word], ref, word, operand))
      return false;
  return true;
}

bool
norn_translation_expect_source(Translation *translation, const NornCodeSource *source, NornRef ref,
                               unsigned operand) {
  for (unsigned word = 0; word < source->words_read; word++)
    if (!expect(translation, set_of_source(translation, source, source->first_read + word), ref,
                word, operand))
      return false;
  return true;
}

static bool
expect_operands(Translation *translation, const NornWordInst *word, const NornInst *inst) {
  const NornRef *operands = norn_operands(translation->function, inst);
  unsigned number = 0, source = 0;
  bool ok = true;
  for (unsigned k = 0; k < word->encoding->operand_count && ok; k++) {
    uint8_t role = word->encoding->operands[k].role;
    bool is_group =
        (role == NORN_ISA_OPERAND_STAGING_READ || role == NORN_ISA_OPERAND_STAGING_BOTH) &&
        word->staging_read.count;
    if (!is_group && role != NORN_ISA_OPERAND_SOURCE)
      continue;
    if (number >= inst->operand_count)
      return norn_translation_refuse(translation, "has more operands than in the program");
    ok = is_group ? expect_group(translation, word->staging_read, operands[number], number)
                  : norn_translation_expect_source(translation, &word->sources[source++],
                                                   operands[number], number);
    number++;
  }
  return ok && expect_implied(translation, inst, number);
}

/* Checks the registers that the machine requires for coverage. */
static bool
check_fixed(Translation *translation, const NornWordInst *word) {
  unsigned source = word->instruction == NORN_VALHALL_ATEST ? 0 : 2;
  if (word->instruction != NORN_VALHALL_ATEST && word->instruction != NORN_VALHALL_ZS_EMIT)
    return true;
  return (word->sources[source].number == NORN_VALHALL_PRELOAD_COVERAGE &&
          norn_code_is_register(&word->sources[source]) &&
          word->staging_write.first == NORN_VALHALL_PRELOAD_COVERAGE) ||
         norn_translation_refuse(translation, "coverage must be in r%u, before and after",
                                 NORN_VALHALL_PRELOAD_COVERAGE);
}

/* Registers that are marked as last used no longer hold anything. */
void
norn_translation_drop_last_uses(Translation *translation, const NornWordInst *word) {
  uint64_t marks = norn_code_marks(word);
  for (unsigned reg = 0; reg < NORN_VALHALL_REGISTERS && marks >> reg; reg++)
    if (marks >> reg & 1)
      translation->now.registers[reg] = NORN_NO_SYMBOLS;
}

static void
clobber(Translation *translation, uint64_t registers) {
  for (unsigned reg = 0; reg < NORN_VALHALL_REGISTERS; reg++)
    if (registers >> reg & 1)
      translation->now.registers[reg] = NORN_NO_SYMBOLS;
}

static void
forget_symbol(Translation *translation, uint32_t symbol) {
  for (uint32_t k = 0; k < norn_translation_place_count(translation); k++) {
    uint32_t *set = norn_translation_place(&translation->now, k);
    if (*set != NORN_NO_SYMBOLS)
      *set = norn_symbol_set_remove(&translation->selected.symbols, *set, symbol);
  }
}

/* Notes that the instruction has been executed. If this is the first time in the walk, its
 * results from the last iteration of a loop no longer exist anywhere. */
static void
note_executed(Translation *translation, uint32_t index) {
  const NornFunction *function = translation->function;
  const NornInst *inst = norn_inst(function, index);
  if (translation->executed[index] == translation->number)
    return;
  translation->executed[index] = translation->number;
  translation->left -= translation->selected.insts[index].is_required;
  translation->has_started = true;
  for (unsigned k = 0; translation->selected.has_loops && k < inst->result_count; k++)
    for (unsigned word = 0; word < norn_type_words(norn_value(function, inst->result + k)->type);
         word++)
      forget_symbol(translation,
                    norn_selected_value(&translation->selected, inst->result + k, word));
}

/* Defines the results of an instruction of the program, both immediate ones and those of a
 * message. */
static void
define_results(Translation *translation, const NornWordInst *word, const NornInst *inst) {
  const NornFunction *function = translation->function;
  const NornCodeGroup groups[] = {word->destination, word->staging_write};
  unsigned result = 0;
  clobber(translation, norn_code_writes(word));
  for (unsigned g = 0; g < G_N_ELEMENTS(groups); g++) {
    if (!groups[g].count || result >= inst->result_count)
      continue;
    uint32_t value = inst->result + result++;
    for (unsigned k = 0;
         k < groups[g].count && k < norn_type_words(norn_value(function, value)->type); k++)
      translation->now.registers[groups[g].first + k] =
          norn_selected_value(&translation->selected, value, k);
  }
}

/* --- The call of a blend shader --- */

/* Whether the words from `at` on are the call of a blend shader. */
static bool
is_blend_call(const Translation *translation, const NornWordInst *blend, uint32_t at) {
  const NornCode *code = translation->code;
  if (at + 1 >= code->count)
    return false;
  const NornWordInst *link = &code->insts[at], *call = &code->insts[at + 1];
  const NornCodeSource *descriptor = &blend->sources[0];
  uint64_t pattern = norn_code_pattern(code->isa, link->encoding, link->word);
  if (link->instruction != NORN_VALHALL_IADD_IMM_I32 || call->instruction != NORN_VALHALL_BRANCHZI)
    return false;
  unsigned field = NORN_VALHALL_FIELD_CONSTANT;
  uint32_t distance = norn_isa_field_get(link->encoding, field, link->word);
  bool is_counter = link->sources[0].kind == NORN_ISA_CODE_SPECIAL &&
                    link->sources[0].number == NORN_VALHALL_SPECIAL_PROGRAM_COUNTER_W0;
  bool is_zero = link->sources[0].kind == NORN_ISA_CODE_CONSTANT && !link->sources[0].value;
  bool links = blend->ends ? is_zero && distance == 0 : is_counter && distance == sizeof(uint64_t);
  uint64_t immediate = norn_isa_insert(norn_isa_field(link->encoding, field), UINT64_MAX);
  bool is_plain = (pattern & ~immediate) ==
                  (norn_code_pattern(code->isa, link->encoding, link->encoding->word) & ~immediate);
  bool is_absolute =
      norn_isa_field_get_or(call->encoding, NORN_VALHALL_FIELD_ABSOLUTE, call->word, 1);
  bool is_taken = call->sources[0].kind == NORN_ISA_CODE_CONSTANT && !call->sources[0].value &&
                  norn_isa_field_get(call->encoding, NORN_VALHALL_FIELD_EQ, call->word);
  return links && is_plain && is_taken && is_absolute &&
         link->destination.first == NORN_VALHALL_PRELOAD_LINK && !link->ends && !call->ends &&
         call->sources[1].kind == NORN_ISA_CODE_SPECIAL &&
         call->sources[1].number == descriptor->number + 1 &&
         blend->target == (blend->ends ? at : at + 2);
}

/* After a blend has been executed: checks that the call of the shader that may blend instead
 * follows. */
static bool
run_blend_call(Translation *translation, const NornWordInst *blend) {
  if (blend->sources[0].kind != NORN_ISA_CODE_SPECIAL)
    return blend->target == (int64_t)translation->at.address + 1 ||
           norn_translation_refuse(translation, "jumps over instructions");
  if (blend->staging_read.first != NORN_VALHALL_PRELOAD_COLOR)
    return norn_translation_refuse(
        translation, "the color is not in the registers where a blend shader expects it");
  if (!is_blend_call(translation, blend, translation->at.address + 1))
    return norn_translation_refuse(translation, "is not followed by a call of the blend shader");
  if (blend->ends)
    return true;
  clobber(translation, NORN_VALHALL_BLEND_CLOBBERS);
  translation->at.address += 2;
  return true;
}

/* --- Instructions of the program --- */

static bool
must_follow(const NornSelectedInst *first, const NornSelectedInst *second) {
  return first->is_fence || second->is_fence ||
         norn_footprint_conflicts(&first->memory, &second->memory);
}

/* Whether everything that must be executed before it has been executed. */
static bool
check_order(Translation *translation, uint32_t index) {
  const NornFunction *function = translation->function;
  const NornSelectedInst *insts = translation->selected.insts;
  uint32_t first = translation->first_effect;
  while (first != NORN_INDEX_NONE && first != index &&
         (!insts[first].has_effect || translation->executed[first] == translation->number))
    first = norn_inst(function, first)->next;
  translation->first_effect = first;
  for (uint32_t i = first; i != index && i != NORN_INDEX_NONE; i = norn_inst(function, i)->next)
    if (insts[i].has_effect && translation->executed[i] != translation->number &&
        must_follow(&insts[i], &insts[index]))
      return norn_translation_refuse(
          translation, "executes before an instruction that it must follow, on line %u",
          norn_inst(function, i)->line);
  return true;
}

/* Executes a word that is an instruction of the program's block. */
bool
norn_translation_run_selected(Translation *translation, const NornWordInst *word, uint32_t index) {
  const NornInst *inst = norn_inst(translation->function, index);
  const NornSelectedInst *self = &translation->selected.insts[index];
  if (!expect_operands(translation, word, inst) || !check_fixed(translation, word) ||
      (self->has_effect && !check_order(translation, index)))
    return false;
  note_executed(translation, index);
  norn_translation_drop_last_uses(translation, word);
  define_results(translation, word, inst);
  return word->instruction != NORN_VALHALL_BLEND || run_blend_call(translation, word);
}

/* Whether the word can be that instruction of the program: in the current block, not executed
 * yet, and equal except for registers and similar fields. */
bool
norn_translation_is_selected(const Translation *translation, const NornWordInst *word,
                             uint32_t hint) {
  if (hint == NORN_CODE_NONE || translation->open)
    return false;
  const NornInst *inst = norn_inst(translation->function, hint);
  const NornSelectedInst *self = &translation->selected.insts[hint];
  return inst->block == translation->at.block && self->is_required &&
         translation->executed[hint] != translation->number &&
         word->instruction == self->code.instruction &&
         norn_code_pattern(translation->code->isa, word->encoding, word->word) == self->pattern;
}

/* --- Words that compute nothing new --- */

static bool
is_thread_local_pointer(const NornCodeSource *source) {
  return source->kind == NORN_ISA_CODE_SPECIAL &&
         source->number == NORN_VALHALL_SPECIAL_THREAD_LOCAL_POINTER_W0;
}

/* Whether the word adds a constant, which was loaded into a register, to the pointer to
 * thread-local memory. */
static bool
is_far_address(Translation *translation, const NornWordInst *word, uint32_t *byte) {
  if (word->instruction != NORN_VALHALL_SHADDX_S64 || !is_thread_local_pointer(&word->sources[0]) ||
      !norn_code_is_register(&word->sources[1]))
    return false;
  uint64_t plain = word->encoding->word;
  norn_isa_field_set(word->encoding, NORN_VALHALL_FIELD_SWIZZLE1, &plain,
                     NORN_VALHALL_WIDEN_INTEGER_W0);
  const NornIsa *isa = translation->code->isa;
  uint32_t added = set_of_source(translation, &word->sources[1], word->sources[1].first_read);
  return norn_code_pattern(isa, word->encoding, word->word) ==
             norn_code_pattern(isa, word->encoding, plain) &&
         norn_symbol_set_look_up(&translation->selected.symbols, added, translation->constants,
                                 byte);
}

/* Whether the word accesses spill slots; *slot is its first word there. */
static bool
is_spill(Translation *translation, const NornWordInst *word, uint32_t *slot) {
  if (!word->has_address || word->memory.spaces != NORN_SPACE_THREAD)
    return false;
  const NornCodeSource *address = &word->sources[word->address_source];
  uint32_t byte = 0;
  if (!is_thread_local_pointer(address) &&
      !norn_symbol_set_look_up(&translation->selected.symbols,
                               set_of_source(translation, address, 0), translation->addresses,
                               &byte))
    return false;
  int64_t start = word->memory.start + byte - translation->first_slot;
  if (start < 0 || start % 4 || (word->memory.end - word->memory.start) % 4)
    return false;
  unsigned words = (unsigned)(word->memory.end - word->memory.start) / 4;
  *slot = (uint32_t)(start / 4);
  return start / 4 + words <= translation->slots &&
         (word->memory.writes ? word->staging_read.count : word->staging_write.count) == words;
}

static bool
run_spill(Translation *translation, const NornWordInst *word, uint32_t slot) {
  NornCodeGroup group = word->memory.writes ? word->staging_read : word->staging_write;
  bool is_known = word->memory.writes;
  for (unsigned k = 0; k < group.count; k++) {
    uint32_t *reg = &translation->now.registers[group.first + k];
    if (word->memory.writes)
      translation->now.slots[slot + k] = *reg;
    else
      *reg = translation->now.slots[slot + k];
    is_known |= *reg != NORN_NO_SYMBOLS;
  }
  return is_known || norn_translation_refuse(
                         translation, "fills registers from memory where nothing was spilled");
}

static void
set_destination(Translation *translation, const NornWordInst *word, uint32_t set) {
  norn_translation_drop_last_uses(translation, word);
  translation->now.registers[word->destination.first] = set;
}

/* Whether the instruction, which has the word's pattern and may be repeated, computes the result
 * of the word here: it has the same operands, and its block is the current one or was executed
 * after its operands. */
static bool
repeats(Translation *translation, const NornWordInst *word, uint32_t index) {
  const NornFunction *function = translation->function;
  const NornDominance *dominance = translation->selected.dominance;
  const NornInst *inst = norn_inst(function, index);
  uint32_t block = translation->at.block;
  if (translation->open) /* the edge's source is then the block */
    block = norn_inst(function, (uint32_t)(translation->at.edge >> 32))->block;
  if (translation->selected.insts[index].code.instruction != word->instruction ||
      !norn_dominates(dominance, inst->block, block))
    return false;
  GError **error = translation->error;
  translation->error = NULL; /* other operands are not an error */
  bool is_same = expect_operands(translation, word, inst);
  translation->error = error;
  return is_same;
}

/* What the result of a word that may be computed any number of times holds, by how it is computed:
 * the exclusive or of its sources, as in an exchange; an address in thread-local memory; or a
 * result that depends on no value. */
static void
compute_result(Translation *translation, const NornWordInst *word, uint32_t *sets) {
  NornSelected *selected = &translation->selected;
  uint32_t byte;
  bool is_far = is_far_address(translation, word, &byte);
  for (unsigned k = 0; k < word->destination.count; k++) {
    if (norn_code_is_xor(word))
      sets[k] =
          norn_symbol_set_xor(&selected->symbols, set_of_source(translation, &word->sources[0], 0),
                              set_of_source(translation, &word->sources[2], 0));
    else if (is_far)
      sets[k] = norn_selected_thread_local(selected, byte, k);
    else
      sets[k] = norn_selected_computed(selected, word, k);
  }
  if (is_far)
    g_hash_table_insert(translation->addresses, GUINT_TO_POINTER(sets[0]), GUINT_TO_POINTER(byte));
}

/* Executes such a word. It may also be arithmetic of the block or of one that dominates it; then
 * its result has the symbols of all equal instructions, too. */
static bool
run_repeated(Translation *translation, const NornWordInst *word) {
  const NornFunction *function = translation->function;
  NornSelected *selected = &translation->selected;
  uint64_t pattern = norn_code_pattern(translation->code->isa, word->encoding, word->word);
  uint32_t sets[NORN_VALHALL_REGISTERS] = {NORN_NO_SYMBOLS};
  compute_result(translation, word, sets);
  const GArray *same = g_hash_table_lookup(selected->repeatable, &pattern);
  for (unsigned i = 0; same && i < same->len; i++) {
    uint32_t index = g_array_index(same, uint32_t, i);
    if (!repeats(translation, word, index))
      continue;
    if (!translation->open && norn_inst(function, index)->block == translation->at.block)
      note_executed(translation, index);
    for (unsigned k = 0; k < word->destination.count; k++)
      sets[k] =
          norn_symbol_set_add(&selected->symbols, sets[k],
                              norn_selected_value(selected, norn_inst(function, index)->result, k));
  }
  if (sets[0] == NORN_NO_SYMBOLS && !norn_code_is_xor(word))
    return norn_translation_refuse(translation, "the program has no such instruction here");
  norn_translation_drop_last_uses(translation, word);
  for (unsigned k = 0; k < word->destination.count; k++)
    translation->now.registers[word->destination.first + k] = sets[k];
  return true;
}

bool
norn_translation_run_added(Translation *translation, const NornWordInst *word) {
  NornSelected *selected = &translation->selected;
  uint32_t bits, slot;
  if (word->instruction == NORN_VALHALL_NOP || word->kind == NORN_CODE_JUMPS)
    return true;
  if (norn_code_is_move(word)) {
    set_destination(translation, word, set_of_source(translation, &word->sources[0], 0));
    return true;
  }
  if (norn_code_is_pair_move(word)) {
    uint32_t low = set_of_source(translation, &word->sources[0], 0);
    uint32_t high = set_of_source(translation, &word->sources[0], 1);
    set_destination(translation, word, low);
    translation->now.registers[word->destination.first + 1] = high;
    return true;
  }
  if (norn_code_is_constant(word, &bits)) {
    NornCodeSource source = {.kind = NORN_ISA_CODE_CONSTANT, .value = bits};
    uint32_t symbol = norn_selected_source(selected, &source, 0);
    set_destination(translation, word, symbol);
    g_hash_table_insert(translation->constants, GUINT_TO_POINTER(symbol), GUINT_TO_POINTER(bits));
    return true;
  }
  if (word->is_message && is_spill(translation, word, &slot))
    return run_spill(translation, word, slot);
  if (word->is_message || word->kind != NORN_CODE_GOES_ON)
    return norn_translation_refuse(translation, "the program has no such instruction here");
  return run_repeated(translation, word);
}
