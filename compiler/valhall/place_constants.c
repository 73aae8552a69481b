/* Place constants: gives every constant of a machine instruction the cheapest legal encoding.
 *
 * In this order: a table entry, as it is or through the source's modifiers (a half or byte,
 * extended; a changed sign); the form of the instruction with an immediate; a uniform word (only if
 * the driver agreed to fill it); a register, loaded by IADD_IMM. What counts is the value of a
 * source after its modifiers, so the modifiers of the constant operand can be chosen again. */
#include "compiler/valhall/code.h"
#include "compiler/valhall/valhall.h"
#include "ir/numeric.h"
#include "ir/ops.h"
#include "passes/select/materialize.h"
#include <string.h>

/* How a source computes its value from a 32-bit entry. */
typedef enum {
  WORD,       /* unchanged */
  FLOAT_WORD, /* f32, or a widened half; signs */
  SIGNS_ONLY, /* f32; signs */
  TWO_HALVES, /* halves chosen by a swizzle; signs */
  INTEGER,    /* a word, or an extended part */
  TWO_SHORTS, /* halves chosen by a swizzle, or bytes extended to halves */
  ONE_HALF,
  ONE_BYTE,
  TWO_BYTES,  /* in the low bytes of the halves */
  FOUR_BYTES, /* bytes chosen by a swizzle */
  LONG,       /* 64 bits: a zero-extended word, or an extended part */
} SourceKind;

/* The lanes that a swizzle fills in the value of a source. */
static const struct {
  uint8_t count, bits;
} lanes[] = {
    [FLOAT_WORD] = {1, 16}, [TWO_HALVES] = {2, 16}, [INTEGER] = {1, 32},
    [TWO_SHORTS] = {2, 16}, [ONE_HALF] = {1, 16},   [ONE_BYTE] = {1, 8},
    [TWO_BYTES] = {2, 16},  [FOUR_BYTES] = {4, 8},  [LONG] = {1, 64},
};

typedef struct Source {
  const NornIsaField *neg, *abs, *swizzle;
  const NornIsaField *complement; /* applied after the others */
  const NornIsaSwizzle *swizzles; /* by the value of `swizzle` */
  SourceKind kind;
  uint8_t lanes, lane_bits; /* filled by a swizzle */
  bool is_signed;           /* parts are sign-extended */
  bool may_flush;           /* it is not known whether widening a half flushes subnormals */
} Source;

/* The table's constants in the order of their codes. */
typedef struct Table {
  uint32_t values[32];
  unsigned count;
} Table;

typedef struct Placer {
  NornPassContext *context;
  NornFunction *function;
  Table table;
  NornConstantUses uses;
} Placer;

static Table
table_of(const NornTarget *target) {
  Table table = {.count = 0};
  const NornIsaEncoding *encoding = norn_valhall_encoding_of(target, NORN_VALHALL_MOV_I32);
  for (unsigned k = 0; k < encoding->operand_count; k++) {
    const NornIsaOperand *operand = &encoding->operands[k];
    if (operand->role != NORN_ISA_OPERAND_SOURCE)
      continue;
    const NornIsaCodeTable *codes = &norn_isa_valhall.code_tables[operand->codes];
    for (unsigned code = 0; code < 1u << codes->width; code++) {
      const NornIsaCode *entry = &norn_isa_valhall.codes[codes->first + code];
      if (entry->kind == NORN_ISA_CODE_CONSTANT && table.count < G_N_ELEMENTS(table.values))
        table.values[table.count++] = entry->value;
    }
  }
  return table;
}

/* --- The value of a source for an entry --- */

static SourceKind
kind_of(const Source *source, unsigned words) {
  if (!source->swizzle)
    return source->neg ? SIGNS_ONLY : words == 2 ? LONG : WORD;
  switch (source->swizzle->enumeration) {
  case NORN_VALHALL_ENUM_WIDEN:
    return FLOAT_WORD;
  case NORN_VALHALL_ENUM_SWIZZLE_HALF:
    return TWO_HALVES;
  case NORN_VALHALL_ENUM_WIDEN_INTEGER:
    return words == 2 ? LONG : INTEGER;
  case NORN_VALHALL_ENUM_SWIZZLE16:
    return TWO_SHORTS;
  case NORN_VALHALL_ENUM_HALF:
  case NORN_VALHALL_ENUM_HALF_LANE:
    return ONE_HALF;
  case NORN_VALHALL_ENUM_BYTE_LANE:
  case NORN_VALHALL_ENUM_LANE_BYTE:
  case NORN_VALHALL_ENUM_SHIFT_LANE:
    return ONE_BYTE;
  case NORN_VALHALL_ENUM_BYTE_PAIR:
  case NORN_VALHALL_ENUM_SHIFT_LANE16:
    return TWO_BYTES;
  case NORN_VALHALL_ENUM_SWIZZLE8:
  case NORN_VALHALL_ENUM_SHIFT_LANE8:
    return FOUR_BYTES;
  default:
    return WORD;
  }
}

static Source
source_of(const Placer *placer, const NornIsaEncoding *encoding, const NornIsaOperand *operand) {
  Source source = {.may_flush = placer->context->module->denormals != NORN_DENORMALS_PRESERVE};
  for (unsigned k = 0; k < operand->modifier_count; k++) {
    const NornIsaField *field = &encoding->fields[operand->modifiers[k]];
    switch (field->number) {
    case NORN_VALHALL_FIELD_NEG0:
    case NORN_VALHALL_FIELD_NEG1:
    case NORN_VALHALL_FIELD_NEG2:
      source.neg = field;
      break;
    case NORN_VALHALL_FIELD_ABS0:
    case NORN_VALHALL_FIELD_ABS1:
    case NORN_VALHALL_FIELD_ABS2:
      source.abs = field;
      break;
    case NORN_VALHALL_FIELD_NOT2:
      source.complement = field;
      break;
    default:
      break;
    }
  }
  source.swizzle = norn_isa_operand_swizzle(encoding, operand);
  source.kind = kind_of(&source, operand->words);
  source.lanes = lanes[source.kind].count;
  source.lane_bits = lanes[source.kind].bits;
  source.is_signed = encoding->type.class == NORN_ISA_TYPE_SIGNED;
  if (source.swizzle)
    source.swizzles = norn_isa_swizzle(&norn_isa_valhall, source.swizzle, 0);
  return source;
}

static uint64_t
extend(uint64_t bits, unsigned width, bool is_signed) {
  return is_signed ? (uint64_t)norn_int_sign_extend(bits, width) : bits;
}

/* Lane k of a swizzled value. */
static inline uint64_t
lane_of(const Source *source, const NornIsaSwizzle *swizzle, uint64_t bits, unsigned k) {
  uint64_t part = bits >> swizzle->index[k] * swizzle->bits & norn_isa_mask(swizzle->bits);
  if (source->is_signed && swizzle->bits < source->lane_bits)
    part =
        norn_int_truncate((uint64_t)norn_int_sign_extend(part, swizzle->bits), source->lane_bits);
  return part;
}

/* The value of a source with this swizzle, without signs. */
static inline uint64_t
without_signs(const Source *source, uint64_t bits, unsigned value) {
  if (!source->swizzle || !source->lanes)
    return bits;
  const NornIsaSwizzle *swizzle = &source->swizzles[value];
  if (!swizzle->bits)
    return source->kind == LONG ? bits : (uint32_t)bits;
  uint64_t result = lane_of(source, swizzle, bits, 0);
  for (unsigned k = 1; k < source->lanes; k++)
    result |= lane_of(source, swizzle, bits, k % swizzle->count) << (source->lane_bits * k);
  return source->kind == FLOAT_WORD ? norn_float_widen_half(result) : result;
}

static uint64_t
with_signs(const Source *source, uint64_t bits, unsigned abs, unsigned neg) {
  uint64_t sign = source->kind == TWO_HALVES ? 0x80008000
                  : source->kind == ONE_HALF ? 0x8000
                                             : 0x80000000;
  if (abs)
    bits &= ~sign;
  return neg ? bits ^ sign : bits;
}

static unsigned
get(const NornIsaField *field, uint64_t word) {
  return field ? norn_isa_extract(field, word) : 0;
}

static void
set(const NornIsaField *field, uint64_t *word, unsigned value) {
  if (field)
    *word = (*word & ~norn_isa_insert(field, UINT64_MAX)) | norn_isa_insert(field, value);
}

/* --- Table entries --- */

/* Whether the value of a source with this swizzle is a half that may be flushed. */
static bool
may_be_flushed(const Source *source, uint64_t bits, unsigned value) {
  return source->may_flush && source->kind == FLOAT_WORD && source->swizzles[value].bits &&
         norn_float_classify(NORN_FLOAT_16, lane_of(source, &source->swizzles[value], bits, 0)) ==
             NORN_FLOAT_CLASS_SUBNORMAL;
}

/* Tries one entry with a bit set of swizzles; sets the modifiers on success. */
static inline bool
try_entry(const Source *source, uint32_t entry, uint64_t value, uint64_t swizzles, uint64_t *word) {
  for (; swizzles; swizzles &= swizzles - 1) {
    unsigned swizzle = (unsigned)__builtin_ctzll(swizzles);
    uint64_t bits = without_signs(source, entry, swizzle);
    bool negated = bits != value;
    if ((negated && (!source->neg || with_signs(source, bits, 0, 1) != value)) ||
        may_be_flushed(source, entry, swizzle))
      continue;
    set(source->swizzle, word, swizzle);
    set(source->abs, word, 0);
    set(source->neg, word, negated);
    return true;
  }
  return false;
}

/* Whether a half or byte of some entry might give the value; this avoids most of the search. */
static bool
may_be_part(const Source *source, uint64_t value) {
  enum { BITS_OF_NO_HALF = 0x1FFF, MAX_PART = 0xFFFF, MAX_BYTE = 0xFF };
  switch (source->kind) {
  case FLOAT_WORD:
    return !(value & BITS_OF_NO_HALF);
  case INTEGER:
    return (uint32_t)value <= MAX_PART ||
           (source->is_signed && (uint32_t)value == (uint32_t)extend(value, 16, true));
  case LONG:
    return value <= UINT32_MAX || (source->is_signed && value == extend(value, 32, true));
  case ONE_HALF:
    return value <= MAX_PART;
  case ONE_BYTE:
    return value <= MAX_BYTE;
  default:
    return true;
  }
}

/* Finds lane 0 of a value: a half (a float may not be one), a byte that makes up the whole value,
 * or false if neither is known. */
static bool
find_lane(const Source *source, uint64_t value, uint32_t *lane) {
  switch (source->kind) {
  case INTEGER:
  case ONE_HALF:
  case ONE_BYTE:
    *lane = (uint32_t)value;
    return true;
  case FLOAT_WORD:
    *lane =
        (uint32_t)norn_float_convert(NORN_FLOAT_32, NORN_FLOAT_16, NORN_FLOAT_MODE_DEFAULT, value);
    return true;
  case TWO_HALVES:
  case TWO_SHORTS:
  case TWO_BYTES:
    *lane = (uint32_t)(int16_t)value;
    return true;
  case FOUR_BYTES:
    *lane = (uint8_t)value;
    return true;
  default:
    return false;
  }
}

/* Whether one of the entry's halves equals the low half of the lane, except for the bits in
 * `ignored`, or, if the lane fits in a byte, one of its bytes equals the low byte. */
static inline bool
has_lane(uint32_t entry, uint32_t lane, uint32_t ignored) {
  const uint32_t each_half = 0x00010001, each_byte = 0x01010101;
  uint32_t halves = (entry ^ (lane & UINT16_MAX) * each_half) & ~ignored;
  uint32_t bytes = entry ^ (lane & UINT8_MAX) * each_byte;
  bool is_byte = lane <= UINT8_MAX || lane >= (uint32_t)INT8_MIN;
  /* Tests whether one of them is zero. */
  return ((halves - each_half) & ~halves & each_half << 15) ||
         (is_byte && ((bytes - each_byte) & ~bytes & each_byte << 7));
}

/* The entries for which has_lane holds, as a bit set. */
static uint32_t
entries_with_lane(const Table *table, uint32_t lane, uint32_t ignored) {
  uint32_t set = 0;
  for (unsigned k = 0; k < table->count; k++)
    set |= (uint32_t)has_lane(table->values[k], lane, ignored) << k;
  return set;
}

/* Tries a set of entries with a bit set of swizzles. */
static bool
try_entries(const Table *table, uint32_t set, const Source *source, uint64_t value,
            uint64_t swizzles, uint64_t *word, uint32_t *entry) {
  for (; set; set &= set - 1) {
    *entry = table->values[__builtin_ctz(set)];
    if (try_entry(source, *entry, value, swizzles, word))
      return true;
  }
  return false;
}

/* Finds a table entry that gives the value, preferably without a swizzle. */
static bool
find_entry(const Placer *placer, const Source *source, uint64_t value, uint64_t *word,
           uint32_t *entry) {
  const Table *table = &placer->table;
  uint64_t swizzles = source->swizzle ? source->swizzle->allowed : 1;
  if (source->kind == LONG)
    swizzles &= norn_isa_mask(NORN_VALHALL_WIDEN_INTEGER_W0 + 1);
  uint64_t others = swizzles & ~UINT64_C(1);
  /* The first swizzle, or none, may leave the entry unchanged. */
  bool is_same = !source->swizzle || !source->swizzles[0].bits;
  uint64_t negated = source->neg ? with_signs(source, value, 0, 1) : value;
  for (unsigned k = 0; swizzles & 1 && is_same && k < table->count; k++) {
    *entry = table->values[k];
    if ((*entry == value || *entry == negated) && try_entry(source, *entry, value, 1, word))
      return true;
  }
  if (!may_be_part(source, value))
    others = 0;
  if (!others && is_same)
    return false;
  uint32_t lane = 0, signs = source->neg ? 0x80008000 : 0;
  uint32_t set = find_lane(source, value, &lane) ? entries_with_lane(table, lane, signs)
                                                 : (uint32_t)norn_isa_mask(table->count);
  return (swizzles & 1 && !is_same && try_entries(table, set, source, value, 1, word, entry)) ||
         try_entries(table, others ? set : 0, source, value, others, word, entry);
}

/* An instruction and the one with an immediate in place of a source. */
typedef struct Immediate {
  uint16_t instruction, with_immediate;
  bool is_first;   /* the constant may also come first */
  bool is_negated; /* the immediate is the constant negated */
  uint8_t amount;  /* 1: a shift whose amount must be zero */
} Immediate;

static const Immediate immediates[] = {
    {NORN_VALHALL_IADD_U32, NORN_VALHALL_IADD_IMM_I32, true, false, 0},
    {NORN_VALHALL_IADD_S32, NORN_VALHALL_IADD_IMM_I32, true, false, 0},
    {NORN_VALHALL_ISUB_U32, NORN_VALHALL_IADD_IMM_I32, false, true, 0},
    {NORN_VALHALL_ISUB_S32, NORN_VALHALL_IADD_IMM_I32, false, true, 0},
    {NORN_VALHALL_IADD_V2U16, NORN_VALHALL_IADD_IMM_V2I16, true, false, 0},
    {NORN_VALHALL_IADD_V2S16, NORN_VALHALL_IADD_IMM_V2I16, true, false, 0},
    {NORN_VALHALL_IADD_V4U8, NORN_VALHALL_IADD_IMM_V4I8, true, false, 0},
    {NORN_VALHALL_FADD_F32, NORN_VALHALL_FADD_IMM_F32, true, false, 0},
    {NORN_VALHALL_FADD_V2F16, NORN_VALHALL_FADD_IMM_V2F16, true, false, 0},
    {NORN_VALHALL_LSHIFT_AND_I32, NORN_VALHALL_AND_IMM_I32, false, false, 1},
    {NORN_VALHALL_LSHIFT_OR_I32, NORN_VALHALL_OR_IMM_I32, false, false, 1},
    {NORN_VALHALL_LSHIFT_XOR_I32, NORN_VALHALL_XOR_IMM_I32, false, false, 1},
};

static const NornIsaEncoding *
encoding_of(const Placer *placer, const NornInst *inst) {
  return norn_valhall_encoding_of(placer->context->target, inst->op - NORN_OP_MACHINE);
}

/* Whether the word differs from the instruction's default only in the known modifiers of the
 * source, so that its value accounts for all of them. If so, an instruction without these modifiers
 * can replace this one. */
static bool
is_plain_but(const NornIsaEncoding *encoding, uint64_t word, const Source *source) {
  uint64_t known = 0;
  set(source->neg, &known, UINT_MAX);
  set(source->abs, &known, UINT_MAX);
  set(source->swizzle, &known, UINT_MAX);
  set(source->complement, &known, UINT_MAX);
  return !((word ^ encoding->word) & ~known);
}

/* Replaces the instruction by one with an immediate. `value`: of source k after all its modifiers
 * except the complement. */
static bool
use_immediate(Placer *placer, uint32_t inst, unsigned k, const Source *source, uint64_t value) {
  NornInst *self = norn_inst(placer->function, inst);
  const NornIsaEncoding *encoding = encoding_of(placer, self);
  const NornRef *operands = norn_operands(placer->function, self);
  for (unsigned j = 0; j < G_N_ELEMENTS(immediates); j++) {
    const Immediate *row = &immediates[j];
    unsigned last = row->amount ? 2 : 1;
    if (row->instruction != encoding->instruction || (k != last && !(k == 0 && row->is_first)) ||
        !is_plain_but(encoding, self->payload, source))
      continue;
    const NornIsaEncoding *target =
        norn_valhall_encoding_of(placer->context->target, row->with_immediate);
    if (!target)
      continue;
    if (row->amount && (!norn_is_constant(operands[1]) ||
                        norn_constant_bits(placer->context->module, operands[1]) != 0))
      continue;
    if (get(source->complement, self->payload))
      value = ~value;
    NornRef other = operands[k == last ? 0 : 1];
    uint64_t word = target->word;
    norn_isa_field_set(target, NORN_VALHALL_FIELD_CONSTANT, &word,
                       (uint32_t)(row->is_negated ? -value : value));
    self->op = (uint16_t)(NORN_OP_MACHINE + row->with_immediate);
    self->payload = word;
    norn_inst_set_operands(placer->function, inst, &other, 1);
    return true;
  }
  return false;
}

/* Turns a move into the load of a constant. */
static bool
load_constant(Placer *placer, uint32_t inst, const Source *source, uint64_t value) {
  NornInst *self = norn_inst(placer->function, inst);
  if (self->op != NORN_OP_MACHINE + NORN_VALHALL_MOV_I32 ||
      !is_plain_but(encoding_of(placer, self), self->payload, source))
    return false;
  const NornIsaEncoding *target =
      norn_valhall_encoding_of(placer->context->target, NORN_VALHALL_IADD_IMM_I32);
  NornRef zero = norn_constant(placer->context->module, 0);
  self->op = NORN_OP_MACHINE + NORN_VALHALL_IADD_IMM_I32;
  self->payload = target->word;
  norn_isa_field_set(target, NORN_VALHALL_FIELD_CONSTANT, &self->payload, (uint32_t)value);
  norn_inst_set_operands(placer->function, inst, &zero, 1);
  return true;
}

/* Collects a 64-bit constant from two words. */
static void
use_pair(Placer *placer, uint32_t inst, unsigned k, uint64_t value) {
  NornFunction *function = placer->function;
  NornModule *module = placer->context->module;
  NornBuilder builder = norn_builder_before(function, inst);
  NornRef words[2] = {norn_constant(module, (uint32_t)value), norn_constant(module, value >> 32)};
  norn_set_operand(function, inst, k,
                   norn_build_collect(&builder, NORN_TYPE_I32, NORN_TYPE_I64, 2, words));
}

/* The same, but possibly from a pair of uniform words. */
static void
use_long(Placer *placer, uint32_t inst, unsigned k, uint64_t value) {
  if (value > UINT32_MAX)
    norn_constant_use_add(&placer->uses, value, inst, k);
  else
    use_pair(placer, inst, k, value);
}

/* Resets the modifiers of source k, which then reads the value itself. */
static void
use_register(Placer *placer, uint32_t inst, unsigned k, const Source *source, unsigned words,
             uint64_t value) {
  NornInst *self = norn_inst(placer->function, inst);
  const NornIsaEncoding *encoding = encoding_of(placer, self);
  set(source->neg, &self->payload, 0);
  set(source->abs, &self->payload, 0);
  if (source->kind == LONG) {
    /* The second source can read a word from any register, the others only from an even one. */
    bool fits = source->is_signed ? (int64_t)value == (int32_t)value : value <= UINT32_MAX;
    uint64_t allowed = source->swizzle ? source->swizzle->allowed : 0;
    bool takes_word = fits && allowed >> NORN_VALHALL_WIDEN_INTEGER_W0 & 1 &&
                      (k == 1 || !(allowed >> NORN_VALHALL_WIDEN_INTEGER_NONE & 1));
    set(source->swizzle, &self->payload,
        takes_word ? NORN_VALHALL_WIDEN_INTEGER_W0 : NORN_VALHALL_WIDEN_INTEGER_NONE);
    if (!takes_word) {
      use_long(placer, inst, k, value);
      return;
    }
  } else if (source->swizzle) {
    set(source->swizzle, &self->payload, norn_isa_extract(source->swizzle, encoding->word));
    if (words == 2) {
      use_long(placer, inst, k, value);
      return;
    }
  }
  norn_constant_use_add(&placer->uses, (uint32_t)value, inst, k);
}

/* The value of a constant source, without a complement. */
static uint64_t
value_of(const Placer *placer, const Source *source, NornRef ref, uint64_t word) {
  uint64_t bits = norn_constant_bits(placer->context->module, ref);
  return with_signs(source, without_signs(source, bits, get(source->swizzle, word)),
                    get(source->abs, word), get(source->neg, word));
}

/* A constant source and the properties of entries that can give it. */
typedef struct Wanted {
  Source source;
  uint64_t value, negated;
  uint32_t lane, signs;
  bool is_part, has_lanes;
} Wanted;

static Wanted
wanted_of(const Placer *placer, const NornInst *self, const NornIsaOperand *operand, NornRef ref) {
  Wanted wanted = {.source = source_of(placer, encoding_of(placer, self), operand)};
  const Source *source = &wanted.source;
  wanted.value = value_of(placer, source, ref, self->payload);
  wanted.negated = source->neg ? with_signs(source, wanted.value, 0, 1) : wanted.value;
  wanted.signs = source->neg ? 0x80008000 : 0;
  wanted.is_part = source->swizzle && may_be_part(source, wanted.value);
  wanted.has_lanes = wanted.is_part && find_lane(source, wanted.value, &wanted.lane);
  return wanted;
}

/* Tries one entry for all sources; sets the modifiers on success. */
static bool
is_common(const Wanted *wanted, unsigned count, uint32_t entry, uint64_t *word) {
  for (unsigned k = 0; k < count; k++) {
    const Wanted *self = &wanted[k];
    bool may_be = entry == self->value || entry == self->negated ||
                  (self->is_part && (!self->has_lanes || has_lane(entry, self->lane, self->signs)));
    const NornIsaField *swizzle = self->source.swizzle;
    if (!may_be ||
        !try_entry(&self->source, entry, self->value, swizzle ? swizzle->allowed : 1, word))
      return false;
  }
  return true;
}

/* Whether there are different constants and also a uniform word or special value: three words. */
static bool
has_too_many_words(const NornRef *operands, unsigned count) {
  NornRef first = 0;
  bool differ = false, has_other = false;
  for (unsigned k = 0; k < count; k++) {
    NornRefKind kind = norn_ref_kind(operands[k]);
    has_other |= kind == NORN_REF_UNIFORM || kind == NORN_REF_SPECIAL;
    if (kind != NORN_REF_CONSTANT)
      continue;
    differ |= first && operands[k] != first;
    first = operands[k];
  }
  return differ && has_other;
}

/* If the constants and other operands are too many words for one instruction, looks for one entry
 * that gives all constants: for example, the low half of 2.0 is zero. */
static void
share_entry(Placer *placer, uint32_t inst) {
  enum { MAX_SOURCES = 4 };
  NornInst *self = norn_inst(placer->function, inst);
  const NornIsaEncoding *encoding = encoding_of(placer, self);
  NornRef *operands = norn_operands(placer->function, self);
  unsigned count = 0;
  if (!has_too_many_words(operands, self->operand_count))
    return;
  Wanted wanted[MAX_SOURCES];
  for (unsigned k = 0; k < self->operand_count; k++) {
    if (!norn_is_constant(operands[k]))
      continue;
    const NornIsaOperand *operand = norn_valhall_operand(encoding, self->payload, k);
    if (operand->role != NORN_ISA_OPERAND_SOURCE || operand->words != 1 || count == MAX_SOURCES)
      return;
    wanted[count++] = wanted_of(placer, self, operand, operands[k]);
  }
  for (unsigned j = 0; j < placer->table.count; j++) {
    uint32_t entry = placer->table.values[j];
    uint64_t word = self->payload;
    if (!is_common(wanted, count, entry, &word))
      continue;
    self->payload = word;
    for (unsigned k = 0; k < self->operand_count; k++)
      if (norn_is_constant(operands[k]))
        operands[k] = norn_constant(placer->context->module, entry);
    return;
  }
}

/* Places the constant in operand k, or lists it as one to be promoted or loaded. Returns whether a
 * table entry gives it. */
static bool
place_operand(Placer *placer, uint32_t inst, unsigned k, unsigned words) {
  NornFunction *function = placer->function;
  NornInst *self = norn_inst(function, inst);
  NornRef *ref = &norn_operands(function, self)[k];
  const NornIsaEncoding *encoding = encoding_of(placer, self);
  const NornIsaOperand *operand = norn_valhall_operand(encoding, self->payload, k);
  uint64_t bits = norn_constant_bits(placer->context->module, *ref);
  if (operand->role != NORN_ISA_OPERAND_SOURCE) {
    if (words == 1)
      norn_constant_use_add(&placer->uses, (uint32_t)bits, inst, k);
    else
      use_pair(placer, inst, k, bits);
    return false;
  }
  Source source = source_of(placer, encoding, operand);
  /* The complement is left unchanged, unless an immediate absorbs it. */
  uint64_t value = value_of(placer, &source, *ref, self->payload);
  uint32_t entry;
  uint64_t word = self->payload;
  bool is_pair = operand->words == 2 && !source.swizzle; /* no entry is half of a pair */
  if (!is_pair && find_entry(placer, &source, value, &word, &entry)) {
    self->payload = word;
    *ref = norn_constant(placer->context->module, entry);
    return true;
  }
  if (!load_constant(placer, inst, &source, value) &&
      !use_immediate(placer, inst, k, &source, value))
    use_register(placer, inst, k, &source, operand->words, value);
  return false;
}

static void
place_in_inst(Placer *placer, uint32_t inst) {
  NornFunction *function = placer->function;
  NornMachineShape shape;
  if (!norn_is_machine(norn_inst(function, inst)))
    return;
  norn_inst_shape(placer->context->module, norn_inst(function, inst), &shape);
  unsigned entries = 0;
  bool are_all = true;
  for (unsigned k = 0; k < shape.operand_count && k < norn_inst(function, inst)->operand_count;
       k++) {
    NornRef ref = norn_operand(function, inst, k);
    if (!norn_is_constant(ref))
      continue;
    bool is_entry = place_operand(placer, inst, k, shape.operand_words[k]);
    are_all &= is_entry;
    entries += is_entry;
  }
  if (are_all && entries > 1)
    share_entry(placer, inst);
}

/* --- Constants outside of the table --- */

/* The optimization level from which constants may be promoted. */
#define PROMOTING_LEVEL 2

/* Loads the constant `key`. */
static NornRef
make_constant(NornPassContext *context, NornBuilder *builder, uint64_t key) {
  builder->origin = NORN_ORIGIN_CONSTANT;
  return norn_valhall_build_move(context->target, builder, NORN_TYPE_I32,
                                 norn_build_bits(builder, (uint32_t)key));
}

/* Collects the remaining 64-bit constants from two words each. */
static void
make_pairs(Placer *placer) {
  NornConstantUses *uses = &placer->uses;
  uint32_t kept = 0;
  for (uint32_t k = 0; k < uses->count; k++) {
    const NornConstantUse use = uses->items[k];
    if (use.key > UINT32_MAX)
      use_pair(placer, use.inst, use.operand, use.key);
    else
      uses->items[kept++] = use;
  }
  uses->count = kept;
}

bool
norn_valhall_place_constants(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  Placer placer = {.context = context,
                   .function = function,
                   .table = table_of(context->target),
                   .uses.arena = &context->arena};
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst)
      if (norn_pass_continues(context, 1))
        place_in_inst(&placer, inst);
  if (context->options->promote_constants &&
      context->options->optimization_level >= PROMOTING_LEVEL)
    norn_valhall_promote_constants(context, function, &placer.uses);
  make_pairs(&placer);
  norn_materialize(context, function, &placer.uses, make_constant);
  return true;
}
