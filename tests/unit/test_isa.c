/* Properties of all instruction sets: words round-trip through text and through their fields. */
#include "isa/text.h"
#include "tests/words.h"
#include "unit.h"
#include <stdlib.h>
#include <string.h>

static void
check_batch(WordBatch *batch) {
  char *problem = word_batch_check(batch);
  ck_assert_msg(problem == NULL, "%s", problem);
}

static void
check_word(WordBatch *batch, uint64_t word) {
  if (word_batch_add(batch, word))
    check_batch(batch);
}

/* Calls `run` for every architecture of every ISA. */
static void
for_each_architecture(void (*run)(WordBatch *batch, uint64_t state)) {
  for (unsigned i = 0; norn_isa_at(i); i++) {
    for (unsigned a = 0; a < norn_isa_architecture_count(norn_isa_at(i)); a++) {
      WordBatch batch;
      word_batch_init(&batch, norn_isa_at(i), a, 512);
      run(&batch, UINT64_C(88172645463325252) + 64 * i + a);
      check_batch(&batch);
      word_batch_clear(&batch);
    }
  }
}

static void
check_bits(WordBatch *batch, uint64_t state) {
  for (unsigned k = 0; k < unit_effort(5000); k++)
    check_word(batch, norn_random_next(&state));
}

START_TEST(random_bits) {
  for_each_architecture(check_bits);
}
END_TEST

/* Legal and almost legal words, with branch targets as numbers and as labels. */
static void
check_instructions(WordBatch *batch, uint64_t state) {
  for (unsigned k = 0; k < unit_effort(15000); k++) {
    unsigned number = (unsigned)(norn_random_next(&state) >> 32) % batch->isa->instruction_count;
    const NornIsaEncoding *encoding = norn_isa_encoding(batch->isa, batch->architecture, number);
    uint64_t word;
    if (!encoding)
      continue;
    if (k % 2 || !words_legal(batch->isa, batch->architecture, encoding, &state, &word))
      word = words_careless(batch->isa, encoding, &state);
    check_word(batch, word);
    batch->labels = k / 1024 % 2;
  }
}

START_TEST(random_instructions) {
  for_each_architecture(check_instructions);
}
END_TEST

/* All values of fields of up to 8 bits, edge values of wider ones; the other fields have their
 * defaults. */
static void
check_values(WordBatch *batch, const NornIsaEncoding *encoding, unsigned slot) {
  uint64_t base = norn_isa_derive(batch->isa, encoding, encoding->word);
  unsigned width = norn_isa_field_width(&encoding->fields[slot]);
  for (uint64_t value = 0; width <= 8 && value < UINT64_C(1) << width; value++)
    check_word(batch, words_with(batch->isa, encoding, base, slot, value));
  for (unsigned bit = 0; width > 8 && bit < width; bit++) {
    check_word(batch, words_with(batch->isa, encoding, base, slot, UINT64_C(1) << bit));
    check_word(batch, words_with(batch->isa, encoding, base, slot, (UINT64_C(1) << bit) - 1));
    check_word(batch, words_with(batch->isa, encoding, base, slot, UINT64_MAX << bit));
  }
}

static void
check_fields(WordBatch *batch, uint64_t state G_GNUC_UNUSED) {
  unsigned step = getenv("NORN_TEST_QUICK") ? 37 : NORN_TEST_STRIDE;
  for (unsigned k = 0; k < batch->isa->instruction_count; k += step) {
    const NornIsaEncoding *encoding = norn_isa_encoding(batch->isa, batch->architecture, k);
    for (unsigned slot = 0; encoding && slot < encoding->field_count; slot++)
      check_values(batch, encoding, slot);
  }
}

START_TEST(every_value) {
  for_each_architecture(check_fields);
}
END_TEST

/* Programs of arbitrary bytes round-trip, whatever their size. */
START_TEST(random_programs) {
  uint64_t state = 521288629521288629;
  for (unsigned i = 0; norn_isa_at(i); i++) {
    const NornIsa *isa = norn_isa_at(i);
    for (unsigned k = 0; k < unit_effort(300); k++) {
      uint8_t bytes[256];
      size_t size = norn_random_next(&state) % sizeof bytes;
      unsigned architecture = (unsigned)(norn_random_next(&state) % isa->architecture_count);
      uint64_t place = 0;
      for (; place + 8 <= size; place += norn_isa_word_bytes(isa)) {
        unsigned number = (unsigned)(norn_random_next(&state) % isa->instruction_count);
        const NornIsaEncoding *encoding = norn_isa_encoding(isa, architecture, number);
        uint64_t word = encoding ? words_careless(isa, encoding, &state) : 0;
        memcpy(bytes + place, &word, norn_isa_word_bytes(isa));
      }
      for (; place < size; place++)
        bytes[place] = (uint8_t)norn_random_next(&state);
      NornIsaDisassembleOptions print = {
          architecture, k % 2 ? NORN_ISA_PRINT_ADDRESSES | NORN_ISA_PRINT_WORDS : 0};
      size_t length;
      char *text = norn_isa_disassemble(isa, bytes, size, &print, &length);
      ck_assert_uint_eq(length, strlen(text));
      NornIsaAssembleOptions options = {.architecture = architecture};
      GError *error = NULL;
      GBytes *back = norn_isa_assemble(isa, text, length, "program", &options, &error);
      ck_assert_msg(back != NULL, "%s\n%s", text, error ? error->message : "");
      ck_assert_uint_eq(g_bytes_get_size(back), size);
      ck_assert(size == 0 || memcmp(g_bytes_get_data(back, NULL), bytes, size) == 0);
      g_bytes_unref(back);
      g_free(text);
    }
  }
}
END_TEST

/* Arbitrary text is either accepted or refused with a location. */
START_TEST(mutilated_text) {
  uint64_t state = 88675123886751230;
  static const char alphabet[] = ".,:;@#^|()[]{}-'/* \n\t0123456789abcdefghrstuvwxFADMx\0\x80";
  for (unsigned i = 0; norn_isa_at(i); i++) {
    const NornIsa *isa = norn_isa_at(i);
    for (unsigned k = 0; k < unit_effort(5000); k++) {
      unsigned number = (unsigned)(norn_random_next(&state) % isa->instruction_count);
      const NornIsaEncoding *encoding = norn_isa_encoding(isa, 0, number);
      if (!encoding)
        continue;
      char line[NORN_ISA_LINE];
      size_t length = norn_isa_print(isa, 0, words_careless(isa, encoding, &state), 0, line);
      for (unsigned m = 0; m < 1 + k % 3; m++)
        line[norn_random_next(&state) % length] =
            alphabet[norn_random_next(&state) % (sizeof alphabet - 1)];
      char *text = g_memdup2(line, length); /* no byte after the end */
      NornIsaAssembleOptions options = {0};
      GError *error = NULL;
      GBytes *bytes = norn_isa_assemble(isa, text, length, "line", &options, &error);
      if (bytes) {
        ck_assert(error == NULL);
        g_bytes_unref(bytes);
      } else {
        ck_assert_msg(g_str_has_prefix(error->message, "line:"), "%s", error->message);
        ck_assert(g_utf8_validate(error->message, -1, NULL));
        g_error_free(error);
      }
      g_free(text);
    }
  }
}
END_TEST

/* If text is still accepted after one of its bytes was changed, it is the text of some word,
 * which must print as text for the same word. */
static void
check_changed(WordBatch *batch, uint64_t state) {
  static const char alphabet[] = ".,:;@#^|()[]{}- 0123456789abcdefhrsuvwxAFMS\0\x80\xFF";
  const NornIsa *isa = batch->isa;
  for (unsigned k = 0; k < unit_effort(20000) / NORN_TEST_STRIDE; k++) {
    unsigned number = (unsigned)(norn_random_next(&state) >> 32) % isa->instruction_count;
    const NornIsaEncoding *encoding = norn_isa_encoding(isa, batch->architecture, number);
    uint64_t word;
    if (!encoding || !words_legal(isa, batch->architecture, encoding, &state, &word))
      continue;
    char line[NORN_ISA_LINE];
    size_t length = norn_isa_print(isa, batch->architecture, word, 0, line);
    line[norn_random_next(&state) % length] =
        alphabet[norn_random_next(&state) % (sizeof alphabet - 1)];
    char *text = g_memdup2(line, length); /* no byte after the end */
    NornIsaReader changed, again;
    norn_isa_reader_init(&changed, isa, batch->architecture, text, length);
    if (norn_isa_read_instruction(&changed) &&
        norn_isa_check(isa, batch->architecture, changed.word, NULL)) {
      length = norn_isa_print(isa, batch->architecture, changed.word, 0, line);
      norn_isa_reader_init(&again, isa, batch->architecture, line, length);
      ck_assert_msg(norn_isa_read_instruction(&again), "%s: %s", line, again.message);
      ck_assert_msg(again.word == changed.word, "%s", line);
    }
    g_free(changed.message);
    g_free(text);
  }
}

START_TEST(changed_text) {
  for_each_architecture(check_changed);
}
END_TEST

START_TEST(lookups) {
  ck_assert_ptr_null(norn_isa_find("z80"));
  for (unsigned i = 0; norn_isa_at(i); i++) {
    const NornIsa *isa = norn_isa_at(i);
    ck_assert_ptr_eq(norn_isa_find(norn_isa_name(isa)), isa);
    ck_assert_int_eq(norn_isa_architecture(isa, "nine"), -1);
    ck_assert_ptr_null(norn_isa_architecture_name(isa, norn_isa_architecture_count(isa)));
    for (unsigned a = 0; a < norn_isa_architecture_count(isa); a++)
      ck_assert_int_eq(norn_isa_architecture(isa, norn_isa_architecture_name(isa, a)), (int)a);
    ck_assert_int_eq(norn_isa_instruction(isa, "NO.SUCH"), -1);
    for (unsigned k = 0; k < norn_isa_instruction_count(isa); k++) {
      int found = norn_isa_instruction(isa, norn_isa_instruction_name(isa, k));
      ck_assert_int_eq(found, (int)k);
      bool anywhere = false;
      for (unsigned a = 0; a < norn_isa_architecture_count(isa); a++)
        anywhere |= norn_isa_has(isa, a, k);
      ck_assert(anywhere);
    }
    ck_assert_ptr_null(norn_isa_encoding(isa, 0, norn_isa_instruction_count(isa)));
    ck_assert_ptr_null(norn_isa_encoding(isa, norn_isa_architecture_count(isa), 0));
  }
}
END_TEST

START_TEST(architectures_out_of_range) {
  static const unsigned beyond[] = {0, 1, 1000, INT_MAX};
  for (unsigned i = 0; norn_isa_at(i); i++)
    for (unsigned k = 0; k < G_N_ELEMENTS(beyond); k++) {
      const NornIsa *isa = norn_isa_at(i);
      unsigned count = norn_isa_architecture_count(isa);
      unsigned architecture = count + beyond[k];
      g_autofree char *message =
          g_strdup_printf("%s has no architecture number %u, expected 0 to %u", norn_isa_name(isa),
                          architecture, count - 1);
      GError *error = NULL;
      NornIsaDecoded decoded;
      char line[NORN_ISA_LINE] = "x";
      ck_assert(!norn_isa_check(isa, architecture, 0, &error));
      ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_INVALID));
      ck_assert_str_eq(error->message, message);
      g_clear_error(&error);
      ck_assert(!norn_isa_unpack(isa, architecture, 0, &decoded));
      ck_assert(!norn_isa_decoded_init(isa, architecture, 0, &decoded));
      ck_assert(!norn_isa_has(isa, architecture, 0));
      ck_assert_uint_eq(norn_isa_print(isa, architecture, 0, 0, line), 0);
      ck_assert_str_eq(line, "");
      const NornIsaAssembleOptions assembling = {.architecture = architecture};
      ck_assert_ptr_null(norn_isa_assemble(isa, "x", 1, "t", &assembling, &error));
      ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_INVALID));
      ck_assert_str_eq(error->message, message);
      g_clear_error(&error);
      const NornIsaDisassembleOptions disassembling = {.architecture = architecture};
      ck_assert_ptr_null(norn_isa_disassemble(isa, line, 8, &disassembling, NULL));
      const char *name = norn_isa_instruction_name(isa, 0);
      if (architecture <= INT_MAX)
        ck_assert_ptr_null(norn_isa_describe(isa, (int)architecture, name));
    }
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("isa");
  TCase *tests = tcase_create("all");
  tcase_set_timeout(tests, 600);
  tcase_add_test(tests, lookups);
  tcase_add_test(tests, architectures_out_of_range);
  tcase_add_test(tests, random_bits);
  tcase_add_test(tests, random_instructions);
  tcase_add_test(tests, every_value);
  tcase_add_test(tests, random_programs);
  tcase_add_test(tests, mutilated_text);
  tcase_add_test(tests, changed_text);
  suite_add_tcase(suite, tests);
  return suite;
}
