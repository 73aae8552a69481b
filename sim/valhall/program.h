/* Valhall code, decoded an instruction at a time, when it is first executed. */
#ifndef NORN_SIM_VALHALL_PROGRAM_H
#define NORN_SIM_VALHALL_PROGRAM_H

#include "sim/valhall/instruction.h"

typedef struct NornValhallSimProgram {
  const NornIsa *isa;
  unsigned architecture;
  const NornLaunch *launch;
  const uint8_t *code;
  NornValhallSimInstruction **instructions; /* NULL: not decoded yet */
  uint32_t count;
} NornValhallSimProgram;

/* Sets up a program of `size` bytes; code and launch must outlive it. */
bool norn_valhall_program_init(NornValhallSimProgram *program, const void *code, size_t size,
                               const char *architecture, const NornLaunch *launch, GError **error);
void norn_valhall_program_clear(NornValhallSimProgram *program);

/* The instruction number `index` of the program, which must have it. */
const NornValhallSimInstruction *norn_valhall_program_fetch(NornValhallSimProgram *program,
                                                            uint32_t index);

/* Decodes an instruction whose encoding and word are set for a single step: its operands get
 * registers of their own, in the order of the text. */
bool norn_valhall_decode_step(const NornIsa *isa, NornValhallSimInstruction *instruction,
                              GError **error);

#endif
