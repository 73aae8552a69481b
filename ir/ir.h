/* The SSA core, as the library's own rooms see it.
 *
 * A function is four arrays (instructions, values, operands, blocks) indexed by small integers, so a
 * pass walks memory in order and a reference is 32 bits. Arrays move when they grow: keep indexes, not pointers,
 * across anything that creates. Instructions of a block form a doubly linked list in program order; operands of an
 * instruction are consecutive in the operand array, so are the values it defines in the value array.
 *
 * Invariants (norn_verify checks them): each value has one definition that dominates its uses; each block
 * ends in one terminator and has no other; arguments match parameters in count and type; the
 * entry block is block_order[0] and has no predecessor.
 *
 * A machine instruction holds its modifiers and immediates in `payload`, as the bits that the encoded
 * word will have; its operands are the register-like sources in text order, its results the registers it
 * writes. After allocation a value knows its first register. */
#ifndef NORN_IR_IR_H
#define NORN_IR_IR_H

#include "ir/machine.h"
#include <norn/ir.h>

#define NORN_INDEX_NONE UINT32_MAX
#define NORN_REGISTER_NONE UINT16_MAX

/* Instruction flags. */
enum {
  NORN_INST_EXACT = 1 << 0, /* no reassociation, no contraction */
  NORN_INST_NSZ = 1 << 1,   /* the sign of a zero does not matter */
  NORN_INST_NINF = 1 << 2,  /* no infinity goes in or comes out */
  NORN_INST_NNAN = 1 << 3,  /* no NaN goes in or comes out */
  NORN_INST_DIVERGENT = 1 << 4, /* a branch whose condition may differ between lanes of a warp */
};

typedef struct NornInst {
  uint16_t op;        /* NornOp, or NORN_OP_MACHINE + instruction of the machine */
  uint8_t type;       /* the T of the row; the type of the (first) result of a machine instruction */
  uint8_t source_type; /* the S of the row */
  uint8_t modifier;   /* value of the row's modifier enumeration */
  uint8_t flags;
  uint16_t operand_count;
  uint32_t operand;   /* first operand */
  uint32_t result;    /* first result; result_count of them */
  uint32_t previous, next, block;
  uint32_t line;      /* of the source text, 0 if none */
  uint16_t result_count;
  uint16_t reserved;
  uint64_t payload;   /* generic: byte offset and the like; machine: modifier and immediate bits */
} NornInst;

typedef struct NornValue {
  uint32_t definer;  /* instruction, or block for a parameter */
  uint32_t name;     /* string of the module, 0 for none */
  uint8_t type;
  uint8_t is_parameter : 1;
  uint8_t is_divergent : 1;
  uint16_t index;    /* which result or parameter */
  uint16_t reg;      /* first register after allocation, else NORN_REGISTER_NONE */
} NornValue;

typedef struct NornBlock {
  uint32_t first, last; /* instructions; NORN_INDEX_NONE if empty */
  uint32_t parameter, parameter_count; /* values; consecutive */
  uint32_t name;
  uint32_t line;
} NornBlock;

struct NornFunction {
  NornModule *module;
  uint32_t name;
  NornInst *insts;
  uint32_t inst_count, inst_capacity;
  NornValue *values;
  uint32_t value_count, value_capacity;
  NornRef *operands;
  uint32_t operand_count, operand_capacity;
  NornBlock *blocks;
  uint32_t block_count, block_capacity;
  uint32_t *block_order; /* program order; deleted blocks are not in it */
  uint32_t block_order_count;
  uint8_t result_type;   /* of a callable function; VOID for the entry */
};

/* One `fau` declaration: `count` elements of a type from word `word` on. */
typedef struct NornFau {
  uint32_t name;
  uint8_t type;
  uint32_t word, count;
} NornFau;

static inline NornRef
norn_ref(NornRefKind kind, uint32_t payload) {
  return (uint32_t)kind << 28 | payload;
}

static inline NornRefKind
norn_ref_kind(NornRef ref) {
  return (NornRefKind)(ref >> 28 & 7);
}

static inline uint32_t
norn_ref_payload(NornRef ref) {
  return ref & 0x0FFFFFFF;
}

#define NORN_REF_LAST_USE (1u << 31)

#define norn_for_each_inst(function, block_index, index)                                           \
  for (uint32_t index = (function)->blocks[block_index].first; index != NORN_INDEX_NONE;           \
       index = (function)->insts[index].next)

#endif
