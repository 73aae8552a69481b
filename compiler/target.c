/* The machines that code can be compiled for. */
#include "compiler/options.h"
#include "compiler/valhall/valhall.h"
#include <string.h>

static const NornTarget *const targets[] = {&norn_valhall_target};

const NornTarget *
norn_target_find(const NornMachine *machine) {
  for (unsigned k = 0; k < G_N_ELEMENTS(targets); k++)
    if (targets[k]->isa == machine->isa)
      return targets[k];
  return NULL;
}

void
norn_refuse_target(const char *name, GError **error) {
  g_autofree char *message = NULL;
  if (norn_isa_find(name)) {
    g_autoptr(GString) names = g_string_new(NULL);
    for (unsigned k = 0; k < G_N_ELEMENTS(targets); k++)
      g_string_append_printf(names, "%s%s", k ? ", " : "", norn_isa_name(targets[k]->isa));
    message = g_strdup_printf("compiling for the target '%s' is not supported, only for %s", name,
                              names->str);
  } else {
    message = norn_isa_unknown_target(name, strlen(name));
  }
  g_set_error_literal(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED, message);
}
