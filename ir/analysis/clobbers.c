/* Finds clobbers by walking up the dominator tree.
 *
 * If no earlier write in the block of the read conflicts with it, memory is the same as at the
 * start of the block. It is also the same as at the end of the immediate dominator if no path
 * between the two writes. Those paths are walked backward once for each block with several
 * predecessors, up to a limit. The walk continues until it finds a write or such a start. It ends
 * where the address is defined: before that point, nothing is known about accesses to it.
 *
 * Memory that other invocations see is not followed into a loop from before it, since front ends
 * emit loops that wait for another invocation with plain loads. */
#include "ir/analysis/clobbers.h"
#include "ir/ops.h"

/* Limit on the blocks between a block and its immediate dominator. */
#define MAX_BETWEEN 32
/* Limit on the steps up the dominator tree. */
#define MAX_STEPS 16

void
norn_clobbers_init(NornClobbers *clobbers, NornArena *arena, const NornFunction *function,
                   const NornDominance *dominance) {
  *clobbers = (NornClobbers){
      .arena = arena,
      .function = function,
      .dominance = dominance,
      .first_start = function->inst_count,
      .writes = NORN_NEW0(arena, NornAccessSet, function->block_count),
      .between = NORN_NEW0(arena, NornAccessSet *, function->block_count),
      .stamp = NORN_NEW0(arena, uint32_t, function->block_count),
  };
  norn_access_set_init(&clobbers->none, arena, NORN_MAX_WRITES);
}

/* The writes of the block. */
static const NornAccessSet *
writes_of(NornClobbers *clobbers, uint32_t block) {
  const NornFunction *function = clobbers->function;
  NornAccessSet *writes = &clobbers->writes[block];
  if (writes->arena)
    return writes;
  norn_access_set_init(writes, clobbers->arena, NORN_MAX_WRITES);
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = norn_inst(function, index);
    NornMemoryAccess access;
    if ((norn_is_machine(inst) || norn_ops[inst->op].flags & NORN_OP_WRITES_MEMORY) &&
        norn_describe_access(function, index, &access))
      norn_access_set_add(writes, &access);
  }
  return writes;
}

/* Walks the paths to the block backward, as far as its immediate dominator. */
static void
collect_between(NornClobbers *clobbers, uint32_t block, NornAccessSet *set) {
  const NornDominance *dominance = clobbers->dominance;
  uint32_t work[MAX_BETWEEN], count = 0, seen = 0, stop = dominance->idom[block];
  bool is_header = dominance->loop_header[block] == block;
  NornMemoryAccess others = norn_access_anywhere(NORN_SPACES_OTHERS_SEE, true, true);
  if (is_header)
    norn_access_set_include(set, &others);
  for (uint32_t from = block;; from = work[--count]) {
    for (uint32_t k = 0; k < norn_predecessor_count(dominance, from); k++) {
      uint32_t before = norn_predecessor(dominance, from, k);
      if (before == stop || clobbers->stamp[before] == block + 1)
        continue;
      clobbers->stamp[before] = block + 1;
      norn_access_set_merge(set, writes_of(clobbers, before));
      if (++seen > MAX_BETWEEN) {
        NornMemoryAccess anything = norn_access_anywhere(NORN_SPACES_ALL, true, true);
        norn_access_set_include(set, &anything);
        return;
      }
      if (dominance->loop_header[before] == before && !is_header)
        norn_access_set_include(set, &others);
      work[count++] = before;
    }
    if (!count)
      return;
  }
}

static const NornAccessSet *
writes_between(NornClobbers *clobbers, uint32_t block) {
  if (norn_predecessor_count(clobbers->dominance, block) == 1) /* its immediate dominator */
    return &clobbers->none;
  if (!clobbers->between[block]) {
    clobbers->between[block] = NORN_NEW(clobbers->arena, NornAccessSet, 1);
    norn_access_set_init(clobbers->between[block], clobbers->arena, NORN_MAX_WRITES);
    collect_between(clobbers, block, clobbers->between[block]);
  }
  return clobbers->between[block];
}

static const NornMemoryAccess *
last_conflict(const NornAccessSet *set, const NornMemoryAccess *read) {
  unsigned end = set->count;
  return norn_access_set_conflict(set, read, &end);
}

/* Whether a base or handle is defined in the block. */
static bool
is_made_in(const NornFunction *function, NornRef ref, uint32_t block) {
  if (ref == NORN_BASE_UNKNOWN || norn_ref_kind(ref) != NORN_REF_VALUE)
    return false;
  return norn_defining_block(function, norn_ref_payload(ref)) == block;
}

uint32_t
norn_find_clobber(NornClobbers *clobbers, const NornMemoryAccess *read, uint32_t block,
                  const NornAccessSet *before) {
  const NornFunction *function = clobbers->function;
  for (unsigned step = 0;; step++) {
    const NornMemoryAccess *write = last_conflict(before, read);
    if (write)
      return write->tag;
    if (step == MAX_STEPS || clobbers->dominance->idom[block] == block ||
        is_made_in(function, read->base, block) || is_made_in(function, read->handle, block) ||
        last_conflict(writes_between(clobbers, block), read))
      return clobbers->first_start + block;
    block = clobbers->dominance->idom[block];
    before = writes_of(clobbers, block);
  }
}
