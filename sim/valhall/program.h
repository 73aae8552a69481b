/* Valhall code, decoded one instruction at a time when it is first executed. */
#ifndef NORN_SIM_VALHALL_PROGRAM_H
#define NORN_SIM_VALHALL_PROGRAM_H

#include "sim/valhall/instruction.h"

typedef struct NornValhallSimProgram NornValhallSimProgram;

/* The location of a blend shader among the instructions; count is 0 if there is none. */
typedef struct NornValhallSimBlend {
  uint32_t first, count;
} NornValhallSimBlend;

struct NornValhallSimProgram {
  const NornIsa *isa;
  unsigned architecture;
  const NornLaunch *launch;
  uint8_t *code;                            /* the program, then the blend shaders that it calls */
  NornValhallSimInstruction **instructions; /* NULL: not decoded yet */
  uint32_t count;     /* of all instructions, including the gaps between the programs */
  uint32_t own_count; /* of the program itself, which comes first */
  NornValhallSimBlend blend[NORN_COLOR_TARGETS];
  /* Of a run with a seed: */
  uint8_t *targets;   /* bit i % 8 of byte i / 8: a branch leads to instruction i */
  uint8_t *exits;     /* ... instruction i is a branch out of a loop */
  bool is_structured; /* no branches to computed addresses, no loops that overlap or that are
                         entered other than at their start */
};

/* Sets up a program of `size` bytes; code and launch must outlive it. */
bool norn_valhall_program_init(NornValhallSimProgram *program, const void *code, size_t size,
                               const char *architecture, const NornLaunch *launch, GError **error);
void norn_valhall_program_clear(NornValhallSimProgram *program);

/* Returns instruction `index` of the program, which must exist. */
const NornValhallSimInstruction *norn_valhall_program_fetch(NornValhallSimProgram *program,
                                                            uint32_t index);

/* Whether instruction `index` exists. */
bool norn_valhall_program_has(const NornValhallSimProgram *program, uint32_t index);

/* Whether a blend shader starts there. */
bool norn_valhall_program_is_blend_entry(const NornValhallSimProgram *program, uint32_t index);

/* Fills in the information on branches. */
void norn_valhall_program_find_branches(NornValhallSimProgram *program);

/* Whether an always-taken branch is a jump for the purpose of waiting, that is, the edge to the
 * next instruction, which no lane takes, does not count. That edge counts if the branch leaves a
 * loop or if no branch leads to the next instruction. The branches must have been found. */
bool norn_valhall_program_jumps(const NornValhallSimProgram *program, uint32_t index);

/* Decodes an instruction whose encoding and word are set for a single step: each of its operands
 * gets its own registers, in the order of the text. */
bool norn_valhall_decode_step(const NornIsa *isa, NornValhallSimInstruction *instruction,
                              GError **error);

#endif
