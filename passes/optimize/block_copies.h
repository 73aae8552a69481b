/* Copies of blocks that replace them on some paths, for passes that change the targets of edges.
 *
 * A copy gives new names to the values that the block defines. Until the end every use reads the
 * original; norn_block_copies_finish then makes each use read the name that reaches it. */
#ifndef NORN_PASSES_OPTIMIZE_BLOCK_COPIES_H
#define NORN_PASSES_OPTIMIZE_BLOCK_COPIES_H

#include "passes/pass.h"

/* The maximum number of instructions that are cheap to have twice. */
#define NORN_MAX_COPIED 8

/* Whether at most NORN_MAX_COPIED instructions, not counting the terminator, follow from `first` to
 * the end of its block, and none of them is an alloca or has one of the flags `forbidden`. */
bool norn_is_cheap_to_copy(const NornFunction *function, uint32_t first, uint64_t forbidden);

typedef struct NornBlockCopies {
  NornPassContext *context;
  NornFunction *function;
  NornIndexList root;  /* by value: the value that it is a name of */
  uint32_t *behind;    /* by block: the new block placed after it, or NORN_INDEX_NONE */
  uint32_t first_name; /* number of values before any copies */
} NornBlockCopies;

/* Prepares for at most `max_count` new blocks. */
void norn_block_copies_init(NornBlockCopies *copies, NornPassContext *context,
                            NornFunction *function, uint32_t max_count);

/* Copies the block's parameters and instructions without its terminator; the copy is not yet
 * placed. */
uint32_t norn_block_copies_add(NornBlockCopies *copies, uint32_t block);

/* Appends a copy of the block's terminator to a copy. */
void norn_block_copies_add_terminator(const NornBlockCopies *copies, uint32_t block, uint32_t copy);

/* Places a new block directly after another one. */
void norn_block_copies_place(const NornBlockCopies *copies, uint32_t block, uint32_t fresh);

/* Orders the blocks, removes those that are no longer reachable, and gives uses their names. */
void norn_block_copies_finish(NornBlockCopies *copies);

#endif
