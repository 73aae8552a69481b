/* What the IR interpreter needs from a machine: execution of single instructions on values.
 *
 * A stepper is created for one architecture and launch. Operands and results are groups of
 * 32-bit words for each lane, in the order of the text, with sizes as in NornMachineShape;
 * staging groups are among them. Messages complete at once: slots, waits, flow and last uses do
 * not exist here. Control flow is up to the caller: a branch only reports which lanes take it,
 * and a barrier does nothing. */
#ifndef NORN_SIM_COMMON_SIMULATOR_H
#define NORN_SIM_COMMON_SIMULATOR_H

#include <norn/simulate.h>

/* The greatest number of lanes in a subgroup, and of words in an operand or result. */
#define NORN_STEP_LANES NORN_SUBGROUP_LANES
#define NORN_STEP_WORDS 8

typedef struct NornStepper NornStepper;
/* A decoded instruction of a stepper's machine. */
typedef struct NornMachineInst NornMachineInst;

/* The words of an operand or result, by word and lane. */
typedef uint32_t NornStepValue[NORN_STEP_WORDS][NORN_STEP_LANES];

/* The lanes that execute a step, and their state. */
typedef struct NornStepLanes {
  unsigned active;                  /* bit i: lane i */
  unsigned helpers;                 /* lanes that were discarded: they do not write to memory */
  uint32_t thread[NORN_STEP_LANES]; /* number of the invocation in the grid, for messages */
  uint32_t local[NORN_STEP_LANES];  /* ... in the workgroup */
  uint32_t workgroup[3];
  uint8_t *shared;      /* memory of the workgroup, of the size that the launch specifies */
  uint8_t *scratch;     /* thread-local memory; that of invocation i of the workgroup is at i * the
                           launch's scratch_bytes */
  const char *location; /* start of error messages: where the instruction is, and ": " */
} NornStepLanes;

/* How a machine executes single instructions. */
typedef struct NornSimulator {
  unsigned lanes; /* of a subgroup, at most NORN_STEP_LANES */

  /* Creates a stepper for architecture number `architecture` that computes floats in that mode;
   * `launch` must outlive it. */
  NornStepper *(*create)(unsigned architecture, const NornLaunch *launch, NornFtzMode ftz);
  void (*destroy)(NornStepper *stepper); /* nullable */

  /* Decodes an instruction whose modifiers and immediates are in `word`. The result belongs to
   * the stepper and lives as long. NULL (NORN_ERROR_UNSUPPORTED, without a location) if what the
   * instruction does is not modeled. */
  const NornMachineInst *(*decode)(NornStepper *stepper, uint16_t instruction, uint64_t word,
                                   GError **error);

  /* The number of following instructions in its block that it jumps over (nullable: none). */
  unsigned (*jumped_over)(const NornMachineInst *inst);

  /* Executes an instruction for the active lanes of `lanes`. *taken gets the lanes that take a
   * branch or that become helpers. */
  bool (*step)(NornStepper *stepper, const NornMachineInst *inst, const NornStepLanes *lanes,
               const NornStepValue *operands, NornStepValue *results, unsigned *taken,
               GError **error);

  /* The value of `reg` at the start of the program in invocation `local` of workgroup
   * `workgroup`. False, with an undefined value, if nothing is preloaded there. */
  bool (*preload)(const NornLaunch *launch, const uint32_t workgroup[3], uint32_t local,
                  unsigned reg, uint32_t *value);

  /* The value in a lane of the special source with the machine's number `special`: 64 bits
   * unless it is a high word. Fails with NORN_ERROR_UNSUPPORTED if it is not modeled. */
  bool (*special)(unsigned architecture, uint32_t special, unsigned lane, uint64_t *value,
                  GError **error);
} NornSimulator;

#endif
