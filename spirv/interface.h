/* Variables: where they lie, and what the shader declares for the API. */
#ifndef NORN_SPIRV_INTERFACE_H
#define NORN_SPIRV_INTERFACE_H

#include "spirv/pointer.h"

struct NornSpirvVariable {
  uint32_t id;
  uint32_t storage; /* SpvStorageClass */
  NornSpirvPointer pointer;
  NornRef *inputs;           /* of an input: its scalars */
  bool is_helper;            /* HelperInvocation, which demotion changes: read where it is loaded */
  NornSpirvVariable *copy;   /* of an input: in memory, to be indexed; NULL: none */
  uint32_t sampler_distance; /* of combined textures: what a sampler's handle is beyond a texture's
                              */
  uint32_t shared_bytes;     /* of a variable in workgroup memory: a multiple of 16 */
  uint32_t array_stride;     /* of an array whose elements do not follow each other; else 0 */
  bool *written; /* of an output: which of its members are stored anywhere; of one that is
                    no structure: whether it is */
};

/* The variable of an id, set up now. */
const NornSpirvPointer *norn_spirv_variable(NornSpirvReader *reader, uint32_t id);

/* Finds the variables of functions that are tables, from the word on where functions begin. */
void norn_spirv_find_tables(NornSpirvReader *reader, uint32_t first);

/* Finds the arrays in workgroup memory whose elements take turns, from the same word on. */
void norn_spirv_group_shared_arrays(NornSpirvReader *reader, uint32_t first);

/* The module and its builder, if they are not there yet; false with an error. */
bool norn_spirv_make_module(NornSpirvReader *reader);

/* What is built between these goes before the shader's own first block. */
NornRef norn_spirv_begin_setup(NornSpirvReader *reader);
void norn_spirv_end_setup(NornSpirvReader *reader, NornRef block);

/* Stores the outputs, at the end of the shader. */
void norn_spirv_store_outputs(NornSpirvReader *reader);

/* Stores zeros in workgroup memory that begins with them, and waits for all invocations. */
void norn_spirv_clear_workgroup_memory(NornSpirvReader *reader);

/* Memory for what is of the type of an input; its variable, of which the scalars are the input's.
 */
NornSpirvVariable *norn_spirv_memory_of_input(NornSpirvReader *reader,
                                              const NornSpirvVariable *input);

/* The same place of an input, in memory. */
const NornSpirvPointer *norn_spirv_input_in_memory(NornSpirvReader *reader,
                                                   const NornSpirvPointer *pointer);

/* --- Resources --- */

/* A new row of the interface. */
NornSpirvResource *norn_spirv_add_resource(NornSpirvReader *reader, NornSpirvResourceKind kind,
                                           const char *name);

/* Uniform words behind those taken so far, declared under that name; the first of them. */
uint32_t norn_spirv_take_words(NornSpirvReader *reader, const char *name,
                               NornSpirvResourceKind kind, NornType type, uint32_t count);

/* Keeps the words that the interface gives to single resources from being taken. */
void norn_spirv_reserve_words(NornSpirvReader *reader);
/* Keeps the words of a block of push constants from being taken. */
void norn_spirv_reserve_push_constants(NornSpirvReader *reader, const NornSpirvType *block);
/* Declares the words of each member of a block of push constants. */
void norn_spirv_declare_push_constants(NornSpirvReader *reader, const NornSpirvType *block);
/* Enters the resource that a variable stands for, and says where it is. */
void norn_spirv_set_up_resource(NornSpirvReader *reader, NornSpirvVariable *variable);

/* Bytes from the start of a value of the type to its end, as its layout says. */
uint32_t norn_spirv_layout_bytes(const NornSpirvType *type, uint32_t matrix_stride, bool row_major);

/* The size of a buffer that is named by its address: a uniform word, too. */
NornRef norn_spirv_size_of(NornSpirvReader *reader, NornSpirvVariable *variable);

/* A place among handles that is a buffer becomes one in the buffer. */
void norn_spirv_enter_buffer(NornSpirvReader *reader, NornSpirvPointer *pointer);
/* The handle at a place among handles. */
NornRef norn_spirv_handle(NornSpirvReader *reader, const NornSpirvPointer *pointer);
void norn_spirv_load_handles(NornSpirvReader *reader, const NornSpirvPointer *pointer,
                             NornRef *refs);

/* The IR's name for the shape of an image; false, with an error, if it has none. */
bool norn_spirv_dimension(NornSpirvReader *reader, const NornSpirvType *image,
                          NornDimension *dimension);

NornSpirvInterface *norn_spirv_take_interface(NornSpirvReader *reader);
void norn_spirv_clear_interface(NornSpirvReader *reader);

#endif
