/* Modules from text, and the verifier's verdict on one, for the tests of code that works on the
 * IR. */
#ifndef NORN_TESTS_IR_TEXT_H
#define NORN_TESTS_IR_TEXT_H

#include <check.h>
#include <norn/error.h>
#include <norn/module.h>
#include <stdbool.h>
#include <string.h>

/* A compute shader with one block; HEAD is its first line. */
#define HEAD "shader compute @t workgroup(1, 1, 1) {\n"
#define BODY(text) HEAD "entry:\n" text "  end\n}\n"

/* The module, which must parse; messages call its file "t". */
static inline NornModule *
parse_text(const char *text) {
  GError *error = NULL;
  NornModule *module = norn_module_parse(text, strlen(text), "t", &error);
  ck_assert_msg(module != NULL, "%s", error ? error->message : "");
  return module;
}

/* Verifies and frees the module; if the message is NULL, it must be valid. */
static inline void
check_verified(NornModule *module, const char *message) {
  GError *error = NULL;
  bool ok = norn_module_verify(module, &error);
  if (message) {
    ck_assert(!ok);
    ck_assert_int_eq(error->domain, NORN_ERROR);
    ck_assert_int_eq(error->code, NORN_ERROR_INVALID);
    ck_assert_str_eq(error->message, message);
    g_error_free(error);
  } else {
    ck_assert_msg(ok, "%s", error ? error->message : "");
  }
  norn_module_free(module);
}

#endif
