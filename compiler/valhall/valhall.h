/* Declarations shared by the files of the Valhall target. */
#ifndef NORN_COMPILER_VALHALL_H
#define NORN_COMPILER_VALHALL_H

#include "ir/ops.h"
#include "isa/isa.h"
#include "isa/valhall_abi.h"
#include "passes/select/materialize.h"
#include "passes/select/select.h"
#include <norn/valhall.h>

/* Bits of 32-bit floats. */
#define F32_ONE 0x3F800000u
#define F32_HALF 0x3F000000u
#define F32_ONE_256TH 0x3B800000u
#define F32_MINUS_ONE 0xBF800000u
#define F32_MINUS_ZERO 0x80000000u

/* --- Building machine instructions: machine_inst.c --- */

/* Including staging groups and implied operands. */
#define NORN_VALHALL_OPERANDS 8

/* An instruction under construction. */
typedef struct NornValhallInst {
  NornSelector *selector;
  uint32_t inst; /* the generic instruction that it replaces or precedes */
  unsigned instruction;
  const NornIsaEncoding *encoding;
  uint64_t word;
  NornRef operands[NORN_VALHALL_OPERANDS];
  unsigned count;
} NornValhallInst;

/* How a source is read, which determines the instructions that can be folded into its modifiers. */
typedef enum {
  NORN_VALHALL_PLAIN,
  NORN_VALHALL_FLOAT,           /* negate, absolute value, widen a half */
  NORN_VALHALL_SIGNS,           /* negate, absolute value */
  NORN_VALHALL_HALF,            /* negate, absolute value, either half */
  NORN_VALHALL_HALVES,          /* two halves: negate, absolute value */
  NORN_VALHALL_UNSIGNED,        /* sub-words, zero-extended */
  NORN_VALHALL_SIGNED,          /* sub-words, sign-extended */
  NORN_VALHALL_LONG,            /* 64 bits, or a word zero-extended */
  NORN_VALHALL_NARROW_UNSIGNED, /* as above, with the operand's own type of 8 or 16 bits extended */
  NORN_VALHALL_NARROW_SIGNED,
} NornValhallSource;

/* Operand k of an instruction, resolved. */
static inline NornRef
norn_valhall_operand_of(const NornSelector *selector, const NornInst *inst, unsigned k) {
  return norn_select_resolve(selector, norn_operands(selector->function, inst)[k]);
}

/* Whether the architecture has the instruction. */
bool norn_valhall_has(const NornSelector *selector, unsigned instruction);

/* Begins an instruction that the architecture has, with all modifiers at their default. */
NornValhallInst norn_valhall_begin(NornSelector *selector, uint32_t inst, unsigned instruction);
/* Sets a field of the instruction. */
void norn_valhall_set(NornValhallInst *machine, unsigned field, uint32_t value);
/* Adds the next source. `type`: of the generic operand, for the narrow kinds. */
void norn_valhall_source(NornValhallInst *machine, NornRef ref, NornValhallSource source,
                         NornType type);
/* Begins base + (index << shift) in 64 bits; the index is a word or a part of one, signed or
 * unsigned. */
NornValhallInst norn_valhall_begin_address(NornSelector *selector, uint32_t inst, NornRef base,
                                           NornRef index, unsigned shift, bool is_signed);
/* Adds the next source without folding. */
void norn_valhall_plain(NornValhallInst *machine, NornRef ref);
/* Adds a constant source. */
void norn_valhall_constant(NornValhallInst *machine, uint32_t bits);
/* Replaces the generic instruction by it; returns true, so that selecting functions can end with
 * it. */
bool norn_valhall_finish(NornValhallInst *machine);
/* Inserts it before the generic instruction, with one result of that many words. */
NornRef norn_valhall_emit(NornValhallInst *machine, unsigned words);

/* The word or vector that contains a scalar of 8 or 16 bits, and the lane in it: the scalar itself,
 * the vector that it is extracted from, or the word that it is part of. */
typedef struct NornValhallPiece {
  NornRef base;
  unsigned lane;
} NornValhallPiece;
NornValhallPiece norn_valhall_piece(const NornSelector *selector, NornRef ref, unsigned bits);

/* Whether `ref` is a byte or half of `*base`, zero-extended or sign-extended to 32 bits, and which
 * (a value of the widen_integer enumeration). */
bool norn_valhall_subword(const NornSelector *selector, NornRef ref, bool is_signed, NornRef *base,
                          unsigned *subword);
/* The value to read: a base of the kind NORN_REF_NONE is a preloaded register. */
static inline NornRef
norn_valhall_register_of(NornSelector *selector, NornRef base) {
  return norn_ref_kind(base) == NORN_REF_NONE
             ? norn_select_preload(selector, norn_ref_payload(base))
             : base;
}
/* The bits of a word that such a value stands for. */
static inline void
norn_valhall_subword_bits(unsigned subword, unsigned *first, unsigned *count) {
  bool is_half =
      subword == NORN_VALHALL_WIDEN_INTEGER_H0 || subword == NORN_VALHALL_WIDEN_INTEGER_H1;
  *count = is_half ? 16 : 8;
  *first = is_half ? (subword - NORN_VALHALL_WIDEN_INTEGER_H0) * 16
                   : (subword - NORN_VALHALL_WIDEN_INTEGER_B0) * 8;
}

/* Whether the halves of `ref`, or the scalar half `ref`, are halves of `*base`, and which (a value
 * of the swizzle_half enumeration). */
bool norn_valhall_swizzled(const NornSelector *selector, NornRef ref, NornRef *base,
                           unsigned *swizzle);

/* --- Selection: select.c and its parts --- */

bool norn_valhall_supports(const NornTarget *target, const NornFunction *function,
                           const NornInst *inst);
bool norn_valhall_can_round(const NornTarget *target, const NornModule *module,
                            const NornInst *inst);
const char *norn_valhall_why_unsupported(const NornTarget *target, const NornModule *module,
                                         const NornInst *inst);
bool norn_valhall_select(NornSelector *selector, uint32_t inst);
/* Shifts, rotations, and, or, exclusive or, and complement of integers: shift.c. */
bool norn_valhall_select_logic(NornSelector *selector, uint32_t inst);
bool norn_valhall_select_disjoint_sum(NornSelector *selector, uint32_t inst);
/* The low word of a 64-bit value. */
NornRef norn_valhall_low_word(NornSelector *selector, NornRef ref);
/* Products, sums with a truth value, sums that are equivalent to an "or", and 64-bit sums with a
 * constant whose magnitude fits in a word: arithmetic.c. */
bool norn_valhall_select_product(NornSelector *selector, uint32_t inst);
bool norn_valhall_select_product_sum(NornSelector *selector, uint32_t inst);
bool norn_valhall_select_sum(NornSelector *selector, uint32_t inst);
bool norn_valhall_select_address(NornSelector *selector, uint32_t inst);
bool norn_valhall_select_flushed_round(NornSelector *selector, uint32_t inst);
/* Sums and differences with products of small numbers: dot.c. */
bool norn_valhall_select_dot(NornSelector *selector, uint32_t inst);
/* Extensions and truncations of integers: conversion.c. */
bool norn_valhall_select_extension(NornSelector *selector, uint32_t inst);
bool norn_valhall_select_truncation(NornSelector *selector, uint32_t inst);
/* Exact conversion to f32 from any byte or half of a word, if the architecture supports it. */
bool norn_valhall_select_from_part(NornSelector *selector, uint32_t inst);
/* Selections between two values: choice.c. */
bool norn_valhall_select_choice(NornSelector *selector, uint32_t inst);
/* A choice of bits by a comparison in each lane. */
bool norn_valhall_select_lane_choice(NornSelector *selector, uint32_t inst);
/* A product with a choice between 1 and 0, which is a choice between the other factor and 0. */
bool norn_valhall_select_chosen_product(NornSelector *selector, uint32_t inst);
/* Branches and demotions (demote, alpha_test): branch.c. */
bool norn_valhall_select_branch(NornSelector *selector, uint32_t inst);
bool norn_valhall_select_demotion(NornSelector *selector, uint32_t inst);
/* Whether the truth value is "word != 0", or, with `negated`, "word == 0"; the word is operand 0 of
 * its comparison. */
bool norn_valhall_is_word_test(const NornSelector *selector, NornRef ref, bool negated);
/* Comparisons and truth values: compare.c. */
bool norn_valhall_select_truth(NornSelector *selector, uint32_t inst);
/* A sum or difference with 1 or 0 that takes the truth value, which is -1 or 0, instead. */
bool norn_valhall_select_counted(NornSelector *selector, uint32_t inst);
/* A truth value as a source: constants become words. */
NornRef norn_valhall_truth(NornSelector *selector, NornRef ref);
/* Compares a word with 0, giving a truth value. `instruction` is an ICMP_OR of words. */
NornValhallInst norn_valhall_compare_zero(NornSelector *selector, uint32_t inst,
                                          unsigned instruction, unsigned condition, NornRef word);
/* icmpmask, fcmpmask. */
bool norn_valhall_select_mask(NornSelector *selector, uint32_t inst);
/* Conversion of a truth value to an integer. */
bool norn_valhall_select_from_truth(NornSelector *selector, uint32_t inst);
/* vec, insert, extract, swizzle: vector.c. */
bool norn_valhall_select_vector(NornSelector *selector, uint32_t inst);
/* lane_id, ballot, shuffle, shuffle_xor, broadcast and quad operations: lanes.c. */
bool norn_valhall_select_lanes(NornSelector *selector, uint32_t inst);
/* fexp2, flog2, fpow, fsin, fcos of f32: transcendental.c. */
bool norn_valhall_select_transcendental(NornSelector *selector, uint32_t inst);
bool norn_valhall_select_reciprocal(NornSelector *selector, uint32_t inst);
/* Memory: memory.c. Loads, stores and atomic accesses, and the types that they support (none if
 * `op` is not one of them); buffer_size; barrier, fence. */
bool norn_valhall_select_access(NornSelector *selector, uint32_t inst);
NornTypeSet norn_valhall_access_types(unsigned op);
bool norn_valhall_select_data_address(NornSelector *selector, uint32_t inst);
bool norn_valhall_select_buffer_size(NornSelector *selector, uint32_t inst);
bool norn_valhall_select_order(NornSelector *selector, uint32_t inst);

/* The atomic access of an instruction at an address, which may be null: operand 1 and, if it
 * compares, operand 2 are the values. */
bool norn_valhall_select_atomic_at(NornSelector *selector, uint32_t inst, NornRef address,
                                   unsigned atomic, bool compares);
/* A load of `words` words of a handle's descriptor, from word `word` on, to be finished or
 * emitted. */
NornValhallInst norn_valhall_begin_descriptor(NornSelector *selector, uint32_t inst, NornRef handle,
                                              unsigned word, unsigned words);
/* The store instruction for that many bytes. */
unsigned norn_valhall_store_of_bytes(unsigned bytes);

/* Vertex programs: vertex.c. Whether the architecture runs a vertex as one program. */
bool norn_valhall_has_one_vertex_program(const NornTarget *target);
bool norn_valhall_select_vertex_input(NornSelector *selector, uint32_t inst);
bool norn_valhall_select_attribute(NornSelector *selector, uint32_t inst);
bool norn_valhall_select_vertex_output(NornSelector *selector, uint32_t inst);

/* Fragment programs: fragment.c. Inputs; the invocation's pixel; varyings; output stores, which the
 * end of the program handles; the end; the tile. */
bool norn_valhall_select_fragment_input(NornSelector *selector, uint32_t inst);
bool norn_valhall_select_pixel(NornSelector *selector, uint32_t inst);
bool norn_valhall_select_varying(NornSelector *selector, uint32_t inst);
bool norn_valhall_select_output(NornSelector *selector, uint32_t inst);
bool norn_valhall_select_end(NornSelector *selector, uint32_t inst);
bool norn_valhall_select_tile(NornSelector *selector, uint32_t inst);

/* Textures and images: texture.c, image.c. Why an operation on them is not supported; NULL if it
 * is, or if it is another operation. */
bool norn_valhall_select_texture(NornSelector *selector, uint32_t inst);
const char *norn_valhall_why_no_texture(const NornInst *inst);

/* --- Constants and operands: place_constants.c, promote_constants.c, pair_constants.c,
 * legalize.c --- */

/* Promotes constants to uniform words where that saves something. The remaining uses stay in the
 * list, in instruction order. */
void norn_valhall_promote_constants(NornPassContext *context, NornFunction *function,
                                    NornConstantUses *uses);
/* Makes pairs of some remaining constants and copies of the uniform words that are read with them,
 * in words before `end`. */
void norn_valhall_pair_constants(NornPassContext *context, NornFunction *function,
                                 NornConstantUses *uses, unsigned end);

/* Whether the machine instruction is legal if the sources in `registers` (bit k) are registers. */
bool norn_valhall_is_legal(const NornTarget *target, const NornFunction *function,
                           const NornInst *inst, unsigned registers);

/* --- Passes and the pipeline: pipeline.c --- */

#define PASS(id, name, run, ...)                                                                   \
  bool run(NornPassContext *context, NornFunction *function, GError **error);
#include "compiler/valhall/passes.def"
#undef PASS

extern const NornPass norn_valhall_passes[];
extern const NornPipelineStep norn_valhall_pipeline[];

extern const NornTarget norn_valhall_target;

#endif
