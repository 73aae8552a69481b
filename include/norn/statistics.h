/* The cost of machine code, computed only from its words. */
#ifndef NORN_STATISTICS_H
#define NORN_STATISTICS_H

#include <norn/compile.h>
#include <norn/isa.h>

NORN_BEGIN_DECLS

/* Machine code to be examined. It is only read, and not kept by any function. */
typedef struct NornMachineCode {
  const NornIsa *isa;
  unsigned architecture; /* number */
  const void *words; /* without the constant data after them; zero words at the end are padding */
  size_t size;       /* bytes */
  /* What compiling reported; nullable. Only its constants in uniform words are read, because loops
   * may be tested against them, and how many iterations of loops to expect. */
  const NornCompileInfo *info;
} NornMachineCode;

/* Every function that takes one fails with NORN_ERROR_INVALID if a word is not an instruction of
 * the architecture (with the address), if there is no such architecture, or if `size` is not a
 * whole number of words. */

#define NORN_STATISTICS_UNITS 8

/* Which of the paths through a program. */
typedef enum {
  NORN_PATH_TOTAL,    /* every instruction once */
  NORN_PATH_SHORTEST, /* for each unit, the least that a path from entry to end takes */
  NORN_PATH_LONGEST,  /* for each unit, the most, loops included */
} NornPath;
#define NORN_PATHS (NORN_PATH_LONGEST + 1)

/* One execution unit of a core. */
typedef struct NornUnitStatistics {
  const char *name, *title;  /* constant strings: "fma" */
  unsigned instructions;     /* that execute on the unit */
  double cycles[NORN_PATHS]; /* of a core for one thread, by the rate of the unit */
} NornUnitStatistics;

/* Counts of a program. The counts of units and cycles are those of Mesa's shader-db reports for
 * Valhall: 64-bit results count twice, varyings by 16-bit components, a message once. */
typedef struct NornStatistics {
  unsigned instructions;  /* up to the last one that is not padding */
  unsigned bytes;         /* the code with its padding */
  unsigned blocks, loops; /* loops: blocks that are targets of backward jumps */
  unsigned unit_count;    /* those with a rate */
  NornUnitStatistics units[NORN_STATISTICS_UNITS];
  int bound[NORN_PATHS];     /* the unit that needs the most cycles; -1: none needs any */
  double cycles[NORN_PATHS]; /* of that unit */
  bool has_shortest;         /* false if no path leads to an end */
  bool has_longest;          /* false if there is none, or if a loop has several entries */
  unsigned registers;        /* general registers that are named */
  unsigned work_registers;   /* highest general register + 1 */
  unsigned uniform_words;    /* highest uniform word + 1 */
  unsigned threads;          /* 2 if the code fits the half-sized register file, otherwise 1 */
  unsigned half_file;        /* registers in that file; 0: there is none */
  /* If threads is 1: the first register named outside of that file, and the instruction that names
   * it. */
  unsigned full_file_register, full_file_at;
  unsigned arithmetic;     /* instructions of arithmetic units ... */
  unsigned narrow;         /* ... of these, on lanes of 16 bits or less */
  unsigned messages;       /* instructions that message units execute */
  unsigned waits;          /* instructions that wait for messages */
  unsigned moves;          /* of a register or uniform word */
  unsigned constant_moves; /* of a constant that is part of the instruction */
  unsigned nops, branches;

  /* Bounds that no schedule or allocation of these instructions can improve on, if each is executed
   * once, in the order of the text, by one warp that has the core to itself. Zero if there is no
   * timing model. */
  double critical_path;    /* cycles of the longest dependence chain, by the latencies */
  double unit_path;        /* cycles for which the busiest unit is busy */
  double alone_cycles;     /* of the warp, by the timing model */
  unsigned most_live;      /* the most registers that are live at once */
  unsigned most_live_at;   /* the first instruction before which so many are live */
  unsigned least_messages; /* if accesses to memory could be merged at will */

  /* Cycles of one warp alone, by the timing model, if loops run as often as their counters say, or
   * for 8 iterations if no counter says so: this is what level 3 compares. 0 if there is no timing
   * model. */
  double warp_cycles;
} NornStatistics;

/* Counts what is in the code. `trips`, at least 1, is the trip count of each loop each time that it
 * is entered, for the longest path, unless a counter determines it (see NornLoop); a loop that can
 * exit at its top runs the part up to there once more. False with `error` set if the code is not
 * valid. */
bool norn_code_statistics(const NornMachineCode *code, unsigned trips, NornStatistics *statistics,
                          GError **error);

/* --- Loops --- */

/* A loop of the code. */
typedef struct NornLoop {
  unsigned first;        /* the instruction at which it is entered */
  unsigned instructions; /* in it, those of inner loops included */
  unsigned depth;        /* 1: in no other */
  bool is_counted;       /* a counter with constant start and end determines its trip count */
  bool is_exact;         /* and there is no earlier exit */
  uint64_t trips;        /* that count, at most; otherwise the one requested */
  unsigned symbol; /* if it is not counted: its number among such loops, and bit in NornPathTerm */
} NornLoop;

/* A term of the length of a path: cycles times the trip counts of all loops in the set. */
typedef struct NornPathTerm {
  uint64_t loops; /* bit i: the loop with that symbol */
  double cycles;
} NornPathTerm;

/* Loops with one entry each, in the order of the text; empty if a loop has several entries. */
typedef struct NornLoopReport {
  NornLoop *loops;
  unsigned loop_count;
  int bound; /* the unit that needs the most cycles on its longest path; -1: none needs any */
  NornPathTerm *terms; /* whose sum is its length, as long as the same path is the longest one */
  unsigned term_count; /* 0 if it is too long */
} NornLoopReport;

/* The loops of the code; `trips` is that of norn_code_statistics. Release the report with
 * norn_loop_report_clear. False with `error` set if the code is not valid. */
bool norn_code_loops(const NornMachineCode *code, unsigned trips, NornLoopReport *report,
                     GError **error);

/* Frees what the report holds; afterward it is empty. */
void norn_loop_report_clear(NornLoopReport *report);

/* --- Waits --- */

/* Why an instruction waits for a slot. */
typedef enum {
  NORN_WAIT_RESULT,   /* a later instruction reads the result of a message */
  NORN_WAIT_REGISTER, /* a later instruction overwrites a register that a message reads or writes */
  NORN_WAIT_ORDER,    /* a message or barrier follows, or the slot is only for ordering */
  NORN_WAIT_END,      /* the program ends */
  NORN_WAIT_OTHER,    /* nothing nearby needs it */
  NORN_WAIT_NOTHING,  /* no message can be in flight */
} NornWaitCause;
#define NORN_WAIT_CAUSES (NORN_WAIT_NOTHING + 1)

/* A slot that an instruction waits for. */
typedef struct NornWait {
  unsigned instruction; /* that waits, after it has executed */
  unsigned slot;
  NornWaitCause cause;
  unsigned message;   /* that is waited for, the last one if there can be several; `instruction` if
                         none is known */
  unsigned needed_by; /* the later instruction, or `instruction` */
  const char *unit;   /* of the message, a constant string; NULL if none is known */
} NornWait;

/* What the instructions of the code wait for, in the order of the text, to be freed with g_free.
 * NULL with `error` set if the code is not valid. */
NornWait *norn_code_waits(const NornMachineCode *code, unsigned *count, GError **error);

/* --- Time --- */

/* How far a number is to be trusted. */
typedef enum {
  NORN_CONFIDENCE_LOW,    /* assumed */
  NORN_CONFIDENCE_MEDIUM, /* published, not measured */
  NORN_CONFIDENCE_HIGH,   /* measured on hardware */
} NornConfidence;

/* A number of the timing model; the rates of units are in the description of the machine. */
typedef struct NornTimingParameter {
  const char *name;
  unsigned value;
  NornConfidence confidence;
  const char *meaning, *source;
} NornTimingParameter;

/* The parameters of a machine; NULL, with *count 0, if there is no model of it. */
const NornTimingParameter *norn_timing_parameters(const NornIsa *isa, unsigned *count);

/* Why a warp could not issue. */
typedef enum {
  NORN_STALL_RESULT,  /* an operand was not yet computed */
  NORN_STALL_MESSAGE, /* the flow of the instruction waited for messages */
  NORN_STALL_UNIT,    /* other warps had the unit */
} NornStall;
#define NORN_STALLS (NORN_STALL_UNIT + 1)

/* The time that an instruction of the code took. */
typedef struct NornInstructionTiming {
  uint64_t issues;           /* by all warps */
  double issued_at;          /* cycle in which it was first issued */
  double stall[NORN_STALLS]; /* cycles of all warps; for MESSAGE after it, otherwise before it */
  uint32_t waited_for;       /* the instruction of its longest single wait; itself if none */
} NornInstructionTiming;

/* The time that a core took. */
typedef struct NornTiming {
  double cycles;
  uint64_t issued;                     /* instructions of warps */
  unsigned warps, resident;            /* in total; the most at once */
  unsigned unit_count;                 /* as in NornStatistics */
  double busy[NORN_STATISTICS_UNITS];  /* cycles in which the unit executed something */
  double stall[NORN_STALLS];           /* cycles of all warps */
  NornInstructionTiming *instructions; /* owned by the model, until it is freed */
  unsigned instruction_count;
} NornTiming;

/* A model of one core, which executes what warps did in a simulation. Each warp issues in order,
 * one instruction a cycle, when its operands are ready; units have rates; messages queue for their
 * units and return after a latency. As many warps are resident as the registers allow. */
typedef struct NornTimingModel NornTimingModel;

/* Creates a model, to be freed with norn_timing_free. NULL with NORN_ERROR_INVALID if there is no
 * timing model of the ISA or the code is not valid. */
NornTimingModel *norn_timing_new(const NornMachineCode *code, GError **error);

/* Appends the instruction at that address to what the warp executes. Warps may have any numbers;
 * they start in the order of their first instructions. */
void norn_timing_step(NornTimingModel *model, uint64_t warp, uint64_t address);

/* Executes everything, with at most `resident` warps at once; 0: as many as the registers allow. */
void norn_timing_run(NornTimingModel *model, unsigned resident, NornTiming *timing);

/* NULL is allowed. */
void norn_timing_free(NornTimingModel *model);

/* --- Listing --- */

/* What is moved by an instruction that only moves a word to a register. */
typedef enum {
  NORN_MOVE_NONE, /* not such an instruction */
  NORN_MOVE_REGISTER,
  NORN_MOVE_UNIFORM, /* or a special value */
  NORN_MOVE_CONSTANT,
} NornMoveKind;
#define NORN_MOVE_KINDS (NORN_MOVE_CONSTANT + 1)

/* What a listing says about an instruction in addition to its text. */
typedef struct NornInstructionReport {
  const char *unit; /* constant string; NULL: padding */
  NornMoveKind move;
  unsigned live;                /* registers that are live before it */
  unsigned loop_depth;          /* 0: in no loop; counts loops with one entry */
  int slot;                     /* that its message signals; -1: none */
  NornInstructionTiming timing; /* of one warp alone, each instruction once */
} NornInstructionReport;

/* A row for each instruction, to be freed with g_free; NULL with `error` set if the code is not
 * valid. */
NornInstructionReport *norn_code_annotate(const NornMachineCode *code, unsigned *count,
                                          GError **error);

/* --- Blocks --- */

/* A basic block of the code: it begins at the entry, at a branch target, or after a branch. */
typedef struct NornBlockReport {
  unsigned first, end; /* instructions, `end` not included */
  int next, target;    /* blocks: the next one, if control can fall through to it; the one that its
                          branch leads to; -1: none */
  bool ends;           /* the program may end after it */
  bool is_reached;     /* from the entry */
} NornBlockReport;

/* The blocks of the code in its order, to be freed with g_free; NULL with `error` set if the code
 * is not valid. */
NornBlockReport *norn_code_blocks(const NornMachineCode *code, unsigned *count, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(NornTimingModel, norn_timing_free)

NORN_END_DECLS

#endif
