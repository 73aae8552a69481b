/* Messages at the end of a fragment program: coverage, depth and stencil, colors, the tile. */
#ifndef NORN_SIM_VALHALL_TILE_H
#define NORN_SIM_VALHALL_TILE_H

#include "sim/valhall/instruction.h"

/* The function that executes the instruction for one lane; NULL if it is none of these. */
NornValhallSimMessage norn_valhall_tile_message(uint16_t instruction);

#endif
