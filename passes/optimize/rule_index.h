/* The rules of algebra.def as a table, which a generator makes (passes/gen): by the operation that
 * they begin with, and by what the operands of an instruction look like.
 *
 * Few of the rules that begin with the operation of an instruction match it. So what each of its
 * operands looks like at first sight chooses the rules whose trees begin so, as sets of bits, and
 * only those in all of the sets are tried. */
#ifndef NORN_PASSES_OPTIMIZE_RULE_INDEX_H
#define NORN_PASSES_OPTIMIZE_RULE_INDEX_H

#include "passes/optimize/algebra.h"

/* What an operand is at first sight. */
enum {
  SIGHT_OTHER,
  SIGHT_CONSTANT, /* whichever; those that have a name are that, too: */
  SIGHT_NAMED,    /* the first of them */
  SIGHT_OPERATION = SIGHT_NAMED + LOG2_C0 - ZERO, /* the first of those that trees begin with */
  SIGHT_COUNT = 48,
  NAMED_CONSTANTS = SIGHT_OPERATION - SIGHT_NAMED,
  RULE_ROOTS = 3, /* operands that are looked at */
};

typedef struct RewriteRule {
  uint16_t match[RULE_LENGTH], replacement[RULE_LENGTH]; /* in prefix order, ended by zero */
  uint32_t condition;
} RewriteRule;

/* Rules of one operation by number, as bits. */
typedef uint32_t RuleBits;

typedef struct RuleSet {
  const RewriteRule *rules;                   /* in the order in which they are tried */
  RuleBits matching[RULE_ROOTS][SIGHT_COUNT]; /* those with which an operand may go that looks so */
} RuleSet;

typedef struct NornRuleIndex {
  const RuleSet *sets[NORN_OP_COUNT]; /* NULL: no rule begins with the operation */
  uint8_t sights[NORN_OP_COUNT];      /* of operands that the operation makes */
  uint64_t constants[NORN_TYPE_COUNT][NAMED_CONSTANTS];
} NornRuleIndex;

extern const NornRuleIndex norn_rule_index;

#endif
