/* The independent checkers of finished code: what they get, and their list.
 *
 * A checker decodes the words anew and follows every path through them; it shares no code with the
 * passes that made them. Which there are, what each proves, assumes and does not see is said in
 * checkers.def. A target names the function that runs those of its machine (NornTarget.check). */
#ifndef NORN_CHECK_CHECKERS_H
#define NORN_CHECK_CHECKERS_H

#include "ir/ir.h"
#include <norn/check.h>
#include <norn/compile.h>

/* Finished code and what is known of it. */
typedef struct NornCheckInput {
  const uint64_t *words;
  uint32_t count;
  unsigned architecture; /* its number */
  NornShaderStage stage;
  unsigned checks;         /* NornCheck bits */
  const unsigned *noalias; /* see NornCheckOptions */
  unsigned noalias_count;
  uint32_t data_offset, data_size; /* bytes of constant data behind the code; 0: there is none */

  /* Of code just compiled; NULL for any other, which some of the checkers cannot be asked about. */
  const NornCompileInfo *info;
  const NornFunction *selected; /* the program before it was scheduled */
  uint32_t scratch_size;        /* its thread-local memory, without spilled values */
  /* The program as it was packed: where an instruction came from, for messages, and which of
   * several equal instructions it is. */
  const NornFunction *packed;
} NornCheckInput;

/* Runs the checkers asked for on Valhall code. */
bool norn_valhall_check(const NornCheckInput *input, GError **error);

#endif
