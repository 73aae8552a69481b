/* Translation validation: the words do what the selected program does.
 *
 * The words are run on symbols, block by block of the program (selected.h): a register, or a word
 * of memory for spilled values, holds a set of symbols. What leads to a block meets there: a place
 * is known to hold what it holds on all paths, so the states shrink until they are stable. An edge
 * of the program gives symbols to the parameters of its block: a place that holds the argument
 * holds the parameter. An instruction that is executed anew makes its result's symbol anew, and
 * older copies of it are forgotten.
 *
 * Every word must be an instruction of the program's block, on operands that hold its operands'
 * symbols, or something that computes nothing new: a move, an exclusive or of a swap, a spill or
 * fill, what depends on no value, a jump, the call of a blend shader. Every instruction of the
 * block must be executed before it is left, and those that have an effect in an order that keeps
 * their conflicts. Which of the program's instructions a word is, and where its blocks are, is
 * taken from the packed program; if that were wrong the proof would fail, not be wrong.
 *
 * A walk starts at an address, in a block of the program, maybe with an edge to it still open: what
 * the edge moves is then still to come. It ends where another one starts. */
#include "check/valhall/selected.h"
#include "check/valhall/valhall.h"
#include <norn/valhall.h>
#include <string.h>

/* Symbols of parameters, and of the arguments that they get. */
typedef struct ParameterAssignment {
  uint32_t parameter, argument;
} ParameterAssignment;

typedef struct SymbolicState {
  uint32_t registers[NORN_VALHALL_REGISTERS]; /* sets of symbols */
  uint32_t *slots;                            /* of the memory for spilled values, by word */
} SymbolicState;

/* A walk's start. */
typedef struct WalkStart {
  uint32_t block, address;
  uint64_t edge; /* the terminator << 32 | operand of the open edge, or NO_EDGE */
} WalkStart;

#define NO_EDGE UINT64_MAX

typedef struct Walk {
  WalkStart start;
  struct Walk
      *next; /* that goes on where this one ends without having executed anything, or NULL */
  SymbolicState state;
  GArray *open; /* ParameterAssignment, of the open edge */
  bool is_pending;
} Walk;

typedef struct Translation {
  const NornCode *code;
  NornSelected selected;
  const NornFunction *function; /* the selected program */
  uint32_t *places;             /* by block: where the packed program has it, or NORN_CODE_NONE */
  uint32_t first_slot, slots;   /* memory for spilled values: the first byte, and the words */
  GHashTable *walks;            /* WalkStart -> Walk */
  GQueue pending;
  uint32_t *executed; /* by instruction: the number of the walk that did last */
  /* the walk at hand */
  uint32_t number;
  WalkStart at;
  SymbolicState now;
  GArray *open;
  uint32_t left;         /* instructions of the block still to be executed */
  uint32_t first_effect; /* no instruction with an effect before it is still to be executed */
  bool has_started;      /* some were */
  GError **error;
} Translation;

G_GNUC_PRINTF(2, 3)
static bool
refuse(Translation *translation, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  norn_code_error(translation->code, translation->at.address, translation->error, "%s", text);
  g_free(text);
  return false;
}

/* --- states --- */

static void
copy_state(const Translation *translation, SymbolicState *to, const SymbolicState *from) {
  *to = *from;
  to->slots = g_memdup2(from->slots, translation->slots * sizeof *from->slots);
}

/* The set of the place, a register or, after these, a word of memory. */
static uint32_t *
place(SymbolicState *state, uint32_t number) {
  return number < NORN_VALHALL_REGISTERS ? &state->registers[number]
                                         : &state->slots[number - NORN_VALHALL_REGISTERS];
}

static uint32_t
place_count(const Translation *translation) {
  return NORN_VALHALL_REGISTERS + translation->slots;
}

/* Keeps what is known in both; whether that is less. */
static bool
merge_state(Translation *translation, SymbolicState *into, SymbolicState *from) {
  bool changed = false;
  for (uint32_t k = 0; k < place_count(translation); k++) {
    uint32_t *set = place(into, k);
    uint32_t common = norn_symbol_set_common(&translation->selected.symbols, *set, *place(from, k));
    changed |= common != *set;
    *set = common;
  }
  return changed;
}

static void
forget_symbol(Translation *translation, uint32_t symbol) {
  for (uint32_t k = 0; k < place_count(translation); k++) {
    uint32_t *set = place(&translation->now, k);
    if (*set != NORN_NO_SYMBOLS)
      *set = norn_symbol_set_remove(&translation->selected.symbols, *set, symbol);
  }
}

/* --- walks --- */

static guint
hash_start(gconstpointer key) {
  const WalkStart *start = key;
  uint64_t hash = start->edge * UINT64_C(0x9E3779B97F4A7C15) ^ start->address;
  return (guint)((hash ^ (uint64_t)start->block << 32) * UINT64_C(0x9E3779B97F4A7C15) >> 32);
}

static gboolean
equal_starts(gconstpointer a, gconstpointer b) {
  const WalkStart *x = a, *y = b;
  return x->block == y->block && x->address == y->address && x->edge == y->edge;
}

static void
free_walk(gpointer data) {
  Walk *walk = data;
  g_free(walk->state.slots);
  if (walk->open)
    g_array_unref(walk->open);
  g_free(walk);
}

/* The walk at hand goes on as another one, which is returned. */
static Walk *
go_to(Translation *translation, const WalkStart *start) {
  Walk *walk = g_hash_table_lookup(translation->walks, start);
  bool changed = !walk;
  if (walk) {
    changed = merge_state(translation, &walk->state, &translation->now);
  } else {
    walk = g_new0(Walk, 1);
    walk->start = *start;
    walk->open = translation->open ? g_array_ref(translation->open) : NULL;
    copy_state(translation, &walk->state, &translation->now);
    g_hash_table_insert(translation->walks, &walk->start, walk);
  }
  if (changed && !walk->is_pending) {
    walk->is_pending = true;
    g_queue_push_tail(&translation->pending, walk);
  }
  return walk;
}

/* --- edges --- */

/* What the argument that stands for `symbol` in the assignments is; itself if none. */
static uint32_t
substitute(const GArray *assignments, uint32_t symbol) {
  for (unsigned i = 0; assignments && i < assignments->len; i++)
    if (g_array_index(assignments, ParameterAssignment, i).parameter == symbol)
      return g_array_index(assignments, ParameterAssignment, i).argument;
  return symbol;
}

/* The assignments of the edge, after those of `before`. */
static GArray *
follow_edge(Translation *translation, const GArray *before, const NornEdge *edge,
            uint32_t terminator) {
  const NornFunction *function = translation->function;
  const NornRef *arguments =
      norn_operands(function, norn_inst(function, terminator)) + edge->operand + 1;
  GArray *assignments = g_array_new(FALSE, FALSE, sizeof(ParameterAssignment));
  for (unsigned k = 0; k < edge->argument_count; k++) {
    uint32_t parameter = norn_block_parameter(function, edge->block, k);
    for (unsigned word = 0; word < norn_type_words(norn_value(function, parameter)->type); word++) {
      uint32_t argument = norn_selected_symbol(&translation->selected, arguments[k], word);
      ParameterAssignment assignment = {
          norn_selected_value(&translation->selected, parameter, word),
          substitute(before, argument)};
      g_array_append_val(assignments, assignment);
    }
  }
  unsigned own = assignments->len;
  for (unsigned i = 0; before && i < before->len; i++) {
    ParameterAssignment assignment = g_array_index(before, ParameterAssignment, i);
    bool is_new = true;
    for (unsigned k = 0; k < own; k++)
      is_new &=
          g_array_index(assignments, ParameterAssignment, k).parameter != assignment.parameter;
    if (is_new)
      g_array_append_val(assignments, assignment);
  }
  return assignments;
}

/* Gives the parameters their symbols: all at once. */
static void
assign_parameters(Translation *translation) {
  NornSymbols *symbols = &translation->selected.symbols;
  const GArray *open = translation->open;
  for (uint32_t k = 0; k < place_count(translation) && open->len; k++) {
    uint32_t *set = place(&translation->now, k), old = *set;
    for (unsigned i = 0; i < open->len && old != NORN_NO_SYMBOLS; i++)
      *set = norn_symbol_set_remove(symbols, *set,
                                    g_array_index(open, ParameterAssignment, i).parameter);
    for (unsigned i = 0; i < open->len && old != NORN_NO_SYMBOLS; i++)
      if (norn_symbol_set_has(symbols, old, g_array_index(open, ParameterAssignment, i).argument))
        *set = norn_symbol_set_add(symbols, *set,
                                   g_array_index(open, ParameterAssignment, i).parameter);
  }
}

static void
close_edge(Translation *translation) {
  if (translation->open)
    g_array_unref(translation->open);
  translation->open = NULL;
  translation->at.edge = NO_EDGE;
}

/* Opens the edge of a terminator, behind one that is open: that leads to a block which only jumps,
 * so it alone tells where the walk came from. */
static void
open_edge(Translation *translation, uint32_t terminator, const NornEdge *edge) {
  GArray *assignments = follow_edge(translation, translation->open, edge, terminator);
  uint64_t first =
      translation->open ? translation->at.edge : (uint64_t)terminator << 32 | edge->operand;
  close_edge(translation);
  translation->open = assignments;
  translation->at.edge = first;
  translation->at.block = edge->block;
}

static uint32_t
terminator_of(const Translation *translation, uint32_t block) {
  return norn_block(translation->function, block)->last;
}

/* Blocks that the packed program lacks only jump: goes past them. */
static void
bypass(Translation *translation) {
  for (uint32_t i = 0; i < translation->function->block_count; i++) {
    uint32_t block = translation->at.block, terminator = terminator_of(translation, block);
    NornEdge edge = {0};
    if (translation->places[block] != NORN_CODE_NONE || translation->selected.required[block] ||
        norn_inst(translation->function, terminator)->op != NORN_OP_JUMP)
      return;
    norn_next_edge(translation->function, terminator, &edge);
    open_edge(translation, terminator, &edge);
  }
}

/* --- operands and results --- */

static uint32_t
set_of_source(Translation *translation, const NornCodeSource *source, unsigned word) {
  return norn_code_is_register(source) ? translation->now.registers[source->number + word]
                                       : norn_selected_source(&translation->selected, source, word);
}

/* "value %x" or what else an operand is, for messages; to be freed. */
static char *
describe_operand(const Translation *translation, NornRef ref) {
  const NornFunction *function = translation->function;
  if (norn_ref_kind(ref) != NORN_REF_VALUE)
    return g_strdup("its constant or uniform");
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
  refuse(translation, "word %u of operand %u is not %s", word, operand, text);
  g_free(text);
  return false;
}

/* Values that the code which a blend calls finds in registers, beside the color. */
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
      return refuse(translation, "operand %u is not where it is expected", k);
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

static bool
expect_source(Translation *translation, const NornCodeSource *source, NornRef ref,
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
      return refuse(translation, "the program has fewer operands");
    ok = is_group ? expect_group(translation, word->staging_read, operands[number], number)
                  : expect_source(translation, &word->sources[source++], operands[number], number);
    number++;
  }
  return ok && expect_implied(translation, inst, number);
}

/* Registers that the machine wants for coverage. */
static bool
check_fixed(Translation *translation, const NornWordInst *word) {
  unsigned source = word->instruction == NORN_VALHALL_ATEST ? 0 : 2;
  if (word->instruction != NORN_VALHALL_ATEST && word->instruction != NORN_VALHALL_ZS_EMIT)
    return true;
  return (word->sources[source].number == NORN_VALHALL_PRELOAD_COVERAGE &&
          norn_code_is_register(&word->sources[source]) &&
          word->staging_write.first == NORN_VALHALL_PRELOAD_COVERAGE) ||
         refuse(translation, "coverage is not in r%u", NORN_VALHALL_PRELOAD_COVERAGE);
}

/* What is marked as last used holds nothing any more. */
static void
drop_last_uses(Translation *translation, const NornWordInst *word) {
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

/* The results of an instruction of the program, those that registers get at once and others. */
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
         k < groups[g].count && k < norn_type_words(norn_value(function, value)->type); k++) {
      uint32_t symbol = norn_selected_value(&translation->selected, value, k);
      if (translation->selected.has_loops)
        forget_symbol(translation, symbol);
      translation->now.registers[groups[g].first + k] = symbol;
    }
  }
}

/* --- instructions of the program --- */

static bool
must_follow(const NornSelectedInst *first, const NornSelectedInst *second) {
  return first->is_fence || second->is_fence ||
         norn_footprint_conflicts(&first->memory, &second->memory);
}

/* Whether everything before it that has to be has been executed. */
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
      return refuse(translation, "it comes before an instruction that it has to follow, of line %u",
                    norn_inst(function, i)->line);
  return true;
}

/* The word is an instruction of the program's block. */
static bool
run_selected(Translation *translation, const NornWordInst *word, uint32_t index) {
  const NornInst *inst = norn_inst(translation->function, index);
  const NornSelectedInst *self = &translation->selected.insts[index];
  if (!expect_operands(translation, word, inst) || !check_fixed(translation, word) ||
      (self->has_effect && !check_order(translation, index)))
    return false;
  translation->executed[index] = translation->number;
  translation->left -= self->is_required;
  translation->has_started = true;
  drop_last_uses(translation, word);
  define_results(translation, word, inst);
  return true;
}

/* Whether the word can be that instruction of the program: not yet executed, of the block, and
 * the same but for registers and the like. */
static bool
is_selected(const Translation *translation, const NornWordInst *word, uint32_t hint) {
  if (hint == NORN_CODE_NONE || translation->open)
    return false;
  const NornInst *inst = norn_inst(translation->function, hint);
  const NornSelectedInst *self = &translation->selected.insts[hint];
  return inst->block == translation->at.block && self->is_required &&
         translation->executed[hint] != translation->number &&
         word->instruction == self->code.instruction &&
         norn_code_pattern(translation->code->isa, word->encoding, word->word) == self->pattern;
}

/* --- what computes nothing new --- */

/* Whether the word accesses memory for spilled values; *slot is the first word of it. */
static bool
is_spill(const Translation *translation, const NornWordInst *word, uint32_t *slot) {
  int64_t start = word->memory.start - translation->first_slot;
  if (!word->has_address || word->memory.spaces != NORN_SPACE_THREAD || start < 0 || start % 4 ||
      (word->memory.end - word->memory.start) % 4 ||
      word->sources[word->address_source].kind != NORN_ISA_CODE_SPECIAL ||
      word->sources[word->address_source].number != NORN_VALHALL_SPECIAL_THREAD_LOCAL_POINTER_W0)
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
  return is_known || refuse(translation, "it fills registers from where nothing was spilled");
}

static void
set_destination(Translation *translation, const NornWordInst *word, uint32_t set) {
  drop_last_uses(translation, word);
  translation->now.registers[word->destination.first] = set;
}

/* Something that depends on no value and is computed wherever it is wanted. */
static bool
run_computed(Translation *translation, const NornWordInst *word) {
  for (unsigned k = 0; k < word->destination.count; k++) {
    uint32_t symbol = norn_selected_computed(&translation->selected, word, k);
    if (!symbol)
      return refuse(translation, "the program has no such instruction here");
    translation->now.registers[word->destination.first + k] = symbol;
  }
  return word->destination.count || refuse(translation, "the program has no such instruction here");
}

static bool
run_added(Translation *translation, const NornWordInst *word) {
  NornSelected *selected = &translation->selected;
  uint32_t bits, slot;
  if (word->instruction == NORN_VALHALL_NOP || word->kind == NORN_CODE_JUMPS)
    return true;
  if (norn_code_is_move(word)) {
    set_destination(translation, word, set_of_source(translation, &word->sources[0], 0));
    return true;
  }
  if (norn_code_is_constant(word, &bits)) {
    NornCodeSource source = {.kind = NORN_ISA_CODE_CONSTANT, .value = bits};
    set_destination(translation, word, norn_selected_source(selected, &source, 0));
    return true;
  }
  if (norn_code_is_xor(word)) {
    set_destination(translation, word,
                    norn_symbol_set_xor(&selected->symbols,
                                        set_of_source(translation, &word->sources[0], 0),
                                        set_of_source(translation, &word->sources[2], 0)));
    return true;
  }
  if (word->is_message && is_spill(translation, word, &slot))
    return run_spill(translation, word, slot);
  if (word->is_message || word->kind != NORN_CODE_GOES_ON)
    return refuse(translation, "the program has no such instruction here");
  return run_computed(translation, word);
}

/* --- control --- */

/* The condition, and where the branch leads. */
static bool
run_branch(Translation *translation, const NornWordInst *word, uint32_t index) {
  const NornFunction *function = translation->function;
  const NornInst *inst = norn_inst(function, index);
  const NornSelectedInst *self = &translation->selected.insts[index];
  uint64_t eq, changed;
  if (word->instruction != self->code.instruction || word->instruction != NORN_VALHALL_BRANCHZ)
    return refuse(translation, "it is not the branch of the program");
  eq = norn_isa_insert(norn_isa_field(word->encoding, NORN_VALHALL_FIELD_EQ), 1);
  changed = norn_code_pattern(translation->code->isa, word->encoding, word->word) ^ self->pattern;
  if (changed & ~eq)
    return refuse(translation, "it is another branch than the program's");
  if (word->ends)
    return refuse(translation, "the program does not end here");
  if (translation->left)
    return refuse(translation, "%u instructions of the block are missing before it",
                  translation->left);
  if (!expect_source(translation, &word->sources[0], norn_operands(function, inst)[0], 0))
    return false;
  drop_last_uses(translation, word);
  bool is_inverted = changed != 0;
  const WalkStart from = translation->at;
  unsigned number = 0;
  norn_for_each_edge (function, index, edge) {
    int64_t target = (number++ == 0) != is_inverted ? word->target : (int64_t)from.address + 1;
    if (target < 0 || target >= translation->code->count)
      return refuse(translation, "it leads out of the code");
    translation->at = from;
    open_edge(translation, index, &edge);
    translation->at.address = (uint32_t)target;
    bypass(translation);
    go_to(translation, &translation->at);
    close_edge(translation);
  }
  translation->at = from;
  return true;
}

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

/* A blend has been executed: what follows it is the call of the shader that may blend instead. */
static bool
run_blend_call(Translation *translation, const NornWordInst *blend) {
  if (blend->sources[0].kind != NORN_ISA_CODE_SPECIAL)
    return blend->target == (int64_t)translation->at.address + 1 ||
           refuse(translation, "it jumps over instructions");
  if (blend->staging_read.first != NORN_VALHALL_PRELOAD_COLOR)
    return refuse(translation, "the color is not where a blend shader looks for it");
  if (!is_blend_call(translation, blend, translation->at.address + 1))
    return refuse(translation, "no call of the blend shader follows");
  if (blend->ends)
    return true;
  clobber(translation, NORN_VALHALL_BLEND_CLOBBERS);
  translation->at.address += 2;
  return true;
}

/* The program ends here: whether it does, too. */
static bool
check_end(Translation *translation) {
  const NornFunction *function = translation->function;
  if (translation->open)
    translation->left = translation->selected.required[translation->at.block];
  for (uint32_t i = 0; i <= function->block_count && !translation->left; i++) {
    uint32_t terminator = terminator_of(translation, translation->at.block);
    NornEdge edge = {0};
    uint16_t op = norn_inst(function, terminator)->op;
    if (op == NORN_OP_END || op == NORN_OP_UNREACHABLE)
      return true;
    if (op != NORN_OP_JUMP)
      break;
    norn_next_edge(function, terminator, &edge);
    open_edge(translation, terminator, &edge);
    translation->left = translation->selected.required[edge.block];
  }
  return refuse(translation, "the program does not end here");
}

/* The program has left the block if nothing but its jump is left of it. */
static void
leave_block(Translation *translation) {
  uint32_t terminator = terminator_of(translation, translation->at.block);
  NornEdge edge = {0};
  if (translation->open || translation->left ||
      norn_inst(translation->function, terminator)->op != NORN_OP_JUMP)
    return;
  norn_next_edge(translation->function, terminator, &edge);
  open_edge(translation, terminator, &edge);
  bypass(translation);
}

/* Whether the walk ends at the address at hand, where another one goes on. */
static bool
hands_over(Translation *translation, Walk *walk, uint32_t steps) {
  const NornCode *code = translation->code;
  uint32_t address = translation->at.address;
  if (translation->open && translation->places[translation->at.block] == address) {
    assign_parameters(translation);
    close_edge(translation);
    go_to(translation, &translation->at);
    return true;
  }
  if (!steps || translation->has_started || code->blocks[code->block_of[address]].first != address)
    return false;
  walk->next = go_to(translation, &translation->at);
  return true;
}

/* Whether the walks after this one lead back to it: the program executes nothing for ever. */
static bool
is_endless(const Walk *walk) {
  const Walk *slow = walk, *next = walk->next;
  for (bool moves = false; next && next != walk && next != slow; moves = !moves) {
    next = next->next;
    if (moves)
      slow = slow->next;
  }
  return next == walk;
}

/* Runs the word at the address. *done: the walk ends. */
static bool
step(Translation *translation, bool *done) {
  const NornCode *code = translation->code;
  const NornWordInst *word = &code->insts[translation->at.address];
  uint32_t hint = norn_code_selected(code, translation->at.address);
  bool is_terminator = hint != NORN_CODE_NONE && !translation->open &&
                       hint == terminator_of(translation, translation->at.block) &&
                       norn_is_machine(norn_inst(translation->function, hint));
  if (is_terminator) {
    *done = true;
    return run_branch(translation, word, hint);
  }
  if (is_selected(translation, word, hint)) {
    if (!run_selected(translation, word, hint))
      return false;
    if (word->instruction == NORN_VALHALL_BLEND && !run_blend_call(translation, word))
      return false;
  } else if (!run_added(translation, word)) {
    return false;
  }
  *done = word->ends;
  if (word->ends)
    return check_end(translation);
  translation->at.address =
      word->kind == NORN_CODE_JUMPS ? word->successors[0] : translation->at.address + 1;
  return translation->at.address < code->count || refuse(translation, "the code ends here");
}

static bool
run_walk(Translation *translation, Walk *walk) {
  bool done = false;
  translation->number++;
  translation->at = walk->start;
  translation->open = walk->open ? g_array_ref(walk->open) : NULL;
  copy_state(translation, &translation->now, &walk->state);
  translation->left = translation->selected.required[walk->start.block];
  translation->first_effect = norn_block(translation->function, walk->start.block)->first;
  translation->has_started = false;
  bool ok = true;
  for (uint32_t steps = 0; ok && !done; steps++) {
    leave_block(translation);
    done = hands_over(translation, walk, steps);
    if (done ? is_endless(walk) : steps > translation->code->count)
      ok = refuse(translation, "the code never leaves the block");
    else if (!done)
      ok = step(translation, &done);
  }
  g_free(translation->now.slots);
  close_edge(translation);
  return ok;
}

/* --- the whole --- */

/* Where the packed program has the blocks. */
static void
find_places(Translation *translation) {
  const NornFunction *packed = translation->code->input->packed;
  uint32_t count = 0;
  for (uint32_t block = 0; block < translation->function->block_count; block++)
    translation->places[block] = NORN_CODE_NONE;
  norn_for_each_block (packed, block) {
    if (block < translation->function->block_count)
      translation->places[block] = count;
    norn_for_each_inst (packed, block, index)
      count += norn_is_machine(norn_inst(packed, index));
  }
}

static void
start(Translation *translation) {
  WalkStart entry = {translation->function->block_order[0], 0, NO_EDGE};
  for (unsigned reg = 0; reg < NORN_VALHALL_REGISTERS; reg++)
    translation->now.registers[reg] = norn_selected_start(&translation->selected, reg);
  translation->now.slots = g_new0(uint32_t, translation->slots);
  go_to(translation, &entry);
  g_free(translation->now.slots);
}

bool
norn_check_translation(const NornCode *code, GError **error) {
  const NornFunction *function = code->input->selected;
  unsigned scratch = code->input->info->thread_local_size;
  unsigned first_slot = (code->input->scratch_size + 3) & ~3u;
  Translation translation = {
      .code = code,
      .function = function,
      .places = g_new(uint32_t, function->block_count),
      .first_slot = first_slot,
      .slots = scratch > first_slot ? (scratch - first_slot) / 4 : 0,
      .walks = g_hash_table_new_full(hash_start, equal_starts, NULL, free_walk),
      .executed = g_new0(uint32_t, function->inst_count + 1),
      .at = {0, 0, NO_EDGE},
      .error = error,
  };
  norn_selected_init(&translation.selected, code->input);
  find_places(&translation);
  bool ok = code->origin || refuse(&translation, "there are more or fewer words than instructions");
  if (ok)
    start(&translation);
  for (Walk *walk; ok && (walk = g_queue_pop_head(&translation.pending));) {
    walk->is_pending = false;
    ok = run_walk(&translation, walk);
  }
  g_queue_clear(&translation.pending);
  g_hash_table_destroy(translation.walks);
  g_free(translation.places);
  g_free(translation.executed);
  norn_selected_clear(&translation.selected);
  return ok;
}
