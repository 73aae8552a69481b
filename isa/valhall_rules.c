/* The rules of the Valhall hardware that single fields cannot say.
 *
 * One pass over the operands counts what an instruction reads through the FAU and notes misplaced
 * registers; the rules are limits on these counts. FAU words are uniform words, table constants and
 * special values; a repeated one counts once. */
#include "isa/isa.h"
#include <norn/valhall.h>

enum {
  MAX_FAU_WORDS = 2,
  MAX_UNIFORM_SLOTS = 1,
  /* Arm's own compiler emits messages with more; they work. */
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
} Rule;

static const NornIsaHardwareRule rules[RULE_COUNT] = {
    [RULE_UNIFORM_SLOTS] = {"uniform_slots",
                            "an instruction reads at most one 64-bit uniform slot"},
    [RULE_FAU_WORDS] = {"fau_words", "an instruction reads at most two different 32-bit words of "
                                     "uniforms, table constants and special values"},
    [RULE_ONE_SPECIAL] = {"one_special", "an instruction reads at most one special FAU value"},
    [RULE_ALU_SPECIAL] = {"alu_special",
                          "page 3 special values and warp_id are for ALU instructions"},
    [RULE_STAGING_ALIGNMENT] = {"staging_alignment",
                                "a group of two or more staging registers starts even"},
    [RULE_PAIR_ALIGNMENT] = {"pair_alignment", "a 64-bit operand is an even-aligned pair"},
};

typedef struct {
  uint64_t words[16]; /* kind << 32 | number or pattern */
  unsigned word_count;
  uint64_t slots[8];
  unsigned slot_count;
  uint32_t special; /* entry + 1 */
  bool two_specials, alu_special, odd_staging, odd_pair;
} Summary;

static void
add_once(uint64_t *set, unsigned *count, uint64_t value) {
  for (unsigned i = 0; i < *count; i++) {
    if (set[i] == value)
      return;
  }
  set[(*count)++] = value;
}

static void
add_fau(Summary *summary, const NornIsaCode *code, unsigned words) {
  enum { WARP_ID_ENTRY = 226, ALU_BANK = 3 };
  bool constant = code->kind == NORN_ISA_CODE_CONSTANT;
  for (unsigned i = 0; i < (constant ? 1 : words); i++)
    add_once(summary->words, &summary->word_count,
             (uint64_t)code->kind << 32 | (constant ? code->value : code->number + i));
  if (code->kind == NORN_ISA_CODE_UNIFORM)
    add_once(summary->slots, &summary->slot_count, code->number / 2);
  if (code->kind != NORN_ISA_CODE_SPECIAL)
    return;
  uint32_t entry = code->number / 2 + 1;
  summary->two_specials |= summary->special && summary->special != entry;
  summary->special = entry;
  summary->alu_special |= code->bank == ALU_BANK || code->number / 2 * 2 == WARP_ID_ENTRY;
}

static void
add_operand(Summary *summary, const NornIsaInstance *instance, const NornIsaOperand *operand) {
  if (operand->role > NORN_ISA_OPERAND_STAGING_BOTH)
    return;
  const NornIsaCode *code =
      norn_isa_operand_code(instance->isa, instance->encoding, operand, instance->word);
  unsigned words =
      norn_isa_operand_words(instance->isa, instance->encoding, operand, instance->word);
  bool is_register = code->kind == NORN_ISA_CODE_REGISTER || code->kind == NORN_ISA_CODE_LAST;
  bool odd = words > 1 && code->number % 2;
  if (operand->role >= NORN_ISA_OPERAND_STAGING_READ)
    summary->odd_staging |= odd;
  else if (is_register || code->kind == NORN_ISA_CODE_UNIFORM)
    summary->odd_pair |= odd;
  if (!is_register)
    add_fau(summary, code, words);
}

static int
check(const NornIsaInstance *instance) {
  Summary summary = {.word_count = 0};
  const NornIsaEncoding *encoding = instance->encoding;
  for (unsigned i = 0; i < encoding->operand_count; i++)
    add_operand(&summary, instance, &encoding->operands[i]);
  bool message = encoding->flags & NORN_VALHALL_FLAG_MESSAGE;
  const bool broken[RULE_COUNT] = {
      [RULE_UNIFORM_SLOTS] =
          summary.slot_count > (message ? MAX_MESSAGE_UNIFORM_SLOTS : MAX_UNIFORM_SLOTS),
      [RULE_FAU_WORDS] = summary.word_count > (message ? MAX_MESSAGE_FAU_WORDS : MAX_FAU_WORDS),
      [RULE_ONE_SPECIAL] = summary.two_specials,
      [RULE_ALU_SPECIAL] = message && summary.alu_special,
      [RULE_STAGING_ALIGNMENT] = summary.odd_staging,
      [RULE_PAIR_ALIGNMENT] = summary.odd_pair,
  };
  for (int i = 0; i < RULE_COUNT; i++) {
    if (broken[i])
      return i;
  }
  return -1;
}

const NornIsaRuleTable norn_valhall_rules = {rules, RULE_COUNT, check};
