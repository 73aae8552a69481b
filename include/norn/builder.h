/* Building modules from a program: header, functions, blocks, values, instructions.
 *
 * norn/build.h has a function for each operation. Only what could not be represented is checked
 * while building; norn_module_verify checks the finished module and also reports what was refused
 * here. In place of a type, stage or mode that does not exist, the first one is stored; in place of
 * a required name that is NULL, an empty one. */
#ifndef NORN_BUILDER_H
#define NORN_BUILDER_H

#include <norn/module.h>
#include <string.h>

NORN_BEGIN_DECLS

/* --- The head of a module --- */

/* The size of a compute shader's workgroup. */
void norn_module_set_workgroup(NornModule *module, uint32_t x, uint32_t y, uint32_t z);

/* Promises that the driver starts at most `count` workgroups along any axis, numbered from 0, which
 * bounds the positions of invocations; 0: nothing is known. */
void norn_module_set_grid_limit(NornModule *module, uint32_t count);

/* Bytes of workgroup memory of each workgroup, and of thread-local memory of each invocation. */
void norn_module_set_memory(NornModule *module, uint32_t shared, uint32_t scratch);

/* What float operations do with subnormals, and how they round, in the whole shader. */
void norn_module_set_float_mode(NornModule *module, NornDenormals denormals, NornRound rounding);

/* Whether a fragment shader requires that depth and stencil are tested, and written, before it
 * runs. It must then not store them itself. */
void norn_module_set_early_tests(NornModule *module, bool tests_early);

/* Whether a fragment shader runs once for each sample, even if it reads nothing that depends on the
 * sample, or no longer does after optimization. */
void norn_module_set_by_sample(NornModule *module, bool runs_by_sample);

/* Declares a uniform: `count` elements of the type from uniform (FAU) word `word` on, as the driver
 * lays them out. Returns a reference to its first word. */
NornRef norn_module_add_fau(NornModule *module, const char *name, NornType type, unsigned word,
                            unsigned count);

/* Whether the uniform's elements, which are addresses, are `noalias`: the memory that the shader
 * accesses through one of them is not accessed through another `noalias` address, unless nothing
 * writes it (doc/ir.md). */
void norn_module_set_noalias(NornModule *module, NornRef fau, bool is_noalias);

#define NORN_MAX_ALIGNMENT 128

/* Promises that the uniform's elements, which are addresses, are multiples of `bytes`, a power of
 * two of at most NORN_MAX_ALIGNMENT. Accesses to adjacent bytes and halves may then be merged. */
void norn_module_set_alignment(NornModule *module, NornRef fau, unsigned bytes);

/* Puts bytes into the constant data, which lies after the code (doc/embedding.md). Returns the
 * offset of the first byte, a multiple of 4, for norn_build_data_address. If the same bytes already
 * begin within the first NORN_DATA_SEARCHED ones, their offset is returned. */
uint32_t norn_module_add_data(NornModule *module, const void *bytes, size_t size);

/* Adds a function other than the shader to the module, which owns it, for calls. Its parameters are
 * those of its first block. */
NornFunction *norn_module_add_function(NornModule *module, const char *name, NornType result_type);

/* --- The builder --- */

typedef struct NornBuilder NornBuilder;

/* A builder for the module's shader, in no block yet. Free it with norn_builder_free, before the
 * module. */
NornBuilder *norn_builder_new(NornModule *module);

/* Frees the builder, not what it built. NULL is allowed. */
void norn_builder_free(NornBuilder *builder);

/* Continues in that function of the module (NULL: the shader), in no block yet. */
void norn_builder_set_function(NornBuilder *builder, NornFunction *function);

/* Appends the instructions that follow to that block. */
void norn_builder_set_block(NornBuilder *builder, NornRef block);

/* Instructions that follow have these flags (NornInstFlags), except those that name blocks, and
 * NORN_INST_COARSE only if they access a buffer of a resource table. */
void norn_builder_set_flags(NornBuilder *builder, unsigned flags);

/* Instructions that follow come from that line of the front end's source (0: none), which messages
 * will name. */
void norn_builder_set_line(NornBuilder *builder, uint32_t line);

/* Adds a block after the existing ones. The function starts at the first. The name is nullable. */
NornRef norn_build_block(NornBuilder *builder, const char *name);

/* Appends a parameter to the block; the name is nullable. */
NornRef norn_build_parameter(NornBuilder *builder, NornRef block, NornType type, const char *name);

/* Gives the value a name, for the text; characters other than letters, digits and _ become _.
 * Returns the value. */
NornRef norn_build_name(NornBuilder *builder, NornRef value, const char *name);

/* A constant of an integer type: any number that fits it, signed or unsigned. i1: 0 or 1. */
NornRef norn_build_int(NornBuilder *builder, NornType type, int64_t value);

/* A constant of type f16, f32 or f64, rounded to nearest even. */
NornRef norn_build_float(NornBuilder *builder, NornType type, double value);

/* A constant by its bits, for any type of at most 64 bits. */
NornRef norn_build_bits(NornBuilder *builder, uint64_t bits);

/* A uniform word, or the first of several. */
NornRef norn_build_uniform(NornBuilder *builder, unsigned word);

/* A destination of a terminator: a block and a value for each of its parameters. */
typedef struct NornBranch {
  NornRef block;
  unsigned argument_count;
  const NornRef *arguments;
} NornBranch;

/* A branch to a block without parameters. */
static inline NornBranch
norn_branch(NornRef block) {
  NornBranch branch = {block, 0, NULL};
  return branch;
}

/* A case of a switch. */
typedef struct NornCase {
  int64_t value;
  NornBranch to;
} NornCase;

#define NORN_SPEC_IMMEDIATES 12

/* Any instruction; the functions of norn/build.h fill this in. */
typedef struct NornInstSpec {
  NornOp op;
  NornType type, source_type;
  unsigned modifier;
  const NornRef *operands; /* those of the signature */
  unsigned operand_count;
  const NornRef *list; /* any number after these; for a call: the arguments */
  unsigned list_count;
  const NornBranch *branches;
  unsigned branch_count;
  const NornCase *cases;
  unsigned case_count;
  const NornFunction *callee;
  int64_t immediates[NORN_SPEC_IMMEDIATES]; /* indexed by the number of the named immediate */
  NornRef *results;                         /* nullable: receives all results */
  unsigned result_count;                    /* for operations with any number of results */
} NornInstSpec;

/* An instruction of that operation; everything else is zero. */
static inline NornInstSpec
norn_inst_spec(NornOp op) {
  NornInstSpec spec;
  memset(&spec, 0, sizeof spec);
  spec.op = op;
  return spec;
}

/* Appends the instruction to the builder's block. Returns its first result, or 0 if it has none. */
NornRef norn_build(NornBuilder *builder, const NornInstSpec *spec);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(NornBuilder, norn_builder_free)

NORN_END_DECLS

#endif
