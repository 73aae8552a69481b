/* Random modules that keep every rule of the IR, from a seed: all operations with all their types
 * and modifiers, any flow of control, constants and names of all kinds. */
#ifndef NORN_TESTS_FUZZ_GENERATE_H
#define NORN_TESTS_FUZZ_GENERATE_H

#include "ir/ir.h"

/* The uniform word where the address of a buffer of FUZZ_BUFFER_BYTES lies: most accesses to memory
 * go there. */
#define FUZZ_BUFFER_WORD 0
#define FUZZ_BUFFER_BYTES 8192

/* xorshift64*: the same numbers everywhere. Returns a number below `below`. */
guint64 fuzz_draw(guint64 *state, guint64 below);

/* An operation with its types and modifier. */
typedef struct FuzzForm {
  guint16 op;
  guint8 type, source_type, modifier;
} FuzzForm;

/* All forms that exist, as FuzzForm, terminators and calls not among them. */
GArray *fuzz_forms(void);

/* The module of the seed, to be freed with norn_module_free. Modules of consecutive seeds go
 * through all forms in turn, so a few hundred have each at least once. `forms` is of fuzz_forms.
 */
NornModule *fuzz_generate(const GArray *forms, guint64 seed);

/* A module with one instruction of the form, on values from memory, uniforms and constants, whose
 * results go to memory. */
NornModule *fuzz_generate_form(const FuzzForm *form, guint64 seed);

/* The most lanes of a flow. */
#define FUZZ_FLOW_LANES 16

/* A compute shader of one subgroup that is all control flow: loops of any shape, with several back
 * edges or entries, nested, left from the middle, blocks that only jump, switches, calls. Each lane
 * comes to an end and stores a word in the buffer, which depends on the blocks it has been in and
 * on the lanes that ran each of them together with it. There is a barrier where all lanes are sure
 * to come. To be freed with norn_module_free. */
NornModule *fuzz_generate_flow(guint64 seed);

#endif
