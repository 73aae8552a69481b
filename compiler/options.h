/* Resolves options for a module: its target, and whether they fit it. */
#ifndef NORN_COMPILER_OPTIONS_H
#define NORN_COMPILER_OPTIONS_H

#include "passes/pass.h"
#include <norn/compile.h>

/* Finds the target that the options and the module ask for. Fails if there is none, or if an option
 * is out of range, has no meaning for the module, or names a pass that does not exist. */
bool norn_options_bind(const NornModule *module, const NornCompileOptions *options,
                       NornTarget *target, GError **error);

/* Sets the error for something that requires another stage than the module's; returns false. */
bool norn_refuse_stage(const NornModule *module, const char *what, const char *wanted,
                       GError **error);

/* Returns the options, or, if they are NULL, `defaults` filled with the defaults. */
const NornCompileOptions *norn_options_or_defaults(const NornCompileOptions *options,
                                                   NornCompileOptions *defaults);

/* Whether the pass is in the pipeline, and all steps that run it are optional. */
bool norn_pass_is_optional(const NornTarget *target, const NornPass *pass);

/* Sets the error for a name that is not a target of the compiler; it lists the targets. */
void norn_refuse_target(const char *name, GError **error);

/* Sets the error for a name that is not a pass of the target. */
void norn_refuse_pass(const NornTarget *target, const char *name, size_t length, GError **error);

#endif
