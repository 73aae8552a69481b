/* Inputs that are built in: what an invocation knows of its place, its draw and its lane. */
#include "spirv/stages.h"

void
norn_spirv_refuse_built_in(NornSpirvReader *reader, uint32_t built_in) {
  const char *name = norn_spirv_enumerant_name("BuiltIn", built_in);
  norn_spirv_unsupported(reader, "the built-in variable %s is not understood here",
                         name ? name : "of that number");
}

static NornRef
axis_value(NornSpirvReader *reader, NornOp op, unsigned axis) {
  return norn_spirv_op(reader, op, axis, NORN_TYPE_VOID, NORN_TYPE_VOID, NULL, 0);
}

/* A system value: the same words each time it is asked for. */
static uint32_t
system_words(NornSpirvReader *reader, const char *name, uint32_t count) {
  for (unsigned k = 0; k < reader->resources->len; k++) {
    const NornSpirvResource *resource = &g_array_index(reader->resources, NornSpirvResource, k);
    if (resource->kind == NORN_SPIRV_SYSTEM_VALUE && !g_strcmp0(resource->name, name))
      return resource->word;
  }
  return norn_spirv_take_words(reader, name, NORN_SPIRV_SYSTEM_VALUE, NORN_TYPE_I32, count);
}

static NornRef
system_value(NornSpirvReader *reader, const char *name) {
  return norn_build_uniform(reader->builder, system_words(reader, name, 1));
}

/* Bits of lanes that compare so with this one. */
static NornRef
lane_mask(NornSpirvReader *reader, uint32_t built_in) {
  NornRef lane = norn_build_lane_id(reader->builder);
  NornRef one = norn_spirv_int(reader, NORN_TYPE_I32, 1);
  NornRef all = norn_spirv_int(reader, NORN_TYPE_I32, (1u << NORN_SPIRV_SUBGROUP_LANES) - 1);
  NornRef own = norn_spirv_op2(reader, NORN_OP_SHL, NORN_TYPE_I32, one, lane);
  NornRef below = norn_spirv_op2(reader, NORN_OP_ISUB, NORN_TYPE_I32, own, one);
  NornRef to = norn_spirv_op2(reader, NORN_OP_OR, NORN_TYPE_I32, below, own);
  switch (built_in) {
  case SpvBuiltInSubgroupEqMask:
    return own;
  case SpvBuiltInSubgroupLtMask:
    return below;
  case SpvBuiltInSubgroupLeMask:
    return to;
  case SpvBuiltInSubgroupGeMask:
    return norn_spirv_op2(reader, NORN_OP_XOR, NORN_TYPE_I32, below, all);
  default:
    return norn_spirv_op2(reader, NORN_OP_XOR, NORN_TYPE_I32, to, all);
  }
}

static uint32_t
workgroup_invocations(const NornSpirvReader *reader) {
  return reader->module->workgroup[0] * reader->module->workgroup[1] * reader->module->workgroup[2];
}

/* Where in the pixel the invocation's sample lies: what is left of its place in the picture. That
 * depends on the sample's number, by which the shader is known to run for each sample. */
static NornRef
sample_position(NornSpirvReader *reader, NornComponent component) {
  NornBuilder *builder = reader->builder;
  NornRef place = norn_build_frag_coord(builder, component);
  NornRef part = norn_spirv_op1(reader, NORN_OP_FFRACT, NORN_TYPE_F32, place);
  NornRef exists =
      norn_spirv_compare(reader, NORN_OP_ICMP, NORN_INT_CONDITION_ULT, NORN_TYPE_I32,
                         norn_build_sample_id(builder), norn_spirv_int(reader, NORN_TYPE_I32, 32));
  return norn_spirv_op3(reader, NORN_OP_SELECT, NORN_TYPE_F32, exists, part,
                        norn_spirv_float(reader, NORN_TYPE_F32, 0.5));
}

NornRef
norn_spirv_built_in(NornSpirvReader *reader, uint32_t built_in, uint32_t k) {
  NornBuilder *builder = reader->builder;
  NornRef point[2];
  switch (built_in) {
  case SpvBuiltInGlobalInvocationId:
    return axis_value(reader, NORN_OP_GLOBAL_ID, k);
  case SpvBuiltInLocalInvocationId:
    return axis_value(reader, NORN_OP_LOCAL_ID, k);
  case SpvBuiltInWorkgroupId:
    return axis_value(reader, NORN_OP_WORKGROUP_ID, k);
  case SpvBuiltInWorkgroupSize:
    return norn_spirv_int(reader, NORN_TYPE_I32, reader->module->workgroup[k]);
  case SpvBuiltInNumWorkgroups:
    return norn_build_uniform(builder, system_words(reader, "num_workgroups", 3) + k);
  case SpvBuiltInLocalInvocationIndex:
    return norn_build_local_index(builder);
  case SpvBuiltInSubgroupId:
    return norn_build_subgroup_id(builder);
  case SpvBuiltInNumSubgroups:
    return norn_spirv_int(reader, NORN_TYPE_I32,
                          (workgroup_invocations(reader) + NORN_SPIRV_SUBGROUP_LANES - 1) /
                              NORN_SPIRV_SUBGROUP_LANES);
  case SpvBuiltInSubgroupLocalInvocationId:
    return norn_build_lane_id(builder);
  case SpvBuiltInSubgroupSize:
    return norn_spirv_int(reader, NORN_TYPE_I32, NORN_SPIRV_SUBGROUP_LANES);
  case SpvBuiltInSubgroupEqMask:
  case SpvBuiltInSubgroupGeMask:
  case SpvBuiltInSubgroupGtMask:
  case SpvBuiltInSubgroupLeMask:
  case SpvBuiltInSubgroupLtMask:
    return k ? norn_spirv_int(reader, NORN_TYPE_I32, 0) : lane_mask(reader, built_in);
  case SpvBuiltInVertexIndex:
    return norn_build_vertex_id(builder);
  case SpvBuiltInInstanceIndex:
    return norn_spirv_op2(reader, NORN_OP_IADD, NORN_TYPE_I32, norn_build_instance_id(builder),
                          system_value(reader, "first_instance"));
  case SpvBuiltInBaseVertex:
    return system_value(reader, "first_vertex");
  case SpvBuiltInBaseInstance:
    return system_value(reader, "first_instance");
  case SpvBuiltInDrawIndex:
    return norn_build_draw_id(builder);
  case SpvBuiltInViewIndex:
  case SpvBuiltInLayer: /* of a fragment: hardware has one number for both */
    return norn_build_view_index(builder);
  case SpvBuiltInDeviceIndex:
    return norn_spirv_int(reader, NORN_TYPE_I32, 0);
  case SpvBuiltInFragCoord:
    return norn_build_frag_coord(builder, (NornComponent)(k & 3));
  case SpvBuiltInPointCoord:
    norn_build_point_coord(builder, point);
    return point[k & 1];
  case SpvBuiltInFrontFacing:
    return norn_build_front_facing(builder);
  case SpvBuiltInSampleId:
    return norn_build_sample_id(builder);
  case SpvBuiltInSamplePosition:
    return sample_position(reader, k ? NORN_COMPONENT_Y : NORN_COMPONENT_X);
  case SpvBuiltInSampleMask:
    return k ? norn_spirv_int(reader, NORN_TYPE_I32, 0) : norn_build_sample_mask(builder);
  case SpvBuiltInPrimitiveId:
    return norn_build_primitive_id(builder);
  case SpvBuiltInHelperInvocation:
    return norn_build_helper_invocation(builder);
  default:
    norn_spirv_refuse_built_in(reader, built_in);
    return 0;
  }
}

bool
norn_spirv_check_built_in(NornSpirvReader *reader, uint32_t built_in, uint32_t count) {
  uint32_t max_count;
  bool is_draw = built_in == SpvBuiltInVertexIndex || built_in == SpvBuiltInInstanceIndex ||
                 built_in == SpvBuiltInBaseVertex || built_in == SpvBuiltInBaseInstance ||
                 built_in == SpvBuiltInDrawIndex;
  switch (built_in) {
  case SpvBuiltInGlobalInvocationId:
  case SpvBuiltInLocalInvocationId:
  case SpvBuiltInWorkgroupId:
  case SpvBuiltInWorkgroupSize:
  case SpvBuiltInNumWorkgroups:
    max_count = 3;
    break;
  case SpvBuiltInFragCoord:
  case SpvBuiltInSubgroupEqMask:
  case SpvBuiltInSubgroupGeMask:
  case SpvBuiltInSubgroupGtMask:
  case SpvBuiltInSubgroupLeMask:
  case SpvBuiltInSubgroupLtMask:
    max_count = 4;
    break;
  case SpvBuiltInPointCoord:
  case SpvBuiltInSamplePosition:
    max_count = 2;
    break;
  default:
    max_count = 1;
  }
  bool is_right = count >= 1 && count <= max_count &&
                  (!is_draw || reader->module->stage == NORN_STAGE_VERTEX) &&
                  (built_in != SpvBuiltInLayer || reader->module->stage == NORN_STAGE_FRAGMENT);
  if (!is_right)
    norn_spirv_refuse_built_in(reader, built_in);
  return is_right;
}
