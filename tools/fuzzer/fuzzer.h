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
  char *message;     /* of what differs; one or more lines */
  char *command;     /* shows it, as in FuzzAttempt; nullable */
  char *reduce;      /* likewise */
  char *expected;    /* what the interpreter left, for the run: line of that file; nullable */
  guint64 runs;      /* of code in the simulator */
  guint32 *features; /* that its code reached, where they are asked for */
  gsize feature_count;
} FuzzResult;

void fuzz_result_clear(FuzzResult *result);

/* How far modules go. */
typedef enum {
  FUZZ_STAGE_PIPELINE, /* all the way: text, passes, code in the simulator */
  FUZZ_STAGE_IR,       /* text and passes, in the interpreter: operations that no target has, too */
} FuzzStage;

/* Takes the commands of what was tried. */
void fuzz_result_take(FuzzResult *result, const FuzzAttempt *attempt);

/* A module of a corpus. */
typedef struct FuzzFile {
  guint64 seed;
  char *path, *text;
} FuzzFile;

/* How a module is checked, and what of. */
typedef struct FuzzInput {
  const FuzzForms *forms;
  FuzzStage stage;
  guint64 seed;
  const FuzzFile *file; /* NULL: the module of the seed */
  bool wants_features;
} FuzzInput;

/* Tries a module everywhere. `attempt` says what is being tried. */
void fuzz_check(const FuzzInput *input, FuzzAttempt *attempt, FuzzResult *result);

/* The text of a seed's module, with a run: line that says what is expected (nullable). */
char *fuzz_text(const FuzzForms *forms, guint64 seed, const char *expected);

/* What code is made for, oldest first. */
#define FUZZ_ARCHITECTURES 6
extern const char *const fuzz_architectures[FUZZ_ARCHITECTURES];

/* Takes out the forms that the newest of them refuses. */
void fuzz_keep_compilable(FuzzForms *forms);

/* --- Corpora --- */

#define FUZZ_SUFFIX ".norn"

/* Adds what the code reaches, as numbers. */
void fuzz_add_features(GHashTable *features, const char *architecture, GBytes *code);

/* A number of a decision, not of a pair of instructions. */
#define FUZZ_DECISION 0x80000000u

/* What the passes of one compilation decide. */
typedef struct FuzzDecisions {
  GHashTable *features;
  GHashTable *counts; /* nullable: how many instructions of each name there were so far */
} FuzzDecisions;

/* Adds what a pass has changed; a NornDumpFunction whose data is FuzzDecisions. */
void fuzz_note_pass(const NornModule *module, const char *pass, gpointer decisions);

/* Adds the result's features to those that are known; whether one is new. */
bool fuzz_take_features(GHashTable *known, const FuzzResult *result);

/* Modules in the order of their seeds: an array of FuzzFile. */
GPtrArray *fuzz_files_new(void);
gboolean fuzz_files_read(GPtrArray *files, const char *directory, GError **error);
void fuzz_files_sort(GPtrArray *files);

/* --- Many modules --- */

/* What is done: the files; then seed first + i for each i below `count` with i % shards == shard.
 */
typedef struct FuzzPlan {
  const FuzzForms *forms;
  FuzzStage stage;
  const GPtrArray *files; /* of FuzzFile */
  bool wants_features;
  guint64 first, count;
  guint shard, shards, jobs;
  gint64 deadline; /* monotonic time when no further module is begun; 0: none */
  /* Called in that order, in this process. */
  void (*report)(guint64 seed, const FuzzFile *file, const FuzzResult *result, gpointer data);
  gpointer data;
} FuzzPlan;

/* Checks all, in child processes. FALSE if these cannot be made. */
gboolean fuzz_run(const FuzzPlan *plan, GError **error);

#endif
