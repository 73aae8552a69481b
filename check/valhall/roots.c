/* See roots.h. Sums are recognized from the instructions, not from the compiler's analysis. */
#include "check/valhall/roots.h"
#include <norn/valhall.h>

#define MANY UINT32_MAX /* a sum on several roots */

static uint32_t
find(const NornRoots *roots, uint64_t base) {
  return GPOINTER_TO_UINT(g_hash_table_lookup(roots->of, &base));
}

static void
enter(NornRoots *roots, uint64_t base, uint32_t root) {
  if (base == NORN_FOOTPRINT_ANYWHERE)
    return;
  g_hash_table_insert(roots->of, g_memdup2(&base, sizeof base), GUINT_TO_POINTER(root));
}

/* Enters the pair of words that starts with that one. */
static void
enter_source(NornRoots *roots, uint8_t kind, unsigned number, NornWordOfSource word,
             gpointer data) {
  const NornCodeSource source = {.kind = kind, .number = (uint16_t)number};
  enter(roots, norn_base(word(&source, 0, data), word(&source, 1, data)),
        g_hash_table_size(roots->of) + 1);
}

void
norn_roots_init(NornRoots *roots, const NornCheckInput *input, NornWordOfSource word,
                gpointer data) {
  roots->of = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  enter_source(roots, NORN_ISA_CODE_SPECIAL, NORN_VALHALL_SPECIAL_WORKGROUP_LOCAL_POINTER_W0, word,
               data);
  for (unsigned i = 0; i < input->noalias_count; i++)
    enter_source(roots, NORN_ISA_CODE_UNIFORM, input->noalias[i], word, data);
  const NornCodeSource high = {.kind = NORN_ISA_CODE_SPECIAL,
                               .number = NORN_VALHALL_SPECIAL_PROGRAM_COUNTER_W1};
  roots->has_data = input->data_size != 0;
  roots->high = word(&high, 0, data);
  const NornModule *module = input->selected ? input->selected->module : NULL;
  for (uint32_t i = 0; module && i < module->fau_count; i++)
    for (uint32_t k = 0; k < module->faus[i].count && module->faus[i].is_noalias; k++)
      enter_source(roots, NORN_ISA_CODE_UNIFORM, module->faus[i].word + 2 * k, word, data);
}

void
norn_roots_enter_data(NornRoots *roots, uint32_t low) {
  enter(roots, norn_base(low, roots->high), NORN_ROOT_DATA);
}

void
norn_roots_clear(NornRoots *roots) {
  g_hash_table_destroy(roots->of);
}

bool
norn_roots_matter(const NornRoots *roots) {
  return roots->has_data || g_hash_table_size(roots->of) > 1;
}

uint32_t
norn_roots_find(const NornRoots *roots, uint64_t base) {
  uint32_t root = find(roots, base);
  return root == MANY ? 0 : root;
}

unsigned
norn_roots_terms(const NornWordInst *inst) {
  unsigned terms = 0;
  switch (inst->instruction) {
  case NORN_VALHALL_SHADDX_U64:
  case NORN_VALHALL_SHADDX_S64:
    return 1; /* the other source is shifted */
  case NORN_VALHALL_IADD_U64:
    for (unsigned k = 0; k < inst->source_count; k++)
      terms |= (unsigned)(inst->sources[k].words_read == 2) << k;
    return terms;
  default:
    return 0;
  }
}

void
norn_roots_enter_sum(NornRoots *roots, unsigned terms, const uint64_t *bases, uint64_t result) {
  uint32_t root = 0;
  for (unsigned k = 0; terms >> k; k++) {
    uint32_t other = terms >> k & 1 ? find(roots, bases[k]) : 0;
    root = root && other ? MANY : root | other;
  }
  if (root)
    enter(roots, result, root);
}
