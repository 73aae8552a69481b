/* Proving that waits are sufficient; see check/waits.c. */
#ifndef NORN_CHECK_WAITS_H
#define NORN_CHECK_WAITS_H

#include "passes/target.h"

/* Whether, on every path, each register that a message writes is waited for before anything
 * reads or writes it, and the waits that a message requires precede it. False with `error` set
 * (NORN_ERROR_INVALID) if not. */
bool norn_check_waits(const NornTarget *target, const NornFunction *function, GError **error);

#endif
