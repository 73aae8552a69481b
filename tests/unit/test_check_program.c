/* The checkers of finished code and of register allocation on machine programs with errors
 * inserted by hand, as an incorrect pass might leave them. test_check.c edits code that the
 * compiler generated; this is code that it never generates. */
#include "check/allocation.h"
#include "check/checkers.h"
#include "check/symbols.h"
#include "ir_text.h"
#include "passes/pass.h"
#include "unit.h"

#define COMPUTE(body)                                                                              \
  "target valhall 9\nshader compute @t workgroup(16, 1, 1) {\n  fau x: i64 @ 0, u: i32 @ 2\n"      \
  "entry:\n" body "}\n"
#define FRAGMENT(body)                                                                             \
  "target valhall 9\nshader fragment @t {\n  fau x: i64 @ 0\nentry:\n" body "}\n"

/* --- Finished code --- */

/* A program before it is packed; the message from packing or a checker, NULL if it is correct. */
typedef struct ProgramRow {
  unsigned checks;
  const char *text, *complaint;
  const char *selected; /* the selected program, if it is different; its blocks are the same */
} ProgramRow;

/* A condition that differs by lane. */
#define CONDITION                                                                                  \
  "  %i@r60 = preload.i32 60\n"                                                                    \
  "  %c@r0 = ICMP_OR.u32.lt.m1 %i@r60, 0x7060504.b3, 0x0\n"
#define ADDRESS                                                                                    \
  "  %i@r60 = preload.i32 60\n"                                                                    \
  "  %p@r0:r1 = SHADDX.u64 u0, %i@r60.w0, shift:0x2\n"
/* Two jumps, to a block that passes on its parameter or past it. */
#define HOPS(first, second)                                                                        \
  "  %i@r60 = preload.i32 60\n"                                                                    \
  "  BRANCHZ u2, last, other\n"                                                                    \
  "other:\n"                                                                                       \
  "  BRANCHZ u2, join(%i@r60), more\n"                                                             \
  "more:\n"                                                                                        \
  "  %k@r60 = IADD.u32 %i@r60, u2\n"                                                               \
  "  " first "(%k@r60)\n"                                                                          \
  "last:\n"                                                                                        \
  "  %l@r60 = IADD.u32 %i@r60, u2\n"                                                               \
  "  " second "(%l@r60)\n"                                                                         \
  "join(%b@r60: i32):\n"                                                                           \
  "  STORE.i32.slot0.end @%b@r60, u0, offset:0\n"                                                  \
  "  end\n"
/* A loop in which each iteration gets `argument`; the sum is in `sum`. */
#define ITERATIONS(sum, argument)                                                                  \
  "  %z@r0 = IADD_IMM.i32.reconverge 0x0, #0x5\n"                                                  \
  "  jump head(%z@r0)\n"                                                                           \
  "head(%k@r0: i32):\n"                                                                            \
  "  %n@" sum " = IADD.u32 %k@r0, u2\n"                                                            \
  "  BRANCHZ.reconverge u2, head(" argument "), done\n"                                            \
  "done:\n"                                                                                        \
  "  STORE.i32.slot0.end @%n@" sum ", u0, offset:0\n"                                              \
  "  end\n"
/* A jump to the back edge of a loop, past the loop; its flow is left out. */
#define EARLY_ITERATION(flow)                                                                      \
  CONDITION "  BRANCHZ.reconverge divergent %c@r0, before, past\n"                                 \
            "past:\n"                                                                              \
            "  BRANCHZ" flow ".eq 0x0, latch\n"                                                    \
            "before:\n"                                                                            \
            "  %a@r1 = IADD_IMM.i32.reconverge 0x0, #0x5\n"                                        \
            "  jump head\n"                                                                        \
            "head:\n"                                                                              \
            "  BRANCHZ.reconverge u2, done, latch\n"                                               \
            "latch:\n"                                                                             \
            "  BRANCHZ.eq.reconverge 0x0, head\n"                                                  \
            "done:\n"                                                                              \
            "  STORE.i32.slot0.end @%i@r60, u0, offset:0\n"                                        \
            "  end\n"
/* A loop that stores a sum, and the same again, or the result of `again` instead. */
#define AGAIN(again, second)                                                                       \
  COMPUTE("  %i@r60 = preload.i32 60\n"                                                            \
          "  jump head(%i@r60)\n"                                                                  \
          "head(%k@r60: i32):\n"                                                                   \
          "  %s@r1 = IADD.u32 %k@r60, u2\n"                                                        \
          "  STORE.i32.slot0 @%s@r1, u0, offset:0\n"                                               \
          "  %d@r2 = " again "\n"                                                                  \
          "  STORE.i32.slot1.wait01 @" second ", u0, offset:4\n"                                   \
          "  %n@r60 = MOV.i32 %s@r1\n"                                                             \
          "  BRANCHZ.reconverge u2, head(%n@r60), done\n"                                          \
          "done:\n"                                                                                \
          "  NOP.end\n"                                                                            \
          "  end\n")
/* A loop with arithmetic in a block that dominates another one, which stores the result of
 * `again`; `first` is that arithmetic, or nothing. */
#define BEHIND(first, again)                                                                       \
  COMPUTE("  %i@r60 = preload.i32 60\n"                                                            \
          "  %z@r2 = MOV.i32 %i@r60\n"                                                             \
          "  jump head(%i@r60)\n"                                                                  \
          "head(%k@r60: i32):\n"                                                                   \
          "  " first "\n"                                                                          \
          "  BRANCHZ.reconverge u2, done, more\n"                                                  \
          "more:\n"                                                                                \
          "  %d@r2 = " again "\n"                                                                  \
          "  STORE.i32.slot0.wait0 @%d@r2, u0, offset:4\n"                                         \
          "  %n@r60 = IADD.u32 %k@r60, u4\n"                                                       \
          "  BRANCHZ.reconverge u2, head(%n@r60), done\n"                                          \
          "done:\n"                                                                                \
          "  NOP.end\n"                                                                            \
          "  end\n")
/* A store that is skipped by a branch on a register, which is not marked as divergent. */
#define UNMARKED(condition) COMPUTE(condition SKIP)
#define SKIP                                                                                       \
  "  BRANCHZ %c@r0, join, rest\n"                                                                  \
  "rest:\n"                                                                                        \
  "  STORE.i32.slot0.wait0 @%c@r0, u0, offset:0\n"                                                 \
  "  jump join\n"                                                                                  \
  "join:\n"                                                                                        \
  "  NOP.end\n"                                                                                    \
  "  end\n"
/* A look-up in a texture at the same place in all lanes. */
#define TEXTURE(level)                                                                             \
  "  %t@r2:r3 = IADD.u64 0x0.w0, 0x0.w0\n"                                                         \
  "  %p@r4:r5 = IADD.u64 0x0.w0, 0x0.w0\n"                                                         \
  "  %c@r0 = TEX_SINGLE.slot0.u.32.r.2d.wide_indices." level ".wait0 @%p@r4:r5, %t@r2:r3\n"
/* A divergent loop whose body sets r0; then the store above. A load before the loop is in r3. */
#define AFTER_LOOP(value)                                                                          \
  COMPUTE("  %i@r60 = preload.i32 60\n"                                                            \
          "  %z@r1 = IADD_IMM.i32.reconverge 0x0, #0x5\n"                                          \
          "  %l@r3 = LOAD.i32.unsigned.slot0.wait0 u0, offset:4\n"                                 \
          "  jump head(%z@r1)\n"                                                                   \
          "head(%k@r1: i32):\n"                                                                    \
          "  loop_entry 1\n"                                                                       \
          "  %c@r0 = " value "\n"                                                                  \
          "  %n@r1 = IADD.u32 %k@r1, u2\n"                                                         \
          "  %d@r2 = ICMP_OR.u32.lt.m1 %n@r1, %i@r60, 0x0\n"                                       \
          "  BRANCHZ.reconverge divergent %d@r2, head(%n@r1), done\n"                              \
          "done:\n" SKIP)
/* A divergent loop in another loop: the outer one loads r3,
 * the inner one sets r0. Then there are two branches: back in the outer loop, and behind it. */
#define IN_ITERATION(value, condition, last)                                                       \
  COMPUTE("  %i@r60 = preload.i32 60\n"                                                            \
          "  NOP.reconverge\n"                                                                     \
          "  jump outer\n"                                                                         \
          "outer:\n"                                                                               \
          "  loop_entry 1\n"                                                                       \
          "  %l@r3 = LOAD.i32.unsigned.slot0.wait0 u0, offset:4\n"                                 \
          "  %z@r1 = IADD_IMM.i32.reconverge 0x0, #0x5\n"                                          \
          "  jump head(%z@r1)\n"                                                                   \
          "head(%k@r1: i32):\n"                                                                    \
          "  loop_entry 2\n"                                                                       \
          "  %c@r0 = " value "\n"                                                                  \
          "  %n@r1 = IADD.u32 %k@r1, u2\n"                                                         \
          "  %d@r2 = ICMP_OR.u32.lt.m1 %n@r1, %i@r60, 0x0\n"                                       \
          "  BRANCHZ.reconverge divergent %d@r2, head(%n@r1), next\n"                              \
          "next:\n"                                                                                \
          "  BRANCHZ.reconverge" condition ", outer, done\n"                                       \
          "done:\n"                                                                                \
          "  BRANCHZ " last ", join, rest\n"                                                       \
          "rest:\n"                                                                                \
          "  STORE.i32.slot0.wait0 @%i@r60, u0, offset:0\n"                                        \
          "  jump join\n"                                                                          \
          "join:\n"                                                                                \
          "  NOP.end\n"                                                                            \
          "  end\n")
/* Lanes take one of two arms, each of which passes on its own constant. */
#define AFTER_ARMS(divergent)                                                                      \
  COMPUTE(CONDITION "  BRANCHZ.reconverge" divergent ", left, right\n"                             \
                    "right:\n"                                                                     \
                    "  %a@r0 = IADD_IMM.i32 0x0, #0x0\n"                                           \
                    "  BRANCHZ.eq.reconverge 0x0, after(%a@r0)\n"                                  \
                    "left:\n"                                                                      \
                    "  %b@r0 = IADD_IMM.i32.reconverge 0x0, #0x1\n"                                \
                    "  jump after(%b@r0)\n"                                                        \
                    "after(%p@r0: i32):\n"                                                         \
                    "  BRANCHZ %p@r0, join, rest\n"                                                \
                    "rest:\n"                                                                      \
                    "  STORE.i32.slot0.wait0 @%i@r60, u0, offset:0\n"                              \
                    "  jump join\n"                                                                \
                    "join:\n"                                                                      \
                    "  NOP.end\n"                                                                  \
                    "  end\n")
#define DIVERGES "lanes may diverge here, but the branch is not marked as divergent"
#define TOGETHER(text, complaint)                                                                  \
  { NORN_CHECK_RECONVERGENCE, text, complaint, NULL }
#define WAITS(text, complaint)                                                                     \
  { 0, text, complaint, NULL }

static const ProgramRow program_rows[] = {
    /* conditions that differ by lane: positions, lanes, memory of lanes */
    TOGETHER(UNMARKED("  %c@r0 = MOV.i32 u2\n"), NULL),
    TOGETHER(UNMARKED("  %i@r60 = preload.i32 60\n  %c@r0 = IADD.u32 %i@r60, u2\n"), DIVERGES),
    TOGETHER(UNMARKED("  %i@r61 = preload.i32 61\n  %c@r0 = IADD.u32 %i@r61, u2\n"), NULL),
    TOGETHER(UNMARKED("  %i@r55 = preload.i32 55\n  %c@r0 = IADD.u32 %i@r55, u2\n"), DIVERGES),
    TOGETHER(UNMARKED("  %i@r57 = preload.i32 57\n  %c@r0 = IADD.u32 %i@r57, u2\n"), NULL),
    TOGETHER(UNMARKED("  %c@r0 = MOV.i32 lane_id\n"), DIVERGES),
    TOGETHER(UNMARKED("  %c@r0 = MOV.i32 warp_id\n"), NULL),
    TOGETHER(UNMARKED("  %c@r0 = LOAD.i32.unsigned.slot0.wait0 u0, offset:0\n"), NULL),
    TOGETHER(
        UNMARKED("  %c@r0 = LOAD.i32.unsigned.slot0.tl.wait0 thread_local_pointer, offset:0\n"),
        DIVERGES),
    TOGETHER(UNMARKED("  %o@r1 = IADD_IMM.i32 0x0, #0x1\n"
                      "  %c@r0 = ATOM_RETURN.i32.slot0.aadd.wait0 @%o@r1, u0, offset:0\n"),
             DIVERGES),
    TOGETHER(UNMARKED("  %t@r0:r1 = LD_GCLK.slot0.cycle_counter.wait0\n"
                      "  %c@r0, %d@r1 = split.i32.i64 %t@r0:r1\n"),
             DIVERGES),
    /* and what is read from other lanes */
    TOGETHER(UNMARKED("  %i@r60 = preload.i32 60\n  %c@r0 = WMASK %i@r60\n"), NULL),
    TOGETHER(UNMARKED("  %i@r60 = preload.i32 60\n  %c@r0 = WMASK.subgroup4 %i@r60\n"), DIVERGES),
    TOGETHER(UNMARKED("  %i@r60 = preload.i32 60\n  %c@r0 = CLPER.i32.subgroup16 %i@r60, u2.b0\n"),
             NULL),
    TOGETHER(UNMARKED("  %i@r60 = preload.i32 60\n  %c@r0 = CLPER.i32.subgroup4 %i@r60, u2.b0\n"),
             DIVERGES),
    TOGETHER(UNMARKED("  %i@r60 = preload.i32 60\n"
                      "  %c@r0 = CLPER.i32.subgroup16.xor %i@r60, u2.b0\n"),
             DIVERGES),
    TOGETHER(UNMARKED("  %i@r60 = preload.i32 60\n"
                      "  %c@r0 = CLPER.i32.subgroup16 u2, %i@r60.b0\n"),
             DIVERGES),
    /* textures whose level of detail depends on the neighbors, and others */
    TOGETHER(UNMARKED(TEXTURE("computed")), DIVERGES),
    TOGETHER(UNMARKED(TEXTURE("zero")), NULL),
    /* parameters where lanes meet */
    TOGETHER(AFTER_ARMS(" divergent %c@r0"), DIVERGES),
    TOGETHER(AFTER_ARMS(" u2"), NULL),
    /* values of the iterations in which lanes left a loop; the same in all iterations */
    TOGETHER(AFTER_LOOP("IADD.u32 %k@r1, u4"), DIVERGES),
    TOGETHER(AFTER_LOOP("IADD.u32 u4, 0x0"), NULL),
    TOGETHER(AFTER_LOOP("IADD.u32 %l@r3, u4"), NULL),
    TOGETHER(AFTER_LOOP("IADD.u32 %l@r3, %k@r1"), DIVERGES),
    TOGETHER(AFTER_LOOP("LOAD.i32.unsigned.slot0.wait0 u0, offset:0"), DIVERGES),
    TOGETHER(AFTER_LOOP("WMASK %i@r60"), DIVERGES),
    /* textures do not change, unless the neighbors do */
    TOGETHER(AFTER_LOOP("TEX_FETCH.slot0.u.32.r.1d.wide_indices.wait0 @%l@r3, u0"), NULL),
    TOGETHER(AFTER_LOOP("TEX_SINGLE.slot0.u.32.r.1d.wide_indices.zero.wait0 @%l@r3, u0"), NULL),
    TOGETHER(
        FRAGMENT("  %l@r3 = LOAD.i32.unsigned.slot0.wait0 u0, offset:4\n"
                 "  %c@r0 = TEX_SINGLE.slot0.u.32.r.1d.wide_indices.zero.wait0 @%l@r3, u0\n" SKIP),
        NULL),
    TOGETHER(
        FRAGMENT(
            "  %l@r3 = LOAD.i32.unsigned.slot0.wait0 u0, offset:4\n"
            "  %c@r0 = TEX_SINGLE.slot0.u.32.r.1d.wide_indices.computed.wait0 @%l@r3, u0\n" SKIP),
        DIVERGES),
    /* values of the iteration of an outer loop */
    TOGETHER(IN_ITERATION("IADD.u32 %l@r3, u4", " %c@r0", "u2"), NULL),
    TOGETHER(IN_ITERATION("IADD.u32 %k@r1, u4", " %c@r0", "u2"), DIVERGES),
    TOGETHER(IN_ITERATION("IADD.u32 %k@r1, %l@r3", " %c@r0", "u2"), DIVERGES),
    TOGETHER(IN_ITERATION("IADD.u32 %l@r3, u4", " u2", "%c@r0"), NULL),
    TOGETHER(IN_ITERATION("IADD.u32 %l@r3, u4", " divergent %i@r60", "%c@r0"), DIVERGES),
    TOGETHER(IN_ITERATION("IADD.u32 u4, 0x0", " divergent %i@r60", "%c@r0"), NULL),
    /* lanes that wait at the end of the iteration, whichever way they came */
    TOGETHER(COMPUTE(CONDITION "  %z@r1 = IADD_IMM.i32.reconverge 0x0, #0x5\n"
                               "  jump head\n"
                               "head:\n"
                               "  loop_entry 1\n"
                               "  %a@r1 = IADD_IMM.i32 0x0, #0x0\n"
                               "  BRANCHZ.reconverge divergent %c@r0, latch(%a@r1), body\n"
                               "body:\n"
                               "  BRANCHZ.reconverge u2, done, more\n"
                               "more:\n"
                               "  %b@r1 = IADD_IMM.i32.reconverge 0x0, #0x1\n"
                               "  jump latch(%b@r1)\n"
                               "latch(%p@r1: i32):\n"
                               "  BRANCHZ.reconverge %p@r1, head, done\n"
                               "done:\n"
                               "  STORE.i32.slot0.end @%i@r60, u0, offset:0\n"
                               "  end\n"),
             DIVERGES),
    /* lanes that continue without those that wait at their target */
    TOGETHER(COMPUTE(CONDITION "  BRANCHZ.reconverge divergent %c@r0, join, right\n"
                               "right:\n"
                               "  %a@r1 = IADD_IMM.i32.reconverge 0x0, #0x5\n"
                               "  jump join\n"
                               "join:\n"
                               "  STORE.i32.slot0.end @%i@r60, u0, offset:0\n"
                               "  end\n"),
             NULL),
    TOGETHER(COMPUTE(CONDITION "  BRANCHZ.reconverge divergent %c@r0, join, right\n"
                               "right:\n"
                               "  %a@r1 = IADD_IMM.i32 0x0, #0x5\n"
                               "  jump join\n"
                               "join:\n"
                               "  STORE.i32.slot0.end @%i@r60, u0, offset:0\n"
                               "  end\n"),
             "0x10 (IADD_IMM.i32 r1, 0x0, #0x5): lanes may wait at the destination, but the flow "
             "reconverge is missing"),
    /* lanes that should have ended continue in other code */
    TOGETHER(COMPUTE(CONDITION "  BRANCHZ.reconverge divergent %c@r0, left, right\n"
                               "right:\n"
                               "  NOP\n"
                               "  end\n"
                               "left:\n"
                               "  NOP.end\n"
                               "  end\n"),
             "0x10 (NOP): does not end the lanes, but the program ends here"),
    /* and past those that will also reach it */
    TOGETHER(COMPUTE(CONDITION "  BRANCHZ.reconverge divergent %c@r0, left, right\n"
                               "right:\n"
                               "  BRANCHZ u2, join, rest\n"
                               "rest:\n"
                               "  %a@r1 = IADD_IMM.i32.reconverge 0x0, #0x5\n"
                               "  jump left\n"
                               "left:\n"
                               "  %b@r2 = IADD_IMM.i32.reconverge 0x0, #0x6\n"
                               "  jump join\n"
                               "join:\n"
                               "  STORE.i32.slot0.end @%i@r60, u0, offset:0\n"
                               "  end\n"),
             "lanes execute this block while others that will reach it may wait elsewhere"),
    /* through one of two back edges, while others are in the iteration */
    TOGETHER(COMPUTE(CONDITION "  %z@r1 = IADD_IMM.i32.reconverge 0x0, #0x5\n"
                               "  jump head\n"
                               "head:\n"
                               "  loop_entry 1\n"
                               "  BRANCHZ.reconverge divergent %c@r0, left, right\n"
                               "right:\n"
                               "  BRANCHZ.eq.reconverge 0x0, head\n"
                               "left:\n"
                               "  BRANCHZ.reconverge divergent %c@r0, head, done\n"
                               "done:\n"
                               "  STORE.i32.slot0.end @%i@r60, u0, offset:0\n"
                               "  end\n"),
             "lanes take the back edge while others may still be in the iteration"),
    /* through the back edge, while others have not reached the loop */
    TOGETHER(COMPUTE(EARLY_ITERATION(".reconverge")), NULL),
    TOGETHER(COMPUTE(EARLY_ITERATION("")),
             "lanes take the back edge while others may still be in the iteration"),
    /* out of a loop that others are in */
    TOGETHER(COMPUTE(CONDITION "  %z@r1 = IADD_IMM.i32.reconverge 0x0, #0x5\n"
                               "  jump head\n"
                               "head:\n"
                               "  loop_entry 1\n"
                               "  BRANCHZ.reconverge divergent %c@r0, left, right\n"
                               "right:\n"
                               "  BRANCHZ u2, out, rest\n"
                               "rest:\n"
                               "  %a@r1 = IADD_IMM.i32.reconverge 0x0, #0x5\n"
                               "  jump left\n"
                               "left:\n"
                               "  BRANCHZ.reconverge.eq divergent %c@r0, done, last\n"
                               "last:\n"
                               "  BRANCHZ.eq.reconverge 0x0, head\n"
                               "out:\n"
                               "  %b@r2 = IADD_IMM.i32.reconverge 0x0, #0x6\n"
                               "  jump done\n"
                               "done:\n"
                               "  STORE.i32.slot0.end @%i@r60, u0, offset:0\n"
                               "  end\n"),
             "lanes execute this block while others may still be in the loop before it"),
    /* a backward edge that is not a back edge */
    TOGETHER(COMPUTE(CONDITION "  BRANCHZ.reconverge divergent %c@r0, below, above\n"
                               "above:\n"
                               "  STORE.i32.slot0.end @%i@r60, u0, offset:0\n"
                               "  end\n"
                               "below:\n"
                               "  BRANCHZ.eq.reconverge 0x0, above\n"),
             "leads backward, but not to the header of its loop"),
    /* a loop that was not one */
    {NORN_CHECK_RECONVERGENCE,
     COMPUTE(CONDITION "  %z@r1 = IADD_IMM.i32.reconverge 0x0, #0x5\n"
                       "  jump head\n"
                       "head:\n"
                       "  loop_entry 1\n"
                       "  BRANCHZ.reconverge divergent %c@r0, done, body\n"
                       "body:\n"
                       "  BRANCHZ.eq.reconverge 0x0, head\n"
                       "done:\n"
                       "  STORE.i32.slot0.end @%i@r60, u0, offset:0\n"
                       "  end\n"),
     "its block is not in the same loops as in the program",
     COMPUTE(CONDITION "  %z@r1 = IADD_IMM.i32.reconverge 0x0, #0x5\n"
                       "  jump head\n"
                       "head:\n"
                       "  loop_entry 1\n"
                       "  BRANCHZ.reconverge divergent %c@r0, done, body\n"
                       "body:\n"
                       "  BRANCHZ.eq.reconverge 0x0, done\n"
                       "done:\n"
                       "  STORE.i32.slot0.end @%i@r60, u0, offset:0\n"
                       "  end\n")},
    /* past a block of the program that only jumps, and passes on one of two values */
    {NORN_CHECK_TRANSLATION, COMPUTE(HOPS("BRANCHZ.eq 0x0, join", "jump join")), NULL,
     COMPUTE(HOPS("jump hop", "jump hop") "hop(%a@r60: i32):\n"
                                          "  jump join(%a@r60)\n")},
    {NORN_CHECK_TRANSLATION, COMPUTE(HOPS("BRANCHZ.eq 0x0, join", "jump join")),
     "word 0 of operand 0 is not %b",
     COMPUTE(HOPS("jump hop", "jump hop") "hop(%a@r60: i32):\n"
                                          "  jump join(5)\n")},
    /* the second word of a pair is overwritten */
    {NORN_CHECK_TRANSLATION,
     COMPUTE(ADDRESS "  %x@r1 = IADD_IMM.i32 0x0, #0x5\n"
                     "  STORE.i32.slot0.end @%i@r60, %p@r0:r1, offset:0\n"
                     "  end\n"),
     "word 1 of operand 1 is not %p", NULL},
    /* the parameter still has the value of the previous iteration */
    {NORN_CHECK_TRANSLATION, COMPUTE(ITERATIONS("r1", "%k@r0")), "word 0 of operand 0 is not %k",
     COMPUTE(ITERATIONS("r0", "%n@r0"))},
    {NORN_CHECK_TRANSLATION, COMPUTE(ITERATIONS("r0", "%n@r0")), NULL, NULL},
    /* one sum for two equal ones */
    {NORN_CHECK_TRANSLATION,
     COMPUTE("  %i@r60 = preload.i32 60\n"
             "  %c@r0 = IADD.u32 %i@r60, u2\n"
             "  %a@r1 = MOV.i32 %c@r0\n"
             "  %b@r2 = MOV.i32 %c@r0\n"
             "  STORE.i32.slot0 @%a@r1, u0, offset:0\n"
             "  STORE.i32.slot1.end @%b@r2, u0, offset:4\n"
             "  end\n"),
     NULL,
     COMPUTE("  %i@r60 = preload.i32 60\n"
             "  %c@r0 = MOV.i32 %i@r60\n"
             "  %a@r1 = IADD.u32 %i@r60, u2\n"
             "  %b@r2 = IADD.u32 %i@r60, u2\n"
             "  STORE.i32.slot0 @%a@r1, u0, offset:0\n"
             "  STORE.i32.slot1.end @%b@r2, u0, offset:4\n"
             "  end\n")},
    /* repeated arithmetic, on the same operands, and on others */
    {NORN_CHECK_TRANSLATION, AGAIN("IADD.u32 %k@r60, u2", "%d@r2"), NULL,
     AGAIN("MOV.i32 %k@r60", "%s@r1")},
    {NORN_CHECK_TRANSLATION, AGAIN("IADD.u32 %s@r1, u2", "%d@r2"),
     "(IADD.u32 r2, r1, u2): the program has no such instruction here",
     AGAIN("MOV.i32 %k@r60", "%s@r1")},
    {NORN_CHECK_TRANSLATION, AGAIN("IADD.u32 %k@r60, u3", "%d@r2"),
     "(IADD.u32 r2, r60, u3): the program has no such instruction here",
     AGAIN("MOV.i32 %k@r60", "%s@r1")},
    /* and after the block where the program has it; that block then need not have it, as long as
     * it is somewhere; but not before that block */
    {NORN_CHECK_TRANSLATION, BEHIND("loop_entry 1", "IADD.u32 %k@r60, u2"), NULL,
     BEHIND("%s@r1 = IADD.u32 %k@r60, u2", "MOV.i32 %s@r1")},
    {NORN_CHECK_TRANSLATION, BEHIND("%s@r1 = IADD.u32 %k@r60, u2", "IADD.u32 %k@r60, u2"), NULL,
     BEHIND("%s@r1 = IADD.u32 %k@r60, u2", "MOV.i32 %s@r1")},
    {NORN_CHECK_TRANSLATION, BEHIND("loop_entry 1", "IADD.u32 %k@r60, u3"),
     "(IADD.u32 r2, r60, u3): the program has no such instruction here",
     BEHIND("%s@r1 = IADD.u32 %k@r60, u2", "MOV.i32 %s@r1")},
    /* what other lanes have is not the same elsewhere */
    {NORN_CHECK_TRANSLATION, BEHIND("%s@r1 = WMASK %k@r60", "WMASK %k@r60"),
     "(WMASK r2, r60): the program has no such instruction here",
     BEHIND("%s@r1 = WMASK %k@r60", "MOV.i32 %s@r1")},
    {NORN_CHECK_TRANSLATION, BEHIND("loop_entry 1", "MOV.i32 %k@r60"),
     "STORE.i32.slot0.wait0 @r2, u0, offset:4): word 0 of operand 0 is not %d",
     BEHIND("%s@r1 = IADD.u32 %k@r60, u2", "MOV.i32 %s@r1")},
    {NORN_CHECK_TRANSLATION, BEHIND("%s@r1 = IADD.u32 %k@r60, u2", "MOV.i32 %s@r1"),
     "(IADD.u32 r1, r60, u2): the program has no such instruction here",
     BEHIND("loop_entry 1", "IADD.u32 %k@r60, u2")},
    /* errors that packing detects: a missing wait for a register, in the block and in the next
     * one */
    WAITS(COMPUTE("  %a@r0 = LOAD.i32.unsigned.slot1.wait1 u0, offset:0\n"
                  "  STORE.i32.slot0.end @%a@r0, u0, offset:4\n"
                  "  end\n"),
          NULL),
    WAITS(COMPUTE("  %a@r0 = LOAD.i32.unsigned.slot1.wait0 u0, offset:0\n"
                  "  STORE.i32.slot0.end @%a@r0, u0, offset:4\n"
                  "  end\n"),
          "t:6:3: an instruction precedes the wait for slot 1 that it needs"),
    WAITS(COMPUTE("  %i@r60 = preload.i32 60\n"
                  "  BRANCHZ.reconverge %i@r60, done, more\n"
                  "more:\n"
                  "  %a@r0 = LOAD.i32.unsigned.slot1.reconverge u0, offset:0\n"
                  "  jump done\n"
                  "done:\n"
                  "  %b@r0 = IADD_IMM.i32.end 0x0, #0x5\n"
                  "  end\n"),
          "t:11:3: an instruction precedes the wait for slot 1 that it needs"),
    /* for memory, with the same base, and with a base that changes in the next iteration */
    WAITS(COMPUTE(ADDRESS "  STORE.i32.slot0 @%i@r60, %p@r0:r1, offset:0\n"
                          "  STORE.i32.slot1.end @%i@r60, %p@r0:r1, offset:4\n"
                          "  end\n"),
          NULL),
    WAITS(COMPUTE(ADDRESS "  STORE.i32.slot0 @%i@r60, %p@r0:r1, offset:0\n"
                          "  STORE.i32.slot1.end @%i@r60, %p@r0:r1, offset:2\n"
                          "  end\n"),
          "t:8:3: an instruction precedes the wait for slot 0 that it needs"),
    WAITS(COMPUTE("  %i@r60 = preload.i32 60\n"
                  "  %z@r2 = IADD_IMM.i32.reconverge 0x0, #0x5\n"
                  "  jump head\n"
                  "head:\n"
                  "  %p@r0:r1 = SHADDX.u64 u0, %i@r60.w0, shift:0x2\n"
                  "  STORE.i32.slot1.wait1 @%i@r60, %p@r0:r1, offset:4\n"
                  "  STORE.i32.slot0 @%i@r60, %p@r0:r1, offset:0\n"
                  "  BRANCHZ.reconverge u2, head, done\n"
                  "done:\n"
                  "  %b@r3 = IADD_IMM.i32.end 0x0, #0x5\n"
                  "  end\n"),
          "t:10:3: an instruction precedes the wait for slot 0 that it needs"),
};

/* The target's table for the module's machine. */
static void
bind(const NornModule *module, NornTarget *target) {
  norn_target_bind(norn_target_find(module->machine), module->machine, target);
}

/* The message from packing the program, or from a checker afterward; to be freed, NULL if there
 * is none. */
static char *
complaint_of(const ProgramRow *row) {
  NornModule *module = parse_text(row->text);
  NornModule *selected = row->selected ? parse_text(row->selected) : NULL;
  NornTarget target;
  GError *error = NULL;
  NornCompileInfo info = {0};
  NornCompileOptions options;
  bind(module, &target);
  norn_compile_options_init(&options);
  options.verify = true;
  NornPassContext context = {.module = module,
                             .target = &target,
                             .options = &options,
                             .info = &info,
                             .code = g_byte_array_new()};
  bool ok = norn_pass_pack(&context, module->functions[0], &error);
  if (ok && row->checks) {
    const NornCheckInput input = {.words = (const uint64_t *)(void *)context.code->data,
                                  .count = context.code->len / 8,
                                  .architecture = target.architecture,
                                  .stage = module->stage,
                                  .checks = row->checks,
                                  .info = &info,
                                  .selected = (selected ? selected : module)->functions[0],
                                  .packed = module->functions[0]};
    ok = norn_valhall_check(&input, &error);
  }
  char *complaint = ok ? NULL : g_strdup(error->message);
  g_clear_error(&error);
  g_byte_array_unref(context.code);
  norn_pass_context_clear(&context);
  norn_module_free(module);
  if (selected)
    norn_module_free(selected);
  return complaint;
}

static void
expect_complaint(const char *text, const char *complaint, const char *expected) {
  if (expected)
    ck_assert_msg(complaint && g_str_has_suffix(complaint, expected), "%s: '%s' and not '%s'", text,
                  complaint ? complaint : "accepted", expected);
  else
    ck_assert_msg(!complaint, "%s: %s", text, complaint);
}

START_TEST(programs) {
  const ProgramRow *row = &program_rows[_i];
  char *complaint = complaint_of(row);
  expect_complaint(row->text, complaint, row->complaint);
  g_free(complaint);
}
END_TEST

/* --- Allocation --- */

/* A program with registers; the message of the check. */
typedef struct AllocationRow {
  const char *text, *complaint;
  const char *before; /* the program without registers, if it is different */
} AllocationRow;

static const AllocationRow allocation_rows[] = {
    {COMPUTE(ADDRESS "  %x@r2 = IADD_IMM.i32 0x0, #0x5\n"
                     "  STORE.i32.slot0 @%x@r2, %p@r0:r1, offset:0\n"
                     "  end\n"),
     NULL, NULL},
    /* each word of a pair is overwritten */
    {COMPUTE(ADDRESS "  %x@r0 = IADD_IMM.i32 0x0, #0x5\n"
                     "  STORE.i32.slot0 @%x@r0, %p@r0:r1, offset:0\n"
                     "  end\n"),
     "r0 does not hold word 0 of value 1", NULL},
    {COMPUTE(ADDRESS "  %x@r1 = IADD_IMM.i32 0x0, #0x5\n"
                     "  STORE.i32.slot0 @%x@r1, %p@r0:r1, offset:0\n"
                     "  end\n"),
     "r1 does not hold word 1 of value 1", NULL},
    /* on one of two paths */
    {COMPUTE(CONDITION "  BRANCHZ divergent %c@r0, left, right\n"
                       "left:\n"
                       "  jump join\n"
                       "right:\n"
                       "  %x@r60 = IADD_IMM.i32 0x0, #0x5\n"
                       "  STORE.i32.slot0 @%x@r60, u0, offset:4\n"
                       "  jump join\n"
                       "join:\n"
                       "  STORE.i32.slot0 @%i@r60, u0, offset:0\n"
                       "  end\n"),
     "r60 does not hold word 0 of value 0", NULL},
    {COMPUTE(CONDITION "  BRANCHZ divergent %c@r0, left, right\n"
                       "left:\n"
                       "  %x@r60 = IADD_IMM.i32 0x0, #0x5\n"
                       "  STORE.i32.slot0 @%x@r60, u0, offset:4\n"
                       "  jump join\n"
                       "right:\n"
                       "  jump join\n"
                       "join:\n"
                       "  STORE.i32.slot0 @%i@r60, u0, offset:0\n"
                       "  end\n"),
     "r60 does not hold word 0 of value 0", NULL},
    /* another value is passed on */
    {COMPUTE(CONDITION "  jump join(%c@r0)\n"
                       "join(%a@r0: i32):\n"
                       "  STORE.i32.slot0 @%a@r0, u0, offset:0\n"
                       "  end\n"),
     "r0 does not hold word 0 of argument 0",
     COMPUTE(CONDITION "  jump join(%i@r60)\n"
                       "join(%a@r60: i32):\n"
                       "  STORE.i32.slot0 @%a@r60, u0, offset:0\n"
                       "  end\n")},
    /* registers that the machine requires, and those that a call clobbers */
    {FRAGMENT("  %m@r60 = preload.i32 60\n"
              "  %s@r61 = preload.i32 61\n"
              "  %c@r4:r7 = LD_VAR_BUF_IMM.f32.slot0.v4.src_f32.center.store %s@r61, index:0x0\n"
              "  %n@r60 = ATEST %m@r60, %s@r61, atest_datum.w0\n"
              "  BLEND.slot0.v4.f32 @%c@r4:r7, blend_descriptor_0.w0, %n@r60, %s@r61, target:0x0\n"
              "  end\n"),
     "operand 0 is not in r0", NULL},
    {FRAGMENT("  %m@r60 = preload.i32 60\n"
              "  %s@r61 = preload.i32 61\n"
              "  %c@r0:r3 = LD_VAR_BUF_IMM.f32.slot0.v4.src_f32.center.store %s@r61, index:0x0\n"
              "  %k@r5 = LOAD.i32.unsigned.slot0 u0, offset:0\n"
              "  %n@r60 = ATEST %m@r60, %s@r61, atest_datum.w0\n"
              "  BLEND.slot0.v4.f32 @%c@r0:r3, blend_descriptor_0.w0, %n@r60, %s@r61, target:0x0\n"
              "  STORE.i32.slot0 @%k@r5, u0, offset:0\n"
              "  end\n"),
     "r5 does not hold word 0 of value 3", NULL},
};

static char *
allocation_complaint(NornModule *after, const NornModule *before) {
  NornTarget target;
  GError *error = NULL;
  bind(after, &target);
  bool ok = norn_check_allocation(&target, after->functions[0], before->functions[0], &error);
  char *complaint = ok ? NULL : g_strdup(error->message);
  g_clear_error(&error);
  return complaint;
}

START_TEST(allocations) {
  const AllocationRow *row = &allocation_rows[_i];
  NornModule *after = parse_text(row->text);
  NornModule *before = parse_text(row->before ? row->before : row->text);
  char *complaint = allocation_complaint(after, before);
  expect_complaint(row->text, complaint, row->complaint);
  g_free(complaint);
  norn_module_free(after);
  norn_module_free(before);
}
END_TEST

/* Allocation may only add moves. */
START_TEST(added) {
  NornModule *after = parse_text(allocation_rows[0].text),
             *before = parse_text(allocation_rows[0].text);
  NornFunction *function = after->functions[0];
  uint32_t store = norn_inst(function, norn_block(function, 0)->last)->previous;
  NornBuilder builder = norn_builder_before(function, store);
  norn_build_clone(&builder, function, store);
  char *complaint = allocation_complaint(after, before);
  expect_complaint("a second store", complaint, "an instruction other than a move was added");
  g_free(complaint);
  norn_module_free(after);
  norn_module_free(before);
}
END_TEST

/* --- Symbols --- */

/* What a table says of one symbol holds for each set that has it. */
START_TEST(looked_up_symbols) {
  NornSymbols symbols;
  norn_symbols_init(&symbols);
  uint32_t a = norn_symbol_fresh(&symbols), b = norn_symbol_fresh(&symbols),
           c = norn_symbol_fresh(&symbols), number;
  GHashTable *numbers = g_hash_table_new(NULL, NULL);
  g_hash_table_insert(numbers, GUINT_TO_POINTER(b), GUINT_TO_POINTER(7));
  uint32_t with = norn_symbol_set_add(&symbols, norn_symbol_set_add(&symbols, a, b), c);
  uint32_t without = norn_symbol_set_add(&symbols, a, c);
  ck_assert(norn_symbol_set_look_up(&symbols, b, numbers, &number) && number == 7);
  ck_assert(norn_symbol_set_look_up(&symbols, with, numbers, &number) && number == 7);
  ck_assert(!norn_symbol_set_look_up(&symbols, without, numbers, &number));
  ck_assert(!norn_symbol_set_look_up(&symbols, NORN_NO_SYMBOLS, numbers, &number));
  g_hash_table_unref(numbers);
  norn_symbols_clear(&symbols);
}
END_TEST

/* Two places are exchanged by three exclusive ors; one of them already holds the exclusive or of
 * the other's value and something else. */
START_TEST(exchanged_symbols) {
  NornSymbols symbols;
  norn_symbols_init(&symbols);
  uint32_t a = norn_symbol_fresh(&symbols), b = norn_symbol_fresh(&symbols),
           name = norn_symbol_fresh(&symbols);
  uint32_t both = norn_symbol_set_xor(&symbols, a, b);
  uint32_t first = norn_symbol_set_add(&symbols, both, name), second = b;
  first = norn_symbol_set_xor(&symbols, first, second);
  second = norn_symbol_set_xor(&symbols, second, first);
  first = norn_symbol_set_xor(&symbols, first, second);
  ck_assert(norn_symbol_set_has(&symbols, second, name));
  ck_assert(norn_symbol_set_has(&symbols, second, both));
  ck_assert(norn_symbol_set_has(&symbols, first, b));
  ck_assert(!norn_symbol_set_has(&symbols, first, name));
  norn_symbols_clear(&symbols);
}
END_TEST

/* A place holds the exclusive ors of two exchanges with the same other place, as in the second
 * iteration of a loop: it then holds both values that it was exchanged for. */
START_TEST(exchanged_twice) {
  NornSymbols symbols;
  norn_symbols_init(&symbols);
  uint32_t a = norn_symbol_fresh(&symbols), b = norn_symbol_fresh(&symbols),
           other = norn_symbol_fresh(&symbols);
  uint32_t first = norn_symbol_set_xor(&symbols, a, other),
           second = norn_symbol_set_xor(&symbols, b, other);
  uint32_t both = norn_symbol_set_add(&symbols, first, second);
  uint32_t back[] = {norn_symbol_set_xor(&symbols, both, other),
                     norn_symbol_set_xor(&symbols, other, both)};
  for (unsigned k = 0; k < G_N_ELEMENTS(back); k++) {
    ck_assert(norn_symbol_set_has(&symbols, back[k], a));
    ck_assert(norn_symbol_set_has(&symbols, back[k], b));
    ck_assert(!norn_symbol_set_has(&symbols, back[k], other));
  }
  norn_symbols_clear(&symbols);
}
END_TEST

START_TEST(symbol_sets) {
  NornSymbols symbols;
  norn_symbols_init(&symbols);
  uint32_t a = norn_symbol_fresh(&symbols), b = norn_symbol_fresh(&symbols),
           c = norn_symbol_fresh(&symbols);
  uint32_t both = norn_symbol_set_xor(&symbols, a, b);
  ck_assert_uint_eq(norn_symbol_set_xor(&symbols, b, a), both);
  ck_assert(norn_symbol_set_has(&symbols, norn_symbol_set_xor(&symbols, both, a), b));
  ck_assert(norn_symbol_set_has(&symbols, norn_symbol_set_xor(&symbols, b, both), a));
  uint32_t named = norn_symbol_set_add(&symbols, both, c),
           older = norn_symbol_set_add(&symbols, c, both);
  ck_assert_uint_eq(named, older);
  ck_assert(norn_symbol_set_has(&symbols, norn_symbol_set_xor(&symbols, named, b), a));
  uint32_t other = norn_symbol_set_xor(&symbols, both, c);
  ck_assert(other != a && other != b && other != c && other != both);
  uint32_t ab = norn_symbol_set_add(&symbols, a, b), bc = norn_symbol_set_add(&symbols, c, b);
  ck_assert_uint_eq(norn_symbol_set_common(&symbols, ab, bc), b);
  ck_assert_uint_eq(norn_symbol_set_common(&symbols, ab, c), NORN_NO_SYMBOLS);
  ck_assert_uint_eq(norn_symbol_set_remove(&symbols, bc, b), c);
  const NornSymbolAssignment exchange[] = {{a, b}, {b, a}};
  ck_assert_uint_eq(norn_symbol_set_assign(&symbols, a, exchange, 2), b);
  ck_assert_uint_eq(norn_symbol_set_assign(&symbols, ab, exchange, 2), ab);
  ck_assert_uint_eq(norn_symbol_set_assign(&symbols, c, exchange, 2), c);
  const NornSymbolAssignment rotation[] = {{a, c}, {b, both}, {c, a}};
  ck_assert_uint_eq(norn_symbol_set_assign(&symbols, bc, rotation, 3), a);
  ck_assert_uint_eq(norn_symbol_set_assign(&symbols, both, rotation, 3),
                    norn_symbol_set_add(&symbols, b, both));
  norn_symbols_clear(&symbols);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("check_program");
  TCase *cases = tcase_create("programs");
  tcase_add_loop_test(cases, programs, 0, G_N_ELEMENTS(program_rows));
  tcase_add_loop_test(cases, allocations, 0, G_N_ELEMENTS(allocation_rows));
  tcase_add_test(cases, added);
  tcase_add_test(cases, symbol_sets);
  tcase_add_test(cases, looked_up_symbols);
  tcase_add_test(cases, exchanged_symbols);
  tcase_add_test(cases, exchanged_twice);
  suite_add_tcase(suite, cases);
  return suite;
}
