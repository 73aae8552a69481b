/* Instruction sets: tables made from the descriptions in isa/, packing, assembling, disassembling.
 *
 * Everything works from constant tables; no function here allocates unless it says so. An
 * instruction has one number per ISA (an enum in the generated <norn/valhall.h> and so on),
 * regardless of the architecture; its encoding belongs to one or more architectures. A word is an
 * instruction word in a uint64_t (32-bit ISAs use the low half). Architectures are small numbers,
 * in the order of the description; see norn_isa_architecture(). For a number that is no
 * architecture's, functions with a GError ** report an error (NORN_ERROR_INVALID); others return
 * false, NULL or 0. */
#ifndef NORN_ISA_H
#define NORN_ISA_H

#include <glib.h>
#include <norn/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

NORN_BEGIN_DECLS

typedef struct NornIsa NornIsa;
typedef struct NornIsaEncoding NornIsaEncoding;

/* The most fields that are not fixed in any encoding. */
#define NORN_ISA_FIELDS 32
/* The longest line of disassembly, including the terminating zero. */
#define NORN_ISA_LINE 512

/* The ISA of that name ("valhall", "gcn", "vp1"), or NULL. */
const NornIsa *norn_isa_find(const char *name);
/* The ISA number `index`, or NULL past the last. */
const NornIsa *norn_isa_at(unsigned index);

/* The name by which norn_isa_find knows it; a static string. */
const char *norn_isa_name(const NornIsa *isa);
/* Its full name; a static string. */
const char *norn_isa_title(const NornIsa *isa);
/* Bytes of an instruction word: 4 or 8. */
unsigned norn_isa_word_bytes(const NornIsa *isa);

/* The number of the architecture called `name` ("9"), or -1. */
int norn_isa_architecture(const NornIsa *isa, const char *name);
/* How many architectures there are, numbered from 0. */
unsigned norn_isa_architecture_count(const NornIsa *isa);
/* The name of an architecture, a static string, or NULL if there is no such architecture. */
const char *norn_isa_architecture_name(const NornIsa *isa, unsigned architecture);

/* The message about `length` bytes that are not the name of an ISA: it lists the ISAs and the
 * nearest name. Free it with g_free. */
char *norn_isa_unknown_target(const char *name, size_t length);
/* The same for bytes that are not the name of an architecture of the ISA. */
char *norn_isa_unknown_architecture(const NornIsa *isa, const char *name, size_t length);

/* The instruction called `name` ("FADD.f32"), or -1; no aliases. */
int norn_isa_instruction(const NornIsa *isa, const char *name);
/* How many instructions there are, numbered from 0. */
unsigned norn_isa_instruction_count(const NornIsa *isa);
/* The name of an instruction, a static string, or NULL if there is no such instruction. */
const char *norn_isa_instruction_name(const NornIsa *isa, unsigned instruction);
/* Whether an architecture has the instruction. */
bool norn_isa_has(const NornIsa *isa, unsigned architecture, unsigned instruction);
/* How an architecture encodes an instruction, or NULL if it lacks it. */
const NornIsaEncoding *norn_isa_encoding(const NornIsa *isa, unsigned architecture,
                                         unsigned instruction);

/* A decoded instruction. values[] is in the order of the encoding's fields; use
 * norn_isa_decoded_get() and _set() to access them by field number (NORN_VALHALL_FIELD_...). */
typedef struct NornIsaDecoded {
  const NornIsaEncoding *encoding;
  uint64_t ignored; /* bits without meaning that are set, at their positions */
  uint32_t values[NORN_ISA_FIELDS];
} NornIsaDecoded;

/* Decodes `word`. Returns false, leaving *decoded undefined, if no instruction of the architecture
 * has these opcode and reserved bits. Values are not checked for legality. */
bool norn_isa_unpack(const NornIsa *isa, unsigned architecture, uint64_t word,
                     NornIsaDecoded *decoded);
/* The word of *decoded. Values are truncated to the widths of their fields. */
uint64_t norn_isa_pack(const NornIsaDecoded *decoded);
/* Sets up *decoded for an instruction with every modifier at its default, registers and immediates
 * zero. Returns false if the architecture lacks the instruction. */
bool norn_isa_decoded_init(const NornIsa *isa, unsigned architecture, unsigned instruction,
                           NornIsaDecoded *decoded);
/* The value of a field; 0 if the instruction does not have it, or if it is fixed. */
uint32_t norn_isa_decoded_get(const NornIsaDecoded *decoded, unsigned field);
/* Sets a field. Returns false if the instruction does not have it or the value does not fit. */
bool norn_isa_decoded_set(NornIsaDecoded *decoded, unsigned field, uint32_t value);
/* Sets a register or source field from its text without modifiers: "r4", "^r2", "u3", "0x3F800000",
 * "blend_descriptor_0.w0". Returns false if the instruction has no such operand or the text does
 * not name a code of it. */
bool norn_isa_decoded_set_operand(const NornIsa *isa, NornIsaDecoded *decoded, unsigned field,
                                  const char *text);
/* Computes the fields that follow from others (staging counts, FAU page). Call it after the other
 * fields are set. Returns false if the sources cannot be encoded together. */
bool norn_isa_decoded_finish(const NornIsa *isa, NornIsaDecoded *decoded);
/* The instruction of *decoded. */
unsigned norn_isa_decoded_instruction(const NornIsaDecoded *decoded);

/* Whether `word` is a legal instruction: opcode, reserved bits, values, derived fields and the
 * rules of the hardware. If not, sets *error (NORN_ERROR_INVALID, no position) and returns false.
 */
bool norn_isa_check(const NornIsa *isa, unsigned architecture, uint64_t word, GError **error);

/* How to assemble. */
typedef struct NornIsaAssembleOptions {
  unsigned architecture;
  /* Skip the rules of the hardware. As far as the bits allow, also encode sources of different
   * banks (the first that needs one decides), a number of staging registers other than the
   * modifiers require, and pairs that start at an odd register. */
  bool no_verify;
} NornIsaAssembleOptions;

/* Assembles a text of `length` bytes. `filename` is for messages. Returns the words, little-endian,
 * to be released with g_bytes_unref, or NULL with *error set: one line "FILE:LINE:COLUMN: ..." for
 * each fault found (the first 1000), and the code of the first one. */
GBytes *norn_isa_assemble(const NornIsa *isa, const char *text, size_t length, const char *filename,
                          const NornIsaAssembleOptions *options, GError **error);

/* How to disassemble: bits. */
typedef enum {
  NORN_ISA_PRINT_ADDRESSES = 1 << 0, /* each line starts with the address in a comment */
  NORN_ISA_PRINT_WORDS = 1 << 1,     /* ... and the word */
  NORN_ISA_PRINT_OFFSETS = 1 << 2,   /* branch targets as numbers, no labels */
  NORN_ISA_PRINT_ALTERNATE = 1 << 3, /* the alternate syntax (GCN: LLVM's) */
  NORN_ISA_PRINT_NO_VERIFY =
      1 << 4,                    /* show instructions that break a rule of the hardware as text */
  NORN_ISA_PRINT_COLOR = 1 << 5, /* terminal escapes */
  NORN_ISA_PRINT_JSON = 1 << 6,  /* one JSON array instead of assembly */
} NornIsaPrintFlags;

/* The same, for an architecture. */
typedef struct NornIsaDisassembleOptions {
  unsigned architecture;
  unsigned flags;   /* NornIsaPrintFlags */
  size_t code_size; /* bytes that are instructions; those after them are data. 0: all are */
} NornIsaDisassembleOptions;

/* Disassembles `size` bytes. Without flags, the result assembles back to the same bytes, whatever
 * they are: words that are not legal instructions become raw data with the reason in a comment,
 * data becomes .word, and left-over bytes at the end become .byte. Returns the text, to be freed
 * with g_free(), and its length in *length (nullable); NULL if there is no such architecture. */
char *norn_isa_disassemble(const NornIsa *isa, const void *bytes, size_t size,
                           const NornIsaDisassembleOptions *options, size_t *length);

/* One word as one line of text without newline, in a buffer of NORN_ISA_LINE bytes;
 * zero-terminated. Branch targets are numbers. Returns the length; 0, and an empty line, if there
 * is no such architecture. */
size_t norn_isa_print(const NornIsa *isa, unsigned architecture, uint64_t word, unsigned flags,
                      char *buffer);

/* Describes the instruction or alias called `word` as text: syntax, a picture of the bits,
 * operands, modifiers, unit, meaning; for one architecture, or for all if `architecture` is -1. If
 * nothing has that name, the result has a line for each instruction whose name or title contains
 * `word`; if there is none, for each whose section or meaning contains it or that has a modifier of
 * that name. Free the result with g_free; NULL if there is none of these either, or if only other
 * architectures have an instruction of that name. */
char *norn_isa_describe(const NornIsa *isa, int architecture, const char *word);

/* The same as JSON, a list of objects: for the instructions and aliases called `word`, with its
 * type or without ("FADD.f32", "FADD"), or for all if it is NULL. doc/isa-description.md lists the
 * members. Free the result with g_free; NULL if nothing has that name. */
char *norn_isa_json(const NornIsa *isa, int architecture, const char *word);

/* The whole ISA as one HTML page, to be freed with g_free. */
char *norn_isa_manual(const NornIsa *isa);

NORN_END_DECLS

#endif
