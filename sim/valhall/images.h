/* Messages that read, write and find texels of images. */
#ifndef NORN_SIM_VALHALL_IMAGES_H
#define NORN_SIM_VALHALL_IMAGES_H

#include "sim/valhall/instruction.h"

/* How one lane executes the instruction; NULL if it is none of these. */
NornValhallSimMessage norn_valhall_image_message(uint16_t instruction);

/* The word by which LD_CVT and ST_CVT convert. */
uint32_t norn_valhall_conversion(NornPixelFormat format);

#endif
