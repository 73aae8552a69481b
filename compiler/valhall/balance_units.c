/* Balance units: uses the float unit to make constants if the integer unit is busier.
 *
 * A constant is moved to a register by adding it to 0: as an integer, or as a float if float
 * addition leaves it unchanged. These sums execute on different units, which work in parallel for
 * different warps. Each instruction of the function is counted once, regardless of loops. */
#include "compiler/valhall/code.h"
#include "compiler/valhall/valhall.h"
#include "ir/ops.h"
#include "passes/pass.h"

/* The work of the two units, in words of results. */
typedef struct UnitLoads {
  unsigned from, to; /* units: of integer addition, of float addition */
  unsigned from_words, to_words;
} UnitLoads;

static bool
is_candidate(const NornTarget *target, const NornFunction *function, const NornInst *inst,
             uint32_t *constant) {
  NornRef source;
  return inst->op == NORN_OP_MACHINE + NORN_VALHALL_IADD_IMM_I32 &&
         norn_valhall_is_move(target, function, inst, &source, constant) &&
         norn_valhall_sum_is_same(*constant);
}

static bool
has_candidate(const NornTarget *target, const NornFunction *function) {
  uint32_t constant;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index)
      if (is_candidate(target, function, norn_inst(function, index), &constant))
        return true;
  return false;
}

static void
count_words(const NornTarget *target, const NornFunction *function, UnitLoads *loads) {
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      if (!norn_is_machine(inst))
        continue;
      unsigned unit = norn_valhall_encoding(target, inst)->unit;
      unsigned words = MAX(1, norn_type_words(inst->type));
      loads->from_words += unit == loads->from ? words : 0;
      loads->to_words += unit == loads->to ? words : 0;
    }
}

bool
norn_valhall_balance_units(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  const NornTarget *target = context->target;
  const NornIsaEncoding *sum = norn_valhall_encoding_of(target, NORN_VALHALL_FADD_IMM_F32);
  UnitLoads loads = {.from = norn_valhall_encoding_of(target, NORN_VALHALL_IADD_IMM_I32)->unit,
                     .to = sum->unit};
  bool changed = false;
  if (has_candidate(target, function))
    count_words(target, function, &loads);
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      NornInst *inst = norn_inst(function, index);
      uint32_t constant;
      if (loads.to_words + 2 > loads.from_words)
        break;
      if (!is_candidate(target, function, inst, &constant))
        continue;
      inst->op = NORN_OP_MACHINE + NORN_VALHALL_FADD_IMM_F32;
      inst->payload = sum->word;
      norn_isa_field_set(sum, NORN_VALHALL_FIELD_CONSTANT, &inst->payload, constant);
      loads.from_words--;
      loads.to_words++;
      changed = true;
    }
  norn_pass_report(context, changed);
  return true;
}
