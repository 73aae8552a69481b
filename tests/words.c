/* Instruction words to try an instruction set with; see words.h. */
#include "words.h"

#include <string.h>

/* Words */

uint64_t
words_with(const NornIsa *isa, const NornIsaEncoding *encoding, uint64_t word, unsigned slot,
           uint64_t value) {
  const NornIsaField *field = &encoding->fields[slot];
  word = (word & ~norn_isa_insert(field, UINT64_MAX)) | norn_isa_insert(field, value);
  return field->kind == NORN_ISA_FIELD_DERIVED ? word : norn_isa_derive(isa, encoding, word);
}

uint64_t
words_careless(const NornIsa *isa, const NornIsaEncoding *encoding, uint64_t *state) {
  uint64_t word = encoding->word;
  for (unsigned i = 0; i < encoding->field_count; i++) {
    const NornIsaField *field = &encoding->fields[i];
    uint64_t random = norn_random_next(state);
    if (random >> 63)
      word = (word & ~norn_isa_insert(field, UINT64_MAX)) | norn_isa_insert(field, random);
  }
  if (norn_random_next(state) >> 62 == 0)
    word |= encoding->ignored & norn_random_next(state);
  if (norn_random_next(state) >> 61)
    word = norn_isa_derive(isa, encoding, word);
  if (norn_random_next(state) >> 60 == 0)
    word ^= UINT64_C(1) << (norn_random_next(state) >> 8) % isa->word_bits;
  return word;
}

/* A value that is legal by itself. */
static uint64_t
field_value(const NornIsaField *field, uint64_t *state) {
  uint64_t random = norn_random_next(state);
  unsigned width = norn_isa_field_width(field);
  if (field->kind != NORN_ISA_FIELD_ENUM)
    return random >> 32 & (random >> 31 & 1 ? norn_isa_mask(width) : norn_isa_mask(width) & ~1u);
  uint64_t value = random >> 32;
  do {
    value = (value + 1) & 63;
  } while (!(field->allowed >> value & 1));
  return value;
}

/* The word with a random value in a field and, if the codes share a bank, often with another
 * bank. */
static uint64_t
change_field(const NornIsa *isa, const NornIsaEncoding *encoding, uint64_t word, unsigned slot,
             uint64_t *state) {
  const NornIsaField *field = &encoding->fields[slot];
  if (field->kind == NORN_ISA_FIELD_CODE && encoding->bank != NORN_ISA_NO_FIELD &&
      norn_random_next(state) >> 63)
    word = words_with(isa, encoding, word, encoding->bank,
                      field_value(&encoding->fields[encoding->bank], state));
  return words_with(isa, encoding, word, slot, field_value(field, state));
}

/* Some legal word, mostly with defaults. */
static bool
first_legal(const NornIsa *isa, unsigned architecture, const NornIsaEncoding *encoding,
            uint64_t *state, uint64_t *word) {
  enum { ATTEMPTS = 4096 };
  *word = norn_isa_derive(isa, encoding, encoding->word);
  for (unsigned i = 0; i < encoding->field_count; i++) {
    const NornIsaField *field = &encoding->fields[i];
    if (field->kind == NORN_ISA_FIELD_ENUM &&
        !(field->allowed >> norn_isa_extract(field, *word) & 1))
      *word = words_with(isa, encoding, *word, i, field_value(field, state));
  }
  const uint64_t start = *word;
  for (unsigned k = 0; k < ATTEMPTS && encoding->field_count; k++) {
    if (norn_isa_check(isa, architecture, *word, NULL))
      return true;
    if (k % 8 == 0)
      *word = start;
    *word = change_field(isa, encoding, *word,
                         (unsigned)(norn_random_next(state) >> 32) % encoding->field_count, state);
  }
  return norn_isa_check(isa, architecture, *word, NULL);
}

bool
words_legal(const NornIsa *isa, unsigned architecture, const NornIsaEncoding *encoding,
            uint64_t *state, uint64_t *word) {
  if (!first_legal(isa, architecture, encoding, state, word))
    return false;
  for (unsigned k = 0; k < encoding->field_count + encoding->field_count / 2u; k++) {
    unsigned slot = (unsigned)(norn_random_next(state) >> 32) % encoding->field_count;
    uint64_t changed = change_field(isa, encoding, *word, slot, state);
    if (norn_isa_check(isa, architecture, changed, NULL))
      *word = changed;
  }
  if (norn_random_next(state) >> 62 == 0)
    *word |= encoding->ignored & norn_random_next(state);
  return true;
}

/* Batches */

void
word_batch_init(WordBatch *batch, const NornIsa *isa, unsigned architecture, unsigned capacity) {
  *batch = (WordBatch){.isa = isa,
                       .architecture = architecture,
                       .words = g_new(uint64_t, capacity),
                       .capacity = capacity};
}

void
word_batch_clear(WordBatch *batch) {
  g_free(batch->words);
  batch->words = NULL;
}

bool
word_batch_add(WordBatch *batch, uint64_t word) {
  batch->words[batch->count++] = batch->isa->word_bits == 64 ? word : word & UINT32_MAX;
  return batch->count == batch->capacity;
}

G_GNUC_PRINTF(3, 4)
static char *
describe(const WordBatch *batch, unsigned index, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *what = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  return g_strdup_printf("%s %s 0x%0*" G_GINT64_MODIFIER "x: %s", batch->isa->name,
                         norn_isa_architecture_name(batch->isa, batch->architecture),
                         batch->isa->word_bits / 4, batch->words[index], what);
}

/* The words as the bytes of a program. */
static uint8_t *
pack_batch(const WordBatch *batch) {
  unsigned size = norn_isa_word_bytes(batch->isa);
  uint8_t *bytes = g_malloc((gsize)batch->count * size);
  for (unsigned i = 0; i < batch->count; i++) {
    uint64_t word = GUINT64_TO_LE(batch->words[i]);
    memcpy(bytes + (gsize)i * size, &word, size);
  }
  return bytes;
}

/* Each line must be an instruction if and only if the word is legal; in that case its fields
 * must reproduce the word. */
static char *
check_lines(WordBatch *batch, const char *text) {
  for (unsigned i = 0; i < batch->count; i++) {
    bool legal = norn_isa_check(batch->isa, batch->architecture, batch->words[i], NULL);
    if (!batch->labels && legal != (*text != '.'))
      return describe(batch, i, "%s, but its text is '%.*s'", legal ? "legal" : "not legal",
                      (int)strcspn(text, "\n"), text);
    text += strcspn(text, "\n") + 1;
    NornIsaDecoded decoded;
    if (norn_isa_unpack(batch->isa, batch->architecture, batch->words[i], &decoded)) {
      if (norn_isa_pack(&decoded) != batch->words[i])
        return describe(batch, i, "its fields pack to 0x%" G_GINT64_MODIFIER "x",
                        norn_isa_pack(&decoded));
    } else if (legal) {
      return describe(batch, i, "legal, but has no encoding");
    }
    batch->legal += legal;
  }
  return NULL;
}

/* The first word that its own text does not reproduce. */
static char *
find_bad(const WordBatch *batch, const char *reason) {
  const NornIsaAssembleOptions options = {.architecture = batch->architecture};
  unsigned size = norn_isa_word_bytes(batch->isa);
  for (unsigned i = 0; i < batch->count; i++) {
    char line[NORN_ISA_LINE];
    size_t length = norn_isa_print(batch->isa, batch->architecture, batch->words[i], 0, line);
    GError *error = NULL;
    GBytes *bytes = norn_isa_assemble(batch->isa, line, length, "text", &options, &error);
    uint64_t back = 0;
    if (bytes && g_bytes_get_size(bytes) == size)
      memcpy(&back, g_bytes_get_data(bytes, NULL), size);
    bool same = bytes && GUINT64_FROM_LE(back) == batch->words[i];
    char *what = same    ? NULL
                 : bytes ? describe(batch, i, "'%s' assembles to 0x%" G_GINT64_MODIFIER "x", line,
                                    GUINT64_FROM_LE(back))
                         : describe(batch, i, "'%s': %s", line, error->message);
    g_clear_error(&error);
    if (bytes)
      g_bytes_unref(bytes);
    if (what)
      return what;
  }
  return describe(batch, 0, "a program of %u words that begins so does not come back: %s",
                  batch->count, reason);
}

char *
word_batch_check(WordBatch *batch) {
  const NornIsaAssembleOptions options = {.architecture = batch->architecture};
  const NornIsaDisassembleOptions print = {batch->architecture,
                                           batch->labels ? 0 : NORN_ISA_PRINT_OFFSETS};
  g_autofree uint8_t *bytes = pack_batch(batch);
  gsize size = (gsize)batch->count * norn_isa_word_bytes(batch->isa), length;
  g_autofree char *text = norn_isa_disassemble(batch->isa, bytes, size, &print, &length);
  char *problem = check_lines(batch, text);
  g_autoptr(GError) error = NULL;
  GBytes *back = norn_isa_assemble(batch->isa, text, length, "text", &options, &error);
  if (!problem && (!back || g_bytes_get_size(back) != size ||
                   (size && memcmp(g_bytes_get_data(back, NULL), bytes, size))))
    problem = find_bad(batch, error ? error->message : "other bytes");
  if (back)
    g_bytes_unref(back);
  batch->count = 0;
  return problem;
}
