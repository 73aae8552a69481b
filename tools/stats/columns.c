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
    {"instructions", "inst", STATS_JUDGED, get_instructions},
    {"cycles", "cycles", STATS_JUDGED, get_cycles},
    {"shortest_cycles", "short", STATS_COMPARED, get_shortest},
    {"longest_cycles", "long", STATS_JUDGED, get_longest},
    {"threads", "threads", STATS_JUDGED, get_threads, .is_more_better = TRUE},
    {"work_registers", "regs", STATS_SHOWN, get_registers},
    {"uniform_words", "unif", STATS_SHOWN, get_uniforms},
    {"spills", "spills", STATS_JUDGED, get_spills},
    {"fills", "fills", STATS_JUDGED, get_fills},
    {"moves", "mov", STATS_COMPARED, get_moves},
    {"constant_moves", "imm", STATS_COMPARED, get_constant_moves},
    {"nops", "nop", STATS_COMPARED, get_nops},
    {"branches", "branch", STATS_COMPARED, get_branches},
    {"waits", "waits", STATS_JUDGED, get_waits},
    {"messages", "msg", STATS_COMPARED, get_messages},
    {"loops", "loops", STATS_SHOWN, get_loops},
    {"bytes", "bytes", STATS_SHOWN, get_bytes},
    {"data_bytes", NULL, STATS_SHOWN, get_data_bytes},
    {"arithmetic", NULL, STATS_SHOWN, get_arithmetic},
    {"critical_path", NULL, STATS_SHOWN, get_critical_path},
    {"unit_path", NULL, STATS_SHOWN, get_unit_path},
    {"alone_cycles", NULL, STATS_JUDGED, get_alone},
    {"warp_cycles", NULL, STATS_JUDGED, get_warp_cycles},
    {"most_live", NULL, STATS_SHOWN, get_most_live},
    {"least_messages", NULL, STATS_SHOWN, get_least_messages},
    {"executed", NULL, STATS_JUDGED, get_executed},
    {"estimated_cycles", NULL, STATS_JUDGED, get_estimated},
    {"narrow", NULL, STATS_SHOWN, get_narrow},
    {NULL},
};

const StatsColumn *
stats_find_column(const char *name) {
  const StatsColumn *column = stats_columns;
  while (strcmp(column->name, name) != 0)
    column++;
  return column;
}
