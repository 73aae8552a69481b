/* Messages on plain memory: loads, stores, atomics, buffers and their addresses. */
#ifndef NORN_SIM_VALHALL_LOAD_STORE_H
#define NORN_SIM_VALHALL_LOAD_STORE_H

#include "sim/valhall/instruction.h"

/* The function that executes the instruction, whose access is decoded, for one lane; NULL if it
 * is none of these. */
NornValhallSimMessage norn_valhall_memory_message(const NornValhallSimInstruction *instruction);

#endif
