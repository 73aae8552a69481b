/* Types, and the layouts given by decorations.
 *
 * Memory that the API fills (buffers, push constants) has the layout given by the module. All other
 * memory is packed: the scalars of a value are consecutive, each at a multiple of its size; truth
 * values take words. A vector with components smaller than a word starts and ends at a word
 * boundary, so that it can be accessed in words. */
#include "spirv/reader.h"

static NornSpirvType *
new_type(NornSpirvReader *reader) {
  uint32_t id = norn_spirv_word(reader, 1);
  NornSpirvType *announced = id < reader->bound ? reader->ids[id].announced : NULL;
  NornSpirvType *type = announced ? announced : NORN_NEW0(&reader->arena, NornSpirvType, 1);
  type->alignment = 1;
  type->op = (uint16_t)norn_spirv_opcode(reader);
  type->id = id;
  return type;
}

/* The type named by word k, as a part of another type. */
static const NornSpirvType *
part_type(NornSpirvReader *reader, NornSpirvType *type, uint32_t k) {
  const NornSpirvType *part = norn_spirv_type(reader, k);
  if (part->depth == NORN_SPIRV_DEPTH_LIMIT)
    norn_spirv_fail(reader, NORN_ERROR_LIMIT, "types are nested more than %u deep",
                    NORN_SPIRV_DEPTH_LIMIT);
  else
    type->depth = MAX(type->depth, (uint8_t)(part->depth + 1));
  type->alignment = MAX(type->alignment, part->alignment);
  return part;
}

/* Adds `count` parts to the contents of a value of the type. */
static void
add_parts(NornSpirvType *type, const NornSpirvType *part, uint64_t count) {
  uint64_t flat = type->flat + part->flat * count;
  uint64_t bytes = type->packed_bytes + part->packed_bytes * count;
  type->is_too_large |= part->is_too_large || flat > UINT32_MAX / 16 || bytes > UINT32_MAX / 16;
  type->flat = type->is_too_large ? 0 : (uint32_t)flat;
  type->packed_bytes = type->is_too_large ? 0 : (uint32_t)bytes;
}

/* Advances to the next offset in packed memory at which the part may start. */
static void
align_packed(NornSpirvType *type, const NornSpirvType *part) {
  uint32_t rest = type->packed_bytes % part->alignment;
  type->packed_bytes += rest ? part->alignment - rest : 0;
}

static void
set_scalar(NornSpirvType *type, NornType scalar) {
  type->scalar = (uint8_t)scalar;
  type->flat = 1;
  type->packed_bytes = norn_spirv_packed_bytes(scalar);
  type->alignment = (uint8_t)type->packed_bytes;
}

static void
read_int(NornSpirvReader *reader, NornSpirvType *type) {
  uint32_t width = norn_spirv_word(reader, 2);
  type->is_signed = norn_spirv_word(reader, 3);
  if (width == 8 || width == 16 || width == 32 || width == 64)
    set_scalar(type, width == 8    ? NORN_TYPE_I8
                     : width == 16 ? NORN_TYPE_I16
                     : width == 32 ? NORN_TYPE_I32
                                   : NORN_TYPE_I64);
  else
    norn_spirv_unsupported(reader, "integers of %u bits are not supported", width);
}

static void
read_float(NornSpirvReader *reader, NornSpirvType *type) {
  uint32_t width = norn_spirv_word(reader, 2);
  if (width == 16 || width == 32 || width == 64)
    set_scalar(type, width == 16 ? NORN_TYPE_F16 : width == 32 ? NORN_TYPE_F32 : NORN_TYPE_F64);
  else
    norn_spirv_unsupported(reader, "floats of %u bits are not supported", width);
}

static void
read_vector(NornSpirvReader *reader, NornSpirvType *type) {
  type->element = part_type(reader, type, 2);
  type->count = norn_spirv_word(reader, 3);
  type->scalar = type->element->scalar;
  bool is_matrix = type->op == SpvOpTypeMatrix;
  if (type->element->op == SpvOpTypeVector
          ? !is_matrix
          : is_matrix || !type->scalar || type->element->op == SpvOpTypeArray)
    norn_spirv_invalid(reader, "%%%u cannot be the type of a component or column",
                       type->element->id);
  else if (type->count < 2 || type->count > (is_matrix ? 4u : 16u))
    norn_spirv_invalid(reader, "%u is not a valid number of components or columns", type->count);
  else
    add_parts(type, type->element, type->count);
  type->alignment = MAX(type->alignment, 4);
  align_packed(type, type);
}

static void
read_array(NornSpirvReader *reader, NornSpirvType *type) {
  type->element = part_type(reader, type, 2);
  type->stride =
      norn_spirv_decorated(reader, type->id, NORN_SPIRV_NONE, SpvDecorationArrayStride, 0);
  if (type->op == SpvOpTypeRuntimeArray) {
    type->is_too_large = true;
    return;
  }
  uint64_t count = norn_spirv_constant(reader, 3);
  if (!count || count > INT32_MAX)
    norn_spirv_invalid(reader, "an array cannot have %" G_GUINT64_FORMAT " elements", count);
  type->count = (uint32_t)count;
  add_parts(type, type->element, count);
}

static void
read_member(NornSpirvReader *reader, NornSpirvType *type, uint32_t k) {
  NornSpirvMember *member = &type->members[k];
  member->type = part_type(reader, type, 2 + k);
  member->flat = type->flat;
  align_packed(type, member->type);
  member->packed_offset = type->packed_bytes;
  add_parts(type, member->type, 1);
}

static void
read_struct(NornSpirvReader *reader, NornSpirvType *type) {
  type->count = norn_spirv_length(reader) - 2;
  type->members = NORN_NEW0(&reader->arena, NornSpirvMember, type->count);
  type->is_block = norn_spirv_is_decorated(reader, type->id, NORN_SPIRV_NONE, SpvDecorationBlock);
  type->is_buffer_block =
      norn_spirv_is_decorated(reader, type->id, NORN_SPIRV_NONE, SpvDecorationBufferBlock);
  for (uint32_t k = 0; k < type->count && !reader->error; k++)
    read_member(reader, type, k);
  align_packed(type, type);
}

/* Reads the decorations of the members of a structure, which is known by its id. */
static void
read_member_decorations(NornSpirvReader *reader, NornSpirvType *type) {
  const uint32_t id = type->id;
  norn_spirv_decorate_members(reader, type);
  for (uint32_t k = 0; k < type->count; k++) {
    NornSpirvMember *member = &type->members[k];
    const NornSpirvDecoration *name =
        norn_spirv_decoration(reader, id, k, (SpvDecoration)NORN_SPIRV_MEMBER_NAME);
    member->name = name ? name->operand : 0;
    member->offset = norn_spirv_decorated(reader, id, k, SpvDecorationOffset, NORN_SPIRV_NONE);
    member->matrix_stride = norn_spirv_decorated(reader, id, k, SpvDecorationMatrixStride, 0);
    member->row_major = norn_spirv_is_decorated(reader, id, k, SpvDecorationRowMajor);
    member->is_volatile = norn_spirv_is_decorated(reader, id, k, SpvDecorationVolatile);
  }
}

/* A handle, or two for a combined image and sampler. */
static void
read_opaque(NornSpirvReader *reader, NornSpirvType *type) {
  type->flat = type->op == SpvOpTypeSampledImage ? 2 : 1;
  type->packed_bytes = 4 * type->flat;
  type->alignment = 4;
  if (type->op == SpvOpTypeImage) {
    type->element = part_type(reader, type, 2);
    for (unsigned k = 0; k < G_N_ELEMENTS(type->image); k++)
      type->image[k] = norn_spirv_word(reader, 3 + k);
  } else if (type->op == SpvOpTypeSampledImage) {
    type->element = part_type(reader, type, 2);
    if (type->element->op != SpvOpTypeImage)
      norn_spirv_invalid(reader, "%%%u is not an image", type->element->id);
  }
}

static void
read_pointer(NornSpirvReader *reader, NornSpirvType *type) {
  type->storage = norn_spirv_word(reader, 2);
  type->pointee = norn_spirv_word(reader, 3);
  if (type->storage == SpvStorageClassPhysicalStorageBuffer)
    set_scalar(type, NORN_TYPE_I64);
  else if (type->storage == SpvStorageClassStorageBuffer)
    type->flat = norn_spirv_has_addresses(reader, type) ? 1 : 2;
  else if (type->storage == SpvStorageClassWorkgroup)
    type->flat = 1;
  if (!type->scalar && type->flat) {
    type->packed_bytes = 8;
    type->alignment = 4;
  }
}

static void
read_function(NornSpirvReader *reader, NornSpirvType *type) {
  type->element = norn_spirv_type(reader, 2);
}

static void
read_bool(NornSpirvReader *reader, NornSpirvType *type) {
  (void)reader;
  set_scalar(type, NORN_TYPE_I1);
}

static void
read_void(NornSpirvReader *reader, NornSpirvType *type) {
  (void)reader;
  (void)type;
}

void
norn_spirv_read_type(NornSpirvReader *reader) {
  NornSpirvType *type = new_type(reader);
  switch (type->op) {
#define TYPE(name, function)                                                                       \
  case SpvOpType##name:                                                                            \
    function(reader, type);                                                                        \
    break;
#include "spirv/declarations.def"
  }
  if (reader->error)
    return;
  norn_spirv_id(reader, 1)->type = type;
  if (type->members)
    read_member_decorations(reader, type);
}

/* A pointer that structures contain before it is declared. */
void
norn_spirv_announce_pointer(NornSpirvReader *reader) {
  uint32_t id = norn_spirv_word(reader, 1);
  if (id >= reader->bound || reader->ids[id].at) {
    norn_spirv_invalid(reader, "%%%u is already defined, or not below the bound", id);
    return;
  }
  NornSpirvType *type = NORN_NEW0(&reader->arena, NornSpirvType, 1);
  type->op = SpvOpTypePointer;
  type->id = id;
  type->alignment = 1;
  type->storage = norn_spirv_word(reader, 2);
  if (type->storage == SpvStorageClassPhysicalStorageBuffer)
    set_scalar(type, NORN_TYPE_I64);
  reader->ids[id].at = reader->at;
  reader->ids[id].type = reader->ids[id].announced = type;
}

static const NornSpirvType void_type = {.op = SpvOpTypeVoid, .alignment = 1};

static const NornSpirvType *
type_of_id(NornSpirvReader *reader, uint32_t id) {
  const NornSpirvType *type = norn_spirv_find(reader, id)->type;
  if (type && type->id == id)
    return type;
  norn_spirv_invalid(reader, "%%%u is not a type", id);
  return &void_type;
}

const NornSpirvType *
norn_spirv_type(NornSpirvReader *reader, uint32_t k) {
  return type_of_id(reader, norn_spirv_word(reader, k));
}

const NornSpirvType *
norn_spirv_pointee(NornSpirvReader *reader, const NornSpirvType *type) {
  if (type->op == SpvOpTypePointer)
    return type_of_id(reader, type->pointee);
  norn_spirv_invalid(reader, "%%%u is not a pointer type", type->id);
  return &void_type;
}

const NornSpirvType *
norn_spirv_part(NornSpirvReader *reader, const NornSpirvType *type, uint32_t k, uint32_t *flat) {
  *flat = 0;
  switch (type->op) {
  case SpvOpTypeStruct:
    if (k >= type->count)
      break;
    *flat = type->members[k].flat;
    return type->members[k].type;
  case SpvOpTypeVector:
  case SpvOpTypeMatrix:
  case SpvOpTypeArray:
    if (k >= type->count)
      break;
    *flat = k * type->element->flat;
    return type->element;
  case SpvOpTypeRuntimeArray:
    return type->element;
  default:
    break;
  }
  norn_spirv_invalid(reader, "%%%u has no part %u", type->id, k);
  return &void_type;
}

uint32_t
norn_spirv_flat(NornSpirvReader *reader, const NornSpirvType *type) {
  if (!type->is_too_large && type->flat <= NORN_SPIRV_VALUE_LIMIT)
    return type->flat;
  norn_spirv_fail(reader, NORN_ERROR_LIMIT, "a value of type %%%u has more than %u scalars",
                  type->id, NORN_SPIRV_VALUE_LIMIT);
  return 0;
}

bool
norn_spirv_is_choosable(const NornSpirvType *type) {
  return type->op == SpvOpTypePointer && !type->scalar && type->flat;
}

bool
norn_spirv_has_addresses(const NornSpirvReader *reader, const NornSpirvType *type) {
  return type->storage == SpvStorageClassStorageBuffer && reader->options->abi.buffer_addresses;
}

uint32_t
norn_spirv_flat_at(const NornSpirvType *type, uint32_t offset) {
  uint32_t flat = 0;
  while (type->count) {
    if (type->op == SpvOpTypeStruct) {
      uint32_t member = type->count - 1;
      while (member && type->members[member].packed_offset > offset)
        member--;
      flat += type->members[member].flat;
      offset -= type->members[member].packed_offset;
      type = type->members[member].type;
    } else {
      uint32_t bytes = MAX(type->element->packed_bytes, 1);
      flat += offset / bytes * type->element->flat;
      offset %= bytes;
      type = type->element;
    }
  }
  return flat;
}

NornType
norn_spirv_scalar_type(const NornSpirvType *type, uint32_t k) {
  while (!type->scalar) {
    if (type->op == SpvOpTypeStruct) {
      /* Of empty members and the one after them, which start at the same scalar, the last one. */
      uint32_t first = 0, end = type->count;
      while (end - first > 1) {
        uint32_t middle = first + (end - first) / 2;
        *(type->members[middle].flat > k ? &end : &first) = middle;
      }
      if (!type->count)
        return NORN_TYPE_I32;
      k -= type->members[first].flat;
      type = type->members[first].type;
    } else if (type->op == SpvOpTypeArray && type->element->flat) {
      k %= type->element->flat;
      type = type->element;
    } else {
      /* A handle, or an address for a pointer to a buffer that the driver gives by its address. */
      return norn_spirv_is_choosable(type) && type->flat == 1 &&
                     type->storage == SpvStorageClassStorageBuffer
                 ? NORN_TYPE_I64
                 : NORN_TYPE_I32;
    }
  }
  return (NornType)type->scalar;
}
