/* The insides of the IR interpreter: a module decoded for execution, and what executes it.
 *
 * Decoding turns the shader and every call in it (each call gets its own copy of the function) into
 * nodes: runs of steps, ended by a step that takes an edge. All operands are slots: 64 bits for
 * each lane of a subgroup. A value of a scalar or packed type is one slot, a group one slot a word;
 * constants and uniforms are slots that are filled once. */
#ifndef NORN_SIM_INTERPRETER_PROGRAM_H
#define NORN_SIM_INTERPRETER_PROGRAM_H

#include "ir/analysis/convergence.h"
#include "ir/evaluate.h"
#include "ir/ir.h"
#include "ir/text/printer.h"
#include "sim/common/launch.h"
#include "sim/common/memory.h"
#include "sim/valhall/step.h"
#include <norn/interpret.h>

#define NORN_LANES 16

typedef struct NornMachineStep NornMachineStep;
typedef struct NornStep NornStep;
typedef struct NornRun NornRun;
typedef struct NornWarp NornWarp;

/* Executes a step for the lanes of `active`; false with `error` set on a trap. */
typedef bool (*NornStepFunction)(NornRun *run, NornWarp *warp, const NornStep *step,
                                 unsigned active, GError **error);

struct NornStep {
  NornStepFunction run;
  const NornFunction *function;
  uint32_t inst;    /* of the function */
  uint32_t operand; /* first of the operands' slots in the program's list */
  uint32_t result;  /* likewise of the results */
  uint32_t edge;    /* first edge */
  uint16_t operand_count, result_count, edge_count;
  uint8_t words;                  /* slots of the data that is moved */
  uint8_t word_bytes;             /* memory bytes of each */
  bool leaves;                    /* the lanes go elsewhere or wait afterwards */
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
  GArray *steps;               /* NornStep */
  GArray *nodes;               /* NornNode */
  GArray *edges;               /* NornStepEdge */
  GArray *moves;               /* NornMove */
  GArray *slots;               /* uint32_t: lists of operands and results */
  GArray *constants;           /* NornConstantSlot */
  GArray *specials;            /* NornSpecialSlot */
  NornValhallStepper *stepper; /* NULL if there are no machine instructions */
  GPtrArray *machine_steps;    /* NornMachineStep */
  NornLocations *places;       /* likewise */
  uint32_t slot_count;
  bool has_barrier;
  NornConvergence convergence;
} NornProgram;

/* What a fragment has written so far. */
typedef struct NornFragmentOutputs {
  uint32_t color[NORN_COLOR_TARGETS][4]; /* components */
  uint8_t format[NORN_COLOR_TARGETS];    /* NornFormat of each */
  unsigned colors;                       /* bit i: target i has one */
  uint32_t depth, stencil, coverage;
  bool has_depth, has_stencil, has_coverage;
} NornFragmentOutputs;

/* A subgroup. */
struct NornWarp {
  uint64_t *slots;              /* [slot][lane] */
  uint16_t *undefined;          /* [slot]: lanes in which it has no defined value */
  uint32_t first;               /* local index of lane 0 */
  uint8_t *scratch;             /* [lane]: thread-local memory */
  unsigned present;             /* lanes that exist */
  unsigned live;                /* and have not ended */
  unsigned waiting;             /* at a barrier */
  unsigned helpers;             /* write nothing */
  NornFragmentOutputs *outputs; /* [lane] */
  uint32_t key[NORN_LANES];
  uint32_t step[NORN_LANES]; /* where a lane goes on in its node */
};

struct NornRun {
  const NornProgram *program;
  const NornLaunch *launch;
  NornReport report;
  uint32_t workgroup_size[3];
  uint32_t workgroup[3]; /* the one that runs */
  uint8_t *shared;       /* its memory */
  size_t shared_bytes;
  uint64_t steps_left;
  uint64_t *held; /* arguments on their way to parameters */
  uint16_t *held_undefined;
  uint32_t held_capacity;
};

/* Decodes the module for this launch. */
bool norn_program_init(NornProgram *program, const NornModule *module, const NornLaunch *launch,
                       GError **error);
void norn_program_clear(NornProgram *program);

/* How to execute a generic operation, NULL for one that no lane executes by itself. */
NornStepFunction norn_step_function(NornOp op);
/* Executes an operation that norn_evaluate computes. */
bool norn_step_evaluate(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                        GError **error);

static inline const NornInst *
norn_step_inst(const NornStep *step) {
  return &step->function->insts[step->inst];
}

/* The lanes of a slot. */
static inline uint64_t *
norn_warp_slot(const NornWarp *warp, uint32_t slot) {
  return warp->slots + (size_t)slot * NORN_LANES;
}

static inline uint32_t
norn_step_operand(const NornRun *run, const NornStep *step, unsigned k) {
  return g_array_index(run->program->slots, uint32_t, step->operand + k);
}

static inline uint32_t
norn_step_result(const NornRun *run, const NornStep *step, unsigned k) {
  return g_array_index(run->program->slots, uint32_t, step->result + k);
}

#define norn_for_each_lane(lanes, lane)                                                            \
  for (unsigned lane##_left = (lanes), lane = 0;                                                   \
       lane##_left && (lane = (unsigned)__builtin_ctz(lane##_left), true);                         \
       lane##_left &= lane##_left - 1)

/* Sets NORN_ERROR_TRAP, naming the place, the operation and the invocation; always false. */
bool norn_trap(const NornRun *run, const NornWarp *warp, const NornStep *step, unsigned lane,
               GError **error, const char *format, ...) G_GNUC_PRINTF(6, 7);
/* The start of such a message; to be freed with g_free. */
char *norn_trap_place(const NornRun *run, const NornWarp *warp, const NornStep *step,
                      unsigned lane);

#endif
