/* A function of a module and its blocks: shared by function.c and blocks.c. */
#ifndef NORN_SPIRV_FUNCTION_H
#define NORN_SPIRV_FUNCTION_H

#include "spirv/reader.h"

/* An operand of a phi, stored with the block that it comes from. */
typedef struct NornSpirvPhiOperand {
  uint32_t from;        /* id of the block */
  uint32_t block;       /* number of the phi's block */
  uint32_t order;       /* among all operands of phis */
  uint32_t type, value; /* ids */
} NornSpirvPhiOperand;

typedef struct NornSpirvBlock {
  uint32_t id, at;                 /* of its OpLabel */
  uint32_t end;                    /* of its terminator */
  uint32_t merge;                  /* of its OpLoopMerge; 0: it heads no loop */
  uint32_t operand, operand_count; /* of phis, for values that come from it */
  bool is_reached;
} NornSpirvBlock;

struct NornSpirvFunction {
  uint32_t id, at; /* of OpFunction */
  uint32_t end;    /* of OpFunctionEnd */
  bool is_listed, is_active;
  NornSpirvBlock *blocks;
  uint32_t block_count;
  NornSpirvPhiOperand *operands;
  uint32_t operand_count;
  uint32_t returns; /* number of reachable blocks that return */
};

/* Lists the function's blocks if that has not been done yet; false with an error. */
bool norn_spirv_list_blocks(NornSpirvReader *reader, NornSpirvFunction *function);

/* Translates the function's blocks, starting from the current one. Returns lead to
 * reader->returns. */
void norn_spirv_translate_blocks(NornSpirvReader *reader, const NornSpirvFunction *function);

#endif
