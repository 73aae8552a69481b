/* Checks every rule of the IR: structure first (indexes, lists), since everything else relies on
 * it, then types, dominance, terminators, arguments, immediates, stages, uniforms and registers.
 *
 * Blocks are walked in program order. A use is valid if its definition was already visited in the
 * same block or is in a block that dominates this one. The time is linear except for dominance,
 * which is nearly linear. */
#ifndef NORN_IR_VERIFY_VERIFIER_H
#define NORN_IR_VERIFY_VERIFIER_H

#include "ir/analysis/dominance.h"
#include "ir/diagnostics.h"
#include "ir/ops.h"
#include "ir/text/locations.h"

/* As many as the immediate can represent. */
#define NORN_VERIFY_TARGETS 8

/* A form of generic instructions that was found valid, apart from the operands. */
typedef struct NornCachedSignature {
  uint64_t key; /* 0: empty slot */
  NornSignature signature;
} NornCachedSignature;

typedef struct NornVerifier {
  NornArena arena;
  const NornModule *module;
  const NornFunction *function;
  const NornDominance *dominance;
  NornDiagnostics diagnostics;
  uint32_t block, inst;     /* being checked */
  const NornFau *fau;       /* being checked, NULL if none */
  uint32_t *seen_in;        /* by value: the block in which its definition was visited */
  bool *is_placed;          /* by block: whether it is in the order; computed on demand */
  NornLocations *locations; /* created at the first fault that needs them */
  bool is_broken;           /* so broken that locations cannot be computed */
  bool has_path_outputs;    /* an instruction with property ALL_PATHS was seen */
  uint8_t color_formats[NORN_VERIFY_TARGETS + 1]; /* format of the stores to each target, + 1; 0:
                                                     none; last: second color */
  NornCachedSignature known[NORN_FORM_SLOTS];
} NornVerifier;

/* faults.c */

const char *norn_verify_inst_name(const NornInst *inst);
/* Whether the instruction is linked after `previous` in the list of the block. */
bool norn_verify_is_linked(const NornFunction *function, uint32_t block, uint32_t inst,
                           uint32_t previous);
bool norn_verify_has_operation(const NornModule *module, const NornInst *inst);
/* Whether the runs of operands and results are within their arrays. */
bool norn_verify_has_runs(const NornFunction *function, const NornInst *inst);
bool norn_verify_has_parameter_run(const NornFunction *function, const NornBlock *block);
/* Reports a fault of the current block or instruction. */
G_GNUC_PRINTF(2, 3)
void norn_verify_fault(NornVerifier *v, const char *format, ...);
/* "%name" as printed, or "value 12", for a message. */
#define NORN_VERIFY_NAME_SIZE 80
const char *norn_verify_value_name(NornVerifier *v, uint32_t value,
                                   char out[NORN_VERIFY_NAME_SIZE]);

/* structure.c */

bool norn_verify_structure(NornVerifier *v);

/* operands.c */

/* Whether the value's definition precedes the current instruction on every path. */
bool norn_verify_is_available(NornVerifier *v, uint32_t value);
void norn_verify_fault_unavailable(NornVerifier *v, uint32_t value);
/* Whether the range is valid: uniforms of 64 bits start at even words. */
bool norn_verify_is_uniform_range(uint32_t word, unsigned words);
void norn_verify_uniform(NornVerifier *v, uint32_t word, unsigned words, unsigned k);
bool norn_verify_is_constant_of(const NornVerifier *v, NornRef ref, NornType type);
/* Checks that only values in registers are marked as last uses. */
void norn_verify_last_use(NornVerifier *v, NornRef ref, unsigned k);
/* Checks an operand that must be of that type, or any operand (VOID). */
void norn_verify_typed_operand(NornVerifier *v, NornRef ref, NornType type, unsigned k);
/* Checks that immediate operand `k` is a constant within the limits of the operation. */
void norn_verify_immediate_operand(NornVerifier *v, const NornInst *inst, NornRef ref, unsigned k);
/* Checks the edges of a terminator whose first block is operand `first`. */
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
