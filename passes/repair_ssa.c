/* Restores SSA form after values have been given several names.
 *
 * A move, a fill or a second copy defines a new name of an old value (its root), or a parameter is
 * one; uses still refer to the root. Parameters are inserted where different names join and one of
 * them is used: in the iterated dominance frontier of the definitions, if the joined name reaches a
 * use, possibly through other such parameters. Only blocks with definitions, joins and uses are
 * searched for this, not all blocks in which a root is live. Then one walk over the dominator tree
 * replaces each use by the name that reaches it. */
#include "passes/repair_ssa.h"
#include "ir/ops.h"
#include "passes/regalloc/allocate.h"
#include <stdlib.h>
#include <string.h>

/* A block that defines a root, or uses it before it defines it. */
typedef struct RootBlock {
  uint32_t root, block;
} RootBlock;

/* A parameter inserted for a root. */
typedef struct InsertedParameter {
  uint32_t root, parameter, next; /* next of the same block + 1, 0: none */
} InsertedParameter;

typedef struct Undo {
  uint32_t root, name;
} Undo;

typedef NORN_LIST(RootBlock) RootBlocks;

/* The names of one root. */
typedef struct NameRepair {
  uint32_t root, stamp;
  const RootBlock *definitions, *uses; /* uses: blocks that use the root before they define it */
  uint32_t definition_count, use_count;
  NornIndexList blocks; /* that define it, and in which its names may join */
  NornIndexList around; /* by index in `blocks`: the nearest of them that dominates it, + 1 */
  NornIndexList needed; /* the joins that need a parameter */
  bool has_joins;
} NameRepair;

typedef struct Repair {
  NornArena *arena;
  NornFunction *function;
  const NornDominance *dominance;
  RootBlocks definitions, exposed; /* by root */
  /* per block: stamp of the last root that it defines, whose names may join in it, and for which it
   * needs a parameter */
  uint32_t *defined, *joined, *needed;
  uint32_t *entered; /* blocks by their preorder number in the dominator tree */
  const uint32_t *root;
  uint32_t root_count, named;       /* number of values when the repair began */
  const NornAllocation *allocation; /* nullable */
  NornFrontiers frontiers;
  uint32_t *name; /* per value: the current name of the root in the walk */
  NORN_LIST(InsertedParameter) joins;
  uint32_t *first_join, *last_join; /* per block: join + 1 */
  NORN_LIST(Undo) undo;
  NornIndexList arguments; /* of an edge */
} Repair;

static int
by_root(const void *a, const void *b) {
  const RootBlock *left = a, *right = b;
  if (left->root != right->root)
    return left->root < right->root ? -1 : 1;
  return left->block < right->block ? -1 : left->block > right->block;
}

static void
sort_by_root(RootBlocks *list) {
  if (list->count)
    qsort(list->items, list->count, sizeof *list->items, by_root);
}

/* Finds the definitions of every root that has more than one. */
static void
find_definitions(Repair *repair) {
  const NornFunction *function = repair->function;
  bool *listed = NORN_NEW0(repair->arena, bool, repair->root_count);
  for (uint32_t v = repair->root_count; v < function->value_count; v++) {
    uint32_t root = repair->root[v];
    if (root == v)
      continue;
    norn_list_push(repair->arena, &repair->definitions,
                   (RootBlock){root, norn_defining_block(function, v)});
    if (listed[root])
      continue;
    listed[root] = true;
    norn_list_push(repair->arena, &repair->definitions,
                   (RootBlock){root, norn_defining_block(function, root)});
  }
  sort_by_root(&repair->definitions);
}

/* Finds the blocks in which a root is used before it gets a name there. */
static void
find_exposed(Repair *repair) {
  const NornFunction *function = repair->function;
  uint32_t *settled = NORN_NEW0(repair->arena, uint32_t, repair->root_count); /* block + 1 */
  bool *renamed = NORN_NEW0(repair->arena, bool, repair->root_count);
  for (uint32_t i = 0; i < repair->definitions.count; i++)
    renamed[repair->definitions.items[i].root] = true;
  norn_for_each_block (function, block) {
    for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++) {
      uint32_t root = repair->root[norn_block_parameter(function, block, k)];
      if (root < repair->root_count)
        settled[root] = block + 1;
    }
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      norn_for_each_use (function, inst, use) {
        uint32_t value = use.value;
        if (value >= repair->root_count || !renamed[value] || settled[value] == block + 1)
          continue;
        settled[value] = block + 1;
        norn_list_push(repair->arena, &repair->exposed, (RootBlock){value, block});
      }
      for (unsigned k = 0; k < inst->result_count; k++) {
        uint32_t root = repair->root[inst->result + k];
        if (root < repair->root_count)
          settled[root] = block + 1;
      }
    }
  }
  sort_by_root(&repair->exposed);
}

static uint16_t
register_at_entry(const Repair *repair, uint32_t block, uint32_t value) {
  if (!repair->allocation)
    return NORN_REGISTER_NONE;
  const NornEntryRegisters *entry = &repair->allocation->entry[block];
  uint32_t next = entry->first;
  norn_for_each_register (reg, entry->used)
    if (repair->allocation->owners.items[next++] == value)
      return (uint16_t)reg;
  NORN_ASSERT(!"a value that is live into a block has no register there");
  return NORN_REGISTER_NONE;
}

static void
add_join(Repair *repair, uint32_t block, uint32_t root) {
  NornFunction *function = repair->function;
  uint32_t parameter = norn_parameter_create(function, norn_value(function, root)->type);
  norn_value(function, parameter)->reg = register_at_entry(repair, block, root);
  norn_list_push(repair->arena, &repair->joins, (InsertedParameter){root, parameter, 0});
  uint32_t number = repair->joins.count;
  if (repair->last_join[block])
    repair->joins.items[repair->last_join[block] - 1].next = number;
  else
    repair->first_join[block] = number;
  repair->last_join[block] = number;
}

/* --- Needed joins --- */

/* The block of the first definition of the root, if it dominates all others and precedes all uses:
 * needed joins are then below it. Otherwise the entry. */
static uint32_t
find_base(const Repair *repair, const NameRepair *names) {
  const NornDominance *dominance = repair->dominance;
  uint32_t base = norn_defining_block(repair->function, names->root);
  bool is_first = dominance->position[base] != NORN_INDEX_NONE;
  for (uint32_t i = 0; i < names->definition_count && is_first; i++)
    is_first = norn_dominates(dominance, base, names->definitions[i].block);
  for (uint32_t i = 0; i < names->use_count && is_first; i++)
    is_first =
        names->uses[i].block != base && norn_dominates(dominance, base, names->uses[i].block);
  return is_first ? base : dominance->order[0];
}

/* Adds the blocks in which different names may join: the part of the iterated dominance frontier
 * that is below the base. */
static void
find_joins(Repair *repair, NameRepair *names) {
  const NornFrontiers *frontiers = &repair->frontiers;
  uint32_t base = find_base(repair, names);
  names->has_joins = false;
  for (uint32_t i = 0; i < names->blocks.count; i++) {
    uint32_t block = names->blocks.items[i];
    for (uint32_t k = frontiers->first[block]; k < frontiers->first[block + 1]; k++) {
      uint32_t join = frontiers->blocks[k];
      if (repair->joined[join] == names->stamp || join == base ||
          !norn_dominates(repair->dominance, base, join))
        continue;
      repair->joined[join] = names->stamp;
      names->has_joins = true;
      if (repair->defined[join] != names->stamp)
        norn_list_push(repair->arena, &names->blocks, join);
    }
  }
}

/* Sorts the blocks in preorder of the dominator tree, and finds for each the nearest one that
 * dominates it. */
static void
sort_blocks(Repair *repair, NameRepair *names) {
  const NornDominance *dominance = repair->dominance;
  uint32_t *blocks = names->blocks.items, count = names->blocks.count;
  for (uint32_t i = 0; i < count; i++) /* sorted by their preorder numbers */
    blocks[i] = dominance->enter[blocks[i]];
  qsort(blocks, count, sizeof *blocks, norn_compare_indexes);
  names->around.count = 0;
  for (uint32_t i = 0; i < count; i++) {
    blocks[i] = repair->entered[blocks[i]];
    uint32_t around = i; /* index of the previous one, + 1 */
    while (around && !norn_dominates(dominance, blocks[around - 1], blocks[i]))
      around = names->around.items[around - 1];
    norn_list_push(repair->arena, &names->around, around);
  }
}

/* The nearest of the blocks that is this one or dominates it; NORN_INDEX_NONE if there is none. */
static uint32_t
find_name(const Repair *repair, const NameRepair *names, uint32_t block) {
  const NornDominance *dominance = repair->dominance;
  uint32_t low = 0, high = names->blocks.count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (dominance->enter[names->blocks.items[middle]] <= dominance->enter[block])
      low = middle + 1;
    else
      high = middle;
  }
  while (low && !norn_dominates(dominance, names->blocks.items[low - 1], block))
    low = names->around.items[low - 1];
  return low ? names->blocks.items[low - 1] : NORN_INDEX_NONE;
}

static void
need(Repair *repair, NameRepair *names, uint32_t join) {
  if (repair->needed[join] == names->stamp)
    return;
  repair->needed[join] = names->stamp;
  norn_list_push(repair->arena, &names->needed, join);
}

/* Marks the name that reaches the start of the block as needed if it is a join. */
static void
need_at_start(Repair *repair, NameRepair *names, uint32_t block) {
  if (repair->joined[block] == names->stamp) {
    need(repair, names, block);
    return;
  }
  uint32_t above = repair->dominance->idom[block];
  uint32_t name = above == block ? NORN_INDEX_NONE : find_name(repair, names, above);
  if (name != NORN_INDEX_NONE && repair->defined[name] != names->stamp)
    need(repair, names, name);
}

/* Marks the joins whose names are used, or are passed on to such joins. */
static void
find_needed(Repair *repair, NameRepair *names) {
  names->needed.count = 0;
  for (uint32_t i = 0; i < names->use_count; i++)
    need_at_start(repair, names, names->uses[i].block);
  for (uint32_t i = 0; i < names->needed.count; i++) {
    uint32_t join = names->needed.items[i];
    for (uint32_t k = 0; k < norn_predecessor_count(repair->dominance, join); k++) {
      uint32_t predecessor = norn_predecessor(repair->dominance, join, k);
      if (repair->defined[predecessor] != names->stamp)
        need_at_start(repair, names, predecessor);
    }
  }
}

static void
join_names(Repair *repair, NameRepair *names) {
  names->blocks.count = 0;
  for (uint32_t i = 0; i < names->definition_count; i++) {
    uint32_t block = names->definitions[i].block;
    if (repair->defined[block] != names->stamp)
      norn_list_push(repair->arena, &names->blocks, block);
    repair->defined[block] = names->stamp;
  }
  find_joins(repair, names);
  if (!names->has_joins)
    return;
  sort_blocks(repair, names);
  find_needed(repair, names);
  for (uint32_t i = 0; i < names->needed.count; i++)
    add_join(repair, names->needed.items[i], names->root);
}

static void
place_all_joins(Repair *repair) {
  const RootBlocks *definitions = &repair->definitions, *exposed = &repair->exposed;
  NameRepair names = {0};
  uint32_t use = 0;
  for (uint32_t i = 0; i < definitions->count;) {
    uint32_t first = i, first_use = use;
    names.root = definitions->items[i].root;
    while (i < definitions->count && definitions->items[i].root == names.root)
      i++;
    while (use < exposed->count && exposed->items[use].root == names.root)
      use++;
    if (use == first_use)
      continue;
    names.definitions = &definitions->items[first];
    names.definition_count = i - first;
    names.uses = exposed->count ? &exposed->items[first_use] : NULL;
    names.use_count = use - first_use;
    names.stamp++;
    join_names(repair, &names);
  }
  NORN_ASSERT(use == exposed->count); /* every root whose uses are renamed has definitions */
}

/* Adds the parameters of each block all at once: they are stored together, so adding them one by
 * one would move them each time. */
static void
append_joins(Repair *repair) {
  NornIndexList parameters = {0};
  norn_for_each_block (repair->function, block) {
    parameters.count = 0;
    for (uint32_t j = repair->first_join[block]; j; j = repair->joins.items[j - 1].next)
      norn_list_push(repair->arena, &parameters, repair->joins.items[j - 1].parameter);
    if (parameters.count)
      norn_block_append_parameters(repair->function, block, parameters.items, parameters.count);
  }
}

static void
rename_root(Repair *repair, uint32_t root, uint32_t name) {
  norn_list_push(repair->arena, &repair->undo, (Undo){root, repair->name[root]});
  repair->name[root] = name;
}

/* Passes the names at the end of the block to the parameters inserted in its successors. */
static void
pass_arguments(Repair *repair, uint32_t terminator) {
  NornEdge edge = {0};
  while (norn_next_edge(repair->function, terminator, &edge)) {
    NornIndexList *names = &repair->arguments;
    names->count = 0;
    if (!repair->first_join[edge.block])
      continue;
    for (uint32_t j = repair->first_join[edge.block]; j; j = repair->joins.items[j - 1].next)
      norn_list_push(repair->arena, names,
                     norn_ref(NORN_REF_VALUE, repair->name[repair->joins.items[j - 1].root]));
    norn_inst_splice_operands(repair->function, terminator, edge.operand + 1 + edge.argument_count,
                              0, names->items, names->count);
    edge.next += names->count;
  }
}

static void
rename_block(Repair *repair, uint32_t block) {
  NornFunction *function = repair->function;
  for (uint32_t j = repair->first_join[block]; j;) {
    const InsertedParameter *join = &repair->joins.items[j - 1];
    rename_root(repair, join->root, join->parameter);
    j = join->next;
  }
  for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++) {
    uint32_t value = norn_block_parameter(function, block, k);
    if (value < repair->named && repair->root[value] != value)
      rename_root(repair, repair->root[value], value);
  }
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = norn_inst(function, index);
    NornRef *operands = norn_operands(function, inst);
    for (unsigned k = 0; k < inst->operand_count; k++)
      if (norn_ref_kind(operands[k]) == NORN_REF_VALUE)
        operands[k] = norn_ref(NORN_REF_VALUE, repair->name[norn_ref_payload(operands[k])]);
    for (unsigned k = 0; k < inst->result_count; k++) {
      uint32_t value = inst->result + k;
      if (repair->root[value] != value)
        rename_root(repair, repair->root[value], value);
    }
  }
  pass_arguments(repair, norn_block(function, block)->last);
}

/* Walks the dominator tree without recursion: a block is visited a second time after all blocks
 * that it dominates. */
static void
rename_all(Repair *repair) {
  uint32_t blocks = repair->function->block_count, count = repair->dominance->order_count;
  uint32_t *child = norn_arena_indexes(repair->arena, blocks);
  uint32_t *sibling = NORN_NEW(repair->arena, uint32_t, blocks);
  uint32_t *stack = NORN_NEW(repair->arena, uint32_t, count);
  uint32_t *mark = NORN_NEW(repair->arena, uint32_t, blocks);
  for (uint32_t i = count; --i > 0;) {
    uint32_t block = repair->dominance->order[i], parent = repair->dominance->idom[block];
    sibling[block] = child[parent];
    child[parent] = block;
  }
  uint32_t depth = 0, block = repair->dominance->order[0];
  sibling[block] = NORN_INDEX_NONE;
  while (block != NORN_INDEX_NONE || depth) {
    if (block != NORN_INDEX_NONE) {
      mark[block] = repair->undo.count;
      stack[depth++] = block;
      rename_block(repair, block);
      block = child[block];
      continue;
    }
    uint32_t done = stack[--depth];
    while (repair->undo.count > mark[done]) {
      const Undo *undo = &repair->undo.items[--repair->undo.count];
      repair->name[undo->root] = undo->name;
    }
    block = sibling[done];
  }
}

void
norn_repair_ssa(NornArena *arena, NornFunction *function, const NornDominance *dominance,
                const uint32_t *root, uint32_t first_name, const NornAllocation *allocation) {
  Repair repair = {
      .arena = arena,
      .function = function,
      .dominance = dominance,
      .root = root,
      .root_count = first_name,
      .named = function->value_count,
      .allocation = allocation,
  };
  NornArenaMark mark = norn_arena_mark(arena);
  find_definitions(&repair);
  if (repair.definitions.count) {
    find_exposed(&repair);
    repair.frontiers = norn_dominance_frontiers(arena, dominance);
    repair.defined = NORN_NEW0(arena, uint32_t, function->block_count);
    repair.joined = NORN_NEW0(arena, uint32_t, function->block_count);
    repair.needed = NORN_NEW0(arena, uint32_t, function->block_count);
    repair.entered = NORN_NEW(arena, uint32_t, function->block_count);
    for (uint32_t i = 0; i < dominance->order_count; i++)
      repair.entered[dominance->enter[dominance->order[i]]] = dominance->order[i];
    repair.first_join = NORN_NEW0(arena, uint32_t, function->block_count);
    repair.last_join = NORN_NEW0(arena, uint32_t, function->block_count);
    repair.name = NORN_NEW(arena, uint32_t, repair.named);
    for (uint32_t v = 0; v < repair.named; v++)
      repair.name[v] = v;
    place_all_joins(&repair);
    append_joins(&repair);
    rename_all(&repair);
  }
  norn_arena_release(arena, mark);
}

void
norn_grow_roots(NornArena *arena, NornIndexList *root, uint32_t count) {
  for (uint32_t v = root->count; v < count; v++)
    norn_list_push(arena, root, v);
}
