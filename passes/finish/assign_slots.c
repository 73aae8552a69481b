/* Assigns slots to messages.
 *
 * A wait for a slot waits for every message in it. Messages that complete or are needed at about
 * the same time therefore share a slot, so that one wait is enough; others should not. A backward
 * walk finds the distance from each message to the first instruction that touches its results. A
 * forward walk then chooses the slot for which the total delay that the message suffers and causes,
 * in instructions, is smallest. The choice affects only speed. */
#include "ir/random.h"
#include "passes/machine_code.h"
#include "passes/pass.h"

#define FAR (UINT32_MAX / 2) /* not needed in this block */

/* The messages in flight in a slot. */
typedef struct SlotLoad {
  bool busy;
  uint32_t needed;   /* the first position that waits for it */
  uint32_t soonest;  /* when the first of them completes, typically */
  uint32_t finished; /* when the last of them completes, typically */
} SlotLoad;

typedef struct Slots {
  const NornPassContext *context;
  NornFunction *function;
  uint32_t *needed; /* by instruction: the position that touches its results first */
  uint64_t random;
} Slots;

/* Finds, for each message of the block, the position of the first instruction that needs it to be
 * complete. Returns the number of messages. */
static unsigned
find_needs(Slots *slots, uint32_t block) {
  const NornPassContext *context = slots->context;
  const NornFunction *function = slots->function;
  uint32_t touched[NORN_MAX_REGISTERS], memory = FAR, position = 0;
  unsigned messages = 0;
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = norn_inst(function, index);
    bool is_machine = norn_is_machine(inst);
    position += is_machine;
    messages += is_machine && context->target->message(context->target, function, inst, NULL);
  }
  for (unsigned reg = 0; reg < context->target->registers.count && messages; reg++)
    touched[reg] = FAR;
  unsigned left = messages;
  for (uint32_t i = norn_block(function, block)->last; left; i = norn_inst(function, i)->previous) {
    const NornInst *inst = norn_inst(function, i);
    if (!norn_is_machine(inst))
      continue;
    position--;
    NornRegisterSet written = norn_registers_written(function, inst);
    NornMessage message;
    if (context->target->message(context->target, function, inst, &message)) {
      left--;
      slots->needed[i] = message.memory.writes ? memory : FAR;
      norn_for_each_register (reg, written)
        slots->needed[i] = MIN(slots->needed[i], touched[reg]);
      if (norn_accesses_memory(&message) || message.waits_all)
        memory = position;
    }
    norn_for_each_register (reg, norn_regs_union(written, norn_registers_read(function, inst)))
      touched[reg] = position;
  }
  return messages;
}

static uint32_t
later(uint32_t a, uint32_t b) {
  return a > b ? a - b : 0;
}

/* The delay that sharing the slot causes; using a free slot also has a cost. Messages that complete
 * at about the same time should share a slot regardless of when they are needed: that saves a wait,
 * and other warps fill the delay. Otherwise, messages that are needed at different times should not
 * share a slot whatever the estimate, since latencies are quite uncertain. */
static uint32_t
sharing_cost(const Slots *slots, const SlotLoad *load, uint32_t needed, uint32_t finished) {
  enum { FREE = 1, TOGETHER = 16, APART = 8 };
  if (!load->busy)
    return FREE;
  uint32_t others = later(finished, MAX(load->needed, load->finished));
  uint32_t own = needed < load->needed ? later(load->finished, MAX(needed, finished)) : 0;
  if (!slots->context->tuning.slots_apart && finished <= load->soonest + TOGETHER)
    return own;
  uint32_t distance = MAX(needed, load->needed) - MIN(needed, load->needed);
  return others + own + MIN(distance, APART);
}

static unsigned
choose_slot(Slots *slots, const SlotLoad *loads, uint8_t allowed, uint32_t needed,
            uint32_t finished) {
  unsigned best = (unsigned)__builtin_ctz(allowed);
  uint32_t best_cost = UINT32_MAX;
  for (unsigned s = 0; s < slots->context->target->free_slots; s++) {
    if (!(allowed >> s & 1))
      continue;
    uint32_t cost = sharing_cost(slots, &loads[s], needed, finished);
    if (slots->random)
      cost = norn_random_linear(&slots->random) >> 7;
    if (cost < best_cost) {
      best_cost = cost;
      best = s;
    }
  }
  return best;
}

static void
choose_in_block(Slots *slots, uint32_t block) {
  const NornPassContext *context = slots->context;
  NornFunction *function = slots->function;
  SlotLoad loads[NORN_MAX_SLOTS] = {0};
  uint32_t position = 0;
  unsigned left = find_needs(slots, block);
  for (uint32_t i = norn_block(function, block)->first; left; i = norn_inst(function, i)->next) {
    NornInst *inst = norn_inst(function, i);
    NornMessage message;
    if (!norn_is_machine(inst))
      continue;
    bool is_message = context->target->message(context->target, function, inst, &message);
    left -= is_message;
    if (is_message && message.slots) {
      for (unsigned s = 0; s < slots->context->target->free_slots; s++)
        if (loads[s].needed <= position)
          loads[s].busy = false;
      uint32_t finished = position + context->target->latency(context->target, inst);
      unsigned slot = choose_slot(slots, loads, message.slots, slots->needed[i], finished);
      context->target->set_slot(context->target, inst, slot);
      if (slot < context->target->free_slots) {
        SlotLoad *load = &loads[slot];
        load->needed = load->busy ? MIN(load->needed, slots->needed[i]) : slots->needed[i];
        load->soonest = load->busy ? MIN(load->soonest, finished) : finished;
        load->finished = load->busy ? MAX(load->finished, finished) : finished;
        load->busy = true;
      }
    }
    position++;
  }
}

bool
norn_pass_assign_slots(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  Slots slots = {
      .context = context,
      .function = function,
      .needed = NORN_NEW(&context->arena, uint32_t, function->inst_count),
  };
  if (context->options->chaos & NORN_CHAOS_SLOTS)
    slots.random = context->options->seed | 1;
  norn_for_each_block (function, block)
    choose_in_block(&slots, block);
  return true;
}
