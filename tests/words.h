/* Instruction words for testing an instruction set, and the properties that each of them must have.
 *
 * Words are collected in a batch, disassembled as one program and assembled again. */
#ifndef NORN_TESTS_WORDS_H
#define NORN_TESTS_WORDS_H

#include "ir/random.h"
#include "isa/isa.h"

/* Random values in some fields of the instruction, usually consistent, not always legal. */
uint64_t words_careless(const NornIsa *isa, const NornIsaEncoding *encoding, uint64_t *state);
/* A legal word of the instruction with random values in most of its fields. Returns false if
 * none is found. */
bool words_legal(const NornIsa *isa, unsigned architecture, const NornIsaEncoding *encoding,
                 uint64_t *state, uint64_t *word);
/* `word` with another value of the field in `slot`, and everything that depends on it. */
uint64_t words_with(const NornIsa *isa, const NornIsaEncoding *encoding, uint64_t word,
                    unsigned slot, uint64_t value);

typedef struct WordBatch {
  const NornIsa *isa;
  unsigned architecture;
  bool labels;     /* branch targets as labels instead of numbers */
  unsigned legal;  /* of all words checked */
  uint64_t *words; /* of the batch */
  unsigned count, capacity;
} WordBatch;

void word_batch_init(WordBatch *batch, const NornIsa *isa, unsigned architecture,
                     unsigned capacity);
void word_batch_clear(WordBatch *batch);
/* Adds a word. Returns whether the batch is full and must be checked. */
bool word_batch_add(WordBatch *batch, uint64_t word);
/* Whether each word's text assembles to the word and looks like an instruction if and only if
 * the word is legal, and its fields pack to it. Empties the batch. Returns NULL, or what is
 * wrong with the first bad word, to be freed with g_free(). */
char *word_batch_check(WordBatch *batch);

#endif
