/* Memory that is freed all at once; see ir/arena.h. */
#include "ir/arena.h"
#include "ir/assert.h"
#include <glib.h>
#include <stdalign.h>
#include <stdbool.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif

#ifdef HAS_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(start, end) ASAN_POISON_MEMORY_REGION(start, (size_t)((end) - (start)))
#define UNPOISON(start, end) ASAN_UNPOISON_MEMORY_REGION(start, (size_t)((end) - (start)))
#define GAP ALIGNMENT /* after each piece, never handed out */
#else
#define POISON(start, end) ((void)(start), (void)(end))
#define UNPOISON(start, end) ((void)(start), (void)(end))
#define GAP 0
#endif

#define ALIGNMENT alignof(max_align_t)
#define CHUNK_SIZE ((size_t)64 << 10)

struct NornArenaChunk {
  NornArenaChunk *next;
  char *end;
  alignas(max_align_t) char memory[];
};

static void
use(NornArena *arena, NornArenaChunk *chunk, char *at) {
  arena->chunk = chunk;
  arena->at = at;
  arena->end = chunk ? chunk->end : NULL;
}

static void
free_chunk(NornArenaChunk *chunk) {
  UNPOISON(chunk->memory, chunk->end);
  g_free(chunk);
}

static void
free_large(NornArena *arena, NornArenaChunk *until) {
  while (arena->large != until) {
    NORN_ASSERT(arena->large); /* else the mark is stale or another arena's */
    NornArenaChunk *next = arena->large->next;
    free_chunk(arena->large);
    arena->large = next;
  }
}

void
norn_arena_free(NornArena *arena) {
  free_large(arena, NULL);
  for (NornArenaChunk *chunk = arena->first, *next; chunk; chunk = next) {
    next = chunk->next;
    free_chunk(chunk);
  }
  *arena = (NornArena){0};
}

size_t
norn_arena_bytes(const NornArena *arena) {
  size_t bytes = 0;
  const NornArenaChunk *end = arena->last ? arena->last->next : arena->first;
  for (const NornArenaChunk *chunk = arena->first; chunk != end; chunk = chunk->next)
    bytes += (size_t)(chunk->end - (const char *)chunk);
  for (const NornArenaChunk *piece = arena->large; piece; piece = piece->next)
    bytes += (size_t)(piece->end - (const char *)piece);
  return bytes;
}

NornArenaMark
norn_arena_mark(const NornArena *arena) {
  return (NornArenaMark){arena->chunk, arena->at, arena->large};
}

void
norn_arena_release(NornArena *arena, NornArenaMark mark) {
#ifdef HAS_ASAN
  char *from = mark.at;
  NornArenaChunk *chunk = mark.chunk;
  if (chunk)
    POISON(from, chunk->end);
  for (chunk = chunk ? chunk->next : arena->first; chunk; chunk = chunk->next)
    POISON(chunk->memory, chunk->end);
#endif
  free_large(arena, mark.large);
  use(arena, mark.chunk, mark.at);
}

void
norn_arena_empty(NornArena *arena) {
  norn_arena_release(arena, (NornArenaMark){0});
  arena->last = NULL;
}

/* Moves on to the next chunk, allocating it if there is none. */
static void
next_chunk(NornArena *arena) {
  NornArenaChunk **link = arena->chunk ? &arena->chunk->next : &arena->first, *chunk = *link;
  if (!chunk) {
    chunk = g_malloc(sizeof *chunk + CHUNK_SIZE);
    *chunk = (NornArenaChunk){NULL, chunk->memory + CHUNK_SIZE};
    *link = chunk;
    POISON(chunk->memory, chunk->end);
  }
  if (arena->last == arena->chunk)
    arena->last = chunk;
  use(arena, chunk, chunk->memory);
}

/* Allocates a piece that does not fit a chunk. */
static void *
alloc_large(NornArena *arena, size_t bytes, bool zeroed) {
  size_t size = sizeof(NornArenaChunk) + bytes;
  NornArenaChunk *piece = zeroed ? g_malloc0(size) : g_malloc(size);
  piece->next = arena->large;
  piece->end = piece->memory + bytes;
  arena->large = piece;
  return piece->memory;
}

static inline void *
alloc(NornArena *arena, size_t count, size_t size, bool zeroed) {
  NORN_ASSERT(arena);
  NORN_ASSERT(!size || count <= (SIZE_MAX - 2 * CHUNK_SIZE) / size);
  size_t bytes = count * size;
  size_t taken = ((bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1)) + GAP;
  if (taken > CHUNK_SIZE)
    return alloc_large(arena, bytes, zeroed);
  if (!arena->chunk || (size_t)(arena->end - arena->at) < taken)
    next_chunk(arena);
  char *memory = arena->at;
  arena->at += taken;
  UNPOISON(memory, memory + bytes);
  return zeroed ? memset(memory, 0, bytes) : memory;
}

void *
norn_arena_alloc(NornArena *arena, size_t count, size_t size) {
  return alloc(arena, count, size, false);
}

void *
norn_arena_alloc_zeroed(NornArena *arena, size_t count, size_t size) {
  return alloc(arena, count, size, true);
}

void
norn_arena_grow(NornArena *arena, void **array, uint32_t *capacity, uint64_t needed, size_t size) {
#ifdef NORN_MOVE_ARRAYS
  uint64_t room = needed + needed / 1024; /* see ir/arrays.h */
#else
  uint64_t room = MAX(MAX(needed, UINT64_C(16)), UINT64_C(2) * *capacity);
#endif
  NORN_ASSERT(room <= UINT32_MAX);
  void *moved = norn_arena_alloc(arena, room, size);
  if (*capacity)
    memcpy(moved, *array, *capacity * size);
  *array = moved;
  *capacity = (uint32_t)room;
}
