/* A made-up machine and its target: an example of what a target must provide, and a test that the
 * generic passes do not assume anything that is specific to Valhall.
 *
 * Its description is toy.xml: words of 32 bits; sixteen registers r0 to r15, in which groups may
 * start anywhere, and eight conditions p0 to p7 for values of type i1; two slots; subgroups of
 * eight lanes; spill slots in pieces of eight bytes. r0 holds global_id.x at the start. */
#ifndef NORN_TESTS_TOY_TARGET_H
#define NORN_TESTS_TOY_TARGET_H

#include "passes/pass.h"

enum {
  TOY_REGISTERS = 16,
  TOY_CONDITIONS = 8,
  TOY_FIRST_CONDITION = TOY_REGISTERS, /* its number among the registers of both classes */
  TOY_SLOTS = 2,
  TOY_LANES = 8,
  TOY_WORD_BYTES = 4,
  TOY_PIECE_BYTES = 8,
  TOY_GLOBAL_ID = 0, /* the register that holds it */
};

extern const NornMachine *toy_machine(void);
extern const NornTarget toy_target;

/* Compiles a module as norn_compile does for the library's targets. Returns the words, or NULL
 * and *error. */
GByteArray *toy_compile(NornModule *module, const NornCompileOptions *options,
                        NornCompileInfo *info, GError **error);

#endif
