/* The figures of a program, one row each. */
#include "stats/stats.h"

#include <math.h>
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
COUNT(arithmetic, statistics.arithmetic)
COUNT(narrow, statistics.narrow)
COUNT(loops, statistics.loops)
COUNT(bytes, statistics.bytes)
COUNT(critical_path, statistics.critical_path)
COUNT(unit_path, statistics.unit_path)
COUNT(alone, statistics.alone_cycles)
COUNT(warp_cycles, statistics.warp_cycles)
COUNT(most_live, statistics.most_live)
COUNT(least_messages, statistics.least_messages)

static double
get_data_bytes(const StatsProgram *program) {
  return program->compiled ? program->info.data_size : NAN;
}

static double
get_executed(const StatsProgram *program) {
  return program->executed ? (double)program->timing.issued : NAN;
}

static double
get_estimated(const StatsProgram *program) {
  return program->executed ? program->timing.cycles : NAN;
}

const StatsColumn stats_columns[] = {
    {"instructions", "inst", FALSE, TRUE, TRUE, get_instructions},
    {"cycles", "cycles", FALSE, TRUE, TRUE, get_cycles},
    {"shortest_cycles", "short", FALSE, TRUE, FALSE, get_shortest},
    {"longest_cycles", "long", FALSE, TRUE, TRUE, get_longest},
    {"threads", "threads", TRUE, TRUE, TRUE, get_threads},
    {"work_registers", "regs", FALSE, FALSE, FALSE, get_registers},
    {"uniform_words", "unif", FALSE, FALSE, FALSE, get_uniforms},
    {"spills", "spills", FALSE, TRUE, TRUE, get_spills},
    {"fills", "fills", FALSE, TRUE, TRUE, get_fills},
    {"moves", "mov", FALSE, TRUE, FALSE, get_moves},
    {"constant_moves", "imm", FALSE, TRUE, FALSE, get_constant_moves},
    {"nops", "nop", FALSE, TRUE, FALSE, get_nops},
    {"branches", "branch", FALSE, TRUE, FALSE, get_branches},
    {"waits", "waits", FALSE, TRUE, TRUE, get_waits},
    {"messages", "msg", FALSE, TRUE, FALSE, get_messages},
    {"loops", "loops", FALSE, FALSE, FALSE, get_loops},
    {"bytes", "bytes", FALSE, FALSE, FALSE, get_bytes},
    {"data_bytes", NULL, FALSE, FALSE, FALSE, get_data_bytes},
    {"arithmetic", NULL, FALSE, FALSE, FALSE, get_arithmetic},
    {"critical_path", NULL, FALSE, FALSE, FALSE, get_critical_path},
    {"unit_path", NULL, FALSE, FALSE, FALSE, get_unit_path},
    {"alone_cycles", NULL, FALSE, TRUE, TRUE, get_alone},
    {"warp_cycles", NULL, FALSE, TRUE, TRUE, get_warp_cycles},
    {"most_live", NULL, FALSE, FALSE, FALSE, get_most_live},
    {"least_messages", NULL, FALSE, FALSE, FALSE, get_least_messages},
    {"executed", NULL, FALSE, TRUE, TRUE, get_executed},
    {"estimated_cycles", NULL, FALSE, TRUE, TRUE, get_estimated},
    {"narrow", NULL, FALSE, FALSE, FALSE, get_narrow},
    {NULL},
};

const StatsColumn *
stats_find_column(const char *name) {
  const StatsColumn *column = stats_columns;
  while (strcmp(column->name, name) != 0)
    column++;
  return column;
}
