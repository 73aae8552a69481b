/* Variables.
 *
 * A variable is set up when the first instruction uses it. The code for that (memory, loads of
 * inputs) is placed in the block before the shader's own first one. */
#include "spirv/interface.h"
#include "spirv/stages.h"

#define MAX_VARIABLE_BYTES (1u << 20)

static void
refuse_size(NornSpirvReader *reader) {
  norn_spirv_fail(reader, NORN_ERROR_LIMIT, "the variable has more than %u bytes",
                  MAX_VARIABLE_BYTES);
}

/* Sets up an array whose elements are interleaved with those of others. */
static void
set_up_beside(NornSpirvReader *reader, NornSpirvVariable *variable, NornSpirvArrayGroup *group) {
  uint32_t rank = 0;
  while (group->members[rank] != variable->id)
    rank++;
  if (!group->is_placed) {
    group->offset = reader->shared_bytes;
    reader->shared_bytes += (group->count * variable->pointer.type->packed_bytes + 15) & ~15u;
    group->is_placed = true;
  }
  variable->pointer.space = NORN_SPIRV_IN_SHARED;
  variable->pointer.alignment = 4;
  variable->pointer.offset = group->offset + 4 * rank;
  variable->array_stride = 4 * group->count;
}

/* Blocks, which have a layout, all share the same memory; other variables are consecutive. */
static void
set_up_shared(NornSpirvReader *reader, NornSpirvVariable *variable) {
  const NornSpirvType *type = variable->pointer.type;
  bool is_block = type->op == SpvOpTypeStruct && type->is_block;
  uint32_t bytes = is_block ? norn_spirv_layout_bytes(type, 0, false) : type->packed_bytes;
  if (bytes > MAX_VARIABLE_BYTES) {
    refuse_size(reader);
    return;
  }
  if (reader->ids[variable->id].group) {
    set_up_beside(reader, variable, reader->ids[variable->id].group);
    return;
  }
  variable->shared_bytes = (bytes + 15) & ~15u;
  variable->pointer.space = is_block ? NORN_SPIRV_IN_SHARED_BLOCK : NORN_SPIRV_IN_SHARED;
  variable->pointer.alignment = is_block ? 16 : 4;
  variable->pointer.offset = is_block ? 0 : reader->shared_bytes;
  reader->shared_bytes =
      MAX(reader->shared_bytes, variable->pointer.offset + variable->shared_bytes);
}

static void
set_up_memory(NornSpirvReader *reader, NornSpirvVariable *variable) {
  const NornSpirvType *type = variable->pointer.type;
  if (type->is_too_large || type->packed_bytes > MAX_VARIABLE_BYTES) {
    refuse_size(reader);
    return;
  }
  variable->pointer.alignment = 4;
  if (variable->storage == SpvStorageClassWorkgroup) {
    set_up_shared(reader, variable);
    return;
  }
  variable->pointer.space = NORN_SPIRV_IN_SCRATCH;
  NornRef block = norn_spirv_begin_setup(reader);
  variable->pointer.base =
      norn_build_alloca(reader->builder, MAX((type->packed_bytes + 3) & ~3u, 4));
  const char *name = norn_spirv_text(reader, reader->ids[variable->id].name);
  if (*name)
    norn_build_name(reader->builder, variable->pointer.base, name);
  norn_spirv_end_setup(reader, block);
}

static NornSpirvVariable *
new_variable(NornSpirvReader *reader, uint32_t id) {
  NornSpirvVariable *variable = NORN_NEW0(&reader->arena, NornSpirvVariable, 1);
  uint32_t at = reader->ids[id].at;
  const NornSpirvType *type = norn_spirv_find(reader, reader->words[at + 1])->type;
  variable->id = id;
  variable->storage = reader->words[at + 3];
  variable->pointer.variable = variable;
  variable->pointer.is_volatile =
      norn_spirv_is_decorated(reader, id, NORN_SPIRV_NONE, SpvDecorationVolatile);
  static const NornSpirvType none = {.op = SpvOpTypeVoid};
  variable->pointer.type = type ? norn_spirv_pointee(reader, type) : &none;
  reader->ids[id].type = type;
  return variable;
}

/* Stores the initial value of the variable. */
static void
initialize(NornSpirvReader *reader, const NornSpirvVariable *variable) {
  uint32_t at = reader->ids[variable->id].at;
  if (reader->words[at] >> 16 < 5)
    return;
  const NornSpirvId *value = norn_spirv_find(reader, reader->words[at + 4]);
  if (!value->refs || !value->type || value->type->flat != variable->pointer.type->flat)
    norn_spirv_unsupported(reader, "the initializer of %%%u is not supported", variable->id);
  else
    norn_spirv_store(reader, &variable->pointer, value->refs);
}

/* The end of the shader stores whole outputs, whatever parts of them were stored before. */
static void
store_zeros(NornSpirvReader *reader, const NornSpirvVariable *variable) {
  uint32_t count = norn_spirv_flat(reader, variable->pointer.type);
  NornRef *refs = norn_spirv_new_refs(reader, count);
  for (uint32_t k = 0; k < count; k++)
    refs[k] = norn_build_bits(reader->builder, 0);
  norn_spirv_store(reader, &variable->pointer, refs);
}

/* Builds a loop in which the invocations of the workgroup store zeros, 16 bytes per invocation and
 * iteration. */
static void
clear_shared(NornSpirvReader *reader, uint32_t first, uint32_t bytes) {
  enum { BYTES = 16 };
  NornBuilder *builder = reader->builder;
  const uint32_t *size = reader->module->workgroup;
  NornRef zero = norn_build_bits(builder, 0), zeros[] = {zero, zero, zero, zero};
  NornRef loop = norn_build_block(builder, NULL), body = norn_build_block(builder, NULL);
  NornRef after = norn_build_block(builder, NULL);
  NornRef at = norn_build_parameter(builder, loop, NORN_TYPE_I32, NULL);
  NornRef start = norn_spirv_op2(reader, NORN_OP_IMUL, NORN_TYPE_I32,
                                 norn_build_local_index(builder), norn_build_bits(builder, BYTES));
  norn_build_jump(builder, (NornBranch){loop, 1, &start});
  norn_spirv_go_to(reader, loop);
  NornRef is_inside = norn_spirv_compare(reader, NORN_OP_ICMP, NORN_INT_CONDITION_ULT,
                                         NORN_TYPE_I32, at, norn_build_bits(builder, bytes));
  norn_build_br(builder, is_inside, norn_branch(body), norn_branch(after));
  norn_spirv_go_to(reader, body);
  norn_build_store_shared(builder, NORN_TYPE_W4,
                          norn_build_collect(builder, NORN_TYPE_I32, NORN_TYPE_W4, 4, zeros), at,
                          first);
  NornRef next = norn_spirv_op2(reader, NORN_OP_IADD, NORN_TYPE_I32, at,
                                norn_build_bits(builder, size[0] * size[1] * size[2] * BYTES));
  norn_build_jump(builder, (NornBranch){loop, 1, &next});
  norn_spirv_go_to(reader, after);
}

void
norn_spirv_clear_workgroup_memory(NornSpirvReader *reader) {
  bool clears = false;
  for (unsigned k = 0; k < reader->variables->len && !reader->error; k++) {
    const NornSpirvVariable *variable = reader->variables->pdata[k];
    uint32_t at = reader->ids[variable->id].at;
    if (variable->storage != SpvStorageClassWorkgroup || reader->words[at] >> 16 < 5)
      continue;
    norn_spirv_seek(reader, at);
    if ((reader->words[norn_spirv_id(reader, 4)->at] & 0xFFFF) != SpvOpConstantNull)
      norn_spirv_unsupported(
          reader, "an initializer of workgroup memory other than OpConstantNull is not supported");
    else
      clear_shared(reader, variable->pointer.offset, variable->shared_bytes);
    clears = true;
  }
  if (clears && !reader->error)
    norn_build_barrier(reader->builder, NORN_SCOPE_WORKGROUP);
}

const NornSpirvPointer *
norn_spirv_variable(NornSpirvReader *reader, uint32_t id) {
  NornSpirvVariable *variable = new_variable(reader, id);
  NornRef block;
  if (reader->error)
    return &variable->pointer;
  g_ptr_array_add(reader->variables, variable);
  switch (variable->storage) {
  case SpvStorageClassPrivate:
  case SpvStorageClassWorkgroup:
  case SpvStorageClassOutput:
    set_up_memory(reader, variable);
    if (variable->storage == SpvStorageClassWorkgroup || reader->error)
      break;
    block = norn_spirv_begin_setup(reader);
    if (variable->storage == SpvStorageClassOutput) {
      store_zeros(reader, variable);
      norn_spirv_set_up_output(reader, variable);
    }
    initialize(reader, variable);
    norn_spirv_end_setup(reader, block);
    break;
  case SpvStorageClassInput:
    norn_spirv_set_up_input(reader, variable);
    break;
  case SpvStorageClassPushConstant:
    variable->pointer.space = NORN_SPIRV_IN_UNIFORM;
    variable->pointer.offset = 4 * reader->options->abi.push_constant_word;
    variable->pointer.alignment = 16;
    norn_spirv_reserve_push_constants(reader, variable->pointer.type);
    if (!reader->error)
      norn_spirv_declare_push_constants(reader, variable->pointer.type);
    break;
  case SpvStorageClassUniform:
  case SpvStorageClassStorageBuffer:
  case SpvStorageClassUniformConstant:
    norn_spirv_set_up_resource(reader, variable);
    break;
  default:
    norn_spirv_unsupported(reader, "variables of storage class %s are not supported",
                           norn_spirv_enumerant_name("StorageClass", variable->storage)
                               ? norn_spirv_enumerant_name("StorageClass", variable->storage)
                               : "with this number");
  }
  reader->ids[id].pointer = &variable->pointer;
  return &variable->pointer;
}

/* A table is filled once, before the shader's own first block, and shared by variables with the
 * same constant. */
static void
set_up_table(NornSpirvReader *reader, NornSpirvVariable *variable) {
  NornSpirvId *constant = &reader->ids[reader->ids[variable->id].table];
  if (!constant->memory) {
    set_up_memory(reader, variable);
    if (reader->error)
      return;
    NornRef block = norn_spirv_begin_setup(reader);
    norn_spirv_store(reader, &variable->pointer, constant->refs);
    norn_spirv_end_setup(reader, block);
    constant->memory = &variable->pointer;
  }
  const NornSpirvPointer own = variable->pointer;
  variable->pointer = *constant->memory;
  variable->pointer.variable = own.variable;
  variable->pointer.is_volatile = own.is_volatile;
}

void
norn_spirv_read_local_variable(NornSpirvReader *reader) {
  uint32_t id = norn_spirv_word(reader, 2);
  if (reader->error)
    return;
  if (norn_spirv_word(reader, 3) != SpvStorageClassFunction) {
    norn_spirv_invalid(reader, "a variable in a function must have storage class Function");
    return;
  }
  NornSpirvVariable *variable = new_variable(reader, id);
  const NornSpirvType *type = variable->pointer.type;
  if (type->op == SpvOpTypePointer && !type->flat) {
    norn_spirv_unsupported(reader, "variables that hold pointers of this type are not supported");
    return;
  }
  reader->ids[id].pointer = &variable->pointer;
  if (reader->ids[id].table && reader->ids[reader->ids[id].table].type != type)
    reader->ids[id].table = 0;
  if (reader->ids[id].table) {
    set_up_table(reader, variable);
    return;
  }
  set_up_memory(reader, variable);
  if (!reader->error)
    initialize(reader, variable);
}

NornSpirvVariable *
norn_spirv_memory_of_input(NornSpirvReader *reader, const NornSpirvVariable *input) {
  NornSpirvVariable *copy = NORN_NEW0(&reader->arena, NornSpirvVariable, 1);
  *copy = *input;
  copy->storage = SpvStorageClassPrivate;
  copy->pointer.variable = copy;
  set_up_memory(reader, copy);
  return copy;
}

const NornSpirvPointer *
norn_spirv_input_in_memory(NornSpirvReader *reader, const NornSpirvPointer *pointer) {
  NornSpirvVariable *input = pointer->variable;
  NornSpirvPointer *place = NORN_NEW(&reader->arena, NornSpirvPointer, 1);
  if (!input->copy) {
    input->copy = norn_spirv_memory_of_input(reader, input);
    NornRef block = norn_spirv_begin_setup(reader);
    norn_spirv_store(reader, &input->copy->pointer, input->inputs);
    norn_spirv_end_setup(reader, block);
  }
  *place = *pointer;
  place->variable = input->copy;
  place->space = NORN_SPIRV_IN_SCRATCH;
  place->base = input->copy->pointer.base;
  return place;
}
