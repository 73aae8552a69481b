/* The clock of the benchmarks: what the thread has computed, so that others on the machine do not
 * count. */
#ifndef NORN_BENCH_CLOCK_H
#define NORN_BENCH_CLOCK_H

#include <time.h>

/* In seconds. */
static inline double
bench_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

#endif
