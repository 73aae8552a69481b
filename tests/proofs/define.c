/* Compares the terms with what they represent: each operation and instruction in a question is
 * computed for edge and random values by its terms, without and with the theory of floats, and
 * by the definition that the interpreter (ir/evaluate.h) and the simulator (sim/valhall/alu.h)
 * use. */
#include "isa/registry.h"
#include "tests/proofs/prove.h"
#include "tests/proofs/values.h"
#include <norn/valhall.h>
#include <string.h>

#define TRIES 24

/* The values that an instruction is tried with: one of each pair is used. */
typedef struct Definition {
  const NornInst *inst;
  NornEvaluator evaluator;
  NornValhallOperation operation;
  char *mnemonic;
  NornFtzMode ftz;
  const uint64_t *constants; /* for operands that must have such values, by operand */
} Definition;

/* Whether the term is that number; a term that is not a number (an approximation) counts as
 * equal. */
static bool
is_number(Terms *t, Z3_ast term, uint64_t wanted) {
  uint64_t bits;
  return !bv_is_constant(t, Z3_simplify(t->z3, term), &bits) || bits == wanted;
}

static bool
try_operation(const Definition *definition, Terms *t, uint64_t *state) {
  const NornEvaluator *e = &definition->evaluator;
  uint64_t bits[NORN_EVALUATE_OPERANDS], wanted[NORN_EVALUATE_RESULTS];
  Z3_ast operands[NORN_EVALUATE_OPERANDS], made[NORN_EVALUATE_RESULTS];
  for (unsigned k = 0; k < e->operand_count; k++) {
    bool is_split = e->split_operands >> k & 1;
    bits[k] = 0;
    for (unsigned lane = 0; lane < (is_split ? e->lanes : 1u); lane++)
      bits[k] |= some_bits(state, e->operand_width[k]) << lane * e->operand_width[k] % 64;
    if (definition->constants[k] != UINT64_MAX)
      bits[k] = definition->constants[k];
    operands[k] = bv_constant(t, bits[k], e->operand_width[k] * (is_split ? e->lanes : 1));
  }
  norn_evaluate(e, bits, wanted);
  operation_terms(t, e, definition->inst->op, operands, made);
  for (unsigned k = 0; k < e->result_count; k++)
    if (!is_number(t, made[k], wanted[k]))
      return false;
  return true;
}

static bool
try_instruction(const Definition *definition, Terms *t, uint64_t *state) {
  uint64_t bits[NORN_VALHALL_SOURCES];
  Z3_ast sources[NORN_VALHALL_SOURCES], made;
  NornValhallResult wanted;
  for (unsigned k = 0; k < NORN_VALHALL_SOURCES; k++) {
    bits[k] = some_bits(state, k & 1 ? 64 : 32) | some_bits(state, 16) << 32;
    sources[k] = bv_constant(t, bits[k], 64);
  }
  norn_valhall_execute(&definition->operation, definition->ftz, bits, &wanted);
  if (!instruction_terms(t, definition->mnemonic, &definition->operation, definition->ftz, sources,
                         &made))
    return true;
  Z3_ast mask = bv_constant(t, wanted.mask, bv_width(t, made));
  return is_number(t, Z3_mk_bvand(t->z3, made, mask), wanted.bits & wanted.mask);
}

static bool
try_definition(Solver *solver, const Definition *definition) {
  bool is_right = true;
  for (unsigned theory = 0; theory < 2 && is_right; theory++) {
    Terms terms;
    uint64_t state = 0xD1B54A32D192ED03;
    terms_init(&terms, solver, theory, theory);
    for (unsigned k = 0; k < TRIES && is_right; k++)
      is_right = definition->mnemonic ? try_instruction(definition, &terms, &state)
                                      : try_operation(definition, &terms, &state);
  }
  return is_right;
}

static void
define_operation(Prover *prover, const Block *block, const NornInst *inst) {
  NornFloatEnvironment environment = block_environment(block->module);
  Definition definition = {.inst = inst};
  uint64_t constants[NORN_EVALUATE_OPERANDS];
  const NornFunction *function = block->module->functions[0];
  if (!operation_has_terms(inst->op) ||
      !norn_evaluator_init(&definition.evaluator, inst->op, inst->type, inst->source_type,
                           inst->modifier, &environment))
    return;
  GString *key = g_string_new(NULL);
  g_string_printf(key, "define %u.%u.%u.%u.%u.%u", inst->op, inst->type, inst->source_type,
                  inst->modifier, block->module->rounding, block->module->denormals);
  NornSignatureCursor cursor = norn_inst_operands(inst);
  for (unsigned k = 0; k < definition.evaluator.operand_count; k++) {
    constants[k] = UINT64_MAX;
    if (norn_cursor_kind(&cursor) == NORN_LETTER_IMMEDIATE) {
      constants[k] = norn_constant_bits(block->module, norn_operands(function, inst)[k]);
      g_string_append_printf(key, " %" G_GINT64_MODIFIER "x", constants[k]);
    }
    if (!norn_cursor_is_repeated(&cursor))
      norn_cursor_next(&cursor);
  }
  definition.constants = constants;
  if (!g_hash_table_contains(prover->seen, key->str)) {
    bool is_right = try_definition(prover->solver, &definition);
    prover_count(prover, "define", norn_ops[inst->op].name,
                 is_right ? ANSWER_SAMPLED : ANSWER_REFUTED, is_right ? NULL : key->str);
    g_hash_table_insert(prover->seen, g_strdup(key->str), GUINT_TO_POINTER(1));
  }
  g_string_free(key, TRUE);
}

static void
define_instruction(Prover *prover, const Block *block, const NornInst *inst) {
  const NornIsa *isa = &norn_isa_valhall;
  unsigned instruction = inst->op - NORN_OP_MACHINE;
  const NornIsaEncoding *encoding =
      norn_isa_encoding(isa, block->module->machine->architecture, (uint16_t)instruction);
  const char *name = norn_isa_string(isa, isa->names[instruction].text);
  NornDenormals denormals = block->module->denormals;
  Definition definition = {
      .inst = inst, .ftz = denormals == NORN_DENORMALS_FLUSH ? NORN_FTZ_ALL : NORN_FTZ_PRESERVE};
  char *key = g_strdup_printf("define %s v%u %" G_GINT64_MODIFIER "x %u", name,
                              block->module->machine->architecture, inst->payload, denormals);
  if (!g_hash_table_contains(prover->seen, key) && encoding &&
      norn_valhall_decode(isa, encoding, inst->payload, &definition.operation, NULL) &&
      definition.operation.row->function) {
    definition.mnemonic = g_strndup(name, strcspn(name, "."));
    bool is_right = try_definition(prover->solver, &definition);
    prover_count(prover, "define", name, is_right ? ANSWER_SAMPLED : ANSWER_REFUTED,
                 is_right ? NULL : key);
    g_hash_table_insert(prover->seen, g_strdup(key), GUINT_TO_POINTER(1));
    g_free(definition.mnemonic);
  }
  g_free(key);
}

void
define_block(Prover *prover, const Block *block) {
  const NornFunction *function = block->module->functions[0];
  norn_for_each_block (function, number)
    norn_for_each_inst (function, number, index) {
      const NornInst *inst = norn_inst(function, index);
      if (norn_is_machine(inst))
        define_instruction(prover, block, inst);
      else
        define_operation(prover, block, inst);
    }
}
