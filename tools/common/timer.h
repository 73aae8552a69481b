/* The cost of passes: --time-passes and --trace-passes. */
#ifndef NORN_TOOLS_COMMON_TIMER_H
#define NORN_TOOLS_COMMON_TIMER_H

#include "tool.h"

/* Measures the passes of one thread: retired instructions if the kernel counts them, otherwise
 * time; and the memory that they used. */
typedef struct ToolTimer ToolTimer;

/* The two options, stored in a gboolean and a char pointer. */
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

/* NULL if nothing is to be measured. Registers itself in `options` (nullable). */
ToolTimer *tool_timer_new(gboolean prints, const char *trace, NornCompileOptions *options);

/* A separate timer for a compilation on the calling thread, registered in its options.
 * tool_timer_join adds its figures to `parent`, from any thread. NULL if `parent` is. */
ToolTimer *tool_timer_fork(ToolTimer *parent, NornCompileOptions *options);
void tool_timer_join(ToolTimer *parent, ToolTimer *timer, const char *what);

/* Prints and writes what was requested, and frees the timer (NULL is allowed). `what` (nullable)
 * was compiled. If `error` is NULL, no files are written. */
gboolean tool_timer_finish(ToolTimer *timer, const char *what, GError **error);

#endif
