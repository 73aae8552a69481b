/* The IR as a user of the library sees it: handles, types and operations.
 *
 * One SSA container holds every stage of a program: generic operations (lower case in text, rows of
 * norn/ops.def) and machine instructions (upper case, rows of an ISA description). Blocks have
 * parameters instead of phi nodes. Everything is owned by its module and freed with it. */
#ifndef NORN_IR_H
#define NORN_IR_H

#include <glib.h>
#include <norn/error.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct NornModule NornModule;
typedef struct NornFunction NornFunction;

/* What an operand refers to. The kind is in bits 28-30, bit 31 marks the last use of a register, the
 * payload (an index, see NornRefKind) is in bits 0-27. Zero is "no reference". */
typedef uint32_t NornRef;

typedef enum {
  NORN_REF_NONE,
  NORN_REF_VALUE,    /* an SSA value of the function */
  NORN_REF_CONSTANT, /* an entry of the module's constant pool (64 raw bits) */
  NORN_REF_UNIFORM,  /* a uniform (FAU) word; wider operands take the following words too */
  NORN_REF_BLOCK,    /* a block; in a terminator the block's arguments follow as operands */
  NORN_REF_SPECIAL,  /* a special source of the machine; the payload is the machine's own code */
  NORN_REF_FUNCTION, /* a function of the module (calls) */
} NornRefKind;

/* Types. Packed types hold their lanes in one 32-bit word, lane 0 lowest. w2 to w8 are groups of
 * untyped 32-bit words, the operands of memory and texture messages. */
#define NORN_TYPES(TYPE)                                                                           \
  TYPE(VOID, "void", 0, 0, NONE)                                                                   \
  TYPE(I1, "i1", 1, 1, INT)                                                                        \
  TYPE(I8, "i8", 8, 1, INT)                                                                        \
  TYPE(I16, "i16", 16, 1, INT)                                                                     \
  TYPE(I32, "i32", 32, 1, INT)                                                                     \
  TYPE(I64, "i64", 64, 1, INT)                                                                     \
  TYPE(F16, "f16", 16, 1, FLOAT)                                                                   \
  TYPE(F32, "f32", 32, 1, FLOAT)                                                                   \
  TYPE(F64, "f64", 64, 1, FLOAT)                                                                   \
  TYPE(V4I8, "v4i8", 8, 4, INT)                                                                    \
  TYPE(V2I16, "v2i16", 16, 2, INT)                                                                 \
  TYPE(V2F16, "v2f16", 16, 2, FLOAT)                                                               \
  TYPE(W2, "w2", 32, 2, GROUP)                                                                     \
  TYPE(W3, "w3", 32, 3, GROUP)                                                                     \
  TYPE(W4, "w4", 32, 4, GROUP)                                                                     \
  TYPE(W5, "w5", 32, 5, GROUP)                                                                     \
  TYPE(W6, "w6", 32, 6, GROUP)                                                                     \
  TYPE(W7, "w7", 32, 7, GROUP)                                                                     \
  TYPE(W8, "w8", 32, 8, GROUP)

typedef enum {
#define TYPE(id, text, lane_bits, lanes, class) NORN_TYPE_##id,
  NORN_TYPES(TYPE)
#undef TYPE
  NORN_TYPE_COUNT
} NornType;

/* The shader stage of a module. */
typedef enum { NORN_STAGE_COMPUTE, NORN_STAGE_VERTEX, NORN_STAGE_FRAGMENT } NornShaderStage;

/* Generic operations; see norn/ops.def. Machine instruction I of the module's machine is
 * NORN_OP_MACHINE + I. */
typedef enum {
  NORN_OP_NONE, /* a deleted instruction */
#define OP(id, ...) NORN_OP_##id,
#include <norn/ops.def>
#undef OP
  NORN_OP_COUNT,
  NORN_OP_MACHINE = 1024
} NornOp;

G_END_DECLS

#endif
