/* Counting work against the limits of a caller (norn/limits.h).
 *
 * Long loops count what they do with norn_budget_continues, which is an addition and a comparison:
 * the rest is looked at every NORN_BUDGET_STEP units. Once it is false it stays false; loops then
 * end at once, leaving behind what is safe to free, and whoever made the budget reports the error.
 */
#ifndef NORN_IR_BUDGET_H
#define NORN_IR_BUDGET_H

#include <norn/limits.h>

/* Units of work between two looks at the request to stop and at memory: about 0.1 ms. */
#define NORN_BUDGET_STEP 1024

/* All zeros: no limits. */
typedef struct NornBudget {
  const NornLimits *limits;              /* nullable: none */
  uint64_t work;                         /* done */
  uint64_t next_check;                   /* when work exceeds it */
  uint64_t (*memory)(const void *owner); /* bytes in use; nullable: not counted */
  const void *owner;
  bool is_stopped;
} NornBudget;

/* A budget of which nothing is used. */
void norn_budget_init(NornBudget *budget, const NornLimits *limits,
                      uint64_t (*memory)(const void *owner), const void *owner);

/* Looks whether the work may go on. */
bool norn_budget_check(NornBudget *budget);

/* Counts work, done or about to be done. False: stop. */
static inline bool
norn_budget_continues(NornBudget *budget, uint64_t work) {
  budget->work += work;
  return budget->work <= budget->next_check || norn_budget_check(budget);
}

/* Sets the error that says why a budget is stopped; false. `filename` is that of the module. */
bool norn_budget_error(const NornBudget *budget, const char *filename, GError **error);

/* Sets the error of a run that is cancelled; false. */
bool norn_cancelled_error(GError **error);

#endif
