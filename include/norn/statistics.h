/* What machine code costs, from its words alone. */
#ifndef NORN_STATISTICS_H
#define NORN_STATISTICS_H

#include <norn/isa.h>

NORN_BEGIN_DECLS

#define NORN_STATISTICS_UNITS 8

/* Which of the paths through a program. */
typedef enum {
  NORN_PATH_TOTAL,    /* every instruction once */
  NORN_PATH_SHORTEST, /* of each unit, the least that a way from entry to end takes */
  NORN_PATH_LONGEST,  /* of each unit, the most, loops included */
} NornPath;
#define NORN_PATHS 3

/* One execution unit of a core. */
typedef struct NornUnitStatistics {
  const char *name, *title;  /* constant strings: "fma" */
  unsigned instructions;     /* whose unit it is */
  double cycles[NORN_PATHS]; /* of a core for one thread: costs by the rate of the unit */
} NornUnitStatistics;

/* Counts of a program. The counts of units and cycles are those of Mesa's shader-db reports for
 * Valhall: the results of 64 bits count twice, varyings by 16-bit components, a message once. */
typedef struct NornStatistics {
  unsigned instructions;  /* up to the last one that is not padding */
  unsigned bytes;         /* the code with its padding */
  unsigned blocks, loops; /* loops: blocks that a jump back leads to */
  unsigned unit_count;    /* those with a rate */
  NornUnitStatistics units[NORN_STATISTICS_UNITS];
  int bound[NORN_PATHS];     /* the unit that needs most cycles; -1: none needs any */
  double cycles[NORN_PATHS]; /* of that unit */
  bool has_shortest;         /* false if no way leads to an end */
  bool has_longest;          /* false if there is none, or a loop has several entries */
  unsigned work_registers;   /* highest general register + 1 */
  unsigned uniform_words;    /* highest uniform word + 1 */
  unsigned threads;          /* 2 if the code fits the half-sized register file, else 1 */
  unsigned arithmetic;       /* instructions of arithmetic units ... */
  unsigned narrow;           /* ... of these, on lanes of 16 bits or less */
  unsigned messages;         /* instructions that message units execute */
  unsigned waits;            /* instructions that wait for messages */
  unsigned moves;            /* of a register or uniform word */
  unsigned constant_moves;   /* of a constant that is part of the instruction */
  unsigned nops, branches;
} NornStatistics;

/* Counts what `size` bytes of code hold. `trips`, at least 1, is how often each loop runs each
 * time that it is entered, for the longest path; a loop that can be left at its top runs the part
 * up to there once more. Fails (NORN_ERROR_INVALID, with the address) where a word is no
 * instruction of the architecture, or `size` is no whole number of words. Zero words at the end are
 * padding. */
bool norn_code_statistics(const NornIsa *isa, unsigned architecture, const void *code, size_t size,
                          unsigned trips, NornStatistics *statistics, GError **error);

NORN_END_DECLS

#endif
