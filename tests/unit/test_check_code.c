/* The checkers of finished code on compiled code: it passes, and each wrong edit is reported.
 * Random edits are tested in tests/fuzz/wrong_code.c. */
#include "assembled.h"
#include "check/checkers.h"
#include "isa/valhall_abi.h"
#include "unit.h"
#include <norn/norn.h>
#include <norn/valhall.h>
#include <string.h>

/* --- Compilations --- */

/* A loop whose iterations differ by lane; this is its code:
 *
 *    0 SHADDX.u64 r62, u0, r60.w0, shift:0x2
 *    1 MOV.i32 r0, r60
 *    2 IADD_IMM.i32.reconverge r61, 0x0, #0x0
 *    3 ICMP_OR.u32.lt.m1 r1, r61, r60, 0x0
 *    4 BRANCHZ.eq.reconverge ^r1, offset:3
 *    5 IADD.u32 r61, ^r61, 0x1000000.b3
 *    6 IADD.u32 r0, r0, ^r0
 *    7 BRANCHZ.eq.reconverge 0x0, offset:-5
 *    8 STORE.i32.slot0.end @r0, ^r62, offset:0
 */
static const char loop[] = "shader compute @t workgroup(16, 1, 1) {\n"
                           "  fau x: i64 @ 0\n"
                           "entry:\n"
                           "  %i = global_id.x\n"
                           "  %p = shladd.u32.i64 fau.x, %i, 2\n"
                           "  jump head(0, %i)\n"
                           "head(%k: i32, %sum: i32):\n"
                           "  %more = icmp.ult.i32 %k, %i\n"
                           "  br %more, body, done\n"
                           "body:\n"
                           "  %next = iadd.i32 %k, 1\n"
                           "  %twice = iadd.i32 %sum, %sum\n"
                           "  jump head(%next, %twice)\n"
                           "done:\n"
                           "  store.global.i32 %sum, %p\n"
                           "  end\n"
                           "}\n";

typedef struct Compilation {
  NornModule *module;
  NornCompileInfo info;
  NornFunction *selected;
  uint32_t scratch_size;
  uint64_t *words;
  uint32_t count;
} Compilation;

static void
keep_selected(const NornModule *module, const char *pass, gpointer user_data) {
  Compilation *compilation = user_data;
  if (strcmp(pass, "reuse-positions"))
    return;
  compilation->selected = norn_function_copy(module->functions[0]);
  compilation->scratch_size = module->scratch_size;
}

static void
compile_without(Compilation *compilation, const char *text, unsigned chaos, const char *skip) {
  GError *error = NULL;
  NornCompileOptions options;
  *compilation = (Compilation){.module = norn_module_parse(text, strlen(text), "t", &error)};
  ck_assert_msg(compilation->module != NULL, "%s", error ? error->message : "");
  norn_compile_options_init(&options);
  options.checks = NORN_CHECK_ALL;
  options.chaos = chaos;
  options.skip_passes = skip;
  options.dump = keep_selected;
  options.dump_data = compilation;
  GBytes *code = norn_compile(compilation->module, &options, &compilation->info, &error);
  ck_assert_msg(code != NULL, "%s", error ? error->message : "");
  compilation->count = compilation->info.instructions;
  compilation->words = g_memdup2(g_bytes_get_data(code, NULL), g_bytes_get_size(code));
  for (uint32_t i = 0; i < compilation->count; i++)
    compilation->words[i] = GUINT64_FROM_LE(compilation->words[i]);
  g_bytes_unref(code);
}

/* The loop has two branches. */
static void
compilation_init(Compilation *compilation, const char *text, unsigned chaos) {
  compile_without(compilation, text, chaos, "rotate-loops");
}

static void
compilation_clear(Compilation *compilation) {
  norn_module_free(compilation->module);
  norn_function_free(compilation->selected);
  g_free(compilation->words);
}

/* The message of the checker; to be freed, NULL if there is none. */
static char *
complaint_of(const Compilation *compilation, unsigned checks) {
  GError *error = NULL;
  const NornCheckInput input = {.words = compilation->words,
                                .count = compilation->count,
                                .stage = compilation->module->stage,
                                .checks = checks,
                                .data_offset = compilation->info.data_offset,
                                .data_size = compilation->info.data_size,
                                .info = &compilation->info,
                                .selected = compilation->selected,
                                .scratch_size = compilation->scratch_size,
                                .packed = compilation->module->functions[0]};
  if (norn_valhall_check(&input, &error))
    return NULL;
  char *message = g_strdup(error->message);
  g_error_free(error);
  return message;
}

/* An edit of the loop's code, and the expected message of one checker. */
typedef struct EditRow {
  unsigned check;
  uint32_t index;
  const char *line, *complaint;
} EditRow;

#define MOVED(index, line, complaint)                                                              \
  { NORN_CHECK_TRANSLATION, index, line, "translation: t:" complaint }
#define TOGETHER(index, line, complaint)                                                           \
  { NORN_CHECK_RECONVERGENCE, index, line, "reconvergence: t:" complaint }

static const EditRow edit_rows[] = {
    /* translation */
    MOVED(0, "SHADDX.u64 r62, u2, r60.w0, shift:0x2",
          "5:3: 0x0 (SHADDX.u64 r62, u2, r60.w0, shift:0x2): word 0 of operand 0 is not the "
          "program's constant or uniform"),
    MOVED(0, "SHADDX.u64 r62, u0, r60.w0, shift:0x3",
          "5:3: 0x0 (SHADDX.u64 r62, u0, r60.w0, shift:0x3): the program has no such instruction "
          "here"),
    MOVED(1, "MOV.i32 r0, r61",
          "12:3: 0x30 (IADD.u32 r0, r0, ^r0): word 0 of operand 0 is not %sum"),
    MOVED(1, "NOP", "12:3: 0x30 (IADD.u32 r0, r0, ^r0): word 0 of operand 0 is not %sum"),
    MOVED(2, "IADD_IMM.i32.reconverge r61, 0x0, #0x1",
          "8:3: 0x18 (ICMP_OR.u32.lt.m1 r1, r61, r60, 0x0): word 0 of operand 0 is not %k"),
    MOVED(3, "ICMP_OR.u32.lt.m1 r1, r60, r61, 0x0",
          "8:3: 0x18 (ICMP_OR.u32.lt.m1 r1, r60, r61, 0x0): word 0 of operand 0 is not %k"),
    MOVED(3, "ICMP_OR.u32.le.m1 r1, r61, r60, 0x0",
          "8:3: 0x18 (ICMP_OR.u32.le.m1 r1, r61, r60, 0x0): the program has no such instruction "
          "here"),
    MOVED(3, "ICMP_OR.u32.lt.m1 r1, r61, ^r60, 0x0",
          "8:3: 0x18 (ICMP_OR.u32.lt.m1 r1, r61, ^r60, 0x0): word 0 of operand 1 is not %i"),
    MOVED(4, "BRANCHZ.eq.reconverge r0, offset:3",
          "9:3: 0x20 (BRANCHZ.eq.reconverge r0, offset:3): word 0 of operand 0 is not %more"),
    MOVED(4, "BRANCHZ.reconverge ^r1, offset:3",
          "11:3: 0x28 (IADD.u32 r61, ^r61, 0x1000000.b3): the program has no such instruction "
          "here"),
    MOVED(4, "BRANCHZ.eq.reconverge ^r1, offset:2",
          "9:3: 0x20 (BRANCHZ.eq.reconverge ^r1, offset:2): the program has no such instruction "
          "here"),
    MOVED(5, "NOP",
          "9:3: 0x20 (BRANCHZ.eq.reconverge ^r1, offset:3): the program has no such instruction "
          "here"),
    MOVED(6, "IADD.u32 r0, r0, r61",
          "12:3: 0x30 (IADD.u32 r0, r0, r61): word 0 of operand 1 is not %sum"),
    MOVED(7, "NOP.reconverge",
          "15:3: 0x40 (STORE.i32.slot0.end @r0, ^r62, offset:0): the program has no such "
          "instruction here"),
    MOVED(8, "NOP.end", "15:3: 0x40 (NOP.end): the program does not end here"),
    MOVED(8, "STORE.i32.slot0.end @r61, ^r62, offset:0",
          "15:3: 0x40 (STORE.i32.slot0.end @r61, ^r62, offset:0): word 0 of operand 0 is not %sum"),
    MOVED(
        8, "STORE.i32.slot0.end @r0, ^r62, offset:4",
        "15:3: 0x40 (STORE.i32.slot0.end @r0, ^r62, offset:4): the program has no such instruction "
        "here"),
    MOVED(
        8, "STORE.i16.slot0.end @r0, ^r62, offset:0",
        "15:3: 0x40 (STORE.i16.slot0.end @r0, ^r62, offset:0): the program has no such instruction "
        "here"),
    /* reconvergence */
    TOGETHER(5, "BRANCHZ.eq 0x0, offset:1",
             "11:3: 0x28 (BRANCHZ.eq 0x0, offset:1): the program has no branch here"),
    TOGETHER(4, "BRANCHZ.eq ^r1, offset:3",
             "9:3: 0x20 (BRANCHZ.eq ^r1, offset:3): lanes may diverge here, but the flow "
             "reconverge is missing"),
    {NORN_CHECK_RECONVERGENCE, 7, "BRANCHZ.eq 0x0, offset:-5", NULL},
    TOGETHER(4, "BRANCHZ.eq.reconverge ^r1, offset:2",
             "9:3: 0x20 (BRANCHZ.eq.reconverge ^r1, offset:2): leads to another block than in the "
             "program"),
    /* edits that do not change the program's meaning: still correct */
    {NORN_CHECK_ALL, 6, "IADD.u32 r0, r0, r0", NULL},
    {NORN_CHECK_ALL, 8, "STORE.i32.slot2.end @r0, r62, offset:0", NULL},
};

START_TEST(edits) {
  const EditRow *row = &edit_rows[_i];
  Compilation compilation;
  compilation_init(&compilation, loop, 0);
  ck_assert_uint_eq(compilation.count, 9);
  compilation.words[row->index] = word_of(row->line);
  char *complaint = complaint_of(&compilation, row->check);
  ck_assert_pstr_eq(complaint, row->complaint);
  g_free(complaint);
  compilation_clear(&compilation);
}
END_TEST

/* The code of a fragment shader with two targets, where moves are not combined; else 3 and 4, and 9
 * and 10, are sums of 64 bits:
 *
 *    0 LD_VAR_BUF_IMM.f32.slot0.v3.src_f32.center.store @r52:r53:r54, r61, index:0x0
 *    1 MOV.i32.wait0126 r55, u0
 *    2 ATEST.wait @r60, r60, u0, atest_datum.w0
 *    3 MOV.i32 r3, r55
 *      ... r2, r1, r0
 *    7 BLEND.slot0.v4.f32 @r0:r1:r2:r3, blend_descriptor_0.w0, r60, offset:2
 *    8 IADD_IMM.i32 r48, program_counter.w0, #0x8
 *    9 BRANCHZI.eq.absolute 0x0, blend_descriptor_0.w1
 *   10 MOV.i32 r3, r55
 *      ...
 */
static const char targets[] = "shader fragment @t {\n"
                              "  fau a: f32 @ 0\n"
                              "entry:\n"
                              "  %v = load.varying.center.w3.f32\n"
                              "  %r, %g, %b = split.f32.w3 %v\n"
                              "  %c = collect.f32.w4 %r, %g, %b, fau.a\n"
                              "  store.color.f32.w4 %c, target:0\n"
                              "  store.color.f32.w4 %c, target:1\n"
                              "  end\n"
                              "}\n";

/* Two edits of the code, neither of which is sufficient by itself. */
typedef struct PairRow {
  const char *skip; /* passes */
  uint32_t count;   /* instructions */
  unsigned check;
  uint32_t first, second;
  const char *lines[2], *complaint;
} PairRow;

static const PairRow pair_rows[] = {
    /* a blend shader may change the register */
    {"combine-moves",
     17,
     NORN_CHECK_TRANSLATION,
     3,
     10,
     {"MOV.i32 r3, r55", "MOV.i32 r3, r3"},
     "translation: t:9:3: 0x70 (BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_1.w0, r60, "
     "target:0x0): word 3 of operand 0 is not %c"},
    {"combine-moves",
     17,
     NORN_CHECK_LAST_USES,
     3,
     10,
     {"MOV.i32 r5, r3", "MOV.i32 r3, r5"},
     "last-uses: t:9:3: 0x50 (MOV.i32 r3, r5): r5 is read after its last use"},
    /* a copy of the coverage is not sufficient */
    {"combine-moves",
     17,
     NORN_CHECK_TRANSLATION,
     1,
     2,
     {"MOV.i32 r4, r60", "ATEST.wait0 @r60, r4, u0, atest_datum.w0"},
     "translation: t:9:3: 0x10 (ATEST.wait0 @r60, r4, u0, atest_datum.w0): coverage must be in "
     "r60, before and after"},
    /* another pair is moved; something is added to it */
    {NULL,
     13,
     NORN_CHECK_TRANSLATION,
     3,
     9,
     {"IADD.u64 r2, r52, 0x0.w0", "IADD.u64 r2, r54, 0x0.w0"},
     "translation: t:9:3: 0x28 (BLEND.slot0.v4.f32 @r0:r1:r2:r3, blend_descriptor_0.w0, r60, "
     "target:0x2): word 2 of operand 0 is not %c"},
    {NULL,
     13,
     NORN_CHECK_TRANSLATION,
     3,
     9,
     {"IADD.u64 r2, r54, 0x1000000.w0", "IADD.u64 r2, r54, 0x0.w0"},
     "translation: t:9:3: 0x18 (IADD.u64 r2, r54, 0x1000000.w0): the program has no such "
     "instruction here"},
};

START_TEST(pairs) {
  const PairRow *row = &pair_rows[_i];
  Compilation compilation;
  compile_without(&compilation, targets, 0, row->skip);
  ck_assert_uint_eq(compilation.count, row->count);
  compilation.words[row->first] = word_of(row->lines[0]);
  compilation.words[row->second] = word_of(row->lines[1]);
  char *complaint = complaint_of(&compilation, row->check);
  ck_assert_pstr_eq(complaint, row->complaint);
  g_free(complaint);
  compilation_clear(&compilation);
}
END_TEST

/* --- Reported information --- */

START_TEST(reported) {
  Compilation compilation;
  compilation_init(&compilation, loop, 0);
  NornCompileInfo *info = &compilation.info;
  const NornCompileInfo right = *info;
#define REFUSES(change, message)                                                                   \
  do {                                                                                             \
    *info = right;                                                                                 \
    change;                                                                                        \
    char *complaint = complaint_of(&compilation, NORN_CHECK_REPORTED);                             \
    ck_assert_pstr_eq(complaint, message);                                                         \
    g_free(complaint);                                                                             \
  } while (0)
  REFUSES((void)0, NULL);
  REFUSES(info->registers = 63, "reported: registers: 63 reported, but the code has 64");
  REFUSES(info->threads = 1, "reported: threads: 1 reported, but the code has 2");
  REFUSES(info->fau_words = 1, "reported: uniform words: 1 reported, but the code has 2");
  REFUSES(info->fau_words = 3, "reported: uniform words: 3 reported, but the code has 2");
  REFUSES(info->instructions = 8, "reported: instructions: 8 reported, but the code has 9");
  REFUSES(info->preloaded = 0,
          "reported: r60 is read before it is written, but not reported as preloaded");
  REFUSES(info->preloaded |= 1,
          "reported: r0 is reported as preloaded, but the hardware preloads nothing there");
  REFUSES(info->workgroup_local_size = 4,
          "reported: bytes of workgroup memory: 4 reported, but the code has 0");
  REFUSES(info->workgroup_size[1] = 2,
          "reported: invocations of a workgroup along an axis: 2 reported, but the code has 1");
  REFUSES(info->denormals = NORN_DENORMALS_FLUSH,
          "reported: denormal mode: 1 reported, but the code has 0");
  compilation.scratch_size = 4;
  REFUSES((void)0, "reported: bytes of thread-local memory: 0 reported, but the code has 4");
  compilation.scratch_size = 0;
  /* r60 is only read in a later block */
  compilation.words[0] = word_of("SHADDX.u64 r62, u0, u0.w0, shift:0x2");
  compilation.words[1] = word_of("MOV.i32 r0, u0");
  REFUSES(info->preloaded = 0,
          "reported: r60 is read before it is written, but not reported as preloaded");
  compilation.words[5] = word_of("IADD.u32 r40, r61, r61");
  REFUSES((void)0, "reported: threads: 2 reported, but the code has 1");
#undef REFUSES
  compilation_clear(&compilation);
}
END_TEST

/* More values than there are registers. */
static void
compile_with_spills(Compilation *compilation) {
  GString *text = g_string_new("shader compute @t workgroup(16, 1, 1) {\n"
                               "  fau x: i64 @ 0\n"
                               "entry:\n"
                               "  %s0 = global_id.x\n");
  for (unsigned k = 0; k < 80; k++)
    g_string_append_printf(text, "  %%v%u = load.global.i32 fau.x, offset:%u\n", k, 4 * k);
  g_string_append(text, "  barrier.workgroup\n");
  for (unsigned k = 0; k < 80; k++)
    g_string_append_printf(text, "  %%s%u = iadd.i32 %%s%u, %%v%u\n", k + 1, k, k);
  g_string_append(text, "  store.global.i32 %s80, fau.x\n  end\n}\n");
  compilation_init(compilation, text->str, 0);
  g_string_free(text, TRUE);
  ck_assert_uint_gt(compilation->info.thread_local_size, 0);
}

START_TEST(reported_memory) {
  Compilation compilation;
  compile_with_spills(&compilation);
  compilation.info.thread_local_size -= 4;
  char *complaint = complaint_of(&compilation, NORN_CHECK_REPORTED);
  ck_assert_ptr_nonnull(complaint);
  ck_assert_ptr_nonnull(strstr(complaint, "a spilled value is outside of the bytes"));
  g_free(complaint);
  /* Or among the program's own registers. */
  compilation.info.thread_local_size += 4;
  ck_assert_ptr_null(complaint_of(&compilation, NORN_CHECK_REPORTED));
  compilation.scratch_size = 4;
  complaint = complaint_of(&compilation, NORN_CHECK_REPORTED);
  ck_assert_ptr_nonnull(complaint);
  ck_assert_ptr_nonnull(strstr(complaint, "a spilled value is outside of the bytes 4 to"));
  g_free(complaint);
  compilation_clear(&compilation);
}
END_TEST

/* Fills the slot of the first instruction before anything is spilled. */
START_TEST(fills_without_spills) {
  Compilation compilation;
  unsigned found = 0;
  compile_with_spills(&compilation);
  for (uint32_t i = 1; i < compilation.count; i++) {
    compilation.words[0] = compilation.words[i];
    char *complaint = complaint_of(&compilation, NORN_CHECK_TRANSLATION);
    found +=
        complaint && strstr(complaint, "fills registers from memory where nothing was spilled");
    g_free(complaint);
  }
  ck_assert_uint_gt(found, 0);
  compilation_clear(&compilation);
}
END_TEST

/* A fragment's coverage and sample are preloaded whether or not it reads them. */
START_TEST(reported_always) {
  static const char text[] = "shader fragment @t {\n"
                             "entry:\n"
                             "  %c = collect.f32.w4 1.0, 1.0, 1.0, 1.0\n"
                             "  store.color.f32.w4 %c, target:0\n"
                             "  end\n"
                             "}\n";
  Compilation compilation;
  compilation_init(&compilation, text, 0);
  compilation.info.preloaded &= ~(UINT64_C(1) << NORN_VALHALL_PRELOAD_SAMPLE);
  char *complaint = complaint_of(&compilation, NORN_CHECK_REPORTED);
  ck_assert_pstr_eq(complaint, "reported: r61 is always preloaded, but not reported as such");
  g_free(complaint);
  compilation_clear(&compilation);
}
END_TEST

/* --- Order --- */

/* Two instructions that must be ordered, and their code in the wrong order. */
static const struct {
  const char *text, *first, *second, *complaint;
} orders[] = {
    {"shader compute @t workgroup(16, 1, 1) {\n"
     "  fau x: i64 @ 0, y: i64 @ 2\n"
     "entry:\n"
     "  %i = global_id.x\n"
     "  %j = global_id.y\n"
     "  store.global.i32 %i, fau.x\n"
     "  store.global.i32 %j, fau.y\n"
     "  end\n"
     "}\n",
     "STORE.i32.slot0.wait0 @r61, u2, offset:0", "STORE.i32.slot0.end @r60, u0, offset:0",
     "translation: t:7:3: 0x0 (STORE.i32.slot0.wait0 @r61, u2, offset:0): executes before an "
     "instruction that it must follow, on line 6"},
    /* atomic accesses with different operations */
    {"shader compute @t workgroup(16, 1, 1) {\n"
     "  fau x: i64 @ 0, y: i64 @ 2\n"
     "entry:\n"
     "  %i = global_id.x\n"
     "  %j = global_id.y\n"
     "  %a = atomic.global.add.i32 fau.x, %i\n"
     "  %b = atomic.global.add.i32 fau.y, %j\n"
     "  end\n"
     "}\n",
     "ATOM.i32.slot0.aadd.wait0 @r61, u2, offset:0x0",
     "ATOM.i32.slot0.aadd.end @r60, u0, offset:0x0",
     "translation: t:7:3: 0x0 (ATOM.i32.slot0.aadd.wait0 @r61, u2, offset:0x0): executes before an "
     "instruction that it must follow, on line 6"},
    /* a store after the invocation has ended */
    {"shader fragment @t {\n"
     "  fau x: i64 @ 0, f: f32 @ 2\n"
     "entry:\n"
     "  %p = primitive_id\n"
     "  store.global.i32 %p, fau.x\n"
     "  %c = fcmp.olt.f32 fau.f, 0.0\n"
     "  demote %c\n"
     "  end\n"
     "}\n",
     "DISCARD.f32.lt.discard u2, 0x0", "STORE.i32.slot0.wait0126 @r57, u0, offset:0",
     "translation: t:7:3: 0x0 (DISCARD.f32.lt.discard u2, 0x0): executes before an instruction "
     "that it must follow, on line 5"},
};

/* The packed program is the same as the words: only the order of its first two instructions is
 * wrong. */
static void
exchange_first(NornFunction *packed) {
  uint32_t first = norn_block(packed, packed->block_order[0])->first;
  while (!norn_is_machine(norn_inst(packed, first)))
    first = norn_inst(packed, first)->next;
  uint32_t second = norn_inst(packed, first)->next;
  uint32_t before = norn_inst(packed, first)->previous, after = norn_inst(packed, second)->next;
  norn_inst(packed, before)->next = second;
  norn_inst(packed, second)->previous = before;
  norn_inst(packed, second)->next = first;
  norn_inst(packed, first)->previous = second;
  norn_inst(packed, first)->next = after;
  norn_inst(packed, after)->previous = first;
}

START_TEST(order) {
  Compilation compilation;
  compilation_init(&compilation, orders[_i].text, 0);
  ck_assert_uint_ge(compilation.count, 2);
  exchange_first(compilation.module->functions[0]);
  compilation.words[0] = word_of(orders[_i].first);
  compilation.words[1] = word_of(orders[_i].second);
  char *complaint = complaint_of(&compilation, NORN_CHECK_TRANSLATION);
  ck_assert_pstr_eq(complaint, orders[_i].complaint);
  g_free(complaint);
  compilation_clear(&compilation);
}
END_TEST

/* A barrier and a store before it. */
START_TEST(order_of_barrier) {
  static const char text[] = "shader compute @t workgroup(16, 1, 1) {\n"
                             "  fau x: i64 @ 0\n"
                             "entry:\n"
                             "  %i = global_id.x\n"
                             "  store.global.i32 %i, fau.x\n"
                             "  barrier.workgroup\n"
                             "  store.global.i32 %i, fau.x, offset:16\n"
                             "  end\n"
                             "}\n";
  Compilation compilation;
  compilation_init(&compilation, text, 0);
  ck_assert_uint_eq(compilation.count, 3);
  exchange_first(compilation.module->functions[0]);
  uint64_t store = compilation.words[0];
  compilation.words[0] = compilation.words[1];
  compilation.words[1] = store;
  char *complaint = complaint_of(&compilation, NORN_CHECK_TRANSLATION);
  ck_assert_pstr_eq(complaint, "translation: t:6:3: 0x0 (BARRIER.slot7.wait): executes before an "
                               "instruction that it must follow, on line 5");
  g_free(complaint);
  compilation_clear(&compilation);
}
END_TEST

/* Bases the address on another uniform after register allocation. */
static void
break_address(const NornModule *module, const char *pass, gpointer user_data) {
  bool *is_broken = user_data;
  NornFunction *function = module->functions[0];
  if (strcmp(pass, "layout"))
    return;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst)
      if (norn_inst(function, inst)->op == NORN_OP_MACHINE + NORN_VALHALL_SHADDX_U64) {
        norn_set_operand(function, inst, 0, norn_ref(NORN_REF_UNIFORM, 2));
        *is_broken = true;
      }
}

/* A pass's mistakes are found at each level. */
START_TEST(every_level) {
  NornCompileOptions options;
  bool is_broken = false;
  g_autoptr(GError) error = NULL;
  norn_compile_options_init(&options);
  options.optimization_level = (unsigned)_i;
  options.checks = NORN_CHECK_ALL;
  options.dump = break_address;
  options.dump_data = &is_broken;
  NornModule *module = norn_module_parse(loop, strlen(loop), "t", NULL);
  GBytes *code = norn_compile(module, &options, NULL, &error);
  ck_assert(is_broken);
  ck_assert_ptr_null(code);
  ck_assert_ptr_nonnull(strstr(error->message, "is not the program's constant or uniform"));
  norn_module_free(module);
}
END_TEST

/* Code that reads constant data while it stores, without a wait: nothing stores there.
 *
 *    0 IADD_IMM.i32 r0, program_counter.w0, #0x7C
 *    1 MOV.i32 r1, program_counter.w1
 *    2 SHADDX.u64 r0, ^r0, u2, shift:0x2 ...
 */
static const char table[] = "shader compute @t workgroup(16, 1, 1) {\n"
                            "  fau x: i64 @ 0, n: i32 @ 2\n"
                            "  data i32 1, 2, 3, 4\n"
                            "entry:\n"
                            "  %a = data_address 4\n"
                            "  %p = shladd.u32.i64 %a, fau.n, 2\n"
                            "  %v = load.global.i32 %p\n"
                            "  store.global.i32 7, fau.x\n"
                            "  %w = load.global.i32 %p, offset:4\n"
                            "  %s = iadd.i32 %v, %w\n"
                            "  store.global.i32 %s, fau.x, offset:4\n"
                            "  end\n"
                            "}\n";

/* The instruction of the code that adds to the program counter. */
static uint32_t
find_address(const Compilation *compilation) {
  const NornIsa *isa = norn_isa_find("valhall");
  char line[NORN_ISA_LINE];
  for (uint32_t i = 0; i < compilation->count; i++) {
    norn_isa_print(isa, 0, compilation->words[i], 0, line);
    if (strstr(line, "program_counter.w0"))
      return i;
  }
  ck_abort_msg("no address of constant data");
  return 0;
}

START_TEST(constant_data) {
  Compilation compilation;
  compilation_init(&compilation, table, 0);
  ck_assert_uint_eq(compilation.info.data_size, 16);
  ck_assert_uint_eq(compilation.info.data_offset % 128, 0);
  ck_assert_uint_ge(compilation.info.data_offset, compilation.count * 8 + 16);
  ck_assert_ptr_null(complaint_of(&compilation, NORN_CHECK_ALL));
  uint32_t index = find_address(&compilation);
  uint64_t word = compilation.words[index];
  char line[NORN_ISA_LINE];
  norn_isa_print(norn_isa_find("valhall"), 0, word, 0, line);
  char *constant = strstr(line, "#0x");
  uint32_t distance = (uint32_t)g_ascii_strtoull(constant + 1, NULL, 16);
  ck_assert_uint_eq(8 * (index + 1) + distance, compilation.info.data_offset + 4);
  /* another byte of the data; a byte outside of it */
  static const int wrong[] = {4, 12, -8};
  for (unsigned k = 0; k < G_N_ELEMENTS(wrong); k++) {
    g_snprintf(constant, 16, "#0x%X", distance + (uint32_t)wrong[k]);
    compilation.words[index] = word_of(line);
    g_autofree char *complaint = complaint_of(&compilation, NORN_CHECK_TRANSLATION);
    ck_assert_ptr_nonnull(complaint);
  }
  compilation.words[index] = word;
  compilation.info.data_offset += 128;
  g_autofree char *moved = complaint_of(&compilation, NORN_CHECK_REPORTED);
  ck_assert_ptr_nonnull(moved);
  compilation.info.data_offset -= 128;
  compilation.info.data_size = 0;
  g_autofree char *missing = complaint_of(&compilation, NORN_CHECK_TRANSLATION);
  ck_assert_ptr_nonnull(missing);
  compilation_clear(&compilation);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("check_code");
  TCase *cases = tcase_create("checkers");
  tcase_add_loop_test(cases, edits, 0, G_N_ELEMENTS(edit_rows));
  tcase_add_loop_test(cases, pairs, 0, G_N_ELEMENTS(pair_rows));
  tcase_add_loop_test(cases, every_level, 0, 3);
  tcase_add_test(cases, reported);
  tcase_add_test(cases, reported_memory);
  tcase_add_test(cases, fills_without_spills);
  tcase_add_test(cases, reported_always);
  tcase_add_loop_test(cases, order, 0, G_N_ELEMENTS(orders));
  tcase_add_test(cases, order_of_barrier);
  tcase_add_test(cases, constant_data);
  suite_add_tcase(suite, cases);
  return suite;
}
