/* What the files that execute steps share: access to operands and results, and each other's
 * functions for the table in interpreter_ops.c. */
#ifndef NORN_SIM_INTERPRETER_STEPS_H
#define NORN_SIM_INTERPRETER_STEPS_H

#include "sim/interpreter.h"

/* The lanes in which operand k has no defined value. */
static inline unsigned
norn_step_undefined(const NornRun *run, const NornWarp *warp, const NornStep *step, unsigned k) {
  return warp->undefined[norn_step_operand(run, step, k)];
}

/* Operand k in all lanes. */
static inline const uint64_t *
norn_step_lanes(const NornRun *run, const NornWarp *warp, const NornStep *step, unsigned k) {
  return norn_warp_slot(warp, norn_step_operand(run, step, k));
}

static inline void
norn_warp_set_undefined(NornWarp *warp, uint32_t slot, unsigned active, unsigned undefined) {
  warp->undefined[slot] = (uint16_t)((warp->undefined[slot] & ~active) | (undefined & active));
}

/* Result k, to be written in the active lanes; it counts as defined there. */
static inline uint64_t *
norn_step_define(const NornRun *run, NornWarp *warp, const NornStep *step, unsigned k,
                 unsigned active) {
  uint32_t slot = norn_step_result(run, step, k);
  norn_warp_set_undefined(warp, slot, active, 0);
  return norn_warp_slot(warp, slot);
}

/* Traps if operand k is undefined in an active lane; `what` names it. */
bool norn_step_check_defined(const NornRun *run, const NornWarp *warp, const NornStep *step,
                             unsigned k, unsigned active, const char *what, GError **error);

/* The operation that an operation on lanes repeats, or NORN_OP_NONE. */
NornOp norn_step_combiner(const NornInst *inst);

/* interpreter_lanes.c: ballot and votes; reading another lane; reductions and scans; derivatives.
 */
bool norn_step_vote(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                    GError **error);
bool norn_step_exchange(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                        GError **error);
bool norn_step_combine(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                       GError **error);
bool norn_step_derivative(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                          GError **error);

#endif
