/* The figures of a program, a row each. */
#include "stats/stats.h"

#include <string.h>

#define COUNT(name, field)                                                                         \
  static double get_##name(const StatsProgram *program) {                                          \
    return (double)program->field;                                                                 \
  }
COUNT(instructions, statistics.instructions)
COUNT(cycles, statistics.cycles[NORN_PATH_TOTAL])
COUNT(shortest, statistics.cycles[NORN_PATH_SHORTEST])
COUNT(longest, statistics.cycles[NORN_PATH_LONGEST])
COUNT(threads, statistics.threads)
COUNT(registers, statistics.work_registers)
COUNT(uniforms, statistics.uniform_words)
COUNT(spills, info.spills)
COUNT(fills, info.fills)
COUNT(moves, statistics.moves)
COUNT(constant_moves, statistics.constant_moves)
COUNT(nops, statistics.nops)
COUNT(branches, statistics.branches)
COUNT(waits, statistics.waits)
COUNT(messages, statistics.messages)
COUNT(loops, statistics.loops)
COUNT(bytes, statistics.bytes)

const StatsColumn stats_columns[] = {
    {"instructions", "inst", FALSE, TRUE, get_instructions},
    {"cycles", "cycles", FALSE, TRUE, get_cycles},
    {"shortest_cycles", "short", FALSE, FALSE, get_shortest},
    {"longest_cycles", "long", FALSE, FALSE, get_longest},
    {"threads", "threads", TRUE, TRUE, get_threads},
    {"work_registers", "regs", FALSE, FALSE, get_registers},
    {"uniform_words", "unif", FALSE, FALSE, get_uniforms},
    {"spills", "spills", FALSE, TRUE, get_spills},
    {"fills", "fills", FALSE, TRUE, get_fills},
    {"moves", "mov", FALSE, TRUE, get_moves},
    {"constant_moves", "imm", FALSE, TRUE, get_constant_moves},
    {"nops", "nop", FALSE, TRUE, get_nops},
    {"branches", "branch", FALSE, TRUE, get_branches},
    {"waits", "waits", FALSE, TRUE, get_waits},
    {"messages", "msg", FALSE, TRUE, get_messages},
    {"loops", "loops", FALSE, FALSE, get_loops},
    {"bytes", "bytes", FALSE, FALSE, get_bytes},
    {NULL},
};
