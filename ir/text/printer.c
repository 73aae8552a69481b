/* IR to text; the inverse of parser.c, byte for byte. */
#include "ir/text/print.h"

/* Initial size of the buffer for parts, in bytes. */
#define PART_ROOM 256

/* "(%a: i32, %b: f32)" */
static void
put_parameters(NornPrinter *p, uint32_t block) {
  const NornBlock *self = norn_block(p->function, block);
  norn_put_char(p, '(');
  for (unsigned k = 0; k < self->parameter_count; k++) {
    uint32_t value = norn_block_parameter(p->function, block, k);
    norn_put_value(p, ", ", k ? 2 : 0, value);
    norn_put(p, ": ", 2);
    norn_put_text(p, norn_types[norn_value(p->function, value)->type].name);
  }
  norn_put_char(p, ')');
}

/* --- The module --- */

static void
put_blocks(NornPrinter *p, bool is_callable) {
  const NornFunction *function = p->function;
  norn_for_each_block (function, block) {
    norn_put_block_name(p, block);
    bool is_entry_of_callable = is_callable && block == function->block_order[0];
    if (norn_block(function, block)->parameter_count && !is_entry_of_callable)
      put_parameters(p, block);
    norn_put_char(p, ':');
    norn_for_each_inst (function, block, inst) {
      norn_put(p, "\n  ", 3);
      norn_put_inst(p, inst);
    }
    norn_put_char(p, '\n');
  }
  norn_put(p, "}\n", 2);
}

static void
begin_function(NornPrinter *p, const NornFunction *function) {
  p->function = function;
  memset(p->limits, 0xFF, sizeof p->limits);
  p->limits[NORN_REF_VALUE] = function->value_count;
  p->limits[NORN_REF_CONSTANT] = p->module->constants.count;
  p->limits[NORN_REF_BLOCK] = function->block_count;
  p->limits[NORN_REF_FUNCTION] = p->module->function_count;
  p->limits[NORN_REF_SPECIAL] = p->module->machine ? UINT32_MAX : 0;
  norn_names_find(&p->names, function);
}

static void
put_faus(NornPrinter *p) {
  const NornModule *module = p->module;
  for (uint32_t i = 0; i < module->fau_count; i++) {
    const NornFau *fau = &module->faus[i];
    norn_put_text(p, i ? ", " : "  fau ");
    norn_put_string(p, fau->name);
    norn_put(p, ": ", 2);
    norn_put_text(p, norn_types[fau->type].name);
    if (fau->count != 1) {
      norn_put_char(p, '[');
      norn_put_number(p, fau->count);
      norn_put_char(p, ']');
    }
    norn_put(p, " @ ", 3);
    norn_put_number(p, fau->word);
    if (fau->is_noalias)
      norn_put_text(p, " noalias");
    if (fau->alignment) {
      norn_put_text(p, " align(");
      norn_put_number(p, fau->alignment);
      norn_put_char(p, ')');
    }
  }
  if (module->fau_count)
    norn_put_char(p, '\n');
}

/* The constant data, a few words per line. */
static void
put_data(NornPrinter *p) {
  enum { WORDS = 8 };
  const NornModule *module = p->module;
  for (uint32_t at = 0; at < module->data_size; at += 4) {
    uint32_t word;
    memcpy(&word, module->data + at, sizeof word);
    char text[16];
    g_snprintf(text, sizeof text, "0x%08X", GUINT32_FROM_LE(word));
    norn_put_text(p, at % (4 * WORDS) ? ", " : "  data i32 ");
    norn_put_text(p, text);
    if (at % (4 * WORDS) == 4 * (WORDS - 1) || at + 4 == module->data_size)
      norn_put_char(p, '\n');
  }
}

/* " name(text)" */
static void
put_property(NornPrinter *p, const char *name, const char *text) {
  norn_put_char(p, ' ');
  norn_put_text(p, name);
  norn_put_char(p, '(');
  norn_put_text(p, text);
  norn_put_char(p, ')');
}

/* " name(number)", if it is not 0. */
static void
put_number_property(NornPrinter *p, const char *name, uint32_t number) {
  if (!number)
    return;
  norn_put_char(p, ' ');
  norn_put_text(p, name);
  norn_put_char(p, '(');
  norn_put_number(p, number);
  norn_put_char(p, ')');
}

static void
put_shader(NornPrinter *p) {
  const NornModule *module = p->module;
  if (module->machine) {
    norn_put_text(p, "target ");
    norn_put_text(p, module->machine->name);
    norn_put_char(p, ' ');
    norn_put_text(p, module->machine->architecture_name(module->machine));
    norn_put_char(p, '\n');
  }
  norn_put_text(p, "shader ");
  norn_put_text(p, norn_stage_names[module->stage]);
  norn_put(p, " @", 2);
  norn_put_string(p, module->name);
  const uint32_t *size = module->workgroup;
  if (module->stage == NORN_STAGE_COMPUTE || size[0] != 1 || size[1] != 1 || size[2] != 1) {
    for (unsigned axis = 0; axis < 3; axis++) {
      norn_put_text(p, axis ? ", " : " workgroup(");
      norn_put_number(p, size[axis]);
    }
    norn_put_char(p, ')');
  }
  put_number_property(p, "grid", module->grid_limit);
  put_number_property(p, "shared", module->shared_size);
  put_number_property(p, "scratch", module->scratch_size);
  if (module->denormals)
    put_property(p, "denormals", norn_denormals_names[module->denormals]);
  if (module->rounding)
    put_property(p, "rounding", norn_modifiers[NORN_MODIFIER_ROUND].texts[module->rounding]);
  if (module->tests_early)
    norn_put_text(p, " early_tests");
  if (module->runs_by_sample)
    norn_put_text(p, " by_sample");
  norn_put(p, " {\n", 3);
  put_faus(p);
  put_data(p);
  begin_function(p, module->functions[0]);
  put_blocks(p, false);
  norn_names_forget(&p->names);
  p->first_value += p->function->value_count;
}

static void
put_function(NornPrinter *p, const NornFunction *function) {
  begin_function(p, function);
  norn_put_text(p, "\nfunction @");
  norn_put_string(p, function->name);
  if (function->block_order_count)
    put_parameters(p, function->block_order[0]);
  else
    norn_put(p, "()", 2);
  norn_put_text(p, " -> ");
  norn_put_text(p, norn_types[function->result_type].name);
  norn_put(p, " {\n", 3);
  put_blocks(p, true);
  norn_names_forget(&p->names);
  p->first_value += function->value_count;
}

/* Records which declaration each uniform word belongs to. */
static void
map_uniforms(NornPrinter *p) {
  const NornModule *module = p->module;
  for (uint32_t i = 0; i < MIN(module->fau_count, UINT8_MAX); i++) {
    const NornFau *fau = &module->faus[i];
    uint64_t end = fau->word + (uint64_t)norn_type_words(fau->type) * fau->count;
    for (uint64_t word = fau->word; word < end && word < NORN_FAU_WORDS; word++)
      if (!p->fau_of_word[word])
        p->fau_of_word[word] = (uint8_t)(i + 1);
  }
}

/* Initializes the printer with a buffer of this size. */
static void
printer_init(NornPrinter *p, const NornModule *module, size_t room) {
  p->module = module;
  p->text = p->at = g_malloc(room);
  p->end = p->text + room;
  p->scratch = g_string_new(NULL);
  norn_names_init(&p->names, module);
  map_uniforms(p);
}

static void
printer_clear(NornPrinter *p) {
  norn_names_clear(&p->names);
  g_string_free(p->scratch, TRUE);
}

/* Estimates the size of the text, erring on the large side: this only avoids growing step by step.
 */
static size_t
estimate_size(const NornModule *module) {
  size_t name = 4 + module->strings.text_size / module->strings.count,
         size = 256 + (size_t)module->data_size * 3;
  for (uint32_t i = 0; i < module->function_count; i++) {
    const NornFunction *function = module->functions[i];
    size += function->inst_count * (size_t)24 +
            ((size_t)function->value_count + function->operand_count) * name;
  }
  return size;
}

static char *
print_module(NornPrinter *p, const NornModule *module, size_t *length) {
  printer_init(p, module, estimate_size(module));
  put_shader(p);
  for (uint32_t i = 1; i < module->function_count; i++)
    put_function(p, module->functions[i]);
  norn_put_char(p, 0);
  size_t size = (size_t)(p->at - p->text);
  if (length)
    *length = size - 1;
  printer_clear(p);
  return g_realloc(p->text, size);
}

char *
norn_module_print(const NornModule *module, size_t *length) {
  NornPrinter p = {0};
  return print_module(&p, module, length);
}

char *
norn_module_print_with_map(const NornModule *module, size_t *length, NornTextMap *map) {
  NornPrinter p = {.insts = g_array_new(FALSE, FALSE, sizeof(NornTextInst)),
                   .values = g_array_new(FALSE, FALSE, sizeof(NornTextValue))};
  char *text = print_module(&p, module, length);
  *map = (NornTextMap){.inst_count = p.insts->len, .value_count = p.values->len};
  map->insts = (NornTextInst *)(void *)g_array_free(p.insts, FALSE);
  map->values = (NornTextValue *)(void *)g_array_free(p.values, FALSE);
  return text;
}

void
norn_text_map_clear(NornTextMap *map) {
  g_free(map->insts);
  g_free(map->values);
  *map = (NornTextMap){0};
}

/* --- Parts of a function --- */

NornPrinter *
norn_printer_new(const NornModule *module) {
  NornPrinter *p = g_new0(NornPrinter, 1);
  printer_init(p, module, PART_ROOM);
  return p;
}

void
norn_printer_free(NornPrinter *p) {
  if (!p)
    return;
  if (p->function)
    norn_names_forget(&p->names);
  printer_clear(p);
  g_free(p->text);
  g_free(p);
}

/* Clears the text and finds the names of the function. */
static void
begin_part(NornPrinter *p, const NornFunction *function) {
  p->at = p->text;
  if (p->function == function)
    return;
  if (p->function)
    norn_names_forget(&p->names);
  begin_function(p, function);
}

static const char *
end_part(NornPrinter *p) {
  norn_put_char(p, 0);
  return p->text;
}

const char *
norn_printer_inst(NornPrinter *p, const NornFunction *function, uint32_t inst) {
  begin_part(p, function);
  norn_put_inst(p, inst);
  return end_part(p);
}

const char *
norn_printer_block(NornPrinter *p, const NornFunction *function, uint32_t block) {
  begin_part(p, function);
  norn_put_block_name(p, block);
  return end_part(p);
}

const char *
norn_printer_value(NornPrinter *p, const NornFunction *function, uint32_t value) {
  begin_part(p, function);
  if (p->names.value_numbers[value] == NORN_NAME_UNDEFINED)
    return NULL;
  norn_put_char(p, '%');
  norn_put_value_name(p, value);
  return end_part(p);
}
