/* Random programs: what they leave in memory when interpreted as written is what the optimized
 * program leaves, and what the compiled code leaves in the simulator, bit for bit.
 *
 * A program computes on a few inputs of its invocation and corner-case constants, with branches and
 * counted loops, and stores what it computed. Only operations whose results are exact take part. */
#include "unit.h"
#include <norn/norn.h>
#include <stdio.h>
#include <string.h>

#define INPUTS 4
#define OUTPUTS 8
#define LANES 16
#define WORDS ((INPUTS + OUTPUTS) * LANES)
#define MOST_VALUES 400

typedef enum { I1, I8, I16, V4I8, V2I16, F16, V2F16, I32, I64, F32, TYPES } Type;

static const char *const type_names[TYPES] = {"i1",  "i8",    "i16", "v4i8", "v2i16",
                                              "f16", "v2f16", "i32", "i64",  "f32"};

/* An operation: its text but for the operands, what it gives, what it takes. `c` in `takes` is a
 * small constant. */
typedef struct Operation {
  const char *text;
  Type result;
  const char
      *takes; /* b i1, y i8, h i16, q v4i8, p v2i16, g f16, r v2f16, w i32, d i64, f f32, c, s */
} Operation;

static const Operation operations[] = {
    {"iadd.i32", I32, "ww"},
    {"isub.i32", I32, "ww"},
    {"imul.i32", I32, "ww"},
    {"ineg.i32", I32, "w"},
    {"iabs.i32", I32, "w"},
    {"smin.i32", I32, "ww"},
    {"smax.i32", I32, "ww"},
    {"umin.i32", I32, "ww"},
    {"umax.i32", I32, "ww"},
    {"and.i32", I32, "ww"},
    {"or.i32", I32, "ww"},
    {"xor.i32", I32, "ww"},
    {"not.i32", I32, "w"},
    {"shl.i32", I32, "ww"},
    {"lshr.i32", I32, "ww"},
    {"ashr.i32", I32, "ww"},
    {"shl.i32", I32, "wc"},
    {"lshr.i32", I32, "wc"},
    {"ashr.i32", I32, "wc"},
    {"rotl.i32", I32, "ww"},
    {"rotr.i32", I32, "wc"},
    {"bitselect.i32", I32, "www"},
    {"clz.i32", I32, "w"},
    {"popcount.i32", I32, "w"},
    {"bitreverse.i32", I32, "w"},
    {"saddsat.i32", I32, "ww"},
    {"usubsat.i32", I32, "ww"},
    {"select.i32", I32, "bww"},
    {"zext.i32.i1", I32, "b"},
    {"sext.i32.i1", I32, "b"},
    {"zext.i32.i16", I32, "h"},
    {"sext.i32.i16", I32, "h"},
    {"zext.i32.i8", I32, "y"},
    {"sext.i32.i8", I32, "y"},
    {"trunc.i32.i64", I32, "d"},
    {"bitcast.i32.f32", I32, "f"},
    {"fptosi.rtz.i32.f32", I32, "f"},
    {"fptoui.rte.i32.f32", I32, "f"},
    {"iadd.i16", I16, "hh"},
    {"isub.i16", I16, "hh"},
    {"imul.i16", I16, "hh"},
    {"ashr.i16", I16, "hh"},
    {"lshr.i16", I16, "hc"},
    {"shl.i16", I16, "hc"},
    {"umin.i16", I16, "hh"},
    {"smax.i16", I16, "hh"},
    {"not.i16", I16, "h"},
    {"trunc.i16.i32", I16, "w"},
    {"select.i16", I16, "bhh"},
    {"iadd.i8", I8, "yy"},
    {"isub.i8", I8, "yy"},
    {"lshr.i8", I8, "yy"},
    {"ashr.i8", I8, "yc"},
    {"xor.i8", I8, "yy"},
    {"trunc.i8.i32", I8, "w"},
    {"iadd.i64", I64, "dd"},
    {"isub.i64", I64, "dd"},
    {"ineg.i64", I64, "d"},
    {"and.i64", I64, "dd"},
    {"or.i64", I64, "dd"},
    {"xor.i64", I64, "dd"},
    {"not.i64", I64, "d"},
    {"shl.i64", I64, "dd"},
    {"lshr.i64", I64, "dc"},
    {"ashr.i64", I64, "dc"},
    {"zext.i64.i32", I64, "w"},
    {"sext.i64.i32", I64, "w"},
    {"shladd.u32.i64", I64, "dws"},
    {"shladd.s32.i64", I64, "dws"},
    {"select.i64", I64, "bdd"},
    {"fadd.f32", F32, "ff"},
    {"fsub.f32", F32, "ff"},
    {"fmul.f32", F32, "ff"},
    {"fma.f32", F32, "fff"},
    {"fneg.f32", F32, "f"},
    {"fabs.f32", F32, "f"},
    {"fmin.f32", F32, "ff"},
    {"fmax.f32", F32, "ff"},
    {"fsat.f32", F32, "f"},
    {"fsat_signed.f32", F32, "f"},
    {"fclamp_pos.f32", F32, "f"},
    {"fround.rtn.f32", F32, "f"},
    {"select.f32", F32, "bff"},
    {"sitofp.rte.f32.i32", F32, "w"},
    {"uitofp.rtz.f32.i32", F32, "w"},
    {"uitofp.rte.f32.i16", F32, "h"},
    {"bitcast.f32.i32", F32, "w"},
    {"icmp.eq.i32", I1, "ww"},
    {"icmp.ne.i32", I1, "ww"},
    {"icmp.ult.i32", I1, "ww"},
    {"icmp.sge.i32", I1, "ww"},
    {"icmp.ugt.i32", I1, "ww"},
    {"icmp.sle.i32", I1, "ww"},
    {"icmp.slt.i16", I1, "hh"},
    {"icmp.uge.i8", I1, "yy"},
    {"icmp.ult.i64", I1, "dd"},
    {"icmp.sge.i64", I1, "dd"},
    {"icmp.eq.i64", I1, "dd"},
    {"fcmp.olt.f32", I1, "ff"},
    {"fcmp.oge.f32", I1, "ff"},
    {"fcmp.une.f32", I1, "ff"},
    {"fcmp.one.f32", I1, "ff"},
    {"fcmp.ueq.f32", I1, "ff"},
    {"fcmp.ult.f32", I1, "ff"},
    {"fcmp.ord.f32", I1, "ff"},
    {"fcmp.uno.f32", I1, "ff"},
    {"and.i1", I1, "bb"},
    {"or.i1", I1, "bb"},
    {"xor.i1", I1, "bb"},
    {"not.i1", I1, "b"},
    {"select.i1", I1, "bbb"},
    {"smulh.i8", I8, "yy"},
    {"umulh.i8", I8, "yy"},
    {"saddsat.i8", I8, "yy"},
    {"uaddsat.i8", I8, "yy"},
    {"ssubsat.i8", I8, "yy"},
    {"usubsat.i8", I8, "yy"},
    {"smulsat.i8", I8, "yy"},
    {"umulsat.i8", I8, "yy"},
    {"shadd.i8", I8, "yy"},
    {"uhadd.i8", I8, "yy"},
    {"srhadd.i8", I8, "yy"},
    {"urhadd.i8", I8, "yy"},
    {"smin.i8", I8, "yy"},
    {"smax.i8", I8, "yy"},
    {"umin.i8", I8, "yy"},
    {"umax.i8", I8, "yy"},
    {"imul.i8", I8, "yy"},
    {"ctz.i8", I8, "y"},
    {"popcount.i8", I8, "y"},
    {"bitreverse.i8", I8, "y"},
    {"find_lsb.i8", I8, "y"},
    {"find_umsb.i8", I8, "y"},
    {"find_smsb.i8", I8, "y"},
    {"clz.i8", I8, "y"},
    {"iabs.i8", I8, "y"},
    {"ineg.i8", I8, "y"},
    {"not.i8", I8, "y"},
    {"fshl.i8", I8, "yyy"},
    {"fshr.i8", I8, "yyy"},
    {"bitselect.i8", I8, "yyy"},
    {"rotl.i8", I8, "yy"},
    {"rotr.i8", I8, "yy"},
    {"smulh.i16", I16, "hh"},
    {"umulh.i16", I16, "hh"},
    {"saddsat.i16", I16, "hh"},
    {"uaddsat.i16", I16, "hh"},
    {"ssubsat.i16", I16, "hh"},
    {"usubsat.i16", I16, "hh"},
    {"smulsat.i16", I16, "hh"},
    {"umulsat.i16", I16, "hh"},
    {"shadd.i16", I16, "hh"},
    {"uhadd.i16", I16, "hh"},
    {"srhadd.i16", I16, "hh"},
    {"urhadd.i16", I16, "hh"},
    {"smin.i16", I16, "hh"},
    {"smax.i16", I16, "hh"},
    {"umin.i16", I16, "hh"},
    {"umax.i16", I16, "hh"},
    {"imul.i16", I16, "hh"},
    {"ctz.i16", I16, "h"},
    {"popcount.i16", I16, "h"},
    {"bitreverse.i16", I16, "h"},
    {"find_lsb.i16", I16, "h"},
    {"find_umsb.i16", I16, "h"},
    {"find_smsb.i16", I16, "h"},
    {"clz.i16", I16, "h"},
    {"iabs.i16", I16, "h"},
    {"ineg.i16", I16, "h"},
    {"not.i16", I16, "h"},
    {"fshl.i16", I16, "hhh"},
    {"fshr.i16", I16, "hhh"},
    {"bitselect.i16", I16, "hhh"},
    {"rotl.i16", I16, "hh"},
    {"rotr.i16", I16, "hh"},
    {"smulh.i32", I32, "ww"},
    {"umulh.i32", I32, "ww"},
    {"saddsat.i32", I32, "ww"},
    {"uaddsat.i32", I32, "ww"},
    {"ssubsat.i32", I32, "ww"},
    {"usubsat.i32", I32, "ww"},
    {"smulsat.i32", I32, "ww"},
    {"umulsat.i32", I32, "ww"},
    {"shadd.i32", I32, "ww"},
    {"uhadd.i32", I32, "ww"},
    {"srhadd.i32", I32, "ww"},
    {"urhadd.i32", I32, "ww"},
    {"smin.i32", I32, "ww"},
    {"smax.i32", I32, "ww"},
    {"umin.i32", I32, "ww"},
    {"umax.i32", I32, "ww"},
    {"imul.i32", I32, "ww"},
    {"ctz.i32", I32, "w"},
    {"popcount.i32", I32, "w"},
    {"bitreverse.i32", I32, "w"},
    {"find_lsb.i32", I32, "w"},
    {"find_umsb.i32", I32, "w"},
    {"find_smsb.i32", I32, "w"},
    {"clz.i32", I32, "w"},
    {"iabs.i32", I32, "w"},
    {"ineg.i32", I32, "w"},
    {"not.i32", I32, "w"},
    {"fshl.i32", I32, "www"},
    {"fshr.i32", I32, "www"},
    {"bitselect.i32", I32, "www"},
    {"rotl.i32", I32, "ww"},
    {"rotr.i32", I32, "ww"},
    {"smulh.i64", I64, "dd"},
    {"umulh.i64", I64, "dd"},
    {"saddsat.i64", I64, "dd"},
    {"uaddsat.i64", I64, "dd"},
    {"ssubsat.i64", I64, "dd"},
    {"usubsat.i64", I64, "dd"},
    {"smulsat.i64", I64, "dd"},
    {"umulsat.i64", I64, "dd"},
    {"shadd.i64", I64, "dd"},
    {"uhadd.i64", I64, "dd"},
    {"srhadd.i64", I64, "dd"},
    {"urhadd.i64", I64, "dd"},
    {"smin.i64", I64, "dd"},
    {"smax.i64", I64, "dd"},
    {"umin.i64", I64, "dd"},
    {"umax.i64", I64, "dd"},
    {"imul.i64", I64, "dd"},
    {"ctz.i64", I64, "d"},
    {"popcount.i64", I64, "d"},
    {"bitreverse.i64", I64, "d"},
    {"find_lsb.i64", I64, "d"},
    {"find_umsb.i64", I64, "d"},
    {"find_smsb.i64", I64, "d"},
    {"clz.i64", I64, "d"},
    {"iabs.i64", I64, "d"},
    {"ineg.i64", I64, "d"},
    {"not.i64", I64, "d"},
    {"fshl.i64", I64, "ddd"},
    {"fshr.i64", I64, "ddd"},
    {"bitselect.i64", I64, "ddd"},
    {"rotl.i64", I64, "dd"},
    {"rotr.i64", I64, "dd"},
    {"smulh.v4i8", V4I8, "qq"},
    {"umulh.v4i8", V4I8, "qq"},
    {"saddsat.v4i8", V4I8, "qq"},
    {"uaddsat.v4i8", V4I8, "qq"},
    {"ssubsat.v4i8", V4I8, "qq"},
    {"usubsat.v4i8", V4I8, "qq"},
    {"smulsat.v4i8", V4I8, "qq"},
    {"umulsat.v4i8", V4I8, "qq"},
    {"shadd.v4i8", V4I8, "qq"},
    {"uhadd.v4i8", V4I8, "qq"},
    {"srhadd.v4i8", V4I8, "qq"},
    {"urhadd.v4i8", V4I8, "qq"},
    {"smin.v4i8", V4I8, "qq"},
    {"smax.v4i8", V4I8, "qq"},
    {"umin.v4i8", V4I8, "qq"},
    {"umax.v4i8", V4I8, "qq"},
    {"imul.v4i8", V4I8, "qq"},
    {"ctz.v4i8", V4I8, "q"},
    {"popcount.v4i8", V4I8, "q"},
    {"bitreverse.v4i8", V4I8, "q"},
    {"find_lsb.v4i8", V4I8, "q"},
    {"find_umsb.v4i8", V4I8, "q"},
    {"find_smsb.v4i8", V4I8, "q"},
    {"clz.v4i8", V4I8, "q"},
    {"iabs.v4i8", V4I8, "q"},
    {"ineg.v4i8", V4I8, "q"},
    {"not.v4i8", V4I8, "q"},
    {"fshl.v4i8", V4I8, "qqq"},
    {"fshr.v4i8", V4I8, "qqq"},
    {"bitselect.v4i8", V4I8, "qqq"},
    {"rotl.v4i8", V4I8, "qq"},
    {"rotr.v4i8", V4I8, "qq"},
    {"smulh.v2i16", V2I16, "pp"},
    {"umulh.v2i16", V2I16, "pp"},
    {"saddsat.v2i16", V2I16, "pp"},
    {"uaddsat.v2i16", V2I16, "pp"},
    {"ssubsat.v2i16", V2I16, "pp"},
    {"usubsat.v2i16", V2I16, "pp"},
    {"smulsat.v2i16", V2I16, "pp"},
    {"umulsat.v2i16", V2I16, "pp"},
    {"shadd.v2i16", V2I16, "pp"},
    {"uhadd.v2i16", V2I16, "pp"},
    {"srhadd.v2i16", V2I16, "pp"},
    {"urhadd.v2i16", V2I16, "pp"},
    {"smin.v2i16", V2I16, "pp"},
    {"smax.v2i16", V2I16, "pp"},
    {"umin.v2i16", V2I16, "pp"},
    {"umax.v2i16", V2I16, "pp"},
    {"imul.v2i16", V2I16, "pp"},
    {"ctz.v2i16", V2I16, "p"},
    {"popcount.v2i16", V2I16, "p"},
    {"bitreverse.v2i16", V2I16, "p"},
    {"find_lsb.v2i16", V2I16, "p"},
    {"find_umsb.v2i16", V2I16, "p"},
    {"find_smsb.v2i16", V2I16, "p"},
    {"clz.v2i16", V2I16, "p"},
    {"iabs.v2i16", V2I16, "p"},
    {"ineg.v2i16", V2I16, "p"},
    {"not.v2i16", V2I16, "p"},
    {"fshl.v2i16", V2I16, "ppp"},
    {"fshr.v2i16", V2I16, "ppp"},
    {"bitselect.v2i16", V2I16, "ppp"},
    {"rotl.v2i16", V2I16, "pp"},
    {"rotr.v2i16", V2I16, "pp"},
    {"ubfe.i8", I8, "yww"},
    {"sbfe.i8", I8, "ywc"},
    {"bfi.i8", I8, "yycw"},
    {"ubfe.i16", I16, "hww"},
    {"sbfe.i16", I16, "hwc"},
    {"bfi.i16", I16, "hhcw"},
    {"ubfe.i32", I32, "www"},
    {"sbfe.i32", I32, "wwc"},
    {"bfi.i32", I32, "wwcw"},
    {"ubfe.i64", I64, "dww"},
    {"sbfe.i64", I64, "dwc"},
    {"bfi.i64", I64, "ddcw"},
    {"iadd.v4i8", V4I8, "qq"},
    {"isub.v4i8", V4I8, "qq"},
    {"and.v4i8", V4I8, "qq"},
    {"xor.v4i8", V4I8, "qq"},
    {"shl.v4i8", V4I8, "qq"},
    {"lshr.v4i8", V4I8, "qq"},
    {"ashr.v4i8", V4I8, "qq"},
    {"icmpmask.ult.v4i8", V4I8, "qq"},
    {"icmpmask.sge.v4i8", V4I8, "qq"},
    {"icmpmask.eq.v4i8", V4I8, "qq"},
    {"iadd.v2i16", V2I16, "pp"},
    {"isub.v2i16", V2I16, "pp"},
    {"and.v2i16", V2I16, "pp"},
    {"xor.v2i16", V2I16, "pp"},
    {"shl.v2i16", V2I16, "pp"},
    {"lshr.v2i16", V2I16, "pp"},
    {"ashr.v2i16", V2I16, "pp"},
    {"icmpmask.ult.v2i16", V2I16, "pp"},
    {"icmpmask.sge.v2i16", V2I16, "pp"},
    {"icmpmask.eq.v2i16", V2I16, "pp"},
    {"sdot4.v4i8", I32, "qqw"},
    {"udot4.v4i8", I32, "qqw"},
    {"sudot4.v4i8", I32, "qqw"},
    {"sdot4sat.v4i8", I32, "qqw"},
    {"udot4sat.v4i8", I32, "qqw"},
    {"sudot4sat.v4i8", I32, "qqw"},
    {"vec.v4i8.i8", V4I8, "yyyy"},
    {"vec.v2i16.i16", V2I16, "hh"},
    {"vec.v2f16.f16", V2F16, "gg"},
    {"extract.i8.v4i8", I8, "q%"},
    {"extract.i16.v2i16", I16, "p!"},
    {"extract.f16.v2f16", F16, "r!"},
    {"insert.v4i8.i8", V4I8, "qy%"},
    {"insert.v2i16.i16", V2I16, "ph!"},
    {"insert.v2f16.f16", V2F16, "rg!"},
    {"swizzle.v4i8", V4I8, "qz"},
    {"swizzle.v2i16", V2I16, "pz"},
    {"swizzle.v2f16", V2F16, "rz"},
    {"bitcast.i32.v4i8", I32, "q"},
    {"bitcast.i32.v2i16", I32, "p"},
    {"bitcast.i32.v2f16", I32, "r"},
    {"bitcast.v4i8.i32", V4I8, "w"},
    {"bitcast.v2i16.i32", V2I16, "w"},
    {"bitcast.v2f16.i32", V2F16, "w"},
    {"bitcast.i16.f16", I16, "g"},
    {"bitcast.f16.i16", F16, "h"},
    {"ssat.i8.i16", I8, "h"},
    {"usat.i8.i16", I8, "h"},
    {"ssat.i8.i32", I8, "w"},
    {"usat.i8.i32", I8, "w"},
    {"ssat.i16.i32", I16, "w"},
    {"usat.i16.i32", I16, "w"},
    {"ssat.i16.i64", I16, "d"},
    {"usat.i16.i64", I16, "d"},
    {"ssat.i32.i64", I32, "d"},
    {"usat.i32.i64", I32, "d"},
    {"ssat.i8.i64", I8, "d"},
    {"usat.i8.i64", I8, "d"},
    {"susat.i8.i8", I8, "y"},
    {"ussat.i8.i8", I8, "y"},
    {"susat.i8.i32", I8, "w"},
    {"ussat.i8.i32", I8, "w"},
    {"susat.i32.i32", I32, "w"},
    {"ussat.i32.i32", I32, "w"},
    {"susat.i16.i64", I16, "d"},
    {"ussat.i16.i64", I16, "d"},
    {"susat.i32.i8", I32, "y"},
    {"ussat.i32.i8", I32, "y"},
    {"susat.i64.i64", I64, "d"},
    {"ussat.i64.i64", I64, "d"},
    {"susat.i64.i32", I64, "w"},
    {"ussat.i64.i32", I64, "w"},
    {"trunc.i16.i64", I16, "d"},
    {"trunc.i8.i64", I8, "d"},
    {"zext.i64.i8", I64, "y"},
    {"sext.i64.i16", I64, "h"},
    {"zext.i64.i1", I64, "b"},
    {"sext.i64.i1", I64, "b"},
    {"zext.i16.i8", I16, "y"},
    {"sext.i16.i8", I16, "y"},
    {"sext.i16.i1", I16, "b"},
    {"zext.i8.i1", I8, "b"},
    {"sext.i8.i1", I8, "b"},
    {"umulx", I64, "ww"},
    {"smulx", I64, "ww"},
    {"fadd.v2f16", V2F16, "rr"},
    {"fadd.f16", F16, "gg"},
    {"fsub.v2f16", V2F16, "rr"},
    {"fsub.f16", F16, "gg"},
    {"fmul.v2f16", V2F16, "rr"},
    {"fmul.f16", F16, "gg"},
    {"fmin.v2f16", V2F16, "rr"},
    {"fmin.f16", F16, "gg"},
    {"fmax.v2f16", V2F16, "rr"},
    {"fmax.f16", F16, "gg"},
    {"fma.f16", F16, "ggg"},
    {"fneg.f16", F16, "g"},
    {"fabs.f16", F16, "g"},
    {"fsat.f16", F16, "g"},
    {"fsat_signed.f16", F16, "g"},
    {"fclamp_pos.f16", F16, "g"},
    {"fround.rte.f16", F16, "g"},
    {"fround.rtp.f16", F16, "g"},
    {"ffract.f16", F16, "g"},
    {"fsign.f16", F16, "g"},
    {"fma.v2f16", V2F16, "rrr"},
    {"fneg.v2f16", V2F16, "r"},
    {"fabs.v2f16", V2F16, "r"},
    {"fsat.v2f16", V2F16, "r"},
    {"fsat_signed.v2f16", V2F16, "r"},
    {"fclamp_pos.v2f16", V2F16, "r"},
    {"fround.rte.v2f16", V2F16, "r"},
    {"fround.rtp.v2f16", V2F16, "r"},
    {"ffract.v2f16", V2F16, "r"},
    {"fsign.v2f16", V2F16, "r"},
    {"fround.rna.f32", F32, "f"},
    {"ffract.f32", F32, "f"},
    {"fsign.f32", F32, "f"},
    {"fpconv.rte.f16.f32", F16, "f"},
    {"sitofp.rte.f32.i64", F32, "d"},
    {"uitofp.rte.f32.i64", F32, "d"},
    {"fptosi.rte.i64.f32", I64, "f"},
    {"fptoui.rte.i64.f32", I64, "f"},
    {"sitofp.rte.f16.i32", F16, "w"},
    {"uitofp.rte.f16.i16", F16, "h"},
    {"sitofp.rte.f16.i8", F16, "y"},
    {"fptosi.rte.i16.f32", I16, "f"},
    {"fptoui.rte.i8.f32", I8, "f"},
    {"fptosi.rte.i32.f16", I32, "g"},
    {"fptoui.rte.i16.f16", I16, "g"},
    {"fptosi.rte.v2i16.v2f16", V2I16, "r"},
    {"uitofp.rte.v2f16.v2i16", V2F16, "p"},
    {"pack_half.rte.f32", I32, "ff"},
    {"sitofp.rte.f16.i64", F16, "d"},
    {"fpconv.rtp.f16.f32", F16, "f"},
    {"sitofp.rtp.f32.i64", F32, "d"},
    {"uitofp.rtp.f32.i64", F32, "d"},
    {"fptosi.rtp.i64.f32", I64, "f"},
    {"fptoui.rtp.i64.f32", I64, "f"},
    {"sitofp.rtp.f16.i32", F16, "w"},
    {"uitofp.rtp.f16.i16", F16, "h"},
    {"sitofp.rtp.f16.i8", F16, "y"},
    {"fptosi.rtp.i16.f32", I16, "f"},
    {"fptoui.rtp.i8.f32", I8, "f"},
    {"fptosi.rtp.i32.f16", I32, "g"},
    {"fptoui.rtp.i16.f16", I16, "g"},
    {"fptosi.rtp.v2i16.v2f16", V2I16, "r"},
    {"uitofp.rtp.v2f16.v2i16", V2F16, "p"},
    {"pack_half.rtp.f32", I32, "ff"},
    {"sitofp.rtp.f16.i64", F16, "d"},
    {"fpconv.rtn.f16.f32", F16, "f"},
    {"sitofp.rtn.f32.i64", F32, "d"},
    {"uitofp.rtn.f32.i64", F32, "d"},
    {"fptosi.rtn.i64.f32", I64, "f"},
    {"fptoui.rtn.i64.f32", I64, "f"},
    {"sitofp.rtn.f16.i32", F16, "w"},
    {"uitofp.rtn.f16.i16", F16, "h"},
    {"sitofp.rtn.f16.i8", F16, "y"},
    {"fptosi.rtn.i16.f32", I16, "f"},
    {"fptoui.rtn.i8.f32", I8, "f"},
    {"fptosi.rtn.i32.f16", I32, "g"},
    {"fptoui.rtn.i16.f16", I16, "g"},
    {"fptosi.rtn.v2i16.v2f16", V2I16, "r"},
    {"uitofp.rtn.v2f16.v2i16", V2F16, "p"},
    {"pack_half.rtn.f32", I32, "ff"},
    {"sitofp.rtn.f16.i64", F16, "d"},
    {"fpconv.rtz.f16.f32", F16, "f"},
    {"sitofp.rtz.f32.i64", F32, "d"},
    {"uitofp.rtz.f32.i64", F32, "d"},
    {"fptosi.rtz.i64.f32", I64, "f"},
    {"fptoui.rtz.i64.f32", I64, "f"},
    {"sitofp.rtz.f16.i32", F16, "w"},
    {"uitofp.rtz.f16.i16", F16, "h"},
    {"sitofp.rtz.f16.i8", F16, "y"},
    {"fptosi.rtz.i16.f32", I16, "f"},
    {"fptoui.rtz.i8.f32", I8, "f"},
    {"fptosi.rtz.i32.f16", I32, "g"},
    {"fptoui.rtz.i16.f16", I16, "g"},
    {"fptosi.rtz.v2i16.v2f16", V2I16, "r"},
    {"uitofp.rtz.v2f16.v2i16", V2F16, "p"},
    {"pack_half.rtz.f32", I32, "ff"},
    {"sitofp.rtz.f16.i64", F16, "d"},
    {"fpconv.rte.f32.f16", F32, "g"},
    {"fcmp.oeq.f16", I1, "gg"},
    {"fcmpmask.oeq.v2i16.v2f16", V2I16, "rr"},
    {"fcmp.olt.f16", I1, "gg"},
    {"fcmpmask.olt.v2i16.v2f16", V2I16, "rr"},
    {"fcmp.ult.f16", I1, "gg"},
    {"fcmpmask.ult.v2i16.v2f16", V2I16, "rr"},
    {"fcmp.uge.f16", I1, "gg"},
    {"fcmpmask.uge.v2i16.v2f16", V2I16, "rr"},
    {"fcmp.ord.f16", I1, "gg"},
    {"fcmpmask.ord.v2i16.v2f16", V2I16, "rr"},
    {"fcmp.uno.f16", I1, "gg"},
    {"fcmpmask.uno.v2i16.v2f16", V2I16, "rr"},
    {"fcmp.ueq.f16", I1, "gg"},
    {"fcmpmask.ueq.v2i16.v2f16", V2I16, "rr"},
    {"fcmp.une.f16", I1, "gg"},
    {"fcmpmask.une.v2i16.v2f16", V2I16, "rr"},
    {"fcmp.one.f16", I1, "gg"},
    {"fcmpmask.one.v2i16.v2f16", V2I16, "rr"},
    {"fclass.f32", I1, "f$"},
    {"fclass.f16", I1, "g$"},
    {"pack_unorm8.f32", I32, "ffff"},
    {"pack_snorm8.f32", I32, "ffff"},
    {"pack_unorm16.f32", I32, "ff"},
    {"pack_snorm16.f32", I32, "ff"},
    {"fldexp.f32", F32, "fc"},
    {"fmascale.f32", F32, "fffc"},
    {"sdiv.i32", I32, "ww"},
    {"urem.i32", I32, "ww"},
    {"sdiv.i32", I32, "wc"},
    {"urem.i32", I32, "wc"},
    {"udiv.i64", I64, "dd"},
    {"srem.i64", I64, "dd"},
    {"udiv.i16", I16, "hh"},
    {"srem.i8", I8, "yy"},
    {"sdiv.v2i16", V2I16, "pp"},
    {"fldexp.f16", F16, "gw"},
    {"fpconv.rna.f16.f32", F16, "f"},
    {"lane_id", I32, ""},
    {"ballot", I32, "b"},
    {"any", I1, "b"},
    {"all", I1, "b"},
    {"broadcast.i32", I32, "wc"},
    {"broadcast_first.f32", F32, "f"},
    {"shuffle.i64", I64, "dw"},
    {"shuffle_xor.i32", I32, "ww"},
    {"shuffle_up.i32", I32, "ww"},
    {"shuffle_down.i1", I1, "bc"},
    {"ireduce.add.i32", I32, "w^"},
    {"ireduce.smin.i16", I16, "h^"},
    {"freduce.add.f32", F32, "f^"},
    {"freduce.max.v2f16", V2F16, "r^"},
    {"iscan.xor.i32", I32, "w"},
    {"iscan_exclusive.umax.i64", I64, "d"},
    {"fscan.add.f32", F32, "f"},
    {"fscan_exclusive.min.f16", F16, "g"},
    {"quad_swap.xy.i32", I32, "w"},
    {"quad_broadcast.f32", F32, "f!"},
    {"ddx.fine.f32", F32, "f"},
    {"ddy.coarse.f16", F16, "g"},
    {"select.v2i16", V2I16, "bpp"},
    {"select.f16", F16, "bgg"},
    {"select.v4i8", V4I8, "bqq"},
    {"icmp.eq.i16", I1, "hh"},
    {"icmp.sgt.i8", I1, "yy"},
    {"icmp.ult.i8", I1, "yy"},
};

typedef struct Program {
  GRand *random;
  GString *text;
  unsigned values, labels;
  unsigned by_type[TYPES][MOST_VALUES], counts[TYPES];
} Program;

static unsigned
below(Program *program, unsigned bound) {
  return (unsigned)g_rand_int_range(program->random, 0, (int)bound);
}

static void
append_constant(Program *program, Type type) {
  static const char *const words[] = {
      "0",          "1",          "2",     "3",          "7",          "8",          "16",
      "31",         "32",         "255",   "0xFFFF",     "0x10000",    "0x7FFFFFFF", "0x80000000",
      "0xFFFFFFFF", "0xFFFF8000", "12345", "0xDEADBEEF", "0x00FF0000", "0xFFFFFF80"};
  static const char *const floats[] = {"0.0", "-0.0", "1.0",        "-1.0",       "0.5",
                                       "2.0", "inf",  "-inf",       "nan",        "0x00000001",
                                       "3.0", "-4.5", "0x7F7FFFFF", "0xFF800001", "65536.0"};
  static const char *const longs[] = {
      "0", "1", "4", "0xFFFFFFFF", "0x100000000", "0xFFFFFFFFFFFFFFFF", "40", "0x8000000000000000"};
  switch (type) {
  case I1:
    g_string_append(program->text, below(program, 2) ? "true" : "false");
    break;
  case I8:
    g_string_append_printf(program->text, "0x%X", below(program, 256));
    break;
  case V4I8:
  case V2I16:
  case V2F16:
    g_string_append_printf(program->text, "0x%08X", g_rand_int(program->random));
    break;
  case I16:
  case F16:
    g_string_append_printf(program->text, "0x%X", below(program, 65536));
    break;
  case F32:
    g_string_append(program->text, floats[below(program, G_N_ELEMENTS(floats))]);
    break;
  case I64:
    g_string_append(program->text, longs[below(program, G_N_ELEMENTS(longs))]);
    break;
  default:
    g_string_append(program->text, words[below(program, G_N_ELEMENTS(words))]);
  }
}

static void
append_operand(Program *program, Type type) {
  unsigned count = program->counts[type];
  if (!count || below(program, 5) == 0)
    append_constant(program, type);
  else
    g_string_append_printf(program->text, "%%v%u",
                           program->by_type[type][count - 1 - below(program, MIN(count, 12))]);
}

static Type
type_of_letter(char letter) {
  switch (letter) {
  case 'b':
    return I1;
  case 'y':
    return I8;
  case 'h':
    return I16;
  case 'q':
    return V4I8;
  case 'p':
    return V2I16;
  case 'g':
    return F16;
  case 'r':
    return V2F16;
  case 'd':
    return I64;
  case 'f':
    return F32;
  default:
    return I32;
  }
}

/* Constants: ^ a size of clusters, c, s small, ! below 2, % below 4, $ float classes, z a swizzle.
 */
static unsigned
bound_of_letter(char letter) {
  switch (letter) {
  case 'c':
  case 's':
    return 8;
  case '!':
    return 2;
  case '%':
    return 4;
  case '$':
    return 1024;
  case 'z':
    return 0x4000;
  default:
    return 0;
  }
}

static unsigned
define(Program *program, Type type) {
  unsigned value = program->values++;
  program->by_type[type][program->counts[type]++] = value;
  return value;
}

static void
append_operation(Program *program) {
  const Operation *operation = &operations[below(program, G_N_ELEMENTS(operations))];
  g_string_append_printf(program->text, "  %%v%u = %s", program->values, operation->text);
  for (unsigned k = 0; operation->takes[k]; k++) {
    g_string_append(program->text, k ? ", " : " ");
    unsigned bound = bound_of_letter(operation->takes[k]);
    if (operation->takes[k] == '^')
      g_string_append_printf(program->text, "%u", 2u << below(program, 4));
    else if (bound)
      g_string_append_printf(program->text, "%u", below(program, bound));
    else
      append_operand(program, type_of_letter(operation->takes[k]));
  }
  g_string_append_c(program->text, '\n');
  define(program, operation->result);
}

static void append_code(Program *program, unsigned length, unsigned depth);

/* The values that only some of the paths define are forgotten after them. */
typedef struct Mark {
  unsigned counts[TYPES];
} Mark;

static Mark
mark(const Program *program) {
  Mark result;
  memcpy(result.counts, program->counts, sizeof result.counts);
  return result;
}

static void
forget(Program *program, const Mark *mark) {
  memcpy(program->counts, mark->counts, sizeof program->counts);
}

/* A branch of which one or both sides compute, and pass a value of each of two types on. */
static void
append_branch(Program *program, unsigned depth) {
  unsigned label = program->labels++;
  Type first = I32 + below(program, TYPES - I32), second = below(program, TYPES);
  g_string_append(program->text, "  br ");
  append_operand(program, I1);
  g_string_append_printf(program->text, ", yes%u, no%u\nyes%u:\n", label, label, label);
  for (unsigned way = 0; way < 2; way++) {
    Mark before = mark(program);
    if (way)
      g_string_append_printf(program->text, "no%u:\n", label);
    append_code(program, below(program, 6), depth + 1);
    g_string_append_printf(program->text, "  jump join%u(", label);
    append_operand(program, first);
    g_string_append(program->text, ", ");
    append_operand(program, second);
    g_string_append(program->text, ")\n");
    forget(program, &before);
  }
  g_string_append_printf(program->text, "join%u(%%v%u: %s, %%v%u: %s):\n", label, program->values,
                         type_names[first], program->values + 1, type_names[second]);
  define(program, first);
  define(program, second);
}

/* A loop of a few rounds, how many depends on the invocation; it carries two values. */
static void
append_loop(Program *program, unsigned depth) {
  unsigned label = program->labels++;
  Type carried = I32 + below(program, TYPES - I32);
  unsigned limit = program->by_type[I32][0];
  g_string_append_printf(program->text, "  %%rounds%u = and.i32 %%v%u, %u\n", label, limit,
                         below(program, 2) ? 3 : 1);
  g_string_append_printf(program->text, "  jump loop%u(0, ", label);
  append_operand(program, carried);
  g_string_append_printf(program->text, ")\nloop%u(%%i%u: i32, %%v%u: %s):\n", label, label,
                         program->values, type_names[carried]);
  define(program, carried);
  Mark header = mark(program);
  g_string_append_printf(program->text,
                         "  %%more%u = icmp.ult.i32 %%i%u, %%rounds%u\n"
                         "  br %%more%u, body%u, after%u\nbody%u:\n",
                         label, label, label, label, label, label, label);
  append_code(program, 1 + below(program, 6), depth + 1);
  g_string_append_printf(program->text, "  %%next%u = iadd.i32 %%i%u, 1\n  jump loop%u(%%next%u, ",
                         label, label, label, label);
  append_operand(program, carried);
  g_string_append_printf(program->text, ")\nafter%u:\n", label);
  forget(program, &header);
}

static void
append_code(Program *program, unsigned length, unsigned depth) {
  for (unsigned k = 0; k < length && program->values < MOST_VALUES - 20; k++) {
    unsigned kind = below(program, 12);
    if (kind == 0 && depth < 3)
      append_branch(program, depth);
    else if (kind == 1 && depth < 2)
      append_loop(program, depth);
    else
      append_operation(program);
  }
}

static char *
make_program(uint32_t seed) {
  Program program = {.random = g_rand_new_with_seed(seed), .text = g_string_new(NULL)};
  g_string_append(program.text, "shader compute @random workgroup(16, 1, 1) {\n"
                                "  fau data: i64 @ 0, u: i32 @ 2, v: f32 @ 3, w: i64 @ 4\nentry:\n"
                                "  %lane = local_id.x\n"
                                "  %where = shladd.u32.i64 fau.data, %lane, 6\n");
  for (unsigned k = 0; k < INPUTS; k++) {
    Type type = k < 2 ? I32 : F32;
    g_string_append_printf(program.text, "  %%v%u = load.global.%s %%where, offset:%u\n",
                           program.values, type_names[type], 4 * k);
    define(&program, type);
  }
  g_string_append(program.text, "  %v4 = iadd.i64 fau.w, 5\n  %v5 = iadd.i32 fau.u, 1\n"
                                "  %v6 = fadd.f32 fau.v, 1.0\n");
  define(&program, I64);
  define(&program, I32);
  define(&program, F32);
  append_code(&program, 10 + below(&program, 40), 0);
  for (unsigned k = 0; k < OUTPUTS; k++) {
    Type type = k % 4 == 3 ? F32 : I32;
    g_string_append_printf(program.text, "  store.global.%s ", type_names[type]);
    append_operand(&program, type);
    g_string_append_printf(program.text, ", %%where, offset:%u\n", 4 * (INPUTS + k));
  }
  g_string_append(program.text, "  end\n}\n");
  g_rand_free(program.random);
  return g_string_free(program.text, FALSE);
}

/* --- Running --- */

/* Fails with a short message, after printing the program; Check cuts long messages. */
#define REQUIRE(condition, text, ...)                                                              \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s\n", text);                                                               \
      ck_abort_msg(__VA_ARGS__);                                                                   \
    }                                                                                              \
  } while (0)

#define STRIDE 16 /* words of an invocation */

static const uint32_t inputs[] = {
    0,          1,          2,          0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0x3F800000, 0xBF800000,
    0x7F800000, 0xFF800000, 0x7FC00000, 0x00000001, 0x80000001, 0x00800000, 0x7F7FFFFF, 0x12345678,
    0xDEADBEEF, 0x40490FDB, 0x4B000000, 0xCF000000, 0x0000FFFF, 0xFFFF0000, 0x33333333, 0x00FF00FF};

/* Runs on fresh memory; `code` NULL: interprets. */
static bool
run(const NornModule *module, GBytes *code, const NornCompileInfo *info, uint32_t *words,
    GError **error) {
  NornMemory *memory = norn_memory_new();
  for (unsigned lane = 0; lane < LANES; lane++)
    for (unsigned k = 0; k < STRIDE; k++)
      words[lane * STRIDE + k] =
          k < INPUTS ? inputs[(lane * 7 + k * 5 + lane * k) % G_N_ELEMENTS(inputs)] : 0;
  ck_assert(norn_memory_add(memory, "data", 0, words, LANES * STRIDE * 4, error));
  uint64_t address = norn_memory_address(memory, 0);
  uint32_t uniforms[8] = {
      (uint32_t)address, (uint32_t)(address >> 32), 0x89ABCDEF, 0x40A00000, 0xFFFFFFF0, 0x12};
  NornLaunch launch = {.memory = memory,
                       .grid = {1, 1, 1},
                       .workgroup = {16, 1, 1},
                       .uniforms = uniforms,
                       .uniform_count = G_N_ELEMENTS(uniforms),
                       .info = info};
  bool done = code ? norn_simulate_valhall(g_bytes_get_data(code, NULL), g_bytes_get_size(code),
                                           "9", &launch, NULL, error)
                   : norn_interpret(module, &launch, NULL, error);
  memcpy(words, norn_memory_bytes(memory, 0, NULL), LANES * STRIDE * 4);
  norn_memory_free(memory);
  return done;
}

static void
check_same(uint32_t seed, const char *what, const uint32_t *expected, const uint32_t *found,
           const char *text) {
  for (unsigned k = 0; k < LANES * STRIDE; k++)
    REQUIRE(expected[k] == found[k], text, "seed %u, %s: lane %u word %u is 0x%08x, not 0x%08x",
            seed, what, k / STRIDE, k % STRIDE, found[k], expected[k]);
}

static NornModule *
parse(const char *text, uint32_t seed) {
  GError *error = NULL;
  NornModule *module = norn_module_parse(text, strlen(text), "random", &error);
  REQUIRE(module, text, "seed %u: %.400s", seed, error ? error->message : "");
  return module;
}

static void
check_optimized(uint32_t seed, const char *text, const uint32_t *expected) {
  uint32_t found[LANES * STRIDE];
  static const char *const lists[] = {"simplify-cfg", "simplify", "gvn", "optimize,optimize"};
  for (unsigned k = 0; k < G_N_ELEMENTS(lists); k++) {
    GError *error = NULL;
    NornModule *module = parse(text, seed);
    bool done = norn_run_passes(module, lists[k], NULL, NULL, &error) &&
                run(module, NULL, NULL, found, &error);
    char *after = norn_module_print(module, NULL);
    REQUIRE(done, after, "seed %u, %s: %.400s", seed, lists[k], error ? error->message : "");
    check_same(seed, lists[k], expected, found, after);
    g_free(after);
    norn_module_free(module);
  }
}

static void
check_compiled(uint32_t seed, const char *text, const uint32_t *expected) {
  uint32_t found[LANES * STRIDE];
  for (unsigned level = 0; level <= 2; level++) {
    GError *error = NULL;
    NornModule *module = parse(text, seed);
    NornCompileOptions options;
    norn_compile_options_init(&options);
    options.optimization_level = level;
    options.contract = false;
    NornCompileInfo info;
    GBytes *code = norn_compile(module, &options, &info, &error);
    char *what = g_strdup_printf("compiled at -O%u", level);
    REQUIRE(code, text, "seed %u, %s: %.400s", seed, what, error ? error->message : "");
    bool done = run(NULL, code, &info, found, &error);
    REQUIRE(done, text, "seed %u, %s: %.400s", seed, what, error ? error->message : "");
    check_same(seed, what, expected, found, text);
    g_free(what);
    g_bytes_unref(code);
    norn_module_free(module);
  }
}

START_TEST(programs) {
  const char *first = g_getenv("NORN_TEST_SEED");
  unsigned count = first ? 1 : g_getenv("NORN_TEST_QUICK") ? 20 : 300;
  for (unsigned k = 0; k < count; k++) {
    uint32_t seed = first ? (uint32_t)g_ascii_strtoull(first, NULL, 0) : k;
    uint32_t expected[LANES * STRIDE];
    GError *error = NULL;
    char *text = make_program(seed);
    NornModule *module = parse(text, seed);
    bool done = run(module, NULL, NULL, expected, &error);
    REQUIRE(done, text, "seed %u: %.400s", seed, error ? error->message : "");
    norn_module_free(module);
    check_optimized(seed, text, expected);
    check_compiled(seed, text, expected);
    g_free(text);
  }
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("compile_random");
  TCase *tcase = tcase_create("random programs");
  tcase_set_timeout(tcase, 120);
  tcase_add_test(tcase, programs);
  suite_add_tcase(suite, tcase);
  return suite;
}
