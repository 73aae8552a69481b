/* Modules from SPIR-V, the language in which graphics APIs accept shaders. doc/spirv.md says what
 * is understood and where the resources of a shader are expected. */
#ifndef NORN_SPIRV_H
#define NORN_SPIRV_H

#include <norn/limits.h>
#include <norn/module.h>

NORN_BEGIN_DECLS

/* The value of a specialization constant: `bits`, truncated to its type; for a Boolean, whether
 * they are not 0. One that the module does not have is ignored, as in Vulkan. */
typedef struct NornSpirvConstant {
  uint32_t id; /* its SpecId */
  uint64_t bits;
} NornSpirvConstant;

/* What out-of-bounds accesses do to storage buffers that are named by addresses and to arrays in
 * workgroup memory. Out of the bounds of buffers that are named by handles, loads give 0 and stores
 * do nothing; unless the setting is zero, this may also happen to an access inside the bounds, if
 * another one to the same 16 bytes is out of bounds. Indexes into thread-local memory are always
 * clamped. */
typedef enum {
  NORN_SPIRV_UNCHECKED, /* whatever is there is accessed */
  NORN_SPIRV_CLAMPED,   /* the last place inside is accessed instead */
  NORN_SPIRV_ZERO,      /* loads give 0, nothing is stored; in workgroup memory as clamped */
} NornSpirvRobustness;

/* The place of a resource that is not at its usual one. */
typedef struct NornSpirvPlace {
  uint32_t set, binding;
  uint32_t handle;  /* resource table << 24 | entry of a buffer, texture or image */
  uint32_t sampler; /* the same for a sampler, including that of a combined texture */
  bool has_word;    /* a storage buffer is named by an address, which is in ... */
  unsigned word;    /* ... this uniform word, which is even, and the next */
} NornSpirvPlace;

/* The interface to the driver: where a shader's resources are expected. norn_spirv_options_init
 * sets what doc/spirv.md says. */
typedef struct NornSpirvAbi {
  unsigned resource_table, sampler_table; /* for set 0; add S for set S */
  unsigned push_constant_word;            /* the first uniform word of push constants, even */
  unsigned system_word;  /* the first word of other data, if not after the push constants */
  bool buffer_addresses; /* storage buffers are named by addresses in uniform words, not by handles,
                            except those in arrays */
  bool image_words; /* sizes of textures and images, and their numbers of levels and samples, are
                       uniform words, not read from descriptors, except for those in arrays */
  NornSpirvRobustness robustness;
  unsigned clip_location;   /* of varyings: clip distances use it and the next one, four in each */
  unsigned clip_distances;  /* of a fragment: how many its vertices write, at most 8; it is clipped
                               by them */
  bool knows_noperspective; /* of a vertex: `noperspective` says what its fragments require */
  uint32_t noperspective;   /* bit L: location L is interpolated without perspective; if not known,
                               the outputs with that decoration are */
  const NornSpirvPlace *places; /* exceptions */
  unsigned place_count;
  uint32_t grid_limit; /* most workgroups along an axis that the driver starts, Vulkan's
                          maxComputeWorkGroupCount; 0: any number */
} NornSpirvAbi;

/* How to read. Start from norn_spirv_options_init and change what matters. */
typedef struct NornSpirvOptions {
  const char *entry; /* name of the entry point, if stages have one of the same name after the
                        stage: "vertex:main"; NULL: the only one */
  const NornSpirvConstant *constants;
  unsigned constant_count;
  NornSpirvAbi abi;
  bool relaxed_f16;   /* compute values decorated with RelaxedPrecision as 16-bit floats */
  bool full_varyings; /* also interpolate varyings of a fragment with that decoration to 32 bits;
                         otherwise they are rounded to 16, except for texture coordinates */
  bool validate; /* refuse what SPIRV-Tools finds wrong, which costs as much as compiling. Without
                    this, bytes of any origin are just as safe, but modules that break the
                    language's rules may be accepted */
  NornLimits limits; /* of reading, without validation; a unit of work is a word that is read */
} NornSpirvOptions;

/* What a shader declares for the API to fill in. */
typedef enum {
  NORN_SPIRV_STORAGE_BUFFER,
  NORN_SPIRV_UNIFORM_BUFFER,
  NORN_SPIRV_TEXTURE, /* sampled, or read by its texels */
  NORN_SPIRV_SAMPLER,
  NORN_SPIRV_STORAGE_IMAGE,
  NORN_SPIRV_PUSH_CONSTANT, /* one row for each member */
  NORN_SPIRV_SYSTEM_VALUE,  /* known to the driver; the name says which one, see doc/spirv.md */
  NORN_SPIRV_ATTRIBUTE,     /* of a vertex */
  NORN_SPIRV_VARYING,
  NORN_SPIRV_COLOR,            /* output of a fragment shader */
  NORN_SPIRV_INPUT_ATTACHMENT, /* the content of the color target at that location; no handle is
                                  read */
} NornSpirvResourceKind;

/* The name of the varying that holds a vertex's clip distances; `components` is their number. */
#define NORN_SPIRV_CLIP_DISTANCES "gl_ClipDistance"

/* A declared resource, and where the shader expects it. A combined texture and sampler are two
 * resources. */
typedef struct NornSpirvResource {
  const char *name; /* "" if the shader has none */
  NornSpirvResourceKind kind;
  uint32_t set, binding; /* of buffers, textures, samplers, images, input attachments */
  uint32_t location;  /* of attributes, varyings, colors; for an input attachment its index, or that
                         of the first in an array */
  uint32_t component; /* the first one in the location; for a push constant, the byte of its first
                         word at which it begins */
  uint32_t count;  /* elements of an array; 0 if their number is not known. Attributes, varyings and
                      colors have a row for each location: all rows of an array or matrix have the
                      number of its elements or columns, and are in their order */
  uint32_t handle; /* of the first element: resource table << 24 | entry; for a driver's value about
                      an image: that of the image, and count is 1; it is 0 for others */
  uint32_t bytes;  /* of a push constant; for a buffer: without a runtime array at its end */
  uint32_t stride; /* of the array at its end, in bytes; 0: it has none */
  unsigned word,
      words; /* uniform words; words is 0 if there are none. Storage buffers of one binding share
                those of their address, which the module names after the first */
  NornType type; /* of a component; for a texture or image: of what it returns; for a buffer: of all
                    scalars, or of those in the array at its end; void if they differ */
  unsigned components;
  NornDimension dimension; /* of a texture or image */
  bool written;            /* the shader may write it */
  bool flat;               /* a varying that is not interpolated */
  bool noperspective;      /* one that is interpolated without perspective */
} NornSpirvResource;

/* Sets the defaults: the only entry point, not validated, as is usual in drivers. */
void norn_spirv_options_init(NornSpirvOptions *options);

/* Whether the library was built with SPIR-V support; if not, reading fails. */
bool norn_spirv_is_available(void);

/* Whether these bytes begin like SPIR-V, in either byte order. */
bool norn_spirv_is_module(const void *bytes, size_t size);

/* What a shader declares, as a list. */
typedef struct NornSpirvInterface NornSpirvInterface;

/* Resource `index` of the list; false after the last one. The name is the list's. */
bool norn_spirv_interface_resource(const NornSpirvInterface *interface, unsigned index,
                                   NornSpirvResource *resource);
/* NULL is allowed. */
void norn_spirv_interface_free(NornSpirvInterface *interface);

/* Reads `size` bytes of SPIR-V, which error messages call `filename` (nullable); any bytes are
 * allowed. `options` NULL means the defaults. Returns the module, to be freed with
 * norn_module_free, and in *interface (nullable) what it declares, to be freed with
 * norn_spirv_interface_free; or NULL with `error` set: NORN_ERROR_SYNTAX if it is not SPIR-V,
 * NORN_ERROR_INVALID if it breaks SPIR-V's rules, NORN_ERROR_UNSUPPORTED if it is correct but not
 * supported, NORN_ERROR_LIMIT. The message names the word of the module, the instruction and, if
 * the module has it, the line of its source; for faults that only `validate` would have found, it
 * may name the instruction of the IR instead. */
NornModule *norn_module_from_spirv(const void *bytes, size_t size, const char *filename,
                                   const NornSpirvOptions *options, NornSpirvInterface **interface,
                                   GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(NornSpirvInterface, norn_spirv_interface_free)

NORN_END_DECLS

#endif
