/* Finds classes of values that should be in the same or in neighboring registers.
 *
 * The operands of a collect should already be words of the group, the results of a split should
 * stay in place, and the source of a copy and a block argument should be in the register of the
 * copy or parameter. Each such preference joins two classes of a weighted union-find, deepest loops
 * first, unless it contradicts an earlier one: by a different distance, by a group that cannot
 * start there, or by a class that gets too wide. Interference is not considered: a preference that
 * cannot be met costs only a move.
 *
 * The chain of values that a loop computes from a parameter, up to the argument for the next
 * iteration, is recorded besides the classes: these values should stay in the parameter's register,
 * whichever that is.
 *
 * A value that is live across an instruction that clobbers registers avoids those registers, even
 * if it is required there later: otherwise it would move twice. Therefore it does not join a class
 * that is required there. */
#include "ir/ops.h"
#include "passes/regalloc/allocate.h"

#define CLASS_WORDS 16
#define DEEPEST 7
#define MAX_STEPS 64 /* in an iteration, from a parameter to the argument for the next one */

uint32_t
norn_affinity_find(NornAffinity *affinity, uint32_t value, int *offset) {
  uint32_t root = value;
  int total = 0;
  while (affinity[root].parent != root) {
    total += affinity[root].offset;
    root = affinity[root].parent;
  }
  NORN_ASSERT(ABS(total) <= 2 * CLASS_WORDS);
  *offset = total;
  while (affinity[value].parent != root && value != root) {
    uint32_t parent = affinity[value].parent;
    int own = affinity[value].offset;
    affinity[value].parent = root;
    affinity[value].offset = (int8_t)total;
    total -= own;
    value = parent;
  }
  return root;
}

/* A number of registers modulo 2 to the power of `log`. */
static unsigned
residue_of(int words, unsigned log) {
  return (unsigned)words & ((1u << log) - 1);
}

/* Whether the class's register is one that instructions clobber. */
static bool
is_wanted_in_clobbered(const NornAllocation *allocation, const NornAffinity *class) {
  return class->base != NORN_NO_BASE && class->base >= 0 &&
         norn_regs_has(allocation->clobbered, (unsigned)class->base);
}

/* Requests that `value` begin `distance` words after `anchor`. */
static void
join(NornAllocation *allocation, uint32_t anchor, uint32_t value, int distance) {
  NornAffinity *affinity = allocation->affinity;
  int anchor_offset, value_offset;
  uint32_t root = norn_affinity_find(affinity, anchor, &anchor_offset);
  uint32_t other = norn_affinity_find(affinity, value, &value_offset);
  int shift = anchor_offset + distance - value_offset; /* of the other class's origin */
  if (root == other || affinity[root].class != affinity[other].class)
    return;
  NornAffinity *to = &affinity[root], *from = &affinity[other];
  if ((from->crosses && is_wanted_in_clobbered(allocation, to)) ||
      (to->crosses && is_wanted_in_clobbered(allocation, from)))
    return;
  int low = MIN(to->low, from->low + shift), high = MAX(to->high, from->high + shift);
  if (high - low > CLASS_WORDS || ABS(shift) > CLASS_WORDS)
    return;
  unsigned residue = residue_of(from->residue - shift, from->alignment);
  unsigned common = MIN(from->alignment, to->alignment);
  if (residue_of((int)residue, common) != residue_of(to->residue, common))
    return;
  if (from->alignment > to->alignment) {
    to->alignment = from->alignment;
    to->residue = (uint8_t)residue;
  }
  NORN_ASSERT(low <= 0 && high > 0); /* the representative itself begins at the origin */
  to->low = (int8_t)low;
  to->high = (int8_t)high;
  from->parent = root;
  from->offset = (int8_t)shift;
  if (to->base == NORN_NO_BASE && from->base != NORN_NO_BASE)
    to->base = (int16_t)(from->base - shift);
  to->crosses |= from->crosses;
}

/* Joins operand k with the value, if it is a value that dies here. */
static void
join_operand(NornAllocation *allocation, uint32_t value, uint32_t slot, int distance) {
  NornRef ref = *norn_operand_at(allocation->function, slot);
  if (norn_ref_kind(ref) == NORN_REF_VALUE && norn_bit(allocation->pressure->kills, slot))
    join(allocation, value, norn_ref_payload(ref), distance);
}

/* Records operands that the instruction requires in particular registers or aligned. Each is still
 * alone in its class. */
static void
note_fixed(NornAllocation *allocation, uint32_t index) {
  const NornInst *inst = norn_inst(allocation->function, index);
  const NornPassContext *context = allocation->context;
  NornFixedRegisters fixed;
  if (!norn_is_machine(inst) ||
      !context->target->fixed_registers(context->target, allocation->function, inst, &fixed))
    return;
  if (norn_regs_any(fixed.clobbered)) {
    norn_list_push(allocation->arena, &allocation->clobbering, index);
    norn_regs_add(&allocation->clobbered, fixed.clobbered);
  }
  const NornRef *operands = norn_operands(allocation->function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = operands[k];
    if (norn_ref_kind(ref) != NORN_REF_VALUE)
      continue;
    NornAffinity *class = &allocation->affinity[norn_ref_payload(ref)];
    if (fixed.operand[k] != NORN_NO_REGISTER && class->base == NORN_NO_BASE) {
      class->fixed = fixed.operand[k];
      class->base = (int16_t)fixed.operand[k];
    }
    unsigned number = norn_pressure_class(allocation->pressure, norn_ref_payload(ref));
    unsigned alignment = allocation->model->alignment[number][2];
    if (fixed.low >> k & 1 && class->alignment < alignment) {
      class->alignment = (uint8_t)alignment;
      class->residue = 0;
    }
  }
}

/* Whether the edge also passes the argument before argument k. */
static bool
is_repeated(const NornFunction *function, uint32_t slot, unsigned k) {
  for (unsigned j = 0; j < k; j++)
    if (*norn_operand_at(function, slot + j) == *norn_operand_at(function, slot + k))
      return true;
  return false;
}

/* A value that is passed to several parameters joins only one of them: the others need their own
 * registers. */
static void
join_edge(NornAllocation *allocation, const NornInst *inst, const NornEdge *edge) {
  const NornFunction *function = allocation->function;
  uint32_t slot = inst->operand + edge->operand + 1;
  for (unsigned k = 0; k < edge->argument_count; k++) {
    NornRef ref = *norn_operand_at(function, slot + k);
    if (norn_ref_kind(ref) == NORN_REF_VALUE &&
        !norn_live_in(allocation->live, edge->block, norn_ref_payload(ref)) &&
        !is_repeated(function, slot, k))
      join(allocation, norn_block_parameter(function, edge->block, k), norn_ref_payload(ref), 0);
  }
}

static void
join_instruction(NornAllocation *allocation, uint32_t index) {
  const NornFunction *function = allocation->function;
  const NornInst *inst = norn_inst(function, index);
  switch (inst->op) {
  case NORN_OP_COLLECT:
    for (unsigned k = 0; k < inst->operand_count; k++)
      join_operand(allocation, inst->result, inst->operand + k, (int)k);
    return;
  case NORN_OP_SPLIT:
    for (unsigned k = 0; k < inst->result_count; k++)
      join_operand(allocation, inst->result + k, inst->operand, -(int)k);
    return;
  case NORN_OP_COPY:
    join_operand(allocation, inst->result, inst->operand, 0);
    return;
  case NORN_OP_JUMP:
    norn_for_each_edge (function, index, edge) {
      join_edge(allocation, inst, &edge);
    }
    return;
  default:
    return;
  }
}

/* By value: the machine instruction in a loop that reads it last, + 1, if that has one result of as
 * many words. */
static uint32_t *
find_successors(const NornAllocation *allocation) {
  const NornFunction *function = allocation->function;
  const uint8_t *words = allocation->pressure->words;
  uint32_t *next = NORN_NEW0(allocation->arena, uint32_t, allocation->value_count);
  norn_for_each_block (function, block) {
    if (!allocation->dominance->loop_depth[block])
      continue;
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      const NornRef *operands = norn_operands(function, inst);
      for (unsigned k = 0;
           norn_is_machine(inst) && inst->result_count == 1 && k < inst->operand_count; k++)
        if (norn_bit(allocation->pressure->kills, inst->operand + k) &&
            words[norn_ref_payload(operands[k])] == words[inst->result])
          next[norn_ref_payload(operands[k])] = index + 1;
    }
  }
  return next;
}

static void
note_replacement(NornAllocation *allocation, uint32_t parameter, NornRef argument) {
  if (allocation->iterations == NORN_ITERATIONS_KEEP &&
      norn_defining_inst(allocation->function, argument)) {
    allocation->replacement[parameter] = norn_ref_payload(argument);
    allocation->parameter[norn_ref_payload(argument)] = parameter;
  }
}

/* Records the parameter for each value of the chain from it to the argument for the next iteration:
 * all of them can stay in one register. If there is no such chain, records the argument only. */
static void
note_steps(NornAllocation *allocation, const uint32_t *next, uint32_t parameter, NornRef argument) {
  uint32_t chain[MAX_STEPS + 1] = {parameter};
  unsigned count = 0;
  while (norn_ref(NORN_REF_VALUE, chain[count]) != argument) {
    if (count == MAX_STEPS || !next[chain[count]]) {
      note_replacement(allocation, parameter, argument);
      return;
    }
    uint32_t inst = next[chain[count]] - 1;
    chain[++count] = norn_inst(allocation->function, inst)->result;
  }
  for (unsigned k = 1; k <= count; k++)
    allocation->parameter[chain[k]] = parameter;
}

static void
note_loops(NornAllocation *allocation) {
  const NornFunction *function = allocation->function;
  const NornDominance *dominance = allocation->dominance;
  allocation->parameter = NULL;
  if (allocation->iterations == NORN_ITERATIONS_IGNORE || !norn_has_loops(dominance))
    return;
  allocation->parameter = norn_arena_indexes(allocation->arena, allocation->value_count);
  allocation->replacement = norn_arena_indexes(allocation->arena, allocation->value_count);
  const uint32_t *next = find_successors(allocation);
  norn_for_each_block (function, block) {
    uint32_t last = norn_block_terminator(function, block);
    norn_for_each_edge (function, last, edge)
      for (unsigned k = 0,
                    count = norn_dominates(dominance, edge.block, block) ? edge.argument_count : 0;
           k < count; k++)
        note_steps(allocation, next, norn_block_parameter(function, edge.block, k),
                   norn_operand(function, last, edge.operand + 1 + k));
  }
}

/* The value is live across an instruction that clobbers registers, so it should avoid these. */
static void
note_crossing(NornAllocation *allocation, uint32_t value) {
  NornAffinity *class = &allocation->affinity[value];
  class->crosses = true;
  if (is_wanted_in_clobbered(allocation, class))
    class->base = NORN_NO_BASE;
}

/* Finds values that are live across the clobbering instructions of a block, from its end up to the
 * first of them. */
static void
find_crossing(NornAllocation *allocation, uint32_t first) {
  NornFunction *function = allocation->function;
  uint32_t block = norn_inst(function, first)->block;
  bool *live = NORN_NEW0(allocation->arena, bool, allocation->value_count);
  NornIndexList values = {0};
  norn_for_each_live (allocation->live, allocation->live->out[block], value) {
    live[value] = true;
    norn_list_push(allocation->arena, &values, value);
  }
  for (uint32_t index = norn_block(function, block)->last;;
       index = norn_inst(function, index)->previous) {
    const NornInst *inst = norn_inst(function, index);
    for (unsigned k = 0; k < inst->result_count; k++)
      live[inst->result + k] = false;
    for (uint32_t i = 0; i < allocation->clobbering.count; i++)
      for (uint32_t k = 0; allocation->clobbering.items[i] == index && k < values.count; k++)
        if (live[values.items[k]])
          note_crossing(allocation, values.items[k]);
    if (index == first)
      return;
    norn_for_each_use (function, inst, use) {
      uint32_t value = use.value;
      if (live[value])
        continue;
      live[value] = true;
      norn_list_push(allocation->arena, &values, value);
    }
  }
}

/* The binary logarithm of the alignment of the value's registers. */
static uint8_t
alignment_of(const NornAllocation *allocation, uint32_t value) {
  unsigned class = norn_pressure_class(allocation->pressure, value);
  return allocation->model->alignment[class][allocation->pressure->words[value]];
}

void
norn_affinity_build(NornAllocation *allocation) {
  NornFunction *function = allocation->function;
  allocation->clobbering.count = 0;
  allocation->clobbered = NORN_NO_REGISTERS;
  for (uint32_t v = 0; v < allocation->value_count; v++)
    allocation->affinity[v] = (NornAffinity){
        .parent = v,
        .fixed = NORN_NO_REGISTER,
        .high = (int8_t)allocation->pressure->words[v],
        .alignment = alignment_of(allocation, v),
        .base = NORN_NO_BASE,
        .class = (uint8_t)norn_pressure_class(allocation->pressure, v),
    };
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst)
      note_fixed(allocation, inst);
  uint32_t last = NORN_INDEX_NONE;
  for (uint32_t i = 0; i < allocation->clobbering.count; i++) {
    uint32_t first = allocation->clobbering.items[i];
    if (norn_inst(function, first)->block != last)
      find_crossing(allocation, first);
    last = norn_inst(function, first)->block;
  }
  for (unsigned depth = DEEPEST + 1; depth--;)
    norn_for_each_block (function, block) {
      if (MIN(allocation->dominance->loop_depth[block], DEEPEST) != depth)
        continue;
      norn_for_each_inst (function, block, inst)
        join_instruction(allocation, inst);
    }
  note_loops(allocation);
}
