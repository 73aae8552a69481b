/* Texture messages, which work on whole warps. */
#ifndef NORN_SIM_VALHALL_TEXTURE_H
#define NORN_SIM_VALHALL_TEXTURE_H

#include "sim/valhall/instruction.h"

/* How the active lanes execute the instruction; NULL if it is none of these. */
NornValhallSimAction norn_valhall_texture_message(uint16_t instruction);

#endif
