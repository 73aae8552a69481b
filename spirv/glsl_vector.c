/* GLSL.std.450: functions of vectors and matrices. */
#include "spirv/formula.h"
#include "spirv/glsl.h"
#include <spirv/unified1/GLSL.std.450.h>

/* --- Functions of vectors --- */

const NornRef *
norn_spirv_floats(NornSpirvReader *reader, uint32_t k, Formula *f, uint32_t *count) {
  const NornSpirvType *type;
  const NornRef *refs = norn_spirv_any_value(reader, k, &type);
  *f = (Formula){reader, (NornType)type->scalar};
  *count = type->flat;
  if (!norn_type_in(NORN_SET_FLOAT, f->type))
    norn_spirv_invalid(reader, "operand %u is not a float or a vector of floats", k);
  return refs;
}

static NornRef
dot(const Formula *f, const NornRef *a, const NornRef *b, uint32_t count) {
  return norn_spirv_dot(f->reader, f->type, a, b, count);
}

static void
read_length(NornSpirvReader *reader, bool is_distance) {
  Formula f;
  uint32_t count;
  const NornRef *a = norn_spirv_floats(reader, 5, &f, &count);
  const NornRef *b = is_distance ? norn_spirv_value(reader, 6, count) : NULL;
  NornRef *difference = norn_spirv_new_refs(reader, count);
  for (uint32_t k = 0; k < count && !reader->error; k++)
    difference[k] = is_distance ? subtract(&f, a[k], b[k]) : a[k];
  if (reader->error)
    return;
  norn_spirv_define_scalar(
      reader, count == 1
                  ? apply(&f, NORN_OP_FABS, norn_spirv_flushed(reader, f.type, difference[0]))
                  : apply(&f, NORN_OP_FSQRT, dot(&f, difference, difference, count)));
}

static void
read_normalize(NornSpirvReader *reader) {
  Formula f;
  uint32_t count;
  const NornRef *a = norn_spirv_floats(reader, 5, &f, &count);
  if (reader->error)
    return;
  NornRef scale = apply(&f, NORN_OP_FRSQ, dot(&f, a, a, count));
  NornRef *refs = norn_spirv_new_refs(reader, count);
  for (uint32_t k = 0; k < count; k++)
    refs[k] = multiply(&f, a[k], scale);
  norn_spirv_define(reader, refs, count);
}

static void
read_cross(NornSpirvReader *reader) {
  Formula f;
  uint32_t count;
  const NornRef *a = norn_spirv_floats(reader, 5, &f, &count), *b = norn_spirv_value(reader, 6, 3);
  if (count != 3)
    norn_spirv_invalid(reader, "the operands do not have three components");
  if (reader->error)
    return;
  NornRef *refs = norn_spirv_new_refs(reader, count);
  for (uint32_t k = 0; k < 3; k++) {
    uint32_t x = (k + 1) % 3, y = (k + 2) % 3;
    refs[k] = subtract(&f, multiply(&f, a[x], b[y]), multiply(&f, a[y], b[x]));
  }
  norn_spirv_define(reader, refs, count);
}

static void
read_face_forward(NornSpirvReader *reader) {
  Formula f;
  uint32_t count;
  const NornRef *normal = norn_spirv_floats(reader, 5, &f, &count);
  const NornRef *incident = norn_spirv_value(reader, 6, count);
  const NornRef *reference = norn_spirv_value(reader, 7, count);
  if (reader->error)
    return;
  NornRef away = is_less(&f, dot(&f, reference, incident, count), number(&f, 0));
  NornRef *refs = norn_spirv_new_refs(reader, count);
  for (uint32_t k = 0; k < count; k++) {
    NornRef own = norn_spirv_flushed(reader, f.type, normal[k]);
    refs[k] = choose(&f, away, own, apply(&f, NORN_OP_FNEG, own));
  }
  norn_spirv_define(reader, refs, count);
}

static void
read_reflect(NornSpirvReader *reader) {
  Formula f;
  uint32_t count;
  const NornRef *incident = norn_spirv_floats(reader, 5, &f, &count);
  const NornRef *normal = norn_spirv_value(reader, 6, count);
  if (reader->error)
    return;
  NornRef twice = multiply(&f, dot(&f, normal, incident, count), number(&f, -2));
  NornRef *refs = norn_spirv_new_refs(reader, count);
  for (uint32_t k = 0; k < count; k++)
    refs[k] = fused(&f, twice, normal[k], incident[k]);
  norn_spirv_define(reader, refs, count);
}

static void
read_refract(NornSpirvReader *reader) {
  Formula f;
  uint32_t count;
  const NornRef *incident = norn_spirv_floats(reader, 5, &f, &count);
  const NornRef *normal = norn_spirv_value(reader, 6, count);
  const NornSpirvType *ratio_type;
  NornRef eta = norn_spirv_any_value(reader, 7, &ratio_type)[0], zero = number(&f, 0);
  if (ratio_type->scalar != f.type)
    norn_spirv_invalid(reader, "the ratio has another type");
  if (reader->error)
    return;
  NornRef cosine = dot(&f, normal, incident, count);
  NornRef sine2 = fused(&f, apply(&f, NORN_OP_FNEG, cosine), cosine, number(&f, 1));
  NornRef k = subtract(&f, number(&f, 1), multiply(&f, multiply(&f, eta, eta), sine2));
  NornRef total = is_less(&f, k, zero);
  NornRef along = fused(&f, eta, cosine, apply(&f, NORN_OP_FSQRT, k));
  NornRef *refs = norn_spirv_new_refs(reader, count);
  for (uint32_t i = 0; i < count; i++) {
    NornRef bent = subtract(&f, multiply(&f, eta, incident[i]), multiply(&f, along, normal[i]));
    refs[i] = choose(&f, total, zero, bent);
  }
  norn_spirv_define(reader, refs, count);
}

/* --- Matrices --- */

/* The determinant of the remaining rows and columns, expanded along the first column. */
static NornRef
minor(const Formula *f, const NornRef *matrix, uint32_t size, unsigned rows, unsigned columns) {
  unsigned column = (unsigned)__builtin_ctz(columns);
  NornRef sum = 0;
  bool negates = false;
  for (unsigned row = 0; row < size; row++) {
    if (!(rows >> row & 1))
      continue;
    NornRef own = matrix[column * size + row];
    unsigned other_rows = rows & ~(1u << row), other_columns = columns & ~(1u << column);
    NornRef product =
        other_rows ? multiply(f, own, minor(f, matrix, size, other_rows, other_columns)) : own;
    sum = !sum ? product : negates ? subtract(f, sum, product) : add(f, sum, product);
    negates = !negates;
  }
  return sum;
}

/* Reads a square matrix of floats; returns 0 with an error if it is not one. */
static uint32_t
matrix_operand(NornSpirvReader *reader, Formula *f, const NornRef **refs) {
  const NornSpirvType *type;
  *refs = norn_spirv_any_value(reader, 5, &type);
  *f = (Formula){reader, (NornType)type->scalar};
  if (type->op == SpvOpTypeMatrix && type->count == type->element->count &&
      norn_type_in(NORN_SET_FLOAT, f->type))
    return type->count;
  norn_spirv_invalid(reader, "the operand is not a square matrix");
  return 0;
}

static void
read_determinant(NornSpirvReader *reader) {
  Formula f;
  const NornRef *refs;
  uint32_t size = matrix_operand(reader, &f, &refs);
  unsigned all = (1u << size) - 1;
  if (size)
    norn_spirv_define_scalar(reader, minor(&f, refs, size, all, all));
}

/* The adjugate divided by the determinant. */
static void
read_inverse(NornSpirvReader *reader) {
  Formula f;
  const NornRef *matrix;
  uint32_t size = matrix_operand(reader, &f, &matrix);
  unsigned all = (1u << size) - 1;
  if (!size)
    return;
  NornRef *refs = norn_spirv_new_refs(reader, size * size);
  for (unsigned column = 0; column < size; column++)
    for (unsigned row = 0; row < size; row++) {
      NornRef own = minor(&f, matrix, size, all & ~(1u << column), all & ~(1u << row));
      refs[column * size + row] = (row + column) % 2 ? apply(&f, NORN_OP_FNEG, own) : own;
    }
  NornRef determinant = 0;
  for (unsigned row = 0; row < size; row++) {
    NornRef product = multiply(&f, matrix[row], refs[row * size]);
    determinant = determinant ? add(&f, determinant, product) : product;
  }
  NornRef scale = divide(&f, number(&f, 1), determinant);
  for (unsigned k = 0; k < size * size; k++)
    refs[k] = multiply(&f, refs[k], scale);
  norn_spirv_define(reader, refs, size * size);
}

bool
norn_spirv_translate_glsl_vector(NornSpirvReader *reader, uint32_t instruction) {
  switch (instruction) {
  case GLSLstd450Length:
  case GLSLstd450Distance:
    read_length(reader, instruction == GLSLstd450Distance);
    return true;
  case GLSLstd450Normalize:
    read_normalize(reader);
    return true;
  case GLSLstd450Cross:
    read_cross(reader);
    return true;
  case GLSLstd450FaceForward:
    read_face_forward(reader);
    return true;
  case GLSLstd450Reflect:
    read_reflect(reader);
    return true;
  case GLSLstd450Refract:
    read_refract(reader);
    return true;
  case GLSLstd450Determinant:
    read_determinant(reader);
    return true;
  case GLSLstd450MatrixInverse:
    read_inverse(reader);
    return true;
  default:
    return false;
  }
}
