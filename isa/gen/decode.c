/* Decision trees: from a word to the only encoding that can match it.
 *
 * A set of encodings is split by a run of bits that are fixed in all of them and differ among them.
 * Where no such bits are left the set becomes a list, most specific encoding first; two encodings
 * of a list that could claim the same word are an error of the description. */
#include "isa/gen/gen.h"

typedef struct {
  Generator *gen;
  unsigned architecture;
} Builder;

static const NornIsaEncoding *
encoding_at(const Builder *builder, uint16_t index) {
  return &g_array_index(builder->gen->encodings, GenEncoding, index).encoding;
}

/* The bits fixed in all candidates, and those of them that differ. */
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
  uint32_t offset = gen_pool_add(&builder->gen->decode, node, length);
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
  gen_fail(gen, gen->root, "'%s' and '%s' can be the same word on architecture %s",
           strings + (g_array_index(gen->names, NornIsaName, first->name).text >> 8),
           strings + (g_array_index(gen->names, NornIsaName, second->name).text >> 8),
           gen_attribute(gen->architectures->pdata[builder->architecture], "name"));
}

static uint16_t
list_node(Builder *builder, uint16_t *candidates, unsigned count) {
  g_qsort_with_data(candidates, (gint)count, sizeof *candidates, by_specificity, builder);
  uint16_t node[256] = {(uint16_t)(0xFF | count << 8)};
  if (count > 255)
    gen_fail(builder->gen, builder->gen->root, "too many encodings that look alike");
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

/* What an entry of a node says: an encoding, or another node. */
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

static uint16_t
build_root(Builder *builder, uint16_t *candidates, unsigned count) {
  uint16_t entry = count ? build(builder, candidates, count) : NORN_ISA_NONE;
  if (!(entry & 0x8000))
    return entry;
  uint16_t node[2] = {0, entry};
  return store_node(builder, node, 2);
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
    uint16_t root = build_root(&builder, candidates, count);
    g_array_append_val(gen->roots, root);
  }
  g_free(candidates);
}
