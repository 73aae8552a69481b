/* Selection: the interface of the walk (select.c) for a target's patterns.
 *
 * The walk visits every instruction after all its users. A target turns the current instruction
 * into machine instructions with norn_select_as (in its place), norn_select_emit (before it) and
 * norn_select_same (it is equal to another value). An instruction that a pattern folds loses its
 * use and is removed when the walk reaches it. */
#ifndef NORN_PASSES_SELECT_SELECT_H
#define NORN_PASSES_SELECT_SELECT_H

#include "ir/builder.h"
#include "ir/replacements.h"
#include "passes/pass.h"

#define NORN_SELECT_SHARED 8

/* What selection records about a value. */
typedef struct NornSelectedValue {
  uint32_t uses;    /* operands that refer to it */
  uint32_t split;   /* the first of its words, if they have been split */
  uint32_t derived; /* see norn_select_derive */
  uint8_t left_out; /* components of a look-up that nothing uses, one bit each */
  bool is_number;   /* has a use other than as an address in workgroup or thread-local memory */
} NornSelectedValue;

typedef struct NornSelector {
  NornPassContext *context;
  NornModule *module;
  NornFunction *function;
  const NornTarget *target;
  NornReplacements replacements;
  NornSelectedValue *values;
  uint32_t capacity;
  uint32_t preload[NORN_MAX_REGISTERS]; /* the initial value of each register */
  NornRef shared[NORN_SELECT_SHARED];   /* made by the target once for all users, or 0 */
  GError **error;
} NornSelector;

/* The value that `ref` stands for: looks through bit casts, copies and replacements. */
NornRef norn_select_resolve(const NornSelector *selector, NornRef ref);
/* Operand k of the instruction, resolved. */
NornRef norn_select_operand(const NornSelector *selector, uint32_t inst, unsigned k);
/* The generic instruction that defines `ref` (resolved), or one that is all zeros
 * (NORN_OP_NONE). */
NornInst norn_select_definition(const NornSelector *selector, NornRef ref);
/* The same, but returns its index or NORN_INDEX_NONE. */
uint32_t norn_select_def(const NornSelector *selector, NornRef ref);
/* Whether the current operand is the only use of the value. */
bool norn_select_is_only_use(const NornSelector *selector, NornRef ref);

/* A constant; bits are truncated to 32. */
NornRef norn_select_word(NornSelector *selector, uint64_t bits);
/* Whether `ref` is a constant, and its bits. */
bool norn_select_constant(const NornSelector *selector, NornRef ref, uint64_t *bits);

/* Turns `inst` into machine instruction `instruction` with these modifier bits and operands. */
void norn_select_as(NornSelector *selector, uint32_t inst, unsigned instruction, uint64_t word,
                    const NornRef *operands, unsigned count);
/* Replaces one operand. */
void norn_select_set_operand(NornSelector *selector, uint32_t inst, unsigned k, NornRef ref);
/* Inserts a machine instruction before `inst` with one result of that many words (0: none) and
 * returns the result, or 0. */
NornRef norn_select_emit(NornSelector *selector, uint32_t inst, unsigned instruction, uint64_t word,
                         unsigned result_words, const NornRef *operands, unsigned count);
/* The same, but once for all users of `value`, which is an operand: inserts it right after the
 * value's definition, so that its result is available wherever the value is. Returns 0 if it cannot
 * be inserted there. */
NornRef norn_select_derive(NornSelector *selector, uint32_t value, unsigned instruction,
                           uint64_t word, unsigned result_words, const NornRef *operands,
                           unsigned count);
/* The result of `inst` equals `ref`; removes `inst`. */
void norn_select_same(NornSelector *selector, uint32_t inst, NornRef ref);
/* Result k of `inst` equals refs[k]; removes `inst`, which may have no results. */
void norn_select_all_same(NornSelector *selector, uint32_t inst, const NornRef *refs);
/* Turns `inst` into a collect of these words. */
void norn_select_collect(NornSelector *selector, uint32_t inst, const NornRef *words,
                         unsigned count);
/* The group of these words, collected before `inst`. */
NornRef norn_select_group(NornSelector *selector, uint32_t inst, const NornRef *words,
                          unsigned count);
/* Word k of a value, uniform or constant of several words. */
NornRef norn_select_word_of(NornSelector *selector, NornRef ref, unsigned k, unsigned words);
/* The content of a register at the start of the program. */
NornRef norn_select_preload(NornSelector *selector, unsigned reg);

/* Sets the error that the target does not support this instruction; returns false. */
bool norn_select_unsupported(NornSelector *selector, uint32_t inst);

#endif
