/* The Valhall simulator's inside: decoded programs, warps, memory.
 *
 * An instruction is decoded once per run, with the run's uniforms and constants already in its
 * sources. A warp of 16 lanes then executes decoded instructions; registers are kept register by
 * register, so that one instruction walks consecutive lanes. What a program must not do is either
 * found when it is decoded (then the instruction carries a fault, which traps only if executed) or
 * by the state kept for each lane and register. */
#ifndef NORN_SIM_VALHALL_H
#define NORN_SIM_VALHALL_H

#include "isa/isa.h"
#include "isa/valhall_abi.h"
#include "sim/common/launch.h"
#include "sim/common/memory.h"
#include "sim/valhall/access.h"
#include "sim/valhall/alu.h"

/* Where the program, the sample positions, the workgroup's and the thread's memory lie. Each
 * invocation sees its own memory at the thread's address. */
#define NORN_VALHALL_CODE_ADDRESS UINT64_C(0x00007D0000000000)
#define NORN_VALHALL_SAMPLE_ADDRESS UINT64_C(0x00007C0000000000)
/* 32 positions, x and y with eight fraction bits, and the center. */
#define NORN_VALHALL_SAMPLE_BYTES (33 * 4)
#define NORN_VALHALL_SHARED_ADDRESS UINT64_C(0x00007E0000000000)
#define NORN_VALHALL_SCRATCH_ADDRESS UINT64_C(0x00007F0000000000)

typedef struct NornValhallSimInstruction NornValhallSimInstruction;
typedef struct NornValhallSimWarp NornValhallSimWarp;
typedef struct NornValhallSimRun NornValhallSimRun;

/* Executes one instruction for the active lanes; false: *error is set. */
typedef bool (*NornValhallSimAction)(NornValhallSimWarp *warp,
                                     const NornValhallSimInstruction *instruction, GError **error);

/* Executes a message for one lane. */
typedef bool (*NornValhallSimMessage)(NornValhallSimWarp *warp,
                                      const NornValhallSimInstruction *instruction, unsigned lane,
                                      GError **error);

typedef struct NornValhallSimSource {
  enum {
    NORN_VALHALL_SOURCE_VALUE,
    NORN_VALHALL_SOURCE_REGISTER,
    NORN_VALHALL_SOURCE_LANE_ID
  } kind;
  bool last_use;
  uint8_t words;
  uint8_t words_read; /* bit w: the modifiers need word w */
  uint8_t reg;
  uint64_t value;
} NornValhallSimSource;

typedef struct NornValhallSimGroup {
  uint8_t first, count;
} NornValhallSimGroup;

struct NornValhallSimInstruction {
  NornValhallSimAction action;
  NornValhallSimMessage message;     /* of one lane, */
  NornValhallSimAction warp_message; /* or of all active lanes together; NULL: it is none */
  const NornIsaEncoding *encoding;
  uint64_t word;
  uint32_t index;                 /* in the program */
  NornValhallOperation operation; /* if it computes */
  NornValhallMemoryAccess access; /* if it is a memory access */
  NornValhallSimSource source[NORN_VALHALL_SOURCES];
  uint8_t source_count;
  uint8_t unit; /* NornUnit */
  uint8_t slot;
  uint8_t waits; /* bit s: the flow waits for slot s */
  bool reconverges, discards, ends, has_last_use;
  NornValhallSimGroup destination, staging_read, staging_write;
  int64_t distance; /* of a branch, in instructions */
  char *fault;      /* why it cannot be executed, or NULL */
};

typedef struct NornValhallSimProgram {
  const NornIsa *isa;
  unsigned architecture;
  const NornLaunch *launch;
  const uint8_t *code;
  NornValhallSimInstruction **instructions; /* NULL: not decoded yet */
  uint32_t count;
} NornValhallSimProgram;

/* The shadow of memory: who touched a byte last, see memory.c. */
typedef struct NornValhallSimShadow NornValhallSimShadow;

struct NornValhallSimRun {
  const NornLaunch *launch;
  NornValhallSimProgram program;
  NornValhallSimShadow *shadow; /* NULL: memory hazards are not looked for */
  NornReport report;
  uint64_t step_limit;
  uint8_t sample_positions[NORN_VALHALL_SAMPLE_BYTES];
  uint8_t *shared;  /* of the current workgroup */
  uint8_t *scratch; /* of the current workgroup's invocations, one after the other */
  uint32_t workgroup[3];
  const char *place; /* start of error messages; NULL: the address of the instruction */
};

/* The position that the interpolator keeps for a lane. */
typedef struct NornValhallSimInterpolator {
  bool is_kept;
  uint8_t mode;                           /* of the load that kept it */
  uint32_t sample_word;                   /* ... and its first source */
  uint32_t last_load[NORN_VALHALL_SLOTS]; /* number of the last message that loads a varying */
} NornValhallSimInterpolator;

struct NornValhallSimWarp {
  NornValhallSimRun *run;
  uint32_t registers[NORN_VALHALL_REGISTERS][NORN_VALHALL_WARP];
  uint8_t defined[NORN_VALHALL_REGISTERS][NORN_VALHALL_WARP]; /* bit b: byte b */
  /* For each lane, bit r is set if register r ... */
  uint64_t written[NORN_VALHALL_SLOTS][NORN_VALHALL_WARP]; /* is written by a message in flight */
  uint64_t read[NORN_VALHALL_SLOTS][NORN_VALHALL_WARP];    /* is read by a message in flight */
  uint64_t in_flight[NORN_VALHALL_WARP];                   /* is in some `written` */
  uint64_t pending[NORN_VALHALL_WARP];   /* will be written by the message being issued */
  uint64_t discarded[NORN_VALHALL_WARP]; /* was dropped at its last use */
  /* Messages are numbered from 1. For each slot and lane: the last one issued, and how far they
   * have been waited for. */
  uint32_t message;
  uint32_t last_message[NORN_VALHALL_SLOTS][NORN_VALHALL_WARP];
  uint32_t waited[NORN_VALHALL_SLOTS][NORN_VALHALL_WARP];
  uint8_t waits_seen[NORN_VALHALL_WARP]; /* slots that were waited for at least once */
  NornValhallSimInterpolator interpolator[NORN_VALHALL_WARP];
  uint16_t tested;                    /* lanes that have executed ATEST */
  uint32_t pc[NORN_VALHALL_WARP];     /* instruction numbers */
  uint32_t thread[NORN_VALHALL_WARP]; /* numbers of the invocations in the grid, from 1 */
  uint32_t local[NORN_VALHALL_WARP];  /* ... and in the workgroup, from 0 */
  uint16_t alive, active;
  uint16_t helpers; /* run on after a discard, without effect on memory */
  bool at_barrier;
};

/* Sets up a program of `size` bytes; code and launch must outlive it. */
bool norn_valhall_program_init(NornValhallSimProgram *program, const void *code, size_t size,
                               const char *architecture, const NornLaunch *launch, GError **error);
void norn_valhall_program_clear(NornValhallSimProgram *program);

/* The instruction number `index` of the program, which must have it. */
const NornValhallSimInstruction *norn_valhall_program_fetch(NornValhallSimProgram *program,
                                                            uint32_t index);

/* Decodes an instruction whose encoding and word are set for norn_valhall_step: its operands get
 * registers of their own, in the order of the text. Returns what is wrong (to be freed) or NULL. */
char *norn_valhall_decode_step(const NornValhallSimProgram *program,
                               NornValhallSimInstruction *instruction);

/* Sets *source to the special value with number `special` (page << 8 | code) in an instruction
 * before instruction `next`. Returns what is wrong (to be freed) or NULL. */
char *norn_valhall_decode_special(const NornIsa *isa, const NornIsaOperand *operand,
                                  uint32_t special, uint32_t next, NornValhallSimSource *source);

/* The action of a decoded instruction, or NULL if what it does is not modeled. */
NornValhallSimAction norn_valhall_action(const NornValhallSimInstruction *instruction);

/* A register at the start: its value and which bytes of it are defined. */
typedef struct NornValhallSimPreload {
  uint32_t value;
  uint8_t defined;
} NornValhallSimPreload;

/* The lowest register that may be preloaded. */
unsigned norn_valhall_first_preload(const NornLaunch *launch);

/* What register `reg` holds when invocation `local` of a workgroup starts. */
NornValhallSimPreload norn_valhall_preloaded(const NornLaunch *launch, const uint32_t workgroup[3],
                                             uint32_t local, unsigned reg);

/* Fills in the table of the sample positions in a pixel. */
void norn_valhall_sample_positions(const NornLaunch *launch,
                                   uint8_t bytes[NORN_VALHALL_SAMPLE_BYTES]);

/* Whether the invocation is outside what is drawn. */
bool norn_valhall_starts_as_helper(const NornLaunch *launch, const uint32_t workgroup[3],
                                   uint32_t local);

/* The output slot (r59) of a vertex, counted over all instances, and the reverse: vertex and
 * whether the element is the one for what is not its position. */
uint32_t norn_valhall_output_slot(uint32_t vertex);
uint32_t norn_valhall_output_vertex(uint32_t element, bool *is_extra);

#define norn_valhall_for_each_active(warp, lane)                                                   \
  for (unsigned lane = 0; lane < NORN_VALHALL_WARP; lane++)                                        \
    if ((warp)->active >> lane & 1)

/* Whether the lane runs on without effect on memory. */
static inline bool
norn_valhall_is_helper(const NornValhallSimWarp *warp, unsigned lane) {
  return warp->helpers >> lane & 1;
}

/* The messages by where they are modeled; NULL if not there. Those of textures work on whole
 * warps. */
NornValhallSimMessage norn_valhall_graphics_message(uint16_t instruction);
NornValhallSimMessage norn_valhall_tile_message(uint16_t instruction);
NornValhallSimAction norn_valhall_texture_message(uint16_t instruction);

/* The lowest slot with a message of the lane in flight, or -1. */
int norn_valhall_slot_in_flight(const NornValhallSimWarp *warp, unsigned lane);

/* Sends a lane to instruction `target`. */
bool norn_valhall_branch_lane(NornValhallSimWarp *warp,
                              const NornValhallSimInstruction *instruction, unsigned lane,
                              int64_t target, GError **error);

/* The address of an element of the buffer with a handle, null outside it. */
uint64_t norn_valhall_element_address(const NornLaunch *launch, uint32_t handle, uint64_t element);

/* The handle that the immediates `table` and `index` of an instruction are. */
uint32_t norn_valhall_immediate_handle(const NornValhallSimInstruction *instruction);

/* The value of a field, 0 if the instruction lacks it. */
static inline uint32_t
norn_valhall_field(const NornValhallSimInstruction *instruction, unsigned number) {
  return norn_isa_field_get_or(instruction->encoding, number, instruction->word, 0);
}

/* The bytes at `address`, checked for bounds, alignment and hazards; NULL: a trap. */
uint8_t *norn_valhall_access_memory(NornValhallSimWarp *warp,
                                    const NornValhallSimInstruction *instruction, unsigned lane,
                                    uint64_t address, size_t size, unsigned alignment,
                                    bool is_write, GError **error);

/* Bits of a component in registers, by the register format: 16 or 32. */
unsigned norn_valhall_component_bits(const NornValhallSimInstruction *instruction);

/* Writes components of 16 or 32 bits to the staging registers, 16-bit ones two to a register. */
bool norn_valhall_write_components(NornValhallSimWarp *warp,
                                   const NornValhallSimInstruction *instruction, unsigned lane,
                                   unsigned bits, unsigned count, const uint32_t *components,
                                   GError **error);

/* Reads such components. */
bool norn_valhall_read_components(NornValhallSimWarp *warp,
                                  const NornValhallSimInstruction *instruction, unsigned lane,
                                  unsigned bits, unsigned count, uint32_t *components,
                                  GError **error);

/* Writes an address to the first two staging registers. */
bool norn_valhall_write_address(NornValhallSimWarp *warp,
                                const NornValhallSimInstruction *instruction, unsigned lane,
                                uint64_t address, GError **error);

/* Sets the message of an instruction that is one; see memory.c. */
bool norn_valhall_decode_message(const NornIsa *isa, NornValhallSimInstruction *instruction,
                                 GError **error);

/* Sets NORN_ERROR_TRAP at `instruction`, in `lane` (-1: none in particular), and returns false. */
bool norn_valhall_trap(const NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
                       int lane, GError **error, const char *format, ...) G_GNUC_PRINTF(5, 6);

/* Reads a source. *undefined gets the mask of the bits that are undefined; false: a trap. */
bool norn_valhall_read_source(NornValhallSimWarp *warp,
                              const NornValhallSimInstruction *instruction, unsigned source,
                              unsigned lane, uint64_t *value, uint64_t *undefined, GError **error);
/* The same where an undefined bit is a trap. */
bool norn_valhall_read_defined(NornValhallSimWarp *warp,
                               const NornValhallSimInstruction *instruction, unsigned source,
                               unsigned lane, uint64_t *value, GError **error);

/* Drops the registers whose last use is in the instruction; call it between reading and writing. */
void norn_valhall_drop_last_uses(NornValhallSimWarp *warp,
                                 const NornValhallSimInstruction *instruction, unsigned lane);

/* Reads register `index` of the staging group that is read; undefined bytes outside `bytes` (a
 * mask) are ignored, others a trap. */
bool norn_valhall_read_staging(NornValhallSimWarp *warp,
                               const NornValhallSimInstruction *instruction, unsigned index,
                               unsigned lane, unsigned bytes, uint32_t *value, GError **error);

/* Writes register `index` of the staging group that is written; the bytes of the mask become
 * defined. The register is in flight until a wait. */
bool norn_valhall_write_staging(NornValhallSimWarp *warp,
                                const NornValhallSimInstruction *instruction, unsigned index,
                                unsigned lane, unsigned bytes, uint32_t value, GError **error);

NornValhallSimShadow *norn_valhall_shadow_new(void);
void norn_valhall_shadow_free(NornValhallSimShadow *shadow);

#endif
