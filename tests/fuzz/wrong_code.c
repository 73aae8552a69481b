/* wrong_code COUNT SEED: makes COUNT wrong edits of finished code, one at a time, and reports which
 * checkers refuse them. The modules are those of `norn fuzz` for the seeds from SEED on, at all
 * levels, with and without chaos. An edit counts if the simulator then traps or computes another
 * result. Each edit that counts and that no checker refuses is shown, and makes the program fail.
 *
 * wrong_code right COUNT SEED: only compiles the modules of COUNT seeds; the checkers must
 * accept all of them. */
#include "check/checkers.h"
#include "fuzz/fuzz.h"
#include "isa/isa.h"
#include "isa/valhall_abi.h"
#include "tools/fuzzer/fuzzer.h"
#include "tools/run/run.h"

#include <inttypes.h>
#include <norn/norn.h>
#include <norn/valhall.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP_LIMIT 200000
#define EDITS_OF_PROGRAM 25
#define LEVELS 4
#define MAX_PLACES 8 /* the greatest distance by which an instruction is moved */

/* A compiled module, and its run. */
typedef struct {
  Program program;
  RunSpec *spec;
  NornModule *module; /* as the compiler left it */
  NornFunction *selected, *rewritten;
  guint32 scratch_size;
  guint64 *words;
  guint32 count;       /* number of instructions */
  guint32 whole_count; /* with constant data */
  unsigned architecture;
  Session right; /* result of a run of the unedited code */
} Code;

static const NornIsa *
isa(void) {
  return norn_isa_find("valhall");
}

/* --- Compiling and running --- */

/* Keeps the shader as it was before scheduling, and after values were packed. */
static void
keep_selected(const NornModule *module, const char *pass, gpointer user_data) {
  Code *code = user_data;
  const NornFunction *function = module->functions[0];
  /* The last passes before instructions are ordered; only the first one runs at all levels. */
  static const char *const last[] = {"reuse-positions", "pair-moves", "hoist", NULL};
  if (!strcmp(pass, "pack-halves") && function->value_count > code->selected->value_count)
    code->rewritten = norn_function_copy(function);
  if (!g_strv_contains(last, pass))
    return;
  g_clear_pointer(&code->rewritten, norn_function_free);
  norn_function_free(code->selected);
  code->selected = norn_function_copy(function);
  code->scratch_size = module->scratch_size;
}

static bool
run(const Code *code, Session *session, GError **error) {
  return run_session_init(&code->program, code->spec, session, error) &&
         run_session_run(&code->program, ENGINE_SIMULATOR, session, error);
}

/* Whether the code still has the same results, or does something that the simulator does not
 * support; otherwise *error says what is wrong. */
static bool
is_right(const Code *code, GError **error) {
  Session session = {0};
  Program program = code->program;
  Code edited = *code;
  program.code = g_bytes_new_static(code->words, code->whole_count * sizeof *code->words);
  edited.program = program;
  bool right = run(&edited, &session, error) &&
               run_compare_engines(code->spec, &session, &code->right, error);
  if (!right && g_str_has_suffix((*error)->message, "[not-modeled]")) {
    g_clear_error(error);
    right = true;
  }
  run_session_clear(&session);
  g_bytes_unref(program.code);
  return right;
}

static void
code_clear(Code *code) {
  run_session_clear(&code->right);
  if (code->spec)
    run_spec_free(code->spec);
  norn_module_free(code->module);
  norn_function_free(code->selected);
  norn_function_free(code->rewritten);
  g_free(code->words);
  run_program_clear(&code->program);
}

static bool
check(const Code *code, unsigned checks, GError **error) {
  const NornCheckInput input = {.words = code->words,
                                .count = code->count,
                                .architecture = code->architecture,
                                .stage = norn_module_stage(code->program.module),
                                .checks = checks,
                                .data_offset = code->program.info.data_offset,
                                .data_size = code->program.info.data_size,
                                .info = &code->program.info,
                                .selected = code->selected,
                                .rewritten = code->rewritten,
                                .scratch_size = code->scratch_size,
                                .packed = code->module->functions[0]};
  return norn_valhall_check(&input, error);
}

static NornCompileOptions
options_of(Code *code, guint64 seed) {
  NornCompileOptions options;
  norn_compile_options_init(&options);
  options.architecture = norn_isa_architecture_name(isa(), code->architecture);
  options.optimization_level = seed % 5 % LEVELS;
  options.effort = 2;
  options.chaos = seed % 2 ? (unsigned)(seed / 2 % 32) : 0;
  options.promote_constants = seed % 7 != 0;
  options.constant_data = seed % 3 != 0;
  options.seed = seed;
  options.verify = false;
  options.contract = false;
  options.checks = 0;
  options.by_sample = code->spec->draw.by_sample;
  options.dump = keep_selected;
  options.dump_data = code;
  if (norn_compile_splits_vertices(code->program.module, &options))
    options.vertex_part = seed / 3 % 2 ? NORN_VERTEX_VARYINGS : NORN_VERTEX_POSITION;
  code->program.writes_varyings = options.vertex_part == NORN_VERTEX_VARYINGS;
  return options;
}

static void
take_words(Code *code) {
  gsize size;
  const void *bytes = g_bytes_get_data(code->program.code, &size);
  code->count = code->program.info.instructions;
  code->whole_count = (guint32)(size / sizeof(guint64));
  code->words = g_memdup2(bytes, size);
  for (guint32 i = 0; i < code->whole_count; i++)
    code->words[i] = GUINT64_FROM_LE(code->words[i]);
}

/* Compiles the module for the seed; the checkers must accept correct code. */
static bool
compile(Code *code, guint64 seed, GError **error) {
  NornCompileOptions options = options_of(code, seed);
  code->module = run_program_parse(&code->program, NULL, error);
  if (!code->module)
    return false;
  code->program.code = norn_compile(code->module, &options, &code->program.info, error);
  code->program.architecture = options.architecture;
  if (!code->program.code)
    return false;
  take_words(code);
  return check(code, NORN_CHECK_ALL, error);
}

static bool
code_init(Code *code, const FuzzForms *forms, guint64 seed, GError **error) {
  char *run;
  gsize length;
  *code = (Code){.architecture = (unsigned)(seed / 3 % norn_isa_architecture_count(isa()))};
  NornModule *module = fuzz_generate(forms, seed, &run);
  char *text = norn_module_print(module, &length);
  norn_module_free(module);
  code->program.input = g_bytes_new_take(text, length);
  code->program.path = "module";
  code->program.step_limit = STEP_LIMIT;
  code->program.module = run_program_parse(&code->program, NULL, error);
  code->spec = code->program.module ? run_spec_parse(run, error) : NULL;
  g_free(run);
  if (!code->spec)
    return false;
  norn_module_workgroup(code->program.module, code->program.workgroup);
  return run_spec_complete(&code->program, code->spec, error) && compile(code, seed, error);
}

/* --- Edits --- */

static const NornIsaEncoding *
encoding_at(const Code *code, guint32 index) {
  return norn_isa_decode(isa(), code->architecture, code->words[index]);
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

/* Replaces a register that is read or written with another one. */
static void
edit_register(Code *code, guint32 index, guint64 *state) {
  const NornIsaField *field =
      draw_operand(encoding_at(code, index), state, SOURCES | STAGED | RESULTS);
  guint64 *word = &code->words[index];
  if (!field || norn_isa_extract(field, *word) >= FIRST_FAU)
    return;
  set_field(word, field,
            (norn_isa_extract(field, *word) & LAST_USE) | fuzz_draw(state, NORN_VALHALL_REGISTERS));
}

static void
edit_source(Code *code, guint32 index, guint64 *state) {
  const NornIsaField *field = draw_operand(encoding_at(code, index), state, SOURCES);
  if (field && norn_isa_extract(field, code->words[index]) >= FIRST_FAU)
    set_field(&code->words[index], field, FIRST_FAU + fuzz_draw(state, 128));
}

static void
edit_swap_sources(Code *code, guint32 index, guint64 *state) {
  const NornIsaEncoding *encoding = encoding_at(code, index);
  const NornIsaField *a = draw_operand(encoding, state, SOURCES),
                     *b = draw_operand(encoding, state, SOURCES);
  guint64 *word = &code->words[index];
  if (!a || a == b)
    return;
  guint32 first = norn_isa_extract(a, *word);
  set_field(word, a, norn_isa_extract(b, *word));
  set_field(word, b, first);
}

static guint32
flow_of(const Code *code, guint32 index) {
  return norn_isa_field_get(encoding_at(code, index), NORN_VALHALL_FIELD_FLOW, code->words[index]);
}

static void
set_flow(const Code *code, guint32 index, guint32 flow) {
  norn_isa_field_set(encoding_at(code, index), NORN_VALHALL_FIELD_FLOW, &code->words[index], flow);
}

static void
edit_wait(Code *code, guint32 index, guint64 *state) {
  guint32 flow = flow_of(code, index);
  if (flow && flow <= NORN_VALHALL_FLOW_WAIT)
    set_flow(code, index, (guint32)fuzz_draw(state, NORN_VALHALL_FLOW_WAIT012));
}

static void
edit_flow(Code *code, guint32 index, guint64 *state) {
  (void)state;
  guint32 flow = flow_of(code, index);
  if (flow == NORN_VALHALL_FLOW_RECONVERGE || flow == NORN_VALHALL_FLOW_END)
    set_flow(code, index, NORN_VALHALL_FLOW_NONE);
}

static void
edit_end(Code *code, guint32 index, guint64 *state) {
  set_flow(code, index, fuzz_draw(state, 2) ? NORN_VALHALL_FLOW_END : NORN_VALHALL_FLOW_RECONVERGE);
}

static void
edit_last_use(Code *code, guint32 index, guint64 *state) {
  const NornIsaField *field = draw_operand(encoding_at(code, index), state, SOURCES);
  guint64 *word = &code->words[index];
  if (field && norn_isa_extract(field, *word) < LAST_USE)
    set_field(word, field, norn_isa_extract(field, *word) | LAST_USE);
}

static void
edit_slot(Code *code, guint32 index, guint64 *state) {
  const NornIsaEncoding *encoding = encoding_at(code, index);
  if (norn_isa_field_exists(encoding, NORN_VALHALL_FIELD_SLOT))
    norn_isa_field_set(encoding, NORN_VALHALL_FIELD_SLOT, &code->words[index],
                       (guint32)fuzz_draw(state, NORN_VALHALL_FREE_SLOTS));
}

/* Exchanges two instructions; their flows stay in place. */
static void
edit_order(Code *code, guint32 index, guint64 *state) {
  (void)state;
  if (index + 1 >= code->count)
    return;
  guint32 first = flow_of(code, index), second = flow_of(code, index + 1);
  guint64 word = code->words[index];
  code->words[index] = code->words[index + 1];
  code->words[index + 1] = word;
  set_flow(code, index, first);
  set_flow(code, index + 1, second);
}

/* Moves an instruction a few positions down; flows stay in place. */
static void
edit_move(Code *code, guint32 index, guint64 *state) {
  for (guint64 left = 2 + fuzz_draw(state, MAX_PLACES - 1); left && index + 1 < code->count; left--)
    edit_order(code, index++, state);
}

/* Replaces an instruction with another one of the program, with the same flow. */
static void
edit_copy(Code *code, guint32 index, guint64 *state) {
  guint32 flow = flow_of(code, index);
  code->words[index] = code->words[fuzz_draw(state, code->count)];
  set_flow(code, index, flow);
}

/* Replaces an instruction with a NOP with the same flow. */
static void
edit_drop(Code *code, guint32 index, guint64 *state) {
  (void)state;
  guint32 flow = flow_of(code, index);
  code->words[index] = norn_isa_encoding(isa(), code->architecture, NORN_VALHALL_NOP)->word;
  set_flow(code, index, flow);
}

static void
edit_drop_store(Code *code, guint32 index, guint64 *state) {
  if (encoding_at(code, index)->flags & NORN_VALHALL_FLAG_STORE)
    edit_drop(code, index, state);
}

static void
edit_target(Code *code, guint32 index, guint64 *state) {
  if (encoding_at(code, index)->instruction != NORN_VALHALL_BRANCHZ)
    return;
  norn_isa_field_set(encoding_at(code, index), NORN_VALHALL_FIELD_OFFSET, &code->words[index],
                     (guint32)fuzz_draw(state, code->count) - index);
}

static void
edit_condition(Code *code, guint32 index, guint64 *state) {
  (void)state;
  if (encoding_at(code, index)->instruction == NORN_VALHALL_BRANCHZ)
    code->words[index] ^=
        norn_isa_insert(norn_isa_field(encoding_at(code, index), NORN_VALHALL_FIELD_EQ), 1);
}

static void
edit_bit(Code *code, guint32 index, guint64 *state) {
  code->words[index] ^= UINT64_C(1) << fuzz_draw(state, 64);
}

/* Changes a number that is reported to the driver. Promoted constants are left alone: they are
 * chosen before the program that the checkers compare the code with. */
static void
edit_report(Code *code, guint32 index, guint64 *state) {
  NornCompileInfo *info = &code->program.info;
  (void)index;
  switch (fuzz_draw(state, 6)) {
  case 0:
    info->threads = 3 - info->threads;
    break;
  case 1:
    info->preloaded &= ~(UINT64_C(1) << fuzz_draw(state, NORN_VALHALL_REGISTERS));
    break;
  case 2:
    info->fau_words -= info->fau_words != 0;
    break;
  case 3:
    info->thread_local_size -= MIN(info->thread_local_size, 4);
    break;
  case 4:
    info->workgroup_local_size -= MIN(info->workgroup_local_size, 4);
    break;
  default:
    info->denormals = (NornDenormals)fuzz_draw(state, NORN_DENORMALS_COUNT);
  }
}

static const struct {
  const char *name;
  void (*edit)(Code *code, guint32 index, guint64 *state);
} edits[] = {
    {"another register", edit_register},      {"another uniform, constant or special", edit_source},
    {"sources swapped", edit_swap_sources},   {"wait dropped", edit_wait},
    {"reconverge or end dropped", edit_flow}, {"reconverge or end added", edit_end},
    {"last use added", edit_last_use},        {"another slot", edit_slot},
    {"two instructions swapped", edit_order}, {"instruction dropped", edit_drop},
    {"store dropped", edit_drop_store},       {"branch to another place", edit_target},
    {"condition inverted", edit_condition},   {"any bit", edit_bit},
    {"instruction moved", edit_move},         {"instruction copied", edit_copy},
    {"another report", edit_report},
};

/* --- The loop over edits --- */

typedef struct {
  guint64 tried, wrong, refused[8], missed;
} Tally;

/* Whether all words that may be edited are legal: otherwise there is nothing to prove. */
static bool
is_legal(const Code *code, guint32 index) {
  for (guint32 i = index; i <= MIN(index + MAX_PLACES, code->count - 1); i++)
    if (!norn_isa_check(isa(), code->architecture, code->words[i], NULL))
      return false;
  return true;
}

static void
show_missed(const Code *code, guint64 seed, guint32 index, guint64 old, const char *name,
            const GError *error) {
  char before[NORN_ISA_LINE], after[NORN_ISA_LINE];
  norn_isa_print(isa(), code->architecture, old, NORN_ISA_PRINT_OFFSETS, before);
  norn_isa_print(isa(), code->architecture, code->words[index], NORN_ISA_PRINT_OFFSETS, after);
  fprintf(stderr, "not refused: %s, seed %" PRIu64 ", 0x%x: %s => %s\n  %s\n", name, seed,
          index * 8, before, after, error->message);
}

/* Judges the edited program. */
static void
judge(const Code *code, guint64 seed, guint32 index, guint64 old, unsigned edit, Tally *tally) {
  unsigned refusals = 0;
  NornCheckerInfo info;
  GError *error = NULL;
  tally->tried++;
  if (is_right(code, &error))
    return;
  tally->wrong++;
  for (unsigned k = 0; norn_checker_info(k, &info); k++)
    if (!check(code, info.check, NULL)) {
      tally->refused[k]++;
      refusals++;
    }
  tally->missed += !refusals;
  if (!refusals)
    show_missed(code, seed, index, old, edits[edit].name, error);
  g_error_free(error);
}

static void
edit_program(Code *code, guint64 seed, guint64 *state, guint64 count, Tally *tallies) {
  guint64 *right = g_memdup2(code->words, code->count * sizeof *right);
  const NornCompileInfo info = code->program.info;
  for (guint64 i = 0, attempt = 0; i < count && attempt < 100 * count; attempt++) {
    unsigned edit = (unsigned)fuzz_draw(state, G_N_ELEMENTS(edits));
    guint32 index = (guint32)fuzz_draw(state, code->count);
    edits[edit].edit(code, index, state);
    bool is_other = memcmp(right, code->words, code->count * sizeof *right) ||
                    memcmp(&info, &code->program.info, sizeof info);
    if (is_other && is_legal(code, index)) {
      judge(code, seed, index, right[index], edit, &tallies[edit]);
      i++;
    }
    memcpy(code->words, right, code->count * sizeof *right);
    code->program.info = info;
  }
  g_free(right);
}

/* Returns how many edits were missed. */
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

/* Compiles and runs the code for the seed. Returns false if it takes too many steps. */
static bool
find_code(Code *code, const FuzzForms *forms, guint64 seed) {
  GError *error = NULL;
  bool done = code_init(code, forms, seed, &error) && run(code, &code->right, &error);
  if (!done && !g_error_matches(error, NORN_ERROR, NORN_ERROR_LIMIT)) {
    fprintf(stderr, "module of seed %" PRIu64 ": %s\n", seed, error->message);
    exit(1);
  }
  g_clear_error(&error);
  return done;
}

static int
try_wrong(const FuzzForms *forms, guint64 count, guint64 seed) {
  Tally tallies[G_N_ELEMENTS(edits)] = {0};
  guint64 state = seed * 2 + 1;
  bool progress = isatty(STDERR_FILENO);
  for (guint64 done = 0; done < count; seed++) {
    Code code;
    guint64 now = MIN(EDITS_OF_PROGRAM, count - done);
    if (find_code(&code, forms, seed)) {
      edit_program(&code, seed, &state, now, tallies);
      done += now;
    }
    code_clear(&code);
    if (progress)
      fprintf(stderr, "\r%" PRIu64 " of %" PRIu64, done, count);
  }
  if (progress)
    fputs("\r", stderr);
  return print_tallies(tallies) != 0;
}

static int
try_right(const FuzzForms *forms, guint64 count, guint64 seed) {
  for (guint64 i = 0; i < count; i++) {
    Code code;
    GError *error = NULL;
    if (!code_init(&code, forms, seed + i, &error)) {
      fprintf(stderr, "module of seed %" PRIu64 ": %s\n", seed + i, error->message);
      return 1;
    }
    code_clear(&code);
  }
  printf("%" PRIu64 " modules from seed %" PRIu64 " are accepted\n", count, seed);
  return 0;
}

int
main(int argc, char **argv) {
  bool tries_right = argc == 4 && !strcmp(argv[1], "right");
  if (argc != 3 && !tries_right) {
    fprintf(stderr, "usage: wrong_code [right] COUNT SEED\n");
    return 2;
  }
  guint64 count = g_ascii_strtoull(argv[argc - 2], NULL, 10);
  guint64 seed = g_ascii_strtoull(argv[argc - 1], NULL, 10);
  FuzzForms forms;
  fuzz_forms_init(&forms);
  fuzz_keep_compilable(&forms);
  int status = tries_right ? try_right(&forms, count, seed) : try_wrong(&forms, count, seed);
  fuzz_forms_clear(&forms);
  return status;
}
