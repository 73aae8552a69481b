/* Values: lists of scalars by id, constants, operations that fold.
 *
 * A value of any type is the list of its scalars in order, each a reference to a value or constant
 * of the IR; there are no vectors until the IR makes some. An operation on constants gives a
 * constant, so OpSpecConstantOp is handled like the instructions of a function. */
#include "ir/evaluate.h"
#include "spirv/interface.h"
#include <string.h>

NornRef *
norn_spirv_new_refs(NornSpirvReader *reader, uint32_t count) {
  reader->scalars += count;
  if (count > NORN_SPIRV_VALUE_LIMIT || reader->scalars > NORN_SPIRV_SCALARS_LIMIT)
    norn_spirv_fail(reader, NORN_ERROR_LIMIT, "the values have more than %u scalars",
                    NORN_SPIRV_SCALARS_LIMIT);
  return NORN_NEW0(&reader->arena, NornRef, MIN(count, NORN_SPIRV_VALUE_LIMIT) + 1);
}

bool
norn_spirv_constant_bits(const NornSpirvReader *reader, NornRef ref, uint64_t *bits) {
  if (!norn_is_constant(ref))
    return false;
  *bits = norn_constant_bits(reader->module, ref);
  return true;
}

const NornRef *
norn_spirv_refs(NornSpirvReader *reader, uint32_t id, const NornSpirvType **type) {
  NornSpirvId *own = norn_spirv_find(reader, id);
  if (own->at && (reader->words[own->at] & 0xFFFF) == SpvOpVariable && !own->pointer)
    norn_spirv_variable(reader, id);
  *type = own->type;
  if (own->refs && own->type && own->type->id != id)
    return own->refs;
  /* A pointer's value is computed where it is used as a value. */
  bool is_value =
      own->pointer && own->type && (own->type->scalar || norn_spirv_is_choosable(own->type));
  return is_value ? norn_spirv_pointer_refs(reader, own->pointer, own->type) : NULL;
}

const NornRef *
norn_spirv_any_value(NornSpirvReader *reader, uint32_t k, const NornSpirvType **type) {
  static const NornSpirvType none = {.op = SpvOpTypeVoid};
  const NornRef *refs = norn_spirv_refs(reader, norn_spirv_word(reader, k), type);
  *type = *type ? *type : &none;
  if (refs)
    return refs;
  norn_spirv_invalid(reader, "%%%u is not a value", norn_spirv_word(reader, k));
  return norn_spirv_new_refs(reader, norn_spirv_flat(reader, *type));
}

const NornRef *
norn_spirv_value(NornSpirvReader *reader, uint32_t k, uint32_t count) {
  const NornSpirvType *type;
  const NornRef *refs = norn_spirv_any_value(reader, k, &type);
  if (type->flat == count && !type->is_too_large)
    return refs;
  norn_spirv_invalid(reader, "%%%u has %u scalars, expected %u", norn_spirv_word(reader, k),
                     type->flat, count);
  return norn_spirv_new_refs(reader, count);
}

NornRef
norn_spirv_scalar(NornSpirvReader *reader, uint32_t k) {
  return norn_spirv_value(reader, k, 1)[0];
}

NornRef
norn_spirv_word_scalar(NornSpirvReader *reader, uint32_t k) {
  const NornSpirvType *type;
  NornRef ref = norn_spirv_scalar(reader, k);
  norn_spirv_any_value(reader, k, &type);
  uint64_t bits;
  if (type->op != SpvOpTypeInt) {
    norn_spirv_invalid(reader, "%%%u is not an integer", norn_spirv_word(reader, k));
    return norn_spirv_int(reader, NORN_TYPE_I32, 0);
  }
  if (norn_spirv_constant_bits(reader, ref, &bits))
    return norn_spirv_int(reader, NORN_TYPE_I32, (uint32_t)bits);
  return norn_spirv_resize(reader, NORN_TYPE_I32, (NornType)type->scalar, type->is_signed, ref);
}

uint64_t
norn_spirv_constant(NornSpirvReader *reader, uint32_t k) {
  uint64_t bits = 0;
  if (!norn_spirv_constant_bits(reader, norn_spirv_scalar(reader, k), &bits))
    norn_spirv_invalid(reader, "%%%u is not a constant", norn_spirv_word(reader, k));
  return bits;
}

/* --- Results --- */

/* Names scalars after their id. */
static void
name_scalars(NornSpirvReader *reader, uint32_t id, const NornSpirvType *type, NornRef *refs) {
  static const char components[] = "xyzw";
  const char *name = norn_spirv_text(reader, reader->ids[id].name);
  if (!*name)
    return;
  if (type->flat == 1) {
    norn_build_name(reader->builder, refs[0], name);
    return;
  }
  for (uint32_t k = 0; k < type->flat && k < 4 && type->op == SpvOpTypeVector; k++) {
    char *own = g_strdup_printf("%s_%c", name, components[k]);
    norn_build_name(reader->builder, refs[k], own);
    g_free(own);
  }
}

void
norn_spirv_define(NornSpirvReader *reader, NornRef *refs, uint32_t count) {
  NornSpirvId *id = norn_spirv_id(reader, 2);
  id->type = norn_spirv_type(reader, 1);
  if (id->type->flat != count) {
    norn_spirv_invalid(reader, "the result's type has %u scalars, but the result has %u",
                       id->type->flat, count);
    refs = norn_spirv_new_refs(reader, norn_spirv_flat(reader, id->type));
  }
  id->refs = refs;
  id->pointer = NULL;
  if (id->name)
    name_scalars(reader, norn_spirv_word(reader, 2), id->type, refs);
}

void
norn_spirv_define_scalar(NornSpirvReader *reader, NornRef ref) {
  NornRef *refs = norn_spirv_new_refs(reader, 1);
  refs[0] = ref;
  norn_spirv_define(reader, refs, 1);
}

void
norn_spirv_define_pointer(NornSpirvReader *reader, const NornSpirvPointer *pointer) {
  NornSpirvId *id = norn_spirv_id(reader, 2);
  id->type = norn_spirv_type(reader, 1);
  id->refs = NULL;
  id->pointer = pointer;
}

/* --- Operations --- */

NornRef
norn_spirv_int(NornSpirvReader *reader, NornType type, uint64_t value) {
  return norn_build_bits(reader->builder, value & norn_type_mask(type));
}

NornRef
norn_spirv_float(NornSpirvReader *reader, NornType type, double value) {
  return norn_build_float(reader->builder, type, value);
}

/* The result of the operation for constants; 0 if it is not known. */
static NornRef
fold(NornSpirvReader *reader, const NornInstSpec *spec) {
  const NornRef *operands = spec->operands;
  unsigned count = spec->operand_count;
  uint64_t bits[NORN_EVALUATE_OPERANDS] = {0}, results[NORN_EVALUATE_RESULTS] = {0};
  bool is_choice = spec->op == NORN_OP_SELECT && count == 3;
  if (count > NORN_EVALUATE_OPERANDS)
    return 0;
  for (unsigned k = 0; k < count; k++)
    if (!norn_spirv_constant_bits(reader, operands[k], &bits[k])) {
      bool chooses = is_choice && k && norn_is_constant(operands[0]);
      return chooses ? operands[bits[0] ? 1 : 2] : 0;
    }
  if (is_choice)
    return operands[bits[0] ? 1 : 2];
  NornFloatEnvironment environment =
      norn_float_environment(reader->module->rounding, reader->module->denormals);
  NornEvaluator evaluator;
  if (!norn_evaluator_init(&evaluator, spec->op, spec->type, spec->source_type, spec->modifier,
                           &environment) ||
      evaluator.result_count != 1)
    return 0;
  norn_evaluate(&evaluator, bits, results);
  return norn_build_bits(reader->builder, results[0]);
}

bool
norn_spirv_is_finite(const NornSpirvReader *reader, NornType type) {
  return !reader->is_exact && !reader->has_invariants &&
         !(reader->preserved_widths & norn_types[type].lane_bits);
}

NornRef
norn_spirv_flushed(NornSpirvReader *reader, NornType type, NornRef ref) {
  bool flushes = reader->flushed_denormals & norn_types[type].lane_bits;
  return flushes
             ? norn_spirv_op2(reader, NORN_OP_FMUL, type, ref, norn_spirv_float(reader, type, 1))
             : ref;
}

static bool
is_finite(const NornSpirvReader *reader, NornOp op, NornType type) {
  switch (op) {
  case NORN_OP_FADD:
  case NORN_OP_FCOS:
  case NORN_OP_FDIV:
  case NORN_OP_FFRACT:
  case NORN_OP_FMA:
  case NORN_OP_FMUL:
  case NORN_OP_FSIN:
  case NORN_OP_FSUB:
    return norn_spirv_is_finite(reader, type);
  case NORN_OP_SDIV:
  case NORN_OP_UDIV:
    return true; /* by 0 they are undefined (SPIR-V, section 3.49.13) */
  default:
    return false;
  }
}

/* Whether the result is undefined, so that any constant may be it. */
static bool
is_undefined(const NornSpirvReader *reader, const NornInstSpec *spec) {
  uint64_t divisor;
  switch (spec->op) {
  case NORN_OP_SDIV:
  case NORN_OP_SREM:
  case NORN_OP_UDIV:
  case NORN_OP_UREM: /* SPIR-V, section 3.49.13 */
    return norn_spirv_constant_bits(reader, spec->operands[spec->operand_count - 1], &divisor) &&
           !divisor;
  default:
    return false;
  }
}

NornRef
norn_spirv_build(NornSpirvReader *reader, const NornInstSpec *spec) {
  if (is_undefined(reader, spec))
    return norn_spirv_int(reader, spec->type, 0);
  NornRef folded = fold(reader, spec);
  if (folded)
    return folded;
  if (!reader->block) {
    norn_spirv_unsupported(reader, "computing this from constants is not supported");
    return norn_build_bits(reader->builder, 0);
  }
  if (!is_finite(reader, spec->op, spec->type))
    return norn_build(reader->builder, spec);
  norn_builder_set_flags(reader->builder, NORN_INST_FINITE);
  NornRef result = norn_build(reader->builder, spec);
  norn_builder_set_flags(reader->builder, 0);
  return result;
}

NornRef
norn_spirv_op(NornSpirvReader *reader, NornOp op, unsigned modifier, NornType type,
              const NornRef *operands, unsigned count) {
  return norn_spirv_build(reader, &(NornInstSpec){.op = op,
                                                  .type = type,
                                                  .modifier = modifier,
                                                  .operands = operands,
                                                  .operand_count = count});
}

NornRef
norn_spirv_compare(NornSpirvReader *reader, NornOp op, unsigned condition, NornType type, NornRef a,
                   NornRef b) {
  const NornRef operands[] = {a, b};
  return norn_spirv_op(reader, op, condition, type, operands, 2);
}

NornRef
norn_spirv_convert(NornSpirvReader *reader, NornOp op, unsigned modifier, NornType to,
                   NornType from, NornRef a) {
  return norn_spirv_build(reader, &(NornInstSpec){.op = op,
                                                  .type = to,
                                                  .source_type = from,
                                                  .modifier = modifier,
                                                  .operands = &a,
                                                  .operand_count = 1});
}

NornRef
norn_spirv_resize(NornSpirvReader *reader, NornType to, NornType from, bool is_signed, NornRef a) {
  unsigned width = norn_type_bits(to), own = norn_type_bits(from);
  if (width == own)
    return a;
  NornOp op = width < own ? NORN_OP_TRUNC : is_signed ? NORN_OP_SEXT : NORN_OP_ZEXT;
  return norn_spirv_convert(reader, op, 0, to, from, a);
}

/* --- Constants --- */

/* Finds the bits that the options assign to the constant, if it is specialized. */
static bool
find_specialization(NornSpirvReader *reader, uint64_t *bits) {
  uint32_t id = norn_spirv_word(reader, 2);
  const NornSpirvDecoration *decoration =
      norn_spirv_decoration(reader, id, NORN_SPIRV_NONE, SpvDecorationSpecId);
  if (!decoration || !decoration->operands)
    return false;
  for (unsigned k = 0; k < reader->options->constant_count; k++)
    if (reader->options->constants[k].id == reader->words[decoration->operand]) {
      *bits = reader->options->constants[k].bits;
      return true;
    }
  return false;
}

static void
read_number(NornSpirvReader *reader, const NornSpirvType *type) {
  uint64_t bits = norn_spirv_word(reader, 3);
  if (type->op != SpvOpTypeInt && type->op != SpvOpTypeFloat) {
    norn_spirv_invalid(reader, "%%%u is not a numeric type", type->id);
    return;
  }
  if (norn_type_bits((NornType)type->scalar) > 32)
    bits |= (uint64_t)norn_spirv_word(reader, 4) << 32;
  if (norn_spirv_opcode(reader) == SpvOpSpecConstant)
    find_specialization(reader, &bits);
  norn_spirv_define_scalar(reader, norn_spirv_int(reader, (NornType)type->scalar, bits));
}

static void
read_truth(NornSpirvReader *reader, bool value) {
  uint64_t bits = value;
  if (norn_spirv_opcode(reader) != SpvOpConstantTrue &&
      norn_spirv_opcode(reader) != SpvOpConstantFalse)
    find_specialization(reader, &bits);
  norn_spirv_define_scalar(reader, norn_build_bits(reader->builder, bits != 0));
}

/* Fills in zeros. In pointers into workgroup memory, and to buffers by handles, offset 0 is valid,
 * so their offset is set to one that no byte has. Returns the end. */
static NornRef *
fill_zeros(NornSpirvReader *reader, const NornSpirvType *type, NornRef *refs) {
  bool has_parts = type->op == SpvOpTypeStruct || type->op == SpvOpTypeArray;
  for (uint32_t k = 0; has_parts && k < type->count; k++)
    refs = fill_zeros(reader, type->op == SpvOpTypeStruct ? type->members[k].type : type->element,
                      refs);
  bool is_place = type->op == SpvOpTypePointer && !type->scalar &&
                  !norn_spirv_has_addresses(reader, type); /* the offset is its last part */
  for (uint32_t k = 0; !has_parts && k < type->flat; k++)
    *refs++ = norn_build_bits(reader->builder, is_place && k == type->flat - 1 ? UINT32_MAX : 0);
  return refs;
}

static void
read_zeros(NornSpirvReader *reader, const NornSpirvType *type) {
  uint32_t count = norn_spirv_flat(reader, type);
  NornRef *refs = norn_spirv_new_refs(reader, count);
  if (!reader->error)
    fill_zeros(reader, type, refs);
  norn_spirv_define(reader, refs, count);
}

/* An operation on constants: handled like the instruction that it names, whose words are assembled
 * here. */
static void
read_spec_operation(NornSpirvReader *reader) {
  const uint32_t *words = reader->inst;
  uint32_t length = norn_spirv_length(reader);
  uint32_t *copy = NORN_NEW(&reader->arena, uint32_t, length);
  uint32_t opcode = norn_spirv_word(reader, 3);
  const NornSpirvInstruction *row = norn_spirv_find_instruction(opcode);
  if (!row || opcode > UINT16_MAX || length < 1u + row->shape.min_words) {
    norn_spirv_invalid(reader, "unknown operation");
    return;
  }
  copy[0] = (length - 1) << 16 | opcode;
  memcpy(copy + 1, words + 1, 2 * sizeof *copy);
  memcpy(copy + 3, words + 4, (length - 4) * sizeof *copy);
  reader->inst = copy;
  norn_spirv_translate(reader);
  reader->inst = words;
}

void
norn_spirv_read_constant(NornSpirvReader *reader) {
  if (!norn_spirv_make_module(reader))
    return;
  unsigned opcode = norn_spirv_opcode(reader);
  const NornSpirvType *type = norn_spirv_type(reader, 1);
  switch (opcode) {
  case SpvOpConstantTrue:
  case SpvOpSpecConstantTrue:
  case SpvOpConstantFalse:
  case SpvOpSpecConstantFalse:
    read_truth(reader, opcode == SpvOpConstantTrue || opcode == SpvOpSpecConstantTrue);
    break;
  case SpvOpConstant:
  case SpvOpSpecConstant:
    read_number(reader, type);
    break;
  case SpvOpConstantComposite:
  case SpvOpSpecConstantComposite:
    norn_spirv_read_construct(reader);
    break;
  case SpvOpSpecConstantOp:
    read_spec_operation(reader);
    break;
  default:                                          /* a null, or undefined */
    if (type->op != SpvOpTypePointer || type->flat) /* otherwise rejected where it is used */
      read_zeros(reader, type);
  }
}
