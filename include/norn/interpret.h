/* Running a module of the IR as it stands, at any stage of its way: the meaning that compiled code
 * is held against.
 *
 * Invocations run in subgroups of 16, workgroup after workgroup (x fastest), the invocations of a
 * workgroup in the order of their local index (x fastest). Lanes of a subgroup that take different
 * ways run one part after the other and meet again at the first block that all of them reach,
 * whatever the order of the blocks in the text; lanes that go round a loop wait for each other
 * before each round. The lanes that execute an instruction together are the active ones that
 * subgroup operations see.
 *
 * It traps (NORN_ERROR_TRAP, naming line, operation and invocation): an access outside all buffers
 * or badly aligned, a condition or an address that is undefined, reaching `unreachable`, and a
 * workgroup barrier that not all invocations of the workgroup reach together. */
#ifndef NORN_INTERPRET_H
#define NORN_INTERPRET_H

#include <norn/simulate.h>

NORN_BEGIN_DECLS

/* Runs the module's shader over the whole grid of `launch`. A workgroup size of 0 in `launch` means
 * the module's. The module is verified first. `report` (nullable) counts what ran. */
bool norn_interpret(const NornModule *module, const NornLaunch *launch, NornReport *report,
                    GError **error);

NORN_END_DECLS

#endif
