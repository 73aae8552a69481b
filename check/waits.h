/* Proving the waits sufficient; see check/waits.c. */
#ifndef NORN_CHECK_WAITS_H
#define NORN_CHECK_WAITS_H

#include "passes/target.h"

/* Whether on every path each register that a message writes is waited for before anything reads or
 * writes it, and whatever a message wants waited for before it is. False with `error` set
 * (NORN_ERROR_INVALID) if not. */
bool norn_check_waits(const NornTarget *target, const NornFunction *function, GError **error);

#endif
