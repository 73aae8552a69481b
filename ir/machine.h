/* What the IR must know about a machine to hold its instructions: their text and their shape.
 *
 * isa/ implements this once, from the tables of a description; the IR uses nothing else of it. A
 * NornMachine is an ISA together with one of its architectures. There is one constant for each of
 * them, so two modules are for the same machine if and only if their pointers are equal. A machine
 * instruction in the IR consists of an instruction number of the ISA, a word with the bits of its
 * modifiers and immediates (registers are zero), and operands. */
#ifndef NORN_IR_MACHINE_H
#define NORN_IR_MACHINE_H

#include "ir/registers.h"
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NORN_MACHINE_OPERANDS 8

/* What an instruction reads and writes, in 32-bit words, given its modifiers. */
typedef struct NornMachineShape {
  uint8_t result_count, operand_count;
  uint8_t result_words[NORN_MACHINE_OPERANDS];
  uint8_t operand_words[NORN_MACHINE_OPERANDS];
  uint8_t operand_is_staging; /* bit k: operand k is a group read by a message (`@`) */
  uint8_t operand_is_low;     /* bit k: operand k is one word, read as part of an aligned pair */
  uint8_t result_is_staging;  /* bit k: result k is written asynchronously by a message */
  uint8_t implied_operands;   /* how many more operands it may have: values that code it calls finds
                                 in registers */
  bool is_terminator;         /* has block operands: taken, then fall-through */
  bool reads_memory, writes_memory, is_barrier, is_convergent;
} NornMachineShape;

/* Text of a part of an instruction, and what is wrong with it. */
typedef struct NornMachineText {
  const char *start;
  size_t length;
  size_t position; /* of the offending byte, if parsing has failed */
  char *problem;   /* then: a message without position, to be freed with g_free */
} NornMachineText;

typedef struct NornMachine NornMachine;
struct NornMachine {
  const char *name; /* of the ISA, regardless of the architecture */
  const void *isa;
  unsigned architecture;             /* its index in the order of the description */
  const NornRegisterFile *registers; /* NULL: unknown, since nothing is compiled for it */

  /* The machine of this ISA whose architecture has that name ("9"), or NULL. */
  const NornMachine *(*find_architecture)(const NornMachine *machine, const char *name,
                                          size_t length);
  const char *(*architecture_name)(const NornMachine *machine);

  /* "FMA.f32.clamp_0_1" -> instruction and word. The parsing functions return false on failure. */
  bool (*parse_mnemonic)(const NornMachine *machine, NornMachineText *text, uint16_t *instruction,
                         uint64_t *word);
  /* The suffix of operand `operand` (".neg.h1", may be empty). */
  bool (*parse_operand_suffix)(const NornMachine *machine, uint16_t instruction, unsigned operand,
                               NornMachineText *text, uint64_t *word);
  /* The suffix of result `result` (".h0": a write of one half). */
  bool (*parse_result_suffix)(const NornMachine *machine, uint16_t instruction, unsigned result,
                              NornMachineText *text, uint64_t *word);
  /* An immediate: "offset:8", "shift:0x2", "#0x10". */
  bool (*parse_immediate)(const NornMachine *machine, uint16_t instruction, NornMachineText *text,
                          uint64_t *word);
  /* A special source ("lane_id.w0") -> the payload of a NORN_REF_SPECIAL, or -1. */
  int (*find_special)(const NornMachine *machine, const char *text, size_t length);

  /* The printing counterparts append to `out`. */
  void (*print_mnemonic)(const NornMachine *machine, uint16_t instruction, uint64_t word,
                         GString *out);
  void (*print_operand_suffix)(const NornMachine *machine, uint16_t instruction, unsigned operand,
                               uint64_t word, GString *out);
  void (*print_result_suffix)(const NornMachine *machine, uint16_t instruction, unsigned result,
                              uint64_t word, GString *out);
  /* All immediates, each preceded by ", " (or by " " if `first`). */
  void (*print_immediates)(const NornMachine *machine, uint16_t instruction, uint64_t word,
                           bool first, GString *out);
  void (*print_special)(const NornMachine *machine, uint32_t special, GString *out);

  /* Whether block operands follow the instruction; shape() also reports this, but costs more. */
  bool (*is_terminator)(const NornMachine *machine, uint16_t instruction);
  void (*shape)(const NornMachine *machine, uint16_t instruction, uint64_t word,
                NornMachineShape *shape);
};

/* The machine of that name ("valhall", "gcn", "vp1") with its first architecture, or NULL. */
const NornMachine *norn_machine_find(const char *name, size_t length);

#endif
