/* The clock of the benchmarks: processor time of the thread, so that other load on the machine
 * does not count. */
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
