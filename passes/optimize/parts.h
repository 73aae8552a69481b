/* Finds which bytes of other values a value is composed of.
 *
 * Languages compose integers of bytes, halves and words, and extract these again, with extensions,
 * shifts, masks and disjunctions. If each byte of a value is a known byte of another value, or
 * zero, vectors and groups can express the same. */
#ifndef NORN_PASSES_OPTIMIZE_PARTS_H
#define NORN_PASSES_OPTIMIZE_PARTS_H

#include "ir/builder.h"
#include "passes/optimize/simplify.h"

#define NORN_MAX_BYTES 8
#define NORN_ALL_BYTES 0xFFu
#define NORN_PARTS_UNKNOWN 16 /* the cost of words that are better left unchanged */

/* A byte of a value; the bytes of a constant are constants themselves. */
typedef struct Byte {
  NornRef base; /* 0: the byte is zero */
  uint8_t type; /* of the base */
  uint8_t number;
} Byte;

typedef struct PartWalk {
  Simplifier *simplifier;
  unsigned depth, visits;
  unsigned unions; /* instructions that combine parts and whose results have no other use */
} PartWalk;

static inline unsigned
norn_byte_count(NornType type) {
  return norn_type_bits(type) / 8;
}

/* Fills in the bytes of a value of the given type whose bits are set in `demanded`. The value has
 * at most NORN_MAX_BYTES; its other bytes are undefined. */
void norn_describe_bytes(PartWalk *walk, NornRef ref, NornType type, unsigned demanded,
                         Byte *bytes);

/* The same for the result of an instruction; false if its bytes are not those of other values. */
bool norn_describe_result(PartWalk *walk, const NornInst *inst, unsigned demanded, Byte *bytes);

/* Whether the bytes are consecutive bytes of one value, in order, at an offset where a part of this
 * size can be extracted. */
bool norn_are_neighbors(const Byte *bytes, unsigned count);

/* Whether the bytes are all constant or zero. */
bool norn_are_constant(const Byte *bytes, unsigned count);

/* The number of instructions needed to compose a word of four bytes. */
unsigned norn_word_cost(const Byte *bytes);

/* Builds constant or consecutive bytes as a value of the given type, which has one lane and at most
 * a word. */
NornRef norn_build_part(Simplifier *simplifier, NornBuilder *builder, const Byte *bytes,
                        NornType type);

/* Builds a word of four bytes as an i32. */
NornRef norn_build_bytes(Simplifier *simplifier, NornBuilder *builder, const Byte *bytes);

/* Word k of a 64-bit value. */
NornRef norn_build_word_of(Simplifier *simplifier, NornBuilder *builder, NornRef ref, unsigned k);

#endif
