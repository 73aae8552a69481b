/* Variables: where they are, and what the shader declares for the API. */
#ifndef NORN_SPIRV_INTERFACE_H
#define NORN_SPIRV_INTERFACE_H

#include "spirv/pointer.h"

struct NornSpirvVariable {
  uint32_t id;
  uint32_t storage; /* SpvStorageClass */
  NornSpirvPointer pointer;
  NornRef *inputs;           /* of an input: its scalars */
  bool is_helper;            /* HelperInvocation, which changes with demotion: read at each load */
  NornSpirvVariable *copy;   /* of an input: its copy in memory, to be indexed; NULL: none */
  uint32_t sampler_distance; /* of combined textures: the distance from a texture's handle to its
                                sampler's */
  uint32_t shared_bytes;     /* of a variable in workgroup memory: a multiple of 16 */
  uint32_t array_stride;     /* of an array whose elements are not contiguous; else 0 */
  bool *written; /* of an output: which of its members are stored anywhere; if it is not a
                    structure: whether it is stored */
};

/* The variable with this id, which is set up if necessary. */
const NornSpirvPointer *norn_spirv_variable(NornSpirvReader *reader, uint32_t id);

/* Finds the variables of functions that are tables; functions begin at word `first`. */
void norn_spirv_find_tables(NornSpirvReader *reader, uint32_t first);

/* Finds the arrays in workgroup memory whose elements are interleaved; functions begin at word
 * `first`. */
void norn_spirv_group_shared_arrays(NornSpirvReader *reader, uint32_t first);

/* Creates the module and its builder if they do not exist yet; false with an error. */
bool norn_spirv_make_module(NornSpirvReader *reader);

/* Code built between these two calls is placed before the shader's own first block. */
NornRef norn_spirv_begin_setup(NornSpirvReader *reader);
void norn_spirv_end_setup(NornSpirvReader *reader, NornRef block);

/* Stores the outputs, at the end of the shader. */
void norn_spirv_store_outputs(NornSpirvReader *reader);

/* Stores zeros in workgroup memory that is initialized with them, and waits for all invocations. */
void norn_spirv_clear_workgroup_memory(NornSpirvReader *reader);

/* Creates memory with the type of an input, as a variable whose scalars are those of the input. */
NornSpirvVariable *norn_spirv_memory_of_input(NornSpirvReader *reader,
                                              const NornSpirvVariable *input);

/* The same place of an input, in its copy in memory. */
const NornSpirvPointer *norn_spirv_input_in_memory(NornSpirvReader *reader,
                                                   const NornSpirvPointer *pointer);

/* --- Resources --- */

/* Adds a row to the interface. */
NornSpirvResource *norn_spirv_add_resource(NornSpirvReader *reader, NornSpirvResourceKind kind,
                                           const char *name);

/* Takes uniform words after those taken so far and declares them under that name; returns the
 * first. */
uint32_t norn_spirv_take_words(NornSpirvReader *reader, const char *name,
                               NornSpirvResourceKind kind, NornType type, uint32_t count);

/* Reserves the words that the interface assigns to individual resources. */
void norn_spirv_reserve_words(NornSpirvReader *reader);
/* Reserves the words of a block of push constants. */
void norn_spirv_reserve_push_constants(NornSpirvReader *reader, const NornSpirvType *block);
/* Declares the words of each member of a block of push constants. */
void norn_spirv_declare_push_constants(NornSpirvReader *reader, const NornSpirvType *block);
/* Adds the resource that a variable stands for, and determines its place. */
void norn_spirv_set_up_resource(NornSpirvReader *reader, NornSpirvVariable *variable);

/* The size in bytes of a value of the type, according to its layout. */
uint32_t norn_spirv_layout_bytes(const NornSpirvType *type, uint32_t matrix_stride, bool row_major);

/* The size of a buffer that is given by its address; it is also a uniform word. */
NornRef norn_spirv_size_of(NornSpirvReader *reader, NornSpirvVariable *variable);

/* Turns a place among handles that is a buffer into a place in the buffer. */
void norn_spirv_enter_buffer(NornSpirvReader *reader, NornSpirvPointer *pointer);
/* The handle at a place among handles. */
NornRef norn_spirv_handle(NornSpirvReader *reader, const NornSpirvPointer *pointer);
/* The value of a variable that holds a resource: its handle, and that of the sampler if it is a
 * combined texture; an error if it is an aggregate. */
void norn_spirv_load_handles(NornSpirvReader *reader, const NornSpirvPointer *pointer,
                             NornRef *refs);

/* Finds the IR's equivalent of the shape of an image; false, with an error, if there is none. */
bool norn_spirv_dimension(NornSpirvReader *reader, const NornSpirvType *image,
                          NornDimension *dimension);

/* Moves the resources out of the reader; the result belongs to the caller. */
NornSpirvInterface *norn_spirv_take_interface(NornSpirvReader *reader);
/* Frees what the reader still holds of the interface. */
void norn_spirv_clear_interface(NornSpirvReader *reader);

#endif
