/* Descriptions of types and operations from the tables, for users of the library. */
#include "ir/numeric.h"
#include "ir/ops.h"
#include <string.h>

const char *
norn_stage_name(NornShaderStage stage) {
  return stage < NORN_STAGE_COUNT ? norn_stage_names[stage] : NULL;
}

const char *
norn_format_name(NornFormat format) {
  const NornModifierInfo *formats = &norn_modifiers[NORN_MODIFIER_FORMAT];
  return format < formats->count ? formats->texts[format] : NULL;
}

/* --- Numbers --- */

static bool
find_float_format(NornType type, NornFloatFormat *format) {
  *format = type == NORN_TYPE_F16   ? NORN_FLOAT_16
            : type == NORN_TYPE_F32 ? NORN_FLOAT_32
                                    : NORN_FLOAT_64;
  return type == NORN_TYPE_F16 || type == NORN_TYPE_F32 || type == NORN_TYPE_F64;
}

uint64_t
norn_float_bits(NornType type, double number) {
  NornFloatFormat format;
  return find_float_format(type, &format) ? norn_float_from_double(format, number) : 0;
}

double
norn_float_number(NornType type, uint64_t bits) {
  NornFloatFormat format;
  return find_float_format(type, &format) ? norn_float_to_double(format, bits) : 0;
}

/* --- Operations --- */

/* The row of a generic operation, or NULL. */
static const NornOpInfo *
find_op(NornOp op) {
  return op > NORN_OP_NONE && op < NORN_OP_COUNT ? &norn_ops[op] : NULL;
}

const char *
norn_op_name(NornOp op) {
  const NornOpInfo *info = find_op(op);
  return info ? info->name : NULL;
}

const char *
norn_op_meaning(NornOp op) {
  const NornOpInfo *info = find_op(op);
  return info ? info->meaning : NULL;
}

/* The names of a set of types, separated by blanks. */
static void
append_types(GString *out, NornTypeSet set) {
  bool first = true;
  for (int type = 0; type < NORN_TYPE_COUNT; type++) {
    if (!norn_type_in(set, (NornType)type))
      continue;
    g_string_append_printf(out, "%s%s", first ? "" : " ", norn_types[type].name);
    first = false;
  }
}

/* The syntax of the operation: "%r = icmp.CONDITION.T %a, %b". */
static char *
format_syntax(const NornOpInfo *op) {
  static const struct {
    char letter;
    const char *text;
  } forms[] = {
#define LETTER(letter, kind, type, parameter, text) {letter, text},
      NORN_LETTERS(LETTER)
#undef LETTER
          {'*', "..."},
      {'?', "(optional)"},
  };
  GString *out = g_string_new(NULL);
  const char *const lists[] = {op->results, op->operands};
  for (int side = 0; side < 2; side++) {
    for (const char *letter = lists[side]; *letter; letter++) {
      const char *text = "";
      for (unsigned i = 0; i < G_N_ELEMENTS(forms); i++)
        if (forms[i].letter == *letter)
          text = forms[i].text;
      bool joins = *letter == '*' || *letter == '?' || letter == lists[side];
      g_string_append_printf(
          out, "%s%s", joins ? (*letter == '*' || *letter == '?' || !side ? "" : " ") : ", ", text);
    }
    if (side)
      break;
    if (*op->results)
      g_string_append(out, " = ");
    g_string_append(out, op->name);
    if (op->modifier) {
      g_autofree char *name = g_ascii_strup(norn_modifiers[op->modifier].type + strlen("Norn"), -1);
      g_string_append_printf(out, ".%s", name);
    }
    g_string_append_printf(out, "%s%s", op->types ? ".T" : "", op->source_types ? ".S" : "");
  }
  return g_string_free(out, FALSE);
}

static void
append_details(GString *out, const NornOpInfo *op) {
  if (op->types) {
    g_string_append(out, "T: ");
    append_types(out, op->types);
    g_string_append_c(out, '\n');
  }
  if (op->source_types) {
    g_string_append(out, "S: ");
    append_types(out, op->source_types);
    g_string_append_c(out, '\n');
  }
  if (op->modifier) {
    const NornModifierInfo *modifier = &norn_modifiers[op->modifier];
    g_autofree char *name = g_ascii_strup(modifier->type + strlen("Norn"), -1);
    g_string_append_printf(out, "%s:", name);
    for (int i = 0; i < modifier->count; i++)
      g_string_append_printf(out, " %s", modifier->texts[i]);
    g_string_append_c(out, '\n');
  }
  static const struct {
    uint64_t flag;
    const char *meaning;
  } flags[] = {
#define FLAG(id, bit, meaning) {NORN_OP_##id, meaning},
      NORN_OP_FLAGS(FLAG)
#undef FLAG
  };
  for (unsigned i = 0; i < G_N_ELEMENTS(flags); i++)
    if (op->flags & flags[i].flag)
      g_string_append_printf(out, "%s\n", flags[i].meaning);
}

char *
norn_op_syntax(NornOp op) {
  const NornOpInfo *info = find_op(op);
  return info ? format_syntax(info) : NULL;
}

char **
norn_op_details(NornOp op) {
  const NornOpInfo *info = find_op(op);
  if (!info)
    return NULL;
  GString *lines = g_string_new(NULL);
  append_details(lines, info);
  if (lines->len)
    g_string_truncate(lines, lines->len - 1);
  char **details = g_strsplit(lines->str, "\n", -1);
  g_string_free(lines, TRUE);
  return details;
}
