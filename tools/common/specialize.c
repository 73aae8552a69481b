/* Specialization constants: converts the texts of --spec to bits, according to the type of the
 * constant in the module. The module is scanned for it before it is read, so nothing in it is
 * trusted: inconsistent parts are skipped, for the reader to refuse. */
#include "common/spirv_words.h"
#include "tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* SPIR-V numbers, for which the command uses no headers. The first word of an instruction holds
 * its length and its number. */
#define DECORATION_SPEC_ID 1
enum {
  OP_NAME = 5, /* target, text */
  OP_TYPE_BOOL = 20,
  OP_TYPE_INT = 21,   /* result, width, whether it is signed */
  OP_TYPE_FLOAT = 22, /* result, width; then an encoding other than IEEE's */
  OP_SPEC_CONSTANT_TRUE = 48,
  OP_SPEC_CONSTANT_FALSE = 49,
  OP_SPEC_CONSTANT = 50,  /* type, result, value */
  OP_DECORATE = 71,       /* target, decoration, operand */
  OP_GROUP_DECORATE = 74, /* group, targets */
};

/* A constant that has a SpecId. */
typedef struct Constant {
  guint32 spec_id, id;
} Constant;

typedef struct ModuleScan {
  SpirvWords module;
  const guint32 *words;  /* owned by `module` */
  GArray *constants;     /* Constant */
  GHashTable *decorated; /* id -> index of its constant, + 1 */
  GHashTable *places;    /* id -> index of the word where the type or constant is declared */
  GHashTable *names;     /* id -> index of the word where its name is given */
} ModuleScan;

/* The type of a constant. */
typedef struct Type {
  char name[8];  /* "f16", as in lists of `norn run`, or "bool" */
  NornType type; /* of a float; otherwise void */
  guint bits;
  gboolean is_signed;
} Type;

/* --- The module --- */

static guint32
place_of(GHashTable *places, guint32 id) {
  return GPOINTER_TO_UINT(g_hash_table_lookup(places, GUINT_TO_POINTER(id)));
}

static void
set_place(GHashTable *places, guint32 id, guint32 at) {
  g_hash_table_insert(places, GUINT_TO_POINTER(id), GUINT_TO_POINTER(at));
}

/* A constant has one SpecId; if it has several, the first one counts. */
static void
add_constant(ModuleScan *scan, guint32 spec_id, guint32 id) {
  Constant constant = {spec_id, id};
  if (place_of(scan->decorated, id))
    return;
  g_array_append_val(scan->constants, constant);
  set_place(scan->decorated, id, scan->constants->len);
}

/* Applies a decoration group to its targets. */
static void
share_group(ModuleScan *scan, guint32 at, guint32 length) {
  guint32 number = place_of(scan->decorated, scan->words[at + 1]);
  for (guint32 k = 2; k < length && number; k++)
    add_constant(scan, g_array_index(scan->constants, Constant, number - 1).spec_id,
                 scan->words[at + k]);
}

static void
scan_instruction(ModuleScan *scan, guint32 at, guint32 length) {
  const guint32 *words = scan->words + at;
  switch (words[0] & 0xFFFF) {
  case OP_NAME:
    if (length > 2)
      set_place(scan->names, words[1], at);
    break;
  case OP_TYPE_BOOL:
  case OP_TYPE_INT:
  case OP_TYPE_FLOAT:
    if (length > 1)
      set_place(scan->places, words[1], at);
    break;
  case OP_SPEC_CONSTANT_TRUE:
  case OP_SPEC_CONSTANT_FALSE:
  case OP_SPEC_CONSTANT:
    if (length > 2)
      set_place(scan->places, words[2], at);
    break;
  case OP_DECORATE:
    if (length == 4 && words[2] == DECORATION_SPEC_ID)
      add_constant(scan, words[3], words[1]);
    break;
  case OP_GROUP_DECORATE:
    if (length > 1)
      share_group(scan, at, length);
    break;
  default:
    break;
  }
}

static void
scan_init(ModuleScan *scan, GBytes *module) {
  spirv_words_init(&scan->module, module);
  scan->words = scan->module.words;
  scan->constants = g_array_new(FALSE, FALSE, sizeof(Constant));
  scan->decorated = g_hash_table_new(NULL, NULL);
  scan->places = g_hash_table_new(NULL, NULL);
  scan->names = g_hash_table_new(NULL, NULL);
  for (guint32 at = 0, length; spirv_words_next(&scan->module, &at, &length);)
    scan_instruction(scan, at, length);
}

static void
scan_clear(ModuleScan *scan) {
  spirv_words_clear(&scan->module);
  g_array_unref(scan->constants);
  g_hash_table_unref(scan->decorated);
  g_hash_table_unref(scan->places);
  g_hash_table_unref(scan->names);
}

/* FALSE if it is not a specialization constant or has a type without numbers. */
static gboolean
find_type(const ModuleScan *scan, guint32 id, Type *type) {
  const guint32 *constant = scan->words + place_of(scan->places, id);
  guint32 opcode = constant[0] & 0xFFFF;
  if (constant == scan->words || opcode < OP_SPEC_CONSTANT_TRUE)
    return FALSE;
  const guint32 *words = scan->words + place_of(scan->places, constant[1]);
  guint32 length = words[0] >> 16, wanted = words[0] & 0xFFFF;
  *type = (Type){.name = "bool", .bits = 1};
  if (words == scan->words)
    return FALSE;
  if (opcode != OP_SPEC_CONSTANT)
    return wanted == OP_TYPE_BOOL;
  gboolean is_float = wanted == OP_TYPE_FLOAT;
  if (!(is_float ? length == 3 : wanted == OP_TYPE_INT && length == 4))
    return FALSE;
  type->bits = words[2];
  type->is_signed = !is_float && words[3];
  if (is_float)
    type->type = words[2] == 16 ? NORN_TYPE_F16 : words[2] == 32 ? NORN_TYPE_F32 : NORN_TYPE_F64;
  g_snprintf(type->name, sizeof type->name, "%c%u",
             is_float          ? 'f'
             : type->is_signed ? 'i'
                               : 'u',
             words[2]);
  return words[2] == 16 || words[2] == 32 || words[2] == 64 || (words[2] == 8 && !is_float);
}

/* " (NAME)", or nothing if the constant has no name; to be freed with g_free. */
static char *
constant_name(const ModuleScan *scan, guint32 id) {
  guint32 at = place_of(scan->names, id);
  GString *name = g_string_new(NULL);
  if (at)
    spirv_words_append_text(&scan->module, at, 2, name);
  char *text = name->len && g_utf8_validate(name->str, -1, NULL)
                   ? g_strdup_printf(" (%s)", name->str)
                   : g_strdup("");
  g_string_free(name, TRUE);
  return text;
}

/* --- Values --- */

static gboolean
is_hexadecimal(const char *text) {
  return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

gboolean
tool_is_constant(const char *text) {
  guint64 bits;
  char *end;
  if (is_hexadecimal(text))
    return g_ascii_string_to_unsigned(text + 2, 16, 0, G_MAXUINT64, &bits, NULL);
  g_ascii_strtod(text, &end);
  return !strcmp(text, "true") || !strcmp(text, "false") || (*text && !*end);
}

static guint64
most_bits(const Type *type) {
  return G_MAXUINT64 >> (64 - type->bits);
}

/* The nearest number of the type, if the value is in range. */
static gboolean
parse_float(const char *text, const Type *type, guint64 *bits) {
  char *end;
  double number = g_ascii_strtod(text, &end);
  gboolean is_infinite = strpbrk(text, "iI") != NULL; /* written as such, not too large a number */
  if (!*text || *end)
    return FALSE;
  if (type->type == NORN_TYPE_F32)
    number = strtof(text, NULL); /* rounds only once; the decimal point is that of the C locale */
  *bits = norn_float_bits(type->type, number);
  return is_infinite || !isinf(norn_float_number(type->type, *bits));
}

static gboolean
parse_value(const char *text, const Type *type, guint64 *bits) {
  guint64 most = most_bits(type);
  gint64 number;
  if (is_hexadecimal(text))
    return g_ascii_string_to_unsigned(text + 2, 16, 0, most, bits, NULL);
  if (type->type)
    return parse_float(text, type, bits);
  if (type->bits == 1 && (!strcmp(text, "true") || !strcmp(text, "false"))) {
    *bits = *text == 't';
    return TRUE;
  }
  if (!type->is_signed)
    return g_ascii_string_to_unsigned(text, 10, 0, most, bits, NULL);
  if (!g_ascii_string_to_signed(text, 10, -(gint64)(most >> 1) - 1, (gint64)(most >> 1), &number,
                                NULL))
    return FALSE;
  *bits = (guint64)number & most;
  return TRUE;
}

/* A description of the type's values, to be freed with g_free. */
static char *
describe_values(const Type *type) {
  guint64 most = most_bits(type);
  if (type->bits == 1)
    return g_strdup("true or false");
  if (type->type) {
    const char *largest = type->bits == 16   ? "65504"
                          : type->bits == 32 ? "3.4028235e38"
                                             : "1.7976931348623157e308";
    return g_strdup_printf("a number from -%s to %s, or its bits such as 0x%" G_GINT64_MODIFIER "X",
                           largest, largest, norn_float_bits(type->type, 0.5));
  }
  if (type->is_signed)
    return g_strdup_printf("an integer from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
                           ", or its bits such as 0x%" G_GINT64_MODIFIER "X",
                           -(gint64)(most >> 1) - 1, (gint64)(most >> 1), most);
  return g_strdup_printf("an integer from 0 to %" G_GUINT64_FORMAT
                         ", or its bits such as 0x%" G_GINT64_MODIFIER "X",
                         most, most);
}

/* --- Both together --- */

static gint
compare_ids(gconstpointer a, gconstpointer b) {
  const guint32 *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

/* Reports that the modules have no such constant, and which ones they have. */
static void
fail_id(const ModuleScan *scans, guint count, const char *name, guint32 spec_id, GError **error) {
  g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(guint32));
  g_autoptr(GString) list = g_string_new(NULL);
  Type type;
  for (guint k = 0; k < count; k++)
    for (guint i = 0; i < scans[k].constants->len; i++) {
      const Constant *constant = &g_array_index(scans[k].constants, Constant, i);
      if (find_type(&scans[k], constant->id, &type))
        g_array_append_val(ids, constant->spec_id);
    }
  g_array_sort(ids, compare_ids);
  for (guint i = 0; i < ids->len; i++) {
    guint32 id = g_array_index(ids, guint32, i);
    if (!i || id != g_array_index(ids, guint32, i - 1))
      g_string_append_printf(list, "%s%u", i ? ", " : ", expected one of ", id);
  }
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "%s: --spec: no constant has the SpecId %u%s",
              name, spec_id, list->str);
}

/* Enters the value of a constant; does nothing if only other modules have it and `may_miss` is
 * set. */
static gboolean
specialize(const ModuleScan *scan, const ToolConstant *given, gboolean may_miss, const char *name,
           GArray *values, GError **error) {
  NornSpirvConstant value = {.id = given->id};
  gboolean is_found = FALSE;
  for (guint i = 0; i < scan->constants->len; i++) {
    const Constant *constant = &g_array_index(scan->constants, Constant, i);
    Type type;
    guint64 bits;
    if (constant->spec_id != given->id || !find_type(scan, constant->id, &type))
      continue;
    g_autofree char *called = constant_name(scan, constant->id);
    if (!parse_value(given->text, &type, &bits)) {
      g_autofree char *expected = describe_values(&type);
      g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                  "%s: --spec: the constant %u%s has type %s, expected %s, found '%s'", name,
                  given->id, called, type.name, expected, given->text);
      return FALSE;
    }
    if (is_found && bits != value.bits) {
      g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                  "%s: --spec: '%s' has different bits for another constant with the SpecId %u%s, "
                  "which has type %s; expected bits such as 0x1",
                  name, given->text, given->id, called, type.name);
      return FALSE;
    }
    value.bits = bits;
    is_found = TRUE;
  }
  if (is_found)
    g_array_append_val(values, value);
  else if (!may_miss)
    fail_id(scan, 1, name, given->id, error);
  return is_found || may_miss;
}

GArray *
tool_specialize(const ToolTarget *target, GBytes *module, const char *name, GError **error) {
  g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(NornSpirvConstant));
  guint count = target->constants ? target->constants->len : 0;
  ModuleScan scan;
  if (!count)
    return g_steal_pointer(&values);
  scan_init(&scan, module);
  gboolean done = TRUE;
  for (guint i = 0; done && i < count; i++)
    done = specialize(&scan, &g_array_index(target->constants, ToolConstant, i), target->is_mixed,
                      name, values, error);
  scan_clear(&scan);
  return done ? g_steal_pointer(&values) : NULL;
}

static gboolean
has_constant(const ModuleScan *scans, guint count, guint32 spec_id) {
  Type type;
  for (guint k = 0; k < count; k++)
    for (guint i = 0; i < scans[k].constants->len; i++) {
      const Constant *constant = &g_array_index(scans[k].constants, Constant, i);
      if (constant->spec_id == spec_id && find_type(&scans[k], constant->id, &type))
        return TRUE;
    }
  return FALSE;
}

gboolean
tool_check_constants(const ToolTarget *target, const GPtrArray *modules, const char *name,
                     GError **error) {
  g_autofree ModuleScan *scans = g_new(ModuleScan, modules->len + 1);
  guint count = 0;
  gboolean done = TRUE;
  for (guint k = 0; k < modules->len; k++) {
    gsize size;
    const void *bytes = g_bytes_get_data(modules->pdata[k], &size);
    if (norn_spirv_is_module(bytes, size))
      scan_init(&scans[count++], modules->pdata[k]);
  }
  for (guint i = 0; done && i < target->constants->len; i++) {
    guint32 id = g_array_index(target->constants, ToolConstant, i).id;
    done = has_constant(scans, count, id);
    if (!done)
      fail_id(scans, count, name, id, error);
  }
  while (count)
    scan_clear(&scans[--count]);
  return done;
}
