/* Shrinking a module while something is true of it: delta debugging by structure.
 *
 * What shall stay true is a test that the caller brings: that compiled code and interpreter differ,
 * that a pass fails ... The result is the smallest module that was found, which need not be the
 * smallest there is. The same module and a test that always answers the same give the same result.
 */
#ifndef NORN_REDUCE_H
#define NORN_REDUCE_H

#include <norn/module.h>

NORN_BEGIN_DECLS

/* What is to become of a candidate. */
typedef enum {
  NORN_REDUCE_REJECT, /* the candidate does not show it */
  NORN_REDUCE_ACCEPT, /* it does: go on from here */
  NORN_REDUCE_STOP,   /* enough: the candidate is rejected and no other tried */
} NornReduceAnswer;

/* Judges a candidate, a module that norn_module_verify accepts, given as norn_module_print writes
 * it. */
typedef NornReduceAnswer (*NornReduceTest)(const char *text, gpointer user_data);

/* How far it is. */
typedef struct NornReduceReport {
  const char *edit;      /* what was tried last, in a few words; a constant string */
  uint64_t tried;        /* candidates judged */
  uint64_t accepted;     /* of them */
  unsigned instructions; /* of the smallest module so far, terminators included */
  unsigned blocks, functions;
} NornReduceReport;

/* Called after each candidate. */
typedef void (*NornReduceProgress)(const NornReduceReport *report, gpointer user_data);

/* What to keep, and for how long to go on. */
typedef struct NornReduceOptions {
  NornReduceTest test;
  gpointer test_data;
  uint64_t try_limit;          /* the most candidates; 0: no limit */
  NornReduceProgress progress; /* nullable */
  gpointer progress_data;
} NornReduceOptions;

/* Shrinks a copy of the module, which must be one that norn_module_verify accepts: functions,
 * blocks, edges, instructions, operands, parameters, types, flags and constants go or become
 * simpler as long as the test accepts; names go last. Returns the result, to be freed with
 * norn_module_free, or NULL with `error` set if the module is refused by the verifier or by the
 * test (NORN_ERROR_INVALID). `report` is nullable. */
NornModule *norn_reduce(const NornModule *module, const NornReduceOptions *options,
                        NornReduceReport *report, GError **error);

NORN_END_DECLS

#endif
