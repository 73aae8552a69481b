/* See alias.h. */
#include "ir/analysis/alias.h"
#include "ir/ops.h"
#include <string.h>

/* --- Locations --- */

static bool
is_same_base(const NornMemoryAccess *a, const NornMemoryAccess *b) {
  return a->base != NORN_BASE_UNKNOWN && a->base == b->base && a->handle == b->handle &&
         a->address_bits == b->address_bits && a->size && b->size;
}

/* The distance in bytes from the start of a to the start of b; both have the same base. */
static uint64_t
distance(const NornMemoryAccess *a, const NornMemoryAccess *b) {
  unsigned unused = 64u - a->address_bits;
  return (b->offset - a->offset) << unused >> unused;
}

NornAliasResult
norn_alias(const NornMemoryAccess *a, const NornMemoryAccess *b) {
  if (!(a->spaces & b->spaces) || (a->root == NORN_ROOT_DATA) != (b->root == NORN_ROOT_DATA))
    return NORN_NO_ALIAS;
  if (!is_same_base(a, b))
    return a->root && b->root && a->root != b->root ? NORN_NO_ALIAS : NORN_MAY_ALIAS;
  if (!distance(a, b))
    return a->size == b->size && a->spaces == b->spaces ? NORN_MUST_ALIAS : NORN_MAY_ALIAS;
  return distance(a, b) < a->size || distance(b, a) < b->size ? NORN_MAY_ALIAS : NORN_NO_ALIAS;
}

/* Whether both accesses combine the same operand in the same way. Such accesses are to whole
 * aligned words or pairs, so they either coincide or are disjoint. */
static bool
do_the_same(const NornMemoryAccess *a, const NornMemoryAccess *b) {
  return a->combine && a->combine == b->combine && a->operand == b->operand && a->size == b->size;
}

bool
norn_conflict(const NornMemoryAccess *a, const NornMemoryAccess *b) {
  return (a->writes || b->writes) && !do_the_same(a, b) && norn_alias(a, b) != NORN_NO_ALIAS;
}

bool
norn_covers(const NornMemoryAccess *a, const NornMemoryAccess *b) {
  return !(b->spaces & ~a->spaces) && is_same_base(a, b) && distance(a, b) < a->size &&
         a->size - distance(a, b) >= b->size;
}

/* Whether every access that conflicts with b also conflicts with a. */
static bool
stands_for(const NornMemoryAccess *a, const NornMemoryAccess *b) {
  if (a->combine && !do_the_same(a, b))
    return false;
  if (a->base == NORN_BASE_UNKNOWN || !a->size) /* it may be anywhere */
    return !(b->spaces & ~a->spaces) && (!a->root || a->root == b->root);
  return norn_covers(a, b);
}

bool
norn_split_address(const NornFunction *function, NornRef *address, int64_t *offset,
                   unsigned address_bits) {
  if (norn_ref_kind(*address) != NORN_REF_VALUE)
    return false;
  const NornValue *value = norn_value(function, norn_ref_payload(*address));
  if (value->is_parameter || norn_inst(function, value->def)->op != NORN_OP_IADD)
    return false;
  for (unsigned k = 0; k < 2; k++) {
    NornRef constant = norn_operand(function, value->def, k);
    if (!norn_is_constant(constant))
      continue;
    uint64_t sum = (uint64_t)*offset + norn_constant_bits(function->module, constant);
    *offset = address_bits == 64 ? (int64_t)sum : (int32_t)(uint32_t)sum;
    *address = norn_operand(function, value->def, 1 - k);
    return true;
  }
  return false;
}

/* --- Generic instructions --- */

/* The spaces of operations without an address. Operations not listed here may touch anything. */
static const uint8_t spaces_of[NORN_OP_COUNT] = {
    [NORN_OP_IMAGE_LOAD] = NORN_SPACE_GLOBAL,      [NORN_OP_IMAGE_STORE] = NORN_SPACE_GLOBAL,
    [NORN_OP_IMAGE_ATOMIC] = NORN_SPACE_GLOBAL,    [NORN_OP_IMAGE_CMPXCHG] = NORN_SPACE_GLOBAL,
    [NORN_OP_STORE_POSITION] = NORN_SPACE_OUTPUT,  [NORN_OP_STORE_POINT_SIZE] = NORN_SPACE_OUTPUT,
    [NORN_OP_STORE_LAYER] = NORN_SPACE_OUTPUT,     [NORN_OP_STORE_VIEWPORT] = NORN_SPACE_OUTPUT,
    [NORN_OP_STORE_VARYING] = NORN_SPACE_OUTPUT,   [NORN_OP_STORE_COLOR] = NORN_SPACE_OUTPUT,
    [NORN_OP_STORE_COLOR_IF] = NORN_SPACE_OUTPUT,  [NORN_OP_STORE_SECOND_COLOR] = NORN_SPACE_OUTPUT,
    [NORN_OP_STORE_DEPTH] = NORN_SPACE_OUTPUT,     [NORN_OP_STORE_STENCIL] = NORN_SPACE_OUTPUT,
    [NORN_OP_STORE_COVERAGE] = NORN_SPACE_OUTPUT,  [NORN_OP_LOAD_TILE] = NORN_SPACE_OUTPUT,
    [NORN_OP_LOAD_TILE_DEPTH] = NORN_SPACE_OUTPUT, [NORN_OP_LOAD_TILE_STENCIL] = NORN_SPACE_OUTPUT,
    [NORN_OP_STORE_TILE] = NORN_SPACE_OUTPUT,      [NORN_OP_BARRIER] = NORN_SPACES_OTHERS_SEE,
    [NORN_OP_FENCE] = NORN_SPACES_OTHERS_SEE,
};

/* The space of an access with an address. */
static uint8_t
space_of(uint64_t flags) {
  if (flags & NORN_OP_SHARED)
    return NORN_SPACE_WORKGROUP;
  return flags & NORN_OP_SCRATCH ? NORN_SPACE_THREAD : NORN_SPACE_GLOBAL;
}

/* --- Variables --- */

/* Additions between an address and its alloca. */
#define MAX_SUMS 8

/* The definition of a value if it is an alloca or an addition. */
static uint32_t
alloca_or_sum(const NornFunction *function, NornRef ref) {
  if (norn_ref_kind(ref) != NORN_REF_VALUE)
    return NORN_INDEX_NONE;
  const NornValue *value = norn_value(function, norn_ref_payload(ref));
  unsigned op = value->is_parameter ? NORN_OP_NONE : norn_inst(function, value->def)->op;
  return op == NORN_OP_ALLOCA || op == NORN_OP_IADD ? value->def : NORN_INDEX_NONE;
}

uint32_t
norn_stored_variable(const NornFunction *function, uint32_t inst) {
  if (norn_inst(function, inst)->op != NORN_OP_STORE_SCRATCH)
    return NORN_INDEX_NONE;
  uint32_t at = alloca_or_sum(function, norn_operand(function, inst, 1));
  for (unsigned k = 0; k < MAX_SUMS && at != NORN_INDEX_NONE; k++) {
    if (norn_inst(function, at)->op == NORN_OP_ALLOCA)
      return at;
    uint32_t left = alloca_or_sum(function, norn_operand(function, at, 0));
    uint32_t right = alloca_or_sum(function, norn_operand(function, at, 1));
    if (left != NORN_INDEX_NONE && right != NORN_INDEX_NONE)
      return NORN_INDEX_NONE;
    at = left != NORN_INDEX_NONE ? left : right;
  }
  return NORN_INDEX_NONE;
}

NornMemoryAccess
norn_access_anywhere(uint8_t spaces, bool reads, bool writes) {
  return (NornMemoryAccess){
      .base = NORN_BASE_UNKNOWN, .spaces = spaces, .reads = reads, .writes = writes};
}

/* The noalias uniform, or the constant data, that an address is computed from by additions; 0 if
 * there is none. */
static NornRef
find_root(const NornFunction *function, NornRef address, unsigned steps) {
  if (norn_ref_kind(address) == NORN_REF_UNIFORM) {
    const NornFau *fau = norn_module_fau_at(function->module, norn_ref_payload(address));
    return fau && fau->is_noalias ? address : 0;
  }
  const NornInst *inst = norn_defining_inst(function, address);
  if (inst && inst->op == NORN_OP_DATA_ADDRESS)
    return NORN_ROOT_DATA;
  if (!inst || (inst->op != NORN_OP_SHLADD && inst->op != NORN_OP_IADD))
    return 0;
  if (!steps)
    return NORN_ROOTS;
  if (inst->op == NORN_OP_SHLADD)
    return find_root(function, norn_operands(function, inst)[0], steps - 1);
  NornRef first = find_root(function, norn_operands(function, inst)[0], steps - 1);
  NornRef second = find_root(function, norn_operands(function, inst)[1], steps - 1);
  return first && second ? NORN_ROOTS : first | second;
}

unsigned
norn_access_bytes(const NornInst *inst) {
  bool extends = norn_ops[inst->op].flags & NORN_OP_WIDENS;
  return norn_type_bits((NornType)(extends ? inst->source_type : inst->type)) / 8;
}

/* Finds the address of an access as base and offset. */
static void
find_location(const NornFunction *function, uint32_t index, NornMemoryAccess *access) {
  const NornInst *inst = norn_inst(function, index);
  uint64_t flags = norn_ops[inst->op].flags;
  unsigned address = norn_address_operand(inst->op);
  NornRef base = norn_operand(function, index, address);
  int64_t offset = norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET);
  access->address_bits = flags & NORN_OP_GLOBAL ? 64 : 32;
  enum {
    SUMS = 16,     /* looked through, one per step of the walk */
    ROOT_STEPS = 4 /* of the walk to the root; each may fork in two */
  };
  for (unsigned k = 0; k < SUMS; k++)
    if (!norn_split_address(function, &base, &offset, access->address_bits))
      break;
  access->base = base;
  access->offset = (uint64_t)offset;
  if (flags & NORN_OP_GLOBAL) {
    NornRef root = find_root(function, base, ROOT_STEPS);
    access->root = root == NORN_ROOTS ? 0 : root;
  }
  if (norn_is_constant(base)) {
    access->base = NORN_BASE_ZERO;
    access->offset += norn_constant_bits(function->module, base);
  }
  if (access->address_bits == 32)
    access->offset = (uint32_t)access->offset;
  if (flags & NORN_OP_BUFFERS)
    access->handle = norn_operand(function, index, address - 1);
  access->size = (uint8_t)norn_access_bytes(inst);
}

bool
norn_describe_access(const NornFunction *function, uint32_t index, NornMemoryAccess *access) {
  const NornInst *inst = norn_inst(function, index);
  uint64_t flags = norn_is_machine(inst) ? NORN_OP_READS_MEMORY | NORN_OP_WRITES_MEMORY
                                         : norn_ops[inst->op].flags;
  if (!(flags & (NORN_OP_READS_MEMORY | NORN_OP_WRITES_MEMORY | NORN_OP_ORDERS)))
    return false;
  bool orders = flags & NORN_OP_ORDERS;
  bool has_address = flags & NORN_OP_SPACES;
  uint8_t spaces = has_address ? space_of(flags) : norn_is_machine(inst) ? 0 : spaces_of[inst->op];
  *access = norn_access_anywhere(spaces ? spaces : NORN_SPACES_ALL,
                                 orders || flags & NORN_OP_READS_MEMORY,
                                 orders || flags & NORN_OP_WRITES_MEMORY);
  access->tag = index;
  if (has_address)
    find_location(function, index, access);
  return true;
}

bool
norn_is_plain_store(const NornInst *inst) {
  if (norn_is_machine(inst))
    return false;
  uint64_t flags = norn_ops[inst->op].flags;
  return flags & NORN_OP_SPACES && (flags & NORN_OP_STAYS) == NORN_OP_WRITES_MEMORY;
}

/* --- Sets --- */

void
norn_access_set_init(NornAccessSet *set, NornArena *arena, unsigned capacity) {
  NORN_ASSERT(capacity >= 2);
  *set = (NornAccessSet){.arena = arena, .capacity = (uint16_t)capacity};
}

/* Makes room for that many accesses, keeping the old ones. */
static void
make_room(NornAccessSet *set, unsigned count) {
  NORN_ASSERT(count <= set->capacity);
  if (count <= set->room)
    return;
  set->room = (uint16_t)MIN(MAX(count, 2u * set->room), set->capacity);
  NornMemoryAccess *accesses = NORN_NEW(set->arena, NornMemoryAccess, set->room);
  if (set->count)
    memcpy(accesses, set->accesses, set->count * sizeof *accesses);
  set->accesses = accesses;
}

void
norn_access_set_copy(NornAccessSet *to, const NornAccessSet *from) {
  to->count = 0;
  if (from->count > to->capacity) {
    norn_access_set_merge(to, from);
    return;
  }
  make_room(to, from->count);
  to->count = from->count;
  if (from->count)
    memcpy(to->accesses, from->accesses, from->count * sizeof *from->accesses);
}

/* Adds the spaces and effects of one access to another, whose address becomes unknown. */
static void
absorb(NornMemoryAccess *into, const NornMemoryAccess *access) {
  *into = norn_access_anywhere(into->spaces | access->spaces, into->reads || access->reads,
                               into->writes || access->writes);
}

/* Leaves one access for each set of spaces, or a single access if the sets of spaces alone would
 * fill the set. */
static void
summarize(NornAccessSet *set, uint32_t tag) {
  unsigned count = 0;
  NORN_ASSERT(set->count == set->capacity);
  for (unsigned i = 0; i < set->count; i++) {
    NornMemoryAccess access = set->accesses[i];
    unsigned at = 0;
    while (at < count && set->accesses[at].spaces != access.spaces)
      at++;
    absorb(&access, at < count ? &set->accesses[at] : &access);
    access.tag = tag;
    set->accesses[at] = access;
    count = MAX(count, at + 1);
  }
  for (unsigned i = 1; count == set->capacity && i < count; i++)
    absorb(&set->accesses[0], &set->accesses[i]);
  set->count = (uint16_t)(count == set->capacity ? 1 : count);
  set->accesses[0].tag = tag;
}

/* The index of the first access, from `i` on, that this access stands for, or the number of
 * accesses. Most sets hold disjoint places, which base and offset suffice to tell apart. */
static unsigned
find_covered(const NornAccessSet *set, const NornMemoryAccess *access, unsigned i) {
  bool is_anywhere = access->base == NORN_BASE_UNKNOWN || !access->size;
  for (; i < set->count; i++) {
    const NornMemoryAccess *old = &set->accesses[i];
    bool may_cover =
        is_anywhere || (old->base == access->base && distance(access, old) < access->size);
    if (may_cover && stands_for(access, old))
      break;
  }
  return i;
}

/* Drops the accesses that this one stands for: whatever conflicts with them also conflicts with
 * this one. (A read does not stand for another read, since reads are not ordered among themselves;
 * the same holds for accesses that combine in the same way.) */
static void
drop_covered(NornAccessSet *set, const NornMemoryAccess *access) {
  unsigned kept = find_covered(set, access, 0);
  for (unsigned i = kept, next; i < set->count; i = next) {
    next = find_covered(set, access, i + 1);
    memmove(&set->accesses[kept], &set->accesses[i + 1], (next - i - 1) * sizeof *set->accesses);
    kept += next - i - 1;
  }
  set->count = (uint16_t)kept;
}

void
norn_access_set_add(NornAccessSet *set, const NornMemoryAccess *access) {
  if (norn_access_set_is_full(set))
    summarize(set, access->tag);
  if (access->writes && !access->combine)
    drop_covered(set, access);
  make_room(set, set->count + 1u);
  set->accesses[set->count++] = *access;
}

bool
norn_access_set_include(NornAccessSet *set, const NornMemoryAccess *access) {
  for (unsigned i = 0; i < set->count; i++) {
    const NornMemoryAccess *old = &set->accesses[i];
    if (old->writes >= access->writes && stands_for(old, access))
      return false;
  }
  norn_access_set_add(set, access);
  return true;
}

bool
norn_access_set_merge(NornAccessSet *into, const NornAccessSet *from) {
  bool changed = false;
  for (unsigned i = 0; i < from->count; i++)
    changed |= norn_access_set_include(into, &from->accesses[i]);
  return changed;
}

void
norn_access_set_forget_base(NornAccessSet *set, NornRef value) {
  for (unsigned i = 0; i < set->count; i++) {
    NornMemoryAccess *access = &set->accesses[i];
    if (access->base == value || access->handle == value)
      access->base = NORN_BASE_UNKNOWN;
    if (access->operand == value)
      access->combine = 0;
  }
}

const NornMemoryAccess *
norn_access_set_conflict(const NornAccessSet *set, const NornMemoryAccess *access, unsigned *end) {
  while (*end)
    if (norn_conflict(&set->accesses[--*end], access))
      return &set->accesses[*end];
  return NULL;
}
