/* Balance units: lets the unit of float arithmetic make constants where the other one is busier.
 *
 * A constant comes to a register as a sum with 0: of integers, or of floats if it is one that
 * float arithmetic leaves as it is. These are different units, which work at the same time for
 * different warps. The instructions of the function are counted as they stand. */
#include "compiler/valhall/code.h"
#include "compiler/valhall/valhall.h"
#include "passes/pass.h"

/* For how long the instructions keep a unit busy. */
static unsigned
busy_cycles(const NornTarget *target, const NornFunction *function, unsigned unit) {
  unsigned cycles = 0, own;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      unsigned cost = norn_is_machine(inst) ? norn_valhall_occupies(target, inst, &own) : 0;
      cycles += cost && own == unit ? cost : 0;
    }
  return cycles;
}

bool
norn_valhall_balance_units(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  const NornTarget *target = context->target;
  const NornIsaEncoding *sum = norn_valhall_encoding_of(target, NORN_VALHALL_FADD_IMM_F32);
  unsigned from = norn_valhall_encoding_of(target, NORN_VALHALL_IADD_IMM_I32)->unit;
  unsigned from_cycles = busy_cycles(target, function, from);
  unsigned to_cycles = busy_cycles(target, function, sum->unit);
  bool changed = false;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      NornInst *inst = norn_inst(function, index);
      NornRef source;
      uint32_t constant;
      if (inst->op != NORN_OP_MACHINE + NORN_VALHALL_IADD_IMM_I32 ||
          !norn_valhall_is_move(target, function, inst, &source, &constant) ||
          !norn_valhall_sum_is_same(constant))
        continue;
      unsigned unit, cost = norn_valhall_occupies(target, inst, &unit);
      if (to_cycles + cost > from_cycles - cost)
        break;
      inst->op = NORN_OP_MACHINE + NORN_VALHALL_FADD_IMM_F32;
      inst->payload = sum->word;
      norn_isa_field_set(sum, NORN_VALHALL_FIELD_CONSTANT, &inst->payload, constant);
      from_cycles -= cost;
      to_cycles += cost;
      changed = true;
    }
  norn_pass_report(context, changed);
  return true;
}
