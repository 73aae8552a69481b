/* Decoding and executing Valhall's ALU instructions by the rows of their semantics.
 *
 * Everything around a row's function is generic. A source lane is selected (swizzled, widened),
 * then made absolute, then negated or complemented. Subnormal floats are flushed according to
 * the shader's mode. A float result is clamped, narrowed and masked. */
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

/* Modifiers that do not affect the result of a single instruction. */
static const uint16_t other_fields[] = {
    NORN_VALHALL_FIELD_FLOW,
    NORN_VALHALL_FIELD_CONSERVATIVE,
    NORN_VALHALL_FIELD_ABSOLUTE,
};

bool
norn_valhall_is_operation(uint16_t instruction) {
  return norn_valhall_row(instruction) != NULL;
}

/* Both enumerations of write masks have the values of NornValhallDestination. */
G_STATIC_ASSERT((unsigned)NORN_VALHALL_DEST_MASK_H0 == NORN_VALHALL_DESTINATION_LOW &&
                (unsigned)NORN_VALHALL_DEST_MASK_H1 == NORN_VALHALL_DESTINATION_HIGH &&
                (unsigned)NORN_VALHALL_DEST_MASK_NONE == NORN_VALHALL_DESTINATION_ALL &&
                (unsigned)NORN_VALHALL_DEST_MASK_HALF_H01 == NORN_VALHALL_DESTINATION_BOTH &&
                (unsigned)NORN_VALHALL_DEST_MASK_HALF_H0 == NORN_VALHALL_DESTINATION_LOW &&
                (unsigned)NORN_VALHALL_DEST_MASK_HALF_H1 == NORN_VALHALL_DESTINATION_HIGH &&
                (unsigned)NORN_VALHALL_DEST_MASK_HALF_NONE == NORN_VALHALL_DESTINATION_ALL);

static void
decode_write_mask(const NornIsaField *field, uint64_t word, NornValhallOperation *operation) {
  if (field->enumeration == NORN_VALHALL_ENUM_DEST_MASK ||
      field->enumeration == NORN_VALHALL_ENUM_DEST_MASK_HALF)
    operation->write_mask = (uint8_t)norn_isa_extract(field, word);
}

/* Not all instructions have the same choices. */
static uint8_t
round_mode(const NornIsaField *field, uint32_t value) {
  static const uint8_t modes[] = {
      [NORN_VALHALL_ROUND_AWAY_RTE] = NORN_ROUND_NEAREST_EVEN,
      [NORN_VALHALL_ROUND_AWAY_RTP] = NORN_ROUND_UP,
      [NORN_VALHALL_ROUND_AWAY_RTN] = NORN_ROUND_DOWN,
      [NORN_VALHALL_ROUND_AWAY_RTZ] = NORN_ROUND_ZERO,
      [NORN_VALHALL_ROUND_AWAY_RTNA] = NORN_ROUND_NEAREST_AWAY,
  };
  if (field->enumeration == NORN_VALHALL_ENUM_ROUND_ZERO)
    return value == NORN_VALHALL_ROUND_ZERO_RTZ ? NORN_ROUND_ZERO : NORN_ROUND_NEAREST_EVEN;
  return value < G_N_ELEMENTS(modes) ? modes[value] : NORN_ROUND_NEAREST_EVEN;
}

static bool
decode_modifier(const NornIsaField *field, uint64_t word, NornValhallOperation *operation) {
  uint32_t value = norn_isa_extract(field, word);
  for (unsigned i = 0; i < NORN_VALHALL_MODIFIER_COUNT; i++) {
    if (modifier_fields[i] == field->number) {
      operation->modifier[i] =
          i == NORN_VALHALL_MODIFIER_ROUND ? round_mode(field, value) : (uint8_t)value;
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
    return decode_modifier(field, word, operation);
  default:
    operation->swizzle[k] = *norn_isa_swizzle(isa, field, value);
    return field->swizzles != UINT32_MAX || !value;
  }
}

/* Decodes the modifiers of an operand, or its value if it is an immediate. `source` counts the
 * sources. */
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
    decode_write_mask(&encoding->fields[operand->modifiers[0]], word, operation);
  if (operand->role != NORN_ISA_OPERAND_SOURCE)
    return true;
  unsigned k = (*source)++;
  for (unsigned i = 0; i < operand->modifier_count; i++) {
    if (!decode_source_modifier(isa, &encoding->fields[operand->modifiers[i]], word, k, operation))
      return false;
  }
  return true;
}

/* How a lane is chosen is not known for some of CLPER's operations. */
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
    g_set_error(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED, "the computation of %s is not modeled",
                name);
    return false;
  }
  operation->row = norn_valhall_row(encoding->instruction);
  operation->write_mask = NORN_VALHALL_DESTINATION_ALL;
  operation->never_flushes = operation->row->flags & NORN_VALHALL_ROW_KEEPS_SINCE_11 &&
                             encoding->since >= NORN_VALHALL_ARCHITECTURE_11;
  unsigned source = 0;
  bool known = true;
  for (unsigned i = 0; i < encoding->modifier_count; i++)
    known &= decode_modifier(&encoding->fields[encoding->modifiers[i]], word, operation);
  for (unsigned i = 0; i < encoding->operand_count; i++)
    known &= decode_operand(isa, encoding, &encoding->operands[i], word, &source, operation);
  known &= knows_lane_operation(operation);
  if (!known)
    g_set_error(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED, "a modifier of this %s is not modeled",
                name);
  return known;
}

/* --- Execution --- */

/* min(max(a, low), high): NaN gives the low end, and -0 is less than +0. */
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

/* The bits of lane `index` of source `k`, after selection only; `raw` may be the value or the
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
    a = norn_float_widen_half(a);
  }
  if (operation->absolute[k])
    a = norn_float_absolute(format, a);
  if (operation->negate[k])
    a = norn_float_negate(format, a);
  return flush[format] ? norn_float_flush(format, a) : a;
}

/* What selecting the sources of one lane of the results depends on, for each of `count` values. */
typedef struct Selection {
  const NornValhallOperation *operation;
  const bool *flush; /* by NornFloatFormat */
  unsigned index;    /* of the lane in the sources */
  unsigned count;
} Selection;

/* Float sources of which only the signs are modified. */
static void
select_floats(const Selection *selection, unsigned k, const uint64_t *raw, unsigned shift,
              NornFloatFormat format, uint64_t *restrict out) {
  const NornValhallOperation *operation = selection->operation;
  uint64_t sign = norn_float_sign_bit(format), mask = sign | (sign - 1);
  uint64_t kept = operation->absolute[k] ? mask & ~sign : mask;
  uint64_t changed = operation->negate[k] ? sign : 0;
  for (unsigned i = 0; i < selection->count; i++)
    out[i] = (raw[i] >> shift & kept) ^ changed;
}

static void
select_integers(const NornValhallOperation *operation, unsigned k, const uint64_t *raw,
                unsigned shift, unsigned bits, unsigned count, uint64_t *restrict out) {
  const NornValhallLaneInfo *info = &norn_valhall_lanes[operation->row->source[k]];
  uint64_t mask = norn_int_mask(info->width), narrow = norn_int_mask(bits);
  uint64_t complement = operation->complement[k] ? mask : 0;
  uint64_t sign = info->is_signed && bits < info->width ? UINT64_C(1) << (bits - 1) : 0;
  for (unsigned i = 0; i < count; i++)
    out[i] = ((((raw[i] >> shift & narrow) ^ sign) - sign) & mask) ^ complement;
}

static uint64_t
source_lane(const NornValhallOperation *operation, unsigned k, unsigned index, uint64_t raw,
            const bool *flush) {
  unsigned type = operation->row->source[k], width = norn_valhall_lanes[type].width, bits;
  uint64_t a = selected(operation, k, index, raw, width, &bits);
  if (norn_valhall_lanes[type].is_float)
    return float_source(operation, k, a, bits, norn_valhall_lanes[type].format, flush);
  uint64_t out;
  select_integers(operation, k, &a, 0, bits, 1, &out);
  return out;
}

/* The lane of source `k`, ready for the function: in `out`, or `raw` itself if it needs no change.
 * `width` is that of the raw values. */
static const uint64_t *
select_source(const Selection *selection, unsigned k, const uint64_t *raw, unsigned width,
              uint64_t *restrict out) {
  const NornValhallOperation *operation = selection->operation;
  unsigned index = selection->index;
  const NornValhallLaneInfo *info = &norn_valhall_lanes[operation->row->source[k]];
  const NornIsaSwizzle *swizzle = &operation->swizzle[k];
  unsigned bits = swizzle->bits ? swizzle->bits : info->width;
  unsigned part = swizzle->bits ? swizzle->index[index % swizzle->count] : index;
  bool is_flushed = info->is_float && selection->flush[info->format];
  if (bits == info->width && bits >= width && !part && !is_flushed && !operation->absolute[k] &&
      !operation->negate[k] && !operation->complement[k])
    return raw;
  if (!info->is_float)
    select_integers(operation, k, raw, bits * part, bits, selection->count, out);
  else if (bits == info->width && !is_flushed)
    select_floats(selection, k, raw, bits * part, info->format, out);
  else
    for (unsigned i = 0; i < selection->count; i++)
      out[i] = source_lane(operation, k, index, raw[i], selection->flush);
  return out;
}

/* Sources that the function does not have are set to zero. */
static void
select_sources(const Selection *selection, const NornValhallValues source[NORN_VALHALL_SOURCES],
               unsigned wide, NornValhallValues *restrict out, const uint64_t **selected) {
  static const NornValhallValues zeros;
  const NornValhallOperation *operation = selection->operation;
  const NornValhallRow *row = operation->row;
  for (unsigned k = 0; k < NORN_VALHALL_SOURCES; k++) {
    selected[k] = zeros;
    if (row->source[k] == NORN_VALHALL_LANE_NONE)
      continue;
    selected[k] = out[k];
    if (row->flags & NORN_VALHALL_ROW_IMMEDIATE && k == 1)
      for (unsigned i = 0; i < selection->count; i++)
        out[k][i] =
            source_lane(operation, k, selection->index, operation->immediate, selection->flush);
    else
      selected[k] = select_source(selection, k, source[k], wide >> k & 1 ? 64 : 32, out[k]);
  }
}

/* The bits that the write mask lets through for a result in the low `width` bits. */
static uint64_t
written_bits(const NornValhallOperation *operation, unsigned width) {
  switch (operation->write_mask) {
  case NORN_VALHALL_DESTINATION_LOW:
    return 0xFFFF;
  case NORN_VALHALL_DESTINATION_HIGH:
    return 0xFFFF0000;
  default:
    return norn_int_mask(width);
  }
}

/* Narrows floats to halves if the operation does so, and copies the 16-bit result to both
 * halves; the write mask selects among them. */
static void
place_halves(const NornValhallOperation *operation, NornFloatMode mode, unsigned count,
             uint64_t *restrict bits) {
  bool narrows = !(operation->row->flags & NORN_VALHALL_ROW_SCALAR_HALF);
  for (unsigned i = 0; i < count; i++) {
    uint64_t half =
        narrows ? norn_float_convert(NORN_FLOAT_32, NORN_FLOAT_16, mode, bits[i]) : bits[i];
    bits[i] = half | half << 16;
  }
}

/* One lane of the results, clamped and moved to its position. */
static void
execute_lane(const NornValhallLane *lane, const uint64_t *const *sources, unsigned count,
             uint64_t *restrict bits) {
  const NornValhallLaneInfo *info = &norn_valhall_lanes[lane->row->result];
  unsigned clamp = lane->operation->modifier[NORN_VALHALL_MODIFIER_CLAMP];
  unsigned shift = info->width * lane->index;
  NornValhallValues others, *results = lane->index ? &others : (NornValhallValues *)bits;
  lane->row->function(lane, sources, count, *results);
  for (unsigned i = 0; info->is_float && clamp != NORN_VALHALL_CLAMP_NONE && i < count; i++)
    (*results)[i] = clamped(clamp, info->format, (*results)[i]);
  for (unsigned i = 0; lane->index && i < count; i++)
    bits[i] |= others[i] << shift;
}

uint64_t
norn_valhall_execute_warp(const NornValhallOperation *operation, NornFtzMode ftz,
                          const NornValhallValues source[NORN_VALHALL_SOURCES], unsigned wide,
                          unsigned count, uint64_t *restrict bits) {
  const NornValhallRow *row = operation->row;
  const NornValhallLaneInfo *info = &norn_valhall_lanes[row->result];
  bool raw = row->flags & NORN_VALHALL_ROW_RAW_FLOATS || operation->never_flushes;
  bool flush[] = {
      [NORN_FLOAT_16] = ftz == NORN_FTZ_ALL && !raw,
      [NORN_FLOAT_32] = (ftz != NORN_FTZ_PRESERVE && !raw) || row->flags & NORN_VALHALL_ROW_FLUSHES,
  };
  NornValhallLane lane = {operation,
                          row,
                          {operation->modifier[NORN_VALHALL_MODIFIER_ROUND], false,
                           info->is_float && flush[info->format]},
                          0};
  NornValhallValues sources[NORN_VALHALL_SOURCES];
  for (; lane.index < row->lanes; lane.index++) {
    const uint64_t *selected[NORN_VALHALL_SOURCES];
    unsigned index = row->flags & NORN_VALHALL_ROW_SOURCE_PER_LANE ? 0 : lane.index;
    const Selection selection = {operation, flush, index, count};
    select_sources(&selection, source, wide, sources, selected);
    execute_lane(&lane, selected, count, bits);
  }
  bool narrows = row->flags & NORN_VALHALL_ROW_NARROWS &&
                 operation->write_mask != NORN_VALHALL_DESTINATION_ALL;
  if (!narrows && !(row->flags & NORN_VALHALL_ROW_SCALAR_HALF))
    return written_bits(operation, MAX(info->width * row->lanes, 32));
  lane.mode.flush_outputs = flush[NORN_FLOAT_16];
  place_halves(operation, lane.mode, count, bits);
  return written_bits(operation, 32);
}

void
norn_valhall_execute(const NornValhallOperation *operation, NornFtzMode ftz,
                     const uint64_t source[NORN_VALHALL_SOURCES], NornValhallResult *result) {
  NornValhallValues sources[NORN_VALHALL_SOURCES];
  for (unsigned k = 0; k < NORN_VALHALL_SOURCES; k++)
    sources[k][0] = source[k];
  result->mask = norn_valhall_execute_warp(operation, ftz, (const NornValhallValues *)sources, 0xF,
                                           1, &result->bits);
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

/* The bits of a condition that a branch tests. */
static uint64_t
condition_bits(const NornValhallOperation *operation) {
  switch (operation->modifier[NORN_VALHALL_MODIFIER_COMBINE]) {
  case NORN_VALHALL_COMBINE_H0:
    return 0xFFFF;
  case NORN_VALHALL_COMBINE_H1:
    return 0xFFFF0000;
  case NORN_VALHALL_COMBINE_LOWBITS:
    return 0x1FFFF8;
  default:
    return UINT32_MAX;
  }
}

uint64_t
norn_valhall_needed_bits(const NornValhallOperation *operation, unsigned k) {
  const NornValhallRow *row = operation->row;
  if (!row || row->lanes != 1 || row->source[k] == NORN_VALHALL_LANE_NONE)
    return UINT64_MAX;
  if (!k && (row == norn_valhall_row(NORN_VALHALL_BRANCHZ) ||
             row == norn_valhall_row(NORN_VALHALL_BRANCHZI)))
    return condition_bits(operation);
  const NornIsaSwizzle *swizzle = &operation->swizzle[k];
  return swizzle->bits ? norn_int_mask(swizzle->bits) << swizzle->bits * swizzle->index[0]
                       : UINT64_MAX;
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

/* The value that CLPER returns for a lane that does not execute, by the code of the modifier. */
static const uint32_t inactive_results[16] = {
    0x00000000, 0xFFFFFFFF, 0x00000001, 0x00010001, 0x80000000, 0x7FFFFFFF, 0x80008000, 0x7FFF7FFF,
    0x80808080, 0x7F7F7F7F, 0x3F800000, 0x3C003C00, 0xFF800000, 0x7F800000, 0xFC00FC00, 0x7C007C00};

/* The lane that `lane` reads, or -1 for none. It is a guess that an index beyond the subgroup
 * wraps around modulo its size. */
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
norn_valhall_exchange(const NornValhallOperation *operation, const NornValhallExchange *lanes,
                      unsigned lane, NornValhallResult *result, uint64_t *undefined_result) {
  unsigned size = 2u << operation->modifier[NORN_VALHALL_MODIFIER_SUBGROUP];
  unsigned base = lane & ~(size - 1);
  uint64_t bits = 0;
  *undefined_result = 0;
  if (operation->row->parameter == NORN_VALHALL_EXCHANGE_BALLOT) {
    for (unsigned i = 0; i < size; i++)
      bits |= (uint64_t)((lanes->active >> (base + i) & 1) && lanes->source[0][base + i]) << i;
  } else {
    uint64_t byte = source_lane(operation, 1, 0, lanes->source[1][lane], NULL);
    int other =
        lane_read(operation->modifier[NORN_VALHALL_MODIFIER_LANE_OPERATION], lane, size, byte);
    bool is_there = other >= 0 && lanes->active >> other & 1;
    bits = is_there ? lanes->source[0][other]
                    : inactive_results[operation->modifier[NORN_VALHALL_MODIFIER_INACTIVE_RESULT]];
    *undefined_result = is_there ? lanes->undefined[other] : 0;
  }
  *result = (NornValhallResult){bits, written_bits(operation, 32)};
}

bool
norn_valhall_branch_taken(const NornValhallOperation *operation, uint64_t condition) {
  uint64_t looked_at = condition_bits(operation), bits = condition & looked_at;
  unsigned combine = operation->modifier[NORN_VALHALL_MODIFIER_COMBINE];
  bool truth = bits != 0;
  if (combine == NORN_VALHALL_COMBINE_AND)
    truth = bits == looked_at;
  else if (combine == NORN_VALHALL_COMBINE_LOWBITS)
    truth = bits != 0 && bits != looked_at;
  return truth != operation->modifier[NORN_VALHALL_MODIFIER_EQ];
}
