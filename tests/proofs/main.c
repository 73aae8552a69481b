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

int
main(int argc, char **argv) {
  Prover prover;
  GError *error = NULL;
  g_autofree char *only = NULL, *family = NULL, *shard = NULL, *exceptions = NULL;
  int effort = 0, samples = 0;
  gboolean verbose = FALSE, first = FALSE;
  const GOptionEntry entries[] = {
      {"family", 'f', 0, G_OPTION_ARG_STRING, &family, "only algebra, lower, select or subwords",
       "NAME"},
      {"only", 'k', 0, G_OPTION_ARG_STRING, &only, "only rows that contain this", "TEXT"},
      {"exceptions", 'x', 0, G_OPTION_ARG_FILENAME, &exceptions, "rows that may be open", "FILE"},
      {"effort", 'e', 0, G_OPTION_ARG_INT, &effort, "of the solver for one question", "UNITS"},
      {"samples", 'n', 0, G_OPTION_ARG_INT, &samples, "values to try where it gives up", "N"},
      {"shard", 's', 0, G_OPTION_ARG_STRING, &shard, "every Nth question, from the Ith on", "I/N"},
      {"slow", 't', 0, G_OPTION_ARG_DOUBLE, &prover.slow, "show questions that take so long",
       "SECONDS"},
      {"first", '1', 0, G_OPTION_ARG_NONE, &first, "stop at the first refutation", NULL},
      {"verbose", 'v', 0, G_OPTION_ARG_NONE, &verbose, "show what is not proved, too", NULL},
      {NULL, 0, 0, 0, NULL, NULL, NULL},
  };
  prover_init(&prover);
  GOptionContext *context = g_option_context_new("- prove rewriting rules");
  g_option_context_add_main_entries(context, entries, NULL);
  bool is_understood = g_option_context_parse(context, &argc, &argv, &error) && argc == 1;
  g_option_context_free(context);
  if (is_understood && family)
    is_understood = check_family(family, &error);
  if (is_understood && shard)
    is_understood = parse_shard(shard, &prover, &error);
  if (is_understood && exceptions)
    is_understood = prover_read_exceptions(&prover, exceptions, &error);
  if (!is_understood) {
    fprintf(stderr, "prove: %s\n",
            error ? error->message : "takes only options; --help lists them");
    g_clear_error(&error);
    prover_clear(&prover);
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  prover.only = only;
  prover.verbose = verbose;
  prover.stops = first;
  prover.effort = effort ? (unsigned)effort : prover.effort;
  prover.samples = samples ? (unsigned)samples : prover.samples;
  prover.total = count_questions(&prover, family);
  running = &prover;
  signal(SIGINT, stop);
  signal(SIGTERM, stop);
  ask(&prover, family);
  bool is_right = prover_report(&prover) && (!prover.is_stopped || first);
  if (only && !prover.total && !prover.rows->len) {
    fprintf(stderr, "prove: no row contains '%s'; capitals and small letters differ\n", only);
    is_right = false;
  }
  prover_clear(&prover);
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
