/* Semantics of the VP1 vector instructions.
 *
 * Each row of the table names a mnemonic, the signedness it fixes, and the function that computes
 * it for the whole vector. Which operand form an instruction has (register or immediate, with or
 * without a destination) follows from the fields its encoding has, so one row serves all forms.
 *
 * All multiplying instructions go through multiply_add (exact sum, rounding term, wrap to 28 bits)
 * and read_out (shift, clip to 16 bits, take one half). Nothing is rounded anywhere else. */
#include "sim/vp1.h"

#include <string.h>

typedef enum {
  FIELD_VCDST,
  FIELD_DST,
  FIELD_SRC1,
  FIELD_SRC2,
  FIELD_SRC3,
  FIELD_BIMM,
  FIELD_BIMMMUL,
  FIELD_BIMMBAD,
  FIELD_VCSRC,
  FIELD_VCSEL,
  FIELD_SIGN1,
  FIELD_SIGN2,
  FIELD_S2VMODE,
  FIELD_FRACTINT,
  FIELD_SWZLOHI,
  FIELD_HILO,
  FIELD_SHIFT,
  FIELD_RND,
  FIELD_SIGNS,
  FIELD_SIGND,
  FIELD_LRP2X,
  FIELD_VAWRITE,
  FIELD_CMPOP,
  FIELD_BITOP,
  FIELD_COND,
  FIELD_SLCT,
  FIELD_COUNT
} Field;

typedef struct {
  uint32_t present; /* one bit per Field */
  int32_t field[FIELD_COUNT];
  bool is_signed;
} Instruction;

typedef void (*Execute)(NornVp1State *state, const Instruction *inst);

/* How a sum of products is rounded and read out. */
typedef struct {
  bool integer; /* products sit at bit 8 instead of bit 0 */
  bool is_signed;
  bool low; /* the low byte of the 16-bit result is wanted */
  bool nearest;
  bool tie_down;
  int shift; /* extra right shift, -4 .. 3 */
} Readout;

static bool
has(const Instruction *inst, Field field) {
  return inst->present >> field & 1;
}

static int32_t
sign_extend(uint32_t value, unsigned bits) {
  uint32_t sign = 1u << (bits - 1);
  value &= (sign << 1) - 1;
  return (int32_t)(value ^ sign) - (int32_t)sign;
}

static int
clip(int value, int low, int high) {
  return value < low ? low : value > high ? high : value;
}

/* The condition results of one instruction, collected per component and written at once. */
typedef struct {
  uint32_t sign;
  uint32_t zero;
} Flags;

static void
set_flags(Flags *flags, unsigned lane, bool sign, bool zero) {
  flags->sign |= (uint32_t)(sign != 0) << lane;
  flags->zero |= (uint32_t)(zero != 0) << lane;
}

/* Writes the vector result and, where a $vc register is named, the flags. Sources are all read by
 * then, so a destination may be one of them. */
static void
write_result(NornVp1State *state, const Instruction *inst, const uint8_t *result,
             const Flags *flags) {
  memcpy(state->v[inst->field[FIELD_DST]], result, NORN_VP1_LANES);
  if (has(inst, FIELD_VCDST) && inst->field[FIELD_VCDST] < 4)
    state->vc[inst->field[FIELD_VCDST]] = flags->sign | flags->zero << 16;
}

/* ---- readout ---- */

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

static Readout
readout_of(const NornVp1State *state, const Instruction *inst) {
  return (Readout){
      .integer = has(inst, FIELD_FRACTINT) && inst->field[FIELD_FRACTINT],
      .is_signed = inst->is_signed,
      .low = has(inst, FIELD_HILO) && inst->field[FIELD_HILO],
      .nearest = inst->field[FIELD_RND] != 0,
      .tie_down = state->tie_down,
      .shift = inst->field[FIELD_SHIFT],
  };
}

/* A multiplier input: unsigned bytes as they are, signed ones as integers or as fractions of 7 bits
 * aligned with the unsigned ones. */
static int32_t
multiplier_input(uint8_t value, bool integer, bool is_signed) {
  if (!is_signed)
    return value;
  return sign_extend(value, 8) * (integer ? 1 : 2);
}

/* ---- simple arithmetic ---- */

static void
write_clipped(NornVp1State *state, const Instruction *inst, const int *wide) {
  uint8_t result[NORN_VP1_LANES];
  Flags flags = {0, 0};
  for (unsigned i = 0; i < NORN_VP1_LANES; i++) {
    int value = inst->is_signed ? clip(wide[i], -0x80, 0x7f) : clip(wide[i], 0, 0xff);
    bool sign = inst->is_signed ? wide[i] < 0 : value != wide[i];
    result[i] = (uint8_t)value;
    set_flags(&flags, i, sign, value == 0);
  }
  write_result(state, inst, result, &flags);
}

static int
source1(const NornVp1State *state, const Instruction *inst, unsigned lane) {
  uint8_t value = state->v[inst->field[FIELD_SRC1]][lane];
  return inst->is_signed ? sign_extend(value, 8) : value;
}

static uint8_t
source2_byte(const NornVp1State *state, const Instruction *inst, unsigned lane) {
  if (has(inst, FIELD_BIMM))
    return (uint8_t)inst->field[FIELD_BIMM];
  return state->v[inst->field[FIELD_SRC2]][lane];
}

static int
source2(const NornVp1State *state, const Instruction *inst, unsigned lane) {
  uint8_t value = source2_byte(state, inst, lane);
  return inst->is_signed ? sign_extend(value, 8) : value;
}

#define ARITHMETIC(name, expression)                                                               \
  static void execute_##name(NornVp1State *state, const Instruction *inst) {                       \
    int wide[NORN_VP1_LANES];                                                                      \
    for (unsigned i = 0; i < NORN_VP1_LANES; i++) {                                                \
      int a = source1(state, inst, i);                                                             \
      int b = source2(state, inst, i);                                                             \
      wide[i] = (expression);                                                                      \
    }                                                                                              \
    write_clipped(state, inst, wide);                                                              \
  }

#define UNARY(name, expression)                                                                    \
  static void execute_##name(NornVp1State *state, const Instruction *inst) {                       \
    int wide[NORN_VP1_LANES];                                                                      \
    for (unsigned i = 0; i < NORN_VP1_LANES; i++) {                                                \
      int a = source1(state, inst, i);                                                             \
      wide[i] = (expression);                                                                      \
    }                                                                                              \
    write_clipped(state, inst, wide);                                                              \
  }

ARITHMETIC(vmin, MIN(a, b))
ARITHMETIC(vmax, MAX(a, b))
ARITHMETIC(vadd, a + b)
ARITHMETIC(vsub, a - b)
UNARY(vabs, ABS(a))
UNARY(vneg, -a)

/* ---- bit operations: the sign flag is always clear ---- */

static int
bit_operation(unsigned table, unsigned a, unsigned b, unsigned bits) {
  unsigned result = 0;
  for (unsigned i = 0; i < bits; i++)
    result |= (table >> ((a >> i & 1) | (b >> i & 1) << 1) & 1) << i;
  return (int)result;
}

#define BITWISE(name, expression)                                                                  \
  static void execute_##name(NornVp1State *state, const Instruction *inst) {                       \
    uint8_t result[NORN_VP1_LANES];                                                                \
    Flags flags = {0, 0};                                                                          \
    for (unsigned i = 0; i < NORN_VP1_LANES; i++) {                                                \
      uint8_t a = state->v[inst->field[FIELD_SRC1]][i];                                            \
      uint8_t b = source2_byte(state, inst, i);                                                    \
      result[i] = (uint8_t)(expression);                                                           \
      set_flags(&flags, i, false, result[i] == 0);                                                 \
    }                                                                                              \
    write_result(state, inst, result, &flags);                                                     \
  }

BITWISE(vand, a &b)
BITWISE(vor, a | b)
BITWISE(vxor, a ^ b)
BITWISE(vbitop, bit_operation((unsigned)inst->field[FIELD_BITOP], b, a, 8))

/* ---- moves ---- */

static void
execute_mov(NornVp1State *state, const Instruction *inst) {
  uint8_t result[NORN_VP1_LANES];
  Flags flags = {0, 0};
  memcpy(result, state->v[inst->field[FIELD_SRC1]], NORN_VP1_LANES);
  for (unsigned i = 0; i < NORN_VP1_LANES; i++)
    set_flags(&flags, i, false, result[i] == 0);
  write_result(state, inst, result, &flags);
}

static void
execute_mov_vc(NornVp1State *state, const Instruction *inst) {
  uint8_t result[NORN_VP1_LANES];
  for (unsigned i = 0; i < NORN_VP1_LANES; i++)
    result[i] = (uint8_t)(state->vc[i / 4] >> 8 * (i % 4));
  write_result(state, inst, result, NULL);
}

static void
execute_vmov(NornVp1State *state, const Instruction *inst) {
  uint8_t value = (uint8_t)inst->field[FIELD_BIMM];
  uint8_t result[NORN_VP1_LANES];
  Flags flags = {value & 0x80 ? 0xffff : 0, value == 0 ? 0xffff : 0};
  memset(result, value, sizeof result);
  write_result(state, inst, result, &flags);
}

static void
execute_vswz(NornVp1State *state, const Instruction *inst) {
  uint8_t result[NORN_VP1_LANES];
  for (unsigned i = 0; i < NORN_VP1_LANES; i++) {
    uint8_t selector = state->v[inst->field[FIELD_SRC3]][i];
    bool high = inst->field[FIELD_SWZLOHI] != 0;
    unsigned component = (high ? selector >> 4 : selector) & 15;
    bool second = (high ? selector : selector >> 4) & 1;
    result[i] = state->v[inst->field[second ? FIELD_SRC2 : FIELD_SRC1]][component];
  }
  write_result(state, inst, result, NULL);
}

/* ---- shifts: a signed amount of four bits, negative to the left ---- */

static void
execute_vshift(NornVp1State *state, const Instruction *inst) {
  uint8_t result[NORN_VP1_LANES];
  Flags flags = {0, 0};
  for (unsigned i = 0; i < NORN_VP1_LANES; i++) {
    int value = source1(state, inst, i);
    int amount = sign_extend(source2_byte(state, inst, i), 4);
    result[i] = (uint8_t)(amount < 0 ? value * (1 << -amount) : value >> amount);
    set_flags(&flags, i, result[i] >> 7, result[i] == 0);
  }
  write_result(state, inst, result, &flags);
}

/* ---- clipping and comparing ---- */

static void
execute_vclip(NornVp1State *state, const Instruction *inst) {
  uint8_t result[NORN_VP1_LANES];
  Flags flags = {0, 0};
  for (unsigned i = 0; i < NORN_VP1_LANES; i++) {
    int value = sign_extend(state->v[inst->field[FIELD_SRC1]][i], 8);
    int first = sign_extend(state->v[inst->field[FIELD_SRC2]][i], 8);
    int second = sign_extend(state->v[inst->field[FIELD_SRC3]][i], 8);
    int low = MIN(first, second);
    int high = MAX(first, second);
    result[i] = (uint8_t)clip(value, low, high);
    set_flags(&flags, i, first >= second || value <= low || value >= high, result[i] == 0);
  }
  write_result(state, inst, result, &flags);
}

static void
execute_vminabs(NornVp1State *state, const Instruction *inst) {
  uint8_t result[NORN_VP1_LANES];
  Flags flags = {0, 0};
  for (unsigned i = 0; i < NORN_VP1_LANES; i++) {
    int a = sign_extend(state->v[inst->field[FIELD_SRC1]][i], 8);
    int b = sign_extend(state->v[inst->field[FIELD_SRC2]][i], 8);
    result[i] = (uint8_t)MIN(MIN(ABS(a), ABS(b)), 0x7f);
    set_flags(&flags, i, false, result[i] == 0);
  }
  write_result(state, inst, result, &flags);
}

static void
execute_vadd9(NornVp1State *state, const Instruction *inst) {
  uint8_t result[NORN_VP1_LANES];
  Flags flags = {0, 0};
  for (unsigned i = 0; i < NORN_VP1_LANES; i++) {
    const uint8_t *addend = &state->v[inst->field[i < 8 ? FIELD_SRC2 : FIELD_SRC3]][2 * (i % 8)];
    int sum = state->v[inst->field[FIELD_SRC1]][i] +
              sign_extend((uint32_t)addend[0] | (uint32_t)addend[1] << 8, 9);
    result[i] = (uint8_t)clip(sum, 0, 0xff);
    set_flags(&flags, i, sum != result[i], result[i] == 0);
  }
  write_result(state, inst, result, &flags);
}

/* ---- inputs selected by $c and by the scalar unit ---- */

#define SLCT_ROTATE 4 /* the selector that rotates within a quad */
#define SLCT_NONE 14  /* the selector that reads no bit of $c */

static unsigned
quad_rotation(const NornVp1State *state, const Instruction *inst) {
  return state->c[inst->field[FIELD_COND]] >> 4 & 3;
}

/* Register number OFFSET places further in the quad of REGISTER, after rotation. */
static unsigned
quad_register(unsigned reg, unsigned rotation) {
  return (reg & ~3u) | ((reg + rotation) & 3);
}

/* The bit of $c that SLCT names; plain register numbers are flipped by it. */
static unsigned
selected_bit(const NornVp1State *state, const Instruction *inst) {
  unsigned select = (unsigned)inst->field[FIELD_SLCT];
  if (select == SLCT_NONE)
    return 0;
  return state->c[inst->field[FIELD_COND]] >> select & 1;
}

static unsigned
mangled_source2(const NornVp1State *state, const Instruction *inst) {
  unsigned reg = (unsigned)inst->field[FIELD_SRC2];
  if (inst->field[FIELD_SLCT] == SLCT_ROTATE)
    return quad_register(reg, quad_rotation(state, inst));
  return reg ^ selected_bit(state, inst);
}

static unsigned
vc_half(const NornVp1State *state, unsigned reg, unsigned part) {
  return state->vc[reg] >> (part ? 16 : 0) & 0xffff;
}

/* Which component of the source mask each component of the spread mask takes, for modes 0-6. */
static const uint8_t mask_spread[7][NORN_VP1_LANES] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {2, 2, 2, 2, 6, 6, 6, 6, 10, 10, 10, 10, 14, 14, 14, 14},
    {4, 5, 4, 5, 4, 5, 4, 5, 12, 13, 12, 13, 12, 13, 12, 13},
    {0, 0, 2, 0, 4, 4, 6, 4, 8, 8, 10, 8, 12, 12, 14, 12},
    {1, 1, 1, 3, 5, 5, 5, 7, 9, 9, 9, 11, 13, 13, 13, 15},
    {0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14, 14},
    {1, 1, 1, 1, 5, 5, 5, 5, 9, 9, 9, 9, 13, 13, 13, 13},
};

/* The mask an s2v instruction supplies. Mode 7 halves the resolution: even components of the
 * register and of the odd register of its pair. */
static unsigned
scalar_mask(const NornVp1State *state) {
  const NornVp1ScalarInput *s2v = &state->s2v;
  unsigned first = vc_half(state, s2v->vcsrc & 3, s2v->vcpart);
  unsigned second = vc_half(state, (s2v->vcsrc & 3) | 1, s2v->vcpart);
  unsigned mask = 0;
  for (unsigned i = 0; i < NORN_VP1_LANES; i++) {
    unsigned bit;
    if ((s2v->vcmode & 7) < 7)
      bit = first >> mask_spread[s2v->vcmode & 7][i];
    else
      bit = (i < 8 ? first : second) >> 2 * (i % 8);
    mask |= (bit & 1) << i;
  }
  return mask;
}

static void
execute_vcmpad(NornVp1State *state, const Instruction *inst) {
  unsigned target = (unsigned)inst->field[FIELD_VCDST];
  unsigned input = state->s2v.valid ? scalar_mask(state) : state->vc[target & 3] & 0xffff;
  const uint8_t *a = state->v[inst->field[FIELD_SRC1]];
  const uint8_t *limit = state->v[inst->field[FIELD_SRC1] | 1];
  const uint8_t *b = state->v[mangled_source2(state, inst)];
  Flags flags = {0, 0};
  for (unsigned i = 0; i < NORN_VP1_LANES; i++) {
    int difference = ABS(b[i] - a[i]);
    bool sign =
        bit_operation((unsigned)inst->field[FIELD_CMPOP], input >> i & 1, difference < limit[i], 1);
    set_flags(&flags, i, sign, difference == limit[i]);
  }
  if (target < 4)
    state->vc[target] = flags.sign | flags.zero << 16;
}

/* ---- multiplication ---- */

static void
write_product(NornVp1State *state, const Instruction *inst, const int32_t *sums, const Readout *r,
              bool keep_accumulator) {
  for (unsigned i = 0; i < NORN_VP1_LANES; i++) {
    if (!keep_accumulator)
      state->va[i] = sums[i];
    if (has(inst, FIELD_DST))
      state->v[inst->field[FIELD_DST]][i] = read_out(sums[i], r);
  }
}

static uint8_t
multiplier_byte(const NornVp1State *state, const Instruction *inst, unsigned lane) {
  if (has(inst, FIELD_BIMMBAD))
    return (uint8_t)inst->field[FIELD_BIMMBAD];
  if (has(inst, FIELD_BIMMMUL))
    return (uint8_t)(inst->field[FIELD_BIMMMUL] << 2);
  return state->v[inst->field[FIELD_SRC2]][lane];
}

static void
multiply(NornVp1State *state, const Instruction *inst, bool accumulate) {
  Readout r = readout_of(state, inst);
  int32_t sums[NORN_VP1_LANES];
  for (unsigned i = 0; i < NORN_VP1_LANES; i++) {
    int32_t a = multiplier_input(state->v[inst->field[FIELD_SRC1]][i], r.integer,
                                 inst->field[FIELD_SIGN1] != 0);
    int32_t b =
        multiplier_input(multiplier_byte(state, inst, i), r.integer, inst->field[FIELD_SIGN2] != 0);
    sums[i] = multiply_add(accumulate ? state->va[i] : 0, a * b, &r);
  }
  write_product(state, inst, sums, &r, false);
}

static void
execute_vmul(NornVp1State *state, const Instruction *inst) {
  multiply(state, inst, false);
}

static void
execute_vmac(NornVp1State *state, const Instruction *inst) {
  multiply(state, inst, true);
}

/* The two factors of one component. */
static void
select_factors(const NornVp1State *state, unsigned mask, unsigned lane, int32_t *factors) {
  unsigned bit = mask >> lane & 1;
  factors[0] = state->s2v.factor[bit];
  factors[1] = state->s2v.factor[2 | bit];
}

/* In mask mode each pair of factors carries sixteen bits, eight in either; a set bit counts as one.
 */
static void
mask_factors(const NornVp1State *state, unsigned lane, int32_t *factors) {
  for (unsigned i = 0; i < 2; i++) {
    unsigned bits = (unsigned)state->s2v.factor[2 * i + lane / 8] >> 1;
    factors[i] = bits >> lane % 8 & 1 ? 0x100 : 0;
  }
}

static unsigned
multiplier_mask(const NornVp1State *state, const Instruction *inst) {
  if (state->s2v.valid)
    return scalar_mask(state);
  return vc_half(state, (unsigned)inst->field[FIELD_VCSRC], (unsigned)inst->field[FIELD_VCSEL]);
}

static void
dual_multiply(NornVp1State *state, const Instruction *inst, bool accumulate) {
  Readout r = readout_of(state, inst);
  bool is_signed = inst->field[FIELD_SIGN1] != 0;
  unsigned first = (unsigned)inst->field[FIELD_SRC1];
  unsigned second = has(inst, FIELD_SRC3) ? (unsigned)inst->field[FIELD_SRC3] : first | 1;
  unsigned mask = multiplier_mask(state, inst);
  int32_t sums[NORN_VP1_LANES];
  for (unsigned i = 0; i < NORN_VP1_LANES; i++) {
    int32_t factors[2];
    if (inst->field[FIELD_S2VMODE])
      mask_factors(state, i, factors);
    else
      select_factors(state, mask, i, factors);
    int64_t base = state->va[i];
    if (!accumulate)
      base = expand(multiplier_input(state->v[inst->field[FIELD_SRC2]][i], r.integer,
                                     inst->field[FIELD_SIGN2] != 0),
                    &r);
    sums[i] =
        multiply_add(base,
                     multiplier_input(state->v[first][i], r.integer, is_signed) * factors[0] +
                         multiplier_input(state->v[second][i], r.integer, is_signed) * factors[1],
                     &r);
  }
  write_product(state, inst, sums, &r, false);
}

static void
execute_vmad2(NornVp1State *state, const Instruction *inst) {
  dual_multiply(state, inst, false);
}

static void
execute_vmac2(NornVp1State *state, const Instruction *inst) {
  dual_multiply(state, inst, true);
}

/* ---- interpolation ---- */

static void
execute_vlrp(NornVp1State *state, const Instruction *inst) {
  Readout r = readout_of(state, inst);
  const uint8_t *a = state->v[inst->field[FIELD_SRC1]];
  const uint8_t *b = state->v[inst->field[FIELD_SRC1] | 1];
  int32_t sums[NORN_VP1_LANES];
  for (unsigned i = 0; i < NORN_VP1_LANES; i++)
    sums[i] =
        multiply_add(expand(b[i], &r), (a[i] - b[i]) * state->v[inst->field[FIELD_SRC2]][i], &r);
  write_product(state, inst, sums, &r, true);
}

static unsigned
interpolation_mask(const NornVp1State *state, const Instruction *inst) {
  return vc_half(state, (unsigned)inst->field[FIELD_VCSRC], (unsigned)inst->field[FIELD_VCSEL]);
}

/* Component LANE of register OFFSET of the rotated quad, as a multiplier input. */
static int32_t
quad_value(const NornVp1State *state, const Instruction *inst, unsigned offset, unsigned lane,
           uint8_t flip) {
  unsigned reg =
      quad_register((unsigned)inst->field[FIELD_SRC1], quad_rotation(state, inst) + offset);
  return multiplier_input(state->v[reg][lane] ^ flip, false,
                          has(inst, FIELD_SIGNS) && inst->field[FIELD_SIGNS]);
}

/* vlrp2 and vlrp4a: value at (0, 0) plus the two differences times the factors. */
static void
interpolate_plane(NornVp1State *state, const Instruction *inst, const Readout *r,
                  bool keep_accumulator) {
  uint8_t flip = has(inst, FIELD_LRP2X) && inst->field[FIELD_LRP2X] ? 0x80 : 0;
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

static void
execute_vlrp2(NornVp1State *state, const Instruction *inst) {
  Readout r = readout_of(state, inst);
  r.is_signed = inst->field[FIELD_SIGND] != 0;
  interpolate_plane(state, inst, &r, !inst->field[FIELD_VAWRITE]);
}

static void
execute_vlrp4a(NornVp1State *state, const Instruction *inst) {
  Readout r = readout_of(state, inst);
  r.low = true;
  interpolate_plane(state, inst, &r, false);
}

static void
execute_vlrpf(NornVp1State *state, const Instruction *inst) {
  Readout r = readout_of(state, inst);
  unsigned mask = interpolation_mask(state, inst);
  int32_t sums[NORN_VP1_LANES];
  r.low = true;
  for (unsigned i = 0; i < NORN_VP1_LANES; i++) {
    int32_t x = quad_value(state, inst, 2, i, 0);
    int32_t y = quad_value(state, inst, 3, i, 0);
    int32_t factors[2];
    select_factors(state, mask, i, factors);
    sums[i] = multiply_add(expand(sign_extend(state->v[inst->field[FIELD_SRC2]][i], 8), &r),
                           (x - y) * factors[0] + y * factors[1], &r);
  }
  write_product(state, inst, sums, &r, false);
}

static void
execute_vlrp4b(NornVp1State *state, const Instruction *inst) {
  Readout r = readout_of(state, inst);
  unsigned mask = interpolation_mask(state, inst);
  unsigned base = (unsigned)inst->field[FIELD_SRC1];
  unsigned next = base ^ selected_bit(state, inst);
  int32_t sums[NORN_VP1_LANES];
  base = next;
  if (inst->field[FIELD_SLCT] == SLCT_ROTATE) {
    unsigned rotation = quad_rotation(state, inst);
    base = quad_register((unsigned)inst->field[FIELD_SRC1], rotation);
    next = quad_register((unsigned)inst->field[FIELD_SRC1], rotation + 1);
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

/* ---- decoding ---- */

typedef struct {
  uint8_t position;
  uint8_t width;
  bool is_signed;
} FieldPlace;

static const FieldPlace places[FIELD_COUNT] = {
    [FIELD_VCDST] = {0, 3},    [FIELD_DST] = {19, 5},     [FIELD_SRC1] = {14, 5},
    [FIELD_SRC2] = {9, 5},     [FIELD_SRC3] = {4, 5},     [FIELD_BIMM] = {3, 8},
    [FIELD_BIMMMUL] = {9, 5},  [FIELD_BIMMBAD] = {0, 8},  [FIELD_VCSRC] = {0, 2},
    [FIELD_VCSEL] = {2, 1},    [FIELD_SIGN1] = {2, 1},    [FIELD_SIGN2] = {1, 1},
    [FIELD_S2VMODE] = {0, 1},  [FIELD_FRACTINT] = {3, 1}, [FIELD_SWZLOHI] = {3, 1},
    [FIELD_HILO] = {4, 1},     [FIELD_SHIFT] = {5, 3, 1}, [FIELD_RND] = {8, 1},
    [FIELD_SIGNS] = {9, 1},    [FIELD_SIGND] = {12, 1},   [FIELD_LRP2X] = {10, 1},
    [FIELD_VAWRITE] = {11, 1}, [FIELD_CMPOP] = {19, 4},   [FIELD_BITOP] = {3, 4},
    [FIELD_COND] = {3, 2},     [FIELD_SLCT] = {5, 4},
};

#define F(x) (1u << FIELD_##x)
#define MUL F(RND) | F(FRACTINT) | F(SHIFT) | F(HILO) | F(SIGN1) | F(SIGN2) | F(SRC1)
#define MUL2                                                                                       \
  F(RND) | F(FRACTINT) | F(SHIFT) | F(HILO) | F(SIGN1) | F(SRC1) | F(S2VMODE) | F(VCSRC) | F(VCSEL)
#define ARI F(VCDST) | F(DST) | F(SRC1)
#define LRP F(SRC1) | F(COND) | F(VCSRC) | F(VCSEL)
static const struct {
  uint8_t op;
  Execute run;
  bool sign;
  uint32_t fields;
} rows[] = {
    {0x80, execute_vmul, 1, MUL | F(SRC2)},
    {0xa0, execute_vmul, 1, MUL | F(BIMMMUL)},
    {0xb0, execute_vmul, 0, MUL | F(BIMMBAD)},
    {0x81, execute_vmul, 1, MUL | F(DST) | F(SRC2)},
    {0x91, execute_vmul, 0, MUL | F(DST) | F(SRC2)},
    {0xa1, execute_vmul, 1, MUL | F(DST) | F(BIMMMUL)},
    {0xb1, execute_vmul, 0, MUL | F(DST) | F(BIMMMUL)},
    {0x82, execute_vmac, 1, MUL | F(DST) | F(SRC2)},
    {0x92, execute_vmac, 0, MUL | F(DST) | F(SRC2)},
    {0xa2, execute_vmac, 1, MUL | F(DST) | F(BIMMMUL)},
    {0xb2, execute_vmac, 0, MUL | F(DST) | F(BIMMMUL)},
    {0x83, execute_vmac, 1, MUL | F(SRC2)},
    {0x93, execute_vmac, 0, MUL | F(SRC2)},
    {0xa3, execute_vmac, 1, MUL | F(BIMMMUL)},
    {0x84, execute_vmad2, 1, MUL2 | F(SIGN2) | F(SRC2)},
    {0x85, execute_vmad2, 1, MUL2 | F(SIGN2) | F(SRC2) | F(DST)},
    {0x95, execute_vmad2, 0, MUL2 | F(SIGN2) | F(SRC2) | F(DST)},
    {0x86, execute_vmac2, 1, MUL2},
    {0x96, execute_vmac2, 0, MUL2 | F(SRC3)},
    {0xa6, execute_vmac2, 1, MUL2 | F(SRC3)},
    {0x87, execute_vmac2, 1, MUL2 | F(DST)},
    {0x97, execute_vmac2, 0, MUL2 | F(DST)},
    {0xa7, execute_vmac2, 1, MUL2 | F(DST) | F(SRC3)},
    {0x88, execute_vmin, 1, ARI | F(SRC2)},
    {0x98, execute_vmin, 0, ARI | F(SRC2)},
    {0xa8, execute_vmin, 1, ARI | F(BIMM)},
    {0xb8, execute_vmin, 0, ARI | F(BIMM)},
    {0x89, execute_vmax, 1, ARI | F(SRC2)},
    {0x99, execute_vmax, 0, ARI | F(SRC2)},
    {0xa9, execute_vmax, 1, ARI | F(BIMM)},
    {0xb9, execute_vmax, 0, ARI | F(BIMM)},
    {0x8c, execute_vadd, 1, ARI | F(SRC2)},
    {0x9c, execute_vadd, 0, ARI | F(SRC2)},
    {0xac, execute_vadd, 1, ARI | F(BIMM)},
    {0xbc, execute_vadd, 0, ARI | F(BIMM)},
    {0x8d, execute_vsub, 1, ARI | F(SRC2)},
    {0x9d, execute_vsub, 0, ARI | F(SRC2)},
    {0xbd, execute_vsub, 0, ARI | F(BIMM)},
    {0x8a, execute_vabs, 1, ARI},
    {0x9a, execute_vabs, 0, ARI},
    {0x8b, execute_vneg, 1, ARI},
    {0xaa, execute_vand, 0, ARI | F(BIMM)},
    {0xab, execute_vxor, 0, ARI | F(BIMM)},
    {0xaf, execute_vor, 0, ARI | F(BIMM)},
    {0x94, execute_vbitop, 0, ARI | F(SRC2) | F(BITOP)},
    {0xba, execute_mov, 0, ARI},
    {0xbb, execute_mov_vc, 0, F(DST)},
    {0xad, execute_vmov, 0, F(DST) | F(VCDST) | F(BIMM)},
    {0x9b, execute_vswz, 0, F(DST) | F(SRC1) | F(SRC2) | F(SRC3) | F(SWZLOHI)},
    {0x8e, execute_vshift, 1, ARI | F(SRC2)},
    {0x9e, execute_vshift, 0, ARI | F(SRC2)},
    {0xae, execute_vshift, 1, ARI | F(BIMM)},
    {0xbe, execute_vshift, 0, ARI | F(BIMM)},
    {0xa4, execute_vclip, 0, ARI | F(SRC2) | F(SRC3)},
    {0xa5, execute_vminabs, 0, ARI | F(SRC2)},
    {0x9f, execute_vadd9, 0, ARI | F(SRC2) | F(SRC3)},
    {0x8f, execute_vcmpad, 0, F(VCDST) | F(SRC1) | F(SRC2) | F(COND) | F(SLCT) | F(CMPOP)},
    {0x90, execute_vlrp, 0, F(RND) | F(SHIFT) | F(DST) | F(SRC1) | F(SRC2)},
    {0xb3, execute_vlrp2, 0,
     LRP | F(SIGND) | F(VAWRITE) | F(RND) | F(SHIFT) | F(DST) | F(SIGNS) | F(LRP2X)},
    {0xb4, execute_vlrp4a, 0, LRP | F(RND) | F(SHIFT)},
    {0xb5, execute_vlrpf, 0, LRP | F(RND) | F(SHIFT) | F(SRC2)},
    {0xb6, execute_vlrp4b, 0, LRP | F(RND) | F(SHIFT) | F(DST) | F(SLCT)},
    {0xb7, execute_vlrp4b, 1, LRP | F(RND) | F(SHIFT) | F(DST) | F(SLCT)},
    {0xbf, NULL, 0, 0},
};

bool
norn_vp1_execute(NornVp1State *state, uint32_t word, GError **error) {
  for (unsigned k = 0; k < G_N_ELEMENTS(rows); k++) {
    if (rows[k].op != word >> 24)
      continue;
    Instruction inst = {rows[k].fields, {0}, rows[k].sign};
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
      uint32_t raw = word >> places[f].position;
      unsigned width = places[f].width;
      if ((word >> 25) == 0x5b && f == FIELD_RND)
        raw = word >> 9;
      if ((word >> 25) == 0x5b && f == FIELD_SHIFT)
        raw = word >> 11;
      inst.field[f] =
          places[f].is_signed ? sign_extend(raw, width) : (int32_t)(raw & ((1u << width) - 1));
      if (f == FIELD_BIMMMUL)
        inst.field[f] |= (word & 1) << 5;
    }
    if (rows[k].run)
      rows[k].run(state, &inst);
    return true;
  }
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "0x%08x is not a vector instruction", word);
  return false;
}
