/* Declarations shared by the parts of `norn fuzz`: the check of one module, and the processes
 * that check many. */
#ifndef NORN_TOOLS_FUZZER_FUZZER_H
#define NORN_TOOLS_FUZZER_FUZZER_H

#include "fuzz.h"
#include "tool.h"

typedef enum {
  FUZZ_AGREES,
  FUZZ_SKIPPED, /* takes too many steps to interpret, or no target supports it */
  FUZZ_DIFFERS, /* an engine, a pass or a checker disagrees */
  FUZZ_CRASHED, /* the process ended */
  FUZZ_VERDICT_COUNT
} FuzzVerdict;

/* What is currently being tried with a module, in memory that outlives the process if it ends.
 * FILE in the commands stands for the module's file. */
typedef struct FuzzAttempt {
  char what[128];
  char command[768]; /* reproduces the fault; empty: there is none */
  char reduce[768];  /* reduces the module; likewise */
} FuzzAttempt;

/* The result for one module. */
typedef struct FuzzResult {
  FuzzVerdict verdict;
  char *message;     /* describes the difference; one or more lines */
  char *command;     /* reproduces it, as in FuzzAttempt; nullable */
  char *reduce;      /* likewise */
  char *expected;    /* the interpreter's results, for the run: line of that file; nullable */
  guint64 runs;      /* of code in the simulator */
  guint32 *features; /* reached by its code, if requested */
  gsize feature_count;
} FuzzResult;

void fuzz_result_clear(FuzzResult *result);

/* Copies the commands of the attempt to the result. */
void fuzz_result_take(FuzzResult *result, const FuzzAttempt *attempt);

/* A module of a corpus. */
typedef struct FuzzFile {
  guint64 seed;
  char *path, *text;
} FuzzFile;

/* How a module is checked, and which module. */
typedef struct FuzzInput {
  const FuzzForms *forms;
  bool compiles; /* as in FuzzPlan */
  guint64 seed;
  const FuzzFile *file; /* NULL: the module for the seed */
  bool wants_features;
} FuzzInput;

/* Tries a module everywhere. `attempt` describes the current attempt. */
void fuzz_check(const FuzzInput *input, FuzzAttempt *attempt, FuzzResult *result);

/* The text of a seed's module, with a run: line that includes the expected results (nullable). */
char *fuzz_text(const FuzzForms *forms, guint64 seed, const char *expected);

/* Removes the forms that the newest architecture refuses. */
void fuzz_keep_compilable(FuzzForms *forms);

/* --- Corpora --- */

#define FUZZ_SUFFIX ".norn"

/* Adds the features that the code reaches, as numbers. */
void fuzz_add_features(GHashTable *features, const char *architecture, GBytes *code);

/* Set in the number of a decision, but not of a pair of instructions. */
#define FUZZ_DECISION 0x80000000u

/* The decisions of the passes of one compilation. */
typedef struct FuzzDecisions {
  GHashTable *features;
  GHashTable *counts; /* nullable: the number of instructions of each name before the pass */
} FuzzDecisions;

/* Adds what a pass has changed; a NornDumpFunction whose data is FuzzDecisions. */
void fuzz_note_pass(const NornModule *module, const char *pass, gpointer decisions);

/* Adds the result's features to the known ones; returns whether one is new. */
bool fuzz_take_features(GHashTable *known, const FuzzResult *result);

/* Modules in the order of their seeds: an array of FuzzFile. */
GPtrArray *fuzz_files_new(void);
gboolean fuzz_files_read(GPtrArray *files, const char *directory, GError **error);
void fuzz_files_sort(GPtrArray *files);

/* --- Many modules --- */

/* The modules to check: the files; then seed first + i for each i below `count` with i % shards
 * == shard. */
typedef struct FuzzPlan {
  const FuzzForms *forms;
  bool compiles;          /* the code is simulated, too; otherwise modules are only interpreted */
  const GPtrArray *files; /* of FuzzFile */
  bool wants_features;
  guint64 first, count;
  guint shard, shards, jobs;
  gint64 deadline; /* monotonic time after which no further module is started; 0: none */
  /* Called in that order, in this process. */
  void (*report)(guint64 seed, const FuzzFile *file, const FuzzResult *result, gpointer data);
  gpointer data;
} FuzzPlan;

/* Checks all modules in child processes. FALSE if these cannot be created. */
gboolean fuzz_run(const FuzzPlan *plan, GError **error);

#endif
