/* What a shader in SPIR-V declares, given by its names. */
#ifndef NORN_TOOLS_RUN_DECLARED_H
#define NORN_TOOLS_RUN_DECLARED_H

#include "run/run.h"

/* The values that colors and input attachments of the shader are called by get the names of their
 * targets: color0... */
gboolean run_spec_name_targets(const Program *program, RunSpec *spec, GError **error);

/* "color0" for the name of a color or input attachment of the shader, or of an element of an array
 * of them; to be freed with g_free, or NULL. */
char *run_target_name(const Program *program, const char *text);

/* The name of the uniform whose first word that is; NULL if there is none. What the driver knows is
 * called by another name in the module if a push constant has its own. */
const char *run_uniform_at(const NornModule *module, guint word);

/* The module that gives uniforms their names: the program's, or for machine code that of the file
 * of the run: lines; NULL if there is none. */
const NornModule *run_naming_module(const Program *program);

/* Whether it is a push constant that shares its words with others. */
gboolean run_shares_words(const NornSpirvResource *resource);

/* Whether a push constant of that name shares its words with others: which one. */
gboolean run_find_bytes(const Program *program, const char *name, NornSpirvResource *resource);

/* Whether the address of the buffer of that name is in uniform words: *word becomes the first. */
gboolean run_find_address(const Program *program, const char *name, guint *word);

/* Puts values where the shader declares their names, and fills in what is left to it. For programs
 * that are no SPIR-V it does nothing. */
gboolean run_spec_resolve(const Program *program, RunSpec *spec, GError **error);

/* Whether the program has a use for the value's name. */
gboolean run_is_known(const Program *program, const RunSpec *spec, const RunValue *value);

/* "src (texture), size (push constant)": what can be given by name, to the other program of a draw,
 * too; free it with g_free. */
char *run_declared_text(const Program *program);

/* Says that the program does not know the name of a value; `where` begins with a comma and says
 * where else it was looked for, or is empty. Returns FALSE. */
gboolean run_fail_name(const Program *program, const RunSpec *spec, const RunValue *value,
                       const char *where, GError **error);

#endif
