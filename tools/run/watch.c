/* How a run is watched according to the command line: a trace, stops, both, or not. */
#include "run/watch.h"

#include <stdio.h>
#include <string.h>

struct Watch {
  NornObserver observer;
  Names *names;
  Tracer *tracer;     /* nullable */
  Debugger *debugger; /* nullable */
  gint64 traced_warp; /* -1: all */
};

static bool
observe(const NornObservation *at, gpointer user_data) {
  Watch *watch = user_data;
  gboolean goes_on = TRUE;
  gboolean traced = watch->tracer && (watch->traced_warp < 0 || at->warp == watch->traced_warp);
  /* The inputs of a step are named before it is shown, its results after the commands on it. */
  names_observe(watch->names, at);
  if (traced)
    tracer_observe(watch->tracer, at);
  if (watch->debugger)
    goes_on = debugger_observe(watch->debugger, at);
  return goes_on;
}

Watch *
watch_new(const Program *program, Session *session, const NornCodeMap *map, GError **error) {
  const WatchOptions *options = &program->watch;
  if (!options->trace && !options->breakpoints && !options->step)
    return NULL;
  Watch *watch = g_new0(Watch, 1);
  watch->names = names_new(map, program->module);
  watch->traced_warp = options->traced_warp;
  if (options->trace)
    watch->tracer = tracer_new(program, map, watch->names, options->json);
  if (options->breakpoints || options->step)
    watch->debugger = debugger_new(program, session, map, watch->names, options->breakpoints,
                                   options->step, error);
  if ((options->breakpoints || options->step) && !watch->debugger) {
    watch_free(watch);
    return NULL;
  }
  gboolean is_seen = options->trace || !feof(stdin);
  if (is_seen && strcmp(session->spec->file, RUN_COMMAND_LINE) && !options->json)
    printf("run of %s:%u\n", session->spec->file, session->spec->location.line);
  watch->observer = (NornObserver){observe, watch};
  session->launch.observer = &watch->observer;
  return watch;
}

void
watch_free(Watch *watch) {
  if (!watch)
    return;
  tracer_free(watch->tracer);
  debugger_free(watch->debugger);
  names_free(watch->names);
  g_free(watch);
}
