/* Checks every rule of the IR: structure first (indexes, lists), since all else relies on it, then
 * types, dominance, terminators, arguments, immediates, stages, uniforms and registers.
 *
 * Blocks are walked in program order; a use is right if its definition was passed in the same block
 * or stands in a block that dominates this one. Linear but for dominance, which is nearly so. */
#ifndef NORN_IR_VERIFY_VERIFIER_H
#define NORN_IR_VERIFY_VERIFIER_H

#include "ir/analysis/dominance.h"
#include "ir/diagnostics.h"
#include "ir/ops.h"
#include "ir/text/locations.h"

/* As many as the immediate can name. */
#define NORN_VERIFY_TARGETS 8

/* A generic instruction found right in what does not depend on its operands. */
typedef struct NornCachedSignature {
  uint64_t key; /* 0: none */
  NornSignature signature;
} NornCachedSignature;

typedef struct NornVerifier {
  NornArena arena;
  const NornModule *module;
  const NornFunction *function;
  const NornDominance *dominance;
  NornDiagnostics diagnostics;
  uint32_t block, inst;     /* being checked */
  const NornFau *fau;       /* likewise, NULL if none */
  uint32_t *seen_in;        /* by value: the block in which its definition was passed */
  bool *is_placed;          /* by block: whether it is in the order; made when first asked for */
  NornLocations *locations; /* made at the first fault that needs them */
  bool is_broken;           /* too much so for locations */
  bool has_path_outputs;    /* something of property ALL_PATHS was seen */
  uint8_t color_formats[NORN_VERIFY_TARGETS + 1]; /* of stores; + 1, 0: none; last: second color */
  NornCachedSignature known[NORN_FORM_SLOTS];
} NornVerifier;

/* faults.c */

const char *norn_verify_inst_name(const NornInst *inst);
/* Whether the instruction follows `previous` in the list of the block. */
bool norn_verify_is_linked(const NornFunction *function, uint32_t block, uint32_t inst,
                           uint32_t previous);
bool norn_verify_has_operation(const NornModule *module, const NornInst *inst);
/* Whether the runs of operands and results lie in their arrays. */
bool norn_verify_has_runs(const NornFunction *function, const NornInst *inst);
bool norn_verify_has_parameter_run(const NornFunction *function, const NornBlock *block);
/* Notes a fault of the current block or instruction. */
G_GNUC_PRINTF(2, 3)
void norn_verify_fault(NornVerifier *v, const char *format, ...);
/* "%name" as it is printed, or "value 12", for a message. */
#define NORN_VERIFY_NAME_SIZE 80
const char *norn_verify_value_name(NornVerifier *v, uint32_t value,
                                   char out[NORN_VERIFY_NAME_SIZE]);

/* structure.c */

bool norn_verify_structure(NornVerifier *v);

/* operands.c */

/* That the value's definition comes before the current instruction on every path. */
bool norn_verify_is_available(NornVerifier *v, uint32_t value);
void norn_verify_fault_unavailable(NornVerifier *v, uint32_t value);
/* Uniforms of 64 bits start at even words. */
bool norn_verify_is_uniform_range(uint32_t word, unsigned words);
void norn_verify_uniform(NornVerifier *v, uint32_t word, unsigned words, unsigned k);
bool norn_verify_is_constant_of(const NornVerifier *v, NornRef ref, NornType type);
/* That only values in registers are marked as read for the last time. */
void norn_verify_last_use(NornVerifier *v, NornRef ref, unsigned k);
/* An operand that must be of that type, or of any (VOID). */
void norn_verify_typed_operand(NornVerifier *v, NornRef ref, NornType type, unsigned k);
/* The immediate operand `k`: a constant within the limits of the operation. */
void norn_verify_immediate_operand(NornVerifier *v, const NornInst *inst, NornRef ref, unsigned k);
/* The edges of a terminator whose first block is operand `first`. */
unsigned norn_verify_edges(NornVerifier *v, unsigned first);
void norn_verify_generic_edges(NornVerifier *v, const NornInst *inst, NornSignatureCursor cursor,
                               unsigned first);
void norn_verify_call(NornVerifier *v, const NornInst *inst, unsigned first);

/* generic.c */

void norn_verify_generic(NornVerifier *v, const NornInst *inst);

/* machine.c */

void norn_verify_machine(NornVerifier *v, const NornInst *inst);

/* function.c */

void norn_verify_function(NornVerifier *v, const NornFunction *function, bool is_shader);

#endif
