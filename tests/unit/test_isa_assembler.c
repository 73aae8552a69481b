/* The assembler's messages, labels and data, the disassembler's output formats, instructions
 * made from fields. Valhall is the example; its own tests have the real encodings. */
#include "unit.h"
#include <norn/valhall.h>
#include <stdio.h>
#include <string.h>

static const NornIsa *const isa = &norn_isa_valhall;

/* Assembles for an architecture; the word, or 0 with *message set. */
static uint64_t
assemble(const char *architecture, const char *text, char **message) {
  NornIsaAssembleOptions options = {.architecture =
                                        (unsigned)norn_isa_architecture(isa, architecture)};
  GError *error = NULL;
  GBytes *bytes = norn_isa_assemble(isa, text, strlen(text), "x.s", &options, &error);
  *message = NULL;
  if (!bytes) {
    *message = g_strdup(error->message);
    g_error_free(error);
    return 0;
  }
  uint64_t word = 0;
  memcpy(&word, g_bytes_get_data(bytes, NULL), MIN(g_bytes_get_size(bytes), 8));
  g_bytes_unref(bytes);
  return word;
}

/* "0200000000c19100" -> the word with these bytes. */
static uint64_t
word_of_bytes(const char *hexadecimal) {
  uint64_t word = 0;
  for (unsigned i = 0; i < 8; i++) {
    unsigned byte;
    ck_assert_int_eq(sscanf(hexadecimal + 2 * i, "%2x", &byte), 1);
    word |= (uint64_t)byte << 8 * i;
  }
  return word;
}

static const struct {
  const char *architecture, *text, *message;
} faults[] = {
    {"9", "FADD.f32 r0, r1", "x.s:1:16: expected ',' and another operand of FADD.f32"},
    {"9", "FADD.f32 r0, r1, r2, r3", "x.s:1:20: unexpected ',' after the operands of FADD.f32"},
    {"9", "NOP\n  FROB r0", "x.s:2:3: 'FROB' is not an instruction of valhall"},
    {"9", "MOV.i32.wait0.end r0, r1", "x.s:1:15: 'end': flow is given twice"},
    {"9", "AND_IMM.i32 r0, r1, #0x1",
     "x.s:1:1: 'AND_IMM.i32' exists only since architecture 11, not on 9"},
    {"9", "LOAD.i64.slot0 @r2:r4, r6, offset:0",
     "x.s:1:20: 'r4': staging registers must be consecutive"},
    {"9", "LOAD.i64.slot0 @r2, r6, offset:0",
     "x.s:1:16: '@r2': LOAD.i64 has 2 staging registers here, not 1"},
    {"9", "FADD.f32 r0, u0, u4",
     "x.s:1:18: 'u4': FADD.f32 breaks the rule uniform_slots: an instruction reads "
     "at most one 64-bit uniform slot, a message at most two"},
    {"9", "FADD.f32 r0, r1, 0x12345678",
     "x.s:1:18: '0x12345678' is not in the table of constants: 0x0, 0xFFFFFFFF, 0x7FFFFFFF, "
     "0xFAFCFDFE, 0x1000000, 0x80002000 and 26 more"},
    {"9", "FADD.f32 r0, r1, 1.0",
     "x.s:1:18: '1.0' is not in the table of constants; did you mean 0x3F800000?"},
    {"9", "IADD.u64 r0, r2, -1",
     "x.s:1:18: '-1' is not in the table of constants: 0x0, 0xFFFFFFFF, 0x7FFFFFFF, "
     "0xFAFCFDFE, 0x1000000, 0x80002000 and 26 more"},
    {"9", "BRANCHZ r0, nowhere", "x.s:1:13: label 'nowhere' is not defined"},
    {"9", "a: NOP\na: NOP", "x.s:2:1: label 'a' is defined twice"},
    {"9",
     "BRANCHZ r0, a\n.byte 1\na:", "x.s:1:13: label 'a' is not at the start of an instruction"},
    {"9", ".quad 0x10000000000000000",
     "x.s:1:7: expected a number of 64 bits, found '0x10000000000000000'"},
    {"9", ".octa 1", "x.s:1:1: expected .quad, .word or .byte, found '.octa'"},
    {"9", "NOP /* a", "x.s:1:5: unterminated comment"},
};

START_TEST(messages) {
  for (unsigned i = 0; i < G_N_ELEMENTS(faults); i++) {
    char *message;
    assemble(faults[i].architecture, faults[i].text, &message);
    ck_assert_msg(message != NULL, "%s", faults[i].text);
    ck_assert_str_eq(message, faults[i].message);
    g_free(message);
  }
}
END_TEST

START_TEST(no_verify) {
  static const char text[] = "FADD.f32 r0, u0, u4";
  NornIsaAssembleOptions options = {.architecture = NORN_VALHALL_ARCHITECTURE_9, .no_verify = true};
  GBytes *bytes = norn_isa_assemble(isa, text, strlen(text), "x.s", &options, NULL);
  ck_assert_ptr_nonnull(bytes);
  uint64_t word;
  memcpy(&word, g_bytes_get_data(bytes, NULL), 8);
  char line[NORN_ISA_LINE];
  norn_isa_print(isa, options.architecture, word, NORN_ISA_PRINT_NO_VERIFY, line);
  ck_assert_str_eq(line, text);
  norn_isa_print(isa, options.architecture, word, 0, line);
  ck_assert_str_eq(line,
                   ".quad 0x00a4c00000008480 ; FADD.f32 r0, u0, u4: FADD.f32 breaks the rule "
                   "uniform_slots: an instruction reads at most one 64-bit uniform slot, a message "
                   "at most two");
  g_bytes_unref(bytes);
}
END_TEST

START_TEST(labels_and_data) {
  static const char text[] = "start: # the first\n"
                             "/* over two\n lines */ MOV.i32 r1, r2 ; x\n"
                             "loop: BRANCHZ.reconverge r1, loop // back\n"
                             "BRANCHZ.eq 0x0, end\n"
                             ".quad 0xffffffffffffffff, 12\n"
                             "end:\n"
                             ".byte 0x7f\n";
  static const char expected[] = "MOV.i32 r1, r2\n"
                                 "L1:\n"
                                 "BRANCHZ.reconverge r1, L1\n"
                                 "BRANCHZ.eq 0x0, L5\n"
                                 ".quad 0xffffffffffffffff ; unknown opcode\n"
                                 ".quad 0x000000000000000c ; unknown opcode\n"
                                 "L5:\n"
                                 ".byte 0x7f\n";
  NornIsaAssembleOptions options = {.architecture = NORN_VALHALL_ARCHITECTURE_9};
  GBytes *bytes = norn_isa_assemble(isa, text, strlen(text), "x.s", &options, NULL);
  ck_assert_ptr_nonnull(bytes);
  gsize size;
  const void *data = g_bytes_get_data(bytes, &size);
  ck_assert_uint_eq(size, 41);
  NornIsaDisassembleOptions print = {NORN_VALHALL_ARCHITECTURE_9, 0};
  char *back = norn_isa_disassemble(isa, data, size, &print, NULL);
  ck_assert_str_eq(back, expected);
  g_free(back);
  print.flags = NORN_ISA_PRINT_OFFSETS | NORN_ISA_PRINT_ADDRESSES | NORN_ISA_PRINT_WORDS;
  back = norn_isa_disassemble(isa, data, 24, &print, NULL);
  ck_assert_str_eq(back, "/* 000000 0091c10000000002 */ MOV.i32 r1, r2\n"
                         "/* 000008 501fc007ffffff01 */ BRANCHZ.reconverge r1, offset:-1\n"
                         "/* 000010 001fc010000002c0 */ BRANCHZ.eq 0x0, offset:2\n");
  g_free(back);
  g_bytes_unref(bytes);
}
END_TEST

/* Comments are equivalent to blanks, including between operands; columns count their characters. */
START_TEST(comments_anywhere) {
  static const char text[] = "/* a */ start: /* b */ MOV.i32 /* c */ r0 /* d */, /* e */ r1 // f\n"
                             "FADD.f32.wait0 r0, /**/r1.neg/* x, y */, r2 ; /* not open\n"
                             "BRANCHZ r0/*a*/,/*b*/start /* over\nlines */ NOP /* open\nuntil */\n";
  static const char plain[] = "start: MOV.i32 r0, r1\nFADD.f32.wait0 r0, r1.neg, r2\n"
                              "BRANCHZ r0, start\nNOP\n";
  NornIsaAssembleOptions options = {.architecture = NORN_VALHALL_ARCHITECTURE_9};
  GBytes *bytes = norn_isa_assemble(isa, text, strlen(text), "x.s", &options, NULL);
  GBytes *expected = norn_isa_assemble(isa, plain, strlen(plain), "x.s", &options, NULL);
  ck_assert(bytes && expected && g_bytes_equal(bytes, expected));
  g_bytes_unref(bytes);
  g_bytes_unref(expected);
  GError *error = NULL;
  static const char wrong[] = "MOV.i32 r0, /* r1 */ r64";
  ck_assert_ptr_null(norn_isa_assemble(isa, wrong, strlen(wrong), "x.s", &options, &error));
  ck_assert_str_eq(error->message,
                   "x.s:1:22: 'r64' is not a source of MOV.i32; expected r0 to r63");
  g_error_free(error);
}
END_TEST

/* A text with `count` repetitions of `word` in the place of %s. */
static char *
repeat(const char *format, const char *word, unsigned count) {
  GString *words = g_string_new(NULL), *text = g_string_new(NULL);
  for (unsigned i = 0; i < count; i++)
    g_string_append(words, word);
  const char *hole = strstr(format, "%s");
  g_string_append_len(text, format, hole - format);
  g_string_append(text, words->str);
  g_string_append(text, hole + 2);
  g_string_free(words, TRUE);
  return g_string_free(text, FALSE);
}

/* Wherever a name of a million letters occurs, the message is short, says what is expected, and
 * takes time proportional to the text. */
static const struct {
  const char *text, *word, *end; /* maximum length of the message */
} long_words[] = {
    {"%s r0", "x", "' is not an instruction of valhall"},
    {"FADD.%s r0, r1, r2", "x", ""},
    {"FADD.f32.%s r0, r1, r2", "x", ""},
    {"FADD.f32 r0, %s, r2", "x", "' is not a source of FADD.f32"},
    {"FADD.f32 r0, %s, r2", "a.", "' is not a source of FADD.f32"},
    {"FADD.f32 r0, %s, r2", "\xFF", "' is not a source of FADD.f32"},
    {"FADD.f32 r0, r%s, r2", "1", "' is not a source of FADD.f32; expected r0 to r63"},
    {"FADD.f32 r0, r%sx, r2", "1", "' is not a source of FADD.f32; expected r0 to r63"},
    {"FADD.f32 r0, r1, r2 %s", "x", "' after the operands of FADD.f32"},
    {"FADD.f32 r0, u0,%s u4", " /**/", "a message at most two"},
    {"LOAD.i64.slot0 @r2%s, r6, offset:0", "x", "'"},
    {"LOAD.i64.slot0 @r2:r3, r6, offset:%s", "9", "'"},
    {"BRANCHZ r0, %s", "x", "' is not defined"},
    {"a%s: NOP", "a: a", "' is defined twice"},
    {"NOP\n.%s 1", "x", "expected .quad, .word or .byte, found '"},
    {".quad %s", "9", "expected a number of 64 bits, found '"},
};

START_TEST(words_of_any_length) {
  char *text = repeat(long_words[_i].text, long_words[_i].word, unit_effort(1000000)), *message;
  assemble("9", text, &message);
  ck_assert_ptr_nonnull(message);
  size_t length = strcspn(message, "\n");
  ck_assert_msg(length < 700, "%zu bytes: %.900s", length, message);
  ck_assert_msg(strstr(message, long_words[_i].end) != NULL, "%s", message);
  ck_assert(g_utf8_validate(message, -1, NULL));
  g_free(message);
  g_free(text);
}
END_TEST

/* Many labels on one line take time proportional to their number. */
START_TEST(many_labels_on_a_line) {
  GString *text = g_string_new(NULL);
  for (unsigned i = 0; i < unit_effort(200000); i++)
    g_string_append_printf(text, "l%u: ", i);
  g_string_append(text, "MOV.i32 r1, r2");
  char *message;
  ck_assert_uint_eq(assemble("9", text->str, &message), 0x0091c10000000002);
  ck_assert_ptr_null(message);
  g_string_free(text, TRUE);
}
END_TEST

/* All errors at once, each with its location; an unterminated comment hides the rest. */
START_TEST(several_errors) {
  static const char text[] = "FOO r0\n"
                             "  NOP\n"
                             "x: FADD.f32 r0, r64, r1 ; r64\n"
                             "BRANCHZ r0, gone\n"
                             "x:\n"
                             ".word r0\n"
                             "BRANCHZ r0, x\n"
                             "/* BAR\n"
                             "BAZ\n";
  static const char expected[] = "x.s:1:1: 'FOO' is not an instruction of valhall\n"
                                 "x.s:3:17: 'r64' is not a source of FADD.f32; expected r0 to r63\n"
                                 "x.s:5:1: label 'x' is defined twice\n"
                                 "x.s:6:7: expected a number of 32 bits, found 'r0'\n"
                                 "x.s:8:1: unterminated comment\n"
                                 "x.s:4:13: label 'gone' is not defined";
  char *message;
  assemble("9", text, &message);
  ck_assert_str_eq(message, expected);
  g_free(message);
}
END_TEST

START_TEST(json) {
  uint64_t words[2] = {UINT64_C(0x0091c10000000002), 0};
  NornIsaDisassembleOptions print = {NORN_VALHALL_ARCHITECTURE_9, NORN_ISA_PRINT_JSON};
  char *text = norn_isa_disassemble(isa, words, sizeof words, &print, NULL);
  ck_assert_str_eq(
      text, "[\n"
            "{\"address\":0,\"word\":\"0x0091c10000000002\",\"text\":\"MOV.i32 r1, r2\","
            "\"legal\":true,\"instruction\":\"MOV.i32\",\"fields\":{\"destination\":1,"
            "\"dest_mask\":3,\"source0\":2,\"flow\":0,\"fau_page\":0}},\n"
            "{\"address\":8,\"word\":\"0x0000000000000000\",\"text\":\".quad 0x0000000000000000 ; "
            "unknown opcode\",\"legal\":false,\"reason\":\"unknown opcode\"}\n"
            "]\n");
  g_free(text);
}
END_TEST

/* As in a driver: an instruction made only from fields. */
START_TEST(made_from_fields) {
  NornIsaDecoded fma;
  ck_assert(norn_isa_decoded_init(isa, NORN_VALHALL_ARCHITECTURE_9, NORN_VALHALL_FMA_F32, &fma));
  ck_assert(norn_isa_decoded_set(&fma, NORN_VALHALL_FIELD_DESTINATION, 1));
  ck_assert(norn_isa_decoded_set(&fma, NORN_VALHALL_FIELD_SOURCE0, 64 + 1));
  ck_assert(norn_isa_decoded_set(&fma, NORN_VALHALL_FIELD_SOURCE1, 128 + 8));
  ck_assert(norn_isa_decoded_set(&fma, NORN_VALHALL_FIELD_SOURCE2, 192));
  ck_assert(norn_isa_decoded_set(&fma, NORN_VALHALL_FIELD_NEG2, NORN_VALHALL_NEG_NEG));
  ck_assert(norn_isa_decoded_finish(isa, &fma));
  ck_assert_uint_eq(norn_isa_pack(&fma), word_of_bytes("4188c00004c1b200"));
  ck_assert(!norn_isa_decoded_set(&fma, NORN_VALHALL_FIELD_SLOT, 0));
  ck_assert(!norn_isa_decoded_set(&fma, NORN_VALHALL_FIELD_CLAMP, 4));
  ck_assert_uint_eq(norn_isa_decoded_get(&fma, NORN_VALHALL_FIELD_SOURCE1), 136);
  ck_assert_uint_eq(norn_isa_decoded_instruction(&fma), NORN_VALHALL_FMA_F32);
  ck_assert(
      !norn_isa_decoded_init(isa, NORN_VALHALL_ARCHITECTURE_9, NORN_VALHALL_AND_IMM_I32, &fma));
}
END_TEST

/* Special values determine the page; sources on different pages cannot be combined. */
START_TEST(pages) {
  NornIsaDecoded move;
  ck_assert(norn_isa_decoded_init(isa, 0, NORN_VALHALL_IADD_U32, &move));
  norn_isa_decoded_set(&move, NORN_VALHALL_FIELD_SOURCE0, 226); /* lane_id.w0 on page 3 */
  norn_isa_decoded_set(&move, NORN_VALHALL_FIELD_FAU_PAGE, 3);
  ck_assert(norn_isa_decoded_finish(isa, &move));
  char line[NORN_ISA_LINE];
  norn_isa_print(isa, 0, norn_isa_pack(&move), 0, line);
  ck_assert_str_eq(line, "IADD.u32 r0, lane_id.w0, r0");
  norn_isa_decoded_set(&move, NORN_VALHALL_FIELD_SOURCE1, 192); /* a constant: page 0 only */
  ck_assert(!norn_isa_decoded_finish(isa, &move));
  ck_assert(!norn_isa_check(isa, 0, norn_isa_pack(&move), NULL));
  /* the other way round, and a code that no page has */
  norn_isa_decoded_set(&move, NORN_VALHALL_FIELD_SOURCE0, 192);
  norn_isa_decoded_set(&move, NORN_VALHALL_FIELD_SOURCE1, 226);
  ck_assert(!norn_isa_decoded_finish(isa, &move));
  norn_isa_decoded_set(&move, NORN_VALHALL_FIELD_FAU_PAGE, 0);
  norn_isa_decoded_set(&move, NORN_VALHALL_FIELD_SOURCE1, 224);
  ck_assert(!norn_isa_decoded_finish(isa, &move));
}
END_TEST

/* Operands by name, which also determines the page. */
START_TEST(operands_by_name) {
  NornIsaDecoded add;
  char line[NORN_ISA_LINE];
  ck_assert(norn_isa_decoded_init(isa, 0, NORN_VALHALL_IADD_U32, &add));
  ck_assert(norn_isa_decoded_set_operand(isa, &add, NORN_VALHALL_FIELD_DESTINATION, "r4"));
  ck_assert(norn_isa_decoded_set_operand(isa, &add, NORN_VALHALL_FIELD_SOURCE0, "u64"));
  ck_assert(norn_isa_decoded_set_operand(isa, &add, NORN_VALHALL_FIELD_SOURCE1, "^r2"));
  ck_assert_uint_eq(norn_isa_decoded_get(&add, NORN_VALHALL_FIELD_FAU_PAGE), 1);
  ck_assert(norn_isa_decoded_finish(isa, &add));
  norn_isa_print(isa, 0, norn_isa_pack(&add), 0, line);
  ck_assert_str_eq(line, "IADD.u32 r4, u64, ^r2");
  ck_assert(norn_isa_decoded_set_operand(isa, &add, NORN_VALHALL_FIELD_SOURCE0, "u3"));
  ck_assert(norn_isa_decoded_finish(isa, &add));
  norn_isa_print(isa, 0, norn_isa_pack(&add), 0, line);
  ck_assert_str_eq(line, "IADD.u32 r4, u3, ^r2");
  ck_assert(!norn_isa_decoded_set_operand(isa, &add, NORN_VALHALL_FIELD_SOURCE0, "fadd"));
  ck_assert(!norn_isa_decoded_set_operand(isa, &add, NORN_VALHALL_FIELD_SOURCE0, ".wait"));
  ck_assert(!norn_isa_decoded_set_operand(isa, &add, NORN_VALHALL_FIELD_DESTINATION, "u3"));
  ck_assert(!norn_isa_decoded_set_operand(isa, &add, NORN_VALHALL_FIELD_SLOT, "r1"));
}
END_TEST

/* Bytes after the end of a text are not read (memory checkers detect it) and do not matter. */
START_TEST(ends_anywhere) {
  static const char text[] = "IADD.u32.wait0 r0, lane_id.w0, ^r1.h0\n"
                             "LD_BUFFER.i64.slot0 @r2:r3, r0, u1\nIADD_IMM.i32 r0, r1, #0x12\n";
  NornIsaAssembleOptions options = {0};
  unsigned right = 0;
  for (size_t length = 0; length < sizeof text; length++) {
    char *exact = g_memdup2(text, length);
    char *longer = g_strdup_printf("%.*s ; and blanks, blanks", (int)length, text);
    GBytes *first = norn_isa_assemble(isa, exact, length, "exact", &options, NULL);
    GBytes *second = norn_isa_assemble(isa, longer, strlen(longer), "longer", &options, NULL);
    ck_assert_int_eq(!first, !second);
    ck_assert(!first || g_bytes_equal(first, second));
    right += first != NULL;
    g_clear_pointer(&first, g_bytes_unref);
    g_clear_pointer(&second, g_bytes_unref);
    g_free(longer);
    g_free(exact);
  }
  ck_assert_uint_ge(right, 10);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("isa assembler");
  TCase *tests = tcase_create("all");
  tcase_add_test(tests, several_errors);
  tcase_add_loop_test(tests, words_of_any_length, 0, G_N_ELEMENTS(long_words));
  tcase_add_test(tests, many_labels_on_a_line);
  tcase_add_test(tests, messages);
  tcase_add_test(tests, no_verify);
  tcase_add_test(tests, labels_and_data);
  tcase_add_test(tests, comments_anywhere);
  tcase_add_test(tests, json);
  tcase_add_test(tests, made_from_fields);
  tcase_add_test(tests, pages);
  tcase_add_test(tests, operands_by_name);
  tcase_add_test(tests, ends_anywhere);
  suite_add_tcase(suite, tests);
  return suite;
}
