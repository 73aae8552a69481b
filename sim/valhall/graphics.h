/* Messages of vertex and fragment programs: attributes, vertex outputs, varyings. */
#ifndef NORN_SIM_VALHALL_GRAPHICS_H
#define NORN_SIM_VALHALL_GRAPHICS_H

#include "sim/valhall/instruction.h"

/* The function that executes the instruction for one lane; NULL if it is none of these. */
NornValhallSimMessage norn_valhall_graphics_message(uint16_t instruction);

#endif
