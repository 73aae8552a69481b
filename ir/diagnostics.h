/* Collects the faults found in a module, one line of text each, up to a limit. */
#ifndef NORN_IR_DIAGNOSTICS_H
#define NORN_IR_DIAGNOSTICS_H

#include <glib.h>
#include <norn/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define NORN_DIAGNOSTICS_LIMIT 1000

typedef struct NornDiagnostics {
  GString *text; /* NULL while there are no faults */
  const char *filename;
  unsigned count;
} NornDiagnostics;

/* Records a fault at a location in the text; line 0 stands for "no location". */
void norn_diagnose(NornDiagnostics *diagnostics, uint32_t line, uint32_t column, const char *format,
                   ...) G_GNUC_PRINTF(4, 5);

static inline bool
norn_diagnostics_full(const NornDiagnostics *diagnostics) {
  return diagnostics->count >= NORN_DIAGNOSTICS_LIMIT;
}

/* A formatted message of limited length (norn_shorten_message); free it with g_free. */
char *norn_format_message(const char *format, va_list arguments) G_GNUC_PRINTF(1, 0);

/* Moves the faults into `error`; true if there were none. */
bool norn_diagnostics_finish(NornDiagnostics *diagnostics, NornErrorCode code, GError **error);

/* The length in bytes of the UTF-8 byte-order mark at the start of the text, which every reader of
 * text skips: 3, or 0 if there is none. */
static inline size_t
norn_byte_order_mark(const char *text, size_t length) {
  return length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3) ? 3 : 0;
}

/* A piece of the input, made fit for a message: limited length, bytes that are not printable ASCII
 * escaped. */
#define NORN_QUOTE_SIZE 100
const char *norn_quote(char out[NORN_QUOTE_SIZE], const char *text, size_t length);

#endif
