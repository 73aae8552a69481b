/* SPIR-V word by word, for what looks for a few instructions in a module before it is read. Nothing
 * in it is trusted. */
#ifndef NORN_TOOLS_COMMON_SPIRV_WORDS_H
#define NORN_TOOLS_COMMON_SPIRV_WORDS_H

#include <glib.h>

typedef struct SpirvWords {
  guint32 *words; /* in the order of bytes of this machine */
  guint32 count;
} SpirvWords;

/* Takes a copy of the module. */
void spirv_words_init(SpirvWords *module, GBytes *bytes);
void spirv_words_clear(SpirvWords *module);

/* Moves *at, 0 at the start, to the next instruction that has all its words: *length of them, of
 * which the first one is its length and its number. FALSE behind the last one. */
gboolean spirv_words_next(const SpirvWords *module, guint32 *at, guint32 *length);

/* Appends the literal that starts with word `first` of the instruction at `at`, if it has so many
 * words. */
void spirv_words_append_text(const SpirvWords *module, guint32 at, guint32 first, GString *out);

#endif
