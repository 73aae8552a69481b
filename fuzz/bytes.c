/* Bytes and halves of values: extracted, combined, multiplied; see generator.h. Languages
 * express each of these in several ways. */
#include "fuzz/generator.h"

#define LANES 4

/* A part of `bits` bits of a word, extended to a word. */
static NornRef
take_part(FuzzGenerator *g, NornRef word, guint bits, guint k, bool is_signed) {
  NornBuilder *b = g->builder;
  NornType type = bits == 8 ? NORN_TYPE_I8 : NORN_TYPE_I16;
  NornType vector = bits == 8 ? NORN_TYPE_V4I8 : NORN_TYPE_V2I16;
  NornRef part, moved, top = norn_build_bits(b, 32 - bits);
  switch (fuzz_pick(g, 3)) {
  case 0:
    moved = norn_build_shl(b, NORN_TYPE_I32, word, norn_build_bits(b, 32 - bits - bits * k));
    return is_signed ? norn_build_ashr(b, NORN_TYPE_I32, moved, top)
                     : norn_build_lshr(b, NORN_TYPE_I32, moved, top);
  case 1:
    moved = norn_build_lshr(b, NORN_TYPE_I32, word, norn_build_bits(b, bits * k));
    if (!is_signed)
      return norn_build_and(b, NORN_TYPE_I32, moved, norn_build_bits(b, (1u << bits) - 1));
    part = norn_build_trunc(b, type, NORN_TYPE_I32, moved);
    break;
  default:
    part =
        norn_build_extract(b, type, vector, norn_build_bitcast(b, vector, NORN_TYPE_I32, word), k);
    break;
  }
  return is_signed ? norn_build_sext(b, NORN_TYPE_I32, type, part)
                   : norn_build_zext(b, NORN_TYPE_I32, type, part);
}

/* Parts of several words, moved to their positions and combined; occasionally two in the same
 * position. */
static void
unite_parts(FuzzGenerator *g) {
  static const NornOp ops[] = {NORN_OP_OR, NORN_OP_OR, NORN_OP_XOR, NORN_OP_IADD};
  NornBuilder *b = g->builder;
  NornType type = fuzz_pick(g, 3) ? NORN_TYPE_I32 : NORN_TYPE_I64;
  guint bits = fuzz_pick(g, 2) ? 8 : 16, places = norn_type_bits(type) / bits,
        turn = fuzz_pick(g, places);
  NornRef words[2] = {fuzz_operand(g, NORN_TYPE_I32), fuzz_operand(g, NORN_TYPE_I32)}, sum = 0;
  for (guint k = 0; k < places; k++) {
    guint place = fuzz_pick(g, 16) ? (k + turn) % places : turn;
    guint from = fuzz_pick(g, 3) ? place % (32 / bits) : fuzz_pick(g, 32 / bits);
    NornRef part = take_part(g, words[fuzz_pick(g, 3) == 0], bits, from, fuzz_pick(g, 12) == 0);
    if (type == NORN_TYPE_I64)
      part = norn_build_zext(b, type, NORN_TYPE_I32, part);
    if (place)
      part = norn_build_shl(b, type, part, norn_build_bits(b, bits * place));
    sum = sum ? fuzz_build(g, ops[fuzz_pick(g, G_N_ELEMENTS(ops))], type, (NornRef[]){sum, part}, 2)
              : part;
    if (fuzz_pick(g, 8) == 0)
      fuzz_offer(g, sum, type);
  }
  fuzz_offer(g, sum, type);
  if (type == NORN_TYPE_I64) {
    NornRef moved = norn_build_lshr(b, type, sum, norn_build_bits(b, fuzz_pick(g, 64)));
    fuzz_offer(g, norn_build_trunc(b, NORN_TYPE_I32, type, moved), NORN_TYPE_I32);
  }
}

/* The sum of products of bytes of two words and another value, in any order. */
static void
add_byte_products(FuzzGenerator *g) {
  NornBuilder *b = g->builder;
  NornRef words[2] = {fuzz_operand(g, NORN_TYPE_I32), fuzz_operand(g, NORN_TYPE_I32)};
  bool is_signed[2] = {fuzz_pick(g, 3) != 0, fuzz_pick(g, 3) != 0};
  NornRef parts[LANES + 1];
  guint count = LANES + fuzz_pick(g, 2);
  for (guint k = 0; k < LANES; k++) {
    NornRef factors[2];
    for (guint side = 0; side < 2; side++)
      factors[side] = take_part(g, words[side], 8, fuzz_pick(g, 16) ? k : fuzz_pick(g, LANES),
                                is_signed[side] ^ (fuzz_pick(g, 24) == 0));
    guint first = fuzz_pick(g, 2);
    parts[k] = norn_build_imul(b, NORN_TYPE_I32, factors[first], factors[1 - first]);
  }
  parts[LANES] = fuzz_operand(g, NORN_TYPE_I32);
  while (count > 1) {
    guint k = fuzz_pick(g, count - 1);
    parts[k] = norn_build_iadd(b, NORN_TYPE_I32, parts[k], parts[count - 1]);
    count--;
    if (fuzz_pick(g, 16) == 0)
      fuzz_offer(g, parts[k], NORN_TYPE_I32);
  }
  fuzz_offer(g, parts[0], NORN_TYPE_I32);
}

void
fuzz_bytes(FuzzGenerator *g) {
  fuzz_pick(g, 3) ? unite_parts(g) : add_byte_products(g);
}
