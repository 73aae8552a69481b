/* Spilling on SSA form, before registers are given.
 *
 * A walk over the blocks keeps the set of values that are in registers. When an instruction needs
 * room, the values whose next use is farthest leave (Belady), where leaving a loop counts as far,
 * so what a loop uses stays; wide values and those that are cheap to get back go a little earlier.
 * A value that left is filled before its next use: loaded, or computed again if it depends on
 * nothing. It is stored once, after its definition. A block with several predecessors begins with
 * what most of them have; the others fill the rest before their jump. A loop begins with what it
 * uses. Of a block with too many parameters some are passed in memory. Fills are new names of the
 * old values; norn_repair_ssa sorts the names out. Spilled values that are never live together
 * share memory. */
#include "passes/regalloc/spill.h"
#include "check/spill_slots.h"
#include "ir/analysis/next_use.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "ir/text/printer.h"
#include "passes/regalloc/allocate.h"
#include "passes/regalloc/repair_ssa.h"
#include <stdlib.h>
#include <string.h>

/* What to put before an instruction once all is known. */
typedef enum {
  EVENT_FILL,
  EVENT_FILL_SAVED, /* from the copy */
  EVENT_SAVE,       /* makes a copy in memory */
  EVENT_STORE_ARGUMENT,
  EVENT_KEEP_ARGUMENT /* nothing: its value stays where it is */
} EventKind;
typedef struct Event {
  EventKind kind;
  uint32_t inst;  /* before which */
  uint32_t value; /* to fill or save; the parameter that gets the argument */
  NornRef argument;
} Event;

/* An argument on its way to a parameter in memory. */
typedef struct Transfer {
  uint32_t parameter;
  NornRef argument;
  bool done;
} Transfer;

typedef struct Span {
  uint32_t first, last; /* positions in the function */
  uint32_t value;       /* or, for the copy of one, that plus the number of values */
} Span;

typedef struct EntryCandidate {
  uint32_t value, distance;
} EntryCandidate;
typedef NORN_LIST(EntryCandidate) EntryCandidates;
typedef NORN_LIST(Transfer) Transfers;
typedef NORN_LIST(Span) Spans;

typedef struct Spill {
  NornPassContext *context;
  NornArena *arena;
  NornFunction *function;
  const NornDominance *dominance;
  NornLiveness *live;
  NornNextUse *next_use;
  NornPressure *needs;               /* before spilling */
  NornRegisterCounts *loop_pressure; /* per loop header: the most needed inside */
  NornRegisterCounts limit;
  unsigned piece; /* registers that one access can move */
  uint32_t value_count;
  const uint8_t *words;
  uint64_t *in_memory;   /* bit per value: it must be stored */
  uint64_t *is_argument; /* bit per value: a parameter passed in memory */
  uint64_t *is_saved;    /* bit per value: some jump makes a copy of it */
  uint32_t *offset;      /* per value: its offset in memory, then those of copies */
  NORN_LIST(Event) events;
  NORN_LIST(NornSpillAccess) accesses; /* for the check; slots as in `offset` */
  NornIndexList *exit;                 /* per block: the values in registers at its end */
  NornIndexList *entry;                /* per block with several predecessors: at its start */
  bool *is_walked;                     /* per block: `exit` is known */
  /* within a block */
  uint32_t *after;             /* per operand slot: position of the next use after it */
  uint32_t *next;              /* per value in a register: position of its next use */
  uint32_t *stamp;             /* per value: block + 1 if `next` is of this block (backward walk) */
  uint32_t *pinned;            /* per value: instruction + 1 that needs it */
  uint32_t *saved;             /* per value: jump + 1 that has made a copy of it */
  uint32_t *blocked;           /* per parameter: arguments still to be read from its memory */
  uint32_t *pending;           /* per parameter: its transfer + 1 */
  bool *held;                  /* per value: it is in a register */
  NornIndexList registers;     /* the values that are */
  NornRegisterCounts pressure; /* of those */
  uint32_t too_much; /* an instruction that needs more than there is, or NORN_INDEX_NONE */
  unsigned scarce;   /* ... of this class */
} Spill;

static NornRegisterCounts
room_of(const Spill *spill, uint32_t value) {
  return norn_pressure_of(spill->needs, value);
}

static unsigned
class_of(const Spill *spill, uint32_t value) {
  return norn_pressure_class(spill->needs, value);
}

/* The room that the value takes in its class. */
static unsigned
size_of(const Spill *spill, uint32_t value) {
  return room_of(spill, value).of[class_of(spill, value)];
}

/* --- the set of values in registers --------------------------------------------------------------
 */

static void
hold(Spill *spill, uint32_t value) {
  if (spill->held[value])
    return;
  spill->held[value] = true;
  spill->pressure = norn_counts_plus(spill->pressure, room_of(spill, value));
  norn_list_push(spill->arena, &spill->registers, value);
}

static void
drop_at(Spill *spill, unsigned index) {
  uint32_t value = spill->registers.items[index];
  NORN_ASSERT(spill->held[value]);
  spill->held[value] = false;
  spill->pressure = norn_counts_minus(spill->pressure, room_of(spill, value));
  spill->registers.items[index] = spill->registers.items[--spill->registers.count];
}

static void
drop_all(Spill *spill) {
  while (spill->registers.count)
    drop_at(spill, spill->registers.count - 1);
  NORN_ASSERT(!norn_counts_exceed(spill->pressure, (NornRegisterCounts){{0}}));
}

/* Whether the value can be computed again anywhere: it depends on constants and uniforms only. */
static bool
is_recomputable(const Spill *spill, uint32_t value) {
  const NornFunction *function = spill->function;
  if (function->values[value].is_parameter)
    return false;
  const NornInst *inst = &function->insts[function->values[value].def];
  if (inst->result_count != 1 || inst->op == NORN_OP_PRELOAD)
    return false;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRefKind kind = norn_ref_kind(function->operands[inst->operand + k]);
    if (kind != NORN_REF_CONSTANT && kind != NORN_REF_UNIFORM)
      return false;
  }
  if (!norn_is_machine(inst))
    return inst->op == NORN_OP_COPY;
  NornMachineShape shape;
  norn_inst_shape(function->module, inst, &shape);
  return !shape.result_is_staging && !shape.reads_memory && !shape.writes_memory &&
         !shape.is_convergent;
}

static bool
can_leave(const Spill *spill, uint32_t value) {
  return spill->words[value] <= spill->piece;
}

static uint64_t
leaving_gain(const Spill *spill, uint32_t value, uint32_t position) {
  uint64_t distance = spill->next[value] == NORN_NEVER ? UINT32_MAX : spill->next[value] - position;
  uint64_t gain = (distance + 1) * size_of(spill, value) * 4;
  if (norn_bit(spill->in_memory, value))
    gain += gain / 4;
  else if (is_recomputable(spill, value))
    gain += gain / 2;
  return gain;
}

/* The value of the class that had best leave, as an index into those in registers; their number if
 * none can. Those pinned by the instruction stay. */
static unsigned
choose_leaving(const Spill *spill, uint32_t inst, uint32_t position, unsigned class) {
  unsigned best = spill->registers.count;
  uint64_t best_gain = 0;
  for (unsigned i = 0; i < spill->registers.count; i++) {
    uint32_t value = spill->registers.items[i];
    if (spill->pinned[value] == inst + 1 || !can_leave(spill, value) ||
        class_of(spill, value) != class)
      continue;
    uint64_t gain = leaving_gain(spill, value, position);
    if (gain > best_gain) {
      best_gain = gain;
      best = i;
    }
  }
  return best;
}

/* Makes values leave until the register pressure is at most `limit`; those pinned by the
 * instruction stay. */
static bool
make_room(Spill *spill, uint32_t inst, uint32_t position, NornRegisterCounts limit) {
  for (unsigned class = 0; class < NORN_REGISTER_CLASSES; class ++)
    while (spill->pressure.of[class] > limit.of[class]) {
      unsigned best = choose_leaving(spill, inst, position, class);
      if (best == spill->registers.count) {
        spill->too_much = inst;
        spill->scarce = class;
        return false;
      }
      drop_at(spill, best);
    }
  return true;
}

static void
add_event(Spill *spill, EventKind kind, uint32_t inst, uint32_t value, NornRef argument) {
  norn_list_push(spill->arena, &spill->events, (Event){kind, inst, value, argument});
}

static void
fill_before(Spill *spill, uint32_t inst, uint32_t value) {
  EventKind kind = spill->saved[value] == inst + 1 ? EVENT_FILL_SAVED : EVENT_FILL;
  add_event(spill, kind, inst, value, 0);
  if (!is_recomputable(spill, value))
    norn_set_bit(spill->in_memory, value);
}

/* --- a block
 * --------------------------------------------------------------------------------------- */

/* Place of the next use after the end of the block. */
static uint32_t
use_beyond(const Spill *spill, uint32_t block, uint32_t value) {
  uint32_t out = norn_next_use_out(spill->next_use, block, value);
  return out == NORN_NEVER ? NORN_NEVER : spill->next_use->length[block] + out;
}

/* Finds the next use after each operand and each definition of the block. */
static void
find_uses(Spill *spill, uint32_t block) {
  const NornFunction *function = spill->function;
  uint32_t position = spill->next_use->length[block];
  for (uint32_t index = function->blocks[block].last; index != NORN_INDEX_NONE;
       index = function->insts[index].previous) {
    const NornInst *inst = &function->insts[index];
    position--;
    for (unsigned pass = 0; pass < 2; pass++)
      for (unsigned k = 0; k < inst->operand_count; k++) {
        NornRef ref = function->operands[inst->operand + k];
        uint32_t value = norn_ref_payload(ref);
        if (norn_ref_kind(ref) != NORN_REF_VALUE)
          continue;
        if (pass) {
          spill->next[value] = position;
          spill->stamp[value] = block + 1;
        } else {
          spill->after[inst->operand + k] = spill->stamp[value] == block + 1
                                                ? spill->next[value]
                                                : use_beyond(spill, block, value);
        }
      }
  }
}

/* The first use of a value after its definition in the block, or after its start. Valid only
 * between find_uses and the walk. */
static uint32_t
first_use(const Spill *spill, uint32_t block, uint32_t value) {
  return spill->stamp[value] == block + 1 ? spill->next[value] : use_beyond(spill, block, value);
}

/* Gets a value into a register for an instruction. */
static void
require(Spill *spill, uint32_t inst, uint32_t value) {
  if (!spill->held[value]) {
    fill_before(spill, inst, value);
    hold(spill, value);
  }
  spill->pinned[value] = inst + 1;
}

/* What the instruction uses last is not needed any more. */
static void
drop_dead(Spill *spill, const NornInst *inst) {
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = spill->function->operands[inst->operand + k];
    if (norn_ref_kind(ref) != NORN_REF_VALUE)
      continue;
    uint32_t value = norn_ref_payload(ref);
    spill->next[value] = spill->after[inst->operand + k];
    for (unsigned i = 0; i < spill->registers.count && spill->next[value] == NORN_NEVER; i++)
      if (spill->registers.items[i] == value) {
        drop_at(spill, i);
        break;
      }
  }
}

/* Registers that values living across the instruction cannot have. */
static NornRegisterCounts
clobbered_by(const Spill *spill, const NornInst *inst) {
  const NornPassContext *context = spill->context;
  NornFixedRegisters fixed;
  if (!norn_is_machine(inst) ||
      !context->target->fixed_registers(context->target, spill->function, inst, &fixed))
    return (NornRegisterCounts){{0}};
  return norn_regs_by_class(&context->target->registers, fixed.clobbered);
}

/* Puts a value before the jump into some memory by way of a register. */
static bool
store_before(Spill *spill, EventKind kind, uint32_t jump, uint32_t position, uint32_t target,
             NornRef source) {
  if (norn_ref_kind(source) == NORN_REF_VALUE) {
    uint32_t value = norn_ref_payload(source);
    spill->pinned[value] = jump + 1;
    bool held = spill->held[value];
    if (!held)
      hold(spill, value);
    if (!make_room(spill, jump, position, spill->limit))
      return false;
    if (!held)
      fill_before(spill, jump, value);
    spill->pinned[value] = 0;
  }
  add_event(spill, kind, jump, target, source);
  return true;
}

/* Makes a copy of a parameter whose memory gets another value before the last use of this one. */
static bool
save(Spill *spill, uint32_t jump, uint32_t position, uint32_t parameter) {
  if (spill->saved[parameter] == jump + 1)
    return true;
  if (!store_before(spill, EVENT_SAVE, jump, position, parameter,
                    norn_ref(NORN_REF_VALUE, parameter)))
    return false;
  spill->saved[parameter] = jump + 1;
  spill->blocked[parameter] = 0;
  norn_set_bit(spill->is_saved, parameter);
  return true;
}

/* The value of the argument, if it is a parameter of that block which is in memory itself. */
static uint32_t
parameter_in_memory(const Spill *spill, uint32_t block, NornRef argument) {
  uint32_t value = norn_ref_payload(argument);
  if (norn_ref_kind(argument) != NORN_REF_VALUE || !norn_bit(spill->is_argument, value) ||
      spill->function->values[value].def != block)
    return NORN_INDEX_NONE;
  return value;
}

/* Lists the transfers of a jump, and which parameters' memory must be read before it changes. Those
 * whose values go on in a register are read after all transfers, so from a copy. */
static bool
list_transfers(Spill *spill, uint32_t jump, uint32_t position, const NornEdge *edge,
               Transfers *transfers) {
  const NornFunction *function = spill->function;
  for (unsigned k = 0; k < edge->argument_count; k++) {
    uint32_t parameter = norn_block_parameter(function, edge->block, k);
    NornRef argument = norn_operand(function, jump, edge->operand + 1 + k);
    uint32_t source = parameter_in_memory(spill, edge->block, argument);
    if (!norn_bit(spill->is_argument, parameter)) {
      if (source != NORN_INDEX_NONE && !save(spill, jump, position, source))
        return false;
    } else if (source == parameter) {
      add_event(spill, EVENT_KEEP_ARGUMENT, jump, parameter, argument);
    } else {
      norn_list_push(spill->arena, transfers, (Transfer){parameter, argument, false});
      spill->pending[parameter] = transfers->count;
    }
  }
  for (unsigned i = 0; i < transfers->count; i++) {
    NornRef argument = transfers->items[i].argument;
    uint32_t source = parameter_in_memory(spill, edge->block, argument);
    if (source != NORN_INDEX_NONE && spill->saved[source] != jump + 1)
      spill->blocked[source]++;
  }
  return true;
}

/* Makes a transfer, then the one to the parameter that it has read if nobody else reads that, and
 * so on. */
static bool
transfer_chain(Spill *spill, uint32_t jump, uint32_t position, uint32_t block, Transfers *transfers,
               uint32_t next) {
  while (next) {
    Transfer *transfer = &transfers->items[next - 1];
    uint32_t source = parameter_in_memory(spill, block, transfer->argument);
    if (!store_before(spill, EVENT_STORE_ARGUMENT, jump, position, transfer->parameter,
                      transfer->argument))
      return false;
    transfer->done = true;
    spill->pending[transfer->parameter] = next = 0;
    if (source != NORN_INDEX_NONE && spill->blocked[source] && !--spill->blocked[source])
      next = spill->pending[source];
  }
  return true;
}

/* Stores the arguments of parameters in memory one after the other, in an order in which none is
 * overwritten before it was read; what is left then are circles, each opened by a copy. */
static bool
store_arguments(Spill *spill, uint32_t jump, uint32_t position) {
  Transfers transfers = {0};
  bool ok = true;
  norn_for_each_edge (spill->function, jump, edge) {
    transfers.count = 0;
    ok = ok && list_transfers(spill, jump, position, &edge, &transfers);
    for (unsigned i = 0; ok && i < transfers.count; i++) {
      const Transfer *transfer = &transfers.items[i];
      if (!transfer->done && !spill->blocked[transfer->parameter])
        ok = transfer_chain(spill, jump, position, edge.block, &transfers, i + 1);
    }
    for (unsigned i = 0; ok && i < transfers.count; i++) {
      const Transfer *transfer = &transfers.items[i];
      if (!transfer->done)
        ok = save(spill, jump, position, transfer->parameter) &&
             transfer_chain(spill, jump, position, edge.block, &transfers, i + 1);
    }
  }
  return ok;
}

/* Whether an operand is an argument that goes through memory. */
static bool
is_stored(const Spill *spill, uint32_t index, unsigned operand) {
  const NornFunction *function = spill->function;
  norn_for_each_edge (function, index, edge)
    if (operand > edge.operand && operand <= edge.operand + edge.argument_count)
      return norn_bit(spill->is_argument,
                      norn_block_parameter(function, edge.block, operand - edge.operand - 1));
  return false;
}

static bool
walk_instruction(Spill *spill, uint32_t index, uint32_t position, bool is_last) {
  const NornFunction *function = spill->function;
  const NornInst *inst = &function->insts[index];
  NornRegisterCounts taken = {{0}};
  if (is_last && !store_arguments(spill, index, position))
    return false;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = function->operands[inst->operand + k];
    if (norn_ref_kind(ref) == NORN_REF_VALUE && !(is_last && is_stored(spill, index, k)))
      require(spill, index, norn_ref_payload(ref));
  }
  if (!make_room(spill, index, position, spill->limit))
    return false;
  drop_dead(spill, inst);
  for (unsigned k = 0; k < inst->result_count; k++)
    taken = norn_counts_plus(taken, room_of(spill, inst->result + k));
  taken = norn_counts_plus(taken, clobbered_by(spill, inst));
  for (unsigned class = 0; class < NORN_REGISTER_CLASSES; class ++)
    if (taken.of[class] > spill->limit.of[class])
      spill->scarce = class;
  if (norn_counts_exceed(taken, spill->limit) ||
      !make_room(spill, NORN_INDEX_NONE - 1, position, norn_counts_minus(spill->limit, taken))) {
    spill->too_much = index;
    return false;
  }
  for (unsigned k = 0; k < inst->result_count; k++) {
    uint32_t value = inst->result + k;
    if (spill->next[value] != NORN_NEVER)
      hold(spill, value);
  }
  return true;
}

/* --- the start of a block
 * -------------------------------------------------------------------------- */

static int
nearer_first(const void *a, const void *b) {
  const EntryCandidate *left = a, *right = b;
  if (left->distance != right->distance)
    return left->distance < right->distance ? -1 : 1;
  return left->value < right->value ? -1 : left->value > right->value;
}

static void
sort_candidates(EntryCandidates *candidates) {
  if (candidates->count)
    qsort(candidates->items, candidates->count, sizeof *candidates->items, nearer_first);
}

static bool
is_held_at(const NornIndexList *values, uint32_t value) {
  for (uint32_t i = 0; i < values->count; i++)
    if (values->items[i] == value)
      return true;
  return false;
}

/* Of the predecessors walked already, how many have the value in a register. */
static unsigned
count_holders(const Spill *spill, uint32_t block, uint32_t value, unsigned *walked) {
  unsigned holders = 0;
  *walked = 0;
  for (uint32_t k = 0; k < norn_predecessor_count(spill->dominance, block); k++) {
    uint32_t predecessor = norn_predecessor(spill->dominance, block, k);
    if (!spill->is_walked[predecessor])
      continue;
    ++*walked;
    holders += is_held_at(&spill->exit[predecessor], value);
  }
  return holders;
}

/* The values that could begin a block in registers, nearest first. In a loop those that it uses
 * come first even if no predecessor has them. */
static EntryCandidates
find_candidates(const Spill *spill, uint32_t block) {
  EntryCandidates candidates = {0};
  bool is_loop = spill->dominance->loop_header[block] == block;
  const NornLiveness *live = spill->live;
  norn_for_each_live (live, live->in, block, value) {
    unsigned walked;
    EntryCandidate candidate = {value, norn_next_use_in(spill->next_use, block, value)};
    unsigned holders = count_holders(spill, block, value, &walked);
    bool wanted = is_loop ? holders || !norn_is_beyond_loop(candidate.distance) : holders > 0;
    if (!is_loop && holders < walked)
      candidate.distance += 1 + candidate.distance / 2;
    if (!can_leave(spill, value))
      candidate.distance = 0;
    if (wanted)
      norn_list_push(spill->arena, &candidates, candidate);
  }
  sort_candidates(&candidates);
  return candidates;
}

/* Room for values that live through a loop without use in it: what its own needs leave. More of
 * them would be filled again at the end of each round. */
static NornRegisterCounts
room_beyond(const Spill *spill, uint32_t header, const EntryCandidates *candidates) {
  NornRegisterCounts through = {{0}};
  for (unsigned i = 0; i < candidates->count; i++) {
    const EntryCandidate *candidate = &candidates->items[i];
    if (norn_is_beyond_loop(candidate->distance))
      through = norn_counts_plus(through, room_of(spill, candidate->value));
  }
  NornRegisterCounts own = norn_counts_beyond(spill->loop_pressure[header], through);
  return norn_counts_beyond(spill->limit, own);
}

/* Chooses what a block with several predecessors begins with. */
static void
choose_entry(Spill *spill, uint32_t block) {
  const NornFunction *function = spill->function;
  EntryCandidates candidates = find_candidates(spill, block);
  NornIndexList *entry = &spill->entry[block];
  bool is_loop = spill->dominance->loop_header[block] == block;
  NornRegisterCounts pressure = {{0}};
  NornRegisterCounts beyond = is_loop ? room_beyond(spill, block, &candidates) : spill->limit;
  for (unsigned k = 0; k < function->blocks[block].parameter_count; k++) {
    uint32_t parameter = norn_block_parameter(function, block, k);
    if (!norn_bit(spill->is_argument, parameter))
      pressure = norn_counts_plus(pressure, room_of(spill, parameter));
  }
  for (unsigned i = 0; i < candidates.count; i++) {
    const EntryCandidate *candidate = &candidates.items[i];
    NornRegisterCounts own = room_of(spill, candidate->value);
    NornRegisterCounts more = norn_counts_plus(pressure, own);
    bool through = is_loop && norn_is_beyond_loop(candidate->distance);
    if (can_leave(spill, candidate->value) &&
        (norn_counts_exceed(more, spill->limit) || (through && norn_counts_exceed(own, beyond))))
      continue;
    pressure = more;
    if (through)
      beyond = norn_counts_beyond(beyond, own);
    norn_list_push(spill->arena, entry, candidate->value);
  }
}

static void
begin_block(Spill *spill, uint32_t block) {
  const NornFunction *function = spill->function;
  const NornIndexList *values = NULL;
  drop_all(spill);
  find_uses(spill, block);
  if (norn_predecessor_count(spill->dominance, block) > 1) {
    choose_entry(spill, block);
    values = &spill->entry[block];
  } else if (norn_predecessor_count(spill->dominance, block)) {
    values = &spill->exit[norn_predecessor(spill->dominance, block, 0)];
  }
  for (uint32_t i = 0; values && i < values->count; i++) {
    uint32_t value = values->items[i];
    if (!norn_live_in(spill->live, block, value))
      continue;
    spill->next[value] = first_use(spill, block, value);
    hold(spill, value);
  }
  for (unsigned k = 0; k < function->blocks[block].parameter_count; k++) {
    uint32_t parameter = norn_block_parameter(function, block, k);
    spill->next[parameter] = first_use(spill, block, parameter);
    if (!norn_bit(spill->is_argument, parameter) && spill->next[parameter] != NORN_NEVER)
      hold(spill, parameter);
  }
  norn_for_each_inst (function, block, inst)
    for (unsigned k = 0; k < function->insts[inst].result_count; k++) {
      uint32_t value = function->insts[inst].result + k;
      spill->next[value] = first_use(spill, block, value);
    }
}

static bool
walk_block(Spill *spill, uint32_t block) {
  const NornFunction *function = spill->function;
  begin_block(spill, block);
  uint32_t position = 0;
  norn_for_each_inst (function, block, inst)
    if (!walk_instruction(spill, inst, position++, inst == function->blocks[block].last))
      return false;
  spill->is_walked[block] = true;
  for (unsigned i = 0; i < spill->registers.count; i++) {
    uint32_t value = spill->registers.items[i];
    if (norn_live_out(spill->live, block, value))
      norn_list_push(spill->arena, &spill->exit[block], value);
  }
  return true;
}

/* Before each jump, fills what the block it leads to begins with. */
static void
couple(Spill *spill, uint32_t block) {
  for (uint32_t k = 0; k < norn_predecessor_count(spill->dominance, block); k++) {
    uint32_t predecessor = norn_predecessor(spill->dominance, block, k);
    const NornIndexList *entry = &spill->entry[block];
    for (uint32_t i = 0; i < entry->count; i++) {
      uint32_t value = entry->items[i];
      if (!is_held_at(&spill->exit[predecessor], value))
        fill_before(spill, spill->function->blocks[predecessor].last, value);
    }
  }
}

/* --- parameters in memory
 * -------------------------------------------------------------------------- */

/* What the values that cannot leave leave of the registers of the class. */
static unsigned
room_for_arguments(const Spill *spill, uint32_t block, unsigned class) {
  const NornLiveness *live = spill->live;
  unsigned room = spill->limit.of[class];
  norn_for_each_live (live, live->in, block, value)
    if (!can_leave(spill, value) && class_of(spill, value) == class)
      room -= MIN(room, size_of(spill, value));
  return room;
}

/* Where the parameters of a block would fill more than three quarters of the registers that values
 * which cannot leave do not take, those used last go through memory. */
static void
choose_arguments(Spill *spill, uint32_t block) {
  const NornFunction *function = spill->function;
  if (!function->blocks[block].parameter_count)
    return;
  EntryCandidates candidates = {0};
  NornRegisterCounts pressure = {{0}};
  find_uses(spill, block);
  for (unsigned k = 0; k < function->blocks[block].parameter_count; k++) {
    uint32_t parameter = norn_block_parameter(function, block, k);
    pressure = norn_counts_plus(pressure, room_of(spill, parameter));
    norn_list_push(spill->arena, &candidates,
                   (EntryCandidate){parameter, first_use(spill, block, parameter)});
  }
  sort_candidates(&candidates);
  for (unsigned class = 0; class < spill->needs->model->file->class_count; class ++) {
    unsigned room = room_for_arguments(spill, block, class);
    for (unsigned i = candidates.count; i-- && pressure.of[class] > room * 3 / 4;) {
      uint32_t parameter = candidates.items[i].value;
      if (!can_leave(spill, parameter) || class_of(spill, parameter) != class)
        continue;
      pressure.of[class] -= size_of(spill, parameter);
      norn_set_bit(spill->is_argument, parameter);
      norn_set_bit(spill->in_memory, parameter);
    }
  }
}

/* Takes the parameters in memory out of the blocks and of the jumps to them. */
static void
remove_arguments(Spill *spill) {
  NornFunction *function = spill->function;
  norn_for_each_block (function, block) {
    uint32_t jump = function->blocks[block].last;
    NornEdge edge = {0};
    if (!norn_next_edge(function, jump, &edge))
      continue;
    for (unsigned k = edge.argument_count; k--;)
      if (norn_bit(spill->is_argument, norn_block_parameter(function, edge.block, k)))
        norn_inst_splice_operands(function, jump, edge.operand + 1 + k, 1, NULL, 0);
  }
  norn_for_each_block (function, block)
    for (unsigned k = function->blocks[block].parameter_count; k--;) {
      uint32_t parameter = norn_block_parameter(function, block, k);
      if (!norn_bit(spill->is_argument, parameter))
        continue;
      norn_block_remove_parameter(function, block, k);
      function->values[parameter].def = block; /* where its names begin */
    }
}

/* --- memory
 * ---------------------------------------------------------------------------------------- */

static int
earlier_first(const void *a, const void *b) {
  const Span *left = a, *right = b;
  if (left->first != right->first)
    return left->first < right->first ? -1 : 1;
  return left->value < right->value ? -1 : left->value > right->value;
}

static void
extend(Span *span, uint32_t position) {
  span->first = MIN(span->first, position);
  span->last = MAX(span->last, position);
}

/* The stretch of the function in which each stored value is live, in program order. */
static Spans
find_spans(const Spill *spill) {
  const NornFunction *function = spill->function;
  Span *spans = NORN_NEW(spill->arena, Span, spill->value_count);
  for (uint32_t v = 0; v < spill->value_count; v++)
    spans[v] = (Span){UINT32_MAX, 0, v};
  uint32_t position = 0;
  norn_for_each_block (function, block) {
    uint32_t start = position;
    for (unsigned k = 0; k < function->blocks[block].parameter_count; k++)
      extend(&spans[norn_block_parameter(function, block, k)], start);
    norn_for_each_inst (function, block, inst) {
      const NornInst *self = &function->insts[inst];
      for (unsigned k = 0; k < self->operand_count; k++) {
        NornRef ref = function->operands[self->operand + k];
        if (norn_ref_kind(ref) == NORN_REF_VALUE)
          extend(&spans[norn_ref_payload(ref)], position);
      }
      for (unsigned k = 0; k < self->result_count; k++)
        extend(&spans[self->result + k], position);
      position++;
    }
    norn_for_each_live (spill->live, spill->live->in, block, value)
      extend(&spans[value], start);
    norn_for_each_live (spill->live, spill->live->out, block, value)
      extend(&spans[value], position);
  }
  for (uint32_t i = 0; i < spill->events.count; i++) {
    const Event *event = &spill->events.items[i];
    if (event->kind == EVENT_STORE_ARGUMENT) /* stored at the end of a predecessor, anywhere */
      spans[event->value] = (Span){0, position, event->value};
  }
  Spans stored = {0};
  for (uint32_t v = 0; v < spill->value_count; v++)
    if (norn_bit(spill->in_memory, v))
      norn_list_push(spill->arena, &stored, spans[v]);
  for (uint32_t v = 0; v < spill->value_count; v++)
    if (norn_bit(spill->is_saved, v))
      norn_list_push(spill->arena, &stored, (Span){0, position, spill->value_count + v});
  if (stored.count)
    qsort(stored.items, stored.count, sizeof *stored.items, earlier_first);
  return stored;
}

/* Registers from one offset for a value to the next: it must not cross the end of a piece. */
static unsigned
spacing(const Spill *spill, unsigned words) {
  unsigned space = 1;
  while (space < words)
    space *= 2;
  return MIN(space, spill->piece);
}

/* Gives each stored value an offset that nobody else needs at the time. Returns the bytes used
 * from `base` on. */
static unsigned
place_spans(Spill *spill, const Spans *spans, unsigned base) {
  NornIndexList busy = {0}; /* per word: busy until */
  for (uint32_t i = 0; i < spans->count; i++) {
    const Span *span = &spans->items[i];
    unsigned words = spill->words[span->value % spill->value_count];
    unsigned step = spacing(spill, words);
    for (unsigned at = 0;; at += step) {
      while (busy.count < at + words)
        norn_list_push(spill->arena, &busy, 0);
      unsigned k = 0;
      while (k < words && busy.items[at + k] <= span->first)
        k++;
      if (k < words)
        continue;
      for (k = 0; k < words; k++)
        busy.items[at + k] = span->last + 1;
      spill->offset[span->value] = base + at * spill->context->target->spill_register_bytes;
      break;
    }
  }
  return busy.count * spill->context->target->spill_register_bytes;
}

/* --- changing the function
 * ------------------------------------------------------------------------- */

static void
note_access(Spill *spill, NornSpillAccessKind kind, uint32_t inst, uint32_t slot) {
  if (spill->context->options->verify)
    norn_list_push(spill->arena, &spill->accesses, (NornSpillAccess){kind, inst, slot});
}

/* A fill before an instruction; the new name. */
static uint32_t
insert_fill(Spill *spill, uint32_t before, uint32_t value, uint32_t slot) {
  NornPassContext *context = spill->context;
  NornFunction *function = spill->function;
  NornBuilder builder = norn_builder_before(function, before);
  if (!norn_bit(spill->in_memory, value)) {
    uint32_t clone = norn_build_clone(&builder, function, function->values[value].def);
    return function->insts[clone].result;
  }
  if (context->info)
    context->info->fills++;
  NornType type = function->values[value].type;
  NornRef name = context->target->build_fill(context->target, &builder, type, spill->offset[slot]);
  note_access(spill, NORN_SPILL_FILL, norn_builder_last(&builder), slot);
  return norn_ref_payload(name);
}

static void
insert_store(Spill *spill, uint32_t before, NornRef ref, NornType type, uint32_t slot,
             NornSpillAccessKind kind) {
  NornPassContext *context = spill->context;
  NornBuilder builder = norn_builder_before(spill->function, before);
  if (norn_ref_kind(ref) != NORN_REF_VALUE)
    ref = norn_build_copy(&builder, type, ref);
  context->target->build_spill(context->target, &builder, ref, spill->offset[slot]);
  note_access(spill, kind, norn_builder_last(&builder), slot);
  if (context->info)
    context->info->spills++;
}

/* Where a store of the value goes: right after its definition, but not before preloads and the
 * mark of a loop. */
static uint32_t
after_definition(const NornFunction *function, uint32_t value) {
  const NornValue *self = &function->values[value];
  uint32_t inst =
      self->is_parameter ? function->blocks[self->def].first : function->insts[self->def].next;
  while (function->insts[inst].op == NORN_OP_PRELOAD ||
         function->insts[inst].op == NORN_OP_LOOP_ENTRY)
    inst = function->insts[inst].next;
  return inst;
}

/* What the event asks for; the new name of a value that was filled, or NORN_INDEX_NONE. */
static uint32_t
insert_event(Spill *spill, const Event *event) {
  NornType type = spill->function->values[event->value].type;
  uint32_t copy = spill->value_count + event->value;
  switch (event->kind) {
  case EVENT_FILL:
    return insert_fill(spill, event->inst, event->value, event->value);
  case EVENT_FILL_SAVED:
    return insert_fill(spill, event->inst, event->value, copy);
  case EVENT_SAVE:
    insert_store(spill, event->inst, event->argument, type, copy, NORN_SPILL_STORE);
    break;
  case EVENT_STORE_ARGUMENT:
    insert_store(spill, event->inst, event->argument, type, event->value,
                 NORN_SPILL_STORE_ARGUMENT);
    break;
  case EVENT_KEEP_ARGUMENT:
    note_access(spill, NORN_SPILL_KEEP, event->inst, event->value);
    break;
  }
  return NORN_INDEX_NONE;
}

static void
insert_all(Spill *spill) {
  NornFunction *function = spill->function;
  NornIndexList root = {0};
  for (uint32_t i = 0; i < spill->events.count; i++) {
    const Event *event = &spill->events.items[i];
    uint32_t name = insert_event(spill, event);
    norn_grow_roots(spill->arena, &root, function->value_count);
    if (name != NORN_INDEX_NONE)
      root.items[name] = event->value;
  }
  for (uint32_t v = 0; v < spill->value_count; v++)
    if (norn_bit(spill->in_memory, v) && !norn_bit(spill->is_argument, v))
      insert_store(spill, after_definition(function, v), norn_ref(NORN_REF_VALUE, v),
                   function->values[v].type, v, NORN_SPILL_STORE);
  remove_arguments(spill);
  norn_grow_roots(spill->arena, &root, function->value_count);
  norn_repair_ssa(spill->arena, function, spill->dominance, root.items, spill->value_count, NULL);
}

/* What is computed again wherever it is used need not be computed where it was. */
static void
remove_unused(Spill *spill) {
  NornFunction *function = spill->function;
  bool *used = NORN_NEW0(spill->arena, bool, function->value_count);
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst) {
      const NornRef *operands = function->operands + function->insts[inst].operand;
      for (unsigned k = 0; k < function->insts[inst].operand_count; k++)
        if (norn_ref_kind(operands[k]) == NORN_REF_VALUE)
          used[norn_ref_payload(operands[k])] = true;
    }
  for (uint32_t i = 0; i < spill->events.count; i++) {
    const Event *event = &spill->events.items[i];
    uint32_t def = function->values[event->value].def;
    if (event->kind == EVENT_FILL && !norn_bit(spill->in_memory, event->value) &&
        !used[event->value] && function->insts[def].op != NORN_OP_NONE)
      norn_inst_erase(function, def);
  }
}

/* Numbers the slots in use from 0 on and lets the check look at all accesses to them. */
static bool
check_slots(Spill *spill, uint32_t start, GError **error) {
  uint32_t *number = norn_arena_indexes(spill->arena, (size_t)spill->value_count * 2);
  NORN_LIST(NornSpillSlot) slots = {0};
  for (uint32_t i = 0; i < spill->accesses.count; i++) {
    NornSpillAccess *access = &spill->accesses.items[i];
    uint32_t value = access->slot % spill->value_count;
    bool is_argument = access->slot == value && norn_bit(spill->is_argument, value);
    NornSpillSlot slot = {spill->offset[access->slot],
                          spill->words[value] * spill->context->target->spill_register_bytes,
                          is_argument ? spill->function->values[value].def : NORN_INDEX_NONE};
    if (number[access->slot] == NORN_INDEX_NONE) {
      number[access->slot] = slots.count;
      norn_list_push(spill->arena, &slots, slot);
    }
    access->slot = number[access->slot];
  }
  return norn_check_spill_slots(spill->context, spill->function, slots.items, slots.count,
                                spill->accesses.items, spill->accesses.count, start, error);
}

static bool
commit(Spill *spill, GError **error) {
  NornModule *module = spill->function->module;
  unsigned piece = spill->context->target->spill_piece_bytes;
  unsigned used = module->scratch_size, base = (used + piece - 1) & ~(piece - 1);
  spill->offset = NORN_NEW0(spill->arena, uint32_t, (size_t)spill->value_count * 2);
  Spans spans = find_spans(spill);
  unsigned bytes = place_spans(spill, &spans, base);
  if (bytes)
    module->scratch_size = base + bytes;
  insert_all(spill);
  remove_unused(spill);
  return !spill->context->options->verify || check_slots(spill, used, error);
}

static void
find_loop_pressure(Spill *spill) {
  const NornDominance *dominance = spill->dominance;
  spill->loop_pressure = NORN_NEW0(spill->arena, NornRegisterCounts, dominance->block_count);
  for (uint32_t i = 0; i < dominance->order_count; i++) {
    uint32_t block = dominance->order[i], header = dominance->loop_header[block];
    for (; header != NORN_INDEX_NONE; header = dominance->loop_parent[header])
      spill->loop_pressure[header] =
          norn_counts_most(spill->loop_pressure[header], spill->needs->block[block]);
  }
}

static void
spill_init(Spill *spill, NornPassContext *context, NornFunction *function,
           NornRegisterCounts limit) {
  const NornTarget *target = context->target;
  NornArena *arena = &context->arena;
  uint32_t values = function->value_count;
  *spill = (Spill){
      .context = context,
      .arena = arena,
      .function = function,
      .limit = limit,
      .piece = target->spill_piece_bytes / target->spill_register_bytes,
      .value_count = values,
      .in_memory = NORN_NEW0(arena, uint64_t, values / 64 + 1),
      .is_argument = NORN_NEW0(arena, uint64_t, values / 64 + 1),
      .is_saved = NORN_NEW0(arena, uint64_t, values / 64 + 1),
      .exit = NORN_NEW0(arena, NornIndexList, function->block_count),
      .entry = NORN_NEW0(arena, NornIndexList, function->block_count),
      .is_walked = NORN_NEW0(arena, bool, function->block_count),
      .after = NORN_NEW(arena, uint32_t, function->operand_count),
      .next = NORN_NEW(arena, uint32_t, values),
      .stamp = NORN_NEW0(arena, uint32_t, values),
      .pinned = NORN_NEW0(arena, uint32_t, values),
      .saved = NORN_NEW0(arena, uint32_t, values),
      .blocked = NORN_NEW0(arena, uint32_t, values),
      .pending = NORN_NEW0(arena, uint32_t, values),
      .held = NORN_NEW0(arena, bool, values),
      .too_much = NORN_INDEX_NONE,
  };
  spill->dominance = norn_pass_dominance(context, function);
  spill->live = norn_liveness_new(arena, function, spill->dominance);
  spill->next_use = norn_next_use_new(arena, function, spill->dominance, spill->live);
  spill->needs =
      norn_pressure_new(arena, function, spill->dominance, spill->live, &target->registers);
  spill->words = spill->needs->words;
  find_loop_pressure(spill);
}

bool
norn_spill(NornPassContext *context, NornFunction *function, NornRegisterCounts limit,
           GError **error) {
  Spill spill;
  spill_init(&spill, context, function, limit);
  const NornDominance *dominance = spill.dominance;
  bool ok = true;
  for (uint32_t i = 0; i < dominance->order_count; i++)
    choose_arguments(&spill, dominance->order[i]);
  memset(spill.stamp, 0, spill.value_count * sizeof *spill.stamp);
  for (uint32_t i = 0; i < dominance->order_count && ok; i++)
    ok = walk_block(&spill, dominance->order[i]);
  for (uint32_t i = 0; i < dominance->order_count && ok; i++)
    if (norn_predecessor_count(dominance, dominance->order[i]) > 1)
      couple(&spill, dominance->order[i]);
  if (ok)
    ok = commit(&spill, error);
  else
    norn_inst_error(function, &function->insts[spill.too_much], NORN_ERROR_LIMIT, error,
                    "the instruction needs more than %u registers at once", limit.of[spill.scarce]);
  return ok;
}
