/* Memory to registers: promotes the contents of allocas to values.
 *
 * An alloca whose address is only used by loads and stores, with constant offsets inside of it, is
 * split into slots: ranges of bytes that are always accessed as a whole (scalar replacement).
 * Ranges that overlap without being equal stay in memory, and so does an alloca whose address is
 * used in any other way, for example by the addition of an index. Each slot becomes SSA values the
 * usual way: parameters of the blocks in the iterated dominance frontier of its stores where it is
 * live, then a walk of the dominator tree that keeps the current value of each slot. A slot that no
 * store reaches is 0, like memory that nothing has written. A word that only ever holds truth
 * values and is only compared with 0 becomes truth values.
 *
 * Slots are numbered from 0; the loads and stores of a block are visited in program order. */
#include "ir/builder.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/pass.h"
#include <stdlib.h>
#include <string.h>

/* An access through an alloca. */
typedef struct SlotAccess {
  uint32_t alloca; /* instruction */
  uint32_t inst;
  int64_t offset;
  uint32_t size;
} SlotAccess;

typedef struct MemorySlot {
  uint32_t alloca;
  NornType type; /* of its first access, or I1 */
} MemorySlot;

/* A linked list of slots. */
typedef struct ListItem {
  uint32_t item, next;
} ListItem;

typedef struct SlotList {
  ListItem *items;
  uint32_t count, capacity;
} SlotList;

/* What to restore when the walk leaves the blocks that `block` dominates. */
typedef struct OldValue {
  uint32_t slot, block;
  NornRef value;
} OldValue;

typedef struct Promoter {
  NornPassContext *context;
  NornArena *arena;
  NornFunction *function;
  const NornDominance *dominance;
  uint8_t *fate;        /* by instruction, for allocas */
  bool *is_address;     /* by value: the result of an alloca */
  bool *is_number;      /* by value: something else than a comparison with 0 uses it */
  SlotAccess *accesses; /* of allocas */
  uint32_t access_count, access_capacity;
  MemorySlot *slots;
  uint32_t slot_count, slot_capacity;
  uint32_t *slot_of; /* by instruction: the slot that it accesses, NORN_INDEX_NONE if none */
  SlotList lists;
  NornFrontiers frontiers;
  uint32_t *parameters;      /* by block: list of the slots with parameters, last one first */
  uint32_t *first_parameter; /* by block: number of parameters before the pass */
  NornRef *current;          /* by slot; 0: nothing was stored yet */
  OldValue *log;
  uint32_t log_count, log_capacity;
  NornReplacements replacements;
} Promoter;

enum { IS_NO_ALLOCA, IS_PROMOTED, STAYS };

/* --- Finding slots --- */

static uint64_t
alloca_size(const Promoter *promoter, uint32_t inst) {
  const NornFunction *function = promoter->function;
  return norn_constant_bits(function->module, norn_operand(function, inst, 0));
}

/* Records an access through an alloca, or that the alloca must stay. */
static void
note_use(Promoter *promoter, uint32_t inst, unsigned operand, uint32_t alloca) {
  const NornInst *self = norn_inst(promoter->function, inst);
  bool is_load = self->op == NORN_OP_LOAD_SCRATCH;
  bool is_access = (is_load && operand == 0) || (self->op == NORN_OP_STORE_SCRATCH && operand == 1);
  int64_t offset = norn_immediate(self->payload, NORN_IMMEDIATE_OFFSET);
  uint32_t size = is_access ? norn_type_bits(self->type) / 8 : 0;
  if (!is_access || offset < 0 || (uint64_t)offset + size > alloca_size(promoter, alloca)) {
    promoter->fate[alloca] = STAYS;
    return;
  }
  NORN_ARENA_GROW(promoter->arena, promoter->accesses, promoter->access_capacity,
                  promoter->access_count + 1);
  promoter->accesses[promoter->access_count++] = (SlotAccess){alloca, inst, offset, size};
}

static bool
find_allocas(Promoter *promoter) {
  NornFunction *function = promoter->function;
  bool any = false;
  promoter->fate = NORN_NEW0(promoter->arena, uint8_t, function->inst_count);
  promoter->is_address = NORN_NEW0(promoter->arena, bool, function->value_count);
  promoter->is_number = NORN_NEW0(promoter->arena, bool, function->value_count);
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst) {
      const NornInst *self = norn_inst(function, inst);
      if (self->op != NORN_OP_ALLOCA)
        continue;
      promoter->fate[inst] = IS_PROMOTED;
      promoter->is_address[self->result] = any = true;
    }
  return any;
}

static bool
is_truth_test(const NornFunction *function, const NornInst *inst) {
  return inst->op == NORN_OP_ICMP && inst->modifier == NORN_INT_CONDITION_NE &&
         norn_operands(function, inst)[1] == norn_constant(function->module, 0);
}

static void
collect_accesses(Promoter *promoter) {
  NornFunction *function = promoter->function;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst) {
      const NornInst *self = norn_inst(function, inst);
      const NornRef *operands = norn_operands(function, self);
      bool is_test = is_truth_test(function, self);
      for (unsigned k = 0; k < self->operand_count; k++) {
        uint32_t value = norn_ref_payload(operands[k]);
        if (norn_ref_kind(operands[k]) != NORN_REF_VALUE)
          continue;
        promoter->is_number[value] |= !is_test;
        if (promoter->is_address[value])
          note_use(promoter, inst, k, norn_value(function, value)->def);
      }
    }
}

static int
compare_slot_accesses(const void *a, const void *b) {
  const SlotAccess *x = a, *y = b;
  if (x->alloca != y->alloca)
    return x->alloca < y->alloca ? -1 : 1;
  if (x->offset != y->offset)
    return x->offset < y->offset ? -1 : 1;
  if (x->size != y->size)
    return x->size < y->size ? -1 : 1;
  return x->inst < y->inst ? -1 : x->inst > y->inst;
}

/* Sorts the accesses: by alloca with a counting sort, then those of each alloca by offset, unless
 * they are already in order, as for most allocas, which have a single slot. */
static void
sort_accesses(Promoter *promoter) {
  const NornFunction *function = promoter->function;
  uint32_t count = promoter->access_count;
  SlotAccess *sorted = NORN_NEW(promoter->arena, SlotAccess, count);
  uint32_t *ends = NORN_NEW0(promoter->arena, uint32_t, function->inst_count + 1);
  for (uint32_t k = 0; k < count; k++)
    ends[promoter->accesses[k].alloca + 1]++;
  for (uint32_t k = 0; k < function->inst_count; k++)
    ends[k + 1] += ends[k];
  for (uint32_t k = 0; k < count; k++)
    sorted[ends[promoter->accesses[k].alloca]++] = promoter->accesses[k];
  for (uint32_t first = 0, end; first < count; first = end) {
    bool is_sorted = true;
    for (end = first + 1; end < count && sorted[end].alloca == sorted[first].alloca; end++)
      is_sorted &= compare_slot_accesses(&sorted[end - 1], &sorted[end]) <= 0;
    if (!is_sorted)
      qsort(sorted + first, end - first, sizeof *sorted, compare_slot_accesses);
  }
  promoter->accesses = sorted;
}

/* The truth value that is stored in a word as 1 or 0; 0 if something else is stored. */
static NornRef
stored_truth(const NornFunction *function, uint32_t store) {
  NornRef ref = norn_operand(function, store, 0);
  const NornInst *inst = norn_defining_inst(function, ref);
  if (norn_is_constant(ref))
    return norn_constant_bits(function->module, ref) <= 1 ? ref : 0;
  return inst && inst->op == NORN_OP_ZEXT && inst->source_type == NORN_TYPE_I1
             ? norn_operands(function, inst)[0]
             : 0;
}

/* Whether the accesses from `first` up to `end` store and load truth values. */
static bool
is_truth(const Promoter *promoter, uint32_t first, uint32_t end) {
  const NornFunction *function = promoter->function;
  for (uint32_t k = first; k < end; k++) {
    const NornInst *inst = norn_inst(function, promoter->accesses[k].inst);
    bool is_load = inst->op == NORN_OP_LOAD_SCRATCH;
    if (inst->type != NORN_TYPE_I32 ||
        (is_load ? promoter->is_number[inst->result]
                 : !stored_truth(function, promoter->accesses[k].inst)))
      return false;
  }
  return true;
}

/* Adds the overlapping accesses from `first` up to `end` as a slot if they all access the same
 * bytes. */
static void
add_slot(Promoter *promoter, uint32_t first, uint32_t end) {
  const SlotAccess *accesses = promoter->accesses;
  for (uint32_t k = first; k < end; k++)
    if (accesses[k].offset != accesses[first].offset || accesses[k].size != accesses[first].size) {
      promoter->fate[accesses[first].alloca] = STAYS; /* its other slots may still be promoted */
      return;
    }
  NORN_ARENA_GROW(promoter->arena, promoter->slots, promoter->slot_capacity,
                  promoter->slot_count + 1);
  NornType type = is_truth(promoter, first, end)
                      ? NORN_TYPE_I1
                      : norn_inst(promoter->function, accesses[first].inst)->type;
  promoter->slots[promoter->slot_count] = (MemorySlot){accesses[first].alloca, type};
  for (uint32_t k = first; k < end; k++)
    promoter->slot_of[accesses[k].inst] = promoter->slot_count;
  promoter->slot_count++;
}

/* The number of slots that is possible if each is a parameter of every block: the operands of a
 * terminator are counted in 16 bits. */
static uint32_t
slot_limit(const NornFunction *function) {
  uint32_t limit = UINT16_MAX;
  norn_for_each_block (function, block) {
    uint32_t last = norn_block_terminator(function, block), edges = 0;
    norn_for_each_edge (function, last, edge)
      edges++;
    if (edges)
      limit = MIN(limit, (UINT16_MAX - norn_inst(function, last)->operand_count) / edges);
  }
  return limit;
}

static void
find_slots(Promoter *promoter) {
  uint32_t count = promoter->access_count;
  promoter->slot_of = norn_arena_indexes(promoter->arena, promoter->function->inst_count);
  sort_accesses(promoter);
  const SlotAccess *accesses = promoter->accesses;
  uint32_t limit_of_slots = slot_limit(promoter->function);
  uint8_t fate = IS_NO_ALLOCA; /* of the alloca before its slots were examined */
  for (uint32_t first = 0, end; first < count; first = end) {
    int64_t limit = accesses[first].offset + accesses[first].size;
    if (!first || accesses[first].alloca != accesses[first - 1].alloca)
      fate = promoter->fate[accesses[first].alloca];
    for (end = first + 1; end < count && accesses[end].alloca == accesses[first].alloca &&
                          accesses[end].offset < limit;
         end++)
      limit = MAX(limit, accesses[end].offset + (int64_t)accesses[end].size);
    if (fate == IS_PROMOTED && promoter->slot_count < limit_of_slots)
      add_slot(promoter, first, end);
    else
      promoter->fate[accesses[first].alloca] = STAYS;
  }
}

/* --- Placing parameters --- */

static void
list_add(Promoter *promoter, uint32_t *list, uint32_t item) {
  SlotList *lists = &promoter->lists;
  NORN_ARENA_GROW(promoter->arena, lists->items, lists->capacity, lists->count + 1);
  lists->items[lists->count] = (ListItem){item, *list};
  *list = lists->count++;
}

#define for_each_item(promoter, list, at)                                                          \
  for (uint32_t at = (list); at != NORN_INDEX_NONE; at = (promoter)->lists.items[at].next)

/* Scratch space of the search for one slot; a block is marked with the number of the slot + 1. */
typedef struct SlotSearch {
  uint32_t *live, *stores, *placed; /* by block */
  uint32_t *work;
  uint32_t work_count;
} SlotSearch;

static void
mark_live(SlotSearch *search, uint32_t block, uint32_t mark) {
  if (search->live[block] == mark)
    return;
  search->live[block] = mark;
  search->work[search->work_count++] = block;
}

/* Marks the blocks at whose start the slot is live. The worklist initially holds the marked blocks
 * that read the slot before they write it. */
static void
find_live_blocks(const Promoter *promoter, SlotSearch *search, uint32_t mark) {
  const NornDominance *dominance = promoter->dominance;
  while (search->work_count) {
    uint32_t block = search->work[--search->work_count];
    for (uint32_t p = 0; p < norn_predecessor_count(dominance, block); p++) {
      uint32_t predecessor = norn_predecessor(dominance, block, p);
      if (search->stores[predecessor] != mark)
        mark_live(search, predecessor, mark);
    }
  }
}

static void
place_parameters(Promoter *promoter, SlotSearch *search, uint32_t slot) {
  uint32_t mark = slot + 1;
  while (search->work_count) {
    uint32_t block = search->work[--search->work_count];
    const NornFrontiers *frontiers = &promoter->frontiers;
    for (uint32_t k = frontiers->first[block]; k < frontiers->first[block + 1]; k++) {
      uint32_t join = frontiers->blocks[k];
      if (search->placed[join] == mark)
        continue;
      search->placed[join] = mark;
      search->work[search->work_count++] = join;
      if (search->live[join] != mark)
        continue;
      uint32_t alloca = promoter->slots[slot].alloca;
      uint32_t name =
          norn_value(promoter->function, norn_inst(promoter->function, alloca)->result)->name;
      list_add(promoter, &promoter->parameters[join], slot);
      norn_block_add_parameter(promoter->function, join, promoter->slots[slot].type, name);
    }
  }
}

/* The accesses of slots, sorted by slot and then by block in program order. */
typedef struct OrderedAccesses {
  uint32_t *insts;
  uint32_t *first; /* by slot: index in `insts`; a slot's accesses end where those of the next slot
                      begin */
} OrderedAccesses;

static OrderedAccesses
order_accesses(const Promoter *promoter) {
  const NornFunction *function = promoter->function;
  const NornDominance *dominance = promoter->dominance;
  OrderedAccesses ordered = {NORN_NEW(promoter->arena, uint32_t, promoter->access_count),
                             NORN_NEW0(promoter->arena, uint32_t, promoter->slot_count + 2)};
  /* Entering the accesses advances ends[slot] from the start of the slot's range to its end, which
   * is the start of the next range: first[slot + 1]. */
  uint32_t *ends = ordered.first + 1;
  for (uint32_t k = 0; k < promoter->access_count; k++) {
    uint32_t slot = promoter->slot_of[promoter->accesses[k].inst];
    if (slot != NORN_INDEX_NONE)
      ends[slot + 1]++;
  }
  for (uint32_t slot = 0; slot < promoter->slot_count; slot++)
    ends[slot + 1] += ends[slot];
  for (uint32_t k = 0; k < dominance->order_count; k++)
    norn_for_each_inst (function, dominance->order[k], inst)
      if (promoter->slot_of[inst] != NORN_INDEX_NONE)
        ordered.insts[ends[promoter->slot_of[inst]]++] = inst;
  return ordered;
}

/* Marks the blocks of the accesses of one slot: those that store it, and, in search->work, those at
 * whose start it is live. */
static void
mark_accesses(const Promoter *promoter, SlotSearch *search, const uint32_t *accesses,
              uint32_t count, uint32_t mark) {
  for (uint32_t k = 0; k < count; k++) {
    const NornInst *inst = norn_inst(promoter->function, accesses[k]);
    if (inst->op == NORN_OP_STORE_SCRATCH)
      search->stores[inst->block] = mark;
    else if (search->stores[inst->block] != mark)
      mark_live(search, inst->block, mark);
  }
}

static void
find_parameters(Promoter *promoter) {
  NornArena *arena = promoter->arena;
  uint32_t blocks = promoter->dominance->block_count;
  OrderedAccesses ordered = order_accesses(promoter);
  SlotSearch search = {NORN_NEW0(arena, uint32_t, blocks), NORN_NEW0(arena, uint32_t, blocks),
                       NORN_NEW0(arena, uint32_t, blocks),
                       NORN_NEW(arena, uint32_t, 2 * (size_t)blocks), 0};
  promoter->parameters = norn_arena_indexes(arena, blocks);
  promoter->first_parameter = NORN_NEW(arena, uint32_t, blocks);
  for (uint32_t block = 0; block < blocks; block++)
    promoter->first_parameter[block] = norn_block(promoter->function, block)->parameter_count;
  for (uint32_t slot = 0; slot < promoter->slot_count; slot++) {
    const uint32_t *accesses = ordered.insts + ordered.first[slot];
    uint32_t count = ordered.first[slot + 1] - ordered.first[slot], mark = slot + 1;
    mark_accesses(promoter, &search, accesses, count, mark);
    find_live_blocks(promoter, &search, mark);
    uint32_t last = NORN_INDEX_NONE;
    for (uint32_t k = 0; k < count; k++) {
      uint32_t block = norn_inst(promoter->function, accesses[k])->block;
      if (block != last && search.stores[block] == mark)
        search.work[search.work_count++] = block;
      last = block;
    }
    place_parameters(promoter, &search, slot);
  }
}

/* --- Renaming --- */

static void
set_current(Promoter *promoter, uint32_t slot, uint32_t block, NornRef value) {
  NORN_ARENA_GROW(promoter->arena, promoter->log, promoter->log_capacity, promoter->log_count + 1);
  promoter->log[promoter->log_count++] = (OldValue){slot, block, promoter->current[slot]};
  promoter->current[slot] = value;
}

/* Forgets the values stored in blocks that do not dominate this one. */
static void
restore_to(Promoter *promoter, uint32_t block) {
  while (promoter->log_count) {
    const OldValue *old = &promoter->log[promoter->log_count - 1];
    if (norn_dominates(promoter->dominance, old->block, block))
      return;
    promoter->current[old->slot] = old->value;
    promoter->log_count--;
  }
}

/* The contents of memory that was never written: zeros, which are not a constant for groups of more
 * than two words. */
static NornRef
initial_value(Promoter *promoter, NornType type) {
  unsigned words = norn_type_words(type);
  NornRef zeros[NORN_GROUP_REGISTERS];
  if (words <= 2)
    return norn_constant(promoter->function->module, 0);
  NornBuilder builder = norn_builder_at_start(promoter->function, promoter->dominance->order[0]);
  for (unsigned k = 0; k < words; k++)
    zeros[k] = norn_build_bits(&builder, 0);
  return norn_build_collect(&builder, NORN_TYPE_I32, type, words, zeros);
}

static NornRef
current_value(Promoter *promoter, uint32_t slot) {
  NornRef value = promoter->current[slot];
  return value ? value : initial_value(promoter, (NornType)promoter->slots[slot].type);
}

/* Replaces the block's accesses of slots by values and removes them. */
static void
rename_block(Promoter *promoter, uint32_t block) {
  NornFunction *function = promoter->function;
  for (uint32_t inst = norn_block(function, block)->first, next; inst != NORN_INDEX_NONE;
       inst = next) {
    const NornInst self = *norn_inst(function, inst);
    uint32_t slot = promoter->slot_of[inst];
    next = self.next;
    if (slot == NORN_INDEX_NONE)
      continue;
    NornType type = promoter->slots[slot].type;
    bool is_store = self.op == NORN_OP_STORE_SCRATCH;
    NornRef value = is_store ? norn_operand(function, inst, 0) : current_value(promoter, slot);
    if (type == NORN_TYPE_I1) {
      NornBuilder builder = norn_builder_in_place_of(function, inst);
      value = is_store ? stored_truth(function, inst)
                       : norn_build_zext(&builder, NORN_TYPE_I32, NORN_TYPE_I1, value);
    } else if (type != self.type && !norn_is_constant(value)) {
      NornBuilder builder = norn_builder_in_place_of(function, inst);
      value = norn_build_bitcast(&builder, is_store ? type : self.type, is_store ? self.type : type,
                                 value);
    }
    if (is_store)
      set_current(promoter, slot, block, value);
    else
      norn_replacements_set(&promoter->replacements, self.result, value);
    norn_inst_erase(function, inst);
  }
}

/* Passes the values of slots to the parameters that the block's successors have for them. */
static void
add_arguments(Promoter *promoter, uint32_t block) {
  NornFunction *function = promoter->function;
  uint32_t last = norn_block_terminator(function, block), added = 0;
  norn_for_each_edge (function, last, edge) {
    added +=
        norn_block(function, edge.block)->parameter_count - promoter->first_parameter[edge.block];
  }
  if (!added)
    return;
  unsigned count = norn_inst(function, last)->operand_count, filled = 0, read = 0;
  NornRef *operands = NORN_NEW(promoter->arena, NornRef, count + added);
  norn_for_each_edge (function, last, edge) {
    while (read <= edge.operand + edge.argument_count)
      operands[filled++] = norn_operand(function, last, read++);
    uint32_t place = filled + norn_block(function, edge.block)->parameter_count -
                     promoter->first_parameter[edge.block];
    filled = place;
    for_each_item(promoter, promoter->parameters[edge.block], at) operands[--place] =
        current_value(promoter, promoter->lists.items[at].item);
  }
  NORN_ASSERT(read == count && filled == count + added);
  norn_inst_set_operands(function, last, operands, filled);
}

/* The blocks in preorder of the dominator tree. */
static uint32_t *
preorder(const Promoter *promoter) {
  const NornDominance *dominance = promoter->dominance;
  uint32_t max = 0;
  for (uint32_t k = 0; k < dominance->order_count; k++)
    max = MAX(max, dominance->enter[dominance->order[k]]);
  uint32_t *at = norn_arena_indexes(promoter->arena, (size_t)max + 1);
  uint32_t *order = NORN_NEW(promoter->arena, uint32_t, dominance->order_count), count = 0;
  for (uint32_t k = 0; k < dominance->order_count; k++)
    at[dominance->enter[dominance->order[k]]] = dominance->order[k];
  for (uint32_t k = 0; k <= max; k++)
    if (at[k] != NORN_INDEX_NONE)
      order[count++] = at[k];
  return order;
}

static void
rename_slots(Promoter *promoter) {
  NornFunction *function = promoter->function;
  const NornDominance *dominance = promoter->dominance;
  promoter->current = NORN_NEW0(promoter->arena, NornRef, promoter->slot_count);
  uint32_t *order = preorder(promoter);
  for (uint32_t k = 0; k < dominance->order_count; k++) {
    uint32_t block = order[k], parameter = norn_block(function, block)->parameter_count;
    restore_to(promoter, block);
    for_each_item(promoter, promoter->parameters[block], at) {
      uint32_t value = norn_block_parameter(function, block, --parameter);
      set_current(promoter, promoter->lists.items[at].item, block, norn_ref(NORN_REF_VALUE, value));
    }
    rename_block(promoter, block);
    add_arguments(promoter, block);
  }
}

/* Removes the allocas all of whose accesses were promoted. */
static void
erase_allocas(Promoter *promoter) {
  NornFunction *function = promoter->function;
  norn_for_each_block (function, block)
    for (uint32_t inst = norn_block(function, block)->first, next; inst != NORN_INDEX_NONE;
         inst = next) {
      next = norn_inst(function, inst)->next;
      if (norn_inst(function, inst)->op == NORN_OP_ALLOCA && promoter->fate[inst] == IS_PROMOTED)
        norn_inst_erase(function, inst);
    }
}

bool
norn_pass_mem2reg(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  Promoter promoter = {.context = context,
                       .arena = &context->arena,
                       .function = function,
                       .replacements.arena = &context->arena};
  if (!find_allocas(&promoter)) {
    norn_pass_report(context, false);
    return true;
  }
  norn_pass_remove_unreachable(context, function);
  collect_accesses(&promoter);
  find_slots(&promoter);
  if (promoter.access_count) {
    promoter.dominance = norn_pass_dominance(context, function);
    promoter.frontiers = norn_dominance_frontiers(promoter.arena, promoter.dominance);
    find_parameters(&promoter);
    rename_slots(&promoter);
    norn_replacements_apply(&promoter.replacements, function);
    erase_allocas(&promoter);
  }
  norn_pass_report(context, true);
  return true;
}
