/* Vectors, matrices, arrays and structures: lists of scalars that are composed, taken apart and
 * multiplied.
 *
 * Composing and taking apart cost nothing: the scalars are listed in another order. An index that
 * is not constant becomes a chain of selects. A sum of products starts with the last one, whose
 * factor is 1 when a point is transformed, and omits those with a factor of 0. */
#include "spirv/relaxed.h"
#include "spirv/scalar.h"
#include <string.h>

/* The part of a type that the literals from word k on select. */
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

void
norn_spirv_read_construct(NornSpirvReader *reader) {
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
    norn_spirv_invalid(reader, "the parts do not have %u scalars in total", count);
  norn_spirv_define(reader, refs, count);
}

void
norn_spirv_read_extract(NornSpirvReader *reader) {
  const NornSpirvType *whole;
  const NornRef *refs = norn_spirv_any_value(reader, 3, &whole);
  uint32_t flat;
  const NornSpirvType *part = find_part(reader, whole, 4, &flat);
  if (!reader->error)
    norn_spirv_define(reader, (NornRef *)refs + flat, part->flat);
}

void
norn_spirv_read_insert(NornSpirvReader *reader) {
  const NornSpirvType *type = norn_spirv_type(reader, 1), *object;
  const NornRef *insert = norn_spirv_any_value(reader, 3, &object);
  const NornRef *whole = norn_spirv_value(reader, 4, norn_spirv_flat(reader, type));
  uint32_t flat;
  const NornSpirvType *part = find_part(reader, type, 5, &flat);
  NornRef *refs = norn_spirv_new_refs(reader, type->flat);
  if (!reader->error && part->flat != object->flat)
    norn_spirv_invalid(reader, "the part does not have the object's type");
  if (reader->error)
    return;
  memcpy(refs, whole, type->flat * sizeof *refs);
  memcpy(refs + flat, insert, part->flat * sizeof *refs);
  norn_spirv_define(reader, refs, type->flat);
}

void
norn_spirv_read_shuffle(NornSpirvReader *reader) {
  const NornSpirvType *type = norn_spirv_type(reader, 1), *a_type, *b_type;
  const NornRef *a = norn_spirv_any_value(reader, 3, &a_type);
  const NornRef *b = norn_spirv_any_value(reader, 4, &b_type);
  NornRef *refs = norn_spirv_new_refs(reader, type->flat);
  for (uint32_t k = 0; k < type->flat && !reader->error; k++) {
    uint32_t from = norn_spirv_word(reader, 5 + k);
    if (from == UINT32_MAX)
      refs[k] = norn_build_bits(reader->builder, 0); /* undefined */
    else if (from < a_type->flat)
      refs[k] = a[from];
    else if (from - a_type->flat < b_type->flat)
      refs[k] = b[from - a_type->flat];
    else
      norn_spirv_invalid(reader, "component %u does not exist", from);
  }
  norn_spirv_define(reader, refs, type->flat);
}

/* Extracts a component by an index that is not constant: a chain of selects. */
void
norn_spirv_read_dynamic_extract(NornSpirvReader *reader) {
  const NornSpirvType *type, *index_type;
  const NornRef *refs = norn_spirv_any_value(reader, 3, &type);
  NornRef index = norn_spirv_any_value(reader, 4, &index_type)[0];
  if (type->op != SpvOpTypeVector || !norn_type_in(NORN_SET_INT, (NornType)index_type->scalar)) {
    norn_spirv_invalid(reader, "the operands are not a vector and an integer");
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

void
norn_spirv_read_dynamic_insert(NornSpirvReader *reader) {
  const NornSpirvType *type = norn_spirv_type(reader, 1), *index_type;
  const NornRef *whole = norn_spirv_value(reader, 3, norn_spirv_flat(reader, type));
  NornRef object = norn_spirv_scalar(reader, 4);
  NornRef index = norn_spirv_any_value(reader, 5, &index_type)[0];
  NornType integer = (NornType)index_type->scalar;
  if (type->op != SpvOpTypeVector || !norn_type_in(NORN_SET_INT, integer)) {
    norn_spirv_invalid(reader, "the operands are not a vector and an integer");
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

/* Removes the signs of negated factors if all of them are negated and the sign of a zero does not
 * matter: the product of the factors themselves may be needed as well. */
static bool
take_signs_off(NornSpirvReader *reader, NornType type, const NornRef **factors, uint32_t count) {
  const NornFunction *function = reader->module->functions[0];
  if (!norn_spirv_is_finite(reader, type))
    return false;
  for (uint32_t k = 0; k < count; k++) {
    const NornInst *inst = norn_defining_inst(function, (*factors)[k]);
    if (!inst || inst->op != NORN_OP_FNEG)
      return false;
  }
  NornRef *plain = norn_spirv_new_refs(reader, count);
  for (uint32_t k = 0; k < count; k++)
    plain[k] = norn_operands(function, norn_defining_inst(function, (*factors)[k]))[0];
  *factors = plain;
  return true;
}

/* Whether the product with that factor is 0, as it is unless the other factor is a NaN or an
 * infinity. */
static bool
is_no_term(const NornSpirvReader *reader, NornType type, NornRef factor) {
  uint64_t bits, sign = UINT64_C(1) << (norn_type_bits(type) - 1);
  return norn_spirv_is_finite(reader, type) && norn_spirv_constant_bits(reader, factor, &bits) &&
         !(bits & ~sign);
}

/* The last term comes first: when a point is transformed its factor is 1, so the sum starts with
 * just the other factor. */
NornRef
norn_spirv_dot(NornSpirvReader *reader, NornType type, const NornRef *a, const NornRef *b,
               uint32_t count) {
  bool is_negative =
      take_signs_off(reader, type, &a, count) != take_signs_off(reader, type, &b, count);
  NornRef sum = 0;
  for (uint32_t k = count; k-- > 0;) {
    if (is_no_term(reader, type, a[k]) || is_no_term(reader, type, b[k]))
      continue;
    NornRef product = norn_spirv_op2(reader, NORN_OP_FMUL, type, a[k], b[k]);
    sum = sum ? norn_spirv_op2(reader, NORN_OP_FADD, type, sum, product) : product;
  }
  sum = sum ? sum : norn_spirv_float(reader, type, 0);
  return is_negative ? norn_spirv_op1(reader, NORN_OP_FNEG, type, sum) : sum;
}

/* The definition if it has that operation and may be computed in another way; else NULL. */
static const NornInst *
loose_definition(const NornSpirvReader *reader, NornRef ref, NornOp op) {
  const NornInst *inst = norn_defining_inst(reader->module->functions[0], ref);
  return inst && inst->op == op && !(inst->flags & NORN_INST_EXACT) ? inst : NULL;
}

/* Whether the value is a sum of at least two products that are added one after the other. */
static bool
is_sum_of_products(const NornSpirvReader *reader, NornRef ref) {
  const NornInst *sum = loose_definition(reader, ref, NORN_OP_FADD);
  if (!sum)
    return false;
  const NornRef *terms = norn_operands(reader->module->functions[0], sum);
  return loose_definition(reader, terms[1], NORN_OP_FMUL) &&
         (loose_definition(reader, terms[0], NORN_OP_FMUL) || is_sum_of_products(reader, terms[0]));
}

/* The sum of products and a constant, with the constant first: it is added to the products,
 * subtracted from them, or they are subtracted from it. */
static NornRef
sum_from_constant(NornSpirvReader *reader, NornType type, NornRef sum, NornRef constant,
                  NornOp to_constant, NornOp to_rest) {
  const NornInst *inst = loose_definition(reader, sum, NORN_OP_FADD);
  if (!inst)
    return to_rest == NORN_OP_FSUB ? norn_spirv_op2(reader, NORN_OP_FSUB, type, constant, sum)
                                   : norn_spirv_op2(reader, to_constant, type, sum, constant);
  NornRef terms[2] = {norn_operands(reader->module->functions[0], inst)[0],
                      norn_operands(reader->module->functions[0], inst)[1]};
  NornRef first = sum_from_constant(reader, type, terms[0], constant, to_constant, to_rest);
  return norn_spirv_op2(reader, to_rest, type, first, terms[1]);
}

NornRef
norn_spirv_sum(NornSpirvReader *reader, NornOp op, NornType type, NornRef a, NornRef b) {
  bool may_move = !reader->is_exact;
  if (may_move && norn_is_constant(b) && is_sum_of_products(reader, a))
    return sum_from_constant(reader, type, a, b, op, NORN_OP_FADD);
  if (may_move && norn_is_constant(a) && is_sum_of_products(reader, b))
    return sum_from_constant(reader, type, b, a, NORN_OP_FADD, op);
  return norn_spirv_op2(reader, op, type, a, b);
}

/* A matrix with its numbers of columns and rows; a vector is one column. */
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
    norn_spirv_invalid(reader, "operand %u is not a matrix or vector of floats", k);
  return matrix;
}

/* The product; with `is_row` the first operand is a vector that is treated as a row. */
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
  NornRef *rows = norn_spirv_new_refs(reader, a.rows * a.columns);
  for (uint32_t k = 0; k < a.rows * a.columns; k++)
    rows[k % a.rows * a.columns + k / a.rows] = a.refs[k];
  for (uint32_t column = 0; column < b.columns; column++)
    for (uint32_t row = 0; row < a.rows; row++)
      refs[column * a.rows + row] = norn_spirv_dot(reader, a.type, rows + row * a.columns,
                                                   b.refs + column * b.rows, a.columns);
  norn_spirv_define(reader, refs, type->flat);
}

void
norn_spirv_read_matrix_product(NornSpirvReader *reader) {
  Matrix a = matrix_of(reader, 3), b = matrix_of(reader, 4);
  multiply(reader, a, b, norn_spirv_opcode(reader) == SpvOpVectorTimesMatrix);
}

void
norn_spirv_read_outer_product(NornSpirvReader *reader) {
  Matrix a = matrix_of(reader, 3), b = matrix_of(reader, 4);
  b.columns = b.rows;
  b.rows = 1;
  multiply(reader, a, b, false);
}

void
norn_spirv_read_dot(NornSpirvReader *reader) {
  Matrix a = matrix_of(reader, 3), b = matrix_of(reader, 4);
  multiply(reader, a, b, true);
}

/* The products of 32-bit floats and a factor, computed as 16-bit floats. */
static void
scale_relaxed(NornSpirvReader *reader, const NornRef *values, uint32_t count, NornRef factor,
              NornRef *refs) {
  NornRef both = norn_spirv_narrow_pair(reader, factor, factor);
  uint32_t k = 0;
  for (; k + 1 < count; k += 2) {
    NornRef pair = norn_spirv_narrow_pair(reader, values[k], values[k + 1]);
    norn_spirv_widen_pair(reader, norn_spirv_op2(reader, NORN_OP_FMUL, NORN_TYPE_V2F16, pair, both),
                          refs + k);
  }
  if (k < count)
    refs[k] = norn_spirv_widen(
        reader, norn_spirv_op2(
                    reader, NORN_OP_FMUL, NORN_TYPE_F16, norn_spirv_narrow(reader, values[k]),
                    norn_build_extract(reader->builder, NORN_TYPE_F16, NORN_TYPE_V2F16, both, 0)));
}

void
norn_spirv_read_scale(NornSpirvReader *reader) {
  Matrix a = matrix_of(reader, 3);
  NornRef factor = norn_spirv_scalar(reader, 4);
  uint32_t count = a.columns * a.rows;
  NornRef *refs = norn_spirv_new_refs(reader, count);
  if (!reader->error && norn_spirv_is_relaxed(reader, norn_spirv_type(reader, 1)))
    scale_relaxed(reader, a.refs, count, factor, refs);
  else
    for (uint32_t k = 0; k < count && !reader->error; k++)
      refs[k] = norn_spirv_op2(reader, NORN_OP_FMUL, a.type, a.refs[k], factor);
  norn_spirv_define(reader, refs, count);
}

void
norn_spirv_read_transpose(NornSpirvReader *reader) {
  Matrix a = matrix_of(reader, 3);
  NornRef *refs = norn_spirv_new_refs(reader, a.columns * a.rows);
  for (uint32_t column = 0; column < a.columns; column++)
    for (uint32_t row = 0; row < a.rows; row++)
      refs[row * a.columns + column] = a.refs[column * a.rows + row];
  norn_spirv_define(reader, refs, a.columns * a.rows);
}

/* An undefined value: zeros. */
void
norn_spirv_read_undefined(NornSpirvReader *reader) {
  const NornSpirvType *type = norn_spirv_type(reader, 1);
  uint32_t count = norn_spirv_flat(reader, type);
  NornRef *refs = norn_spirv_new_refs(reader, count);
  for (uint32_t k = 0; k < count; k++)
    refs[k] = norn_build_bits(reader->builder, 0);
  norn_spirv_define(reader, refs, count);
}
