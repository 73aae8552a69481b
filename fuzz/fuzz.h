/* The generator of random modules: every module keeps the rules of the IR, comes to an end, and
 * leaves in memory what depends on each of its parts, the same on every correct engine.
 *
 * It is a room of its own beside the library: of the library it uses the public headers, which
 * build the module, and the table of operations (ir/ops.h), whose rows say what there is to make. A
 * new row is made without a line here. */
#ifndef NORN_FUZZ_FUZZ_H
#define NORN_FUZZ_FUZZ_H

#include <norn/norn.h>

/* An operation with its types and modifier. */
typedef struct FuzzForm {
  guint16 op;
  guint8 type, source_type, modifier;
} FuzzForm;

/* All forms that exist, as FuzzForm; no terminators, calls, and what only passes make. */
GArray *fuzz_forms(void);

/* "icmp.ult.i32", to be freed. */
char *fuzz_form_text(const FuzzForm *form);

/* The type of operand or result k, VOID where the row does not say one. */
NornType fuzz_form_operand_type(const FuzzForm *form, guint k);
NornType fuzz_form_result_type(const FuzzForm *form, guint k);

/* Whether operand k is a number of the instruction itself. */
gboolean fuzz_form_is_immediate(const FuzzForm *form, guint k);

/* Whether it is the handle of a resource. */
gboolean fuzz_form_is_handle(const FuzzForm *form, guint k);

/* A number below `below` (xorshift64*: the same numbers everywhere); changes the state. */
guint64 fuzz_draw(guint64 *state, guint64 below);

/* The state that a seed begins with; `stream` tells apart what is drawn for different ends. */
guint64 fuzz_state(guint64 seed, guint64 stream);

/* A module of that float mode with one instruction of the form, on values from memory, uniforms and
 * constants, whose results go to memory. */
NornModule *fuzz_generate_form(const FuzzForm *form, NornDenormals denormals, NornRound rounding,
                               guint64 seed);

/* The forms to make modules of, by the float mode of the module: what can be compiled depends on
 * it. Arrays of FuzzForm. */
typedef struct FuzzForms {
  GArray *of[NORN_DENORMALS_COUNT][NORN_ROUND_COUNT];
} FuzzForms;

/* Fills in all forms for every float mode. */
void fuzz_forms_init(FuzzForms *forms);
void fuzz_forms_clear(FuzzForms *forms);

/* Takes out the operations whose names do not begin so. False if none is left. */
bool fuzz_forms_only(FuzzForms *forms, const char *name);

/* The module of the seed, to be freed with norn_module_free. *run, to be freed with g_free, is on
 * what it runs, in the language of `norn run`. */
NornModule *fuzz_generate(const FuzzForms *forms, guint64 seed, char **run);

#endif
