/* What Valhall's loads, stores and atomics do between memory bytes and staging registers.
 *
 * Shared by the machine simulator and the IR interpreter, as is sim/valhall/alu.h: an
 * instruction word is decoded once, and everything else is functions on bytes and words. The
 * caller handles addresses, bounds and memory order. */
#ifndef NORN_SIM_VALHALL_ACCESS_H
#define NORN_SIM_VALHALL_ACCESS_H

#include "isa/isa.h"
#include <stdbool.h>
#include <stdint.h>

/* The most bytes, and the most registers, of one access. */
#define NORN_VALHALL_ACCESS_BYTES 16
#define NORN_VALHALL_ACCESS_WORDS 4

typedef enum {
  NORN_VALHALL_ACCESS_LOAD,
  NORN_VALHALL_ACCESS_STORE,
  NORN_VALHALL_ACCESS_LOAD_BUFFER, /* the sources are a byte offset and a handle */
  NORN_VALHALL_ACCESS_ATOMIC,
} NornValhallMemoryAccessKind;

typedef struct NornValhallMemoryAccess {
  uint8_t kind; /* NornValhallMemoryAccessKind */
  uint8_t bytes, alignment;
  uint8_t part_bits,
      part_shift;    /* of the part of the register that a narrow access uses; 0 bits: all of it */
  bool sign_extends; /* for a load: extended to a wider part; for an operand: to 64 bits */
  bool is_forced;    /* helper invocations take part */
  bool has_compare;  /* an exchange only if memory holds the value of the second operand */
  bool has_operand;  /* an atomic that reads staging registers */
  uint8_t operand_words;
  uint8_t atomic;       /* NornAtomic */
  int8_t fixed_operand; /* of an atomic, independent of the registers; 0: none */
  int64_t offset;       /* bytes to add to the address */
} NornValhallMemoryAccess;

/* Whether `instruction` is a load, store or atomic. */
bool norn_valhall_is_access(uint16_t instruction);

/* Decodes the modifiers in `word`. Fails with NORN_ERROR_UNSUPPORTED if the instruction is none
 * of these. */
bool norn_valhall_decode_access(const NornIsa *isa, const NornIsaEncoding *encoding, uint64_t word,
                                NornValhallMemoryAccess *access, GError **error);

/* Computes the staging registers of a load from its bytes. The bytes of words[i] in the mask
 * defined[i] are defined; returns the number of registers. */
unsigned norn_valhall_place_loaded(const NornValhallMemoryAccess *access, const uint8_t *bytes,
                                   uint32_t words[NORN_VALHALL_ACCESS_WORDS],
                                   uint8_t defined[NORN_VALHALL_ACCESS_WORDS]);

/* The mask of the bytes that a store reads from its staging register `index`; 0 past the last. */
unsigned norn_valhall_stored_mask(const NornValhallMemoryAccess *access, unsigned index);

/* Computes the bytes of a store from its staging registers. */
void norn_valhall_collect_stored(const NornValhallMemoryAccess *access,
                                 const uint32_t words[NORN_VALHALL_ACCESS_WORDS], uint8_t *bytes);

/* The operand that an atomic combines with memory, given its staging registers (ignored if it
 * has none). */
uint64_t norn_valhall_atomic_operand(const NornValhallMemoryAccess *access,
                                     const uint32_t words[NORN_VALHALL_ACCESS_WORDS]);

/* The value that an atomic stores to memory that held `old`, given its staging registers
 * (ignored if it has none). */
uint64_t norn_valhall_atomic(const NornValhallMemoryAccess *access, uint64_t old,
                             const uint32_t words[NORN_VALHALL_ACCESS_WORDS]);

#endif
