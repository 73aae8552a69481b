/* 32-bit floats that may be computed as 16-bit ones, two at a time.
 *
 * Values stay what they are, 32-bit floats: each operation narrows its operands and widens its
 * result. What was widened is not narrowed again, so a chain of operations has conversions at its
 * ends only. */
#include "spirv/relaxed.h"

bool
norn_spirv_is_relaxed(const NornSpirvReader *reader, const NornSpirvType *type) {
  uint32_t result = reader->inst[2];
  return reader->options->relaxed_f16 && type->scalar == NORN_TYPE_F32 && result < reader->bound &&
         reader->ids[result].decorations &&
         norn_spirv_is_decorated(reader, result, NORN_SPIRV_NONE, SpvDecorationRelaxedPrecision);
}

/* The instruction that gives a value, if it is that operation on such an operand; else NULL. */
static const NornInst *
definition(const NornSpirvReader *reader, NornRef ref, NornOp op, NornType source,
           NornRef *operand) {
  const NornFunction *function = reader->module->functions[0];
  if (norn_ref_kind(ref) != NORN_REF_VALUE)
    return NULL;
  const NornValue *value = norn_value(function, norn_ref_payload(ref));
  const NornInst *inst = value->is_parameter ? NULL : norn_inst(function, value->def);
  if (!inst || inst->op != op || inst->source_type != source)
    return NULL;
  *operand = norn_operand(function, value->def, 0);
  return inst;
}

NornRef
norn_spirv_narrow(NornSpirvReader *reader, NornRef ref) {
  NornRef half;
  if (definition(reader, ref, NORN_OP_FPCONV, NORN_TYPE_F16, &half))
    return half;
  return norn_spirv_convert(reader, NORN_OP_FPCONV, NORN_ROUND_RTE, NORN_TYPE_F16, NORN_TYPE_F32,
                            ref);
}

NornRef
norn_spirv_widen(NornSpirvReader *reader, NornRef ref) {
  return norn_spirv_convert(reader, NORN_OP_FPCONV, NORN_ROUND_RTE, NORN_TYPE_F32, NORN_TYPE_F16,
                            ref);
}

/* The pair whose lane is that value. */
static NornRef
pair_of(const NornSpirvReader *reader, NornRef half, unsigned lane) {
  NornRef pair;
  uint64_t number;
  const NornFunction *function = reader->module->functions[0];
  if (!definition(reader, half, NORN_OP_EXTRACT, NORN_TYPE_V2F16, &pair))
    return 0;
  NornRef which = norn_operand(function, norn_value(function, norn_ref_payload(half))->def, 1);
  return norn_spirv_constant_bits(reader, which, &number) && number == lane ? pair : 0;
}

NornRef
norn_spirv_narrow_pair(NornSpirvReader *reader, NornRef a, NornRef b) {
  NornRef halves[2];
  bool are_widened = definition(reader, a, NORN_OP_FPCONV, NORN_TYPE_F16, &halves[0]) &&
                     definition(reader, b, NORN_OP_FPCONV, NORN_TYPE_F16, &halves[1]);
  if (!are_widened) {
    const NornRef operands[] = {a, b};
    NornRef word = norn_spirv_op(reader, NORN_OP_PACK_HALF, NORN_ROUND_RTE, NORN_TYPE_F32,
                                 NORN_TYPE_VOID, operands, 2);
    return norn_spirv_convert(reader, NORN_OP_BITCAST, 0, NORN_TYPE_V2F16, NORN_TYPE_I32, word);
  }
  NornRef pair = pair_of(reader, halves[0], 0);
  if (pair && pair == pair_of(reader, halves[1], 1))
    return pair;
  return norn_build_vec(reader->builder, NORN_TYPE_V2F16, NORN_TYPE_F16, 2, halves);
}

void
norn_spirv_widen_pair(NornSpirvReader *reader, NornRef pair, NornRef *refs) {
  for (unsigned lane = 0; lane < 2; lane++)
    refs[lane] = norn_spirv_widen(
        reader, norn_build_extract(reader->builder, NORN_TYPE_F16, NORN_TYPE_V2F16, pair, lane));
}
