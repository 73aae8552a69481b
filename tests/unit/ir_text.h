/* Modules from text, for the tests of what works on the IR. */
#ifndef NORN_TESTS_IR_TEXT_H
#define NORN_TESTS_IR_TEXT_H

#include <check.h>
#include <norn/module.h>
#include <string.h>

/* A compute shader of one block; HEAD is its first line. */
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

#endif
