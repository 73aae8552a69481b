/* Single Valhall instructions on values instead of registers, for the IR interpreter.
 *
 * A stepper stands for one architecture and launch. Operands and results are groups of 32-bit words
 * for each of the 16 lanes, in the order of the text, as NornMachineShape counts them; staging
 * groups are among them. Messages have their results at once: slots, waits, flow and last uses do
 * not exist here. Control is the caller's: a branch only tells which lanes take it, a barrier does
 * nothing. */
#ifndef NORN_SIM_VALHALL_STEP_H
#define NORN_SIM_VALHALL_STEP_H

#include "ir/machine.h"
#include "sim/valhall/alu.h"
#include <norn/simulate.h>

/* Most words of an operand or result. */
#define NORN_VALHALL_STEP_WORDS 8

typedef struct NornValhallStepper NornValhallStepper;
typedef struct NornValhallStep NornValhallStep;

/* The words of an operand or result, by word and lane. */
typedef uint32_t NornValhallStepValue[NORN_VALHALL_STEP_WORDS][NORN_VALHALL_WARP];

/* The lanes that execute a step, and what is theirs. */
typedef struct NornValhallStepLanes {
  unsigned active;                    /* bit i: lane i */
  unsigned helpers;                   /* lanes that were discarded: they do not change memory */
  uint32_t thread[NORN_VALHALL_WARP]; /* number of the invocation in the grid, for messages */
  uint32_t local[NORN_VALHALL_WARP];  /* ... in the workgroup */
  uint32_t workgroup[3];
  uint8_t *shared;   /* memory of the workgroup, as large as the launch says */
  uint8_t *scratch;  /* of invocation i of the workgroup at i * the launch's scratch_bytes */
  const char *place; /* start of error messages: where the instruction is, and ": " */
} NornValhallStepLanes;

/* A stepper for architecture number `architecture`; `launch` must outlive it. */
NornValhallStepper *norn_valhall_stepper_new(unsigned architecture, const NornLaunch *launch);
void norn_valhall_stepper_free(NornValhallStepper *stepper);

/* Decodes an instruction whose modifiers and immediates are in `word`. It is the stepper's and
 * lives as long. NULL: what it does is not modeled (NORN_ERROR_UNSUPPORTED, no place). */
const NornValhallStep *norn_valhall_stepper_decode(NornValhallStepper *stepper,
                                                   uint16_t instruction, uint64_t word,
                                                   GError **error);

/* Executes `step` for the active lanes of `lanes`. *taken (nullable) gets the lanes that take a
 * branch or that DISCARD turns into helpers. */
bool norn_valhall_stepper_run(NornValhallStepper *stepper, const NornValhallStep *step,
                              const NornValhallStepLanes *lanes,
                              const NornValhallStepValue *operands, NornValhallStepValue *results,
                              unsigned *taken, GError **error);

/* What `reg` holds at the start of the program in invocation `local` of workgroup `workgroup`. The
 * value is undefined (false) if the hardware does not preload it. */
bool norn_valhall_preload(const NornLaunch *launch, const uint32_t workgroup[3], uint32_t local,
                          unsigned reg, uint32_t *value);

/* The value of the special source with number `special` (page << 8 | code) in a lane, 64 bits
 * unless it is a high word. False with *error set if it is not modeled. */
bool norn_valhall_special(unsigned architecture, uint32_t special, unsigned lane, uint64_t *value,
                          GError **error);

#endif
