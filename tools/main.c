/* The command: finds the verb in the table and runs it. */
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Opens each standard stream that is closed so that using it fails: else a file that is opened
 * later would take its place, and get what is printed. */
static void
open_closed_streams(void) {
  for (int descriptor = 0; descriptor <= STDERR_FILENO; descriptor++)
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
      open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int
main(int argc, char **argv) {
  setlocale(LC_CTYPE, "");
  open_closed_streams();
  /* Beyond what the user may write, writing fails as on a full disk, instead of a signal. */
  signal(SIGXFSZ, SIG_IGN);
  if (argc < 2) {
    tool_print_verbs(stderr);
    return TOOL_USAGE;
  }
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
    tool_print_verbs(stdout);
    return tool_finish_output(TOOL_SUCCESS);
  }
  if (!strcmp(argv[1], "--version")) {
    puts("norn " NORN_VERSION);
    return tool_finish_output(TOOL_SUCCESS);
  }
  const ToolVerb *verb = tool_verb(argv[1]);
  if (!verb) {
    return tool_refuse_verb(argv[1]);
  }
  return tool_finish_output(verb->run(argc - 1, argv + 1));
}
