/* Machine code as blocks that follow each other, from its words alone. */
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

/* What a report asks of an instruction set beside its description. */
typedef struct NornReportMachine {
  const char *isa;
  uint16_t flow_field;                   /* what happens after an instruction, or NORN_ISA_NONE */
  uint32_t end;                          /* its value where the program ends */
  uint32_t waits[2];                     /* its first and last value that wait for messages */
  uint16_t move, constant_moves[2], nop; /* instructions, or NORN_ISA_NONE */
  uint64_t arithmetic_units;             /* bit i: unit i */
  uint64_t half_file;                    /* the registers of the half-sized file, bit by bit */
  uint16_t slot_field;                   /* of messages, or NORN_ISA_NONE */
  uint16_t width_field, access_field;    /* of accesses to memory */
  uint32_t local_access;                 /* value of the latter for thread-local memory */
  uint8_t (*waits_of)(uint32_t flow);    /* slots that the flow waits for */
  uint8_t order_slots;                   /* of them those that no message signals, but an order */
  /* Of constants, see report/constants.h; nullable. */
  bool (*compute)(const struct NornReportProgram *program, const struct NornReportInstruction *self,
                  const struct NornReportConstants *state, uint32_t *result);
  int (*branches)(const struct NornReportProgram *program, const struct NornReportInstruction *self,
                  const struct NornReportConstants *state);
  /* Of timing; see NornTimingParameter. */
  unsigned (*latency)(const NornIsaEncoding *encoding);
  unsigned lanes, warps, issue_cycles;
  const NornTimingParameter *parameters;
  unsigned parameter_count;
} NornReportMachine;

/* What a word does to the flow of control. */
typedef struct NornReportInstruction {
  const NornIsaEncoding *encoding; /* NULL: padding, a zero word between programs */
  uint64_t word;
  uint32_t target;        /* the instruction that it may branch to, or NORN_NO_BLOCK */
  bool falls_through;     /* the next instruction may follow */
  bool ends;              /* the program may end here */
  uint64_t reads, writes; /* registers, bit by bit */
  uint16_t latency;
  bool is_message;
  uint8_t slot;  /* that a message signals */
  uint8_t waits; /* slots waited for after it */
} NornReportInstruction;

typedef struct NornReportBlock {
  uint32_t first, end;    /* instructions */
  uint32_t successors[2]; /* blocks, or NORN_NO_BLOCK */
  uint32_t dominator;     /* the immediate one; of the entry, itself; NORN_NO_BLOCK: unreached */
  uint32_t order;         /* position in a reverse postorder */
  bool ends;              /* the program may end behind it */
} NornReportBlock;

typedef struct NornReportProgram {
  const NornIsa *isa;
  const NornReportMachine *machine; /* nullable: nothing is known but the description */
  NornReportInstruction *instructions;
  uint32_t instruction_count;
  NornReportBlock *blocks;
  uint32_t block_count;
  uint32_t *order; /* the blocks that are reached, in reverse postorder */
  uint32_t order_count;
  const NornCompileInfo *info; /* nullable: the constants in uniform words */
} NornReportProgram;

/* Decodes code and finds its blocks. A branch whose target is not known when reading, or lies
 * outside, ends the program. */
bool norn_report_program_init(NornReportProgram *program, const NornIsa *isa, unsigned architecture,
                              const void *code, size_t size, GError **error);
void norn_report_program_clear(NornReportProgram *program);

/* The machine that reports know of that name, or NULL. */
const NornReportMachine *norn_report_machine(const char *isa);

/* An edge between blocks that the entry reaches. */
typedef struct NornReportEdge {
  uint32_t from, to;
  uint32_t position, successor; /* of the edge that comes next */
} NornReportEdge;

/* Makes a zero-initialized edge the first one, any other the next, by the reverse postorder of
 * where they come from. Returns false behind the last. */
bool norn_report_next_edge(const NornReportProgram *program, NornReportEdge *edge);

/* Whether an edge leads to a block that comes no later in reverse postorder. */
static inline bool
norn_report_is_back_edge(const NornReportProgram *program, uint32_t from, uint32_t to) {
  return program->blocks[to].order <= program->blocks[from].order;
}

/* What of the rate of unit `unit` the instruction takes, for one thread. */
uint64_t norn_report_cost(const NornIsa *isa, const NornReportInstruction *self, unsigned unit);

/* Finds the registers, slots and waits of an instruction. */
void norn_report_find_access(const NornReportProgram *program, NornReportInstruction *self);

/* What the instruction moves, if it is a move: those that NornStatistics counts as moves of either
 * kind. */
NornMoveKind norn_report_move(const NornReportProgram *program, const NornReportInstruction *self);

/* How many blocks a jump back leads to. */
uint32_t norn_report_count_headers(const NornReportProgram *program);

/* The block nearest to both that dominates both; both are reached. */
uint32_t norn_report_common_dominator(const NornReportProgram *program, uint32_t a, uint32_t b);

/* Whether block `a` dominates block `b`; both are reached. */
bool norn_report_dominates(const NornReportProgram *program, uint32_t a, uint32_t b);

#endif
