/* Of which bytes of other values a value is put together.
 *
 * Languages put integers together of bytes, halves and words, and take them out again, with
 * extensions, shifts, masks and disjunctions. Where each byte of a value is a known byte of another
 * value, or zero, vectors and groups say the same. */
#ifndef NORN_PASSES_OPTIMIZE_PARTS_H
#define NORN_PASSES_OPTIMIZE_PARTS_H

#include "ir/builder.h"
#include "passes/optimize/simplify.h"

#define NORN_MAX_BYTES 8
#define NORN_ALL_BYTES 0xFFu
#define NORN_PARTS_UNKNOWN 16 /* the cost of what is better left as it is */

/* A byte of a value; a constant is a byte itself. */
typedef struct Byte {
  NornRef base; /* 0: the byte is zero */
  uint8_t type; /* of the base */
  uint8_t number;
} Byte;

typedef struct PartWalk {
  Simplifier *simplifier;
  unsigned depth, visits;
  unsigned unions; /* instructions that put parts together, and whose results have no other use */
} PartWalk;

static inline unsigned
norn_byte_count(NornType type) {
  return norn_type_bits(type) / 8;
}

/* Fills in those bytes of a value of that type that a bit of `demanded` stands for; the value has
 * at most NORN_MAX_BYTES, and what the other ones are does not matter. */
void norn_describe_bytes(PartWalk *walk, NornRef ref, NornType type, unsigned demanded,
                         Byte *bytes);

/* The same of the result of an instruction; false: the bytes are its own. */
bool norn_describe_result(PartWalk *walk, const NornInst *inst, unsigned demanded, Byte *bytes);

/* Whether those bytes are neighbors of one value, in their order, from a place that such a part can
 * have. */
bool norn_are_neighbors(const Byte *bytes, unsigned count);

/* Whether those bytes are constants, zeros among them. */
bool norn_are_constant(const Byte *bytes, unsigned count);

/* Instructions that it takes to put a word of four bytes together. */
unsigned norn_word_cost(const Byte *bytes);

/* Bytes that are constant or neighbors, as that type, which has one lane and at most a word. */
NornRef norn_build_part(Simplifier *simplifier, NornBuilder *builder, const Byte *bytes,
                        NornType type);

/* A word of four bytes as an i32. */
NornRef norn_build_bytes(Simplifier *simplifier, NornBuilder *builder, const Byte *bytes);

/* Word k of a value of 64 bits. */
NornRef norn_build_word_of(Simplifier *simplifier, NornBuilder *builder, NornRef ref, unsigned k);

#endif
