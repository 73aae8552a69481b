/* The page: a skeleton with the data inside, escaped so that nothing in the shader is parsed as
 * HTML. */
#include "report/report.h"

#include <string.h>

char *
report_page(const char *data) {
  GString *page = g_string_new(report_page_head);
  for (const char *at = data; *at;) {
    gsize plain = strcspn(at, "<>&");
    g_string_append_len(page, at, (gssize)plain);
    at += plain;
    /* These characters only occur in strings. */
    if (*at)
      g_string_append_printf(page, "\\u%04x", (guint)*at++);
  }
  g_string_append(page, report_page_tail);
  return g_string_free(page, FALSE);
}
