/* Shrinking a module while some property holds: structural delta debugging.
 *
 * The caller provides a test of the property: that compiled code and interpreter differ, that a
 * pass fails ... The result is the smallest module that was found, which need not be the smallest
 * possible. The same module and a deterministic test give the same result. */
#ifndef NORN_REDUCE_H
#define NORN_REDUCE_H

#include <norn/module.h>

NORN_BEGIN_DECLS

/* What to do with a candidate. */
typedef enum {
  NORN_REDUCE_REJECT, /* the property does not hold */
  NORN_REDUCE_ACCEPT, /* it holds: continue from this candidate */
  NORN_REDUCE_STOP,   /* stop: the candidate is rejected and no other is tried */
} NornReduceAnswer;

/* Judges a candidate, a module that norn_module_verify accepts, given as norn_module_print writes
 * it. */
typedef NornReduceAnswer (*NornReduceTest)(const char *text, gpointer user_data);

/* The progress of a reduction. */
typedef struct NornReduceReport {
  const char *edit;      /* the last edit tried, in a few words; a constant string */
  uint64_t tried;        /* candidates judged */
  uint64_t accepted;     /* of them */
  unsigned instructions; /* of the smallest module so far, terminators included */
  unsigned blocks, functions;
} NornReduceReport;

/* Called after each candidate. */
typedef void (*NornReduceProgress)(const NornReduceReport *report, gpointer user_data);

/* What to keep, and how long to continue. */
typedef struct NornReduceOptions {
  NornReduceTest test;
  gpointer test_data;
  uint64_t try_limit;          /* the most candidates; 0: no limit */
  NornReduceProgress progress; /* nullable */
  gpointer progress_data;
} NornReduceOptions;

/* Shrinks a copy of the module, which must be one that norn_module_verify accepts: functions,
 * blocks, edges, instructions, operands, parameters, types, flags and constants are removed or
 * simplified as long as the test accepts the result; names are removed last. Returns the result, to
 * be freed with norn_module_free, or NULL with `error` set if the verifier or the test refuses the
 * module (NORN_ERROR_INVALID). `report` is nullable. */
NornModule *norn_reduce(const NornModule *module, const NornReduceOptions *options,
                        NornReduceReport *report, GError **error);

NORN_END_DECLS

#endif
