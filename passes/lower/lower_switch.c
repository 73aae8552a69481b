/* Lower switch: replaces switches by branches.
 *
 * A switch becomes a binary search in its sorted cases, which ends in a chain of comparisons. All
 * blocks are placed again one by one, the new blocks of each switch after its own block. */
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/pass.h"
#include <stdlib.h>
#include <string.h>

/* Maximum number of cases that are compared one by one. */
#define MAX_IN_CHAIN 3

typedef struct SwitchCase {
  uint64_t value;
  NornEdge edge;
} SwitchCase;

typedef struct Switch {
  NornFunction *function;
  uint32_t inst;           /* erased */
  NornType type;           /* of the selector */
  const NornRef *operands; /* those of the switch */
  NornEdge otherwise;
  SwitchCase *cases;
  unsigned case_count;
} Switch;

static int
compare_cases(const void *a, const void *b) {
  uint64_t x = ((const SwitchCase *)a)->value, y = ((const SwitchCase *)b)->value;
  return x < y ? -1 : x > y;
}

/* Builds at the end of a block, with the location of the switch. */
static NornBuilder
builder_at(const Switch *self, uint32_t block) {
  return norn_builder_at_end_for(self->function, block, self->inst);
}

static NornBranch
branch_along(const Switch *self, const NornEdge *edge) {
  const NornRef *operands = self->operands + edge->operand;
  return (NornBranch){operands[0], edge->argument_count, operands + 1};
}

/* Creates a block after all those placed so far. */
static uint32_t
next_block(Switch *self) {
  uint32_t block = norn_block_create(self->function, 0);
  norn_block(self->function, block)->line = norn_inst(self->function, self->inst)->line;
  return block;
}

/* Compares the selector with the value. */
static NornRef
compare(const Switch *self, NornBuilder *builder, NornIntCondition condition, uint64_t value) {
  return norn_build_icmp(builder, condition, self->type, self->operands[0],
                         norn_build_bits(builder, value));
}

/* Builds the code for the cases from `first` up to `end` at the end of the block. */
static void
search(Switch *self, uint32_t block, unsigned first, unsigned end) {
  if (end - first > MAX_IN_CHAIN) {
    unsigned middle = first + (end - first) / 2;
    NornBuilder builder = builder_at(self, block);
    NornRef is_low = compare(self, &builder, NORN_INT_CONDITION_ULT, self->cases[middle].value);
    uint32_t low = next_block(self);
    search(self, low, first, middle);
    uint32_t high = next_block(self);
    norn_build_br(&builder, is_low, norn_branch(norn_ref(NORN_REF_BLOCK, low)),
                  norn_branch(norn_ref(NORN_REF_BLOCK, high)));
    search(self, high, middle, end);
    return;
  }
  for (unsigned k = first; k < end; k++) {
    NornBuilder builder = builder_at(self, block);
    NornRef is_case = compare(self, &builder, NORN_INT_CONDITION_EQ, self->cases[k].value);
    NornBranch otherwise = branch_along(self, &self->otherwise);
    if (k + 1 < end) {
      block = next_block(self);
      otherwise = norn_branch(norn_ref(NORN_REF_BLOCK, block));
    }
    norn_build_br(&builder, is_case, branch_along(self, &self->cases[k].edge), otherwise);
  }
}

static void
expand_switch(NornArena *arena, NornFunction *function, uint32_t inst) {
  Switch self = {.function = function, .inst = inst, .type = norn_inst(function, inst)->type};
  unsigned operands = norn_inst(function, inst)->operand_count;
  uint32_t block = norn_inst(function, inst)->block;
  self.operands = norn_operands(function, norn_inst(function, inst));
  self.cases = NORN_NEW(arena, SwitchCase, operands);
  bool is_first = true;
  norn_for_each_edge (function, inst, edge) {
    if (is_first)
      self.otherwise = edge;
    else if (edge.block != self.otherwise.block || edge.argument_count)
      self.cases[self.case_count++] =
          (SwitchCase){norn_constant_bits(function->module, self.operands[edge.operand - 1]), edge};
    is_first = false;
  }
  qsort(self.cases, self.case_count, sizeof *self.cases, compare_cases);
  norn_inst_erase(function, inst);
  NornBuilder builder = builder_at(&self, block);
  if (self.case_count)
    search(&self, block, 0, self.case_count);
  else
    norn_build_jump(&builder, branch_along(&self, &self.otherwise));
}

/* The switch at the end of a block, or NORN_INDEX_NONE. */
static uint32_t
find_switch(const NornFunction *function, uint32_t block) {
  uint32_t last = norn_block_terminator(function, block);
  bool is_switch = last != NORN_INDEX_NONE && norn_inst(function, last)->op == NORN_OP_SWITCH;
  return is_switch ? last : NORN_INDEX_NONE;
}

bool
norn_pass_lower_switch(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  uint32_t count = function->block_order_count, first = 0;
  while (first < count && find_switch(function, function->block_order[first]) == NORN_INDEX_NONE)
    first++;
  norn_pass_report(context, first < count);
  if (first == count)
    return true;
  uint32_t *blocks = NORN_NEW(&context->arena, uint32_t, count);
  memcpy(blocks, function->block_order, count * sizeof *blocks);
  function->block_order_count = first;
  for (uint32_t k = first; k < count; k++) {
    uint32_t inst = find_switch(function, blocks[k]);
    norn_block_append(function, blocks[k]);
    if (inst != NORN_INDEX_NONE)
      expand_switch(&context->arena, function, inst);
  }
  norn_pass_blocks_changed(context);
  return true;
}
