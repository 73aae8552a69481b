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

typedef struct Spill {
  NornPassContext *context;
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
  GArray *events;
  GArray
      *accesses;  /* NornSpillAccess, for the check; NULL if there is none. Slots as in `offset` */
  GArray **exit;  /* per block: the values in registers at its end */
  GArray **entry; /* per block with several predecessors: at its start */
  /* within a block */
  uint32_t *after;             /* per operand slot: position of the next use after it */
  uint32_t *next;              /* per value in a register: position of its next use */
  uint32_t *stamp;             /* per value: block + 1 if `next` is of this block (backward walk) */
  uint32_t *pinned;            /* per value: instruction + 1 that needs it */
  uint32_t *saved;             /* per value: jump + 1 that has made a copy of it */
  uint32_t *blocked;           /* per parameter: arguments still to be read from its memory */
  uint32_t *pending;           /* per parameter: its transfer + 1 */
  bool *held;                  /* per value: it is in a register */
  GArray *registers;           /* the values that are */
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
  g_array_append_val(spill->registers, value);
}

static void
drop_at(Spill *spill, unsigned index) {
  uint32_t value = g_array_index(spill->registers, uint32_t, index);
  spill->held[value] = false;
  spill->pressure = norn_counts_minus(spill->pressure, room_of(spill, value));
  g_array_remove_index_fast(spill->registers, index);
}

static void
drop_all(Spill *spill) {
  while (spill->registers->len)
    drop_at(spill, spill->registers->len - 1);
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
  unsigned best = spill->registers->len;
  uint64_t best_gain = 0;
  for (unsigned i = 0; i < spill->registers->len; i++) {
    uint32_t value = g_array_index(spill->registers, uint32_t, i);
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
      if (best == spill->registers->len) {
        spill->too_much = inst;
        spill->scarce = class;
        return false;
      }
      drop_at(spill, best);
    }
  return true;
}

static void
fill_before(Spill *spill, uint32_t inst, uint32_t value) {
  Event event = {spill->saved[value] == inst + 1 ? EVENT_FILL_SAVED : EVENT_FILL, inst, value, 0};
  g_array_append_val(spill->events, event);
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
    for (unsigned i = 0; i < spill->registers->len && spill->next[value] == NORN_NEVER; i++)
      if (g_array_index(spill->registers, uint32_t, i) == value) {
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
  Event event = {kind, jump, target, source};
  g_array_append_val(spill->events, event);
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
               GArray *transfers) {
  const NornFunction *function = spill->function;
  for (unsigned k = 0; k < edge->argument_count; k++) {
    uint32_t parameter = norn_block_parameter(function, edge->block, k);
    NornRef argument = norn_operand(function, jump, edge->operand + 1 + k);
    uint32_t source = parameter_in_memory(spill, edge->block, argument);
    if (!norn_bit(spill->is_argument, parameter)) {
      if (source != NORN_INDEX_NONE && !save(spill, jump, position, source))
        return false;
    } else if (source == parameter) {
      Event event = {EVENT_KEEP_ARGUMENT, jump, parameter, argument};
      g_array_append_val(spill->events, event);
    } else {
      Transfer transfer = {parameter, argument, false};
      g_array_append_val(transfers, transfer);
      spill->pending[parameter] = transfers->len;
    }
  }
  for (unsigned i = 0; i < transfers->len; i++) {
    NornRef argument = g_array_index(transfers, Transfer, i).argument;
    uint32_t source = parameter_in_memory(spill, edge->block, argument);
    if (source != NORN_INDEX_NONE && spill->saved[source] != jump + 1)
      spill->blocked[source]++;
  }
  return true;
}

/* Makes a transfer, then the one to the parameter that it has read if nobody else reads that, and
 * so on. */
static bool
transfer_chain(Spill *spill, uint32_t jump, uint32_t position, uint32_t block, GArray *transfers,
               uint32_t next) {
  while (next) {
    Transfer *transfer = &g_array_index(transfers, Transfer, next - 1);
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
  GArray *transfers = g_array_new(FALSE, FALSE, sizeof(Transfer));
  bool ok = true;
  norn_for_each_edge (spill->function, jump, edge) {
    g_array_set_size(transfers, 0);
    ok = ok && list_transfers(spill, jump, position, &edge, transfers);
    for (unsigned i = 0; ok && i < transfers->len; i++) {
      const Transfer *transfer = &g_array_index(transfers, Transfer, i);
      if (!transfer->done && !spill->blocked[transfer->parameter])
        ok = transfer_chain(spill, jump, position, edge.block, transfers, i + 1);
    }
    for (unsigned i = 0; ok && i < transfers->len; i++) {
      const Transfer *transfer = &g_array_index(transfers, Transfer, i);
      if (!transfer->done)
        ok = save(spill, jump, position, transfer->parameter) &&
             transfer_chain(spill, jump, position, edge.block, transfers, i + 1);
    }
  }
  g_array_free(transfers, TRUE);
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

typedef struct EntryCandidate {
  uint32_t value, distance;
} EntryCandidate;

static int
nearer_first(const void *a, const void *b) {
  const EntryCandidate *left = a, *right = b;
  if (left->distance != right->distance)
    return left->distance < right->distance ? -1 : 1;
  return left->value < right->value ? -1 : left->value > right->value;
}

static bool
is_held_at(const GArray *values, uint32_t value) {
  for (unsigned i = 0; i < values->len; i++)
    if (g_array_index(values, uint32_t, i) == value)
      return true;
  return false;
}

/* Of the predecessors walked already, how many have the value in a register. */
static unsigned
count_holders(const Spill *spill, uint32_t block, uint32_t value, unsigned *walked) {
  unsigned holders = 0;
  *walked = 0;
  for (uint32_t k = 0; k < norn_predecessor_count(spill->dominance, block); k++) {
    const GArray *exit = spill->exit[norn_predecessor(spill->dominance, block, k)];
    if (!exit)
      continue;
    ++*walked;
    holders += is_held_at(exit, value);
  }
  return holders;
}

/* The values that could begin a block in registers, nearest first. In a loop those that it uses
 * come first even if no predecessor has them. */
static GArray *
find_candidates(const Spill *spill, uint32_t block) {
  GArray *candidates = g_array_new(FALSE, FALSE, sizeof(EntryCandidate));
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
      g_array_append_val(candidates, candidate);
  }
  g_array_sort(candidates, nearer_first);
  return candidates;
}

/* Room for values that live through a loop without use in it: what its own needs leave. More of
 * them would be filled again at the end of each round. */
static NornRegisterCounts
room_beyond(const Spill *spill, uint32_t header, const GArray *candidates) {
  NornRegisterCounts through = {{0}};
  for (unsigned i = 0; i < candidates->len; i++) {
    const EntryCandidate *candidate = &g_array_index(candidates, EntryCandidate, i);
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
  GArray *candidates = find_candidates(spill, block);
  GArray *entry = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  bool is_loop = spill->dominance->loop_header[block] == block;
  NornRegisterCounts pressure = {{0}};
  NornRegisterCounts beyond = is_loop ? room_beyond(spill, block, candidates) : spill->limit;
  for (unsigned k = 0; k < function->blocks[block].parameter_count; k++) {
    uint32_t parameter = norn_block_parameter(function, block, k);
    if (!norn_bit(spill->is_argument, parameter))
      pressure = norn_counts_plus(pressure, room_of(spill, parameter));
  }
  for (unsigned i = 0; i < candidates->len; i++) {
    const EntryCandidate *candidate = &g_array_index(candidates, EntryCandidate, i);
    NornRegisterCounts own = room_of(spill, candidate->value);
    NornRegisterCounts more = norn_counts_plus(pressure, own);
    bool through = is_loop && norn_is_beyond_loop(candidate->distance);
    if (can_leave(spill, candidate->value) &&
        (norn_counts_exceed(more, spill->limit) || (through && norn_counts_exceed(own, beyond))))
      continue;
    pressure = more;
    if (through)
      beyond = norn_counts_beyond(beyond, own);
    g_array_append_val(entry, candidate->value);
  }
  g_array_free(candidates, TRUE);
  spill->entry[block] = entry;
}

static void
begin_block(Spill *spill, uint32_t block) {
  const NornFunction *function = spill->function;
  const GArray *values = NULL;
  drop_all(spill);
  find_uses(spill, block);
  if (norn_predecessor_count(spill->dominance, block) > 1) {
    choose_entry(spill, block);
    values = spill->entry[block];
  } else if (norn_predecessor_count(spill->dominance, block)) {
    values = spill->exit[norn_predecessor(spill->dominance, block, 0)];
  }
  for (unsigned i = 0; values && i < values->len; i++) {
    uint32_t value = g_array_index(values, uint32_t, i);
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
  spill->exit[block] = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (unsigned i = 0; i < spill->registers->len; i++) {
    uint32_t value = g_array_index(spill->registers, uint32_t, i);
    if (norn_live_out(spill->live, block, value))
      g_array_append_val(spill->exit[block], value);
  }
  return true;
}

/* Before each jump, fills what the block it leads to begins with. */
static void
couple(Spill *spill, uint32_t block) {
  for (uint32_t k = 0; k < norn_predecessor_count(spill->dominance, block); k++) {
    uint32_t predecessor = norn_predecessor(spill->dominance, block, k);
    const GArray *entry = spill->entry[block];
    for (unsigned i = 0; i < entry->len; i++) {
      uint32_t value = g_array_index(entry, uint32_t, i);
      if (!is_held_at(spill->exit[predecessor], value))
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
  GArray *candidates = g_array_new(FALSE, FALSE, sizeof(EntryCandidate));
  NornRegisterCounts pressure = {{0}};
  find_uses(spill, block);
  for (unsigned k = 0; k < function->blocks[block].parameter_count; k++) {
    uint32_t parameter = norn_block_parameter(function, block, k);
    EntryCandidate candidate = {parameter, first_use(spill, block, parameter)};
    pressure = norn_counts_plus(pressure, room_of(spill, parameter));
    g_array_append_val(candidates, candidate);
  }
  g_array_sort(candidates, nearer_first);
  for (unsigned class = 0; class < spill->needs->model->file->class_count; class ++) {
    unsigned room = room_for_arguments(spill, block, class);
    for (unsigned i = candidates->len; i-- && pressure.of[class] > room * 3 / 4;) {
      uint32_t parameter = g_array_index(candidates, EntryCandidate, i).value;
      if (!can_leave(spill, parameter) || class_of(spill, parameter) != class)
        continue;
      pressure.of[class] -= size_of(spill, parameter);
      norn_set_bit(spill->is_argument, parameter);
      norn_set_bit(spill->in_memory, parameter);
    }
  }
  g_array_free(candidates, TRUE);
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
static GArray *
find_spans(const Spill *spill) {
  const NornFunction *function = spill->function;
  Span *spans = g_new(Span, spill->value_count);
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
  for (uint32_t i = 0; i < spill->events->len; i++) {
    const Event *event = &g_array_index(spill->events, Event, i);
    if (event->kind == EVENT_STORE_ARGUMENT) /* stored at the end of a predecessor, anywhere */
      spans[event->value] = (Span){0, position, event->value};
  }
  GArray *stored = g_array_new(FALSE, FALSE, sizeof(Span));
  for (uint32_t v = 0; v < spill->value_count; v++)
    if (norn_bit(spill->in_memory, v))
      g_array_append_val(stored, spans[v]);
  for (uint32_t v = 0; v < spill->value_count; v++)
    if (norn_bit(spill->is_saved, v)) {
      Span copy = {0, position, spill->value_count + v};
      g_array_append_val(stored, copy);
    }
  g_free(spans);
  g_array_sort(stored, earlier_first);
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
place_spans(Spill *spill, const GArray *spans, unsigned base) {
  GArray *busy = g_array_new(FALSE, TRUE, sizeof(uint32_t)); /* per word: busy until */
  for (uint32_t i = 0; i < spans->len; i++) {
    const Span *span = &g_array_index(spans, Span, i);
    unsigned words = spill->words[span->value % spill->value_count];
    unsigned step = spacing(spill, words);
    for (unsigned at = 0;; at += step) {
      while (busy->len < at + words)
        g_array_set_size(busy, busy->len + 1);
      unsigned k = 0;
      while (k < words && g_array_index(busy, uint32_t, at + k) <= span->first)
        k++;
      if (k < words)
        continue;
      for (k = 0; k < words; k++)
        g_array_index(busy, uint32_t, at + k) = span->last + 1;
      spill->offset[span->value] = base + at * spill->context->target->spill_register_bytes;
      break;
    }
  }
  unsigned bytes = busy->len * spill->context->target->spill_register_bytes;
  g_array_free(busy, TRUE);
  return bytes;
}

/* --- changing the function
 * ------------------------------------------------------------------------- */

static void
note_access(Spill *spill, NornSpillAccessKind kind, uint32_t inst, uint32_t slot) {
  NornSpillAccess access = {kind, inst, slot};
  if (spill->accesses)
    g_array_append_val(spill->accesses, access);
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

static void
grow_roots(GArray *root, uint32_t count) {
  for (uint32_t v = root->len; v < count; v++)
    g_array_append_val(root, v);
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
  GArray *root = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (uint32_t i = 0; i < spill->events->len; i++) {
    const Event *event = &g_array_index(spill->events, Event, i);
    uint32_t name = insert_event(spill, event);
    grow_roots(root, function->value_count);
    if (name != NORN_INDEX_NONE)
      g_array_index(root, uint32_t, name) = event->value;
  }
  for (uint32_t v = 0; v < spill->value_count; v++)
    if (norn_bit(spill->in_memory, v) && !norn_bit(spill->is_argument, v))
      insert_store(spill, after_definition(function, v), norn_ref(NORN_REF_VALUE, v),
                   function->values[v].type, v, NORN_SPILL_STORE);
  remove_arguments(spill);
  grow_roots(root, function->value_count);
  norn_repair_ssa(function, spill->dominance, (const uint32_t *)(void *)root->data,
                  spill->value_count, NULL);
  g_array_free(root, TRUE);
}

/* What is computed again wherever it is used need not be computed where it was. */
static void
remove_unused(Spill *spill) {
  NornFunction *function = spill->function;
  bool *used = g_new0(bool, function->value_count + 1);
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst) {
      const NornRef *operands = function->operands + function->insts[inst].operand;
      for (unsigned k = 0; k < function->insts[inst].operand_count; k++)
        if (norn_ref_kind(operands[k]) == NORN_REF_VALUE)
          used[norn_ref_payload(operands[k])] = true;
    }
  for (uint32_t i = 0; i < spill->events->len; i++) {
    const Event *event = &g_array_index(spill->events, Event, i);
    uint32_t def = function->values[event->value].def;
    if (event->kind == EVENT_FILL && !norn_bit(spill->in_memory, event->value) &&
        !used[event->value] && function->insts[def].op != NORN_OP_NONE)
      norn_inst_erase(function, def);
  }
  g_free(used);
}

/* Numbers the slots in use from 0 on and lets the check look at all accesses to them. */
static bool
check_slots(Spill *spill, uint32_t start, GError **error) {
  uint32_t *number = norn_new_indexes((size_t)spill->value_count * 2);
  GArray *slots = g_array_new(FALSE, FALSE, sizeof(NornSpillSlot));
  for (uint32_t i = 0; i < spill->accesses->len; i++) {
    NornSpillAccess *access = &g_array_index(spill->accesses, NornSpillAccess, i);
    uint32_t value = access->slot % spill->value_count;
    bool is_argument = access->slot == value && norn_bit(spill->is_argument, value);
    NornSpillSlot slot = {spill->offset[access->slot],
                          spill->words[value] * spill->context->target->spill_register_bytes,
                          is_argument ? spill->function->values[value].def : NORN_INDEX_NONE};
    if (number[access->slot] == NORN_INDEX_NONE) {
      number[access->slot] = slots->len;
      g_array_append_val(slots, slot);
    }
    access->slot = number[access->slot];
  }
  bool ok =
      norn_check_spill_slots(spill->context, spill->function, (void *)slots->data, slots->len,
                             (void *)spill->accesses->data, spill->accesses->len, start, error);
  g_array_free(slots, TRUE);
  g_free(number);
  return ok;
}

static bool
commit(Spill *spill, GError **error) {
  NornModule *module = spill->function->module;
  unsigned piece = spill->context->target->spill_piece_bytes;
  unsigned used = module->scratch_size, base = (used + piece - 1) & ~(piece - 1);
  spill->offset = g_new0(uint32_t, (size_t)spill->value_count * 2);
  GArray *spans = find_spans(spill);
  unsigned bytes = place_spans(spill, spans, base);
  if (bytes)
    module->scratch_size = base + bytes;
  g_array_free(spans, TRUE);
  insert_all(spill);
  remove_unused(spill);
  return !spill->accesses || check_slots(spill, used, error);
}

static void
find_loop_pressure(Spill *spill) {
  const NornDominance *dominance = spill->dominance;
  spill->loop_pressure = g_new0(NornRegisterCounts, dominance->block_count);
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
  uint32_t values = function->value_count;
  *spill = (Spill){
      .context = context,
      .function = function,
      .limit = limit,
      .piece = target->spill_piece_bytes / target->spill_register_bytes,
      .value_count = values,
      .in_memory = g_new0(uint64_t, values / 64 + 1),
      .is_argument = g_new0(uint64_t, values / 64 + 1),
      .is_saved = g_new0(uint64_t, values / 64 + 1),
      .events = g_array_new(FALSE, FALSE, sizeof(Event)),
      .accesses =
          context->options->verify ? g_array_new(FALSE, FALSE, sizeof(NornSpillAccess)) : NULL,
      .exit = g_new0(GArray *, function->block_count),
      .entry = g_new0(GArray *, function->block_count),
      .after = g_new(uint32_t, function->operand_count + 1),
      .next = g_new(uint32_t, values + 1),
      .stamp = g_new0(uint32_t, values + 1),
      .pinned = g_new0(uint32_t, values + 1),
      .saved = g_new0(uint32_t, values + 1),
      .blocked = g_new0(uint32_t, values + 1),
      .pending = g_new0(uint32_t, values + 1),
      .held = g_new0(bool, values + 1),
      .registers = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
      .too_much = NORN_INDEX_NONE,
  };
  spill->dominance = norn_pass_dominance(context, function);
  spill->live = norn_liveness_new(function, spill->dominance);
  spill->next_use = norn_next_use_new(function, spill->dominance, spill->live);
  spill->needs = norn_pressure_new(function, spill->dominance, spill->live, &target->registers);
  spill->words = spill->needs->words;
  find_loop_pressure(spill);
}

static void
spill_clear(Spill *spill) {
  for (uint32_t block = 0; block < spill->dominance->block_count; block++) {
    if (spill->exit[block])
      g_array_free(spill->exit[block], TRUE);
    if (spill->entry[block])
      g_array_free(spill->entry[block], TRUE);
  }
  norn_next_use_free(spill->next_use);
  norn_liveness_free(spill->live);
  g_array_free(spill->events, TRUE);
  if (spill->accesses)
    g_array_free(spill->accesses, TRUE);
  g_array_free(spill->registers, TRUE);
  norn_pressure_free(spill->needs);
  g_free(spill->loop_pressure);
  g_free(spill->in_memory);
  g_free(spill->is_argument);
  g_free(spill->is_saved);
  g_free(spill->offset);
  g_free(spill->exit);
  g_free(spill->entry);
  g_free(spill->after);
  g_free(spill->next);
  g_free(spill->stamp);
  g_free(spill->pinned);
  g_free(spill->saved);
  g_free(spill->blocked);
  g_free(spill->pending);
  g_free(spill->held);
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
  for (uint32_t i = 0; i < dominance->order_count && ok && norn_pass_continues(context, 1); i++)
    ok = walk_block(&spill, dominance->order[i]);
  for (uint32_t i = 0; i < dominance->order_count && ok && norn_pass_continues(context, 1); i++)
    if (norn_predecessor_count(dominance, dominance->order[i]) > 1)
      couple(&spill, dominance->order[i]);
  if (context->budget.is_stopped)
    ok = false;
  else if (ok)
    ok = commit(&spill, error);
  else
    norn_inst_error(function, &function->insts[spill.too_much], NORN_ERROR_LIMIT, error,
                    "the instruction needs more than %u registers at once", limit.of[spill.scarce]);
  spill_clear(&spill);
  return ok;
}
