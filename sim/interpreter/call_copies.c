/* See call_copies.h. */
#include "sim/interpreter/call_copies.h"
#include "ir/ops.h"

typedef struct {
  /* The calls in functions already counted, multiplied by the copies of those functions. */
  uint64_t copies;
  uint32_t open; /* calls in functions not counted yet */
} Calls;

static uint64_t
add_saturating(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static Calls *
callee_of(Calls *calls, const NornFunction *function, uint32_t inst) {
  if (norn_inst(function, inst)->op != NORN_OP_CALL)
    return NULL;
  return &calls[norn_ref_payload(norn_operand(function, inst, 0))];
}

uint64_t
norn_count_with_calls(const NornModule *module) {
  uint32_t count = module->function_count, ready = 0;
  Calls *calls = g_new0(Calls, count);
  uint32_t *order = g_new(uint32_t, count); /* callers before their callees */
  for (uint32_t i = 0; i < count; i++) {
    const NornFunction *function = module->functions[i];
    norn_for_each_block (function, block)
      norn_for_each_inst (function, block, inst) {
        Calls *callee = callee_of(calls, function, inst);
        if (callee)
          callee->open++;
      }
  }
  calls[0].copies = 1;
  for (uint32_t i = 0; i < count; i++)
    if (!calls[i].open)
      order[ready++] = i;
  uint64_t total = 0;
  for (uint32_t k = 0; k < ready; k++) {
    const NornFunction *function = module->functions[order[k]];
    uint64_t copies = calls[order[k]].copies;
    norn_for_each_block (function, block)
      norn_for_each_inst (function, block, inst) {
        total = add_saturating(total, copies);
        Calls *callee = callee_of(calls, function, inst);
        if (!callee)
          continue;
        callee->copies = add_saturating(callee->copies, copies);
        if (!--callee->open)
          order[ready++] = (uint32_t)(callee - calls);
      }
  }
  g_free(calls);
  g_free(order);
  return total;
}
