/* Comparing the descriptions of GCN and VP1 with references in their format: what agrees, what
 * is a known error in the reference, what is missing or different. */
#include "tests/oracle/compare.h"
#include "unit.h"
#include <glib/gstdio.h>
#include <string.h>

static char *
compare(const char *target, const char *text, NornIsaComparison *result) {
  char *path;
  GError *error = NULL;
  int file = g_file_open_tmp("norn-reference-XXXXXX", &path, NULL);
  ck_assert_int_ge(file, 0);
  g_close(file, NULL);
  ck_assert(g_file_set_contents(path, text, -1, NULL));
  GString *report = g_string_new(NULL);
  bool done = norn_isa_compare(norn_isa_find(target), path, report, result, &error);
  g_unlink(path);
  g_free(path);
  if (!done) {
    g_string_assign(report, error->message);
    g_error_free(error);
    *result = (NornIsaComparison){0};
  }
  return g_string_free(report, FALSE);
}

static void
expect(const char *target, const char *text, NornIsaComparison expected, const char *line) {
  NornIsaComparison result;
  char *report = compare(target, text, &result);
  ck_assert_msg(result.compared == expected.compared && result.documented == expected.documented &&
                    result.differences == expected.differences,
                "%u compared, %u documented, %u differ:\n%s", result.compared, result.documented,
                result.differences, report);
  ck_assert_msg(strstr(report, line) != NULL, "'%s' is not in\n%s", line, report);
  g_free(report);
}

#define GCN_LIST                                                                                   \
  "## GCN ISA VOP3 instructions\n\n"                                                               \
  " Opcode      | Mnemonic (GCN 1.2)      | Mnemonic (GCN 1.4)\n"                                  \
  "-------------|-------------------------|-------------------------\n"

START_TEST(gcn_opcodes_and_forms) {
  expect("gcn",
         GCN_LIST " 449 (0x1c1) | V_MAD_F32 | V_MAD_F32\n"
                  " 480 (0x1e0) | V_DIV_SCALE_F32 (VOP3B) | V_DIV_SCALE_F32 (VOP3B)\n"
                  " 624 (0x270) | V_INTERP_P1_F32 (VINTRP) | V_INTERP_P1_F32 (VINTRP)\n"
                  " 511 (0x1ff) | --   | V_ADD3_U32\n",
         (NornIsaComparison){.compared = 21}, "21 facts compared");
  expect("gcn", GCN_LIST " 450 (0x1c2) | V_MAD_F32 | --\n",
         (NornIsaComparison){.compared = 3, .differences = 1},
         "differs: V_MAD_F32: opcode: 449 here, 450 there (1.2)");
  expect("gcn", GCN_LIST " 449 (0x1c1) | V_MAD_F32 (VOP3B) | V_MADNESS\n",
         (NornIsaComparison){.compared = 4, .differences = 2},
         "differs: -: opcode: V_MADNESS (449) is missing (1.4)");
  expect("gcn", GCN_LIST " 665 (0x299) | V_CVT_PKNORM_I16_F16 | --\n",
         (NornIsaComparison){.compared = 1, .documented = 1}, "documented: V_CVT_PKNORM_I16_F16");
}
END_TEST

START_TEST(gcn_sections) {
  expect("gcn",
         "## GCN\n#### V_ADD_F64\n\n"
         "Opcode: 356 (0x164) for GCN 1.0/1.1; 640 (0x280) for GCN 1.2/1.4  \n"
         "Syntax: V_ADD_F64 VDST(2), SRC0(2), SRC1(2)  \n",
         (NornIsaComparison){.compared = 16}, "0 differ");
  expect("gcn",
         "## GCN\n#### V_ADD_F64\nOpcode: 356 (0x164) for GCN 1.0  \n"
         "Syntax: V_ADD_F64 VDST(2), SRC0(2), SRC1  \n",
         (NornIsaComparison){.compared = 4, .differences = 1},
         "differs: V_ADD_F64: operands: '222' here, '221' there (1.0)");
}
END_TEST

START_TEST(vp1_fields_lists_and_tables) {
  expect("vp1",
         ".. _vp1-vector:\n"
         "- bits 11-13: ``ALTSHIFT`` - a shift\n"
         "- ``0xa5``, ``0x9f``: :ref:`several: vminabs, vadd9 <x>`\n"
         "    ``vmin s``  ``[$vc[VCDST]] $v[DST] $v[SRC1] $v[SRC2]`` ``0x88``\n"
         "    ``vlrp4a``  ``RND SHIFT # $v[SRC1]q $c[COND] $vc[VCSRC] VCSEL`` ``0xb4``\n",
         (NornIsaComparison){.compared = 14}, "0 differ");
  expect("vp1", ".. _vp1-vector:\n- bits 0-3: ``SWZLOHI`` - x\n",
         (NornIsaComparison){.compared = 1, .differences = 1},
         "differs: vswz: SWZLOHI: bits 3-3 here, 0-3 there");
  expect("vp1",
         ".. _vp1-vector:\n    ``vmin u``  ``$v[DST] $v[SRC1]d BIMM`` ``0x88`` (bad opcode)\n",
         (NornIsaComparison){.compared = 4, .differences = 3},
         "differs: vmin_s: operands: 'VCDST DST SRC1 SRC2' here, 'DST SRC1d BIMM' there");
}
END_TEST

START_TEST(a_reference_belongs_to_its_isa) {
  NornIsaComparison result;
  char *message = compare("vp1", "## GCN ISA\n", &result);
  ck_assert_ptr_nonnull(strstr(message, "a reference of gcn, not of vp1"));
  g_free(message);
  message = compare("gcn", ".. _vp1-vector:\n", &result);
  ck_assert_ptr_nonnull(strstr(message, "a reference of vp1, not of gcn"));
  g_free(message);
}
END_TEST

/* Truncated and malformed lines of a reference must not cause a crash. */
START_TEST(malformed_lines_do_no_harm) {
  static const char *const texts[] = {
      "## GCN\n|\n||||\nOpcode | (GCN\n449 (|\n#### \nOpcode: \nSyntax: \n",
      "## GCN\n#### ,,,\nOpcode: 1 (0x1) for GCN 1.0\nSyntax (GCN 9.9): X\nSyntax: V(",
      "## GCN\n#### V_X (GCN 1.2\nOpcode: 99999999999999999999 for GCN 1.2/1.2/\n",
  };
  static const char *const others[] = {
      ".. _vp1\n- bit\n- bits : ``\n- bits 5-2: ``RND``\n- ``0x\n- ``0x80``\n    ``\n",
      ".. _vp1\n    ``a`` ``]$v[[`` ``0x80``\n    ``vmul s`` ```` ``0xffffffffffffffff``\n",
  };
  NornIsaComparison result;
  for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
    g_free(compare("gcn", texts[i], &result));
  for (unsigned i = 0; i < G_N_ELEMENTS(others); i++)
    g_free(compare("vp1", others[i], &result));
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("references");
  TCase *tcase = tcase_create("compare");
  tcase_add_test(tcase, gcn_opcodes_and_forms);
  tcase_add_test(tcase, gcn_sections);
  tcase_add_test(tcase, vp1_fields_lists_and_tables);
  tcase_add_test(tcase, a_reference_belongs_to_its_isa);
  tcase_add_test(tcase, malformed_lines_do_no_harm);
  suite_add_tcase(suite, tcase);
  return suite;
}
