/* Compares the description of an ISA with other sources.
 *
 * Five kinds of file are known: the reference of GCN's VOP3 instructions in Markdown and that of
 * the VP1 vector unit in reStructuredText; the Valhall description in XML of 2021 and its newer
 * form (root element `valhall`; the older one has the enum "Action"); and the table of
 * instruction fields of Valhall's architectures 9 to 14 (tab separated; a file
 * mali-isa-enums.tsv in the same folder gives the values of the enums and is also read). */
#ifndef NORN_TESTS_ORACLE_COMPARE_H
#define NORN_TESTS_ORACLE_COMPARE_H

#include <norn/isa.h>

typedef struct {
  unsigned compared;    /* facts in the source that were compared */
  unsigned documented;  /* differences for which the description gives a reason */
  unsigned differences; /* all others */
  unsigned added;       /* facts that only the description has */
} NornIsaComparison;

/* Compares `isa` with the file and appends to *report a line for each item that is missing,
 * different or added, then a line of totals. Returns false with *error set if the file cannot be
 * read, is not of a known kind, or is malformed; a difference is not an error. */
bool norn_isa_compare(const NornIsa *isa, const char *filename, GString *report,
                      NornIsaComparison *result, GError **error);

#endif
