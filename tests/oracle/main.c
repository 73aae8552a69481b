/* compare ISA FILE: compares the description of an ISA with an outside source. Prints the
 * differences, and fails if the description gives no reason for one of them. */
#include "tests/oracle/compare.h"
#include <stdio.h>

int
main(int argc, char **argv) {
  const NornIsa *isa = argc == 3 ? norn_isa_find(argv[1]) : NULL;
  if (!isa) {
    fprintf(stderr, "usage: compare ISA FILE\n");
    return 2;
  }
  g_autoptr(GString) report = g_string_new(NULL);
  g_autoptr(GError) error = NULL;
  NornIsaComparison comparison;
  if (!norn_isa_compare(isa, argv[2], report, &comparison, &error)) {
    fprintf(stderr, "compare: %s\n", error->message);
    return 2;
  }
  fputs(report->str, stdout);
  return comparison.differences != 0;
}
