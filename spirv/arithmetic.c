/* Arithmetic that is not a single operation of the IR; everything else is rows (spirv/scalar.c).
 *
 * Functions that compute a scalar from scalars are named in operations.def and applied to each
 * component. The others read the instruction themselves, since their operands or results have more
 * than one type. */
#include "spirv/scalar.h"

/* --- By scalars --- */

#define BY_SCALAR(name, count)                                                                     \
  void norn_spirv_read_##name(NornSpirvReader *reader) {                                           \
    norn_spirv_by_scalar(reader, name, 3, count);                                                  \
  }

/* The remainder with the sign of the divisor; for a power of two, the low bits. */
static NornRef
modulo_signed(NornSpirvReader *reader, NornType type, NornType source, const NornRef *x) {
  (void)source;
  uint64_t divisor;
  bool is_positive = norn_spirv_constant_bits(reader, x[1], &divisor) && divisor &&
                     divisor < UINT64_C(1) << (norn_type_bits(type) - 1);
  if (is_positive && !(divisor & (divisor - 1)))
    return norn_spirv_op2(reader, NORN_OP_AND, type, x[0],
                          norn_spirv_int(reader, type, divisor - 1));
  NornRef zero = norn_spirv_int(reader, type, 0);
  NornRef rest = norn_spirv_op2(reader, NORN_OP_SREM, type, x[0], x[1]);
  if (is_positive) {
    NornRef below =
        norn_spirv_compare(reader, NORN_OP_ICMP, NORN_INT_CONDITION_SLT, type, rest, zero);
    NornRef above = norn_spirv_op2(reader, NORN_OP_IADD, type, rest, x[1]);
    return norn_spirv_op3(reader, NORN_OP_SELECT, type, below, above, rest);
  }
  NornRef signs = norn_spirv_op2(reader, NORN_OP_XOR, type, rest, x[1]);
  NornRef differ =
      norn_spirv_compare(reader, NORN_OP_ICMP, NORN_INT_CONDITION_SLT, type, signs, zero);
  NornRef any = norn_spirv_compare(reader, NORN_OP_ICMP, NORN_INT_CONDITION_NE, type, rest, zero);
  NornRef moves = norn_spirv_op2(reader, NORN_OP_AND, NORN_TYPE_I1, differ, any);
  NornRef moved = norn_spirv_op2(reader, NORN_OP_IADD, type, rest, x[1]);
  return norn_spirv_op3(reader, NORN_OP_SELECT, type, moves, moved, rest);
}
BY_SCALAR(modulo_signed, 2)

/* a - b * round(a / b) */
static NornRef
float_rest(NornSpirvReader *reader, NornType type, const NornRef *x, NornRound rounding) {
  NornRef quotient = norn_spirv_op2(reader, NORN_OP_FDIV, type, x[0], x[1]);
  NornRef whole = norn_spirv_op(reader, NORN_OP_FROUND, rounding, type, &quotient, 1);
  NornRef product = norn_spirv_op2(reader, NORN_OP_FMUL, type, x[1], whole);
  return norn_spirv_op2(reader, NORN_OP_FSUB, type, x[0], product);
}

static NornRef
modulo_float(NornSpirvReader *reader, NornType type, NornType source, const NornRef *x) {
  (void)source;
  return float_rest(reader, type, x, NORN_ROUND_RTN);
}
BY_SCALAR(modulo_float, 2)

static NornRef
remainder_float(NornSpirvReader *reader, NornType type, NornType source, const NornRef *x) {
  (void)source;
  return float_rest(reader, type, x, NORN_ROUND_RTZ);
}
BY_SCALAR(remainder_float, 2)

static NornRef
equal_truths(NornSpirvReader *reader, NornType type, NornType source, const NornRef *x) {
  (void)source;
  NornRef differ = norn_spirv_op2(reader, NORN_OP_XOR, type, x[0], x[1]);
  return norn_spirv_op1(reader, NORN_OP_NOT, type, differ);
}
BY_SCALAR(equal_truths, 2)

static NornRef
class_of(NornSpirvReader *reader, NornType source, NornRef ref, unsigned classes) {
  const NornRef operands[] = {ref, norn_build_bits(reader->builder, classes)};
  return norn_spirv_op(reader, NORN_OP_FCLASS, 0, source, operands, 2);
}

/* Bits of fclass. */
#define CLASSES_NAN 0x003
#define CLASSES_INFINITE 0x204

static NornRef
is_nan(NornSpirvReader *reader, NornType type, NornType source, const NornRef *x) {
  (void)type;
  return class_of(reader, source, x[0], CLASSES_NAN);
}
BY_SCALAR(is_nan, 1)

static NornRef
is_infinite(NornSpirvReader *reader, NornType type, NornType source, const NornRef *x) {
  (void)type;
  return class_of(reader, source, x[0], CLASSES_INFINITE);
}
BY_SCALAR(is_infinite, 1)

static NornRef
resize_unsigned(NornSpirvReader *reader, NornType type, NornType source, const NornRef *x) {
  return norn_spirv_resize(reader, type, source, false, x[0]);
}
BY_SCALAR(resize_unsigned, 1)

static NornRef
resize_signed(NornSpirvReader *reader, NornType type, NornType source, const NornRef *x) {
  return norn_spirv_resize(reader, type, source, true, x[0]);
}
BY_SCALAR(resize_signed, 1)

/* The rounding mode that decorates the current instruction. */
static NornRound
decorated_rounding(NornSpirvReader *reader) {
  static const NornRound roundings[] = {
      [SpvFPRoundingModeRTE] = NORN_ROUND_RTE,
      [SpvFPRoundingModeRTZ] = NORN_ROUND_RTZ,
      [SpvFPRoundingModeRTP] = NORN_ROUND_RTP,
      [SpvFPRoundingModeRTN] = NORN_ROUND_RTN,
  };
  uint32_t mode = norn_spirv_decorated(reader, norn_spirv_word(reader, 2), NORN_SPIRV_NONE,
                                       SpvDecorationFPRoundingMode, SpvFPRoundingModeRTE);
  return mode < G_N_ELEMENTS(roundings) ? roundings[mode] : NORN_ROUND_RTE;
}

static NornRef
resize_float(NornSpirvReader *reader, NornType type, NornType source, const NornRef *x) {
  if (type == source)
    return x[0];
  return norn_spirv_convert(reader, NORN_OP_FPCONV, decorated_rounding(reader), type, source, x[0]);
}
BY_SCALAR(resize_float, 1)

/* What does not fit is undefined, so a narrow integer is the low part of a word, without limits. */
static NornRef
to_integer(NornSpirvReader *reader, NornOp op, NornType type, NornType source, NornRef value) {
  NornType own = norn_type_bits(type) < 32 ? NORN_TYPE_I32 : type;
  NornRef whole = norn_spirv_convert(reader, op, NORN_ROUND_RTZ, own, source, value);
  return norn_spirv_resize(reader, type, own, false, whole);
}

static NornRef
to_unsigned(NornSpirvReader *reader, NornType type, NornType source, const NornRef *x) {
  return to_integer(reader, NORN_OP_FPTOUI, type, source, x[0]);
}
BY_SCALAR(to_unsigned, 1)

static NornRef
to_signed(NornSpirvReader *reader, NornType type, NornType source, const NornRef *x) {
  return to_integer(reader, NORN_OP_FPTOSI, type, source, x[0]);
}
BY_SCALAR(to_signed, 1)

/* Converts to f16 and back; subnormal results are flushed. */
static NornRef
quantize(NornSpirvReader *reader, NornType type, NornType source, const NornRef *x) {
  (void)source;
  NornRef half =
      norn_spirv_convert(reader, NORN_OP_FPCONV, NORN_ROUND_RTE, NORN_TYPE_F16, type, x[0]);
  NornRef tiny = class_of(reader, NORN_TYPE_F16, half, 0x90);
  NornRef bits = norn_spirv_convert(reader, NORN_OP_BITCAST, 0, NORN_TYPE_I16, NORN_TYPE_F16, half);
  NornRef sign = norn_spirv_op2(reader, NORN_OP_AND, NORN_TYPE_I16, bits,
                                norn_spirv_int(reader, NORN_TYPE_I16, 0x8000));
  NornRef zero = norn_spirv_convert(reader, NORN_OP_BITCAST, 0, NORN_TYPE_F16, NORN_TYPE_I16, sign);
  NornRef kept = norn_spirv_op3(reader, NORN_OP_SELECT, NORN_TYPE_F16, tiny, zero, half);
  return norn_spirv_convert(reader, NORN_OP_FPCONV, NORN_ROUND_RTE, type, NORN_TYPE_F16, kept);
}
BY_SCALAR(quantize, 1)

static NornRef
bit_count(NornSpirvReader *reader, NornType type, NornType source, const NornRef *x) {
  NornRef count = norn_spirv_op1(reader, NORN_OP_POPCOUNT, source, x[0]);
  return norn_spirv_resize(reader, type, source, false, count);
}
BY_SCALAR(bit_count, 1)

/* --- Operands of several types --- */

/* A scalar of an operand that may have another width, as an integer of type `type`. */
static NornRef
resized_operand(NornSpirvReader *reader, uint32_t k, uint32_t i, uint32_t count, NornType type) {
  const NornSpirvType *own;
  const NornRef *refs = norn_spirv_any_value(reader, k, &own);
  if (own->flat != count || !norn_type_in(NORN_SET_INT, (NornType)own->scalar)) {
    norn_spirv_invalid(reader, "operand %u is not an integer of the right size", k);
    return norn_spirv_int(reader, type, 0);
  }
  return norn_spirv_resize(reader, type, (NornType)own->scalar, false, refs[i]);
}

void
norn_spirv_read_shift(NornSpirvReader *reader) {
  const NornSpirvType *type = norn_spirv_type(reader, 1);
  unsigned opcode = norn_spirv_opcode(reader);
  NornOp op = opcode == SpvOpShiftLeftLogical    ? NORN_OP_SHL
              : opcode == SpvOpShiftRightLogical ? NORN_OP_LSHR
                                                 : NORN_OP_ASHR;
  const NornRef *refs = norn_spirv_value(reader, 3, type->flat);
  NornRef *results = norn_spirv_new_refs(reader, type->flat);
  NornType scalar = (NornType)type->scalar;
  for (uint32_t i = 0; norn_type_in(NORN_SET_INT, scalar) && i < type->flat && !reader->error; i++)
    results[i] = norn_spirv_op2(reader, op, scalar, refs[i],
                                resized_operand(reader, 4, i, type->flat, scalar));
  norn_spirv_define(reader, results, type->flat);
}

/* OpBitFieldInsert and both OpBitFieldExtract; offset and count are scalars. */
void
norn_spirv_read_bit_field(NornSpirvReader *reader) {
  const NornSpirvType *type = norn_spirv_type(reader, 1);
  NornType scalar = (NornType)type->scalar;
  bool inserts = norn_spirv_opcode(reader) == SpvOpBitFieldInsert;
  uint32_t k = inserts ? 5 : 4;
  const NornRef *base = norn_spirv_value(reader, 3, type->flat);
  const NornRef *insert = inserts ? norn_spirv_value(reader, 4, type->flat) : NULL;
  NornRef offset = resized_operand(reader, k, 0, 1, NORN_TYPE_I32);
  NornRef count = resized_operand(reader, k + 1, 0, 1, NORN_TYPE_I32);
  NornRef *refs = norn_spirv_new_refs(reader, type->flat);
  NornOp op = inserts                                              ? NORN_OP_BFI
              : norn_spirv_opcode(reader) == SpvOpBitFieldSExtract ? NORN_OP_SBFE
                                                                   : NORN_OP_UBFE;
  if (!norn_type_in(NORN_SET_INT, scalar))
    norn_spirv_invalid(reader, "the operands are not integers");
  for (uint32_t i = 0; i < type->flat && !reader->error; i++) {
    const NornRef operands[] = {base[i], inserts ? insert[i] : offset, inserts ? offset : count,
                                count};
    refs[i] = norn_spirv_op(reader, op, 0, scalar, operands, inserts ? 4 : 3);
  }
  norn_spirv_define(reader, refs, type->flat);
}

/* --- Bits as another type --- */

/* Splits scalars into parts with that many bits, or combines them, as integers. */
static NornRef
bits_of(NornSpirvReader *reader, NornType type, const NornRef *refs, NornType part, unsigned k) {
  unsigned own = norn_type_bits(type), bits = norn_type_bits(part);
  NornType integer = own == 64 ? NORN_TYPE_I64 : own == 32 ? NORN_TYPE_I32 : NORN_TYPE_I16;
  if (own >= bits) {
    unsigned ratio = own / bits;
    NornRef whole = norn_spirv_convert(reader, NORN_OP_BITCAST, 0, integer, type, refs[k / ratio]);
    NornRef moved = norn_spirv_op2(reader, NORN_OP_LSHR, integer, whole,
                                   norn_spirv_int(reader, integer, k % ratio * bits));
    return norn_spirv_resize(reader, part, integer, false, moved);
  }
  NornRef sum = norn_spirv_int(reader, part, 0);
  unsigned ratio = bits / own;
  integer = own == 8 ? NORN_TYPE_I8 : integer;
  for (unsigned i = 0; i < ratio; i++) {
    NornRef one =
        norn_spirv_convert(reader, NORN_OP_BITCAST, 0, integer, type, refs[k * ratio + i]);
    NornRef wide = norn_spirv_resize(reader, part, integer, false, one);
    NornRef moved =
        norn_spirv_op2(reader, NORN_OP_SHL, part, wide, norn_spirv_int(reader, part, i * own));
    sum = norn_spirv_op2(reader, NORN_OP_OR, part, sum, moved);
  }
  return sum;
}

NornRef
norn_spirv_reinterpret(NornSpirvReader *reader, NornType to, NornType from, const NornRef *refs,
                       unsigned k) {
  unsigned bits = norn_type_bits(to);
  if (norn_type_bits(from) == bits)
    return to == from ? refs[k] : norn_spirv_convert(reader, NORN_OP_BITCAST, 0, to, from, refs[k]);
  if (bits == 64 && norn_type_bits(from) == 32) {
    NornRef parts[2] = {refs[2 * k], refs[2 * k + 1]};
    uint64_t low, high;
    if (norn_spirv_constant_bits(reader, parts[0], &low) &&
        norn_spirv_constant_bits(reader, parts[1], &high))
      return norn_spirv_int(reader, to, low | high << 32);
    NornType word = norn_type_in(NORN_SET_FLOAT, from) ? NORN_TYPE_F32 : NORN_TYPE_I32;
    return norn_build_collect(reader->builder, word, to, 2, parts);
  }
  NornType integer = bits == 64   ? NORN_TYPE_I64
                     : bits == 32 ? NORN_TYPE_I32
                     : bits == 16 ? NORN_TYPE_I16
                                  : NORN_TYPE_I8;
  NornRef part = bits_of(reader, from, refs, integer, k);
  return to == integer ? part : norn_spirv_convert(reader, NORN_OP_BITCAST, 0, to, integer, part);
}

void
norn_spirv_read_bitcast(NornSpirvReader *reader) {
  const NornSpirvType *type = norn_spirv_type(reader, 1), *source;
  const NornRef *refs = norn_spirv_any_value(reader, 3, &source);
  NornType to = (NornType)type->scalar, from = (NornType)source->scalar;
  if (!to || !from || to == NORN_TYPE_I1 || from == NORN_TYPE_I1 ||
      norn_type_bits(to) * type->flat != norn_type_bits(from) * source->flat) {
    norn_spirv_invalid(reader, "the types do not have the same size");
    return;
  }
  NornRef *results = norn_spirv_new_refs(reader, type->flat);
  for (uint32_t k = 0; k < type->flat && !reader->error; k++)
    results[k] = norn_spirv_reinterpret(reader, to, from, refs, k);
  norn_spirv_define(reader, results, type->flat);
}

/* --- Results of two parts --- */

/* Low and high halves of a product; sum and carry; difference and borrow. */
void
norn_spirv_read_wide_result(NornSpirvReader *reader) {
  const NornSpirvType *type = norn_spirv_type(reader, 1);
  unsigned opcode = norn_spirv_opcode(reader);
  const NornSpirvType *half =
      type->op == SpvOpTypeStruct && type->count == 2 ? type->members[0].type : NULL;
  if (!half || type->members[1].type->flat != half->flat ||
      !norn_type_in(NORN_SET_INT, (NornType)half->scalar)) {
    norn_spirv_invalid(reader, "the result is not a pair of integers");
    return;
  }
  NornType scalar = (NornType)half->scalar;
  const NornRef *a = norn_spirv_value(reader, 3, half->flat);
  const NornRef *b = norn_spirv_value(reader, 4, half->flat);
  NornRef *refs = norn_spirv_new_refs(reader, type->flat);
  bool multiplies = opcode == SpvOpUMulExtended || opcode == SpvOpSMulExtended;
  for (uint32_t i = 0; i < half->flat && !reader->error; i++) {
    NornRef *low = &refs[i], *high = &refs[half->flat + i];
    if (multiplies) {
      *high = norn_spirv_op2(reader, opcode == SpvOpUMulExtended ? NORN_OP_UMULH : NORN_OP_SMULH,
                             scalar, a[i], b[i]);
      *low = norn_spirv_op2(reader, NORN_OP_IMUL, scalar, a[i], b[i]);
      continue;
    }
    bool adds = opcode == SpvOpIAddCarry;
    *low = norn_spirv_op2(reader, adds ? NORN_OP_IADD : NORN_OP_ISUB, scalar, a[i], b[i]);
    NornRef carries = norn_spirv_compare(reader, NORN_OP_ICMP, NORN_INT_CONDITION_ULT, scalar,
                                         adds ? *low : a[i], adds ? a[i] : b[i]);
    *high = norn_spirv_convert(reader, NORN_OP_ZEXT, 0, scalar, NORN_TYPE_I1, carries);
  }
  norn_spirv_define(reader, refs, type->flat);
}

/* --- Products of integer vectors --- */

/* What an instruction does with its operands; words of four bytes have separate operations. */
typedef struct DotForm {
  uint16_t opcode, words; /* SpvOpX, NornOp */
  bool a_is_signed, b_is_signed, accumulates;
} DotForm;

static const DotForm dots[] = {
#define DOT(name, words, a_is_signed, b_is_signed, accumulates)                                    \
  {SpvOp##name, NORN_OP_##words, a_is_signed, b_is_signed, accumulates},
#include "spirv/handlers.def"
};

/* The operand of word k as four bytes; 0 if it is some other vector. */
static NornRef
four_bytes(NornSpirvReader *reader, uint32_t k) {
  const NornSpirvType *type;
  const NornRef *refs = norn_spirv_any_value(reader, k, &type);
  if (type->scalar == NORN_TYPE_I32 && type->flat == 1)
    return norn_spirv_convert(reader, NORN_OP_BITCAST, 0, NORN_TYPE_V4I8, NORN_TYPE_I32, refs[0]);
  if (type->scalar != NORN_TYPE_I8 || type->flat != 4)
    return 0;
  NornRef word = bits_of(reader, NORN_TYPE_I8, refs, NORN_TYPE_I32, 0);
  return norn_spirv_convert(reader, NORN_OP_BITCAST, 0, NORN_TYPE_V4I8, NORN_TYPE_I32, word);
}

/* The sum of products, each in the result's width. */
static NornRef
sum_products(NornSpirvReader *reader, const DotForm *form, NornType type) {
  const NornSpirvType *a_type, *b_type;
  const NornRef *a = norn_spirv_any_value(reader, 3, &a_type);
  const NornRef *b = norn_spirv_any_value(reader, 4, &b_type);
  NornRef sum = 0;
  if (a_type->flat != b_type->flat || !norn_type_in(NORN_SET_INT, (NornType)a_type->scalar) ||
      !norn_type_in(NORN_SET_INT, (NornType)b_type->scalar)) {
    norn_spirv_invalid(reader, "the operands are not integer vectors of the same size");
    return 0;
  }
  for (uint32_t k = 0; k < a_type->flat && !reader->error; k++) {
    NornRef x = norn_spirv_resize(reader, type, (NornType)a_type->scalar, form->a_is_signed, a[k]);
    NornRef y = norn_spirv_resize(reader, type, (NornType)b_type->scalar, form->b_is_signed, b[k]);
    NornRef product = norn_spirv_op2(reader, NORN_OP_IMUL, type, x, y);
    sum = sum ? norn_spirv_op2(reader, NORN_OP_IADD, type, sum, product) : product;
  }
  return sum;
}

void
norn_spirv_read_integer_dot(NornSpirvReader *reader) {
  const DotForm *form = dots;
  while (form->opcode != norn_spirv_opcode(reader))
    form++;
  NornType type = (NornType)norn_spirv_type(reader, 1)->scalar;
  if (!norn_type_in(NORN_SET_INT, type) || norn_spirv_type(reader, 1)->flat != 1) {
    norn_spirv_invalid(reader, "the result is not an integer");
    return;
  }
  bool is_word = type == NORN_TYPE_I32;
  NornRef zero = norn_spirv_int(reader, NORN_TYPE_I32, 0);
  NornRef accumulator = form->accumulates ? norn_spirv_scalar(reader, 5) : zero;
  NornRef operands[] = {four_bytes(reader, 3), four_bytes(reader, 4), is_word ? accumulator : zero};
  NornRef result;
  if (reader->error)
    return;
  if (operands[0] && operands[1]) {
    result = norn_spirv_op(reader, (NornOp)form->words, 0, NORN_TYPE_V4I8, operands, 3);
    result = norn_spirv_resize(reader, type, NORN_TYPE_I32, form->a_is_signed, result);
  } else {
    result = sum_products(reader, form, type);
    is_word = false;
  }
  if (form->accumulates && !is_word)
    result = norn_spirv_op2(reader, form->a_is_signed ? NORN_OP_SADDSAT : NORN_OP_UADDSAT, type,
                            result, accumulator);
  norn_spirv_define_scalar(reader, result);
}

/* --- Truth values --- */

void
norn_spirv_read_any_or_all(NornSpirvReader *reader) {
  const NornSpirvType *type;
  const NornRef *refs = norn_spirv_any_value(reader, 3, &type);
  NornOp op = norn_spirv_opcode(reader) == SpvOpAny ? NORN_OP_OR : NORN_OP_AND;
  if (type->scalar != NORN_TYPE_I1) {
    norn_spirv_invalid(reader, "the operand is not a bool or a vector of bools");
    return;
  }
  NornRef all = refs[0];
  for (uint32_t k = 1; k < type->flat; k++)
    all = norn_spirv_op2(reader, op, NORN_TYPE_I1, all, refs[k]);
  norn_spirv_define_scalar(reader, all);
}

/* The condition is a single truth value, or one for each component. */
void
norn_spirv_read_select(NornSpirvReader *reader) {
  const NornSpirvType *type = norn_spirv_type(reader, 1), *condition_type;
  const NornRef *condition = norn_spirv_any_value(reader, 3, &condition_type);
  if (type->op == SpvOpTypePointer && !type->flat) {
    norn_spirv_unsupported(reader, "selecting between pointers of this type is not supported");
    return;
  }
  const NornRef *a = norn_spirv_value(reader, 4, norn_spirv_flat(reader, type));
  const NornRef *b = norn_spirv_value(reader, 5, norn_spirv_flat(reader, type));
  if (condition_type->scalar != NORN_TYPE_I1 ||
      (condition_type->flat != 1 && condition_type->flat != type->flat))
    norn_spirv_invalid(reader, "the condition has the wrong type");
  if (reader->error)
    return;
  NornRef *refs = norn_spirv_new_refs(reader, type->flat);
  for (uint32_t k = 0; k < type->flat; k++)
    refs[k] = norn_spirv_op3(reader, NORN_OP_SELECT, norn_spirv_scalar_type(type, k),
                             condition[condition_type->flat == 1 ? 0 : k], a[k], b[k]);
  norn_spirv_define(reader, refs, type->flat);
}
