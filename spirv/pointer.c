/* Pointers: steps into what they point to, and pointers as values.
 *
 * As long as it is known where a pointer leads, it is not an instruction: it is a space, a base,
 * and an offset in bytes that grows with each step. A non-constant index is added to `index`, or to
 * the base if that is a 64-bit address. The pointer also records what an access must know: the
 * largest power of two that is certain to divide the address, and how far indices may reach.
 * Indices into arrays of an invocation and into uniform words are clamped; those into workgroup
 * memory and buffers are treated as the driver's interface requires (access.c contains what is done
 * at the access). Pointers are values only where they are selected, passed or stored: an address, a
 * handle and an offset, or only an offset. */
#include "ir/numeric.h"
#include "spirv/interface.h"

/* Alignments above this number of bytes do not matter. */
#define MAX_ALIGNED 16

/* Constant indices beyond this many bytes are out of bounds of every buffer. From there to the end
 * of the address space there is room for any access, so that none wraps around into the buffer. */
#define FAR_OFFSET UINT32_C(0xFFFFFF00)

bool
norn_spirv_is_laid_out(NornSpirvSpace space) {
  return space >= NORN_SPIRV_IN_SHARED_BLOCK && space <= NORN_SPIRV_IN_UNIFORM;
}

bool
norn_spirv_is_shared(NornSpirvSpace space) {
  return space == NORN_SPIRV_IN_SHARED || space == NORN_SPIRV_IN_SHARED_BLOCK;
}

uint32_t
norn_spirv_lowest_bit(uint32_t number) {
  return number ? MIN(number & (0u - number), MAX_ALIGNED) : MAX_ALIGNED;
}

static uint32_t
component_bytes(NornSpirvSpace space, NornType type) {
  return norn_spirv_is_laid_out(space) ? norn_type_bits(type) / 8 : norn_spirv_packed_bytes(type);
}

/* The place that a pointer value leads to: its alignment is unknown. */
static NornSpirvPointer
place_of_value(NornSpirvReader *reader, const NornSpirvType *type, const NornRef *refs) {
  NornSpirvPointer place = {.type = norn_spirv_pointee(reader, type), .alignment = 1};
  if (norn_spirv_has_addresses(reader, type)) {
    place.space = NORN_SPIRV_IN_GLOBAL;
    place.base = refs[0];
  } else if (type->storage == SpvStorageClassStorageBuffer) {
    place.space = NORN_SPIRV_IN_BUFFER;
    place.base = refs[0];
    place.index = refs[1];
  } else {
    place.space = reader->has_shared_blocks ? NORN_SPIRV_IN_SHARED_BLOCK : NORN_SPIRV_IN_SHARED;
    place.index = refs[0];
  }
  return place;
}

/* Whether the instruction yields a value that does not say where a pointer points. */
static bool
is_nowhere(unsigned opcode) {
  return opcode == SpvOpUndef || opcode == SpvOpConstantNull;
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
  } else if (id->refs && id->type && norn_spirv_is_choosable(id->type)) {
    *pointer = place_of_value(reader, id->type, id->refs);
  } else if (id->at && is_nowhere(reader->words[id->at] & 0xFFFF)) {
    norn_spirv_unsupported(reader, "%%%u, a null or undefined pointer, is not supported", number);
  } else {
    norn_spirv_invalid(reader, "%%%u is not a pointer", number);
  }
  return pointer;
}

/* --- Steps into a value --- */

/* Whether add_element_address can be used. No buffer is larger than 2^32 - 1 bytes, so the index of
 * the word is less than 2^30, and that of the 16-bit value less than 2^31. */
static bool
has_near_elements(uint32_t stride) {
  return stride == 1 || (stride && stride % 2 == 0);
}

/* base + index * stride for an element of a storage buffer. */
static NornRef
add_element_address(NornSpirvReader *reader, NornRef base, NornRef index, uint32_t stride) {
  uint32_t shift = MIN((uint32_t)__builtin_ctz(stride), 7);
  if (stride >> shift != 1)
    index = norn_spirv_op2(reader, NORN_OP_IMUL, NORN_TYPE_I32, index,
                           norn_spirv_int(reader, NORN_TYPE_I32, stride >> shift));
  norn_builder_set_flags(reader->builder, NORN_INST_NOWRAP);
  NornRef address = norn_build_shladd(reader->builder, NORN_EXTEND_S32, base, index, shift);
  norn_builder_set_flags(reader->builder, 0);
  return address;
}

/* base + index * stride for a 64-bit index. */
static NornRef
add_far_address(NornSpirvReader *reader, NornRef base, NornRef index, uint32_t stride) {
  NornRef bytes = norn_spirv_op2(reader, NORN_OP_IMUL, NORN_TYPE_I64, index,
                                 norn_spirv_int(reader, NORN_TYPE_I64, stride));
  return norn_spirv_op2(reader, NORN_OP_IADD, NORN_TYPE_I64, base, bytes);
}

/* base + index * stride for a signed index. */
static NornRef
add_scaled_address(NornSpirvReader *reader, NornRef base, NornRef index, uint32_t stride) {
  if (stride > INT32_MAX)
    return add_far_address(
        reader, base, norn_spirv_resize(reader, NORN_TYPE_I64, NORN_TYPE_I32, true, index), stride);
  if (stride && stride <= 128 && !(stride & (stride - 1)) && !norn_is_constant(index))
    return norn_build_shladd(reader->builder, NORN_EXTEND_S32, base, index,
                             (uint32_t)__builtin_ctz(stride));
  NornRef bytes = norn_spirv_op2(reader, NORN_OP_SMULX, NORN_TYPE_VOID, index,
                                 norn_spirv_int(reader, NORN_TYPE_I32, stride));
  return norn_spirv_op2(reader, NORN_OP_IADD, NORN_TYPE_I64, base, bytes);
}

/* index * stride; `is_near`: the index is into an array in workgroup memory. */
static NornRef
scaled(NornSpirvReader *reader, NornRef index, uint32_t stride, bool is_near) {
  if (stride == 1)
    return index;
  if (!stride || stride & (stride - 1))
    return norn_spirv_op2(reader, NORN_OP_IMUL, NORN_TYPE_I32, index,
                          norn_spirv_int(reader, NORN_TYPE_I32, stride));
  norn_builder_set_flags(reader->builder, is_near ? NORN_INST_NOWRAP : 0);
  NornRef bytes =
      norn_spirv_op2(reader, NORN_OP_SHL, NORN_TYPE_I32, index,
                     norn_spirv_int(reader, NORN_TYPE_I32, (uint32_t)__builtin_ctz(stride)));
  norn_builder_set_flags(reader->builder, 0);
  return bytes;
}

/* Whether an index that is not constant is certain to be below the count: `index & constant`. */
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

/* Records that the place has moved by some number of elements. */
static void
note_stride(NornSpirvPointer *pointer, uint32_t stride) {
  pointer->alignment = MIN(pointer->alignment, norn_spirv_lowest_bit(stride));
  pointer->step = (uint32_t)norn_greatest_divisor(pointer->step, stride);
}

/* Whether an index that is too large selects the last element. */
static bool
has_bounds(const NornSpirvReader *reader, const NornSpirvPointer *pointer) {
  return pointer->space == NORN_SPIRV_IN_SCRATCH || pointer->space == NORN_SPIRV_IN_INPUT ||
         pointer->space == NORN_SPIRV_IN_UNIFORM ||
         (norn_spirv_is_shared(pointer->space) &&
          reader->options->abi.robustness != NORN_SPIRV_UNCHECKED);
}

/* Moves the place forward by a number of elements. */
static void
add_elements(NornSpirvReader *reader, NornSpirvPointer *pointer, uint32_t count, uint32_t k,
             NornRef index, uint32_t stride) {
  if (!index) {
    uint64_t offset = pointer->offset + (uint64_t)k * stride;
    pointer->alignment = MIN(pointer->alignment, norn_spirv_lowest_bit(k * stride));
    if (pointer->space == NORN_SPIRV_IN_GLOBAL && offset > INT32_MAX) {
      int64_t bytes = (int64_t)(int32_t)k * stride;
      pointer->base = norn_spirv_op2(reader, NORN_OP_IADD, NORN_TYPE_I64, pointer->base,
                                     norn_spirv_int(reader, NORN_TYPE_I64, (uint64_t)bytes));
      return;
    }
    pointer->offset = (uint32_t)MIN(offset, FAR_OFFSET);
    return;
  }
  note_stride(pointer, stride);
  if (pointer->space == NORN_SPIRV_IN_GLOBAL) {
    bool is_element = pointer->variable && has_near_elements(stride) && !norn_is_constant(index);
    pointer->base = is_element ? add_element_address(reader, pointer->base, index, stride)
                               : add_scaled_address(reader, pointer->base, index, stride);
    return;
  }
  bool is_bounded = has_bounds(reader, pointer);
  if (is_bounded && count == 1)
    return;
  if (is_bounded && count && !is_below(reader, index, count))
    index = norn_spirv_op2(reader, NORN_OP_UMIN, NORN_TYPE_I32, index,
                           norn_spirv_int(reader, NORN_TYPE_I32, count - 1));
  /* A checked offset must not wrap around into the buffer. */
  bool is_checked = pointer->space == NORN_SPIRV_IN_CHECKED;
  if (is_checked && stride > 1 && !is_below(reader, index, UINT32_MAX / stride))
    index = norn_spirv_op2(reader, NORN_OP_UMIN, NORN_TYPE_I32, index,
                           norn_spirv_int(reader, NORN_TYPE_I32, UINT32_MAX / stride));
  NornRef bytes =
      scaled(reader, index, stride, norn_spirv_is_shared(pointer->space) && !is_bounded);
  pointer->index = pointer->index
                       ? norn_spirv_op2(reader, is_checked ? NORN_OP_UADDSAT : NORN_OP_IADD,
                                        NORN_TYPE_I32, pointer->index, bytes)
                       : bytes;
  pointer->extent += count ? (count - 1) * stride : 0;
}

uint32_t
norn_spirv_array_stride(NornSpirvReader *reader, const NornSpirvPointer *pointer) {
  const NornSpirvType *type = pointer->type;
  if (pointer->space == NORN_SPIRV_IN_HANDLES) {
    uint32_t entries = 1;
    for (type = type->element; type->op == SpvOpTypeArray; type = type->element)
      entries *= type->count;
    return entries;
  }
  if (pointer->variable && pointer->variable->array_stride)
    return pointer->variable->array_stride;
  if (!norn_spirv_is_laid_out(pointer->space))
    return type->element->packed_bytes;
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
  if (!norn_spirv_is_laid_out(pointer->space)) {
    offset = member->packed_offset;
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
  /* Code that never runs may have any constant as an index. */
  if (is_known && !index && type->count)
    k = MIN(k, type->count - 1);
  pointer.element_stride = 0;
  switch (type->op) {
  case SpvOpTypeStruct:
    step_into_struct(reader, &pointer, k, index);
    return pointer;
  case SpvOpTypeArray:
  case SpvOpTypeRuntimeArray:
    pointer.element_stride = norn_spirv_array_stride(reader, from);
    add_elements(reader, &pointer, type->count, k, index, pointer.element_stride);
    break;
  case SpvOpTypeMatrix:
    if (!norn_spirv_is_laid_out(from->space)) {
      add_elements(reader, &pointer, type->count, k, index, type->element->packed_bytes);
    } else if (!from->matrix_stride) {
      norn_spirv_invalid(reader, "the matrix has no MatrixStride");
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
    norn_spirv_invalid(reader, "type %%%u has no parts", type->id);
    return pointer;
  }
  pointer.type = type->element;
  norn_spirv_enter_buffer(reader, &pointer);
  return pointer;
}

NornSpirvPointer
norn_spirv_step_to_row(NornSpirvReader *reader, const NornSpirvPointer *matrix, uint32_t k,
                       NornSpirvType *row) {
  NornSpirvPointer pointer = *matrix;
  *row = *matrix->type->element;
  row->count = row->flat = matrix->type->count;
  pointer.element_stride = 0;
  add_elements(reader, &pointer, matrix->type->element->count, k, 0, matrix->matrix_stride);
  pointer.type = row;
  return pointer;
}

/* base + offset, or only the offset if there is no base */
static NornRef
add_offset(NornSpirvReader *reader, NornType type, NornRef base, uint32_t offset) {
  NornRef bytes = norn_spirv_int(reader, type, offset);
  return !base ? bytes : offset ? norn_spirv_op2(reader, NORN_OP_IADD, type, base, bytes) : base;
}

const NornRef *
norn_spirv_pointer_refs(NornSpirvReader *reader, const NornSpirvPointer *pointer,
                        const NornSpirvType *type) {
  NornRef *refs = norn_spirv_new_refs(reader, type->flat);
  bool is_number = norn_spirv_has_addresses(reader, type) || type->scalar;
  bool has_stride = pointer->matrix_stride && pointer->type->op == SpvOpTypeMatrix;
  if (has_stride || pointer->vector_stride || (pointer->matrix_stride && !type->scalar)) {
    norn_spirv_unsupported(reader, "a pointer into a matrix cannot be a value");
  } else if (is_number && pointer->space == NORN_SPIRV_IN_GLOBAL) {
    refs[0] = add_offset(reader, NORN_TYPE_I64, pointer->base, pointer->offset);
  } else if (type->flat == 2 && pointer->space == NORN_SPIRV_IN_BUFFER) {
    refs[0] = pointer->base;
    refs[1] = add_offset(reader, NORN_TYPE_I32, pointer->index, pointer->offset);
  } else if (type->storage == SpvStorageClassWorkgroup && norn_spirv_is_shared(pointer->space)) {
    refs[0] = add_offset(reader, NORN_TYPE_I32, pointer->index, pointer->offset);
  } else if (pointer->space == NORN_SPIRV_IN_CHECKED) {
    norn_spirv_unsupported(
        reader,
        "with robustness, a pointer to a buffer that is accessed by its address cannot be a value");
  } else {
    norn_spirv_unsupported(reader, "a pointer to such memory cannot be a value");
  }
  return refs;
}

/* Records that a member of an output, or the whole output if it has none, is stored. */
void
norn_spirv_note_written(const NornSpirvPointer *base, uint32_t member) {
  if (base->variable && base->variable->written && base->type == base->variable->pointer.type)
    base->variable->written[base->type->op == SpvOpTypeStruct ? member : 0] = true;
}

/* --- Instructions --- */

/* The index in word k as a constant or, in *index, as an i32; if it `saturates`, one of 64 bits
 * that is greater becomes the greatest. */
static uint32_t
read_index(NornSpirvReader *reader, uint32_t k, bool saturates, NornRef *index) {
  const NornSpirvType *type;
  NornRef ref = norn_spirv_any_value(reader, k, &type)[0];
  uint64_t bits = 0;
  *index = 0;
  if (type->op != SpvOpTypeInt) {
    norn_spirv_invalid(reader, "the index is not an integer");
    return 0;
  }
  if (!norn_spirv_constant_bits(reader, ref, &bits)) {
    if (saturates && type->scalar == NORN_TYPE_I64)
      ref = norn_spirv_op2(reader, NORN_OP_UMIN, NORN_TYPE_I64, ref,
                           norn_spirv_int(reader, NORN_TYPE_I64, UINT32_MAX));
    *index = norn_spirv_resize(reader, NORN_TYPE_I32, (NornType)type->scalar, type->is_signed, ref);
  } else if (type->is_signed && norn_type_bits((NornType)type->scalar) < 64 &&
             bits >> (norn_type_bits((NornType)type->scalar) - 1))
    bits |= UINT64_MAX << norn_type_bits((NornType)type->scalar); /* sign-extended */
  if (bits > UINT32_MAX && ~bits > INT32_MAX)
    norn_spirv_invalid(reader, "the index is out of range");
  return (uint32_t)bits;
}

/* The index in word k if it has 64 bits and is not known to fit 32; else 0. */
static NornRef
read_far_index(NornSpirvReader *reader, uint32_t k) {
  const NornSpirvType *type;
  NornRef ref = norn_spirv_any_value(reader, k, &type)[0];
  uint64_t bits;
  bool is_near = norn_spirv_constant_bits(reader, ref, &bits) && bits + INT32_MAX + 1 <= UINT32_MAX;
  return type->op == SpvOpTypeInt && type->scalar == NORN_TYPE_I64 && !is_near ? ref : 0;
}

/* Whether the place is given by an address computed by the shader, which may lead anywhere. */
static bool
is_anywhere(const NornSpirvPointer *pointer) {
  return pointer->space == NORN_SPIRV_IN_GLOBAL && !pointer->variable;
}

/* Moves the place by a number of elements that may be more than 2^31 away. */
static void
add_far_elements(NornSpirvReader *reader, NornSpirvPointer *pointer, NornRef index,
                 uint32_t stride) {
  note_stride(pointer, stride);
  pointer->base = add_far_address(reader, pointer->base, index, stride);
}

/* Steps into the part that word k selects. */
static NornSpirvPointer
read_step(NornSpirvReader *reader, const NornSpirvPointer *pointer, uint32_t word, uint32_t *k) {
  bool is_array = pointer->type->op == SpvOpTypeArray || pointer->type->op == SpvOpTypeRuntimeArray;
  NornRef index = is_array && is_anywhere(pointer) ? read_far_index(reader, word) : 0;
  NornSpirvPointer part;
  if (index) {
    *k = 0;
    part = norn_spirv_step(reader, pointer, 0, 0);
    add_far_elements(reader, &part, index, part.element_stride);
    return part;
  }
  bool saturates = has_bounds(reader, pointer) || pointer->space == NORN_SPIRV_IN_CHECKED;
  *k = read_index(reader, word, saturates, &index);
  if (index && pointer->space == NORN_SPIRV_IN_INPUT)
    pointer = norn_spirv_input_in_memory(reader, pointer);
  return norn_spirv_step(reader, pointer, *k, index);
}

/* The distance in bytes between elements that a pointer of the type can lead to; 0: not specified.
 * In memory without layout, the decoration is ignored. */
static uint32_t
element_stride(NornSpirvReader *reader, const NornSpirvType *type) {
  if (type->storage == SpvStorageClassWorkgroup && !reader->has_shared_blocks)
    return norn_spirv_pointee(reader, type)->packed_bytes;
  return norn_spirv_decorated(reader, type->id, NORN_SPIRV_NONE, SpvDecorationArrayStride, 0);
}

/* The same for the pointer named by word k; if its type does not say it, that of the array that it
 * was stepped into. */
static uint32_t
stride_between(NornSpirvReader *reader, uint32_t k, const NornSpirvType *type) {
  uint32_t stride = reader->error ? 0 : element_stride(reader, type);
  const NornSpirvPointer *pointer = norn_spirv_id(reader, k)->pointer;
  return stride || !pointer ? stride : pointer->element_stride;
}

/* Moves a place that is checked against a buffer's size by a number of elements, possibly backward.
 * A result that does not fit 32 bits is outside of all buffers. */
static void
step_checked(NornSpirvReader *reader, NornSpirvPointer *pointer, NornRef index, uint32_t stride) {
  NornRef from = add_offset(reader, NORN_TYPE_I32, pointer->index, pointer->offset);
  NornRef sum = add_scaled_address(
      reader, norn_spirv_resize(reader, NORN_TYPE_I64, NORN_TYPE_I32, false, from), index, stride);
  NornRef fits = norn_spirv_compare(reader, NORN_OP_ICMP, NORN_INT_CONDITION_ULE, NORN_TYPE_I64,
                                    sum, norn_spirv_int(reader, NORN_TYPE_I64, UINT32_MAX));
  pointer->index =
      norn_build_select(reader->builder, NORN_TYPE_I32, fits,
                        norn_spirv_resize(reader, NORN_TYPE_I32, NORN_TYPE_I64, false, sum),
                        norn_spirv_int(reader, NORN_TYPE_I32, UINT32_MAX));
  pointer->offset = 0;
  note_stride(pointer, stride);
}

/* Moves a pointer by the number of elements in a word. */
static void
step_to_element(NornSpirvReader *reader, NornSpirvPointer *pointer, uint32_t word) {
  const NornSpirvType *type = norn_spirv_id(reader, 3)->type;
  uint32_t stride = type ? element_stride(reader, type) : 0, k = 0;
  NornRef index = 0, far = is_anywhere(pointer) ? read_far_index(reader, word) : 0;
  if (!far)
    k = read_index(reader, word, false, &index);
  if (k > INT32_MAX && !index)
    index = norn_spirv_int(reader, NORN_TYPE_I32, k); /* backward */
  if (!stride && (k || far || index))
    norn_spirv_unsupported(
        reader, "stepping from pointer to pointer without an ArrayStride is not supported");
  if (far)
    add_far_elements(reader, pointer, far, stride);
  else if (index && pointer->space == NORN_SPIRV_IN_CHECKED)
    step_checked(reader, pointer, index, stride);
  else
    add_elements(reader, pointer, 0, k, index, stride);
}

/* OpAccessChain, OpInBoundsAccessChain; preceded by an element for OpPtrAccessChain. */
static void
read_chain(NornSpirvReader *reader, uint32_t first, bool has_element) {
  const NornSpirvPointer *base = norn_spirv_pointer(reader, 3);
  NornSpirvPointer *pointer = NORN_NEW(&reader->arena, NornSpirvPointer, 1);
  *pointer = *base;
  if (has_element)
    step_to_element(reader, pointer, first++);
  for (uint32_t word = first; word < norn_spirv_length(reader) && !reader->error; word++) {
    uint32_t k;
    NornSpirvPointer part = read_step(reader, pointer, word, &k);
    if (!reader->error)
      norn_spirv_note_written(pointer, k);
    *pointer = part;
  }
  norn_spirv_define_pointer(reader, pointer);
}

void
norn_spirv_read_access_chain(NornSpirvReader *reader) {
  read_chain(reader, 4, false);
}

void
norn_spirv_read_pointer_chain(NornSpirvReader *reader) {
  read_chain(reader, 4, true);
}

/* Whether pointers are equal, or the number of elements between them. */
void
norn_spirv_read_pointer_comparison(NornSpirvReader *reader) {
  const NornSpirvType *type, *other;
  const NornRef *a = norn_spirv_any_value(reader, 3, &type);
  const NornRef *b = norn_spirv_any_value(reader, 4, &other);
  if (reader->error || !norn_spirv_is_choosable(type) || other->flat != type->flat) {
    norn_spirv_unsupported(reader, "comparing these pointers is not supported");
    return;
  }
  NornRef all = norn_build_bits(reader->builder, 1);
  for (uint32_t k = 0; k < type->flat; k++)
    all = norn_spirv_op2(reader, NORN_OP_AND, NORN_TYPE_I1, all,
                         norn_spirv_compare(reader, NORN_OP_ICMP, NORN_INT_CONDITION_EQ,
                                            norn_spirv_scalar_type(type, k), a[k], b[k]));
  bool is_equal = norn_spirv_opcode(reader) == SpvOpPtrEqual;
  norn_spirv_define_scalar(reader,
                           is_equal ? all : norn_spirv_op1(reader, NORN_OP_NOT, NORN_TYPE_I1, all));
}

void
norn_spirv_read_pointer_difference(NornSpirvReader *reader) {
  const NornSpirvType *type, *other, *result = norn_spirv_type(reader, 1);
  const NornRef *a = norn_spirv_any_value(reader, 3, &type);
  const NornRef *b = norn_spirv_any_value(reader, 4, &other);
  uint32_t stride = stride_between(reader, 3, type);
  if (!stride)
    stride = stride_between(reader, 4, type);
  if (reader->error || !norn_spirv_is_choosable(type) || other->flat != type->flat || !stride ||
      !norn_type_in(NORN_SET_INT, (NornType)result->scalar)) {
    norn_spirv_unsupported(reader, "the difference of these pointers is not supported");
    return;
  }
  NornType scalar = norn_spirv_scalar_type(type, type->flat - 1);
  NornRef bytes =
      norn_spirv_op2(reader, NORN_OP_ISUB, scalar, a[type->flat - 1], b[type->flat - 1]);
  NornRef count =
      norn_spirv_op2(reader, NORN_OP_SDIV, scalar, bytes, norn_spirv_int(reader, scalar, stride));
  norn_spirv_define_scalar(
      reader, norn_spirv_resize(reader, (NornType)result->scalar, scalar, true, count));
}

/* Converts between a number and an address, which are the same. */
void
norn_spirv_read_address_cast(NornSpirvReader *reader) {
  const NornSpirvType *from, *to = norn_spirv_type(reader, 1);
  NornRef ref = norn_spirv_any_value(reader, 3, &from)[0];
  if (from->scalar != NORN_TYPE_I64 || to->scalar != NORN_TYPE_I64)
    norn_spirv_unsupported(reader, "addresses of other than 64 bits are not supported");
  norn_spirv_define_scalar(reader, ref);
}
