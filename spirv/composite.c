/* Vectors, matrices, arrays and structures: lists of scalars that are put together, taken apart and
 * multiplied. */
#include "spirv/relaxed.h"
#include "spirv/scalar.h"
#include <string.h>

/* The part of a type that the literals from word k on name. */
static const NornSpirvType *
find_part(NornSpirvReader *reader, const NornSpirvType *type, uint32_t k, uint32_t *flat) {
  *flat = 0;
  for (; k < norn_spirv_length(reader) && !reader->error; k++) {
    uint32_t within;
    type = norn_spirv_part(reader, type, norn_spirv_word(reader, k), &within);
    *flat += within;
  }
  return type;
}

static void
read_construct(NornSpirvReader *reader) {
  const NornSpirvType *type = norn_spirv_type(reader, 1);
  uint32_t count = norn_spirv_flat(reader, type), filled = 0;
  NornRef *refs = norn_spirv_new_refs(reader, count);
  for (uint32_t k = 3; k < norn_spirv_length(reader) && !reader->error; k++) {
    const NornSpirvType *part;
    const NornRef *from = norn_spirv_any_value(reader, k, &part);
    if (part->flat > count - filled) {
      filled = count + 1;
      break;
    }
    memcpy(refs + filled, from, part->flat * sizeof *refs);
    filled += part->flat;
  }
  if (filled != count)
    norn_spirv_invalid(reader, "the parts are not %u scalars in all", count);
  norn_spirv_define(reader, refs, count);
}

static void
read_extract(NornSpirvReader *reader) {
  const NornSpirvType *whole;
  const NornRef *refs = norn_spirv_any_value(reader, 3, &whole);
  uint32_t flat;
  const NornSpirvType *part = find_part(reader, whole, 4, &flat);
  if (!reader->error)
    norn_spirv_define(reader, (NornRef *)refs + flat, part->flat);
}

static void
read_insert(NornSpirvReader *reader) {
  const NornSpirvType *type = norn_spirv_type(reader, 1), *object;
  const NornRef *insert = norn_spirv_any_value(reader, 3, &object);
  const NornRef *whole = norn_spirv_value(reader, 4, norn_spirv_flat(reader, type));
  uint32_t flat;
  const NornSpirvType *part = find_part(reader, type, 5, &flat);
  NornRef *refs = norn_spirv_new_refs(reader, type->flat);
  if (!reader->error && part->flat != object->flat)
    norn_spirv_invalid(reader, "the part is not of the object's type");
  if (reader->error)
    return;
  memcpy(refs, whole, type->flat * sizeof *refs);
  memcpy(refs + flat, insert, part->flat * sizeof *refs);
  norn_spirv_define(reader, refs, type->flat);
}

static void
read_shuffle(NornSpirvReader *reader) {
  const NornSpirvType *type = norn_spirv_type(reader, 1), *a_type, *b_type;
  const NornRef *a = norn_spirv_any_value(reader, 3, &a_type);
  const NornRef *b = norn_spirv_any_value(reader, 4, &b_type);
  NornRef *refs = norn_spirv_new_refs(reader, type->flat);
  for (uint32_t k = 0; k < type->flat && !reader->error; k++) {
    uint32_t from = norn_spirv_word(reader, 5 + k);
    if (from == UINT32_MAX)
      refs[k] = norn_build_bits(reader->builder, 0); /* not defined */
    else if (from < a_type->flat)
      refs[k] = a[from];
    else if (from - a_type->flat < b_type->flat)
      refs[k] = b[from - a_type->flat];
    else
      norn_spirv_invalid(reader, "there is no component %u", from);
  }
  norn_spirv_define(reader, refs, type->flat);
}

/* A component by an index that is not known: a chain of choices. */
static void
read_extract_dynamic(NornSpirvReader *reader) {
  const NornSpirvType *type, *index_type;
  const NornRef *refs = norn_spirv_any_value(reader, 3, &type);
  NornRef index = norn_spirv_any_value(reader, 4, &index_type)[0];
  if (type->op != SpvOpTypeVector || !norn_type_in(NORN_SET_INT, (NornType)index_type->scalar)) {
    norn_spirv_invalid(reader, "the operands are no vector and an integer");
    return;
  }
  NornRef chosen = refs[0];
  for (uint32_t k = 1; k < type->flat; k++) {
    NornType integer = (NornType)index_type->scalar;
    NornRef is_it = norn_spirv_compare(reader, NORN_OP_ICMP, NORN_INT_CONDITION_EQ, integer, index,
                                       norn_spirv_int(reader, integer, k));
    chosen = norn_spirv_op3(reader, NORN_OP_SELECT, (NornType)type->scalar, is_it, refs[k], chosen);
  }
  norn_spirv_define_scalar(reader, chosen);
}

static void
read_insert_dynamic(NornSpirvReader *reader) {
  const NornSpirvType *type = norn_spirv_type(reader, 1), *index_type;
  const NornRef *whole = norn_spirv_value(reader, 3, norn_spirv_flat(reader, type));
  NornRef object = norn_spirv_scalar(reader, 4);
  NornRef index = norn_spirv_any_value(reader, 5, &index_type)[0];
  NornType integer = (NornType)index_type->scalar;
  if (type->op != SpvOpTypeVector || !norn_type_in(NORN_SET_INT, integer)) {
    norn_spirv_invalid(reader, "the operands are no vector and an integer");
    return;
  }
  NornRef *refs = norn_spirv_new_refs(reader, type->flat);
  for (uint32_t k = 0; k < type->flat; k++) {
    NornRef is_it = norn_spirv_compare(reader, NORN_OP_ICMP, NORN_INT_CONDITION_EQ, integer, index,
                                       norn_spirv_int(reader, integer, k));
    refs[k] =
        norn_spirv_op3(reader, NORN_OP_SELECT, (NornType)type->scalar, is_it, object, whole[k]);
  }
  norn_spirv_define(reader, refs, type->flat);
}

/* --- Products --- */

/* Takes the signs off negated factors, if all of them are negated and nobody asks for the sign of a
 * zero: the product with the factors themselves may be needed, too. */
static bool
take_signs_off(NornSpirvReader *reader, const NornRef **factors, uint32_t count) {
  const NornFunction *function = reader->module->functions[0];
  NornRef *plain = norn_spirv_new_refs(reader, count);
  for (uint32_t k = 0; k < count; k++) {
    const NornInst *inst = norn_defining_inst(function, (*factors)[k]);
    if (reader->preserved_widths || !inst || inst->op != NORN_OP_FNEG)
      return false;
    plain[k] = norn_operands(function, inst)[0];
  }
  *factors = plain;
  return true;
}

NornRef
norn_spirv_dot(NornSpirvReader *reader, NornType type, const NornRef *a, const NornRef *b,
               uint32_t count) {
  bool is_negative = take_signs_off(reader, &a, count) != take_signs_off(reader, &b, count);
  NornRef sum = norn_spirv_op2(reader, NORN_OP_FMUL, type, a[0], b[0]);
  for (uint32_t k = 1; k < count; k++) {
    NornRef product = norn_spirv_op2(reader, NORN_OP_FMUL, type, a[k], b[k]);
    sum = norn_spirv_op2(reader, NORN_OP_FADD, type, sum, product);
  }
  return is_negative ? norn_spirv_op1(reader, NORN_OP_FNEG, type, sum) : sum;
}

/* A matrix as columns and rows; a vector is one column. */
typedef struct Matrix {
  const NornRef *refs;
  uint32_t columns, rows;
  NornType type;
} Matrix;

static Matrix
matrix_of(NornSpirvReader *reader, uint32_t k) {
  const NornSpirvType *type;
  Matrix matrix = {.refs = norn_spirv_any_value(reader, k, &type), .type = (NornType)type->scalar};
  matrix.columns = type->op == SpvOpTypeMatrix ? type->count : 1;
  matrix.rows = type->flat / matrix.columns;
  if (!norn_type_in(NORN_SET_FLOAT, matrix.type))
    norn_spirv_invalid(reader, "operand %u is no matrix or vector of floats", k);
  return matrix;
}

/* The product; `transposes` exchanges rows and columns of the first, which is then a row. */
static void
multiply(NornSpirvReader *reader, Matrix a, Matrix b, bool is_row) {
  if (is_row) { /* a vector on the left is one row */
    a.columns = a.rows;
    a.rows = 1;
  }
  const NornSpirvType *type = norn_spirv_type(reader, 1);
  if (reader->error || a.columns != b.rows || a.type != b.type ||
      type->flat != a.rows * b.columns) {
    norn_spirv_invalid(reader, "the operands cannot be multiplied");
    return;
  }
  NornRef *refs = norn_spirv_new_refs(reader, type->flat);
  for (uint32_t column = 0; column < b.columns; column++)
    for (uint32_t row = 0; row < a.rows; row++) {
      NornRef sum = 0;
      for (uint32_t k = 0; k < a.columns; k++) {
        NornRef product = norn_spirv_op2(reader, NORN_OP_FMUL, a.type, a.refs[k * a.rows + row],
                                         b.refs[column * b.rows + k]);
        sum = sum ? norn_spirv_op2(reader, NORN_OP_FADD, a.type, sum, product) : product;
      }
      refs[column * a.rows + row] = sum;
    }
  norn_spirv_define(reader, refs, type->flat);
}

static void
read_product(NornSpirvReader *reader) {
  Matrix a = matrix_of(reader, 3), b = matrix_of(reader, 4);
  multiply(reader, a, b, norn_spirv_opcode(reader) == SpvOpVectorTimesMatrix);
}

static void
read_outer_product(NornSpirvReader *reader) {
  Matrix a = matrix_of(reader, 3), b = matrix_of(reader, 4);
  b.columns = b.rows;
  b.rows = 1;
  multiply(reader, a, b, false);
}

static void
read_dot(NornSpirvReader *reader) {
  Matrix a = matrix_of(reader, 3), b = matrix_of(reader, 4);
  multiply(reader, a, b, true);
}

static void
read_scale(NornSpirvReader *reader) {
  Matrix a = matrix_of(reader, 3);
  NornRef factor = norn_spirv_scalar(reader, 4);
  uint32_t count = a.columns * a.rows;
  NornRef *refs = norn_spirv_new_refs(reader, count);
  uint32_t k = 0;
  if (!reader->error && norn_spirv_is_relaxed(reader, norn_spirv_type(reader, 1)))
    for (NornRef both = norn_spirv_narrow_pair(reader, factor, factor); k + 1 < count; k += 2) {
      NornRef pair = norn_spirv_narrow_pair(reader, a.refs[k], a.refs[k + 1]);
      norn_spirv_widen_pair(
          reader, norn_spirv_op2(reader, NORN_OP_FMUL, NORN_TYPE_V2F16, pair, both), refs + k);
    }
  for (; k < count && !reader->error; k++)
    refs[k] = norn_spirv_op2(reader, NORN_OP_FMUL, a.type, a.refs[k], factor);
  norn_spirv_define(reader, refs, count);
}

static void
read_transpose(NornSpirvReader *reader) {
  Matrix a = matrix_of(reader, 3);
  NornRef *refs = norn_spirv_new_refs(reader, a.columns * a.rows);
  for (uint32_t column = 0; column < a.columns; column++)
    for (uint32_t row = 0; row < a.rows; row++)
      refs[row * a.columns + column] = a.refs[column * a.rows + row];
  norn_spirv_define(reader, refs, a.columns * a.rows);
}

/* A value that is not defined: zeros. */
static void
read_undefined(NornSpirvReader *reader) {
  const NornSpirvType *type = norn_spirv_type(reader, 1);
  uint32_t count = norn_spirv_flat(reader, type);
  NornRef *refs = norn_spirv_new_refs(reader, count);
  for (uint32_t k = 0; k < count; k++)
    refs[k] = norn_build_bits(reader->builder, 0);
  norn_spirv_define(reader, refs, count);
}

NornSpirvHandler
norn_spirv_composite_handler(unsigned opcode) {
  switch (opcode) {
  case SpvOpCompositeConstruct:
    return read_construct;
  case SpvOpCompositeExtract:
    return read_extract;
  case SpvOpCompositeInsert:
    return read_insert;
  case SpvOpVectorShuffle:
    return read_shuffle;
  case SpvOpVectorExtractDynamic:
    return read_extract_dynamic;
  case SpvOpVectorInsertDynamic:
    return read_insert_dynamic;
  case SpvOpDot:
    return read_dot;
  case SpvOpVectorTimesScalar:
  case SpvOpMatrixTimesScalar:
    return read_scale;
  case SpvOpVectorTimesMatrix:
  case SpvOpMatrixTimesVector:
  case SpvOpMatrixTimesMatrix:
    return read_product;
  case SpvOpOuterProduct:
    return read_outer_product;
  case SpvOpTranspose:
    return read_transpose;
  case SpvOpUndef:
    return read_undefined;
  default:
    return NULL;
  }
}
