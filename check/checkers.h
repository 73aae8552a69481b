/* The independent checkers of finished code: their input, and their list.
 *
 * A checker decodes the words anew and follows every path through them; it shares no code with
 * the passes that generated them. checkers.def lists the checkers, what each one proves, what it
 * assumes and what it does not see. A target provides the function that runs its machine's
 * checkers (NornTarget.check). */
#ifndef NORN_CHECK_CHECKERS_H
#define NORN_CHECK_CHECKERS_H

#include "ir/ir.h"
#include <norn/check.h>
#include <norn/compile.h>

/* Finished code and what is known about it. */
typedef struct NornCheckInput {
  const uint64_t *words;
  uint32_t count;
  unsigned architecture; /* its number */
  NornShaderStage stage;
  unsigned checks;         /* NornCheck bits */
  const unsigned *noalias; /* see NornCheckOptions */
  unsigned noalias_count;
  uint32_t data_offset, data_size; /* bytes of constant data after the code; 0: none */

  /* Only for code that was just compiled, otherwise NULL: some of the checkers cannot check
   * other code. */
  const NornCompileInfo *info;
  const NornFunction *selected; /* the program before it was scheduled */
  /* If a later pass computes values in another way (pack-halves): the program after it, with the
   * same blocks; otherwise NULL. */
  const NornFunction *rewritten;
  uint32_t scratch_size; /* its thread-local memory, without spill slots */
  /* The program as it was packed: tells where an instruction came from, for messages, and which
   * of several equal instructions it is. */
  const NornFunction *packed;
} NornCheckInput;

/* Runs the requested checkers on Valhall code. */
bool norn_valhall_check(const NornCheckInput *input, GError **error);

#endif
