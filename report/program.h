/* Machine code as a graph of blocks, computed only from its words. */
#ifndef NORN_REPORT_PROGRAM_H
#define NORN_REPORT_PROGRAM_H

#include "isa/isa.h"
#include <norn/statistics.h>

#define NORN_NO_BLOCK UINT32_MAX
#define NORN_REPORT_REGISTERS 64
#define NORN_REPORT_SLOTS 8

struct NornReportProgram;
struct NornReportInstruction;
struct NornReportConstants;

/* Information on an instruction set that a report needs in addition to the description. */
typedef struct NornReportMachine {
  const char *isa;
  uint16_t flow_field;                   /* the action after an instruction, or NORN_ISA_NONE */
  uint32_t end;                          /* its value that ends the program */
  uint32_t waits[2];                     /* its first and last value that wait for messages */
  uint16_t move, constant_moves[2], nop; /* instructions, or NORN_ISA_NONE */
  uint64_t arithmetic_units;             /* bit i: unit i */
  uint64_t half_file;                    /* the registers of the half-sized file, as a bit set */
  uint16_t slot_field;                   /* of messages, or NORN_ISA_NONE */
  uint16_t width_field, access_field;    /* of memory accesses */
  uint32_t local_access;                 /* value of access_field for thread-local memory */
  /* Whether a branch is always taken. */
  bool (*is_jump)(const NornIsa *isa, const NornIsaEncoding *encoding, uint64_t word);
  uint8_t (*waits_of)(uint32_t flow); /* slots that the flow waits for */
  uint8_t order_slots; /* those of the slots that no message signals, but that order accesses */
  /* For constants, see report/constants.h; nullable. */
  bool (*compute)(const struct NornReportProgram *program, const struct NornReportInstruction *self,
                  const struct NornReportConstants *state, uint32_t *result);
  int (*branches)(const struct NornReportProgram *program, const struct NornReportInstruction *self,
                  const struct NornReportConstants *state);
  /* For timing; see NornTimingParameter. */
  unsigned (*latency)(const NornIsaEncoding *encoding);
  unsigned lanes, warps, issue_cycles;
  const NornTimingParameter *parameters;
  unsigned parameter_count;
} NornReportMachine;

/* The effect of a word on control flow. */
typedef struct NornReportInstruction {
  const NornIsaEncoding *encoding; /* NULL: padding, a zero word between programs */
  uint64_t word;
  uint32_t target;        /* the instruction that it may branch to, or NORN_NO_BLOCK */
  bool falls_through;     /* control may continue at the next instruction */
  bool ends;              /* the program may end here */
  uint64_t reads, writes; /* registers, as bit sets */
  uint16_t latency;
  bool is_message;
  uint8_t slot;  /* that a message signals */
  uint8_t waits; /* slots waited for after it */
} NornReportInstruction;

typedef struct NornReportBlock {
  uint32_t first, end;    /* instructions */
  uint32_t successors[2]; /* blocks, or NORN_NO_BLOCK */
  uint32_t dominator;     /* the immediate one; of the entry, itself; NORN_NO_BLOCK: unreachable */
  uint32_t order;         /* position in a reverse postorder */
  bool ends;              /* the program may end after it */
} NornReportBlock;

typedef struct NornReportProgram {
  const NornIsa *isa;
  const NornReportMachine *machine; /* nullable: only the description is known */
  NornReportInstruction *instructions;
  uint32_t instruction_count;
  NornReportBlock *blocks;
  uint32_t block_count;
  uint32_t *order; /* the reachable blocks, in reverse postorder */
  uint32_t order_count;
  const NornCompileInfo *info; /* nullable: the constants in uniform words */
} NornReportProgram;

/* Decodes code and finds its blocks. A branch whose target is outside, or unknown without
 * execution, ends the program. */
bool norn_report_program_init(NornReportProgram *program, const NornMachineCode *code,
                              GError **error);
void norn_report_program_clear(NornReportProgram *program);

/* The machine of that name that reports support, or NULL. */
const NornReportMachine *norn_report_machine(const char *isa);

/* An edge between blocks that are reachable from the entry. */
typedef struct NornReportEdge {
  uint32_t from, to;
  uint32_t position, successor; /* of the next edge */
} NornReportEdge;

/* Advances a zero-initialized edge to the first one, any other to the next one, in reverse
 * postorder of their source blocks. Returns false after the last. */
bool norn_report_next_edge(const NornReportProgram *program, NornReportEdge *edge);

/* Whether an edge leads to a block that is not later in reverse postorder. */
static inline bool
norn_report_is_back_edge(const NornReportProgram *program, uint32_t from, uint32_t to) {
  return program->blocks[to].order <= program->blocks[from].order;
}

/* How much of the rate of unit `unit` the instruction uses, for one thread. */
uint64_t norn_report_cost(const NornIsa *isa, const NornReportInstruction *self, unsigned unit);

/* Finds the registers, slots and waits of an instruction. */
void norn_report_find_access(const NornReportProgram *program, NornReportInstruction *self);

/* The kind of move that the instruction is, if any, as NornStatistics counts moves. */
NornMoveKind norn_report_move(const NornReportProgram *program, const NornReportInstruction *self);

/* The number of blocks that are targets of jumps back. */
uint32_t norn_report_count_headers(const NornReportProgram *program);

/* The nearest block that dominates both; both are reachable. */
uint32_t norn_report_common_dominator(const NornReportProgram *program, uint32_t a, uint32_t b);

/* Whether block `a` dominates block `b`; both are reachable. */
bool norn_report_dominates(const NornReportProgram *program, uint32_t a, uint32_t b);

#endif
