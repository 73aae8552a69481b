/* Building a Valhall instruction: its word of modifiers and its sources.
 *
 * The instructions that made a source are peeled off where the source's modifiers do the same:
 * signs of floats, halves widened to f32, bytes and halves extended to a word. Peeling costs
 * nothing, so it does not matter whether the peeled value has other users. */
#include "compiler/valhall/valhall.h"
#include "ir/ops.h"
#include "isa/valhall_abi.h"
#include <string.h>

static const uint16_t neg_fields[] = {NORN_VALHALL_FIELD_NEG0, NORN_VALHALL_FIELD_NEG1,
                                      NORN_VALHALL_FIELD_NEG2};
static const uint16_t abs_fields[] = {NORN_VALHALL_FIELD_ABS0, NORN_VALHALL_FIELD_ABS1,
                                      NORN_VALHALL_FIELD_ABS2};
static const uint16_t swizzle_fields[] = {NORN_VALHALL_FIELD_SWIZZLE0, NORN_VALHALL_FIELD_SWIZZLE1,
                                          NORN_VALHALL_FIELD_SWIZZLE2};

bool
norn_valhall_has(const NornSelector *selector, unsigned instruction) {
  return norn_isa_encoding(&norn_isa_valhall, selector->target->architecture, instruction) != NULL;
}

NornValhallForm
norn_valhall_begin(NornSelector *selector, uint32_t inst, unsigned instruction) {
  const NornIsaEncoding *encoding =
      norn_isa_encoding(&norn_isa_valhall, selector->target->architecture, instruction);
  return (NornValhallForm){
      .selector = selector,
      .inst = inst,
      .instruction = instruction,
      .encoding = encoding,
      .word = encoding->word,
  };
}

void
norn_valhall_set(NornValhallForm *form, unsigned field, uint32_t value) {
  norn_isa_field_set(form->encoding, field, &form->word, value);
}

static bool
has_field(const NornValhallForm *form, const uint16_t *fields, unsigned k) {
  return k < G_N_ELEMENTS(neg_fields) && norn_isa_field_exists(form->encoding, fields[k]);
}

/* Whether the field exists and may have the value. */
static bool
allows(const NornValhallForm *form, unsigned field, unsigned value) {
  return norn_isa_field_exists(form->encoding, field) &&
         norn_isa_field(form->encoding, field)->allowed >> value & 1;
}

/* Takes negations and absolute values of floats of `bits` bits a lane off `ref`. The hardware takes
 * the absolute value first. */
static NornRef
peel_signs(NornValhallForm *form, NornRef ref, unsigned lane_bits) {
  unsigned k = form->count;
  if (!has_field(form, neg_fields, k))
    return ref;
  uint32_t neg = norn_isa_field_get(form->encoding, neg_fields[k], form->word);
  uint32_t abs = norn_isa_field_get(form->encoding, abs_fields[k], form->word);
  for (;;) {
    const NornInst inst = norn_select_definition(form->selector, ref);
    if ((inst.op != NORN_OP_FNEG && inst.op != NORN_OP_FABS) ||
        norn_types[inst.type].lane_bits != lane_bits)
      break;
    if (inst.op == NORN_OP_FNEG)
      neg ^= !abs;
    else
      abs = 1;
    ref = norn_select_resolve(form->selector, form->selector->function->operands[inst.operand]);
  }
  norn_valhall_set(form, neg_fields[k], neg);
  norn_valhall_set(form, abs_fields[k], abs);
  return ref;
}

/* Takes the widening of a half off `ref`; under it, signs may go on. Widening flushes nothing, so
 * it replaces a conversion only where subnormals stay. */
static NornRef
peel_half(NornValhallForm *form, NornRef ref) {
  unsigned k = form->count;
  const NornInst inst = norn_select_definition(form->selector, ref);
  if (inst.op != NORN_OP_FPCONV || inst.type != NORN_TYPE_F32 ||
      inst.source_type != NORN_TYPE_F16 || k >= G_N_ELEMENTS(swizzle_fields) ||
      !allows(form, swizzle_fields[k], NORN_VALHALL_WIDEN_H0) ||
      form->selector->module->denormals != NORN_DENORMALS_PRESERVE)
    return ref;
  norn_valhall_set(form, swizzle_fields[k], NORN_VALHALL_WIDEN_H0);
  ref = norn_select_resolve(form->selector, form->selector->function->operands[inst.operand]);
  return peel_signs(form, ref, 16);
}

/* Bits [first, first + count) of a word, as a value of the widen_integer enumeration. */
static bool
part_at(uint64_t first, uint64_t count, unsigned *part) {
  if (count == 16 && first % 16 == 0 && first < 32) {
    *part = NORN_VALHALL_WIDEN_INTEGER_H0 + (unsigned)(first / 16);
    return true;
  }
  if (count == 8 && first % 8 == 0 && first < 32) {
    *part = NORN_VALHALL_WIDEN_INTEGER_B0 + (unsigned)(first / 8);
    return true;
  }
  return false;
}

/* A shift right of a word by a constant. */
static bool
match_shift(const NornSelector *selector, NornRef ref, NornOp op, NornRef *base, uint64_t *amount) {
  const NornInst inst = norn_select_definition(selector, ref);
  if (inst.op != op || inst.type != NORN_TYPE_I32)
    return false;
  const NornRef *operands = &selector->function->operands[inst.operand];
  *base = norn_select_resolve(selector, operands[0]);
  return norn_select_constant(selector, norn_select_resolve(selector, operands[1]), amount);
}

/* x & mask, where x may be a shift: a part of the shifted word. */
static bool
match_mask(const NornSelector *selector, const NornInst *inst, NornRef *base, unsigned *part) {
  const NornRef *operands = &selector->function->operands[inst->operand];
  uint64_t mask, amount;
  NornRef shifted;
  if (!norn_select_constant(selector, norn_select_resolve(selector, operands[1]), &mask) ||
      (mask != 0xFF && mask != 0xFFFF))
    return false;
  uint64_t count = mask == 0xFF ? 8 : 16;
  *base = norn_select_resolve(selector, operands[0]);
  if (match_shift(selector, *base, NORN_OP_LSHR, &shifted, &amount) &&
      part_at(amount, count, part)) {
    *base = shifted;
    return true;
  }
  return part_at(0, count, part);
}

/* ubfe or sbfe with constants. */
static bool
match_field(const NornSelector *selector, const NornInst *inst, NornRef *base, unsigned *part) {
  const NornRef *operands = &selector->function->operands[inst->operand];
  uint64_t first, count;
  *base = norn_select_resolve(selector, operands[0]);
  return norn_select_constant(selector, norn_select_resolve(selector, operands[1]), &first) &&
         norn_select_constant(selector, norn_select_resolve(selector, operands[2]), &count) &&
         part_at(first % 32, count, part);
}

bool
norn_valhall_part(const NornSelector *selector, NornRef ref, bool is_signed, NornRef *base,
                  unsigned *part) {
  const NornInst inst = norn_select_definition(selector, ref);
  uint64_t amount;
  if (inst.op == NORN_OP_NONE)
    return false;
  const NornRef *operands = &selector->function->operands[inst.operand];
  /* Positions in the workgroup come in halves of registers; they are small enough for either sign.
   */
  if (inst.op == NORN_OP_LOCAL_ID) {
    unsigned reg = inst.modifier == NORN_AXIS_Z ? NORN_VALHALL_PRELOAD_LOCAL_ID_Z
                                                : NORN_VALHALL_PRELOAD_LOCAL_ID_XY;
    *part = inst.modifier == NORN_AXIS_Y ? NORN_VALHALL_WIDEN_INTEGER_H1
                                         : NORN_VALHALL_WIDEN_INTEGER_H0;
    *base = norn_ref(NORN_REF_NONE, reg);
    return true;
  }
  if (inst.type != NORN_TYPE_I32)
    return false;
  switch (inst.op) {
  case NORN_OP_ZEXT:
  case NORN_OP_SEXT:
    *base = norn_select_resolve(selector, operands[0]);
    return is_signed == (inst.op == NORN_OP_SEXT) && inst.source_type != NORN_TYPE_I1 &&
           part_at(0, norn_type_bits(inst.source_type), part);
  case NORN_OP_LSHR:
    return !is_signed && match_shift(selector, ref, NORN_OP_LSHR, base, &amount) && amount < 32 &&
           part_at(amount, 32 - amount, part);
  case NORN_OP_ASHR:
    return is_signed && match_shift(selector, ref, NORN_OP_ASHR, base, &amount) && amount < 32 &&
           part_at(amount, 32 - amount, part);
  case NORN_OP_AND:
    return !is_signed && match_mask(selector, &inst, base, part);
  case NORN_OP_UBFE:
    return !is_signed && match_field(selector, &inst, base, part);
  case NORN_OP_SBFE:
    return is_signed && match_field(selector, &inst, base, part);
  default:
    return false;
  }
}

/* Takes the extension of a part off `ref`. */
static NornRef
peel_part(NornValhallForm *form, NornRef ref, bool is_signed) {
  unsigned part, k = form->count;
  NornRef base;
  if (k >= G_N_ELEMENTS(swizzle_fields) ||
      !norn_valhall_part(form->selector, ref, is_signed, &base, &part) ||
      !allows(form, swizzle_fields[k], part))
    return ref;
  if (norn_ref_kind(base) == NORN_REF_NONE)
    base = norn_select_preload(form->selector, norn_ref_payload(base));
  norn_valhall_set(form, swizzle_fields[k], part);
  return base;
}

/* Takes the zero-extension of a word to 64 bits off `ref`. */
static NornRef
peel_long(NornValhallForm *form, NornRef ref) {
  const NornInst inst = norn_select_definition(form->selector, ref);
  unsigned k = form->count;
  if (inst.op != NORN_OP_ZEXT || inst.source_type != NORN_TYPE_I32 ||
      k >= G_N_ELEMENTS(swizzle_fields) ||
      !allows(form, swizzle_fields[k], NORN_VALHALL_WIDEN_INTEGER_W0))
    return ref;
  norn_valhall_set(form, swizzle_fields[k], NORN_VALHALL_WIDEN_INTEGER_W0);
  return norn_select_resolve(form->selector, form->selector->function->operands[inst.operand]);
}

static void
extend_narrow(NornValhallForm *form, NornType type) {
  unsigned part;
  if (part_at(0, norn_type_bits(type), &part) && allows(form, swizzle_fields[form->count], part))
    norn_valhall_set(form, swizzle_fields[form->count], part);
}

void
norn_valhall_source(NornValhallForm *form, NornRef ref, NornValhallSource source, NornType type) {
  ref = norn_select_resolve(form->selector, ref);
  switch (source) {
  case NORN_VALHALL_FLOAT:
    ref = peel_half(form, peel_signs(form, ref, 32));
    break;
  case NORN_VALHALL_SIGNS:
    ref = peel_signs(form, ref, 32);
    break;
  case NORN_VALHALL_HALVES: {
    uint64_t bits;
    ref = peel_signs(form, ref, 16);
    if (type == NORN_TYPE_F16 && norn_select_constant(form->selector, ref, &bits))
      ref = norn_select_word(form->selector, bits * 0x00010001);
    break;
  }
  case NORN_VALHALL_UNSIGNED:
  case NORN_VALHALL_SIGNED:
    ref = peel_part(form, ref, source == NORN_VALHALL_SIGNED);
    break;
  case NORN_VALHALL_LONG:
    ref = peel_long(form, ref);
    break;
  case NORN_VALHALL_NARROW_UNSIGNED:
  case NORN_VALHALL_NARROW_SIGNED:
    extend_narrow(form, type);
    break;
  case NORN_VALHALL_PLAIN:
    break;
  }
  form->operands[form->count++] = ref;
}

void
norn_valhall_plain(NornValhallForm *form, NornRef ref) {
  norn_valhall_source(form, ref, NORN_VALHALL_PLAIN, NORN_TYPE_VOID);
}

void
norn_valhall_constant(NornValhallForm *form, uint32_t bits) {
  form->operands[form->count++] = norn_select_word(form->selector, bits);
}

bool
norn_valhall_finish(NornValhallForm *form) {
  norn_select_as(form->selector, form->inst, form->instruction, form->word, form->operands,
                 form->count);
  return true;
}

NornRef
norn_valhall_emit(NornValhallForm *form, unsigned words) {
  return norn_select_emit(form->selector, form->inst, form->instruction, form->word, words,
                          form->operands, form->count);
}
