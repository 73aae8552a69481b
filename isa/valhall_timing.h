/* Timing of Valhall, for scheduling and estimates, in addition to the rates of the units, which are
 * in the description.
 *
 * This project has measured none of it on hardware. The rows are in one place so that a measurement
 * changes a single number. */
#ifndef NORN_ISA_VALHALL_TIMING_H
#define NORN_ISA_VALHALL_TIMING_H

#include "isa/isa.h"

/* ROW(NAME, TEXT, VALUE, CONFIDENCE, MEANING, SOURCE). Latencies are cycles from the issue of an
 * instruction until an instruction that needs its results can issue, if nothing else uses its unit.
 */
#define NORN_VALHALL_TIMINGS(ROW)                                                                  \
  ROW(ARITHMETIC_LATENCY, "arithmetic_latency", 4, MEDIUM, "cycles until a result can be read",    \
      "Arm on the first Valhall core: arithmetic has a latency of four cycles")                    \
  ROW(SPECIAL_LATENCY, "special_latency", 8, LOW, "the same for special functions",                \
      "four lanes a cycle, so that a warp of 16 takes four cycles more")                           \
  ROW(MEMORY_LATENCY, "memory_latency", 60, LOW, "cycles of a load, store or atomic",              \
      "assumed: hits the nearest cache; the hardware's vary")                                      \
  ROW(TEXTURE_LATENCY, "texture_latency", 100, LOW, "cycles of a texture access",                  \
      "assumed: hits the nearest cache; the hardware's vary")                                      \
  ROW(VARYING_LATENCY, "varying_latency", 30, LOW, "cycles of an interpolation", "assumed")        \
  ROW(TILE_LATENCY, "tile_latency", 30, LOW, "cycles of an access to the tile", "assumed")         \
  ROW(WARPS, "warps", 32, MEDIUM, "warps that a core holds if each has the whole register file",   \
      "Arm on the first Valhall core: 1024 threads of at most 32 registers, else half as many")    \
  ROW(ISSUE_CYCLES, "issue_cycles", 1, MEDIUM, "cycles between two instructions of a warp",        \
      "Arm on the first Valhall core: one instruction a cycle for each warp scheduler")

enum {
#define ROW(name, text, value, confidence, meaning, source) NORN_VALHALL_##name = (value),
  NORN_VALHALL_TIMINGS(ROW)
#undef ROW
};

/* The latency of an instruction. */
unsigned norn_valhall_encoding_latency(const NornIsaEncoding *encoding);

#endif
