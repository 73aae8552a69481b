/* Reading SPIR-V: shared by the files of this directory.
 *
 * The module's words are walked once from front to back. Everything outside of functions is
 * recorded in a table by id: names, decorations, types, constants, variables. Then the entry
 * point's function is translated; a called function is translated in place at each call. A function
 * is read block by block in the order of its text, in which definitions come before their uses.
 *
 * A SPIR-V value is a list of scalars of the IR, in the order of its type: vectors, matrices,
 * arrays and structures exist only here. A pointer is a place in one kind of memory (pointer.h).
 *
 * No input is trusted. The first error is kept in the reader and ends the translation at the next
 * instruction; until then, failed lookups return harmless stand-ins of the right size. */
#ifndef NORN_SPIRV_READER_H
#define NORN_SPIRV_READER_H

#include "ir/arena.h"
#include "ir/budget.h"
#include "ir/ir.h"
#include "spirv/grammar.h"
#include <norn/build.h>
#include <norn/spirv.h>
#include <spirv/unified1/spirv.h>

/* Number of words before the first instruction. */
#define NORN_SPIRV_HEADER_WORDS 5

/* The maximum number of scalars in a value, and in a whole translation. */
#define NORN_SPIRV_VALUE_LIMIT (1u << 16)
#define NORN_SPIRV_SCALARS_LIMIT (1u << 26)
/* The maximum number of instructions that are translated, including those of calls. */
#define NORN_SPIRV_INSTRUCTION_LIMIT (1u << 21)
/* How deeply types and calls may be nested. */
#define NORN_SPIRV_DEPTH_LIMIT 255

#define NORN_SPIRV_NONE UINT32_MAX

/* Stands for a member's name among the decorations: no decoration has this number. */
#define NORN_SPIRV_MEMBER_NAME UINT32_MAX

typedef struct NornSpirvType NornSpirvType;
typedef struct NornSpirvPointer NornSpirvPointer;

typedef struct NornSpirvMember {
  const NornSpirvType *type;
  uint32_t flat;          /* scalars before it */
  uint32_t offset;        /* NORN_SPIRV_NONE: not specified */
  uint32_t packed_offset; /* offset without a layout */
  uint32_t matrix_stride;
  uint32_t name;        /* word of its OpMemberName's text, or 0 */
  uint32_t decorations; /* start of the list; 0: none */
  bool row_major, is_volatile;
} NornSpirvMember;

struct NornSpirvType {
  uint16_t op; /* SpvOpTypeX */
  uint8_t depth;
  uint8_t scalar; /* NornType of a scalar, or of each component of a vector or matrix; else VOID */
  bool is_signed;
  uint8_t alignment; /* bytes; its offsets in packed memory are multiples of this */
  bool is_too_large; /* for a value: `flat` is not valid */
  uint32_t id;
  uint32_t count;        /* number of components, columns, elements (0: unknown) or members */
  uint32_t flat;         /* number of scalars in a value */
  uint32_t packed_bytes; /* size of a value without a layout of its own */
  const NornSpirvType *element; /* component, column, element; image of a sampled image; result of a
                                   function */
  NornSpirvMember *members;
  uint32_t stride;   /* ArrayStride; 0: none */
  uint32_t pointee;  /* id */
  uint32_t storage;  /* class of a pointer */
  uint32_t image[6]; /* Dim, Depth, Arrayed, MS, Sampled, Format */
  bool is_block, is_buffer_block;
};

/* Arrays of words in workgroup memory whose elements are interleaved (shared_arrays.c). */
#define NORN_SPIRV_MAX_BESIDE 4
typedef struct NornSpirvArrayGroup {
  uint32_t members[NORN_SPIRV_MAX_BESIDE]; /* ids of variables */
  uint32_t count;
  uint32_t offset;
  bool is_placed;
} NornSpirvArrayGroup;

/* What is known about an id. */
typedef struct NornSpirvId {
  uint32_t at;               /* word of the instruction that defines it; 0: not defined */
  uint32_t name;             /* word of its name's text; 0: none */
  uint32_t decorations;      /* start of the list; 0: none */
  uint32_t function;         /* of an OpFunction: its number */
  const NornSpirvType *type; /* of a type: itself; of a value: its type */
  NornRef *refs;             /* the scalars of a value; of a label: its block */
  const NornSpirvPointer *pointer;
  NornSpirvType *announced; /* of a pointer type that is used before its declaration */
  uint32_t table;           /* of a variable that is a table: the constant in it; 0: not a table */
  NornSpirvArrayGroup *group;     /* of an array that is interleaved with others; NULL: none */
  const NornSpirvPointer *memory; /* of such a constant: the memory that holds it; NULL: none yet */
  bool is_listed;                 /* the entry point names it as a part of its interface */
} NornSpirvId;

typedef struct NornSpirvDecoration {
  uint32_t at;     /* word of the instruction */
  uint32_t member; /* or NORN_SPIRV_NONE */
  uint32_t decoration;
  uint32_t operand; /* word of its first operand, or the word after it if it has none */
  uint32_t operands;
  uint32_t next;
} NornSpirvDecoration;

typedef struct NornSpirvFunction NornSpirvFunction; /* function.h */

/* Where the returns of a function lead to. */
typedef struct NornSpirvReturn {
  NornRef block;        /* 0: the function has only one return, after which its caller continues */
  NornRef from;         /* the block of that return */
  NornRef *values;      /* the returned value */
  uint32_t value_count; /* number of scalars */
  bool is_reached;
} NornSpirvReturn;

/* A varying that is interpolated to 16 bits, as a 32-bit float, and the same without rounding. */
typedef struct NornSpirvRounded {
  NornRef wide, exact;
} NornSpirvRounded;

typedef struct NornSpirvReader {
  const NornSpirvOptions *options;
  const char *filename;
  GError *error;
  NornBudget budget;
  NornArena arena;
  const uint32_t *words;
  uint32_t word_count, bound;
  uint32_t at;          /* word of the current instruction */
  const uint32_t *inst; /* its words, possibly assembled for an operation on constants */
  uint32_t line_file, line;
  uint32_t source; /* the file that the module's locations refer to; 0: none yet */
  NornSpirvId *ids;
  NornSpirvDecoration *decorations;
  uint32_t decoration_count, decoration_capacity;
  uint32_t glsl, trinary, debug;  /* ids of the extended sets */
  uint32_t scalars, instructions; /* so far */
  /* the entry point */
  uint32_t model, entry, entry_at;
  uint32_t local_size[3];
  uint32_t local_size_at;                          /* of OpExecutionModeId LocalSizeId, or 0 */
  uint32_t preserved_denormals, flushed_denormals; /* widths of floats, as bits */
  bool kills;                                      /* some invocations end before the shader does */
  bool is_exact;             /* the current instruction must be computed as written */
  uint32_t preserved_widths; /* float widths that preserve NaN, infinities and signs of zeros */
  bool has_invariants;       /* outputs that other shaders compute bit for bit in the same way */
  bool tests_early;          /* before the shader runs; the depth that it writes is ignored */
  bool has_shared_blocks;    /* workgroup memory has layouts */
  bool has_variable_pointers;
  uint32_t size_words[NORN_FAU_WORDS]; /* by the word of a buffer's address: the word of its size +
                                          1, 0: none */
  /* functions */
  NornSpirvFunction *functions;
  uint32_t function_count, function_capacity;
  /* the translation */
  NornModule *module;
  NornBuilder *builder;
  NornRef setup, block, exit; /* block: the one being filled, 0 after its end */
  NornSpirvReturn *returns;   /* of the function being translated */
  unsigned depth;
  NORN_LIST(NornSpirvRounded) rounded;
  uint32_t uniform_words, shared_bytes;
  GPtrArray *names;     /* of uniform words taken */
  GPtrArray *variables; /* NornSpirvVariable (interface.h) outside of functions */
  GArray *resources;    /* NornSpirvResource; each owns its name */
} NornSpirvReader;

/* --- Errors --- */

/* Counts work against the limits. False: reading has failed, maybe because of them. */
bool norn_spirv_continues(NornSpirvReader *reader, uint64_t work);

/* Records the error if it is the first: "FILE: word N: INSTRUCTION: ..." with the source line. */
void norn_spirv_fail(NornSpirvReader *reader, NornErrorCode code, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* Whether the text that begins at word k of the instruction ends inside the instruction. */
bool norn_spirv_check_text(NornSpirvReader *reader, uint32_t k);

#define norn_spirv_invalid(reader, ...) norn_spirv_fail(reader, NORN_ERROR_INVALID, __VA_ARGS__)
#define norn_spirv_unsupported(reader, ...)                                                        \
  norn_spirv_fail(reader, NORN_ERROR_UNSUPPORTED, __VA_ARGS__)

/* --- entry_point.c --- */

/* The stage of shaders of that execution model; false if they are not supported. */
bool norn_spirv_find_stage(uint32_t model, NornShaderStage *stage);

/* Reports that there is no entry point, or none with the requested name. */
void norn_spirv_refuse_entry(NornSpirvReader *reader);

void norn_spirv_read_entry_point(NornSpirvReader *reader);
void norn_spirv_read_execution_mode(NornSpirvReader *reader);

/* --- Words of the current instruction --- */

static inline void
norn_spirv_seek(NornSpirvReader *reader, uint32_t at) {
  reader->at = at;
  reader->inst = reader->words + at;
}

static inline unsigned
norn_spirv_opcode(const NornSpirvReader *reader) {
  return reader->inst[0] & 0xFFFF;
}

/* Number of words of the instruction. */
static inline uint32_t
norn_spirv_length(const NornSpirvReader *reader) {
  return reader->inst[0] >> 16;
}

/* Word k of the instruction; 0 with an error if it does not exist. */
uint32_t norn_spirv_word(NornSpirvReader *reader, uint32_t k);

/* The entry of the id in word k; that of id 0 with an error if it is not an id. */
NornSpirvId *norn_spirv_id(NornSpirvReader *reader, uint32_t k);
/* The same for an id by its number. */
NornSpirvId *norn_spirv_find(NornSpirvReader *reader, uint32_t id);

/* The text that begins at that word of the module, within its instruction, as checked before. */
const char *norn_spirv_text(const NornSpirvReader *reader, uint32_t at);

/* --- Decorations --- */

/* The decoration of an id, or of member `member` (NORN_SPIRV_NONE: the id itself); NULL: none. */
const NornSpirvDecoration *norn_spirv_decoration(const NornSpirvReader *reader, uint32_t id,
                                                 uint32_t member, SpvDecoration decoration);
bool norn_spirv_is_decorated(const NornSpirvReader *reader, uint32_t id, uint32_t member,
                             SpvDecoration decoration);
/* Moves the decorations of a structure's members to lists of their own: there may be many of both.
 */
void norn_spirv_decorate_members(NornSpirvReader *reader, NornSpirvType *type);
/* The number of that decoration, or `otherwise`. */
uint32_t norn_spirv_decorated(const NornSpirvReader *reader, uint32_t id, uint32_t member,
                              SpvDecoration decoration, uint32_t otherwise);

/* --- Types --- */

/* Records the type that the instruction declares. */
void norn_spirv_read_type(NornSpirvReader *reader);
/* Records that a pointer's type will be declared later. */
void norn_spirv_announce_pointer(NornSpirvReader *reader);
/* The type named by word k. */
const NornSpirvType *norn_spirv_type(NornSpirvReader *reader, uint32_t k);
/* The type that a pointer points to. */
const NornSpirvType *norn_spirv_pointee(NornSpirvReader *reader, const NornSpirvType *type);
/* Whether pointers of the type are also values, which can be selected and stored: those to storage
 * buffers and workgroup memory. */
bool norn_spirv_is_choosable(const NornSpirvType *type);
/* Whether these values are addresses. */
bool norn_spirv_has_addresses(const NornSpirvReader *reader, const NornSpirvType *type);
/* The type of element, column, component or member k. */
const NornSpirvType *norn_spirv_part(NornSpirvReader *reader, const NornSpirvType *type, uint32_t k,
                                     uint32_t *flat);
/* The number of scalars in a value of the type; 0 with an error if there are too many. */
uint32_t norn_spirv_flat(NornSpirvReader *reader, const NornSpirvType *type);
/* The index of the scalar of a value at that offset in packed memory. */
uint32_t norn_spirv_flat_at(const NornSpirvType *type, uint32_t offset);
/* The IR type of scalar k of a value. */
NornType norn_spirv_scalar_type(const NornSpirvType *type, uint32_t k);
/* The size of a scalar in packed memory, in bytes; see types.c. */
static inline uint32_t
norn_spirv_packed_bytes(NornType type) {
  return type == NORN_TYPE_I1 ? 4 : norn_type_bits(type) / 8;
}

/* --- Values --- */

/* Room for scalars, all of which are 0. Never NULL. */
NornRef *norn_spirv_new_refs(NornSpirvReader *reader, uint32_t count);
/* The scalars of the value named by word k; it is an error if their number is not `count`. */
const NornRef *norn_spirv_value(NornSpirvReader *reader, uint32_t k, uint32_t count);
/* The same, also returning the type. */
const NornRef *norn_spirv_any_value(NornSpirvReader *reader, uint32_t k,
                                    const NornSpirvType **type);
/* The scalars of an id and its type; NULL if it has no value. */
const NornRef *norn_spirv_refs(NornSpirvReader *reader, uint32_t id, const NornSpirvType **type);
/* The single scalar of the value named by word k. */
NornRef norn_spirv_scalar(NornSpirvReader *reader, uint32_t k);
/* The integer of any width named by word k that counts something small, such as a lane or a level,
 * as an i32. */
NornRef norn_spirv_word_scalar(NornSpirvReader *reader, uint32_t k);
/* Finds the number of a constant scalar; false if it is not constant. */
bool norn_spirv_constant_bits(const NornSpirvReader *reader, NornRef ref, uint64_t *bits);
/* Whether the current instruction, on floats of that type, may return anything for NaN and
 * infinities, and a zero of either sign for a zero. */
bool norn_spirv_is_finite(const NornSpirvReader *reader, NornType type);
/* The float, as the operand of an instruction that only moves bits of the IR: with
 * DenormFlushToZero, subnormal numbers become zeros of their sign. */
NornRef norn_spirv_flushed(NornSpirvReader *reader, NornType type, NornRef ref);
/* The number of word k, a constant; it is an error if it is not constant. */
uint64_t norn_spirv_constant(NornSpirvReader *reader, uint32_t k);
/* Defines the instruction's result as these scalars and names them after it; it is an error if its
 * type has a different number of scalars. */
void norn_spirv_define(NornSpirvReader *reader, NornRef *refs, uint32_t count);
/* The same for a result of one scalar, and for one that is a pointer. */
void norn_spirv_define_scalar(NornSpirvReader *reader, NornRef ref);
void norn_spirv_define_pointer(NornSpirvReader *reader, const NornSpirvPointer *pointer);

/* Builds an operation of the IR, or folds it if its operands are constants. */
NornRef norn_spirv_build(NornSpirvReader *reader, const NornInstSpec *spec);
/* The same for an operation without a source type. */
NornRef norn_spirv_op(NornSpirvReader *reader, NornOp op, unsigned modifier, NornType type,
                      const NornRef *operands, unsigned count);
static inline NornRef
norn_spirv_op1(NornSpirvReader *reader, NornOp op, NornType type, NornRef a) {
  return norn_spirv_op(reader, op, 0, type, &a, 1);
}
static inline NornRef
norn_spirv_op2(NornSpirvReader *reader, NornOp op, NornType type, NornRef a, NornRef b) {
  const NornRef operands[] = {a, b};
  return norn_spirv_op(reader, op, 0, type, operands, 2);
}
static inline NornRef
norn_spirv_op3(NornSpirvReader *reader, NornOp op, NornType type, NornRef a, NornRef b, NornRef c) {
  const NornRef operands[] = {a, b, c};
  return norn_spirv_op(reader, op, 0, type, operands, 3);
}
/* Compares two values of the type. */
NornRef norn_spirv_compare(NornSpirvReader *reader, NornOp op, unsigned condition, NornType type,
                           NornRef a, NornRef b);
/* An operation that turns a value of one type into one of another. */
NornRef norn_spirv_convert(NornSpirvReader *reader, NornOp op, unsigned modifier, NornType to,
                           NornType from, NornRef a);
/* Converts an integer to another width. */
NornRef norn_spirv_resize(NornSpirvReader *reader, NornType to, NornType from, bool is_signed,
                          NornRef a);
/* Constants; those of an integer type are truncated to it. */
NornRef norn_spirv_int(NornSpirvReader *reader, NornType type, uint64_t value);
NornRef norn_spirv_float(NornSpirvReader *reader, NornType type, double value);

/* Constants and specialization constants. */
void norn_spirv_read_constant(NornSpirvReader *reader);

/* --- Instructions --- */

/* Translates the current instruction, which computes something; an error if it is not supported. */
void norn_spirv_translate(NornSpirvReader *reader);
/* Translates an instruction that is a row: an operation of the IR with one or more operands. False
 * if it is not. */
bool norn_spirv_translate_row(NornSpirvReader *reader, unsigned opcode, uint32_t first);
/* GLSL.std.450. */
void norn_spirv_translate_glsl(NornSpirvReader *reader);
/* SPV_AMD_shader_trinary_minmax. */
void norn_spirv_translate_trinary(NornSpirvReader *reader);

/* The parts of norn_spirv_translate: a function for each row. */
#define HANDLER(name, function) void norn_spirv_read_##function(NornSpirvReader *reader);
#include "spirv/handlers.def"

/* Sets the location of what follows to that line of the source file whose name is the id `file`; 0:
 * unknown. */
void norn_spirv_set_line(NornSpirvReader *reader, uint32_t file, uint32_t line);

/* --- Functions --- */

/* Lists the functions of the module, starting with the first OpFunction. */
void norn_spirv_read_functions(NornSpirvReader *reader);
/* Translates the entry point. */
void norn_spirv_translate_entry(NornSpirvReader *reader);

/* Continues at the end of a block. */
void norn_spirv_go_to(NornSpirvReader *reader, NornRef block);

/* --- Validation --- */

/* Rejects modules in which SPIRV-Tools finds errors. */
bool norn_spirv_validate(NornSpirvReader *reader);

#endif
