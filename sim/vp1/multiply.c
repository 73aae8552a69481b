/* Instructions that multiply.
 *
 * All of them use multiply_add (exact sum, rounding term, wrap to 28 bits) and read_out (shift,
 * clip to 16 bits, take one half). Nothing is rounded anywhere else. */
#include "sim/vp1/instruction.h"

/* How a sum of products is rounded and read out. */
typedef struct {
  bool integer; /* products sit at bit 8 instead of bit 0 */
  bool is_signed;
  bool low; /* the low byte of the 16-bit result is used */
  bool nearest;
  bool tie_down;
  int shift; /* extra right shift, -4 .. 3 */
} Readout;

/* --- Readout --- */

static int
readout_position(const Readout *r) {
  return (r->integer ? 16 : r->is_signed ? 9 : 8) - r->shift;
}

static int64_t
expand(int32_t value, const Readout *r) {
  return (int64_t)value * ((int64_t)1 << readout_position(r));
}

static int32_t
multiply_add(int64_t base, int32_t product_sum, const Readout *r) {
  int64_t sum = base + (r->integer ? (int64_t)product_sum * 256 : product_sum);
  if (r->nearest) {
    int shift = readout_position(r) - (r->low ? 8 : 0);
    if (shift > 0)
      sum += ((int64_t)1 << (shift - 1)) - (r->tie_down ? 1 : 0);
  }
  return sign_extend((uint32_t)sum, 28);
}

static uint8_t
read_out(int32_t value, const Readout *r) {
  int shift = readout_position(r) - 8;
  int64_t result = shift >= 0 ? value >> shift : (int64_t)value * (1 << -shift);
  if (r->is_signed)
    result = CLAMP(result, -0x8000, 0x7fff);
  else
    result = CLAMP(result, 0, 0xffff);
  return (uint8_t)(r->low ? result : result >> 8);
}

/* vlrp4b has its rounding and shift in other fields with other names. */
static Readout
readout_of(const NornVp1State *state, const Instruction *inst) {
  uint32_t rounding = get(inst, NORN_VP1_FIELD_RND) | get(inst, NORN_VP1_FIELD_ALTRND);
  uint32_t shift = get(inst, NORN_VP1_FIELD_SHIFT) | get(inst, NORN_VP1_FIELD_ALTSHIFT);
  return (Readout){
      .integer = get(inst, NORN_VP1_FIELD_FRACTINT) != 0,
      .is_signed = inst->is_signed,
      .low = get(inst, NORN_VP1_FIELD_HILO) != 0,
      .nearest = rounding != 0,
      .tie_down = state->tie_down,
      .shift = sign_extend(shift, 3),
  };
}

/* A multiplier input: unsigned bytes unchanged, signed ones as integers or as fractions of 7
 * bits aligned with the unsigned ones. */
static int32_t
multiplier_input(uint8_t value, bool integer, bool is_signed) {
  if (!is_signed)
    return value;
  return sign_extend(value, 8) * (integer ? 1 : 2);
}

/* --- Multiplication --- */

static void
write_product(NornVp1State *state, const Instruction *inst, const int32_t *sums, const Readout *r,
              bool keep_accumulator) {
  for (unsigned i = 0; i < NORN_VP1_LANES; i++) {
    if (!keep_accumulator)
      state->va[i] = sums[i];
    if (has(inst, NORN_VP1_FIELD_DST))
      state->v[get(inst, NORN_VP1_FIELD_DST)][i] = read_out(sums[i], r);
  }
}

static uint8_t
multiplier_byte(const NornVp1State *state, const Instruction *inst, unsigned lane) {
  if (has(inst, NORN_VP1_FIELD_BIMMBAD))
    return (uint8_t)get(inst, NORN_VP1_FIELD_BIMMBAD);
  if (has(inst, NORN_VP1_FIELD_BIMMMUL))
    return (uint8_t)(get(inst, NORN_VP1_FIELD_BIMMMUL) << 2);
  return state->v[get(inst, NORN_VP1_FIELD_SRC2)][lane];
}

static void
multiply(NornVp1State *state, const Instruction *inst, bool accumulate) {
  Readout r = readout_of(state, inst);
  int32_t sums[NORN_VP1_LANES];
  for (unsigned i = 0; i < NORN_VP1_LANES; i++) {
    int32_t a = multiplier_input(state->v[get(inst, NORN_VP1_FIELD_SRC1)][i], r.integer,
                                 get(inst, NORN_VP1_FIELD_SIGN1) != 0);
    int32_t b = multiplier_input(multiplier_byte(state, inst, i), r.integer,
                                 get(inst, NORN_VP1_FIELD_SIGN2) != 0);
    sums[i] = multiply_add(accumulate ? state->va[i] : 0, a * b, &r);
  }
  write_product(state, inst, sums, &r, false);
}

void
norn_vp1_vmul(NornVp1State *state, const Instruction *inst) {
  multiply(state, inst, false);
}

void
norn_vp1_vmac(NornVp1State *state, const Instruction *inst) {
  multiply(state, inst, true);
}

/* The two factors of one component. */
static void
select_factors(const NornVp1State *state, unsigned mask, unsigned lane, int32_t *factors) {
  unsigned bit = mask >> lane & 1;
  factors[0] = state->s2v.factor[bit];
  factors[1] = state->s2v.factor[2 | bit];
}

/* In mask mode, each pair of factors carries sixteen bits, eight in each factor; a set bit
 * counts as one. */
static void
mask_factors(const NornVp1State *state, unsigned lane, int32_t *factors) {
  for (unsigned i = 0; i < 2; i++) {
    unsigned bits = (unsigned)state->s2v.factor[2 * i + lane / 8] >> 1;
    factors[i] = bits >> lane % 8 & 1 ? 0x100 : 0;
  }
}

/* Without an instruction of the scalar unit, the low bits of the word choose, even if they also
 * have another meaning. */
static unsigned
multiplier_mask(const NornVp1State *state, const Instruction *inst) {
  if (state->s2v.valid)
    return norn_vp1_scalar_mask(state);
  return norn_vp1_vc_half(state, inst->word & 3, inst->word >> 2 & 1);
}

static void
dual_multiply(NornVp1State *state, const Instruction *inst, bool accumulate) {
  Readout r = readout_of(state, inst);
  bool is_signed = get(inst, NORN_VP1_FIELD_SIGN1) != 0;
  unsigned first = get(inst, NORN_VP1_FIELD_SRC1);
  unsigned second = has(inst, NORN_VP1_FIELD_SRC3) ? get(inst, NORN_VP1_FIELD_SRC3) : first | 1;
  unsigned mask = multiplier_mask(state, inst);
  int32_t sums[NORN_VP1_LANES];
  for (unsigned i = 0; i < NORN_VP1_LANES; i++) {
    int32_t factors[2];
    if (get(inst, NORN_VP1_FIELD_S2VMODE))
      mask_factors(state, i, factors);
    else
      select_factors(state, mask, i, factors);
    int64_t base = state->va[i];
    if (!accumulate)
      base = expand(multiplier_input(state->v[get(inst, NORN_VP1_FIELD_SRC2)][i], r.integer,
                                     get(inst, NORN_VP1_FIELD_SIGN2) != 0),
                    &r);
    sums[i] =
        multiply_add(base,
                     multiplier_input(state->v[first][i], r.integer, is_signed) * factors[0] +
                         multiplier_input(state->v[second][i], r.integer, is_signed) * factors[1],
                     &r);
  }
  write_product(state, inst, sums, &r, false);
}

void
norn_vp1_vmad2(NornVp1State *state, const Instruction *inst) {
  dual_multiply(state, inst, false);
}

void
norn_vp1_vmac2(NornVp1State *state, const Instruction *inst) {
  dual_multiply(state, inst, true);
}

/* --- Interpolation --- */

void
norn_vp1_vlrp(NornVp1State *state, const Instruction *inst) {
  Readout r = readout_of(state, inst);
  const uint8_t *a = state->v[get(inst, NORN_VP1_FIELD_SRC1)];
  const uint8_t *b = state->v[get(inst, NORN_VP1_FIELD_SRC1) | 1];
  int32_t sums[NORN_VP1_LANES];
  for (unsigned i = 0; i < NORN_VP1_LANES; i++)
    sums[i] = multiply_add(expand(b[i], &r),
                           (a[i] - b[i]) * state->v[get(inst, NORN_VP1_FIELD_SRC2)][i], &r);
  write_product(state, inst, sums, &r, true);
}

static unsigned
interpolation_mask(const NornVp1State *state, const Instruction *inst) {
  return norn_vp1_vc_half(state, get(inst, NORN_VP1_FIELD_VCSRC), get(inst, NORN_VP1_FIELD_VCSEL));
}

/* Component LANE of register OFFSET of the rotated quad, as a multiplier input. */
static int32_t
quad_value(const NornVp1State *state, const Instruction *inst, unsigned offset, unsigned lane,
           uint8_t flip) {
  unsigned reg = norn_vp1_quad_register(get(inst, NORN_VP1_FIELD_SRC1),
                                        norn_vp1_quad_rotation(state, inst) + offset);
  return multiplier_input(state->v[reg][lane] ^ flip, false, get(inst, NORN_VP1_FIELD_SIGNS) != 0);
}

/* vlrp2 and vlrp4a: the value at (0, 0) plus the two differences times the factors. */
static void
interpolate_plane(NornVp1State *state, const Instruction *inst, const Readout *r,
                  bool keep_accumulator) {
  uint8_t flip = get(inst, NORN_VP1_FIELD_LRP2X) != 0 ? 0x80 : 0;
  unsigned mask = interpolation_mask(state, inst);
  int32_t sums[NORN_VP1_LANES];
  for (unsigned i = 0; i < NORN_VP1_LANES; i++) {
    int32_t origin = quad_value(state, inst, 0, i, 0);
    int32_t x = quad_value(state, inst, 2, i, 0) - origin;
    int32_t y = quad_value(state, inst, 3, i, 0) - origin;
    int32_t factors[2];
    select_factors(state, mask, i, factors);
    sums[i] = multiply_add(expand(quad_value(state, inst, 0, i, flip), r),
                           x * factors[0] + y * factors[1], r);
  }
  write_product(state, inst, sums, r, keep_accumulator);
}

void
norn_vp1_vlrp2(NornVp1State *state, const Instruction *inst) {
  Readout r = readout_of(state, inst);
  r.is_signed = get(inst, NORN_VP1_FIELD_SIGND) != 0;
  interpolate_plane(state, inst, &r, !get(inst, NORN_VP1_FIELD_VAWRITE));
}

void
norn_vp1_vlrp4a(NornVp1State *state, const Instruction *inst) {
  Readout r = readout_of(state, inst);
  r.low = true;
  interpolate_plane(state, inst, &r, false);
}

void
norn_vp1_vlrpf(NornVp1State *state, const Instruction *inst) {
  Readout r = readout_of(state, inst);
  unsigned mask = interpolation_mask(state, inst);
  int32_t sums[NORN_VP1_LANES];
  r.low = true;
  for (unsigned i = 0; i < NORN_VP1_LANES; i++) {
    int32_t x = quad_value(state, inst, 2, i, 0);
    int32_t y = quad_value(state, inst, 3, i, 0);
    int32_t factors[2];
    select_factors(state, mask, i, factors);
    sums[i] = multiply_add(expand(sign_extend(state->v[get(inst, NORN_VP1_FIELD_SRC2)][i], 8), &r),
                           (x - y) * factors[0] + y * factors[1], &r);
  }
  write_product(state, inst, sums, &r, false);
}

void
norn_vp1_vlrp4b(NornVp1State *state, const Instruction *inst) {
  Readout r = readout_of(state, inst);
  unsigned mask = interpolation_mask(state, inst);
  unsigned base = get(inst, NORN_VP1_FIELD_SRC1);
  unsigned next = base ^ norn_vp1_selected_bit(state, inst);
  int32_t sums[NORN_VP1_LANES];
  base = next;
  if (get(inst, NORN_VP1_FIELD_SLCT) == SLCT_ROTATE) {
    unsigned rotation = norn_vp1_quad_rotation(state, inst);
    base = norn_vp1_quad_register(get(inst, NORN_VP1_FIELD_SRC1), rotation);
    next = norn_vp1_quad_register(get(inst, NORN_VP1_FIELD_SRC1), rotation + 1);
  }
  for (unsigned i = 0; i < NORN_VP1_LANES; i++) {
    int32_t origin = state->v[base][i];
    int32_t factors[2];
    select_factors(state, mask, i, factors);
    sums[i] = multiply_add(
        state->va[i],
        (state->v[next][i] - origin) * factors[0] + (state->vx[i] - origin) * factors[1], &r);
  }
  write_product(state, inst, sums, &r, false);
}
