/* The walk that gives registers, as its files share it; see assign.c.
 *
 * - choose_register.c chooses a register for a value.
 * - make_room.c moves others out of the way.
 * - assign.c does so for the instructions, edges and blocks in turn.
 * - assign_fixed.c does so for instructions that want particular registers.
 *
 * Values that move at an instruction, and copies of operands, become the transfers of one parallel
 * copy. */
#ifndef NORN_PASSES_REGALLOC_ASSIGN_H
#define NORN_PASSES_REGALLOC_ASSIGN_H

#include "passes/regalloc/allocate.h"

/* A value that changed its register at the current instruction. */
typedef struct Move {
  uint32_t value;
  uint8_t from;
} Move;

/* Invariant: `now.owner` and `reg` say the same; a register of a killed operand belongs to nobody
 * but stays in `blocked` until the instruction has read it. */
typedef struct AllocationWalk {
  NornAllocation *allocation;
  NornFunction *function;
  NornRegisterState now;
  uint32_t header;     /* of the innermost loop around the block at hand, or NORN_INDEX_NONE */
  uint8_t *reg;        /* current register of each value that is live */
  uint32_t *last_use;  /* per value: where it dies in the block at hand; see norn_walk_last_use */
  uint32_t *group;     /* per value that dies in a collect: that one */
  uint32_t first, end; /* positions at which that block begins and the next one does */
  uint32_t position;   /* of the instruction at hand */
  uint32_t last_group; /* of the last one that defines a group of more than two registers */
  const NornRegisterModel *model;
  NornRegisterSet file;
  NornRegisterSet blocked;  /* registers that a moved value must not go to */
  NornRegisterSet pinned;   /* registers whose owner must not move any more */
  NornRegisterSet reserved; /* registers that an affinity class hopes for */
  NornRegisterSet before;   /* registers in use before the instruction */
  Move moves[2 * NORN_MAX_REGISTERS];
  unsigned move_count;
  uint32_t low[NORN_MACHINE_OPERANDS]; /* values that the instruction reads as the low of a pair */
  unsigned low_count;
  uint32_t first_transfer;
  uint64_t random;  /* state of the register-order chaos; 0: none */
  bool *decided;    /* per block: entry state is known */
  bool takes_turns; /* through the registers, not the lowest again */
  uint8_t last;     /* that was chosen so */
} AllocationWalk;

/* The position at which the value frees its registers, the block's end if it lives on. What a group
 * is split into dies with the last of its words, what is collected with the group. */
static inline uint32_t
norn_walk_last_use(const AllocationWalk *walk, uint32_t value) {
  return walk->last_use[value] >= walk->first ? walk->last_use[value] : walk->end;
}

/* --- Choosing registers --- */

/* The registers of the value's class from which `words` ones on are all in `available`, aligned. */
NornRegisterSet norn_walk_fitting(const AllocationWalk *walk, uint32_t value,
                                  NornRegisterSet available, unsigned words);
/* The value is in registers from `reg` on; in none any more. */
void norn_walk_assign(AllocationWalk *walk, uint32_t value, unsigned reg);
void norn_walk_unassign(AllocationWalk *walk, uint32_t value);
/* Notes that the value is about to change its register. */
void norn_walk_note_move(AllocationWalk *walk, uint32_t value);
/* Of the registers in `fit`, those that leave the most free pairs (for a pair: aligned fours)
 * whole. */
NornRegisterSet norn_walk_least_breaking(const AllocationWalk *walk, uint32_t value,
                                         NornRegisterSet fit, NornRegisterSet available,
                                         unsigned words);
/* The first of `words` registers of those available, or NORN_NO_REGISTER. */
unsigned norn_walk_choose(AllocationWalk *walk, uint32_t value, unsigned words,
                          NornRegisterSet available);
/* Tells the value's affinity class where its member now is; with `force` also if it knew. */
void norn_walk_set_hint(AllocationWalk *walk, uint32_t value, unsigned reg, bool force);
/* The value is a word that waits in its register for the others of a group: they are to come there.
 */
void norn_walk_reserve_group(AllocationWalk *walk, uint32_t value);
/* The class has come together (or apart): nobody need keep away from its registers. */
void norn_walk_end_reservation(AllocationWalk *walk, unsigned reg, unsigned words);

/* --- Moving values out of the way --- */

/* Words that must move to clear the range, or UINT_MAX if an owner is pinned. */
unsigned norn_walk_eviction_cost(const AllocationWalk *walk, NornRegisterSet range);
/* Moves the values to registers outside `range`; all or none. Sorts them, widest first. */
bool norn_walk_relocate(AllocationWalk *walk, uint32_t *values, unsigned count,
                        NornRegisterSet range);
/* Moves every owner in the range out of it. */
bool norn_walk_evict(AllocationWalk *walk, NornRegisterSet range);
/* Clears the cheapest range of the value's class that `words` registers of `usable` fit into. */
unsigned norn_walk_make_room(AllocationWalk *walk, uint32_t value, unsigned words,
                             NornRegisterSet usable);
/* Gives the value registers outside `forbidden`, others moving if they must. They are pinned. */
bool norn_walk_allocate(AllocationWalk *walk, uint32_t value, NornRegisterSet forbidden);
/* Moves live values and killed operands, as few as may be for one result, so that there is room for
 * the results. What is moved is not in `forbidden`. */
bool norn_walk_pack(AllocationWalk *walk, uint32_t *killed, unsigned killed_count,
                    uint32_t *results, unsigned result_count, NornRegisterSet forbidden);

/* --- Instructions --- */

/* Begins an instruction; notes the parallel copy of everything that moved or was copied since. */
void norn_walk_begin(AllocationWalk *walk);
void norn_walk_finish(AllocationWalk *walk, uint32_t inst, bool after, NornRegisterSet used_after);
/* A copy of an operand for this instruction alone, to registers from `to` on. */
void norn_walk_copy_operand(AllocationWalk *walk, uint32_t slot, unsigned to, unsigned words);
/* Frees what the instruction uses last; returns the values. Their registers become blocked. */
unsigned norn_walk_unassign_killed(AllocationWalk *walk, const NornInst *inst, uint32_t *killed);
/* Frees the results that nothing uses. */
void norn_walk_unassign_unused(AllocationWalk *walk, const NornInst *inst);
/* Gives registers outside `forbidden` to the results but those k with bit k of `done`. */
bool norn_walk_allocate_results(AllocationWalk *walk, const NornInst *inst, const uint32_t *killed,
                                unsigned killed_count, NornRegisterSet forbidden, unsigned done);
/* The value is defined in the registers that it has. */
void norn_walk_define(AllocationWalk *walk, uint32_t value);

/* An instruction with registers of its own. */
bool norn_walk_assign_fixed(AllocationWalk *walk, uint32_t index, const NornFixedRegisters *fixed);

/* Whether the operand slot is the last use of its value. */
static inline bool
norn_walk_is_killed(const AllocationWalk *walk, uint32_t operand) {
  return norn_bit(walk->allocation->pressure->kills, operand);
}

/* Registers of a value. */
static inline unsigned
norn_walk_words(const AllocationWalk *walk, uint32_t value) {
  return walk->allocation->pressure->words[value];
}

#endif
