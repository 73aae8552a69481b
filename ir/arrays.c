/* Arrays that grow by half, and pages of elements that never move; see ir/arrays.h. */
#include "ir/arrays.h"
#include <stdalign.h>
#include <string.h>

uint32_t *
norn_new_indexes(size_t count) {
  size_t size = MAX(count, 1) * sizeof(uint32_t);
  uint32_t *indexes = g_malloc(size);
  memset(indexes, 0xFF, size);
  return indexes;
}

int
norn_compare_indexes(const void *a, const void *b) {
  uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  return left < right ? -1 : left > right;
}

void
norn_grow(void **array, uint32_t *capacity, uint64_t needed, size_t element_size) {
#ifdef NORN_MOVE_ARRAYS
  uint64_t size = needed + needed / 1024;
#else
  uint64_t size = MAX(needed, *capacity + UINT64_C(16) + *capacity / 2);
#endif
  /* Indexes are 32 bits wide; a function that needs more cannot be represented. */
  if (size > UINT32_MAX)
    size = UINT32_MAX;
#ifdef NORN_MOVE_ARRAYS
  void *moved = g_malloc_n(size, element_size);
  if (*array)
    memcpy(moved, *array, *capacity * element_size);
  g_free(*array);
  *array = moved;
#else
  *array = g_realloc_n(*array, size, element_size);
#endif
  *capacity = (uint32_t)size;
}

/* Consecutive pages. */
typedef struct NornExtent {
  struct NornExtent *next;
  alignas(max_align_t) char elements[];
} NornExtent;

void
norn_pages_grow(NornPages *pages, uint64_t needed, size_t element_size) {
#ifdef NORN_MOVE_ARRAYS
  uint64_t count = needed / NORN_PAGE + 1;
#else
  uint64_t count = MAX(needed, pages->capacity / 2) / NORN_PAGE + 1;
#endif
  uint32_t first = pages->capacity / NORN_PAGE;
  NornExtent *extent = g_malloc(sizeof *extent + count * NORN_PAGE * element_size);
  extent->next = pages->extents;
  pages->extents = extent;
  pages->bases = g_renew(uintptr_t, pages->bases, first + count);
  for (uint64_t k = 0; k < count; k++)
    pages->bases[first + k] = (uintptr_t)extent->elements - pages->capacity * element_size;
  pages->capacity += (uint32_t)(count * NORN_PAGE);
}

void
norn_pages_free(NornPages *pages) {
  for (NornExtent *extent = pages->extents, *next; extent; extent = next) {
    next = extent->next;
    g_free(extent);
  }
  g_free(pages->bases);
}

NornPages
norn_pages_copy(const NornPages *pages, uint32_t count, size_t element_size) {
  NornPages copy = {0};
  norn_pages_grow(&copy, (uint64_t)count + 1, element_size);
  for (uint32_t first = 0; first < count; first += NORN_PAGE)
    memcpy(norn_pages_at(&copy, first, element_size), norn_pages_at(pages, first, element_size),
           MIN(count - first, NORN_PAGE) * element_size);
  return copy;
}
