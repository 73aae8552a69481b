/* The list of checkers, their names, and copies of programs for them. */
#include "check/checkers.h"
#include <norn/isa.h>
#include <string.h>

static const NornCheckerInfo checkers[] = {
#define CHECKER(id, name, title, proves, assumes, blind)                                           \
  {name, title, proves, assumes, blind, NORN_CHECK_##id},
#include "check/checkers.def"
#undef CHECKER
};

bool
norn_checker_info(unsigned index, NornCheckerInfo *info) {
  if (index >= G_N_ELEMENTS(checkers))
    return false;
  *info = checkers[index];
  return true;
}

/* The bits of the checkers with a name, or 0. */
static unsigned
checks_of_name(const char *name, size_t length) {
  if (length == strlen("all") && !memcmp(name, "all", length))
    return NORN_CHECK_ALL;
  for (unsigned i = 0; i < G_N_ELEMENTS(checkers); i++)
    if (strlen(checkers[i].name) == length && !memcmp(checkers[i].name, name, length))
      return checkers[i].check;
  return 0;
}

bool
norn_checks_parse(const char *names, unsigned *checks, GError **error) {
  *checks = 0;
  if (!strcmp(names, "none"))
    return true;
  for (;;) {
    size_t length = strcspn(names, ",");
    unsigned found = checks_of_name(names, length);
    if (!found) {
      GString *list = g_string_new(NULL);
      for (unsigned i = 0; i < G_N_ELEMENTS(checkers); i++)
        g_string_append_printf(list, "%s, ", checkers[i].name);
      g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                  "unknown checker '%.*s', expected %sall or none", (int)MIN(length, 64), names,
                  list->str);
      g_string_free(list, TRUE);
      return false;
    }
    *checks |= found;
    if (!names[length])
      return true;
    names += length + 1;
  }
}

bool
norn_check_code(const void *code, size_t size, const NornCheckOptions *options, GError **error) {
  const NornIsa *isa = norn_isa_find("valhall");
  const char *name =
      options->architecture ? options->architecture : norn_isa_architecture_name(isa, 0);
  int architecture = norn_isa_architecture(isa, name);
  if (architecture < 0) {
    g_autofree char *message = norn_isa_unknown_architecture(isa, name, strlen(name));
    g_set_error_literal(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED, message);
    return false;
  }
  if (options->checks & ~(unsigned)NORN_CHECK_WORDS) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "without a compilation, only waits, last-uses and helpers can be checked");
    return false;
  }
  if (options->code_size > size || options->data_offset > size ||
      options->data_size > size - options->data_offset) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "%zu bytes are too few for the code and the constant data", size);
    return false;
  }
  size = options->code_size ? options->code_size : size;
  if (!size || size % sizeof(uint64_t) || size / sizeof(uint64_t) > INT32_MAX) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "code of %zu bytes, expected a multiple of 8 from 8 to less than 2^34", size);
    return false;
  }
  uint32_t count = (uint32_t)(size / sizeof(uint64_t));
  uint64_t *words = g_new(uint64_t, count);
  memcpy(words, code, size);
  for (uint32_t i = 0; i < count; i++)
    words[i] = GUINT64_FROM_LE(words[i]);
  const NornCheckInput input = {.words = words,
                                .count = count,
                                .architecture = (unsigned)architecture,
                                .stage = options->stage,
                                .checks = options->checks,
                                .noalias = options->noalias,
                                .noalias_count = options->noalias_count,
                                .data_offset = options->data_offset,
                                .data_size = options->data_size};
  bool ok = norn_valhall_check(&input, error);
  g_free(words);
  return ok;
}
