/* Fold and legalize: what constants and operands may be is all the target's knowledge. */
#include "passes/pass.h"

bool
norn_pass_place_constants(NornPassContext *context, NornFunction *function, GError **error) {
  return context->target->fold(context, function, error);
}

bool
norn_pass_legalize(NornPassContext *context, NornFunction *function, GError **error) {
  return context->target->legalize(context, function, error);
}
