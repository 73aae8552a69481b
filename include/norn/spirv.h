/* Modules from SPIR-V, the language in which graphics APIs take shaders. doc/spirv.md says what is
 * understood and where the resources of a shader are expected. */
#ifndef NORN_SPIRV_H
#define NORN_SPIRV_H

#include <norn/module.h>

NORN_BEGIN_DECLS

/* The value of a specialization constant: `bits`, cut to its type; of a truth value, whether they
 * are not 0. */
typedef struct NornSpirvConstant {
  uint32_t id; /* its SpecId */
  uint64_t bits;
} NornSpirvConstant;

/* What accesses beyond the end do, of storage buffers that are named by addresses and of arrays in
 * workgroup memory. Buffers that are named by handles give 0 there and store nothing in any case, but
 * unless it is zero, an access that lies inside may do so, too, beside one in the same 16 bytes that
 * lies outside;
 * indexes into what an invocation has of its own are always clamped. */
typedef enum {
  NORN_SPIRV_UNCHECKED, /* whatever lies there is accessed */
  NORN_SPIRV_CLAMPED,   /* the last place inside is accessed instead */
  NORN_SPIRV_ZERO,      /* loads give 0, nothing is stored; in workgroup memory as clamped */
} NornSpirvRobustness;

/* Where a resource is that is not at its usual place. */
typedef struct NornSpirvPlace {
  uint32_t set, binding;
  uint32_t handle;  /* resource table << 24 | entry of a buffer, texture or image */
  uint32_t sampler; /* the same of a sampler, also of a combined texture */
  bool has_word;    /* a storage buffer is named by an address, which stands in... */
  unsigned word;    /* ... this uniform word, which is even, and the next */
} NornSpirvPlace;

/* The interface to the driver: where a shader's resources are expected. norn_spirv_options_init
 * sets what doc/spirv.md says. */
typedef struct NornSpirvAbi {
  unsigned resource_table, sampler_table; /* of set 0; those of set S are S behind them */
  unsigned push_constant_word;            /* the first uniform word of push constants, even */
  unsigned system_word;  /* the first of what else takes uniform words, if not behind those */
  bool buffer_addresses; /* storage buffers are named by addresses in uniform words, not by handles;
                            but those in arrays */
  bool image_words; /* sizes of textures and images, and how many levels and samples they have, are
                       uniform words, not read from descriptors; but of those in arrays */
  NornSpirvRobustness robustness;
  unsigned clip_location;       /* of varyings: clip distances take it and the next, four in each */
  unsigned clip_distances;      /* of a fragment: how many its vertices write, to be clipped by */
  bool knows_noperspective;     /* of a vertex: `noperspective` says what its fragments ask for */
  uint32_t noperspective;       /* bit L: location L is interpolated without perspective; if that is
                                   not known, outputs that are decorated so are */
  const NornSpirvPlace *places; /* exceptions */
  unsigned place_count;
  uint32_t grid_limit; /* most workgroups along an axis that the driver starts, Vulkan's
                          maxComputeWorkGroupCount; 0: any number */
} NornSpirvAbi;

/* How to read. Start from norn_spirv_options_init and change what matters. */
typedef struct NornSpirvOptions {
  const char *entry; /* name of the entry point; NULL: the only one */
  const NornSpirvConstant *constants;
  unsigned constant_count;
  NornSpirvAbi abi;
  bool relaxed_f16;   /* compute what is decorated with RelaxedPrecision as 16-bit floats */
  bool full_varyings; /* interpolate to 32 bits what of a fragment is decorated so, too, which else
                         is rounded to 16, but where it names a place in a texture */
  bool validate; /* refuse what SPIRV-Tools finds wrong, which costs as much as compiling; without,
                    bytes of any origin are as safe, but what breaks the language's rules may be
                    read as if it did not */
} NornSpirvOptions;

/* What a shader declares for the API to fill in. */
typedef enum {
  NORN_SPIRV_STORAGE_BUFFER,
  NORN_SPIRV_UNIFORM_BUFFER,
  NORN_SPIRV_TEXTURE, /* sampled, or read by its texels */
  NORN_SPIRV_SAMPLER,
  NORN_SPIRV_STORAGE_IMAGE,
  NORN_SPIRV_PUSH_CONSTANT, /* one row for each member */
  NORN_SPIRV_SYSTEM_VALUE,  /* what the driver knows: NAME says which one, see doc/spirv.md */
  NORN_SPIRV_ATTRIBUTE,     /* of a vertex */
  NORN_SPIRV_VARYING,
  NORN_SPIRV_COLOR,            /* output of a fragment shader */
  NORN_SPIRV_INPUT_ATTACHMENT, /* what the color target of that location holds; no handle is read */
} NornSpirvResourceKind;

/* The name of the varying that holds a vertex's clip distances; `components` is their number. */
#define NORN_SPIRV_CLIP_DISTANCES "gl_ClipDistance"

/* One of them, and where the shader expects it. Texture and sampler of a combined one are two. */
typedef struct NornSpirvResource {
  const char *name; /* "" if the shader has none */
  NornSpirvResourceKind kind;
  uint32_t set, binding; /* of buffers, textures, samplers, images, input attachments */
  uint32_t location;     /* of attributes, varyings, colors; of an input attachment its index, of
                            the first of an array */
  uint32_t component;    /* the first one in the location; of a push constant, the byte of its first
                            word at which it begins */
  uint32_t count;        /* of an array; 0 if it is not known how many. Attributes, varyings and
                            colors have a row for each location: all of an array, or matrix, have
                            the number of its elements, or columns, and stand in their order */
  uint32_t handle; /* of the first: resource table << 24 | entry; of what the driver says of an
                      image: that of the image, and count is 1 */
  uint32_t bytes;  /* of a push constant; of a buffer: what is declared, without an array at its
                      end */
  uint32_t stride; /* of the array at its end, in bytes; 0: it has none */
  unsigned word,
      words;     /* uniform words; words is 0 if it is in none. Storage buffers of one binding
                    share those of their address; the module calls them as the first */
  NornType type; /* of a component; of a texture or image: what it gives; of a buffer: of all
                    scalars, or of those in the array at its end; void: of several */
  unsigned components;
  NornDimension dimension; /* of a texture or image */
  bool written;            /* the shader may write it */
  bool flat;               /* a varying that is not interpolated */
  bool noperspective;      /* one that is interpolated without perspective */
} NornSpirvResource;

/* Sets the defaults: the only entry point, not validated, as drivers take modules. */
void norn_spirv_options_init(NornSpirvOptions *options);

/* Whether the library was built with what reads SPIR-V; if not, reading fails. */
bool norn_spirv_is_available(void);

/* Whether these bytes begin as SPIR-V does, in either order of bytes. */
bool norn_spirv_is_module(const void *bytes, size_t size);

/* What a shader declares, as a list. */
typedef struct NornSpirvInterface NornSpirvInterface;

/* Resource `index` of the list; false after the last one. The name is the list's. */
bool norn_spirv_interface_resource(const NornSpirvInterface *interface, unsigned index,
                                   NornSpirvResource *resource);
/* NULL is allowed. */
void norn_spirv_interface_free(NornSpirvInterface *interface);

/* Reads `size` bytes of SPIR-V, any bytes, which error messages call `filename` (nullable).
 * `options` NULL means the defaults. Returns the module, to be freed with norn_module_free, and in
 * *interface (nullable) what it declares, to be freed with norn_spirv_interface_free; or NULL with
 * `error` set: NORN_ERROR_SYNTAX for what is no SPIR-V, NORN_ERROR_INVALID for what breaks its
 * rules, NORN_ERROR_UNSUPPORTED for what is right but not understood, NORN_ERROR_LIMIT. A message
 * names the word of the module, the instruction and, if the module says, the line of its source; of
 * what only `validate` would have found, it may name the instruction of the IR instead. */
NornModule *norn_module_from_spirv(const void *bytes, size_t size, const char *filename,
                                   const NornSpirvOptions *options, NornSpirvInterface **interface,
                                   GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(NornSpirvInterface, norn_spirv_interface_free)

NORN_END_DECLS

#endif
