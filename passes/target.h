/* How a target-independent pass asks about the machine it compiles for.
 *
 * compiler/TARGET/ implements this once per machine; facts that a description already holds (shape,
 * text, legality) come from its tables and are not said again here. All functions are pure unless
 * they take a function to change. Their first argument is the target as it was bound to a machine
 * when compilation started. */
#ifndef NORN_PASSES_TARGET_H
#define NORN_PASSES_TARGET_H

#include "ir/analysis/alias.h"
#include "ir/builder.h"

struct NornCheckInput;
struct NornPassContext;
struct NornSelector;

#define NORN_NO_REGISTER 0xFF

/* Registers that an instruction insists on; NORN_NO_REGISTER: any. */
typedef struct NornFixedRegisters {
  uint8_t operand[NORN_MACHINE_OPERANDS], result[NORN_MACHINE_OPERANDS];
  NornRegisterSet clobbered; /* registers that change beside the results */
  uint8_t low; /* bit k: operand k, one register, is read as the first of an aligned pair */
} NornFixedRegisters;

/* Registers with which a program runs, and how many threads do at a time then, compared with the
 * whole file. */
typedef struct NornOccupancy {
  NornRegisterSet registers;
  unsigned threads;
} NornOccupancy;

#define NORN_OCCUPANCIES 4
#define NORN_MAX_UNITS 8

/* The most slots that a target has (NornTarget.slot_count), and hands out (free_slots). */
#define NORN_MAX_SLOTS 8
#define NORN_MAX_FREE_SLOTS 3
/* Reading memory of this space needs no wait for what writes it, only to come after it. */
#define NORN_FORWARDING_SPACE NORN_SPACE_VARYING

/* What an instruction that another unit executes means for waiting. Sets of slots: bit S. */
typedef struct NornMessage {
  uint8_t slots;           /* the slots it may signal */
  uint8_t wait_before;     /* to be waited for before it, whoever signals them */
  uint8_t wait_after;      /* to be waited for right after it */
  bool waits_all;          /* all slots in use are to be waited for before it */
  NornMemoryAccess memory; /* that may change; neither reads nor writes: none */
} NornMessage;

static inline bool
norn_accesses_memory(const NornMessage *message) {
  return message->memory.reads || message->memory.writes;
}

/* What follows an instruction: either waits, or one of the others. */
typedef enum {
  NORN_FLOW_NONE,
  NORN_FLOW_WAIT,
  NORN_FLOW_RECONVERGE,
  NORN_FLOW_DISCARD,
  NORN_FLOW_END, /* waits for the target's end_waits, too */
} NornFlowKind;

typedef struct NornFlow {
  uint8_t kind; /* NornFlowKind */
  uint8_t wait; /* slots waited for */
} NornFlow;

/* What an instruction has to do with invocations that run only for the sake of their neighbors. */
typedef enum {
  NORN_HELPERS_IGNORED,
  NORN_HELPERS_NEEDED, /* its result depends on them */
  NORN_HELPERS_MADE,   /* invocations may become such */
} NornHelperUse;

/* A step of a pipeline. */
typedef struct NornPipelineStep {
  const struct NornPass *pass;
  unsigned level;   /* the least optimization level at which it runs */
  bool is_optional; /* the code is right without it, so --pass-limit may leave it out */
  bool if_changed;  /* only if the step before changed anything and left it to be cleaned up */
} NornPipelineStep;

typedef struct NornTarget NornTarget;
struct NornTarget {
  const void *isa; /* what it compiles for: NornMachine.isa */
  const char *name;

  /* Set when the target is bound. */
  const NornMachine *machine;
  unsigned architecture;
  NornRegisterModel registers; /* of the machine */

  /* Passes of its own, beside those of passes.def, up to one without a name; which passes run, in
   * which order, up to a step without a pass. */
  const struct NornPass *passes;
  const NornPipelineStep *pipeline;

  unsigned instruction_bytes; /* of a word: 4 or 8 */
  unsigned subgroup_lanes;    /* a power of two, at most 32 */

  unsigned access_words; /* that one load or store moves at most */

  uint32_t program_counter; /* code of the special source that differs between instructions */

  /* From the fewest registers on; the last is the whole file, up to one without threads. */
  NornOccupancy occupancies[NORN_OCCUPANCIES + 1];

  /* Cycles, as a rule, until what needs the results of a machine instruction can issue. */
  unsigned (*latency)(const NornTarget *target, const NornInst *inst);

  /* Cycles for which a warp keeps a unit busy with the machine instruction, and which one, below
   * NORN_MAX_UNITS. Nullable: not known. */
  unsigned (*occupies)(const NornTarget *target, const NornInst *inst, unsigned *unit);

  /* Whether selection has a form for the generic instruction as it stands; the lower pass replaces
   * the others. */
  bool (*supports)(const NornTarget *target, const NornFunction *function, const NornInst *inst);

  /* Whether it can round the results of such an instruction (property ROUNDS) as the module says.
   * Nullable: it can. */
  bool (*can_round)(const NornTarget *target, const NornModule *module, const NornInst *inst);

  /* Types that it cannot compute in, sets of bits NORN_TYPE_x: operations on them are not expanded
   * into others, so that they are refused by their own name. */
  uint32_t missing_types;

  /* Why selection refuses the instruction, as the end of a sentence ("it has no 64-bit floats"); or
   * NULL. Nullable. */
  const char *(*why_unsupported)(const NornTarget *target, const NornModule *module,
                                 const NornInst *inst);

  /* Turns a generic instruction into machine instructions; see passes/select/select.h. False with
   * the selector's error set if there is no way. */
  bool (*select)(struct NornSelector *selector, uint32_t inst);

  /* Registers that are preloaded for programs of a stage whether they read them or not (nullable:
   * none). */
  NornRegisterSet (*always_preloaded)(NornShaderStage stage);

  /* Whether a vertex is one program, outputs of all kinds together (nullable: it is). */
  bool (*has_one_vertex_program)(const NornTarget *target);

  /* Registers for allocation under chaos: too few for real programs to do without spilling. */
  NornRegisterSet chaos_file;

  /* Whether the instruction wants particular registers, and which. */
  bool (*fixed_registers)(const NornTarget *target, const NornFunction *function,
                          const NornInst *inst, NornFixedRegisters *fixed);

  /* Build an instruction and return its result, of type `type`: a copy to one register (of a value,
   * uniform or constant); the exclusive or of two. */
  NornRef (*build_move)(const NornTarget *target, NornBuilder *builder, NornType type,
                        NornRef source);
  NornRef (*build_xor)(const NornTarget *target, NornBuilder *builder, NornType type, NornRef a,
                       NornRef b);
  /* Whether the instruction is such a copy or exclusive or; its sources. The source of a copy of an
   * immediate is 0 and the bits are in *constant. */
  bool (*is_move)(const NornTarget *target, const NornFunction *function, const NornInst *inst,
                  NornRef *source, uint32_t *constant);
  bool (*is_xor)(const NornTarget *target, const NornFunction *function, const NornInst *inst,
                 NornRef sources[2]);

  /* Spilled values: the bytes that a register takes in thread-local memory, and of the pieces that
   * no access may cross; a piece is a power of two and at most NORN_GROUP_REGISTERS registers.
   * build_spill and build_fill build an access at that byte offset: a store of a value that fits in
   * a piece, a load of such a value, which is returned. */
  unsigned spill_register_bytes, spill_piece_bytes;
  void (*build_spill)(const NornTarget *target, NornBuilder *builder, NornRef value,
                      unsigned offset);
  NornRef (*build_fill)(const NornTarget *target, NornBuilder *builder, NornType type,
                        unsigned offset);

  /* Messages. Their slots: all there are, and how many of them, from slot 0 on, assign-slots hands
   * out. Whether the instruction is a message, and what that means (nullable: not wanted); its
   * slot. */
  unsigned slot_count, free_slots;
  bool (*message)(const NornTarget *target, const NornFunction *function, const NornInst *inst,
                  NornMessage *message);
  unsigned (*slot)(const NornTarget *target, const NornInst *inst);
  void (*set_slot)(const NornTarget *target, NornInst *inst, unsigned slot);

  /* Of a machine instruction. Nullable: there are no helpers. */
  NornHelperUse (*helper_use)(const NornTarget *target, const NornInst *inst);

  /* Flow. set_flow may wait for more slots than asked if no smaller set can be encoded. */
  NornFlow (*flow)(const NornTarget *target, const NornInst *inst);
  void (*set_flow)(const NornTarget *target, NornInst *inst, NornFlow flow);
  uint8_t end_waits; /* slots that the end of the program waits for by itself */
  /* Builds an instruction that does nothing. */
  void (*build_nop)(const NornTarget *target, NornBuilder *builder);

  /* Branches. Makes a branch go to its first successor where it went to the second; makes a generic
   * jump an unconditional branch. */
  void (*invert_condition)(const NornTarget *target, NornInst *inst);
  void (*make_branch)(const NornTarget *target, NornFunction *function, uint32_t inst);

  /* The word, in its low bits, of a machine instruction whose values have registers; `distance` is
   * that of a branch, in instructions from the next one, or of the constant data, in bytes from
   * there, where the instruction counts from it. */
  bool (*encode)(const struct NornPassContext *context, const NornFunction *function, uint32_t inst,
                 int64_t distance, uint64_t *word, GError **error);

  /* Runs checkers of finished code (check/checkers.h). Nullable: there are none. */
  bool (*check)(const struct NornCheckInput *input, GError **error);
};

/* The description of the target that compiles for the machine, not bound yet, or NULL. */
const NornTarget *norn_target_find(const NornMachine *machine);

/* Makes *target the one described, bound to the machine and its architecture. */
void norn_target_bind(const NornTarget *description, const NornMachine *machine,
                      NornTarget *target);

/* How many registers of each class values may take at once before code is scheduled: those of the
 * best occupancy that `max` fits, less some for what comes after. */
NornRegisterCounts norn_target_register_budget(const NornTarget *target, NornRegisterCounts max);

/* Whether an instruction's result depends on what other lanes do: levels of detail, too. */
bool norn_target_looks_at_others(const NornTarget *target, const NornInst *inst);
/* Whether a machine instruction computes its results from its operands, the same ones each time and
 * wherever it stands, and does nothing else. It may be a message, and look at what other lanes give
 * the same message (norn_target_looks_at_others). */
bool norn_target_is_pure(const NornTarget *target, const NornFunction *function,
                         const NornInst *inst);
/* The same of one that is no message. */
bool norn_target_is_arithmetic(const NornTarget *target, const NornFunction *function,
                               const NornInst *inst);

/* The registers that the instruction changes and does not name. */
NornRegisterSet norn_target_clobbered(const NornTarget *target, const NornFunction *function,
                                      const NornInst *inst);

/* Whether there are checkers of the target's code; false with an error if not. */
bool norn_target_has_checkers(const NornTarget *target, GError **error);

#endif
