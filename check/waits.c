/* A check of slots and waits on finished code, independent of the pass that put them in.
 *
 * For each slot the registers that messages in flight may still write, and the memory that they may
 * still access; the state at the start of a block is the union over its predecessors, found by
 * iteration. The flow of an instruction takes effect after it.
 *
 * Memory is kept as footprints: of what counts from one base, the ranges of bytes that messages
 * read, and those that they write. When the base gets another value, its footprint may be anywhere.
 */
#include "check/waits.h"
#include "ir/analysis/dominance.h"
#include "ir/text/printer.h"
#include "passes/finish/machine_code.h"
#include <string.h>

/* Bytes from `start` up to `end`. */
typedef struct Range {
  int64_t start, end;
} Range;

/* Memory of some spaces that messages in flight access in one way. */
typedef struct MessageFootprint {
  uint8_t spaces;
  bool writes;
  NornRef base;   /* or NORN_BASE_UNKNOWN */
  GArray *ranges; /* Range, ascending, apart from each other */
} MessageFootprint;

typedef struct MessageState {
  NornRegisterSet writing[NORN_SLOTS];
  GArray *footprints[NORN_SLOTS]; /* MessageFootprint; NULL: none */
  uint8_t busy;                   /* slots with a message in flight */
} MessageState;

typedef struct WaitCheck {
  const NornPassContext *context;
  const NornFunction *function;
  MessageState *entry;
} WaitCheck;

/* --- footprints ----------------------------------------------------------------------------------
 */

/* The first range that ends at `start` or later. */
static unsigned
find_range(const GArray *ranges, int64_t start) {
  unsigned low = 0, high = ranges->len;
  while (low < high) {
    unsigned middle = (low + high) / 2;
    if (g_array_index(ranges, Range, middle).end < start)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Whether that changed anything. */
static bool
add_range(GArray *ranges, Range range) {
  unsigned first = find_range(ranges, range.start), last = first;
  while (last < ranges->len && g_array_index(ranges, Range, last).start <= range.end)
    last++;
  if (last - first == 1 && g_array_index(ranges, Range, first).start <= range.start &&
      g_array_index(ranges, Range, first).end >= range.end)
    return false;
  for (unsigned i = first; i < last; i++) {
    range.start = MIN(range.start, g_array_index(ranges, Range, i).start);
    range.end = MAX(range.end, g_array_index(ranges, Range, i).end);
  }
  if (last > first)
    g_array_remove_range(ranges, first, last - first);
  g_array_insert_val(ranges, first, range);
  return true;
}

static bool
touches(const GArray *ranges, const Range *range) {
  unsigned i = find_range(ranges, range->start + 1);
  return i < ranges->len && g_array_index(ranges, Range, i).start < range->end;
}

static void
clear_footprints(MessageState *state, unsigned slot) {
  GArray *footprints = state->footprints[slot];
  for (unsigned i = 0; footprints && i < footprints->len; i++)
    g_array_free(g_array_index(footprints, MessageFootprint, i).ranges, TRUE);
  if (footprints)
    g_array_free(footprints, TRUE);
  state->footprints[slot] = NULL;
}

/* The footprint of that kind, entered if it is new. */
static MessageFootprint *
footprint_like(MessageState *state, unsigned slot, const MessageFootprint *like, bool *changed) {
  if (!state->footprints[slot])
    state->footprints[slot] = g_array_new(FALSE, FALSE, sizeof(MessageFootprint));
  GArray *footprints = state->footprints[slot];
  for (unsigned i = 0; i < footprints->len; i++) {
    MessageFootprint *footprint = &g_array_index(footprints, MessageFootprint, i);
    if (footprint->spaces == like->spaces && footprint->writes == like->writes &&
        footprint->base == like->base)
      return footprint;
  }
  MessageFootprint fresh = *like;
  fresh.ranges = g_array_new(FALSE, FALSE, sizeof(Range));
  g_array_append_val(footprints, fresh);
  *changed = true;
  return &g_array_index(footprints, MessageFootprint, footprints->len - 1);
}

static bool
add_footprints(MessageState *into, const MessageState *from, unsigned slot) {
  const GArray *footprints = from->footprints[slot];
  bool changed = false;
  for (unsigned i = 0; footprints && i < footprints->len; i++) {
    const MessageFootprint *footprint = &g_array_index(footprints, MessageFootprint, i);
    MessageFootprint *own = footprint_like(into, slot, footprint, &changed);
    for (unsigned k = 0; k < footprint->ranges->len; k++)
      changed |= add_range(own->ranges, g_array_index(footprint->ranges, Range, k));
  }
  return changed;
}

static Range
range_of(const NornMemoryAccess *memory) {
  return (Range){(int64_t)memory->offset, (int64_t)memory->offset + memory->size};
}

static void
add_access(MessageState *state, unsigned slot, const NornMemoryAccess *memory) {
  MessageFootprint like = {memory->spaces, memory->writes,
                           memory->size ? memory->base : NORN_BASE_UNKNOWN, NULL};
  bool changed;
  MessageFootprint *footprint = footprint_like(state, slot, &like, &changed);
  if (like.base != NORN_BASE_UNKNOWN)
    add_range(footprint->ranges, range_of(memory));
}

/* Whether a message in flight may access what this one does, and one of them writes it. */
static bool
conflicts(const MessageState *state, unsigned slot, const NornMemoryAccess *memory) {
  const GArray *footprints = state->footprints[slot];
  uint8_t spaces = memory->spaces;
  if (!memory->writes)
    spaces &= (uint8_t)~NORN_FORWARDING_SPACE;
  for (unsigned i = 0; footprints && i < footprints->len; i++) {
    const MessageFootprint *footprint = &g_array_index(footprints, MessageFootprint, i);
    if (!(footprint->spaces & spaces) || !(footprint->writes || memory->writes))
      continue;
    if (footprint->base == NORN_BASE_UNKNOWN || footprint->base != memory->base || !memory->size)
      return true;
    Range range = range_of(memory);
    if (touches(footprint->ranges, &range))
      return true;
  }
  return false;
}

/* A value is defined: what counted from the old one may be anywhere. */
static void
forget_base(MessageState *state, uint32_t value) {
  for (unsigned slot = 0; slot < NORN_SLOTS; slot++)
    for (unsigned i = 0; state->footprints[slot] && i < state->footprints[slot]->len; i++) {
      MessageFootprint *footprint = &g_array_index(state->footprints[slot], MessageFootprint, i);
      if (footprint->base == norn_ref(NORN_REF_VALUE, value))
        footprint->base = NORN_BASE_UNKNOWN;
    }
}

/* --- instructions --------------------------------------------------------------------------------
 */

static bool
fail(const WaitCheck *check, const NornInst *inst, unsigned slot, GError **error) {
  return norn_inst_error(check->function, inst, NORN_ERROR_INVALID, error,
                         "an instruction comes before the wait for slot %u that it needs", slot);
}

/* Whether the instruction may run in this state. */
static bool
check_instruction(const WaitCheck *check, const MessageState *state, const NornInst *inst,
                  GError **error) {
  const NornPassContext *context = check->context;
  NornRegisterSet touched = norn_regs_union(norn_registers_read(check->function, inst),
                                            norn_registers_written(check->function, inst));
  NornMessage message = {0};
  uint8_t needed = 0;
  if (context->target->message(context->target, check->function, inst, &message))
    needed = message.waits_all ? 0xFF : message.wait_before;
  for (unsigned slot = 0; slot < NORN_SLOTS; slot++)
    if (norn_regs_overlap(state->writing[slot], touched) || (needed & state->busy) >> slot & 1 ||
        (norn_accesses_memory(&message) && conflicts(state, slot, &message.memory)))
      return fail(check, inst, slot, error);
  return true;
}

static void
run_instruction(const WaitCheck *check, MessageState *state, const NornInst *inst) {
  const NornPassContext *context = check->context;
  NornMessage message;
  if (context->target->message(context->target, check->function, inst, &message)) {
    unsigned slot = context->target->slot(context->target, inst) % NORN_SLOTS;
    norn_regs_add(&state->writing[slot], norn_registers_written(check->function, inst));
    state->busy |= (uint8_t)(1u << slot);
    if (norn_accesses_memory(&message))
      add_access(state, slot, &message.memory);
  }
  NornFlow flow = context->target->flow(context->target, inst);
  for (unsigned slot = 0; slot < NORN_SLOTS; slot++)
    if (flow.kind == NORN_FLOW_END || flow.wait >> slot & 1) {
      state->writing[slot] = NORN_NO_REGISTERS;
      clear_footprints(state, slot);
      state->busy &= (uint8_t) ~(1u << slot);
    }
}

/* Adds the state at the end of a block to its successors; whether that changed one. */
static bool
leave_block(const WaitCheck *check, uint32_t block, const MessageState *state) {
  bool changed = false;
  norn_for_each_edge (check->function, check->function->blocks[block].last, edge) {
    MessageState *next = &check->entry[edge.block];
    changed |= (next->busy | state->busy) != next->busy;
    next->busy |= state->busy;
    for (unsigned slot = 0; slot < NORN_SLOTS; slot++) {
      NornRegisterSet both = norn_regs_union(next->writing[slot], state->writing[slot]);
      changed |= !norn_regs_equal(both, next->writing[slot]);
      next->writing[slot] = both;
      changed |= add_footprints(next, state, slot);
    }
  }
  return changed;
}

/* The state at the start of a block, as one to be changed. */
static MessageState
enter_block(const WaitCheck *check, uint32_t block) {
  MessageState state = check->entry[block];
  memset(state.footprints, 0, sizeof state.footprints);
  for (unsigned slot = 0; slot < NORN_SLOTS; slot++)
    add_footprints(&state, &check->entry[block], slot);
  for (unsigned k = 0; k < check->function->blocks[block].parameter_count; k++)
    forget_base(&state, norn_block_parameter(check->function, block, k));
  return state;
}

/* Runs a block; checks it if `error` is wanted. *changed as leave_block says. */
static bool
run_block(const WaitCheck *check, uint32_t block, bool checking, bool *changed, GError **error) {
  MessageState state = enter_block(check, block);
  bool ok = true;
  norn_for_each_inst (check->function, block, index) {
    const NornInst *inst = &check->function->insts[index];
    if (norn_is_machine(inst))
      ok = ok && (!checking || check_instruction(check, &state, inst, error));
    for (unsigned k = 0; k < inst->result_count; k++)
      forget_base(&state, inst->result + k);
    if (norn_is_machine(inst))
      run_instruction(check, &state, inst);
  }
  *changed |= leave_block(check, block, &state);
  for (unsigned slot = 0; slot < NORN_SLOTS; slot++)
    clear_footprints(&state, slot);
  return ok;
}

bool
norn_check_waits(const NornPassContext *context, const NornFunction *function, GError **error) {
  WaitCheck check = {context, function, g_new0(MessageState, function->block_count)};
  NornArena arena = {0};
  NornDominance *dominance = norn_dominance_new(&arena, function);
  bool ok = true, changed = true;
  while (changed) {
    changed = false;
    for (uint32_t i = 0; i < dominance->order_count; i++)
      run_block(&check, dominance->order[i], false, &changed, NULL);
  }
  for (uint32_t i = 0; i < dominance->order_count && ok; i++)
    ok = run_block(&check, dominance->order[i], true, &changed, error);
  norn_arena_free(&arena);
  for (uint32_t block = 0; block < function->block_count; block++)
    for (unsigned slot = 0; slot < NORN_SLOTS; slot++)
      clear_footprints(&check.entry[block], slot);
  g_free(check.entry);
  return ok;
}
