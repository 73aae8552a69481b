/* Valhall code as the checkers see it: each word decoded with the tables of the description, and
 * the graph of blocks that its branches form. */
#ifndef NORN_CHECK_VALHALL_CODE_H
#define NORN_CHECK_VALHALL_CODE_H

#include "check/checkers.h"
#include "check/footprint.h"
#include "isa/isa.h"
#include "isa/valhall_abi.h"

#define NORN_CODE_SOURCES 4
#define NORN_CODE_NONE UINT32_MAX

/* Every slot, and those that are part of the tile's order. */
#define NORN_CODE_ALL_SLOTS 0xFF
#define NORN_CODE_DEPTH_ORDER                                                                      \
  (((1u << NORN_VALHALL_FREE_SLOTS) - 1) | 1u << NORN_VALHALL_DEPTH_SLOT)
#define NORN_CODE_TILE_ORDER (NORN_CODE_DEPTH_ORDER | 1u << NORN_VALHALL_BARRIER_SLOT)

typedef struct NornCodeSource {
  uint8_t kind; /* NornIsaCodeKind */
  bool is_last_use;
  uint8_t words;      /* registers named: 1 or 2 */
  uint8_t first_read; /* the first of these words that its modifiers read ... */
  uint8_t words_read; /* ... and how many */
  uint16_t number;    /* register; uniform word; special: the code with its bank */
  uint32_t value;     /* constants: the bits */
} NornCodeSource;

/* Registers from `first` on. */
typedef struct NornCodeGroup {
  uint8_t first, count;
} NornCodeGroup;

typedef enum {
  NORN_CODE_GOES_ON,
  NORN_CODE_JUMPS,    /* always */
  NORN_CODE_BRANCHES, /* sometimes */
  NORN_CODE_CALLS,    /* a blend shader, which may return */
} NornCodeFlowKind;

typedef struct NornWordInst {
  const NornIsaEncoding *encoding;
  uint64_t word;
  uint16_t instruction;
  uint8_t source_count;
  NornCodeSource sources[NORN_CODE_SOURCES];
  NornCodeGroup destination, staging_read, staging_write;
  /* flow */
  uint8_t waits; /* slots waited for after it */
  bool reconverges, discards, ends;
  /* messages */
  bool is_message;
  uint8_t slot;
  uint8_t allowed_slots; /* slots that it may signal */
  uint8_t wait_before;   /* slots in which nothing may be in flight before it */
  uint8_t wait_on_self;  /* slots that its own flow must wait for */
  bool is_data; /* it is the low word of an address of constant data; `word` then holds the address
                   relative to the start of the data */
  bool has_address; /* the address is in source address_source; otherwise the accessed memory may be
                       anywhere */
  uint8_t address_source;
  NornFootprint memory; /* without its base and operand */
  /* control */
  uint8_t kind;                            /* NornCodeFlowKind */
  int64_t target;                          /* of a branch or BLEND: an instruction */
  uint32_t successors[2], successor_count; /* instructions, the next one first */
} NornWordInst;

/* Instructions [first, end); control only enters at the first one. */
typedef struct NornCodeBlock {
  uint32_t first, end;
  uint32_t successors[2], successor_count; /* blocks */
} NornCodeBlock;

typedef struct NornCode {
  const NornCheckInput *input;
  const NornIsa *isa;
  NornWordInst *insts;
  uint32_t count;
  NornCodeBlock *blocks;
  uint32_t block_count;
  uint32_t *block_of; /* by instruction */
  uint32_t *origin; /* by instruction: the instruction of the packed program that it was made from;
                       NULL if there is no packed program or the counts differ */
} NornCode;

/* The instruction of the selected program that the word claims to be, or NORN_CODE_NONE. */
static inline uint32_t
norn_code_selected(const NornCode *code, uint32_t inst) {
  return code->origin && code->origin[inst] < code->input->selected->inst_count ? code->origin[inst]
                                                                                : NORN_CODE_NONE;
}

/* Decodes the code. False with `error` set if a word is not a legal instruction, or a path leads
 * out of the code. */
bool norn_code_init(NornCode *code, const NornCheckInput *input, GError **error);
void norn_code_clear(NornCode *code);

/* Decodes one word except for its successors. False if it names registers that do not exist. */
bool norn_code_decode(const NornIsa *isa, const NornIsaEncoding *encoding, uint64_t word,
                      NornWordInst *inst);

/* Sets the error: the position of the instruction in the code and, if known, in the source text,
 * and what is wrong. Returns false. */
bool norn_code_error(const NornCode *code, uint32_t inst, GError **error, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

/* Bit R: register R. */
static inline uint64_t
norn_code_registers(unsigned first, unsigned count) {
  return count ? (UINT64_MAX >> (64 - count)) << first : 0;
}
static inline uint64_t
norn_code_group(NornCodeGroup group) {
  return norn_code_registers(group.first, group.count);
}

static inline bool
norn_code_is_register(const NornCodeSource *source) {
  return source->kind == NORN_ISA_CODE_REGISTER || source->kind == NORN_ISA_CODE_LAST;
}

/* The registers that a source names, and those of them that it reads; none if it is not a
 * register. */
static inline uint64_t
norn_code_source_registers(const NornCodeSource *source) {
  return norn_code_is_register(source) ? norn_code_registers(source->number, source->words) : 0;
}
static inline uint64_t
norn_code_source_reads(const NornCodeSource *source) {
  return norn_code_is_register(source)
             ? norn_code_registers(source->number + source->first_read, source->words_read)
             : 0;
}

/* The registers that the instruction reads through its sources and its staging group; those that
 * it marks as last used; those that it writes, immediately or through a message. A call may
 * change those of a blend shader. */
uint64_t norn_code_reads(const NornWordInst *inst);
uint64_t norn_code_marks(const NornWordInst *inst);
uint64_t norn_code_writes(const NornWordInst *inst);

/* Whether it is a plain copy of a register, uniform word, constant or special value; whether it
 * is an exclusive or of two registers, as used in swaps. */
bool norn_code_is_move(const NornWordInst *inst);
bool norn_code_is_xor(const NornWordInst *inst);
/* Whether it copies both words of its first source, as the 64-bit sum of the source and 0. A
 * constant source gives the constant and 0. */
bool norn_code_is_pair_move(const NornWordInst *inst);
/* Whether it is a move of immediate bits, *bits. */
bool norn_code_is_constant(const NornWordInst *inst, uint32_t *bits);

/* Whether an instruction (its encoding, number and word) is a look-up in a texture whose level of
 * detail is computed from the coordinates of neighboring lanes. */
bool norn_code_samples_neighbors(const NornIsaEncoding *encoding, unsigned instruction,
                                 uint64_t word);

/* The bits of the word that waits, slots or register allocation may change: registers, source
 * codes, flow, slot, branch distance, FAU page. */
uint64_t norn_code_operand_bits(const NornIsaEncoding *encoding);

#endif
