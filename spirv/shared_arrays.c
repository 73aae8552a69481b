/* Interleaves arrays in workgroup memory that are indexed together.
 *
 * What HLSL calls groupshared has no layout of its own, and shaders keep each channel in a separate
 * array (red, green, blue), since memory used to have separate banks. Accesses to `a[i]` and `b[i]`
 * then take a message each. If arrays of words with the same length are accessed by the same index
 * in the same block at least half of the time, their elements are interleaved: `a[i]` and `b[i]`
 * become neighbors, which passes merge, and so do `a[i]`, `b[i]`, `a[i + 1]` and `b[i + 1]`. The
 * total size does not change.
 *
 * Such memory may only be accessed by indexing a known array. There must be no pointers that are
 * values, and no memory that is initialized with zeros, since that is stored without regard to
 * arrays. */
#include "spirv/interface.h"

enum { MAX_CANDIDATES = 16 };

/* An access to an element. */
typedef struct SharedAccess {
  uint32_t block;    /* number of labels before it */
  uint32_t index;    /* the id of the index, or of the variable that it was loaded from */
  uint32_t variable; /* index of the candidate */
} SharedAccess;

typedef struct SharedSearch {
  NornSpirvReader *reader;
  uint32_t candidates[MAX_CANDIDATES]; /* ids */
  uint32_t count;
  SharedAccess *accesses;
  uint32_t access_count, access_capacity;
  uint32_t together[MAX_CANDIDATES][MAX_CANDIDATES]; /* number of blocks that use one index for
                                                        both; with itself: number that access it */
} SharedSearch;

static const NornSpirvType *
pointee_of(const SharedSearch *search, uint32_t k) {
  NornSpirvReader *reader = search->reader;
  uint32_t at = reader->ids[search->candidates[k]].at;
  return norn_spirv_pointee(reader, reader->ids[reader->words[at + 1]].type);
}

/* Finds the arrays of words, from the first instruction to the first function. */
static void
find_candidates(SharedSearch *search, uint32_t end) {
  NornSpirvReader *reader = search->reader;
  for (uint32_t id = 1; id < reader->bound && search->count < MAX_CANDIDATES; id++) {
    uint32_t at = reader->ids[id].at;
    if (!at || at >= end || (reader->words[at] & 0xFFFF) != SpvOpVariable ||
        reader->words[at] >> 16 > 4 || reader->words[at + 3] != SpvStorageClassWorkgroup)
      continue;
    search->candidates[search->count] = id;
    const NornSpirvType *type = pointee_of(search, search->count);
    if (type->op == SpvOpTypeArray && type->count > 1 && type->element->flat == 1 &&
        type->element->op != SpvOpTypePointer &&
        norn_spirv_packed_bytes((NornType)type->element->scalar) == 4)
      search->count++;
  }
}

/* A key for the value of an id: values loaded from the same place are assumed to be the same. */
static uint32_t
index_key(const NornSpirvReader *reader, uint32_t id) {
  uint32_t at = id < reader->bound ? reader->ids[id].at : 0;
  return at && (reader->words[at] & 0xFFFF) == SpvOpLoad ? reader->words[at + 3] : id;
}

static void
find_accesses(SharedSearch *search, uint32_t first) {
  NornSpirvReader *reader = search->reader;
  uint32_t block = 0;
  for (norn_spirv_seek(reader, first); reader->at < reader->word_count;
       norn_spirv_seek(reader, reader->at + norn_spirv_length(reader))) {
    unsigned opcode = norn_spirv_opcode(reader);
    block += opcode == SpvOpLabel;
    if ((opcode != SpvOpAccessChain && opcode != SpvOpInBoundsAccessChain) ||
        norn_spirv_length(reader) != 5)
      continue;
    uint32_t k = 0;
    while (k < search->count && search->candidates[k] != reader->inst[3])
      k++;
    if (k == search->count)
      continue;
    NORN_ARENA_GROW(&reader->arena, search->accesses, search->access_capacity,
                    search->access_count + 1);
    search->accesses[search->access_count++] =
        (SharedAccess){block, index_key(reader, reader->inst[4]), k};
  }
}

static int
compare_accesses(const void *a, const void *b) {
  const SharedAccess *one = a, *other = b;
  if (one->block != other->block)
    return one->block < other->block ? -1 : 1;
  return one->index == other->index ? 0 : one->index < other->index ? -1 : 1;
}

static void
count_together(SharedSearch *search) {
  const SharedAccess *accesses = search->accesses;
  qsort(search->accesses, search->access_count, sizeof(SharedAccess), compare_accesses);
  for (uint32_t k = 0, end; k < search->access_count; k = end) {
    uint32_t members = 0;
    for (end = k; end < search->access_count && !compare_accesses(&accesses[k], &accesses[end]);
         end++)
      members |= 1u << accesses[end].variable;
    for (uint32_t a = 0; a < search->count; a++)
      for (uint32_t b = a; b < search->count; b++)
        search->together[a][b] += (members >> a & 1) && (members >> b & 1);
  }
}

/* Whether at least half of the accesses to either array come with an access to the other. */
static bool
belong_together(const SharedSearch *search, uint32_t a, uint32_t b) {
  uint32_t most = MAX(search->together[a][a], search->together[b][b]);
  return search->together[a][b] && 2 * (uint64_t)search->together[a][b] >= most &&
         pointee_of(search, a)->count == pointee_of(search, b)->count;
}

static void
make_groups(SharedSearch *search) {
  NornSpirvReader *reader = search->reader;
  for (uint32_t a = 0; a < search->count; a++) {
    NornSpirvArrayGroup group = {.members = {search->candidates[a]}, .count = 1};
    if (reader->ids[search->candidates[a]].group)
      continue;
    for (uint32_t b = a + 1; b < search->count && group.count < NORN_SPIRV_MAX_BESIDE; b++)
      if (!reader->ids[search->candidates[b]].group && belong_together(search, a, b))
        group.members[group.count++] = search->candidates[b];
    if (group.count == 1)
      continue;
    NornSpirvArrayGroup *kept = NORN_NEW(&reader->arena, NornSpirvArrayGroup, 1);
    *kept = group;
    for (uint32_t k = 0; k < group.count; k++)
      reader->ids[group.members[k]].group = kept;
  }
}

void
norn_spirv_group_shared_arrays(NornSpirvReader *reader, uint32_t first) {
  SharedSearch search = {.reader = reader};
  if (reader->error || reader->has_shared_blocks || reader->has_variable_pointers)
    return;
  find_candidates(&search, first);
  if (search.count > 1) {
    find_accesses(&search, first);
    count_together(&search);
    make_groups(&search);
  }
  norn_spirv_seek(reader, first);
}
