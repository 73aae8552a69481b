/* Execution of GCN VOP3 instructions on the state of a wave. */
#ifndef NORN_SIM_GCN_EXECUTE_H
#define NORN_SIM_GCN_EXECUTE_H

#include "sim/gcn/state.h"

/* Takes WORD apart as ARCHITECTURE (NORN_GCN_ARCHITECTURE_...) encodes it. Fails with
 * NORN_ERROR_INVALID if it is no legal instruction. */
bool norn_gcn_decode(unsigned architecture, uint64_t word, NornGcnDecoded *inst, GError **error);

/* Executes one instruction on STATE. Fails with NORN_ERROR_TRAP, some lanes done, if it reads or
 * writes what is not there (a register past the last one, LDS out of bounds, a reserved source
 * code). */
bool norn_gcn_execute(NornGcnState *state, const NornGcnDecoded *inst, GError **error);

/* Executes the words of a program, little endian, one after the other; it must be whole and legal.
 */
bool norn_gcn_run(NornGcnState *state, unsigned architecture, const void *code, size_t size,
                  GError **error);

#endif
