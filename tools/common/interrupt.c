/* Signals that end a search, but not the command; see interrupt.h. */
#include "common/interrupt.h"

#include <signal.h>
#include <stdio.h>

static const int signals[] = {SIGINT, SIGTERM};

/* The first signal that arrived; a handler can change nothing else. */
static volatile sig_atomic_t caught;

static void
note(int number) {
  if (!caught)
    caught = number;
}

/* Without SA_RESTART, so that blocked calls return and check for it. */
static void
handle(void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler};
  sigemptyset(&action.sa_mask);
  for (guint i = 0; i < G_N_ELEMENTS(signals); i++)
    sigaction(signals[i], &action, NULL);
}

void
interrupt_catch(void) {
  handle(note);
}

void
interrupt_release(void) {
  handle(SIG_DFL);
}

gboolean
interrupt_came(void) {
  return caught != 0;
}

void
interrupt_pass_on(void) {
  interrupt_release();
  fflush(stdout);
  if (caught)
    raise(caught);
}
