/* Copies of blocks that stand in for them on some paths, for passes that change where edges lead.
 *
 * A copy gives new names to what the block defines. Until the end every use names the original;
 * norn_block_copies_finish makes each use that of the name which reaches it. */
#ifndef NORN_PASSES_OPTIMIZE_BLOCK_COPIES_H
#define NORN_PASSES_OPTIMIZE_BLOCK_COPIES_H

#include "passes/pass.h"

typedef struct NornBlockCopies {
  NornPassContext *context;
  NornFunction *function;
  NornIndexList root;  /* by value: what it is a name of */
  uint32_t *behind;    /* by block: a new one that follows it, or NORN_INDEX_NONE */
  uint32_t first_name; /* values that there were before */
} NornBlockCopies;

/* Prepares for up to `max_count` new blocks. */
void norn_block_copies_init(NornBlockCopies *copies, NornPassContext *context,
                            NornFunction *function, uint32_t max_count);

/* A copy of the block's parameters and instructions, without its terminator: yet to be placed. */
uint32_t norn_block_copies_add(NornBlockCopies *copies, uint32_t block);

/* A copy of the block's terminator at the end of a copy. */
void norn_block_copies_add_terminator(const NornBlockCopies *copies, uint32_t block, uint32_t copy);

/* Puts a new block right behind another one. */
void norn_block_copies_place(const NornBlockCopies *copies, uint32_t block, uint32_t fresh);

/* Orders the blocks, drops those that cannot be reached any more, and gives uses their names. */
void norn_block_copies_finish(NornBlockCopies *copies);

#endif
