/* Optimize: the generic clean-up, made of the passes that each do one thing.
 *
 * Branches first, so that the others see long blocks; dead code last. A second round picks up what
 * the first laid bare (a comparison that became constant, a selection whose sides became equal). */
#include "passes/pass.h"

#define ROUNDS 2

bool
norn_pass_optimize(NornPassContext *context, NornFunction *function, GError **error) {
  static const NornPassFunction steps[] = {norn_pass_simplify_cfg, norn_pass_simplify,
                                           norn_pass_gvn, norn_pass_dce};
  for (unsigned round = 0; round < ROUNDS; round++)
    for (unsigned k = 0; k < G_N_ELEMENTS(steps); k++)
      if (!steps[k](context, function, error))
        return false;
  return true;
}
