/* Alias and dependence analysis: which memory accesses may touch the same bytes, and which must
 * stay in order. Every pass that moves, merges, removes or delays accesses relies on it.
 *
 * A location is a base, a constant distance in bytes from it, and a size. The base is an SSA value
 * (or a uniform, or a pointer of the machine), so equal bases are equal addresses as long as the
 * value is not redefined, as it is in the next iteration of a loop. Two locations with the same
 * base overlap if their ranges do, computed modulo the width of an address. Locations with
 * different bases may overlap unless their bases are computed from different noalias uniforms
 * (their roots), or exactly one of them is computed from the address of constant data.
 *
 * Memory is divided into disjoint spaces. Global memory, buffers and images form a single space,
 * since a buffer may lie anywhere in global memory. An access may be to several spaces: calls and
 * instructions that create helpers touch all of them at an unknown address; barriers and fences
 * touch everything that another invocation sees. */
#ifndef NORN_IR_ANALYSIS_ALIAS_H
#define NORN_IR_ANALYSIS_ALIAS_H

#include "ir/arena.h"
#include "ir/ir.h"

/* Bits, since an access may be to any of several spaces. */
typedef enum {
  NORN_SPACE_GLOBAL = 1 << 0,    /* including buffers and images */
  NORN_SPACE_WORKGROUP = 1 << 1, /* shared by a workgroup */
  NORN_SPACE_THREAD = 1 << 2,    /* private to an invocation */
  NORN_SPACE_OUTPUT = 1 << 3,    /* what a shader passes to the next stage, and the tile buffer */
  NORN_SPACE_VARYING = 1 << 4,   /* the position cached by loads of varyings */
} NornMemorySpace;
#define NORN_SPACES_ALL 0x1F
#define NORN_SPACES_OTHERS_SEE (NORN_SPACE_GLOBAL | NORN_SPACE_WORKGROUP | NORN_SPACE_OUTPUT)

/* Bases that do not refer to a value. */
#define NORN_BASE_UNKNOWN UINT32_MAX
#define NORN_BASE_ZERO 0 /* the offset is the whole address */

/* The root of the constant data, which is never written. */
#define NORN_ROOT_DATA (UINT32_MAX - 1)
/* In place of a root while one is searched: there is more than one, or possibly so. */
#define NORN_ROOTS UINT32_MAX

typedef struct NornMemoryAccess {
  uint64_t offset; /* bytes from the base, modulo 2^address_bits */
  NornRef base;    /* or NORN_BASE_x */
  NornRef handle;  /* of a buffer, else 0 */
  NornRef root;    /* what the base is computed from by additions, else 0: a noalias uniform or
                      NORN_ROOT_DATA; in machine code also the pointer to workgroup memory */
  uint32_t tag;    /* for the caller: identifies the access */
  NornRef operand; /* what an atomic access combines with; 0 if that is implied by the operation */
  uint8_t combine; /* of an atomic access whose result is not read: a number for the operation,
                      chosen so that the order of two equal ones cannot be observed; else 0 */
  uint8_t size;    /* bytes; 0: unknown */
  uint8_t spaces;  /* set of NornMemorySpace */
  uint8_t address_bits : 7;
  uint8_t reads : 1, writes : 1;
} NornMemoryAccess;

typedef enum {
  NORN_NO_ALIAS,
  NORN_MAY_ALIAS,
  NORN_MUST_ALIAS, /* exactly the same bytes */
} NornAliasResult;

/* Whether the two accesses touch the same bytes. */
NornAliasResult norn_alias(const NornMemoryAccess *a, const NornMemoryAccess *b);

/* Whether a covers every byte of b, both being at known places. */
bool norn_covers(const NornMemoryAccess *a, const NornMemoryAccess *b);

/* Whether one of them writes memory that the other may touch, and they do not combine in the same
 * way: they must stay in order. */
bool norn_conflict(const NornMemoryAccess *a, const NornMemoryAccess *b);

/* Removes one added constant from an address and adds it to the offset, modulo 2^address_bits.
 * False if there is none. */
bool norn_split_address(const NornFunction *function, NornRef *address, int64_t *offset,
                        unsigned address_bits);

/* The number of bytes of memory that a generic load, store or atomic operation accesses. */
unsigned norn_access_bytes(const NornInst *inst);

/* Describes what a generic instruction does to memory; false if nothing. Machine instructions are
 * described by their target (NornMessage). */
bool norn_describe_access(const NornFunction *function, uint32_t inst, NornMemoryAccess *access);

/* Whether a generic instruction is a store to an address and has no other effect. */
bool norn_is_plain_store(const NornInst *inst);

/* The alloca that a store to thread-local memory writes to: its address is that alloca plus
 * additions, so code that does not use the alloca does not see what is stored. NORN_INDEX_NONE if
 * there is none or `inst` is not such a store. */
uint32_t norn_stored_variable(const NornFunction *function, uint32_t inst);

/* An access to any address of those spaces. */
NornMemoryAccess norn_access_anywhere(uint8_t spaces, bool reads, bool writes);

/* A set of accesses that a later one may conflict with, in the order in which they were added. At
 * most `capacity` are kept apart. When the set overflows, its accesses are merged into one with
 * unknown address for each set of spaces, so the set may be conservative but never forgets an
 * access. */
typedef struct NornAccessSet {
  NornArena *arena;
  NornMemoryAccess *accesses;
  uint16_t count, room, capacity;
} NornAccessSet;

/* An empty set, whose accesses live in the arena; the capacity is at least 2. */
void norn_access_set_init(NornAccessSet *set, NornArena *arena, unsigned capacity);
/* If the copy has a smaller capacity, accesses are merged as they are when added. */
void norn_access_set_copy(NornAccessSet *to, const NornAccessSet *from);
static inline void
norn_access_set_clear(NornAccessSet *set) {
  set->count = 0;
}
static inline bool
norn_access_set_is_full(const NornAccessSet *set) {
  return set->count == set->capacity;
}

/* Adds an access, replacing those whose conflicts it covers. If the set is full, everything in it
 * takes the tag of the new access. */
void norn_access_set_add(NornAccessSet *set, const NornMemoryAccess *access);

/* Adds the access unless the set already covers its conflicts; returns whether it was added. */
bool norn_access_set_include(NornAccessSet *set, const NornMemoryAccess *access);

/* Includes all accesses of another set; returns whether this one changed. */
bool norn_access_set_merge(NornAccessSet *into, const NornAccessSet *from);

/* The value is redefined: accesses based on it, or whose handle it is, get an unknown address, and
 * accesses that combine with it an unknown operand. */
void norn_access_set_forget_base(NornAccessSet *set, NornRef value);

/* The latest of the first *end accesses in the set that conflicts with this one, or NULL. *end
 * becomes its index, from which to continue. */
const NornMemoryAccess *norn_access_set_conflict(const NornAccessSet *set,
                                                 const NornMemoryAccess *access, unsigned *end);

#endif
