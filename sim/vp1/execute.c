/* Semantics of the VP1 vector instructions.
 *
 * Each row of the table names a mnemonic, the signedness it fixes, and the function that computes
 * it for the whole vector. Which operand form an instruction has (register or immediate, with or
 * without a destination) follows from the fields its encoding has, so one row serves all forms.
 *
 * All multiplying instructions go through multiply_add (exact sum, rounding term, wrap to 28 bits)
 * and read_out (shift, clip to 16 bits, take one half). Nothing is rounded anywhere else. */
#include "sim/vp1/execute.h"
#include "isa/isa.h"
#include <norn/vp1.h>

#include <string.h>

/* An instruction word with its encoding. */
typedef struct {
  const NornIsaEncoding *encoding;
  uint32_t word;
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
has(const Instruction *inst, NornVp1Field field) {
  return norn_isa_field_exists(inst->encoding, field);
}

/* The value of a field, 0 if the instruction does not have it. */
static uint32_t
get(const Instruction *inst, NornVp1Field field) {
  return norn_isa_field_get_or(inst->encoding, field, inst->word, 0);
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
  memcpy(state->v[get(inst, NORN_VP1_FIELD_DST)], result, NORN_VP1_LANES);
  if (has(inst, NORN_VP1_FIELD_VCDST) && get(inst, NORN_VP1_FIELD_VCDST) < 4)
    state->vc[get(inst, NORN_VP1_FIELD_VCDST)] = flags->sign | flags->zero << 16;
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

/* vlrp4b has its rounding and shift at other positions, under other names. */
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
  uint8_t value = state->v[get(inst, NORN_VP1_FIELD_SRC1)][lane];
  return inst->is_signed ? sign_extend(value, 8) : value;
}

static uint8_t
source2_byte(const NornVp1State *state, const Instruction *inst, unsigned lane) {
  if (has(inst, NORN_VP1_FIELD_BIMM))
    return (uint8_t)get(inst, NORN_VP1_FIELD_BIMM);
  return state->v[get(inst, NORN_VP1_FIELD_SRC2)][lane];
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
      uint8_t a = state->v[get(inst, NORN_VP1_FIELD_SRC1)][i];                                     \
      uint8_t b = source2_byte(state, inst, i);                                                    \
      result[i] = (uint8_t)(expression);                                                           \
      set_flags(&flags, i, false, result[i] == 0);                                                 \
    }                                                                                              \
    write_result(state, inst, result, &flags);                                                     \
  }

BITWISE(vand, a &b)
BITWISE(vor, a | b)
BITWISE(vxor, a ^ b)
BITWISE(vbitop, bit_operation(get(inst, NORN_VP1_FIELD_BITOP), b, a, 8))

/* ---- moves ---- */

static void
execute_mov(NornVp1State *state, const Instruction *inst) {
  uint8_t result[NORN_VP1_LANES];
  Flags flags = {0, 0};
  memcpy(result, state->v[get(inst, NORN_VP1_FIELD_SRC1)], NORN_VP1_LANES);
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
  uint8_t value = (uint8_t)get(inst, NORN_VP1_FIELD_BIMM);
  uint8_t result[NORN_VP1_LANES];
  Flags flags = {value & 0x80 ? 0xffff : 0, value == 0 ? 0xffff : 0};
  memset(result, value, sizeof result);
  write_result(state, inst, result, &flags);
}

static void
execute_vswz(NornVp1State *state, const Instruction *inst) {
  uint8_t result[NORN_VP1_LANES];
  for (unsigned i = 0; i < NORN_VP1_LANES; i++) {
    uint8_t selector = state->v[get(inst, NORN_VP1_FIELD_SRC3)][i];
    bool high = get(inst, NORN_VP1_FIELD_SWZLOHI) != 0;
    unsigned component = (high ? selector >> 4 : selector) & 15;
    bool second = (high ? selector : selector >> 4) & 1;
    result[i] = state->v[get(inst, second ? NORN_VP1_FIELD_SRC2 : NORN_VP1_FIELD_SRC1)][component];
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
    int value = sign_extend(state->v[get(inst, NORN_VP1_FIELD_SRC1)][i], 8);
    int first = sign_extend(state->v[get(inst, NORN_VP1_FIELD_SRC2)][i], 8);
    int second = sign_extend(state->v[get(inst, NORN_VP1_FIELD_SRC3)][i], 8);
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
    int a = sign_extend(state->v[get(inst, NORN_VP1_FIELD_SRC1)][i], 8);
    int b = sign_extend(state->v[get(inst, NORN_VP1_FIELD_SRC2)][i], 8);
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
    const uint8_t *addend =
        &state->v[get(inst, i < 8 ? NORN_VP1_FIELD_SRC2 : NORN_VP1_FIELD_SRC3)][2 * (i % 8)];
    int sum = state->v[get(inst, NORN_VP1_FIELD_SRC1)][i] +
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
  return state->c[get(inst, NORN_VP1_FIELD_COND)] >> 4 & 3;
}

/* The register `rotation` further in the quad of `reg`, wrapping around. */
static unsigned
quad_register(unsigned reg, unsigned rotation) {
  return (reg & ~3u) | ((reg + rotation) & 3);
}

/* The bit of $c that SLCT names; plain register numbers are flipped by it. */
static unsigned
selected_bit(const NornVp1State *state, const Instruction *inst) {
  unsigned select = get(inst, NORN_VP1_FIELD_SLCT);
  if (select == SLCT_NONE)
    return 0;
  return state->c[get(inst, NORN_VP1_FIELD_COND)] >> select & 1;
}

static unsigned
mangled_source2(const NornVp1State *state, const Instruction *inst) {
  unsigned reg = get(inst, NORN_VP1_FIELD_SRC2);
  if (get(inst, NORN_VP1_FIELD_SLCT) == SLCT_ROTATE)
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
  unsigned target = get(inst, NORN_VP1_FIELD_VCDST);
  unsigned input = state->s2v.valid ? scalar_mask(state) : state->vc[target & 3] & 0xffff;
  const uint8_t *a = state->v[get(inst, NORN_VP1_FIELD_SRC1)];
  const uint8_t *limit = state->v[get(inst, NORN_VP1_FIELD_SRC1) | 1];
  const uint8_t *b = state->v[mangled_source2(state, inst)];
  Flags flags = {0, 0};
  for (unsigned i = 0; i < NORN_VP1_LANES; i++) {
    int difference = ABS(b[i] - a[i]);
    bool sign =
        bit_operation(get(inst, NORN_VP1_FIELD_CMPOP), input >> i & 1, difference < limit[i], 1);
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

/* Without an instruction of the scalar unit the low bits of the word choose, whatever else they
 * mean. */
static unsigned
multiplier_mask(const NornVp1State *state, const Instruction *inst) {
  if (state->s2v.valid)
    return scalar_mask(state);
  return vc_half(state, inst->word & 3, inst->word >> 2 & 1);
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
  return vc_half(state, get(inst, NORN_VP1_FIELD_VCSRC), get(inst, NORN_VP1_FIELD_VCSEL));
}

/* Component LANE of register OFFSET of the rotated quad, as a multiplier input. */
static int32_t
quad_value(const NornVp1State *state, const Instruction *inst, unsigned offset, unsigned lane,
           uint8_t flip) {
  unsigned reg = quad_register(get(inst, NORN_VP1_FIELD_SRC1), quad_rotation(state, inst) + offset);
  return multiplier_input(state->v[reg][lane] ^ flip, false, get(inst, NORN_VP1_FIELD_SIGNS) != 0);
}

/* vlrp2 and vlrp4a: value at (0, 0) plus the two differences times the factors. */
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

static void
execute_vlrp2(NornVp1State *state, const Instruction *inst) {
  Readout r = readout_of(state, inst);
  r.is_signed = get(inst, NORN_VP1_FIELD_SIGND) != 0;
  interpolate_plane(state, inst, &r, !get(inst, NORN_VP1_FIELD_VAWRITE));
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
    sums[i] = multiply_add(expand(sign_extend(state->v[get(inst, NORN_VP1_FIELD_SRC2)][i], 8), &r),
                           (x - y) * factors[0] + y * factors[1], &r);
  }
  write_product(state, inst, sums, &r, false);
}

static void
execute_vlrp4b(NornVp1State *state, const Instruction *inst) {
  Readout r = readout_of(state, inst);
  unsigned mask = interpolation_mask(state, inst);
  unsigned base = get(inst, NORN_VP1_FIELD_SRC1);
  unsigned next = base ^ selected_bit(state, inst);
  int32_t sums[NORN_VP1_LANES];
  base = next;
  if (get(inst, NORN_VP1_FIELD_SLCT) == SLCT_ROTATE) {
    unsigned rotation = quad_rotation(state, inst);
    base = quad_register(get(inst, NORN_VP1_FIELD_SRC1), rotation);
    next = quad_register(get(inst, NORN_VP1_FIELD_SRC1), rotation + 1);
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

static void
execute_vnop(NornVp1State *state, const Instruction *inst) {
  (void)state;
  (void)inst;
}

static const Execute semantics[NORN_VP1_INSTRUCTION_COUNT] = {
    [NORN_VP1_VMUL_S_ACC] = execute_vmul,
    [NORN_VP1_VMUL_S_ACC_IMM] = execute_vmul,
    [NORN_VP1_VMUL_S] = execute_vmul,
    [NORN_VP1_VMUL_U] = execute_vmul,
    [NORN_VP1_VMUL_S_IMM] = execute_vmul,
    [NORN_VP1_VMUL_U_IMM] = execute_vmul,
    [NORN_VP1_VMAC_S] = execute_vmac,
    [NORN_VP1_VMAC_U] = execute_vmac,
    [NORN_VP1_VMAC_S_IMM] = execute_vmac,
    [NORN_VP1_VMAC_U_IMM] = execute_vmac,
    [NORN_VP1_VMAC_S_ACC] = execute_vmac,
    [NORN_VP1_VMAC_U_ACC] = execute_vmac,
    [NORN_VP1_VMAC_S_ACC_IMM] = execute_vmac,
    [NORN_VP1_VMUL_U_BAD] = execute_vmul,
    [NORN_VP1_VMAD2_S_ACC] = execute_vmad2,
    [NORN_VP1_VMAD2_S] = execute_vmad2,
    [NORN_VP1_VMAD2_U] = execute_vmad2,
    [NORN_VP1_VMAC2_S_ACC] = execute_vmac2,
    [NORN_VP1_VMAC2_S] = execute_vmac2,
    [NORN_VP1_VMAC2_U] = execute_vmac2,
    [NORN_VP1_VMAC2_U_BAD] = execute_vmac2,
    [NORN_VP1_VMAC2_S_ACC_BAD] = execute_vmac2,
    [NORN_VP1_VMAC2_S_BAD] = execute_vmac2,
    [NORN_VP1_VLRP] = execute_vlrp,
    [NORN_VP1_VLRP2] = execute_vlrp2,
    [NORN_VP1_VLRP4A] = execute_vlrp4a,
    [NORN_VP1_VLRPF] = execute_vlrpf,
    [NORN_VP1_VLRP4B_U] = execute_vlrp4b,
    [NORN_VP1_VLRP4B_S] = execute_vlrp4b,
    [NORN_VP1_VMIN_S] = execute_vmin,
    [NORN_VP1_VMIN_U] = execute_vmin,
    [NORN_VP1_VMIN_S_IMM] = execute_vmin,
    [NORN_VP1_VMIN_U_IMM] = execute_vmin,
    [NORN_VP1_VMAX_S] = execute_vmax,
    [NORN_VP1_VMAX_U] = execute_vmax,
    [NORN_VP1_VMAX_S_IMM] = execute_vmax,
    [NORN_VP1_VMAX_U_IMM] = execute_vmax,
    [NORN_VP1_VADD_S] = execute_vadd,
    [NORN_VP1_VADD_U] = execute_vadd,
    [NORN_VP1_VADD_S_IMM] = execute_vadd,
    [NORN_VP1_VADD_U_IMM] = execute_vadd,
    [NORN_VP1_VSUB_S] = execute_vsub,
    [NORN_VP1_VSUB_U] = execute_vsub,
    [NORN_VP1_VSUB_U_IMM] = execute_vsub,
    [NORN_VP1_VABS_S] = execute_vabs,
    [NORN_VP1_VABS_U] = execute_vabs,
    [NORN_VP1_VNEG_S] = execute_vneg,
    [NORN_VP1_VCLIP] = execute_vclip,
    [NORN_VP1_VMINABS] = execute_vminabs,
    [NORN_VP1_VADD9] = execute_vadd9,
    [NORN_VP1_VCMPAD] = execute_vcmpad,
    [NORN_VP1_VBITOP] = execute_vbitop,
    [NORN_VP1_VAND_IMM] = execute_vand,
    [NORN_VP1_VXOR_IMM] = execute_vxor,
    [NORN_VP1_VOR_IMM] = execute_vor,
    [NORN_VP1_VSAR] = execute_vshift,
    [NORN_VP1_VSHR] = execute_vshift,
    [NORN_VP1_VSAR_IMM] = execute_vshift,
    [NORN_VP1_VSHR_IMM] = execute_vshift,
    [NORN_VP1_VMOV] = execute_vmov,
    [NORN_VP1_MOV] = execute_mov,
    [NORN_VP1_MOV_VC] = execute_mov_vc,
    [NORN_VP1_VSWZ] = execute_vswz,
    [NORN_VP1_VNOP] = execute_vnop,
};

static bool
execute_word(NornVp1State *state, uint32_t word, GError **error) {
  const NornIsaEncoding *encoding = norn_isa_decode(&norn_isa_vp1, NORN_VP1_ARCHITECTURE_1, word);
  if (!encoding) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "0x%08x is not a vector instruction", word);
    return false;
  }
  Instruction inst = {encoding, word, (encoding->flags & NORN_VP1_FLAG_SIGNED) != 0};
  semantics[encoding->instruction](state, &inst);
  return true;
}

bool
norn_vp1_run(NornVp1State *state, const void *code, size_t size, GError **error) {
  if (size % sizeof(uint32_t)) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "a program is whole words of 4 bytes, not %zu bytes", size);
    return false;
  }
  for (size_t at = 0; at < size; at += sizeof(uint32_t)) {
    uint32_t word;
    memcpy(&word, (const char *)code + at, sizeof word);
    if (!execute_word(state, GUINT32_FROM_LE(word), error)) {
      g_prefix_error(error, "instruction %zu: ", at / sizeof(uint32_t));
      return false;
    }
  }
  return true;
}
