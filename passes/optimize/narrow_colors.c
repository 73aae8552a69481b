/* Stores colors as halves if their components are halves.
 *
 *   c = fpconv.f32.f16 h, ...                 h0 = vec.v2f16 h, ...
 *   store.color.f32.w4 (collect c, ...)       store.color.f16.w2 (collect h0, ...)
 *
 * That takes half as many registers and no conversions. Each component must be converted from a
 * half or be a constant that a half can hold, so the pixel is the same. */
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/pass.h"

#define COLOR_COMPONENTS 4

/* The half that was converted to the 32-bit float, or equals the constant; 0 if there is none. */
static NornRef
half_of(const NornFunction *function, NornRef ref) {
  if (norn_is_constant(ref))
    return norn_half_constant(function->module, ref);
  const NornInst *inst = norn_defining_inst(function, ref);
  return inst && inst->op == NORN_OP_FPCONV && inst->type == NORN_TYPE_F32 &&
                 inst->source_type == NORN_TYPE_F16 && norn_inst_is_finite(inst)
             ? norn_operands(function, inst)[0]
             : 0;
}

static bool
find_halves(const NornFunction *function, const NornInst *store, NornRef *halves) {
  const NornInst *collect = norn_defining_inst(function, norn_operands(function, store)[0]);
  if (!collect || collect->op != NORN_OP_COLLECT || collect->operand_count != COLOR_COMPONENTS)
    return false;
  for (unsigned k = 0; k < COLOR_COMPONENTS; k++) {
    halves[k] = half_of(function, norn_operands(function, collect)[k]);
    if (!halves[k])
      return false;
  }
  return true;
}

/* Whether the store was changed. */
static bool
narrow_store(NornFunction *function, uint32_t index) {
  NornRef halves[COLOR_COMPONENTS], words[COLOR_COMPONENTS / 2];
  if (!find_halves(function, norn_inst(function, index), halves))
    return false;
  NornBuilder builder = norn_builder_before(function, index);
  for (unsigned k = 0; k < COLOR_COMPONENTS / 2; k++) {
    NornRef pair = norn_build_vec(&builder, NORN_TYPE_V2F16, NORN_TYPE_F16, 2, halves + 2 * k);
    words[k] = norn_build_bitcast(&builder, NORN_TYPE_I32, NORN_TYPE_V2F16, pair);
  }
  norn_set_operand(function, index, 0,
                   norn_build_collect(&builder, NORN_TYPE_I32, NORN_TYPE_W2, 2, words));
  norn_inst(function, index)->type = NORN_TYPE_W2;
  norn_inst(function, index)->modifier = NORN_FORMAT_F16;
  return true;
}

/* All stores to a color target must have one format, so only targets with one store are changed;
 * none are if two colors are blended. */
static bool
narrow_stores(NornFunction *function) {
  uint32_t stores[NORN_COLOR_TARGETS];
  unsigned counts[NORN_COLOR_TARGETS] = {0};
  bool changed = false;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      if (inst->op == NORN_OP_STORE_SECOND_COLOR)
        return false;
      if (inst->op != NORN_OP_STORE_COLOR && inst->op != NORN_OP_STORE_COLOR_IF)
        continue;
      unsigned target = (unsigned)norn_immediate(inst->payload, NORN_IMMEDIATE_TARGET);
      bool is_plain = inst->op == NORN_OP_STORE_COLOR && inst->modifier == NORN_FORMAT_F32;
      counts[target] += is_plain ? 1 : 2;
      stores[target] = index;
    }
  for (unsigned target = 0; target < NORN_COLOR_TARGETS; target++)
    changed |= counts[target] == 1 && narrow_store(function, stores[target]);
  return changed;
}

bool
norn_pass_narrow_colors(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  norn_pass_report(context, function->module->stage == NORN_STAGE_FRAGMENT &&
                                function->module->denormals == NORN_DENORMALS_PRESERVE &&
                                narrow_stores(function));
  return true;
}
