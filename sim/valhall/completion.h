/* Messages that complete later than they are issued. In a run with a seed, the seed determines
 * the time and the order; a message completes at the latest when the lane has waited for its
 * slot. */
#ifndef NORN_SIM_VALHALL_COMPLETION_H
#define NORN_SIM_VALHALL_COMPLETION_H

#include "sim/valhall/warp.h"

typedef struct NornValhallSimCompletion NornValhallSimCompletion;

/* The remaining work of a message for one lane: moving data between memory and registers. The
 * registers' masks of defined bytes have their final value from the start. */
struct NornValhallSimCompletion {
  void (*finish)(NornValhallSimWarp *warp, const NornValhallSimCompletion *completion);
  const NornValhallSimInstruction *instruction;
  unsigned lane;
  uint8_t *bytes;                            /* checked */
  uint32_t words[NORN_VALHALL_ACCESS_WORDS]; /* of the staging registers that were read */
};

/* Completes it now, or later in a run with a seed. */
void norn_valhall_complete(NornValhallSimWarp *warp, const NornValhallSimCompletion *completion);

/* Completes the messages that the lanes of a set have in flight in a set of slots. */
void norn_valhall_finish_messages(NornValhallSimWarp *warp, unsigned lanes, unsigned slots);

/* Completes at most one message, at random. */
void norn_valhall_finish_some(NornValhallSimWarp *warp);

#endif
