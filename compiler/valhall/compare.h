/* Shared by comparisons and the selections, branches and demotions that test them; see compare.c.
 */
#ifndef NORN_COMPILER_VALHALL_COMPARE_H
#define NORN_COMPILER_VALHALL_COMPARE_H

#include "compiler/valhall/valhall.h"

#define NO_CONDITION 0xFF

/* With more users than a vector has components, they test the truth value instead: it occupies one
 * register, not two. */
enum { MAX_COMPARING_USERS = 4 };

/* How a comparison's result joins another truth value. */
typedef enum { JOIN_OR, JOIN_AND } JoinOperator;

/* A comparison to make. */
typedef struct Comparison {
  NornOp op; /* ICMP or FCMP */
  NornType type;
  unsigned condition; /* hardware condition, or NO_CONDITION */
  bool is_signed, is_inverted;
  NornRef left, right;
} Comparison;

static inline bool
norn_valhall_is_comparison(const NornInst *inst) {
  return inst->op == NORN_OP_ICMP || inst->op == NORN_OP_FCMP;
}

Comparison norn_valhall_comparison_of(const NornSelector *selector, const NornInst *inst);

/* Begins a comparison of integers, without its fields and sources. */
NornValhallInst norn_valhall_begin_int(NornSelector *selector, uint32_t inst, bool is_signed,
                                       JoinOperator join);

/* Begins an instruction for a single comparison, with all but its last source. */
NornValhallInst norn_valhall_begin_single(NornSelector *selector, uint32_t inst,
                                          const Comparison *comparison, JoinOperator join);

/* Begins an instruction for any comparison with all its sources, to be finished or emitted.
 * *is_inverted: its result must be complemented. */
NornValhallInst norn_valhall_begin_comparison(NornSelector *selector, uint32_t inst,
                                              const Comparison *comparison, bool *is_inverted);

/* ~0 if the truth value is true, or with `is_inverted` if it is false; or another result type. */
NornValhallInst norn_valhall_begin_test(NornSelector *selector, uint32_t inst, NornRef value,
                                        bool is_inverted, unsigned result_type);

/* Selects the truth value as 1 or 1.0 (a result type of comparisons): made directly if few others
 * use it, else by a test. */
bool norn_valhall_select_truth_as(NornSelector *selector, uint32_t inst, NornRef condition,
                                  unsigned result_type);

#endif
