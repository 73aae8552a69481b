/* VP1 text compared with envytools': every line of the oracle assembles to its word, and so does
 * the disassembler's output. */
#include "assembled.h"
#include "unit.h"
#include <norn/isa.h>
#include <norn/vp1.h>
#include <stdlib.h>
#include <string.h>

static uint32_t
vp1_word(const char *text) {
  return (uint32_t)take_word(assemble_for("vp1", 0, true, text), "vp1");
}

/* The word for envytools' text of `word`: the text shows neither which of the values 4 to 7 says
 * that no $vc register is written, nor the condition register if vcmpad reads none. */
static uint32_t
canonical(uint32_t word) {
  enum { OPCODE_VCMPAD = 0x8f, SLCT_NONE = 14 };
  NornIsaDecoded decoded;
  ck_assert(norn_isa_unpack(norn_isa_find("vp1"), 0, word, &decoded));
  if (norn_isa_decoded_get(&decoded, NORN_VP1_FIELD_VCDST) >= 4)
    norn_isa_decoded_set(&decoded, NORN_VP1_FIELD_VCDST, 7);
  if (word >> 24 == OPCODE_VCMPAD &&
      norn_isa_decoded_get(&decoded, NORN_VP1_FIELD_SLCT) == SLCT_NONE)
    norn_isa_decoded_set(&decoded, NORN_VP1_FIELD_COND, 0);
  return (uint32_t)norn_isa_pack(&decoded);
}

static void
check_line(uint32_t word, const char *text, const char *unshown) {
  char printed[NORN_ISA_LINE];
  bool plain = strtoul(unshown, NULL, 16) == 0;
  char *line = plain ? g_strdup(text) : g_strdup_printf("%s {0x%s}", text, unshown);
  ck_assert_msg(vp1_word(line) == canonical(word), "%08x %s", word, line);
  norn_isa_print(norn_isa_find("vp1"), 0, word, NORN_ISA_PRINT_NO_VERIFY, printed);
  ck_assert_msg(printed[0] != '.', "%08x %s is shown as %s", word, line, printed);
  ck_assert_msg(vp1_word(printed) == word, "%08x %s became %s", word, line, printed);
  g_free(line);
}

START_TEST(text_agrees_with_envytools) {
  char *text = NULL;
  unsigned count = 0;
  ck_assert(g_file_get_contents(NORN_TEST_DIR "/oracle/vp1-vector.tsv", &text, NULL, NULL));
  char **lines = g_strsplit(text, "\n", -1);
  for (char **line = lines; *line; line++) {
    char **columns = g_strsplit(*line, "\t", -1);
    if (**line && **line != '#') {
      ck_assert_uint_eq(g_strv_length(columns), 3);
      check_line((uint32_t)strtoul(columns[0], NULL, 16), columns[1], columns[2]);
      count++;
    }
    g_strfreev(columns);
  }
  g_strfreev(lines);
  g_free(text);
  ck_assert_uint_eq(count, 5760);
}
END_TEST

/* The order of operands of the instruction tables. */
START_TEST(other_spellings_assemble) {
  static const struct {
    const char *text;
    uint32_t word;
  } lines[] = {
      {"vmin s $vc2 $v10 $v26 $v25", 0x8856b202},
      {"vmin s $v10 $v26 $v25", 0x8856b207},
      {"vsar $vc1 $v27 $v11 $v10", 0x8edad401},
      {"vshr s $v27 $vc1 $v11 $v10", 0x8edad401},
      {"vshr $v9 $v9 $v24", 0x9e4a7007},
      {"vmov $vc0 $v17 0x7c", 0xad8803e0},
      {"mov $v3 $vc", 0xbb180000},
      {"vswz hi $v1 $v2 $v3 $v4", 0x9b088648},
      {"vcmppad 0x2 $vc0 $v6d $v24", 0x8f11b1c0},
      {"vnop", 0xbf000000},
  };
  for (unsigned i = 0; i < G_N_ELEMENTS(lines); i++)
    ck_assert_msg(vp1_word(lines[i].text) == lines[i].word, "%s: %08x", lines[i].text,
                  vp1_word(lines[i].text));
}
END_TEST

START_TEST(bad_opcodes_are_refused) {
  static const char *const lines[] = {
      "vmul u rd fract 0x0 hi # s $v15 s 0x7",
      "vmac2 u factor rd fract 0x0 hi # s $v19 $v0",
      "vmac2 s factor rd fract 0x0 hi # s $v19 $v0",
      "vmac2 s factor rd fract 0x0 hi $v2 s $v19 $v0",
  };
  for (unsigned i = 0; i < G_N_ELEMENTS(lines); i++) {
    NornIsaAssembleOptions options = {0};
    GError *error = NULL;
    vp1_word(lines[i]);
    GBytes *bytes = norn_isa_assemble(norn_isa_find("vp1"), lines[i], strlen(lines[i]), "line",
                                      &options, &error);
    ck_assert_msg(bytes == NULL, "%s", lines[i]);
    ck_assert_int_eq(error->code, NORN_ERROR_INVALID);
    ck_assert_ptr_nonnull(strstr(error->message, "a bad opcode"));
    g_error_free(error);
  }
}
END_TEST

/* Bits that two fields of a bad opcode share must have the same value in both. */
START_TEST(shared_bits_must_agree) {
  static const char text[] = "vmul u rd int 0x0 hi # s $v15 s 0x7";
  NornIsaAssembleOptions options = {.no_verify = true};
  GError *error = NULL;
  ck_assert_ptr_null(
      norn_isa_assemble(norn_isa_find("vp1"), text, strlen(text), "line", &options, &error));
  ck_assert_ptr_nonnull(error);
  g_error_free(error);
}
END_TEST

START_TEST(random_words_come_back) {
  uint32_t state = 0x2545f491;
  for (unsigned i = 0; i < unit_effort(20000); i++) {
    char printed[NORN_ISA_LINE];
    state = state * 1664525 + 1013904223;
    uint32_t word = (state >> 8 ^ state << 16) | 0x80000000;
    norn_isa_print(norn_isa_find("vp1"), 0, word, NORN_ISA_PRINT_NO_VERIFY, printed);
    ck_assert_msg(vp1_word(printed) == word, "%08x became %s", word, printed);
  }
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("vp1 text");
  TCase *oracle = tcase_create("oracle");
  tcase_add_test(oracle, text_agrees_with_envytools);
  tcase_add_test(oracle, other_spellings_assemble);
  tcase_add_test(oracle, bad_opcodes_are_refused);
  tcase_add_test(oracle, shared_bits_must_agree);
  tcase_add_test(oracle, random_words_come_back);
  suite_add_tcase(suite, oracle);
  return suite;
}
