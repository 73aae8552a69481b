/* Watching a run: an observer in the launch is called before and after each step that a warp takes,
 * in the simulator as in the interpreter.
 *
 * A step is an instruction that some lanes of a warp execute together. The observer sees the state
 * of the warp as the program sees it. It may end the run but not change anything. A run without an
 * observer has no extra cost. */
#ifndef NORN_OBSERVE_H
#define NORN_OBSERVE_H

#include <norn/simulate.h>

NORN_BEGIN_DECLS

#define NORN_OBSERVED_LANES NORN_SUBGROUP_LANES
#define NORN_OBSERVED_WORDS 8
#define NORN_OBSERVED_SLOTS 8
#define NORN_OBSERVED_NAME 64
#define NORN_OBSERVED_NO_ADDRESS UINT64_MAX

/* The role of a value in the instruction. */
typedef enum {
  NORN_OBSERVED_SOURCE,
  NORN_OBSERVED_CONSTANT, /* a source that is the same in every run */
  NORN_OBSERVED_RESULT,
  NORN_OBSERVED_PARAMETER, /* of the block that a step of the IR leads to */
} NornObservedRole;

/* An operand or result of an instruction, or a named value, in all lanes. */
typedef struct NornObservedValue {
  NornObservedRole role;
  char name[NORN_OBSERVED_NAME]; /* "r4", "u2", "%px"; long ones are truncated */
  NornType type;                 /* of the IR; VOID for registers */
  int reg;                       /* machine code: its first register; -1: none */
  unsigned words;                /* of 32 bits, at most NORN_OBSERVED_WORDS */
  unsigned lanes;                /* bit l: lane l has it */
  uint32_t bits[NORN_OBSERVED_WORDS][NORN_OBSERVED_LANES];
  uint8_t defined[NORN_OBSERVED_WORDS][NORN_OBSERVED_LANES]; /* bit b: byte b is defined */
} NornObservedValue;

/* When the observer is called. */
typedef enum {
  NORN_OBSERVE_BEFORE,
  NORN_OBSERVE_AFTER,
  NORN_OBSERVE_TRAP, /* the step failed; its effects up to then remain */
} NornObservePhase;

/* A step of a warp. Everything is the library's and is valid until the observer returns. */
typedef struct NornObservation {
  NornObservePhase phase;
  const char *trap; /* why it failed; NULL if it did not */
  uint64_t number;  /* of the step in the run, from 1 */
  uint32_t warp;    /* number in the grid */
  uint32_t workgroup[3];
  uint32_t invocation[NORN_OBSERVED_LANES]; /* of each lane, number in the grid */
  unsigned active;                          /* lanes that execute the step */
  unsigned alive;                           /* lanes that have not ended */
  unsigned helpers;                         /* those of `alive` that have no effect on memory */
  bool is_machine_code;
  uint64_t address; /* of the instruction in the code, in bytes; for machine instructions in the IR,
                       its address when packed; NORN_OBSERVED_NO_ADDRESS: none */
  uint64_t word;    /* ... and its word */
  int slot;         /* that its message signals; -1: none */
  unsigned waits;   /* slots that it waits for when it is done: bit s */
  bool reconverges, ends;
  uint32_t line;         /* IR: in the text of the module; 0: none */
  const char *block;     /* IR: name of the block that begins with it; NULL: none */
  const uint8_t *shared; /* workgroup memory */
  size_t shared_bytes;
  const uint8_t *scratch[NORN_OBSERVED_LANES]; /* thread-local memory of each lane */
  size_t scratch_bytes;
  const struct NornObservedState *state; /* the library's */
} NornObservation;

/* Called at each step. Returning false ends the run with NORN_ERROR_STOPPED; after a trap, the
 * result is ignored. */
typedef bool (*NornObserverFunction)(const NornObservation *at, gpointer user_data);

struct NornObserver {
  NornObserverFunction observe;
  gpointer user_data;
};

/* The instruction as text; free it with g_free. */
char *norn_observation_text(const NornObservation *at);

/* Operand `index` of the instruction, in the order of its text. Values are current: ask for sources
 * before the step and for results after it. Results follow the sources; after a step of the IR that
 * leads to a block, that block's parameters come last. Returns false past the last one. */
bool norn_observation_operand(const NornObservation *at, unsigned index, NornObservedValue *value);

/* Finds what has that name: a register ("r4") or uniform word ("u2") of machine code, or in the IR
 * a value ("%px" or "px") of the function that the step is in. Returns false if nothing has that
 * name. */
bool norn_observation_find(const NornObservation *at, const char *name, NornObservedValue *value);

/* The registers of a lane that messages in flight on a slot will write, and those that they read;
 * none in the IR, whose messages complete at once. Bit r stands for register r. */
void norn_observation_in_flight(const NornObservation *at, unsigned slot, unsigned lane,
                                uint64_t *written, uint64_t *read);

NORN_END_DECLS

#endif
