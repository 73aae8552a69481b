/* All operations that have terms, with the types they accept. */
#include "ir/ops.h"
#include "ir/random.h"
#include "tests/proofs/questions.h"

/* Groups of words are not numbers; doubles are not a type of the target. A row may have no type. */
static bool
is_number(NornType type) {
  NornTypeClass class = norn_types[type].class;
  return !type || (type != NORN_TYPE_F64 && norn_type_bits(type) <= 64 &&
                   (class == NORN_CLASS_INT || class == NORN_CLASS_FLOAT));
}

void
for_each_operation(void (*visit)(const FuzzForm *, gpointer), gpointer data) {
  GArray *forms = fuzz_forms();
  for (guint k = 0; k < forms->len; k++) {
    const FuzzForm *form = &g_array_index(forms, FuzzForm, k);
    if (operation_has_terms(form->op) && is_number(form->type) && is_number(form->source_type))
      visit(form, data);
  }
  g_array_unref(forms);
}

unsigned
operation_operands(const FuzzForm *operation, NornType *types) {
  NornSignatureCursor cursor =
      norn_operand_cursor(operation->op, operation->type, operation->source_type);
  unsigned count = 0;
  for (; norn_cursor_kind(&cursor) != NORN_LETTER_END; norn_cursor_next(&cursor)) {
    unsigned copies = norn_cursor_is_repeated(&cursor) ? norn_types[operation->type].lanes : 1;
    NornType type = norn_cursor_type(&cursor);
    for (unsigned k = 0; k < copies; k++)
      types[count++] = type;
    if (norn_cursor_is_repeated(&cursor))
      break;
  }
  return count;
}

unsigned
operation_results(const FuzzForm *operation, NornType *types) {
  NornSignatureCursor cursor =
      norn_result_cursor(operation->op, operation->type, operation->source_type);
  unsigned count = 0;
  for (; norn_cursor_kind(&cursor) != NORN_LETTER_END; norn_cursor_next(&cursor))
    types[count++] = norn_cursor_type(&cursor);
  return count;
}

uint64_t
operation_immediate(const FuzzForm *operation, uint64_t *state) {
  uint64_t random = norn_random_next(state) >> 20;
  switch (operation->op) {
  case NORN_OP_FCLASS:
    return random % 3 ? random % 1024 : 1u << random / 3 % 10;
  case NORN_OP_SWIZZLE:
    return random % 0x10000 & (norn_types[operation->type].lanes == 2 ? 0x11 : 0x3333);
  case NORN_OP_EXTRACT:
    return random % norn_types[operation->source_type].lanes;
  case NORN_OP_INSERT:
    return random % norn_types[operation->type].lanes;
  default:
    return random % 8;
  }
}
