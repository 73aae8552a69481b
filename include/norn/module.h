/* Modules: made empty or from text, checked, printed, freed. */
#ifndef NORN_MODULE_H
#define NORN_MODULE_H

#include <norn/ir.h>
#include <norn/limits.h>
#include <stddef.h>

NORN_BEGIN_DECLS

/* A module with an empty shader of that stage and name (letters, digits and _), workgroup size 1,
 * 1, 1 and no target. Free it with norn_module_free. */
NornModule *norn_module_new(NornShaderStage stage, const char *name);

/* A copy of the module, which shares nothing with it, including the errors that its builders
 * recorded. Free it with norn_module_free. */
NornModule *norn_module_copy(const NornModule *module);

/* Frees the module and all it owns. NULL is allowed. */
void norn_module_free(NornModule *module);

/* Reads `length` bytes of text; `filename` (nullable) is what error messages call them. Any bytes
 * are allowed. Returns the module, to be freed with norn_module_free, or NULL with `error` set:
 * code NORN_ERROR_SYNTAX, message one line "FILE:LINE:COLUMN: ..." for each fault found (the first
 * 1000). A module that parses may still break rules; use norn_module_verify to check them. */
NornModule *norn_module_parse(const char *text, size_t length, const char *filename,
                              GError **error);

/* The same within limits (nullable): each line that is read is a unit of work. */
NornModule *norn_module_parse_limited(const char *text, size_t length, const char *filename,
                                      const NornLimits *limits, GError **error);

/* The module as text, ending in a zero byte that `length` (nullable) does not count; free it with
 * g_free. Values and blocks without a name, or with one that another has too, get a unique one. A
 * module that was read from text, right or wrong, or that norn_module_verify accepts, parses back
 * to the same module, which prints the same. In a wrong module that was built, "none" or
 * "undefined" may appear for what text cannot express. */
char *norn_module_print(const NornModule *module, size_t *length);

/* An instruction in the text that norn_module_print_with_map wrote. */
typedef struct NornTextInst {
  size_t offset; /* of its first byte */
  unsigned line; /* of the text that it came from; 0: none */
  bool is_code;  /* a machine instruction; in the shader of a compiled module, a word of the code */
} NornTextInst;

/* A definition or use of a value in that text. */
typedef struct NornTextValue {
  size_t offset;    /* of its '%' */
  unsigned number;  /* identifies the value in the module, also after passes */
  const char *name; /* without '%' and without the number that the text may append; owned by the
                       module; NULL: none */
} NornTextValue;

/* The positions of instructions and values in the text of a module, in its order. */
typedef struct NornTextMap {
  NornTextInst *insts;
  NornTextValue *values;
  unsigned inst_count, value_count;
} NornTextMap;

/* Like norn_module_print, and fills *map, to be released with norn_text_map_clear before the module
 * is freed. */
char *norn_module_print_with_map(const NornModule *module, size_t *length, NornTextMap *map);

/* Frees what the map holds; afterward it is empty. */
void norn_text_map_clear(NornTextMap *map);

/* Checks every rule of the IR. Returns true if the module keeps them all, otherwise false with
 * `error` set: the code is NORN_ERROR_INVALID, and the message has one line per fault (the first
 * 1000), which begins with the position in the text that the instruction came from, or with the
 * instruction (norn/error.h). */
bool norn_module_verify(const NornModule *module, GError **error);

/* Finds the uniform (FAU) declared as `name`: its element type, its first word and its number of
 * elements. Returns false, leaving the outputs unchanged, if the module declares none of that name.
 */
bool norn_module_find_fau(const NornModule *module, const char *name, NornType *type,
                          unsigned *word, unsigned *count);

/* The name of uniform (FAU) `index` of those that the module declares, owned by the module; NULL
 * after the last one. */
const char *norn_module_fau_name(const NornModule *module, unsigned index);

/* Finds the type of the value called `name` (without '%'), preferably one of the shader. Returns
 * false, leaving *type unchanged, if no value has that name. */
bool norn_module_find_value(const NornModule *module, const char *name, NornType *type);

/* The constant data of the module, with its size in bytes in *size. The module owns it; it is valid
 * until the module changes. */
const void *norn_module_data(const NornModule *module, size_t *size);

/* The stage that the module's shader is for. */
NornShaderStage norn_module_stage(const NornModule *module);

/* The file that the lines of the instructions are in, for messages: the one that was read, the
 * first source file that the SPIR-V names, or "module" if the module was built. Never NULL; the
 * module owns it. */
const char *norn_module_filename(const NornModule *module);

/* The size of a workgroup in invocations in x, y and z, as the module declares it. */
void norn_module_workgroup(const NornModule *module, uint32_t workgroup[3]);

/* The most workgroups that the module allows along an axis; 0: any number. */
uint32_t norn_module_grid_limit(const NornModule *module);

/* The message of an error of this library with the source lines that it refers to: each line that
 * names a position in `text` is followed by that line of the text, if it is not empty, and a caret
 * under the column. For terminals; free it with g_free. */
char *norn_error_with_source(const char *message, const char *text, size_t length);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(NornModule, norn_module_free)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NornTextMap, norn_text_map_clear)

NORN_END_DECLS

#endif
