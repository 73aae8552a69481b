/* The bytes at an address: in the launch's buffers, in the memory of the workgroup or the
 * thread, or in the table of sample positions. */
#ifndef NORN_SIM_VALHALL_MEMORY_H
#define NORN_SIM_VALHALL_MEMORY_H

#include "sim/valhall/warp.h"

/* What an instruction accesses in a lane. */
typedef struct NornValhallLaneAccess {
  unsigned lane;
  uint64_t address;
  size_t size;
  unsigned alignment;
  bool is_write;
  const uint64_t *combined; /* nullable: the operand of an atomic access that does not return the
                               old value */
} NornValhallLaneAccess;

/* The bytes, checked for bounds, alignment and hazards; NULL: a trap. */
uint8_t *norn_valhall_access_memory(NornValhallSimWarp *warp, const NornValhallLaneAccess *access,
                                    GError **error);

#endif
