/* A decoded Valhall instruction, with the run's uniforms and constants already in its sources.
 *
 * An error in the word is stored as the instruction's fault, which traps only if it is executed. */
#ifndef NORN_SIM_VALHALL_INSTRUCTION_H
#define NORN_SIM_VALHALL_INSTRUCTION_H

#include "sim/valhall/access.h"
#include "sim/valhall/alu.h"
#include "sim/valhall/trap.h"

typedef struct NornValhallSimInstruction NornValhallSimInstruction;
typedef struct NornValhallSimWarp NornValhallSimWarp;

/* Executes one instruction for the active lanes; false: *error is set. */
typedef bool (*NornValhallSimAction)(NornValhallSimWarp *warp, GError **error);

/* Executes a message for one lane. */
typedef bool (*NornValhallSimMessage)(NornValhallSimWarp *warp, unsigned lane, GError **error);

typedef struct NornValhallSimSource {
  enum {
    NORN_VALHALL_SOURCE_VALUE,
    NORN_VALHALL_SOURCE_REGISTER,
    NORN_VALHALL_SOURCE_LANE_ID
  } kind;
  bool last_use;
  uint8_t words;
  uint8_t words_read; /* bit w: the modifiers use word w */
  uint8_t reg;
  uint64_t value;
} NornValhallSimSource;

typedef struct NornValhallSimGroup {
  uint8_t first, count;
} NornValhallSimGroup;

struct NornValhallSimInstruction {
  NornValhallSimAction action;
  NornValhallSimMessage message;     /* of one lane, */
  NornValhallSimAction warp_message; /* or of all active lanes together; NULL: not such a message */
  const NornIsaEncoding *encoding;
  uint64_t word;
  uint32_t index;                 /* in the program */
  NornValhallOperation operation; /* if it is an ALU instruction */
  NornValhallMemoryAccess access; /* if it is a memory access */
  NornValhallSimSource source[NORN_VALHALL_SOURCES];
  uint8_t source_count;
  uint8_t unit; /* NornUnit */
  uint8_t slot;
  uint8_t waits; /* bit s: the flow waits for slot s */
  bool reconverges, discards, ends, has_last_use;
  NornValhallSimGroup destination, staging_read, staging_write;
  /* Bit r: an operand other than a staging group reads, drops or writes register r. */
  uint64_t reads, drops, writes;
  bool target;      /* it may continue at another instruction than the next one, */
  int64_t distance; /* this many instructions after the next one */
  char *fault;      /* why it cannot be executed, or NULL */
  NornValhallTrap fault_kind;
};

/* The value of a field, 0 if the instruction lacks it. */
static inline uint32_t
norn_valhall_field(const NornValhallSimInstruction *instruction, unsigned number) {
  return norn_isa_field_get_or(instruction->encoding, number, instruction->word, 0);
}

#endif
