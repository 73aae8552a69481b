/* Passes: their type, their list, and the wrapper that runs them.
 *
 * A pass changes one function of a module in place. passes.def lists the passes that every target
 * can use, and a target lists its own (NornTarget.passes), each with the phase of code that it
 * needs and leaves. The wrapper (pass.c) refuses code of another phase, runs the pass on each
 * function, verifies the result, passes it to the dump hook, calls the hook that may measure it,
 * and counts it against the limit. Nothing else may call a pass, so every pass can also run alone
 * on text.
 *
 * A group is a row that stands for several passes. They run in turn until none of them changes
 * anything that matters to another, but each at most a given number of times. A member that needs
 * code of a phase that another one has ended is skipped. A member that fails may ask to be tried
 * again after the others. */
#ifndef NORN_PASSES_PASS_H
#define NORN_PASSES_PASS_H

#include "ir/analysis/pressure.h"
#include "ir/arena.h"
#include "ir/budget.h"
#include "ir/ir.h"
#include "passes/target.h"
#include <norn/compile.h>

/* Phases of compilation, by the kinds of instructions that a function consists of. */
typedef enum {
  NORN_PHASE_ANY,
  NORN_PHASE_GENERIC,  /* rows of norn/ops.def only */
  NORN_PHASE_SELECTED, /* machine instructions and pseudo operations (copy, collect, split, preload,
                         loop_entry, jump, end, unreachable) on SSA values */
  NORN_PHASE_ALLOCATED, /* as before, with every value in a register */
  NORN_PHASE_PACKED,    /* as before, and its words are in the context */
} NornPhase;

/* Parameters for which no value is best for every program; zeros select values that usually are.
 * Level 3 tries several (compiler/search.h). */
typedef struct NornTuning {
  unsigned level;         /* highest level of the pipeline steps that run; 0: as the options say */
  unsigned short_latency; /* schedule: shorter latencies are left to other warps */
  unsigned register_margin; /* schedule: one in this many registers is left free */
  unsigned if_convert_cost; /* simplify-cfg: maximum for both sides of a branch that is removed */
  unsigned unrolled_cost;   /* unroll-loops: maximum for all copies of a loop */
  unsigned unroll_factor;   /* unroll-partially: maximum number of iterations; 1: none */
  unsigned peeled_cost;     /* peel-loops: maximum for the iteration that is split off */
  bool counts_units;        /* schedule: messages that queue for a unit complete later */
  bool slots_apart;         /* assign-slots: do not share slots to save waits */
  bool registers_in_turn;   /* allocate: take registers in turn, not always the lowest */
  const char *skip_passes;  /* further optional passes to leave out; nullable */
  uint64_t seed;            /* of random changes to the order of instructions; 0: none */
} NornTuning;

/* A number of the tuning, or the usual one if it is 0. */
static inline unsigned
norn_tuned(unsigned value, unsigned usual) {
  return value ? value : usual;
}

/* Everything that a pass may need besides the function. Lives for one compilation. */
typedef struct NornPassContext {
  NornModule *module;
  const NornTarget *target;
  const NornCompileOptions *options;
  NornTuning tuning;
  NornCompileInfo *info; /* passes report here */
  GByteArray *code;      /* the pack pass appends its words here */
  NornPhase phase;       /* left by the last pass; NORN_PHASE_ANY: unknown */
  bool is_optional;      /* the current pass may be left out: --pass-limit */
  bool keeps_numbers;    /* of blocks and instructions: checks of the finished code refer to them */

  /* What passes tell later ones. */
  bool is_legal;    /* the target supports all that the module contained before the first pass */
  bool is_lowered;  /* only operations that the target supports may be created */
  bool is_numbered; /* gvn has merged equal values */
  bool awaits_numbering;       /* something can be simplified after that */
  bool awaits_uses;            /* or once values have fewer uses */
  unsigned failed_allocations; /* of allocate: with each one more is spilled */

  /* What the last pass says about its run; the wrapper resets it before the next one. */
  bool changed;        /* whether it changed anything, or does not report it */
  uint32_t reports;    /* calls of norn_pass_report */
  bool is_clean;       /* its changes need no cleanup (norn_pass_leaves_clean) */
  bool keeps_pressure; /* it has changed nothing since it asked for the pressure */
  bool runs_again;     /* it has created something that it has not visited */
  bool may_retry;      /* it failed and changed nothing, and others of its group may help */
  uint64_t spared;     /* members of its group, by bit, for which its changes make no work */

  NornBudget budget;             /* the rest of the limits */
  NornArena arena;               /* memory taken by a pass is freed when the pass is done */
  NornArena analyses;            /* memory that is kept across passes */
  const NornFunction *analyzed;  /* the function that these are of, or NULL */
  NornDominance *dominance;      /* or NULL; see norn_pass_dominance */
  NornPressure *pressure;        /* likewise; see norn_pass_pressure */
  NornLiveness *live;            /* belongs to `pressure` */
  NornArenaMark before_pressure; /* of `analyses` */
  bool edges_are_prepared;       /* see norn_prepare_edges */
} NornPassContext;

/* Runs the pass; false with `error` set if the function cannot be compiled. */
typedef bool (*NornPassFunction)(NornPassContext *context, NornFunction *function, GError **error);

typedef enum {
#define PASS(id, ...) NORN_PASS_##id,
#define GROUP(id, ...) NORN_PASS_##id,
#include "passes/passes.def"
#undef PASS
#undef GROUP
  NORN_PASS_COUNT
} NornPassId;
_Static_assert(NORN_PASS_REGALLOC < 64, "sets of members of groups are 64 bits");

/* A member of a group, and the passes whose changes do not make it run again: other passes whose
 * changes do not matter to it, and the member itself if one run does all its work. */
typedef struct NornGroupMember {
  NornPassId pass;  /* NORN_PASS_COUNT: ends the list */
  uint64_t ignored; /* by bit: NornPassId of a member */
} NornGroupMember;

typedef struct NornPass {
  const char *name;
  NornPassFunction run; /* NULL for a group */
  NornPhase needs, leaves;
  const char *summary;            /* one line */
  const NornGroupMember *members; /* of a group */
  unsigned iterations;            /* of a group: maximum number of runs of each member */
} NornPass;

extern const NornPass norn_passes[]; /* NORN_PASS_COUNT of them */

#define PASS(id, name, file, run, ...)                                                             \
  bool run(NornPassContext *context, NornFunction *function, GError **error);
#define GROUP(...)
#include "passes/passes.def"
#undef PASS
#undef GROUP

/* Runs one pass, or those of a group, on every function of the context's module. Checks the phase
 * before and the module after, and so on. Afterward context->changed tells whether anything
 * changed. */
bool norn_pass_run(NornPassContext *context, const NornPass *pass, GError **error);

/* A pass that knows whether it changed the function reports that, once, at its end: unchanged code
 * need not be verified again, and a group knows when it is done. Members of groups must report. */
static inline void
norn_pass_report(NornPassContext *context, bool changed) {
  context->reports++;
  context->changed |= changed;
}

/* Reports that the last changes of the pass leave nothing for others to simplify: steps of the
 * pipeline that clean up after it are left out. */
static inline void
norn_pass_leaves_clean(NornPassContext *context) {
  context->is_clean = true;
}

/* Counts work, done or about to be done, in units of about one visited instruction. False if a
 * limit is reached or the compilation is cancelled: the pass then ends immediately, leaving code
 * that is safe to free, and returns true or false; the wrapper sets the error. Loops over many
 * instructions or blocks have this in their condition. */
static inline bool
norn_pass_continues(NornPassContext *context, uint64_t work) {
  return norn_budget_continues(&context->budget, work);
}

/* Control flow and dominance of the current function. Computed when first needed and kept, across
 * passes, until the blocks change; belongs to the context. */
const NornDominance *norn_pass_dominance(NornPassContext *context, const NornFunction *function);

/* Register pressure in the registers of the target, and the liveness that it is based on. Computed
 * when first needed and kept until a pass has changed anything: a pass that asks must not change
 * the function before it has used the result. */
const NornPressure *norn_pass_pressure(NornPassContext *context, const NornFunction *function,
                                       const NornLiveness **live);

/* Discards the pressure, since the pass has changed values or instructions and will ask again. */
void norn_pass_values_changed(NornPassContext *context);

/* A pass that changes the graph of blocks calls this afterward (verification detects passes that
 * do not). */
void norn_pass_blocks_changed(NornPassContext *context);

/* Starts counting against the limits of the options. */
void norn_pass_budget_init(NornPassContext *context);

/* Frees everything that the context has created for the passes. */
void norn_pass_context_clear(NornPassContext *context);

/* Marks the entries of loops as the pass mark-loops does; sets `*changed` if that changed any. */
bool norn_mark_loops(NornArena *arena, NornFunction *function, bool *changed, GError **error);

/* Removes unreachable blocks; returns whether there were any. */
bool norn_pass_remove_unreachable(NornPassContext *context, NornFunction *function);

/* By value: the number of operands that refer to it; in the context's arena. */
uint32_t *norn_pass_use_counts(NornPassContext *context, const NornFunction *function);

/* Pass `index` of those that can run for the target, beginning with the generic ones, or NULL. */
const NornPass *norn_pass_at(const NornTarget *target, unsigned index);

/* The pass with that name, or NULL. */
const NornPass *norn_pass_find(const NornTarget *target, const char *name, size_t length);

/* Whether the target supports every instruction of the module, before the first pass; the error
 * names the first one that it does not. Later passes must not fail for this reason. */
bool norn_check_legality(NornPassContext *context, GError **error);

/* Sets the error "TARGET cannot do 'MNEMONIC': REASON" for an instruction; without a reason, uses
 * the target's. Returns false. */
bool norn_unsupported_error(const NornPassContext *context, const NornFunction *function,
                            const NornInst *inst, const char *reason, GError **error);

/* Adds the properties of the function to the shader info. */
void norn_collect_shader_info(const NornModule *module, const NornFunction *function,
                              NornShaderInfo *shader);

/* "generic", "selected" ... */
const char *norn_phase_name(NornPhase phase);

/* Whether code of that phase may contain the instruction. */
bool norn_phase_admits(NornPhase phase, const NornFunction *function, const NornInst *inst);

/* Whether code of that phase may contain all instructions of the module. */
bool norn_module_is_in_phase(const NornModule *module, NornPhase phase);

/* Whether the module is code of the phase that the pass needs; the error names the first
 * instruction that is not. */
bool norn_pass_check_phase(const NornPassContext *context, const NornPass *pass, GError **error);

#endif
