/* Locations that overlap or not, instructions' descriptions of their accesses, and sets that are
 * full. */
#include "ir/analysis/alias.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "ir_text.h"
#include "unit.h"

#define BASE norn_ref(NORN_REF_VALUE, 7)
#define OTHER norn_ref(NORN_REF_VALUE, 8)

static NornMemoryAccess
access_at(NornRef base, int64_t offset, unsigned size, unsigned address_bits) {
  return (NornMemoryAccess){.base = base,
                            .offset = address_bits == 64 ? (uint64_t)offset : (uint32_t)offset,
                            .size = (uint16_t)size,
                            .spaces = NORN_SPACE_GLOBAL,
                            .address_bits = (uint8_t)(address_bits & 0x7F),
                            .reads = 1,
                            .writes = 1};
}

static NornAliasResult
alias(int64_t a, unsigned a_size, int64_t b, unsigned b_size, unsigned address_bits) {
  NornMemoryAccess first = access_at(BASE, a, a_size, address_bits);
  NornMemoryAccess second = access_at(BASE, b, b_size, address_bits);
  NornAliasResult result = norn_alias(&first, &second);
  ck_assert_int_eq(norn_alias(&second, &first), result);
  return result;
}

START_TEST(ranges_of_one_base) {
  ck_assert_int_eq(alias(0, 4, 0, 4, 64), NORN_MUST_ALIAS);
  ck_assert_int_eq(alias(0, 4, 4, 4, 64), NORN_NO_ALIAS);
  ck_assert_int_eq(alias(0, 4, 3, 1, 64), NORN_MAY_ALIAS);
  ck_assert_int_eq(alias(0, 16, 12, 4, 64), NORN_MAY_ALIAS);
  ck_assert_int_eq(alias(0, 16, 16, 4, 64), NORN_NO_ALIAS);
  ck_assert_int_eq(alias(0, 8, 0, 4, 64), NORN_MAY_ALIAS);
  ck_assert_int_eq(alias(-4, 4, 0, 4, 64), NORN_NO_ALIAS);
  ck_assert_int_eq(alias(-4, 5, 0, 4, 64), NORN_MAY_ALIAS);
  ck_assert_int_eq(alias(0, 0, 64, 4, 64), NORN_MAY_ALIAS);
}
END_TEST

START_TEST(addresses_wrap) {
  ck_assert_int_eq(alias(INT64_MIN, 4, INT64_MAX - 3, 8, 64), NORN_MAY_ALIAS);
  ck_assert_int_eq(alias(INT64_MIN, 4, INT64_MAX - 3, 4, 64), NORN_NO_ALIAS);
  ck_assert_int_eq(alias(-2, 4, 1, 1, 64), NORN_MAY_ALIAS);
  ck_assert_int_eq(alias(-4, 8, 0xFFFFFFFC, 4, 32), NORN_MAY_ALIAS);
  ck_assert_int_eq(alias(INT32_MIN, 4, 0x80000000, 4, 32), NORN_MUST_ALIAS);
  ck_assert_int_eq(alias(0xFFFFFFFE, 4, 1, 1, 32), NORN_MAY_ALIAS);
  ck_assert_int_eq(alias(0xFFFFFFFE, 4, 2, 1, 32), NORN_NO_ALIAS);
}
END_TEST

START_TEST(bases_handles_and_spaces) {
  NornMemoryAccess a = access_at(BASE, 0, 4, 64), b = access_at(OTHER, 64, 4, 64);
  ck_assert_int_eq(norn_alias(&a, &b), NORN_MAY_ALIAS);
  b.spaces = NORN_SPACE_WORKGROUP;
  ck_assert_int_eq(norn_alias(&a, &b), NORN_NO_ALIAS);
  b = norn_access_anywhere(NORN_SPACES_ALL, true, true);
  ck_assert_int_eq(norn_alias(&a, &b), NORN_MAY_ALIAS);
  b = access_at(BASE, 4, 4, 32);
  ck_assert_int_eq(norn_alias(&a, &b), NORN_MAY_ALIAS);
  a = b;
  a.offset = 0;
  ck_assert_int_eq(norn_alias(&a, &b), NORN_NO_ALIAS);
  a.handle = OTHER;
  ck_assert_int_eq(norn_alias(&a, &b), NORN_MAY_ALIAS);
}
END_TEST

/* A covered access lies in spaces that the other one also covers. */
START_TEST(covers_bytes_and_spaces) {
  NornMemoryAccess a = access_at(BASE, 0, 8, 64), b = access_at(BASE, 4, 4, 64);
  ck_assert(norn_covers(&a, &b));
  ck_assert(!norn_covers(&b, &a));
  b.offset = 5;
  ck_assert(!norn_covers(&a, &b));
  b.offset = 4;
  b.spaces = NORN_SPACE_GLOBAL | NORN_SPACE_WORKGROUP;
  ck_assert(!norn_covers(&a, &b));
  a.spaces = NORN_SPACES_ALL;
  ck_assert(norn_covers(&a, &b));
  a.base = OTHER;
  ck_assert(!norn_covers(&a, &b));
}
END_TEST

/* Sums on different noalias uniforms share no byte; an address without a root may overlap any. */
START_TEST(roots) {
  NornMemoryAccess a = access_at(BASE, 0, 4, 64), b = access_at(OTHER, 0, 4, 64);
  a.root = norn_ref(NORN_REF_UNIFORM, 0);
  ck_assert_int_eq(norn_alias(&a, &b), NORN_MAY_ALIAS);
  ck_assert_int_eq(norn_alias(&b, &a), NORN_MAY_ALIAS);
  b.root = a.root;
  ck_assert_int_eq(norn_alias(&a, &b), NORN_MAY_ALIAS);
  b.root = norn_ref(NORN_REF_UNIFORM, 2);
  ck_assert_int_eq(norn_alias(&a, &b), NORN_NO_ALIAS);
  /* An access at an unknown location only replaces those with the same root. */
  NornArena arena = {0};
  NornAccessSet set;
  norn_access_set_init(&set, &arena, 4);
  norn_access_set_add(&set, &a);
  norn_access_set_forget_base(&set, BASE);
  ck_assert(norn_access_set_include(&set, &b));
  a.base = OTHER;
  ck_assert(!norn_access_set_include(&set, &a));
  norn_arena_free(&arena);
}
END_TEST

START_TEST(reads_do_not_conflict) {
  NornMemoryAccess a = access_at(BASE, 0, 4, 64), b = a;
  a.writes = b.writes = 0;
  ck_assert(!norn_conflict(&a, &b));
  b.writes = 1;
  ck_assert(norn_conflict(&a, &b));
  ck_assert(norn_conflict(&b, &a));
}
END_TEST

/* Atomic accesses with the same operation have no order; an access that is ordered after one of
 * them is ordered after each. */
START_TEST(equal_atomics_do_not_conflict) {
  NornMemoryAccess a = access_at(BASE, 0, 4, 64), b = access_at(OTHER, 0, 4, 64);
  a.writes = b.writes = 1;
  a.combine = b.combine = 1;
  a.operand = b.operand = norn_ref(NORN_REF_VALUE, 9);
  ck_assert(!norn_conflict(&a, &b));
  b.operand = OTHER;
  ck_assert(norn_conflict(&a, &b));
  b.operand = a.operand;
  b.combine = 2;
  ck_assert(norn_conflict(&a, &b));
  b.combine = 0;
  ck_assert(norn_conflict(&a, &b));
  b.combine = 1;
  b.size = 8;
  ck_assert(norn_conflict(&a, &b));

  NornArena arena = {0};
  NornAccessSet set;
  NornMemoryAccess load = access_at(BASE, 0, 4, 64), again = a;
  load.writes = 0;
  again.tag = 1;
  norn_access_set_init(&set, &arena, 4);
  norn_access_set_add(&set, &a);
  norn_access_set_add(&set, &again);
  unsigned end = set.count;
  ck_assert_uint_eq(end, 2);
  ck_assert_uint_eq(norn_access_set_conflict(&set, &load, &end)->tag, 1);
  ck_assert_uint_eq(norn_access_set_conflict(&set, &load, &end)->tag, 0);

  /* It does not cover accesses that others conflict with, or ones that combine another value. */
  norn_access_set_clear(&set);
  ck_assert(norn_access_set_include(&set, &a));
  ck_assert(!norn_access_set_include(&set, &a));
  again.combine = 0;
  ck_assert(norn_access_set_include(&set, &again));
  norn_access_set_clear(&set);
  norn_access_set_add(&set, &a);
  norn_access_set_forget_base(&set, a.operand);
  end = set.count;
  ck_assert_ptr_nonnull(norn_access_set_conflict(&set, &a, &end));
  norn_arena_free(&arena);
}
END_TEST

/* The access of the instruction at the given distance from the end. */
static NornMemoryAccess
access_of(const char *text, unsigned back) {
  NornModule *module = parse_text(text);
  NornFunction *function = module->functions[0];
  uint32_t inst = norn_block(function, function->block_order[0])->last;
  NornMemoryAccess access = {0};
  while (back--)
    inst = norn_inst(function, inst)->previous;
  bool is_access = norn_describe_access(function, inst, &access);
  access.tag = is_access;
  norn_module_free(module);
  return access;
}

/* The root of an address is the only noalias uniform in its sum. */
START_TEST(roots_of_sums) {
  static const struct {
    const char *address;
    int root; /* its word; -1: none */
  } cases[] = {
      {"iadd.i64 fau.a, fau.c", 0},
      {"shladd.u32.i64 fau.b, 4, 2", 2},
      {"iadd.i64 fau.c, fau.c", -1},
      {"iadd.i64 fau.a, fau.b", -1},
      {"iadd.i64 fau.a, fau.a", -1},
      {"isub.i64 fau.a, 8", -1},
      {"select.i64 true, fau.a, fau.a", -1},
      {"iadd.i64 %ab, fau.b", -1},
      {"iadd.i64 %c3, fau.b", 2},
      {"iadd.i64 %ac5, fau.b", -1},
  };
  for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
    char *text =
        g_strdup_printf("shader compute @t workgroup(1, 1, 1) {\n"
                        "  fau a: i64 @ 0 noalias, b: i64 @ 2 noalias, c: i64 @ 4\nentry:\n"
                        "  %%ab = iadd.i64 fau.a, fau.b\n  %%c2 = iadd.i64 fau.c, fau.c\n"
                        "  %%c3 = iadd.i64 %%c2, fau.c\n  %%ac2 = iadd.i64 fau.a, fau.c\n"
                        "  %%ac3 = iadd.i64 %%ac2, fau.c\n  %%ac4 = iadd.i64 %%ac3, fau.c\n"
                        "  %%ac5 = iadd.i64 %%ac4, fau.c\n"
                        "  %%p = %s\n  store.global.i32 1, %%p\n  end\n}\n",
                        cases[i].address);
    NornRef root = access_of(text, 1).root;
    ck_assert_msg(root ==
                      (cases[i].root < 0 ? 0 : norn_ref(NORN_REF_UNIFORM, (uint32_t)cases[i].root)),
                  "%s", cases[i].address);
    g_free(text);
  }
}
END_TEST

START_TEST(instructions) {
  NornMemoryAccess a =
      access_of(BODY("  %a = iadd.i64 u0, 0xFFFFFFFFFFFFFFF0\n  %b = iadd.i64 8, %a\n"
                     "  %c = sload.global.i32.i16 %b, offset:-2\n"),
                1);
  ck_assert_uint_eq(a.base, norn_ref(NORN_REF_UNIFORM, 0));
  ck_assert_int_eq((int64_t)a.offset, -10);
  ck_assert_uint_eq(a.size, 2);
  ck_assert_uint_eq(a.spaces, NORN_SPACE_GLOBAL);
  ck_assert(a.reads && !a.writes);
  a = access_of(BODY("  %w = collect.i32.w3 1, 2, 3\n  store.shared.w3 %w, -8, offset:4\n"), 1);
  ck_assert_uint_eq(a.base, NORN_BASE_ZERO);
  ck_assert_uint_eq(a.offset, 0xFFFFFFFC);
  ck_assert_uint_eq(a.size, 12);
  ck_assert_uint_eq(a.spaces, NORN_SPACE_WORKGROUP);
  ck_assert(!a.reads && a.writes);
  a = access_of(BODY("  %o = atomic.buffer.add.i64 u3, u4, 5, offset:8\n"), 1);
  ck_assert_uint_eq(a.handle, norn_ref(NORN_REF_UNIFORM, 3));
  ck_assert_uint_eq(a.base, norn_ref(NORN_REF_UNIFORM, 4));
  ck_assert_uint_eq(a.offset, 8);
  ck_assert_uint_eq(a.size, 8);
  ck_assert(a.reads && a.writes);
  a = access_of(BODY("  fence.workgroup\n"), 1);
  ck_assert_uint_eq(a.spaces, NORN_SPACES_OTHERS_SEE);
  ck_assert(a.reads && a.writes);
  a = access_of(BODY("  %c = load.constant.i32 0, 0\n"), 1);
  ck_assert(!a.tag);
}
END_TEST

static NornType
first_type(NornTypeSet types) {
  return types ? (NornType)g_bit_nth_lsf(types, -1) : NORN_TYPE_VOID;
}

/* Every operation that reads or writes memory has a description that says so. */
START_TEST(operations) {
  const uint64_t memory = NORN_OP_READS_MEMORY | NORN_OP_WRITES_MEMORY | NORN_OP_ORDERS;
  NornModule *module = norn_module_new(NORN_STAGE_COMPUTE, "t");
  NornFunction *function = module->functions[0];
  NornBuilder builder = norn_builder_at_end(function, norn_block_create(function, 0));
  for (unsigned op = 1; op < NORN_OP_COUNT; op++) {
    const NornRef operands[4] = {0};
    norn_build_op(&builder, op, 0, first_type(norn_ops[op].types),
                  first_type(norn_ops[op].source_types), operands, 4);
    uint32_t inst = norn_builder_last(&builder);
    NornMemoryAccess access;
    bool is_access = norn_describe_access(function, inst, &access);
    ck_assert_msg(is_access == !!(norn_ops[op].flags & memory), "%s", norn_ops[op].name);
    ck_assert_msg(!is_access || access.spaces, "%s", norn_ops[op].name);
    bool writes = norn_ops[op].flags & (NORN_OP_WRITES_MEMORY | NORN_OP_ORDERS);
    ck_assert_msg(!is_access || access.writes == writes, "%s", norn_ops[op].name);
  }
  norn_module_free(module);
}
END_TEST

static unsigned
conflicts(const NornAccessSet *set, const NornMemoryAccess *access, uint32_t *latest) {
  unsigned count = 0, end = set->count;
  const NornMemoryAccess *found;
  while ((found = norn_access_set_conflict(set, access, &end)))
    if (!count++)
      *latest = found->tag;
  return count;
}

START_TEST(sets_find_the_latest_conflict) {
  NornArena arena = {0};
  NornAccessSet set;
  uint32_t latest;
  norn_access_set_init(&set, &arena, 8);
  for (uint32_t k = 0; k < 4; k++) {
    NornMemoryAccess access = access_at(BASE, 4 * k, 4, 64);
    access.tag = k;
    norn_access_set_add(&set, &access);
  }
  NornMemoryAccess wide = access_at(BASE, 0, 8, 64);
  wide.writes = 0;
  ck_assert_uint_eq(conflicts(&set, &wide, &latest), 2);
  ck_assert_uint_eq(latest, 1);
  /* A write covers accesses within it, a read does not. */
  wide.tag = 4;
  norn_access_set_add(&set, &wide);
  ck_assert_uint_eq(set.count, 5);
  wide.writes = 1;
  wide.tag = 5;
  norn_access_set_add(&set, &wide);
  ck_assert_uint_eq(set.count, 3);
  ck_assert_uint_eq(conflicts(&set, &wide, &latest), 1);
  ck_assert_uint_eq(latest, 5);
  /* A narrow write inside of a wide one does not cover the rest of it. */
  NornMemoryAccess narrow = access_at(BASE, 0, 4, 64);
  narrow.tag = 6;
  norn_access_set_add(&set, &narrow);
  narrow.offset = 4;
  ck_assert_uint_eq(conflicts(&set, &narrow, &latest), 1);
  ck_assert_uint_eq(latest, 5);
  norn_access_set_forget_base(&set, BASE);
  ck_assert_uint_eq(conflicts(&set, &wide, &latest), 4);
  norn_arena_free(&arena);
}
END_TEST

START_TEST(full_sets_forget_nothing) {
  for (unsigned capacity = 2; capacity <= 8; capacity++) {
    NornArena arena = {0};
    NornAccessSet set;
    norn_access_set_init(&set, &arena, capacity);
    for (uint32_t k = 0; k < 40; k++) {
      NornMemoryAccess access = access_at(norn_ref(NORN_REF_VALUE, k), 4 * k, 4, 64);
      access.spaces = (uint8_t)(1 << k % 3);
      access.writes = k % 3 != 1;
      access.tag = k;
      norn_access_set_add(&set, &access);
      ck_assert_uint_le(set.count, capacity);
      for (uint32_t j = 0; j <= k; j++) {
        uint32_t latest = 0;
        NornMemoryAccess again = access_at(norn_ref(NORN_REF_VALUE, j), 4 * j, 4, 64);
        again.spaces = (uint8_t)(1 << j % 3);
        ck_assert_uint_gt(conflicts(&set, &again, &latest), 0);
        ck_assert_uint_ge(latest, j);
        again.writes = 0;
        ck_assert(j % 3 == 1 || conflicts(&set, &again, &latest));
      }
    }
    norn_arena_free(&arena);
  }
}
END_TEST

/* A copy that distinguishes fewer locations than its original has the same conflicts. */
START_TEST(copies_into_small_sets) {
  NornArena arena = {0};
  NornAccessSet set, small;
  uint32_t latest;
  norn_access_set_init(&set, &arena, 8);
  norn_access_set_init(&small, &arena, 2);
  NornMemoryAccess access = access_at(BASE, 0, 4, 64);
  norn_access_set_add(&small, &access);
  for (uint32_t k = 0; k < 8; k++) {
    access = access_at(OTHER, 4 * k, 4, 64);
    norn_access_set_add(&set, &access);
    norn_access_set_copy(&small, &set);
    ck_assert_uint_le(small.count, 2);
    for (uint32_t j = 0; j <= k; j++) {
      access = access_at(OTHER, 4 * j, 4, 64);
      ck_assert_uint_gt(conflicts(&small, &access, &latest), 0);
    }
    access = access_at(OTHER, 4 * k + 4, 4, 64);
    ck_assert_uint_eq(conflicts(&small, &access, &latest) > 0, k >= 2);
  }
  norn_arena_free(&arena);
}
END_TEST

START_TEST(merging_ends) {
  NornArena arena = {0};
  NornAccessSet a, b, copy;
  norn_access_set_init(&a, &arena, 4);
  norn_access_set_init(&b, &arena, 4);
  norn_access_set_init(&copy, &arena, 4);
  for (uint32_t k = 0; k < 3; k++) {
    NornMemoryAccess access = access_at(BASE, 4 * k, 4, 64);
    norn_access_set_add(&a, &access);
    access.base = OTHER;
    norn_access_set_add(&b, &access);
  }
  norn_access_set_copy(&copy, &a);
  ck_assert(!norn_access_set_merge(&a, &copy));
  ck_assert(norn_access_set_merge(&a, &b));
  ck_assert(!norn_access_set_merge(&a, &b));
  ck_assert(!norn_access_set_merge(&a, &copy));
  norn_arena_free(&arena);
}
END_TEST

/* Adding what is in a set, or less, changes nothing, however often it is merged: accesses of
 * unknown size, which may be anywhere, and reads of locations that are written. */
START_TEST(merging_again_changes_nothing) {
  NornArena arena = {0};
  NornAccessSet a, b;
  norn_access_set_init(&a, &arena, 4);
  norn_access_set_init(&b, &arena, 4);
  NornMemoryAccess image = access_at(BASE, 0, 0, 64), read = access_at(OTHER, 0, 4, 64);
  image.spaces = NORN_SPACE_GLOBAL;
  norn_access_set_add(&a, &image);
  read.spaces = NORN_SPACE_WORKGROUP;
  read.reads = 1;
  read.writes = 0;
  norn_access_set_add(&b, &read);
  ck_assert(norn_access_set_merge(&a, &b));
  read.writes = 1;
  read.reads = 0;
  norn_access_set_add(&a, &read); /* covers the read */
  ck_assert_uint_eq(a.count, 2);
  for (unsigned round = 0; round < 8; round++) {
    ck_assert(!norn_access_set_merge(&a, &b));
    ck_assert(!norn_access_set_include(&a, &image));
    ck_assert_uint_eq(a.count, 2);
  }
  /* An access of known size is included in it, but not in one with another root. */
  NornMemoryAccess word = access_at(OTHER, 64, 4, 64);
  word.spaces = NORN_SPACE_GLOBAL;
  ck_assert(!norn_access_set_include(&a, &word));
  image.root = BASE;
  norn_access_set_clear(&a);
  norn_access_set_add(&a, &image);
  word.root = OTHER;
  ck_assert(norn_access_set_include(&a, &word));
  norn_arena_free(&arena);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("alias");
  TCase *tcase = tcase_create("locations");
  tcase_add_test(tcase, ranges_of_one_base);
  tcase_add_test(tcase, addresses_wrap);
  tcase_add_test(tcase, bases_handles_and_spaces);
  tcase_add_test(tcase, covers_bytes_and_spaces);
  tcase_add_test(tcase, roots);
  tcase_add_test(tcase, reads_do_not_conflict);
  tcase_add_test(tcase, equal_atomics_do_not_conflict);
  suite_add_tcase(suite, tcase);
  tcase = tcase_create("instructions");
  tcase_add_test(tcase, instructions);
  tcase_add_test(tcase, roots_of_sums);
  tcase_add_test(tcase, operations);
  suite_add_tcase(suite, tcase);
  tcase = tcase_create("sets");
  tcase_add_test(tcase, sets_find_the_latest_conflict);
  tcase_add_test(tcase, full_sets_forget_nothing);
  tcase_add_test(tcase, copies_into_small_sets);
  tcase_add_test(tcase, merging_ends);
  tcase_add_test(tcase, merging_again_changes_nothing);
  suite_add_tcase(suite, tcase);
  return suite;
}
