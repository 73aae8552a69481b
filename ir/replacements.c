/* The map of replaced values; see ir/replacements.h. */
#include "ir/replacements.h"
#include "ir/assert.h"
#include <string.h>

static void
grow(NornReplacements *replacements, uint32_t needed) {
  uint32_t old = replacements->capacity;
  NORN_ARENA_GROW(replacements->arena, replacements->map, replacements->capacity, needed);
  memset(replacements->map + old, 0, (replacements->capacity - old) * sizeof *replacements->map);
}

void
norn_replacements_set(NornReplacements *replacements, uint32_t value, NornRef ref) {
  NORN_ASSERT(norn_replacements_get(replacements, ref) != norn_ref(NORN_REF_VALUE, value));
  if (value >= replacements->capacity)
    grow(replacements, value + 1);
  replacements->map[value] = ref;
  replacements->any = true;
}

/* The end of the chain that starts at `ref`; shortens the chain along the way. */
static NornRef
resolve(NornReplacements *replacements, NornRef ref) {
  NornRef end = norn_replacements_get(replacements, ref);
  while (ref != end) {
    NornRef *entry = &replacements->map[norn_ref_payload(ref)];
    ref = *entry;
    *entry = end;
  }
  return end;
}

void
norn_replacements_apply(NornReplacements *replacements, NornFunction *function) {
  const NornRef *map = replacements->map;
  uint32_t capacity = replacements->capacity; /* few operands are replaced: most need only this */
  if (!replacements->any)
    return;
  norn_for_each_block (function, block) {
    norn_for_each_inst (function, block, inst) {
      const NornInst *self = norn_inst(function, inst);
      NornRef *operands = norn_operands(function, self);
      for (unsigned k = 0; k < self->operand_count; k++)
        if (norn_ref_kind(operands[k]) == NORN_REF_VALUE &&
            norn_ref_payload(operands[k]) < capacity && map[norn_ref_payload(operands[k])])
          operands[k] = resolve(replacements, operands[k]);
    }
  }
  memset(replacements->map, 0, replacements->capacity * sizeof *replacements->map);
  replacements->any = false;
}
