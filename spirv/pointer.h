/* Pointers: places in one kind of memory. */
#ifndef NORN_SPIRV_POINTER_H
#define NORN_SPIRV_POINTER_H

#include "spirv/reader.h"

typedef struct NornSpirvVariable NornSpirvVariable; /* interface.h */

typedef enum {
  NORN_SPIRV_IN_SCRATCH,      /* packed; base: an alloca */
  NORN_SPIRV_IN_SHARED,       /* packed */
  NORN_SPIRV_IN_INPUT,        /* packed; the variable's scalars are values */
  NORN_SPIRV_IN_SHARED_BLOCK, /* the same with a layout; all blocks are one memory */
  NORN_SPIRV_IN_BUFFER,       /* base: a handle */
  NORN_SPIRV_IN_CONSTANT,     /* the same of a buffer that is only read */
  NORN_SPIRV_IN_GLOBAL,       /* base: an address */
  NORN_SPIRV_IN_CHECKED,      /* the same of a buffer whose size is known, to be held against it */
  NORN_SPIRV_IN_UNIFORM,      /* uniform words; base: nothing */
  NORN_SPIRV_IN_HANDLES, /* base: a handle of something that is no memory; bytes count entries */
} NornSpirvSpace;

/* Bytes to which a buffer is aligned, as Vulkan's minStorageBufferOffsetAlignment has it. */
#define NORN_SPIRV_BUFFER_ALIGNMENT 16

/* The place base + index + offset. */
struct NornSpirvPointer {
  NornSpirvSpace space;
  const NornSpirvType *type; /* of what is there */
  NornRef base;
  NornRef index;   /* bytes, an i32; 0: none */
  uint32_t offset; /* bytes; of uniforms: from word 0 on */
  uint32_t extent; /* of uniforms with an index: bytes that it may reach from the offset on */
  uint32_t vector_stride;  /* bytes between components of a vector; 0: they lie side by side */
  uint32_t matrix_stride;  /* of the member around it */
  uint32_t element_stride; /* of the array of which it is an element; 0: of none */
  bool row_major;
  bool is_volatile;     /* each access counts */
  uint32_t alignment;   /* of the place, a power of two */
  const NornRef *texel; /* of a texel of an image: its coordinates; base is the image */
  uint32_t texel_count;
  uint32_t dimension; /* NornDimension */
  bool constant;      /* of handles: what they name is only read */
  NornSpirvVariable *variable;
};

/* The pointer that word k names. */
const NornSpirvPointer *norn_spirv_pointer(NornSpirvReader *reader, uint32_t k);

/* What the pointer is as a value of its type: an address, the handle of a buffer and the bytes from
 * its start, or the bytes from the start of workgroup memory. */
const NornRef *norn_spirv_pointer_refs(NornSpirvReader *reader, const NornSpirvPointer *pointer,
                                       const NornSpirvType *type);

/* The place of a part: member, element, column or component `k`, which is a constant where `index`
 * is 0. */
NornSpirvPointer norn_spirv_step(NornSpirvReader *reader, const NornSpirvPointer *pointer,
                                 uint32_t k, NornRef index);

/* Row `k` of a matrix that is laid out by rows, as a vector: `*row` is set to its type. */
NornSpirvPointer norn_spirv_step_to_row(NornSpirvReader *reader, const NornSpirvPointer *matrix,
                                        uint32_t k, NornSpirvType *row);

/* Whether memory has the layout that the module says, is not packed; whether it is the workgroup's.
 */
bool norn_spirv_is_laid_out(NornSpirvSpace space);
bool norn_spirv_is_shared(NornSpirvSpace space);
/* The power of two that a number of bytes is aligned to, as far as it matters. */
uint32_t norn_spirv_lowest_bit(uint32_t number);
/* Bytes from element to element of the array at a place. */
uint32_t norn_spirv_array_stride(NornSpirvReader *reader, const NornSpirvPointer *pointer);
/* An output of which that member, or all if it has none, may be stored. */
void norn_spirv_note_written(const NornSpirvPointer *base, uint32_t member);

/* Loads and stores what the IR moves at once, of that type. */
NornRef norn_spirv_load_at(NornSpirvReader *reader, const NornSpirvPointer *pointer, NornType type);
void norn_spirv_store_at(NornSpirvReader *reader, const NornSpirvPointer *pointer, NornType type,
                         NornRef value);
/* An atomic access to memory or a texel; with `comparator` a comparison and exchange. */
NornRef norn_spirv_atomic_at(NornSpirvReader *reader, const NornSpirvPointer *pointer,
                             NornAtomic atomic, NornType type, NornRef value, NornRef comparator);
/* Whether accesses to the place are only made if it lies inside of its buffer. */
bool norn_spirv_is_guarded(const NornSpirvReader *reader, const NornSpirvPointer *pointer);

/* An atomic access to a texel; with `comparator` a comparison and exchange. */
NornRef norn_spirv_image_atomic(NornSpirvReader *reader, const NornSpirvPointer *pointer,
                                NornAtomic atomic, NornType type, NornRef value,
                                NornRef comparator);

/* Loads and stores whole values. */
NornRef *norn_spirv_load(NornSpirvReader *reader, const NornSpirvPointer *pointer);
void norn_spirv_store(NornSpirvReader *reader, const NornSpirvPointer *pointer,
                      const NornRef *refs);

#endif
