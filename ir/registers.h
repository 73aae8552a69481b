/* Registers of a machine: the classes they come in, sets of them, numbers of them by class.
 *
 * Registers of all classes are numbered together, each class from a multiple of its greatest
 * alignment on, so that a register is one small number and a set of them one type, whatever the
 * class. Room for more registers or classes is a change of the two constants. */
#ifndef NORN_IR_REGISTERS_H
#define NORN_IR_REGISTERS_H

#include <norn/ir.h>
#include <stdbool.h>
#include <stdint.h>

#define NORN_REGISTER_WORDS 2 /* of 64 bits in a set */
#define NORN_MAX_REGISTERS (64 * NORN_REGISTER_WORDS)
#define NORN_REGISTER_CLASSES 2
#define NORN_GROUP_REGISTERS 8 /* that a value takes at most */

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

static inline unsigned
norn_regs_count(NornRegisterSet set) {
  unsigned count = 0;
  for (unsigned k = 0; k < NORN_REGISTER_WORDS; k++)
    count += (unsigned)__builtin_popcountll(set.words[k]);
  return count;
}

/* The lowest of a set that is not empty. */
static inline unsigned
norn_regs_lowest(NornRegisterSet set) {
  unsigned k = 0;
  while (k < NORN_REGISTER_WORDS - 1 && !set.words[k])
    k++;
  return 64 * k + (unsigned)__builtin_ctzll(set.words[k]);
}

/* One more than the highest, 0 of an empty set. */
static inline unsigned
norn_regs_end(NornRegisterSet set) {
  for (unsigned k = NORN_REGISTER_WORDS; k--;)
    if (set.words[k])
      return 64 * k + 64 - (unsigned)__builtin_clzll(set.words[k]);
  return 0;
}

/* Takes the lowest out of the set; NORN_MAX_REGISTERS if it is empty. */
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

/* Each register of a set, as it is at the start, from the lowest on. */
#define norn_for_each_register(reg, set)                                                           \
  for (NornRegisterSet reg##_rest = (set), *reg##_at = &reg##_rest; reg##_at; reg##_at = NULL)     \
    for (unsigned reg; (reg = norn_regs_take(reg##_at)) < NORN_MAX_REGISTERS;)

/* The set of those registers R for which R + distance is in the set; distance below 64. */
static inline NornRegisterSet
norn_regs_down(NornRegisterSet set, unsigned distance) {
  for (unsigned k = 0; k < NORN_REGISTER_WORDS && distance; k++) {
    set.words[k] >>= distance;
    if (k + 1 < NORN_REGISTER_WORDS)
      set.words[k] |= set.words[k + 1] << (64 - distance);
  }
  return set;
}

/* The set of R + distance for each of its registers R; distance below 64. */
static inline NornRegisterSet
norn_regs_up(NornRegisterSet set, unsigned distance) {
  for (unsigned k = NORN_REGISTER_WORDS; distance && k--;) {
    set.words[k] <<= distance;
    if (k)
      set.words[k] |= set.words[k - 1] >> (64 - distance);
  }
  return set;
}

/* Registers [first, first + count); at most 64 of them, and none that does not exist. */
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

/* Adds [first, first + count) as norn_regs_range has them. */
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

/* --- Numbers of registers, by class --- */

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
/* a - b where that is more than nothing */
NORN_REGISTER_OPERATION(beyond, a.of[k] > b.of[k] ? a.of[k] - b.of[k] : 0)
#undef NORN_REGISTER_OPERATION

/* Whether there are more in any class. */
static inline bool
norn_counts_exceed(NornRegisterCounts a, NornRegisterCounts limit) {
  bool exceeds = false;
  for (unsigned k = 0; k < NORN_REGISTER_CLASSES; k++)
    exceeds |= a.of[k] > limit.of[k];
  return exceeds;
}

/* Of all classes. */
static inline int
norn_counts_sum(NornRegisterCounts counts) {
  int sum = 0;
  for (unsigned k = 0; k < NORN_REGISTER_CLASSES; k++)
    sum += counts.of[k];
  return sum;
}

/* --- Classes --- */

/* One kind of register. A value is in registers of one class, one after the other if it takes
 * several; so many start at a multiple of alignment[how many], which grows with their number and is
 * a power of two. */
typedef struct NornRegisterClass {
  const char *name;
  uint8_t first, count; /* the numbers of its registers */
  uint8_t bits;         /* of a register; 32 where groups of words go, so that a word is one */
  uint8_t alignment[NORN_GROUP_REGISTERS + 1]; /* [0]: 1 */
  uint32_t types;                              /* of the values that go there: bit NORN_TYPE_x */
} NornRegisterClass;

/* The registers of a machine. What goes in no other class goes in the first. */
typedef struct NornRegisterFile {
  NornRegisterClass classes[NORN_REGISTER_CLASSES];
  unsigned class_count;
} NornRegisterFile;

/* The number of the class that values of the type go to. */
static inline unsigned
norn_register_class(const NornRegisterFile *file, NornType type) {
  unsigned class = file->class_count;
  while (--class && !(file->classes[class].types >> type & 1))
    ;
  return class;
}

/* Where values of a type go. */
typedef struct NornTypeRegisters {
  uint8_t class, count;    /* so many registers of that class */
  NornRegisterCounts room; /* what they take at worst: the number, rounded up to the alignment */
} NornTypeRegisters;

#define NORN_REGISTER_ALIGNMENTS 4 /* 1, 2, 4, 8 */

/* The same, so that it can be asked fast. */
typedef struct NornRegisterModel {
  const NornRegisterFile *file;
  unsigned count; /* registers of all classes: numbers are below */
  NornRegisterSet all;
  NornRegisterSet members[NORN_REGISTER_CLASSES];
  /* Where so many registers may start, all being in the class. */
  NornRegisterSet starts[NORN_REGISTER_CLASSES][NORN_GROUP_REGISTERS + 1];
  /* Multiples of 2 to the power of the second index. */
  NornRegisterSet multiples[NORN_REGISTER_CLASSES][NORN_REGISTER_ALIGNMENTS];
  uint8_t alignment[NORN_REGISTER_CLASSES][NORN_GROUP_REGISTERS + 1]; /* logarithms */
  NornTypeRegisters types[NORN_TYPE_COUNT];
} NornRegisterModel;

void norn_register_model_init(NornRegisterModel *model, const NornRegisterFile *file);

/* The numbers of registers of each class in a set. */
NornRegisterCounts norn_regs_by_class(const NornRegisterModel *model, NornRegisterSet set);

#endif
