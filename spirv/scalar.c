/* Instructions that are computed scalar by scalar: the rows of operations.def, and scalar functions
 * from other files. Where the module allows it, they are computed as 16-bit floats, two at a time.
 */
#include "spirv/scalar.h"
#include "spirv/relaxed.h"
#include <spirv/unified1/GLSL.std.450.h>

/* How the types of a row's operation follow from those of the instruction. */
typedef enum { NO_ROW, SAME, COMPARE, CONVERT } RowKind;

typedef struct Row {
  uint16_t op; /* NornOp */
  uint8_t modifier, kind;
} Row;

#define NORN_NONE 0

static const Row rows[] = {
#define SAME(name, op, modifier) [SpvOp##name] = {NORN_OP_##op, NORN_##modifier, SAME},
#define COMPARE(name, op, modifier) [SpvOp##name] = {NORN_OP_##op, NORN_##modifier, COMPARE},
#define CONVERT(name, op, modifier) [SpvOp##name] = {NORN_OP_##op, NORN_##modifier, CONVERT},
#define GLSL(name, op, modifier)
#define GLSL_BITS(name, op, modifier)
#include "spirv/operations.def"
#undef SAME
#undef COMPARE
#undef CONVERT
#undef GLSL
#undef GLSL_BITS
};

static const Row glsl_rows[] = {
#define SAME(name, op, modifier)
#define COMPARE(name, op, modifier)
#define CONVERT(name, op, modifier)
#define GLSL(name, op, modifier) [GLSLstd450##name] = {NORN_OP_##op, NORN_##modifier, SAME},
#define GLSL_BITS(name, op, modifier) [GLSLstd450##name] = {NORN_OP_##op, NORN_##modifier, CONVERT},
#include "spirv/operations.def"
#undef SAME
#undef COMPARE
#undef CONVERT
#undef GLSL
#undef GLSL_BITS
};

#define MAX_OPERANDS 4

/* Whether the operation exists for the types. */
static bool
check_form(NornSpirvReader *reader, const Row *row, NornType type, NornType source) {
  const NornOpInfo *info = &norn_ops[row->op];
  bool is_right = norn_type_in(info->types, type) &&
                  (!info->source_types || norn_type_in(info->source_types, source));
  if (!is_right)
    norn_spirv_invalid(reader, "%s does not exist for these types", info->name);
  return is_right;
}

/* The operands of an instruction, each with as many scalars as its result. */
typedef struct Operands {
  const NornSpirvType *type, *source; /* of the result and of the first operand */
  unsigned count;
  const NornRef *refs[MAX_OPERANDS];
} Operands;

/* Reads `count` words from `first` on. */
static void
read_operands(NornSpirvReader *reader, uint32_t first, unsigned count, Operands *operands) {
  *operands = (Operands){.type = norn_spirv_type(reader, 1), .count = count};
  norn_spirv_any_value(reader, first, &operands->source);
  for (unsigned k = 0; k < count; k++)
    operands->refs[k] = norn_spirv_value(reader, first + k, operands->type->flat);
  if (!operands->type->scalar || !operands->source->scalar)
    norn_spirv_invalid(reader, "the operands are not numbers");
}

/* Scalar i of each operand. */
static const NornRef *
take_scalars(const Operands *operands, uint32_t i, NornRef *parts) {
  for (unsigned k = 0; k < operands->count; k++)
    parts[k] = operands->refs[k][i];
  return parts;
}

/* --- As 16-bit floats --- */

/* A function that computes a scalar or a pair of that type. */
typedef NornRef (*ComputeFunction)(NornSpirvReader *reader, const void *how, NornType type,
                                   const NornRef *operands);

static NornRef
compute_row(NornSpirvReader *reader, const void *how, NornType type, const NornRef *operands) {
  const Row *row = how;
  return norn_spirv_op(reader, (NornOp)row->op, row->modifier, type, operands,
                       norn_operand_arity(row->op).fixed);
}

static NornRef
compute_function(NornSpirvReader *reader, const void *how, NornType type, const NornRef *operands) {
  const NornSpirvScalarFunction *function = how;
  return (*function)(reader, type, type, operands);
}

/* Computes pairs of scalars, then a remaining one. */
static void
compute_relaxed(NornSpirvReader *reader, const Operands *operands, ComputeFunction compute,
                const void *how) {
  uint32_t count = operands->type->flat, i = 0;
  NornRef *refs = norn_spirv_new_refs(reader, count), parts[MAX_OPERANDS];
  for (; i + 1 < count && !reader->error; i += 2) {
    for (unsigned k = 0; k < operands->count; k++)
      parts[k] = norn_spirv_narrow_pair(reader, operands->refs[k][i], operands->refs[k][i + 1]);
    norn_spirv_widen_pair(reader, compute(reader, how, NORN_TYPE_V2F16, parts), refs + i);
  }
  if (i < count && !reader->error) {
    for (unsigned k = 0; k < operands->count; k++)
      parts[k] = norn_spirv_narrow(reader, operands->refs[k][i]);
    refs[i] = norn_spirv_widen(reader, compute(reader, how, NORN_TYPE_F16, parts));
  }
  norn_spirv_define(reader, refs, count);
}

/* Operations for which it is worthwhile: those that take one instruction for a pair. */
static bool
is_relaxed_row(NornOp op) {
  switch (op) {
  case NORN_OP_FADD:
  case NORN_OP_FSUB:
  case NORN_OP_FMUL:
  case NORN_OP_FMA:
  case NORN_OP_FNEG:
  case NORN_OP_FABS:
  case NORN_OP_FMIN:
  case NORN_OP_FMAX:
  case NORN_OP_FROUND:
    return true;
  default:
    return false;
  }
}

/* --- Rows --- */

/* Translates the instruction of a row; its operands are the words from `first` on. */
static void
translate_row(NornSpirvReader *reader, const Row *row, uint32_t first) {
  unsigned count = norn_operand_arity(row->op).fixed;
  if (norn_spirv_length(reader) != first + count || count > MAX_OPERANDS) {
    norn_spirv_invalid(reader, "%u operands, expected %u", norn_spirv_length(reader) - first,
                       count);
    return;
  }
  Operands operands;
  read_operands(reader, first, count, &operands);
  NornType own = (NornType)operands.type->scalar, other = (NornType)operands.source->scalar;
  NornType operation = row->kind == COMPARE ? other : own;
  bool has_source = norn_ops[row->op].source_types != 0;
  if (row->kind == CONVERT && !has_source)
    operation = other;
  if (reader->error || !check_form(reader, row, operation, other))
    return;
  if (row->kind == SAME && is_relaxed_row((NornOp)row->op) &&
      norn_spirv_is_relaxed(reader, operands.type)) {
    compute_relaxed(reader, &operands, compute_row, row);
    return;
  }
  NornRef *refs = norn_spirv_new_refs(reader, operands.type->flat), parts[MAX_OPERANDS];
  for (uint32_t i = 0; i < operands.type->flat && !reader->error; i++) {
    take_scalars(&operands, i, parts);
    if (row->op == NORN_OP_FNEG || row->op == NORN_OP_FABS)
      parts[0] = norn_spirv_flushed(reader, operation, parts[0]);
    if (row->op == NORN_OP_FADD || row->op == NORN_OP_FSUB)
      refs[i] = norn_spirv_sum(reader, (NornOp)row->op, operation, parts[0], parts[1]);
    else
      refs[i] = norn_spirv_build(reader,
                                 &(NornInstSpec){.op = (NornOp)row->op,
                                                 .type = operation,
                                                 .source_type = has_source ? other : NORN_TYPE_VOID,
                                                 .modifier = row->modifier,
                                                 .operands = parts,
                                                 .operand_count = count});
    if (row->kind == CONVERT && !has_source)
      refs[i] = norn_spirv_resize(reader, own, other, true, refs[i]);
  }
  norn_spirv_define(reader, refs, operands.type->flat);
}

bool
norn_spirv_translate_row(NornSpirvReader *reader, unsigned opcode, uint32_t first) {
  if (opcode >= G_N_ELEMENTS(rows) || !rows[opcode].kind)
    return false;
  translate_row(reader, &rows[opcode], first);
  return true;
}

bool
norn_spirv_translate_glsl_row(NornSpirvReader *reader, unsigned number) {
  if (number >= G_N_ELEMENTS(glsl_rows) || !glsl_rows[number].kind)
    return false;
  translate_row(reader, &glsl_rows[number], 5);
  return true;
}

/* --- Functions --- */

void
norn_spirv_by_scalar(NornSpirvReader *reader, NornSpirvScalarFunction function, uint32_t first,
                     unsigned count) {
  Operands operands;
  read_operands(reader, first, count, &operands);
  if (reader->error)
    return;
  NornRef *refs = norn_spirv_new_refs(reader, operands.type->flat), parts[MAX_OPERANDS];
  for (uint32_t i = 0; i < operands.type->flat && !reader->error; i++)
    refs[i] = function(reader, (NornType)operands.type->scalar, (NornType)operands.source->scalar,
                       take_scalars(&operands, i, parts));
  norn_spirv_define(reader, refs, operands.type->flat);
}

void
norn_spirv_by_pair(NornSpirvReader *reader, NornSpirvScalarFunction function, uint32_t first,
                   unsigned count) {
  Operands operands;
  read_operands(reader, first, count, &operands);
  if (!reader->error)
    compute_relaxed(reader, &operands, compute_function, &function);
}
