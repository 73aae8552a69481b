/* The initial state of Valhall programs: registers, by stage; the table of sample positions;
 * which invocations are helpers; and how the slots of vertices in output buffers are numbered. */
#ifndef NORN_SIM_VALHALL_PRELOAD_H
#define NORN_SIM_VALHALL_PRELOAD_H

#include "sim/valhall/addresses.h"
#include <norn/simulate.h>
#include <stdbool.h>

/* The initial contents of a register: its value and which bytes of it are defined. */
typedef struct NornValhallSimPreload {
  uint32_t value;
  uint8_t defined;
} NornValhallSimPreload;

/* Whether register `reg` is preloaded in programs that request it. */
bool norn_valhall_may_preload(const NornLaunch *launch, unsigned reg);

/* The lowest register that may be preloaded. */
unsigned norn_valhall_first_preload(const NornLaunch *launch);

/* The value of register `reg` when invocation `local` of a workgroup starts. */
NornValhallSimPreload norn_valhall_preloaded(const NornLaunch *launch, const uint32_t workgroup[3],
                                             uint32_t local, unsigned reg);

/* Fills in the table of sample positions in a pixel. */
void norn_valhall_sample_positions(const NornLaunch *launch,
                                   uint8_t bytes[NORN_VALHALL_SAMPLE_BYTES]);

/* Whether the invocation is outside the primitive or the draw. */
bool norn_valhall_starts_as_helper(const NornLaunch *launch, const uint32_t workgroup[3],
                                   uint32_t local);

/* The vertex, counted over all instances, of an output slot (r59), and whether the slot holds
 * the vertex's outputs other than its position. */
uint32_t norn_valhall_output_vertex(uint32_t element, bool *is_extra);

#endif
