/* The simplify pass, as its files share it; see simplify.c.
 *
 * - simplify.c walks over the instructions and folds constants.
 * - rewrite_rules.c applies the rules of algebra.def.
 * - simplify_special.c has the identities that rules cannot say, simplify_float.c those of floats,
 *   simplify_scaled.c those of sums and constant factors, simplify_select.c those of selections, simplify_bits.c those of bits taken apart,
 *   simplify_parts.c those of bytes, halves and words taken apart, simplify_dot.c those of sums of
 *   products of bytes.
 * - simplify_address.c has those of addresses, simplify_table.c those of tables, simplify_ranges.c
 *   those that hold for small integers. */
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
  const uint32_t *uses; /* by value, when first asked for; NULL: not yet */
  uint32_t use_count;   /* values that there were then */
} Simplifier;

/* What was done to an instruction: nothing, it is another operation, or its result equals another
 * value. */
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

/* An operand of an instruction as it is now. */
static inline NornRef
norn_simplify_operand(const Simplifier *simplifier, const NornInst *inst, unsigned k) {
  return norn_simplify_resolve(simplifier, norn_operands(simplifier->function, inst)[k]);
}

/* Whether the operand is a constant, and which one. */
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

/* Whether the operation is arithmetic of floats: no result is a NaN with a payload or, where they
 * are flushed, subnormal. */
static inline bool
norn_simplify_is_float_arithmetic(unsigned op) {
  return op == NORN_OP_FADD || op == NORN_OP_FSUB || op == NORN_OP_FMUL || op == NORN_OP_FMA ||
         op == NORN_OP_FMIN || op == NORN_OP_FMAX;
}

/* The result of an instruction equals that value. */
static inline Outcome
norn_simplify_replace(NornRef *replacement, NornRef ref) {
  *replacement = ref;
  return REPLACED;
}

/* --- simplify.c --- */

/* A new instruction before `before` with the type and flags of that one, and if it is the same
 * operation from the same type, folded if it can be. */
NornRef norn_simplify_insert(Simplifier *simplifier, uint32_t before, unsigned op,
                             unsigned modifier, const NornRef *operands, unsigned count);

/* Makes the instruction another operation of the same type. */
void norn_simplify_rewrite(Simplifier *simplifier, uint32_t index, unsigned op,
                           const NornRef *operands, unsigned count);

/* How many uses the value had when that was first asked; 1 of one that is newer. */
unsigned norn_simplify_uses(Simplifier *simplifier, uint32_t value);
/* Whether it had one. */
bool norn_simplify_has_one_use(Simplifier *simplifier, uint32_t value);

/* --- rewrite_rules.c --- */

/* Applies the first rule that matches. REPLACED: *replacement is what the result equals. */
Outcome norn_simplify_by_rules(Simplifier *simplifier, uint32_t index, NornRef *replacement);

/* Whether an operation may be made: of a type that it has and the target computes in, and after
 * lowering only what the target has instructions for. */
bool norn_simplify_may_make(const Simplifier *simplifier, unsigned op, NornType type);

/* --- simplify_special.c --- */

/* Constants to the right, shift amounts below the width. */
void norn_simplify_canonicalize(Simplifier *simplifier, uint32_t index);

/* Identities of some operations, which look at the instruction as it is now. REPLACED: *replacement
 * is what the result equals. */
typedef Outcome Identity(Simplifier *simplifier, uint32_t index, NornRef *replacement);

/* All identities of the operation beyond the rules. */
Outcome norn_simplify_special(Simplifier *simplifier, uint32_t index, NornRef *replacement);

/* --- simplify_select.c --- */

Identity norn_simplify_select;

/* What is computed of a selection of constants is one, too. Not of floats, since modifiers and sums
 * of products do the same for nothing. */
Identity norn_simplify_selected_constants;

/* --- simplify_bits.c --- */

/* Puts together bits of one value that were taken apart. */
Identity norn_simplify_bits;

/* Shifts to the right and masks of a sum of which one operand is below the lowest bit that the
 * other can have: no bit is carried, so that the parts of both can be taken by themselves. */
Identity norn_simplify_part_of_sum;

/* --- simplify_parts.c --- */

/* Values that are bytes, halves and words of others, put together or taken out. */
Identity norn_simplify_parts;

/* --- simplify_dot.c --- */

/* Sums of products of bytes. */
Identity norn_simplify_dot;

/* --- simplify_float.c --- */

/* Those of floats. */
Identity norn_simplify_float;

/* --- simplify_scaled.c --- */

/* Products of sums with constants, and interpolations by constants. */
Identity norn_simplify_scaled;

/* --- simplify_ranges.c, simplify_table.c, simplify_address.c --- */

/* What follows from how great integers can be. */
Identity norn_simplify_by_range;

/* Selections from a table of two constants by an index; sums with a number of one bit. */
Outcome norn_simplify_table(Simplifier *simplifier, uint32_t index);
Identity norn_simplify_bit;

/* Those of addresses, and of the accesses that have them. */
Identity norn_simplify_address;
/* Whether the constant in a word, times 2^shift, can be an access's offset. */
bool norn_simplify_is_offset(uint32_t constant, uint64_t shift);

#endif
