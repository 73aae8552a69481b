/* Access chains, loads and stores of whole values. */
#include "spirv/interface.h"

/* Bytes up to which an address's lowest set bit matters. */
#define MOST_ALIGNED 16

static bool
is_laid_out(NornSpirvSpace space) {
  return space >= NORN_SPIRV_IN_SHARED_BLOCK && space <= NORN_SPIRV_IN_UNIFORM;
}

static bool
is_shared(NornSpirvSpace space) {
  return space == NORN_SPIRV_IN_SHARED || space == NORN_SPIRV_IN_SHARED_BLOCK;
}

static uint32_t
lowest_bit(uint32_t number) {
  return number ? MIN(number & (0u - number), MOST_ALIGNED) : MOST_ALIGNED;
}

static uint32_t
component_bytes(NornSpirvSpace space, NornType type) {
  return is_laid_out(space) ? norn_type_bits(type) / 8 : norn_spirv_cell_bytes(type);
}

const NornSpirvPointer *
norn_spirv_pointer(NornSpirvReader *reader, uint32_t k) {
  NornSpirvId *id = norn_spirv_id(reader, k);
  uint32_t number = norn_spirv_word(reader, k);
  if (id->pointer)
    return id->pointer;
  if (id->at && (reader->words[id->at] & 0xFFFF) == SpvOpVariable)
    return norn_spirv_variable(reader, number);
  NornSpirvPointer *pointer = NORN_NEW0(&reader->arena, NornSpirvPointer, 1);
  static const NornSpirvType none = {.op = SpvOpTypeVoid};
  pointer->type = &none;
  if (id->refs && id->type && id->type->op == SpvOpTypePointer && id->type->scalar) {
    *pointer = (NornSpirvPointer){.space = NORN_SPIRV_IN_GLOBAL,
                                  .type = norn_spirv_pointee(reader, id->type),
                                  .base = id->refs[0],
                                  .alignment = 4};
  } else {
    norn_spirv_invalid(reader, "%%%u is no pointer here", number);
  }
  return pointer;
}

/* --- Steps into a value --- */

/* base + index * stride, the index signed. */
static NornRef
add_scaled_address(NornSpirvReader *reader, NornRef base, NornRef index, uint32_t stride) {
  if (stride && stride <= 128 && !(stride & (stride - 1)) &&
      norn_ref_kind(index) != NORN_REF_CONSTANT)
    return norn_build_shladd(reader->builder, NORN_EXTEND_S32, base, index,
                             (uint32_t)__builtin_ctz(stride));
  NornRef bytes = norn_spirv_op2(reader, NORN_OP_SMULX, NORN_TYPE_VOID, index,
                                 norn_spirv_int(reader, NORN_TYPE_I32, stride));
  return norn_spirv_op2(reader, NORN_OP_IADD, NORN_TYPE_I64, base, bytes);
}

static NornRef
scaled(NornSpirvReader *reader, NornRef index, uint32_t stride) {
  if (stride && !(stride & (stride - 1)))
    return stride == 1 ? index
                       : norn_spirv_op2(reader, NORN_OP_SHL, NORN_TYPE_I32, index,
                                        norn_spirv_int(reader, NORN_TYPE_I32,
                                                       (uint32_t)__builtin_ctz(stride)));
  return norn_spirv_op2(reader, NORN_OP_IMUL, NORN_TYPE_I32, index,
                        norn_spirv_int(reader, NORN_TYPE_I32, stride));
}

/* Whether an index that is not known is below the count for certain: `index & constant`. */
static bool
is_below(const NornSpirvReader *reader, NornRef index, uint32_t count) {
  const NornFunction *function = reader->module->functions[0];
  if (norn_ref_kind(index) != NORN_REF_VALUE)
    return false;
  const NornValue *value = norn_value(function, norn_ref_payload(index));
  uint64_t bits;
  return !value->is_parameter && norn_inst(function, value->def)->op == NORN_OP_AND &&
         norn_spirv_constant_bits(reader, norn_operand(function, value->def, 1), &bits) &&
         bits < count;
}

/* Moves the place on by a number of elements. */
static void
add_elements(NornSpirvReader *reader, NornSpirvPointer *pointer, uint32_t count, uint32_t k,
             NornRef index, uint32_t stride) {
  if (!index) {
    uint64_t offset = pointer->offset + (uint64_t)k * stride;
    if (pointer->space == NORN_SPIRV_IN_GLOBAL && offset > INT32_MAX) {
      index = norn_spirv_int(reader, NORN_TYPE_I32, k);
      pointer->base = add_scaled_address(reader, pointer->base, index, stride);
      return;
    }
    if (offset > UINT32_MAX)
      norn_spirv_fail(reader, NORN_ERROR_LIMIT, "element %u is too far away", k);
    pointer->offset = (uint32_t)offset;
    pointer->alignment = MIN(pointer->alignment, lowest_bit(k * stride));
    return;
  }
  pointer->alignment = MIN(pointer->alignment, lowest_bit(stride));
  if (pointer->space == NORN_SPIRV_IN_GLOBAL) {
    pointer->base = add_scaled_address(reader, pointer->base, index, stride);
    return;
  }
  bool is_bounded =
      pointer->space == NORN_SPIRV_IN_SCRATCH || pointer->space == NORN_SPIRV_IN_INPUT ||
      pointer->space == NORN_SPIRV_IN_UNIFORM ||
      (is_shared(pointer->space) && reader->options->abi.robustness != NORN_SPIRV_UNCHECKED);
  if (is_bounded && count && !is_below(reader, index, count))
    index = norn_spirv_op2(reader, NORN_OP_UMIN, NORN_TYPE_I32, index,
                           norn_spirv_int(reader, NORN_TYPE_I32, count - 1));
  NornRef bytes = scaled(reader, index, stride);
  pointer->index = pointer->index
                       ? norn_spirv_op2(reader, NORN_OP_IADD, NORN_TYPE_I32, pointer->index, bytes)
                       : bytes;
  pointer->extent += count ? (count - 1) * stride : 0;
}

static uint32_t
array_stride(NornSpirvReader *reader, const NornSpirvPointer *pointer) {
  const NornSpirvType *type = pointer->type;
  if (pointer->space == NORN_SPIRV_IN_HANDLES) {
    uint32_t entries = 1;
    for (type = type->element; type->op == SpvOpTypeArray; type = type->element)
      entries *= type->count;
    return entries;
  }
  if (!is_laid_out(pointer->space))
    return type->element->cells;
  if (!type->stride)
    norn_spirv_invalid(reader, "%%%u has no ArrayStride", type->id);
  return type->stride;
}

static void
step_into_struct(NornSpirvReader *reader, NornSpirvPointer *pointer, uint32_t k, NornRef index) {
  const NornSpirvType *type = pointer->type;
  if (index || k >= type->count) {
    norn_spirv_invalid(reader, "%%%u has no such member", type->id);
    return;
  }
  const NornSpirvMember *member = &type->members[k];
  uint32_t offset = member->offset;
  if (!is_laid_out(pointer->space)) {
    offset = 0;
    for (uint32_t i = 0; i < k; i++)
      offset += type->members[i].type->cells;
  } else if (offset == NORN_SPIRV_NONE) {
    norn_spirv_invalid(reader, "member %u of %%%u has no Offset", k, type->id);
    return;
  }
  add_elements(reader, pointer, 0, 1, 0, offset);
  pointer->type = member->type;
  pointer->matrix_stride = member->matrix_stride;
  pointer->row_major = member->row_major;
  pointer->is_volatile |= member->is_volatile;
}

NornSpirvPointer
norn_spirv_step(NornSpirvReader *reader, const NornSpirvPointer *from, uint32_t k, NornRef index) {
  NornSpirvPointer pointer = *from;
  const NornSpirvType *type = from->type;
  uint32_t bytes = component_bytes(from->space, (NornType)type->scalar);
  bool is_known =
      type->op == SpvOpTypeVector || type->op == SpvOpTypeMatrix || type->op == SpvOpTypeArray;
  if (is_known && !index && k >= type->count) {
    norn_spirv_invalid(reader, "%%%u has %u elements, but no number %u", type->id, type->count, k);
    return pointer;
  }
  switch (type->op) {
  case SpvOpTypeStruct:
    step_into_struct(reader, &pointer, k, index);
    return pointer;
  case SpvOpTypeArray:
  case SpvOpTypeRuntimeArray:
    add_elements(reader, &pointer, type->count, k, index, array_stride(reader, from));
    break;
  case SpvOpTypeMatrix:
    if (!is_laid_out(from->space)) {
      add_elements(reader, &pointer, type->count, k, index, type->element->cells);
    } else if (!from->matrix_stride) {
      norn_spirv_invalid(reader, "a matrix without MatrixStride");
    } else if (from->row_major) {
      pointer.vector_stride = from->matrix_stride;
      add_elements(reader, &pointer, type->count, k, index, bytes);
    } else {
      add_elements(reader, &pointer, type->count, k, index, from->matrix_stride);
    }
    break;
  case SpvOpTypeVector:
    add_elements(reader, &pointer, type->count, k, index,
                 from->vector_stride ? from->vector_stride : bytes);
    pointer.vector_stride = 0;
    break;
  default:
    norn_spirv_invalid(reader, "%%%u has no parts", type->id);
    return pointer;
  }
  pointer.type = type->element;
  norn_spirv_enter_buffer(reader, &pointer);
  return pointer;
}

NornRef
norn_spirv_address(NornSpirvReader *reader, const NornSpirvPointer *pointer) {
  if (pointer->space != NORN_SPIRV_IN_GLOBAL)
    norn_spirv_invalid(reader, "a pointer without address");
  return pointer->offset ? norn_spirv_op2(reader, NORN_OP_IADD, NORN_TYPE_I64, pointer->base,
                                          norn_spirv_int(reader, NORN_TYPE_I64, pointer->offset))
                         : pointer->base;
}

/* --- Single accesses --- */

/* The uniform word that many bytes from the place on, which an index may choose. */
static NornRef
uniform_word(NornSpirvReader *reader, const NornSpirvPointer *pointer, uint32_t offset) {
  uint32_t first = (pointer->offset + offset) / 4;
  NornRef word = norn_build_uniform(reader->builder, first);
  if ((pointer->offset + offset) % 4)
    norn_spirv_unsupported(reader, "uniform words are read as a whole");
  if (!pointer->index)
    return word;
  NornRef chosen = norn_spirv_op2(reader, NORN_OP_LSHR, NORN_TYPE_I32, pointer->index,
                                  norn_spirv_int(reader, NORN_TYPE_I32, 2));
  for (uint32_t k = 1; k <= pointer->extent / 4; k++) {
    NornRef is_it = norn_spirv_compare(reader, NORN_OP_ICMP, NORN_INT_CONDITION_EQ, NORN_TYPE_I32,
                                       chosen, norn_spirv_int(reader, NORN_TYPE_I32, k));
    word = norn_spirv_op3(reader, NORN_OP_SELECT, NORN_TYPE_I32, is_it,
                          norn_build_uniform(reader->builder, first + k), word);
  }
  return word;
}

/* A scalar that uniform words hold. */
static NornRef
load_uniform(NornSpirvReader *reader, const NornSpirvPointer *pointer, NornType type) {
  uint32_t bits = norn_type_bits(type), within = pointer->offset % 4;
  NornSpirvPointer whole = *pointer;
  whole.offset -= within;
  if (bits == 32 && !within && !pointer->index)
    return norn_build_uniform(reader->builder, pointer->offset / 4);
  NornRef word = uniform_word(reader, &whole, 0);
  if (bits == 32 && !within)
    return norn_spirv_convert(reader, NORN_OP_BITCAST, 0, type, NORN_TYPE_I32, word);
  if (bits == 64) {
    const NornRef words[] = {word, uniform_word(reader, &whole, 4)};
    return norn_build_collect(reader->builder, NORN_TYPE_I32, type, 2, words);
  }
  NornType integer = bits == 16 ? NORN_TYPE_I16 : NORN_TYPE_I8;
  NornRef shifted = within ? norn_spirv_op2(reader, NORN_OP_LSHR, NORN_TYPE_I32, word,
                                            norn_spirv_int(reader, NORN_TYPE_I32, 8 * within))
                           : word;
  NornRef part = norn_spirv_convert(reader, NORN_OP_TRUNC, 0, integer, NORN_TYPE_I32, shifted);
  return type == integer ? part
                         : norn_spirv_convert(reader, NORN_OP_BITCAST, 0, type, integer, part);
}

static NornRef
load_input(const NornSpirvPointer *pointer) {
  uint32_t cell = pointer->offset / 4, k = 0;
  const NornSpirvType *type = pointer->variable->pointer.type;
  /* Cells of 64 bits take two. */
  for (uint32_t at = 0; at < cell && k < type->flat; k++)
    at += norn_spirv_cell_bytes(norn_spirv_scalar_type(type, k)) / 4;
  return k < type->flat ? pointer->variable->inputs[k] : 0;
}

static NornRef
load_scalar(NornSpirvReader *reader, const NornSpirvPointer *pointer, NornType type) {
  bool is_truth = type == NORN_TYPE_I1;
  NornRef value;
  switch (pointer->space) {
  case NORN_SPIRV_IN_INPUT:
    return load_input(pointer);
  case NORN_SPIRV_IN_UNIFORM:
    return load_uniform(reader, pointer, type);
  case NORN_SPIRV_IN_HANDLES:
    norn_spirv_invalid(reader, "this is no memory");
    return 0;
  default:
    value = norn_spirv_load_at(reader, pointer, is_truth ? NORN_TYPE_I32 : type);
  }
  return is_truth ? norn_spirv_compare(reader, NORN_OP_ICMP, NORN_INT_CONDITION_NE, NORN_TYPE_I32,
                                       value, norn_build_bits(reader->builder, 0))
                  : value;
}

static void
store_scalar(NornSpirvReader *reader, const NornSpirvPointer *pointer, NornType type,
             NornRef value) {
  if (type == NORN_TYPE_I1)
    value = norn_spirv_convert(reader, NORN_OP_ZEXT, 0, NORN_TYPE_I32, NORN_TYPE_I1, value);
  norn_spirv_store_at(reader, pointer, type == NORN_TYPE_I1 ? NORN_TYPE_I32 : type, value);
}

/* --- Vectors --- */

static NornType
group_type(unsigned words) {
  return words == 1 ? NORN_TYPE_I32 : (NornType)(NORN_TYPE_W2 + words - 2);
}

/* Whether the components are read and written as whole words, so many of them; else one by one. */
static unsigned
vector_words(const NornSpirvReader *reader, const NornSpirvPointer *pointer) {
  const NornSpirvType *type = pointer->type;
  unsigned bits = norn_type_bits((NornType)type->scalar);
  bool has_words = is_laid_out(pointer->space) && pointer->space != NORN_SPIRV_IN_UNIFORM;
  if (!has_words || pointer->vector_stride || type->count > 4 ||
      norn_spirv_is_guarded(reader, pointer))
    return 0;
  if (bits == 32)
    return type->count;
  return bits == 16 && pointer->alignment >= 4 ? type->count / 2 : 0;
}

static void
load_vector(NornSpirvReader *reader, const NornSpirvPointer *pointer, NornRef *refs) {
  const NornSpirvType *type = pointer->type;
  NornType scalar = (NornType)type->scalar;
  unsigned words = vector_words(reader, pointer), done = 0;
  bool is_half = norn_type_bits(scalar) == 16;
  if (words > 1 || (words == 1 && is_half)) {
    NornRef parts[4];
    parts[0] = norn_spirv_load_at(reader, pointer, group_type(words));
    NornType part = is_half ? NORN_TYPE_I32 : scalar;
    if (words > 1)
      norn_build_split(reader->builder, part, group_type(words), parts[0], words, parts);
    NornType packed = scalar == NORN_TYPE_F16 ? NORN_TYPE_V2F16 : NORN_TYPE_V2I16;
    for (unsigned k = 0; k < words; k++) {
      NornRef pair =
          is_half ? norn_build_bitcast(reader->builder, packed, NORN_TYPE_I32, parts[k]) : parts[k];
      for (unsigned lane = 0; lane < 1u + is_half; lane++, done++)
        refs[done] =
            is_half ? norn_build_extract(reader->builder, scalar, packed, pair, lane) : pair;
    }
  }
  for (; done < type->count; done++) {
    NornSpirvPointer component = norn_spirv_step(reader, pointer, done, 0);
    refs[done] = load_scalar(reader, &component, scalar);
  }
}

static void
store_vector(NornSpirvReader *reader, const NornSpirvPointer *pointer, const NornRef *refs) {
  const NornSpirvType *type = pointer->type;
  NornType scalar = (NornType)type->scalar;
  unsigned words = vector_words(reader, pointer), done = 0;
  bool is_half = norn_type_bits(scalar) == 16;
  if (words > 1 || (words == 1 && is_half)) {
    NornType packed = scalar == NORN_TYPE_F16 ? NORN_TYPE_V2F16 : NORN_TYPE_V2I16;
    NornRef parts[4];
    for (unsigned k = 0; k < words; k++, done += 1u + is_half)
      parts[k] =
          is_half
              ? norn_build_bitcast(reader->builder, NORN_TYPE_I32, packed,
                                   norn_build_vec(reader->builder, packed, scalar, 2, refs + done))
              : refs[done];
    NornRef value = words == 1
                        ? parts[0]
                        : norn_build_collect(reader->builder, is_half ? NORN_TYPE_I32 : scalar,
                                             group_type(words), words, parts);
    norn_spirv_store_at(reader, pointer, group_type(words), value);
  }
  for (; done < type->count; done++) {
    NornSpirvPointer component = norn_spirv_step(reader, pointer, done, 0);
    store_scalar(reader, &component, scalar, refs[done]);
  }
}

/* --- Whole values --- */

static void
load_into(NornSpirvReader *reader, const NornSpirvPointer *pointer, NornRef *refs) {
  const NornSpirvType *type = pointer->type;
  if (reader->error)
    return;
  if (pointer->space == NORN_SPIRV_IN_HANDLES) {
    norn_spirv_load_handles(reader, pointer, refs);
  } else if (type->op == SpvOpTypeVector) {
    load_vector(reader, pointer, refs);
  } else if (type->scalar && type->flat == 1) {
    refs[0] = load_scalar(reader, pointer, (NornType)type->scalar);
  } else {
    for (uint32_t k = 0, flat; k < type->count && !reader->error; k++) {
      NornSpirvPointer part = norn_spirv_step(reader, pointer, k, 0);
      norn_spirv_part(reader, type, k, &flat);
      load_into(reader, &part, refs + flat);
    }
  }
}

NornRef *
norn_spirv_load(NornSpirvReader *reader, const NornSpirvPointer *pointer) {
  NornRef *refs = norn_spirv_new_refs(reader, norn_spirv_flat(reader, pointer->type));
  load_into(reader, pointer, refs);
  return refs;
}

static void
store_from(NornSpirvReader *reader, const NornSpirvPointer *pointer, const NornRef *refs) {
  const NornSpirvType *type = pointer->type;
  if (reader->error)
    return;
  if (type->op == SpvOpTypeVector) {
    store_vector(reader, pointer, refs);
  } else if (type->scalar && type->flat == 1) {
    store_scalar(reader, pointer, (NornType)type->scalar, refs[0]);
  } else if (pointer->space == NORN_SPIRV_IN_HANDLES) {
    norn_spirv_invalid(reader, "this is no memory");
  } else {
    for (uint32_t k = 0, flat; k < type->count && !reader->error; k++) {
      NornSpirvPointer part = norn_spirv_step(reader, pointer, k, 0);
      norn_spirv_part(reader, type, k, &flat);
      store_from(reader, &part, refs + flat);
    }
  }
}

/* An output of which a member, or all if it has none, is stored. */
static void
note_written(const NornSpirvPointer *base, uint32_t member) {
  if (base->variable && base->variable->written && base->type == base->variable->pointer.type)
    base->variable->written[base->type->op == SpvOpTypeStruct ? member : 0] = true;
}

void
norn_spirv_store(NornSpirvReader *reader, const NornSpirvPointer *pointer, const NornRef *refs) {
  uint32_t members = pointer->type->op == SpvOpTypeStruct ? pointer->type->count : 1;
  for (uint32_t k = 0; k < members; k++)
    note_written(pointer, k);
  store_from(reader, pointer, refs);
}

/* --- Instructions --- */

/* The index of word k as a constant or, in *index, as an i32. */
static uint32_t
read_index(NornSpirvReader *reader, uint32_t k, NornRef *index) {
  const NornSpirvType *type;
  NornRef ref = norn_spirv_any_value(reader, k, &type)[0];
  uint64_t bits = 0;
  *index = 0;
  if (type->op != SpvOpTypeInt) {
    norn_spirv_invalid(reader, "an index that is no integer");
    return 0;
  }
  if (!norn_spirv_constant_bits(reader, ref, &bits))
    *index = norn_spirv_resize(reader, NORN_TYPE_I32, (NornType)type->scalar, type->is_signed, ref);
  else if (bits > UINT32_MAX)
    norn_spirv_invalid(reader, "an index out of range");
  return (uint32_t)bits;
}

/* OpAccessChain, OpInBoundsAccessChain; with an element first: OpPtrAccessChain. */
static void
read_chain(NornSpirvReader *reader, uint32_t first, bool has_element) {
  const NornSpirvPointer *base = norn_spirv_pointer(reader, 3);
  NornSpirvPointer *pointer = NORN_NEW(&reader->arena, NornSpirvPointer, 1);
  *pointer = *base;
  if (has_element) {
    const NornSpirvType *type = norn_spirv_id(reader, 3)->type;
    uint32_t stride = norn_spirv_decorated(reader, type ? type->id : 0, NORN_SPIRV_NONE,
                                           SpvDecorationArrayStride, 0);
    NornRef index;
    uint32_t k = read_index(reader, first++, &index);
    if (!stride && (k || index))
      norn_spirv_unsupported(reader, "a step from pointer to pointer without ArrayStride");
    add_elements(reader, pointer, 0, k, index, stride);
  }
  for (uint32_t word = first; word < norn_spirv_length(reader) && !reader->error; word++) {
    NornRef index;
    uint32_t k = read_index(reader, word, &index);
    if (index && pointer->space == NORN_SPIRV_IN_INPUT)
      *pointer = *norn_spirv_input_in_memory(reader, pointer);
    NornSpirvPointer part = norn_spirv_step(reader, pointer, k, index);
    if (!reader->error)
      note_written(pointer, k);
    *pointer = part;
  }
  norn_spirv_define_pointer(reader, pointer);
}

static void
read_access_chain(NornSpirvReader *reader) {
  read_chain(reader, 4, false);
}

static void
read_pointer_chain(NornSpirvReader *reader) {
  read_chain(reader, 4, true);
}

/* The place that word k names, with what the memory operands from word `operands` on say of it. */
static NornSpirvPointer
read_place(NornSpirvReader *reader, uint32_t k, uint32_t operands) {
  NornSpirvPointer place = *norn_spirv_pointer(reader, k);
  uint32_t length = norn_spirv_length(reader);
  uint32_t access = operands < length ? norn_spirv_word(reader, operands) : 0;
  bool is_aligned = operands + 1 < length && access & SpvMemoryAccessAlignedMask;
  place.is_volatile |= (access & SpvMemoryAccessVolatileMask) != 0;
  if (is_aligned && place.space == NORN_SPIRV_IN_GLOBAL)
    place.alignment = lowest_bit(norn_spirv_word(reader, operands + 1));
  return place;
}

/* Fences around a volatile access keep it one of its own. */
static void
keep_apart(NornSpirvReader *reader, const NornSpirvPointer *place) {
  bool others_write = is_shared(place->space) || place->space == NORN_SPIRV_IN_BUFFER ||
                      place->space == NORN_SPIRV_IN_GLOBAL || place->space == NORN_SPIRV_IN_CHECKED;
  if (place->is_volatile && others_write)
    norn_build_fence(reader->builder, NORN_SCOPE_SUBGROUP);
}

static NornRef *
load_place(NornSpirvReader *reader, const NornSpirvPointer *place) {
  keep_apart(reader, place);
  NornRef *refs = norn_spirv_load(reader, place);
  keep_apart(reader, place);
  return refs;
}

static void
store_place(NornSpirvReader *reader, const NornSpirvPointer *place, const NornRef *refs) {
  keep_apart(reader, place);
  norn_spirv_store(reader, place, refs);
  keep_apart(reader, place);
}

static void
read_load(NornSpirvReader *reader) {
  const NornSpirvPointer place = read_place(reader, 3, 4);
  const NornSpirvType *type = norn_spirv_type(reader, 1);
  if (place.type->flat != type->flat)
    norn_spirv_invalid(reader, "the pointer is to a value of another type");
  else
    norn_spirv_define(reader, load_place(reader, &place));
}

static void
read_store(NornSpirvReader *reader) {
  const NornSpirvPointer place = read_place(reader, 1, 3);
  store_place(reader, &place, norn_spirv_value(reader, 2, norn_spirv_flat(reader, place.type)));
}

static void
read_copy_memory(NornSpirvReader *reader) {
  const NornSpirvPointer to = read_place(reader, 1, 3), from = read_place(reader, 2, 3);
  if (to.type->flat != from.type->flat)
    norn_spirv_invalid(reader, "the pointers are to values of different types");
  else
    store_place(reader, &to, load_place(reader, &from));
}

/* The elements of the array at the end of a buffer. */
static void
read_array_length(NornSpirvReader *reader) {
  NornSpirvPointer place = *norn_spirv_pointer(reader, 3);
  uint32_t member = norn_spirv_word(reader, 4);
  bool is_buffer = place.space == NORN_SPIRV_IN_BUFFER || place.space == NORN_SPIRV_IN_CONSTANT;
  bool has_size = place.space == NORN_SPIRV_IN_CHECKED ||
                  (place.space == NORN_SPIRV_IN_GLOBAL && place.variable);
  if (!is_buffer && !has_size) {
    norn_spirv_unsupported(reader, "the size of this memory is not known");
    return;
  }
  NornRef size = is_buffer ? norn_build_buffer_size(reader->builder, place.base)
                           : norn_spirv_size_of(reader, place.variable);
  place = norn_spirv_step(reader, &place, member, 0);
  if (place.type->op != SpvOpTypeRuntimeArray) {
    norn_spirv_invalid(reader, "member %u is no array without length", member);
    return;
  }
  NornRef offset = norn_spirv_int(reader, NORN_TYPE_I32, place.offset);
  NornRef bytes = norn_spirv_op2(reader, NORN_OP_USUBSAT, NORN_TYPE_I32, size, offset);
  norn_spirv_define_scalar(
      reader, norn_spirv_op2(reader, NORN_OP_UDIV, NORN_TYPE_I32, bytes,
                             norn_spirv_int(reader, NORN_TYPE_I32, array_stride(reader, &place))));
}

static void
read_copy_object(NornSpirvReader *reader) {
  NornSpirvId *id = norn_spirv_id(reader, 3);
  const NornSpirvType *type = norn_spirv_type(reader, 1);
  if (type->op == SpvOpTypePointer && !type->scalar) {
    norn_spirv_define_pointer(reader, norn_spirv_pointer(reader, 3));
  } else {
    (void)id;
    const NornRef *from = norn_spirv_value(reader, 3, norn_spirv_flat(reader, type));
    NornRef *refs = norn_spirv_new_refs(reader, type->flat);
    for (uint32_t k = 0; k < type->flat; k++)
      refs[k] = from[k];
    norn_spirv_define(reader, refs);
  }
}

/* A number as an address and back; it is one already. */
static void
read_cast(NornSpirvReader *reader) {
  const NornSpirvType *from, *to = norn_spirv_type(reader, 1);
  NornRef ref = norn_spirv_any_value(reader, 3, &from)[0];
  if (from->scalar != NORN_TYPE_I64 || to->scalar != NORN_TYPE_I64)
    norn_spirv_unsupported(reader, "addresses have 64 bits");
  norn_spirv_define_scalar(reader, ref);
}

/* OpExpectKHR: the value, whatever is expected of it. */
static void
read_expected(NornSpirvReader *reader) {
  const NornSpirvType *type;
  NornRef *refs = (NornRef *)norn_spirv_any_value(reader, 3, &type);
  if (norn_spirv_type(reader, 1)->flat != type->flat)
    norn_spirv_invalid(reader, "the value is of another type");
  else
    norn_spirv_define(reader, refs);
}

static void
do_nothing(NornSpirvReader *reader) {
  (void)reader;
}

NornSpirvHandler
norn_spirv_memory_handler(unsigned opcode) {
  switch (opcode) {
  case SpvOpVariable:
    return norn_spirv_local_variable;
  case SpvOpAccessChain:
  case SpvOpInBoundsAccessChain:
    return read_access_chain;
  case SpvOpPtrAccessChain:
  case SpvOpInBoundsPtrAccessChain:
    return read_pointer_chain;
  case SpvOpLoad:
    return read_load;
  case SpvOpStore:
    return read_store;
  case SpvOpCopyMemory:
    return read_copy_memory;
  case SpvOpArrayLength:
    return read_array_length;
  case SpvOpCopyObject:
  case SpvOpCopyLogical:
    return read_copy_object;
  case SpvOpConvertUToPtr:
  case SpvOpConvertPtrToU:
    return read_cast;
  case SpvOpExpectKHR:
    return read_expected;
  case SpvOpAssumeTrueKHR:
  case SpvOpNop:
  case SpvOpNoLine:
    return do_nothing;
  default:
    return NULL;
  }
}
