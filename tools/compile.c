/* norn compile: IR text or SPIR-V to machine code. */
#include "common/json.h"
#include "common/timer.h"
#include "tool.h"

#include <stdio.h>
#include <string.h>

const char tool_compile_details[] =
    "If a vertex shader runs as two programs (Valhall 9 to 11, with varyings), one call compiles\n"
    "both. Printed output and assembly show one after the other. Otherwise, and for --info,\n"
    "OUT.bin stands for two files, OUT.position.bin and OUT.varyings.bin.\n";

typedef enum { EMIT_BIN, EMIT_HEX, EMIT_ASM, EMIT_IR } Emit;

static const char emit_words[] = "bin|hex|asm|ir";

/* The output if none is requested: by the output's name, otherwise assembly for a person and
 * words for a file. */
static Emit
usual_emit(const char *output) {
  if (!output || !strcmp(output, "-") || g_str_has_suffix(output, ".s"))
    return EMIT_ASM;
  return g_str_has_suffix(output, ".norn")  ? EMIT_IR
         : g_str_has_suffix(output, ".hex") ? EMIT_HEX
                                            : EMIT_BIN;
}

/* The positions of the bits that are set. */
static void
build_set(JsonBuilder *builder, const char *name, const guint64 *words, unsigned count) {
  tool_json_array(builder, name);
  for (unsigned i = 0; i < 64 * count; i++)
    if (words[i / 64] >> i % 64 & 1)
      json_builder_add_int_value(builder, i);
  json_builder_end_array(builder);
}

/* The color formats of a set of targets. */
static void
build_formats(JsonBuilder *builder, const char *name, const NornShaderInfo *shader,
              guint64 targets) {
  tool_json_array(builder, name);
  for (unsigned i = 0; i < NORN_COLOR_TARGETS; i++)
    if (targets >> i & 1)
      json_builder_add_string_value(builder, norn_format_name(shader->color_formats[i]));
  json_builder_end_array(builder);
}

static void
build_shader_info(JsonBuilder *builder, const NornShaderInfo *shader) {
  guint64 targets = shader->color_targets, tile_targets = shader->tile_targets,
          written = shader->writes_tile;
  json_builder_begin_object(builder);
  build_set(builder, "tables", &shader->tables, 1);
  tool_json_flag(builder, "unknown_handles", shader->unknown_handles);
  tool_json_flag(builder, "writes_memory", shader->writes_memory);
  build_set(builder, "attributes", shader->attributes, G_N_ELEMENTS(shader->attributes));
  tool_json_flag(builder, "writes_position", shader->writes_position);
  tool_json_flag(builder, "writes_point_size", shader->writes_point_size);
  tool_json_flag(builder, "writes_layer", shader->writes_layer);
  tool_json_flag(builder, "writes_viewport", shader->writes_viewport);
  tool_json_number(builder, "varying_size", shader->varying_size);
  build_set(builder, "color_targets", &targets, 1);
  build_formats(builder, "color_formats", shader, targets);
  tool_json_flag(builder, "second_color", shader->second_color);
  if (shader->second_color)
    tool_json_string(builder, "second_format", norn_format_name(shader->second_format));
  tool_json_flag(builder, "writes_depth", shader->writes_depth);
  tool_json_flag(builder, "writes_stencil", shader->writes_stencil);
  tool_json_flag(builder, "writes_coverage", shader->writes_coverage);
  tool_json_flag(builder, "may_discard", shader->may_discard);
  tool_json_flag(builder, "needs_helpers", shader->needs_helpers);
  tool_json_flag(builder, "runs_by_sample", shader->runs_by_sample);
  build_set(builder, "tile_targets", &tile_targets, 1);
  tool_json_flag(builder, "reads_depth", shader->reads_depth);
  tool_json_flag(builder, "reads_stencil", shader->reads_stencil);
  build_set(builder, "writes_tile", &written, 1);
  build_formats(builder, "tile_formats", shader, written);
  tool_json_flag(builder, "reads_flat", shader->reads_flat);
  tool_json_flag(builder, "reads_centroid", shader->reads_centroid);
  tool_json_flag(builder, "early_tests", shader->early_tests);
  tool_json_flag(builder, "requires_early_tests", shader->requires_early_tests);
  tool_json_flag(builder, "forward_kill", shader->forward_kill);
  json_builder_end_object(builder);
}

/* A uniform word that holds a value loaded from a buffer; null: any word. */
static void
build_load(JsonBuilder *builder, const NornUniformLoad *load) {
  if (!load->is_used) {
    json_builder_add_null_value(builder);
    return;
  }
  json_builder_begin_object(builder);
  tool_json_number(builder, "handle", load->handle);
  tool_json_number(builder, "offset", load->offset);
  json_builder_end_object(builder);
}

/* Pairs of uniform words: the first one is a copy of the second. */
static void
build_copies(JsonBuilder *builder, const NornCompileInfo *info) {
  tool_json_array(builder, "copies");
  for (unsigned k = 0; info->load_first + k < NORN_FAU_WORDS; k++) {
    if (!info->loads[k].copied)
      continue;
    json_builder_add_int_value(builder, info->load_first + k);
    json_builder_add_int_value(builder, info->loads[k].copied - 1);
  }
  json_builder_end_array(builder);
}

/* The information that a driver needs, as JSON. */
static char *
format_info(const NornCompileInfo *info) {
  g_autoptr(JsonBuilder) builder = json_builder_new();
  json_builder_begin_object(builder);
  tool_json_string(builder, "target", info->target);
  tool_json_string(builder, "architecture", info->architecture);
  tool_json_string(builder, "stage", norn_stage_name(info->stage));
#define WRITTEN(member) tool_json_number(builder, #member, info->member);
#define NUMBER(member, maximum) WRITTEN(member)
#include "info.def"
  tool_json_flag(builder, "flushes_denormals", info->denormals == NORN_DENORMALS_FLUSH);
  build_set(builder, "preloaded", &info->preloaded, 1);
  tool_json_array(builder, "promoted");
  for (unsigned i = 0; i < info->promoted_count; i++)
    json_builder_add_int_value(builder, info->constants[i]);
  json_builder_end_array(builder);
  tool_json_array(builder, "loads");
  for (unsigned i = 0; i < info->load_count; i++)
    build_load(builder, &info->loads[i]);
  json_builder_end_array(builder);
  build_copies(builder, info);
  tool_json_array(builder, "workgroup_size");
  for (int i = 0; i < 3; i++)
    json_builder_add_int_value(builder, info->workgroup_size[i]);
  json_builder_end_array(builder);
  json_builder_set_member_name(builder, "shader");
  build_shader_info(builder, &info->shader);
  json_builder_end_object(builder);
  return tool_json_text(builder, TRUE);
}

/* The requests of the command line. */
typedef struct CompileOutputs {
  Emit emit;
  const char *code, *info; /* nullable: standard output, and no output */
} CompileOutputs;

/* The code in the requested form. */
static GBytes *
format_code(Emit emit, const NornModule *module, GBytes *code, const NornCompileInfo *info,
            GError **error) {
  gsize size;
  const void *data = g_bytes_get_data(code, &size);
  char *text = NULL;
  switch (emit) {
  case EMIT_BIN:
    return g_bytes_ref(code);
  case EMIT_HEX:
    text = tool_hex(data, size, 8);
    break;
  case EMIT_ASM:
    text = tool_disassemble(info->target, info->architecture, data, size, tool_code_size(info), 0,
                            NULL, error);
    break;
  case EMIT_IR:
    text = norn_module_print(module, NULL);
    break;
  }
  return text ? g_bytes_new_take(text, strlen(text)) : NULL;
}

static gboolean
write_bytes(const char *path, GBytes *bytes, GError **error) {
  gsize size;
  const void *data = g_bytes_get_data(bytes, &size);
  return tool_write(path, data, size, error);
}

/* Compiles the module and returns its code in the requested form; writes the information that a
 * driver needs. */
static GBytes *
compile(NornModule *module, const NornCompileOptions *options, Emit emit, const char *info_path,
        GError **error) {
  NornCompileInfo info;
  g_autoptr(GBytes) code = norn_compile(module, options, &info, error);
  g_autoptr(GBytes) formatted = code ? format_code(emit, module, code, &info, error) : NULL;
  if (formatted && info_path) {
    g_autofree char *text = format_info(&info);
    if (!tool_write(info_path, text, strlen(text), error))
      return NULL;
  }
  return g_steal_pointer(&formatted);
}

/* "out.position.bin" for "out.bin"; NULL for NULL. */
static char *
part_path(const char *path, const char *part) {
  if (!path)
    return NULL;
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  gsize stem = dot && dot != name ? (gsize)(dot - path) : strlen(path);
  return g_strdup_printf("%.*s.%s%s", (int)stem, path, part, path + stem);
}

/* Compiles both programs of a vertex shader. Assembly and printed output are one text; otherwise
 * each program has its own file. */
static gboolean
compile_parts(const NornModule *module, const NornCompileOptions *options,
              const CompileOutputs *outputs, GError **error) {
  gboolean is_printed = !outputs->code || !strcmp(outputs->code, "-");
  gboolean is_one = is_printed || outputs->emit == EMIT_ASM;
  if (is_one && outputs->emit == EMIT_BIN) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED,
                "the shader needs two programs: write each to a file with --output, or choose one "
                "with --vertex-part");
    return FALSE;
  }
  g_autoptr(GString) all = g_string_new(NULL);
  for (guint part = NORN_VERTEX_POSITION; part <= NORN_VERTEX_VARYINGS; part++) {
    g_autofree char *name = tool_word(tool_vertex_parts, part);
    g_autofree char *info_path = part_path(outputs->info, name);
    NornCompileOptions of_part = *options;
    of_part.vertex_part = (NornVertexPart)part;
    g_autoptr(NornModule) copy = norn_module_copy(module);
    g_autoptr(GBytes) code = compile(copy, &of_part, outputs->emit, info_path, error);
    if (!code)
      return FALSE;
    if (is_one) {
      gsize size;
      const char *text = g_bytes_get_data(code, &size);
      g_string_append_printf(all, "%s; program %u of 2: --vertex-part=%s\n", all->len ? "\n" : "",
                             part, name);
      g_string_append_len(all, text, (gssize)size);
    } else {
      g_autofree char *path = part_path(outputs->code, name);
      if (!write_bytes(path, code, error))
        return FALSE;
    }
  }
  return !is_one || tool_write(outputs->code, all->str, all->len, error);
}

int
tool_compile(int argc, char **argv) {
  const ToolVerb *verb = tool_verb("compile");
  ToolTarget target;
  tool_target_init(&target);
  g_autofree GOptionEntry *target_entries = tool_target_entries(&target);
  g_autofree char *output = NULL, *asked = NULL, *info_output = NULL, *trace = NULL;
  gboolean times_passes = FALSE, watches = FALSE;
  const GOptionEntry entries[] = {
      TOOL_OUTPUT_ENTRY(output),
      {"emit", 0, 0, G_OPTION_ARG_STRING, &asked,
       "Output format (default: by the name of OUT, asm on standard output)", emit_words},
      {"info", 0, 0, G_OPTION_ARG_FILENAME, &info_output,
       "Write what a driver must know about the code, as JSON", "FILE"},
      TOOL_TIMER_ENTRIES(times_passes, trace),
      {"watch", 0, 0, G_OPTION_ARG_NONE, &watches, "Recompile whenever the input changes", NULL},
      {NULL},
  };
  g_auto(GStrv) inputs = NULL;
  int status = tool_parse(verb, entries, target_entries, argc, argv, &inputs);
  int emit = status ? 0 : tool_choose(verb, "output format", asked, emit_words, usual_emit(output));
  GError *error = NULL;
  if (status) {
    status = MAX(status, 0);
  } else if (emit < 0) {
    status = TOOL_USAGE;
  } else if (!tool_target_finish(&target, &error) || !tool_check_compiled(target.target, &error)) {
    status = tool_refuse(verb, error);
  } else if (watches) {
    status = tool_watch(verb, argv, inputs[0]);
  } else {
    const CompileOutputs outputs = {(Emit)emit, output, info_output};
    ToolTimer *timer = tool_timer_new(times_passes, trace, &target.options);
    NornModule *module = tool_target_load(&target, &error)
                             ? tool_read_module(inputs[0], &target.options.limits, &target, &error)
                             : NULL;
    gboolean done = FALSE;
    if (module && tool_takes_two_programs(module, &target)) {
      done = compile_parts(module, &target.options, &outputs, &error);
    } else if (module) {
      g_autoptr(GBytes) code = compile(module, &target.options, outputs.emit, info_output, &error);
      done = code && write_bytes(output, code, &error);
    }
    norn_module_free(module);
    done = tool_timer_finish(timer, inputs[0], done ? &error : NULL) && done;
    status = done ? TOOL_SUCCESS : tool_fail(error);
  }
  tool_target_clear(&target);
  return status;
}
