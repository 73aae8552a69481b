/* Register allocation of random programs for a made-up target whose moves are generic copies.
 * Each result is proved by the symbolic checker, and the checker is shown to detect changes. */
#include "check/allocation.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "ir_text.h"
#include "passes/regalloc/allocate.h"
#include "passes/regalloc/spill.h"
#include "random_program.h"
#include "unit.h"
#include <norn/interpret.h>
#include <norn/module.h>
#include <stdlib.h>
#include <string.h>

static NornRef
build_move(const NornTarget *target, NornBuilder *builder, NornType type, NornRef source) {
  (void)target;
  return norn_build_copy(builder, type, source);
}

/* Whether a truth value has been exchanged with an integer, which no generic operation can do. */
static bool has_mixed_types;

static NornRef
build_xor(const NornTarget *target, NornBuilder *builder, NornType type, NornRef a, NornRef b) {
  (void)target;
  has_mixed_types |= norn_value(builder->function, norn_ref_payload(a))->type != type ||
                     norn_value(builder->function, norn_ref_payload(b))->type != type;
  return norn_build_xor(builder, type, a, b);
}

/* Spilled values are in a separate buffer. */
#define SPILL_ADDRESS UINT64_C(0x100000)
#define SPILL_SIZE 65536

static void
build_spill(const NornTarget *target, NornBuilder *builder, NornRef value, unsigned offset) {
  (void)target;
  NornType type = norn_value(builder->function, norn_ref_payload(value))->type;
  norn_build_store_global(builder, type, value, norn_build_bits(builder, SPILL_ADDRESS + offset),
                          0);
}

static NornRef
build_fill(const NornTarget *target, NornBuilder *builder, NornType type, unsigned offset) {
  (void)target;
  return norn_build_load_global(builder, type, norn_build_bits(builder, SPILL_ADDRESS + offset), 0);
}

static bool
is_move(const NornTarget *target, const NornFunction *function, const NornInst *inst,
        NornRef *source, uint32_t *constant) {
  (void)target;
  (void)constant;
  *source = norn_operands(function, inst)[0];
  return inst->op == NORN_OP_COPY;
}

static bool
is_xor(const NornTarget *target, const NornFunction *function, const NornInst *inst,
       NornRef sources[2]) {
  (void)target;
  if (inst->op != NORN_OP_XOR)
    return false;
  sources[0] = norn_operands(function, inst)[0];
  sources[1] = norn_operands(function, inst)[1];
  return true;
}

static void
fix_nothing(NornFixedRegisters *fixed) {
  memset(fixed, NORN_NO_REGISTER, sizeof *fixed);
  fixed->clobbered = NORN_NO_REGISTERS;
  fixed->low = 0;
}

/* Stores of four words require r0 to r3 and clobber r4 to r7 and r48; 64-bit sums must be in
 * r10. */
static bool
fixed_registers(const NornTarget *target, const NornFunction *function, const NornInst *inst,
                NornFixedRegisters *fixed) {
  (void)target;
  (void)function;
  fix_nothing(fixed);
  if (inst->op == NORN_OP_STORE_GLOBAL && inst->type == NORN_TYPE_W4) {
    fixed->operand[0] = 0;
    fixed->clobbered = norn_regs_union(norn_regs_range(0, 8), norn_regs_of(48));
    return true;
  }
  if (inst->op == NORN_OP_XOR && inst->type == NORN_TYPE_I64) {
    fixed->result[0] = 10;
    return true;
  }
  if (inst->op == NORN_OP_ICMP) {
    fixed->low = 2;
    return true;
  }
  return false;
}

/* Operands in registers that the instruction keeps, where they may live on: of stores, and of
 * 64-bit sums, whose result must be elsewhere. Others are read as the low register of a pair. */
static bool
kept_registers(const NornTarget *target, const NornFunction *function, const NornInst *inst,
               NornFixedRegisters *fixed) {
  (void)target;
  (void)function;
  fix_nothing(fixed);
  if (inst->op == NORN_OP_STORE_GLOBAL) {
    fixed->operand[0] = inst->type == NORN_TYPE_W4 ? 0 : 2;
    fixed->clobbered = norn_regs_range(6, 2);
    return true;
  }
  if (inst->op == NORN_OP_XOR && inst->type == NORN_TYPE_I64) {
    fixed->operand[0] = 4;
    fixed->operand[1] = 8;
    fixed->result[0] = 10;
    return true;
  }
  if (inst->op == NORN_OP_ICMP || (inst->op == NORN_OP_IADD && inst->type == NORN_TYPE_I32)) {
    fixed->low = 3;
    return true;
  }
  return false;
}

/* Whether comparisons change registers. */
static bool comparisons_clobber;

/* Sums whose results may be anywhere: one operand is required in registers of which the instruction
 * changes a part, if it is a pair. Comparisons read the low register of a pair. */
static bool
free_results(const NornTarget *target, const NornFunction *function, const NornInst *inst,
             NornFixedRegisters *fixed) {
  (void)target;
  (void)function;
  fix_nothing(fixed);
  if (inst->op == NORN_OP_IADD && inst->type == NORN_TYPE_I32) {
    fixed->operand[1] = 3;
    fixed->clobbered = norn_regs_of(8);
    return true;
  }
  if (inst->op == NORN_OP_IADD && inst->type == NORN_TYPE_I64) {
    fixed->operand[0] = 4;
    fixed->clobbered = norn_regs_range(5, 2);
    return true;
  }
  if (inst->op == NORN_OP_ICMP) {
    fixed->low = 3;
    fixed->clobbered = norn_regs_range(0, comparisons_clobber ? 12 : 0);
    return true;
  }
  return false;
}

static bool
no_fixed_registers(const NornTarget *target, const NornFunction *function, const NornInst *inst,
                   NornFixedRegisters *fixed) {
  (void)target;
  (void)function;
  (void)inst;
  (void)fixed;
  return false;
}

static const NornRegisterFile registers = {
    .classes = {{"r", 0, 64, 32, {1, 1, 2, 2, 2, 2, 2, 2, 2}, 0}},
    .class_count = 1,
};

/* More registers than bits in a word of a set; groups of four and more start at multiples of
 * four. */
static const NornRegisterFile many_registers = {
    .classes = {{"r", 0, 100, 32, {1, 1, 2, 2, 4, 4, 4, 4, 4}, 0}},
    .class_count = 1,
};

static const NornTarget description = {
    .occupancies = {{{{UINT64_C(0xFFFF00000000FFFF)}}, 2}, {{{UINT64_MAX}}, 1}},
    .chaos_file = {{UINT64_C(0xF000000000FFFFFF)}},
    .spill_register_bytes = 4,
    .spill_piece_bytes = 16,
    .fixed_registers = no_fixed_registers,
    .build_move = build_move,
    .build_xor = build_xor,
    .is_move = is_move,
    .is_xor = is_xor,
    .build_spill = build_spill,
    .build_fill = build_fill,
};

/* The target bound to a machine with that number of registers. */
static NornTarget
bind(const NornRegisterFile *file) {
  NornMachine machine = {.registers = file};
  NornTarget target;
  norn_target_bind(&description, &machine, &target);
  return target;
}

/* Spills and allocates until the registers suffice, as the pass group does. */
static bool
allocate(NornPassContext *context, NornFunction *function, GError **error) {
  for (unsigned round = 0; round < 8; round++) {
    g_clear_error(error);
    if (!norn_pass_spill(context, function, error))
      return false;
    norn_pass_blocks_changed(context); /* the wrapper does that for the passes that it runs */
    if (norn_pass_allocate(context, function, error))
      return true;
  }
  return false;
}

/* Allocates a random program; the pass proves its result. */
static void
allocate_one(uint32_t seed, const RandomProgram *shape, const NornTarget *machine, unsigned chaos) {
  GRand *random = g_rand_new_with_seed(seed);
  NornModule *module = random_program(random, shape);
  NornCompileOptions options = {.chaos = chaos, .seed = seed * 977 + 1, .verify = true};
  NornCompileInfo info = {0};
  NornPassContext context = {
      .module = module, .target = machine, .options = &options, .info = &info};
  GError *error = NULL;
  bool ok = norn_module_verify(module, &error);
  ck_assert_msg(ok, "seed %u: %s", seed, ok ? "" : error->message);
  has_mixed_types = false;
  ok = allocate(&context, module->functions[0], &error);
  ck_assert_msg(ok, "seed %u: %s", seed, ok ? "" : error->message);
  ok = has_mixed_types || norn_module_verify(module, &error);
  ck_assert_msg(ok, "seed %u: %s", seed, ok ? "" : error->message);
  norn_pass_context_clear(&context);
  norn_module_free(module);
  g_rand_free(random);
}

static unsigned
rounds(void) {
  return getenv("NORN_TEST_QUICK") ? 20 : 400;
}

START_TEST(words_and_pairs) {
  NornTarget target = bind(&registers);
  RandomProgram shape = {.instructions = 60, .depth = 3, .pressure = 12};
  for (uint32_t seed = 0; seed < rounds(); seed++)
    allocate_one(seed, &shape, &target, 0);
}
END_TEST

START_TEST(groups) {
  NornTarget target = bind(&registers);
  RandomProgram shape = {.instructions = 80, .depth = 3, .pressure = 10, .groups = true};
  for (uint32_t seed = 0; seed < rounds(); seed++)
    allocate_one(seed, &shape, &target, 0);
}
END_TEST

START_TEST(tight) {
  NornTarget target = bind(&registers);
  for (uint32_t seed = 0; seed < rounds(); seed++) {
    RandomProgram shape = {
        .instructions = 100, .depth = 4, .pressure = 2 + seed % 8, .groups = seed % 5 != 0};
    allocate_one(seed, &shape, &target, NORN_CHAOS_SPILL);
  }
}
END_TEST

START_TEST(any_order) {
  NornTarget target = bind(&registers);
  RandomProgram shape = {.instructions = 120, .depth = 4, .pressure = 20, .groups = true};
  for (uint32_t seed = 0; seed < rounds(); seed++)
    allocate_one(seed, &shape, &target, NORN_CHAOS_REGISTERS);
}
END_TEST

/* A register file whose sets need two words, and a program that uses the second one. */
START_TEST(beyond_a_word) {
  RandomProgram shape = {.instructions = 120, .depth = 3, .pressure = 50, .groups = true};
  NornTarget target = bind(&many_registers);
  target.occupancies[0] = (NornOccupancy){{{UINT64_MAX << 20, (UINT64_C(1) << 36) - 1}}, 1};
  target.occupancies[1].threads = 0;
  target.registers.all = target.occupancies[0].registers;
  for (uint32_t seed = 0; seed < rounds(); seed++)
    allocate_one(seed, &shape, &target, seed & 1 ? NORN_CHAOS_REGISTERS : 0);
}
END_TEST

START_TEST(fixed) {
  RandomProgram shape = {.instructions = 80, .depth = 3, .pressure = 10, .groups = true};
  NornTarget machine = bind(&registers);
  machine.fixed_registers = fixed_registers;
  for (uint32_t seed = 0; seed < rounds(); seed++)
    allocate_one(seed, &shape, &machine, seed & 1 ? NORN_CHAOS_REGISTERS : 0);
}
END_TEST

START_TEST(fixed_and_kept) {
  NornTarget machine = bind(&registers);
  machine.fixed_registers = kept_registers;
  for (uint32_t seed = 0; seed < rounds(); seed++) {
    RandomProgram shape = {
        .instructions = 80, .depth = 3, .pressure = 8 + seed % 16, .groups = seed % 3 != 0};
    allocate_one(seed, &shape, &machine, seed & 1 ? NORN_CHAOS_REGISTERS : 0);
  }
}
END_TEST

START_TEST(fixed_and_free) {
  NornTarget machine = bind(&registers);
  machine.fixed_registers = free_results;
  for (uint32_t seed = 0; seed < rounds(); seed++) {
    comparisons_clobber = seed & 2;
    RandomProgram shape = {
        .instructions = 80, .depth = 3, .pressure = 8 + seed % 16, .groups = seed % 3 != 0};
    allocate_one(seed, &shape, &machine, seed & 1 ? NORN_CHAOS_REGISTERS : 0);
  }
}
END_TEST

/* The program's results in its memory. */
static uint8_t *
run(const NornModule *module) {
  NornMemory *memory = norn_memory_new();
  uint8_t start[RANDOM_PROGRAM_MEMORY];
  for (unsigned k = 0; k < sizeof start; k++)
    start[k] = (uint8_t)(k * 37 + k / 256);
  ck_assert(norn_memory_add(memory, "data", RANDOM_PROGRAM_ADDRESS, start, sizeof start, NULL));
  ck_assert(norn_memory_add(memory, "spill", SPILL_ADDRESS, NULL, SPILL_SIZE, NULL));
  NornLaunch launch = {.memory = memory, .grid = {1, 1, 1}, .workgroup = {1, 1, 1}};
  GError *error = NULL;
  bool ok = norn_interpret(module, &launch, NULL, &error);
  ck_assert_msg(ok, "%s", ok ? "" : error->message);
  uint8_t *result = g_memdup2(norn_memory_bytes(memory, 0, NULL), RANDOM_PROGRAM_MEMORY);
  norn_memory_free(memory);
  return result;
}

static void
expect_same(const NornModule *module, const uint8_t *expected, uint32_t seed, const char *when) {
  uint8_t *now = run(module);
  ck_assert_msg(!memcmp(now, expected, RANDOM_PROGRAM_MEMORY), "seed %u: differs %s", seed, when);
  g_free(now);
}

static unsigned
measure(const NornFunction *function, const NornTarget *target) {
  NornArena arena = {0};
  NornDominance *dominance = norn_dominance_new(&arena, function);
  NornLiveness *live = norn_liveness_new(&arena, function, dominance);
  NornPressure *pressure = norn_pressure_new(&arena, function, dominance, live, &target->registers);
  unsigned max = pressure->max.of[0];
  norn_arena_free(&arena);
  return max;
}

/* Spilling and allocation do not change a program's results, and the pressure is reduced to the
 * limit. */
static void
spill_one(uint32_t seed, const RandomProgram *shape, unsigned limit, unsigned chaos) {
  NornTarget target = bind(&registers);
  GRand *random = g_rand_new_with_seed(seed);
  NornModule *module = random_program(random, shape);
  NornFunction *function = module->functions[0];
  NornCompileOptions options = {.chaos = chaos, .seed = seed, .verify = true};
  NornCompileInfo info = {0};
  NornPassContext context = {
      .module = module, .target = &target, .options = &options, .info = &info};
  GError *error = NULL;
  ck_assert_msg(norn_module_verify(module, &error), "seed %u: %s", seed, error->message);
  uint8_t *expected = run(module);
  norn_prepare_edges(&context, function);
  expect_same(module, expected, seed, "after preparing the edges");
  bool ok = norn_spill(&context, function, (NornRegisterCounts){{limit}}, &error);
  ck_assert_msg(ok, "seed %u: %s", seed, ok ? "" : error->message);
  ok = norn_module_verify(module, &error);
  ck_assert_msg(ok, "seed %u: %s", seed, ok ? "" : error->message);
  ck_assert_msg(measure(function, &target) <= limit, "seed %u: pressure %u", seed,
                measure(function, &target));
  expect_same(module, expected, seed, "after spilling");
  norn_pass_blocks_changed(&context);
  ok = allocate(&context, function, &error);
  ck_assert_msg(ok, "seed %u: %s", seed, ok ? "" : error->message);
  if (!(chaos & NORN_CHAOS_SPILL))
    expect_same(module, expected, seed, "after allocation");
  g_free(expected);
  norn_pass_context_clear(&context);
  norn_module_free(module);
  g_rand_free(random);
}

START_TEST(spilled_words) {
  for (uint32_t seed = 0; seed < rounds(); seed++) {
    RandomProgram shape = {
        .instructions = 100, .depth = 4, .pressure = 10 + seed % 40, .executable = true};
    spill_one(seed, &shape, 7 + seed % 10, 0);
  }
}
END_TEST

START_TEST(spilled_groups) {
  for (uint32_t seed = 0; seed < rounds(); seed++) {
    RandomProgram shape = {.instructions = 100,
                           .depth = 4,
                           .pressure = 10 + seed % 20,
                           .groups = true,
                           .executable = true};
    spill_one(seed, &shape, 30 + seed % 31, 0);
  }
}
END_TEST

/* The checker must detect it when an instruction reads the wrong register. */
START_TEST(checker_notices) {
  NornTarget target = bind(&registers);
  RandomProgram shape = {.instructions = 60, .depth = 2, .pressure = 12, .groups = true};
  unsigned noticed = 0, tried = 0;
  for (uint32_t seed = 0; seed < rounds(); seed++) {
    GRand *random = g_rand_new_with_seed(seed);
    NornModule *module = random_program(random, &shape);
    NornCompileOptions options = {0};
    NornCompileInfo info = {0};
    NornPassContext context = {
        .module = module, .target = &target, .options = &options, .info = &info};
    NornFunction *function = module->functions[0];
    norn_prepare_edges(&context, function);
    NornFunction *before = norn_function_copy(function);
    if (norn_pass_allocate(&context, function, NULL)) {
      uint32_t victim = (uint32_t)g_rand_int_range(random, 0, (int)function->value_count);
      NornValue *value = norn_value(function, victim);
      if (value->reg != NORN_REGISTER_NONE && value->def != NORN_INDEX_NONE) {
        value->reg = value->reg ^ 2;
        tried++;
        noticed += !norn_check_allocation(context.target, function, before, NULL);
      }
    }
    norn_function_free(before);
    norn_pass_context_clear(&context);
    norn_module_free(module);
    g_rand_free(random);
  }
  ck_assert_uint_gt(tried, rounds() / 2);
  ck_assert_uint_ge(noticed, tried * 9 / 10);
}
END_TEST

/* The number of instructions, weighted by loop depth. */
static uint64_t
weigh(const NornFunction *function) {
  NornArena arena = {0};
  NornDominance *dominance = norn_dominance_new(&arena, function);
  uint64_t weight = 0;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst)
      weight += norn_loop_weight(dominance, block);
  norn_arena_free(&arena);
  return weight;
}

/* What spilling to the limit and allocation, if they happen, add to random programs. */
static void
measure_costs(const NornTarget *target, const RandomProgram *shape, unsigned limit,
              uint64_t *spilling, uint64_t *allocation) {
  *spilling = *allocation = 0;
  for (uint32_t seed = 1; seed <= 100; seed++) {
    GRand *random = g_rand_new_with_seed(seed);
    NornModule *module = random_program(random, shape);
    NornFunction *function = module->functions[0];
    NornCompileOptions options = {0};
    NornCompileInfo info = {0};
    NornPassContext context = {
        .module = module, .target = target, .options = &options, .info = &info};
    norn_prepare_edges(&context, function);
    uint64_t start = weigh(function);
    if (limit)
      ck_assert(norn_spill(&context, function, (NornRegisterCounts){{limit}}, NULL));
    norn_pass_blocks_changed(&context);
    uint64_t spilled = weigh(function);
    ck_assert(allocate(&context, function, NULL));
    *spilling += spilled - start;
    *allocation += weigh(function) - spilled;
    norn_pass_context_clear(&context);
    norn_module_free(module);
    g_rand_free(random);
  }
}

/* Heuristics must not make the code worse. A number below its limit is better code: lower the
 * limit. */
START_TEST(costs) {
  static const struct {
    RandomProgram shape;
    unsigned limit;
    bool is_fixed;
    uint64_t spilling, allocation;
  } rows[] = {
      {{.instructions = 100, .depth = 4, .pressure = 20}, 0, false, 0, 329148},
      {{.instructions = 100, .depth = 3, .pressure = 16, .groups = true}, 0, false, 0, 202169},
      {{.instructions = 100, .depth = 3, .pressure = 50, .groups = true}, 0, false, 0, 232637},
      {{.instructions = 100, .depth = 3, .pressure = 16, .groups = true}, 0, true, 0, 586571},
      {{.instructions = 150, .depth = 4, .pressure = 30}, 12, false, 746640, 554290},
      {{.instructions = 150, .depth = 4, .pressure = 60}, 40, false, 153588, 613806},
      {{.instructions = 100, .depth = 4, .pressure = 30, .groups = true}, 50, false, 50809, 746905},
  };
  for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
    NornTarget target = bind(&registers);
    if (rows[i].is_fixed)
      target.fixed_registers = kept_registers;
    uint64_t spilling, allocation;
    measure_costs(&target, &rows[i].shape, rows[i].limit, &spilling, &allocation);
    ck_assert_msg(spilling <= rows[i].spilling && allocation <= rows[i].allocation,
                  "row %u: spilling %" G_GUINT64_FORMAT ", allocation %" G_GUINT64_FORMAT, i,
                  spilling, allocation);
  }
}
END_TEST

/* Counts the passes of register allocation when they are dumped: 10 * spill + allocate. */
static void
count_passes(const NornModule *module, const char *pass, gpointer count) {
  (void)module;
  *(unsigned *)count += !strcmp(pass, "spill") ? 10 : !strcmp(pass, "allocate");
}

/* Pairs of staging registers leave gaps in a small file: if allocation fails the first time,
 * more is spilled, and each attempt is a pass of its own. */
START_TEST(spilling_again) {
  unsigned again = 0;
  for (uint32_t seed = 1; seed < 40; seed++) {
    NornModule *module = parse_text(
        "shader fragment @t {\n"
        "  fau sampler: i32 @ 0, bias: f32 @ 1\n"
        "entry:\n"
        "  %uv = load.varying.center.w2.f32\n"
        "  %u, %v = split.f32.w2 %uv\n"
        "  %a = tex.2d.w4.f32 0x04000001, fau.sampler, 0, %u, %v\n"
        "  %b = tex_bias.2d_array.w2.f16 0x04000002, 0x03000000, 258, %u, %v, 3.0, fau.bias\n"
        "  %d = tex_gradient.2d.i32.i32 0x04000004, 0x03000000, 0, %u, %v, 0.5, 0.2, 0.0, 1.0\n"
        "  store.color.f32.w4 %a, target:1\n"
        "  store.color.f16.w2 %b, target:2\n"
        "  %x = bitcast.f32.i32 %d\n"
        "  %o = collect.f32.w4 %x, %x, %x, 1.0\n"
        "  store.color.f32.w4 %o\n"
        "  end\n"
        "}\n");
    NornCompileOptions options;
    unsigned count = 0;
    GError *error = NULL;
    norn_compile_options_init(&options);
    options.chaos = NORN_CHAOS_SPILL | NORN_CHAOS_REGISTERS | NORN_CHAOS_SCHEDULE;
    options.seed = seed;
    options.dump = count_passes;
    options.dump_data = &count;
    GBytes *code = norn_compile(module, &options, NULL, &error);
    ck_assert_msg(code != NULL, "seed %u: %s", seed, code ? "" : error->message);
    ck_assert_uint_eq(count % 10, 1);
    again += count > 11;
    g_bytes_unref(code);
    norn_module_free(module);
  }
  ck_assert_uint_gt(again, 0);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("allocate");
  TCase *cases = tcase_create("random programs");
  tcase_set_timeout(cases, 120);
  tcase_add_test(cases, words_and_pairs);
  tcase_add_test(cases, groups);
  tcase_add_test(cases, tight);
  tcase_add_test(cases, any_order);
  tcase_add_test(cases, beyond_a_word);
  tcase_add_test(cases, fixed);
  tcase_add_test(cases, fixed_and_kept);
  tcase_add_test(cases, fixed_and_free);
  tcase_add_test(cases, spilled_words);
  tcase_add_test(cases, spilled_groups);
  tcase_add_test(cases, checker_notices);
  tcase_add_test(cases, costs);
  tcase_add_test(cases, spilling_again);
  suite_add_tcase(suite, cases);
  return suite;
}
