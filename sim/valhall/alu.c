/* Decoding and executing Valhall's ALU instructions by the rows of their meaning.
 *
 * Around a row's function everything is generic: a source lane is selected (swizzled, widened),
 * then made absolute, then negated or complemented; subnormal floats are flushed as the shader's
 * mode says; a float result is clamped, narrowed and masked. */
#include "sim/valhall/alu.h"
#include <norn/valhall.h>
#include <string.h>

/* --- Decoding --- */

/* The fields of the modifiers. */
static const uint16_t modifier_fields[NORN_VALHALL_MODIFIER_COUNT] = {
#define MODIFIER(id) [NORN_VALHALL_MODIFIER_##id] = NORN_VALHALL_FIELD_##id,
    NORN_VALHALL_MODIFIERS(MODIFIER)
#undef MODIFIER
};

/* Modifiers that say nothing about the result of one instruction. */
static const uint16_t other_fields[] = {
    NORN_VALHALL_FIELD_FLOW,
    NORN_VALHALL_FIELD_CONSERVATIVE,
    NORN_VALHALL_FIELD_ABSOLUTE,
};

bool
norn_valhall_is_operation(uint16_t instruction) {
  return norn_valhall_row(instruction) != NULL;
}

static void
decode_write_mask(const char *name, NornValhallOperation *operation) {
  static const char *const names[] = {"h01", "h0", "h1"};
  for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
    if (strcmp(name, names[i]) == 0)
      operation->write_mask = (uint8_t)i;
}

/* The rounding by its name, since not all instructions have the same choices. */
static uint8_t
round_mode(const char *name) {
  static const char *const names[] = {"rte", "rtp", "rtn", "rtz", "rtna"};
  for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
    if (strcmp(name, names[i]) == 0)
      return (uint8_t)i;
  return NORN_ROUND_NEAREST_EVEN;
}

static bool
decode_modifier(const NornIsa *isa, const NornIsaField *field, uint64_t word,
                NornValhallOperation *operation) {
  uint32_t value = norn_isa_extract(field, word);
  for (unsigned i = 0; i < NORN_VALHALL_MODIFIER_COUNT; i++) {
    if (modifier_fields[i] == field->number) {
      operation->modifier[i] = i == NORN_VALHALL_MODIFIER_ROUND
                                   ? round_mode(norn_isa_value_name(isa, field, word))
                                   : (uint8_t)value;
      return true;
    }
  }
  for (unsigned i = 0; i < G_N_ELEMENTS(other_fields); i++)
    if (other_fields[i] == field->number)
      return true;
  return value == 0;
}

/* A modifier of source `k`. */
static bool
decode_source_modifier(const NornIsa *isa, const NornIsaField *field, uint64_t word, unsigned k,
                       NornValhallOperation *operation) {
  uint32_t value = norn_isa_extract(field, word);
  switch (field->enumeration) {
  case NORN_VALHALL_ENUM_NEG:
    operation->negate[k] = value;
    return true;
  case NORN_VALHALL_ENUM_ABS:
    operation->absolute[k] = value;
    return true;
  case NORN_VALHALL_ENUM_NOT:
    operation->complement[k] = value;
    return true;
  case NORN_VALHALL_ENUM_COMBINE:
    return decode_modifier(isa, field, word, operation);
  default:
    operation->swizzle[k] = *norn_isa_swizzle(isa, field, value);
    return field->swizzles != UINT32_MAX || !value;
  }
}

/* The modifiers of an operand, or its value if it is an immediate. `source` counts the sources. */
static bool
decode_operand(const NornIsa *isa, const NornIsaEncoding *encoding, const NornIsaOperand *operand,
               uint64_t word, unsigned *source, NornValhallOperation *operation) {
  if (operand->role == NORN_ISA_OPERAND_IMMEDIATE) {
    const NornIsaField *field = &encoding->fields[operand->field];
    operation->immediate = norn_isa_extract(field, word);
    if (field->number == NORN_VALHALL_FIELD_SHIFT)
      operation->modifier[NORN_VALHALL_MODIFIER_SHIFT] = (uint8_t)operation->immediate;
  }
  if (operand->role == NORN_ISA_OPERAND_DESTINATION && operand->modifier_count)
    decode_write_mask(norn_isa_value_name(isa, &encoding->fields[operand->modifiers[0]], word),
                      operation);
  if (operand->role != NORN_ISA_OPERAND_SOURCE)
    return true;
  unsigned k = (*source)++;
  for (unsigned i = 0; i < operand->modifier_count; i++) {
    if (!decode_source_modifier(isa, &encoding->fields[operand->modifiers[i]], word, k, operation))
      return false;
  }
  return true;
}

/* How a lane is chosen is not known for all of CLPER's operations. */
static bool
knows_lane_operation(const NornValhallOperation *operation) {
  uint8_t code = operation->modifier[NORN_VALHALL_MODIFIER_LANE_OPERATION];
  return code == NORN_VALHALL_LANE_OPERATION_NONE || code == NORN_VALHALL_LANE_OPERATION_XOR ||
         code == NORN_VALHALL_LANE_OPERATION_SHIFT;
}

bool
norn_valhall_decode(const NornIsa *isa, const NornIsaEncoding *encoding, uint64_t word,
                    NornValhallOperation *operation, GError **error) {
  const char *name = norn_isa_string(isa, isa->names[encoding->instruction].text);
  memset(operation, 0, sizeof *operation);
  if (!norn_valhall_is_operation(encoding->instruction)) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED, "what %s computes is not modeled", name);
    return false;
  }
  operation->row = norn_valhall_row(encoding->instruction);
  operation->write_mask = NORN_VALHALL_DESTINATION_ALL;
  operation->never_flushes = operation->row->flags & NORN_VALHALL_ROW_KEEPS_SINCE_11 &&
                             encoding->since >= NORN_VALHALL_ARCHITECTURE_11;
  unsigned source = 0;
  bool known = true;
  for (unsigned i = 0; i < encoding->modifier_count; i++)
    known &= decode_modifier(isa, &encoding->fields[encoding->modifiers[i]], word, operation);
  for (unsigned i = 0; i < encoding->operand_count; i++)
    known &= decode_operand(isa, encoding, &encoding->operands[i], word, &source, operation);
  known &= knows_lane_operation(operation);
  if (!known)
    g_set_error(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED,
                "what a modifier of this %s means is not modeled", name);
  return known;
}

/* --- Execution --- */

/* min(max(a, low), high): NaN gives the low end, and -0 is below +0. */
static uint64_t
clamped(unsigned clamp, NornFloatFormat format, uint64_t a) {
  if (clamp == NORN_VALHALL_CLAMP_NONE)
    return a;
  uint64_t low = clamp == NORN_VALHALL_CLAMP_CLAMP_M1_1 ? norn_float_one(format, true) : 0;
  uint64_t high = clamp == NORN_VALHALL_CLAMP_CLAMP_0_INF ? norn_float_infinity(format, false)
                                                          : norn_float_one(format, false);
  a = norn_float_maximum_number(format, NORN_FLOAT_MODE_DEFAULT, a, low);
  return norn_float_minimum_number(format, NORN_FLOAT_MODE_DEFAULT, a, high);
}

/* The bits of lane `index` of source `k`, as far as selection goes; `raw` may be the value or the
 * mask of its undefined bits. */
static uint64_t
selected(const NornValhallOperation *operation, unsigned k, unsigned index, uint64_t raw,
         unsigned width, unsigned *bits) {
  const NornIsaSwizzle *swizzle = &operation->swizzle[k];
  *bits = swizzle->bits ? swizzle->bits : width;
  if (swizzle->bits)
    index = swizzle->index[index % swizzle->count];
  return norn_int_truncate(raw >> *bits * index, *bits);
}

static uint64_t
float_source(const NornValhallOperation *operation, unsigned k, uint64_t a, unsigned bits,
             NornFloatFormat format, const bool *flush) {
  if (bits == 16 && format == NORN_FLOAT_32) {
    if (flush[NORN_FLOAT_16])
      a = norn_float_flush(NORN_FLOAT_16, a);
    a = norn_float_convert(NORN_FLOAT_16, NORN_FLOAT_32, NORN_FLOAT_MODE_DEFAULT, a);
  }
  if (operation->absolute[k])
    a = norn_float_absolute(format, a);
  if (operation->negate[k])
    a = norn_float_negate(format, a);
  return flush[format] ? norn_float_flush(format, a) : a;
}

static uint64_t
source_lane(const NornValhallOperation *operation, unsigned k, unsigned index, uint64_t raw,
            const bool *flush) {
  unsigned type = operation->row->source[k], width = norn_valhall_lanes[type].width, bits;
  uint64_t a = selected(operation, k, index, raw, width, &bits);
  if (norn_valhall_lanes[type].is_float)
    return float_source(operation, k, a, bits, norn_valhall_lanes[type].format, flush);
  if (norn_valhall_lanes[type].is_signed && bits < width)
    a = norn_int_truncate((uint64_t)norn_int_sign_extend(a, bits), width);
  return operation->complement[k] ? a ^ norn_int_mask(width) : a;
}

/* Puts `value`, a result of `width` bits at the bottom, where the write mask wants it. */
static void
put_result(const NornValhallOperation *operation, uint64_t value, unsigned width,
           NornValhallResult *result) {
  result->bits = value;
  result->mask = norn_int_mask(width);
  if (operation->write_mask == NORN_VALHALL_DESTINATION_LOW)
    result->mask = 0xFFFF;
  else if (operation->write_mask == NORN_VALHALL_DESTINATION_HIGH)
    result->mask = 0xFFFF0000;
}

/* The same for a result of 16 bits that goes to whichever halves the mask names. */
static void
put_half(const NornValhallOperation *operation, uint64_t half, NornValhallResult *result) {
  put_result(operation, half | half << 16, 32, result);
}

static uint64_t
lane_result(const NornValhallLane *lane, const uint64_t *sources) {
  uint64_t r = lane->row->function(lane, sources);
  if (!norn_valhall_lanes[lane->row->result].is_float)
    return r;
  return clamped(lane->operation->modifier[NORN_VALHALL_MODIFIER_CLAMP],
                 norn_valhall_lanes[lane->row->result].format, r);
}

void
norn_valhall_execute(const NornValhallOperation *operation, NornDenormalMode denormals,
                     const uint64_t source[NORN_VALHALL_SOURCES], NornValhallResult *result) {
  const NornValhallRow *row = operation->row;
  bool raw = row->flags & NORN_VALHALL_ROW_RAW_FLOATS || operation->never_flushes;
  bool flush[] = {
      [NORN_FLOAT_16] = denormals == NORN_DENORMAL_FLUSH_ALL && !raw,
      [NORN_FLOAT_32] =
          (denormals != NORN_DENORMAL_PRESERVE && !raw) || row->flags & NORN_VALHALL_ROW_FLUSHES,
  };
  unsigned width = norn_valhall_lanes[row->result].width;
  NornValhallLane lane = {
      operation,
      row,
      {operation->modifier[NORN_VALHALL_MODIFIER_ROUND], false,
       norn_valhall_lanes[row->result].is_float && flush[norn_valhall_lanes[row->result].format]},
      0};
  uint64_t bits = 0;
  for (; lane.index < row->lanes; lane.index++) {
    uint64_t sources[NORN_VALHALL_SOURCES] = {0};
    for (unsigned k = 0; k < NORN_VALHALL_SOURCES && row->source[k] != NORN_VALHALL_LANE_NONE;
         k++) {
      uint64_t value =
          row->flags & NORN_VALHALL_ROW_IMMEDIATE && k == 1 ? operation->immediate : source[k];
      unsigned index = row->flags & NORN_VALHALL_ROW_SOURCE_PER_LANE ? 0 : lane.index;
      sources[k] = source_lane(operation, k, index, value, flush);
    }
    bits |= lane_result(&lane, sources) << width * lane.index;
  }
  if (row->flags & NORN_VALHALL_ROW_SCALAR_HALF) {
    put_half(operation, bits, result);
  } else if (row->flags & NORN_VALHALL_ROW_NARROWS &&
             operation->write_mask != NORN_VALHALL_DESTINATION_ALL) {
    lane.mode.flush_outputs = flush[NORN_FLOAT_16];
    put_half(operation, norn_float_convert(NORN_FLOAT_32, NORN_FLOAT_16, lane.mode, bits), result);
  } else {
    put_result(operation, bits, MAX(width * row->lanes, 32), result);
  }
}

/* --- Undefined bits --- */

/* The undefined bits of a source's lane. */
static uint64_t
undefined_source(const NornValhallOperation *operation, unsigned k, unsigned index, uint64_t raw) {
  unsigned type = operation->row->source[k], width = norn_valhall_lanes[type].width, bits;
  uint64_t mask = selected(operation, k, index, raw, width, &bits);
  if (norn_valhall_lanes[type].is_float)
    return mask;
  return norn_valhall_lanes[type].is_signed && bits < width
             ? norn_int_truncate((uint64_t)norn_int_sign_extend(mask, bits), width)
             : mask;
}

uint64_t
norn_valhall_undefined_result(const NornValhallOperation *operation,
                              const uint64_t source[NORN_VALHALL_SOURCES],
                              const uint64_t undefined[NORN_VALHALL_SOURCES]) {
  static const bool no_flush[] = {[NORN_FLOAT_16] = false, [NORN_FLOAT_32] = false};
  const NornValhallRow *row = operation->row;
  unsigned width = norn_valhall_lanes[row->result].width;
  NornValhallLane lane = {.operation = operation, .row = row};
  uint64_t mask = 0;
  for (; lane.index < row->lanes; lane.index++) {
    uint64_t s[NORN_VALHALL_SOURCES] = {0}, u[NORN_VALHALL_SOURCES] = {0};
    unsigned index = row->flags & NORN_VALHALL_ROW_SOURCE_PER_LANE ? 0 : lane.index;
    for (unsigned k = 0; k < NORN_VALHALL_SOURCES && row->source[k] != NORN_VALHALL_LANE_NONE;
         k++) {
      bool is_immediate = row->flags & NORN_VALHALL_ROW_IMMEDIATE && k == 1;
      s[k] = source_lane(operation, k, index, is_immediate ? operation->immediate : source[k],
                         no_flush);
      u[k] = is_immediate ? 0 : undefined_source(operation, k, index, undefined[k]);
    }
    mask |= norn_valhall_undefined_lane(&lane, s, u) << width * lane.index;
  }
  if (row->flags & NORN_VALHALL_ROW_SCALAR_HALF ||
      (row->flags & NORN_VALHALL_ROW_NARROWS &&
       operation->write_mask != NORN_VALHALL_DESTINATION_ALL))
    return mask ? UINT32_MAX : 0;
  return mask;
}

/* --- Other lanes --- */

/* What CLPER gives for a lane that does not execute, by the code of the modifier. */
static const uint32_t inactive_results[16] = {
    0x00000000, 0xFFFFFFFF, 0x00000001, 0x00010001, 0x80000000, 0x7FFFFFFF, 0x80008000, 0x7FFF7FFF,
    0x80808080, 0x7F7F7F7F, 0x3F800000, 0x3C003C00, 0xFF800000, 0x7F800000, 0xFC00FC00, 0x7C007C00};

/* The lane that `lane` reads, or -1 for none. That an index beyond the subgroup counts modulo its
 * size is a guess. */
static int
lane_read(unsigned operation, unsigned lane, unsigned size, uint64_t byte) {
  unsigned base = lane & ~(size - 1);
  switch (operation) {
  case NORN_VALHALL_LANE_OPERATION_XOR:
    return (int)(base + ((lane ^ byte) & (size - 1)));
  case NORN_VALHALL_LANE_OPERATION_SHIFT: {
    int64_t other = (int64_t)lane + norn_int_sign_extend(byte, 8);
    return other >= base && other < base + size ? (int)other : -1;
  }
  default:
    return (int)(base + (byte & (size - 1)));
  }
}

bool
norn_valhall_is_exchange(const NornValhallOperation *operation) {
  return operation->row->flags & NORN_VALHALL_ROW_EXCHANGE;
}

void
norn_valhall_exchange(const NornValhallOperation *operation,
                      const uint64_t first[NORN_VALHALL_WARP],
                      const uint64_t second[NORN_VALHALL_WARP],
                      const uint64_t undefined[NORN_VALHALL_WARP], unsigned active, unsigned lane,
                      NornValhallResult *result, uint64_t *undefined_result) {
  unsigned size = 2u << operation->modifier[NORN_VALHALL_MODIFIER_SUBGROUP];
  unsigned base = lane & ~(size - 1);
  uint64_t bits = 0;
  *undefined_result = 0;
  if (operation->row->parameter == NORN_VALHALL_EXCHANGE_BALLOT) {
    for (unsigned i = 0; i < size; i++)
      bits |= (uint64_t)((active >> (base + i) & 1) && first[base + i]) << i;
  } else {
    uint64_t byte = source_lane(operation, 1, 0, second[lane], NULL);
    int other =
        lane_read(operation->modifier[NORN_VALHALL_MODIFIER_LANE_OPERATION], lane, size, byte);
    bool is_there = other >= 0 && active >> other & 1;
    bits = is_there ? first[other]
                    : inactive_results[operation->modifier[NORN_VALHALL_MODIFIER_INACTIVE_RESULT]];
    *undefined_result = is_there ? undefined[other] : 0;
  }
  put_result(operation, bits, 32, result);
}

bool
norn_valhall_branch_taken(const NornValhallOperation *operation, uint64_t condition) {
  bool truth;
  switch (operation->modifier[NORN_VALHALL_MODIFIER_COMBINE]) {
  case NORN_VALHALL_COMBINE_H0:
    truth = condition & 0xFFFF;
    break;
  case NORN_VALHALL_COMBINE_H1:
    truth = condition & 0xFFFF0000;
    break;
  case NORN_VALHALL_COMBINE_AND:
    truth = condition == 0xFFFFFFFF;
    break;
  case NORN_VALHALL_COMBINE_LOWBITS:
    truth = (condition & 0x1FFFF8) != 0 && (condition & 0x1FFFF8) != 0x1FFFF8;
    break;
  default:
    truth = condition != 0;
  }
  return truth != operation->modifier[NORN_VALHALL_MODIFIER_EQ];
}
