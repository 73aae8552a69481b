/* Constant evaluation of Valhall's integer instructions, as far as loop counters need it: sums,
 * products, shifts, comparisons and selections of 32 bits, and 64-bit sums whose results are two
 * constants. Results that are not computed here are unknown. */
#include "report/valhall/valhall.h"
#include <norn/valhall.h>

enum { SOURCES = 4, ALL_HALVES = 3 };

/* The sources of an instruction; bit k of `known`: source k. */
typedef struct Sources {
  uint32_t value[SOURCES];
  unsigned known;
} Sources;

typedef struct Context {
  const NornReportProgram *program;
  const NornReportInstruction *self;
} Context;

static uint32_t
field(const Context *context, unsigned number) {
  return norn_isa_field_get_or(context->self->encoding, number, context->self->word, 0);
}

/* The parts of a source that its swizzle selects, extended according to the type; false if the
 * result is not a 32-bit number. */
static bool
select_parts(const Context *context, const NornIsaField *swizzle, uint32_t *value) {
  const NornIsaEncoding *encoding = context->self->encoding;
  uint32_t choice = norn_isa_extract(swizzle, context->self->word);
  const NornIsaSwizzle *part = norn_isa_swizzle(context->program->isa, swizzle, choice);
  if (!(swizzle->allowed >> choice & 1))
    return false;
  if (!part->bits || part->bits == 32)
    return true;
  uint32_t mask = (1u << part->bits) - 1, sign = 1u << (part->bits - 1);
  *value = *value >> part->index[0] * part->bits & mask;
  if (encoding->type.class == NORN_ISA_TYPE_SIGNED)
    *value = (*value ^ sign) - sign;
  return true;
}

/* A 64-bit source that is a zero-extended 32-bit constant. */
static bool
read_extended(const Context *context, const NornIsaOperand *operand, uint32_t *value) {
  const NornIsaEncoding *encoding = context->self->encoding;
  const NornIsaCode *code =
      norn_isa_operand_code(context->program->isa, encoding, operand, context->self->word);
  *value = code->value;
  for (unsigned k = 0; k < operand->modifier_count; k++)
    if (norn_isa_extract(&encoding->fields[operand->modifiers[k]], context->self->word) !=
        NORN_VALHALL_WIDEN_INTEGER_W0)
      return false;
  return code->kind == NORN_ISA_CODE_CONSTANT && operand->modifier_count;
}

/* The constant that the compiler put into a uniform word. */
static bool
find_promoted(const NornCompileInfo *info, unsigned word, uint32_t *value) {
  if (!info || word < info->promoted_first || word - info->promoted_first >= info->promoted_count)
    return false;
  *value = info->constants[word - info->promoted_first];
  return true;
}

static bool
read_source(const Context *context, const NornIsaOperand *operand, const NornReportConstants *state,
            uint32_t *value) {
  if (operand->words == 2)
    return read_extended(context, operand, value);
  const NornIsaEncoding *encoding = context->self->encoding;
  const NornIsaCode *code =
      norn_isa_operand_code(context->program->isa, encoding, operand, context->self->word);
  bool is_register = code->kind == NORN_ISA_CODE_REGISTER || code->kind == NORN_ISA_CODE_LAST;
  if (operand->words != 1 || (is_register && !(state->known >> code->number & 1)))
    return false;
  if (is_register)
    *value = state->value[code->number];
  else if (code->kind == NORN_ISA_CODE_CONSTANT)
    *value = code->value;
  else if (code->kind != NORN_ISA_CODE_UNIFORM ||
           !find_promoted(context->program->info, code->number, value))
    return false;
  for (unsigned k = 0; k < operand->modifier_count; k++) {
    const NornIsaField *modifier = &encoding->fields[operand->modifiers[k]];
    if (modifier->swizzles != UINT32_MAX) {
      if (!select_parts(context, modifier, value))
        return false;
    } else if (norn_isa_extract(modifier, context->self->word)) {
      if (modifier->number != NORN_VALHALL_FIELD_NOT2)
        return false;
      *value = ~*value;
    }
  }
  return true;
}

static Sources
read_sources(const Context *context, const NornReportConstants *state) {
  const NornIsaEncoding *encoding = context->self->encoding;
  Sources sources = {.known = 0};
  unsigned count = 0;
  for (unsigned k = 0; k < encoding->operand_count && count < SOURCES; k++) {
    if (encoding->operands[k].role != NORN_ISA_OPERAND_SOURCE)
      continue;
    bool is_known = read_source(context, &encoding->operands[k], state, &sources.value[count]);
    sources.known |= (unsigned)is_known << count++;
  }
  return sources;
}

static bool
knows(const Sources *sources, unsigned count) {
  return (sources->known & ((1u << count) - 1)) == (1u << count) - 1;
}

static bool
compare(const Context *context, uint32_t left, uint32_t right) {
  if (context->self->encoding->type.class == NORN_ISA_TYPE_SIGNED) {
    left ^= 0x80000000;
    right ^= 0x80000000;
  }
  switch (field(context, NORN_VALHALL_FIELD_CONDITION)) {
  case NORN_VALHALL_CONDITION_EQ:
    return left == right;
  case NORN_VALHALL_CONDITION_GT:
    return left > right;
  case NORN_VALHALL_CONDITION_GE:
    return left >= right;
  case NORN_VALHALL_CONDITION_NE:
    return left != right;
  case NORN_VALHALL_CONDITION_LT:
    return left < right;
  default:
    return left <= right;
  }
}

/* --- Instructions, by what they have in common --- */

static bool
move(const Context *context, const Sources *sources, uint32_t *result) {
  (void)context;
  *result = sources->value[0];
  return knows(sources, 1);
}

static bool
add(const Context *context, const Sources *sources, uint32_t *result) {
  *result = sources->value[0] + sources->value[1];
  return knows(sources, 2) && !field(context, NORN_VALHALL_FIELD_SATURATE);
}

static bool
add_long(const Context *context, const Sources *sources, uint32_t *result) {
  result[0] = sources->value[0] + sources->value[1];
  result[1] = result[0] < sources->value[0];
  return knows(sources, 2) && !field(context, NORN_VALHALL_FIELD_SATURATE);
}

static bool
add_constant(const Context *context, const Sources *sources, uint32_t *result) {
  *result = sources->value[0] + field(context, NORN_VALHALL_FIELD_CONSTANT);
  return knows(sources, 1);
}

static bool
subtract(const Context *context, const Sources *sources, uint32_t *result) {
  *result = sources->value[0] - sources->value[1];
  return knows(sources, 2) && !field(context, NORN_VALHALL_FIELD_SATURATE);
}

static bool
multiply(const Context *context, const Sources *sources, uint32_t *result) {
  *result = sources->value[0] * sources->value[1];
  return knows(sources, 2) && !field(context, NORN_VALHALL_FIELD_SATURATE) &&
         !field(context, NORN_VALHALL_FIELD_SWIZZLE0) &&
         !field(context, NORN_VALHALL_FIELD_SWIZZLE1);
}

/* The truth value of the comparison in the format of the result. */
static uint32_t
truth(const Context *context, bool holds) {
  switch (field(context, NORN_VALHALL_FIELD_RESULT_TYPE)) {
  case NORN_VALHALL_RESULT_TYPE_M1:
    return holds ? UINT32_MAX : 0;
  case NORN_VALHALL_RESULT_TYPE_F1:
    return holds ? 0x3F800000 : 0;
  default:
    return holds;
  }
}

/* If the third source is unknown, the result is known only if the comparison determines it. */
static bool
compare_or(const Context *context, const Sources *sources, uint32_t *result) {
  bool holds = compare(context, sources->value[0], sources->value[1]);
  *result = truth(context, holds || sources->value[2]);
  return knows(sources, 2) && (holds || knows(sources, 3));
}

static bool
compare_and(const Context *context, const Sources *sources, uint32_t *result) {
  bool holds = compare(context, sources->value[0], sources->value[1]);
  *result = truth(context, holds && sources->value[2]);
  return knows(sources, 2) && (!holds || knows(sources, 3));
}

static bool
select_by_comparison(const Context *context, const Sources *sources, uint32_t *result) {
  unsigned chosen = compare(context, sources->value[0], sources->value[1]) ? 2 : 3;
  *result = sources->value[chosen];
  return knows(sources, 2) && sources->known >> chosen & 1;
}

static bool
shift(const Context *context, const Sources *sources, bool is_right, uint32_t *result) {
  unsigned amount = sources->value[1];
  *result = is_right ? sources->value[0] >> (amount & 31) : sources->value[0] << (amount & 31);
  return knows(sources, 3) && amount < 32 && !field(context, NORN_VALHALL_FIELD_SIGNED) &&
         !field(context, NORN_VALHALL_FIELD_NOT_RESULT) &&
         !field(context, NORN_VALHALL_FIELD_SWIZZLE0);
}

#define SHIFT(name, is_right, operator)                                                            \
  static bool name(const Context *context, const Sources *sources, uint32_t *result) {             \
    bool is_known = shift(context, sources, is_right, result);                                     \
    *result operator sources->value[2];                                                            \
    return is_known;                                                                               \
  }
SHIFT(shift_left_and, false, &=)
SHIFT(shift_left_or, false, |=)
SHIFT(shift_left_xor, false, ^=)
SHIFT(shift_right_and, true, &=)
SHIFT(shift_right_or, true, |=)
SHIFT(shift_right_xor, true, ^=)

/* The result has as many words as registers are written, at most two. */
static const struct {
  uint16_t instruction;
  bool (*compute)(const Context *context, const Sources *sources, uint32_t *result);
} rows[] = {
    {NORN_VALHALL_MOV_I32, move},
    {NORN_VALHALL_IADD_U32, add},
    {NORN_VALHALL_IADD_S32, add},
    {NORN_VALHALL_IADD_U64, add_long},
    {NORN_VALHALL_IADD_IMM_I32, add_constant},
    {NORN_VALHALL_ISUB_U32, subtract},
    {NORN_VALHALL_ISUB_S32, subtract},
    {NORN_VALHALL_IMUL_I32, multiply},
    {NORN_VALHALL_ICMP_OR_U32, compare_or},
    {NORN_VALHALL_ICMP_OR_S32, compare_or},
    {NORN_VALHALL_ICMP_AND_U32, compare_and},
    {NORN_VALHALL_ICMP_AND_S32, compare_and},
    {NORN_VALHALL_CSEL_U32, select_by_comparison},
    {NORN_VALHALL_CSEL_S32, select_by_comparison},
    {NORN_VALHALL_LSHIFT_AND_I32, shift_left_and},
    {NORN_VALHALL_LSHIFT_OR_I32, shift_left_or},
    {NORN_VALHALL_LSHIFT_XOR_I32, shift_left_xor},
    {NORN_VALHALL_RSHIFT_AND_I32, shift_right_and},
    {NORN_VALHALL_RSHIFT_OR_I32, shift_right_or},
    {NORN_VALHALL_RSHIFT_XOR_I32, shift_right_xor},
};

bool
norn_report_valhall_compute(const NornReportProgram *program, const NornReportInstruction *self,
                            const NornReportConstants *state, uint32_t *result) {
  Context context = {program, self};
  if (norn_isa_field_get_or(self->encoding, NORN_VALHALL_FIELD_DEST_MASK, self->word, ALL_HALVES) !=
      ALL_HALVES)
    return false;
  for (unsigned k = 0; k < G_N_ELEMENTS(rows); k++)
    if (rows[k].instruction == self->encoding->instruction) {
      Sources sources = read_sources(&context, state);
      return rows[k].compute(&context, &sources, result);
    }
  return false;
}

int
norn_report_valhall_branches(const NornReportProgram *program, const NornReportInstruction *self,
                             const NornReportConstants *state) {
  Context context = {program, self};
  uint32_t value;
  if (self->encoding->instruction != NORN_VALHALL_BRANCHZ ||
      field(&context, NORN_VALHALL_FIELD_COMBINE) ||
      !read_source(&context, &self->encoding->operands[0], state, &value))
    return -1;
  return (value == 0) == (field(&context, NORN_VALHALL_FIELD_EQ) != 0);
}
