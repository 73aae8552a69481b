/* Passes: what one is, the list of them, and the wrapper that runs them.
 *
 * A pass changes one function of a module in place. passes.def lists the passes that every target
 * can use, a target lists its own (NornTarget.passes), each with the phase of code it takes and
 * leaves. The wrapper (pass.c) refuses code of another phase, runs the pass on each function,
 * verifies the result, passes it to the dump hook, calls the hook that may measure it, and counts
 * it against the limit. Nothing else may call a pass, so every pass can also run alone on text.
 *
 * A group is a row that stands for several passes, which run in turn until none of them changes
 * anything that matters to another, but no more than so many times each. A member that needs code
 * of a phase which another one has ended has nothing more to do. One that fails may ask for another
 * try after the others. */
#ifndef NORN_PASSES_PASS_H
#define NORN_PASSES_PASS_H

#include "ir/analysis/pressure.h"
#include "ir/arena.h"
#include "ir/budget.h"
#include "ir/ir.h"
#include "passes/target.h"
#include <norn/compile.h>

/* What the instructions of a function are. */
typedef enum {
  NORN_PHASE_ANY,
  NORN_PHASE_GENERIC,  /* rows of norn/ops.def only */
  NORN_PHASE_SELECTED, /* machine instructions and pseudo operations (copy, collect, split, preload,
                         loop_entry, jump, end, unreachable) on SSA values */
  NORN_PHASE_ALLOCATED, /* as before, with every value in a register */
  NORN_PHASE_PACKED,    /* the same, and its words are in the context */
} NornPhase;

/* Choices of which none is the best for every program; all zeros: as a rule the best ones. Level 3
 * tries several (compiler/search.h). */
typedef struct NornTuning {
  unsigned level;           /* steps of the pipeline up to it run; 0: as the options say */
  unsigned short_latency;   /* schedule: those that are shorter are left to other warps */
  unsigned register_margin; /* schedule: one in so many is left free */
  unsigned if_convert_cost; /* simplify-cfg: of both sides of a branch that goes */
  unsigned unrolled_cost;   /* unroll-loops: of all copies of a loop */
  bool counts_units;        /* schedule: messages that queue for a unit come back later */
  bool slots_apart;         /* assign-slots: no sharing for the sake of fewer waits */
  bool registers_in_turn;   /* allocate: not the lowest again and again */
  const char *skip_passes;  /* optional passes that are left out, too; nullable */
  uint64_t seed;            /* of changes to the order of instructions made by chance; 0: none */
} NornTuning;

/* A number of the tuning, or what it is as a rule. */
static inline unsigned
norn_tuned(unsigned value, unsigned usual) {
  return value ? value : usual;
}

/* Everything a pass may ask for beside the function. Lives for one compilation. */
typedef struct NornPassContext {
  NornModule *module;
  const NornTarget *target;
  const NornCompileOptions *options;
  NornTuning tuning;
  NornCompileInfo *info; /* passes report here */
  GByteArray *code;      /* the pack pass appends here */
  bool is_legal;         /* the target can do all that the module had before the first pass */
  bool keeps_numbers;    /* of blocks and instructions: checks of the finished code go by them */
  bool is_lowered;       /* only operations that the target supports may be made */
  bool is_numbered;      /* values that are equal have been made one where they were */
  bool awaits_numbering; /* something is to be simplified then */
  bool awaits_uses;      /* or where values have fewer uses */
  bool runs_again;       /* the last pass has made something that it has not looked at */
  uint64_t spared;  /* passes, by bit, to which what the last one changed gives nothing to do */
  bool changed;     /* whether the last pass changed anything, or does not report it */
  bool is_clean;    /* what it changed leaves nothing to clean up (norn_pass_leaves_clean) */
  uint32_t reports; /* calls of norn_pass_report */
  bool is_optional; /* what runs now may be left out: --pass-limit */
  bool may_retry;   /* the pass that failed changed nothing; others of its group may help */
  unsigned failed_allocations;   /* tries of allocate: the more, the more is spilled */
  NornPhase phase;               /* that the last pass left; NORN_PHASE_ANY: not known */
  NornBudget budget;             /* what the limits leave */
  NornArena arena;               /* what a pass takes of it goes when the pass is done */
  NornArena analyses;            /* what is kept across passes */
  NornDominance *dominance;      /* of `analyzed`, or NULL; see norn_pass_dominance */
  NornPressure *pressure;        /* likewise; see norn_pass_pressure */
  NornLiveness *live;            /* belongs to it */
  bool keeps_pressure;           /* the pass has changed nothing since it asked for that */
  NornArenaMark before_pressure; /* of `analyses` */
  const NornFunction *analyzed;
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

/* A member of a group, and the passes of it after whose changes the member has nothing to do that
 * it had not before: another one's that do not matter to it, its own if it does all at once. */
typedef struct NornGroupMember {
  NornPassId pass;  /* NORN_PASS_COUNT: ends the list */
  uint64_t ignored; /* by bit: NornPassId */
} NornGroupMember;

typedef struct NornPass {
  const char *name;
  NornPassFunction run; /* NULL for a group */
  NornPhase needs, leaves;
  const char *summary;            /* one line */
  const NornGroupMember *members; /* of a group */
  unsigned iterations;            /* of a group: how often each member runs at most */
} NornPass;

extern const NornPass norn_passes[]; /* NORN_PASS_COUNT of them */

#define PASS(id, name, file, run, ...)                                                             \
  bool run(NornPassContext *context, NornFunction *function, GError **error);
#define GROUP(...)
#include "passes/passes.def"
#undef PASS
#undef GROUP

/* Runs one pass, or those of a group, on every function of the context's module, with all that
 * belongs to it: the phase is checked before, the module after. Afterwards context->changed tells
 * whether anything changed. */
bool norn_pass_run(NornPassContext *context, const NornPass *pass, GError **error);

/* A pass that can tell whether it changed the function says so, once at its end: what is unchanged
 * need not be verified again, and a group knows when it is done. Members of groups must. */
static inline void
norn_pass_report(NornPassContext *context, bool changed) {
  context->reports++;
  context->changed |= changed;
}

/* What the pass changed in the function, the last one, is nothing that others could simplify: steps
 * of the pipeline that clean up behind it are left out. */
static inline void
norn_pass_leaves_clean(NornPassContext *context) {
  context->is_clean = true;
}

/* Counts work, done or about to be done, in units of about one instruction looked at. False if a
 * limit is reached or the compilation is cancelled: the pass ends at once, leaving code that is
 * safe to free, and returns true or false; the wrapper sets the error. Loops over many instructions
 * or blocks have this in their condition. */
static inline bool
norn_pass_continues(NornPassContext *context, uint64_t work) {
  return norn_budget_continues(&context->budget, work);
}

/* Flow and dominance of the function as it is now. Computed when first asked for and kept, across
 * passes, until the blocks change; belongs to the context. */
const NornDominance *norn_pass_dominance(NornPassContext *context, const NornFunction *function);

/* Register pressure in the registers of the target, and what it was found from. Computed when first
 * asked for and kept until a pass has changed anything: a pass that asks must not change the
 * function before it has used it. */
const NornPressure *norn_pass_pressure(NornPassContext *context, const NornFunction *function,
                                       const NornLiveness **live);

/* Forgets the pressure, since the pass has changed values or instructions and asks again. */
void norn_pass_values_changed(NornPassContext *context);

/* A pass that changes the graph of blocks calls this after it did (verification finds out those
 * that do not). */
void norn_pass_blocks_changed(NornPassContext *context);

/* Starts counting against the limits of the options. */
void norn_pass_budget_init(NornPassContext *context);

/* Frees what the context has made for the passes. */
void norn_pass_context_clear(NornPassContext *context);

/* Removes the blocks that no path leads to. */
void norn_pass_remove_unreachable(NornPassContext *context, NornFunction *function);

/* By value: how many operands refer to it; in the context's arena. */
uint32_t *norn_pass_use_counts(NornPassContext *context, const NornFunction *function);

/* Pass `index` of those that can run for the target, the generic ones first, or NULL. */
const NornPass *norn_pass_at(const NornTarget *target, unsigned index);

/* The pass of that name, or NULL. */
const NornPass *norn_pass_find(const NornTarget *target, const char *name, size_t length);

/* Whether the target can do every instruction of the module, as it is before the first pass; the
 * first that it cannot do is the error. Nothing that passes may fail on this account later. */
bool norn_check_legality(NornPassContext *context, GError **error);

/* The error "TARGET cannot do 'MNEMONIC': REASON" for an instruction; without a reason, that of the
 * target. Returns false. */
bool norn_unsupported_error(const NornPassContext *context, const NornFunction *function,
                            const NornInst *inst, const char *reason, GError **error);

/* Adds what the function does to the shader info. */
void norn_collect_shader_info(const NornModule *module, const NornFunction *function,
                              NornShaderInfo *shader);

/* "generic", "selected" ... */
const char *norn_phase_name(NornPhase phase);

/* Whether the instruction can stand in code of that phase. */
bool norn_phase_admits(NornPhase phase, const NornFunction *function, const NornInst *inst);

/* Whether all instructions can. */
bool norn_module_is_in_phase(const NornModule *module, NornPhase phase);

/* Whether the module is code of the phase that the pass needs; the first instruction that is not is
 * the error. */
bool norn_pass_check_phase(const NornPassContext *context, const NornPass *pass, GError **error);

#endif
