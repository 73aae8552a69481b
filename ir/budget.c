/* Limits of work and memory; see ir/budget.h. */
#include "ir/budget.h"

static bool
is_beyond(uint64_t amount, uint64_t limit) {
  return limit && amount > limit;
}

static bool
is_beyond_memory(const NornBudget *budget) {
  return budget->limits->memory && budget->memory &&
         budget->memory(budget->owner) > budget->limits->memory;
}

void
norn_budget_init(NornBudget *budget, const NornLimits *limits,
                 uint64_t (*memory)(const void *owner), const void *owner) {
  *budget = (NornBudget){.limits = limits, .memory = memory, .owner = owner};
}

bool
norn_budget_check(NornBudget *budget) {
  const NornLimits *limits = budget->limits;
  if (!limits || !(limits->work || limits->memory || limits->cancel)) {
    budget->next_check = UINT64_MAX;
    return true;
  }
  if (!budget->is_stopped && !is_beyond(budget->work, limits->work) &&
      !norn_is_cancelled(limits->cancel) && !is_beyond_memory(budget)) {
    budget->next_check = budget->work + NORN_BUDGET_STEP;
    if (limits->work && budget->next_check > limits->work)
      budget->next_check = limits->work;
    return true;
  }
  budget->is_stopped = true;
  budget->next_check = 0;
  return false;
}

bool
norn_cancelled_error(GError **error) {
  g_set_error(error, NORN_ERROR, NORN_ERROR_CANCELLED, "the run was cancelled");
  return false;
}

bool
norn_budget_error(const NornBudget *budget, const char *filename, GError **error) {
  const NornLimits *limits = budget->limits;
  if (is_beyond(budget->work, limits->work))
    g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT,
                "%s: exceeded the limit of %" G_GUINT64_FORMAT " units of work", filename,
                limits->work);
  else if (norn_is_cancelled(limits->cancel))
    g_set_error(error, NORN_ERROR, NORN_ERROR_CANCELLED, "%s: cancelled", filename);
  else
    g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT,
                "%s: exceeded the limit of %" G_GUINT64_FORMAT " bytes of memory", filename,
                limits->memory);
  return false;
}
