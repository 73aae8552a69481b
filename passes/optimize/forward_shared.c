/* Forwarding in workgroup memory: an invocation's stores to elements that only it writes are
 * forwarded to its own loads, across barriers.
 *
 * Reductions keep a sum for each invocation in workgroup memory: each step adds another
 * invocation's sum to the own one. A barrier orders what others write, so that the own sum is
 * loaded in each step. But if every store of the shader is at the position of the invocation in the
 * workgroup times a constant, plus another constant, then no other invocation writes where this one
 * does. Such a location is also kept in an alloca: the stores remain, for the others, and a load
 * that such a store dominates reads the alloca, which mem2reg turns into values. */
#include "ir/analysis/alias.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/pass.h"
#include <norn/build.h>

/* Locations that are kept; more would occupy too many registers. */
#define MAX_LOCATIONS 8
#define MAX_WORDS 8
/* Only so many stores of a location are looked at for each of its loads. */
#define MAX_LOOKED_AT 16

/* Bytes of workgroup memory, from the common base of all stores on. */
typedef struct Location {
  int64_t offset;
  unsigned size;
  uint32_t first_store, last_store; /* the stores of a location: a list */
  NornRef variable;                 /* the alloca, if there is one */
} Location;

typedef struct Forwarder {
  NornPassContext *context;
  NornFunction *function;
  NornRef base;    /* of all stores to workgroup memory, or 0 */
  uint64_t stride; /* between the bases of two invocations next to each other */
  Location locations[MAX_LOCATIONS];
  unsigned count;
  uint32_t *next_store; /* by instruction: the next one to the same location */
  uint32_t *position;   /* by instruction: in its block */
} Forwarder;

/* How far the addresses of two invocations next to each other are apart, if the address is the
 * invocation's position in a workgroup with one axis times a constant; otherwise 0. */
static uint64_t
find_stride(const NornFunction *function, NornRef address) {
  const NornModule *module = function->module;
  const NornInst *scaled = norn_defining_inst(function, address);
  if (!scaled || module->workgroup[1] != 1 || module->workgroup[2] != 1 ||
      (scaled->op != NORN_OP_SHL && scaled->op != NORN_OP_IMUL))
    return 0;
  const NornRef *operands = norn_operands(function, scaled);
  const NornInst *position = norn_defining_inst(function, operands[0]);
  if (!position || position->op != NORN_OP_LOCAL_ID || position->modifier != NORN_AXIS_X ||
      !norn_is_constant(operands[1]))
    return 0;
  uint64_t bits = norn_constant_bits(module, operands[1]);
  if (scaled->op == NORN_OP_SHL)
    bits = bits < 16 ? UINT64_C(1) << bits : 0;
  return bits <= UINT16_MAX ? bits : 0;
}

/* The offset from the base; addresses wrap as 32-bit sums do. */
static int64_t
offset_of(const NornMemoryAccess *access) {
  return (int32_t)(uint32_t)access->offset;
}

static Location *
find_location(Forwarder *forwarder, const NornMemoryAccess *access) {
  for (unsigned k = 0; k < forwarder->count; k++) {
    Location *location = &forwarder->locations[k];
    if (location->offset == offset_of(access) && location->size == access->size)
      return location;
  }
  return NULL;
}

static bool
note_store(Forwarder *forwarder, uint32_t inst, const NornMemoryAccess *access) {
  if (!forwarder->base) {
    forwarder->base = access->base;
    forwarder->stride = find_stride(forwarder->function, access->base);
  }
  if (!forwarder->stride || access->base != forwarder->base || !access->size)
    return false;
  Location *location = find_location(forwarder, access);
  if (!location) {
    if (forwarder->count == MAX_LOCATIONS)
      return false;
    location = &forwarder->locations[forwarder->count++];
    *location = (Location){
        .offset = offset_of(access), .size = access->size, .first_store = NORN_INDEX_NONE};
  }
  forwarder->next_store[inst] = NORN_INDEX_NONE;
  if (location->first_store == NORN_INDEX_NONE)
    location->first_store = inst;
  else
    forwarder->next_store[location->last_store] = inst;
  location->last_store = inst;
  return true;
}

/* Whether an invocation may write into the first location of another one, or into a part of its
 * own, when it stores to the second. */
static bool
may_overlap(const Forwarder *forwarder, const Location *first, const Location *second) {
  int64_t invocations = forwarder->function->module->workgroup[0];
  int64_t stride = (int64_t)forwarder->stride;
  for (int64_t distance = 1 - invocations; distance < invocations; distance++) {
    int64_t begin = second->offset + distance * stride - first->offset;
    if (begin < first->size && begin + second->size > 0 && (distance || first != second))
      return true;
  }
  return false;
}

/* Collects all stores to workgroup memory; false if anything else may write it, or if two
 * invocations may write the same bytes. */
static bool
collect_stores(Forwarder *forwarder) {
  NornFunction *function = forwarder->function;
  norn_for_each_block (function, block) {
    uint32_t position = 0;
    norn_for_each_inst (function, block, inst) {
      const NornInst *self = norn_inst(function, inst);
      NornMemoryAccess access;
      forwarder->position[inst] = position++;
      if (self->op == NORN_OP_CALL)
        return false;
      if (norn_ops[self->op].flags & NORN_OP_ORDERS ||
          !norn_describe_access(function, inst, &access) || !access.writes ||
          !(access.spaces & NORN_SPACE_WORKGROUP))
        continue;
      if (self->op != NORN_OP_STORE_SHARED || !note_store(forwarder, inst, &access))
        return false;
    }
  }
  for (unsigned first = 0; first < forwarder->count; first++)
    for (unsigned second = 0; second < forwarder->count; second++)
      if (may_overlap(forwarder, &forwarder->locations[first], &forwarder->locations[second]))
        return false;
  return forwarder->count > 0;
}

/* Whether one of the location's stores is executed before the load whenever the load is. */
static bool
is_stored_before(const Forwarder *forwarder, const Location *location, uint32_t load) {
  const NornFunction *function = forwarder->function;
  const NornDominance *dominance = norn_pass_dominance(forwarder->context, function);
  uint32_t block = norn_inst(function, load)->block;
  uint32_t store = location->first_store;
  for (unsigned k = 0; k < MAX_LOOKED_AT && store != NORN_INDEX_NONE;
       k++, store = forwarder->next_store[store]) {
    uint32_t home = norn_inst(function, store)->block;
    if (home == block ? forwarder->position[store] < forwarder->position[load]
                      : norn_dominates(dominance, home, block))
      return true;
  }
  return false;
}

/* Stores to the location also go to a variable. */
static void
add_variable(Forwarder *forwarder, Location *location) {
  NornFunction *function = forwarder->function;
  uint32_t entry = function->block_order[0];
  NornBuilder builder = norn_builder_before(function, norn_block(function, entry)->first);
  location->variable = norn_build_alloca(&builder, (location->size + 3) / 4 * 4);
  for (uint32_t store = location->first_store; store != NORN_INDEX_NONE;
       store = forwarder->next_store[store]) {
    NornInstSpec spec = norn_inst_spec(NORN_OP_STORE_SCRATCH);
    NornRef operands[2] = {norn_operand(function, store, 0), location->variable};
    spec.type = norn_inst(function, store)->type;
    spec.operands = operands;
    spec.operand_count = 2;
    builder = norn_builder_before(function, store);
    norn_build(&builder, &spec);
  }
}

/* Makes a load read the variable instead of workgroup memory; false if it stays. */
static bool
forward(Forwarder *forwarder, uint32_t load, const NornMemoryAccess *access, unsigned *words) {
  Location *location = access->base == forwarder->base ? find_location(forwarder, access) : NULL;
  if (!location || !is_stored_before(forwarder, location, load))
    return false;
  if (!location->variable) {
    unsigned more = (location->size + 3) / 4;
    if (*words + more > MAX_WORDS)
      return false;
    *words += more;
    add_variable(forwarder, location);
  }
  norn_inst_become(forwarder->function, load, NORN_OP_LOAD_SCRATCH, 0, &location->variable, 1);
  return true;
}

static bool
forward_loads(Forwarder *forwarder, uint32_t count) {
  NornFunction *function = forwarder->function;
  bool changed = false;
  unsigned words = 0;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst) {
      NornMemoryAccess access;
      if (inst < count && norn_inst(function, inst)->op == NORN_OP_LOAD_SHARED &&
          norn_describe_access(function, inst, &access))
        changed |= forward(forwarder, inst, &access, &words);
    }
  return changed;
}

bool
norn_pass_forward_shared(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  uint32_t count = function->inst_count;
  Forwarder forwarder = {.context = context, .function = function};
  bool changed = false;
  if (context->module->shared_size) {
    forwarder.next_store = NORN_NEW(&context->arena, uint32_t, count);
    forwarder.position = NORN_NEW(&context->arena, uint32_t, count);
    changed = collect_stores(&forwarder) && forward_loads(&forwarder, count);
  }
  norn_pass_report(context, changed);
  return true;
}
