/* The conventions between Valhall code and its driver, and the sizes of the machine: facts that are
 * not part of any instruction's description. The compiler generates code for them, and the
 * simulator implements them.
 *
 * They are the same on all architectures unless noted otherwise. */
#ifndef NORN_ISA_VALHALL_ABI_H
#define NORN_ISA_VALHALL_ABI_H

#include <stdint.h>

/* --- The machine --- */

#define NORN_VALHALL_WARP 16             /* lanes of a warp */
#define NORN_VALHALL_REGISTERS 64        /* of 32 bits */
#define NORN_VALHALL_SOURCES 4           /* maximum number of sources of an instruction */
#define NORN_VALHALL_STAGING 8           /* maximum number of registers in a staging group */
#define NORN_VALHALL_SLOTS 8             /* of messages; not all numbers are used: */
#define NORN_VALHALL_FREE_SLOTS 3        /* 0 to 2, which the compiler assigns */
#define NORN_VALHALL_DEPTH_SLOT 6        /* the order of accesses to the tile's depth and stencil */
#define NORN_VALHALL_BARRIER_SLOT 7      /* ... and to the whole tile */
#define NORN_VALHALL_MIN_OFFSET (-32768) /* of loads and stores */
#define NORN_VALHALL_MAX_OFFSET 32767

/* ROW(FLOW, SLOTS): the slots that each flow waits for; bit S stands for slot S. */
#define NORN_VALHALL_WAITS(ROW)                                                                    \
  ROW(WAIT0, 0x01)                                                                                 \
  ROW(WAIT1, 0x02)                                                                                 \
  ROW(WAIT01, 0x03)                                                                                \
  ROW(WAIT2, 0x04)                                                                                 \
  ROW(WAIT02, 0x05)                                                                                \
  ROW(WAIT12, 0x06)                                                                                \
  ROW(WAIT012, 0x07)                                                                               \
  ROW(WAIT0126, 0x47)                                                                              \
  ROW(WAIT, 0xC7)

/* --- Preloaded registers --- */

/* ROW(STAGE, NAME, REGISTER, BYTES, ALWAYS): at the start of a program of the stage, REGISTER holds
 * NAME in the bytes of the mask BYTES; the other bytes are undefined. A program gets a register if
 * it asks for it, or ALWAYS. Registers without a row are undefined.
 *
 * LOCAL_ID_XY, PIXEL: x in the low half, y in the high half. OUTPUT_SLOT: the index of the vertex's
 * element in output buffers. PRIMITIVE_FLAGS: bit 0 is set for back faces; architecture 11 and
 * later have more flags. COVERAGE: bit S for sample S; coverage must stay in this register,
 * otherwise early depth tests are off. SAMPLE: the samples covered in the low half, the sample's
 * number from NORN_VALHALL_SAMPLE_SHIFT on. LINK: the return address of a blend program, 0 if the
 * program ends with it. COLOR, SECOND_COLOR: four words each, the inputs of a blend program. */
#define NORN_VALHALL_PRELOADS(ROW)                                                                 \
  ROW(COMPUTE, LOCAL_ID_XY, 55, 0xF, false)                                                        \
  ROW(COMPUTE, LOCAL_ID_Z, 56, 0x3, false)                                                         \
  ROW(COMPUTE, WORKGROUP_ID_X, 57, 0xF, false)                                                     \
  ROW(COMPUTE, WORKGROUP_ID_Y, 58, 0xF, false)                                                     \
  ROW(COMPUTE, WORKGROUP_ID_Z, 59, 0xF, false)                                                     \
  ROW(COMPUTE, GLOBAL_ID_X, 60, 0xF, false)                                                        \
  ROW(COMPUTE, GLOBAL_ID_Y, 61, 0xF, false)                                                        \
  ROW(COMPUTE, GLOBAL_ID_Z, 62, 0xF, false)                                                        \
  ROW(VERTEX, OUTPUT_SLOT, 59, 0xF, false)                                                         \
  ROW(VERTEX, VERTEX_ID, 60, 0xF, false)                                                           \
  ROW(VERTEX, INSTANCE_ID, 61, 0xF, false)                                                         \
  ROW(VERTEX, DRAW_ID, 62, 0xF, false)                                                             \
  ROW(VERTEX, VERTEX_VIEW, 63, 0xF, false)                                                         \
  ROW(FRAGMENT, PRIMITIVE_ID, 57, 0xF, false)                                                      \
  ROW(FRAGMENT, PRIMITIVE_FLAGS, 58, 0xF, false)                                                   \
  ROW(FRAGMENT, PIXEL, 59, 0xF, false)                                                             \
  ROW(FRAGMENT, COVERAGE, 60, 0xF, true)                                                           \
  ROW(FRAGMENT, SAMPLE, 61, 0xF, true)                                                             \
  ROW(FRAGMENT, FRAGMENT_VIEW, 62, 0x1, false)

/* Registers that a blend program receives in addition to the rows of FRAGMENT. */
#define NORN_VALHALL_BLEND_PRELOADS(ROW)                                                           \
  ROW(COLOR, 0, 4)                                                                                 \
  ROW(SECOND_COLOR, 4, 4)                                                                          \
  ROW(LINK, 48, 1)

enum {
#define ROW(stage, name, reg, bytes, always) NORN_VALHALL_PRELOAD_##name = reg,
  NORN_VALHALL_PRELOADS(ROW)
#undef ROW
#define ROW(name, first, count) NORN_VALHALL_PRELOAD_##name = first,
      NORN_VALHALL_BLEND_PRELOADS(ROW)
#undef ROW
};

#define NORN_VALHALL_SAMPLE_SHIFT 16
#define NORN_VALHALL_SAMPLE_BITS 0x1F

/* The registers that a blend program may change: r0 to r15 and the register of the return address.
 */
#define NORN_VALHALL_BLEND_CLOBBERS (UINT64_C(0xFFFF) | UINT64_C(1) << NORN_VALHALL_PRELOAD_LINK)

/* The registers of a program that runs with twice the threads: r0 to r15, r48 to r63. */
#define NORN_VALHALL_SMALL_FILE UINT64_C(0xFFFF00000000FFFF)

/* --- Memory --- */

/* Loads from addresses with this bit return 0; stores to them are dropped. */
#define NORN_VALHALL_NULL_ADDRESS_BIT (UINT64_C(1) << 63)

/* No access to thread-local memory may cross a multiple of this many bytes. */
#define NORN_VALHALL_ACCESS_PIECE 16

/* --- Resources --- */

/* A handle is the number of a table with the number of an entry in the bits below. */
#define NORN_VALHALL_TABLE_SHIFT 24
#define NORN_VALHALL_ENTRY_BITS 0xFFFFFFu
/* The table of the buffers for the geometry's outputs, and the table of the tables themselves, as
 * memory. */
#define NORN_VALHALL_OUTPUT_TABLE 61
#define NORN_VALHALL_TABLE_OF_TABLES 62
/* The size of a descriptor in a table, as a power of two. */
#define NORN_VALHALL_DESCRIPTOR_SHIFT 5

/* Four bits of an instruction select one of the tables 0 to 11 and 60 to 63. */
#define NORN_VALHALL_NEAR_TABLES 12u
#define NORN_VALHALL_FIRST_HIGH_TABLE 60u
#define NORN_VALHALL_TABLE_CODES 16u

/* The table that a four-bit code selects. */
static inline uint32_t
norn_valhall_table_of_code(uint32_t code) {
  return code < NORN_VALHALL_NEAR_TABLES
             ? code
             : code - NORN_VALHALL_NEAR_TABLES + NORN_VALHALL_FIRST_HIGH_TABLE;
}

/* The code of a table, NORN_VALHALL_TABLE_CODES or more if it has none. */
static inline uint32_t
norn_valhall_code_of_table(uint32_t table) {
  if (table < NORN_VALHALL_NEAR_TABLES)
    return table;
  return table < NORN_VALHALL_FIRST_HIGH_TABLE
             ? NORN_VALHALL_TABLE_CODES
             : table - NORN_VALHALL_FIRST_HIGH_TABLE + NORN_VALHALL_NEAR_TABLES;
}

/* The bits of the first coordinate word of a cube that hold its face start here. */
#define NORN_VALHALL_CUBE_FACE_SHIFT 29

/* --- Outputs of vertices --- */

/* Elements of the output buffer come in groups: the positions of four vertices, then the other data
 * of the same four vertices. The element with a vertex's other data follows that with its position
 * at this distance. */
#define NORN_VALHALL_OUTPUT_GROUP 4
/* The output buffers in their table: one for everything, except that architectures that run a
 * vertex as one program have a separate one for the varyings. */
enum { NORN_VALHALL_FIRST_OUTPUT = 0, NORN_VALHALL_VARYING_OUTPUT = 1 };
#define NORN_VALHALL_POSITION_BYTES 16
/* The offsets of a vertex's other data in its element. That the viewport comes after the layer is a
 * guess. */
enum {
  NORN_VALHALL_POINT_SIZE_OFFSET = 0,
  NORN_VALHALL_LAYER_OFFSET = 2,
  NORN_VALHALL_VIEWPORT_OFFSET = 3,
  NORN_VALHALL_EXTRA_BYTES = 4,
};
/* Bits of the special value shader_output: which outputs are wanted. */
enum {
  NORN_VALHALL_WANTS_POSITION = 1 << 0,
  NORN_VALHALL_WANTS_EXTRAS = 1 << 1,
  NORN_VALHALL_WANTS_VARYINGS = 1 << 2,
};

/* --- The tile --- */

/* A blend descriptor: how to blend in bits 0 and 1, the target from NORN_VALHALL_BLEND_TARGET_SHIFT
 * on. If a shader blends, the high word is the address of that shader. */
enum {
  NORN_VALHALL_BLEND_SHADER,
  NORN_VALHALL_BLEND_OPAQUE,
  NORN_VALHALL_BLEND_FIXED,
  NORN_VALHALL_BLEND_OFF
};
#define NORN_VALHALL_BLEND_TARGET_SHIFT 16

/* A pixel word: the sample's number in byte 0, the target in byte 1 (these two values are not
 * colors). */
#define NORN_VALHALL_PIXEL_TARGET_SHIFT 8
enum { NORN_VALHALL_PIXEL_STENCIL = 254, NORN_VALHALL_PIXEL_DEPTH = 255 };

#endif
