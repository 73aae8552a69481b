/* An arena: memory that is given out piece by piece and goes all at once.
 *
 * What a pass needs while it runs comes from the arena of the compilation; nothing is freed by
 * itself. Whoever runs a pass takes a mark before and releases to it after, so the next pass uses
 * the same memory again. Memory is got in chunks, which stay with the arena until it is freed; a
 * piece that does not fit a chunk is allocated by itself and freed when it is released. Under
 * AddressSanitizer what is not given out, or was released, may not be touched. */
#ifndef NORN_IR_ARENA_H
#define NORN_IR_ARENA_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct NornArenaChunk NornArenaChunk;

/* Starts as all zeros. */
typedef struct NornArena {
  NornArenaChunk *first, *chunk; /* all chunks; the one in use, NULL: none yet */
  char *at, *end;                /* what is left of it */
  NornArenaChunk *last;          /* the last of them in use since the arena was empty */
  NornArenaChunk *large;         /* pieces larger than a chunk, the latest first */
} NornArena;

/* A point in time of an arena. */
typedef struct NornArenaMark {
  NornArenaChunk *chunk;
  char *at;
  NornArenaChunk *large;
} NornArenaMark;

/* Gives all memory back. */
void norn_arena_free(NornArena *arena);

NornArenaMark norn_arena_mark(const NornArena *arena);
/* Takes back all that was given out since the mark. */
void norn_arena_release(NornArena *arena, NornArenaMark mark);

/* Takes back all that was given out and begins anew, as if it held no memory, but it does. */
void norn_arena_empty(NornArena *arena);

/* Bytes that the arena got since it was empty, given out now or not. */
size_t norn_arena_bytes(const NornArena *arena);

/* `count` elements of that size, aligned for any type, with undefined content; never NULL. */
void *norn_arena_alloc(NornArena *arena, size_t count, size_t size);
/* The same with all bytes 0. Of a large piece only what is touched costs anything. */
void *norn_arena_alloc_zeroed(NornArena *arena, size_t count, size_t size);

#define NORN_NEW(arena, type, count) ((type *)norn_arena_alloc((arena), (count), sizeof(type)))
#define NORN_NEW0(arena, type, count)                                                              \
  ((type *)norn_arena_alloc_zeroed((arena), (count), sizeof(type)))

/* `count` times NORN_INDEX_NONE. */
static inline uint32_t *
norn_arena_indexes(NornArena *arena, size_t count) {
  uint32_t *indexes = NORN_NEW(arena, uint32_t, count);
  memset(indexes, 0xFF, count * sizeof *indexes);
  return indexes;
}

/* Makes room for at least `needed` elements of an array from the arena, NULL at first, at least
 * twice as many as there were. */
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

/* An array from an arena that grows at its end; it starts as all zeros. */
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
