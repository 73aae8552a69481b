/* The control flow of a function, drawn before its blocks are filled. See generator.h.
 *
 * A nest is the control flow of structured languages: loops with the test at the top or bottom,
 * branches, switches, short-circuit conditions, and jumps from any depth to the next iteration, to
 * after the loop or to the end. Forward edges form no cycle and every back edge counts an
 * iteration, so all lanes terminate.
 *
 * A tangle has edges from any block to any other: loops with several entries and several back
 * edges, nested without order. Its blocks burn fuel, and each has an exit. */
#include "fuzz/generator.h"

#define LOOPS 4 /* nested in each other */

static guint
add_block(FuzzGenerator *g) {
  FuzzBlock *self = &g->blocks[g->block_count];
  *self = (FuzzBlock){.values = g_array_new(FALSE, FALSE, sizeof(FuzzValue))};
  return g->block_count++;
}

static void
draw_parameters(FuzzGenerator *g, guint block, guint max) {
  FuzzBlock *self = &g->blocks[block];
  max *= g->burst && fuzz_pick(g, 2) ? 3 : 1;
  for (guint left = fuzz_pick(g, max + 1); left && self->parameter_count < FUZZ_PARAMETERS; left--)
    self->parameters[self->parameter_count++] = fuzz_pick_type(g);
  if (self->parameter_count + 2 > FUZZ_PARAMETERS || !max || fuzz_pick(g, 6))
    return;
  self->guards |= 1u << self->parameter_count;
  self->parameters[self->parameter_count++] = NORN_TYPE_I1;
  self->parameters[self->parameter_count++] = fuzz_pick_type(g);
}

static void
close_block(FuzzGenerator *g, guint block, NornOp terminator, FuzzTest test, guint first,
            guint second) {
  FuzzBlock *self = &g->blocks[block];
  self->terminator = terminator;
  self->test = test;
  self->targets[0] = first;
  self->targets[1] = second;
  self->target_count = terminator == NORN_OP_BR ? 2 : terminator == NORN_OP_JUMP;
}

static NornOp
end_op(const FuzzGenerator *g) {
  return g->function ? NORN_OP_RETURN : NORN_OP_END;
}

/* Ends a block permanently, possibly without the outputs, in which case it may do nothing else. */
static void
close_for_good(FuzzGenerator *g, guint block) {
  bool terminates = g->stage == NORN_STAGE_FRAGMENT && !g->function && fuzz_pick(g, 3);
  close_block(g, block, terminates ? NORN_OP_TERMINATE : end_op(g), FUZZ_TEST_ANY, 0, 0);
  g->blocks[block].is_empty = terminates && fuzz_pick(g, 3);
}

/* Finds the dominators of each block. */
static void
find_dominators(FuzzGenerator *g) {
  for (guint i = 0; i < g->block_count; i++)
    g->blocks[i].dominators = i ? UINT64_MAX : 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (guint i = 0; i < g->block_count; i++)
      for (guint k = 0; k < g->blocks[i].target_count; k++) {
        FuzzBlock *target = &g->blocks[g->blocks[i].targets[k]];
        guint64 own = UINT64_C(1) << g->blocks[i].targets[k];
        guint64 dominators = (target->dominators & g->blocks[i].dominators) | own;
        changed |= dominators != target->dominators;
        target->dominators = dominators;
      }
  }
}

/* --- Nests --- */

typedef struct Nest {
  FuzzGenerator *g;
  guint size; /* the approximate number of blocks that there may be */
  guint loop_count, headers[LOOPS], exits[LOOPS];
  guint first_loop; /* the outermost loop that may be left or continued from here */
  bool is_uniform;  /* all invocations that have not ended are here together */
  bool has_ended;   /* some may have ended before */
} Nest;

static guint draw_region(Nest *nest, guint open, guint depth);

/* A block where lanes reconverge; reconverge() records later, when the blocks in between have
 * been drawn, whether all of them do. */
static guint
join_block(Nest *nest, guint parameters) {
  guint block = add_block(nest->g);
  draw_parameters(nest->g, block, parameters);
  return block;
}

static void
reconverge(Nest *nest, guint block) {
  nest->g->blocks[block].is_uniform = nest->is_uniform && !nest->has_ended;
}

/* A block on the path that only some lanes take. */
static guint
side_block(Nest *nest) {
  guint block = add_block(nest->g);
  draw_parameters(nest->g, block, fuzz_pick(nest->g, 4) ? 0 : 2);
  return block;
}

/* Ends a block with a jump to a loop's next iteration; if the loop tests at the bottom, the
 * block may leave it instead. */
static void
close_iteration(Nest *nest, guint block, guint loop) {
  FuzzGenerator *g = nest->g;
  guint header = nest->headers[loop];
  if (!g->blocks[header].tests_next) {
    close_block(g, block, NORN_OP_JUMP, FUZZ_TEST_ANY, header, 0);
    return;
  }
  close_block(g, block, NORN_OP_BR, FUZZ_TEST_COUNT, header, nest->exits[loop]);
  g->blocks[block].loop = header;
  g->blocks[block].tests_next = true;
}

/* Some lanes escape: to the next iteration of a loop, to after the loop, or to the end. */
static guint
draw_escape(Nest *nest, guint open) {
  FuzzGenerator *g = nest->g;
  guint loops = nest->loop_count - nest->first_loop, kind = fuzz_pick(g, 2 * loops + 1);
  guint loop = nest->first_loop + kind / 2;
  if (kind == 2 * loops && (nest->first_loop || fuzz_pick(g, 3)))
    return open;
  guint away = side_block(nest), rest = side_block(nest);
  bool first = fuzz_pick(g, 2);
  close_block(g, open, NORN_OP_BR, FUZZ_TEST_ANY, first ? away : rest, first ? rest : away);
  if (kind == 2 * loops) {
    close_for_good(g, away);
    nest->has_ended |= !g->function;
  } else if (kind % 2) {
    close_iteration(nest, away, loop);
  } else {
    close_block(g, away, NORN_OP_JUMP, FUZZ_TEST_ANY, nest->exits[loop], 0);
  }
  if (g->blocks[away].terminator == NORN_OP_JUMP)
    g->blocks[away].is_empty = fuzz_pick(g, 2);
  return rest;
}

/* A branch that no lane takes, to a block that no lane may reach. */
static guint
draw_impossible(Nest *nest, guint open) {
  FuzzGenerator *g = nest->g;
  guint away = side_block(nest), rest = side_block(nest);
  close_block(g, open, NORN_OP_BR, FUZZ_TEST_NEVER, away, rest);
  close_block(g, away, NORN_OP_UNREACHABLE, FUZZ_TEST_ANY, 0, 0);
  g->blocks[away].is_empty = fuzz_pick(g, 2);
  return rest;
}

/* The body of a branch, without barriers. */
static void
draw_side(Nest *nest, guint block, guint join, guint depth) {
  bool was_uniform = nest->is_uniform;
  FuzzGenerator *g = nest->g;
  nest->is_uniform = false;
  guint end = block;
  if (fuzz_pick(g, 3) == 0)
    g->blocks[block].is_empty = true;
  else
    end = draw_region(nest, block, depth + 1);
  close_block(g, end, NORN_OP_JUMP, FUZZ_TEST_ANY, join, 0);
  nest->is_uniform = was_uniform;
}

/* One or both sides, reached by one condition or a chain of them. */
static guint
draw_branch(Nest *nest, guint open, guint depth) {
  FuzzGenerator *g = nest->g;
  guint then = side_block(nest), other = fuzz_pick(g, 3) ? side_block(nest) : 0;
  guint join = join_block(nest, 3), test = open;
  for (guint chain = fuzz_pick(g, 3) ? 0 : 1 + fuzz_pick(g, 3); chain; chain--) {
    guint next = add_block(g);
    bool is_and = fuzz_pick(g, 2);
    close_block(g, test, NORN_OP_BR, FUZZ_TEST_ANY, is_and ? next : then,
                is_and ? other ? other : join : next);
    test = next;
  }
  close_block(g, test, NORN_OP_BR, FUZZ_TEST_ANY, then, other ? other : join);
  draw_side(nest, then, join, depth);
  if (other)
    draw_side(nest, other, join, depth);
  reconverge(nest, join);
  return join;
}

static guint
draw_switch(Nest *nest, guint open, guint depth) {
  FuzzGenerator *g = nest->g;
  guint count = 2 + fuzz_pick(g, FUZZ_TARGETS - 1), join = join_block(nest, 3);
  close_block(g, open, NORN_OP_SWITCH, FUZZ_TEST_ANY, 0, 0);
  g->blocks[open].target_count = count;
  for (guint k = 0; k < count; k++) {
    if (k && fuzz_pick(g, 5) == 0) {
      g->blocks[open].targets[k] = g->blocks[open].targets[fuzz_pick(g, k)];
      continue;
    }
    guint side = g->blocks[open].targets[k] = fuzz_pick(g, 6) ? side_block(nest) : join;
    if (side != join)
      draw_side(nest, side, join, depth);
  }
  reconverge(nest, join);
  return join;
}

/* The end of a loop's body: a jump back, or several from blocks that do nothing else. */
static void
draw_latches(Nest *nest, guint end, guint loop) {
  FuzzGenerator *g = nest->g;
  if (fuzz_pick(g, 3)) {
    close_iteration(nest, end, loop);
    return;
  }
  guint latches[2] = {side_block(nest), side_block(nest)};
  close_block(g, end, NORN_OP_BR, FUZZ_TEST_ANY, latches[0], latches[1]);
  for (guint k = 0; k < 2; k++) {
    close_iteration(nest, latches[k], loop);
    g->blocks[latches[k]].is_empty = fuzz_pick(g, 4) != 0;
  }
}

/* A loop in which the number of iterations differs by lane, or is the same for all lanes; in
 * that case, nothing inside leaves it. */
static guint
draw_loop(Nest *nest, guint open, guint depth) {
  FuzzGenerator *g = nest->g;
  guint header = add_block(g), loop = nest->loop_count++, outer = nest->first_loop;
  bool is_alike = nest->is_uniform && !nest->has_ended && fuzz_pick(g, 2);
  bool was_uniform = nest->is_uniform;
  g->blocks[header].parameters[g->blocks[header].parameter_count++] = NORN_TYPE_I32;
  draw_parameters(g, header, 4);
  g->blocks[header].is_header = true;
  g->blocks[header].tests_next = fuzz_pick(g, 2);
  g->blocks[header].is_quiet = fuzz_pick(g, 3) == 0;
  guint exit = join_block(nest, 2);
  nest->is_uniform = is_alike;
  g->blocks[header].is_uniform = is_alike;
  nest->headers[loop] = header;
  nest->exits[loop] = exit;
  if (is_alike)
    nest->first_loop = nest->loop_count;
  close_block(g, open, NORN_OP_JUMP, FUZZ_TEST_ANY, header, 0);
  guint body = header;
  if (!g->blocks[header].tests_next) {
    body = add_block(g);
    g->blocks[body].is_uniform = is_alike;
    g->blocks[body].is_empty = fuzz_pick(g, 4) == 0;
    close_block(g, header, NORN_OP_BR, FUZZ_TEST_COUNT, body, exit);
    g->blocks[header].loop = header;
  }
  guint end = draw_region(nest, body, depth + 1);
  if (is_alike)
    close_iteration(nest, end, loop);
  else
    draw_latches(nest, end, loop);
  nest->loop_count--;
  nest->first_loop = outer;
  nest->is_uniform = was_uniform;
  reconverge(nest, exit);
  return exit;
}

/* Draws the region that starts in `open`; returns the block where it ends. */
static guint
draw_region(Nest *nest, guint open, guint depth) {
  FuzzGenerator *g = nest->g;
  for (guint left = 1 + fuzz_pick(g, depth ? 3 : 6); left; left--) {
    if (g->block_count + 12 > nest->size || depth > 5)
      return open;
    guint kind = fuzz_pick(g, 12);
    if (kind < 4 && nest->loop_count < LOOPS - 1 && nest->loop_count < 3)
      open = draw_loop(nest, open, depth);
    else if (kind < 8)
      open = draw_branch(nest, open, depth);
    else if (kind < 9)
      open = draw_switch(nest, open, depth);
    else if (kind < 11)
      open = draw_escape(nest, open);
    else if (fuzz_pick(g, 2))
      open = draw_impossible(nest, open);
  }
  return open;
}

void
fuzz_draw_nest(FuzzGenerator *g, guint size) {
  Nest nest = {.g = g, .size = MIN(size, FUZZ_BLOCKS - 12) + 12, .is_uniform = !g->function};
  g->block_count = 0;
  guint entry = add_block(g);
  g->blocks[entry].is_uniform = nest.is_uniform;
  guint end = size ? draw_region(&nest, entry, 0) : entry;
  close_block(g, end, end_op(g), FUZZ_TEST_ANY, 0, 0);
  find_dominators(g);
}

/* --- Tangles --- */

/* Computes the distance of each block from an end, FUZZ_BLOCKS if it cannot reach one; sets the
 * exits. */
static void
measure(FuzzGenerator *g, guint *distance) {
  for (guint i = 0; i < g->block_count; i++)
    distance[i] = g->blocks[i].target_count ? FUZZ_BLOCKS : 0;
  for (guint round = 0; round < g->block_count; round++)
    for (guint i = 0; i < g->block_count; i++) {
      FuzzBlock *self = &g->blocks[i];
      for (guint k = 0; k < self->target_count; k++)
        if (distance[self->targets[k]] + 1 < distance[i]) {
          distance[i] = distance[self->targets[k]] + 1;
          self->exit = k;
        }
    }
}

/* Makes an end reachable from every block, and through the first target of each switch. */
static void
open_exits(FuzzGenerator *g) {
  guint distance[FUZZ_BLOCKS], last = g->block_count - 1;
  measure(g, distance);
  for (guint i = g->block_count; i-- > 0;) {
    FuzzBlock *self = &g->blocks[i];
    if (distance[i] < FUZZ_BLOCKS || self->test == FUZZ_TEST_FULL || (i && self->is_uniform))
      continue;
    self->targets[0] = last;
    measure(g, distance);
  }
  for (guint i = 0; i < g->block_count; i++) {
    FuzzBlock *self = &g->blocks[i];
    if (self->terminator != NORN_OP_SWITCH)
      continue;
    guint target = self->targets[self->exit];
    self->targets[self->exit] = self->targets[0];
    self->targets[0] = target;
    self->exit = 0;
  }
}

/* A block that tests whether all lanes are there, one with a barrier for that case, and the next
 * one. */
static void
draw_reconvergence(FuzzGenerator *g) {
  guint at = 1 + fuzz_pick(g, g->block_count - 3);
  for (guint i = 0; i < g->block_count; i++)
    for (guint k = 0; k < g->blocks[i].target_count; k++)
      g->blocks[i].targets[k] += g->blocks[i].targets[k] == at + 1;
  close_block(g, at, NORN_OP_BR, FUZZ_TEST_FULL, at + 1, at + 2);
  close_block(g, at + 1, NORN_OP_JUMP, FUZZ_TEST_ANY, at + 2, 0);
  g->blocks[at].is_empty = g->blocks[at + 1].is_empty = false;
  g->blocks[at].is_quiet = g->blocks[at + 1].is_quiet = false;
  g->blocks[at + 1].is_uniform = true;
}

static void
draw_tangle_block(FuzzGenerator *g, guint block) {
  guint last = g->block_count - 1, shape = fuzz_pick(g, 20);
  FuzzBlock *self = &g->blocks[block];
  self->is_empty = block && block < last && fuzz_pick(g, 3) == 0;
  if (block && g->keeping == FUZZ_STATE_PARAMETERS)
    while (self->parameter_count < 2)
      self->parameters[self->parameter_count++] = NORN_TYPE_I32;
  if (block && fuzz_pick(g, self->is_empty ? 6 : 2) == 0)
    draw_parameters(g, block, 3);
  bool ends = block == last || (shape == 19 && block && !self->is_empty);
  bool terminates = ends && block < last && g->stage == NORN_STAGE_FRAGMENT && !g->function;
  self->terminator = terminates                    ? NORN_OP_TERMINATE
                     : ends                        ? end_op(g)
                     : self->is_empty || shape < 3 ? NORN_OP_JUMP
                     : shape < 17                  ? NORN_OP_BR
                                                   : NORN_OP_SWITCH;
  self->test = self->terminator == NORN_OP_JUMP || ends ? FUZZ_TEST_ANY : FUZZ_TEST_FUEL;
  self->target_count = ends                                 ? 0
                       : self->terminator == NORN_OP_JUMP   ? 1
                       : self->terminator == NORN_OP_SWITCH ? 2 + fuzz_pick(g, FUZZ_TARGETS - 1)
                                                            : 2;
  self->is_quiet = block && g->keeping == FUZZ_STATE_PARAMETERS && self->terminator == NORN_OP_BR &&
                   fuzz_pick(g, 3) == 0;
  for (guint k = 0; k < self->target_count; k++)
    self->targets[k] = fuzz_pick(g, 5) < 3 ? block + 1 + fuzz_pick(g, MIN(3, last - block))
                                           : 1 + fuzz_pick(g, last);
}

void
fuzz_draw_tangle(FuzzGenerator *g, guint size) {
  guint count = CLAMP(size, 4, FUZZ_BLOCKS - 1);
  g->block_count = 0;
  for (guint i = 0; i < count; i++)
    add_block(g);
  for (guint i = 0; i < count; i++)
    draw_tangle_block(g, i);
  if (fuzz_pick(g, 2) && g->stage == NORN_STAGE_COMPUTE && g->lanes <= NORN_SUBGROUP_LANES)
    draw_reconvergence(g);
  g->blocks[0].is_uniform = !g->function;
  open_exits(g);
  find_dominators(g);
}
