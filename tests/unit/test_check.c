/* The checkers of finished code that need only words: correct code passes, and errors are
 * reported. */
#include "assembled.h"
#include "check/checkers.h"
#include "check/footprint.h"
#include "unit.h"
#include <norn/norn.h>
#include <string.h>

/* --- Words --- */

/* Code, and the message of a checker; NULL if it is correct. */
typedef struct WordsRow {
  NornShaderStage stage;
  unsigned check;
  const char *text, *complaint;
} WordsRow;

#define WAITS(text, complaint)                                                                     \
  { NORN_STAGE_COMPUTE, NORN_CHECK_WAITS, text, complaint }
#define TILE(text, complaint)                                                                      \
  { NORN_STAGE_FRAGMENT, NORN_CHECK_WAITS, text, complaint }
#define HELPERS(text, complaint)                                                                   \
  { NORN_STAGE_FRAGMENT, NORN_CHECK_HELPERS, text, complaint }
#define LAST(text, complaint)                                                                      \
  { NORN_STAGE_COMPUTE, NORN_CHECK_LAST_USES, text, complaint }

static const WordsRow words_rows[] = {
    /* stages */
    TILE("NOP.wait0126\n"
         "ATEST.wait0 @r60, r60, r3, atest_datum.w0\n"
         "NOP.end\n",
         NULL),
    WAITS(
        "NOP.wait0126\n"
        "ATEST.wait0 @r60, r60, r3, atest_datum.w0\n"
        "NOP.end\n",
        "code: 0x8 (ATEST.wait0 @r60, r60, r3, atest_datum.w0): allowed only in fragment programs"),
    WAITS("LD_VAR_BUF_IMM.f32.slot0.src_f32.center.store.end @r0, r61, index:0x0\n",
          "code: 0x0 (LD_VAR_BUF_IMM.f32.slot0.src_f32.center.store.end @r0, r61, index:0x0): "
          "allowed only in fragment programs"),
    WAITS("DISCARD.f32.eq.end 0x0, 0x0\n",
          "code: 0x0 (DISCARD.f32.eq.end 0x0, 0x0): allowed only in fragment programs"),
    WAITS("LD_VAR_FLAT.f32.slot0.end @r0, r61\n",
          "code: 0x0 (LD_VAR_FLAT.slot0.f32.end @r0, r61): allowed only in fragment programs"),
    WAITS("MOV.i32.end r2, blend_descriptor_7.w1\n",
          "code: 0x0 (MOV.i32.end r2, blend_descriptor_7.w1): allowed only in fragment programs"),
    TILE("MOV.i32.end r2, blend_descriptor_7.w1\n", NULL),
    TILE("LD_ATTR_IMM.slot0.u32.end @r0, r60, r61, table:0x0, index:0x0\n",
         "code: 0x0 (LD_ATTR_IMM.u32.slot0.end @r0, r60, r61, index:0x0, table:0x0): allowed only "
         "in vertex programs"),
    /* registers */
    WAITS("LOAD.i32.unsigned.slot0.wait0 @r0, u0, offset:0\n"
          "STORE.i32.slot0.end @r0, u2, offset:0\n",
          NULL),
    WAITS("LOAD.i32.unsigned.slot0.wait1 @r0, u0, offset:0\n"
          "MOV.i32.end r1, r0\n",
          "waits: 0x8 (MOV.i32.end r1, r0): r0 is read while a message that writes it may be in "
          "flight; wait for slot 0 first"),
    WAITS("LOAD.i64.unsigned.slot2 @r0:r1, u0, offset:0\n"
          "MOV.i32.end r1, u2\n",
          "waits: 0x8 (MOV.i32.end r1, u2): r1 is written while a message that writes it may be in "
          "flight; wait for slot 2 first"),
    WAITS("LOAD.i32.unsigned.slot0 @r0, u0, offset:0\n"
          "NOP.wait0\n"
          "MOV.i32.end r1, r0\n",
          NULL),
    /* one of two paths has no wait */
    WAITS("BRANCHZ.reconverge r4, offset:1\n"
          "LOAD.i32.unsigned.slot1 @r0, u0, offset:0\n"
          "MOV.i32.end r1, r0\n",
          "waits: 0x10 (MOV.i32.end r1, r0): r0 is read while a message that writes it may be in "
          "flight; wait for slot 1 first"),
    /* around a loop */
    WAITS("MOV.i32 r1, r0\n"
          "LOAD.i32.unsigned.slot0 @r0, u0, offset:0\n"
          "BRANCHZ.reconverge r4, offset:-3\n"
          "NOP.end\n",
          "waits: 0x0 (MOV.i32 r1, r0): r0 is read while a message that writes it may be in "
          "flight; wait for slot 0 first"),
    /* a pair of which one word is read */
    WAITS("LOAD.i32.unsigned.slot0 @r1, u0, offset:0\n"
          "SHADDX.u64.end r2, u0, r0.w0, shift:0x2\n",
          NULL),
    WAITS("LOAD.i32.unsigned.slot0 @r1, u0, offset:0\n"
          "SHADDX.u64.end r2, u0, r0.w1, shift:0x2\n",
          "waits: 0x8 (SHADDX.u64.end r2, u0, r0.w1, shift:0x2): r1 is read while a message that "
          "writes it may be in flight; wait for slot 0 first"),
    /* half of a register, the half that no message writes, and two halves by two messages */
    WAITS("LOAD.i16.unsigned.slot1.h0 @r2, u0, offset:0\n"
          "IADD.v2u16.end r2.h1, r0, r0\n",
          "waits: 0x8 (IADD.v2u16.end r2.h1, r0, r0): r2 is written while a message that writes it "
          "may be in flight; wait for slot 1 first"),
    WAITS("LOAD.i16.unsigned.slot1.h0.wait1 @r2, u0, offset:0\n"
          "IADD.v2u16.end r2.h1, r0, r0\n",
          NULL),
    WAITS("LOAD.i16.unsigned.slot1.h0 @r2, u0, offset:0\n"
          "U16_TO_U32.end r3, r2.h1\n",
          "waits: 0x8 (U16_TO_U32.end r3, r2.h10): r2 is read while a message that writes it may "
          "be in flight; wait for slot 1 first"),
    WAITS("LOAD.i16.unsigned.slot0.h0 @r2, u0, offset:0\n"
          "NOP.wait0\n"
          "LOAD.i16.unsigned.slot1.h1 @r2, u0, offset:2\n"
          "NOP.wait1\n"
          "MOV.i32.end r3, r2\n",
          NULL),
    WAITS("LOAD.i16.unsigned.slot0.h0 @r2, u0, offset:0\n"
          "LOAD.i16.h1.unsigned.slot1.end @r2, u0, offset:2\n",
          "waits: 0x8 (LOAD.i16.h1.unsigned.slot1.end @r2, u0, offset:2): r2 is written while a "
          "message that writes it may be in flight; wait for slot 0 first"),
    /* both are dropped */
    WAITS("LOAD.i32.unsigned.slot0 @r1, u0, offset:0\n"
          "SHADDX.u64.end r2, u0, ^r0.w0, shift:0x2\n",
          "waits: 0x8 (SHADDX.u64.end r2, u0, ^r0.w0, shift:0x2): r1 is read while a message that "
          "writes it may be in flight; wait for slot 0 first"),
    /* memory */
    WAITS("STORE.i32.slot0 @r0, u0, offset:0\n"
          "STORE.i32.slot1.end @r1, u0, offset:4\n",
          NULL),
    WAITS("STORE.i32.slot0 @r0, u0, offset:0\n"
          "STORE.i32.slot1.end @r1, u0, offset:2\n",
          "waits: 0x8 (STORE.i32.slot1.end @r1, u0, offset:2): a message in flight may access the "
          "memory that this one writes; wait for slot 0 first"),
    WAITS("STORE.i32.slot0 @r0, u0, offset:0\n"
          "LOAD.i32.unsigned.slot1.end @r1, u2, offset:4\n",
          "waits: 0x8 (LOAD.i32.unsigned.slot1.end @r1, u2, offset:4): a message in flight may "
          "write the memory that this one reads; wait for slot 0 first"),
    WAITS("LOAD.i32.unsigned.slot0 @r0, u0, offset:0\n"
          "LOAD.i32.unsigned.slot1.end @r1, u2, offset:0\n",
          NULL),
    WAITS("STORE.i32.force.slot0 @r0, thread_local_pointer.w0, offset:0\n"
          "LOAD.i32.unsigned.slot1.end @r1, u2, offset:0\n",
          NULL),
    /* a copy of the address is as good; a new one may be equal */
    WAITS("STORE.i32.slot0 @r0, r2, offset:0\n"
          "MOV.i32 r4, r2\n"
          "MOV.i32 r5, r3\n"
          "STORE.i32.slot0.end @r0, r4, offset:4\n",
          NULL),
    WAITS("MOV.i32 r4, u2\n"
          "MOV.i32 r5, u3\n"
          "STORE.i32.slot0 @r0, r4, offset:0\n"
          "STORE.i32.slot0.end @r0, u2, offset:4\n",
          NULL),
    WAITS("MOV.i32 r4, thread_local_pointer.w0\n"
          "MOV.i32 r5, thread_local_pointer.w1\n"
          "STORE.i32.force.slot0 @r0, r4, offset:0\n"
          "STORE.i32.force.slot0.end @r0, thread_local_pointer.w0, offset:4\n",
          NULL),
    WAITS("IADD.u64 r4, r2, 0x0.w0\n"
          "STORE.i32.slot0 @r0, r2, offset:0\n"
          "STORE.i32.slot0.end @r0, r4, offset:4\n",
          NULL),
    WAITS("IADD.u64 r4, 0x7060504.w0, 0x0.w0\n"
          "STORE.i32.slot0 @r0, r4, offset:0\n"
          "IADD_IMM.i32 r6, 0x0, #0x7060504\n"
          "IADD_IMM.i32 r7, 0x0, #0x0\n"
          "STORE.i32.slot0.end @r0, r6, offset:4\n",
          NULL),
    /* its words in the other order are another address */
    WAITS("IADD.u64 r2, r8, r10\n"
          "MOV.i32 r4, r3\n"
          "MOV.i32 r5, r2\n"
          "STORE.i32.slot0 @r0, r2, offset:0\n"
          "STORE.i32.slot0.end @r0, r4, offset:4\n",
          "waits: 0x20 (STORE.i32.slot0.end @r0, r4, offset:4): a message in flight may access the "
          "memory that this one writes; wait for slot 0 first"),
    WAITS("STORE.i32.slot0 @r0, r2, offset:0\n"
          "IADD.u32 r2, r2, r6\n"
          "STORE.i32.slot0.end @r0, r2, offset:4\n",
          "waits: 0x10 (STORE.i32.slot0.end @r0, r2, offset:4): a message in flight may access the "
          "memory that this one writes; wait for slot 0 first"),
    WAITS("STORE.i32.slot0 @r0, r2, offset:0\n"
          "STORE.i32.slot0 @r0, r2, offset:4\n"
          "IADD.u64.wait0 r2, r2, r6\n"
          "BRANCHZ.reconverge r4, offset:-4\n"
          "NOP.end\n",
          NULL),
    WAITS("STORE.i32.slot0 @r0, r2, offset:0\n"
          "IADD.u64 r2, r2, r6\n"
          "BRANCHZ.reconverge r4, offset:-3\n"
          "NOP.end\n",
          "waits: 0x0 (STORE.i32.slot0 @r0, r2, offset:0): a message in flight may access the "
          "memory that this one writes; wait for slot 0 first"),
    /* around a loop, the address or one half of it is recomputed, or is a different one */
    WAITS("IADD.u64 r2, r4, r6\n"
          "STORE.i32.slot1.wait1 @r0, r2, offset:4\n"
          "STORE.i32.slot0 @r0, r2, offset:0\n"
          "IADD.u64 r4, r4, r6\n"
          "BRANCHZ.reconverge r8, offset:-5\n"
          "NOP.end\n",
          "waits: 0x8 (STORE.i32.slot1.wait1 @r0, r2, offset:4): a message in flight may access "
          "the memory that this one writes; wait for slot 0 first"),
    WAITS("IADD.u32 r3, r4, r6\n"
          "STORE.i32.slot1.wait1 @r0, r2, offset:4\n"
          "STORE.i32.slot0 @r0, r2, offset:0\n"
          "IADD.u32 r4, r4, r6\n"
          "BRANCHZ.reconverge r8, offset:-5\n"
          "NOP.end\n",
          "waits: 0x8 (STORE.i32.slot1.wait1 @r0, r2, offset:4): a message in flight may access "
          "the memory that this one writes; wait for slot 0 first"),
    WAITS("STORE.i32.slot1.wait1 @r0, r2, offset:4\n"
          "STORE.i32.slot0 @r0, r2, offset:0\n"
          "MOV.i32 r2, r10\n"
          "MOV.i32 r3, r11\n"
          "BRANCHZ.reconverge r8, offset:-5\n"
          "NOP.end\n",
          "waits: 0x0 (STORE.i32.slot1.wait1 @r0, r2, offset:4): a message in flight may access "
          "the memory that this one writes; wait for slot 0 first"),
    WAITS("STORE.i32.slot1.wait1 @r0, r2, offset:4\n"
          "STORE.i32.slot0 @r0, r2, offset:0\n"
          "MOV.i32 r3, r11\n"
          "BRANCHZ.reconverge r8, offset:-4\n"
          "NOP.end\n",
          "waits: 0x0 (STORE.i32.slot1.wait1 @r0, r2, offset:4): a message in flight may access "
          "the memory that this one writes; wait for slot 0 first"),
    WAITS("MOV.i32 r12, r2\n"
          "MOV.i32 r13, r3\n"
          "BRANCHZ.reconverge r8, offset:1\n"
          "NOP\n"
          "STORE.i32.slot1.wait1 @r0, r2, offset:4\n"
          "STORE.i32.slot0 @r0, r2, offset:0\n"
          "MOV.i32 r2, r10\n"
          "MOV.i32 r3, r11\n"
          "BRANCHZ.reconverge r8, offset:-7\n"
          "NOP.end\n",
          "waits: 0x20 (STORE.i32.slot1.wait1 @r0, r2, offset:4): a message in flight may access "
          "the memory that this one writes; wait for slot 0 first"),
    /* atomic accesses with the same operation, whatever their address */
    WAITS("ATOM.i32.slot0.aadd @r4, r0, offset:0x0\n"
          "ATOM.i32.slot1.aadd.end @r4, r2, offset:0x0\n",
          NULL),
    WAITS("ATOM.i32.slot0.aadd @r4, r0, offset:0x0\n"
          "MOV.i32 r5, r4\n"
          "ATOM.i32.slot1.aadd.end @r5, r2, offset:0x0\n",
          NULL),
    WAITS("ATOM.i32.slot0.aadd @r4, r0, offset:0x0\n"
          "ATOM.i32.slot1.aadd.end @r5, r2, offset:0x0\n",
          "waits: 0x8 (ATOM.i32.slot1.aadd.end @r5, r2, offset:0x0): a message in flight may "
          "access the memory that this one writes; wait for slot 0 first"),
    WAITS("ATOM.i32.slot0.aadd @r4, r0, offset:0x0\n"
          "ATOM.i32.slot1.aor.end @r4, r2, offset:0x0\n",
          "waits: 0x8 (ATOM.i32.slot1.aor.end @r4, r2, offset:0x0): a message in flight may access "
          "the memory that this one writes; wait for slot 0 first"),
    WAITS("ATOM.i32.slot0.aadd @r4, r0, offset:0x0\n"
          "LOAD.i32.unsigned.slot1.end @r5, r2, offset:0\n",
          "waits: 0x8 (LOAD.i32.unsigned.slot1.end @r5, r2, offset:0): a message in flight may "
          "write the memory that this one reads; wait for slot 0 first"),
    WAITS("ATOM.i32.slot0.aadd @r4, r0, offset:0x0\n"
          "ATOM_RETURN.i32.slot1.aadd.end @r4, @r4, r2, offset:0x0\n",
          "waits: 0x8 (ATOM_RETURN.i32.slot1.aadd.end @r4, @r4, r2, offset:0x0): a message in "
          "flight may access the memory that this one writes; wait for slot 0 first"),
    WAITS("ATOM1.i32.slot0.ainc r0, offset:0x0\n"
          "ATOM1.i32.slot1.ainc.end r2, offset:0x0\n",
          NULL),
    WAITS("ATOM1.i32.slot0.ainc r0, offset:0x0\n"
          "ATOM1.i32.slot1.adec.end r2, offset:0x0\n",
          "waits: 0x8 (ATOM1.i32.slot1.adec.end r2, offset:0x0): a message in flight may access "
          "the memory that this one writes; wait for slot 0 first"),
    WAITS("ATOM1.i32.slot0.ainc r0, offset:0x0\n"
          "ATOM1.i64.slot1.ainc.end r2, offset:0x0\n",
          "waits: 0x8 (ATOM1.i64.slot1.ainc.end r2, offset:0x0): a message in flight may access "
          "the memory that this one writes; wait for slot 0 first"),
    WAITS("ATOM.i64.slot0.aadd @r4:r5, r0, offset:0x0\n"
          "MOV.i32 r6, r4\n"
          "MOV.i32 r7, r5\n"
          "ATOM.i64.slot1.aadd.end @r6:r7, r2, offset:0x0\n",
          NULL),
    WAITS("ATOM.i64.slot0.aadd @r4:r5, r0, offset:0x0\n"
          "MOV.i32 r6, r4\n"
          "ATOM.i64.slot1.aadd.end @r6:r7, r2, offset:0x0\n",
          "waits: 0x10 (ATOM.i64.slot1.aadd.end @r6:r7, r2, offset:0x0): a message in flight may "
          "access the memory that this one writes; wait for slot 0 first"),
    WAITS("ATOM.i32.slot0.aadd @r4, r0, offset:0x0\n"
          "IADD.u64 r0, r0, r6\n"
          "BRANCHZ.reconverge r8, offset:-3\n"
          "NOP.end\n",
          NULL),
    WAITS("ATOM.i32.slot0.aadd @r4, r0, offset:0x0\n"
          "IADD.u32 r4, r4, r6\n"
          "BRANCHZ.reconverge r8, offset:-3\n"
          "NOP.end\n",
          "waits: 0x0 (ATOM.i32.slot0.aadd @r4, r0, offset:0x0): a message in flight may access "
          "the memory that this one writes; wait for slot 0 first"),
    /* two adjacent accesses, the later one first */
    WAITS("STORE.i32.slot0 @r0, r2, offset:4\n"
          "STORE.i32.slot0 @r0, r2, offset:0\n"
          "STORE.i32.slot1.end @r0, r2, offset:6\n",
          "waits: 0x10 (STORE.i32.slot1.end @r0, r2, offset:6): a message in flight may access the "
          "memory that this one writes; wait for slot 0 first"),
    /* sums on different roots, which include u4, u6 and the pointer to workgroup memory */
    WAITS("SHADDX.u64 r2, u4, r0.w0, shift:0x2\n"
          "SHADDX.s64 r4, u6, r0.w0, shift:0x2\n"
          "STORE.i32.slot0 @r0, r2, offset:0\n"
          "LOAD.i32.unsigned.slot1.end @r1, r4, offset:4\n",
          NULL),
    WAITS("SHADDX.u64 r2, u4, r0.w0, shift:0x2\n"
          "STORE.i32.slot0 @r0, r2, offset:0\n"
          "LOAD.i32.unsigned.slot1.end @r1, u6, offset:4\n",
          NULL),
    WAITS("SHADDX.u64 r2, u4, r0.w0, shift:0x2\n"
          "STORE.i32.slot0 @r0, r2, offset:0\n"
          "LOAD.i32.unsigned.slot1.end @r1, workgroup_local_pointer.w0, offset:4\n",
          NULL),
    WAITS("SHADDX.u64 r2, u4, r0.w0, shift:0x2\n"
          "SHADDX.s64 r4, u6, r0.w0, shift:0x2\n"
          "IADD.u64 r4, r10, r4\n"
          "MOV.i32 r6, r4\n"
          "MOV.i32 r7, r5\n"
          "STORE.i32.slot0 @r0, r2, offset:0\n"
          "LOAD.i32.unsigned.slot1.end @r1, r6, offset:4\n",
          NULL),
    /* on the same root, on an unknown one, on two roots */
    WAITS("SHADDX.u64 r2, u4, r0.w0, shift:0x2\n"
          "SHADDX.u64 r4, u4, r8.w0, shift:0x2\n"
          "STORE.i32.slot0 @r0, r2, offset:0\n"
          "LOAD.i32.unsigned.slot1.end @r1, r4, offset:4\n",
          "waits: 0x18 (LOAD.i32.unsigned.slot1.end @r1, r4, offset:4): a message in flight may "
          "write the memory that this one reads; wait for slot 0 first"),
    WAITS("SHADDX.u64 r2, u4, r0.w0, shift:0x2\n"
          "STORE.i32.slot0 @r0, r2, offset:0\n"
          "LOAD.i32.unsigned.slot1.end @r1, u2, offset:4\n",
          "waits: 0x10 (LOAD.i32.unsigned.slot1.end @r1, u2, offset:4): a message in flight may "
          "write the memory that this one reads; wait for slot 0 first"),
    WAITS("STORE.i32.slot0 @r0, u2, offset:0\n"
          "LOAD.i32.unsigned.slot1.end @r1, workgroup_local_pointer.w0, offset:4\n",
          "waits: 0x8 (LOAD.i32.unsigned.slot1.end @r1, workgroup_local_pointer.w0, offset:4): a "
          "message in flight may write the memory that this one reads; wait for slot 0 first"),
    WAITS("SHADDX.u64 r2, u4, r0.w0, shift:0x2\n"
          "SHADDX.s64 r4, u6, r0.w0, shift:0x2\n"
          "IADD.u64 r4, u4, r4\n"
          "STORE.i32.slot0 @r0, r2, offset:0\n"
          "LOAD.i32.unsigned.slot1.end @r1, r4, offset:4\n",
          "waits: 0x20 (LOAD.i32.unsigned.slot1.end @r1, r4, offset:4): a message in flight may "
          "write the memory that this one reads; wait for slot 0 first"),
    /* one word of a root, a shifted root, half of one */
    WAITS("SHADDX.u64 r2, u4, r0.w0, shift:0x2\n"
          "IADD.u64 r4, r10, u6.w0\n"
          "STORE.i32.slot0 @r0, r2, offset:0\n"
          "LOAD.i32.unsigned.slot1.end @r1, r4, offset:4\n",
          "waits: 0x18 (LOAD.i32.unsigned.slot1.end @r1, r4, offset:4): a message in flight may "
          "write the memory that this one reads; wait for slot 0 first"),
    WAITS("SHADDX.u64 r2, u4, r0.w0, shift:0x2\n"
          "SHADDX.u64 r4, r10, u6, shift:0x2\n"
          "STORE.i32.slot0 @r0, r2, offset:0\n"
          "LOAD.i32.unsigned.slot1.end @r1, r4, offset:4\n",
          "waits: 0x18 (LOAD.i32.unsigned.slot1.end @r1, r4, offset:4): a message in flight may "
          "write the memory that this one reads; wait for slot 0 first"),
    WAITS("SHADDX.u64 r2, u4, r0.w0, shift:0x2\n"
          "SHADDX.s64 r4, u6, r0.w0, shift:0x2\n"
          "MOV.i32 r5, r11\n"
          "STORE.i32.slot0 @r0, r2, offset:0\n"
          "LOAD.i32.unsigned.slot1.end @r1, r4, offset:4\n",
          "waits: 0x20 (LOAD.i32.unsigned.slot1.end @r1, r4, offset:4): a message in flight may "
          "write the memory that this one reads; wait for slot 0 first"),
    WAITS("SHADDX.u64 r2, u4, r0.w0, shift:0x2\n"
          "SHADDX.s64 r4, u6, r0.w0, shift:0x2\n"
          "IADD.u32 r4, r4, r11\n"
          "STORE.i32.slot0 @r0, r2, offset:0\n"
          "LOAD.i32.unsigned.slot1.end @r1, r4, offset:4\n",
          "waits: 0x20 (LOAD.i32.unsigned.slot1.end @r1, r4, offset:4): a message in flight may "
          "write the memory that this one reads; wait for slot 0 first"),
    /* recomputed in a loop, without a common base, and where paths join */
    WAITS("SHADDX.u64.wait1 r2, u4, r0.w0, shift:0x2\n"
          "SHADDX.u64 r4, u6, r0.w0, shift:0x2\n"
          "LOAD.i32.unsigned.slot1 @r1, r4, offset:4\n"
          "STORE.i32.slot0 @r0, r2, offset:0\n"
          "IADD.u32.wait0 r0, r0, r6\n"
          "BRANCHZ.reconverge r8, offset:-6\n"
          "NOP.end\n",
          NULL),
    WAITS("SHADDX.u64 r2, u4, r0.w0, shift:0x2\n"
          "STORE.i32.slot0 @r0, r2, offset:0\n"
          "SHADDX.u64 r4, u6, r0.w0, shift:0x2\n"
          "LOAD.i32.unsigned.slot1.wait1 @r1, r4, offset:4\n"
          "IADD.u32 r0, r0, r6\n"
          "NOP\n"
          "BRANCHZ.reconverge r8, offset:-7\n"
          "NOP.end\n",
          "waits: 0x8 (STORE.i32.slot0 @r0, r2, offset:0): a message in flight may access the "
          "memory that this one writes; wait for slot 0 first"),
    WAITS("SHADDX.u64 r2, u4, r0.w0, shift:0x2\n"
          "BRANCHZ.reconverge r8, offset:1\n"
          "STORE.i32.slot0 @r0, r2, offset:0\n"
          "SHADDX.u64 r4, u6, r0.w0, shift:0x2\n"
          "LOAD.i32.unsigned.slot1.end @r1, r4, offset:4\n",
          NULL),
    /* barriers */
    WAITS("STORE.i32.slot1.wait1 @r0, u0, offset:0\n"
          "BARRIER.slot7.wait\n"
          "NOP.end\n",
          NULL),
    WAITS("STORE.i32.slot1.wait0 @r0, u0, offset:0\n"
          "BARRIER.slot7.wait\n"
          "NOP.end\n",
          "waits: 0x8 (BARRIER.slot7.wait): must wait for slot 1 first"),
    WAITS("BARRIER.slot7.wait012\n"
          "NOP.end\n",
          "waits: 0x0 (BARRIER.slot7.wait012): does not wait for its own slot 7"),
    /* the tile */
    TILE("NOP.wait0126\n"
         "ATEST.wait0 @r60, r60, 0x3F800000, atest_datum.w0\n"
         "NOP.end\n",
         NULL),
    TILE("ATEST.wait0 @r60, r60, 0x3F800000, atest_datum.w0\n"
         "NOP.end\n",
         "waits: 0x0 (ATEST.wait0 @r60, r60, 0x3F800000, atest_datum.w0): must wait for slot 6 "
         "first"),
    TILE("NOP.wait0126\n"
         "ATEST @r60, r60, 0x3F800000, atest_datum.w0\n"
         "NOP.end\n",
         "waits: 0x8 (ATEST @r60, r60, 0x3F800000, atest_datum.w0): does not wait for its own slot "
         "0"),
    /* control flow graph */
    WAITS("MOV.i32 r0, u0\n", "code: 0x0 (MOV.i32 r0, u0): the program runs past its end"),
    WAITS("BRANCHZ.eq 0x0, offset:7\n",
          "code: 0x0 (BRANCHZ.eq 0x0, offset:7): branches out of the code"),
    /* last uses */
    LAST("IADD.u32 r1, r0, ^r0\n"
         "STORE.i32.slot0.end @r1, ^r2, offset:0\n",
         NULL),
    LAST("IADD.u32 r1, r2, ^r0\n"
         "MOV.i32.end r3, r0\n",
         "last-uses: 0x8 (MOV.i32.end r3, r0): r0 is read after its last use"),
    LAST("IADD.u32 r0, r2, ^r0\n"
         "MOV.i32.end r3, r0\n",
         NULL),
    LAST("IADD.u32.end r1, ^r0, r0\n",
         "last-uses: 0x0 (IADD.u32.end r1, ^r0, r0): r0 is marked as last used, but a later source "
         "reads it without the mark"),
    LAST("IADD.u32.end r1, ^r0, ^r0\n", NULL),
    /* a pair is dropped as a whole */
    LAST("SHADDX.u64 r2, u0, ^r0.w0, shift:0x2\n"
         "MOV.i32.end r4, r1\n",
         "last-uses: 0x8 (MOV.i32.end r4, r1): r1 is read after its last use"),
    /* on one of two paths; around a loop */
    LAST("BRANCHZ.reconverge r4, offset:1\n"
         "MOV.i32 r1, ^r0\n"
         "MOV.i32.end r2, r0\n",
         "last-uses: 0x10 (MOV.i32.end r2, r0): r0 is read after its last use"),
    LAST("MOV.i32 r1, ^r0\n"
         "BRANCHZ.reconverge r4, offset:-2\n"
         "NOP.end\n",
         "last-uses: 0x0 (MOV.i32 r1, ^r0): r0 is read after its last use"),
    /* staging registers */
    LAST(
        "STORE.i32.slot0 @r0, u0, offset:0\n"
        "MOV.i32.end r1, ^r0\n",
        "last-uses: 0x8 (MOV.i32.end r1, ^r0): r0 is marked as last used while a message of slot 0 "
        "may still read it"),
    LAST("STORE.i32.slot0.wait0 @r0, u0, offset:0\n"
         "MOV.i32.end r1, ^r0\n",
         NULL),
    LAST("STORE.i64.slot0.end @r0:r1, ^r0, offset:0\n",
         "last-uses: 0x0 (STORE.i64.slot0.end @r0:r1, ^r0, offset:0): r0 is marked as last used, "
         "but it is a staging register"),
    /* on one of two paths */
    LAST("BRANCHZ.reconverge r4, offset:1\n"
         "STORE.i32.slot1 @r0, u0, offset:0\n"
         "MOV.i32.end r1, ^r0\n",
         "last-uses: 0x10 (MOV.i32.end r1, ^r0): r0 is marked as last used while a message of slot "
         "1 "
         "may still read it"),
    /* registers that a blend shader may have changed */
    {NORN_STAGE_FRAGMENT, NORN_CHECK_LAST_USES,
     "NOP.wait0126\n"
     "ATEST.wait @r60, r60, 0x3F800000, atest_datum.w0\n"
     "BLEND.slot0.v4.f32 @r0:r1:r2:r3, blend_descriptor_0.w0, r60, L4\n"
     "IADD_IMM.i32 r48, program_counter.w0, #0x8\n"
     "BRANCHZI.eq.absolute 0x0, blend_descriptor_0.w1\n"
     "L4:\n"
     "MOV.i32.end r1, r5\n",
     "last-uses: 0x28 (MOV.i32.end r1, r5): r5 is read after its last use"},
    /* registers that a blend shader reads */
    {NORN_STAGE_FRAGMENT, NORN_CHECK_LAST_USES,
     "NOP.wait0126\n"
     "ATEST.wait @r60, r60, 0x3F800000, atest_datum.w0\n"
     "BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, ^r60, L4\n"
     "L4:\n"
     "IADD_IMM.i32 r48, 0x0, #0x0\n"
     "BRANCHZI.eq.absolute 0x0, blend_descriptor_0.w1\n",
     "last-uses: 0x20 (BRANCHZI.eq.absolute 0x0, blend_descriptor_0.w1): r60 is read after its "
     "last "
     "use"},
    /* helpers */
    HELPERS("NOP.discard\n"
            "TEX_SINGLE.slot0.f.32.2d.computed @r0:r1:r2:r3, @r4:r5, u0\n"
            "NOP.end\n",
            "helpers: 0x8 (TEX_SINGLE.slot0.f.32.2d.computed @r0:r1:r2:r3, @r4:r5, u0): needs "
            "helper invocations, which may have ended before"),
    HELPERS("NOP.discard\n"
            "TEX_SINGLE.slot0.f.32.2d.zero @r0:r1:r2:r3, @r4:r5, u0\n"
            "NOP.end\n",
            NULL),
    HELPERS("NOP.discard\n"
            "BRANCHZ.reconverge r4, offset:1\n"
            "NOP\n"
            "CLPER.i32.subgroup4.end r0, r1, 0x1000000.b0\n",
            "helpers: 0x18 (CLPER.i32.subgroup4.end r0, r1, 0x1000000.b0): needs helper "
            "invocations, which may have ended before"),
    HELPERS("CLPER.i32.subgroup4.discard r0, r1, 0x1000000.b0\n"
            "MOV.i32.end r2, r0\n",
            NULL),
    HELPERS("MOV.i32.discard r2, r0\n"
            "CLPER.i32.subgroup4.end r0, r1, 0x1000000.b0\n",
            "helpers: 0x8 (CLPER.i32.subgroup4.end r0, r1, 0x1000000.b0): needs helper "
            "invocations, which may have ended before"),
};

START_TEST(words) {
  const WordsRow *row = &words_rows[_i];
  GBytes *code = assemble(row->text);
  GError *error = NULL;
  static const unsigned noalias[] = {4, 6};
  const NornCheckOptions options = {.stage = row->stage,
                                    .checks = row->check,
                                    .noalias = noalias,
                                    .noalias_count = G_N_ELEMENTS(noalias)};
  gsize size;
  const void *data = g_bytes_get_data(code, &size);
  bool ok = norn_check_code(data, size, &options, &error);
  if (row->complaint) {
    ck_assert_msg(!ok, "%s is accepted", row->text);
    ck_assert_str_eq(error->message, row->complaint);
    g_error_free(error);
  } else {
    ck_assert_msg(ok, "%s: %s", row->text, error ? error->message : "");
  }
  g_bytes_unref(code);
}
END_TEST

/* --- Sets of accesses --- */

static bool
is_even(uint64_t base, gconstpointer data) {
  (void)data;
  return base % 2 == 0;
}

/* Accesses relative to something that is no longer a base may be anywhere; they use one entry. */
START_TEST(footprints) {
  NornFootprints *from = NULL, *into = NULL, *whole = NULL;
  NornFootprint access = {
      .start = 0, .end = 4, .spaces = NORN_SPACE_GLOBAL, .reads = true, .writes = true};
  for (access.base = 1; access.base <= 100; access.base++)
    norn_footprints_add(&from, &access);
  ck_assert(norn_footprints_merge(&into, from, is_even, NULL));
  ck_assert(!norn_footprints_merge(&into, from, is_even, NULL));
  ck_assert_uint_eq(into->len, 51);
  norn_footprints_clear(&from);
  access.writes = false;
  access.base = 3;
  norn_footprints_add(&from, &access);
  norn_footprints_clear(&into);
  norn_footprints_merge(&into, from, is_even, NULL);
  norn_footprints_merge(&whole, from, NULL, NULL);
  access =
      (NornFootprint){.base = 3, .start = 4, .end = 8, .spaces = NORN_SPACE_GLOBAL, .writes = true};
  ck_assert(!norn_footprints_conflict(whole, &access));
  ck_assert(norn_footprints_conflict(into, &access));
  norn_footprints_clear(&from);
  norn_footprints_clear(&into);
  norn_footprints_clear(&whole);
}
END_TEST

/* --- The interface --- */

START_TEST(names) {
  unsigned checks = 0;
  GError *error = NULL;
  ck_assert(norn_checks_parse("all", &checks, NULL));
  ck_assert_uint_eq(checks, NORN_CHECK_ALL);
  ck_assert(norn_checks_parse("none", &checks, NULL));
  ck_assert_uint_eq(checks, 0);
  ck_assert(norn_checks_parse("waits,translation", &checks, NULL));
  ck_assert_uint_eq(checks, NORN_CHECK_WAITS | NORN_CHECK_TRANSLATION);
  ck_assert(!norn_checks_parse("waits,nothing", &checks, &error));
  ck_assert_str_eq(error->message, "unknown checker 'nothing', expected waits, last-uses, helpers, "
                                   "reconvergence, reported, translation, all or none");
  g_clear_error(&error);
  ck_assert(!norn_checks_parse("", &checks, NULL));
  NornCheckerInfo info;
  unsigned all = 0;
  for (unsigned i = 0; norn_checker_info(i, &info); i++)
    all |= info.check;
  ck_assert_uint_eq(all, NORN_CHECK_ALL);
  const NornCheckOptions options = {.stage = NORN_STAGE_COMPUTE, .checks = NORN_CHECK_TRANSLATION};
  ck_assert(!norn_check_code("12345678", 8, &options, &error));
  ck_assert_str_eq(error->message,
                   "without a compilation, only waits, last-uses and helpers can be checked");
  g_clear_error(&error);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("check");
  TCase *cases = tcase_create("checkers");
  tcase_add_loop_test(cases, words, 0, G_N_ELEMENTS(words_rows));
  tcase_add_test(cases, names);
  tcase_add_test(cases, footprints);
  suite_add_tcase(suite, cases);
  return suite;
}
