/* Loads and stores of whole values.
 *
 * A value is split according to its type into what a single access moves (access.c). A vector whose
 * components are adjacent and word-aligned takes one access, other vectors one for each component.
 * Matrices, arrays and structures are split into their parts, each a step of the pointer. A matrix
 * with row-major layout, which includes everything that HLSL calls column-major, is split into
 * rows, since the components of a column are not adjacent. Values in uniform words or inputs take
 * no access: their scalars already exist. */
#include "ir/ops.h"
#include "spirv/interface.h"

/* --- Single accesses --- */

/* The uniform word at that distance in bytes from the place, which an index may select. */
static NornRef
uniform_word(NornSpirvReader *reader, const NornSpirvPointer *pointer, uint32_t offset) {
  uint32_t first = (pointer->offset + offset) / 4;
  NornRef word = norn_build_uniform(reader->builder, first);
  if ((pointer->offset + offset) % 4)
    norn_spirv_unsupported(reader, "reading part of a uniform word is not supported");
  if (!pointer->index)
    return word;
  uint32_t step = pointer->step && pointer->step % 4 == 0 ? pointer->step : 4;
  uint32_t shift = (uint32_t)__builtin_ctz(step);
  NornRef chosen = norn_spirv_op2(reader, NORN_OP_LSHR, NORN_TYPE_I32, pointer->index,
                                  norn_spirv_int(reader, NORN_TYPE_I32, shift));
  for (uint32_t k = step; k <= pointer->extent; k += step) {
    NornRef is_it = norn_spirv_compare(reader, NORN_OP_ICMP, NORN_INT_CONDITION_EQ, NORN_TYPE_I32,
                                       chosen, norn_spirv_int(reader, NORN_TYPE_I32, k >> shift));
    word = norn_spirv_op3(reader, NORN_OP_SELECT, NORN_TYPE_I32, is_it,
                          norn_build_uniform(reader->builder, first + k / 4), word);
  }
  return word;
}

/* A number smaller than a word: bits of a uniform word, which an index may select. */
static NornRef
load_part_of_uniform(NornSpirvReader *reader, const NornSpirvPointer *pointer, NornType type) {
  uint32_t within = pointer->offset % 4;
  NornType integer = norn_type_bits(type) == 16 ? NORN_TYPE_I16 : NORN_TYPE_I8;
  NornSpirvPointer whole = *pointer;
  NornRef shift = within ? norn_spirv_int(reader, NORN_TYPE_I32, 8 * within) : 0;
  whole.offset -= within;
  whole.extent += within;
  if (pointer->index) {
    NornRef first = norn_spirv_int(reader, NORN_TYPE_I32, within);
    if (within)
      whole.index = norn_spirv_op2(reader, NORN_OP_IADD, NORN_TYPE_I32, pointer->index, first);
    NornRef byte = norn_spirv_op2(reader, NORN_OP_AND, NORN_TYPE_I32, whole.index,
                                  norn_spirv_int(reader, NORN_TYPE_I32, 3));
    shift = norn_spirv_op2(reader, NORN_OP_SHL, NORN_TYPE_I32, byte,
                           norn_spirv_int(reader, NORN_TYPE_I32, 3));
  }
  NornRef word = uniform_word(reader, &whole, 0);
  if (shift)
    word = norn_spirv_op2(reader, NORN_OP_LSHR, NORN_TYPE_I32, word, shift);
  NornRef part = norn_spirv_convert(reader, NORN_OP_TRUNC, 0, integer, NORN_TYPE_I32, word);
  return type == integer ? part
                         : norn_spirv_convert(reader, NORN_OP_BITCAST, 0, type, integer, part);
}

/* A scalar in uniform words. */
static NornRef
load_uniform(NornSpirvReader *reader, const NornSpirvPointer *pointer, NornType type) {
  uint32_t bits = norn_type_bits(type);
  if (bits < 32)
    return load_part_of_uniform(reader, pointer, type);
  if (pointer->offset % (bits / 8) == 0 && !pointer->index)
    return norn_build_uniform(reader->builder, pointer->offset / 4);
  NornRef word = uniform_word(reader, pointer, 0);
  if (bits == 32)
    return norn_spirv_convert(reader, NORN_OP_BITCAST, 0, type, NORN_TYPE_I32, word);
  const NornRef words[] = {word, uniform_word(reader, pointer, 4)};
  return norn_build_collect(reader->builder, NORN_TYPE_I32, type, 2, words);
}

static NornRef
load_input(NornSpirvReader *reader, const NornSpirvPointer *pointer) {
  if (pointer->variable->is_helper)
    return norn_build_helper_invocation(reader->builder);
  const NornSpirvType *type = pointer->variable->pointer.type;
  uint32_t k = norn_spirv_flat_at(type, pointer->offset);
  return k < type->flat ? pointer->variable->inputs[k] : 0;
}

static NornRef
load_scalar(NornSpirvReader *reader, const NornSpirvPointer *pointer, NornType type) {
  bool is_truth = type == NORN_TYPE_I1;
  NornRef value;
  switch (pointer->space) {
  case NORN_SPIRV_IN_INPUT:
    return load_input(reader, pointer);
  case NORN_SPIRV_IN_UNIFORM:
    return load_uniform(reader, pointer, type);
  case NORN_SPIRV_IN_HANDLES:
    norn_spirv_invalid(reader, "the pointer does not point to memory");
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

/* The number of components in a word. */
static unsigned
lanes_of_word(NornType scalar) {
  return 32 / MIN(norn_type_bits(scalar), 32);
}

/* The number of words if the components are read and written as whole words; 0 if they are accessed
 * one by one. Words require an alignment that 8-bit and 16-bit components do not guarantee. */
static unsigned
vector_words(const NornSpirvReader *reader, const NornSpirvPointer *pointer) {
  const NornSpirvType *type = pointer->type;
  NornType scalar = (NornType)type->scalar;
  bool has_words =
      norn_spirv_is_laid_out(pointer->space) && pointer->space != NORN_SPIRV_IN_UNIFORM;
  if (!has_words || pointer->vector_stride || type->count > 4 ||
      norn_spirv_is_guarded(reader, pointer) || norn_type_bits(scalar) > 32)
    return 0;
  if (norn_type_bits(scalar) == 32)
    return type->count > 1 ? type->count : 0;
  return pointer->alignment >= 4 ? type->count / lanes_of_word(scalar) : 0;
}

static void
load_vector(NornSpirvReader *reader, const NornSpirvPointer *pointer, NornRef *refs) {
  const NornSpirvType *type = pointer->type;
  NornType scalar = (NornType)type->scalar, packed = norn_packed_type(scalar);
  unsigned words = vector_words(reader, pointer), lanes = lanes_of_word(scalar), done = 0;
  if (words) {
    NornRef parts[4];
    parts[0] = norn_spirv_load_at(reader, pointer, norn_group_of_words(words));
    NornType part = lanes > 1 ? NORN_TYPE_I32 : scalar;
    if (words > 1)
      norn_build_split(reader->builder, part, norn_group_of_words(words), parts[0], words, parts);
    for (unsigned k = 0; k < words; k++) {
      NornRef word = lanes > 1
                         ? norn_build_bitcast(reader->builder, packed, NORN_TYPE_I32, parts[k])
                         : parts[k];
      for (unsigned lane = 0; lane < lanes; lane++, done++)
        refs[done] =
            lanes > 1 ? norn_build_extract(reader->builder, scalar, packed, word, lane) : word;
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
  NornType scalar = (NornType)type->scalar, packed = norn_packed_type(scalar);
  unsigned words = vector_words(reader, pointer), lanes = lanes_of_word(scalar), done = 0;
  if (words) {
    NornRef parts[4];
    for (unsigned k = 0; k < words; k++, done += lanes)
      parts[k] = lanes > 1 ? norn_build_bitcast(reader->builder, NORN_TYPE_I32, packed,
                                                norn_build_vec(reader->builder, packed, scalar,
                                                               lanes, refs + done))
                           : refs[done];
    NornRef value = words == 1
                        ? parts[0]
                        : norn_build_collect(reader->builder, lanes > 1 ? NORN_TYPE_I32 : scalar,
                                             norn_group_of_words(words), words, parts);
    norn_spirv_store_at(reader, pointer, norn_group_of_words(words), value);
  }
  for (; done < type->count; done++) {
    NornSpirvPointer component = norn_spirv_step(reader, pointer, done, 0);
    store_scalar(reader, &component, scalar, refs[done]);
  }
}

/* --- Matrices by rows --- */

/* Whether a whole matrix is best accessed row by row. */
static bool
has_rows(const NornSpirvPointer *pointer) {
  return pointer->type->op == SpvOpTypeMatrix && pointer->row_major && pointer->matrix_stride &&
         norn_spirv_is_laid_out(pointer->space);
}

/* The scalars of a matrix are in column order: the index of the one in row k and `column`. */
static uint32_t
scalar_of_row(const NornSpirvType *matrix, uint32_t k, uint32_t column) {
  return column * matrix->element->count + k;
}

static void
load_rows(NornSpirvReader *reader, const NornSpirvPointer *matrix, NornRef *refs) {
  const NornSpirvType *type = matrix->type;
  for (uint32_t k = 0; k < type->element->count && !reader->error; k++) {
    NornSpirvType row_type;
    NornRef scalars[4];
    const NornSpirvPointer row = norn_spirv_step_to_row(reader, matrix, k, &row_type);
    load_vector(reader, &row, scalars);
    for (uint32_t column = 0; column < type->count; column++)
      refs[scalar_of_row(type, k, column)] = scalars[column];
  }
}

static void
store_rows(NornSpirvReader *reader, const NornSpirvPointer *matrix, const NornRef *refs) {
  const NornSpirvType *type = matrix->type;
  for (uint32_t k = 0; k < type->element->count && !reader->error; k++) {
    NornSpirvType row_type;
    NornRef scalars[4];
    const NornSpirvPointer row = norn_spirv_step_to_row(reader, matrix, k, &row_type);
    for (uint32_t column = 0; column < type->count; column++)
      scalars[column] = refs[scalar_of_row(type, k, column)];
    store_vector(reader, &row, scalars);
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
  } else if (type->op == SpvOpTypeImage || type->op == SpvOpTypeSampler ||
             type->op == SpvOpTypeSampledImage) {
    norn_spirv_unsupported(reader,
                           "images and samplers in the shader's own variables are not supported");
  } else if (norn_spirv_is_choosable(type)) {
    for (uint32_t k = 0; k < type->flat; k++) {
      NornSpirvPointer part = *pointer;
      part.offset += 4 * k;
      refs[k] = norn_spirv_load_at(reader, &part, norn_spirv_scalar_type(type, k));
    }
  } else if (type->op == SpvOpTypeVector) {
    load_vector(reader, pointer, refs);
  } else if (has_rows(pointer)) {
    load_rows(reader, pointer, refs);
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
  if (norn_spirv_is_choosable(type)) {
    for (uint32_t k = 0; k < type->flat; k++) {
      NornSpirvPointer part = *pointer;
      part.offset += 4 * k;
      norn_spirv_store_at(reader, &part, norn_spirv_scalar_type(type, k), refs[k]);
    }
  } else if (type->op == SpvOpTypeVector) {
    store_vector(reader, pointer, refs);
  } else if (has_rows(pointer)) {
    store_rows(reader, pointer, refs);
  } else if (type->scalar && type->flat == 1) {
    store_scalar(reader, pointer, (NornType)type->scalar, refs[0]);
  } else if (pointer->space == NORN_SPIRV_IN_HANDLES) {
    norn_spirv_invalid(reader, "the pointer does not point to memory");
  } else {
    for (uint32_t k = 0, flat; k < type->count && !reader->error; k++) {
      NornSpirvPointer part = norn_spirv_step(reader, pointer, k, 0);
      norn_spirv_part(reader, type, k, &flat);
      store_from(reader, &part, refs + flat);
    }
  }
}

void
norn_spirv_store(NornSpirvReader *reader, const NornSpirvPointer *pointer, const NornRef *refs) {
  uint32_t members = pointer->type->op == SpvOpTypeStruct ? pointer->type->count : 1;
  for (uint32_t k = 0; k < members; k++)
    norn_spirv_note_written(pointer, k);
  store_from(reader, pointer, refs);
}

/* --- Instructions --- */

/* The place named by word k, with the properties given by the memory operands from word `operands`
 * on. */
static NornSpirvPointer
read_place(NornSpirvReader *reader, uint32_t k, uint32_t operands) {
  NornSpirvPointer place = *norn_spirv_pointer(reader, k);
  uint32_t length = norn_spirv_length(reader);
  uint32_t access = operands < length ? norn_spirv_word(reader, operands) : 0;
  bool is_aligned = operands + 1 < length && access & SpvMemoryAccessAlignedMask;
  place.is_volatile |= (access & SpvMemoryAccessVolatileMask) != 0;
  if (is_aligned && place.space == NORN_SPIRV_IN_GLOBAL)
    place.alignment = norn_spirv_lowest_bit(norn_spirv_word(reader, operands + 1));
  return place;
}

/* Fences around a volatile access keep it from being merged with others. */
static void
keep_apart(NornSpirvReader *reader, const NornSpirvPointer *place) {
  bool others_write = norn_spirv_is_shared(place->space) || place->space == NORN_SPIRV_IN_BUFFER ||
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

void
norn_spirv_read_load(NornSpirvReader *reader) {
  const NornSpirvPointer place = read_place(reader, 3, 4);
  norn_spirv_define(reader, load_place(reader, &place), place.type->flat);
}

void
norn_spirv_read_store(NornSpirvReader *reader) {
  if (norn_spirv_id(reader, 1)->table)
    return; /* the table already contains it */
  const NornSpirvPointer place = read_place(reader, 1, 3);
  store_place(reader, &place, norn_spirv_value(reader, 2, norn_spirv_flat(reader, place.type)));
}

/* The word where the memory operands of the copy's source start: after those of the destination, or
 * the same ones. */
static uint32_t
operands_of_source(NornSpirvReader *reader) {
  const uint32_t first = 3, with_operand = SpvMemoryAccessAlignedMask |
                                           SpvMemoryAccessMakePointerAvailableMask |
                                           SpvMemoryAccessMakePointerVisibleMask;
  if (norn_spirv_length(reader) <= first)
    return first;
  uint32_t access = norn_spirv_word(reader, first);
  uint32_t next = first + 1 + (uint32_t)__builtin_popcount(access & with_operand);
  return next < norn_spirv_length(reader) ? next : first;
}

void
norn_spirv_read_copy_memory(NornSpirvReader *reader) {
  const NornSpirvPointer to = read_place(reader, 1, 3);
  const NornSpirvPointer from = read_place(reader, 2, operands_of_source(reader));
  if (to.type->flat != from.type->flat)
    norn_spirv_invalid(reader, "the pointers point to values of different types");
  else
    store_place(reader, &to, load_place(reader, &from));
}

/* The number of elements of the array at the end of a buffer. */
void
norn_spirv_read_array_length(NornSpirvReader *reader) {
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
    norn_spirv_invalid(reader, "member %u is not a runtime array", member);
    return;
  }
  NornRef offset = norn_spirv_int(reader, NORN_TYPE_I32, place.offset);
  NornRef bytes = norn_spirv_op2(reader, NORN_OP_USUBSAT, NORN_TYPE_I32, size, offset);
  norn_spirv_define_scalar(reader,
                           norn_spirv_op2(reader, NORN_OP_UDIV, NORN_TYPE_I32, bytes,
                                          norn_spirv_int(reader, NORN_TYPE_I32,
                                                         norn_spirv_array_stride(reader, &place))));
}

void
norn_spirv_read_copy_object(NornSpirvReader *reader) {
  const NornSpirvType *type = norn_spirv_type(reader, 1);
  if (type->op == SpvOpTypePointer) {
    norn_spirv_define_pointer(reader, norn_spirv_pointer(reader, 3));
  } else {
    const NornRef *from = norn_spirv_value(reader, 3, norn_spirv_flat(reader, type));
    NornRef *refs = norn_spirv_new_refs(reader, type->flat);
    for (uint32_t k = 0; k < type->flat; k++)
      refs[k] = from[k];
    norn_spirv_define(reader, refs, type->flat);
  }
}

/* OpExpectKHR: returns the value; the expectation is ignored. */
void
norn_spirv_read_expected(NornSpirvReader *reader) {
  const NornSpirvType *type;
  NornRef *refs = (NornRef *)norn_spirv_any_value(reader, 3, &type);
  norn_spirv_define(reader, refs, type->flat);
}

void
norn_spirv_read_nothing(NornSpirvReader *reader) {
  (void)reader;
}
