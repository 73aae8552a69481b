/* libFuzzer's entry for the whole library: the bytes of the input replace the random numbers of
 * the module generator, and so determine which module is generated and how it is compiled. The
 * module is printed, parsed, interpreted, compiled at each level and simulated as in `norn
 * fuzz`; all results must agree. */
#include "fuzzer/fuzzer.h"
#include "ir/random.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const guint8 *bytes, gsize size);

/* The rest of the input. */
static const guint8 *input, *input_end;

/* Consumes as many bytes as a number below `below` needs; when none are left, returns random
 * numbers, so that the module terminates. */
guint64
fuzz_draw(guint64 *state, guint64 below) {
  guint64 number = 0;
  if (input < input_end) {
    for (guint64 room = below - 1; room && input < input_end; room >>= 8)
      number = number << 8 | *input++;
    return number % below;
  }
  return norn_random_next(state) % below;
}

static FuzzForms forms;

/* All forms are compiled once, which takes a while and must not count as time of an input. */
int
LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  fuzz_forms_init(&forms);
  fuzz_keep_compilable(&forms);
  return 0;
}

int
LLVMFuzzerTestOneInput(const guint8 *bytes, gsize size) {
  input = bytes;
  input_end = bytes + size;
  guint64 seed = size ? bytes[0] : 0;
  FuzzAttempt attempt;
  FuzzResult result;
  fuzz_check(&(FuzzInput){.forms = &forms, .seed = seed}, &attempt, &result);
  if (result.verdict == FUZZ_DIFFERS) {
    fprintf(stderr, "%s\n%s\n", result.message, result.command);
    input = bytes; /* generates the same module again */
    g_autofree char *text = fuzz_text(&forms, seed, result.expected);
    fputs(text, stderr);
    abort();
  }
  fuzz_result_clear(&result);
  return 0;
}
