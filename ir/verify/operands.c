/* Operands: definitions that dominate their uses, constants, uniforms, arguments of edges and
 * calls. */
#include "ir/verify/verifier.h"
#include <stdlib.h>

/* Whether the block is in the program order, that is, not deleted. */
static bool
is_placed(NornVerifier *v, uint32_t home) {
  const NornFunction *function = v->function;
  if (!v->is_placed) {
    v->is_placed = g_new0(bool, function->block_count);
    norn_for_each_block (function, block)
      v->is_placed[block] = true;
  }
  return v->is_placed[home];
}

bool
norn_verify_is_available(NornVerifier *v, uint32_t value) {
  const NornFunction *function = v->function;
  const NornValue *self = norn_value(function, value);
  if (self->def == NORN_INDEX_NONE)
    return false;
  uint32_t home = self->def;
  if (!self->is_parameter) {
    if (norn_inst(function, home)->op == NORN_OP_NONE)
      return false;
    home = norn_inst(function, home)->block;
  }
  if (home == v->block)
    return v->seen_in[value] == v->block;
  if (home == NORN_INDEX_NONE)
    return false;
  const NornDominance *dominance = v->dominance;
  if (dominance->position[v->block] == NORN_INDEX_NONE)
    return is_placed(v, home); /* unreachable */
  return dominance->position[home] != NORN_INDEX_NONE && norn_dominates(dominance, home, v->block);
}

void
norn_verify_fault_unavailable(NornVerifier *v, uint32_t value) {
  char name[NORN_VERIFY_NAME_SIZE];
  const NornValue *self = norn_value(v->function, value);
  bool is_defined = self->def != NORN_INDEX_NONE &&
                    (self->is_parameter || norn_inst(v->function, self->def)->op != NORN_OP_NONE);
  norn_verify_fault(v,
                    is_defined ? "%s: the definition of %s does not dominate this use"
                               : "%s: %s is not defined",
                    norn_verify_inst_name(norn_inst(v->function, v->inst)),
                    norn_verify_value_name(v, value, name));
}

bool
norn_verify_is_uniform_range(uint32_t word, unsigned words) {
  return word + words <= NORN_FAU_WORDS && (words != 2 || word % 2 == 0);
}

void
norn_verify_uniform(NornVerifier *v, uint32_t word, unsigned words, unsigned k) {
  if (norn_verify_is_uniform_range(word, words))
    return;
  if (word + words > NORN_FAU_WORDS)
    norn_verify_fault(v, "%s: operand %u, u%u of %u words, extends past the last uniform word",
                      norn_verify_inst_name(norn_inst(v->function, v->inst)), k + 1, word, words);
  else
    norn_verify_fault(v, "%s: operand %u, u%u, has 64 bits and must start at an even word",
                      norn_verify_inst_name(norn_inst(v->function, v->inst)), k + 1, word);
}

bool
norn_verify_is_constant_of(const NornVerifier *v, NornRef ref, NornType type) {
  return type != NORN_TYPE_VOID && norn_type_bits(type) <= 64 &&
         !(norn_constant_bits(v->module, ref) & ~norn_type_mask(type));
}

static void
check_constant(NornVerifier *v, NornRef ref, NornType type, unsigned k) {
  if (norn_verify_is_constant_of(v, ref, type))
    return;
  uint64_t bits = norn_constant_bits(v->module, ref);
  if (type == NORN_TYPE_VOID || norn_type_bits(type) > 64)
    norn_verify_fault(v, "%s: operand %u cannot be a constant",
                      norn_verify_inst_name(norn_inst(v->function, v->inst)), k + 1);
  else
    norn_verify_fault(v, "%s: operand %u, 0x%" G_GINT64_MODIFIER "X, is out of range for %s",
                      norn_verify_inst_name(norn_inst(v->function, v->inst)), k + 1, (guint64)bits,
                      norn_types[type].name);
}

void
norn_verify_last_use(NornVerifier *v, NornRef ref, unsigned k) {
  uint32_t value = norn_ref_payload(ref);
  char name[NORN_VERIFY_NAME_SIZE];
  if (ref & NORN_REF_LAST_USE && norn_value(v->function, value)->reg == NORN_REGISTER_NONE)
    norn_verify_fault(v, "%s: operand %u, %s, is marked as a last use (^), but has no register",
                      norn_verify_inst_name(norn_inst(v->function, v->inst)), k + 1,
                      norn_verify_value_name(v, value, name));
}

void
norn_verify_typed_operand(NornVerifier *v, NornRef ref, NornType type, unsigned k) {
  uint32_t payload = norn_ref_payload(ref);
  switch (norn_ref_kind(ref)) {
  case NORN_REF_VALUE: {
    NornType actual = norn_value(v->function, payload)->type;
    if (actual != type && type != NORN_TYPE_VOID) {
      char name[NORN_VERIFY_NAME_SIZE];
      norn_verify_fault(v, "%s: operand %u, %s, is %s, expected %s",
                        norn_verify_inst_name(norn_inst(v->function, v->inst)), k + 1,
                        norn_verify_value_name(v, payload, name), norn_types[actual].name,
                        norn_types[type].name);
    }
    norn_verify_last_use(v, ref, k);
    if (!norn_verify_is_available(v, payload))
      norn_verify_fault_unavailable(v, payload);
    break;
  }
  case NORN_REF_CONSTANT:
    check_constant(v, ref, type, k);
    break;
  case NORN_REF_UNIFORM:
    if (type == NORN_TYPE_I1)
      norn_verify_fault(v, "%s: operand %u is i1 and cannot be a uniform",
                        norn_verify_inst_name(norn_inst(v->function, v->inst)), k + 1);
    norn_verify_uniform(v, payload, norn_type_words(type), k);
    break;
  default:
    norn_verify_fault(v, "%s: operand %u must be a value, a uniform or a constant",
                      norn_verify_inst_name(norn_inst(v->function, v->inst)), k + 1);
  }
}

void
norn_verify_immediate_operand(NornVerifier *v, const NornInst *inst, NornRef ref, unsigned k) {
  if (!norn_is_constant(ref)) {
    norn_verify_fault(v, "%s: operand %u must be a constant", norn_verify_inst_name(inst), k + 1);
    return;
  }
  NornOperandLimit limit = norn_operand_limit(inst->op, inst->type, inst->source_type, k);
  uint64_t bits = norn_constant_bits(v->module, ref);
  const char *kind = limit.is_power_of_two ? "a power of two between" : "between";
  if (bits < limit.minimum || bits > limit.maximum || (limit.is_power_of_two && bits & (bits - 1)))
    norn_verify_fault(v,
                      "%s: operand %u, %" G_GUINT64_FORMAT ", is not %s %" G_GUINT64_FORMAT
                      " and %" G_GUINT64_FORMAT,
                      norn_verify_inst_name(inst), k + 1, (guint64)bits, kind,
                      (guint64)limit.minimum, (guint64)limit.maximum);
}

/* Checks the arguments, starting at operand `first`, against the parameters of a block. */
static void
check_arguments(NornVerifier *v, const NornFunction *target, uint32_t block, unsigned first,
                unsigned count) {
  const NornInst *inst = norn_inst(v->function, v->inst);
  const NornBlock *to = norn_block(target, block);
  if (count != to->parameter_count) {
    uint32_t name = target == v->function ? to->name : target->name;
    norn_verify_fault(v, "%s: %u argument%s for %s, which takes %u", norn_verify_inst_name(inst),
                      count, count == 1 ? "" : "s", name ? norn_string(v->module, name) : "a block",
                      to->parameter_count);
    return;
  }
  for (unsigned k = 0; k < count; k++)
    norn_verify_typed_operand(v, norn_operand(v->function, v->inst, first + k),
                              norn_value(target, norn_block_parameter(target, block, k))->type,
                              first + k);
}

static int
compare_bits(const void *a, const void *b) {
  uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return left < right ? -1 : left > right;
}

/* Checks the constants of a switch: they have its type and are distinct. `count` is the total
 * number of edges. */
static void
check_cases(NornVerifier *v, const NornInst *inst, unsigned count) {
  NornArenaMark mark = norn_arena_mark(&v->arena);
  uint64_t *cases = NORN_NEW(&v->arena, uint64_t, count);
  unsigned case_count = 0, end = 0;
  norn_for_each_edge (v->function, v->inst, edge) {
    if (end) {
      NornRef ref = end < edge.operand ? norn_operand(v->function, v->inst, end) : 0;
      if (!norn_is_constant(ref)) {
        norn_verify_fault(v, "%s: a case must be a constant", norn_verify_inst_name(inst));
      } else {
        check_constant(v, ref, inst->type, end);
        cases[case_count++] = norn_constant_bits(v->module, ref);
      }
    }
    end = edge.operand + 1 + edge.argument_count;
  }
  qsort(cases, case_count, sizeof *cases, compare_bits);
  for (unsigned i = 1; i < case_count; i++)
    if (cases[i] == cases[i - 1]) {
      norn_verify_fault(v, "%s: the case %" G_GUINT64_FORMAT " is given twice",
                        norn_verify_inst_name(inst), (guint64)cases[i]);
      break;
    }
  norn_arena_release(&v->arena, mark);
}

unsigned
norn_verify_edges(NornVerifier *v, unsigned first) {
  const NornFunction *function = v->function;
  const NornInst *inst = norn_inst(function, v->inst);
  unsigned count = 0;
  norn_for_each_edge (function, v->inst, edge) {
    if (!count && edge.operand != first) {
      norn_verify_fault(v, "%s: operand %u must be a block", norn_verify_inst_name(inst),
                        first + 1);
      return UINT32_MAX;
    }
    if (edge.block == function->block_order[0])
      norn_verify_fault(v, "%s branches to the first block, which must not have a predecessor",
                        norn_verify_inst_name(inst));
    check_arguments(v, function, edge.block, edge.operand + 1, edge.argument_count);
    count++;
  }
  return count;
}

void
norn_verify_generic_edges(NornVerifier *v, const NornInst *inst, NornSignatureCursor cursor,
                          unsigned first) {
  unsigned wanted = 0;
  for (; norn_cursor_kind(&cursor) == NORN_LETTER_BLOCK; norn_cursor_next(&cursor))
    wanted++;
  bool has_cases = norn_cursor_kind(&cursor) == NORN_LETTER_CASE;
  unsigned count = norn_verify_edges(v, first);
  if (count == UINT32_MAX)
    return;
  if (has_cases ? count < wanted : count != wanted)
    norn_verify_fault(v, "%s: %u blocks, expected %u", norn_verify_inst_name(inst), count, wanted);
  else if (has_cases)
    check_cases(v, inst, count);
}

void
norn_verify_call(NornVerifier *v, const NornInst *inst, unsigned first) {
  const NornModule *module = v->module;
  NornRef ref = first < inst->operand_count ? norn_operand(v->function, v->inst, first) : 0;
  uint32_t index = norn_ref_payload(ref);
  if (norn_ref_kind(ref) != NORN_REF_FUNCTION || index == 0) {
    norn_verify_fault(v, "%s: operand %u must be a function of the module",
                      norn_verify_inst_name(inst), first + 1);
    return;
  }
  const NornFunction *callee = module->functions[index];
  const char *name = norn_string(module, callee->name);
  if (inst->type != callee->result_type)
    norn_verify_fault(v, "%s: @%s returns %s, not %s", norn_verify_inst_name(inst), name,
                      norn_types[callee->result_type].name, norn_types[inst->type].name);
  if (callee->block_order_count && callee->block_order[0] < callee->block_count)
    check_arguments(v, callee, callee->block_order[0], first + 1, inst->operand_count - first - 1);
}
