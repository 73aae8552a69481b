/* Options that have no effect on an input are refused: the user expects an effect. */
#include "tool.h"

typedef struct {
  const char *option;
  gboolean is_given;
} GivenOption;

/* Fails if one of the options was given: they are only for `wanted`, and the file is `what`. */
static gboolean
refuse(const GivenOption *options, guint count, const char *wanted, const char *name,
       const char *what, GError **error) {
  for (guint i = 0; i < count; i++)
    if (options[i].is_given) {
      g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                  "%s: the option %s is only for %s, not for %s", name, options[i].option, wanted,
                  what);
      return FALSE;
    }
  return TRUE;
}

gboolean
tool_refuse_unused(const ToolTarget *target, const char *name, const char *what, GError **error) {
  const GivenOption options[] = {
      {"--entry", target->entry != NULL},
      {"--spec", target->specialize != NULL},
      {"--abi", target->abi != NULL},
      {"--buffer-addresses", target->buffer_addresses},
      {"--image-words", target->image_words},
      {"--relaxed-half", target->relaxed_f16},
      {"--full-varyings", target->full_varyings},
  };
  return target->is_mixed || refuse(options, G_N_ELEMENTS(options), "SPIR-V", name, what, error);
}

gboolean
tool_refuse_compiling(const ToolTarget *target, const char *name, gboolean may_check,
                      GError **error) {
  NornCompileOptions defaults;
  norn_compile_options_init(&defaults);
  const GivenOption options[] = {
      {"-O", target->level != (int)defaults.optimization_level},
      {"--no-promote-constants", target->promote_constants != defaults.promote_constants},
      {"--promote-uniforms", target->promote_uniforms},
      {"--constant-data", target->constant_data},
      {"--by-sample", target->by_sample},
      {"--vertex-part", target->vertex_part != NULL},
      {"--pass-limit", target->pass_limit != TOOL_NOT_GIVEN},
      {"--skip-passes", target->skip_passes != NULL},
      {"--check", target->checks && !may_check},
      {"--chaos", target->chaos != NULL},
      {"--dump-after", target->dump_after != NULL},
  };
  return tool_refuse_unused(target, name, "machine code", error) &&
         (target->is_mixed ||
          refuse(options, G_N_ELEMENTS(options), "compiling", name, "machine code", error));
}
