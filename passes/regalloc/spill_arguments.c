/* Passes arguments in memory if a block has too many parameters for the registers.
 *
 * A parameter in memory has a slot that every jump to its block stores to. The argument may itself
 * be such a parameter of the same block, so the stores of a jump are a parallel copy between slots:
 * they are ordered so that no slot is overwritten before it is read, and a cycle is broken by
 * copying one of its values. */
#include "ir/ops.h"
#include "passes/regalloc/spill.h"

/* The transfer of an argument to a parameter in memory. */
typedef struct Transfer {
  uint32_t parameter;
  NornRef argument;
  bool done;
} Transfer;
typedef NORN_LIST(Transfer) Transfers;

/* Before the jump, stores a value to the memory of another one through registers. */
static bool
store_before(Spill *spill, SpillEventKind kind, uint32_t jump, uint32_t position, uint32_t target,
             NornRef source) {
  if (norn_ref_kind(source) == NORN_REF_VALUE) {
    uint32_t value = norn_ref_payload(source);
    spill->pinned[value] = jump + 1;
    bool was_resident = spill->is_resident[value];
    if (!was_resident)
      norn_spill_add_resident(spill, value);
    if (!norn_spill_make_room(spill, jump, position, spill->limit))
      return false;
    if (!was_resident)
      norn_spill_fill_before(spill, jump, value);
    spill->pinned[value] = 0;
  } else if (!norn_spill_make_room_for(spill, jump, position, norn_spill_room(spill, target))) {
    return false;
  }
  norn_spill_add_event(spill, kind, jump, target, source);
  return true;
}

/* Saves a copy of a parameter whose memory is overwritten before its last use. */
static bool
save(Spill *spill, uint32_t jump, uint32_t position, uint32_t parameter) {
  if (spill->saved[parameter] == jump + 1)
    return true;
  if (!store_before(spill, SPILL_EVENT_SAVE, jump, position, parameter,
                    norn_ref(NORN_REF_VALUE, parameter)))
    return false;
  spill->saved[parameter] = jump + 1;
  norn_set_bit(spill->is_saved, parameter);
  return true;
}

/* The argument, if it is a parameter of the block that is itself in memory; else
 * NORN_INDEX_NONE. */
static uint32_t
parameter_in_memory(const Spill *spill, uint32_t block, NornRef argument) {
  uint32_t value = norn_ref_payload(argument);
  if (norn_ref_kind(argument) != NORN_REF_VALUE || !norn_bit(spill->is_argument, value) ||
      norn_value(spill->function, value)->def != block)
    return NORN_INDEX_NONE;
  return value;
}

/* Lists the transfers of a jump, and counts the reads of parameters' memory that must come before
 * it changes. Parameters that are passed on in a register are read after all transfers, and
 * therefore from a copy. */
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
      norn_spill_add_event(spill, SPILL_EVENT_KEEP_ARGUMENT, jump, parameter, argument);
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

/* Makes a transfer, then the transfer to the parameter that it has read if nothing else has to read
 * that, and so on. */
static bool
transfer_chain(Spill *spill, uint32_t jump, uint32_t position, uint32_t block, Transfers *transfers,
               uint32_t next) {
  while (next) {
    Transfer *transfer = &transfers->items[next - 1];
    uint32_t source = parameter_in_memory(spill, block, transfer->argument);
    if (!store_before(spill, SPILL_EVENT_STORE_ARGUMENT, jump, position, transfer->parameter,
                      transfer->argument))
      return false;
    transfer->done = true;
    spill->pending[transfer->parameter] = next = 0;
    if (source != NORN_INDEX_NONE && spill->blocked[source] && !--spill->blocked[source])
      next = spill->pending[source];
  }
  return true;
}

/* Stores the arguments that are passed in memory in an order in which none is overwritten before it
 * is read. What remains are cycles, each broken by a copy. */
bool
norn_spill_store_arguments(Spill *spill, uint32_t jump, uint32_t position) {
  bool ok = true;
  norn_for_each_edge (spill->function, jump, edge) {
    Transfers transfers = {0};
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

bool
norn_spill_is_stored(const Spill *spill, uint32_t index, unsigned operand, NornEdge *edge) {
  const NornFunction *function = spill->function;
  while (edge->next <= operand && norn_next_edge(function, index, edge))
    ;
  return operand > edge->operand && operand - edge->operand <= edge->argument_count &&
         norn_bit(spill->is_argument,
                  norn_block_parameter(function, edge->block, operand - edge->operand - 1));
}

/* The registers of the class left by values that cannot be evicted. */
static unsigned
room_for_arguments(const Spill *spill, uint32_t block, unsigned class) {
  const NornLiveness *live = spill->live;
  unsigned room = spill->limit.of[class];
  if (!spill->stays)
    return room;
  NornSetSpace space = live->space;
  space.arena = spill->arena;
  NornArenaMark mark = norn_arena_mark(spill->arena);
  NornSet gone = norn_set_without(&space, spill->stays, live->in[block]);
  NornSet here = norn_set_without(&space, spill->stays, gone);
  norn_for_each_live (live, here, value)
    if (norn_spill_class(spill, value) == class)
      room -= MIN(room, norn_spill_size(spill, value));
  norn_arena_release(spill->arena, mark);
  return room;
}

void
norn_spill_choose_arguments(Spill *spill, uint32_t block) {
  const NornFunction *function = spill->function;
  if (!norn_block(function, block)->parameter_count)
    return;
  SpillCandidates candidates = {0};
  NornRegisterCounts pressure = {{0}};
  norn_spill_find_uses(spill, block);
  for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++) {
    uint32_t parameter = norn_block_parameter(function, block, k);
    pressure = norn_counts_plus(pressure, norn_spill_room(spill, parameter));
    norn_list_push(spill->arena, &candidates,
                   (SpillCandidate){parameter, norn_spill_first_use(spill, block, parameter)});
  }
  norn_spill_sort(&candidates);
  for (unsigned class = 0; class < spill->needs->model->file->class_count; class ++) {
    unsigned room = room_for_arguments(spill, block, class);
    for (unsigned i = candidates.count; i-- && pressure.of[class] > room * 3 / 4;) {
      uint32_t parameter = candidates.items[i].value;
      if (!norn_spill_can_evict(spill, parameter) || norn_spill_class(spill, parameter) != class)
        continue;
      pressure.of[class] -= norn_spill_size(spill, parameter);
      norn_set_bit(spill->is_argument, parameter);
      norn_set_bit(spill->in_memory, parameter);
    }
  }
}

void
norn_spill_remove_arguments(Spill *spill) {
  NornFunction *function = spill->function;
  norn_for_each_block (function, block) {
    uint32_t jump = norn_block(function, block)->last;
    NornEdge edge = {0};
    if (!norn_next_edge(function, jump, &edge))
      continue;
    for (unsigned k = edge.argument_count; k--;)
      if (norn_bit(spill->is_argument, norn_block_parameter(function, edge.block, k)))
        norn_inst_splice_operands(function, jump, edge.operand + 1 + k, 1, NULL, 0);
  }
  norn_for_each_block (function, block)
    for (unsigned k = norn_block(function, block)->parameter_count; k--;) {
      uint32_t parameter = norn_block_parameter(function, block, k);
      if (!norn_bit(spill->is_argument, parameter))
        continue;
      norn_block_remove_parameter(function, block, k);
      norn_value(function, parameter)->def = block; /* where its names begin */
    }
}
