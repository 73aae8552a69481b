/* What holds for every instruction set: words round-trip through text and through their fields. */
#include "isa/isa.h"
#include "unit.h"
#include <stdlib.h>
#include <string.h>

static uint64_t
next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

/* Fewer words where every instruction is slow. */
static unsigned
effort(unsigned words) {
  return getenv("NORN_TEST_QUICK") ? words / 10 : words;
}

static uint64_t
whole(const NornIsa *isa) {
  return isa->word_bits == 64 ? UINT64_MAX : UINT32_MAX;
}

/* The word's text must assemble to the word, and print the same with labels off and on. */
static void
check_text(const NornIsa *isa, unsigned architecture, uint64_t word) {
  char line[NORN_ISA_LINE];
  size_t length = norn_isa_print(isa, architecture, word, 0, line);
  ck_assert_uint_eq(length, strlen(line));
  NornIsaAssembleOptions options = {.architecture = architecture};
  GError *error = NULL;
  GBytes *bytes = norn_isa_assemble(isa, line, length, "line", &options, &error);
  ck_assert_msg(bytes != NULL, "%s %016" G_GINT64_MODIFIER "x '%s': %s", isa->name, word, line,
                error ? error->message : "");
  ck_assert_uint_eq(g_bytes_get_size(bytes), norn_isa_word_bytes(isa));
  uint64_t back = 0;
  memcpy(&back, g_bytes_get_data(bytes, NULL), norn_isa_word_bytes(isa));
  ck_assert_msg(back == word,
                "%s '%s': %016" G_GINT64_MODIFIER "x became %016" G_GINT64_MODIFIER "x", isa->name,
                line, word, back);
  g_bytes_unref(bytes);
  /* What prints as an instruction is legal, and only that. */
  ck_assert_int_eq(norn_isa_check(isa, architecture, word, NULL), line[0] != '.');
}

/* Unpacking and packing gives the word back. */
static void
check_fields(const NornIsa *isa, unsigned architecture, uint64_t word) {
  NornIsaDecoded decoded;
  if (norn_isa_unpack(isa, architecture, word, &decoded))
    ck_assert_uint_eq(norn_isa_pack(&decoded), word);
}

static void
check_word(const NornIsa *isa, unsigned architecture, uint64_t word) {
  check_text(isa, architecture, word & whole(isa));
  check_fields(isa, architecture, word & whole(isa));
}

START_TEST(random_bits) {
  uint64_t state = 88172645463325252;
  for (unsigned i = 0; norn_isa_at(i); i++) {
    const NornIsa *isa = norn_isa_at(i);
    for (unsigned a = 0; a < isa->architecture_count; a++)
      for (unsigned k = 0; k < effort(15000) / isa->architecture_count; k++)
        check_word(isa, a, next_random(&state));
  }
}
END_TEST

/* Random values in some fields of a random instruction, mostly consistent. */
static uint64_t
random_instruction(const NornIsa *isa, const NornIsaEncoding *encoding, uint64_t *state) {
  uint64_t word = encoding->word;
  for (unsigned i = 0; i < encoding->field_count; i++) {
    if (next_random(state) % 2)
      continue;
    const NornIsaField *field = &encoding->fields[i];
    word &= ~norn_isa_insert(field, UINT64_MAX);
    word |= norn_isa_insert(field, next_random(state));
  }
  if (next_random(state) % 4 == 0)
    word |= encoding->ignored & next_random(state);
  if (next_random(state) % 8)
    word = norn_isa_derive(isa, encoding, word);
  if (next_random(state) % 16 == 0)
    word ^= UINT64_C(1) << next_random(state) % isa->word_bits;
  return word;
}

START_TEST(random_fields) {
  uint64_t state = 362436069362436069;
  for (unsigned i = 0; norn_isa_at(i); i++) {
    const NornIsa *isa = norn_isa_at(i);
    for (unsigned a = 0; a < isa->architecture_count; a++) {
      for (unsigned k = 0; k < effort(20000) / isa->architecture_count; k++) {
        unsigned number = (unsigned)(next_random(&state) % isa->instruction_count);
        const NornIsaEncoding *encoding = norn_isa_encoding(isa, a, number);
        if (encoding)
          check_word(isa, a, random_instruction(isa, encoding, &state));
      }
    }
  }
}
END_TEST

/* The values of one field, the others at their defaults: all of up to 6 bits, of up to 9 every so many
 * from `first` on, of more the edges. */
static void
check_values(const NornIsa *isa, unsigned architecture, const NornIsaEncoding *encoding,
             const NornIsaField *field, unsigned first) {
  unsigned width = norn_isa_field_width(field);
  unsigned stride = width > 6 && width <= 9 ? (1u << (width - 5)) + 1 : 1;
  for (uint64_t value = first % stride; value < (width > 9 ? 64u : 1u << width);
       value += stride) {
    uint64_t spread =
        width > 9 ? (value & 1 ? UINT64_MAX >> (value / 2) : value << (value / 2)) : value;
    uint64_t word = encoding->word & ~norn_isa_insert(field, UINT64_MAX);
    word = norn_isa_derive(isa, encoding, word | norn_isa_insert(field, spread));
    check_word(isa, architecture, word);
  }
}

/* Each instruction on one of the architectures, in turn. */
START_TEST(every_value) {
  for (unsigned i = 0; norn_isa_at(i); i++) {
    const NornIsa *isa = norn_isa_at(i);
    unsigned step = getenv("NORN_TEST_QUICK") ? 37 : 1;
    for (unsigned k = 0; k < isa->instruction_count; k += step) {
      unsigned architecture = k % isa->architecture_count;
      const NornIsaEncoding *encoding = norn_isa_encoding(isa, architecture, k);
      for (unsigned f = 0; encoding && f < encoding->field_count; f++)
        check_values(isa, architecture, encoding, &encoding->fields[f], k);
    }
  }
}
END_TEST

/* Whole programs of any bytes come back, whatever their size. */
START_TEST(random_programs) {
  uint64_t state = 521288629521288629;
  for (unsigned i = 0; norn_isa_at(i); i++) {
    const NornIsa *isa = norn_isa_at(i);
    for (unsigned k = 0; k < effort(300); k++) {
      uint8_t bytes[256];
      size_t size = next_random(&state) % sizeof bytes;
      unsigned architecture = (unsigned)(next_random(&state) % isa->architecture_count);
      uint64_t place = 0;
      for (; place + 8 <= size; place += norn_isa_word_bytes(isa)) {
        unsigned number = (unsigned)(next_random(&state) % isa->instruction_count);
        const NornIsaEncoding *encoding = norn_isa_encoding(isa, architecture, number);
        uint64_t word = encoding ? random_instruction(isa, encoding, &state) : 0;
        memcpy(bytes + place, &word, norn_isa_word_bytes(isa));
      }
      for (; place < size; place++)
        bytes[place] = (uint8_t)next_random(&state);
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

/* Text of any kind is taken or refused, with a place, never worse. */
START_TEST(mutilated_text) {
  uint64_t state = 88675123886751230;
  static const char alphabet[] = ".,:;@#^|()[]{}-'/* \n\t0123456789abcdefghrstuvwxFADMx\0\x80";
  for (unsigned i = 0; norn_isa_at(i); i++) {
    const NornIsa *isa = norn_isa_at(i);
    for (unsigned k = 0; k < effort(5000); k++) {
      unsigned number = (unsigned)(next_random(&state) % isa->instruction_count);
      const NornIsaEncoding *encoding = norn_isa_encoding(isa, 0, number);
      if (!encoding)
        continue;
      char line[NORN_ISA_LINE];
      size_t length = norn_isa_print(isa, 0, random_instruction(isa, encoding, &state), 0, line);
      for (unsigned m = 0; m < 1 + k % 3; m++)
        line[next_random(&state) % length] = alphabet[next_random(&state) % (sizeof alphabet - 1)];
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

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("isa");
  TCase *tests = tcase_create("all");
  tcase_set_timeout(tests, 600);
  tcase_add_test(tests, lookups);
  tcase_add_test(tests, random_bits);
  tcase_add_test(tests, random_fields);
  tcase_add_test(tests, every_value);
  tcase_add_test(tests, random_programs);
  tcase_add_test(tests, mutilated_text);
  suite_add_tcase(suite, tests);
  return suite;
}
