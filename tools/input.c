/* Options that have no effect on an input are refused: who gives them expects one. */
#include "tool.h"

#include <string.h>

gboolean
tool_refuse_unused(const ToolTarget *target, const char *name, const char *what, GError **error) {
  const struct {
    const char *option;
    gboolean is_given;
  } options[] = {
      {"--entry", target->entry != NULL},
      {"--spec", target->specialize != NULL},
      {"--abi", target->abi != NULL},
      {"--buffer-addresses", target->buffer_addresses},
      {"--image-words", target->image_words},
      {"--relaxed-half", target->relaxed_f16},
      {"--full-varyings", target->full_varyings},
  };
  for (guint i = 0; i < G_N_ELEMENTS(options) && !target->is_mixed; i++)
    if (options[i].is_given) {
      g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                  "%s: the option %s is for SPIR-V, not for %s", name, options[i].option, what);
      return FALSE;
    }
  return TRUE;
}

/* --- Specialization constants --- */

#define HEADER_WORDS 5
#define OP_DECORATE 71 /* its words: length and number, target, decoration, operand */
#define DECORATION_SPEC_ID 1

/* The numbers that the module gives to its specialization constants. */
static GArray *
find_constants(GBytes *module) {
  static const guint32 magic = 0x07230203;
  gsize size;
  const guint8 *bytes = g_bytes_get_data(module, &size);
  guint32 count = (guint32)(size / sizeof(guint32)), length;
  g_autofree guint32 *words = g_memdup2(bytes, size);
  for (guint32 i = count; i-- && words[0] != magic;)
    words[i] = GUINT32_SWAP_LE_BE(words[i]);
  GArray *ids = g_array_new(FALSE, FALSE, sizeof(guint32));
  for (guint32 at = HEADER_WORDS; at < count; at += length) {
    length = MAX(words[at] >> 16, 1);
    if ((words[at] & 0xFFFF) == OP_DECORATE && length == 4 && count - at >= 4 &&
        words[at + 2] == DECORATION_SPEC_ID)
      g_array_append_val(ids, words[at + 3]);
  }
  return ids;
}

static gboolean
is_among(const GArray *ids, guint32 id) {
  for (guint i = 0; i < ids->len; i++)
    if (g_array_index(ids, guint32, i) == id)
      return TRUE;
  return FALSE;
}

gboolean
tool_check_constants(const ToolTarget *target, GBytes *module, const char *name, GError **error) {
  guint count = target->is_mixed ? 0 : target->spirv.constant_count;
  g_autoptr(GArray) ids = count ? find_constants(module) : NULL;
  for (guint i = 0; i < count; i++) {
    guint32 id = target->spirv.constants[i].id;
    if (is_among(ids, id))
      continue;
    g_autoptr(GString) list = g_string_new(NULL);
    for (guint k = 0; k < ids->len; k++)
      g_string_append_printf(list, "%s%u", k ? ", " : ", only ", g_array_index(ids, guint32, k));
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "%s: the option --spec: no constant has the SpecId %u%s", name, id, list->str);
    return FALSE;
  }
  return TRUE;
}
