/* Running programs without the hardware: declarations shared by all simulators and the IR
 * interpreter.
 *
 * A NornMemory holds the buffers, a NornLaunch describes what the program runs on, and a NornReport
 * what it did. A program that does something illegal ends the run with NORN_ERROR_TRAP; the memory
 * then holds what was written so far. */
#ifndef NORN_SIMULATE_H
#define NORN_SIMULATE_H

#include <glib.h>
#include <norn/compile.h>
#include <norn/error.h>
#include <norn/ir.h>
#include <norn/limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

NORN_BEGIN_DECLS

/* Named, bounds-checked buffers at 64-bit addresses. */
typedef struct NornMemory NornMemory;

/* An empty memory; free it with norn_memory_free. */
NornMemory *norn_memory_new(void);

/* Frees `memory` (nullable) and its buffers. */
void norn_memory_free(NornMemory *memory);

/* Adds a buffer of `size` bytes named `name` (copied), filled from `bytes` (nullable: zeros).
 * `address` 0 lets the memory choose: the buffers are then in order of creation with unmapped gaps
 * between them, and the first one crosses a 4 GiB boundary if it is longer than 256 bytes. Fails
 * with NORN_ERROR_INVALID if the name is taken or the range overlaps another buffer or the end of
 * the address space. */
bool norn_memory_add(NornMemory *memory, const char *name, uint64_t address, const void *bytes,
                     size_t size, GError **error);

/* Number of buffers; they are numbered from 0 in order of creation. */
size_t norn_memory_count(const NornMemory *memory);

/* The number of the buffer named `name`, or SIZE_MAX. */
size_t norn_memory_find(const NornMemory *memory, const char *name);

/* The name of a buffer, whose number is below norn_memory_count. */
const char *norn_memory_name(const NornMemory *memory, size_t buffer);

/* The address of a buffer, whose number is below norn_memory_count, in bytes. */
uint64_t norn_memory_address(const NornMemory *memory, size_t buffer);

/* The bytes of a buffer, whose number is below norn_memory_count, and, in *size (nullable), their
 * count. The memory owns them, and they do
 * not move until it is freed; the caller may read and write them between runs. */
uint8_t *norn_memory_bytes(NornMemory *memory, size_t buffer, size_t *size);

/* How the machine treats subnormal numbers: the flush-to-zero mode of the shader's descriptor. */
typedef enum {
  NORN_FTZ_PRESERVE,
  NORN_FTZ_F32,
  NORN_FTZ_ALL,
} NornFtzMode;

/* What the bits of a channel mean. */
typedef enum {
  NORN_CHANNEL_UNORM, /* 0 to 1 */
  NORN_CHANNEL_SNORM, /* -1 to 1 */
  NORN_CHANNEL_UINT,
  NORN_CHANNEL_SINT,
  NORN_CHANNEL_FLOAT, /* f16 or f32 */
} NornChannelKind;

/* A texel or an attribute: 1 to 4 channels of 8, 16 or 32 bits, one after the other, red lowest.
 * Channels that are missing read as 0, the fourth as 1. */
typedef struct NornPixelFormat {
  uint8_t channels, bits;
  NornChannelKind kind;
} NornPixelFormat;

/* Whether the format exists: f16 and f32 do, but an 8-bit float, for example, does not. */
bool norn_pixel_format_exists(NornPixelFormat format);

/* Bytes of a texel of one sample. */
unsigned norn_pixel_format_bytes(NornPixelFormat format);

/* An image in a buffer, without gaps: level after level, each half the size of the one before
 * (rounded down, at least 1); within a level layer after layer, z after z, row after row, texel
 * after texel; the samples of a texel are adjacent. A cube has six layers (+x, -x, +y, -y, +z, -z)
 * for each of its own. */
typedef struct NornImage {
  size_t buffer;   /* number of the buffer in the launch's memory */
  uint64_t offset; /* of the image in it, in bytes */
  NornPixelFormat format;
  uint32_t width, height, depth, layers, levels, samples; /* of level 0; all at least 1 */
  bool is_buffer; /* a row of texels without a layout, which shaders access as a texel buffer */
} NornImage;

/* Computes the size of an image in *bytes. Returns false, with 0 there, if no such image is
 * possible: an unknown format, a side or number of layers of 0 or above 65536, 2^32 texels or more,
 * 0 or more than 17 levels, 0 or more than 16 samples; for a texel buffer, more than one row of one
 * sample, or more than 2^27 texels. */
bool norn_image_bytes(const NornImage *image, uint64_t *bytes);

/* Width, height, depth and layers of a level; layers are not halved. */
void norn_image_size(const NornImage *image, uint32_t level, uint32_t size[4]);

/* How texels within a level, and levels, are chosen: one, or a mean of several. */
typedef enum { NORN_FILTER_NEAREST, NORN_FILTER_LINEAR } NornFilter;
typedef enum { NORN_MIP_NONE, NORN_MIP_NEAREST, NORN_MIP_LINEAR } NornMipFilter;

/* What is outside an image. */
typedef enum {
  NORN_WRAP_REPEAT,
  NORN_WRAP_MIRROR,
  NORN_WRAP_CLAMP,  /* the texel at the edge */
  NORN_WRAP_BORDER, /* the sampler's border color */
} NornWrap;

/* The comparison of the reference with the texel. */
typedef enum {
  NORN_COMPARE_NEVER,
  NORN_COMPARE_LESS,
  NORN_COMPARE_EQUAL,
  NORN_COMPARE_LESS_EQUAL,
  NORN_COMPARE_GREATER,
  NORN_COMPARE_NOT_EQUAL,
  NORN_COMPARE_GREATER_EQUAL,
  NORN_COMPARE_ALWAYS,
} NornCompare;

/* How a texture is looked up. */
typedef struct NornSampler {
  NornFilter magnify, minify; /* for a level of detail, after clamping, up to 0 and above it */
  NornMipFilter mip;
  NornWrap wrap[3]; /* in x, y, z */
  NornCompare compare;
  bool unnormalized; /* coordinates are in texels */
  float minimum_lod, maximum_lod, lod_bias;
  float border[4];
} NornSampler;

/* An entry of a resource table, which the handle `table << 24 | entry` stands for: the image if it
 * has one, otherwise the sampler if it has one, otherwise the buffer. */
typedef struct NornResource {
  uint32_t handle;
  size_t buffer;   /* number of the buffer in the launch's memory */
  uint32_t stride; /* bytes from element to element; 0 if it has none */
  const NornImage *image;
  const NornSampler *sampler;
} NornResource;

/* A vertex attribute: element i at offset + i * stride of a buffer, where i is the number of the
 * vertex or, if `divisor` is not 0, the number of the instance divided by it. Anything outside the
 * buffer reads as 0. */
typedef struct NornAttribute {
  size_t buffer;
  uint64_t offset;
  uint32_t stride, divisor;
  NornPixelFormat format;
} NornAttribute;

/* The state of a vertex program, in addition to memory. The grid's x counts vertices, its y
 * instances; outputs of vertex v of instance i are element i * (vertices) + v of their buffers
 * (SIZE_MAX: dropped). */
typedef struct NornVertexState {
  const NornAttribute *attributes; /* by index */
  size_t attribute_count;
  uint32_t first_vertex, draw_id, view_index;
  size_t position_buffer; /* 16 bytes each: x, y, z, w as f32 */
  size_t extra_buffer;    /* 4 bytes each: point size as f16, layer, viewport */
  size_t varying_buffer;  /* varying_stride bytes each */
  uint32_t varying_stride;
  bool writes_varyings; /* machine code for architectures 9 to 11, which run a vertex as two
                           programs: this is the second */
} NornVertexState;

/* Machine code of a blend shader. */
typedef struct NornBlendShader {
  const void *code; /* NULL: there is none */
  size_t size;
} NornBlendShader;

/* A triangle, which norn_draw_triangles makes from three positions. At (x, y) in pixels, corner i
 * has the weight plane[i][0] * x + plane[i][1] * y + plane[i][2]; the weights are positive inside,
 * and 1 / w is their sum. Varyings are the means of the corners' values by these weights, and the
 * depth is the sum of the corners' depths times the weights. */
typedef struct NornTriangle {
  double plane[3][3];
} NornTriangle;

/* The state of a fragment program, in addition to memory. The grid's x and y count the pixels of a
 * rectangle, all inside one primitive; pixels from `width` or `height` on (if not 0) are helpers.
 * If the grid's z is more than one, each pixel runs once for each sample, and z is the sample.
 *
 * The varyings of three vertices are in a buffer, one block after the other. These vertices are the
 * rectangle's corners at the top left, top right and bottom left, in a plane of constant w = 1, or
 * the triangle's corners if there is a triangle. The first one is the provoking vertex. */
typedef struct NornFragmentState {
  uint32_t width, height;
  size_t varying_buffer; /* SIZE_MAX: there is none, and varyings are 0 */
  uint32_t varying_stride;
  float depth[3]; /* of the three vertices */
  bool back_facing;
  uint32_t primitive_id, view_index;
  uint32_t samples;                             /* of a pixel: 1, 2, 4, 8 or 16 */
  const NornImage *targets[NORN_COLOR_TARGETS]; /* nullable; the shader's outputs go there */
  const NornImage *depth_target, *stencil_target;
  uint32_t blend_source[2][4]; /* of a blend shader: words of the two colors */
  bool is_blend_shader;        /* machine code: the colors are initially in r0 to r7 */
  /* Machine code: the shaders that the program calls to blend a target; targets without one are
   * opaque. */
  NornBlendShader blend_shaders[NORN_COLOR_TARGETS];
  const NornTriangle *triangle; /* nullable */
  const uint16_t *coverage; /* nullable: for each of width * height pixels, row by row, the samples
                               that the primitive covers. A pixel with none is a helper, as is, when
                               running by sample, an invocation for a sample that is not covered */
  uint16_t *written;        /* nullable: likewise; gets the bits of the samples written at
                               the end */
} NornFragmentState;

/* Watches the steps of a run; see <norn/observe.h>. */
typedef struct NornObserver NornObserver;

/* Describes a run of a program. Start from zeros, and set at least memory, grid and workgroup. */
typedef struct NornLaunch {
  NornShaderStage stage;    /* that of the module, or of the `info` of machine code */
  NornMemory *memory;       /* nullable: no buffers */
  uint32_t grid[3];         /* workgroups in x, y, z; any 0 runs nothing */
  uint32_t workgroup[3];    /* invocations of a workgroup in x, y, z; at most 1024 in all; even in
                               x and y for fragment programs, where 2 by 2 are a quad */
  const uint32_t *uniforms; /* uniform words from word 0 on */
  size_t uniform_count;
  const NornResource *resources; /* all other handles are empty */
  size_t resource_count;
  const NornVertexState *vertex;     /* nullable: no attributes or outputs */
  const NornFragmentState *fragment; /* nullable: no varyings or targets, one sample */
  size_t shared_bytes;               /* workgroup memory of each workgroup, initially zeros */
  size_t scratch_bytes; /* thread-local memory of each invocation, initially zeros. Machine code
                           must store spilled registers before it reads them, and without `info`
                           everything */
  uint64_t step_limit; /* instructions of single invocations until NORN_ERROR_LIMIT (the interpreter
                          also counts clearing 64 bytes of memory as one); 0: 2^32 */
  size_t memory_limit; /* bytes that a workgroup in flight may use: values, workgroup and
                          thread-local memory; beyond that, NORN_ERROR_LIMIT. 0: no limit. The
                          interpreter never uses more than 2^31 */
  const NornCancel *cancel; /* nullable: ends the run with NORN_ERROR_CANCELLED */
  NornFtzMode ftz;          /* of programs that do not request flushing themselves, in the module or
                               in the `info` of machine code */
  /* Machine code: what was reported when it was compiled. It then gets only what that states:
   * preloaded registers, registers for that number of threads, uniform words, bytes of memory, the
   * float mode. The stage must be as reported, and for compute so must be the size of workgroups (a
   * reported 0 allows any). NULL: all. */
  const NornCompileInfo *info;
  const NornObserver *observer; /* nullable */
  bool check_races; /* an access is a trap if another invocation accesses the same bytes, at least
                       one of the two writes, not both are atomic, and no barrier orders them */
  uint64_t seed; /* machine code: if not 0, messages complete late and in any order, and warps take
                    turns in any order, as do diverged lanes where that is legal; the seed
                    determines all of this */
  bool unmapped_is_zero; /* accesses outside of buffers and workgroup memory read zeros and store
                            nothing, aligned or not, instead of trapping */
  bool ignore_memory_hazards; /* machine code: do not look for accesses that lack a wait */
} NornLaunch;

/* Writes what a driver puts into uniform words before it runs the code: promoted constants, and
 * words loaded from buffers of the launch. Other words stay unchanged. */
void norn_launch_fill_uniforms(const NornLaunch *launch, const NornCompileInfo *info,
                               uint32_t uniforms[NORN_FAU_WORDS]);

/* The units whose work is counted; one row per enumerator and name. */
#define NORN_UNITS(UNIT)                                                                           \
  UNIT(FMA, "fma")                                                                                 \
  UNIT(CVT, "cvt")                                                                                 \
  UNIT(SFU, "sfu")                                                                                 \
  UNIT(LS, "ls")                                                                                   \
  UNIT(V, "v")                                                                                     \
  UNIT(T, "t")                                                                                     \
  UNIT(VT, "vt")                                                                                   \
  UNIT(NONE, "none")

/* Where an instruction executes: the units of Valhall; NONE: in no unit, or another machine. */
typedef enum {
#define UNIT(id, name) NORN_UNIT_##id,
  NORN_UNITS(UNIT)
#undef UNIT
      NORN_UNIT_COUNT
} NornUnit;

/* What a run did. */
typedef struct NornReport {
  uint64_t invocations;
  uint64_t warps;                              /* 0 if the machine has none */
  uint64_t instructions;                       /* issued, once per warp */
  uint64_t thread_instructions;                /* executed, once per active invocation */
  uint64_t unit_instructions[NORN_UNIT_COUNT]; /* like `thread_instructions`, by unit */
  uint64_t messages;                           /* issued, once per warp */
  uint64_t contractible; /* IR: products that were rounded and quotients, where compiling may
                            contract, and sums that were rounded, where it may add in another order;
                            once per invocation. 0: results do not depend on whether it does */
} NornReport;

/* Runs Valhall machine code: `size` bytes of little-endian 64-bit words, entered at the first, for
 * the architecture called `architecture` ("9"). `report` is nullable. Anything that the code must
 * not do is a trap whose message names the address, the instruction and the lane: undefined or
 * illegal instructions; reading registers that are undefined, after their last use, or while a
 * message writes them; divergence without reconverge; accesses out of bounds, misaligned, or in
 * conflict with one that was not waited for; leaving the program. */
bool norn_simulate_valhall(const void *code, size_t size, const char *architecture,
                           const NornLaunch *launch, NornReport *report, GError **error);

/* --- Triangles --- */

/* Runs a program on a launch: norn_interpret or norn_simulate_valhall with what `data` holds. */
typedef bool (*NornRunLaunch)(void *data, const NornLaunch *launch, GError **error);

/* Which triangles are not drawn, by the side that is seen. */
typedef enum { NORN_CULL_NONE, NORN_CULL_BACK, NORN_CULL_FRONT } NornCullMode;

/* What is drawn, with Vulkan's conventions: y grows downward, depth is from 0 to 1, the viewport is
 * the fragment state's rectangle, and counterclockwise triangles are seen from the front. */
typedef struct NornTriangles {
  const float (*positions)[4]; /* x, y, z, w of each vertex, from a vertex program */
  const void *varyings;        /* varying_stride bytes for each */
  uint32_t varying_stride;
  size_t vertex_count;
  bool is_strip; /* each vertex makes a triangle with the two before it */
  NornCullMode cull;
  NornCompare depth_compare; /* against depth_target, if any; depths that pass are stored */
  bool tests_early; /* before the program runs, so hidden samples do not run; otherwise after it */
} NornTriangles;

/* Draws triangle after triangle, by calling `run` for a fragment program on `launch`, with its
 * memory, targets, size and samples: all but the targets are required, and a depth target has one
 * channel, a 32-bit float. `varyings` may be NULL if `varying_stride` is 0. A fragment that fails
 * the depth test leaves no outputs, and nothing that it stored in the tile. Buffers named "draw
 * ..." are added to the memory. Returns false with the error of the run that failed, or
 * NORN_ERROR_LIMIT or NORN_ERROR_INVALID. */
bool norn_draw_triangles(const NornTriangles *triangles, const NornLaunch *launch,
                         NornRunLaunch run, void *data, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(NornMemory, norn_memory_free)

NORN_END_DECLS

#endif
