/* The dependence graphs of a block's regions: which nodes come after which, and how much later.
 *
 * After allocation, an instruction comes after those that write what it reads or writes, by their
 * latency, and after those that read what it writes. That includes staging registers that a message
 * reads, since issue stalls until it has read them. Pseudo operations read and write registers like
 * other instructions, so they are ordered like them.
 *
 * Before allocation, arithmetic that computes an argument for a loop's next iteration comes after
 * the readers of the corresponding parameter, since one register can then hold both. It is not
 * ordered after readers that wait for a message, since it would have to wait as well. */
#include "ir/ops.h"
#include "ir/random.h"
#include "passes/machine_code.h"
#include "passes/schedule/groups.h"
#include "passes/schedule/schedule.h"
#include <string.h>

/* A seed increases heights by at most one part in VARIATION. */
enum { VARIATION = 8, NEARLY_THE_SAME = 8 };

/* --- Edges --- */

static unsigned
latency_of(const Schedule *schedule, const NornInst *inst) {
  const NornTarget *target = schedule->context->target;
  if (!norn_is_machine(inst))
    return 0;
  unsigned latency = target->latency(target, inst);
  return latency < schedule->short_latency ? 1 : latency;
}

static void
add_edge(Schedule *schedule, uint32_t from, uint32_t to, unsigned latency) {
  NORN_ASSERT(from < to);
  norn_list_push(
      schedule->arena, &schedule->edges,
      (DependenceEdge){to, norn_schedule_node(schedule, from)->first_edge, (uint16_t)latency});
  norn_schedule_node(schedule, from)->first_edge = schedule->edges.count;
  Node *node = norn_schedule_node(schedule, to);
  node->start = MAX(node->start, norn_schedule_node(schedule, from)->start + latency);
  node->predecessors++;
}

/* Orders a node after all merged accesses, and from then on stands for them. */
static void
order_after_merged(Schedule *schedule, uint32_t index) {
  NornIndexList *merged = &schedule->merged;
  for (uint32_t i = 0; i < merged->count; i++)
    if (merged->items[i] != index)
      add_edge(schedule, merged->items[i], index, 1);
  merged->items[0] = index;
  merged->count = 1;
}

/* Orders an access after earlier accesses that it conflicts with. If too many are recorded, they
 * are merged: what conflicts with one of them is then ordered after all of them. They stay in any
 * order among themselves. */
static void
order_access(Schedule *schedule, uint32_t index, const NornMemoryAccess *memory) {
  NornAccessSet *accesses = &schedule->accesses;
  NornMemoryAccess access = *memory;
  const NornMemoryAccess *earlier;
  access.tag = index;
  for (unsigned end = accesses->count;
       (earlier = norn_access_set_conflict(accesses, &access, &end));)
    if (earlier->tag == schedule->merged_tag)
      order_after_merged(schedule, index);
    else
      add_edge(schedule, earlier->tag, index, 1);
  if (norn_access_set_is_full(accesses)) {
    for (unsigned i = 0; i < accesses->count; i++)
      if (accesses->accesses[i].tag != schedule->merged_tag)
        norn_list_push(schedule->arena, &schedule->merged, accesses->accesses[i].tag);
    norn_list_push(schedule->arena, &schedule->merged, index);
    schedule->merged_tag = index;
  }
  norn_access_set_add(accesses, &access);
}

/* The node in the region, which begins at node `first`, that computes the operand; NULL: none. */
static Node *
node_of_operand(const Schedule *schedule, uint32_t first, NornRef operand) {
  if (norn_ref_kind(operand) != NORN_REF_VALUE)
    return NULL;
  const NornValue *value = norn_value(schedule->function, norn_ref_payload(operand));
  if (value->is_parameter)
    return NULL;
  uint32_t index = schedule->node_of[value->def];
  if (index < first || index >= schedule->nodes.count)
    return NULL;
  Node *node = norn_schedule_node(schedule, index);
  return node->inst == value->def ? node : NULL;
}

/* Orders a node after those that compute its operands. */
static void
order_by_values(Schedule *schedule, uint32_t first, uint32_t index, const NornInst *inst) {
  const NornFunction *function = schedule->function;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    const Node *node = node_of_operand(schedule, first, norn_operands(function, inst)[k]);
    if (node)
      add_edge(schedule, (uint32_t)(node - schedule->nodes.items), index,
               latency_of(schedule, norn_inst(function, node->inst)));
  }
}

/* Orders arithmetic whose result is passed to a loop's next iteration after the readers of the
 * parameter. */
static void
order_argument(Schedule *schedule, uint32_t index, const NornInst *inst) {
  uint32_t parameter = inst->result_count == 1 ? schedule->parameter_of[inst->result] : 0;
  if (!parameter-- || !norn_is_machine(inst) ||
      !norn_target_is_arithmetic(schedule->context->target, schedule->function, inst))
    return;
  for (uint32_t r = schedule->readers_of[parameter] - 1; r;) {
    const Reader *reader = &schedule->readers.items[r - 1];
    if (norn_schedule_node(schedule, reader->node)->start < schedule->short_latency)
      add_edge(schedule, reader->node, index, 0);
    r = reader->next;
  }
}

/* Records the node as a reader of the loop parameters among its uses. */
static void
note_reader(Schedule *schedule, uint32_t index) {
  const Node *node = norn_schedule_node(schedule, index);
  for (unsigned k = 0; k < node->use_count; k++) {
    uint32_t *last = &schedule->readers_of[schedule->uses.items[node->first_use + k]];
    if (!*last)
      continue;
    norn_list_push(schedule->arena, &schedule->readers, (Reader){index, *last - 1});
    *last = schedule->readers.count + 1;
  }
}

/* Latency until an instruction that needs the node can issue. */
static unsigned
latency_of_node(const Schedule *schedule, uint32_t index) {
  return latency_of(schedule,
                    norn_inst(schedule->function, norn_schedule_node(schedule, index)->inst));
}

static void
order_read(Schedule *schedule, uint32_t index, unsigned reg) {
  RegisterAccess *access = &schedule->registers[reg];
  if (access->writer)
    add_edge(schedule, access->writer - 1, index, latency_of_node(schedule, access->writer - 1));
  norn_list_push(schedule->arena, &schedule->readers, (Reader){index, access->readers});
  access->readers = schedule->readers.count;
}

static void
order_write(Schedule *schedule, uint32_t index, unsigned reg) {
  RegisterAccess *access = &schedule->registers[reg];
  for (uint32_t r = access->readers; r;) {
    const Reader *reader = &schedule->readers.items[r - 1];
    if (reader->node != index)
      add_edge(schedule, reader->node, index, 0);
    r = reader->next;
  }
  if (access->writer)
    add_edge(schedule, access->writer - 1, index, latency_of_node(schedule, access->writer - 1));
  *access = (RegisterAccess){.writer = index + 1};
}

/* Orders a node after those that write registers that it reads, or access registers that it
 * writes. */
static void
order_by_registers(Schedule *schedule, uint32_t index, const NornInst *inst) {
  const NornFunction *function = schedule->function;
  NornRegisterSet written = norn_registers_changed(schedule->context->target, function, inst);
  norn_for_each_register (reg, norn_registers_read(function, inst))
    order_read(schedule, index, reg);
  norn_for_each_register (reg, written)
    order_write(schedule, index, reg);
}

/* Orders a node after earlier nodes of the region, which begins at node `first`, that it depends
 * on; `message` describes its memory access, NULL: it is not a message. */
static void
add_edges(Schedule *schedule, uint32_t first, uint32_t index, const NornMessage *message) {
  const NornInst *inst = norn_inst(schedule->function, norn_schedule_node(schedule, index)->inst);
  if (schedule->is_allocated) {
    order_by_registers(schedule, index, inst);
  } else {
    order_by_values(schedule, first, index, inst);
    order_argument(schedule, index, inst);
    note_reader(schedule, index);
  }
  if (message && norn_accesses_memory(message))
    order_access(schedule, index, &message->memory);
}

/* Ends the region that begins at node `first`: no node to come depends on its nodes. */
static void
end_graph(Schedule *schedule, uint32_t first) {
  if (schedule->is_allocated)
    memset(schedule->registers, 0, sizeof schedule->registers);
  bool is_empty = first == schedule->nodes.count;
  uint32_t use = is_empty ? schedule->uses.count : norn_schedule_node(schedule, first)->first_use;
  for (; use < schedule->uses.count; use++) {
    uint32_t *last = &schedule->readers_of[schedule->uses.items[use]];
    *last = MIN(*last, 1);
  }
  schedule->readers.count = schedule->merged.count = 0;
  schedule->merged_tag = NORN_INDEX_NONE;
  norn_access_set_clear(&schedule->accesses);
}

/* --- Regions --- */

static bool
dies_after_block(const Schedule *schedule, uint32_t value) {
  return !norn_live_out(schedule->live, schedule->block, value);
}

/* Appends the values that the instruction reads to `uses`, except those that are live-out of the
 * block. */
static unsigned
collect_uses(Schedule *schedule, const NornInst *inst) {
  uint32_t first = schedule->uses.count;
  norn_for_each_use (schedule->function, inst, use) {
    uint32_t value = use.value;
    if (!dies_after_block(schedule, value))
      continue;
    uint32_t at = schedule->use_at[value];
    if (at >= first && at < schedule->uses.count && schedule->uses.items[at] == value)
      continue;
    schedule->use_at[value] = schedule->uses.count;
    norn_list_push(schedule->arena, &schedule->uses, value);
  }
  return schedule->uses.count - first;
}

/* Pressure of the results that have uses; *unused: that of the others. */
static NornRegisterCounts
taken_by(const Schedule *schedule, const NornInst *inst, NornRegisterCounts *unused) {
  NornRegisterCounts taken = {{0}};
  *unused = (NornRegisterCounts){{0}};
  for (unsigned k = 0; k < inst->result_count; k++) {
    NornRegisterCounts pressure = norn_pressure_of(schedule->needs, inst->result + k);
    if (norn_bit(schedule->needs->unused, inst->result + k))
      *unused = norn_counts_plus(*unused, pressure);
    else
      taken = norn_counts_plus(taken, pressure);
  }
  return taken;
}

/* Sets the node's uses, results and group; nothing to count after register allocation. */
static void
count_pressure(Schedule *schedule, const NornInst *inst, Node *node) {
  node->group = NORN_INDEX_NONE;
  if (schedule->is_allocated)
    return;
  node->group =
      inst->op == NORN_OP_COLLECT ? node->inst : norn_group_read(schedule->function, inst);
  node->use_count = collect_uses(schedule, inst);
  node->taken = taken_by(schedule, inst, &node->unused);
}

/* Appends a node without edges. */
static void
add_node(Schedule *schedule, uint32_t inst) {
  Node node = {.inst = inst, .first_use = schedule->uses.count};
  count_pressure(schedule, norn_inst(schedule->function, inst), &node);
  schedule->node_of[inst] = schedule->nodes.count;
  norn_list_push(schedule->arena, &schedule->nodes, node);
}

/* Whether nothing may move across the instruction; `message` describes its memory access if it is a
 * message. */
static bool
is_full_stop(const Schedule *schedule, const NornInst *inst, const NornMessage *message) {
  if (inst->op == NORN_OP_PRELOAD || inst->op == NORN_OP_LOOP_ENTRY ||
      norn_is_terminator(schedule->function, inst))
    return true;
  if (!norn_is_machine(inst))
    return false;
  if (!message)
    return !inst->result_count;
  return message->wait_before || message->wait_after || message->waits_all;
}

void
norn_schedule_begin_block(Schedule *schedule, uint32_t block) {
  const NornFunction *function = schedule->function;
  const NornTarget *target = schedule->context->target;
  schedule->block = block;
  schedule->regions.count = schedule->nodes.count = 0;
  schedule->edges.count = schedule->uses.count = 0;
  uint32_t first = 0;
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = norn_inst(function, index);
    NornMessage description;
    bool is_message =
        norn_is_machine(inst) && target->message(target, function, inst, &description);
    const NornMessage *message = is_message ? &description : NULL;
    uint32_t node = schedule->nodes.count;
    bool stops = is_full_stop(schedule, inst, message);
    if (stops) {
      end_graph(schedule, first);
      norn_list_push(schedule->arena, &schedule->regions,
                     (ScheduleRegion){.first = first, .end = node});
      first = node + 1;
    }
    add_node(schedule, index);
    if (!stops)
      add_edges(schedule, first, node, message);
  }
  NORN_ASSERT(first == schedule->nodes.count); /* a block ends in a full stop */
}

/* --- Heights and ranks --- */

/* Computes heights from the last node up: edges go forward. */
void
norn_schedule_find_heights(Schedule *schedule, const ScheduleRegion *region) {
  for (uint32_t i = region->end; i-- > region->first;) {
    Node *node = norn_schedule_node(schedule, i);
    node->height = 0;
    for (uint32_t e = node->first_edge; e;) {
      const DependenceEdge *edge = &schedule->edges.items[e - 1];
      node->height =
          MAX(node->height, norn_schedule_node(schedule, edge->to)->height + edge->latency);
      e = edge->next;
    }
    node->height++;
    if (schedule->seed)
      node->height += norn_random_linear(&schedule->seed) % (1 + node->height / VARIATION);
  }
  for (uint32_t i = region->first; schedule->finishes_chains && i < region->end; i++)
    norn_schedule_node(schedule, i)->height ^= NEARLY_THE_SAME - 1;
}

/* Among the nodes that compute the node's operands and have no rank yet, the deepest one: shallower
 * operands are computed after it. NULL: none. */
static Node *
deepest_operand(const Schedule *schedule, uint32_t first, const Node *node) {
  const NornInst *inst = norn_inst(schedule->function, node->inst);
  const NornRef *operands = norn_operands(schedule->function, inst);
  Node *deepest = NULL;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    Node *operand = node_of_operand(schedule, first, operands[k]);
    if (operand && !operand->rank && (!deepest || operand->depth > deepest->depth))
      deepest = operand;
  }
  return deepest;
}

static void
find_depths(Schedule *schedule, const ScheduleRegion *region) {
  for (uint32_t i = region->first; i < region->end; i++) {
    Node *node = norn_schedule_node(schedule, i);
    const NornInst *inst = norn_inst(schedule->function, node->inst);
    const NornRef *operands = norn_operands(schedule->function, inst);
    for (unsigned k = 0; k < inst->operand_count; k++) {
      const Node *operand = node_of_operand(schedule, region->first, operands[k]);
      node->depth = operand ? MAX(node->depth, operand->depth + 1) : node->depth;
    }
  }
}

/* Ranks the nodes that the root is computed from and then the root, counting `rank` down. */
static void
rank_tree(Schedule *schedule, uint32_t first, uint32_t root, uint32_t *rank) {
  NornIndexList *stack = &schedule->pending;
  norn_list_push(schedule->arena, stack, root);
  while (stack->count) {
    Node *node = norn_schedule_node(schedule, stack->items[stack->count - 1]);
    const Node *operand = node->rank ? NULL : deepest_operand(schedule, first, node);
    if (operand) {
      norn_list_push(schedule->arena, stack, (uint32_t)(operand - schedule->nodes.items));
      continue;
    }
    if (!node->rank)
      node->rank = (*rank)--;
    stack->count--;
  }
}

void
norn_schedule_find_ranks(Schedule *schedule, const ScheduleRegion *region) {
  uint32_t rank = region->end - region->first;
  find_depths(schedule, region);
  for (uint32_t i = region->first; i < region->end; i++) {
    const Node *node = norn_schedule_node(schedule, i);
    if (!node->first_edge || !norn_inst(schedule->function, node->inst)->result_count)
      rank_tree(schedule, region->first, i, &rank);
  }
  for (uint32_t i = region->first; i < region->end; i++)
    rank_tree(schedule, region->first, i, &rank);
}
