/* The SSA core, as the library itself sees it.
 *
 * A function is a few arrays (instructions, values, operands, blocks, parameters) indexed by small
 * integers, so a pass walks memory in order and a reference takes 32 bits. Instructions, values,
 * operands and blocks are in pages that never move: a pointer returned by norn_inst and similar
 * functions stays valid as long as the function does. The instructions of a block form a doubly
 * linked list in program order. The operands of an instruction are consecutive in the operand
 * array, and so are the values it defines in the value array. There are no use lists: a pass that
 * replaces values enters them in a map and rewrites all operands once (ir/replacements.h).
 * Instructions are made with builders (ir/builder.h); the public builder is the same one.
 *
 * Invariants (checked by norn_module_verify): each value has one definition that dominates its
 * uses; each block ends in one terminator and contains no other; arguments match parameters in
 * number and type; the entry block is block_order[0] and has no predecessor.
 *
 * A machine instruction holds its modifiers and immediates in `payload`, as the bits of the encoded
 * word. Its operands are the register-like sources in text order; its results are the registers
 * that it writes. After allocation a value knows its first register. */
#ifndef NORN_IR_IR_H
#define NORN_IR_IR_H

#include "ir/arrays.h"
#include "ir/assert.h"
#include "ir/hash.h"
#include "ir/machine.h"
#include "ir/ops.h"
#include <norn/ir.h>
#include <norn/module.h>

#define NORN_REGISTER_NONE UINT16_MAX
/* Maximum number of invocations in a workgroup: what every driver of the hardware grants. */
#define NORN_WORKGROUP_LIMIT 1024

typedef struct NornInst {
  uint16_t op;  /* NornOp, or NORN_OP_MACHINE + instruction of the machine */
  uint8_t type; /* the T of the row; the type of the (first) result of a machine instruction */
  uint8_t source_type; /* the S of the row */
  uint8_t modifier;    /* value of the row's modifier enumeration */
  uint8_t origin;      /* NornOrigin: why it exists; has no effect */
  uint16_t operand_count;
  uint32_t operand; /* number of the first operand; the others follow it */
  uint32_t result;  /* first result; result_count of them */
  uint32_t previous, next, block;
  uint32_t line; /* of the source text, 0 if none */
  uint16_t result_count;
  uint16_t column;   /* of the source text, 0 if none */
  uint16_t flags;    /* NornInstFlags */
  NornRef *operands; /* see norn_operands, norn_inst_place_operands */
  uint64_t payload; /* generic: immediates (norn_immediate); machine: modifier and immediate bits */
  uint64_t reserved; /* 0; makes the size a power of 2, so that indexes scale by a shift */
} NornInst;
_Static_assert(!(sizeof(NornInst) & (sizeof(NornInst) - 1)), "the size is a power of 2");

typedef struct NornValue {
  uint32_t def;  /* instruction, or block for a parameter */
  uint32_t name; /* string of the module, 0 for none */
  uint8_t type;
  uint8_t is_parameter : 1;
  uint8_t is_divergent : 1;
  uint16_t index; /* index among the results or parameters */
  uint16_t reg;   /* first register after allocation, else NORN_REGISTER_NONE */
} NornValue;

typedef struct NornBlock {
  uint32_t first, last;                /* instructions; NORN_INDEX_NONE if empty */
  uint32_t parameter, parameter_count; /* index into the function's parameters */
  uint32_t name;
  uint32_t line;
} NornBlock;

struct NornFunction {
  NornModule *module;
  uint32_t name;
  NornPages insts, values, operands,
      blocks; /* see norn_inst, norn_value, norn_operands, norn_block */
  uint32_t inst_count, value_count, operand_count, block_count;
  uint32_t *parameters; /* values, one run for each block */
  uint32_t parameter_count, parameter_capacity;
  uint32_t *block_order; /* program order; deleted blocks are not in it */
  uint32_t block_order_count, block_order_capacity;
  uint8_t result_type; /* of a callable function; VOID for the shader itself */
  uint32_t line;
};

/* One `fau` declaration: `count` elements of a type, starting at word `word`. */
typedef struct NornFau {
  uint32_t name;
  uint8_t type;
  uint32_t word, count;
  uint32_t line, column; /* of the source text, 0 if none */
  bool is_noalias;       /* see norn_module_set_noalias */
  uint8_t alignment;     /* see norn_module_set_alignment; 0: no promise */
} NornFau;

static inline NornRef
norn_ref(NornRefKind kind, uint32_t payload) {
  NORN_ASSERT(payload <= 0x0FFFFFFF);
  return (uint32_t)kind << 28 | payload;
}

static inline NornRefKind
norn_ref_kind(NornRef ref) {
  return (NornRefKind)(ref >> 28 & 7);
}

static inline bool
norn_is_constant(NornRef ref) {
  return norn_ref_kind(ref) == NORN_REF_CONSTANT;
}

static inline bool
norn_are_constants(NornRef a, NornRef b) {
  return norn_is_constant(a) && norn_is_constant(b);
}

static inline uint32_t
norn_ref_payload(NornRef ref) {
  return ref & 0x0FFFFFFF;
}

#define NORN_REF_LAST_USE (1u << 31)

typedef struct NornStringSlot {
  uint32_t hash, string; /* string 0: free */
} NornStringSlot;

/* Strings of the module, each stored once. String 0 is "no string". */
typedef struct NornStrings {
  char *text;
  uint32_t text_size, text_capacity;
  uint32_t *offsets; /* of string i, then of the end; each string ends in a zero byte */
  uint32_t count, capacity;
  NornStringSlot *slots; /* a hash table, see ir/module.c */
  uint32_t group_mask;
  uint64_t seed; /* of the hashes, so that no text can be constructed whose strings all have the
                    same hash */
} NornStrings;

/* The constant pool: each bit pattern is stored once. */
typedef struct NornConstants {
  uint64_t *bits;
  uint32_t count, capacity;
  uint32_t *slots; /* open addressing; constant + 1, 0 = free */
  uint32_t slot_mask;
} NornConstants;

struct NornModule {
  char *filename; /* used in error messages; never NULL */
  NornShaderStage stage;
  uint32_t name;
  uint32_t workgroup[3];
  uint32_t grid_limit;   /* maximum number of workgroups along an axis; 0: unknown */
  uint32_t shared_size;  /* bytes of workgroup memory */
  uint32_t scratch_size; /* bytes of thread-local memory of an invocation */
  NornDenormals denormals;
  NornRound rounding;
  bool tests_early;    /* runs the depth and stencil tests before the fragment shader in any case */
  bool runs_by_sample; /* runs a fragment shader per sample, whether it reads anything per sample or
                          not */
  const NornMachine *machine; /* NULL if there is no target */
  NornFau *faus;
  uint32_t fau_count, fau_capacity;
  NornFunction **functions; /* functions[0] is the shader itself */
  uint32_t function_count, function_capacity;
  NornStrings strings;
  NornConstants constants;
  uint8_t *data; /* constant data, whole words */
  uint32_t data_size, data_capacity;
  char *fault; /* what a builder could not represent; NULL if nothing */
  /* Whether the module is known to be valid: it was verified by its creator and has had no chance
   * to change since. */
  bool is_verified;
};

static inline NornInst *
norn_inst(const NornFunction *function, uint32_t inst) {
  NORN_ASSERT(inst < function->inst_count);
  return norn_pages_at(&function->insts, inst, sizeof(NornInst));
}
static inline NornValue *
norn_value(const NornFunction *function, uint32_t value) {
  NORN_ASSERT(value < function->value_count);
  return norn_pages_at(&function->values, value, sizeof(NornValue));
}
static inline NornBlock *
norn_block(const NornFunction *function, uint32_t block) {
  NORN_ASSERT(block < function->block_count);
  return norn_pages_at(&function->blocks, block, sizeof(NornBlock));
}
/* Adds an instruction and returns its index; the fields are not initialized. */
static inline uint32_t
norn_inst_add(NornFunction *function) {
  if (function->inst_count == function->insts.capacity)
    norn_pages_grow(&function->insts, 1, sizeof(NornInst));
  return function->inst_count++;
}
/* The operand with this index; the operands of an instruction are consecutive in memory. */
static inline NornRef *
norn_operand_at(const NornFunction *function, uint32_t operand) {
  NORN_ASSERT(operand <= function->operand_count && operand < function->operands.capacity);
  return norn_pages_at(&function->operands, operand, sizeof(NornRef));
}
static inline NornRef *
norn_operands(const NornFunction *function, const NornInst *inst) {
  NORN_ASSERT(!inst->operand_count || inst->operands == norn_operand_at(function, inst->operand));
  (void)function;
  return inst->operands;
}
/* Makes the instruction's operands start at index `first`. */
static inline void
norn_inst_place_operands(const NornFunction *function, NornInst *inst, uint32_t first) {
  inst->operand = first;
  inst->operands = norn_operand_at(function, first);
}

/* A use of a value, that is, an operand that is a value. */
typedef struct NornUse {
  const NornRef *next, *end; /* operands not visited yet */
  uint32_t value;
} NornUse;

static inline NornUse
norn_uses_begin(const NornFunction *function, const NornInst *inst) {
  const NornRef *operands = norn_operands(function, inst);
  return (NornUse){operands, operands + inst->operand_count, NORN_INDEX_NONE};
}

/* Advances to the next use; false if there is none. */
static inline bool
norn_next_use(NornUse *use) {
  while (use->next < use->end) {
    NornRef ref = *use->next++;
    use->value = norn_ref_payload(ref);
    if (norn_ref_kind(ref) == NORN_REF_VALUE)
      return true;
  }
  return false;
}

/* Walks over the values that an instruction uses, in the order of its operands. */
#define norn_for_each_use(function, inst, use)                                                     \
  for (NornUse use = norn_uses_begin(function, inst); norn_next_use(&use);)

static inline uint32_t
norn_defining_block(const NornFunction *function, uint32_t value) {
  const NornValue *self = norn_value(function, value);
  return self->is_parameter ? self->def : norn_inst(function, self->def)->block;
}
/* The instruction that defines `ref`; NULL if it is a parameter or not a value. */
static inline NornInst *
norn_defining_inst(const NornFunction *function, NornRef ref) {
  if (norn_ref_kind(ref) != NORN_REF_VALUE)
    return NULL;
  const NornValue *self = norn_value(function, norn_ref_payload(ref));
  return self->is_parameter ? NULL : norn_inst(function, self->def);
}

/* Whether any result is acceptable if an operand or the result is NaN or infinite, and a zero
 * result may have either sign. */
static inline bool
norn_inst_is_finite(const NornInst *inst) {
  const unsigned promises = NORN_INST_NSZ | NORN_INST_NINF | NORN_INST_NNAN;
  return inst->flags & NORN_INST_FINITE || (inst->flags & promises) == promises;
}

/* Whether the result may be computed in a different way, such as in a different order, and thus be
 * rounded differently, provided the options allow contraction. */
static inline bool
norn_inst_may_reassociate(const NornInst *inst) {
  return norn_inst_is_finite(inst) && !(inst->flags & NORN_INST_EXACT);
}

/* Whether the instruction reads only constants and uniforms, or nothing. */
static inline bool
norn_reads_no_value(const NornFunction *function, const NornInst *inst) {
  const NornRef *operands = norn_operands(function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRefKind kind = norn_ref_kind(operands[k]);
    if (kind != NORN_REF_CONSTANT && kind != NORN_REF_UNIFORM)
      return false;
  }
  return true;
}

#define norn_for_each_inst(function, block_index, index)                                           \
  for (const NornInst *index##_at = NULL, *index##_once = (const NornInst *)(function);            \
       index##_once; index##_once = NULL)                                                          \
    for (uint32_t index = norn_block(function, block_index)->first;                                \
         index != NORN_INDEX_NONE && (index##_at = norn_inst(function, index), true);              \
         index = index##_at->next)

#define norn_for_each_block(function, index)                                                       \
  for (uint32_t index##_order = 0, index = NORN_INDEX_NONE;                                        \
       index##_order < (function)->block_order_count &&                                            \
       (index = (function)->block_order[index##_order], true);                                     \
       index##_order++)

/* This many bytes after the end of the module's strings are readable, so that short strings can be
 * copied without checking their length. */
#define NORN_STRING_SLACK 16

/* The number of the string, which is added if it is new. */
uint32_t norn_intern(NornModule *module, const char *text, size_t length);
/* Makes room for that many strings. */
void norn_reserve_strings(NornModule *module, uint32_t count);
/* The number of the string if it exists, else 0. */
uint32_t norn_find_string(const NornModule *module, const char *text, size_t length);
/* The text of the string, terminated by a zero byte; valid until the next string is added. */
static inline const char *
norn_string(const NornModule *module, uint32_t string) {
  return module->strings.text + module->strings.offsets[string];
}
static inline uint32_t
norn_string_length(const NornModule *module, uint32_t string) {
  const NornStrings *strings = &module->strings;
  return strings->offsets[string + 1] - strings->offsets[string] - 1;
}

/* The reference of a constant with these raw bits, zero-extended from the type's width. */
NornRef norn_constant(NornModule *module, uint64_t bits);
static inline uint64_t
norn_constant_bits(const NornModule *module, NornRef ref) {
  NORN_ASSERT(norn_ref_payload(ref) < module->constants.count);
  return module->constants.bits[norn_ref_payload(ref)];
}

/* The 16-bit float constant equal to a 32-bit float constant; 0 if there is none. */
NornRef norn_half_constant(NornModule *module, NornRef ref);

/* The declaration that has an element starting at that uniform word, or NULL. */
NornFau *norn_module_fau_at(const NornModule *module, unsigned word);

/* The first uniform word after all those declared or read. */
unsigned norn_module_uniform_words(const NornModule *module);

/* The offset of constant data after this many bytes of code. The zeros between them are required by
 * the hardware, which may fetch past the end of the code. */
static inline uint32_t
norn_data_offset(uint64_t code_bytes) {
  enum { ZEROS = 16, ALIGNMENT = 128 };
  return (uint32_t)((code_bytes + ZEROS + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1));
}

/* Appends bytes to the constant data, padded with zeros to a whole word. False if there is no room.
 */
bool norn_module_append_data(NornModule *module, const void *bytes, size_t size);

/* Whether any instruction of the function, which is machine code, computes the address of constant
 * data. */
bool norn_function_reads_data(const NornFunction *function);

/* Empties the constant pool. Returns its former contents, by number; the caller frees them. */
uint64_t *norn_module_take_constants(NornModule *module);

/* Renumbers values, instructions, blocks and constants in the order in which the text of the
 * module, which must be valid, names them. All external references are invalidated. */
void norn_module_renumber(NornModule *module);
/* Does the same for one function, except for the constants. */
void norn_function_renumber(NornFunction *function);

/* The memory that the module takes, in bytes. */
uint64_t norn_module_memory(const NornModule *module);

/* Makes a copy with the same indexes, which is not in the module's list; and frees a function. */
NornFunction *norn_function_copy(const NornFunction *function);
void norn_function_free(NornFunction *function); /* nullable */

/* Appends an empty function. */
NornFunction *norn_function_create(NornModule *module, uint32_t name, NornType result_type);
/* Frees function `index` of the module and closes the gap. */
void norn_function_remove(NornModule *module, uint32_t index);

/* Creates a block with that name (a string of the module, or 0) at the end of the order, or in no
 * order yet (norn_block_append puts it at the end). */
uint32_t norn_block_create(NornFunction *function, uint32_t name);
uint32_t norn_block_create_detached(NornFunction *function, uint32_t name);
void norn_block_append(NornFunction *function, uint32_t block);
/* Sets the order of the blocks to that of the list. */
void norn_blocks_order(NornFunction *function, const uint32_t *blocks, uint32_t count);
/* Removes the blocks for which `remove[block]` is true from the order and deletes their
 * instructions. */
void norn_blocks_remove(NornFunction *function, const bool *remove);
/* Removes all other blocks than those for which `keep[block]` is true. Returns whether there were
 * any. */
bool norn_blocks_keep(NornFunction *function, const bool *keep);
/* Marks the reachable blocks, and counts for each block the edges to it from reachable blocks. Both
 * arrays are by block and initially zero; `stack` has room for every block. */
void norn_blocks_mark_reachable(const NornFunction *function, bool *is_reachable,
                                uint32_t *incoming, uint32_t *stack);
/* Moves instruction `inst` and all that follow it in its block to the end of block `to`. */
void norn_block_split(NornFunction *function, uint32_t inst, uint32_t to);

/* Parameter k of a block, a value. */
static inline uint32_t
norn_block_parameter(const NornFunction *function, uint32_t block, unsigned k) {
  NORN_ASSERT(block < function->block_count && k < norn_block(function, block)->parameter_count);
  return function->parameters[norn_block(function, block)->parameter + k];
}
/* Appends a parameter and returns its value. The caller updates the predecessors' arguments. */
uint32_t norn_block_add_parameter(NornFunction *function, uint32_t block, NornType type,
                                  uint32_t name);
/* Creates a value that will become a parameter; and appends such values to a block. */
uint32_t norn_parameter_create(NornFunction *function, NornType type);
void norn_block_append_parameters(NornFunction *function, uint32_t block, const uint32_t *values,
                                  unsigned count);
/* Removes parameter k; later ones move up by one. */
void norn_block_remove_parameter(NornFunction *function, uint32_t block, unsigned k);

/* An outgoing edge of a terminator, in operand order. Start with a zeroed edge. */
typedef struct NornEdge {
  uint32_t block;          /* the target */
  uint32_t operand;        /* index of the terminator's operand that names the block */
  uint32_t argument_count; /* its arguments are the operands after that one */
  uint32_t next;           /* for the iteration */
} NornEdge;

/* Removes the instruction from its block and deletes it (op = NORN_OP_NONE). */
void norn_inst_erase(NornFunction *function, uint32_t inst);
/* Changes the instruction into another operation with the same type, results, location and flags
 * (except NORN_INST_NOWRAP), without modifier and source type. `operands` may be those of an
 * instruction. */
void norn_inst_become(NornFunction *function, uint32_t inst, uint16_t op, uint64_t payload,
                      const NornRef *operands, unsigned count);
/* Changes a terminator into a jump along one of its edges. */
void norn_inst_become_jump(NornFunction *function, uint32_t inst, const NornEdge *edge);
/* Replaces all operands; `operands` may be those of an instruction. */
void norn_inst_set_operands(NornFunction *function, uint32_t inst, const NornRef *operands,
                            unsigned count);
/* Changes the number of operands; existing ones stay, new ones are zero. */
void norn_inst_resize_operands(NornFunction *function, uint32_t inst, unsigned count);
/* Replaces `removed` operands from `first` on by `count` others. */
void norn_inst_splice_operands(NornFunction *function, uint32_t inst, unsigned first,
                               unsigned removed, const NornRef *operands, unsigned count);

static inline NornRef
norn_operand(const NornFunction *function, uint32_t inst, unsigned k) {
  NORN_ASSERT(inst < function->inst_count && k < norn_inst(function, inst)->operand_count);
  return norn_operands(function, norn_inst(function, inst))[k];
}
static inline void
norn_set_operand(NornFunction *function, uint32_t inst, unsigned k, NornRef ref) {
  NORN_ASSERT(inst < function->inst_count && k < norn_inst(function, inst)->operand_count);
  norn_operands(function, norn_inst(function, inst))[k] = ref;
}
static inline NornRef
norn_result(const NornFunction *function, uint32_t inst, unsigned k) {
  NORN_ASSERT(inst < function->inst_count && k < norn_inst(function, inst)->result_count);
  return norn_ref(NORN_REF_VALUE, norn_inst(function, inst)->result + k);
}

/* Moves the name of value `from` to `to` if that is a value without a name. */
void norn_move_name(NornFunction *function, NornRef to, uint32_t from);

static inline bool
norn_is_machine(const NornInst *inst) {
  return inst->op >= NORN_OP_MACHINE;
}

bool norn_is_machine_terminator(const NornFunction *function, const NornInst *inst);

static inline bool
norn_is_terminator(const NornFunction *function, const NornInst *inst) {
  return norn_is_machine(inst) ? norn_is_machine_terminator(function, inst)
                               : norn_ops[inst->op].flags & NORN_OP_TERMINATOR;
}

/* The terminator of the block: its last instruction if that is a terminator, else NORN_INDEX_NONE.
 */
static inline uint32_t
norn_block_terminator(const NornFunction *function, uint32_t block) {
  uint32_t last = norn_block(function, block)->last;
  bool is_one = last != NORN_INDEX_NONE && norn_is_terminator(function, norn_inst(function, last));
  return is_one ? last : NORN_INDEX_NONE;
}

/* Advances to the terminator's next edge; false if there is none. */
static inline bool
norn_next_edge(const NornFunction *function, uint32_t inst, NornEdge *edge) {
  const NornInst *self = norn_inst(function, inst);
  const NornRef *operands = norn_operands(function, self);
  uint32_t count = self->operand_count, k = edge->next;
  while (k < count && norn_ref_kind(operands[k]) != NORN_REF_BLOCK)
    k++;
  if (k >= count)
    return false;
  edge->block = norn_ref_payload(operands[k]);
  edge->operand = k++;
  if (self->op == NORN_OP_JUMP)
    k = count;
  while (k < count && norn_ref_kind(operands[k]) != NORN_REF_BLOCK)
    k++;
  edge->next = k;
  edge->argument_count = k - edge->operand - 1;
  /* The operand right before the block of a case is the case's value. */
  if (self->op == NORN_OP_SWITCH && k < count && edge->argument_count)
    edge->argument_count--;
  return true;
}

#define norn_for_each_edge(function, inst, edge)                                                   \
  for (NornEdge edge = {0}; norn_next_edge(function, inst, &edge);)

/* Edge `k` of the terminator. */
static inline NornEdge
norn_edge_of(const NornFunction *function, uint32_t inst, unsigned k) {
  NornEdge edge = {0};
  do
    norn_next_edge(function, inst, &edge);
  while (k-- > 0);
  return edge;
}

/* Both edges of a branch. */
static inline void
norn_edges_of(const NornFunction *function, uint32_t branch, NornEdge edges[2]) {
  edges[0] = norn_edge_of(function, branch, 0);
  edges[1] = edges[0];
  norn_next_edge(function, branch, &edges[1]);
}

/* Creates a block for an edge, which jumps on with the edge's arguments. The block is in no order
 * yet. */
uint32_t norn_edge_split(NornFunction *function, uint32_t inst, const NornEdge *edge);

/* The shape of a machine instruction, according to the module's machine. */
void norn_inst_shape(const NornModule *module, const NornInst *inst, NornMachineShape *shape);

/* Whether the function contains an instruction for which the predicate holds. */
static inline bool
norn_function_has(const NornFunction *function, bool (*is_wanted)(const NornInst *inst)) {
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index)
      if (is_wanted(norn_inst(function, index)))
        return true;
  return false;
}

/* norn_has_effect for machine instructions. */
bool norn_machine_has_effect(const NornFunction *function, const NornInst *inst);

/* Whether the instruction does anything besides computing its results; if not, it can be removed
 * when they are unused. */
static inline bool
norn_has_effect(const NornFunction *function, const NornInst *inst) {
  const uint64_t effects = NORN_OP_WRITES_MEMORY | NORN_OP_ORDERS | NORN_OP_TERMINATOR;
  return norn_is_machine(inst) ? norn_machine_has_effect(function, inst)
                               : !inst->result_count || norn_ops[inst->op].flags & effects;
}

/* The letters of a generic instruction's operands and results. */
static inline NornSignatureCursor
norn_inst_operands(const NornInst *inst) {
  return norn_operand_cursor(inst->op, inst->type, inst->source_type);
}
static inline NornSignatureCursor
norn_inst_results(const NornInst *inst) {
  return norn_result_cursor(inst->op, inst->type, inst->source_type);
}

/* The type of result k of a generic instruction. */
NornType norn_result_type(const NornInst *inst, unsigned k);

#define NORN_PLAIN_OPERANDS 4

/* The meaning of the letters of most rows: a fixed number of typed operands and at most one result.
 */
typedef struct NornSignature {
  bool is_plain; /* whether the row is like that; if not, the rest is 0 */
  uint8_t operand_count, result_count, result_type;
  uint8_t operand_types[NORN_PLAIN_OPERANDS];
} NornSignature;

/* The signature of an operation; types that its row does not use are ignored. */
NornSignature norn_signature(NornOp op, NornType type, NornType source_type);

/* Operation, types and modifier in one number, for caches; and its slot in a cache of
 * NORN_FORM_SLOTS. */
#define NORN_FORM_SLOTS 256
static inline uint64_t
norn_form_key(const NornInst *inst) {
  /* In the order of the fields, so that this can be a single load. */
  return inst->op | (uint64_t)inst->type << 16 | (uint64_t)inst->source_type << 24 |
         (uint64_t)inst->modifier << 32;
}
static inline unsigned
norn_form_slot(uint64_t key) {
  return (unsigned)(key * NORN_HASH_FACTOR >> 56);
}

/* The type that operand k must have: determined by the row's signature for a generic instruction;
 * that of the parameter for a block argument; VOID for a block and where any type fits; a type with
 * the right number of words for a machine instruction. */
NornType norn_operand_type(const NornFunction *function, uint32_t inst, unsigned k);

/* The type of parameter k of a block; VOID if there is none. */
NornType norn_parameter_type(const NornFunction *function, uint32_t block, unsigned k);

#endif
