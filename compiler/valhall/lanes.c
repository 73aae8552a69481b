/* Cross-lane operations: WMASK is the ballot, CLPER reads another lane of the warp.
 *
 * The behavior of CLPER for lane numbers beyond the subgroup is not known, so the number is
 * truncated first unless it is known to be small. Reading an inactive lane gives zero. */
#include "compiler/valhall/valhall.h"
#include "ir/ops.h"
#include "isa/valhall_abi.h"

/* Whether a value that is not constant is known to be below 16. */
static bool
is_lane_number(const NornSelector *selector, NornRef ref) {
  const NornInst inst = norn_select_definition(selector, ref);
  uint64_t bits;
  if (inst.op == NORN_OP_NONE)
    return false;
  NornRef last = inst.operand_count == 2 ? norn_operands(selector->function, &inst)[1] : 0;
  return inst.op == NORN_OP_LANE_ID ||
         (inst.op == NORN_OP_AND &&
          norn_select_constant(selector, norn_select_resolve(selector, last), &bits) &&
          bits < NORN_VALHALL_WARP);
}

/* The number of a lane, below 16. */
static NornRef
lane_number(NornSelector *selector, uint32_t inst, NornRef ref) {
  uint64_t bits;
  if (norn_select_constant(selector, ref, &bits))
    return norn_select_word(selector, bits % NORN_VALHALL_WARP);
  if (is_lane_number(selector, ref))
    return ref;
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_LSHIFT_AND_I32);
  norn_valhall_plain(&machine, ref);
  norn_valhall_constant(&machine, 0);
  norn_valhall_constant(&machine, NORN_VALHALL_WARP - 1);
  return norn_valhall_emit(&machine, 1);
}

/* Exchanges operand 0, word by word. */
static bool
select_exchange(NornSelector *selector, uint32_t inst, unsigned operation, unsigned subgroup,
                NornRef lane) {
  const NornInst self = *norn_inst(selector->function, inst);
  unsigned words = MAX(1, norn_type_words(self.type));
  NornRef value = norn_select_operand(selector, inst, 0), parts[2];
  if (self.type == NORN_TYPE_I1)
    value = norn_valhall_truth(selector, value);
  for (unsigned k = 0; k < words; k++) {
    NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_CLPER_I32);
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_LANE_OPERATION, operation);
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_SUBGROUP, subgroup);
    norn_valhall_plain(&machine, norn_select_word_of(selector, value, k, words));
    norn_valhall_plain(&machine, lane);
    if (words == 1)
      return norn_valhall_finish(&machine);
    parts[k] = norn_valhall_emit(&machine, 1);
  }
  norn_select_collect(selector, inst, parts, words);
  return true;
}

bool
norn_valhall_select_lanes(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  NornRef lane = self.operand_count > 1 ? norn_select_operand(selector, inst, 1) : 0;
  switch (self.op) {
  case NORN_OP_LANE_ID: {
    NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_MOV_I32);
    norn_valhall_plain(&machine, norn_ref(NORN_REF_SPECIAL, NORN_VALHALL_SPECIAL_LANE_ID_W0));
    return norn_valhall_finish(&machine);
  }
  case NORN_OP_BALLOT: {
    NornRef value = norn_select_operand(selector, inst, 0);
    const NornInst test = norn_select_definition(selector, value);
    value = norn_valhall_is_word_test(selector, value, false)
                ? norn_valhall_operand_of(selector, &test, 0)
                : norn_valhall_truth(selector, value);
    NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_WMASK);
    norn_valhall_plain(&machine, value);
    return norn_valhall_finish(&machine);
  }
  case NORN_OP_QUAD_SWAP:
    lane = norn_select_word(selector, self.modifier + 1u);
    return select_exchange(selector, inst, NORN_VALHALL_LANE_OPERATION_XOR,
                           NORN_VALHALL_SUBGROUP_SUBGROUP4, lane);
  case NORN_OP_QUAD_BROADCAST: {
    uint64_t number = 0;
    norn_select_constant(selector, lane, &number);
    return select_exchange(selector, inst, NORN_VALHALL_LANE_OPERATION_NONE,
                           NORN_VALHALL_SUBGROUP_SUBGROUP4, norn_select_word(selector, number & 3));
  }
  case NORN_OP_SHUFFLE_XOR:
    return select_exchange(selector, inst, NORN_VALHALL_LANE_OPERATION_XOR,
                           NORN_VALHALL_SUBGROUP_SUBGROUP16, lane_number(selector, inst, lane));
  default: /* shuffle, broadcast */
    return select_exchange(selector, inst, NORN_VALHALL_LANE_OPERATION_NONE,
                           NORN_VALHALL_SUBGROUP_SUBGROUP16, lane_number(selector, inst, lane));
  }
}
