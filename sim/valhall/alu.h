/* What one Valhall ALU instruction computes: the definition shared by the machine simulator, the IR
 * interpreter (for machine instructions) and the constant folder.
 *
 * An instruction word is decoded once into a NornValhallOperation: the row of its semantics plus
 * its modifiers. The operation can then be executed any number of times on the raw bits of its
 * sources. Nothing here refers to registers: sources are passed as 64 raw bits (upper half zero
 * for 32-bit ones), in the order of the text. */
#ifndef NORN_SIM_VALHALL_ALU_H
#define NORN_SIM_VALHALL_ALU_H

#include "sim/valhall/semantics.h"
#include <norn/simulate.h>

/* The part of a 32-bit destination that is written. */
typedef enum {
  NORN_VALHALL_DESTINATION_BOTH, /* both halves, with the same 16-bit result */
  NORN_VALHALL_DESTINATION_LOW,
  NORN_VALHALL_DESTINATION_HIGH,
  NORN_VALHALL_DESTINATION_ALL,
} NornValhallDestination;

/* The bits that an operation writes, in the positions of `mask`. */
typedef struct NornValhallResult {
  uint64_t bits, mask;
} NornValhallResult;

/* Whether `instruction` is computed here (by norn_valhall_execute or the functions after it). */
bool norn_valhall_is_operation(uint16_t instruction);

/* Decodes the modifiers in `word`. Fails with NORN_ERROR_UNSUPPORTED if the meaning of the
 * instruction, or of a modifier set on it, is not public. */
bool norn_valhall_decode(const NornIsa *isa, const NornIsaEncoding *encoding, uint64_t word,
                         NornValhallOperation *operation, GError **error);

/* Computes the results of the first `count` invocations of a warp; the returned mask says which
 * of their bits are written. Sources have one word each, or two if their bit of `wide` is set;
 * all higher bits are zero. */
uint64_t norn_valhall_execute_warp(const NornValhallOperation *operation, NornFtzMode ftz,
                                   const NornValhallValues source[NORN_VALHALL_SOURCES],
                                   unsigned wide, unsigned count, uint64_t *restrict bits);

/* Computes the result of one invocation. For DISCARD the bits are 1 where it discards. */
void norn_valhall_execute(const NornValhallOperation *operation, NornFtzMode ftz,
                          const uint64_t source[NORN_VALHALL_SOURCES], NornValhallResult *result);

/* Which bits of the result are undefined, given the sources and the masks of their undefined
 * bits. Moves, selections, shifts and logic pass bits on one by one; other functions leave a
 * lane that depends on any undefined bit undefined entirely. The write mask is not applied. */
uint64_t norn_valhall_undefined_result(const NornValhallOperation *operation,
                                       const uint64_t source[NORN_VALHALL_SOURCES],
                                       const uint64_t undefined[NORN_VALHALL_SOURCES]);

/* The bits of source `k` that the operation uses, if the operation has one lane or is a branch;
 * all bits for others. */
uint64_t norn_valhall_needed_bits(const NornValhallOperation *operation, unsigned k);

/* Whether the operation (CLPER, WMASK) reads its sources in all lanes of the warp. */
bool norn_valhall_is_exchange(const NornValhallOperation *operation);

/* What all lanes bring to an exchange. */
typedef struct NornValhallExchange {
  uint64_t source[2][NORN_VALHALL_WARP];
  uint64_t undefined[NORN_VALHALL_WARP]; /* bits of the first source */
  unsigned active;                       /* bit i: lane i executes */
} NornValhallExchange;

/* The result of CLPER or WMASK in lane `lane`. Undefined bits of the first source are passed along
 * with it. */
void norn_valhall_exchange(const NornValhallOperation *operation, const NornValhallExchange *lanes,
                           unsigned lane, NornValhallResult *result, uint64_t *undefined_result);

/* Whether a branch (BRANCHZ, BRANCHZI) is taken for that condition source. */
bool norn_valhall_branch_taken(const NornValhallOperation *operation, uint64_t condition);

#endif
