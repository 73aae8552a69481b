/* prove: compares the results of rewriting rules, lowerings and selection with the definitions
 * of the operations, for all inputs. Prints a table; exits with 1 if anything is refuted. */
#include "tests/proofs/questions.h"
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static Prover *running;

/* On a signal, the results so far are printed. */
static void
stop(int number) {
  (void)number;
  running->is_stopped = true;
}

static const struct {
  const char *name;
  void (*ask)(Prover *prover);
} families[] = {
    {"algebra", ask_algebra},
    {"lower", ask_lowering},
    {"select", ask_selection},
    {"subwords", ask_subwords},
};

/* All questions of the family; NULL: of all families. */
static void
ask(Prover *prover, const char *family) {
  for (unsigned k = 0; k < G_N_ELEMENTS(families); k++)
    if (!family || g_str_equal(family, families[k].name))
      families[k].ask(prover);
}

static bool
check_family(const char *name, GError **error) {
  for (unsigned k = 0; k < G_N_ELEMENTS(families); k++)
    if (g_str_equal(name, families[k].name))
      return true;
  g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
              "unknown family '%s', expected algebra, lower, select or subwords", name);
  return false;
}

/* Parses I/N, with I from 1 to N; false after reporting that it is invalid. */
static bool
parse_shard(const char *text, Prover *prover, GError **error) {
  unsigned shard, shards;
  int length;
  if (sscanf(text, "%u/%u%n", &shard, &shards, &length) != 2 || text[length] || !shard ||
      shard > shards) {
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                "expected a shard such as 1/4 to 4/4, found '%s'", text);
    return false;
  }
  prover->shard = shard - 1;
  prover->shards = shards;
  return true;
}

/* The number of questions that `ask` has: it goes through them without asking any. */
static unsigned
count_questions(const Prover *prover, const char *family) {
  Prover counter;
  prover_init(&counter);
  counter.only = prover->only;
  counter.shard = counter.shards; /* no question belongs to the shard */
  ask(&counter, family);
  unsigned count = counter.asked;
  prover_clear(&counter);
  return count;
}

/* The command line. */
typedef struct Options {
  char *only, *family, *shard, *exceptions;
  int effort, samples;
  double slow;
  gboolean verbose, first;
} Options;

static bool
parse_options(Options *options, int argc, char **argv, GError **error) {
  const GOptionEntry entries[] = {
      {"family", 'f', 0, G_OPTION_ARG_STRING, &options->family,
       "only algebra, lower, select or subwords", "NAME"},
      {"only", 'k', 0, G_OPTION_ARG_STRING, &options->only, "only rows that contain this", "TEXT"},
      {"exceptions", 'x', 0, G_OPTION_ARG_FILENAME, &options->exceptions, "rows that may be open",
       "FILE"},
      {"effort", 'e', 0, G_OPTION_ARG_INT, &options->effort, "of the solver for one question",
       "UNITS"},
      {"samples", 'n', 0, G_OPTION_ARG_INT, &options->samples, "values to try where it gives up",
       "N"},
      {"shard", 's', 0, G_OPTION_ARG_STRING, &options->shard, "every Nth question, from the Ith on",
       "I/N"},
      {"slow", 't', 0, G_OPTION_ARG_DOUBLE, &options->slow, "show questions that take so long",
       "SECONDS"},
      {"first", '1', 0, G_OPTION_ARG_NONE, &options->first, "stop at the first refutation", NULL},
      {"verbose", 'v', 0, G_OPTION_ARG_NONE, &options->verbose, "show what is not proved, too",
       NULL},
      {NULL, 0, 0, 0, NULL, NULL, NULL},
  };
  GOptionContext *context = g_option_context_new("- prove rewriting rules");
  g_option_context_add_main_entries(context, entries, NULL);
  bool is_understood = g_option_context_parse(context, &argc, &argv, error);
  g_option_context_free(context);
  if (is_understood && argc > 1) {
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
                "takes only options; --help lists them");
    return false;
  }
  return is_understood;
}

static void
clear_options(Options *options) {
  g_free(options->only);
  g_free(options->family);
  g_free(options->shard);
  g_free(options->exceptions);
}

/* Checks the options, and sets the prover up for them. */
static bool
apply_options(const Options *options, Prover *prover, GError **error) {
  prover->only = options->only;
  prover->verbose = options->verbose;
  prover->stops = options->first;
  prover->slow = options->slow;
  if (options->effort)
    prover->effort = (unsigned)options->effort;
  if (options->samples)
    prover->samples = (unsigned)options->samples;
  return (!options->family || check_family(options->family, error)) &&
         (!options->shard || parse_shard(options->shard, prover, error)) &&
         (!options->exceptions || prover_read_exceptions(prover, options->exceptions, error));
}

/* Asks everything, and prints the table; false if something is refuted or nothing was asked. */
static bool
prove(Prover *prover, const Options *options) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  prover->total = count_questions(prover, options->family);
  running = prover;
  signal(SIGINT, stop);
  signal(SIGTERM, stop);
  ask(prover, options->family);
  bool is_right = prover_report(prover) && (!prover->is_stopped || options->first);
  if (options->only && !prover->total && !prover->rows->len) {
    fprintf(stderr, "prove: no row contains '%s'; capitals and small letters differ\n",
            options->only);
    is_right = false;
  }
  return is_right;
}

int
main(int argc, char **argv) {
  Prover prover;
  Options options = {0};
  GError *error = NULL;
  int status = 2;
  prover_init(&prover);
  if (parse_options(&options, argc, argv, &error) && apply_options(&options, &prover, &error))
    status = prove(&prover, &options) ? EXIT_SUCCESS : EXIT_FAILURE;
  else
    fprintf(stderr, "prove: %s\n", error->message);
  g_clear_error(&error);
  prover_clear(&prover);
  clear_options(&options);
  return status;
}
