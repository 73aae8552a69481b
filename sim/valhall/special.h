/* Special values that an instruction reads as a source. */
#ifndef NORN_SIM_VALHALL_SPECIAL_H
#define NORN_SIM_VALHALL_SPECIAL_H

#include "sim/valhall/program.h"

/* Sets *source to the special value with number `special` (page << 8 | code) for an instruction
 * that is followed by instruction `next` of the program (NULL: a single one). Returns what is
 * wrong (to be freed) or NULL. */
char *norn_valhall_decode_special(const NornIsa *isa, const NornValhallSimProgram *program,
                                  const NornIsaOperand *operand, uint32_t special, uint32_t next,
                                  NornValhallSimSource *source);

#endif
