/* What options mean for a module: its target, and whether they fit it. */
#ifndef NORN_COMPILER_OPTIONS_H
#define NORN_COMPILER_OPTIONS_H

#include "passes/pass.h"
#include <norn/compile.h>

/* Finds the target that the options and the module ask for. Fails if there is none, or if an option
 * is out of its range, means nothing for the module or names no pass. */
bool norn_options_bind(const NornModule *module, const NornCompileOptions *options,
                       NornTarget *target, GError **error);

/* The error of what is for shaders of another stage than the module's; returns false. */
bool norn_refuse_stage(const NornModule *module, const char *what, const char *wanted,
                       GError **error);

/* The options, or for NULL the defaults, which `defaults` gets. */
const NornCompileOptions *norn_options_or_defaults(const NornCompileOptions *options,
                                                   NornCompileOptions *defaults);

/* Whether the pass is in the pipeline, and all steps that run it are optional. */
bool norn_pass_is_optional(const NornTarget *target, const NornPass *pass);

/* The error of a name that is no target of the compiler: which there are. */
void norn_refuse_target(const char *name, GError **error);

/* The error of a name that is no pass of the target. */
void norn_refuse_pass(const NornTarget *target, const char *name, size_t length, GError **error);

#endif
