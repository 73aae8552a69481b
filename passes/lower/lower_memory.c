/* Expansions of operations on memory.
 *
 * An alloca becomes the number of the first byte of a range of thread-local memory, which the
 * module then declares. */
#include "passes/lower/lower.h"

static NornRef
expand_alloca(NornLowering *lowering, NornRef *more) {
  (void)more;
  NornModule *module = lowering->module;
  uint64_t place = ((uint64_t)module->scratch_size + NORN_ALLOCA_ALIGNMENT - 1) &
                   ~(uint64_t)(NORN_ALLOCA_ALIGNMENT - 1);
  uint64_t end = place + norn_constant_bits(module, lowering->a);
  /* Far more memory than there is, so the pass fails. */
  module->scratch_size = (uint32_t)MIN(end, UINT32_MAX - NORN_ALLOCA_ALIGNMENT);
  return norn_constant(module, place & UINT32_MAX);
}

const NornLowerFunction norn_lower_memory[NORN_OP_COUNT] = {
    [NORN_OP_ALLOCA] = expand_alloca,
};
