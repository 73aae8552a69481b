/* norn run on a machine that is registers and nothing else (GCN's vector ALU, VP1's vector unit).
 *
 *   norn run --target gcn --arch 1.2 program.s v0=f32[1, 2, 3] v1=0x3F800000 s4=7 exec=0xFF =>
 * v2=f32[2, 4, 6]
 *
 * A list fills a register from its first lane on, a number every lane of a vector register;
 * include/norn/registers.h has the names. Prints what changed; what stands after => is compared,
 * over as many elements as it lists. */
#include "tools/run_spec.h"
#include "tools/tool.h"

#include <norn/registers.h>
#include <stdio.h>
#include <string.h>

#define LANES_MAXIMUM 64

/* The registers whose changes are shown: count 0 is one without a number. */
static const struct {
  const char *isa, *name;
  guint count, lanes;
  NornType type;
} shown[] = {
    {"gcn", "v", 256, 64, NORN_TYPE_I32}, {"gcn", "s", 102, 1, NORN_TYPE_I32},
    {"gcn", "vcc", 0, 1, NORN_TYPE_I64},  {"gcn", "m0", 0, 1, NORN_TYPE_I32},
    {"gcn", "exec", 0, 1, NORN_TYPE_I64}, {"vp1", "v", 32, 16, NORN_TYPE_I8},
    {"vp1", "va", 0, 16, NORN_TYPE_I32},  {"vp1", "vc", 4, 1, NORN_TYPE_I32},
    {"vp1", "vx", 0, 16, NORN_TYPE_I8},
};

/* Sets every lane of a vector register, or a scalar one: 64 bits where it has them or the number
 * needs them. */
static gboolean
set_number(NornRegisterMachine *machine, const RunValue *value, GError **error) {
  guint64 bits, filled[LANES_MAXIMUM];
  gboolean is_wide = !run_spec_number(value->number, NORN_TYPE_I32, &bits, NULL);
  if (is_wide && run_spec_number(value->number, NORN_TYPE_F32, &bits, NULL))
    is_wide = bits > G_MAXUINT32;
  else if (is_wide && !run_spec_number(value->number, NORN_TYPE_I64, &bits, error))
    return FALSE;
  gsize lanes = norn_register_machine_lanes(machine, value->name);
  gboolean is_vector = lanes >= 16 && lanes <= LANES_MAXIMUM && *value->name == 'v';
  is_wide |= !strcmp(value->name, "exec") || !strcmp(value->name, "vcc");
  for (gsize i = 0; i < LANES_MAXIMUM; i++)
    filled[i] = bits;
  if (!is_vector)
    return norn_register_machine_write(machine, value->name, filled, 1, is_wide ? 8 : 4, error);
  gsize size = lanes == 16 ? 1 : 4; /* of a lane */
  guint8 narrow[4 * LANES_MAXIMUM];
  for (gsize i = 0; i < lanes; i++)
    memcpy(narrow + i * size, &bits, size);
  return norn_register_machine_write(machine, value->name, narrow, lanes, size, error);
}

static gboolean
set_registers(NornRegisterMachine *machine, const RunSpec *spec, GError **error) {
  for (guint i = 0; i < spec->values->len; i++) {
    const RunValue *value = spec->values->pdata[i];
    gsize size = value->bytes ? run_spec_element_size(value->type) : 0;
    gboolean done = value->bytes
                        ? norn_register_machine_write(machine, value->name, value->bytes->data,
                                                      value->bytes->len / size, size, error)
                        : set_number(machine, value, error);
    if (!done)
      return FALSE;
  }
  return TRUE;
}

/* Prints the register if it differs from `before`. */
static void
print_register(const NornRegisterMachine *before, const NornRegisterMachine *after,
               const char *name, guint lanes, NornType type) {
  guint8 old[8 * LANES_MAXIMUM], now[8 * LANES_MAXIMUM];
  gsize size = run_spec_element_size(type);
  if (!norn_register_machine_read(before, name, old, lanes, size, NULL) ||
      !norn_register_machine_read(after, name, now, lanes, size, NULL) ||
      !memcmp(old, now, lanes * size))
    return;
  g_autofree char *text = run_spec_format(type, now, lanes * size);
  printf("%s=%s\n", name, text);
}

static void
print_changes(const char *isa, const NornRegisterMachine *before,
              const NornRegisterMachine *after) {
  for (guint i = 0; i < G_N_ELEMENTS(shown); i++) {
    if (strcmp(shown[i].isa, isa))
      continue;
    for (guint k = 0; k < MAX(shown[i].count, 1); k++) {
      g_autofree char *name =
          shown[i].count ? g_strdup_printf("%s%u", shown[i].name, k) : g_strdup(shown[i].name);
      print_register(before, after, name, shown[i].lanes, shown[i].type);
    }
  }
}

static gboolean
compare(const NornRegisterMachine *machine, const RunSpec *spec, GError **error) {
  for (guint i = 0; i < spec->expected->len; i++) {
    const RunValue *value = spec->expected->pdata[i];
    gsize size = run_spec_element_size(value->type), count = value->bytes->len / size;
    g_autofree guint8 *actual = g_malloc0(value->bytes->len + 8);
    if (!norn_register_machine_read(machine, value->name, actual, count, size, error))
      return FALSE;
    for (gsize lane = 0; lane < count; lane++) {
      if (run_spec_equal(value->type, value->bytes->data, actual, lane))
        continue;
      g_autofree char *got = run_spec_format(value->type, actual + lane * size, size);
      g_autofree char *wanted =
          run_spec_format(value->type, value->bytes->data + lane * size, size);
      g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                  "%s, lane %" G_GSIZE_FORMAT ", is %s, but should be %s", value->name, lane, got,
                  wanted);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
tool_run_registers(GBytes *code, const char *isa, const char *architecture, const RunSpec *spec,
                   gboolean quiet, GError **error) {
  gsize size;
  const void *words = g_bytes_get_data(code, &size);
  NornRegisterMachine *before = norn_register_machine_new(isa, architecture, error);
  NornRegisterMachine *after = before ? norn_register_machine_new(isa, architecture, error) : NULL;
  gboolean done = after && set_registers(before, spec, error) &&
                  set_registers(after, spec, error) &&
                  norn_register_machine_run(after, words, size, error);
  if (done && !quiet)
    print_changes(isa, before, after);
  done = done && compare(after, spec, error);
  norn_register_machine_free(before);
  norn_register_machine_free(after);
  return done;
}
