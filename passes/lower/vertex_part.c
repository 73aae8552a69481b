/* The parts of a vertex shader.
 *
 * If the machine runs a vertex shader as two programs, one part is compiled at a time: the stores
 * of the other part are left out, and code that only they need becomes dead. The program of
 * varyings runs after that of positions, and possibly for fewer vertices, so it writes nothing
 * else. Its loads read memory as all stores have left it: a varying that depends on earlier
 * contents is refused. Resources with different handles are assumed to be different memory there:
 * otherwise every shader that writes one of them and reads another would be refused. */
#include "ir/analysis/alias.h"
#include "ir/analysis/dominance.h"
#include "ir/ops.h"
#include "ir/text/locations.h"
#include "passes/lower/lower.h"

/* The part that an instruction belongs to; WHOLE: both. Each program has its own thread-local
 * memory. */
static NornVertexPart
part_of(const NornInst *inst) {
  uint64_t flags = norn_ops[inst->op].flags;
  if (inst->op == NORN_OP_STORE_VARYING)
    return NORN_VERTEX_VARYINGS;
  /* Nobody else sees thread-local memory. */
  bool is_seen = flags & NORN_OP_WRITES_MEMORY && !(flags & NORN_OP_SCRATCH);
  return is_seen ? NORN_VERTEX_POSITION : NORN_VERTEX_WHOLE;
}

/* The first instruction that cannot be compiled in the requested part, or NORN_INDEX_NONE; records
 * in `seen` which parts the shader has. */
static uint32_t
find_misfit(const NornPassContext *context, const NornFunction *function, bool *seen) {
  NornVertexPart wanted = context->options->vertex_part;
  const NornTarget *target = context->target;
  bool is_one = !target->has_one_vertex_program || target->has_one_vertex_program(target);
  norn_for_each_block (function, block) {
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      NornVertexPart part = inst->op == NORN_OP_CALL ? NORN_VERTEX_WHOLE : part_of(inst);
      seen[part] = true;
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
    uint32_t misfit = find_misfit(context, function, seen);
    if (misfit != NORN_INDEX_NONE)
      return norn_inst_error(
          function, norn_inst(function, misfit), NORN_ERROR_UNSUPPORTED, error,
          "'%s': the architecture needs separate programs for positions and varyings; compile one "
          "with the vertex part 'position' and one with 'varyings'",
          norn_ops[norn_inst(function, misfit)->op].name);
  }
  return true;
}

/* --- Overwritten loads --- */

/* Marks the instructions that varyings, control flow or the contents of thread-local memory depend
 * on, except variables that no marked instruction uses. */
static bool *
find_needed(NornPassContext *context, const NornFunction *function) {
  bool *needed = NORN_NEW0(&context->arena, bool, MAX(1, function->inst_count));
  /* By instruction: for a variable its last store, for a store the previous one. */
  uint32_t *stores = norn_arena_indexes(&context->arena, MAX(1, function->inst_count));
  NornIndexList work = {0};
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      uint64_t flags = norn_ops[inst->op].flags;
      uint32_t variable = norn_stored_variable(function, index);
      if (variable != NORN_INDEX_NONE) {
        stores[index] = stores[variable];
        stores[variable] = index;
        continue;
      }
      needed[index] = inst->op == NORN_OP_STORE_VARYING || inst->op == NORN_OP_CALL ||
                      flags & NORN_OP_TERMINATOR ||
                      (flags & NORN_OP_WRITES_MEMORY && flags & NORN_OP_SCRATCH);
      if (needed[index])
        norn_list_push(&context->arena, &work, index);
    }
  while (work.count) {
    uint32_t index = work.items[--work.count];
    const NornInst *inst = norn_inst(function, index);
    norn_for_each_use (function, inst, use) {
      const NornValue *value = norn_value(function, use.value);
      if (value->is_parameter || needed[value->def])
        continue;
      needed[value->def] = true;
      norn_list_push(&context->arena, &work, value->def);
    }
    for (uint32_t store = inst->op == NORN_OP_ALLOCA ? stores[index] : NORN_INDEX_NONE;
         store != NORN_INDEX_NONE; store = stores[store]) {
      if (needed[store])
        continue;
      needed[store] = true;
      norn_list_push(&context->arena, &work, store);
    }
  }
  return needed;
}

/* The stores that may be executed after a point of the program, which is walked backward. */
typedef struct StoresBehind {
  const NornFunction *function;
  const NornDominance *dominance;
  const bool *needed;
  NornAccessSet *at_start; /* by block */
  NornAccessSet now;
  uint32_t overwritten; /* a needed load that one of them may change, if any */
} StoresBehind;

/* Describes the memory that the instruction accesses; a constant handle is the root. */
static bool
describe(const NornFunction *function, uint32_t index, NornMemoryAccess *access) {
  const NornInst *inst = norn_inst(function, index);
  NornSignatureCursor cursor = norn_inst_operands(inst);
  if (!norn_describe_access(function, index, access))
    return false;
  for (unsigned k = 0; k < inst->operand_count; k++, norn_cursor_next(&cursor))
    if (norn_cursor_kind(&cursor) == NORN_LETTER_HANDLE &&
        norn_is_constant(norn_operands(function, inst)[k]))
      access->root = norn_operands(function, inst)[k];
  return true;
}

/* Whether the instruction writes memory only in the program of positions; describes the access. */
static bool
is_store(const NornFunction *function, uint32_t index, NornMemoryAccess *access) {
  const NornInst *inst = norn_inst(function, index);
  return part_of(inst) == NORN_VERTEX_POSITION && !(norn_ops[inst->op].flags & NORN_OP_ORDERS) &&
         describe(function, index, access) && access->spaces & NORN_SPACE_GLOBAL;
}

/* Before its definition in an iteration, the value is that of another iteration. */
static void
forget_value(StoresBehind *behind, uint32_t block, uint32_t value) {
  if (behind->dominance->loop_depth[block])
    norn_access_set_forget_base(&behind->now, norn_ref(NORN_REF_VALUE, value));
}

static void
walk_inst(StoresBehind *behind, uint32_t index) {
  const NornFunction *function = behind->function;
  const NornInst *inst = norn_inst(function, index);
  NornMemoryAccess access;
  for (unsigned k = 0; k < inst->result_count; k++)
    forget_value(behind, inst->block, inst->result + k);
  if (is_store(function, index, &access)) {
    norn_access_set_include(&behind->now, &access);
  } else if (behind->needed[index] && norn_ops[inst->op].flags & NORN_OP_READS_MEMORY &&
             describe(function, index, &access)) {
    unsigned end = behind->now.count;
    if (norn_access_set_conflict(&behind->now, &access, &end))
      behind->overwritten = index;
  }
}

/* Walks a block backward. Returns whether more stores may be executed after its start than were
 * known. */
static bool
walk_block(StoresBehind *behind, uint32_t block) {
  const NornFunction *function = behind->function;
  norn_access_set_clear(&behind->now);
  for (unsigned k = 0; k < norn_successor_count(behind->dominance, block); k++)
    norn_access_set_merge(&behind->now,
                          &behind->at_start[norn_successor(behind->dominance, block, k)]);
  for (uint32_t index = norn_block(function, block)->last; index != NORN_INDEX_NONE;
       index = norn_inst(function, index)->previous)
    walk_inst(behind, index);
  for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++)
    forget_value(behind, block, norn_block_parameter(function, block, k));
  return norn_access_set_merge(&behind->at_start[block], &behind->now);
}

/* A load, about the first one, that varyings depend on and that reads something else in their
 * program, or NORN_INDEX_NONE. */
static uint32_t
find_overwritten(NornPassContext *context, const NornFunction *function) {
  enum { MAX_STORES = 64 };
  StoresBehind behind = {
      .function = function,
      .dominance = norn_pass_dominance(context, function),
      .needed = find_needed(context, function),
      .at_start = NORN_NEW(&context->arena, NornAccessSet, MAX(1, function->block_count)),
      .overwritten = NORN_INDEX_NONE};
  norn_access_set_init(&behind.now, &context->arena, MAX_STORES);
  for (uint32_t block = 0; block < function->block_count; block++)
    norn_access_set_init(&behind.at_start[block], &context->arena, MAX_STORES);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = behind.dominance->order_count; i-- > 0;)
      changed |= walk_block(&behind, behind.dominance->order[i]);
  }
  return behind.overwritten;
}

static bool
has_stores(const NornFunction *function) {
  NornMemoryAccess access;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index)
      if (is_store(function, index, &access))
        return true;
  return false;
}

/* --- Leaving out a part --- */

/* Erases the instructions that depend on removed results; no instruction that stays needs them. */
static void
erase_dependents(NornPassContext *context, NornFunction *function, bool *is_gone) {
  const NornDominance *dominance = norn_pass_dominance(context, function);
  for (uint32_t i = 0; i < dominance->order_count; i++) {
    uint32_t index = norn_block(function, dominance->order[i])->first;
    for (uint32_t next; index != NORN_INDEX_NONE; index = next) {
      const NornInst *inst = norn_inst(function, index);
      bool depends = false;
      next = inst->next;
      norn_for_each_use (function, inst, use)
        depends |= is_gone[use.value];
      if (!depends)
        continue;
      for (unsigned k = 0; k < inst->result_count; k++)
        is_gone[inst->result + k] = true;
      norn_inst_erase(function, index);
    }
  }
}

/* Leaves out the instructions of the other part. One with a result, such as an atomic access, can
 * be removed if no varying depends on the result. */
static bool
leave_out(NornPassContext *context, NornFunction *function, GError **error) {
  NornVertexPart wanted = context->options->vertex_part;
  bool *needed = NULL, *is_gone = NULL;
  norn_for_each_block (function, block) {
    for (uint32_t index = norn_block(function, block)->first, next; index != NORN_INDEX_NONE;
         index = next) {
      const NornInst *inst = norn_inst(function, index);
      NornVertexPart part = part_of(inst);
      next = inst->next;
      if (wanted == NORN_VERTEX_WHOLE || part == NORN_VERTEX_WHOLE || part == wanted)
        continue;
      if (!inst->result_count) {
        norn_inst_erase(function, index);
        continue;
      }
      if (!needed) {
        needed = find_needed(context, function);
        is_gone = NORN_NEW0(&context->arena, bool, function->value_count);
      }
      if (needed[index])
        return norn_inst_error(function, inst, NORN_ERROR_UNSUPPORTED, error,
                               "'%s' cannot be left out of the program for varyings",
                               norn_ops[inst->op].name);
      is_gone[inst->result] = true;
      norn_inst_become(function, index, NORN_OP_UNDEF, 0, NULL, 0);
    }
  }
  if (is_gone)
    erase_dependents(context, function, is_gone);
  return true;
}

bool
norn_choose_vertex_part(NornPassContext *context, NornFunction *function, GError **error) {
  NornVertexPart wanted = context->options->vertex_part;
  if (!norn_check_vertex_part(context, error))
    return false;
  uint32_t overwritten = wanted == NORN_VERTEX_VARYINGS && has_stores(function)
                             ? find_overwritten(context, function)
                             : NORN_INDEX_NONE;
  if (overwritten != NORN_INDEX_NONE)
    return norn_inst_error(
        function, norn_inst(function, overwritten), NORN_ERROR_UNSUPPORTED, error,
        "'%s': a varying depends on memory that a later store may overwrite, and the program for "
        "positions executes that store before the program for varyings runs",
        norn_ops[norn_inst(function, overwritten)->op].name);
  return leave_out(context, function, error);
}
