/* The result of each operation, as rows of operation, operands and results in raw bits: every
 * type that it has, and the corner cases that its description in norn/ops.def names. */
#include "ir/evaluate.h"
#include "ir/ops.h"
#include "unit.h"
#include <string.h>

typedef struct Row {
  const char *text; /* as in the IR: name[.modifier][.type][.source type] */
  uint64_t operands[5];
  uint64_t results[4];
} Row;

static const Row integer_rows[] = {
    {"iadd.i8", {0xFF, 2}, {1}},
    {"iadd.i16", {0x8000, 0x8000}, {0}},
    {"iadd.i32", {0xFFFFFFFF, 1}, {0}},
    {"iadd.i64", {UINT64_MAX, 2}, {1}},
    {"iadd.v2i16", {0xFFFF0001, 0x00010002}, {0x00000003}},
    {"iadd.v4i8", {0xFF01807F, 0x01010101}, {0x00028180}},
    {"isub.i8", {0, 1}, {0xFF}},
    {"isub.i32", {0, 1}, {0xFFFFFFFF}},
    {"isub.i64", {0, 1}, {UINT64_MAX}},
    {"isub.v2i16", {0x00000000, 0x00010000}, {0xFFFF0000}},
    {"isub.v4i8", {0x00000000, 0x01000001}, {0xFF0000FF}},
    {"imul.i8", {0x10, 0x11}, {0x10}},
    {"imul.i16", {0xFFFF, 0xFFFF}, {1}},
    {"imul.i32", {0x10001, 0x10001}, {0x20001}},
    {"imul.i64", {0x100000001, 0x100000001}, {0x200000001}},
    {"imul.v2i16", {0x00030002, 0xFFFF8000}, {0xFFFD0000}},
    {"imul.v4i8", {0x02030405, 0x80FF0203}, {0x00FD080F}},
    {"smulh.i8", {0x80, 0x80}, {0x40}},
    {"smulh.i32", {0xFFFFFFFF, 0x7FFFFFFF}, {0xFFFFFFFF}},
    {"smulh.i64", {1ull << 63, 1ull << 63}, {1ull << 62}},
    {"smulh.v2i16", {0x80007FFF, 0x80007FFF}, {0x40003FFF}},
    {"umulh.i8", {0xFF, 0xFF}, {0xFE}},
    {"umulh.i32", {0xFFFFFFFF, 0xFFFFFFFF}, {0xFFFFFFFE}},
    {"umulh.i64", {UINT64_MAX, UINT64_MAX}, {UINT64_MAX - 1}},
    {"umulh.v4i8", {0xFF800210, 0xFF028010}, {0xFE010101}},
    {"smulx", {0xFFFFFFFF, 0x80000000}, {0x80000000}},
    {"smulx", {0x80000000, 0x80000000}, {0x4000000000000000}},
    {"umulx", {0xFFFFFFFF, 0xFFFFFFFF}, {0xFFFFFFFE00000001}},
    {"iaddc.i8", {0xFF, 0, 1}, {0, 1}},
    {"iaddc.i8", {0xFF, 0xFF, 1}, {0xFF, 1}},
    {"iaddc.i32", {0xFFFFFFFE, 1, 0}, {0xFFFFFFFF, 0}},
    {"iaddc.i64", {UINT64_MAX, UINT64_MAX, 1}, {UINT64_MAX, 1}},
    {"iaddc.i64", {UINT64_MAX, 0, 0}, {UINT64_MAX, 0}},
    {"isubb.i8", {0, 0, 1}, {0xFF, 1}},
    {"isubb.i16", {5, 4, 1}, {0, 0}},
    {"isubb.i64", {0, UINT64_MAX, 1}, {0, 1}},
    {"isubb.i64", {1, 1, 0}, {0, 0}},
    {"saddsat.i8", {0x7F, 1}, {0x7F}},
    {"saddsat.i64", {1ull << 63, UINT64_MAX}, {1ull << 63}},
    {"saddsat.v2i16", {0x7FFF8000, 0x0001FFFF}, {0x7FFF8000}},
    {"uaddsat.i8", {0xFF, 1}, {0xFF}},
    {"uaddsat.i32", {0xFFFFFFFE, 1}, {0xFFFFFFFF}},
    {"uaddsat.v4i8", {0xFF01FE80, 0x02020280}, {0xFF03FFFF}},
    {"ssubsat.i16", {0x8000, 1}, {0x8000}},
    {"ssubsat.i64", {0, 1ull << 63}, {INT64_MAX}},
    {"usubsat.i8", {1, 2}, {0}},
    {"usubsat.v2i16", {0x00050001, 0x00030002}, {0x00020000}},
    {"smulsat.i8", {0x80, 0x80}, {0x7F}},
    {"smulsat.i32", {0x80000000, 2}, {0x80000000}},
    {"umulsat.i16", {0x100, 0x100}, {0xFFFF}},
    {"umulsat.i64", {1ull << 32, 1ull << 32}, {UINT64_MAX}},
    {"shadd.i8", {0xFF, 0}, {0xFF}},
    {"shadd.i32", {0x7FFFFFFF, 0x7FFFFFFF}, {0x7FFFFFFF}},
    {"uhadd.i8", {0xFF, 0xFE}, {0xFE}},
    {"uhadd.i64", {UINT64_MAX, UINT64_MAX}, {UINT64_MAX}},
    {"srhadd.i8", {0xFF, 0}, {0}},
    {"urhadd.v4i8", {0xFF000102, 0xFE010101}, {0xFF010102}},
    {"sdiv.i8", {0x80, 0xFF}, {0x80}},
    {"sdiv.i32", {0xFFFFFFF9, 2}, {0xFFFFFFFD}},
    {"sdiv.i32", {7, 0}, {0xFFFFFFFF}},
    {"sdiv.i64", {1ull << 63, UINT64_MAX}, {1ull << 63}},
    {"sdiv.v2i16", {0x8000FFF9, 0xFFFF0002}, {0x8000FFFD}},
    {"udiv.i8", {0x80, 0xFF}, {0}},
    {"udiv.i32", {7, 0}, {0xFFFFFFFF}},
    {"udiv.i64", {UINT64_MAX, 10}, {1844674407370955161}},
    {"udiv.v4i8", {0xFF100700, 0x02000300}, {0x7FFF02FF}},
    {"srem.i8", {0x80, 0xFF}, {0}},
    {"srem.i32", {0xFFFFFFF9, 2}, {0xFFFFFFFF}},
    {"srem.i32", {7, 0xFFFFFFFE}, {1}},
    {"srem.i32", {7, 0}, {7}},
    {"srem.i64", {1ull << 63, UINT64_MAX}, {0}},
    {"urem.i16", {7, 0}, {7}},
    {"urem.i64", {UINT64_MAX, 10}, {5}},
    {"ineg.i8", {0x80}, {0x80}},
    {"ineg.i64", {1}, {UINT64_MAX}},
    {"ineg.v2i16", {0x00018000}, {0xFFFF8000}},
    {"iabs.i8", {0x80}, {0x80}},
    {"iabs.i32", {0xFFFFFFFF}, {1}},
    {"iabs.v4i8", {0xFF7F8000}, {0x017F8000}},
    {"smin.i8", {0x80, 0x7F}, {0x80}},
    {"smin.i64", {UINT64_MAX, 0}, {UINT64_MAX}},
    {"smax.i8", {0x80, 0x7F}, {0x7F}},
    {"smax.v2i16", {0x8000FFFF, 0x00010000}, {0x00010000}},
    {"umin.i8", {0x80, 0x7F}, {0x7F}},
    {"umax.i32", {0x80000000, 0x7FFFFFFF}, {0x80000000}},
    {"umax.v4i8", {0xFF000180, 0x01FF027F}, {0xFFFF0280}},
    {"sdot4.v4i8", {0x80FF0102, 0x80020304, 1}, {0x400A}},
    {"sdot4.v4i8", {0x80808080, 0x80808080, 0x7FFFFFFF}, {0x8000FFFF}},
    {"udot4.v4i8", {0xFFFFFFFF, 0xFFFFFFFF, 1}, {0x3F805}},
    {"udot4.v4i8", {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, {0x3F803}},
    {"sudot4.v4i8", {0xFF000000, 0xFF000000, 0}, {0xFFFFFF01}},
    {"sdot4sat.v4i8", {0x80808080, 0x80808080, 0x7FFFFFFF}, {0x7FFFFFFF}},
    {"udot4sat.v4i8", {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, {0xFFFFFFFF}},
    {"sudot4sat.v4i8", {0x80808080, 0xFFFFFFFF, 0x80000000}, {0x80000000}},
    {"sudot4sat.v4i8", {0x01000000, 0x05000000, 0xFFFFFFFF}, {4}},
};

static const Row bit_rows[] = {
    {"and.i1", {1, 1}, {1}},
    {"and.i64", {0xFF00FF00FF00FF00, 0xF0F0F0F0F0F0F0F0}, {0xF000F000F000F000}},
    {"and.v4i8", {0xFF00F00F, 0x123456FF}, {0x1200500F}},
    {"or.i1", {0, 1}, {1}},
    {"or.i8", {0x80, 1}, {0x81}},
    {"xor.i1", {1, 1}, {0}},
    {"xor.i32", {0xFFFFFFFF, 0x0F0F0F0F}, {0xF0F0F0F0}},
    {"not.i1", {1}, {0}},
    {"not.i1", {0}, {1}},
    {"not.i16", {0x00FF}, {0xFF00}},
    {"not.v2i16", {0x00FF1234}, {0xFF00EDCB}},
    {"bitselect.i32", {0xFFFF0000, 0x12345678, 0x9ABCDEF0}, {0x1234DEF0}},
    {"bitselect.i8", {0x0F, 0xAA, 0x55}, {0x5A}},
    {"shl.i8", {1, 7}, {0x80}},
    {"shl.i8", {1, 8}, {1}},
    {"shl.i32", {1, 33}, {2}},
    {"shl.i64", {1, 65}, {2}},
    {"shl.v2i16", {0x00010001, 0x00110001}, {0x00020002}},
    {"shl.v4i8", {0x01010101, 0x08070100}, {0x01800201}},
    {"lshr.i8", {0x80, 7}, {1}},
    {"lshr.i32", {0x80000000, 0xFFFFFFFF}, {1}},
    {"lshr.i64", {1ull << 63, 64}, {1ull << 63}},
    {"lshr.v2i16", {0x80008000, 0x000F0010}, {0x00018000}},
    {"ashr.i8", {0x80, 7}, {0xFF}},
    {"ashr.i16", {0x8000, 17}, {0xC000}},
    {"ashr.i64", {1ull << 63, 63}, {UINT64_MAX}},
    {"ashr.v4i8", {0x80407F81, 0x01010101}, {0xC0203FC0}},
    {"rotl.i8", {0x81, 9}, {0x03}},
    {"rotl.i32", {0x80000001, 0}, {0x80000001}},
    {"rotl.i64", {1ull << 63, 1}, {1}},
    {"rotr.i8", {0x01, 1}, {0x80}},
    {"rotr.v2i16", {0x00010002, 0x00010011}, {0x80000001}},
    {"fshl.i8", {0x12, 0x34, 4}, {0x23}},
    {"fshl.i32", {1, 2, 32}, {1}},
    {"fshl.i64", {1, 1ull << 63, 1}, {3}},
    {"fshr.i8", {0x12, 0x34, 4}, {0x23}},
    {"fshr.i32", {1, 2, 32}, {2}},
    {"fshr.v2i16", {0x00010001, 0x80000000, 0x00010010}, {0xC0000000}},
    {"shladd.u32.i64", {0x100000000, 0xFFFFFFFF, 2}, {0x4FFFFFFFC}},
    {"shladd.s32.i64", {0x100000000, 0xFFFFFFFF, 2}, {0xFFFFFFFC}},
    {"shladd.u32.i64", {UINT64_MAX, 1, 7}, {0x7F}},
    {"ubfe.i32", {0x12345678, 8, 8}, {0x56}},
    {"ubfe.i32", {0x12345678, 0, 32}, {0x12345678}},
    {"ubfe.i32", {0x12345678, 28, 8}, {1}},
    {"ubfe.i32", {0x12345678, 40, 8}, {0x56}},
    {"ubfe.i32", {0x12345678, 8, 0}, {0}},
    {"ubfe.i64", {UINT64_MAX, 60, 0xFFFFFFFF}, {15}},
    {"ubfe.i8", {0xF0, 4, 3}, {7}},
    {"sbfe.i32", {0x0000F000, 12, 4}, {0xFFFFFFFF}},
    {"sbfe.i32", {0x00007000, 12, 4}, {7}},
    {"sbfe.i32", {0x80000000, 31, 5}, {0xFFFFFFFF}},
    {"sbfe.i32", {0xFFFFFFFF, 3, 0}, {0}},
    {"sbfe.i16", {0x0080, 0, 8}, {0xFF80}},
    {"bfi.i32", {0xFFFFFFFF, 0x12, 8, 8}, {0xFFFF12FF}},
    {"bfi.i32", {0, 0xFFFFFFFF, 28, 8}, {0xF0000000}},
    {"bfi.i32", {5, 0xFFFFFFFF, 0, 0}, {5}},
    {"bfi.i64", {0, UINT64_MAX, 64, 64}, {UINT64_MAX}},
    {"clz.i8", {0}, {8}},
    {"clz.i8", {1}, {7}},
    {"clz.i32", {0x00010000}, {15}},
    {"clz.i64", {0}, {64}},
    {"clz.v2i16", {0x00010000}, {0x000F0010}},
    {"ctz.i16", {0x8000}, {15}},
    {"ctz.i32", {0}, {32}},
    {"ctz.v4i8", {0x80400100}, {0x07060008}},
    {"popcount.i64", {UINT64_MAX}, {64}},
    {"popcount.v4i8", {0xFF00030F}, {0x08000204}},
    {"bitreverse.i8", {0x12}, {0x48}},
    {"bitreverse.i32", {1}, {0x80000000}},
    {"bitreverse.v2i16", {0x00010003}, {0x8000C000}},
    {"find_lsb.i32", {0}, {0xFFFFFFFF}},
    {"find_lsb.i32", {0x50}, {4}},
    {"find_lsb.i8", {0}, {0xFF}},
    {"find_umsb.i32", {0}, {0xFFFFFFFF}},
    {"find_umsb.i32", {0x80000000}, {31}},
    {"find_umsb.i64", {1}, {0}},
    {"find_smsb.i32", {0xFFFFFFFF}, {0xFFFFFFFF}},
    {"find_smsb.i32", {0}, {0xFFFFFFFF}},
    {"find_smsb.i32", {0x80000000}, {30}},
    {"find_smsb.i32", {0x00000100}, {8}},
    {"find_smsb.i8", {0xFE}, {0}},
};

/* 1.0 is 3C00 (f16), 3F800000 (f32), 3FF0000000000000 (f64). */
static const Row compare_rows[] = {
    {"icmp.eq.i8", {0x80, 0x80}, {1}},
    {"icmp.ne.i64", {1ull << 63, 0}, {1}},
    {"icmp.ult.i32", {0x80000000, 1}, {0}},
    {"icmp.slt.i32", {0x80000000, 1}, {1}},
    {"icmp.ule.i16", {0xFFFF, 0xFFFF}, {1}},
    {"icmp.sle.i16", {0xFFFF, 0}, {1}},
    {"icmp.ugt.i8", {0xFF, 1}, {1}},
    {"icmp.sgt.i8", {0xFF, 1}, {0}},
    {"icmp.uge.i64", {UINT64_MAX, 0}, {1}},
    {"icmp.sge.i64", {UINT64_MAX, 0}, {0}},
    {"fcmp.oeq.f32", {0x80000000, 0}, {1}},
    {"fcmp.oeq.f32", {0x7FC00000, 0x7FC00000}, {0}},
    {"fcmp.ueq.f32", {0x7FC00000, 0}, {1}},
    {"fcmp.one.f32", {0x7FC00000, 0}, {0}},
    {"fcmp.one.f32", {0x3F800000, 0}, {1}},
    {"fcmp.une.f32", {0x7FC00000, 0}, {1}},
    {"fcmp.une.f32", {0x80000000, 0}, {0}},
    {"fcmp.olt.f16", {0xFC00, 0x7C00}, {1}},
    {"fcmp.olt.f16", {0x7E00, 0x7C00}, {0}},
    {"fcmp.ult.f16", {0x7E00, 0x7C00}, {1}},
    {"fcmp.ole.f64", {0x8000000000000000, 0}, {1}},
    {"fcmp.ule.f64", {0x3FF0000000000000, 0}, {0}},
    {"fcmp.ogt.f64", {0x3FF0000000000000, 0}, {1}},
    {"fcmp.ugt.f32", {0, 0xFFC00000}, {1}},
    {"fcmp.oge.f32", {0, 0x80000000}, {1}},
    {"fcmp.uge.f32", {0xBF800000, 0}, {0}},
    {"fcmp.ord.f32", {0x7F800000, 0}, {1}},
    {"fcmp.ord.f32", {0x7F800000, 0x7F800001}, {0}},
    {"fcmp.uno.f32", {0x7F800000, 0x7F800001}, {1}},
    {"icmpmask.slt.v2i16", {0x80000001, 0x00000001}, {0xFFFF0000}},
    {"icmpmask.eq.v4i8", {0x01020304, 0x01000300}, {0xFF00FF00}},
    {"fcmpmask.olt.v2i16.v2f16", {0x3C007E00, 0x40003C00}, {0xFFFF0000}},
    {"fcmpmask.uno.v2i16.v2f16", {0x3C007E00, 0x40003C00}, {0x0000FFFF}},
    {"fclass.f32", {0x7F800001, 1 << 0}, {1}},
    {"fclass.f32", {0x7FC00000, 1 << 1}, {1}},
    {"fclass.f32", {0x7FC00000, 0x3FD}, {0}},
    {"fclass.f16", {0xFC00, 1 << 2}, {1}},
    {"fclass.f16", {0xBC00, 1 << 3}, {1}},
    {"fclass.f16", {0x8001, 1 << 4}, {1}},
    {"fclass.f64", {0x8000000000000000, 1 << 5}, {1}},
    {"fclass.f64", {0, 1 << 6}, {1}},
    {"fclass.f64", {1, 1 << 7}, {1}},
    {"fclass.f32", {0x3F800000, 1 << 8}, {1}},
    {"fclass.f32", {0x7F800000, 1 << 9}, {1}},
    {"fclass.f32", {0x7F800000, 0x1FF}, {0}},
    {"select.i1", {1, 0, 1}, {0}},
    {"select.i64", {0, 1, UINT64_MAX}, {UINT64_MAX}},
    {"select.f32", {1, 0x7F800001, 0}, {0x7F800001}},
    {"select.v2f16", {0, 0, 0x12345678}, {0x12345678}},
};

static const Row float_rows[] = {
    {"fadd.f32", {0x3F800000, 0x33800000}, {0x3F800000}},
    {"fadd.f32", {0x3F800001, 0x33800000}, {0x3F800002}},
    {"fadd.f32", {0x3F800000, 0xBF800000}, {0}},
    {"fadd.f32", {0x80000000, 0x80000000}, {0x80000000}},
    {"fadd.f32", {0x7F800000, 0xFF800000}, {0x7FC00000}},
    {"fadd.f32", {0x7F7FFFFF, 0x7F7FFFFF}, {0x7F800000}},
    {"fadd.f32", {0xFFC12345, 0}, {0x7FC00000}},
    {"fadd.f16", {0x0001, 0x0001}, {0x0002}},
    {"fadd.f64", {0x3FF0000000000000, 0x3CA0000000000000}, {0x3FF0000000000000}},
    {"fadd.v2f16", {0x3C007BFF, 0x3C007BFF}, {0x40007C00}},
    {"fsub.f32", {0, 0x80000000}, {0}},
    {"fsub.f32", {0x80000000, 0}, {0x80000000}},
    {"fsub.v2f16", {0x3C000000, 0x40008000}, {0xBC000000}},
    {"fmul.f32", {0x80000000, 0x3F800000}, {0x80000000}},
    {"fmul.f32", {0, 0x7F800000}, {0x7FC00000}},
    {"fmul.f32", {0x00800000, 0x3F000000}, {0x00400000}},
    {"fmul.f16", {0x5BFF, 0x5BFF}, {0x7BFE}},
    {"fmul.f64", {0x0010000000000000, 0x3FE0000000000000}, {0x0008000000000000}},
    {"fmul.v2f16", {0x40004200, 0x42004200}, {0x46004880}},
    {"fma.f32", {0x3F800001, 0x3F800001, 0xBF800002}, {0x28800000}},
    {"fma.f32", {0x7F7FFFFF, 0x40000000, 0xFF7FFFFF}, {0x7F7FFFFF}},
    {"fma.f32", {0, 0x7F800000, 0x3F800000}, {0x7FC00000}},
    {"fma.f16", {0x3C01, 0x3C01, 0xBC00}, {0x1800}},
    {"fma.f64", {0x3FF0000000000001, 0x3FF0000000000001, 0xBFF0000000000002}, {0x3970000000000000}},
    {"fma.v2f16", {0x3C004000, 0x3C004200, 0x3C003C00}, {0x40004700}},
    {"fmascale.f32", {0x3F800000, 0x3F800000, 0x3F800000, 24}, {0x4C000000}},
    {"fmascale.f32", {0x3F800001, 0x3F800000, 0, (uint32_t)-149}, {1}},
    {"fmascale.f16", {0x7BFF, 0x4000, 0, (uint32_t)-1}, {0x7BFF}},
    {"fdiv.f32", {0x3F800000, 0x40400000}, {0x3EAAAAAB}},
    {"fdiv.f32", {0x3F800000, 0x80000000}, {0xFF800000}},
    {"fdiv.f32", {0, 0}, {0x7FC00000}},
    {"fdiv.f16", {0x3C00, 0x4200}, {0x3555}},
    {"fdiv.f64", {0x3FF0000000000000, 0x4008000000000000}, {0x3FD5555555555555}},
    {"fneg.f32", {0x7F800001}, {0xFF800001}},
    {"fneg.f16", {0}, {0x8000}},
    {"fneg.v2f16", {0x80003C00}, {0x0000BC00}},
    {"fabs.f64", {0xFFF8000000000001}, {0x7FF8000000000001}},
    {"fabs.v2f16", {0x8000BC00}, {0x00003C00}},
    {"fmin.f32", {0, 0x80000000}, {0x80000000}},
    {"fmin.f32", {0x7FC00000, 0x3F800000}, {0x3F800000}},
    {"fmin.f32", {0x7F800001, 0xFFC00001}, {0x7FC00000}},
    {"fmin.v2f16", {0x7E003C00, 0x3C004000}, {0x3C003C00}},
    {"fmax.f16", {0x8000, 0}, {0}},
    {"fmax.f64", {0x7FF8000000000000, 0xFFF0000000000000}, {0xFFF0000000000000}},
    {"fsat.f32", {0x40000000}, {0x3F800000}},
    {"fsat.f32", {0x7FC00000}, {0}},
    {"fsat.f32", {0x80000000}, {0}},
    {"fsat.f32", {0x3F000000}, {0x3F000000}},
    {"fsat.v2f16", {0xBC004000}, {0x00003C00}},
    {"fsat_signed.f32", {0x7FC00000}, {0xBF800000}},
    {"fsat_signed.f16", {0xC000}, {0xBC00}},
    {"fsat_signed.f64", {0x8000000000000000}, {0x8000000000000000}},
    {"fclamp_pos.f32", {0x80000000}, {0}},
    {"fclamp_pos.f32", {0x7FC00000}, {0}},
    {"fclamp_pos.f16", {0x7C00}, {0x7C00}},
    {"fround.rte.f32", {0x40200000}, {0x40000000}},
    {"fround.rna.f32", {0x40200000}, {0x40400000}},
    {"fround.rtn.f32", {0xBE000000}, {0xBF800000}},
    {"fround.rtp.f32", {0xBE000000}, {0x80000000}},
    {"fround.rtz.f16", {0xC2FF}, {0xC200}},
    {"fround.rtp.f64", {1}, {0x3FF0000000000000}},
    {"fround.rtn.v2f16", {0xBC01FC00}, {0xC000FC00}},
    {"ffract.f32", {0xBE800000}, {0x3F400000}},
    {"ffract.f32", {0x80000001}, {0x3F800000}},
    {"ffract.f32", {0x7F800000}, {0x7FC00000}},
    {"ffract.f16", {0x4200}, {0}},
    {"fsign.f32", {0x80000000}, {0}},
    {"fsign.f32", {0x80000001}, {0xBF800000}},
    {"fsign.f32", {0x7FC00000}, {0}},
    {"fsign.v2f16", {0xFC000001}, {0xBC003C00}},
    {"frcp.f32", {0x80000000}, {0xFF800000}},
    {"frcp.f32", {0x40400000}, {0x3EAAAAAB}},
    {"frcp.f16", {0xFC00}, {0x8000}},
    {"fsqrt.f32", {0x40000000}, {0x3FB504F3}},
    {"fsqrt.f32", {0x80000000}, {0x80000000}},
    {"fsqrt.f32", {0xBF800000}, {0x7FC00000}},
    {"fsqrt.f64", {0x4000000000000000}, {0x3FF6A09E667F3BCD}},
    {"frsq.f32", {0x40800000}, {0x3F000000}},
    {"frsq.f32", {0x80000000}, {0xFF800000}},
    {"frsq.f16", {0xBC00}, {0x7E00}},
    {"fexp2.f32", {0x40400000}, {0x41000000}},
    {"fexp2.f16", {0xFC00}, {0}},
    {"flog2.f32", {0x41000000}, {0x40400000}},
    {"flog2.f32", {0x80000000}, {0xFF800000}},
    {"flog2.f16", {0xBC00}, {0x7E00}},
    {"fpow.f32", {0x40000000, 0x41200000}, {0x44800000}},
    {"fpow.f32", {0xC0000000, 0x3F800000}, {0x7FC00000}},
    {"fpow.f32", {0x7FC00000, 0}, {0x3F800000}},
    {"fsin.f32", {0x3F800000}, {0x3F576AA4}},
    {"fsin.f32", {0x7F800000}, {0x7FC00000}},
    {"fcos.f32", {0}, {0x3F800000}},
    {"fcos.f16", {0x3C00}, {0x3853}},
    {"fldexp.f32", {0x3F800000, (uint32_t)-149}, {1}},
    {"fldexp.f32", {0xBF800000, 0x7FFFFFFF}, {0xFF800000}},
    {"fldexp.f16", {0x3C01, (uint32_t)-24}, {1}},
    {"fldexp.f64", {0x3FF0000000000000, 1023}, {0x7FE0000000000000}},
    {"ffrexp.f32", {0x40400000}, {0x3F400000, 2}},
    {"ffrexp.f32", {0x80000001}, {0xBF000000, (uint32_t)-148}},
    {"ffrexp.f32", {0xFF800000}, {0xFF800000, 0}},
    {"ffrexp.f64", {0x3FF0000000000000}, {0x3FE0000000000000, 1}},
};

static const Row conversion_rows[] = {
    {"sitofp.rte.f32.i32", {0x80000000}, {0xCF000000}},
    {"sitofp.rte.f32.i32", {0x01000001}, {0x4B800000}},
    {"sitofp.rtp.f32.i32", {0x01000001}, {0x4B800001}},
    {"sitofp.rte.f16.i8", {0x80}, {0xD800}},
    {"sitofp.rte.f64.i64", {UINT64_MAX}, {0xBFF0000000000000}},
    {"sitofp.rte.v2f16.v2i16", {0xFFFF0001}, {0xBC003C00}},
    {"uitofp.rte.f32.i32", {0xFFFFFFFF}, {0x4F800000}},
    {"uitofp.rtz.f32.i32", {0xFFFFFFFF}, {0x4F7FFFFF}},
    {"uitofp.rte.f16.i16", {0xFFFF}, {0x7C00}},
    {"uitofp.rtz.f16.i16", {0xFFFF}, {0x7BFF}},
    {"uitofp.rte.f64.i8", {0xFF}, {0x406FE00000000000}},
    {"uitofp.rte.v2f16.v2i16", {0x00020001}, {0x40003C00}},
    {"fptosi.rtz.i32.f32", {0xBFC00000}, {0xFFFFFFFF}},
    {"fptosi.rte.i32.f32", {0x40200000}, {2}},
    {"fptosi.rna.i32.f32", {0x40200000}, {3}},
    {"fptosi.rtz.i32.f32", {0x7F800000}, {0x7FFFFFFF}},
    {"fptosi.rtz.i32.f32", {0xFF800000}, {0x80000000}},
    {"fptosi.rtz.i32.f32", {0x7FC00000}, {0}},
    {"fptosi.rtz.i8.f32", {0x43000000}, {0x7F}},
    {"fptosi.rtn.i64.f16", {0xFBFF}, {(uint64_t)-65504}},
    {"fptosi.rtz.v2i16.v2f16", {0x7C00C500}, {0x7FFFFFFB}},
    {"fptoui.rtz.i32.f32", {0xBF800000}, {0}},
    {"fptoui.rtz.i32.f32", {0x4F800000}, {0xFFFFFFFF}},
    {"fptoui.rtp.i8.f16", {0x3C01}, {2}},
    {"fptoui.rtz.i64.f64", {0x43F0000000000000}, {UINT64_MAX}},
    {"fptoui.rte.v2i16.v2f16", {0xBC003E00}, {0x00000002}},
    {"fpconv.rte.f32.f16", {0x0001}, {0x33800000}},
    {"fpconv.rte.f16.f32", {0x477FF000}, {0x7C00}},
    {"fpconv.rtz.f16.f32", {0x7F7FFFFF}, {0x7BFF}},
    {"fpconv.rtp.f32.f64", {0x3FF0000000000001}, {0x3F800001}},
    {"fpconv.rte.f64.f32", {0x7F800001}, {0x7FF8000000000000}},
    {"zext.i64.i32", {0xFFFFFFFF}, {0xFFFFFFFF}},
    {"zext.i32.i1", {1}, {1}},
    {"sext.i64.i8", {0x80}, {0xFFFFFFFFFFFFFF80}},
    {"sext.i32.i1", {1}, {0xFFFFFFFF}},
    {"sext.i16.i8", {0x7F}, {0x7F}},
    {"trunc.i8.i64", {0x1FF}, {0xFF}},
    {"ssat.i8.i32", {0xFFFFFF00}, {0x80}},
    {"ssat.i16.i32", {0x12345}, {0x7FFF}},
    {"usat.i8.i16", {0x100}, {0xFF}},
    {"susat.i8.i8", {0xFF}, {0}},
    {"susat.i8.i32", {0x100}, {0xFF}},
    {"ussat.i8.i8", {0xFF}, {0x7F}},
    {"ussat.i64.i64", {UINT64_MAX}, {INT64_MAX}},
    {"bitcast.f32.i32", {0x7F800001}, {0x7F800001}},
    {"bitcast.i64.f64", {0x3FF0000000000000}, {0x3FF0000000000000}},
    {"bitcast.v4i8.v2f16", {0x12345678}, {0x12345678}},
    {"pack_half.rte.f32", {0x3F800000, 0x477FF000}, {0x7C003C00}},
    {"pack_half.rtz.f32", {0x3F800000, 0x477FF000}, {0x7BFF3C00}},
    {"unpack_half.f32", {0x7C010001}, {0x33800000, 0x7FC00000}},
    {"pack_unorm8.f32", {0x3F800000, 0x3F000000, 0x7FC00000, 0xBF800000}, {0x000080FF}},
    {"pack_snorm8.f32", {0x3F800000, 0xBF800000, 0x3F000000, 0x7FC00000}, {0x8140817F}},
    {"pack_unorm16.f32", {0x3F000000, 0x40000000}, {0xFFFF8000}},
    {"pack_snorm16.f32", {0xC0000000, 0x3F000000}, {0x40008001}},
    {"unpack_unorm8.f32", {0xFF800100}, {0, 0x3B808081, 0x3F008081, 0x3F800000}},
    {"unpack_snorm8.f32", {0x80817F01}, {0x3C010204, 0x3F800000, 0xBF800000, 0xBF800000}},
    {"unpack_unorm16.f32", {0xFFFF0001}, {0x37800080, 0x3F800000}},
    {"unpack_snorm16.f32", {0x80007FFF}, {0x3F800000, 0xBF800000}},
    {"vec.v2i16.i16", {0x1234, 0x5678}, {0x56781234}},
    {"vec.v4i8.i8", {1, 2, 3, 4}, {0x04030201}},
    {"extract.i16.v2i16", {0x56781234, 1}, {0x5678}},
    {"extract.i8.v4i8", {0x04030201, 2}, {3}},
    {"insert.v2f16.f16", {0x56781234, 0x3C00, 0}, {0x56783C00}},
    {"insert.v4i8.i8", {0x04030201, 0xFF, 3}, {0xFF030201}},
    {"swizzle.v2i16", {0x56781234, 0x01}, {0x12345678}},
    {"swizzle.v4i8", {0x04030201, 0x0123}, {0x01020304}},
    {"swizzle.v4i8", {0x04030201, 0x3330}, {0x04040401}},
    {"copy.i64", {0x123456789ABCDEF0}, {0x123456789ABCDEF0}},
};

/* --- From text to evaluator --- */

static NornOp
take_operation(const char **text) {
  size_t length = strcspn(*text, ".");
  for (unsigned op = 1; op < NORN_OP_COUNT; op++)
    if (strlen(norn_ops[op].name) == length && !strncmp(norn_ops[op].name, *text, length)) {
      *text += length;
      return (NornOp)op;
    }
  ck_abort_msg("no operation %s", *text);
  return NORN_OP_NONE;
}

static unsigned
take_modifier(const char **text, NornOp op) {
  const NornModifierInfo *info = &norn_modifiers[norn_ops[op].modifier];
  if (!norn_ops[op].modifier)
    return 0;
  size_t length = strcspn(++*text, ".");
  for (unsigned value = 0; value < info->count; value++)
    if (strlen(info->texts[value]) == length && !strncmp(info->texts[value], *text, length)) {
      *text += length;
      return value;
    }
  ck_abort_msg("no modifier %s", *text);
  return 0;
}

static NornType
take_type(const char **text, NornTypeSet set) {
  if (!set)
    return NORN_TYPE_VOID;
  ck_assert(**text == '.');
  size_t length = strcspn(++*text, ".");
  int type = norn_find_type(*text, length);
  ck_assert_msg(type >= 0 && norn_type_in(set, (NornType)type), "no type %s", *text);
  *text += length;
  return (NornType)type;
}

static NornOp
prepare(const char *text, const NornFloatEnvironment *environment, NornEvaluator *evaluator) {
  NornOp op = take_operation(&text);
  unsigned modifier = take_modifier(&text, op);
  NornType type = take_type(&text, norn_ops[op].types);
  NornType source_type = take_type(&text, norn_ops[op].source_types);
  ck_assert(!*text);
  ck_assert(norn_evaluator_init(evaluator, op, type, source_type, modifier, environment));
  return op;
}

static void
check_row(const Row *row, const NornFloatEnvironment *environment) {
  NornEvaluator evaluator;
  uint64_t operands[NORN_EVALUATE_OPERANDS] = {0}, results[NORN_EVALUATE_RESULTS];
  memcpy(operands, row->operands, sizeof row->operands);
  prepare(row->text, environment, &evaluator);
  norn_evaluate(&evaluator, operands, results);
  for (unsigned k = 0; k < evaluator.result_count; k++)
    ck_assert_msg(results[k] == row->results[k],
                  "%s(%#llx, %#llx, ...): result %u is %#llx, not %#llx", row->text,
                  (unsigned long long)operands[0], (unsigned long long)operands[1], k,
                  (unsigned long long)results[k], (unsigned long long)row->results[k]);
}

static const struct {
  const Row *rows;
  size_t count;
} tables[] = {
    {integer_rows, G_N_ELEMENTS(integer_rows)},       {bit_rows, G_N_ELEMENTS(bit_rows)},
    {compare_rows, G_N_ELEMENTS(compare_rows)},       {float_rows, G_N_ELEMENTS(float_rows)},
    {conversion_rows, G_N_ELEMENTS(conversion_rows)},
};

START_TEST(computes_as_the_table_says) {
  NornFloatEnvironment environment = {NORN_ROUND_NEAREST_EVEN, {false, false, false}};
  for (size_t i = 0; i < tables[_i].count; i++)
    check_row(&tables[_i].rows[i], &environment);
}
END_TEST

/* Every operation that the evaluator supports has a row. */
START_TEST(every_operation_has_a_row) {
  NornFloatEnvironment environment = {NORN_ROUND_NEAREST_EVEN, {false, false, false}};
  bool seen[NORN_OP_COUNT] = {false};
  for (size_t t = 0; t < G_N_ELEMENTS(tables); t++)
    for (size_t i = 0; i < tables[t].count; i++) {
      NornEvaluator evaluator;
      seen[prepare(tables[t].rows[i].text, &environment, &evaluator)] = true;
    }
  for (unsigned op = 1; op < NORN_OP_COUNT; op++) {
    NornEvaluator evaluator;
    bool known =
        norn_evaluator_init(&evaluator, (NornOp)op, NORN_TYPE_I32, NORN_TYPE_I32, 0, &environment);
    ck_assert_msg(known == seen[op], "%s", norn_ops[op].name);
  }
}
END_TEST

START_TEST(follows_the_float_environment) {
  static const Row toward_zero[] = {
      {"fadd.f32", {0x3F800001, 0x33800000}, {0x3F800001}},
      {"fadd.f32", {0x7F7FFFFF, 0x7F7FFFFF}, {0x7F7FFFFF}},
      {"fdiv.v2f16", {0x3C003C00, 0x42004600}, {0x35553155}},
      {"fround.rtp.f32", {0x3F800001}, {0x40000000}},
      {"fpconv.rte.f16.f32", {0x477FF000}, {0x7C00}},
  };
  NornFloatEnvironment environment = {NORN_ROUND_ZERO, {false, false, false}};
  for (size_t i = 0; i < G_N_ELEMENTS(toward_zero); i++)
    check_row(&toward_zero[i], &environment);
  static const Row flushed[] = {
      {"fadd.f32", {0x00000001, 0x80000000}, {0}},
      {"fmul.f32", {0x80800000, 0x3F000000}, {0x80000000}},
      {"fadd.f16", {0x0001, 0x0001}, {0x0002}},
      {"fpconv.rte.f16.f32", {0x33800000}, {0x0001}},
      {"fpconv.rte.f32.f64", {0x37D0000000000000}, {0}},
      {"fcmp.oeq.f32", {1, 0}, {1}},
      {"fneg.f32", {1}, {0x80000001}},
      {"fclass.f32", {1, 1 << 7}, {1}},
      {"pack_half.rte.f32", {0x33800000, 1}, {1}},
      {"frsq.f32", {0x80000001}, {0xFF800000}},
  };
  NornFloatEnvironment flush32 = {NORN_ROUND_NEAREST_EVEN, {false, true, false}};
  for (size_t i = 0; i < G_N_ELEMENTS(flushed); i++)
    check_row(&flushed[i], &flush32);
  static const Row flushed16[] = {
      {"fadd.v2f16", {0x00013C00, 0x00010000}, {0x00003C00}},
      {"pack_half.rte.f32", {0x33800000, 0xB3800000}, {0x80000000}},
      {"unpack_half.f32", {0x80010001}, {0, 0x80000000}},
      {"fpconv.rte.f32.f16", {0x8001}, {0x80000000}},
      {"fcmpmask.oeq.v2i16.v2f16", {0x00013C00, 0}, {0xFFFF0000}},
  };
  NornFloatEnvironment flush16 = {NORN_ROUND_NEAREST_EVEN, {true, false, false}};
  for (size_t i = 0; i < G_N_ELEMENTS(flushed16); i++)
    check_row(&flushed16[i], &flush16);
}
END_TEST

START_TEST(refuses_operations_that_it_does_not_compute) {
  NornEvaluator evaluator;
  NornFloatEnvironment environment = {NORN_ROUND_NEAREST_EVEN, {false, false, false}};
  ck_assert(!norn_evaluator_init(&evaluator, NORN_OP_LOAD_GLOBAL, NORN_TYPE_I32, NORN_TYPE_VOID, 0,
                                 &environment));
  ck_assert(!norn_evaluator_init(&evaluator, NORN_OP_SELECT, NORN_TYPE_W4, NORN_TYPE_VOID, 0,
                                 &environment));
  ck_assert(!norn_evaluator_init(&evaluator, NORN_OP_BITCAST, NORN_TYPE_W2, NORN_TYPE_I64, 0,
                                 &environment));
  ck_assert(!norn_evaluator_init(&evaluator, (NornOp)NORN_OP_MACHINE, NORN_TYPE_I32, NORN_TYPE_I32,
                                 0, &environment));
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("evaluate");
  TCase *tests = tcase_create("evaluate");
  tcase_add_loop_test(tests, computes_as_the_table_says, 0, G_N_ELEMENTS(tables));
  tcase_add_test(tests, every_operation_has_a_row);
  tcase_add_test(tests, follows_the_float_environment);
  tcase_add_test(tests, refuses_operations_that_it_does_not_compute);
  suite_add_tcase(suite, tests);
  return suite;
}
