/* Valhall programs on the simulator: control flow, messages, memory, and every way to trap, with
 * a similar program that does not. */
#include "assembled.h"
#include "ir/random.h"
#include "sim/valhall/warp.h"
#include "unit.h"
#include <norn/isa.h>
#include <norn/valhall.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 64
#define OUT_ADDRESS UINT64_C(0x1FFFFFFF80)

/* A machine with one buffer of 64 words, "out", whose address is in u0:u1; u2 = 3, u3 = 7, u4
 * = 1.0. */
typedef struct Machine {
  NornMemory *memory;
  uint32_t uniforms[8];
  NornLaunch launch;
  NornReport report;
} Machine;

static Machine machine;

static void
setup(void) {
  memset(&machine, 0, sizeof machine);
  machine.memory = norn_memory_new();
  ck_assert(norn_memory_add(machine.memory, "out", OUT_ADDRESS, NULL, WORDS * 4, NULL));
  machine.uniforms[0] = (uint32_t)OUT_ADDRESS;
  machine.uniforms[1] = (uint32_t)(OUT_ADDRESS >> 32);
  machine.uniforms[2] = 3;
  machine.uniforms[3] = 7;
  machine.uniforms[4] = 0x3F800000;
  machine.uniforms[5] = 1;
  machine.launch = (NornLaunch){.memory = machine.memory,
                                .grid = {1, 1, 1},
                                .workgroup = {16, 1, 1},
                                .uniforms = machine.uniforms,
                                .uniform_count = 6};
}

static void
teardown(void) {
  norn_memory_free(machine.memory);
}

static uint32_t
word_at(unsigned index) {
  const uint8_t *bytes = norn_memory_bytes(machine.memory, 0, NULL) + 4 * index;
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void
set_word(unsigned index, uint32_t value) {
  uint8_t *bytes = norn_memory_bytes(machine.memory, 0, NULL) + 4 * index;
  for (unsigned i = 0; i < 4; i++)
    bytes[i] = (uint8_t)(value >> 8 * i);
}

/* Assembles and runs; returns the error, or NULL. `verify` false accepts what the assembler
 * would refuse. */
static GError *
run_text(const char *text, bool verify) {
  GError *error = NULL;
  GBytes *code = assemble_for("valhall", 0, !verify, text);
  gsize size;
  const void *bytes = g_bytes_get_data(code, &size);
  bool ok = norn_simulate_valhall(bytes, size, "9", &machine.launch, &machine.report, &error);
  g_bytes_unref(code);
  ck_assert_msg(ok == !error, "result and error disagree");
  return error;
}

static void
run(const char *text) {
  GError *error = run_text(text, true);
  ck_assert_msg(error == NULL, "%s", error ? error->message : "");
}

static void
expect_trap(const char *text, const char *part) {
  GError *error = run_text(text, true);
  ck_assert_msg(error != NULL, "no trap, expected \"%s\"", part);
  ck_assert_msg(g_error_matches(error, NORN_ERROR, NORN_ERROR_TRAP), "%s", error->message);
  ck_assert_msg(strstr(error->message, part) != NULL, "\"%s\" is not in \"%s\"", part,
                error->message);
  g_error_free(error);
}

/* r0:r1 = address of out[global id x] */
#define ADDRESS "SHADDX.u64 r0, u0, r60.w0, shift:0x2\n"

START_TEST(stores_ids) {
  machine.launch.workgroup[0] = 20;
  machine.launch.grid[0] = 3;
  run(ADDRESS "IADD_IMM.i32 r2, r60, #0x64\n"
              "STORE.i32.slot0 @r2, r0, offset:0\n"
              "NOP.end\n");
  for (unsigned i = 0; i < WORDS; i++)
    ck_assert_uint_eq(word_at(i), i < 60 ? 100 + i : 0);
  ck_assert_uint_eq(machine.report.invocations, 60);
  ck_assert_uint_eq(machine.report.warps, 6);
  ck_assert_uint_eq(machine.report.instructions, 24);
  ck_assert_uint_eq(machine.report.thread_instructions, 240);
  ck_assert_uint_eq(machine.report.unit_instructions[NORN_UNIT_CVT], 180);
  ck_assert_uint_eq(machine.report.unit_instructions[NORN_UNIT_LS], 60);
  ck_assert_uint_eq(machine.report.messages, 6);
}
END_TEST

START_TEST(preloads_compute_ids) {
  machine.launch.workgroup[0] = 2;
  machine.launch.workgroup[1] = 2;
  machine.launch.workgroup[2] = 2;
  machine.launch.grid[1] = 2;
  /* index = wg.y * 8 + local.x + 2 * local.y + 4 * local.z; stores local xy, z, wg.y, global y */
  run("U16_TO_U32 r2, r55.h0\n"
      "U16_TO_U32 r3, r55.h1\n"
      "U16_TO_U32 r4, r56.h0\n"
      "LSHIFT_OR.i32 r3, r3, 0x3020100.b1, r2\n"
      "LSHIFT_OR.i32 r3, r4, 0x3020100.b2, r3\n"
      "LSHIFT_OR.i32 r3, r58, 0x3020100.b3, r3\n"
      "MOV.i32 r6, r3\n"
      "SHADDX.u64 r0, u0, r6.w0, shift:0x4\n"
      "MOV.i32 r8, r55\n"
      "MOV.i32 r9, r4\n"
      "MOV.i32 r10, r58\n"
      "MOV.i32 r11, r61\n"
      "STORE.i128.slot0 @r8:r9:r10:r11, r0, offset:0\n"
      "NOP.end\n");
  for (unsigned i = 0; i < 16; i++) {
    unsigned x = i & 1, y = i >> 1 & 1, z = i >> 2 & 1, group = i >> 3;
    ck_assert_uint_eq(word_at(4 * i), x | y << 16);
    ck_assert_uint_eq(word_at(4 * i + 1), z);
    ck_assert_uint_eq(word_at(4 * i + 2), group);
    ck_assert_uint_eq(word_at(4 * i + 3), group * 2 + y);
  }
}
END_TEST

START_TEST(loops_until_each_lane_is_done) {
  /* out[i] = 3 * i by i additions */
  run(ADDRESS "MOV.i32 r2, 0x0\n"
              "MOV.i32.reconverge r3, r60\n"
              "BRANCHZ.eq.reconverge r3, offset:3\n"
              "IADD.u32 r2, r2, u2\n"
              "ISUB.u32 r3, r3, 0x3020100.b1\n"
              "BRANCHZ.eq.reconverge 0x0, offset:-4\n"
              "STORE.i32.slot0 @r2, r0, offset:0\n"
              "NOP.end\n");
  for (unsigned i = 0; i < 16; i++)
    ck_assert_uint_eq(word_at(i), 3 * i);
  ck_assert_uint_eq(machine.report.thread_instructions, 16 * 6 + 4 * 120);
  ck_assert_uint_eq(machine.report.instructions, 6 + 4 * 15);
}
END_TEST

START_TEST(nests_divergence) {
  /* r2 = i odd ? (i >= 8 ? 11 : 10) : 20, then + 1 for all */
  run(ADDRESS "LSHIFT_AND.i32 r3, r60, 0x0.b0, u5\n"
              "NOP.reconverge\n"
              "BRANCHZ.reconverge r3, offset:2\n"
              "IADD_IMM.i32 r2, 0x0, #0x14\n"
              "BRANCHZ.eq.reconverge 0x0, offset:5\n"
              "ICMP_OR.u32.ge.m1 r4, r60, 0xB0A0908.b0, 0x0\n"
              "BRANCHZ.reconverge r4, offset:2\n"
              "IADD_IMM.i32 r2, 0x0, #0xA\n"
              "BRANCHZ.eq.reconverge 0x0, offset:1\n"
              "IADD_IMM.i32.reconverge r2, 0x0, #0xB\n"
              "IADD_IMM.i32 r2, r2, #0x1\n"
              "STORE.i32.slot0 @r2, r0, offset:0\n"
              "NOP.end\n");
  for (unsigned i = 0; i < 16; i++)
    ck_assert_uint_eq(word_at(i), i % 2 ? (i >= 8 ? 12 : 11) : 21);
}
END_TEST

START_TEST(exchanges_between_lanes) {
  run(ADDRESS "CLPER.i32.xor r2, r60, 0x3020100.b1\n"
              "WMASK r3, r60\n"
              "IADD.u32 r2, r2, r3\n"
              "STORE.i32.slot0 @r2, r0, offset:0\n"
              "NOP.end\n");
  for (unsigned i = 0; i < 16; i++)
    ck_assert_uint_eq(word_at(i), (i ^ 1) + 0xFFFE);
}
END_TEST

START_TEST(reads_special_values) {
  run(ADDRESS "MOV.i32 r2, lane_id.w0\n"
              "MOV.i32 r3, program_counter.w0\n"
              "IADD.u32 r2, r2, r3\n"
              "STORE.i32.slot0 @r2, r0, offset:0\n"
              "NOP.end\n");
  for (unsigned i = 0; i < 16; i++)
    ck_assert_uint_eq(word_at(i), i + 24);
}
END_TEST

START_TEST(places_narrow_loads) {
  set_word(0, 0xF1E2D3C4);
  machine.launch.workgroup[0] = 1;
  run("LOAD.i8.w0.slot0 @r2, u0, offset:3\n"
      "LOAD.i8.w0.unsigned.slot0 @r3, u0, offset:3\n"
      "LOAD.i16.d0.slot0 @r4:r5, u0, offset:2\n"
      "LOAD.i32.d0.unsigned.slot0 @r6:r7, u0, offset:0\n"
      "LOAD.i8.h1.unsigned.slot0 @r8, u0, offset:1\n"
      "LOAD.i16.unsigned.slot0.wait0 @r9, u0, offset:0\n"
      "U16_TO_U32 r8, r8.h1\n"
      "U16_TO_U32 r9, r9.h0\n"
      "STORE.i128.slot0 @r2:r3:r4:r5, u0, offset:16\n"
      "STORE.i128.slot0 @r6:r7:r8:r9, u0, offset:32\n"
      "NOP.end\n");
  const uint32_t expected[] = {0xFFFFFFF1, 0xF1, 0xFFFFF1E2, 0xFFFFFFFF,
                               0xF1E2D3C4, 0,    0xD3,       0xD3C4};
  for (unsigned i = 0; i < 8; i++)
    ck_assert_uint_eq(word_at(4 + i), expected[i]);
}
END_TEST

START_TEST(stores_parts) {
  machine.launch.workgroup[0] = 1;
  run("IADD_IMM.i32 r2, 0x0, #0x44332211\n"
      "IADD_IMM.i32 r3, 0x0, #0x88776655\n"
      "STORE.i8.slot0 @r2, u0, offset:1\n"
      "STORE.i16.h1.slot0 @r2, u0, offset:4\n"
      "STORE.i8.b2.slot0 @r3, u0, offset:7\n"
      "STORE.i24.slot0 @r2, u0, offset:8\n"
      "STORE.i48.slot0 @r2:r3, u0, offset:12\n"
      "STORE.i64.slot0 @r2:r3, u0, offset:20\n"
      "NOP.end\n");
  const uint32_t expected[] = {0x00001100, 0x77004433, 0x00332211, 0x44332211,
                               0x00006655, 0x44332211, 0x88776655, 0};
  for (unsigned i = 0; i < 8; i++)
    ck_assert_uint_eq(word_at(i), expected[i]);
}
END_TEST

START_TEST(counts_atomically) {
  set_word(1, 5);
  set_word(2, 100);
  set_word(4, 0xFFFFFFFF);
  run("MOV.i32 r4, r60\n"
      "ATOM1_RETURN.i32.slot0.ainc.wait0 @r2, u0, offset:0x0\n"
      "ATOM.i32.slot0.asmax @r4, u0, offset:0x4\n"
      "MOV.i32 r6, 0x3020100\n"
      "MOV.i32 r8, 0x7060504\n"
      "MOV.i32 r9, 0x3020100\n"
      "ATOM_RETURN.i32.slot1.axchg @r10, @r6, u0, offset:0x8\n"
      "ATOM1.i64.slot0.ainc u0, offset:0x10\n"
      "NOP.wait012\n"
      "ATOM_RETURN.i32.slot1.compare.axchg.wait1 @r11, @r8:r9, u0, offset:0x8\n" ADDRESS
      "STORE.i32.slot0 @r2, r0, offset:64\n"
      "STORE.i32.slot0 @r10, r0, offset:128\n"
      "NOP.end\n");
  ck_assert_uint_eq(word_at(0), 16);
  ck_assert_uint_eq(word_at(1), 15);
  ck_assert_uint_eq(word_at(2), 0x07060504);
  ck_assert_uint_eq(word_at(4), 15);
  ck_assert_uint_eq(word_at(5), 1);
  for (unsigned i = 0; i < 16; i++) {
    ck_assert_uint_eq(word_at(16 + i), i);
    ck_assert_uint_eq(word_at(32 + i), i == 0 ? 100 : 0x03020100);
  }
}
END_TEST

/* The addend of a 64-bit sum may be a word, sign-extended or zero-extended. */
START_TEST(adds_words_to_64_bits) {
  machine.launch.workgroup[0] = 1;
  set_word(1, 7);
  set_word(3, 7);
  run("IADD_IMM.i32 r2, 0x0, #0xFFFFFFFE\n"
      "ATOM.i64.slot0.aaddu @r2, u0, offset:0x0\n"
      "ATOM.i64.slot0.aadds @r2, u0, offset:0x8\n"
      "NOP.end\n");
  ck_assert_uint_eq(word_at(0), 0xFFFFFFFE);
  ck_assert_uint_eq(word_at(1), 7);
  ck_assert_uint_eq(word_at(2), 0xFFFFFFFE);
  ck_assert_uint_eq(word_at(3), 6);
}
END_TEST

START_TEST(shares_memory_across_a_barrier) {
  machine.launch.workgroup[0] = 32;
  machine.launch.shared_bytes = 128;
  run(ADDRESS "SHADDX.u64 r2, workgroup_local_pointer.w0, r60.w0, shift:0x2\n"
              "STORE.i32.slot0.wait0 @r60, r2, offset:0\n"
              "BARRIER.slot7.wait\n"
              "IADD_IMM.i32 r6, 0x0, #0x10\n"
              "LSHIFT_XOR.i32 r4, r60, 0x0.b0, r6\n"
              "SHADDX.u64 r2, workgroup_local_pointer.w0, r4.w0, shift:0x2\n"
              "LOAD.i32.unsigned.slot0.wait0 @r5, r2, offset:0\n"
              "STORE.i32.slot0 @r5, r0, offset:0\n"
              "NOP.end\n");
  for (unsigned i = 0; i < 32; i++)
    ck_assert_uint_eq(word_at(i), i ^ 16);
}
END_TEST

START_TEST(gives_each_thread_its_memory) {
  machine.launch.scratch_bytes = 16;
  run(ADDRESS "MOV.i32 r4, thread_local_pointer.w0\n"
              "MOV.i32 r5, thread_local_pointer.w1\n"
              "STORE.i32.force.slot0.wait0 @r60, r4, offset:12\n"
              "LOAD.i32.force.unsigned.slot0.wait0 @r2, r4, offset:12\n"
              "STORE.i32.slot0 @r2, r0, offset:0\n"
              "NOP.end\n");
  for (unsigned i = 0; i < 16; i++)
    ck_assert_uint_eq(word_at(i), i);
}
END_TEST

START_TEST(reads_buffers_by_handle) {
  const uint32_t constants[4] = {0, 77, 0, 0};
  const NornResource resources[] = {{0x02000001, 1, 0}, {0x3D000000, 0, 16}};
  ck_assert(norn_memory_add(machine.memory, "constants", 0, constants, 16, NULL));
  machine.launch.resources = resources;
  machine.launch.resource_count = 2;
  machine.launch.workgroup[0] = 1;
  run("IADD_IMM.i32 r2, 0x0, #0x02000001\n"
      "IADD_IMM.i32 r3, 0x0, #0x3E000002\n"
      "IADD_IMM.i32 r8, 0x0, #0x4\n"
      "IADD_IMM.i32 r9, 0x0, #0x10\n"
      "IADD_IMM.i32 r11, 0x0, #0x2\n"
      "IADD_IMM.i32 r10, 0x0, #0x24\n"
      "LD_BUFFER.i32.unsigned.slot0 @r4, r8, r2\n"
      "LD_BUFFER.i32.unsigned.slot0 @r5, r9, r2\n"
      "LD_BUFFER.i32.unsigned.slot0 @r6, r10, r3\n"
      "LEA_BUFFER.slot0 @r12:r13, r9, r2\n"
      "LEA_BUF_IMM.slot0.wait0 @r14:r15, r11, table:0xD, index:0x0\n"
      "MOV.i32 r7, r13\n"
      "STORE.i128.slot0 @r4:r5:r6:r7, r14, offset:0\n"
      "NOP.end\n");
  ck_assert_uint_eq(word_at(8), 77);
  ck_assert_uint_eq(word_at(9), 0);
  ck_assert_uint_eq(word_at(10), 16);
  ck_assert_uint_eq(word_at(11), 0x80000000);
  expect_trap("IADD_IMM.i32 r2, 0x0, #0x02000001\n"
              "IADD_IMM.i32 r9, 0x0, #0xC\n"
              "LD_BUFFER.i64.unsigned.slot0 @r4:r5, r9, r2\n"
              "NOP.end\n",
              "loads 8 bytes at byte 12, across the end of a buffer of 16 bytes");
}
END_TEST

/* --- Traps, each with a similar program that passes --- */

START_TEST(message_in_flight) {
  GError *error = run_text(ADDRESS "LOAD.i32.unsigned.slot1 @r2, r0, offset:0\n"
                                   "IADD.u32.wait1 r3, r2, r60\n"
                                   "NOP.end\n",
                           true);
  ck_assert_ptr_nonnull(error);
  ck_assert_str_eq(
      error->message,
      "trap at 0x10 (IADD.u32.wait1 r3, r2, r60), invocation 0 (lane 0): r2 is read "
      "while a message that writes it is in flight; wait for slot 1 first [register-in-flight]");
  g_error_free(error);
  expect_trap(ADDRESS "LOAD.i32.unsigned.slot1.wait0 @r2, r0, offset:0\n"
                      "IADD.u32.wait1 r3, r2, r60\n"
                      "NOP.end\n",
              "wait for slot 1 first");
  expect_trap(ADDRESS "LOAD.i32.unsigned.slot1 @r2, r0, offset:0\n"
                      "MOV.i32 r2, r60\n"
                      "NOP.end\n",
              "r2 is written while");
  expect_trap(ADDRESS "LOAD.i32.unsigned.slot1 @r2, r0, offset:0\n"
                      "LOAD.i32.unsigned.slot0 @r2, r0, offset:0\n"
                      "NOP.end\n",
              "r2 is written while");
  expect_trap(ADDRESS "LOAD.i64.unsigned.slot2 @r2:r3, u0, offset:0\n"
                      "STORE.i32.slot0 @r3, r0, offset:0\n"
                      "NOP.end\n",
              "r3 is read while");
  run(ADDRESS "LOAD.i32.unsigned.slot1 @r2, r0, offset:0\n"
              "NOP.wait1\n"
              "IADD.u32 r3, r2, r60\n"
              "NOP.end\n");
}
END_TEST

START_TEST(staging_may_be_overwritten_after_issue) {
  run(ADDRESS "MOV.i32 r2, u2\n"
              "STORE.i32.slot0 @r2, r0, offset:0\n"
              "MOV.i32 r2, u3\n"
              "NOP.end\n");
  ck_assert_uint_eq(word_at(5), 3);
  expect_trap(ADDRESS "MOV.i32 r2, u2\n"
                      "STORE.i32.slot0 @r2, r0, offset:0\n"
                      "MOV.i32 r3, ^r2\n"
                      "NOP.end\n",
              "r2 is marked as last used while a message in flight reads it");
  run(ADDRESS "MOV.i32 r2, u2\n"
              "STORE.i32.slot0.wait0 @r2, r0, offset:0\n"
              "MOV.i32 r3, ^r2\n"
              "NOP.end\n");
}
END_TEST

START_TEST(last_uses) {
  expect_trap(
      "MOV.i32 r2, ^r60\n"
      "MOV.i32 r3, r60\n"
      "NOP.end\n",
      "trap at 0x8 (MOV.i32 r3, r60), invocation 0 (lane 0): r60 is read after its last use");
  expect_trap(ADDRESS "IADD.u64 r2, ^r0, u0\n"
                      "MOV.i32 r3, r1\n"
                      "NOP.end\n",
              "r1 is read after its last use");
  expect_trap(ADDRESS "MOV.i32 r2, r60\n"
                      "IADD.v2u16 r3.h0, r60, r60\n"
                      "IADD.u64 r4, ^r0, r2\n"
                      "MOV.i32 r6, r1\n"
                      "NOP.end\n",
              "r1 is read after its last use");
  run("IADD.u32 r60, r60, ^r60\n"
      "MOV.i32 r3, r60\n"
      "NOP.end\n");
}
END_TEST

START_TEST(undefined_registers) {
  expect_trap("MOV.i32 r3, r4\n"
              "NOP.end\n",
              "r4 is read but undefined");
  expect_trap(ADDRESS "IADD.v2u16 r2.h0, r60, r60\n"
                      "STORE.i32.slot0 @r2, r0, offset:0\n"
                      "NOP.end\n",
              "bits 0xffff0000 of staging register r2 are undefined");
  expect_trap("IADD.v2u16 r2.h1, r60, r60\n"
              "IADD.u32 r3, r2, r60\n"
              "BRANCHZ r3, offset:0\n"
              "NOP.end\n",
              "r3 is read but undefined");
  expect_trap("IADD.v2u16 r2.h0, r60, r60\n"
              "IADD.u32 r3, r2, r60\n"
              "BRANCHZ r3, offset:0\n"
              "NOP.end\n",
              "bits 0xffff0000 of source 0 are undefined");
  expect_trap("MOV.i32 r2, u0\n"
              "IADD.v2u16 r3.h0, r60, r60\n"
              "LOAD.i32.unsigned.slot0 @r4, r2, offset:0\n"
              "NOP.end\n",
              "bits 0xffff000000000000 of source 0 are undefined");
  /* Only in the second half of the warp. */
  expect_trap("IADD_IMM.i32 r2, 0x0, #0x8\n"
              "LSHIFT_AND.i32 r3, r60, 0x0, r2\n"
              "BRANCHZ.reconverge r3, offset:1\n"
              "MOV.i32.reconverge r4, r60\n"
              "MOV.i32 r5, r4\n"
              "NOP.end\n",
              "invocation 8 (lane 8): r4 is read but undefined");
  run(ADDRESS "IADD.v2u16 r2.h0, r60, r60\n"
              "IADD.u32 r2, r2.h0, r60\n"
              "STORE.i32.slot0 @r2, r0, offset:0\n"
              "NOP.end\n");
  ck_assert_uint_eq(word_at(5), 15);
  run(ADDRESS "IADD.v2u16 r2.h0, r60, r60\n"
              "IADD.v2u16 r2.h1, r60.h00, r60.h00\n"
              "STORE.i32.slot0 @r2, r0, offset:0\n"
              "NOP.end\n");
  ck_assert_uint_eq(word_at(5), 0x000A000A);
}
END_TEST

/* The defined half of a register survives moves; the other one traps where its value is needed. */
START_TEST(half_defined_registers_move) {
  run(ADDRESS "IADD.v2u16 r2.h0, r60, r60\n"
              "MOV.i32 r3, ^r2\n"
              "LSHIFT_OR.i32 r4, ^r3, 0x0, 0x0\n"
              "IADD.u32 r2, r4.h0, r60\n"
              "STORE.i32.slot0 @r2, r0, offset:0\n"
              "NOP.end\n");
  ck_assert_uint_eq(word_at(5), 15);
  expect_trap(ADDRESS "IADD.v2u16 r2.h0, r60, r60\n"
                      "MOV.i32 r3, r2\n"
                      "STORE.i32.slot0 @r3, r0, offset:0\n"
                      "NOP.end\n",
              "bits 0xffff0000 of staging register r3 are undefined");
  expect_trap("IADD.v2u16 r2.h0, r60, r60\n"
              "MOV.i32 r3, r2\n"
              "BRANCHZ r3, offset:0\n"
              "NOP.end\n",
              "bits 0xffff0000 of source 0 are undefined");
}
END_TEST

#define XOR(to, a, b) "LSHIFT_XOR.i32 " to ", " a ", 0x0, " b "\n"
#define EXCHANGE(a, b) XOR(a, a, b) XOR(b, a, "^" b) XOR(a, "^" a, b)

/* Registers that are exchanged by three exclusive ors hold each other's contents, and nothing
 * else. */
START_TEST(exchanges_of_undefined_bytes) {
  run(ADDRESS "IADD.v2u16 r2.h0, r60, r60\n"
              "IADD_IMM.i32 r3, 0x0, #0x12345678\n" EXCHANGE(
                  "r2", "r3") "STORE.i32.slot0 @r2, r0, offset:0\n"
                              "NOP.end\n");
  ck_assert_uint_eq(word_at(5), 0x12345678);
  run(ADDRESS "IADD.v2u16 r2.h0, r60, r60\n"
              "IADD_IMM.i32 r3, 0x0, #0x12345678\n" EXCHANGE(
                  "r3", "r2") "STORE.i16.slot0 @r3, r0, offset:0\n"
                              "NOP.end\n");
  ck_assert_uint_eq(word_at(5) & 0xFFFF, 10);
  expect_trap(ADDRESS "IADD.v2u16 r2.h0, r60, r60\n"
                      "IADD_IMM.i32 r3, 0x0, #0x12345678\n" EXCHANGE(
                          "r2", "r3") "STORE.i32.slot0 @r3, r0, offset:0\n"
                                      "NOP.end\n",
              "bits 0xffff0000 of staging register r3 are undefined");
}
END_TEST

/* A last use forgets what the register was mixed with, and its own number. */
START_TEST(last_uses_of_undefined_bytes) {
  expect_trap(ADDRESS "IADD.v2u16 r2.h0, r60, r60\n" XOR(
                  "r3", "r2", "r60") "MOV.i32 r4, ^r3\n"
                                     "IADD.v2u16 r3.h0, r60, r60\n" XOR(
                                         "r3", "r3", "r2") "STORE.i32.slot0 @r3, r0, offset:0\n"
                                                           "NOP.end\n",
              "bits 0xffff0000 of staging register r3 are undefined");
  expect_trap(ADDRESS "IADD.v2u16 r2.h0, r60, r60\n" XOR(
                  "r3", "r60", "r2") "MOV.i32 r4, ^r2\n"
                                     "IADD.v2u16 r2.h0, r60, r60\n" XOR(
                                         "r3", "r3", "r2") "STORE.i32.slot0 @r3, r0, offset:0\n"
                                                           "NOP.end\n",
              "bits 0xffff0000 of staging register r3 are undefined");
}
END_TEST

/* A source that is no register has no undefined bytes, whatever r0 contains. */
START_TEST(exclusive_or_with_a_uniform) {
  run("IADD.v2u16 r2.h0, r60, r60\n" XOR("r3", "u3", "r2") ADDRESS
      "STORE.i16.slot0 @r3, r0, offset:0\n"
      "NOP.end\n");
  ck_assert_uint_eq(word_at(5) & 0xFFFF, machine.uniforms[3] ^ 10);
}
END_TEST

/* Only what is not shifted cancels. */
START_TEST(shifted_undefined_bytes) {
  expect_trap(ADDRESS "IADD.v2u16 r2.h0, r60, r60\n"
                      "IADD_IMM.i32 r3, 0x0, #0x12345678\n"
                      "LSHIFT_XOR.i32 r3, r2, u3.b0, r3\n"
                      "LSHIFT_XOR.i32 r3, r2, u3.b0, r3\n"
                      "STORE.i32.slot0 @r3, r0, offset:0\n"
                      "NOP.end\n",
              "of staging register r3 are undefined");
  run(ADDRESS "IADD.v2u16 r2.h0, r60, r60\n"
              "IADD_IMM.i32 r3, 0x0, #0x12345678\n" XOR("r3", "r2", "r3")
                  XOR("r3", "r2", "r3") "STORE.i32.slot0 @r3, r0, offset:0\n"
                                        "NOP.end\n");
  ck_assert_uint_eq(word_at(5), 0x12345678);
}
END_TEST

/* Nothing is known of either in between. */
START_TEST(exchanges_of_halves) {
  run(ADDRESS "IADD.v2u16 r2.h0, r60, r60\n"
              "IADD.v2u16 r3.h1, r60.h00, r60.h00\n" EXCHANGE(
                  "r2", "r3") "STORE.i16.slot0 @r3, r0, offset:0\n"
                              "NOP.end\n");
  ck_assert_uint_eq(word_at(5) & 0xFFFF, 10);
  expect_trap("IADD.v2u16 r2.h0, r60, r60\n"
              "IADD.v2u16 r3.h1, r60.h00, r60.h00\n" XOR("r2", "r2", "r3") "MOV.i32 r4, r2\n"
                                                                           "NOP.end\n",
              "r2 is read but undefined");
  /* A different value was written in between, undefined in the same bytes. */
  expect_trap(ADDRESS
              "IADD.v2u16 r2.h0, r60, r60\n"
              "IADD_IMM.i32 r3, 0x0, #0x12345678\n" XOR(
                  "r3", "r3", "r2") "IADD.v2u16 r4.h0, r60, r60\n"
                                    "MOV.i32 r2, r4\n" XOR(
                                        "r3", "r3", "r2") "STORE.i32.slot0 @r3, r0, offset:0\n"
                                                          "NOP.end\n",
              "bits 0xffff0000 of staging register r3 are undefined");
  /* A last use also forgets what the register was mixed with. */
  expect_trap("IADD.v2u16 r2.h0, r60, r60\n"
              "IADD_IMM.i32 r3, 0x0, #0x12345678\n" XOR("r3", "r3", "^r2")
                  XOR("r3", "r3", "r2") "NOP.end\n",
              "r2 is read after its last use");
}
END_TEST

/* A last use drops both registers of a pair, whichever is read. */
START_TEST(last_uses_of_pairs) {
  expect_trap(ADDRESS "MOV.i32 r3, r60\n"
                      "MOV.i32 r2, r60\n"
                      "STORE.i32.slot0 @r3, r0, offset:0\n"
                      "SHADDX.u64 r6, u0, ^r2.w0, shift:0x0\n"
                      "NOP.end\n",
              "r3 is marked as last used while a message in flight reads it");
  expect_trap(ADDRESS "MOV.i32 r2, r60\n"
                      "LOAD.i32.unsigned.slot0 @r3, r0, offset:0\n"
                      "SHADDX.u64 r6, u0, ^r2.w0, shift:0x0\n"
                      "NOP.end\n",
              "r3 is dropped while a message that writes it is in flight; wait for slot 0 first");
  run(ADDRESS "MOV.i32 r2, r60\n"
              "LOAD.i32.unsigned.slot0.wait0 @r3, r0, offset:0\n"
              "SHADDX.u64 r6, u0, ^r2.w0, shift:0x0\n"
              "NOP.end\n");
}
END_TEST

START_TEST(half_of_a_pair) {
  run("MOV.i32 r4, r60\n"
      "SHADDX.u64 r2, u0, r4.w0, shift:0x2\n"
      "STORE.i32.slot0 @r4, r2, offset:0\n"
      "NOP.end\n");
  ck_assert_uint_eq(word_at(7), 7);
  expect_trap("MOV.i32 r4, r60\n"
              "SHADDX.u64 r2, u0, r4, shift:0x2\n"
              "NOP.end\n",
              "r5 is read but undefined");
  expect_trap("SHADDX.u64 r2, u0, ^r60.w0, shift:0x2\n"
              "MOV.i32 r4, r61\n"
              "NOP.end\n",
              "r61 is read after its last use");
}
END_TEST

START_TEST(divergence_needs_reconverge) {
  expect_trap("BRANCHZ r60, offset:1\n"
              "NOP\n"
              "NOP.end\n",
              "the lanes diverge without the flow reconverge");
  expect_trap("BRANCHZ.reconverge r60, offset:1\n"
              "NOP\n"
              "NOP.end\n",
              "the lane waits at 0x10, which others reach without the flow reconverge");
  run("BRANCHZ.reconverge r60, offset:1\n"
      "NOP.reconverge\n"
      "NOP.end\n");
  run("BRANCHZ u2, offset:1\n"
      "NOP\n"
      "NOP.end\n");
}
END_TEST

START_TEST(leaves_the_program) {
  expect_trap("NOP\n", "the program runs past its end");
  expect_trap("BRANCHZ.eq 0x0, offset:1\n"
              "NOP.end\n",
              "branches out of the program, to instruction 2");
  expect_trap("BRANCHZ.eq 0x0, offset:-2\n"
              "NOP.end\n",
              "branches out of the program, to instruction -1");
}
END_TEST

START_TEST(branches_to_addresses) {
  run("MOV.i32 r0, program_counter.w0\n"
      "IADD_IMM.i32 r1, r0, #0x18\n"
      "BRANCHZI.eq.absolute 0x0, r1\n"
      "MOV.i32 r2, r50\n"
      "IADD_IMM.i32 r1, 0x0, #0x8\n"
      "BRANCHZI.eq 0x0, r1\n"
      "MOV.i32 r2, r50\n"
      "NOP.end\n");
  expect_trap("IADD_IMM.i32 r1, 0x0, #0x4\n"
              "BRANCHZI.eq.absolute 0x0, r1\n"
              "NOP.end\n",
              "branches to a misaligned address");
  expect_trap("IADD_IMM.i32 r1, 0x0, #0x18\n"
              "BRANCHZI.eq.absolute 0x0, r1\n"
              "NOP.end\n",
              "branches out of the program, to instruction 3");
}
END_TEST

START_TEST(memory_bounds) {
  expect_trap(ADDRESS "STORE.i32.slot0 @r60, r0, offset:256\n"
                      "NOP.end\n",
              "store of 4 bytes at 0x2000000080, outside all buffers; the buffer below, 'out', has "
              "256 bytes at 0x1fffffff80");
  expect_trap("LOAD.i32.unsigned.slot0 @r2, u0, offset:-4\n"
              "NOP.end\n",
              "load of 4 bytes at 0x1fffffff7c, outside all buffers");
  expect_trap("LOAD.i32.unsigned.slot0 @r2, u0, offset:2\n"
              "NOP.end\n",
              "load of 4 bytes at 0x1fffffff82, which is not a multiple of 4");
  expect_trap("LOAD.i16.unsigned.slot0 @r2, u0, offset:1\n"
              "NOP.end\n",
              "which is not a multiple of 2");
  expect_trap("LOAD.i128.unsigned.slot0 @r4:r5:r6:r7, u0, offset:244\n"
              "NOP.end\n",
              "load of 16 bytes");
  run("LOAD.i128.unsigned.slot0 @r4:r5:r6:r7, u0, offset:236\n"
      "NOP.end\n");
  machine.launch.shared_bytes = 8;
  expect_trap("MOV.i32 r4, workgroup_local_pointer.w0\n"
              "MOV.i32 r5, workgroup_local_pointer.w1\n"
              "STORE.i64.slot0 @r4:r5, r4, offset:4\n"
              "NOP.end\n",
              "store of 8 bytes");
}
END_TEST

START_TEST(null_addresses_read_zero) {
  set_word(0, 5);
  run("MOV.i32 r2, 0x0\n"
      "IADD_IMM.i32 r3, 0x0, #0x80000000\n"
      "STORE.i32.slot0 @r60, r2, offset:0\n"
      "LOAD.i32.unsigned.slot0.wait0 @r5, r2, offset:0\n" ADDRESS
      "STORE.i32.slot0 @r5, r0, offset:0\n"
      "NOP.end\n");
  ck_assert_uint_eq(word_at(0), 0);
}
END_TEST

static const struct {
  const char *first, *second, *part;
} hazards[] = {
    {"STORE.i32.slot0%s @r60, r0, offset:0\n", "LOAD.i32.unsigned.slot1 @r2, r0, offset:0\n",
     "reads 0x1fffffff80, which a message in flight writes; wait for slot 0 first"},
    {"LOAD.i32.unsigned.slot0%s @r2, r0, offset:0\n", "STORE.i32.slot1 @r60, r0, offset:0\n",
     "writes 0x1fffffff80, which a message in flight reads; wait for slot 0 first"},
    {"STORE.i32.slot0%s @r60, r0, offset:0\n", "STORE.i8.slot0 @r60, r0, offset:3\n",
     "writes 0x1fffffff83, which a message in flight writes; wait for slot 0 first"},
    {"ATOM1.i32.slot0.ainc%s r0, offset:0x0\n", "LOAD.i8.unsigned.slot1 @r2, r0, offset:0\n",
     "reads 0x1fffffff80, which a message in flight writes; wait for slot 0 first"},
    /* The wait for a later load does not cover the earlier one. */
    {"LOAD.i32.unsigned.slot0%s @r2, r0, offset:0\n",
     "LOAD.i32.unsigned.slot1.wait1 @r3, r0, offset:0\n"
     "STORE.i32.slot2 @r60, r0, offset:0\n",
     "writes 0x1fffffff80, which a message in flight reads; wait for slot 0 first"},
};

START_TEST(memory_hazards) {
  const char *wait = ".wait0";
  char *first = g_strdup_printf(hazards[_i].first, "");
  char *unsafe = g_strconcat(ADDRESS, first, hazards[_i].second, "NOP.end\n", NULL);
  expect_trap(unsafe, hazards[_i].part);
  machine.launch.ignore_memory_hazards = true;
  run(unsafe);
  machine.launch.ignore_memory_hazards = false;
  g_free(first);
  first = g_strdup_printf(hazards[_i].first, wait);
  char *safe = g_strconcat(ADDRESS, first, hazards[_i].second, "NOP.end\n", NULL);
  run(safe);
  g_free(first);
  g_free(safe);
  g_free(unsafe);
}
END_TEST

START_TEST(reads_and_neighbors_are_no_hazard) {
  run(ADDRESS "LOAD.i32.unsigned.slot0 @r2, r0, offset:0\n"
              "LOAD.i32.unsigned.slot1 @r3, r0, offset:0\n"
              "STORE.i16.slot2 @r60, r0, offset:64\n"
              "STORE.i16.slot2 @r60, r0, offset:66\n"
              "NOP.end\n");
}
END_TEST

START_TEST(barriers) {
  expect_trap(ADDRESS "STORE.i32.slot0 @r60, r0, offset:0\n"
                      "BARRIER.slot7.wait\n"
                      "NOP.end\n",
              "the barrier is executed while a message of slot 0 is in flight");
  run(ADDRESS "STORE.i32.slot0.wait0 @r60, r0, offset:0\n"
              "BARRIER.slot7.wait\n"
              "NOP.end\n");
  expect_trap("BARRIER.slot7\n"
              "NOP.end\n",
              "the barrier needs the flow wait");
  expect_trap("BRANCHZ.reconverge r60, offset:1\n"
              "BARRIER.slot7.wait\n"
              "NOP.end\n",
              "only some lanes of the warp execute the barrier");
}
END_TEST

START_TEST(uniforms) {
  expect_trap("MOV.i32 r2, u6\n"
              "NOP.end\n",
              "uniform word 6 is read, but the launch has only 6");
  run("MOV.i32 r2, u5\n"
      "NOP.end\n");
  GError *error = run_text("FMA.f32 r2, u2, u3, u4\nNOP.end\n", false);
  ck_assert_ptr_nonnull(error);
  ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_TRAP));
  g_error_free(error);
}
END_TEST

static GError *
run_words(const uint64_t *words, size_t size) {
  GError *error = NULL;
  bool ok = norn_simulate_valhall(words, size, "9", &machine.launch, NULL, &error);
  ck_assert(ok == !error);
  return error;
}

START_TEST(garbage) {
  const uint64_t zero = 0, ones = UINT64_MAX;
  GError *error = run_words(&zero, 8);
  ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_TRAP));
  g_error_free(error);
  error = run_words(&ones, 8);
  ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_TRAP));
  g_error_free(error);
  error = run_words(&zero, 7);
  ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_INVALID));
  ck_assert_str_eq(error->message,
                   "code of 7 bytes, expected a multiple of 8 from 8 to less than 2^30");
  g_error_free(error);
  error = run_words(&zero, 0);
  ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_INVALID));
  g_error_free(error);
  error = NULL;
  ck_assert(!norn_simulate_valhall(&zero, 8, "8", &machine.launch, NULL, &error));
  ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED));
  g_error_free(error);
}
END_TEST

/* A value for a field: mostly legal, sources mostly defined. */
static uint32_t
random_value(const NornIsaField *field, uint64_t random) {
  static const uint8_t codes[] = {56, 58, 60, 60, 60, 128, 130, 132, 192, 200, 208, 0, 124};
  if (field->kind == NORN_ISA_FIELD_CODE)
    return norn_isa_field_width(field) == 8 ? codes[random % G_N_ELEMENTS(codes)] : random & 62;
  if (field->kind != NORN_ISA_FIELD_ENUM)
    return (uint32_t)(random & random >> 20);
  unsigned value = random & 63;
  while (!(field->allowed >> value & 1))
    value = (value + 1) & 63;
  return value;
}

static uint64_t
random_word(const NornIsa *isa, uint64_t *state) {
  const NornIsaEncoding *encoding = &isa->encodings[norn_random_next(state) % isa->encoding_count];
  uint64_t word = encoding->word;
  for (unsigned i = 0; i < encoding->field_count; i++) {
    const NornIsaField *field = &encoding->fields[i];
    bool is_flow = field->number == NORN_VALHALL_FIELD_FLOW;
    if (field->kind == NORN_ISA_FIELD_BANK)
      continue;
    if (field->has_default && norn_random_next(state) & (is_flow ? 7 : 1))
      continue;
    uint64_t bits = norn_isa_insert(field, random_value(field, norn_random_next(state)));
    word = (word & ~norn_isa_insert(field, UINT64_MAX)) | bits;
  }
  word = norn_isa_derive(isa, encoding, word);
  uint64_t random = norn_random_next(state);
  return random & 31 ? word : word ^ UINT64_C(1) << (random >> 50 & 63);
}

/* Programs of random instructions, some with a flipped bit: any outcome except a crash is
 * correct. */
START_TEST(survives_random_programs) {
  const NornImage image = {0, 0, {4, 8, NORN_CHANNEL_UNORM}, 2, 2, 1, 1, 1, 4};
  const NornSampler sampler = {.maximum_lod = 4};
  const NornResource resources[] = {{.handle = 0, .image = &image, .sampler = &sampler},
                                    {.handle = 1, .buffer = 0, .stride = 4}};
  const NornIsa *isa = norn_isa_find("valhall");
  uint64_t state = 88172645463325252u, executed = 0;
  unsigned runs = getenv("NORN_TEST_QUICK") ? 500 : 20000;
  machine.launch.step_limit = 2000;
  machine.launch.shared_bytes = machine.launch.scratch_bytes = 64;
  const NornVertexState vertex = {.position_buffer = 0};
  const NornFragmentState fragment = {.samples = 4, .depth_target = &image, .targets = {&image}};
  machine.launch.workgroup[0] = 8;
  machine.launch.workgroup[1] = 2;
  machine.launch.resources = resources;
  machine.launch.resource_count = G_N_ELEMENTS(resources);
  machine.launch.vertex = &vertex;
  machine.launch.fragment = &fragment;
  for (unsigned i = 0; i < runs; i++) {
    uint64_t words[12];
    machine.launch.stage = (NornShaderStage)(i % 3);
    GError *error = NULL;
    for (unsigned k = 0; k < G_N_ELEMENTS(words); k++)
      words[k] = GUINT64_TO_LE(random_word(isa, &state));
    bool ok =
        norn_simulate_valhall(words, sizeof words, "9", &machine.launch, &machine.report, &error);
    ck_assert(ok == !error);
    executed += machine.report.instructions;
    g_clear_error(&error);
  }
  ck_assert_uint_gt(executed, runs + runs / 2);
}
END_TEST

START_TEST(limits) {
  machine.launch.step_limit = 1000;
  GError *error = run_text("NOP\nBRANCHZ.eq 0x0, offset:-2\nNOP.end\n", true);
  ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_LIMIT));
  ck_assert_str_eq(error->message,
                   "stopped at 0x0 (NOP), invocation 0 (lane 0): reached the limit of 1000 steps");
  g_error_free(error);
  machine.launch.scratch_bytes = SIZE_MAX;
  error = run_text("NOP.end\n", true);
  ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_LIMIT));
  g_error_free(error);
}
END_TEST

/* --- Runs with a seed --- */

#define SEEDS 12

/* Runs with each seed; words from `first` on must be the numbers from 0 to `count` - 1 in some
 * order. Returns whether the order ever differed from that without a seed. */
static bool
orders_differ(const char *text, unsigned first, unsigned count) {
  uint32_t usual[WORDS];
  bool differ = false;
  for (unsigned seed = 0; seed <= SEEDS; seed++) {
    uint64_t seen = 0;
    memset(norn_memory_bytes(machine.memory, 0, NULL), 0, WORDS * 4);
    machine.launch.seed = seed;
    run(text);
    for (unsigned i = 0; i < count; i++) {
      ck_assert_uint_lt(word_at(first + i), count);
      seen |= UINT64_C(1) << word_at(first + i);
      differ |= seed && word_at(first + i) != usual[i];
      usual[i] = seed ? usual[i] : word_at(first + i);
    }
    ck_assert_uint_eq(seen, (UINT64_C(1) << count) - 1);
  }
  return differ;
}

/* The lanes of a message complete in any order. */
START_TEST(messages_complete_in_any_order) {
  ck_assert(orders_differ(ADDRESS "ATOM1_RETURN.i32.slot0.ainc.wait0 @r2, u0, offset:0x0\n"
                                  "STORE.i32.slot0 @r2, r0, offset:4\n"
                                  "NOP.end\n",
                          1, 16));
}
END_TEST

/* A wait for one slot finishes all of its messages and may leave those of others. */
START_TEST(a_wait_finishes_its_messages) {
  for (unsigned seed = 1; seed <= 20; seed++) {
    for (unsigned i = 0; i < 20; i++)
      set_word(i, 0);
    machine.launch.seed = seed;
    run(ADDRESS "ATOM1_RETURN.i32.slot0.ainc @r2, u0, offset:0x0\n"
                "ATOM1_RETURN.i32.slot1.ainc @r3, u0, offset:0x4\n"
                "ATOM1_RETURN.i32.slot0.ainc.wait0 @r4, u0, offset:0x8\n"
                "IADD.u32 r2, r2, r4\n"
                "STORE.i32.slot0.wait01 @r2, r0, offset:16\n"
                "NOP.end\n");
    uint32_t sum = 0;
    for (unsigned i = 0; i < 16; i++)
      sum += word_at(4 + i);
    ck_assert_uint_eq(sum, 16 * 15); /* 0 to 15, twice */
    ck_assert_uint_eq(word_at(1), 16);
  }
}
END_TEST

/* Warps take turns: the number that one counts between two accesses of another differs. */
START_TEST(warps_take_turns_in_any_order) {
  machine.launch.workgroup[0] = 1;
  machine.launch.grid[0] = 1;
  ck_assert(!orders_differ(ADDRESS "ATOM1_RETURN.i32.slot0.ainc.wait0 @r2, u0, offset:0x0\n"
                                   "STORE.i32.slot0 @r2, r0, offset:4\n"
                                   "NOP.end\n",
                           1, 1));
  machine.launch.workgroup[0] = 33;
  ck_assert(orders_differ(ADDRESS "ATOM1_RETURN.i32.slot0.ainc.wait0 @r2, u0, offset:0x0\n"
                                  "STORE.i32.slot0 @r2, r0, offset:4\n"
                                  "NOP.end\n",
                          1, 33));
}
END_TEST

/* Either side of a branch may run first, but both are finished before the following code. */
START_TEST(sides_of_a_branch_run_in_any_order) {
  machine.launch.workgroup[0] = 2;
  ck_assert(orders_differ(ADDRESS "BRANCHZ.reconverge r60, offset:2\n"
                                  "ATOM1_RETURN.i32.slot0.ainc.wait0 @r2, u0, offset:0x0\n"
                                  "BRANCHZ.eq.reconverge 0x0, offset:2\n"
                                  "ATOM1_RETURN.i32.slot0.ainc.wait0 @r2, u0, offset:0x0\n"
                                  "NOP.reconverge\n"
                                  "WMASK r3, 0xFFFFFFFF\n"
                                  "IADD.u32 r2, r2, r3\n"
                                  "IADD_IMM.i32 r2, r2, #0xFFFFFFFD\n"
                                  "STORE.i32.slot0 @r2, r0, offset:4\n"
                                  "NOP.end\n",
                          1, 2));
}
END_TEST

START_TEST(empty_grid) {
  machine.launch.grid[1] = 0;
  run("NOP\n");
  ck_assert_uint_eq(machine.report.invocations, 0);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("valhall simulator");
  TCase *tests = tcase_create("valhall simulator");
  tcase_add_checked_fixture(tests, setup, teardown);
  tcase_add_test(tests, stores_ids);
  tcase_add_test(tests, preloads_compute_ids);
  tcase_add_test(tests, loops_until_each_lane_is_done);
  tcase_add_test(tests, nests_divergence);
  tcase_add_test(tests, exchanges_between_lanes);
  tcase_add_test(tests, reads_special_values);
  tcase_add_test(tests, places_narrow_loads);
  tcase_add_test(tests, stores_parts);
  tcase_add_test(tests, counts_atomically);
  tcase_add_test(tests, adds_words_to_64_bits);
  tcase_add_test(tests, shares_memory_across_a_barrier);
  tcase_add_test(tests, gives_each_thread_its_memory);
  tcase_add_test(tests, reads_buffers_by_handle);
  tcase_add_test(tests, message_in_flight);
  tcase_add_test(tests, staging_may_be_overwritten_after_issue);
  tcase_add_test(tests, last_uses);
  tcase_add_test(tests, undefined_registers);
  tcase_add_test(tests, half_defined_registers_move);
  tcase_add_test(tests, exchanges_of_undefined_bytes);
  tcase_add_test(tests, last_uses_of_undefined_bytes);
  tcase_add_test(tests, exclusive_or_with_a_uniform);
  tcase_add_test(tests, shifted_undefined_bytes);
  tcase_add_test(tests, exchanges_of_halves);
  tcase_add_test(tests, half_of_a_pair);
  tcase_add_test(tests, last_uses_of_pairs);
  tcase_add_test(tests, divergence_needs_reconverge);
  tcase_add_test(tests, leaves_the_program);
  tcase_add_test(tests, branches_to_addresses);
  tcase_add_test(tests, memory_bounds);
  tcase_add_test(tests, null_addresses_read_zero);
  tcase_add_loop_test(tests, memory_hazards, 0, G_N_ELEMENTS(hazards));
  tcase_add_test(tests, reads_and_neighbors_are_no_hazard);
  tcase_add_test(tests, barriers);
  tcase_add_test(tests, uniforms);
  tcase_add_test(tests, garbage);
  tcase_add_test(tests, survives_random_programs);
  tcase_add_test(tests, limits);
  tcase_add_test(tests, messages_complete_in_any_order);
  tcase_add_test(tests, a_wait_finishes_its_messages);
  tcase_add_test(tests, warps_take_turns_in_any_order);
  tcase_add_test(tests, sides_of_a_branch_run_in_any_order);
  tcase_add_test(tests, empty_grid);
  suite_add_tcase(suite, tests);
  return suite;
}
