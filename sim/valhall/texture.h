/* Texture messages, which operate on whole warps. */
#ifndef NORN_SIM_VALHALL_TEXTURE_H
#define NORN_SIM_VALHALL_TEXTURE_H

#include "sim/valhall/instruction.h"

/* The function that executes the instruction for the active lanes; NULL if it is none of these. */
NornValhallSimAction norn_valhall_texture_message(uint16_t instruction);

#endif
