/* Selection: what the walk (select.c) offers to a target's patterns.
 *
 * The walk visits every instruction after all its users. A target turns the instruction at hand
 * into machine instructions by norn_select_as (in its place), norn_select_emit (before it) and
 * norn_select_same (it is equal to something else). What a pattern swallows loses its use and is
 * dropped when the walk comes to it. */
#ifndef NORN_PASSES_SELECT_SELECT_H
#define NORN_PASSES_SELECT_SELECT_H

#include "ir/builder.h"
#include "ir/replacements.h"
#include "passes/pass.h"

#define NORN_SELECT_SHARED 8

/* What selection keeps of a value. */
typedef struct NornSelectedValue {
  uint32_t uses;    /* operands that refer to it */
  uint32_t split;   /* the first of its words, if they have been split */
  uint32_t derived; /* see norn_select_derive */
  uint8_t left_out; /* components of a look-up that nothing uses, a bit each */
  bool is_number;   /* read other than as an address in workgroup or thread-local memory */
} NornSelectedValue;

typedef struct NornSelector {
  NornPassContext *context;
  NornModule *module;
  NornFunction *function;
  const NornTarget *target;
  NornReplacements replacements;
  NornSelectedValue *values;
  uint32_t capacity;
  uint32_t preload[NORN_MAX_REGISTERS]; /* the value of each register at the start */
  NornRef shared[NORN_SELECT_SHARED];   /* what the target makes once for all users, or 0 */
  GError **error;
} NornSelector;

/* What `ref` really is: bit casts, copies and replaced values are looked through. */
NornRef norn_select_resolve(const NornSelector *selector, NornRef ref);
/* Operand k of the instruction, resolved. */
NornRef norn_select_operand(const NornSelector *selector, uint32_t inst, unsigned k);
/* The generic instruction that defines `ref` (resolved), else one that is all zeros (NORN_OP_NONE).
 */
NornInst norn_select_definition(const NornSelector *selector, NornRef ref);
/* The same as its index, or NORN_INDEX_NONE. */
uint32_t norn_select_def(const NornSelector *selector, NornRef ref);
/* Whether the operand at hand is the only use of the value. */
bool norn_select_is_only_use(const NornSelector *selector, NornRef ref);

/* A constant; bits are cut to 32. */
NornRef norn_select_word(NornSelector *selector, uint64_t bits);
/* Whether `ref` is a constant, and its bits. */
bool norn_select_constant(const NornSelector *selector, NornRef ref, uint64_t *bits);

/* Makes `inst` machine instruction `instruction` with these modifier bits and operands. */
void norn_select_as(NornSelector *selector, uint32_t inst, unsigned instruction, uint64_t word,
                    const NornRef *operands, unsigned count);
/* Replaces one operand. */
void norn_select_set_operand(NornSelector *selector, uint32_t inst, unsigned k, NornRef ref);
/* Puts a machine instruction with one result of that many words (0: none) before `inst` and returns
 * the result, or 0. */
NornRef norn_select_emit(NornSelector *selector, uint32_t inst, unsigned instruction, uint64_t word,
                         unsigned result_words, const NornRef *operands, unsigned count);
/* The same once for all users of `value`, an operand: right behind its definition, so that it is
 * there wherever the value is. 0 if it cannot stand there. */
NornRef norn_select_derive(NornSelector *selector, uint32_t value, unsigned instruction,
                           uint64_t word, unsigned result_words, const NornRef *operands,
                           unsigned count);
/* The result of `inst` is the same as `ref`; removes it. */
void norn_select_same(NornSelector *selector, uint32_t inst, NornRef ref);
/* Result k of `inst` is the same as refs[k]; removes it, which may have no results. */
void norn_select_all_same(NornSelector *selector, uint32_t inst, const NornRef *refs);
/* Makes `inst` the group of these words. */
void norn_select_collect(NornSelector *selector, uint32_t inst, const NornRef *words,
                         unsigned count);
/* The group of these words, put before `inst`. */
NornRef norn_select_group(NornSelector *selector, uint32_t inst, const NornRef *words,
                          unsigned count);
/* Word k of a value, uniform or constant of several words. */
NornRef norn_select_word_of(NornSelector *selector, NornRef ref, unsigned k, unsigned words);
/* The content of a register at the start of the program. */
NornRef norn_select_preload(NornSelector *selector, unsigned reg);

/* Sets the error that the target has no way to do this instruction; returns false. */
bool norn_select_unsupported(NornSelector *selector, uint32_t inst);

#endif
