/* Dead code elimination: removes instructions and block parameters on which nothing depends.
 *
 * Marks instructions from those that must stay (terminators, writes, pinned ones) through operands.
 * A live parameter keeps the arguments that feed it alive, so a loop-carried value that only feeds
 * itself is dead. The entry block's parameters, which are the function's, stay. A store to a
 * variable, that is, to an address that is an alloca or the alloca plus offsets, stays only if the
 * alloca is used by anything else that stays. Instructions and values are renumbered if most of the
 * numbers belonged to removed ones. Works on every form of code. */
#include "ir/analysis/alias.h"
#include "ir/ops.h"
#include "passes/block_parameters.h"
#include "passes/pass.h"

typedef struct Marker {
  NornArena *arena;
  NornFunction *function;
  bool *live_inst;  /* by instruction */
  bool *live_value; /* by value; meaningful for parameters */
  uint32_t *work;   /* instructions and, with PARAMETER set, values that are parameters */
  uint32_t work_count;
  uint32_t *first_edge; /* by block: the edges to it */
  struct Arrival {
    uint32_t operand, next; /* absolute index of the operand that names the block */
  } * arrivals;
  uint32_t live_count; /* instructions */
  uint32_t *stores;    /* by instruction: for an alloca its last store, for a store the one before;
                          NORN_INDEX_NONE: none; NULL if there are no such stores */
  bool changed;
} Marker;

#define PARAMETER (1u << 31)

/* Instruction numbers per remaining instruction above which the function is renumbered, so that
 * arrays indexed by number do not grow with removed instructions. */
#define MAX_GAPS 3

/* Whether the instruction is a store that stays only if its variable does. */
static bool
note_store(Marker *marker, uint32_t inst) {
  uint32_t variable = norn_stored_variable(marker->function, inst);
  if (variable == NORN_INDEX_NONE)
    return false;
  if (!marker->stores)
    marker->stores = norn_arena_indexes(marker->arena, marker->function->inst_count);
  marker->stores[inst] = marker->stores[variable];
  marker->stores[variable] = inst;
  return true;
}

static void
mark_inst(Marker *marker, uint32_t inst) {
  if (marker->live_inst[inst])
    return;
  marker->live_inst[inst] = true;
  marker->work[marker->work_count++] = inst;
}

static void
mark_ref(Marker *marker, NornRef ref) {
  if (norn_ref_kind(ref) != NORN_REF_VALUE)
    return;
  uint32_t index = norn_ref_payload(ref);
  const NornValue *value = norn_value(marker->function, index);
  if (!value->is_parameter) {
    mark_inst(marker, value->def);
  } else if (!marker->live_value[index]) {
    marker->live_value[index] = true;
    marker->work[marker->work_count++] = index | PARAMETER;
  }
}

/* The operands of a terminator after the first block are arguments of parameters, which keep them
 * alive only if they are live. */
static void
mark_operands(Marker *marker, uint32_t inst) {
  const NornInst *live = norn_inst(marker->function, inst);
  const NornRef *operands = norn_operands(marker->function, live);
  for (unsigned k = 0; k < live->operand_count; k++) {
    NornRef ref = operands[k];
    if (norn_ref_kind(ref) == NORN_REF_BLOCK)
      break;
    mark_ref(marker, ref);
  }
}

static void
mark_arguments(Marker *marker, uint32_t parameter) {
  const NornValue *value = norn_value(marker->function, parameter);
  for (uint32_t edge = marker->first_edge[value->def]; edge != NORN_INDEX_NONE;
       edge = marker->arrivals[edge].next)
    mark_ref(marker,
             *norn_operand_at(marker->function, marker->arrivals[edge].operand + 1 + value->index));
}

static void
collect_edges(Marker *marker) {
  NornFunction *function = marker->function;
  uint32_t count = 0, capacity = 0;
  marker->first_edge = NORN_NEW(marker->arena, uint32_t, function->block_count);
  for (uint32_t block = 0; block < function->block_count; block++)
    marker->first_edge[block] = NORN_INDEX_NONE;
  norn_for_each_block (function, block) {
    uint32_t last = norn_block_terminator(function, block);
    if (last == NORN_INDEX_NONE)
      continue;
    norn_for_each_edge (function, last, edge) {
      NORN_ARENA_GROW(marker->arena, marker->arrivals, capacity, count + 1);
      marker->arrivals[count].operand = norn_inst(function, last)->operand + edge.operand;
      marker->arrivals[count].next = marker->first_edge[edge.block];
      marker->first_edge[edge.block] = count++;
    }
  }
}

static void
mark_all(Marker *marker) {
  NornFunction *function = marker->function;
  uint32_t entry = function->block_order[0];
  for (unsigned k = 0; k < norn_block(function, entry)->parameter_count; k++)
    marker->live_value[norn_block_parameter(function, entry, k)] = true;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst)
      if (norn_has_effect(function, norn_inst(function, inst)) && !note_store(marker, inst))
        mark_inst(marker, inst);
  while (marker->work_count) {
    uint32_t item = marker->work[--marker->work_count];
    if (item & PARAMETER)
      mark_arguments(marker, item & ~PARAMETER);
    else
      mark_operands(marker, item);
    if (item & PARAMETER || norn_inst(function, item)->op != NORN_OP_ALLOCA || !marker->stores)
      continue;
    for (uint32_t store = marker->stores[item]; store != NORN_INDEX_NONE;
         store = marker->stores[store])
      mark_inst(marker, store);
  }
}

static void
sweep(Marker *marker) {
  NornFunction *function = marker->function;
  norn_for_each_block (function, block) {
    for (uint32_t inst = norn_block(function, block)->first, next; inst != NORN_INDEX_NONE;
         inst = next) {
      next = norn_inst(function, inst)->next;
      if (marker->live_inst[inst]) {
        marker->live_count++;
        continue;
      }
      norn_inst_erase(function, inst);
      marker->changed = true;
    }
  }
  norn_for_each_block (function, block)
    for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++)
      marker->changed |= !marker->live_value[norn_block_parameter(function, block, k)];
  norn_keep_parameters(function, marker->live_value);
}

bool
norn_pass_dce(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  Marker marker = {.arena = &context->arena, .function = function};
  marker.live_inst = NORN_NEW0(marker.arena, bool, function->inst_count);
  marker.live_value = NORN_NEW0(marker.arena, bool, function->value_count);
  marker.work =
      NORN_NEW(marker.arena, uint32_t, (size_t)function->inst_count + function->value_count);
  collect_edges(&marker);
  mark_all(&marker);
  sweep(&marker);
  if (marker.changed && !context->keeps_numbers &&
      function->inst_count > MAX_GAPS * (uint64_t)marker.live_count) {
    norn_function_renumber(function);
    norn_pass_blocks_changed(context);
  }
  norn_pass_report(context, marker.changed);
  return true;
}
