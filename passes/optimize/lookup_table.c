/* Tables of values.
 *
 * Choosing one of n values by an index takes n - 1 comparisons and selections. It takes fewer
 *
 *   if neighbors are equal:                 select(i < 3, a, select(i < 7, b, c))
 *   if many are different and further constants to compare with would take instructions, too:
 *                                           select(i & 2, select(i & 1, d, c), select(i & 1, b, a))
 *   if only two are different:              select((bits << i) < 0, a, b)
 *   if only a few are different:            code = (bits >> 2 * i) & 3; select(code == 0, a, ...)
 *   if they are constants at equal steps:   base + ((bits >> 4 * i) & 15) * step
 *
 * If the codes do not fit into one word, the index first selects the word. Shift amounts are modulo
 * 32. */
#include "passes/optimize/lookup_table.h"
#include "ir/evaluate.h"
#include "ir/numeric.h"
#include <math.h>

/* Number of bits of the largest code. */
#define MAX_CODE_BITS 16
/* Number of different elements that codes may distinguish. */
#define MAX_CHOICES 16
/* This many constants to compare with come from uniform words; each further one takes an
 * instruction. */
#define FREE_NUMBERS 24
/* Bits of the index that a tree tests: each takes a register, as does each level of the tree.
 * Comparisons select the tree. */
#define TREE_BITS 5
#define TREE_ELEMENTS (1u << TREE_BITS)

static bool
is_float(const LookupTable *table) {
  return table->type == NORN_TYPE_F32 || table->type == NORN_TYPE_F16;
}

/* --- Planning --- */

/* The smallest power of two that is enough bits for codes up to `greatest`. */
static unsigned
bits_for(uint32_t greatest) {
  unsigned bits = 1;
  while (bits < 32 && greatest >> bits)
    bits *= 2;
  return bits;
}

static uint32_t
count_words(const LookupTable *table, unsigned code_bits) {
  return (table->count * code_bits + 31) / 32;
}

static void
keep_cheaper(LookupPlan *best, const LookupPlan *plan) {
  if (plan->cost < best->cost)
    *best = *plan;
}

static LookupPlan
plan_runs(const LookupTable *table) {
  LookupPlan plan = {.method = LOOKUP_RUNS};
  for (uint32_t k = 1; k < table->count; k++)
    plan.cost += table->elements[k] != table->elements[k - 1];
  if (plan.cost > FREE_NUMBERS)
    plan.cost += plan.cost - FREE_NUMBERS;
  return plan;
}

/* A tree of selections by the bits of an index. A subtree is finished before the next one begins:
 * trees[k] is the last finished one of 2^k elements. */
typedef struct SelectionTree {
  NornRef trees[TREE_BITS + 1];
  uint32_t count; /* elements so far */
} SelectionTree;

/* Selects one of two values by a bit: `set` if it is set, else `clear`. */
typedef NornRef SelectByBit(void *data, unsigned bit, NornRef set, NornRef clear);

static void
add_element(SelectionTree *tree, SelectByBit *select, void *data, NornRef element) {
  unsigned level = 0;
  for (; tree->count >> level & 1; level++)
    element = select(data, level, element, tree->trees[level]);
  tree->trees[level] = element;
  tree->count++;
}

/* Selects from the elements from `first` on; the index is never past the last element. */
static NornRef
make_tree(const LookupTable *table, uint32_t first, SelectByBit *select, void *data) {
  SelectionTree tree = {.count = 0};
  uint32_t count = MIN(table->count - first, TREE_ELEMENTS);
  for (uint32_t k = 0; k < count; k++)
    add_element(&tree, select, data, table->elements[first + k]);
  unsigned level = (unsigned)__builtin_ctz(count);
  NornRef whole = tree.trees[level];
  while (count >> ++level)
    if (count >> level & 1)
      whole = select(data, level, whole, tree.trees[level]);
  return whole;
}

/* Counts instructions; the result of each selection is a different value. */
static NornRef
count_selection(void *data, unsigned bit, NornRef set, NornRef clear) {
  LookupPlan *plan = data;
  (void)bit;
  return set == clear ? set : UINT32_MAX - plan->cost++;
}

static LookupPlan
plan_trees(const LookupTable *table) {
  LookupPlan plan = {.method = LOOKUP_TREES, .cost = TREE_BITS};
  NornRef last = 0;
  for (uint32_t first = 0; first < table->count; first += TREE_ELEMENTS) {
    NornRef tree = make_tree(table, first, count_selection, &plan);
    plan.cost += first && tree != last;
    last = tree;
  }
  return plan;
}

/* Codes that index a list of the different elements. */
static void
plan_choices(NornPassContext *context, const LookupTable *table, LookupPlan *best) {
  NornRef *choices = NORN_NEW(&context->arena, NornRef, MAX_CHOICES);
  uint32_t *codes = NORN_NEW(&context->arena, uint32_t, table->count);
  uint32_t count = 0;
  for (uint32_t k = 0; k < table->count; k++) {
    uint32_t code = 0;
    while (code < count && choices[code] != table->elements[k])
      code++;
    if (code == MAX_CHOICES)
      return;
    if (code == count)
      choices[count++] = table->elements[k];
    codes[k] = code;
  }
  LookupPlan plan = {
      .method = count == 2 ? LOOKUP_SIGNS : LOOKUP_CHOICES,
      .code_bits = bits_for(count - 1),
      .choice_count = count,
      .choices = choices,
      .codes = codes,
  };
  plan.cost = count_words(table, plan.code_bits) + count - 1;
  keep_cheaper(best, &plan);
}

static void
plan_codes(const LookupTable *table, const uint32_t *codes, LookupPlan plan, LookupPlan *best) {
  uint32_t greatest = 0;
  bool is_sequence = true;
  for (uint32_t k = 0; k < table->count; k++) {
    greatest = MAX(greatest, codes[k]);
    is_sequence &= codes[k] == k;
  }
  plan.codes = codes;
  plan.method = is_sequence ? LOOKUP_SEQUENCE : LOOKUP_LINEAR;
  plan.code_bits = bits_for(greatest);
  if (!is_sequence)
    plan.cost += count_words(table, plan.code_bits);
  if (plan.code_bits <= MAX_CODE_BITS)
    keep_cheaper(best, &plan);
}

/* The bits of the elements; NULL if one is not a constant. */
static const uint64_t *
constant_elements(NornPassContext *context, const LookupTable *table) {
  uint64_t *bits = NORN_NEW(&context->arena, uint64_t, table->count);
  for (uint32_t k = 0; k < table->count; k++) {
    if (!norn_is_constant(table->elements[k]))
      return NULL;
    bits[k] = norn_constant_bits(context->module, table->elements[k]);
  }
  return bits;
}

static int64_t
sign_extended(const LookupTable *table, uint64_t bits) {
  unsigned shift = 64 - norn_type_bits(table->type);
  return (int64_t)(bits << shift) >> shift;
}

static void
plan_integers(NornPassContext *context, const LookupTable *table, const uint64_t *bits,
              LookupPlan *best) {
  uint32_t *codes = NORN_NEW(&context->arena, uint32_t, table->count);
  int64_t least = INT64_MAX, greatest = INT64_MIN;
  for (uint32_t k = 0; k < table->count; k++) {
    least = MIN(least, sign_extended(table, bits[k]));
    greatest = MAX(greatest, sign_extended(table, bits[k]));
  }
  /* Start at 0 unless that takes more bits. */
  if (least > 0 && bits_for((uint32_t)greatest) == bits_for((uint32_t)(greatest - least)))
    least = 0;
  uint64_t step = 0;
  for (uint32_t k = 0; k < table->count; k++)
    step = norn_greatest_divisor(step, (uint64_t)(sign_extended(table, bits[k]) - least));
  step = MAX(step, 1);
  for (uint32_t k = 0; k < table->count; k++)
    codes[k] = (uint32_t)((uint64_t)(sign_extended(table, bits[k]) - least) / step);
  LookupPlan plan = {.base = (uint32_t)least, .step = (uint32_t)step};
  plan.cost = (plan.base != 0) + (plan.step != 1) + (table->type != NORN_TYPE_I32);
  plan_codes(table, codes, plan, best);
}

/* base + code * step, as the generated code computes it. */
static uint64_t
linear_float(NornFloatFormat format, NornFloatMode mode, uint64_t base, uint64_t step,
             uint32_t code) {
  uint64_t number = norn_float_from_double(format, code);
  uint64_t one = norn_float_from_double(format, 1);
  return base != 0     ? norn_float_fma(format, mode, number, step, base)
         : step != one ? norn_float_multiply(format, mode, number, step)
                       : number;
}

static void
plan_floats(NornPassContext *context, const LookupTable *table, const uint64_t *bits,
            LookupPlan *best) {
  NornFloatFormat format = norn_float_of_width(norn_type_bits(table->type));
  NornFloatEnvironment environment =
      norn_float_environment(context->module->rounding, context->module->denormals);
  NornFloatMode mode = {environment.round, environment.flush[format], environment.flush[format]};
  uint32_t *codes = NORN_NEW(&context->arena, uint32_t, table->count);
  double base = INFINITY, step = INFINITY;
  for (uint32_t k = 0; k < table->count; k++)
    base = fmin(base, norn_float_to_double(format, bits[k]));
  for (uint32_t k = 0; k < table->count; k++) {
    double distance = norn_float_to_double(format, bits[k]) - base;
    step = distance > 0 ? fmin(step, distance) : step;
  }
  if (base == step) /* multiples of the step, starting with the step itself */
    base = 0;
  /* No machine has this rounding mode. */
  if (!isfinite(base) || !isfinite(step) || context->module->rounding == NORN_ROUND_RNA)
    return;
  LookupPlan plan = {
      .base = (uint32_t)norn_float_from_double(format, base),
      .step = (uint32_t)norn_float_from_double(format, step),
  };
  for (uint32_t k = 0; k < table->count; k++) {
    double code = (norn_float_to_double(format, bits[k]) - base) / step;
    if (!(code >= 0 && code < UINT32_C(1) << MAX_CODE_BITS) || code != trunc(code))
      return;
    codes[k] = (uint32_t)code;
    if (linear_float(format, mode, plan.base, plan.step, codes[k]) != bits[k])
      return;
  }
  plan.cost = 1 + (base != 0 || step != 1);
  plan_codes(table, codes, plan, best);
}

LookupPlan
norn_plan_lookup(NornPassContext *context, const LookupTable *table) {
  LookupPlan best = plan_runs(table);
  if (best.cost < 2)
    return best;
  LookupPlan trees = plan_trees(table);
  keep_cheaper(&best, &trees);
  plan_choices(context, table, &best);
  const uint64_t *bits = constant_elements(context, table);
  if (bits && is_float(table))
    plan_floats(context, table, bits, &best);
  else if (bits)
    plan_integers(context, table, bits, &best);
  return best;
}

/* --- Code --- */

typedef struct LookupCode {
  NornBuilder *builder;
  const LookupTable *table;
  const LookupPlan *plan;
  NornRef index;
} LookupCode;

static NornRef
select_if(const LookupCode *code, NornType type, NornIntCondition condition, uint32_t number,
          NornRef value, NornRef other) {
  NornRef holds = norn_build_icmp(code->builder, condition, NORN_TYPE_I32, code->index,
                                  norn_build_bits(code->builder, number));
  return norn_build_select(code->builder, type, holds, value, other);
}

static NornRef
build_runs(const LookupCode *code) {
  const LookupTable *table = code->table;
  const NornRef *elements = table->elements;
  NornRef chosen = elements[table->count - 1];
  for (uint32_t k = table->count - 1; k-- > 0;) {
    bool is_alone = k == 0 || elements[k] != elements[k - 1];
    if (elements[k] != elements[k + 1])
      chosen =
          is_alone
              ? select_if(code, table->type, NORN_INT_CONDITION_EQ, k, elements[k], chosen)
              : select_if(code, table->type, NORN_INT_CONDITION_ULT, k + 1, elements[k], chosen);
  }
  return chosen;
}

/* Selections by bits of the index; each bit is tested once. */
typedef struct BitSelections {
  const LookupCode *code;
  NornRef is_set[TREE_BITS]; /* 0: not tested yet */
} BitSelections;

static NornRef
build_selection(void *data, unsigned bit, NornRef set, NornRef clear) {
  BitSelections *selections = data;
  const LookupCode *code = selections->code;
  NornBuilder *builder = code->builder;
  NornRef *is_set = &selections->is_set[bit];
  if (set == clear)
    return set;
  if (!*is_set)
    *is_set = norn_build_icmp(builder, NORN_INT_CONDITION_NE, NORN_TYPE_I32,
                              norn_build_and(builder, NORN_TYPE_I32, code->index,
                                             norn_build_bits(builder, UINT64_C(1) << bit)),
                              norn_build_bits(builder, 0));
  return norn_build_select(builder, code->table->type, *is_set, set, clear);
}

static NornRef
build_trees(const LookupCode *code) {
  BitSelections selections = {.code = code};
  uint32_t first = (code->table->count - 1) / TREE_ELEMENTS * TREE_ELEMENTS;
  NornRef chosen = make_tree(code->table, first, build_selection, &selections);
  while (first) {
    NornRef tree = make_tree(code->table, first - TREE_ELEMENTS, build_selection, &selections);
    if (tree != chosen)
      chosen = select_if(code, code->table->type, NORN_INT_CONDITION_ULT, first, tree, chosen);
    first -= TREE_ELEMENTS;
  }
  return chosen;
}

/* The codes of one word, from the lowest bit up; or from the highest bit down if signs are
 * tested. */
static uint32_t
pack_word(const LookupCode *code, uint32_t first) {
  unsigned bits = code->plan->code_bits;
  uint32_t word = 0;
  for (uint32_t k = 0; k < 32 / bits && first + k < code->table->count; k++)
    word |= code->plan->codes[first + k]
            << (code->plan->method == LOOKUP_SIGNS ? 31 - k : k * bits);
  return word;
}

/* The word that contains the code. */
static NornRef
build_word(const LookupCode *code) {
  uint32_t codes = 32 / code->plan->code_bits;
  uint32_t words = count_words(code->table, code->plan->code_bits);
  NornRef chosen = norn_build_bits(code->builder, pack_word(code, (words - 1) * codes));
  for (uint32_t k = words - 1; k-- > 0;)
    chosen = select_if(code, NORN_TYPE_I32, NORN_INT_CONDITION_ULT, (k + 1) * codes,
                       norn_build_bits(code->builder, pack_word(code, k * codes)), chosen);
  return chosen;
}

/* The index times the number of bits of a code. */
static NornRef
build_place(const LookupCode *code) {
  unsigned shift = (unsigned)__builtin_ctz(code->plan->code_bits);
  return shift ? norn_build_shl(code->builder, NORN_TYPE_I32, code->index,
                                norn_build_bits(code->builder, shift))
               : code->index;
}

static NornRef
build_code(const LookupCode *code) {
  NornRef shifted =
      norn_build_lshr(code->builder, NORN_TYPE_I32, build_word(code), build_place(code));
  NornRef mask = norn_build_bits(code->builder, (UINT64_C(1) << code->plan->code_bits) - 1);
  return norn_build_and(code->builder, NORN_TYPE_I32, shifted, mask);
}

static NornRef
build_signs(const LookupCode *code) {
  NornBuilder *builder = code->builder;
  NornRef sign = norn_build_shl(builder, NORN_TYPE_I32, build_word(code), build_place(code));
  NornRef is_set = norn_build_icmp(builder, NORN_INT_CONDITION_SLT, NORN_TYPE_I32, sign,
                                   norn_build_bits(builder, 0));
  return norn_build_select(builder, code->table->type, is_set, code->plan->choices[1],
                           code->plan->choices[0]);
}

static NornRef
build_choices(const LookupCode *code) {
  NornBuilder *builder = code->builder;
  uint32_t last = code->plan->choice_count - 1;
  NornRef number = build_code(code);
  NornRef chosen = code->plan->choices[last];
  for (uint32_t k = last; k-- > 0;) {
    NornRef is_it = norn_build_icmp(builder, NORN_INT_CONDITION_EQ, NORN_TYPE_I32, number,
                                    norn_build_bits(builder, k));
    chosen = norn_build_select(builder, code->table->type, is_it, code->plan->choices[k], chosen);
  }
  return chosen;
}

static NornRef
build_linear_float(const LookupCode *code, NornRef number) {
  NornBuilder *builder = code->builder;
  NornType type = code->table->type;
  NornFloatFormat format = norn_float_of_width(norn_type_bits(type));
  NornRef base = norn_build_bits(builder, code->plan->base);
  NornRef step = norn_build_bits(builder, code->plan->step);
  NornRef value = norn_build_uitofp(builder, NORN_ROUND_RTE, type, NORN_TYPE_I32, number);
  norn_builder_set_flags(builder, NORN_INST_EXACT);
  if (code->plan->base)
    value = norn_build_fma(builder, type, value, step, base);
  else if (code->plan->step != norn_float_from_double(format, 1))
    value = norn_build_fmul(builder, type, value, step);
  norn_builder_set_flags(builder, 0);
  return value;
}

static NornRef
build_linear_integer(const LookupCode *code, NornRef number) {
  NornBuilder *builder = code->builder;
  NornType type = code->table->type;
  if (code->plan->step != 1)
    number =
        norn_build_imul(builder, NORN_TYPE_I32, number, norn_build_bits(builder, code->plan->step));
  if (code->plan->base)
    number =
        norn_build_iadd(builder, NORN_TYPE_I32, number, norn_build_bits(builder, code->plan->base));
  return type == NORN_TYPE_I32 ? number : norn_build_trunc(builder, type, NORN_TYPE_I32, number);
}

NornRef
norn_build_lookup(NornBuilder *builder, const LookupTable *table, const LookupPlan *plan,
                  NornRef index) {
  LookupCode code = {.builder = builder, .table = table, .plan = plan, .index = index};
  switch (plan->method) {
  case LOOKUP_RUNS:
    return build_runs(&code);
  case LOOKUP_TREES:
    return build_trees(&code);
  case LOOKUP_SIGNS:
    return build_signs(&code);
  case LOOKUP_CHOICES:
    return build_choices(&code);
  default: {
    NornRef number = plan->method == LOOKUP_SEQUENCE ? index : build_code(&code);
    return is_float(table) ? build_linear_float(&code, number)
                           : build_linear_integer(&code, number);
  }
  }
}
