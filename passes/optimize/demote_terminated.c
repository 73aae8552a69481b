/* Replaces the terminate of a branch by a demote if no invocation can see the difference
 * (ir/demote.h). */
#include "ir/demote.h"
#include "passes/pass.h"

bool
norn_pass_demote_terminated(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  bool changed = norn_demote_terminated(&context->arena, function,
                                        norn_pass_dominance(context, function), false);
  if (changed) {
    norn_pass_blocks_changed(context);
    norn_pass_remove_unreachable(context, function);
  }
  norn_pass_report(context, changed);
  return true;
}
