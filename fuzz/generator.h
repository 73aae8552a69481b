/* Declarations shared by the parts of the generator.
 *
 * A function begins as a graph of empty blocks (graph.c) whose dominators are known. Each block is
 * filled after the blocks that dominate it, so that their values may be operands. Three rules keep
 * the results the same on every engine:
 *
 * - Termination. A loop of a nest counts its iterations, up to a number that may differ by lane. In
 *   a tangle each lane has fuel, of which every block burns one unit, and takes the exit when it
 * has none left.
 * - Memory. An invocation has its own window in each memory that others may access, and reads only
 *   data of others that was written before a barrier.
 * - Values. Results that are only accurate to within a bound are computed but never stored.
 *   Undefined values may be selected among or passed along, but do not affect results. In some
 *   modules all products are of small numbers, so they are exact and contracting them changes
 *   nothing. */
#ifndef NORN_FUZZ_GENERATOR_H
#define NORN_FUZZ_GENERATOR_H

#include "fuzz/fuzz.h"
#include "ir/ops.h"

#define FUZZ_BLOCKS 60 /* less than the number of bits in a set of blocks */
#define FUZZ_TARGETS 5
#define FUZZ_PARAMETERS 14
#define FUZZ_FUNCTIONS 3
#define FUZZ_OPERANDS 16
#define FUZZ_VARIABLES 4
#define FUZZ_IMAGE_FORMATS 7

/* The size of an invocation's window in bytes, in the buffer and in workgroup memory. */
#define FUZZ_WINDOW 256
#define FUZZ_SHARED_WINDOW 64
#define FUZZ_CONSTANTS 1024
/* ... and of the varyings of a vertex. */
#define FUZZ_VARYINGS 64

/* Uniform words: addresses, the first word without a meaning of its own, and among these one
 * that is 0. */
enum { FUZZ_EMPTY_TABLE = 5 }; /* a resource table with nothing in it */
enum { FUZZ_DATA_WORD = 0, FUZZ_SUMS_WORD = 2, FUZZ_FREE_WORD = 4, FUZZ_ZERO = 8 };

/* How a block chooses its successor. */
typedef enum {
  FUZZ_TEST_ANY,   /* by any value: all its edges are forward edges */
  FUZZ_TEST_FUEL,  /* a lane without fuel takes the exit */
  FUZZ_TEST_COUNT, /* to the first target while the loop has iterations left */
  FUZZ_TEST_FULL,  /* to the first target if all lanes are here */
  FUZZ_TEST_NEVER, /* to the second target, which is only known at run time */
} FuzzTest;

typedef struct FuzzValue {
  NornRef ref;
  NornType type;
} FuzzValue;

/* The memory of an alloca; unit: the size of all accesses to it, 0: any. */
typedef struct FuzzVariable {
  NornRef place;
  guint bytes, unit;
} FuzzVariable;

typedef struct FuzzBlock {
  NornOp terminator;
  FuzzTest test;
  guint target_count, targets[FUZZ_TARGETS];
  guint parameter_count;
  NornType parameters[FUZZ_PARAMETERS];
  NornRef parameter_values[FUZZ_PARAMETERS];
  guint guards;    /* bit k: parameter k says whether the next one is defined */
  bool is_empty;   /* contains only a jump */
  bool is_quiet;   /* in a tangle: only burns fuel and branches */
  bool is_uniform; /* all invocations of the workgroup reach it together */
  bool is_header;  /* of a counted loop; its first parameter is the counter */
  bool tests_next; /* FUZZ_TEST_COUNT: tests the next iteration, not this one */
  guint loop;      /* FUZZ_TEST_COUNT: the header */
  guint exit;      /* FUZZ_TEST_FUEL: the target on the shortest path to an end */
  guint64 dominators;
  NornRef block;
  NornRef counter, next;   /* of a header: its values in this iteration and in the next one */
  NornRef iterations;      /* of a header: the number of iterations */
  NornRef fuel, sum, mask; /* in a tangle, at the end of the block */
  GArray *values;          /* FuzzValue: defined here */
} FuzzBlock;

/* Where the lanes of a tangle keep fuel and checksum. */
typedef enum { FUZZ_STATE_NONE, FUZZ_STATE_SCRATCH, FUZZ_STATE_PARAMETERS } FuzzStateKeeping;

typedef struct FuzzGenerator {
  const GArray *forms;
  guint64 state, next_form;
  NornModule *module;
  NornBuilder *builder;
  NornShaderStage stage;
  NornRound rounding;
  guint lanes, groups;                     /* invocations of a workgroup, workgroups */
  NornFunction *functions[FUZZ_FUNCTIONS]; /* the first one is the shader */
  NornType result_types[FUZZ_FUNCTIONS];
  NornType arguments[FUZZ_FUNCTIONS][FUZZ_PARAMETERS];
  NornRef argument_values[FUZZ_FUNCTIONS][FUZZ_PARAMETERS];
  NornRef entries[FUZZ_FUNCTIONS];
  guint argument_counts[FUZZ_FUNCTIONS];
  guint function, function_count;
  FuzzBlock blocks[FUZZ_BLOCKS];
  guint block, block_count;
  FuzzStateKeeping keeping;
  guint calls;                    /* calls that the function may still make */
  guint statements;               /* of a function, approximately */
  guint burst;                    /* number of words that are live throughout the shader */
  bool reads_constants;           /* these words come from a read-only buffer */
  guint reach;                    /* most operands are among this many most recent values */
  guint memory_share, form_share; /* share of statements, out of 32 */
  NornRef lane, window, byte; /* in the function: number of the invocation in the grid, address of
                                 its window, the same as an offset */
  NornRef local;              /* number in the workgroup */
  NornRef shared;             /* byte of its window in workgroup memory; 0: there is none */
  bool uses_shared;
  guint samples;     /* of a pixel */
  bool is_by_sample; /* a fragment shader that runs for each sample */
  bool is_back_facing;
  bool is_blending;  /* it is a blend shader */
  bool calls_blends; /* its targets are blended by shaders */
  bool dares; /* operations that must be on all paths are placed anywhere, which the verifier may
                 refuse */
  guint64 outputs;      /* those of them that already are: bits by operation modulo 64 */
  guint scratch;        /* bytes of thread-local memory */
  bool has_variables;   /* functions have variables */
  bool has_tables;      /* variables that are arrays hold only constants */
  guint data_bytes;     /* of constant data */
  guint variable_count; /* of this function: variables that have their own thread-local memory */
  FuzzVariable variables[FUZZ_VARIABLES];
  guint marks;  /* out of 4 blocks, this many may be marked as loop entries */
  bool watches; /* blocks record which lanes run them */
  bool writes_images;
  guint images[FUZZ_IMAGE_FORMATS]; /* by format, sets of entries that are used */
  GArray *image_accesses;           /* FuzzForm: those of `forms` that access images */
  guint textures[2];  /* sets of NornDimension that are used: of floats, of integers */
  GArray *accesses;   /* FuzzForm: those of `forms` that access memory */
  GArray *folded;     /* FuzzForm: those of `forms` that have rewrite rules in passes */
  guint constants;    /* out of 6 operands, this many are new constants */
  bool is_coarse;     /* the next access to a buffer is coarse */
  bool is_contracted; /* products are exact, so that it may be compiled with contraction */
} FuzzGenerator;

/* --- values.c --- */

/* A number below `below`; a type for a value; the bits of a constant, often at the limits of the
 * type. */
guint fuzz_pick(FuzzGenerator *g, guint below);
NornType fuzz_pick_type(FuzzGenerator *g);
guint64 fuzz_constant(FuzzGenerator *g, NornType type);
/* Makes a value of the current block available as an operand. */
void fuzz_offer(FuzzGenerator *g, NornRef ref, NornType type);

/* The blocks whose values may be used in the current block. */
guint64 fuzz_visible(const FuzzGenerator *g);

/* A value of the type that may be used in the current block, 0 if there is none; any operand of
 * the type. */
NornRef fuzz_find(FuzzGenerator *g, NornType type);
NornRef fuzz_operand(FuzzGenerator *g, NornType type);

/* A handle: a constant, a value known only at run time, or one that refers to nothing in some
 * lanes. */
NornRef fuzz_handle_bits(FuzzGenerator *g, guint32 bits);

/* A whole number of a float type, small enough that the product of two is exact. */
NornRef fuzz_factor(FuzzGenerator *g, NornType type);

/* Whether the operation may be used, with that type if it has one. */
bool fuzz_has_form(const FuzzGenerator *g, NornOp op, NornType type);

/* An operation of the public builder, by number. */
NornRef fuzz_build(FuzzGenerator *g, NornOp op, NornType type, const NornRef *operands,
                   guint count);

/* Builds an instruction of the form with these operands, 0 for any, its list after the others;
 * offers its results. `offset` is its offset, if it has one. */
void fuzz_build_form(FuzzGenerator *g, const FuzzForm *form, const NornRef *operands, guint count,
                     gint64 offset);

/* --- graph.c --- */

/* Draws the blocks of a function: a nest of loops and branches, or a tangle of edges. */
void fuzz_draw_nest(FuzzGenerator *g, guint size);
void fuzz_draw_tangle(FuzzGenerator *g, guint size);

/* --- memory.c --- */

/* The start of a function: finds the windows of the invocation; then, in the shader, initializes
 * what is undefined in them. */
void fuzz_find_windows(FuzzGenerator *g);
void fuzz_fill_memory(FuzzGenerator *g);
/* An access of any kind to memory of the invocation. */
void fuzz_access(FuzzGenerator *g);
/* Writes data for other invocations and reads what they wrote, with barriers; only in uniform
 * blocks. */
void fuzz_exchange(FuzzGenerator *g);
/* Stores a value into the window, so that it affects the result. */
void fuzz_observe(FuzzGenerator *g, FuzzValue value);
/* The size of workgroup memory. */
guint fuzz_shared_bytes(const FuzzGenerator *g);

/* Makes the variables of a function and fills them. */
void fuzz_declare_variables(FuzzGenerator *g);

/* --- images.c --- */

/* Whether the form loads from an image or writes to one. */
bool fuzz_is_image_access(const FuzzForm *form);
/* An access to an image that invocations write. */
void fuzz_access_image(FuzzGenerator *g);
/* Appends these images and their tables to a run: line. */
void fuzz_describe_images(const FuzzGenerator *g, GString *text);

/* --- textures.c --- */

/* Operand k of a form that reads textures or images or queries their properties; 0: any will do. */
NornRef fuzz_handle(FuzzGenerator *g, const FuzzForm *form, guint k);
/* Whether the form samples a cube. */
bool fuzz_is_cube(const FuzzForm *form);
/* A direction or its derivative that selects a texel of a cube without rounding. */
void fuzz_direction(FuzzGenerator *g, NornRef direction[3]);
/* Appends the images and samplers that the module may use, and their tables, to a run: line. */
void fuzz_describe_textures(const FuzzGenerator *g, GString *text);

/* --- stages.c --- */

/* Finds the numbers of the invocation: `lane` and `local`. */
void fuzz_find_lane(FuzzGenerator *g);
/* The number of values that `lane` can have. */
guint fuzz_lanes(const FuzzGenerator *g);
/* Operand k of a form that reads something of the draw; 0: any will do. Its offset. */
NornRef fuzz_stage_operand(FuzzGenerator *g, const FuzzForm *form, guint k);
gint64 fuzz_stage_offset(FuzzGenerator *g, const FuzzForm *form);
/* Whether the form requires the shader to be run differently. */
bool fuzz_is_of_other_run(const FuzzGenerator *g, const FuzzForm *form);
/* An output of the stage, an access to the tile, or a demotion. */
void fuzz_add_output(FuzzGenerator *g);
/* Appends the draw to a run: line. */
void fuzz_describe_stage(const FuzzGenerator *g, GString *text);

/* --- bytes.c --- */

/* Bytes and halves of words, combined, or multiplied and added up. */
void fuzz_bytes(FuzzGenerator *g);

/* --- approximate.c --- */

/* An operation whose result is only accurate to within a bound, and a check that is independent
 * of the exact result. */
void fuzz_approximate(FuzzGenerator *g);

/* --- statements.c --- */

/* An instruction, or a few that belong together. */
void fuzz_statement(FuzzGenerator *g);
/* Creates many values that are live until fuzz_fold uses them. */
void fuzz_burst(FuzzGenerator *g, guint count);
void fuzz_fold(FuzzGenerator *g, guint count);

#endif
