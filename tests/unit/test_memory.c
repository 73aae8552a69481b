/* Buffers by name and address, and the checks of a launch. */
#include "sim/common/launch.h"
#include "sim/common/memory.h"
#include "unit.h"
#include <string.h>

static NornMemory *memory;

static void
setup(void) {
  memory = norn_memory_new();
}

static void
teardown(void) {
  norn_memory_free(memory);
}

static void
expect_error(GError *error, int code, const char *message) {
  ck_assert_ptr_nonnull(error);
  ck_assert_int_eq(error->domain, NORN_ERROR);
  ck_assert_int_eq(error->code, code);
  ck_assert_str_eq(error->message, message);
  g_error_free(error);
}

START_TEST(finds_by_name_and_keeps_bytes) {
  ck_assert(norn_memory_add(memory, "x", 0, "abcd", 4, NULL));
  ck_assert(norn_memory_add(memory, "y", 0x1000, NULL, 8, NULL));
  ck_assert_uint_eq(norn_memory_count(memory), 2);
  ck_assert_uint_eq(norn_memory_find(memory, "x"), 0);
  ck_assert_uint_eq(norn_memory_find(memory, "y"), 1);
  ck_assert_uint_eq(norn_memory_find(memory, "z"), SIZE_MAX);
  size_t size;
  ck_assert_mem_eq(norn_memory_bytes(memory, 0, &size), "abcd", 4);
  ck_assert_uint_eq(size, 4);
  ck_assert_mem_eq(norn_memory_bytes(memory, 1, &size), "\0\0\0\0\0\0\0\0", 8);
  ck_assert_uint_eq(size, 8);
  ck_assert_str_eq(norn_memory_name(memory, 1), "y");
  ck_assert_uint_eq(norn_memory_address(memory, 1), 0x1000);
}
END_TEST

START_TEST(chosen_addresses_do_not_overlap) {
  ck_assert(norn_memory_add(memory, "a", 0, NULL, 0x200, NULL));
  ck_assert(norn_memory_add(memory, "b", 0, NULL, 0, NULL));
  ck_assert(norn_memory_add(memory, "c", 0, NULL, 1, NULL));
  ck_assert_uint_eq(norn_memory_address(memory, 0), 0xFFFFFF00);
  ck_assert_uint_eq(norn_memory_address(memory, 1), 0x100020000);
  ck_assert_uint_eq(norn_memory_address(memory, 2), 0x100030000);
}
END_TEST

START_TEST(access_is_within_one_buffer) {
  ck_assert(norn_memory_add(memory, "high", 0x2000, NULL, 16, NULL));
  ck_assert(norn_memory_add(memory, "low", 0x1FF0, NULL, 16, NULL));
  uint8_t *high = norn_memory_bytes(memory, 0, NULL);
  uint8_t *low = norn_memory_bytes(memory, 1, NULL);
  ck_assert_ptr_eq(norn_memory_access(memory, 0x2000, 16), high);
  ck_assert_ptr_eq(norn_memory_access(memory, 0x200C, 4), high + 12);
  ck_assert_ptr_eq(norn_memory_access(memory, 0x1FFC, 4), low + 12);
  ck_assert_ptr_null(norn_memory_access(memory, 0x1FFC, 8));
  ck_assert_ptr_null(norn_memory_access(memory, 0x200D, 4));
  ck_assert_ptr_null(norn_memory_access(memory, 0x1FEF, 1));
  ck_assert_ptr_null(norn_memory_access(memory, 0x2010, 1));
  ck_assert_ptr_null(norn_memory_access(memory, UINT64_MAX, 4));
  ck_assert_ptr_null(norn_memory_access(NULL, 0x2000, 4));
}
END_TEST

START_TEST(refuses_clashes) {
  GError *error = NULL;
  ck_assert(norn_memory_add(memory, "x", 0x1000, NULL, 16, NULL));
  ck_assert(!norn_memory_add(memory, "x", 0, NULL, 4, &error));
  expect_error(error, NORN_ERROR_INVALID, "there are two buffers named 'x'");
  error = NULL;
  ck_assert(!norn_memory_add(memory, "y", 0x100F, NULL, 4, &error));
  expect_error(error, NORN_ERROR_INVALID, "buffers 'x' and 'y' overlap");
  error = NULL;
  ck_assert(!norn_memory_add(memory, "y", 0xFFE, NULL, 4, &error));
  expect_error(error, NORN_ERROR_INVALID, "buffers 'x' and 'y' overlap");
  error = NULL;
  ck_assert(!norn_memory_add(memory, "y", 0x1000, NULL, 0, &error));
  expect_error(error, NORN_ERROR_INVALID, "buffers 'x' and 'y' overlap");
  error = NULL;
  ck_assert(!norn_memory_add(memory, "y", UINT64_MAX - 3, NULL, 4, &error));
  expect_error(
      error, NORN_ERROR_INVALID,
      "buffer 'y' of 4 bytes at 0xfffffffffffffffc extends past the end of the address space");
  ck_assert(norn_memory_add(memory, "last", 0xFFFFFFFFFFFE0000, NULL, 0x8000, NULL));
  error = NULL;
  ck_assert(!norn_memory_add(memory, "y", 0, NULL, 0, &error)); /* nothing is left behind it */
  expect_error(
      error, NORN_ERROR_INVALID,
      "buffer 'y' of 0 bytes at 0xffffffffffffffff extends past the end of the address space");
  ck_assert(norn_memory_add(memory, "y", 0x1010, NULL, 4, NULL));
  ck_assert(norn_memory_add(memory, "z", 0xFFC, NULL, 4, NULL));
}
END_TEST

START_TEST(names_the_refused_access) {
  GError *error = NULL;
  norn_memory_set_error(memory, "here: ", "load", 0x10, 4, &error);
  expect_error(error, NORN_ERROR_TRAP, "here: load of 4 bytes at 0x10, outside all buffers");
  error = NULL;
  ck_assert(norn_memory_add(memory, "x", 0x1000, NULL, 16, NULL));
  norn_memory_set_error(memory, "", "store", 0x1010, 8, &error);
  expect_error(error, NORN_ERROR_TRAP,
               "store of 8 bytes at 0x1010, outside all buffers; the buffer below, 'x', has 16 "
               "bytes at 0x1000");
}
END_TEST

/* Constant data can be read, as one piece, only while it is mapped. */
START_TEST(maps_constant_data) {
  static const uint8_t data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  GError *error = NULL;
  ck_assert(norn_memory_add(memory, "x", 0x1000, NULL, 16, NULL));
  ck_assert(!norn_memory_map_data(memory, 0xFF9, data, sizeof data, &error));
  expect_error(error, NORN_ERROR_INVALID, "buffer 'x' overlaps the constant data of the program");
  ck_assert(norn_memory_map_data(memory, 0xFF8, data, sizeof data, NULL));
  ck_assert_uint_eq(*norn_memory_read(memory, 0xFFC, 4), 5);
  ck_assert_ptr_null(norn_memory_access(memory, 0xFFC, 4));
  ck_assert_ptr_null(norn_memory_read(memory, 0xFFC, 8));
  ck_assert_ptr_null(norn_memory_read(memory, 0xFF7, 1));
  ck_assert_ptr_eq(norn_memory_read(memory, 0x1000, 4), norn_memory_bytes(memory, 0, NULL));
  norn_memory_unmap_data(memory);
  ck_assert_ptr_null(norn_memory_read(memory, 0xFFC, 4));
  ck_assert_ptr_null(norn_memory_read(NULL, 0xFFC, 4));
}
END_TEST

START_TEST(checks_launches) {
  GError *error = NULL;
  NornLaunch launch = {.grid = {1, 0, 3}, .workgroup = {16, 8, 8}};
  ck_assert(norn_launch_check(&launch, NULL));
  ck_assert_uint_eq(norn_launch_step_limit(&launch), UINT64_C(1) << 32);
  launch.workgroup[2] = 9;
  ck_assert(!norn_launch_check(&launch, &error));
  expect_error(error, NORN_ERROR_LIMIT, "workgroup size 16, 8, 9, expected 1 to 1024 invocations");
  error = NULL;
  launch.workgroup[2] = 0;
  ck_assert(!norn_launch_check(&launch, &error));
  expect_error(error, NORN_ERROR_LIMIT, "workgroup size 16, 8, 0, expected 1 to 1024 invocations");
  error = NULL;
  NornLaunch wide = {.grid = {65536, 65536, 1}, .workgroup = {1, 1, 1}};
  ck_assert(!norn_launch_check(&wide, &error));
  expect_error(error, NORN_ERROR_LIMIT,
               "grid of 65536, 65536, 1 workgroups, expected fewer than 2^32");
  error = NULL;
  NornLaunch deep = {.grid = {1, 65536, 65536}, .workgroup = {1, 1, 1}};
  ck_assert(!norn_launch_check(&deep, &error));
  expect_error(error, NORN_ERROR_LIMIT,
               "grid of 1, 65536, 65536 workgroups, expected fewer than 2^32");
  error = NULL;
  wide.grid[2] = 0; /* runs nothing */
  ck_assert(norn_launch_check(&wide, NULL));
  wide.stage = NORN_STAGE_COUNT;
  ck_assert(!norn_launch_check(&wide, &error));
  expect_error(error, NORN_ERROR_INVALID, "shader stage 3 does not exist");
  error = NULL;
  NornCompileInfo info = {.grid_limit = 3};
  NornLaunch limited = {.grid = {1, 3, 1}, .workgroup = {1, 1, 1}, .info = &info};
  ck_assert(norn_launch_check(&limited, NULL));
  limited.grid[1] = 4;
  ck_assert(!norn_launch_check(&limited, &error));
  expect_error(error, NORN_ERROR_LIMIT,
               "grid of 1, 4, 1 workgroups, but the program allows at most 3 along an axis");
  error = NULL;
  info = (NornCompileInfo){.workgroup_size = {8, 2, 1}};
  limited = (NornLaunch){.grid = {1, 1, 1}, .workgroup = {8, 2, 1}, .info = &info};
  ck_assert(norn_launch_check(&limited, NULL));
  limited.workgroup[1] = 1;
  ck_assert(!norn_launch_check(&limited, &error));
  expect_error(error, NORN_ERROR_INVALID,
               "workgroup size 8, 1, 1, but the program was compiled for 8, 2, 1");
  error = NULL;
  info.stage = NORN_STAGE_VERTEX;
  ck_assert(!norn_launch_check(&limited, &error));
  expect_error(error, NORN_ERROR_INVALID,
               "launch of a compute program, but it is a vertex program");
  error = NULL;
  limited.stage = NORN_STAGE_VERTEX; /* whose vertices have no workgroups */
  ck_assert(norn_launch_check(&limited, NULL));
  NornFragmentState fragment = {.samples = 17};
  NornLaunch sampled = {.grid = {1, 1, 1}, .workgroup = {4, 4, 1}, .fragment = &fragment};
  ck_assert(!norn_launch_check(&sampled, &error));
  expect_error(error, NORN_ERROR_LIMIT, "17 samples per pixel, expected at most 16");
}
END_TEST

/* Thread-local memory is counted for all invocations of a workgroup. */
START_TEST(checks_local_memory) {
  GError *error = NULL;
  NornLaunch launch = {.grid = {1, 1, 1}, .workgroup = {8, 4, 1}};
  launch.scratch_bytes = NORN_LOCAL_MEMORY_LIMIT / 32;
  launch.shared_bytes = NORN_LOCAL_MEMORY_LIMIT;
  ck_assert(norn_launch_check(&launch, NULL));
  launch.scratch_bytes++;
  ck_assert(!norn_launch_check(&launch, &error));
  ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_LIMIT));
  g_clear_error(&error);
  launch.scratch_bytes = 0;
  launch.shared_bytes++;
  ck_assert(!norn_launch_check(&launch, &error));
  ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_LIMIT));
  g_clear_error(&error);
  /* A program has no more than it was compiled for. */
  const NornCompileInfo info = {
      .thread_local_size = 16, .workgroup_local_size = 32, .fau_words = 3};
  launch = (NornLaunch){.scratch_bytes = 20, .shared_bytes = 40, .uniform_count = 4, .info = &info};
  ck_assert_uint_eq(norn_launch_scratch_bytes(&launch), 16);
  ck_assert_uint_eq(norn_launch_shared_bytes(&launch), 32);
  ck_assert_uint_eq(norn_launch_uniform_count(&launch), 3);
  launch.scratch_bytes = launch.shared_bytes = launch.uniform_count = 2;
  ck_assert_uint_eq(norn_launch_scratch_bytes(&launch), 2);
  ck_assert_uint_eq(norn_launch_shared_bytes(&launch), 2);
  ck_assert_uint_eq(norn_launch_uniform_count(&launch), 2);
}
END_TEST

START_TEST(checks_fragments) {
  GError *error = NULL;
  uint16_t samples[16] = {0};
  const NornImage image = {0, 0, {1, 32, NORN_CHANNEL_FLOAT}, 1000, 1000, 1, 1, 1, 1};
  NornFragmentState fragment = {.written = samples, .height = 4};
  NornLaunch launch = {.stage = NORN_STAGE_FRAGMENT,
                       .grid = {1, 1, 1},
                       .workgroup = {4, 4, 1},
                       .memory = memory,
                       .fragment = &fragment};
  ck_assert(!norn_launch_check(&launch, &error));
  expect_error(error, NORN_ERROR_INVALID,
               "the coverage of pixels requires the width and height of the rectangle");
  error = NULL;
  fragment.width = 4;
  ck_assert(norn_launch_check(&launch, NULL));
  launch.workgroup[1] = 3;
  ck_assert(!norn_launch_check(&launch, &error));
  expect_error(error, NORN_ERROR_LIMIT,
               "workgroup size 4, 3, expected even numbers for quads of 2 by 2");
  launch.workgroup[1] = 4;
  const NornImage **const targets[] = {&fragment.targets[NORN_COLOR_TARGETS - 1],
                                       &fragment.depth_target, &fragment.stencil_target};
  for (unsigned i = 0; i < G_N_ELEMENTS(targets); i++) {
    *targets[i] = &image; /* does not fit into its buffer */
    ck_assert(!norn_launch_check(&launch, NULL));
    *targets[i] = NULL;
  }
  ck_assert(norn_launch_check(&launch, NULL));
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("memory");
  TCase *tests = tcase_create("memory");
  tcase_add_checked_fixture(tests, setup, teardown);
  tcase_add_test(tests, finds_by_name_and_keeps_bytes);
  tcase_add_test(tests, chosen_addresses_do_not_overlap);
  tcase_add_test(tests, access_is_within_one_buffer);
  tcase_add_test(tests, refuses_clashes);
  tcase_add_test(tests, names_the_refused_access);
  tcase_add_test(tests, maps_constant_data);
  tcase_add_test(tests, checks_launches);
  tcase_add_test(tests, checks_local_memory);
  tcase_add_test(tests, checks_fragments);
  suite_add_tcase(suite, tests);
  return suite;
}
