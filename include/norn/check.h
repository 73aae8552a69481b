/* Independent checkers of finished code: they prove, word by word, that it does what it should.
 *
 * They share no code with the passes that they check, except for the analysis of where lanes
 * converge. After it has made the code, the compiler runs
 * those that NornCompileOptions.checks asks for, which takes a tenth to a half of the time of a
 * verified compilation. Those that need only words run on any code. */
#ifndef NORN_CHECK_H
#define NORN_CHECK_H

#include <norn/ir.h>

NORN_BEGIN_DECLS

/* Sets of checkers, as bits. norn_checker_info describes each one. */
typedef enum {
  NORN_CHECK_WAITS = 1 << 0,         /* of words */
  NORN_CHECK_LAST_USES = 1 << 1,     /* of words */
  NORN_CHECK_HELPERS = 1 << 2,       /* of words */
  NORN_CHECK_RECONVERGENCE = 1 << 3, /* of a compilation */
  NORN_CHECK_REPORTED = 1 << 4,      /* of a compilation */
  NORN_CHECK_TRANSLATION = 1 << 5,   /* of a compilation */
  NORN_CHECK_WORDS = (1 << 3) - 1,   /* all of those that read only words */
  NORN_CHECK_ALL = (1 << 6) - 1
} NornCheck;

/* Describes a checker, for people: `norn check --list`. */
typedef struct NornCheckerInfo {
  const char *name, *title;
  const char *proves, *assumes, *blind; /* blind: what it cannot see */
  unsigned check;                       /* the NornCheck bit */
} NornCheckerInfo;

/* Describes checker `index` (the strings are constant); false past the last. */
bool norn_checker_info(unsigned index, NornCheckerInfo *info);

/* Converts a list of names separated by commas to NornCheck bits; "all" and "none" are also names.
 * Returns false with NORN_ERROR_INVALID if a name is not a checker's. */
bool norn_checks_parse(const char *names, unsigned *checks, GError **error);

/* Describes the code that norn_check_code checks, and what to prove. */
typedef struct NornCheckOptions {
  const char *architecture; /* of Valhall; NULL: the first */
  NornShaderStage stage;
  unsigned checks; /* of NORN_CHECK_WORDS */
  /* The first uniform words of addresses that are noalias (norn_module_set_noalias). */
  const unsigned *noalias;
  unsigned noalias_count;
  /* If there is constant data after the code: the bytes of the code, and the data's offset and size
   * as in NornCompileInfo. */
  size_t code_size;
  unsigned data_offset, data_size;
} NornCheckOptions;

/* Whether Valhall code of any origin, `size` bytes of 64-bit little-endian words, passes the
 * checks. The error (NORN_ERROR_INVALID) is the first complaint: the address, the instruction, what
 * is wrong. */
bool norn_check_code(const void *code, size_t size, const NornCheckOptions *options,
                     GError **error);

NORN_END_DECLS

#endif
