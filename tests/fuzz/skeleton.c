/* skeleton OPERATION DIRECTORY: writes the file tests that an operation needs, from its row.
 *
 *   ir/OPERATION.norn         every form of it in a module that prints as it was read
 *   ir/OPERATION-wrong.norn   every type in a line that is refused
 *   values/OPERATION.norn     every form on constants, and the interpreter's results
 *
 * for `norn test`, below DIRECTORY (tests/filetests). The first two are complete after `norn test
 * --bless` has filled in the expectations. The values are the interpreter's, so each must be
 * compared with the meaning of the operation before the file is useful. If they depend on a run
 * line (memory, stages, other lanes), the file must be written by hand. */
#include "fuzz/fuzz.h"
#include "ir/ops.h"
#include <norn/norn.h>
#include <stdio.h>
#include <string.h>

/* The size of a result in the buffer. */
#define RESULT_BYTES 16

typedef struct Skeleton {
  const NornOpInfo *info;
  NornOp op;
  GArray *forms; /* FuzzForm: those of the operation */
  NornShaderStage stage;
} Skeleton;

/* --- Text of one form --- */

static unsigned
list_count(const FuzzForm *form) {
  if (norn_ops[form->op].flags & NORN_OP_PARTS)
    return norn_part_count(form->type, form->source_type);
  bool has_coordinates = norn_operand_arity(form->op).is_repeated;
  return has_coordinates ? norn_coordinate_operands(form->op, form->modifier, 0) : 0;
}

static unsigned
operand_count(const FuzzForm *form) {
  NornArity arity = norn_operand_arity(form->op);
  return arity.fixed + (arity.is_repeated ? list_count(form) : arity.is_optional);
}

static unsigned
result_count(const FuzzForm *form) {
  return norn_result_count(form->op, form->type, list_count(form));
}

/* The results and the mnemonic of a line. */
static void
append_form(GString *text, const FuzzForm *form, unsigned index) {
  char *mnemonic = fuzz_form_text(form);
  g_string_append(text, "  ");
  for (unsigned k = 0; k < result_count(form); k++)
    g_string_append_printf(text, "%s%%r%u_%u", k ? ", " : "", index, k);
  g_string_append_printf(text, "%s%s", result_count(form) ? " = " : "", mnemonic);
  g_free(mnemonic);
}

/* An ordinary value for each lane, different for each operand. */
static uint64_t
constant_bits(NornType type, unsigned k) {
  static const uint64_t singles[] = {0x40200000, 0xBF400000, 0x40400000},
                        halves[] = {0x4100, 0xBA00, 0x4200},
                        doubles[] = {0x4004000000000000, 0xBFE8000000000000, 0x4008000000000000},
                        ints[] = {0xA5A5A5A5A5A5A5A5, 0x0303030303030303, 0x8040201008040201};
  const NornTypeInfo *info = &norn_types[type];
  unsigned width = info->lane_bits;
  const uint64_t *lanes = info->class != NORN_CLASS_FLOAT ? ints
                          : width == 16                   ? halves
                          : width == 32                   ? singles
                                                          : doubles;
  uint64_t lane = lanes[k % 3], bits = 0;
  for (unsigned i = 0; i < info->lanes && i * width < 64; i++)
    bits |= (width >= 64 ? lane : lane & ((UINT64_C(1) << width) - 1)) << (i * width);
  return bits & norn_type_mask(type);
}

static void
append_operands(GString *text, const FuzzForm *form, bool are_constants) {
  for (unsigned k = 0; k < operand_count(form); k++) {
    NornType type = fuzz_form_operand_type(form, k);
    g_string_append(text, k ? ", " : " ");
    if (fuzz_form_is_immediate(form, k))
      g_string_append_printf(
          text, "%" G_GUINT64_FORMAT,
          (guint64)norn_operand_limit(form->op, form->type, form->source_type, k).minimum);
    else if (!are_constants || norn_type_bits(type) > 64)
      g_string_append_printf(text, "%%%s", norn_types[type].name);
    else if (type == NORN_TYPE_I1)
      g_string_append(text, k % 2 ? "false" : "true");
    else
      g_string_append_printf(text, "0x%" G_GINT64_MODIFIER "X", (guint64)constant_bits(type, k));
  }
}

/* --- Files --- */

/* The start of a module, with an undefined value of each type in `letters` and in the forms. */
static GString *
begin(const Skeleton *skeleton, const char *comment, const char *test) {
  GString *text = g_string_new(NULL);
  bool is_compute = skeleton->stage == NORN_STAGE_COMPUTE;
  g_string_append_printf(text, "; %s: %s\n; test%s\nshader %s @t%s {\n", skeleton->info->name,
                         comment, test, norn_stage_name(skeleton->stage),
                         is_compute ? " workgroup(16, 1, 1) shared(1024) scratch(64)" : "");
  return text;
}

static void
append_undefined(GString *text) {
  for (unsigned type = NORN_TYPE_VOID + 1; type < NORN_TYPE_COUNT; type++)
    g_string_append_printf(text, "  %%%s = undef.%s\n", norn_types[type].name,
                           norn_types[type].name);
}

static bool
finish(GString *text, const char *directory, const char *folder, const char *name,
       const char *suffix) {
  GError *error = NULL;
  char *file = g_strdelimit(g_strdup_printf("%s%s.norn", name, suffix), "._", '-');
  file[strlen(file) - 5] = '.';
  char *path = g_build_filename(directory, folder, file, NULL);
  g_string_append(text, "  end\n}\n; expect:\n");
  bool ok = g_file_set_contents(path, text->str, -1, &error);
  if (ok)
    printf("%s\n", path);
  else
    fprintf(stderr, "%s\n", error->message);
  g_clear_error(&error);
  g_string_free(text, TRUE);
  g_free(path);
  g_free(file);
  return ok;
}

static bool
write_forms(const Skeleton *skeleton, const char *directory) {
  GString *text = begin(skeleton, "every form; the printed module is the one read.", ": opt");
  g_string_append(text, "entry:\n");
  append_undefined(text);
  for (unsigned i = 0; i < skeleton->forms->len; i++) {
    const FuzzForm *form = &g_array_index(skeleton->forms, FuzzForm, i);
    append_form(text, form, i);
    append_operands(text, form, false);
    g_string_append_c(text, '\n');
  }
  return finish(text, directory, "ir", skeleton->info->name, "");
}

/* An operand of another type, or one operand too many. */
static bool
write_refusals(const Skeleton *skeleton, const char *directory) {
  GString *text = begin(skeleton, "operands of the wrong type or number.", " fails: opt");
  g_string_append(text, "entry:\n");
  append_undefined(text);
  for (unsigned i = 0; i < skeleton->forms->len; i++) {
    const FuzzForm *form = &g_array_index(skeleton->forms, FuzzForm, i);
    unsigned count = operand_count(form);
    NornType first = count ? fuzz_form_operand_type(form, 0) : NORN_TYPE_VOID;
    append_form(text, form, i);
    g_string_append_printf(text, " %%%s", first == NORN_TYPE_W8 ? "w7" : "w8");
    for (unsigned k = 1; k < count; k++)
      g_string_append_printf(text, fuzz_form_is_immediate(form, k) ? ", 0" : ", %%%s",
                             norn_types[fuzz_form_operand_type(form, k)].name);
    g_string_append_c(text, '\n');
  }
  return finish(text, directory, "ir", skeleton->info->name, "-wrong");
}

/* Whether the operands are values and immediates only. */
static bool
has_plain_operands(NornOp op) {
  NornSignatureCursor cursor = norn_operand_cursor(op, NORN_TYPE_VOID, NORN_TYPE_VOID);
  for (unsigned left = norn_operand_arity(op).fixed + 1; left; left--, norn_cursor_next(&cursor)) {
    NornLetterKind kind = norn_cursor_kind(&cursor);
    if (kind == NORN_LETTER_ADDRESS || kind == NORN_LETTER_HANDLE || kind >= NORN_LETTER_BLOCK)
      return false;
  }
  return true;
}

/* Whether the results depend only on the operands. */
static bool
has_values(const Skeleton *skeleton) {
  return *skeleton->info->results && has_plain_operands(skeleton->op) &&
         !(skeleton->info->flags &
           ~(uint64_t)(NORN_OP_COMMUTATIVE | NORN_OP_ROUNDS | NORN_OP_APPROXIMATE | NORN_OP_WIDENS |
                       NORN_OP_NARROWS | NORN_OP_SAME_SIZE | NORN_OP_SAME_LANES |
                       NORN_OP_LANE_TYPE | NORN_OP_HOLDS | NORN_OP_PARTS)) &&
         skeleton->op != NORN_OP_UNDEF;
}

/* The module that stores the results of all forms; returns their number. */
static unsigned
append_values(GString *text, const Skeleton *skeleton) {
  unsigned stored = 0;
  g_string_append(text, "  fau p: i64 @ 0\nentry:\n");
  append_undefined(text);
  for (unsigned i = 0; i < skeleton->forms->len; i++) {
    const FuzzForm *form = &g_array_index(skeleton->forms, FuzzForm, i);
    append_form(text, form, i);
    append_operands(text, form, true);
    g_string_append_c(text, '\n');
    for (unsigned k = 0; k < result_count(form); k++) {
      NornType type = fuzz_form_result_type(form, k);
      unsigned offset = RESULT_BYTES * stored++;
      if (type == NORN_TYPE_I1)
        g_string_append_printf(text,
                               "  %%z%u_%u = zext.i32.i1 %%r%u_%u\n"
                               "  store.global.i32 %%z%u_%u, fau.p, offset:%u\n",
                               i, k, i, k, i, k, offset);
      else if (norn_type_words(type) <= 4)
        g_string_append_printf(text, "  store.global.%s %%r%u_%u, fau.p, offset:%u\n",
                               norn_types[type].name, i, k, offset);
    }
  }
  return stored;
}

/* The words that the interpreter leaves in the buffer, as a list; NULL after a message. */
static char *
interpret(const char *body, unsigned words) {
  GError *error = NULL;
  char *whole = g_strdup_printf("%s  end\n}\n", body);
  NornModule *module = norn_module_parse(whole, strlen(whole), "values", &error);
  NornMemory *memory = norn_memory_new();
  uint8_t *zeros = g_malloc0(4 * (size_t)words);
  bool ok = module && norn_memory_add(memory, "p", 0, zeros, 4 * (size_t)words, &error);
  GString *list = g_string_new(NULL);
  if (ok) {
    uint64_t address = norn_memory_address(memory, 0);
    uint32_t uniforms[2] = {(uint32_t)address, (uint32_t)(address >> 32)};
    NornLaunch launch = {
        .memory = memory, .grid = {1, 1, 1}, .uniforms = uniforms, .uniform_count = 2};
    ok = norn_interpret(module, &launch, NULL, &error);
  }
  for (unsigned k = 0; ok && k < words; k++) {
    uint32_t word;
    memcpy(&word, norn_memory_bytes(memory, 0, NULL) + 4 * (size_t)k, 4);
    g_string_append_printf(list, word ? "%s0x%x" : "%s0", k ? ", " : "", word);
  }
  if (!ok)
    fprintf(stderr, "%s\n", error->message);
  g_clear_error(&error);
  norn_memory_free(memory);
  norn_module_free(module);
  g_free(zeros);
  g_free(whole);
  return g_string_free(list, !ok);
}

static bool
write_values(const Skeleton *skeleton, const char *directory) {
  GString *body = g_string_new("shader compute @t workgroup(1, 1, 1) {\n");
  unsigned words = RESULT_BYTES / 4 * append_values(body, skeleton);
  char *list = interpret(body->str, words);
  GString *text = g_string_new(NULL);
  g_string_append_printf(text,
                         "; %s: every form on constants.\n; test: run --engine interpreter -q\n"
                         "; run: grid=1 p=i32[0; %u] => p=i32[%s]\n%s",
                         skeleton->info->name, words, list ? list : "", body->str);
  g_string_free(body, TRUE);
  bool ok = list != NULL;
  g_free(list);
  return finish(text, directory, "values", skeleton->info->name, "") && ok;
}

static NornOp
find_op(const char *name) {
  for (unsigned op = 1; op < NORN_OP_COUNT; op++)
    if (!strcmp(norn_ops[op].name, name))
      return (NornOp)op;
  return NORN_OP_NONE;
}

int
main(int argc, char **argv) {
  Skeleton skeleton = {.op = argc == 3 ? find_op(argv[1]) : NORN_OP_NONE};
  if (!skeleton.op) {
    if (argc == 3)
      fprintf(stderr, "skeleton: unknown operation '%s'\n", argv[1]);
    fprintf(stderr, "usage: skeleton OPERATION DIRECTORY\n");
    return 2;
  }
  skeleton.info = &norn_ops[skeleton.op];
  skeleton.forms = fuzz_forms();
  for (unsigned i = skeleton.forms->len; i-- > 0;)
    if (g_array_index(skeleton.forms, FuzzForm, i).op != skeleton.op)
      g_array_remove_index(skeleton.forms, i);
  uint64_t stages = skeleton.info->flags & NORN_OP_STAGES;
  while (stages && !(stages & (NORN_OP_COMPUTE << skeleton.stage)))
    skeleton.stage++;
  bool ok = write_forms(&skeleton, argv[2]) && write_refusals(&skeleton, argv[2]);
  if (has_values(&skeleton))
    ok = ok && write_values(&skeleton, argv[2]);
  else
    printf("the values of %s depend on more than its operands: write them by hand\n", argv[1]);
  g_array_unref(skeleton.forms);
  return !ok;
}
