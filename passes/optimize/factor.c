/* Factor: multiplies by a common factor later, if that takes fewer products.
 *
 * Several products with the same factor, such as the components of a normalized vector, are used in
 * sums and further products that are linear in the factor: (x*s)*a + (y*s)*b is (x*a + y*b)*s. So
 * the multiplication by the factor can be delayed until it is needed: a dot product of a normalized
 * vector multiplies once instead of three times. If linear values are multiplied by the same other
 * number, that number takes the factor instead: (x*s)*t is x*(s*t). A sum that adds something else
 * to a linear value becomes a multiply-add with the factor, which costs nothing.
 *
 * Adding and multiplying floats in another order changes the rounding. So the pass only changes
 * `finite` operations that are not exact, where the options allow contraction.
 *
 * The best places to multiply are a minimum cut. The nodes of the graph are the values that are
 * linear in the factor, starting with the products. A node costs a product if its value is needed
 * both without the factor and with it, and each other number that takes the factor costs a product.
 * A value that is computed without the factor needs all of its linear operands without it. A
 * multiply-add of the factor and a product that nothing else uses, such as the second one in
 * x*a*s + y*b*s, costs a product if it is computed with the factor; without it, the sum multiplies
 * itself; this counts once no other products are left to factor. The pass uses the minimum cut
 * nearest the products, if it is smaller than their number.
 *
 * - unify_signs.c makes a constant and its negation one factor, at the start and at the end.
 * - distribute_sums.c takes apart the remaining sums with constants that are factors.
 *
 * All values involved have the same loop depth, so that nothing is computed more often. A round
 * walks over the factors; what it has changed is left to the next round. */
#include "passes/optimize/factor.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/optimize/min_cut.h"
#include <stdlib.h>

#define MAX_ROUNDS 8
#define MAX_NODES 64
#define MAX_GROUPS 64

/* A product with a factor. */
typedef struct Product {
  NornRef factor;
  uint32_t inst;
  uint8_t operand; /* which one is the factor */
} Product;

/* A value that is linear in the factor. */
typedef struct LinearValue {
  uint32_t inst;
  NornRef without; /* the value without the factor, once it is built */
  bool is_product; /* one of the products that the search starts from */
} LinearValue;

/* Products of linear values with the same number in a block. */
typedef struct NumberGroup {
  NornRef number;
  uint32_t block;
  uint32_t first; /* the first of its instructions in the block that takes the factor */
  NornRef product;
} NumberGroup;

typedef struct Factoring {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  NornFactorUses uses;
  uint32_t *position; /* by instruction: within its block */
  uint8_t *node_of;   /* by instruction: + 1 */
  bool *is_touched;   /* by instruction: changed in this round */
  bool changed;
  bool finds_sums;  /* a product is added to another one with the same factor */
  bool counts_sums; /* that sums can multiply themselves counts */

  /* for the current factor */
  NornRef factor;
  uint32_t depth;
  LinearValue nodes[MAX_NODES];
  NumberGroup groups[MAX_GROUPS];
  unsigned node_count, product_count, group_count; /* products: also those that sums can do */
  bool is_refused;

  NornCutGraph graph; /* node k has the entry 2k and the exit 2k + 1; groups follow likewise */
} Factoring;

enum { GROUP_POINT = 2 * MAX_NODES, SOURCE = 2 * (MAX_NODES + MAX_GROUPS), SINK, POINTS };
_Static_assert((int)POINTS <= (int)NORN_MAX_CUT_POINTS, "the graph has room for all points");

/* --- Shared functions --- */

NornFactorUses
norn_factor_uses(NornArena *arena, const NornFunction *function) {
  NORN_LIST(NornFactorUse) list = {0};
  NornFactorUses uses = {.first = NORN_NEW0(arena, uint32_t, function->value_count),
                         .inst_count = function->inst_count,
                         .value_count = function->value_count};
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      const NornRef *operands = norn_operands(function, inst);
      for (unsigned k = 0; k < inst->operand_count; k++) {
        if (norn_ref_kind(operands[k]) != NORN_REF_VALUE)
          continue;
        uint32_t *first = &uses.first[norn_ref_payload(operands[k])];
        norn_list_push(arena, &list, (NornFactorUse){index, *first, (uint8_t)MIN(k, UINT8_MAX)});
        *first = list.count;
      }
    }
  uses.items = list.items;
  return uses;
}

unsigned
norn_factor_constant(const NornFunction *function, const NornInst *inst, uint32_t *bits) {
  const NornRef *operands = norn_operands(function, inst);
  unsigned k = norn_is_constant(operands[1]);
  if (!norn_is_constant(operands[k]) || norn_is_constant(operands[1 - k]))
    return NORN_NO_CONSTANT;
  *bits = (uint32_t)norn_constant_bits(function->module, operands[k]);
  return k;
}

void
norn_factor_become(NornFunction *function, uint32_t inst, unsigned op, const NornRef *operands,
                   unsigned count) {
  norn_inst_become(function, inst, (uint16_t)op, 0, operands, count);
  norn_inst(function, inst)->flags = NORN_INST_FINITE;
}

/* --- Linear values --- */

/* The node of a value; NULL if it has none. */
static LinearValue *
node_of(Factoring *factoring, NornRef ref) {
  if (norn_ref_kind(ref) != NORN_REF_VALUE || norn_ref_payload(ref) >= factoring->uses.value_count)
    return NULL;
  const NornValue *value = norn_value(factoring->function, norn_ref_payload(ref));
  if (value->is_parameter || value->def >= factoring->uses.inst_count)
    return NULL;
  unsigned number = factoring->node_of[value->def];
  return number ? &factoring->nodes[number - 1] : NULL;
}

static uint32_t
depth_of(const Factoring *factoring, uint32_t inst) {
  return factoring->dominance->loop_depth[norn_inst(factoring->function, inst)->block];
}

/* For a product, alone or in a sum: which of its two factors is linear, the first if both are; 2:
 * neither. */
static unsigned
linear_number(Factoring *factoring, const NornInst *inst) {
  const NornRef *operands = norn_operands(factoring->function, inst);
  if (operands[0] == operands[1])
    return 2;
  return node_of(factoring, operands[0]) ? 0 : node_of(factoring, operands[1]) ? 1 : 2;
}

/* For a product in a sum: which of its two operands is the factor; 2: neither. */
static unsigned
factor_number(const Factoring *factoring, const NornInst *inst) {
  const NornRef *operands = norn_operands(factoring->function, inst);
  return operands[0] == factoring->factor ? 0 : operands[1] == factoring->factor ? 1 : 2;
}

static bool
is_linear(Factoring *factoring, const NornInst *inst) {
  const NornRef *operands = norn_operands(factoring->function, inst);
  switch (inst->op) {
  case NORN_OP_FMUL:
    return norn_factor_may_regroup(inst) && linear_number(factoring, inst) < 2;
  case NORN_OP_FMA:
    return norn_factor_may_regroup(inst) && node_of(factoring, operands[2]) &&
           (linear_number(factoring, inst) < 2 || factor_number(factoring, inst) < 2);
  case NORN_OP_FADD:
  case NORN_OP_FSUB:
    return norn_factor_may_regroup(inst) && node_of(factoring, operands[0]) &&
           node_of(factoring, operands[1]);
  case NORN_OP_FNEG:
    return inst->type == NORN_TYPE_F32 && node_of(factoring, operands[0]);
  case NORN_OP_SELECT:
    return inst->type == NORN_TYPE_F32 && node_of(factoring, operands[1]) &&
           node_of(factoring, operands[2]);
  default:
    return false;
  }
}

static void
add_node(Factoring *factoring, uint32_t inst, bool is_product) {
  if (factoring->node_of[inst])
    return;
  if (factoring->node_count == MAX_NODES || factoring->is_touched[inst]) {
    factoring->is_refused = true;
    return;
  }
  factoring->nodes[factoring->node_count++] = (LinearValue){.inst = inst, .is_product = is_product};
  factoring->node_of[inst] = (uint8_t)factoring->node_count;
}

/* The first use of the result of an instruction, + 1. */
static uint32_t
first_use(const Factoring *factoring, uint32_t inst) {
  return norn_factor_first_use(&factoring->uses, factoring->function, inst);
}

/* Finds all values that are linear in the factor, starting with the products, which have nodes
 * already. */
static void
grow_region(Factoring *factoring) {
  for (unsigned k = 0; k < factoring->node_count && !factoring->is_refused; k++) {
    unsigned count = 0;
    for (uint32_t use = first_use(factoring, factoring->nodes[k].inst); use;
         use = factoring->uses.items[use - 1].next) {
      uint32_t user = factoring->uses.items[use - 1].inst;
      factoring->is_refused |= factoring->is_touched[user] || count++ == NORN_MAX_FACTOR_USES;
      if (!factoring->is_refused && depth_of(factoring, user) == factoring->depth &&
          is_linear(factoring, norn_inst(factoring->function, user)))
        add_node(factoring, user, false);
    }
  }
}

/* --- The graph --- */

static void
add_edge(Factoring *factoring, unsigned from, unsigned to, uint8_t capacity) {
  norn_cut_add_edge(&factoring->graph, from, to, capacity);
  factoring->is_refused |= factoring->graph.is_full;
}

static unsigned
entry_of(const Factoring *factoring, const LinearValue *node) {
  return 2 * (unsigned)(node - factoring->nodes);
}

/* The entry of the group of products with the number in a block. */
static unsigned
group_point(Factoring *factoring, NornRef number, uint32_t block) {
  unsigned k = 0;
  while (k < factoring->group_count &&
         (factoring->groups[k].number != number || factoring->groups[k].block != block))
    k++;
  if (k == MAX_GROUPS) {
    factoring->is_refused = true;
    return GROUP_POINT;
  }
  unsigned point = GROUP_POINT + 2 * k;
  if (k == factoring->group_count) {
    factoring->groups[factoring->group_count++] =
        (NumberGroup){.number = number, .block = block, .first = NORN_INDEX_NONE};
    add_edge(factoring, point, point + 1, 1);
  }
  return point;
}

/* What a use of a node requires of it. */
typedef enum {
  USE_WHOLE,  /* needs the value with the factor */
  USE_FREE,   /* can multiply by the factor at no cost */
  USE_NUMBER, /* can multiply by the product of its other number and the factor */
  USE_LINEAR, /* is linear itself */
} UseKind;

static UseKind
kind_of_use(Factoring *factoring, const NornFactorUse *use) {
  const NornInst *user = norn_inst(factoring->function, use->inst);
  const NornRef *operands = norn_operands(factoring->function, user);
  unsigned number = factoring->node_of[use->inst];
  const LinearValue *node = number ? &factoring->nodes[number - 1] : NULL;
  if ((node && node->is_product) || depth_of(factoring, use->inst) != factoring->depth)
    return USE_WHOLE;
  switch (user->op) {
  case NORN_OP_FMUL:
    return node && linear_number(factoring, user) == use->operand ? USE_NUMBER : USE_WHOLE;
  case NORN_OP_FMA:
    if (use->operand == 2)
      return node ? USE_LINEAR : USE_WHOLE;
    if (!norn_factor_may_regroup(user) || linear_number(factoring, user) != use->operand ||
        (!node && operands[use->operand] == operands[2]))
      return USE_WHOLE;
    return USE_NUMBER;
  case NORN_OP_FADD:
  case NORN_OP_FSUB:
    return node ? USE_LINEAR : norn_factor_may_regroup(user) ? USE_FREE : USE_WHOLE;
  default:
    return node ? USE_LINEAR : USE_WHOLE;
  }
}

static NornRef
other_number(const Factoring *factoring, const NornFactorUse *use) {
  return norn_operand(factoring->function, use->inst, 1 - use->operand);
}

static void
connect_use(Factoring *factoring, const LinearValue *node, const NornFactorUse *use) {
  unsigned exit = entry_of(factoring, node) + 1;
  unsigned user = factoring->node_of[use->inst], entry = user ? 2 * (user - 1) : 0;
  switch (kind_of_use(factoring, use)) {
  case USE_WHOLE:
    add_edge(factoring, exit, SINK, NORN_CUT_UNLIMITED);
    break;
  case USE_FREE:
    break;
  case USE_NUMBER: {
    NornRef number = other_number(factoring, use);
    if (user)
      add_edge(factoring, entry, exit - 1, NORN_CUT_UNLIMITED);
    if (norn_are_constants(number, factoring->factor))
      break;
    unsigned group =
        group_point(factoring, number, norn_inst(factoring->function, use->inst)->block);
    add_edge(factoring, exit, group, NORN_CUT_UNLIMITED);
    add_edge(factoring, group + 1, user ? entry : (unsigned)SINK, NORN_CUT_UNLIMITED);
    break;
  }
  case USE_LINEAR:
    add_edge(factoring, exit, entry, NORN_CUT_UNLIMITED);
    add_edge(factoring, entry, exit - 1, NORN_CUT_UNLIMITED);
    break;
  }
}

/* The instruction that defines the value, if it has one use and this round has not changed it; else
 * NORN_INDEX_NONE. */
static uint32_t
only_used_inst(const Factoring *factoring, NornRef ref) {
  const NornFunction *function = factoring->function;
  if (!norn_defining_inst(function, ref) || norn_ref_payload(ref) >= factoring->uses.value_count)
    return NORN_INDEX_NONE;
  uint32_t inst = norn_value(function, norn_ref_payload(ref))->def;
  uint32_t use = factoring->uses.first[norn_ref_payload(ref)];
  return use && !factoring->uses.items[use - 1].next && !factoring->is_touched[inst]
             ? inst
             : NORN_INDEX_NONE;
}

/* Whether the instruction adds the factor times a product, maybe negated, that it could compute
 * itself without the factor. */
static bool
adds_scaled_product(Factoring *factoring, uint32_t index) {
  const NornFunction *function = factoring->function;
  const NornInst *sum = norn_inst(function, index);
  if (sum->op != NORN_OP_FMA || linear_number(factoring, sum) < 2)
    return false;
  uint32_t product =
      only_used_inst(factoring, norn_operands(function, sum)[1 - factor_number(factoring, sum)]);
  if (product != NORN_INDEX_NONE && norn_inst(function, product)->op == NORN_OP_FNEG)
    product = only_used_inst(factoring, norn_operand(function, product, 0));
  return product != NORN_INDEX_NONE && norn_inst(function, product)->op == NORN_OP_FMUL &&
         norn_factor_may_regroup(norn_inst(function, product)) &&
         depth_of(factoring, product) == factoring->depth;
}

static void
build_graph(Factoring *factoring) {
  for (unsigned k = 0; k < factoring->node_count && !factoring->is_refused; k++) {
    const LinearValue *node = &factoring->nodes[k];
    add_edge(factoring, 2 * k, 2 * k + 1, 1);
    if (node->is_product) {
      add_edge(factoring, SOURCE, 2 * k, NORN_CUT_UNLIMITED);
    } else if (factoring->counts_sums && adds_scaled_product(factoring, node->inst)) {
      add_edge(factoring, SOURCE, 2 * k, 1);
      factoring->product_count++;
    }
    for (uint32_t use = first_use(factoring, node->inst); use && !factoring->is_refused;
         use = factoring->uses.items[use - 1].next)
      connect_use(factoring, node, &factoring->uses.items[use - 1]);
  }
}

/* --- The change --- */

static bool
is_without(const Factoring *factoring, unsigned node) {
  return factoring->graph.is_reached[2 * node];
}

/* Whether it is needed both without and with the factor. */
static bool
is_cut(const Factoring *factoring, unsigned node) {
  return is_without(factoring, node) && !factoring->graph.is_reached[2 * node + 1];
}

/* The value without the factor if it is linear; else the value itself. */
static NornRef without_factor(Factoring *factoring, NornRef ref);

/* The node's operation on operands without the factor. */
static NornRef
build_without(Factoring *factoring, uint32_t index) {
  NornFunction *function = factoring->function;
  const NornInst inst = *norn_inst(function, index);
  NornRef operands[3] = {0};
  for (unsigned k = 0; k < inst.operand_count; k++)
    operands[k] = norn_operand(function, index, k);
  unsigned op = inst.op, count = inst.operand_count;
  if (op == NORN_OP_FMUL || op == NORN_OP_FMA) {
    unsigned number = linear_number(factoring, &inst);
    if (count == 3)
      operands[2] = without_factor(factoring, operands[2]);
    if (number < 2) {
      operands[number] = without_factor(factoring, operands[number]);
    } else {
      op = NORN_OP_FADD;
      operands[0] = operands[1 - factor_number(factoring, &inst)];
      operands[1] = operands[2];
      count = 2;
    }
  } else {
    for (unsigned k = op == NORN_OP_SELECT; k < count; k++)
      operands[k] = without_factor(factoring, operands[k]);
  }
  NornBuilder builder = norn_builder_in_place_of(function, index);
  /* other promises are about the value with the factor */
  norn_builder_set_flags(&builder, norn_inst_is_finite(&inst) ? NORN_INST_FINITE : 0);
  return norn_build_op(&builder, op, inst.modifier, inst.type, NORN_TYPE_VOID, operands, count);
}

static NornRef
without_factor(Factoring *factoring, NornRef ref) {
  LinearValue *node = node_of(factoring, ref);
  if (!node)
    return ref;
  if (!node->without && node->is_product)
    node->without =
        norn_operand(factoring->function, node->inst,
                     1 - factor_number(factoring, norn_inst(factoring->function, node->inst)));
  else if (!node->without)
    node->without = build_without(factoring, node->inst);
  return node->without;
}

static void
become(Factoring *factoring, uint32_t inst, unsigned op, const NornRef *operands, unsigned count) {
  norn_factor_become(factoring->function, inst, op, operands, count);
  factoring->is_touched[inst] = true;
}

/* The number times the factor, computed before the first instruction of its group. */
static NornRef
number_with_factor(Factoring *factoring, NornRef number, uint32_t user) {
  uint32_t before = user;
  NumberGroup *group = NULL;
  if (!norn_are_constants(number, factoring->factor)) {
    uint32_t block = norn_inst(factoring->function, user)->block;
    unsigned k = (group_point(factoring, number, block) - GROUP_POINT) / 2;
    group = &factoring->groups[k];
    if (group->product)
      return group->product;
    before = group->first;
  }
  NornBuilder builder = norn_builder_before(factoring->function, before);
  norn_builder_set_flags(&builder, NORN_INST_FINITE);
  NornRef product = norn_build_fmul(&builder, NORN_TYPE_F32, number, factoring->factor);
  if (group)
    group->product = product;
  return product;
}

/* Whether the use must multiply by the factor, as its node is computed only without it. */
static bool
takes_factor(const Factoring *factoring, const NornFactorUse *use) {
  unsigned user = factoring->node_of[use->inst];
  return !user || !is_without(factoring, user - 1);
}

static void
take_factor(Factoring *factoring, const LinearValue *node, const NornFactorUse *use) {
  NornFunction *function = factoring->function;
  const NornInst *user = norn_inst(function, use->inst);
  NornRef operands[3] = {0};
  for (unsigned k = 0; k < user->operand_count; k++)
    operands[k] = norn_operand(function, use->inst, k);
  if (user->op == NORN_OP_FMUL || user->op == NORN_OP_FMA) {
    unsigned op = user->op, count = user->operand_count;
    operands[1 - use->operand] =
        number_with_factor(factoring, operands[1 - use->operand], use->inst);
    operands[use->operand] = node->without;
    become(factoring, use->inst, op, operands, count);
    return;
  }
  NornBuilder builder = norn_builder_in_place_of(function, use->inst);
  NornRef product = node->without, term = operands[1 - use->operand];
  if (user->op == NORN_OP_FSUB && use->operand)
    product = norn_build_fneg(&builder, NORN_TYPE_F32, product);
  else if (user->op == NORN_OP_FSUB)
    term = norn_build_fneg(&builder, NORN_TYPE_F32, term);
  become(factoring, use->inst, NORN_OP_FMA, (NornRef[]){product, factoring->factor, term}, 3);
}

/* Finds the first instruction of each group that takes the factor. */
static void
find_first_takers(Factoring *factoring) {
  for (unsigned k = 0; k < factoring->node_count; k++) {
    if (!is_without(factoring, k) || is_cut(factoring, k))
      continue;
    for (uint32_t number = first_use(factoring, factoring->nodes[k].inst); number;
         number = factoring->uses.items[number - 1].next) {
      const NornFactorUse *use = &factoring->uses.items[number - 1];
      if (!takes_factor(factoring, use) || kind_of_use(factoring, use) != USE_NUMBER ||
          norn_are_constants(other_number(factoring, use), factoring->factor))
        continue;
      uint32_t block = norn_inst(factoring->function, use->inst)->block;
      unsigned point = group_point(factoring, other_number(factoring, use), block);
      uint32_t *first = &factoring->groups[(point - GROUP_POINT) / 2].first;
      if (*first == NORN_INDEX_NONE || factoring->position[use->inst] < factoring->position[*first])
        *first = use->inst;
    }
  }
}

static void
apply_cut(Factoring *factoring) {
  NornFunction *function = factoring->function;
  find_first_takers(factoring);
  for (unsigned k = 0; k < factoring->node_count; k++)
    if (is_without(factoring, k))
      without_factor(factoring, norn_ref(NORN_REF_VALUE,
                                         norn_inst(function, factoring->nodes[k].inst)->result));
  /* The instructions that tell uses apart stay until all uses are rewritten. */
  for (unsigned k = 0; k < factoring->node_count; k++) {
    if (!is_without(factoring, k) || is_cut(factoring, k))
      continue;
    for (uint32_t number = first_use(factoring, factoring->nodes[k].inst); number;
         number = factoring->uses.items[number - 1].next)
      if (takes_factor(factoring, &factoring->uses.items[number - 1]))
        take_factor(factoring, &factoring->nodes[k], &factoring->uses.items[number - 1]);
  }
  for (unsigned k = 0; k < factoring->node_count; k++) {
    const LinearValue *node = &factoring->nodes[k];
    factoring->is_touched[node->inst] = true;
    if (is_cut(factoring, k) && !node->is_product)
      become(factoring, node->inst, NORN_OP_FMUL, (NornRef[]){node->without, factoring->factor}, 2);
  }
  for (unsigned k = 0; k < factoring->node_count; k++)
    if (is_without(factoring, k) && !is_cut(factoring, k))
      norn_inst_erase(function, factoring->nodes[k].inst);
  factoring->changed = true;
}

/* --- The walk --- */

/* Tries to factor these products, which have one factor. */
static void
try_factor(Factoring *factoring, const Product *products, unsigned count) {
  factoring->factor = products[0].factor;
  factoring->depth = depth_of(factoring, products[0].inst);
  factoring->node_count = factoring->group_count = 0;
  factoring->is_refused = false;
  norn_cut_clear(&factoring->graph);
  for (unsigned k = 0; k < count; k++)
    if (depth_of(factoring, products[k].inst) == factoring->depth)
      add_node(factoring, products[k].inst, true);
  factoring->product_count = factoring->node_count;
  if (!factoring->is_refused)
    grow_region(factoring);
  if (!factoring->is_refused)
    build_graph(factoring);
  if (!factoring->is_refused &&
      norn_cut_find(&factoring->graph, SOURCE, SINK, factoring->product_count))
    apply_cut(factoring);
  for (unsigned k = 0; k < factoring->node_count; k++)
    factoring->node_of[factoring->nodes[k].inst] = 0;
}

static int
by_factor(const void *a, const void *b) {
  const Product *left = a, *right = b;
  if (left->factor != right->factor)
    return left->factor < right->factor ? -1 : 1;
  return left->inst < right->inst ? -1 : left->inst > right->inst;
}

/* Lists the products by factor, leaving out values that are the factor of only one product, alone
 * or in a sum. */
static Product *
find_products(Factoring *factoring, uint32_t *count) {
  NornFunction *function = factoring->function;
  NornArena *arena = &factoring->context->arena;
  NORN_LIST(Product) products = {0};
  uint32_t *counts = NORN_NEW0(arena, uint32_t, function->value_count);
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      bool is_product = inst->op == NORN_OP_FMUL;
      for (unsigned k = 0;
           (is_product || inst->op == NORN_OP_FMA) && norn_factor_may_regroup(inst) && k < 2; k++) {
        NornRef factor = norn_operands(function, inst)[k];
        if (is_product)
          norn_list_push(arena, &products, (Product){factor, index, (uint8_t)k});
        if (norn_ref_kind(factor) == NORN_REF_VALUE)
          counts[norn_ref_payload(factor)]++;
      }
    }
  *count = 0;
  for (uint32_t k = 0; k < products.count; k++) {
    const Product product = products.items[k];
    if (norn_ref_kind(product.factor) != NORN_REF_VALUE ||
        counts[norn_ref_payload(product.factor)] > 1)
      products.items[(*count)++] = product;
  }
  if (*count)
    qsort(products.items, *count, sizeof *products.items, by_factor);
  return products.items;
}

/* Lists uses and positions in the current function. */
static void
prepare(Factoring *factoring) {
  NornFunction *function = factoring->function;
  NornArena *arena = &factoring->context->arena;
  factoring->uses = norn_factor_uses(arena, function);
  factoring->position = NORN_NEW(arena, uint32_t, function->inst_count);
  factoring->node_of = NORN_NEW0(arena, uint8_t, function->inst_count);
  factoring->is_touched = NORN_NEW0(arena, bool, function->inst_count);
  norn_for_each_block (function, block) {
    uint32_t position = 0;
    norn_for_each_inst (function, block, index)
      factoring->position[index] = position++;
  }
}

/* Whether a sum of the product and another one with the same factor uses it. */
static bool
is_in_scaled_sum(const Factoring *factoring, const Product *product) {
  uint32_t first = first_use(factoring, product->inst);
  const NornFactorUse *use = first ? &factoring->uses.items[first - 1] : NULL;
  const NornInst *sum = use ? norn_inst(factoring->function, use->inst) : NULL;
  if (!sum || sum->op != NORN_OP_FMA || use->operand != 2)
    return false;
  const NornRef *operands = norn_operands(factoring->function, sum);
  return operands[0] == product->factor || operands[1] == product->factor;
}

/* Whether factoring may pay off, because there are several products, in sums or alone, or the
 * factor is a constant, and this round has not changed any of the products. */
static bool
is_promising(Factoring *factoring, const Product *products, unsigned count) {
  for (unsigned k = 0; k < count; k++)
    if (factoring->is_touched[products[k].inst])
      return false;
  const NornRef *operands =
      norn_operands(factoring->function, norn_inst(factoring->function, products[0].inst));
  bool is_in_sum = false;
  for (unsigned k = 0; k < count && !is_in_sum; k++)
    is_in_sum = is_in_scaled_sum(factoring, &products[k]);
  factoring->finds_sums |= is_in_sum;
  return count > 1 || (norn_is_constant(products[0].factor) && operands[0] != operands[1]) ||
         (factoring->counts_sums && is_in_sum);
}

static bool
run_round(Factoring *factoring) {
  uint32_t count;
  Product *products = find_products(factoring, &count);
  if (count)
    prepare(factoring);
  factoring->changed = false;
  for (uint32_t k = 0, next; k < count; k = next) {
    for (next = k + 1; next < count && products[next].factor == products[k].factor;)
      next++;
    if (!norn_pass_continues(factoring->context, next - k))
      break;
    if (next - k <= MAX_NODES && is_promising(factoring, &products[k], next - k))
      try_factor(factoring, &products[k], next - k);
  }
  return factoring->changed;
}

bool
norn_pass_factor(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  /* Large; the fields of a round and of a factor are set when those begin. */
  Factoring *factoring = NORN_NEW(&context->arena, Factoring, 1);
  factoring->context = context;
  factoring->function = function;
  factoring->dominance = norn_pass_dominance(context, function);
  factoring->finds_sums = factoring->counts_sums = false;
  bool changed = context->options->contract && norn_unify_signs(context, function, false);
  for (unsigned k = 0; k < MAX_ROUNDS && context->options->contract; k++) {
    NornArenaMark mark = norn_arena_mark(&context->arena);
    bool again = run_round(factoring);
    norn_arena_release(&context->arena, mark);
    changed |= again;
    if (!again && (factoring->counts_sums || !factoring->finds_sums))
      break;
    factoring->counts_sums |= !again;
  }
  if (context->options->contract)
    changed |= norn_distribute_sums(context, function);
  changed |= norn_unify_signs(context, function, true);
  norn_pass_report(context, changed);
  return true;
}
