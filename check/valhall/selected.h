/* The selected program as translation validation needs it: a symbol for each word of each value,
 * and of each machine instruction its word without registers and whether it must be executed. */
#ifndef NORN_CHECK_VALHALL_SELECTED_H
#define NORN_CHECK_VALHALL_SELECTED_H

#include "check/symbols.h"
#include "check/valhall/roots.h"
#include "ir/analysis/dominance.h"

typedef struct NornSelectedInst {
  NornWordInst code; /* taken apart, with all registers 0 */
  uint64_t pattern;  /* see norn_code_pattern */
  bool is_required;  /* it must be executed whenever its block is: it is machine code, no move, and
                        depends on values */
  bool may_repeat;   /* it computes from its operands alone, in one lane */
  bool has_effect;   /* it matters when it is executed: not before or after some others */
  bool is_fence;     /* it keeps its order with all that have an effect */
  NornFootprint memory; /* with its base */
} NornSelectedInst;

typedef struct NornSelected {
  const NornFunction *function;
  const NornIsa *isa;
  unsigned architecture;
  NornSymbols symbols;
  NornSelectedInst *insts; /* by instruction */
  uint32_t *first_symbol;  /* by value: into words */
  GArray *words;           /* uint32_t: the symbol of each word of each value */
  NornRoots roots;         /* of addresses, by the symbols of their words */
  uint32_t *required;      /* by block: how many instructions are */
  GHashTable *repeatable;  /* pattern -> GArray of the instructions that may be repeated */
  NornArena arena;         /* of `dominance` */
  const NornDominance *dominance;
  bool has_loops;
} NornSelected;

void norn_selected_init(NornSelected *selected, const NornCheckInput *input);
/* The code does not have the instruction, which may be repeated, where the program has it: it is
 * computed where it is needed, if anywhere. */
void norn_selected_leave_out(NornSelected *selected, uint32_t index);
void norn_selected_clear(NornSelected *selected);

/* The symbol of a word of what an operand refers to. */
uint32_t norn_selected_symbol(NornSelected *selected, NornRef ref, unsigned word);
uint32_t norn_selected_value(const NornSelected *selected, uint32_t value, unsigned word);
/* That of the content of a register at the start; of a word of a source that is no register. */
uint32_t norn_selected_start(NornSelected *selected, unsigned reg);
uint32_t norn_selected_source(NornSelected *selected, const NornCodeSource *source, unsigned word);
/* That of a word of the address of a byte of thread-local memory. */
uint32_t norn_selected_thread_local(NornSelected *selected, uint32_t byte, unsigned word);

/* The word without what allocation, waits and layout decide: registers, slot, flow, distance, and
 * which word of a pair a one-word source is. */
uint64_t norn_code_pattern(const NornIsa *isa, const NornIsaEncoding *encoding, uint64_t word);

/* The symbol of word `word` of what an instruction computes that depends on no value; 0 if no
 * such instruction is in the program. */
uint32_t norn_selected_computed(NornSelected *selected, const NornWordInst *inst, unsigned word);

#endif
