/* Register allocation on SSA form, as its files share it:
 *
 * - split_edges.c gives every edge a block where a parallel copy can stand.
 * - allocate.c finds last uses and register pressure, runs the assignment on the small and then on
 *   the whole register file.
 * - coalesce.c finds the values that would like to be in the same or in neighboring registers.
 * - assign.c walks the blocks and gives each value a register; where a group finds no gap, values
 *   in the way move (assign.h). It changes only its own tables: what moves is noted as transfers.
 * - parallel_copy.c turns the transfers into moves that define new values.
 * - ../repair_ssa.c makes the function SSA again where a value has come to have several names.
 *
 * As long as the register pressure before and after an instruction is at most the size of one
 * contiguous range of registers of each class, some arrangement exists, because groups can be
 * packed without gaps, those with the greatest alignment first. */
#ifndef NORN_PASSES_REGALLOC_ALLOCATE_H
#define NORN_PASSES_REGALLOC_ALLOCATE_H

#include "ir/analysis/pressure.h"
#include "passes/pass.h"

/* One value (or constant or uniform) that a parallel copy brings to a register. */
typedef struct NornTransfer {
  NornRef source;
  uint32_t operand; /* the operand slot that reads the copy, or NORN_INDEX_NONE: the value moves */
  uint8_t from, to; /* first registers; `from` means nothing for constants and uniforms */
  uint8_t words;
} NornTransfer;

/* Transfers that happen at once, before an instruction or right after it. */
typedef struct NornParallelCopy {
  uint32_t inst;
  uint32_t first, count; /* transfers */
  NornRegisterSet free;  /* registers that hold nothing before nor after the copy */
  bool after;
} NornParallelCopy;

/* What each register holds at some point: a value, or NORN_INDEX_NONE. */
typedef struct NornRegisterState {
  NornRegisterSet used;
  uint32_t owner[NORN_MAX_REGISTERS];
} NornRegisterState;

/* A class of values that want to lie together: value v wants to begin `offset` words from the
 * class's origin. Weighted union-find; the fields after `fixed` count in the representative. */
typedef struct NornAffinity {
  uint32_t parent;
  int8_t offset;    /* to the parent */
  uint8_t fixed;    /* register in which an instruction wants the value, or NORN_NO_REGISTER */
  int8_t low, high; /* words from the origin that the class covers */
  /* The origin's register must be a multiple of 2 to the power of `alignment`, and `residue`. */
  uint8_t alignment, residue;
  uint8_t class; /* of registers */
  int16_t base;  /* register of the origin, or NORN_NO_BASE */
  bool crosses;  /* some member lives on behind an instruction that clobbers registers */
} NornAffinity;

#define NORN_NO_BASE INT16_MIN

typedef struct NornAllocation {
  NornPassContext *context;
  NornArena *arena;
  NornFunction *function;
  const NornDominance *dominance;
  const uint32_t *order; /* the blocks as they are walked; see norn_walk_order */
  const NornLiveness *live;
  const NornRegisterModel *model;
  NornRegisterSet file; /* the registers that may be used */
  uint32_t value_count; /* before the first new name */
  const NornPressure *pressure;
  NornAffinity *affinity;             /* per value */
  bool ignores_iterations;            /* `parameter` stays NULL */
  uint32_t *parameter;                /* per value that stands for a parameter of a loop until the
                                         next iteration: that one; NULL: there are no loops */
  NornIndexList clobbering;           /* instructions that clobber registers */
  NornRegisterSet clobbered;          /* by any of them */
  uint8_t *defined_at;                /* result: the register of each value where it is defined */
  NORN_LIST(NornParallelCopy) copies; /* result: in program order of the blocks as walked */
  NORN_LIST(NornTransfer) transfers;  /* result */
  NornRegisterState *entry;           /* result: of each block, after its parameters are defined */
  uint32_t failed_at;                 /* result: the instruction that found no registers */
} NornAllocation;

/* Registers of what an operand refers to; constants and uniforms count as one. */
unsigned norn_operand_words(const NornFunction *function, NornRef ref);

/* The registers that this compilation may use. */
NornRegisterSet norn_register_file(const NornPassContext *context);

/* Whether every value has a register already, since only another function has none yet. */
bool norn_is_allocated(const NornFunction *function);

/* Splits critical edges and takes away parameters of blocks with one predecessor, so that every
 * block with parameters is reached by jumps only. Does nothing where that is so already. Whether it
 * changed anything. */
bool norn_prepare_edges(NornArena *arena, NornFunction *function);

/* The class representative of a value; *offset becomes the words from its origin to the
 * value. */
uint32_t norn_affinity_find(NornAffinity *affinity, uint32_t value, int *offset);
/* Makes the classes from collects, splits, copies and block arguments. */
void norn_affinity_build(NornAllocation *allocation);

/* The order in which blocks get registers: that of dominance, but with what leads around a loop
 * right before the block that it leads to. Lives in the arena. */
uint32_t *norn_walk_order(const NornAllocation *allocation);
/* Gives every value a register. False if the file is too small or too fragmented. */
bool norn_assign_registers(NornAllocation *allocation);

/* Puts the noted transfers into the function. root[v] of a new name is the value it stands for. */
void norn_insert_copies(NornAllocation *allocation, NornIndexList *root);

#endif
