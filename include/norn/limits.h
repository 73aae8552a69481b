/* Limits on the cost of untrusted shaders, and cancellation from another thread.
 *
 * Time is limited by work, not by a clock: a unit is about one instruction that a pass looks at, so
 * the same module with the same options always does the same work (NornCompileInfo.work), on any
 * machine. Memory is what the module and the passes hold; a single step may allocate more than is
 * left before it is noticed. Programs that run have limits of their own: see NornLaunch.
 *
 * A call that exceeds a limit fails with NORN_ERROR_LIMIT, one that is cancelled with
 * NORN_ERROR_CANCELLED. Nothing is leaked; a module whose compilation was stopped can only be
 * freed. */
#ifndef NORN_LIMITS_H
#define NORN_LIMITS_H

#include <norn/error.h>
#include <stdbool.h>
#include <stdint.h>

NORN_BEGIN_DECLS

/* A request to stop, initially all zeros. It belongs to the caller, must outlive the calls that it
 * is passed to, and may be passed to several of them. */
typedef struct NornCancel {
  gint is_requested; /* atomic */
} NornCancel;

/* Asks all calls that it was passed to to stop soon. May be called from any thread and from signal
 * handlers. */
static inline void
norn_cancel(NornCancel *cancel) {
  g_atomic_int_set(&cancel->is_requested, 1);
}

/* Whether norn_cancel has been called. `cancel` may be NULL: no. */
static inline bool
norn_is_cancelled(const NornCancel *cancel) {
  return cancel && g_atomic_int_get(&cancel->is_requested);
}

/* All zeros: no limits. */
typedef struct NornLimits {
  uint64_t work;            /* units of work; 0: no limit */
  uint64_t memory;          /* bytes; 0: no limit */
  uint64_t code;            /* bytes of machine code and constant data after it; 0: no limit */
  const NornCancel *cancel; /* nullable */
} NornLimits;

NORN_END_DECLS

#endif
