/* Shortest and longest paths.
 *
 * Without its back edges the graph of a program without loops of several entries has no cycle, so
 * that one walk in reverse postorder finds the longest path. A loop adds to its header what the
 * rounds take that end in a jump back: each the longest path from the header to such a jump. Inner
 * loops are done first, so that what they add is part of the rounds of the outer ones. */
#include "report/paths.h"
#include <string.h>

#define UNREACHED UINT64_MAX

static bool
is_back_edge(const NornReportProgram *program, uint32_t from, uint32_t to) {
  return program->blocks[to].order <= program->blocks[from].order;
}

bool
norn_report_shortest(const NornReportProgram *program, const uint64_t *weights, uint64_t *length) {
  if (!program->block_count)
    return false;
  g_autofree uint64_t *at = g_new(uint64_t, program->block_count);
  memset(at, 0xFF, program->block_count * sizeof *at);
  at[0] = weights[0];
  /* A shortest way needs no jump back, except one that leaves a loop with several entries. */
  for (bool changed = true; changed;) {
    changed = false;
    for (NornReportEdge edge = {0}; norn_report_next_edge(program, &edge);) {
      uint64_t longer = at[edge.from] + weights[edge.to];
      if (at[edge.from] == UNREACHED || at[edge.to] <= longer)
        continue;
      at[edge.to] = longer;
      changed |= is_back_edge(program, edge.from, edge.to);
    }
  }
  *length = UNREACHED;
  for (uint32_t block = 0; block < program->block_count; block++)
    if (program->blocks[block].ends)
      *length = MIN(*length, at[block]);
  return *length != UNREACHED;
}

/* --- Loops --- */

/* Marks what reaches `block` without passing the header, whose number is its mark. */
static void
mark_loop(const NornReportProgram *program, const GArray *predecessors, const uint32_t *first,
          uint32_t header, uint32_t block, uint32_t *mark, GArray *stack) {
  if (mark[block] == header)
    return;
  mark[block] = header;
  g_array_append_val(stack, block);
  while (stack->len) {
    uint32_t self = g_array_index(stack, uint32_t, stack->len - 1);
    g_array_set_size(stack, stack->len - 1);
    for (uint32_t i = first[self]; i < first[self + 1]; i++) {
      uint32_t from = g_array_index(predecessors, uint32_t, i);
      if (mark[from] == header || program->blocks[from].order == NORN_NO_BLOCK)
        continue;
      mark[from] = header;
      g_array_append_val(stack, from);
    }
  }
}

/* The predecessors of each block that is reached, one after another; first[b] is where those of
 * block b begin. */
static GArray *
list_predecessors(const NornReportProgram *program, uint32_t *first) {
  memset(first, 0, (program->block_count + 1) * sizeof *first);
  for (NornReportEdge edge = {0}; norn_report_next_edge(program, &edge);)
    first[edge.to + 1]++;
  for (uint32_t block = 0; block < program->block_count; block++)
    first[block + 1] += first[block];
  GArray *list = g_array_sized_new(false, false, sizeof(uint32_t), first[program->block_count]);
  g_array_set_size(list, first[program->block_count]);
  g_autofree uint32_t *next = g_memdup2(first, program->block_count * sizeof *first);
  for (NornReportEdge edge = {0}; norn_report_next_edge(program, &edge);)
    g_array_index(list, uint32_t, next[edge.to]++) = edge.from;
  return list;
}

static bool
has_back_edges_only_to_dominators(const NornReportProgram *program, bool *is_header) {
  for (NornReportEdge edge = {0}; norn_report_next_edge(program, &edge);) {
    if (!is_back_edge(program, edge.from, edge.to))
      continue;
    if (!norn_report_dominates(program, edge.to, edge.from))
      return false;
    is_header[edge.to] = true;
  }
  return true;
}

/* The blocks of the loop of a header, found from its jumps back. */
static void
collect_loop(NornReportLoops *loops, const GArray *predecessors, const uint32_t *first,
             uint32_t header, uint32_t *mark, GArray *blocks, GArray *stack) {
  const NornReportProgram *program = loops->program;
  mark[header] = header;
  for (uint32_t i = first[header]; i < first[header + 1]; i++) {
    uint32_t from = g_array_index(predecessors, uint32_t, i);
    if (is_back_edge(program, from, header))
      mark_loop(program, predecessors, first, header, from, mark, stack);
  }
  loops->headers[loops->header_count] = header;
  loops->first[loops->header_count++] = blocks->len;
  for (uint32_t i = program->blocks[header].order; i < program->order_count; i++)
    if (mark[program->order[i]] == header)
      g_array_append_val(blocks, program->order[i]);
}

void
norn_report_loops_init(NornReportLoops *loops, const NornReportProgram *program) {
  uint32_t count = program->block_count;
  g_autofree bool *is_header = g_new0(bool, count + 1);
  *loops = (NornReportLoops){.program = program};
  loops->is_reducible = has_back_edges_only_to_dominators(program, is_header);
  loops->headers = g_new(uint32_t, count + 1);
  loops->first = g_new0(uint32_t, count + 1);
  if (!loops->is_reducible)
    return;
  g_autofree uint32_t *first = g_new(uint32_t, count + 1), *mark = g_new(uint32_t, count + 1);
  memset(mark, 0xFF, (count + 1) * sizeof *mark);
  g_autoptr(GArray) predecessors = list_predecessors(program, first);
  g_autoptr(GArray) stack = g_array_new(false, false, sizeof(uint32_t));
  GArray *blocks = g_array_new(false, false, sizeof(uint32_t));
  for (uint32_t i = program->order_count; i-- > 0;)
    if (is_header[program->order[i]])
      collect_loop(loops, predecessors, first, program->order[i], mark, blocks, stack);
  loops->first[loops->header_count] = blocks->len;
  loops->blocks = (uint32_t *)(void *)g_array_free(blocks, false);
}

void
norn_report_loops_clear(NornReportLoops *loops) {
  g_free(loops->headers);
  g_free(loops->first);
  g_free(loops->blocks);
  *loops = (NornReportLoops){0};
}

/* --- The longest way --- */

/* Carries lengths along the edges of `blocks`, in reverse postorder, but those back. A block that
 * is not reached has UNREACHED. */
static void
carry(const NornReportProgram *program, const uint32_t *blocks, uint32_t count,
      const uint64_t *weights, const uint64_t *added, uint64_t *at) {
  for (uint32_t i = 0; i < count; i++) {
    uint32_t from = blocks[i];
    if (at[from] == UNREACHED)
      continue;
    for (unsigned k = 0; k < 2; k++) {
      uint32_t to = program->blocks[from].successors[k];
      if (to == NORN_NO_BLOCK || is_back_edge(program, from, to))
        continue;
      uint64_t length = at[from] + weights[to] + added[to];
      if (at[to] == UNREACHED || at[to] < length)
        at[to] = length;
    }
  }
}

/* Whether a loop tests at its top whether to go on: its header then runs once more than the rest.
 * A header that jumps back to itself is top and bottom. */
static bool
leaves_at_header(const NornReportLoops *loops, uint32_t loop) {
  const NornReportBlock *header = &loops->program->blocks[loops->headers[loop]];
  unsigned outside = header->ends;
  for (unsigned k = 0; k < 2; k++) {
    if (header->successors[k] == loops->headers[loop])
      return false;
    bool is_inside = header->successors[k] == NORN_NO_BLOCK;
    for (uint32_t i = loops->first[loop]; i < loops->first[loop + 1]; i++)
      is_inside |= loops->blocks[i] == header->successors[k];
    outside += !is_inside;
  }
  return outside != 0;
}

/* What the rounds of a loop that end in a jump back take. */
static uint64_t
rounds(const NornReportLoops *loops, uint32_t loop, const uint64_t *weights, unsigned trips,
       const uint64_t *added, uint64_t *at) {
  const NornReportProgram *program = loops->program;
  uint32_t header = loops->headers[loop], count = loops->first[loop + 1] - loops->first[loop];
  const uint32_t *blocks = loops->blocks + loops->first[loop];
  uint64_t longest = 0;
  at[header] = weights[header];
  carry(program, blocks, count, weights, added, at);
  for (uint32_t i = 0; i < count; i++)
    for (unsigned k = 0; k < 2; k++)
      if (program->blocks[blocks[i]].successors[k] == header && at[blocks[i]] != UNREACHED)
        longest = MAX(longest, at[blocks[i]]);
  /* What lies after the loop was reached, too. */
  for (uint32_t i = 0; i < count; i++) {
    at[blocks[i]] = UNREACHED;
    for (unsigned k = 0; k < 2; k++)
      if (program->blocks[blocks[i]].successors[k] != NORN_NO_BLOCK)
        at[program->blocks[blocks[i]].successors[k]] = UNREACHED;
  }
  return longest * (trips - !leaves_at_header(loops, loop));
}

bool
norn_report_longest(const NornReportLoops *loops, const uint64_t *weights, unsigned trips,
                    uint64_t *length) {
  const NornReportProgram *program = loops->program;
  if (!program->block_count || !loops->is_reducible)
    return false;
  g_autofree uint64_t *at = g_new(uint64_t, program->block_count);
  g_autofree uint64_t *added = g_new0(uint64_t, program->block_count);
  memset(at, 0xFF, program->block_count * sizeof *at);
  for (uint32_t i = 0; i < loops->header_count; i++)
    added[loops->headers[i]] = rounds(loops, i, weights, trips, added, at);
  at[0] = weights[0] + added[0];
  carry(program, program->order, program->order_count, weights, added, at);
  bool found = false;
  *length = 0;
  for (uint32_t block = 0; block < program->block_count; block++)
    if (program->blocks[block].ends && at[block] != UNREACHED) {
      *length = MAX(*length, at[block]);
      found = true;
    }
  return found;
}
