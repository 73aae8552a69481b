/* The tables of ir/ops.h, expanded from norn/ops.def and the lists in the headers. */
#include "ir/ops.h"
#include "ir/ir.h"
#include <string.h>

const NornTypeInfo norn_types[NORN_TYPE_COUNT] = {
#define TYPE(id, text, lane_bits, lanes, class) {text, lane_bits, lanes, NORN_CLASS_##class},
    NORN_TYPES(TYPE)
#undef TYPE
};

#define VALUE(set, id, text) text,
#define SET(set, type, values) static const char *const texts_##set[] = {values(VALUE)};
NORN_MODIFIERS(SET)
#undef SET
#undef VALUE

const NornModifierInfo norn_modifiers[NORN_MODIFIER_COUNT] = {
    [NORN_MODIFIER_NONE] = {NULL, NULL, 0},
#define SET(set, type, values)                                                                     \
  [NORN_MODIFIER_##set] = {"Norn" #type, texts_##set, NORN_##set##_COUNT},
    NORN_MODIFIERS(SET)
#undef SET
};

const NornImmediateInfo norn_immediates[NORN_IMMEDIATE_COUNT] = {
#define IMMEDIATE(id, name, bit, width, is_signed, modifier)                                       \
  {name, NORN_OP_HAS_##id, bit, width, is_signed, NORN_MODIFIER_##modifier},
    NORN_IMMEDIATES(IMMEDIATE)
#undef IMMEDIATE
};

const NornInstFlagInfo norn_inst_flags[NORN_INST_FLAG_COUNT] = {
    {"exact", NORN_INST_EXACT},         {"nsz", NORN_INST_NSZ},
    {"ninf", NORN_INST_NINF},           {"nnan", NORN_INST_NNAN},
    {"divergent", NORN_INST_DIVERGENT}, {"nowrap", NORN_INST_NOWRAP},
    {"finite", NORN_INST_FINITE},       {"data", NORN_INST_DATA},
    {"coarse", NORN_INST_COARSE},
};

/* The names that rows of norn/ops.def use for types, sets of types and flags. */
__extension__ enum {
#define TYPE(id, ...) id = 1 << NORN_TYPE_##id,
  NORN_TYPES(TYPE)
#undef TYPE
#define FLAG(id, ...) id = NORN_OP_##id,
      NORN_OP_FLAGS(FLAG)
#undef FLAG
          BOOL = NORN_SET_BOOL,
  INT = NORN_SET_INT,
  FLOAT = NORN_SET_FLOAT,
  PACKED_INT = NORN_SET_PACKED_INT,
  PACKED_FLOAT = NORN_SET_PACKED_FLOAT,
  PACKED = PACKED_INT | PACKED_FLOAT,
  GROUP = NORN_SET_GROUP,
  DATA = INT | FLOAT | PACKED | W2 | W3 | W4, /* types that a single memory access can move */
};

const NornOpInfo norn_ops[NORN_OP_COUNT] = {
    [NORN_OP_NONE] = {"", "", "", 0, 0, NORN_MODIFIER_NONE, 0, ""},
#define OP(id, name, results, operands, types, source_types, modifier, flags, meaning)             \
  [NORN_OP_##id] = {name,  results, operands, types, source_types, NORN_MODIFIER_##modifier,       \
                    flags, meaning},
#include <norn/ops.def>
#undef OP
};

const char *const norn_stage_names[NORN_STAGE_COUNT] = {"compute", "vertex", "fragment"};
const char *const norn_denormals_names[NORN_DENORMALS_COUNT] = {"preserve", "flush"};

const NornDimensionInfo norn_dimensions[NORN_DIMENSION_COUNT] = {
    [NORN_DIMENSION_1D] = {1, false, false, false},
    [NORN_DIMENSION_2D] = {2, false, false, false},
    [NORN_DIMENSION_3D] = {3, false, false, false},
    [NORN_DIMENSION_CUBE] = {3, false, false, true},
    [NORN_DIMENSION_1D_ARRAY] = {1, true, false, false},
    [NORN_DIMENSION_2D_ARRAY] = {2, true, false, false},
    [NORN_DIMENSION_CUBE_ARRAY] = {3, true, false, true},
    [NORN_DIMENSION_2D_MS] = {2, false, true, false},
    [NORN_DIMENSION_2D_MS_ARRAY] = {2, true, true, false},
    [NORN_DIMENSION_BUFFER] = {1, false, false, false},
};

/* Limits of immediate operands; a maximum of 0 stands for the last lane of the packed type. */
static const struct {
  uint16_t op;
  uint8_t operand;
  bool is_power_of_two;
  uint32_t minimum, maximum;
} operand_limits[] = {
    {NORN_OP_SHLADD, 2, false, 0, 7},         {NORN_OP_PRELOAD, 0, false, 0, 63},
    {NORN_OP_FCLASS, 1, false, 0, 1023},      {NORN_OP_EXTRACT, 1, false, 0, 0},
    {NORN_OP_INSERT, 2, false, 0, 0},         {NORN_OP_BROADCAST, 1, false, 0, 15},
    {NORN_OP_IREDUCE, 1, true, 2, 16},        {NORN_OP_FREDUCE, 1, true, 2, 16},
    {NORN_OP_QUAD_BROADCAST, 1, false, 0, 3}, {NORN_OP_LOOP_ENTRY, 0, false, 0, 65535},
    {NORN_OP_ALLOCA, 0, false, 1, 1 << 20},
};

NornOperandLimit
norn_operand_limit(NornOp op, NornType type, NornType source_type, unsigned k) {
  for (unsigned i = 0; i < G_N_ELEMENTS(operand_limits); i++) {
    if (operand_limits[i].op != op || operand_limits[i].operand != k)
      continue;
    uint64_t last_lane = MAX(norn_types[type].lanes, norn_types[source_type].lanes) - 1u;
    uint32_t maximum = operand_limits[i].maximum;
    return (NornOperandLimit){operand_limits[i].minimum, maximum ? maximum : last_lane,
                              operand_limits[i].is_power_of_two};
  }
  return (NornOperandLimit){0, UINT32_MAX, false};
}

NornArity
norn_cursor_arity(NornSignatureCursor cursor) {
  NornArity arity = {0};
  while (norn_cursor_kind(&cursor) != NORN_LETTER_END) {
    arity.is_repeated = norn_cursor_is_repeated(&cursor);
    arity.is_optional = norn_cursor_is_optional(&cursor);
    if (arity.is_repeated || arity.is_optional)
      break;
    arity.fixed++;
    norn_cursor_next(&cursor);
  }
  return arity;
}

NornArity
norn_operand_arity(NornOp op) {
  return norn_cursor_arity(norn_operand_cursor(op, NORN_TYPE_VOID, NORN_TYPE_VOID));
}

NornArity
norn_result_arity(NornOp op) {
  return norn_cursor_arity(norn_result_cursor(op, NORN_TYPE_VOID, NORN_TYPE_VOID));
}

bool
norn_op_has_flags(NornOp op) {
  NornSignatureCursor first = norn_operand_cursor(op, NORN_TYPE_VOID, NORN_TYPE_VOID);
  return norn_cursor_kind(&first) != NORN_LETTER_BLOCK;
}

unsigned
norn_address_operand(NornOp op) {
  const NornOpInfo *info = &norn_ops[op];
  bool is_store = !*info->results;
  return is_store + ((info->flags & NORN_OP_BUFFERS) != 0);
}

unsigned
norn_part_count(NornType type, NornType source_type) {
  return MAX(norn_types[type].lanes, norn_type_words(source_type));
}

/* Whether the type is the other type itself, or an untyped or packed type with room for up to four
 * components of it, in whole words. */
static bool
holds_components(NornType type, NornType component) {
  unsigned bits = norn_type_bits(type), component_bits = norn_type_bits(component);
  if (norn_types[type].class == NORN_CLASS_GROUP)
    return bits <= 4 * component_bits;
  return type == component || (component_bits == 16 && norn_types[type].lane_bits == 16 &&
                               norn_types[type].class == norn_types[component].class);
}

/* What is wrong with the combination of T and S; NULL if nothing. */
static const char *
type_problem(uint64_t flags, NornType type, NornType source_type) {
  const NornTypeInfo *t = &norn_types[type], *s = &norn_types[source_type];
  unsigned t_bits = norn_type_bits(type), s_bits = norn_type_bits(source_type);
  if (flags & NORN_OP_WIDENS && t_bits <= s_bits)
    return "must be wider than";
  if (flags & NORN_OP_NARROWS && t_bits >= s_bits)
    return "must be narrower than";
  if (flags & NORN_OP_SAME_SIZE && t_bits != s_bits)
    return "must be as wide as";
  if (flags & NORN_OP_SAME_LANES && t->lanes != s->lanes)
    return "must have as many lanes as";
  if (flags & NORN_OP_LANE_TYPE && (t->lane_bits != s->lane_bits || t->class != s->class))
    return "must have the same lanes as";
  if (flags & NORN_OP_HOLDS && !holds_components(type, source_type))
    return "cannot hold one to four components of";
  return NULL;
}

/* The words of a color: four components of the format, with two 16-bit ones to a word. */
static unsigned
color_words(NornFormat format) {
  return format == NORN_FORMAT_F32 || format == NORN_FORMAT_S32 || format == NORN_FORMAT_U32 ? 4
                                                                                             : 2;
}

static unsigned
component_bits(NornFormat format) {
  return 8 * color_words(format);
}

/* Whether T holds whole components of the format, one to four. */
static bool
holds_format(NornType type, NornFormat format) {
  unsigned bits = norn_type_bits(type), component = component_bits(format);
  return bits >= component && bits % component == 0 && bits / component <= 4;
}

char *
norn_form_problem(NornOp op, NornType type, NornType source_type, unsigned modifier) {
  const NornOpInfo *info = &norn_ops[op];
  const char *name = info->name, *t = norn_types[type].name, *s = norn_types[source_type].name;
  const char *m = info->modifier ? norn_modifiers[info->modifier].texts[modifier] : "";
  const char *problem = type_problem(info->flags, type, source_type);
  unsigned words = norn_type_words(type), wanted;
  if (problem)
    return g_strdup_printf("%s: %s %s %s", name, t, problem, s);
  if (info->modifier == NORN_MODIFIER_INTERPOLATION && modifier != NORN_INTERPOLATION_FLAT &&
      norn_types[source_type].class != NORN_CLASS_FLOAT)
    return g_strdup_printf("%s: %s can only be interpolated flat", name, s);
  if (op == NORN_OP_LOAD_VARYING_HALF && modifier == NORN_INTERPOLATION_FLAT)
    return g_strdup_printf("%s: a flat varying cannot be rounded", name);
  if (info->flags & NORN_OP_HOLDS_FORMAT && !holds_format(type, modifier))
    return g_strdup_printf("%s: %s cannot hold one to four components of %s", name, t, m);
  wanted = info->flags & NORN_OP_COLOR ? color_words(modifier) : words;
  if (words != wanted)
    return g_strdup_printf("%s: a color of format %s needs w%u, not %s", name, m, wanted, t);
  wanted = info->flags & NORN_OP_SIZE ? norn_size_words(modifier) : words;
  if (words != wanted)
    return g_strdup_printf("%s: %s does not hold the %u numbers of the shape %s", name, t, wanted,
                           m);
  if (info->modifier == NORN_MODIFIER_DIMENSION && norn_operand_arity(op).is_repeated &&
      !norn_coordinate_operands(op, modifier, 0))
    return g_strdup_printf("%s does not exist for the shape %s", name, m);
  return NULL;
}

unsigned
norn_varying_components(NornOp op, NornType type, NornType component) {
  return norn_type_bits(type) / (op == NORN_OP_LOAD_VARYING_HALF ? 16 : norn_type_bits(component));
}

unsigned
norn_size_words(NornDimension dimension) {
  const NornDimensionInfo *info = &norn_dimensions[dimension];
  return info->axes - info->is_cube + info->is_array;
}

unsigned
norn_coordinate_operands(NornOp op, NornDimension dimension, uint64_t payload) {
  const NornDimensionInfo *info = &norn_dimensions[dimension];
  NornSignatureCursor coordinate = norn_operand_cursor(op, NORN_TYPE_VOID, NORN_TYPE_VOID);
  norn_cursor_skip(&coordinate, norn_operand_arity(op).fixed);
  bool is_integer = norn_cursor_type(&coordinate) == NORN_TYPE_I32;
  if (is_integer ? info->is_cube : info->is_multisampled || dimension == NORN_DIMENSION_BUFFER)
    return 0;
  unsigned count = info->axes + info->is_array;
  unsigned compare = !is_integer && norn_immediate(payload, NORN_IMMEDIATE_COMPARE);
  switch (op) {
  case NORN_OP_TEX_FETCH:
    return count + 1;
  case NORN_OP_TEX_QUERY_LOD:
    return info->axes;
  case NORN_OP_TEX_GATHER:
    return info->axes == 2 || info->is_cube ? count + compare : 0;
  case NORN_OP_TEX_BIAS:
  case NORN_OP_TEX_LOD:
    return count + compare + 1;
  case NORN_OP_TEX_GRADIENT:
    return count + compare + 2u * info->axes;
  default:
    return count + compare + (is_integer && info->is_multisampled);
  }
}

int
norn_find_type(const char *text, size_t length) {
  for (int type = 0; type < NORN_TYPE_COUNT; type++)
    if (strlen(norn_types[type].name) == length && !memcmp(norn_types[type].name, text, length))
      return type;
  return -1;
}

NornType
norn_type_of_words(unsigned words) {
  if (words == 1)
    return NORN_TYPE_I32;
  if (words == 2)
    return NORN_TYPE_I64;
  return words >= 3 && words <= 8 ? NORN_TYPE_W3 + (words - 3) : NORN_TYPE_VOID;
}

int64_t
norn_immediate_minimum(NornImmediate immediate) {
  const NornImmediateInfo *info = &norn_immediates[immediate];
  return info->is_signed ? -(INT64_C(1) << (info->width - 1)) : 0;
}

int64_t
norn_immediate_maximum(NornImmediate immediate) {
  const NornImmediateInfo *info = &norn_immediates[immediate];
  if (info->modifier)
    return norn_modifiers[info->modifier].count - 1;
  return (INT64_C(1) << (info->width - info->is_signed)) - 1;
}

int64_t
norn_immediate(uint64_t payload, NornImmediate immediate) {
  const NornImmediateInfo *info = &norn_immediates[immediate];
  uint64_t top = payload << (64 - info->bit - info->width);
  return info->is_signed ? (int64_t)top >> (64 - info->width)
                         : (int64_t)(top >> (64 - info->width));
}

uint64_t
norn_set_immediate(uint64_t payload, NornImmediate immediate, int64_t value) {
  const NornImmediateInfo *info = &norn_immediates[immediate];
  uint64_t mask = ((UINT64_C(1) << info->width) - 1) << info->bit;
  return (payload & ~mask) | ((uint64_t)value << info->bit & mask);
}

unsigned
norn_result_count(NornOp op, NornType type, unsigned listed) {
  NornArity arity = norn_result_arity(op);
  if (arity.is_repeated)
    return listed;
  return arity.fixed + (arity.is_optional && type != NORN_TYPE_VOID);
}

/* The condition that holds exactly if this one does not, and the one with its operands swapped. */
typedef struct ConditionInfo {
  uint8_t inverse, swapped;
} ConditionInfo;

static const ConditionInfo int_conditions[NORN_INT_CONDITION_COUNT] = {
#define ROW(id, inverse, swapped)                                                                  \
  [NORN_INT_CONDITION_##id] = {NORN_INT_CONDITION_##inverse, NORN_INT_CONDITION_##swapped}
    ROW(EQ, NE, EQ),    ROW(NE, EQ, NE),    ROW(ULT, UGE, UGT), ROW(ULE, UGT, UGE),
    ROW(UGT, ULE, ULT), ROW(UGE, ULT, ULE), ROW(SLT, SGE, SGT), ROW(SLE, SGT, SGE),
    ROW(SGT, SLE, SLT), ROW(SGE, SLT, SLE),
#undef ROW
};

static const ConditionInfo float_conditions[NORN_FLOAT_CONDITION_COUNT] = {
#define ROW(id, inverse, swapped)                                                                  \
  [NORN_FLOAT_CONDITION_##id] = {NORN_FLOAT_CONDITION_##inverse, NORN_FLOAT_CONDITION_##swapped}
    ROW(OEQ, UNE, OEQ), ROW(ONE, UEQ, ONE), ROW(OLT, UGE, OGT), ROW(OLE, UGT, OGE),
    ROW(OGT, ULE, OLT), ROW(OGE, ULT, OLE), ROW(ORD, UNO, ORD), ROW(UEQ, ONE, UEQ),
    ROW(UNE, OEQ, UNE), ROW(ULT, OGE, UGT), ROW(ULE, OGT, UGE), ROW(UGT, OLE, ULT),
    ROW(UGE, OLT, ULE), ROW(UNO, ORD, UNO),
#undef ROW
};

unsigned
norn_inverse_int_condition(unsigned condition) {
  return int_conditions[condition].inverse;
}

unsigned
norn_swapped_int_condition(unsigned condition) {
  return int_conditions[condition].swapped;
}

unsigned
norn_inverse_float_condition(unsigned condition) {
  return float_conditions[condition].inverse;
}

unsigned
norn_swapped_float_condition(unsigned condition) {
  return float_conditions[condition].swapped;
}

static const uint16_t int_combiners[NORN_INT_REDUCTION_COUNT] = {
    [NORN_INT_REDUCTION_ADD] = NORN_OP_IADD,  [NORN_INT_REDUCTION_SMIN] = NORN_OP_SMIN,
    [NORN_INT_REDUCTION_SMAX] = NORN_OP_SMAX, [NORN_INT_REDUCTION_UMIN] = NORN_OP_UMIN,
    [NORN_INT_REDUCTION_UMAX] = NORN_OP_UMAX, [NORN_INT_REDUCTION_AND] = NORN_OP_AND,
    [NORN_INT_REDUCTION_OR] = NORN_OP_OR,     [NORN_INT_REDUCTION_XOR] = NORN_OP_XOR,
    [NORN_INT_REDUCTION_MUL] = NORN_OP_IMUL,
};
static const uint16_t float_combiners[NORN_FLOAT_REDUCTION_COUNT] = {
    [NORN_FLOAT_REDUCTION_ADD] = NORN_OP_FADD,
    [NORN_FLOAT_REDUCTION_MIN] = NORN_OP_FMIN,
    [NORN_FLOAT_REDUCTION_MAX] = NORN_OP_FMAX,
    [NORN_FLOAT_REDUCTION_MUL] = NORN_OP_FMUL,
};

NornOp
norn_reduction_combiner(bool is_float, unsigned modifier) {
  return is_float ? float_combiners[modifier] : int_combiners[modifier];
}
