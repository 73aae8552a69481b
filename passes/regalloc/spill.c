/* Spilling on SSA form, before register assignment.
 *
 * A walk over the blocks tracks the set of values in registers. When an instruction needs room, the
 * values whose next use is farthest are evicted (Belady). Uses after the exit of a loop count as
 * far, so values that the loop uses stay; wide values and those that are cheap to restore are
 * evicted a little earlier. An evicted value is filled before its next use: loaded, or
 * rematerialized if it depends on no other value. It is stored once, after its definition. A block
 * with several predecessors begins with the values that most of them have in registers and that it
 * uses soon; the other predecessors fill the missing ones before their jump. A loop begins with the
 * values that it uses. If a block has too many parameters, some are passed in memory. Fills are new
 * names of the old values; norn_repair_ssa restores SSA form. Spilled values that are never live at
 * the same time share memory.
 *
 * A group that is too large for one access is never evicted. If such groups alone leave too little
 * room, each is collected right before its user instead and spilling starts over: their words can
 * be evicted. */
#include "passes/regalloc/spill.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "ir/text/locations.h"
#include "passes/regalloc/allocate.h"
#include <stdlib.h>
#include <string.h>

/* --- The set of values in registers --- */

void
norn_spill_add_resident(Spill *spill, uint32_t value) {
  NORN_ASSERT(!spill->is_resident[value]);
  spill->is_resident[value] = true;
  spill->pressure = norn_counts_plus(spill->pressure, norn_spill_room(spill, value));
  norn_list_push(spill->arena, &spill->residents, value);
}

static void
remove_resident(Spill *spill, unsigned index) {
  uint32_t value = spill->residents.items[index];
  NORN_ASSERT(spill->is_resident[value]);
  spill->is_resident[value] = false;
  spill->pressure = norn_counts_minus(spill->pressure, norn_spill_room(spill, value));
  spill->residents.items[index] = spill->residents.items[--spill->residents.count];
}

static void
remove_residents(Spill *spill) {
  while (spill->residents.count)
    remove_resident(spill, spill->residents.count - 1);
  NORN_ASSERT(!norn_counts_exceed(spill->pressure, (NornRegisterCounts){{0}}));
}

/* Whether the value can be rematerialized anywhere: it depends only on constants and uniforms. */
static bool
is_recomputable(const Spill *spill, uint32_t value) {
  const NornFunction *function = spill->function;
  if (norn_value(function, value)->is_parameter)
    return false;
  const NornInst *inst = norn_inst(function, norn_value(function, value)->def);
  if (inst->result_count != 1 || !norn_reads_no_value(function, inst))
    return false;
  return norn_is_machine(inst) ? norn_target_is_arithmetic(spill->context->target, function, inst)
                               : inst->op == NORN_OP_COPY;
}

static uint64_t
eviction_gain(const Spill *spill, uint32_t value, uint32_t position) {
  uint64_t distance = spill->next[value] == NORN_NEVER ? UINT32_MAX : spill->next[value] - position;
  uint64_t gain = (distance + 1) * norn_spill_size(spill, value) * 4;
  if (norn_bit(spill->in_memory, value))
    gain += gain / 4;
  else if (is_recomputable(spill, value))
    gain += gain / 2;
  return gain;
}

/* The best value of the class to evict, as an index into `residents`; their count if there is none.
 * Values pinned by the instruction stay. */
static unsigned
choose_victim(const Spill *spill, uint32_t inst, uint32_t position, unsigned class) {
  unsigned best = spill->residents.count;
  uint64_t best_gain = 0;
  for (unsigned i = 0; i < spill->residents.count; i++) {
    uint32_t value = spill->residents.items[i];
    if (spill->pinned[value] == inst + 1 || !norn_spill_can_evict(spill, value) ||
        norn_spill_class(spill, value) != class)
      continue;
    uint64_t gain = eviction_gain(spill, value, position);
    if (gain > best_gain) {
      best_gain = gain;
      best = i;
    }
  }
  return best;
}

/* Records why a value is evicted for the first time. */
static void
note_cause(Spill *spill, uint32_t value, uint32_t position) {
  SpillCause *cause = &spill->cause[value];
  if (!cause->inst)
    *cause =
        (SpillCause){spill->current + 1,
                     spill->next[value] == NORN_NEVER ? NORN_NEVER : spill->next[value] - position};
}

bool
norn_spill_make_room(Spill *spill, uint32_t inst, uint32_t position, NornRegisterCounts limit) {
  for (unsigned class = 0; class < NORN_REGISTER_CLASSES; class ++)
    while (spill->pressure.of[class] > limit.of[class]) {
      unsigned best = choose_victim(spill, inst, position, class);
      if (best == spill->residents.count) {
        spill->too_much = inst;
        spill->scarce = class;
        return false;
      }
      note_cause(spill, spill->residents.items[best], position);
      remove_resident(spill, best);
    }
  NORN_ASSERT(!norn_counts_exceed(spill->pressure, limit));
  return true;
}

bool
norn_spill_make_room_for(Spill *spill, uint32_t inst, uint32_t position, NornRegisterCounts more) {
  for (unsigned class = 0; class < NORN_REGISTER_CLASSES; class ++)
    if (more.of[class] > spill->limit.of[class]) {
      spill->too_much = inst;
      spill->scarce = class;
      return false;
    }
  return norn_spill_make_room(spill, inst, position, norn_counts_minus(spill->limit, more));
}

void
norn_spill_add_event(Spill *spill, SpillEventKind kind, uint32_t inst, uint32_t value,
                     NornRef argument) {
  norn_list_push(spill->arena, &spill->events, (SpillEvent){kind, inst, value, argument});
}

void
norn_spill_fill_before(Spill *spill, uint32_t inst, uint32_t value) {
  SpillEventKind kind = spill->saved[value] == inst + 1 ? SPILL_EVENT_FILL_SAVED : SPILL_EVENT_FILL;
  norn_spill_add_event(spill, kind, inst, value, 0);
  if (!is_recomputable(spill, value))
    norn_set_bit(spill->in_memory, value);
}

/* --- A block --- */

/* Position of the next use after the end of the block. */
static uint32_t
use_beyond(const Spill *spill, uint32_t block, uint32_t value) {
  uint32_t out = norn_next_use_out(spill->next_use, block, value);
  return out == NORN_NEVER ? NORN_NEVER : spill->next_use->length[block] + out;
}

void
norn_spill_find_uses(Spill *spill, uint32_t block) {
  const NornFunction *function = spill->function;
  uint32_t position = spill->next_use->length[block];
  for (uint32_t index = norn_block(function, block)->last; index != NORN_INDEX_NONE;
       index = norn_inst(function, index)->previous) {
    const NornInst *inst = norn_inst(function, index);
    position--;
    const NornRef *operands = norn_operands(function, inst);
    for (unsigned pass = 0; pass < 2; pass++)
      for (unsigned k = 0; k < inst->operand_count; k++) {
        NornRef ref = operands[k];
        uint32_t value = norn_ref_payload(ref);
        if (norn_ref_kind(ref) != NORN_REF_VALUE)
          continue;
        if (pass) {
          spill->next[value] = position;
          spill->stamp[value] = block + 1;
        } else {
          spill->after[inst->operand + k] = spill->stamp[value] == block + 1
                                                ? spill->next[value]
                                                : use_beyond(spill, block, value);
        }
      }
  }
}

uint32_t
norn_spill_first_use(const Spill *spill, uint32_t block, uint32_t value) {
  return spill->stamp[value] == block + 1 ? spill->next[value] : use_beyond(spill, block, value);
}

/* Makes sure that a value is in a register for an instruction. */
static void
require(Spill *spill, uint32_t inst, uint32_t value) {
  if (!spill->is_resident[value]) {
    norn_spill_fill_before(spill, inst, value);
    norn_spill_add_resident(spill, value);
  }
  spill->pinned[value] = inst + 1;
}

/* Removes values that the instruction uses last. */
static void
remove_dead(Spill *spill, const NornInst *inst) {
  const NornRef *operands = norn_operands(spill->function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = operands[k];
    if (norn_ref_kind(ref) != NORN_REF_VALUE)
      continue;
    uint32_t value = norn_ref_payload(ref);
    spill->next[value] = spill->after[inst->operand + k];
    for (unsigned i = 0; i < spill->residents.count && spill->next[value] == NORN_NEVER; i++)
      if (spill->residents.items[i] == value) {
        remove_resident(spill, i);
        break;
      }
  }
}

NornRegisterCounts
norn_spill_clobbered_by(const Spill *spill, const NornInst *inst) {
  const NornTarget *target = spill->context->target;
  return norn_regs_by_class(&target->registers,
                            norn_target_clobbered(target, spill->function, inst));
}

static bool
walk_instruction(Spill *spill, uint32_t index, uint32_t position, bool is_last) {
  const NornFunction *function = spill->function;
  const NornInst *inst = norn_inst(function, index);
  NornRegisterCounts taken = {{0}};
  NORN_ASSERT(position < spill->next_use->length[inst->block]);
  spill->current = index;
  if (is_last && !norn_spill_store_arguments(spill, index, position))
    return false;
  const NornRef *operands = norn_operands(function, inst);
  NornEdge edge = {0};
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = operands[k];
    if (norn_ref_kind(ref) == NORN_REF_VALUE &&
        !(is_last && norn_spill_is_stored(spill, index, k, &edge)))
      require(spill, index, norn_ref_payload(ref));
  }
  if (!norn_spill_make_room(spill, index, position, spill->limit))
    return false;
  remove_dead(spill, inst);
  for (unsigned k = 0; k < inst->result_count; k++)
    taken = norn_counts_plus(taken, norn_spill_room(spill, inst->result + k));
  taken = norn_counts_plus(taken, norn_spill_clobbered_by(spill, inst));
  if (!norn_spill_make_room_for(spill, NORN_INDEX_NONE - 1, position, taken)) {
    spill->too_much = index;
    return false;
  }
  for (unsigned k = 0; k < inst->result_count; k++) {
    uint32_t value = inst->result + k;
    if (spill->next[value] != NORN_NEVER)
      norn_spill_add_resident(spill, value);
  }
  return true;
}

/* --- The start of a block --- */

/* A use at this distance, in instructions, is far. */
#define FAR_USE 100

static int
nearer_first(const void *a, const void *b) {
  const SpillCandidate *left = a, *right = b;
  if (left->distance != right->distance)
    return left->distance < right->distance ? -1 : 1;
  return left->value < right->value ? -1 : left->value > right->value;
}

void
norn_spill_sort(SpillCandidates *candidates) {
  if (candidates->count)
    qsort(candidates->items, candidates->count, sizeof *candidates->items, nearer_first);
}

/* Lists a value that could be in a register at the start of the block, unless it is already
 * listed. */
static void
list_candidate(Spill *spill, uint32_t block, uint32_t value) {
  if (spill->listed[value] == block + 1)
    return;
  spill->listed[value] = block + 1;
  spill->residences[value] = 0;
  norn_list_push(spill->arena, &spill->candidates, (SpillCandidate){value, 0});
}

/* Lists the values that the block's visited predecessors have in registers. Returns the number of
 * visited predecessors. */
static unsigned
list_residents(Spill *spill, uint32_t block) {
  unsigned walked = 0;
  for (uint32_t k = 0; k < norn_predecessor_count(spill->dominance, block); k++) {
    uint32_t predecessor = norn_predecessor(spill->dominance, block, k);
    const NornIndexList *exit = &spill->exit[predecessor];
    walked += spill->is_walked[predecessor];
    for (uint32_t i = 0; i < exit->count; i++) {
      list_candidate(spill, block, exit->items[i]);
      spill->residences[exit->items[i]]++;
    }
  }
  return walked;
}

/* The effective distance to the next use of a candidate; NORN_NEVER: it does not start in a
 * register. If some visited predecessors do not have it in a register, it counts as farther, as it
 * must be filled there; if most do not, or the use is far, a single fill before the use is
 * better. */
static uint32_t
candidate_distance(const Spill *spill, uint32_t block, uint32_t value, unsigned walked) {
  uint32_t distance = norn_next_use_in(spill->next_use, block, value);
  if (distance == NORN_NEVER)
    return distance;
  if (!norn_spill_can_evict(spill, value))
    return 0;
  bool is_loop = spill->dominance->loop_header[block] == block;
  bool is_missing = spill->residences[value] < walked;
  if (!is_loop && is_missing && (distance > FAR_USE || spill->residences[value] * 2 < walked))
    return NORN_NEVER;
  return !is_loop && is_missing ? distance + 1 + distance / 2 : distance;
}

/* The candidates for being in registers at the start of a block, nearest use first: values that a
 * predecessor has in registers and, for a loop, values that it uses. */
static const SpillCandidates *
find_candidates(Spill *spill, uint32_t block) {
  SpillCandidates *candidates = &spill->candidates;
  bool is_loop = spill->dominance->loop_header[block] == block;
  const NornLiveness *live = spill->live;
  candidates->count = 0;
  unsigned walked = list_residents(spill, block);
  for (uint32_t n = 0;
       is_loop && (n = norn_next_used_in_loop(spill->next_use, block, n)) != NORN_INDEX_NONE; n++)
    list_candidate(spill, block, live->value[n]);
  uint32_t count = 0;
  for (uint32_t i = 0; i < candidates->count; i++) {
    uint32_t value = candidates->items[i].value;
    uint32_t distance = candidate_distance(spill, block, value, walked);
    if (distance != NORN_NEVER)
      candidates->items[count++] = (SpillCandidate){value, distance};
  }
  candidates->count = count;
  norn_spill_sort(candidates);
  return candidates;
}

/* The room for values that are live through a loop without being used in it: what the loop itself
 * does not need. More of them would have to be filled again at the end of each iteration. */
static NornRegisterCounts
room_beyond(const Spill *spill, uint32_t header, const SpillCandidates *candidates) {
  NornRegisterCounts through = {{0}};
  for (unsigned i = 0; i < candidates->count; i++) {
    const SpillCandidate *candidate = &candidates->items[i];
    if (norn_is_beyond_loop(candidate->distance))
      through = norn_counts_plus(through, norn_spill_room(spill, candidate->value));
  }
  NornRegisterCounts own = norn_counts_beyond(spill->loop_pressure[header], through);
  return norn_counts_beyond(spill->limit, own);
}

/* A copy of the list, trimmed to its length. */
static NornIndexList
copy_chosen(const Spill *spill) {
  uint32_t count = spill->chosen.count;
  NornIndexList list = {NORN_NEW(spill->arena, uint32_t, count), count, count};
  if (count)
    memcpy(list.items, spill->chosen.items, count * sizeof *list.items);
  return list;
}

/* Chooses the values that are in registers at the start of a block with several predecessors. */
static void
choose_entry(Spill *spill, uint32_t block) {
  const NornFunction *function = spill->function;
  const SpillCandidates *candidates = find_candidates(spill, block);
  spill->chosen.count = 0;
  bool is_loop = spill->dominance->loop_header[block] == block;
  NornRegisterCounts pressure = {{0}};
  NornRegisterCounts beyond = is_loop ? room_beyond(spill, block, candidates) : spill->limit;
  for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++) {
    uint32_t parameter = norn_block_parameter(function, block, k);
    if (!norn_bit(spill->is_argument, parameter))
      pressure = norn_counts_plus(pressure, norn_spill_room(spill, parameter));
  }
  for (unsigned i = 0; i < candidates->count; i++) {
    const SpillCandidate *candidate = &candidates->items[i];
    NornRegisterCounts own = norn_spill_room(spill, candidate->value);
    NornRegisterCounts more = norn_counts_plus(pressure, own);
    bool through = is_loop && norn_is_beyond_loop(candidate->distance);
    if (norn_spill_can_evict(spill, candidate->value) &&
        (norn_counts_exceed(more, spill->limit) || (through && norn_counts_exceed(own, beyond))))
      continue;
    pressure = more;
    if (through)
      beyond = norn_counts_beyond(beyond, own);
    norn_list_push(spill->arena, &spill->chosen, candidate->value);
  }
  spill->entry[block] = copy_chosen(spill);
}

static void
begin_block(Spill *spill, uint32_t block) {
  const NornFunction *function = spill->function;
  const NornIndexList *values = NULL;
  remove_residents(spill);
  norn_spill_find_uses(spill, block);
  if (norn_predecessor_count(spill->dominance, block) > 1) {
    choose_entry(spill, block);
    values = &spill->entry[block];
  } else if (norn_predecessor_count(spill->dominance, block)) {
    values = &spill->exit[norn_predecessor(spill->dominance, block, 0)];
  }
  for (uint32_t i = 0; values && i < values->count; i++) {
    uint32_t value = values->items[i];
    if (!norn_live_in(spill->live, block, value))
      continue;
    spill->next[value] = norn_spill_first_use(spill, block, value);
    norn_spill_add_resident(spill, value);
  }
  for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++) {
    uint32_t parameter = norn_block_parameter(function, block, k);
    spill->next[parameter] = norn_spill_first_use(spill, block, parameter);
    if (!norn_bit(spill->is_argument, parameter) && spill->next[parameter] != NORN_NEVER)
      norn_spill_add_resident(spill, parameter);
  }
  norn_for_each_inst (function, block, inst)
    for (unsigned k = 0; k < norn_inst(function, inst)->result_count; k++) {
      uint32_t value = norn_inst(function, inst)->result + k;
      spill->next[value] = norn_spill_first_use(spill, block, value);
    }
}

static bool
walk_block(Spill *spill, uint32_t block) {
  const NornFunction *function = spill->function;
  begin_block(spill, block);
  uint32_t position = 0;
  norn_for_each_inst (function, block, inst)
    if (!walk_instruction(spill, inst, position++, inst == norn_block(function, block)->last))
      return false;
  spill->is_walked[block] = true;
  spill->chosen.count = 0;
  for (unsigned i = 0; i < spill->residents.count; i++)
    if (norn_live_out(spill->live, block, spill->residents.items[i]))
      norn_list_push(spill->arena, &spill->chosen, spill->residents.items[i]);
  spill->exit[block] = copy_chosen(spill);
  return true;
}

/* Before each jump to the block, fills values that the block expects in registers. */
static void
couple(Spill *spill, uint32_t block) {
  for (uint32_t k = 0; k < norn_predecessor_count(spill->dominance, block); k++) {
    uint32_t predecessor = norn_predecessor(spill->dominance, block, k);
    const NornIndexList *entry = &spill->entry[block], *exit = &spill->exit[predecessor];
    /* The predecessor's jump leads nowhere else. */
    for (uint32_t i = 0; i < exit->count; i++)
      spill->coupled[exit->items[i]] = predecessor + 1;
    for (uint32_t i = 0; i < entry->count; i++) {
      uint32_t value = entry->items[i];
      if (spill->coupled[value] != predecessor + 1)
        norn_spill_fill_before(spill, norn_block(spill->function, predecessor)->last, value);
    }
  }
}

static void
find_stays(Spill *spill) {
  NornSetSpace space = spill->live->space;
  space.arena = spill->arena;
  norn_set_begin_edit(&space);
  for (uint32_t n = 0; n < spill->live->count; n++)
    if (!norn_spill_can_evict(spill, spill->live->value[n]))
      spill->stays = norn_set_with(&space, spill->stays, n);
}

static void
spill_init(Spill *spill, NornPassContext *context, NornFunction *function,
           NornRegisterCounts limit) {
  const NornTarget *target = context->target;
  NornArena *arena = &context->arena;
  uint32_t values = function->value_count;
  *spill = (Spill){
      .context = context,
      .arena = arena,
      .function = function,
      .limit = limit,
      .piece = target->spill_piece_bytes / target->spill_register_bytes,
      .value_count = values,
      .in_memory = NORN_NEW0(arena, uint64_t, values / 64 + 1),
      .is_argument = NORN_NEW0(arena, uint64_t, values / 64 + 1),
      .is_saved = NORN_NEW0(arena, uint64_t, values / 64 + 1),
      .cause = NORN_NEW0(arena, SpillCause, values),
      .exit = NORN_NEW0(arena, NornIndexList, function->block_count),
      .entry = NORN_NEW0(arena, NornIndexList, function->block_count),
      .is_walked = NORN_NEW0(arena, bool, function->block_count),
      .after = NORN_NEW(arena, uint32_t, function->operand_count),
      .next = NORN_NEW(arena, uint32_t, values),
      .stamp = NORN_NEW0(arena, uint32_t, values),
      .pinned = NORN_NEW0(arena, uint32_t, values),
      .saved = NORN_NEW0(arena, uint32_t, values),
      .blocked = NORN_NEW0(arena, uint32_t, values),
      .pending = NORN_NEW0(arena, uint32_t, values),
      .listed = NORN_NEW0(arena, uint32_t, values),
      .residences = NORN_NEW(arena, uint32_t, values),
      .coupled = NORN_NEW0(arena, uint32_t, values),
      .is_resident = NORN_NEW0(arena, bool, values),
      .too_much = NORN_INDEX_NONE,
  };
  spill->dominance = norn_pass_dominance(context, function);
  spill->needs = norn_pass_pressure(context, function, &spill->live);
  spill->before_next_use = norn_arena_mark(&context->analyses);
  spill->next_use = norn_next_use_new(&context->analyses, function, spill->dominance, spill->live);
  spill->words = spill->needs->words;
  find_stays(spill);
  spill->loop_pressure = norn_loop_pressure(arena, spill->needs, spill->dominance);
}

/* --- Groups that are too large for one access --- */

/* Whether the instruction collects a group that cannot be evicted. */
static bool
collects_large(const NornPassContext *context, const NornInst *inst) {
  const NornTarget *target = context->target;
  return inst->op == NORN_OP_COLLECT &&
         norn_type_words(norn_result_type(inst, 0)) * target->spill_register_bytes >
             target->spill_piece_bytes;
}

/* Collects each such group right before its user. Returns whether any was collected earlier. */
static bool
collect_late(NornPassContext *context, NornFunction *function) {
  uint32_t inst_count = function->inst_count;
  bool *is_late = NORN_NEW0(&context->arena, bool, inst_count), changed = false;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, user)
      for (unsigned k = 0; k < norn_inst(function, user)->operand_count; k++) {
        NornRef group = norn_operand(function, user, k);
        const NornInst *inst = norn_defining_inst(function, group);
        if (!inst || !collects_large(context, inst))
          continue;
        uint32_t collect = norn_value(function, norn_ref_payload(group))->def;
        if (inst->next == user) {
          is_late[collect] = true;
          continue;
        }
        NornBuilder builder = norn_builder_before(function, user);
        uint32_t again = norn_build_clone(&builder, function, collect);
        norn_set_operand(function, user, k, norn_result(function, again, 0));
      }
  norn_for_each_block (function, block)
    for (uint32_t inst = norn_block(function, block)->first, next; inst != NORN_INDEX_NONE;
         inst = next) {
      next = norn_inst(function, inst)->next;
      if (inst >= inst_count || is_late[inst] ||
          !collects_large(context, norn_inst(function, inst)))
        continue;
      norn_inst_erase(function, inst);
      changed = true;
    }
  return changed;
}

bool
norn_spill(NornPassContext *context, NornFunction *function, NornRegisterCounts limit,
           GError **error) {
  Spill spill;
  spill_init(&spill, context, function, limit);
  const NornDominance *dominance = spill.dominance;
  bool ok = true;
  for (uint32_t i = 0; i < dominance->order_count; i++)
    norn_spill_choose_arguments(&spill, dominance->order[i]);
  memset(spill.stamp, 0, spill.value_count * sizeof *spill.stamp);
  for (uint32_t i = 0; i < dominance->order_count && ok && norn_pass_continues(context, 1); i++)
    ok = walk_block(&spill, dominance->order[i]);
  for (uint32_t i = 0; i < dominance->order_count && ok && norn_pass_continues(context, 1); i++)
    if (norn_predecessor_count(dominance, dominance->order[i]) > 1)
      couple(&spill, dominance->order[i]);
  norn_arena_release(&context->analyses, spill.before_next_use);
  if (context->budget.is_stopped)
    ok = false;
  else if (ok)
    ok = norn_spill_commit(&spill, error);
  else
    norn_inst_error(function, norn_inst(function, spill.too_much), NORN_ERROR_LIMIT, error,
                    "the instruction needs more than %u registers at once", limit.of[spill.scarce]);
  return ok;
}

/* Registers per class left free after each failed try, for gaps caused by fixed registers and
 * pairs. */
#define SLACK 4

bool
norn_pass_spill(NornPassContext *context, NornFunction *function, GError **error) {
  const NornRegisterModel *model = &context->target->registers;
  NornRegisterCounts limit = norn_regs_by_class(model, norn_register_file(context));
  if (context->failed_allocations && norn_is_allocated(function)) {
    norn_pass_report(context, false);
    return true;
  }
  bool changed = norn_prepare_edges(context, function);
  for (unsigned class = 0; class < NORN_REGISTER_CLASSES; class ++)
    limit.of[class] -= MIN(limit.of[class], SLACK * context->failed_allocations);
  const NornLiveness *live;
  const NornPressure *pressure = norn_pass_pressure(context, function, &live);
  /* After a failure, more arguments may be passed in memory although the pressure fits. */
  context->keeps_pressure =
      !context->failed_allocations && !norn_counts_exceed(pressure->max, limit);
  if (!context->keeps_pressure) {
    changed = true;
    bool done = norn_spill(context, function, limit, error);
    if (!done && !context->budget.is_stopped && collect_late(context, function)) {
      norn_pass_values_changed(context);
      g_clear_error(error);
      done = norn_spill(context, function, limit, error);
    }
    if (!done)
      return false;
  }
  norn_pass_report(context, changed);
  return true;
}
