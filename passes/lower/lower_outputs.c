/* Outputs. Of a vertex shader, the stores of the part that is not compiled are removed
 * (vertex_part.c). Those of a fragment shader move to a single end, in the order that the hardware
 * requires.
 *
 * In the IR, outputs may be stored anywhere, and the last store of each counts. The hardware takes
 * coverage, depth and stencil, then colors by target, once and at the end. So all ends become jumps
 * to one, and every output becomes a variable: its stores are definitions, the end is its use, and
 * block parameters carry it where paths join, as far as it is needed there. A target that only some
 * paths store is stored under a condition, which is also a variable, and so is whether the
 * invocation has become a helper, if anything asks for it. A path that terminates makes the
 * invocation a helper and jumps to the end like the others, where its outputs do not matter. */
#include "ir/analysis/dominance.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/lower/lower.h"
#include <string.h>

enum {
  COLOR = 0,
  IS_STORED = COLOR + NORN_COLOR_TARGETS, /* whether the color is stored */
  SECOND_COLOR = IS_STORED + NORN_COLOR_TARGETS,
  DEPTH,
  STENCIL,
  COVERAGE,
  IS_HELPER,
  VARIABLES,
};

/* An output, or a value that is tracked with the outputs. */
typedef struct Variable {
  bool exists;
  uint8_t type;
  uint32_t store; /* one of its stores, as a template */
} Variable;

/* A variable in a block. */
typedef struct BlockVariable {
  NornRef out; /* at the end; 0: not known yet */
  bool needed; /* at the start */
  bool defined, used_first;
} BlockVariable;

typedef struct OutputLowering {
  NornArena *arena;
  NornModule *module;
  NornFunction *function;
  const NornDominance *dominance;
  Variable variables[VARIABLES];
  uint8_t tracked[VARIABLES]; /* the variables that exist or may yet be added, ascending */
  uint8_t column[VARIABLES];  /* the index of each tracked variable in that list */
  unsigned tracked_count;
  BlockVariable *block_variables; /* a row per block, a column per tracked variable */
  uint32_t *added;                /* per block: number of parameters before the pass */
  NornReplacements helpers;       /* values that replace results of helper_invocation */
  uint32_t end;                   /* the block */
  bool demotes;
} OutputLowering;

static BlockVariable *
block_variable(const OutputLowering *outputs, uint32_t block, unsigned variable) {
  return &outputs
              ->block_variables[(size_t)block * outputs->tracked_count + outputs->column[variable]];
}

static int
variable_of(const NornInst *inst) {
  switch (inst->op) {
  case NORN_OP_STORE_COLOR:
  case NORN_OP_STORE_COLOR_IF:
    return COLOR + (int)norn_immediate(inst->payload, NORN_IMMEDIATE_TARGET);
  case NORN_OP_STORE_SECOND_COLOR:
    return SECOND_COLOR;
  case NORN_OP_STORE_DEPTH:
    return DEPTH;
  case NORN_OP_STORE_STENCIL:
    return STENCIL;
  case NORN_OP_STORE_COVERAGE:
    return COVERAGE;
  default:
    return -1;
  }
}

/* Whether helpers need not store the variable. */
static bool
is_output(unsigned variable) {
  return variable < IS_STORED || (variable >= SECOND_COLOR && variable <= STENCIL);
}

static bool
demotes(const NornInst *inst) {
  return inst->op == NORN_OP_DEMOTE || inst->op == NORN_OP_ALPHA_TEST;
}

/* --- One end --- */

/* Joins all ends in one; false if there are none. */
static bool
join_ends(OutputLowering *outputs) {
  NornFunction *function = outputs->function;
  uint32_t ends = 0, terminates = 0, last = NORN_INDEX_NONE;
  norn_for_each_block (function, block) {
    unsigned op = norn_inst(function, norn_block(function, block)->last)->op;
    ends += op == NORN_OP_END;
    terminates += op == NORN_OP_TERMINATE;
    if (op == NORN_OP_END || op == NORN_OP_TERMINATE)
      last = block;
  }
  outputs->end = last;
  if (ends + terminates == 0)
    return false;
  if (ends == 1 && !terminates)
    return true;
  outputs->end = norn_block_create(function, 0);
  NornBuilder at_end =
      norn_builder_at_end_for(function, outputs->end, norn_block(function, last)->last);
  norn_build_end(&at_end);
  NornRef to = norn_ref(NORN_REF_BLOCK, outputs->end);
  norn_for_each_block (function, block) {
    uint32_t terminator = norn_block(function, block)->last;
    unsigned op = norn_inst(function, terminator)->op;
    if (block == outputs->end || (op != NORN_OP_END && op != NORN_OP_TERMINATE))
      continue;
    if (op == NORN_OP_TERMINATE) {
      NornBuilder builder = norn_builder_before(function, terminator);
      norn_build_demote(&builder, norn_constant(outputs->module, 1));
    }
    norn_inst_become(function, terminator, NORN_OP_JUMP, 0, &to, 1);
  }
  return true;
}

/* --- Variables --- */

static void
note_store(OutputLowering *outputs, uint32_t index) {
  const NornInst *inst = norn_inst(outputs->function, index);
  Variable *variable = &outputs->variables[variable_of(inst)];
  *variable = (Variable){true, inst->type, index};
  if (inst->op == NORN_OP_STORE_DEPTH)
    variable->type = NORN_TYPE_F32;
  else if (inst->op == NORN_OP_STORE_STENCIL || inst->op == NORN_OP_STORE_COVERAGE)
    variable->type = NORN_TYPE_I32;
  if (inst->op == NORN_OP_STORE_COLOR_IF)
    outputs->variables[variable_of(inst) - COLOR + IS_STORED] =
        (Variable){true, NORN_TYPE_I1, index};
}

static void
find_variables(OutputLowering *outputs) {
  const NornFunction *function = outputs->function;
  bool asks = false;
  norn_for_each_block (function, block) {
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      if (variable_of(inst) >= 0)
        note_store(outputs, index);
      outputs->demotes |= demotes(inst);
      asks |= inst->op == NORN_OP_HELPER_INVOCATION;
    }
  }
  outputs->variables[IS_HELPER] = (Variable){asks && outputs->demotes, NORN_TYPE_I1, 0};
}

/* Most shaders have few outputs, and some have many blocks. */
static void
track_variables(OutputLowering *outputs) {
  for (unsigned v = 0; v < VARIABLES; v++) {
    bool is_flag = v >= IS_STORED && v < IS_STORED + NORN_COLOR_TARGETS;
    if (!outputs->variables[is_flag ? v - IS_STORED + COLOR : v].exists)
      continue;
    outputs->column[v] = (uint8_t)outputs->tracked_count;
    outputs->tracked[outputs->tracked_count++] = (uint8_t)v;
  }
  outputs->block_variables =
      NORN_NEW0(outputs->arena, BlockVariable,
                (size_t)outputs->function->block_count * MAX(outputs->tracked_count, 1));
}

/* Whether all invocations leave the block as helpers, so that missing stores do not matter. */
static bool
terminates(const OutputLowering *outputs, uint32_t block) {
  const NornFunction *function = outputs->function;
  uint32_t previous = norn_inst(function, norn_block(function, block)->last)->previous;
  return previous != NORN_INDEX_NONE && norn_inst(function, previous)->op == NORN_OP_DEMOTE &&
         norn_operand(function, previous, 0) == norn_constant(outputs->module, 1);
}

/* Whether every path to the end stores the variable. */
static bool
is_always_stored(const OutputLowering *outputs, unsigned variable) {
  const NornDominance *dominance = outputs->dominance;
  bool *stored = NORN_NEW(outputs->arena, bool, MAX(1, outputs->function->block_count));
  memset(stored, true, outputs->function->block_count * sizeof *stored);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < dominance->order_count; i++) {
      uint32_t block = dominance->order[i];
      unsigned count = norn_predecessor_count(dominance, block);
      bool now = count > 0 && i > 0;
      for (unsigned k = 0; k < count; k++)
        now = now && stored[norn_predecessor(dominance, block, k)];
      now = now || block_variable(outputs, block, variable)->defined || terminates(outputs, block);
      changed |= now != stored[block];
      stored[block] = now;
    }
  }
  bool always = stored[outputs->end];
  return always;
}

/* Marks the blocks that store the variables, or after which their values do not matter. A demotion
 * uses the variable that it changes. */
static void
find_definitions(OutputLowering *outputs) {
  const NornFunction *function = outputs->function;
  norn_for_each_block (function, block) {
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      int variable = variable_of(inst);
      if (variable >= 0)
        block_variable(outputs, block, (unsigned)variable)->defined = true;
      if (variable >= 0 && variable < NORN_COLOR_TARGETS) {
        BlockVariable *flag = block_variable(outputs, block, IS_STORED + (unsigned)variable);
        flag->used_first |= inst->op == NORN_OP_STORE_COLOR_IF && !flag->defined;
        flag->defined = true;
        BlockVariable *color = block_variable(outputs, block, COLOR + (unsigned)variable);
        color->used_first |= flag->used_first;
      }
      if (!outputs->variables[IS_HELPER].exists)
        continue;
      BlockVariable *helper = block_variable(outputs, block, IS_HELPER);
      if (demotes(inst) || inst->op == NORN_OP_HELPER_INVOCATION)
        helper->used_first |= !helper->defined;
      helper->defined |= demotes(inst);
    }
    for (unsigned k = 0; k < outputs->tracked_count && terminates(outputs, block); k++)
      if (is_output(outputs->tracked[k]))
        block_variable(outputs, block, outputs->tracked[k])->defined = true;
  }
}

/* A color that is not stored on every path is stored under a condition. The verifier ensures that
 * depth, stencil and the second color are stored on every path that writes anything; coverage is
 * all samples by default. */
static void
complete_variables(OutputLowering *outputs) {
  for (unsigned v = COLOR; v < COLOR + NORN_COLOR_TARGETS; v++) {
    const Variable *variable = &outputs->variables[v];
    if (!variable->exists || is_always_stored(outputs, v))
      continue;
    outputs->variables[IS_STORED + v] = (Variable){true, NORN_TYPE_I1, variable->store};
  }
}

/* Finds the blocks where each variable is needed, backward from the uses. */
static void
find_needs(OutputLowering *outputs) {
  const NornDominance *dominance = outputs->dominance;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = dominance->order_count; i-- > 0;) {
      uint32_t block = dominance->order[i];
      for (unsigned k = 0; k < outputs->tracked_count; k++) {
        unsigned v = outputs->tracked[k];
        BlockVariable *variable = block_variable(outputs, block, v);
        if (variable->needed || !outputs->variables[v].exists)
          continue;
        bool needed = block == outputs->end && v != IS_HELPER;
        for (unsigned edge = 0; edge < norn_successor_count(dominance, block); edge++)
          needed |= block_variable(outputs, norn_successor(dominance, block, edge), v)->needed;
        variable->needed = variable->used_first || (needed && !variable->defined);
        changed |= variable->needed;
      }
    }
  }
}

/* --- Values --- */

/* The value of the variable at the start of the program. */
static NornRef
initial_value(OutputLowering *outputs, unsigned variable) {
  NornFunction *function = outputs->function;
  NornType type = outputs->variables[variable].type;
  NornBuilder builder = norn_builder_at_start(function, function->block_order[0]);
  if (variable == IS_HELPER)
    return norn_build_helper_invocation(&builder);
  if (variable == COVERAGE)
    return norn_constant(outputs->module, UINT32_MAX);
  return type == NORN_TYPE_I1 ? norn_constant(outputs->module, 0)
                              : norn_build_undef(&builder, type);
}

static NornRef
value_at_start(OutputLowering *outputs, uint32_t block, unsigned variable) {
  const NornDominance *dominance = outputs->dominance;
  unsigned count = norn_predecessor_count(dominance, block);
  if (block == outputs->function->block_order[0])
    return initial_value(outputs, variable);
  if (count == 1)
    return block_variable(outputs, norn_predecessor(dominance, block, 0), variable)->out;
  return norn_ref(NORN_REF_VALUE, norn_block_add_parameter(outputs->function, block,
                                                           outputs->variables[variable].type, 0));
}

/* The condition of a demotion. */
static NornRef
demotion(OutputLowering *outputs, NornBuilder *builder, uint32_t index) {
  NornFunction *function = outputs->function;
  const NornInst *inst = norn_inst(function, index);
  if (inst->op == NORN_OP_DEMOTE)
    return norn_operand(function, index, 0);
  NornRef test =
      norn_build_fcmp(builder, inst->modifier, inst->type, norn_operand(function, index, 0),
                      norn_operand(function, index, 1));
  return norn_build_not(builder, NORN_TYPE_I1, test);
}

/* Handles a color stored under a condition. */
static void
choose_color(OutputLowering *outputs, uint32_t index, NornRef *now, unsigned target) {
  NornFunction *function = outputs->function;
  NornRef color = norn_operand(function, index, 0), condition = norn_operand(function, index, 1);
  NornType type = outputs->variables[COLOR + target].type;
  NornBuilder builder = norn_builder_before(function, index);
  now[COLOR + target] = norn_build_select(&builder, type, condition, color, now[COLOR + target]);
  now[IS_STORED + target] =
      norn_build_or(&builder, NORN_TYPE_I1, now[IS_STORED + target], condition);
}

/* The value of an output where all invocations are helpers: an undefined one of the block itself,
 * so that nothing has to be kept until then. */
static NornRef
any_value(OutputLowering *outputs, uint32_t block, unsigned variable) {
  NornFunction *function = outputs->function;
  NornBuilder builder = norn_builder_before(function, norn_block(function, block)->last);
  return norn_build_undef(&builder, outputs->variables[variable].type);
}

/* Renames the variables in a block and erases its stores. */
static void
rename_in_block(OutputLowering *outputs, uint32_t block) {
  NornFunction *function = outputs->function;
  NornRef now[VARIABLES] = {0};
  for (unsigned k = 0; k < outputs->tracked_count; k++) {
    unsigned v = outputs->tracked[k];
    if (block_variable(outputs, block, v)->needed)
      now[v] = value_at_start(outputs, block, v);
  }
  for (uint32_t index = norn_block(function, block)->first, next; index != NORN_INDEX_NONE;
       index = next) {
    next = norn_inst(function, index)->next;
    const NornInst inst = *norn_inst(function, index);
    int variable = variable_of(&inst);
    if (inst.op == NORN_OP_STORE_COLOR_IF) {
      choose_color(outputs, index, now, (unsigned)variable - COLOR);
    } else if (variable >= 0) {
      now[variable] = norn_operand(function, index, 0);
      if (variable < NORN_COLOR_TARGETS)
        now[IS_STORED + variable] = norn_constant(outputs->module, 1);
    }
    /* One of the stores will be moved to the end. */
    if (variable >= 0 && index != outputs->variables[variable].store)
      norn_inst_erase(function, index);
    if (!outputs->variables[IS_HELPER].exists)
      continue;
    if (demotes(&inst)) {
      NornBuilder builder = norn_builder_before(function, index);
      NornRef demoted = demotion(outputs, &builder, index);
      now[IS_HELPER] = norn_build_or(&builder, NORN_TYPE_I1, now[IS_HELPER], demoted);
    } else if (inst.op == NORN_OP_HELPER_INVOCATION &&
               norn_ref(NORN_REF_VALUE, inst.result) != now[IS_HELPER]) {
      norn_replacements_set(&outputs->helpers, inst.result, now[IS_HELPER]);
      norn_inst_erase(function, index);
    }
  }
  bool ends = terminates(outputs, block);
  for (unsigned k = 0; k < outputs->tracked_count; k++) {
    unsigned v = outputs->tracked[k];
    block_variable(outputs, block, v)->out =
        ends && is_output(v) ? any_value(outputs, block, v) : now[v];
  }
}

/* Passes the variables to the parameters that were added for them, which are in the order of the
 * variables. */
static void
pass_arguments(OutputLowering *outputs, uint32_t block) {
  NornFunction *function = outputs->function;
  uint32_t terminator = norn_block(function, block)->last;
  NornRef arguments[VARIABLES];
  NornEdge edge = {0};
  while (norn_next_edge(function, terminator, &edge)) {
    unsigned count = 0, wanted = norn_block(function, edge.block)->parameter_count;
    for (unsigned k = 0; k < outputs->tracked_count && outputs->added[edge.block] < wanted; k++)
      if (block_variable(outputs, edge.block, outputs->tracked[k])->needed)
        arguments[count++] = block_variable(outputs, block, outputs->tracked[k])->out;
    norn_inst_splice_operands(function, terminator, edge.operand + 1 + edge.argument_count, 0,
                              arguments, count);
    edge.next += count;
  }
}

/* --- The end --- */

static void
store_at_end(OutputLowering *outputs, unsigned variable) {
  NornFunction *function = outputs->function;
  if (!outputs->variables[variable].exists)
    return;
  uint32_t store = outputs->variables[variable].store;
  NornBuilder builder = norn_builder_before(function, norn_block(function, outputs->end)->last);
  NornRef operands[2] = {block_variable(outputs, outputs->end, variable)->out};
  unsigned count = 1;
  if (variable < NORN_COLOR_TARGETS) {
    if (outputs->variables[IS_STORED + variable].exists)
      operands[count++] = block_variable(outputs, outputs->end, IS_STORED + variable)->out;
    norn_inst(function, store)->op = count > 1 ? NORN_OP_STORE_COLOR_IF : NORN_OP_STORE_COLOR;
  }
  norn_inst_set_operands(function, store, operands, count);
  norn_builder_insert(&builder, store);
}

static void
move_outputs(OutputLowering *outputs) {
  static const uint8_t first[] = {COVERAGE, DEPTH, STENCIL};
  NornFunction *function = outputs->function;
  const NornDominance *dominance = outputs->dominance;
  find_needs(outputs);
  outputs->added = NORN_NEW(outputs->arena, uint32_t, function->block_count);
  for (uint32_t block = 0; block < function->block_count; block++)
    outputs->added[block] = norn_block(function, block)->parameter_count;
  for (uint32_t i = 0; i < dominance->order_count; i++)
    rename_in_block(outputs, dominance->order[i]);
  for (uint32_t i = 0; i < dominance->order_count; i++)
    pass_arguments(outputs, dominance->order[i]);
  for (unsigned k = 0; k < G_N_ELEMENTS(first); k++)
    store_at_end(outputs, first[k]);
  for (unsigned target = 0; target < NORN_COLOR_TARGETS; target++)
    store_at_end(outputs, COLOR + target);
  store_at_end(outputs, SECOND_COLOR);
  norn_replacements_apply(&outputs->helpers, function);
}

/* Erases the outputs of a shader without an end, which never writes anything. */
static void
erase_outputs(NornFunction *function) {
  norn_for_each_block (function, block)
    for (uint32_t index = norn_block(function, block)->first, next; index != NORN_INDEX_NONE;
         index = next) {
      next = norn_inst(function, index)->next;
      if (variable_of(norn_inst(function, index)) >= 0)
        norn_inst_erase(function, index);
    }
}

bool
norn_pass_lower_outputs(NornPassContext *context, NornFunction *function, GError **error) {
  OutputLowering outputs = {.arena = &context->arena,
                            .module = context->module,
                            .function = function,
                            .helpers.arena = &context->arena};
  if (context->module->stage == NORN_STAGE_VERTEX)
    return norn_choose_vertex_part(context, function, error);
  if (context->module->stage != NORN_STAGE_FRAGMENT)
    return true;
  norn_pass_remove_unreachable(context, function);
  if (!join_ends(&outputs)) {
    erase_outputs(function);
    return true;
  }
  find_variables(&outputs);
  norn_pass_blocks_changed(context);
  outputs.dominance = norn_pass_dominance(context, function);
  track_variables(&outputs);
  find_definitions(&outputs);
  complete_variables(&outputs);
  move_outputs(&outputs);
  return true;
}
