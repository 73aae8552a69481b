/* Built-in inputs: what an invocation knows about its position, its draw and its lane. The rows of
 * built_ins.def list them, in terms of the functions here. */
#include "spirv/stages.h"

void
norn_spirv_refuse_built_in(NornSpirvReader *reader, uint32_t built_in) {
  const char *name = norn_spirv_enumerant_name("BuiltIn", built_in);
  norn_spirv_unsupported(reader, "the built-in variable %s is not supported here",
                         name ? name : "with this number");
}

static NornRef
integer(NornSpirvReader *reader, uint32_t value) {
  return norn_spirv_int(reader, NORN_TYPE_I32, value);
}

static NornRef
axis_value(NornSpirvReader *reader, NornOp op, unsigned axis) {
  return norn_spirv_op(reader, op, axis, NORN_TYPE_VOID, NULL, 0);
}

/* The words of a system value: the same ones each time it is requested. */
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
system_value(NornSpirvReader *reader, const char *name, uint32_t count, uint32_t k) {
  return norn_build_uniform(reader->builder, system_words(reader, name, count) + k);
}

static NornRef
instance_index(NornSpirvReader *reader) {
  NornRef first = system_value(reader, "first_instance", 1, 0);
  return norn_spirv_op2(reader, NORN_OP_IADD, NORN_TYPE_I32,
                        norn_build_instance_id(reader->builder), first);
}

/* Word k of the mask of lanes that compare this way with the current lane. Only the first word has
 * lanes. */
static NornRef
lane_mask(NornSpirvReader *reader, SpvBuiltIn built_in, uint32_t k) {
  if (k)
    return integer(reader, 0);
  NornRef lane = norn_build_lane_id(reader->builder);
  NornRef one = norn_spirv_int(reader, NORN_TYPE_I32, 1);
  NornRef all = norn_spirv_int(reader, NORN_TYPE_I32, (1u << NORN_SUBGROUP_LANES) - 1);
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

/* The number of subgroups in a workgroup. */
static uint32_t
subgroup_count(const NornSpirvReader *reader) {
  const uint32_t *size = reader->module->workgroup;
  return (size[0] * size[1] * size[2] + NORN_SUBGROUP_LANES - 1) / NORN_SUBGROUP_LANES;
}

static NornRef
point_coord(NornSpirvReader *reader, uint32_t k) {
  NornRef point[2];
  norn_build_point_coord(reader->builder, point);
  return point[k];
}

/* A shader that uses its sample index runs once for each sample, even if it does nothing with it.
 */
static NornRef
sample_id(NornSpirvReader *reader) {
  norn_module_set_by_sample(reader->module, true);
  return norn_build_sample_id(reader->builder);
}

/* The position of the invocation's sample in the pixel: the fraction of its position in the
 * framebuffer. */
static NornRef
sample_position(NornSpirvReader *reader, NornComponent component) {
  NornBuilder *builder = reader->builder;
  NornRef place = norn_build_frag_coord(builder, component);
  NornRef part = norn_spirv_op1(reader, NORN_OP_FFRACT, NORN_TYPE_F32, place);
  NornRef exists = norn_spirv_compare(reader, NORN_OP_ICMP, NORN_INT_CONDITION_ULT, NORN_TYPE_I32,
                                      sample_id(reader), norn_spirv_int(reader, NORN_TYPE_I32, 32));
  return norn_spirv_op3(reader, NORN_OP_SELECT, NORN_TYPE_F32, exists, part,
                        norn_spirv_float(reader, NORN_TYPE_F32, 0.5));
}

/* The stages that have an input: a set of NornShaderStage. */
#define STAGES_ANY UINT_MAX
#define STAGES_VERTEX (1u << NORN_STAGE_VERTEX)
#define STAGES_FRAGMENT (1u << NORN_STAGE_FRAGMENT)

bool
norn_spirv_check_built_in(NornSpirvReader *reader, uint32_t built_in, uint32_t count) {
  uint32_t max_count = 0;
  unsigned stages = 0;
  switch (built_in) {
#define BUILT_IN(name, components, stage, value)                                                   \
  case SpvBuiltIn##name:                                                                           \
    max_count = components;                                                                        \
    stages = STAGES_##stage;                                                                       \
    break;
#include "spirv/built_ins.def"
#undef BUILT_IN
  default:
    break;
  }
  bool is_right = count >= 1 && count <= max_count && stages >> reader->module->stage & 1;
  if (!is_right)
    norn_spirv_refuse_built_in(reader, built_in);
  return is_right;
}

NornRef
norn_spirv_built_in(NornSpirvReader *reader, uint32_t built_in, uint32_t k) {
  switch (built_in) {
#define BUILT_IN(name, components, stage, value)                                                   \
  case SpvBuiltIn##name:                                                                           \
    return value;
#include "spirv/built_ins.def"
#undef BUILT_IN
  default:
    return 0;
  }
}
