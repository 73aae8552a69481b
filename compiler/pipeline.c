/* The compiler in one list: a module goes through these passes from top to bottom. */
#include "compiler/pipeline.h"

/* Without it there is no code, or no legal code. */
#define REQUIRED(pass)                                                                             \
  { NORN_PASS_##pass, 0, false, false }
/* From that optimization level on, and only as far as the pass limit goes. */
#define OPTIONAL(pass, level)                                                                      \
  { NORN_PASS_##pass, level, true, false }
/* The same, and only if lowering left something to clean up. */
#define AFTER_LOWERING(pass, level)                                                                \
  { NORN_PASS_##pass, level, true, true }

/* clang-format off */
const NornStep norn_pipeline[] = {
    REQUIRED(INLINE),
    REQUIRED(LOWER_SWITCH),
    REQUIRED(LOWER_OUTPUTS),
    OPTIONAL(OPTIMIZE, 1),
    OPTIONAL(VECTORIZE_MEMORY, 2),
    REQUIRED(LOWER),
    AFTER_LOWERING(OPTIMIZE, 1),
    REQUIRED(SELECT),
    REQUIRED(PLACE_CONSTANTS),
    REQUIRED(LEGALIZE),
    OPTIONAL(SCHEDULE, 1),
    REQUIRED(SPILL),
    REQUIRED(ALLOCATE),
    REQUIRED(ASSIGN_SLOTS),
    REQUIRED(INSERT_WAITS),
    REQUIRED(LAYOUT),
    REQUIRED(INSERT_RECONVERGENCE),
    OPTIONAL(LAST_USE, 1),
    REQUIRED(PACK),
};
/* clang-format on */

const unsigned norn_pipeline_steps = G_N_ELEMENTS(norn_pipeline);
