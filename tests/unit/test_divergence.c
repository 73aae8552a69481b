/* Which values and branches are divergent: "~" after a name in the expected list marks those
 * that are. */
#include "ir/analysis/divergence.h"
#include "ir_text.h"
#include "unit.h"
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

/* More blocks between branches and the joins of their paths than the analysis visits; the
 * diamond's branch comes last. */
START_TEST(ladder) {
  enum { RUNGS = 300 };
  GString *text = g_string_new("shader compute @t workgroup(16, 1, 1) {\n"
                               "entry:\n"
                               "  %i = local_id.x\n"
                               "  %c = icmp.eq.i32 %i, 0\n"
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
  norn_for_each_block (function, block)
    for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++)
      ck_assert_uint_eq(
          norn_value(function, norn_block_parameter(function, block, k))->is_divergent,
          norn_predecessor_count(dominance, block) > 1);
  norn_arena_free(&arena);
  norn_module_free(module);
  g_string_free(text, TRUE);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("divergence");
  TCase *tcase = tcase_create("divergence");
  tcase_add_loop_test(tcase, marks, 0, sizeof cases / sizeof *cases);
  tcase_add_test(tcase, ladder);
  suite_add_tcase(suite, tcase);
  return suite;
}
