/* Loops: the list of loops, how often they run, and the longest path as a sum over their trip
 * counts. */
#include "report/loop_counts.h"
#include "report/trips.h"
#include <norn/statistics.h>
#include <stdlib.h>
#include <string.h>

/* A loop and the position where it is entered. */
typedef struct LoopPlace {
  uint32_t first, loop;
} LoopPlace;

static int
earlier_first(const void *a, const void *b) {
  const LoopPlace *left = a, *right = b;
  return left->first < right->first ? -1 : left->first > right->first;
}

/* The loops in the order of the text, to be freed with g_free. */
static LoopPlace *
sort_loops(const NornReportLoops *loops) {
  LoopPlace *places = g_new(LoopPlace, loops->header_count + 1);
  for (uint32_t i = 0; i < loops->header_count; i++)
    places[i] = (LoopPlace){loops->program->blocks[loops->headers[i]].first, i};
  qsort(places, loops->header_count, sizeof *places, earlier_first);
  return places;
}

void
norn_report_counts_init(NornReportCounts *counts, const NornReportProgram *program,
                        unsigned trips) {
  norn_report_loops_init(&counts->loops, program);
  const NornReportLoops *loops = &counts->loops;
  g_autofree LoopPlace *places = sort_loops(loops);
  counts->is_exact = g_new0(bool, loops->header_count + 1);
  counts->iterations.before = g_new(uint64_t, loops->header_count + 1);
  counts->iterations.last = g_new(uint32_t, loops->header_count + 1);
  counts->iterations.late = g_new(uint32_t, loops->header_count + 1);
  uint64_t *jumps = norn_report_count_jumps(loops, &counts->iterations, counts->is_exact);
  counts->iterations.jumps = jumps;
  counts->iterations.min_jumps = g_new0(uint64_t, loops->header_count + 1);
  counts->iterations.symbols = g_new(uint8_t, loops->header_count + 1);
  counts->is_counted = g_new(bool, loops->header_count + 1);
  unsigned symbols = 0;
  for (uint32_t k = 0; k < loops->header_count; k++) {
    uint32_t i = places[k].loop;
    counts->is_counted[i] = jumps[i] != NORN_REPORT_UNKNOWN;
    counts->iterations.symbols[i] = NORN_REPORT_NO_SYMBOL;
    counts->iterations.min_jumps[i] = counts->is_exact[i] ? jumps[i] : 0;
    if (counts->is_counted[i])
      continue;
    jumps[i] = trips - !norn_report_leaves_at_header(loops, i);
    if (symbols < NORN_REPORT_SYMBOLS)
      counts->iterations.symbols[i] = (uint8_t)symbols;
    symbols++;
  }
  counts->has_symbols = symbols <= NORN_REPORT_SYMBOLS;
}

void
norn_report_counts_clear(NornReportCounts *counts) {
  norn_report_loops_clear(&counts->loops);
  g_free(counts->iterations.jumps);
  g_free(counts->iterations.min_jumps);
  g_free(counts->iterations.late);
  g_free(counts->iterations.last);
  g_free(counts->iterations.before);
  g_free(counts->iterations.symbols);
  g_free(counts->is_counted);
  g_free(counts->is_exact);
}

uint64_t *
norn_report_weights(const NornReportProgram *program, unsigned unit) {
  uint64_t *weights = g_new0(uint64_t, program->block_count + 1);
  for (uint32_t block = 0; block < program->block_count; block++)
    for (uint32_t i = program->blocks[block].first; i < program->blocks[block].end; i++)
      weights[block] += norn_report_cost(program->isa, &program->instructions[i], unit);
  return weights;
}

/* --- The public report --- */

/* The trip count of a loop with that many jumps back: one more than that, unless the loop ends
 * at its top. */
static uint64_t
count_trips(const NornReportCounts *counts, uint32_t loop) {
  uint32_t last = counts->iterations.last[loop];
  bool ends_at_top = norn_report_leaves_at_header(&counts->loops, loop) &&
                     (last == NORN_NO_BLOCK || last == counts->loops.headers[loop]);
  return counts->iterations.jumps[loop] + !ends_at_top;
}

static NornLoop
describe(const NornReportCounts *counts, uint32_t loop) {
  const NornReportLoops *loops = &counts->loops;
  NornLoop self = {
      .first = loops->program->blocks[loops->headers[loop]].first,
      .depth = loops->depth[loop],
      .is_counted = counts->is_counted[loop],
      .is_exact = counts->is_exact[loop],
      .trips = count_trips(counts, loop),
  };
  for (uint32_t k = loops->first[loop]; k < loops->first[loop + 1]; k++) {
    const NornReportBlock *block = &loops->program->blocks[loops->blocks[k]];
    self.instructions += block->end - block->first;
  }
  return self;
}

static int
fewer_loops(gconstpointer a, gconstpointer b) {
  const NornPathTerm *left = a, *right = b;
  return left->loops < right->loops ? -1 : left->loops > right->loops;
}

/* The longest path of the unit that needs the most cycles on it, as a sum. */
static void
find_terms(NornLoopReport *report, const NornReportProgram *program,
           const NornReportCounts *counts) {
  double max = 0;
  unsigned number = 0;
  report->bound = -1;
  for (unsigned unit = 0; unit < program->isa->unit_count; unit++) {
    double rate = program->isa->units[unit].rate;
    uint64_t length;
    if (!rate)
      continue;
    unsigned self = number++;
    g_autofree uint64_t *weights = norn_report_weights(program, unit);
    g_autoptr(GArray) terms = g_array_new(FALSE, FALSE, sizeof(NornReportTerm));
    if (!norn_report_longest(&counts->loops, weights, &counts->iterations, &length, terms) ||
        (double)length / rate <= max)
      continue;
    max = (double)length / rate;
    report->bound = (int)self;
    report->term_count = 0;
    g_free(report->terms);
    report->terms = g_new(NornPathTerm, terms->len + 1);
    for (guint i = 0; i < terms->len && counts->has_symbols; i++) {
      const NornReportTerm *term = &g_array_index(terms, NornReportTerm, i);
      if (term->weight)
        report->terms[report->term_count++] =
            (NornPathTerm){.loops = term->symbols, .cycles = term->weight / rate};
    }
    if (report->term_count)
      qsort(report->terms, report->term_count, sizeof *report->terms, fewer_loops);
  }
}

bool
norn_code_loops(const NornMachineCode *code, unsigned trips, NornLoopReport *report,
                GError **error) {
  NornReportProgram program;
  *report = (NornLoopReport){0};
  if (!norn_report_program_init(&program, code, error))
    return false;
  NornReportCounts counts;
  norn_report_counts_init(&counts, &program, MAX(trips, 1));
  g_autofree LoopPlace *places = sort_loops(&counts.loops);
  report->loop_count = counts.loops.header_count;
  report->loops = g_new0(NornLoop, report->loop_count + 1);
  unsigned symbols = 0;
  for (unsigned k = 0; k < report->loop_count; k++) {
    report->loops[k] = describe(&counts, places[k].loop);
    if (!report->loops[k].is_counted)
      report->loops[k].symbol = symbols++;
  }
  find_terms(report, &program, &counts);
  norn_report_counts_clear(&counts);
  norn_report_program_clear(&program);
  return true;
}

void
norn_loop_report_clear(NornLoopReport *report) {
  g_free(report->loops);
  g_free(report->terms);
  *report = (NornLoopReport){0};
}
