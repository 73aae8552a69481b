/* Inserts spills into the function: first placeholders for stores and fills, and rematerialized
 * instructions. When it is known which accesses are combined, each spilled value is assigned memory
 * and each access gets its instruction.
 *
 * A value needs its memory over one span of positions in program order, from its definition to the
 * last position where it is live, so values whose spans do not overlap may share memory. The span
 * of a parameter in memory begins with the first predecessor of its block, where an argument is
 * stored. check/spill_slots.c verifies the result. */
#include "ir/builder.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/regalloc/spill.h"
#include "passes/repair_ssa.h"
#include <stdlib.h>
#include <string.h>

/* --- Memory --- */

/* The range of positions over which a value needs its memory. */
typedef struct Span {
  uint32_t first, last;
  uint32_t value; /* for the copy of a value: its number plus the number of values */
} Span;
typedef NORN_LIST(Span) Spans;

static int
earlier_first(const void *a, const void *b) {
  const Span *left = a, *right = b;
  if (left->first != right->first)
    return left->first < right->first ? -1 : 1;
  return left->value < right->value ? -1 : left->value > right->value;
}

static void
extend(Span *span, uint32_t position) {
  span->first = MIN(span->first, position);
  span->last = MAX(span->last, position);
}

/* Extends the spans of values in the set that are not in the set of the neighboring block visited
 * before: spans of values in both already reach farther. */
static void
extend_live(const Spill *spill, NornSet set, NornSet neighbor, Span *spans, uint32_t position) {
  NornSetSpace space = spill->live->space;
  space.arena = spill->arena;
  NornArenaMark mark = norn_arena_mark(spill->arena);
  NornSet fresh = norn_set_without(&space, set, neighbor);
  norn_for_each_live (spill->live, fresh, value)
    extend(&spans[value], position);
  norn_arena_release(spill->arena, mark);
}

/* A parameter in memory is stored somewhere in each predecessor of its block. */
static void
extend_to_predecessors(const Spill *spill, Span *span, const Span *blocks) {
  uint32_t block = norn_value(spill->function, span->value)->def;
  for (uint32_t k = 0; k < norn_predecessor_count(spill->dominance, block); k++) {
    const Span *from = &blocks[norn_predecessor(spill->dominance, block, k)];
    extend(span, from->first);
    extend(span, from->last);
  }
}

/* The span of positions in which each stored value is live, in program order. */
static Spans
find_spans(const Spill *spill) {
  const NornFunction *function = spill->function;
  Span *spans = NORN_NEW(spill->arena, Span, spill->value_count);
  for (uint32_t v = 0; v < spill->value_count; v++)
    spans[v] = (Span){UINT32_MAX, 0, v};
  uint32_t position = 0, count = function->block_order_count;
  NornSet neighbor = 0;
  Span *blocks = NORN_NEW(spill->arena, Span, function->block_count);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t block = function->block_order[i], start = position;
    for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++)
      extend(&spans[norn_block_parameter(function, block, k)], start);
    norn_for_each_inst (function, block, inst) {
      const NornInst *self = norn_inst(function, inst);
      norn_for_each_use (function, self, use)
        extend(&spans[use.value], position);
      for (unsigned k = 0; k < self->result_count; k++)
        extend(&spans[self->result + k], position);
      position++;
    }
    extend_live(spill, spill->live->in[block], neighbor, spans, start);
    neighbor = spill->live->in[block];
    blocks[block] = (Span){start, position, block};
  }
  neighbor = 0;
  for (uint32_t i = count; i-- > 0;) {
    uint32_t block = function->block_order[i];
    NornSet out = spill->live->out[block];
    extend_live(spill, out, neighbor, spans, blocks[block].last);
    neighbor = out;
  }
  for (uint32_t i = 0; i < spill->events.count; i++) {
    const SpillEvent *event = &spill->events.items[i];
    if (event->kind == SPILL_EVENT_STORE_ARGUMENT)
      extend_to_predecessors(spill, &spans[event->value], blocks);
  }
  Spans stored = {0};
  for (uint32_t v = 0; v < spill->value_count; v++)
    if (norn_bit(spill->in_memory, v)) {
      NORN_ASSERT(spans[v].first <= spans[v].last);
      norn_list_push(spill->arena, &stored, spans[v]);
    }
  for (uint32_t v = 0; v < spill->value_count; v++)
    if (norn_bit(spill->is_saved, v))
      norn_list_push(spill->arena, &stored, (Span){0, position, spill->value_count + v});
  if (stored.count)
    qsort(stored.items, stored.count, sizeof *stored.items, earlier_first);
  return stored;
}

/* The number of registers between possible offsets of a value: it must not cross the end of a
 * piece. */
static unsigned
spacing(const Spill *spill, unsigned words) {
  unsigned space = 1;
  while (space < words)
    space *= 2;
  return MIN(space, spill->piece);
}

/* The slots that are adjacent to this one: those of its group, or only itself. */
static SpillGroup
group_of(const Spill *spill, uint32_t slot) {
  if (spill->group[slot])
    return spill->groups.items[spill->group[slot] - 1];
  return (SpillGroup){.slot = {slot}, .words = spill->words[slot % spill->value_count]};
}

/* The times until which words of memory are busy. Accesses do not cross pieces; a tree over the
 * pieces finds the lowest free one. */
typedef struct Memory {
  unsigned piece;                             /* words per piece */
  uint32_t leaves;                            /* number of pieces, a power of 2 */
  uint32_t *busy;                             /* by word: until when */
  uint32_t (*free)[NORN_GROUP_REGISTERS + 1]; /* by tree node (root: 1), number of words: when free
                                               * below it */
  uint32_t words;                             /* used so far */
} Memory;

/* Allocates memory for `count` values or groups. */
static Memory
new_memory(const Spill *spill, uint32_t count) {
  Memory memory = {.piece = spill->piece, .leaves = 1};
  while (memory.leaves < count)
    memory.leaves *= 2;
  memory.busy = NORN_NEW0(spill->arena, uint32_t, (size_t)memory.leaves * memory.piece);
  memory.free =
      norn_arena_alloc_zeroed(spill->arena, (size_t)memory.leaves * 2, sizeof *memory.free);
  return memory;
}

/* The time from which the words of a piece from `first` on are free. */
static uint32_t
free_from(const Memory *memory, uint32_t first, unsigned words) {
  uint32_t until = 0;
  for (unsigned k = 0; k < words; k++)
    until = MAX(until, memory->busy[first + k]);
  return until;
}

/* The first offset, in words, at which `words` words are free at the time. */
static unsigned
find_room(const Spill *spill, const Memory *memory, unsigned words, uint32_t time) {
  uint32_t node = 1;
  while (node < memory->leaves)
    node = node * 2 + (memory->free[node * 2][words] > time);
  unsigned at = (node - memory->leaves) * memory->piece;
  while (free_from(memory, at, words) > time)
    at += spacing(spill, words);
  return at;
}

/* Updates the tree after a change in the piece of the word. */
static void
update_tree(const Spill *spill, Memory *memory, uint32_t word) {
  uint32_t leaf = word / memory->piece, node = memory->leaves + leaf, first = leaf * memory->piece;
  for (unsigned words = 1; words <= memory->piece; words++) {
    uint32_t *from = &memory->free[node][words];
    *from = UINT32_MAX;
    for (unsigned at = 0; at + words <= memory->piece; at += spacing(spill, words))
      *from = MIN(*from, free_from(memory, first + at, words));
  }
  for (node /= 2; node; node /= 2)
    for (unsigned words = 1; words <= memory->piece; words++)
      memory->free[node][words] =
          MIN(memory->free[node * 2][words], memory->free[node * 2 + 1][words]);
}

/* Assigns an offset to each stored value such that nothing else uses it at the same time. Returns
 * the number of bytes used from `base` on. */
static unsigned
assign_slots(Spill *spill, const Spans *spans, unsigned base) {
  unsigned bytes = spill->context->target->spill_register_bytes;
  Memory memory = new_memory(spill, spans->count);
  uint32_t *last = NORN_NEW(spill->arena, uint32_t, (size_t)spill->value_count * 2);
  for (uint32_t i = 0; i < spans->count; i++)
    last[spans->items[i].value] = spans->items[i].last;
  memset(spill->offset, -1, (size_t)spill->value_count * 2 * sizeof *spill->offset);
  for (uint32_t i = 0; i < spans->count; i++) {
    const Span *span = &spans->items[i];
    if (spill->offset[span->value] != NORN_INDEX_NONE)
      continue;
    SpillGroup group = group_of(spill, span->value);
    bool is_group = spill->group[span->value];
    unsigned at = find_room(spill, &memory, group.words, span->first);
    uint32_t end = span->last;
    for (unsigned k = 0; is_group && k < group.words; k++)
      if (group.slot[k] != NORN_INDEX_NONE)
        end = MAX(end, last[group.slot[k]]);
    for (unsigned k = 0; k < group.words; k++) {
      uint32_t slot = is_group ? group.slot[k] : span->value;
      /* A word that is never filled is still written whenever the others are stored. */
      memory.busy[at + k] = (slot == NORN_INDEX_NONE ? end : last[slot]) + 1;
      if (slot != NORN_INDEX_NONE && (is_group || !k))
        spill->offset[slot] = base + (at + k) * bytes;
    }
    update_tree(spill, &memory, at);
    memory.words = MAX(memory.words, at + group.words);
  }
  return memory.words * bytes;
}

/* --- Changing the function --- */

static void
note_access(Spill *spill, NornSpillAccessKind kind, uint32_t inst, uint32_t slot) {
  norn_list_push(spill->arena, &spill->accesses, (SpillAccess){kind, slot, inst, inst, 0, false});
}

/* Inserts a fill or a rematerialization before an instruction and returns the new name. */
static uint32_t
insert_fill(Spill *spill, uint32_t before, uint32_t value, uint32_t slot) {
  NornFunction *function = spill->function;
  NornBuilder builder = norn_builder_before(function, before);
  if (!norn_bit(spill->in_memory, value)) {
    uint32_t clone = norn_build_clone(&builder, function, norn_value(function, value)->def);
    return norn_inst(function, clone)->result;
  }
  NornRef name = norn_build_undef(&builder, norn_value(function, value)->type);
  note_access(spill, NORN_SPILL_FILL, norn_builder_last(&builder), slot);
  return norn_ref_payload(name);
}

static void
insert_store(Spill *spill, uint32_t before, NornRef ref, NornType type, uint32_t slot,
             NornSpillAccessKind kind) {
  NornBuilder builder = norn_builder_before(spill->function, before);
  norn_build_copy(&builder, type, ref);
  note_access(spill, kind, norn_builder_last(&builder), slot);
}

/* Where to insert a store of the value: right after its definition, but not before preloads and the
 * loop_entry mark. */
static uint32_t
after_definition(const NornFunction *function, uint32_t value) {
  const NornValue *self = norn_value(function, value);
  uint32_t inst = self->is_parameter ? norn_block(function, self->def)->first
                                     : norn_inst(function, self->def)->next;
  while (norn_inst(function, inst)->op == NORN_OP_PRELOAD ||
         norn_inst(function, inst)->op == NORN_OP_LOOP_ENTRY)
    inst = norn_inst(function, inst)->next;
  return inst;
}

/* Inserts the event. Returns the new name of a value that was filled, or NORN_INDEX_NONE. */
static uint32_t
insert_event(Spill *spill, const SpillEvent *event) {
  NornType type = norn_value(spill->function, event->value)->type;
  uint32_t copy = spill->value_count + event->value;
  switch (event->kind) {
  case SPILL_EVENT_FILL:
    return insert_fill(spill, event->inst, event->value, event->value);
  case SPILL_EVENT_FILL_SAVED:
    return insert_fill(spill, event->inst, event->value, copy);
  case SPILL_EVENT_SAVE:
    insert_store(spill, event->inst, event->argument, type, copy, NORN_SPILL_STORE);
    break;
  case SPILL_EVENT_STORE_ARGUMENT:
    insert_store(spill, event->inst, event->argument, type, event->value,
                 NORN_SPILL_STORE_ARGUMENT);
    break;
  case SPILL_EVENT_KEEP_ARGUMENT:
    note_access(spill, NORN_SPILL_KEEP, event->inst, event->value);
    break;
  }
  return NORN_INDEX_NONE;
}

/* Inserts placeholders for the spills. Returns the new name that each event makes, or
 * NORN_INDEX_NONE. */
static const uint32_t *
insert_all(Spill *spill) {
  NornFunction *function = spill->function;
  NornIndexList root = {0};
  uint32_t *names = NORN_NEW(spill->arena, uint32_t, spill->events.count);
  for (uint32_t i = 0; i < spill->events.count; i++) {
    const SpillEvent *event = &spill->events.items[i];
    names[i] = insert_event(spill, event);
    norn_grow_roots(spill->arena, &root, function->value_count);
    if (names[i] != NORN_INDEX_NONE)
      root.items[names[i]] = event->value;
  }
  for (uint32_t v = spill->value_count;
       v--;) /* each is inserted before those already at its place */
    if (norn_bit(spill->in_memory, v) && !norn_bit(spill->is_argument, v))
      insert_store(spill, after_definition(function, v), norn_ref(NORN_REF_VALUE, v),
                   norn_value(function, v)->type, v, NORN_SPILL_STORE);
  norn_spill_remove_arguments(spill);
  norn_grow_roots(spill->arena, &root, function->value_count);
  norn_repair_ssa(spill->arena, function, spill->dominance, root.items, spill->value_count, NULL);
  return names;
}

/* Removes the fills of values that were evicted again before they were used. */
static void
drop_unused_fills(Spill *spill, const uint32_t *names, const uint32_t *uses) {
  NornFunction *function = spill->function;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < spill->events.count; i++)
    if (names[i] == NORN_INDEX_NONE || uses[names[i]])
      spill->events.items[kept++] = spill->events.items[i];
    else
      norn_inst_erase(function, norn_value(function, names[i])->def);
  spill->events.count = kept;
  kept = 0;
  for (uint32_t i = 0; i < spill->accesses.count; i++)
    if (norn_inst(function, spill->accesses.items[i].inst)->op != NORN_OP_NONE)
      spill->accesses.items[kept++] = spill->accesses.items[i];
  spill->accesses.count = kept;
}

/* Removes the original definitions of values that are rematerialized at all their uses. */
static void
remove_recomputed(Spill *spill, const uint32_t *uses) {
  NornFunction *function = spill->function;
  for (uint32_t i = 0; i < spill->events.count; i++) {
    const SpillEvent *event = &spill->events.items[i];
    uint32_t def = norn_value(function, event->value)->def;
    if (event->kind == SPILL_EVENT_FILL && !norn_bit(spill->in_memory, event->value) &&
        !uses[event->value] && norn_inst(function, def)->op != NORN_OP_NONE)
      norn_inst_erase(function, def);
  }
}

/* --- Accesses --- */

/* The offset of word `word` of the slot's group; without a group, of the slot. */
static unsigned
offset_of(const Spill *spill, uint32_t slot, unsigned word) {
  return spill->offset[slot] +
         (word - spill->word[slot]) * spill->context->target->spill_register_bytes;
}

/* The value to store; *first is the first word of the group that it covers. */
static NornRef
build_stored(const Spill *spill, NornBuilder *builder, const SpillAccess *access, unsigned *first) {
  const NornFunction *function = spill->function;
  NornRef words[NORN_GROUP_REGISTERS];
  unsigned count = 0;
  *first = spill->word[access->slot];
  if (!access->next) {
    NornRef ref = norn_operand(function, access->inst, 0);
    NornType type = norn_value(function, norn_inst(function, access->inst)->result)->type;
    return norn_ref_kind(ref) == NORN_REF_VALUE ? ref : norn_build_copy(builder, type, ref);
  }
  NornRef whole = group_of(spill, access->slot).whole;
  if (whole) {
    *first = 0;
    return whole;
  }
  for (; access; access = norn_spill_next_access(spill, access))
    words[count++] = norn_operand(function, access->inst, 0);
  return norn_build_collect(builder, NORN_TYPE_I32, norn_type_of_words(count), count, words);
}

static uint32_t
build_store(Spill *spill, const SpillAccess *access) {
  NornPassContext *context = spill->context;
  NornBuilder builder = norn_builder_before(spill->function, access->place);
  unsigned first;
  NornRef ref = build_stored(spill, &builder, access, &first);
  builder.origin = NORN_ORIGIN_SPILL;
  context->target->build_spill(context->target, &builder, ref,
                               offset_of(spill, access->slot, first));
  if (context->info)
    context->info->spills++;
  return norn_builder_last(&builder);
}

/* Fills all words from the lowest to the highest one needed. */
static uint32_t
build_fill(Spill *spill, const SpillAccess *access, NornReplacements *replacements) {
  NornPassContext *context = spill->context;
  const NornFunction *function = spill->function;
  NornBuilder builder = norn_builder_before(spill->function, access->place);
  unsigned low = spill->word[access->slot], high = low;
  for (const SpillAccess *each = access; each; each = norn_spill_next_access(spill, each)) {
    low = MIN(low, spill->word[each->slot]);
    high = MAX(high, spill->word[each->slot]);
  }
  NornType type = access->next
                      ? norn_type_of_words(high - low + 1)
                      : norn_value(function, norn_inst(function, access->inst)->result)->type;
  builder.origin = NORN_ORIGIN_FILL;
  NornRef words[NORN_GROUP_REGISTERS];
  words[0] = context->target->build_fill(context->target, &builder, type,
                                         offset_of(spill, access->slot, low));
  uint32_t fill = norn_builder_last(&builder);
  if (access->next)
    norn_build_split(&builder, NORN_TYPE_I32, type, words[0], high - low + 1, words);
  for (const SpillAccess *each = access; each; each = norn_spill_next_access(spill, each))
    norn_replacements_set(replacements, norn_inst(function, each->inst)->result,
                          words[spill->word[each->slot] - low]);
  if (context->info)
    context->info->fills++;
  return fill;
}

/* Replaces the placeholders of all accesses by their instructions and records these in `inst`. */
static void
build_accesses(Spill *spill) {
  NornReplacements replacements = {.arena = spill->arena};
  NornIndexList obsolete = {0};
  for (uint32_t i = 0; i < spill->accesses.count; i++) {
    SpillAccess *access = &spill->accesses.items[i];
    if (access->kind == NORN_SPILL_KEEP)
      continue;
    norn_list_push(spill->arena, &obsolete, access->inst);
    if (!access->is_joined)
      access->place = access->kind == NORN_SPILL_FILL ? build_fill(spill, access, &replacements)
                                                      : build_store(spill, access);
  }
  norn_replacements_apply(&replacements, spill->function);
  for (uint32_t i = 0; i < obsolete.count; i++)
    norn_inst_erase(spill->function, obsolete.items[i]);
}

/* --- The check --- */

/* The input of the check. */
typedef struct CheckedSlots {
  NORN_LIST(NornSpillSlot) slots;
  NORN_LIST(NornSpillAccess) accesses;
  uint32_t *number; /* by slot of the pass */
} CheckedSlots;

static void
check_access(const Spill *spill, CheckedSlots *checked, const SpillAccess *access, uint32_t inst) {
  uint32_t value = access->slot % spill->value_count;
  bool is_argument = access->slot == value && norn_bit(spill->is_argument, value);
  if (checked->number[access->slot] == NORN_INDEX_NONE) {
    NornSpillSlot slot = {spill->offset[access->slot],
                          spill->words[value] * spill->context->target->spill_register_bytes,
                          is_argument ? norn_value(spill->function, value)->def : NORN_INDEX_NONE};
    checked->number[access->slot] = checked->slots.count;
    norn_list_push(spill->arena, &checked->slots, slot);
  }
  norn_list_push(spill->arena, &checked->accesses,
                 (NornSpillAccess){access->kind, inst, checked->number[access->slot]});
}

/* Unused words of a group are also written when the group is stored. */
static void
check_unused_words(const Spill *spill, CheckedSlots *checked, const SpillAccess *access) {
  unsigned bytes = spill->context->target->spill_register_bytes;
  const SpillGroup group = group_of(spill, access->slot);
  for (unsigned k = 0; k < group.words; k++) {
    if (group.slot[k] != NORN_INDEX_NONE)
      continue;
    norn_list_push(spill->arena, &checked->accesses,
                   (NornSpillAccess){NORN_SPILL_STORE, access->place, checked->slots.count});
    norn_list_push(spill->arena, &checked->slots,
                   (NornSpillSlot){offset_of(spill, access->slot, k), bytes, NORN_INDEX_NONE});
  }
}

/* Checks all accesses to the slots. */
static bool
check_slots(Spill *spill, uint32_t start, GError **error) {
  CheckedSlots checked = {.number =
                              norn_arena_indexes(spill->arena, (size_t)spill->value_count * 2)};
  for (uint32_t i = 0; i < spill->accesses.count; i++) {
    const SpillAccess *access = &spill->accesses.items[i];
    if (access->is_joined)
      continue;
    for (const SpillAccess *each = access; each; each = norn_spill_next_access(spill, each))
      check_access(spill, &checked, each, access->place);
    if (access->next && access->kind == NORN_SPILL_STORE)
      check_unused_words(spill, &checked, access);
  }
  return norn_check_spill_slots(spill->context->target, spill->function, checked.slots.items,
                                checked.slots.count, checked.accesses.items, checked.accesses.count,
                                start, error);
}

bool
norn_spill_commit(Spill *spill, GError **error) {
  NornModule *module = spill->function->module;
  unsigned piece = spill->context->target->spill_piece_bytes;
  unsigned used = module->scratch_size, base = (used + piece - 1) & ~(piece - 1);
  uint32_t slots = spill->value_count * 2;
  spill->offset = NORN_NEW(spill->arena, uint32_t, slots);
  spill->group = NORN_NEW0(spill->arena, uint32_t, slots);
  spill->word = NORN_NEW0(spill->arena, uint8_t, slots);
  Spans spans = find_spans(spill);
  const uint32_t *names = insert_all(spill);
  const uint32_t *uses = norn_pass_use_counts(spill->context, spill->function);
  drop_unused_fills(spill, names, uses);
  norn_spill_report(spill);
  remove_recomputed(spill, uses);
  norn_spill_combine(spill);
  unsigned bytes = assign_slots(spill, &spans, base);
  if (bytes > NORN_SCRATCH_LIMIT - MIN(base, NORN_SCRATCH_LIMIT)) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT,
                "%s: spilled values need %u bytes of thread-local memory after %u others, expected "
                "at most %u in all",
                module->filename, bytes, base, NORN_SCRATCH_LIMIT);
    return false;
  }
  if (bytes) {
    module->scratch_size = base + bytes;
    spill->context->info->spilled_size += base + bytes - used;
  }
  build_accesses(spill);
  return !spill->context->options->verify || check_slots(spill, used, error);
}
