/* A module decoded for execution.
 *
 * Decoding turns the shader and every call in it (each call gets its own copy of the function)
 * into nodes. A node is a run of steps that ends with a step that takes an edge. A step is a
 * decoded instruction. All operands are slots: 64 bits for each lane of a subgroup. A value of a
 * scalar or packed type occupies one slot, a group one slot per word; slots of constants and
 * uniforms are filled once. */
#ifndef NORN_SIM_INTERPRETER_PROGRAM_H
#define NORN_SIM_INTERPRETER_PROGRAM_H

#include "ir/analysis/convergence.h"
#include "ir/evaluate.h"
#include "ir/ir.h"
#include "ir/text/locations.h"
#include "sim/common/simulator.h"

/* The most lanes of a subgroup: every slot has this many lanes. */
#define NORN_LANES NORN_STEP_LANES

typedef struct NornMachineStep NornMachineStep;
typedef struct NornStep NornStep;
typedef struct NornRun NornRun;
typedef struct NornWarp NornWarp;

/* Executes a step for the lanes of `active`; false with `error` set on a trap. */
typedef bool NornStepFunction(NornWarp *warp, const NornStep *step, unsigned active,
                              GError **error);

struct NornStep {
  NornStepFunction *run;
  const NornFunction *function;
  uint32_t inst;       /* of the function */
  uint32_t operand;    /* first of the operands' slots in the program's list */
  uint32_t result;     /* likewise of the results */
  uint32_t first_slot; /* of value 0 of its copy of the function */
  uint32_t edge;       /* first edge */
  uint16_t operand_count, result_count, edge_count;
  uint8_t words;                  /* slots of the data that is loaded or stored */
  uint8_t word_bytes;             /* memory bytes of each */
  bool leaves;                    /* the lanes go elsewhere or wait afterward */
  const NornMachineStep *machine; /* of a machine instruction */
  NornEvaluator evaluator;
};

typedef struct NornMove {
  uint32_t from, to; /* slots */
} NornMove;

typedef struct NornStepEdge {
  uint32_t node, key;
  uint32_t move, move_count;
  uint64_t value; /* of a case */
} NornStepEdge;

/* A run of steps; the last one takes an edge or ends the lanes. */
typedef struct NornNode {
  uint32_t first, last;
  uint64_t preference; /* see norn_entry_preference() */
} NornNode;

typedef struct NornConstantSlot {
  uint32_t slot;
  uint64_t bits;
} NornConstantSlot;

/* A special source of the machine; its value depends on the lane. */
typedef struct NornSpecialSlot {
  uint32_t slot;
  uint64_t bits[NORN_LANES];
} NornSpecialSlot;

typedef struct NornProgram {
  const NornModule *module;
  GArray *steps;                  /* NornStep */
  GArray *nodes;                  /* NornNode */
  GArray *edges;                  /* NornStepEdge */
  GArray *moves;                  /* NornMove */
  GArray *slots;                  /* uint32_t: lists of operands and results */
  GArray *constants;              /* NornConstantSlot */
  GArray *specials;               /* NornSpecialSlot */
  const NornSimulator *simulator; /* of the machine, or NULL */
  unsigned lanes;                 /* of a subgroup */
  NornStepper *stepper;           /* NULL if there are no machine instructions */
  GPtrArray *machine_steps;       /* NornMachineStep */
  NornLocations *locations;       /* likewise */
  uint64_t *addresses;            /* of the entry function, by instruction; NULL: nobody observes */
  uint32_t slot_count;
  uint64_t scratch_bytes; /* what the module declares and the allocas of all calls */
  bool has_barrier;
  NornArena arena; /* holds the arrays of `convergence` */
  NornConvergence convergence;
} NornProgram;

static inline const NornInst *
norn_step_inst(const NornStep *step) {
  return norn_inst(step->function, step->inst);
}

#endif
