/* Where instructions are, for messages: a location of the text they came from, or the function, the
 * block and the instruction as norn_module_print shows them. */
#ifndef NORN_IR_TEXT_LOCATIONS_H
#define NORN_IR_TEXT_LOCATIONS_H

#include "ir/ir.h"
#include <norn/error.h>

/* The line of an instruction, else (inst NORN_INDEX_NONE) of a block, else (block NORN_INDEX_NONE)
 * of the function; 0 if it came from no text. */
static inline uint32_t
norn_line(const NornFunction *function, uint32_t block, uint32_t inst) {
  if (inst != NORN_INDEX_NONE)
    return norn_inst(function, inst)->line;
  return block != NORN_INDEX_NONE ? norn_block(function, block)->line : function->line;
}

/* Tells locations of one module, which must not change meanwhile; made for many of them. */
typedef struct NornLocations NornLocations;

NornLocations *norn_locations_new(const NornModule *module);
void norn_locations_free(NornLocations *locations);

/* "FILE:LINE:COLUMN", or "@main, block b0, "%0 = iadd.i32 1, 2"" without the parts that are
 * NORN_INDEX_NONE; good until the next call. */
const char *norn_location(NornLocations *locations, const NornFunction *function, uint32_t block,
                          uint32_t inst);

/* "%name", as it is printed; good until the next call. NULL if nothing defines the value. */
const char *norn_location_of_value(NornLocations *locations, const NornFunction *function,
                                   uint32_t value);

/* The text of an instruction; good until the next call. */
const char *norn_location_text(NornLocations *locations, const NornFunction *function,
                               uint32_t inst);

/* The location of one instruction of the function, with the name of its module; g_free it. */
char *norn_inst_location(const NornFunction *function, const NornInst *inst);

/* Sets the error to the message after the location of an instruction of the function; false. */
bool norn_inst_error(const NornFunction *function, const NornInst *inst, NornErrorCode code,
                     GError **error, const char *format, ...) G_GNUC_PRINTF(5, 6);

#endif
