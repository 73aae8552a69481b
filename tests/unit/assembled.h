/* Machine code from assembly text, for the tests of code that works on words. A test fails if
 * its text is refused. */
#ifndef NORN_TESTS_ASSEMBLED_H
#define NORN_TESTS_ASSEMBLED_H

#include <check.h>
#include <norn/isa.h>
#include <norn/statistics.h>
#include <string.h>

/* `no_verify` accepts code that breaks a rule of the hardware. */
static inline GBytes *
assemble_for(const char *isa, unsigned architecture, bool no_verify, const char *text) {
  const NornIsaAssembleOptions options = {architecture, no_verify};
  GError *error = NULL;
  GBytes *code = norn_isa_assemble(norn_isa_find(isa), text, strlen(text), "t", &options, &error);
  ck_assert_msg(code != NULL, "%s\n%s", error ? error->message : "", text);
  return code;
}

/* Valhall code of the first architecture. */
static inline GBytes *
assemble(const char *text) {
  return assemble_for("valhall", 0, false, text);
}

/* Such code, to be examined. */
static inline NornMachineCode
code_of(GBytes *code) {
  NornMachineCode machine = {.isa = norn_isa_find("valhall")};
  machine.words = g_bytes_get_data(code, &machine.size);
  return machine;
}

/* The only word, of at most 64 bits; the code is freed. */
static inline uint64_t
take_word(GBytes *code, const char *isa) {
  uint64_t word = 0;
  gsize size;
  const void *data = g_bytes_get_data(code, &size);
  ck_assert_uint_eq(size, norn_isa_word_bytes(norn_isa_find(isa)));
  memcpy(&word, data, size);
  g_bytes_unref(code);
  return GUINT64_FROM_LE(word);
}

/* The word of a line. */
static inline uint64_t
word_of(const char *line) {
  return take_word(assemble(line), "valhall");
}

#endif
