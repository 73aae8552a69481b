/* Numbers in run descriptions and results: the types of list elements, parsing, printing and
 * comparing them. */
#ifndef NORN_TOOLS_RUN_VALUE_H
#define NORN_TOOLS_RUN_VALUE_H

#include <glib.h>
#include <norn/norn.h>

/* A type of elements: i8 to i64 (shown with a sign), u8 to u64, f16 to f64. */
typedef struct RunElement {
  const char *name;
  NornType type;
  guint8 size; /* in bytes */
  gboolean is_float, is_signed;
} RunElement;

/* Bytes whose number is determined by an input: growing them fails if there is not enough
 * memory. */
typedef struct RunBytes {
  guint8 *data;
  guint len;
  gsize capacity;
} RunBytes;

RunBytes *run_bytes_new(void);
void run_bytes_free(RunBytes *bytes);

/* Allocates `capacity` bytes in total; FALSE if there is not enough memory. */
gboolean run_bytes_reserve(RunBytes *bytes, gsize capacity);

/* Appends `size` bytes, zeros for NULL. */
gboolean run_bytes_append(RunBytes *bytes, const void *data, gsize size);

/* The type of that name, NULL if there is none. */
const RunElement *run_element_find(const char *name);

/* The type for printing values of an IR type; NULL for types that have no numbers. */
const RunElement *run_element_of_type(NornType type);

/* The type of a format's channels in memory. */
const RunElement *run_element_of_format(NornPixelFormat format);

/* The format of that name, such as rgba8unorm; FALSE if there is none. */
gboolean run_format_find(const char *name, NornPixelFormat *format);

/* "rgba8unorm". */
char *run_format_name(NornPixelFormat format);

/* An integer of `size` bytes, signed or not, decimal or hexadecimal. */
gboolean run_integer(const char *text, gsize size, guint64 *bits);

/* A number of type `element` (nullable: fails) as raw bits. */
gboolean run_number(const char *text, const RunElement *element, guint64 *bits, GError **error);

/* A number for bits that may hold either kind: a whole one of `integer`'s type or, if it is written
 * as a fraction (2.0, 1e3, inf) and there is room for one, an f32. */
gboolean run_either_number(const char *text, const RunElement *integer, guint64 *bits,
                           GError **error);

/* The element at `bytes` (little-endian), printed such that reading it gives the same bits. */
char *run_element_format(const RunElement *element, const guint8 *bytes);

/* "f32[12, 24, nan]". */
char *run_list_format(const RunElement *element, const guint8 *bytes, gsize size);

/* Whether element `index` has the expected value; all NaNs are equal. */
gboolean run_element_equal(const RunElement *element, const guint8 *expected, const guint8 *actual,
                           gsize index);

/* The element's value, for output formats with numbers; not for floats that are not numbers. */
gdouble run_element_double(const RunElement *element, const guint8 *bytes);

#endif
