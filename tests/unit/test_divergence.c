/* Which values and branches are divergent: "~" after a name in the expected list marks those
 * that are. */
#include "ir/analysis/divergence.h"
#include "ir/random.h"
#include "ir_text.h"
#include "unit.h"
#include <norn/interpret.h>
#include <norn/module.h>
#include <string.h>

#define KERNEL "shader compute @t workgroup(16, 1, 1) {\n  fau n: i32 @ 0\nentry:\n"

/* The names of the divergent values and of the blocks with divergent branches, in program order. */
static char *
divergent_names(const NornModule *module) {
  const NornFunction *function = module->functions[0];
  GString *names = g_string_new(NULL);
  norn_for_each_block (function, block) {
    for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++) {
      const NornValue *value = norn_value(function, norn_block_parameter(function, block, k));
      if (value->is_divergent)
        g_string_append_printf(names, "%s ", norn_string(module, value->name));
    }
    norn_for_each_inst (function, block, inst) {
      const NornInst *self = norn_inst(function, inst);
      for (unsigned k = 0; k < self->result_count; k++) {
        const NornValue *value = norn_value(function, self->result + k);
        if (value->is_divergent)
          g_string_append_printf(names, "%s ", norn_string(module, value->name));
      }
      if (self->flags & NORN_INST_DIVERGENT)
        g_string_append_printf(names, "@%s ",
                               norn_string(module, norn_block(function, block)->name));
    }
  }
  return g_string_free(names, FALSE);
}

static const struct {
  const char *text, *divergent;
} cases[] = {
    /* data that depends on the lane's number */
    {KERNEL "  %i = local_id.x\n  %w = workgroup_id.x\n  %a = iadd.i32 %i, 1\n"
            "  %b = iadd.i32 %w, fau.n\n  %c = load.global.i32 4, offset:4\n  end\n}\n",
     "i a "},
    /* the position in the grid is uniform on an axis where workgroups have size one */
    {KERNEL "  %x = global_id.x\n  %y = global_id.y\n  %a = iadd.i32 %x, %y\n"
            "  %b = iadd.i32 %y, fau.n\n  end\n}\n",
     "x a "},
    /* subgroup operations make values uniform again */
    {KERNEL "  %i = lane_id\n  %c = icmp.ult.i32 %i, 3\n  %b = ballot %c\n"
            "  %d = popcount.i32 %b\n  end\n}\n",
     "i c "},
    /* lanes do not diverge at a uniform branch */
    {KERNEL "  %c = icmp.ult.i32 fau.n, 3\n  br %c, a, b\na:\n  jump j(1)\nb:\n  jump j(2)\n"
            "j(%p: i32):\n  end\n}\n",
     ""},
    /* they do at a divergent branch, until its arms join */
    {KERNEL "  %i = lane_id\n  %c = icmp.ult.i32 %i, 3\n  br %c, a, b\na:\n  %x = iadd.i32 1, 2\n"
            "  jump j(1)\nb:\n  jump j(2)\nj(%p: i32):\n  jump k(3)\nk(%q: i32):\n  end\n}\n",
     "i c @entry p "},
    /* also for parameters within the arms, if both paths lead there */
    {KERNEL "  %i = lane_id\n  %c = icmp.ult.i32 %i, 3\n  br %c, a, m(1)\na:\n  br %c, m(2), j(4)\n"
            "m(%p: i32):\n  jump j(3)\nj(%q: i32):\n  end\n}\n",
     "i c @entry @a p q "},
    /* a counter is uniform inside its loop, whenever lanes leave it; after the loop it is not */
    {KERNEL "  %i = lane_id\n  jump l(0)\nl(%k: i32):\n  %k1 = iadd.i32 %k, 1\n"
            "  %u = iadd.i32 %k, 2\n  %c = icmp.ult.i32 %k1, %i\n  br %c, l(%k1), d\n"
            "d:\n  %z = iadd.i32 %u, 0\n  end\n}\n",
     "i u c @l z "},
    /* if lanes leave at the same time, it is uniform everywhere */
    {KERNEL "  jump l(0)\nl(%k: i32):\n  %k1 = iadd.i32 %k, 1\n"
            "  %c = icmp.ult.i32 %k1, fau.n\n  br %c, l(%k1), d\nd:\n  %z = iadd.i32 %k1, 0\n"
            "  end\n}\n",
     ""},
    /* so are values computed from it on the path out */
    {KERNEL "  %i = lane_id\n  jump l(0)\nl(%k: i32):\n  %k1 = iadd.i32 %k, 1\n"
            "  %c = icmp.ult.i32 %k1, %i\n  br %c, m, d\nm:\n  %e = icmp.eq.i32 fau.n, 5\n"
            "  br %e, l(%k1), x\nx:\n  %y = iadd.i32 %k, 3\n  jump d\nd:\n  end\n}\n",
     "i k k1 c @l @m y "},
    /* both edges of a branch to one block */
    {KERNEL "  %i = lane_id\n  %c = icmp.eq.i32 %i, 2\n  br %c, a(1), a(2)\na(%p: i32):\n"
            "  %q = iadd.i32 %p, 1\n  end\n}\n",
     "i c @entry p q "},
    /* an exit of a loop within an arm: lanes of the other arm continue, so values seen after the
     * loop differ, and with them everything that depends on them */
    {KERNEL "  %i = lane_id\n  %c = icmp.eq.i32 %i, 2\n  jump l(0)\nl(%k: i32):\n"
            "  %k1 = iadd.i32 %k, 1\n  br %c, a, b\na:\n  %e = icmp.eq.i32 %k, 5\n  br %e, d, b\n"
            "b:\n  jump l(%k1)\nd:\n  %z = iadd.i32 %k1, 0\n  end\n}\n",
     "i c k k1 @l e @a z "},
    /* an argument brings its divergence with it */
    {KERNEL "  %i = lane_id\n  jump l(%i, 3)\nl(%k: i32, %m: i32):\n  end\n}\n", "i k "},
    /* lanes diverge at switches as at branches */
    {KERNEL "  %i = lane_id\n  switch.i32 %i, a, 1: b, 2: j(7)\na:\n  jump j(1)\nb:\n  jump j(2)\n"
            "j(%p: i32):\n  end\n}\n",
     "i @entry p "},
    /* a loop with two entries that lanes leave one by one */
    {KERNEL "  %i = lane_id\n  %u = icmp.eq.i32 fau.n, 1\n  br %u, a, b\na:\n  %x = iadd.i32 1, 1\n"
            "  jump b\nb:\n  %c = icmp.eq.i32 %i, 2\n  br %c, a, d\nd:\n  end\n}\n",
     "i c @b "},
    /* so are parameters after a loop that lanes leave at different times, and its exits */
    {KERNEL "  %i = lane_id\n  %c = icmp.eq.i32 %i, 2\n  jump l(0)\nl(%k: i32):\n"
            "  %k1 = iadd.i32 %k, 1\n  br %c, a, b\na:\n  %e = icmp.eq.i32 fau.n, 5\n"
            "  br %e, d(%k1), b\nb:\n  %f = icmp.eq.i32 fau.n, 6\n  br %f, x, l(%k1)\n"
            "d(%p: i32):\n  end\nx:\n  end\n}\n",
     "i c @l @a @b p "},
    /* lanes that enter a loop at different blocks leave it at different times */
    {KERNEL "  %i = lane_id\n  %c = icmp.eq.i32 %i, 2\n  br %c, a, b\na:\n  jump b\nb:\n"
            "  %u = ballot true\n  %e = icmp.eq.i32 %u, 1\n  br %e, a, d\nd:\n"
            "  %z = iadd.i32 %u, 0\n  end\n}\n",
     "i c @entry u e @b z "},
    /* and may be in different iterations where they reconverge in it */
    {KERNEL "  %i = lane_id\n  %c = icmp.eq.i32 %i, 2\n  br %c, a, b\na:\n  jump b\nb:\n"
            "  %u = ballot true\n  %v = iadd.i32 %u, 1\n  br %c, m, a\nm:\n  %y = iadd.i32 %v, 0\n"
            "  jump a\n}\n",
     "i c @entry v @b y "},
    /* so blocks where paths join that lanes take in different iterations reconverge them there, */
    {KERNEL "  %i = lane_id\n  %c = icmp.eq.i32 %i, 2\n  br %c, a, b\na:\n  jump b\nb:\n"
            "  %u = ballot true\n  %e = icmp.eq.i32 %u, 1\n  br %e, x, y\nx:\n  jump j(1)\ny:\n"
            "  jump j(2)\nj(%p: i32):\n  %z = iadd.i32 %p, 0\n  jump a\n}\n",
     "i c @entry p z "},
    /* and values that one block passes to the next may be from different iterations there */
    {KERNEL "  %i = lane_id\n  %c = icmp.eq.i32 %i, 2\n  br %c, a, b\na:\n  jump b\nb:\n"
            "  %u = ballot true\n  jump m(%u, %u)\nm(%p: i32, %q: i32):\n  %x = iadd.i32 %q, 0\n"
            "  br %c, n, a\nn:\n  %y = iadd.i32 %p, 0\n  jump a\n}\n",
     "i c @entry u p q x @m y "},
    /* a path that continues from a join is another one than those that joined */
    {KERNEL "  %i = lane_id\n  %c = icmp.eq.i32 %i, 2\n  %u = icmp.eq.i32 fau.n, 1\n"
            "  br %c, a, b\na:\n  br %u, p(1), q(4)\nb:\n  jump p(2)\np(%p: i32):\n"
            "  jump q(3)\nq(%q: i32):\n  end\n}\n",
     "i c @entry p q "},
    /* lanes that diverge and join within an iteration leave the loop together */
    {KERNEL "  %i = lane_id\n  %c = icmp.eq.i32 %i, 2\n  jump l(0)\nl(%k: i32):\n"
            "  %k1 = iadd.i32 %k, 1\n  br %c, a, b\na:\n  jump b\nb:\n"
            "  %u = icmp.ult.i32 %k1, fau.n\n  br %u, l(%k1), d(%k1)\nd(%p: i32):\n"
            "  %z = iadd.i32 %k1, 0\n  end\n}\n",
     "i c @l "},
    /* also if they join at its header */
    {KERNEL "  %i = lane_id\n  %c = icmp.eq.i32 %i, 2\n  jump l\nl:\n  %v = ballot true\n"
            "  %u = icmp.ult.i32 %v, fau.n\n  br %u, a, d(%v)\na:\n  br %c, l, b\nb:\n"
            "  jump l\nd(%p: i32):\n  %z = iadd.i32 %v, 0\n  end\n}\n",
     "i c @a "},
    /* those that reach the header of an outer loop early wait there, not at that of the inner one
     */
    {KERNEL "  %i = lane_id\n  %c = icmp.eq.i32 %i, 2\n  %u = icmp.eq.i32 fau.n, 1\n"
            "  jump o(0)\no(%o: i32):\n  br %u, l(0), l(100)\nl(%k: i32):\n"
            "  br %c, t(1), o(101)\nt(%t: i32):\n  br %u, d(2), l(102)\nd(%d: i32):\n  end\n}\n",
     "i c o @l t @t d "},
    /* a loop right behind another one that lanes leave one by one */
    {KERNEL "  %i = lane_id\n  jump l(0)\nl(%k: i32):\n  %k1 = iadd.i32 %k, 1\n"
            "  %c = icmp.ult.i32 %k1, %i\n  br %c, l(%k1), m\nm:\n  %z = iadd.i32 %k, 3\n"
            "  %e = icmp.eq.i32 fau.n, 5\n  br %e, m, x\nx:\n  end\n}\n",
     "i k k1 c @l z "},
    /* an argument that leaves with them */
    {KERNEL "  %i = lane_id\n  jump l(0)\nl(%k: i32):\n  %k1 = iadd.i32 %k, 1\n"
            "  %c = icmp.ult.i32 %k1, %i\n  br %c, l(%k1), d(%k1)\nd(%p: i32):\n  end\n}\n",
     "i c @l p "},
    /* constants passed along the only edge to a block are the same in all iterations */
    {KERNEL "  %i = lane_id\n  %c = icmp.eq.i32 %i, 2\n  br %c, a, b\na:\n  jump b\nb:\n"
            "  jump m(5)\nm(%p: i32):\n  jump a\n}\n",
     "i c @entry "},
    /* lanes that never reconverge: the branch has no post-dominator */
    {KERNEL "  %i = lane_id\n  %c = icmp.eq.i32 %i, 2\n  br %c, a, b\na:\n  end\nb:\n  jump b2(1)\n"
            "b2(%p: i32):\n  end\n}\n",
     "i c @entry "},
};

START_TEST(marks) {
  GError *error = NULL;
  NornModule *module = parse_text(cases[_i].text);
  ck_assert_msg(norn_module_verify(module, &error), "%s", error ? error->message : "");
  NornFunction *function = module->functions[0];
  NornArena arena = {0};
  NornDominance *dominance = norn_dominance_new(&arena, function);
  /* Incorrect marks are removed. */
  for (uint32_t value = 0; value < function->value_count; value++)
    norn_value(function, value)->is_divergent = true;
  norn_divergence_mark(&arena, function, dominance);
  char *names = divergent_names(module);
  ck_assert_str_eq(names, cases[_i].divergent);
  g_free(names);
  norn_arena_free(&arena);
  norn_module_free(module);
}
END_TEST

/* More blocks between branches and the joins of their paths than the analysis visits; the branches
 * of the loop and of the diamond come last. */
START_TEST(ladder) {
  enum { RUNGS = 300 };
  GString *text = g_string_new("shader compute @t workgroup(16, 1, 1) {\n"
                               "entry:\n"
                               "  %i = local_id.x\n"
                               "  %c = icmp.eq.i32 %i, 0\n"
                               "  jump loop\n"
                               "loop:\n"
                               "  %u = ballot true\n"
                               "  %w = ballot true\n"
                               "  br %c, loop, behind(%w)\n"
                               "behind(%q: i32):\n"
                               "  %v = iadd.i32 %u, 1\n"
                               "  br %c, one, two\n"
                               "one:\n"
                               "  jump join(1)\n"
                               "two:\n"
                               "  jump join(2)\n"
                               "join(%p: i32):\n"
                               "  br %c, a0(0), b0(0)\n");
  for (unsigned i = 0; i < RUNGS; i++)
    g_string_append_printf(text,
                           "a%u(%%a%u: i32):\n  br %%c, a%u(%%p), b%u(1)\n"
                           "b%u(%%b%u: i32):\n  br %%c, b%u(2), a%u(%%p)\n",
                           i, i, i + 1, i + 1, i, i, i + 1, i + 1);
  g_string_append_printf(text,
                         "a%u(%%x: i32):\n  jump last(%%x)\nb%u(%%y: i32):\n  jump last(%%y)\n"
                         "last(%%z: i32):\n  end\n}\n",
                         RUNGS, RUNGS);
  NornModule *module = parse_text(text->str);
  NornFunction *function = module->functions[0];
  NornArena arena = {0};
  NornDominance *dominance = norn_dominance_new(&arena, function);
  norn_divergence_mark(&arena, function, dominance);
  uint32_t behind = function->block_order[2];
  norn_for_each_block (function, block)
    for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++)
      ck_assert_uint_eq(
          norn_value(function, norn_block_parameter(function, block, k))->is_divergent,
          norn_predecessor_count(dominance, block) > 1 || block == behind);
  g_autofree char *names = divergent_names(module);
  ck_assert(g_str_has_prefix(names, "i c u @loop q v @behind p "));
  norn_arena_free(&arena);
  norn_module_free(module);
  g_string_free(text, TRUE);
}
END_TEST

/* What is passed to a function may be divergent. */
START_TEST(called) {
  NornModule *module =
      parse_text(KERNEL "  %v = call.i32 @f(3)\n  end\n}\n"
                        "function @f(%a: i32) -> i32 {\nentry:\n  return.i32 %a\n}\n");
  NornArena arena = {0};
  NornFunction *function = module->functions[1];
  norn_divergence_mark(&arena, function, norn_dominance_new(&arena, function));
  uint32_t parameter = norn_block_parameter(function, function->block_order[0], 0);
  ck_assert(norn_value(function, parameter)->is_divergent);
  norn_arena_free(&arena);
  norn_module_free(module);
}
END_TEST

/* --- Random programs --- */

enum { PROGRAMS = 600, MAX_BLOCKS = 11, RUNS = 5 };

/* Block # counts the blocks executed so far, at the start of the buffer, and notes at $ for each
 * lane whether its parameter (1) or a value of the first block (2) has differed between lanes that
 * execute the block together. Its condition is random in each execution, either for each lane (@ is
 * its number) or for all lanes, but true after many blocks. */
static const char block_text[] = "b#(%p#: i32):\n"
                                 "  %t# = load.global.i32 fau.q\n"
                                 "  %s# = broadcast_first.i32 %t#\n"
                                 "  %n# = iadd.i32 %s#, 1\n"
                                 "  store.global.i32 %n#, fau.q\n"
                                 "  %v# = broadcast_first.i32 %n#\n"
                                 "  %f# = broadcast_first.i32 %p#\n"
                                 "  %d# = icmp.ne.i32 %p#, %f#\n"
                                 "  %x# = select.i32 %d#, 1, 0\n"
                                 "  %g# = broadcast_first.i32 %v0\n"
                                 "  %e# = icmp.ne.i32 %v0, %g#\n"
                                 "  %y# = select.i32 %e#, 2, 0\n"
                                 "  %z# = or.i32 %x#, %y#\n"
                                 "  %o# = load.global.i32 %m, offset:$\n"
                                 "  %r# = or.i32 %o#, %z#\n"
                                 "  store.global.i32 %r#, %m, offset:$\n"
                                 "  %h# = imul.i32 %s#, 0x9E3779B1\n"
                                 "  %a# = iadd.i32 %h#, @\n"
                                 "  %b# = imul.i32 %a#, 0x85EBCA6B\n"
                                 "  %c# = icmp.sgt.i32 %b#, 0\n"
                                 "  %l# = icmp.ugt.i32 %s#, 150\n"
                                 "  %k# = or.i1 %c#, %l#\n";

static void
append_block(GString *text, unsigned block, bool is_divergent) {
  for (const char *at = block_text; *at; at++)
    if (*at == '#')
      g_string_append_printf(text, "%u", block);
    else if (*at == '$')
      g_string_append_printf(text, "%u", 64 * (block + 1));
    else if (*at == '@')
      g_string_append(text, is_divergent ? "%i" : "0");
    else
      g_string_append_c(text, *at);
}

/* A random program. The first edge of each block leads forward, so that the program ends. */
static NornModule *
random_program(uint64_t *random) {
  unsigned count = 4 + norn_random_below(random, MAX_BLOCKS - 3);
  GString *text = g_string_new("shader compute @t workgroup(16, 1, 1) {\n  fau q: i64 @ 0\n"
                               "entry:\n  %i = lane_id\n"
                               "  %m = shladd.u32.i64 fau.q, %i, 2\n  jump b0(0)\n");
  for (unsigned k = 0; k < count; k++) {
    unsigned first = k + 1 + norn_random_below(random, 3);
    unsigned second = k + 1 + norn_random_below(random, 3);
    if (norn_random_below(random, 3) == 0)
      second = norn_random_below(random, k + 1);
    first = MIN(first, count - 1);
    second = MIN(second, count - 1);
    append_block(text, k, norn_random_below(random, 2));
    if (k == count - 1)
      g_string_append(text, "  end\n}\n");
    else if (norn_random_below(random, 4) == 0)
      g_string_append_printf(text, "  jump b%u(%u)\n", first, k);
    else
      g_string_append_printf(text, "  br %%k%u, b%u(%u), b%u(%u)\n", k, first, k, second, k + 100);
  }
  NornModule *module = parse_text(text->str);
  g_string_free(text, TRUE);
  return module;
}

/* Runs the program; adds what differed in each block. */
static void
run(const NornModule *module, uint32_t first, unsigned seen[MAX_BLOCKS]) {
  uint32_t words[16 * (MAX_BLOCKS + 1)] = {first}, uniforms[] = {0x1000, 0};
  NornMemory *memory = norn_memory_new();
  GError *error = NULL;
  ck_assert(norn_memory_add(memory, "q", 0x1000, words, sizeof words, &error));
  NornLaunch launch = {.grid = {1, 1, 1},
                       .memory = memory,
                       .uniforms = uniforms,
                       .uniform_count = G_N_ELEMENTS(uniforms)};
  ck_assert_msg(norn_interpret(module, &launch, NULL, &error), "%s", error ? error->message : "");
  memcpy(words, norn_memory_bytes(memory, 0, NULL), sizeof words);
  for (unsigned k = 0; k < 16 * MAX_BLOCKS; k++)
    seen[k / 16] |= words[16 + k];
  norn_memory_free(memory);
}

/* What is not marked as divergent does not differ between lanes that execute a block together. */
START_TEST(random_programs) {
  uint64_t random = 1;
  unsigned differ = 0, uniform = 0;
  for (unsigned n = 0; n < PROGRAMS; n++) {
    NornModule *module = random_program(&random);
    NornFunction *function = module->functions[0];
    NornArena arena = {0};
    unsigned seen[MAX_BLOCKS] = {0}, any = 0, count = function->block_order_count - 1;
    for (unsigned k = 0; k < RUNS; k++)
      run(module, 17 * k, seen);
    norn_divergence_mark(&arena, function, norn_dominance_new(&arena, function));
    for (unsigned k = 0; k < count; k++) {
      uint32_t parameter = norn_block_parameter(function, function->block_order[k + 1], 0);
      bool is_divergent = norn_value(function, parameter)->is_divergent;
      ck_assert_msg(is_divergent || !(seen[k] & 1), "program %u: p%u differs", n, k);
      differ += seen[k] & 1;
      uniform += !is_divergent;
      any |= seen[k];
    }
    g_autofree char *names = divergent_names(module);
    ck_assert_msg(strstr(names, " v0 ") || !(any & 2), "program %u: v0 differs", n);
    norn_arena_free(&arena);
    norn_module_free(module);
  }
  ck_assert_uint_gt(differ, PROGRAMS);
  ck_assert_uint_gt(uniform, PROGRAMS);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("divergence");
  TCase *tcase = tcase_create("divergence");
  tcase_add_loop_test(tcase, marks, 0, sizeof cases / sizeof *cases);
  tcase_add_test(tcase, ladder);
  tcase_add_test(tcase, called);
  tcase_add_test(tcase, random_programs);
  suite_add_tcase(suite, tcase);
  return suite;
}
