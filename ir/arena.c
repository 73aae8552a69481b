/* Memory that goes all at once; see ir/arena.h. */
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
#define GAP ALIGNMENT /* after each piece, never given out */
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

void
norn_arena_free(NornArena *arena) {
  for (NornArenaChunk *chunk = arena->first, *next; chunk; chunk = next) {
    next = chunk->next;
    UNPOISON(chunk->memory, chunk->end);
    g_free(chunk);
  }
  *arena = (NornArena){0};
}

size_t
norn_arena_bytes(const NornArena *arena) {
  size_t bytes = 0;
  for (const NornArenaChunk *chunk = arena->first; chunk; chunk = chunk->next)
    bytes += (size_t)(chunk->end - (const char *)chunk);
  return bytes;
}

NornArenaMark
norn_arena_mark(const NornArena *arena) {
  return (NornArenaMark){arena->chunk, arena->at};
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
  use(arena, mark.chunk, mark.at);
}

/* Goes on with a chunk that has that many bytes: the next one, else a new one before it. */
static void
next_chunk(NornArena *arena, size_t size) {
  NornArenaChunk **link = arena->chunk ? &arena->chunk->next : &arena->first, *chunk = *link;
  if (!chunk || (size_t)(chunk->end - chunk->memory) < size) {
    size_t room = MAX(size, CHUNK_SIZE);
    chunk = g_malloc(sizeof *chunk + room);
    chunk->end = chunk->memory + room;
    chunk->next = *link;
    *link = chunk;
    POISON(chunk->memory, chunk->end);
  }
  use(arena, chunk, chunk->memory);
}

void *
norn_arena_alloc(NornArena *arena, size_t count, size_t size) {
  NORN_ASSERT(arena);
  NORN_ASSERT(!size || count <= (SIZE_MAX - 2 * ALIGNMENT) / size);
  size_t bytes = count * size;
  size_t taken = ((bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1)) + GAP;
  if (!arena->chunk || (size_t)(arena->end - arena->at) < taken)
    next_chunk(arena, taken);
  char *memory = arena->at;
  arena->at += taken;
  UNPOISON(memory, memory + bytes);
  return memory;
}

void
norn_arena_grow(NornArena *arena, void **array, uint32_t *capacity, uint64_t needed, size_t size) {
  uint64_t room = MAX(MAX(needed, UINT64_C(16)), UINT64_C(2) * *capacity);
  NORN_ASSERT(room <= UINT32_MAX);
  void *moved = norn_arena_alloc(arena, room, size);
  if (*capacity)
    memcpy(moved, *array, *capacity * size);
  *array = moved;
  *capacity = (uint32_t)room;
}
