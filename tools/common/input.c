/* Options that have no effect on an input are refused: the user expects an effect. */
#include "tool.h"

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
                  "%s: the option %s is only for SPIR-V, not for %s", name, options[i].option,
                  what);
      return FALSE;
    }
  return TRUE;
}
