/* Editing functions as passes do: builders at every kind of position, clones, replaced values,
 * terminators and edges. */
#include "ir/builder.h"
#include "ir/replacements.h"
#include "ir_text.h"
#include "unit.h"

#define I32 NORN_TYPE_I32

static void
check_text(NornModule *module, const char *wanted) {
  char *text = norn_module_print(module, NULL);
  ck_assert_str_eq(text, wanted);
  g_free(text);
  check_verified(module, NULL);
}

static uint32_t
first_of(const NornFunction *function, uint32_t block) {
  return norn_block(function, block)->first;
}

START_TEST(places) {
  NornModule *module = parse_text(BODY("  %x = iadd.i32 1, 2\n  %y = iadd.i32 %x, 3\n"));
  NornFunction *function = module->functions[0];
  uint32_t x = first_of(function, 0), y = norn_inst(function, x)->next;
  NornRef two = norn_constant(module, 2);
  NornBuilder before = norn_builder_before(function, y), after = norn_builder_after(function, y);
  NornBuilder start = norn_builder_at_start(function, 0);
  NornBuilder def = norn_builder_after_def(function, norn_inst(function, x)->result);
  norn_build_isub(&before, I32, norn_build_iadd(&before, I32, two, two), two);
  norn_build_isub(&after, I32, norn_build_imul(&after, I32, two, two), two);
  norn_build_not(&start, I32, norn_build_ineg(&start, I32, two));
  norn_build_iabs(&def, I32, two);
  check_text(module, BODY("  %0 = ineg.i32 2\n  %1 = not.i32 %0\n  %x = iadd.i32 1, 2\n"
                          "  %2 = iadd.i32 2, 2\n  %3 = isub.i32 %2, 2\n  %4 = iabs.i32 2\n"
                          "  %y = iadd.i32 %x, 3\n  %5 = imul.i32 2, 2\n  %6 = isub.i32 %5, 2\n"));
}
END_TEST

/* Location and flags of new instructions. */
START_TEST(carried) {
  NornModule *module = parse_text(BODY("  %x = fadd.f32 exact nnan 1.0, 2.0\n"));
  NornFunction *function = module->functions[0];
  uint32_t x = first_of(function, 0);
  NornRef one = norn_constant(module, 0x3F800000);
  NornBuilder before = norn_builder_before(function, x);
  NornBuilder instead = norn_builder_in_place_of(function, x);
  norn_build_fneg(&before, NORN_TYPE_F32, one);
  ck_assert_uint_eq(norn_inst(function, norn_builder_last(&before))->flags, 0);
  norn_build_fneg(&instead, NORN_TYPE_F32, one);
  const NornInst *made = norn_inst(function, norn_builder_last(&instead)),
                 *old = norn_inst(function, x);
  ck_assert_uint_eq(made->flags, NORN_INST_EXACT | NORN_INST_NNAN);
  ck_assert_uint_eq(made->line, 3);
  ck_assert_uint_eq(made->line, old->line);
  ck_assert_uint_eq(made->column, old->column);
  norn_module_free(module);
}
END_TEST

/* Flags that say something of the old operands or of an access are not carried. */
START_TEST(not_carried) {
  NornModule *module = parse_text(BODY("  %x = fadd.f32 1.0, 2.0\n"));
  NornFunction *function = module->functions[0];
  uint32_t x = first_of(function, 0);
  NornInst *inst = norn_inst(function, x);
  inst->flags = NORN_INST_EXACT | NORN_INST_DIVERGENT | NORN_INST_COARSE | NORN_INST_NOWRAP;
  NornBuilder instead = norn_builder_in_place_of(function, x);
  ck_assert_uint_eq(instead.flags, NORN_INST_EXACT | NORN_INST_NOWRAP);
  const NornRef one = norn_constant(module, 0x3F800000);
  norn_inst_become(function, x, NORN_OP_FNEG, 0, &one, 1);
  ck_assert_uint_eq(norn_inst(function, x)->flags, NORN_INST_EXACT | NORN_INST_DIVERGENT);
  norn_module_free(module);
}
END_TEST

/* The operands of an instruction are copied to others while the array of operands grows. */
START_TEST(own_operands) {
  NornModule *module = parse_text(BODY("  %x = iadd.i32 7, 9\n"));
  NornFunction *function = module->functions[0];
  uint32_t x = first_of(function, 0);
  NornBuilder builder = norn_builder_after(function, x);
  for (unsigned k = 0; k < 1000; k++) {
    norn_build_op(&builder, NORN_OP_ISUB, 0, I32, NORN_TYPE_VOID,
                  norn_operands(function, norn_inst(function, x)), 2);
    uint32_t made = norn_builder_last(&builder);
    ck_assert_uint_eq(norn_constant_bits(module, norn_operand(function, made, 0)), 7);
    ck_assert_uint_eq(norn_constant_bits(module, norn_operand(function, made, 1)), 9);
    norn_inst_splice_operands(function, made, 1, 0,
                              norn_operands(function, norn_inst(function, made)), 2);
    ck_assert_uint_eq(norn_inst(function, made)->operand_count, 4);
    ck_assert_uint_eq(norn_constant_bits(module, norn_operand(function, made, 1)), 7);
    ck_assert_uint_eq(norn_constant_bits(module, norn_operand(function, made, 2)), 9);
    ck_assert_uint_eq(norn_constant_bits(module, norn_operand(function, made, 3)), 9);
  }
  norn_module_free(module);
}
END_TEST

START_TEST(clones) {
  NornModule *module = parse_text(BODY("  %x, %c = iaddc.i32 7, 9, true\n"));
  NornFunction *function = module->functions[0];
  NornBuilder builder = norn_builder_at_start(function, 0);
  uint32_t clone = norn_build_clone(&builder, function, first_of(function, 0));
  ck_assert_uint_eq(norn_inst(function, clone)->line, 3);
  check_text(module, BODY("  %0, %1 = iaddc.i32 7, 9, true\n  %x, %c = iaddc.i32 7, 9, true\n"));
}
END_TEST

/* Values younger than the map are unchanged; chains in any order lead to their end. */
START_TEST(replaced_values) {
  NornModule *module = parse_text(BODY("  %a = iadd.i32 1, 2\n  %b = iadd.i32 3, 4\n"
                                       "  %c = iadd.i32 %a, %b\n"));
  NornFunction *function = module->functions[0];
  uint32_t a = first_of(function, 0), b = norn_inst(function, a)->next;
  uint32_t c = norn_inst(function, b)->next;
  NornRef a_ref = norn_result(function, a, 0), b_ref = norn_result(function, b, 0);
  NornArena arena = {0};
  NornReplacements replacements = {.arena = &arena};
  ck_assert_uint_eq(norn_replacements_get(&replacements, a_ref), a_ref);
  norn_replacements_set(&replacements, norn_ref_payload(b_ref), a_ref);
  NornBuilder builder = norn_builder_before(function, c);
  NornRef young = 0;
  for (unsigned k = 0; k < 1000; k++)
    young = norn_build_isub(&builder, I32, norn_constant(module, k), norn_constant(module, 1));
  ck_assert_uint_eq(norn_replacements_get(&replacements, young), young);
  norn_replacements_set(&replacements, norn_ref_payload(a_ref), young);
  ck_assert_uint_eq(norn_replacements_get(&replacements, b_ref), young);
  norn_replacements_apply(&replacements, function);
  ck_assert_uint_eq(norn_operand(function, c, 0), young);
  ck_assert_uint_eq(norn_operand(function, c, 1), young);
  ck_assert_uint_eq(norn_replacements_get(&replacements, b_ref), b_ref);
  norn_arena_free(&arena);
  check_verified(module, NULL);
}
END_TEST

#define BRANCHES                                                                                   \
  HEAD "entry:\n  %i = global_id.x\n  %c = icmp.eq.i32 %i, 3\n  br %c, yes(1, %i), no\n"           \
       "yes(%a: i32, %b: i32):\n  end\nno:\n  end\n}\n"

START_TEST(jumps) {
  NornModule *module = parse_text(BRANCHES);
  NornFunction *function = module->functions[0];
  uint32_t branch = norn_block_terminator(function, 0);
  NornEdge edge = {0};
  norn_next_edge(function, branch, &edge);
  norn_inst(function, branch)->flags = NORN_INST_DIVERGENT;
  norn_inst_become_jump(function, branch, &edge);
  ck_assert_uint_eq(norn_inst(function, branch)->flags, 0);
  check_text(module,
             HEAD "entry:\n  %i = global_id.x\n  %c = icmp.eq.i32 %i, 3\n  jump yes(1, %i)\n"
                  "yes(%a: i32, %b: i32):\n  end\nno:\n  end\n}\n");
}
END_TEST

START_TEST(split_edges) {
  NornModule *module = parse_text(BRANCHES);
  NornFunction *function = module->functions[0];
  uint32_t branch = norn_block_terminator(function, 0);
  NornEdge edge = {0};
  norn_next_edge(function, branch, &edge);
  uint32_t block = norn_edge_split(function, branch, &edge);
  norn_block_append(function, block);
  check_text(module, HEAD "entry:\n  %i = global_id.x\n  %c = icmp.eq.i32 %i, 3\n  br %c, b0, no\n"
                          "yes(%a: i32, %b: i32):\n  end\nno:\n  end\nb0:\n  jump yes(1, %i)\n}\n");
}
END_TEST

/* Moves within a block, and between blocks. */
START_TEST(moves) {
  NornModule *module = parse_text(BRANCHES);
  NornFunction *function = module->functions[0];
  uint32_t inst = first_of(function, 0);
  NornBuilder builder = norn_builder_before(function, first_of(function, 0));
  builder = norn_builder_after(function, inst);
  NornRef negative = norn_build_ineg(&builder, I32, norn_constant(module, 1));
  uint32_t moved = norn_value(function, norn_ref_payload(negative))->def;
  builder = norn_builder_at_start(function, 0);
  norn_builder_insert(&builder, moved);
  ck_assert_uint_eq(first_of(function, 0), moved);
  builder = norn_builder_before(function, norn_block_terminator(function, 2));
  norn_builder_insert(&builder, moved);
  check_text(module, HEAD "entry:\n  %i = global_id.x\n  %c = icmp.eq.i32 %i, 3\n"
                          "  br %c, yes(1, %i), no\nyes(%a: i32, %b: i32):\n  end\n"
                          "no:\n  %0 = ineg.i32 1\n  end\n}\n");
}
END_TEST

/* The numbers in a module do not reveal how it was created. */
START_TEST(renumbered) {
  const char *text = HEAD "entry:\n  %i = global_id.x\n  %c = icmp.eq.i32 %i, 3\n"
                          "  br %c, yes(1, %i), no\nyes(%a: i32, %b: i32):\n  %d = iadd.i32 %a, 3\n"
                          "  end\nno:\n  end\n}\n";
  NornModule *module = parse_text(text), *other = parse_text(text);
  NornFunction *function = module->functions[0];
  norn_constant(module, 77);
  NornBuilder start = norn_builder_at_start(function, 0);
  norn_build_ineg(&start, I32, norn_constant(module, 99));
  uint32_t first = first_of(function, 0), id = norn_inst(function, first)->next;
  NornBuilder before = norn_builder_before(function, first);
  norn_builder_insert(&before, norn_build_clone(&before, function, id));
  NornReplacements replacements = {0};
  NornArena arena = {0};
  replacements.arena = &arena;
  norn_replacements_set(
      &replacements, norn_inst(function, id)->result,
      norn_ref(NORN_REF_VALUE, norn_inst(function, first_of(function, 0))->result));
  norn_move_name(function,
                 norn_ref(NORN_REF_VALUE, norn_inst(function, first_of(function, 0))->result),
                 norn_inst(function, id)->result);
  norn_replacements_apply(&replacements, function);
  norn_inst_erase(function, id);
  norn_inst_erase(function, first);
  norn_block_create_detached(function, 0);
  norn_arena_free(&arena);
  norn_module_renumber(module);
  norn_module_renumber(other);
  const NornFunction *a = module->functions[0], *b = other->functions[0];
  ck_assert_uint_eq(a->inst_count, 6);
  ck_assert_uint_eq(a->value_count, 5);
  ck_assert_uint_eq(a->block_count, 3);
  ck_assert_uint_eq(module->constants.count, 2);
  ck_assert_uint_eq(a->operand_count, b->operand_count);
  for (uint32_t k = 0; k < a->operand_count; k++)
    ck_assert_uint_eq(*norn_operand_at(a, k), *norn_operand_at(b, k));
  for (uint32_t k = 0; k < a->value_count; k++)
    ck_assert_uint_eq(norn_value(a, k)->def, norn_value(b, k)->def);
  norn_module_free(other);
  check_text(module, text);
}
END_TEST

/* The instruction without a result was created when there were more values than are left. */
START_TEST(renumbered_without_results) {
  NornModule *module = parse_text(BODY("  %x = iadd.i32 1, 2\n  %y = iadd.i32 %x, 3\n"));
  NornFunction *function = module->functions[0];
  NornBuilder end = norn_builder_after(function, norn_inst(function, first_of(function, 0))->next);
  NornRef one = norn_constant(module, 1);
  norn_build_store_shared(&end, I32, one, one, 0);
  norn_inst_erase(function, norn_inst(function, first_of(function, 0))->next);
  norn_inst_erase(function, first_of(function, 0));
  norn_function_renumber(function);
  ck_assert_uint_eq(function->value_count, 0);
  check_text(module, BODY("  store.shared.i32 1, 1\n"));
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("edit");
  TCase *tests = tcase_create("edit");
  tcase_add_test(tests, places);
  tcase_add_test(tests, carried);
  tcase_add_test(tests, not_carried);
  tcase_add_test(tests, own_operands);
  tcase_add_test(tests, clones);
  tcase_add_test(tests, replaced_values);
  tcase_add_test(tests, jumps);
  tcase_add_test(tests, split_edges);
  tcase_add_test(tests, moves);
  tcase_add_test(tests, renumbered);
  tcase_add_test(tests, renumbered_without_results);
  suite_add_tcase(suite, tests);
  return suite;
}
