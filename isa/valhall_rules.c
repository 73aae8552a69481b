/* Rules of the Valhall hardware that cannot be expressed for single fields.
 *
 * One pass over the operands finds misplaced registers and the sources that read the FAU, if any.
 * What those sources read is counted, and the other rules are limits on the counts. FAU words are
 * uniform words, table constants and special values; a repeated word counts once. */
#include "isa/isa.h"
#include <norn/valhall.h>

enum {
  MAX_FAU_WORDS = 2,
  MAX_UNIFORM_SLOTS = 1,
  /* Arm's own compiler emits messages with more than an ALU instruction may have, and they work. */
  MAX_MESSAGE_FAU_WORDS = 3,
  MAX_MESSAGE_UNIFORM_SLOTS = 2,
};

typedef enum {
  RULE_UNIFORM_SLOTS,
  RULE_FAU_WORDS,
  RULE_ONE_SPECIAL,
  RULE_ALU_SPECIAL,
  RULE_STAGING_ALIGNMENT,
  RULE_PAIR_ALIGNMENT,
  RULE_COUNT
} ValhallRule;

static const NornIsaHardwareRule rules[RULE_COUNT] = {
    [RULE_UNIFORM_SLOTS] =
        {"uniform_slots",
         "an instruction reads at most one 64-bit uniform slot, a message at most two"},
    [RULE_FAU_WORDS] = {"fau_words",
                        "an instruction reads at most two different 32-bit words of uniforms, "
                        "table constants and special values, a message at most three"},
    [RULE_ONE_SPECIAL] = {"one_special", "an instruction reads at most one special FAU value"},
    [RULE_ALU_SPECIAL] =
        {"alu_special", "only ALU instructions can read the special values of page 3 and warp_id"},
    [RULE_STAGING_ALIGNMENT] =
        {"staging_alignment",
         "a group of two or more staging registers starts at an even register"},
    [RULE_PAIR_ALIGNMENT] = {"pair_alignment", "a 64-bit operand is an even-aligned pair"},
};

typedef struct {
  uint64_t words[16]; /* kind << 32 | number of the word or code of the table's entry */
  unsigned word_count;
  uint64_t slots[8];
  unsigned slot_count;
  uint32_t special; /* entry + 1 */
  bool two_specials, alu_special;
} Summary;

static void
add_once(uint64_t *set, unsigned *count, uint64_t value) {
  for (unsigned i = 0; i < *count; i++) {
    if (set[i] == value)
      return;
  }
  set[(*count)++] = value;
}

/* Adds the `words` words of a source, of which the code is `encoded`. Two entries of the table of
 * constants are different words even if they have the same value. */
static void
add_fau(Summary *summary, const NornIsaCode *code, uint32_t encoded, unsigned words) {
  enum { WARP_ID_ENTRY = 228, ALU_BANK = 3 };
  bool constant = code->kind == NORN_ISA_CODE_CONSTANT;
  for (unsigned i = 0; i < (constant ? 1 : words); i++)
    add_once(summary->words, &summary->word_count,
             (uint64_t)code->kind << 32 | (constant ? encoded : code->number + i));
  if (code->kind == NORN_ISA_CODE_UNIFORM)
    add_once(summary->slots, &summary->slot_count, code->number / 2);
  if (code->kind != NORN_ISA_CODE_SPECIAL)
    return;
  uint32_t entry = code->number / 2 + 1;
  summary->two_specials |= summary->special && summary->special != entry;
  summary->special = entry;
  summary->alu_special |= code->bank == ALU_BANK || code->number / 2 * 2 == WARP_ID_ENTRY;
}

/* Source codes: registers (twice), uniform words, then constants and special values, which do not
 * have to be aligned. */
enum { FIRST_FAU_CODE = 128, FIRST_CONSTANT_CODE = 192 };

/* Whether an odd register or uniform word starts a group or a pair. The size is only computed for
 * odd ones. */
static bool
is_misplaced(const NornIsaInstance *instance, const NornIsaOperand *operand, uint32_t code) {
  return code % 2 && code < FIRST_CONSTANT_CODE &&
         norn_isa_operand_words(instance->isa, instance->encoding, operand, instance->word) > 1;
}

/* The rule that the counts break, or -1. */
static int
exceeded(const Summary *summary, bool message) {
  if (summary->slot_count > (message ? MAX_MESSAGE_UNIFORM_SLOTS : MAX_UNIFORM_SLOTS))
    return RULE_UNIFORM_SLOTS;
  if (summary->word_count > (message ? MAX_MESSAGE_FAU_WORDS : MAX_FAU_WORDS))
    return RULE_FAU_WORDS;
  if (summary->two_specials)
    return RULE_ONE_SPECIAL;
  return message && summary->alu_special ? RULE_ALU_SPECIAL : -1;
}

static int
check_fau(const NornIsaInstance *instance, const uint8_t *operands, unsigned count) {
  Summary summary = {.word_count = 0};
  bool message = instance->encoding->flags & NORN_VALHALL_FLAG_MESSAGE;
  for (unsigned i = 0; i < count; i++) {
    const NornIsaOperand *operand = &instance->encoding->operands[operands[i]];
    add_fau(&summary,
            norn_isa_operand_code(instance->isa, instance->encoding, operand, instance->word),
            norn_isa_extract(&instance->encoding->fields[operand->field], instance->word),
            operand->words);
    int rule = exceeded(&summary, message);
    if (rule >= 0)
      return NORN_ISA_BROKEN(rule, operands[i]);
  }
  return -1;
}

static int
check(const NornIsaInstance *instance) {
  const NornIsaEncoding *encoding = instance->encoding;
  uint8_t fau[16];
  unsigned fau_count = 0;
  for (unsigned i = 0; i < encoding->operand_count; i++) {
    const NornIsaOperand *operand = &encoding->operands[i];
    if (operand->role > NORN_ISA_OPERAND_STAGING_BOTH)
      continue;
    uint32_t code = norn_isa_extract(&encoding->fields[operand->field], instance->word);
    if (operand->role == NORN_ISA_OPERAND_SOURCE && code >= FIRST_FAU_CODE)
      fau[fau_count++ % sizeof fau] = (uint8_t)i;
    if (is_misplaced(instance, operand, code))
      return NORN_ISA_BROKEN(operand->role >= NORN_ISA_OPERAND_STAGING_READ ? RULE_STAGING_ALIGNMENT
                                                                            : RULE_PAIR_ALIGNMENT,
                             i);
  }
  /* A single one is always legal, except in a message. */
  bool message = encoding->flags & NORN_VALHALL_FLAG_MESSAGE;
  return fau_count > !message ? check_fau(instance, fau, fau_count) : -1;
}

const NornIsaRuleTable norn_valhall_rules = {rules, RULE_COUNT, check};
