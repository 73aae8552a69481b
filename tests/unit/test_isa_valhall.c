/* The Valhall description: real encodings, refusals, old and Arm's names, comparison with
 * outside sources. Round trips of words are tested in test_isa.c. */
#include "isa/isa.h"
#include "tests/oracle/compare.h"
#include "tests/words.h"
#include "unit.h"
#include <glib/gstdio.h>
#include <norn/valhall.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const NornIsa *isa;

static void
setup(void) {
  isa = norn_isa_find("valhall");
  ck_assert_ptr_nonnull(isa);
}

/* The words of a text, or 0 with the error's message in *message. */
static bool
assemble_one(unsigned architecture, const char *text, uint64_t *word, char **message) {
  GError *error = NULL;
  NornIsaAssembleOptions options = {.architecture = architecture};
  GBytes *bytes = norn_isa_assemble(isa, text, strlen(text), "x", &options, &error);
  if (!bytes) {
    ck_assert_ptr_nonnull(error);
    ck_assert_int_eq(error->domain, NORN_ERROR);
    *message = g_strdup(error->message);
    g_error_free(error);
    return false;
  }
  gsize size;
  const void *data = g_bytes_get_data(bytes, &size);
  ck_assert_msg(size == 8, "%s: %zu bytes", text, size);
  memcpy(word, data, 8);
  *word = GUINT64_FROM_LE(*word);
  g_bytes_unref(bytes);
  return true;
}

static uint64_t
word_of(const char *architecture, const char *text) {
  uint64_t word = 0;
  char *message = NULL;
  int number = norn_isa_architecture(isa, architecture);
  ck_assert_int_ge(number, 0);
  ck_assert_msg(assemble_one((unsigned)number, text, &word, &message), "%s", message);
  return word;
}

static char *
text_of(unsigned architecture, uint64_t word) {
  char line[NORN_ISA_LINE];
  norn_isa_print(isa, architecture, word, NORN_ISA_PRINT_OFFSETS, line);
  return g_strdup(line);
}

static char **
read_lines(const char *name) {
  char *path = g_build_filename(NORN_TEST_DIR, "oracle", name, NULL), *text;
  GError *error = NULL;
  ck_assert_msg(g_file_get_contents(path, &text, NULL, &error), "%s", error ? error->message : "");
  char **lines = g_strsplit(text, "\n", -1);
  g_free(text);
  g_free(path);
  return lines;
}

static bool
is_comment(const char *line) {
  return !*line || *line == '#';
}

/* ------------------------------------------------------------------------- real encodings */

static uint64_t
word_of_hex(const char *hex) {
  uint64_t word = 0;
  for (unsigned i = 0; i < 8; i++) {
    char digits[3] = {hex[2 * i], hex[2 * i + 1], 0};
    word |= (uint64_t)strtoul(digits, NULL, 16) << 8 * i;
  }
  return word;
}

START_TEST(real_code_round_trips) {
  char **lines = read_lines("valhall-asm.tsv");
  unsigned count = 0;
  for (char **line = lines; *line; line++) {
    if (is_comment(*line))
      continue;
    const char *text = strchr(*line, '\t') + 1;
    uint64_t expected = word_of_hex(*line), word = 0;
    char *message = NULL;
    ck_assert_msg(assemble_one(0, text, &word, &message), "%s", message);
    ck_assert_msg(word == expected, "%s: %016" G_GINT64_MODIFIER "x", text, word);
    char *printed = text_of(0, expected);
    ck_assert_str_eq(printed, text);
    g_free(printed);
    count++;
  }
  ck_assert_uint_eq(count, 137);
  g_strfreev(lines);
}
END_TEST

/* The messages for the refused lines, in order. */
static const char *const refusals[] = {
    "expected ',' and another operand",
    "unexpected ',' after the operands",
    "'r64' is not a destination",
    "'r64' is not a source",
    "'u0' is not a destination",
    "'FADD.q32' is not an instruction",
    "'FROB.f32' is not an instruction",
    "expected ',' and another operand",
    "'' is not a number",
    "'offset:67108864' is out of range: -67108864 to 67108863",
    "'offset:-67108865' is out of range",
    "'offset:32768' is out of range: -32768 to 32767",
    "expected ',' and another operand",
    "'#0x100000000' is out of range",
    "'shift:0x8' is out of range: 0 to 7",
    "'h0' is not a modifier here",
    "'clamp_m1_1' is not a modifier here",
    "'wait0126': flow is given twice",
    "'end': flow is given twice",
    "'end': flow is given twice",
    "'b3' is not a modifier here",
    "'neg' is not a modifier here",
    "'h1': swizzle1 is given twice",
    "'slot0' is not a modifier here; BARRIER takes: slot7",
    "'slot5' is not a modifier here",
    "'0x12345678' is not in the table of constants",
    "at most one 64-bit uniform slot",
    "at most one 64-bit uniform slot",
    "at most two different 32-bit words",
    "at most two different 32-bit words",
    "at most one special FAU value",
    "'lane_id.w0' needs fau_page 3, but it is already 1",
    "'u65' needs fau_page 1, but it is already 0",
    "starts at an even register",
    "'r4': staging registers must be consecutive",
    "has 2 staging registers here, not 1",
    "starts at an even register",
    "'r1' cannot be a destination of IADD.u64: expected 64 bits",
    "'r3' cannot be a source of IADD.u64: expected 64 bits",
    "staging registers of LOAD.i32 must begin with '@'",
};

START_TEST(refuses_with_the_rule) {
  char **lines = read_lines("valhall-asm-negative.txt");
  unsigned count = 0;
  for (char **line = lines; *line; line++) {
    if (is_comment(*line))
      continue;
    ck_assert_uint_lt(count, G_N_ELEMENTS(refusals));
    uint64_t word;
    char *message = NULL;
    ck_assert_msg(!assemble_one(0, *line, &word, &message), "accepted: %s", *line);
    ck_assert_msg(strstr(message, refusals[count]) != NULL, "%s: %s", *line, message);
    ck_assert_msg(g_str_has_prefix(message, "x:1:"), "%s", message);
    g_free(message);
    count++;
  }
  ck_assert_uint_eq(count, G_N_ELEMENTS(refusals));
  g_strfreev(lines);
}
END_TEST

static const struct {
  const char *text, *message;
} broken[] = {
    {"ATOM1_RETURN.i32.slot0.ainc @r4:r5, r2, offset:0x0", "has 1 staging register here, not 2"},
    {"ATOM1_RETURN.i32.slot0.ainc r2, offset:0x0", "begin with '@'"},
    {"ATOM1_RETURN.i32.slot0.ainc @, r3, offset:0x0", "start at an even register"},
    {"FADD.f32 r0, u62, u64", "'u64' needs fau_page 1, but it is already 0"},
    {"FADD.f32 r0, u64, 0x0", "'0x0' needs fau_page 0, but it is already 1"},
    {"FADD.f32 r0, lane_id.w0, u64", "'u64' needs fau_page 1, but it is already 3"},
    {"IADD.u64 r0, u0, u2", "at most one 64-bit uniform slot"},
    {"IADD.u64 r0, u0, 0x1000000", "at most two different 32-bit words"},
    {"FMA.f32 r0, thread_local_pointer.w0, thread_local_pointer.w1, u64",
     "at most two different 32-bit words"},
    {"CSEL.f32.eq r0, 0x0, 0x3F800000, u0, r1", "at most two different 32-bit words"},
    {"LD_TILE.v3.f16.slot0 @r4:r5, u0, u2, u4", "a message at most two"},
    {"LD_TILE.v3.f16.slot0 @r4:r5, u0, u64, u1", "'u64' needs fau_page 1, but it is already 0"},
    {"FADD.f32 r0, blend_descriptor_0.w0, atest_datum.w0", "at most one special FAU value"},
    {"LOAD.i32.slot0 @r0, program_counter.w0, offset:0",
     "only ALU instructions can read the special values of page 3 and warp_id"},
    {"STORE.i32.slot0 @r0, warp_id.w0, offset:0",
     "only ALU instructions can read the special values of page 3 and warp_id"},
    {"LOAD.i96.slot0 @r3:r4:r5, r6, offset:0", "starts at an even register"},
    {"LOAD.i128.slot0 @r62:r63:r64:r65, r6, offset:0", "'r64:r65' is not a staging register"},
    {"LOAD.i128.slot0 @r62:r63:r0:r1, r6, offset:0", "staging registers must be consecutive"},
    {"LOAD.i32.slot0 @^r0, r2, offset:0", "'^r0' is not a staging register"},
    {"LOAD.i8.d0.slot0 @r0, r2, offset:0", "has 2 staging registers here, not 1"},
    {"LOAD.i32.slot0 @r0, u1, offset:0", "'u1' cannot be a source of LOAD.i32: expected 64 bits"},
    {"LOAD.i32.slot0.slot1 @r0, r2, offset:0", "slot is given twice"},
    {"MOV.i32 r0, ^u1", "'^u1' is not a source"},
    {"ATEST.slot1 @r60, r60, r3, atest_datum.w0", "'slot1' is not a modifier here"},
    {"VAR_TEX_SINGLE.slot0.center_store.dst32.rgb.2d.computed @r0:r1, u0, r3",
     "breaks the rule mask"},
    {"VAR_TEX_BUF_SINGLE.slot0.center_store.32.2d.src_f16.computed @r0:r1, u0, r3",
     "'src_f16' of VAR_TEX_BUF_SINGLE exists only since architecture 10"},
    {"FADD.f32 r0, u0, u2", "x:1:18: 'u2': FADD.f32 breaks the rule uniform_slots"},
    {"FMA.f32.wait r0, u0, u1.neg, 0x3F800000.neg",
     "x:1:30: '0x3F800000.neg': FMA.f32 breaks the rule fau_words"},
    {"FMA.f32.wait r0, u0, 0x0, constant21",
     "x:1:27: 'constant21': FMA.f32 breaks the rule fau_words"},
    {"IADD.u32 r0, lane_id.w0, core_id.w0",
     "x:1:26: 'core_id.w0': IADD.u32 breaks the rule one_sp"},
    {"LD_BUFFER.i32.slot0 @r0, r1, warp_id.w0", "x:1:30: 'warp_id.w0': LD_BUFFER.i32 breaks"},
    {"STORE.i128.slot0 @r1:r2:r3:r4, r6, offset:0", "x:1:18: '@r1:r2:r3:r4': STORE.i128 breaks"},
    {"ATOM_RETURN.i64.slot0.axchg @r0:r1, @r3:r4, r4, offset:0", "x:1:37: '@r3:r4': ATOM_RETURN"},
    {"BLEND.slot0.v4.f32 @r0:r1:r2:r3, u0, target:0, u64", "x:1:48: 'u64' needs fau_page 1"},
    {"BLEND.slot0.v4.f32 @r0:r1:r2:r3, u0, u64, target:0", "x:1:38: 'u64' needs fau_page 1"},
    {"ADR r0, #-2147483649", "'#-2147483649' is out of range: -2147483648 to 4294967295"},
    {"ST_CVT.slot0.u32 @r0, r4, r6, offset:256", "'offset:256' is out of range: 0 to 255"},
    {"BLEND.slot0.v4.f16.end @r0:r1, blend_descriptor_0.w1, r60, target:0x0", "expected 64 bits"},
    {"IADD.u64 r0, r2, lane_id.w1",
     "'lane_id.w1' cannot be a source of IADD.u64: expected 64 bits"},
    {"TEX_SINGLE.slot0.f.32.computed @r0:r1:r2:r3, @r4:r5, u0",
     "x:1:31: TEX_SINGLE needs its dimension, one of 1d 2d 3d cube"},
    {"TEX_SINGLE.slot0.f.32.2d.computed @r0:r1:r2:r3, @r4, u0",
     "has 2 staging registers here, not 1"},
    {"ICMP_OR.u32.m1 r0, r1, r2, r3", "ICMP_OR.u32 needs its condition"},
};

START_TEST(refuses_what_breaks_a_rule) {
  for (unsigned i = 0; i < G_N_ELEMENTS(broken); i++) {
    uint64_t word;
    char *message = NULL;
    ck_assert_msg(!assemble_one(0, broken[i].text, &word, &message), "accepted: %s",
                  broken[i].text);
    ck_assert_msg(strstr(message, broken[i].message) != NULL, "%s: %s", broken[i].text, message);
    g_free(message);
  }
}
END_TEST

/* ------------------------------------------------------------------------- names */

/* Whether a name has an encoding on one of the architectures that the old descriptions cover. */
static bool
resolves(const char *text) {
  size_t length = strlen(text);
  const NornIsaMnemonic *found =
      norn_isa_find_mnemonic(isa, text, length, norn_isa_hash(text, length));
  for (unsigned i = 0; found && i < found->count; i++)
    for (unsigned architecture = 0; architecture < 2; architecture++)
      if (norn_isa_name_encoding(isa, architecture, isa->name_lists[found->first + i]))
        return true;
  return false;
}

static unsigned
count_resolved(const char *file) {
  char **lines = read_lines(file);
  unsigned count = 0;
  for (char **line = lines; *line; line++) {
    if (is_comment(*line))
      continue;
    ck_assert_msg(resolves(*line), "%s is unknown", *line);
    count++;
  }
  g_strfreev(lines);
  return count;
}

START_TEST(old_names_resolve) {
  ck_assert_uint_eq(count_resolved("valhall-names-2021.txt"), 190);
  ck_assert_uint_eq(count_resolved("valhall-names.txt"), 252);
}
END_TEST

/* Texts with the same meaning on an architecture; the second is how it is printed. */
static const struct {
  const char *architecture, *alias, *text;
} same[] = {
    {"9", "ATOM1_RETURN.i32.slot0.ainc @, r4, offset:0x4", "ATOM1.i32.slot0.ainc r4, offset:0x4"},
    {"9", "ATOM1_RETURN.i64.slot1.aor1.wait0 @, ^r4, offset:0x8",
     "ATOM1.i64.slot1.aor1.wait0 ^r4, offset:0x8"},
    /* 2021 */
    {"9", "CSEL.i32.gt r0, r1, r2, r3, r4", "CSEL.s32.gt r0, r1, r2, r3, r4"},
    {"9", "FRSCALE.f32 r0, r1.neg, r2", "LDEXP.f32 r0, r1.neg, r2"},
    {"9", "S8_TO_F16 r0, r1.b31", "V2S8_TO_V2F16 r0, r1.b31"},
    {"9", "MKVEC.v4i8 r0, r1.b1, r2.b2, r3", "MKVEC.v2i8 r0, r1.b1, r2.b2, r3"},
    {"9", "CUBEFACE2 r0, r1, r2, r3", "CUBEFACE2_V9 r0, r1, r2, r3"},
    {"9", "LD_VAR_IMM_F32.slot0.v4.src_f32.center.store @r0:r1:r2:r3, r61, index:0x8",
     "LD_VAR_BUF_IMM.f32.slot0.v4.src_f32.center.store @r0:r1:r2:r3, r61, index:0x8"},
    {"9", "ICMP.u32.gt.and.m1 r0, r1, r2, r3", "ICMP_AND.u32.gt.m1 r0, r1, r2, r3"},
    {"9", "ICMP.s32.seq.m1.lt r0, r1, r2, r3", "ICMP_MULTI.s32.lt.m1 r0, r1, r2, r3"},
    {"9", "ICMP.v4u8.ne.i1 r0, r1, r2, r3", "ICMP_OR.v4u8.ne.i1 r0, r1, r2, r3"},
    {"9", "FCMP.f32.and.gt.f1 r0, r1.abs, r2, r3", "FCMP_AND.f32.gt.f1 r0, r1.abs, r2, r3"},
    {"9", "LEA_ATTR.slot1.wait0 @r4:r5, ^r59, unk:0xD",
     "LEA_BUF_IMM.slot1.wait0 @r4:r5, ^r59, table:0xD, index:0x0"},
    {"9", "NOP.return", "NOP.end"},
    {"9", "NOP.td", "NOP.discard"},
    {"9", "NOP.barrier", "NOP.wait"},
    {"9", "MOV.i32.ts r0, tls_ptr_hi", "MOV.i32 r0, thread_local_pointer.w1"},
    {"9", "MOV.i32.ts r0, wls_ptr", "MOV.i32 r0, workgroup_local_pointer.w0"},
    {"9", "MOV.i32.id r0, lane_id", "MOV.i32 r0, lane_id.w0"},
    {"9", "IADD.u32.id.saturate r0, core_id, r2", "IADD.u32.saturate r0, core_id.w0, r2"},
    {"9", "MOV.i32 r0, program_counter", "MOV.i32 r0, program_counter.w0"},
    {"9", "ATEST.td @r60, r60, 0x3F800000, atest_datum",
     "ATEST.discard @r60, r60, 0x3F800000, atest_datum.w0"},
    {"9", "BLEND.slot0.v4.f16.return @r0:r1, blend_descriptor_7, r60, target:0x0",
     "BLEND.slot0.v4.f16.end @r0:r1, blend_descriptor_7.w0, r60, target:0x0"},
    {"9", "LOAD.i32.slot0 @r0, workgroup_local_pointer, offset:4",
     "LOAD.i32.slot0 @r0, workgroup_local_pointer.w0, offset:4"},
    {"9", "IADD.u64 r0, r2, thread_local_pointer", "IADD.u64 r0, r2, thread_local_pointer.w0"},
    {"13", "MOV.i32 r0, prepass_state", "MOV.i32 r0, prepass_state.w0"},
    {"9", "STORE.i32.pos.slot0 @r0, r2, offset:0", "STORE.i32.istream.slot0 @r0, r2, offset:0"},
    {"9", "STORE.i32.tl.slot0 @r0, r2, offset:0", "STORE.i32.force.slot0 @r0, r2, offset:0"},
    /* Arm */
    {"9", "FMUL.f32 r0, r1, r2.neg", "FMA.f32 r0, r1, r2.neg, 0x0.neg"},
    {"14", "FMUL.f32.rtn r0, r1, r2", "FMA.f32.rtn r0, r1, r2, 0x0"},
    {"14", "FMUL.f32.round_down r0, r1, r2", "FMA.f32.rtn r0, r1, r2, 0x0"},
    {"9", "FMUL.v2f16.round_down r0, r1, r2", "FMA.v2f16.rtn r0, r1, r2, 0x0"},
    {"9", "FMUL.v2f16.rtz r0, r1.h10, r2", "FMA.v2f16.rtz r0, r1.h10, r2, 0x0.neg"},
    {"9", "FNEG.f32 r0, r1.h1", "FADD.f32 r0, r1.neg.h1, 0x0.neg"},
    {"9", "FABS.v2f16 r0, r1.h11", "FADD.v2f16 r0, r1.abs.h11, 0x0.neg"},
    {"11", "F32_TO_F16.rtz r0.h01, r1.abs", "FADD.f32.rtz r0.h01, r1.abs, 0x0.neg"},
    {"11", "F32_TO_F16.rtn r0.h1, r1", "FADD.f32.rtn r0.h1, r1, 0x0"},
    {"11", "F32_TO_F16.round_down r0.h1, r1", "FADD.f32.rtn r0.h1, r1, 0x0"},
    {"9", "LSHIFT_AND.i32.not r0, r1, r2.b1, r3.not",
     "LSHIFT_AND.i32.not_result r0, r1, r2.b11, r3.not"},
    {"9", "AND.i32 r0, r1, r2.not", "LSHIFT_AND.i32 r0, r1, 0x0.b00, r2.not"},
    {"9", "OR.v4i8.not_result r0, r1.b3210, r2",
     "LSHIFT_OR.v4i8.not_result r0, r1.b3210, 0x0.b0123, r2"},
    {"9", "XOR.i64 r0, r2, r4", "LSHIFT_XOR.i64 r0, r2, 0x0.b00, r4"},
    {"9", "NOT.i32 r0, r1", "LSHIFT_XOR.i32 r0, r1, 0x0.b00, 0x0.not"},
    {"9", "NOT.v2i16 r0, r1.h10", "LSHIFT_XOR.v2i16 r0, r1.h10, 0x0.b02, 0x0.not"},
    {"9", "LSHIFT.i32 r0, r1, r2.b0", "LSHIFT_OR.i32 r0, r1, r2.b00, 0x0"},
    {"9", "ARSHIFT.i32 r0, r1, r2", "RSHIFT_OR.i32.signed r0, r1, r2.b00, 0x0"},
    {"9", "ARSHIFT_XOR.v2i16 r0, r1, r2, r3", "RSHIFT_XOR.v2i16.signed r0, r1, r2.b02, r3"},
    {"9", "LROT.i32 r0, r1, r2", "LROT_OR.i32 r0, r1, r2.b00, 0x0"},
    {"9", "ICMP.u32.gt r0, r1, r2", "ICMP_OR.u32.gt.i1 r0, r1, r2, 0x0"},
    {"9", "FCMP.v2f16.le.m1 r0, r1, r2", "FCMP_OR.v2f16.le.m1 r0, r1, r2, 0x0"},
    {"9", "MOV_IMM.i32 r0, #0x1234", "IADD_IMM.i32 r0, 0x0, #0x1234"},
    {"9", "SWZ.v2i16 r0, r1.h10", "IADD.v2u16 r0, r1.h10, 0x0"},
    {"9", "SWZ.v4i8 r0, r1.b3210", "IADD.v4u8 r0, r1.b3210, 0x0"},
    {"9", "ADR r0, #0x10", "IADD_IMM.i32 r0, program_counter.w0, #0x10"},
    {"9", "ADR r0, #-8", "IADD_IMM.i32 r0, program_counter.w0, #0xFFFFFFF8"},
    {"9", "ADR r0, #0xFFFFFFF8", "IADD_IMM.i32 r0, program_counter.w0, #0xFFFFFFF8"},
    {"9", "ATEST.slot0 @r60, r60, r3.h1, r4", "ATEST @r60, r60, r3.h1, r4"},
    {"9", "ST_CVT.slot0.v4.u32 @r0:r1:r2:r3, r4, offset:1, r6",
     "ST_CVT.slot0.v4.u32 @r0:r1:r2:r3, r4, r6, offset:0x1"},
    {"9", "LD_CVT.slot0.f16 @r0, r4, offset:255, r6", "LD_CVT.slot0.f16 @r0, r4, r6, offset:0xFF"},
    {"9", "BLEND.slot0.f16 @r0:r1, u0, target:3, r60",
     "BLEND.slot0.v4.f16 @r0:r1, u0, r60, target:0x3"},
    {"9", "LD_VAR_BUF_IMM.f32.slot0.src_f32.center.store @r4, r61, offset:16",
     "LD_VAR_BUF_IMM.f32.slot0.src_f32.center.store @r4, r61, index:0x10"},
    {"14", "LD_VAR_BUF_FLAT_IMM.slot0.flat32 @r4, offset:2047",
     "LD_VAR_BUF_FLAT_IMM.slot0.flat32 @r4, index:0x7FF"},
    {"9", "TEX_SINGLE.slot0.dst32.r.tex2d.compare.explicit @r0, @r4:r5:r6:r7, u0",
     "TEX_SINGLE.slot0.32.r.2d.shadow.explicit @r0, @r4:r5:r6:r7, u0"},
    {"9", "VAR_TEX_SINGLE.slot0.center_store.dst16.rgb.tex2d.computed @r0:r1, u0, r3",
     "VAR_TEX_SINGLE.slot0.center_store.16.2d.computed @r0:r1, u0, r3"},
    {"9",
     "VAR_TEX_BUF_GATHER.slot0.retrieve.dst32.rgba.tex2d.src_f32.gather4_r @r0:r1:r2:r3, u0, r3",
     "VAR_TEX_BUF_GATHER.slot0.retrieve.32.2d.gather4_r @r0:r1:r2:r3, u0, r3"},
    {"9",
     "VAR_TEX_DUAL.slot0.center_store.primary_dst16.primary_rgba.secondary_dst32.secondary_rg.2d."
     "computed @r0:r1:r2:r3, u0, r3",
     "VAR_TEX_DUAL.slot0.center_store.16.32.2d.computed @r0:r1:r2:r3, u0, r3"},
    {"9", "SEG_SUB.u64 r0, r2, r4", "SEG_ADD.u64.neg r0, r2, r4"},
    {"9", "SHADD.s64 r0, r2, r4.w0, shift:0x3", "SHADDX.s64 r0, r2, r4.w0, shift:0x3"},
    {"9", "IMUL.u64 r0, r2, r4", "IMULD.u64 r0, r2.w0, r4.w0"},
    {"9", "IMUL.v2u16 r0, r1, r2", "IMUL.v2i16 r0, r1, r2"},
    {"9", "CLPER.xor r0, r1, r2", "CLPER.i32.xor r0, r1, r2.b0"},
    {"9", "IDPADD.v4u8 r0, r1, r2, r3", "IDP.v4u8 r0, r1, r2, r3"},
    {"9", "FATAN_TABLE.f32 r0, r1, r2", "FATAN_ASSIST.f32.second r0, r1, r2"},
    {"9", "FMA_RSCALE.f32.left.rtz r0, r1, r2, r3, r4",
     "FMA_RSCALE_LEFT.f32.rtz r0, r1, r2, r3, r4"},
    {"9", "FMUL_RSCALE.f32.n r0, r1, r2, r3", "FMA_RSCALE_N.f32 r0, r1, r2, 0x0.neg, r3"},
    {"9", "FADD_RSCALE.f32 r0, r1, r2, r3", "FMA_RSCALE.f32 r0, r1, 0x3F800000, r2, r3"},
    {"9", "BRANCH.not r1, offset:-2", "BRANCHZ.eq r1, offset:-2"},
    {"11", "JUMP.not 0x0, r2", "BRANCHZI.eq.absolute 0x0, r2"},
    {"9", "LD_PKA.i32.slot1.zext @r0, r1, r2", "LD_BUFFER.i32.unsigned.slot1 @r0, r1, r2"},
    {"9", "LEA_PKA.slot0 @r0:r1, r2, r3", "LEA_BUFFER.slot0 @r0:r1, r2, r3"},
    {"9", "AXCHG.i64.slot0 @r0:r1, @r2:r3, r4, offset:0x8",
     "ATOM_RETURN.i64.slot0.axchg @r0:r1, @r2:r3, r4, offset:0x8"},
    {"9", "ACMPXCHG.i32.slot0 @r0, @r2:r3, r4, offset:0x0",
     "ATOM_RETURN.i32.slot0.compare.axchg @r0, @r2:r3, r4, offset:0x0"},
    {"9", "LD_VAR_SPECIAL.point.v2.center @r0:r1, r61",
     "LD_VAR_SPECIAL.v2.f32.center.clobber.slot0 @r0:r1, r61, index:0x0"},
    {"12", "FEXP.f16 r0, r1.h1.neg", "FPOW.f16 r0, 0x40000000.h10, r1.neg.h10"},
    /* left out because there is only one value */
    {"9", "LOAD.i64.slot0 @r2:r3, r4, offset:8", "LOAD.i64.unsigned.slot0 @r2:r3, r4, offset:8"},
    {"9", "BARRIER.wait", "BARRIER.slot7.wait"},
    {"9", "BLEND.f32.wait @r0:r1:r2:r3, blend_descriptor_1.w0, r60, target:0x2",
     "BLEND.slot0.v4.f32.wait @r0:r1:r2:r3, blend_descriptor_1.w0, r60, target:0x2"},
};

START_TEST(aliases_mean_the_current_instruction) {
  for (unsigned i = 0; i < G_N_ELEMENTS(same); i++) {
    uint64_t alias = word_of(same[i].architecture, same[i].alias);
    uint64_t word = word_of(same[i].architecture, same[i].text);
    char *printed = text_of((unsigned)norn_isa_architecture(isa, same[i].architecture), alias);
    ck_assert_str_eq(printed, same[i].text);
    ck_assert_msg(alias == word, "%s: %016" G_GINT64_MODIFIER "x", same[i].alias, alias);
    g_free(printed);
  }
}
END_TEST

/* The manual's entry on a word, and text that must not be in it. */
START_TEST(manual_finds_names_meanings_and_modifiers) {
  static const struct {
    const char *word, *has, *lacks;
  } searches[] = {
      {"fmul.f32", "FMUL.f32                 9 to 14    = FMA.f32, with .rtn\n", "FMUL.v2f16"},
      {"FMUL.f32", "another name for FMA.f32, with .round_down\n", "ISUB"},
      {"clamp_0_1", "FADD.f32                 9 to 14    Float addition\n", "IADD.u32"},
      {"neg0", "FADD.f32", "IADD.u32"},
      {"subnormal", "FLUSH.f32", "IADD.u32"},
      {"BRANCHZI", "|eq|co|000     |\n", "|00000000|"},
      {"ST_CVT", "\nalso: ST_CVT\n  ST_CVT[.slot]", "another name for ST_CVT"},
      {"TEX_DUAL", "\nalso: TEX_DUAL, with .secondary_rg\n", "another name"},
  };
  for (unsigned i = 0; i < G_N_ELEMENTS(searches); i++) {
    char *text = norn_isa_describe(isa, -1, searches[i].word);
    ck_assert_msg(text && strstr(text, searches[i].has), "%s: %s", searches[i].word, text);
    ck_assert_msg(!strstr(text, searches[i].lacks), "%s: %s", searches[i].word, text);
    g_free(text);
  }
  ck_assert_ptr_null(norn_isa_describe(isa, -1, "nosuchword"));
  char *manual = norn_isa_manual(isa);
  ck_assert_ptr_nonnull(strstr(manual, "Section CSEL</p>"));
  ck_assert_ptr_nonnull(strstr(manual, "<a href=\"#FMA.f32\">FMA.f32, with .rtn</a>"));
  g_free(manual);
}
END_TEST

/* ------------------------------------------------------------------------- architectures */

static const struct {
  const char *architecture, *text;
  uint64_t word;
} words[] = {
    /* fields by hand: source codes, modifiers, destination, opcode, page, flow */
    {"9", "LD_VAR_BUF_IMM.f32.slot0.src_f32.center.store @r4, r61, index:0xFF", 0x005C840202FF003D},
    {"11", "LD_VAR_BUF_IMM.f32.slot0.src_f32.center.store @r4, r61, index:0x7FF",
     0x005C84020207FF3D},
    {"9", "FRCP.f32 r1, r2.neg.h1", 0x009CC14020000002},
    {"11", "FRCP.f16 r1.h01, r2.h10", 0x009C010010010002},
    {"9", "TEX_FETCH.slot0.f.32.2d @r0:r1:r2:r3, @r60:r61, u0", 0x01257C3417C00080},
    {"9", "TEX_SINGLE.slot1.skip.u.16.2d.explicit @r4:r5, @r0:r1:r2, u2", 0x012800965BC48082},
    {"10", "NOP.wait_resource", 0x6000C00000000000},
    {"14", "NOP.continue", 0x7000C00000000000},
    {"9", "RSHIFT_OR.i32.signed r0, r1, 0x0.b00, r2.not", 0x00B4C00C1102C001},
    {"9", "JUMP_EX.eq.call.diverge r1, r2, r3", 0x003FC01300030201},
    {"9", "JUMP_EX.return.wait r1, r2, r3", 0x483FC00000030201},
    {"12", "LD_CHECKED_IMM.i48.slot0 @r2:r3, r4, offset:0xABC, r6", 0x007282A42006BC04},
    {"14", "LD_CHECKED_IMM.i48.slot0.oob_ignore @r2:r3, r4, offset:0xABC, r6", 0x007282A42006BC04},
    {"9", "ATOM1.i32.slot0.ainc r4, offset:0x4", 0x0069400018000404},
    {"9", "LD_GCLK.slot0.cycle_counter @r2:r3", 0x0044820400000006},
};

/* The parts of its operand that the modifier `field` of a line selects. */
static NornIsaSwizzle
swizzle_of(const char *text, unsigned field) {
  uint64_t word = word_of("9", text);
  const NornIsaEncoding *encoding = norn_isa_decode(isa, 0, word);
  ck_assert_msg(norn_isa_field_exists(encoding, field), "%s", text);
  return *norn_isa_swizzle(isa, norn_isa_field(encoding, field),
                           norn_isa_field_get(encoding, field, word));
}

START_TEST(swizzles_select_parts) {
  static const struct {
    const char *text;
    NornIsaSwizzle swizzle; /* of the first source */
  } rows[] = {
      {"FADD.f32 r0, r1, r2", {0}},
      {"FADD.f32 r0, r1.h0, r2", {16, 1, {0}}},
      {"FADD.f32 r0, r1.h1, r2", {16, 1, {1}}},
      {"FADD.v2f16 r0, r1, r2", {16, 2, {0, 1}}},
      {"FADD.v2f16 r0, r1.h10, r2", {16, 2, {1, 0}}},
      {"IADD.s32 r0, r1.b3, r2", {8, 1, {3}}},
      {"IADD.s64 r0, r2.w0, r4", {32, 1, {0}}},
      {"IADD.v2s16 r0, r1.b31, r2", {8, 2, {3, 1}}},
      {"IADD.v2s16 r0, r1.b23, r2", {8, 2, {2, 3}}},
      {"IADD.v4u8 r0, r1.b3210, r2", {8, 4, {3, 2, 1, 0}}},
      {"IADD.v4u8 r0, r1.b2233, r2", {8, 4, {2, 2, 3, 3}}},
      {"V2S8_TO_V2S16 r0, r1.b30", {8, 2, {3, 0}}},
      {"S8_TO_S32 r0, r1.b2", {8, 1, {2}}},
  };
  for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
    NornIsaSwizzle found = swizzle_of(rows[i].text, NORN_VALHALL_FIELD_SWIZZLE0);
    ck_assert_msg(memcmp(&found, &rows[i].swizzle, sizeof found) == 0, "%s: %u bits, %u lanes",
                  rows[i].text, found.bits, found.count);
  }
  NornIsaSwizzle loaded =
      swizzle_of("LOAD.i8.unsigned.slot0.h1 @r0, r2, offset:0", NORN_VALHALL_FIELD_LANE);
  ck_assert(loaded.bits == 16 && loaded.count == 1 && loaded.index[0] == 1);
}
END_TEST

/* If a source's modifier is a swizzle, each of its values selects parts within the operand. */
START_TEST(swizzles_stay_within_the_operand) {
  for (unsigned i = 0; i < isa->encoding_count; i++) {
    const NornIsaEncoding *encoding = &isa->encodings[i];
    for (unsigned k = 0; k < encoding->field_count; k++) {
      const NornIsaField *field = &encoding->fields[k];
      for (unsigned value = 0; field->swizzles != UINT32_MAX && value < 64; value++) {
        if (!(field->allowed >> value & 1))
          continue;
        const NornIsaSwizzle *swizzle = norn_isa_swizzle(isa, field, value);
        ck_assert_uint_eq(swizzle->bits != 0, swizzle->count != 0);
        for (unsigned lane = 0; lane < swizzle->count; lane++)
          ck_assert_uint_le((swizzle->index[lane] + 1u) * swizzle->bits, 64);
      }
    }
  }
}
END_TEST

START_TEST(instructions_have_types) {
  static const struct {
    unsigned instruction;
    NornIsaType type;
  } rows[] = {
      {NORN_VALHALL_FADD_F32, {NORN_ISA_TYPE_FLOAT, 1, 32}},
      {NORN_VALHALL_FADD_V2F16, {NORN_ISA_TYPE_FLOAT, 2, 16}},
      {NORN_VALHALL_IADD_S32, {NORN_ISA_TYPE_SIGNED, 1, 32}},
      {NORN_VALHALL_IADD_U64, {NORN_ISA_TYPE_UNSIGNED, 1, 64}},
      {NORN_VALHALL_IADD_V4U8, {NORN_ISA_TYPE_UNSIGNED, 4, 8}},
      {NORN_VALHALL_LSHIFT_AND_V2I16, {NORN_ISA_TYPE_BITS, 2, 16}},
      {NORN_VALHALL_S16_TO_F32, {NORN_ISA_TYPE_SIGNED, 1, 16}},
      {NORN_VALHALL_V2U8_TO_V2U16, {NORN_ISA_TYPE_UNSIGNED, 2, 8}},
      {NORN_VALHALL_F32_TO_S32, {NORN_ISA_TYPE_FLOAT, 1, 32}},
      {NORN_VALHALL_NOP, {NORN_ISA_TYPE_UNKNOWN, 0, 0}},
      {NORN_VALHALL_FEXP_TABLE_U4, {NORN_ISA_TYPE_UNKNOWN, 0, 0}},
  };
  for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
    const NornIsaEncoding *encoding = norn_isa_encoding(isa, 0, rows[i].instruction);
    ck_assert_msg(memcmp(&encoding->type, &rows[i].type, sizeof encoding->type) == 0, "%s",
                  norn_isa_instruction_name(isa, rows[i].instruction));
  }
}
END_TEST

/* Words in code from other compilers, although the field table reserves a value or a bit of
 * them; up to that architecture. */
static const struct {
  unsigned until; /* index of the architecture */
  uint64_t word;
  const char *text;
} observed[] = {
    {1, 0x00b4c3010002c041, "LSHIFT_AND.i32 r3, ^r1, 0x0.b02, r2"},
    {1, 0x00b4c309018604c0, "LSHIFT_OR.i32 r3, 0x0, r4.b02, u6.not"},
    {1, 0x00b4c9010245c80a, "LSHIFT_XOR.i32 r9, r10, 0x3020100.b02, ^r5"},
    {1, 0x00b4c30000028101, "RSHIFT_AND.i32 r3, r1, u1.b02, r2"},
    {1, 0x00a0d420000f0b11, "CLPER.i32.subgroup8 r20, r17, r11.b02"},
    {1, 0x0090c70030140048, "U16_TO_U32 r7, ^r8.h11"},
    {1, 0x0090c70020140048, "U16_TO_U32 r7, ^r8.h01"},
    {1, 0x0090c70030040085, "S16_TO_S32 r7, u5.h11"},
    {1, 0x0090c70030150085, "U16_TO_F32 r7, u5.h11"},
    {1, 0x00a1c20020050dc0, "MKVEC.v2i16 r2, 0x0.h01, r13.h00"},
    {1, 0x00a1c2000805c00d, "MKVEC.v2i16 r2, r13.h00, 0x0.h01"},
    {1, 0x00a1c2003c050d0e, "MKVEC.v2i16 r2, r14.h11, r13.h11"},
    {1, 0x0041864876009000,
     "LD_VAR_FLAT_IMM.slot1.v4.u32 @r6:r7:r8:r9, table:0x0, index:0x9 {0x4000000000}"},
    {1, 0x005c84028110003d,
     "LD_VAR_BUF_IMM.f32.slot2.src_flat16.center.store @r4, r61, index:0x10"},
    {0, 0x012a400494461046, "TEX_GRADIENT.slot2.f.32.r.2d.force_delta_enable @r6, @r0:r1, ^r6"},
};

START_TEST(code_of_other_compilers_round_trips) {
  for (unsigned i = 0; i < G_N_ELEMENTS(observed); i++) {
    for (unsigned a = 0; a <= observed[i].until; a++) {
      char *message = NULL, *printed = text_of(a, observed[i].word);
      uint64_t word = 0;
      ck_assert_str_eq(printed, observed[i].text);
      ck_assert_msg(assemble_one(a, observed[i].text, &word, &message), "%s", message);
      ck_assert_msg(word == observed[i].word, "%s: %016" G_GINT64_MODIFIER "x", observed[i].text,
                    word);
      g_free(printed);
    }
  }
}
END_TEST

/* The meaning of such values is only known for the first architectures. */
START_TEST(later_architectures_reserve_them) {
  for (unsigned i = 0; i < G_N_ELEMENTS(observed) - 1; i++) {
    char *printed = text_of(2, observed[i].word);
    ck_assert_msg(strstr(printed, "reserved") || strstr(printed, "unknown opcode"), "%s", printed);
    g_free(printed);
  }
}
END_TEST

START_TEST(words_by_architecture) {
  for (unsigned i = 0; i < G_N_ELEMENTS(words); i++) {
    uint64_t word = word_of(words[i].architecture, words[i].text);
    ck_assert_msg(word == words[i].word, "%s: %016" G_GINT64_MODIFIER "x", words[i].text, word);
  }
}
END_TEST

static const struct {
  const char *architecture, *text, *message;
} missing[] = {
    {"9", "NOP.wait_resource",
     "'wait_resource' of NOP exists only since architecture 10, not on 9"},
    {"13", "NOP.wait0.continue", "x:1:11: 'continue' of NOP exists only since architecture 14"},
    {"11", "IADD.u64.saturate r0, r2, r4",
     "'saturate' of IADD.u64 exists only until architecture 10"},
    {"9", "F32_TO_S32 r0, r1.h0", "'h0' of F32_TO_S32 exists only since architecture 11, not on 9"},
    {"10", "FRCP.f16 r0.h01, r1.h10", "'h01' of FRCP.f16 exists only since architecture 11"},
    {"10", "VAR_TEX_SINGLE.slot0.center_store.32.cube.computed @r0:r1:r2:r3, u0, r3",
     "'cube' of VAR_TEX_SINGLE exists only since architecture 11, not on 10"},
    {"12", "MOV.i32 r0, prepass_state.w1",
     "x:1:13: 'prepass_state.w1' of MOV.i32 exists only since architecture 13, not on 12"},
    {"9", "NOP.frob", "'frob' is not a modifier here"},
    {"11", "FADD.f33 r0, r1, r2",
     "x:1:1: 'FADD.f33' is not an instruction of valhall; expected one of FADD.f32 FADD.v2f16"},
    {"14", "HADD r0, r1, r2", "'HADD' is not an instruction of valhall"},
    {"11", "HADD.u32 r0, r1, r2", "'HADD.u32' exists only until architecture 10, not on 11"},
    {"10", "AND_IMM.i32 r0, r1, #0x1",
     "'AND_IMM.i32' exists only since architecture 11, not on 10"},
    {"10", "TEX_WEIGHTS.slot0.f.32 @r0:r1:r2:r3, @r4:r5:r6:r7, u0",
     "'TEX_WEIGHTS' exists only until architecture 9, not on 10"},
    {"13", "LD_MULTI.i64.slot0 @r0:r1, r2, offset:0",
     "'LD_MULTI' exists only since architecture 14"},
    {"14", "NOT_OLD.i32 r0, r1", "'NOT_OLD.i32' exists only until architecture 13"},
    {"9", "MOV.i32 r0, shader_output.w0",
     "'shader_output.w0' of MOV.i32 exists only since architecture 12"},
    {"9", "FROUND.f32 r0.h01, r1", "'h01' is not a modifier here"},
    {"11", "FROUND.f32 r0.h0, r1", "'h0' of FROUND.f32 exists only until architecture 10"},
    {"9",
     "TEX_SINGLE.slot0.f.32.3d.array_enable.shadow.texel_offset.grdesc "
     "@r0:r1:r2:r3, @r4:r5:r6:r7:r8:r9:r10:r11, u0",
     "at most seven words of coordinates"},
    {"9", "ATOM_RETURN.i32.slot0.compare.aadd @r0, @r2:r3, r4, offset:0x0",
     ".compare goes with .axchg only"},
    {"9", "ATOM.i64.slot0.aadd @r0:r1, r4, offset:0x4", "'offset:0x4' is not a multiple of 8"},
    {"10", "TEX_GRADIENT.slot0.f.32.rg.2d.force_delta.derivative @r0:r1, @r4:r5:r6:r7, u0",
     "exclude each other"},
    {"9", "LD_VAR_SPECIAL.f32.center @r0, r61, index:0x1", "index is 0"},
    {"9", "MOV.i32.ts r0, lane_id", "'lane_id' needs fau_page 3, but it is already 1"},
};

START_TEST(refuses_what_an_architecture_lacks) {
  for (unsigned i = 0; i < G_N_ELEMENTS(missing); i++) {
    uint64_t word;
    char *message = NULL;
    int architecture = norn_isa_architecture(isa, missing[i].architecture);
    ck_assert_msg(!assemble_one((unsigned)architecture, missing[i].text, &word, &message),
                  "accepted: %s", missing[i].text);
    ck_assert_msg(strstr(message, missing[i].message) != NULL, "%s: %s", missing[i].text, message);
    g_free(message);
  }
}
END_TEST

START_TEST(every_instruction_has_a_legal_word) {
  unsigned encodings = 0;
  for (unsigned i = 0; i < isa->instruction_count; i++) {
    const NornIsaEncoding *encoding = norn_isa_name_encoding(isa, (unsigned)_i, i);
    uint64_t state = i + 1, word;
    if (!encoding)
      continue;
    ck_assert_msg(words_legal(isa, (unsigned)_i, encoding, &state, &word), "%s has no legal word",
                  norn_isa_instruction_name(isa, i));
    encodings++;
  }
  ck_assert_uint_gt(encodings, 250);
}
END_TEST

/* ------------------------------------------------------------------------- comparisons */

/* Compares with a file of that name and text; returns the report, or NULL with *message set. */
static char *
compare_text(const char *name, const char *text, NornIsaComparison *result, char **message) {
  char *directory = g_dir_make_tmp("norn-test-XXXXXX", NULL);
  char *path = g_build_filename(directory, name, NULL);
  ck_assert(g_file_set_contents(path, text, -1, NULL));
  GString *report = g_string_new(NULL);
  GError *error = NULL;
  bool done = norn_isa_compare(isa, path, report, result, &error);
  if (!done) {
    ck_assert_ptr_nonnull(error);
    ck_assert_int_eq(error->domain, NORN_ERROR);
    ck_assert(g_str_has_prefix(error->message, path));
    *message = g_strdup(error->message + strlen(path));
    g_error_free(error);
  }
  g_unlink(path);
  g_rmdir(directory);
  g_free(path);
  g_free(directory);
  return g_string_free(report, !done);
}

START_TEST(agrees_with_the_field_table) {
  char *path = g_build_filename(NORN_TEST_DIR, "oracle", "mali-isa-v9-v14.tsv", NULL);
  GString *report = g_string_new(NULL);
  NornIsaComparison result = {0};
  GError *error = NULL;
  ck_assert(norn_isa_compare(isa, path, report, &result, &error));
  if (result.differences) /* a long list, too long for a check's message */
    fputs(report->str, stderr);
  ck_assert_msg(
      !result.differences,
      "%u facts differ from Arm's table: what is right gets a <reason> in the description",
      result.differences);
  ck_assert_uint_eq(result.compared, 35012);
  ck_assert_uint_eq(result.documented, 30);
  g_string_free(report, TRUE);
  g_free(path);
}
END_TEST

#define FADD_ROW                                                                                   \
  "FADD\tf32\t\tfma\t9\t14\t0:8 src0:SourceEncoding; 8:8 src1:SourceEncoding; 16:4 opcode2=0 "     \
  "(ADD); 20:6 zero; 26:2 widen1:widen_m!none; 28:2 widen0:widen_m!none; 40:6 "                    \
  "dest_register_index:uint; 48:4 datatype=4 (f32); 52:5 class=10 (R2)\t"                          \
  "mods(flow) ops(dest,src0:widen0,src1:widen1)\n"

static const struct {
  const char *from, *to, *line;
} table_changes[] = {
    {"FADD\tf32", "FROB\tf32", "differs: -: FROB.f32: is missing (9-14)\n"},
    {"opcode2=0", "opcode2=1",
     "differs: FADD.f32: opcode2: 16:4 is opcode2 = 1, here it is 0 (9-14)\n"},
    {"src1:SourceEncoding;", "src1:SourceEncoding64;",
     "differs: FADD.f32: source1: src1 has 64 bits, here 32 (9-14)\n"},
    {"20:6 zero", "30:2 zero",
     "differs: FADD.f32: round: 30:2 is zero = 0, here it varies (9-14)\n"},
    {"\tfma\t", "\tcvt\t", "differs: FADD.f32: unit: runs in cvt, here in fma (9-14)\n"},
    {"ops(dest,src0", "ops(src0,dest",
     "differs: FADD.f32: operands: operand src0 is not the next here (9-14)\n"},
    {"\t9\t14", "\t9\t9", ": 12 facts compared"},
};

static char *
replace(const char *text, const char *from, const char *to) {
  char **parts = g_strsplit(text, from, 2);
  char *result = g_strjoinv(to, parts);
  g_strfreev(parts);
  return result;
}

START_TEST(sees_each_kind_of_difference) {
  for (unsigned i = 0; i < G_N_ELEMENTS(table_changes); i++) {
    char *text = replace(FADD_ROW, table_changes[i].from, table_changes[i].to), *message = NULL;
    NornIsaComparison result = {0};
    char *report = compare_text("table.tsv", text, &result, &message);
    ck_assert_msg(report != NULL, "%s", message);
    ck_assert_msg(strstr(report, table_changes[i].line) != NULL, "no %s", table_changes[i].line);
    g_free(report);
    g_free(text);
  }
}
END_TEST

START_TEST(sees_differences_in_xml) {
  const char *text =
      "<valhall><enum name=\"Clamp\"><value>none</value><value>clamp_m1_1</value></enum>"
      "<enum name=\"FAU special page "
      "3\"><reserved/><value>lane_id</value><value>core_id</value></enum>"
      "<ins name=\"FROB.f32\"/>"
      "<ins name=\"LEA_TEX\" opcode=\"0x77\" opcode2=\"2\" unit=\"LS\"><slot/></ins>"
      "<ins name=\"FADD.f32\" opcode=\"0xA4\" opcode2=\"1\" dests=\"1\" unit=\"CVT\">"
      "<clamp/><src absneg=\"true\"/><src/><imm name=\"x\" start=\"0\" size=\"8\"/>"
      "</ins></valhall>";
  NornIsaComparison result = {0};
  char *message = NULL, *report = compare_text("x.xml", text, &result, &message);
  ck_assert_ptr_nonnull(report);
  static const char *const lines[] = {
      "differs: -: FROB.f32: is missing",
      "differs: -: sources: core_id.w0 is not code 228 of page 3 here (9)\n",
      "differs: LEA_TEX: opcode2: 37:2 is 2, here 1 (9)\n",
      "differs: FADD.f32: clamp: clamp_m1_1 = 1, here 2 (9)\n",
      "differs: FADD.f32: x: 0:8 is not an immediate here (9)\n",
      "differs: FADD.f32: opcode2: 16:4 is 1, here 0 (9)\n",
      "differs: FADD.f32: unit: runs in CVT, here in fma (9)\n",
      "added: FADD.f32: swizzle0: 28:2 (9)\n",
  };
  for (unsigned i = 0; i < G_N_ELEMENTS(lines); i++)
    ck_assert_msg(strstr(report, lines[i]) != NULL, "%s in\n%s", lines[i], report);
  ck_assert_uint_eq(result.differences, 7);
  g_free(report);
}
END_TEST

static const struct {
  const char *name, *text, *message;
} malformed[] = {
    {"a", "", ":1:1: expected XML or a table of instruction fields: ''"},
    {"b", "hello\n", ":1:1: expected eight columns separated by tabs: 'hello'"},
    {"c", "# x\nA\t\t\tfma\tx\t14\t0:8 zero\t\n", ":2:1: expected architecture numbers: 'x'"},
    {"d", "A\t\t\tfma\t9\t14\t60:8 zero\t\n",
     ":1:1: expected POSITION:WIDTH NAME and what it is: '60:8 zero'"},
    {"e", "A\t\t\tfma\t9\t14\t0:8 x:T{a b\t\n",
     ":1:1: expected POSITION:WIDTH NAME and what it is: '0:8 x:T{a b'"},
    {"f", "A\t\t\tfma\t9\t14\t0:8 x=y\t\n",
     ":1:1: expected POSITION:WIDTH NAME and what it is: '0:8 x=y'"},
    {"g", "<valhall>", ":1:"},
    {"h", "<isa/>", ":1:1: the root element is 'isa', expected 'valhall'"},
    {"i", "<!DOCTYPE x [<!ENTITY a \"b\">]><x>&a;</x>",
     ":1:1: the root element is 'x', expected 'valhall'"},
};

START_TEST(malformed_sources_are_errors) {
  for (unsigned i = 0; i < G_N_ELEMENTS(malformed); i++) {
    NornIsaComparison result = {0};
    char *message = NULL;
    char *report = compare_text(malformed[i].name, malformed[i].text, &result, &message);
    ck_assert_msg(report == NULL, "%s", malformed[i].text);
    ck_assert_msg(g_str_has_prefix(message, malformed[i].message), "%s: %s", malformed[i].text,
                  message);
    g_free(message);
  }
  GError *error = NULL;
  NornIsaComparison result = {0};
  ck_assert(!norn_isa_compare(isa, "/nonexistent", NULL, &result, &error));
  ck_assert_int_eq(error->code, NORN_ERROR_IO);
  g_error_free(error);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("isa_valhall");
  TCase *facts = tcase_create("facts");
  tcase_add_checked_fixture(facts, setup, NULL);
  tcase_set_timeout(facts, 120);
  tcase_add_test(facts, real_code_round_trips);
  tcase_add_test(facts, refuses_with_the_rule);
  tcase_add_test(facts, refuses_what_breaks_a_rule);
  tcase_add_test(facts, old_names_resolve);
  tcase_add_test(facts, aliases_mean_the_current_instruction);
  tcase_add_test(facts, manual_finds_names_meanings_and_modifiers);
  tcase_add_test(facts, swizzles_select_parts);
  tcase_add_test(facts, swizzles_stay_within_the_operand);
  tcase_add_test(facts, instructions_have_types);
  tcase_add_test(facts, code_of_other_compilers_round_trips);
  tcase_add_test(facts, later_architectures_reserve_them);
  tcase_add_test(facts, words_by_architecture);
  tcase_add_test(facts, refuses_what_an_architecture_lacks);
  tcase_add_loop_test(facts, every_instruction_has_a_legal_word, 0, 6);
  suite_add_tcase(suite, facts);
  TCase *sources = tcase_create("sources");
  tcase_add_checked_fixture(sources, setup, NULL);
  tcase_set_timeout(sources, 120);
  tcase_add_test(sources, agrees_with_the_field_table);
  tcase_add_test(sources, sees_each_kind_of_difference);
  tcase_add_test(sources, sees_differences_in_xml);
  tcase_add_test(sources, malformed_sources_are_errors);
  suite_add_tcase(suite, sources);
  return suite;
}
