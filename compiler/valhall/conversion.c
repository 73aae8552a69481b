/* Conversions between integers, and from bytes and halves to floats. */
#include "compiler/valhall/valhall.h"

/* --- Extensions and truncations --- */

bool
norn_valhall_select_extension(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  bool is_signed = self.op == NORN_OP_SEXT;
  NornRef ref = norn_select_operand(selector, inst, 0);
  if (self.source_type == NORN_TYPE_I1)
    return norn_valhall_select_from_truth(selector, inst);
  NornType type = self.source_type;
  NornRef low = ref;
  if (norn_type_bits(type) < 32) {
    NornValhallInst machine = norn_valhall_begin(
        selector, inst, is_signed ? NORN_VALHALL_IADD_S32 : NORN_VALHALL_IADD_U32);
    norn_valhall_source(
        &machine, ref, is_signed ? NORN_VALHALL_NARROW_SIGNED : NORN_VALHALL_NARROW_UNSIGNED, type);
    norn_valhall_constant(&machine, 0);
    if (self.type != NORN_TYPE_I64)
      return norn_valhall_finish(&machine);
    low = norn_valhall_emit(&machine, 1);
  }
  NornRef high = norn_select_word(selector, 0);
  if (is_signed) {
    /* The sign: low < 0, as a truth value. */
    NornValhallInst machine = norn_valhall_compare_zero(selector, inst, NORN_VALHALL_ICMP_OR_S32,
                                                        NORN_VALHALL_CONDITION_LT, low);
    high = norn_valhall_emit(&machine, 1);
  }
  norn_select_collect(selector, inst, (NornRef[]){low, high}, 2);
  return true;
}

/* The rest of a narrow scalar's register is arbitrary. */
bool
norn_valhall_select_truncation(NornSelector *selector, uint32_t inst) {
  NornType from = norn_inst(selector->function, inst)->source_type;
  NornRef ref = norn_select_operand(selector, inst, 0);
  norn_select_same(selector, inst,
                   from == NORN_TYPE_I64 ? norn_valhall_low_word(selector, ref) : ref);
  return true;
}

/* --- Bytes and halves to floats --- */

/* Whether an integer is a byte or half of a word, zero-extended or sign-extended. */
static bool
is_part_of_word(const NornSelector *selector, NornRef ref, bool *is_signed, NornRef *base,
                unsigned *part) {
  for (unsigned k = 0; k <= *is_signed; k++)
    if (norn_valhall_subword(selector, ref, k, base, part)) {
      *is_signed = k;
      return true;
    }
  return false;
}

bool
norn_valhall_select_from_part(NornSelector *selector, uint32_t inst) {
  static const uint16_t instructions[2][2] = {{NORN_VALHALL_U8_TO_F32, NORN_VALHALL_S8_TO_F32},
                                              {NORN_VALHALL_U16_TO_F32, NORN_VALHALL_S16_TO_F32}};
  const NornInst self = *norn_inst(selector->function, inst);
  NornRef ref = norn_select_operand(selector, inst, 0);
  bool is_signed = self.op == NORN_OP_SITOFP, is_half = self.source_type == NORN_TYPE_I16;
  NornValhallPiece lane;
  if (self.type != NORN_TYPE_F32)
    return false;
  if (self.source_type == NORN_TYPE_I32) {
    unsigned part;
    if (!is_part_of_word(selector, ref, &is_signed, &lane.base, &part))
      return false;
    is_half = part == NORN_VALHALL_WIDEN_INTEGER_H0 || part == NORN_VALHALL_WIDEN_INTEGER_H1;
    lane.lane = part - (is_half ? NORN_VALHALL_WIDEN_INTEGER_H0 : NORN_VALHALL_WIDEN_INTEGER_B0);
  } else if (self.source_type == NORN_TYPE_I8 || is_half) {
    lane = norn_valhall_piece(selector, ref, is_half ? 16 : 8);
  } else {
    return false;
  }
  unsigned instruction = instructions[is_half][is_signed];
  if (!norn_valhall_has(selector, instruction))
    return false;
  NornValhallInst machine = norn_valhall_begin(selector, inst, instruction);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_SWIZZLE0,
                   lane.lane + (is_half ? NORN_VALHALL_HALF_H00 : NORN_VALHALL_BYTE_LANE_B0));
  norn_valhall_plain(&machine, norn_valhall_register_of(selector, lane.base));
  return norn_valhall_finish(&machine);
}
