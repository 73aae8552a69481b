/* Pairs of 16-bit values, shared by the passes that make them. */
#ifndef NORN_PASSES_OPTIMIZE_HALVES_H
#define NORN_PASSES_OPTIMIZE_HALVES_H

#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/pass.h"

#define NORN_MAX_PAIR_OPERANDS 4

/* Minimum number of uses of two values that makes a pair of them for one operand worthwhile. */
#define NORN_SHARED_USES 2

/* The type of two lanes of `type`; VOID if there is none. */
static inline NornType
norn_pair_type(NornType type) {
  return type == NORN_TYPE_F16   ? NORN_TYPE_V2F16
         : type == NORN_TYPE_I16 ? NORN_TYPE_V2I16
                                 : NORN_TYPE_VOID;
}

/* A lane of a pair. */
typedef struct NornPairLane {
  NornRef pair;    /* 0: the value is not a lane */
  unsigned number; /* 0 or 1 */
} NornPairLane;

/* The lane of a pair that the value is extracted from. */
static inline NornPairLane
norn_pair_lane(const NornFunction *function, NornRef ref) {
  const NornInst *inst = norn_defining_inst(function, ref);
  if (!inst || inst->op != NORN_OP_EXTRACT || norn_types[inst->source_type].lanes != 2)
    return (NornPairLane){0};
  const NornRef *operands = norn_operands(function, inst);
  return (NornPairLane){operands[0], norn_constant_bits(function->module, operands[1]) % 2};
}

/* Whether two values are the lanes of one pair, in their order. */
static inline bool
norn_are_lanes(NornPairLane low, NornPairLane high) {
  return low.pair && low.pair == high.pair && low.number == 0 && high.number == 1;
}

/* Whether some block has a parameter of one of the types. */
static inline bool
norn_has_parameters(const NornFunction *function, NornTypeSet types) {
  norn_for_each_block (function, block)
    for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++)
      if (norn_type_in(types, norn_value(function, norn_block_parameter(function, block, k))->type))
        return true;
  return false;
}

/* --- pair_halves.c --- */

/* The operands of an instruction that computes a half, of which each lane of a pair has its own.
 * Those of a selection include the operands of a comparison of halves that only it uses. */
typedef struct NornHalfOperands {
  unsigned count;
  NornRef refs[NORN_MAX_PAIR_OPERANDS];
  NornType types[NORN_MAX_PAIR_OPERANDS];
  NornRef
      condition; /* of a selection with another condition, which both lanes must share; else 0 */
  uint32_t comparison; /* the instruction that makes the comparison, or NORN_INDEX_NONE */
} NornHalfOperands;

/* `uses`: by value, for the first `use_count` ones. */
NornHalfOperands norn_half_operands(const NornFunction *function, const NornInst *inst,
                                    const uint32_t *uses, uint32_t use_count);

/* Whether two instructions with these operands do the same to them. */
bool norn_do_same(const NornFunction *function, const NornInst *a,
                  const NornHalfOperands *a_operands, const NornInst *b,
                  const NornHalfOperands *b_operands);

/* Whether the instruction computes a half from halves and, if it is a selection, a condition, and
 * the target can do the same to a pair. */
bool norn_can_be_paired(const NornPassContext *context, const NornFunction *function,
                        const NornInst *inst);

/* The pair of two values of type `type`: a constant if both are. */
NornRef norn_build_pair(NornBuilder *builder, NornType type, const NornRef lanes[2]);

#endif
