/* The blocks of a function.
 *
 * They become part of the shader's CFG as they are. Where lanes reconverge follows from the CFG
 * (doc/ir.md), so merge and continue instructions are not needed. The values that an OpPhi selects
 * from are passed by branches of the blocks that it names, as arguments for parameters. Unreachable
 * blocks are omitted.
 *
 * Before the first translation of a function its blocks are listed, with the operands of phis
 * sorted by the block that they come from, so that each is visited only once. */
#include "spirv/function.h"
#include <stdlib.h>

/* --- Listing --- */

/* ROW(Name, function that translates it, first word that names a block): the terminators. */
#define NO_BLOCK UINT16_MAX
#define TERMINATORS(ROW)                                                                           \
  ROW(Branch, end_with_jump, 1)                                                                    \
  ROW(BranchConditional, end_with_condition, 2)                                                    \
  ROW(Switch, end_with_switch, 2)                                                                  \
  ROW(Return, end_with_return, NO_BLOCK)                                                           \
  ROW(ReturnValue, end_with_return, NO_BLOCK)                                                      \
  ROW(Kill, end_with_discard, NO_BLOCK)                                                            \
  ROW(TerminateInvocation, end_with_discard, NO_BLOCK)                                             \
  ROW(Unreachable, end_with_nothing, NO_BLOCK)

/* The first word of a terminator that names a block, or NO_BLOCK; 0: not a terminator. */
static uint32_t
first_target(unsigned opcode) {
  switch (opcode) {
#define ROW(name, end_with, word)                                                                  \
  case SpvOp##name:                                                                                \
    return word;
    TERMINATORS(ROW)
#undef ROW
  default:
    return 0;
  }
}

/* Counts blocks and operands of phis, or stores them if the arrays are allocated. */
static void
list_instructions(NornSpirvReader *reader, NornSpirvFunction *function) {
  NornSpirvBlock *block = NULL;
  function->block_count = function->operand_count = 0;
  for (norn_spirv_seek(reader, function->at); reader->at < function->end && !reader->error;
       norn_spirv_seek(reader, reader->at + norn_spirv_length(reader))) {
    unsigned opcode = norn_spirv_opcode(reader);
    if (opcode == SpvOpLabel) {
      if (block && !block->end)
        norn_spirv_invalid(reader, "the previous block does not end in a terminator");
      block = function->blocks ? &function->blocks[function->block_count] : NULL;
      if (block)
        *block = (NornSpirvBlock){.id = norn_spirv_word(reader, 1), .at = reader->at};
      function->block_count++;
    } else if (opcode == SpvOpPhi) {
      for (uint32_t k = 3; k + 1 < norn_spirv_length(reader); k += 2, function->operand_count++)
        if (function->operands)
          function->operands[function->operand_count] = (NornSpirvPhiOperand){
              .from = norn_spirv_word(reader, k + 1),
              .block = function->block_count - 1,
              .order = function->operand_count,
              .type = norn_spirv_word(reader, 1),
              .value = norn_spirv_word(reader, k),
          };
      if (!function->block_count)
        norn_spirv_invalid(reader, "a phi outside of a block");
    } else if (opcode == SpvOpLoopMerge && block) {
      block->merge = reader->at;
    } else if (first_target(opcode) && block) {
      if (block->end)
        norn_spirv_invalid(reader, "the block has already ended");
      block->end = reader->at;
    }
  }
  if (block && !block->end && !reader->error)
    norn_spirv_invalid(reader, "the last block does not end in a terminator");
}

static int
compare_operands(const void *a, const void *b) {
  const NornSpirvPhiOperand *x = a, *y = b;
  if (x->from != y->from)
    return x->from < y->from ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

/* The number of the block named by word k. */
static uint32_t
block_number(NornSpirvReader *reader, const NornSpirvFunction *function, uint32_t k) {
  const NornSpirvId *id = norn_spirv_id(reader, k);
  uint32_t number = id->function;
  if (number < function->block_count && function->blocks[number].id == norn_spirv_word(reader, k))
    return number;
  norn_spirv_invalid(reader, "%%%u is not a block of this function", norn_spirv_word(reader, k));
  return 0;
}

/* Whether the value named by word k has more than 32 bits, even if it has not been computed yet. */
static bool
is_wide(NornSpirvReader *reader, uint32_t k) {
  uint32_t at = norn_spirv_id(reader, k)->at;
  const NornSpirvInstruction *row =
      at ? norn_spirv_find_instruction(reader->words[at] & 0xFFFF) : NULL;
  if (!row || !row->shape.type)
    return false;
  const NornSpirvType *type = norn_spirv_find(reader, reader->words[at + row->shape.type])->type;
  return type && norn_type_bits((NornType)type->scalar) > 32;
}

/* The distance between words that name blocks: the default of a switch is followed by literals with
 * their blocks. */
static uint32_t
target_step(NornSpirvReader *reader) {
  if (norn_spirv_opcode(reader) != SpvOpSwitch)
    return 1;
  return is_wide(reader, 1) ? 3 : 2;
}

/* The end of the words that name targets: a conditional branch has two, and weights may follow. */
static uint32_t
target_end(const NornSpirvReader *reader) {
  return norn_spirv_opcode(reader) == SpvOpBranchConditional ? 4 : norn_spirv_length(reader);
}

/* Marks the blocks that are reachable from the first one. */
static void
find_reached(NornSpirvReader *reader, NornSpirvFunction *function) {
  uint32_t *work = NORN_NEW(&reader->arena, uint32_t, function->block_count), count = 0;
  work[count++] = 0;
  function->blocks[0].is_reached = true;
  while (count && !reader->error) {
    norn_spirv_seek(reader, function->blocks[work[--count]].end);
    unsigned opcode = norn_spirv_opcode(reader);
    function->returns += opcode == SpvOpReturn || opcode == SpvOpReturnValue;
    uint32_t step = target_step(reader);
    for (uint32_t k = first_target(opcode); k < target_end(reader); k += step) {
      uint32_t target = block_number(reader, function, k);
      if (!function->blocks[target].is_reached)
        work[count++] = target;
      function->blocks[target].is_reached = true;
    }
  }
}

static void
find_phi_operands(NornSpirvReader *reader, NornSpirvFunction *function) {
  if (function->operand_count)
    qsort(function->operands, function->operand_count, sizeof *function->operands,
          compare_operands);
  for (uint32_t first = 0, end; first < function->operand_count; first = end) {
    uint32_t from = function->operands[first].from;
    for (end = first; end < function->operand_count && function->operands[end].from == from;)
      end++;
    const NornSpirvId *id = norn_spirv_find(reader, from);
    if (id->function < function->block_count && function->blocks[id->function].id == from) {
      function->blocks[id->function].operand = first;
      function->blocks[id->function].operand_count = end - first;
    }
  }
}

bool
norn_spirv_list_blocks(NornSpirvReader *reader, NornSpirvFunction *function) {
  uint32_t at = reader->at;
  const uint32_t *inst = reader->inst;
  if (function->is_listed)
    return true;
  function->is_listed = true;
  list_instructions(reader, function);
  if (!function->block_count && !reader->error)
    norn_spirv_invalid(reader, "the function has no blocks");
  if (reader->error)
    return false;
  function->blocks = NORN_NEW0(&reader->arena, NornSpirvBlock, function->block_count);
  function->operands =
      NORN_NEW0(&reader->arena, NornSpirvPhiOperand, MAX(function->operand_count, 1));
  list_instructions(reader, function);
  for (uint32_t k = 0; k < function->block_count && !reader->error; k++)
    norn_spirv_find(reader, function->blocks[k].id)->function = k;
  if (!reader->error)
    find_phi_operands(reader, function);
  if (!reader->error)
    find_reached(reader, function);
  reader->at = at;
  reader->inst = inst;
  return !reader->error;
}

/* --- Blocks --- */

void
norn_spirv_go_to(NornSpirvReader *reader, NornRef block) {
  reader->block = block;
  if (block)
    norn_builder_set_block(reader->builder, block);
}

/* Creates the blocks, with a parameter for each scalar of their phis. */
static void
make_blocks(NornSpirvReader *reader, const NornSpirvFunction *function) {
  for (uint32_t k = 0; k < function->block_count && !reader->error; k++) {
    const NornSpirvBlock *block = &function->blocks[k];
    if (!block->is_reached)
      continue;
    NornSpirvId *id = norn_spirv_find(reader, block->id);
    if (!id->refs)
      id->refs = NORN_NEW(&reader->arena, NornRef, 1);
    const char *name = norn_spirv_text(reader, id->name);
    id->refs[0] = norn_build_block(reader->builder, *name ? name : NULL);
  }
}

static void
make_phi(NornSpirvReader *reader, NornRef block) {
  const NornSpirvType *type = norn_spirv_type(reader, 1);
  uint32_t count = norn_spirv_flat(reader, type);
  NornRef *refs = norn_spirv_new_refs(reader, count);
  if (type->op == SpvOpTypePointer && !type->flat) {
    norn_spirv_unsupported(reader, "selecting between pointers of this type is not supported");
    return;
  }
  for (uint32_t k = 0; k < count && !reader->error; k++)
    refs[k] = norn_build_parameter(reader->builder, block, norn_spirv_scalar_type(type, k), NULL);
  norn_spirv_define(reader, refs, count);
}

/* Creates all phis before any block is filled, since a branch may come before the block it leads
 * to. */
static void
make_phis(NornSpirvReader *reader, const NornSpirvFunction *function) {
  for (uint32_t k = 0; k < function->block_count && !reader->error; k++) {
    const NornSpirvBlock *block = &function->blocks[k];
    if (!block->is_reached)
      continue;
    for (norn_spirv_seek(reader, block->at); reader->at < block->end && !reader->error;
         norn_spirv_seek(reader, reader->at + norn_spirv_length(reader)))
      if (norn_spirv_opcode(reader) == SpvOpPhi)
        make_phi(reader, reader->ids[block->id].refs[0]);
  }
}

/* --- Terminators --- */

/* The branch from a block to the block named by word k, with its arguments. */
static NornBranch
branch_to(NornSpirvReader *reader, const NornSpirvFunction *function, const NornSpirvBlock *from,
          uint32_t k) {
  uint32_t target = block_number(reader, function, k), filled = 0, capacity = 0;
  NornRef *arguments = NULL;
  const NornSpirvPhiOperand *operands = function->operands + from->operand;
  uint32_t low = 0, high = from->operand_count;
  while (low < high) { /* the first one for the target */
    uint32_t middle = low + (high - low) / 2;
    if (operands[middle].block < target)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < from->operand_count && operands[low].block == target && !reader->error; low++) {
    const NornSpirvType *type = norn_spirv_find(reader, operands[low].type)->type, *own;
    const NornRef *refs = norn_spirv_refs(reader, operands[low].value, &own);
    if (!refs || !type || own->flat != type->flat) {
      norn_spirv_invalid(reader, "%%%u is not a value for a phi of %%%u", operands[low].value,
                         function->blocks[target].id);
      break;
    }
    NORN_ARENA_GROW(&reader->arena, arguments, capacity, (uint64_t)filled + type->flat);
    for (uint32_t i = 0; i < type->flat; i++)
      arguments[filled++] = refs[i];
  }
  const NornRef *refs = reader->ids[function->blocks[target].id].refs;
  return (NornBranch){refs ? refs[0] : 0, filled, arguments};
}

static int
compare_cases(const void *a, const void *b) {
  const NornCase *x = a, *y = b;
  return x->value < y->value ? -1 : x->value > y->value;
}

static void
end_with_switch(NornSpirvReader *reader, const NornSpirvFunction *function,
                const NornSpirvBlock *block) {
  const NornSpirvType *type;
  uint32_t step = target_step(reader), length = norn_spirv_length(reader), count = 0;
  NornRef selector = norn_spirv_any_value(reader, 1, &type)[0];
  NornCase *cases = NORN_NEW0(&reader->arena, NornCase, length);
  if (type->op != SpvOpTypeInt || (length - 3) % step) {
    norn_spirv_invalid(reader,
                       "the switch has no integer selector, or its last case is incomplete");
    return;
  }
  NornBranch otherwise = branch_to(reader, function, block, 2);
  for (uint32_t k = 3; k < length && !reader->error; k += step) {
    uint64_t bits = norn_spirv_word(reader, k);
    if (step == 3)
      bits |= (uint64_t)norn_spirv_word(reader, k + 1) << 32;
    bits &= norn_type_mask((NornType)type->scalar);
    cases[count++] = (NornCase){(int64_t)bits, branch_to(reader, function, block, k + step - 1)};
  }
  if (count)
    qsort(cases, count, sizeof *cases, compare_cases);
  for (uint32_t k = 1; k < count; k++)
    if (cases[k].value == cases[k - 1].value)
      norn_spirv_invalid(reader, "the switch has two equal cases");
  if (!reader->error)
    norn_build_switch(reader->builder, (NornType)type->scalar, selector, otherwise, count, cases);
}

static void
end_with_condition(NornSpirvReader *reader, const NornSpirvFunction *function,
                   const NornSpirvBlock *block) {
  NornRef condition = norn_spirv_scalar(reader, 1);
  NornBranch yes = branch_to(reader, function, block, 2);
  NornBranch no = branch_to(reader, function, block, 3);
  if (!reader->error)
    norn_build_br(reader->builder, condition, yes, no);
}

static void
end_with_jump(NornSpirvReader *reader, const NornSpirvFunction *function,
              const NornSpirvBlock *block) {
  NornBranch branch = branch_to(reader, function, block, 1);
  if (!reader->error)
    norn_build_jump(reader->builder, branch);
}

/* Leaves the function, with the value of word 1, if any. */
static void
end_with_return(NornSpirvReader *reader, const NornSpirvFunction *function,
                const NornSpirvBlock *block) {
  (void)function;
  (void)block;
  bool has_value = norn_spirv_opcode(reader) == SpvOpReturnValue;
  NornSpirvReturn *back = reader->returns;
  const NornRef *refs = has_value ? norn_spirv_value(reader, 1, back->value_count) : NULL;
  if (!has_value && back->value_count)
    norn_spirv_invalid(reader, "the return has no value, but the function returns one");
  if (reader->error)
    return;
  back->is_reached = true;
  if (!back->block) { /* the only return */
    for (uint32_t k = 0; k < back->value_count; k++)
      back->values[k] = refs[k];
    back->from = reader->block;
    return;
  }
  NornBranch branch = {back->block, has_value ? back->value_count : 0, refs};
  norn_build_jump(reader->builder, branch);
}

static void
end_with_discard(NornSpirvReader *reader, const NornSpirvFunction *function,
                 const NornSpirvBlock *block) {
  (void)function;
  (void)block;
  reader->kills = reader->module->stage == NORN_STAGE_FRAGMENT;
  if (reader->kills)
    norn_build_terminate(reader->builder);
  else
    norn_spirv_invalid(reader, "only a fragment shader can discard");
}

static void
end_with_nothing(NornSpirvReader *reader, const NornSpirvFunction *function,
                 const NornSpirvBlock *block) {
  (void)function;
  (void)block;
  norn_build_unreachable(reader->builder);
}

static void
end_block(NornSpirvReader *reader, const NornSpirvFunction *function, const NornSpirvBlock *block) {
  switch (norn_spirv_opcode(reader)) {
#define ROW(name, end_with, word)                                                                  \
  case SpvOp##name:                                                                                \
    end_with(reader, function, block);                                                             \
    break;
    TERMINATORS(ROW)
#undef ROW
  }
  reader->block = 0;
}

/* --- Translation --- */

/* The literal of the loop control's bit in word *next, which then is that of the next literal;
 * `otherwise` if the bit is not set. */
static uint32_t
control_literal(NornSpirvReader *reader, uint32_t bit, uint32_t *next, uint32_t otherwise) {
  return norn_spirv_word(reader, 3) & bit ? norn_spirv_word(reader, (*next)++) : otherwise;
}

/* Marks the header of a loop if its OpLoopMerge says whether to unroll it, or least or greatest
 * numbers of iterations. */
static void
build_mark(NornSpirvReader *reader) {
  uint32_t control = norn_spirv_word(reader, 3), next = 4;
  control_literal(reader, SpvLoopControlDependencyLengthMask, &next, 0);
  uint32_t min = control_literal(reader, SpvLoopControlMinIterationsMask, &next, 0);
  uint32_t max = control_literal(reader, SpvLoopControlMaxIterationsMask, &next, UINT32_MAX);
  uint32_t iterations = MIN(MAX(min, NORN_ASSUMED_ITERATIONS), max);
  NornUnroll unroll = control & SpvLoopControlDontUnrollMask ? NORN_UNROLL_NEVER
                      : control & SpvLoopControlUnrollMask   ? NORN_UNROLL_ALWAYS
                                                             : NORN_UNROLL_AUTO;
  bool is_usual = iterations == NORN_ASSUMED_ITERATIONS;
  if (!is_usual || unroll)
    norn_build_loop_entry(reader->builder, 0,
                          is_usual ? 0 : CLAMP(iterations, 1, NORN_MAX_ITERATIONS), false, unroll);
}

static void
translate_block(NornSpirvReader *reader, const NornSpirvFunction *function,
                const NornSpirvBlock *block) {
  norn_spirv_go_to(reader, reader->ids[block->id].refs[0]);
  if (block->merge) {
    norn_spirv_seek(reader, block->merge);
    build_mark(reader);
  }
  norn_spirv_seek(reader, block->at);
  for (norn_spirv_seek(reader, block->at + norn_spirv_length(reader));
       reader->at < block->end && !reader->error;
       norn_spirv_seek(reader, reader->at + norn_spirv_length(reader))) {
    unsigned opcode = norn_spirv_opcode(reader);
    if (++reader->instructions > NORN_SPIRV_INSTRUCTION_LIMIT)
      norn_spirv_fail(reader, NORN_ERROR_LIMIT, "more than %u instructions after inlining",
                      NORN_SPIRV_INSTRUCTION_LIMIT);
    else if (opcode == SpvOpLine)
      norn_spirv_set_line(reader, norn_spirv_word(reader, 1), norn_spirv_word(reader, 2));
    else if (opcode == SpvOpNoLine)
      norn_spirv_set_line(reader, 0, 0);
    else if (opcode != SpvOpPhi && opcode != SpvOpSelectionMerge && opcode != SpvOpLoopMerge)
      norn_spirv_translate(reader);
  }
  if (!reader->error)
    end_block(reader, function, block);
}

void
norn_spirv_translate_blocks(NornSpirvReader *reader, const NornSpirvFunction *function) {
  make_blocks(reader, function);
  make_phis(reader, function);
  if (!reader->error)
    norn_build_jump(reader->builder, norn_branch(reader->ids[function->blocks[0].id].refs[0]));
  for (uint32_t k = 0; k < function->block_count && !reader->error; k++)
    if (function->blocks[k].is_reached)
      translate_block(reader, function, &function->blocks[k]);
}
