/* List scheduling of each block, before registers are given.
 *
 * Top-down: of the instructions whose operands should have arrived, the one with the longest way to
 * the block's end goes next, so messages start early and what needs them comes late. Near the limit
 * of registers, the one that frees most (or costs least) goes next instead. Instructions that order
 * everything around them cut the block into regions; memory accesses keep their order where they
 * conflict (ir/analysis/alias.h). An order that needs more registers than the limit and than the
 * old order is thrown away.
 *
 * The first instruction not yet scheduled is always ready, because the old order is legal. */
#include "ir/analysis/pressure.h"
#include "ir/ops.h"
#include "passes/finish/machine_code.h"
#include <string.h>

enum {
  SHORT_LATENCY = 16, /* what is shorter, other warps hide */
  MOST_ACCESSES = 24, /* kept apart between full stops */
  LOOKAHEAD = 16,     /* candidates compared when registers are short */
  MARGIN = 8,         /* one in so many registers is left free */
  VARIATION = 8,      /* a seed makes heights greater by at most one part in so many */
};

typedef struct DependenceEdge {
  uint32_t to, next; /* next: edge + 1 */
  uint16_t latency;
} DependenceEdge;

/* A value that an instruction reads and that dies in the block, and by how many operands. */
typedef struct Use {
  uint32_t value;
  uint32_t count; /* operands that are it */
} Use;

/* A node that reads a register. */
typedef struct Reader {
  uint32_t node, next; /* next: reader + 1 */
} Reader;

/* Who has accessed a register so far. */
typedef struct RegisterAccess {
  uint32_t writer;  /* the last one: node + 1 */
  uint32_t readers; /* those since: reader + 1 */
} RegisterAccess;

typedef struct Node {
  uint32_t inst;
  uint32_t first_use, use_count; /* in `uses` */
  NornRegisterCounts taken;      /* pressure of the results that anything uses */
  NornRegisterCounts unused;     /* and of the others */
  uint32_t first_edge;           /* edge + 1 */
  uint32_t waiting;              /* predecessors not scheduled */
  uint32_t height;               /* latency to the end of the region */
  uint32_t ready;                /* time at which the operands should be there */
  uint32_t position;             /* in the heap that holds it */
  bool is_scheduled;
} Node;

typedef struct Schedule {
  NornPassContext *context;
  NornArena *arena;
  NornFunction *function;
  const NornLiveness *live;
  const NornPressure *needs;
  NornRegisterCounts comfortable; /* pressure beyond which registers count more than time */
  NornRegisterCounts limit;       /* pressure that must not be passed */
  uint32_t block;
  NORN_LIST(Node) nodes; /* of the region */
  NORN_LIST(DependenceEdge) edges;
  NORN_LIST(Use) uses;                           /* those of the nodes */
  RegisterAccess registers[NORN_MOST_REGISTERS]; /* by nodes; if they are allocated */
  NORN_LIST(Reader) readers;
  uint32_t unit_free[NORN_MOST_UNITS]; /* when it has executed what was given to it */
  bool is_allocated;                   /* registers order instructions, and count no more */
  bool is_trial;                       /* orders are not kept */
  NornIndexList order;                 /* instructions of the block as scheduled so far */
  NornIndexList available;             /* heap of nodes by height */
  NornIndexList pending;               /* heap of nodes by time */
  NornAccessSet accesses;              /* of the region; their tags are nodes */
  uint32_t *node_of;                   /* per instruction: node + 1 in the current region */
  uint32_t *uses_left;                 /* per value that dies in the block */
  NornRegisterCounts pressure, peak;
  unsigned short_latency, margin;
  uint64_t random; /* 0: no chaos */
  uint64_t seed;   /* of changes to heights; 0: none */
} Schedule;

static Node *
node_at(const Schedule *schedule, uint32_t index) {
  NORN_ASSERT(index < schedule->nodes.count);
  return &schedule->nodes.items[index];
}

/* --- heaps ---------------------------------------------------------------------------------------
 */

/* Whether node a comes before node b in a heap; nodes are in the old order. */
typedef bool (*Before)(const Node *a, const Node *b);

static bool
is_higher(const Node *a, const Node *b) {
  return a->height != b->height ? a->height > b->height : a < b;
}

static bool
is_sooner(const Node *a, const Node *b) {
  return a->ready != b->ready ? a->ready < b->ready : is_higher(a, b);
}

static void
heap_set(const Schedule *schedule, NornIndexList *heap, unsigned position, uint32_t index) {
  heap->items[position] = index;
  node_at(schedule, index)->position = position;
}

/* Moves node `index` from `position` toward the top, past those that come after it. */
static void
heap_rise(const Schedule *schedule, NornIndexList *heap, unsigned position, uint32_t index,
          Before before) {
  for (; position; position = (position - 1) / 2) {
    uint32_t parent = heap->items[(position - 1) / 2];
    if (!before(node_at(schedule, index), node_at(schedule, parent)))
      break;
    heap_set(schedule, heap, position, parent);
  }
  heap_set(schedule, heap, position, index);
}

static void
heap_sink(const Schedule *schedule, NornIndexList *heap, unsigned position, uint32_t index,
          Before before) {
  for (unsigned child; (child = 2 * position + 1) < heap->count; position = child) {
    uint32_t best = heap->items[child];
    if (child + 1 < heap->count) {
      uint32_t right = heap->items[child + 1];
      if (before(node_at(schedule, right), node_at(schedule, best))) {
        best = right;
        child++;
      }
    }
    if (!before(node_at(schedule, best), node_at(schedule, index)))
      break;
    heap_set(schedule, heap, position, best);
  }
  heap_set(schedule, heap, position, index);
}

static void
heap_push(const Schedule *schedule, NornIndexList *heap, uint32_t index, Before before) {
  norn_list_push(schedule->arena, heap, index);
  heap_rise(schedule, heap, heap->count - 1, index, before);
}

/* Takes out what is at the position. */
static uint32_t
heap_remove(const Schedule *schedule, NornIndexList *heap, unsigned position, Before before) {
  NORN_ASSERT(position < heap->count);
  uint32_t index = heap->items[position], last = heap->items[--heap->count];
  if (position < heap->count) {
    heap_sink(schedule, heap, position, last, before);
    heap_rise(schedule, heap, node_at(schedule, last)->position, last, before);
  }
  return index;
}

/* --- the graph of a region -----------------------------------------------------------------------
 */

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
  norn_list_push(schedule->arena, &schedule->edges,
                 (DependenceEdge){to, node_at(schedule, from)->first_edge, (uint16_t)latency});
  node_at(schedule, from)->first_edge = schedule->edges.count;
  node_at(schedule, to)->waiting++;
}

/* Orders an access after those before it that it conflicts with; when too many are remembered, it
 * is ordered after all and stands for them. */
static void
order_access(Schedule *schedule, uint32_t index, const NornMemoryAccess *memory) {
  NornAccessSet *accesses = &schedule->accesses;
  NornMemoryAccess access = *memory;
  const NornMemoryAccess *earlier;
  access.tag = index;
  if (norn_access_set_is_full(accesses))
    for (unsigned i = 0; i < accesses->count; i++)
      add_edge(schedule, accesses->accesses[i].tag, index, 1);
  else
    for (unsigned end = accesses->count;
         (earlier = norn_access_set_conflict(accesses, &access, &end));)
      add_edge(schedule, earlier->tag, index, 1);
  norn_access_set_add(accesses, &access);
}

static bool
dies_after_block(const Schedule *schedule, uint32_t value) {
  return !norn_live_out(schedule->live, schedule->block, value);
}

/* Appends what the instruction reads to `uses`, but for values that live on after the block. */
static unsigned
collect_uses(Schedule *schedule, const NornInst *inst) {
  const NornRef *operands = norn_operands(schedule->function, inst);
  uint32_t first = schedule->uses.count;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    uint32_t value = norn_ref_payload(operands[k]);
    if (norn_ref_kind(operands[k]) != NORN_REF_VALUE || !dies_after_block(schedule, value))
      continue;
    uint32_t at = first;
    while (at < schedule->uses.count && schedule->uses.items[at].value != value)
      at++;
    if (at == schedule->uses.count)
      norn_list_push(schedule->arena, &schedule->uses, (Use){value, 0});
    schedule->uses.items[at].count++;
  }
  return schedule->uses.count - first;
}

/* Pressure of those uses after which a value is dead. */
static NornRegisterCounts
freed_by(const Schedule *schedule, uint32_t first, unsigned count) {
  NornRegisterCounts freed = {{0}};
  for (unsigned k = 0; k < count; k++) {
    const Use *use = &schedule->uses.items[first + k];
    if (schedule->uses_left[use->value] == use->count)
      freed = norn_counts_plus(freed, norn_pressure_of(schedule->needs, use->value));
  }
  return freed;
}

/* Pressure of the results that anything uses; *unused is that of the others. */
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

/* Orders a node after those that compute what it reads. */
static void
order_by_values(Schedule *schedule, uint32_t index, const NornInst *inst) {
  const NornFunction *function = schedule->function;
  const NornRef *operands = norn_operands(function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = operands[k];
    if (norn_ref_kind(ref) != NORN_REF_VALUE)
      continue;
    const NornValue *value = norn_value(function, norn_ref_payload(ref));
    if (!value->is_parameter && schedule->node_of[value->def])
      add_edge(schedule, schedule->node_of[value->def] - 1, index,
               latency_of(schedule, norn_inst(function, value->def)));
  }
}

/* Latency until what needs the node can issue. */
static unsigned
latency_of_node(const Schedule *schedule, uint32_t index) {
  return latency_of(schedule, norn_inst(schedule->function, node_at(schedule, index)->inst));
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

/* Orders a node after those that write registers that it reads, or access those that it writes. */
static void
order_by_registers(Schedule *schedule, uint32_t index, const NornInst *inst) {
  const NornFunction *function = schedule->function;
  const NornTarget *target = schedule->context->target;
  NornRegisterSet written = norn_registers_written(function, inst);
  NornFixedRegisters fixed;
  if (norn_is_machine(inst) && target->fixed_registers(target, function, inst, &fixed))
    norn_regs_add(&written, fixed.clobbered);
  norn_for_each_register (reg, norn_registers_read(function, inst))
    order_read(schedule, index, reg);
  norn_for_each_register (reg, written)
    order_write(schedule, index, reg);
}

/* `message` describes what the instruction does to memory; NULL: it is no message. */
static void
add_node(Schedule *schedule, uint32_t inst_index, const NornMessage *message) {
  const NornFunction *function = schedule->function;
  const NornInst *inst = norn_inst(function, inst_index);
  uint32_t index = schedule->nodes.count;
  Node node = {.inst = inst_index, .first_use = schedule->uses.count};
  if (!schedule->is_allocated) {
    node.use_count = collect_uses(schedule, inst);
    node.taken = taken_by(schedule, inst, &node.unused);
  }
  norn_list_push(schedule->arena, &schedule->nodes, node);
  schedule->node_of[inst_index] = index + 1;
  if (schedule->is_allocated)
    order_by_registers(schedule, index, inst);
  else
    order_by_values(schedule, index, inst);
  if (message && norn_accesses_memory(message))
    order_access(schedule, index, &message->memory);
}

/* Heights, from the last node up: edges go forward. */
static void
find_heights(Schedule *schedule) {
  for (uint32_t i = schedule->nodes.count; i--;) {
    Node *node = node_at(schedule, i);
    for (uint32_t e = node->first_edge; e;) {
      const DependenceEdge *edge = &schedule->edges.items[e - 1];
      node->height = MAX(node->height, node_at(schedule, edge->to)->height + edge->latency);
      e = edge->next;
    }
    node->height++;
    if (schedule->seed) {
      schedule->seed = schedule->seed * UINT64_C(6364136223846793005) + 1442695040888963407;
      node->height += (uint32_t)(schedule->seed >> 33) % (1 + node->height / VARIATION);
    }
  }
}

/* --- choosing ------------------------------------------------------------------------------------
 */

/* The change of pressure in the classes that are short. */
static int
change_by(const Schedule *schedule, uint32_t index) {
  const Node *node = node_at(schedule, index);
  NornRegisterCounts freed = freed_by(schedule, node->first_use, node->use_count);
  int change = 0;
  for (unsigned class = 0; class < NORN_REGISTER_CLASSES; class ++)
    if (schedule->pressure.of[class] > schedule->comfortable.of[class])
      change += (int)node->taken.of[class] - (int)freed.of[class];
  return change;
}

/* Appends an instruction to the order; the node says what it uses and takes. */
static void
emit(Schedule *schedule, const Node *node) {
  schedule->pressure = norn_counts_minus(norn_counts_plus(schedule->pressure, node->taken),
                                         freed_by(schedule, node->first_use, node->use_count));
  schedule->peak =
      norn_counts_max(schedule->peak, norn_counts_plus(schedule->pressure, node->unused));
  for (uint32_t k = 0; k < node->use_count; k++) {
    const Use *use = &schedule->uses.items[node->first_use + k];
    NORN_ASSERT(schedule->uses_left[use->value] >= use->count);
    schedule->uses_left[use->value] -= use->count;
  }
  norn_list_push(schedule->arena, &schedule->order, node->inst);
}

/* The next node when registers are short: of a few, the one that costs least; `first` is the first
 * one not scheduled. */
static uint32_t
choose_by_pressure(const Schedule *schedule, uint32_t first) {
  const NornIndexList *heap = &schedule->available;
  uint32_t best = first;
  int best_change = change_by(schedule, first);
  for (unsigned i = 0; i < MIN(heap->count, LOOKAHEAD); i++) {
    uint32_t candidate = heap->items[i];
    int change = change_by(schedule, candidate);
    if (change < best_change || (change == best_change && candidate < best)) {
      best_change = change;
      best = candidate;
    }
  }
  return best;
}

/* Takes a node out of whichever heap it is in. */
static void
take_out(Schedule *schedule, uint32_t index) {
  unsigned position = node_at(schedule, index)->position;
  NornIndexList *heap = &schedule->available;
  if (position < heap->count && heap->items[position] == index)
    heap_remove(schedule, heap, position, is_higher);
  else
    heap_remove(schedule, &schedule->pending, position, is_sooner);
}

static uint32_t
choose(Schedule *schedule, uint32_t first, uint32_t *now) {
  NornIndexList *available = &schedule->available, *pending = &schedule->pending;
  while (pending->count && node_at(schedule, pending->items[0])->ready <= *now)
    heap_push(schedule, available, heap_remove(schedule, pending, 0, is_sooner), is_higher);
  if (schedule->random && available->count) {
    schedule->random = schedule->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    unsigned position = (unsigned)(schedule->random >> 33) % available->count;
    return heap_remove(schedule, available, position, is_higher);
  }
  if (norn_counts_exceed(schedule->pressure, schedule->comfortable) && !schedule->random) {
    uint32_t index = choose_by_pressure(schedule, first);
    take_out(schedule, index);
    return index;
  }
  if (available->count)
    return heap_remove(schedule, available, 0, is_higher);
  *now = node_at(schedule, pending->items[0])->ready;
  return heap_remove(schedule, pending, 0, is_sooner);
}

/* Gives the instruction to its unit at that time; how long it queues there. */
static uint32_t
queue_for_unit(Schedule *schedule, uint32_t index, uint32_t now) {
  const NornTarget *target = schedule->context->target;
  const NornInst *inst = norn_inst(schedule->function, node_at(schedule, index)->inst);
  unsigned unit;
  if (!schedule->is_allocated || !target->occupies || !norn_is_machine(inst))
    return 0;
  unsigned cycles = target->occupies(target, inst, &unit);
  uint32_t start = MAX(now, schedule->unit_free[unit]);
  schedule->unit_free[unit] = start + cycles;
  return start - now;
}

static void
release_successors(Schedule *schedule, uint32_t index, uint32_t now) {
  uint32_t queued = queue_for_unit(schedule, index, now - 1);
  for (uint32_t e = node_at(schedule, index)->first_edge; e;) {
    const DependenceEdge *edge = &schedule->edges.items[e - 1];
    Node *to = node_at(schedule, edge->to);
    unsigned latency = schedule->random ? 0 : edge->latency + (edge->latency > 1 ? queued : 0);
    NORN_ASSERT(to->waiting && !to->is_scheduled);
    to->ready = MAX(to->ready, now + latency);
    if (!--to->waiting)
      heap_push(schedule, &schedule->pending, edge->to, is_sooner);
    e = edge->next;
  }
}

static void
schedule_region(Schedule *schedule) {
  uint32_t count = schedule->nodes.count, first = 0, now = 0;
  find_heights(schedule);
  for (uint32_t i = 0; i < count; i++)
    if (!node_at(schedule, i)->waiting)
      heap_push(schedule, &schedule->pending, i, is_sooner);
  for (uint32_t done = 0; done < count; done++) {
    while (node_at(schedule, first)->is_scheduled)
      first++;
    /* The old order is legal. */
    NORN_ASSERT(!node_at(schedule, first)->waiting);
    uint32_t index = choose(schedule, first, &now);
    Node *node = node_at(schedule, index);
    node->is_scheduled = true;
    emit(schedule, node);
    now++;
    release_successors(schedule, index, now);
  }
  NORN_ASSERT(!schedule->available.count && !schedule->pending.count);
  for (uint32_t i = 0; i < count; i++)
    schedule->node_of[node_at(schedule, i)->inst] = 0;
  schedule->nodes.count = schedule->edges.count = schedule->uses.count = 0;
  schedule->readers.count = 0;
  memset(schedule->registers, 0, sizeof schedule->registers);
  memset(schedule->unit_free, 0, sizeof schedule->unit_free);
  norn_access_set_clear(&schedule->accesses);
}

/* --- blocks --------------------------------------------------------------------------------------
 */

/* Whether nothing may move across the instruction, of which `message` tells what it does if it is a
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

static void
begin_block(Schedule *schedule, uint32_t block) {
  const NornFunction *function = schedule->function;
  const NornLiveness *live = schedule->live;
  schedule->block = block;
  schedule->pressure = (NornRegisterCounts){{0}};
  schedule->order.count = 0;
  if (schedule->is_allocated)
    return;
  norn_for_each_live (live, live->in, block, value)
    schedule->pressure =
        norn_counts_plus(schedule->pressure, norn_pressure_of(schedule->needs, value));
  for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++) {
    uint32_t value = norn_block_parameter(function, block, k);
    if (!norn_bit(schedule->needs->unused, value))
      schedule->pressure =
          norn_counts_plus(schedule->pressure, norn_pressure_of(schedule->needs, value));
  }
  schedule->peak = schedule->pressure;
  norn_for_each_inst (function, block, inst) {
    const NornInst *self = norn_inst(function, inst);
    const NornRef *operands = norn_operands(function, self);
    for (unsigned k = 0; k < self->operand_count; k++) {
      NornRef ref = operands[k];
      if (norn_ref_kind(ref) == NORN_REF_VALUE && dies_after_block(schedule, norn_ref_payload(ref)))
        schedule->uses_left[norn_ref_payload(ref)]++;
    }
  }
}

static void
relink(Schedule *schedule) {
  NornFunction *function = schedule->function;
  NornBlock *block = norn_block(function, schedule->block);
  uint32_t previous = NORN_INDEX_NONE;
  for (uint32_t i = 0; i < schedule->order.count; i++) {
    uint32_t inst = schedule->order.items[i];
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

static void
schedule_block(Schedule *schedule, uint32_t block) {
  const NornFunction *function = schedule->function;
  const NornTarget *target = schedule->context->target;
  begin_block(schedule, block);
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = norn_inst(function, index);
    NornMessage description;
    bool is_message =
        norn_is_machine(inst) && target->message(target, function, inst, &description);
    const NornMessage *message = is_message ? &description : NULL;
    if (!is_full_stop(schedule, inst, message)) {
      add_node(schedule, index, message);
      continue;
    }
    schedule_region(schedule);
    Node node = {.inst = index};
    if (!schedule->is_allocated) {
      node.use_count = collect_uses(schedule, inst);
      node.taken = taken_by(schedule, inst, &node.unused);
    }
    emit(schedule, &node);
    schedule->uses.count = 0;
  }
  NORN_ASSERT(!schedule->nodes.count); /* a block ends in a full stop */
  if (schedule->is_allocated) {
    relink(schedule);
    return;
  }
  NornRegisterCounts allowed = norn_counts_max(schedule->limit, schedule->needs->block[block]);
  if (!schedule->is_trial && (schedule->random || !norn_counts_exceed(schedule->peak, allowed)))
    relink(schedule);
}

static void
set_limit(Schedule *schedule, NornRegisterSet registers) {
  schedule->limit = norn_regs_by_class(&schedule->context->target->registers, registers);
  for (unsigned class = 0; class < NORN_REGISTER_CLASSES; class ++) {
    unsigned count = schedule->limit.of[class];
    schedule->comfortable.of[class] = count - MIN(count, count / schedule->margin + 1);
  }
}

/* Whether an order is found that keeps the limit in the blocks that do not keep it now. Where they
 * are far beyond it, none is looked for. */
static bool
can_keep_limit(Schedule *schedule) {
  const NornDominance *dominance = norn_pass_dominance(schedule->context, schedule->function);
  NornRegisterCounts near = schedule->limit;
  for (unsigned class = 0; class < NORN_REGISTER_CLASSES; class ++)
    near.of[class] += near.of[class] / 2;
  bool keeps = !schedule->random && !norn_counts_exceed(schedule->needs->max, near);
  schedule->is_trial = true;
  for (uint32_t i = 0; i < dominance->order_count && keeps; i++) {
    uint32_t block = dominance->order[i];
    if (!norn_counts_exceed(schedule->needs->block[block], schedule->limit))
      continue;
    keeps = norn_pass_continues(schedule->context, 1);
    schedule_block(schedule, block);
    keeps = keeps && !norn_counts_exceed(schedule->peak, schedule->limit);
  }
  schedule->is_trial = false;
  return keeps;
}

/* How many registers there are to work with: those of the best occupancy that the program fits
 * already, or can be brought to. */
static void
choose_limits(Schedule *schedule) {
  const NornOccupancy *occupancy = schedule->context->target->occupancies;
  set_limit(schedule, occupancy->registers);
  while (norn_counts_exceed(schedule->needs->max, schedule->limit) && occupancy[1].threads &&
         !can_keep_limit(schedule))
    set_limit(schedule, (++occupancy)->registers);
}

bool
norn_pass_schedule(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  const NornDominance *dominance = norn_pass_dominance(context, function);
  NornArena *arena = &context->arena;
  const NornLiveness *live;
  const NornPressure *needs = norn_pass_pressure(context, function, &live);
  Schedule schedule = {
      .context = context,
      .arena = arena,
      .function = function,
      .live = live,
      .needs = needs,
      .node_of = NORN_NEW0(arena, uint32_t, function->inst_count),
      .uses_left = NORN_NEW0(arena, uint32_t, function->value_count),
      .short_latency =
          context->tuning.short_latency ? context->tuning.short_latency : SHORT_LATENCY,
      .margin = context->tuning.margin ? context->tuning.margin : MARGIN,
  };
  norn_access_set_init(&schedule.accesses, arena, MOST_ACCESSES);
  if (context->options->chaos & NORN_CHAOS_SCHEDULE)
    schedule.random = context->options->seed | 1;
  schedule.seed = context->tuning.seed;
  choose_limits(&schedule);
  for (uint32_t i = 0; i < dominance->order_count && norn_pass_continues(context, 1); i++)
    schedule_block(&schedule, dominance->order[i]);
  return true;
}

bool
norn_pass_post_ra_schedule(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  const NornDominance *dominance = norn_pass_dominance(context, function);
  NornArena *arena = &context->arena;
  Schedule schedule = {
      .context = context,
      .arena = arena,
      .function = function,
      .is_allocated = true,
      .short_latency = 1,
      .seed = context->tuning.seed,
      .node_of = NORN_NEW0(arena, uint32_t, function->inst_count),
  };
  norn_access_set_init(&schedule.accesses, arena, MOST_ACCESSES);
  if (context->options->chaos & NORN_CHAOS_SCHEDULE)
    schedule.random = context->options->seed | 1;
  for (uint32_t i = 0; i < dominance->order_count && norn_pass_continues(context, 1); i++)
    schedule_block(&schedule, dominance->order[i]);
  return true;
}
