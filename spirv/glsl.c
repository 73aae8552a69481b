/* GLSL.std.450: instructions that are not a single operation of the IR, as formulas that meet
 * Vulkan's precision requirements. The other instructions are rows of operations.def. */
#include "spirv/glsl.h"
#include "spirv/formula.h"
#include "spirv/stages.h"
#include <spirv/unified1/GLSL.std.450.h>

/* --- Parts of numbers --- */

/* Defines one part as the result and stores the other through the pointer in word 6, or defines
 * both as a structure. */
static void
give_parts(NornSpirvReader *reader, NornRef *first, const NornRef *second, uint32_t count,
           bool is_struct) {
  if (reader->error)
    return;
  if (!is_struct) {
    const NornSpirvPointer *pointer = norn_spirv_pointer(reader, 6);
    if (pointer->type->flat != count)
      norn_spirv_invalid(reader, "the pointer points to a value of another type");
    norn_spirv_define(reader, first, count);
    norn_spirv_store(reader, pointer, second);
    return;
  }
  NornRef *both = norn_spirv_new_refs(reader, 2 * count);
  for (uint32_t k = 0; k < count; k++) {
    both[k] = first[k];
    both[count + k] = second[k];
  }
  norn_spirv_define(reader, both, 2 * count);
}

static void
read_modf(NornSpirvReader *reader, bool is_struct) {
  Formula f;
  uint32_t count;
  const NornRef *a = norn_spirv_floats(reader, 5, &f, &count);
  NornRef *parts = norn_spirv_new_refs(reader, count), *wholes = norn_spirv_new_refs(reader, count);
  for (uint32_t k = 0; k < count && !reader->error; k++) {
    wholes[k] = norn_spirv_op(reader, NORN_OP_FROUND, NORN_ROUND_RTZ, f.type, &a[k], 1);
    parts[k] = subtract(&f, a[k], wholes[k]);
    if (norn_spirv_is_finite(reader, f.type))
      continue;
    /* The fraction of an infinity is 0, and a zero keeps the sign. */
    NornRef equal =
        norn_spirv_compare(reader, NORN_OP_FCMP, NORN_FLOAT_CONDITION_OEQ, f.type, a[k], wholes[k]);
    parts[k] = with_sign_of(&f, choose(&f, equal, number(&f, 0), parts[k]), a[k]);
  }
  give_parts(reader, parts, wholes, count, is_struct);
}

static void
read_frexp(NornSpirvReader *reader, bool is_struct) {
  Formula f;
  uint32_t count;
  const NornRef *a = norn_spirv_floats(reader, 5, &f, &count);
  NornRef *parts = norn_spirv_new_refs(reader, count), *powers = norn_spirv_new_refs(reader, count);
  const NornSpirvType *exponent =
      is_struct ? norn_spirv_type(reader, 1) : norn_spirv_pointer(reader, 6)->type;
  NornType integer =
      exponent->flat ? norn_spirv_scalar_type(exponent, exponent->flat - 1) : NORN_TYPE_I32;
  if (!norn_type_in(NORN_SET_INT, integer))
    norn_spirv_invalid(reader, "the exponent is not an integer");
  for (uint32_t k = 0; k < count && !reader->error; k++) {
    NornRef results[2];
    norn_build_ffrexp(reader->builder, f.type, norn_spirv_flushed(reader, f.type, a[k]), results);
    parts[k] = results[0];
    powers[k] = norn_spirv_resize(reader, integer, NORN_TYPE_I32, true, results[1]);
  }
  give_parts(reader, parts, powers, count, is_struct);
}

static void
read_ldexp(NornSpirvReader *reader) {
  Formula f;
  uint32_t count;
  const NornRef *a = norn_spirv_floats(reader, 5, &f, &count);
  const NornSpirvType *type;
  const NornRef *power = norn_spirv_any_value(reader, 6, &type);
  if (type->flat != count || !norn_type_in(NORN_SET_INT, (NornType)type->scalar))
    norn_spirv_invalid(reader, "the exponents are not integers");
  NornRef *refs = norn_spirv_new_refs(reader, count);
  for (uint32_t k = 0; k < count && !reader->error; k++) {
    NornRef exponent =
        type->scalar == NORN_TYPE_I64
            ? norn_spirv_convert(reader, NORN_OP_SSAT, 0, NORN_TYPE_I32, NORN_TYPE_I64, power[k])
            : norn_spirv_resize(reader, NORN_TYPE_I32, (NornType)type->scalar, true, power[k]);
    refs[k] = norn_spirv_op2(reader, NORN_OP_FLDEXP, f.type, a[k], exponent);
  }
  norn_spirv_define(reader, refs, count);
}

/* --- Packing --- */

typedef struct Packing {
  uint8_t instruction; /* GLSLstd450X */
  uint16_t op;         /* NornOp */
  uint8_t modifier, count;
  bool is_unpacking;
} Packing;

static const Packing packings[] = {
    {GLSLstd450PackHalf2x16, NORN_OP_PACK_HALF, NORN_ROUND_RTE, 2, false},
    {GLSLstd450PackUnorm4x8, NORN_OP_PACK_UNORM8, 0, 4, false},
    {GLSLstd450PackSnorm4x8, NORN_OP_PACK_SNORM8, 0, 4, false},
    {GLSLstd450PackUnorm2x16, NORN_OP_PACK_UNORM16, 0, 2, false},
    {GLSLstd450PackSnorm2x16, NORN_OP_PACK_SNORM16, 0, 2, false},
    {GLSLstd450UnpackHalf2x16, NORN_OP_UNPACK_HALF, 0, 2, true},
    {GLSLstd450UnpackUnorm4x8, NORN_OP_UNPACK_UNORM8, 0, 4, true},
    {GLSLstd450UnpackSnorm4x8, NORN_OP_UNPACK_SNORM8, 0, 4, true},
    {GLSLstd450UnpackUnorm2x16, NORN_OP_UNPACK_UNORM16, 0, 2, true},
    {GLSLstd450UnpackSnorm2x16, NORN_OP_UNPACK_SNORM16, 0, 2, true},
};

static void
read_pack(NornSpirvReader *reader, const Packing *row) {
  const NornRef *refs = norn_spirv_value(reader, 5, row->count);
  if (!reader->error)
    norn_spirv_define_scalar(reader, norn_spirv_op(reader, (NornOp)row->op, row->modifier,
                                                   NORN_TYPE_F32, refs, row->count));
}

static void
read_unpack(NornSpirvReader *reader, const Packing *row) {
  NornRef word = norn_spirv_scalar(reader, 5), *refs = norn_spirv_new_refs(reader, row->count);
  NornInstSpec spec = norn_inst_spec((NornOp)row->op);
  if (reader->error)
    return;
  spec.type = NORN_TYPE_F32;
  spec.operands = &word;
  spec.operand_count = 1;
  spec.results = refs;
  norn_build(reader->builder, &spec);
  norn_spirv_define(reader, refs, row->count);
}

/* Returns false if the instruction neither packs nor unpacks. */
static bool
translate_packing(NornSpirvReader *reader, uint32_t instruction) {
  const Packing *row = packings, *end = packings + G_N_ELEMENTS(packings);
  while (row < end && row->instruction != instruction)
    row++;
  if (row == end)
    return false;
  if (row->is_unpacking)
    read_unpack(reader, row);
  else
    read_pack(reader, row);
  return true;
}

/* A 64-bit float is only moved. */
static void
read_double(NornSpirvReader *reader) {
  const NornSpirvType *type = norn_spirv_type(reader, 1), *source;
  const NornRef *refs = norn_spirv_any_value(reader, 5, &source);
  if (!type->scalar || !source->scalar ||
      type->flat * norn_type_bits((NornType)type->scalar) != 64 ||
      source->flat * norn_type_bits((NornType)source->scalar) != 64) {
    norn_spirv_invalid(reader, "the types do not have 64 bits");
    return;
  }
  NornRef *results = norn_spirv_new_refs(reader, type->flat);
  for (uint32_t k = 0; k < type->flat; k++)
    results[k] =
        norn_spirv_reinterpret(reader, (NornType)type->scalar, (NornType)source->scalar, refs, k);
  norn_spirv_define(reader, results, type->flat);
}

void
norn_spirv_translate_glsl(NornSpirvReader *reader) {
  uint32_t instruction = norn_spirv_word(reader, 4);
  if (norn_spirv_translate_glsl_row(reader, instruction) ||
      norn_spirv_translate_glsl_scalar(reader, instruction) ||
      norn_spirv_translate_glsl_vector(reader, instruction) ||
      translate_packing(reader, instruction))
    return;
  switch (instruction) {
  case GLSLstd450Modf:
  case GLSLstd450ModfStruct:
    read_modf(reader, instruction == GLSLstd450ModfStruct);
    break;
  case GLSLstd450Frexp:
  case GLSLstd450FrexpStruct:
    read_frexp(reader, instruction == GLSLstd450FrexpStruct);
    break;
  case GLSLstd450Ldexp:
    read_ldexp(reader);
    break;
  case GLSLstd450PackDouble2x32:
  case GLSLstd450UnpackDouble2x32:
    read_double(reader);
    break;
  case GLSLstd450InterpolateAtCentroid:
  case GLSLstd450InterpolateAtSample:
  case GLSLstd450InterpolateAtOffset:
    norn_spirv_interpolate(reader);
    break;
  default: {
    const char *name = norn_spirv_glsl_name(instruction);
    norn_spirv_unsupported(reader, "GLSL.std.450 %s is not supported", name ? name : "?");
  }
  }
}
