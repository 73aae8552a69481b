/* Executing decoded instructions. */
#ifndef NORN_SIM_VALHALL_ACTION_H
#define NORN_SIM_VALHALL_ACTION_H

#include "sim/valhall/instruction.h"

/* The stage whose programs alone have an instruction or special value with these flags;
 * NORN_STAGE_COUNT: all have it. */
NornShaderStage norn_valhall_stage_of(uint32_t flags);

/* Determines how to execute an instruction whose encoding, word and operands are set. Fails with
 * NORN_ERROR_UNSUPPORTED if what it does is not modeled. */
bool norn_valhall_decode_action(const NornIsa *isa, NornValhallSimInstruction *instruction,
                                GError **error);

#endif
