/* Share terms: adds first what several sums add.
 *
 * (a + s) + t and (b + s) + t are a + (s + t) and b + (s + t): one addition less, and as many more
 * as there are further such sums, as there are where numbers are added to a vector. The same of
 * a * b + s + t. Pairs of terms are counted in each block; the sum of a pair that occurs several
 * times is made before the first of them.
 *
 * Sums in another order are rounded differently, so this is done to `finite` operations that are
 * not exact alone, where the options allow to contract. */
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/pass.h"
#include <string.h>

#define MOST_ROUNDS 8
#define HASH_MASK 255

/* Two terms that sums of a block have. */
typedef struct TermPair {
  NornRef terms[2]; /* the smaller one first */
  uint32_t count;
  uint32_t next; /* with the same hash, + 1 */
  NornRef sum;   /* once it is made */
} TermPair;

typedef struct TermSharer {
  NornPassContext *context;
  NornFunction *function;
  uint32_t *uses; /* by value */
  NORN_LIST(TermPair) pairs;
  uint32_t *first; /* by hash: + 1 */
  uint32_t value_count;
  bool changed;
} TermSharer;

static bool
may_regroup(const NornInst *inst) {
  return inst->type == NORN_TYPE_F32 && norn_inst_is_finite(inst) &&
         !(inst->flags & NORN_INST_EXACT);
}

/* The pair of two terms in the block; NULL: there is none, and none is to be added. */
static TermPair *
find_pair(TermSharer *sharer, NornRef a, NornRef b, bool add) {
  NornRef low = MIN(a, b), high = MAX(a, b);
  uint32_t *first = &sharer->first[(low * 0x9E3779B1u ^ high * 0x85EBCA77u) >> 7 & HASH_MASK];
  for (uint32_t number = *first; number; number = sharer->pairs.items[number - 1].next) {
    TermPair *pair = &sharer->pairs.items[number - 1];
    if (pair->terms[0] == low && pair->terms[1] == high)
      return pair;
  }
  if (!add)
    return NULL;
  norn_list_push(&sharer->context->arena, &sharer->pairs, (TermPair){{low, high}, 0, *first, 0});
  *first = sharer->pairs.count;
  return &sharer->pairs.items[sharer->pairs.count - 1];
}

/* The sum that is term k of the sum at hand, made in the same block for nothing else; NULL: it is
 * no such sum. *other: the other term. */
static const NornInst *
inner_sum(const TermSharer *sharer, uint32_t index, unsigned k, NornRef *other) {
  const NornInst *inst = norn_inst(sharer->function, index);
  const NornRef *operands = norn_operands(sharer->function, inst);
  NornRef ref = operands[k];
  const NornInst *inner = norn_defining_inst(sharer->function, ref);
  *other = operands[1 - k];
  if (!inner || norn_ref_payload(ref) >= sharer->value_count ||
      sharer->uses[norn_ref_payload(ref)] != 1 || inner->block != inst->block ||
      (inner->op != NORN_OP_FADD && inner->op != NORN_OP_FMA) || !may_regroup(inner))
    return NULL;
  return inner;
}

/* Where the terms of a sum begin: before are the numbers of a product. */
static unsigned
first_term(const NornInst *sum) {
  return sum->op == NORN_OP_FMA ? 2 : 0;
}

/* Counts the pairs of terms of the sum that could be added first. */
static void
count_pairs(TermSharer *sharer, uint32_t index) {
  NornRef other;
  for (unsigned k = 0; k < 2; k++) {
    const NornInst *inner = inner_sum(sharer, index, k, &other);
    if (!inner)
      continue;
    const NornRef *terms = norn_operands(sharer->function, inner);
    for (unsigned j = first_term(inner); j < inner->operand_count; j++)
      find_pair(sharer, terms[j], other, true)->count++;
  }
}

static bool
is_sum(const NornInst *inst) {
  return inst->op == NORN_OP_FADD && may_regroup(inst);
}

/* Makes the sum of the pair before the instruction, if it is not there yet. */
static NornRef
sum_of(TermSharer *sharer, TermPair *pair, uint32_t before) {
  if (!pair->sum) {
    NornBuilder builder = norn_builder_in_place_of(sharer->function, before);
    pair->sum = norn_build_fadd(&builder, NORN_TYPE_F32, pair->terms[0], pair->terms[1]);
  }
  return pair->sum;
}

/* Adds first the pair of terms that most sums have, if others have it, too. */
static void
share(TermSharer *sharer, uint32_t index) {
  NornFunction *function = sharer->function;
  TermPair *best = NULL;
  unsigned best_k = 0, best_j = 0;
  for (unsigned k = 0; k < 2; k++) {
    NornRef other;
    const NornInst *inner = inner_sum(sharer, index, k, &other);
    if (!inner)
      continue;
    const NornRef *terms = norn_operands(function, inner);
    for (unsigned j = first_term(inner); j < inner->operand_count; j++) {
      TermPair *pair = find_pair(sharer, terms[j], other, false);
      if (pair && pair->count > 1 && (!best || pair->count > best->count)) {
        best = pair;
        best_k = k;
        best_j = j;
      }
    }
  }
  if (!best)
    return;
  uint32_t inner =
      norn_value(function, norn_ref_payload(norn_operand(function, index, best_k)))->def;
  NornRef operands[3] = {0};
  unsigned count = norn_inst(function, inner)->operand_count, op = norn_inst(function, inner)->op;
  for (unsigned j = 0; j < count; j++)
    operands[j] = norn_operand(function, inner, j);
  operands[best_j] = sum_of(sharer, best, index);
  norn_inst_become(function, index, (uint16_t)op, 0, operands, count);
  norn_inst_erase(function, inner);
  sharer->changed = true;
}

static bool
run_round(TermSharer *sharer) {
  NornFunction *function = sharer->function;
  NornArena *arena = &sharer->context->arena;
  sharer->changed = false;
  sharer->value_count = function->value_count;
  sharer->uses = NORN_NEW0(arena, uint32_t, function->value_count);
  sharer->pairs.count = sharer->pairs.capacity = 0;
  sharer->pairs.items = NULL;
  sharer->first = NORN_NEW0(arena, uint32_t, HASH_MASK + 1);
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      for (unsigned k = 0; k < inst->operand_count; k++)
        if (norn_ref_kind(norn_operands(function, inst)[k]) == NORN_REF_VALUE)
          sharer->uses[norn_ref_payload(norn_operands(function, inst)[k])]++;
    }
  norn_for_each_block (function, block) {
    uint32_t before = sharer->pairs.count;
    if (!norn_pass_continues(sharer->context, 1))
      break;
    norn_for_each_inst (function, block, index)
      if (is_sum(norn_inst(function, index)))
        count_pairs(sharer, index);
    if (sharer->pairs.count == before)
      continue;
    for (uint32_t index = norn_block(function, block)->first, next; index != NORN_INDEX_NONE;
         index = next) {
      next = norn_inst(function, index)->next;
      if (is_sum(norn_inst(function, index)))
        share(sharer, index);
    }
    memset(sharer->first, 0, (HASH_MASK + 1) * sizeof *sharer->first);
  }
  return sharer->changed;
}

bool
norn_pass_share_terms(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  TermSharer sharer = {.context = context, .function = function};
  bool changed = false, any = false;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index)
      any |= is_sum(norn_inst(function, index));
  for (unsigned k = 0; k < MOST_ROUNDS && any && context->options->contract; k++) {
    NornArenaMark mark = norn_arena_mark(&context->arena);
    any = run_round(&sharer);
    norn_arena_release(&context->arena, mark);
    changed |= any;
  }
  norn_pass_report(context, changed);
  return true;
}
