/* See loop_registers.h. */
#include "passes/loop_registers.h"

NornLoopRegisters
norn_loop_registers(NornPassContext *context, const NornFunction *function) {
  const NornLiveness *live;
  const NornPressure *pressure = norn_pass_pressure(context, function, &live);
  const NornDominance *dominance = norn_pass_dominance(context, function);
  return (NornLoopRegisters){
      .needed = norn_loop_pressure(&context->arena, pressure, dominance),
      .budget = norn_target_register_budget(context->target, pressure->max),
  };
}

NornRegisterCounts
norn_registers_of_words(const NornPassContext *context, unsigned words) {
  NornRegisterCounts counts = {{0}};
  counts.of[context->target->registers.types[NORN_TYPE_I32].class] += words;
  return counts;
}

bool
norn_loop_has_room(const NornLoopRegisters *loops, uint32_t header, NornRegisterCounts more) {
  return !norn_counts_exceed(norn_counts_plus(loops->needed[header], more), loops->budget);
}
