/* Watching a run: traces, breakpoints, a prompt. One watcher observes one run of one engine. */
#ifndef NORN_TOOLS_RUN_WATCH_H
#define NORN_TOOLS_RUN_WATCH_H

#include "run/run.h"

/* --- Source names of registers (names.c) --- */

/* The source value that each register of each lane holds, found by observing the code. */
typedef struct Names Names;

/* `map` is nullable: then there are no names. `source` (nullable) provides the types. */
Names *names_new(const NornCodeMap *map, const NornModule *source);
void names_free(Names *names);

/* Records a step, in each of its phases. */
void names_observe(Names *names, const NornObservation *at);

/* The value that has `reg` as its first register in the lane, or NULL. */
const NornCodeValue *names_of_register(const Names *names, const NornObservation *at, unsigned lane,
                                       unsigned reg);

/* The type for printing a value: the source's for a float, since the code only has words. */
NornType names_type(const Names *names, const NornCodeValue *value);

/* The registers that hold the value called `name` ("px" or "%px"), and in which lanes, in the
 * format of norn_observation_find. FALSE if no lane holds it. */
gboolean names_find(const Names *names, const NornObservation *at, const char *name,
                    NornObservedValue *value);

/* --- Text (trace.c) --- */

/* "1 x3 2.5 ?": the contents of the lanes, one after the other; floats are printed as such if
 * the type says so. */
void watch_append_lanes(GString *out, const NornObservedValue *value, NornType type,
                        unsigned lanes);

/* "0-2 5": a set of lanes. */
void watch_append_set(GString *out, unsigned set);

/* "step 3, warp 0, lanes 0-2, 0x18, saxpy.norn:12: FADD.f32 r0, r1, r2" */
void watch_append_step(GString *out, const Program *program, const NornCodeMap *map,
                       const NornObservation *at);

/* The line of the source that a step comes from, or 0. */
guint watch_line(const NornCodeMap *map, const NornObservation *at);

/* Prints what steps do to standard output, as text or as one JSON object per line. */
typedef struct Tracer Tracer;

Tracer *tracer_new(const Program *program, const NornCodeMap *map, const Names *names,
                   gboolean json);
void tracer_free(Tracer *tracer);
void tracer_observe(Tracer *tracer, const NornObservation *at);

/* --- Breakpoints and the prompt (debug.c) --- */

typedef struct Debugger Debugger;

/* `breakpoints` (nullable) are lines, addresses and names; `step` stops at the first step. */
Debugger *debugger_new(const Program *program, Session *session, const NornCodeMap *map,
                       const Names *names, char **breakpoints, gboolean step, GError **error);
void debugger_free(Debugger *debugger);
/* FALSE: end the run. */
gboolean debugger_observe(Debugger *debugger, const NornObservation *at);

/* --- Combined (watch.c) --- */

typedef struct Watch Watch;

/* The watcher that the command line requests for one run of one engine; NULL without *error:
 * none. `map` belongs to the code that runs, nullable. The observer is stored in the session's
 * launch. */
Watch *watch_new(const Program *program, Session *session, const NornCodeMap *map, GError **error);
void watch_free(Watch *watch);

#endif
