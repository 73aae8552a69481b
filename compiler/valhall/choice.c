/* Selections between two values (CSEL), and operations that are made of one.
 *
 * CSEL makes a comparison itself. A comparison that other instructions need, too, or that CSEL does
 * not have is a truth value, which CSEL compares with 0. */
#include "compiler/valhall/compare.h"
#include "ir/ops.h"

/* The comparison made by a selection (CSEL). */
typedef struct Test {
  unsigned instruction, condition;
  NornRef left, right;
  bool is_inverted;
  bool is_truth; /* tests that a truth value is not 0 */
} Test;

static bool
has_signs(const NornSelector *selector, NornRef ref) {
  const NornInst inst = norn_select_definition(selector, ref);
  return inst.op == NORN_OP_FNEG || inst.op == NORN_OP_FABS ||
         (inst.op == NORN_OP_FPCONV && inst.type == NORN_TYPE_F32);
}

/* Whether a selection makes the comparison itself instead of testing its truth value. It always
 * does if it is the only user. Otherwise it does for a register compared with 0, which needs no
 * more operands than testing a truth value; for a register compared with a constant or a uniform
 * word if it selects between registers, so that this is the only such operand; and for two
 * registers if there are few users. */
static bool
compares_itself(const NornSelector *selector, const Comparison *comparison, NornRef condition,
                bool is_of_registers) {
  uint64_t bits;
  bool is_left = norn_ref_kind(comparison->left) == NORN_REF_VALUE;
  bool is_right = norn_ref_kind(comparison->right) == NORN_REF_VALUE;
  if (norn_select_is_only_use(selector, condition))
    return true;
  if (is_left != is_right)
    return is_of_registers ||
           (is_left && norn_select_constant(selector, comparison->right, &bits) && bits == 0);
  return is_left && selector->values[norn_ref_payload(condition)].uses <= MAX_COMPARING_USERS;
}

/* The CSEL that makes a comparison in a selection between values of `bits` bits, or 0. It compares
 * operands of 32 bits; a selection between low halves also compares low halves, together with high
 * halves that mean nothing. */
static unsigned
instruction_of(const Comparison *comparison, unsigned bits) {
  switch (comparison->type) {
  case NORN_TYPE_I32:
    return comparison->is_signed ? NORN_VALHALL_CSEL_S32 : NORN_VALHALL_CSEL_U32;
  case NORN_TYPE_F32:
    return NORN_VALHALL_CSEL_F32;
  case NORN_TYPE_I16:
    if (bits != 16)
      return 0;
    /* fall through */
  case NORN_TYPE_V2I16:
    return comparison->is_signed ? NORN_VALHALL_CSEL_V2S16 : NORN_VALHALL_CSEL_V2U16;
  case NORN_TYPE_F16:
    if (bits != 16)
      return 0;
    /* fall through */
  case NORN_TYPE_V2F16:
    return NORN_VALHALL_CSEL_V2F16;
  default:
    return 0;
  }
}

/* Makes the test of a comparison, if CSEL has it. CSEL compares operands without modifiers. It is
 * assumed never to flush subnormals, so if the shader does, a comparison of floats is separate. */
static bool
make_test(const NornSelector *selector, const Comparison *comparison, unsigned bits, Test *test) {
  unsigned instruction = instruction_of(comparison, bits);
  if (!instruction || comparison->condition == NO_CONDITION ||
      (comparison->op == NORN_OP_FCMP &&
       (selector->module->denormals != NORN_DENORMALS_PRESERVE ||
        has_signs(selector, comparison->left) || has_signs(selector, comparison->right))))
    return false;
  *test = (Test){.instruction = instruction,
                 .condition = comparison->condition,
                 .left = comparison->left,
                 .right = comparison->right,
                 .is_inverted = comparison->is_inverted};
  return true;
}

/* The test of a condition: its comparison, or of its truth value.
 * `type`: that of the selected values; `is_of_registers`: they are registers. */
static Test
test_of(NornSelector *selector, NornRef condition, NornType type, bool is_of_registers) {
  const NornInst inst = norn_select_definition(selector, condition);
  Test test = {NORN_VALHALL_CSEL_U32,
               NORN_VALHALL_CONDITION_NE,
               norn_valhall_truth(selector, condition),
               norn_select_word(selector, 0),
               false,
               true};
  if (!norn_valhall_is_comparison(&inst))
    return test;
  Comparison comparison = norn_valhall_comparison_of(selector, &inst);
  if (compares_itself(selector, &comparison, condition, is_of_registers))
    make_test(selector, &comparison, norn_type_bits(type), &test);
  return test;
}

/* Whether a truth value can be compared with the constant instead of 0: "greater than" a constant
 * other than 0 and all ones is equivalent to "not 0", and 0 would be one word too many together
 * with a uniform word. */
static bool
is_limit(const NornSelector *selector, NornRef constant, NornRef other) {
  uint64_t bits;
  return norn_ref_kind(other) == NORN_REF_UNIFORM &&
         norn_select_constant(selector, constant, &bits) && (uint32_t)bits != 0 &&
         (uint32_t)bits != UINT32_MAX;
}

static NornValhallInst
begin_choice(NornSelector *selector, uint32_t inst, const Test *test, NornRef yes, NornRef no) {
  NornValhallInst machine = norn_valhall_begin(selector, inst, test->instruction);
  NornRef limit = is_limit(selector, yes, no) ? yes : is_limit(selector, no, yes) ? no : 0;
  bool has_limit = test->is_truth && limit;
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_CONDITION,
                   has_limit ? NORN_VALHALL_CONDITION_GT : test->condition);
  norn_valhall_plain(&machine, test->left);
  norn_valhall_plain(&machine, has_limit ? limit : test->right);
  norn_valhall_plain(&machine, test->is_inverted ? no : yes);
  norn_valhall_plain(&machine, test->is_inverted ? yes : no);
  return machine;
}

/* A selection between 1, 1.0 or all ones and zero is the truth value itself. */
static bool
select_constant_choice(NornSelector *selector, uint32_t inst, NornRef condition, NornRef yes,
                       NornRef no) {
  NornType type = norn_inst(selector->function, inst)->type;
  uint64_t yes_bits, no_bits;
  if (!norn_select_constant(selector, yes, &yes_bits) ||
      !norn_select_constant(selector, no, &no_bits) || no_bits != 0)
    return false;
  if (yes_bits == 1 && type == NORN_TYPE_I32)
    return norn_valhall_select_truth_as(selector, inst, condition, NORN_VALHALL_RESULT_TYPE_I1);
  if (yes_bits == F32_ONE && norn_type_bits(type) == 32)
    return norn_valhall_select_truth_as(selector, inst, condition, NORN_VALHALL_RESULT_TYPE_F1);
  if (yes_bits == UINT32_MAX && norn_type_bits(type) == 32) {
    norn_select_same(selector, inst, norn_valhall_truth(selector, condition));
    return true;
  }
  return false;
}

/* A selection between a number plus 1 and the number adds a truth value that is computed anyway. */
static bool
select_step(NornSelector *selector, uint32_t inst, const Test *test, NornRef yes, NornRef no) {
  const NornInst sum = norn_select_definition(selector, yes);
  uint64_t one;
  if (!test->is_truth || sum.op != NORN_OP_IADD || sum.type != NORN_TYPE_I32 ||
      norn_valhall_operand_of(selector, &sum, 0) != no ||
      !norn_select_constant(selector, norn_valhall_operand_of(selector, &sum, 1), &one) ||
      one != 1 || !norn_select_is_only_use(selector, yes))
    return false;
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_ISUB_U32);
  norn_valhall_plain(&machine, no);
  norn_valhall_plain(&machine, test->left);
  return norn_valhall_finish(&machine);
}

bool
norn_valhall_select_choice(NornSelector *selector, uint32_t inst) {
  NornType type = norn_inst(selector->function, inst)->type;
  unsigned words = MAX(1, norn_type_words(type));
  NornRef condition = norn_select_operand(selector, inst, 0);
  NornRef yes = norn_select_operand(selector, inst, 1);
  NornRef no = norn_select_operand(selector, inst, 2);
  if (type == NORN_TYPE_I1) {
    yes = norn_valhall_truth(selector, yes);
    no = norn_valhall_truth(selector, no);
  }
  if (select_constant_choice(selector, inst, condition, yes, no))
    return true;
  bool is_of_registers =
      norn_ref_kind(yes) == NORN_REF_VALUE && norn_ref_kind(no) == NORN_REF_VALUE;
  Test test = test_of(selector, condition, type, is_of_registers);
  if (select_step(selector, inst, &test, yes, no))
    return true;
  if (words == 1) {
    NornValhallInst machine = begin_choice(selector, inst, &test, yes, no);
    return norn_valhall_finish(&machine);
  }
  NornRef parts[8];
  for (unsigned k = 0; k < words; k++) {
    NornValhallInst machine =
        begin_choice(selector, inst, &test, norn_select_word_of(selector, yes, k, words),
                     norn_select_word_of(selector, no, k, words));
    parts[k] = norn_valhall_emit(&machine, 1);
  }
  norn_select_collect(selector, inst, parts, words);
  return true;
}

bool
norn_valhall_select_lane_choice(NornSelector *selector, uint32_t inst) {
  NornRef mask = norn_select_operand(selector, inst, 0);
  const NornInst definition = norn_select_definition(selector, mask);
  if (!norn_select_is_only_use(selector, mask) ||
      (definition.op != NORN_OP_FCMPMASK && definition.op != NORN_OP_ICMPMASK))
    return false;
  Comparison comparison = norn_valhall_comparison_of(selector, &definition);
  Test test;
  if (!make_test(selector, &comparison, 32, &test))
    return false;
  NornValhallInst machine =
      begin_choice(selector, inst, &test, norn_select_operand(selector, inst, 1),
                   norn_select_operand(selector, inst, 2));
  return norn_valhall_finish(&machine);
}

bool
norn_valhall_select_chosen_product(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  if (self.type != NORN_TYPE_F32 || !norn_inst_is_finite(&self) ||
      selector->module->denormals != NORN_DENORMALS_PRESERVE)
    return false;
  for (unsigned k = 0; k < 2; k++) {
    NornRef ref = norn_select_operand(selector, inst, k);
    NornRef factor = norn_select_operand(selector, inst, 1 - k);
    const NornInst choice = norn_select_definition(selector, ref);
    if (choice.op != NORN_OP_SELECT || !norn_select_is_only_use(selector, ref) ||
        norn_ref_kind(factor) != NORN_REF_VALUE || has_signs(selector, factor))
      continue;
    uint64_t yes, no;
    if (!norn_select_constant(selector, norn_valhall_operand_of(selector, &choice, 1), &yes) ||
        !norn_select_constant(selector, norn_valhall_operand_of(selector, &choice, 2), &no) ||
        (yes ? yes : no) != F32_ONE || (yes && no))
      continue;
    NornRef zero = norn_select_word(selector, 0);
    Test test =
        test_of(selector, norn_valhall_operand_of(selector, &choice, 0), NORN_TYPE_F32, false);
    NornValhallInst machine =
        begin_choice(selector, inst, &test, yes ? factor : zero, yes ? zero : factor);
    return norn_valhall_finish(&machine);
  }
  return false;
}
