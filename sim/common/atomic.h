/* Atomic accesses to memory. */
#ifndef NORN_SIM_COMMON_ATOMIC_H
#define NORN_SIM_COMMON_ATOMIC_H

#include <norn/ir.h>
#include <stdint.h>

/* The value that an atomic access of `width` bits stores to memory that held `old`. */
uint64_t norn_atomic_combine(NornAtomic atomic, uint64_t old, uint64_t operand, unsigned width);

#endif
