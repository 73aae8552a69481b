/* The edits of the reducer.
 *
 * An edit walks a module and meets its sites, the places where it could make something smaller, in
 * an order that depends on the module alone. It changes those whose numbers are in the range of the
 * cursor and leaves the others as they are, so one function serves for counting sites (an empty
 * range) and for changing any run of them. What comes out need not be right: the reducer verifies
 * it and drops what is not. */
#ifndef NORN_IR_REDUCE_EDIT_H
#define NORN_IR_REDUCE_EDIT_H

#include "ir/ir.h"
#include "ir/replacements.h"

typedef struct NornEditCursor {
  NornModule *module;
  uint32_t first, end; /* the sites to change */
  uint32_t site;       /* how many were met */
  unsigned variant;    /* which of several ways, from the row of the edit */
  uint32_t callee;     /* the function whose calls go, for norn_edit_calls */
} NornEditCursor;

/* The edit meets a site: whether to change it. */
static inline bool
norn_edit_takes(NornEditCursor *cursor) {
  uint32_t site = cursor->site++;
  return site >= cursor->first && site < cursor->end;
}

/* Walks all instructions of the module, each function with a map of its own that is applied at its
 * end; edit_insts.c. */
typedef void (*NornEditVisit)(NornEditCursor *cursor, NornFunction *function, uint32_t inst,
                              NornReplacements *replacements);
void norn_edit_visit(NornEditCursor *cursor, NornEditVisit visit);

typedef void (*NornEditFunction)(NornEditCursor *cursor);

/* Blocks and functions; edit_blocks.c. */
void norn_edit_calls(NornEditCursor *cursor);
void norn_edit_unused_functions(NornEditCursor *cursor);
void norn_edit_ends(NornEditCursor *cursor);
void norn_edit_edges(NornEditCursor *cursor);
void norn_edit_cases(NornEditCursor *cursor);
void norn_edit_unreachable(NornEditCursor *cursor);
void norn_edit_connect(NornEditCursor *cursor);
void norn_edit_empty_blocks(NornEditCursor *cursor);
void norn_edit_merges(NornEditCursor *cursor);
void norn_edit_parameters(NornEditCursor *cursor);

/* Instructions and their operands; edit_insts.c. */
void norn_edit_erase(NornEditCursor *cursor);
void norn_edit_forward(NornEditCursor *cursor);
void norn_edit_operands(NornEditCursor *cursor);
void norn_edit_older_operands(NornEditCursor *cursor);
void norn_edit_constants(NornEditCursor *cursor);
void norn_edit_flags(NornEditCursor *cursor);
void norn_edit_immediates(NornEditCursor *cursor);
void norn_edit_modifiers(NornEditCursor *cursor);

/* Types; edit_types.c. */
void norn_edit_types(NornEditCursor *cursor);

/* The head of the module, and names; edit_module.c. */
void norn_edit_workgroup(NornEditCursor *cursor);
void norn_edit_grid(NornEditCursor *cursor);
void norn_edit_memory(NornEditCursor *cursor);
void norn_edit_data(NornEditCursor *cursor);
void norn_edit_float_mode(NornEditCursor *cursor);
void norn_edit_early_tests(NornEditCursor *cursor);
void norn_edit_by_sample(NornEditCursor *cursor);
void norn_edit_faus(NornEditCursor *cursor);
void norn_edit_names(NornEditCursor *cursor);

/* A value of the type whose bits are zeros, made in front of an instruction or, for
 * NORN_INDEX_NONE, at the start of the block if it takes one to make it; 0 if there is none. */
NornRef norn_edit_zero(NornFunction *function, uint32_t block, uint32_t before, NornType type);

#endif
