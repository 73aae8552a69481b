/* Pointers: places in one kind of memory. */
#ifndef NORN_SPIRV_POINTER_H
#define NORN_SPIRV_POINTER_H

#include "spirv/reader.h"

typedef struct NornSpirvVariable NornSpirvVariable; /* interface.h */

typedef enum {
  NORN_SPIRV_IN_SCRATCH,      /* packed; base: an alloca */
  NORN_SPIRV_IN_SHARED,       /* packed */
  NORN_SPIRV_IN_INPUT,        /* packed; the variable's scalars already are values */
  NORN_SPIRV_IN_SHARED_BLOCK, /* the same with a layout; all blocks share memory */
  NORN_SPIRV_IN_BUFFER,       /* base: a handle */
  NORN_SPIRV_IN_CONSTANT,     /* the same for a read-only buffer */
  NORN_SPIRV_IN_GLOBAL,       /* base: an address */
  NORN_SPIRV_IN_CHECKED, /* the same for a buffer of known size, against which accesses are checked
                          */
  NORN_SPIRV_IN_UNIFORM, /* uniform words; no base */
  NORN_SPIRV_IN_HANDLES, /* base: a handle of something other than memory; bytes count entries */
} NornSpirvSpace;

/* The alignment of buffers in bytes, as given by Vulkan's minStorageBufferOffsetAlignment. */
#define NORN_SPIRV_BUFFER_ALIGNMENT 16

/* The place base + index + offset. */
struct NornSpirvPointer {
  NornSpirvSpace space;
  const NornSpirvType *type; /* of the value at the place */
  NornRef base;
  NornRef index;   /* bytes, an i32; 0: none */
  uint32_t offset; /* bytes; of uniforms: relative to word 0 */
  uint32_t extent; /* of uniforms with an index: bytes that it may reach, starting at the offset */
  uint32_t step;   /* bytes: the greatest common divisor of all strides; 0: none */
  uint32_t vector_stride;  /* bytes between components of a vector; 0: they are adjacent */
  uint32_t matrix_stride;  /* of the member around it */
  uint32_t element_stride; /* of the array that contains it as an element; 0: none */
  bool row_major;
  bool is_volatile;     /* accesses must not be merged or removed */
  uint32_t alignment;   /* of the place, a power of two */
  const NornRef *texel; /* of a texel of an image: its coordinates; base is the image */
  uint32_t texel_count;
  uint32_t dimension; /* NornDimension */
  bool constant;      /* of handles: the resources are read-only */
  NornSpirvVariable *variable;
};

/* The pointer named by word k. */
const NornSpirvPointer *norn_spirv_pointer(NornSpirvReader *reader, uint32_t k);

/* The pointer as a value of its type: an address; the handle of a buffer and the offset in bytes;
 * or the offset in bytes into workgroup memory. */
const NornRef *norn_spirv_pointer_refs(NornSpirvReader *reader, const NornSpirvPointer *pointer,
                                       const NornSpirvType *type);

/* The place of a part: a member, element, column or component. It is `index`, or the constant `k`
 * if `index` is 0. */
NornSpirvPointer norn_spirv_step(NornSpirvReader *reader, const NornSpirvPointer *pointer,
                                 uint32_t k, NornRef index);

/* Row `k` of a matrix with row-major layout, as a vector; `*row` is set to its type. */
NornSpirvPointer norn_spirv_step_to_row(NornSpirvReader *reader, const NornSpirvPointer *matrix,
                                        uint32_t k, NornSpirvType *row);

/* Whether memory has the layout given by the module rather than being packed; whether it is
 * workgroup memory. */
bool norn_spirv_is_laid_out(NornSpirvSpace space);
bool norn_spirv_is_shared(NornSpirvSpace space);
/* The largest power of two that divides a number of bytes, as far as it matters. */
uint32_t norn_spirv_lowest_bit(uint32_t number);
/* The distance in bytes between elements of the array at a place. */
uint32_t norn_spirv_array_stride(NornSpirvReader *reader, const NornSpirvPointer *pointer);
/* Records that a member of an output, or the whole output if it has none, may be stored. */
void norn_spirv_note_written(const NornSpirvPointer *base, uint32_t member);

/* Loads and stores what the IR moves at once, with that type. */
NornRef norn_spirv_load_at(NornSpirvReader *reader, const NornSpirvPointer *pointer, NornType type);
void norn_spirv_store_at(NornSpirvReader *reader, const NornSpirvPointer *pointer, NornType type,
                         NornRef value);
/* An atomic access to memory or a texel; with `comparator` a compare-and-exchange. */
NornRef norn_spirv_atomic_at(NornSpirvReader *reader, const NornSpirvPointer *pointer,
                             NornAtomic atomic, NornType type, NornRef value, NornRef comparator);
/* Whether accesses to the place are executed only if it is inside its buffer. */
bool norn_spirv_is_guarded(const NornSpirvReader *reader, const NornSpirvPointer *pointer);

/* An atomic access to a texel; with `comparator` a compare-and-exchange. */
NornRef norn_spirv_image_atomic(NornSpirvReader *reader, const NornSpirvPointer *pointer,
                                NornAtomic atomic, NornType type, NornRef value,
                                NornRef comparator);

/* Loads and stores whole values. */
NornRef *norn_spirv_load(NornSpirvReader *reader, const NornSpirvPointer *pointer);
void norn_spirv_store(NornSpirvReader *reader, const NornSpirvPointer *pointer,
                      const NornRef *refs);

#endif
