/* Instructions on bytes: arithmetic, bits, moves, shifts, clipping and comparing. */
#include "sim/vp1/instruction.h"

#include <string.h>

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

/* Writes the vector result and, if a $vc register is named, the flags. All sources have been
 * read by then, so a destination may be one of them. */
static void
write_result(NornVp1State *state, const Instruction *inst, const uint8_t *result,
             const Flags *flags) {
  memcpy(state->v[get(inst, NORN_VP1_FIELD_DST)], result, NORN_VP1_LANES);
  if (has(inst, NORN_VP1_FIELD_VCDST) && get(inst, NORN_VP1_FIELD_VCDST) < 4)
    state->vc[get(inst, NORN_VP1_FIELD_VCDST)] = flags->sign | flags->zero << 16;
}

/* --- Simple arithmetic --- */

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
  void norn_vp1_##name(NornVp1State *state, const Instruction *inst) {                             \
    int wide[NORN_VP1_LANES];                                                                      \
    for (unsigned i = 0; i < NORN_VP1_LANES; i++) {                                                \
      int a = source1(state, inst, i);                                                             \
      int b = source2(state, inst, i);                                                             \
      wide[i] = (expression);                                                                      \
    }                                                                                              \
    write_clipped(state, inst, wide);                                                              \
  }

#define UNARY(name, expression)                                                                    \
  void norn_vp1_##name(NornVp1State *state, const Instruction *inst) {                             \
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

/* --- Bit operations: the sign flag is always clear --- */

static int
bit_operation(unsigned table, unsigned a, unsigned b, unsigned bits) {
  unsigned result = 0;
  for (unsigned i = 0; i < bits; i++)
    result |= (table >> ((a >> i & 1) | (b >> i & 1) << 1) & 1) << i;
  return (int)result;
}

#define BITWISE(name, expression)                                                                  \
  void norn_vp1_##name(NornVp1State *state, const Instruction *inst) {                             \
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

/* --- Moves --- */

void
norn_vp1_mov(NornVp1State *state, const Instruction *inst) {
  uint8_t result[NORN_VP1_LANES];
  Flags flags = {0, 0};
  memcpy(result, state->v[get(inst, NORN_VP1_FIELD_SRC1)], NORN_VP1_LANES);
  for (unsigned i = 0; i < NORN_VP1_LANES; i++)
    set_flags(&flags, i, false, result[i] == 0);
  write_result(state, inst, result, &flags);
}

void
norn_vp1_mov_vc(NornVp1State *state, const Instruction *inst) {
  uint8_t result[NORN_VP1_LANES];
  for (unsigned i = 0; i < NORN_VP1_LANES; i++)
    result[i] = (uint8_t)(state->vc[i / 4] >> 8 * (i % 4));
  write_result(state, inst, result, NULL);
}

void
norn_vp1_vmov(NornVp1State *state, const Instruction *inst) {
  uint8_t value = (uint8_t)get(inst, NORN_VP1_FIELD_BIMM);
  uint8_t result[NORN_VP1_LANES];
  Flags flags = {value & 0x80 ? 0xffff : 0, value == 0 ? 0xffff : 0};
  memset(result, value, sizeof result);
  write_result(state, inst, result, &flags);
}

void
norn_vp1_vswz(NornVp1State *state, const Instruction *inst) {
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

/* --- Shifts: a signed amount of four bits; negative amounts shift left --- */

void
norn_vp1_vshift(NornVp1State *state, const Instruction *inst) {
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

/* --- Clipping and comparing --- */

void
norn_vp1_vclip(NornVp1State *state, const Instruction *inst) {
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

void
norn_vp1_vminabs(NornVp1State *state, const Instruction *inst) {
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

void
norn_vp1_vadd9(NornVp1State *state, const Instruction *inst) {
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

void
norn_vp1_vcmpad(NornVp1State *state, const Instruction *inst) {
  unsigned target = get(inst, NORN_VP1_FIELD_VCDST);
  unsigned input = state->s2v.valid ? norn_vp1_scalar_mask(state) : state->vc[target & 3] & 0xffff;
  const uint8_t *a = state->v[get(inst, NORN_VP1_FIELD_SRC1)];
  const uint8_t *limit = state->v[get(inst, NORN_VP1_FIELD_SRC1) | 1];
  const uint8_t *b = state->v[norn_vp1_mangled_source2(state, inst)];
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
