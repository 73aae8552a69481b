/* Messages that read, write and locate texels of images. */
#ifndef NORN_SIM_VALHALL_IMAGES_H
#define NORN_SIM_VALHALL_IMAGES_H

#include "sim/valhall/instruction.h"

/* The function that executes the instruction for one lane; NULL if it is none of these. */
NornValhallSimMessage norn_valhall_image_message(uint16_t instruction);

/* The conversion word for LD_CVT and ST_CVT. */
uint32_t norn_valhall_conversion(NornPixelFormat format);

#endif
