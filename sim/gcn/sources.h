/* Scalar sources of GCN instructions. */
#ifndef NORN_SIM_GCN_SOURCES_H
#define NORN_SIM_GCN_SOURCES_H

#include "sim/gcn/state.h"

/* Source codes from here on are vector registers. */
#define NORN_GCN_VECTOR_SOURCES 256

/* A scalar source, possibly an inline constant, as up to 64 bits for an operand of BITS bits.
 * Returns what is wrong, or NULL. */
const char *norn_gcn_read_uniform(const NornGcnState *state, unsigned code, unsigned bits,
                                  uint64_t *value);

/* The lane of a readlane or writelane: the value of a scalar source, modulo 64. */
bool norn_gcn_read_scalar(const NornGcnState *state, unsigned code, uint32_t *value,
                          GError **error);

#endif
