/* A warp of the simulator: its registers, the messages in flight, its lanes.
 *
 * The state is stored register by register, so that one instruction walks consecutive lanes. For
 * each lane and register, the state records which accesses are not allowed now; a program that
 * makes one traps. Results of messages are in the registers at once, but marked as in flight for
 * the lane until it waits for the slot. */
#ifndef NORN_SIM_VALHALL_WARP_H
#define NORN_SIM_VALHALL_WARP_H

#include "sim/common/races.h"
#include "sim/valhall/addresses.h"
#include "sim/valhall/instruction.h"

typedef struct NornValhallSimProgram NornValhallSimProgram;

/* A run of a program, or of single instructions. */
typedef struct NornValhallSimRun {
  const NornIsa *isa;
  unsigned architecture;
  uint32_t instruction_count;     /* of the program */
  NornValhallSimProgram *program; /* NULL: single instructions are run */
  const NornLaunch *launch;
  NornFtzMode ftz;
  NornReport report;
  uint64_t step_limit;
  uint8_t sample_positions[NORN_VALHALL_SAMPLE_BYTES];
  uint8_t *shared;         /* of the current workgroup */
  uint8_t *scratch;        /* of the current workgroup's invocations, one after the other */
  uint8_t *scratch_stored; /* bit i % 8 of byte i / 8: byte i was stored; NULL: all were */
  uint32_t workgroup[3];
  NornRaces *races;     /* NULL: races are not checked for */
  uint64_t random;      /* state of the random numbers from the seed; 0: nothing is random */
  GHashTable *reached;  /* instruction << 32 | another: whether the first reaches the second */
  const char *location; /* start of error messages; NULL: the address of the instruction */
} NornValhallSimRun;

/* The position that the interpolator keeps for a lane. */
typedef struct NornValhallSimInterpolator {
  bool is_kept;
  uint8_t mode;                           /* of the load that stored it */
  uint32_t sample_word;                   /* the first source of that load */
  uint32_t last_load[NORN_VALHALL_SLOTS]; /* number of the last message that loads a varying */
} NornValhallSimInterpolator;

struct NornValhallSimWarp {
  NornValhallSimRun *run;
  const NornValhallSimInstruction *instruction; /* being executed, or the last one */
  uint32_t registers[NORN_VALHALL_REGISTERS][NORN_VALHALL_WARP];
  uint8_t defined[NORN_VALHALL_REGISTERS][NORN_VALHALL_WARP]; /* bit b: byte b */
  /* Undefined bytes that were a source or a result of an exclusive or (mixed.h), for the
   * registers whose bits are set in `some_mixed`. */
  uint32_t mixed[NORN_VALHALL_REGISTERS][NORN_VALHALL_WARP][4];
  uint64_t some_mixed;
  uint32_t mix_count; /* how many numbers have been assigned */
  /* For each lane, bit r is set if register r ... */
  uint64_t written[NORN_VALHALL_SLOTS][NORN_VALHALL_WARP]; /* is written by a message in flight */
  uint64_t read[NORN_VALHALL_SLOTS][NORN_VALHALL_WARP];    /* is read by a message in flight */
  uint64_t in_flight[NORN_VALHALL_WARP];                   /* is in some `written` */
  /* A superset of the union over all lanes of in_flight, of all `read`, of `discarded`. */
  uint64_t some_in_flight, some_read, some_discarded;
  uint64_t pending[NORN_VALHALL_WARP];   /* will be written by the message being issued */
  uint64_t discarded[NORN_VALHALL_WARP]; /* was dropped at its last use */
  /* Messages are numbered from 1. For each slot and lane: the last message issued, and the last
   * one that has been waited for. */
  uint32_t message;
  uint32_t last_message[NORN_VALHALL_SLOTS][NORN_VALHALL_WARP];
  uint32_t waited[NORN_VALHALL_SLOTS][NORN_VALHALL_WARP];
  uint8_t waits_seen[NORN_VALHALL_WARP]; /* slots that were waited for at least once */
  NornValhallSimInterpolator interpolator[NORN_VALHALL_WARP];
  GArray *accesses[NORN_VALHALL_SLOTS]; /* to memory, in flight; NULL: none are recorded */
  GArray *completions;                  /* of messages that remain to be completed; nullable */
  uint32_t undefined_bytes; /* of an access to thread-local memory: bytes that are undefined in the
                               registers stored, or were not stored */
  uint16_t tested;          /* lanes that have executed ATEST */
  uint32_t pc[NORN_VALHALL_WARP];     /* instruction numbers */
  uint32_t thread[NORN_VALHALL_WARP]; /* numbers of the invocations in the grid, from 1 */
  uint32_t local[NORN_VALHALL_WARP];  /* ... and in the workgroup, from 0 */
  uint16_t present, alive, active;
  uint16_t helpers;   /* continue after a discard, without effect on memory */
  bool ignores_flow;  /* of the instruction, a BLEND that calls a shader */
  uint16_t branched;  /* the lanes that took a branch to an address at the instruction */
  bool is_at_barrier; /* waits at the instruction, a BARRIER */
};

#define norn_valhall_for_each_active(warp, lane)                                                   \
  for (unsigned lane = 0; lane < NORN_VALHALL_WARP; lane++)                                        \
    if ((warp)->active >> lane & 1)

/* Whether the lane continues without effect on memory. */
static inline bool
norn_valhall_is_helper(const NornValhallSimWarp *warp, unsigned lane) {
  return warp->helpers >> lane & 1;
}

/* --- Errors --- */

/* Sets the error that ends the run at the warp's instruction, in `lane` (-1: none in particular):
 * "trap" or another word for it, then the location, then the message. */
void norn_valhall_set_error(const NornValhallSimWarp *warp, int lane, NornErrorCode code,
                            const char *event, const char *message, GError **error);

/* Sets NORN_ERROR_TRAP at the warp's instruction, in `lane` (-1: none in particular), and returns
 * false. */
bool norn_valhall_trap(const NornValhallSimWarp *warp, int lane, NornValhallTrap kind,
                       GError **error, const char *format, ...) G_GNUC_PRINTF(5, 6);

/* --- Sources and results --- */

#define NORN_VALHALL_REGISTER_BIT(reg) (UINT64_C(1) << (reg))

/* Reads the registers of a source that is a register. */
bool norn_valhall_read_registers(NornValhallSimWarp *warp, unsigned source, unsigned lane,
                                 uint64_t *value, uint64_t *undefined, GError **error);

/* Reads a source. *undefined gets the mask of the bits that are undefined; false: a trap. */
static inline bool
norn_valhall_read_source(NornValhallSimWarp *warp, unsigned source, unsigned lane, uint64_t *value,
                         uint64_t *undefined, GError **error) {
  const NornValhallSimSource *s = &warp->instruction->source[source];
  *undefined = 0;
  *value = s->kind == NORN_VALHALL_SOURCE_LANE_ID ? lane : s->value;
  if (s->kind != NORN_VALHALL_SOURCE_REGISTER)
    return true;
  /* The fast path for the common case: one register, defined and not in flight. */
  if (s->words == 1 && !s->last_use && warp->defined[s->reg][lane] == 0xF &&
      !(warp->in_flight[lane] & NORN_VALHALL_REGISTER_BIT(s->reg))) {
    *value = warp->registers[s->reg][lane];
    return true;
  }
  return norn_valhall_read_registers(warp, source, lane, value, undefined, error);
}

/* Reads a source; an undefined bit is a trap. */
bool norn_valhall_read_defined(NornValhallSimWarp *warp, unsigned source, unsigned lane,
                               uint64_t *value, GError **error);

/* Makes the registers of a set undefined. */
void norn_valhall_lose_registers(NornValhallSimWarp *warp, unsigned lane, uint64_t registers);

/* Drops the registers whose last use is in the instruction; call it between reading and writing. */
void norn_valhall_drop_last_uses(NornValhallSimWarp *warp, unsigned lane);

/* Writes the bits of a result; those in the mask `undefined` become undefined. */
bool norn_valhall_write_destination(NornValhallSimWarp *warp, unsigned lane,
                                    const NornValhallResult *result, uint64_t undefined,
                                    GError **error);

/* --- All lanes at once --- */

/* Whether no check of the operands can fail for an instruction that is not a message: in all
 * active lanes, the registers it reads are defined, and no message in flight accesses the
 * registers it writes or drops. */
bool norn_valhall_is_ready(const NornValhallSimWarp *warp);

/* Drops registers of the active lanes at their last use. */
void norn_valhall_drop_registers(NornValhallSimWarp *warp, uint64_t registers);

/* Writes the bits in `mask` of a register in the active lanes, from bit `shift` of the values
 * on. Their bytes become defined. */
void norn_valhall_write_warp(NornValhallSimWarp *warp, unsigned reg, const uint64_t *values,
                             unsigned shift, uint32_t mask);

/* --- Messages --- */

/* Reads register `index` of the staging group that is read; undefined bytes outside `bytes` (a
 * mask) are ignored, others trap. */
bool norn_valhall_read_staging(NornValhallSimWarp *warp, unsigned index, unsigned lane,
                               unsigned bytes, uint32_t *value, GError **error);

/* Writes register `index` of the staging group that is written; the bytes in the mask become
 * defined. The register is in flight until a wait. */
bool norn_valhall_write_staging(NornValhallSimWarp *warp, unsigned index, unsigned lane,
                                unsigned bytes, uint32_t value, GError **error);

/* Ends the issue of a message for a lane: the registers it has written are in flight from here
 * on. */
void norn_valhall_finish_issue(NornValhallSimWarp *warp, unsigned lane);

/* The lowest slot with a message of the lane in flight, or -1. */
int norn_valhall_slot_in_flight(const NornValhallSimWarp *warp, unsigned lane);

/* Makes the active lanes wait for a set of slots. */
void norn_valhall_wait_for_slots(NornValhallSimWarp *warp, unsigned slots);

/* --- Control flow --- */

/* Sends a lane to instruction `target`. */
bool norn_valhall_branch_lane(NornValhallSimWarp *warp, unsigned lane, int64_t target,
                              GError **error);

#endif
