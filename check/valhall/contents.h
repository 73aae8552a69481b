/* Ids for the contents of registers, such that equal ids imply equal contents. */
#ifndef NORN_CHECK_VALHALL_CONTENTS_H
#define NORN_CHECK_VALHALL_CONTENTS_H

#include "check/valhall/roots.h"

#define NORN_CONTENT_UNKNOWN UINT32_MAX

typedef struct NornContents {
  const NornCode *code;
  uint32_t *entry;       /* by block and register */
  bool *is_reached;      /* by block */
  GHashTable *constants; /* bits -> number + 1 */
  NornRoots roots;       /* of addresses, by the ids of their words */
} NornContents;

/* Finds the contents at the start of every block; `code` must outlive them. */
void norn_contents_init(NornContents *contents, const NornCode *code);
void norn_contents_clear(NornContents *contents);

/* The contents of all registers at the start of a block. */
static inline const uint32_t *
norn_contents_at(const NornContents *contents, uint32_t block) {
  return contents->entry + (size_t)block * NORN_VALHALL_REGISTERS;
}

/* Whether the id denotes contents at the start of the block, or may occur there without any
 * register holding it. */
bool norn_content_is_at(const NornContents *contents, uint32_t content, uint32_t block);

/* Updates the contents before an instruction to those after it. */
void norn_contents_step(const NornContents *contents, uint32_t *registers, uint32_t inst);
/* The contents of a source that is an address, as a base; NORN_FOOTPRINT_ANYWHERE: unknown. */
uint64_t norn_content_of_address(const NornContents *contents, const uint32_t *registers,
                                 const NornCodeSource *source);
/* Whether the instruction defined the contents; whether they are the unknown contents of the
 * register at the start of the block. */
bool norn_content_is_of(uint32_t content, uint32_t inst);
bool norn_content_is_of_block(uint32_t content, uint32_t block, unsigned reg);

#endif
