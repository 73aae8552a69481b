/* The kinds of traps of the machine simulator.
 *
 * TRAP(ID, NAME, MEANING): messages end with the name in brackets. doc/valhall-simulator.md
 * lists the rows for users; tests/unit/test_sim_traps.c has a program that triggers each and one
 * that narrowly avoids it. */
#ifndef NORN_SIM_VALHALL_TRAP_H
#define NORN_SIM_VALHALL_TRAP_H

#define NORN_VALHALL_TRAPS(TRAP)                                                                   \
  /* the instruction itself */                                                                     \
  TRAP(ILLEGAL_INSTRUCTION, "illegal-instruction", "the word is not a legal instruction")          \
  TRAP(NOT_MODELED, "not-modeled", "the simulator does not model the instruction")                 \
  TRAP(WRONG_STAGE, "wrong-stage",                                                                 \
       "the instruction, or a special value that it reads, is not allowed in this stage")          \
  /* limits of the driver */                                                                       \
  TRAP(NOT_PRELOADED, "not-preloaded",                                                             \
       "a register is read that the preload mask does not include")                                \
  TRAP(REGISTER_LIMIT, "register-limit",                                                           \
       "a register that is not available with this number of threads")                             \
  TRAP(UNIFORM_LIMIT, "uniform-limit", "a uniform word beyond the available ones")                 \
  /* registers */                                                                                  \
  TRAP(UNDEFINED_REGISTER, "undefined-register", "an undefined register is read")                  \
  TRAP(UNDEFINED_BITS, "undefined-bits", "undefined bits have an effect")                          \
  TRAP(LAST_USED, "last-used",                                                                     \
       "a register is read after its last use, or again by the same instruction")                  \
  TRAP(REGISTER_IN_FLIGHT, "register-in-flight",                                                   \
       "a message that writes the register is in flight")                                          \
  TRAP(STAGED_LAST_USE, "staged-last-use",                                                         \
       "a last use while a message that reads the register is in flight")                          \
  /* memory */                                                                                     \
  TRAP(MISALIGNED, "misaligned", "an address is not a multiple of the alignment")                  \
  TRAP(OUT_OF_BOUNDS, "out-of-bounds", "an access outside all buffers")                            \
  TRAP(BUFFER_END, "buffer-end", "a load by handle across the end of the buffer")                  \
  TRAP(MEMORY_IN_FLIGHT, "memory-in-flight", "a message that touches the same bytes is in flight") \
  TRAP(RACE, "race", "two invocations touch the same bytes, and no barrier orders them")           \
  TRAP(SCRATCH_HINT, "scratch-hint", "an access to thread-local memory without the hint `force`")  \
  TRAP(SCRATCH_PIECE, "scratch-piece", "a thread-local access across a 16-byte boundary")          \
  TRAP(SCRATCH_UNINITIALIZED, "scratch-uninitialized",                                             \
       "thread-local memory is read before it is written")                                         \
  TRAP(CONVERSION, "conversion",                                                                   \
       "a conversion word that does not belong to the address of a texel")                         \
  /* control flow */                                                                               \
  TRAP(DIVERGENCE, "divergence", "lanes diverge without the flow `reconverge`")                    \
  TRAP(RECONVERGENCE, "reconvergence",                                                             \
       "lanes reconverge with others without the flow `reconverge`")                               \
  TRAP(PROGRAM_END, "program-end", "the program runs past its end")                                \
  TRAP(BRANCH_TARGET, "branch-target", "a branch out of the program or into an instruction")       \
  TRAP(BARRIER_FLOW, "barrier-flow", "a barrier without the flow `wait`")                          \
  TRAP(BARRIER_DIVERGED, "barrier-diverged", "only some lanes execute a barrier")                  \
  TRAP(BARRIER_IN_FLIGHT, "barrier-in-flight", "a barrier with a message in flight")               \
  TRAP(BARRIER_ENDED, "barrier-ended", "a barrier after a warp of the workgroup has ended")        \
  /* fragments */                                                                                  \
  TRAP(INTERPOLATION, "interpolation",                                                             \
       "an interpolation position is retrieved that is not available")                             \
  TRAP(INTERPOLATION_IN_FLIGHT, "interpolation-in-flight",                                         \
       "the interpolation position changes with a varying load in flight")                         \
  TRAP(TILE_IN_FLIGHT, "tile-in-flight", "a message to the tile with another one in flight")       \
  TRAP(TILE_WAIT, "tile-wait", "a message to the tile without the wait for its order")             \
  TRAP(TILE_TARGET, "tile-target", "a pixel word names a target or sample that does not exist")    \
  TRAP(BLEND_REGISTER, "blend-register", "a blend shader touches a register of its caller")        \
  TRAP(COVERAGE_REGISTER, "coverage-register", "coverage is not in r60")                           \
  TRAP(NO_ATEST, "no-atest", "depth or color without an ATEST before it")

typedef enum {
#define TRAP(id, name, meaning) NORN_VALHALL_TRAP_##id,
  NORN_VALHALL_TRAPS(TRAP)
#undef TRAP
      NORN_VALHALL_TRAP_COUNT
} NornValhallTrap;

#endif
