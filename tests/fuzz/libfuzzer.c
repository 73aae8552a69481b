/* libFuzzer's entry; FUZZ_TARGET is the name of the target. */
#include "target.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const guint8 *bytes, gsize size);

int
LLVMFuzzerTestOneInput(const guint8 *bytes, gsize size) {
  for (const FuzzTarget *target = fuzz_targets; target->name; target++)
    if (!strcmp(target->name, FUZZ_TARGET))
      target->run(bytes, size);
  return 0;
}
