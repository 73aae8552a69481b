/* Writes the rules of optimize/algebra.def as a table, sorted by their root operation, with what
 * their operands must look like (see optimize/rule_index.h). Usage: norn-rules-gen OUTPUT. */
#include "ir/gen/output.h"
#include "ir/ops.h"
#include "passes/optimize/rule_index.h"
#include <glib.h>
#include <inttypes.h>
#include <stdarg.h>

typedef struct Rule {
  uint32_t condition;
  uint16_t match[RULE_LENGTH], replacement[RULE_LENGTH];
} Rule;

static const Rule rules[] = {
#define LIST(...)                                                                                  \
  { __VA_ARGS__ }
#define RULE(condition, match, replacement) {condition, LIST match, LIST replacement},
#include "passes/optimize/algebra.def"
#undef RULE
#undef LIST
};

G_GNUC_PRINTF(1, 2)
static void
fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("norn-rules-gen: ", stderr);
  vfprintf(stderr, format, arguments);
  fputs("\n", stderr);
  va_end(arguments);
  exit(EXIT_FAILURE);
}

#define RULE_COUNT G_N_ELEMENTS(rules)

/* By operation at the root of an operand's tree in some rule: how its results look. */
typedef struct Sights {
  uint8_t of[NORN_OP_COUNT];
  unsigned next;
} Sights;

/* Whether a tree with that root may match an operand that looks so. */
static bool
root_matches(const Sights *sights, unsigned symbol, unsigned sight) {
  if (symbol < NORN_OP_MACHINE)
    return sight == sights->of[symbol];
  if (symbol > C1)
    return sight == SIGHT_NAMED + symbol - ZERO;
  return symbol < C0 || sight == SIGHT_CONSTANT;
}

static unsigned
arity(unsigned op) {
  return norn_operand_arity(op).fixed;
}

/* Returns the end of the tree that starts at `pattern`. */
static const uint16_t *
skip_tree(const uint16_t *pattern) {
  unsigned missing = 1;
  while (missing) {
    missing--;
    if (*pattern < NORN_OP_MACHINE)
      missing += arity(*pattern);
    pattern++;
  }
  return pattern;
}

/* The root of the tree that operand `k` is matched with, or A if there is none. */
static unsigned
root(const Rule *rule, unsigned k) {
  const uint16_t *tree = rule->match + 1;
  if (k >= arity(rule->match[0]))
    return A;
  while (k--)
    tree = skip_tree(tree);
  return *tree;
}

static void
find_sights(Sights *sights) {
  sights->next = SIGHT_OPERATION;
  for (unsigned k = 0; k < RULE_COUNT; k++)
    for (unsigned j = 0; j < RULE_ROOTS; j++) {
      unsigned symbol = root(&rules[k], j);
      if (symbol < NORN_OP_MACHINE && !sights->of[symbol])
        sights->of[symbol] = (uint8_t)sights->next++;
    }
}

static void
write_list(FILE *out, const uint16_t *symbols) {
  fputs("{", out);
  for (unsigned k = 0; k < RULE_LENGTH && symbols[k]; k++)
    fprintf(out, "%s%u", k ? ", " : "", symbols[k]);
  fputs("}, ", out);
}

/* Those of `count` rules that operand `k` may match if it looks so. */
static RuleBits
matching(const Sights *sights, const Rule *const *set, unsigned count, unsigned k, unsigned sight) {
  RuleBits bits = 0;
  for (unsigned j = 0; j < count; j++)
    bits |= (RuleBits)root_matches(sights, root(set[j], k), sight) << j;
  return bits;
}

/* Writes the rules for the operation. Returns whether there are any. */
static bool
write_set(FILE *out, const Sights *sights, unsigned op) {
  const Rule *set[RULE_COUNT];
  unsigned count = 0;
  for (unsigned k = 0; k < RULE_COUNT; k++)
    if (rules[k].match[0] == op)
      set[count++] = &rules[k];
  if (!count)
    return false;
  if (count > 8 * sizeof(RuleBits))
    fail("operation %u has %u rules", op, count);
  fprintf(out, "static const RewriteRule rules_%u[] = {\n", op);
  for (unsigned k = 0; k < count; k++) {
    fputs("  {", out);
    write_list(out, set[k]->match);
    write_list(out, set[k]->replacement);
    fprintf(out, "%u},\n", set[k]->condition);
  }
  fprintf(out, "};\nstatic const RuleSet set_%u = {rules_%u, {\n", op, op);
  for (unsigned k = 0; k < RULE_ROOTS; k++) {
    fputs("  {", out);
    for (unsigned sight = 0; sight < sights->next; sight++)
      fprintf(out, "0x%" PRIx32 ", ", matching(sights, set, count, k, sight));
    fputs("},\n", out);
  }
  fputs("}};\n", out);
  return true;
}

static void
write_constants(FILE *out) {
  fputs("  .constants = {\n", out);
  for (unsigned type = 0; type < NORN_TYPE_COUNT; type++) {
    bool has_constants =
        norn_types[type].class == NORN_CLASS_INT || norn_types[type].class == NORN_CLASS_FLOAT;
    fputs("    {", out);
    for (unsigned k = 0; k < NAMED_CONSTANTS && has_constants; k++)
      fprintf(out, "%sUINT64_C(0x%" PRIx64 ")", k ? ", " : "",
              norn_algebra_constant(ZERO + k, type));
    fputs("},\n", out);
  }
  fputs("  },\n", out);
}

static void
write_index(FILE *out) {
  Sights sights = {.next = 0};
  bool has_rules[NORN_OP_COUNT];
  find_sights(&sights);
  if (sights.next > SIGHT_COUNT)
    fail("there are %u kinds of operands, but SIGHT_COUNT is %u", sights.next, SIGHT_COUNT);
  fputs("#include \"passes/optimize/rule_index.h\"\n\n", out);
  for (unsigned op = 0; op < NORN_OP_COUNT; op++)
    has_rules[op] = write_set(out, &sights, op);
  fputs("const NornRuleIndex norn_rule_index = {\n  .sets = {\n", out);
  for (unsigned op = 0; op < NORN_OP_COUNT; op++)
    if (has_rules[op])
      fprintf(out, "    [%u] = &set_%u,\n", op, op);
  fputs("  },\n  .sights = {", out);
  for (unsigned op = 0; op < NORN_OP_COUNT; op++)
    fprintf(out, "%u, ", sights.of[op]);
  fputs("},\n", out);
  write_constants(out);
  fputs("};\n", out);
}

int
main(int argc, char **argv) {
  if (!generator_takes(argc, argv, 1, "norn-rules-gen OUTPUT"))
    return GENERATOR_USAGE;
  FILE *out = generator_open(argv[1]);
  write_index(out);
  return generator_close(out, argv[1]);
}
