/* Pair uniforms: uniform words that an instruction reads together become the words of one pair.
 *
 * An instruction can read the uniform words of only one pair; a word of another pair is moved to a
 * register, once for all its users. The places of words that the driver fills with loads
 * (promote-uniforms) can be chosen freely. A word that is read with several others is moved anyway;
 * of the rest, two words that are read together become a pair. Words that are read as 64 bits
 * remain a pair. The other words keep their neighbors and their order if possible. Words that are
 * no longer read are dropped.
 *
 * If there is room, a word need not be moved: the driver fills a pair of copies for each other word
 * that it is read with. This also works for words of the program, whose places are fixed. */
#include "compiler/valhall/valhall.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/pass.h"
#include <stdlib.h>
#include <string.h>

#define NO_WORD NORN_FAU_WORDS

/* At this total number of uniform words, no more copies are made: constants should also be on the
 * first page, together with the table constants that instructions read. */
#define MAX_WORDS_WITH_COPIES 48

/* The maximum number of words outside of registers that an instruction can read. */
#define READABLE_WORDS 2

/* Two words that an instruction reads together. */
typedef struct WordMeeting {
  uint8_t word, other;
  bool is_crowded; /* together with more words than it can read, or as the low word of its pair */
  bool is_pair;    /* the words are a pair */
  uint8_t moved;   /* which of them is moved; NO_WORD: none */
} WordMeeting;

/* Copies of two words in a pair. */
typedef struct WordCopies {
  uint8_t word, other;
  uint8_t place; /* of the first one, numbered like `place` below */
} WordCopies;

typedef struct UniformWords {
  NornPassContext *context;
  NornFunction *function;
  unsigned first, count; /* of the loaded words; earlier words are the program's */
  bool changed;
  bool is_read[NORN_FAU_WORDS];
  uint8_t partner[NORN_FAU_WORDS];   /* other word of its pair; NO_WORD: none yet */
  bool is_high[NORN_FAU_WORDS];      /* in that pair */
  uint8_t place[NORN_FAU_WORDS];     /* new place of a loaded word, relative to `first` */
  uint8_t met_count[NORN_FAU_WORDS]; /* other words that it is read with and that are not moved */
  NORN_LIST(WordMeeting) meetings;
  uint8_t moved[2 * NORN_FAU_WORDS]; /* words in the order in which they were chosen */
  unsigned moved_count;
  WordCopies copies[NORN_FAU_WORDS / 2];
  unsigned copies_count;
} UniformWords;

/* The number of the word; NO_WORD for other operands. */
static unsigned
word_of(const UniformWords *self, NornRef ref) {
  return norn_ref_kind(ref) == NORN_REF_UNIFORM && norn_ref_payload(ref) < self->first + self->count
             ? norn_ref_payload(ref)
             : NO_WORD;
}

static bool
is_loaded(const UniformWords *self, unsigned word) {
  return word >= self->first;
}

static void
make_pair(UniformWords *self, unsigned low, unsigned high) {
  self->partner[low] = (uint8_t)high;
  self->partner[high] = (uint8_t)low;
  self->is_read[low] = self->is_read[high] = self->is_high[high] = true;
}

/* Splits a group of more than two words, which then need not be adjacent. */
static void
split_group(UniformWords *self, uint32_t inst, unsigned k, NornType type) {
  NornRef parts[NORN_GROUP_REGISTERS];
  unsigned words = norn_type_words(type);
  uint32_t word = norn_ref_payload(norn_operand(self->function, inst, k));
  NornBuilder builder = norn_builder_before(self->function, inst);
  for (unsigned j = 0; j < words; j++)
    parts[j] = norn_ref(NORN_REF_UNIFORM, word + j);
  norn_set_operand(self->function, inst, k,
                   norn_build_collect(&builder, NORN_TYPE_I32, type, words, parts));
  self->changed = true;
}

/* Whether the instruction reads more words outside of registers than it can, so that one is moved
 * wherever they are placed. */
static bool
is_crowded(const NornFunction *function, const NornInst *inst, const NornMachineShape *shape) {
  const NornRef *operands = norn_operands(function, inst);
  unsigned words = 0;
  for (unsigned k = 0; k < shape->operand_count; k++) {
    bool is_new =
        norn_ref_kind(operands[k]) != NORN_REF_VALUE && !(shape->operand_is_staging >> k & 1);
    for (unsigned j = 0; j < k; j++)
      is_new &= operands[j] != operands[k];
    words += is_new ? shape->operand_words[k] : 0;
  }
  return words > READABLE_WORDS;
}

/* Records the words that the operands refer to. */
static void
look_at_operands(UniformWords *self, uint32_t index) {
  NornFunction *function = self->function;
  NornMachineShape shape = {0};
  if (norn_is_machine(norn_inst(function, index)))
    norn_inst_shape(function->module, norn_inst(function, index), &shape);
  unsigned count = norn_inst(function, index)->operand_count;
  bool crowded = is_crowded(function, norn_inst(function, index), &shape);
  for (unsigned k = 0; k < count; k++) {
    unsigned word = word_of(self, norn_operand(function, index, k));
    if (word == NO_WORD)
      continue;
    NornType type = norn_operand_type(function, index, k);
    unsigned words = norn_type_words(type);
    bool is_pair = words == 2 || shape.operand_is_low >> k & 1;
    for (unsigned j = 0; j < words; j++)
      self->is_read[word + j] = true;
    if (words > 2 && is_loaded(self, word))
      split_group(self, index, k, type);
    else if (is_pair)
      make_pair(self, word & ~1u, word | 1);
    if (words > 2)
      continue;
    unsigned in_registers = shape.operand_is_staging, low = shape.operand_is_low;
    for (unsigned j = 0; j < k && k < shape.operand_count; j++) {
      unsigned other = word_of(self, norn_operand(function, index, j));
      if (other != NO_WORD && other != word && !((in_registers >> j | in_registers >> k) & 1))
        norn_list_push(&self->context->arena, &self->meetings,
                       ((WordMeeting){(uint8_t)MIN(word, other), (uint8_t)MAX(word, other),
                                      crowded || (low >> j | low >> k) & 1, false, NO_WORD}));
    }
  }
}

static int
compare_meetings(const void *left, const void *right) {
  const WordMeeting *a = left, *b = right;
  return a->word != b->word ? a->word - b->word : a->other - b->other;
}

/* Whether a word of the meeting is in a pair. */
static bool
has_partner(const UniformWords *self, const WordMeeting *meeting) {
  return self->partner[meeting->word] != NO_WORD || self->partner[meeting->other] != NO_WORD;
}

/* Removes duplicate meetings and counts those of words without a known pair. */
static void
count_meetings(UniformWords *self) {
  WordMeeting *meetings = self->meetings.items;
  uint32_t count = 0;
  if (self->meetings.count)
    qsort(meetings, self->meetings.count, sizeof *meetings, compare_meetings);
  for (uint32_t k = 0; k < self->meetings.count; k++) {
    WordMeeting *last = count ? &meetings[count - 1] : NULL;
    if (last && compare_meetings(last, &meetings[k]) == 0) {
      last->is_crowded |= meetings[k].is_crowded;
      continue;
    }
    if (self->partner[meetings[k].word] == meetings[k].other)
      continue;
    meetings[count++] = meetings[k];
    if (!has_partner(self, &meetings[k])) {
      self->met_count[meetings[k].word]++;
      self->met_count[meetings[k].other]++;
    }
  }
  self->meetings.count = count;
}

/* The word that is read with the most others; NO_WORD if none is read with at least `least`. */
static unsigned
most_met(const UniformWords *self, unsigned least) {
  unsigned best = 0;
  for (unsigned k = 1; k < self->first + self->count; k++)
    if (self->met_count[k] > self->met_count[best])
      best = k;
  return self->met_count[best] >= least ? best : NO_WORD;
}

/* Chooses words to move until no word is read with `least` others. `bound`: considers the meetings
 * of words with a known pair instead of the others. */
static void
choose_moved(UniformWords *self, bool bound, unsigned least) {
  WordMeeting *meetings = self->meetings.items;
  for (unsigned moved; (moved = most_met(self, least)) != NO_WORD;) {
    for (uint32_t k = 0; k < self->meetings.count; k++) {
      if (meetings[k].moved != NO_WORD || has_partner(self, &meetings[k]) != bound ||
          (meetings[k].word != moved && meetings[k].other != moved))
        continue;
      meetings[k].moved = (uint8_t)moved;
      self->met_count[meetings[k].word]--;
      self->met_count[meetings[k].other]--;
    }
    self->moved[self->moved_count++] = (uint8_t)moved;
  }
}

/* First chooses the words to move, those read with the most others first. Then makes pairs of words
 * that are read together and otherwise only with words that are moved anyway. */
static void
choose_pairs(UniformWords *self) {
  WordMeeting *meetings = self->meetings.items;
  choose_moved(self, false, 2);
  memset(self->met_count, 0, sizeof self->met_count);
  for (uint32_t k = 0; k < self->meetings.count; k++) {
    if (meetings[k].moved != NO_WORD)
      continue;
    if (!has_partner(self, &meetings[k])) {
      make_pair(self, meetings[k].word, meetings[k].other);
      meetings[k].moved = meetings[k].word; /* needs no other pair */
      meetings[k].is_pair = true;
      continue;
    }
    self->met_count[meetings[k].word]++;
    self->met_count[meetings[k].other]++;
  }
  choose_moved(self, true, 1);
}

/* Makes copies for words that would be moved, if there is room for all their pairs. Starts with the
 * word that was chosen last, which is read with the fewest others. `end`: the number of places
 * used. Returns the new number. */
static unsigned
choose_copies(UniformWords *self, unsigned end) {
  WordMeeting *meetings = self->meetings.items;
  unsigned allowed =
      MIN(self->context->options->promoted_words,
          MAX_WORDS_WITH_COPIES > self->first ? MAX_WORDS_WITH_COPIES - self->first : 0);
  for (unsigned j = self->moved_count; j-- > 0;) {
    unsigned words = 0;
    bool crowded = false;
    for (uint32_t k = 0; k < self->meetings.count; k++)
      if (meetings[k].moved == self->moved[j] && !meetings[k].is_pair) {
        crowded |= meetings[k].is_crowded;
        words += 2;
      }
    if (crowded || end + words > allowed)
      continue;
    for (uint32_t k = 0; k < self->meetings.count; k++)
      if (meetings[k].moved == self->moved[j] && !meetings[k].is_pair) {
        self->copies[self->copies_count++] =
            (WordCopies){meetings[k].word, meetings[k].other, (uint8_t)end};
        meetings[k].is_pair = true;
        end += 2;
      }
  }
  return end;
}

/* Assigns a place to each word that is read: pairs in the order of their first words, and words
 * without a partner in the order of words. Returns the number of places. */
static unsigned
choose_places(UniformWords *self) {
  unsigned end = 0, gap = NO_WORD;
  for (unsigned k = self->first; k < self->first + self->count; k++)
    if (self->partner[k] == NO_WORD && self->partner[k ^ 1] == NO_WORD && self->is_read[k] &&
        self->is_read[k ^ 1])
      make_pair(self, k & ~1u, k | 1);
  for (unsigned k = self->first; k < self->first + self->count; k++) {
    unsigned partner = self->partner[k];
    if (!self->is_read[k] || partner < k)
      continue;
    if (partner != NO_WORD) {
      self->place[k] = (uint8_t)(end + self->is_high[k]);
      self->place[partner] = (uint8_t)(end + !self->is_high[k]);
      end += 2;
    } else if (gap != NO_WORD) {
      self->place[k] = (uint8_t)gap;
      gap = NO_WORD;
    } else {
      self->place[k] = (uint8_t)end;
      gap = end + 1;
      end += 2;
    }
  }
  return end;
}

/* The copies of the two words, or NULL. */
static const WordCopies *
find_copies(const UniformWords *self, unsigned word, unsigned other) {
  for (unsigned k = 0; k < self->copies_count; k++)
    if (self->copies[k].word == MIN(word, other) && self->copies[k].other == MAX(word, other))
      return &self->copies[k];
  return NULL;
}

/* Updates the operands. If an instruction reads two copied words, both are determined before either
 * operand changes. */
static void
move_operands(const UniformWords *self, const NornInst *inst) {
  NornRef *operands = norn_operands(self->function, inst);
  const WordCopies *copies = NULL;
  for (unsigned k = 1; k < inst->operand_count && self->copies_count && !copies; k++)
    for (unsigned j = 0; j < k && !copies; j++) {
      unsigned word = word_of(self, operands[j]), other = word_of(self, operands[k]);
      if (word != NO_WORD && other != NO_WORD)
        copies = find_copies(self, word, other);
    }
  for (unsigned k = 0; k < inst->operand_count; k++) {
    unsigned word = word_of(self, operands[k]);
    if (word == NO_WORD)
      continue;
    unsigned place = is_loaded(self, word) ? self->first + self->place[word] : word;
    if (copies && (word == copies->word || word == copies->other))
      place = self->first + copies->place + (word == copies->other);
    operands[k] = norn_ref(NORN_REF_UNIFORM, place);
  }
}

/* Reports the word at the place to the driver: a loaded word in its new place, or else a copy. */
static void
copy_word(const UniformWords *self, unsigned word, unsigned place, NornUniformLoad *loads) {
  if (is_loaded(self, word))
    loads[place] = self->context->info->loads[word - self->first];
  else
    loads[place].copied = (uint8_t)(word + 1);
}

/* Updates the operands and the report to the driver. */
static void
move_words(UniformWords *self, unsigned end) {
  NornCompileInfo *info = self->context->info;
  NornUniformLoad loads[NORN_FAU_WORDS] = {0};
  bool moves = end != self->count;
  for (unsigned k = self->first; k < self->first + self->count; k++) {
    if (self->is_read[k])
      copy_word(self, k, self->place[k], loads);
    moves |= self->is_read[k] && self->place[k] != k - self->first;
  }
  if (!moves)
    return;
  for (unsigned k = 0; k < self->copies_count; k++) {
    const WordCopies *copies = &self->copies[k];
    copy_word(self, copies->word, copies->place, loads);
    copy_word(self, copies->other, copies->place + 1u, loads);
  }
  memcpy(info->loads, loads, sizeof loads);
  info->load_first = self->first;
  info->load_count = end;
  norn_for_each_block (self->function, block)
    norn_for_each_inst (self->function, block, index)
      move_operands(self, norn_inst(self->function, index));
  self->changed = true;
}

/* The first word that may be loaded, if none is loaded yet. */
static unsigned
first_free_word(const NornPassContext *context) {
  return MIN((norn_module_uniform_words(context->module) + 1) & ~1u, NORN_FAU_WORDS);
}

bool
norn_valhall_pair_uniforms(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  const NornCompileInfo *info = context->info;
  unsigned first = info->load_count ? info->load_first : first_free_word(context);
  bool changed = false;
  if (context->options->promote_uniforms && first + info->load_count && !info->promoted_count) {
    UniformWords *self = NORN_NEW0(&context->arena, UniformWords, 1);
    self->context = context;
    self->function = function;
    self->first = first;
    self->count = info->load_count;
    memset(self->partner, NO_WORD, sizeof self->partner);
    for (unsigned k = 0; k < first; k++)
      self->partner[k] = (uint8_t)(k ^ 1);
    norn_for_each_block (function, block)
      norn_for_each_inst (function, block, index)
        look_at_operands(self, index);
    count_meetings(self);
    choose_pairs(self);
    move_words(self, choose_copies(self, choose_places(self)));
    changed = self->changed;
  }
  norn_pass_report(context, changed);
  return true;
}
