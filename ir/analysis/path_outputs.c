/* Must-store analysis: a forward data flow of sets of stores, joined by intersection.
 *
 * There are two rounds over the functions. The first, callees first, finds what a call is certain
 * to store, that is, what is stored on every path from its function's start to a return. The
 * second, callers first, finds what has already been stored where each function is called, and from
 * that what is stored at its ends. A path that is certain to demote the invocation counts as
 * storing everything, since nothing of it is written. Sets only shrink, so a function reaches its
 * fixed point after a few rounds over its blocks. */
#include "ir/analysis/path_outputs.h"
#include "ir/analysis/dominance.h"
#include "ir/ops.h"
#include <string.h>

/* A set of operations with the property ALL_PATHS: bit k is the k-th of those that occur. */
typedef uint8_t OutputSet;
#define MAX_OUTPUTS 8
#define ALL_OUTPUTS UINT8_MAX

typedef struct Analysis {
  NornArena *arena;
  const NornModule *module;
  uint16_t ops[MAX_OUTPUTS];
  unsigned count;
  OutputSet *calls;  /* by function: what a call of it stores */
  OutputSet *starts; /* by function: what is stored at its start, whoever calls it */
} Analysis;

/* What the instruction stores. */
static OutputSet
stored_by(const Analysis *analysis, const NornFunction *function, uint32_t index) {
  const NornInst *inst = norn_inst(function, index);
  if (inst->op == NORN_OP_CALL)
    return analysis->calls[norn_ref_payload(norn_operand(function, index, 0))];
  if (inst->op == NORN_OP_DEMOTE) {
    NornRef condition = norn_operand(function, index, 0);
    bool is_certain =
        norn_is_constant(condition) && norn_constant_bits(analysis->module, condition);
    return is_certain ? ALL_OUTPUTS : 0;
  }
  for (unsigned k = 0; k < analysis->count; k++)
    if (analysis->ops[k] == inst->op)
      return (OutputSet)(1u << k);
  return 0;
}

/* What is stored at the end of the block, given what is stored at its start (`now`). If `starts` is
 * not NULL, what is stored at calls narrows the sets of the callees. */
static OutputSet
follow_block(const Analysis *analysis, const NornFunction *function, uint32_t block, OutputSet now,
             OutputSet *starts) {
  norn_for_each_inst (function, block, index) {
    if (starts && norn_inst(function, index)->op == NORN_OP_CALL)
      starts[norn_ref_payload(norn_operand(function, index, 0))] &= now;
    now |= stored_by(analysis, function, index);
  }
  return now;
}

/* A solved function. */
typedef struct Solution {
  const NornFunction *function;
  NornDominance *dominance;
  OutputSet *out; /* by block: what is stored at its end */
} Solution;

/* Visits all blocks once; returns whether anything changed. */
static bool
solve_round(const Analysis *analysis, Solution *solution, OutputSet start, OutputSet *starts) {
  const NornDominance *dominance = solution->dominance;
  bool changed = false;
  for (uint32_t i = 0; i < dominance->order_count; i++) {
    uint32_t block = dominance->order[i];
    OutputSet now = i ? ALL_OUTPUTS : start;
    for (unsigned k = 0; k < norn_predecessor_count(dominance, block); k++)
      now &= solution->out[norn_predecessor(dominance, block, k)];
    now = follow_block(analysis, solution->function, block, now, starts);
    changed |= now != solution->out[block];
    solution->out[block] = now;
  }
  return changed;
}

static Solution
solve(const Analysis *analysis, uint32_t index, OutputSet start, OutputSet *starts) {
  const NornFunction *function = analysis->module->functions[index];
  Solution solution = {function, norn_dominance_new(analysis->arena, function),
                       NORN_NEW(analysis->arena, OutputSet, function->block_count)};
  memset(solution.out, ALL_OUTPUTS, function->block_count * sizeof *solution.out);
  while (solve_round(analysis, &solution, start, starts))
    ;
  return solution;
}

/* The first block that ends in `terminator` and lacks some of `wanted`, or NORN_INDEX_NONE. */
static uint32_t
find_lacking(const Solution *solution, NornOp terminator, OutputSet wanted) {
  const NornFunction *function = solution->function;
  for (uint32_t i = 0; i < solution->dominance->order_count; i++) {
    uint32_t block = solution->dominance->order[i];
    if (norn_inst(function, norn_block(function, block)->last)->op == terminator &&
        (solution->out[block] & wanted) != wanted)
      return block;
  }
  return NORN_INDEX_NONE;
}

/* Records the operation, once, if it is such a store. */
static void
collect_output(Analysis *analysis, unsigned op) {
  if (op >= NORN_OP_COUNT || !(norn_ops[op].flags & NORN_OP_ALL_PATHS))
    return;
  unsigned k = 0;
  while (k < analysis->count && analysis->ops[k] != op)
    k++;
  if (k == analysis->count && k < MAX_OUTPUTS)
    analysis->ops[analysis->count++] = (uint16_t)op;
}

static void
collect_outputs(Analysis *analysis) {
  const NornModule *module = analysis->module;
  for (uint32_t i = 0; i < module->function_count; i++)
    norn_for_each_block (module->functions[i], block)
      norn_for_each_inst (module->functions[i], block, index)
        collect_output(analysis, norn_inst(module->functions[i], index)->op);
}

/* What a call of the function is certain to store. */
static OutputSet
stored_by_calls(const Analysis *analysis, uint32_t index) {
  NornArenaMark mark = norn_arena_mark(analysis->arena);
  Solution solution = solve(analysis, index, 0, NULL);
  OutputSet stored = 0;
  for (unsigned k = 0; k < analysis->count; k++)
    if (find_lacking(&solution, NORN_OP_RETURN, (OutputSet)(1u << k)) == NORN_INDEX_NONE)
      stored |= (OutputSet)(1u << k);
  norn_arena_release(analysis->arena, mark);
  return stored;
}

static bool
find_in_function(const Analysis *analysis, uint32_t index, NornMissingOutput *missing) {
  NornArenaMark mark = norn_arena_mark(analysis->arena);
  Solution solution = solve(analysis, index, analysis->starts[index], analysis->starts);
  uint32_t block = NORN_INDEX_NONE;
  for (unsigned k = 0; k < analysis->count && block == NORN_INDEX_NONE; k++) {
    block = find_lacking(&solution, NORN_OP_END, (OutputSet)(1u << k));
    *missing = (NornMissingOutput){index, block, analysis->ops[k]};
  }
  norn_arena_release(analysis->arena, mark);
  return block != NORN_INDEX_NONE;
}

bool
norn_find_missing_output(NornArena *arena, const NornModule *module, const uint32_t *order,
                         NornMissingOutput *missing) {
  uint32_t count = module->function_count;
  Analysis analysis = {.arena = arena, .module = module};
  bool found = false;
  collect_outputs(&analysis);
  analysis.calls = NORN_NEW(arena, OutputSet, count);
  analysis.starts = NORN_NEW(arena, OutputSet, count);
  memset(analysis.calls, ALL_OUTPUTS, count * sizeof *analysis.calls);
  memset(analysis.starts, ALL_OUTPUTS, count * sizeof *analysis.starts);
  analysis.starts[0] = 0;
  for (uint32_t i = 0; i < count; i++)
    analysis.calls[order[i]] = stored_by_calls(&analysis, order[i]);
  for (uint32_t i = count; i-- > 0 && !found;)
    found = find_in_function(&analysis, order[i], missing);
  return found;
}
