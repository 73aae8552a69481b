/* Straight-line code as terms of the solver, and its values for given inputs.
 *
 * A module under proof has three blocks: `body`, whose parameters are the inputs, jumps to
 * `exit`, whose arguments are the results. Passes run on it; the resulting body is read here,
 * generic operations and machine instructions in any mixture. */
#ifndef NORN_TESTS_PROOFS_BLOCK_H
#define NORN_TESTS_PROOFS_BLOCK_H

#include "ir/ir.h"
#include "tests/proofs/operations.h"

#define BLOCK_VALUES 8 /* the greatest number of inputs, and of results */

typedef struct Block {
  const NornModule *module;
  bool contracts; /* products that are used by sums are exact */
} Block;

/* The block's results for these inputs, whose widths are those of its parameters. False, with
 * *why (a constant string), if something in it has no terms. *assumed gets a condition that
 * flags promise, or stays NULL. */
bool block_terms(Terms *t, const Block *block, const Z3_ast *inputs, Z3_ast *results,
                 Z3_ast *assumed, const char **why);

/* The same for numbers. `junk` is used for bits that instructions leave undefined. */
bool block_values(const Block *block, const uint64_t *inputs, uint64_t junk, uint64_t *results,
                  const char **why);

/* The float environment of the module, including what the driver sets for it. */
NornFloatEnvironment block_environment(const NornModule *module);

/* Parameter and result types of the module's body. */
unsigned block_input_types(const NornModule *module, NornType *types);
unsigned block_result_types(const NornModule *module, NornType *types);

#endif
