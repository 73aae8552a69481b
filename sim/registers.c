/* Registers by name, over the state structs of the GCN and VP1 simulators.
 *
 * A machine finds for a name where its elements lie: a first lane, a distance from lane to lane,
 * and one from a register to the next for elements of several registers. Reading and writing are
 * the same for all of them. */
#include "isa/isa.h"
#include "sim/gcn/execute.h"
#include "sim/vp1/execute.h"
#include <norn/registers.h>
#include <stdlib.h>
#include <string.h>

/* Words of LDS of one workgroup. */
#define GCN_LDS_WORDS 16384
/* Scalar registers with a number of their own. */
#define GCN_SCALARS 106

typedef struct {
  uint8_t *base; /* NULL: no such register */
  size_t lanes, lane_stride;
  size_t word_bytes;
  size_t words, word_stride; /* registers that one element may span */
  bool is_flag, is_pair, is_scalar;
} Place;

/* Registers of one prefix: count 0 is a name without number. */
typedef struct {
  const char *prefix;
  unsigned count;
} NameRange;

typedef struct {
  const char *isa;
  void *(*new_state)(void);
  void (*free_state)(void *state);
  Place (*find)(void *state, const char *name);
  const NameRange *names; /* ends with a prefix NULL */
  bool (*run)(void *state, unsigned architecture, const void *code, size_t size, GError **error);
} MachineClass;

struct NornRegisterMachine {
  const MachineClass *class;
  unsigned architecture;
  void *state;
};

/* An array of lanes; a wider element takes several of them. */
#define ARRAY_PLACE(array)                                                                         \
  ((Place){.base = (uint8_t *)(array),                                                             \
           .lanes = G_N_ELEMENTS(array),                                                           \
           .lane_stride = sizeof *(array),                                                         \
           .word_bytes = sizeof *(array),                                                          \
           .words = G_N_ELEMENTS(array),                                                           \
           .word_stride = sizeof *(array)})
#define VALUE_PLACE(value)                                                                         \
  ((Place){.base = (uint8_t *)&(value), .lanes = 1, .word_bytes = sizeof(value), .words = 1})
#define FLAG_PLACE(value)                                                                          \
  ((Place){.base = (uint8_t *)&(value),                                                            \
           .lanes = 1,                                                                             \
           .word_bytes = sizeof(value),                                                            \
           .words = 1,                                                                             \
           .is_flag = true})

/* The number in a name such as "v12" with this prefix, -1 if it is none. */
static int
numbered(const char *name, const char *prefix, unsigned count) {
  size_t length = strlen(prefix);
  if (strncmp(name, prefix, length) != 0 || !g_ascii_isdigit(name[length]))
    return -1;
  char *end;
  unsigned long number = strtoul(name + length, &end, 10);
  return *end || number >= count ? -1 : (int)number;
}

/* ---- GCN ---- */

static void *
gcn_new(void) {
  NornGcnState *state = g_new0(NornGcnState, 1);
  state->s[NORN_GCN_EXEC] = state->s[NORN_GCN_EXEC + 1] = UINT32_MAX;
  state->mode = NORN_GCN_MODE_ALL_DENORMALS;
  state->lds = g_new0(uint32_t, GCN_LDS_WORDS);
  state->lds_words = GCN_LDS_WORDS;
  return state;
}

static void
gcn_free(void *data) {
  NornGcnState *state = data;
  g_free(state->lds);
  g_free(state);
}

/* Scalars from `code` on, one after the other. */
static Place
gcn_scalars(NornGcnState *state, unsigned code, unsigned count) {
  return (Place){.base = (uint8_t *)&state->s[code],
                 .lanes = count,
                 .lane_stride = sizeof state->s[0],
                 .word_bytes = sizeof state->s[0],
                 .words = 2,
                 .word_stride = sizeof state->s[0],
                 .is_scalar = true};
}

static Place
gcn_find(void *data, const char *name) {
  NornGcnState *state = data;
  int number = numbered(name, "v", G_N_ELEMENTS(state->v));
  if (number >= 0)
    return (Place){.base = (uint8_t *)state->v[number],
                   .lanes = NORN_GCN_LANES,
                   .lane_stride = sizeof(uint32_t),
                   .word_bytes = sizeof(uint32_t),
                   .words = G_N_ELEMENTS(state->v) - (size_t)number,
                   .word_stride = sizeof state->v[0]};
  number = numbered(name, "s", GCN_SCALARS);
  if (number >= 0)
    return gcn_scalars(state, (unsigned)number, GCN_SCALARS - (unsigned)number);
  if (strcmp(name, "vcc") == 0 || strcmp(name, "exec") == 0) {
    Place pair = gcn_scalars(state, *name == 'v' ? NORN_GCN_VCC : NORN_GCN_EXEC, 2);
    pair.is_pair = true;
    return pair;
  }
  if (strcmp(name, "m0") == 0)
    return VALUE_PLACE(state->s[NORN_GCN_M0]);
  if (strcmp(name, "mode") == 0)
    return VALUE_PLACE(state->mode);
  if (strcmp(name, "scc") == 0)
    return FLAG_PLACE(state->scc);
  if (strcmp(name, "primitive_count") == 0)
    return VALUE_PLACE(state->primitive_count);
  if (strcmp(name, "primitive") == 0)
    return ARRAY_PLACE(state->primitive);
  if (strcmp(name, "lds") == 0)
    return (Place){.base = (uint8_t *)state->lds,
                   .lanes = state->lds_words,
                   .lane_stride = sizeof(uint32_t),
                   .word_bytes = sizeof(uint32_t),
                   .words = 1};
  return (Place){0};
}

static bool
gcn_run(void *state, unsigned architecture, const void *code, size_t size, GError **error) {
  return norn_gcn_run(state, architecture, code, size, error);
}

/* ---- VP1 ---- */

static void *
vp1_new(void) {
  return g_new0(NornVp1State, 1);
}

static Place
vp1_find(void *data, const char *name) {
  NornVp1State *state = data;
  int number = numbered(name, "v", G_N_ELEMENTS(state->v));
  if (number >= 0)
    return ARRAY_PLACE(state->v[number]);
  number = numbered(name, "vc", G_N_ELEMENTS(state->vc));
  if (number >= 0)
    return VALUE_PLACE(state->vc[number]);
  number = numbered(name, "c", G_N_ELEMENTS(state->c));
  if (number >= 0)
    return VALUE_PLACE(state->c[number]);
  if (strcmp(name, "vx") == 0)
    return ARRAY_PLACE(state->vx);
  if (strcmp(name, "va") == 0)
    return ARRAY_PLACE(state->va);
  if (strcmp(name, "tie_down") == 0)
    return FLAG_PLACE(state->tie_down);
  if (strcmp(name, "s2v_valid") == 0)
    return FLAG_PLACE(state->s2v.valid);
  if (strcmp(name, "factor") == 0)
    return ARRAY_PLACE(state->s2v.factor);
  if (strcmp(name, "vcsrc") == 0)
    return VALUE_PLACE(state->s2v.vcsrc);
  if (strcmp(name, "vcpart") == 0)
    return VALUE_PLACE(state->s2v.vcpart);
  if (strcmp(name, "vcmode") == 0)
    return VALUE_PLACE(state->s2v.vcmode);
  return (Place){0};
}

static bool
vp1_run(void *state, unsigned architecture, const void *code, size_t size, GError **error) {
  (void)architecture;
  return norn_vp1_run(state, code, size, error);
}

static const NameRange gcn_names[] = {
    {"s", GCN_SCALARS}, {"vcc", 0},  {"m0", 0},
    {"exec", 0},        {"mode", 0}, {"scc", 0},
    {"v", 256},         {"lds", 0},  {"primitive_count", 0},
    {"primitive", 0},   {NULL, 0},
};

static const NameRange vp1_names[] = {
    {"v", 32},        {"vx", 0},     {"va", 0},    {"vc", 4},     {"c", 4},      {"tie_down", 0},
    {"s2v_valid", 0}, {"factor", 0}, {"vcsrc", 0}, {"vcpart", 0}, {"vcmode", 0}, {NULL, 0},
};

static const MachineClass classes[] = {
    {"gcn", gcn_new, gcn_free, gcn_find, gcn_names, gcn_run},
    {"vp1", vp1_new, g_free, vp1_find, vp1_names, vp1_run},
};

/* ---- the interface ---- */

static const MachineClass *
find_class(const char *isa) {
  for (unsigned i = 0; i < G_N_ELEMENTS(classes); i++)
    if (strcmp(classes[i].isa, isa) == 0)
      return &classes[i];
  return NULL;
}

bool
norn_register_machine_exists(const char *isa) {
  return find_class(isa) != NULL;
}

NornRegisterMachine *
norn_register_machine_new(const char *isa, const char *architecture, GError **error) {
  const MachineClass *class = find_class(isa);
  int number = 0;
  if (class && architecture)
    number = norn_isa_architecture(norn_isa_find(isa), architecture);
  if (!class || number < 0) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED, "there is no machine '%s%s%s'", isa,
                architecture ? " " : "", architecture ? architecture : "");
    return NULL;
  }
  NornRegisterMachine *machine = g_new0(NornRegisterMachine, 1);
  machine->class = class;
  machine->architecture = (unsigned)number;
  machine->state = class->new_state();
  return machine;
}

void
norn_register_machine_free(NornRegisterMachine *machine) {
  if (!machine)
    return;
  machine->class->free_state(machine->state);
  g_free(machine);
}

static Place
find_place(const NornRegisterMachine *machine, const char *name) {
  return machine->class->find(machine->state, *name == '$' ? name + 1 : name);
}

size_t
norn_register_machine_lanes(const NornRegisterMachine *machine, const char *name) {
  Place place = find_place(machine, name);
  return place.base ? place.lanes : 0;
}

size_t
norn_register_machine_own_lanes(const NornRegisterMachine *machine, const char *name) {
  Place place = find_place(machine, name);
  return place.is_scalar ? 1 : place.base ? place.lanes : 0;
}

char **
norn_register_machine_names(const NornRegisterMachine *machine) {
  GPtrArray *names = g_ptr_array_new();
  for (const NameRange *range = machine->class->names; range->prefix; range++) {
    if (!range->count)
      g_ptr_array_add(names, g_strdup(range->prefix));
    for (unsigned i = 0; i < range->count; i++)
      g_ptr_array_add(names, g_strdup_printf("%s%u", range->prefix, i));
  }
  g_ptr_array_add(names, NULL);
  return (char **)g_ptr_array_free(names, FALSE);
}

size_t
norn_register_machine_element_bytes(const NornRegisterMachine *machine, const char *name) {
  Place place = find_place(machine, name);
  return place.base ? place.word_bytes * (place.is_pair ? 2 : 1) : 0;
}

/* Finds the place of `count` elements of `bytes` bytes and how many words each of them takes, if
 * there is such a register and they fit into it. */
static bool
find_elements(const NornRegisterMachine *machine, const char *name, size_t count, size_t bytes,
              Place *place, size_t *words, GError **error) {
  *place = find_place(machine, name);
  if (!place->base) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "%s has no register '%s'",
                machine->class->isa, name);
    return false;
  }
  size_t most = MIN(place->word_bytes * place->words, sizeof(uint64_t));
  *words = (bytes + place->word_bytes - 1) / place->word_bytes;
  if (count > place->lanes)
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "'%s' holds %zu elements, not %zu", name,
                place->lanes, count);
  else if (bytes > most)
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "'%s' holds elements of %zu bytes at most, not %zu", name, most, bytes);
  else if (place->word_stride == place->lane_stride && count * *words > place->lanes)
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "'%s' has %zu registers after it, not %zu",
                name, place->lanes, count * *words);
  else
    return true;
  return false;
}

/* Word `word` of element `lane`. Elements of several scalars follow each other without overlap. */
static uint8_t *
word_at(const Place *place, size_t lane, size_t word, size_t words) {
  size_t stride = place->lane_stride;
  if (place->word_stride == stride)
    stride *= words;
  return place->base + lane * stride + word * place->word_stride;
}

static void
store_word(const Place *place, uint8_t *target, uint64_t value) {
  if (place->is_flag)
    *(bool *)target = value != 0;
  else if (place->word_bytes == 1)
    *target = (uint8_t)value;
  else if (place->word_bytes == 2)
    *(uint16_t *)(void *)target = (uint16_t)value;
  else
    *(uint32_t *)(void *)target = (uint32_t)value;
}

static uint64_t
load_word(const Place *place, const uint8_t *source) {
  if (place->is_flag)
    return *(const bool *)source;
  if (place->word_bytes == 1)
    return *source;
  if (place->word_bytes == 2)
    return *(const uint16_t *)(const void *)source;
  return *(const uint32_t *)(const void *)source;
}

bool
norn_register_machine_write(NornRegisterMachine *machine, const char *name, const void *elements,
                            size_t count, size_t bytes, GError **error) {
  Place place;
  size_t words;
  if (!find_elements(machine, name, count, bytes, &place, &words, error))
    return false;
  for (size_t i = 0; i < count; i++) {
    uint64_t value = 0;
    memcpy(&value, (const uint8_t *)elements + i * bytes, bytes);
    value = GUINT64_FROM_LE(value);
    for (size_t k = 0; k < words; k++)
      store_word(&place, word_at(&place, i, k, words), value >> 8 * place.word_bytes * k);
  }
  return true;
}

bool
norn_register_machine_read(const NornRegisterMachine *machine, const char *name, void *elements,
                           size_t count, size_t bytes, GError **error) {
  Place place;
  size_t words;
  if (!find_elements(machine, name, count, bytes, &place, &words, error))
    return false;
  for (size_t i = 0; i < count; i++) {
    uint64_t value = 0;
    for (size_t k = 0; k < words; k++)
      value |= load_word(&place, word_at(&place, i, k, words)) << 8 * place.word_bytes * k;
    value = GUINT64_TO_LE(value);
    memcpy((uint8_t *)elements + i * bytes, &value, bytes);
  }
  return true;
}

bool
norn_register_machine_run(NornRegisterMachine *machine, const void *code, size_t size,
                          GError **error) {
  return machine->class->run(machine->state, machine->architecture, code, size, error);
}
