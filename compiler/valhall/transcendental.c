/* Functions of f32 that take several instructions: powers, logarithms, sine and cosine.
 *
 * exp2: the argument times 2^24 as an integer is what FEXP raises 2 to. log2: exponent plus (m - 1)
 * times what FLOGD gives for the mantissa m. pow: both, the product of logarithm and exponent taken
 * at once. sine: a table of 64 angles and two terms of the series around them; the sum of the angle
 * and 786432 has the number of the table's angle in its low bits. */
#include "compiler/valhall/valhall.h"

/* Floats by their bits. */
#define ONE 0x3F800000
#define MINUS_ONE 0xBF800000
#define MINUS_ZERO 0x80000000
#define TWO_OVER_PI 0x3F22F983
#define HALF_PI 0x3FC90FDB
#define TABLE_BIAS 0x49400000 /* 786432: its last place is 1/16 */

/* 2^24, as FEXP's argument is scaled. */
#define EXP_SCALE 24

static NornRef
word(NornSelector *selector, uint32_t bits) {
  return norn_select_word(selector, bits);
}

/* 2^(scaled / 2^24), in place of the instruction. */
static bool
finish_exp2(NornSelector *selector, uint32_t inst, NornRef scaled) {
  NornValhallInst fixed = norn_valhall_begin(selector, inst, NORN_VALHALL_F32_TO_S32);
  norn_valhall_plain(&fixed, scaled);
  NornRef integer = norn_valhall_emit(&fixed, 1);
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FEXP_F32);
  norn_valhall_plain(&machine, integer);
  norn_valhall_plain(&machine, scaled);
  return norn_valhall_finish(&machine);
}

/* a * b * 2^scale; with `zero_wins`, 0 if a factor is 0. */
static NornRef
scaled_product(NornSelector *selector, uint32_t inst, NornRef a, NornRef b, uint32_t scale,
               bool zero_wins) {
  NornValhallInst machine = norn_valhall_begin(
      selector, inst, zero_wins ? NORN_VALHALL_FMA_RSCALE_N_F32 : NORN_VALHALL_FMA_RSCALE_F32);
  norn_valhall_source(&machine, a, NORN_VALHALL_SIGNS, NORN_TYPE_F32);
  norn_valhall_source(&machine, b, NORN_VALHALL_SIGNS, NORN_TYPE_F32);
  norn_valhall_constant(&machine, MINUS_ZERO);
  norn_valhall_constant(&machine, scale);
  return norn_valhall_emit(&machine, 1);
}

static bool
select_exp2(NornSelector *selector, uint32_t inst) {
  NornRef scaled = scaled_product(selector, inst, norn_select_operand(selector, inst, 0),
                                  word(selector, ONE), EXP_SCALE, false);
  return finish_exp2(selector, inst, scaled);
}

/* The last instruction of a logarithm. */
static NornValhallInst
begin_log2(NornSelector *selector, uint32_t inst, NornRef value) {
  NornValhallInst exponent = norn_valhall_begin(selector, inst, NORN_VALHALL_FREXPE_F32);
  norn_valhall_set(&exponent, NORN_VALHALL_FIELD_FREXP, NORN_VALHALL_FREXP_LOG);
  norn_valhall_plain(&exponent, value);
  NornRef integer = norn_valhall_emit(&exponent, 1);
  NornValhallInst conversion = norn_valhall_begin(selector, inst, NORN_VALHALL_S32_TO_F32);
  norn_valhall_plain(&conversion, integer);
  NornRef whole = norn_valhall_emit(&conversion, 1);
  NornValhallInst table = norn_valhall_begin(selector, inst, NORN_VALHALL_FLOGD_F32);
  norn_valhall_plain(&table, value);
  NornRef slope = norn_valhall_emit(&table, 1);
  NornValhallInst mantissa = norn_valhall_begin(selector, inst, NORN_VALHALL_FADD_LSCALE_F32);
  norn_valhall_constant(&mantissa, MINUS_ONE);
  norn_valhall_plain(&mantissa, value);
  NornRef distance = norn_valhall_emit(&mantissa, 1);
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FMA_F32);
  norn_valhall_plain(&machine, slope);
  norn_valhall_plain(&machine, distance);
  norn_valhall_plain(&machine, whole);
  return machine;
}

static bool
select_log2(NornSelector *selector, uint32_t inst) {
  NornValhallInst machine = begin_log2(selector, inst, norn_select_operand(selector, inst, 0));
  return norn_valhall_finish(&machine);
}

/* A zero exponent gives 1, and so does a base of 1, whatever the other is. */
static bool
select_pow(NornSelector *selector, uint32_t inst) {
  NornRef base = norn_select_operand(selector, inst, 0);
  NornRef exponent = norn_select_operand(selector, inst, 1);
  NornValhallInst machine = begin_log2(selector, inst, base);
  NornRef logarithm = norn_valhall_emit(&machine, 1);
  NornRef scaled = scaled_product(selector, inst, exponent, logarithm, EXP_SCALE, true);
  return finish_exp2(selector, inst, scaled);
}

static NornRef
table_value(NornSelector *selector, uint32_t inst, unsigned instruction, NornRef angle) {
  NornValhallInst machine = norn_valhall_begin(selector, inst, instruction);
  norn_valhall_plain(&machine, angle);
  return norn_valhall_emit(&machine, 1);
}

/* f(x) = f + e * f' - e^2/2 * f around the table's angle, e away from it. */
static bool
select_sine(NornSelector *selector, uint32_t inst) {
  bool is_sine = norn_inst(selector->function, inst)->op == NORN_OP_FSIN;
  NornRef x = norn_select_operand(selector, inst, 0);
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FMA_F32);
  norn_valhall_source(&machine, x, NORN_VALHALL_FLOAT, NORN_TYPE_F32);
  norn_valhall_constant(&machine, TWO_OVER_PI);
  norn_valhall_constant(&machine, TABLE_BIAS);
  NornRef angle = norn_valhall_emit(&machine, 1);
  machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FADD_F32);
  norn_valhall_plain(&machine, angle);
  norn_valhall_constant(&machine, TABLE_BIAS | MINUS_ZERO);
  NornRef quarters = norn_valhall_emit(&machine, 1);
  machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FMA_F32);
  norn_valhall_plain(&machine, quarters);
  norn_valhall_constant(&machine, HALF_PI | MINUS_ZERO);
  norn_valhall_source(&machine, x, NORN_VALHALL_FLOAT, NORN_TYPE_F32);
  NornRef rest = norn_valhall_emit(&machine, 1);
  NornRef sine = table_value(selector, inst, NORN_VALHALL_FSIN_TABLE_U6, angle);
  NornRef cosine = table_value(selector, inst, NORN_VALHALL_FCOS_TABLE_U6, angle);
  NornRef value = is_sine ? sine : cosine, slope = is_sine ? cosine : sine;
  NornRef square = scaled_product(selector, inst, rest, rest, UINT32_MAX, false);
  machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FMA_F32);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_NEG0, 1);
  norn_valhall_plain(&machine, square);
  norn_valhall_plain(&machine, value);
  norn_valhall_constant(&machine, MINUS_ZERO);
  NornRef second = norn_valhall_emit(&machine, 1);
  machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FMA_F32);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_CLAMP, NORN_VALHALL_CLAMP_CLAMP_M1_1);
  norn_valhall_plain(&machine, rest);
  if (!is_sine)
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_NEG1, 1);
  norn_valhall_plain(&machine, slope);
  norn_valhall_plain(&machine, second);
  NornRef correction = norn_valhall_emit(&machine, 1);
  /* The clamp makes -1 of the NaN that an infinity or a NaN has become; rest * 0 brings it back. */
  machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FMA_F32);
  norn_valhall_plain(&machine, rest);
  norn_valhall_constant(&machine, 0);
  norn_valhall_plain(&machine, value);
  NornRef kept = norn_valhall_emit(&machine, 1);
  machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FADD_F32);
  norn_valhall_plain(&machine, correction);
  norn_valhall_plain(&machine, kept);
  return norn_valhall_finish(&machine);
}

bool
norn_valhall_select_transcendental(NornSelector *selector, uint32_t inst) {
  switch (norn_inst(selector->function, inst)->op) {
  case NORN_OP_FEXP2:
    return select_exp2(selector, inst);
  case NORN_OP_FLOG2:
    return select_log2(selector, inst);
  case NORN_OP_FPOW:
    return select_pow(selector, inst);
  default:
    return select_sine(selector, inst);
  }
}
