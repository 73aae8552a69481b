/* What passes cost: --time-passes and --trace-passes. */
#ifndef NORN_TOOLS_COMMON_TIMER_H
#define NORN_TOOLS_COMMON_TIMER_H

#include "tool.h"

/* Measures the passes of one thread: instructions that the processor retired where the kernel
 * counts them, else time; and how much memory they held. */
typedef struct ToolTimer ToolTimer;

/* The two options, into a gboolean and a char pointer. */
#define TOOL_TIMER_ENTRIES(times, trace)                                                           \
  {"time-passes",                                                                                  \
   0,                                                                                              \
   0,                                                                                              \
   G_OPTION_ARG_NONE,                                                                              \
   &(times),                                                                                       \
   "Print the cost of each pass to standard error",                                                \
   NULL},                                                                                          \
  {                                                                                                \
    "trace-passes", 0, 0, G_OPTION_ARG_FILENAME, &(trace),                                         \
        "Write when each pass ran, as a trace for Perfetto", "FILE"                                \
  }

/* NULL if nothing is to be measured. Enters itself into `options` (nullable). */
ToolTimer *tool_timer_new(gboolean prints, const char *trace, NornCompileOptions *options);

/* A timer of its own for a compilation, on the calling thread, entered into its options, whose
 * figures tool_timer_join adds to `parent`, from any thread. NULL where `parent` is. */
ToolTimer *tool_timer_fork(ToolTimer *parent, NornCompileOptions *options);
void tool_timer_join(ToolTimer *parent, ToolTimer *timer, const char *what);

/* Prints and writes what was asked for, and frees the timer (NULL is allowed). `what` (nullable)
 * was compiled. With `error` NULL files are not written. */
gboolean tool_timer_finish(ToolTimer *timer, const char *what, GError **error);

#endif
