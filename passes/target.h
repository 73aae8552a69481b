/* How a target-independent pass asks about the machine it compiles for.
 *
 * compiler/TARGET/ implements this once per machine; facts that a description already holds (shape,
 * text, legality) come from its tables and are not said again here. All functions are pure unless
 * they take a function to change; `architecture` is one the target accepts. */
#ifndef NORN_PASSES_TARGET_H
#define NORN_PASSES_TARGET_H

#include "ir/ir.h"

struct NornPassContext;

#define NORN_TARGET_UNITS 8

/* What executing an instruction costs. */
typedef struct NornInstCost {
  uint8_t unit;    /* index into NornTarget.units */
  uint8_t results; /* issue slots taken: 2 for a 64-bit ALU result, else 1 */
  uint16_t
      latency; /* cycles until a dependent instruction can issue, without stalls of the memory */
} NornInstCost;

typedef struct NornUnit {
  const char *name;
  unsigned rate; /* instructions of one thread that a core starts each cycle, times four */
} NornUnit;

typedef struct NornTarget NornTarget;
struct NornTarget {
  const char *name;
  const NornMachine *machine;
  unsigned first_architecture, last_architecture;

  /* Registers: 32 bits each, bit R of a set stands for register R. Programs that stay in
   * small_file run with twice the threads. */
  uint64_t register_file, small_file;

  NornUnit units[NORN_TARGET_UNITS];
  unsigned unit_count;
  void (*cost)(unsigned architecture, const NornInst *inst, NornInstCost *cost);

  /* Whether selection has a form for the generic instruction as it stands; the lower pass replaces
   * the others. */
  bool (*supports)(unsigned architecture, const NornFunction *function, const NornInst *inst);

  /* Turns generic instructions into machine instructions; see passes/select.c. */
  bool (*select)(struct NornPassContext *context, NornFunction *function, GError **error);

  /* Gives every constant operand of a machine instruction a legal place. */
  bool (*fold)(struct NornPassContext *context, NornFunction *function, GError **error);

  /* Makes the operands of every machine instruction legal. */
  bool (*legalize)(struct NornPassContext *context, NornFunction *function, GError **error);
};

/* The target of that name, or NULL. */
const NornTarget *norn_target_find(const char *name);

#endif
