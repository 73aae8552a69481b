/* Running a module of the IR after any of its passes. What it computes is the reference for
 * compiled code.
 *
 * Invocations run in subgroups of NORN_SUBGROUP_LANES. Workgroups run one after the other, x
 * fastest; the invocations of a workgroup are in the order of their local index, x fastest. Lanes
 * of a subgroup that diverge run one path after the other. They reconverge at the first block that
 * all of them reach, whatever the order of the blocks in the text. Lanes that iterate in a loop
 * wait for each other before each iteration (doc/ir.md). Subgroup operations see the lanes that
 * execute the instruction together.
 *
 * These are traps (NORN_ERROR_TRAP; the message names line, operation and invocation): an access
 * that is outside all buffers or misaligned, an undefined condition or address, reaching
 * `unreachable`, and a workgroup barrier that not all invocations of the workgroup reach together.
 */
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
