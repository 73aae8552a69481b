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

NORN_BEGIN_DECLS

typedef struct NornModule NornModule;
typedef struct NornFunction NornFunction;

/* What an operand refers to. The kind is in bits 28-30, bit 31 marks the last use of a register,
 * the payload (an index, see NornRefKind) is in bits 0-27. Zero is "no reference". */
typedef uint32_t NornRef;

/* The kinds of reference, and what the payload is. */
typedef enum {
  NORN_REF_NONE,
  NORN_REF_VALUE,    /* an SSA value of the function */
  NORN_REF_CONSTANT, /* an entry of the module's constant pool (64 raw bits) */
  NORN_REF_UNIFORM,  /* a uniform (FAU) word; wider operands take the following words too */
  NORN_REF_BLOCK,    /* a block; in a terminator the block's arguments follow as operands */
  NORN_REF_SPECIAL,  /* a special source of the machine; the payload is the machine's code for it */
  NORN_REF_FUNCTION, /* a function of the module (calls) */
} NornRefKind;

/* The lanes of a subgroup: those of a warp of Valhall. A target may have smaller subgroups, but
 * none may have larger ones. */
#define NORN_SUBGROUP_LANES 16

/* Uniform words that an instruction can name. */
#define NORN_FAU_WORDS 128
/* The most constant data that a module can have, in bytes. */
#define NORN_DATA_LIMIT (1u << 24)
/* How many bytes of the existing data are searched for data that is added: searching all of them
 * would take time that grows with the square of the size. */
#define NORN_DATA_SEARCHED (1u << 14)

/* The handle of a resource: the number of a table and, in the bits below, of its entry. */
#define NORN_HANDLE_TABLE_SHIFT 24
#define NORN_HANDLE_TABLES 256
#define NORN_HANDLE_ENTRIES (1u << NORN_HANDLE_TABLE_SHIFT)

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

/* The types of values (doc/ir.md). */
typedef enum {
#define TYPE(id, text, lane_bits, lanes, class) NORN_TYPE_##id,
  NORN_TYPES(TYPE)
#undef TYPE
      NORN_TYPE_COUNT
} NornType;

/* The enumerations that the first suffix of an operation can be from. */
#define NORN_INT_CONDITIONS(VALUE)                                                                 \
  VALUE(INT_CONDITION, EQ, "eq")                                                                   \
  VALUE(INT_CONDITION, NE, "ne")                                                                   \
  VALUE(INT_CONDITION, ULT, "ult")                                                                 \
  VALUE(INT_CONDITION, ULE, "ule")                                                                 \
  VALUE(INT_CONDITION, UGT, "ugt")                                                                 \
  VALUE(INT_CONDITION, UGE, "uge")                                                                 \
  VALUE(INT_CONDITION, SLT, "slt")                                                                 \
  VALUE(INT_CONDITION, SLE, "sle")                                                                 \
  VALUE(INT_CONDITION, SGT, "sgt")                                                                 \
  VALUE(INT_CONDITION, SGE, "sge")

/* o: ordered (false if an operand is NaN), u: unordered (true if one is); ord: neither operand is
 * NaN, uno: at least one is. */
#define NORN_FLOAT_CONDITIONS(VALUE)                                                               \
  VALUE(FLOAT_CONDITION, OEQ, "oeq")                                                               \
  VALUE(FLOAT_CONDITION, ONE, "one")                                                               \
  VALUE(FLOAT_CONDITION, OLT, "olt")                                                               \
  VALUE(FLOAT_CONDITION, OLE, "ole")                                                               \
  VALUE(FLOAT_CONDITION, OGT, "ogt")                                                               \
  VALUE(FLOAT_CONDITION, OGE, "oge")                                                               \
  VALUE(FLOAT_CONDITION, ORD, "ord")                                                               \
  VALUE(FLOAT_CONDITION, UEQ, "ueq")                                                               \
  VALUE(FLOAT_CONDITION, UNE, "une")                                                               \
  VALUE(FLOAT_CONDITION, ULT, "ult")                                                               \
  VALUE(FLOAT_CONDITION, ULE, "ule")                                                               \
  VALUE(FLOAT_CONDITION, UGT, "ugt")                                                               \
  VALUE(FLOAT_CONDITION, UGE, "uge")                                                               \
  VALUE(FLOAT_CONDITION, UNO, "uno")

/* To nearest even, up, down, toward zero, to nearest with ties away from zero. */
#define NORN_ROUNDS(VALUE)                                                                         \
  VALUE(ROUND, RTE, "rte")                                                                         \
  VALUE(ROUND, RTP, "rtp")                                                                         \
  VALUE(ROUND, RTN, "rtn")                                                                         \
  VALUE(ROUND, RTZ, "rtz")                                                                         \
  VALUE(ROUND, RNA, "rna")

#define NORN_EXTENDS(VALUE)                                                                        \
  VALUE(EXTEND, U32, "u32")                                                                        \
  VALUE(EXTEND, S32, "s32")

#define NORN_AXES(VALUE)                                                                           \
  VALUE(AXIS, X, "x")                                                                              \
  VALUE(AXIS, Y, "y")                                                                              \
  VALUE(AXIS, Z, "z")

/* How lanes are combined. */
#define NORN_INT_REDUCTIONS(VALUE)                                                                 \
  VALUE(INT_REDUCTION, ADD, "add")                                                                 \
  VALUE(INT_REDUCTION, SMIN, "smin")                                                               \
  VALUE(INT_REDUCTION, SMAX, "smax")                                                               \
  VALUE(INT_REDUCTION, UMIN, "umin")                                                               \
  VALUE(INT_REDUCTION, UMAX, "umax")                                                               \
  VALUE(INT_REDUCTION, AND, "and")                                                                 \
  VALUE(INT_REDUCTION, OR, "or")                                                                   \
  VALUE(INT_REDUCTION, XOR, "xor")                                                                 \
  VALUE(INT_REDUCTION, MUL, "mul")

#define NORN_FLOAT_REDUCTIONS(VALUE)                                                               \
  VALUE(FLOAT_REDUCTION, ADD, "add")                                                               \
  VALUE(FLOAT_REDUCTION, MIN, "min")                                                               \
  VALUE(FLOAT_REDUCTION, MAX, "max")                                                               \
  VALUE(FLOAT_REDUCTION, MUL, "mul")

/* What an atomic access makes of the old value and its operand. */
#define NORN_ATOMICS(VALUE)                                                                        \
  VALUE(ATOMIC, ADD, "add")                                                                        \
  VALUE(ATOMIC, SMIN, "smin")                                                                      \
  VALUE(ATOMIC, SMAX, "smax")                                                                      \
  VALUE(ATOMIC, UMIN, "umin")                                                                      \
  VALUE(ATOMIC, UMAX, "umax")                                                                      \
  VALUE(ATOMIC, AND, "and")                                                                        \
  VALUE(ATOMIC, OR, "or")                                                                          \
  VALUE(ATOMIC, XOR, "xor")                                                                        \
  VALUE(ATOMIC, EXCHANGE, "exchange")

/* Whose accesses a barrier or fence orders. */
#define NORN_SCOPES(VALUE)                                                                         \
  VALUE(SCOPE, SUBGROUP, "subgroup")                                                               \
  VALUE(SCOPE, WORKGROUP, "workgroup")                                                             \
  VALUE(SCOPE, DEVICE, "device")

/* Within a quad: the neighbor in x, in y, or in both. */
#define NORN_NEIGHBORS(VALUE)                                                                      \
  VALUE(NEIGHBOR, X, "x")                                                                          \
  VALUE(NEIGHBOR, Y, "y")                                                                          \
  VALUE(NEIGHBOR, XY, "xy")

#define NORN_DERIVATIVES(VALUE)                                                                    \
  VALUE(DERIVATIVE, COARSE, "coarse")                                                              \
  VALUE(DERIVATIVE, FINE, "fine")

/* The type of the components that a message moves to or from registers. */
#define NORN_FORMATS(VALUE)                                                                        \
  VALUE(FORMAT, F32, "f32")                                                                        \
  VALUE(FORMAT, F16, "f16")                                                                        \
  VALUE(FORMAT, S32, "s32")                                                                        \
  VALUE(FORMAT, U32, "u32")                                                                        \
  VALUE(FORMAT, S16, "s16")                                                                        \
  VALUE(FORMAT, U16, "u16")

/* Where in the pixel a varying is evaluated: nowhere (the value is the provoking vertex's), at its
 * center, at its center or at a covered sample if the center is not covered, at the sample that the
 * invocation is for. */
#define NORN_INTERPOLATIONS(VALUE)                                                                 \
  VALUE(INTERPOLATION, FLAT, "flat")                                                               \
  VALUE(INTERPOLATION, CENTER, "center")                                                           \
  VALUE(INTERPOLATION, CENTROID, "centroid")                                                       \
  VALUE(INTERPOLATION, SAMPLE, "sample")

#define NORN_COMPONENTS(VALUE)                                                                     \
  VALUE(COMPONENT, X, "x")                                                                         \
  VALUE(COMPONENT, Y, "y")                                                                         \
  VALUE(COMPONENT, Z, "z")                                                                         \
  VALUE(COMPONENT, W, "w")

/* The shape of an image: ms has several samples per texel, a buffer is one long row. */
#define NORN_DIMENSIONS(VALUE)                                                                     \
  VALUE(DIMENSION, 1D, "1d")                                                                       \
  VALUE(DIMENSION, 2D, "2d")                                                                       \
  VALUE(DIMENSION, 3D, "3d")                                                                       \
  VALUE(DIMENSION, CUBE, "cube")                                                                   \
  VALUE(DIMENSION, 1D_ARRAY, "1d_array")                                                           \
  VALUE(DIMENSION, 2D_ARRAY, "2d_array")                                                           \
  VALUE(DIMENSION, CUBE_ARRAY, "cube_array")                                                       \
  VALUE(DIMENSION, 2D_MS, "2d_ms")                                                                 \
  VALUE(DIMENSION, 2D_MS_ARRAY, "2d_ms_array")                                                     \
  VALUE(DIMENSION, BUFFER, "buffer")

/* The number of iterations that estimates assume of a loop if nothing tells it, and the greatest
 * that a loop_entry can say. */
#define NORN_ASSUMED_ITERATIONS 8
#define NORN_MAX_ITERATIONS 2047

/* Whether a loop is to be unrolled: where that pays, also if its code becomes long, or not at all.
 */
#define NORN_UNROLLS(VALUE)                                                                        \
  VALUE(UNROLL, AUTO, "auto")                                                                      \
  VALUE(UNROLL, ALWAYS, "always")                                                                  \
  VALUE(UNROLL, NEVER, "never")

/* All of them: name in rows of norn/ops.def, C type, list of values. */
#define NORN_MODIFIERS(SET)                                                                        \
  SET(INT_CONDITION, IntCondition, NORN_INT_CONDITIONS)                                            \
  SET(FLOAT_CONDITION, FloatCondition, NORN_FLOAT_CONDITIONS)                                      \
  SET(ROUND, Round, NORN_ROUNDS)                                                                   \
  SET(EXTEND, Extend, NORN_EXTENDS)                                                                \
  SET(AXIS, Axis, NORN_AXES)                                                                       \
  SET(INT_REDUCTION, IntReduction, NORN_INT_REDUCTIONS)                                            \
  SET(FLOAT_REDUCTION, FloatReduction, NORN_FLOAT_REDUCTIONS)                                      \
  SET(ATOMIC, Atomic, NORN_ATOMICS)                                                                \
  SET(SCOPE, Scope, NORN_SCOPES)                                                                   \
  SET(NEIGHBOR, Neighbor, NORN_NEIGHBORS)                                                          \
  SET(DERIVATIVE, Derivative, NORN_DERIVATIVES)                                                    \
  SET(FORMAT, Format, NORN_FORMATS)                                                                \
  SET(INTERPOLATION, Interpolation, NORN_INTERPOLATIONS)                                           \
  SET(COMPONENT, Component, NORN_COMPONENTS)                                                       \
  SET(DIMENSION, Dimension, NORN_DIMENSIONS)                                                       \
  SET(UNROLL, Unroll, NORN_UNROLLS)

#define VALUE(set, id, text) NORN_##set##_##id,
#define SET(set, type, values) typedef enum { values(VALUE) NORN_##set##_COUNT } Norn##type;
NORN_MODIFIERS(SET)
#undef SET
#undef VALUE

/* What happens to subnormal inputs and results of float operations in the whole shader. */
typedef enum { NORN_DENORMALS_PRESERVE, NORN_DENORMALS_FLUSH, NORN_DENORMALS_COUNT } NornDenormals;

/* Color targets that a fragment shader can write. */
#define NORN_COLOR_TARGETS 8

/* The shader stage of a module. */
typedef enum {
  NORN_STAGE_COMPUTE,
  NORN_STAGE_VERTEX,
  NORN_STAGE_FRAGMENT,
  NORN_STAGE_COUNT
} NornShaderStage;

/* Properties of single instructions, written after the mnemonic. */
typedef enum {
  NORN_INST_EXACT = 1 << 0,     /* no reassociation, no contraction */
  NORN_INST_NSZ = 1 << 1,       /* the sign of a zero does not matter */
  NORN_INST_NINF = 1 << 2,      /* no operand or result is infinite */
  NORN_INST_NNAN = 1 << 3,      /* no operand or result is a NaN */
  NORN_INST_DIVERGENT = 1 << 4, /* a branch at which lanes of a warp may diverge */
  NORN_INST_NOWRAP = 1 << 5, /* of shladd and shl: the index is within limits (doc/ir.md), and its
                                sums do not wrap */
  NORN_INST_FINITE = 1 << 6, /* with NaN and infinities, any result is right, and so is either zero;
                                of integer division: by 0, any result is right */
  NORN_INST_DATA = 1 << 7, /* of a machine instruction that adds to the program counter: its addend
                              counts from the start of the constant data */
  NORN_INST_COARSE = 1 << 8, /* of an access to a buffer of a resource table: it may count as out of
                                bounds if another coarse one in the same 16 bytes is; of
                                load.constant: if any of these bytes is */
} NornInstFlags;

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

/* The name of a stage in text ("compute"), a constant string; NULL if no stage has that number. */
const char *norn_stage_name(NornShaderStage stage);

/* The same of a component format ("f32"). */
const char *norn_format_name(NornFormat format);

/* The name of a generic operation ("fma"), a constant string; NULL if `op` is not one. Their
 * numbers are 1 to NORN_OP_COUNT - 1. */
const char *norn_op_name(NornOp op);

/* What it does, in a few words; likewise. */
const char *norn_op_meaning(NornOp op);

/* How a generic operation is written: "T = fma.T T, T, T". Free it with g_free; NULL if `op` is not
 * a generic operation. */
char *norn_op_syntax(NornOp op);

/* Further details: the types and suffixes that it takes, its properties; each string is a line
 * without its end. Free them with g_strfreev; NULL if `op` is not a generic operation. */
char **norn_op_details(NornOp op);

/* A number as the bits of a float type (f16, f32 or f64), rounded to nearest even; 0 for other
 * types. */
uint64_t norn_float_bits(NornType type, double number);

/* The exact number that the bits of such a type represent; 0 for other types. */
double norn_float_number(NornType type, uint64_t bits);

NORN_END_DECLS

#endif
