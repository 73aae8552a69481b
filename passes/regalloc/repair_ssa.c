/* Makes a function SSA again after values have come to have several names.
 *
 * A move, a fill or a second copy defines a new name of an old value (its root); all uses still
 * say the root. Parameters go where different names meet and one of them is used: in the iterated
 * dominance frontier of the definitions, as far as the root is live when every name counts as a
 * definition. Then one walk over the dominator tree replaces each use by the name that reaches it.
 * Blocks that get parameters are reached by jumps only (norn_prepare_edges), so their new arguments
 * are the last operands of the jump. */
#include "passes/regalloc/repair_ssa.h"
#include "ir/ops.h"
#include <string.h>

/* A block that defines a root, or that uses it before it defines it. */
typedef struct RootBlock {
  uint32_t root, block;
} RootBlock;

/* A parameter made for a root. */
typedef struct InsertedParameter {
  uint32_t root, parameter, next; /* next of the same block + 1, 0: none */
} InsertedParameter;

typedef struct Undo {
  uint32_t root, name;
} Undo;

typedef struct Repair {
  NornFunction *function;
  const NornDominance *dominance;
  GArray *definitions, *exposed; /* RootBlock, by root */
  uint32_t *defined, *live;      /* per block: stamp of the last root defined in it, live into it */
  const uint32_t *root;
  uint32_t root_count;
  const NornRegisterState *entry; /* per block, nullable */
  uint32_t *frontier_start, *frontier;
  uint32_t *name; /* per value: what the root is called at this point of the walk */
  GArray *joins;  /* InsertedParameter */
  uint32_t *first_join, *last_join; /* per block: join + 1 */
  GArray *undo;
} Repair;

/* Dominance frontiers of all blocks, as one array with an index. */
static void
find_frontiers(Repair *repair) {
  const NornDominance *dominance = repair->dominance;
  uint32_t blocks = repair->function->block_count;
  repair->frontier_start = g_new0(uint32_t, blocks + 2);
  for (unsigned pass = 0; pass < 2; pass++) {
    uint32_t *last = g_new0(uint32_t, blocks);
    for (uint32_t i = 0; i < repair->dominance->order_count; i++) {
      uint32_t block = repair->dominance->order[i];
      uint32_t first = dominance->predecessor_first[block];
      uint32_t end = dominance->predecessor_first[block + 1];
      for (uint32_t k = first; k < end && end - first > 1; k++) {
        uint32_t runner = dominance->predecessors[k];
        for (; runner != dominance->idom[block]; runner = dominance->idom[runner]) {
          if (last[runner] == block + 1)
            continue;
          last[runner] = block + 1;
          if (pass)
            repair->frontier[repair->frontier_start[runner + 1]++] = block;
          else
            repair->frontier_start[runner + 2]++;
        }
      }
    }
    if (!pass) {
      for (uint32_t block = 2; block < blocks + 2; block++)
        repair->frontier_start[block] += repair->frontier_start[block - 1];
      repair->frontier = g_new(uint32_t, repair->frontier_start[blocks + 1] + 1);
    }
    g_free(last);
  }
}

static int
by_root(const void *a, const void *b) {
  const RootBlock *left = a, *right = b;
  if (left->root != right->root)
    return left->root < right->root ? -1 : 1;
  return left->block < right->block ? -1 : left->block > right->block;
}

static uint32_t
defining_block(const NornFunction *function, uint32_t value) {
  const NornValue *self = &function->values[value];
  return self->is_parameter ? self->def : function->insts[self->def].block;
}

/* The definitions of every root that has more than one. */
static void
find_definitions(Repair *repair) {
  const NornFunction *function = repair->function;
  bool *listed = g_new0(bool, repair->root_count + 1);
  for (uint32_t v = repair->root_count; v < function->value_count; v++) {
    uint32_t root = repair->root[v];
    if (root == v)
      continue;
    RootBlock own = {root, function->insts[function->values[v].def].block};
    g_array_append_val(repair->definitions, own);
    if (listed[root])
      continue;
    listed[root] = true;
    RootBlock first = {root, defining_block(function, root)};
    g_array_append_val(repair->definitions, first);
  }
  g_array_sort(repair->definitions, by_root);
  g_free(listed);
}

/* The blocks in which a root is used before it gets a name there. */
static void
find_exposed(Repair *repair) {
  const NornFunction *function = repair->function;
  uint32_t *settled = g_new0(uint32_t, repair->root_count + 1); /* block + 1 */
  bool *renamed = g_new0(bool, repair->root_count + 1);
  for (uint32_t i = 0; i < repair->definitions->len; i++)
    renamed[g_array_index(repair->definitions, RootBlock, i).root] = true;
  norn_for_each_block (function, block) {
    for (unsigned k = 0; k < function->blocks[block].parameter_count; k++)
      settled[norn_block_parameter(function, block, k)] = block + 1;
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = &function->insts[index];
      for (unsigned k = 0; k < inst->operand_count; k++) {
        NornRef ref = function->operands[inst->operand + k];
        uint32_t value = norn_ref_payload(ref);
        if (norn_ref_kind(ref) != NORN_REF_VALUE || value >= repair->root_count ||
            !renamed[value] || settled[value] == block + 1)
          continue;
        settled[value] = block + 1;
        RootBlock use_block = {value, block};
        g_array_append_val(repair->exposed, use_block);
      }
      for (unsigned k = 0; k < inst->result_count; k++) {
        uint32_t root = repair->root[inst->result + k];
        if (root < repair->root_count)
          settled[root] = block + 1;
      }
    }
  }
  g_array_sort(repair->exposed, by_root);
  g_free(settled);
  g_free(renamed);
}

static uint16_t
register_at_entry(const Repair *repair, uint32_t block, uint32_t value) {
  if (!repair->entry)
    return NORN_REGISTER_NONE;
  const NornRegisterState *state = &repair->entry[block];
  norn_for_each_register (reg, state->used)
    if (state->owner[reg] == value)
      return (uint16_t)reg;
  return NORN_REGISTER_NONE;
}

static void
add_join(Repair *repair, uint32_t block, uint32_t root) {
  NornFunction *function = repair->function;
  InsertedParameter join = {
      root, norn_block_add_parameter(function, block, function->values[root].type, 0), 0};
  function->values[join.parameter].reg = register_at_entry(repair, block, root);
  g_array_append_val(repair->joins, join);
  if (repair->last_join[block])
    g_array_index(repair->joins, InsertedParameter, repair->last_join[block] - 1).next =
        repair->joins->len;
  else
    repair->first_join[block] = repair->joins->len;
  repair->last_join[block] = repair->joins->len;
}

/* Stamps the blocks that a name of the root must reach. */
static void
find_live_blocks(Repair *repair, GArray *blocks, uint32_t stamp) {
  while (blocks->len) {
    uint32_t block = g_array_index(blocks, uint32_t, blocks->len - 1);
    g_array_set_size(blocks, blocks->len - 1);
    if (repair->live[block] == stamp)
      continue;
    repair->live[block] = stamp;
    for (uint32_t k = 0; k < norn_predecessor_count(repair->dominance, block); k++) {
      uint32_t predecessor = norn_predecessor(repair->dominance, block, k);
      if (repair->defined[predecessor] != stamp)
        g_array_append_val(blocks, predecessor);
    }
  }
}

/* Parameters for one root, whose definitions are in `blocks`. */
static void
place_joins(Repair *repair, uint32_t root, GArray *blocks, uint32_t stamp) {
  while (blocks->len) {
    uint32_t block = g_array_index(blocks, uint32_t, blocks->len - 1);
    g_array_set_size(blocks, blocks->len - 1);
    for (uint32_t i = repair->frontier_start[block]; i < repair->frontier_start[block + 1]; i++) {
      uint32_t join = repair->frontier[i];
      if (repair->live[join] != stamp)
        continue;
      repair->live[join] = 0;
      add_join(repair, join, root);
      g_array_append_val(blocks, join);
    }
  }
}

static void
place_all_joins(Repair *repair) {
  GArray *blocks = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  uint32_t stamp = 0, use = 0;
  for (uint32_t i = 0; i < repair->definitions->len;) {
    uint32_t root = g_array_index(repair->definitions, RootBlock, i).root, first = i;
    stamp++;
    for (; i < repair->definitions->len; i++) {
      const RootBlock *root_block = &g_array_index(repair->definitions, RootBlock, i);
      if (root_block->root != root)
        break;
      repair->defined[root_block->block] = stamp;
    }
    for (; use < repair->exposed->len; use++) {
      const RootBlock *root_block = &g_array_index(repair->exposed, RootBlock, use);
      if (root_block->root != root)
        break;
      g_array_append_val(blocks, root_block->block);
    }
    find_live_blocks(repair, blocks, stamp);
    for (uint32_t k = first; k < i; k++)
      g_array_append_val(blocks, g_array_index(repair->definitions, RootBlock, k).block);
    place_joins(repair, root, blocks, stamp);
  }
  g_array_free(blocks, TRUE);
}

static void
rename_root(Repair *repair, uint32_t root, uint32_t name) {
  Undo undo = {root, repair->name[root]};
  g_array_append_val(repair->undo, undo);
  repair->name[root] = name;
}

/* Hands the names that leave the block to the parameters made in its successor. */
static void
pass_arguments(Repair *repair, uint32_t terminator) {
  NornFunction *function = repair->function;
  NornEdge edge = {0};
  if (!norn_next_edge(function, terminator, &edge) || !repair->first_join[edge.block])
    return;
  unsigned count = function->insts[terminator].operand_count, added = 0;
  for (uint32_t j = repair->first_join[edge.block]; j; added++)
    j = g_array_index(repair->joins, InsertedParameter, j - 1).next;
  norn_inst_resize_operands(function, terminator, count + added);
  NornRef *operands = function->operands + function->insts[terminator].operand;
  for (uint32_t j = repair->first_join[edge.block]; j;) {
    const InsertedParameter *join = &g_array_index(repair->joins, InsertedParameter, j - 1);
    operands[count++] = norn_ref(NORN_REF_VALUE, repair->name[join->root]);
    j = join->next;
  }
}

static void
rename_block(Repair *repair, uint32_t block) {
  NornFunction *function = repair->function;
  for (uint32_t j = repair->first_join[block]; j;) {
    const InsertedParameter *join = &g_array_index(repair->joins, InsertedParameter, j - 1);
    rename_root(repair, join->root, join->parameter);
    j = join->next;
  }
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = &function->insts[index];
    NornRef *operands = function->operands + inst->operand;
    for (unsigned k = 0; k < inst->operand_count; k++)
      if (norn_ref_kind(operands[k]) == NORN_REF_VALUE)
        operands[k] = norn_ref(NORN_REF_VALUE, repair->name[norn_ref_payload(operands[k])]);
    for (unsigned k = 0; k < inst->result_count; k++) {
      uint32_t value = inst->result + k;
      if (repair->root[value] != value)
        rename_root(repair, repair->root[value], value);
    }
  }
  pass_arguments(repair, function->blocks[block].last);
}

/* The walk over the dominator tree, without recursion: a block is met a second time when all that
 * it dominates is done. */
static void
rename_all(Repair *repair) {
  uint32_t blocks = repair->function->block_count, count = repair->dominance->order_count;
  uint32_t *child = g_new(uint32_t, blocks), *sibling = g_new(uint32_t, blocks);
  uint32_t *stack = g_new(uint32_t, count + 1), *mark = g_new(uint32_t, blocks);
  memset(child, 0xFF, blocks * sizeof *child);
  for (uint32_t i = count; --i > 0;) {
    uint32_t block = repair->dominance->order[i], parent = repair->dominance->idom[block];
    sibling[block] = child[parent];
    child[parent] = block;
  }
  uint32_t depth = 0, block = repair->dominance->order[0];
  sibling[block] = NORN_INDEX_NONE;
  while (block != NORN_INDEX_NONE || depth) {
    if (block != NORN_INDEX_NONE) {
      mark[block] = repair->undo->len;
      stack[depth++] = block;
      rename_block(repair, block);
      block = child[block];
      continue;
    }
    uint32_t done = stack[--depth];
    for (uint32_t i = repair->undo->len; i > mark[done]; i--) {
      const Undo *undo = &g_array_index(repair->undo, Undo, i - 1);
      repair->name[undo->root] = undo->name;
    }
    g_array_set_size(repair->undo, mark[done]);
    block = sibling[done];
  }
  g_free(child);
  g_free(sibling);
  g_free(stack);
  g_free(mark);
}

void
norn_repair_ssa(NornFunction *function, const NornDominance *dominance, const uint32_t *root,
                uint32_t first_name, const NornRegisterState *entry) {
  Repair repair = {
      .function = function,
      .dominance = dominance,
      .root = root,
      .root_count = first_name,
      .entry = entry,
      .definitions = g_array_new(FALSE, FALSE, sizeof(RootBlock)),
      .exposed = g_array_new(FALSE, FALSE, sizeof(RootBlock)),
  };
  uint32_t named = function->value_count;
  find_definitions(&repair);
  if (repair.definitions->len) {
    find_exposed(&repair);
    find_frontiers(&repair);
    repair.defined = g_new0(uint32_t, function->block_count);
    repair.live = g_new0(uint32_t, function->block_count);
    repair.joins = g_array_new(FALSE, FALSE, sizeof(InsertedParameter));
    repair.undo = g_array_new(FALSE, FALSE, sizeof(Undo));
    repair.first_join = g_new0(uint32_t, function->block_count);
    repair.last_join = g_new0(uint32_t, function->block_count);
    repair.name = g_new(uint32_t, named);
    for (uint32_t v = 0; v < named; v++)
      repair.name[v] = v;
    place_all_joins(&repair);
    rename_all(&repair);
    g_array_free(repair.joins, TRUE);
    g_array_free(repair.undo, TRUE);
    g_free(repair.first_join);
    g_free(repair.last_join);
    g_free(repair.name);
    g_free(repair.frontier_start);
    g_free(repair.frontier);
    g_free(repair.defined);
    g_free(repair.live);
  }
  g_array_free(repair.definitions, TRUE);
  g_array_free(repair.exposed, TRUE);
}
