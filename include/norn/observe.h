/* Watching a run: an observer in the launch is called before and after each step that a warp takes,
 * in the simulator as in the interpreter.
 *
 * A step is an instruction that some lanes of a warp execute together. The observer sees the state
 * of the warp as the program sees it, and may end the run, but change nothing. Without an observer
 * a run costs what it costs. */
#ifndef NORN_OBSERVE_H
#define NORN_OBSERVE_H

#include <norn/simulate.h>

NORN_BEGIN_DECLS

#define NORN_OBSERVED_LANES 16
#define NORN_OBSERVED_WORDS 8
#define NORN_OBSERVED_SLOTS 8
#define NORN_OBSERVED_NAME 64
#define NORN_OBSERVED_NO_ADDRESS UINT64_MAX

/* What a value is to the instruction. */
typedef enum {
  NORN_OBSERVED_SOURCE,
  NORN_OBSERVED_CONSTANT, /* a source that is the same in every run */
  NORN_OBSERVED_RESULT,
  NORN_OBSERVED_PARAMETER, /* of the block that a step of the IR leads to */
} NornObservedRole;

/* An operand or result of an instruction, or what has a name, in all lanes. */
typedef struct NornObservedValue {
  NornObservedRole role;
  char name[NORN_OBSERVED_NAME]; /* "r4", "u2", "%px"; long ones are cut */
  NornType type;                 /* of the IR; VOID for registers */
  int reg;                       /* machine code: its first register; -1: it is in none */
  unsigned words;                /* of 32 bits, at most NORN_OBSERVED_WORDS */
  unsigned lanes;                /* bit l: lane l has it */
  uint32_t bits[NORN_OBSERVED_WORDS][NORN_OBSERVED_LANES];
  uint8_t defined[NORN_OBSERVED_WORDS][NORN_OBSERVED_LANES]; /* bit b: byte b holds something */
} NornObservedValue;

/* When the observer is called. */
typedef enum {
  NORN_OBSERVE_BEFORE,
  NORN_OBSERVE_AFTER,
  NORN_OBSERVE_TRAP, /* the step failed: what it had done by then is done */
} NornObservePhase;

/* A step of a warp. Everything is the library's and good until the observer returns. */
typedef struct NornObservation {
  NornObservePhase phase;
  const char *trap; /* why it failed; else NULL */
  uint64_t number;  /* of the step in the run, from 1 */
  uint32_t warp;    /* number in the grid */
  uint32_t workgroup[3];
  uint32_t invocation[NORN_OBSERVED_LANES]; /* of each lane, number in the grid */
  unsigned active;                          /* lanes that execute the step */
  unsigned alive;                           /* lanes that have not ended */
  unsigned helpers;                         /* of these, those without effect on memory */
  bool is_machine_code;
  uint64_t address; /* of the instruction in the code, in bytes; of machine instructions in the IR
                       where it lies when packed; NORN_OBSERVED_NO_ADDRESS: it is none */
  uint64_t word;    /* ... and its word */
  int slot;         /* that its message signals; -1: it is none */
  unsigned waits;   /* slots that it waits for when it is done: bit s */
  bool reconverges, ends;
  uint32_t line;         /* IR: in the text of the module; 0: it came from none */
  const char *block;     /* IR: name of the block that begins with it; NULL: none */
  const uint8_t *shared; /* memory of the workgroup */
  size_t shared_bytes;
  const uint8_t *scratch[NORN_OBSERVED_LANES]; /* thread-local memory of each lane */
  size_t scratch_bytes;
  const struct NornObservedState *state; /* the library's */
} NornObservation;

/* Called at each step. Returning false ends the run with NORN_ERROR_STOPPED; after a trap what it
 * returns is ignored. */
typedef bool (*NornObserverFunction)(const NornObservation *at, gpointer user_data);

struct NornObserver {
  NornObserverFunction observe;
  gpointer user_data;
};

/* The instruction as text; free it with g_free. */
char *norn_observation_text(const NornObservation *at);

/* Operand `index` of the instruction, in the order of its text: sources as they are now, so ask
 * before the step, results as they are now, so ask after it. Results follow the sources; after a
 * step of the IR that leads to a block, that block's parameters come last. Returns false past
 * the last one. */
bool norn_observation_operand(const NornObservation *at, unsigned index, NornObservedValue *value);

/* What has that name: a register ("r4") or uniform word ("u2") of machine code, a value ("%px" or
 * "px") of the function of the IR that the step is of. Returns false if nothing has. */
bool norn_observation_find(const NornObservation *at, const char *name, NornObservedValue *value);

/* The registers of a lane that messages in flight on a slot will write, and those that they read;
 * none in the IR, whose messages are done at once. Bit r: register r. */
void norn_observation_in_flight(const NornObservation *at, unsigned slot, unsigned lane,
                                uint64_t *written, uint64_t *read);

NORN_END_DECLS

#endif
