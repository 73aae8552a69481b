/* Independent checkers of finished code: proofs, word by word, that it does what it was made to do.
 *
 * They share no code with the passes that they check, and take several times as long as these. The
 * compiler runs those that NornCompileOptions.checks asks for after it has made the code; those
 * that need nothing but words run on any code. */
#ifndef NORN_CHECK_H
#define NORN_CHECK_H

#include <norn/ir.h>

NORN_BEGIN_DECLS

/* Which checkers; bits. norn_checker_info tells what each one does. */
typedef enum {
  NORN_CHECK_WAITS = 1 << 0,         /* of words */
  NORN_CHECK_LAST_USES = 1 << 1,     /* of words */
  NORN_CHECK_HELPERS = 1 << 2,       /* of words */
  NORN_CHECK_RECONVERGENCE = 1 << 3, /* of a compilation */
  NORN_CHECK_REPORTED = 1 << 4,      /* of a compilation */
  NORN_CHECK_TRANSLATION = 1 << 5,   /* of a compilation */
  NORN_CHECK_WORDS = (1 << 3) - 1,   /* all that are of words */
  NORN_CHECK_ALL = (1 << 6) - 1
} NornCheck;

/* What a checker is, for people: `norn check --list`. */
typedef struct NornCheckerInfo {
  const char *name, *title;
  const char *proves, *assumes, *blind; /* blind: what it does not see */
  unsigned check;                       /* the NornCheck bit */
} NornCheckerInfo;

/* Tells what checker `index` is (the strings are constant); false past the last. */
bool norn_checker_info(unsigned index, NornCheckerInfo *info);

/* The checks (NornCheck bits) that a list of names separated by commas stands for; "all" and "none"
 * are names, too. False with NORN_ERROR_INVALID if there is no checker of some name. */
bool norn_checks_parse(const char *names, unsigned *checks, GError **error);

/* What the code that norn_check_code looks at is, and what to prove of it. */
typedef struct NornCheckOptions {
  const char *architecture; /* of Valhall; NULL: the first */
  NornShaderStage stage;
  unsigned checks; /* of NORN_CHECK_WORDS */
  /* The first uniform words of addresses that are noalias (norn_module_set_noalias). */
  const unsigned *noalias;
  unsigned noalias_count;
  /* If there is constant data behind the code: bytes of the code; where the data is and how much,
     as in NornCompileInfo. */
  size_t code_size;
  unsigned data_offset, data_size;
} NornCheckOptions;

/* Whether Valhall code, `size` bytes of 64-bit little-endian words, wherever it comes from, passes
 * the checks. The first complaint is the error (NORN_ERROR_INVALID): the address, the instruction,
 * what is wrong. */
bool norn_check_code(const void *code, size_t size, const NornCheckOptions *options,
                     GError **error);

NORN_END_DECLS

#endif
