/* All operations that have terms, with the types they take. */
#include "ir/ops.h"
#include "tests/proofs/questions.h"
#include "tests/random.h"

static bool
is_lane_of(NornType lane, NornType packed) {
  return norn_types[packed].lanes > 1 && norn_types[lane].lanes == 1 &&
         norn_types[lane].lane_bits == norn_types[packed].lane_bits &&
         norn_types[lane].class == norn_types[packed].class;
}

/* What the properties ask of the two types. */
static bool
is_pair(NornOp op, NornType type, NornType source) {
  uint64_t flags = norn_ops[op].flags;
  unsigned to = norn_type_bits(type), from = norn_type_bits(source);
  return !((flags & NORN_OP_WIDENS && to <= from) || (flags & NORN_OP_NARROWS && to >= from) ||
           (flags & NORN_OP_SAME_SIZE && to != from) ||
           (flags & NORN_OP_SAME_LANES && norn_types[type].lanes != norn_types[source].lanes) ||
           (flags & NORN_OP_LANE_TYPE && !is_lane_of(type, source) && !is_lane_of(source, type)));
}

/* Groups of words are no numbers; doubles are no type of the target. */
static bool
is_type(NornTypeSet set, NornType type) {
  NornTypeClass class = norn_types[type].class;
  return norn_type_in(set, type) && type != NORN_TYPE_F64 && norn_type_bits(type) <= 64 &&
         (class == NORN_CLASS_INT || class == NORN_CLASS_FLOAT);
}

static void
for_each_modifier(Operation operation, void (*visit)(const Operation *, gpointer), gpointer data) {
  const NornOpInfo *info = &norn_ops[operation.op];
  unsigned count = info->modifier ? norn_modifiers[info->modifier].count : 1;
  for (operation.modifier = 0; operation.modifier < count; operation.modifier++)
    visit(&operation, data);
}

void
for_each_operation(void (*visit)(const Operation *, gpointer), gpointer data) {
  for (unsigned op = 1; op < NORN_OP_COUNT; op++) {
    const NornOpInfo *info = &norn_ops[op];
    if (!operation_has_terms(op))
      continue;
    for (unsigned type = 0; type < NORN_TYPE_COUNT; type++) {
      if (info->types ? !is_type(info->types, type) : type != NORN_TYPE_VOID)
        continue;
      for (unsigned source = 0; source < NORN_TYPE_COUNT; source++)
        if (info->source_types ? is_type(info->source_types, source) && is_pair(op, type, source)
                               : source == NORN_TYPE_VOID)
          for_each_modifier((Operation){op, type, source, 0}, visit, data);
    }
  }
}

char *
operation_text(const Operation *operation) {
  const NornOpInfo *info = &norn_ops[operation->op];
  GString *text = g_string_new(info->name);
  if (info->modifier)
    g_string_append_printf(text, ".%s", norn_modifiers[info->modifier].texts[operation->modifier]);
  if (info->types)
    g_string_append_printf(text, ".%s", norn_types[operation->type].name);
  if (info->source_types)
    g_string_append_printf(text, ".%s", norn_types[operation->source_type].name);
  return g_string_free(text, FALSE);
}

unsigned
operation_operands(const Operation *operation, NornType *types) {
  NornSignatureCursor cursor =
      norn_operand_cursor(operation->op, operation->type, operation->source_type);
  unsigned count = 0;
  for (; norn_cursor_kind(&cursor) != NORN_LETTER_END; norn_cursor_next(&cursor)) {
    unsigned copies = norn_cursor_is_repeated(&cursor) ? norn_types[operation->type].lanes : 1;
    NornType type = norn_cursor_type(&cursor);
    for (unsigned k = 0; k < copies; k++)
      types[count++] = type;
    if (norn_cursor_is_repeated(&cursor))
      break;
  }
  return count;
}

unsigned
operation_results(const Operation *operation, NornType *types) {
  NornSignatureCursor cursor =
      norn_result_cursor(operation->op, operation->type, operation->source_type);
  unsigned count = 0;
  for (; norn_cursor_kind(&cursor) != NORN_LETTER_END; norn_cursor_next(&cursor))
    types[count++] = norn_cursor_type(&cursor);
  return count;
}

bool
operation_is_immediate(const Operation *operation, unsigned k) {
  NornSignatureCursor cursor =
      norn_operand_cursor(operation->op, operation->type, operation->source_type);
  if (operation->op == NORN_OP_VEC)
    return false;
  norn_cursor_skip(&cursor, k);
  return norn_cursor_kind(&cursor) == NORN_LETTER_IMMEDIATE;
}

uint64_t
operation_immediate(const Operation *operation, uint64_t *state) {
  uint64_t random = random_next(state) >> 20;
  switch (operation->op) {
  case NORN_OP_FCLASS:
    return random % 3 ? random % 1024 : 1u << random / 3 % 10;
  case NORN_OP_SWIZZLE:
    return random % 0x10000 & (norn_types[operation->type].lanes == 2 ? 0x11 : 0x3333);
  case NORN_OP_EXTRACT:
    return random % norn_types[operation->source_type].lanes;
  case NORN_OP_INSERT:
    return random % norn_types[operation->type].lanes;
  default:
    return random % 8;
  }
}
