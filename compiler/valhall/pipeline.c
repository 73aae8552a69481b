/* The compiler for Valhall as a list: a module goes through these passes from top to bottom. */
#include "compiler/valhall/valhall.h"

const NornPass norn_valhall_passes[] = {
#define PASS(id, name, run, needs, leaves, summary)                                                \
  {name, run, NORN_PHASE_##needs, NORN_PHASE_##leaves, summary, NULL, 0},
#include "compiler/valhall/passes.def"
#undef PASS
    {NULL},
};

enum {
#define PASS(id, ...) PASS_##id,
#include "compiler/valhall/passes.def"
#undef PASS
};

#define GENERIC(pass) &norn_passes[NORN_PASS_##pass]
#define OWN(pass) &norn_valhall_passes[PASS_##pass]

/* Required for code, or for legal code. */
#define REQUIRED(pass)                                                                             \
  { pass, 0, false, false }
/* Runs from that optimization level on, and only up to the pass limit. */
#define OPTIONAL(pass, level)                                                                      \
  { pass, level, true, false }
/* The same, but only if the step before left something to clean up. */
#define CLEAN_UP(pass, level)                                                                      \
  { pass, level, true, true }

/* clang-format off */
const NornPipelineStep norn_valhall_pipeline[] = {
    REQUIRED(GENERIC(INLINE)),
    REQUIRED(GENERIC(MARK_LOOPS)),
    REQUIRED(GENERIC(LOWER_SWITCH)),
    OPTIONAL(GENERIC(MEM2REG), 1),
    OPTIONAL(GENERIC(DEMOTE_TERMINATED), 1),
    REQUIRED(GENERIC(LOWER_OUTPUTS)),
    OPTIONAL(GENERIC(OPTIMIZE), 1),
    /* One matrix per run; in between, equal products are found. */
    OPTIONAL(GENERIC(ASSOCIATE_PRODUCTS), 1),
    CLEAN_UP(GENERIC(OPTIMIZE), 1),
    CLEAN_UP(GENERIC(ASSOCIATE_PRODUCTS), 1),
    CLEAN_UP(GENERIC(OPTIMIZE), 1),
    CLEAN_UP(GENERIC(ASSOCIATE_PRODUCTS), 1),
    CLEAN_UP(GENERIC(OPTIMIZE), 1),
    /* One run for each nesting level of loops, from the inside out as far as trip counts are known;
     * in between, the copies are simplified. */
    OPTIONAL(GENERIC(UNROLL_LOOPS), 2),
    CLEAN_UP(GENERIC(OPTIMIZE), 2),
    CLEAN_UP(GENERIC(UNROLL_LOOPS), 2),
    CLEAN_UP(GENERIC(OPTIMIZE), 2),
    CLEAN_UP(GENERIC(UNROLL_LOOPS), 2),
    CLEAN_UP(GENERIC(OPTIMIZE), 2),
    CLEAN_UP(GENERIC(UNROLL_LOOPS), 2),
    CLEAN_UP(GENERIC(OPTIMIZE), 2),
    OPTIONAL(GENERIC(SINK_COMMON), 2),
    CLEAN_UP(GENERIC(OPTIMIZE), 2),
    OPTIONAL(GENERIC(SCALARIZE_ARRAYS), 2),
    CLEAN_UP(GENERIC(OPTIMIZE), 2),
    OPTIONAL(GENERIC(MEM2REG), 2),
    CLEAN_UP(GENERIC(OPTIMIZE), 2),
    OPTIONAL(GENERIC(READ_ORIGINALS), 2),
    CLEAN_UP(GENERIC(OPTIMIZE), 2),
    OPTIONAL(GENERIC(CONSTANT_DATA), 1),
    CLEAN_UP(GENERIC(OPTIMIZE), 1),
    OPTIONAL(GENERIC(DSE), 2),
    CLEAN_UP(GENERIC(OPTIMIZE), 2),
    OPTIONAL(GENERIC(THREAD_BRANCHES), 2),
    CLEAN_UP(GENERIC(OPTIMIZE), 2),
    OPTIONAL(GENERIC(ROTATE_LOOPS), 2),
    CLEAN_UP(GENERIC(OPTIMIZE), 2),
    OPTIONAL(GENERIC(DELETE_LOOPS), 2),
    CLEAN_UP(GENERIC(OPTIMIZE), 2),
    OPTIONAL(GENERIC(PEEL_LOOPS), 3),
    CLEAN_UP(GENERIC(OPTIMIZE), 3),
    OPTIONAL(GENERIC(UNROLL_PARTIALLY), 3),
    CLEAN_UP(GENERIC(OPTIMIZE), 3),
    OPTIONAL(GENERIC(FACTOR), 2),
    CLEAN_UP(GENERIC(OPTIMIZE), 2),
    OPTIONAL(GENERIC(CHAIN_SUMS), 2),
    CLEAN_UP(GENERIC(DCE), 2),
    OPTIONAL(GENERIC(SHARE_PRODUCTS), 2),
    CLEAN_UP(GENERIC(OPTIMIZE), 2),
    OPTIONAL(GENERIC(NEGATE_SUMS), 2),
    CLEAN_UP(GENERIC(OPTIMIZE), 2),
    OPTIONAL(GENERIC(PROMOTE_UNIFORMS), 1),
    OPTIONAL(GENERIC(VECTORIZE_MEMORY), 2),
    CLEAN_UP(GENERIC(OPTIMIZE), 2),
    OPTIONAL(GENERIC(NARROW_COLORS), 1),
    CLEAN_UP(GENERIC(OPTIMIZE), 1),
    OPTIONAL(GENERIC(SPLIT_SUMS), 2),
    CLEAN_UP(GENERIC(DCE), 2),
    OPTIONAL(GENERIC(PAIR_PARAMETERS), 2),
    OPTIONAL(GENERIC(PAIR_HALVES), 2),
    CLEAN_UP(GENERIC(DCE), 2),
    OPTIONAL(GENERIC(EXTEND_LOADS), 2),
    REQUIRED(GENERIC(LOWER)),
    CLEAN_UP(GENERIC(OPTIMIZE), 1),
    OPTIONAL(GENERIC(REDUCE_STRAIGHT_LINE), 2),
    OPTIONAL(GENERIC(REDUCE_STRENGTH), 2),
    CLEAN_UP(GENERIC(DCE), 2),
    OPTIONAL(GENERIC(COUNT_TO_ZERO), 2),
    REQUIRED(GENERIC(SELECT)),
    OPTIONAL(GENERIC(MACHINE_CSE), 2),
    OPTIONAL(GENERIC(DCE), 1),
    OPTIONAL(OWN(PAIR_UNIFORMS), 2),
    REQUIRED(OWN(PLACE_CONSTANTS)),
    REQUIRED(OWN(LEGALIZE)),
    OPTIONAL(GENERIC(MACHINE_LICM), 2),
    OPTIONAL(OWN(SINK_OUTPUTS), 1),
    REQUIRED(OWN(REUSE_POSITIONS)),
    OPTIONAL(GENERIC(SHARE_ARGUMENTS), 2),
    OPTIONAL(OWN(PAIR_MOVES), 2),
    OPTIONAL(GENERIC(HOIST_ARGUMENTS), 2),
    OPTIONAL(GENERIC(HOIST), 3),
    OPTIONAL(GENERIC(SCHEDULE), 1),
    OPTIONAL(GENERIC(PLACE_GROUPS), 1),
    OPTIONAL(GENERIC(REMATERIALIZE_WORDS), 1),
    CLEAN_UP(GENERIC(DCE), 1),
    OPTIONAL(GENERIC(PACK_HALVES), 2),
    OPTIONAL(GENERIC(REMATERIALIZE), 2),
    CLEAN_UP(GENERIC(DCE), 2),
    OPTIONAL(GENERIC(CHAIN_GROUPS), 1),
    OPTIONAL(GENERIC(SINK_SPLITS), 1),
    REQUIRED(GENERIC(REGALLOC)),
    OPTIONAL(GENERIC(PROPAGATE_COPIES), 1),
    OPTIONAL(GENERIC(HOIST_COPIES), 1),
    CLEAN_UP(GENERIC(PROPAGATE_COPIES), 1),
    OPTIONAL(GENERIC(POST_RA_SCHEDULE), 3),
    OPTIONAL(OWN(RAISE_MOVES), 1),
    OPTIONAL(OWN(COMBINE_MOVES), 2),
    CLEAN_UP(GENERIC(DCE), 2),
    OPTIONAL(OWN(BALANCE_UNITS), 2),
    REQUIRED(GENERIC(ASSIGN_SLOTS)),
    REQUIRED(GENERIC(INSERT_WAITS)),
    REQUIRED(GENERIC(LAYOUT)),
    REQUIRED(GENERIC(INSERT_RECONVERGENCE)),
    OPTIONAL(GENERIC(LAST_USE), 1),
    REQUIRED(OWN(CALL_BLEND_SHADERS)),
    REQUIRED(GENERIC(PACK)),
    {NULL},
};
/* clang-format on */
