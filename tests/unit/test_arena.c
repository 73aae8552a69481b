/* The arena: pieces do not overlap, zeroed ones are zero even if memory is reused, marks. */
#include "ir/arena.h"
#include "unit.h"
#include <stdbool.h>
#include <stdlib.h>

#define PIECES 2000

static bool
is_all(const unsigned char *piece, size_t size, unsigned char byte) {
  for (size_t i = 0; i < size; i++)
    if (piece[i] != byte)
      return false;
  return true;
}

START_TEST(separate_pieces) {
  NornArena arena = {0};
  unsigned char *pieces[PIECES];
  size_t sizes[PIECES];
  for (unsigned round = 0; round < 3; round++) {
    NornArenaMark mark = norn_arena_mark(&arena);
    for (unsigned k = 0; k < PIECES; k++) {
      sizes[k] = k % 100 == 99 ? 100000 : k * 7 % 300;
      pieces[k] = norn_arena_alloc_zeroed(&arena, sizes[k], 1);
      ck_assert_uint_eq((uintptr_t)pieces[k] % _Alignof(max_align_t), 0);
      ck_assert(is_all(pieces[k], sizes[k], 0));
      memset(pieces[k], (int)(k % 255 + 1), sizes[k]);
    }
    for (unsigned k = 0; k < PIECES; k++)
      ck_assert(is_all(pieces[k], sizes[k], (unsigned char)(k % 255 + 1)));
    norn_arena_release(&arena, mark);
  }
  norn_arena_free(&arena);
}
END_TEST

START_TEST(marks) {
  NornArena arena = {0};
  uint32_t *kept = NORN_NEW(&arena, uint32_t, 4);
  kept[0] = 42;
  NornArenaMark mark = norn_arena_mark(&arena);
  char *first = norn_arena_alloc(&arena, 100, 1);
  norn_arena_alloc(&arena, 1, 1 << 20);
  norn_arena_release(&arena, mark);
  ck_assert_ptr_eq(norn_arena_alloc(&arena, 100, 1), first);
  ck_assert_uint_eq(kept[0], 42);
  norn_arena_free(&arena);
  ck_assert_ptr_null(arena.first);
}
END_TEST

/* Large pieces are freed when they are released, so they do not accumulate. */
START_TEST(large_pieces) {
  NornArena arena = {0};
  char *small = norn_arena_alloc(&arena, 1, 1);
  uint64_t *first = NORN_NEW0(&arena, uint64_t, 1 << 16);
  NornArenaMark mark = norn_arena_mark(&arena);
  for (size_t size = 1 << 17; size < 1 << 24; size += 1 << 17) {
    char *piece = norn_arena_alloc_zeroed(&arena, size, 1);
    ck_assert(!piece[0] && !piece[size - 1]);
    piece[0] = piece[size - 1] = 1;
    ck_assert_ptr_ne(arena.large, mark.large);
    norn_arena_release(&arena, mark);
    ck_assert_ptr_eq(arena.large, mark.large);
  }
  ck_assert_uint_eq(first[0] | first[(1 << 16) - 1], 0);
  small[0] = 1;
  norn_arena_free(&arena);
  ck_assert_ptr_null(arena.large);
}
END_TEST

START_TEST(lists) {
  typedef struct Pair {
    uint32_t a, b;
  } Pair;
  NornArena arena = {0};
  NORN_LIST(Pair) list = {0};
  for (uint32_t k = 0; k < 1000; k++)
    norn_list_push(&arena, &list, (Pair){k, list.count});
  ck_assert_uint_eq(list.count, 1000);
  for (uint32_t k = 0; k < list.count; k++)
    ck_assert(list.items[k].a == k && list.items[k].b == k);
  norn_arena_free(&arena);
}
END_TEST

START_TEST(growing) {
  NornArena arena = {0};
  uint32_t *array = NULL, capacity = 0;
  for (uint32_t k = 0; k < 100000; k++) {
    NORN_ARENA_GROW(&arena, array, capacity, k + 1);
    array[k] = k;
  }
  bool kept = capacity >= 100000;
  for (uint32_t k = 0; k < 100000; k++)
    kept = kept && array[k] == k;
  ck_assert(kept);
  uint32_t *indexes = norn_arena_indexes(&arena, 3);
  ck_assert_uint_eq(indexes[2], UINT32_MAX);
  norn_arena_free(&arena);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("arena");
  TCase *tests = tcase_create("arena");
  tcase_add_test(tests, separate_pieces);
  tcase_add_test(tests, marks);
  tcase_add_test(tests, large_pieces);
  tcase_add_test(tests, lists);
  tcase_add_test(tests, growing);
  suite_add_tcase(suite, tests);
  return suite;
}
