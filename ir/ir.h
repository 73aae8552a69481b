/* The SSA core, as the library's own rooms see it.
 *
 * A function is a few arrays (instructions, values, operands, blocks, parameters) indexed by small
 * integers, so a pass walks memory in order and a reference is 32 bits. Instructions, values,
 * operands and blocks lie in pages that never move: a pointer that norn_inst and its like return
 * stays valid as long as the function does. Instructions of a block form a doubly linked list in
 * program order; operands of an instruction are consecutive in the operand array, so are the values
 * it defines in the value array. There are no use lists: a pass that replaces values enters them in
 * a map and rewrites all operands once (ir/replacements.h). Instructions are made by builders
 * (ir/builder.h), of which the public one is the same.
 *
 * Invariants (norn_module_verify checks them): each value has one definition that dominates its
 * uses; each block ends in one terminator and has no other; arguments match parameters in count and
 * type; the entry block is block_order[0] and has no predecessor.
 *
 * A machine instruction holds its modifiers and immediates in `payload`, as the bits that the
 * encoded word will have; its operands are the register-like sources in text order, its results the
 * registers it writes. After allocation a value knows its first register. */
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
/* Invocations that a workgroup may have: what every driver of the hardware grants. */
#define NORN_WORKGROUP_LIMIT 1024

typedef struct NornInst {
  uint16_t op;  /* NornOp, or NORN_OP_MACHINE + instruction of the machine */
  uint8_t type; /* the T of the row; the type of the (first) result of a machine instruction */
  uint8_t source_type; /* the S of the row */
  uint8_t modifier;    /* value of the row's modifier enumeration */
  uint8_t flags;
  uint16_t operand_count;
  uint32_t operand; /* number of the first operand, from which the others count on */
  uint32_t result;  /* first result; result_count of them */
  uint32_t previous, next, block;
  uint32_t line; /* of the source text, 0 if none */
  uint16_t result_count;
  uint16_t column;   /* of the source text, 0 if none */
  uint8_t origin;    /* NornOrigin: why it is there; of no consequence */
  NornRef *operands; /* see norn_operands, norn_inst_place_operands */
  uint64_t payload; /* generic: immediates (norn_immediate); machine: modifier and immediate bits */
  uint64_t reserved; /* 0; makes the size a power of 2, so that numbers become places by a shift */
} NornInst;
_Static_assert(!(sizeof(NornInst) & (sizeof(NornInst) - 1)), "the size is a power of 2");

typedef struct NornValue {
  uint32_t def;  /* instruction, or block for a parameter */
  uint32_t name; /* string of the module, 0 for none */
  uint8_t type;
  uint8_t is_parameter : 1;
  uint8_t is_divergent : 1;
  uint16_t index; /* which result or parameter */
  uint16_t reg;   /* first register after allocation, else NORN_REGISTER_NONE */
} NornValue;

typedef struct NornBlock {
  uint32_t first, last;                /* instructions; NORN_INDEX_NONE if empty */
  uint32_t parameter, parameter_count; /* into the function's parameters */
  uint32_t name;
  uint32_t line;
} NornBlock;

struct NornFunction {
  NornModule *module;
  uint32_t name;
  NornPages insts, values, operands,
      blocks; /* see norn_inst, norn_value, norn_operands, norn_block */
  uint32_t inst_count, value_count, operand_count, block_count;
  uint32_t *parameters; /* values, a run of them for each block */
  uint32_t parameter_count, parameter_capacity;
  uint32_t *block_order; /* program order; deleted blocks are not in it */
  uint32_t block_order_count, block_order_capacity;
  uint8_t result_type; /* of a callable function; VOID for the entry */
  uint32_t line;
};

/* One `fau` declaration: `count` elements of a type from word `word` on. */
typedef struct NornFau {
  uint32_t name;
  uint8_t type;
  uint32_t word, count;
  uint32_t line, column; /* of the source text, 0 if none */
  bool is_noalias;       /* see norn_module_set_noalias */
  uint8_t alignment;     /* see norn_module_set_alignment; 0: nothing is promised */
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

/* Strings of the module, each held once. String 0 is "no string". */
typedef struct NornStrings {
  char *text;
  uint32_t text_size, text_capacity;
  uint32_t *offsets; /* of string i, and of the end; each ends in a zero byte */
  uint32_t count, capacity;
  NornStringSlot *slots; /* a hash table, see ir/module.c */
  uint32_t group_mask;
  uint64_t seed; /* of the hashes, so that no text can be made to have only equal ones */
} NornStrings;

/* The constant pool: each pattern of bits once. */
typedef struct NornConstants {
  uint64_t *bits;
  uint32_t count, capacity;
  uint32_t *slots; /* open addressing; constant + 1, 0 = free */
  uint32_t slot_mask;
} NornConstants;

struct NornModule {
  char *filename; /* error messages name it; never NULL */
  NornShaderStage stage;
  uint32_t name;
  uint32_t workgroup[3];
  uint32_t grid_limit;   /* most workgroups along an axis; 0: not known */
  uint32_t shared_size;  /* bytes of workgroup memory */
  uint32_t scratch_size; /* bytes of thread-local memory of an invocation */
  NornDenormals denormals;
  NornRound rounding;
  bool tests_early;           /* depth and stencil before a fragment, whatever it does */
  bool runs_by_sample;        /* a fragment shader, whether it reads anything of a sample or not */
  const NornMachine *machine; /* NULL while there is no target */
  NornFau *faus;
  uint32_t fau_count, fau_capacity;
  NornFunction **functions; /* functions[0] is the shader itself */
  uint32_t function_count, function_capacity;
  NornStrings strings;
  NornConstants constants;
  uint8_t *data; /* constant data, whole words */
  uint32_t data_size, data_capacity;
  char *fault; /* what a builder could not hold; NULL if nothing */
  /* It keeps the rules: verified by who made it, and nothing has had a way to change it since. */
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
/* The index of a further instruction, whose fields are still to be set. */
static inline uint32_t
norn_inst_add(NornFunction *function) {
  if (function->inst_count == function->insts.capacity)
    norn_pages_grow(&function->insts, 1, sizeof(NornInst));
  return function->inst_count++;
}
/* The operand with an index of its own; those of an instruction are consecutive in memory. */
static inline NornRef *
norn_operand_at(const NornFunction *function, uint32_t operand) {
  NORN_ASSERT(operand <= function->operand_count && operand < function->operands.capacity);
  return norn_pages_at(&function->operands, operand, sizeof(NornRef));
}
/* The operands of an instruction. */
static inline NornRef *
norn_operands(const NornFunction *function, const NornInst *inst) {
  NORN_ASSERT(!inst->operand_count || inst->operands == norn_operand_at(function, inst->operand));
  (void)function;
  return inst->operands;
}
/* The operands of the instruction begin at that number. */
static inline void
norn_inst_place_operands(const NornFunction *function, NornInst *inst, uint32_t first) {
  inst->operand = first;
  inst->operands = norn_operand_at(function, first);
}

/* A use of a value: an operand that is one. */
typedef struct NornUse {
  const NornRef *next, *end; /* operands that have not been looked at */
  uint32_t value;
} NornUse;

static inline NornUse
norn_uses_begin(const NornFunction *function, const NornInst *inst) {
  const NornRef *operands = norn_operands(function, inst);
  return (NornUse){operands, operands + inst->operand_count, NORN_INDEX_NONE};
}

/* Goes on to the next use; false: there is none. */
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

/* The block that defines the value. */
static inline uint32_t
norn_defining_block(const NornFunction *function, uint32_t value) {
  const NornValue *self = norn_value(function, value);
  return self->is_parameter ? self->def : norn_inst(function, self->def)->block;
}
/* The instruction that defines what `ref` names; NULL if that is a parameter or no value. */
static inline NornInst *
norn_defining_inst(const NornFunction *function, NornRef ref) {
  if (norn_ref_kind(ref) != NORN_REF_VALUE)
    return NULL;
  const NornValue *self = norn_value(function, norn_ref_payload(ref));
  return self->is_parameter ? NULL : norn_inst(function, self->def);
}

/* Whether any result is right where NaN or infinities go in or come out, and a zero of either sign.
 */
static inline bool
norn_inst_is_finite(const NornInst *inst) {
  const unsigned promises = NORN_INST_NSZ | NORN_INST_NINF | NORN_INST_NNAN;
  return inst->flags & NORN_INST_FINITE || (inst->flags & promises) == promises;
}

/* Whether it may be computed in another way, such as in another order, and so be rounded otherwise;
 * where the options allow to contract. */
static inline bool
norn_inst_may_reassociate(const NornInst *inst) {
  return norn_inst_is_finite(inst) && !(inst->flags & NORN_INST_EXACT);
}

/* Whether the instruction reads constants and uniforms alone, or nothing. */
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

/* So many bytes after the end of the module's strings may be read, which lets short ones be copied
 * without looking at their length. */
#define NORN_STRING_SLACK 16

/* The number of the string, entering it if it is new. */
uint32_t norn_intern(NornModule *module, const char *text, size_t length);
/* Makes room for that many strings. */
void norn_reserve_strings(NornModule *module, uint32_t count);
/* Its number if it is there, else 0. */
uint32_t norn_find_string(const NornModule *module, const char *text, size_t length);
/* Its text, ending in a zero byte; valid until the next string is entered. */
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

/* The constant 16-bit float that is the same number as a constant 32-bit one; 0: there is none. */
NornRef norn_half_constant(NornModule *module, NornRef ref);

/* The declaration that has an element at that uniform word, or NULL. */
NornFau *norn_module_fau_at(const NornModule *module, unsigned word);

/* The first uniform word after all that are declared or read. */
unsigned norn_module_uniform_words(const NornModule *module);

/* Where constant data begins behind so many bytes of code: after the zeros that hardware asks for
 * behind code, which it may fetch. */
static inline uint32_t
norn_data_offset(uint64_t code_bytes) {
  enum { ZEROS = 16, ALIGNMENT = 128 };
  return (uint32_t)((code_bytes + ZEROS + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1));
}

/* Appends bytes to the constant data, and zeros up to a whole word. False if there is no room. */
bool norn_module_append_data(NornModule *module, const void *bytes, size_t size);

/* Whether an instruction of the function, machine code, is the address of constant data. */
bool norn_function_reads_data(const NornFunction *function);

/* Empties the constant pool. Returns the bits that it had, by number; the caller frees them. */
uint64_t *norn_module_take_constants(NornModule *module);

/* Numbers values, instructions, blocks and constants anew, in the order in which the text of the
 * module, which is valid, names them. All references from outside are void. */
void norn_module_renumber(NornModule *module);
/* The same for one function, but for the constants. */
void norn_function_renumber(NornFunction *function);

/* Bytes that the module takes. */
uint64_t norn_module_memory(const NornModule *module);

/* A copy with the same indexes, which belongs to no list of the module; and its end. */
NornFunction *norn_function_copy(const NornFunction *function);
void norn_function_free(NornFunction *function); /* nullable */

/* Appends an empty function. */
NornFunction *norn_function_create(NornModule *module, uint32_t name, NornType result_type);
/* Frees function `index` of the module and closes the gap. */
void norn_function_remove(NornModule *module, uint32_t index);

/* A new block with that name (a string of the module or 0) at the end of the order, or in no order
 * yet (norn_block_append puts it at the end). */
uint32_t norn_block_create(NornFunction *function, uint32_t name);
uint32_t norn_block_create_detached(NornFunction *function, uint32_t name);
void norn_block_append(NornFunction *function, uint32_t block);
/* Makes the order that of the list. */
void norn_blocks_order(NornFunction *function, const uint32_t *blocks, uint32_t count);
/* Takes the blocks for which `remove[block]` holds out of the order and deletes their instructions.
 */
void norn_blocks_remove(NornFunction *function, const bool *remove);
/* Marks the blocks that a path from the first one leads to, and counts the edges into each that
 * leave such blocks. Both arrays are by block and zero before; `stack` has room for every block. */
void norn_blocks_mark_reachable(const NornFunction *function, bool *is_reachable,
                                uint32_t *incoming, uint32_t *stack);
/* Moves instruction `inst` and all that follow it to the end of block `to`. */
void norn_block_split(NornFunction *function, uint32_t inst, uint32_t to);

/* Parameter k of a block, a value. */
static inline uint32_t
norn_block_parameter(const NornFunction *function, uint32_t block, unsigned k) {
  NORN_ASSERT(block < function->block_count && k < norn_block(function, block)->parameter_count);
  return function->parameters[norn_block(function, block)->parameter + k];
}
/* Appends a parameter and returns its value. The predecessors' arguments are the caller's business.
 */
uint32_t norn_block_add_parameter(NornFunction *function, uint32_t block, NornType type,
                                  uint32_t name);
/* A value that is yet to become a parameter; and appends such values to a block. */
uint32_t norn_parameter_create(NornFunction *function, NornType type);
void norn_block_append_parameters(NornFunction *function, uint32_t block, const uint32_t *values,
                                  unsigned count);
/* Drops parameter k; later ones move up by one. */
void norn_block_remove_parameter(NornFunction *function, uint32_t block, unsigned k);

/* The outgoing edges of a terminator, in operand order. Start with an edge of zeros. */
typedef struct NornEdge {
  uint32_t block;          /* where it goes */
  uint32_t operand;        /* which operand of the terminator names the block */
  uint32_t argument_count; /* the operands after that are its arguments */
  uint32_t next;           /* for the iteration */
} NornEdge;

/* Takes the instruction out of its block and deletes it (op = NORN_OP_NONE). */
void norn_inst_erase(NornFunction *function, uint32_t inst);
/* Makes the instruction another operation with the same type, results, location and flags, without
 * modifier and source type. `operands` may be those of an instruction. */
void norn_inst_become(NornFunction *function, uint32_t inst, uint16_t op, uint64_t payload,
                      const NornRef *operands, unsigned count);
/* Makes a terminator a jump along one of its edges. */
void norn_inst_become_jump(NornFunction *function, uint32_t inst, const NornEdge *edge);
/* Replaces all operands; `operands` may be those of an instruction. */
void norn_inst_set_operands(NornFunction *function, uint32_t inst, const NornRef *operands,
                            unsigned count);
/* Changes how many operands there are; the first ones stay, new ones are zero. */
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

/* Gives the name of value `from` to `to`, if that is a value without a name. */
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

/* The block's terminator: its last instruction if that is one, else NORN_INDEX_NONE. */
static inline uint32_t
norn_block_terminator(const NornFunction *function, uint32_t block) {
  uint32_t last = norn_block(function, block)->last;
  bool is_one = last != NORN_INDEX_NONE && norn_is_terminator(function, norn_inst(function, last));
  return is_one ? last : NORN_INDEX_NONE;
}

/* Goes on to the terminator's next edge; false: there is none. */
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
  /* What stands right before the block of a case is the case's value. */
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

/* A block of its own for an edge: it jumps on with the edge's arguments. It is in no order yet. */
uint32_t norn_edge_split(NornFunction *function, uint32_t inst, const NornEdge *edge);

/* What a module's machine says of the machine instruction's shape. */
void norn_inst_shape(const NornModule *module, const NornInst *inst, NornMachineShape *shape);

/* Whether the function has such an instruction. */
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

/* Whether the instruction does anything besides computing its results: if not it can go where
 * nothing uses them. */
static inline bool
norn_has_effect(const NornFunction *function, const NornInst *inst) {
  const uint64_t effects = NORN_OP_WRITES_MEMORY | NORN_OP_ORDERS | NORN_OP_TERMINATOR;
  return norn_is_machine(inst) ? norn_machine_has_effect(function, inst)
                               : !inst->result_count || norn_ops[inst->op].flags & effects;
}

/* The letters of an operation's instruction. */
static inline NornSignatureCursor
norn_inst_operands(const NornInst *inst) {
  return norn_operand_cursor(inst->op, inst->type, inst->source_type);
}
static inline NornSignatureCursor
norn_inst_results(const NornInst *inst) {
  return norn_result_cursor(inst->op, inst->type, inst->source_type);
}

/* The type of result k of an operation's instruction. */
NornType norn_result_type(const NornInst *inst, unsigned k);

#define NORN_PLAIN_OPERANDS 4

/* What the letters of most rows mean: a fixed number of typed operands and at most one result. */
typedef struct NornSignature {
  bool is_plain; /* the row is such a one; the rest is 0 if not */
  uint8_t operand_count, result_count, result_type;
  uint8_t operand_types[NORN_PLAIN_OPERANDS];
} NornSignature;

/* That of an operation; types that its row does not ask for are ignored. */
NornSignature norn_signature(NornOp op, NornType type, NornType source_type);

/* Operation, types and modifier in one number, for tables of what was met before; its slot in a
 * table of NORN_FORM_SLOTS. */
#define NORN_FORM_SLOTS 256
static inline uint64_t
norn_form_key(const NornInst *inst) {
  /* In the order of the fields, so that it can be one load. */
  return inst->op | (uint64_t)inst->type << 16 | (uint64_t)inst->source_type << 24 |
         (uint64_t)inst->modifier << 32;
}
static inline unsigned
norn_form_slot(uint64_t key) {
  return (unsigned)(key * NORN_HASH_FACTOR >> 56);
}

/* The type operand k must have: by the row's signature for a generic instruction, the parameter's
 * for a block argument, VOID for a block and where any type fits, a type of the right number of
 * words for a machine instruction. */
NornType norn_operand_type(const NornFunction *function, uint32_t inst, unsigned k);

/* The type of parameter k of a block; VOID if there is none. */
NornType norn_parameter_type(const NornFunction *function, uint32_t block, unsigned k);

#endif
