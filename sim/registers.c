/* Registers by name, over the state structs of the GCN and VP1 simulators.
 *
 * A row for each name describes how its elements are laid out in the state: a first lane, a
 * stride between lanes, and a stride between registers for elements that span several registers.
 * Reading and writing are the same for all of them. */
#include "sim/gcn/execute.h"
#include "sim/vp1/execute.h"
#include <norn/isa.h>
#include <norn/registers.h>
#include <stdlib.h>
#include <string.h>

/* Words in the LDS of one workgroup. */
#define GCN_LDS_WORDS 16384
/* Scalar registers that have a number. */
#define GCN_SCALARS 106

typedef struct {
  uint8_t *base; /* NULL: no such register */
  size_t lanes, lane_stride;
  size_t word_bytes;
  size_t words, word_stride; /* the most registers that one element may span */
  size_t element_words;      /* of an element of the size that a caller wants */
  int64_t min, max;
  bool is_flag, is_pair, is_scalar;
} RegisterView;

/* How the elements of registers are laid out. */
typedef enum {
  LAYOUT_LANES,   /* a wide element spans several lanes */
  LAYOUT_VECTORS, /* a wide element spans the same lane of several registers */
  LAYOUT_SCALARS, /* one lane each; a wide element spans several registers */
  LAYOUT_PAIR,    /* two scalars that are one element */
  LAYOUT_VALUE,
  LAYOUT_FLAG,   /* a bool */
  LAYOUT_MEMORY, /* behind a pointer */
} Layout;

/* The registers of one name in a state. */
typedef struct {
  const char *name; /* followed by a number if `count` is not 0 */
  unsigned count;
  Layout layout;
  size_t offset;       /* of the first one */
  size_t stride;       /* from one to the next */
  size_t lanes, bytes; /* bytes of a lane */
  int64_t min, max;    /* what a lane may hold, if not any value */
} RegisterRow;

typedef struct {
  const char *isa;
  void *(*new_state)(void);
  void (*free_state)(void *state);
  const RegisterRow *rows; /* ends with a name NULL */
  bool (*run)(void *state, unsigned architecture, const void *code, size_t size, GError **error);
} MachineClass;

struct NornRegisterMachine {
  const MachineClass *class;
  unsigned architecture;
  void *state;
};

/* The number in a name such as "v12" with this prefix, or -1. */
static int
numbered(const char *name, const char *prefix, unsigned count) {
  size_t length = strlen(prefix);
  if (strncmp(name, prefix, length) != 0 || !g_ascii_isdigit(name[length]))
    return -1;
  char *end;
  unsigned long number = strtoul(name + length, &end, 10);
  return *end || number >= count ? -1 : (int)number;
}

/* --- GCN --- */

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

#define SIZE_OF(type, member) sizeof(((type *)NULL)->member)
/* A name without a number: an array of lanes, a value, a flag. */
#define LANES(type, member)                                                                        \
  0, LAYOUT_LANES, offsetof(type, member), 0, SIZE_OF(type, member) / SIZE_OF(type, member[0]),    \
      SIZE_OF(type, member[0])
#define VALUE(type, member) 0, LAYOUT_VALUE, offsetof(type, member), 0, 1, SIZE_OF(type, member)
#define FLAG(type, member) 0, LAYOUT_FLAG, offsetof(type, member), 0, 1, SIZE_OF(type, member), 0, 1

static const RegisterRow gcn_rows[] = {
    {"s", GCN_SCALARS, LAYOUT_SCALARS, offsetof(NornGcnState, s), 4, 1, 4},
    {"vcc", 0, LAYOUT_PAIR, offsetof(NornGcnState, s[NORN_GCN_VCC]), 4, 2, 4},
    {"m0", VALUE(NornGcnState, s[NORN_GCN_M0])},
    {"exec", 0, LAYOUT_PAIR, offsetof(NornGcnState, s[NORN_GCN_EXEC]), 4, 2, 4},
    {"mode", VALUE(NornGcnState, mode)},
    {"scc", FLAG(NornGcnState, scc)},
    {"v", 256, LAYOUT_VECTORS, offsetof(NornGcnState, v), SIZE_OF(NornGcnState, v[0]),
     NORN_GCN_LANES, 4},
    {"lds", 0, LAYOUT_MEMORY, offsetof(NornGcnState, lds), 4, GCN_LDS_WORDS, 4},
    {"primitive_count", VALUE(NornGcnState, primitive_count)},
    {"primitive", LANES(NornGcnState, primitive)},
    {NULL},
};

static bool
gcn_run(void *state, unsigned architecture, const void *code, size_t size, GError **error) {
  return norn_gcn_run(state, architecture, code, size, error);
}

/* --- VP1 --- */

static void *
vp1_new(void) {
  return g_new0(NornVp1State, 1);
}

static const RegisterRow vp1_rows[] = {
    {"v", 32, LAYOUT_LANES, offsetof(NornVp1State, v), NORN_VP1_LANES, NORN_VP1_LANES, 1},
    {"vx", LANES(NornVp1State, vx)},
    {"va", LANES(NornVp1State, va), -(1 << 27), (1 << 27) - 1},
    {"vc", 4, LAYOUT_VALUE, offsetof(NornVp1State, vc), 4, 1, 4},
    {"c", 4, LAYOUT_VALUE, offsetof(NornVp1State, c), 2, 1, 2},
    {"tie_down", FLAG(NornVp1State, tie_down)},
    {"s2v_valid", FLAG(NornVp1State, s2v.valid)},
    {"factor", LANES(NornVp1State, s2v.factor), -512, 511},
    {"vcsrc", VALUE(NornVp1State, s2v.vcsrc), 0, 3},
    {"vcpart", VALUE(NornVp1State, s2v.vcpart), 0, 1},
    {"vcmode", VALUE(NornVp1State, s2v.vcmode), 0, 7},
    {NULL},
};

static bool
vp1_run(void *state, unsigned architecture, const void *code, size_t size, GError **error) {
  (void)architecture;
  return norn_vp1_run(state, code, size, error);
}

static const MachineClass classes[] = {
    {"gcn", gcn_new, gcn_free, gcn_rows, gcn_run},
    {"vp1", vp1_new, g_free, vp1_rows, vp1_run},
};

/* --- The interface --- */

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
    g_set_error(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED, "unknown machine '%s%s%s'", isa,
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

/* The address of register `number` of a row. */
static RegisterView
storage_of(const RegisterRow *row, void *state, unsigned number) {
  uint8_t *base = (uint8_t *)state + row->offset + number * row->stride;
  RegisterView view = {.base = base,
                       .lanes = row->lanes,
                       .lane_stride = row->bytes,
                       .word_bytes = row->bytes,
                       .words = 1,
                       .word_stride = row->bytes,
                       .min = row->min,
                       .max = row->max};
  switch (row->layout) {
  case LAYOUT_LANES:
    view.words = row->lanes;
    break;
  case LAYOUT_VECTORS:
    view.words = row->count - number;
    view.word_stride = row->stride;
    break;
  case LAYOUT_SCALARS:
    view.lanes = row->count - number;
    view.words = 2;
    view.is_scalar = true;
    break;
  case LAYOUT_PAIR:
    view.words = 2;
    view.is_scalar = view.is_pair = true;
    break;
  case LAYOUT_MEMORY:
    view.base = *(uint8_t **)(void *)base;
    break;
  case LAYOUT_FLAG:
    view.is_flag = true;
    break;
  case LAYOUT_VALUE:
    break;
  }
  return view;
}

static RegisterView
find_view(const NornRegisterMachine *machine, const char *name) {
  if (*name == '$')
    name++;
  for (const RegisterRow *row = machine->class->rows; row->name; row++) {
    int number = row->count                     ? numbered(name, row->name, row->count)
                 : strcmp(name, row->name) == 0 ? 0
                                                : -1;
    if (number >= 0)
      return storage_of(row, machine->state, (unsigned)number);
  }
  return (RegisterView){0};
}

size_t
norn_register_machine_lanes(const NornRegisterMachine *machine, const char *name) {
  RegisterView view = find_view(machine, name);
  return view.base ? view.lanes : 0;
}

size_t
norn_register_machine_own_lanes(const NornRegisterMachine *machine, const char *name) {
  RegisterView view = find_view(machine, name);
  return view.is_scalar ? 1 : view.base ? view.lanes : 0;
}

char **
norn_register_machine_names(const NornRegisterMachine *machine) {
  GPtrArray *names = g_ptr_array_new();
  for (const RegisterRow *row = machine->class->rows; row->name; row++) {
    if (!row->count)
      g_ptr_array_add(names, g_strdup(row->name));
    for (unsigned i = 0; i < row->count; i++)
      g_ptr_array_add(names, g_strdup_printf("%s%u", row->name, i));
  }
  g_ptr_array_add(names, NULL);
  return (char **)g_ptr_array_free(names, FALSE);
}

size_t
norn_register_machine_element_bytes(const NornRegisterMachine *machine, const char *name) {
  RegisterView view = find_view(machine, name);
  return view.base ? view.word_bytes * (view.is_pair ? 2 : 1) : 0;
}

static void
fail_name(const NornRegisterMachine *machine, const char *name, GError **error) {
  g_autoptr(GString) names = g_string_new(NULL);
  for (const RegisterRow *row = machine->class->rows; row->name; row++) {
    g_string_append(names, names->len == 0 ? "" : row[1].name ? ", " : " or ");
    if (row->count)
      g_string_append_printf(names, "%s0 to %s%u", row->name, row->name, row->count - 1);
    else
      g_string_append(names, row->name);
  }
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "%s has no register '%.40s', expected %s",
              machine->class->isa, name, names->str);
}

/* Finds the view of `count` elements of `bytes` bytes, if there is such a register and they fit
 * into it. */
static bool
find_elements(const NornRegisterMachine *machine, const char *name, size_t count, size_t bytes,
              RegisterView *view, GError **error) {
  *view = find_view(machine, name);
  if (!view->base) {
    fail_name(machine, name, error);
    return false;
  }
  size_t max = MIN(view->word_bytes * view->words, sizeof(uint64_t));
  view->element_words = (bytes + view->word_bytes - 1) / view->word_bytes;
  if (count > view->lanes)
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "'%s' holds %zu elements, not %zu", name,
                view->lanes, count);
  else if (bytes > max)
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "'%s' holds elements of at most %zu bytes, not %zu", name, max, bytes);
  else if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "'%s' holds elements of 1, 2, 4 or 8 bytes, not %zu", name, bytes);
  else if (view->word_stride == view->lane_stride && count * view->element_words > view->lanes)
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "'%s' is the first of %zu registers, not %zu", name, view->lanes,
                count * view->element_words);
  else
    return true;
  return false;
}

/* Word `word` of element `lane`. Elements of several scalars are consecutive, without overlap. */
static uint8_t *
word_at(const RegisterView *view, size_t lane, size_t word) {
  size_t stride = view->lane_stride;
  if (view->word_stride == stride)
    stride *= view->element_words;
  return view->base + lane * stride + word * view->word_stride;
}

static void
store_word(const RegisterView *view, uint8_t *target, uint64_t value) {
  if (view->is_flag)
    *(bool *)target = value != 0;
  else if (view->word_bytes == 1)
    *target = (uint8_t)value;
  else if (view->word_bytes == 2)
    *(uint16_t *)(void *)target = (uint16_t)value;
  else
    *(uint32_t *)(void *)target = (uint32_t)value;
}

static uint64_t
load_word(const RegisterView *view, const uint8_t *source) {
  if (view->is_flag)
    return *(const bool *)source;
  if (view->word_bytes == 1)
    return *source;
  if (view->word_bytes == 2)
    return *(const uint16_t *)(const void *)source;
  return *(const uint32_t *)(const void *)source;
}

/* Element `i`, zero-extended. */
static uint64_t
element_at(const void *elements, size_t i, size_t bytes) {
  uint64_t value = 0;
  memcpy(&value, (const uint8_t *)elements + i * bytes, bytes);
  return GUINT64_FROM_LE(value);
}

static uint64_t
word_of(const RegisterView *view, uint64_t value, size_t word) {
  size_t bits = 8 * view->word_bytes;
  return value >> bits * word & (UINT64_MAX >> (64 - bits));
}

/* Whether all words of the elements are in the range of the register's lanes. */
static bool
check_range(const RegisterView *view, const char *name, const void *elements, size_t count,
            size_t bytes, GError **error) {
  for (size_t i = 0; view->max && i < count; i++) {
    uint64_t value = element_at(elements, i, bytes);
    for (size_t k = 0; k < view->element_words; k++) {
      int64_t word = (int64_t)word_of(view, value, k);
      if (view->min < 0 && word >> (8 * view->word_bytes - 1))
        word -= INT64_C(1) << 8 * view->word_bytes;
      if (word >= view->min && word <= view->max)
        continue;
      g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                  "'%s' holds numbers from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
                  ", not %" G_GINT64_FORMAT,
                  name, view->min, view->max, word);
      return false;
    }
  }
  return true;
}

bool
norn_register_machine_write(NornRegisterMachine *machine, const char *name, const void *elements,
                            size_t count, size_t bytes, GError **error) {
  RegisterView view;
  if (!find_elements(machine, name, count, bytes, &view, error) ||
      !check_range(&view, name, elements, count, bytes, error))
    return false;
  for (size_t i = 0; i < count; i++) {
    uint64_t value = element_at(elements, i, bytes);
    for (size_t k = 0; k < view.element_words; k++)
      store_word(&view, word_at(&view, i, k), word_of(&view, value, k));
  }
  return true;
}

bool
norn_register_machine_read(const NornRegisterMachine *machine, const char *name, void *elements,
                           size_t count, size_t bytes, GError **error) {
  RegisterView view;
  if (!find_elements(machine, name, count, bytes, &view, error))
    return false;
  for (size_t i = 0; i < count; i++) {
    uint64_t value = 0;
    for (size_t k = 0; k < view.element_words; k++)
      value |= load_word(&view, word_at(&view, i, k)) << 8 * view.word_bytes * k;
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
