/* The loops of a program.
 *
 * A jump back to a block that dominates it forms a loop: the blocks that reach the jump without
 * passing that block. The blocks of each loop are listed, and those of inner loops are listed
 * again with each loop around them, so excessively deep nests are given up. */
#include "report/loops.h"
#include "ir/arrays.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_BLOCKS = 1 << 20 }; /* of all loops */

typedef struct Collector {
  NornReportLoops *loops;
  GArray *members;  /* uint32_t: the blocks of the loops so far */
  uint32_t *first;  /* by block: index of its first predecessor; then the end */
  uint32_t *before; /* predecessors */
  uint32_t *mark;   /* by block: header of the loop in which it was last found */
} Collector;

/* Lists the predecessors of each reachable block, one block after another. */
static uint32_t *
list_predecessors(const NornReportProgram *program, uint32_t *first) {
  for (NornReportEdge edge = {0}; norn_report_next_edge(program, &edge);)
    first[edge.to + 1]++;
  for (uint32_t block = 0; block < program->block_count; block++)
    first[block + 1] += first[block];
  uint32_t *list = g_new(uint32_t, first[program->block_count] + 1);
  g_autofree uint32_t *next = g_memdup2(first, program->block_count * sizeof *first);
  for (NornReportEdge edge = {0}; norn_report_next_edge(program, &edge);)
    list[next[edge.to]++] = edge.from;
  return list;
}

static bool
has_back_edges_only_to_dominators(const NornReportProgram *program, bool *is_header) {
  for (NornReportEdge edge = {0}; norn_report_next_edge(program, &edge);) {
    if (!norn_report_is_back_edge(program, edge.from, edge.to))
      continue;
    if (!norn_report_dominates(program, edge.to, edge.from))
      return false;
    is_header[edge.to] = true;
  }
  return true;
}

static void
add_member(Collector *self, uint32_t header, uint32_t block) {
  if (self->mark[block] == header)
    return;
  self->mark[block] = header;
  g_array_append_val(self->members, block);
}

/* Sorts blocks into reverse postorder. */
static void
sort_blocks(const NornReportProgram *program, uint32_t *blocks, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    blocks[i] = program->blocks[blocks[i]].order;
  qsort(blocks, count, sizeof *blocks, norn_compare_indexes);
  for (uint32_t i = 0; i < count; i++)
    blocks[i] = program->order[blocks[i]];
}

/* Finds the blocks of the loop of a header: those that reach a jump back. */
static void
collect_loop(Collector *self, uint32_t header) {
  NornReportLoops *loops = self->loops;
  const NornReportProgram *program = loops->program;
  guint start = self->members->len;
  add_member(self, header, header);
  for (uint32_t i = self->first[header]; i < self->first[header + 1]; i++)
    if (norn_report_is_back_edge(program, self->before[i], header))
      add_member(self, header, self->before[i]);
  for (guint at = start + 1; at < self->members->len; at++) {
    uint32_t block = g_array_index(self->members, uint32_t, at);
    for (uint32_t i = self->first[block]; i < self->first[block + 1]; i++)
      add_member(self, header, self->before[i]);
  }
  loops->headers[loops->header_count] = header;
  loops->first[loops->header_count++] = start;
  sort_blocks(program, &g_array_index(self->members, uint32_t, start), self->members->len - start);
}

/* Outer loops come last. Each gets a range of numbers that includes the numbers of the loops in
 * it. */
static void
find_nesting(NornReportLoops *loops) {
  uint32_t count = loops->header_count, next = 0;
  g_autofree uint32_t *free_number = g_new(uint32_t, count + 1);
  for (uint32_t i = count; i-- > 0;) {
    loops->outer[i] = loops->innermost[loops->headers[i]];
    loops->depth[i] = 1 + (loops->outer[i] ? loops->depth[loops->outer[i] - 1] : 0);
    for (uint32_t k = loops->first[i]; k < loops->first[i + 1]; k++)
      loops->innermost[loops->blocks[k]] = i + 1;
  }
  for (uint32_t i = 0; i < count; i++) {
    loops->size[i]++;
    if (loops->outer[i])
      loops->size[loops->outer[i] - 1] += loops->size[i];
  }
  for (uint32_t i = count; i-- > 0;) {
    uint32_t *from = loops->outer[i] ? &free_number[loops->outer[i] - 1] : &next;
    loops->number[i] = *from;
    free_number[i] = *from + 1;
    *from += loops->size[i];
  }
}

bool
norn_report_loop_has(const NornReportLoops *loops, uint32_t loop, uint32_t block) {
  uint32_t inner = loops->innermost[block];
  return inner && loops->number[inner - 1] - loops->number[loop] < loops->size[loop];
}

bool
norn_report_leaves_at_header(const NornReportLoops *loops, uint32_t loop) {
  const NornReportBlock *header = &loops->program->blocks[loops->headers[loop]];
  unsigned outside = header->ends;
  for (unsigned k = 0; k < 2; k++) {
    if (header->successors[k] == loops->headers[loop])
      return false;
    outside += header->successors[k] != NORN_NO_BLOCK &&
               !norn_report_loop_has(loops, loop, header->successors[k]);
  }
  return outside != 0;
}

static void
collect_loops(NornReportLoops *loops, const bool *is_header) {
  const NornReportProgram *program = loops->program;
  uint32_t count = program->block_count;
  g_autofree uint32_t *mark = g_new(uint32_t, count + 1);
  memset(mark, 0xFF, (count + 1) * sizeof *mark);
  Collector collector = {.loops = loops,
                         .members = g_array_new(false, false, sizeof(uint32_t)),
                         .first = loops->first_before,
                         .before = loops->before,
                         .mark = mark};
  for (uint32_t i = program->order_count; i-- > 0 && collector.members->len < MAX_BLOCKS;)
    if (is_header[program->order[i]])
      collect_loop(&collector, program->order[i]);
  loops->is_simple = collector.members->len < MAX_BLOCKS;
  loops->header_count = loops->is_simple ? loops->header_count : 0;
  loops->first[loops->header_count] = collector.members->len;
  loops->blocks = (uint32_t *)(void *)g_array_free(collector.members, false);
}

void
norn_report_loops_init(NornReportLoops *loops, const NornReportProgram *program) {
  uint32_t count = program->block_count;
  g_autofree bool *is_header = g_new0(bool, count + 1);
  *loops = (NornReportLoops){.program = program};
  loops->is_simple = has_back_edges_only_to_dominators(program, is_header);
  loops->headers = g_new(uint32_t, count + 1);
  loops->first = g_new0(uint32_t, count + 1);
  loops->innermost = g_new0(uint32_t, count + 1);
  loops->outer = g_new0(uint32_t, count + 1);
  loops->depth = g_new0(uint32_t, count + 1);
  loops->number = g_new0(uint32_t, count + 1);
  loops->size = g_new0(uint32_t, count + 1);
  loops->first_before = g_new0(uint32_t, count + 1);
  loops->before = list_predecessors(program, loops->first_before);
  if (loops->is_simple)
    collect_loops(loops, is_header);
  if (loops->is_simple)
    find_nesting(loops);
}

void
norn_report_loops_clear(NornReportLoops *loops) {
  g_free(loops->headers);
  g_free(loops->first);
  g_free(loops->blocks);
  g_free(loops->innermost);
  g_free(loops->outer);
  g_free(loops->depth);
  g_free(loops->number);
  g_free(loops->size);
  g_free(loops->first_before);
  g_free(loops->before);
  *loops = (NornReportLoops){0};
}
