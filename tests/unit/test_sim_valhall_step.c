/* Single Valhall instructions on values. */
#include "assembled.h"
#include "sim/valhall/addresses.h"
#include "sim/valhall/step.h"
#include "unit.h"
#include <norn/isa.h>
#include <norn/valhall.h>
#include <string.h>

#define ADDRESS UINT64_C(0x1000)

static NornMemory *memory;
static NornLaunch launch;
static NornStepper *stepper;
static NornStepLanes lanes;
static NornStepValue operands[4], results[2];

static void
setup(void) {
  memory = norn_memory_new();
  ck_assert(norn_memory_add(memory, "x", ADDRESS, NULL, 64, NULL));
  launch = (NornLaunch){.memory = memory, .grid = {2, 1, 1}, .workgroup = {16, 2, 1}};
  stepper = norn_valhall_simulator.create(0, &launch, NORN_FTZ_PRESERVE);
  memset(&lanes, 0, sizeof lanes);
  memset(operands, 0, sizeof operands);
  memset(results, 0, sizeof results);
  lanes.active = 0xFFFF;
  lanes.location = "file:1:2: ";
  for (unsigned i = 0; i < NORN_STEP_LANES; i++)
    lanes.thread[i] = lanes.local[i] = i;
}

static void
teardown(void) {
  norn_valhall_simulator.destroy(stepper);
  norn_memory_free(memory);
}

/* The word of an instruction; the registers in its text do not matter. */
static const NornMachineInst *
decode(const char *text) {
  const NornIsa *isa = norn_isa_find("valhall");
  GError *error = NULL;
  uint64_t word = word_of(text);
  NornIsaDecoded decoded;
  ck_assert(norn_isa_unpack(isa, 0, word, &decoded));
  const NornMachineInst *step = norn_valhall_simulator.decode(
      stepper, (uint16_t)norn_isa_decoded_instruction(&decoded), word, &error);
  ck_assert_msg(step != NULL, "%s", error ? error->message : "");
  return step;
}

static unsigned
run(const char *text) {
  unsigned taken;
  GError *error = NULL;
  bool ok =
      norn_valhall_simulator.step(stepper, decode(text), &lanes, operands, results, &taken, &error);
  ck_assert_msg(ok, "%s", error ? error->message : "");
  return taken;
}

START_TEST(computes) {
  for (unsigned i = 0; i < NORN_STEP_LANES; i++) {
    operands[0][0][i] = 0xFFFFFFF0 + i;
    operands[0][1][i] = 1;
    operands[1][0][i] = 0x10;
  }
  lanes.active = 0x7FFF;
  ck_assert_uint_eq(run("IADD.u64.wait0 r40, ^r2, r8.w0"), 0);
  for (unsigned i = 0; i < 15; i++) {
    ck_assert_uint_eq(results[0][0][i], i);
    ck_assert_uint_eq(results[0][1][i], 2);
  }
}
END_TEST

START_TEST(exchanges) {
  for (unsigned i = 0; i < NORN_STEP_LANES; i++) {
    operands[0][0][i] = 100 + i;
    operands[1][0][i] = 1;
  }
  run("CLPER.i32.xor r0, r1, r2.b0");
  for (unsigned i = 0; i < NORN_STEP_LANES; i++)
    ck_assert_uint_eq(results[0][0][i], 100 + (i ^ 1));
}
END_TEST

START_TEST(accesses_memory) {
  for (unsigned i = 0; i < NORN_STEP_LANES; i++) {
    operands[0][0][i] = 3 * i;
    operands[1][0][i] = (uint32_t)ADDRESS + 4 * i;
  }
  lanes.helpers = 1;
  run("STORE.i32.slot0 @r0, r2, offset:0");
  memcpy(operands[0], operands[1], sizeof operands[0]);
  run("LOAD.i32.unsigned.slot0 @r0, r2, offset:0");
  for (unsigned i = 0; i < NORN_STEP_LANES; i++)
    ck_assert_uint_eq(results[0][0][i], 3 * i);
  for (unsigned i = 0; i < NORN_STEP_LANES; i++)
    operands[0][0][i] = (uint32_t)ADDRESS;
  run("ATOM1_RETURN.i32.slot0.ainc @r0, r2, offset:0x0");
  ck_assert_uint_eq(results[0][0][0], 0);
  for (unsigned i = 1; i < NORN_STEP_LANES; i++)
    ck_assert_uint_eq(results[0][0][i], i - 1);
}
END_TEST

/* Thread-local memory is that of the invocation's number in the workgroup. */
START_TEST(accesses_memory_of_the_workgroup) {
  uint8_t shared[8] = {0}, scratch[4 * 32] = {0};
  launch.shared_bytes = sizeof shared;
  launch.scratch_bytes = 4;
  lanes.shared = shared;
  lanes.scratch = scratch;
  for (unsigned i = 0; i < NORN_STEP_LANES; i++) {
    lanes.local[i] = 31 - i;
    operands[0][0][i] = 40 + i;
    operands[1][0][i] = (uint32_t)NORN_VALHALL_SCRATCH_ADDRESS;
    operands[1][1][i] = (uint32_t)(NORN_VALHALL_SCRATCH_ADDRESS >> 32);
  }
  run("STORE.i32.force.slot0 @r0, r2, offset:0");
  for (unsigned i = 0; i < 32; i++)
    ck_assert_uint_eq(scratch[4 * i], i < 16 ? 0 : 40 + 31 - i);
  lanes.active = 1;
  operands[1][0][0] = (uint32_t)NORN_VALHALL_SHARED_ADDRESS;
  operands[1][1][0] = (uint32_t)(NORN_VALHALL_SHARED_ADDRESS >> 32);
  run("STORE.i32.slot0 @r0, r2, offset:4");
  ck_assert_uint_eq(shared[4], 40);
}
END_TEST

START_TEST(traps_at_the_location) {
  GError *error = NULL;
  operands[0][0][0] = (uint32_t)ADDRESS + 62;
  lanes.active = 1;
  lanes.thread[0] = 20;
  ck_assert(!norn_valhall_simulator.step(stepper,
                                         decode("LOAD.i32.unsigned.slot0 @r0, r2, offset:2"),
                                         &lanes, operands, results, NULL, &error));
  ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_TRAP));
  ck_assert_str_eq(error->message,
                   "file:1:2: invocation 20 (lane 0): load of 4 bytes at 0x1040, outside all "
                   "buffers; the buffer below, 'x', has 64 bytes at 0x1000 [out-of-bounds]");
  g_error_free(error);
}
END_TEST

START_TEST(reports_branches) {
  operands[0][0][3] = 1;
  operands[0][0][5] = 1;
  ck_assert_uint_eq(run("BRANCHZ.reconverge r0, offset:100"), 0x28);
  ck_assert_uint_eq(run("BRANCHZ.eq.reconverge r0, offset:-100"), 0xFFD7);
  lanes.active = 0xF0;
  ck_assert_uint_eq(run("BRANCHZ r0, offset:0"), 0x20);
  ck_assert_uint_eq(run("BARRIER.slot7.wait"), 0);
  launch.stage = NORN_STAGE_FRAGMENT;
  operands[1][0][6] = 0x3F800000;
  lanes.helpers = 0x10;
  ck_assert_uint_eq(run("DISCARD.f32.lt r0, r1"), 0x40);
}
END_TEST

START_TEST(jumps_over_calls_of_blend_shaders) {
  ck_assert_uint_eq(norn_valhall_simulator.jumped_over(decode(
                        "BLEND.slot0.v4.f32 @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x3")),
                    3);
  ck_assert_uint_eq(norn_valhall_simulator.jumped_over(decode("BRANCHZ r60, offset:3")), 0);
}
END_TEST

START_TEST(refuses_what_is_not_modeled) {
  const NornIsa *isa = norn_isa_find("valhall");
  GError *error = NULL;
  NornIsaDecoded decoded;
  ck_assert(norn_isa_decoded_init(isa, 0, NORN_VALHALL_FPCLASS_F32, &decoded));
  ck_assert_ptr_null(norn_valhall_simulator.decode(stepper, NORN_VALHALL_FPCLASS_F32,
                                                   norn_isa_pack(&decoded), &error));
  ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED));
  g_clear_error(&error);
  ck_assert_ptr_null(norn_valhall_simulator.decode(stepper, NORN_VALHALL_AND_IMM_I32, 0, &error));
  ck_assert_str_eq(error->message, "the instruction does not exist on this architecture");
  g_error_free(error);
}
END_TEST

START_TEST(knows_what_is_preloaded) {
  const uint32_t workgroup[3] = {1, 0, 0};
  uint32_t value;
  ck_assert(norn_valhall_simulator.preload(&launch, workgroup, 18, 55, &value));
  ck_assert_uint_eq(value, 0x00010002);
  ck_assert(norn_valhall_simulator.preload(&launch, workgroup, 18, 60, &value));
  ck_assert_uint_eq(value, 18);
  ck_assert(norn_valhall_simulator.preload(&launch, workgroup, 18, 61, &value));
  ck_assert_uint_eq(value, 1);
  ck_assert(norn_valhall_simulator.preload(&launch, workgroup, 18, 56, &value)); /* half of it */
  ck_assert_uint_eq(value, 0);
  ck_assert(!norn_valhall_simulator.preload(&launch, workgroup, 18, 54, &value));
  launch.stage = NORN_STAGE_VERTEX;
  ck_assert(norn_valhall_simulator.preload(&launch, workgroup, 18, 59, &value));
  ck_assert_uint_eq(value, 98); /* vertex 50: slot 2 of the thirteenth group of eight */
  launch.stage = NORN_STAGE_FRAGMENT;
  ck_assert(norn_valhall_simulator.preload(&launch, workgroup, 18, 59, &value));
  ck_assert_uint_eq(value, 0x00010018);
}
END_TEST

START_TEST(knows_special_values) {
  uint64_t value;
  GError *error = NULL;
  ck_assert(norn_valhall_simulator.special(0, 3 << 8 | 226, 7, &value, NULL));
  ck_assert_uint_eq(value, 7);
  ck_assert(norn_valhall_simulator.special(0, 3 << 8 | 227, 7, &value, NULL));
  ck_assert_uint_eq(value, 0);
  ck_assert(norn_valhall_simulator.special(0, 1 << 8 | 226, 7, &value, NULL));
  ck_assert_uint_eq(value, UINT64_C(0x7F0000000000));
  ck_assert(norn_valhall_simulator.special(0, 1 << 8 | 227, 7, &value, NULL));
  ck_assert_uint_eq(value, 0x7F00);
  ck_assert(!norn_valhall_simulator.special(0, 0 << 8 | 228, 7, &value, &error));
  ck_assert_str_eq(error->message, "the value of warp_id.w0 is not modeled");
  g_error_free(error);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("valhall steps");
  TCase *tests = tcase_create("valhall steps");
  tcase_add_checked_fixture(tests, setup, teardown);
  tcase_add_test(tests, computes);
  tcase_add_test(tests, exchanges);
  tcase_add_test(tests, accesses_memory);
  tcase_add_test(tests, accesses_memory_of_the_workgroup);
  tcase_add_test(tests, traps_at_the_location);
  tcase_add_test(tests, reports_branches);
  tcase_add_test(tests, jumps_over_calls_of_blend_shaders);
  tcase_add_test(tests, refuses_what_is_not_modeled);
  tcase_add_test(tests, knows_what_is_preloaded);
  tcase_add_test(tests, knows_special_values);
  suite_add_tcase(suite, tests);
  return suite;
}
