/* Spilling: shared by its files; see spill.c.
 *
 * - spill.c walks over the blocks and decides what to evict and where to fill.
 * - spill_arguments.c passes arguments in memory.
 * - insert_spills.c assigns memory to spilled values and inserts the spill code.
 * - combine_spills.c finds accesses to that memory that can be combined.
 * - report_spills.c reports which values were spilled, and why. */
#ifndef NORN_PASSES_REGALLOC_SPILL_H
#define NORN_PASSES_REGALLOC_SPILL_H

#include "check/spill_slots.h"
#include "ir/analysis/next_use.h"
#include "ir/analysis/pressure.h"
#include "passes/pass.h"

/* Keeps values in at most `limit` registers of each class (as norn_pressure_of counts them) at any
 * point, and the others in thread-local memory. norn_prepare_edges must have been called before.
 * Returns false and sets `error` if a single instruction needs more. */
bool norn_spill(NornPassContext *context, NornFunction *function, NornRegisterCounts limit,
                GError **error);

/* What to insert before an instruction after the walk. */
typedef enum {
  SPILL_EVENT_FILL,
  SPILL_EVENT_FILL_SAVED, /* from a saved copy */
  SPILL_EVENT_SAVE,       /* makes a copy in memory */
  SPILL_EVENT_STORE_ARGUMENT,
  SPILL_EVENT_KEEP_ARGUMENT /* nothing to insert: its value stays where it is */
} SpillEventKind;

typedef struct SpillEvent {
  SpillEventKind kind;
  uint32_t inst;  /* the instruction to insert it before */
  uint32_t value; /* to fill or save; the parameter that receives the argument */
  NornRef argument;
} SpillEvent;

/* Why a value was first evicted. */
typedef struct SpillCause {
  uint32_t inst;     /* the instruction + 1 that needed room; 0: none */
  uint32_t distance; /* from that instruction to the value's next use */
} SpillCause;

/* An access to the memory of a spilled value. Until it is inserted, a copy is the placeholder for a
 * store and an undef for a fill. */
typedef struct SpillAccess {
  NornSpillAccessKind kind;
  uint32_t slot;  /* the value; for its copy, that plus the number of values */
  uint32_t inst;  /* placeholder; the jump for a kept argument */
  uint32_t place; /* the instruction to insert it before */
  uint32_t next;  /* another access, + 1, made by the same instruction */
  bool is_joined; /* it is such another access */
} SpillAccess;

/* Adjacent slots. */
typedef struct SpillGroup {
  uint32_t slot[NORN_GROUP_REGISTERS]; /* by word; NORN_INDEX_NONE: unused */
  unsigned words;
  bool is_stored_at_once;
  NornRef whole; /* the value that consists of exactly these words and is stored instead; 0: none */
} SpillGroup;

/* A value and the distance to its next use. */
typedef struct SpillCandidate {
  uint32_t value, distance;
} SpillCandidate;
typedef NORN_LIST(SpillCandidate) SpillCandidates;

typedef struct Spill {
  NornPassContext *context;
  NornArena *arena;
  NornFunction *function;
  const NornDominance *dominance;
  const NornLiveness *live;
  NornSet stays;                     /* numbers of values that cannot be evicted */
  NornNextUse *next_use;             /* freed after the walk */
  NornArenaMark before_next_use;     /* of the analysis */
  const NornPressure *needs;         /* before spilling */
  NornRegisterCounts *loop_pressure; /* by loop header: maximum in the loop */
  NornRegisterCounts limit;
  unsigned piece; /* maximum number of registers moved by one access */
  uint32_t value_count;
  const uint8_t *words;
  uint64_t *in_memory;   /* bit per value: it must be stored */
  uint64_t *is_argument; /* bit per value: a parameter passed in memory */
  uint64_t *is_saved;    /* bit per value: some jump saves a copy of it */
  SpillCause *cause;     /* by value */
  uint32_t *offset;      /* by value: its offset in memory, followed by the offsets of copies */
  NORN_LIST(SpillEvent) events;
  NORN_LIST(SpillAccess) accesses;
  NORN_LIST(SpillGroup) groups;
  uint32_t *group;      /* by slot: its group + 1 */
  uint8_t *word;        /* by slot: its word in the group */
  NornIndexList *exit;  /* by block: the values in registers at its end */
  NornIndexList *entry; /* by block with several predecessors: at its start */
  bool *is_walked;      /* by block: `exit` is known */
  /* within a block */
  uint32_t *after;      /* by operand: position of the next use after it */
  uint32_t *next;       /* by value in a register: position of its next use */
  uint32_t *stamp;      /* by value: block + 1 if `next` is of this block (backward walk) */
  uint32_t *pinned;     /* by value: instruction + 1 that needs it */
  uint32_t *saved;      /* by value: jump + 1 that has saved a copy of it */
  uint32_t *blocked;    /* by parameter: arguments still to be read from its memory */
  uint32_t *pending;    /* by parameter: its transfer + 1 */
  uint32_t *listed;     /* by value: block + 1 if it is a candidate for the block's start */
  uint32_t *residences; /* by candidate: how many predecessors have it in a register at their end */
  uint32_t *coupled;    /* by value: the last block + 1 seen that has it in a register at its end */
  NornIndexList chosen; /* values for the start or end of a block */
  SpillCandidates candidates;  /* for the start of a block */
  bool *is_resident;           /* by value: it is in a register */
  NornIndexList residents;     /* the values in registers */
  NornRegisterCounts pressure; /* of the values in registers */
  uint32_t current;            /* the walk's current instruction */
  uint32_t too_much;           /* instruction that needs too many registers, or NORN_INDEX_NONE */
  unsigned scarce;             /* the register class that is short at that instruction */
} Spill;

/* --- spill.c --- */

/* The register pressure of the value, and its register class. */
static inline NornRegisterCounts
norn_spill_room(const Spill *spill, uint32_t value) {
  return norn_pressure_of(spill->needs, value);
}

static inline unsigned
norn_spill_class(const Spill *spill, uint32_t value) {
  return norn_pressure_class(spill->needs, value);
}

static inline unsigned
norn_spill_size(const Spill *spill, uint32_t value) {
  return norn_spill_room(spill, value).of[norn_spill_class(spill, value)];
}

/* Whether one access can move the value. */
static inline bool
norn_spill_can_evict(const Spill *spill, uint32_t value) {
  return spill->words[value] <= spill->piece;
}

/* Records what to insert before the instruction, after earlier events; `argument` is 0 except for
 * kinds that store or keep an argument. */
void norn_spill_add_event(Spill *spill, SpillEventKind kind, uint32_t inst, uint32_t value,
                          NornRef argument);
/* Records that the value is filled or rematerialized before the instruction. */
void norn_spill_fill_before(Spill *spill, uint32_t inst, uint32_t value);

/* The registers that values live across the instruction cannot use. */
NornRegisterCounts norn_spill_clobbered_by(const Spill *spill, const NornInst *inst);

/* Records that the value is in registers from here on. */
void norn_spill_add_resident(Spill *spill, uint32_t value);

/* Evicts values, except those pinned by the instruction, until the register pressure is at most
 * `limit`. */
bool norn_spill_make_room(Spill *spill, uint32_t inst, uint32_t position, NornRegisterCounts limit);
/* Evicts values until there is room for `more` registers. */
bool norn_spill_make_room_for(Spill *spill, uint32_t inst, uint32_t position,
                              NornRegisterCounts more);

/* Finds the next use after each operand and each definition of the block. */
void norn_spill_find_uses(Spill *spill, uint32_t block);

/* The first use of a value after its definition in the block, or after its start. Valid only
 * between norn_spill_find_uses and the walk. */
uint32_t norn_spill_first_use(const Spill *spill, uint32_t block, uint32_t value);

/* Sorts the candidates by distance. */
void norn_spill_sort(SpillCandidates *candidates);

/* --- spill_arguments.c --- */

/* If the parameters of a block would fill more than three quarters of the registers that are left
 * by values that cannot be evicted, passes those used last in memory. */
void norn_spill_choose_arguments(Spill *spill, uint32_t block);

/* Whether an operand is an argument that is passed in memory. Must be called for operands in order;
 * `edge` is all zeros for the first one and is kept for the next. */
bool norn_spill_is_stored(const Spill *spill, uint32_t index, unsigned operand, NornEdge *edge);

/* Before a jump, stores the arguments that are passed in memory. */
bool norn_spill_store_arguments(Spill *spill, uint32_t jump, uint32_t position);

/* Removes the parameters in memory from the blocks and their arguments from the jumps to them. */
void norn_spill_remove_arguments(Spill *spill);

/* --- insert_spills.c --- */

/* Changes the function as decided and reports the spills. Returns false and sets `error` if the
 * check finds a fault. */
bool norn_spill_commit(Spill *spill, GError **error);

/* --- combine_spills.c --- */

/* Another access made by the same instruction, or NULL. */
static inline const SpillAccess *
norn_spill_next_access(const Spill *spill, const SpillAccess *access) {
  return access->next ? &spill->accesses.items[access->next - 1] : NULL;
}

/* Finds accesses that one instruction can make and the groups for them. */
void norn_spill_combine(Spill *spill);

/* --- report_spills.c --- */

/* Calls NornCompileOptions.spill_hook for each value that is stored, filled or rematerialized. */
void norn_spill_report(const Spill *spill);

#endif
