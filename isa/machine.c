/* The machines that the library knows, by name. */
#include "ir/machine.h"
#include <string.h>

static const NornMachine *const machines[] = {
    NULL, /* end of the list */
};

const NornMachine *
norn_machine_find(const char *name, size_t length) {
  for (unsigned i = 0; machines[i]; i++)
    if (strlen(machines[i]->name) == length && !memcmp(machines[i]->name, name, length))
      return machines[i];
  return NULL;
}
