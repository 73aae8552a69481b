/* Locations of instructions, for messages; see ir/text/locations.h. */
#include "ir/text/locations.h"
#include "ir/diagnostics.h"
#include "ir/text/printer.h"

/* Maximum number of bytes of an instruction that are shown in a location. */
#define SHOWN_INST 120

struct NornLocations {
  const NornModule *module;
  NornPrinter *printer;
  GString *text;
};

NornLocations *
norn_locations_new(const NornModule *module) {
  NornLocations *locations = g_new0(NornLocations, 1);
  locations->module = module;
  locations->printer = norn_printer_new(module);
  locations->text = g_string_new(NULL);
  return locations;
}

void
norn_locations_free(NornLocations *locations) {
  if (!locations)
    return;
  norn_printer_free(locations->printer);
  g_string_free(locations->text, TRUE);
  g_free(locations);
}

static void
append_inst(NornLocations *locations, const NornFunction *function, uint32_t inst) {
  const char *text = norn_printer_inst(locations->printer, function, inst);
  size_t length = strlen(text);
  g_string_append(locations->text, ", '");
  g_string_append_len(locations->text, text, (gssize)MIN(length, SHOWN_INST));
  g_string_append(locations->text, length > SHOWN_INST ? "...'" : "'");
}

const char *
norn_location(NornLocations *locations, const NornFunction *function, uint32_t block,
              uint32_t inst) {
  GString *text = locations->text;
  uint32_t line = norn_line(function, block, inst);
  if (line) {
    unsigned column = inst == NORN_INDEX_NONE ? 1 : MAX(norn_inst(function, inst)->column, 1);
    g_string_printf(text, "%s:%u:%u", locations->module->filename, line, column);
    return text->str;
  }
  g_string_printf(text, "@%s", norn_string(locations->module, function->name));
  if (block != NORN_INDEX_NONE)
    g_string_append_printf(text, ", block %s",
                           norn_printer_block(locations->printer, function, block));
  if (inst != NORN_INDEX_NONE)
    append_inst(locations, function, inst);
  char *shown = norn_shorten_message(text->str);
  g_string_assign(text, shown);
  g_free(shown);
  return text->str;
}

const char *
norn_location_of_value(NornLocations *locations, const NornFunction *function, uint32_t value) {
  return norn_printer_value(locations->printer, function, value);
}

const char *
norn_location_text(NornLocations *locations, const NornFunction *function, uint32_t inst) {
  return norn_printer_inst(locations->printer, function, inst);
}

char *
norn_inst_location(const NornFunction *function, const NornInst *inst) {
  NornLocations *locations = norn_locations_new(function->module);
  uint32_t index = inst->previous == NORN_INDEX_NONE ? norn_block(function, inst->block)->first
                                                     : norn_inst(function, inst->previous)->next;
  const char *text = norn_location(locations, function, inst->block, index);
  /* Only a location with a line number includes the file name. */
  char *location =
      *text == '@' ? g_strdup_printf("%s: %s", function->module->filename, text) : g_strdup(text);
  norn_locations_free(locations);
  return location;
}

bool
norn_inst_error(const NornFunction *function, const NornInst *inst, NornErrorCode code,
                GError **error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *message = norn_format_message(format, arguments);
  va_end(arguments);
  char *location = norn_inst_location(function, inst);
  g_set_error(error, NORN_ERROR, code, "%s: %s", location, message);
  g_free(location);
  g_free(message);
  return false;
}
