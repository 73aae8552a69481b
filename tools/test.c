/* norn test: file tests.
 *
 * A test file is an ordinary input (.norn, .s) whose comments specify commands and their output:
 *
 *   ; test: opt -p optimize            runs `norn opt -p optimize FILE`; must exit with 0
 *   ; test fails: compile              must exit with 1; standard error is compared, except for
 *                                      the lines of the input that messages show
 *   ; expect:
 *   ; ...                              the output, one comment per line, to the first other line
 *
 * A binary input, SHADER.spv, has its test lines in a file SHADER.spv.test.
 *
 * The comment mark is `;`, `#` or `//`. The n-th expectation belongs to the n-th test line. --bless
 * writes what came out into the file if all its tests pass, to be reviewed in its diff. Each test
 * runs the command itself, in the folder of its file, so a crash is one failed test. */
#include "common/diff.h"
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char tool_test_details[] =
    "Without arguments, the tests in tests/filetests are run. In a folder, the tests are the "
    ".norn,\n"
    ".s and .spv.test files, whose comments say what to run and what output to expect:\n"
    "\n"
    "  ; test: opt -p simplify   runs `norn opt -p simplify FILE`, which must succeed\n"
    "  ; test fails: compile     must end with status 1; the errors are compared\n"
    "  ; expect:\n"
    "  ; ...                     the output, one comment per line\n"
    "\n"
    "If a test fails, the differences are shown and the exit status is 1.\n";

#define TEST_SUFFIXES ".norn", ".s"
#define BINARY_SUFFIX ".spv"
#define SIDE_SUFFIX ".test" /* the suffix of the file with a binary's test lines */
#define DIFF_CONTEXT 2

typedef struct {
  char *arguments;
  gboolean fails;
  gboolean has_expectation;
  GPtrArray *expected; /* lines */
  guint expect_line;   /* index of the line after `expect:`; the number of lines in `expected` that
                          follow */
} TestCase;

typedef struct {
  char *path;   /* lines of the file with the test lines */
  char *folder; /* names of that file, of its folder, and of the file that the tests are run on: */
  char *name, *input;
  char **lines;
  GPtrArray *cases;
  guint stray_line; /* the line of an expectation without a test line; 0: there is none */
  char *report;     /* NULL: passed */
  guint passed, failed;
} TestFile;

typedef struct {
  gboolean bless;
  const char *program;
} Run;

static void
case_free(gpointer data) {
  TestCase *item = data;
  g_free(item->arguments);
  g_ptr_array_unref(item->expected);
  g_free(item);
}

static void
test_file_free(gpointer data) {
  TestFile *file = data;
  g_free(file->path);
  g_free(file->folder);
  g_free(file->name);
  g_free(file->input);
  g_strfreev(file->lines);
  g_ptr_array_unref(file->cases);
  g_free(file->report);
  g_free(file);
}

/* The text of a comment line after its mark, or NULL if the line is not a comment. */
static const char *
comment_text(const char *line) {
  if (g_str_has_prefix(line, "//"))
    return line + 2;
  return *line == ';' || *line == '#' ? line + 1 : NULL;
}

static const char *
directive(const char *line, const char *name) {
  const char *text = comment_text(line);
  if (!text)
    return NULL;
  while (*text == ' ')
    text++;
  return g_str_has_prefix(text, name) ? text + strlen(name) : NULL;
}

static TestCase *
case_new(const char *arguments, gboolean fails) {
  TestCase *item = g_new0(TestCase, 1);
  item->arguments = g_strstrip(g_strdup(arguments));
  item->fails = fails;
  item->expected = g_ptr_array_new_with_free_func(g_free);
  return item;
}

static void
collect_cases(TestFile *file) {
  guint expectations = 0;
  for (guint i = 0; file->lines[i]; i++) {
    const char *text;
    if ((text = directive(file->lines[i], "test:")))
      g_ptr_array_add(file->cases, case_new(text, FALSE));
    else if ((text = directive(file->lines[i], "test fails:")))
      g_ptr_array_add(file->cases, case_new(text, TRUE));
    else if (directive(file->lines[i], "expect:") && expectations == file->cases->len)
      file->stray_line = i + 1;
    else if (directive(file->lines[i], "expect:")) {
      TestCase *item = file->cases->pdata[expectations++];
      item->has_expectation = TRUE;
      item->expect_line = i + 1;
      for (; file->lines[i + 1] && (text = comment_text(file->lines[i + 1])) &&
             !directive(file->lines[i + 1], "expect:");
           i++)
        g_ptr_array_add(item->expected, g_strdup(*text == ' ' ? text + 1 : text));
    }
  }
}

/* Splits into lines without their terminators; a last line without a terminator counts, an empty
 * rest does not. */
static GPtrArray *
split_lines(const char *text) {
  GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
  while (*text) {
    const char *end = strchr(text, '\n');
    gsize length = end ? (gsize)(end - text) : strlen(text);
    char *line = g_strndup(text, length);
    g_ptr_array_add(lines, g_strchomp(line));
    text += length + (end != NULL);
  }
  return lines;
}

static void
diff_line(GString *out, gboolean color, char mark, const char *line) {
  const char *code = mark == '-' ? "\033[31m" : mark == '+' ? "\033[32m" : "";
  g_string_append_printf(out, "%s    %c %s%s\n", color ? code : "", mark, line,
                         color && *code ? "\033[0m" : "");
}

/* The differences, with unchanged stretches shortened to their borders. */
static void
append_diff(GString *out, const GPtrArray *expected, const GPtrArray *actual) {
  gboolean color = tool_is_terminal(STDOUT_FILENO);
  g_autofree char *marks = tool_diff(expected, actual);
  guint row = 0, column = 0;
  for (const char *mark = marks; *mark;) {
    gsize same = strspn(mark, " ");
    for (gsize k = 0; k < same; k++, row++, column++, mark++)
      if (k < DIFF_CONTEXT || (same - k <= DIFF_CONTEXT && mark[same - k]))
        diff_line(out, color, ' ', expected->pdata[row]);
      else if (k == DIFF_CONTEXT)
        g_string_append(out, "      ...\n");
    if (*mark)
      diff_line(out, color, *mark, *mark == '-' ? expected->pdata[row++] : actual->pdata[column++]);
    mark += *mark != 0;
  }
}

static gboolean
lines_equal(const GPtrArray *a, const GPtrArray *b) {
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    if (strcmp(a->pdata[i], b->pdata[i]))
      return FALSE;
  return TRUE;
}

/* Removes the source lines that messages show: each of them and the line after it, which
 * contains only a caret. The source is the file itself. */
static GPtrArray *
without_sources(GPtrArray *lines) {
  for (guint i = 1; i < lines->len; i++) {
    const char *line = lines->pdata[i];
    gsize blanks = strspn(line, " \t");
    if (blanks && line[blanks] == '^' && !line[blanks + 1]) {
      g_ptr_array_remove_range(lines, i - 1, 2);
      i--;
    }
  }
  return lines;
}

/* Runs one case; returns the lines of output, or NULL after appending the reason. */
static GPtrArray *
run_case(const Run *run, const TestFile *file, const TestCase *item, GString *report) {
  g_auto(GStrv) words = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *line = g_strdup_printf("%s %s", item->arguments, file->input);
  if (!g_shell_parse_argv(line, NULL, &words, &error)) {
    g_string_append_printf(report, "    the test line cannot be split: %s\n", error->message);
    return NULL;
  }
  if (!strcmp(words[0], "test")) {
    g_string_append(
        report, "    the verb 'test' cannot be tested: the file would run itself without end\n");
    return NULL;
  }
  GPtrArray *argv = g_ptr_array_new();
  g_ptr_array_add(argv, (gpointer)run->program);
  for (char **word = words; *word; word++)
    g_ptr_array_add(argv, *word);
  g_ptr_array_add(argv, NULL);
  g_autofree char *out = NULL, *err = NULL;
  int status = 0;
  /* If a folder or descriptors to close were given, GLib would fork, which copies this process's
   * page tables: with sanitizers that takes as long as the started command itself. */
  GSpawnFlags flags =
      G_SPAWN_STDIN_FROM_DEV_NULL | G_SPAWN_LEAVE_DESCRIPTORS_OPEN | G_SPAWN_CLOEXEC_PIPES;
  gboolean spawned = g_spawn_sync(NULL, (char **)argv->pdata, NULL, flags, NULL, NULL, &out, &err,
                                  &status, &error);
  g_ptr_array_free(argv, TRUE);
  if (!spawned) {
    g_string_append_printf(report, "    cannot be started: %s\n", error->message);
    return NULL;
  }
  int wanted = item->fails ? TOOL_FAILURE : TOOL_SUCCESS;
  if (WIFEXITED(status) && WEXITSTATUS(status) == wanted)
    return item->fails ? without_sources(split_lines(err)) : split_lines(out);
  if (WIFEXITED(status))
    g_string_append_printf(report, "    exit status %d instead of %d\n", WEXITSTATUS(status),
                           wanted);
  else
    g_string_append_printf(report, "    killed by signal %d\n", WTERMSIG(status));
  g_string_append(report, err);
  return NULL;
}

static void
append_expected(GString *text, const char *mark, const GPtrArray *lines) {
  for (guint k = 0; k < lines->len; k++) {
    const char *line = lines->pdata[k];
    g_string_append_printf(text, "%s%s%s\n", mark, *line ? " " : "", line);
  }
}

/* The file with its expectations replaced by the actual output. */
static gboolean
bless(TestFile *file, GPtrArray *outputs, GError **error) {
  const char *mark = g_str_has_prefix(file->lines[0], "//") ? "//"
                     : *file->lines[0] == '#'               ? "#"
                                                            : ";";
  GString *text = g_string_new(NULL);
  guint next = 0;
  for (guint i = 0; file->lines[i]; i++) {
    const TestCase *item = next < file->cases->len ? file->cases->pdata[next] : NULL;
    if (!file->lines[i + 1] && !*file->lines[i])
      break; /* the empty rest after the last line end */
    g_string_append_printf(text, "%s\n", file->lines[i]);
    if (!item || !item->has_expectation || item->expect_line != i + 1)
      continue;
    append_expected(text, mark, outputs->pdata[next++]);
    i += item->expected->len;
  }
  for (; next < file->cases->len; next++) {
    g_string_append_printf(text, "%s expect:\n", mark);
    append_expected(text, mark, outputs->pdata[next]);
  }
  gboolean written = tool_replace(file->name, text->str, text->len, error);
  g_string_free(text, TRUE);
  return written;
}

/* Runs a case and counts it; its output is added to `outputs`, errors to the report. */
static void
check_case(const Run *run, TestFile *file, const TestCase *item, GPtrArray *outputs,
           GString *report) {
  gsize before = report->len;
  GPtrArray *lines = run_case(run, file, item, report);
  if (lines && !run->bless && !item->has_expectation)
    g_string_append(report, "    the test has no expectation; --bless writes one\n");
  else if (lines && !run->bless && !lines_equal(item->expected, lines))
    append_diff(report, item->expected, lines);
  if (lines)
    g_ptr_array_add(outputs, lines);
  if (report->len == before) {
    file->passed++;
    return;
  }
  g_autofree char *title = g_strdup_printf("  norn %s\n", item->arguments);
  g_string_insert(report, (gssize)before, title);
  file->failed++;
}

/* Runs a file's tests; the working folder is the file's. */
static void
run_file(gpointer data, gpointer user_data) {
  TestFile *file = data;
  const Run *run = user_data;
  GString *report = g_string_new(NULL);
  GError *error = NULL;
  g_autofree char *text = tool_read_string(file->name, &error);
  if (!text) {
    g_string_append_printf(report, "    %s\n", error->message);
    g_clear_error(&error);
    file->failed = 1;
    file->report = g_string_free(report, FALSE);
    return;
  }
  file->lines = g_strsplit(text, "\n", -1);
  collect_cases(file);
  if (!file->cases->len) {
    g_string_append(report, "    the file has no test line\n");
    file->failed = 1;
  }
  if (file->stray_line) {
    g_string_append_printf(report, "    the expectation at line %u belongs to no test line\n",
                           file->stray_line);
    file->failed++;
  }
  g_autoptr(GPtrArray) outputs = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
  for (guint i = 0; i < file->cases->len; i++)
    check_case(run, file, file->cases->pdata[i], outputs, report);
  if (run->bless && file->failed && file->cases->len)
    g_string_append(report, "  the file was not updated, since not all of its tests pass\n");
  if (run->bless && !file->failed && !bless(file, outputs, &error)) {
    g_string_append_printf(report, "    %s\n", error->message);
    g_clear_error(&error);
    file->failed++;
  }
  if (report->len)
    file->report = g_string_free(report, FALSE);
  else
    g_string_free(report, TRUE);
}

static void
add_file(GPtrArray *files, const char *path) {
  TestFile *file = g_new0(TestFile, 1);
  gboolean is_binary = g_str_has_suffix(path, BINARY_SUFFIX);
  file->path = is_binary ? g_strconcat(path, SIDE_SUFFIX, NULL) : g_strdup(path);
  file->folder = g_path_get_dirname(path);
  file->name = g_path_get_basename(file->path);
  file->input = g_path_get_basename(path);
  file->cases = g_ptr_array_new_with_free_func(case_free);
  g_ptr_array_add(files, file);
}

static gboolean
is_test(const char *path) {
  static const char *const suffixes[] = {TEST_SUFFIXES};
  for (guint i = 0; i < G_N_ELEMENTS(suffixes); i++)
    if (g_str_has_suffix(path, suffixes[i]))
      return TRUE;
  g_autofree char *side = g_strconcat(path, SIDE_SUFFIX, NULL);
  return g_str_has_suffix(path, BINARY_SUFFIX) && g_file_test(side, G_FILE_TEST_EXISTS);
}

static gint
compare_paths(gconstpointer a, gconstpointer b) {
  return strcmp((*(TestFile *const *)a)->path, (*(TestFile *const *)b)->path);
}

/* Runs all files, those of one folder at a time, in that folder. */
static gboolean
run_files(Run *run, guint jobs, GPtrArray *files, GError **error) {
  int start = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  gboolean entered = TRUE;
  for (guint i = 0; i < files->len && entered;) {
    const TestFile *first = files->pdata[i];
    entered = start >= 0 && !fchdir(start) && !chdir(first->folder);
    if (!entered) {
      g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "%s: %s", first->folder,
                  g_strerror(errno));
      break;
    }
    GThreadPool *pool = g_thread_pool_new(run_file, run, (int)jobs, FALSE, NULL);
    for (; i < files->len && !strcmp(((TestFile *)files->pdata[i])->folder, first->folder); i++)
      g_thread_pool_push(pool, files->pdata[i], NULL);
    g_thread_pool_free(pool, FALSE, TRUE);
  }
  if (start >= 0)
    close(start);
  return entered;
}

int
tool_test(int argc, char **argv) {
  const ToolVerb *verb = tool_verb("test");
  Run run = {0};
  int jobs = 0;
  g_autofree char *command = NULL;
  const GOptionEntry entries[] = {
      {"bless", 0, 0, G_OPTION_ARG_NONE, &run.bless,
       "Write the actual output into the files as the expectation", NULL},
      {"command", 0, 0, G_OPTION_ARG_FILENAME, &command, "The command to test (default: this one)",
       "PROGRAM"},
      TOOL_JOBS_ENTRY(jobs),
      {NULL},
  };
  g_auto(GStrv) paths = NULL;
  int status = tool_parse(verb, entries, NULL, argc, argv, &paths);
  if (status)
    return MAX(status, 0);
  GError *error = NULL;
  if (!tool_check_numbers(&(ToolNumber){"--jobs", jobs, 0, TOOL_MAX_JOBS}, 1, &error))
    return tool_refuse(verb, error);
  /* Each test runs in the folder of its file. */
  g_autofree char *program =
      command ? g_canonicalize_filename(command, NULL) : g_file_read_link("/proc/self/exe", NULL);
  if (!program)
    return tool_usage(verb, "cannot find the program itself");
  run.program = program;
  g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(test_file_free);
  g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(g_free);
  char *usual[] = {(char *)"tests/filetests", NULL};
  for (char **path = *paths ? paths : usual; *path; path++) {
    gsize side = g_str_has_suffix(*path, BINARY_SUFFIX SIDE_SUFFIX) ? strlen(SIDE_SUFFIX) : 0;
    g_autofree char *tested = g_strndup(*path, strlen(*path) - side);
    if (!tool_find_files(tested, is_test, found, &error))
      return tool_fail(error);
  }
  for (guint i = 0; i < found->len; i++)
    add_file(files, found->pdata[i]);
  g_ptr_array_sort(files, compare_paths);
  if (!files->len)
    return tool_fail(g_error_new(NORN_ERROR, NORN_ERROR_INVALID,
                                 "%s: no tests (.norn, .s, .spv" SIDE_SUFFIX ") in this folder",
                                 *paths ? *paths : usual[0]));

  if (!run_files(&run, tool_jobs(jobs), files, &error))
    return tool_fail(error);
  guint passed = 0, failed = 0;
  for (guint i = 0; i < files->len; i++) {
    const TestFile *file = files->pdata[i];
    passed += file->passed;
    failed += file->failed;
    if (file->report && tool_messages_are_text())
      printf("%s\n%s", file->path, file->report);
    else if (file->report)
      tool_fail(g_error_new(NORN_ERROR, NORN_ERROR_INVALID, "%s:1: the test fails\n%s", file->path,
                            file->report));
  }
  printf("%u passed, %u failed\n", passed, failed);
  return failed ? TOOL_FAILURE : TOOL_SUCCESS;
}
