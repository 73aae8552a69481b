/* Control: puts functions in the place of their calls, and branches in that of switches.
 *
 * A call splits its block: the copy of the function's blocks comes between, its entry's parameters
 * get the arguments, and each return jumps to the rest, whose parameter is the call's value. Copies
 * may hold calls again; as functions do not recur, this ends, but it may multiply code, so there is
 * a limit. Afterwards only the shader is left. A switch becomes a search by halves in its sorted
 * cases, with a chain of comparisons at its ends. */
#include "ir/ops.h"
#include "ir/printer.h"
#include "passes/pass.h"
#include <stdlib.h>
#include <string.h>

/* Instructions of a shader with its calls in place. */
#define MOST_INSTRUCTIONS (1u << 20)
/* Cases that are compared one after the other. */
#define MOST_IN_CHAIN 3

/* --- Calls --- */

/* The order of the blocks while it grows: which block follows each. */
typedef struct Order {
  uint32_t *next;
  uint32_t capacity;
} Order;

/* A new block behind `after`. */
static uint32_t
insert_block(NornFunction *function, Order *order, uint32_t after, uint32_t line) {
  uint32_t block = norn_block_create_unplaced(function, 0);
  if (block >= order->capacity) {
    order->capacity = MAX(block + 1, order->capacity * 2);
    order->next = g_renew(uint32_t, order->next, order->capacity);
  }
  order->next[block] = order->next[after];
  order->next[after] = block;
  function->blocks[block].line = line;
  return block;
}

/* A copy of a function's blocks in another. */
typedef struct Copier {
  NornFunction *to;
  const NornFunction *from;
  uint32_t *blocks, *values; /* the copy of each */
  uint32_t rest;             /* the block that returns go to */
} Copier;

static NornRef
copied_ref(const Copier *copier, NornRef ref) {
  switch (norn_ref_kind(ref)) {
  case NORN_REF_VALUE:
    return norn_ref(NORN_REF_VALUE, copier->values[norn_ref_payload(ref)]);
  case NORN_REF_BLOCK:
    return norn_ref(NORN_REF_BLOCK, copier->blocks[norn_ref_payload(ref)]);
  default:
    return ref;
  }
}

/* An instruction like `index` of the callee with operands still to come. */
static void
copy_inst(Copier *copier, uint32_t index, uint32_t block) {
  const NornInst *from = &copier->from->insts[index];
  uint32_t copy = norn_inst_create(copier->to, from->op, from->operand_count, from->result_count);
  NornInst *self = &copier->to->insts[copy];
  self->type = from->type;
  self->source_type = from->source_type;
  self->modifier = from->modifier;
  self->flags = from->flags;
  self->payload = from->payload;
  self->line = from->line;
  self->column = from->column;
  for (unsigned k = 0; k < from->result_count; k++) {
    copier->to->values[self->result + k].type = copier->from->values[from->result + k].type;
    copier->values[from->result + k] = self->result + k;
  }
  norn_inst_append(copier->to, block, copy);
}

/* Operands may refer to values and blocks that come later, so they are filled in at the end. */
static void
copy_operands(const Copier *copier, uint32_t block) {
  uint32_t copy = copier->to->blocks[copier->blocks[block]].first;
  norn_for_each_inst (copier->from, block, index) {
    const NornInst *from = &copier->from->insts[index];
    NornInst *self = &copier->to->insts[copy];
    uint32_t next = self->next;
    for (unsigned k = 0; k < from->operand_count; k++)
      copier->to->operands[self->operand + k] =
          copied_ref(copier, copier->from->operands[from->operand + k]);
    if (from->op == NORN_OP_RETURN) {
      NornRef refs[2] = {norn_ref(NORN_REF_BLOCK, copier->rest),
                         from->operand_count ? copier->to->operands[self->operand] : 0};
      self->op = NORN_OP_JUMP;
      self->type = NORN_TYPE_VOID;
      norn_inst_set_operands(copier->to, copy, refs, 1 + from->operand_count);
    }
    copy = next;
  }
}

static void
copy_blocks(Copier *copier, Order *order, uint32_t after) {
  const NornFunction *from = copier->from;
  norn_for_each_block (from, block) {
    uint32_t copy = insert_block(copier->to, order, after, from->blocks[block].line);
    copier->blocks[block] = after = copy;
    for (unsigned k = 0; k < from->blocks[block].parameter_count; k++) {
      uint32_t parameter = norn_block_parameter(from, block, k);
      copier->values[parameter] =
          norn_block_add_parameter(copier->to, copy, from->values[parameter].type, 0);
    }
  }
  norn_for_each_block (from, block)
    norn_for_each_inst (from, block, inst)
      copy_inst(copier, inst, copier->blocks[block]);
  norn_for_each_block (from, block)
    copy_operands(copier, block);
}

/* Splits the block behind the call; the rest's parameter takes the place of the call's result. */
static uint32_t
split_behind(NornFunction *function, Order *order, uint32_t call, NornRef **map,
             uint32_t *map_size) {
  uint32_t rest =
      insert_block(function, order, function->insts[call].block, function->insts[call].line);
  norn_block_split(function, function->insts[call].next, rest);
  const NornInst *self = &function->insts[call];
  if (!self->result_count)
    return rest;
  uint32_t result = self->result;
  uint32_t name = function->values[result].name, type = function->values[result].type;
  function->values[result].name = 0;
  uint32_t parameter = norn_block_add_parameter(function, rest, type, name);
  if (result >= *map_size) {
    uint32_t size = MAX(function->value_count, *map_size * 2);
    *map = g_renew(NornRef, *map, size);
    memset(*map + *map_size, 0, (size - *map_size) * sizeof **map);
    *map_size = size;
  }
  (*map)[result] = norn_ref(NORN_REF_VALUE, parameter);
  return rest;
}

static void
inline_call(NornFunction *function, Order *order, uint32_t call, NornRef **map,
            uint32_t *map_size) {
  NornModule *module = function->module;
  const NornFunction *callee = module->functions[norn_ref_payload(norn_operand(function, call, 0))];
  uint32_t rest = split_behind(function, order, call, map, map_size);
  Copier copier = {.to = function,
                   .from = callee,
                   .blocks = g_new0(uint32_t, MAX(1, callee->block_count)),
                   .values = g_new0(uint32_t, MAX(1, callee->value_count)),
                   .rest = rest};
  copy_blocks(&copier, order, function->insts[call].block);
  /* The call becomes the jump to the copy. */
  NornInst *self = &function->insts[call];
  self->op = NORN_OP_JUMP;
  self->type = NORN_TYPE_VOID;
  self->flags = 0;
  self->result_count = 0;
  function->operands[self->operand] =
      norn_ref(NORN_REF_BLOCK, copier.blocks[callee->block_order[0]]);
  g_free(copier.blocks);
  g_free(copier.values);
}

static bool
inline_calls(NornFunction *function, GError **error) {
  NornRef *map = NULL;
  uint32_t map_size = 0;
  bool is_done = true;
  Order order = {g_new(uint32_t, MAX(1, function->block_count)), function->block_count};
  for (uint32_t k = 0; k < function->block_order_count; k++)
    order.next[function->block_order[k]] =
        k + 1 < function->block_order_count ? function->block_order[k + 1] : NORN_INDEX_NONE;
  /* What a copy brings stands behind the call, where the walk comes to it. */
  uint32_t first = function->block_order_count ? function->block_order[0] : NORN_INDEX_NONE;
  for (uint32_t block = first, next; is_done && block != NORN_INDEX_NONE;
       block = order.next[block]) {
    for (uint32_t inst = function->blocks[block].first; is_done && inst != NORN_INDEX_NONE;
         inst = next) {
      next = function->insts[inst].next;
      if (function->insts[inst].op != NORN_OP_CALL)
        continue;
      const NornInst *call = &function->insts[inst];
      if (function->inst_count > MOST_INSTRUCTIONS) {
        is_done = norn_inst_error(
            function, call, NORN_ERROR_LIMIT, error,
            "with its calls in place the shader has more than %u instructions", MOST_INSTRUCTIONS);
      } else {
        inline_call(function, &order, inst, &map, &map_size);
      }
      break;
    }
  }
  function->block_order_count = 0;
  for (uint32_t block = first; block != NORN_INDEX_NONE; block = order.next[block])
    norn_block_place(function, block);
  g_free(order.next);
  if (is_done && map) {
    map = g_renew(NornRef, map, function->value_count);
    if (function->value_count > map_size)
      memset(map + map_size, 0, (function->value_count - map_size) * sizeof *map);
    norn_function_replace_values(function, map);
  }
  g_free(map);
  return is_done;
}

/* --- Switches --- */

typedef struct Case {
  uint64_t value;
  NornEdge edge;
} Case;

typedef struct Switch {
  NornFunction *function;
  NornInst inst; /* as it was */
  NornRef *operands;
  NornEdge otherwise;
  Case *cases;
  unsigned case_count;
} Switch;

static int
compare_cases(const void *a, const void *b) {
  uint64_t x = ((const Case *)a)->value, y = ((const Case *)b)->value;
  return x < y ? -1 : x > y;
}

static uint32_t
append(Switch *self, uint32_t block, NornOp op, const NornRef *operands, unsigned count,
       unsigned results) {
  NornFunction *function = self->function;
  uint32_t index = norn_inst_create(function, (uint16_t)op, count, results);
  NornInst *inst = &function->insts[index];
  inst->line = self->inst.line;
  inst->column = self->inst.column;
  norn_inst_set_operands(function, index, operands, count);
  norn_inst_append(function, block, index);
  return index;
}

/* The block of an edge and its arguments, at `refs`; returns how many. */
static unsigned
put_edge(const Switch *self, const NornEdge *edge, NornRef *refs) {
  unsigned count = 1 + edge->argument_count;
  memcpy(refs, self->operands + edge->operand, count * sizeof *refs);
  return count;
}

static uint32_t
next_block(Switch *self, uint32_t after) {
  uint32_t block = norn_block_create_after(self->function, after, 0);
  self->function->blocks[block].line = self->inst.line;
  return block;
}

/* The condition that the selector is (below) the value. */
static NornRef
compare(Switch *self, uint32_t block, NornIntCondition condition, uint64_t value) {
  NornFunction *function = self->function;
  NornRef refs[2] = {self->operands[0], norn_constant(function->module, value)};
  uint32_t index = append(self, block, NORN_OP_ICMP, refs, 2, 1);
  NornInst *inst = &function->insts[index];
  inst->type = self->inst.type;
  inst->modifier = (uint8_t)condition;
  function->values[inst->result].type = NORN_TYPE_I1;
  return norn_result(function, index, 0);
}

/* Code at the end of the block for the cases from `first` up to `end`; returns the last block. */
static uint32_t
search(Switch *self, uint32_t block, unsigned first, unsigned end, NornRef *refs) {
  if (end - first > MOST_IN_CHAIN) {
    unsigned middle = first + (end - first) / 2;
    NornRef condition = compare(self, block, NORN_INT_CONDITION_ULT, self->cases[middle].value);
    uint32_t low = next_block(self, block);
    uint32_t high = next_block(self, low);
    NornRef branch[3] = {condition, norn_ref(NORN_REF_BLOCK, low), norn_ref(NORN_REF_BLOCK, high)};
    append(self, block, NORN_OP_BR, branch, 3, 0);
    search(self, low, first, middle, refs);
    return search(self, high, middle, end, refs);
  }
  for (unsigned k = first; k < end; k++) {
    refs[0] = compare(self, block, NORN_INT_CONDITION_EQ, self->cases[k].value);
    unsigned count = 1 + put_edge(self, &self->cases[k].edge, refs + 1);
    bool is_last = k + 1 == end;
    uint32_t next = is_last ? block : next_block(self, block);
    if (is_last)
      count += put_edge(self, &self->otherwise, refs + count);
    else
      refs[count++] = norn_ref(NORN_REF_BLOCK, next);
    append(self, block, NORN_OP_BR, refs, count, 0);
    block = next;
  }
  return block;
}

static void
expand_switch(NornFunction *function, uint32_t inst) {
  Switch self = {.function = function, .inst = function->insts[inst]};
  unsigned operands = self.inst.operand_count;
  uint32_t block = self.inst.block;
  self.operands = g_memdup2(function->operands + self.inst.operand, operands * sizeof(NornRef));
  self.cases = g_new(Case, operands);
  bool is_first = true;
  norn_for_each_edge (function, inst, edge) {
    if (is_first)
      self.otherwise = edge;
    else if (edge.block != self.otherwise.block || edge.argument_count)
      self.cases[self.case_count++] =
          (Case){norn_constant_bits(function->module, self.operands[edge.operand - 1]), edge};
    is_first = false;
  }
  qsort(self.cases, self.case_count, sizeof *self.cases, compare_cases);
  norn_inst_remove(function, inst);
  NornRef *refs = g_new(NornRef, (size_t)operands + 2);
  if (self.case_count)
    search(&self, block, 0, self.case_count, refs);
  else
    append(&self, block, NORN_OP_JUMP, refs, put_edge(&self, &self.otherwise, refs), 0);
  g_free(refs);
  g_free(self.operands);
  g_free(self.cases);
}

bool
norn_pass_control(NornPassContext *context, NornFunction *function, GError **error) {
  NornModule *module = context->module;
  if (!inline_calls(function, error))
    return false;
  while (function == module->functions[0] && module->function_count > 1)
    norn_function_remove(module, module->function_count - 1);
  for (uint32_t k = 0; k < function->block_order_count; k++) {
    uint32_t last = norn_block_terminator(function, function->block_order[k]);
    if (last != NORN_INDEX_NONE && function->insts[last].op == NORN_OP_SWITCH)
      expand_switch(function, last);
  }
  return true;
}
