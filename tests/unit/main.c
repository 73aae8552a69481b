/* Runs the suite of the file it is linked with. */
#include "unit.h"
#include <stdlib.h>

int
main(void) {
  SRunner *runner = srunner_create(norn_test_suite());
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
