/* See footprint.h. The ranges of an entry are in ascending order and do not overlap or touch. */
#include "check/footprint.h"

typedef struct ByteRange {
  int64_t start, end;
} ByteRange;

typedef struct FootprintEntry {
  uint64_t base, operand;
  uint32_t root, combine;
  uint8_t spaces;
  bool writes;
  GArray *ranges; /* ByteRange; none for an unknown base */
} FootprintEntry;

/* The first range that ends at `start` or later. */
static unsigned
find_range(const GArray *ranges, int64_t start) {
  unsigned low = 0, high = ranges->len;
  while (low < high) {
    unsigned middle = (low + high) / 2;
    if (g_array_index(ranges, ByteRange, middle).end < start)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Returns whether the set changed. */
static bool
add_range(GArray *ranges, ByteRange range) {
  unsigned first = find_range(ranges, range.start), last = first;
  while (last < ranges->len && g_array_index(ranges, ByteRange, last).start <= range.end)
    last++;
  if (last - first == 1 && g_array_index(ranges, ByteRange, first).start <= range.start &&
      g_array_index(ranges, ByteRange, first).end >= range.end)
    return false;
  for (unsigned i = first; i < last; i++) {
    range.start = MIN(range.start, g_array_index(ranges, ByteRange, i).start);
    range.end = MAX(range.end, g_array_index(ranges, ByteRange, i).end);
  }
  if (last > first)
    g_array_remove_range(ranges, first, last - first);
  g_array_insert_val(ranges, first, range);
  return true;
}

static bool
touches(const GArray *ranges, int64_t start, int64_t end) {
  unsigned i = find_range(ranges, start + 1);
  return i < ranges->len && g_array_index(ranges, ByteRange, i).start < end;
}

/* Finds the entry for that kind of access, or creates one. */
static FootprintEntry *
entry_like(NornFootprints **set, FootprintEntry like, bool *changed) {
  if (!*set)
    *set = g_array_new(FALSE, FALSE, sizeof(FootprintEntry));
  for (unsigned i = 0; i < (*set)->len; i++) {
    FootprintEntry *entry = &g_array_index(*set, FootprintEntry, i);
    if (entry->base == like.base && entry->root == like.root && entry->spaces == like.spaces &&
        entry->writes == like.writes && entry->combine == like.combine &&
        entry->operand == like.operand)
      return entry;
  }
  like.ranges = g_array_new(FALSE, FALSE, sizeof(ByteRange));
  g_array_append_val(*set, like);
  *changed = true;
  return &g_array_index(*set, FootprintEntry, (*set)->len - 1);
}

bool
norn_footprints_add(NornFootprints **set, const NornFootprint *access) {
  bool changed = false;
  if (!access->reads && !access->writes)
    return false;
  const FootprintEntry like = {.base = access->base,
                               .operand = access->operand,
                               .root = access->root,
                               .combine = access->combine,
                               .spaces = access->spaces,
                               .writes = access->writes};
  FootprintEntry *entry = entry_like(set, like, &changed);
  if (access->base != NORN_FOOTPRINT_ANYWHERE)
    changed |= add_range(entry->ranges, (ByteRange){access->start, access->end});
  return changed;
}

bool
norn_footprints_merge(NornFootprints **into, const NornFootprints *from, NornIsBase is_base,
                      gconstpointer data) {
  bool changed = false;
  for (unsigned i = 0; from && i < from->len; i++) {
    const FootprintEntry *entry = &g_array_index(from, FootprintEntry, i);
    FootprintEntry like = *entry;
    if (is_base && !is_base(like.base, data))
      like.base = NORN_FOOTPRINT_ANYWHERE;
    if (is_base && like.combine && !is_base(like.operand, data))
      like.combine = 0;
    FootprintEntry *own = entry_like(into, like, &changed);
    if (like.base == NORN_FOOTPRINT_ANYWHERE)
      continue;
    for (unsigned k = 0; k < entry->ranges->len; k++)
      changed |= add_range(own->ranges, g_array_index(entry->ranges, ByteRange, k));
  }
  return changed;
}

static bool
is_made_of(uint64_t base, uint32_t half) {
  return (uint32_t)base == half || base >> 32 == half;
}

static bool
are_apart(uint32_t root, uint32_t other) {
  bool is_data = root == NORN_ROOT_DATA, other_is_data = other == NORN_ROOT_DATA;
  return is_data != other_is_data || (root && other && root != other);
}

static bool
do_the_same(uint32_t combine, uint64_t operand, const NornFootprint *access) {
  return combine && combine == access->combine && operand == access->operand;
}

bool
norn_footprints_conflict(const NornFootprints *set, const NornFootprint *access) {
  if (!access->reads && !access->writes)
    return false;
  for (unsigned i = 0; set && i < set->len; i++) {
    const FootprintEntry *entry = &g_array_index(set, FootprintEntry, i);
    if (!(entry->spaces & access->spaces) || !(entry->writes || access->writes) ||
        are_apart(entry->root, access->root) || do_the_same(entry->combine, entry->operand, access))
      continue;
    if (entry->base == NORN_FOOTPRINT_ANYWHERE || entry->base != access->base ||
        touches(entry->ranges, access->start, access->end))
      return true;
  }
  return false;
}

bool
norn_footprint_conflicts(const NornFootprint *a, const NornFootprint *b) {
  bool touching = a->base == NORN_FOOTPRINT_ANYWHERE || a->base != b->base ||
                  (a->start < b->end && b->start < a->end);
  return (a->spaces & b->spaces) && !are_apart(a->root, b->root) &&
         !do_the_same(a->combine, a->operand, b) && (a->writes || b->writes) &&
         (a->reads || a->writes) && (b->reads || b->writes) && touching;
}

void
norn_footprints_forget(NornFootprints *set, uint32_t half) {
  for (unsigned i = 0; set && i < set->len; i++) {
    FootprintEntry *entry = &g_array_index(set, FootprintEntry, i);
    if (is_made_of(entry->base, half))
      entry->base = NORN_FOOTPRINT_ANYWHERE;
    if (is_made_of(entry->operand, half))
      entry->combine = 0;
  }
}

void
norn_footprints_clear(NornFootprints **set) {
  for (unsigned i = 0; *set && i < (*set)->len; i++)
    g_array_free(g_array_index(*set, FootprintEntry, i).ranges, TRUE);
  if (*set)
    g_array_free(*set, TRUE);
  *set = NULL;
}
