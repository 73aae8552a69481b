/* Translation validation: the words do what the selected program does.
 *
 * The words are executed on symbols, block by block of the program (selected.h): a register, or a
 * word of memory for spill slots, holds a set of symbols. Where paths join at the start of a block,
 * a place keeps only the symbols that it holds on all paths, so the states shrink until they are
 * stable. An edge of the program assigns symbols to the parameters of its block: a place that holds
 * the argument then holds the parameter. An instruction that is executed again defines its result's
 * symbol anew, and older copies of it are forgotten.
 *
 * Every word must either be an instruction of the program's block, on operands that hold its
 * operands' symbols, or compute nothing new: a move, an exclusive or of a swap, a spill or fill, a
 * result that depends on no value, repeated arithmetic, a jump, the call of a blend shader. Every
 * instruction of the block except for arithmetic must be executed before the block is left, and
 * instructions that have an effect must be executed in an order that preserves their conflicts. The
 * packed program says which instruction of the program a word is and where the program's blocks
 * are. If that information were wrong, the proof would fail; it would not become unsound.
 *
 * A walk starts at an address, in a block of the program, possibly with an open edge to it,
 * whose moves are then still to come. It ends where another one starts. */
#include "check/valhall/translation.h"
#include "ir/hash.h"

bool
norn_translation_refuse(Translation *translation, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  norn_code_error(translation->code, translation->at.address, translation->error, "%s", text);
  g_free(text);
  return false;
}

/* --- States --- */

static void
copy_state(const Translation *translation, SymbolicState *to, const SymbolicState *from) {
  *to = *from;
  to->slots = g_memdup2(from->slots, translation->slots * sizeof *from->slots);
}

/* Keeps only what is known in both; returns whether that is less. */
static bool
merge_state(Translation *translation, SymbolicState *into, SymbolicState *from) {
  bool changed = false;
  for (uint32_t k = 0; k < norn_translation_place_count(translation); k++) {
    uint32_t *set = norn_translation_place(into, k);
    uint32_t common = norn_symbol_set_common(&translation->selected.symbols, *set,
                                             *norn_translation_place(from, k));
    changed |= common != *set;
    *set = common;
  }
  return changed;
}

/* --- Walks --- */

static guint
hash_start(gconstpointer key) {
  const WalkStart *start = key;
  uint64_t hash = start->edge * NORN_HASH_FACTOR ^ start->address;
  return (guint)((hash ^ (uint64_t)start->block << 32) * NORN_HASH_FACTOR >> 32);
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

static gint
compare_walks(gconstpointer a, gconstpointer b, gpointer data) {
  const WalkStart *x = &((const Walk *)a)->start, *y = &((const Walk *)b)->start;
  (void)data;
  if (x->address != y->address)
    return x->address < y->address ? -1 : 1;
  if (x->block != y->block)
    return x->block < y->block ? -1 : 1;
  return x->edge < y->edge ? -1 : x->edge > y->edge;
}

/* Takes the pending walk that comes after `last` (nullable) in the code, or else the first one. In
 * this order a walk is repeated once for everything that was found on the way to it, also in nested
 * loops. */
static Walk *
take_pending(Translation *translation, Walk *last) {
  GSequence *pending = translation->pending;
  GSequenceIter *next = last ? g_sequence_search(pending, last, compare_walks, NULL)
                             : g_sequence_get_begin_iter(pending);
  if (g_sequence_iter_is_end(next))
    next = g_sequence_get_begin_iter(pending);
  if (g_sequence_iter_is_end(next))
    return NULL;
  Walk *walk = g_sequence_get(next);
  g_sequence_remove(next);
  walk->is_pending = false;
  return walk;
}

/* Continues the current walk as another one, which is returned. */
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
    g_sequence_insert_sorted(translation->pending, walk, compare_walks, NULL);
  }
  return walk;
}

/* --- Edges --- */

/* The argument assigned to `symbol`, or the symbol itself if there is none. */
static uint32_t
substitute(const GArray *assignments, uint32_t symbol) {
  for (unsigned i = 0; assignments && i < assignments->len; i++)
    if (g_array_index(assignments, NornSymbolAssignment, i).symbol == symbol)
      return g_array_index(assignments, NornSymbolAssignment, i).source;
  return symbol;
}

static gint
compare_assignments(gconstpointer a, gconstpointer b) {
  const NornSymbolAssignment *x = a, *y = b;
  return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

/* The assignments of the edge, applied after those of `before`, in ascending order. */
static GArray *
follow_edge(Translation *translation, const GArray *before, const NornEdge *edge,
            uint32_t terminator) {
  const NornFunction *function = translation->function;
  const NornRef *arguments =
      norn_operands(function, norn_inst(function, terminator)) + edge->operand + 1;
  GArray *assignments = g_array_new(FALSE, FALSE, sizeof(NornSymbolAssignment));
  for (unsigned k = 0; k < edge->argument_count; k++) {
    uint32_t parameter = norn_block_parameter(function, edge->block, k);
    for (unsigned word = 0; word < norn_type_words(norn_value(function, parameter)->type); word++) {
      uint32_t argument = norn_selected_symbol(&translation->selected, arguments[k], word);
      NornSymbolAssignment assignment = {
          norn_selected_value(&translation->selected, parameter, word),
          substitute(before, argument)};
      g_array_append_val(assignments, assignment);
    }
  }
  unsigned own = assignments->len;
  for (unsigned i = 0; before && i < before->len; i++) {
    NornSymbolAssignment assignment = g_array_index(before, NornSymbolAssignment, i);
    bool is_new = true;
    for (unsigned k = 0; k < own; k++)
      is_new &= g_array_index(assignments, NornSymbolAssignment, k).symbol != assignment.symbol;
    if (is_new)
      g_array_append_val(assignments, assignment);
  }
  g_array_sort(assignments, compare_assignments);
  return assignments;
}

/* Assigns the parameters their symbols, all at once. */
static void
assign_parameters(Translation *translation) {
  const GArray *open = translation->open;
  for (uint32_t k = 0; k < norn_translation_place_count(translation) && open->len; k++) {
    uint32_t *set = norn_translation_place(&translation->now, k);
    *set = norn_symbol_set_assign(&translation->selected.symbols, *set,
                                  (const NornSymbolAssignment *)(void *)open->data, open->len);
  }
}

static void
close_edge(Translation *translation) {
  if (translation->open)
    g_array_unref(translation->open);
  translation->open = NULL;
  translation->at.edge = NO_EDGE;
}

/* Opens the edge of a terminator, possibly after an edge that is already open. The open edge
 * leads to a block that only jumps, so it alone identifies where the walk came from. */
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

/* Whether the block consists only of a jump; finds its edge. */
static bool
only_jumps(const Translation *translation, uint32_t block, NornEdge *edge) {
  uint32_t terminator = terminator_of(translation, block);
  *edge = (NornEdge){0};
  return !translation->selected.required[block] &&
         norn_inst(translation->function, terminator)->op == NORN_OP_JUMP &&
         norn_next_edge(translation->function, terminator, edge);
}

/* Skips blocks that are missing in the packed program, which only jump. */
static void
bypass(Translation *translation) {
  NornEdge edge;
  for (uint32_t i = 0; i < translation->function->block_count; i++) {
    uint32_t block = translation->at.block;
    if (translation->places[block] != NORN_CODE_NONE || !only_jumps(translation, block, &edge))
      return;
    open_edge(translation, terminator_of(translation, block), &edge);
  }
}

/* Skips blocks that only jump if they lead to the block at the current address: one path may
 * bypass them while another one goes through them. */
static void
pass_by(Translation *translation) {
  uint32_t block = translation->at.block, count = translation->function->block_count, passed = 0;
  NornEdge edge;
  while (translation->places[block] != translation->at.address) {
    if (!only_jumps(translation, block, &edge) || passed++ == count)
      return;
    block = edge.block;
  }
  while (translation->at.block != block && only_jumps(translation, translation->at.block, &edge))
    open_edge(translation, terminator_of(translation, translation->at.block), &edge);
}

/* --- Control --- */

/* Checks the condition and the targets of the branch. */
static bool
run_branch(Translation *translation, const NornWordInst *word, uint32_t index) {
  const NornFunction *function = translation->function;
  const NornInst *inst = norn_inst(function, index);
  const NornSelectedInst *self = &translation->selected.insts[index];
  uint64_t eq, changed;
  if (word->instruction != self->code.instruction || word->instruction != NORN_VALHALL_BRANCHZ)
    return norn_translation_refuse(translation, "is not a branch of the program");
  eq = norn_isa_insert(norn_isa_field(word->encoding, NORN_VALHALL_FIELD_EQ), 1);
  changed = norn_code_pattern(translation->code->isa, word->encoding, word->word) ^ self->pattern;
  if (changed & ~eq)
    return norn_translation_refuse(translation, "differs from the branch of the program");
  if (word->ends)
    return norn_translation_refuse(translation, "the program does not end here");
  if (translation->left)
    return norn_translation_refuse(
        translation, "%u instructions of the block are missing before it", translation->left);
  if (!norn_translation_expect_source(translation, &word->sources[0],
                                      norn_operands(function, inst)[0], 0))
    return false;
  norn_translation_drop_last_uses(translation, word);
  bool is_inverted = changed != 0;
  const WalkStart from = translation->at;
  unsigned number = 0;
  norn_for_each_edge (function, index, edge) {
    int64_t target = (number++ == 0) != is_inverted ? word->target : (int64_t)from.address + 1;
    if (target < 0 || target >= translation->code->count)
      return norn_translation_refuse(translation, "branches out of the code");
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

/* The code ends here: checks that the program does, too. */
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
  return norn_translation_refuse(translation, "the program does not end here");
}

/* Leaves the program's block if only its jump remains. */
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

/* Whether the walk ends at the current address, where another one continues. */
static bool
hands_over(Translation *translation, Walk *walk, uint32_t steps) {
  const NornCode *code = translation->code;
  uint32_t address = translation->at.address;
  if (translation->open)
    pass_by(translation);
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

/* Whether the walks after this one lead back to it: the program executes nothing forever. */
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

/* Executes the word at the address. *done: the walk ends. */
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
  if (norn_translation_is_selected(translation, word, hint)) {
    if (!norn_translation_run_selected(translation, word, hint))
      return false;
  } else if (!norn_translation_run_added(translation, word)) {
    return false;
  }
  *done = word->ends;
  if (word->ends)
    return check_end(translation);
  translation->at.address =
      word->kind == NORN_CODE_JUMPS ? word->successors[0] : translation->at.address + 1;
  return translation->at.address < code->count ||
         norn_translation_refuse(translation, "the code ends before the program does");
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
      ok = norn_translation_refuse(translation, "the code never leaves the block");
    else if (!done)
      ok = step(translation, &done);
  }
  g_free(translation->now.slots);
  close_edge(translation);
  return ok;
}

/* --- The whole check --- */

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

/* Finds the arithmetic that the code does not have where the program has it. No place can be
 * assumed to hold its result before the code computes it later: no path has computed it when
 * that point is first reached, and only what is known on all paths counts. */
static void
find_left_out(Translation *translation) {
  const NornCode *code = translation->code;
  uint32_t count = translation->function->inst_count;
  bool *is_there = g_new0(bool, count + 1);
  for (uint32_t address = 0; address < code->count; address++) {
    uint32_t hint = norn_code_selected(code, address);
    if (hint < count)
      is_there[hint] = true;
  }
  norn_for_each_block (translation->function, block)
    norn_for_each_inst (translation->function, block, index) {
      const NornSelectedInst *self = &translation->selected.insts[index];
      if (self->may_repeat && self->is_required && !is_there[index])
        norn_selected_leave_out(&translation->selected, index);
    }
  g_free(is_there);
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
  unsigned scratch = code->input->info->thread_local_size;
  unsigned first_slot = (code->input->scratch_size + 3) & ~3u;
  Translation translation = {
      .code = code,
      .first_slot = first_slot,
      .slots = scratch > first_slot ? (scratch - first_slot) / 4 : 0,
      .constants = g_hash_table_new(NULL, NULL),
      .addresses = g_hash_table_new(NULL, NULL),
      .walks = g_hash_table_new_full(hash_start, equal_starts, NULL, free_walk),
      .pending = g_sequence_new(NULL),
      .at = {0, 0, NO_EDGE},
      .error = error,
  };
  norn_selected_init(&translation.selected, code->input);
  translation.function = translation.selected.function;
  translation.places = g_new(uint32_t, translation.function->block_count);
  translation.executed = g_new0(uint32_t, translation.function->inst_count + 1);
  find_places(&translation);
  bool ok = code->origin ||
            norn_translation_refuse(&translation,
                                    "the number of words differs from the number of instructions");
  if (ok) {
    find_left_out(&translation);
    start(&translation);
  }
  for (Walk *walk = NULL; ok && (walk = take_pending(&translation, walk));)
    ok = run_walk(&translation, walk);
  g_sequence_free(translation.pending);
  g_hash_table_destroy(translation.walks);
  g_hash_table_destroy(translation.constants);
  g_hash_table_destroy(translation.addresses);
  g_free(translation.places);
  g_free(translation.executed);
  norn_selected_clear(&translation.selected);
  return ok;
}
