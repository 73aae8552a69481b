/* Reuse positions: lets a varying load reuse the position that an earlier one computed.
 *
 * The interpolator keeps the position at which varyings are sampled from load to load. Selection
 * makes loads as if each computed it again. A forward walk tracks the kept position, which must be
 * the same on all paths to a block, to a fixed point; a load at the kept position then reuses
 * it. */
#include "compiler/valhall/code.h"
#include "compiler/valhall/valhall.h"
#include "ir/analysis/dominance.h"

/* What is known about the kept position. */
typedef struct Position {
  enum { NOT_REACHED, NOTHING_KEPT, KEPT } state;
  uint32_t mode;
  NornRef position;
} Position;

static bool
join_positions(Position *into, const Position *from) {
  if (into->state == NOT_REACHED) {
    *into = *from;
    return from->state != NOT_REACHED;
  }
  if (into->state == NOTHING_KEPT ||
      (from->state == KEPT && from->mode == into->mode && from->position == into->position))
    return false;
  into->state = NOTHING_KEPT;
  return true;
}

/* Whether the instruction loads an interpolated varying. *can_retrieve: whether it can use a kept
 * position. */
static bool
interpolates(const NornIsaEncoding *encoding, const NornInst *inst, bool *can_retrieve) {
  if (!norn_isa_field_exists(encoding, NORN_VALHALL_FIELD_UPDATE_MODE))
    return false;
  unsigned format = norn_isa_field_get_or(encoding, NORN_VALHALL_FIELD_SOURCE_FORMAT, inst->payload,
                                          NORN_VALHALL_SOURCE_FORMAT_SRC_F32);
  *can_retrieve = norn_isa_field(encoding, NORN_VALHALL_FIELD_UPDATE_MODE)->allowed >>
                      NORN_VALHALL_UPDATE_MODE_RETRIEVE &
                  1;
  return format != NORN_VALHALL_SOURCE_FORMAT_SRC_FLAT16 &&
         format != NORN_VALHALL_SOURCE_FORMAT_SRC_FLAT32;
}

/* Tracks the position through a block. */
static void
follow_position(const NornPassContext *context, NornFunction *function, uint32_t block,
                Position *now, bool writes) {
  norn_for_each_inst (function, block, index) {
    NornInst *inst = norn_inst(function, index);
    bool can_retrieve;
    if (!norn_is_machine(inst))
      continue;
    const NornIsaEncoding *encoding =
        norn_valhall_encoding_of(context->target, inst->op - NORN_OP_MACHINE);
    /* A blend shader may also interpolate. */
    if (inst->op == NORN_OP_MACHINE + NORN_VALHALL_BLEND)
      *now = (Position){.state = NOTHING_KEPT};
    if (!interpolates(encoding, inst, &can_retrieve))
      continue;
    uint32_t mode = norn_isa_field_get(encoding, NORN_VALHALL_FIELD_SAMPLE_MODE, inst->payload);
    NornRef position = norn_operands(function, inst)[0];
    bool is_kept = now->state == KEPT && now->mode == mode && now->position == position;
    if (can_retrieve && writes)
      norn_isa_field_set(encoding, NORN_VALHALL_FIELD_UPDATE_MODE, &inst->payload,
                         is_kept ? NORN_VALHALL_UPDATE_MODE_RETRIEVE
                                 : NORN_VALHALL_UPDATE_MODE_STORE);
    *now = (Position){can_retrieve ? KEPT : NOTHING_KEPT, mode, position};
  }
}

bool
norn_valhall_reuse_positions(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  bool is_fragment = context->module->stage == NORN_STAGE_FRAGMENT;
  norn_pass_report(context, is_fragment);
  if (!is_fragment)
    return true;
  const NornDominance *dominance = norn_pass_dominance(context, function);
  Position *entry = NORN_NEW0(&context->arena, Position, function->block_count);
  entry[function->block_order[0]].state = NOTHING_KEPT;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < dominance->order_count; i++) {
      uint32_t block = dominance->order[i];
      Position now = entry[block];
      follow_position(context, function, block, &now, false);
      for (unsigned k = 0; k < norn_successor_count(dominance, block); k++)
        changed |= join_positions(&entry[norn_successor(dominance, block, k)], &now);
    }
  }
  for (uint32_t i = 0; i < dominance->order_count; i++)
    follow_position(context, function, dominance->order[i], &entry[dominance->order[i]], true);
  return true;
}
