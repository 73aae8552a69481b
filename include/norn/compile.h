/* Compiling a module, running single passes on it, and asking which passes there are. */
#ifndef NORN_COMPILE_H
#define NORN_COMPILE_H

#include <norn/check.h>
#include <norn/ir.h>
#include <norn/limits.h>

NORN_BEGIN_DECLS

/* The version of the library, such as "0.1.0". Other versions may generate different code. */
const char *norn_version(void);

/* Called after each pass that ran, with the module as the pass left it. */
typedef void (*NornDumpFunction)(const NornModule *module, const char *pass, gpointer user_data);

/* The target if neither the options nor the module name one. */
#define NORN_DEFAULT_TARGET "valhall"

/* Which part of a vertex shader to compile. If the architecture runs a vertex as two programs
 * (Valhall 9 to 11), a shader with varyings is compiled twice. */
typedef enum {
  NORN_VERTEX_WHOLE,
  NORN_VERTEX_POSITION, /* all but the varyings */
  NORN_VERTEX_VARYINGS, /* only the varyings; its other outputs are left out */
} NornVertexPart;

/* Called before each pass (`ends` false) and after it (before the result is verified or dumped), by
 * the thread that compiles. `memory` is what the module and the passes hold then, in bytes. */
typedef void (*NornPassHook)(const char *pass, bool ends, uint64_t memory, gpointer user_data);

/* Why a value left the registers. */
typedef enum {
  NORN_SPILL_FARTHEST,  /* an instruction needed room, and this value's next use was the farthest */
  NORN_SPILL_PARAMETER, /* its block has too many parameters */
  NORN_SPILL_BLOCK,     /* no room at the start of a block with several predecessors */
} NornSpillReason;

/* A value for which there were not enough registers. */
typedef struct NornSpilledValue {
  const char *name;       /* in the source, without '%'; NULL if it has none */
  const char *definition; /* mnemonic of its instruction; NULL: a parameter of a block */
  unsigned number;        /* identifies the value */
  unsigned line;          /* of the source, where it is defined; 0: none */
  unsigned words;         /* registers */
  unsigned stores, fills; /* accesses to thread-local memory */
  unsigned recomputed;    /* how often it is rematerialized instead */
  unsigned depth;         /* loop depth of the innermost of these */
  NornSpillReason reason;
  unsigned distance;    /* NORN_SPILL_FARTHEST: instructions from the spill to its next use ... */
  bool is_beyond_loop;  /* ... which is after the loop that contains the spill, if this is set */
  unsigned needed_line; /* ... and the line of the instruction that needed room; 0: none */
} NornSpilledValue;

/* Called for each value that is stored, filled or rematerialized, by the thread that compiles: for
 * all values of one iteration of register allocation before those of the next. The value and its
 * strings are valid only during the call. */
typedef void (*NornSpillHook)(const NornSpilledValue *value, gpointer user_data);

/* How to compile. Start from norn_compile_options_init and change what matters. */
typedef struct NornCompileOptions {
  const char *target;          /* "valhall"; NULL: the module's own, else NORN_DEFAULT_TARGET */
  const char *architecture;    /* "9"; NULL: the module's own, else the target's first */
  unsigned optimization_level; /* 0: as written, 1: cheap, 2: all, 3: in several ways, keeping the
                                  fastest (doc/embedding.md) */
  bool contract; /* allow different rounding: one fma for a product and a sum that are not exact */
  bool verify;   /* check the module after every pass */
  unsigned checks;        /* NornCheck bits: what to prove of the finished code */
  bool promote_constants; /* at level 2, put constants that no operand can hold into FAU words after
                             those declared or read; the driver must then fill them from
                             NornCompileInfo.constants */
  bool promote_uniforms;  /* also read such words instead of loading from known places of read-only
                             buffers, and copy words to form pairs; the driver must then fill them as
                             NornCompileInfo.loads says */
  bool constant_data; /* put tables of constants after the code, from where the shader loads them;
                         the driver must then place code and data as one piece, at a multiple of 128
                         bytes, not across a multiple of 4 GiB, where shaders can load from
                         (doc/embedding.md) */
  unsigned promoted_words;    /* the most words to promote, constants and loads together */
  NornVertexPart vertex_part; /* of a vertex shader */
  unsigned attribute_table;   /* the resource table that holds the vertex attributes, 0 to 63 */
  bool by_sample; /* the fragment shader runs once for each sample even if nothing in it asks for
                     that (sample shading): the position of a fragment is that of its sample */
  uint32_t fetch_sampler;  /* handle of a sampler that exists, for texels fetched by number */
  unsigned effort;         /* at level 3, the most candidates; 0: NORN_DEFAULT_EFFORT */
  int64_t pass_limit;      /* leave out the optional passes after that many passes; -1: no limit */
  const char *skip_passes; /* optional passes to leave out, by name with commas between; nullable */
  unsigned chaos;          /* NornChaos bits, for testing */
  uint64_t seed;           /* of the chaos */
  NornLimits limits;       /* of work, memory and code, and how to cancel from another thread */
  NornDumpFunction dump;   /* nullable; at level 3 only for the candidate kept, as is spill_hook */
  gpointer dump_data;
  NornPassHook pass_hook; /* nullable: nothing is measured */
  gpointer pass_data;
  NornSpillHook spill_hook; /* nullable */
  gpointer spill_data;
} NornCompileOptions;

/* Ways to generate worse but still correct code, to test the passes. */
typedef enum {
  NORN_CHAOS_SCHEDULE = 1 << 0,  /* any legal order of instructions */
  NORN_CHAOS_SPILL = 1 << 1,     /* few registers */
  NORN_CHAOS_WAIT = 1 << 2,      /* wait for every message at once */
  NORN_CHAOS_REGISTERS = 1 << 3, /* any register order */
  NORN_CHAOS_SLOTS = 1 << 4,     /* any message slot */
} NornChaos;

/* Candidates of level 3. */
#define NORN_DEFAULT_EFFORT 16
#define NORN_MAX_EFFORT 1000000

/* Resource tables that a program can name. A handle has room for more (NORN_HANDLE_TABLES). */
#define NORN_TABLES 64

/* What a driver must know about a vertex or fragment program in addition to its registers. This is
 * collected during instruction selection, so what optimization removes does not count. Sets are bit
 * sets. */
typedef struct NornShaderInfo {
  /* all stages */
  uint64_t tables;      /* resource tables that are named by handles known at compile time or, in
                           code, by the options: attribute_table and fetch_sampler where used */
  bool unknown_handles; /* there are other handles, or handles of tables from NORN_TABLES on */
  bool writes_memory;   /* stores, atomics, image writes: the program must not be left out or run
                           twice; workgroup and thread-local memory do not count */

  /* vertex */
  uint64_t attributes[4]; /* by index, 64 in each */
  bool writes_position, writes_point_size, writes_layer, writes_viewport;
  unsigned varying_size; /* bytes of a vertex's varyings; 0 if there are none, as in a program of
                            positions */

  /* fragment */
  uint8_t color_targets;                                       /* written at the end */
  bool second_color;                                           /* target 0 has a second source */
  NornFormat color_formats[NORN_COLOR_TARGETS], second_format; /* of those, and of `writes_tile` */
  bool writes_depth, writes_stencil, writes_coverage;
  bool may_discard;     /* demotes or terminates invocations */
  bool needs_helpers;   /* derivatives, computed levels of detail, exchange between lanes */
  bool runs_by_sample;  /* must run once for each sample if set, and must not otherwise: coordinates
                           would be wrong */
  uint8_t tile_targets; /* colors read from the tile; their blend descriptors must be of the
                           fixed-function kind, whose second word is the conversion */
  bool reads_depth, reads_stencil; /* from the tile */
  uint8_t writes_tile;             /* colors written to the tile while it runs */
  bool reads_flat, reads_centroid; /* varyings */
  bool early_tests;          /* depth and stencil may be tested, and written, before it runs */
  bool requires_early_tests; /* they must be: the shader requires it */
  bool forward_kill; /* invocations may be stopped if later opaque ones that write all targets hide
                        them: only colors are lost */
} NornShaderInfo;

/* What a driver must put into a uniform word: the word at a byte offset of a read-only buffer, or 0
 * if that is outside the buffer. */
typedef struct NornUniformLoad {
  bool is_used;   /* otherwise the word may hold anything, or is a copy */
  uint8_t copied; /* 1 + the uniform word that this one must be a copy of, made once all others are
                     filled; 0: not a copy */
  uint32_t handle, offset; /* of the buffer; byte offset in it */
} NornUniformLoad;

/* A loop whose `loop_entry` says how many iterations to expect. */
typedef struct NornExpectedLoop {
  unsigned first;      /* the instruction at which it is entered */
  unsigned iterations; /* 0: it is usually not entered */
} NornExpectedLoop;
#define NORN_EXPECTED_LOOPS 32

/* What a driver must know about the code, and how it was made. */
typedef struct NornCompileInfo {
  const char *target, *architecture; /* constant strings */
  NornShaderStage stage;
  unsigned registers;                 /* highest general register used + 1 */
  unsigned threads;                   /* 2 if the code fits the half-sized register file, else 1 */
  uint64_t preloaded;                 /* registers the driver must preload, bit R for register R */
  unsigned fau_words;                 /* uniform words the code reads, promoted ones included; a
                                         word read as half of a pair counts as the pair */
  unsigned promoted_first;            /* first promoted word */
  unsigned promoted_count;            /* how many */
  uint32_t constants[NORN_FAU_WORDS]; /* their values */
  unsigned load_first;                /* first word whose value was loaded from a buffer */
  unsigned load_count;                /* how many */
  NornUniformLoad loads[NORN_FAU_WORDS]; /* what to put there; copies may follow after load_count */
  unsigned thread_local_size;            /* bytes of thread-local memory of an invocation */
  unsigned spilled_size;                 /* how many of them, at the end, hold spilled registers */
  unsigned workgroup_local_size;         /* bytes of workgroup memory */
  unsigned workgroup_size[3];            /* compute; a warp must not hold more than one workgroup */
  NornDenormals denormals;               /* the mode that the driver must set for the program */
  NornShaderInfo shader;
  unsigned instructions;  /* 64-bit words of code */
  unsigned data_offset;   /* bytes from the start of the code to the constant data */
  unsigned data_size;     /* bytes of constant data after the code; 0: none */
  unsigned spills, fills; /* instructions that save and restore registers */
  unsigned grid_limit;    /* compute: most workgroups along an axis; 0: any number */
  uint64_t work;          /* units of work done (norn/limits.h), even if compiling failed */
  unsigned passes_run;
  unsigned candidates;     /* compiled and compared at level 3 */
  const char *candidate;   /* name of the one that was kept, a constant string; NULL: not level 3 */
  unsigned expected_count; /* of the first loops that say it: for estimates of execution time */
  NornExpectedLoop expected[NORN_EXPECTED_LOOPS];
} NornCompileInfo;

/* One pass, as `norn passes` shows it. */
typedef struct NornPassInfo {
  const char *name, *needs, *leaves, *summary;
  bool is_group;    /* stands for several passes, which run in turn */
  bool is_optional; /* in the target's pipeline, as a step or in a group: the code is right without
                       it, so NornCompileOptions.skip_passes may name it */
} NornPassInfo;

/* What a driver must know about the shader in its present form, for the generic operations of all
 * functions together. Compiling may find less, because it removes what has no effect, but also
 * knows what the options name; for compiled code, use what norn_compile returns. The module may
 * break rules of the IR. */
void norn_module_shader_info(const NornModule *module, NornShaderInfo *info);

/* Sets the defaults: the module's machine, level 2, verified, no limits. Sums and products are
 * contracted, constants are promoted to any uniform word (a driver that does not fill those words
 * clears `promote_constants`), attributes are in table 1, and texels are fetched with the sampler
 * of handle 0x03000000: sampler 0 of table 3. The checks are those named in the environment
 * variable NORN_CHECK, as norn_checks_parse reads them (all, if it cannot), or none without that
 * variable. */
void norn_compile_options_init(NornCompileOptions *options);

/* Whether the module is a vertex shader with varyings for an architecture that runs such a vertex
 * as two programs, to be compiled separately with NornCompileOptions.vertex_part. Also false if the
 * options (NULL for the defaults) do not fit. */
bool norn_compile_splits_vertices(const NornModule *module, const NornCompileOptions *options);

/* Whether the module is a vertex shader for an architecture that has one program for positions and
 * one for varyings. Without varyings there is no second program, and NORN_VERTEX_WHOLE is the
 * program of positions. Also false if the options (NULL for the defaults) do not fit. */
bool norn_compile_has_vertex_parts(const NornModule *module, const NornCompileOptions *options);

/* Compiles the module. The module changes: afterward it holds the machine instructions as they
 * were before packing, and cannot be compiled again. Returns the code (64-bit little-endian words,
 * followed by NornCompileInfo.data_size bytes of constant data, if any), to be released with
 * g_bytes_unref, or NULL with `error` set. `options` NULL means the defaults; `info` is nullable.
 */
GBytes *norn_compile(NornModule *module, const NornCompileOptions *options, NornCompileInfo *info,
                     GError **error);

/* A compiler keeps the memory of one compilation for the next, as much as the largest one needed,
 * and nothing else. Only one thread at a time may use it; hooks that it calls may, too. */
typedef struct NornCompiler NornCompiler;

/* Free it with norn_compiler_free. */
NornCompiler *norn_compiler_new(void);

/* NULL is allowed. */
void norn_compiler_free(NornCompiler *compiler);

/* Like norn_compile, but compiles a copy: the module stays as it is and may be compiled again, by
 * several threads at once, each with its own compiler. If `compiler` is NULL, nothing is kept. */
GBytes *norn_compiler_compile(NornCompiler *compiler, const NornModule *module,
                              const NornCompileOptions *options, NornCompileInfo *info,
                              GError **error);

/* The programs of a vertex shader. */
typedef struct NornVertexPrograms {
  unsigned count;          /* 2 if the architecture runs a vertex with varyings as two */
  GBytes *code[2];         /* the whole shader; or the positions, and the varyings */
  NornCompileInfo info[2]; /* of each */
} NornVertexPrograms;

/* Compiles all programs of a vertex shader (NornCompileOptions.vertex_part is ignored), each as
 * norn_compiler_compile does; false with NORN_ERROR_INVALID for a shader of another stage. Release
 * the programs with norn_vertex_programs_clear; there is nothing to release after false. */
bool norn_compiler_compile_vertex(NornCompiler *compiler, const NornModule *module,
                                  const NornCompileOptions *options, NornVertexPrograms *programs,
                                  GError **error);

/* Releases the code; afterward there are no programs. */
void norn_vertex_programs_clear(NornVertexPrograms *programs);

/* Why an instruction of the code is there. */
typedef enum {
  NORN_ORIGIN_PROGRAM,  /* the program asked for it */
  NORN_ORIGIN_CONSTANT, /* moves a constant that no operand can hold to a register */
  NORN_ORIGIN_UNIFORM,  /* the same for a uniform word or special value */
  NORN_ORIGIN_ARGUMENT, /* moves an argument to a parameter of a block */
  NORN_ORIGIN_GROUP,    /* moves words to or from consecutive registers */
  NORN_ORIGIN_COPY,     /* keeps a value in two registers */
  NORN_ORIGIN_FIXED,    /* moves an operand to the register that an instruction requires */
  NORN_ORIGIN_ROOM,     /* moves a value out of the way */
  NORN_ORIGIN_SPILL,    /* stores a value for which there is no register */
  NORN_ORIGIN_FILL,     /* loads it again */
} NornOrigin;
#define NORN_ORIGINS (NORN_ORIGIN_FILL + 1)

/* Its name, such as "arguments"; a constant string. */
const char *norn_origin_name(NornOrigin origin);

/* A named value of the source, and the registers that hold it. */
typedef struct NornCodeValue {
  const char *name; /* without '%' */
  NornType type;
  unsigned reg, words;
} NornCodeValue;

/* An instruction of the code. */
typedef struct NornCodeInst {
  unsigned line; /* in the text that was compiled; 0: none */
  NornOrigin origin;
  const char *block; /* name of the block that begins with it, or NULL */
  const NornCodeValue *found,
      *left; /* what is in registers before it for the first time: parameters of its block,
                preloads; and what it writes to them */
  unsigned found_count, left_count;
} NornCodeInst;

/* Relates each instruction of the code to the source. */
typedef struct NornCodeMap NornCodeMap;

/* The map of a module that norn_compile has compiled, for debuggers; it does not need the module
 * afterward. Free it with norn_code_map_free. */
NornCodeMap *norn_code_map_new(const NornModule *module);

/* NULL is allowed. */
void norn_code_map_free(NornCodeMap *map);

/* Instruction `index` of the code; NULL past the last. */
const NornCodeInst *norn_code_map_at(const NornCodeMap *map, size_t index);

/* Runs the passes named in `names` (separated by commas, in that order) on the module, which is
 * verified first and then belongs to the machine of the options. `options` may be NULL: the
 * defaults. `info` is nullable; it receives what the passes report. False with NORN_ERROR_INVALID
 * for an unknown pass, or for a module that breaks a rule or is not what a pass needs, and with the
 * errors of norn_compile; the module is then only good to be freed. */
bool norn_run_passes(NornModule *module, const char *names, const NornCompileOptions *options,
                     NornCompileInfo *info, GError **error);

/* Describes pass `index` of a target (NULL: NORN_DEFAULT_TARGET); the strings are constant. False
 * past the target's last pass. Passes that all targets share come first. */
bool norn_pass_info(const char *target, unsigned index, NornPassInfo *info);

/* Whether all names, separated by commas, are passes of the target (NULL: NORN_DEFAULT_TARGET). The
 * error is about the first that is not. */
bool norn_passes_check(const char *target, const char *names, GError **error);

/* The name of the pass or group of passes at step `index` of the target's pipeline at that
 * optimization level, a constant string; NULL after the last step. `target` may be NULL:
 * NORN_DEFAULT_TARGET. */
const char *norn_pipeline_step(const char *target, unsigned optimization_level, unsigned index);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(NornCodeMap, norn_code_map_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NornCompiler, norn_compiler_free)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NornVertexPrograms, norn_vertex_programs_clear)

NORN_END_DECLS

#endif
