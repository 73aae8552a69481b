/* Long runs over the words of an instruction set: assembling a word's text must give the word.
 *
 *   words fields ISA ARCHITECTURE SETTINGS SEED [JOBS]
 *   words legal  ISA ARCHITECTURE COUNT SEED [JOBS]
 *   words any    ISA ARCHITECTURE COUNT SEED [JOBS]
 *   words word   ISA ARCHITECTURE WORD
 *
 * `fields` goes through all values of every field of every instruction (of fields above 16 bits:
 * patterns and random values), the other fields at their defaults and then at SETTINGS random legal
 * settings. `legal` uses COUNT random legal words of random instructions, `any` COUNT random words.
 * ARCHITECTURE is a name or `all`, which goes through them one after the other with COUNT words
 * each. The seed determines everything; JOBS processes share the batches. Progress is written to
 * stderr, the summary to stdout. The first bad word ends the run. */
#include "tests/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BATCH = 1024, WIDE_FIELD = 16, WIDE_VALUES = 1 << 14 };

typedef struct {
  const NornIsa *isa;
  unsigned architecture;
  uint64_t amount, seed;
  unsigned jobs, job; /* number of processes, and the index of this one */
  uint64_t batches, words;
  bool *barren;    /* for each instruction: no legal word was found for it */
  gint64 reported; /* when progress was last shown */
  double part;     /* of the completed part of the run */
  WordBatch batch;
} Run;

static void
report_progress(Run *run) {
  enum { PERIOD = 5 * G_USEC_PER_SEC };
  gint64 now = g_get_monotonic_time();
  if (now - run->reported < PERIOD)
    return;
  run->reported = now;
  fprintf(stderr, "%s %s, process %u: %5.1f %%, %" PRIu64 " words, %u legal\n", run->isa->name,
          norn_isa_architecture_name(run->isa, run->architecture), run->job, 100 * run->part,
          run->words, run->batch.legal);
}

/* Checks the collected words. Returns false at a bad word, which it prints. */
static bool
flush(Run *run) {
  run->words += run->batch.count;
  run->batch.labels = run->batches++ % 2;
  char *problem = word_batch_check(&run->batch);
  report_progress(run);
  if (!problem)
    return true;
  printf("%s (seed %" PRIu64 ")\n", problem, run->seed);
  g_free(problem);
  return false;
}

static bool
add(Run *run, uint64_t word) {
  return !word_batch_add(&run->batch, word) || flush(run);
}

/* The random state for part `index` of the run, independent of earlier parts. */
static uint64_t
state_of(const Run *run, uint64_t index) {
  uint64_t state = (run->seed + 1) * UINT64_C(0x9E3779B97F4A7C15) +
                   (run->architecture + 1) * UINT64_C(0xD1B54A32D192ED03) +
                   (index + 1) * UINT64_C(0xBF58476D1CE4E5B9);
  state = (state ^ state >> 30) * UINT64_C(0x94D049BB133111EB);
  return state ? state : 1;
}

/* All values of one field. */
static bool
run_field(Run *run, const NornIsaEncoding *encoding, uint64_t base, unsigned slot,
          uint64_t *state) {
  unsigned width = norn_isa_field_width(&encoding->fields[slot]);
  bool wide = width > WIDE_FIELD, good = true;
  uint64_t count = wide ? WIDE_VALUES : UINT64_C(1) << width;
  for (uint64_t i = 0; good && i < count; i++)
    good = add(
        run, words_with(run->isa, encoding, base, slot, wide ? norn_random_next(state) >> 24 : i));
  for (unsigned bit = 0; good && wide && bit < width; bit++)
    good = add(run, words_with(run->isa, encoding, base, slot, UINT64_C(1) << bit)) &&
           add(run, words_with(run->isa, encoding, base, slot, norn_isa_mask(bit))) &&
           add(run, words_with(run->isa, encoding, base, slot, UINT64_MAX << bit));
  return good;
}

static bool
run_fields(Run *run) {
  for (unsigned i = run->job; i < run->isa->instruction_count; i += run->jobs) {
    const NornIsaEncoding *encoding = norn_isa_encoding(run->isa, run->architecture, i);
    uint64_t state = state_of(run, i);
    if (!encoding)
      continue;
    for (uint64_t setting = 0; setting <= run->amount; setting++) {
      uint64_t base = norn_isa_derive(run->isa, encoding, encoding->word);
      if (setting &&
          (run->barren[i] || !words_legal(run->isa, run->architecture, encoding, &state, &base)))
        break;
      for (unsigned slot = 0; slot < encoding->field_count; slot++)
        if (!run_field(run, encoding, base, slot, &state))
          return false;
    }
    run->part = (double)(i + 1) / run->isa->instruction_count;
    if (!flush(run))
      return false;
  }
  return true;
}

/* Calls `draw` for the words of this process's batches. */
static bool
run_random(Run *run, uint64_t (*draw)(const Run *run, uint64_t *state)) {
  for (uint64_t first = (uint64_t)run->job * BATCH; first < run->amount;
       first += (uint64_t)run->jobs * BATCH) {
    uint64_t state = state_of(run, first);
    uint64_t count = run->amount - first < BATCH ? run->amount - first : BATCH;
    for (uint64_t i = 0; i < count; i++)
      word_batch_add(&run->batch, draw(run, &state));
    run->part = (double)(first + count) / (double)run->amount;
    if (!flush(run))
      return false;
  }
  return true;
}

static uint64_t
draw_legal(const Run *run, uint64_t *state) {
  for (;;) {
    unsigned number = (unsigned)(norn_random_next(state) >> 32) % run->isa->instruction_count;
    const NornIsaEncoding *encoding = norn_isa_encoding(run->isa, run->architecture, number);
    uint64_t word;
    if (encoding && !run->barren[number] &&
        words_legal(run->isa, run->architecture, encoding, state, &word))
      return word;
  }
}

static uint64_t
draw_any(const Run *run G_GNUC_UNUSED, uint64_t *state) {
  return norn_random_next(state);
}

static bool
run_legal(Run *run) {
  return run_random(run, draw_legal);
}

static bool
run_any(Run *run) {
  return run_random(run, draw_any);
}

static bool
run_word(Run *run) {
  run->jobs = 1;
  return add(run, run->amount) && flush(run);
}

static const struct {
  const char *name;
  bool (*run)(Run *run);
} modes[] = {{"fields", run_fields}, {"legal", run_legal}, {"any", run_any}, {"word", run_word}};

/* Tries each instruction once, and lists those without a legal word. */
static void
find_barren(Run *run) {
  for (unsigned i = 0; i < run->isa->instruction_count; i++) {
    const NornIsaEncoding *encoding = norn_isa_encoding(run->isa, run->architecture, i);
    uint64_t state = state_of(run, i), word;
    run->barren[i] = encoding && !words_legal(run->isa, run->architecture, encoding, &state, &word);
    if (run->barren[i] && run->job == 0)
      printf("no legal word was found of %s\n", norn_isa_instruction_name(run->isa, i));
  }
}

/* One architecture in this process. */
static bool
run_here(Run *run, unsigned mode) {
  word_batch_init(&run->batch, run->isa, run->architecture, BATCH);
  run->barren = g_new0(bool, run->isa->instruction_count);
  run->reported = g_get_monotonic_time();
  find_barren(run);
  bool good = modes[mode].run(run);
  word_batch_clear(&run->batch);
  g_free(run->barren);
  if (good)
    printf("%s %s %s: %" PRIu64 " words come back, %u of them legal (seed %" PRIu64
           ", process %u of %u)\n",
           modes[mode].name, run->isa->name,
           norn_isa_architecture_name(run->isa, run->architecture), run->words, run->batch.legal,
           run->seed, run->job + 1, run->jobs);
  fflush(stdout);
  return good;
}

/* One architecture in all processes. */
static bool
run_jobs(Run run, unsigned mode) {
  if (run.jobs == 1)
    return run_here(&run, mode);
  fflush(NULL);
  for (run.job = 0; run.job < run.jobs; run.job++) {
    pid_t child = fork();
    if (child < 0) {
      perror("fork");
      return false;
    }
    if (child == 0)
      exit(!run_here(&run, mode));
  }
  bool good = true;
  int status;
  while (wait(&status) > 0)
    good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return good;
}

static int
usage(void) {
  fprintf(stderr, "usage: words fields ISA ARCHITECTURE|all SETTINGS SEED [JOBS]\n"
                  "       words legal|any ISA ARCHITECTURE|all COUNT SEED [JOBS]\n"
                  "       words word ISA ARCHITECTURE WORD\n");
  return 2;
}

int
main(int argc, char **argv) {
  unsigned mode = 0;
  while (argc > 1 && mode < G_N_ELEMENTS(modes) && strcmp(argv[1], modes[mode].name))
    mode++;
  if (argc < 5 || mode == G_N_ELEMENTS(modes))
    return usage();
  Run run = {.isa = norn_isa_find(argv[2]),
             .amount = g_ascii_strtoull(argv[4], NULL, 0),
             .seed = argc > 5 ? g_ascii_strtoull(argv[5], NULL, 0) : 0,
             .jobs = argc > 6 ? (unsigned)CLAMP(atoi(argv[6]), 1, 64) : 1};
  if (!run.isa)
    return usage();
  bool all = strcmp(argv[3], "all") == 0;
  int only = norn_isa_architecture(run.isa, argv[3]);
  if (!all && only < 0)
    return usage();
  bool good = true;
  for (unsigned a = 0; good && a < norn_isa_architecture_count(run.isa); a++) {
    run.architecture = a;
    if (all || (unsigned)only == a)
      good = run_jobs(run, mode);
  }
  return !good;
}
