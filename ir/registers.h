/* The registers of a machine: their classes, sets of them, and counts by class.
 *
 * The registers of all classes are numbered together, each class starting at a multiple of its
 * greatest alignment, so that a register is a small number and all sets have the same type,
 * regardless of class. To support more registers or classes, change the two constants. */
#ifndef NORN_IR_REGISTERS_H
#define NORN_IR_REGISTERS_H

#include <norn/ir.h>
#include <stdbool.h>
#include <stdint.h>

#define NORN_REGISTER_WORDS 2 /* words of 64 bits in a set */
#define NORN_MAX_REGISTERS (64 * NORN_REGISTER_WORDS)
#define NORN_REGISTER_CLASSES 2
#define NORN_GROUP_REGISTERS 8 /* maximum number that a value takes */

/* --- Sets --- */

typedef struct NornRegisterSet {
  uint64_t words[NORN_REGISTER_WORDS];
} NornRegisterSet;

#define NORN_NO_REGISTERS ((NornRegisterSet){{0}})

#define NORN_REGISTER_OPERATION(name, expression)                                                  \
  static inline NornRegisterSet norn_regs_##name(NornRegisterSet a, NornRegisterSet b) {           \
    NornRegisterSet result;                                                                        \
    for (unsigned k = 0; k < NORN_REGISTER_WORDS; k++)                                             \
      result.words[k] = expression;                                                                \
    return result;                                                                                 \
  }
NORN_REGISTER_OPERATION(union, a.words[k] | b.words[k])
NORN_REGISTER_OPERATION(common, a.words[k] & b.words[k])
NORN_REGISTER_OPERATION(without, a.words[k] & ~b.words[k])
#undef NORN_REGISTER_OPERATION

static inline bool
norn_regs_any(NornRegisterSet set) {
  uint64_t any = 0;
  for (unsigned k = 0; k < NORN_REGISTER_WORDS; k++)
    any |= set.words[k];
  return any != 0;
}

static inline bool
norn_regs_equal(NornRegisterSet a, NornRegisterSet b) {
  uint64_t differ = 0;
  for (unsigned k = 0; k < NORN_REGISTER_WORDS; k++)
    differ |= a.words[k] ^ b.words[k];
  return !differ;
}

static inline bool
norn_regs_overlap(NornRegisterSet a, NornRegisterSet b) {
  return norn_regs_any(norn_regs_common(a, b));
}

static inline bool
norn_regs_has(NornRegisterSet set, unsigned reg) {
  return set.words[reg / 64] >> reg % 64 & 1;
}

/* Which of four registers, the first a multiple of 4, are in the set: a bit for each. */
static inline unsigned
norn_regs_four(NornRegisterSet set, unsigned first) {
  return set.words[first / 64] >> first % 64 & 15;
}
static inline void
norn_regs_add_four(NornRegisterSet *set, unsigned first, unsigned four) {
  set->words[first / 64] |= (uint64_t)four << first % 64;
}

static inline unsigned
norn_regs_count(NornRegisterSet set) {
  unsigned count = 0;
  for (unsigned k = 0; k < NORN_REGISTER_WORDS; k++)
    count += (unsigned)__builtin_popcountll(set.words[k]);
  return count;
}

/* Whether the set has exactly one register. */
static inline bool
norn_regs_is_single(NornRegisterSet set) {
  uint64_t all = 0;
  bool collide = false;
  for (unsigned k = 0; k < NORN_REGISTER_WORDS; k++) {
    collide |= all && set.words[k];
    all |= set.words[k];
  }
  return all && !collide && !(all & (all - 1));
}

/* The lowest register of a nonempty set. */
static inline unsigned
norn_regs_lowest(NornRegisterSet set) {
  unsigned k = 0;
  while (k < NORN_REGISTER_WORDS - 1 && !set.words[k])
    k++;
  return 64 * k + (unsigned)__builtin_ctzll(set.words[k]);
}

/* One more than the highest register; 0 for an empty set. */
static inline unsigned
norn_regs_end(NornRegisterSet set) {
  for (unsigned k = NORN_REGISTER_WORDS; k--;)
    if (set.words[k])
      return 64 * k + 64 - (unsigned)__builtin_clzll(set.words[k]);
  return 0;
}

/* Removes the lowest register from the set and returns it; NORN_MAX_REGISTERS if the set is empty.
 */
static inline unsigned
norn_regs_take(NornRegisterSet *set) {
  for (unsigned k = 0; k < NORN_REGISTER_WORDS; k++)
    if (set->words[k]) {
      unsigned reg = 64 * k + (unsigned)__builtin_ctzll(set->words[k]);
      set->words[k] &= set->words[k] - 1;
      return reg;
    }
  return NORN_MAX_REGISTERS;
}

/* Iterates over the registers of a set, as it is at the start, from the lowest on. */
#define norn_for_each_register(reg, set)                                                           \
  for (NornRegisterSet reg##_rest = (set), *reg##_at = &reg##_rest; reg##_at; reg##_at = NULL)     \
    for (unsigned reg; (reg = norn_regs_take(reg##_at)) < NORN_MAX_REGISTERS;)

/* The set of registers R for which R + distance is in the set; distance must be below 64. */
static inline NornRegisterSet
norn_regs_down(NornRegisterSet set, unsigned distance) {
  for (unsigned k = 0; k < NORN_REGISTER_WORDS && distance; k++) {
    set.words[k] >>= distance;
    if (k + 1 < NORN_REGISTER_WORDS)
      set.words[k] |= set.words[k + 1] << (64 - distance);
  }
  return set;
}

/* The set of R + distance for each register R of the set; distance must be below 64. */
static inline NornRegisterSet
norn_regs_up(NornRegisterSet set, unsigned distance) {
  for (unsigned k = NORN_REGISTER_WORDS; distance && k--;) {
    set.words[k] <<= distance;
    if (k)
      set.words[k] |= set.words[k - 1] >> (64 - distance);
  }
  return set;
}

/* Registers [first, first + count), at most 64, without those that do not exist. */
static inline NornRegisterSet
norn_regs_range(unsigned first, unsigned count) {
  NornRegisterSet set = {{0}};
  uint64_t bits = count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
  if (first < 64 && first + count <= 64) {
    set.words[0] = bits << first;
    return set;
  }
  if (first >= NORN_MAX_REGISTERS)
    return set;
  set.words[first / 64] = bits << first % 64;
  if (first / 64 + 1 < NORN_REGISTER_WORDS && first % 64)
    set.words[first / 64 + 1] = bits >> (64 - first % 64);
  return set;
}

static inline NornRegisterSet
norn_regs_of(unsigned reg) {
  return norn_regs_range(reg, 1);
}

static inline void
norn_regs_add(NornRegisterSet *set, NornRegisterSet more) {
  *set = norn_regs_union(*set, more);
}

/* Adds the registers of norn_regs_range. */
static inline void
norn_regs_add_range(NornRegisterSet *set, unsigned first, unsigned count) {
  if (first + count < 64)
    set->words[0] |= ((UINT64_C(1) << count) - 1) << first;
  else
    norn_regs_add(set, norn_regs_range(first, count));
}

static inline void
norn_regs_remove(NornRegisterSet *set, NornRegisterSet less) {
  *set = norn_regs_without(*set, less);
}

/* --- Register counts, by class --- */

typedef struct NornRegisterCounts {
  uint32_t of[NORN_REGISTER_CLASSES];
} NornRegisterCounts;

#define NORN_REGISTER_OPERATION(name, expression)                                                  \
  static inline NornRegisterCounts norn_counts_##name(NornRegisterCounts a,                        \
                                                      NornRegisterCounts b) {                      \
    NornRegisterCounts result;                                                                     \
    for (unsigned k = 0; k < NORN_REGISTER_CLASSES; k++)                                           \
      result.of[k] = expression;                                                                   \
    return result;                                                                                 \
  }
NORN_REGISTER_OPERATION(plus, a.of[k] + b.of[k])
NORN_REGISTER_OPERATION(minus, a.of[k] - b.of[k])
NORN_REGISTER_OPERATION(max, a.of[k] > b.of[k] ? a.of[k] : b.of[k])
/* a - b, but at least 0 */
NORN_REGISTER_OPERATION(beyond, a.of[k] > b.of[k] ? a.of[k] - b.of[k] : 0)
#undef NORN_REGISTER_OPERATION

/* Whether the counts exceed the limit in any class. */
static inline bool
norn_counts_exceed(NornRegisterCounts a, NornRegisterCounts limit) {
  bool exceeds = false;
  for (unsigned k = 0; k < NORN_REGISTER_CLASSES; k++)
    exceeds |= a.of[k] > limit.of[k];
  return exceeds;
}

/* The sum over all classes. */
static inline int
norn_counts_sum(NornRegisterCounts counts) {
  int sum = 0;
  for (unsigned k = 0; k < NORN_REGISTER_CLASSES; k++)
    sum += counts.of[k];
  return sum;
}

/* --- Classes --- */

/* One kind of register. A value is in registers of one class, in consecutive ones if it takes
 * several. The first of N registers is a multiple of alignment[N], which is a power of two and does
 * not decrease with N. */
typedef struct NornRegisterClass {
  const char *name;
  uint8_t first, count; /* the numbers of its registers */
  uint8_t bits; /* of a register; 32 in the class of groups of words, so that each word takes one
                   register */
  uint8_t alignment[NORN_GROUP_REGISTERS + 1]; /* [0]: 1 */
  uint32_t types;                              /* of the values that it holds: bit NORN_TYPE_x */
} NornRegisterClass;

/* The registers of a machine. Types that no other class holds are in the first class. */
typedef struct NornRegisterFile {
  NornRegisterClass classes[NORN_REGISTER_CLASSES];
  unsigned class_count;
} NornRegisterFile;

/* The number of the class that holds values of the type. */
static inline unsigned
norn_register_class(const NornRegisterFile *file, NornType type) {
  unsigned class = file->class_count;
  while (--class && !(file->classes[class].types >> type & 1))
    ;
  return class;
}

/* The registers that values of a type take. */
typedef struct NornTypeRegisters {
  uint8_t class, count;    /* the class and the number of registers */
  NornRegisterCounts room; /* the most they can take: `count` rounded up to the alignment */
} NornTypeRegisters;

#define NORN_REGISTER_ALIGNMENTS 4 /* 1, 2, 4, 8 */

/* The same as tables for fast queries. */
typedef struct NornRegisterModel {
  const NornRegisterFile *file;
  unsigned count; /* registers of all classes: all numbers are below */
  NornRegisterSet all;
  NornRegisterSet members[NORN_REGISTER_CLASSES];
  /* Where values with this many registers may start so that all of them are in the class. */
  NornRegisterSet starts[NORN_REGISTER_CLASSES][NORN_GROUP_REGISTERS + 1];
  /* Multiples of 2 to the power of the second index. */
  NornRegisterSet multiples[NORN_REGISTER_CLASSES][NORN_REGISTER_ALIGNMENTS];
  uint8_t alignment[NORN_REGISTER_CLASSES][NORN_GROUP_REGISTERS + 1]; /* logarithms */
  NornTypeRegisters types[NORN_TYPE_COUNT];
} NornRegisterModel;

void norn_register_model_init(NornRegisterModel *model, const NornRegisterFile *file);

/* The number of registers of each class in a set. */
NornRegisterCounts norn_regs_by_class(const NornRegisterModel *model, NornRegisterSet set);

#endif
