/* Evaluates the expressions of a description, which are compiled to postfix code. */
#include "isa/isa.h"

static int64_t
amount(const int32_t *amounts, const NornIsaField *field, uint64_t word) {
  uint32_t value = norn_isa_extract(field, word);
  return field->amounts == UINT32_MAX ? (int64_t)value : amounts[field->amounts + value];
}

static int64_t
binary(NornIsaExpressionOperation operation, int64_t a, int64_t b) {
  switch (operation) {
  case NORN_ISA_EXPRESSION_ADD:
    return (int64_t)((uint64_t)a + (uint64_t)b);
  case NORN_ISA_EXPRESSION_SUBTRACT:
    return (int64_t)((uint64_t)a - (uint64_t)b);
  case NORN_ISA_EXPRESSION_MULTIPLY:
    return (int64_t)((uint64_t)a * (uint64_t)b);
  case NORN_ISA_EXPRESSION_DIVIDE:
    return b ? a / b : 0;
  case NORN_ISA_EXPRESSION_REMAINDER:
    return b ? a % b : 0;
  case NORN_ISA_EXPRESSION_AND:
    return a & b;
  case NORN_ISA_EXPRESSION_OR:
    return a | b;
  case NORN_ISA_EXPRESSION_SHIFT_LEFT:
    return (int64_t)((uint64_t)a << (b & 31));
  case NORN_ISA_EXPRESSION_SHIFT_RIGHT:
    return (int64_t)((uint64_t)a >> (b & 31));
  case NORN_ISA_EXPRESSION_EQUAL:
    return a == b;
  case NORN_ISA_EXPRESSION_UNEQUAL:
    return a != b;
  case NORN_ISA_EXPRESSION_LESS:
    return a < b;
  case NORN_ISA_EXPRESSION_LESS_EQUAL:
    return a <= b;
  case NORN_ISA_EXPRESSION_GREATER:
    return a > b;
  case NORN_ISA_EXPRESSION_GREATER_EQUAL:
    return a >= b;
  case NORN_ISA_EXPRESSION_LOGICAL_AND:
    return a && b;
  case NORN_ISA_EXPRESSION_LOGICAL_OR:
    return a || b;
  default:
    return 0;
  }
}

int64_t
norn_isa_compute(const uint32_t *code, const int32_t *amounts, const NornIsaField *fields,
                 uint64_t word) {
  int64_t stack[NORN_ISA_EXPRESSION_STACK + 1];
  unsigned top = 0; /* stack[0] is not used */
  for (;; code++) {
    NornIsaExpressionOperation operation = *code & 0xFF;
    const NornIsaField *field = fields + (*code >> 8);
    switch (operation) {
    case NORN_ISA_EXPRESSION_END:
      return stack[top];
    case NORN_ISA_EXPRESSION_CONSTANT:
      stack[++top] = (int32_t) * ++code;
      break;
    case NORN_ISA_EXPRESSION_AMOUNT:
      stack[++top] = amount(amounts, field, word);
      break;
    case NORN_ISA_EXPRESSION_CODE:
      stack[++top] = norn_isa_extract(field, word);
      break;
    case NORN_ISA_EXPRESSION_NOT:
      stack[top] = !stack[top];
      break;
    case NORN_ISA_EXPRESSION_NEGATE:
      stack[top] = -stack[top];
      break;
    case NORN_ISA_EXPRESSION_SELECT:
      top -= 2;
      stack[top] = stack[top] ? stack[top + 1] : stack[top + 2];
      break;
    default:
      top--;
      stack[top] = binary(operation, stack[top], stack[top + 1]);
    }
  }
}
