/* Takes 16 bits of varyings and of colors where nothing needs more.
 *
 *   a, b = split.f32.w2 (load.varying.center.w2.f32)
 *   x = pack_half.rte a, b                    x = load.varying_half.center.v2f16.f32
 *   y = fpconv.rte.f16.f32 b                  y = the upper half of it
 *
 *   c = fpconv.f32.f16 h, ...                 h0 = vec.v2f16 h, ...
 *   store.color.f32.w4 (collect c, ...)       store.color.f16.w2 (collect h0, ...)
 *
 * Interpolating to halves takes half the time, and both take half the registers and no conversions.
 * Only loads all of whose components are rounded change: others would be loaded twice. Of a color
 * each component must be a half or a constant that is one, so the pixel is the same. */
#include "ir/builder.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/pass.h"

#define MOST_COMPONENTS 4

/* --- Varyings --- */

/* A component of a load that may change: what is known of the value. */
typedef struct Component {
  uint32_t load; /* its instruction; NORN_INDEX_NONE: is none */
  uint8_t index;
} Component;

typedef struct NarrowedLoad {
  bool is_kept; /* something needs all bits */
  uint8_t used; /* bit k: component k is rounded somewhere */
  NornRef pairs[MOST_COMPONENTS / 2];
} NarrowedLoad;

typedef struct Narrower {
  NornFunction *function;
  Component *components; /* by value */
  NarrowedLoad *loads;   /* by instruction */
  NornReplacements replacements;
  bool changed;
} Narrower;

static bool
is_candidate(const NornInst *inst) {
  return inst->op == NORN_OP_LOAD_VARYING && inst->source_type == NORN_TYPE_F32 &&
         inst->modifier != NORN_INTERPOLATION_FLAT;
}

/* Whether something is interpolated and something rounded, as the interpolator rounds. */
static bool
may_narrow(const NornFunction *function) {
  bool loads = false, narrows = false;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      loads |= is_candidate(inst);
      narrows |= inst->op == NORN_OP_PACK_HALF || inst->op == NORN_OP_FPCONV;
    }
  return loads && narrows;
}

/* Notes the components of a load: its result, or those of the splits of it. */
static void
note_components(Narrower *narrower, uint32_t index) {
  const NornFunction *function = narrower->function;
  const NornInst *inst = norn_inst(function, index);
  uint32_t load = index;
  if (inst->op == NORN_OP_SPLIT) {
    NornRef group = norn_operand(function, index, 0);
    const NornInst *from = norn_defining_inst(function, group);
    if (!from || !is_candidate(from))
      return;
    load = norn_value(function, norn_ref_payload(group))->def;
  } else if (!is_candidate(inst) || inst->type != NORN_TYPE_F32) {
    return;
  }
  for (unsigned k = 0; k < inst->result_count; k++)
    narrower->components[inst->result + k] = (Component){load, (uint8_t)k};
}

static Component
component_of(const Narrower *narrower, NornRef ref) {
  return norn_ref_kind(ref) == NORN_REF_VALUE ? narrower->components[norn_ref_payload(ref)]
                                              : (Component){NORN_INDEX_NONE, 0};
}

/* Whether the instruction rounds neighboring components of a load, the first of them with an even
 * number, or a single one; which is the first. */
static bool
rounds(const Narrower *narrower, const NornInst *inst, Component *first) {
  const NornRef *operands = norn_operands(narrower->function, inst);
  bool is_pair = inst->op == NORN_OP_PACK_HALF;
  if ((!is_pair && (inst->op != NORN_OP_FPCONV || inst->type != NORN_TYPE_F16)) ||
      inst->modifier != NORN_ROUND_RTE)
    return false;
  *first = component_of(narrower, operands[0]);
  if (!is_pair)
    return first->load != NORN_INDEX_NONE;
  Component second = component_of(narrower, operands[1]);
  return first->load != NORN_INDEX_NONE && first->load == second.load && first->index % 2 == 0 &&
         second.index == first->index + 1;
}

/* Notes what each use says of a load. */
static void
note_uses(Narrower *narrower, const NornInst *inst) {
  const NornFunction *function = narrower->function;
  const NornRef *operands = norn_operands(function, inst);
  Component first;
  if (rounds(narrower, inst, &first)) {
    narrower->loads[first.load].used |= (inst->op == NORN_OP_PACK_HALF ? 3u : 1u) << first.index;
    return;
  }
  for (unsigned k = 0; k < inst->operand_count; k++) {
    Component component = component_of(narrower, operands[k]);
    const NornInst *group = norn_defining_inst(function, operands[k]);
    if (component.load != NORN_INDEX_NONE)
      narrower->loads[component.load].is_kept = true;
    else if (group && is_candidate(group) && inst->op != NORN_OP_SPLIT)
      narrower->loads[norn_value(function, norn_ref_payload(operands[k]))->def].is_kept = true;
  }
}

static NornRef
build_load(NornBuilder *builder, const NornInst *load, NornType type, unsigned component) {
  uint32_t offset = (uint32_t)norn_immediate(load->payload, NORN_IMMEDIATE_OFFSET) + 4 * component;
  return norn_build_load_varying_half(builder, (NornInterpolation)load->modifier, type, offset);
}

/* Loads the components that are used, and those between, in halves. */
static void
build_halves(Narrower *narrower, uint32_t index) {
  NarrowedLoad *narrowed = &narrower->loads[index];
  const NornInst load = *norn_inst(narrower->function, index);
  NornBuilder builder = norn_builder_before(narrower->function, index);
  switch (32 - __builtin_clz(narrowed->used)) {
  case 1:
    narrowed->pairs[0] = build_load(&builder, &load, NORN_TYPE_F16, 0);
    break;
  case 2:
    narrowed->pairs[0] = build_load(&builder, &load, NORN_TYPE_V2F16, 0);
    break;
  case 3:
    narrowed->pairs[0] = build_load(&builder, &load, NORN_TYPE_V2F16, 0);
    narrowed->pairs[1] = build_load(&builder, &load, NORN_TYPE_F16, 2);
    break;
  default: {
    NornRef words[2], group = build_load(&builder, &load, NORN_TYPE_W2, 0);
    norn_build_split(&builder, NORN_TYPE_I32, NORN_TYPE_W2, group, 2, words);
    for (unsigned k = 0; k < 2; k++)
      narrowed->pairs[k] = norn_build_bitcast(&builder, NORN_TYPE_V2F16, NORN_TYPE_I32, words[k]);
  }
  }
  narrower->changed = true;
}

/* Puts what was loaded in the place of what was rounded. */
static void
replace(Narrower *narrower, uint32_t index) {
  NornFunction *function = narrower->function;
  const NornInst *inst = norn_inst(function, index);
  Component first;
  if (!rounds(narrower, inst, &first) || narrower->loads[first.load].is_kept)
    return;
  NornBuilder builder = norn_builder_in_place_of(function, index);
  NornRef pair = narrower->loads[first.load].pairs[first.index / 2];
  bool is_single = norn_value(function, norn_ref_payload(pair))->type == NORN_TYPE_F16;
  if (inst->op == NORN_OP_PACK_HALF)
    pair = norn_build_bitcast(&builder, NORN_TYPE_I32, NORN_TYPE_V2F16, pair);
  else if (!is_single)
    pair = norn_build_extract(&builder, NORN_TYPE_F16, NORN_TYPE_V2F16, pair, first.index % 2);
  norn_replacements_set(&narrower->replacements, norn_inst(function, index)->result, pair);
  norn_inst_erase(function, index);
}

static void
narrow_varyings(NornPassContext *context, Narrower *narrower) {
  NornFunction *function = narrower->function;
  uint32_t inst_count = function->inst_count;
  narrower->components = NORN_NEW(&context->arena, Component, function->value_count);
  narrower->loads = NORN_NEW0(&context->arena, NarrowedLoad, inst_count);
  narrower->replacements.arena = &context->arena;
  for (uint32_t value = 0; value < function->value_count; value++)
    narrower->components[value].load = NORN_INDEX_NONE;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index)
      note_components(narrower, index);
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index)
      note_uses(narrower, norn_inst(function, index));
  for (uint32_t index = 0; index < inst_count; index++)
    if (narrower->loads[index].used && !narrower->loads[index].is_kept)
      build_halves(narrower, index);
  if (!narrower->changed)
    return;
  norn_for_each_block (function, block)
    for (uint32_t index = norn_block(function, block)->first, next; index != NORN_INDEX_NONE;
         index = next) {
      next = norn_inst(function, index)->next;
      replace(narrower, index);
    }
  norn_replacements_apply(&narrower->replacements, function);
}

/* --- Colors --- */

#define COLOR_COMPONENTS 4

/* The half that the 32-bit float is; 0: it is none. */
static NornRef
half_of(const NornFunction *function, NornRef ref) {
  if (norn_ref_kind(ref) == NORN_REF_CONSTANT)
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

static void
narrow_store(Narrower *narrower, uint32_t index) {
  NornFunction *function = narrower->function;
  NornRef halves[COLOR_COMPONENTS], words[COLOR_COMPONENTS / 2];
  if (!find_halves(function, norn_inst(function, index), halves))
    return;
  NornBuilder builder = norn_builder_before(function, index);
  for (unsigned k = 0; k < COLOR_COMPONENTS / 2; k++) {
    NornRef pair = norn_build_vec(&builder, NORN_TYPE_V2F16, NORN_TYPE_F16, 2, halves + 2 * k);
    words[k] = norn_build_bitcast(&builder, NORN_TYPE_I32, NORN_TYPE_V2F16, pair);
  }
  norn_set_operand(function, index, 0,
                   norn_build_collect(&builder, NORN_TYPE_I32, NORN_TYPE_W2, 2, words));
  norn_inst(function, index)->type = NORN_TYPE_W2;
  norn_inst(function, index)->modifier = NORN_FORMAT_F16;
  narrower->changed = true;
}

/* All stores of a color have one format, so only targets with one store change; and none where two
 * colors are blended. */
static void
narrow_colors(Narrower *narrower) {
  NornFunction *function = narrower->function;
  uint32_t stores[NORN_COLOR_TARGETS];
  unsigned counts[NORN_COLOR_TARGETS] = {0};
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      if (inst->op == NORN_OP_STORE_SECOND_COLOR)
        return;
      if (inst->op != NORN_OP_STORE_COLOR && inst->op != NORN_OP_STORE_COLOR_IF)
        continue;
      unsigned target = (unsigned)norn_immediate(inst->payload, NORN_IMMEDIATE_TARGET);
      bool is_plain = inst->op == NORN_OP_STORE_COLOR && inst->modifier == NORN_FORMAT_F32;
      counts[target] += is_plain ? 1 : 2;
      stores[target] = index;
    }
  for (unsigned target = 0; target < NORN_COLOR_TARGETS; target++)
    if (counts[target] == 1)
      narrow_store(narrower, stores[target]);
}

bool
norn_pass_narrow_io(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  Narrower narrower = {.function = function};
  if (function->module->stage == NORN_STAGE_FRAGMENT &&
      function->module->denormals == NORN_DENORMALS_PRESERVE) {
    if (may_narrow(function))
      narrow_varyings(context, &narrower);
    narrow_colors(&narrower);
  }
  norn_pass_report(context, narrower.changed);
  return true;
}
