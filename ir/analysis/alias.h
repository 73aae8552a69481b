/* Alias and dependence analysis: which memory accesses may touch the same bytes, and which must
 * stay in order. Whoever moves, joins, removes or delays accesses asks here.
 *
 * A location is a base, a constant number of bytes from it, and a size. The base is an SSA value
 * (or a uniform, or a pointer of the machine), so equal bases are equal addresses as long as the
 * value is not defined anew, as in the next iteration of a loop. Two locations of one base overlap
 * where their ranges do, counted modulo the width of an address; locations of different bases may
 * overlap, unless the bases are sums on different uniforms, their roots, that are noalias, or one
 * of them is a sum on the address of constant data.
 *
 * Memory is divided into spaces that share no byte. Global memory, buffers and images are one of
 * them, as a buffer may lie anywhere in global memory. An access may be to several spaces: calls,
 * and what makes helpers, touch all of them at an unknown address; barriers and fences, all that
 * another invocation sees. */
#ifndef NORN_IR_ANALYSIS_ALIAS_H
#define NORN_IR_ANALYSIS_ALIAS_H

#include "ir/arena.h"
#include "ir/ir.h"

/* Bits, as an access may be to any of several. */
typedef enum {
  NORN_SPACE_GLOBAL = 1 << 0,    /* with buffers and images */
  NORN_SPACE_WORKGROUP = 1 << 1, /* shared by a workgroup */
  NORN_SPACE_THREAD = 1 << 2,    /* of one invocation */
  NORN_SPACE_OUTPUT = 1 << 3,    /* what a shader gives to the next stage, and the tile buffer */
  NORN_SPACE_VARYING = 1 << 4,   /* the position that loads of varyings keep */
} NornMemorySpace;
#define NORN_SPACES_ALL 0x1F
#define NORN_SPACES_OTHERS_SEE (NORN_SPACE_GLOBAL | NORN_SPACE_WORKGROUP | NORN_SPACE_OUTPUT)

/* Bases that are no reference to a value. */
#define NORN_BASE_UNKNOWN UINT32_MAX
#define NORN_BASE_ZERO 0 /* the offset is the whole address */

/* The root of the constant data, which nothing writes. */
#define NORN_ROOT_DATA (UINT32_MAX - 1)

typedef struct NornMemoryAccess {
  uint64_t offset; /* bytes from the base, modulo 2^address_bits */
  NornRef base;    /* or NORN_BASE_x */
  NornRef handle;  /* of a buffer, else 0 */
  NornRef root;    /* on which the base is a sum, else 0: a uniform that is noalias, or
                      NORN_ROOT_DATA; in machine code the pointer to workgroup memory, too */
  uint32_t tag;    /* the caller's: who makes the access */
  NornRef operand; /* what an atomic access combines with, 0 if that is part of the operation */
  uint8_t combine; /* of an atomic access whose result is not read: a number for the operation, such
                      that none can tell in which order two do the same; else 0 */
  uint8_t size;    /* bytes; 0: unknown */
  uint8_t spaces;  /* set of NornMemorySpace */
  uint8_t address_bits : 7;
  uint8_t reads : 1, writes : 1;
} NornMemoryAccess;

typedef enum {
  NORN_NO_ALIAS,
  NORN_MAY_ALIAS,
  NORN_MUST_ALIAS, /* the same bytes, all of them */
} NornAliasResult;

/* Whether the two touch the same bytes. */
NornAliasResult norn_alias(const NornMemoryAccess *a, const NornMemoryAccess *b);

/* Whether every byte of b is one of a, both being at known places. */
bool norn_covers(const NornMemoryAccess *a, const NornMemoryAccess *b);

/* Whether one of them writes what the other may touch, and they are not two that do the same: they
 * must stay in order. */
bool norn_conflict(const NornMemoryAccess *a, const NornMemoryAccess *b);

/* Takes one constant that is added to an address away from it, and adds it to the offset, modulo
 * 2^address_bits. False if there is none. */
bool norn_split_address(const NornFunction *function, NornRef *address, int64_t *offset,
                        unsigned address_bits);

/* How many bytes of memory a generic load, store or atomic operation takes. */
unsigned norn_access_bytes(const NornInst *inst);

/* What a generic instruction does to memory; false if nothing. Machine instructions are described
 * by their target (NornMessage). */
bool norn_describe_access(const NornFunction *function, uint32_t inst, NornMemoryAccess *access);

/* The variable, an alloca, that a store to thread-local memory is to: its address is that, or sums
 * on it, so that who does not use the alloca does not find what is stored. NORN_INDEX_NONE if there
 * is none, or `inst` is no such store. */
uint32_t norn_stored_variable(const NornFunction *function, uint32_t inst);

/* An access to any address of those spaces. */
NornMemoryAccess norn_access_anywhere(uint8_t spaces, bool reads, bool writes);

/* Accesses that something later may conflict with, in the order in which they were added. At most
 * `capacity` are kept apart: when there would be more, those kept become accesses to anywhere, one
 * for each set of spaces, so that the set may say too much, but nothing is forgotten. */
typedef struct NornAccessSet {
  NornArena *arena;
  NornMemoryAccess *accesses;
  uint16_t count, room, capacity;
} NornAccessSet;

/* An empty set, whose accesses live in the arena; the capacity is at least 2. */
void norn_access_set_init(NornAccessSet *set, NornArena *arena, unsigned capacity);
/* What is more than the copy can keep apart is joined, as when it is added. */
void norn_access_set_copy(NornAccessSet *to, const NornAccessSet *from);
static inline void
norn_access_set_clear(NornAccessSet *set) {
  set->count = 0;
}
static inline bool
norn_access_set_is_full(const NornAccessSet *set) {
  return set->count == set->capacity;
}

/* Adds an access, in place of those that conflict with nothing else than it does. If the set is
 * full, all that is in it takes the tag of the new access. */
void norn_access_set_add(NornAccessSet *set, const NornMemoryAccess *access);

/* Adds it if it can conflict with more than the set does; whether it can. */
bool norn_access_set_include(NornAccessSet *set, const NornMemoryAccess *access);

/* Includes all of another set; whether that changed this one. */
bool norn_access_set_merge(NornAccessSet *into, const NornAccessSet *from);

/* The value gets another content: what counted from it, as a base or handle, may be anywhere, and
 * what was combined with it is not known. */
void norn_access_set_forget_base(NornAccessSet *set, NornRef value);

/* The latest of the first *end accesses of the set that conflicts with this one, or NULL; *end is
 * then its index, to go on from. */
const NornMemoryAccess *norn_access_set_conflict(const NornAccessSet *set,
                                                 const NornMemoryAccess *access, unsigned *end);

#endif
