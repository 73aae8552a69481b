/* The checkers of Valhall code; checkers.def says what each of them proves. All of them receive
 * the decoded code, and set an error that says what is wrong and where. */
#ifndef NORN_CHECK_VALHALL_H
#define NORN_CHECK_VALHALL_H

#include "check/valhall/code.h"

bool norn_check_waits_of_code(const NornCode *code, GError **error);
bool norn_check_last_uses(const NornCode *code, GError **error);
bool norn_check_helpers(const NornCode *code, GError **error);
bool norn_check_reconvergence(const NornCode *code, GError **error);
/* Part of the check of reconvergence: branches that are not marked as divergent. */
bool norn_check_divergence(const NornCode *code, GError **error);
bool norn_check_reported(const NornCode *code, GError **error);
bool norn_check_translation(const NornCode *code, GError **error);

#endif
