/* Replaces two 16-bit parameters of a block by one parameter that is a pair.
 *
 * A sum or maximum of vectors of halves that a loop carries is one parameter for each component. If
 * the next values of two of them are computed alike, each from its own parameter and from the lanes
 * of another pair, a pair replaces them: pair-halves then pairs the instructions that update it,
 * and it takes half as many registers. Parameters for which each edge passes the lanes of a pair or
 * constants are paired, too. Parameters of several blocks that depend on each other, as those of a
 * loop and of a join within it do, become pairs together or not at all. */
#include "ir/builder.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/block_parameters.h"
#include "passes/optimize/halves.h"
#include <norn/build.h>

#define MAX_DEPTH 8      /* length of the chains of instructions that are compared */
#define MAX_VISITS 64    /* instructions compared for one pair of arguments */
#define MAX_PARTNERS 4   /* parameters that one is compared with */
#define MAX_TOGETHER 8   /* pairs that depend on each other */
#define MAX_ITERATIONS 4 /* over all blocks: pairs in inner loops lead to pairs in outer ones */

/* Two parameters of a block. */
typedef struct ParameterPair {
  uint32_t block, low, high; /* values */
} ParameterPair;

typedef struct ParameterPairing {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  NornReplacements replacements;
  uint32_t *partner;    /* by parameter: the other one of its pair + 1, or 0 */
  bool *is_high;        /* by parameter with a partner */
  const uint32_t *uses; /* by value */
  ParameterPair
      candidates[MAX_TOGETHER]; /* the current parameters, and those on which they depend */
  unsigned candidate_count;
  unsigned visits;
  bool changed;
} ParameterPairing;

/* --- Which values go together --- */

static bool
is_value(NornRef ref, uint32_t value) {
  return ref == norn_ref(NORN_REF_VALUE, value);
}

/* Whether two values are lanes 0 and 1 of a pair, possibly one that replaces two parameters. */
static bool
are_lanes(const ParameterPairing *pass, NornRef low, NornRef high) {
  const NornFunction *function = pass->function;
  if (norn_are_lanes(norn_pair_lane(function, low), norn_pair_lane(function, high)))
    return true;
  return norn_ref_kind(low) == NORN_REF_VALUE && norn_ref_kind(high) == NORN_REF_VALUE &&
         norn_value(function, norn_ref_payload(low))->is_parameter &&
         pass->partner[norn_ref_payload(low)] == norn_ref_payload(high) + 1 &&
         !pass->is_high[norn_ref_payload(low)];
}

/* Whether it pays to make a pair of two operands because other instructions can use it, too. */
static bool
are_shared(const ParameterPairing *pass, const NornRef refs[2], NornType type) {
  for (unsigned k = 0; k < 2; k++)
    if (norn_ref_kind(refs[k]) != NORN_REF_VALUE ||
        pass->uses[norn_ref_payload(refs[k])] < NORN_SHARED_USES)
      return false;
  return type == NORN_TYPE_F16;
}

static bool
is_free_half(const ParameterPairing *pass, uint32_t parameter, NornType type) {
  return norn_value(pass->function, parameter)->type == type && !pass->partner[parameter];
}

/* Whether two values are a candidate, possibly a new one. */
static bool
are_candidate(ParameterPairing *pass, NornRef low, NornRef high) {
  const NornFunction *function = pass->function;
  for (unsigned k = 0; k < pass->candidate_count; k++) {
    const ParameterPair *candidate = &pass->candidates[k];
    bool is_low = is_value(low, candidate->low), is_high = is_value(high, candidate->high);
    if (is_low || is_high || is_value(low, candidate->high) || is_value(high, candidate->low))
      return is_low && is_high;
  }
  if (low == high || norn_ref_kind(low) != NORN_REF_VALUE || norn_ref_kind(high) != NORN_REF_VALUE)
    return false;
  uint32_t values[2] = {norn_ref_payload(low), norn_ref_payload(high)};
  const NornValue *first = norn_value(function, values[0]),
                  *second = norn_value(function, values[1]);
  if (!first->is_parameter || !second->is_parameter || first->def != second->def ||
      !norn_pair_type(first->type) || !is_free_half(pass, values[0], first->type) ||
      !is_free_half(pass, values[1], first->type) || pass->candidate_count == MAX_TOGETHER)
    return false;
  pass->candidates[pass->candidate_count++] = (ParameterPair){first->def, values[0], values[1]};
  return true;
}

/* Whether pair-halves would make a pair of two values if the current parameters were one; sets
 * `*meets` if the values depend on these parameters. */
static bool
go_together(ParameterPairing *pass, NornRef low, NornRef high, unsigned depth, bool *meets) {
  NornFunction *function = pass->function;
  if (are_candidate(pass, low, high)) {
    *meets = true;
    return true;
  }
  if ((norn_is_constant(low) && norn_is_constant(high)) || are_lanes(pass, low, high))
    return true;
  const NornInst *a = norn_defining_inst(function, low), *b = norn_defining_inst(function, high);
  if (depth == MAX_DEPTH || pass->visits++ >= MAX_VISITS || !a || !b)
    return false;
  if (low == high) /* the hardware duplicates a value for both lanes as it reads it */
    return a->type == NORN_TYPE_F16;
  if (!norn_can_be_paired(pass->context, function, a))
    return false;
  uint32_t values = function->value_count;
  NornHalfOperands first = norn_half_operands(function, a, pass->uses, values);
  NornHalfOperands second = norn_half_operands(function, b, pass->uses, values);
  if (!norn_do_same(function, a, &first, b, &second))
    return false;
  unsigned shared = 0;
  for (unsigned k = 0; k < first.count; k++) {
    const NornRef refs[2] = {first.refs[k], second.refs[k]};
    if (!go_together(pass, refs[0], refs[1], depth + 1, meets) &&
        (!are_shared(pass, refs, first.types[k]) || shared++))
      return false;
  }
  return true;
}

/* What the edges into a block pass to two of its parameters. */
typedef struct Edges {
  ParameterPairing *pass;
  ParameterPair candidate;
  bool any_computed;       /* an edge passes values computed alike from candidates */
  bool any_lanes;          /* an edge passes values that are not constants */
  bool all_together;       /* each edge passes values that go together */
  bool are_inner_together; /* each edge from as deep a loop does */
} Edges;

static void
visit_edge(void *data, uint32_t terminator, const NornEdge *edge) {
  Edges *edges = data;
  ParameterPairing *pass = edges->pass;
  const NornFunction *function = pass->function;
  const uint32_t *depth = pass->dominance->loop_depth;
  const uint32_t values[2] = {edges->candidate.low, edges->candidate.high};
  NornRef refs[2];
  for (unsigned k = 0; k < 2; k++)
    refs[k] = norn_operand(function, terminator,
                           edge->operand + 1 + norn_value(function, values[k])->index);
  bool meets = false;
  pass->visits = 0;
  unsigned candidates = pass->candidate_count;
  bool together = go_together(pass, refs[0], refs[1], 0, &meets);
  if (!together)
    pass->candidate_count = candidates;
  bool are_passed_on = are_candidate(pass, refs[0], refs[1]);
  edges->any_computed |= together && meets && !are_passed_on;
  edges->any_lanes |= !norn_is_constant(refs[0]) && !are_passed_on;
  edges->all_together &= together;
  edges->are_inner_together &=
      together || depth[norn_inst(function, terminator)->block] < depth[edge->block];
}

/* --- Choosing --- */

/* Pairs two parameters and those on which they depend; returns whether that is worthwhile. */
static bool
choose_together(ParameterPairing *pass, ParameterPair candidate) {
  pass->candidates[0] = candidate;
  pass->candidate_count = 1;
  Edges all = {.all_together = true};
  for (unsigned k = 0; k < pass->candidate_count; k++) {
    Edges own = {.pass = pass,
                 .candidate = pass->candidates[k],
                 .all_together = true,
                 .are_inner_together = true};
    norn_for_each_edge_into(pass->function, pass->dominance, own.candidate.block, visit_edge, &own);
    if (!own.any_computed && !own.are_inner_together)
      return false;
    all.any_computed |= own.any_computed;
    all.any_lanes |= own.any_lanes;
    all.all_together &= own.all_together;
  }
  if (!all.any_computed && !(all.all_together && all.any_lanes))
    return false;
  for (unsigned k = 0; k < pass->candidate_count; k++) {
    ParameterPair self = pass->candidates[k];
    pass->partner[self.low] = self.high + 1;
    pass->partner[self.high] = self.low + 1;
    pass->is_high[self.high] = true;
  }
  return true;
}

/* Whether any parameters of the block were paired. */
static bool
choose_in_block(ParameterPairing *pass, uint32_t block) {
  const NornFunction *function = pass->function;
  unsigned count = norn_block(function, block)->parameter_count;
  bool has_chosen = false;
  for (unsigned k = 0; k + 1 < count; k++) {
    uint32_t low = norn_block_parameter(function, block, k);
    NornType type = norn_value(function, low)->type;
    if (!norn_pair_type(type) || pass->partner[low])
      continue;
    unsigned tries = 0;
    for (unsigned n = k + 1; n < count && tries < MAX_PARTNERS && !pass->partner[low]; n++) {
      uint32_t high = norn_block_parameter(function, block, n);
      if (!is_free_half(pass, high, type) ||
          !norn_pass_continues(pass->context,
                               (uint64_t)count * norn_predecessor_count(pass->dominance, block)))
        continue;
      tries++;
      has_chosen |= choose_together(pass, (ParameterPair){block, low, high});
    }
  }
  return has_chosen;
}

static void
choose(ParameterPairing *pass) {
  const NornDominance *dominance = pass->dominance;
  bool again = true;
  for (unsigned iteration = 0; again && iteration < MAX_ITERATIONS; iteration++) {
    again = false;
    for (uint32_t k = dominance->order_count; k-- > 1;)
      if (norn_pass_continues(pass->context, 1))
        again |= choose_in_block(pass, dominance->order[k]);
  }
}

/* --- Rewriting --- */

/* The pairs of a block. */
typedef struct BlockPairs {
  NornFunction *function;
  NornIndexList places[2]; /* of the two parameters of each pair */
  NornParameterChange change;
} BlockPairs;

static void
make_arguments(void *data, uint32_t terminator, const NornEdge *edge, NornRef *arguments) {
  const BlockPairs *pairs = data;
  NornFunction *function = pairs->function;
  NornBuilder builder = norn_builder_before(function, terminator);
  for (uint32_t k = 0; k < pairs->change.added.count; k++) {
    NornRef refs[2];
    for (unsigned lane = 0; lane < 2; lane++)
      refs[lane] =
          norn_operand(function, terminator, edge->operand + 1 + pairs->places[lane].items[k]);
    uint32_t low = norn_block_parameter(function, edge->block, pairs->places[0].items[k]);
    arguments[k] = norn_build_pair(&builder, norn_value(function, low)->type, refs);
  }
}

/* Replaces two parameters by the lanes of a pair. */
static void
build_lanes(ParameterPairing *pass, uint32_t block, const uint32_t values[2], uint32_t pair) {
  NornFunction *function = pass->function;
  NornBuilder builder = norn_builder_at_start(function, block);
  for (unsigned k = 0; k < 2; k++) {
    NornType type = norn_value(function, values[k])->type;
    NornRef lane =
        norn_build_extract(&builder, type, norn_pair_type(type), norn_ref(NORN_REF_VALUE, pair), k);
    norn_move_name(function, lane, values[k]);
    norn_replacements_set(&pass->replacements, values[k], lane);
  }
}

static void
make_pairs_of(ParameterPairing *pass, uint32_t block) {
  NornArena *arena = &pass->context->arena;
  NornFunction *function = pass->function;
  BlockPairs pairs = {.function = function};
  unsigned count = norn_block(function, block)->parameter_count;
  for (unsigned k = 0; k < count; k++) {
    uint32_t value = norn_block_parameter(function, block, k);
    if (!pass->partner[value])
      continue;
    norn_list_push(arena, &pairs.change.removed, k);
    if (pass->is_high[value])
      continue;
    uint32_t other = pass->partner[value] - 1, values[2] = {value, other};
    uint32_t pair =
        norn_parameter_create(function, norn_pair_type(norn_value(function, value)->type));
    norn_list_push(arena, &pairs.change.added, pair);
    for (unsigned lane = 0; lane < 2; lane++)
      norn_list_push(arena, &pairs.places[lane], norn_value(function, values[lane])->index);
    build_lanes(pass, block, values, pair);
  }
  if (!pairs.change.added.count)
    return;
  norn_block_change_parameters(function, pass->dominance, arena, block, &pairs.change,
                               make_arguments, &pairs);
  pass->changed = true;
}

bool
norn_pass_pair_parameters(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  if (!norn_has_parameters(function, 1u << NORN_TYPE_F16 | 1u << NORN_TYPE_I16)) {
    norn_pass_report(context, false);
    return true;
  }
  bool any_unreachable = norn_pass_remove_unreachable(context, function);
  ParameterPairing pass = {.context = context,
                           .function = function,
                           .dominance = norn_pass_dominance(context, function),
                           .replacements = {.arena = &context->arena},
                           .partner = NORN_NEW0(&context->arena, uint32_t, function->value_count),
                           .uses = norn_pass_use_counts(context, function),
                           .is_high = NORN_NEW0(&context->arena, bool, function->value_count),
                           .changed = any_unreachable};
  choose(&pass);
  for (uint32_t k = 1; k < pass.dominance->order_count; k++)
    make_pairs_of(&pass, pass.dominance->order[k]);
  norn_replacements_apply(&pass.replacements, function);
  norn_pass_report(context, pass.changed);
  return true;
}
