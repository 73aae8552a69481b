/* Execution of one GCN VOP3 instruction over the lanes that EXEC enables.
 *
 * For each lane: read the sources as the types of the semantics row (inline constants in the
 * width of the type), apply ABS then NEG to the sign bit, compute, apply OMOD then CLAMP, store.
 * Scalar results are collected over all lanes and stored at the end, so the destination may also
 * be a source. */
#include "sim/gcn/execute.h"
#include "isa/isa.h"
#include "sim/gcn/semantics.h"
#include "sim/gcn/sources.h"
#include <norn/gcn.h>
#include <string.h>

static unsigned
type_bits(NornGcnType type) {
  switch (type) {
  case NORN_GCN_U16:
  case NORN_GCN_I16:
  case NORN_GCN_F16:
    return 16;
  case NORN_GCN_U64:
  case NORN_GCN_I64:
  case NORN_GCN_F64:
  case NORN_GCN_MASK:
    return 64;
  case NORN_GCN_U128:
    return 128;
  default:
    return 32;
  }
}

static unsigned
type_words(NornGcnType type) {
  return type_bits(type) <= 32 ? 1 : type_bits(type) / 32;
}

static bool
trap(GError **error, const NornGcnDecoded *inst, const char *problem) {
  g_set_error(error, NORN_ERROR, NORN_ERROR_TRAP, "%s: %s",
              norn_isa_instruction_name(&norn_isa_gcn, inst->instruction), problem);
  return false;
}

/* --- Sources --- */

static const char *
vector_register(const NornGcnState *state, const NornGcnSemantics *row, unsigned number,
                unsigned words, uint8_t flag, unsigned *found) {
  uint64_t first = number;
  if (row->flags & flag)
    first += state->s[NORN_GCN_M0];
  if (first + words > 256)
    return "the number of a vector register exceeds 255";
  *found = (unsigned)first;
  return NULL;
}

/* The sign bit that ABS and NEG modify: the top bit of the operand. */
static uint64_t
apply_sign(uint64_t value, unsigned bits, bool absolute, bool negate) {
  uint64_t sign = UINT64_C(1) << (bits - 1);
  if (absolute)
    value &= ~sign;
  return negate ? value ^ sign : value;
}

static uint64_t
extend(NornGcnType type, uint64_t value) {
  switch (type) {
  case NORN_GCN_I16:
    return (uint64_t)norn_int_sign_extend(value, 16);
  case NORN_GCN_U24:
    return norn_int_truncate(value, 24);
  case NORN_GCN_I24:
    return (uint64_t)norn_int_sign_extend(value, 24);
  case NORN_GCN_I32:
    return (uint64_t)norn_int_sign_extend(value, 32);
  default:
    return norn_int_truncate(value, MIN(type_bits(type), 64));
  }
}

/* The raw words of a source of LANE, before any modifier. */
static const char *
read_words(NornGcnLane *lane, const NornGcnSemantics *row, unsigned index, unsigned words,
           uint32_t *out) {
  const NornGcnState *state = lane->state;
  unsigned code = lane->inst->src[index];
  if (code >= NORN_GCN_VECTOR_SOURCES) {
    unsigned number;
    const char *problem = vector_register(state, row, code - NORN_GCN_VECTOR_SOURCES, words,
                                          NORN_GCN_RELATIVE_SRC, &number);
    for (unsigned i = 0; i < words && !problem; i++)
      out[i] = state->v[number + i][lane->number];
    return problem;
  }
  if (words == 4) {
    if (code + words > NORN_GCN_SCALARS)
      return "a source of four words must be four registers";
    memcpy(out, &state->s[code], 4 * sizeof *out);
    return NULL;
  }
  uint64_t value = 0;
  const char *problem = norn_gcn_read_uniform(state, code, type_bits(row->src[index]), &value);
  out[0] = (uint32_t)value;
  if (words > 1)
    out[1] = (uint32_t)(value >> 32);
  return problem;
}

static const char *
read_source(NornGcnLane *lane, const NornGcnSemantics *row, unsigned index) {
  const NornGcnDecoded *inst = lane->inst;
  NornGcnType type = row->src[index];
  unsigned bits = type_bits(type), words = type_words(type);
  uint32_t raw[4] = {0};
  const char *problem = read_words(lane, row, index, words, raw);
  if (type == NORN_GCN_U128) {
    memcpy(lane->wide, raw, sizeof raw);
    return problem;
  }
  uint64_t value = raw[0] | (uint64_t)raw[1] << 32;
  if (type == NORN_GCN_MASK) {
    lane->src[index] = value >> lane->number & 1;
    return problem;
  }
  if (bits == 16 && inst->op_sel >> index & 1)
    value >>= 16;
  value = apply_sign(norn_int_truncate(value, bits), bits, inst->absolute >> index & 1,
                     inst->negate >> index & 1);
  lane->src[index] = extend(type, value);
  return problem;
}

/* --- Results --- */

/* OMOD multiplies by 2, 4 or 1/2, but only if subnormal results are flushed anyway. */
static uint64_t
finish_float(const NornGcnLane *lane, uint64_t value) {
  static const int scales[4] = {0, 1, 2, -1};
  NornFloatFormat format = lane->format;
  if (lane->inst->omod && lane->mode.flush_outputs)
    value = norn_float_ldexp(format, lane->mode, value, scales[lane->inst->omod]);
  if (!lane->inst->clamp)
    return value;
  if (norn_float_is_nan(format, value))
    return lane->state->mode >> NORN_GCN_MODE_DX10_CLAMP & 1 ? 0 : value;
  if (norn_float_is_negative(format, value))
    return 0;
  return MIN(value, norn_float_one(format, false));
}

static uint64_t
finish_int(NornGcnType type, bool clamp, uint64_t value) {
  unsigned bits = type_bits(type);
  if (clamp && bits < 64) {
    bool is_signed = type == NORN_GCN_I16 || type == NORN_GCN_I32;
    value = norn_int_saturate(value, 64, true, bits, is_signed);
  }
  return norn_int_truncate(value, bits);
}

static void
store(NornGcnState *state, const NornGcnLane *lane, const NornGcnSemantics *row, unsigned number) {
  const NornGcnDecoded *inst = lane->inst;
  uint32_t *target = &state->v[number][lane->number];
  if (row->result == NORN_GCN_U128) {
    for (unsigned i = 0; i < 4; i++)
      state->v[number + i][lane->number] = lane->wide[i];
    return;
  }
  uint64_t value = norn_gcn_is_float(row->result)
                       ? finish_float(lane, lane->result)
                       : finish_int(row->result, inst->clamp, lane->result);
  if (type_bits(row->result) == 16 && inst->has_op_sel)
    value = inst->op_sel & 8 ? (*target & 0xffff) | value << 16 : (*target & ~0xffffu) | value;
  *target = (uint32_t)value;
  if (type_words(row->result) == 2)
    state->v[number + 1][lane->number] = (uint32_t)(value >> 32);
}

/* The float format that an instruction works in: its result's, otherwise its first float
 * source's. */
static NornFloatFormat
working_format(const NornGcnSemantics *row) {
  if (norn_gcn_is_float(row->result))
    return norn_gcn_format(row->result);
  return norn_gcn_format(row->src[0]);
}

static void
set_pair(NornGcnState *state, unsigned code, uint64_t value) {
  state->s[code] = (uint32_t)value;
  state->s[code + 1] = (uint32_t)(value >> 32);
}

/* The state that lanes share, and the results collected over them. */
typedef struct {
  const NornGcnSemantics *row;
  NornGcnLane pattern;
  unsigned target;  /* the first destination register */
  uint64_t results; /* MASK results, one bit per lane */
  uint64_t carries;
} Wave;

static const char *
execute_lane(NornGcnState *state, Wave *wave, unsigned number) {
  const NornGcnSemantics *row = wave->row;
  NornGcnLane lane = wave->pattern;
  const char *problem = NULL;
  lane.number = number;
  for (unsigned i = 0; i < 3 && !problem; i++)
    if (row->src[i] != NORN_GCN_NONE && (i < 2 || !(row->flags & NORN_GCN_ACCUMULATE)))
      problem = read_source(&lane, row, i);
  if (problem)
    return problem;
  if (row->result != NORN_GCN_MASK) {
    lane.old = norn_int_truncate(state->v[wave->target][number], MIN(type_bits(row->result), 32));
  }
  if (row->flags & NORN_GCN_ACCUMULATE)
    lane.src[2] = lane.old;
  row->lane(&lane, row);
  if (lane.problem)
    return lane.problem;
  wave->carries |= (uint64_t)lane.carry << number;
  if (row->result == NORN_GCN_MASK)
    wave->results |= (lane.result & 1) << number;
  else if (!(row->flags & NORN_GCN_KEEP && lane.carry))
    store(state, &lane, row, wave->target);
  return NULL;
}

static const char *
check_scalar_result(unsigned code) {
  return code + 2 > NORN_GCN_SCALARS ? "a scalar result is not a register pair" : NULL;
}

static const char *
prepare(const NornGcnState *state, const NornGcnDecoded *inst, Wave *wave) {
  const NornGcnSemantics *row = norn_gcn_semantics(inst->instruction);
  const char *problem;
  wave->row = row;
  wave->pattern.state = state;
  wave->pattern.inst = inst;
  wave->pattern.format = working_format(row);
  wave->pattern.mode = norn_gcn_mode(state->mode, wave->pattern.format);
  if (row->flags & NORN_GCN_FLUSH)
    wave->pattern.mode.flush_inputs = wave->pattern.mode.flush_outputs = true;
  if (row->result == NORN_GCN_MASK)
    problem = check_scalar_result(inst->vdst);
  else
    problem = vector_register(state, row, inst->vdst, type_words(row->result),
                              NORN_GCN_RELATIVE_DST, &wave->target);
  if (!problem && inst->has_sdst)
    problem = check_scalar_result(inst->sdst);
  return problem;
}

bool
norn_gcn_execute(NornGcnState *state, const NornGcnDecoded *inst, GError **error) {
  uint64_t exec = norn_gcn_scalar_pair(state, NORN_GCN_EXEC);
  const NornGcnSemantics *row = norn_gcn_semantics(inst->instruction);
  if (row->wave)
    return row->wave(state, inst, error);
  Wave wave = {0};
  const char *problem = prepare(state, inst, &wave);
  for (unsigned i = 0; i < NORN_GCN_LANES && !problem; i++)
    if (exec >> i & 1)
      problem = execute_lane(state, &wave, i);
  if (problem)
    return trap(error, inst, problem);
  if (wave.row->result == NORN_GCN_MASK)
    set_pair(state, inst->vdst, wave.results);
  if (wave.row->flags & NORN_GCN_WRITE_EXEC)
    set_pair(state, NORN_GCN_EXEC, wave.results);
  if (inst->has_sdst)
    set_pair(state, inst->sdst, wave.carries);
  return true;
}

/* --- Decoding --- */

static uint32_t
field(const NornIsaEncoding *encoding, NornGcnField number, uint64_t word) {
  return norn_isa_field_get_or(encoding, number, word, 0);
}

/* Up to four one-bit fields, the first in bit 0. */
static uint8_t
bits(const NornIsaEncoding *encoding, const NornGcnField *numbers, unsigned count, uint64_t word) {
  uint8_t value = 0;
  for (unsigned i = 0; i < count; i++)
    value |= (uint8_t)(field(encoding, numbers[i], word) << i);
  return value;
}

bool
norn_gcn_decode(unsigned architecture, uint64_t word, NornGcnDecoded *inst, GError **error) {
  static const NornGcnField absolute[] = {NORN_GCN_FIELD_ABSOLUTE0, NORN_GCN_FIELD_ABSOLUTE1,
                                          NORN_GCN_FIELD_ABSOLUTE2};
  static const NornGcnField negate[] = {NORN_GCN_FIELD_NEGATE0, NORN_GCN_FIELD_NEGATE1,
                                        NORN_GCN_FIELD_NEGATE2};
  static const NornGcnField op_sel[] = {NORN_GCN_FIELD_OP_SEL0, NORN_GCN_FIELD_OP_SEL1,
                                        NORN_GCN_FIELD_OP_SEL2, NORN_GCN_FIELD_OP_SEL3};
  if (!norn_isa_check(&norn_isa_gcn, architecture, word, error))
    return false;
  const NornIsaEncoding *encoding = norn_isa_decode(&norn_isa_gcn, architecture, word);
  uint32_t attribute = field(encoding, NORN_GCN_FIELD_ATTRIBUTE, word);
  *inst = (NornGcnDecoded){
      .instruction = encoding->instruction,
      .src = {(uint16_t)field(encoding, NORN_GCN_FIELD_SRC0, word),
              (uint16_t)field(encoding, NORN_GCN_FIELD_SRC1, word),
              (uint16_t)field(encoding, NORN_GCN_FIELD_SRC2, word)},
      .vdst = (uint8_t)field(encoding, NORN_GCN_FIELD_VDST, word),
      .sdst = (uint8_t)field(encoding, NORN_GCN_FIELD_SDST, word),
      .has_sdst = norn_isa_field_exists(encoding, NORN_GCN_FIELD_SDST),
      .has_op_sel = norn_isa_field_exists(encoding, NORN_GCN_FIELD_OP_SEL3),
      .absolute = bits(encoding, absolute, G_N_ELEMENTS(absolute), word),
      .negate = bits(encoding, negate, G_N_ELEMENTS(negate), word),
      .op_sel = bits(encoding, op_sel, G_N_ELEMENTS(op_sel), word),
      .omod = (uint8_t)field(encoding, NORN_GCN_FIELD_OMOD, word),
      .clamp = field(encoding, NORN_GCN_FIELD_CLAMP, word) != 0,
      .attribute = attribute & 63,
      .channel = (uint8_t)(attribute >> 6),
      .high = field(encoding, NORN_GCN_FIELD_HIGH, word) != 0,
      .parameter = (uint8_t)field(encoding, NORN_GCN_FIELD_PARAMETER, word),
  };
  return true;
}

bool
norn_gcn_run(NornGcnState *state, unsigned architecture, const void *code, size_t size,
             GError **error) {
  if (size % sizeof(uint64_t)) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "code of %zu bytes, expected a multiple of 8", size);
    return false;
  }
  for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
    NornGcnDecoded inst;
    uint64_t word;
    memcpy(&word, (const char *)code + at, sizeof word);
    if (!norn_gcn_decode(architecture, GUINT64_FROM_LE(word), &inst, error) ||
        !norn_gcn_execute(state, &inst, error)) {
      g_prefix_error(error, "instruction %zu: ", at / sizeof(uint64_t));
      return false;
    }
  }
  return true;
}
