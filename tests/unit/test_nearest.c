/* Which name is suggested for a misspelled word. */
#include "unit.h"
#include <norn/nearest.h>

static const char *const names[] = {"iadd", "isub", "fadd", "convert", "global_id", "f"};

static void
check(const char *word, const char *expected) {
  NornNearest nearest;
  norn_nearest_init(&nearest, word, strlen(word));
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    norn_nearest_try(&nearest, names[i]);
  ck_assert_pstr_eq(nearest.name, expected);
  g_autofree char *hint = norn_nearest_hint(&nearest);
  g_autofree char *wanted =
      expected ? g_strdup_printf("; did you mean %s?", expected) : g_strdup("");
  ck_assert_str_eq(hint, wanted);
}

START_TEST(words) {
  check("iad", "iadd");   /* a letter left out */
  check("iaddd", "iadd"); /* a letter too many */
  check("idad", "iadd");  /* two letters exchanged */
  check("ixad", NULL);    /* not an exchange: one letter stays, the other changes */
  check("IADD", "iadd");  /* different case */
  check("xadd", "iadd");  /* as near as fadd, which comes later */
  check("fad", "fadd");
  check("ixxd", NULL);         /* two of four letters differ */
  check("cnovret", "convert"); /* two exchanges in seven letters */
  check("cnxvxet", NULL);
  check("gobal_iddd", "global_id");
  check("g", NULL); /* a single letter is not similar to any other */
  check("", NULL);
}
END_TEST

/* Only the given number of bytes is the word, and long words take no time. */
START_TEST(lengths) {
  NornNearest nearest;
  norn_nearest_init(&nearest, "isub.i32", 4);
  norn_nearest_try(&nearest, "isub");
  ck_assert_str_eq(nearest.name, "isub");
  g_autofree char *text = g_strnfill(100, 'a'), *longer = g_strnfill(101, 'a');
  norn_nearest_init(&nearest, text, strlen(text));
  norn_nearest_try(&nearest, longer);
  ck_assert_ptr_null(nearest.name);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("nearest");
  TCase *tests = tcase_create("nearest");
  tcase_add_test(tests, words);
  tcase_add_test(tests, lengths);
  suite_add_tcase(suite, tests);
  return suite;
}
