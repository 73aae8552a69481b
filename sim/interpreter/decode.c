/* Decoding a module into a program for the interpreter.
 *
 * Functions are copied into the program once for each call, from a queue, so that calls need no
 * stack when the program runs. The verifier has ruled out recursion, and programs that would
 * grow too large are refused. A block becomes a node. A call ends its node with an edge into the
 * copy, whose returns lead to the node after the call. */
#include "sim/interpreter/decode.h"
#include "ir/assert.h"
#include "ir/ops.h"
#include "sim/common/launch.h"
#include "sim/common/memory.h"
#include "sim/interpreter/call_copies.h"
#include "sim/interpreter/control.h"
#include "sim/interpreter/lanes.h"
#include "sim/interpreter/machine.h"
#include "sim/interpreter/operations.h"
#include "sim/interpreter/values.h"

#define STEP_LIMIT (1u << 24)
#define SLOT_LIMIT (1u << 26)

/* One copy of a function. */
typedef struct Instance {
  const NornFunction *function;
  uint32_t first_slot;  /* of value 0 */
  uint32_t first_node;  /* of the first block of the order */
  uint32_t return_node; /* where its returns lead */
  uint32_t return_slot; /* first slot of the values that they return */
} Instance;

typedef struct Decoder {
  NornProgram *program;
  const NornModule *module;
  const NornLaunch *launch;
  NornFloatEnvironment environment;
  GArray *instances;
  GHashTable *offsets; /* NornFunction * -> uint32_t[value]: slot within an instance, and the number
                          of slots at the end */
  GHashTable *ranks;   /* NornFunction * -> uint32_t[block]: position in the order */
  GHashTable *constants; /* reference and type -> slot + 1 */
  Instance instance;     /* being decoded */
  const uint32_t *offset, *rank;
  uint32_t node;        /* likewise */
  uint32_t jumped_over; /* number of machine instructions that the last one jumps over */
} Decoder;

/* --- Slots --- */

static unsigned
slots_of(NornType type) {
  return norn_types[type].class == NORN_CLASS_GROUP ? norn_types[type].lanes : 1;
}

static const uint32_t *
value_offsets(Decoder *decoder, const NornFunction *function) {
  uint32_t *offsets = g_hash_table_lookup(decoder->offsets, function);
  if (offsets)
    return offsets;
  offsets = g_new(uint32_t, (size_t)function->value_count + 1);
  uint32_t slots = 0;
  for (uint32_t value = 0; value < function->value_count; value++) {
    offsets[value] = slots;
    slots += slots_of(norn_value(function, value)->type);
  }
  offsets[function->value_count] = slots;
  g_hash_table_insert(decoder->offsets, (gpointer)function, offsets);
  return offsets;
}

static const uint32_t *
block_ranks(Decoder *decoder, const NornFunction *function) {
  uint32_t *ranks = g_hash_table_lookup(decoder->ranks, function);
  if (ranks)
    return ranks;
  ranks = g_new0(uint32_t, MAX(function->block_count, 1));
  for (uint32_t i = 0; i < function->block_order_count; i++)
    ranks[function->block_order[i]] = i;
  g_hash_table_insert(decoder->ranks, (gpointer)function, ranks);
  return ranks;
}

static uint32_t
value_slot(const Decoder *decoder, uint32_t value) {
  return decoder->instance.first_slot + decoder->offset[value];
}

/* Consecutive slots that always hold a constant or uniform of that type. */
static uint32_t
constant_slots(Decoder *decoder, NornRef ref, NornType type, const uint32_t words[8]) {
  const gint64 key = (gint64)ref << 8 | type;
  uint32_t known = GPOINTER_TO_UINT(g_hash_table_lookup(decoder->constants, &key));
  if (known)
    return known - 1;
  uint32_t first = decoder->program->slot_count;
  unsigned count = slots_of(type);
  bool group = norn_types[type].class == NORN_CLASS_GROUP;
  for (unsigned i = 0; i < count; i++) {
    uint64_t bits = group ? words[i] : words[0] | (uint64_t)words[1] << 32;
    if (!group)
      bits &= norn_type_mask(type);
    NornConstantSlot constant = {first + i, bits};
    g_array_append_val(decoder->program->constants, constant);
  }
  decoder->program->slot_count += count;
  g_hash_table_insert(decoder->constants, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(first + 1));
  return first;
}

static bool
uniform_slots(Decoder *decoder, const NornInst *inst, NornRef ref, NornType type, uint32_t *slot,
              GError **error) {
  uint32_t words[8] = {0}, first = norn_ref_payload(ref), count = norn_type_words(type);
  for (uint32_t i = 0; i < count; i++) {
    if (first + i >= decoder->launch->uniform_count)
      return norn_inst_error(decoder->instance.function, inst, NORN_ERROR_TRAP, error,
                             "uniform word %u is read, but the launch has only %zu", first + i,
                             decoder->launch->uniform_count);
    words[i] = decoder->launch->uniforms[first + i];
  }
  *slot = constant_slots(decoder, ref, type, words);
  return true;
}

static bool
special_slot(Decoder *decoder, const NornInst *inst, NornRef ref, uint32_t *slot, GError **error) {
  const NornSimulator *simulator = decoder->program->simulator;
  NornSpecialSlot special = {.slot = decoder->program->slot_count};
  for (unsigned lane = 0; simulator && lane < simulator->lanes; lane++) {
    GError *reason = NULL;
    if (!simulator->special(decoder->module->machine->architecture, norn_ref_payload(ref), lane,
                            &special.bits[lane], &reason)) {
      norn_inst_error(decoder->instance.function, inst, reason->code, error, "%s", reason->message);
      g_error_free(reason);
      return false;
    }
  }
  g_array_append_val(decoder->program->specials, special);
  *slot = decoder->program->slot_count++;
  return true;
}

/* The first slot of an operand that must have that type (VOID: any type). */
static bool
operand_slots(Decoder *decoder, const NornInst *inst, NornRef ref, NornType type, uint32_t *slot,
              GError **error) {
  uint32_t words[8] = {0};
  uint64_t bits;
  if (type == NORN_TYPE_VOID)
    type = NORN_TYPE_I32;
  switch (norn_ref_kind(ref)) {
  case NORN_REF_VALUE:
    *slot = value_slot(decoder, norn_ref_payload(ref));
    return true;
  case NORN_REF_CONSTANT:
    bits = norn_constant_bits(decoder->module, ref);
    words[0] = (uint32_t)bits;
    words[1] = (uint32_t)(bits >> 32);
    *slot = constant_slots(decoder, ref, type, words);
    return true;
  case NORN_REF_UNIFORM:
    return uniform_slots(decoder, inst, ref, type, slot, error);
  case NORN_REF_SPECIAL:
    return special_slot(decoder, inst, ref, slot, error);
  case NORN_REF_NONE:
  case NORN_REF_BLOCK:
  case NORN_REF_FUNCTION:
    break;
  }
  return norn_inst_error(decoder->instance.function, inst, NORN_ERROR_INVALID, error,
                         "an operand has no value");
}

/* --- Nodes and edges --- */

static uint32_t
new_node(Decoder *decoder) {
  NornNode node = {NORN_INDEX_NONE, NORN_INDEX_NONE};
  g_array_append_val(decoder->program->nodes, node);
  return decoder->program->nodes->len - 1;
}

static void
start_node(Decoder *decoder, uint32_t node, uint64_t preference) {
  NornNode *self = &g_array_index(decoder->program->nodes, NornNode, node);
  decoder->node = node;
  self->first = decoder->program->steps->len;
  self->preference = preference;
}

/* Appends the step that ends the current node. */
static void
end_node(Decoder *decoder, NornStep *step) {
  NornNode *node = &g_array_index(decoder->program->nodes, NornNode, decoder->node);
  NORN_ASSERT(node->first != NORN_INDEX_NONE && node->last == NORN_INDEX_NONE);
  node->last = decoder->program->steps->len;
  step->leaves = true;
  g_array_append_val(decoder->program->steps, *step);
}

static uint32_t
block_node(const Decoder *decoder, uint32_t block) {
  return decoder->instance.first_node + decoder->rank[block];
}

static void
add_moves(Decoder *decoder, uint32_t from, uint32_t to, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    NornMove move = {from + i, to + i};
    g_array_append_val(decoder->program->moves, move);
  }
}

/* Begins an edge; moves added from here on belong to it. */
static NornStepEdge *
add_edge(Decoder *decoder, NornStep *step, uint32_t node) {
  NornStepEdge edge = {.node = node, .move = decoder->program->moves->len};
  if (!step->edge_count++)
    step->edge = decoder->program->edges->len;
  g_array_append_val(decoder->program->edges, edge);
  return &g_array_index(decoder->program->edges, NornStepEdge, decoder->program->edges->len - 1);
}

static void
finish_edge(Decoder *decoder) {
  NornStepEdge *edge =
      &g_array_index(decoder->program->edges, NornStepEdge, decoder->program->edges->len - 1);
  edge->move_count = decoder->program->moves->len - edge->move;
}

/* Where an edge leads to: a block of the function whose values are in slots from that one on. */
typedef struct EdgeTarget {
  const NornFunction *function;
  uint32_t block, first_slot;
  const uint32_t *offset; /* by value: its first slot, relative to that one */
} EdgeTarget;

/* An edge that passes `count` arguments to the parameters of a block. */
static bool
decode_arguments(Decoder *decoder, const NornInst *inst, const NornRef *arguments, uint32_t count,
                 const EdgeTarget *target, GError **error) {
  for (uint32_t k = 0; k < count; k++) {
    uint32_t parameter = norn_block_parameter(target->function, target->block, k), slot;
    NornType type = norn_value(target->function, parameter)->type;
    if (!operand_slots(decoder, inst, arguments[k], type, &slot, error))
      return false;
    add_moves(decoder, slot, target->first_slot + target->offset[parameter], slots_of(type));
  }
  return true;
}

static bool
decode_edges(Decoder *decoder, NornStep *step, GError **error) {
  const NornFunction *function = step->function;
  const NornInst *inst = norn_step_inst(step);
  const NornRef *operands = norn_operands(function, inst);
  norn_for_each_edge (function, step->inst, edge) {
    NornStepEdge *added = add_edge(decoder, step, block_node(decoder, edge.block));
    if (inst->op == NORN_OP_SWITCH && step->edge_count > 1)
      added->value = norn_constant_bits(decoder->module, operands[edge.operand - 1]) &
                     norn_type_mask(inst->type);
    const EdgeTarget target = {function, edge.block, decoder->instance.first_slot, decoder->offset};
    if (!decode_arguments(decoder, inst, operands + edge.operand + 1, edge.argument_count, &target,
                          error))
      return false;
    finish_edge(decoder);
  }
  return true;
}

/* --- Calls --- */

/* Allocates a copy of a function; it is decoded when the queue reaches it. */
static uint32_t
add_instance(Decoder *decoder, const NornFunction *function) {
  Instance instance = {.function = function};
  instance.first_slot = decoder->program->slot_count;
  decoder->program->slot_count += value_offsets(decoder, function)[function->value_count];
  instance.first_node = decoder->program->nodes->len;
  for (uint32_t i = 0; i < function->block_order_count; i++)
    new_node(decoder);
  g_array_append_val(decoder->instances, instance);
  return decoder->instances->len - 1;
}

static bool
decode_call(Decoder *decoder, NornStep *step, GError **error) {
  const NornInst *inst = norn_step_inst(step);
  const NornRef *operands = norn_operands(step->function, inst);
  const NornFunction *callee = decoder->module->functions[norn_ref_payload(operands[0])];
  uint32_t copy = add_instance(decoder, callee);
  uint32_t next = new_node(decoder);
  Instance *instance = &g_array_index(decoder->instances, Instance, copy);
  instance->return_node = next;
  instance->return_slot = inst->result_count ? value_slot(decoder, inst->result) : 0;
  add_edge(decoder, step, instance->first_node);
  const EdgeTarget target = {callee, callee->block_order[0], instance->first_slot,
                             value_offsets(decoder, callee)};
  if (!decode_arguments(decoder, inst, operands + 1, inst->operand_count - 1u, &target, error))
    return false;
  finish_edge(decoder);
  end_node(decoder, step);
  start_node(decoder, next, UINT64_MAX);
  return true;
}

static bool
decode_return(Decoder *decoder, NornStep *step, GError **error) {
  const NornInst *inst = norn_step_inst(step);
  add_edge(decoder, step, decoder->instance.return_node);
  if (inst->operand_count) {
    uint32_t slot;
    if (!operand_slots(decoder, inst, norn_operands(step->function, inst)[0], inst->type, &slot,
                       error))
      return false;
    add_moves(decoder, slot, decoder->instance.return_slot, slots_of(inst->type));
  }
  finish_edge(decoder);
  return true;
}

/* --- Steps --- */

/* How values of a type are laid out in slots and in memory. */
static void
set_layout(NornStep *step, NornType type) {
  const NornTypeInfo *info = &norn_types[type];
  step->words = (uint8_t)slots_of(type);
  step->word_bytes =
      (uint8_t)(info->class == NORN_CLASS_GROUP ? 4 : (norn_type_bits(type) + 7) / 8);
}

/* Lists the slots of the results and of the operands that are not blocks. */
static bool
decode_slots(Decoder *decoder, NornStep *step, GError **error) {
  const NornFunction *function = step->function;
  const NornInst *inst = norn_step_inst(step);
  step->operand = decoder->program->slots->len;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = norn_operand(function, step->inst, k);
    uint32_t slot;
    if (norn_ref_kind(ref) == NORN_REF_BLOCK)
      break;
    NornType type = norn_operand_type(function, step->inst, k);
    if (!operand_slots(decoder, inst, ref, type, &slot, error))
      return false;
    g_array_append_val(decoder->program->slots, slot);
    step->operand_count++;
  }
  step->result = decoder->program->slots->len;
  for (unsigned k = 0; k < inst->result_count; k++) {
    uint32_t slot = value_slot(decoder, inst->result + k);
    g_array_append_val(decoder->program->slots, slot);
  }
  step->result_count = inst->result_count;
  return true;
}

static bool
choose_machine_function(Decoder *decoder, NornStep *step, GError **error) {
  const NornInst *inst = norn_step_inst(step);
  GError *reason = NULL;
  NornMachineShape shape;
  if (!norn_program_decode_machine(decoder->program, decoder->launch, step, &reason)) {
    norn_inst_error(decoder->instance.function, inst, reason->code, error, "%s", reason->message);
    g_error_free(reason);
    return false;
  }
  decoder->jumped_over = norn_machine_step_jumped_over(step->machine);
  norn_inst_shape(decoder->module, inst, &shape);
  step->leaves = shape.is_barrier;
  step->run = shape.is_barrier      ? norn_step_barrier
              : shape.is_terminator ? norn_step_machine_branch
                                    : norn_step_machine;
  return true;
}

/* How to execute an operation that norn_evaluate computes. */
static NornStepFunction *
evaluating_function(const NornInst *inst) {
  if (inst->flags & NORN_INST_EXACT)
    return norn_step_evaluate;
  switch (inst->op) {
  case NORN_OP_FMUL:
    return norn_step_product;
  case NORN_OP_FADD:
    return norn_step_sum;
  case NORN_OP_FMA:
    return norn_step_fma;
  case NORN_OP_FDIV:
    return norn_step_quotient;
  default:
    return norn_step_evaluate;
  }
}

static bool
choose_function(Decoder *decoder, NornStep *step, GError **error) {
  const NornInst *inst = norn_step_inst(step);
  if (norn_is_machine(inst))
    return choose_machine_function(decoder, step, error);
  uint64_t flags = norn_ops[inst->op].flags;
  bool extends = (flags & NORN_OP_WIDENS) && (flags & NORN_OP_HAS_OFFSET);
  set_layout(step, extends ? inst->source_type : inst->type);
  step->leaves = inst->op == NORN_OP_BARRIER;
  step->run = norn_step_function(inst->op);
  NornOp computed = step->run ? norn_step_combiner(inst) : inst->op;
  if (norn_evaluator_init(&step->evaluator, computed, inst->type, inst->source_type, inst->modifier,
                          &decoder->environment) &&
      !step->run)
    step->run = evaluating_function(inst);
  return step->run || norn_inst_error(decoder->instance.function, inst, NORN_ERROR_UNSUPPORTED,
                                      error, "%s cannot be interpreted", norn_ops[inst->op].name);
}

/* The address that an alloca returns is known before the program runs. */
static void
decode_alloca(Decoder *decoder, uint32_t index) {
  const NornFunction *function = decoder->instance.function;
  NornProgram *program = decoder->program;
  uint64_t place =
      (program->scratch_bytes + NORN_ALLOCA_ALIGNMENT - 1) & ~(uint64_t)(NORN_ALLOCA_ALIGNMENT - 1);
  NornConstantSlot constant = {value_slot(decoder, norn_inst(function, index)->result), place};
  g_array_append_val(program->constants, constant);
  program->scratch_bytes =
      place + norn_constant_bits(decoder->module, norn_operand(function, index, 0));
}

/* The address of constant data is also known in advance. */
static void
decode_data_address(Decoder *decoder, uint32_t index) {
  const NornFunction *function = decoder->instance.function;
  uint64_t byte = norn_constant_bits(decoder->module, norn_operand(function, index, 0));
  NornConstantSlot constant = {value_slot(decoder, norn_inst(function, index)->result),
                               NORN_DATA_ADDRESS + byte};
  g_array_append_val(decoder->program->constants, constant);
}

static bool
refuse_size(const NornFunction *function, uint32_t inst, GError **error) {
  return norn_inst_error(function, norn_inst(function, inst), NORN_ERROR_LIMIT, error,
                         "the program is too large to interpret: counting calls, it has more than "
                         "%u instructions or %u values",
                         STEP_LIMIT, SLOT_LIMIT);
}

static bool
decode_step(Decoder *decoder, uint32_t index, GError **error) {
  const NornFunction *function = decoder->instance.function;
  const NornInst *inst = norn_inst(function, index);
  NornStep step = {.function = function, .inst = index, .first_slot = decoder->instance.first_slot};
  if (decoder->program->slot_count >= SLOT_LIMIT)
    return refuse_size(function, index, error);
  if (inst->op == NORN_OP_ALLOCA) {
    decode_alloca(decoder, index);
    return true;
  }
  if (inst->op == NORN_OP_DATA_ADDRESS) {
    decode_data_address(decoder, index);
    return true;
  }
  if (!choose_function(decoder, &step, error))
    return false;
  if (inst->op == NORN_OP_CALL)
    return decode_call(decoder, &step, error);
  decoder->program->has_barrier |= step.leaves;
  if (inst->op == NORN_OP_RETURN
          ? !decode_return(decoder, &step, error)
          : !decode_slots(decoder, &step, error) || !decode_edges(decoder, &step, error))
    return false;
  if (norn_is_terminator(function, inst))
    end_node(decoder, &step);
  else
    g_array_append_val(decoder->program->steps, step);
  return true;
}

static bool
decode_instance(Decoder *decoder, uint32_t self, GError **error) {
  decoder->instance = g_array_index(decoder->instances, Instance, self);
  const NornFunction *function = decoder->instance.function;
  decoder->offset = value_offsets(decoder, function);
  decoder->rank = block_ranks(decoder, function);
  norn_for_each_block (function, block) {
    uint32_t node = block_node(decoder, block);
    start_node(decoder, node, norn_entry_preference(function, block, node));
    decoder->jumped_over = 0;
    norn_for_each_inst (function, block, inst) {
      bool is_machine = norn_is_machine(norn_inst(function, inst));
      if (decoder->jumped_over && is_machine &&
          !norn_is_terminator(function, norn_inst(function, inst)))
        decoder->jumped_over--;
      else if (!decode_step(decoder, inst, error))
        return false;
    }
  }
  return true;
}

/* --- The whole program --- */

static const NornStep *
last_step(const NornProgram *program, uint32_t node) {
  return &g_array_index(program->steps, NornStep,
                        g_array_index(program->nodes, NornNode, node).last);
}

static NornStepEdge *
step_edge(const NornProgram *program, const NornStep *step, uint32_t k) {
  return &g_array_index(program->edges, NornStepEdge, step->edge + k);
}

/* Determines the order of the nodes and assigns the edges their keys. */
static bool
order_program(NornProgram *program, GError **error) {
  uint32_t count = program->nodes->len, used = 0;
  uint32_t *first = g_new(uint32_t, (size_t)count + 1);
  uint32_t *targets = g_new(uint32_t, MAX(program->edges->len, 1)), deep = 0;
  uint64_t *preference = g_new(uint64_t, MAX(count, 1));
  for (uint32_t node = 0; node < count; node++) {
    const NornStep *step = last_step(program, node);
    first[node] = used;
    preference[node] = g_array_index(program->nodes, NornNode, node).preference;
    for (uint32_t k = 0; k < step->edge_count; k++)
      targets[used++] = step_edge(program, step, k)->node;
  }
  first[count] = used;
  NornFlowGraph graph = {count, 0, first, targets};
  bool done =
      norn_convergence_init(&program->arena, &program->convergence, &graph, preference, &deep);
  if (!done) {
    const NornStep *step = last_step(program, deep);
    norn_inst_error(step->function, norn_step_inst(step), NORN_ERROR_LIMIT, error,
                    NORN_LOOPS_TOO_DEEP);
  }
  for (uint32_t node = 0; done && node < count; node++) {
    const NornStep *step = last_step(program, node);
    for (uint32_t k = 0; k < step->edge_count; k++) {
      NornStepEdge *edge = step_edge(program, step, k);
      edge->key = norn_convergence_edge_key(&program->convergence, node, edge->node);
    }
  }
  g_free(first);
  g_free(targets);
  g_free(preference);
  return done;
}

NornFloatEnvironment
norn_launch_float_environment(const NornModule *module, const NornLaunch *launch) {
  NornFloatEnvironment environment = {.round = (NornRoundMode)module->rounding};
  NornFtzMode mode = norn_launch_ftz(launch, module->denormals);
  environment.flush[NORN_FLOAT_16] = environment.flush[NORN_FLOAT_64] = mode == NORN_FTZ_ALL;
  environment.flush[NORN_FLOAT_32] = mode != NORN_FTZ_PRESERVE;
  return environment;
}

bool
norn_program_init(NornProgram *program, const NornModule *module, const NornLaunch *launch,
                  const NornSimulator *simulator, GError **error) {
  Decoder decoder = {.program = program, .module = module, .launch = launch};
  *program = (NornProgram){
      .module = module, .simulator = simulator, .scratch_bytes = module->scratch_size};
  program->lanes = simulator ? simulator->lanes : NORN_LANES;
  NORN_ASSERT(program->lanes > 0 && program->lanes <= NORN_LANES);
  program->steps = g_array_new(FALSE, FALSE, sizeof(NornStep));
  program->nodes = g_array_new(FALSE, FALSE, sizeof(NornNode));
  program->edges = g_array_new(FALSE, FALSE, sizeof(NornStepEdge));
  program->moves =
      g_array_sized_new(FALSE, FALSE, sizeof(NornMove), 1); /* its data pointer is never NULL */
  program->slots = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  program->constants = g_array_new(FALSE, FALSE, sizeof(NornConstantSlot));
  program->specials = g_array_new(FALSE, FALSE, sizeof(NornSpecialSlot));
  program->machine_steps = g_ptr_array_new_with_free_func((GDestroyNotify)norn_machine_step_free);
  decoder.environment = norn_launch_float_environment(module, launch);
  decoder.instances = g_array_new(FALSE, FALSE, sizeof(Instance));
  decoder.offsets = g_hash_table_new_full(NULL, NULL, NULL, g_free);
  decoder.ranks = g_hash_table_new_full(NULL, NULL, NULL, g_free);
  decoder.constants = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  const NornFunction *start = module->functions[0];
  bool done = norn_count_with_calls(module) <= STEP_LIMIT ||
              refuse_size(start, norn_block(start, start->block_order[0])->first, error);
  add_instance(&decoder, start);
  for (uint32_t i = 0; done && i < decoder.instances->len; i++)
    done = decode_instance(&decoder, i, error);
  done = done && order_program(program, error);
  g_array_free(decoder.instances, TRUE);
  g_hash_table_destroy(decoder.offsets);
  g_hash_table_destroy(decoder.ranks);
  g_hash_table_destroy(decoder.constants);
  if (!done)
    norn_program_clear(program);
  return done;
}

void
norn_program_clear(NornProgram *program) {
  g_array_free(program->steps, TRUE);
  g_array_free(program->nodes, TRUE);
  g_array_free(program->edges, TRUE);
  g_array_free(program->moves, TRUE);
  g_array_free(program->slots, TRUE);
  g_array_free(program->constants, TRUE);
  g_array_free(program->specials, TRUE);
  if (program->stepper)
    program->simulator->destroy(program->stepper);
  norn_locations_free(program->locations);
  g_ptr_array_free(program->machine_steps, TRUE);
  norn_arena_free(&program->arena);
  *program = (NornProgram){0};
}
