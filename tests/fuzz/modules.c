/* modules COUNT SEED: makes COUNT random modules, of the seeds from SEED on, and holds the library
 * to its promises about them: the verifier takes them, they print as text that parses to a module
 * of the same structure and prints the same, and the interpreter finds no difference between the
 * two, nor between them and what is left when constants are folded. Says in the end how many of all
 * forms of operations occurred; with ENOUGH modules all must.
 *
 * modules print SEED: writes the module of that seed. */
#include "generate.h"

#include "ir/ops.h"
#include <inttypes.h>
#include <norn/compile.h>
#include <norn/interpret.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP_LIMIT 20000
#define ENOUGH 1000

/* --- Structure --- */

/* What values, blocks and functions of two modules correspond, by their place in the text. */
typedef struct {
  const NornFunction *function;
  guint32 *values; /* by value: its number in the text */
  guint32 *blocks;
} Numbering;

static void
number(Numbering *numbering, const NornFunction *function) {
  guint32 values = 0, blocks = 0;
  numbering->function = function;
  numbering->values = norn_new_indexes(function->value_count);
  numbering->blocks = norn_new_indexes(function->block_count);
  norn_for_each_block (function, block) {
    numbering->blocks[block] = blocks++;
    for (guint k = 0; k < function->blocks[block].parameter_count; k++)
      numbering->values[norn_block_parameter(function, block, k)] = values++;
    norn_for_each_inst (function, block, inst)
      for (guint k = 0; k < function->insts[inst].result_count; k++)
        numbering->values[function->insts[inst].result + k] = values++;
  }
}

/* A reference in terms that do not depend on the order in which things were made. */
static guint64
meaning(const Numbering *numbering, NornRef ref) {
  guint32 payload = norn_ref_payload(ref);
  switch (norn_ref_kind(ref)) {
  case NORN_REF_VALUE:
    return numbering->values[payload];
  case NORN_REF_BLOCK:
    return numbering->blocks[payload];
  case NORN_REF_CONSTANT:
    return norn_constant_bits(numbering->function->module, ref);
  default:
    return payload;
  }
}

static gboolean
same_inst(const Numbering *a, guint32 left, const Numbering *b, guint32 right) {
  const NornInst *x = &a->function->insts[left], *y = &b->function->insts[right];
  if (x->op != y->op || x->type != y->type || x->source_type != y->source_type ||
      x->modifier != y->modifier || x->flags != y->flags || x->payload != y->payload ||
      x->operand_count != y->operand_count || x->result_count != y->result_count)
    return FALSE;
  for (guint k = 0; k < x->operand_count; k++) {
    NornRef p = norn_operand(a->function, left, k), q = norn_operand(b->function, right, k);
    if (norn_ref_kind(p) != norn_ref_kind(q) || meaning(a, p) != meaning(b, q))
      return FALSE;
  }
  for (guint k = 0; k < x->result_count; k++)
    if (a->function->values[x->result + k].type != b->function->values[y->result + k].type)
      return FALSE;
  return TRUE;
}

static gboolean
same_block(const Numbering *a, guint32 left, const Numbering *b, guint32 right) {
  const NornBlock *x = &a->function->blocks[left], *y = &b->function->blocks[right];
  if (x->parameter_count != y->parameter_count)
    return FALSE;
  for (guint k = 0; k < x->parameter_count; k++)
    if (a->function->values[norn_block_parameter(a->function, left, k)].type !=
        b->function->values[norn_block_parameter(b->function, right, k)].type)
      return FALSE;
  guint32 p = x->first, q = y->first;
  for (; p != NORN_INDEX_NONE && q != NORN_INDEX_NONE;
       p = a->function->insts[p].next, q = b->function->insts[q].next)
    if (!same_inst(a, p, b, q))
      return FALSE;
  return p == q;
}

static gboolean
same_function(const NornFunction *x, const NornFunction *y) {
  Numbering a, b;
  gboolean same = x->block_order_count == y->block_order_count && x->result_type == y->result_type;
  number(&a, x);
  number(&b, y);
  for (guint32 i = 0; same && i < x->block_order_count; i++)
    same = same_block(&a, x->block_order[i], &b, y->block_order[i]);
  g_free(a.values);
  g_free(a.blocks);
  g_free(b.values);
  g_free(b.blocks);
  return same;
}

static gboolean
same_module(const NornModule *x, const NornModule *y) {
  gboolean same = x->stage == y->stage && x->shared_size == y->shared_size &&
                  x->scratch_size == y->scratch_size && x->denormals == y->denormals &&
                  x->rounding == y->rounding && x->fau_count == y->fau_count &&
                  x->function_count == y->function_count &&
                  !memcmp(x->workgroup, y->workgroup, sizeof x->workgroup) &&
                  !strcmp(norn_string(x, x->name), norn_string(y, y->name));
  for (guint i = 0; same && i < x->fau_count; i++)
    same = x->faus[i].type == y->faus[i].type && x->faus[i].word == y->faus[i].word &&
           x->faus[i].count == y->faus[i].count &&
           !strcmp(norn_string(x, x->faus[i].name), norn_string(y, y->faus[i].name));
  for (guint i = 0; same && i < x->function_count; i++)
    same = same_function(x->functions[i], y->functions[i]);
  return same;
}

/* --- Running --- */

typedef struct {
  int code; /* of the error, 0 if none */
  guint8 bytes[FUZZ_BUFFER_BYTES];
  NornReport report;
} Outcome;

static void
run(const NornModule *module, Outcome *outcome) {
  NornMemory *memory = norn_memory_new();
  guint32 uniforms[NORN_UNIFORM_WORDS];
  GError *error = NULL;
  memset(outcome, 0, sizeof *outcome);
  for (guint i = 0; i < FUZZ_BUFFER_BYTES; i++)
    outcome->bytes[i] = (guint8)(i * 37 >> 3);
  norn_memory_add(memory, "x", 0, outcome->bytes, FUZZ_BUFFER_BYTES, NULL);
  for (guint i = 0; i < NORN_UNIFORM_WORDS; i++)
    uniforms[i] = i * 0x3779B1u;
  uniforms[FUZZ_BUFFER_WORD] = (guint32)norn_memory_address(memory, 0);
  uniforms[FUZZ_BUFFER_WORD + 1] = (guint32)(norn_memory_address(memory, 0) >> 32);
  gboolean is_fragment = module->stage == NORN_STAGE_FRAGMENT;
  const NornLaunch launch = {
      .stage = module->stage,
      .memory = memory,
      .grid = {1, 1, 1},
      .workgroup = {is_fragment ? 2 : 0, is_fragment ? 2 : 0, is_fragment ? 1 : 0},
      .uniforms = uniforms,
      .uniform_count = NORN_UNIFORM_WORDS,
      .shared_bytes = module->shared_size,
      .scratch_bytes = module->scratch_size,
      .step_limit = STEP_LIMIT,
  };
  if (!norn_interpret(module, &launch, &outcome->report, &error)) {
    outcome->code = error->code + 1;
    g_error_free(error);
  }
  memcpy(outcome->bytes, norn_memory_bytes(memory, 0, NULL), FUZZ_BUFFER_BYTES);
  norn_memory_free(memory);
}

/* Whether the module makes promises or uses values that are not determined: what is left of it when
 * it is simplified may then give other results. */
static gboolean
is_loose(const NornModule *module) {
  for (guint i = 0; i < module->function_count; i++)
    for (guint32 inst = 0; inst < module->functions[i]->inst_count; inst++) {
      const NornInst *self = &module->functions[i]->insts[inst];
      if (self->op == NORN_OP_UNDEF ||
          self->flags & (NORN_INST_NSZ | NORN_INST_NINF | NORN_INST_NNAN))
        return TRUE;
    }
  return FALSE;
}

/* --- The check --- */

typedef struct {
  guint64 instructions, finished, trapped, simplified;
} Tally;

static void
require(gboolean holds, guint64 seed, const char *promise, const char *detail) {
  if (holds)
    return;
  fprintf(stderr, "module %" PRIu64 ": broken promise: %s%s%s\n", seed, promise, detail ? ": " : "",
          detail ? detail : "");
  abort();
}

static void
check(const GArray *forms, guint64 seed, Tally *tally) {
  GError *error = NULL;
  size_t length, again_length;
  Outcome one, other;
  NornModule *module = fuzz_generate(forms, seed);
  char *text = norn_module_print(module, &length);
  gboolean valid = norn_module_verify(module, &error);
  require(valid, seed, "the verifier takes what keeps the rules", error ? error->message : NULL);
  NornModule *parsed = norn_module_parse(text, length, "printed", &error);
  require(parsed != NULL, seed, "what is printed parses", error ? error->message : NULL);
  char *again = norn_module_print(parsed, &again_length);
  require(length == again_length && !memcmp(text, again, length), seed,
          "what was parsed prints the same", NULL);
  require(same_module(module, parsed), seed, "what is parsed is what was printed", NULL);
  valid = norn_module_verify(parsed, &error);
  require(valid, seed, "what was parsed keeps the rules", error ? error->message : NULL);
  run(module, &one);
  run(parsed, &other);
  require(one.code == other.code, seed, "both end the same way", NULL);
  require(!memcmp(one.bytes, other.bytes, sizeof one.bytes), seed, "both write the same", NULL);
  require(!memcmp(&one.report, &other.report, sizeof one.report), seed, "both run as much", NULL);
  if (!one.code && !is_loose(parsed)) {
    NornCompileOptions options;
    norn_compile_options_init(&options);
    valid = norn_run_passes(parsed, "simplify,dce", &options, NULL, &error);
    require(valid, seed, "simplifying succeeds", error ? error->message : NULL);
    run(parsed, &other);
    require(!other.code && !memcmp(one.bytes, other.bytes, sizeof one.bytes), seed,
            "what is simplified writes the same", NULL);
    tally->simplified++;
  }
  tally->instructions += one.report.instructions;
  tally->finished += !one.code;
  tally->trapped += one.code != 0;
  norn_module_free(parsed);
  norn_module_free(module);
  g_free(text);
  g_free(again);
}

/* Which forms occur in a module. */
static void
note_forms(const NornModule *module, GHashTable *seen) {
  for (guint i = 0; i < module->function_count; i++)
    for (guint32 inst = 0; inst < module->functions[i]->inst_count; inst++)
      g_hash_table_add(seen, (gpointer)(guintptr)norn_form_key(&module->functions[i]->insts[inst]));
}

static guint
count_forms(const GArray *forms, GHashTable *seen) {
  guint count = 0;
  for (guint i = 0; i < forms->len; i++) {
    const FuzzForm *form = &g_array_index(forms, FuzzForm, i);
    const NornInst inst = {form->op, form->type, form->source_type, form->modifier};
    count += g_hash_table_contains(seen, (gpointer)(guintptr)norn_form_key(&inst));
  }
  return count;
}

int
main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: modules COUNT SEED | modules print SEED\n");
    return 2;
  }
  GArray *forms = fuzz_forms();
  guint64 seed = g_ascii_strtoull(argv[2], NULL, 10);
  if (!strcmp(argv[1], "print")) {
    NornModule *module = fuzz_generate(forms, seed);
    char *text = norn_module_print(module, NULL);
    fputs(text, stdout);
    g_free(text);
    norn_module_free(module);
    g_array_unref(forms);
    return 0;
  }
  guint64 count = g_ascii_strtoull(argv[1], NULL, 10);
  gboolean progress = isatty(STDERR_FILENO);
  GHashTable *seen = g_hash_table_new(NULL, NULL);
  Tally tally = {0};
  for (guint64 i = 0; i < count; i++) {
    check(forms, seed + i, &tally);
    if (i < ENOUGH) {
      NornModule *module = fuzz_generate(forms, seed + i);
      note_forms(module, seen);
      norn_module_free(module);
    }
    if (progress && i % 100 == 0)
      fprintf(stderr, "\r%" PRIu64 " of %" PRIu64, i, count);
  }
  guint found = count_forms(forms, seen);
  printf("%s%" PRIu64 " modules from seed %" PRIu64 "; %u of %u forms; %" PRIu64
         " ran to the end, %" PRIu64 " of them simplified too, %" PRIu64 " trapped, %" PRIu64
         " instructions ran\n",
         progress ? "\r" : "", count, seed, found, forms->len, tally.finished, tally.simplified,
         tally.trapped, tally.instructions);
  gboolean complete = found == forms->len || count < ENOUGH;
  if (!complete)
    fprintf(stderr, "some forms did not occur\n");
  g_hash_table_unref(seen);
  g_array_unref(forms);
  return complete ? 0 : 1;
}
