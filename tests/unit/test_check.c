/* The checkers of finished code: what is right passes, and each wrong edit is named. Random edits
 * are the business of tests/fuzz/wrong_code.c. */
#include "check/checkers.h"
#include "check/footprint.h"
#include "unit.h"
#include <norn/norn.h>
#include <string.h>

/* --- words --- */

static GBytes *
assemble(const char *text) {
  GError *error = NULL;
  const NornIsaAssembleOptions options = {0};
  GBytes *code =
      norn_isa_assemble(norn_isa_find("valhall"), text, strlen(text), "t", &options, &error);
  ck_assert_msg(code != NULL, "%s\n%s", error ? error->message : "", text);
  return code;
}

/* Code, and the complaint of a checker; NULL if it is right. */
typedef struct WordsRow {
  NornShaderStage stage;
  unsigned check;
  const char *text, *complaint;
} WordsRow;

#define WAITS(text, complaint)                                                                     \
  { NORN_STAGE_COMPUTE, NORN_CHECK_WAITS, text, complaint }
#define TILE(text, complaint)                                                                      \
  { NORN_STAGE_FRAGMENT, NORN_CHECK_WAITS, text, complaint }
#define HELPERS(text, complaint)                                                                   \
  { NORN_STAGE_FRAGMENT, NORN_CHECK_HELPERS, text, complaint }
#define LAST(text, complaint)                                                                      \
  { NORN_STAGE_COMPUTE, NORN_CHECK_LAST_USES, text, complaint }

static const WordsRow words_rows[] = {
    /* registers */
    WAITS("LOAD.i32.unsigned.slot0.wait0 @r0, u0, offset:0\n"
          "STORE.i32.slot0.end @r0, u2, offset:0\n",
          NULL),
    WAITS("LOAD.i32.unsigned.slot0.wait1 @r0, u0, offset:0\n"
          "MOV.i32.end r1, r0\n",
          "waits: 0x8 (MOV.i32.end r1, r0): r0 is read while a message that writes it may be in "
          "flight; it needs a wait for slot 0 before"),
    WAITS("LOAD.i64.unsigned.slot2 @r0:r1, u0, offset:0\n"
          "MOV.i32.end r1, u2\n",
          "waits: 0x8 (MOV.i32.end r1, u2): r1 is written while a message that writes it may be in "
          "flight; it needs a wait for slot 2 before"),
    WAITS("LOAD.i32.unsigned.slot0 @r0, u0, offset:0\n"
          "NOP.wait0\n"
          "MOV.i32.end r1, r0\n",
          NULL),
    /* of two paths one has no wait */
    WAITS("BRANCHZ.reconverge r4, offset:1\n"
          "LOAD.i32.unsigned.slot1 @r0, u0, offset:0\n"
          "MOV.i32.end r1, r0\n",
          "waits: 0x10 (MOV.i32.end r1, r0): r0 is read while a message that writes it may be in "
          "flight; it needs a wait for slot 1 before"),
    /* round a loop */
    WAITS(
        "MOV.i32 r1, r0\n"
        "LOAD.i32.unsigned.slot0 @r0, u0, offset:0\n"
        "BRANCHZ.reconverge r4, offset:-3\n"
        "NOP.end\n",
        "waits: 0x0 (MOV.i32 r1, r0): r0 is read while a message that writes it may be in flight; "
        "it needs a wait for slot 0 before"),
    /* a pair of which one word is read */
    WAITS("LOAD.i32.unsigned.slot0 @r1, u0, offset:0\n"
          "SHADDX.u64.end r2, u0, r0.w0, shift:0x2\n",
          NULL),
    WAITS("LOAD.i32.unsigned.slot0 @r1, u0, offset:0\n"
          "SHADDX.u64.end r2, u0, r0.w1, shift:0x2\n",
          "waits: 0x8 (SHADDX.u64.end r2, u0, r0.w1, shift:0x2): r1 is read while a message that "
          "writes it may be in flight; it needs a wait for slot 0 before"),
    /* memory */
    WAITS("STORE.i32.slot0 @r0, u0, offset:0\n"
          "STORE.i32.slot1.end @r1, u0, offset:4\n",
          NULL),
    WAITS("STORE.i32.slot0 @r0, u0, offset:0\n"
          "STORE.i32.slot1.end @r1, u0, offset:2\n",
          "waits: 0x8 (STORE.i32.slot1.end @r1, u0, offset:2): a message in flight may access the "
          "memory that it writes; it needs a wait for slot 0 before"),
    WAITS(
        "STORE.i32.slot0 @r0, u0, offset:0\n"
        "LOAD.i32.unsigned.slot1.end @r1, u2, offset:4\n",
        "waits: 0x8 (LOAD.i32.unsigned.slot1.end @r1, u2, offset:4): a message in flight may write "
        "the memory that it reads; it needs a wait for slot 0 before"),
    WAITS("LOAD.i32.unsigned.slot0 @r0, u0, offset:0\n"
          "LOAD.i32.unsigned.slot1.end @r1, u2, offset:0\n",
          NULL),
    WAITS("STORE.i32.force.slot0 @r0, thread_local_pointer.w0, offset:0\n"
          "LOAD.i32.unsigned.slot1.end @r1, u2, offset:0\n",
          NULL),
    /* a copy of the address is as good; a new one may be equal */
    WAITS("STORE.i32.slot0 @r0, r2, offset:0\n"
          "MOV.i32 r4, r2\n"
          "MOV.i32 r5, r3\n"
          "STORE.i32.slot0.end @r0, r4, offset:4\n",
          NULL),
    WAITS("STORE.i32.slot0 @r0, r2, offset:0\n"
          "IADD.u32 r2, r2, r6\n"
          "STORE.i32.slot0.end @r0, r2, offset:4\n",
          "waits: 0x10 (STORE.i32.slot0.end @r0, r2, offset:4): a message in flight may access the "
          "memory that it writes; it needs a wait for slot 0 before"),
    WAITS("STORE.i32.slot0 @r0, r2, offset:0\n"
          "STORE.i32.slot0 @r0, r2, offset:4\n"
          "IADD.u64.wait0 r2, r2, r6\n"
          "BRANCHZ.reconverge r4, offset:-4\n"
          "NOP.end\n",
          NULL),
    WAITS(
        "STORE.i32.slot0 @r0, r2, offset:0\n"
        "IADD.u64 r2, r2, r6\n"
        "BRANCHZ.reconverge r4, offset:-3\n"
        "NOP.end\n",
        "waits: 0x0 (STORE.i32.slot0 @r0, r2, offset:0): a message in flight may access the memory "
        "that it writes; it needs a wait for slot 0 before"),
    /* barriers */
    WAITS("STORE.i32.slot1.wait1 @r0, u0, offset:0\n"
          "BARRIER.slot7.wait\n"
          "NOP.end\n",
          NULL),
    WAITS("STORE.i32.slot1.wait0 @r0, u0, offset:0\n"
          "BARRIER.slot7.wait\n"
          "NOP.end\n",
          "waits: 0x8 (BARRIER.slot7.wait): it needs a wait for slot 1 before"),
    WAITS("BARRIER.slot7.wait012\n"
          "NOP.end\n",
          "waits: 0x0 (BARRIER.slot7.wait012): it does not wait for its own slot 7"),
    /* the tile */
    TILE("NOP.wait0126\n"
         "ATEST.wait0 @r60, r60, 0x3F800000, atest_datum.w0\n"
         "NOP.end\n",
         NULL),
    TILE("ATEST.wait0 @r60, r60, 0x3F800000, atest_datum.w0\n"
         "NOP.end\n",
         "waits: 0x0 (ATEST.wait0 @r60, r60, 0x3F800000, atest_datum.w0): it needs a wait for slot "
         "6 "
         "before"),
    TILE("NOP.wait0126\n"
         "ATEST @r60, r60, 0x3F800000, atest_datum.w0\n"
         "NOP.end\n",
         "waits: 0x8 (ATEST @r60, r60, 0x3F800000, atest_datum.w0): it does not wait for its own "
         "slot 0"),
    /* the graph */
    WAITS("MOV.i32 r0, u0\n", "code: 0x0 (MOV.i32 r0, u0): the program goes on past its end"),
    WAITS("BRANCHZ.eq 0x0, offset:7\n",
          "code: 0x0 (BRANCHZ.eq 0x0, offset:7): it branches out of the code"),
    /* last uses */
    LAST("IADD.u32 r1, r0, ^r0\n"
         "STORE.i32.slot0.end @r1, ^r2, offset:0\n",
         NULL),
    LAST("IADD.u32 r1, r2, ^r0\n"
         "MOV.i32.end r3, r0\n",
         "last-uses: 0x8 (MOV.i32.end r3, r0): r0 is read after its last use"),
    LAST("IADD.u32 r0, r2, ^r0\n"
         "MOV.i32.end r3, r0\n",
         NULL),
    LAST("IADD.u32.end r1, ^r0, r0\n",
         "last-uses: 0x0 (IADD.u32.end r1, ^r0, r0): r0 is marked as last used in a source, and "
         "another one reads it"),
    LAST("IADD.u32.end r1, ^r0, ^r0\n",
         "last-uses: 0x0 (IADD.u32.end r1, ^r0, ^r0): r0 is marked as last used in a source, and "
         "another one reads it"),
    /* a pair goes as a whole */
    LAST("SHADDX.u64 r2, u0, ^r0.w0, shift:0x2\n"
         "MOV.i32.end r4, r1\n",
         "last-uses: 0x8 (MOV.i32.end r4, r1): r1 is read after its last use"),
    /* on one of two paths; round a loop */
    LAST("BRANCHZ.reconverge r4, offset:1\n"
         "MOV.i32 r1, ^r0\n"
         "MOV.i32.end r2, r0\n",
         "last-uses: 0x10 (MOV.i32.end r2, r0): r0 is read after its last use"),
    LAST("MOV.i32 r1, ^r0\n"
         "BRANCHZ.reconverge r4, offset:-2\n"
         "NOP.end\n",
         "last-uses: 0x0 (MOV.i32 r1, ^r0): r0 is read after its last use"),
    /* what is staged */
    LAST(
        "STORE.i32.slot0 @r0, u0, offset:0\n"
        "MOV.i32.end r1, ^r0\n",
        "last-uses: 0x8 (MOV.i32.end r1, ^r0): r0 is marked as last used while a message of slot 0 "
        "may still read it"),
    LAST("STORE.i32.slot0.wait0 @r0, u0, offset:0\n"
         "MOV.i32.end r1, ^r0\n",
         NULL),
    LAST("STORE.i64.slot0.end @r0:r1, ^r0, offset:0\n",
         "last-uses: 0x0 (STORE.i64.slot0.end @r0:r1, ^r0, offset:0): r0 is marked as last used "
         "where "
         "it is staged"),
    /* helpers */
    HELPERS("CLPER.i32.subgroup4.discard r0, r1, 0x1000000.b0\n"
            "MOV.i32.end r2, r0\n",
            NULL),
    HELPERS(
        "MOV.i32.discard r2, r0\n"
        "CLPER.i32.subgroup4.end r0, r1, 0x1000000.b0\n",
        "helpers: 0x8 (CLPER.i32.subgroup4.end r0, r1, 0x1000000.b0): it needs helpers, which may "
        "have been ended before"),
};

START_TEST(words) {
  const WordsRow *row = &words_rows[_i];
  GBytes *code = assemble(row->text);
  GError *error = NULL;
  const NornCheckOptions options = {NULL, row->stage, row->check};
  gsize size;
  const void *data = g_bytes_get_data(code, &size);
  bool ok = norn_check_code(data, size, &options, &error);
  if (row->complaint) {
    ck_assert_msg(!ok, "%s is accepted", row->text);
    ck_assert_str_eq(error->message, row->complaint);
    g_error_free(error);
  } else {
    ck_assert_msg(ok, "%s: %s", row->text, error ? error->message : "");
  }
  g_bytes_unref(code);
}
END_TEST

/* --- compilations --- */

/* A loop whose rounds differ by lane; this is its code:
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
compilation_init(Compilation *compilation, const char *text) {
  GError *error = NULL;
  NornCompileOptions options;
  *compilation = (Compilation){.module = norn_module_parse(text, strlen(text), "t", &error)};
  ck_assert_msg(compilation->module != NULL, "%s", error ? error->message : "");
  norn_compile_options_init(&options);
  options.checks = NORN_CHECK_ALL;
  options.dump = keep_selected;
  options.dump_data = compilation;
  GBytes *code = norn_compile(compilation->module, &options, &compilation->info, &error);
  ck_assert_msg(code != NULL, "%s", error ? error->message : "");
  compilation->count = (uint32_t)(g_bytes_get_size(code) / 8);
  compilation->words = g_memdup2(g_bytes_get_data(code, NULL), g_bytes_get_size(code));
  for (uint32_t i = 0; i < compilation->count; i++)
    compilation->words[i] = GUINT64_FROM_LE(compilation->words[i]);
  g_bytes_unref(code);
}

static void
compilation_clear(Compilation *compilation) {
  norn_module_free(compilation->module);
  norn_function_free(compilation->selected);
  g_free(compilation->words);
}

/* What the checker says; to be freed, NULL if nothing. */
static char *
complaint_of(const Compilation *compilation, unsigned checks) {
  GError *error = NULL;
  const NornCheckInput input = {.words = compilation->words,
                                .count = compilation->count,
                                .stage = NORN_STAGE_COMPUTE,
                                .checks = checks,
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

static uint64_t
word_of(const char *line) {
  uint64_t word;
  GBytes *code = assemble(line);
  memcpy(&word, g_bytes_get_data(code, NULL), sizeof word);
  g_bytes_unref(code);
  return GUINT64_FROM_LE(word);
}

/* An edit of the loop's code, and what one checker says of it. */
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
    MOVED(
        0, "SHADDX.u64 r62, u2, r60.w0, shift:0x2",
        "5:3: 0x0 (SHADDX.u64 r62, u2, r60.w0, shift:0x2): word 0 of operand 0 is not its constant "
        "or uniform"),
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
          "15:3: 0x40 (STORE.i32.slot0.end @r0, ^r62, offset:0): the program has no such "
          "instruction here"),
    MOVED(4, "BRANCHZ.eq.reconverge ^r1, offset:2",
          "8:3: 0x18 (ICMP_OR.u32.lt.m1 r1, r61, r60, 0x0): the program has no such instruction "
          "here"),
    MOVED(5, "NOP",
          "8:3: 0x18 (ICMP_OR.u32.lt.m1 r1, r61, r60, 0x0): the program has no such instruction "
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
    TOGETHER(4, "BRANCHZ.eq ^r1, offset:3",
             "9:3: 0x20 (BRANCHZ.eq ^r1, offset:3): lanes may diverge here, without reconverge"),
    {NORN_CHECK_RECONVERGENCE, 7, "BRANCHZ.eq 0x0, offset:-5", NULL},
    TOGETHER(4, "BRANCHZ.eq.reconverge ^r1, offset:2",
             "9:3: 0x20 (BRANCHZ.eq.reconverge ^r1, offset:2): it leads elsewhere than in the "
             "program"),
    /* what needs no change of the program's meaning: still right */
    {NORN_CHECK_ALL, 6, "IADD.u32 r0, r0, r0", NULL},
    {NORN_CHECK_ALL, 8, "STORE.i32.slot2.end @r0, r62, offset:0", NULL},
};

START_TEST(edits) {
  const EditRow *row = &edit_rows[_i];
  Compilation compilation;
  compilation_init(&compilation, loop);
  ck_assert_uint_eq(compilation.count, 9);
  compilation.words[row->index] = word_of(row->line);
  char *complaint = complaint_of(&compilation, row->check);
  ck_assert_pstr_eq(complaint, row->complaint);
  g_free(complaint);
  compilation_clear(&compilation);
}
END_TEST

/* --- what is reported --- */

START_TEST(reported) {
  Compilation compilation;
  compilation_init(&compilation, loop);
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
          "reported: r0 is reported as preloaded, but nothing is preloaded there");
#undef REFUSES
  compilation_clear(&compilation);
}
END_TEST

/* --- order --- */

/* Two stores to one place; this is its code:
 *
 *    0 STORE.i32.slot0.wait0 @r60, u0, offset:0
 *    1 STORE.i32.slot0.end @r61, u0, offset:0
 */
static const char stores[] = "shader compute @t workgroup(16, 1, 1) {\n"
                             "  fau x: i64 @ 0\n"
                             "entry:\n"
                             "  %i = global_id.x\n"
                             "  %j = global_id.y\n"
                             "  store.global.i32 %i, fau.x\n"
                             "  store.global.i32 %j, fau.x\n"
                             "  end\n"
                             "}\n";

START_TEST(order) {
  Compilation compilation;
  compilation_init(&compilation, stores);
  ck_assert_uint_eq(compilation.count, 2);
  NornFunction *packed = compilation.module->functions[0];
  uint32_t last = norn_block(packed, packed->block_order[0])->last,
           second = norn_inst(packed, last)->previous;
  uint32_t first = norn_inst(packed, second)->previous, before = norn_inst(packed, first)->previous;
  /* The packed program says the same as the words: only the order is wrong. */
  norn_inst(packed, before)->next = second;
  norn_inst(packed, second)->previous = before;
  norn_inst(packed, second)->next = first;
  norn_inst(packed, first)->previous = second;
  norn_inst(packed, first)->next = last;
  norn_inst(packed, last)->previous = first;
  compilation.words[0] = word_of("STORE.i32.slot0.wait0 @r61, u0, offset:0");
  compilation.words[1] = word_of("STORE.i32.slot0.end @r60, u0, offset:0");
  char *complaint = complaint_of(&compilation, NORN_CHECK_TRANSLATION);
  ck_assert_pstr_eq(complaint,
                    "translation: t:7:3: 0x0 (STORE.i32.slot0.wait0 @r61, u0, offset:0): it "
                    "comes before an instruction that it has to follow, of line 6");
  g_free(complaint);
  compilation_clear(&compilation);
}
END_TEST

/* --- the interface --- */

static bool
is_even(uint64_t base, gconstpointer data) {
  (void)data;
  return base % 2 == 0;
}

/* What counts from something that is no base any more may be anywhere; it takes one entry. */
START_TEST(footprints) {
  NornFootprints *from = NULL, *into = NULL, *whole = NULL;
  NornFootprint access = {
      .start = 0, .end = 4, .spaces = NORN_SPACE_GLOBAL, .reads = true, .writes = true};
  for (access.base = 1; access.base <= 100; access.base++)
    norn_footprints_add(&from, &access);
  ck_assert(norn_footprints_merge(&into, from, is_even, NULL));
  ck_assert(!norn_footprints_merge(&into, from, is_even, NULL));
  ck_assert_uint_eq(into->len, 51);
  norn_footprints_clear(&from);
  access.writes = false;
  access.base = 3;
  norn_footprints_add(&from, &access);
  norn_footprints_clear(&into);
  norn_footprints_merge(&into, from, is_even, NULL);
  norn_footprints_merge(&whole, from, NULL, NULL);
  access =
      (NornFootprint){.base = 3, .start = 4, .end = 8, .spaces = NORN_SPACE_GLOBAL, .writes = true};
  ck_assert(!norn_footprints_conflict(whole, &access));
  ck_assert(norn_footprints_conflict(into, &access));
  norn_footprints_clear(&from);
  norn_footprints_clear(&into);
  norn_footprints_clear(&whole);
}
END_TEST

START_TEST(names) {
  unsigned checks = 0;
  GError *error = NULL;
  ck_assert(norn_checks_parse("all", &checks, NULL));
  ck_assert_uint_eq(checks, NORN_CHECK_ALL);
  ck_assert(norn_checks_parse("none", &checks, NULL));
  ck_assert_uint_eq(checks, 0);
  ck_assert(norn_checks_parse("waits,translation", &checks, NULL));
  ck_assert_uint_eq(checks, NORN_CHECK_WAITS | NORN_CHECK_TRANSLATION);
  ck_assert(!norn_checks_parse("waits,nothing", &checks, &error));
  ck_assert_str_eq(error->message,
                   "there is no checker 'nothing': expected waits, last-uses, helpers, "
                   "reconvergence, reported, translation, all or none");
  g_clear_error(&error);
  ck_assert(!norn_checks_parse("", &checks, NULL));
  NornCheckerInfo info;
  unsigned all = 0;
  for (unsigned i = 0; norn_checker_info(i, &info); i++)
    all |= info.check;
  ck_assert_uint_eq(all, NORN_CHECK_ALL);
  const NornCheckOptions options = {NULL, NORN_STAGE_COMPUTE, NORN_CHECK_TRANSLATION};
  ck_assert(!norn_check_code("12345678", 8, &options, &error));
  ck_assert_str_eq(
      error->message,
      "only waits, last-uses and helpers can be checked where nothing but the words is known");
  g_clear_error(&error);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("check");
  TCase *cases = tcase_create("checkers");
  tcase_add_loop_test(cases, words, 0, G_N_ELEMENTS(words_rows));
  tcase_add_loop_test(cases, edits, 0, G_N_ELEMENTS(edit_rows));
  tcase_add_test(cases, reported);
  tcase_add_test(cases, order);
  tcase_add_test(cases, names);
  tcase_add_test(cases, footprints);
  suite_add_tcase(suite, cases);
  return suite;
}
