/* The generator of random modules: every module obeys the rules of the IR, terminates, and stores
 * results to memory that depend on each of its parts and are the same on every correct engine.
 *
 * The generator is independent of the library's internals: it uses the public headers, which
 * build the module, and the table of operations (ir/ops.h), whose rows say what can be
 * generated. New rows are used without a change here. */
#ifndef NORN_FUZZ_FUZZ_H
#define NORN_FUZZ_FUZZ_H

#include <norn/norn.h>

/* An operation with its types and modifier. */
typedef struct FuzzForm {
  guint16 op;
  guint8 type, source_type, modifier;
} FuzzForm;

/* All forms that exist, as FuzzForm, except for terminators, calls, and operations that only
 * passes create. */
GArray *fuzz_forms(void);

/* "icmp.ult.i32", to be freed. */
char *fuzz_form_text(const FuzzForm *form);

/* The type of operand or result k; VOID if the row does not specify one. */
NornType fuzz_form_operand_type(const FuzzForm *form, guint k);
NornType fuzz_form_result_type(const FuzzForm *form, guint k);

/* Whether operand k is an immediate of the instruction. */
gboolean fuzz_form_is_immediate(const FuzzForm *form, guint k);

/* Whether it is the handle of a resource. */
gboolean fuzz_form_is_handle(const FuzzForm *form, guint k);

/* A random number below `below` (xorshift64*: the same numbers everywhere); changes the state. */
guint64 fuzz_draw(guint64 *state, guint64 below);

/* The initial state for a seed; `stream` distinguishes random numbers that are drawn for
 * different purposes. */
guint64 fuzz_state(guint64 seed, guint64 stream);

/* A module of that float mode with one instruction of the form, on values from memory, uniforms
 * and constants; the results are stored to memory. */
NornModule *fuzz_generate_form(const FuzzForm *form, NornDenormals denormals, NornRound rounding,
                               guint64 seed);

/* The forms from which to generate modules, by the float mode of the module, which determines
 * what can be compiled. Arrays of FuzzForm. */
typedef struct FuzzForms {
  GArray *of[NORN_DENORMALS_COUNT][NORN_ROUND_COUNT];
} FuzzForms;

/* Fills in all forms for every float mode. */
void fuzz_forms_init(FuzzForms *forms);
void fuzz_forms_clear(FuzzForms *forms);

/* Removes the operations whose names do not begin with that prefix. False if none is left. */
bool fuzz_forms_only(FuzzForms *forms, const char *name);

/* The module for the seed, to be freed with norn_module_free. *run, to be freed with g_free,
 * describes what it runs on, in the language of `norn run`. */
NornModule *fuzz_generate(const FuzzForms *forms, guint64 seed, char **run);

#endif
