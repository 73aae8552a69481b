/* Builds a Valhall instruction: its modifier word and its sources.
 *
 * Instructions that define a source are folded into it if the source's modifiers do the same: float
 * signs, swapped or duplicated halves, halves widened to f32, bytes and halves extended to a word.
 * Folding costs nothing, so the folded value may have other users. */
#include "compiler/valhall/code.h"
#include "compiler/valhall/valhall.h"
#include "ir/ops.h"
#include "isa/valhall_abi.h"
#include <string.h>

static const uint16_t neg_fields[] = {NORN_VALHALL_FIELD_NEG0, NORN_VALHALL_FIELD_NEG1,
                                      NORN_VALHALL_FIELD_NEG2};
static const uint16_t abs_fields[] = {NORN_VALHALL_FIELD_ABS0, NORN_VALHALL_FIELD_ABS1,
                                      NORN_VALHALL_FIELD_ABS2};
static const uint16_t swizzle_fields[] = {NORN_VALHALL_FIELD_SWIZZLE0, NORN_VALHALL_FIELD_SWIZZLE1,
                                          NORN_VALHALL_FIELD_SWIZZLE2};

bool
norn_valhall_has(const NornSelector *selector, unsigned instruction) {
  return norn_valhall_encoding_of(selector->target, instruction) != NULL;
}

NornValhallInst
norn_valhall_begin(NornSelector *selector, uint32_t inst, unsigned instruction) {
  const NornIsaEncoding *encoding = norn_valhall_encoding_of(selector->target, instruction);
  return (NornValhallInst){
      .selector = selector,
      .inst = inst,
      .instruction = instruction,
      .encoding = encoding,
      .word = encoding->word,
  };
}

void
norn_valhall_set(NornValhallInst *machine, unsigned field, uint32_t value) {
  norn_isa_field_set(machine->encoding, field, &machine->word, value);
}

static bool
has_field(const NornValhallInst *machine, const uint16_t *fields, unsigned k) {
  return k < G_N_ELEMENTS(neg_fields) && norn_isa_field_exists(machine->encoding, fields[k]);
}

/* Whether the field exists and may have the value. */
static bool
allows(const NornValhallInst *machine, unsigned field, unsigned value) {
  return norn_isa_field_exists(machine->encoding, field) &&
         norn_isa_field(machine->encoding, field)->allowed >> value & 1;
}

/* Folds negations and absolute values of floats with that many bits per lane. The hardware applies
 * the absolute value first. */
static NornRef
fold_signs(NornValhallInst *machine, NornRef ref, unsigned lane_bits) {
  unsigned k = machine->count;
  if (!has_field(machine, neg_fields, k))
    return ref;
  uint32_t neg = norn_isa_field_get(machine->encoding, neg_fields[k], machine->word);
  uint32_t abs = norn_isa_field_get(machine->encoding, abs_fields[k], machine->word);
  for (;;) {
    const NornInst inst = norn_select_definition(machine->selector, ref);
    if ((inst.op != NORN_OP_FNEG && inst.op != NORN_OP_FABS) ||
        norn_types[inst.type].lane_bits != lane_bits)
      break;
    if (inst.op == NORN_OP_FNEG)
      neg ^= !abs;
    else
      abs = 1;
    ref = norn_valhall_operand_of(machine->selector, &inst, 0);
  }
  norn_valhall_set(machine, neg_fields[k], neg);
  norn_valhall_set(machine, abs_fields[k], abs);
  return ref;
}

/* Folds the widening of a half; signs may follow. It is not known whether widening flushes
 * subnormal halves, so it replaces a conversion only if subnormals are preserved. */
static NornRef
fold_half(NornValhallInst *machine, NornRef ref) {
  unsigned k = machine->count, swizzle = NORN_VALHALL_SWIZZLE_HALF_H00;
  const NornInst inst = norn_select_definition(machine->selector, ref);
  if (inst.op != NORN_OP_FPCONV || inst.type != NORN_TYPE_F32 ||
      inst.source_type != NORN_TYPE_F16 || k >= G_N_ELEMENTS(swizzle_fields) ||
      !allows(machine, swizzle_fields[k], NORN_VALHALL_WIDEN_H0) ||
      machine->selector->module->denormals != NORN_DENORMALS_PRESERVE)
    return ref;
  ref = norn_valhall_operand_of(machine->selector, &inst, 0);
  ref = fold_signs(machine, ref, 16);
  norn_valhall_swizzled(machine->selector, ref, &ref, &swizzle);
  norn_valhall_set(machine, swizzle_fields[k],
                   swizzle == NORN_VALHALL_SWIZZLE_HALF_H11 ? NORN_VALHALL_WIDEN_H1
                                                            : NORN_VALHALL_WIDEN_H0);
  return ref;
}

/* Folds a swizzle of halves; signs may follow. */
static NornRef
fold_swizzle(NornValhallInst *machine, NornRef ref) {
  unsigned swizzle, k = machine->count;
  NornRef base;
  if (k >= G_N_ELEMENTS(swizzle_fields) ||
      !norn_valhall_swizzled(machine->selector, ref, &base, &swizzle) ||
      !allows(machine, swizzle_fields[k], swizzle))
    return ref;
  norn_valhall_set(machine, swizzle_fields[k], swizzle);
  return fold_signs(machine, base, 16);
}

/* Folds a selection of the upper half; signs may follow. */
static NornRef
fold_upper(NornValhallInst *machine, NornRef ref) {
  unsigned swizzle, k = machine->count;
  NornRef base;
  if (!norn_valhall_swizzled(machine->selector, ref, &base, &swizzle) ||
      swizzle != NORN_VALHALL_SWIZZLE_HALF_H11 ||
      !allows(machine, swizzle_fields[k], NORN_VALHALL_HALF_LANE_H1))
    return ref;
  norn_valhall_set(machine, swizzle_fields[k], NORN_VALHALL_HALF_LANE_H1);
  return fold_signs(machine, base, 16);
}

/* Bits [first, first + count) of a word, as a value of the widen_integer enumeration. */
static bool
subword_at(uint64_t first, uint64_t count, unsigned *part) {
  if (count == 16 && first % 16 == 0 && first < 32) {
    *part = NORN_VALHALL_WIDEN_INTEGER_H0 + (unsigned)(first / 16);
    return true;
  }
  if (count == 8 && first % 8 == 0 && first < 32) {
    *part = NORN_VALHALL_WIDEN_INTEGER_B0 + (unsigned)(first / 8);
    return true;
  }
  return false;
}

/* An operation on words, as matched by the rows of subwords.def. */
typedef struct WordOperation {
  NornOp op;
  NornRef a;         /* first operand */
  uint64_t constant; /* second operand, UINT64_MAX if not constant */
} WordOperation;

static WordOperation
describe_operation(const NornSelector *selector, const NornInst *inst) {
  WordOperation operation = {.op = inst->op, .constant = UINT64_MAX};
  const NornRef *operands = norn_operands(selector->function, inst);
  if (inst->operand_count > 0)
    operation.a = norn_select_resolve(selector, operands[0]);
  if (inst->operand_count > 1 &&
      !norn_select_constant(selector, norn_select_resolve(selector, operands[1]),
                            &operation.constant))
    operation.constant = UINT64_MAX;
  return operation;
}

/* The number of ones in the mask of a byte or half; 0 for other masks. */
static uint64_t
ones_of(uint64_t mask) {
  return mask == 0xFF ? 8 : mask == 0xFFFF ? 16 : 0;
}

/* A narrow value that an operation extends by zeros to a word; {0} if it is something else. */
static NornValhallPiece
extended_piece(const NornSelector *selector, NornRef ref, unsigned *bits) {
  const NornInst inst = norn_select_definition(selector, ref);
  *bits = 32;
  if (inst.op != NORN_OP_ZEXT || inst.type != NORN_TYPE_I32 || inst.source_type == NORN_TYPE_I1)
    return (NornValhallPiece){0};
  *bits = norn_type_bits(inst.source_type);
  return norn_valhall_piece(selector, norn_valhall_operand_of(selector, &inst, 0), *bits);
}

/* Bits [first, first + count) of a word; if it is an extended piece, of what it is a piece of. */
static bool
subword_of(const NornSelector *selector, NornRef ref, uint64_t first, uint64_t count, NornRef *base,
           unsigned *part) {
  unsigned bits;
  NornValhallPiece piece = extended_piece(selector, ref, &bits);
  bool is_within = piece.base && first + count <= bits;
  *base = is_within ? piece.base : ref;
  return subword_at(is_within ? first + piece.lane * bits : first, count, part);
}

/* Whether a row begins with the operation. */
static bool
has_subword(NornOp op) {
#define SUBWORD(extension, operation, ...) || op == NORN_OP_##operation
  return false
#include "compiler/valhall/subwords.def"
      ;
#undef SUBWORD
}

static bool
match_subword(const NornSelector *selector, const NornInst *inst, bool is_signed, NornRef *base,
              unsigned *part) {
  enum { ZERO, SIGN };
  if (!has_subword(inst->op))
    return false;
  WordOperation outer = describe_operation(selector, inst), inner = {NORN_OP_NONE};
  const NornInst definition = norn_select_definition(selector, outer.a);
  if (definition.op != NORN_OP_NONE && definition.type == NORN_TYPE_I32)
    inner = describe_operation(selector, &definition);
  unsigned bits;
  extended_piece(selector, outer.a, &bits);
#define I inner.constant
#define J outer.constant
#define BITS bits
#define ONES(mask) ones_of(mask)
#define SUBWORD(extension, operation, inner_operation, first, count)                               \
  if (outer.op == NORN_OP_##operation && is_signed == (extension == SIGN) &&                       \
      (NORN_OP_##inner_operation == NORN_OP_NONE || inner.op == NORN_OP_##inner_operation) &&      \
      subword_of(selector, NORN_OP_##inner_operation == NORN_OP_NONE ? outer.a : inner.a, first,   \
                 count, base, part))                                                               \
    return true;
#include "compiler/valhall/subwords.def"
#undef SUBWORD
#undef ONES
#undef BITS
#undef J
#undef I
  return false;
}

/* A lane of a word, or of what the word extends. */
static NornValhallPiece
piece_of(const NornSelector *selector, NornRef word, unsigned bits, unsigned lane) {
  unsigned extended;
  NornValhallPiece piece = extended_piece(selector, word, &extended);
  if (!piece.base || (lane + 1) * bits > extended)
    return (NornValhallPiece){word, lane};
  return (NornValhallPiece){piece.base, piece.lane * extended / bits + lane};
}

NornValhallPiece
norn_valhall_piece(const NornSelector *selector, NornRef ref, unsigned bits) {
  ref = norn_select_resolve(selector, ref);
  const NornInst inst = norn_select_definition(selector, ref);
  uint64_t constant;
  if (inst.op == NORN_OP_EXTRACT &&
      norn_select_constant(selector, norn_valhall_operand_of(selector, &inst, 1), &constant))
    return piece_of(selector, norn_valhall_operand_of(selector, &inst, 0), bits,
                    (unsigned)(constant % norn_types[inst.source_type].lanes));
  if (inst.op != NORN_OP_TRUNC || inst.source_type != NORN_TYPE_I32)
    return (NornValhallPiece){ref, 0};
  NornRef word = norn_valhall_operand_of(selector, &inst, 0);
  const NornInst shift = norn_select_definition(selector, word);
  if ((shift.op == NORN_OP_LSHR || shift.op == NORN_OP_ASHR) && shift.type == NORN_TYPE_I32 &&
      norn_select_constant(selector, norn_valhall_operand_of(selector, &shift, 1), &constant) &&
      constant % bits == 0 && constant + bits <= 32)
    return piece_of(selector, norn_valhall_operand_of(selector, &shift, 0), bits,
                    (unsigned)(constant / bits));
  return piece_of(selector, word, bits, 0);
}

bool
norn_valhall_subword(const NornSelector *selector, NornRef ref, bool is_signed, NornRef *base,
                     unsigned *part) {
  const NornInst inst = norn_select_definition(selector, ref);
  if (inst.op == NORN_OP_NONE)
    return false;
  /* Positions in the workgroup are in halves of registers; they are small enough to be extended
   * either way. */
  if (inst.op == NORN_OP_LOCAL_ID) {
    unsigned reg = inst.modifier == NORN_AXIS_Z ? NORN_VALHALL_PRELOAD_LOCAL_ID_Z
                                                : NORN_VALHALL_PRELOAD_LOCAL_ID_XY;
    *part = inst.modifier == NORN_AXIS_Y ? NORN_VALHALL_WIDEN_INTEGER_H1
                                         : NORN_VALHALL_WIDEN_INTEGER_H0;
    *base = norn_ref(NORN_REF_NONE, reg);
    return true;
  }
  if (inst.type != NORN_TYPE_I32)
    return false;
  if (inst.op != NORN_OP_ZEXT && inst.op != NORN_OP_SEXT)
    return match_subword(selector, &inst, is_signed, base, part);
  if (is_signed != (inst.op == NORN_OP_SEXT) || inst.source_type == NORN_TYPE_I1)
    return false;
  unsigned bits = norn_type_bits(inst.source_type);
  const NornValhallPiece narrow =
      norn_valhall_piece(selector, norn_valhall_operand_of(selector, &inst, 0), bits);
  *base = narrow.base;
  return subword_at(narrow.lane * bits, bits, part);
}

/* Folds the extension of a part. */
static NornRef
fold_part(NornValhallInst *machine, NornRef ref, bool is_signed) {
  unsigned part, k = machine->count;
  NornRef base;
  if (k >= G_N_ELEMENTS(swizzle_fields) ||
      !norn_valhall_subword(machine->selector, ref, is_signed, &base, &part) ||
      !allows(machine, swizzle_fields[k], part))
    return ref;
  norn_valhall_set(machine, swizzle_fields[k], part);
  return norn_valhall_register_of(machine->selector, base);
}

/* Folds the zero-extension of a word to 64 bits. */
static NornRef
fold_long(NornValhallInst *machine, NornRef ref) {
  const NornInst inst = norn_select_definition(machine->selector, ref);
  unsigned k = machine->count;
  if (inst.op != NORN_OP_ZEXT || inst.source_type != NORN_TYPE_I32 ||
      k >= G_N_ELEMENTS(swizzle_fields) ||
      !allows(machine, swizzle_fields[k], NORN_VALHALL_WIDEN_INTEGER_W0))
    return ref;
  norn_valhall_set(machine, swizzle_fields[k], NORN_VALHALL_WIDEN_INTEGER_W0);
  return norn_valhall_operand_of(machine->selector, &inst, 0);
}

/* Sets the extension of a narrow value and returns the value to read. */
static NornRef
extend_narrow(NornValhallInst *machine, NornRef ref, NornType type) {
  unsigned part, field = swizzle_fields[machine->count], bits = norn_type_bits(type);
  const NornValhallPiece narrow = norn_valhall_piece(machine->selector, ref, bits);
  if (subword_at(narrow.lane * bits, bits, &part) && allows(machine, field, part)) {
    norn_valhall_set(machine, field, part);
    return narrow.base;
  }
  if (subword_at(0, bits, &part) && allows(machine, field, part))
    norn_valhall_set(machine, field, part);
  return ref;
}

void
norn_valhall_source(NornValhallInst *machine, NornRef ref, NornValhallSource source,
                    NornType type) {
  ref = norn_select_resolve(machine->selector, ref);
  switch (source) {
  case NORN_VALHALL_FLOAT:
    ref = fold_half(machine, fold_signs(machine, ref, 32));
    break;
  case NORN_VALHALL_SIGNS:
    ref = fold_signs(machine, ref, 32);
    break;
  case NORN_VALHALL_HALF:
    ref = fold_upper(machine, fold_signs(machine, ref, 16));
    break;
  case NORN_VALHALL_HALVES: {
    uint64_t bits;
    NornRef half = fold_signs(machine, ref, 16);
    ref = fold_swizzle(machine, half);
    if (type == NORN_TYPE_F16 && ref == half && norn_select_constant(machine->selector, ref, &bits))
      ref = norn_select_word(machine->selector, bits * 0x00010001);
    break;
  }
  case NORN_VALHALL_UNSIGNED:
  case NORN_VALHALL_SIGNED:
    ref = fold_part(machine, ref, source == NORN_VALHALL_SIGNED);
    break;
  case NORN_VALHALL_LONG:
    ref = fold_long(machine, ref);
    break;
  case NORN_VALHALL_NARROW_UNSIGNED:
  case NORN_VALHALL_NARROW_SIGNED:
    ref = extend_narrow(machine, ref, type);
    break;
  case NORN_VALHALL_PLAIN:
    break;
  }
  machine->operands[machine->count++] = ref;
}

NornValhallInst
norn_valhall_begin_address(NornSelector *selector, uint32_t inst, NornRef base, NornRef index,
                           unsigned shift, bool is_signed) {
  NornRef word;
  unsigned part;
  NornValhallSource source = NORN_VALHALL_PLAIN;
  /* A part is read from an even register; positions in a workgroup are in an odd one. */
  for (unsigned k = 0; k <= is_signed && source == NORN_VALHALL_PLAIN; k++)
    if (norn_valhall_subword(selector, index, k, &word, &part) &&
        norn_ref_kind(word) != NORN_REF_NONE)
      source = k ? NORN_VALHALL_SIGNED : NORN_VALHALL_UNSIGNED;
  bool has_sign = is_signed && source != NORN_VALHALL_UNSIGNED;
  NornValhallInst machine = norn_valhall_begin(
      selector, inst, has_sign ? NORN_VALHALL_SHADDX_S64 : NORN_VALHALL_SHADDX_U64);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_SHIFT, shift);
  norn_valhall_plain(&machine, base);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_SWIZZLE1, NORN_VALHALL_WIDEN_INTEGER_W0);
  norn_valhall_source(&machine, index, source, NORN_TYPE_I32);
  return machine;
}

void
norn_valhall_plain(NornValhallInst *machine, NornRef ref) {
  norn_valhall_source(machine, ref, NORN_VALHALL_PLAIN, NORN_TYPE_VOID);
}

void
norn_valhall_constant(NornValhallInst *machine, uint32_t bits) {
  machine->operands[machine->count++] = norn_select_word(machine->selector, bits);
}

bool
norn_valhall_finish(NornValhallInst *machine) {
  norn_select_as(machine->selector, machine->inst, machine->instruction, machine->word,
                 machine->operands, machine->count);
  return true;
}

NornRef
norn_valhall_emit(NornValhallInst *machine, unsigned words) {
  return norn_select_emit(machine->selector, machine->inst, machine->instruction, machine->word,
                          words, machine->operands, machine->count);
}
