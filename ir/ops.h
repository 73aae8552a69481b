/* The table of the generic operations, made from norn/ops.def, and those of types, modifier
 * enumerations and named immediates. All are constant data.
 *
 * An operation's text is name[.modifier][.type][.source type]. Its named immediates follow the
 * operands as "name:value" and are stored in bit fields of the instruction's payload. */
#ifndef NORN_IR_OPS_H
#define NORN_IR_OPS_H

#include <norn/ir.h>
#include <stddef.h>

struct NornInst;

typedef enum { NORN_CLASS_NONE, NORN_CLASS_INT, NORN_CLASS_FLOAT, NORN_CLASS_GROUP } NornTypeClass;

typedef struct NornTypeInfo {
  const char *name;
  uint8_t lane_bits, lanes;
  uint8_t class;
} NornTypeInfo;

extern const NornTypeInfo norn_types[NORN_TYPE_COUNT];

/* The type of that name, or -1. */
int norn_find_type(const char *text, size_t length);

static inline unsigned
norn_type_bits(NornType type) {
  return norn_types[type].lane_bits * norn_types[type].lanes;
}

/* The number of 32-bit words that a value of the type takes. */
static inline unsigned
norn_type_words(NornType type) {
  return (norn_type_bits(type) + 31) / 32;
}

/* The untyped type with this many words: i32, i64, w3 ... w8; VOID if there is none. */
NornType norn_type_of_words(unsigned words);

/* The group with this many words, w2 ... w8; i32 for one word. */
static inline NornType
norn_group_of_words(unsigned words) {
  return words == 1 ? NORN_TYPE_I32 : (NornType)(NORN_TYPE_W2 + words - 2);
}

/* The type of a 32-bit word whose lanes are of this 8-bit or 16-bit type; other types are returned
 * as they are. */
static inline NornType
norn_packed_type(NornType lane) {
  switch (norn_type_bits(lane)) {
  case 8:
    return NORN_TYPE_V4I8;
  case 16:
    return lane == NORN_TYPE_F16 ? NORN_TYPE_V2F16 : NORN_TYPE_V2I16;
  default:
    return lane;
  }
}

/* The bits a value of the type may have set, for types of at most 64 bits. */
static inline uint64_t
norn_type_mask(NornType type) {
  unsigned bits = norn_type_bits(type);
  return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* `lane` in each lane of the type, for types of at most 64 bits. */
static inline uint64_t
norn_type_splat(NornType type, uint64_t lane) {
  uint64_t bits = 0;
  for (unsigned k = 0; k < norn_types[type].lanes; k++)
    bits |= lane << (k * norn_types[type].lane_bits % 64);
  return bits;
}

extern const char *const norn_stage_names[NORN_STAGE_COUNT];
extern const char *const norn_denormals_names[NORN_DENORMALS_COUNT];

/* A set of types: bit NORN_TYPE_x. */
typedef uint32_t NornTypeSet;

static inline bool
norn_type_in(NornTypeSet set, NornType type) {
  return set >> type & 1;
}

#define NORN_SET_BOOL (1u << NORN_TYPE_I1)
#define NORN_SET_INT                                                                               \
  (1u << NORN_TYPE_I8 | 1u << NORN_TYPE_I16 | 1u << NORN_TYPE_I32 | 1u << NORN_TYPE_I64)
#define NORN_SET_FLOAT (1u << NORN_TYPE_F16 | 1u << NORN_TYPE_F32 | 1u << NORN_TYPE_F64)
#define NORN_SET_PACKED_INT (1u << NORN_TYPE_V4I8 | 1u << NORN_TYPE_V2I16)
#define NORN_SET_PACKED_FLOAT (1u << NORN_TYPE_V2F16)
#define NORN_SET_GROUP                                                                             \
  (1u << NORN_TYPE_W2 | 1u << NORN_TYPE_W3 | 1u << NORN_TYPE_W4 | 1u << NORN_TYPE_W5 |             \
   1u << NORN_TYPE_W6 | 1u << NORN_TYPE_W7 | 1u << NORN_TYPE_W8)

typedef enum {
  NORN_MODIFIER_NONE,
#define SET(set, type, values) NORN_MODIFIER_##set,
  NORN_MODIFIERS(SET)
#undef SET
      NORN_MODIFIER_COUNT
} NornModifier;

/* A modifier enumeration: its C type and its values' texts. */
typedef struct NornModifierInfo {
  const char *type;
  const char *const *texts;
  uint8_t count;
} NornModifierInfo;

extern const NornModifierInfo norn_modifiers[NORN_MODIFIER_COUNT];

/* Properties of an operation. Rows name them without the prefix. */
#define NORN_OP_FLAGS(FLAG)                                                                        \
  FLAG(COMMUTATIVE, 0, "the first two operands may be exchanged")                                  \
  FLAG(TERMINATOR, 1, "ends a block")                                                              \
  FLAG(READS_MEMORY, 2, "reads memory that stores may change")                                     \
  FLAG(WRITES_MEMORY, 3, "writes memory or has another lasting effect")                            \
  FLAG(PINNED, 4, "must not be moved to another block or duplicated")                              \
  FLAG(CONVERGENT, 5, "depends on which lanes execute it")                                         \
  FLAG(ORDERS, 6, "orders memory accesses and invocations")                                        \
  FLAG(COMPUTE, 7, "allowed in compute shaders")                                                   \
  FLAG(VERTEX, 8, "allowed in vertex shaders")                                                     \
  FLAG(FRAGMENT, 9, "allowed in fragment shaders")                                                 \
  FLAG(DIVERGENT, 10, "the result may differ between lanes of a warp even if no operand does")     \
  FLAG(UNIFORM, 11, "the result is the same in all lanes of a warp")                               \
  FLAG(WIDENS, 12, "T has more bits than S")                                                       \
  FLAG(NARROWS, 13, "T has fewer bits than S")                                                     \
  FLAG(SAME_SIZE, 14, "T has as many bits as S")                                                   \
  FLAG(SAME_LANES, 15, "T has as many lanes as S")                                                 \
  FLAG(LANE_TYPE, 16, "one of T and S is the type of a lane of the other")                         \
  FLAG(HOLDS, 17, "T holds one to four values of type S")                                          \
  FLAG(HOLDS_FORMAT, 18, "T holds one to four components of the format")                           \
  FLAG(COLOR, 19, "T has the size of a color: four components of the format")                      \
  FLAG(SIZE, 20, "T has a word for each number in the size of the shape")                          \
  FLAG(PARTS, 21, "the list has one entry for each lane of T or word of S")                        \
  FLAG(VARYING, 22, "the offset is in a vertex's block of varyings")                               \
  FLAG(ALL_PATHS, 23, "must be on every path to the end of the shader or on none")                 \
  FLAG(AT_START, 24, "allowed only at the start of the first block")                               \
  FLAG(GLOBAL, 25, "accesses global memory")                                                       \
  FLAG(SHARED, 26, "accesses workgroup memory")                                                    \
  FLAG(SCRATCH, 27, "accesses thread-local memory")                                                \
  FLAG(BUFFER, 28, "accesses a buffer of a resource table")                                        \
  FLAG(CONSTANT, 29, "accesses a read-only buffer of a resource table")                            \
  FLAG(OUTPUT, 30, "the stored value is written when the invocation ends")                         \
  FLAG(OPENS_BLOCK, 31, "allowed only at the start of a block other than the first")               \
  FLAG(ROUNDS, 32, "the result is rounded as the module says")                                     \
  FLAG(APPROXIMATE, 33, "the result is correct only within bounds")                                \
  FLAG(HAS_OFFSET, 40, "takes an offset immediate")                                                \
  FLAG(HAS_INDEX, 41, "takes an index immediate")                                                  \
  FLAG(HAS_TARGET, 42, "takes a target immediate")                                                 \
  FLAG(HAS_COMPONENT, 43, "takes a component immediate")                                           \
  FLAG(HAS_COMPARE, 44, "may be marked compare")                                                   \
  FLAG(HAS_ATOMIC, 45, "takes an atomic immediate")                                                \
  FLAG(HAS_ITERATIONS, 46, "takes an iterations immediate")                                        \
  FLAG(HAS_REST, 47, "may be marked rest")                                                         \
  FLAG(HAS_UNROLL, 48, "takes an unroll immediate")

/* The flags that allow named immediates: those from bit 40 on. */
#define NORN_OP_IMMEDIATES 0xFFFFFF0000000000u

/* An operation without a stage flag is for all stages. */
#define NORN_OP_STAGES (NORN_OP_COMPUTE | NORN_OP_VERTEX | NORN_OP_FRAGMENT)

/* The kinds of memory that loads, stores and atomic accesses name; an operation has at most one. */
#define NORN_OP_BUFFERS (NORN_OP_BUFFER | NORN_OP_CONSTANT)
#define NORN_OP_SPACES (NORN_OP_GLOBAL | NORN_OP_SHARED | NORN_OP_SCRATCH | NORN_OP_BUFFERS)

/* The flags that tie an instruction to its place: passes that move, copy or speculate instructions
 * leave those with any of these flags alone unless they know better. */
#define NORN_OP_STAYS                                                                              \
  (NORN_OP_READS_MEMORY | NORN_OP_WRITES_MEMORY | NORN_OP_PINNED | NORN_OP_CONVERGENT |            \
   NORN_OP_ORDERS | NORN_OP_TERMINATOR)

/* The flags of operations whose results may depend on more than the operands. */
#define NORN_OP_NO_FUNCTION (NORN_OP_STAYS | NORN_OP_DIVERGENT | NORN_OP_SPACES | NORN_OP_VARYING)

/* Constants wider than int are an extension until C23. */
__extension__ enum {
#define FLAG(id, bit, meaning) NORN_OP_##id = UINT64_C(1) << bit,
  NORN_OP_FLAGS(FLAG)
#undef FLAG
};

/* Named immediates: flag that allows it, text, first bit and width in the payload, whether it is
 * signed, and the modifier enumeration of its values (NONE: a number, or, if the width is 1, just
 * the name). */
#define NORN_IMMEDIATES(IMMEDIATE)                                                                 \
  IMMEDIATE(OFFSET, "offset", 0, 32, true, NONE)                                                   \
  IMMEDIATE(INDEX, "index", 32, 8, false, NONE)                                                    \
  IMMEDIATE(TARGET, "target", 40, 3, false, NONE)                                                  \
  IMMEDIATE(COMPONENT, "component", 43, 2, false, NONE)                                            \
  IMMEDIATE(COMPARE, "compare", 45, 1, false, NONE)                                                \
  IMMEDIATE(ATOMIC, "atomic", 46, 4, false, ATOMIC)                                                \
  IMMEDIATE(ITERATIONS, "iterations", 50, 11, false, NONE)                                         \
  IMMEDIATE(REST, "rest", 61, 1, false, NONE)                                                      \
  IMMEDIATE(UNROLL, "unroll", 62, 2, false, UNROLL)

typedef enum {
#define IMMEDIATE(id, ...) NORN_IMMEDIATE_##id,
  NORN_IMMEDIATES(IMMEDIATE)
#undef IMMEDIATE
      NORN_IMMEDIATE_COUNT
} NornImmediate;

typedef struct NornImmediateInfo {
  const char *name;
  uint64_t flag;
  uint8_t bit, width;
  bool is_signed;
  uint8_t modifier;
} NornImmediateInfo;

extern const NornImmediateInfo norn_immediates[NORN_IMMEDIATE_COUNT];

/* The least and greatest values that an immediate can hold. */
int64_t norn_immediate_minimum(NornImmediate immediate);
int64_t norn_immediate_maximum(NornImmediate immediate);
int64_t norn_immediate(uint64_t payload, NornImmediate immediate);
uint64_t norn_set_immediate(uint64_t payload, NornImmediate immediate, int64_t value);

/* The coordinates of a shape: one along each axis, then the array layer; multisampled shapes also
 * have a sample. */
typedef struct NornDimensionInfo {
  uint8_t axes;
  bool is_array, is_multisampled, is_cube;
} NornDimensionInfo;

extern const NornDimensionInfo norn_dimensions[NORN_DIMENSION_COUNT];

/* The number of operands that the starred letter of a texture or image operation stands for;
 * `payload` says whether it compares. 0 if the operation does not exist for the shape. */
unsigned norn_coordinate_operands(NornOp op, NornDimension dimension, uint64_t payload);

/* The number of words in the size of a shape: one for each axis (a cube's faces have two) and one
 * for the layers. */
unsigned norn_size_words(NornDimension dimension);

/* The number of components of that type in memory that an operation on varyings moves. */
unsigned norn_varying_components(NornOp op, NornType type, NornType component);

typedef struct NornOpInfo {
  const char *name;
  const char *results, *operands; /* letters, see norn/ops.def */
  NornTypeSet types, source_types;
  uint8_t modifier; /* NornModifier */
  uint64_t flags;
  const char *meaning;
} NornOpInfo;

/* Row of each generic operation; row 0 (NORN_OP_NONE) is empty. */
extern const NornOpInfo norn_ops[NORN_OP_COUNT];

/* The letters of a row's results and operands (see norn/ops.def): letter, kind, the type it stands
 * for given the operation's `type` and `source_type` (VOID: see the kind), the type of its
 * parameter in norn/build.h, and its name in the manual. */
#define NORN_LETTERS(LETTER)                                                                       \
  LETTER('T', VALUE, type, "NornRef", "T")                                                         \
  LETTER('S', VALUE, source_type, "NornRef", "S")                                                  \
  LETTER('B', VALUE, NORN_TYPE_I1, "NornRef", "i1")                                                \
  LETTER('W', VALUE, NORN_TYPE_I32, "NornRef", "i32")                                              \
  LETTER('D', VALUE, NORN_TYPE_I64, "NornRef", "i64")                                              \
  LETTER('R', VALUE, NORN_TYPE_F32, "NornRef", "f32")                                              \
  LETTER('P', ADDRESS, NORN_TYPE_I64, "NornRef", "address")                                        \
  LETTER('H', HANDLE, NORN_TYPE_I32, "NornRef", "i32")                                             \
  LETTER('N', IMMEDIATE, NORN_TYPE_I32, "uint32_t", "number")                                      \
  LETTER('K', BLOCK, NORN_TYPE_VOID, "NornBranch", "block")                                        \
  LETTER('F', FUNCTION, NORN_TYPE_VOID, "const NornFunction *", "function")                        \
  LETTER('C', CASE, NORN_TYPE_VOID, "const NornCase *", "cases")

typedef enum {
  NORN_LETTER_END, /* after the last letter */
  NORN_LETTER_VALUE,
  NORN_LETTER_ADDRESS,
  NORN_LETTER_HANDLE,
  NORN_LETTER_IMMEDIATE,
  NORN_LETTER_BLOCK,
  NORN_LETTER_FUNCTION,
  NORN_LETTER_CASE,
} NornLetterKind;

/* Walks the letters of a row, one step for each operand or result of an instruction: the cursor
 * stays at a repeated letter, and after the last letter every step is END. Letters are read only
 * here. */
typedef struct NornSignatureCursor {
  const char *letter;
  NornType type, source_type;
} NornSignatureCursor;

static inline NornSignatureCursor
norn_operand_cursor(NornOp op, NornType type, NornType source_type) {
  return (NornSignatureCursor){norn_ops[op].operands, type, source_type};
}

static inline NornSignatureCursor
norn_result_cursor(NornOp op, NornType type, NornType source_type) {
  return (NornSignatureCursor){norn_ops[op].results, type, source_type};
}

static inline NornLetterKind
norn_cursor_kind(const NornSignatureCursor *cursor) {
  switch (*cursor->letter) {
#define LETTER(letter, kind, ...)                                                                  \
  case letter:                                                                                     \
    return NORN_LETTER_##kind;
    NORN_LETTERS(LETTER)
#undef LETTER
  default:
    return NORN_LETTER_END;
  }
}

/* The type at the cursor; VOID if the letter does not determine one. */
static inline NornType
norn_cursor_type(const NornSignatureCursor *cursor) {
  NornType type = cursor->type, source_type = cursor->source_type;
  switch (*cursor->letter) {
#define LETTER(letter, kind, type_of_letter, ...)                                                  \
  case letter:                                                                                     \
    return type_of_letter;
    NORN_LETTERS(LETTER)
#undef LETTER
  default:
    return NORN_TYPE_VOID;
  }
}

/* Whether any number of operands like this may follow, or at most one. */
static inline bool
norn_cursor_is_repeated(const NornSignatureCursor *cursor) {
  return *cursor->letter && cursor->letter[1] == '*';
}
static inline bool
norn_cursor_is_optional(const NornSignatureCursor *cursor) {
  return *cursor->letter && cursor->letter[1] == '?';
}

static inline void
norn_cursor_next(NornSignatureCursor *cursor) {
  if (*cursor->letter && cursor->letter[1] != '*')
    cursor->letter += cursor->letter[1] == '?' ? 2 : 1;
}

static inline void
norn_cursor_skip(NornSignatureCursor *cursor, unsigned count) {
  while (count--)
    norn_cursor_next(cursor);
}

/* The number of operands or results from a cursor on: those that are required, and whether the last
 * letter may be repeated or omitted. */
typedef struct NornArity {
  unsigned fixed;
  bool is_repeated, is_optional;
} NornArity;
NornArity norn_cursor_arity(NornSignatureCursor cursor);
NornArity norn_operand_arity(NornOp op);
NornArity norn_result_arity(NornOp op);

/* Whether instructions of the operation have flags: jumps and branches have none. */
bool norn_op_has_flags(NornOp op);

/* The index of the address operand of an access to one of NORN_OP_SPACES. The value that a store
 * writes comes before it, and the handle of a buffer directly before it. */
unsigned norn_address_operand(NornOp op);

/* Whether the operation, or machine instruction, accesses a buffer of a resource table. */
static inline bool
norn_accesses_buffer(unsigned op) {
  return op < NORN_OP_COUNT && norn_ops[op].flags & NORN_OP_BUFFERS;
}

/* The number of results of an instruction with this row; `listed` if the row leaves it open. */
unsigned norn_result_count(NornOp op, NornType type, unsigned listed);

/* The number of operands or results that the starred letter of an operation with PARTS stands for.
 */
unsigned norn_part_count(NornType type, NornType source_type);

/* The values that immediate operand `k` (letter N) can have. */
typedef struct NornOperandLimit {
  uint64_t minimum, maximum;
  bool is_power_of_two;
} NornOperandLimit;
NornOperandLimit norn_operand_limit(NornOp op, NornType type, NornType source_type, unsigned k);

/* What is wrong with a form whose suffixes are each allowed by the row, such as "zext: i8 must be
 * wider than i32"; NULL if nothing. Free it with g_free. */
char *norn_form_problem(NornOp op, NornType type, NornType source_type, unsigned modifier);

/* With at least this shift, a NORN_INST_NOWRAP shladd limits how far from its base the address is,
 * however that is divided into index and shift; with a lower one, it only limits the index. */
#define NORN_NOWRAP_SHIFT 2

/* The extended index of a NORN_INST_NOWRAP shladd by `shift` is less than this limit and at least
 * norn_nowrap_minimum. Elements of at least a word are thus less than 3 * 2^31 bytes after the
 * base, or at most 2^31 before it, so no two indexes are 2^31 or more apart. (For smaller ones,
 * which fill at most half of the range, that is promised in addition.) */
static inline int64_t
norn_nowrap_limit(unsigned shift) {
  return shift < NORN_NOWRAP_SHIFT ? INT64_C(1) << 31 : INT64_C(3) << (31 - shift);
}

static inline int64_t
norn_nowrap_minimum(unsigned shift) {
  return -(INT64_C(1) << (31 - MAX(shift, NORN_NOWRAP_SHIFT)));
}

/* The exact result of a NORN_INST_NOWRAP shl.i32, with its first operand taken as signed, is less
 * than this and at least its negative. */
#define NORN_NOWRAP_BYTES (INT64_C(1) << 30)

/* The alignment of every alloca. */
#define NORN_ALLOCA_ALIGNMENT 16

/* Maximum bytes of thread-local memory of a module: what every driver of the hardware grants. */
#define NORN_SCRATCH_LIMIT (1u << 20)

/* Instruction flags as they are written after the mnemonic. */
typedef struct NornInstFlagInfo {
  const char *name;
  uint16_t flag;
} NornInstFlagInfo;

#define NORN_INST_FLAG_COUNT 9
extern const NornInstFlagInfo norn_inst_flags[NORN_INST_FLAG_COUNT];

/* The condition that holds exactly if the given one does not, and the one equivalent to it with the
 * operands swapped; both are a NornIntCondition or a NornFloatCondition. */
unsigned norn_inverse_int_condition(unsigned condition);
unsigned norn_swapped_int_condition(unsigned condition);
unsigned norn_inverse_float_condition(unsigned condition);
unsigned norn_swapped_float_condition(unsigned condition);

/* The operation that combines the lanes in a reduction or scan: what a NornIntReduction, or for
 * floats a NornFloatReduction, stands for. */
NornOp norn_reduction_combiner(bool is_float, unsigned modifier);

#endif
