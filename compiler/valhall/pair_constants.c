/* Pairs constants with copies of uniform words, if the driver makes copies of words.
 *
 * An instruction can read the uniform words of only one pair. A constant that was not promoted
 * because it is read together with uniform words gets a pair for each of these words: a copy of the
 * word, and the constant. */
#include "compiler/valhall/code.h"
#include "compiler/valhall/valhall.h"
#include <stdlib.h>
#include <string.h>

/* The maximum number of uniform words for which a constant gets pairs. */
#define MAX_PAIRS 4

typedef struct KeyedUse {
  uint64_t key;
  uint32_t use;
} KeyedUse;

/* The remaining constants; the uses of one key and the pairs that they need. */
typedef struct PairMaker {
  NornPassContext *context;
  NornFunction *function;
  NornConstantUses *uses;
  unsigned end;    /* past the last word that may hold one */
  KeyedUse *order; /* uses by key; in the original list, the uses of an instruction are adjacent */
  bool *is_done;   /* by use */
  NornRef words[MAX_PAIRS];
  unsigned count, first; /* number of pairs; first word of the first pair */
} PairMaker;

/* Finds the uniform word that is read together with operand k, 0 if there is none. Returns false if
 * there are several, or if it is not a single word. */
static bool
find_word_beside(const NornFunction *function, const NornInst *inst, unsigned k, NornRef *beside) {
  NornMachineShape shape;
  norn_inst_shape(function->module, inst, &shape);
  const NornRef *operands = norn_operands(function, inst);
  unsigned unfit = shape.operand_is_staging | shape.operand_is_low;
  *beside = 0;
  if (shape.operand_words[k] != 1 || unfit >> k & 1)
    return false;
  for (unsigned j = 0; j < shape.operand_count; j++) {
    if (norn_ref_kind(operands[j]) != NORN_REF_UNIFORM || operands[j] == *beside)
      continue;
    if (*beside || shape.operand_words[j] != 1 || unfit >> j & 1)
      return false;
    *beside = operands[j];
  }
  return true;
}

/* Makes the instruction of a use read the pair at `word`: the copy of the other word, if any, in
 * its first word, and the constant in its second word. For a trial, this is undone. Returns whether
 * the result is legal. */
static bool
read_pair(const PairMaker *maker, uint32_t use, NornRef beside, unsigned word, bool is_trial) {
  const NornConstantUses *uses = maker->uses;
  NornFunction *function = maker->function;
  uint32_t index = uses->items[use].inst, first = use;
  const NornInst *inst = norn_inst(function, index);
  NornRef *operands = norn_operands(function, inst);
  NornRef kept[NORN_MACHINE_OPERANDS];
  unsigned registers = 0;
  memcpy(kept, operands, inst->operand_count * sizeof *kept);
  while (first && uses->items[first - 1].inst == index)
    first--;
  for (uint32_t k = first; k < uses->count && uses->items[k].inst == index; k++) {
    unsigned operand = uses->items[k].operand;
    if (uses->items[k].key == uses->items[use].key)
      operands[operand] = norn_ref(NORN_REF_UNIFORM, word + 1);
    else if (!maker->is_done[k])
      registers |= 1u << operand;
  }
  for (unsigned k = 0; beside && k < inst->operand_count; k++)
    if (kept[k] == beside)
      operands[k] = norn_ref(NORN_REF_UNIFORM, word);
  bool is_legal = norn_valhall_is_legal(maker->context->target, function, inst, registers);
  if (is_trial)
    memcpy(operands, kept, inst->operand_count * sizeof *kept);
  return is_legal;
}

/* The pair for a word that the constant is read with; the first pair if there is none. */
static unsigned
pair_beside(const PairMaker *maker, NornRef beside) {
  unsigned k = 0;
  while (k < maker->count && beside && maker->words[k] != beside)
    k++;
  return k;
}

/* Whether pairs for at most `limit` words suffice for all uses of the constant, which begin at
 * `start` of the order. */
static bool
find_pairs(PairMaker *maker, uint32_t start, uint32_t count, unsigned limit) {
  const NornConstantUses *uses = maker->uses;
  NornFunction *function = maker->function;
  maker->count = 0;
  for (uint32_t k = start; k < start + count; k++) {
    const NornConstantUse *use = &uses->items[maker->order[k].use];
    NornRef beside;
    if (use->key > UINT32_MAX ||
        !find_word_beside(function, norn_inst(function, use->inst), use->operand, &beside))
      return false;
    if (beside && pair_beside(maker, beside) == maker->count) {
      if (maker->count == limit)
        return false;
      maker->words[maker->count++] = beside;
    }
    if (!read_pair(maker, maker->order[k].use, beside, maker->first, true))
      return false;
  }
  return maker->count != 0 && maker->first + 2 * maker->count <= maker->end;
}

/* Reports the words of the pairs to the driver. */
static void
report_pairs(const PairMaker *maker, uint32_t constant) {
  NornCompileInfo *info = maker->context->info;
  if (!info->load_count)
    info->load_first = info->promoted_first & ~1u;
  for (unsigned k = 0; k < maker->count; k++) {
    unsigned place = maker->first + 2 * k, word = norn_ref_payload(maker->words[k]);
    bool is_promoted = word >= info->promoted_first;
    info->constants[place + 1 - info->promoted_first] = constant;
    uint8_t *copied = &info->loads[place - info->load_first].copied;
    if (word >= info->load_first && info->loads[word - info->load_first].copied)
      *copied = info->loads[word - info->load_first].copied;
    else if (is_promoted)
      info->constants[place - info->promoted_first] = info->constants[word - info->promoted_first];
    else
      *copied = (uint8_t)(word + 1);
  }
  info->promoted_count = maker->first + 2 * maker->count - info->promoted_first;
}

static void
use_pairs(PairMaker *maker, uint32_t start, uint32_t count) {
  const NornConstantUses *uses = maker->uses;
  NornFunction *function = maker->function;
  report_pairs(maker, (uint32_t)uses->items[maker->order[start].use].key);
  for (uint32_t k = start; k < start + count; k++) {
    const NornConstantUse *use = &uses->items[maker->order[k].use];
    NornRef beside;
    if (maker->is_done[maker->order[k].use])
      continue;
    find_word_beside(function, norn_inst(function, use->inst), use->operand, &beside);
    unsigned word = maker->first + 2 * pair_beside(maker, beside);
    read_pair(maker, maker->order[k].use, beside, word, false);
    /* An instruction may read the constant twice. */
    for (uint32_t j = start; j < start + count; j++)
      maker->is_done[maker->order[j].use] |= uses->items[maker->order[j].use].inst == use->inst;
  }
}

/* Removes the uses that are done. */
static void
drop_done(PairMaker *maker) {
  NornConstantUses *uses = maker->uses;
  uint32_t kept = 0;
  for (uint32_t k = 0; k < uses->count; k++)
    if (!maker->is_done[k])
      uses->items[kept++] = uses->items[k];
  uses->count = kept;
}

static int
compare_keyed(const void *left, const void *right) {
  const KeyedUse *a = left, *b = right;
  if (a->key != b->key)
    return a->key < b->key ? -1 : 1;
  return a->use < b->use ? -1 : a->use > b->use;
}

/* Constants that need the fewest pairs come first. */
void
norn_valhall_pair_constants(NornPassContext *context, NornFunction *function,
                            NornConstantUses *uses, unsigned end) {
  const NornCompileInfo *info = context->info;
  PairMaker maker = {.context = context,
                     .function = function,
                     .uses = uses,
                     .end = end,
                     .order = NORN_NEW(uses->arena, KeyedUse, uses->count),
                     .is_done = NORN_NEW0(uses->arena, bool, uses->count)};
  for (uint32_t k = 0; k < uses->count; k++)
    maker.order[k] = (KeyedUse){uses->items[k].key, k};
  qsort(maker.order, uses->count, sizeof *maker.order, compare_keyed);
  for (unsigned limit = 1; limit <= MAX_PAIRS; limit *= 2)
    for (uint32_t k = 0, next; k < uses->count; k = next) {
      for (next = k + 1; next < uses->count && maker.order[next].key == maker.order[k].key;)
        next++;
      maker.first = (info->promoted_first + info->promoted_count + 1) & ~1u;
      if (maker.first >= MIN(end, NORN_VALHALL_PAGE_WORDS))
        break;
      if (!maker.is_done[maker.order[k].use] && find_pairs(&maker, k, next - k, limit))
        use_pairs(&maker, k, next - k);
    }
  drop_done(&maker);
}
