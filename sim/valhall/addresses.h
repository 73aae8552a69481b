/* The addresses of the program, the sample positions, and the workgroup's and the thread's
 * memory. Each invocation sees its own memory at the thread's address. */
#ifndef NORN_SIM_VALHALL_ADDRESSES_H
#define NORN_SIM_VALHALL_ADDRESSES_H

#include "sim/common/memory.h"
#include <stdint.h>

/* Constant data that a module's instructions address relative to the program counter is also
 * here. */
#define NORN_VALHALL_CODE_ADDRESS NORN_DATA_ADDRESS
#define NORN_VALHALL_SAMPLE_ADDRESS UINT64_C(0x00007C0000000000)
/* 32 positions, x and y with eight fraction bits, and the center. */
#define NORN_VALHALL_SAMPLE_BYTES (33 * 4)
#define NORN_VALHALL_SHARED_ADDRESS UINT64_C(0x00007E0000000000)
#define NORN_VALHALL_SCRATCH_ADDRESS UINT64_C(0x00007F0000000000)

#endif
