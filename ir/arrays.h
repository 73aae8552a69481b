/* Arrays that grow: of indexes, of elements that may move, and of elements that never do. */
#ifndef NORN_IR_ARRAYS_H
#define NORN_IR_ARRAYS_H

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

#define NORN_INDEX_NONE UINT32_MAX

/* An array of `count` elements NORN_INDEX_NONE, never NULL; free it with g_free. */
uint32_t *norn_new_indexes(size_t count);

/* Compares two uint32_t, for qsort and bsearch. */
int norn_compare_indexes(const void *a, const void *b);

/* Makes room for at least `needed` elements; grows by at least half.
 *
 * With the build option move_arrays there is no spare room and growing always moves the array, so
 * that the sanitizers find every stale pointer into it. */
void norn_grow(void **array, uint32_t *capacity, uint64_t needed, size_t element_size);
#define NORN_GROW(array, capacity, needed)                                                         \
  do {                                                                                             \
    if ((needed) > (capacity)) {                                                                   \
      void *norn_grow_array = (array);                                                             \
      norn_grow(&norn_grow_array, &(capacity), (needed), sizeof *(array));                         \
      (array) = norn_grow_array;                                                                   \
    }                                                                                              \
  } while (0)

/* The same for room that may be needed later. */
#ifdef NORN_MOVE_ARRAYS
#define NORN_RESERVE(array, capacity, needed) ((void)(array), (void)(capacity), (void)(needed))
#else
#define NORN_RESERVE(array, capacity, needed) NORN_GROW(array, capacity, needed)
#endif

/* Elements per page; a power of 2. */
#define NORN_PAGE 64

/* A growing array whose elements never move: pages of NORN_PAGE elements, allocated in extents of
 * consecutive pages. For each page, `bases` holds the address where the array would start if it
 * were contiguous, so that the whole index can be added to it. */
typedef struct NornPages {
  uintptr_t *bases;  /* by page */
  uint32_t capacity; /* elements */
  struct NornExtent *extents;
} NornPages;

/* The address of an element. */
static inline void *
norn_pages_at(const NornPages *pages, uint32_t index, size_t element_size) {
  return (void *)(pages->bases[index / NORN_PAGE] + index * element_size);
}
/* Adds an extent of at least `needed` elements of that size, and at least half of the current
 * capacity. */
void norn_pages_grow(NornPages *pages, uint64_t needed, size_t element_size);
/* A contiguous copy of the first `count` elements. */
NornPages norn_pages_copy(const NornPages *pages, uint32_t count, size_t element_size);
void norn_pages_free(NornPages *pages);

#endif
