/* Register allocation on SSA form: shared by its files.
 *
 * - split_edges.c makes sure that every edge has a block for a parallel copy.
 * - allocate.c computes last uses and register pressure and runs the assignment on the small
 *   register file and then on the whole one.
 * - coalesce.c finds values that should be in the same or in neighboring registers.
 * - assign.c walks the blocks and assigns a register to each value; if there is no gap for a group,
 *   values move out of the way (assign.h). It changes only its own tables and records moves as
 *   transfers.
 * - parallel_copy.c turns the transfers into moves that define new values.
 * - ../repair_ssa.c restores SSA form for values that now have several names.
 *
 * If the register pressure before and after an instruction is at most the size of one contiguous
 * range of registers of each class, some assignment exists: groups can be packed without gaps,
 * those with the greatest alignment first. */
#ifndef NORN_PASSES_REGALLOC_ALLOCATE_H
#define NORN_PASSES_REGALLOC_ALLOCATE_H

#include "ir/analysis/pressure.h"
#include "passes/pass.h"

/* A value, constant or uniform that a parallel copy moves to a register. */
typedef struct NornTransfer {
  NornRef source;
  uint32_t operand; /* the operand that reads the copy, or NORN_INDEX_NONE: the value moves */
  uint8_t from, to; /* first registers; `from` is unused for constants and uniforms */
  uint8_t words;
} NornTransfer;

/* Transfers that happen in parallel, before an instruction or right after it. */
typedef struct NornParallelCopy {
  uint32_t inst;
  uint32_t first, count; /* transfers */
  NornRegisterSet free;  /* registers that are free both before and after the copy */
  bool after;
} NornParallelCopy;

/* The registers in use at the start of a block. */
typedef struct NornEntryRegisters {
  NornRegisterSet used;
  uint32_t first; /* in the list of owners: the value in the lowest of them; the others follow */
} NornEntryRegisters;

/* A class of values that should be in neighboring registers: value v should begin `offset` words
 * from the class's origin. A weighted union-find; the fields from `fixed` on are valid for the
 * representative. */
typedef struct NornAffinity {
  uint32_t parent;
  int8_t offset;    /* to the parent */
  uint8_t fixed;    /* register that an instruction requires for the value, or NORN_NO_REGISTER */
  int8_t low, high; /* words from the origin that the class covers */
  /* The origin's register must be a multiple of 2 to the power of `alignment`, plus `residue`. */
  uint8_t alignment, residue;
  uint8_t class; /* of registers */
  int16_t base;  /* register of the origin, or NORN_NO_BASE */
  bool crosses;  /* some member is live across an instruction that clobbers registers */
} NornAffinity;

#define NORN_NO_BASE INT16_MIN

/* How values that loop parameters get in the next iteration are brought to the registers of these:
 * keeping registers free may cost more moves than it saves. */
typedef enum NornIterations {
  NORN_ITERATIONS_KEEP,   /* dead parameters' registers are kept free for such values */
  NORN_ITERATIONS_FOLLOW, /* values computed from them step by step stay there */
  NORN_ITERATIONS_IGNORE, /* nothing is done: `parameter` is NULL */
} NornIterations;

typedef struct NornAllocation {
  NornPassContext *context;
  NornArena *arena;
  NornFunction *function;
  const NornDominance *dominance;
  const uint32_t *order; /* the order in which the blocks are walked; see norn_walk_order */
  const NornLiveness *live;
  const NornRegisterModel *model;
  NornRegisterSet file; /* the registers that may be used */
  uint32_t value_count; /* before the first new name */
  const NornPressure *pressure;
  NornAffinity *affinity; /* by value */
  NornIterations iterations;
  uint32_t *parameter;                /* by value: the loop parameter that it replaces until the
                                       * next iteration; NULL: there are no loops */
  uint32_t *replacement;              /* by loop parameter: the value that replaces it, if that is
                                       * not computed in the parameter's register step by step;
                                       * else NORN_INDEX_NONE; valid with `parameter` */
  NornIndexList clobbering;           /* instructions that clobber registers */
  NornRegisterSet clobbered;          /* by any of them */
  uint8_t *defined_at;                /* result: the register of each value where it is defined */
  NORN_LIST(NornParallelCopy) copies; /* result: in program order of the blocks as walked */
  NORN_LIST(NornTransfer) transfers;  /* result: in program order of the blocks as walked */
  NornEntryRegisters *entry;          /* result: of each block, after its parameters are defined */
  NornIndexList owners;               /* result: the values in the registers of all entries */
  uint32_t failed_at;                 /* result: the instruction that lacked registers */
} NornAllocation;

/* The number of registers of an operand; constants and uniforms count as one. */
unsigned norn_operand_words(const NornFunction *function, NornRef ref);

/* The registers that this compilation may use. */
NornRegisterSet norn_register_file(const NornPassContext *context);

/* Whether every value already has a register, because another function failed to allocate. */
bool norn_is_allocated(const NornFunction *function);

/* Splits critical edges and removes parameters of blocks with one predecessor, so that every block
 * with parameters is reached only by jumps; does nothing if that is known. Returns whether anything
 * changed. */
bool norn_prepare_edges(NornPassContext *context, NornFunction *function);

/* The class representative of a value; *offset is set to the words from its origin to the value. */
uint32_t norn_affinity_find(NornAffinity *affinity, uint32_t value, int *offset);
/* Builds the classes from collects, splits, copies and block arguments. */
void norn_affinity_build(NornAllocation *allocation);

/* The order in which registers are assigned to blocks: dominator-tree order, except that a block on
 * a path around a loop comes right before its successor. Allocated in the arena. */
uint32_t *norn_walk_order(const NornAllocation *allocation);
/* Assigns a register to every value. Returns false if the file is too small or too fragmented. */
bool norn_assign_registers(NornAllocation *allocation);

/* Inserts the recorded transfers into the function. root[v] of a new name v is the original
 * value. */
void norn_insert_copies(NornAllocation *allocation, NornIndexList *root);

#endif
