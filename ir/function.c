/* Creating and editing blocks, values and instructions; see ir/ir.h for the data model.
 *
 * Operands and parameters are runs in shared arrays. A run that must grow moves to the end of its
 * array unless it is already there; its old place stays unused. */
#include "ir/assert.h"
#include "ir/builder.h"
#include "ir/construct.h"
#include "ir/ops.h"
#include <string.h>

uint32_t
norn_block_create_detached(NornFunction *function, uint32_t name) {
  if (function->block_count == function->blocks.capacity)
    norn_pages_grow(&function->blocks, 1, sizeof(NornBlock));
  uint32_t block = function->block_count++;
  *norn_block(function, block) =
      (NornBlock){.first = NORN_INDEX_NONE, .last = NORN_INDEX_NONE, .name = name};
  return block;
}

void
norn_block_append(NornFunction *function, uint32_t block) {
  NORN_GROW(function->block_order, function->block_order_capacity,
            (uint64_t)function->block_order_count + 1);
  function->block_order[function->block_order_count++] = block;
}

void
norn_blocks_order(NornFunction *function, const uint32_t *blocks, uint32_t count) {
  NORN_GROW(function->block_order, function->block_order_capacity, count);
  memcpy(function->block_order, blocks, count * sizeof *blocks);
  function->block_order_count = count;
}

uint32_t
norn_block_create(NornFunction *function, uint32_t name) {
  uint32_t block = norn_block_create_detached(function, name);
  norn_block_append(function, block);
  return block;
}

/* Keeps the blocks whose mark is `kept_mark`; returns whether there are others. */
static bool
filter_blocks(NornFunction *function, const bool *marks, bool kept_mark) {
  uint32_t kept = 0, count = function->block_order_count;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t block = function->block_order[i];
    if (marks[block] == kept_mark) {
      function->block_order[kept++] = block;
      continue;
    }
    norn_for_each_inst (function, block, inst)
      norn_inst(function, inst)->op = NORN_OP_NONE;
    norn_block(function, block)->first = norn_block(function, block)->last = NORN_INDEX_NONE;
  }
  function->block_order_count = kept;
  return kept != count;
}

void
norn_blocks_remove(NornFunction *function, const bool *remove) {
  filter_blocks(function, remove, false);
}

bool
norn_blocks_keep(NornFunction *function, const bool *keep) {
  return filter_blocks(function, keep, true);
}

void
norn_blocks_mark_reachable(const NornFunction *function, bool *is_reachable, uint32_t *incoming,
                           uint32_t *stack) {
  uint32_t depth = 0;
  if (function->block_order_count)
    is_reachable[stack[depth++] = function->block_order[0]] = true;
  while (depth) {
    uint32_t last = norn_block(function, stack[--depth])->last;
    if (last == NORN_INDEX_NONE)
      continue;
    /* Only a terminator has edges. */
    norn_for_each_edge (function, last, edge) {
      incoming[edge.block]++;
      if (!is_reachable[edge.block])
        is_reachable[stack[depth++] = edge.block] = true;
    }
  }
}

void
norn_block_split(NornFunction *function, uint32_t inst, uint32_t to) {
  NORN_ASSERT(inst < function->inst_count && norn_inst(function, inst)->block != NORN_INDEX_NONE);
  NORN_ASSERT(to < function->block_count && to != norn_inst(function, inst)->block);
  NornBlock *from = norn_block(function, norn_inst(function, inst)->block),
            *target = norn_block(function, to);
  uint32_t last = from->last;
  from->last = norn_inst(function, inst)->previous;
  if (from->last == NORN_INDEX_NONE)
    from->first = NORN_INDEX_NONE;
  else
    norn_inst(function, from->last)->next = NORN_INDEX_NONE;
  norn_inst(function, inst)->previous = target->last;
  if (target->last == NORN_INDEX_NONE)
    target->first = inst;
  else
    norn_inst(function, target->last)->next = inst;
  target->last = last;
  for (uint32_t i = inst; i != NORN_INDEX_NONE; i = norn_inst(function, i)->next)
    norn_inst(function, i)->block = to;
}

uint32_t
norn_parameter_create(NornFunction *function, NornType type) {
  return norn_value_create(function, type);
}

void
norn_block_append_parameters(NornFunction *function, uint32_t block, const uint32_t *values,
                             unsigned count) {
  NORN_ASSERT(block < function->block_count);
  NornBlock *target = norn_block(function, block);
  uint32_t old = target->parameter_count;
  bool at_end = old && target->parameter + old == function->parameter_count;
  uint32_t moved = at_end ? 0 : old;
  NORN_GROW(function->parameters, function->parameter_capacity,
            (uint64_t)function->parameter_count + moved + count);
  if (!at_end) {
    if (old)
      memcpy(function->parameters + function->parameter_count,
             function->parameters + target->parameter, old * sizeof *function->parameters);
    target->parameter = function->parameter_count;
    function->parameter_count += old;
  }
  for (unsigned k = 0; k < count; k++) {
    function->parameters[function->parameter_count++] = values[k];
    NornValue *parameter = norn_value(function, values[k]);
    parameter->def = block;
    parameter->is_parameter = true;
    parameter->index = (uint16_t)(old + k);
  }
  target->parameter_count += count;
}

uint32_t
norn_block_add_parameter(NornFunction *function, uint32_t block, NornType type, uint32_t name) {
  uint32_t value = norn_value_create(function, type);
  norn_value(function, value)->name = name;
  norn_block_append_parameters(function, block, &value, 1);
  return value;
}

void
norn_block_remove_parameter(NornFunction *function, uint32_t block, unsigned k) {
  NORN_ASSERT(block < function->block_count && k < norn_block(function, block)->parameter_count);
  NornBlock *target = norn_block(function, block);
  uint32_t *parameters = function->parameters + target->parameter;
  norn_value(function, parameters[k])->def = NORN_INDEX_NONE;
  for (uint32_t i = k + 1; i < target->parameter_count; i++) {
    parameters[i - 1] = parameters[i];
    norn_value(function, parameters[i])->index = (uint16_t)(i - 1);
  }
  target->parameter_count--;
}

void
norn_operands_grow(NornFunction *function, unsigned count) {
  uint32_t extent = function->operands.capacity;
  norn_pages_grow(&function->operands, (uint64_t)count + 1, sizeof(NornRef));
  memset(norn_operand_at(function, function->operand_count), 0,
         (extent - function->operand_count) * sizeof(NornRef));
  function->operand_count = extent;
}

/* Allocates a zeroed run of operands at the end of the array. */
static uint32_t
operands_allocate(NornFunction *function, unsigned count) {
  norn_reserve_operands(function, count);
  uint32_t first = function->operand_count;
  memset(norn_operand_at(function, first), 0, count * sizeof(NornRef));
  function->operand_count += count;
  return first;
}

uint32_t
norn_inst_create(NornFunction *function, uint16_t op, unsigned operand_count,
                 unsigned result_count) {
  uint32_t inst = norn_inst_add(function);
  NornInst *self = norn_inst(function, inst);
  *self = (NornInst){
      .op = op,
      .operand_count = (uint16_t)operand_count,
      .result = function->value_count,
      .result_count = (uint16_t)result_count,
      .previous = NORN_INDEX_NONE,
      .next = NORN_INDEX_NONE,
      .block = NORN_INDEX_NONE,
  };
  norn_inst_place_operands(function, self, operands_allocate(function, operand_count));
  for (unsigned k = 0; k < result_count; k++) {
    uint32_t value = norn_value_create(function, NORN_TYPE_VOID);
    norn_value(function, value)->def = inst;
    norn_value(function, value)->index = (uint16_t)k;
  }
  return inst;
}

void
norn_inst_link(NornFunction *function, uint32_t block, uint32_t inst, uint32_t before) {
  NORN_ASSERT(inst < function->inst_count && norn_inst(function, inst)->block == NORN_INDEX_NONE);
  NORN_ASSERT(before == NORN_INDEX_NONE || norn_inst(function, before)->block == block);
  NornBlock *target = norn_block(function, block);
  uint32_t *next =
      before == NORN_INDEX_NONE ? &target->last : &norn_inst(function, before)->previous;
  uint32_t previous = *next;
  *next = inst;
  norn_inst(function, inst)->block = block;
  norn_inst(function, inst)->previous = previous;
  norn_inst(function, inst)->next = before;
  if (previous == NORN_INDEX_NONE)
    target->first = inst;
  else
    norn_inst(function, previous)->next = inst;
}

/* Removes the instruction from its block, if it is in one. */
static void
unlink_inst(NornFunction *function, uint32_t inst) {
  NornInst *self = norn_inst(function, inst);
  if (self->block == NORN_INDEX_NONE)
    return;
  if (self->previous == NORN_INDEX_NONE)
    norn_block(function, self->block)->first = self->next;
  else
    norn_inst(function, self->previous)->next = self->next;
  if (self->next == NORN_INDEX_NONE)
    norn_block(function, self->block)->last = self->previous;
  else
    norn_inst(function, self->next)->previous = self->previous;
  self->previous = self->next = self->block = NORN_INDEX_NONE;
}

void
norn_builder_insert(const NornBuilder *builder, uint32_t inst) {
  NORN_ASSERT(inst != builder->before);
  unlink_inst(builder->function, inst);
  norn_inst_link(builder->function, builder->block, inst, builder->before);
}

void
norn_inst_erase(NornFunction *function, uint32_t inst) {
  NORN_ASSERT(inst < function->inst_count);
  unlink_inst(function, inst);
  norn_inst(function, inst)->op = NORN_OP_NONE;
}

void
norn_inst_resize_operands(NornFunction *function, uint32_t inst, unsigned count) {
  NornInst *self = norn_inst(function, inst);
  unsigned old = self->operand_count;
  bool at_end = old && self->operand + old == function->operand_count &&
                count < function->operands.capacity - self->operand;
  if (count > old && at_end) {
    operands_allocate(function, count - old);
  } else if (count > old) {
    const NornRef *operands = norn_operands(function, self);
    norn_inst_place_operands(function, self, operands_allocate(function, count));
    memcpy(norn_operands(function, self), operands, old * sizeof *operands);
  }
  self->operand_count = (uint16_t)count;
}

#define SHORT_LIST 16

void
norn_inst_splice_operands(NornFunction *function, uint32_t inst, unsigned first, unsigned removed,
                          const NornRef *operands, unsigned count) {
  NORN_ASSERT(inst < function->inst_count);
  NORN_ASSERT(first + removed <= norn_inst(function, inst)->operand_count);
  /* The operands may be among those that move. */
  NornRef short_list[SHORT_LIST], *copy = short_list;
  if (count > SHORT_LIST)
    copy = g_new(NornRef, count);
  if (count)
    memcpy(copy, operands, count * sizeof *copy);
  unsigned old = norn_inst(function, inst)->operand_count;
  unsigned tail = old - first - removed;
  if (count > removed)
    norn_inst_resize_operands(function, inst, old - removed + count);
  NornRef *own = norn_operands(function, norn_inst(function, inst));
  if (tail)
    memmove(own + first + count, own + first + removed, tail * sizeof *own);
  if (count)
    memcpy(own + first, copy, count * sizeof *own);
  norn_inst(function, inst)->operand_count = (uint16_t)(old - removed + count);
  if (copy != short_list)
    g_free(copy);
}

void
norn_inst_set_operands(NornFunction *function, uint32_t inst, const NornRef *operands,
                       unsigned count) {
  norn_inst_splice_operands(function, inst, 0, norn_inst(function, inst)->operand_count, operands,
                            count);
}

void
norn_inst_become(NornFunction *function, uint32_t inst, uint16_t op, uint64_t payload,
                 const NornRef *operands, unsigned count) {
  NORN_ASSERT(inst < function->inst_count);
  NornInst *self = norn_inst(function, inst);
  self->op = op;
  self->modifier = 0;
  /* It was promised for the old operands. */
  self->flags &= (uint16_t)~NORN_INST_NOWRAP;
  if (!norn_accesses_buffer(op))
    self->flags &= (uint16_t)~NORN_INST_COARSE;
  self->source_type = NORN_TYPE_VOID;
  self->payload = payload;
  norn_inst_set_operands(function, inst, operands, count);
}

void
norn_inst_become_jump(NornFunction *function, uint32_t inst, const NornEdge *edge) {
  NORN_ASSERT(norn_is_terminator(function, norn_inst(function, inst)));
  const NornInst *self = norn_inst(function, inst);
  const NornRef *operands = norn_operands(function, self) + edge->operand;
  norn_inst_become(function, inst, NORN_OP_JUMP, 0, operands, 1 + edge->argument_count);
  norn_inst(function, inst)->type = NORN_TYPE_VOID;
  norn_inst(function, inst)->flags = 0;
}

uint32_t
norn_edge_split(NornFunction *function, uint32_t inst, const NornEdge *edge) {
  uint32_t block = norn_block_create_detached(function, 0);
  NornBuilder builder = norn_builder_at_end_for(function, block, inst);
  norn_build_jump(&builder, norn_edge_branch(function, inst, edge));
  norn_set_operand(function, inst, edge->operand, norn_ref(NORN_REF_BLOCK, block));
  norn_inst_splice_operands(function, inst, edge->operand + 1, edge->argument_count, NULL, 0);
  return block;
}

void
norn_move_name(NornFunction *function, NornRef to, uint32_t from) {
  if (norn_ref_kind(to) != NORN_REF_VALUE || norn_value(function, norn_ref_payload(to))->name)
    return;
  norn_value(function, norn_ref_payload(to))->name = norn_value(function, from)->name;
  norn_value(function, from)->name = 0;
}

void
norn_inst_shape(const NornModule *module, const NornInst *inst, NornMachineShape *shape) {
  const NornMachine *machine = module->machine;
  machine->shape(machine, inst->op - NORN_OP_MACHINE, inst->payload, shape);
}

bool
norn_is_machine_terminator(const NornFunction *function, const NornInst *inst) {
  const NornMachine *machine = function->module->machine;
  return machine->is_terminator(machine, inst->op - NORN_OP_MACHINE);
}

bool
norn_machine_has_effect(const NornFunction *function, const NornInst *inst) {
  NornMachineShape shape;
  norn_inst_shape(function->module, inst, &shape);
  return !shape.result_count || shape.writes_memory || shape.is_barrier || shape.is_terminator;
}

NornType
norn_parameter_type(const NornFunction *function, uint32_t block, unsigned k) {
  if (block >= function->block_count || k >= norn_block(function, block)->parameter_count)
    return NORN_TYPE_VOID;
  return norn_value(function, norn_block_parameter(function, block, k))->type;
}

/* The type of an operand that belongs to an edge: an argument or a case's value. */
static NornType
edge_operand_type(const NornFunction *function, uint32_t inst, unsigned k) {
  norn_for_each_edge (function, inst, edge) {
    if (k <= edge.operand)
      break;
    if (k <= edge.operand + edge.argument_count)
      return norn_parameter_type(function, edge.block, k - edge.operand - 1);
    if (k < edge.next)
      return norn_inst(function, inst)->type;
  }
  return NORN_TYPE_VOID;
}

static NornType
call_argument_type(const NornFunction *function, const NornRef *operands, unsigned k) {
  if (k == 0 || norn_ref_kind(operands[0]) != NORN_REF_FUNCTION)
    return NORN_TYPE_VOID;
  const NornModule *module = function->module;
  uint32_t index = norn_ref_payload(operands[0]);
  const NornFunction *callee = index < module->function_count ? module->functions[index] : function;
  return callee->block_order_count ? norn_parameter_type(callee, callee->block_order[0], k - 1)
                                   : NORN_TYPE_VOID;
}

NornType
norn_operand_type(const NornFunction *function, uint32_t inst, unsigned k) {
  const NornInst *self = norn_inst(function, inst);
  const NornRef *operands = norn_operands(function, self);
  if (norn_is_machine(self)) {
    NornMachineShape shape;
    norn_inst_shape(function->module, self, &shape);
    if (k < shape.operand_count)
      return norn_type_of_words(shape.operand_words[k]);
    if (shape.is_terminator)
      return edge_operand_type(function, inst, k);
    bool is_value = norn_ref_kind(operands[k]) == NORN_REF_VALUE;
    return is_value ? norn_value(function, norn_ref_payload(operands[k]))->type : NORN_TYPE_VOID;
  }
  NornSignatureCursor cursor = norn_inst_operands(self);
  for (unsigned i = 0; i <= k; i++, norn_cursor_next(&cursor)) {
    NornLetterKind kind = norn_cursor_kind(&cursor);
    if (kind == NORN_LETTER_BLOCK || kind == NORN_LETTER_CASE)
      return edge_operand_type(function, inst, k);
    if (kind == NORN_LETTER_FUNCTION)
      return call_argument_type(function, operands, k);
    if (i == k)
      break;
  }
  return norn_cursor_type(&cursor);
}

NornType
norn_result_type(const NornInst *inst, unsigned k) {
  NornSignatureCursor cursor = norn_inst_results(inst);
  norn_cursor_skip(&cursor, k);
  return norn_cursor_type(&cursor);
}

NornSignature
norn_signature(NornOp op, NornType type, NornType source_type) {
  NornSignature signature = {0};
  NornSignatureCursor result = norn_result_cursor(op, type, source_type);
  NornArity results = norn_cursor_arity(result);
  if (results.fixed > 1 || results.is_repeated || results.is_optional ||
      norn_ops[op].flags & NORN_OP_TERMINATOR)
    return signature;
  NornSignatureCursor operand = norn_operand_cursor(op, type, source_type);
  for (; norn_cursor_kind(&operand) != NORN_LETTER_END; norn_cursor_next(&operand)) {
    NornType operand_type = norn_cursor_type(&operand);
    if (signature.operand_count == NORN_PLAIN_OPERANDS || operand_type == NORN_TYPE_VOID ||
        norn_cursor_is_repeated(&operand) || norn_cursor_is_optional(&operand))
      return (NornSignature){0};
    signature.operand_types[signature.operand_count++] = (uint8_t)operand_type;
  }
  signature.is_plain = true;
  signature.result_count = (uint8_t)results.fixed;
  signature.result_type = (uint8_t)norn_cursor_type(&result);
  return signature;
}
