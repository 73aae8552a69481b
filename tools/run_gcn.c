/* norn run --target gcn: a program of vector ALU instructions on one wave of 64 lanes.
 *
 *   norn run --target gcn --arch 1.2 program.s v0=f32[1, 2, 3] v1=0x3F800000 s4=7 exec=0xFF =>
 * v2=f32[2, 4, 6]
 *
 * A list fills the lanes of a vector register from lane 0 on, a number all of them; scalar
 * registers are s0 to s101, vcc, m0 and exec, and mode is the MODE register. A 64-bit list or
 * number takes two registers. Prints what changed; what stands after => is compared, over as many
 * lanes as it lists. */
#include "sim/gcn.h"
#include "tools/run_spec.h"
#include "tools/tool.h"

#include <stdio.h>
#include <string.h>

#define MODE_DEFAULT NORN_GCN_MODE_ALL_DENORMALS

/* A register that a name stands for. */
typedef struct {
  gboolean is_vector, is_mode;
  guint number;
} Register;

static gboolean
find_register(const char *name, Register *found) {
  static const struct {
    const char *name;
    guint number;
  } names[] = {{"vcc", NORN_GCN_VCC}, {"m0", NORN_GCN_M0}, {"exec", NORN_GCN_EXEC}};
  guint64 number;
  *found = (Register){.is_mode = !strcmp(name, "mode")};
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    if (!strcmp(name, names[i].name)) {
      found->number = names[i].number;
      return TRUE;
    }
  if (found->is_mode)
    return TRUE;
  found->is_vector = *name == 'v';
  if ((*name != 'v' && *name != 's') ||
      !g_ascii_string_to_unsigned(name + 1, 10, 0, *name == 'v' ? 255 : 101, &number, NULL))
    return FALSE;
  found->number = (guint)number;
  return TRUE;
}

static gboolean
fail(GError **error, const char *format, const char *name) {
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, format, name);
  return FALSE;
}

/* Whether `words` registers from `place` on exist. */
static gboolean
has_room(const Register *place, guint words) {
  return place->number + words <= (place->is_vector ? 256u : (guint)NORN_GCN_SCALARS);
}

static gboolean
set_list(NornGcnState *state, const RunValue *value, const Register *place, GError **error) {
  gsize size = run_spec_element_size(value->type), words = (size + 3) / 4;
  if (!place->is_vector)
    return fail(error, "'%s' is scalar and takes a number, not a list", value->name);
  if (value->bytes->len / size > NORN_GCN_LANES || !has_room(place, (guint)words))
    return fail(error, "the list of '%s' has more than 64 elements, or no second register",
                value->name);
  for (guint lane = 0; lane < value->bytes->len / size; lane++) {
    guint64 bits = 0;
    memcpy(&bits, value->bytes->data + lane * size, size);
    for (guint k = 0; k < words; k++)
      state->v[place->number + k][lane] = (guint32)(bits >> 32 * k);
  }
  return TRUE;
}

/* A number without a type: an integer of 64 bits where two registers are meant, else of 32, or a
 * float. */
static gboolean
set_number(NornGcnState *state, const RunValue *value, const Register *place, GError **error) {
  guint64 bits;
  gboolean is_pair =
      !place->is_vector && (place->number == NORN_GCN_VCC || place->number == NORN_GCN_EXEC);
  if (!run_spec_number(value->number, is_pair ? NORN_TYPE_I64 : NORN_TYPE_I32, &bits, NULL) &&
      !run_spec_number(value->number, NORN_TYPE_F32, &bits, error))
    return FALSE;
  if (place->is_mode)
    state->mode = (guint32)bits;
  else if (place->is_vector)
    for (guint lane = 0; lane < NORN_GCN_LANES; lane++)
      state->v[place->number][lane] = (guint32)bits;
  else
    state->s[place->number] = (guint32)bits;
  if (is_pair)
    state->s[place->number + 1] = (guint32)(bits >> 32);
  return TRUE;
}

static gboolean
bind(NornGcnState *state, const RunSpec *spec, GError **error) {
  state->s[NORN_GCN_EXEC] = state->s[NORN_GCN_EXEC + 1] = UINT32_MAX;
  state->mode = MODE_DEFAULT;
  for (guint i = 0; i < spec->values->len; i++) {
    const RunValue *value = spec->values->pdata[i];
    Register place;
    if (!find_register(value->name, &place))
      return fail(error, "there is no register '%s'", value->name);
    if (!(value->bytes ? set_list : set_number)(state, value, &place, error))
      return FALSE;
  }
  return TRUE;
}

static void
print_changes(const NornGcnState *before, const NornGcnState *after) {
  for (guint i = 0; i < NORN_GCN_SCALARS; i++)
    if (before->s[i] != after->s[i])
      printf("s%u=0x%08x\n", i, after->s[i]);
  for (guint i = 0; i < 256; i++) {
    if (!memcmp(before->v[i], after->v[i], sizeof after->v[i]))
      continue;
    g_autofree char *text =
        run_spec_format(NORN_TYPE_I32, (const guint8 *)after->v[i], sizeof after->v[i]);
    printf("v%u=%s\n", i, text);
  }
}

static gboolean
compare(const NornGcnState *state, const RunSpec *spec, GError **error) {
  for (guint i = 0; i < spec->expected->len; i++) {
    const RunValue *value = spec->expected->pdata[i];
    gsize size = run_spec_element_size(value->type), words = (size + 3) / 4;
    Register place;
    if (!find_register(value->name, &place) || !place.is_vector ||
        !has_room(&place, (guint)words) || value->bytes->len / size > NORN_GCN_LANES)
      return fail(error, "'%s' after => is no vector register with that many lanes", value->name);
    for (guint lane = 0; lane < value->bytes->len / size; lane++) {
      guint8 actual[8] = {0};
      for (guint k = 0; k < words; k++)
        memcpy(actual + 4 * k, &state->v[place.number + k][lane], 4);
      if (run_spec_equal(value->type, value->bytes->data + lane * size, actual, 0))
        continue;
      g_autofree char *got = run_spec_format(value->type, actual, size);
      g_autofree char *wanted =
          run_spec_format(value->type, value->bytes->data + lane * size, size);
      g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "%s, lane %u, is %s, but should be %s",
                  value->name, lane, got, wanted);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
tool_run_gcn(GBytes *code, unsigned architecture, const RunSpec *spec, gboolean quiet,
             GError **error) {
  gsize size;
  const void *words = g_bytes_get_data(code, &size);
  g_autofree NornGcnState *before = g_new0(NornGcnState, 1);
  if (!bind(before, spec, error))
    return FALSE;
  g_autofree NornGcnState *after = g_memdup2(before, sizeof *before);
  if (!norn_gcn_run(after, architecture, words, size, error))
    return FALSE;
  if (!quiet)
    print_changes(before, after);
  return compare(after, spec, error);
}
