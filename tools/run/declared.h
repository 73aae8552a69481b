/* Values for what a shader in SPIR-V declares, by name. */
#ifndef NORN_TOOLS_RUN_DECLARED_H
#define NORN_TOOLS_RUN_DECLARED_H

#include "run/run.h"

/* Renames values that have the names of the shader's colors and input attachments to their
 * targets: color0... */
gboolean run_spec_name_targets(const Program *program, RunSpec *spec, GError **error);

/* "color0" for the name of a color or input attachment of the shader, or of an element of an
 * array of them; to be freed with g_free, or NULL. */
char *run_target_name(const Program *program, const char *text);

/* The name of the uniform that starts at that word; NULL if there is none. A uniform that the
 * driver knows has another name in the module if a push constant has its name. */
const char *run_uniform_at(const NornModule *module, guint word);

/* The module that names the uniforms: the program's, or for machine code that of the file with
 * the run: lines; NULL if there is none. */
const NornModule *run_naming_module(const Program *program);

/* Whether it is a push constant that shares its words with others. */
gboolean run_shares_words(const NornSpirvResource *resource);

/* The push constant of the value's name if the value gives its bytes: if it shares its words with
 * others, or if the value is a list of components smaller than a word. */
gboolean run_find_bytes(const Program *program, const RunValue *value, NornSpirvResource *resource);

/* Whether the address of the buffer with that name is in uniform words: *word becomes the first. */
gboolean run_find_address(const Program *program, const char *name, guint *word);

/* Assigns values to what the shader declares under their names, and fills in missing ones. Does
 * nothing for programs that are not SPIR-V. */
gboolean run_spec_resolve(const Program *program, RunSpec *spec, GError **error);

/* Whether the program uses a value of that name. */
gboolean run_is_known(const Program *program, const RunSpec *spec, const RunValue *value);

/* "src (texture), size (push constant)": everything that can be given by name, including to the
 * other program of a draw; free it with g_free. */
char *run_declared_text(const Program *program);

/* Reports that the program does not know the name of a value; `where` begins with a comma and
 * says where else it was looked for, or is empty. Returns FALSE. */
gboolean run_fail_name(const Program *program, const RunSpec *spec, const RunValue *value,
                       const char *where, GError **error);

#endif
