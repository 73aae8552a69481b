/* Inserts waits where an instruction needs the result or the memory access of a message in flight,
 * and nowhere else.
 *
 * A forward walk tracks, for each slot, the registers that messages in flight will write and the
 * memory they access. An instruction that touches such a register, or accesses memory that
 * conflicts with theirs (ir/analysis/alias.h), needs a wait for the slot before it; so does a
 * fence. The wait is attached to the flow of the previous instruction, which may be the last one of
 * each predecessor. If that is not possible, it is attached to a later arithmetic instruction that
 * can be moved up, or else to a NOP. Where lanes reconverge, which uses the flow of the last
 * instruction of each predecessor, arithmetic is tried first.
 *
 * The states at the starts of blocks are unions over the predecessors and grow until they reach a
 * fixed point. Then the waits are inserted. Waits before a branch for what only one of its paths
 * needs come first, and the states are recomputed after them. A wait for messages that only other
 * programs have in flight, such as those of pixels below this one, is merged with a nearby wait.
 * Reads of staging registers need no wait: issue stalls until they are complete. */
#include "ir/analysis/dominance.h"
#include "passes/machine_code.h"
#include "passes/pass.h"

/* The maximum number of accesses of a slot that are tracked separately within a block, and from one
 * block to the next. */
#define MAX_ACCESSES 32
#define MAX_ACCESSES_BETWEEN_BLOCKS 8
/* A wait for other programs may move up by at most this many instructions to an existing wait. */
#define MAX_EARLIER 16
/* The maximum distance of a later instruction that is moved up to carry a wait instead of a NOP. */
#define MAX_LATER 16

typedef struct SlotState {
  NornRegisterSet writing;
  bool busy;
  NornAccessSet accesses; /* to memory */
} SlotState;

typedef struct WaitState {
  bool reached;
  uint8_t other; /* slots in flight that are not tracked: bit per slot */
  SlotState slots[NORN_MAX_FREE_SLOTS];
} WaitState;

typedef struct Waits {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  WaitState *entry;   /* by block */
  uint8_t *busy_exit; /* by block: slots in flight at its end */
  bool *is_open;      /* by block: its state has changed since it was last visited */
  bool has_divergence;
  WaitState now;
  enum { LOOKING, RAISING, INSERTING } step; /* RAISING: only waits before branches are inserted */
  bool has_raised;
} Waits;

/* --- States --- */

static void
state_init(NornArena *arena, WaitState *state, unsigned max_accesses) {
  for (unsigned s = 0; s < NORN_MAX_FREE_SLOTS; s++)
    norn_access_set_init(&state->slots[s].accesses, arena, max_accesses);
}

static void
state_copy(WaitState *to, const WaitState *from) {
  to->reached = from->reached;
  to->other = from->other;
  for (unsigned s = 0; s < NORN_MAX_FREE_SLOTS; s++) {
    to->slots[s].writing = from->slots[s].writing;
    to->slots[s].busy = from->slots[s].busy;
    norn_access_set_copy(&to->slots[s].accesses, &from->slots[s].accesses);
  }
}

static uint8_t
busy_slots(const WaitState *state) {
  uint8_t busy = state->other;
  for (unsigned s = 0; s < NORN_MAX_FREE_SLOTS; s++)
    busy |= (uint8_t)(state->slots[s].busy << s);
  return busy;
}

static bool
merge(WaitState *into, const WaitState *from) {
  if (!into->reached) {
    state_copy(into, from);
    return into->reached = true;
  }
  bool changed = (into->other | from->other) != into->other;
  into->other |= from->other;
  for (unsigned s = 0; s < NORN_MAX_FREE_SLOTS; s++) {
    SlotState *slot = &into->slots[s];
    const SlotState *other = &from->slots[s];
    NornRegisterSet writing = norn_regs_union(slot->writing, other->writing);
    changed |= !norn_regs_equal(writing, slot->writing) || slot->busy < other->busy;
    slot->writing = writing;
    slot->busy |= other->busy;
    changed |= norn_access_set_merge(&slot->accesses, &other->accesses);
  }
  return changed;
}

static void
clear_slots(WaitState *state, uint8_t wait) {
  state->other &= (uint8_t)~wait;
  for (unsigned s = 0; s < NORN_MAX_FREE_SLOTS; s++)
    if (wait >> s & 1) {
      state->slots[s].writing = NORN_NO_REGISTERS;
      state->slots[s].busy = false;
      norn_access_set_clear(&state->slots[s].accesses);
    }
}

/* --- What an instruction needs --- */

/* Whether the access must wait for one of those in flight. */
static bool
must_wait(const Waits *waits, const NornAccessSet *in_flight, const NornMemoryAccess *access) {
  NornMemoryAccess own = *access;
  unsigned end = in_flight->count;
  if (!own.writes)
    own.spaces &= (uint8_t)~waits->context->target->forwarding_spaces;
  return norn_access_set_conflict(in_flight, &own, &end);
}

/* The slots to wait for before the instruction. */
static uint8_t
needed(const Waits *waits, const NornInst *inst, const NornMessage *message) {
  const NornFunction *function = waits->function;
  uint8_t need = message ? message->wait_before : 0, busy = busy_slots(&waits->now);
  if (message && message->waits_all)
    return need | busy;
  busy &= (uint8_t)~waits->now.other;
  if (!busy)
    return need;
  NornRegisterSet touched =
      norn_regs_union(norn_registers_read(function, inst), norn_registers_written(function, inst));
  bool accesses = message && norn_accesses_memory(message);
  for (unsigned s = 0; s < NORN_MAX_FREE_SLOTS; s++) {
    const SlotState *slot = &waits->now.slots[s];
    bool wait = slot->busy && (norn_regs_overlap(slot->writing, touched) ||
                               (accesses && must_wait(waits, &slot->accesses, &message->memory)));
    need |= (uint8_t)(wait << s);
  }
  return need;
}

/* Records that the message is in flight from here on. */
static void
issue(Waits *waits, const NornInst *inst, const NornMessage *message) {
  const NornFunction *function = waits->function;
  unsigned number = waits->context->target->slot(waits->context->target, inst);
  if (number >= waits->context->target->free_slots) {
    waits->now.other |= (uint8_t)(1u << number);
    return;
  }
  SlotState *slot = &waits->now.slots[number];
  slot->busy = true;
  norn_regs_add(&slot->writing, norn_registers_written(function, inst));
  if (norn_accesses_memory(message))
    norn_access_set_include(&slot->accesses, &message->memory);
}

/* The value is redefined: addresses computed from its old content are unknown from here on. */
static void
forget_address(Waits *waits, uint32_t value) {
  for (unsigned s = 0; s < NORN_MAX_FREE_SLOTS; s++)
    if (waits->now.slots[s].busy)
      norn_access_set_forget_base(&waits->now.slots[s].accesses, norn_ref(NORN_REF_VALUE, value));
}

/* The slots that a predecessor of a block that needs `need` must wait for at its end. */
static uint8_t
wait_at_end(const Waits *waits, uint32_t block, const NornMessage *message, uint8_t need) {
  return need & (waits->busy_exit[block] | (message ? message->wait_before : 0));
}

static bool
has_code(const NornFunction *function, uint32_t block) {
  uint32_t last = norn_block(function, block)->last;
  return norn_is_machine(norn_inst(function, last)) ||
         norn_previous_code(function, last) != NORN_INDEX_NONE;
}

/* Whether the predecessors of the block can wait for what it needs: each has no other successor and
 * has an instruction to carry the wait. At the entry of a loop, a NOP before the loop is better
 * than one in each iteration. */
static bool
can_wait_in_predecessors(const Waits *waits, uint32_t block, const NornMessage *message,
                         uint8_t need) {
  const NornDominance *dominance = waits->dominance;
  unsigned count = norn_predecessor_count(dominance, block);
  bool is_header = dominance->loop_header[block] == block;
  for (unsigned k = 0; k < count; k++) {
    uint32_t predecessor = norn_predecessor(dominance, block, k);
    if (norn_successor_count(dominance, predecessor) > 1 ||
        (!is_header && wait_at_end(waits, predecessor, message, need) &&
         !has_code(waits->function, predecessor)))
      return false;
  }
  return count > 0;
}

/* Whether the instruction can be moved up past the registers `read` and `changed` by the
 * instructions between. Nothing that it has to wait for is in flight there. */
static bool
may_come_before(const Waits *waits, const NornInst *inst, NornRegisterSet read,
                NornRegisterSet changed) {
  const NornFunction *function = waits->function;
  const NornTarget *target = waits->context->target;
  NornRegisterSet written = norn_registers_written(function, inst);
  return norn_is_machine(inst) && !norn_is_terminator(function, inst) &&
         norn_target_is_arithmetic(target, function, inst) &&
         target->flow(target, inst).kind == NORN_FLOW_NONE &&
         !norn_regs_overlap(written, norn_regs_union(read, changed)) &&
         !norn_regs_overlap(norn_registers_read(function, inst), changed) &&
         !needed(waits, inst, NULL);
}

/* An instruction after `inst` that can be moved before it to carry a wait, or NORN_INDEX_NONE if
 * there is none nearby. The instructions between do not move. */
static uint32_t
find_later(const Waits *waits, uint32_t inst) {
  const NornFunction *function = waits->function;
  NornRegisterSet read = NORN_NO_REGISTERS, changed = NORN_NO_REGISTERS;
  for (unsigned k = 0; k < MAX_LATER && inst != NORN_INDEX_NONE; k++) {
    const NornInst *self = norn_inst(function, inst);
    if (k && may_come_before(waits, self, read, changed))
      return inst;
    norn_regs_add(&read, norn_registers_read(function, self));
    norn_regs_add(&changed, norn_registers_changed(waits->context->target, function, self));
    inst = self->next;
  }
  return NORN_INDEX_NONE;
}

/* Moves an instruction that follows `inst` before it and attaches the wait to it. Returns whether
 * there is one. */
static bool
wait_on_later(Waits *waits, uint32_t inst, NornFlow flow) {
  NornFunction *function = waits->function;
  uint32_t later = find_later(waits, inst);
  if (later == NORN_INDEX_NONE)
    return false;
  NornBuilder builder = norn_builder_before(function, inst);
  norn_builder_insert(&builder, later);
  norn_attach_flow(waits->context->target, function, later, flow);
  for (unsigned k = 0; k < norn_inst(function, later)->result_count; k++)
    forget_address(waits, norn_inst(function, later)->result + k);
  return true;
}

/* Whether lanes may reconverge at the start of the block: the last instructions before it carry
 * that, so a wait there would need a NOP. */
static bool
is_join(const Waits *waits, uint32_t block) {
  const NornDominance *dominance = waits->dominance;
  return waits->has_divergence && norn_predecessor_count(dominance, block) > 1 &&
         dominance->loop_header[block] != block;
}

static void
attach_wait(Waits *waits, uint32_t block, uint32_t inst, uint8_t need) {
  NornFlow flow = {NORN_FLOW_WAIT, need};
  uint32_t previous = norn_previous_code(waits->function, inst);
  if (previous != NORN_INDEX_NONE)
    norn_attach_flow(waits->context->target, waits->function, previous, flow);
  else if (!wait_on_later(waits, inst, flow))
    norn_insert_flow(waits->context->target, waits->function, block, inst, flow);
}

/* Merges a fence's wait into the instruction before it, or into a later one that is moved up.
 * Returns whether that is possible. */
static bool
merge_fence(Waits *waits, uint32_t fence) {
  NornFunction *function = waits->function;
  const NornTarget *target = waits->context->target;
  NornFlow flow = target->flow(target, norn_inst(function, fence));
  uint32_t previous = norn_previous_code(function, fence);
  NornFlowKind kind = previous == NORN_INDEX_NONE
                          ? NORN_FLOW_END
                          : target->flow(target, norn_inst(function, previous)).kind;
  if (kind == NORN_FLOW_NONE || kind == NORN_FLOW_WAIT)
    norn_attach_flow(waits->context->target, function, previous, flow);
  else if (!wait_on_later(waits, fence, flow))
    return false;
  clear_slots(&waits->now, flow.wait);
  return true;
}

/* If only a branch leads to the block, the instruction before the branch, if it can carry the
 * block's wait even though the other path may not need it; else NORN_INDEX_NONE. */
static uint32_t
before_branch(const Waits *waits, uint32_t block) {
  const NornFunction *function = waits->function;
  const NornTarget *target = waits->context->target;
  const NornDominance *dominance = waits->dominance;
  if (norn_predecessor_count(dominance, block) != 1)
    return NORN_INDEX_NONE;
  uint32_t home = norn_predecessor(dominance, block, 0);
  uint32_t index = norn_previous_code(function, norn_block(function, home)->last);
  /* If the branch is alone in its block, look in the block before it. */
  if (index == NORN_INDEX_NONE && norn_predecessor_count(dominance, home) == 1 &&
      norn_successor_count(dominance, norn_predecessor(dominance, home, 0)) == 1) {
    home = norn_predecessor(dominance, home, 0);
    index = norn_previous_code(function, norn_block(function, home)->last);
  }
  if (index == NORN_INDEX_NONE || dominance->loop_depth[home] > dominance->loop_depth[block] ||
      target->message(target, function, norn_inst(function, index), NULL))
    return NORN_INDEX_NONE;
  NornFlowKind kind = target->flow(target, norn_inst(function, index)).kind;
  return kind == NORN_FLOW_NONE || kind == NORN_FLOW_WAIT ? index : NORN_INDEX_NONE;
}

/* Waits for what the first instruction of a block needs at the end of those predecessors that have
 * it in flight: that usually costs no NOP, and none in each iteration of a loop. If one predecessor
 * needs a slot, all must wait for it, since the block then relies on it. */
static void
wait_in_predecessors(Waits *waits, uint32_t block, const NornMessage *message, uint8_t need) {
  for (unsigned k = 0; k < norn_predecessor_count(waits->dominance, block); k++) {
    uint32_t predecessor = norn_predecessor(waits->dominance, block, k);
    uint8_t wait = wait_at_end(waits, predecessor, message, need);
    uint32_t carrier = wait && !has_code(waits->function, predecessor)
                           ? before_branch(waits, predecessor)
                           : NORN_INDEX_NONE;
    if (carrier != NORN_INDEX_NONE)
      norn_attach_flow(waits->context->target, waits->function, carrier,
                       (NornFlow){NORN_FLOW_WAIT, wait});
    else if (wait)
      attach_wait(waits, predecessor, norn_block(waits->function, predecessor)->last, wait);
  }
}

/* The last instruction before this one that already waits and may also wait for `need`: nothing of
 * this program is in flight in those slots, and messages of others there usually complete just as
 * soon. NORN_INDEX_NONE: there is none nearby. */
static uint32_t
find_wait(const Waits *waits, uint32_t inst, uint8_t need) {
  if (need & busy_slots(&waits->now))
    return NORN_INDEX_NONE;
  for (unsigned k = 0; k < MAX_EARLIER; k++) {
    inst = norn_previous_code(waits->function, inst);
    if (inst == NORN_INDEX_NONE)
      return inst;
    NornFlow flow =
        waits->context->target->flow(waits->context->target, norn_inst(waits->function, inst));
    if (flow.kind == NORN_FLOW_WAIT)
      return inst;
  }
  return NORN_INDEX_NONE;
}

/* The first machine instruction of a block, or NORN_INDEX_NONE. */
static uint32_t
first_code(const NornFunction *function, uint32_t block) {
  uint32_t inst = norn_block(function, block)->first;
  while (inst != NORN_INDEX_NONE && !norn_is_machine(norn_inst(function, inst)))
    inst = norn_inst(function, inst)->next;
  return inst;
}

/* Whether the block is one of two successors of a branch that have no other predecessors. *other:
 * the other successor. */
static bool
is_path_of_two(const Waits *waits, uint32_t block, uint32_t *other) {
  const NornDominance *dominance = waits->dominance;
  if (norn_predecessor_count(dominance, block) != 1)
    return false;
  uint32_t home = norn_predecessor(dominance, block, 0);
  if (norn_successor_count(dominance, home) != 2)
    return false;
  *other = norn_successor(dominance, home, norn_successor(dominance, home, 0) == block);
  return norn_predecessor_count(dominance, *other) == 1;
}

/* The slots that both the block, where the walk is, and the other successor of the branch before it
 * must wait for right at their start. */
static uint8_t
needed_on_both_paths(const Waits *waits, uint32_t block, uint8_t need) {
  const NornFunction *function = waits->function;
  const NornTarget *target = waits->context->target;
  uint32_t other;
  if (!is_path_of_two(waits, block, &other))
    return 0;
  uint32_t first = first_code(function, other);
  if (first == NORN_INDEX_NONE)
    return 0;
  NornMessage message;
  const NornInst *inst = norn_inst(function, first);
  bool is_message = target->message(target, function, inst, &message);
  return need & needed(waits, inst, is_message ? &message : NULL) & busy_slots(&waits->now);
}

/* The waits at the start of a block that may be moved before the branch that leads to it: all of
 * them if the block begins with a store, which would otherwise wait on a NOP; else those that both
 * paths need. */
static uint8_t
needed_before_branch(const Waits *waits, uint32_t block, const NornMessage *message, uint8_t need) {
  return message && message->memory.writes && need & busy_slots(&waits->now)
             ? need
             : needed_on_both_paths(waits, block, need);
}

static void
wait_before(Waits *waits, uint32_t inst, const NornMessage *message, uint8_t need) {
  uint32_t block = norn_inst(waits->function, inst)->block;
  bool is_first = norn_previous_code(waits->function, inst) == NORN_INDEX_NONE;
  uint8_t early = is_first ? needed_before_branch(waits, block, message, need) : 0;
  bool may_be_early = early == need || (early && waits->step == RAISING);
  uint32_t carrier = may_be_early ? before_branch(waits, block) : NORN_INDEX_NONE;
  waits->has_raised |= carrier != NORN_INDEX_NONE;
  if (carrier == NORN_INDEX_NONE && waits->step == INSERTING)
    carrier = find_wait(waits, inst, early = need);
  if (carrier != NORN_INDEX_NONE)
    norn_attach_flow(waits->context->target, waits->function, carrier,
                     (NornFlow){NORN_FLOW_WAIT, early});
  if (carrier != NORN_INDEX_NONE || waits->step == RAISING)
    return;
  if (is_first && is_join(waits, block) &&
      wait_on_later(waits, inst, (NornFlow){NORN_FLOW_WAIT, need}))
    return;
  if (is_first && can_wait_in_predecessors(waits, block, message, need))
    wait_in_predecessors(waits, block, message, need);
  else
    attach_wait(waits, block, inst, need);
}

/* Whether the instruction is a fence of the program: it does nothing but wait. */
static bool
is_fence(const Waits *waits, const NornInst *inst) {
  const NornTarget *target = waits->context->target;
  return norn_is_machine(inst) && !inst->result_count && !inst->operand_count &&
         !norn_is_terminator(waits->function, inst) &&
         target->flow(target, inst).kind == NORN_FLOW_WAIT &&
         !target->message(target, waits->function, inst, NULL);
}

static void
pass_instruction(Waits *waits, uint32_t index) {
  NornFunction *function = waits->function;
  const NornPassContext *context = waits->context;
  NornMessage description, *message = NULL;
  if (norn_is_machine(norn_inst(function, index))) {
    if (context->target->message(context->target, function, norn_inst(function, index),
                                 &description))
      message = &description;
    uint8_t need = needed(waits, norn_inst(function, index), message);
    if (need && waits->step != LOOKING)
      wait_before(waits, index, message, need);
    clear_slots(&waits->now, need);
  }
  const NornInst *inst = norn_inst(function, index);
  for (unsigned k = 0; k < inst->result_count; k++)
    forget_address(waits, inst->result + k);
  if (!norn_is_machine(inst))
    return;
  if (!message) { /* a fence waits by itself */
    clear_slots(&waits->now, context->target->flow(context->target, inst).wait);
    return;
  }
  issue(waits, inst, message);
  uint8_t wait = message->wait_after;
  if (context->options->chaos & NORN_CHAOS_WAIT)
    wait |= (uint8_t)(1u << context->target->slot(context->target, inst));
  if (wait && waits->step == INSERTING)
    norn_attach_flow(context->target, function, index, (NornFlow){NORN_FLOW_WAIT, wait});
  clear_slots(&waits->now, wait);
}

/* Returns whether the entry state of a successor, which may be the block itself, changed. */
static bool
pass_block(Waits *waits, uint32_t block) {
  NornFunction *function = waits->function;
  waits->is_open[block] = false;
  state_copy(&waits->now, &waits->entry[block]);
  for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++)
    forget_address(waits, norn_block_parameter(function, block, k));
  for (uint32_t inst = norn_block(function, block)->first, next; inst != NORN_INDEX_NONE;
       inst = next) {
    bool is_merged = waits->step == INSERTING && is_fence(waits, norn_inst(function, inst)) &&
                     merge_fence(waits, inst);
    if (!is_merged)
      pass_instruction(waits, inst);
    next = norn_inst(function, inst)->next;
    if (is_merged)
      norn_inst_erase(function, inst);
  }
  bool changed = false;
  waits->busy_exit[block] = busy_slots(&waits->now);
  norn_for_each_edge (function, norn_block(function, block)->last, edge)
    if (merge(&waits->entry[edge.block], &waits->now))
      waits->is_open[edge.block] = changed = true;
  return changed;
}

/* Whether some block other than the first begins with a store, or is one of two paths, so that its
 * wait may move before a branch. */
static bool
may_raise(const Waits *waits) {
  const NornFunction *function = waits->function;
  const NornTarget *target = waits->context->target;
  for (uint32_t i = 1; i < waits->dominance->order_count; i++) {
    NornMessage message;
    uint32_t block = waits->dominance->order[i], first = first_code(function, block), other;
    if (is_path_of_two(waits, block, &other) ||
        (first != NORN_INDEX_NONE &&
         target->message(target, function, norn_inst(function, first), &message) &&
         message.memory.writes))
      return true;
  }
  return false;
}

static void
pass_all(Waits *waits) {
  for (uint32_t i = 0; i < waits->dominance->order_count; i++)
    pass_block(waits, waits->dominance->order[i]);
}

/* Grows the states at the starts of blocks to a fixed point. */
static void
find_states(Waits *waits) {
  waits->entry[waits->function->block_order[0]].reached = true;
  if (!norn_has_loops(waits->dominance))
    return;
  memset(waits->is_open, true, waits->function->block_count);
  for (bool changed = true;
       changed && norn_pass_continues(waits->context, waits->function->block_count);) {
    changed = false;
    for (uint32_t i = 0; i < waits->dominance->order_count; i++)
      if (waits->is_open[waits->dominance->order[i]])
        changed |= pass_block(waits, waits->dominance->order[i]);
  }
}

bool
norn_pass_insert_waits(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  const NornDominance *dominance = norn_pass_dominance(context, function);
  Waits waits = {
      .context = context,
      .function = function,
      .dominance = dominance,
      .entry = NORN_NEW0(&context->arena, WaitState, function->block_count),
      .busy_exit = NORN_NEW0(&context->arena, uint8_t, function->block_count),
      .is_open = NORN_NEW0(&context->arena, bool, function->block_count),
      .has_divergence = norn_has_divergence(function),
  };
  state_init(&context->arena, &waits.now, MAX_ACCESSES);
  for (uint32_t block = 0; block < function->block_count; block++)
    state_init(&context->arena, &waits.entry[block], MAX_ACCESSES_BETWEEN_BLOCKS);
  find_states(&waits);
  if (may_raise(&waits)) {
    waits.step = RAISING;
    pass_all(&waits);
  }
  if (waits.has_raised) {
    for (uint32_t block = 0; block < function->block_count; block++) {
      clear_slots(&waits.entry[block], UINT8_MAX);
      waits.entry[block].reached = false;
    }
    waits.step = LOOKING;
    find_states(&waits);
  }
  waits.step = INSERTING;
  pass_all(&waits);
  return true;
}
