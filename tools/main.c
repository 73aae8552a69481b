/* The command: finds the verb in the table and runs it. */
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Replaces each closed standard stream with a descriptor on which I/O fails: otherwise a file
 * that is opened later would get that descriptor, and receive what is printed. It is a folder, so
 * that I/O also fails when /dev/stdin or the like is opened. */
static void
open_closed_streams(void) {
  for (int descriptor = 0; descriptor <= STDERR_FILENO; descriptor++)
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
      open("/", O_RDONLY | O_DIRECTORY);
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
