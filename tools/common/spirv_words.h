/* SPIR-V word by word, for code that looks for a few instructions in a module before it is read.
 * Nothing in it is trusted. */
#ifndef NORN_TOOLS_COMMON_SPIRV_WORDS_H
#define NORN_TOOLS_COMMON_SPIRV_WORDS_H

#include <glib.h>

typedef struct SpirvWords {
  guint32 *words; /* in this machine's byte order */
  guint32 count;
} SpirvWords;

/* Copies the module. */
void spirv_words_init(SpirvWords *module, GBytes *bytes);
void spirv_words_clear(SpirvWords *module);

/* Moves *at, initially 0, to the next instruction that has all its words. *length is their
 * number; the first one holds the length and the number of the instruction. FALSE after the last
 * one. */
gboolean spirv_words_next(const SpirvWords *module, guint32 *at, guint32 *length);

/* Appends the literal that starts with word `first` of the instruction at `at`, if it has that
 * many words. */
void spirv_words_append_text(const SpirvWords *module, guint32 at, guint32 first, GString *out);

#endif
