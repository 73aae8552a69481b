/* Finding races.
 *
 * Each byte remembers two reads and two writes of different invocations that are not ordered
 * before later accesses. Two are enough: if an invocation other than these two races with any
 * access, it races with one of theirs. After a barrier, an access is ordered before all later
 * ones of the same workgroup; it is never ordered with accesses of other workgroups. Atomic
 * accesses do not race with each other. Bytes are identified by their address on the host, so
 * every path to the same memory counts. */
#include "sim/common/races.h"

#define PAGE 64
#define REMEMBERED 2

typedef struct Touch {
  uint32_t phase;  /* 0: none */
  uint32_t thread; /* of the grid */
  uint8_t kind;    /* NornAccessKind */
} Touch;

/* Accesses of a byte; atomic accesses count as writes. */
typedef struct History {
  Touch reads[REMEMBERED], writes[REMEMBERED];
} History;

struct NornRaces {
  GHashTable *pages[2]; /* address / PAGE -> History[PAGE]; of all memory, of workgroup memory */
  uint32_t phase;       /* counts barriers and workgroups */
  uint32_t first_phase; /* of the workgroup */
};

static GHashTable *
pages_new(void) {
  return g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
}

NornRaces *
norn_races_new(void) {
  NornRaces *races = g_new0(NornRaces, 1);
  races->pages[0] = pages_new();
  races->pages[1] = pages_new();
  return races;
}

void
norn_races_free(NornRaces *races) {
  if (!races)
    return;
  g_hash_table_destroy(races->pages[0]);
  g_hash_table_destroy(races->pages[1]);
  g_free(races);
}

void
norn_races_start_workgroup(NornRaces *races) {
  races->first_phase = ++races->phase;
  g_hash_table_remove_all(races->pages[1]);
}

void
norn_races_pass_barrier(NornRaces *races) {
  races->phase++;
}

static History *
find_history(NornRaces *races, const uint8_t *byte, bool is_shared) {
  GHashTable *pages = races->pages[is_shared];
  gpointer key = (gpointer)((uintptr_t)byte / PAGE);
  History *page = g_hash_table_lookup(pages, key);
  if (!page) {
    page = g_new0(History, PAGE);
    g_hash_table_insert(pages, key, page);
  }
  return &page[(uintptr_t)byte % PAGE];
}

/* Whether the earlier access is unordered with the current access of another invocation. */
static bool
is_unordered(const NornRaces *races, const Touch *touch) {
  return touch->phase && (touch->phase == races->phase || touch->phase < races->first_phase);
}

/* A remembered access that the new one races with, or NULL. */
static const Touch *
find_race(const NornRaces *races, const Touch *touches, const Touch *now) {
  for (unsigned i = 0; i < REMEMBERED; i++) {
    bool both_atomic = touches[i].kind == NORN_ACCESS_ATOMIC && now->kind == NORN_ACCESS_ATOMIC;
    if (touches[i].thread != now->thread && !both_atomic && is_unordered(races, &touches[i]))
      return &touches[i];
  }
  return NULL;
}

/* Records the access in place of the invocation's own, of one that is ordered, or in a free
 * entry. A plain write replaces an atomic one of the same invocation, but not the other way
 * around. */
static void
remember(const NornRaces *races, Touch *touches, const Touch *now) {
  for (unsigned i = 0; i < REMEMBERED; i++) {
    bool is_own = touches[i].phase == now->phase && touches[i].thread == now->thread;
    if (is_own && touches[i].kind == NORN_ACCESS_WRITE)
      return;
    if (is_own || !is_unordered(races, &touches[i])) {
      touches[i] = *now;
      return;
    }
  }
}

static const Touch *
note_byte(NornRaces *races, History *history, const Touch *now) {
  const Touch *other = find_race(races, history->writes, now);
  if (!other && now->kind != NORN_ACCESS_READ)
    other = find_race(races, history->reads, now);
  if (!other)
    remember(races, now->kind == NORN_ACCESS_READ ? history->reads : history->writes, now);
  return other;
}

bool
norn_races_note(NornRaces *races, const uint8_t *bytes, size_t size, NornAccessKind kind,
                bool is_shared, uint32_t thread, NornRace *race) {
  const Touch now = {races->phase, thread, (uint8_t)kind};
  for (size_t i = 0; i < size; i++) {
    const Touch *other = note_byte(races, find_history(races, bytes + i, is_shared), &now);
    if (other) {
      bool is_of_workgroup = other->phase >= races->first_phase;
      *race = (NornRace){other->thread, (NornAccessKind)other->kind, is_of_workgroup, i};
      return false;
    }
  }
  return true;
}

char *
norn_race_describe(const NornRace *race, NornAccessKind kind, uint64_t address,
                   uint32_t invocation) {
  static const char *const verbs[] = {
      [NORN_ACCESS_READ] = "reads",
      [NORN_ACCESS_WRITE] = "writes",
      [NORN_ACCESS_ATOMIC] = "changes",
  };
  const char *order = race->is_of_workgroup ? " without a barrier in between"
                                            : ": no barrier orders different workgroups";
  return g_strdup_printf("%s 0x%" G_GINT64_MODIFIER "x, which invocation %u %s%s", verbs[kind],
                         address + race->byte, invocation, verbs[race->kind], order);
}
