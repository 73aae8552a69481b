/* What the parts of `norn fuzz` share: the check of one module, and the processes that check many.
 */
#ifndef NORN_TOOLS_FUZZER_FUZZER_H
#define NORN_TOOLS_FUZZER_FUZZER_H

#include "fuzz.h"
#include "tool.h"

typedef enum {
  FUZZ_AGREES,
  FUZZ_SKIPPED, /* takes too many steps to interpret, or is for no target */
  FUZZ_DIFFERS, /* an engine, a pass or a checker disagrees */
  FUZZ_CRASHED, /* the process ended */
  FUZZ_VERDICT_COUNT
} FuzzVerdict;

/* What is tried of a module at the moment: in memory that outlives a process that it ends. FILE in
 * the commands stands for the module's file. */
typedef struct FuzzAttempt {
  char what[128];
  char command[768]; /* shows what is wrong; empty: there is none */
  char reduce[768];  /* makes the module small; likewise */
} FuzzAttempt;

/* What came of one module. */
typedef struct FuzzResult {
  FuzzVerdict verdict;
  char *message;  /* of what differs; one or more lines */
  char *command;  /* shows it, as in FuzzAttempt; nullable */
  char *reduce;   /* likewise */
  char *expected; /* what the interpreter left, for the run: line of that file; nullable */
  guint64 runs;   /* of code in the simulator */
} FuzzResult;

void fuzz_result_clear(FuzzResult *result);

/* How far modules go. */
typedef enum {
  FUZZ_STAGE_PIPELINE, /* all the way: text, passes, code in the simulator */
  FUZZ_STAGE_IR,       /* text and passes, in the interpreter: operations that no target has, too */
} FuzzStage;

/* Takes the commands of what was tried. */
void fuzz_result_take(FuzzResult *result, const FuzzAttempt *attempt);

/* Generates the module of the seed and tries it everywhere. `attempt` says what is being tried. */
void fuzz_check(const FuzzForms *forms, FuzzStage stage, guint64 seed, FuzzAttempt *attempt,
                FuzzResult *result);

/* The text of a seed's module, with a run: line that says what is expected (nullable). */
char *fuzz_text(const FuzzForms *forms, guint64 seed, const char *expected);

/* What code is made for, oldest first. */
#define FUZZ_ARCHITECTURES 6
extern const char *const fuzz_architectures[FUZZ_ARCHITECTURES];

/* Takes out the forms that the newest of them refuses. */
void fuzz_keep_compilable(FuzzForms *forms);

/* What is done: seed first + i for each i below `count` with i % shards == shard. */
typedef struct FuzzPlan {
  const FuzzForms *forms;
  FuzzStage stage;
  guint64 first, count;
  guint shard, shards, jobs;
  gint64 deadline; /* monotonic time when no further module is begun; 0: none */
  /* Called in the order of seeds, in this process. */
  void (*report)(guint64 seed, const FuzzResult *result, gpointer data);
  gpointer data;
} FuzzPlan;

/* Checks all, in child processes. FALSE if these cannot be made. */
gboolean fuzz_run(const FuzzPlan *plan, GError **error);

#endif
