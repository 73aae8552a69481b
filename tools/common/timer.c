/* --time-passes and --trace-passes.
 *
 * A timer is read once when a pass begins and once when it ends. The cost of a reading, which is
 * measured when the timer is created, is subtracted. */
#include "common/timer.h"
#include "common/json.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

/* One run of a pass. */
typedef struct PassRun {
  const char *pass;
  char *what; /* what was compiled */
  guint thread;
  gint64 began, ended; /* microseconds */
  guint64 cost;        /* instructions, or nanoseconds */
  guint64 memory;      /* bytes after it */
} PassRun;

struct ToolTimer {
  gboolean prints;
  char *trace;
  int counter; /* file descriptor; -1: time is measured */
  guint64 start, overhead;
  GArray *runs; /* PassRun */
  GMutex lock;  /* guards timers that join */
  GHashTable *threads;
};

static void
clear_run(gpointer data) {
  g_free(((PassRun *)data)->what);
}

/* A file descriptor of a counter of instructions of this thread in user mode, or -1. */
static int
open_counter(void) {
#ifdef __linux__
  struct perf_event_attr attributes = {.type = PERF_TYPE_HARDWARE,
                                       .size = sizeof attributes,
                                       .config = PERF_COUNT_HW_INSTRUCTIONS,
                                       .exclude_kernel = 1,
                                       .exclude_hv = 1};
  int counter = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
  guint64 value;
  if (counter >= 0 && read(counter, &value, sizeof value) == sizeof value)
    return counter;
  if (counter >= 0)
    close(counter);
#endif
  return -1;
}

static guint64
read_cost(const ToolTimer *timer) {
#ifdef __linux__
  guint64 value = 0;
  if (timer->counter >= 0)
    return read(timer->counter, &value, sizeof value) == sizeof value ? value : 0;
#else
  (void)timer;
#endif
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (guint64)now.tv_sec * 1000000000 + (guint64)now.tv_nsec;
}

static void
measure(const char *pass, bool ends, uint64_t memory, gpointer user_data) {
  ToolTimer *timer = user_data;
  if (!ends) {
    PassRun run = {.pass = pass, .began = g_get_monotonic_time()};
    g_array_append_val(timer->runs, run);
    timer->start = read_cost(timer);
    return;
  }
  guint64 cost = read_cost(timer) - timer->start;
  PassRun *run = &g_array_index(timer->runs, PassRun, timer->runs->len - 1);
  run->ended = g_get_monotonic_time();
  run->cost = cost > timer->overhead ? cost - timer->overhead : 0;
  run->memory = memory;
}

static ToolTimer *
make(NornCompileOptions *options) {
  ToolTimer *timer = g_new0(ToolTimer, 1);
  timer->runs = g_array_new(FALSE, TRUE, sizeof(PassRun));
  g_array_set_clear_func(timer->runs, clear_run);
  g_mutex_init(&timer->lock);
  timer->counter = open_counter();
  timer->overhead = G_MAXUINT64;
  for (guint i = 0; i < 16; i++) {
    guint64 before = read_cost(timer);
    timer->overhead = MIN(timer->overhead, read_cost(timer) - before);
  }
  if (options) {
    options->pass_hook = measure;
    options->pass_data = timer;
  }
  return timer;
}

static void
free_timer(ToolTimer *timer) {
#ifdef __linux__
  if (timer->counter >= 0)
    close(timer->counter);
#endif
  g_array_unref(timer->runs);
  g_mutex_clear(&timer->lock);
  g_clear_pointer(&timer->threads, g_hash_table_unref);
  g_free(timer->trace);
  g_free(timer);
}

ToolTimer *
tool_timer_new(gboolean prints, const char *trace, NornCompileOptions *options) {
  if (!prints && !trace)
    return NULL;
  ToolTimer *timer = make(options);
  timer->prints = prints;
  timer->trace = g_strdup(trace);
  timer->threads = g_hash_table_new(NULL, NULL);
  return timer;
}

ToolTimer *
tool_timer_fork(ToolTimer *parent, NornCompileOptions *options) {
  return parent ? make(options) : NULL;
}

void
tool_timer_join(ToolTimer *parent, ToolTimer *timer, const char *what) {
  if (!timer)
    return;
  g_mutex_lock(&parent->lock);
  gpointer thread = g_hash_table_lookup(parent->threads, g_thread_self());
  if (!thread) {
    thread = GUINT_TO_POINTER(g_hash_table_size(parent->threads) + 1);
    g_hash_table_insert(parent->threads, g_thread_self(), thread);
  }
  for (guint i = 0; i < timer->runs->len; i++) {
    PassRun run = g_array_index(timer->runs, PassRun, i);
    run.what = g_strdup(what);
    run.thread = GPOINTER_TO_UINT(thread);
    g_array_append_val(parent->runs, run);
  }
  g_mutex_unlock(&parent->lock);
  free_timer(timer);
}

/* --- Output --- */

typedef struct PassSum {
  const char *pass;
  guint runs;
  guint64 cost, memory;
} PassSum;

static int
compare_sums(gconstpointer a, gconstpointer b) {
  const PassSum *left = a, *right = b;
  return left->cost != right->cost ? (left->cost < right->cost) - (left->cost > right->cost)
                                   : strcmp(left->pass, right->pass);
}

static GArray *
add_up(const ToolTimer *timer) {
  GArray *sums = g_array_new(FALSE, TRUE, sizeof(PassSum));
  for (guint i = 0; i < timer->runs->len; i++) {
    const PassRun *run = &g_array_index(timer->runs, PassRun, i);
    guint k = 0;
    while (k < sums->len && strcmp(g_array_index(sums, PassSum, k).pass, run->pass))
      k++;
    if (k == sums->len)
      g_array_set_size(sums, k + 1);
    PassSum *sum = &g_array_index(sums, PassSum, k);
    sum->pass = run->pass;
    sum->runs++;
    sum->cost += run->cost;
    sum->memory = MAX(sum->memory, run->memory);
  }
  g_array_sort(sums, compare_sums);
  return sums;
}

static void
print_sums(const ToolTimer *timer) {
  g_autoptr(GArray) sums = add_up(timer);
  guint64 all = 0;
  for (guint i = 0; i < sums->len; i++)
    all += g_array_index(sums, PassSum, i).cost;
  fprintf(stderr, "%-22s %6s %14s %6s %12s\n", "pass", "runs",
          timer->counter >= 0 ? "instructions" : "nanoseconds", "share", "peak bytes");
  for (guint i = 0; i < sums->len; i++) {
    const PassSum *sum = &g_array_index(sums, PassSum, i);
    fprintf(stderr, "%-22s %6u %14" G_GUINT64_FORMAT " %5.1f%% %12" G_GUINT64_FORMAT "\n",
            sum->pass, sum->runs, sum->cost, all ? 100 * (double)sum->cost / (double)all : 0,
            sum->memory);
  }
}

/* Writes the JSON form of trace events: complete events, and counters of memory. */
static char *
format_trace(const ToolTimer *timer, const char *what) {
  g_autoptr(JsonBuilder) json = json_builder_new();
  json_builder_begin_object(json);
  tool_json_array(json, "traceEvents");
  for (guint i = 0; i < timer->runs->len; i++) {
    const PassRun *run = &g_array_index(timer->runs, PassRun, i);
    json_builder_begin_object(json);
    tool_json_string(json, "name", run->pass);
    tool_json_string(json, "ph", "X");
    tool_json_number(json, "pid", 1);
    tool_json_number(json, "tid", run->thread);
    tool_json_number(json, "ts", run->began);
    tool_json_number(json, "dur", run->ended - run->began);
    tool_json_object(json, "args");
    if (run->what || what)
      tool_json_string(json, "file", run->what ? run->what : what);
    tool_json_number(json, timer->counter >= 0 ? "instructions" : "nanoseconds", (gint64)run->cost);
    tool_json_number(json, "memory", (gint64)run->memory);
    json_builder_end_object(json);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
  json_builder_end_object(json);
  return tool_json_text(json, FALSE);
}

gboolean
tool_timer_finish(ToolTimer *timer, const char *what, GError **error) {
  if (!timer)
    return TRUE;
  gboolean done = TRUE;
  if (timer->prints)
    print_sums(timer);
  if (timer->trace && error) {
    g_autofree char *text = format_trace(timer, what);
    done = tool_write(timer->trace, text, strlen(text), error);
  }
  free_timer(timer);
  return done;
}
