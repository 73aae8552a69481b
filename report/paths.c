/* Shortest and longest paths.
 *
 * Without its back edges, the graph of a program in which every loop has one entry is acyclic, so
 * one traversal in reverse postorder finds the longest or shortest path. A loop adds the cost of
 * its iterations that end in a jump back to its header; each iteration costs the longest path from
 * the header to such a jump. Inner loops are processed first, so that their cost is part of the
 * iterations of the outer ones.
 *
 * The same length as a sum of terms is collected along the longest paths, so the sum is valid as
 * long as these remain the longest when trip counts change. */
#include "report/paths.h"
#include <string.h>

#define UNREACHED UINT64_MAX
#define MAX_LENGTH (UINT64_C(1) << 60) /* greater lengths count as this */

enum { MAX_TERMS = 64 };

/* --- The longest path --- */

/* State of the search for the longest, or shortest, path to each block. */
typedef struct PathSearch {
  bool is_shortest;
  const NornReportLoops *loops;
  const uint64_t *weights;
  const NornReportIterations *iterations;
  uint64_t *at;             /* its length, or UNREACHED */
  uint64_t *added;          /* by header: the cost of all iterations that end in a jump back */
  uint64_t *iteration;      /* by header: the cost of one of them */
  uint32_t *via;            /* the previous block on the path */
  GArray **terms;           /* by header: `added` as NornReportTerm; nullable */
  GArray **iteration_terms; /* by header: `iteration`; nullable */
  bool is_too_long;         /* for terms */
} PathSearch;

/* Whether a length is preferred to one that was found before. */
static bool
is_better(const PathSearch *self, uint64_t length, uint64_t known) {
  return known == UNREACHED || (self->is_shortest ? length < known : length > known);
}

/* The next loop, from *loop outward, that an edge leaves in the middle of an iteration that the
 * counter started: such an iteration does not end in a jump back. False if there is none. */
static bool
next_late(const PathSearch *self, uint32_t from, uint32_t to, uint32_t *loop) {
  const NornReportLoops *loops = self->loops;
  for (; *loop && !norn_report_loop_has(loops, *loop - 1, to); *loop = loops->outer[*loop - 1]) {
    uint32_t late = self->iterations->late[*loop - 1];
    if (late != NORN_NO_BLOCK && norn_report_dominates(loops->program, late, from))
      return true;
  }
  return false;
}

/* The cost of the iterations until counters allow the edge to leave its loops. */
static uint64_t
count_to_end(const PathSearch *self, uint32_t from, uint32_t to) {
  const NornReportLoops *loops = self->loops;
  uint64_t sum = 0;
  for (uint32_t loop = loops->innermost[from];
       self->is_shortest && loop && !norn_report_loop_has(loops, loop - 1, to);
       loop = loops->outer[loop - 1]) {
    uint64_t all;
    if (self->iterations->last[loop - 1] != from)
      continue;
    if (__builtin_mul_overflow(self->iteration[loops->headers[loop - 1]],
                               self->iterations->before[loop - 1], &all))
      return MAX_LENGTH;
    sum = MIN(sum + all, MAX_LENGTH);
  }
  return sum;
}

/* The length of a path along an edge, or UNREACHED if counters forbid it. */
static uint64_t
extend(const PathSearch *self, uint32_t from, uint32_t to) {
  const NornReportLoops *loops = self->loops;
  uint64_t length = self->at[from];
  for (uint32_t loop = loops->innermost[from];
       !self->is_shortest && next_late(self, from, to, &loop); loop = loops->outer[loop - 1]) {
    uint64_t iteration = self->iteration[loops->headers[loop - 1]];
    if (!self->iterations->jumps[loop - 1])
      return UNREACHED;
    length -= length == MAX_LENGTH ? 0 : MIN(iteration, length);
  }
  length += count_to_end(self, from, to);
  return MIN(length + self->weights[to] + self->added[to], MAX_LENGTH);
}

/* Propagates lengths along the edges of `blocks`, which are in reverse postorder, except for
 * back edges. */
static void
carry(const PathSearch *self, const uint32_t *blocks, uint32_t count) {
  const NornReportProgram *program = self->loops->program;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t from = blocks[i];
    if (self->at[from] == UNREACHED)
      continue;
    for (unsigned k = 0; k < 2; k++) {
      uint32_t to = program->blocks[from].successors[k];
      if (to == NORN_NO_BLOCK || norn_report_is_back_edge(program, from, to))
        continue;
      uint64_t length = extend(self, from, to);
      if (length == UNREACHED || !is_better(self, length, self->at[to]))
        continue;
      self->at[to] = length;
      self->via[to] = from;
    }
  }
}

/* --- Terms --- */

static void
add_term(PathSearch *self, GArray *terms, uint64_t symbols, double weight) {
  guint i = 0;
  while (i < terms->len && g_array_index(terms, NornReportTerm, i).symbols != symbols)
    i++;
  if (i == MAX_TERMS) {
    self->is_too_long = true;
    return;
  }
  if (i == terms->len)
    g_array_set_size(terms, i + 1);
  NornReportTerm *term = &g_array_index(terms, NornReportTerm, i);
  term->symbols = symbols;
  term->weight += weight;
}

static void
add_terms(PathSearch *self, GArray *terms, const GArray *others, double factor) {
  for (guint i = 0; others && i < others->len && !self->is_too_long; i++) {
    const NornReportTerm *term = &g_array_index(others, NornReportTerm, i);
    add_term(self, terms, term->symbols, term->weight * factor);
  }
}

/* The path from `first` to `last` as a sum. If it is an iteration of a loop, the terms added at
 * its header `first` are left out. */
static GArray *
sum_path(PathSearch *self, uint32_t first, uint32_t last, bool is_iteration) {
  const NornReportLoops *loops = self->loops;
  GArray *terms = g_array_new(FALSE, TRUE, sizeof(NornReportTerm));
  add_term(self, terms, 0, 0);
  for (uint32_t block = last;; block = self->via[block]) {
    add_term(self, terms, 0, (double)self->weights[block]);
    if (!is_iteration || block != first)
      add_terms(self, terms, self->terms[block], 1);
    if (block == first)
      return terms;
    uint32_t from = self->via[block];
    for (uint32_t loop = loops->innermost[from]; next_late(self, from, block, &loop);
         loop = loops->outer[loop - 1])
      add_terms(self, terms, self->iteration_terms[loops->headers[loop - 1]], -1);
  }
}

/* The cost of the iterations of a loop, each of which costs `iteration`. */
static GArray *
multiply_iteration(PathSearch *self, uint32_t loop, const GArray *iteration) {
  uint8_t symbol = self->iterations->symbols[loop];
  GArray *terms = g_array_new(FALSE, TRUE, sizeof(NornReportTerm));
  for (guint i = 0; i < iteration->len; i++) {
    const NornReportTerm *term = &g_array_index(iteration, NornReportTerm, i);
    if (symbol == NORN_REPORT_NO_SYMBOL) {
      add_term(self, terms, term->symbols, term->weight * (double)self->iterations->jumps[loop]);
      continue;
    }
    add_term(self, terms, term->symbols | UINT64_C(1) << symbol, term->weight);
    if (!norn_report_leaves_at_header(self->loops, loop))
      add_term(self, terms, term->symbols, -term->weight);
  }
  return terms;
}

/* --- Loops and the whole program --- */

/* Resets the loop's blocks, and also the blocks after the loop that were reached. */
static void
forget(PathSearch *self, const uint32_t *blocks, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t *to = self->loops->program->blocks[blocks[i]].successors;
    self->at[blocks[i]] = UNREACHED;
    for (unsigned k = 0; k < 2; k++)
      if (to[k] != NORN_NO_BLOCK)
        self->at[to[k]] = UNREACHED;
  }
}

/* Computes the cost of a loop's iterations that end in a jump back. */
static void
add_iterations(PathSearch *self, uint32_t loop) {
  const NornReportLoops *loops = self->loops;
  uint32_t header = loops->headers[loop], count = loops->first[loop + 1] - loops->first[loop];
  const uint32_t *blocks = loops->blocks + loops->first[loop];
  uint32_t last = header;
  uint64_t best = UNREACHED;
  self->at[header] = self->weights[header];
  carry(self, blocks, count);
  for (uint32_t i = 0; i < count; i++)
    for (unsigned k = 0; k < 2; k++)
      if (loops->program->blocks[blocks[i]].successors[k] == header &&
          self->at[blocks[i]] != UNREACHED && is_better(self, self->at[blocks[i]], best)) {
        best = self->at[blocks[i]];
        last = blocks[i];
      }
  uint64_t iterations,
      jumps = (self->is_shortest ? self->iterations->min_jumps : self->iterations->jumps)[loop];
  bool is_long = __builtin_mul_overflow(best, jumps, &iterations);
  self->iteration[header] = best;
  self->added[header] = is_long ? MAX_LENGTH : MIN(iterations, MAX_LENGTH);
  if (self->terms) {
    self->iteration_terms[header] = sum_path(self, header, last, true);
    self->terms[header] = multiply_iteration(self, loop, self->iteration_terms[header]);
  }
  forget(self, blocks, count);
}

/* The end of the best path, or NORN_NO_BLOCK. */
static uint32_t
find_end(const PathSearch *self) {
  const NornReportProgram *program = self->loops->program;
  uint32_t end = NORN_NO_BLOCK;
  for (uint32_t block = 0; block < program->block_count; block++)
    if (program->blocks[block].ends && self->at[block] != UNREACHED &&
        (end == NORN_NO_BLOCK || is_better(self, self->at[block], self->at[end])))
      end = block;
  return end;
}

static void
search(PathSearch *self) {
  const NornReportLoops *loops = self->loops;
  for (uint32_t i = 0; i < loops->header_count; i++)
    add_iterations(self, i);
  self->at[0] = MIN(self->weights[0] + self->added[0], MAX_LENGTH);
  carry(self, loops->program->order, loops->program->order_count);
}

static bool
find_path(const NornReportLoops *loops, const uint64_t *weights,
          const NornReportIterations *iterations, bool is_shortest, uint64_t *length,
          GArray *terms) {
  const NornReportProgram *program = loops->program;
  g_autofree uint64_t *at = g_new(uint64_t, program->block_count);
  g_autofree uint64_t *added = g_new0(uint64_t, program->block_count);
  g_autofree uint32_t *via = g_new0(uint32_t, program->block_count);
  g_autofree uint64_t *iteration = g_new0(uint64_t, program->block_count);
  g_autofree GArray **of_header = terms ? g_new0(GArray *, program->block_count) : NULL;
  g_autofree GArray **of_iteration = terms ? g_new0(GArray *, program->block_count) : NULL;
  memset(at, 0xFF, program->block_count * sizeof *at);
  PathSearch self = {.is_shortest = is_shortest,
                     .loops = loops,
                     .weights = weights,
                     .iterations = iterations,
                     .at = at,
                     .added = added,
                     .iteration = iteration,
                     .via = via,
                     .terms = of_header,
                     .iteration_terms = of_iteration};
  search(&self);
  uint32_t end = find_end(&self);
  *length = end == NORN_NO_BLOCK ? 0 : at[end];
  if (terms && end != NORN_NO_BLOCK) {
    g_autoptr(GArray) sum = sum_path(&self, 0, end, false);
    if (!self.is_too_long)
      g_array_append_vals(terms, sum->data, sum->len);
  }
  for (uint32_t i = 0; terms && i < loops->header_count; i++) {
    g_array_unref(of_header[loops->headers[i]]);
    g_array_unref(of_iteration[loops->headers[i]]);
  }
  return end != NORN_NO_BLOCK;
}

bool
norn_report_longest(const NornReportLoops *loops, const uint64_t *weights,
                    const NornReportIterations *iterations, uint64_t *length, GArray *terms) {
  return loops->program->block_count && loops->is_simple &&
         find_path(loops, weights, iterations, false, length, terms);
}

/* --- Any graph --- */

/* A shortest path needs no jump back, except one that leaves a loop with several entries. */
static bool
shortest_of_any(const NornReportProgram *program, const uint64_t *weights, uint64_t *length) {
  g_autofree uint64_t *at = g_new(uint64_t, program->block_count);
  memset(at, 0xFF, program->block_count * sizeof *at);
  at[0] = weights[0];
  for (bool changed = true; changed;) {
    changed = false;
    for (NornReportEdge edge = {0}; norn_report_next_edge(program, &edge);) {
      uint64_t longer = at[edge.from] + weights[edge.to];
      if (at[edge.from] == UNREACHED || at[edge.to] <= longer)
        continue;
      at[edge.to] = longer;
      changed |= norn_report_is_back_edge(program, edge.from, edge.to);
    }
  }
  *length = UNREACHED;
  for (uint32_t block = 0; block < program->block_count; block++)
    if (program->blocks[block].ends)
      *length = MIN(*length, at[block]);
  return *length != UNREACHED;
}

bool
norn_report_shortest(const NornReportLoops *loops, const uint64_t *weights,
                     const NornReportIterations *iterations, uint64_t *length) {
  if (!loops->program->block_count)
    return false;
  return loops->is_simple ? find_path(loops, weights, iterations, true, length, NULL)
                          : shortest_of_any(loops->program, weights, length);
}
