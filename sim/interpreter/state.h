/* The state of an interpreter's run, and the functions for executing steps on it: values of
 * operands and results, traps, edges.
 *
 * Undefined values: bit l of a slot's `undefined` says that lane l has no defined value there.
 * Its bits are then 0, but using them for a branch or an address is a trap, and computing with
 * them gives undefined results. */
#ifndef NORN_SIM_INTERPRETER_STATE_H
#define NORN_SIM_INTERPRETER_STATE_H

#include "sim/common/launch.h"
#include "sim/common/races.h"
#include "sim/interpreter/program.h"

/* What a fragment has written so far. */
typedef struct NornFragmentOutputs {
  uint32_t color[NORN_COLOR_TARGETS][4]; /* components */
  uint8_t format[NORN_COLOR_TARGETS];    /* NornFormat of each */
  unsigned colors;                       /* bit i: target i has one */
  uint32_t depth, stencil, coverage;
  bool has_depth, has_stencil, has_coverage;
} NornFragmentOutputs;

/* A subgroup. */
struct NornWarp {
  NornRun *run;
  uint64_t *slots;              /* [slot][lane] */
  uint16_t *undefined;          /* [slot]: lanes in which it has no defined value */
  uint32_t first;               /* local index of lane 0 */
  uint8_t *scratch;             /* [lane]: thread-local memory */
  unsigned present;             /* lanes that exist */
  unsigned live;                /* lanes that exist and have not ended */
  unsigned waiting;             /* lanes at a barrier */
  unsigned helpers;             /* lanes that write nothing */
  NornFragmentOutputs *outputs; /* [lane] */
  uint32_t key[NORN_LANES];
  uint32_t step[NORN_LANES]; /* the next step of a lane in its node */
};

struct NornRun {
  const NornProgram *program;
  const NornLaunch *launch;
  NornReport report;
  uint32_t workgroup[3]; /* the one that runs */
  uint8_t *shared;       /* its memory */
  size_t shared_bytes;
  uint64_t steps_left;
  NornRaces *races; /* NULL: races are not checked for */
  uint64_t *held;   /* arguments being copied to parameters */
  uint16_t *held_undefined;
  uint32_t held_capacity;
};

/* All lanes of a set. */
#define norn_for_each_lane(lanes, lane)                                                            \
  for (unsigned lane##_left = (lanes), lane = 0;                                                   \
       lane##_left && (lane = (unsigned)__builtin_ctz(lane##_left), true);                         \
       lane##_left &= lane##_left - 1)

/* --- Values --- */

/* The lanes of a slot. */
static inline uint64_t *
norn_warp_slot(const NornWarp *warp, uint32_t slot) {
  return warp->slots + (size_t)slot * NORN_LANES;
}

static inline uint32_t
norn_step_operand(const NornWarp *warp, const NornStep *step, unsigned k) {
  return g_array_index(warp->run->program->slots, uint32_t, step->operand + k);
}

static inline uint32_t
norn_step_result(const NornWarp *warp, const NornStep *step, unsigned k) {
  return g_array_index(warp->run->program->slots, uint32_t, step->result + k);
}

/* The lanes in which operand k has no defined value. */
static inline unsigned
norn_step_undefined(const NornWarp *warp, const NornStep *step, unsigned k) {
  return warp->undefined[norn_step_operand(warp, step, k)];
}

/* Operand k in all lanes. */
static inline const uint64_t *
norn_step_lanes(const NornWarp *warp, const NornStep *step, unsigned k) {
  return norn_warp_slot(warp, norn_step_operand(warp, step, k));
}

static inline void
norn_warp_set_undefined(NornWarp *warp, uint32_t slot, unsigned active, unsigned undefined) {
  warp->undefined[slot] = (uint16_t)((warp->undefined[slot] & ~active) | (undefined & active));
}

/* The lanes of result k; marks it as defined in the active lanes. */
static inline uint64_t *
norn_step_define(NornWarp *warp, const NornStep *step, unsigned k, unsigned active) {
  uint32_t slot = norn_step_result(warp, step, k);
  norn_warp_set_undefined(warp, slot, active, 0);
  return norn_warp_slot(warp, slot);
}

/* The position in the whole grid of an invocation of the current workgroup. */
static inline void
norn_run_position(const NornRun *run, uint32_t index, uint32_t position[3]) {
  norn_launch_grid_position(run->launch, run->workgroup, index, position);
}

/* --- Traps --- */

/* Sets NORN_ERROR_TRAP with the location, the operation and the invocation; always returns
 * false. */
bool norn_trap(const NornWarp *warp, const NornStep *step, unsigned lane, GError **error,
               const char *format, ...) G_GNUC_PRINTF(5, 6);
/* The start of such a message; free it with g_free. */
char *norn_trap_location(const NornWarp *warp, const NornStep *step, unsigned lane);

/* Traps if operand k is undefined in an active lane; `what` names it. */
bool norn_step_check_defined(const NornWarp *warp, const NornStep *step, unsigned k,
                             unsigned active, const char *what, GError **error);

/* --- Edges --- */

/* Sends lanes along an edge of the program. */
void norn_warp_take_edge(NornWarp *warp, uint32_t edge, unsigned lanes);

/* Sends the lanes of `taken` along the first edge of a step and the other active ones along the
 * second. */
void norn_warp_take_branch(NornWarp *warp, const NornStep *step, unsigned active, unsigned taken);

#endif
