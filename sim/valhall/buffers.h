/* Handles, and the descriptors and buffers that they refer to. */
#ifndef NORN_SIM_VALHALL_BUFFERS_H
#define NORN_SIM_VALHALL_BUFFERS_H

#include "sim/valhall/instruction.h"

/* A buffer with a handle; one that does not exist has no bytes. */
typedef struct NornValhallSimBuffer {
  uint64_t address, size;
  uint32_t stride;
} NornValhallSimBuffer;

NornValhallSimBuffer norn_valhall_find_buffer(const NornLaunch *launch, uint32_t handle);

/* The address of byte `offset` of the buffer with a handle, null outside it. */
uint64_t norn_valhall_byte_address(const NornLaunch *launch, uint32_t handle, uint64_t offset);

/* The address of an element of the buffer with a handle, null outside it. */
uint64_t norn_valhall_element_address(const NornLaunch *launch, uint32_t handle, uint64_t element);

/* Word `word` of the descriptor with a handle; 0 if there is none. */
uint32_t norn_valhall_descriptor_word(const NornLaunch *launch, uint32_t handle, unsigned word);

/* The handle that the immediates `table` and `index` of an instruction form. */
uint32_t norn_valhall_immediate_handle(const NornValhallSimInstruction *instruction);

#endif
