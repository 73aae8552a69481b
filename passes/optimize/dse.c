/* Dead store elimination: removes a store if the same invocation always overwrites all of its bytes
 * before anything can read them.
 *
 * Walks the blocks from the ends of the function to its start, successors first, with the set of
 * locations that will be overwritten: those of later stores that are on every path and not preceded
 * by an access that may read them. A store to such a location is dead. At the end of a block the
 * set is the intersection of its successors' sets. A successor that comes later in the walk, that
 * is, the target of a back edge, counts as one with an empty set. So no path considered goes
 * through a block twice, and equal bases are equal addresses. Stores in or before a loop that may
 * never end stay.
 *
 * Barriers, fences, atomics and calls may read the memory that they are declared to touch.
 * Invocations that become helpers write no more, so a demotion counts as a read of everything. In a
 * buffer of a table the later store must be to the same address with the same width, because a
 * store that is partly outside of the buffer does nothing. */
#include "ir/analysis/alias.h"
#include "passes/pass.h"
#include <string.h>

/* Locations known to be overwritten at one point; when there are more, the latest are forgotten. */
#define MAX_OVERWRITTEN 32

typedef struct Overwritten {
  NornMemoryAccess *stores;
  unsigned count;
} Overwritten;

typedef struct Eliminator {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  Overwritten *at_start; /* by block */
  NornMemoryAccess stores[MAX_OVERWRITTEN];
  unsigned count; /* at the current point: the last one comes first in the program */
  bool changed;
} Eliminator;

/* Whether the later store overwrites everything that the earlier one writes. Only a store that may
 * count as out of bounds by itself may rely on another one that may: `tag` says which ones may. */
static bool
overwrites(const NornMemoryAccess *later, const NornMemoryAccess *earlier) {
  if (later->tag && !earlier->tag)
    return false;
  return later->handle ? norn_alias(later, earlier) == NORN_MUST_ALIAS
                       : norn_covers(later, earlier);
}

static bool
is_overwritten(const NornMemoryAccess *stores, unsigned count, const NornMemoryAccess *store) {
  for (unsigned k = 0; k < count; k++)
    if (overwrites(&stores[k], store))
      return true;
  return false;
}

/* Forgets what the access may read. */
static void
forget_read(Eliminator *eliminator, const NornMemoryAccess *access) {
  unsigned left = 0;
  for (unsigned k = 0; k < eliminator->count; k++)
    if (norn_alias(&eliminator->stores[k], access) == NORN_NO_ALIAS)
      eliminator->stores[left++] = eliminator->stores[k];
  eliminator->count = left;
}

static void
remember(Eliminator *eliminator, const NornMemoryAccess *store) {
  if (eliminator->count == MAX_OVERWRITTEN) {
    eliminator->count--;
    memmove(eliminator->stores, eliminator->stores + 1,
            eliminator->count * sizeof *eliminator->stores);
  }
  eliminator->stores[eliminator->count++] = *store;
}

static void
visit_inst(Eliminator *eliminator, uint32_t inst) {
  NornMemoryAccess access;
  if (!norn_describe_access(eliminator->function, inst, &access))
    return;
  access.tag = (norn_inst(eliminator->function, inst)->flags & NORN_INST_COARSE) != 0;
  if (!norn_is_plain_store(norn_inst(eliminator->function, inst))) {
    forget_read(eliminator, &access);
  } else if (is_overwritten(eliminator->stores, eliminator->count, &access)) {
    norn_inst_erase(eliminator->function, inst);
    eliminator->changed = true;
  } else {
    remember(eliminator, &access);
  }
}

/* Intersects the sets of all successors. */
static void
enter_from_successors(Eliminator *eliminator, uint32_t block) {
  const NornDominance *dominance = eliminator->dominance;
  unsigned successors = norn_successor_count(dominance, block);
  eliminator->count = 0;
  if (!successors)
    return;
  const Overwritten *first = &eliminator->at_start[norn_successor(dominance, block, 0)];
  for (unsigned i = 0; i < first->count; i++) {
    bool is_common = true;
    for (unsigned k = 1; is_common && k < successors; k++) {
      const Overwritten *other = &eliminator->at_start[norn_successor(dominance, block, k)];
      is_common = is_overwritten(other->stores, other->count, &first->stores[i]);
    }
    if (is_common)
      eliminator->stores[eliminator->count++] = first->stores[i];
  }
}

static void
visit_block(Eliminator *eliminator, uint32_t block) {
  enter_from_successors(eliminator, block);
  for (uint32_t inst = norn_block(eliminator->function, block)->last, before;
       inst != NORN_INDEX_NONE; inst = before) {
    if (!norn_pass_continues(eliminator->context, 1))
      return;
    before = norn_inst(eliminator->function, inst)->previous;
    visit_inst(eliminator, inst);
  }
  Overwritten *start = &eliminator->at_start[block];
  start->count = eliminator->count;
  if (!start->count)
    return;
  start->stores = NORN_NEW(&eliminator->context->arena, NornMemoryAccess, start->count);
  memcpy(start->stores, eliminator->stores, start->count * sizeof *start->stores);
}

/* Whether there are at least two stores. */
static bool
is_worth_it(const NornFunction *function) {
  unsigned count = 0;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst)
      if (norn_is_plain_store(norn_inst(function, inst)) && ++count == 2)
        return true;
  return false;
}

bool
norn_pass_dse(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  Eliminator eliminator = {.context = context, .function = function};
  if (is_worth_it(function)) {
    eliminator.dominance = norn_pass_dominance(context, function);
    eliminator.at_start = NORN_NEW0(&context->arena, Overwritten, function->block_count);
    for (uint32_t k = eliminator.dominance->order_count; k-- > 0;)
      visit_block(&eliminator, eliminator.dominance->order[k]);
  }
  norn_pass_report(context, eliminator.changed);
  return true;
}
