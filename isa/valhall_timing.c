/* Latencies by kind of instruction. */
#include "isa/valhall_timing.h"
#include <norn/valhall.h>

/* By flags of an instruction; the first row that fits is used. */
static const struct {
  uint32_t flags;
  uint16_t latency;
} latencies[] = {
    {NORN_VALHALL_FLAG_TEXTURE, NORN_VALHALL_TEXTURE_LATENCY},
    {NORN_VALHALL_FLAG_VARYING, NORN_VALHALL_VARYING_LATENCY},
    {NORN_VALHALL_FLAG_TILE, NORN_VALHALL_TILE_LATENCY},
    {NORN_VALHALL_FLAG_MESSAGE, NORN_VALHALL_MEMORY_LATENCY},
};

unsigned
norn_valhall_encoding_latency(const NornIsaEncoding *encoding) {
  for (unsigned k = 0; k < G_N_ELEMENTS(latencies); k++)
    if (encoding->flags & latencies[k].flags)
      return latencies[k].latency;
  return encoding->unit == NORN_VALHALL_UNIT_SFU ? NORN_VALHALL_SPECIAL_LATENCY
                                                 : NORN_VALHALL_ARITHMETIC_LATENCY;
}
