/* Edits of types: values whose types must agree are changed to a plainer type together.
 *
 * Two values are tied if an instruction requires them to have the same type: operands and results
 * with the same letter in its row, arguments and parameters. A web is a set of values that are
 * tied, directly or indirectly, found with union-find. A web is changed to 32 bits (i32 or f32), or
 * to the type of a lane. A conversion that no longer has anything to convert becomes a copy. */
#include "ir/ops.h"
#include "ir/reduce/edit.h"
#include <string.h>

typedef struct Webs {
  NornFunction *function;
  uint32_t *parent; /* by value; then for the T and S of each instruction */
} Webs;

static uint32_t
find_root(Webs *webs, uint32_t node) {
  while (webs->parent[node] != node)
    node = webs->parent[node] = webs->parent[webs->parent[node]];
  return node;
}

/* The smaller number is the root, so that the order of ties does not matter. */
static void
tie(Webs *webs, uint32_t a, uint32_t b) {
  a = find_root(webs, a);
  b = find_root(webs, b);
  webs->parent[MAX(a, b)] = MIN(a, b);
}

static uint32_t
type_node(const Webs *webs, uint32_t inst, bool is_source) {
  return webs->function->value_count + 2 * inst + is_source;
}

static void
tie_ref(Webs *webs, NornRef ref, uint32_t node) {
  if (norn_ref_kind(ref) == NORN_REF_VALUE)
    tie(webs, norn_ref_payload(ref), node);
}

static void
tie_inst(Webs *webs, uint32_t inst) {
  const NornFunction *function = webs->function;
  const NornInst *self = norn_inst(function, inst);
  norn_for_each_edge (function, inst, edge)
    for (unsigned k = 0; k < edge.argument_count; k++)
      if (k < norn_block(function, edge.block)->parameter_count)
        tie_ref(webs, norn_operand(function, inst, edge.operand + 1 + k),
                norn_block_parameter(function, edge.block, k));
  if (norn_is_machine(self))
    return;
  NornSignatureCursor cursor = norn_inst_operands(self);
  for (unsigned k = 0; k < self->operand_count; k++, norn_cursor_next(&cursor)) {
    if (norn_cursor_kind(&cursor) == NORN_LETTER_BLOCK)
      break;
    if (*cursor.letter == 'T' || *cursor.letter == 'S')
      tie_ref(webs, norn_operand(function, inst, k), type_node(webs, inst, *cursor.letter == 'S'));
  }
  cursor = norn_inst_results(self);
  for (unsigned k = 0; k < self->result_count; k++, norn_cursor_next(&cursor))
    if (*cursor.letter == 'T' || *cursor.letter == 'S')
      tie(webs, self->result + k, type_node(webs, inst, *cursor.letter == 'S'));
}

static void
make_webs(Webs *webs) {
  NornFunction *function = webs->function;
  uint32_t count = function->value_count + 2 * function->inst_count;
  webs->parent = g_new(uint32_t, count + 1);
  for (uint32_t i = 0; i < count; i++)
    webs->parent[i] = i;
  norn_for_each_block (function, block) {
    norn_for_each_inst (function, block, inst)
      tie_inst(webs, inst);
  }
}

/* The plainer type, or VOID if there is none. */
static NornType
plainer_type(NornType type, unsigned variant) {
  static const uint8_t words[NORN_TYPE_COUNT] = {
      [NORN_TYPE_I8] = NORN_TYPE_I32,   [NORN_TYPE_I16] = NORN_TYPE_I32,
      [NORN_TYPE_I64] = NORN_TYPE_I32,  [NORN_TYPE_F16] = NORN_TYPE_F32,
      [NORN_TYPE_F64] = NORN_TYPE_F32,  [NORN_TYPE_V4I8] = NORN_TYPE_I32,
      [NORN_TYPE_W2] = NORN_TYPE_I32,   [NORN_TYPE_W3] = NORN_TYPE_I32,
      [NORN_TYPE_W4] = NORN_TYPE_I32,   [NORN_TYPE_V2I16] = NORN_TYPE_I32,
      [NORN_TYPE_V2F16] = NORN_TYPE_F32};
  static const uint8_t lanes[NORN_TYPE_COUNT] = {[NORN_TYPE_V4I8] = NORN_TYPE_I8,
                                                 [NORN_TYPE_V2I16] = NORN_TYPE_I16,
                                                 [NORN_TYPE_V2F16] = NORN_TYPE_F16};
  return (NornType)(variant ? lanes[type] : words[type]);
}

/* The new type for the web of a node that has type `type`; VOID if it is not changed. The first
 * query for a web visits a site. */
static NornType
new_type(NornEditCursor *cursor, Webs *webs, uint8_t *decided, uint32_t node, NornType type) {
  enum { UNKNOWN, STAYS, CHANGES };
  uint32_t root = find_root(webs, node);
  NornType plainer = plainer_type(type, cursor->variant);
  if (plainer == NORN_TYPE_VOID)
    return NORN_TYPE_VOID;
  if (decided[root] == UNKNOWN)
    decided[root] = norn_edit_takes(cursor) ? CHANGES : STAYS;
  return decided[root] == CHANGES ? plainer : NORN_TYPE_VOID;
}

/* Truncates the constants of operands that are now narrower. */
static void
cut_constants(NornFunction *function, uint32_t inst) {
  for (unsigned k = 0; k < norn_inst(function, inst)->operand_count; k++) {
    NornRef ref = norn_operand(function, inst, k);
    NornType type = norn_operand_type(function, inst, k);
    if (!norn_is_constant(ref) || type == NORN_TYPE_VOID)
      continue;
    uint64_t bits = norn_constant_bits(function->module, ref) & norn_type_mask(type);
    norn_set_operand(function, inst, k, norn_constant(function->module, bits));
  }
}

static void
retype_inst(NornEditCursor *cursor, Webs *webs, uint8_t *decided, uint32_t inst) {
  NornFunction *function = webs->function;
  NornInst *self = norn_inst(function, inst);
  NornType type = new_type(cursor, webs, decided, type_node(webs, inst, false), self->type);
  NornType source = new_type(cursor, webs, decided, type_node(webs, inst, true), self->source_type);
  if (norn_is_machine(self) || (type == NORN_TYPE_VOID && source == NORN_TYPE_VOID))
    return;
  if (type != NORN_TYPE_VOID)
    self->type = (uint8_t)type;
  if (source != NORN_TYPE_VOID)
    self->source_type = (uint8_t)source;
  const uint64_t conversions = NORN_OP_WIDENS | NORN_OP_NARROWS | NORN_OP_SAME_SIZE;
  if (self->type == self->source_type && self->operand_count == 1 && self->result_count == 1 &&
      (norn_ops[self->op].flags & conversions || norn_ops[self->op].source_types & NORN_SET_FLOAT))
    norn_inst_become(function, inst, NORN_OP_COPY, 0, norn_operands(function, self), 1);
}

static void
retype_function(NornEditCursor *cursor, NornFunction *function) {
  Webs webs = {.function = function};
  make_webs(&webs);
  uint8_t *decided = g_new0(uint8_t, function->value_count + 2 * function->inst_count + 1);
  norn_for_each_block (function, block) {
    for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++) {
      uint32_t value = norn_block_parameter(function, block, k);
      NornType type =
          new_type(cursor, &webs, decided, value, (NornType)norn_value(function, value)->type);
      if (type != NORN_TYPE_VOID)
        norn_value(function, value)->type = (uint8_t)type;
    }
    norn_for_each_inst (function, block, inst) {
      for (unsigned k = 0; k < norn_inst(function, inst)->result_count; k++) {
        uint32_t value = norn_inst(function, inst)->result + k;
        NornType type =
            new_type(cursor, &webs, decided, value, (NornType)norn_value(function, value)->type);
        if (type != NORN_TYPE_VOID)
          norn_value(function, value)->type = (uint8_t)type;
      }
      retype_inst(cursor, &webs, decided, inst);
    }
  }
  norn_for_each_block (function, block) {
    norn_for_each_inst (function, block, inst)
      cut_constants(function, inst);
  }
  g_free(decided);
  g_free(webs.parent);
}

/* Sites: webs whose type has a plainer one: 32 bits (variant 0) or a lane (variant 1). */
void
norn_edit_types(NornEditCursor *cursor) {
  for (uint32_t i = 0; i < cursor->module->function_count; i++)
    retype_function(cursor, cursor->module->functions[i]);
}
