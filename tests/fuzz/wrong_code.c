/* wrong_code COUNT SEED: makes COUNT wrong edits of finished code, one at a time, and tells which
 * checkers refuse them. Programs are random, of the seeds from SEED on, at all levels, with and
 * without chaos. An edit counts if the simulator then traps or finds another result; each that
 * counts and that no checker refuses is shown, and makes the program fail.
 *
 * wrong_code right COUNT SEED: only compiles the COUNT programs; the checkers must accept all. */
#include "../unit/random_program.h"
#include "check/checkers.h"
#include "fuzz/fuzz.h"
#include "isa/isa.h"
#include "isa/valhall_abi.h"

#include <inttypes.h>
#include <norn/norn.h>
#include <norn/valhall.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNIFORM_WORDS 128
#define BYTES RANDOM_PROGRAM_MEMORY
#define STEP_LIMIT 200000
#define EDITS_OF_PROGRAM 25

static const char *const architectures[] = {"9", "10", "11", "12", "13", "14"};

/* A program, compiled. */
typedef struct {
  NornModule *module;
  NornCompileInfo info;
  NornFunction *selected;
  guint32 scratch_size;
  guint64 *words;
  guint32 count;
  unsigned architecture;
  guint8 result[BYTES];
} Program;

static const NornIsa *
isa(void) {
  return norn_isa_find("valhall");
}

/* --- making and running programs --- */

static NornModule *
make_module(guint64 seed) {
  GRand *random = g_rand_new_with_seed((guint32)seed);
  const RandomProgram shape = {.instructions = 40 + (unsigned)(seed % 4) * 40,
                               .depth = 3,
                               .pressure = 6 + (unsigned)(seed % 40),
                               .groups = seed % 3 == 0,
                               .executable = true,
                               .memory = seed % 5 < 3};
  NornModule *module = random_program(random, &shape);
  g_rand_free(random);
  return module;
}

/* Keeps the program as it is before it is scheduled. */
static void
keep_selected(const NornModule *module, const char *pass, gpointer user_data) {
  Program *program = user_data;
  if (strcmp(pass, "reuse-positions"))
    return;
  program->selected = norn_function_copy(module->functions[0]);
  program->scratch_size = module->scratch_size;
}

static bool
run(const Program *program, guint8 *result) {
  NornMemory *memory = norn_memory_new();
  guint8 start[BYTES];
  guint32 uniforms[UNIFORM_WORDS] = {0};
  const NornResource resources[] = {{.handle = RANDOM_PROGRAM_HANDLES[0]},
                                    {.handle = RANDOM_PROGRAM_HANDLES[1]}};
  for (unsigned k = 0; k < sizeof start; k++)
    start[k] = (guint8)(k * 37 + k / 256);
  norn_memory_add(memory, "data", RANDOM_PROGRAM_ADDRESS, start, sizeof start, NULL);
  const NornLaunch launch = {
      .memory = memory,
      .grid = {1, 1, 1},
      .workgroup = {1, 1, 1},
      .uniforms = uniforms,
      .uniform_count = UNIFORM_WORDS,
      .resources = resources,
      .resource_count = G_N_ELEMENTS(resources),
      .shared_bytes = RANDOM_PROGRAM_SHARED,
      .scratch_bytes = program->info.thread_local_size,
      .step_limit = STEP_LIMIT,
  };
  bool done = norn_simulate_valhall(program->words, program->count * sizeof *program->words,
                                    architectures[program->architecture], &launch, NULL, NULL);
  memcpy(result, norn_memory_bytes(memory, 0, NULL), BYTES);
  norn_memory_free(memory);
  return done;
}

static void
program_clear(Program *program) {
  norn_module_free(program->module);
  norn_function_free(program->selected);
  g_free(program->words);
}

static bool
check(const Program *program, unsigned checks, GError **error) {
  const NornCheckInput input = {.words = program->words,
                                .count = program->count,
                                .architecture = program->architecture,
                                .stage = NORN_STAGE_COMPUTE,
                                .checks = checks,
                                .info = &program->info,
                                .selected = program->selected,
                                .scratch_size = program->scratch_size,
                                .packed = program->module->functions[0]};
  return norn_valhall_check(&input, error);
}

/* Compiles the program of the seed; what is right must be accepted. */
static void
program_init(Program *program, guint64 seed) {
  GError *error = NULL;
  NornCompileOptions options;
  *program = (Program){.architecture = (unsigned)(seed / 3 % G_N_ELEMENTS(architectures))};
  program->module = make_module(seed);
  norn_compile_options_init(&options);
  options.architecture = architectures[program->architecture];
  options.optimization_level = seed % 3;
  options.chaos = seed % 2 ? (unsigned)(seed / 2 % 32) : 0;
  options.promote_constants = seed % 7 == 0;
  options.seed = seed;
  options.verify = false;
  options.checks = 0;
  options.dump = keep_selected;
  options.dump_data = program;
  GBytes *code = norn_compile(program->module, &options, &program->info, &error);
  if (code) {
    program->count = (guint32)(g_bytes_get_size(code) / sizeof(guint64));
    program->words = g_memdup2(g_bytes_get_data(code, NULL), g_bytes_get_size(code));
    for (guint32 i = 0; i < program->count; i++)
      program->words[i] = GUINT64_FROM_LE(program->words[i]);
    g_bytes_unref(code);
  }
  if (!code || !check(program, NORN_CHECK_ALL, &error)) {
    fprintf(stderr, "program %" PRIu64 ": %s\n", seed, error->message);
    exit(1);
  }
}

/* --- edits --- */

static const NornIsaEncoding *
encoding_at(const Program *program, guint32 index) {
  return norn_isa_decode(isa(), program->architecture, program->words[index]);
}

/* The field of a random operand with one of these roles, or NULL. */
static const NornIsaField *
draw_operand(const NornIsaEncoding *encoding, guint64 *state, unsigned roles) {
  const NornIsaField *fields[8];
  unsigned count = 0;
  for (unsigned k = 0; k < encoding->operand_count && count < G_N_ELEMENTS(fields); k++)
    if (roles >> encoding->operands[k].role & 1)
      fields[count++] = &encoding->fields[encoding->operands[k].field];
  return count ? fields[fuzz_draw(state, count)] : NULL;
}

static void
set_field(guint64 *word, const NornIsaField *field, guint64 value) {
  *word = (*word & ~norn_isa_insert(field, UINT64_MAX)) | norn_isa_insert(field, value);
}

#define SOURCES (1u << NORN_ISA_OPERAND_SOURCE)
#define STAGED (1u << NORN_ISA_OPERAND_STAGING_READ)
#define RESULTS (1u << NORN_ISA_OPERAND_DESTINATION | 1u << NORN_ISA_OPERAND_STAGING_WRITE)
enum { LAST_USE = 64, FIRST_FAU = 128 };

/* Another register in the place of one that is read or written. */
static void
edit_register(const Program *program, guint32 index, guint64 *state) {
  const NornIsaField *field =
      draw_operand(encoding_at(program, index), state, SOURCES | STAGED | RESULTS);
  guint64 *word = &program->words[index];
  if (!field || norn_isa_extract(field, *word) >= FIRST_FAU)
    return;
  set_field(word, field,
            (norn_isa_extract(field, *word) & LAST_USE) | fuzz_draw(state, NORN_VALHALL_REGISTERS));
}

static void
edit_source(const Program *program, guint32 index, guint64 *state) {
  const NornIsaField *field = draw_operand(encoding_at(program, index), state, SOURCES);
  if (field && norn_isa_extract(field, program->words[index]) >= FIRST_FAU)
    set_field(&program->words[index], field, FIRST_FAU + fuzz_draw(state, 128));
}

static void
edit_swap_sources(const Program *program, guint32 index, guint64 *state) {
  const NornIsaEncoding *encoding = encoding_at(program, index);
  const NornIsaField *a = draw_operand(encoding, state, SOURCES),
                     *b = draw_operand(encoding, state, SOURCES);
  guint64 *word = &program->words[index];
  if (!a || a == b)
    return;
  guint32 first = norn_isa_extract(a, *word);
  set_field(word, a, norn_isa_extract(b, *word));
  set_field(word, b, first);
}

static guint32
flow_of(const Program *program, guint32 index) {
  return norn_isa_field_get(encoding_at(program, index), NORN_VALHALL_FIELD_FLOW,
                            program->words[index]);
}

static void
set_flow(const Program *program, guint32 index, guint32 flow) {
  norn_isa_field_set(encoding_at(program, index), NORN_VALHALL_FIELD_FLOW, &program->words[index],
                     flow);
}

static void
edit_wait(const Program *program, guint32 index, guint64 *state) {
  guint32 flow = flow_of(program, index);
  if (flow && flow <= NORN_VALHALL_FLOW_WAIT)
    set_flow(program, index, (guint32)fuzz_draw(state, NORN_VALHALL_FLOW_WAIT012));
}

static void
edit_flow(const Program *program, guint32 index, guint64 *state) {
  (void)state;
  guint32 flow = flow_of(program, index);
  if (flow == NORN_VALHALL_FLOW_RECONVERGE || flow == NORN_VALHALL_FLOW_END)
    set_flow(program, index, NORN_VALHALL_FLOW_NONE);
}

static void
edit_end(const Program *program, guint32 index, guint64 *state) {
  set_flow(program, index,
           fuzz_draw(state, 2) ? NORN_VALHALL_FLOW_END : NORN_VALHALL_FLOW_RECONVERGE);
}

static void
edit_last_use(const Program *program, guint32 index, guint64 *state) {
  const NornIsaField *field = draw_operand(encoding_at(program, index), state, SOURCES);
  guint64 *word = &program->words[index];
  if (field && norn_isa_extract(field, *word) < LAST_USE)
    set_field(word, field, norn_isa_extract(field, *word) | LAST_USE);
}

static void
edit_slot(const Program *program, guint32 index, guint64 *state) {
  const NornIsaEncoding *encoding = encoding_at(program, index);
  if (norn_isa_field_exists(encoding, NORN_VALHALL_FIELD_SLOT))
    norn_isa_field_set(encoding, NORN_VALHALL_FIELD_SLOT, &program->words[index],
                       (guint32)fuzz_draw(state, NORN_VALHALL_FREE_SLOTS));
}

/* Exchanges two instructions; their flows stay where they are. */
static void
edit_order(const Program *program, guint32 index, guint64 *state) {
  (void)state;
  if (index + 1 >= program->count)
    return;
  guint32 first = flow_of(program, index), second = flow_of(program, index + 1);
  guint64 word = program->words[index];
  program->words[index] = program->words[index + 1];
  program->words[index + 1] = word;
  set_flow(program, index, first);
  set_flow(program, index + 1, second);
}

/* A NOP with the same flow. */
static void
edit_drop(const Program *program, guint32 index, guint64 *state) {
  (void)state;
  guint32 flow = flow_of(program, index);
  program->words[index] = norn_isa_encoding(isa(), program->architecture, NORN_VALHALL_NOP)->word;
  set_flow(program, index, flow);
}

static void
edit_drop_store(const Program *program, guint32 index, guint64 *state) {
  if (encoding_at(program, index)->flags & NORN_VALHALL_FLAG_STORE)
    edit_drop(program, index, state);
}

static void
edit_target(const Program *program, guint32 index, guint64 *state) {
  if (encoding_at(program, index)->instruction != NORN_VALHALL_BRANCHZ)
    return;
  norn_isa_field_set(encoding_at(program, index), NORN_VALHALL_FIELD_OFFSET, &program->words[index],
                     (guint32)fuzz_draw(state, program->count) - index);
}

static void
edit_condition(const Program *program, guint32 index, guint64 *state) {
  (void)state;
  if (encoding_at(program, index)->instruction == NORN_VALHALL_BRANCHZ)
    program->words[index] ^=
        norn_isa_insert(norn_isa_field(encoding_at(program, index), NORN_VALHALL_FIELD_EQ), 1);
}

static void
edit_bit(const Program *program, guint32 index, guint64 *state) {
  program->words[index] ^= UINT64_C(1) << fuzz_draw(state, 64);
}

static const struct {
  const char *name;
  void (*edit)(const Program *program, guint32 index, guint64 *state);
} edits[] = {
    {"another register", edit_register},      {"another uniform, constant or special", edit_source},
    {"sources swapped", edit_swap_sources},   {"wait dropped", edit_wait},
    {"reconverge or end dropped", edit_flow}, {"reconverge or end added", edit_end},
    {"last use added", edit_last_use},        {"another slot", edit_slot},
    {"two instructions swapped", edit_order}, {"instruction dropped", edit_drop},
    {"store dropped", edit_drop_store},       {"branch to another place", edit_target},
    {"condition inverted", edit_condition},   {"any bit", edit_bit},
};

/* --- the count --- */

typedef struct {
  guint64 tried, wrong, refused[8], missed;
} Tally;

/* Whether both words are legal: else there is nothing to prove. */
static bool
is_legal(const Program *program, guint32 index) {
  for (guint32 i = index; i < MIN(index + 2, program->count); i++)
    if (!norn_isa_check(isa(), program->architecture, program->words[i], NULL))
      return false;
  return true;
}

static void
show_missed(const Program *program, guint64 seed, guint32 index, guint64 old, const char *name) {
  char before[NORN_ISA_LINE], after[NORN_ISA_LINE];
  norn_isa_print(isa(), program->architecture, old, NORN_ISA_PRINT_OFFSETS, before);
  norn_isa_print(isa(), program->architecture, program->words[index], NORN_ISA_PRINT_OFFSETS,
                 after);
  fprintf(stderr, "not refused: %s, program %" PRIu64 ", 0x%x: %s => %s\n", name, seed, index * 8,
          before, after);
}

/* Judges the edited program. */
static void
judge(const Program *program, guint64 seed, guint32 index, guint64 old, unsigned edit,
      Tally *tally) {
  guint8 result[BYTES];
  unsigned refusals = 0;
  NornCheckerInfo info;
  tally->tried++;
  if (run(program, result) && !memcmp(result, program->result, BYTES))
    return;
  tally->wrong++;
  for (unsigned k = 0; norn_checker_info(k, &info); k++)
    if (!check(program, info.check, NULL)) {
      tally->refused[k]++;
      refusals++;
    }
  tally->missed += !refusals;
  if (!refusals)
    show_missed(program, seed, index, old, edits[edit].name);
}

static void
edit_program(Program *program, guint64 seed, guint64 *state, guint64 count, Tally *tallies) {
  guint64 *right = g_memdup2(program->words, program->count * sizeof *right);
  for (guint64 i = 0, attempt = 0; i < count && attempt < 100 * count; attempt++) {
    unsigned edit = (unsigned)fuzz_draw(state, G_N_ELEMENTS(edits));
    guint32 index = (guint32)fuzz_draw(state, program->count);
    edits[edit].edit(program, index, state);
    if (memcmp(right, program->words, program->count * sizeof *right) && is_legal(program, index)) {
      judge(program, seed, index, right[index], edit, &tallies[edit]);
      i++;
    }
    memcpy(program->words, right, program->count * sizeof *right);
  }
  g_free(right);
}

/* Returns how many were missed. */
static guint64
print_tallies(const Tally *tallies) {
  NornCheckerInfo info;
  guint64 missed = 0;
  printf("%-38s %7s %7s %7s", "edit", "tried", "wrong", "missed");
  for (unsigned k = 0; norn_checker_info(k, &info); k++)
    printf(" %13s", info.name);
  puts("");
  for (unsigned i = 0; i < G_N_ELEMENTS(edits); i++) {
    const Tally *tally = &tallies[i];
    printf("%-38s %7" PRIu64 " %7" PRIu64 " %7" PRIu64, edits[i].name, tally->tried, tally->wrong,
           tally->missed);
    for (unsigned k = 0; norn_checker_info(k, &info); k++)
      printf(" %13" PRIu64, tally->refused[k]);
    puts("");
    missed += tally->missed;
  }
  return missed;
}

static int
try_wrong(guint64 count, guint64 seed) {
  Tally tallies[G_N_ELEMENTS(edits)] = {0};
  guint64 state = seed * 2 + 1;
  bool progress = isatty(STDERR_FILENO);
  for (guint64 done = 0; done < count; seed++) {
    Program program;
    program_init(&program, seed);
    if (!run(&program, program.result)) {
      fprintf(stderr, "program %" PRIu64 " does not run\n", seed);
      return 1;
    }
    guint64 now = MIN(EDITS_OF_PROGRAM, count - done);
    edit_program(&program, seed, &state, now, tallies);
    program_clear(&program);
    done += now;
    if (progress)
      fprintf(stderr, "\r%" PRIu64 " of %" PRIu64, done, count);
  }
  if (progress)
    fputs("\r", stderr);
  return print_tallies(tallies) != 0;
}

static int
try_right(guint64 count, guint64 seed) {
  for (guint64 i = 0; i < count; i++) {
    Program program;
    program_init(&program, seed + i);
    program_clear(&program);
  }
  printf("%" PRIu64 " programs from seed %" PRIu64 " are accepted\n", count, seed);
  return 0;
}

int
main(int argc, char **argv) {
  bool is_right = argc == 4 && !strcmp(argv[1], "right");
  if (argc != 3 && !is_right) {
    fprintf(stderr, "usage: wrong_code [right] COUNT SEED\n");
    return 2;
  }
  guint64 count = g_ascii_strtoull(argv[argc - 2], NULL, 10);
  guint64 seed = g_ascii_strtoull(argv[argc - 1], NULL, 10);
  return is_right ? try_right(count, seed) : try_wrong(count, seed);
}
