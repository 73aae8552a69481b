/* Machines made from the tables of an ISA. */
#ifndef NORN_ISA_MACHINE_H
#define NORN_ISA_MACHINE_H

#include "ir/machine.h"
#include "isa/isa.h"

/* Initializes *machine from an ISA that the library does not know by name. */
void norn_isa_machine_init(NornMachine *machine, const NornIsa *isa, unsigned architecture,
                           const NornRegisterFile *registers);

#endif
