/* Promotes uniforms: replaces loads from constant locations of read-only buffers by reads of
 * uniform words, which the driver fills before the shader runs (NornCompileInfo.loads).
 *
 * A load is a candidate if its handle and address are constants and it loads whole words. Buffers
 * are divided into aligned slots of 8 bytes, which become pairs of words, so that 64-bit values
 * stay aligned. If there is no room for all slots, those that are loaded most, weighted by loop
 * depth, come first; a load is replaced if all of its slots have a pair. The pairs are sorted by
 * handle and address, so the words of a load are consecutive. No location is read that the shader
 * would not load on some path, and words outside of a buffer are 0, as for a load. */
#include "ir/analysis/dominance.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/pass.h"
#include <stdlib.h>

enum { SLOT_BYTES = 8, SLOT_WORDS = 2 };
/* Offsets from here on are not promoted: no uniform buffer is that long. */
#define END_OF_PLACES (UINT32_C(1) << 28)

/* A load that may be replaced. */
typedef struct PlacedLoad {
  uint32_t inst, handle, offset, words;
} PlacedLoad;

typedef struct UniformSlot {
  uint64_t key, weight; /* handle and number of the slot in the buffer */
  uint32_t first;       /* the first load of it */
} UniformSlot;

typedef struct UniformPromoter {
  NornPassContext *context;
  NornFunction *function;
  NORN_LIST(PlacedLoad) loads;
  NORN_LIST(UniformSlot) slots;
  unsigned first_word;
  NornReplacements replacements;
} UniformPromoter;

static uint64_t
slot_key(uint32_t handle, uint32_t offset) {
  return (uint64_t)handle << 32 | offset / SLOT_BYTES;
}

/* Whether the instruction loads whole words from a constant location. */
static bool
find_place(const UniformPromoter *promoter, uint32_t index, PlacedLoad *load) {
  const NornFunction *function = promoter->function;
  const NornInst *inst = norn_inst(function, index);
  if (inst->op != NORN_OP_LOAD_CONSTANT || norn_type_bits(inst->type) % 32)
    return false;
  const NornRef *operands = norn_operands(function, inst);
  if (!norn_is_constant(operands[0]) || !norn_is_constant(operands[1]))
    return false;
  uint64_t base = norn_constant_bits(function->module, operands[1]);
  uint64_t offset = base + (uint64_t)norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET);
  *load = (PlacedLoad){.inst = index,
                       .handle = (uint32_t)norn_constant_bits(function->module, operands[0]),
                       .offset = (uint32_t)offset,
                       .words = norn_type_words(inst->type)};
  return load->offset < END_OF_PLACES && load->offset % 4 == 0;
}

static void
note_load(UniformPromoter *promoter, const PlacedLoad *load, uint64_t weight) {
  NornArena *arena = &promoter->context->arena;
  uint32_t end = load->offset + 4 * load->words;
  for (uint32_t at = load->offset / SLOT_BYTES * SLOT_BYTES; at < end; at += SLOT_BYTES)
    norn_list_push(arena, &promoter->slots,
                   ((UniformSlot){slot_key(load->handle, at), weight, promoter->loads.count}));
  norn_list_push(arena, &promoter->loads, *load);
}

static int
compare_keys(const void *left, const void *right) {
  const UniformSlot *a = left, *b = right;
  if (a->key != b->key)
    return a->key < b->key ? -1 : 1;
  return a->first < b->first ? -1 : a->first > b->first;
}

/* Heaviest first; slots of equal weight in the order of their loads. */
static int
compare_weights(const void *left, const void *right) {
  const UniformSlot *a = left, *b = right;
  if (a->weight != b->weight)
    return a->weight > b->weight ? -1 : 1;
  return a->first != b->first ? (a->first < b->first ? -1 : 1) : compare_keys(left, right);
}

/* Merges equal slots, and keeps only as many as there is room for. */
static void
choose_slots(UniformPromoter *promoter) {
  const NornCompileOptions *options = promoter->context->options;
  UniformSlot *slots = promoter->slots.items;
  uint32_t count = 0;
  qsort(slots, promoter->slots.count, sizeof *slots, compare_keys);
  for (uint32_t k = 0; k < promoter->slots.count; k++) {
    if (count && slots[count - 1].key == slots[k].key)
      slots[count - 1].weight += slots[k].weight;
    else
      slots[count++] = slots[k];
  }
  unsigned declared = norn_module_uniform_words(promoter->context->module);
  promoter->first_word = (declared + SLOT_WORDS - 1) / SLOT_WORDS * SLOT_WORDS;
  unsigned free_words =
      promoter->first_word < NORN_FAU_WORDS ? NORN_FAU_WORDS - promoter->first_word : 0;
  unsigned room = MIN(options->promoted_words, free_words) / SLOT_WORDS;
  if (count > room) {
    qsort(slots, count, sizeof *slots, compare_weights);
    count = room;
    qsort(slots, count, sizeof *slots, compare_keys);
  }
  promoter->slots.count = count;
}

/* The uniform word that holds the location; UINT_MAX if there is none. */
static unsigned
find_word(const UniformPromoter *promoter, uint32_t handle, uint32_t offset) {
  UniformSlot wanted = {.key = slot_key(handle, offset)};
  uint32_t low = 0, high = promoter->slots.count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (promoter->slots.items[middle].key < wanted.key)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == promoter->slots.count || promoter->slots.items[low].key != wanted.key)
    return UINT_MAX;
  return promoter->first_word + low * SLOT_WORDS + offset % SLOT_BYTES / 4;
}

/* Reports to the driver what to put into the words. */
static void
report_words(UniformPromoter *promoter, const PlacedLoad *load, unsigned word) {
  NornCompileInfo *info = promoter->context->info;
  for (unsigned k = 0; k < load->words; k++) {
    NornUniformLoad *to = &info->loads[word + k - promoter->first_word];
    *to =
        (NornUniformLoad){.is_used = true, .handle = load->handle, .offset = load->offset + 4 * k};
  }
}

/* The load's value, composed of the words from `word` on. */
static NornRef
build_value(const UniformPromoter *promoter, const PlacedLoad *load, unsigned word) {
  NornRef parts[NORN_GROUP_REGISTERS];
  if (load->words != 2 || word % 2 == 0)
    return norn_ref(NORN_REF_UNIFORM, word);
  NornBuilder builder = norn_builder_before(promoter->function, load->inst);
  for (unsigned k = 0; k < load->words; k++)
    parts[k] = norn_ref(NORN_REF_UNIFORM, word + k);
  NornType type = norn_inst(promoter->function, load->inst)->type;
  return norn_build_collect(&builder, NORN_TYPE_I32, type, load->words, parts);
}

static bool
replace_load(UniformPromoter *promoter, const PlacedLoad *load) {
  unsigned word = UINT_MAX;
  for (unsigned k = load->words; k-- > 0;) {
    word = find_word(promoter, load->handle, load->offset + 4 * k);
    if (word == UINT_MAX)
      return false;
  }
  report_words(promoter, load, word);
  uint32_t result = norn_inst(promoter->function, load->inst)->result;
  norn_replacements_set(&promoter->replacements, result, build_value(promoter, load, word));
  norn_inst_erase(promoter->function, load->inst);
  return true;
}

/* Replaces the parts of a uniform by uniforms; a 64-bit value that starts at an odd word is not a
 * uniform. */
static void
replace_parts(UniformPromoter *promoter, uint32_t index) {
  NornFunction *function = promoter->function;
  const NornInst *inst = norn_inst(function, index);
  NornRef whole = norn_replacements_get(&promoter->replacements, norn_operand(function, index, 0));
  if (norn_ref_kind(whole) != NORN_REF_UNIFORM)
    return;
  NornType type = norn_result_type(inst, 0);
  unsigned words = norn_type_words(type), word = norn_ref_payload(whole);
  if (norn_type_bits(type) % 32 || (words == 2 && word % 2))
    return;
  for (unsigned k = 0; k < inst->result_count; k++)
    norn_replacements_set(&promoter->replacements, inst->result + k,
                          norn_ref(NORN_REF_UNIFORM, word + k * words));
  norn_inst_erase(function, index);
}

static void
find_loads(UniformPromoter *promoter) {
  const NornDominance *dominance = norn_pass_dominance(promoter->context, promoter->function);
  PlacedLoad load;
  norn_for_each_block (promoter->function, block)
    norn_for_each_inst (promoter->function, block, inst)
      if (norn_pass_continues(promoter->context, 1) && find_place(promoter, inst, &load))
        note_load(promoter, &load, norn_loop_weight(dominance, block));
}

static void
replace_uses(UniformPromoter *promoter) {
  NornFunction *function = promoter->function;
  norn_for_each_block (function, block)
    for (uint32_t inst = norn_block(function, block)->first, next; inst != NORN_INDEX_NONE;
         inst = next) {
      next = norn_inst(function, inst)->next;
      if (norn_inst(function, inst)->op == NORN_OP_SPLIT)
        replace_parts(promoter, inst);
    }
  norn_replacements_apply(&promoter->replacements, function);
}

bool
norn_pass_promote_uniforms(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  UniformPromoter promoter = {
      .context = context, .function = function, .replacements.arena = &context->arena};
  bool changed = false;
  if (context->options->promote_uniforms && !context->info->load_count &&
      context->module->function_count == 1)
    find_loads(&promoter);
  if (promoter.loads.count) {
    choose_slots(&promoter);
    for (uint32_t k = 0; k < promoter.loads.count; k++)
      changed |= replace_load(&promoter, &promoter.loads.items[k]);
    context->info->load_first = promoter.first_word;
    context->info->load_count = promoter.slots.count * SLOT_WORDS;
    replace_uses(&promoter);
  }
  norn_pass_report(context, changed);
  return true;
}
