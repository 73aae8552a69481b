/* 32-bit floats that may be computed as 16-bit floats, two at a time; and varyings of fragments,
 * which are interpolated to 16 bits.
 *
 * Values remain 32-bit floats: each operation narrows its operands and widens its result. A value
 * that was widened is not narrowed again, so a chain of operations has conversions only at its
 * ends. */
#include "spirv/relaxed.h"

bool
norn_spirv_is_relaxed(const NornSpirvReader *reader, const NornSpirvType *type) {
  uint32_t result = reader->inst[2];
  return reader->options->relaxed_f16 && type->scalar == NORN_TYPE_F32 && result < reader->bound &&
         reader->ids[result].decorations &&
         norn_spirv_is_decorated(reader, result, NORN_SPIRV_NONE, SpvDecorationRelaxedPrecision);
}

/* The instruction that defines a value, if it is that operation on an operand of that type; else
 * NULL. */
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
  /* Narrowing the value again gives the same value. */
  unsigned flags = norn_spirv_is_finite(reader, NORN_TYPE_F16) ? NORN_INST_FINITE : 0;
  norn_builder_set_flags(reader->builder, flags);
  NornRef wide =
      norn_spirv_convert(reader, NORN_OP_FPCONV, NORN_ROUND_RTE, NORN_TYPE_F32, NORN_TYPE_F16, ref);
  norn_builder_set_flags(reader->builder, reader->is_exact ? NORN_INST_EXACT : 0);
  return wide;
}

/* The pair that contains the value as that lane; else 0. */
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
    NornRef word =
        norn_spirv_op(reader, NORN_OP_PACK_HALF, NORN_ROUND_RTE, NORN_TYPE_F32, operands, 2);
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

void
norn_spirv_widen_group(NornSpirvReader *reader, NornRef group, NornRef *refs) {
  NornRef words[2];
  norn_build_split(reader->builder, NORN_TYPE_I32, NORN_TYPE_W2, group, 2, words);
  for (unsigned k = 0; k < 2; k++)
    norn_spirv_widen_pair(
        reader,
        norn_spirv_convert(reader, NORN_OP_BITCAST, 0, NORN_TYPE_V2F16, NORN_TYPE_I32, words[k]),
        refs + 2 * k);
}

void
norn_spirv_load_rounded(NornSpirvReader *reader, NornInterpolation interpolation, unsigned count,
                        int64_t offset, NornRef *refs) {
  NornBuilder *builder = reader->builder;
  NornRef wide[4];
  if (count == 4)
    norn_spirv_widen_group(
        reader, norn_build_load_varying_half(builder, interpolation, NORN_TYPE_W2, offset), wide);
  else if (count > 1)
    norn_spirv_widen_pair(
        reader, norn_build_load_varying_half(builder, interpolation, NORN_TYPE_V2F16, offset),
        wide);
  if (count % 2)
    wide[count - 1] =
        norn_spirv_widen(reader, norn_build_load_varying_half(builder, interpolation, NORN_TYPE_F16,
                                                              offset + 4 * (count - 1)));
  for (unsigned k = 0; k < count; k++) {
    norn_list_push(&reader->arena, &reader->rounded, (NornSpirvRounded){wide[k], refs[k]});
    refs[k] = wide[k];
  }
}

NornRef
norn_spirv_unrounded(const NornSpirvReader *reader, NornRef ref) {
  for (uint32_t k = 0; k < reader->rounded.count; k++)
    if (reader->rounded.items[k].wide == ref)
      return reader->rounded.items[k].exact;
  return ref;
}
