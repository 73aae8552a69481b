/* List scheduling of each block, before register allocation.
 *
 * Scheduling is top-down: messages start early and their users come late, as far as registers allow
 * (choose_node.c). The dead words of a partly dead group do not count as room for another group,
 * unless single values fill them. Instructions that order everything around them divide the block
 * into regions; memory accesses keep their order if they conflict (ir/analysis/alias.h). An order
 * that needs more registers than both the limit and the old order is discarded.
 *
 * If the order of a region exceeds the limit, other orders of the region are tried in which
 * registers come first.
 *
 * The first instruction not yet scheduled is always ready, because the old order is legal. */
#include "ir/ops.h"
#include "passes/schedule/heap.h"
#include <string.h>

enum {
  SHORT_LATENCY = 16,          /* other warps hide shorter latencies */
  MAX_ACCESSES = 24,           /* tracked separately between full stops */
  TIGHT_STEPS = 4,             /* budgets tried when registers come first */
  LAST_STEP = TIGHT_STEPS + 1, /* no budget: nothing is started before it is needed */
  GAIN = 8,                    /* more warps are worth it if they save 1 / GAIN of the cycles */
  MARGIN = 12,                 /* 1 / MARGIN of the registers is left free */
  CLEARLY = 4,                 /* 1 / CLEARLY fewer spilled registers is clearly better */
};

/* --- Pressure --- */

/* Counts the node's results that cannot be placed in holes. */
static void
open_groups(Schedule *schedule, uint32_t index) {
  const NornInst *inst = norn_inst(schedule->function, index);
  bool is_split = inst->op == NORN_OP_SPLIT;
  for (unsigned k = 0; k < inst->result_count; k++) {
    NornRegisterCounts room = norn_pressure_of(schedule->needs, inst->result + k);
    bool is_dead = norn_bit(schedule->needs->unused, inst->result + k);
    NornRegisterCounts *counts = is_dead ? &schedule->holes : &schedule->whole;
    if (is_split || (!is_dead && norn_counts_sum(room) > 1))
      *counts = norn_counts_plus(*counts, room);
    schedule->words_left[index] += is_split && !is_dead;
  }
}

/* A value dies. If it is a word of a group, it leaves a hole until all words of the group are
 * dead. */
static void
close_value(Schedule *schedule, uint32_t value) {
  const NornValue *self = norn_value(schedule->function, value);
  if (self->is_parameter)
    return;
  const NornInst *inst = norn_inst(schedule->function, self->def);
  NornRegisterCounts room = norn_pressure_of(schedule->needs, value);
  if (inst->block != schedule->block || (inst->op != NORN_OP_SPLIT && norn_counts_sum(room) == 1))
    return;
  schedule->whole = norn_counts_minus(schedule->whole, room);
  if (inst->op != NORN_OP_SPLIT)
    return;
  schedule->holes = norn_counts_plus(schedule->holes, room);
  if (--schedule->words_left[self->def])
    return;
  for (unsigned k = 0; k < inst->result_count; k++)
    schedule->holes =
        norn_counts_minus(schedule->holes, norn_pressure_of(schedule->needs, inst->result + k));
}

/* If only one node is left that reads the value, it frees the value's registers. */
static void
find_last_reader(Schedule *schedule, uint32_t value) {
  const ReadersLeft *left = &schedule->readers_left[value];
  if (left->count != 1)
    return;
  Node *last = norn_schedule_node(schedule, left->nodes);
  last->freed = norn_counts_plus(last->freed, norn_pressure_of(schedule->needs, value));
}

/* The node no longer counts among those that will read the value. */
static void
remove_reader(Schedule *schedule, uint32_t value, uint32_t index) {
  ReadersLeft *left = &schedule->readers_left[value];
  NORN_ASSERT(left->count);
  left->count--;
  left->nodes ^= index;
  if (left->count)
    find_last_reader(schedule, value);
  else
    close_value(schedule, value);
}

/* Appends a node to the order and updates the pressure by its uses and results. */
static void
emit(Schedule *schedule, uint32_t index) {
  Node *node = norn_schedule_node(schedule, index);
  node->is_scheduled = true;
  schedule->pressure =
      norn_counts_minus(norn_counts_plus(schedule->pressure, node->taken), node->freed);
  schedule->region_peak =
      norn_counts_max(schedule->region_peak, norn_counts_plus(schedule->pressure, node->unused));
  for (uint32_t k = 0; k < node->use_count; k++)
    remove_reader(schedule, schedule->uses.items[node->first_use + k], index);
  if (!schedule->is_allocated) {
    if (node->group != NORN_INDEX_NONE && node->group != node->inst)
      schedule->last_group = node->group;
    open_groups(schedule, node->inst);
    NornRegisterCounts others = norn_counts_minus(schedule->pressure, schedule->whole);
    schedule->crowding =
        norn_counts_plus(schedule->pressure, norn_counts_beyond(schedule->holes, others));
  }
  norn_list_push(schedule->arena, &schedule->order, node->inst);
}

/* Queues the instruction for its unit at that time. Returns how long it waits there. */
static uint32_t
queue_for_unit(Schedule *schedule, uint32_t index, uint32_t now) {
  const NornTarget *target = schedule->context->target;
  const NornInst *inst = norn_inst(schedule->function, norn_schedule_node(schedule, index)->inst);
  unsigned unit;
  if (!schedule->counts_units || !norn_is_machine(inst))
    return 0;
  unsigned cycles = target->occupies(target, inst, &unit);
  uint32_t start = MAX(now, schedule->unit_free[unit]);
  schedule->unit_free[unit] = start + cycles;
  return start - now;
}

static void
release_successors(Schedule *schedule, uint32_t index, uint32_t now) {
  uint32_t queued = queue_for_unit(schedule, index, now - 1);
  for (uint32_t e = norn_schedule_node(schedule, index)->first_edge; e;) {
    const DependenceEdge *edge = &schedule->edges.items[e - 1];
    Node *to = norn_schedule_node(schedule, edge->to);
    unsigned latency = schedule->random ? 0 : edge->latency + (edge->latency > 1 ? queued : 0);
    NORN_ASSERT(to->waiting && !to->is_scheduled);
    to->ready = MAX(to->ready, now + latency);
    if (!--to->waiting)
      norn_heap_push(schedule, &schedule->pending, edge->to, norn_is_sooner);
    e = edge->next;
  }
}

/* Sets how the region is ordered, and clears what is known of its nodes in earlier orders. */
static void
begin_region(Schedule *schedule, const ScheduleRegion *region) {
  unsigned limit = (unsigned)norn_counts_sum(schedule->limit);
  schedule->is_tight = region->step;
  schedule->is_draining = false;
  schedule->budget = limit - limit * (region->step ? region->step - 1 : 0) / TIGHT_STEPS;
  schedule->region_peak = schedule->pressure;
  schedule->last_group = NORN_INDEX_NONE;
  memset(schedule->unit_free, 0, sizeof schedule->unit_free);
  for (uint32_t i = region->first; i < region->end; i++) {
    Node *node = norn_schedule_node(schedule, i);
    node->waiting = node->predecessors;
    node->ready = 0;
    node->is_scheduled = false;
  }
}

static void
end_region(Schedule *schedule, ScheduleRegion *region) {
  region->is_over = norn_counts_exceed(schedule->region_peak, schedule->limit);
  region->is_crowded |= !region->step && region->is_over;
  schedule->peak = norn_counts_max(schedule->peak, schedule->region_peak);
}

/* Sets the heights by which nodes are chosen. */
static void
set_heights(Schedule *schedule, ScheduleRegion *region) {
  if (!schedule->is_tight) {
    norn_schedule_find_heights(schedule, region);
    return;
  }
  if (!schedule->by_old_order && !region->has_ranks) {
    norn_schedule_find_ranks(schedule, region);
    region->has_ranks = true;
  }
  for (uint32_t i = region->first; i < region->end; i++) {
    Node *node = norn_schedule_node(schedule, i);
    node->height = schedule->by_old_order ? region->end - i : node->rank;
  }
}

static void
order_region(Schedule *schedule, ScheduleRegion *region) {
  uint32_t first = region->first, now = 0;
  begin_region(schedule, region);
  set_heights(schedule, region);
  for (uint32_t i = first; i < region->end; i++)
    if (!norn_schedule_node(schedule, i)->waiting)
      norn_heap_push(schedule, &schedule->pending, i, norn_is_sooner);
  for (uint32_t left = region->end - first; left--;) {
    while (norn_schedule_node(schedule, first)->is_scheduled)
      first++;
    /* The old order is legal. */
    NORN_ASSERT(!norn_schedule_node(schedule, first)->waiting);
    uint32_t index = norn_schedule_choose(schedule, first, &now);
    emit(schedule, index);
    now++;
    release_successors(schedule, index, now);
  }
  NORN_ASSERT(!schedule->available.count && !schedule->pending.count);
  schedule->length += now;
  schedule->is_draining = false;
  emit(schedule, region->end);
  end_region(schedule, region);
}

/* --- Blocks --- */

/* Initializes the pressure at the start of the block. */
static void
begin_pressure(Schedule *schedule) {
  const NornFunction *function = schedule->function;
  uint32_t block = schedule->block;
  schedule->pressure = schedule->needs->start[block];
  for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++) {
    uint32_t value = norn_block_parameter(function, block, k);
    if (!norn_bit(schedule->needs->unused, value))
      schedule->pressure =
          norn_counts_plus(schedule->pressure, norn_pressure_of(schedule->needs, value));
  }
  schedule->peak = schedule->crowding = schedule->pressure;
  schedule->whole = schedule->holes = (NornRegisterCounts){{0}};
}

/* Initializes the readers of the values that die in the block. */
static void
begin_readers(Schedule *schedule) {
  for (uint32_t i = 0; i < schedule->nodes.count; i++) {
    Node *node = norn_schedule_node(schedule, i);
    node->freed = (NornRegisterCounts){{0}};
    schedule->words_left[node->inst] = 0;
    for (uint32_t k = 0; k < node->use_count; k++) {
      ReadersLeft *left = &schedule->readers_left[schedule->uses.items[node->first_use + k]];
      left->count++;
      left->nodes ^= i;
    }
  }
  for (uint32_t i = 0; i < schedule->uses.count; i++)
    find_last_reader(schedule, schedule->uses.items[i]);
}

static void
relink(Schedule *schedule, uint32_t index, const NornIndexList *order) {
  NornFunction *function = schedule->function;
  NornBlock *block = norn_block(function, index);
  uint32_t previous = NORN_INDEX_NONE;
  for (uint32_t i = 0; i < order->count; i++) {
    uint32_t inst = order->items[i];
    NornInst *self = norn_inst(function, inst);
    self->previous = previous;
    self->next = NORN_INDEX_NONE;
    if (previous == NORN_INDEX_NONE)
      block->first = inst;
    else
      norn_inst(function, previous)->next = inst;
    previous = inst;
  }
  block->last = previous;
}

/* Orders each region of the block as its step says. */
static void
order_regions(Schedule *schedule) {
  schedule->order.count = 0;
  schedule->length = 0;
  if (!schedule->is_allocated) {
    begin_pressure(schedule);
    begin_readers(schedule);
  }
  for (uint32_t i = 0; i < schedule->regions.count; i++)
    order_region(schedule, &schedule->regions.items[i]);
}

/* Orders the block for time. */
static void
order_block(Schedule *schedule) {
  for (uint32_t i = 0; i < schedule->regions.count; i++)
    schedule->regions.items[i].step = 0;
  order_regions(schedule);
}

/* Sets the step of each region that exceeds the limit when ordered for time. */
static void
set_steps(Schedule *schedule, unsigned step) {
  for (uint32_t i = 0; i < schedule->regions.count; i++)
    if (schedule->regions.items[i].is_crowded)
      schedule->regions.items[i].step = step;
}

/* Reorders the regions for which order_block exceeded the limit, so that registers come first, but
 * as many values as fit are started before they are needed, so that there are few waits. Returns
 * whether the block stays within the limit. */
static bool
order_block_by_rank(Schedule *schedule) {
  set_steps(schedule, LAST_STEP);
  order_regions(schedule);
  if (norn_counts_exceed(schedule->peak, schedule->limit))
    return false;
  set_steps(schedule, 1);
  bool keeps = false;
  for (unsigned round = 0; round < LAST_STEP && !keeps; round++) {
    order_regions(schedule);
    keeps = !norn_counts_exceed(schedule->peak, schedule->limit);
    for (uint32_t i = 0; i < schedule->regions.count; i++) {
      ScheduleRegion *region = &schedule->regions.items[i];
      region->step = MIN(region->step + region->is_over, LAST_STEP);
    }
  }
  return keeps;
}

/* The same, but falls back to the old order instead of ranks if only the old order stays within the
 * limit: ranks finish one tree after the other, and if trees share leaves the first tree keeps all
 * of them live. */
static bool
order_block_tightly(Schedule *schedule) {
  if (order_block_by_rank(schedule))
    return true;
  if (norn_counts_exceed(schedule->needs->block[schedule->block], schedule->limit))
    return false;
  schedule->by_old_order = true;
  bool keeps = order_block_by_rank(schedule);
  schedule->by_old_order = false;
  return keeps;
}

/* How many registers have to be spilled at this pressure. */
static int
count_spilled(const Schedule *schedule, NornRegisterCounts peak) {
  return norn_counts_sum(norn_counts_beyond(peak, schedule->limit));
}

/* Orders a block that no order keeps within the limit: for time, or by finishing one chain after
 * the other if that spills clearly less. Returns false if the old order is to stay. `spilled`: the
 * number of registers spilled when ordered for time. */
static bool
order_block_beyond_limit(Schedule *schedule, int spilled) {
  uint64_t seed = schedule->seed;
  int of_old_order = count_spilled(schedule, schedule->needs->block[schedule->block]);
  schedule->finishes_chains = true;
  order_block(schedule);
  schedule->finishes_chains = false;
  int least = MIN(spilled, of_old_order);
  if (count_spilled(schedule, schedule->peak) < least - least / CLEARLY)
    return true;
  if (spilled > of_old_order)
    return false;
  schedule->seed = seed;
  order_block(schedule);
  return true;
}

static void
schedule_block(Schedule *schedule, uint32_t block) {
  if (schedule->kept[block].count) {
    relink(schedule, block, &schedule->kept[block]);
    return;
  }
  uint64_t seed = schedule->seed;
  norn_schedule_begin_block(schedule, block);
  order_block(schedule);
  bool counts = !schedule->is_allocated && !schedule->random;
  if (counts && norn_counts_exceed(schedule->peak, schedule->limit)) {
    int spilled = count_spilled(schedule, schedule->peak);
    if (!order_block_tightly(schedule)) {
      schedule->seed = seed;
      if (!order_block_beyond_limit(schedule, spilled))
        return;
    }
  }
  relink(schedule, block, &schedule->order);
}

static void
set_limit(Schedule *schedule, NornRegisterSet registers) {
  schedule->limit = norn_regs_by_class(&schedule->context->target->registers, registers);
  for (unsigned class = 0; class < NORN_REGISTER_CLASSES; class ++) {
    unsigned count = schedule->limit.of[class];
    schedule->comfortable.of[class] = count - MIN(count, count / schedule->margin + 1);
  }
  memset(schedule->kept, 0, schedule->function->block_count * sizeof *schedule->kept);
}

/* Whether some order of the block stays within the limit and is worth it: without the limit a warp
 * takes less time, but only one in `slowdown` warps runs at a time. That order is kept. */
static bool
can_block_keep_limit(Schedule *schedule, uint32_t block, unsigned slowdown) {
  norn_schedule_begin_block(schedule, block);
  order_block(schedule);
  uint64_t length = schedule->length;
  if (norn_counts_exceed(schedule->peak, schedule->limit) &&
      !(order_block_tightly(schedule) && schedule->length * GAIN < slowdown * length * (GAIN - 1)))
    return false;
  schedule->kept[block] = schedule->order;
  schedule->order = (NornIndexList){0};
  return true;
}

/* Whether there are such orders for all blocks that now exceed the limit. */
static bool
can_keep_limit(Schedule *schedule, unsigned slowdown) {
  const NornDominance *dominance = norn_pass_dominance(schedule->context, schedule->function);
  bool keeps = !schedule->random;
  for (uint32_t i = 0; i < dominance->order_count && keeps; i++)
    if (norn_counts_exceed(schedule->needs->block[dominance->order[i]], schedule->limit))
      keeps = norn_pass_continues(schedule->context, 1) &&
              can_block_keep_limit(schedule, dominance->order[i], slowdown);
  return keeps;
}

/* Chooses the register limit: that of the best occupancy that the program fits already or can be
 * made to fit. */
static void
choose_limits(Schedule *schedule) {
  const NornOccupancy *occupancy = schedule->context->target->occupancies;
  set_limit(schedule, occupancy->registers);
  while (norn_counts_exceed(schedule->needs->max, schedule->limit) && occupancy[1].threads &&
         !can_keep_limit(schedule, occupancy->threads / occupancy[1].threads))
    set_limit(schedule, (++occupancy)->registers);
}

Schedule
norn_schedule_new(NornPassContext *context, NornFunction *function) {
  const NornTuning *tuning = &context->tuning;
  Schedule schedule = {
      .context = context,
      .arena = &context->arena,
      .function = function,
      .kept = NORN_NEW0(&context->arena, NornIndexList, function->block_count),
      .node_of = NORN_NEW0(&context->arena, uint32_t, function->inst_count),
      .short_latency = norn_tuned(tuning->short_latency, SHORT_LATENCY),
      .margin = norn_tuned(tuning->register_margin, MARGIN),
      .counts_units = tuning->counts_units && context->target->occupies,
      .seed = tuning->seed,
      .merged_tag = NORN_INDEX_NONE,
  };
  norn_access_set_init(&schedule.accesses, schedule.arena, MAX_ACCESSES);
  if (context->options->chaos & NORN_CHAOS_SCHEDULE)
    schedule.random = context->options->seed | 1;
  return schedule;
}

void
norn_schedule_blocks(Schedule *schedule) {
  const NornDominance *dominance = norn_pass_dominance(schedule->context, schedule->function);
  for (uint32_t i = 0; i < dominance->order_count && norn_pass_continues(schedule->context, 1); i++)
    schedule_block(schedule, dominance->order[i]);
}

/* Finds the values that are passed to the next iterations of loops. */
static void
find_arguments(Schedule *schedule) {
  const NornFunction *function = schedule->function;
  const NornDominance *dominance = norn_pass_dominance(schedule->context, function);
  schedule->parameter_of = NORN_NEW0(schedule->arena, uint32_t, function->value_count);
  schedule->readers_of = NORN_NEW0(schedule->arena, uint32_t, function->value_count);
  for (uint32_t i = 0; i < dominance->order_count; i++) {
    uint32_t block = dominance->order[i], last = norn_block(function, block)->last;
    norn_for_each_edge (function, last, edge)
      for (uint32_t k = 0; k < edge.argument_count && norn_dominates(dominance, edge.block, block);
           k++) {
        NornRef argument = norn_operand(function, last, edge.operand + 1 + k);
        uint32_t parameter = norn_block_parameter(function, edge.block, k);
        if (norn_ref_kind(argument) != NORN_REF_VALUE)
          continue;
        schedule->parameter_of[norn_ref_payload(argument)] = parameter + 1;
        schedule->readers_of[parameter] = 1;
      }
  }
}

bool
norn_pass_schedule(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  Schedule schedule = norn_schedule_new(context, function);
  schedule.needs = norn_pass_pressure(context, function, &schedule.live);
  schedule.use_at = NORN_NEW0(&context->arena, uint32_t, function->value_count);
  schedule.words_left = NORN_NEW0(&context->arena, uint32_t, function->inst_count);
  find_arguments(&schedule);
  schedule.readers_left = NORN_NEW0(&context->arena, ReadersLeft, function->value_count);
  choose_limits(&schedule);
  norn_schedule_blocks(&schedule);
  return true;
}
