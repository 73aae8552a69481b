/* The walk that assigns registers: shared by its files; see assign.c.
 *
 * - choose_register.c chooses a register for a value.
 * - make_room.c moves other values out of the way.
 * - assign.c assigns registers at instructions, edges and blocks.
 * - assign_fixed.c does so for instructions that require particular registers.
 *
 * Values that move at an instruction and copies of operands become the transfers of one parallel
 * copy. */
#ifndef NORN_PASSES_REGALLOC_ASSIGN_H
#define NORN_PASSES_REGALLOC_ASSIGN_H

#include "passes/regalloc/allocate.h"

/* What each register holds at some point: a value, or NORN_INDEX_NONE. */
typedef struct NornRegisterState {
  NornRegisterSet used;
  uint32_t owner[NORN_MAX_REGISTERS];
  uint32_t until[NORN_MAX_REGISTERS]; /* norn_walk_last_use of the owner; 0 if there is none */
} NornRegisterState;

/* A value whose register changed at the current instruction. */
typedef struct Move {
  uint32_t value;
  uint8_t from;
} Move;

/* Invariant: `now.owner` and `reg` agree; a register of a killed operand has no owner but stays in
 * `blocked` until the instruction has read it. */
typedef struct AllocationWalk {
  NornAllocation *allocation;
  NornFunction *function;
  NornRegisterState now;
  uint32_t header;     /* of the innermost loop around the current block, or NORN_INDEX_NONE */
  uint8_t *reg;        /* by live value: its current register */
  uint32_t *last_use;  /* by value: where it dies in the current block; see norn_walk_last_use */
  uint32_t *group;     /* by value that dies in a collect: the collect */
  uint32_t first, end; /* positions of the start and the end of the current block */
  uint32_t position;   /* of the current instruction */
  uint32_t last_group; /* of the last one that defines a group of more than two registers */
  const NornRegisterModel *model;
  NornRegisterSet file;
  NornRegisterSet blocked;  /* registers that a moved value must not use */
  NornRegisterSet pinned;   /* registers whose owner must no longer move */
  NornRegisterSet reserved; /* registers that an affinity class would like to use */
  NornRegisterSet kept;     /* registers of loop parameters that are dead, for values that replace
                               them later in the block */
  NornRegisterSet before;   /* registers in use before the instruction */
  Move moves[2 * NORN_MAX_REGISTERS];
  unsigned move_count;
  uint32_t low[NORN_MACHINE_OPERANDS]; /* operands read as the low register of a pair */
  unsigned low_count;
  uint32_t first_transfer;
  uint64_t random;  /* state for random register order (chaos); 0: none */
  bool *decided;    /* by block: entry state is known */
  bool takes_turns; /* chooses registers in turn, not the lowest one again */
  uint8_t last;     /* last register chosen in turn */
} AllocationWalk;

/* The position at which the value frees its registers, or the block's end if it lives on. A group
 * that is split counts as dying with the last of its words, and a word that is collected with its
 * group. */
static inline uint32_t
norn_walk_last_use(const AllocationWalk *walk, uint32_t value) {
  return walk->last_use[value] >= walk->first ? walk->last_use[value] : walk->end;
}

/* --- Choosing registers --- */

/* The registers of the value's class, aligned, at which `words` consecutive registers in
 * `available` begin. */
NornRegisterSet norn_walk_fitting(const AllocationWalk *walk, uint32_t value,
                                  NornRegisterSet available, unsigned words);
/* Assigns the registers from `reg` on to the value, or removes its registers. */
void norn_walk_assign(AllocationWalk *walk, uint32_t value, unsigned reg);
void norn_walk_unassign(AllocationWalk *walk, uint32_t value);
/* Records that the value is about to change its register. */
void norn_walk_note_move(AllocationWalk *walk, uint32_t value);
/* The registers in `fit` that break up the fewest free pairs (for a pair: free aligned fours). */
NornRegisterSet norn_walk_least_breaking(const AllocationWalk *walk, uint32_t value,
                                         NornRegisterSet fit, NornRegisterSet available,
                                         unsigned words);
/* The first of `words` registers chosen from those available, or NORN_NO_REGISTER. */
unsigned norn_walk_choose(AllocationWalk *walk, uint32_t value, unsigned words,
                          NornRegisterSet available);
/* Sets the base of the value's affinity class from the member's register; with `force` also if the
 * class already has one. */
void norn_walk_set_hint(AllocationWalk *walk, uint32_t value, unsigned reg, bool force);
/* Reserves registers for the other words of the group around this value, which waits in its
 * register to be collected. */
void norn_walk_reserve_group(AllocationWalk *walk, uint32_t value);
/* Ends the reservation for a class that has been collected or split. */
void norn_walk_end_reservation(AllocationWalk *walk, unsigned reg, unsigned words);

/* --- Moving values out of the way --- */

/* The number of words that must move to clear the range, or UINT_MAX if an owner is pinned. */
unsigned norn_walk_eviction_cost(const AllocationWalk *walk, NornRegisterSet range);
/* Moves the values to registers outside `range`, all or none. Sorts them by width, widest first. */
bool norn_walk_relocate(AllocationWalk *walk, uint32_t *values, unsigned count,
                        NornRegisterSet range);
/* Moves every owner out of the range. */
bool norn_walk_evict(AllocationWalk *walk, NornRegisterSet range);
/* Clears the cheapest range of `words` registers of the value's class in `usable`. */
unsigned norn_walk_make_room(AllocationWalk *walk, uint32_t value, unsigned words,
                             NornRegisterSet usable);
/* Assigns registers outside `forbidden` to the value, moving others if needed, and pins them. */
bool norn_walk_allocate(AllocationWalk *walk, uint32_t value, NornRegisterSet forbidden);
/* Moves live values and killed operands to make room for the results, as few as possible for a
 * single result. Nothing is moved to `forbidden`. */
bool norn_walk_pack(AllocationWalk *walk, uint32_t *killed, unsigned killed_count,
                    uint32_t *results, unsigned result_count, NornRegisterSet forbidden);

/* --- Instructions --- */

/* Begins an instruction; records the parallel copy of everything moved or copied since. */
void norn_walk_begin(AllocationWalk *walk);
void norn_walk_finish(AllocationWalk *walk, uint32_t inst, bool after);
/* Copies an operand for this instruction only, to registers from `to` on. */
void norn_walk_copy_operand(AllocationWalk *walk, uint32_t slot, unsigned to, unsigned words);
/* Frees the operands that the instruction uses last and returns them. Their registers become
 * blocked. */
unsigned norn_walk_unassign_killed(AllocationWalk *walk, const NornInst *inst, uint32_t *killed);
/* Frees the results that nothing uses. */
void norn_walk_unassign_unused(AllocationWalk *walk, const NornInst *inst);
/* Assigns registers outside `forbidden` to the results, except those k with bit k of `done` set. */
bool norn_walk_allocate_results(AllocationWalk *walk, const NornInst *inst, const uint32_t *killed,
                                unsigned killed_count, NornRegisterSet forbidden, unsigned done);
/* Records that the value is defined in its current registers. */
void norn_walk_define(AllocationWalk *walk, uint32_t value);

/* Handles an instruction that requires particular registers. */
bool norn_walk_assign_fixed(AllocationWalk *walk, uint32_t index, const NornFixedRegisters *fixed);

/* Whether the operand slot is the last use of its value. */
static inline bool
norn_walk_is_killed(const AllocationWalk *walk, uint32_t operand) {
  return norn_bit(walk->allocation->pressure->kills, operand);
}

/* The number of registers of a value. */
static inline unsigned
norn_walk_words(const AllocationWalk *walk, uint32_t value) {
  return walk->allocation->pressure->words[value];
}

#endif
