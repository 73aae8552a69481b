/* An arena: memory that is allocated piece by piece and freed all at once.
 *
 * The temporary data of passes comes from the arena of the compilation; pieces are not freed
 * individually. Whoever runs a pass takes a mark before it and releases to that mark afterward, so
 * the next pass reuses the same memory. Memory is obtained in chunks, which the arena keeps until
 * it is freed. A piece that does not fit a chunk is allocated separately and freed when it is
 * released. Under AddressSanitizer, memory that is not allocated or has been released may not be
 * touched. */
#ifndef NORN_IR_ARENA_H
#define NORN_IR_ARENA_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct NornArenaChunk NornArenaChunk;

/* Zero-initialized. */
typedef struct NornArena {
  NornArenaChunk *first, *chunk; /* all chunks; the current one, NULL: none yet */
  char *at, *end;                /* the rest of the current chunk */
  NornArenaChunk *last;          /* the last chunk used since the arena was empty */
  NornArenaChunk *large;         /* pieces larger than a chunk, latest first */
} NornArena;

/* A state of an arena to return to. */
typedef struct NornArenaMark {
  NornArenaChunk *chunk;
  char *at;
  NornArenaChunk *large;
} NornArenaMark;

/* Frees all memory. */
void norn_arena_free(NornArena *arena);

NornArenaMark norn_arena_mark(const NornArena *arena);
/* Releases everything allocated since the mark. */
void norn_arena_release(NornArena *arena, NornArenaMark mark);

/* Releases everything but keeps the memory; norn_arena_bytes starts at 0 again. */
void norn_arena_empty(NornArena *arena);

/* Bytes that the arena has used since it was last empty, whether currently allocated or not. */
size_t norn_arena_bytes(const NornArena *arena);

/* `count` elements of that size, aligned for any type, with undefined content; never NULL. */
void *norn_arena_alloc(NornArena *arena, size_t count, size_t size);
/* The same with all bytes 0. A large piece costs only what is touched. */
void *norn_arena_alloc_zeroed(NornArena *arena, size_t count, size_t size);

#define NORN_NEW(arena, type, count) ((type *)norn_arena_alloc((arena), (count), sizeof(type)))
#define NORN_NEW0(arena, type, count)                                                              \
  ((type *)norn_arena_alloc_zeroed((arena), (count), sizeof(type)))

/* An array of `count` elements NORN_INDEX_NONE. */
static inline uint32_t *
norn_arena_indexes(NornArena *arena, size_t count) {
  uint32_t *indexes = NORN_NEW(arena, uint32_t, count);
  memset(indexes, 0xFF, count * sizeof *indexes);
  return indexes;
}

/* Makes room for at least `needed` elements of an array from the arena, initially NULL; at least
 * doubles its capacity. */
void norn_arena_grow(NornArena *arena, void **array, uint32_t *capacity, uint64_t needed,
                     size_t size);
#define NORN_ARENA_GROW(arena, array, capacity, needed)                                            \
  do {                                                                                             \
    if ((needed) > (capacity)) {                                                                   \
      void *norn_grow_array = (array);                                                             \
      norn_arena_grow((arena), &norn_grow_array, &(capacity), (needed), sizeof *(array));          \
      (array) = norn_grow_array;                                                                   \
    }                                                                                              \
  } while (0)

/* An array from an arena that grows at its end; zero-initialized. */
#define NORN_LIST(type)                                                                            \
  struct {                                                                                         \
    type *items;                                                                                   \
    uint32_t count, capacity;                                                                      \
  }
typedef NORN_LIST(uint32_t) NornIndexList;

/* Appends an item, which is evaluated after the list has room for it. */
#define norn_list_push(arena, list, ...)                                                           \
  do {                                                                                             \
    NORN_ARENA_GROW(arena, (list)->items, (list)->capacity, (uint64_t)(list)->count + 1);          \
    (list)->items[(list)->count] = (__VA_ARGS__);                                                  \
    (list)->count++;                                                                               \
  } while (0)

#endif
