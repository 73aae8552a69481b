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

/* A module like this one, of which nothing is shared; what builders of this one refused goes along.
 * Free it with norn_module_free. */
NornModule *norn_module_copy(const NornModule *module);

/* Frees the module and all it owns. NULL is allowed. */
void norn_module_free(NornModule *module);

/* Reads `length` bytes of text; `filename` (nullable) is what error messages call them. Any bytes
 * are allowed. Returns the module, to be freed with norn_module_free, or NULL with `error` set:
 * code NORN_ERROR_SYNTAX, message one line "FILE:LINE:COLUMN: ..." for each fault found (the
 * first 1000). A module that parses may still break rules; norn_module_verify finds out. */
NornModule *norn_module_parse(const char *text, size_t length, const char *filename,
                              GError **error);

/* The same within limits (nullable): a line that is read is a unit of work. */
NornModule *norn_module_parse_limited(const char *text, size_t length, const char *filename,
                                      const NornLimits *limits, GError **error);

/* The module as text, ending in a zero byte that `length` (nullable) does not count; free it with
 * g_free. Values and blocks without a name, or with one that another has too, get a free one. What
 * was read from text, right or wrong, and what norn_module_verify accepts parses back to the same
 * module, which prints the same; of a wrong module that was built, "none" or "undefined" may stand
 * where text has no word for what is there. */
char *norn_module_print(const NornModule *module, size_t *length);

/* An instruction in the text that norn_module_print_with_map wrote. */
typedef struct NornTextInst {
  size_t offset; /* of its first byte */
  unsigned line; /* of the text that it came from; 0: none */
  bool is_code;  /* a machine instruction: of the shader of a compiled module, a word of the code */
} NornTextInst;

/* A value where it is defined or used there. */
typedef struct NornTextValue {
  size_t offset;    /* of its '%' */
  unsigned number;  /* tells the values of the module apart, also after passes */
  const char *name; /* without '%' and without the number that the text may have behind it; the
                       module's; NULL: none */
} NornTextValue;

/* What is where in the text of a module, in its order. */
typedef struct NornTextMap {
  NornTextInst *insts;
  NornTextValue *values;
  unsigned inst_count, value_count;
} NornTextMap;

/* As norn_module_print, and fills *map, to be released with norn_text_map_clear before the module
 * goes. */
char *norn_module_print_with_map(const NornModule *module, size_t *length, NornTextMap *map);

/* Frees what the map holds; afterwards it is empty. */
void norn_text_map_clear(NornTextMap *map);

/* Checks every rule of the IR. Returns true if the module keeps them all, else false with `error`
 * set: code NORN_ERROR_INVALID, message one line per fault (the first 1000), each beginning with
 * the position in the text that the instruction came from, or with the instruction (norn/error.h).
 */
bool norn_module_verify(const NornModule *module, GError **error);

/* Finds the uniform (FAU) declared as `name`: its element type, its first word and how many
 * elements it has. Returns false, leaving the outputs alone, if the module declares none of that
 * name. */
bool norn_module_find_fau(const NornModule *module, const char *name, NornType *type,
                          unsigned *word, unsigned *count);

/* The name of uniform (FAU) `index` of those that the module declares; the module's, NULL after the
 * last one. */
const char *norn_module_fau_name(const NornModule *module, unsigned index);

/* Finds a value called `name` (without '%'), of the shader if it has one: its type. Returns false,
 * leaving *type alone, if no value is called so. */
bool norn_module_find_value(const NornModule *module, const char *name, NornType *type);

/* The constant data of the module, its size in bytes in *size; the module's, until it changes. */
const void *norn_module_data(const NornModule *module, size_t *size);

/* The stage that the module's shader is for. */
NornShaderStage norn_module_stage(const NornModule *module);

/* The invocations of a workgroup in x, y and z, as the module says. */
void norn_module_workgroup(const NornModule *module, uint32_t workgroup[3]);

/* How many workgroups the module allows along an axis; 0: any number. */
uint32_t norn_module_grid_limit(const NornModule *module);

/* The message of an error of this library with the lines it speaks of: after each line that names a
 * position in `text`, that line of the text, if it is not empty, and a caret under the column. For
 * terminals; free it with g_free. */
char *norn_error_with_source(const char *message, const char *text, size_t length);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(NornModule, norn_module_free)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NornTextMap, norn_text_map_clear)

NORN_END_DECLS

#endif
