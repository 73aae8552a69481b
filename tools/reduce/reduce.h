/* What the parts of `norn reduce` share: trials, which find out what a module shows, and what is
 * reduced beside the module. */
#ifndef NORN_TOOLS_REDUCE_REDUCE_H
#define NORN_TOOLS_REDUCE_REDUCE_H

#include "run/spec.h"
#include "tool.h"

#include <stdio.h>

/* What --help says after the options. */
extern const char tool_reduce_details[];

/* --- Trials --- */

/* What came of compiling and running a module. */
typedef enum {
  TRIAL_AGREES,
  TRIAL_DIFFERS,    /* the simulator leaves other values than the interpreter */
  TRIAL_TRAPS,      /* the simulator traps */
  TRIAL_FAILS,      /* it does not compile */
  TRIAL_CRASHES,    /* the process ends by a signal or by itself */
  TRIAL_HANGS,      /* it takes too long, or the program too many steps */
  TRIAL_SLOW,       /* it agrees, but executes more instructions than allowed */
  TRIAL_SCRIPT,     /* the user's script says so */
  TRIAL_REFUSED,    /* it is no right program: the interpreter does not run it */
  TRIAL_IMPOSSIBLE, /* it could not be tried */
} TrialVerdict;

/* By verdict, for people and for --condition; NULL at the end. */
extern const char *const trial_names[];

typedef struct Trial {
  NornCompileOptions compile;
  const char *passes;  /* nullable: these instead of the compiler, and the interpreter after them */
  char **script;       /* nullable: a command to call with the name of a file */
  guint64 slower_than; /* instructions of warps; 0: any number is fast */
  guint64 step_limit;  /* of the interpreter */
  guint seconds;       /* of one trial */
  gboolean check_races;
} Trial;

/* Tries a module on a launch (nullable), in a process of its own. *message (nullable) says more, to
 * be freed with g_free. */
TrialVerdict trial_run(const Trial *trial, const char *launch, const char *module, char **message);

/* How many steps the interpreter takes; 0 if it does not get to an end. */
guint64 trial_steps(const Trial *trial, const char *launch, const char *module);

/* A module with its launch (nullable) in a comment, as a file. */
char *trial_format(const char *launch, const char *module);

typedef int (*TrialFunction)(gpointer data, FILE *out);

/* Runs `run` in a process of its own, for no more than `seconds`. What it prints to `out`, and what
 * is printed to standard error there, is in *output, to be freed with g_free. Returns the status of
 * waitpid, or TRIAL_NO_PROCESS where there was no process; *output says why. It ends with the
 * process if a signal comes. */
#define TRIAL_NO_PROCESS (-1)
int trial_fork(TrialFunction run, gpointer data, guint seconds, char **output);

/* The message without its place in the launch, which is in no file. */
const char *trial_plain_message(const GError *error);

/* What stays of a message without what says where: locations, names, numbers. */
char *trial_signature(const char *message);

/* --- What is reduced --- */

/* Whether something smaller still shows what is looked for. */
typedef NornReduceAnswer (*ReduceTest)(gconstpointer candidate, gpointer data);

/* Removes values from a launch and makes them smaller while `test` (of a string) holds: no less at
 * a time than one of so many `pieces` of them all, 0 for single ones, too. Returns the smallest, to
 * be freed with g_free; it may be the same. */
char *reduce_launch(const char *launch, guint pieces, ReduceTest test, gpointer data);

/* The launch with the contents of files instead of their names; what stands after => goes. `spec`
 * is what it was parsed to. */
char *reduce_launch_inline(const char *launch, const RunSpec *spec);

/* Leaves out what the fault does not need: optimization, chaos, optional passes. `test` is of
 * NornCompileOptions. */
void reduce_settings(NornCompileOptions *options, ReduceTest test, gpointer data);

/* Drops passes of a list while `test` (of a string) holds. To be freed with g_free. */
char *reduce_passes(const char *passes, ReduceTest test, gpointer data);

/* Says in a line which pass is to blame for the verdict, NULL if that cannot be told. To be freed
 * with g_free. */
char *blame_pass(const Trial *trial, TrialVerdict verdict, const char *launch, const char *module);

#endif
