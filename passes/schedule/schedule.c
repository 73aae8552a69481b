/* List scheduling of each block, before registers are given.
 *
 * Top-down: of the instructions whose operands should have arrived, the one with the longest way to
 * the block's end goes next, so messages start early and what needs them comes late. Near the limit
 * of registers, the one that frees most (or costs least) goes next instead. Instructions that order
 * everything around them cut the block into regions; memory accesses keep their order where they
 * conflict (ir/analysis/alias.h). An order that needs more registers than the limit and than the
 * old order is thrown away.
 *
 * The first instruction not yet placed is always ready, because the old order is legal. */
#include "ir/analysis/pressure.h"
#include "ir/ops.h"
#include "passes/pass.h"

enum {
  SHORT_LATENCY = 16, /* what is shorter, other warps hide */
  MOST_ACCESSES = 24, /* kept apart between full stops */
  LOOKAHEAD = 16,     /* candidates compared when registers are short */
  MARGIN = 8,         /* one in so many registers is left free */
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

typedef struct Node {
  uint32_t inst;
  uint32_t first_use, use_count; /* in `uses` */
  NornRegisterCounts taken;      /* pressure of the results that anything uses */
  uint32_t first_edge;           /* edge + 1 */
  uint32_t waiting;              /* predecessors not placed */
  uint32_t height;               /* latency to the end of the region */
  uint32_t ready;                /* time at which the operands should be there */
  uint32_t position;             /* in the heap that holds it */
  bool placed;
} Node;

typedef struct Schedule {
  NornPassContext *context;
  NornFunction *function;
  const NornLiveness *live;
  const NornPressure *needs;
  NornRegisterCounts comfortable; /* pressure beyond which registers count more than time */
  NornRegisterCounts limit;       /* pressure that must not be passed */
  uint32_t block;
  GArray *nodes, *edges;  /* Node, DependenceEdge */
  GArray *uses;           /* Use: those of the nodes */
  GArray *order;          /* uint32_t: instructions of the block as placed */
  GArray *available;      /* heap of nodes by height */
  GArray *pending;        /* heap of nodes by time */
  NornAccessSet accesses; /* of the region; their tags are nodes */
  uint32_t *node_of;      /* per instruction: node + 1 in the current region */
  uint32_t *uses_left;    /* per value that dies in the block */
  NornRegisterCounts pressure, peak;
  uint64_t random; /* 0: no chaos */
} Schedule;

static Node *
node_at(const Schedule *schedule, uint32_t index) {
  return &g_array_index(schedule->nodes, Node, index);
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
heap_set(const Schedule *schedule, GArray *heap, unsigned position, uint32_t index) {
  g_array_index(heap, uint32_t, position) = index;
  node_at(schedule, index)->position = position;
}

/* Moves node `index` from `position` toward the top, past those that come after it. */
static void
heap_rise(const Schedule *schedule, GArray *heap, unsigned position, uint32_t index,
          Before before) {
  for (; position; position = (position - 1) / 2) {
    uint32_t parent = g_array_index(heap, uint32_t, (position - 1) / 2);
    if (!before(node_at(schedule, index), node_at(schedule, parent)))
      break;
    heap_set(schedule, heap, position, parent);
  }
  heap_set(schedule, heap, position, index);
}

static void
heap_sink(const Schedule *schedule, GArray *heap, unsigned position, uint32_t index,
          Before before) {
  for (unsigned child; (child = 2 * position + 1) < heap->len; position = child) {
    uint32_t left = g_array_index(heap, uint32_t, child), best = left;
    if (child + 1 < heap->len) {
      uint32_t right = g_array_index(heap, uint32_t, child + 1);
      if (before(node_at(schedule, right), node_at(schedule, left))) {
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
heap_push(const Schedule *schedule, GArray *heap, uint32_t index, Before before) {
  g_array_append_val(heap, index);
  heap_rise(schedule, heap, heap->len - 1, index, before);
}

/* Takes out what is at the position. */
static uint32_t
heap_remove(const Schedule *schedule, GArray *heap, unsigned position, Before before) {
  uint32_t index = g_array_index(heap, uint32_t, position);
  uint32_t last = g_array_index(heap, uint32_t, heap->len - 1);
  g_array_set_size(heap, heap->len - 1);
  if (position < heap->len) {
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
  return latency < SHORT_LATENCY ? 1 : latency;
}

static void
add_edge(Schedule *schedule, uint32_t from, uint32_t to, unsigned latency) {
  DependenceEdge edge = {to, node_at(schedule, from)->first_edge, (uint16_t)latency};
  g_array_append_val(schedule->edges, edge);
  node_at(schedule, from)->first_edge = schedule->edges->len;
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
  const NornRef *operands = schedule->function->operands + inst->operand;
  unsigned first = schedule->uses->len;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    uint32_t value = norn_ref_payload(operands[k]);
    if (norn_ref_kind(operands[k]) != NORN_REF_VALUE || !dies_after_block(schedule, value))
      continue;
    unsigned at = first;
    while (at < schedule->uses->len && g_array_index(schedule->uses, Use, at).value != value)
      at++;
    if (at == schedule->uses->len) {
      Use use = {value, 0};
      g_array_append_val(schedule->uses, use);
    }
    g_array_index(schedule->uses, Use, at).count++;
  }
  return schedule->uses->len - first;
}

/* Pressure of those uses after which a value is dead. */
static NornRegisterCounts
freed_by(const Schedule *schedule, uint32_t first, unsigned count) {
  const Use *uses = &g_array_index(schedule->uses, Use, first);
  NornRegisterCounts freed = {{0}};
  for (unsigned k = 0; k < count; k++)
    if (schedule->uses_left[uses[k].value] == uses[k].count)
      freed = norn_counts_plus(freed, norn_pressure_of(schedule->needs, uses[k].value));
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

static void
add_node(Schedule *schedule, uint32_t inst_index) {
  const NornFunction *function = schedule->function;
  const NornInst *inst = &function->insts[inst_index];
  uint32_t index = schedule->nodes->len;
  NornRegisterCounts unused;
  Node node = {.inst = inst_index, .first_use = schedule->uses->len};
  node.use_count = collect_uses(schedule, inst);
  node.taken = taken_by(schedule, inst, &unused);
  g_array_append_val(schedule->nodes, node);
  schedule->node_of[inst_index] = index + 1;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = function->operands[inst->operand + k];
    if (norn_ref_kind(ref) != NORN_REF_VALUE)
      continue;
    const NornValue *value = &function->values[norn_ref_payload(ref)];
    if (!value->is_parameter && schedule->node_of[value->def])
      add_edge(schedule, schedule->node_of[value->def] - 1, index,
               latency_of(schedule, &function->insts[value->def]));
  }
  NornMessage message;
  const NornPassContext *context = schedule->context;
  if (norn_is_machine(inst) &&
      context->target->message(context->target, function, inst, &message) &&
      norn_accesses_memory(&message))
    order_access(schedule, index, &message.memory);
}

/* Heights, from the last node up: edges go forward. */
static void
find_heights(Schedule *schedule) {
  for (uint32_t i = schedule->nodes->len; i--;) {
    Node *node = node_at(schedule, i);
    for (uint32_t e = node->first_edge; e;) {
      const DependenceEdge *edge = &g_array_index(schedule->edges, DependenceEdge, e - 1);
      node->height = MAX(node->height, node_at(schedule, edge->to)->height + edge->latency);
      e = edge->next;
    }
    node->height++;
  }
}

/* --- placing -------------------------------------------------------------------------------------
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

/* Appends an instruction to the order; its uses are known. */
static void
emit(Schedule *schedule, uint32_t inst_index, uint32_t first_use, unsigned use_count) {
  const NornInst *inst = &schedule->function->insts[inst_index];
  NornRegisterCounts unused, taken = taken_by(schedule, inst, &unused);
  schedule->pressure = norn_counts_minus(norn_counts_plus(schedule->pressure, taken),
                                         freed_by(schedule, first_use, use_count));
  schedule->peak = norn_counts_most(schedule->peak, norn_counts_plus(schedule->pressure, unused));
  for (unsigned k = 0; k < use_count; k++) {
    const Use *use = &g_array_index(schedule->uses, Use, first_use + k);
    schedule->uses_left[use->value] -= use->count;
  }
  g_array_append_val(schedule->order, inst_index);
}

/* The next node when registers are short: of a few, the one that costs least; `first` is the first
 * one not placed. */
static uint32_t
choose_by_pressure(Schedule *schedule, uint32_t first) {
  GArray *heap = schedule->available;
  uint32_t best = first;
  int best_change = change_by(schedule, first);
  for (unsigned i = 0; i < MIN(heap->len, LOOKAHEAD); i++) {
    uint32_t candidate = g_array_index(heap, uint32_t, i);
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
  GArray *heap = schedule->available;
  if (position < heap->len && g_array_index(heap, uint32_t, position) == index)
    heap_remove(schedule, heap, position, is_higher);
  else
    heap_remove(schedule, schedule->pending, position, is_sooner);
}

static uint32_t
choose(Schedule *schedule, uint32_t first, uint32_t *now) {
  GArray *available = schedule->available, *pending = schedule->pending;
  while (pending->len && node_at(schedule, g_array_index(pending, uint32_t, 0))->ready <= *now)
    heap_push(schedule, available, heap_remove(schedule, pending, 0, is_sooner), is_higher);
  if (schedule->random && available->len) {
    schedule->random = schedule->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    unsigned position = (unsigned)(schedule->random >> 33) % available->len;
    return heap_remove(schedule, available, position, is_higher);
  }
  if (norn_counts_exceed(schedule->pressure, schedule->comfortable) && !schedule->random) {
    uint32_t index = choose_by_pressure(schedule, first);
    take_out(schedule, index);
    return index;
  }
  if (available->len)
    return heap_remove(schedule, available, 0, is_higher);
  *now = node_at(schedule, g_array_index(pending, uint32_t, 0))->ready;
  return heap_remove(schedule, pending, 0, is_sooner);
}

static void
release_successors(Schedule *schedule, uint32_t index, uint32_t now) {
  for (uint32_t e = node_at(schedule, index)->first_edge; e;) {
    const DependenceEdge *edge = &g_array_index(schedule->edges, DependenceEdge, e - 1);
    Node *to = node_at(schedule, edge->to);
    unsigned latency = schedule->random ? 0 : edge->latency;
    to->ready = MAX(to->ready, now + latency);
    if (!--to->waiting)
      heap_push(schedule, schedule->pending, edge->to, is_sooner);
    e = edge->next;
  }
}

static void
place_region(Schedule *schedule) {
  uint32_t count = schedule->nodes->len, first = 0, now = 0;
  find_heights(schedule);
  for (uint32_t i = 0; i < count; i++)
    if (!node_at(schedule, i)->waiting)
      heap_push(schedule, schedule->pending, i, is_sooner);
  for (uint32_t placed = 0; placed < count; placed++) {
    while (node_at(schedule, first)->placed)
      first++;
    uint32_t index = choose(schedule, first, &now);
    Node *node = node_at(schedule, index);
    node->placed = true;
    emit(schedule, node->inst, node->first_use, node->use_count);
    now++;
    release_successors(schedule, index, now);
  }
  for (uint32_t i = 0; i < count; i++)
    schedule->node_of[node_at(schedule, i)->inst] = 0;
  g_array_set_size(schedule->nodes, 0);
  g_array_set_size(schedule->edges, 0);
  g_array_set_size(schedule->uses, 0);
  g_array_set_size(schedule->available, 0);
  g_array_set_size(schedule->pending, 0);
  norn_access_set_clear(&schedule->accesses);
}

/* --- blocks --------------------------------------------------------------------------------------
 */

/* Whether nothing may move across the instruction. */
static bool
is_full_stop(const Schedule *schedule, const NornInst *inst) {
  const NornPassContext *context = schedule->context;
  NornMessage message;
  if (inst->op == NORN_OP_PRELOAD || inst->op == NORN_OP_LOOP_ENTRY ||
      norn_is_terminator(schedule->function, inst))
    return true;
  if (!norn_is_machine(inst))
    return false;
  if (!context->target->message(context->target, schedule->function, inst, &message))
    return !inst->result_count;
  return message.wait_before || message.wait_after || message.waits_all;
}

static void
begin_block(Schedule *schedule, uint32_t block) {
  const NornFunction *function = schedule->function;
  const NornLiveness *live = schedule->live;
  schedule->block = block;
  schedule->pressure = (NornRegisterCounts){{0}};
  g_array_set_size(schedule->order, 0);
  norn_for_each_live (live, live->in, block, value)
    schedule->pressure =
        norn_counts_plus(schedule->pressure, norn_pressure_of(schedule->needs, value));
  for (unsigned k = 0; k < function->blocks[block].parameter_count; k++) {
    uint32_t value = norn_block_parameter(function, block, k);
    if (!norn_bit(schedule->needs->unused, value))
      schedule->pressure =
          norn_counts_plus(schedule->pressure, norn_pressure_of(schedule->needs, value));
  }
  schedule->peak = schedule->pressure;
  norn_for_each_inst (function, block, inst)
    for (unsigned k = 0; k < function->insts[inst].operand_count; k++) {
      NornRef ref = function->operands[function->insts[inst].operand + k];
      if (norn_ref_kind(ref) == NORN_REF_VALUE && dies_after_block(schedule, norn_ref_payload(ref)))
        schedule->uses_left[norn_ref_payload(ref)]++;
    }
}

static void
relink(Schedule *schedule) {
  NornFunction *function = schedule->function;
  NornBlock *block = &function->blocks[schedule->block];
  uint32_t previous = NORN_INDEX_NONE;
  for (uint32_t i = 0; i < schedule->order->len; i++) {
    uint32_t inst = g_array_index(schedule->order, uint32_t, i);
    function->insts[inst].previous = previous;
    function->insts[inst].next = NORN_INDEX_NONE;
    if (previous == NORN_INDEX_NONE)
      block->first = inst;
    else
      function->insts[previous].next = inst;
    previous = inst;
  }
  block->last = previous;
}

static void
schedule_block(Schedule *schedule, uint32_t block) {
  const NornFunction *function = schedule->function;
  begin_block(schedule, block);
  norn_for_each_inst (function, block, inst) {
    if (!is_full_stop(schedule, &function->insts[inst])) {
      add_node(schedule, inst);
      continue;
    }
    place_region(schedule);
    unsigned count = collect_uses(schedule, &function->insts[inst]);
    emit(schedule, inst, 0, count);
    g_array_set_size(schedule->uses, 0);
  }
  NornRegisterCounts most = norn_counts_most(schedule->limit, schedule->needs->block[block]);
  if (schedule->random || !norn_counts_exceed(schedule->peak, most))
    relink(schedule);
}

/* How many registers there are to work with: those of the best occupancy that the program fits
 * already. */
static void
choose_limits(Schedule *schedule) {
  const NornTarget *target = schedule->context->target;
  const NornOccupancy *occupancy = target->occupancies;
  do
    schedule->limit = norn_regs_by_class(&target->registers, occupancy->registers);
  while (norn_counts_exceed(schedule->needs->max, schedule->limit) && (++occupancy)->threads);
  for (unsigned class = 0; class < NORN_REGISTER_CLASSES; class ++) {
    unsigned count = schedule->limit.of[class];
    schedule->comfortable.of[class] = count - MIN(count, count / MARGIN + 1);
  }
}

bool
norn_pass_schedule(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  const NornDominance *dominance = norn_pass_dominance(context, function);
  NornLiveness *live = norn_liveness_new(function, dominance);
  NornPressure *needs = norn_pressure_new(function, dominance, live, &context->target->registers);
  Schedule schedule = {
      .context = context,
      .function = function,
      .live = live,
      .needs = needs,
      .nodes = g_array_new(FALSE, FALSE, sizeof(Node)),
      .edges = g_array_new(FALSE, FALSE, sizeof(DependenceEdge)),
      .uses = g_array_sized_new(FALSE, FALSE, sizeof(Use), 1),
      .order = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
      .available = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
      .pending = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
      .node_of = NORN_NEW0(&context->arena, uint32_t, function->inst_count + 1),
      .uses_left = NORN_NEW0(&context->arena, uint32_t, function->value_count + 1),
  };
  norn_access_set_init(&schedule.accesses, MOST_ACCESSES);
  if (context->options->chaos & NORN_CHAOS_SCHEDULE)
    schedule.random = context->options->seed | 1;
  choose_limits(&schedule);
  for (uint32_t i = 0; i < dominance->order_count && norn_pass_continues(context, 1); i++)
    schedule_block(&schedule, dominance->order[i]);
  g_array_free(schedule.nodes, TRUE);
  g_array_free(schedule.edges, TRUE);
  g_array_free(schedule.uses, TRUE);
  g_array_free(schedule.order, TRUE);
  g_array_free(schedule.available, TRUE);
  g_array_free(schedule.pending, TRUE);
  norn_access_set_free(&schedule.accesses);
  norn_pressure_free(needs);
  norn_liveness_free(live);
  return true;
}
