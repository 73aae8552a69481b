/* The rules of algebra.def as a table, which a generator writes (passes/gen). They are indexed by
 * the operation at their root and by what the operands of an instruction look like.
 *
 * Only a few of the rules for the operation of an instruction match it. So the appearance of each
 * operand selects, as a bit set, the rules with a tree that can match it, and only the rules in all
 * of these sets are tried. */
#ifndef NORN_PASSES_OPTIMIZE_RULE_INDEX_H
#define NORN_PASSES_OPTIMIZE_RULE_INDEX_H

#include "passes/optimize/algebra.h"

/* What an operand looks like at first sight. */
enum {
  SIGHT_OTHER,
  SIGHT_CONSTANT, /* any; named constants are also one of the following: */
  SIGHT_NAMED,    /* the first named constant */
  SIGHT_OPERATION = SIGHT_NAMED + LOG2_C0 - ZERO, /* the first operation that trees begin with */
  SIGHT_COUNT = 48,
  NAMED_CONSTANTS = SIGHT_OPERATION - SIGHT_NAMED,
  RULE_ROOTS = 3, /* operands that are examined */
};

typedef struct RewriteRule {
  uint16_t match[RULE_LENGTH], replacement[RULE_LENGTH]; /* in prefix order, terminated by zero */
  uint32_t condition;
} RewriteRule;

/* A bit set of the rules of one operation. */
typedef uint32_t RuleBits;

typedef struct RuleSet {
  const RewriteRule *rules;                   /* in the order in which they are tried */
  RuleBits matching[RULE_ROOTS][SIGHT_COUNT]; /* rules that an operand that looks so may match */
} RuleSet;

typedef struct NornRuleIndex {
  const RuleSet *sets[NORN_OP_COUNT]; /* NULL: no rules for the operation */
  uint8_t sights[NORN_OP_COUNT];      /* how a result of the operation looks */
  uint64_t constants[NORN_TYPE_COUNT][NAMED_CONSTANTS];
} NornRuleIndex;

extern const NornRuleIndex norn_rule_index;

#endif
