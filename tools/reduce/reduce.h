/* Declarations shared by the parts of `norn reduce`: trials, which find out what a module shows,
 * and the reduction of everything except the module. */
#ifndef NORN_TOOLS_REDUCE_REDUCE_H
#define NORN_TOOLS_REDUCE_REDUCE_H

#include "run/spec.h"
#include "tool.h"

#include <stdio.h>

/* The text that --help prints after the options. */
extern const char tool_reduce_details[];

/* --- Trials --- */

/* The outcome of compiling and running a module. */
typedef enum {
  TRIAL_AGREES,
  TRIAL_DIFFERS,    /* the simulator's results differ from the interpreter's */
  TRIAL_TRAPS,      /* the simulator traps */
  TRIAL_FAILS,      /* it does not compile */
  TRIAL_CRASHES,    /* the process is ended by a signal or ends itself */
  TRIAL_HANGS,      /* it takes too long, or the program takes too many steps */
  TRIAL_SLOW,       /* it agrees, but executes more instructions than allowed */
  TRIAL_SCRIPT,     /* the user's script accepts it */
  TRIAL_REFUSED,    /* it is not a valid program: the interpreter does not run it */
  TRIAL_IMPOSSIBLE, /* it could not be tried */
} TrialVerdict;

/* The verdicts from TRIAL_DIFFERS to TRIAL_SCRIPT, for people and for --condition. */
extern const char trial_words[];

typedef struct Trial {
  NornCompileOptions compile;
  const char *passes;  /* nullable: run these instead of the compiler, and then the interpreter */
  char **script;       /* nullable: a command to call with the name of a file */
  guint64 slower_than; /* instructions of warps; 0: no limit */
  guint64 step_limit;  /* of the interpreter */
  guint seconds;       /* of one trial */
  gboolean check_races;
} Trial;

/* Tries a module on a launch (nullable) in its own process. *message (nullable) gets details, to
 * be freed with g_free. */
TrialVerdict trial_run(const Trial *trial, const char *launch, const char *module, char **message);

/* The number of steps that the interpreter takes; 0 if it does not finish. */
guint64 trial_steps(const Trial *trial, const char *launch, const char *module);

/* A module with its launch (nullable) in a comment, in the format of a file. */
char *trial_format(const char *launch, const char *module);

typedef int (*TrialFunction)(gpointer data, FILE *out);

/* Runs `run` in its own process for at most `seconds`. *output, to be freed with g_free, gets
 * what it prints to `out` and to standard error. Returns the status of waitpid, or
 * TRIAL_NO_PROCESS if there was no process; *output then says why. If a signal arrives, it ends
 * with this process. */
#define TRIAL_NO_PROCESS (-1)
int trial_fork(TrialFunction run, gpointer data, guint seconds, char **output);

/* The message without its place in the launch, which is not in a file. */
const char *trial_plain_message(const GError *error);

/* A message without its variable parts: locations, names, numbers. */
char *trial_signature(const char *message);

/* --- What is reduced --- */

/* Whether something smaller still shows the fault. */
typedef NornReduceAnswer (*ReduceTest)(gconstpointer candidate, gpointer data);

/* Removes values from a launch and simplifies them while `test` (of a string) holds. At least
 * one of `pieces` pieces of all values is removed at a time; 0 goes down to single values.
 * Returns the smallest launch, to be freed with g_free; it may be the same. */
char *reduce_launch(const char *launch, guint pieces, ReduceTest test, gpointer data);

/* The launch with the contents of files instead of their names, without the part after =>.
 * `spec` is the parsed launch. */
char *reduce_launch_inline(const char *launch, const RunSpec *spec);

/* Removes everything that the fault does not need: optimization, chaos, optional passes. `test`
 * is called with NornCompileOptions. */
void reduce_settings(NornCompileOptions *options, ReduceTest test, gpointer data);

/* Removes passes from a list while `test` (of a string) holds. To be freed with g_free. */
char *reduce_passes(const char *passes, ReduceTest test, gpointer data);

/* A line that names the pass to blame for the verdict, NULL if that cannot be determined. To be
 * freed with g_free. */
char *blame_pass(const Trial *trial, TrialVerdict verdict, const char *launch, const char *module);

#endif
