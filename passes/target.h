/* How target-independent passes query the machine that they compile for.
 *
 * compiler/TARGET/ implements this once per machine. Facts that a description already holds (shape,
 * text, legality) come from its tables and are not repeated here. All functions are pure unless
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

/* Registers that an instruction requires; NORN_NO_REGISTER: any. */
typedef struct NornFixedRegisters {
  uint8_t operand[NORN_MACHINE_OPERANDS], result[NORN_MACHINE_OPERANDS];
  NornRegisterSet clobbered; /* registers that change in addition to the results */
  uint8_t low; /* bit k: operand k, one register, is read as the first of an aligned pair */
} NornFixedRegisters;

/* Registers that a program may use, and how many threads can then run at a time, compared with
 * those when it uses the whole register file. */
typedef struct NornOccupancy {
  NornRegisterSet registers;
  unsigned threads;
} NornOccupancy;

/* Sets of halves of a register. */
enum { NORN_LOWER_HALF = 1, NORN_UPPER_HALF = 2 };

#define NORN_OCCUPANCIES 4
#define NORN_MAX_UNITS 8

/* The maximum number of slots of a target (NornTarget.slot_count), and of those that are assigned
 * (free_slots). */
#define NORN_MAX_SLOTS 8
#define NORN_MAX_FREE_SLOTS 3

/* The waits that an instruction needs that another unit executes. Sets of slots: bit S. */
typedef struct NornMessage {
  uint8_t slots;           /* the slots it may signal */
  uint8_t wait_before;     /* slots to wait for before it, whoever signals them */
  uint8_t wait_after;      /* slots to wait for directly after it */
  bool waits_all;          /* wait for all slots in use before it */
  NornMemoryAccess memory; /* access to changeable memory; neither reads nor writes: none */
} NornMessage;

static inline bool
norn_accesses_memory(const NornMessage *message) {
  return message->memory.reads || message->memory.writes;
}

/* What happens after an instruction: a wait, or one of the others. */
typedef enum {
  NORN_FLOW_NONE,
  NORN_FLOW_WAIT,
  NORN_FLOW_RECONVERGE,
  NORN_FLOW_DISCARD,
  NORN_FLOW_END, /* also waits for the target's end_waits */
} NornFlowKind;

typedef struct NornFlow {
  uint8_t kind; /* NornFlowKind */
  uint8_t wait; /* slots waited for */
} NornFlow;

/* The relation of an instruction to helper invocations. */
typedef enum {
  NORN_HELPERS_IGNORED,
  NORN_HELPERS_NEEDED, /* its result depends on them */
  NORN_HELPERS_MADE,   /* invocations may become helpers */
} NornHelperUse;

/* A step of a pipeline. */
typedef struct NornPipelineStep {
  const struct NornPass *pass;
  unsigned level;   /* minimum optimization level at which it runs */
  bool is_optional; /* the code is correct without it, so --pass-limit may leave it out */
  bool if_changed;  /* only if the previous step changed something that needs cleanup */
} NornPipelineStep;

typedef struct NornTarget NornTarget;
struct NornTarget {
  const void *isa; /* the instruction set that it compiles for: NornMachine.isa */
  const char *name;

  /* Set when the target is bound. */
  const NornMachine *machine;
  unsigned architecture;
  NornRegisterModel registers; /* of the machine */

  /* Its own passes, in addition to those of passes.def, terminated by one without a name; and the
   * passes that run, in order, terminated by a step without a pass. */
  const struct NornPass *passes;
  const NornPipelineStep *pipeline;

  unsigned instruction_bytes; /* of an instruction word: 4 or 8 */
  unsigned subgroup_lanes;    /* a power of two, at most NORN_SUBGROUP_LANES */

  unsigned access_words; /* maximum number of words of one load or store */

  uint32_t program_counter; /* code of the special source that differs between instructions */

  /* From the fewest registers to the whole register file; terminated by one without threads. */
  NornOccupancy occupancies[NORN_OCCUPANCIES + 1];

  /* The usual number of cycles until an instruction that needs the results of a machine instruction
   * can issue. */
  unsigned (*latency)(const NornTarget *target, const NornInst *inst);

  /* Whether the machine instruction compares its first two operands. Nullable: unknown. */
  bool (*compares)(const NornTarget *target, const NornInst *inst);

  /* The number of cycles for which a warp keeps a unit busy with the machine instruction, and the
   * unit, a number below NORN_MAX_UNITS. Nullable: unknown. */
  unsigned (*occupies)(const NornTarget *target, const NornInst *inst, unsigned *unit);

  /* Whether selection supports the generic instruction as it is; the lower pass replaces all
   * others. */
  bool (*supports)(const NornTarget *target, const NornFunction *function, const NornInst *inst);

  /* Whether it can round the results of the instruction (property ROUNDS) as the module requires.
   * Nullable: it can. */
  bool (*can_round)(const NornTarget *target, const NornModule *module, const NornInst *inst);

  /* Types that it cannot compute in, as bits NORN_TYPE_x: operations on them are not expanded into
   * others, so that the error names the original operation. */
  uint32_t missing_types;

  /* Why selection does not support the instruction, as the end of a sentence ("it has no 64-bit
   * floats"), or NULL. Nullable. */
  const char *(*why_unsupported)(const NornTarget *target, const NornModule *module,
                                 const NornInst *inst);

  /* Turns a generic instruction into machine instructions; see passes/select/select.h. False with
   * the selector's error set if that is impossible. */
  bool (*select)(struct NornSelector *selector, uint32_t inst);

  /* Registers that are preloaded for all programs of a stage, whether they read them or not
   * (nullable: none). */
  NornRegisterSet (*always_preloaded)(NornShaderStage stage);

  /* Whether a vertex shader is one program that stores all kinds of outputs (nullable: it is). */
  bool (*has_one_vertex_program)(const NornTarget *target);

  /* Registers for allocation under chaos: too few for real programs to get by without spilling. */
  NornRegisterSet chaos_file;

  /* Whether the instruction requires particular registers; finds them. */
  bool (*fixed_registers)(const NornTarget *target, const NornFunction *function,
                          const NornInst *inst, NornFixedRegisters *fixed);

  /* Build an instruction and return its result, of type `type`: a copy of a value, uniform or
   * constant to one register; the exclusive or of two values. */
  NornRef (*build_move)(const NornTarget *target, NornBuilder *builder, NornType type,
                        NornRef source);
  NornRef (*build_xor)(const NornTarget *target, NornBuilder *builder, NornType type, NornRef a,
                       NornRef b);
  /* Whether the instruction is such a copy or exclusive or; finds its sources. If a copy copies an
   * immediate, the source is 0 and the bits are in *constant. */
  bool (*is_move)(const NornTarget *target, const NornFunction *function, const NornInst *inst,
                  NornRef *source, uint32_t *constant);
  bool (*is_xor)(const NornTarget *target, const NornFunction *function, const NornInst *inst,
                 NornRef sources[2]);

  /* Halves of registers. halves_read: which halves of operand k of a machine instruction, which is
   * one register, matter if only the halves `results` of its result do. build_halves builds a
   * register with the lower halves of two values, and build_upper one whose lower half is the upper
   * half of such a register; both return a value of the type. read_upper makes operand k, of which
   * only the lower half matters, read the upper half instead; false if that is impossible, and then
   * nothing changes. Nullable together. */
  unsigned (*halves_read)(const NornTarget *target, const NornInst *inst, unsigned k,
                          unsigned results);
  NornRef (*build_halves)(const NornTarget *target, NornBuilder *builder, NornType type,
                          NornRef low, NornRef high);
  NornRef (*build_upper)(const NornTarget *target, NornBuilder *builder, NornType type,
                         NornRef halves);
  bool (*read_upper)(const NornTarget *target, NornFunction *function, uint32_t inst, unsigned k);

  /* Spilled values. The number of bytes that a register takes in thread-local memory, and that of
   * the pieces that no access may cross; a piece is a power of two and at most NORN_GROUP_REGISTERS
   * registers. build_spill and build_fill build an access at a byte offset: a store of a value that
   * fits in a piece, and a load of such a value, which is returned. */
  unsigned spill_register_bytes, spill_piece_bytes;
  void (*build_spill)(const NornTarget *target, NornBuilder *builder, NornRef value,
                      unsigned offset);
  NornRef (*build_fill)(const NornTarget *target, NornBuilder *builder, NornType type,
                        unsigned offset);

  /* Messages. The number of all slots, and the number of those, from slot 0 on, that assign-slots
   * assigns. Whether the instruction is a message, and its properties (nullable: not needed); its
   * slot. */
  unsigned slot_count, free_slots;
  bool (*message)(const NornTarget *target, const NornFunction *function, const NornInst *inst,
                  NornMessage *message);
  unsigned (*slot)(const NornTarget *target, const NornInst *inst);
  void (*set_slot)(const NornTarget *target, NornInst *inst, unsigned slot);
  /* A set of memory spaces: a read of one of them need not wait for a message that writes it, only
   * follow it. */
  uint8_t forwarding_spaces;

  /* Of a machine instruction. Nullable: there are no helper invocations. */
  NornHelperUse (*helper_use)(const NornTarget *target, const NornInst *inst);

  /* Flow. set_flow may wait for more slots than requested if no smaller set can be encoded. */
  NornFlow (*flow)(const NornTarget *target, const NornInst *inst);
  void (*set_flow)(const NornTarget *target, NornInst *inst, NornFlow flow);
  uint8_t end_waits; /* slots that the end of the program waits for implicitly */
  /* Builds a NOP. */
  void (*build_nop)(const NornTarget *target, NornBuilder *builder);

  /* Branches. Inverts the condition of a branch, so that it goes to its first successor where it
   * went to the second; turns a generic jump into an unconditional branch. */
  void (*invert_condition)(const NornTarget *target, NornInst *inst);
  void (*make_branch)(const NornTarget *target, NornFunction *function, uint32_t inst);

  /* Encodes a machine instruction whose values have registers in the low bits of *word. `distance`
   * is that of a branch, in instructions from the next one, or that of the constant data, in bytes
   * from there, if the instruction refers to it. */
  bool (*encode)(const struct NornPassContext *context, const NornFunction *function, uint32_t inst,
                 int64_t distance, uint64_t *word, GError **error);

  /* Runs the checkers of finished code (check/checkers.h). Nullable: there are none. */
  bool (*check)(const struct NornCheckInput *input, GError **error);
};

/* The description of the target that compiles for the machine, not yet bound, or NULL. */
const NornTarget *norn_target_find(const NornMachine *machine);

/* Initializes *target from a description, bound to the machine and its architecture. */
void norn_target_bind(const NornTarget *description, const NornMachine *machine,
                      NornTarget *target);

/* How many registers of each class values may occupy at once before code is scheduled: those of the
 * best occupancy that `max` fits, less a margin for later passes. */
NornRegisterCounts norn_target_register_budget(const NornTarget *target, NornRegisterCounts max);

/* Whether the result of an instruction depends on what other lanes do; this includes levels of
 * detail. */
bool norn_target_looks_at_others(const NornTarget *target, const NornInst *inst);
/* Whether a machine instruction only computes results from its operands, the same ones each time
 * and at any place. It may be a message, and may depend on what other lanes pass to the same
 * message (norn_target_looks_at_others). */
bool norn_target_is_pure(const NornTarget *target, const NornFunction *function,
                         const NornInst *inst);
/* The same, and the instruction is not a message. */
bool norn_target_is_arithmetic(const NornTarget *target, const NornFunction *function,
                               const NornInst *inst);

/* The registers that the instruction clobbers. */
NornRegisterSet norn_target_clobbered(const NornTarget *target, const NornFunction *function,
                                      const NornInst *inst);

/* Whether the target has checkers; false with an error if not. */
bool norn_target_has_checkers(const NornTarget *target, GError **error);

#endif
