/* SPIR-V word by word; see spirv_words.h. */
#include "common/spirv_words.h"

/* The first word of a module, which reveals its byte order. */
#define MAGIC 0x07230203
#define HEADER_WORDS 5

void
spirv_words_init(SpirvWords *module, GBytes *bytes) {
  gsize size;
  const guint8 *data = g_bytes_get_data(bytes, &size);
  module->count = (guint32)(size / sizeof(guint32));
  module->words = g_memdup2(data, size);
  gboolean is_swapped = module->count && module->words[0] != MAGIC;
  for (guint32 i = 0; is_swapped && i < module->count; i++)
    module->words[i] = GUINT32_SWAP_LE_BE(module->words[i]);
}

void
spirv_words_clear(SpirvWords *module) {
  g_free(module->words);
}

gboolean
spirv_words_next(const SpirvWords *module, guint32 *at, guint32 *length) {
  *at += *at ? module->words[*at] >> 16 : HEADER_WORDS;
  *length = *at < module->count ? module->words[*at] >> 16 : 0;
  return *length && *length <= module->count - *at;
}

void
spirv_words_append_text(const SpirvWords *module, guint32 at, guint32 first, GString *out) {
  guint32 length = module->words[at] >> 16;
  for (guint32 k = first; k < length; k++)
    for (guint shift = 0; shift < 32; shift += 8) {
      char c = (char)(module->words[at + k] >> shift);
      if (!c)
        return;
      g_string_append_c(out, c);
    }
}
