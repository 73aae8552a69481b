/* Packed values: extract, insert, vec, swizzle.
 *
 * An instruction that makes a vector can read any half or byte of its sources, so lanes extracted
 * from other vectors are read from there directly. */
#include "compiler/valhall/valhall.h"
#include "ir/ops.h"

/* The constant that operand k of the instruction has to be. */
static unsigned
immediate(const NornSelector *selector, const NornInst *inst, unsigned k) {
  uint64_t bits = 0;
  norn_select_constant(selector, norn_valhall_operand_of(selector, inst, k), &bits);
  return (unsigned)bits;
}

/* Finds the lanes that the two halves of a value come from; an extracted half counts as both. */
static bool
halves_of(const NornSelector *selector, const NornInst *inst, NornValhallPiece *pieces) {
  const NornRef *operands = norn_operands(selector->function, inst);
  unsigned lane = 0;
  switch (inst->op) {
  case NORN_OP_EXTRACT:
    lane = immediate(selector, inst, 1) % 2;
    pieces[0] = pieces[1] = (NornValhallPiece){norn_select_resolve(selector, operands[0]), lane};
    return norn_types[inst->source_type].lanes == 2;
  case NORN_OP_SWIZZLE:
    for (unsigned k = 0; k < 2; k++) {
      lane = immediate(selector, inst, 1) >> (4 * k) & 1;
      pieces[k] = (NornValhallPiece){norn_select_resolve(selector, operands[0]), lane};
    }
    return norn_types[inst->type].lanes == 2;
  case NORN_OP_VEC:
    if (norn_types[inst->type].lanes != 2)
      return false;
    pieces[0] = norn_valhall_piece(selector, operands[0], 16);
    pieces[1] = norn_valhall_piece(selector, operands[1], 16);
    return true;
  default:
    return false;
  }
}

bool
norn_valhall_swizzled(const NornSelector *selector, NornRef ref, NornRef *base, unsigned *swizzle) {
  const NornInst inst = norn_select_definition(selector, ref);
  NornValhallPiece pieces[2];
  uint64_t bits;
  if (!halves_of(selector, &inst, pieces) || pieces[0].base != pieces[1].base ||
      norn_select_constant(selector, pieces[0].base, &bits))
    return false;
  *base = pieces[0].base;
  *swizzle = NORN_VALHALL_SWIZZLE_HALF_H00 + pieces[0].lane + 2 * pieces[1].lane;
  return true;
}

static bool
finish_halves(NornSelector *selector, uint32_t inst, NornValhallPiece low, NornValhallPiece high) {
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_MKVEC_V2I16);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_SWIZZLE0, NORN_VALHALL_HALF_H00 + low.lane);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_SWIZZLE1, NORN_VALHALL_HALF_H00 + high.lane);
  norn_valhall_plain(&machine, low.base);
  norn_valhall_plain(&machine, high.base);
  return norn_valhall_finish(&machine);
}

static NornValhallInst
begin_bytes(NornSelector *selector, uint32_t inst, NornValhallPiece low, NornValhallPiece high,
            NornRef rest) {
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_MKVEC_V2I8);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_SWIZZLE0, NORN_VALHALL_BYTE_LANE_B0 + low.lane);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_SWIZZLE1, NORN_VALHALL_BYTE_LANE_B0 + high.lane);
  norn_valhall_plain(&machine, low.base);
  norn_valhall_plain(&machine, high.base);
  norn_valhall_plain(&machine, rest);
  return machine;
}

/* The register whose low half the two bytes already are, or a constant; otherwise it is made. */
static NornRef
upper_bytes(NornSelector *selector, uint32_t inst, NornValhallPiece low, NornValhallPiece high) {
  uint64_t bits[2];
  if (norn_select_constant(selector, low.base, &bits[0]) &&
      norn_select_constant(selector, high.base, &bits[1]))
    return norn_select_word(selector, (bits[0] >> (8 * low.lane) & 0xFF) |
                                          (bits[1] >> (8 * high.lane) & 0xFF) << 8);
  if (low.base == high.base && low.lane == 0 && high.lane == 1)
    return low.base;
  NornValhallInst upper = begin_bytes(selector, inst, low, high, norn_select_word(selector, 0));
  return norn_valhall_emit(&upper, 1);
}

/* Makes the upper two bytes first. */
static bool
finish_four_bytes(NornSelector *selector, uint32_t inst, const NornValhallPiece *pieces) {
  NornRef rest = upper_bytes(selector, inst, pieces[2], pieces[3]);
  NornValhallInst machine = begin_bytes(selector, inst, pieces[0], pieces[1], rest);
  return norn_valhall_finish(&machine);
}

static bool
finish_pieces(NornSelector *selector, uint32_t inst, NornType type,
              const NornValhallPiece *pieces) {
  return norn_types[type].lanes == 2 ? finish_halves(selector, inst, pieces[0], pieces[1])
                                     : finish_four_bytes(selector, inst, pieces);
}

static bool
select_vec(NornSelector *selector, uint32_t inst) {
  NornType type = norn_inst(selector->function, inst)->type;
  NornValhallPiece pieces[4];
  for (unsigned k = 0; k < norn_types[type].lanes; k++)
    pieces[k] = norn_valhall_piece(selector, norn_select_operand(selector, inst, k),
                                   norn_types[type].lane_bits);
  return finish_pieces(selector, inst, type, pieces);
}

static bool
select_insert(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  NornType type = self.type;
  unsigned lanes = norn_types[type].lanes, lane = immediate(selector, &self, 2) % lanes;
  NornRef vector = norn_select_operand(selector, inst, 0);
  NornValhallPiece pieces[4];
  for (unsigned k = 0; k < lanes; k++)
    pieces[k] = (NornValhallPiece){vector, k};
  pieces[lane] = norn_valhall_piece(selector, norn_select_operand(selector, inst, 1),
                                    norn_types[type].lane_bits);
  return finish_pieces(selector, inst, type, pieces);
}

static bool
select_swizzle(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  NornType type = self.type;
  unsigned lanes = norn_types[type].lanes, digits = immediate(selector, &self, 1);
  NornRef vector = norn_select_operand(selector, inst, 0);
  NornValhallPiece pieces[4];
  for (unsigned k = 0; k < lanes; k++)
    pieces[k] = (NornValhallPiece){vector, (digits >> (4 * k)) % lanes};
  return finish_pieces(selector, inst, type, pieces);
}

/* The lowest lane is the register itself; the rest of the register does not matter. */
static bool
select_extract(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  unsigned lanes = norn_types[self.source_type].lanes, lane = immediate(selector, &self, 1) % lanes;
  NornRef vector = norn_select_operand(selector, inst, 0);
  if (!lane) {
    norn_select_same(selector, inst, vector);
    return true;
  }
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_IADD_U32);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_SWIZZLE0,
                   lanes == 2 ? NORN_VALHALL_WIDEN_INTEGER_H0 + lane
                              : NORN_VALHALL_WIDEN_INTEGER_B0 + lane);
  norn_valhall_plain(&machine, vector);
  norn_valhall_constant(&machine, 0);
  return norn_valhall_finish(&machine);
}

bool
norn_valhall_select_vector(NornSelector *selector, uint32_t inst) {
  switch (norn_inst(selector->function, inst)->op) {
  case NORN_OP_VEC:
    return select_vec(selector, inst);
  case NORN_OP_INSERT:
    return select_insert(selector, inst);
  case NORN_OP_SWIZZLE:
    return select_swizzle(selector, inst);
  default:
    return select_extract(selector, inst);
  }
}
