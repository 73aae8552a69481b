/* Locations of instructions, for messages: a location in the source text, or the function, the
 * block and the instruction as printed by norn_module_print. */
#ifndef NORN_IR_TEXT_LOCATIONS_H
#define NORN_IR_TEXT_LOCATIONS_H

#include "ir/ir.h"
#include <norn/error.h>

/* The line of the instruction; if inst is NORN_INDEX_NONE, of the block; if block is
 * NORN_INDEX_NONE too, of the function. 0 if there is no source text. */
static inline uint32_t
norn_line(const NornFunction *function, uint32_t block, uint32_t inst) {
  if (inst != NORN_INDEX_NONE)
    return norn_inst(function, inst)->line;
  return block != NORN_INDEX_NONE ? norn_block(function, block)->line : function->line;
}

/* Computes locations in one module, which must not change in the meantime; can be used for many
 * locations. */
typedef struct NornLocations NornLocations;

NornLocations *norn_locations_new(const NornModule *module);
void norn_locations_free(NornLocations *locations);

/* "FILE:LINE:COLUMN", or "@main, block b0, "%0 = iadd.i32 1, 2"" without the parts that are
 * NORN_INDEX_NONE; valid until the next call. */
const char *norn_location(NornLocations *locations, const NornFunction *function, uint32_t block,
                          uint32_t inst);

/* "%name", as it is printed; valid until the next call. NULL if the value has no definition. */
const char *norn_location_of_value(NornLocations *locations, const NornFunction *function,
                                   uint32_t value);

/* The text of an instruction; valid until the next call. */
const char *norn_location_text(NornLocations *locations, const NornFunction *function,
                               uint32_t inst);

/* The location of one instruction of the function, including the module's file name; free it with
 * g_free. */
char *norn_inst_location(const NornFunction *function, const NornInst *inst);

/* Sets the error to the location of an instruction of the function followed by the message; returns
 * false. */
bool norn_inst_error(const NornFunction *function, const NornInst *inst, NornErrorCode code,
                     GError **error, const char *format, ...) G_GNUC_PRINTF(5, 6);

#endif
