/* Machine instructions, checked against their shape in the description. */
#include "ir/verify/verifier.h"

static void
check_machine_operand(NornVerifier *v, NornRef ref, unsigned words, unsigned k) {
  uint32_t payload = norn_ref_payload(ref);
  switch (norn_ref_kind(ref)) {
  case NORN_REF_VALUE: {
    unsigned actual = norn_type_words(norn_value(v->function, payload)->type);
    if (actual != words) {
      char name[NORN_VERIFY_NAME_SIZE];
      norn_verify_fault(v, "operand %u, %s, has %u words, expected %u", k + 1,
                        norn_verify_value_name(v, payload, name), actual, words);
    }
    norn_verify_last_use(v, ref, k);
    if (!norn_verify_is_available(v, payload))
      norn_verify_fault_unavailable(v, payload);
    break;
  }
  case NORN_REF_CONSTANT:
    if (words > 2 || (words < 2 && norn_constant_bits(v->module, ref) >> 32))
      norn_verify_fault(v, "operand %u cannot be a constant of that size", k + 1);
    break;
  case NORN_REF_UNIFORM:
    norn_verify_uniform(v, payload, words, k);
    break;
  case NORN_REF_SPECIAL:
    break;
  default:
    norn_verify_fault(v, "operand %u must be a source", k + 1);
  }
}

/* A value of any size that called code finds in registers. */
static void
check_implied_operand(NornVerifier *v, NornRef ref, unsigned k) {
  unsigned words = 0;
  if (norn_ref_kind(ref) == NORN_REF_VALUE)
    words = norn_type_words(norn_value(v->function, norn_ref_payload(ref))->type);
  if (words)
    check_machine_operand(v, ref, words, k);
  else
    norn_verify_fault(v, "operand %u must be a value", k + 1);
}

void
norn_verify_machine(NornVerifier *v, const NornInst *inst) {
  NornMachineShape shape;
  norn_inst_shape(v->module, inst, &shape);
  if (inst->result_count != shape.result_count)
    norn_verify_fault(v, "%u result%s, expected %u", inst->result_count,
                      inst->result_count == 1 ? "" : "s", shape.result_count);
  if (inst->operand_count < shape.operand_count ||
      (!shape.is_terminator &&
       inst->operand_count > shape.operand_count + shape.implied_operands)) {
    norn_verify_fault(v, "%u operand%s, expected %u", inst->operand_count,
                      inst->operand_count == 1 ? "" : "s", shape.operand_count);
    return;
  }
  for (unsigned k = 0; k < shape.operand_count; k++)
    check_machine_operand(v, norn_operand(v->function, v->inst, k), shape.operand_words[k], k);
  for (unsigned k = shape.operand_count; k < inst->operand_count && !shape.is_terminator; k++)
    check_implied_operand(v, norn_operand(v->function, v->inst, k), k);
  for (unsigned k = 0; k < MIN(inst->result_count, shape.result_count); k++) {
    unsigned words = norn_type_words(norn_value(v->function, inst->result + k)->type);
    if (words != shape.result_words[k])
      norn_verify_fault(v, "result %u has %u words, expected %u", k + 1, words,
                        shape.result_words[k]);
  }
  if (shape.is_terminator) {
    unsigned edges = norn_verify_edges(v, shape.operand_count);
    if (edges != UINT32_MAX && edges != 1 && edges != 2)
      norn_verify_fault(v, "%u blocks, expected one or two", edges);
  }
}
