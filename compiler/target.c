/* The machines that code can be compiled for. */
#include "compiler/valhall/valhall.h"
#include <string.h>

const NornTarget *
norn_target_find(const char *name) {
  static const NornTarget *const targets[] = {&norn_valhall_target};
  for (unsigned k = 0; k < G_N_ELEMENTS(targets); k++)
    if (!strcmp(targets[k]->name, name))
      return targets[k];
  return NULL;
}
