/* One backward walk over each block, starting from the values that are live at its end.
 *
 * Register pressure is the number of registers of all live values, per class, each rounded up to
 * its alignment. At an instruction it is the larger of two sums: the values that live on plus those
 * that the instruction uses, and the values that live on plus those that it defines. */
#include "ir/analysis/pressure.h"
#include "ir/ops.h"

/* The last use of a value in the block where the walk last found one. */
typedef struct UseInBlock {
  uint32_t stamp; /* block + 1 if `use` is in this block */
  uint32_t use;   /* the last instruction that uses it + 1 */
} UseInBlock;

/* The registers of the values that a node of a set represents. */
typedef struct NodeCount {
  NornRegisterCounts counts;
  bool is_known;
} NodeCount;

typedef struct Scan {
  const NornFunction *function;
  const NornLiveness *liveness;
  NornPressure *pressure;
  UseInBlock *last_use;
  uint64_t *of_type; /* by word of 64 numbered values and by type: which values have the type */
  uint32_t types;    /* the types that occur, by bit */
  NodeCount *counts; /* by node of the sets */
  uint32_t block;
  NornRegisterCounts now, max;
} Scan;

/* Whether a value is live at the point that the walk has reached, which is not above its
 * definition. */
static inline bool
is_live(const Scan *scan, uint32_t value) {
  return scan->last_use[value].stamp == scan->block + 1 ||
         norn_live_out(scan->liveness, scan->block, value);
}

static void
note(Scan *scan, NornRegisterCounts counts) {
  scan->max = norn_counts_max(scan->max, counts);
}

static void
scan_definitions(Scan *scan, uint32_t first, unsigned count) {
  NornRegisterCounts unused = {{0}}, used = {{0}};
  for (uint32_t value = first; value < first + count; value++) {
    NornRegisterCounts room = norn_pressure_of(scan->pressure, value);
    if (is_live(scan, value)) {
      used = norn_counts_plus(used, room);
    } else {
      unused = norn_counts_plus(unused, room);
      norn_set_bit(scan->pressure->unused, value);
    }
  }
  note(scan, norn_counts_plus(scan->now, unused));
  scan->now = norn_counts_minus(scan->now, used);
}

static void
scan_uses(Scan *scan, const NornInst *inst, uint32_t index) {
  const NornRef *operands = norn_operands(scan->function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++) {
    if (norn_ref_kind(operands[k]) != NORN_REF_VALUE)
      continue;
    uint32_t value = norn_ref_payload(operands[k]);
    UseInBlock use = {scan->block + 1, index + 1}, *last = &scan->last_use[value];
    if (!is_live(scan, value)) {
      scan->now = norn_counts_plus(scan->now, norn_pressure_of(scan->pressure, value));
      *last = use;
    } else if (last->use != use.use) {
      continue; /* otherwise the value is an operand twice */
    }
    norn_set_bit(scan->pressure->kills, inst->operand + k);
  }
  note(scan, scan->now);
}

/* Finds the numbered values of each type, one word of 64 numbers after another. */
static void
find_types(Scan *scan, NornArena *arena) {
  const NornLiveness *liveness = scan->liveness;
  scan->of_type = NORN_NEW0(arena, uint64_t, ((size_t)liveness->count / 64 + 1) * NORN_TYPE_COUNT);
  for (uint32_t n = 0; n < liveness->count; n++) {
    unsigned type = scan->pressure->type[liveness->value[n]];
    scan->of_type[(size_t)n / 64 * NORN_TYPE_COUNT + type] |= UINT64_C(1) << n % 64;
    scan->types |= 1u << type;
  }
}

/* The registers of the values in a word of numbers: type by type, as many as there are. */
static NornRegisterCounts
count_word(const Scan *scan, uint64_t word, uint32_t first) {
  const uint64_t *of_type = &scan->of_type[(size_t)first / 64 * NORN_TYPE_COUNT];
  NornRegisterCounts counts = {{0}};
  for (uint32_t rest = scan->types; rest; rest &= rest - 1) {
    unsigned type = (unsigned)__builtin_ctz(rest);
    unsigned number = (unsigned)__builtin_popcountll(word & of_type[type]);
    for (unsigned class = 0; class < NORN_REGISTER_CLASSES; class ++)
      counts.of[class] += number * scan->pressure->model->types[type].room.of[class];
  }
  return counts;
}

/* The registers of a set of numbers that starts at `first`. Each node is counted once, however many
 * sets share it. */
static NornRegisterCounts
count_set(Scan *scan, NornSet set, unsigned height, uint32_t first) {
  if (!height || !set)
    return set ? count_word(scan, set, first) : (NornRegisterCounts){{0}};
  const NornSetNode *node = norn_set_node(set);
  NodeCount *known = &scan->counts[node->number];
  if (known->is_known)
    return known->counts;
  NornRegisterCounts counts = {{0}};
  for (uint32_t k = 0; k < NORN_SET_FAN; k++)
    counts = norn_counts_plus(
        counts, count_set(scan, node->part[k], height - 1, first + (k << norn_set_shift(height))));
  *known = (NodeCount){counts, true};
  return counts;
}

static void
scan_block(Scan *scan) {
  const NornFunction *function = scan->function;
  const NornBlock *block = norn_block(function, scan->block);
  scan->now = count_set(scan, scan->liveness->out[scan->block], scan->liveness->space.height, 0);
  scan->max = (NornRegisterCounts){{0}};
  for (uint32_t i = block->last; i != NORN_INDEX_NONE; i = norn_inst(function, i)->previous) {
    const NornInst *inst = norn_inst(function, i);
    scan_definitions(scan, inst->result, inst->result_count);
    scan_uses(scan, inst, i);
  }
  NORN_ASSERT(!norn_counts_exceed(scan->now, scan->max));
  NornRegisterCounts parameters = {{0}};
  scan->pressure->start[scan->block] = scan->now;
  for (unsigned k = 0; k < block->parameter_count; k++) {
    uint32_t value = norn_block_parameter(function, scan->block, k);
    if (is_live(scan, value)) {
      scan->pressure->start[scan->block] = norn_counts_minus(
          scan->pressure->start[scan->block], norn_pressure_of(scan->pressure, value));
    } else {
      norn_set_bit(scan->pressure->unused, value);
      parameters = norn_counts_plus(parameters, norn_pressure_of(scan->pressure, value));
    }
  }
  note(scan, norn_counts_plus(scan->now, parameters));
  scan->pressure->block[scan->block] = scan->max;
}

NornPressure *
norn_pressure_new(NornArena *arena, const NornFunction *function, const NornDominance *dominance,
                  const NornLiveness *live, const NornRegisterModel *model) {
  NornPressure *pressure = NORN_NEW(arena, NornPressure, 1);
  *pressure = (NornPressure){
      .model = model,
      .type = NORN_NEW(arena, uint8_t, function->value_count),
      .words = NORN_NEW(arena, uint8_t, function->value_count),
      .kills = NORN_NEW0(arena, uint64_t, function->operand_count / 64 + 1),
      .unused = NORN_NEW0(arena, uint64_t, function->value_count / 64 + 1),
      .start = NORN_NEW0(arena, NornRegisterCounts, function->block_count),
      .block = NORN_NEW0(arena, NornRegisterCounts, function->block_count),
  };
  for (uint32_t v = 0; v < function->value_count; v++) {
    pressure->type[v] = norn_value(function, v)->type;
    pressure->words[v] = model->types[pressure->type[v]].count;
  }
  NornArenaMark mark = norn_arena_mark(arena);
  Scan scan = {.function = function,
               .liveness = live,
               .pressure = pressure,
               .last_use = NORN_NEW0(arena, UseInBlock, function->value_count)};
  scan.counts = NORN_NEW0(arena, NodeCount, live->space.node_count);
  find_types(&scan, arena);
  for (uint32_t i = 0; i < dominance->order_count; i++) {
    scan.block = dominance->order[i];
    scan_block(&scan);
    pressure->max = norn_counts_max(pressure->max, pressure->block[scan.block]);
  }
  norn_arena_release(arena, mark);
  return pressure;
}

NornRegisterCounts *
norn_loop_pressure(NornArena *arena, const NornPressure *pressure, const NornDominance *dominance) {
  NornRegisterCounts *max = NORN_NEW0(arena, NornRegisterCounts, dominance->block_count);
  /* All other blocks of a loop come after its header. */
  for (uint32_t k = dominance->order_count; k-- > 0;) {
    uint32_t block = dominance->order[k], header = dominance->loop_header[block];
    if (header == NORN_INDEX_NONE)
      continue;
    max[header] = norn_counts_max(max[header], pressure->block[block]);
    uint32_t around = header == block ? dominance->loop_parent[block] : NORN_INDEX_NONE;
    if (around != NORN_INDEX_NONE)
      max[around] = norn_counts_max(max[around], max[header]);
  }
  return max;
}
