/* The generator refuses invalid descriptions with file, line and status 1. */
#include "unit.h"
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A small valid description; %s is inserted on line 14. */
static const char frame[] =
    "<isa name='toy' title='Toy' word='32' modifiers='dotted' separator='comma'>\n"
    "<architecture name='1'/><architecture name='2'/>\n"
    "<enum name='mode' default='none'>\n"
    "<value name='none'/><value name='fast'/>\n"
    "</enum>\n"
    "<codes name='register' width='4'><registers code='0' count='16' prefix='r'/></codes>\n"
    "<field name='opcode' at='24:8'/>\n"
    "<field name='mode' at='0:1' enum='mode'/>\n"
    "<operand name='d' kind='destination' at='4:4' codes='register'/>\n"
    "<operand name='s' kind='source' at='8:4' codes='register'/>\n"
    "<instruction name='MOVE' set='opcode=1' modifiers='mode' operands='d s'/>\n"
    "<instruction name='LATER' since='2' set='opcode=2' operands='d'/>\n"
    "<!-- -->\n"
    "%s\n"
    "</isa>\n";

static int
run(const char *const *arguments, char **message) {
  int status;
  ck_assert(
      g_spawn_sync(NULL, (char **)arguments, NULL, 0, NULL, NULL, NULL, message, &status, NULL));
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Runs the generator on the frame with `more` inserted; returns its message, its status in
 * *status, and the tables in *tables (nullable). */
static char *
generate(const char *more, int *status, char **tables) {
  char *directory = g_dir_make_tmp("norn-isa-gen-XXXXXX", NULL);
  char *input = g_build_filename(directory, "toy.xml", NULL);
  char *output = g_build_filename(directory, "toy.c", NULL);
  char *text = g_strdup_printf(frame, more), *message = NULL;
  ck_assert(g_file_set_contents(input, text, -1, NULL));
  const char *arguments[] = {NORN_ISA_GEN, NORN_ISA_SCHEMA, input, "tables", output, NULL};
  *status = run(arguments, &message);
  ck_assert_int_eq(g_file_test(output, G_FILE_TEST_EXISTS), *status == 0);
  if (tables)
    ck_assert(g_file_get_contents(output, tables, NULL, NULL));
  g_unlink(input);
  g_unlink(output);
  g_rmdir(directory);
  g_free(text);
  g_free(input);
  g_free(output);
  g_free(directory);
  return message;
}

/* Longer than names may be. */
#define TEN "n123456789"
#define LONG_NAME TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

static const struct {
  const char *more, *message; /* the message after the file's name */
} faults[] = {
    {"<instruction name='A'", "toy.xml:15: "},
    {"<instruktion name='A'/>", "toy.xml:14: "},
    {"<field name='x' at='nowhere'/>", "toy.xml:14: "},
    {"<instruction name='A' set='opcode=3' operands='d q'/>", "toy.xml:14: unknown operand 'q'"},
    {"<instruction name='A' set='opcode=3' modifiers='q'/>", "toy.xml:14: unknown field 'q'"},
    {"<instruction name='A' layout='q'/>", "toy.xml:14: unknown layout 'q'"},
    {"<instruction name='A' unit='q' set='opcode=3'/>", "toy.xml:14: unknown unit 'q'"},
    {"<instruction name='A' flags='q' set='opcode=3'/>", "toy.xml:14: unknown flag 'q'"},
    {"<codes name='few' width='4'><name code='0' text='x' flags='q'/></codes>"
     "<instruction name='A' set='opcode=3' operands='e'>"
     "<operand name='e' kind='source' at='12:4' codes='few'/></instruction>",
     "toy.xml:14: unknown flag 'q'"},
    {"<instruction name='A' since='3' set='opcode=3'/>",
     "toy.xml:14: since: unknown architecture '3'"},
    {"<instruction name='A' set='opcode=256'/>", "toy.xml:14: field 'opcode' cannot hold '256'"},
    {"<instruction name='A' set='opcode=3 q=1'/>", "toy.xml:14: unknown field 'q'"},
    {"<instruction name='A' set='opcode=3 mode=slow'/>",
     "toy.xml:14: field 'mode' has no value 'slow'"},
    {"<instruction name='A' set='opcode=3' operands='d e'>"
     "<operand name='e' kind='source' at='5:4' codes='register'/></instruction>",
     "toy.xml:14: field 'e' overlaps another (bits 0xe0)"},
    {"<instruction name='A' set='opcode=3' operands='w'>"
     "<operand name='w' kind='immediate' at='30:4'/></instruction>",
     "toy.xml:14: field 'w': the position '30:4' is not within the word"},
    {"<instruction name='A' set='opcode=3' ignored='4294967295:3'/>",
     "toy.xml:14: field 'ignored': the position '4294967295:3' is not within the word"},
    {"<instruction name='A' set='opcode=3' operands='i'>"
     "<operand name='i' kind='immediate' at='12:4' multiple='0'/></instruction>",
     "toy.xml:14: operand 'i': the scale or multiple is out of range"},
    {"<instruction name='A' set='opcode=3'><rule name='r' message='m' require="
     "'1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+1)))))))))))))))'/></instruction>",
     "is nested too deeply"},
    {"<codes name='wide' width='4294967300'/><instruction name='A' set='opcode=3' operands='e'>"
     "<operand name='e' kind='source' at='12:4' codes='wide'/></instruction>",
     "toy.xml:14: the codes and their bank have more than 12 bits"},
    {"<instruction name='A' set='opcode=3' operands='d'><instruction/></instruction>",
     "toy.xml:14: Extra element instruction in interleave\n"},
    {"<instruction name='A' set='opcode=1' operands='e'>"
     "<operand name='e' kind='source' at='12:4' codes='register'/></instruction>",
     "toy.xml:1: 'A' and 'MOVE' can encode to the same word on architecture 1"},
    {"<instruction name='MOVE' set='opcode=3'/>",
     "toy.xml:14: 'MOVE' is defined twice for architecture 1"},
    {"<alias name='B' of='C'/>", "toy.xml:14: unknown instruction 'C'"},
    {"<enum name='twice'><value name='a'/><value name='a'/></enum>",
     "toy.xml:14: enum 'twice' defines the value 'a' twice"},
    {"<enum name='twice'><value name='a'/><value name='b' code='0'/></enum>",
     "toy.xml:14: two values of enum 'twice' have the code 0"},
    {"<enum name='parts' swizzle='true'><value name='none'/><value name='h10'/><value name='b4a'/>"
     "</enum>",
     "toy.xml:14: 'b4a' is not a selection of bytes, halves or words"},
    {"<enum name='parts' swizzle='true'><value name='b01230'/></enum>",
     "toy.xml:14: 'b01230' is not a selection of bytes, halves or words"},
    {"<instruction name='A' set='opcode=3'><rule name='r' require='1 +' "
     "message='m'/></instruction>",
     "toy.xml:14: '1 +': expected a value, found ''"},
    {"<instruction name='A' set='opcode=3'><rule name='r' require='nothing' "
     "message='m'/></instruction>",
     "toy.xml:14: unknown field 'nothing'"},
    {"<field name='" LONG_NAME "' at='0:1'/>", "toy.xml:14: "},
    {"<instruction name='A' set='opcode=" LONG_NAME LONG_NAME LONG_NAME "'/>", "12345678...1234"},
};

START_TEST(right) {
  int status;
  char *message = generate("<alias name='COPY' of='MOVE'/>", &status, NULL);
  ck_assert_str_eq(message, "");
  ck_assert_int_eq(status, 0);
  g_free(message);
}
END_TEST

START_TEST(wrong) {
  int status;
  char *message = generate(faults[_i].more, &status, NULL);
  ck_assert_msg(strstr(message, faults[_i].message) != NULL, "%s: %s", faults[_i].more, message);
  ck_assert_int_eq(status, 1);
  g_free(message);
}
END_TEST

/* Operators have the precedence of C: with explicit parentheses the tables are the same. */
static const struct {
  const char *expression, *meant;
} precedences[] = {
    {"1 + 2 % 3", "1 + (2 % 3)"},
    {"1 - 2 - 3", "(1 - 2) - 3"},
    {"1 &lt;&lt; 2 + 3", "1 &lt;&lt; (2 + 3)"},
    {"1 &lt; 2 &lt;&lt; 3", "1 &lt; (2 &lt;&lt; 3)"},
    {"1 == 2 &gt;= 3", "1 == (2 &gt;= 3)"},
    {"1 &amp; 2 != 3", "1 &amp; (2 != 3)"},
    {"1 | 2 &amp; 3", "1 | (2 &amp; 3)"},
    {"1 &amp;&amp; 2 | 3", "1 &amp;&amp; (2 | 3)"},
    {"1 || 2 &amp;&amp; 3", "1 || (2 &amp;&amp; 3)"},
    {"1 ? 2 : 3 ? 4 : 5", "1 ? 2 : (3 ? 4 : 5)"},
    {"-1 * 2", "(-1) * 2"},
};

static char *
tables_of(const char *expression) {
  g_autofree char *more = g_strdup_printf("<instruction name='A' set='opcode=3'><rule name='r' "
                                          "require='%s' message='m'/></instruction>",
                                          expression);
  int status;
  char *tables = NULL;
  g_autofree char *message = generate(more, &status, &tables);
  ck_assert_msg(status == 0, "%s: %s", expression, message);
  return tables;
}

START_TEST(operators_bind_as_in_c) {
  g_autofree char *tables = tables_of(precedences[_i].expression);
  g_autofree char *meant = tables_of(precedences[_i].meant);
  ck_assert_msg(!strcmp(tables, meant), "%s", precedences[_i].expression);
}
END_TEST

START_TEST(device) {
  g_autofree char *descriptions = g_path_get_dirname(NORN_ISA_SCHEMA);
  g_autofree char *vp1 = g_build_filename(descriptions, "vp1-vector.xml", NULL);
  g_autofree char *directory = g_dir_make_tmp("norn-isa-gen-XXXXXX", NULL);
  g_autofree char *link = g_build_filename(directory, "link", NULL), *message = NULL;
  const char *arguments[] = {NORN_ISA_GEN, NORN_ISA_SCHEMA, vp1, "tables", link, NULL};
  ck_assert_int_eq(symlink("/dev/null", link), 0);
  ck_assert_int_eq(run(arguments, &message), 0);
  ck_assert_msg(g_file_test(link, G_FILE_TEST_IS_SYMLINK), "what is written to was replaced");
  g_unlink(link);
  g_rmdir(directory);
}
END_TEST

/* A mistake of which the parser reports each character. */
START_TEST(few_messages) {
  g_autofree char *dashes = g_strnfill(1000, '-');
  g_autofree char *comment = g_strdup_printf("<!--%s-->", dashes);
  int status;
  g_autofree char *message = generate(comment, &status, NULL);
  ck_assert_int_eq(status, 1);
  g_auto(GStrv) lines = g_strsplit(message, "\n", -1);
  ck_assert_int_le(g_strv_length(lines), 21);
  ck_assert_msg(strstr(lines[0], "toy.xml:14: "), "%s", lines[0]);
}
END_TEST

START_TEST(usage) {
  const char *arguments[] = {NORN_ISA_GEN, NULL};
  g_autofree char *message = NULL;
  ck_assert_int_eq(run(arguments, &message), 2);
  ck_assert_msg(g_str_has_prefix(message, "usage: "), "%s", message);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("isa generator");
  TCase *tests = tcase_create("all");
  tcase_add_test(tests, right);
  tcase_add_loop_test(tests, wrong, 0, G_N_ELEMENTS(faults));
  tcase_add_loop_test(tests, operators_bind_as_in_c, 0, G_N_ELEMENTS(precedences));
  tcase_add_test(tests, device);
  tcase_add_test(tests, few_messages);
  tcase_add_test(tests, usage);
  suite_add_tcase(suite, tests);
  return suite;
}
