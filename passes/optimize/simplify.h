/* The simplify pass: what its files share; see simplify.c.
 *
 * - simplify.c walks over the instructions and folds constants.
 * - rewrite_rules.c applies the rules of algebra.def.
 * - simplify_special.c has the identities that rules cannot express, simplify_float.c those of
 *   floats, simplify_scaled.c those of sums and constant factors, simplify_select.c those of
 *   selections, simplify_bits.c those of extracted bits, simplify_parts.c those of extracted bytes,
 *   halves and words, simplify_dot.c those of sums of products of bytes.
 * - simplify_address.c has those of addresses, simplify_table.c those of tables,
 *   simplify_ranges.c those that depend on the range of integers. */
#ifndef NORN_PASSES_OPTIMIZE_SIMPLIFY_H
#define NORN_PASSES_OPTIMIZE_SIMPLIFY_H

#include "ir/analysis/dominance.h"
#include "ir/evaluate.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/pass.h"

typedef struct Simplifier {
  NornPassContext *context;
  bool changed;
  NornModule *module;
  NornFunction *function;
  const NornDominance *dominance;
  NornReplacements replacements;
  NornFloatEnvironment environment;
  const uint32_t *uses; /* by value, counted when first needed; NULL: not yet */
  uint32_t use_count;   /* number of values then */
} Simplifier;

/* What was done to an instruction: nothing, it was turned into another operation, or its result
 * equals another value. */
typedef enum { UNCHANGED, REWRITTEN, REPLACED } Outcome;

/* The definition of `ref` if it is operation `op`. */
static inline NornInst *
norn_simplify_definition_by(const NornFunction *function, NornRef ref, unsigned op) {
  NornInst *inst = norn_defining_inst(function, ref);
  return inst && inst->op == op ? inst : NULL;
}

static inline bool
norn_simplify_is_constant_of(const Simplifier *simplifier, NornRef ref, uint64_t bits) {
  return norn_is_constant(ref) && norn_constant_bits(simplifier->module, ref) == bits;
}

static inline NornRef
norn_simplify_resolve(const Simplifier *simplifier, NornRef ref) {
  return norn_replacements_get(&simplifier->replacements, ref);
}

/* An operand of an instruction after the replacements so far. */
static inline NornRef
norn_simplify_operand(const Simplifier *simplifier, const NornInst *inst, unsigned k) {
  return norn_simplify_resolve(simplifier, norn_operands(simplifier->function, inst)[k]);
}

/* Whether the operand is a constant; finds its bits. */
static inline bool
norn_simplify_constant_operand(const Simplifier *simplifier, const NornInst *inst, unsigned k,
                               uint64_t *bits) {
  NornRef ref = norn_simplify_operand(simplifier, inst, k);
  if (!norn_is_constant(ref))
    return false;
  *bits = norn_constant_bits(simplifier->module, ref);
  return true;
}

static inline NornRef
norn_simplify_constant(Simplifier *simplifier, uint64_t bits) {
  return norn_constant(simplifier->module, bits);
}

/* Whether the operation is float arithmetic: its result is never a NaN with a payload or, if
 * subnormals are flushed, a subnormal. */
static inline bool
norn_simplify_is_float_arithmetic(unsigned op) {
  return op == NORN_OP_FADD || op == NORN_OP_FSUB || op == NORN_OP_FMUL || op == NORN_OP_FMA ||
         op == NORN_OP_FMIN || op == NORN_OP_FMAX;
}

/* Reports that the result of the instruction equals the value. */
static inline Outcome
norn_simplify_replace(NornRef *replacement, NornRef ref) {
  *replacement = ref;
  return REPLACED;
}

/* --- simplify.c --- */

/* A new instruction before `before` with its type and flags. If it is the same operation on the
 * same type, it is folded if possible. */
NornRef norn_simplify_insert(Simplifier *simplifier, uint32_t before, unsigned op,
                             unsigned modifier, const NornRef *operands, unsigned count);

/* Turns the instruction into another operation of the same type. */
void norn_simplify_rewrite(Simplifier *simplifier, uint32_t index, unsigned op,
                           const NornRef *operands, unsigned count);

/* The number of uses of the value when that was first asked; 1 for newer values. */
unsigned norn_simplify_uses(Simplifier *simplifier, uint32_t value);
/* Whether that number is 1. */
bool norn_simplify_has_one_use(Simplifier *simplifier, uint32_t value);

/* --- rewrite_rules.c --- */

/* Applies the first rule that matches. If REPLACED, the result equals *replacement. */
Outcome norn_simplify_by_rules(Simplifier *simplifier, uint32_t index, NornRef *replacement);

/* Whether an operation may be created: it has the type and the target computes in it, and after
 * lowering the target must have an instruction for it. */
bool norn_simplify_may_make(const Simplifier *simplifier, unsigned op, NornType type);

/* --- simplify_special.c --- */

/* Moves constants to the right and makes shift amounts less than the width. */
void norn_simplify_canonicalize(Simplifier *simplifier, uint32_t index);

/* Identities of some operations, applied to the instruction after the replacements so far. If
 * REPLACED, the result equals *replacement. */
typedef Outcome Identity(Simplifier *simplifier, uint32_t index, NornRef *replacement);

/* All identities of the operation that are not rules. */
Outcome norn_simplify_special(Simplifier *simplifier, uint32_t index, NornRef *replacement);

/* --- simplify_select.c --- */

Identity norn_simplify_select;

/* An operation on a selection of constants becomes a selection of constants. Not for what modifiers
 * and sums of products do for free. */
Identity norn_simplify_selected_constants;
/* Vectors whose sign is chosen before they are normalized. */
Identity norn_simplify_chosen_sign;

/* --- simplify_bits.c --- */

/* Recombines bits of one value that were extracted separately. */
Identity norn_simplify_bits;

/* Right shifts and masks of a sum one operand of which is below the lowest bit that the other can
 * have: there are no carries, so the parts of both can be computed separately. */
Identity norn_simplify_part_of_sum;

/* --- simplify_parts.c --- */

/* Values that are composed of bytes, halves and words of others, or extracted from them. */
Identity norn_simplify_parts;

/* --- simplify_dot.c --- */

/* Sums of products of bytes. */
Identity norn_simplify_dot;

/* --- simplify_float.c --- */

/* Identities of floats. */
Identity norn_simplify_float;
/* Whether the constant is not 0, but leaves half of the digits of a sum of about 1. The purpose of
 * a greater constant may be to round the value that it is added to. */
bool norn_simplify_may_be_joined(const Simplifier *simplifier, NornType type, NornRef constant);

/* --- simplify_scaled.c --- */

/* Products of sums with constants, also clamped, and interpolations by constants. */
Identity norn_simplify_scaled;

/* --- simplify_ranges.c, simplify_table.c, simplify_address.c --- */

/* Identities that depend on how large integers can be. */
Identity norn_simplify_by_range;

/* Selections from a table of two constants by an index, and sums with a one-bit number. */
Outcome norn_simplify_table(Simplifier *simplifier, uint32_t index);
Identity norn_simplify_bit;

/* Identities of addresses, and of the accesses that use them. */
Identity norn_simplify_address;
/* Whether the constant in a word, times 2^shift, fits the offset of an access. An index that does
 * not wrap (NORN_INST_NOWRAP) still does not if such a constant is taken out of it: it is promised
 * to be at least 2^29 away from where it would (doc/ir.md). */
bool norn_simplify_is_offset(uint32_t constant, uint64_t shift);

#endif
