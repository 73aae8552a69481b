/* The edits of the reducer.
 *
 * An edit walks a module and visits its sites, the places where it could make something smaller, in
 * an order that depends only on the module. It changes the sites whose numbers are in the range of
 * the cursor and leaves the others as they are, so the same function serves to count sites (with an
 * empty range) and to change any run of them. The result need not be valid: the reducer verifies it
 * and discards it if it is not. */
#ifndef NORN_IR_REDUCE_EDIT_H
#define NORN_IR_REDUCE_EDIT_H

#include "ir/ir.h"
#include "ir/replacements.h"

typedef struct NornEditCursor {
  NornModule *module;
  uint32_t first, end; /* the sites to change */
  uint32_t site;       /* how many sites were visited */
  unsigned variant;    /* which of several ways to change a site, from the row of the edit */
  uint32_t callee;     /* the function whose calls are removed, for norn_edit_calls */
} NornEditCursor;

/* Called at each site: whether to change it. */
static inline bool
norn_edit_takes(NornEditCursor *cursor) {
  uint32_t site = cursor->site++;
  return site >= cursor->first && site < cursor->end;
}

/* Visits all instructions of the module; each function has its own replacements, which are applied
 * at its end. In edit_insts.c. */
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

/* A value of the type with all bits zero. If it takes an instruction, that is inserted before
 * instruction `before` or, for NORN_INDEX_NONE, at the start of the block. 0 if there is no such
 * value. */
NornRef norn_edit_zero(NornFunction *function, uint32_t block, uint32_t before, NornType type);

#endif
