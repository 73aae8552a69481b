/* Products of floats that may be regrouped, for the pass factor: see factor.c. */
#ifndef NORN_PASSES_OPTIMIZE_FACTOR_H
#define NORN_PASSES_OPTIMIZE_FACTOR_H

#include "passes/pass.h"

#define NORN_MAX_FACTOR_USES 128 /* of one value */

/* Where a value is read. */
typedef struct NornFactorUse {
  uint32_t inst, next; /* in the list of the value, + 1 */
  uint8_t operand;
} NornFactorUse;

/* The uses of all values that existed when they were listed. */
typedef struct NornFactorUses {
  const NornFactorUse *items;
  uint32_t *first; /* by value: + 1 */
  uint32_t inst_count, value_count;
} NornFactorUses;

NornFactorUses norn_factor_uses(NornArena *arena, const NornFunction *function);

/* Whether the result may be rounded as if its operands were grouped differently. */
static inline bool
norn_factor_may_regroup(const NornInst *inst) {
  return inst->type == NORN_TYPE_F32 && norn_inst_may_reassociate(inst);
}

/* The first use of the result of an instruction, + 1. */
static inline uint32_t
norn_factor_first_use(const NornFactorUses *uses, const NornFunction *function, uint32_t inst) {
  return uses->first[norn_inst(function, inst)->result];
}

/* Which operand of a product, alone or in a sum, or of a sum of two is a constant, if exactly one
 * is (`bits`: its bits); else NORN_NO_CONSTANT. */
enum { NORN_NO_CONSTANT = 3 };
unsigned norn_factor_constant(const NornFunction *function, const NornInst *inst, uint32_t *bits);

/* Turns an instruction into another one with the same result. */
void norn_factor_become(NornFunction *function, uint32_t inst, unsigned op, const NornRef *operands,
                        unsigned count);

/* Replaces one of two constants that differ only in sign by the other: constants that are factors
 * of products or, once only the number of constants matters, addends of sums. Returns whether there
 * were any. */
bool norn_unify_signs(NornPassContext *context, NornFunction *function, bool in_sums);
/* Takes apart sums with a constant that only products read. Returns whether there were any. */
bool norn_distribute_sums(NornPassContext *context, NornFunction *function);

#endif
