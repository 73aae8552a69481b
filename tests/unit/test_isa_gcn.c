/* GCN text compared with LLVM's: every line of the oracle assembles to its bits, and the
 * disassembler's output in either syntax assembles to them again. */
#include "assembled.h"
#include "unit.h"
#include <norn/isa.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *generation, *text;
  uint64_t word;
} Line;

static uint64_t
word_of_hex(const char *hex) {
  uint64_t word = 0;
  ck_assert_uint_eq(strlen(hex), 16);
  for (int i = 7; i >= 0; i--)
    word = word << 8 |
           (unsigned)(g_ascii_xdigit_value(hex[2 * i]) << 4 | g_ascii_xdigit_value(hex[2 * i + 1]));
  return word;
}

static void
check_line(const NornIsa *isa, const Line *line) {
  static const unsigned styles[] = {0, NORN_ISA_PRINT_ALTERNATE};
  int architecture = norn_isa_architecture(isa, line->generation);
  ck_assert_int_ge(architecture, 0);
  uint64_t word = take_word(assemble_for("gcn", (unsigned)architecture, false, line->text), "gcn");
  ck_assert_msg(word == line->word,
                "%s %s: %016" G_GINT64_MODIFIER "x, not %016" G_GINT64_MODIFIER "x",
                line->generation, line->text, word, line->word);
  for (unsigned i = 0; i < G_N_ELEMENTS(styles); i++) {
    char text[NORN_ISA_LINE];
    norn_isa_print(isa, (unsigned)architecture, word, styles[i], text);
    uint64_t again = take_word(assemble_for("gcn", (unsigned)architecture, false, text), "gcn");
    ck_assert_msg(again == word, "%s became '%s'", line->text, text);
    if (styles[i])
      ck_assert_str_eq(text, line->text);
  }
}

static unsigned
check_file(const char *path) {
  const NornIsa *isa = norn_isa_find("gcn");
  char *text = NULL;
  unsigned count = 0;
  ck_assert_ptr_nonnull(isa);
  ck_assert(g_file_get_contents(path, &text, NULL, NULL));
  char **lines = g_strsplit(text, "\n", -1);
  for (char **line = lines; *line; line++) {
    char **columns = g_strsplit(*line, "\t", -1);
    if (**line && **line != '#') {
      ck_assert_uint_eq(g_strv_length(columns), 3);
      check_line(isa, &(Line){columns[0], columns[1], word_of_hex(columns[2])});
      count++;
    }
    g_strfreev(columns);
  }
  g_strfreev(lines);
  g_free(text);
  return count;
}

START_TEST(vop3_agrees_with_llvm) {
  ck_assert_uint_eq(check_file(NORN_TEST_DIR "/oracle/gcn-vop3.tsv"), 3299);
}
END_TEST

START_TEST(other_encodings_agree_with_llvm) {
  ck_assert_uint_eq(check_file(NORN_TEST_DIR "/oracle/gcn-e64.tsv"), 1383);
}
END_TEST

/* A lane number in M0 does not count as a scalar register; M0 in any other source does. */
START_TEST(lane_numbers_may_be_m0_besides_one_scalar) {
  const NornIsa *isa = norn_isa_find("gcn");
  static const struct {
    const char *text;
    bool is_legal;
  } rows[] = {{"v_writelane_b32 v0, s1, m0", true},
              {"v_writelane_b32 v0, m0, m0", true},
              {"v_writelane_b32 v0, m0, s1", false},
              {"v_writelane_b32 v0, s2, s1", false}};
  for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
    GError *error = NULL;
    const NornIsaAssembleOptions options = {.architecture = 2};
    g_autoptr(GBytes) code =
        norn_isa_assemble(isa, rows[i].text, strlen(rows[i].text), "t", &options, &error);
    ck_assert_msg((code != NULL) == rows[i].is_legal, "%s", rows[i].text);
    if (!code)
      ck_assert_ptr_nonnull(strstr(error->message, "at most one scalar register"));
    g_clear_error(&error);
  }
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("gcn text");
  TCase *oracle = tcase_create("oracle");
  tcase_add_test(oracle, vop3_agrees_with_llvm);
  tcase_add_test(oracle, other_encodings_agree_with_llvm);
  tcase_add_test(oracle, lane_numbers_may_be_m0_besides_one_scalar);
  suite_add_tcase(suite, oracle);
  return suite;
}
