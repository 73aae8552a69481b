/* A proof of a translation in progress: which places hold which symbols after the words executed
 * so far. The walks (translation.c) lead from word to word; translate_word.c executes one word. */
#ifndef NORN_CHECK_VALHALL_TRANSLATION_H
#define NORN_CHECK_VALHALL_TRANSLATION_H

#include "check/valhall/selected.h"
#include "check/valhall/valhall.h"
#include <norn/valhall.h>

typedef struct SymbolicState {
  uint32_t registers[NORN_VALHALL_REGISTERS]; /* sets of symbols */
  uint32_t *slots;                            /* of the memory for spill slots, by word */
} SymbolicState;

/* A walk's start. */
typedef struct WalkStart {
  uint32_t block, address;
  uint64_t edge; /* the terminator << 32 | operand of the open edge, or NO_EDGE */
} WalkStart;

#define NO_EDGE UINT64_MAX

typedef struct Walk {
  WalkStart start;
  struct Walk *next; /* the walk that continues where this one ends without having executed
                        anything, or NULL */
  SymbolicState state;
  GArray *open; /* NornSymbolAssignment: the parameters of the open edge and their arguments */
  bool is_pending;
} Walk;

typedef struct Translation {
  const NornCode *code;
  NornSelected selected;
  const NornFunction *function; /* the selected program */
  uint32_t *places; /* by block: its address according to the packed program, or NORN_CODE_NONE */
  uint32_t first_slot, slots; /* memory for spill slots: the first byte, and the number of words */
  GHashTable *constants;      /* symbol of the contents of a register -> the constant */
  GHashTable *addresses; /* symbol of the low word of the address of a spill slot -> the byte */
  GHashTable *walks;     /* WalkStart -> Walk */
  GSequence *pending;    /* Walk, in the order of their addresses */
  uint32_t *executed;    /* by instruction: the number of the walk that last executed it */
  /* the current walk */
  uint32_t number;
  WalkStart at;
  SymbolicState now;
  GArray *open;
  uint32_t left;         /* instructions of the block still to be executed */
  uint32_t first_effect; /* no instruction with an effect before this one is still to be executed */
  bool has_started;      /* some have been executed */
  GError **error;
} Translation;

/* The set of a place: a register or, after these, a word of memory. */
static inline uint32_t *
norn_translation_place(SymbolicState *state, uint32_t number) {
  return number < NORN_VALHALL_REGISTERS ? &state->registers[number]
                                         : &state->slots[number - NORN_VALHALL_REGISTERS];
}

static inline uint32_t
norn_translation_place_count(const Translation *translation) {
  return NORN_VALHALL_REGISTERS + translation->slots;
}

/* Reports what is wrong with the current word; returns false. */
G_GNUC_PRINTF(2, 3)
bool norn_translation_refuse(Translation *translation, const char *format, ...);

/* Whether the word can be that instruction of the program: in the current block, not executed
 * yet, and equal except for registers and similar fields. */
bool norn_translation_is_selected(const Translation *translation, const NornWordInst *word,
                                  uint32_t hint);

/* Executes a word that is that instruction of the program's block. */
bool norn_translation_run_selected(Translation *translation, const NornWordInst *word,
                                   uint32_t index);

/* Executes a word that is not an instruction of the program: it must compute nothing new. */
bool norn_translation_run_added(Translation *translation, const NornWordInst *word);

/* Whether the source holds operand `operand`, which is `ref`. */
bool norn_translation_expect_source(Translation *translation, const NornCodeSource *source,
                                    NornRef ref, unsigned operand);

/* Registers that are marked as last used no longer hold anything. */
void norn_translation_drop_last_uses(Translation *translation, const NornWordInst *word);

#endif
