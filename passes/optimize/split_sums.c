/* Splits sums of products of 16-bit floats that loops carry into one partial sum for each lane of a
 * pair.
 *
 *   s = fma a.x, b.x, (fma a.y, b.y, s)      p = fma a, b, p, and after the loop s = p.x + p.y
 *
 * If a and b are pairs, this halves the number of multiplications. The second lane starts with -0,
 * which changes no sum, except for the sign of zero if rounding downward. Adding floats in another
 * order changes the rounding, so the pass only changes `finite` operations that are not exact,
 * where the options allow contraction. The loop must not use the sum in any other way, and if other
 * edges pass something else to the block after the loop, that must be a constant that adding -0
 * does not change. */
#include "ir/builder.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/block_parameters.h"
#include "passes/optimize/halves.h"
#include <norn/build.h>
#include <string.h>

#define MAX_PRODUCTS 32 /* in a sum */
#define NEGATIVE_ZERO 0x8000u

/* A product of two factors that are the same lane of pairs. */
typedef struct LaneProduct {
  NornRef pairs[2];
  unsigned lane;
} LaneProduct;

/* A sum carried by a loop. */
typedef struct CarriedSum {
  uint32_t header, parameter; /* the parameter is a value */
  uint32_t last;              /* the last instruction that adds to it */
  uint32_t exit; /* from this block on it may be used as a value; NORN_INDEX_NONE: nowhere */
  LaneProduct *products; /* of pairs */
  unsigned count;
  bool is_left; /* the sum is left unchanged */
} CarriedSum;

/* An edge that passes a sum to a parameter after its loop. */
typedef struct HandOver {
  uint32_t sum, block, place;
} HandOver;

typedef struct SumSplitting {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  const uint32_t *uses; /* by value */
  uint32_t value_count; /* before the pass */
  NORN_LIST(CarriedSum) sums;
  NORN_LIST(HandOver) handed_over;
  uint32_t *sum_of; /* by value that existed before the pass: the number of the sum that it is + 1,
                       or 0 */
  NornRef *pairs;   /* by value that existed before the pass: its partial sums, or 0 */
  NornReplacements replacements;
  bool changed;
} SumSplitting;

/* --- Products of pairs --- */

static bool
read_product(const SumSplitting *pass, const NornInst *inst, LaneProduct *product) {
  const NornRef *operands = norn_operands(pass->function, inst);
  NornPairLane a = norn_pair_lane(pass->function, operands[0]);
  NornPairLane b = norn_pair_lane(pass->function, operands[1]);
  *product = (LaneProduct){{a.pair, b.pair}, a.number};
  return a.pair && b.pair && a.number == b.number;
}

static bool
is_other_lane(const LaneProduct *a, const LaneProduct *b) {
  return a->lane != b->lane && ((a->pairs[0] == b->pairs[0] && a->pairs[1] == b->pairs[1]) ||
                                (a->pairs[0] == b->pairs[1] && a->pairs[1] == b->pairs[0]));
}

/* Keeps one of each two products that are the lanes of a product of pairs. Returns how many there
 * are, or 0 if a product has no partner. */
static unsigned
join_products(LaneProduct *products, unsigned count) {
  unsigned kept = 0;
  for (unsigned k = 0; k < count; k++) {
    unsigned other = k + 1;
    while (other < count && !is_other_lane(&products[k], &products[other]))
      other++;
    if (other == count)
      return 0;
    products[other] = products[k + 1];
    products[kept++] = products[k++];
  }
  return kept;
}

/* --- Sums --- */

static bool
may_be_split(const NornInst *inst) {
  return inst->op == NORN_OP_FMA && inst->type == NORN_TYPE_F16 && norn_inst_may_reassociate(inst);
}

/* Reads the products that are added to the parameter up to `ref`, each by an instruction with no
 * other use. Returns how many there are, or 0 if it is not such a sum. */
static unsigned
read_sum(const SumSplitting *pass, NornRef ref, uint32_t parameter, LaneProduct *products) {
  const NornFunction *function = pass->function;
  const NornInst *last = norn_defining_inst(function, ref);
  for (unsigned count = 0; count < MAX_PRODUCTS;) {
    const NornInst *inst = norn_defining_inst(function, ref);
    if (!inst || !may_be_split(inst) || inst->flags != last->flags || inst->block != last->block ||
        (count && pass->uses[inst->result] != 1) || !read_product(pass, inst, &products[count++]))
      return 0;
    ref = norn_operands(function, inst)[2];
    if (ref == norn_ref(NORN_REF_VALUE, parameter))
      return pass->uses[parameter] == 1 ? count : 0;
  }
  return 0;
}

/* The block after the loop whose only predecessor is `from`, or NORN_INDEX_NONE. */
static uint32_t
find_exit(const SumSplitting *pass, uint32_t header, uint32_t from) {
  const NornDominance *dominance = pass->dominance;
  for (uint32_t k = 0; k < norn_successor_count(dominance, from); k++) {
    uint32_t block = norn_successor(dominance, from, k);
    if (!norn_loop_contains(dominance, header, block) &&
        norn_predecessor_count(dominance, block) == 1)
      return block;
  }
  return NORN_INDEX_NONE;
}

typedef struct BackEdge {
  const SumSplitting *pass;
  uint32_t header, place;
  uint32_t count, from;
  NornRef argument;
} BackEdge;

static void
see_edge(void *data, uint32_t terminator, const NornEdge *edge) {
  BackEdge *back = data;
  const NornFunction *function = back->pass->function;
  uint32_t from = norn_inst(function, terminator)->block;
  if (norn_loop_contains(back->pass->dominance, back->header, from)) {
    back->count++;
    back->from = from;
    back->argument = norn_operand(function, terminator, edge->operand + 1 + back->place);
  }
}

static void
try_parameter(SumSplitting *pass, uint32_t header, unsigned place) {
  NornArena *arena = &pass->context->arena;
  uint32_t parameter = norn_block_parameter(pass->function, header, place);
  BackEdge back = {.pass = pass, .header = header, .place = place};
  LaneProduct products[MAX_PRODUCTS + 1];
  norn_for_each_edge_into(pass->function, pass->dominance, header, see_edge, &back);
  if (back.count != 1 ||
      !norn_pass_continues(pass->context, norn_block(pass->function, header)->parameter_count))
    return;
  unsigned count = read_sum(pass, back.argument, parameter, products);
  count = count ? join_products(products, count) : 0;
  if (!count)
    return;
  uint32_t value = norn_ref_payload(back.argument);
  CarriedSum sum = {.header = header,
                    .parameter = parameter,
                    .last = norn_value(pass->function, value)->def,
                    .exit = find_exit(pass, header, back.from),
                    .count = count};
  sum.products = NORN_NEW(arena, LaneProduct, count);
  memcpy(sum.products, products, count * sizeof *products);
  norn_list_push(arena, &pass->sums, sum);
  pass->sum_of[value] = pass->sums.count;
}

static void
find_sums(SumSplitting *pass) {
  const NornDominance *dominance = pass->dominance;
  for (uint32_t k = 1; k < dominance->order_count; k++) {
    uint32_t header = dominance->order[k];
    if (dominance->loop_header[header] != header)
      continue;
    for (unsigned n = 0; n < norn_block(pass->function, header)->parameter_count; n++)
      if (norn_value(pass->function, norn_block_parameter(pass->function, header, n))->type ==
          NORN_TYPE_F16)
        try_parameter(pass, header, n);
  }
}

/* --- Uses of sums --- */

static CarriedSum *
sum_named(SumSplitting *pass, NornRef ref) {
  uint32_t value = norn_ref_payload(ref);
  if (norn_ref_kind(ref) != NORN_REF_VALUE || value >= pass->value_count || !pass->sum_of[value])
    return NULL;
  return &pass->sums.items[pass->sum_of[value] - 1];
}

/* An edge may pass a sum to its own parameter, or to a block after its loop. */
static void
check_edge(SumSplitting *pass, uint32_t terminator, const NornEdge *edge) {
  for (uint32_t k = 0; k < edge->argument_count; k++) {
    CarriedSum *sum =
        sum_named(pass, norn_operand(pass->function, terminator, edge->operand + 1 + k));
    if (!sum)
      continue;
    bool is_own = edge->block == sum->header &&
                  norn_block_parameter(pass->function, edge->block, k) == sum->parameter;
    sum->is_left |= !is_own && norn_loop_contains(pass->dominance, sum->header, edge->block);
    if (!is_own)
      norn_list_push(&pass->context->arena, &pass->handed_over,
                     (HandOver){(uint32_t)(sum - pass->sums.items), edge->block, k});
  }
}

/* Instructions other than edges may use a sum only where its exit dominates. */
static void
check_uses(SumSplitting *pass) {
  const NornFunction *function = pass->function;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      if (norn_is_terminator(function, inst))
        norn_for_each_edge (function, index, edge)
          check_edge(pass, index, &edge);
      for (unsigned k = 0; k < inst->operand_count && !norn_is_terminator(function, inst); k++) {
        CarriedSum *sum = sum_named(pass, norn_operands(function, inst)[k]);
        if (sum)
          sum->is_left |=
              sum->exit == NORN_INDEX_NONE || !norn_dominates(pass->dominance, sum->exit, block);
      }
    }
}

/* Whether adding -0 does not change the constant: it is not flushed or quieted, and not
 * infinite. */
static bool
stays_with_zero(const SumSplitting *pass, NornRef ref) {
  if (!norn_is_constant(ref))
    return false;
  uint64_t bits = norn_constant_bits(pass->function->module, ref) & 0x7FFF;
  return bits ? bits >= 0x0400 && bits < 0x7C00 : pass->context->module->rounding == NORN_ROUND_RTE;
}

typedef struct Receiver {
  SumSplitting *pass;
  uint32_t place;
  bool suits;
} Receiver;

static void
check_argument(void *data, uint32_t terminator, const NornEdge *edge) {
  Receiver *receiver = data;
  NornRef ref =
      norn_operand(receiver->pass->function, terminator, edge->operand + 1 + receiver->place);
  const CarriedSum *sum = sum_named(receiver->pass, ref);
  receiver->suits &= sum ? !sum->is_left : stays_with_zero(receiver->pass, ref);
}

/* Leaves unchanged the sums that are passed to parameters that receive something unsuitable on
 * other edges, until all remaining sums suit each other. A sum that is handed on becomes unsuitable
 * with the later one, so the last ones come first. */
static void
check_receivers(SumSplitting *pass) {
  for (bool again = true; again;) {
    again = false;
    for (uint32_t k = pass->handed_over.count; k-- > 0;) {
      const HandOver *over = &pass->handed_over.items[k];
      Receiver receiver = {pass, over->place, true};
      if (pass->sums.items[over->sum].is_left)
        continue;
      norn_for_each_edge_into(pass->function, pass->dominance, over->block, check_argument,
                              &receiver);
      if (receiver.suits && norn_pass_continues(pass->context, 1))
        continue;
      pass->sums.items[over->sum].is_left = true;
      again = true;
    }
  }
}

/* --- Splitting --- */

/* The partial sums of a value; 0 if it has none. */
static NornRef
pair_for(const SumSplitting *pass, NornRef ref) {
  return norn_ref_kind(ref) == NORN_REF_VALUE && norn_ref_payload(ref) < pass->value_count
             ? pass->pairs[norn_ref_payload(ref)]
             : 0;
}

/* Creates the parameter for partial sums that replaces a parameter. */
static NornRef
replace_parameter(SumSplitting *pass, uint32_t parameter) {
  uint32_t pair = norn_parameter_create(pass->function, NORN_TYPE_V2F16);
  return pass->pairs[parameter] = norn_ref(NORN_REF_VALUE, pair);
}

/* Adds the products to a new parameter. */
static void
build_sum(SumSplitting *pass, const CarriedSum *sum) {
  NornRef pair = replace_parameter(pass, sum->parameter);
  NornBuilder builder = norn_builder_in_place_of(pass->function, sum->last);
  norn_builder_set_flags(&builder, NORN_INST_FINITE); /* partial sums keep no other promise */
  for (unsigned k = sum->count; k-- > 0;)
    pair = norn_build_fma(&builder, NORN_TYPE_V2F16, sum->products[k].pairs[0],
                          sum->products[k].pairs[1], pair);
  pass->pairs[norn_inst(pass->function, sum->last)->result] = pair;
}

/* Replaces the parameters of blocks after the loops that receive sums. */
static void
replace_receivers(SumSplitting *pass, uint32_t block) {
  const NornFunction *function = pass->function;
  uint32_t terminator = norn_block_terminator(function, block);
  norn_for_each_edge (function, terminator, edge)
    for (uint32_t k = 0; k < edge.argument_count; k++) {
      NornRef argument = norn_operand(function, terminator, edge.operand + 1 + k);
      uint32_t parameter = norn_block_parameter(function, edge.block, k);
      if (sum_named(pass, argument) && pair_for(pass, argument) && !pass->pairs[parameter])
        replace_parameter(pass, parameter);
    }
}

typedef struct PairArguments {
  const SumSplitting *pass;
  NornParameterChange change;
} PairArguments;

/* The partial sums of an argument; for one without any, the second partial sum is -0. */
static NornRef
build_argument(const SumSplitting *pass, uint32_t terminator, NornRef value) {
  NornFunction *function = pass->function;
  NornBuilder builder = norn_builder_before(function, terminator);
  NornRef pair = pair_for(pass, value);
  if (pair)
    return pair;
  const NornRef lanes[2] = {value, norn_build_bits(&builder, NEGATIVE_ZERO)};
  return norn_build_pair(&builder, NORN_TYPE_F16, lanes);
}

static void
make_arguments(void *data, uint32_t terminator, const NornEdge *edge, NornRef *arguments) {
  const PairArguments *pairs = data;
  for (uint32_t k = 0; k < pairs->change.removed.count; k++)
    arguments[k] = build_argument(pairs->pass, terminator,
                                  norn_operand(pairs->pass->function, terminator,
                                               edge->operand + 1 + pairs->change.removed.items[k]));
}

/* Replaces a value by the sum of the two lanes, computed at the start of a block. */
static void
build_total(SumSplitting *pass, uint32_t value, uint32_t block) {
  NornFunction *function = pass->function;
  NornBuilder builder = norn_builder_at_start(function, block);
  NornRef lanes[2];
  for (unsigned k = 0; k < 2; k++)
    lanes[k] = norn_build_extract(&builder, NORN_TYPE_F16, NORN_TYPE_V2F16, pass->pairs[value], k);
  norn_builder_set_flags(&builder, NORN_INST_FINITE);
  NornRef total = norn_build_fadd(&builder, NORN_TYPE_F16, lanes[0], lanes[1]);
  norn_move_name(function, total, value);
  norn_replacements_set(&pass->replacements, value, total);
}

/* Replaces the parameters of a block that have partial sums. */
static void
change_block(SumSplitting *pass, uint32_t block) {
  NornArena *arena = &pass->context->arena;
  PairArguments pairs = {.pass = pass};
  for (unsigned k = 0; k < norn_block(pass->function, block)->parameter_count; k++) {
    uint32_t parameter = norn_block_parameter(pass->function, block, k);
    if (!pass->pairs[parameter])
      continue;
    norn_list_push(arena, &pairs.change.removed, k);
    norn_list_push(arena, &pairs.change.added, norn_ref_payload(pass->pairs[parameter]));
    build_total(pass, parameter, block);
  }
  if (!pairs.change.removed.count)
    return;
  norn_block_change_parameters(pass->function, pass->dominance, arena, block, &pairs.change,
                               make_arguments, &pairs);
  pass->changed = true;
}

static void
split(SumSplitting *pass) {
  const NornDominance *dominance = pass->dominance;
  for (uint32_t k = 0; k < pass->sums.count; k++)
    if (!pass->sums.items[k].is_left)
      build_sum(pass, &pass->sums.items[k]);
  for (uint32_t k = 0; k < dominance->order_count; k++)
    replace_receivers(pass, dominance->order[k]);
  for (uint32_t k = 0; k < dominance->order_count; k++)
    change_block(pass, dominance->order[k]);
  for (uint32_t k = 0; k < pass->sums.count; k++) {
    const CarriedSum *sum = &pass->sums.items[k];
    if (!sum->is_left && sum->exit != NORN_INDEX_NONE)
      build_total(pass, norn_inst(pass->function, sum->last)->result, sum->exit);
  }
  norn_replacements_apply(&pass->replacements, pass->function);
}

bool
norn_pass_split_sums(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  NornInst product = {.op = NORN_OP_FMA, .type = NORN_TYPE_F16, .operand_count = 3};
  if (!context->options->contract || !norn_has_parameters(function, 1u << NORN_TYPE_F16) ||
      !norn_can_be_paired(context, function, &product)) {
    norn_pass_report(context, false);
    return true;
  }
  bool any_unreachable = norn_pass_remove_unreachable(context, function);
  SumSplitting pass = {.context = context,
                       .function = function,
                       .dominance = norn_pass_dominance(context, function),
                       .value_count = function->value_count,
                       .replacements = {.arena = &context->arena},
                       .changed = any_unreachable};
  if (!norn_has_loops(pass.dominance)) {
    norn_pass_report(context, pass.changed);
    return true;
  }
  pass.uses = norn_pass_use_counts(context, function);
  pass.sum_of = NORN_NEW0(&context->arena, uint32_t, function->value_count);
  pass.pairs = NORN_NEW0(&context->arena, NornRef, function->value_count);
  find_sums(&pass);
  check_uses(&pass);
  check_receivers(&pass);
  split(&pass);
  norn_pass_report(context, pass.changed);
  return true;
}
