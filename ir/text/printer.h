/* Prints parts of a function as norn_module_print shows them. */
#ifndef NORN_IR_TEXT_PRINTER_H
#define NORN_IR_TEXT_PRINTER_H

#include "ir/ir.h"

/* For one module, which must not change meanwhile. */
typedef struct NornPrinter NornPrinter;

NornPrinter *norn_printer_new(const NornModule *module);
void norn_printer_free(NornPrinter *p);

/* The text of an instruction, the name of a block and the name of a value after its "%" (NULL if
 * nothing defines it); good until the next call. */
const char *norn_printer_inst(NornPrinter *p, const NornFunction *function, uint32_t inst);
const char *norn_printer_block(NornPrinter *p, const NornFunction *function, uint32_t block);
const char *norn_printer_value(NornPrinter *p, const NornFunction *function, uint32_t value);

#endif
