/* norn run on a machine that consists only of registers (GCN's vector ALU, VP1's vector unit).
 *
 *   norn run --target gcn --arch 1.2 program.s \
 *       v0=f32[1, 2, 3] v1=0x3F800000 s4=7 exec=0xFF => v2=f32[2, 4, 6]
 *
 * A list fills a register from its first lane on, a number every lane of a vector register;
 * include/norn/registers.h has the names. Prints the registers that changed, in the type of the
 * lists that name them. Values after => are compared, over as many elements as they list. */
#include "run/run.h"

#include <norn/registers.h>
#include <string.h>

static const RunElement *
element_of_size(gsize bytes) {
  return run_element_find(bytes == 1 ? "i8" : bytes == 2 ? "i16" : bytes == 8 ? "i64" : "i32");
}

/* Sets a register to a number: all lanes of a vector register, or a single scalar. */
static gboolean
set_number(NornRegisterMachine *machine, const RunValue *value, GError **error) {
  guint64 bits = 0;
  gsize bytes = norn_register_machine_element_bytes(machine, value->name);
  gsize lanes = norn_register_machine_own_lanes(machine, value->name);
  if (!bytes) /* it reports that there is no such register */
    return norn_register_machine_write(machine, value->name, &bits, 1, 1, error);
  if (!run_either_number(value->number, element_of_size(bytes), &bits, error))
    return FALSE;
  g_autofree guint8 *elements = g_malloc0(lanes * bytes + sizeof bits);
  bits = GUINT64_TO_LE(bits);
  for (gsize i = 0; i < lanes; i++)
    memcpy(elements + i * bytes, &bits, bytes);
  return norn_register_machine_write(machine, value->name, elements, lanes, bytes, error);
}

static gboolean
set_value(NornRegisterMachine *machine, const RunValue *value, GError **error) {
  if (!value->bytes)
    return set_number(machine, value, error);
  gsize bytes = value->element->size;
  return norn_register_machine_write(machine, value->name, value->bytes->data,
                                     value->bytes->len / bytes, bytes, error);
}

/* As many elements of the register as the value has, or NULL. */
static guint8 *
read_value(const NornRegisterMachine *machine, const RunValue *value, GError **error) {
  gsize bytes = value->element->size;
  guint8 *elements = g_malloc0(value->bytes->len + 1);
  if (norn_register_machine_read(machine, value->name, elements, value->bytes->len / bytes, bytes,
                                 error))
    return elements;
  g_free(elements);
  return NULL;
}

static gboolean
check_value(NornRegisterMachine *machine, const RunValue *value, GError **error) {
  g_autofree guint8 *elements = read_value(machine, value, error);
  gsize step = value->element->size;
  if (!elements)
    return FALSE;
  for (gsize i = 0; i < value->bytes->len / step; i++) {
    if (run_element_equal(value->element, value->bytes->data, elements, i))
      continue;
    g_autofree char *got = run_list_format(value->element, elements + i * step, step);
    g_autofree char *wanted = run_list_format(value->element, value->bytes->data + i * step, step);
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "%s, lane %" G_GSIZE_FORMAT ", is %s, but should be %s", value->name, i, got,
                wanted);
    return FALSE;
  }
  return TRUE;
}

/* All lanes of a register. */
static GBytes *
read_register(const NornRegisterMachine *machine, const char *name) {
  gsize bytes = norn_register_machine_element_bytes(machine, name);
  gsize lanes = norn_register_machine_own_lanes(machine, name);
  guint8 *elements = g_malloc0(lanes * bytes);
  norn_register_machine_read(machine, name, elements, lanes, bytes, NULL);
  return g_bytes_new_take(elements, lanes * bytes);
}

static GPtrArray *
read_all(const NornRegisterMachine *machine, char **names) {
  GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
  for (; *names; names++)
    g_ptr_array_add(all, read_register(machine, *names));
  return all;
}

/* The list that names a register: its expected contents, otherwise its input. */
static const RunValue *
find_list(const RunSpec *spec, const char *name) {
  const RunValue *expected = run_spec_find(spec->expected, name);
  const RunValue *given = expected ? expected : run_spec_find(spec->values, name);
  return given && given->bytes ? given : NULL;
}

/* Prints the registers that have changed. */
static void
print_changes(const NornRegisterMachine *machine, const RunSpec *spec, char **names,
              GPtrArray *before, RunPrinter *printer) {
  for (guint i = 0; names[i]; i++) {
    const RunValue *list = find_list(spec, names[i]);
    g_autoptr(GBytes) after = read_register(machine, names[i]);
    if (g_bytes_equal(before->pdata[i], after))
      continue;
    gsize size;
    const guint8 *elements = g_bytes_get_data(after, &size);
    g_autofree guint8 *listed = list ? read_value(machine, list, NULL) : NULL;
    RunContents contents = {.name = names[i], .bytes = elements, .size = size};
    if (listed) {
      contents.element = list->element;
      contents.bytes = listed;
      contents.size = list->bytes->len;
    } else {
      contents.element = element_of_size(norn_register_machine_element_bytes(machine, names[i]));
    }
    run_printer_list(printer, &contents);
  }
}

/* Registers accept only numbers and lists, and there is nothing to draw. */
static gboolean
check_kinds(const RunSpec *spec, GError **error) {
  for (guint i = 0; i < spec->values->len; i++) {
    const RunValue *value = spec->values->pdata[i];
    if (value->kind != RUN_NUMBER && value->kind != RUN_LIST)
      return run_spec_fail(spec, value->location, error,
                           "'%s': expected a number or a list for a register", value->name);
  }
  if (spec->grid_location.line)
    return run_spec_fail(spec, spec->grid_location, error,
                         "a program for a register machine runs once, without a grid");
  if (spec->draw.location.line || spec->attributes->len || spec->entries->len)
    return run_spec_fail(spec, spec->location, error,
                         "a register machine has no draw, attributes or tables");
  return TRUE;
}

/* Sets or checks a register; errors have the position of the value. */
static gboolean
at_value(const RunSpec *spec, const RunValue *value,
         gboolean (*use)(NornRegisterMachine *, const RunValue *, GError **),
         NornRegisterMachine *machine, GError **error) {
  g_autoptr(GError) problem = NULL;
  return use(machine, value, &problem) ||
         run_spec_fail(spec, value->location, error, "%s", problem->message);
}

static gboolean
run_machine(NornRegisterMachine *machine, const Program *program, const RunSpec *spec,
            RunPrinter *printer, GError **error) {
  gsize size;
  const void *bytes = g_bytes_get_data(program->code, &size);
  g_auto(GStrv) names = norn_register_machine_names(machine);
  for (guint i = 0; i < spec->values->len; i++)
    if (!at_value(spec, spec->values->pdata[i], set_value, machine, error))
      return FALSE;
  g_autoptr(GPtrArray) before = read_all(machine, names);
  if (!norn_register_machine_run(machine, bytes, size, error)) {
    g_prefix_error(error, "%s: ", tool_input_name(program->path));
    return FALSE;
  }
  run_printer_begin(printer, spec, NULL);
  if (!program->quiet)
    print_changes(machine, spec, names, before, printer);
  run_printer_end(printer, NULL);
  for (guint i = 0; i < spec->expected->len; i++)
    if (!at_value(spec, spec->expected->pdata[i], check_value, machine, error))
      return FALSE;
  return TRUE;
}

gboolean
tool_run_registers(const Program *program, const RunSpec *spec, RunPrinter *printer,
                   GError **error) {
  if (!check_kinds(spec, error))
    return FALSE;
  NornRegisterMachine *machine =
      norn_register_machine_new(norn_isa_name(program->isa), program->architecture, error);
  if (!machine)
    return FALSE;
  gboolean done = run_machine(machine, program, spec, printer, error);
  norn_register_machine_free(machine);
  return done;
}
