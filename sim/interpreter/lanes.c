/* Operations that read other lanes of the subgroup. The active lanes are those that execute the
 * step together. Reductions and scans use the evaluator of the operation that they repeat. */
#include "sim/interpreter/lanes.h"
#include "ir/ops.h"
#include "sim/interpreter/state.h"

NornOp
norn_step_combiner(const NornInst *inst) {
  switch (inst->op) {
  case NORN_OP_IREDUCE:
  case NORN_OP_ISCAN:
  case NORN_OP_ISCAN_EXCLUSIVE:
    return norn_reduction_combiner(false, inst->modifier);
  case NORN_OP_FREDUCE:
  case NORN_OP_FSCAN:
  case NORN_OP_FSCAN_EXCLUSIVE:
    return norn_reduction_combiner(true, inst->modifier);
  case NORN_OP_DDX:
  case NORN_OP_DDY:
    return NORN_OP_FSUB;
  case NORN_OP_ALPHA_TEST:
    return NORN_OP_FCMP;
  default:
    return NORN_OP_NONE;
  }
}

/* --- Votes --- */

bool
norn_step_vote(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  const uint64_t *operand = norn_step_lanes(warp, step, 0);
  unsigned undefined = norn_step_undefined(warp, step, 0) & active;
  unsigned ballot = 0;
  norn_for_each_lane(active, lane) {
    ballot |= (unsigned)(operand[lane] & 1) << lane;
  }
  uint16_t op = norn_step_inst(step)->op;
  uint64_t vote = op == NORN_OP_BALLOT ? ballot
                  : op == NORN_OP_ANY  ? ballot != 0
                                       : ballot == active;
  uint64_t *result = norn_step_define(warp, step, 0, active);
  norn_for_each_lane(active, lane) {
    result[lane] = vote;
  }
  if (undefined)
    norn_warp_set_undefined(warp, norn_step_result(warp, step, 0), active, active);
  return true;
}

/* --- Reading one other lane --- */

/* The lane that `lane` reads of `lanes` in the subgroup, or `lanes` for none; `number` is the
 * operation's second operand. */
static unsigned
source_lane(const NornInst *inst, unsigned lane, unsigned lanes, unsigned active, uint32_t number) {
  switch (inst->op) {
  case NORN_OP_BROADCAST_FIRST:
    return (unsigned)__builtin_ctz(active);
  case NORN_OP_SHUFFLE_XOR:
    return lane ^ number % lanes;
  case NORN_OP_SHUFFLE_UP:
    return number <= lane ? lane - number : lanes;
  case NORN_OP_SHUFFLE_DOWN:
    return number < lanes - lane ? lane + number : lanes;
  case NORN_OP_QUAD_SWAP:
    return lane ^ (inst->modifier + 1u);
  case NORN_OP_QUAD_BROADCAST:
    return (lane & ~3u) | (number & 3);
  default:
    return number % lanes;
  }
}

bool
norn_step_exchange(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  uint64_t values[NORN_LANES];
  unsigned lanes = warp->run->program->lanes;
  const uint64_t *operand = norn_step_lanes(warp, step, 0);
  bool numbered = step->operand_count > 1;
  const uint64_t *numbers = norn_step_lanes(warp, step, numbered ? 1 : 0);
  unsigned undefined = numbered ? norn_step_undefined(warp, step, 1) : 0;
  norn_for_each_lane(active, lane) {
    unsigned source =
        source_lane(norn_step_inst(step), lane, lanes, active, (uint32_t)numbers[lane]);
    bool present = source < lanes && (active >> source & 1);
    values[lane] = present ? operand[source] : 0;
    if (present && (norn_step_undefined(warp, step, 0) >> source & 1))
      undefined |= 1u << lane;
  }
  uint64_t *result = norn_step_define(warp, step, 0, active);
  norn_for_each_lane(active, lane) {
    result[lane] = values[lane];
  }
  norn_warp_set_undefined(warp, norn_step_result(warp, step, 0), active, undefined);
  return true;
}

/* --- Combining lanes --- */

/* The partial result of each lane; lanes outside `present` have none. */
typedef struct Partial {
  uint64_t value[NORN_LANES];
  unsigned present;
} Partial;

static uint64_t
combine(const NornStep *step, uint64_t a, uint64_t b) {
  uint64_t operands[2] = {a, b}, results[NORN_EVALUATE_RESULTS];
  norn_evaluate(&step->evaluator, operands, results);
  return results[0];
}

/* Combines the value of lane `a` with that of lane `b`, in this order, into lane `to` of `out`. */
static void
combine_lanes(const NornStep *step, const Partial *in, unsigned a, unsigned b, Partial *out,
              unsigned to) {
  bool has_a = in->present >> a & 1, has_b = in->present >> b & 1;
  if (has_a && has_b)
    out->value[to] = combine(step, in->value[a], in->value[b]);
  else
    out->value[to] = in->value[has_a ? a : b];
  out->present |= (unsigned)(has_a || has_b) << to;
}

/* After each step, a lane has the combined value of its group of 2, 4, 8, 16 lanes. */
static void
reduce(const NornStep *step, Partial *partial, uint64_t cluster) {
  for (unsigned bit = 1; bit < MIN(cluster, NORN_LANES); bit *= 2) {
    Partial next = {.present = 0};
    for (unsigned lane = 0; lane < NORN_LANES; lane++)
      combine_lanes(step, partial, lane & ~bit, lane | bit, &next, lane);
    *partial = next;
  }
}

static void
scan(const NornStep *step, Partial *partial) {
  for (unsigned distance = 1; distance < NORN_LANES; distance *= 2) {
    Partial next = *partial;
    for (unsigned lane = distance; lane < NORN_LANES; lane++)
      combine_lanes(step, partial, lane - distance, lane, &next, lane);
    *partial = next;
  }
}

/* The result of an exclusive scan in a lane without active lanes below it, for one lane of the
 * type: the neutral element, except that it is +0 for float sums. */
static uint64_t
neutral_lane(const NornInst *inst) {
  unsigned width = norn_types[inst->type].lane_bits;
  NornFloatFormat format = norn_float_of_width(width);
  switch (norn_step_combiner(inst)) {
  case NORN_OP_SMIN:
    return norn_int_mask(width - 1);
  case NORN_OP_SMAX:
    return UINT64_C(1) << (width - 1);
  case NORN_OP_UMIN:
  case NORN_OP_AND:
    return norn_int_mask(width);
  case NORN_OP_FMIN:
    return norn_float_infinity(format, false);
  case NORN_OP_FMAX:
    return norn_float_infinity(format, true);
  case NORN_OP_IMUL:
    return 1;
  case NORN_OP_FMUL:
    return norn_float_from_double(format, 1);
  default:
    return 0;
  }
}

static uint64_t
neutral_value(const NornInst *inst) {
  uint64_t value = 0;
  for (unsigned lane = 0; lane < norn_types[inst->type].lanes; lane++)
    value |= neutral_lane(inst) << lane * norn_types[inst->type].lane_bits;
  return value;
}

bool
norn_step_combine(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  const NornInst *inst = norn_step_inst(step);
  const uint64_t *operand = norn_step_lanes(warp, step, 0);
  unsigned undefined = norn_step_undefined(warp, step, 0) & active;
  Partial partial = {.present = active};
  norn_for_each_lane(active, lane) {
    partial.value[lane] = operand[lane];
  }
  bool reduces = inst->op == NORN_OP_IREDUCE || inst->op == NORN_OP_FREDUCE;
  bool exclusive = inst->op == NORN_OP_ISCAN_EXCLUSIVE || inst->op == NORN_OP_FSCAN_EXCLUSIVE;
  if (reduces)
    reduce(step, &partial, norn_step_lanes(warp, step, 1)[0]);
  else
    scan(step, &partial);
  uint64_t *result = norn_step_define(warp, step, 0, active);
  norn_for_each_lane(active, lane) {
    if (!exclusive)
      result[lane] = partial.value[lane];
    else if (lane > 0 && (partial.present >> (lane - 1) & 1))
      result[lane] = partial.value[lane - 1];
    else
      result[lane] = neutral_value(inst);
  }
  if (undefined)
    norn_warp_set_undefined(warp, norn_step_result(warp, step, 0), active, active);
  return true;
}

/* --- Derivatives --- */

bool
norn_step_derivative(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  const NornInst *inst = norn_step_inst(step);
  const uint64_t *operand = norn_step_lanes(warp, step, 0);
  unsigned axis = inst->op == NORN_OP_DDX ? 1 : 2, undefined = 0;
  uint64_t values[NORN_LANES] = {0}, differences[NORN_LANES];
  norn_for_each_lane(active, lane) {
    values[lane] = operand[lane];
  }
  norn_for_each_lane(active, lane) {
    unsigned quad = lane & ~3u;
    unsigned low = inst->modifier == NORN_DERIVATIVE_COARSE ? quad : lane & ~axis;
    differences[lane] = combine(step, values[low | axis], values[low]);
    unsigned used = norn_step_undefined(warp, step, 0) & active;
    undefined |= (unsigned)((used >> low & 1) || (used >> (low | axis) & 1)) << lane;
  }
  uint64_t *result = norn_step_define(warp, step, 0, active);
  norn_for_each_lane(active, lane) {
    result[lane] = differences[lane];
  }
  norn_warp_set_undefined(warp, norn_step_result(warp, step, 0), active, undefined);
  return true;
}
