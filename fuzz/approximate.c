/* Operations that are only accurate to within a bound; see generator.h. Their results differ
 * between engines, so they are not used directly: the operands are small numbers, and a multiple
 * of the result plus a fraction is rounded. The fraction is chosen such that for none of these
 * operands a result within the bound comes close to a rounding boundary. */
#include "fuzz/generator.h"

/* Multiples are powers of 2, so that they are exact. */
#define FINE 16
#define FINE_FRACTION 0.317
#define SINE_FRACTION 0.297
#define ROOT_FRACTION 0.1485
#define POWER_FRACTION 0.0891

static NornRef
number(FuzzGenerator *g, double value) {
  return norn_build_float(g->builder, NORN_TYPE_F32, value);
}

/* A whole number from `min` (0 or 1) to 127, either known only at run time or a constant. */
static NornRef
draw_whole(FuzzGenerator *g, guint min, guint max) {
  NornBuilder *b = g->builder;
  if (fuzz_pick(g, 4) == 0)
    return number(g, min + fuzz_pick(g, max - min + 1));
  NornRef bits =
      norn_build_and(b, NORN_TYPE_I32, fuzz_operand(g, NORN_TYPE_I32), norn_build_bits(b, max));
  if (min)
    bits = norn_build_umax(b, NORN_TYPE_I32, bits, norn_build_bits(b, min));
  return norn_build_uitofp(b, NORN_ROUND_RTE, NORN_TYPE_F32, NORN_TYPE_I32, bits);
}

static NornRef
scaled(FuzzGenerator *g, NornRef value, double by) {
  return norn_build_fmul(g->builder, NORN_TYPE_F32, value, number(g, by));
}

static void
offer_rounded(FuzzGenerator *g, NornRef value, double multiple, double fraction) {
  NornBuilder *b = g->builder;
  if (multiple != 1)
    value = scaled(g, value, multiple);
  value = norn_build_fadd(b, NORN_TYPE_F32, value, number(g, fraction));
  fuzz_offer(g, norn_build_fptosi(b, NORN_ROUND_RTE, NORN_TYPE_I32, NORN_TYPE_F32, value),
             NORN_TYPE_I32);
}

/* A function of one number. */
static void
add_function(FuzzGenerator *g) {
  static const NornOp ops[] = {NORN_OP_FRCP,  NORN_OP_FSQRT, NORN_OP_FRSQ, NORN_OP_FLOG2,
                               NORN_OP_FEXP2, NORN_OP_FSIN,  NORN_OP_FCOS};
  NornOp op = ops[fuzz_pick(g, G_N_ELEMENTS(ops))];
  bool is_sine = op == NORN_OP_FSIN || op == NORN_OP_FCOS;
  if (!fuzz_has_form(g, op, NORN_TYPE_F32))
    return;
  NornRef operand = draw_whole(g, 1, 127);
  if (op == NORN_OP_FEXP2)
    operand = scaled(g, operand, 1.0 / 16);
  if (is_sine)
    operand =
        scaled(g, norn_build_fsub(g->builder, NORN_TYPE_F32, operand, number(g, 64)), 1.0 / 32);
  NornRef result = fuzz_build(g, op, NORN_TYPE_F32, &operand, 1);
  offer_rounded(g, result, is_sine ? 1 : FINE, is_sine ? SINE_FRACTION : FINE_FRACTION);
}

/* A quotient, possibly plus a number, or a quotient by a square root. */
static void
add_quotient(FuzzGenerator *g) {
  NornBuilder *b = g->builder;
  if (!fuzz_has_form(g, NORN_OP_FDIV, NORN_TYPE_F32) ||
      !fuzz_has_form(g, NORN_OP_FSQRT, NORN_TYPE_F32))
    return;
  guint kind = fuzz_pick(g, 4);
  NornRef dividend = kind == 3 ? number(g, 1) : draw_whole(g, 0, 127);
  NornRef divisor = draw_whole(g, 1, 127);
  if (kind > 1)
    divisor = norn_build_fsqrt(b, NORN_TYPE_F32, divisor);
  norn_builder_set_flags(b, g->is_contracted ? NORN_INST_EXACT : 0);
  NornRef result = norn_build_fdiv(b, NORN_TYPE_F32, dividend, divisor);
  norn_builder_set_flags(b, 0);
  if (kind == 1)
    result = norn_build_fadd(b, NORN_TYPE_F32, result, number(g, fuzz_pick(g, 8)));
  offer_rounded(g, result, kind == 2 ? 1 : FINE, kind == 2 ? ROOT_FRACTION : FINE_FRACTION);
}

static void
add_power(FuzzGenerator *g) {
  if (!fuzz_has_form(g, NORN_OP_FPOW, NORN_TYPE_F32))
    return;
  NornRef base = draw_whole(g, 1, 127), exponent = scaled(g, draw_whole(g, 1, 31), 1.0 / 32);
  offer_rounded(g, norn_build_fpow(g->builder, NORN_TYPE_F32, base, exponent), 1, POWER_FRACTION);
}

/* The level of detail of a texture if the coordinates are the same in all lanes. */
static void
add_query(FuzzGenerator *g) {
  const FuzzForm form = {.op = NORN_OP_TEX_QUERY_LOD, .modifier = NORN_DIMENSION_2D};
  if (g->stage != NORN_STAGE_FRAGMENT || !fuzz_has_form(g, form.op, NORN_TYPE_F32))
    return;
  NornRef operands[2] = {fuzz_handle(g, &form, 0), fuzz_handle(g, &form, 1)};
  NornRef coordinates[2] = {number(g, 0.25), number(g, fuzz_pick(g, 5))}, results[2];
  NornInstSpec spec = norn_inst_spec(form.op);
  spec.modifier = form.modifier;
  spec.operands = operands;
  spec.operand_count = 2;
  spec.list = coordinates;
  spec.list_count = 2;
  spec.results = results;
  norn_build(g->builder, &spec);
  for (guint k = 0; k < 2; k++)
    offer_rounded(g, results[k], 1, FINE_FRACTION);
}

void
fuzz_approximate(FuzzGenerator *g) {
  static void (*const adders[])(FuzzGenerator *) = {add_function, add_function, add_quotient,
                                                    add_quotient, add_power,    add_query};
  static const NornOp needed[] = {NORN_OP_FADD, NORN_OP_FSUB, NORN_OP_FMUL};
  for (guint i = 0; i < G_N_ELEMENTS(needed); i++)
    if (!fuzz_has_form(g, needed[i], NORN_TYPE_F32))
      return;
  adders[fuzz_pick(g, G_N_ELEMENTS(adders))](g);
}
