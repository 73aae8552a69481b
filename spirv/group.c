/* Barriers, and operations between the invocations of a subgroup.
 *
 * Sets of lanes have four words in SPIR-V; the lowest one holds all the lanes that a subgroup of
 * the IR has. Moves and reductions work on each scalar of a value separately. Groups other than
 * subgroups are rejected. */
#include "spirv/reader.h"

/* Kinds of memory whose accesses a barrier of SPIR-V may order. */
#define ORDERED_MEMORY                                                                             \
  (SpvMemorySemanticsUniformMemoryMask | SpvMemorySemanticsSubgroupMemoryMask |                    \
   SpvMemorySemanticsWorkgroupMemoryMask | SpvMemorySemanticsCrossWorkgroupMemoryMask |            \
   SpvMemorySemanticsAtomicCounterMemoryMask | SpvMemorySemanticsImageMemoryMask |                 \
   SpvMemorySemanticsOutputMemoryMask)

/* The IR's equivalent of a scope, or the next wider one if there is none. */
static NornScope
scope_of(NornSpirvReader *reader, uint32_t k) {
  switch (norn_spirv_constant(reader, k)) {
  case SpvScopeSubgroup:
  case SpvScopeInvocation:
    return NORN_SCOPE_SUBGROUP;
  case SpvScopeWorkgroup:
    return NORN_SCOPE_WORKGROUP;
  default:
    return NORN_SCOPE_DEVICE;
  }
}

void
norn_spirv_read_control_barrier(NornSpirvReader *reader) {
  NornScope execution = scope_of(reader, 1), memory = scope_of(reader, 2);
  uint64_t semantics = norn_spirv_constant(reader, 3);
  if (execution == NORN_SCOPE_SUBGROUP) {
    /* Lanes that are together stay together. */
    if (semantics & ORDERED_MEMORY)
      norn_build_fence(reader->builder, memory);
  } else if (execution != NORN_SCOPE_WORKGROUP || reader->module->stage != NORN_STAGE_COMPUTE) {
    norn_spirv_unsupported(
        reader, "a control barrier with an execution scope other than workgroup is not supported");
  } else {
    norn_build_barrier(reader->builder, MAX(memory, NORN_SCOPE_WORKGROUP));
  }
}

void
norn_spirv_read_memory_barrier(NornSpirvReader *reader) {
  norn_build_fence(reader->builder, scope_of(reader, 1));
}

/* --- Subgroups --- */

/* Instructions of extensions that predate those of the core and always apply to the subgroup. */
static bool
has_no_scope(const NornSpirvReader *reader) {
  switch (norn_spirv_opcode(reader)) {
  case SpvOpSubgroupAllKHR:
  case SpvOpSubgroupAllEqualKHR:
  case SpvOpSubgroupAnyKHR:
  case SpvOpSubgroupBallotKHR:
  case SpvOpSubgroupFirstInvocationKHR:
  case SpvOpSubgroupReadInvocationKHR:
    return true;
  default:
    return false;
  }
}

/* The word of the first operand after the scope. */
static uint32_t
first_operand(const NornSpirvReader *reader) {
  return has_no_scope(reader) ? 3 : 4;
}

static bool
check_scope(NornSpirvReader *reader) {
  if (has_no_scope(reader) || norn_spirv_constant(reader, 3) == SpvScopeSubgroup)
    return !reader->error;
  norn_spirv_unsupported(reader,
                         "group operations in scopes other than subgroup are not supported");
  return false;
}

static NornRef
zero(NornSpirvReader *reader) {
  return norn_spirv_int(reader, NORN_TYPE_I32, 0);
}

/* The set of all possible lanes. */
static NornRef
all_lanes(NornSpirvReader *reader) {
  return norn_spirv_int(reader, NORN_TYPE_I32, (1u << NORN_SUBGROUP_LANES) - 1);
}

/* Defines a set of lanes: its lowest word, then zeros. */
static void
define_mask(NornSpirvReader *reader, NornRef mask) {
  NornRef refs[4] = {mask, zero(reader), zero(reader), zero(reader)};
  NornRef *copy = norn_spirv_new_refs(reader, 4);
  for (unsigned k = 0; k < 4; k++)
    copy[k] = refs[k];
  norn_spirv_define(reader, copy, 4);
}

static NornRef
active_lanes(NornSpirvReader *reader) {
  return norn_build_ballot(reader->builder, norn_build_bits(reader->builder, 1));
}

void
norn_spirv_read_elect(NornSpirvReader *reader) {
  if (!check_scope(reader))
    return;
  NornRef first = norn_spirv_op1(reader, NORN_OP_CTZ, NORN_TYPE_I32, active_lanes(reader));
  norn_spirv_define_scalar(reader, norn_spirv_compare(reader, NORN_OP_ICMP, NORN_INT_CONDITION_EQ,
                                                      NORN_TYPE_I32,
                                                      norn_build_lane_id(reader->builder), first));
}

void
norn_spirv_read_vote(NornSpirvReader *reader) {
  if (!check_scope(reader))
    return;
  NornRef predicate = norn_spirv_scalar(reader, first_operand(reader));
  unsigned opcode = norn_spirv_opcode(reader);
  bool asks_all = opcode == SpvOpGroupNonUniformAll || opcode == SpvOpSubgroupAllKHR;
  norn_spirv_define_scalar(reader, asks_all ? norn_build_all(reader->builder, predicate)
                                            : norn_build_any(reader->builder, predicate));
}

/* Whether all lanes have the same value as the first lane; floats are compared as numbers. */
void
norn_spirv_read_all_equal(NornSpirvReader *reader) {
  const NornSpirvType *type;
  const NornRef *refs = norn_spirv_any_value(reader, first_operand(reader), &type);
  if (!check_scope(reader) || !type->scalar)
    return;
  NornRef equal = norn_build_bits(reader->builder, 1);
  NornType scalar = (NornType)type->scalar;
  bool is_float = norn_type_in(NORN_SET_FLOAT, scalar);
  for (uint32_t k = 0; k < type->flat; k++) {
    NornRef first = norn_build_broadcast_first(reader->builder, scalar, refs[k]), own;
    if (scalar == NORN_TYPE_I1)
      own = norn_spirv_op1(reader, NORN_OP_NOT, scalar,
                           norn_spirv_op2(reader, NORN_OP_XOR, scalar, refs[k], first));
    else
      own = norn_spirv_compare(reader, is_float ? NORN_OP_FCMP : NORN_OP_ICMP,
                               is_float ? (unsigned)NORN_FLOAT_CONDITION_OEQ
                                        : (unsigned)NORN_INT_CONDITION_EQ,
                               scalar, refs[k], first);
    equal = norn_spirv_op2(reader, NORN_OP_AND, NORN_TYPE_I1, equal, own);
  }
  norn_spirv_define_scalar(reader, norn_build_all(reader->builder, equal));
}

void
norn_spirv_read_ballot(NornSpirvReader *reader) {
  if (check_scope(reader))
    define_mask(reader, norn_build_ballot(reader->builder,
                                          norn_spirv_scalar(reader, first_operand(reader))));
}

/* Bit `lane` of a set. */
static NornRef
bit_of(NornSpirvReader *reader, NornRef mask, NornRef lane) {
  NornRef moved = norn_spirv_op2(reader, NORN_OP_LSHR, NORN_TYPE_I32, mask, lane);
  NornRef bit = norn_spirv_op2(reader, NORN_OP_AND, NORN_TYPE_I32, moved,
                               norn_spirv_int(reader, NORN_TYPE_I32, 1));
  return norn_spirv_compare(reader, NORN_OP_ICMP, NORN_INT_CONDITION_NE, NORN_TYPE_I32, bit,
                            zero(reader));
}

void
norn_spirv_read_ballot_bit(NornSpirvReader *reader) {
  if (!check_scope(reader))
    return;
  bool is_own = norn_spirv_opcode(reader) == SpvOpGroupNonUniformInverseBallot;
  NornRef mask = norn_spirv_value(reader, 4, 4)[0];
  NornRef lane = is_own ? norn_build_lane_id(reader->builder) : norn_spirv_word_scalar(reader, 5);
  norn_spirv_define_scalar(reader, bit_of(reader, mask, lane));
}

void
norn_spirv_read_ballot_count(NornSpirvReader *reader) {
  if (!check_scope(reader))
    return;
  NornRef mask = norn_spirv_value(reader, 5, 4)[0];
  NornRef one = norn_spirv_int(reader, NORN_TYPE_I32, 1);
  uint32_t operation = norn_spirv_word(reader, 4);
  NornRef kept = all_lanes(reader);
  if (operation != SpvGroupOperationReduce) {
    NornRef own = norn_spirv_op2(reader, NORN_OP_SHL, NORN_TYPE_I32, one,
                                 norn_build_lane_id(reader->builder));
    NornRef below = norn_spirv_op2(reader, NORN_OP_ISUB, NORN_TYPE_I32, own, one);
    kept = operation == SpvGroupOperationExclusiveScan
               ? below
               : norn_spirv_op2(reader, NORN_OP_OR, NORN_TYPE_I32, below, own);
  }
  NornRef bits = norn_spirv_op2(reader, NORN_OP_AND, NORN_TYPE_I32, mask, kept);
  norn_spirv_define_scalar(reader, norn_spirv_op1(reader, NORN_OP_POPCOUNT, NORN_TYPE_I32, bits));
}

void
norn_spirv_read_ballot_find(NornSpirvReader *reader) {
  if (!check_scope(reader))
    return;
  bool is_lowest = norn_spirv_opcode(reader) == SpvOpGroupNonUniformBallotFindLSB;
  NornRef mask = norn_spirv_value(reader, 4, 4)[0];
  /* Bits of lanes that do not exist are ignored. For the lowest bit that makes a difference only if
   * there is no other bit, in which case the result is undefined. */
  if (!is_lowest)
    mask = norn_spirv_op2(reader, NORN_OP_AND, NORN_TYPE_I32, mask, all_lanes(reader));
  norn_spirv_define_scalar(reader,
                           norn_spirv_op1(reader, is_lowest ? NORN_OP_FIND_LSB : NORN_OP_FIND_UMSB,
                                          NORN_TYPE_I32, mask));
}

/* Moves each scalar of the value between lanes; `lane` is 0 if the operation needs none. */
static void
move_by(NornSpirvReader *reader, NornOp op, unsigned modifier, NornRef lane) {
  const NornSpirvType *type;
  const NornRef *refs = norn_spirv_any_value(reader, first_operand(reader), &type);
  if (!check_scope(reader))
    return;
  if (!norn_type_in(norn_ops[op].types, (NornType)type->scalar)) {
    norn_spirv_unsupported(reader, "moving values of this type between lanes is not supported");
    return;
  }
  NornRef *results = norn_spirv_new_refs(reader, type->flat);
  for (uint32_t k = 0; k < type->flat && !reader->error; k++) {
    const NornRef operands[] = {refs[k], lane};
    results[k] =
        norn_spirv_op(reader, op, modifier, (NornType)type->scalar, operands, lane ? 2 : 1);
  }
  norn_spirv_define(reader, results, type->flat);
}

/* The same, with the operand after the value as the lane. */
static void
move(NornSpirvReader *reader, NornOp op) {
  move_by(reader, op, 0, norn_spirv_word_scalar(reader, first_operand(reader) + 1));
}

/* Lane `within` of the current lane's cluster; `size` is a power of two. */
static NornRef
lane_of_cluster(NornSpirvReader *reader, NornRef within, uint32_t size) {
  NornRef mask = norn_spirv_int(reader, NORN_TYPE_I32, size - 1);
  NornRef first =
      norn_spirv_op2(reader, NORN_OP_AND, NORN_TYPE_I32, norn_build_lane_id(reader->builder),
                     norn_spirv_int(reader, NORN_TYPE_I32, ~(size - 1)));
  return norn_spirv_op2(reader, NORN_OP_OR, NORN_TYPE_I32, first,
                        norn_spirv_op2(reader, NORN_OP_AND, NORN_TYPE_I32, within, mask));
}

/* The value from the lane that is this many lanes above in the cluster, wrapping around to its
 * first lane. */
void
norn_spirv_read_lane_rotation(NornSpirvReader *reader) {
  NornRef distance = norn_spirv_word_scalar(reader, 5);
  uint64_t size =
      norn_spirv_length(reader) > 6 ? norn_spirv_constant(reader, 6) : NORN_SUBGROUP_LANES;
  if (!size || size > NORN_SUBGROUP_LANES || size & (size - 1)) {
    norn_spirv_unsupported(reader, "the size of a cluster must be a power of two up to %u",
                           NORN_SUBGROUP_LANES);
    return;
  }
  NornRef sum = norn_spirv_op2(reader, NORN_OP_IADD, NORN_TYPE_I32,
                               norn_build_lane_id(reader->builder), distance);
  move_by(reader, NORN_OP_SHUFFLE, 0, lane_of_cluster(reader, sum, (uint32_t)size));
}

void
norn_spirv_read_quad_broadcast(NornSpirvReader *reader) {
  NornRef lane = norn_spirv_word_scalar(reader, 5);
  uint64_t number;
  if (!norn_spirv_constant_bits(reader, lane, &number))
    move_by(reader, NORN_OP_SHUFFLE, 0, lane_of_cluster(reader, lane, 4));
  else if (number < 4)
    move(reader, NORN_OP_QUAD_BROADCAST);
  else
    norn_spirv_invalid(reader, "a quad has four lanes");
}

void
norn_spirv_read_lane_move(NornSpirvReader *reader) {
  uint64_t lane = 0;
  switch (norn_spirv_opcode(reader)) {
  case SpvOpGroupNonUniformBroadcastFirst:
  case SpvOpSubgroupFirstInvocationKHR:
    move_by(reader, NORN_OP_BROADCAST_FIRST, 0, 0);
    break;
  case SpvOpGroupNonUniformBroadcast:
  case SpvOpSubgroupReadInvocationKHR:
    /* The lane can be any one that is the same for all lanes. */
    if (norn_spirv_constant_bits(reader, norn_spirv_scalar(reader, first_operand(reader) + 1),
                                 &lane) &&
        lane < NORN_SUBGROUP_LANES)
      move(reader, NORN_OP_BROADCAST);
    else
      move(reader, NORN_OP_SHUFFLE);
    break;
  case SpvOpGroupNonUniformShuffle:
    move(reader, NORN_OP_SHUFFLE);
    break;
  case SpvOpGroupNonUniformShuffleXor:
    move(reader, NORN_OP_SHUFFLE_XOR);
    break;
  case SpvOpGroupNonUniformShuffleUp:
    move(reader, NORN_OP_SHUFFLE_UP);
    break;
  case SpvOpGroupNonUniformShuffleDown:
    move(reader, NORN_OP_SHUFFLE_DOWN);
    break;
  default: /* OpGroupNonUniformQuadSwap: 0 horizontal, 1 vertical, 2 diagonal */
    lane = norn_spirv_constant(reader, 5);
    if (lane < NORN_NEIGHBOR_COUNT)
      move_by(reader, NORN_OP_QUAD_SWAP, (unsigned)lane, 0);
    else
      norn_spirv_invalid(reader, "the direction must be 0, 1 or 2");
  }
}

/* The reduction of each instruction. */
static const struct {
  uint16_t opcode;
  uint8_t is_float, reduction;
} reductions[] = {
#define REDUCTION(name, is_float, operation) {SpvOp##name, is_float, NORN_##operation},
#include "spirv/handlers.def"
};

/* The operation that combines a scalar over a cluster of lanes, or over the lanes up to the current
 * one or below it. */
static NornOp
reduction_op(bool is_float, uint32_t operation) {
  switch (operation) {
  case SpvGroupOperationInclusiveScan:
    return is_float ? NORN_OP_FSCAN : NORN_OP_ISCAN;
  case SpvGroupOperationExclusiveScan:
    return is_float ? NORN_OP_FSCAN_EXCLUSIVE : NORN_OP_ISCAN_EXCLUSIVE;
  default:
    return is_float ? NORN_OP_FREDUCE : NORN_OP_IREDUCE;
  }
}

/* `cluster` is of no account to a scan. */
static NornRef
combine(NornSpirvReader *reader, NornOp op, unsigned reduction, uint32_t cluster, NornType type,
        NornRef ref) {
  NornRef lanes = norn_build_bits(reader->builder, cluster);
  bool is_truth = type == NORN_TYPE_I1;
  NornType wide = is_truth ? NORN_TYPE_I32 : type;
  NornRef value = is_truth ? norn_spirv_convert(reader, NORN_OP_ZEXT, 0, wide, type, ref) : ref;
  const NornRef operands[] = {value, lanes};
  NornRef result =
      norn_spirv_op(reader, op, reduction, wide, operands, norn_operand_arity(op).fixed);
  return is_truth ? norn_spirv_compare(reader, NORN_OP_ICMP, NORN_INT_CONDITION_NE, wide, result,
                                       zero(reader))
                  : result;
}

void
norn_spirv_read_reduction(NornSpirvReader *reader) {
  const NornSpirvType *type;
  const NornRef *refs = norn_spirv_any_value(reader, 5, &type);
  uint32_t operation = norn_spirv_word(reader, 4);
  uint64_t cluster = NORN_SUBGROUP_LANES;
  if (operation == SpvGroupOperationClusteredReduce)
    cluster = norn_spirv_constant(reader, 6);
  if (!check_scope(reader))
    return;
  unsigned k = 0;
  while (reductions[k].opcode != norn_spirv_opcode(reader))
    k++;
  NornTypeSet allowed = reductions[k].is_float ? NORN_SET_FLOAT : NORN_SET_INT | NORN_SET_BOOL;
  if (!norn_type_in(allowed, (NornType)type->scalar) || operation > 3 || !cluster ||
      cluster & (cluster - 1)) {
    norn_spirv_unsupported(reader, "this group operation or type is not supported");
    return;
  }
  NornRef *results = norn_spirv_new_refs(reader, type->flat);
  NornOp op = reduction_op(reductions[k].is_float, operation);
  uint32_t lanes = (uint32_t)MIN(cluster, NORN_SUBGROUP_LANES);
  for (uint32_t i = 0; i < type->flat && !reader->error; i++)
    results[i] = lanes == 1 ? refs[i]
                            : combine(reader, op, reductions[k].reduction, lanes,
                                      (NornType)type->scalar, refs[i]);
  norn_spirv_define(reader, results, type->flat);
}

/* --- Helpers --- */

void
norn_spirv_read_demote(NornSpirvReader *reader) {
  if (reader->module->stage == NORN_STAGE_FRAGMENT)
    norn_build_demote(reader->builder, norn_build_bits(reader->builder, 1));
  else
    norn_spirv_invalid(reader, "only a fragment shader can discard");
}

void
norn_spirv_read_is_helper(NornSpirvReader *reader) {
  if (reader->module->stage == NORN_STAGE_FRAGMENT)
    norn_spirv_define_scalar(reader, norn_build_helper_invocation(reader->builder));
  else
    norn_spirv_invalid(reader, "only a fragment shader can have helper invocations");
}

/* |dx| + |dy| */
void
norn_spirv_read_derivative_width(NornSpirvReader *reader) {
  const NornSpirvType *type = norn_spirv_type(reader, 1);
  const NornRef *refs = norn_spirv_value(reader, 3, norn_spirv_flat(reader, type));
  unsigned fine = norn_spirv_opcode(reader) == SpvOpFwidthFine;
  NornType scalar = (NornType)type->scalar;
  if (!norn_type_in(NORN_SET_FLOAT, scalar))
    norn_spirv_invalid(reader, "the operand is not a float or a vector of floats");
  NornRef *results = norn_spirv_new_refs(reader, type->flat);
  for (uint32_t k = 0; k < type->flat && !reader->error; k++) {
    unsigned modifier = fine ? NORN_DERIVATIVE_FINE : NORN_DERIVATIVE_COARSE;
    NornRef x = norn_spirv_op(reader, NORN_OP_DDX, modifier, scalar, &refs[k], 1);
    NornRef y = norn_spirv_op(reader, NORN_OP_DDY, modifier, scalar, &refs[k], 1);
    results[k] = norn_spirv_op2(reader, NORN_OP_FADD, scalar,
                                norn_spirv_op1(reader, NORN_OP_FABS, scalar, x),
                                norn_spirv_op1(reader, NORN_OP_FABS, scalar, y));
  }
  norn_spirv_define(reader, results, type->flat);
}
