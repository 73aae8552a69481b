/* Spilling, as its files share it; see spill.c.
 *
 * - spill.c walks over the blocks and decides what is evicted and filled where.
 * - spill_arguments.c passes arguments through memory.
 * - insert_spills.c gives the spilled values memory and puts in what was decided.
 * - combine_spills.c finds accesses to that memory that can be one.
 * - report_spills.c tells who asked which values were spilled, and why. */
#ifndef NORN_PASSES_REGALLOC_SPILL_H
#define NORN_PASSES_REGALLOC_SPILL_H

#include "check/spill_slots.h"
#include "ir/analysis/next_use.h"
#include "ir/analysis/pressure.h"
#include "passes/pass.h"

/* Keeps values in at most `limit` registers of each class (as norn_pressure_of counts them) at any
 * point, the others in thread-local memory. The function must have been through norn_prepare_edges.
 * False with `error` set if an instruction alone needs more. */
bool norn_spill(NornPassContext *context, NornFunction *function, NornRegisterCounts limit,
                GError **error);

/* What to put before an instruction once all is known. */
typedef enum {
  SPILL_EVENT_FILL,
  SPILL_EVENT_FILL_SAVED, /* from the copy */
  SPILL_EVENT_SAVE,       /* makes a copy in memory */
  SPILL_EVENT_STORE_ARGUMENT,
  SPILL_EVENT_KEEP_ARGUMENT /* nothing: its value stays where it is */
} SpillEventKind;

typedef struct SpillEvent {
  SpillEventKind kind;
  uint32_t inst;  /* before which */
  uint32_t value; /* to fill or save; the parameter that gets the argument */
  NornRef argument;
} SpillEvent;

/* Why a value left the registers first. */
typedef struct SpillCause {
  uint32_t inst;     /* + 1, that needed room; 0: none */
  uint32_t distance; /* from it to the value's next use */
} SpillCause;

/* An access to the memory of a spilled value; until it is put in, a copy stands for a store, an
 * undef for a fill. */
typedef struct SpillAccess {
  NornSpillAccessKind kind;
  uint32_t slot;  /* the value; for its copy, that plus the number of values */
  uint32_t inst;  /* that stands for it; the jump of one to keep */
  uint32_t place; /* before which it is put in */
  uint32_t next;  /* another one, + 1, that the same instruction makes */
  bool is_joined; /* it is such another one */
} SpillAccess;

/* Slots next to each other. */
typedef struct SpillGroup {
  uint32_t slot[NORN_GROUP_REGISTERS]; /* by word; NORN_INDEX_NONE: nothing of use is there */
  unsigned words;
  bool is_stored_at_once;
  NornRef whole; /* the value of just these words that is stored then; 0: none */
} SpillGroup;

/* A value and how far its next use is. */
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
  NornNextUse *next_use;             /* until the walk is done */
  NornArenaMark before_next_use;     /* of the analyses */
  const NornPressure *needs;         /* before spilling */
  NornRegisterCounts *loop_pressure; /* per loop header: the most needed inside */
  NornRegisterCounts limit;
  unsigned piece; /* registers that one access can move */
  uint32_t value_count;
  const uint8_t *words;
  uint64_t *in_memory;   /* bit per value: it must be stored */
  uint64_t *is_argument; /* bit per value: a parameter passed in memory */
  uint64_t *is_saved;    /* bit per value: some jump makes a copy of it */
  SpillCause *cause;     /* per value */
  uint32_t *offset;      /* per value: its offset in memory, then those of copies */
  NORN_LIST(SpillEvent) events;
  NORN_LIST(SpillAccess) accesses;
  NORN_LIST(SpillGroup) groups;
  uint32_t *group;      /* per slot: its group + 1 */
  uint8_t *word;        /* per slot: of its group */
  NornIndexList *exit;  /* per block: the values in registers at its end */
  NornIndexList *entry; /* per block with several predecessors: at its start */
  bool *is_walked;      /* per block: `exit` is known */
  /* within a block */
  uint32_t *after;   /* per operand slot: position of the next use after it */
  uint32_t *next;    /* per value in a register: position of its next use */
  uint32_t *stamp;   /* per value: block + 1 if `next` is of this block (backward walk) */
  uint32_t *pinned;  /* per value: instruction + 1 that needs it */
  uint32_t *saved;   /* per value: jump + 1 that has made a copy of it */
  uint32_t *blocked; /* per parameter: arguments still to be read from its memory */
  uint32_t *pending; /* per parameter: its transfer + 1 */
  uint32_t *listed;  /* per value: block + 1 if it is a candidate for its start */
  uint32_t
      *residences;   /* per candidate: how many predecessors have it in a register at their end */
  uint32_t *coupled; /* per value: the last block seen + 1 that has it there */
  NornIndexList chosen;        /* for its start or end */
  SpillCandidates candidates;  /* for its start */
  bool *is_resident;           /* per value: it is in a register */
  NornIndexList residents;     /* the values that are */
  NornRegisterCounts pressure; /* of those */
  uint32_t current;            /* the instruction that the walk is at */
  uint32_t too_much; /* an instruction that needs more than there is, or NORN_INDEX_NONE */
  unsigned scarce;   /* ... of this class */
} Spill;

/* --- spill.c --- */

/* The room that the value takes, as register pressure and in its class. */
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

/* Notes what is to be put before the instruction, behind what was noted earlier; `argument` is 0
 * but for the kinds that store or keep one. */
void norn_spill_add_event(Spill *spill, SpillEventKind kind, uint32_t inst, uint32_t value,
                          NornRef argument);
/* Notes that the value is loaded or computed again before the instruction. */
void norn_spill_fill_before(Spill *spill, uint32_t inst, uint32_t value);

/* Registers that values living across the instruction cannot have. */
NornRegisterCounts norn_spill_clobbered_by(const Spill *spill, const NornInst *inst);

/* The value is in registers from here on. */
void norn_spill_add_resident(Spill *spill, uint32_t value);

/* Evicts values until the register pressure is at most `limit`; those pinned by the instruction
 * stay. */
bool norn_spill_make_room(Spill *spill, uint32_t inst, uint32_t position, NornRegisterCounts limit);
/* Evicts values until the register pressure leaves room for so much more. */
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

/* Where the parameters of a block would fill more than three quarters of the registers that values
 * which cannot be evicted leave, those used last go through memory. */
void norn_spill_choose_arguments(Spill *spill, uint32_t block);

/* Whether an operand is an argument that goes through memory. Asked for operands in their order;
 * `edge` is all zeros for the first one, and is then kept for the next. */
bool norn_spill_is_stored(const Spill *spill, uint32_t index, unsigned operand, NornEdge *edge);

/* Stores the arguments of parameters in memory before a jump. */
bool norn_spill_store_arguments(Spill *spill, uint32_t jump, uint32_t position);

/* Takes the parameters in memory out of the blocks and of the jumps to them. */
void norn_spill_remove_arguments(Spill *spill);

/* --- insert_spills.c --- */

/* Changes the function as decided, and tells what was. False with `error` set if the check finds a
 * fault. */
bool norn_spill_commit(Spill *spill, GError **error);

/* --- combine_spills.c --- */

/* Another access that the same instruction makes, or NULL. */
static inline const SpillAccess *
norn_spill_next_access(const Spill *spill, const SpillAccess *access) {
  return access->next ? &spill->accesses.items[access->next - 1] : NULL;
}

/* Finds accesses that one instruction can make, and the groups that they need. */
void norn_spill_combine(Spill *spill);

/* --- report_spills.c --- */

/* Calls NornCompileOptions.spill_hook for each value that is stored, filled or computed again. */
void norn_spill_report(const Spill *spill);

#endif
