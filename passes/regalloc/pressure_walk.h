/* Walks that find where register pressure is highest, and what is live there: for passes that
 * relieve it. */
#ifndef NORN_PASSES_REGALLOC_PRESSURE_WALK_H
#define NORN_PASSES_REGALLOC_PRESSURE_WALK_H

#include "ir/analysis/pressure.h"
#include "passes/pass.h"

/* An instruction that uses a value. */
typedef struct NornValueUse {
  uint32_t inst, next; /* next: use + 1 */
} NornValueUse;

/* An instruction at which registers are scarce. */
typedef struct NornPressurePoint {
  uint32_t inst;   /* NORN_INDEX_NONE: there is none */
  unsigned class;  /* the scarce register class */
  unsigned excess; /* registers needed beyond the limit */
} NornPressurePoint;

enum {
  NORN_OWN_REGISTER = 0,
  NORN_WITHOUT_REGISTER = 1, /* it will be computed where it is needed */
  NORN_FIRST_SHARED = 2,     /* this and greater numbers: values share a register */
};

typedef struct NornPressureWalk {
  NornArena *arena;
  const NornFunction *function;
  NornRegisterCounts limit;
  const NornLiveness *live;
  const NornPressure *pressure;
  uint32_t *first_use; /* by value: use + 1, starting with the first use in its block */
  NORN_LIST(NornValueUse) uses;
  uint32_t *users;         /* by value: how many instructions use it */
  uint32_t *position;      /* by instruction: position in its block */
  uint32_t *sharing;       /* by value: NORN_OWN_REGISTER or another */
  uint8_t *sharers;        /* by number of `sharing`: how many of these values are resident */
  uint32_t *resident;      /* by value: index in `residents` + 1; 0: not live here */
  NornIndexList residents; /* values live at the current point */
  NornRegisterCounts before,
      now; /* needed before the current instruction and at the current point */
} NornPressureWalk;

/* Iterates over the instructions that use the value, each once: `at` is the index of the use + 1 */
#define norn_for_each_user(walk, value, user)                                                      \
  for (uint32_t user##_at = (walk)->first_use[value], user;                                        \
       user##_at && (user = (walk)->uses.items[user##_at - 1].inst, true);                         \
       user##_at = (walk)->uses.items[user##_at - 1].next)

/* Finds the uses of all values and the positions of instructions in their blocks. The pressure is
 * that of the function as it is now. */
void norn_pressure_walk_begin(NornPressureWalk *walk);

/* Makes a value resident, for example because it will be needed after the current point. */
void norn_pressure_walk_add(NornPressureWalk *walk, uint32_t value);

/* Lets the value share a register with others of that number; see `sharing`. */
void norn_pressure_walk_share(NornPressureWalk *walk, uint32_t value, uint32_t number);

/* The steps of a walk: to the start of a block; to an instruction of the block, where the operands
 * that die are no longer resident, and those that are live across it are; and past it. The needs
 * are those of the instruction. */
void norn_pressure_walk_start(NornPressureWalk *walk, uint32_t block);
void norn_pressure_walk_to(NornPressureWalk *walk, uint32_t inst);
NornRegisterCounts norn_pressure_walk_needs(const NornPressureWalk *walk, uint32_t inst);
void norn_pressure_walk_past(NornPressureWalk *walk, uint32_t inst);

/* Walks the block to the instruction at which the pressure exceeds the limit most. */
NornPressurePoint norn_pressure_walk_to_peak(NornPressureWalk *walk, uint32_t block);

/* The total number of registers needed beyond the limit in all blocks. */
uint64_t norn_pressure_excess(const NornPressureWalk *walk);

/* Whether the pressure in the block is low enough that relieving a point may help. Examining a
 * block takes time for every value that is live in it. */
bool norn_pressure_is_hopeful(const NornPressureWalk *walk, uint32_t block);

/* Lowers the register pressure of the function to what the occupancies of the target allow, by
 * calls of `relieve`: to that of the best occupancy or not at all, with at most `max_cost` more
 * instructions, weighted by loop depth; if that fails, the same for the next one; to the last one
 * as far as possible, with `max_cost` NORN_ANY_COST. `relieve` returns whether it changed anything;
 * then no other limit is tried. */
#define NORN_ANY_COST UINT64_MAX
typedef bool (*NornPressureRelief)(NornPassContext *context, NornFunction *function,
                                   NornRegisterCounts limit, uint64_t max_cost);
bool norn_relieve_pressure(NornPassContext *context, NornFunction *function,
                           NornPressureRelief relieve);

/* How often to relieve all blocks of the function: fewer times if it is large. */
unsigned norn_pressure_iterations(const NornFunction *function, unsigned max);

/* Whether the instruction uses the value. */
bool norn_user_uses(const NornFunction *function, uint32_t user, uint32_t value);

/* Whether the user, if executed, always comes before the point on a path from the value's
 * definition. */
bool norn_user_is_early(const NornPressureWalk *walk, uint32_t value, uint32_t user,
                        uint32_t point);

#endif
