/* Operations on values. */
#include "sim/interpreter/values.h"
#include "ir/ops.h"
#include "sim/interpreter/state.h"
#include <math.h>

/* --- Computing --- */

/* Whether the instruction's flags rule the value out (NaN, infinity); the result is then
 * undefined. */
static bool
is_ruled_out(const NornStep *step, unsigned width, bool split, uint64_t bits) {
  unsigned flags = norn_step_inst(step)->flags;
  const NornEvaluator *e = &step->evaluator;
  if (!split && width != e->width)
    return false;
  for (unsigned lane = 0; lane < (split ? e->lanes : 1u); lane++) {
    uint64_t a = norn_int_truncate(bits >> lane * width, width);
    if (((flags & NORN_INST_NNAN) && norn_float_is_nan(e->format, a)) ||
        ((flags & NORN_INST_NINF) && norn_float_is_infinite(e->format, a)))
      return true;
  }
  return false;
}

static unsigned
find_ruled_out(const NornWarp *warp, const NornStep *step, unsigned active) {
  const NornEvaluator *e = &step->evaluator;
  unsigned found = 0;
  if (norn_types[norn_step_inst(step)->type].class != NORN_CLASS_FLOAT)
    return 0;
  norn_for_each_lane(active, lane) {
    for (unsigned k = 0; k < e->operand_count; k++)
      found |= (unsigned)is_ruled_out(step, e->operand_width[k], e->split_operands >> k & 1,
                                      norn_step_lanes(warp, step, k)[lane])
               << lane;
    found |= (unsigned)is_ruled_out(step, e->result_width[0], e->split_results & 1,
                                    norn_warp_slot(warp, norn_step_result(warp, step, 0))[lane])
             << lane;
  }
  return found;
}

/* Whether the index of an address exceeds the no-wrap range. For buffers, the index is the
 * second operand of a sum; for workgroup memory, the first operand of a shift. */
static bool
is_far(const NornInst *inst, uint64_t index_bits, uint64_t shift) {
  if (inst->op == NORN_OP_SHL) {
    int64_t bytes = (int64_t)(int32_t)index_bits * (INT64_C(1) << (shift & 31));
    return bytes >= NORN_NOWRAP_BYTES || bytes < -NORN_NOWRAP_BYTES;
  }
  int64_t index = inst->modifier == NORN_EXTEND_S32 ? (int32_t)index_bits : (int64_t)index_bits;
  return index >= norn_nowrap_limit(shift & 7) || index < norn_nowrap_minimum(shift & 7);
}

/* The lanes in which the index exceeds that range. */
static unsigned
find_far(const NornWarp *warp, const NornStep *step, unsigned active) {
  const NornInst *inst = norn_step_inst(step);
  unsigned found = 0, first = inst->op == NORN_OP_SHLADD;
  if (inst->op != NORN_OP_SHLADD && (inst->op != NORN_OP_SHL || inst->type != NORN_TYPE_I32))
    return 0;
  norn_for_each_lane(active, lane) {
    found |= (unsigned)is_far(inst, norn_step_lanes(warp, step, first)[lane],
                              norn_step_lanes(warp, step, first + 1)[lane])
             << lane;
  }
  return found;
}

/* The lanes in which one operand determines the result, whatever the other is. */
static unsigned
find_decided(const NornWarp *warp, const NornStep *step, unsigned active) {
  const NornInst *inst = norn_step_inst(step);
  unsigned found = 0;
  if (inst->op != NORN_OP_AND && inst->op != NORN_OP_OR)
    return 0;
  uint64_t all = norn_type_mask(inst->type), decisive = inst->op == NORN_OP_AND ? 0 : all;
  for (unsigned k = 0; k < step->operand_count; k++) {
    const uint64_t *lanes = norn_step_lanes(warp, step, k);
    norn_for_each_lane(active & ~(unsigned)norn_step_undefined(warp, step, k), lane) {
      found |= (unsigned)((lanes[lane] & all) == decisive) << lane;
    }
  }
  return found;
}

bool
norn_step_evaluate(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  const NornEvaluator *e = &step->evaluator;
  const uint64_t *in[NORN_EVALUATE_OPERANDS];
  uint64_t *out[NORN_EVALUATE_RESULTS];
  unsigned undefined = 0;
  for (unsigned k = 0; k < e->operand_count; k++) {
    in[k] = norn_step_lanes(warp, step, k);
    undefined |= norn_step_undefined(warp, step, k);
  }
  if (undefined & active)
    undefined &= ~find_decided(warp, step, active);
  for (unsigned k = 0; k < e->result_count; k++)
    out[k] = norn_warp_slot(warp, norn_step_result(warp, step, k));
  norn_for_each_lane(active, lane) {
    uint64_t operands[NORN_EVALUATE_OPERANDS], results[NORN_EVALUATE_RESULTS];
    for (unsigned k = 0; k < e->operand_count; k++)
      operands[k] = in[k][lane];
    norn_evaluate(e, operands, results);
    for (unsigned k = 0; k < e->result_count; k++)
      out[k][lane] = results[k];
  }
  if (norn_step_inst(step)->flags & (NORN_INST_NNAN | NORN_INST_NINF))
    undefined |= find_ruled_out(warp, step, active);
  if (norn_step_inst(step)->flags & NORN_INST_NOWRAP)
    undefined |= find_far(warp, step, active);
  for (unsigned k = 0; k < e->result_count; k++)
    norn_warp_set_undefined(warp, norn_step_result(warp, step, k), active, undefined);
  return true;
}

/* Whether the result of a float operation would be the same if it were computed in one of the ways
 * that contraction allows. Rounding is not analyzed for 64 bits: it counts as inexact. */
typedef bool IsExact(NornFloatFormat format, const double *operands, double result);

/* Whether a * b is `result` without rounding, or NaN in both. */
static bool
is_exact_product(NornFloatFormat format, const double *operands, double result) {
  double product = operands[0] * operands[1];
  return format != NORN_FLOAT_64 && (product == result || (isnan(product) && isnan(result)));
}

/* Whether a + b, in any format, is infinite only if a or b is; otherwise a product by 2 that
 * replaces the sum would overflow by itself. */
static bool
is_finite_sum(NornFloatFormat format, const double *operands, double result) {
  (void)format;
  return !isinf(result) || isinf(operands[0]) || isinf(operands[1]);
}

/* Whether a + b is `result` without rounding: the rounding error of a sum of doubles is a
 * double, too. */
static bool
is_unrounded_sum(NornFloatFormat format, const double *operands, double result) {
  double sum = operands[0] + operands[1], rest = sum - operands[0];
  double lost = (operands[0] - (sum - rest)) + (operands[1] - rest);
  return format != NORN_FLOAT_64 && sum == result && lost == 0;
}

/* The same for a * b + c; every product is exact in a double. */
static bool
is_unrounded_fma(NornFloatFormat format, const double *operands, double result) {
  const double terms[] = {operands[0] * operands[1], operands[2]};
  return is_unrounded_sum(format, terms, result);
}

/* The number of lanes in which a float operation is not exact. */
static unsigned
count_inexact(const NornWarp *warp, const NornStep *step, unsigned active, IsExact *is_exact) {
  const NornEvaluator *e = &step->evaluator;
  const uint64_t *in[NORN_EVALUATE_OPERANDS];
  for (unsigned k = 0; k < e->operand_count; k++)
    in[k] = norn_step_lanes(warp, step, k);
  const uint64_t *result = norn_warp_slot(warp, norn_step_result(warp, step, 0));
  unsigned count = 0;
  norn_for_each_lane(active, lane) {
    bool all = true;
    for (unsigned shift = 0; shift < (unsigned)e->lanes * e->width; shift += e->width) {
      double operands[NORN_EVALUATE_OPERANDS];
      for (unsigned k = 0; k < e->operand_count; k++)
        operands[k] =
            norn_float_to_double(e->format, norn_int_truncate(in[k][lane] >> shift, e->width));
      uint64_t bits = norn_int_truncate(result[lane] >> shift, e->width);
      all &= is_exact(e->format, operands, norn_float_to_double(e->format, bits));
    }
    count += !all;
  }
  return count;
}

bool
norn_step_product(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  bool done = norn_step_evaluate(warp, step, active, error);
  warp->run->report.contractible += count_inexact(warp, step, active, is_exact_product);
  return done;
}

bool
norn_step_sum(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  bool done = norn_step_evaluate(warp, step, active, error);
  bool may_move = norn_inst_is_finite(norn_step_inst(step));
  warp->run->report.contractible +=
      count_inexact(warp, step, active, may_move ? is_unrounded_sum : is_finite_sum);
  return done;
}

bool
norn_step_fma(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  bool done = norn_step_evaluate(warp, step, active, error);
  if (norn_inst_is_finite(norn_step_inst(step)))
    warp->run->report.contractible += count_inexact(warp, step, active, is_unrounded_fma);
  return done;
}

bool
norn_step_quotient(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  warp->run->report.contractible += (unsigned)__builtin_popcount(active);
  return norn_step_evaluate(warp, step, active, error);
}

/* --- Moving words --- */

static void
copy_lanes(NornWarp *warp, uint32_t from, uint32_t to, unsigned lanes) {
  const uint64_t *source = norn_warp_slot(warp, from);
  uint64_t *target = norn_warp_slot(warp, to);
  norn_for_each_lane(lanes, lane) {
    target[lane] = source[lane];
  }
  norn_warp_set_undefined(warp, to, lanes, warp->undefined[from]);
}

bool
norn_step_undef(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  for (unsigned word = 0; word < step->words; word++) {
    uint32_t slot = norn_step_result(warp, step, 0) + word;
    norn_for_each_lane(active, lane) {
      norn_warp_slot(warp, slot)[lane] = 0;
    }
    norn_warp_set_undefined(warp, slot, active, active);
  }
  return true;
}

bool
norn_step_copy(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  for (unsigned word = 0; word < step->words; word++)
    copy_lanes(warp, norn_step_operand(warp, step, 0) + word,
               norn_step_result(warp, step, 0) + word, active);
  return true;
}

bool
norn_step_select(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  const uint64_t *condition = norn_step_lanes(warp, step, 0);
  unsigned undefined = norn_step_undefined(warp, step, 0), chosen = 0;
  norn_for_each_lane(active, lane) {
    chosen |= (unsigned)(condition[lane] & 1) << lane;
  }
  for (unsigned word = 0; word < step->words; word++) {
    uint32_t result = norn_step_result(warp, step, 0) + word;
    copy_lanes(warp, norn_step_operand(warp, step, 1) + word, result, chosen);
    copy_lanes(warp, norn_step_operand(warp, step, 2) + word, result, active & ~chosen);
    warp->undefined[result] |= (uint16_t)(undefined & active);
  }
  return true;
}

static bool
is_wide_scalar(NornType type) {
  return norn_types[type].class != NORN_CLASS_GROUP && norn_type_bits(type) == 64;
}

/* Combines two slots that hold a word each into a 64-bit value. */
static void
join_words(NornWarp *warp, uint32_t low, uint32_t high, uint32_t to, unsigned active) {
  norn_for_each_lane(active, lane) {
    norn_warp_slot(warp, to)[lane] =
        (uint32_t)norn_warp_slot(warp, low)[lane] | norn_warp_slot(warp, high)[lane] << 32;
  }
  norn_warp_set_undefined(warp, to, active, warp->undefined[low] | warp->undefined[high]);
}

/* Extracts word `word` of a 64-bit value. */
static void
part_word(NornWarp *warp, uint32_t from, unsigned word, uint32_t to, unsigned active) {
  norn_for_each_lane(active, lane) {
    norn_warp_slot(warp, to)[lane] = (uint32_t)(norn_warp_slot(warp, from)[lane] >> 32 * word);
  }
  norn_warp_set_undefined(warp, to, active, warp->undefined[from]);
}

bool
norn_step_collect(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  uint32_t result = norn_step_result(warp, step, 0);
  if (is_wide_scalar(norn_step_inst(step)->source_type))
    join_words(warp, norn_step_operand(warp, step, 0), norn_step_operand(warp, step, 1), result,
               active);
  else
    for (unsigned k = 0; k < step->operand_count; k++)
      copy_lanes(warp, norn_step_operand(warp, step, k), result + k, active);
  return true;
}

bool
norn_step_split(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  uint32_t source = norn_step_operand(warp, step, 0);
  bool wide = is_wide_scalar(norn_step_inst(step)->source_type);
  for (unsigned k = 0; k < step->result_count; k++)
    if (wide)
      part_word(warp, source, k, norn_step_result(warp, step, k), active);
    else
      copy_lanes(warp, source + k, norn_step_result(warp, step, k), active);
  return true;
}

/* Types of the same size hold the same bits, but a group keeps each word in a separate slot. */
bool
norn_step_bitcast(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  const NornInst *inst = norn_step_inst(step);
  uint32_t from = norn_step_operand(warp, step, 0), to = norn_step_result(warp, step, 0);
  bool from_wide = is_wide_scalar(inst->source_type), to_wide = is_wide_scalar(inst->type);
  if (from_wide == to_wide)
    return norn_step_copy(warp, step, active, error);
  if (to_wide) {
    join_words(warp, from, from + 1, to, active);
  } else {
    part_word(warp, from, 0, to, active);
    part_word(warp, from, 1, to + 1, active);
  }
  return true;
}
