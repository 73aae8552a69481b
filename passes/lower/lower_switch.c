/* Lower switch: puts branches in the place of switches.
 *
 * A switch becomes a binary search in its sorted cases, with a chain of comparisons at its ends. */
#include "ir/construct.h"
#include "ir/ops.h"
#include "passes/pass.h"
#include <stdlib.h>
#include <string.h>

/* Cases that are compared one after the other. */
#define MAX_IN_CHAIN 3

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
  if (end - first > MAX_IN_CHAIN) {
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
  norn_inst_erase(function, inst);
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
norn_pass_lower_switch(NornPassContext *context, NornFunction *function, GError **error) {
  (void)context;
  (void)error;
  for (uint32_t k = 0; k < function->block_order_count; k++) {
    uint32_t last = norn_block_terminator(function, function->block_order[k]);
    if (last != NORN_INDEX_NONE && function->insts[last].op == NORN_OP_SWITCH)
      expand_switch(function, last);
  }
  return true;
}
