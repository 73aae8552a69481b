/* Finds loads that loops repeat, and creates preheaders to move them to. */
#include "passes/select/loop_loads.h"
#include "ir/analysis/pressure.h"
#include "ir/ops.h"
#include "passes/machine_code.h"
#include <string.h>

enum {
  MAX_JUMPS = 4,  /* jumps from a preheader to the loop header */
  MAX_STEPS = 6,  /* depth of the arithmetic in the loop that computes an address */
  MAX_EDGES = 8,  /* to the header of a loop with counters */
  MAX_ROUNDS = 8, /* over the function, to find what branches depend on */
};

/* --- Memory --- */

/* Notes how an instruction of the loop accesses memory. */
static void
note_memory(const NornLoopLoads *loads, NornLoopMemory *memory, const NornInst *inst) {
  const NornTarget *target = loads->context->target;
  NornMessage message;
  if (!norn_is_machine(inst)) {
    memory->has_order |= (norn_ops[inst->op].flags & NORN_OP_ORDERS) != 0;
  } else if (!target->message(target, loads->function, inst, &message)) {
    memory->has_order |= !inst->result_count && !norn_is_terminator(loads->function, inst);
  } else {
    memory->has_order |= message.wait_before || message.wait_after || message.waits_all;
    if (message.memory.writes)
      norn_access_set_add(&memory->writes, &message.memory);
  }
}

/* Notes the loops that edges from the block leave. */
static void
note_exits(const NornLoopLoads *loads, uint32_t block) {
  const NornDominance *dominance = loads->dominance;
  for (uint32_t k = 0; k < norn_successor_count(dominance, block); k++)
    for (uint32_t header = dominance->loop_header[block];
         header != NORN_INDEX_NONE &&
         !norn_loop_contains(dominance, header, norn_successor(dominance, block, k));
         header = dominance->loop_parent[header]) {
      uint32_t *exit = &loads->memory[header].exit;
      *exit = *exit == NORN_INDEX_NONE ? block : norn_common_dominator(dominance, *exit, block);
    }
}

/* Finds the memory effects of each loop, including its inner loops. */
static void
find_memory(NornLoopLoads *loads) {
  const NornDominance *dominance = loads->dominance;
  NornArena *arena = &loads->context->arena;
  loads->memory = NORN_NEW0(arena, NornLoopMemory, dominance->block_count);
  for (uint32_t k = 0; k < dominance->order_count; k++) {
    uint32_t block = dominance->order[k], header = dominance->loop_header[block];
    if (header == block) {
      norn_access_set_init(&loads->memory[block].writes, arena, NORN_MAX_WRITES);
      loads->memory[block].exit = NORN_INDEX_NONE;
    }
  }
  for (uint32_t k = dominance->order_count; k--;) {
    uint32_t block = dominance->order[k], header = dominance->loop_header[block];
    if (header == NORN_INDEX_NONE)
      continue;
    NornLoopMemory *memory = &loads->memory[header];
    norn_for_each_inst (loads->function, block, inst)
      note_memory(loads, memory, norn_inst(loads->function, inst));
    note_exits(loads, block);
    /* All blocks of a loop come after its header. */
    uint32_t parent = header == block ? dominance->loop_parent[header] : NORN_INDEX_NONE;
    if (parent != NORN_INDEX_NONE) {
      norn_access_set_merge(&loads->memory[parent].writes, &memory->writes);
      loads->memory[parent].has_order |= memory->has_order;
    }
  }
}

/* --- Loops that wait --- */

static bool
mark(NornLoopLoads *loads, NornRef ref) {
  uint32_t value = norn_ref_payload(ref);
  if (norn_ref_kind(ref) != NORN_REF_VALUE || norn_bit(loads->deciding, value))
    return false;
  norn_set_bit(loads->deciding, value);
  return true;
}

/* Whether the instruction writes what a marked load may read. `is_marked`: whether it is a marked
 * load itself; *changed becomes true if it is a new one. Addresses that are computed in a loop are
 * others in the next iteration. */
static bool
feeds_marked_load(NornLoopLoads *loads, const NornInst *inst, bool is_marked, bool *changed) {
  const NornTarget *target = loads->context->target;
  NornMessage message;
  if (!norn_is_machine(inst) || !target->message(target, loads->function, inst, &message))
    return false;
  NornMemoryAccess access = message.memory;
  if (access.base != NORN_BASE_ZERO)
    access.base = NORN_BASE_UNKNOWN;
  unsigned end = loads->marked.count;
  bool feeds = access.writes && norn_access_set_conflict(&loads->marked, &access, &end);
  if (is_marked && access.reads) {
    access.writes = false;
    *changed |= norn_access_set_include(&loads->marked, &access);
  }
  return feeds;
}

/* Marks what the instruction's marked results are computed from, and what marked loads may read.
 * For a terminator, marks its condition and the arguments passed to marked parameters. */
static bool
mark_operands(NornLoopLoads *loads, uint32_t index) {
  NornFunction *function = loads->function;
  const NornInst *inst = norn_inst(function, index);
  bool is_marked = norn_is_terminator(function, inst), changed = false;
  for (unsigned k = 0; k < inst->result_count; k++)
    is_marked |= norn_bit(loads->deciding, inst->result + k);
  is_marked |= feeds_marked_load(loads, inst, is_marked, &changed);
  unsigned sources = is_marked ? norn_source_count(function, inst) : 0;
  for (unsigned k = 0; k < sources; k++)
    changed |= mark(loads, norn_operands(function, inst)[k]);
  norn_for_each_edge (function, index, edge)
    for (unsigned k = 0; k < edge.argument_count; k++)
      if (norn_bit(loads->deciding, norn_block_parameter(function, edge.block, k)))
        changed |= mark(loads, norn_operands(function, inst)[edge.operand + 1 + k]);
  return changed;
}

/* Finds the values that branches in loops depend on, also through memory, or marks all values if
 * that takes too many rounds. */
static void
find_deciding(NornLoopLoads *loads) {
  const NornDominance *dominance = loads->dominance;
  uint32_t words = (loads->function->value_count + 63) / 64;
  loads->deciding = NORN_NEW0(&loads->context->arena, uint64_t, words);
  norn_access_set_init(&loads->marked, &loads->context->arena, NORN_MAX_WRITES);
  bool changed = true;
  for (unsigned round = 0; round < MAX_ROUNDS && changed; round++) {
    changed = false;
    for (uint32_t k = dominance->order_count; k--;) {
      uint32_t block = dominance->order[k];
      for (uint32_t inst = norn_block(loads->function, block)->last;
           inst != NORN_INDEX_NONE && dominance->loop_depth[block];
           inst = norn_inst(loads->function, inst)->previous)
        changed |= mark_operands(loads, inst);
    }
  }
  if (changed)
    memset(loads->deciding, 0xFF, words * sizeof *loads->deciding);
}

/* Whether the value is the sum of a value and something that is none, computed in the loop. */
static bool
is_step(const NornLoopLoads *loads, uint32_t header, NornRef ref, NornRef stepped) {
  const NornFunction *function = loads->function;
  const NornInst *inst = norn_defining_inst(function, ref);
  if (!inst || inst->result_count != 1 || loads->dominance->loop_header[inst->block] != header ||
      !norn_is_machine(inst) || !norn_target_is_arithmetic(loads->context->target, function, inst))
    return false;
  bool reads = false;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef operand = norn_operands(function, inst)[k];
    if (norn_ref_kind(operand) == NORN_REF_VALUE && operand != stepped)
      return false;
    reads |= operand == stepped;
  }
  return reads;
}

/* Whether the value is a parameter of the loop header that changes by a constant or uniform in each
 * iteration, whatever memory holds. */
static bool
is_counter(const NornLoopLoads *loads, uint32_t header, NornRef ref) {
  const NornFunction *function = loads->function;
  const NornDominance *dominance = loads->dominance;
  if (norn_ref_kind(ref) != NORN_REF_VALUE)
    return false;
  const NornValue *value = norn_value(function, norn_ref_payload(ref));
  if (!value->is_parameter || value->def != header ||
      norn_predecessor_count(dominance, header) > MAX_EDGES)
    return false;
  for (uint32_t k = 0; k < norn_predecessor_count(dominance, header); k++) {
    uint32_t block = norn_predecessor(dominance, header, k);
    if (!norn_loop_contains(dominance, header, block))
      continue;
    norn_for_each_edge (function, norn_block(function, block)->last, edge) {
      const NornRef *arguments =
          norn_operands(function, norn_inst(function, norn_block(function, block)->last)) +
          edge.operand + 1;
      if (edge.block == header && !is_step(loads, header, arguments[value->index], ref))
        return false;
    }
  }
  return true;
}

/* Whether the value is a counter of the loop, or the next value of one. */
static bool
is_counted(const NornLoopLoads *loads, uint32_t header, NornRef ref) {
  if (is_counter(loads, header, ref))
    return true;
  const NornInst *inst = norn_defining_inst(loads->function, ref);
  for (unsigned k = 0; inst && k < inst->operand_count; k++) {
    NornRef operand = norn_operands(loads->function, inst)[k];
    if (is_counter(loads, header, operand) && is_step(loads, header, ref, operand))
      return true;
  }
  return false;
}

/* Whether the use of a value by an instruction compares it with a counter of the loop that both are
 * in: then the counter ends the loop at some time, so the loop does not wait for another value. */
static bool
is_limit(const NornLoopLoads *loads, const NornInst *inst, unsigned k) {
  const NornTarget *target = loads->context->target;
  const NornRef *operands = norn_operands(loads->function, inst);
  uint32_t header = loads->dominance->loop_header[inst->block];
  return k < 2 && header != NORN_INDEX_NONE && inst->operand_count > 1 && norn_is_machine(inst) &&
         target->compares && target->compares(target, inst) &&
         loads->dominance->loop_header[norn_defining_block(
             loads->function, norn_ref_payload(operands[k]))] == header &&
         is_counted(loads, header, operands[1 - k]);
}

/* Finds the values with another use than as the limit of a counter. */
static void
find_other_uses(NornLoopLoads *loads) {
  NornFunction *function = loads->function;
  uint32_t words = (function->value_count + 63) / 64;
  loads->used_otherwise = NORN_NEW0(&loads->context->arena, uint64_t, words);
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      for (unsigned k = 0; k < inst->operand_count; k++) {
        NornRef ref = norn_operands(function, inst)[k];
        if (norn_ref_kind(ref) == NORN_REF_VALUE && !is_limit(loads, inst, k))
          norn_set_bit(loads->used_otherwise, norn_ref_payload(ref));
      }
    }
}

/* Whether others may write what the load reads, and the loop may be waiting for that. */
static bool
may_wait_for(NornLoopLoads *loads, const NornInst *inst, uint32_t header,
             const NornMemoryAccess *memory) {
  if (!memory->reads || !(memory->spaces & NORN_SPACES_OTHERS_SEE))
    return false;
  if (!loads->deciding)
    find_deciding(loads);
  if (!norn_bit(loads->deciding, inst->result))
    return false;
  if (!loads->used_otherwise)
    find_other_uses(loads);
  return loads->dominance->loop_header[inst->block] != header ||
         norn_bit(loads->used_otherwise, inst->result);
}

/* --- Loads --- */

bool
norn_load_is_repeated(NornLoopLoads *loads, const NornInst *inst, uint32_t block, uint32_t header) {
  const NornTarget *target = loads->context->target;
  NornMachineShape shape;
  NornMessage message;
  if (!norn_is_machine(inst) || inst->result_count != 1 ||
      !target->message(target, loads->function, inst, &message) ||
      norn_target_looks_at_others(target, inst))
    return false;
  norn_inst_shape(loads->function->module, inst, &shape);
  if (shape.writes_memory || shape.is_barrier || shape.is_convergent || message.memory.writes ||
      message.wait_before || message.wait_after || message.waits_all)
    return false;
  if (!loads->memory)
    find_memory(loads);
  const NornLoopMemory *memory = &loads->memory[header];
  unsigned end = memory->writes.count;
  return memory->exit != NORN_INDEX_NONE && norn_dominates(loads->dominance, block, memory->exit) &&
         (!message.memory.reads ||
          (!memory->has_order &&
           !norn_access_set_conflict(&memory->writes, &message.memory, &end))) &&
         !may_wait_for(loads, inst, header, &message.memory);
}

/* --- Preheaders --- */

bool
norn_leads_only_to(const NornDominance *dominance, uint32_t block, uint32_t header) {
  for (unsigned step = 0; step < MAX_JUMPS && block != header; step++) {
    if (norn_successor_count(dominance, block) != 1)
      return false;
    block = norn_successor(dominance, block, 0);
  }
  return block == header;
}

/* Whether the value is computed before the loop, or can be. */
static bool
is_invariant(const NornLoopLoads *loads, NornRef ref, uint32_t header, unsigned steps) {
  const NornFunction *function = loads->function;
  if (!norn_loop_defines(loads->dominance, function, header, ref))
    return true;
  const NornInst *inst = norn_defining_inst(function, ref);
  if (!inst || !steps ||
      (norn_is_machine(inst) ? !norn_target_is_arithmetic(loads->context->target, function, inst)
                             : inst->op != NORN_OP_COLLECT && inst->op != NORN_OP_SPLIT))
    return false;
  for (unsigned k = 0; k < inst->operand_count; k++)
    if (!is_invariant(loads, norn_operands(function, inst)[k], header, steps - 1))
      return false;
  return true;
}

/* The only block before each loop, by header; else NORN_INDEX_NONE. */
static uint32_t *
find_predecessors(const NornLoopLoads *loads) {
  const NornDominance *dominance = loads->dominance;
  uint32_t *before = norn_arena_indexes(&loads->context->arena, dominance->block_count);
  for (uint32_t k = 0; k < dominance->order_count; k++) {
    uint32_t block = dominance->order[k];
    if (dominance->loop_header[block] == block)
      before[block] = norn_loop_predecessor(dominance, block);
  }
  return before;
}

/* Marks the loops that the load can leave but that have no preheader for it. */
static bool
mark_loops(NornLoopLoads *loads, const NornInst *inst, const uint32_t *predecessors, bool *marked) {
  const NornDominance *dominance = loads->dominance;
  uint32_t block = inst->block;
  bool any = false;
  for (uint32_t header = dominance->loop_header[block]; header != NORN_INDEX_NONE;
       header = dominance->loop_parent[header]) {
    uint32_t before = predecessors[header];
    if (before == NORN_INDEX_NONE || !norn_load_is_repeated(loads, inst, block, header))
      return any;
    for (unsigned k = 0; k < inst->operand_count; k++)
      if (!is_invariant(loads, norn_operands(loads->function, inst)[k], header, MAX_STEPS))
        return any;
    if (!norn_leads_only_to(dominance, before, header))
      any = marked[header] = true;
    block = header; /* the preheader is executed whenever the header is */
  }
  return any;
}

/* Splits the edges from the block to marked loops; the new blocks follow it. */
static void
split_edges(NornLoopLoads *loads, uint32_t block, const bool *marked, NornIndexList *order) {
  NornFunction *function = loads->function;
  const NornDominance *dominance = loads->dominance;
  uint32_t terminator = norn_block(function, block)->last;
  norn_list_push(&loads->context->arena, order, block);
  for (unsigned k = 0; k < norn_successor_count(dominance, block); k++) {
    NornEdge edge = norn_edge_of(function, terminator, k);
    if (!marked[edge.block] || norn_loop_contains(dominance, edge.block, block))
      continue;
    uint32_t fresh = norn_edge_split(function, terminator, &edge);
    norn_list_push(&loads->context->arena, order, fresh);
  }
}

bool
norn_make_preheaders(NornLoopLoads *loads) {
  NornFunction *function = loads->function;
  const NornDominance *dominance = loads->dominance;
  NornArena *arena = &loads->context->arena;
  bool *marked = NORN_NEW0(arena, bool, function->block_count), any = false;
  const uint32_t *predecessors = find_predecessors(loads);
  for (uint32_t k = 0; k < dominance->order_count; k++)
    if (dominance->loop_depth[dominance->order[k]] && norn_pass_continues(loads->context, 1))
      norn_for_each_inst (function, dominance->order[k], inst)
        any |= mark_loops(loads, norn_inst(function, inst), predecessors, marked);
  if (!any)
    return false;
  NornIndexList order = {0};
  norn_for_each_block (function, block)
    split_edges(loads, block, marked, &order);
  norn_blocks_order(function, order.items, order.count);
  norn_pass_blocks_changed(loads->context);
  return true;
}
