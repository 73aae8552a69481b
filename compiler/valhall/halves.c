/* Halves of registers: which of them instructions read, and two values in one register. */
#include "compiler/valhall/code.h"
#include "compiler/valhall/valhall.h"

static NornRef
build_vector(const NornTarget *target, NornBuilder *builder, NornType type, NornRef operands[2],
             unsigned half) {
  const NornIsaEncoding *encoding = norn_valhall_encoding_of(target, NORN_VALHALL_MKVEC_V2I16);
  uint64_t word = encoding->word;
  norn_isa_field_set(encoding, NORN_VALHALL_FIELD_SWIZZLE0, &word, half);
  norn_isa_field_set(encoding, NORN_VALHALL_FIELD_SWIZZLE1, &word, half);
  return norn_build_machine(builder, NORN_VALHALL_MKVEC_V2I16, word, type, operands, 2);
}

NornRef
norn_valhall_build_halves(const NornTarget *target, NornBuilder *builder, NornType type,
                          NornRef low, NornRef high) {
  return build_vector(target, builder, type, (NornRef[]){low, high}, NORN_VALHALL_HALF_LANE_H0);
}

NornRef
norn_valhall_build_upper(const NornTarget *target, NornBuilder *builder, NornType type,
                         NornRef halves) {
  return build_vector(target, builder, type, (NornRef[]){halves, halves},
                      NORN_VALHALL_HALF_LANE_H1);
}

/* The modifier that selects parts of operand k, which takes one word; NULL if there is none. */
static const NornIsaField *
swizzle_of(const NornIsaEncoding *encoding, uint64_t word, unsigned k, bool *is_source) {
  const NornIsaOperand *operand = norn_valhall_operand(encoding, word, k);
  *is_source = operand && operand->role == NORN_ISA_OPERAND_SOURCE &&
               norn_isa_operand_words(&norn_isa_valhall, encoding, operand, word) == 1;
  return *is_source ? norn_isa_operand_swizzle(encoding, operand) : NULL;
}

/* Whether the instruction makes a register of the first lane of each source. */
static bool
makes_vector(const NornIsaEncoding *encoding) {
  return encoding->instruction == NORN_VALHALL_MKVEC_V2I16;
}

/* Whether the instruction's two lanes are halves that do not depend on each other. */
static bool
is_lanewise(const NornIsaEncoding *encoding) {
  return encoding->type.lanes == 2 && encoding->type.bits == 16 && !makes_vector(encoding);
}

/* The number of lanes of a source that matter. */
static unsigned
lanes_of(const NornIsaEncoding *encoding) {
  if (makes_vector(encoding))
    return 1;
  return is_lanewise(encoding) ? 2 : NORN_ISA_LANES;
}

static bool
stores_half(const NornInst *inst) {
  unsigned instruction = inst->op - NORN_OP_MACHINE;
  return instruction == NORN_VALHALL_STORE_I8 || instruction == NORN_VALHALL_STORE_I16;
}

unsigned
norn_valhall_halves_read(const NornTarget *target, const NornInst *inst, unsigned k,
                         unsigned results) {
  const NornIsaEncoding *encoding = norn_valhall_encoding(target, inst);
  bool is_source, splits = is_lanewise(encoding);
  const NornIsaField *field = swizzle_of(encoding, inst->payload, k, &is_source);
  if (k == 0 && stores_half(inst))
    return NORN_LOWER_HALF;
  if (!is_source || (!field && !splits))
    return NORN_LOWER_HALF | NORN_UPPER_HALF;
  if (makes_vector(encoding) && !(results >> k & 1))
    return 0;
  static const NornIsaSwizzle in_place = {16, 2, {0, 1}};
  const NornIsaSwizzle *parts =
      field ? norn_isa_swizzle(&norn_isa_valhall, field, norn_isa_extract(field, inst->payload))
            : &in_place;
  if (!parts->bits && !splits)
    return NORN_LOWER_HALF | NORN_UPPER_HALF;
  parts = parts->bits ? parts : &in_place;
  unsigned read = 0;
  for (unsigned lane = 0; lane < lanes_of(encoding); lane++)
    if (!splits || results >> lane & 1)
      read |=
          parts->index[lane % parts->count] * parts->bits < 16 ? NORN_LOWER_HALF : NORN_UPPER_HALF;
  return parts->bits > 16 ? NORN_LOWER_HALF | NORN_UPPER_HALF : read;
}

/* Whether the swizzle `to` reads from the upper half all that `from` reads from the lower half. */
static bool
reads_from_upper(const NornIsaSwizzle *from, const NornIsaSwizzle *to, unsigned lanes) {
  if (from->bits != to->bits || !from->bits || from->bits > 16)
    return false;
  unsigned parts = 16 / from->bits; /* in a half */
  for (unsigned lane = 0; lane < lanes; lane++) {
    unsigned part = from->index[lane % from->count];
    if (part < parts && to->index[lane % to->count] != part + parts)
      return false;
  }
  return true;
}

bool
norn_valhall_read_upper(const NornTarget *target, NornFunction *function, uint32_t index,
                        unsigned k) {
  const NornIsa *isa = &norn_isa_valhall;
  NornInst *inst = norn_inst(function, index);
  const NornIsaEncoding *encoding = norn_valhall_encoding(target, inst);
  bool is_source;
  const NornIsaField *field = swizzle_of(encoding, inst->payload, k, &is_source);
  if (!field)
    return false;
  uint64_t word = inst->payload, rest = word & ~norn_isa_insert(field, UINT64_MAX);
  const NornIsaSwizzle *from = norn_isa_swizzle(isa, field, norn_isa_extract(field, word));
  for (unsigned value = 0; field->allowed >> value; value++) {
    if (!(field->allowed >> value & 1) ||
        !reads_from_upper(from, norn_isa_swizzle(isa, field, value), lanes_of(encoding)))
      continue;
    inst->payload = rest | norn_isa_insert(field, value);
    if (norn_valhall_is_legal(target, function, inst, 0))
      return true;
  }
  inst->payload = word;
  return false;
}
