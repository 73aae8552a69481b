/* Decoding: from a word to the only encoding that can match it.
 *
 * First a decision tree is built for each architecture. A node is position | width << 8, followed
 * by 1 << width entries: NORN_ISA_NONE, another node, or 0x8000 | encoding; with position 0xFF it
 * is a list of `width` encodings. A set of encodings is split by a run of bits that are fixed in
 * all of them and differ among them. If there are no such bits the set becomes a list, most
 * specific encoding first; two encodings in a list that could claim the same word are an error in
 * the description.
 *
 * Then the tree is flattened: the bits that several of its levels test are looked up at once. */
#include "isa/gen/gen.h"
#include <string.h>

typedef struct {
  Generator *gen;
  unsigned architecture;
} Builder;

static const NornIsaEncoding *
encoding_at(const Builder *builder, uint16_t index) {
  return &g_array_index(builder->gen->encodings, GenEncoding, index).encoding;
}

/* Finds the bits fixed in all candidates, and those of them that differ. */
static void
compare_candidates(const Builder *builder, const uint16_t *candidates, unsigned count,
                   uint64_t *common, uint64_t *different) {
  uint64_t first = encoding_at(builder, candidates[0])->match;
  *common = UINT64_MAX;
  *different = 0;
  for (unsigned i = 0; i < count; i++) {
    *common &= encoding_at(builder, candidates[i])->opcode;
    *different |= encoding_at(builder, candidates[i])->match ^ first;
  }
  *different &= *common;
}

static uint16_t
store_node(Builder *builder, const uint16_t *node, unsigned length) {
  uint32_t offset = gen_pool_add(&builder->gen->tree, node, length);
  if (offset >= 0x8000)
    gen_fail(builder->gen, builder->gen->root, "the decision trees are too large");
  return (uint16_t)offset;
}

static int
by_specificity(const void *a, const void *b, void *data) {
  const Builder *builder = data;
  int left = __builtin_popcountll(encoding_at(builder, *(const uint16_t *)a)->mask);
  int right = __builtin_popcountll(encoding_at(builder, *(const uint16_t *)b)->mask);
  return left != right ? right - left : *(const uint16_t *)a - *(const uint16_t *)b;
}

static void
check_pair(const Builder *builder, uint16_t a, uint16_t b) {
  const NornIsaEncoding *first = encoding_at(builder, a), *second = encoding_at(builder, b);
  if ((first->match ^ second->match) & first->mask & second->mask)
    return;
  if (first->mask != second->mask && (first->mask & second->mask) == second->mask)
    return; /* the first is a special case of the second */
  const Generator *gen = builder->gen;
  const char *strings = (const char *)gen->strings->data;
  gen_fail(gen, gen->root, "'%s' and '%s' can encode to the same word on architecture %s",
           strings + (g_array_index(gen->names, NornIsaName, first->name).text >> 8),
           strings + (g_array_index(gen->names, NornIsaName, second->name).text >> 8),
           gen_attribute(gen->architectures->pdata[builder->architecture], "name"));
}

static uint16_t
list_node(Builder *builder, uint16_t *candidates, unsigned count) {
  g_qsort_with_data(candidates, (gint)count, sizeof *candidates, by_specificity, builder);
  uint16_t node[256] = {(uint16_t)(0xFF | count << 8)};
  if (count > 255)
    gen_fail(builder->gen, builder->gen->root, "too many similar encodings");
  for (unsigned i = 0; i < count; i++) {
    node[i + 1] = candidates[i];
    for (unsigned k = 0; k < i; k++)
      check_pair(builder, candidates[k], candidates[i]);
  }
  return store_node(builder, node, count + 1);
}

static uint16_t build(Builder *builder, uint16_t *candidates, unsigned count);

static uint16_t
branch_node(Builder *builder, uint16_t *candidates, unsigned count, unsigned position,
            unsigned width) {
  uint16_t node[1 + (1 << 10)];
  uint16_t *part = g_new(uint16_t, count);
  node[0] = (uint16_t)(position | width << 8);
  for (unsigned value = 0; value < 1u << width; value++) {
    unsigned members = 0;
    for (unsigned i = 0; i < count; i++) {
      uint64_t match = encoding_at(builder, candidates[i])->match;
      if ((match >> position & norn_isa_mask(width)) == value)
        part[members++] = candidates[i];
    }
    node[1 + value] = members ? build(builder, part, members) : NORN_ISA_NONE;
  }
  g_free(part);
  return store_node(builder, node, 1 + (1u << width));
}

/* Builds the entry for these candidates: an encoding, or another node. */
static uint16_t
build(Builder *builder, uint16_t *candidates, unsigned count) {
  if (count == 1)
    return 0x8000 | candidates[0];
  uint64_t common, different;
  compare_candidates(builder, candidates, count, &common, &different);
  if (!different)
    return list_node(builder, candidates, count);
  unsigned position = (unsigned)__builtin_ctzll(different), width = 1, end = position + 1;
  while (end < 64 && common >> end & 1 && end - position < 10) {
    end++;
    if (different >> (end - 1) & 1)
      width = end - position;
  }
  return branch_node(builder, candidates, count, position, width);
}

/* Flat nodes */

enum { NODE_BITS = 10, ALL_LEVELS = 64 };

/* The bits of a word that are known on a path through the tree. */
typedef struct {
  uint64_t mask, bits;
} Known;

static const uint16_t *
tree_node(const Builder *builder, uint16_t entry) {
  return &g_array_index(builder->gen->tree.items, uint16_t, entry);
}

static bool
is_branch(const Builder *builder, uint16_t entry) {
  return !(entry & 0x8000) && (*tree_node(builder, entry) & 0xFF) != 0xFF;
}

static uint64_t
branch_bits(const uint16_t *node) {
  return norn_isa_mask(*node >> 8) << (*node & 0xFF);
}

/* Walks the tree from `entry` as far as the known bits of the word allow. */
static uint16_t
follow(const Builder *builder, uint16_t entry, Known known) {
  while (is_branch(builder, entry)) {
    const uint16_t *node = tree_node(builder, entry);
    if (branch_bits(node) & ~known.mask)
      break;
    entry = node[1 + (known.bits >> (*node & 0xFF) & norn_isa_mask(*node >> 8))];
  }
  return entry;
}

/* The unknown bits that the next `levels` levels below `entry` test. */
static uint64_t
asked_bits(const Builder *builder, uint16_t entry, unsigned levels, Known known) {
  entry = follow(builder, entry, known);
  if (!levels || !is_branch(builder, entry))
    return 0;
  const uint16_t *node = tree_node(builder, entry);
  uint64_t asked = branch_bits(node) & ~known.mask, all = asked;
  for (unsigned i = 0; i < 1u << __builtin_popcountll(asked); i++) {
    Known next = {known.mask | asked, known.bits | gen_scatter(asked, i)};
    all |= asked_bits(builder, entry, levels - 1, next);
  }
  return all;
}

static uint16_t
store_flat(const Builder *builder, const NornIsaNode *node) {
  uint32_t number = gen_pool_add(&builder->gen->nodes, node, 1);
  if (number >= NORN_ISA_ENTRY_LIST)
    gen_fail(builder->gen, builder->gen->root, "the decoding tables have too many nodes");
  return (uint16_t)number;
}

static uint16_t
store_entries(const Builder *builder, const uint16_t *entries, unsigned count, unsigned limit) {
  uint32_t first = gen_pool_add(&builder->gen->entries, entries, count);
  if (first >= limit)
    gen_fail(builder->gen, builder->gen->root, "the decoding tables have too many entries");
  return (uint16_t)first;
}

/* The entry for a leaf of the tree. */
static uint16_t
leaf_entry(const Builder *builder, uint16_t entry) {
  if (entry == NORN_ISA_NONE)
    return (uint16_t)builder->gen->encodings->len;
  if (entry & 0x8000)
    return entry & 0x7FFF;
  uint16_t list[256];
  const uint16_t *node = tree_node(builder, entry);
  list[0] = *node >> 8;
  memcpy(list + 1, node + 1, list[0] * sizeof *list);
  return NORN_ISA_ENTRY_NODE | NORN_ISA_ENTRY_LIST |
         store_entries(builder, list, 1u + list[0], NORN_ISA_ENTRY_LIST);
}

/* The bits tested by as many levels below `entry` as fit a single lookup of at most `runs` runs of
 * bits. */
static uint64_t
bits_at_once(const Builder *builder, uint16_t entry, Known known, unsigned runs) {
  uint64_t bits = 0;
  for (unsigned levels = 1; levels < ALL_LEVELS; levels++) {
    uint64_t more = gen_fill_gaps(asked_bits(builder, entry, levels, known), runs);
    if (__builtin_popcountll(more) > NODE_BITS)
      break;
    bits = more;
  }
  return bits;
}

static Known
learn(Known known, uint64_t bits, unsigned index) {
  return (Known){known.mask | bits, (known.bits & ~bits) | gen_scatter(bits, index)};
}

/* The number of the flat node for the subtree at `entry`. */
static uint16_t
flatten(const Builder *builder, uint16_t entry, Known known) {
  uint64_t bits = bits_at_once(builder, entry, known, 2);
  unsigned count = 1u << __builtin_popcountll(bits);
  uint16_t entries[1 << NODE_BITS];
  for (unsigned i = 0; i < count; i++) {
    Known next = learn(known, bits, i);
    uint16_t node = follow(builder, entry, next);
    entries[i] = is_branch(builder, node)
                     ? (uint16_t)(NORN_ISA_ENTRY_NODE | flatten(builder, node, next))
                     : leaf_entry(builder, node);
  }
  NornIsaNode node;
  memset(&node, 0, sizeof node);
  gen_gather(bits, &node.bits);
  node.first = store_entries(builder, entries, count, UINT16_MAX);
  return store_flat(builder, &node);
}

static NornIsaRoot
flatten_root(const Builder *builder, uint16_t entry) {
  uint64_t bits = bits_at_once(builder, entry, (Known){0}, 1);
  unsigned count = 1u << __builtin_popcountll(bits);
  uint16_t entries[1 << NODE_BITS];
  for (unsigned i = 0; i < count; i++) {
    Known known = learn((Known){0}, bits, i);
    entries[i] = flatten(builder, follow(builder, entry, known), known);
  }
  NornIsaGather gather;
  gen_gather(bits, &gather);
  return (NornIsaRoot){store_entries(builder, entries, count, UINT16_MAX), gather.low_mask,
                       gather.low_shift};
}

void
gen_decode_trees(Generator *gen) {
  uint16_t *candidates = g_new(uint16_t, gen->instruction_count + 1);
  for (unsigned a = 0; a < gen->architectures->len; a++) {
    Builder builder = {gen, a};
    unsigned count = 0;
    for (unsigned i = 0; i < gen->instruction_count; i++) {
      uint16_t index = g_array_index(gen->encoding_of, uint16_t, a * gen->names->len + i);
      if (index != NORN_ISA_NONE)
        candidates[count++] = index;
    }
    uint16_t tree = count ? build(&builder, candidates, count) : NORN_ISA_NONE;
    NornIsaRoot root = flatten_root(&builder, tree);
    g_array_append_val(gen->roots, root);
  }
  g_free(candidates);
}
