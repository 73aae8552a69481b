/* Every operation occurs in the file tests with every type and with every modifier: once in a
 * module that prints as it was read, once in one whose values (or trap) are compared; and with
 * every type in a line that is refused. The table of operations determines what must occur; the
 * files are scanned, so a new row without tests is detected here. */
#include "fuzz/fuzz.h"
#include "ir/ir.h"
#include "ir/ops.h"
#include "unit.h"
#include <stdio.h>
#include <string.h>

/* Represents all modifiers. */
#define ANY 255

/* Operations that occur, either with types and any modifier, or with a modifier and no types; as
 * norn_form_key. */
typedef struct Seen {
  GHashTable *printed, *valued, *refused;
} Seen;

static void
note(GHashTable *set, uint16_t op, uint8_t type, uint8_t source_type, uint8_t modifier) {
  const NornInst inst = {.op = op, .type = type, .source_type = source_type, .modifier = modifier};
  g_hash_table_add(set, (gpointer)(guintptr)norn_form_key(&inst));
}

static void
note_module(GHashTable *set, const NornModule *module) {
  for (uint32_t i = 0; i < module->function_count; i++)
    for (uint32_t k = 0; k < module->functions[i]->inst_count; k++) {
      const NornInst *inst = norn_inst(module->functions[i], k);
      if (norn_is_machine(inst))
        continue;
      note(set, inst->op, inst->type, inst->source_type, ANY);
      note(set, inst->op, 0, 0, inst->modifier);
    }
}

/* The operation whose name a mnemonic begins with, and the type that may follow the name and a
 * modifier, VOID if there is none. */
static NornOp
op_of(const char *mnemonic, NornType *type) {
  NornOp best = NORN_OP_NONE;
  size_t length = 0;
  for (unsigned op = 1; op < NORN_OP_COUNT; op++) {
    size_t size = strlen(norn_ops[op].name);
    if (size > length && !strncmp(norn_ops[op].name, mnemonic, size) &&
        (!mnemonic[size] || mnemonic[size] == '.')) {
      best = (NornOp)op;
      length = size;
    }
  }
  *type = NORN_TYPE_VOID;
  char **parts = g_strsplit(mnemonic + length, ".", -1);
  unsigned place = best && norn_ops[best].modifier ? 2 : 1;
  if (g_strv_length(parts) > place) {
    int found = norn_find_type(parts[place], strlen(parts[place]));
    *type = found < 0 ? NORN_TYPE_VOID : (NornType)found;
  }
  g_strfreev(parts);
  return best;
}

/* The lines in the errors of a refused file. */
static void
note_refused(GHashTable *set, char *const *lines, const char *name) {
  char *prefix = g_strdup_printf("; error: %s:", name);
  for (char *const *line = lines; *line; line++) {
    if (!g_str_has_prefix(*line, prefix))
      continue;
    unsigned long number = strtoul(*line + strlen(prefix), NULL, 10);
    ck_assert_uint_gt(number, 0);
    const char *text = lines[number - 1], *equals = strstr(text, " = ");
    char *mnemonic = g_strndup(equals ? equals + 3 : text, strlen(text));
    g_strstrip(mnemonic);
    mnemonic[strcspn(mnemonic, " ")] = 0;
    NornType type;
    NornOp op = op_of(mnemonic, &type);
    if (op)
      note(set, (uint16_t)op, (uint8_t)type, 0, ANY);
    g_free(mnemonic);
  }
  g_free(prefix);
}

static void
read_file(const Seen *seen, const char *path, const char *name) {
  char *text;
  size_t length;
  ck_assert(g_file_get_contents(path, &text, &length, NULL));
  char **lines = g_strsplit(text, "\n", -1);
  bool prints = false, runs = false, fails = false;
  for (char **line = lines; *line; line++) {
    prints |= !strcmp(*line, "; test: opt");
    runs |= g_str_has_prefix(*line, "; test: run") || g_str_has_prefix(*line, "; test fails: run");
    fails |= !strcmp(*line, "; test fails: opt");
  }
  NornModule *module = prints || runs ? norn_module_parse(text, length, name, NULL) : NULL;
  if (module) {
    note_module(prints ? seen->printed : seen->valued, module);
    norn_module_free(module);
  }
  if (fails)
    note_refused(seen->refused, lines, name);
  g_strfreev(lines);
  g_free(text);
}

static void
read_directory(const Seen *seen, const char *path) {
  GDir *directory = g_dir_open(path, 0, NULL);
  ck_assert_ptr_nonnull(directory);
  for (const char *name; (name = g_dir_read_name(directory));) {
    char *child = g_build_filename(path, name, NULL);
    if (g_file_test(child, G_FILE_TEST_IS_DIR))
      read_directory(seen, child);
    else if (g_str_has_suffix(name, ".norn"))
      read_file(seen, child, name);
    g_free(child);
  }
  g_dir_close(directory);
}

/* Lists what the set lacks, each entry once; returns whether there is anything. */
static bool
check_form(GString *missing, const char *what, GHashTable *set, uint16_t op, uint8_t type,
           uint8_t source_type, uint8_t modifier) {
  const NornOpInfo *info = &norn_ops[op];
  const NornInst inst = {.op = op, .type = type, .source_type = source_type, .modifier = modifier};
  if (!g_hash_table_add(set, (gpointer)(guintptr)norn_form_key(&inst)))
    return false;
  g_string_append_printf(missing, "%s: %s", what, info->name);
  if (modifier != ANY && info->modifier)
    g_string_append_printf(missing, ".%s", norn_modifiers[info->modifier].texts[modifier]);
  if (type)
    g_string_append_printf(missing, ".%s", norn_types[type].name);
  if (source_type)
    g_string_append_printf(missing, ".%s", norn_types[source_type].name);
  g_string_append_c(missing, '\n');
  return true;
}

/* Forms with control letters are not among fuzz_forms; all their types are. */
static void
add_control_forms(GArray *forms) {
  static const NornOp ops[] = {NORN_OP_BR,         NORN_OP_JUMP,      NORN_OP_SWITCH,
                               NORN_OP_CALL,       NORN_OP_RETURN,    NORN_OP_END,
                               NORN_OP_PRELOAD,    NORN_OP_TERMINATE, NORN_OP_UNREACHABLE,
                               NORN_OP_LOOP_ENTRY, NORN_OP_ALLOCA};
  for (unsigned i = 0; i < G_N_ELEMENTS(ops); i++)
    for (unsigned type = 0; type < NORN_TYPE_COUNT; type++) {
      NornTypeSet types = norn_ops[ops[i]].types;
      FuzzForm form = {(uint16_t)ops[i], (uint8_t)type, 0, 0};
      if (types ? norn_type_in(types, (NornType)type) : !type)
        g_array_append_val(forms, form);
    }
}

START_TEST(every_operation_with_every_type) {
  const Seen seen = {g_hash_table_new(NULL, NULL), g_hash_table_new(NULL, NULL),
                     g_hash_table_new(NULL, NULL)};
  GArray *forms = fuzz_forms();
  GString *missing = g_string_new(NULL);
  unsigned count = 0;
  add_control_forms(forms);
  read_directory(&seen, NORN_TEST_DIR "/filetests");
  for (unsigned i = 0; i < forms->len; i++) {
    const FuzzForm *form = &g_array_index(forms, FuzzForm, i);
    count += check_form(missing, "not printed", seen.printed, form->op, form->type,
                        form->source_type, ANY);
    count += check_form(missing, "not printed", seen.printed, form->op, 0, 0, form->modifier);
    count += check_form(missing, "not refused", seen.refused, form->op, form->type, 0, ANY);
    if (form->op == NORN_OP_PRELOAD)
      continue; /* its value is the initial state of the hardware: tests of compiled code check it
                 */
    count +=
        check_form(missing, "no value", seen.valued, form->op, form->type, form->source_type, ANY);
    count += check_form(missing, "no value", seen.valued, form->op, 0, 0, form->modifier);
  }
  if (count) /* a long list, too long for a check's message */
    fputs(missing->str, stderr);
  ck_assert_msg(!count,
                "%u kinds of operations are missing in tests/filetests: write them with "
                "tests/fuzz/skeleton OPERATION tests/filetests, then norn test --bless",
                count);
  g_hash_table_unref(seen.printed);
  g_hash_table_unref(seen.valued);
  g_hash_table_unref(seen.refused);
  g_array_unref(forms);
  g_string_free(missing, TRUE);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("coverage");
  TCase *tcase = tcase_create("coverage");
  tcase_add_test(tcase, every_operation_with_every_type);
  suite_add_tcase(suite, tcase);
  return suite;
}
