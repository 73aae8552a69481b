/* Promotion: constants that no operand can hold are put into uniform words, which the driver fills.
 *
 * An instruction can read the uniform words of only one pair. If it reads both a constant and a
 * uniform word of the program, one of them would be moved to a register anyway. Such a constant is
 * not promoted but loaded once for all its users, unless it can be the other word of that uniform's
 * pair. A 64-bit constant is a pair. Two other constants that an instruction reads together become
 * the words of a pair; a constant that is read with several others is not promoted either.
 *
 * If the driver makes copies of words, such constants get words after all (pair_constants.c).
 *
 * An instruction can also read words of only one page, and table constants count as the first page.
 * If there are more constants than fit on a page, those that cannot be on the next one come first.
 * If there are more constants than words, the most used ones are promoted; uses in loops count
 * more. */
#include "compiler/valhall/code.h"
#include "compiler/valhall/valhall.h"
#include "ir/analysis/dominance.h"
#include <stdlib.h>
#include <string.h>

/* A constant that may be promoted. */
typedef struct ConstantCandidate {
  uint64_t key, weight;
  uint32_t met, met_count; /* first meeting with another constant, and how many */
  unsigned word;           /* the word that holds it; NORN_FAU_WORDS: none */
  uint8_t pages;           /* bit K: may be on page K; 0: not promoted but loaded */
  bool fits_beside;        /* on its own in the pair of the program's last uniform */
  bool waits;              /* until constants that must be on the first page used have words */
} ConstantCandidate;

/* Whether it is wider than 32 bits; 64-bit constants with smaller values are not promoted. */
static bool
is_long(uint64_t key) {
  return key > UINT32_MAX;
}

/* An instruction that reads two constants. */
typedef struct Meeting {
  uint32_t constant, other;
} Meeting;

typedef struct ConstantPromoter {
  NornPassContext *context;
  NornFunction *function;
  NornConstantUses *uses;
  ConstantCandidate *candidates; /* by key */
  uint32_t candidate_count;
  Meeting *meetings; /* each in both directions, sorted by constant */
  uint32_t meeting_count, meeting_capacity;
  unsigned end;                   /* past the last word that may hold one */
  unsigned gap;                   /* a word left free by a pair; NORN_FAU_WORDS: none */
  unsigned first_page, last_page; /* allowed for promoted constants */
} ConstantPromoter;

static int
compare_keys(const void *left, const void *right) {
  const ConstantCandidate *a = left, *b = right;
  return a->key < b->key ? -1 : a->key > b->key;
}

static int
compare_meetings(const void *left, const void *right) {
  const Meeting *a = left, *b = right;
  if (a->constant != b->constant)
    return a->constant < b->constant ? -1 : 1;
  return a->other < b->other ? -1 : a->other > b->other;
}

/* Constants that meet the most others first. */
static int
compare_met(const void *left, const void *right) {
  const ConstantCandidate *a = *(ConstantCandidate *const *)left,
                          *b = *(ConstantCandidate *const *)right;
  if (a->met_count != b->met_count)
    return a->met_count > b->met_count ? -1 : 1;
  return compare_keys(a, b);
}

/* The most used first, except that those that wait come last. */
static int
compare_weights(const void *left, const void *right) {
  const ConstantCandidate *a = *(ConstantCandidate *const *)left,
                          *b = *(ConstantCandidate *const *)right;
  if (a->waits != b->waits)
    return a->waits ? 1 : -1;
  if (a->weight != b->weight)
    return a->weight > b->weight ? -1 : 1;
  return compare_keys(a, b);
}

static ConstantCandidate **
sort_candidates(const ConstantPromoter *promoter, int (*compare)(const void *, const void *)) {
  ConstantCandidate **sorted =
      NORN_NEW(promoter->uses->arena, ConstantCandidate *, promoter->candidate_count);
  for (uint32_t k = 0; k < promoter->candidate_count; k++)
    sorted[k] = &promoter->candidates[k];
  qsort(sorted, promoter->candidate_count, sizeof *sorted, compare);
  return sorted;
}

/* --- The constants and their uses --- */

/* Lists each constant once, with the weight of its uses. */
static void
collect_candidates(ConstantPromoter *promoter) {
  const NornConstantUses *uses = promoter->uses;
  const NornDominance *dominance = norn_pass_dominance(promoter->context, promoter->function);
  ConstantCandidate *candidates = NORN_NEW(uses->arena, ConstantCandidate, uses->count);
  uint32_t count = 0;
  for (uint32_t k = 0; k < uses->count; k++) {
    uint32_t block = norn_inst(promoter->function, uses->items[k].inst)->block;
    candidates[k] = (ConstantCandidate){.key = uses->items[k].key,
                                        .weight = norn_loop_weight(dominance, block),
                                        .word = NORN_FAU_WORDS,
                                        .pages = UINT8_MAX,
                                        .fits_beside = !is_long(uses->items[k].key)};
  }
  qsort(candidates, uses->count, sizeof *candidates, compare_keys);
  for (uint32_t k = 0; k < uses->count; k++) {
    if (count && candidates[count - 1].key == candidates[k].key)
      candidates[count - 1].weight += candidates[k].weight;
    else
      candidates[count++] = candidates[k];
  }
  promoter->candidates = candidates;
  promoter->candidate_count = count;
}

static uint32_t
candidate_of(const ConstantPromoter *promoter, const NornConstantUse *use) {
  ConstantCandidate wanted = {.key = use->key};
  const ConstantCandidate *found = bsearch(&wanted, promoter->candidates, promoter->candidate_count,
                                           sizeof wanted, compare_keys);
  return (uint32_t)(found - promoter->candidates);
}

/* The number of uses from `first` on that belong to the same instruction. */
static uint32_t
uses_of_inst(const NornConstantUses *uses, uint32_t first) {
  uint32_t count = 1;
  while (first + count < uses->count && uses->items[first + count].inst == uses->items[first].inst)
    count++;
  return count;
}

/* Whether the instruction can read uniform word `word` as constant `key`, and, if `other` is
 * different, the next word as `other`. Its other constants without a word are assumed to be in
 * registers. */
static bool
takes_words(const ConstantPromoter *promoter, const NornConstantUse *uses, uint32_t count,
            uint64_t key, uint64_t other, unsigned word) {
  NornFunction *function = promoter->function;
  const NornInst *inst = norn_inst(function, uses->inst);
  NornRef *operands = norn_operands(function, inst);
  NornRef kept[NORN_MACHINE_OPERANDS];
  NornMachineShape shape;
  unsigned registers = 0, impossible = 0;
  norn_inst_shape(function->module, inst, &shape);
  for (uint32_t k = 0; k < count; k++) {
    unsigned operand = uses[k].operand;
    kept[k] = operands[operand];
    if (uses[k].key != key && uses[k].key != other)
      registers |= 1u << operand;
    else if (shape.operand_words[operand] != 1 + is_long(key) ||
             ((shape.operand_is_staging | shape.operand_is_low) >> operand & 1))
      impossible |= 1u << operand;
    else
      operands[operand] = norn_ref(NORN_REF_UNIFORM, word + (uses[k].key != key));
  }
  bool takes =
      !impossible && norn_valhall_is_legal(promoter->context->target, function, inst, registers);
  for (uint32_t k = 0; k < count; k++)
    operands[uses[k].operand] = kept[k];
  return takes;
}

/* The first word of a pair on the page, or the last word of the page if only that one is free. */
static unsigned
word_on_page(const ConstantPromoter *promoter, unsigned page) {
  unsigned first = MAX(promoter->context->info->promoted_first, page * NORN_VALHALL_PAGE_WORDS);
  return MIN((first + 1) & ~1u, (page + 1) * NORN_VALHALL_PAGE_WORDS - 1);
}

/* The pages on which the instruction can read constant `key`, together with `other` if that is
 * different. */
static uint8_t
pages_for(const ConstantPromoter *promoter, const NornConstantUse *uses, uint32_t count,
          uint64_t key, uint64_t other) {
  uint8_t pages = 0;
  for (unsigned page = promoter->first_page; page <= promoter->last_page; page++) {
    unsigned word = word_on_page(promoter, page);
    if ((key == other || word % 2 == 0) && takes_words(promoter, uses, count, key, other, word))
      pages |= (uint8_t)(1u << page);
  }
  return pages;
}

/* Records that the instruction reads both constants. If it cannot read both as words, the less used
 * one is not promoted. */
static void
note_meeting(ConstantPromoter *promoter, const NornConstantUse *uses, uint32_t count, uint32_t k,
             uint32_t j) {
  uint32_t constant = candidate_of(promoter, &uses[k]), other = candidate_of(promoter, &uses[j]);
  ConstantCandidate *a = &promoter->candidates[constant], *b = &promoter->candidates[other];
  a->fits_beside = false;
  if (is_long(a->key))
    a->pages = 0;
  if (j < k && a->pages && b->pages) {
    uint8_t pages = pages_for(promoter, uses, count, b->key, a->key) & a->pages & b->pages;
    if (pages || a->weight < b->weight)
      a->pages = pages;
    if (pages || a->weight >= b->weight)
      b->pages = pages;
  }
  NORN_ARENA_GROW(promoter->uses->arena, promoter->meetings, promoter->meeting_capacity,
                  promoter->meeting_count + 1);
  promoter->meetings[promoter->meeting_count++] = (Meeting){constant, other};
}

/* Excludes constants that the instruction cannot read as words, and records which others it reads
 * together. */
static void
look_at_inst(ConstantPromoter *promoter, const NornConstantUse *uses, uint32_t count) {
  unsigned beside = promoter->context->info->promoted_first, apart = (beside + 1) & ~1u;
  for (uint32_t k = 0; k < count; k++) {
    uint64_t key = uses[k].key;
    ConstantCandidate *candidate = &promoter->candidates[candidate_of(promoter, &uses[k])];
    if (candidate->pages)
      candidate->pages &= pages_for(promoter, uses, count, key, key);
    candidate->fits_beside = candidate->fits_beside && beside != apart &&
                             takes_words(promoter, uses, count, key, key, beside);
    for (uint32_t j = 0; j < count; j++)
      if (uses[j].key != key)
        note_meeting(promoter, uses, count, k, j);
  }
}

/* Removes duplicate meetings and those of constants that cannot be promoted; indexes the rest by
 * constant. */
static void
index_meetings(ConstantPromoter *promoter) {
  Meeting *meetings = promoter->meetings;
  uint32_t count = 0;
  if (promoter->meeting_count)
    qsort(meetings, promoter->meeting_count, sizeof *meetings, compare_meetings);
  for (uint32_t k = 0; k < promoter->meeting_count; k++) {
    ConstantCandidate *constant = &promoter->candidates[meetings[k].constant];
    if (!constant->pages || !promoter->candidates[meetings[k].other].pages ||
        (count && compare_meetings(&meetings[count - 1], &meetings[k]) == 0))
      continue;
    if (constant->met_count++ == 0)
      constant->met = count;
    meetings[count++] = meetings[k];
  }
  promoter->meeting_count = count;
}

/* Excludes constants until each shares a pair with at most one other. */
static void
part_meetings(ConstantPromoter *promoter) {
  ConstantCandidate **sorted = sort_candidates(promoter, compare_met);
  for (uint32_t k = 0; k < promoter->candidate_count; k++) {
    ConstantCandidate *constant = sorted[k];
    if (constant->met_count < 2)
      continue;
    constant->pages = 0;
    const Meeting *meeting = &promoter->meetings[constant->met];
    uint32_t index = (uint32_t)(constant - promoter->candidates);
    for (; meeting < promoter->meetings + promoter->meeting_count && meeting->constant == index;
         meeting++)
      promoter->candidates[meeting->other].met_count--;
  }
}

/* The constant to share a pair with, or NULL. */
static ConstantCandidate *
partner_of(const ConstantPromoter *promoter, const ConstantCandidate *constant) {
  if (!constant->met_count)
    return NULL;
  const Meeting *meeting = &promoter->meetings[constant->met];
  while (!promoter->candidates[meeting->other].pages)
    meeting++;
  return &promoter->candidates[meeting->other];
}

/* --- Words --- */

static bool
is_on(unsigned word, uint8_t pages) {
  return pages >> word / NORN_VALHALL_PAGE_WORDS & 1;
}

/* The next `count` words, in a pair if there are two; NORN_FAU_WORDS if there are not enough words
 * left, or if they are on another page. */
static unsigned
take_words(ConstantPromoter *promoter, unsigned count, uint8_t pages) {
  NornCompileInfo *info = promoter->context->info;
  unsigned first = info->promoted_first + info->promoted_count;
  if (count == 1 && promoter->gap < NORN_FAU_WORDS && is_on(promoter->gap, pages)) {
    first = promoter->gap;
    promoter->gap = NORN_FAU_WORDS;
    return first;
  }
  unsigned word = count == 2 ? first + first % 2 : first;
  if (word + count > promoter->end || !is_on(word, pages))
    return NORN_FAU_WORDS;
  if (word != first)
    promoter->gap = first;
  info->promoted_count = word + count - info->promoted_first;
  return word;
}

/* Gives the other word of the pair of the program's last uniform, if it is free, to the most used
 * constant that would otherwise not be promoted. */
static void
fill_last_pair(ConstantPromoter *promoter) {
  NornCompileInfo *info = promoter->context->info;
  ConstantCandidate *best = NULL;
  for (uint32_t k = 0; k < promoter->candidate_count; k++) {
    ConstantCandidate *candidate = &promoter->candidates[k];
    if (!candidate->pages && candidate->fits_beside && (!best || candidate->weight > best->weight))
      best = candidate;
  }
  if (!best || info->promoted_count)
    return;
  best->word = take_words(promoter, 1, UINT8_MAX);
  info->constants[0] = (uint32_t)best->key;
}

/* The last page needed if all constants that can be promoted get words. */
static unsigned
find_last_page(const ConstantPromoter *promoter) {
  const NornCompileInfo *info = promoter->context->info;
  unsigned end = info->promoted_first + info->promoted_count;
  for (uint32_t k = 0; k < promoter->candidate_count && end < promoter->end; k++)
    if (promoter->candidates[k].pages)
      end += 1 + is_long(promoter->candidates[k].key);
  return (MIN(end, promoter->end) - 1) / NORN_VALHALL_PAGE_WORDS;
}

/* If the first page does not have enough words, makes constants wait that may also be on another
 * page. */
static void
order_by_pages(ConstantPromoter *promoter) {
  if (find_last_page(promoter) == promoter->first_page)
    return;
  for (uint32_t k = 0; k < promoter->candidate_count; k++)
    promoter->candidates[k].waits = promoter->candidates[k].pages >> (promoter->first_page + 1);
}

static void
assign_words(ConstantPromoter *promoter) {
  NornCompileInfo *info = promoter->context->info;
  fill_last_pair(promoter);
  order_by_pages(promoter);
  ConstantCandidate **sorted = sort_candidates(promoter, compare_weights);
  for (uint32_t k = 0; k < promoter->candidate_count; k++) {
    ConstantCandidate *pair[2] = {sorted[k], partner_of(promoter, sorted[k])};
    unsigned count = pair[1] ? 2 : 1, words = count + is_long(pair[0]->key), word;
    uint8_t pages = pair[0]->pages & (pair[1] ? pair[1]->pages : UINT8_MAX);
    if (!pages || pair[0]->word < NORN_FAU_WORDS ||
        (word = take_words(promoter, words, pages)) == NORN_FAU_WORDS)
      continue;
    for (unsigned j = 0; j < words; j++) {
      unsigned at = word + j - info->promoted_first;
      info->constants[at] = (uint32_t)(j < count ? pair[j]->key : pair[0]->key >> 32);
    }
    for (unsigned j = 0; j < count; j++)
      pair[j]->word = word + j;
  }
}

/* Finds the first free word and the end of the words that may be used. */
static void
find_room(ConstantPromoter *promoter) {
  const NornPassContext *context = promoter->context;
  NornCompileInfo *info = context->info;
  if (!info->promoted_count)
    info->promoted_first =
        MAX(norn_module_uniform_words(context->module), info->load_first + info->load_count);
  unsigned allowed = MIN(context->options->promoted_words, NORN_FAU_WORDS);
  unsigned room = allowed > info->load_count ? allowed - info->load_count : 0;
  promoter->end = MIN(NORN_FAU_WORDS, info->promoted_first + room);
  promoter->gap = NORN_FAU_WORDS;
  promoter->first_page = (info->promoted_first + info->promoted_count) / NORN_VALHALL_PAGE_WORDS;
}

/* Replaces the uses of promoted constants by their words; the other uses remain in the list. */
static void
replace_uses(ConstantPromoter *promoter) {
  NornFunction *function = promoter->function;
  NornConstantUses *uses = promoter->uses;
  uint32_t kept = 0;
  for (uint32_t k = 0; k < uses->count; k++) {
    const NornConstantUse *use = &uses->items[k];
    unsigned word = promoter->candidates[candidate_of(promoter, use)].word;
    if (word < NORN_FAU_WORDS)
      norn_operands(function, norn_inst(function, use->inst))[use->operand] =
          norn_ref(NORN_REF_UNIFORM, word);
    else
      uses->items[kept++] = *use;
  }
  uses->count = kept;
}

void
norn_valhall_promote_constants(NornPassContext *context, NornFunction *function,
                               NornConstantUses *uses) {
  ConstantPromoter promoter = {.context = context, .function = function, .uses = uses};
  const NornCompileInfo *info = context->info;
  find_room(&promoter);
  if (!uses->count || info->promoted_first + info->promoted_count >= promoter.end)
    return;
  collect_candidates(&promoter);
  promoter.last_page = find_last_page(&promoter);
  for (uint32_t k = 0; k < uses->count;) {
    uint32_t count = uses_of_inst(uses, k);
    look_at_inst(&promoter, &uses->items[k], count);
    k += count;
  }
  index_meetings(&promoter);
  part_meetings(&promoter);
  assign_words(&promoter);
  replace_uses(&promoter);
  if (context->options->promote_uniforms && uses->count)
    norn_valhall_pair_constants(context, function, uses, promoter.end);
}
