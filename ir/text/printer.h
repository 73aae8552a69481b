/* Prints parts of a function as norn_module_print does. */
#ifndef NORN_IR_TEXT_PRINTER_H
#define NORN_IR_TEXT_PRINTER_H

#include "ir/ir.h"

/* For one module, which must not change in the meantime. */
typedef struct NornPrinter NornPrinter;

NornPrinter *norn_printer_new(const NornModule *module);
void norn_printer_free(NornPrinter *p);

/* The text of an instruction, the name of a block, and "%" with the name of a value (NULL if it has
 * no definition); valid until the next call. */
const char *norn_printer_inst(NornPrinter *p, const NornFunction *function, uint32_t inst);
const char *norn_printer_block(NornPrinter *p, const NornFunction *function, uint32_t block);
const char *norn_printer_value(NornPrinter *p, const NornFunction *function, uint32_t value);

#endif
