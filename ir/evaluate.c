/* The scalar functions of ir/evaluate.def and their wrapper for packed types.
 *
 * The .def file is included twice: once to make a function of each row, once for the table of these
 * functions. */
#include "ir/evaluate.h"
#include "ir/assert.h"
#include "ir/ops.h"

#include <glib.h>
#include <string.h>

/* The rounding directions have the same numbers in the IR and in the arithmetic. */
G_STATIC_ASSERT((int)NORN_ROUND_RTE == (int)NORN_ROUND_NEAREST_EVEN);
G_STATIC_ASSERT((int)NORN_ROUND_RTP == (int)NORN_ROUND_UP);
G_STATIC_ASSERT((int)NORN_ROUND_RTN == (int)NORN_ROUND_DOWN);
G_STATIC_ASSERT((int)NORN_ROUND_RTZ == (int)NORN_ROUND_ZERO);
G_STATIC_ASSERT((int)NORN_ROUND_RNA == (int)NORN_ROUND_NEAREST_AWAY);

/* --- Integers --- */

static uint64_t
add_with_carry(uint64_t a, uint64_t b, uint64_t carry, unsigned width, uint64_t *results) {
  uint64_t sum = norn_int_truncate(a + b + carry, width);
  results[1] = carry ? sum <= a : sum < a;
  return sum;
}

static uint64_t
subtract_with_borrow(uint64_t a, uint64_t b, uint64_t borrow, unsigned width, uint64_t *results) {
  results[1] = borrow ? a <= b : a < b;
  return norn_int_truncate(a - b - borrow, width);
}

static uint64_t
divide_signed(uint64_t a, uint64_t b, unsigned width) {
  int64_t divisor = norn_int_sign_extend(b, width);
  if (divisor == 0)
    return UINT64_MAX;
  if (divisor == -1)
    return -a;
  return (uint64_t)(norn_int_sign_extend(a, width) / divisor);
}

/* The exact sum of four products; it fits in 18 bits and a sign. */
static uint64_t
dot_product(uint64_t a, uint64_t b, bool a_signed, bool b_signed) {
  int64_t sum = 0;
  for (unsigned lane = 0; lane < 4; lane++) {
    uint64_t x = a >> 8 * lane & 0xFF, y = b >> 8 * lane & 0xFF;
    sum += (a_signed ? norn_int_sign_extend(x, 8) : (int64_t)x) *
           (b_signed ? norn_int_sign_extend(y, 8) : (int64_t)y);
  }
  return (uint64_t)sum;
}

static uint64_t
funnel_left(uint64_t high, uint64_t low, uint64_t amount, unsigned width) {
  unsigned shift = (unsigned)(amount % width);
  return shift == 0 ? high : high << shift | low >> (width - shift);
}

static uint64_t
funnel_right(uint64_t high, uint64_t low, uint64_t amount, unsigned width) {
  unsigned shift = (unsigned)(amount % width);
  return shift == 0 ? low : low >> shift | high << (width - shift);
}

/* The actual number of bits in a field of COUNT bits that starts at bit OFFSET. */
static unsigned
field_bits(uint64_t offset, uint64_t count, unsigned width) {
  return (unsigned)MIN(count, width - offset % width);
}

static uint64_t
field_mask(uint64_t offset, uint64_t count, unsigned width) {
  return norn_int_mask(field_bits(offset, count, width));
}

static uint64_t
extract_signed(uint64_t a, uint64_t offset, uint64_t count, unsigned width) {
  unsigned bits = field_bits(offset, count, width);
  return bits == 0 ? 0 : (uint64_t)norn_int_sign_extend(a >> offset % width, bits);
}

static uint64_t
insert_field(uint64_t base, uint64_t field, uint64_t offset, uint64_t count, unsigned width) {
  uint64_t mask = field_mask(offset, count, width) << offset % width;
  return (base & ~mask) | (field << offset % width & mask);
}

bool
norn_int_condition_holds(unsigned condition, uint64_t a, uint64_t b, unsigned width) {
  int64_t x = norn_int_sign_extend(a, width), y = norn_int_sign_extend(b, width);
  switch ((NornIntCondition)condition) {
  case NORN_INT_CONDITION_EQ:
    return a == b;
  case NORN_INT_CONDITION_NE:
    return a != b;
  case NORN_INT_CONDITION_ULT:
    return a < b;
  case NORN_INT_CONDITION_ULE:
    return a <= b;
  case NORN_INT_CONDITION_UGT:
    return a > b;
  case NORN_INT_CONDITION_UGE:
    return a >= b;
  case NORN_INT_CONDITION_SLT:
    return x < y;
  case NORN_INT_CONDITION_SLE:
    return x <= y;
  case NORN_INT_CONDITION_SGT:
    return x > y;
  case NORN_INT_CONDITION_SGE:
    return x >= y;
  case NORN_INT_CONDITION_COUNT:
    break;
  }
  return false;
}

/* --- Floats --- */

/* The relations that satisfy each condition: bit NORN_RELATION_x. */
enum {
  LESS = 1 << NORN_RELATION_LESS,
  EQUAL = 1 << NORN_RELATION_EQUAL,
  GREATER = 1 << NORN_RELATION_GREATER,
  UNORDERED = 1 << NORN_RELATION_UNORDERED,
};

static const uint8_t float_conditions[NORN_FLOAT_CONDITION_COUNT] = {
    [NORN_FLOAT_CONDITION_OEQ] = EQUAL,
    [NORN_FLOAT_CONDITION_ONE] = LESS | GREATER,
    [NORN_FLOAT_CONDITION_OLT] = LESS,
    [NORN_FLOAT_CONDITION_OLE] = LESS | EQUAL,
    [NORN_FLOAT_CONDITION_OGT] = GREATER,
    [NORN_FLOAT_CONDITION_OGE] = GREATER | EQUAL,
    [NORN_FLOAT_CONDITION_ORD] = LESS | EQUAL | GREATER,
    [NORN_FLOAT_CONDITION_UEQ] = UNORDERED | EQUAL,
    [NORN_FLOAT_CONDITION_UNE] = UNORDERED | LESS | GREATER,
    [NORN_FLOAT_CONDITION_ULT] = UNORDERED | LESS,
    [NORN_FLOAT_CONDITION_ULE] = UNORDERED | LESS | EQUAL,
    [NORN_FLOAT_CONDITION_UGT] = UNORDERED | GREATER,
    [NORN_FLOAT_CONDITION_UGE] = UNORDERED | GREATER | EQUAL,
    [NORN_FLOAT_CONDITION_UNO] = UNORDERED,
};

static bool
compare_floats(const NornEvaluator *e, NornFloatFormat format, uint64_t a, uint64_t b) {
  NornFloatMode mode = format == e->format ? e->mode : e->conversion;
  return float_conditions[e->modifier] >> norn_float_compare(format, mode, a, b) & 1;
}

/* One bit, numbered as in the operation's table of classes. */
static uint64_t
class_bits(NornFloatFormat format, uint64_t a) {
  bool negative = norn_float_is_negative(format, a);
  switch (norn_float_classify(format, a)) {
  case NORN_FLOAT_CLASS_SIGNALING_NAN:
    return 1 << 0;
  case NORN_FLOAT_CLASS_QUIET_NAN:
    return 1 << 1;
  case NORN_FLOAT_CLASS_INFINITE:
    return negative ? 1 << 2 : 1 << 9;
  case NORN_FLOAT_CLASS_NORMAL:
    return negative ? 1 << 3 : 1 << 8;
  case NORN_FLOAT_CLASS_SUBNORMAL:
    return negative ? 1 << 4 : 1 << 7;
  case NORN_FLOAT_CLASS_ZERO:
    break;
  }
  return negative ? 1 << 5 : 1 << 6;
}

static uint64_t
clamp_float(const NornEvaluator *e, uint64_t a, uint64_t low, uint64_t high) {
  uint64_t raised = norn_float_maximum_number(e->format, e->mode, a, low);
  return norn_float_minimum_number(e->format, e->mode, raised, high);
}

static uint64_t
fraction(const NornEvaluator *e, uint64_t a) {
  NornFloatMode down = e->mode;
  down.round = NORN_ROUND_DOWN;
  uint64_t floor = norn_float_round_to_integral(e->format, down, a);
  return norn_float_subtract(e->format, e->mode, a, floor);
}

static uint64_t
sign(const NornEvaluator *e, uint64_t a) {
  switch (norn_float_compare(e->format, e->mode, a, 0)) {
  case NORN_RELATION_LESS:
    return norn_float_one(e->format, true);
  case NORN_RELATION_GREATER:
    return norn_float_one(e->format, false);
  case NORN_RELATION_EQUAL:
  case NORN_RELATION_UNORDERED:
    break;
  }
  return 0;
}

static uint64_t
split_float(NornFloatFormat format, uint64_t a, uint64_t *results) {
  int exponent;
  uint64_t significand = norn_float_frexp(format, a, &exponent);
  results[1] = (uint32_t)exponent;
  return significand;
}

static uint64_t
narrow_to_half(const NornEvaluator *e, uint64_t a) {
  NornFloatMode mode = {e->conversion.round, e->conversion.flush_inputs, e->flush_half};
  return norn_float_convert(NORN_FLOAT_32, NORN_FLOAT_16, mode, a);
}

static uint64_t
widen_half(const NornEvaluator *e, uint64_t a) {
  NornFloatMode mode = {NORN_ROUND_NEAREST_EVEN, e->flush_half, false};
  return norn_float_convert(NORN_FLOAT_16, NORN_FLOAT_32, mode, a & 0xFFFF);
}

static uint64_t
unpack_halves(const NornEvaluator *e, uint64_t a, uint64_t *results) {
  results[1] = widen_half(e, a >> 16);
  return widen_half(e, a);
}

/* --- Normalized numbers --- */

static uint64_t
normalized_one(unsigned bits, bool is_signed) {
  return norn_float_from_int(NORN_FLOAT_32, NORN_FLOAT_MODE_DEFAULT,
                             norn_int_mask(is_signed ? bits - 1 : bits), 32, false);
}

static uint64_t
pack_normalized(const NornEvaluator *e, const uint64_t *operands, unsigned bits, bool is_signed) {
  uint64_t one = norn_float_one(NORN_FLOAT_32, false);
  uint64_t low = is_signed ? norn_float_one(NORN_FLOAT_32, true) : 0;
  uint64_t scale = normalized_one(bits, is_signed);
  uint64_t packed = 0;
  for (unsigned i = 0; i < 32 / bits; i++) {
    uint64_t clamped = clamp_float(e, operands[i], low, one);
    uint64_t scaled = norn_float_multiply(NORN_FLOAT_32, e->mode, clamped, scale);
    packed |= norn_float_to_int(NORN_FLOAT_32, NORN_FLOAT_MODE_DEFAULT, scaled, bits, is_signed)
              << i * bits;
  }
  return packed;
}

static uint64_t
unpack_normalized(const NornEvaluator *e, uint64_t a, unsigned bits, bool is_signed,
                  uint64_t *results) {
  uint64_t one = norn_float_one(NORN_FLOAT_32, false);
  uint64_t scale = norn_float_divide(NORN_FLOAT_32, NORN_FLOAT_MODE_DEFAULT, one,
                                     normalized_one(bits, is_signed));
  for (unsigned i = 0; i < 32 / bits; i++) {
    uint64_t number =
        norn_float_from_int(NORN_FLOAT_32, NORN_FLOAT_MODE_DEFAULT, a >> i * bits, bits, is_signed);
    uint64_t scaled = norn_float_multiply(NORN_FLOAT_32, e->mode, number, scale);
    results[i] = norn_float_maximum_number(NORN_FLOAT_32, e->mode, scaled,
                                           norn_float_one(NORN_FLOAT_32, true));
  }
  return results[0];
}

/* --- Packed values as a whole --- */

static uint64_t
construct(const NornEvaluator *e, const uint64_t *operands) {
  uint64_t packed = 0;
  for (unsigned lane = 0; lane < e->lanes; lane++)
    packed |= norn_int_truncate(operands[lane], e->width) << lane * e->width;
  return packed;
}

static uint64_t
insert_lane(const NornEvaluator *e, uint64_t packed, uint64_t value, uint64_t lane) {
  unsigned shift = (unsigned)(lane % e->lanes) * e->width;
  uint64_t mask = norn_int_mask(e->width) << shift;
  return (packed & ~mask) | (value << shift & mask);
}

static uint64_t
swizzle(const NornEvaluator *e, uint64_t packed, uint64_t digits) {
  uint64_t lanes[4];
  for (unsigned lane = 0; lane < e->lanes; lane++)
    lanes[lane] = packed >> (digits >> 4 * lane & 15) % e->lanes * e->width;
  return construct(e, lanes);
}

/* --- The table --- */

#define A operands[0]
#define B operands[1]
#define C operands[2]
#define D operands[3]
#define SA norn_int_sign_extend(A, W)
#define SB norn_int_sign_extend(B, W)
#define SC norn_int_sign_extend(C, W)
#define W e->width

#define LANES(id, ...)                                                                             \
  static void evaluate_##id(const NornEvaluator *e, const uint64_t *operands, uint64_t *results) { \
    (void)e;                                                                                       \
    results[0] = __VA_ARGS__;                                                                      \
  }
#define WHOLE LANES
#include "ir/evaluate.def"
#undef LANES
#undef WHOLE

typedef struct Evaluation {
  NornScalarFunction function;
  bool whole;
} Evaluation;

static const Evaluation rows[NORN_OP_COUNT] = {
#define LANES(id, ...) [NORN_OP_##id] = {evaluate_##id, false},
#define WHOLE(id, ...) [NORN_OP_##id] = {evaluate_##id, true},
#include "ir/evaluate.def"
#undef LANES
#undef WHOLE
};

/* --- Evaluators --- */

static void
set_modes(NornEvaluator *e, const NornOpInfo *info, const NornFloatEnvironment *environment) {
  e->mode.round = environment->round;
  e->mode.flush_inputs = e->mode.flush_outputs = environment->flush[e->format];
  bool has_source = info->source_types != 0;
  e->conversion.round =
      info->modifier == NORN_MODIFIER_ROUND ? (NornRoundMode)e->modifier : environment->round;
  e->conversion.flush_inputs = environment->flush[has_source ? e->source_format : e->format];
  e->conversion.flush_outputs = environment->flush[e->format];
  e->flush_half = environment->flush[NORN_FLOAT_16];
}

static bool
is_scalar_or_packed(NornType type) {
  return norn_types[type].class == NORN_CLASS_INT || norn_types[type].class == NORN_CLASS_FLOAT;
}

/* Expands a list of letters into widths, at most `limit`. Sets the bit of each packed one in
 * *SPLIT, unless the operation works on whole values. Returns the number of widths. */
static unsigned
expand_letters(NornSignatureCursor cursor, unsigned repeat, unsigned limit, uint8_t *widths,
               uint8_t *split, bool whole) {
  unsigned count = 0;
  for (; norn_cursor_kind(&cursor) != NORN_LETTER_END; norn_cursor_next(&cursor)) {
    bool is_repeated = norn_cursor_is_repeated(&cursor);
    unsigned copies = is_repeated ? repeat : 1;
    NornType operand = norn_cursor_type(&cursor);
    NORN_ASSERT(count + copies <= limit);
    (void)limit;
    for (unsigned i = 0; i < copies; i++, count++) {
      bool lanes = !whole && norn_types[operand].lanes > 1;
      widths[count] = (uint8_t)(lanes ? norn_types[operand].lane_bits : norn_type_bits(operand));
      *split |= (uint8_t)(lanes << count);
    }
    if (is_repeated)
      break;
  }
  return count;
}

bool
norn_evaluator_init(NornEvaluator *e, NornOp op, NornType type, NornType source_type,
                    unsigned modifier, const NornFloatEnvironment *environment) {
  if (op >= NORN_OP_COUNT || !rows[op].function)
    return false;
  const NornOpInfo *info = &norn_ops[op];
  if ((info->types && !is_scalar_or_packed(type)) ||
      (info->source_types && !is_scalar_or_packed(source_type)))
    return false;
  const NornTypeInfo *t = &norn_types[type], *s = &norn_types[source_type];
  memset(e, 0, sizeof *e);
  e->function = rows[op].function;
  e->modifier = (uint8_t)modifier;
  e->width = t->lane_bits;
  e->source_width = s->lane_bits;
  e->format = norn_float_of_width(e->width);
  e->source_format = norn_float_of_width(e->source_width);
  e->lanes = MAX(t->lanes, s->lanes);
  set_modes(e, info, environment);
  bool whole = rows[op].whole;
  e->operand_count =
      (uint8_t)expand_letters(norn_operand_cursor(op, type, source_type), e->lanes,
                              NORN_EVALUATE_OPERANDS, e->operand_width, &e->split_operands, whole);
  e->result_count =
      (uint8_t)expand_letters(norn_result_cursor(op, type, source_type), 1, NORN_EVALUATE_RESULTS,
                              e->result_width, &e->split_results, whole);
  return true;
}

static void
evaluate_lanes(const NornEvaluator *e, const uint64_t *operands, uint64_t *results) {
  for (unsigned k = 0; k < e->result_count; k++)
    results[k] = 0;
  for (unsigned lane = 0; lane < e->lanes; lane++) {
    uint64_t lane_operands[NORN_EVALUATE_OPERANDS], lane_results[NORN_EVALUATE_RESULTS];
    for (unsigned k = 0; k < e->operand_count; k++) {
      unsigned width = e->operand_width[k];
      lane_operands[k] = e->split_operands >> k & 1
                             ? norn_int_truncate(operands[k] >> lane * width, width)
                             : operands[k];
    }
    e->function(e, lane_operands, lane_results);
    for (unsigned k = 0; k < e->result_count; k++) {
      unsigned width = e->result_width[k];
      results[k] |= norn_int_truncate(lane_results[k], width)
                    << (e->split_results >> k & 1 ? lane * width : 0);
    }
  }
}

void
norn_evaluate(const NornEvaluator *e, const uint64_t *operands, uint64_t *results) {
  if (e->split_operands | e->split_results) {
    evaluate_lanes(e, operands, results);
    return;
  }
  e->function(e, operands, results);
  for (unsigned k = 0; k < e->result_count; k++)
    results[k] = norn_int_truncate(results[k], e->result_width[k]);
}
