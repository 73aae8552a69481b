/* Source names of registers. The result of an instruction in a register has the name in the
 * code's map until the register is written again in that lane. If a parameter takes over the
 * register of its argument, the register has both names. */
#include "run/watch.h"

#include <string.h>

#define REGISTERS 64
/* The greatest number of names of one register; older ones are forgotten. */
#define ALIASES 4

/* The values that a register holds in a lane, newest first. */
typedef const NornCodeValue *RegisterNames[ALIASES];

typedef struct WarpNames {
  RegisterNames names[REGISTERS][NORN_OBSERVED_LANES];
} WarpNames;

struct Names {
  const NornCodeMap *map;
  const NornModule *source;
  GHashTable *warps; /* number -> WarpNames */
};

Names *
names_new(const NornCodeMap *map, const NornModule *source) {
  Names *names = g_new0(Names, 1);
  names->map = map;
  names->source = source;
  names->warps = g_hash_table_new_full(NULL, NULL, NULL, g_free);
  return names;
}

void
names_free(Names *names) {
  if (!names)
    return;
  g_hash_table_destroy(names->warps);
  g_free(names);
}

static WarpNames *
find_warp(const Names *names, const NornObservation *at) {
  return g_hash_table_lookup(names->warps, GUINT_TO_POINTER(at->warp));
}

static void
add_name(WarpNames *warp, const NornCodeValue *value, unsigned lanes) {
  for (guint reg = value->reg; reg < value->reg + value->words && reg < REGISTERS; reg++)
    for (guint lane = 0; lane < NORN_OBSERVED_LANES; lane++) {
      const NornCodeValue **names = warp->names[reg][lane];
      if (!(lanes >> lane & 1) || names[0] == value)
        continue;
      memmove(names + 1, names, (ALIASES - 1) * sizeof *names);
      names[0] = value;
    }
}

static void
forget_results(WarpNames *warp, const NornObservation *at) {
  NornObservedValue value;
  for (guint i = 0; norn_observation_operand(at, i, &value); i++) {
    if (value.role != NORN_OBSERVED_RESULT || value.reg < 0)
      continue;
    for (guint reg = (guint)value.reg; reg < (guint)value.reg + value.words; reg++)
      for (guint lane = 0; lane < NORN_OBSERVED_LANES; lane++)
        if (reg < REGISTERS && value.lanes >> lane & 1)
          memset(warp->names[reg][lane], 0, sizeof warp->names[reg][lane]);
  }
}

void
names_observe(Names *names, const NornObservation *at) {
  const NornCodeInst *inst =
      names->map && at->is_machine_code ? norn_code_map_at(names->map, at->address / 8) : NULL;
  if (!inst || at->phase == NORN_OBSERVE_TRAP)
    return;
  WarpNames *warp = find_warp(names, at);
  if (!warp) {
    warp = g_new0(WarpNames, 1);
    g_hash_table_insert(names->warps, GUINT_TO_POINTER(at->warp), warp);
  }
  gboolean before = at->phase == NORN_OBSERVE_BEFORE;
  const NornCodeValue *values = before ? inst->found : inst->left;
  guint count = before ? inst->found_count : inst->left_count;
  if (!before)
    forget_results(warp, at);
  for (guint i = 0; i < count; i++)
    add_name(warp, &values[i], at->active);
}

const NornCodeValue *
names_of_register(const Names *names, const NornObservation *at, unsigned lane, unsigned reg) {
  const WarpNames *warp = find_warp(names, at);
  const NornCodeValue *value = warp && reg < REGISTERS ? warp->names[reg][lane][0] : NULL;
  return value && value->reg == reg ? value : NULL;
}

NornType
names_type(const Names *names, const NornCodeValue *value) {
  NornType type;
  if (!names->source || !norn_module_find_value(names->source, value->name, &type))
    return value->type;
  const RunElement *element = run_element_of_type(type);
  gboolean fits = element && element->is_float && (element->size + 3u) / 4 == value->words;
  return fits ? type : value->type;
}

static gboolean
has_name(const WarpNames *warp, guint reg, guint lane, const NornCodeValue *value) {
  for (guint i = 0; reg < REGISTERS && i < ALIASES; i++)
    if (warp->names[reg][lane][i] == value)
      return TRUE;
  return FALSE;
}

/* The value called `name` all of whose registers a lane still holds, or NULL. */
static const NornCodeValue *
find_in_lane(const WarpNames *warp, const char *name, guint lane) {
  for (guint i = 0; i < REGISTERS * ALIASES; i++) {
    const NornCodeValue *value = warp->names[i / ALIASES][lane][i % ALIASES];
    gboolean whole = value && !strcmp(value->name, name);
    for (guint w = 0; whole && w < value->words; w++)
      whole = has_name(warp, value->reg + w, lane, value);
    if (whole)
      return value;
  }
  return NULL;
}

static void
copy_lane(const Names *names, const NornObservation *at, const NornCodeValue *source, guint lane,
          NornObservedValue *value) {
  for (guint w = 0; w < source->words && w < NORN_OBSERVED_WORDS; w++) {
    char name[16];
    NornObservedValue word;
    g_snprintf(name, sizeof name, "r%u", source->reg + w);
    if (!norn_observation_find(at, name, &word))
      continue;
    value->bits[w][lane] = word.bits[0][lane];
    value->defined[w][lane] = word.defined[0][lane];
  }
  value->words = MIN(source->words, NORN_OBSERVED_WORDS);
  value->type = names_type(names, source);
  value->reg = (gint)source->reg;
  value->lanes |= 1u << lane;
}

gboolean
names_find(const Names *names, const NornObservation *at, const char *name,
           NornObservedValue *value) {
  const WarpNames *warp = find_warp(names, at);
  memset(value, 0, sizeof *value);
  name += *name == '%';
  for (guint lane = 0; warp && lane < NORN_OBSERVED_LANES; lane++) {
    const NornCodeValue *source = at->alive >> lane & 1 ? find_in_lane(warp, name, lane) : NULL;
    if (source)
      copy_lane(names, at, source, lane, value);
  }
  g_snprintf(value->name, sizeof value->name, "%%%s", name);
  return value->lanes != 0;
}
