/* Rules of the GCN vector ALU that cannot be expressed for single fields.
 *
 * There is one path for scalar values into the vector unit: the sources of an instruction may name
 * one scalar register (or pair, or condition), any number of times. A register and a pair that
 * contains it count as two. VCC counts if an instruction reads it implicitly; M0 does not count if
 * it is a lane number. */
#include "isa/isa.h"
#include <norn/gcn.h>

enum { CODE_VCC = 106, CODE_M0 = 124 };

static const NornIsaHardwareRule rules[] = {
    {"one_scalar", "an instruction reads at most one scalar register, pair or condition"},
};

static int
check(const NornIsaInstance *instance) {
  const NornIsaEncoding *encoding = instance->encoding;
  uint32_t seen = encoding->flags & NORN_GCN_FLAG_READS_VCC ? 1u << 16 | CODE_VCC : 0;
  bool any = seen != 0;
  for (unsigned i = 0; i < encoding->operand_count; i++) {
    const NornIsaOperand *operand = &encoding->operands[i];
    if (operand->role != NORN_ISA_OPERAND_SOURCE)
      continue;
    const NornIsaCode *code =
        norn_isa_operand_code(instance->isa, encoding, operand, instance->word);
    if (code->kind != NORN_ISA_CODE_SCALAR && code->kind != NORN_ISA_CODE_SPECIAL)
      continue;
    uint32_t value = norn_isa_extract(&encoding->fields[operand->field], instance->word);
    if (code->kind == NORN_ISA_CODE_SCALAR)
      value |= (uint32_t)(operand->words - 1) << 16;
    bool is_lane = encoding->flags & NORN_GCN_FLAG_LANE && i + 1 == encoding->operand_count;
    if (is_lane && value == CODE_M0)
      continue;
    if (any && value != seen)
      return NORN_ISA_BROKEN(0, i);
    any = true;
    seen = value;
  }
  return -1;
}

const NornIsaRuleTable norn_gcn_rules = {rules, G_N_ELEMENTS(rules), check};
