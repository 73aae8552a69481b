/* Every kind of trap of the Valhall simulator: a program that triggers it, and a similar one
 * that does not. */
#include "assembled.h"
#include "sim/valhall/trap.h"
#include "unit.h"
#include <norn/isa.h>
#include <norn/simulate.h>
#include <string.h>

#define OUT_BYTES 256
#define SCRATCH_BYTES 32
#define HANDLE "0x02000001"

/* Settings that differ between runs. */
typedef enum {
  PLAIN = 0,
  FRAGMENT = 1 << 0,  /* 4 by 4 pixels, one target and depth; otherwise compute */
  ANY_WORDS = 1 << 1, /* the assembler accepts what the rules forbid */
  FEW = 1 << 2,       /* two threads, r60 preloaded, two uniform words */
  RACES = 1 << 4,     /* races between invocations are checked for */
  TWO_WARPS = 1 << 3, /* 32 invocations in x, otherwise 16 */
  NEWEST = 1 << 5,    /* architecture 14, otherwise 9 */
} Setting;

typedef struct Row {
  NornValhallTrap kind;
  unsigned settings;
  const char *stopped, *runs;
  const char *stopped_blend, *runs_blend; /* the blend shaders of target 0; nullable */
} Row;

/* r0:r1 = the address of word [global id x]. */
#define ADDRESS "SHADDX.u64 r0, u0, r60.w0, shift:0x2\n"
#define END "NOP.end\n"
#define ATEST "NOP.wait0126\nATEST.wait0 @r60, r60, r3, atest_datum.w0\n"
#define BLEND                                                                                      \
  "NOP.wait\n"                                                                                     \
  "BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0\n"
#define SHADE "MOV.i32 r0, 0x0\nMOV.i32 r1, r0\nMOV.i32 r2, r0\nMOV.i32 r3, r0\n"
#define CALL                                                                                       \
  "NOP.wait\n"                                                                                     \
  "BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0\n"                  \
  "IADD_IMM.i32 r48, 0x0, #0x0\n"                                                                  \
  "BRANCHZI.eq.absolute 0x0, blend_descriptor_0.w1\n"
#define SCRATCH_STORE "STORE.i32.slot0.force.wait0 @r60, thread_local_pointer, offset:0\n"
#define SCRATCH_PAIR "MOV.i32 r2, r60\nMOV.i32 r3, r60\n"

/* clang-format off */
static const Row rows[] = {
    {NORN_VALHALL_TRAP_ILLEGAL_INSTRUCTION, ANY_WORDS,
     "FMA.f32 r2, u2, u3, u4\n" END,
     "FMA.f32 r2, u2, u3, u3\n" END},
    {NORN_VALHALL_TRAP_NOT_MODELED, PLAIN,
     "FPCLASS.f32 r2, u2\n" END,
     "FLUSH.f32 r2, u2\n" END},
    {NORN_VALHALL_TRAP_NOT_MODELED, NEWEST, /* a group that is too long */
     "LD_MULTI.i416.slot0 @r0:r1:r2:r3:r4:r5:r6:r7:r8:r9:r10:r11:r12, u0, offset:0\n" END,
     "LOAD.i128.unsigned.slot0 @r0:r1:r2:r3, u0, offset:0\n" END},
    {NORN_VALHALL_TRAP_WRONG_STAGE, PLAIN,
     "DISCARD.f32.eq 0x0, 0x0\n" END,
     "NOP\n" END},
    {NORN_VALHALL_TRAP_WRONG_STAGE, PLAIN,
     SHADE "NOP.wait0126\nATEST.wait0 @r60, r60, r3, atest_datum.w0\n" END,
     SHADE "NOP.wait0126\n" END},
    {NORN_VALHALL_TRAP_WRONG_STAGE, PLAIN,
     "LD_VAR_BUF_IMM.f32.slot0.src_f32.center.store @r0, r60, index:0x0\n" END,
     "LOAD.i32.unsigned.slot0 @r0, u0, offset:0\n" END},
    {NORN_VALHALL_TRAP_WRONG_STAGE, NEWEST,
     "LD_VAR_BUF_FLAT_IMM.slot0.flat32 @r0, index:0x0\n" END,
     "NOP\n" END},
    {NORN_VALHALL_TRAP_WRONG_STAGE, FRAGMENT,
     "LD_ATTR_IMM.slot0.u32 @r0, r60, r61, table:0x0, index:0x0\n" END,
     "LD_VAR_BUF_IMM.f32.slot0.src_f32.center.store @r0, r61, index:0x0\n" END},
    {NORN_VALHALL_TRAP_WRONG_STAGE, PLAIN,
     "MOV.i32 r2, blend_descriptor_7.w1\n" END,
     "MOV.i32 r2, thread_local_pointer.w1\n" END},
    {NORN_VALHALL_TRAP_WRONG_STAGE, FRAGMENT | NEWEST,
     "MOV.i32 r2, shader_output.w0\n" END,
     "MOV.i32 r2, atest_datum.w0\n" END},
    {NORN_VALHALL_TRAP_NOT_PRELOADED, FEW,
     "MOV.i32 r2, r61\n" END,
     "MOV.i32 r2, r60\n" END},
    {NORN_VALHALL_TRAP_REGISTER_LIMIT, FEW,
     "MOV.i32 r16, r60\n" END,
     "MOV.i32 r15, r60\n" END},
    {NORN_VALHALL_TRAP_REGISTER_LIMIT, FEW,
     "LOAD.i64.unsigned.slot0 @r46:r47, u0, offset:0\n" END,
     "LOAD.i64.unsigned.slot0 @r48:r49, u0, offset:0\n" END},
    {NORN_VALHALL_TRAP_UNIFORM_LIMIT, FEW,
     "MOV.i32 r2, u2\n" END,
     "MOV.i32 r2, u1\n" END},
    {NORN_VALHALL_TRAP_UNIFORM_LIMIT, PLAIN,
     "IADD.u64 r2, u6, u6\n" END,
     "IADD.u64 r2, u4, u4\n" END},
    {NORN_VALHALL_TRAP_UNDEFINED_REGISTER, PLAIN,
     "MOV.i32 r3, r2\n" END,
     "MOV.i32 r2, r60\nMOV.i32 r3, r2\n" END},
    {NORN_VALHALL_TRAP_UNDEFINED_BITS, PLAIN,
     ADDRESS "IADD.v2u16 r2.h0, r60, r60\nMOV.i32 r3, r2\nSTORE.i32.slot0 @r3, r0, offset:0\n" END,
     ADDRESS "IADD.v2u16 r2.h0, r60, r60\nMOV.i32 r3, r2\nSTORE.i16.slot0 @r3, r0, offset:0\n" END},
    {NORN_VALHALL_TRAP_UNDEFINED_BITS, PLAIN,
     "IADD.v2u16 r2.h0, r60, r60\nMOV.i32 r3, r2\nBRANCHZ.reconverge r3.h1, offset:0\n" END,
     "IADD.v2u16 r2.h0, r60, r60\nMOV.i32 r3, r2\nU16_TO_U32 r3, r3.h0\n"
     "BRANCHZ.reconverge r3, offset:0\n" END},
    {NORN_VALHALL_TRAP_LAST_USED, PLAIN,
     "MOV.i32 r2, ^r60\nMOV.i32 r3, r60\n" END,
     "MOV.i32 r2, r60\nMOV.i32 r3, ^r60\n" END},
    {NORN_VALHALL_TRAP_LAST_USED, PLAIN, /* by a later source of the same instruction */
     "IADD.u32 r2, ^r60, r60\n" END,
     "IADD.u32 r2, ^r60, ^r60\n" END},
    {NORN_VALHALL_TRAP_LAST_USED, PLAIN, /* as half of a pair */
     ADDRESS "SHADDX.u64 r2, ^r0, r0.w1, shift:0x0\n" END,
     ADDRESS "SHADDX.u64 r2, ^r0, ^r0.w1, shift:0x0\n" END},
    {NORN_VALHALL_TRAP_REGISTER_IN_FLIGHT, PLAIN,
     "LOAD.i32.unsigned.slot1.wait0 @r2, u0, offset:0\nMOV.i32 r3, r2\n" END,
     "LOAD.i32.unsigned.slot1.wait1 @r2, u0, offset:0\nMOV.i32 r3, r2\n" END},
    {NORN_VALHALL_TRAP_REGISTER_IN_FLIGHT, PLAIN,
     "LOAD.i16.unsigned.slot1.h0 @r2, u0, offset:0\nIADD.v2u16 r2.h1, r60, r60\n" END,
     "LOAD.i16.unsigned.slot1.h0.wait1 @r2, u0, offset:0\nIADD.v2u16 r2.h1, r60, r60\n" END},
    {NORN_VALHALL_TRAP_REGISTER_IN_FLIGHT, PLAIN, /* the half that the message does not write */
     "MOV.i32 r2, r60\nLOAD.i16.unsigned.slot1.h0 @r2, u0, offset:0\n"
     "U16_TO_U32 r3, r2.h1\n" END,
     "MOV.i32 r2, r60\nLOAD.i16.unsigned.slot1.h0.wait1 @r2, u0, offset:0\n"
     "U16_TO_U32 r3, r2.h1\n" END},
    {NORN_VALHALL_TRAP_REGISTER_IN_FLIGHT, PLAIN, /* two halves by two messages */
     "LOAD.i16.unsigned.slot0.h0 @r2, u0, offset:0\n"
     "LOAD.i16.unsigned.slot1.h1 @r2, u0, offset:2\n" END,
     "LOAD.i16.unsigned.slot0.h0.wait0 @r2, u0, offset:0\n"
     "LOAD.i16.unsigned.slot1.h1 @r2, u0, offset:2\n" END},
    {NORN_VALHALL_TRAP_REGISTER_IN_FLIGHT, PLAIN, /* the other register of a pair */
     "LOAD.i64.unsigned.slot1 @r2:r3, u0, offset:0\nMOV.i32 r4, r3\n" END,
     "LOAD.i64.unsigned.slot1 @r2:r3, u0, offset:0\nMOV.i32 r4, u4\n" END},
    {NORN_VALHALL_TRAP_STAGED_LAST_USE, PLAIN, /* the other half of the pair */
     ADDRESS SCRATCH_PAIR "STORE.i32.slot0 @r3, r0, offset:0\n"
     "SHADDX.u64 r6, u0, ^r2.w0, shift:0x0\n" END,
     ADDRESS SCRATCH_PAIR "STORE.i32.slot0.wait0 @r3, r0, offset:0\n"
     "SHADDX.u64 r6, u0, ^r2.w0, shift:0x0\n" END},
    {NORN_VALHALL_TRAP_STAGED_LAST_USE, PLAIN, /* by the message that stages it */
     ADDRESS "STORE.i32.slot0 @r1, ^r0, offset:0\n" END,
     ADDRESS "STORE.i32.slot0 @r1, r0, offset:0\n" END},
    {NORN_VALHALL_TRAP_MISALIGNED, PLAIN,
     "LOAD.i24.unsigned.slot0 @r2, u0, offset:2\n" END,
     "LOAD.i24.unsigned.slot0 @r2, u0, offset:4\n" END},
    {NORN_VALHALL_TRAP_MISALIGNED, PLAIN,
     "LOAD.i48.unsigned.slot0 @r2:r3, u0, offset:2\n" END,
     "LOAD.i48.unsigned.slot0 @r2:r3, u0, offset:4\n" END},
    {NORN_VALHALL_TRAP_MISALIGNED, PLAIN,
     ADDRESS "MOV.i32 r2, u2\nMOV.i32 r3, u2\nATOM.i64.slot0.aadd @r2:r3, r0, offset:0x0\n" END,
     ADDRESS "MOV.i32 r2, u2\nMOV.i32 r3, u2\nATOM.i64.slot0.aadd @r2:r3, u0, offset:0x8\n" END},
    {NORN_VALHALL_TRAP_MISALIGNED, PLAIN,
     "LOAD.i32.unsigned.slot0 @r2, u0, offset:2\n" END,
     "LOAD.i16.unsigned.slot0 @r2, u0, offset:2\n" END},
    {NORN_VALHALL_TRAP_OUT_OF_BOUNDS, PLAIN,
     "LOAD.i32.unsigned.slot0 @r2, u0, offset:256\n" END,
     "LOAD.i32.unsigned.slot0 @r2, u0, offset:252\n" END},
    {NORN_VALHALL_TRAP_BUFFER_END, PLAIN,
     "IADD_IMM.i32 r2, 0x0, #" HANDLE "\nIADD_IMM.i32 r3, 0x0, #0xFC\n"
     "LD_BUFFER.i64.unsigned.slot0 @r4:r5, r3, r2\n" END,
     "IADD_IMM.i32 r2, 0x0, #" HANDLE "\nIADD_IMM.i32 r3, 0x0, #0xF8\n"
     "LD_BUFFER.i64.unsigned.slot0 @r4:r5, r3, r2\n" END},
    {NORN_VALHALL_TRAP_MEMORY_IN_FLIGHT, PLAIN,
     ADDRESS "STORE.i32.slot0 @r60, r0, offset:0\nLOAD.i8.unsigned.slot1 @r2, r0, offset:3\n" END,
     ADDRESS "STORE.i16.slot0 @r60, r0, offset:0\nLOAD.i8.unsigned.slot1 @r2, r0, offset:3\n" END},
    {NORN_VALHALL_TRAP_MEMORY_IN_FLIGHT, PLAIN, /* all lanes read the same; another slot's wait */
     "LOAD.i32.unsigned.slot0 @r4, u0, offset:0\nLOAD.i32.unsigned.slot1 @r5, u0, offset:0\n"
     "NOP.wait1\nSTORE.i32.slot2 @r60, u0, offset:0\n" END,
     "LOAD.i32.unsigned.slot0 @r4, u0, offset:0\nLOAD.i32.unsigned.slot1 @r5, u0, offset:0\n"
     "NOP.wait01\nSTORE.i32.slot2 @r60, u0, offset:0\n" END},
    {NORN_VALHALL_TRAP_MEMORY_IN_FLIGHT, PLAIN, /* atomic accesses with different operations */
     "ATOM.i32.slot0.aadd @r60, u0, offset:0x0\nATOM.i32.slot1.aor @r60, u0, offset:0x0\n" END,
     "ATOM.i32.slot0.aadd @r60, u0, offset:0x0\nATOM.i32.slot1.aadd @r60, u0, offset:0x0\n" END},
    {NORN_VALHALL_TRAP_MEMORY_IN_FLIGHT, PLAIN, /* with other operands, or with results */
     "MOV.i32 r2, u4\nATOM.i32.slot0.aadd @r60, u0, offset:0x0\nATOM.i32.slot1.aadd @r2, u0, offset:0x0\n" END,
     "MOV.i32 r2, r60\nATOM.i32.slot0.aadd @r60, u0, offset:0x0\nATOM.i32.slot1.aadd @r2, u0, offset:0x0\n" END},
    {NORN_VALHALL_TRAP_MEMORY_IN_FLIGHT, PLAIN,
     "ATOM1.i32.slot0.ainc u0, offset:0x0\nATOM1_RETURN.i32.slot1.ainc @r2, u0, offset:0x0\n" END,
     "ATOM1.i32.slot0.ainc u0, offset:0x0\nATOM1.i32.slot1.ainc u0, offset:0x0\n" END},
    {NORN_VALHALL_TRAP_MEMORY_IN_FLIGHT, PLAIN, /* of one width, and nothing else */
     "ATOM1.i32.slot0.ainc u0, offset:0x4\nATOM1.i64.slot1.ainc u0, offset:0x0\n" END,
     "ATOM1.i32.slot0.ainc u0, offset:0x8\nATOM1.i64.slot1.ainc u0, offset:0x0\n" END},
    {NORN_VALHALL_TRAP_MEMORY_IN_FLIGHT, PLAIN,
     "ATOM1.i32.slot0.ainc u0, offset:0x0\nLOAD.i32.unsigned.slot1 @r2, u0, offset:0\n" END,
     "ATOM1.i32.slot0.ainc u0, offset:0x0\nLOAD.i32.unsigned.slot1 @r2, u0, offset:4\n" END},
    {NORN_VALHALL_TRAP_RACE, RACES,
     ADDRESS "STORE.i32.slot0 @r60, r0, offset:0\nLOAD.i32.unsigned.slot1 @r2, r0, offset:4\n" END,
     ADDRESS "STORE.i32.slot0.wait0 @r60, r0, offset:0\nBARRIER.slot7.wait\n"
     "LOAD.i32.unsigned.slot1 @r2, r0, offset:4\n" END},
    {NORN_VALHALL_TRAP_RACE, RACES, /* three invocations read: any of them except the writer counts */
     ADDRESS "LOAD.i32.unsigned.slot0.wait0 @r2, u0, offset:0\n"
     "STORE.i32.slot0 @r60, r0, offset:0\n" END,
     ADDRESS "LOAD.i32.unsigned.slot0.wait0 @r2, u0, offset:0\nBARRIER.slot7.wait\n"
     "STORE.i32.slot0 @r60, r0, offset:0\n" END},
    {NORN_VALHALL_TRAP_RACE, RACES, /* atomic accesses do not race with each other */
     "ATOM1.i32.slot0.ainc.wait0 u0, offset:0x0\nLOAD.i32.unsigned.slot0 @r2, u0, offset:0\n" END,
     "ATOM1.i32.slot0.ainc.wait0 u0, offset:0x0\nATOM1.i32.slot0.ainc u0, offset:0x0\n" END},
    {NORN_VALHALL_TRAP_RACE, RACES | TWO_WARPS, /* a barrier orders all warps */
     ADDRESS "STORE.i32.slot0.wait0 @r60, r0, offset:0\nLSHIFT_XOR.i32 r6, r60, 0x0, u4\n"
     "SHADDX.u64 r4, u0, r6.w0, shift:0x2\nLOAD.i32.unsigned.slot0 @r2, r4, offset:0\n" END,
     ADDRESS "STORE.i32.slot0.wait0 @r60, r0, offset:0\nLSHIFT_XOR.i32 r6, r60, 0x0, u4\n"
     "BARRIER.slot7.wait\n"
     "SHADDX.u64 r4, u0, r6.w0, shift:0x2\nLOAD.i32.unsigned.slot0 @r2, r4, offset:0\n" END},
    {NORN_VALHALL_TRAP_SCRATCH_HINT, PLAIN,
     "STORE.i32.slot0 @r60, thread_local_pointer, offset:0\n" END,
     "STORE.i32.slot0.force @r60, thread_local_pointer, offset:0\n" END},
    {NORN_VALHALL_TRAP_SCRATCH_PIECE, PLAIN,
     SCRATCH_PAIR "STORE.i64.slot0.force @r2:r3, thread_local_pointer, offset:12\n" END,
     SCRATCH_PAIR "STORE.i64.slot0.force @r2:r3, thread_local_pointer, offset:8\n" END},
    {NORN_VALHALL_TRAP_SCRATCH_UNINITIALIZED, PLAIN,
     SCRATCH_STORE "LOAD.i32.force.unsigned.slot0 @r2, thread_local_pointer, offset:4\n" END,
     SCRATCH_STORE "LOAD.i32.force.unsigned.slot0 @r2, thread_local_pointer, offset:0\n" END},
    {NORN_VALHALL_TRAP_CONVERSION, PLAIN,
     ADDRESS "ST_CVT.slot0.u32 @r60, r0, r60, offset:0x0\n" END,
     "MOV.i32 r0, 0x0\nIADD_IMM.i32 r1, 0x0, #0x80000000\n"
     "ST_CVT.slot0.u32 @r60, r0, r60, offset:0x0\n" END},
    {NORN_VALHALL_TRAP_DIVERGENCE, PLAIN,
     "BRANCHZ r60, offset:1\nNOP.reconverge\n" END,
     "BRANCHZ.reconverge r60, offset:1\nNOP.reconverge\n" END},
    {NORN_VALHALL_TRAP_RECONVERGENCE, PLAIN,
     "BRANCHZ.reconverge r60, offset:1\nNOP\n" END,
     "BRANCHZ u2, offset:1\nNOP\n" END},
    {NORN_VALHALL_TRAP_PROGRAM_END, PLAIN,
     "NOP\n",
     "NOP\n" END},
    {NORN_VALHALL_TRAP_BRANCH_TARGET, PLAIN,
     "BRANCHZ.eq 0x0, offset:1\n" END,
     "BRANCHZ.eq 0x0, offset:0\n" END},
    {NORN_VALHALL_TRAP_BRANCH_TARGET, PLAIN,
     "IADD_IMM.i32 r1, 0x0, #0x4\nBRANCHZI.eq.absolute 0x0, r1\n" END,
     "IADD_IMM.i32 r1, 0x0, #0x10\nBRANCHZI.eq.absolute 0x0, r1\n" END},
    {NORN_VALHALL_TRAP_BARRIER_FLOW, PLAIN,
     "BARRIER.slot7\n" END,
     "BARRIER.slot7.wait\n" END},
    {NORN_VALHALL_TRAP_BARRIER_DIVERGED, PLAIN,
     "BRANCHZ.reconverge r60, offset:1\nBARRIER.slot7.wait\n" END,
     "BRANCHZ.reconverge r60, offset:0\nBARRIER.slot7.wait\n" END},
    {NORN_VALHALL_TRAP_BARRIER_IN_FLIGHT, PLAIN,
     ADDRESS "STORE.i32.slot0 @r60, r0, offset:0\nBARRIER.slot7.wait\n" END,
     ADDRESS "STORE.i32.slot0.wait0 @r60, r0, offset:0\nBARRIER.slot7.wait\n" END},
    {NORN_VALHALL_TRAP_BARRIER_ENDED, PLAIN, /* some lanes */
     "BRANCHZ.reconverge r60, offset:1\nNOP.end\nBARRIER.slot7.wait\n" END,
     "BRANCHZ.reconverge r60, offset:1\nNOP.reconverge\nBARRIER.slot7.wait\n" END},
    {NORN_VALHALL_TRAP_BARRIER_ENDED, TWO_WARPS, /* a warp */
     "IADD_IMM.i32 r3, 0x0, #0x10\nLSHIFT_AND.i32 r2, r60, 0x0, r3\n"
     "BRANCHZ.eq r2, offset:1\nBARRIER.slot7.wait\n" END,
     "IADD_IMM.i32 r3, 0x0, #0x10\nLSHIFT_AND.i32 r2, r60, 0x0, r3\n"
     "BRANCHZ.eq r2, offset:1\nNOP\nBARRIER.slot7.wait\n" END},
    {NORN_VALHALL_TRAP_INTERPOLATION, FRAGMENT,
     "LD_VAR_BUF_IMM.f32.slot0.src_f32.center.clobber @r0, r61, index:0x0\n"
     "LD_VAR_BUF_IMM.f32.slot0.src_f32.center.retrieve @r1, r61, index:0x0\n" END,
     "LD_VAR_BUF_IMM.f32.slot0.src_f32.center.store @r0, r61, index:0x0\n"
     "LD_VAR_BUF_IMM.f32.slot0.src_f32.center.retrieve @r1, r61, index:0x0\n" END},
    {NORN_VALHALL_TRAP_INTERPOLATION_IN_FLIGHT, FRAGMENT,
     "LD_VAR_BUF_IMM.f32.slot0.src_f32.center.store @r0, r61, index:0x0\n"
     "LD_VAR_BUF_IMM.f32.slot0.src_f32.sample.store @r1, r61, index:0x0\n" END,
     "LD_VAR_BUF_IMM.f32.slot0.src_f32.center.store.wait0 @r0, r61, index:0x0\n"
     "LD_VAR_BUF_IMM.f32.slot0.src_f32.sample.store @r1, r61, index:0x0\n" END},
    {NORN_VALHALL_TRAP_TILE_IN_FLIGHT, FRAGMENT,
     SHADE "NOP.wait0126\nLD_VAR_BUF_IMM.f32.slot1.src_f32.center.store @r4, r61, index:0x0\n"
     "ATEST.wait0 @r60, r60, r3, atest_datum.w0\n" BLEND,
     SHADE "NOP.wait0126\nLD_VAR_BUF_IMM.f32.slot1.src_f32.center.store.wait1 @r4, r61, index:0x0\n"
     "ATEST.wait0 @r60, r60, r3, atest_datum.w0\n" BLEND},
    {NORN_VALHALL_TRAP_TILE_WAIT, FRAGMENT,
     SHADE "NOP.wait012\nATEST.wait0 @r60, r60, r3, atest_datum.w0\n" BLEND,
     SHADE ATEST BLEND},
    {NORN_VALHALL_TRAP_TILE_WAIT, FRAGMENT, /* for the message's own slot */
     SHADE "NOP.wait0126\nATEST @r60, r60, r3, atest_datum.w0\nNOP.wait0\n" BLEND,
     SHADE ATEST "NOP.wait0\n" BLEND},
    {NORN_VALHALL_TRAP_TILE_TARGET, FRAGMENT,
     "NOP.wait\nLD_TILE.v4.f32.slot0.wait0 @r0:r1:r2:r3, u2, r60, 0x0\n" END,
     "NOP.wait\nLD_TILE.v4.f32.slot0.wait0 @r0:r1:r2:r3, u3, r60, 0x0\n" END},
    {NORN_VALHALL_TRAP_BLEND_REGISTER, FRAGMENT,
     SHADE ATEST CALL,
     SHADE ATEST CALL,
     "MOV.i32 r15, r59\n" END, "MOV.i32 r15, r61\n" END},
    {NORN_VALHALL_TRAP_BLEND_REGISTER, FRAGMENT,
     SHADE ATEST CALL,
     SHADE ATEST CALL,
     "MOV.i32 r16, r0\n" END, "MOV.i32 r15, r0\n" END},
    {NORN_VALHALL_TRAP_COVERAGE_REGISTER, FRAGMENT,
     SHADE "NOP.wait0126\nATEST.wait0 @r10, r60, r3, atest_datum.w0\n" BLEND,
     SHADE ATEST BLEND},
    {NORN_VALHALL_TRAP_NO_ATEST, FRAGMENT,
     SHADE BLEND,
     SHADE ATEST BLEND},
};
/* clang-format on */

typedef struct Machine {
  NornMemory *memory;
  uint32_t uniforms[6];
  NornImage color, depth;
  NornResource resource;
  NornFragmentState fragment;
  NornCompileInfo info;
  NornLaunch launch;
} Machine;

static void
setup(Machine *machine, unsigned settings) {
  memset(machine, 0, sizeof *machine);
  machine->memory = norn_memory_new();
  ck_assert(norn_memory_add(machine->memory, "out", 0, NULL, OUT_BYTES, NULL));
  ck_assert(norn_memory_add(machine->memory, "color", 0, NULL, 64, NULL));
  ck_assert(norn_memory_add(machine->memory, "depth", 0, NULL, 64, NULL));
  uint64_t address = norn_memory_address(machine->memory, 0);
  machine->uniforms[0] = (uint32_t)address;
  machine->uniforms[1] = (uint32_t)(address >> 32);
  machine->uniforms[2] = 0xFF000001; /* pixel words: sample 1, sample 0 of target 0 */
  machine->uniforms[3] = 0xFF000000;
  machine->uniforms[4] = 16;
  machine->color = (NornImage){1, 0, {4, 8, NORN_CHANNEL_UNORM}, 4, 4, 1, 1, 1, 1};
  machine->depth = (NornImage){2, 0, {1, 32, NORN_CHANNEL_FLOAT}, 4, 4, 1, 1, 1, 1};
  machine->resource = (NornResource){.handle = 0x02000001, .buffer = 0};
  machine->fragment = (NornFragmentState){.samples = 1,
                                          .varying_buffer = SIZE_MAX,
                                          .targets = {&machine->color},
                                          .depth_target = &machine->depth};
  machine->info = (NornCompileInfo){.threads = 2, .preloaded = UINT64_C(1) << 60, .fau_words = 2};
  bool is_fragment = settings & FRAGMENT;
  machine->launch = (NornLaunch){.stage = is_fragment ? NORN_STAGE_FRAGMENT : NORN_STAGE_COMPUTE,
                                 .memory = machine->memory,
                                 .grid = {1, 1, 1},
                                 .workgroup = {is_fragment            ? 4
                                               : settings & TWO_WARPS ? 32
                                                                      : 16,
                                               is_fragment ? 4 : 1, 1},
                                 .uniforms = machine->uniforms,
                                 .uniform_count = G_N_ELEMENTS(machine->uniforms),
                                 .resources = &machine->resource,
                                 .resource_count = 1,
                                 .scratch_bytes = SCRATCH_BYTES,
                                 .fragment = &machine->fragment,
                                 .check_races = settings & RACES,
                                 .info = settings & FEW ? &machine->info : NULL};
}

/* Assembles and runs; returns the error, or NULL. */
static GError *
run(const char *text, const char *blend, unsigned settings) {
  Machine machine;
  GError *error = NULL;
  const char *architecture = settings & NEWEST ? "14" : "9";
  int number = norn_isa_architecture(norn_isa_find("valhall"), architecture);
  GBytes *code = assemble_for("valhall", (unsigned)number, settings & ANY_WORDS, text);
  GBytes *blend_code = blend ? assemble(blend) : NULL;
  setup(&machine, settings);
  if (blend)
    machine.fragment.blend_shaders[0] =
        (NornBlendShader){g_bytes_get_data(blend_code, NULL), g_bytes_get_size(blend_code)};
  bool ok = norn_simulate_valhall(g_bytes_get_data(code, NULL), g_bytes_get_size(code),
                                  architecture, &machine.launch, NULL, &error);
  ck_assert(ok == !error);
  g_bytes_unref(code);
  if (blend)
    g_bytes_unref(blend_code);
  norn_memory_free(machine.memory);
  return error;
}

static const char *const names[] = {
#define TRAP(id, name, meaning) name,
    NORN_VALHALL_TRAPS(TRAP)
#undef TRAP
};

START_TEST(traps) {
  const Row *row = &rows[_i];
  char *mark = g_strdup_printf(" [%s]", names[row->kind]);
  GError *error = run(row->stopped, row->stopped_blend, row->settings);
  ck_assert_msg(error != NULL, "no trap, expected%s:\n%s", mark, row->stopped);
  ck_assert_msg(g_error_matches(error, NORN_ERROR, NORN_ERROR_TRAP), "%s", error->message);
  ck_assert_msg(g_str_has_suffix(error->message, mark), "%s, expected%s", error->message, mark);
  g_clear_error(&error);
  error = run(row->runs, row->runs_blend, row->settings);
  ck_assert_msg(error == NULL, "%s\n%s", error ? error->message : "", row->runs);
  g_free(mark);
}
END_TEST

START_TEST(every_kind_has_a_row) {
  for (unsigned kind = 0; kind < NORN_VALHALL_TRAP_COUNT; kind++) {
    bool found = false;
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++)
      found |= rows[i].kind == kind;
    ck_assert_msg(found, "no program traps with [%s]", names[kind]);
  }
}
END_TEST

/* The rows in the guide are those of the list. */
START_TEST(every_kind_is_documented) {
  static const char *const meanings[] = {
#define TRAP(id, name, meaning) meaning,
      NORN_VALHALL_TRAPS(TRAP)
#undef TRAP
  };
  GError *error = NULL;
  char *text;
  ck_assert_msg(
      g_file_get_contents(NORN_TEST_DIR "/../doc/valhall-simulator.md", &text, NULL, &error), "%s",
      error ? error->message : "");
  for (unsigned kind = 0; kind < NORN_VALHALL_TRAP_COUNT; kind++) {
    char *row = g_strdup_printf("\n| %s | %s |\n", names[kind], meanings[kind]);
    ck_assert_msg(strstr(text, row) != NULL, "the guide lacks the row%s", row);
    g_free(row);
  }
  g_free(text);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("valhall traps");
  TCase *tests = tcase_create("valhall traps");
  tcase_add_loop_test(tests, traps, 0, G_N_ELEMENTS(rows));
  tcase_add_test(tests, every_kind_has_a_row);
  tcase_add_test(tests, every_kind_is_documented);
  suite_add_tcase(suite, tests);
  return suite;
}
