/* Interpolation of attributes, lane by lane.
 *
 * LDS holds twelve words per attribute and primitive: P0 and P10 of each channel in pairs, then the
 * four P20. */
#include "sim/gcn/lane.h"

enum { PARAMETER_P10, PARAMETER_P20, PARAMETER_P0 };

static uint32_t
read_parameter(NornGcnLane *l, unsigned parameter) {
  const NornGcnDecoded *inst = l->inst;
  uint64_t primitive = l->state->primitive[l->number / 4];
  uint64_t base = 12 * ((uint64_t)inst->attribute * l->state->primitive_count + primitive);
  uint64_t word = parameter == PARAMETER_P20   ? base + 8 + inst->channel
                  : parameter == PARAMETER_P10 ? base + 2u * inst->channel + 1
                                               : base + 2u * inst->channel;
  if (word >= l->state->lds_words) {
    l->problem = "the attribute is past the end of LDS";
    return 0;
  }
  return l->state->lds[word];
}

/* A half of VALUE, widened. */
static uint64_t
widen_half(const NornGcnLane *l, uint32_t value) {
  NornFloatMode mode = norn_gcn_mode(l->state->mode, NORN_FLOAT_16);
  return norn_float_convert(NORN_FLOAT_16, NORN_FLOAT_32, mode,
                            l->inst->high ? value >> 16 : value & 0xffff);
}

/* The multiply-add of all interpolations: like V_MAD_F32, with two roundings and no subnormals. */
static uint64_t
interpolate(const NornGcnLane *l, uint64_t factor, uint64_t coordinate, uint64_t base) {
  NornFloatMode mode = norn_gcn_mode(l->state->mode, NORN_FLOAT_32);
  mode.flush_inputs = mode.flush_outputs = true;
  uint64_t product = norn_float_multiply(NORN_FLOAT_32, mode, factor, coordinate);
  return norn_float_add(NORN_FLOAT_32, mode, product, base);
}

COMPUTE(interp_p1,
        interpolate(l, read_parameter(l, PARAMETER_P10), b, read_parameter(l, PARAMETER_P0)))
COMPUTE(interp_p2, interpolate(l, read_parameter(l, PARAMETER_P20), b, l->old))
COMPUTE(interp_mov, read_parameter(l, l->inst->parameter))
COMPUTE(interp_p1ll, interpolate(l, widen_half(l, read_parameter(l, PARAMETER_P10)), b,
                                 widen_half(l, read_parameter(l, PARAMETER_P0))))
COMPUTE(interp_p1lv, interpolate(l, widen_half(l, read_parameter(l, PARAMETER_P10)), b,
                                 widen_half(l, (uint32_t)c)))
COMPUTE(interp_p2_half,
        norn_float_convert(NORN_FLOAT_32, NORN_FLOAT_16, m,
                           interpolate(l, widen_half(l, read_parameter(l, PARAMETER_P20)), b, c)))
