/* Messages on plain memory: loads, stores, atomics, buffers and their addresses. */
#ifndef NORN_SIM_VALHALL_LOAD_STORE_H
#define NORN_SIM_VALHALL_LOAD_STORE_H

#include "sim/valhall/instruction.h"

/* How one lane executes the instruction, whose access is decoded; NULL if it is none of these. */
NornValhallSimMessage norn_valhall_memory_message(const NornValhallSimInstruction *instruction);

#endif
