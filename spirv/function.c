/* Functions, blocks and control flow.
 *
 * A function is translated once for each call; its blocks become part of the shader's CFG as they
 * are. Where lanes reconverge follows from the CFG (doc/ir.md), so merge and continue instructions
 * are not needed. The values that an OpPhi selects from are passed by branches of the blocks that
 * it names, as arguments for parameters. Unreachable blocks are omitted.
 *
 * Before the first translation of a function its blocks are listed, with the operands of phis
 * sorted by the block that they come from, so that each is visited only once. */
#include "ir/demote.h"
#include "spirv/interface.h"
#include "spirv/stages.h"
#include <stdlib.h>

/* An operand of a phi, stored with the block that it comes from. */
typedef struct PhiOperand {
  uint32_t from;        /* id of the block */
  uint32_t block;       /* number of the phi's block */
  uint32_t order;       /* among all operands of phis */
  uint32_t type, value; /* ids */
} PhiOperand;

typedef struct SpirvBlock {
  uint32_t id, at;                 /* of its OpLabel */
  uint32_t end;                    /* of its terminator */
  uint32_t merge;                  /* of its OpLoopMerge; 0: it heads no loop */
  uint32_t operand, operand_count; /* of phis, for values that come from it */
  bool is_reached;
} SpirvBlock;

struct NornSpirvFunction {
  uint32_t id, at; /* of OpFunction */
  uint32_t end;    /* of OpFunctionEnd */
  bool is_listed, is_active;
  SpirvBlock *blocks;
  uint32_t block_count;
  PhiOperand *operands;
  uint32_t operand_count;
  uint32_t returns; /* number of reachable blocks that return */
};

/* --- Listing --- */

void
norn_spirv_read_functions(NornSpirvReader *reader) {
  NornSpirvFunction *function = NULL;
  for (; reader->at < reader->word_count && !reader->error;
       norn_spirv_seek(reader, reader->at + norn_spirv_length(reader))) {
    unsigned opcode = norn_spirv_opcode(reader);
    if (opcode == SpvOpFunction) {
      NORN_GROW(reader->functions, reader->function_capacity, (uint64_t)reader->function_count + 1);
      function = &reader->functions[reader->function_count];
      *function = (NornSpirvFunction){.id = norn_spirv_word(reader, 2), .at = reader->at};
      norn_spirv_id(reader, 2)->function = ++reader->function_count;
    } else if (opcode == SpvOpFunctionEnd && function) {
      function->end = reader->at;
      function = NULL;
    } else if (!function && opcode != SpvOpLine && opcode != SpvOpNoLine && opcode != SpvOpNop &&
               opcode != SpvOpExtInst) {
      norn_spirv_invalid(reader, "an instruction between functions");
    }
  }
  if (function && !reader->error)
    norn_spirv_invalid(reader, "the function does not end");
}

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
  SpirvBlock *block = NULL;
  function->block_count = function->operand_count = 0;
  for (norn_spirv_seek(reader, function->at); reader->at < function->end && !reader->error;
       norn_spirv_seek(reader, reader->at + norn_spirv_length(reader))) {
    unsigned opcode = norn_spirv_opcode(reader);
    if (opcode == SpvOpLabel) {
      if (block && !block->end)
        norn_spirv_invalid(reader, "the previous block does not end in a terminator");
      block = function->blocks ? &function->blocks[function->block_count] : NULL;
      if (block)
        *block = (SpirvBlock){.id = norn_spirv_word(reader, 1), .at = reader->at};
      function->block_count++;
    } else if (opcode == SpvOpPhi) {
      for (uint32_t k = 3; k + 1 < norn_spirv_length(reader); k += 2, function->operand_count++)
        if (function->operands)
          function->operands[function->operand_count] = (PhiOperand){
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
  const PhiOperand *x = a, *y = b;
  if (x->from != y->from)
    return x->from < y->from ? -1 : 1;
  if (x->block != y->block)
    return x->block < y->block ? -1 : 1;
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

/* Lists the function's blocks if that has not been done yet. */
static bool
list_function(NornSpirvReader *reader, NornSpirvFunction *function) {
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
  function->blocks = NORN_NEW0(&reader->arena, SpirvBlock, function->block_count);
  function->operands = NORN_NEW0(&reader->arena, PhiOperand, MAX(function->operand_count, 1));
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
    const SpirvBlock *block = &function->blocks[k];
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
    const SpirvBlock *block = &function->blocks[k];
    if (!block->is_reached)
      continue;
    for (norn_spirv_seek(reader, block->at); reader->at < block->end && !reader->error;
         norn_spirv_seek(reader, reader->at + norn_spirv_length(reader)))
      if (norn_spirv_opcode(reader) == SpvOpPhi)
        make_phi(reader, reader->ids[block->id].refs[0]);
  }
}

/* The branch from a block to the block named by word k, with its arguments. */
static NornBranch
branch_to(NornSpirvReader *reader, const NornSpirvFunction *function, const SpirvBlock *from,
          uint32_t k) {
  uint32_t target = block_number(reader, function, k), filled = 0, capacity = 0;
  NornRef *arguments = NULL;
  const PhiOperand *operands = function->operands + from->operand;
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
                const SpirvBlock *block) {
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
                   const SpirvBlock *block) {
  NornRef condition = norn_spirv_scalar(reader, 1);
  NornBranch yes = branch_to(reader, function, block, 2);
  NornBranch no = branch_to(reader, function, block, 3);
  if (!reader->error)
    norn_build_br(reader->builder, condition, yes, no);
}

static void
end_with_jump(NornSpirvReader *reader, const NornSpirvFunction *function, const SpirvBlock *block) {
  NornBranch branch = branch_to(reader, function, block, 1);
  if (!reader->error)
    norn_build_jump(reader->builder, branch);
}

/* Leaves the function, with the value of word 1, if any. */
static void
end_with_return(NornSpirvReader *reader, const NornSpirvFunction *function,
                const SpirvBlock *block) {
  (void)block;
  bool has_value = norn_spirv_opcode(reader) == SpvOpReturnValue;
  NornSpirvReturn *back = reader->returns;
  const NornRef *refs = has_value ? norn_spirv_value(reader, 1, back->value_count) : NULL;
  if (!has_value && back->value_count)
    norn_spirv_invalid(reader, "the return has no value, but the function returns one");
  if (reader->error)
    return;
  back->is_reached = true;
  if (function->returns == 1 && !back->block) {
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
                 const SpirvBlock *block) {
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
                 const SpirvBlock *block) {
  (void)function;
  (void)block;
  norn_build_unreachable(reader->builder);
}

static void
end_block(NornSpirvReader *reader, const NornSpirvFunction *function, const SpirvBlock *block) {
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

/* The module's locations are lines of a single file: the first one that is mentioned. */
static void
set_source(NornSpirvReader *reader, uint32_t file) {
  const NornSpirvId *id = file < reader->bound ? &reader->ids[file] : NULL;
  if (reader->source || !id || !id->at || (reader->words[id->at] & 0xFFFF) != SpvOpString)
    return;
  const char *name = norn_spirv_text(reader, id->at + 2);
  reader->source = file;
  if (!*name)
    return;
  g_free(reader->module->filename);
  reader->module->filename = g_strdup(name);
}

/* Sets the location of what comes next: the line in the module's file, or 0. */
static void
build_line(NornSpirvReader *reader) {
  norn_builder_set_line(reader->builder, reader->line_file == reader->source ? reader->line : 0);
}

void
norn_spirv_set_line(NornSpirvReader *reader, uint32_t file, uint32_t line) {
  set_source(reader, file);
  reader->line_file = file;
  reader->line = line;
  build_line(reader);
}

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
                          is_usual ? 0 : CLAMP(iterations, 1, NORN_MOST_ITERATIONS), false, unroll);
}

static void
translate_block(NornSpirvReader *reader, const NornSpirvFunction *function,
                const SpirvBlock *block) {
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

/* --- Calls --- */

/* Translates the function's blocks, starting from the current one; returns lead to `back`. */
static void
translate_function(NornSpirvReader *reader, NornSpirvFunction *function, NornSpirvReturn *back) {
  NornSpirvReturn *outer = reader->returns;
  reader->returns = back;
  function->is_active = true;
  make_blocks(reader, function);
  make_phis(reader, function);
  if (!reader->error)
    norn_build_jump(reader->builder, norn_branch(reader->ids[function->blocks[0].id].refs[0]));
  for (uint32_t k = 0; k < function->block_count && !reader->error; k++)
    if (function->blocks[k].is_reached)
      translate_block(reader, function, &function->blocks[k]);
  function->is_active = false;
  reader->returns = outer;
}

/* The function named by an id, ready to be translated; NULL with an error. */
static NornSpirvFunction *
find_function(NornSpirvReader *reader, uint32_t id) {
  uint32_t number = norn_spirv_find(reader, id)->function;
  if (!number || number > reader->function_count || reader->functions[number - 1].id != id) {
    norn_spirv_invalid(reader, "%%%u is not a function", id);
    return NULL;
  }
  NornSpirvFunction *function = &reader->functions[number - 1];
  if (function->is_active)
    norn_spirv_invalid(reader, "the function calls itself; recursion is not supported");
  else if (reader->depth >= NORN_SPIRV_DEPTH_LIMIT)
    norn_spirv_fail(reader, NORN_ERROR_LIMIT, "calls are nested more than %u deep",
                    NORN_SPIRV_DEPTH_LIMIT);
  return !reader->error && list_function(reader, function) ? function : NULL;
}

/* Sets the parameters to the arguments of the current call. */
static void
set_parameters(NornSpirvReader *reader, const NornSpirvFunction *function) {
  uint32_t call = reader->at, k = 4;
  for (uint32_t at = function->at; at < function->blocks[0].at && !reader->error;
       at += reader->words[at] >> 16) {
    if ((reader->words[at] & 0xFFFF) != SpvOpFunctionParameter)
      continue;
    norn_spirv_seek(reader, call);
    const NornSpirvType *type = norn_spirv_find(reader, reader->words[at + 1])->type;
    NornSpirvId *parameter = norn_spirv_find(reader, reader->words[at + 2]);
    bool is_pointer = type && type->op == SpvOpTypePointer && !type->scalar;
    uint32_t word = k++;
    if (reader->error || !type)
      return;
    parameter->type = type;
    parameter->pointer = is_pointer ? norn_spirv_pointer(reader, word) : NULL;
    parameter->refs = NULL;
    if (!is_pointer)
      parameter->refs = (NornRef *)norn_spirv_value(reader, word, norn_spirv_flat(reader, type));
  }
  norn_spirv_seek(reader, call);
}

void
norn_spirv_read_call(NornSpirvReader *reader) {
  uint32_t call = reader->at, line = reader->line, line_file = reader->line_file;
  const NornSpirvType *type = norn_spirv_type(reader, 1);
  NornSpirvFunction *function = find_function(reader, norn_spirv_word(reader, 3));
  if (!function)
    return;
  uint32_t count = norn_spirv_flat(reader, type);
  NornSpirvReturn back = {.value_count = count, .values = norn_spirv_new_refs(reader, count)};
  set_parameters(reader, function);
  if (reader->error)
    return;
  if (function->returns != 1) {
    back.block = norn_build_block(reader->builder, NULL);
    for (uint32_t k = 0; k < count; k++)
      back.values[k] =
          norn_build_parameter(reader->builder, back.block, norn_spirv_scalar_type(type, k), NULL);
  }
  reader->depth++;
  translate_function(reader, function, &back);
  reader->depth--;
  norn_spirv_seek(reader, call);
  reader->line = line;
  reader->line_file = line_file;
  build_line(reader);
  if (reader->error)
    return;
  norn_spirv_go_to(reader, back.block ? back.block : back.from);
  norn_spirv_define(reader, back.values, count);
}

/* --- The entry point --- */

/* Sets the workgroup's size: a built-in constant takes precedence over the execution mode. */
static void
set_workgroup(NornSpirvReader *reader) {
  uint32_t size[3];
  for (unsigned axis = 0; axis < 3; axis++)
    size[axis] = reader->local_size[axis];
  if (reader->local_size_at) {
    norn_spirv_seek(reader, reader->local_size_at);
    for (unsigned axis = 0; axis < 3; axis++)
      size[axis] = (uint32_t)norn_spirv_constant(reader, 3 + axis);
  }
  for (uint32_t id = 1; id < reader->bound; id++) {
    const NornSpirvId *own = &reader->ids[id];
    uint64_t bits;
    if (!own->refs || !own->type || own->type->flat != 3 ||
        norn_spirv_decorated(reader, id, NORN_SPIRV_NONE, SpvDecorationBuiltIn, NORN_SPIRV_NONE) !=
            SpvBuiltInWorkgroupSize)
      continue;
    for (unsigned axis = 0; axis < 3; axis++)
      if (norn_spirv_constant_bits(reader, own->refs[axis], &bits))
        size[axis] = (uint32_t)bits;
  }
  if (reader->module->stage != NORN_STAGE_COMPUTE)
    return;
  norn_module_set_workgroup(reader->module, size[0], size[1], size[2]);
  norn_module_set_grid_limit(reader->module, reader->options->abi.grid_limit);
}

/* Reserves the first uniform words for push constants. */
static void
reserve_words(NornSpirvReader *reader) {
  norn_spirv_reserve_words(reader);
  for (uint32_t id = 1; id < reader->bound && !reader->error; id++) {
    const NornSpirvType *type = reader->ids[id].type;
    if (type && type->id == id && type->op == SpvOpTypePointer &&
        type->storage == SpvStorageClassPushConstant) {
      const NornSpirvType *block = norn_spirv_pointee(reader, type);
      if (block->op == SpvOpTypeStruct && block->is_block)
        norn_spirv_reserve_push_constants(reader, block);
    }
  }
}

/* Turns killed invocations into helpers where that is allowed: derivatives next to an invocation
 * that has ended are undefined (GLSL 4.60, section 8.14.1), so they may as well see one that
 * continues. */
static void
demote_killed(NornSpirvReader *reader) {
  NornFunction *function = reader->module->functions[0];
  NornArenaMark mark = norn_arena_mark(&reader->arena);
  const NornDominance *dominance = norn_dominance_new(&reader->arena, function);
  if (norn_demote_terminated(&reader->arena, function, dominance, true))
    norn_blocks_remove_unreachable(&reader->arena, function,
                                   norn_dominance_new(&reader->arena, function));
  norn_arena_release(&reader->arena, mark);
}

void
norn_spirv_translate_entry(NornSpirvReader *reader) {
  norn_spirv_seek(reader, reader->entry_at);
  NornSpirvFunction *function =
      norn_spirv_make_module(reader) ? find_function(reader, reader->entry) : NULL;
  if (!function)
    return;
  set_workgroup(reader);
  reserve_words(reader);
  NornSpirvReturn back = {0};
  NornRef first = norn_build_block(reader->builder, NULL);
  if (function->returns != 1)
    back.block = norn_build_block(reader->builder, "exit");
  norn_spirv_go_to(reader, reader->setup);
  norn_spirv_clip(reader);
  norn_spirv_go_to(reader, first);
  translate_function(reader, function, &back);
  if (reader->error)
    return;
  if (back.is_reached) {
    norn_builder_set_line(reader->builder, 0);
    norn_spirv_go_to(reader, back.block ? back.block : back.from);
    norn_spirv_store_outputs(reader);
    norn_build_end(reader->builder);
  } else if (back.block) {
    norn_spirv_go_to(reader, back.block);
    norn_build_unreachable(reader->builder);
  }
  norn_spirv_go_to(reader, reader->setup);
  norn_builder_set_line(reader->builder, 0);
  norn_spirv_clear_workgroup_memory(reader);
  if (reader->error)
    return;
  norn_build_jump(reader->builder, norn_branch(first));
  if (reader->kills)
    demote_killed(reader);
  norn_module_set_memory(reader->module, reader->shared_bytes, 0);
}
