/* The selected program in the form that translation validation needs: a symbol for each word of
 * each value and, for each machine instruction, its word without registers and whether it must
 * be executed. */
#ifndef NORN_CHECK_VALHALL_SELECTED_H
#define NORN_CHECK_VALHALL_SELECTED_H

#include "check/symbols.h"
#include "check/valhall/roots.h"
#include "ir/analysis/dominance.h"

typedef struct NornSelectedInst {
  NornWordInst code; /* decoded, with all registers 0 */
  uint64_t pattern;  /* see norn_code_pattern */
  bool is_required;  /* it must be executed whenever its block is: it is machine code, not a move,
                        and depends on values */
  bool may_repeat;   /* its result depends only on its operands, in one lane */
  bool has_effect;   /* its order relative to some other instructions matters */
  bool is_fence;     /* it stays in order with all instructions that have an effect */
  NornFootprint memory; /* with its base */
} NornSelectedInst;

typedef struct NornSelected {
  const NornFunction *function;
  const NornIsa *isa;
  unsigned architecture;
  NornSymbols symbols;
  NornSelectedInst *insts; /* by instruction */
  uint32_t *first_symbol;  /* by value: index into `words` */
  GArray *words;           /* uint32_t: the symbol of each word of each value */
  NornRoots roots;         /* of addresses, by the symbols of their words */
  uint32_t *required;      /* by block: the number of required instructions */
  GHashTable *repeatable;  /* pattern -> GArray of the instructions that may be repeated */
  NornArena arena;         /* holds `dominance` */
  const NornDominance *dominance;
  bool has_loops;
} NornSelected;

void norn_selected_init(NornSelected *selected, const NornCheckInput *input);
/* Notes that the code does not have the instruction, which may be repeated, where the program
 * has it: it is computed where it is needed, if anywhere. */
void norn_selected_leave_out(NornSelected *selected, uint32_t index);
void norn_selected_clear(NornSelected *selected);

/* The symbol of a word of an operand. */
uint32_t norn_selected_symbol(NornSelected *selected, NornRef ref, unsigned word);
uint32_t norn_selected_value(const NornSelected *selected, uint32_t value, unsigned word);
/* The symbol of the initial contents of a register; of a word of a source that is not a
 * register. */
uint32_t norn_selected_start(NornSelected *selected, unsigned reg);
uint32_t norn_selected_source(NornSelected *selected, const NornCodeSource *source, unsigned word);
/* The symbol of a word of the address of a byte of thread-local memory. */
uint32_t norn_selected_thread_local(NornSelected *selected, uint32_t byte, unsigned word);

/* The word without the parts that allocation, waits and layout determine: registers, slot, flow,
 * distance, and which word of a pair a one-word source reads. */
uint64_t norn_code_pattern(const NornIsa *isa, const NornIsaEncoding *encoding, uint64_t word);

/* The symbol of word `word` of the result of an instruction that depends on no value; 0 if no
 * such instruction is in the program. */
uint32_t norn_selected_computed(NornSelected *selected, const NornWordInst *inst, unsigned word);

#endif
