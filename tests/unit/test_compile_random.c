/* Random programs: what they leave in memory when interpreted as written is what the optimized
 * program leaves, and what the compiled code leaves in the simulator, bit for bit.
 *
 * A program computes on a few inputs of its invocation and corner-case constants, with branches and
 * counted loops, and stores what it computed. Only operations whose results are exact take part. */
#include "unit.h"
#include <norn/norn.h>
#include <stdio.h>
#include <string.h>

#define INPUTS 4
#define OUTPUTS 8
#define LANES 16
#define WORDS ((INPUTS + OUTPUTS) * LANES)
#define MOST_VALUES 400

typedef enum { I1, I8, I16, I32, I64, F32, TYPES } Type;

static const char *const type_names[TYPES] = {"i1", "i8", "i16", "i32", "i64", "f32"};

/* An operation: its text but for the operands, what it gives, what it takes. `c` in `takes` is a
 * small constant. */
typedef struct Operation {
  const char *text;
  Type result;
  const char *takes; /* b i1, y i8, h i16, w i32, d i64, f f32, c */
} Operation;

static const Operation operations[] = {
    {"iadd.i32", I32, "ww"},
    {"isub.i32", I32, "ww"},
    {"imul.i32", I32, "ww"},
    {"ineg.i32", I32, "w"},
    {"iabs.i32", I32, "w"},
    {"smin.i32", I32, "ww"},
    {"smax.i32", I32, "ww"},
    {"umin.i32", I32, "ww"},
    {"umax.i32", I32, "ww"},
    {"and.i32", I32, "ww"},
    {"or.i32", I32, "ww"},
    {"xor.i32", I32, "ww"},
    {"not.i32", I32, "w"},
    {"shl.i32", I32, "ww"},
    {"lshr.i32", I32, "ww"},
    {"ashr.i32", I32, "ww"},
    {"shl.i32", I32, "wc"},
    {"lshr.i32", I32, "wc"},
    {"ashr.i32", I32, "wc"},
    {"rotl.i32", I32, "ww"},
    {"rotr.i32", I32, "wc"},
    {"bitselect.i32", I32, "www"},
    {"clz.i32", I32, "w"},
    {"popcount.i32", I32, "w"},
    {"bitreverse.i32", I32, "w"},
    {"saddsat.i32", I32, "ww"},
    {"usubsat.i32", I32, "ww"},
    {"select.i32", I32, "bww"},
    {"zext.i32.i1", I32, "b"},
    {"sext.i32.i1", I32, "b"},
    {"zext.i32.i16", I32, "h"},
    {"sext.i32.i16", I32, "h"},
    {"zext.i32.i8", I32, "y"},
    {"sext.i32.i8", I32, "y"},
    {"trunc.i32.i64", I32, "d"},
    {"bitcast.i32.f32", I32, "f"},
    {"fptosi.rtz.i32.f32", I32, "f"},
    {"fptoui.rte.i32.f32", I32, "f"},
    {"iadd.i16", I16, "hh"},
    {"isub.i16", I16, "hh"},
    {"imul.i16", I16, "hh"},
    {"ashr.i16", I16, "hh"},
    {"lshr.i16", I16, "hc"},
    {"shl.i16", I16, "hc"},
    {"umin.i16", I16, "hh"},
    {"smax.i16", I16, "hh"},
    {"not.i16", I16, "h"},
    {"trunc.i16.i32", I16, "w"},
    {"select.i16", I16, "bhh"},
    {"iadd.i8", I8, "yy"},
    {"isub.i8", I8, "yy"},
    {"lshr.i8", I8, "yy"},
    {"ashr.i8", I8, "yc"},
    {"xor.i8", I8, "yy"},
    {"trunc.i8.i32", I8, "w"},
    {"iadd.i64", I64, "dd"},
    {"isub.i64", I64, "dd"},
    {"ineg.i64", I64, "d"},
    {"and.i64", I64, "dd"},
    {"or.i64", I64, "dd"},
    {"xor.i64", I64, "dd"},
    {"not.i64", I64, "d"},
    {"shl.i64", I64, "dd"},
    {"lshr.i64", I64, "dc"},
    {"ashr.i64", I64, "dc"},
    {"zext.i64.i32", I64, "w"},
    {"sext.i64.i32", I64, "w"},
    {"shladd.u32.i64", I64, "dws"},
    {"shladd.s32.i64", I64, "dws"},
    {"select.i64", I64, "bdd"},
    {"fadd.f32", F32, "ff"},
    {"fsub.f32", F32, "ff"},
    {"fmul.f32", F32, "ff"},
    {"fma.f32", F32, "fff"},
    {"fneg.f32", F32, "f"},
    {"fabs.f32", F32, "f"},
    {"fmin.f32", F32, "ff"},
    {"fmax.f32", F32, "ff"},
    {"fsat.f32", F32, "f"},
    {"fsat_signed.f32", F32, "f"},
    {"fclamp_pos.f32", F32, "f"},
    {"fround.rtn.f32", F32, "f"},
    {"select.f32", F32, "bff"},
    {"sitofp.rte.f32.i32", F32, "w"},
    {"uitofp.rtz.f32.i32", F32, "w"},
    {"uitofp.rte.f32.i16", F32, "h"},
    {"bitcast.f32.i32", F32, "w"},
    {"icmp.eq.i32", I1, "ww"},
    {"icmp.ne.i32", I1, "ww"},
    {"icmp.ult.i32", I1, "ww"},
    {"icmp.sge.i32", I1, "ww"},
    {"icmp.ugt.i32", I1, "ww"},
    {"icmp.sle.i32", I1, "ww"},
    {"icmp.slt.i16", I1, "hh"},
    {"icmp.uge.i8", I1, "yy"},
    {"icmp.ult.i64", I1, "dd"},
    {"icmp.sge.i64", I1, "dd"},
    {"icmp.eq.i64", I1, "dd"},
    {"fcmp.olt.f32", I1, "ff"},
    {"fcmp.oge.f32", I1, "ff"},
    {"fcmp.une.f32", I1, "ff"},
    {"fcmp.one.f32", I1, "ff"},
    {"fcmp.ueq.f32", I1, "ff"},
    {"fcmp.ult.f32", I1, "ff"},
    {"fcmp.ord.f32", I1, "ff"},
    {"fcmp.uno.f32", I1, "ff"},
    {"and.i1", I1, "bb"},
    {"or.i1", I1, "bb"},
    {"xor.i1", I1, "bb"},
    {"not.i1", I1, "b"},
    {"select.i1", I1, "bbb"},
};

typedef struct Program {
  GRand *random;
  GString *text;
  unsigned values, labels;
  unsigned by_type[TYPES][MOST_VALUES], counts[TYPES];
} Program;

static unsigned
below(Program *program, unsigned bound) {
  return (unsigned)g_rand_int_range(program->random, 0, (int)bound);
}

static void
append_constant(Program *program, Type type) {
  static const char *const words[] = {
      "0",          "1",          "2",     "3",          "7",          "8",          "16",
      "31",         "32",         "255",   "0xFFFF",     "0x10000",    "0x7FFFFFFF", "0x80000000",
      "0xFFFFFFFF", "0xFFFF8000", "12345", "0xDEADBEEF", "0x00FF0000", "0xFFFFFF80"};
  static const char *const floats[] = {"0.0", "-0.0", "1.0",        "-1.0",       "0.5",
                                       "2.0", "inf",  "-inf",       "nan",        "0x00000001",
                                       "3.0", "-4.5", "0x7F7FFFFF", "0xFF800001", "65536.0"};
  static const char *const longs[] = {
      "0", "1", "4", "0xFFFFFFFF", "0x100000000", "0xFFFFFFFFFFFFFFFF", "40", "0x8000000000000000"};
  switch (type) {
  case I1:
    g_string_append(program->text, below(program, 2) ? "true" : "false");
    break;
  case I8:
    g_string_append_printf(program->text, "0x%X", below(program, 256));
    break;
  case I16:
    g_string_append_printf(program->text, "0x%X", below(program, 65536));
    break;
  case F32:
    g_string_append(program->text, floats[below(program, G_N_ELEMENTS(floats))]);
    break;
  case I64:
    g_string_append(program->text, longs[below(program, G_N_ELEMENTS(longs))]);
    break;
  default:
    g_string_append(program->text, words[below(program, G_N_ELEMENTS(words))]);
  }
}

static void
append_operand(Program *program, Type type) {
  unsigned count = program->counts[type];
  if (!count || below(program, 5) == 0)
    append_constant(program, type);
  else
    g_string_append_printf(program->text, "%%v%u",
                           program->by_type[type][count - 1 - below(program, MIN(count, 12))]);
}

static Type
type_of_letter(char letter) {
  switch (letter) {
  case 'b':
    return I1;
  case 'y':
    return I8;
  case 'h':
    return I16;
  case 'd':
    return I64;
  case 'f':
    return F32;
  default:
    return I32;
  }
}

static unsigned
define(Program *program, Type type) {
  unsigned value = program->values++;
  program->by_type[type][program->counts[type]++] = value;
  return value;
}

static void
append_operation(Program *program) {
  const Operation *operation = &operations[below(program, G_N_ELEMENTS(operations))];
  g_string_append_printf(program->text, "  %%v%u = %s", program->values, operation->text);
  for (unsigned k = 0; operation->takes[k]; k++) {
    g_string_append(program->text, k ? ", " : " ");
    if (operation->takes[k] == 'c')
      g_string_append_printf(program->text, "%u", below(program, 8));
    else if (operation->takes[k] == 's')
      g_string_append_printf(program->text, "%u", below(program, 8));
    else
      append_operand(program, type_of_letter(operation->takes[k]));
  }
  g_string_append_c(program->text, '\n');
  define(program, operation->result);
}

static void append_code(Program *program, unsigned length, unsigned depth);

/* The values that only some of the ways define are forgotten after them. */
typedef struct Mark {
  unsigned counts[TYPES];
} Mark;

static Mark
mark(const Program *program) {
  Mark result;
  memcpy(result.counts, program->counts, sizeof result.counts);
  return result;
}

static void
forget(Program *program, const Mark *mark) {
  memcpy(program->counts, mark->counts, sizeof program->counts);
}

/* A branch of which one or both ways compute, and pass a value of each of two types on. */
static void
append_branch(Program *program, unsigned depth) {
  unsigned label = program->labels++;
  Type first = I32 + below(program, TYPES - I32), second = below(program, TYPES);
  g_string_append(program->text, "  br ");
  append_operand(program, I1);
  g_string_append_printf(program->text, ", yes%u, no%u\nyes%u:\n", label, label, label);
  for (unsigned way = 0; way < 2; way++) {
    Mark before = mark(program);
    if (way)
      g_string_append_printf(program->text, "no%u:\n", label);
    append_code(program, below(program, 6), depth + 1);
    g_string_append_printf(program->text, "  jump join%u(", label);
    append_operand(program, first);
    g_string_append(program->text, ", ");
    append_operand(program, second);
    g_string_append(program->text, ")\n");
    forget(program, &before);
  }
  g_string_append_printf(program->text, "join%u(%%v%u: %s, %%v%u: %s):\n", label, program->values,
                         type_names[first], program->values + 1, type_names[second]);
  define(program, first);
  define(program, second);
}

/* A loop of a few rounds, how many depends on the invocation; it carries two values. */
static void
append_loop(Program *program, unsigned depth) {
  unsigned label = program->labels++;
  Type carried = I32 + below(program, TYPES - I32);
  unsigned limit = program->by_type[I32][0];
  g_string_append_printf(program->text, "  %%rounds%u = and.i32 %%v%u, %u\n", label, limit,
                         below(program, 2) ? 3 : 1);
  g_string_append_printf(program->text, "  jump loop%u(0, ", label);
  append_operand(program, carried);
  g_string_append_printf(program->text, ")\nloop%u(%%i%u: i32, %%v%u: %s):\n", label, label,
                         program->values, type_names[carried]);
  define(program, carried);
  Mark header = mark(program);
  g_string_append_printf(program->text,
                         "  %%more%u = icmp.ult.i32 %%i%u, %%rounds%u\n"
                         "  br %%more%u, body%u, after%u\nbody%u:\n",
                         label, label, label, label, label, label, label);
  append_code(program, 1 + below(program, 6), depth + 1);
  g_string_append_printf(program->text, "  %%next%u = iadd.i32 %%i%u, 1\n  jump loop%u(%%next%u, ",
                         label, label, label, label);
  append_operand(program, carried);
  g_string_append_printf(program->text, ")\nafter%u:\n", label);
  forget(program, &header);
}

static void
append_code(Program *program, unsigned length, unsigned depth) {
  for (unsigned k = 0; k < length && program->values < MOST_VALUES - 20; k++) {
    unsigned kind = below(program, 12);
    if (kind == 0 && depth < 3)
      append_branch(program, depth);
    else if (kind == 1 && depth < 2)
      append_loop(program, depth);
    else
      append_operation(program);
  }
}

static char *
make_program(uint32_t seed) {
  Program program = {.random = g_rand_new_with_seed(seed), .text = g_string_new(NULL)};
  g_string_append(program.text, "shader compute @random workgroup(16, 1, 1) {\n"
                                "  fau data: i64 @ 0, u: i32 @ 2, v: f32 @ 3, w: i64 @ 4\nentry:\n"
                                "  %lane = local_id.x\n"
                                "  %where = shladd.u32.i64 fau.data, %lane, 6\n");
  for (unsigned k = 0; k < INPUTS; k++) {
    Type type = k < 2 ? I32 : F32;
    g_string_append_printf(program.text, "  %%v%u = load.global.%s %%where, offset:%u\n",
                           program.values, type_names[type], 4 * k);
    define(&program, type);
  }
  g_string_append(program.text, "  %v4 = iadd.i64 fau.w, 5\n  %v5 = iadd.i32 fau.u, 1\n"
                                "  %v6 = fadd.f32 fau.v, 1.0\n");
  define(&program, I64);
  define(&program, I32);
  define(&program, F32);
  append_code(&program, 10 + below(&program, 40), 0);
  for (unsigned k = 0; k < OUTPUTS; k++) {
    Type type = k % 4 == 3 ? F32 : I32;
    g_string_append_printf(program.text, "  store.global.%s ", type_names[type]);
    append_operand(&program, type);
    g_string_append_printf(program.text, ", %%where, offset:%u\n", 4 * (INPUTS + k));
  }
  g_string_append(program.text, "  end\n}\n");
  g_rand_free(program.random);
  return g_string_free(program.text, FALSE);
}

/* --- Running --- */

/* Fails with a short message, after printing the program; Check cuts long messages. */
#define REQUIRE(condition, text, ...)                                                              \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s\n", text);                                                               \
      ck_abort_msg(__VA_ARGS__);                                                                   \
    }                                                                                              \
  } while (0)

#define STRIDE 16 /* words of an invocation */

static const uint32_t inputs[] = {
    0,          1,          2,          0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0x3F800000, 0xBF800000,
    0x7F800000, 0xFF800000, 0x7FC00000, 0x00000001, 0x80000001, 0x00800000, 0x7F7FFFFF, 0x12345678,
    0xDEADBEEF, 0x40490FDB, 0x4B000000, 0xCF000000, 0x0000FFFF, 0xFFFF0000, 0x33333333, 0x00FF00FF};

/* Runs on fresh memory; `code` NULL: interprets. */
static bool
run(const NornModule *module, GBytes *code, uint32_t *words, GError **error) {
  NornMemory *memory = norn_memory_new();
  for (unsigned lane = 0; lane < LANES; lane++)
    for (unsigned k = 0; k < STRIDE; k++)
      words[lane * STRIDE + k] =
          k < INPUTS ? inputs[(lane * 7 + k * 5 + lane * k) % G_N_ELEMENTS(inputs)] : 0;
  ck_assert(norn_memory_add(memory, "data", 0, words, LANES * STRIDE * 4, error));
  uint64_t address = norn_memory_address(memory, 0);
  uint32_t uniforms[8] = {
      (uint32_t)address, (uint32_t)(address >> 32), 0x89ABCDEF, 0x40A00000, 0xFFFFFFF0, 0x12};
  NornLaunch launch = {.memory = memory,
                       .grid = {1, 1, 1},
                       .workgroup = {16, 1, 1},
                       .uniforms = uniforms,
                       .uniform_count = G_N_ELEMENTS(uniforms)};
  bool done = code ? norn_simulate_valhall(g_bytes_get_data(code, NULL), g_bytes_get_size(code),
                                           "9", &launch, NULL, error)
                   : norn_interpret(module, &launch, NULL, error);
  memcpy(words, norn_memory_bytes(memory, 0, NULL), LANES * STRIDE * 4);
  norn_memory_free(memory);
  return done;
}

static void
check_same(uint32_t seed, const char *what, const uint32_t *expected, const uint32_t *found,
           const char *text) {
  for (unsigned k = 0; k < LANES * STRIDE; k++)
    ck_assert_msg(expected[k] == found[k], "seed %u, %s: lane %u word %u is 0x%08x, not 0x%08x\n%s",
                  seed, what, k / STRIDE, k % STRIDE, found[k], expected[k], text);
}

static NornModule *
parse(const char *text, uint32_t seed) {
  GError *error = NULL;
  NornModule *module = norn_module_parse(text, strlen(text), "random", &error);
  REQUIRE(module, text, "seed %u: %s", seed, error ? error->message : "");
  return module;
}

static void
check_optimized(uint32_t seed, const char *text, const uint32_t *expected) {
  uint32_t found[LANES * STRIDE];
  static const char *const lists[] = {"branches", "simplify", "value-number", "optimize,optimize"};
  for (unsigned k = 0; k < G_N_ELEMENTS(lists); k++) {
    GError *error = NULL;
    NornModule *module = parse(text, seed);
    bool done =
        norn_run_passes(module, lists[k], NULL, NULL, &error) && run(module, NULL, found, &error);
    char *after = norn_module_print(module, NULL);
    REQUIRE(done, after, "seed %u, %s: %s", seed, lists[k], error ? error->message : "");
    check_same(seed, lists[k], expected, found, after);
    g_free(after);
    norn_module_free(module);
  }
}

static void
check_compiled(uint32_t seed, const char *text, const uint32_t *expected) {
  uint32_t found[LANES * STRIDE];
  for (unsigned level = 0; level <= 2; level++) {
    GError *error = NULL;
    NornModule *module = parse(text, seed);
    NornCompileOptions options;
    norn_compile_options_init(&options);
    options.optimization_level = level;
    GBytes *code = norn_compile(module, &options, NULL, &error);
    char *what = g_strdup_printf("compiled at -O%u", level);
    REQUIRE(code, text, "seed %u, %s: %s", seed, what, error ? error->message : "");
    bool done = run(NULL, code, found, &error);
    REQUIRE(done, text, "seed %u, %s: %s", seed, what, error ? error->message : "");
    check_same(seed, what, expected, found, text);
    g_free(what);
    g_bytes_unref(code);
    norn_module_free(module);
  }
}

START_TEST(programs) {
  const char *first = g_getenv("NORN_TEST_SEED");
  unsigned count = first ? 1 : g_getenv("NORN_TEST_QUICK") ? 20 : 300;
  for (unsigned k = 0; k < count; k++) {
    uint32_t seed = first ? (uint32_t)g_ascii_strtoull(first, NULL, 0) : k;
    uint32_t expected[LANES * STRIDE];
    GError *error = NULL;
    char *text = make_program(seed);
    NornModule *module = parse(text, seed);
    bool done = run(module, NULL, expected, &error);
    REQUIRE(done, text, "seed %u: %s", seed, error ? error->message : "");
    norn_module_free(module);
    check_optimized(seed, text, expected);
    check_compiled(seed, text, expected);
    g_free(text);
  }
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("compile_random");
  TCase *tcase = tcase_create("random programs");
  tcase_set_timeout(tcase, 120);
  tcase_add_test(tcase, programs);
  suite_add_tcase(suite, tcase);
  return suite;
}
