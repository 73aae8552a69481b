/* Messages that complete later than they are issued: in a run with a seed, at a time and in an
 * order drawn from it, at the latest when the lane has waited for the slot. */
#ifndef NORN_SIM_VALHALL_COMPLETION_H
#define NORN_SIM_VALHALL_COMPLETION_H

#include "sim/valhall/warp.h"

typedef struct NornValhallSimCompletion NornValhallSimCompletion;

/* What is left to do of a message for one lane: moving data between memory and registers, whose
 * masks of defined bytes are those of the end from the start. */
struct NornValhallSimCompletion {
  void (*finish)(NornValhallSimWarp *warp, const NornValhallSimCompletion *completion);
  const NornValhallSimInstruction *instruction;
  unsigned lane;
  uint8_t *bytes;                            /* checked */
  uint32_t words[NORN_VALHALL_ACCESS_WORDS]; /* of the staging registers that were read */
};

/* Finishes it now, or later in a run with a seed. */
void norn_valhall_complete(NornValhallSimWarp *warp, const NornValhallSimCompletion *completion);

/* Finishes what the lanes of a set have in flight in a set of slots. */
void norn_valhall_finish_messages(NornValhallSimWarp *warp, unsigned lanes, unsigned slots);

/* Finishes one message or none, as chance has it. */
void norn_valhall_finish_some(NornValhallSimWarp *warp);

#endif
