/* The result of each Valhall ALU instruction, bit for bit: assembled, decoded, executed on raw
 * sources. */
#include "assembled.h"
#include "isa/isa.h"
#include "sim/valhall/alu.h"
#include "unit.h"
#include <norn/isa.h>
#include <norn/valhall.h>
#include <string.h>

typedef struct Row {
  const char *text;
  uint64_t source[4];
  uint64_t bits;
} Row;

static void
decode(const char *text, const char *architecture, NornValhallOperation *operation) {
  const NornIsa *isa = norn_isa_find("valhall");
  unsigned number = (unsigned)norn_isa_architecture(isa, architecture);
  GError *error = NULL;
  uint64_t word = take_word(assemble_for("valhall", number, false, text), "valhall");
  const NornIsaEncoding *encoding = norn_isa_decode(isa, number, word);
  ck_assert_msg(encoding != NULL, "%s: does not decode", text);
  bool ok = norn_valhall_decode(isa, encoding, word, operation, &error);
  ck_assert_msg(ok, "%s: %s", text, error ? error->message : "no error");
}

static void
run_row(const Row *row, const char *architecture, NornFtzMode ftz, uint64_t mask) {
  NornValhallOperation operation;
  NornValhallResult result;
  decode(row->text, architecture, &operation);
  norn_valhall_execute(&operation, ftz, row->source, &result);
  ck_assert_msg(result.bits == row->bits && result.mask == mask,
                "%s of 0x%" G_GINT64_MODIFIER "x, 0x%" G_GINT64_MODIFIER "x, 0x%" G_GINT64_MODIFIER
                "x, 0x%" G_GINT64_MODIFIER "x: 0x%" G_GINT64_MODIFIER "x (mask 0x%" //
                G_GINT64_MODIFIER "x), expected 0x%" G_GINT64_MODIFIER "x",
                row->text, row->source[0], row->source[1], row->source[2], row->source[3],
                result.bits, result.mask, row->bits);
}

static void
run_rows(const Row *rows, size_t count) {
  for (size_t i = 0; i < count; i++)
    run_row(&rows[i], "9", NORN_FTZ_PRESERVE, UINT32_MAX);
}

static void
run_rows_64(const Row *rows, size_t count) {
  for (size_t i = 0; i < count; i++)
    run_row(&rows[i], "9", NORN_FTZ_PRESERVE, UINT64_MAX);
}

#define RUN(rows) run_rows(rows, G_N_ELEMENTS(rows))

static const Row integer_rows[] = {
    {"IADD.u32 r0, r1, r2", {0xFFFFFFFF, 2}, 1},
    {"IADD.u32.saturate r0, r1, r2", {0xFFFFFFFF, 2}, 0xFFFFFFFF},
    {"IADD.s32 r0, r1, r2", {0x7FFFFFFF, 1}, 0x80000000},
    {"IADD.s32.saturate r0, r1, r2", {0x7FFFFFFF, 1}, 0x7FFFFFFF},
    {"IADD.s32.saturate r0, r1, r2", {0x80000000, 0xFFFFFFFF}, 0x80000000},
    {"IADD.u32 r0, r1.b3, r2.h1", {0xF1000000, 0xFFFE1234}, 0x100EF},
    {"IADD.s32 r0, r1.b3, r2.h1", {0xF1000000, 0xFFFE1234}, 0xFFFFFFEF},
    {"IADD.u32 r0, r1.h0, r2.b1", {0x1234FFFF, 0x0000FF00}, 0x100FE},
    {"IADD.v2u16 r0, r1, r2", {0xFFFF0001, 0x00020003}, 0x00010004},
    {"IADD.v2u16.saturate r0, r1, r2", {0xFFFF0001, 0x00020003}, 0xFFFF0004},
    {"IADD.v2s16.saturate r0, r1, r2", {0x7FFF8000, 0x0001FFFF}, 0x7FFF8000},
    {"IADD.v2u16 r0, r1.h10, 0x0", {0x12345678}, 0x56781234},
    {"IADD.v2u16 r0, r1.h00, 0x0", {0x12345678}, 0x56785678},
    {"IADD.v2u16 r0, r1.h11, 0x0", {0x12345678}, 0x12341234},
    {"IADD.v2u16 r0, r1.b02, 0x0", {0xF1E2D3C4}, 0x00E200C4},
    {"IADD.v2s16 r0, r1.b02, 0x0", {0xF1E2D3C4}, 0xFFE2FFC4},
    {"IADD.v2u16 r0, r1.b13, 0x0", {0xF1E2D3C4}, 0x00F100D3},
    {"IADD.v2u16 r0, r1.b20, 0x0", {0xF1E2D3C4}, 0x00C400E2},
    {"IADD.v4u8 r0, r1, r2", {0xFF01FE7F, 0x01010201}, 0x00020080},
    {"IADD.v4u8.saturate r0, r1, r2", {0xFF01FE7F, 0x01010201}, 0xFF02FF80},
    {"IADD.v4s8.saturate r0, r1, r2", {0x807F7F00, 0xFF01FF00}, 0x807F7E00},
    {"IADD.v4u8 r0, r1.b3210, 0x0", {0x04030201}, 0x01020304},
    {"IADD.v4u8 r0, r1.b2301, 0x0", {0x04030201}, 0x02010403},
    {"IADD.v4u8 r0, r1.b1111, 0x0", {0x04030201}, 0x02020202},
    {"ISUB.u32 r0, r1, r2", {1, 2}, 0xFFFFFFFF},
    {"ISUB.u32.saturate r0, r1, r2", {1, 2}, 0},
    {"ISUB.s32.saturate r0, r1, r2", {0x80000000, 1}, 0x80000000},
    {"ISUB.s32.saturate r0, 0x0, r2", {0, 0x80000000}, 0x7FFFFFFF},
    {"ISUB.v2u16 r0, r1, r2", {0x00010005, 0x00020003}, 0xFFFF0002},
    {"ISUB.v4u8.saturate r0, r1, r2", {0x01020304, 0x02020202}, 0x00000102},
    {"HADD.u32 r0, r1, r2", {0xFFFFFFFF, 0xFFFFFFFE}, 0xFFFFFFFE},
    {"HADD.u32.rhadd r0, r1, r2", {0xFFFFFFFF, 0xFFFFFFFE}, 0xFFFFFFFF},
    {"HADD.s32 r0, r1, r2", {0xFFFFFFFF, 0}, 0xFFFFFFFF},
    {"HADD.s32.rhadd r0, r1, r2", {0xFFFFFFFF, 0}, 0},
    {"HADD.v2s16 r0, r1, r2", {0x80000001, 0x80000002}, 0x80000001},
    {"HADD.v4u8.rhadd r0, r1, r2", {0xFF000102, 0xFF010202}, 0xFF010202},
    {"IMUL.i32 r0, r1, r2", {0x10001, 0x10001}, 0x20001},
    {"IMUL.i32.saturate r0, r1, r2", {0x10001, 0x10001}, 0xFFFFFFFF},
    {"IMUL.s32.saturate r0, r1, r2", {0x80000000, 2}, 0x80000000},
    {"IMUL.s32.saturate r0, r1, r2", {0x80000000, 0xFFFFFFFF}, 0x7FFFFFFF},
    {"IMUL.v2i16 r0, r1, r2", {0xFFFF0003, 0x00020004}, 0xFFFE000C},
    {"IMUL.v2s16.saturate r0, r1, r2", {0x40008000, 0x0002FFFF}, 0x7FFF7FFF},
    {"IMUL.v4i8 r0, r1, r2", {0x10FF0203, 0x10020304}, 0x00FE060C},
    {"IABS.s32 r0, r1", {0xFFFFFFFE}, 2},
    {"IABS.s32 r0, r1", {0x80000000}, 0x80000000},
    {"IABS.s32 r0, r1.h1", {0x80010000}, 0x7FFF},
    {"IABS.v2s16 r0, r1", {0x8000FFFF}, 0x80000001},
    {"IABS.v4s8 r0, r1", {0x80FF7F01}, 0x80017F01},
    {"IADD_IMM.i32 r0, r1, #0xFFFFFFFF", {1}, 0},
    {"IADD_IMM.v2i16 r0, r1, #0x00010001", {0xFFFFFFFF}, 0},
    {"IADD_IMM.v4i8 r0, r1, #0x01020304", {0xFFFFFFFF}, 0x00010203},
    {"IDP.v4s8 r0, r1, r2, r3", {0x80FF0102, 0x80010304, 100}, 100 + 16384 - 1 + 3 + 8},
    {"IDP.v4u8 r0, r1, r2, r3", {0x80FF0102, 0x80010304, 100}, 100 + 16384 + 255 + 3 + 8},
    {"IDP.v4u8.saturate r0, r1, r2, r3", {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, 0xFFFFFFFF},
    {"IDP.v4u8 r0, r1, r2, r3", {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, 260099},
    {"IDP.v4s8.saturate r0, r1, r2, r3", {0x7F7F7F7F, 0x80808080, 0x80000000}, 0x80000000},
    {"CLZ.u32 r0, r1", {0}, 32},
    {"CLZ.u32 r0, r1", {1}, 31},
    {"CLZ.u32.mask r0, r1", {0}, 0xFFFFFFFF},
    {"CLZ.v2u16 r0, r1", {0x00008000}, 0x00100000},
    {"CLZ.v2u16 r0, r1.h10", {0x00008000}, 0x00000010},
    {"CLZ.v4u8 r0, r1", {0x00018040}, 0x08070001},
    {"POPCOUNT.i32 r0, r1", {0xFFFFFFFF}, 32},
    {"POPCOUNT.i32 r0, r1", {0x80000001}, 2},
    {"BITREV.i32 r0, r1", {0x80000002}, 0x40000001},
    {"NOT_OLD.i32 r0, r1", {0x0F0F0F0F}, 0xF0F0F0F0},
    {"MOV.i32 r0, r1", {0xDEADBEEF}, 0xDEADBEEF},
    {"MKVEC.v2i16 r0, r1.h1, r2.h0", {0x12345678, 0x9ABCDEF0}, 0xDEF01234},
    {"MKVEC.v2i8 r0, r1.b3, r2.b1, r3", {0x12345678, 0x9ABCDEF0, 0x11112222}, 0x2222DE12},
    {"HADD.v2u16 r0, r1, r2", {0xFFFF0001, 0xFFFE0002}, 0xFFFE0001},
    {"HADD.v4s8 r0, r1, r2", {0x80FF017F, 0x80000102}, 0x80FF0140},
    {"IMUL.v4s8.saturate r0, r1, r2", {0x80FF7F02, 0x80020203}, 0x7FFE7F06},
    {"ISUB.v2s16.saturate r0, r1, r2", {0x80007FFF, 0x0001FFFF}, 0x80007FFF},
    {"ISUB.v4s8 r0, r1, r2", {0x80007F05, 0x01FF8001}, 0x7F01FF04},
};

START_TEST(integers) {
  RUN(integer_rows);
}
END_TEST

static const Row wide_rows[] = {
    {"IADD.u64 r0, r2, r4", {0xFFFFFFFF, 1}, 0x100000000},
    {"IADD.s64 r0, r2, r4.w0", {1, 0xFFFFFFFF}, 0},
    {"IADD.u64 r0, r2, r4.w0", {1, 0xFFFFFFFF}, 0x100000000},
    {"IADD.u64 r0, r2, r4.w1", {1, 0x5FFFFFFFF}, 6},
    {"IADD.s64 r0, r2, r4.h1", {1, 0x80000000}, 0xFFFFFFFFFFFF8001},
    {"ISUB.u64 r0, r2, r4", {0, 1}, UINT64_MAX},
    {"ISUB.s64 r0, r2.b3, r4", {0x80000000, 0}, 0xFFFFFFFFFFFFFF80},
    {"IMULD.u64 r0, r2.w0, r4.w0", {0xFFFFFFFF, 0xFFFFFFFF}, 0xFFFFFFFE00000001},
    {"IMUL.s64 r0, r2.w0, r4.w0", {0xFFFFFFFF, 5}, 0xFFFFFFFFFFFFFFFB},
    {"SHADDX.u64 r0, r2, r4.w0, shift:0x2", {0x100000000, 0xFFFFFFFF}, 0x4FFFFFFFC},
    {"SHADDX.s64 r0, r2, r4.w0, shift:0x2", {0x100000000, 0xFFFFFFFF}, 0xFFFFFFFC},
    {"SHADDX.u64 r0, r2, r4, shift:0x7", {1, 1}, 129},
    {"SEG_ADD.u64 r0, r2, r4.w0", {0x100000000, 0xFFFFFFFF}, 0x1FFFFFFFF},
    {"SEG_ADD.u64.neg r0, r2, r4.w0", {0x100000000, 1}, 0xFFFFFFFF},
    {"SEG_ADD.u64.preserve_null r0, r2, r4.w0", {0, 1}, 0},
    {"SEG_ADD.u64.preserve_null r0, r2, r4.w0", {1, 1}, 2},
    {"NOT_OLD.i64 r0, r2", {0}, UINT64_MAX},
    {"LSHIFT_OR.i64 r0, r2, r4.b0, r6", {1, 63, 1}, 0x8000000000000001},
    {"LSHIFT_OR.i64 r0, r2, r4.b0, r6", {1, 64, 0}, 1},
    {"RSHIFT_OR.i64 r0, r2, r4.b0, r6", {0x8000000000000000, 63, 0}, 1},
    {"RSHIFT_OR.i64.signed r0, r2, r4.b0, r6", {0x8000000000000000, 63, 0}, UINT64_MAX},
    {"LSHIFT_XOR.i64 r0, r2, r4.b0, r6.not", {5, 0, 0}, 0xFFFFFFFFFFFFFFFA},
    {"LROT_AND.i64 r0, r2, r4.b0, r6", {0x8000000000000001, 4, 0xFF}, 0x18},
    {"LROT_OR.i64 r0, r2, r4.b0, r6", {0x8000000000000001, 4, 0x100}, 0x118},
    {"LROT_XOR.i64 r0, r2, r4.b0, r6", {0x8000000000000001, 4, 0xFF}, 0xE7},
    {"RROT_AND.i64 r0, r2, r4.b0, r6", {0x18, 4, UINT64_MAX}, 0x8000000000000001},
    {"RROT_OR.i64 r0, r2, r4.b0, r6", {0x18, 4, 2}, 0x8000000000000003},
    {"RROT_XOR.i64 r0, r2, r4.b0, r6", {0x18, 4, 0xFF}, 0x80000000000000FE},
    {"LSHIFT_AND.i64 r0, r2, r4.b0, r6", {0xFF, 60, UINT64_MAX}, 0xF000000000000000},
    {"RSHIFT_AND.i64 r0, r2, r4.b0, r6", {0xFF00000000000000, 60, 3}, 3},
    {"RSHIFT_XOR.i64 r0, r2, r4.b0, r6", {0xF000000000000000, 60, 0xFF}, 0xF0},
};

START_TEST(wide_integers) {
  run_rows_64(wide_rows, G_N_ELEMENTS(wide_rows));
}
END_TEST

static const Row logic_rows[] = {
    {"LSHIFT_AND.i32 r0, r1, r2.b0, r3", {0xFF, 4, 0x0F0}, 0x0F0},
    {"LSHIFT_OR.i32 r0, r1, r2.b0, r3", {1, 31, 1}, 0x80000001},
    {"LSHIFT_OR.i32 r0, r1, r2.b0, r3", {1, 32, 0}, 1},
    {"LSHIFT_OR.i32 r0, r1, r2.b0, r3", {1, 0xFF, 0}, 0x80000000},
    {"LSHIFT_OR.i32 r0, r1, r2.b2, r3", {1, 0x00050000, 0}, 0x20},
    {"LSHIFT_XOR.i32 r0, r1, r2.b0, r3", {0xFF, 8, 0xFFFF}, 0x00FF},
    {"LSHIFT_XOR.i32.not_result r0, r1, r2.b0, r3", {0xFF, 8, 0xFFFF}, 0xFFFFFF00},
    {"LSHIFT_OR.i32 r0, 0x0, 0x0.b0, r3.not", {0, 0, 0x12345678}, 0xEDCBA987},
    {"RSHIFT_AND.i32 r0, r1, r2.b0, r3", {0x80000000, 31, 3}, 1},
    {"RSHIFT_OR.i32 r0, r1, r2.b0, r3", {0x80000000, 31, 0}, 1},
    {"RSHIFT_OR.i32.signed r0, r1, r2.b0, r3", {0x80000000, 31, 0}, 0xFFFFFFFF},
    {"RSHIFT_OR.i32.signed r0, r1, r2.b0, r3", {0x80000000, 33, 0}, 0xC0000000},
    {"RSHIFT_OR.i32.signed r0, r1.h1, r2.b0, r3", {0x80000000, 4, 0}, 0x00000800},
    {"RSHIFT_XOR.i32 r0, r1, r2.b0, r3", {0xF0, 4, 0x3}, 0xC},
    {"LROT_OR.i32 r0, r1, r2.b0, r3", {0x80000001, 1, 0}, 3},
    {"LROT_OR.i32 r0, r1, r2.b0, r3", {0x80000001, 33, 0}, 3},
    {"RROT_OR.i32 r0, r1, r2.b0, r3", {0x80000001, 1, 0}, 0xC0000000},
    {"RROT_OR.i32 r0, r1, r2.b0, r3", {0x12345678, 32, 0}, 0x12345678},
    {"LSHIFT_OR.v2i16 r0, r1, r2.b00, r3", {0x00018001, 1, 0}, 0x00020002},
    {"LSHIFT_OR.v2i16 r0, r1, r2.b02, r3", {0x00010001, 0x00040001, 0}, 0x00100002},
    {"LSHIFT_OR.v2i16 r0, r1, r2.b11, r3", {0x00010001, 0x1000, 0}, 0x00010001},
    {"RSHIFT_OR.v2i16.signed r0, r1, r2.b00, r3", {0x80004000, 15, 0}, 0xFFFF0000},
    {"LSHIFT_OR.v4i8 r0, r1, r2, r3", {0x01010101, 0x03020108, 0}, 0x08040201},
    {"RSHIFT_OR.v4i8 r0, r1, r2.b00, r3", {0x80402010, 0xFFFFFF04, 0}, 0x08040201},
    {"RSHIFT_OR.v4i8.signed r0, r1, r2.b00, r3", {0x80402010, 0xFFFFFF04, 0}, 0xF8040201},
    {"LROT_OR.v4i8 r0, r1, r2.b00, r3", {0x81818181, 1, 0}, 0x03030303},
    {"MUX.i32 r0, r1, r2, r3", {1, 2, 0}, 1},
    {"MUX.i32 r0, r1, r2, r3", {1, 2, 0x80000000}, 2},
    {"MUX.i32.fp_zero r0, r1, r2, r3", {1, 2, 0x80000000}, 1},
    {"MUX.i32.fp_zero r0, r1, r2, r3", {1, 2, 1}, 2},
    {"MUX.i32.neg r0, r1, r2, r3", {1, 2, 0x80000000}, 1},
    {"MUX.i32.neg r0, r1, r2, r3", {1, 2, 0x7FFFFFFF}, 2},
    {"MUX.i32.bit r0, r1, r2, r3", {0x12345678, 0x9ABCDEF0, 0xFFFF0000}, 0x1234DEF0},
    {"MUX.v2i16 r0, r1, r2, r3", {0x00010002, 0x00030004, 0x00000005}, 0x00010004},
    {"MUX.v2i16.fp_zero r0, r1, r2, r3", {0x00010002, 0x00030004, 0x80000005}, 0x00010004},
    {"MUX.v2i16.neg r0, r1.h10, r2, r3", {0x00010002, 0x00030004, 0x80008000}, 0x00020001},
    {"MUX.v4i8 r0, r1, r2, r3", {0x01020304, 0x05060708, 0x00010001}, 0x01060308},
    {"MUX.v4i8.neg r0, r1, r2, r3", {0x01020304, 0x05060708, 0x80007F80}, 0x01060704},
    {"LROT_AND.i32 r0, r1, r2.b0, r3", {0x80000001, 4, 0xFF}, 0x18},
    {"LROT_AND.v2i16 r0, r1, r2.b00, r3", {0x80010F0F, 4, 0xFFFFFFFF}, 0x0018F0F0},
    {"LROT_AND.v4i8 r0, r1, r2.b00, r3", {0x81F00F01, 4, 0xFFFFFFFF}, 0x180FF010},
    {"LROT_OR.v2i16 r0, r1, r2.b00, r3", {0x80010F0F, 4, 1}, 0x0018F0F1},
    {"LROT_XOR.i32 r0, r1, r2.b0, r3", {0x80000001, 4, 0xFF}, 0xE7},
    {"LROT_XOR.v2i16 r0, r1, r2.b00, r3", {0x80010F0F, 4, 0x00FF00FF}, 0x00E7F00F},
    {"LROT_XOR.v4i8 r0, r1, r2.b00, r3", {0x81F00F01, 4, 0x0F0F0F0F}, 0x1700FF1F},
    {"LSHIFT_AND.v2i16 r0, r1, r2.b00, r3", {0x0FFF00FF, 4, 0xFF00F0F0}, 0xFF0000F0},
    {"LSHIFT_AND.v4i8 r0, r1, r2.b00, r3", {0x0102F3FF, 4, 0xFFFFFFFF}, 0x102030F0},
    {"LSHIFT_XOR.v2i16 r0, r1, r2.b00, r3", {0x0001000F, 4, 0xFFFF0000}, 0xFFEF00F0},
    {"LSHIFT_XOR.v4i8 r0, r1, r2.b00, r3", {0x01020304, 4, 0x10101010}, 0x00302050},
    {"RROT_AND.i32 r0, r1, r2.b0, r3", {0x18, 4, 0xF000000F}, 0x80000001},
    {"RROT_AND.v2i16 r0, r1, r2.b00, r3", {0x0018F0F0, 4, 0xFFFFFFFF}, 0x80010F0F},
    {"RROT_AND.v4i8 r0, r1, r2.b00, r3", {0x180FF010, 4, 0xFFFFFFFF}, 0x81F00F01},
    {"RROT_OR.v2i16 r0, r1, r2.b00, r3", {0x0018F0F0, 4, 0x00020000}, 0x80030F0F},
    {"RROT_OR.v4i8 r0, r1, r2.b00, r3", {0x180FF010, 4, 0x02000002}, 0x83F00F03},
    {"RROT_XOR.i32 r0, r1, r2.b0, r3", {0x18, 4, 0xFF}, 0x800000FE},
    {"RROT_XOR.v2i16 r0, r1, r2.b00, r3", {0x0018F0F0, 4, 0x00FF00FF}, 0x80FE0FF0},
    {"RROT_XOR.v4i8 r0, r1, r2.b00, r3", {0x180FF010, 4, 0x0F0F0F0F}, 0x8EFF000E},
    {"RSHIFT_AND.v2i16 r0, r1, r2.b00, r3", {0xF0000FF0, 4, 0x0F00FFFF}, 0x0F0000FF},
    {"RSHIFT_AND.v4i8 r0, r1, r2.b00, r3", {0xF0804020, 4, 0xFFFFFFFF}, 0x0F080402},
    {"RSHIFT_XOR.v2i16 r0, r1, r2.b00, r3", {0xF0000FF0, 4, 0xFFFF0000}, 0xF0FF00FF},
    {"RSHIFT_XOR.v4i8 r0, r1, r2.b00, r3", {0xF0804020, 4, 0x0F0F0F0F}, 0x00070B0D},
};

START_TEST(logic) {
  RUN(logic_rows);
}
END_TEST

static const Row comparison_rows[] = {
    {"ICMP_OR.u32.gt.i1 r0, r1, r2, 0x0", {0xFFFFFFFF, 1, 0}, 1},
    {"ICMP_OR.s32.gt.i1 r0, r1, r2, 0x0", {0xFFFFFFFF, 1, 0}, 0},
    {"ICMP_OR.s32.lt.m1 r0, r1, r2, 0x0", {0xFFFFFFFF, 1, 0}, 0xFFFFFFFF},
    {"ICMP_OR.u32.eq.f1 r0, r1, r2, 0x0", {5, 5, 0}, 0x3F800000},
    {"ICMP_OR.u32.ne.m1 r0, r1, r2, r3", {5, 5, 0x80000000}, 0xFFFFFFFF},
    {"ICMP_AND.u32.eq.m1 r0, r1, r2, r3", {5, 5, 0}, 0},
    {"ICMP_AND.u32.eq.m1 r0, r1, r2, r3", {5, 5, 2}, 0xFFFFFFFF},
    {"ICMP_OR.u32.ge.i1 r0, r1.b3, r2, 0x0", {0x05000000, 5, 0}, 1},
    {"ICMP_OR.s32.le.i1 r0, r1.h0, r2, 0x0", {0x8000, 0xFFFF8000, 0}, 1},
    {"ICMP_OR.v2u16.lt.m1 r0, r1, r2, 0x0", {0x80000001, 0x00010002, 0}, 0x0000FFFF},
    {"ICMP_OR.v2s16.lt.m1 r0, r1, r2, 0x0", {0x80000001, 0x00010002, 0}, 0xFFFFFFFF},
    {"ICMP_OR.v2u16.eq.f1 r0, r1, r2, r3", {0x00010001, 0x00020001, 0x00000000}, 0x00003C00},
    {"ICMP_AND.v2u16.ne.i1 r0, r1, r2, r3", {0x00010001, 0x00020003, 0x00000001}, 0x00000001},
    {"ICMP_OR.v4u8.ne.i1 r0, r1.b0000, 0x0, 0x0", {0x00000001, 0, 0}, 0x01010101},
    {"ICMP_OR.v4s8.lt.m1 r0, r1, r2, 0x0", {0x80FF0001, 0x00000000, 0}, 0xFFFF0000},
    {"ICMP_OR.v4u8.lt.m1 r0, r1, r2, 0x0", {0x80FF0001, 0x00000002, 0}, 0x000000FF},
    {"ICMP_MULTI.u32.lt.u1 r0, r1, r2, 0x0", {1, 2, 0}, 0xFFFFFFFF},
    {"ICMP_MULTI.u32.lt.u1 r0, r1, r2, 0x0", {2, 2, 0}, 0},
    {"ICMP_MULTI.u32.lt.u1 r0, r1, r2, 0x0", {0xFFFFFFFF, 2, 0}, 1},
    {"ICMP_MULTI.s32.lt.m1 r0, r1, r2, r3", {5, 5, 0xFFFFFFFF}, 0xFFFFFFFF},
    {"ICMP_MULTI.s32.lt.m1 r0, r1, r2, r3", {5, 5, 0}, 0},
    {"ICMP_MULTI.s32.le.m1 r0, r1, r2, r3", {5, 5, 0}, 0xFFFFFFFF},
    {"ICMP_MULTI.s32.gt.m1 r0, r1, r2, r3", {5, 5, 1}, 0xFFFFFFFF},
    {"ICMP_MULTI.s32.lt.i1 r0, r1, r2, r3", {0xFFFFFFFF, 0, 1}, 1},
    {"ICMP_MULTI.u32.gt.i1 r0, r1, r2, r3", {0xFFFFFFFF, 0, 0xFFFFFFFF}, 1},
    {"FCMP_OR.f32.eq.m1 r0, r1, r2, 0x0", {0x80000000, 0, 0}, 0xFFFFFFFF},
    {"FCMP_OR.f32.eq.m1 r0, r1, r2, 0x0", {0x7FC00000, 0x7FC00000, 0}, 0},
    {"FCMP_OR.f32.ne.m1 r0, r1, r2, 0x0", {0x7FC00000, 0x3F800000, 0}, 0xFFFFFFFF},
    {"FCMP_OR.f32.gtlt.m1 r0, r1, r2, 0x0", {0x7FC00000, 0x3F800000, 0}, 0},
    {"FCMP_OR.f32.gtlt.m1 r0, r1, r2, 0x0", {0x40000000, 0x3F800000, 0}, 0xFFFFFFFF},
    {"FCMP_OR.f32.total.m1 r0, r1, r2, 0x0", {0x80000000, 0, 0}, 0xFFFFFFFF},
    {"FCMP_OR.f32.total.m1 r0, r1, r2, 0x0", {0, 0x80000000, 0}, 0},
    {"FCMP_OR.f32.total.m1 r0, r1, r2, 0x0", {0x3F800000, 0x7FC00000, 0}, 0xFFFFFFFF},
    {"FCMP_OR.f32.total.m1 r0, r1.h0, r2, 0x0", {0xFD45, 0x3F800000, 0}, 0xFFFFFFFF},
    {"FCMP_OR.f32.lt.f1 r0, r1.neg, r2, 0x0", {0x3F800000, 0, 0}, 0x3F800000},
    {"FCMP_OR.f32.ge.i1 r0, r1.abs, r2.h1, 0x0", {0xC0000000, 0x40000000, 0}, 1},
    {"FCMP_AND.f32.lt.i1 r0, r1, r2, r3", {0, 0x3F800000, 0x80000000}, 1},
    {"FCMP_AND.f32.lt.i1 r0, r1, r2, r3", {0, 0x3F800000, 0}, 0},
    {"FCMP_OR.v2f16.gt.m1 r0, r1.h10, r2.h00, 0x0", {0x3C00C000, 0x00000000, 0}, 0x0000FFFF},
    {"FCMP_OR.v2f16.le.f1 r0, r1, r2, 0x0", {0x3C007E00, 0x3C003C00, 0}, 0x3C000000},
    {"CSEL.u32.lt r0, r1, r2, r3, r4", {1, 0xFFFFFFFF, 10, 20}, 10},
    {"CSEL.s32.lt r0, r1, r2, r3, r4", {1, 0xFFFFFFFF, 10, 20}, 20},
    {"CSEL.v2u16.gt r0, r1, r2, r3, r4", {0xFFFF0000, 1, 0x11112222, 0x33334444}, 0x11114444},
    {"CSEL.v2s16.gt r0, r1, r2, r3, r4", {0xFFFF0002, 1, 0x11112222, 0x33334444}, 0x33332222},
    {"CSEL.f32.lt r0, r1, r2, r3, r4", {0x80000000, 0, 10, 20}, 20},
    {"CSEL.f32.ne r0, r1, r2, r3, r4", {0x7F800001, 0, 0x7F800001, 20}, 0x7F800001},
    {"CSEL.v2f16.eq r0, r1, r2, r3, r4",
     {0x80007E00, 0x00007E00, 0x11112222, 0x33334444},
     0x11114444},
    {"DISCARD.f32.lt r0, r1", {0, 0x3F800000}, 1},
    {"DISCARD.f32.lt r0, r1", {0x7FC00000, 0x3F800000}, 0},
    {"FCMP_AND.v2f16.lt.m1 r0, r1, r2, r3", {0, 0x3C003C00, 1}, 0x0000FFFF},
    {"ICMP_AND.s32.lt.m1 r0, r1, r2, r3", {0xFFFFFFFF, 0, 5}, 0xFFFFFFFF},
    {"ICMP_AND.v2s16.gt.i1 r0, r1, r2, r3", {0x00018000, 0xFFFF0000, 0x00010001}, 0x00010000},
    {"ICMP_AND.v4s8.ge.m1 r0, r1, r2, r3", {0x7F80FF00, 0, 0xFF01FF00}, 0xFF000000},
    {"ICMP_AND.v4u8.gt.i1 r0, r1, r2, r3", {0x7F80FF00, 0, 0xFF01FF01}, 0x01010100},
};

START_TEST(comparisons) {
  RUN(comparison_rows);
}
END_TEST

static const Row float_rows[] = {
    {"FADD.f32 r0, r1, r2", {0x3F800000, 0x40000000}, 0x40400000},
    {"FADD.f32 r0, r1, r2", {0x80000000, 0x80000000}, 0x80000000},
    {"FADD.f32 r0, r1, r2", {0x80000000, 0}, 0},
    {"FADD.f32 r0, r1, r2", {0x7F800000, 0xFF800000}, 0x7FC00000},
    {"FADD.f32 r0, r1, r2", {0x7F800001, 0}, 0x7FC00000},
    {"FADD.f32 r0, r1, r2", {0x7F7FFFFF, 0x7F7FFFFF}, 0x7F800000},
    {"FADD.f32 r0, r1, r2", {1, 1}, 2},
    {"FADD.f32 r0, r1, r2", {0x3F800000, 0x33800000}, 0x3F800000},
    {"FADD.f32.rtp r0, r1, r2", {0x3F800000, 0x33800000}, 0x3F800001},
    {"FADD.f32.rtz r0, r1, r2", {0x7F7FFFFF, 0x7F7FFFFF}, 0x7F7FFFFF},
    {"FADD.f32.clamp_0_1 r0, r1, r2", {0x3F800000, 0x40000000}, 0x3F800000},
    {"FADD.f32.clamp_0_1 r0, r1, r2", {0x7FC00000, 0x40000000}, 0},
    {"FADD.f32.clamp_0_inf r0, r1, r2", {0x80000000, 0x80000000}, 0},
    {"FADD.f32.clamp_0_inf r0, r1, r2", {0x7F800000, 0}, 0x7F800000},
    {"FADD.f32.clamp_m1_1 r0, r1, r2", {0x80000000, 0x80000000}, 0x80000000},
    {"FADD.f32.clamp_m1_1 r0, r1, r2", {0x7FC00000, 0}, 0xBF800000},
    {"FADD.f32.clamp_m1_1 r0, r1, r2", {0xC0000000, 0}, 0xBF800000},
    {"FADD.f32 r0, r1.neg.abs, r2", {0x40000000, 0}, 0xC0000000},
    {"FADD.f32 r0, r1.neg.abs, r2", {0xC0000000, 0}, 0xC0000000},
    {"FADD.f32 r0, r1.h0, r2.h1", {0x00003C00, 0x40000000}, 0x40400000},
    {"FADD.f32 r0, r1.neg.h0, r2", {0x00000001, 0x80000000}, 0xB3800000},
    {"FADD.f32 r0, r1.neg.abs.h0, r2", {0x00003C00, 0}, 0xBF800000},
    {"FADD.f32 r0, r1.neg.abs.h1, r2", {0xBC000000, 0}, 0xBF800000},
    {"FADD.v2f16 r0, r1, r2", {0x3C004000, 0x3C003C00}, 0x40004200},
    {"FADD.v2f16 r0, r1, r2.h10", {0x3C004000, 0x3C000000}, 0x3C004200},
    {"FADD.v2f16 r0, r1.abs, r2.neg", {0xBC008001, 0x80008000}, 0x3C000001},
    {"FADD.v2f16 r0, r1, r2", {0x7BFF7C00, 0x7BFFFC00}, 0x7C007E00},
    {"FADD_IMM.f32 r0, r1, #0x3F800000", {0x40000000}, 0x40400000},
    {"FADD_IMM.v2f16 r0, r1, #0x3C004000", {0x3C003C00}, 0x40004200},
    {"FMA.f32 r0, r1, r2, r3", {0x3F800001, 0x3F800001, 0xBF800002}, 0x28800000},
    {"FMA.f32 r0, r1, r2, r3.neg", {0x40000000, 0x40400000, 0x3F800000}, 0x40A00000},
    {"FMA.f32 r0, r1, r2, 0x0.neg", {0x80000000, 0x3F800000, 0}, 0x80000000},
    {"FMA.f32 r0, r1, r2, r3", {0x7F800000, 0, 0}, 0x7FC00000},
    {"FMA.f32 r0, r1.h1, r2, r3", {0x40000000, 0x40400000, 0}, 0x40C00000},
    {"FMA.v2f16 r0, r1, r2, r3", {0x40003C00, 0x42004200, 0x3C000000}, 0x47004200},
    {"FMA.v2f16.clamp_0_1 r0, r1, r2, r3", {0x4000BC00, 0x42004200, 0x3C000000}, 0x3C000000},
    {"FMIN.f32 r0, r1, r2", {0, 0x80000000}, 0x80000000},
    {"FMIN.f32 r0, r1, r2", {0x7FC00000, 0x3F800000}, 0x3F800000},
    {"FMIN.f32 r0, r1, r2", {0x7FC00000, 0xFFC00000}, 0x7FC00000},
    {"FMIN.f32.nan_propagate r0, r1, r2", {0x7FC00000, 0x3F800000}, 0x7FC00000},
    {"FMAX.f32 r0, r1, r2", {0x80000000, 0}, 0},
    {"FMAX.f32 r0, r1, r2", {0xFF800000, 0x7FC00000}, 0xFF800000},
    {"FMAX.f32.nan_propagate r0, r1, r2", {0x3F800000, 0x7FC00000}, 0x7FC00000},
    {"FMAX.f32.clamp_0_inf r0, r1, r2", {0xFF800000, 0x80000000}, 0},
    {"FMIN.v2f16 r0, r1, r2", {0x3C008000, 0x40000000}, 0x3C008000},
    {"FMAX.v2f16 r0, r1, r2", {0x7E003C00, 0x3C00C000}, 0x3C003C00},
    {"FROUND.f32 r0, r1", {0x3F000000}, 0},
    {"FROUND.f32 r0, r1", {0x3FC00000}, 0x40000000},
    {"FROUND.f32 r0, r1", {0xBF000000}, 0x80000000},
    {"FROUND.f32.rtp r0, r1", {0x00000001}, 0x3F800000},
    {"FROUND.f32.rtn r0, r1", {0x80000001}, 0xBF800000},
    {"FROUND.f32.rtz r0, r1.neg", {0x3FFFFFFF}, 0xBF800000},
    {"FROUND.f32.rtna r0, r1", {0x3F000000}, 0x3F800000},
    {"FROUND.f32 r0, r1", {0x7F800000}, 0x7F800000},
    {"FROUND.v2f16.rtn r0, r1", {0x3E00B800}, 0x3C00BC00},
    {"FLUSH.f32 r0, r1", {0x7F800001}, 0x7F800001},
    {"FLUSH.f32.quiet_nan r0, r1", {0xFF800001}, 0xFFC00001},
    {"FLUSH.f32.flush_nan r0, r1", {0xFF800001}, 0},
    {"FLUSH.f32.ftz r0, r1", {0x80000001}, 0x80000000},
    {"FLUSH.f32 r0, r1", {0x80000001}, 0x80000001},
    {"FLUSH.f32.flush_inf r0, r1", {0xFF800000}, 0xFF7FFFFF},
    {"FLUSH.f32 r0, r1.h0", {0xFD45}, 0xFFA8A000},
    {"FLUSH.f32.quiet_nan r0, r1.h0", {0xFD45}, 0xFFE8A000},
    {"FLUSH.f32 r0, r1.neg.h0", {0xFD45}, 0x7FA8A000},
    {"FLUSH.v2f16.flush_nan.ftz.flush_inf r0, r1", {0x7E010001}, 0},
    {"FLUSH.v2f16.flush_inf r0, r1.neg", {0x7C003C00}, 0xFBFFBC00},
    {"LDEXP.f32 r0, r1, r2", {0x3F800000, 0xFFFFFFFF}, 0x3F000000},
    {"LDEXP.f32 r0, r1, r2", {0x3F800000, 127}, 0x7F000000},
    {"LDEXP.f32 r0, r1, r2", {0x3F800000, 128}, 0x7F800000},
    {"LDEXP.f32 r0, r1, r2", {0x3F800000, (uint32_t)-149}, 1},
    {"LDEXP.f32 r0, r1, r2", {0x3F800000, (uint32_t)-150}, 0},
    {"LDEXP.f32.rtp r0, r1, r2", {0x3F800000, (uint32_t)-150}, 1},
    {"LDEXP.f32.rtna r0, r1, r2", {0x3F800000, (uint32_t)-150}, 1},
    {"LDEXP.f32 r0, r1.neg, r2", {0x7F800000, 0x80000000}, 0xFF800000},
    {"LDEXP.v2f16 r0, r1, r2", {0x3C003C00, 0x0001FFFF}, 0x40003800},
    {"FMA_RSCALE.f32 r0, r1, r2, r3, r4", {0x40000000, 0x40400000, 0x3F800000, 24}, 0x4CE00000},
    {"FMA_RSCALE.f32 r0, r1, r2, r3, r4", {0x3F800000, 0x3F800000, 0, (uint32_t)-149}, 1},
    {"FMA_RSCALE.f32 r0, r1, r2, r3, r4", {0x7F800000, 0, 0, 0}, 0x7FC00000},
    {"FMA_RSCALE.f32.clamp_0_1 r0, r1, r2, r3, r4", {0x40000000, 0x3F800000, 0, 1}, 0x3F800000},
    {"FMA_RSCALE_N.f32 r0, r1, r2, r3, r4", {0x7F800000, 0, 0x3F800000, 1}, 0x40000000},
    {"FMA_RSCALE_N.f32 r0, r1, r2, r3, r4", {0x80000000, 0x7FC00000, 0x80000000, 0}, 0},
    {"FMA_RSCALE_LEFT.f32 r0, r1, r2, r3, r4", {0x7F800000, 0, 0, 0}, 0x7F800000},
    {"FMA_RSCALE_LEFT.f32 r0, r1, r2, 0x0.neg, r4", {0x80000000, 0x7F800000, 0, 0}, 0x80000000},
    {"FADD_LSCALE.f32 r0, r1, r2", {0xBF800000, 0x40000000}, 0},
    {"FADD_LSCALE.f32 r0, r1, r2", {0xBF800000, 0x40400000}, 0xBE800000},
    {"FADD_LSCALE.f32 r0, r1, r2", {0x00000000, 0xC0A00000}, 0xBFA00000},
    {"FADD_LSCALE.f32 r0, r1, r2", {0x00000000, 0x7F800000}, 0x7F800000},
    {"FADD_LSCALE.f32 r0, r1, r2", {0x00000000, 1}, 1},
    {"FREXPM.f32 r0, r1", {0x40400000}, 0x3F400000},
    {"FREXPE.f32 r0, r1", {0x40400000}, 2},
    {"FREXPM.f32 r0, r1.neg", {0x3F800000}, 0xBF000000},
    {"FREXPE.f32 r0, r1", {0x3F800000}, 1},
    {"FREXPE.f32.neg_result r0, r1", {0x3F800000}, 0xFFFFFFFF},
    {"FREXPM.f32.sqrt r0, r1", {0x40000000}, 0x3F000000},
    {"FREXPE.f32.sqrt r0, r1", {0x40000000}, 1},
    {"FREXPM.f32.sqrt r0, r1", {0x40800000}, 0x3E800000},
    {"FREXPE.f32.sqrt r0, r1", {0x40800000}, 2},
    {"FREXPM.f32.sqrt r0, r1", {0x3E000000}, 0x3F000000},
    {"FREXPE.f32.sqrt r0, r1", {0x3E000000}, 0xFFFFFFFF},
    {"FREXPM.f32.log r0, r1", {0x40400000}, 0x3F400000},
    {"FREXPE.f32.log r0, r1", {0x40400000}, 2},
    {"FREXPM.f32.log r0, r1", {0x40000000}, 0x3F800000},
    {"FREXPE.f32.log r0, r1", {0x40000000}, 1},
    {"FREXPM.f32 r0, r1", {0x7F800000}, 0x7F800000},
    {"FREXPE.f32 r0, r1", {0x7F800000}, 0},
    {"FREXPE.f32 r0, r1", {0x80000000}, 0},
    {"FREXPM.v2f16 r0, r1", {0x42003C00}, 0x3A003800},
    {"FREXPE.v2f16 r0, r1", {0x42003800}, 0x00020000},
    {"FREXPE.v2f16 r0, r1", {0x3C003400}, 0x0001FFFF},
};

START_TEST(floats) {
  RUN(float_rows);
}
END_TEST

static const Row conversion_rows[] = {
    {"F32_TO_S32 r0, r1", {0x40200000}, 2},
    {"F32_TO_S32 r0, r1", {0x40600000}, 4},
    {"F32_TO_S32.rtz r0, r1.neg", {0x40600000}, 0xFFFFFFFD},
    {"F32_TO_S32.rtp r0, r1", {0x40200000}, 3},
    {"F32_TO_S32.rtn r0, r1", {0xC0200000}, 0xFFFFFFFD},
    {"F32_TO_S32 r0, r1", {0x4F000000}, 0x7FFFFFFF},
    {"F32_TO_S32 r0, r1", {0xFF800000}, 0x80000000},
    {"F32_TO_S32 r0, r1", {0x7FC00000}, 0},
    {"F32_TO_U32 r0, r1", {0xBE99999A}, 0},
    {"F32_TO_U32 r0, r1", {0xBF800000}, 0},
    {"F32_TO_U32 r0, r1", {0x4F800000}, 0xFFFFFFFF},
    {"F32_TO_U32 r0, r1", {0x4F7FFFFF}, 0xFFFFFF00},
    {"F16_TO_S32.rtz r0, r1.neg.h10", {0x42000000}, 0xFFFFFFFD},
    {"F16_TO_U32 r0, r1.h00", {0x7BFF}, 65504},
    {"F16_TO_S32 r0, r1.h00", {0xFC00}, 0x80000000},
    {"V2F16_TO_V2S16 r0, r1", {0x7BFFC500}, 0x7FFFFFFB},
    {"V2F16_TO_V2U16 r0, r1", {0x7BFFBC00}, 0xFFE00000},
    {"S32_TO_F32 r0, r1", {0xFFFFFFFF}, 0xBF800000},
    {"S32_TO_F32 r0, r1", {0x01000001}, 0x4B800000},
    {"S32_TO_F32.rtp r0, r1", {0x01000001}, 0x4B800001},
    {"U32_TO_F32 r0, r1", {0xFFFFFFFF}, 0x4F800000},
    {"U32_TO_F32.rtz r0, r1", {0xFFFFFFFF}, 0x4F7FFFFF},
    {"S16_TO_F32 r0, r1.h1", {0x80000000}, 0xC7000000},
    {"U16_TO_F32 r0, r1.h1", {0x80000000}, 0x47000000},
    {"S8_TO_F32 r0, r1.b3", {0xFF000000}, 0xBF800000},
    {"U8_TO_F32 r0, r1.b3", {0xFF000000}, 0x437F0000},
    {"V2S16_TO_V2F16 r0, r1", {0xFFFF0800}, 0xBC006800},
    {"V2U16_TO_V2F16 r0, r1", {0xFFF00801}, 0x7C006800},
    {"V2U16_TO_V2F16.rtz r0, r1", {0xFFFF0801}, 0x7BFF6800},
    {"V2S16_TO_V2F16 r0, r1.h10", {0x00010002}, 0x40003C00},
    {"V2S8_TO_V2F16 r0, r1.b02", {0x00FF0002}, 0xBC004000},
    {"V2U8_TO_V2F16 r0, r1.b31", {0xFF000200}, 0x40005BF8},
    {"S16_TO_S32 r0, r1.h1", {0x80010000}, 0xFFFF8001},
    {"U16_TO_U32 r0, r1.h1", {0x80010000}, 0x8001},
    {"S8_TO_S32 r0, r1.b1", {0x8000}, 0xFFFFFF80},
    {"U8_TO_U32 r0, r1.b1", {0x8000}, 0x80},
    {"V2S8_TO_V2S16 r0, r1.b13", {0x01008000}, 0x0001FF80},
    {"V2U8_TO_V2U16 r0, r1.b13", {0x01008000}, 0x00010080},
    {"F16_TO_F32 r0, r1.h1", {0x00010000}, 0x33800000},
    {"F16_TO_F32 r0, r1.neg.h0", {0x3C00}, 0xBF800000},
    {"F16_TO_F32 r0, r1.h0", {0x7C00}, 0x7F800000},
    {"V2F32_TO_V2F16 r0, r1, r2", {0x3F800000, 0x40000000}, 0x40003C00},
    {"V2F32_TO_V2F16 r0, r1, r2", {0x477FF000, 0x477FEFFF}, 0x7BFF7C00},
    {"V2F32_TO_V2F16.rtz r0, r1, r2", {0x7F7FFFFF, 0xB3000000}, 0x80007BFF},
    {"V2F32_TO_V2F16.clamp_0_1 r0, r1.neg, r2", {0x3F800000, 0x40000000}, 0x3C000000},
    {"V2F32_TO_V2F16 r0, r1, r2", {0x33800000, 0x33000000}, 0x00000001},
};

START_TEST(conversions) {
  RUN(conversion_rows);
}
END_TEST

static const Row special_rows[] = {
    {"FRCP.f32 r0, r1", {0x40000000}, 0x3F000000},
    {"FRCP.f32 r0, r1", {0x40400000}, 0x3EAAAAAB},
    {"FRCP.f32 r0, r1", {0x80000000}, 0xFF800000},
    {"FRCP.f32 r0, r1", {0x80000001}, 0xFF800000},
    {"FRCP.f32 r0, r1", {0xFF800000}, 0x80000000},
    {"FRCP.f32 r0, r1", {0x7F7FFFFF}, 0},
    {"FRCP.f32 r0, r1", {0x7FC00000}, 0x7FC00000},
    {"FRSQ.f32 r0, r1", {0x40800000}, 0x3F000000},
    {"FRSQ.f32 r0, r1", {0}, 0x7F800000},
    {"FRSQ.f32 r0, r1", {0x80000000}, 0xFF800000},
    {"FRSQ.f32 r0, r1", {0x80000001}, 0xFF800000},
    {"FRSQ.f32 r0, r1", {0xBF800000}, 0x7FC00000},
    {"FRSQ.f32 r0, r1", {0x7F800000}, 0},
    {"FRSQ.f32 r0, r1.abs.h1", {0xC4000000}, 0x3F000000},
    {"FLOGD.f32 r0, r1", {0x3F800000}, 0x3FB8AA3B},
    {"FLOGD.f32 r0, r1", {0x40000000}, 0x3FB8AA3B},
    {"FLOGD.f32 r0, r1", {0x3F400000}, 0x3FD47FCC},
    {"FLOGD.f32 r0, r1", {0}, 0x7F800000},
    {"FLOGD.f32 r0, r1", {1}, 0x7F800000},
    {"FLOGD.f32 r0, r1", {0x80000001}, 0x7F800000},
    {"FLOGD.f32 r0, r1", {0x7F800000}, 0x7F800000},
    {"FLOGD.f32 r0, r1", {0xBF800000}, 0x7FC00000},
    {"FLOGD.f32 r0, r1", {0x7FC00000}, 0x7FC00000},
    {"FEXP.f32 r0, r1, r2", {0, 0}, 0x3F800000},
    {"FEXP.f32 r0, r1, r2", {0x03000000, 0x4C400000}, 0x41000000},
    {"FEXP.f32 r0, r1, r2", {0xFF000000, 0xCB800000}, 0x3F000000},
    {"FEXP.f32 r0, r1, r2", {0x00800000, 0x4B000000}, 0x3FB504F3},
    {"FEXP.f32 r0, r1, r2", {0x80000000, 0xCF000000}, 0},
    {"FEXP.f32 r0, r1, r2", {0, 0xCF000000}, 0},
    {"FEXP.f32 r0, r1, r2", {0x82000000, 0xCEFC0000}, 0x00800000},
    {"FEXP.f32 r0, r1, r2", {0x81FFFFFF, 0xCEFC0000}, 0},
    {"FEXP.f32 r0, r1, r2", {0x81000000, 0xCEFE0000}, 0},
    {"FEXP.f32 r0, r1, r2", {0x7FFFFFFF, 0x4F000000}, 0x7F800000},
    {"FEXP.f32 r0, r1, r2", {0, 0x7FC00000}, 0x7FC00000},
    {"FEXP_TABLE.u4 r0, r1", {0}, 0x3F800000},
    {"FEXP_TABLE.u4 r0, r1", {8}, 0x3FB504F3},
    {"FEXP_TABLE.u4 r0, r1", {0xFFFFFFF8}, 0x3FB504F3},
    {"FSIN_TABLE.u6 r0, r1", {0}, 0},
    {"FSIN_TABLE.u6 r0, r1", {16}, 0x3F800000},
    {"FSIN_TABLE.u6 r0, r1", {32}, 0},
    {"FSIN_TABLE.u6 r0, r1", {48}, 0xBF800000},
    {"FSIN_TABLE.u6 r0, r1", {8 + 64}, 0x3F3504F3},
    {"FCOS_TABLE.u6 r0, r1", {0}, 0x3F800000},
    {"FCOS_TABLE.u6 r0, r1", {16}, 0},
    {"FCOS_TABLE.u6 r0, r1", {32}, 0xBF800000},
    {"FCOS_TABLE.u6 r0, r1", {56}, 0x3F3504F3},
    {"FRCP_APPROX.f32 r0, r1", {0x3F800000}, 0x40000000},
    {"FRCP_APPROX.f32 r0, r1", {0xC0400000}, 0xBFAAAA80},
    {"FRCP_APPROX.f32 r0, r1", {0x80000000}, 0xFF800000},
    {"FRCP_APPROX.f32 r0, r1", {0x7F800000}, 0},
    {"FRCP_APPROX.f32 r0, r1", {0xFF800000}, 0x80000000},
    {"FRSQ_APPROX.f32 r0, r1", {0x40800000}, 0x40000000},
    {"FRSQ_APPROX.f32 r0, r1", {0x40000000}, 0x3FB50500},
    {"FRSQ_APPROX.f32 r0, r1", {0x80000000}, 0xFF800000},
    {"FRSQ_APPROX.f32 r0, r1", {0xBF800000}, 0x7FC00000},
    {"FRSQ_APPROX.f32 r0, r1", {0x7F800000}, 0},
    {"FLOG_TABLE.f32 r0, r1", {0x7FC00000}, 0x3F800000},
    {"FLOG_TABLE.f32.base2 r0, r1", {0}, 0},
    {"FLOG_TABLE.f32 r0, r1", {0x3F800000}, 0x3F780000},
    {"FLOG_TABLE.f32.base2 r0, r1", {0x3FA00000}, 0x3EB6587B},
    {"FLOG_TABLE.f32.base2.high r0, r1", {0x3FA00000}, 0x3EB66000},
    {"FLOG_TABLE.f32.base2.low r0, r1", {0x3FA00000}, 0xB870979A},
    {"FLOG_TABLE.f32.natural.high r0, r1", {0x3F4CCCCD}, 0xBE648000},
    {"FLOG_TABLE.f32.natural.low r0, r1", {0x3F4CCCCD}, 0x35838656},
    {"CUBEFACE1 r0, r1, r2, r3", {0x3F800000, 0xC0400000, 0x40000000}, 0x40400000},
    {"CUBEFACE1 r0, r1, r2, r3", {0x3F800000, 0xFF800000, 0x40000000}, 0x3F800000},
    {"CUBEFACE1 r0, r1, r2, r3", {0x3F800000, 0xFF800000, 0x7FC00001}, 0x7FC00000},
    {"CUBEFACE1 r0, r1, r2, r3", {0, 0x80000001, 0}, 0x40000000},
    {"CUBEFACE1 r0, r1, r2, r3", {0, 0x807FFFFF, 0}, 0x40000000},
    {"CUBEFACE1 r0, r1, r2, r3", {0, 0, 0x80800000}, 0x00800000},
    {"CUBEFACE2_V9 r0, r1, r2, r3", {0x40000000, 0, 0}, 0},
    {"CUBEFACE2_V9 r0, r1, r2, r3", {0xC0000000, 0, 0}, 1u << 29},
    {"CUBEFACE2_V9 r0, r1, r2, r3", {0x3F800000, 0x40000000, 0}, 2u << 29},
    {"CUBEFACE2_V9 r0, r1, r2, r3", {0x3F800000, 0xC0000000, 0x3F800000}, 3u << 29},
    {"CUBEFACE2_V9 r0, r1, r2, r3", {0x3F800000, 0x3F800000, 0x3F800000}, 4u << 29},
    {"CUBEFACE2_V9 r0, r1, r2, r3", {0x3F800000, 0x3F800000, 0xBF800000}, 5u << 29},
    {"CUBEFACE2_V9 r0, r1, r2, r3", {0x3F800000, 0xBF800000, 0}, 3u << 29},
    {"CUBEFACE2_V9 r0, r1, r2, r3", {0x80000000, 0x80000000, 0x80000000}, 4u << 29},
    {"CUBEFACE2_V9 r0, r1, r2, r3", {0xFF800000, 0, 0}, 1u << 29 | 1u << 16},
    {"CUBEFACE2_V9 r0, r1, r2, r3", {0xFF800000, 0x7FC00000, 0}, 4u << 29},
    {"CUBE_SSEL r0, r1, r2, r3", {0x3F800000, 0x40000000, 0}, 0xBF800000},
    {"CUBE_SSEL r0, r1, r2, r3", {0x3F800000, 0x40000000, 1u << 29}, 0x3F800000},
    {"CUBE_SSEL r0, r1, r2, r3", {0x3F800000, 0x40000000, 2u << 29}, 0x40000000},
    {"CUBE_SSEL r0, r1, r2, r3", {0x3F800000, 0x40000000, 5u << 29}, 0xC0000000},
    {"CUBE_SSEL r0, r1, r2, r3", {0xFF800000, 0x40000000, 1u << 29 | 1u << 16}, 0xBF800000},
    {"CUBE_SSEL r0, r1, r2, r3", {0xFF800000, 0x40000000, 4u << 29 | 1u << 16}, 0},
    {"CUBE_TSEL r0, r1, r2, r3", {0x3F800000, 0x40000000, 0}, 0xBF800000},
    {"CUBE_TSEL r0, r1, r2, r3", {0x3F800000, 0x40000000, 2u << 29}, 0x40000000},
    {"CUBE_TSEL r0, r1, r2, r3", {0x3F800000, 0x40000000, 3u << 29}, 0xC0000000},
    {"CUBE_TSEL r0, r1, r2, r3", {0x3F800000, 0x40000000, 4u << 29}, 0xBF800000},
};

START_TEST(special_functions) {
  RUN(special_rows);
}
END_TEST

START_TEST(write_masks) {
  const Row low = {"IADD.u32 r0.h0, r1, r2", {0x12345678, 1}, 0x12345679};
  const Row high = {"IADD.v2u16 r0.h1, r1, r2", {0x12345678, 0x00010001}, 0x12355679};
  run_row(&low, "9", NORN_FTZ_PRESERVE, 0x0000FFFF);
  run_row(&high, "9", NORN_FTZ_PRESERVE, 0xFFFF0000);
  const Row narrow = {"FADD.f32 r0.h1, r1, r2", {0x3F800000, 0x3F800000}, 0x40004000};
  run_row(&narrow, "9", NORN_FTZ_PRESERVE, 0xFFFF0000);
  const Row rounded = {"FMA.f32.rtz r0.h0, r1, r2, r3", {0x477FF000, 0x3F800000, 0}, 0x7BFF7BFF};
  run_row(&rounded, "9", NORN_FTZ_PRESERVE, 0x0000FFFF);
  const Row both = {"FADD.f32 r0.h01, r1, r2", {0x3F800000, 0x3F800000}, 0x40004000};
  run_row(&both, "11", NORN_FTZ_PRESERVE, 0xFFFFFFFF);
  const Row lscale = {"FADD_LSCALE.f32 r0.h0, r1, r2", {0, 0x40000000}, 0x3C003C00};
  run_row(&lscale, "9", NORN_FTZ_PRESERVE, 0x0000FFFF);
  const Row half = {"FRCP.f16 r0.h1, r1.h1", {0x40000000}, 0x38003800};
  run_row(&half, "9", NORN_FTZ_PRESERVE, 0xFFFF0000);
  const Row half_low = {"FRSQ.f16 r0.h0, r1.h0", {0x4400}, 0x38003800};
  run_row(&half_low, "9", NORN_FTZ_PRESERVE, 0x0000FFFF);
  const Row subnormal = {"FRCP.f16 r0.h0, r1.h0", {0x7BFF}, 0x01000100};
  run_row(&subnormal, "9", NORN_FTZ_PRESERVE, 0x0000FFFF);
}
END_TEST

START_TEST(denormal_modes) {
  const Row keep = {"FADD.f32 r0, r1, r2", {1, 0x80000000}, 1};
  run_row(&keep, "9", NORN_FTZ_PRESERVE, UINT32_MAX);
  const Row input = {"FADD.f32 r0, r1, r2", {1, 0x80000000}, 0};
  run_row(&input, "9", NORN_FTZ_F32, UINT32_MAX);
  const Row output = {"FMA.f32 r0, r1, r2, 0x0.neg", {0x80800000, 0x3F000000, 0}, 0x80000000};
  run_row(&output, "9", NORN_FTZ_F32, UINT32_MAX);
  const Row half = {"FADD.v2f16 r0, r1, r2", {0x00010001, 0}, 0x00010001};
  run_row(&half, "9", NORN_FTZ_F32, UINT32_MAX);
  const Row half_flushed = {"FADD.v2f16 r0, r1, r2", {0x80018001, 0x80008000}, 0x80008000};
  run_row(&half_flushed, "9", NORN_FTZ_ALL, UINT32_MAX);
  const Row widened = {"FADD.f32 r0, r1.h0, 0x0", {1, 0}, 0};
  run_row(&widened, "9", NORN_FTZ_ALL, UINT32_MAX);
  const Row select = {"CSEL.f32.gt r0, r1, r2, r3, r4", {1, 0, 1, 2}, 1};
  run_row(&select, "9", NORN_FTZ_ALL, UINT32_MAX);
  const Row compare = {"FCMP_OR.f32.gt.i1 r0, r1, r2, 0x0", {1, 0, 0}, 0};
  run_row(&compare, "9", NORN_FTZ_ALL, UINT32_MAX);
  const Row round = {"FROUND.f32.rtp r0, r1", {1}, 0};
  run_row(&round, "10", NORN_FTZ_F32, UINT32_MAX);
  const Row round_later = {"FROUND.f32.rtp r0, r1", {1}, 0x3F800000};
  run_row(&round_later, "11", NORN_FTZ_F32, UINT32_MAX);
}
END_TEST

START_TEST(later_architectures) {
  const Row and_row = {"AND_IMM.i32 r0, r1, #0xFF00FF00", {0x12345678}, 0x12005600};
  const Row or_row = {"OR_IMM.i32 r0, r1, #0xFF00FF00", {0x12345678}, 0xFF34FF78};
  const Row xor_row = {"XOR_IMM.i32 r0, r1, #0xFF00FF00", {0x12345678}, 0xED34A978};
  run_row(&and_row, "11", NORN_FTZ_PRESERVE, UINT32_MAX);
  run_row(&or_row, "11", NORN_FTZ_PRESERVE, UINT32_MAX);
  run_row(&xor_row, "11", NORN_FTZ_PRESERVE, UINT32_MAX);
  const Row widened = {"F32_TO_U32 r0, r1.h1", {0x40000000}, 2};
  run_row(&widened, "11", NORN_FTZ_PRESERVE, UINT32_MAX);
  const Row root = {"FSQRT.f32 r0, r1", {0x40800000}, 0x40000000};
  const Row logarithm = {"FLOG.f32 r0, r1", {0x41000000}, 0x40400000};
  const Row exponential = {"FEXPF.f32 r0, r1", {0x40400000}, 0x41000000};
  const Row half_logarithm = {"FLOG.f16 r0.h0, r1.h0", {0x4800}, 0x42004200};
  const Row half_power = {"FPOW.f16 r0.h0, r1.h0, r2.h0", {0x4000, 0x4200}, 0x48004800};
  run_row(&root, "14", NORN_FTZ_PRESERVE, UINT32_MAX);
  run_row(&logarithm, "14", NORN_FTZ_PRESERVE, UINT32_MAX);
  run_row(&exponential, "14", NORN_FTZ_PRESERVE, UINT32_MAX);
  run_row(&half_logarithm, "14", NORN_FTZ_PRESERVE, 0xFFFF);
  run_row(&half_power, "14", NORN_FTZ_PRESERVE, 0xFFFF);
}
END_TEST

START_TEST(lanes) {
  NornValhallExchange exchange = {.active = 0xFFFF};
  uint64_t *first = exchange.source[0], *second = exchange.source[1], mask;
  NornValhallOperation operation;
  NornValhallResult result;
  for (unsigned i = 0; i < NORN_VALHALL_WARP; i++) {
    first[i] = 100 + i;
    second[i] = 5;
  }
  decode("CLPER.i32 r0, r1, r2.b0", "9", &operation);
  ck_assert(norn_valhall_is_exchange(&operation));
  norn_valhall_exchange(&operation, &exchange, 3, &result, &mask);
  ck_assert_uint_eq(result.bits, 105);
  ck_assert_uint_eq(result.mask, UINT32_MAX);
  ck_assert_uint_eq(mask, 0);
  exchange.undefined[5] = 0xFF00;
  norn_valhall_exchange(&operation, &exchange, 3, &result, &mask);
  ck_assert_uint_eq(mask, 0xFF00);
  exchange.active = 0xFFDF;
  norn_valhall_exchange(&operation, &exchange, 3, &result, &mask);
  ck_assert_uint_eq(result.bits, 0);
  ck_assert_uint_eq(mask, 0);
  decode("CLPER.i32.subgroup4.f1 r0, r1, r2.b0", "9", &operation);
  exchange.active = 0xFFFF;
  norn_valhall_exchange(&operation, &exchange, 14, &result, &mask);
  ck_assert_uint_eq(result.bits, 113);
  exchange.active = 0xDFFF;
  norn_valhall_exchange(&operation, &exchange, 14, &result, &mask);
  ck_assert_uint_eq(result.bits, 0x3F800000);
  decode("CLPER.i32.subgroup4.xor r0, r1, r2.b0", "9", &operation);
  exchange.active = 0xFFFF;
  norn_valhall_exchange(&operation, &exchange, 14, &result, &mask);
  ck_assert_uint_eq(result.bits, 115);
  for (unsigned i = 0; i < NORN_VALHALL_WARP; i++)
    second[i] = 1;
  decode("CLPER.i32.subgroup4.shift.umax r0, r1, r2.b0", "9", &operation);
  norn_valhall_exchange(&operation, &exchange, 6, &result, &mask);
  ck_assert_uint_eq(result.bits, 107);
  norn_valhall_exchange(&operation, &exchange, 7, &result, &mask);
  ck_assert_uint_eq(result.bits, 0xFFFFFFFF); /* lane 8 belongs to the next subgroup */
  second[2] = 0xFF00;
  decode("CLPER.i32.shift.umax r0, r1, r2.b1", "9", &operation);
  norn_valhall_exchange(&operation, &exchange, 2, &result, &mask);
  ck_assert_uint_eq(result.bits, 101);
  second[0] = 0xFF00;
  norn_valhall_exchange(&operation, &exchange, 0, &result, &mask);
  ck_assert_uint_eq(result.bits, 0xFFFFFFFF);
  first[1] = 0;
  decode("WMASK r0, r1", "9", &operation);
  exchange.active = 0x00FF;
  norn_valhall_exchange(&operation, &exchange, 3, &result, &mask);
  ck_assert_uint_eq(result.bits, 0xFD);
  decode("WMASK.subgroup4 r0, r1", "9", &operation);
  exchange.active = 0x00EF;
  norn_valhall_exchange(&operation, &exchange, 6, &result, &mask);
  ck_assert_uint_eq(result.bits, 0xE);
}
END_TEST

START_TEST(branches) {
  static const struct {
    const char *text;
    uint64_t condition;
    bool taken;
  } cases[] = {
      {"BRANCHZ r0, offset:1", 0, false},
      {"BRANCHZ r0, offset:1", 0x80000000, true},
      {"BRANCHZ.eq r0, offset:1", 0, true},
      {"BRANCHZ.eq r0, offset:1", 4, false},
      {"BRANCHZ r0.h0, offset:1", 0xFFFF0000, false},
      {"BRANCHZ r0.h1, offset:1", 0xFFFF0000, true},
      {"BRANCHZ r0.and, offset:1", 0xFFFF0000, false},
      {"BRANCHZ r0.and, offset:1", 0xFFFFFFFF, true},
      {"BRANCHZ.eq r0.and, offset:1", 0x0000FFFF, true},
  };
  NornValhallOperation operation;
  for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
    decode(cases[i].text, "9", &operation);
    ck_assert_msg(norn_valhall_branch_taken(&operation, cases[i].condition) == cases[i].taken,
                  "%s of 0x%" G_GINT64_MODIFIER "x", cases[i].text, cases[i].condition);
  }
}
END_TEST

START_TEST(undefined_bits) {
  NornValhallOperation operation;
  uint64_t source[4] = {0}, undefined[4] = {0xFFFF0000};
  decode("FADD.v2f16 r0, r1, r2", "9", &operation);
  ck_assert_uint_eq(norn_valhall_undefined_result(&operation, source, undefined), 0xFFFF0000);
  decode("FADD.v2f16 r0, r1.h00, r2", "9", &operation);
  ck_assert_uint_eq(norn_valhall_undefined_result(&operation, source, undefined), 0);
  decode("FADD.v2f16 r0, r1.h10, r2", "9", &operation);
  ck_assert_uint_eq(norn_valhall_undefined_result(&operation, source, undefined), 0x0000FFFF);
  decode("FADD.f32 r0, r1.h0, r2", "9", &operation);
  ck_assert_uint_eq(norn_valhall_undefined_result(&operation, source, undefined), 0);
  decode("FADD.f32 r0, r1, r2", "9", &operation);
  ck_assert_uint_eq(norn_valhall_undefined_result(&operation, source, undefined), 0xFFFFFFFF);
  decode("MKVEC.v2i16 r0, r1.h1, r2.h0", "9", &operation);
  ck_assert_uint_eq(norn_valhall_undefined_result(&operation, source, undefined), 0x0000FFFF);
  decode("FRCP.f16 r0.h0, r1.h1", "9", &operation);
  ck_assert_uint_eq(norn_valhall_undefined_result(&operation, source, undefined), 0xFFFFFFFF);
}
END_TEST

START_TEST(undefined_bits_pass) {
  static const struct {
    const char *text;
    uint32_t source[4], undefined[4], result;
  } cases[] = {
      {"MOV.i32 r0, r1", {0}, {0x00FF00FF}, 0x00FF00FF},
      {"MKVEC.v2i8 r0, r1.b1, r2.b0, r3", {0}, {0x0F00, 0xF0, 0x3C}, 0x3CF00F},
      {"LSHIFT_AND.i32 r0, r1, 0x0, r2", {0, 0, 0x0F0F}, {0xFFFF}, 0x0F0F},
      {"LSHIFT_AND.i32 r0, r1, 0x0, r2", {0xF0F0}, {0, 0, 0xFFFF}, 0xF0F0},
      {"LSHIFT_OR.i32 r0, r1, 0x0, r2", {0, 0, 0x0F0F}, {0xFFFF}, 0xF0F0},
      {"LSHIFT_OR.i32 r0, r1, 0x0, r2", {0, 0, 0xF0F}, {0xFFFF, 0, 0xF}, 0xF0FF},
      {"LSHIFT_XOR.i32 r0, r1, 0x0, r2", {0, 0, 0x0F0F}, {0xFF00, 0, 0xFF}, 0xFFFF},
      {"LSHIFT_OR.i32 r0, r1, r2.b0, r3", {0, 8}, {0xFF0000FF}, 0x0000FF00},
      {"RSHIFT_OR.i32 r0, r1, r2.b0, r3", {0, 0x20}, {0xFF, 0xE0}, 0xFF},
      {"RSHIFT_OR.i32 r0, r1, r2.b0, r3", {0}, {0, 1}, 0xFFFFFFFF},
      {"RSHIFT_OR.i32.signed r0, r1, r2.b0, r3", {0, 8}, {0x80000000}, 0xFF800000},
      {"AND_IMM.i32 r0, r1, #0xFF0", {0}, {0xFFFF}, 0x0FF0},
      {"OR_IMM.i32 r0, r1, #0xFF0", {0}, {0xFFFF}, 0xF00F},
      {"MUX.i32.bit r0, r1, r2, r3", {1, 2, 0xFF}, {0xF0F0, 0x0F0F}, 0x0FF0 & 0xFFF0},
      {"MUX.i32.bit r0, r1, r2, r3", {0x0F, 0x3C}, {0, 0, 0xFF}, 0x33},
      {"MUX.i32.neg r0, r1, r2, r3", {0, 0, 1}, {0xF, 0xF0}, 0xF0},
      {"MUX.i32.neg r0, r1, r2, r3", {0}, {0, 0, 1}, 0xFFFFFFFF},
      {"CSEL.u32.lt r0, r1, r2, r3, r4", {1, 2}, {0, 0, 0xF, 0xF0}, 0xF},
      {"CSEL.u32.lt r0, r1, r2, r3, r4", {2, 1}, {0, 0, 0xF, 0xF0}, 0xF0},
      {"CSEL.u32.lt r0, r1, r2, r3, r4", {2, 1}, {1}, 0xFFFFFFFF},
      {"IADD.u32 r0, r1, r2", {0}, {1}, 0xFFFFFFFF},
      {"IADD.u32 r0, r1, r2", {0}, {0xF0000, 0x100}, 0xFFFFFF00},
      {"IMUL.i32 r0, r1, r2", {0, 4}, {0xFFFF0000}, 0xFFFC0000},
      {"IMUL.i32 r0, r1, r2", {0, 12}, {0x100, 0x8}, 0xFFFFFC00},
      {"IMUL.i32 r0, r1, r2", {1}, {0, 0x10}, 0xFFFFFFF0},
      {"IMUL.i32 r0, r1, r2", {0x10}, {0x10000, 0x10000}, 0xFFF00000},
      {"IMUL.i32 r0, r1, r2", {0}, {0xFFFF0000}, 0},
      {"IMUL.v2i16 r0, r1, r2", {0, 0x20000}, {0xFF000000}, 0xFE000000},
  };
  for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
    NornValhallOperation operation;
    uint64_t source[4], undefined[4];
    for (unsigned k = 0; k < 4; k++) {
      source[k] = cases[i].source[k];
      undefined[k] = cases[i].undefined[k];
    }
    decode(cases[i].text, "11", &operation);
    uint64_t mask = norn_valhall_undefined_result(&operation, source, undefined);
    ck_assert_msg(mask == cases[i].result, "%u %s: 0x%" G_GINT64_MODIFIER "x", i, cases[i].text,
                  mask);
  }
}
END_TEST

START_TEST(needed_bits) {
  static const struct {
    const char *text;
    uint64_t needed[2];
  } cases[] = {
      {"DISCARD.f32.ge r0.h1, r1.h0", {0xFFFF0000, 0xFFFF}},
      {"DISCARD.f32.ge r0, r1", {UINT64_MAX, UINT64_MAX}},
      {"CLPER.i32 r0, r1, r2.b2", {UINT64_MAX, 0xFF0000}},
      {"BRANCHZ.eq r0, offset:1", {UINT32_MAX, UINT64_MAX}},
      {"BRANCHZ.eq r0.h0, offset:1", {0xFFFF, UINT64_MAX}},
      {"BRANCHZ.eq r0.h1, offset:1", {0xFFFF0000, UINT64_MAX}},
      {"BRANCHZ.eq r0.and, offset:1", {UINT32_MAX, UINT64_MAX}},
      {"BRANCHZ.eq r0.lowbits, offset:1", {0x1FFFF8, UINT64_MAX}},
      {"IADD.v2u16 r0, r1.h00, r2", {UINT64_MAX, UINT64_MAX}},
  };
  for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
    NornValhallOperation operation;
    decode(cases[i].text, "9", &operation);
    for (unsigned k = 0; k < 2; k++)
      ck_assert_msg(norn_valhall_needed_bits(&operation, k) == cases[i].needed[k],
                    "source %u of %s: 0x%" G_GINT64_MODIFIER "x", k, cases[i].text,
                    norn_valhall_needed_bits(&operation, k));
  }
}
END_TEST

START_TEST(refuses_unknown_operations) {
  static const char *const texts[] = {
      "FPCLASS.f32 r0, r1",
      "FSINCOS_OFFSET.u6 r0, r1",
      "FATAN_ASSIST.f32 r0, r1, r2",
      "LDEXP.f32.inf r0, r1, r2",
      "FSIN_TABLE.u6.offset r0, r1",
      "FADD.f32.sticky r0, r1, r2",
      "FMA_RSCALE_SCALE16.f32 r0, r1, r2, r3, r4",
      "CLPER.i32.accumulate r0, r1, r2.b0",
      "CLPER.i32.rotate r0, r1, r2.b0",
  };
  const NornIsa *isa = norn_isa_find("valhall");
  for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
    uint64_t word = word_of(texts[i]);
    NornValhallOperation operation;
    GError *error = NULL;
    const NornIsaEncoding *encoding = norn_isa_decode(isa, 0, word);
    ck_assert_msg(!norn_valhall_decode(isa, encoding, word, &operation, &error), "%s", texts[i]);
    ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED));
    g_error_free(error);
  }
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("valhall alu");
  TCase *tests = tcase_create("valhall alu");
  tcase_add_test(tests, integers);
  tcase_add_test(tests, wide_integers);
  tcase_add_test(tests, logic);
  tcase_add_test(tests, comparisons);
  tcase_add_test(tests, floats);
  tcase_add_test(tests, conversions);
  tcase_add_test(tests, special_functions);
  tcase_add_test(tests, write_masks);
  tcase_add_test(tests, denormal_modes);
  tcase_add_test(tests, later_architectures);
  tcase_add_test(tests, lanes);
  tcase_add_test(tests, branches);
  tcase_add_test(tests, undefined_bits);
  tcase_add_test(tests, undefined_bits_pass);
  tcase_add_test(tests, needed_bits);
  tcase_add_test(tests, refuses_unknown_operations);
  suite_add_tcase(suite, tests);
  return suite;
}
