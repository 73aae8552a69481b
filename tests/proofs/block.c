/* Straight-line code as terms and as values: one walk over the instructions, with two ways to
 * compute. */
#include "tests/proofs/block.h"
#include "isa/registry.h"
#include <norn/valhall.h>
#include <string.h>

/* A term or a number, depending on the walk. */
typedef union Slot {
  Z3_ast term;
  uint64_t bits;
} Slot;

typedef struct Walk {
  Terms *t; /* NULL: numbers */
  const Block *block;
  const NornFunction *function;
  Slot *values; /* by value */
  bool *known;
  uint64_t junk;
  Z3_ast assumed;
  const char *why;
} Walk;

static bool
refuse(Walk *walk, const char *why) {
  walk->why = why;
  return false;
}

NornFloatEnvironment
block_environment(const NornModule *module) {
  return norn_float_environment(module->rounding, module->denormals);
}

static NornFtzMode
machine_ftz(const NornModule *module) {
  return module->denormals == NORN_DENORMALS_FLUSH ? NORN_FTZ_ALL : NORN_FTZ_PRESERVE;
}

/* The body is the second block: the target of the entry's jump. */
static uint32_t
body_of(const NornFunction *function) {
  norn_for_each_edge (function, norn_block_terminator(function, function->block_order[0]), edge)
    return edge.block;
  return NORN_INDEX_NONE;
}

unsigned
block_input_types(const NornModule *module, NornType *types) {
  const NornFunction *function = module->functions[0];
  uint32_t body = body_of(function);
  unsigned count = norn_block(function, body)->parameter_count;
  for (unsigned k = 0; k < count && k < BLOCK_VALUES; k++)
    types[k] = norn_value(function, norn_block_parameter(function, body, k))->type;
  return MIN(count, BLOCK_VALUES);
}

unsigned
block_result_types(const NornModule *module, NornType *types) {
  const NornFunction *function = module->functions[0];
  norn_for_each_edge (function, norn_block_terminator(function, body_of(function)), edge) {
    for (unsigned k = 0; k < edge.argument_count && k < BLOCK_VALUES; k++)
      types[k] = norn_value(function, norn_block_parameter(function, edge.block, k))->type;
    return MIN(edge.argument_count, BLOCK_VALUES);
  }
  return 0;
}

/* --- Operands --- */

/* The operand in that width: values are truncated or zero-extended. */
static bool
read_operand(Walk *walk, NornRef ref, unsigned width, Slot *slot) {
  uint32_t payload = norn_ref_payload(ref);
  switch (norn_ref_kind(ref)) {
  case NORN_REF_VALUE:
    if (!walk->known[payload])
      return refuse(walk, "a value from another block");
    *slot = walk->values[payload];
    if (walk->t)
      slot->term = bv_resize(walk->t, slot->term, width, false);
    else
      slot->bits = norn_int_truncate(slot->bits, width);
    return true;
  case NORN_REF_CONSTANT: {
    uint64_t bits = norn_constant_bits(walk->function->module, ref);
    if (walk->t)
      slot->term = bv_constant(walk->t, bits, width);
    else
      slot->bits = norn_int_truncate(bits, width);
    return true;
  }
  default:
    return refuse(walk, "a uniform or special source");
  }
}

static void
write_value(Walk *walk, uint32_t value, Slot slot) {
  walk->values[value] = slot;
  walk->known[value] = true;
}

/* --- Groups of words --- */

static bool
collect(Walk *walk, uint32_t index) {
  const NornInst *inst = norn_inst(walk->function, index);
  if (inst->operand_count > 2)
    return refuse(walk, "a group of more than two words");
  Slot whole = {0};
  for (unsigned k = 0; k < inst->operand_count; k++) {
    Slot part;
    if (!read_operand(walk, norn_operand(walk->function, index, k), 32, &part))
      return false;
    if (!walk->t)
      whole.bits |= part.bits << (32 * k);
    else
      whole.term = k ? bv_concat(walk->t, part.term, whole.term) : part.term;
  }
  write_value(walk, inst->result, whole);
  return true;
}

static bool
split(Walk *walk, uint32_t index) {
  const NornInst *inst = norn_inst(walk->function, index);
  Slot whole;
  if (inst->result_count > 2)
    return refuse(walk, "a group of more than two words");
  if (!read_operand(walk, norn_operand(walk->function, index, 0), 64, &whole))
    return false;
  for (unsigned k = 0; k < inst->result_count; k++) {
    Slot part;
    if (walk->t)
      part.term = bv_extract(walk->t, whole.term, 32 * k, 32);
    else
      part.bits = (uint32_t)(whole.bits >> (32 * k));
    write_value(walk, inst->result + k, part);
  }
  return true;
}

/* --- Generic operations --- */

static void
assume(Walk *walk, Z3_ast condition) {
  walk->assumed = walk->assumed ? bv_and(walk->t, walk->assumed, condition) : condition;
}

/* The conditions that the flags promise for the operands and the result, which are floats of one
 * type; none for a selection, which may have been arithmetic. */
static void
assume_flags(Walk *walk, const NornInst *inst, const NornEvaluator *e, const Slot *operands,
             Z3_ast result) {
  Terms *t = walk->t;
  if (!(inst->flags & (NORN_INST_NNAN | NORN_INST_FINITE)) ||
      norn_types[inst->type].class != NORN_CLASS_FLOAT || inst->op == NORN_OP_SELECT)
    return;
  for (unsigned lane = 0; lane < e->lanes; lane++) {
    Z3_ast part = bv_extract(t, result, lane * e->width, e->width);
    assume(walk, Z3_mk_not(t->z3, fp_is_nan(t, e->format, part)));
    for (unsigned k = 0; k < e->operand_count; k++) {
      part = bv_extract(t, operands[k].term, lane * e->width, e->width);
      assume(walk, Z3_mk_not(t->z3, fp_is_nan(t, e->format, part)));
    }
  }
}

/* The product that operand k is, if products that are added are exact: a sum of equal values
 * counts, too. */
static const NornInst *
product_of(const Walk *walk, uint32_t index, unsigned k) {
  const NornFunction *function = walk->function;
  NornRef ref = norn_operand(function, index, k);
  if (!walk->block->contracts || norn_ref_kind(ref) != NORN_REF_VALUE)
    return NULL;
  const NornValue *value = norn_value(function, norn_ref_payload(ref));
  const NornInst *inst = value->is_parameter ? NULL : norn_inst(function, value->def);
  if (!inst)
    return NULL;
  const NornRef *factors = norn_operands(function, inst);
  bool is_twice = inst->op == NORN_OP_FADD && factors[0] == factors[1];
  return inst->op == NORN_OP_FMUL || is_twice ? inst : NULL;
}

/* The number 2 in each lane. */
static Slot
two(const Walk *walk, const NornEvaluator *e) {
  uint64_t bits = 0;
  for (unsigned lane = 0; lane < e->lanes; lane++)
    bits |= norn_float_from_double(e->format, 2) << lane * e->width;
  return walk->t ? (Slot){.term = bv_constant(walk->t, bits, e->width * e->lanes)}
                 : (Slot){.bits = bits};
}

/* The float with its sign inverted, or that of each lane. */
static Slot
negated(const Walk *walk, const NornEvaluator *e, Slot a) {
  uint64_t signs = 0;
  for (unsigned lane = 0; lane < e->lanes; lane++)
    signs |= norn_float_sign_bit(e->format) << lane * e->width;
  if (!walk->t)
    return (Slot){.bits = a.bits ^ signs};
  Terms *t = walk->t;
  return (Slot){.term = Z3_mk_bvxor(t->z3, a.term, bv_constant(t, signs, bv_width(t, a.term)))};
}

/* The operands of an fma that replaces a sum or difference, if one side is an exact product;
 * then *e is its evaluator. */
static bool
become_fma(Walk *walk, uint32_t index, NornEvaluator *e, Slot *operands) {
  const NornFunction *function = walk->function;
  const NornInst *inst = norn_inst(function, index);
  bool subtracts = inst->op == NORN_OP_FSUB;
  for (unsigned k = 0; k < 2; k++) {
    const NornInst *product = product_of(walk, index, k);
    if (!product)
      continue;
    Slot other = operands[1 - k];
    for (unsigned j = 0; j < 2; j++)
      read_operand(walk, norn_operands(function, product)[j], e->width * e->lanes, &operands[j]);
    if (product->op == NORN_OP_FADD)
      operands[1] = two(walk, e);
    if (subtracts && k)
      operands[0] = negated(walk, e, operands[0]);
    operands[2] = subtracts && !k ? negated(walk, e, other) : other;
    NornFloatEnvironment environment = block_environment(function->module);
    return norn_evaluator_init(e, NORN_OP_FMA, inst->type, NORN_TYPE_VOID, 0, &environment);
  }
  return false;
}

static bool
is_sum(const NornInst *inst) {
  return inst->op == NORN_OP_FADD || inst->op == NORN_OP_FSUB;
}

static bool
compute_generic(Walk *walk, uint32_t index) {
  const NornInst *inst = norn_inst(walk->function, index);
  NornFloatEnvironment environment = block_environment(walk->function->module);
  NornEvaluator e;
  Slot operands[NORN_EVALUATE_OPERANDS];
  if (inst->op == NORN_OP_COLLECT)
    return collect(walk, index);
  if (inst->op == NORN_OP_SPLIT)
    return split(walk, index);
  if (!norn_evaluator_init(&e, inst->op, inst->type, inst->source_type, inst->modifier,
                           &environment))
    return refuse(walk, norn_ops[inst->op].name);
  for (unsigned k = 0; k < e.operand_count; k++) {
    unsigned width = e.operand_width[k] * (e.split_operands >> k & 1 ? e.lanes : 1);
    if (!read_operand(walk, norn_operand(walk->function, index, k), width, &operands[k]))
      return false;
  }
  Z3_ast terms[NORN_EVALUATE_OPERANDS], made[NORN_EVALUATE_RESULTS];
  uint64_t bits[NORN_EVALUATE_OPERANDS], results[NORN_EVALUATE_RESULTS];
  NornOp op = is_sum(inst) && become_fma(walk, index, &e, operands) ? NORN_OP_FMA : inst->op;
  for (unsigned k = 0; k < e.operand_count; k++) {
    terms[k] = operands[k].term;
    bits[k] = operands[k].bits;
  }
  if (!walk->t)
    norn_evaluate(&e, bits, results);
  else if (!operation_terms(walk->t, &e, op, terms, made))
    return refuse(walk, norn_ops[inst->op].name);
  if (walk->t)
    assume_flags(walk, inst, &e, operands, made[0]);
  for (unsigned k = 0; k < e.result_count; k++)
    write_value(walk, inst->result + k,
                walk->t ? (Slot){.term = made[k]} : (Slot){.bits = results[k]});
  return true;
}

/* --- Machine instructions --- */

static bool
compute_machine(Walk *walk, uint32_t index) {
  const NornIsa *isa = &norn_isa_valhall;
  const NornInst *inst = norn_inst(walk->function, index);
  unsigned instruction = inst->op - NORN_OP_MACHINE;
  const NornIsaEncoding *encoding =
      norn_isa_encoding(isa, walk->function->module->machine->architecture, (uint16_t)instruction);
  const char *name = norn_isa_string(isa, isa->names[instruction].text);
  NornValhallOperation operation;
  Slot operands[NORN_VALHALL_SOURCES] = {0}, result;
  if (!encoding || inst->result_count != 1 || inst->operand_count > NORN_VALHALL_SOURCES ||
      !norn_valhall_decode(isa, encoding, inst->payload, &operation, NULL))
    return refuse(walk, name);
  for (unsigned k = 0; k < inst->operand_count; k++)
    if (!read_operand(walk, norn_operand(walk->function, index, k), 64, &operands[k]))
      return false;
  NornFtzMode ftz = machine_ftz(walk->function->module);
  if (walk->t) {
    char *mnemonic = g_strndup(name, strcspn(name, "."));
    Z3_ast sources[NORN_VALHALL_SOURCES];
    for (unsigned k = 0; k < NORN_VALHALL_SOURCES; k++)
      sources[k] = operands[k].term;
    bool is_done = instruction_terms(walk->t, mnemonic, &operation, ftz, sources, &result.term);
    g_free(mnemonic);
    if (!is_done)
      return refuse(walk, name);
  } else {
    uint64_t sources[NORN_VALHALL_SOURCES];
    NornValhallResult made;
    for (unsigned k = 0; k < NORN_VALHALL_SOURCES; k++)
      sources[k] = operands[k].bits;
    if (norn_valhall_is_exchange(&operation) || !operation.row->function)
      return refuse(walk, name);
    norn_valhall_execute(&operation, ftz, sources, &made);
    result.bits = (made.bits & made.mask) | (walk->junk & ~made.mask);
    if (made.mask <= UINT32_MAX)
      result.bits = (uint32_t)result.bits;
  }
  write_value(walk, inst->result, result);
  return true;
}

/* --- The walk --- */

static bool
walk_body(Walk *walk, const Slot *inputs, Slot *results) {
  const NornFunction *function = walk->function;
  uint32_t body = body_of(function);
  for (unsigned k = 0; k < norn_block(function, body)->parameter_count; k++)
    write_value(walk, norn_block_parameter(function, body, k), inputs[k]);
  norn_for_each_inst (function, body, index) {
    const NornInst *inst = norn_inst(function, index);
    if (norn_is_terminator(function, inst))
      break;
    if (!(norn_is_machine(inst) ? compute_machine(walk, index) : compute_generic(walk, index)))
      return false;
  }
  uint32_t terminator = norn_block_terminator(function, body);
  if (norn_inst(function, terminator)->op != NORN_OP_JUMP)
    return refuse(walk, "control flow");
  norn_for_each_edge (function, terminator, edge) {
    for (unsigned k = 0; k < edge.argument_count && k < BLOCK_VALUES; k++) {
      uint32_t parameter = norn_block_parameter(function, edge.block, k);
      unsigned width = norn_type_bits(norn_value(function, parameter)->type);
      if (!read_operand(walk, norn_operand(function, terminator, edge.operand + 1 + k), width,
                        &results[k]))
        return false;
    }
    break;
  }
  return true;
}

static bool
run(Walk *walk, const Block *block, const Slot *inputs, Slot *results, const char **why) {
  walk->block = block;
  walk->function = block->module->functions[0];
  walk->values = g_new0(Slot, walk->function->value_count);
  walk->known = g_new0(bool, walk->function->value_count);
  bool is_done = walk_body(walk, inputs, results);
  g_free(walk->values);
  g_free(walk->known);
  *why = walk->why;
  return is_done;
}

bool
block_terms(Terms *t, const Block *block, const Z3_ast *inputs, Z3_ast *results, Z3_ast *assumed,
            const char **why) {
  Walk walk = {.t = t};
  Slot in[BLOCK_VALUES], out[BLOCK_VALUES] = {0};
  for (unsigned k = 0; k < BLOCK_VALUES; k++)
    in[k].term = inputs[k];
  bool is_done = run(&walk, block, in, out, why);
  for (unsigned k = 0; k < BLOCK_VALUES; k++)
    results[k] = out[k].term;
  *assumed = walk.assumed;
  return is_done;
}

bool
block_values(const Block *block, const uint64_t *inputs, uint64_t junk, uint64_t *results,
             const char **why) {
  Walk walk = {.junk = junk};
  Slot in[BLOCK_VALUES], out[BLOCK_VALUES] = {0};
  for (unsigned k = 0; k < BLOCK_VALUES; k++)
    in[k].bits = inputs[k];
  bool is_done = run(&walk, block, in, out, why);
  for (unsigned k = 0; k < BLOCK_VALUES; k++)
    results[k] = out[k].bits;
  return is_done;
}
