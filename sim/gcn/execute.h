/* Execution of GCN VOP3 instructions on the state of a wave. */
#ifndef NORN_SIM_GCN_EXECUTE_H
#define NORN_SIM_GCN_EXECUTE_H

#include "sim/gcn/state.h"

/* Decodes WORD as ARCHITECTURE (NORN_GCN_ARCHITECTURE_...) encodes it. Fails with
 * NORN_ERROR_INVALID if it is not a legal instruction. */
bool norn_gcn_decode(unsigned architecture, uint64_t word, NornGcnDecoded *inst, GError **error);

/* Executes one instruction on STATE. Fails with NORN_ERROR_TRAP, possibly after some lanes, if
 * it accesses something that does not exist (a register past the last one, LDS out of bounds, a
 * reserved source code). */
bool norn_gcn_execute(NornGcnState *state, const NornGcnDecoded *inst, GError **error);

/* Executes the words of a little-endian program one after the other; all of them must be
 * complete and legal. */
bool norn_gcn_run(NornGcnState *state, unsigned architecture, const void *code, size_t size,
                  GError **error);

#endif
