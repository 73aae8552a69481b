/* Questions about whether code means the same before and after passes, their answers, and the
 * table of answers. */
#ifndef NORN_TESTS_PROOFS_PROVE_H
#define NORN_TESTS_PROOFS_PROVE_H

#include "tests/proofs/block.h"
#include <norn/compile.h>
#include <signal.h>

/* The possible answers to a question, from best to worst. */
typedef enum {
  ANSWER_PROVED,  /* for all inputs, by the solver */
  ANSWER_TRIED,   /* for all inputs, by computing */
  ANSWER_SAMPLED, /* the solver gave up; edge and random values agree */
  ANSWER_OPEN,    /* no answer: something in it has no terms */
  ANSWER_REFUTED,
  ANSWER_COUNT
} Answer;

typedef struct Prover {
  GPtrArray *rows;        /* of the table */
  GHashTable *index;      /* rows by family and key */
  GHashTable *seen;       /* hashes of questions that were asked, with their answers */
  GHashTable *exceptions; /* rows that may be open */
  Solver *solver;
  unsigned effort;  /* for one question, in the solver's units of work */
  unsigned samples; /* number of inputs that are tried if it gives up */
  const char *only; /* nullable: only ask questions whose key contains this */
  unsigned shard, shards;
  unsigned asked;
  unsigned total; /* total number of questions, if known, to show progress */
  double slow;    /* questions that take at least this many seconds are shown; 0: none */
  bool verbose;
  bool stops;                       /* at the first refutation */
  volatile sig_atomic_t is_stopped; /* stopped by that, or by a signal */
} Prover;

/* One question. */
typedef struct Question {
  const char *family, *key; /* the row of the table */
  const char *passes;       /* passes that run between before and after */
  GString *body;            /* its lines */
  NornType inputs[BLOCK_VALUES];
  unsigned input_count;
  char *results[BLOCK_VALUES]; /* operands: "%3" */
  NornType result_types[BLOCK_VALUES];
  unsigned result_count;
  unsigned names; /* values numbered so far */
  unsigned architecture;
  NornRound rounding;
  NornDenormals denormals;
  bool contracts;
  bool ignores_zero_signs; /* a zero of either sign is correct */
  bool has_no_nan;         /* no input and no result is NaN */
  bool is_too_hard;        /* the solver never finds an answer: more values are tried instead */
} Question;

void prover_init(Prover *prover);
void prover_clear(Prover *prover);
/* Reads the rows that may be open from a file. */
bool prover_read_exceptions(Prover *prover, const char *file, GError **error);
/* Whether the row may be open. */
bool prover_excepts(const Prover *prover, const char *family, const char *key);
/* Prints the table; true if nothing is refuted, and only the exceptions are open. */
bool prover_report(const Prover *prover);
/* Enters an answer that was found in another way. `detail` (nullable) is shown if it is a
 * refutation. */
void prover_count(Prover *prover, const char *family, const char *key, Answer answer,
                  const char *detail);
bool prover_wants(const Prover *prover, const char *key);
/* Whether the next question belongs to the shard; called once for each. */
bool prover_takes_next(Prover *prover);

/* A question without lines. */
void question_init(Question *question, const char *family, const char *key, const char *passes);
void question_clear(Question *question);
/* A new input of that type; the operand, to be freed. */
char *question_input(Question *question, NornType type);
/* A constant operand, to be freed. */
char *question_constant(NornType type, uint64_t bits);
/* A line `%N = MNEMONIC OPERANDS`; the operand, to be freed. */
char *question_line(Question *question, const char *mnemonic, char *const *operands,
                    unsigned count);
/* The operand is a result. */
void question_result(Question *question, char *operand, NornType type);
/* Asks the question and counts the answer. */
void question_ask(Prover *prover, const Question *question);

/* Compares the terms of all operations in the block with values, unless they were compared
 * before. */
void define_block(Prover *prover, const Block *block);

/* Whether `claim` is true whenever `assumed` (nullable) is. */
Answer terms_prove(Terms *t, unsigned effort, Z3_ast assumed, Z3_ast claim);

#endif
