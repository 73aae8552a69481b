/* Operations between lanes on a machine that has a vote and an exchange: ballot, and shuffle, which
 * reads from any lane of the subgroup, and 0 from an inactive one. Also the position of the
 * invocation in its workgroup, which follows from the workgroup's size.
 *
 * Reductions and scans take four rounds if all lanes are active. That is the case in workgroups
 * that fill their subgroups, except in blocks that depend on a divergent branch. Elsewhere an
 * exchange between partners would lose what inactive lanes have to pass on. There, in round k of a
 * reduction, the lanes of a group of 2^k all have the combination of its active lanes, so that any
 * active lane of the partner group will do: the lowest one in the ballot. A scan of integers does
 * the same with the totals of groups. A scan of floats, whose order of additions is fixed, is
 * computed by each lane separately from all lanes below. */
#include "ir/analysis/divergence.h"
#include "ir/numeric.h"
#include "passes/lower/short_names.h"

/* Lanes of a subgroup: a power of two, at most NORN_SUBGROUP_LANES. */
#define LANES ((unsigned)l->context->target->subgroup_lanes)

/* --- Blocks where all lanes are active --- */

static bool
depends_on_active_lanes(unsigned op) {
  switch (op) {
  case NORN_OP_BALLOT:
  case NORN_OP_BROADCAST_FIRST:
  case NORN_OP_IREDUCE:
  case NORN_OP_FREDUCE:
  case NORN_OP_ISCAN:
  case NORN_OP_ISCAN_EXCLUSIVE:
  case NORN_OP_FSCAN:
  case NORN_OP_FSCAN_EXCLUSIVE:
    return true;
  default:
    return false;
  }
}

static bool
has_dependents(const NornFunction *function) {
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst)
      if (depends_on_active_lanes(norn_inst(function, inst)->op))
        return true;
  return false;
}

/* The ballot of all lanes. */
static NornRef
all_lanes(const NornPassContext *context) {
  return norn_constant(context->module, (UINT64_C(1) << context->target->subgroup_lanes) - 1);
}

/* Marks the blocks that can be reached from the block without passing `end`. */
static void
mark_reached(NornArena *arena, const NornDominance *flow, uint32_t block, uint32_t end,
             bool *marked, uint32_t *queue) {
  NornArenaMark mark = norn_arena_mark(arena);
  bool *seen = NORN_NEW0(arena, bool, flow->block_count);
  uint32_t count = 0;
  queue[count++] = block;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < norn_successor_count(flow, queue[i]); k++) {
      uint32_t to = norn_successor(flow, queue[i], k);
      if (to == end || seen[to])
        continue;
      seen[to] = marked[to] = true;
      if (to != block)
        queue[count++] = to;
    }
  norn_arena_release(arena, mark);
}

bool *
norn_lower_find_diverged(NornPassContext *context, NornFunction *function) {
  NornArena *arena = &context->arena;
  const NornModule *module = function->module;
  uint64_t size = (uint64_t)module->workgroup[0] * module->workgroup[1] * module->workgroup[2];
  bool fills = module->stage == NORN_STAGE_COMPUTE && function == module->functions[0] && size &&
               size % context->target->subgroup_lanes == 0;
  if (!fills || !has_dependents(function))
    return NULL;
  bool *diverged = NORN_NEW0(arena, bool, function->block_count);
  uint32_t *queue = NORN_NEW(arena, uint32_t, (size_t)function->block_count + 1);
  NornDominance *flow = norn_dominance_new(arena, function);
  uint32_t *ends = norn_post_dominators(arena, flow);
  norn_divergence_mark(arena, function, flow);
  for (uint32_t i = 0; i < flow->order_count; i++) {
    uint32_t block = flow->order[i], last = norn_block_terminator(function, block);
    if (last != NORN_INDEX_NONE && norn_inst(function, last)->flags & NORN_INST_DIVERGENT)
      mark_reached(arena, flow, block, ends[block], diverged, queue);
  }
  return diverged;
}

bool
norn_lower_full_ballots(const NornPassContext *context, NornFunction *function,
                        const bool *diverged, NornReplacements *replacements) {
  NornRef yes = norn_constant(function->module, 1);
  bool any = false;
  norn_for_each_block (function, block)
    for (uint32_t inst = norn_block(function, block)->first, next; inst != NORN_INDEX_NONE;
         inst = next) {
      const NornInst *self = norn_inst(function, inst);
      next = self->next;
      if (!diverged || diverged[block] || self->op != NORN_OP_BALLOT ||
          norn_operands(function, self)[0] != yes)
        continue;
      norn_replacements_set(replacements, self->result, all_lanes(context));
      norn_inst_erase(function, inst);
      any = true;
    }
  return any;
}

static bool
all_are_active(const NornLowering *l) {
  return l->diverged && !l->diverged[l->builder.block];
}

/* --- Helpers --- */

static NornRef
ballot_of(NornLowering *l, NornRef condition) {
  return norn_lower_one(l, NORN_OP_BALLOT, NORN_TYPE_VOID, condition);
}

static NornRef
active_lanes(NornLowering *l) {
  return all_are_active(l) ? all_lanes(l->context) : ballot_of(l, norn_constant(l->module, 1));
}

static NornRef
lane_number(NornLowering *l) {
  return norn_lower_emit(l, NORN_OP_LANE_ID, NORN_TYPE_VOID, NORN_TYPE_VOID, 0, 0, 0, 0);
}

static NornRef
zero_of(NornLowering *l) {
  return norn_constant(l->module, 0);
}

/* The operation that the modifier of a reduction or scan stands for. */
static NornOp
combiner(const NornLowering *l) {
  return norn_reduction_combiner(norn_types[l->type].class == NORN_CLASS_FLOAT, l->modifier);
}

static NornRef
combine(NornLowering *l, NornRef a, NornRef b) {
  return norn_lower_two(l, combiner(l), l->type, a, b);
}

/* The result of an exclusive scan without lower lanes: the neutral element, except for sums of
 * floats, where it is +0 as in SPIR-V. */
static NornRef
neutral(NornLowering *l) {
  unsigned width = norn_lane_width(l->type);
  NornFloatFormat format = norn_float_of_width(width);
  uint64_t sign = UINT64_C(1) << (width - 1);
  switch (combiner(l)) {
  case NORN_OP_SMIN:
    return norn_lower_constant(l, l->type, sign - 1);
  case NORN_OP_SMAX:
    return norn_lower_constant(l, l->type, sign);
  case NORN_OP_UMIN:
  case NORN_OP_AND:
    return norn_lower_constant(l, l->type, UINT64_MAX);
  case NORN_OP_FMIN:
    return norn_lower_constant(l, l->type, norn_float_infinity(format, false));
  case NORN_OP_FMAX:
    return norn_lower_constant(l, l->type, norn_float_infinity(format, true));
  case NORN_OP_IMUL:
    return norn_lower_constant(l, l->type, 1);
  case NORN_OP_FMUL:
    return norn_lower_constant(l, l->type, norn_float_one(format, false));
  default:
    return zero_of(l);
  }
}

/* --- Votes and exchanges --- */

static NornRef
lower_vote(NornLowering *l, NornRef *more) {
  (void)more;
  if (l->op == NORN_OP_ANY)
    return ICMP(NE, I32, ballot_of(l, l->a), WORD(0));
  return ICMP(EQ, I32, ballot_of(l, ONE(NOT, I1, l->a)), WORD(0));
}

static NornRef
lower_first(NornLowering *l, NornRef *more) {
  (void)more;
  return TWO(SHUFFLE, l->type, l->a, ONE(CTZ, I32, active_lanes(l)));
}

static NornRef
lower_distant(NornLowering *l, NornRef *more) {
  (void)more;
  bool is_up = l->op == NORN_OP_SHUFFLE_UP;
  NornRef lane = lane_number(l);
  NornRef source = is_up ? TWO(ISUB, I32, lane, l->b) : TWO(IADD, I32, lane, l->b);
  NornRef is_inside =
      is_up ? ICMP(ULE, I32, l->b, lane) : ICMP(ULT, I32, l->b, TWO(ISUB, I32, WORD(LANES), lane));
  NornRef value = TWO(SHUFFLE, l->type, l->a, source);
  return THREE(SELECT, l->type, is_inside, value, zero_of(l));
}

/* --- Reductions --- */

/* The active lanes of the group of `size` lanes that this lane's group is paired with, as a mask
 * starting at its first lane; *source: the lowest of them. */
static NornRef
partners(NornLowering *l, NornRef active, NornRef lane, unsigned size, NornRef *source) {
  NornRef first = TWO(XOR, I32, lane, WORD(size));
  first = TWO(AND, I32, first, WORD(LANES - size));
  NornRef mask = TWO(AND, I32, TWO(LSHR, I32, active, first), WORD((1u << size) - 1));
  *source = TWO(IADD, I32, first, ONE(CTZ, I32, mask));
  return mask;
}

static NornRef
lower_reduction(NornLowering *l, NornRef *more) {
  (void)more;
  uint64_t cluster = norn_is_constant(l->b) ? norn_constant_bits(l->module, l->b) : 0;
  NornRef value = l->a;
  if (norn_type_in(l->context->target->missing_types, l->type) || !cluster)
    return 0;
  if (all_are_active(l)) {
    for (unsigned size = 1; size < MIN(cluster, LANES); size *= 2)
      value = combine(l, value, TWO(SHUFFLE_XOR, l->type, value, WORD(size)));
    return value;
  }
  NornRef active = active_lanes(l), lane = lane_number(l);
  for (unsigned size = 1; size < MIN(cluster, LANES); size *= 2) {
    NornRef source, mask = partners(l, active, lane, size, &source);
    NornRef both = combine(l, value, TWO(SHUFFLE, l->type, value, source));
    value = THREE(SELECT, l->type, ICMP(NE, I32, mask, WORD(0)), both, value);
  }
  return value;
}

/* --- Scans --- */

static bool
is_exclusive(const NornLowering *l) {
  return l->op == NORN_OP_ISCAN_EXCLUSIVE || l->op == NORN_OP_FSCAN_EXCLUSIVE;
}

static NornRef
scan_all(NornLowering *l) {
  NornRef value = l->a, lane = lane_number(l);
  for (unsigned distance = 1; distance < LANES; distance *= 2) {
    NornRef source = TWO(ISUB, I32, lane, WORD(distance));
    NornRef both = combine(l, TWO(SHUFFLE, l->type, value, source), value);
    value = THREE(SELECT, l->type, ICMP(ULT, I32, lane, WORD(distance)), value, both);
  }
  if (!is_exclusive(l))
    return value;
  /* What can be undone is, since that takes no exchange. */
  if (combiner(l) == NORN_OP_IADD)
    return TWO(ISUB, l->type, value, l->a);
  if (combiner(l) == NORN_OP_XOR)
    return TWO(XOR, l->type, value, l->a);
  NornRef below = TWO(SHUFFLE, l->type, value, TWO(ISUB, I32, lane, WORD(1)));
  return THREE(SELECT, l->type, ICMP(EQ, I32, lane, WORD(0)), neutral(l), below);
}

static NornRef
scan_integers(NornLowering *l) {
  NornRef active = active_lanes(l), lane = lane_number(l);
  NornRef total = l->a, value = is_exclusive(l) ? neutral(l) : l->a;
  for (unsigned size = 1; size < LANES; size *= 2) {
    NornRef source, mask = partners(l, active, lane, size, &source);
    NornRef is_there = ICMP(NE, I32, mask, WORD(0));
    NornRef is_upper = ICMP(NE, I32, TWO(AND, I32, lane, WORD(size)), WORD(0));
    NornRef other = TWO(SHUFFLE, l->type, total, source);
    NornRef is_below = TWO(AND, I1, is_there, is_upper);
    value = THREE(SELECT, l->type, is_below, combine(l, other, value), value);
    total = THREE(SELECT, l->type, is_there, combine(l, total, other), total);
  }
  return value;
}

/* The value that a lane has after some rounds, and whether it has any. */
typedef struct Part {
  NornRef value, is_there;
} Part;

/* The combination of the `size` lanes that end `distance` below this one. Bit 31 - k of `below`:
 * the lane k below is active. */
static Part
window(NornLowering *l, NornRef lane, NornRef below, unsigned distance, unsigned size) {
  if (size == 1) {
    NornRef bit = TWO(AND, I32, below, WORD(1u << (31 - distance)));
    NornRef source = TWO(ISUB, I32, lane, WORD(distance));
    NornRef value = distance ? TWO(SHUFFLE, l->type, l->a, source) : l->a;
    return (Part){value, ICMP(NE, I32, bit, WORD(0))};
  }
  Part upper = window(l, lane, below, distance, size / 2);
  if (distance + size / 2 >= LANES)
    return upper;
  Part lower = window(l, lane, below, distance + size / 2, size / 2);
  NornRef both = combine(l, lower.value, upper.value);
  NornRef one = THREE(SELECT, l->type, lower.is_there, lower.value, upper.value);
  NornRef are_both = TWO(AND, I1, lower.is_there, upper.is_there);
  NornRef value = THREE(SELECT, l->type, are_both, both, one);
  return (Part){value, TWO(OR, I1, lower.is_there, upper.is_there)};
}

static NornRef
scan_floats(NornLowering *l) {
  NornRef active = active_lanes(l), lane = lane_number(l);
  NornRef below = TWO(SHL, I32, active, TWO(ISUB, I32, WORD(31), lane));
  Part part = window(l, lane, below, is_exclusive(l), LANES);
  if (!is_exclusive(l))
    return part.value;
  return THREE(SELECT, l->type, part.is_there, part.value, neutral(l));
}

static NornRef
lower_scan(NornLowering *l, NornRef *more) {
  (void)more;
  if (norn_type_in(l->context->target->missing_types, l->type))
    return 0;
  if (all_are_active(l))
    return scan_all(l);
  return norn_types[l->type].class == NORN_CLASS_FLOAT ? scan_floats(l) : scan_integers(l);
}

/* --- Derivatives --- */

static NornRef
lower_derivative(NornLowering *l, NornRef *more) {
  (void)more;
  bool is_x = l->op == NORN_OP_DDX;
  unsigned axis = is_x ? 1 : 2;
  if (norn_type_in(l->context->target->missing_types, l->type))
    return 0;
  if (l->modifier == NORN_DERIVATIVE_COARSE) {
    NornRef far = TWO(QUAD_BROADCAST, l->type, l->a, WORD(axis));
    NornRef near = TWO(QUAD_BROADCAST, l->type, l->a, WORD(0));
    return TWO(FSUB, l->type, far, near);
  }
  NornRef other = norn_lower_emit(l, NORN_OP_QUAD_SWAP, l->type, NORN_TYPE_VOID,
                                  is_x ? NORN_NEIGHBOR_X : NORN_NEIGHBOR_Y, l->a, 0, 0);
  NornRef is_near = ICMP(EQ, I32, TWO(AND, I32, lane_number(l), WORD(axis)), WORD(0));
  NornRef far = THREE(SELECT, l->type, is_near, other, l->a);
  NornRef near = THREE(SELECT, l->type, is_near, l->a, other);
  return TWO(FSUB, l->type, far, near);
}

/* --- Position of the invocation --- */

static NornRef
lower_position(NornLowering *l, NornRef *more) {
  (void)more;
  const uint32_t *size = l->module->workgroup;
  if (!size[0] || !size[1] || !size[2])
    return 0;
  if (l->op == NORN_OP_WORKGROUP_SIZE)
    return WORD(size[l->modifier]);
  NornRef index = 0;
  for (unsigned axis = 3; axis-- > 0;) {
    if (size[axis] == 1)
      continue;
    NornRef local =
        norn_lower_emit(l, NORN_OP_LOCAL_ID, NORN_TYPE_VOID, NORN_TYPE_VOID, axis, 0, 0, 0);
    if (index)
      index = TWO(IADD, I32, TWO(IMUL, I32, index, WORD(size[axis])), local);
    else
      index = local;
  }
  if (!index)
    index = WORD(0);
  return l->op == NORN_OP_LOCAL_INDEX ? index
                                      : TWO(LSHR, I32, index, WORD((unsigned)__builtin_ctz(LANES)));
}

const NornLowerFunction norn_lower_lanes[NORN_OP_COUNT] = {
    [NORN_OP_ANY] = lower_vote,
    [NORN_OP_ALL] = lower_vote,
    [NORN_OP_BROADCAST_FIRST] = lower_first,
    [NORN_OP_SHUFFLE_UP] = lower_distant,
    [NORN_OP_SHUFFLE_DOWN] = lower_distant,
    [NORN_OP_IREDUCE] = lower_reduction,
    [NORN_OP_FREDUCE] = lower_reduction,
    [NORN_OP_ISCAN] = lower_scan,
    [NORN_OP_ISCAN_EXCLUSIVE] = lower_scan,
    [NORN_OP_FSCAN] = lower_scan,
    [NORN_OP_FSCAN_EXCLUSIVE] = lower_scan,
    [NORN_OP_DDX] = lower_derivative,
    [NORN_OP_DDY] = lower_derivative,
    [NORN_OP_LOCAL_INDEX] = lower_position,
    [NORN_OP_SUBGROUP_ID] = lower_position,
    [NORN_OP_WORKGROUP_SIZE] = lower_position,
};
