/* Valhall code from assembly text, for the tests of what works on words. */
#ifndef NORN_TESTS_ASSEMBLED_H
#define NORN_TESTS_ASSEMBLED_H

#include <check.h>
#include <norn/isa.h>
#include <string.h>

static inline GBytes *
assemble(const char *text) {
  GError *error = NULL;
  const NornIsaAssembleOptions options = {0};
  GBytes *code =
      norn_isa_assemble(norn_isa_find("valhall"), text, strlen(text), "t", &options, &error);
  ck_assert_msg(code != NULL, "%s\n%s", error ? error->message : "", text);
  return code;
}

/* The first word. */
static inline uint64_t
word_of(const char *line) {
  uint64_t word;
  GBytes *code = assemble(line);
  memcpy(&word, g_bytes_get_data(code, NULL), sizeof word);
  g_bytes_unref(code);
  return GUINT64_FROM_LE(word);
}

#endif
