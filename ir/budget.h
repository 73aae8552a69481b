/* Counting work against the limits of a caller (norn/limits.h).
 *
 * Long loops count their work with norn_budget_continues, which is an addition and a comparison;
 * the other limits are checked every NORN_BUDGET_STEP units. Once it returns false it always does.
 * Loops then end immediately and leave behind a state that is safe to free, and the owner of the
 * budget reports the error. */
#ifndef NORN_IR_BUDGET_H
#define NORN_IR_BUDGET_H

#include <norn/limits.h>

/* Units of work between two checks for cancellation and memory: about 0.1 ms. */
#define NORN_BUDGET_STEP 1024

/* Zero-initialized: no limits. */
typedef struct NornBudget {
  const NornLimits *limits;              /* nullable: no limits */
  uint64_t work;                         /* units of work done */
  uint64_t next_check;                   /* the amount of work after which to check */
  uint64_t (*memory)(const void *owner); /* bytes in use; nullable: not counted */
  const void *owner;
  bool is_stopped;
} NornBudget;

/* Starts a budget of which nothing is used. */
void norn_budget_init(NornBudget *budget, const NornLimits *limits,
                      uint64_t (*memory)(const void *owner), const void *owner);

/* Checks whether the work may continue. */
bool norn_budget_check(NornBudget *budget);

/* Counts work that was done or is about to be done. False: stop. */
static inline bool
norn_budget_continues(NornBudget *budget, uint64_t work) {
  budget->work += work;
  return budget->work <= budget->next_check || norn_budget_check(budget);
}

/* Sets the error that says why a budget was stopped; returns false. `filename` is that of the
 * module. */
bool norn_budget_error(const NornBudget *budget, const char *filename, GError **error);

/* Sets the error of a cancelled run; returns false. */
bool norn_cancelled_error(GError **error);

#endif
