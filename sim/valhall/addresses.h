/* Where the program, the sample positions, the workgroup's and the thread's memory lie. Each
 * invocation sees its own memory at the thread's address. */
#ifndef NORN_SIM_VALHALL_ADDRESSES_H
#define NORN_SIM_VALHALL_ADDRESSES_H

#include "sim/common/memory.h"
#include <stdint.h>

/* The constant data that instructions of a module count from the program counter is there, too. */
#define NORN_VALHALL_CODE_ADDRESS NORN_DATA_ADDRESS
#define NORN_VALHALL_SAMPLE_ADDRESS UINT64_C(0x00007C0000000000)
/* 32 positions, x and y with eight fraction bits, and the center. */
#define NORN_VALHALL_SAMPLE_BYTES (33 * 4)
#define NORN_VALHALL_SHARED_ADDRESS UINT64_C(0x00007E0000000000)
#define NORN_VALHALL_SCRATCH_ADDRESS UINT64_C(0x00007F0000000000)

#endif
