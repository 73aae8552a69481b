/* Executing decoded instructions. */
#ifndef NORN_SIM_VALHALL_ACTION_H
#define NORN_SIM_VALHALL_ACTION_H

#include "sim/valhall/instruction.h"

/* Determines how to execute an instruction whose encoding, word and operands are set. Fails with
 * NORN_ERROR_UNSUPPORTED if what it does is not modeled. */
bool norn_valhall_decode_action(const NornIsa *isa, NornValhallSimInstruction *instruction,
                                GError **error);

#endif
