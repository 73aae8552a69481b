/* Reads modules, which are IR text or SPIR-V. */
#include "tool.h"

#include <string.h>

/* What GLSL source begins with. */
static const char glsl[] = "#version ";

static NornModule *
parse_spirv(GBytes *bytes, const char *name, const NornLimits *limits, const ToolTarget *target,
            NornSpirvInterface **interface, GError **error) {
  gsize size;
  const void *data = g_bytes_get_data(bytes, &size);
  NornSpirvOptions options;
  norn_spirv_options_init(&options);
  if (target)
    options = target->spirv;
  if (limits)
    options.limits = *limits;
  if (!target)
    return norn_module_from_spirv(data, size, name, &options, interface, error);
  g_assert(target->places != NULL);
  g_autoptr(GArray) constants = tool_specialize(target, bytes, name, error);
  if (!constants)
    return NULL;
  options.constants = (const NornSpirvConstant *)(void *)constants->data;
  options.constant_count = constants->len;
  return norn_module_from_spirv(data, size, name, &options, interface, error);
}

NornModule *
tool_parse_module(GBytes *bytes, const char *name, const NornLimits *limits,
                  const ToolTarget *target, NornSpirvInterface **interface, GError **error) {
  gsize size;
  const char *text = g_bytes_get_data(bytes, &size);
  gboolean is_spirv = text && norn_spirv_is_module(text, size);
  if (interface)
    *interface = NULL;
  if (text && size > strlen(glsl) && !memcmp(text, glsl, strlen(glsl))) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_SYNTAX,
                "%s:1: this is GLSL; compile it to SPIR-V first: glslangValidator -V %s -o OUT.spv",
                name, name);
    return NULL;
  }
  if (is_spirv)
    return parse_spirv(bytes, name, limits, target, interface, error);
  if (target && !tool_refuse_unused(target, name, "IR text", error))
    return NULL;
  return norn_module_parse_limited(text ? text : "", size, name, limits, error);
}

NornModule *
tool_read_module(const char *path, const NornLimits *limits, const ToolTarget *target,
                 GError **error) {
  g_autoptr(GBytes) bytes = tool_read(path, error);
  return bytes ? tool_parse_module(bytes, tool_input_name(path), limits, target, NULL, error)
               : NULL;
}
