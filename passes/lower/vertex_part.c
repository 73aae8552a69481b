/* The parts of a vertex shader.
 *
 * Where the machine runs a vertex as two programs, one part or the other is compiled; the stores of
 * the other part are left out, and what only they need is dead. The program of varyings runs after
 * that of positions, and may be run for fewer vertices, so it writes nothing else. What it loads it
 * finds as all stores have left it: a varying that depends on what was there before is refused. */
#include "ir/analysis/alias.h"
#include "ir/analysis/dominance.h"
#include "ir/ops.h"
#include "ir/text/locations.h"
#include "passes/lower/lower.h"

/* The part that an instruction belongs to; WHOLE: both. Thread-local memory is each program's own.
 */
static NornVertexPart
part_of(const NornInst *inst) {
  uint64_t flags = norn_ops[inst->op].flags;
  if (inst->op == NORN_OP_STORE_VARYING)
    return NORN_VERTEX_VARYINGS;
  /* Nobody else sees thread-local memory. */
  bool is_seen = flags & NORN_OP_WRITES_MEMORY && !(flags & NORN_OP_SCRATCH);
  return is_seen ? NORN_VERTEX_POSITION : NORN_VERTEX_WHOLE;
}

/* The first instruction that cannot be compiled in the part that is wanted, or NORN_INDEX_NONE;
 * what parts the shader has is noted in `seen`. */
static uint32_t
find_misfit(const NornPassContext *context, const NornFunction *function, bool *seen,
            const char **reason) {
  NornVertexPart wanted = context->options->vertex_part;
  const NornTarget *target = context->target;
  bool is_one = !target->has_one_vertex_program || target->has_one_vertex_program(target);
  norn_for_each_block (function, block) {
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      NornVertexPart part = inst->op == NORN_OP_CALL ? NORN_VERTEX_WHOLE : part_of(inst);
      bool stays = wanted == NORN_VERTEX_WHOLE || part == NORN_VERTEX_WHOLE || part == wanted;
      seen[part] = true;
      *reason = "it cannot be left out of the program of the varyings";
      if (!stays && inst->result_count)
        return index;
      *reason = "the architecture takes positions and varyings as two programs; compile one with "
                "the vertex part 'position' and one with 'varyings'";
      if (wanted == NORN_VERTEX_WHOLE && !is_one && seen[NORN_VERTEX_POSITION] &&
          seen[NORN_VERTEX_VARYINGS])
        return index;
    }
  }
  return NORN_INDEX_NONE;
}

bool
norn_check_vertex_part(const NornPassContext *context, GError **error) {
  bool seen[NORN_VERTEX_VARYINGS + 1] = {false};
  for (uint32_t i = 0; i < context->module->function_count; i++) {
    const NornFunction *function = context->module->functions[i];
    const char *reason;
    uint32_t misfit = find_misfit(context, function, seen, &reason);
    if (misfit != NORN_INDEX_NONE)
      return norn_inst_error(function, norn_inst(function, misfit), NORN_ERROR_UNSUPPORTED, error,
                             "'%s': %s", norn_ops[norn_inst(function, misfit)->op].name, reason);
  }
  return true;
}

/* --- What is overwritten --- */

/* Whether the instruction changes memory that others see, and is left out of the program of
 * varyings. */
static bool
writes_memory(const NornInst *inst) {
  return part_of(inst) == NORN_VERTEX_POSITION && !(norn_ops[inst->op].flags & NORN_OP_ORDERS);
}

/* Marks the instructions that varyings depend on, or the way through the program, or what
 * thread-local memory holds. */
static bool *
find_needed(NornPassContext *context, const NornFunction *function) {
  bool *needed = NORN_NEW0(&context->arena, bool, MAX(1, function->inst_count));
  NornIndexList work = {0};
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      uint64_t flags = norn_ops[inst->op].flags;
      needed[index] = inst->op == NORN_OP_STORE_VARYING || inst->op == NORN_OP_CALL ||
                      flags & NORN_OP_TERMINATOR ||
                      (flags & NORN_OP_WRITES_MEMORY && flags & NORN_OP_SCRATCH);
      if (needed[index])
        norn_list_push(&context->arena, &work, index);
    }
  while (work.count) {
    const NornInst *inst = norn_inst(function, work.items[--work.count]);
    norn_for_each_use (function, inst, use) {
      const NornValue *value = norn_value(function, use.value);
      if (value->is_parameter || needed[value->def])
        continue;
      needed[value->def] = true;
      norn_list_push(&context->arena, &work, value->def);
    }
  }
  return needed;
}

/* Marks the blocks that a path from the end of one leads to. */
static bool *
find_reached(NornPassContext *context, const NornFunction *function, uint32_t from) {
  const NornDominance *dominance = norn_pass_dominance(context, function);
  bool *reached = NORN_NEW0(&context->arena, bool, function->block_count);
  NornIndexList work = {0};
  norn_list_push(&context->arena, &work, from);
  while (work.count) {
    uint32_t block = work.items[--work.count];
    for (unsigned k = 0; k < norn_successor_count(dominance, block); k++) {
      uint32_t next = norn_successor(dominance, block, k);
      if (reached[next])
        continue;
      reached[next] = true;
      norn_list_push(&context->arena, &work, next);
    }
  }
  return reached;
}

/* Whether a store behind the load may change what it loads. */
static bool
is_overwritten(NornPassContext *context, const NornFunction *function, uint32_t load,
               const NornMemoryAccess *read) {
  const bool *reached = find_reached(context, function, norn_inst(function, load)->block);
  norn_for_each_block (function, block) {
    bool is_behind = reached[block];
    norn_for_each_inst (function, block, index) {
      NornMemoryAccess write;
      is_behind |= index == load;
      if (is_behind && writes_memory(norn_inst(function, index)) &&
          norn_describe_access(function, index, &write) && norn_conflict(read, &write))
        return true;
    }
  }
  return false;
}

/* The first load that varyings depend on and that finds something else in their program, or
 * NORN_INDEX_NONE. */
static uint32_t
find_overwritten(NornPassContext *context, const NornFunction *function) {
  bool writes = false;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index)
      writes |= writes_memory(norn_inst(function, index));
  if (!writes)
    return NORN_INDEX_NONE;
  const bool *needed = find_needed(context, function);
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      NornMemoryAccess read;
      if (needed[index] && norn_ops[norn_inst(function, index)->op].flags & NORN_OP_READS_MEMORY &&
          norn_describe_access(function, index, &read) && read.reads &&
          is_overwritten(context, function, index, &read))
        return index;
    }
  return NORN_INDEX_NONE;
}

bool
norn_choose_vertex_part(NornPassContext *context, NornFunction *function, GError **error) {
  NornVertexPart wanted = context->options->vertex_part;
  if (!norn_check_vertex_part(context, error))
    return false;
  uint32_t overwritten =
      wanted == NORN_VERTEX_VARYINGS ? find_overwritten(context, function) : NORN_INDEX_NONE;
  if (overwritten != NORN_INDEX_NONE)
    return norn_inst_error(function, norn_inst(function, overwritten), NORN_ERROR_UNSUPPORTED,
                           error,
                           "'%s': a varying depends on what a store behind it may overwrite, and "
                           "the program of positions has done so before the program of varyings",
                           norn_ops[norn_inst(function, overwritten)->op].name);
  norn_for_each_block (function, block) {
    for (uint32_t index = norn_block(function, block)->first, next; index != NORN_INDEX_NONE;
         index = next) {
      NornVertexPart part = part_of(norn_inst(function, index));
      next = norn_inst(function, index)->next;
      if (wanted != NORN_VERTEX_WHOLE && part != NORN_VERTEX_WHOLE && part != wanted)
        norn_inst_erase(function, index);
    }
  }
  return true;
}
