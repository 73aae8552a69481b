/* The semantics of Valhall's ALU instructions: one table row each.
 *
 * A row names the function of one lane, the type of the result's lanes and of each source's
 * lanes. The functions receive and return lanes as raw bits, zero-extended to 64; sources have
 * already been selected (swizzled, widened), then made absolute, then negated or complemented. */
#ifndef NORN_SIM_VALHALL_SEMANTICS_H
#define NORN_SIM_VALHALL_SEMANTICS_H

#include "ir/numeric.h"
#include "isa/isa.h"
#include "isa/valhall_abi.h"

/* The modifiers that do not belong to one source, by the names of their fields. */
#define NORN_VALHALL_MODIFIERS(MODIFIER)                                                           \
  MODIFIER(ROUND)                                                                                  \
  MODIFIER(CLAMP)                                                                                  \
  MODIFIER(CONDITION)                                                                              \
  MODIFIER(RESULT_TYPE)                                                                            \
  MODIFIER(SATURATE)                                                                               \
  MODIFIER(NOT_RESULT)                                                                             \
  MODIFIER(MUX)                                                                                    \
  MODIFIER(SIGNED)                                                                                 \
  MODIFIER(SHIFT)                                                                                  \
  MODIFIER(FREXP)                                                                                  \
  MODIFIER(NEG_RESULT)                                                                             \
  MODIFIER(MASK)                                                                                   \
  MODIFIER(RHADD)                                                                                  \
  MODIFIER(NAN_MODE)                                                                               \
  MODIFIER(FTZ)                                                                                    \
  MODIFIER(FLUSH_INF)                                                                              \
  MODIFIER(NAN_HANDLING)                                                                           \
  MODIFIER(NEGATE)                                                                                 \
  MODIFIER(PRESERVE_NULL)                                                                          \
  MODIFIER(MODE)                                                                                   \
  MODIFIER(PRECISION)                                                                              \
  MODIFIER(ADJUST)                                                                                 \
  MODIFIER(SUBGROUP)                                                                               \
  MODIFIER(LANE_OPERATION)                                                                         \
  MODIFIER(INACTIVE_RESULT)                                                                        \
  MODIFIER(COMBINE)                                                                                \
  MODIFIER(EQ)

typedef enum {
#define MODIFIER(id) NORN_VALHALL_MODIFIER_##id,
  NORN_VALHALL_MODIFIERS(MODIFIER)
#undef MODIFIER
      NORN_VALHALL_MODIFIER_COUNT
} NornValhallModifier;

/* The type of a lane. */
typedef enum {
  NORN_VALHALL_LANE_NONE,
  NORN_VALHALL_LANE_U8,
  NORN_VALHALL_LANE_S8,
  NORN_VALHALL_LANE_U16,
  NORN_VALHALL_LANE_S16,
  NORN_VALHALL_LANE_U32,
  NORN_VALHALL_LANE_S32,
  NORN_VALHALL_LANE_U64,
  NORN_VALHALL_LANE_S64,
  NORN_VALHALL_LANE_F16,
  NORN_VALHALL_LANE_F32,
  NORN_VALHALL_LANE_TYPE_COUNT
} NornValhallLaneType;

typedef struct NornValhallLaneInfo {
  uint8_t width;
  bool is_signed, is_float;
  NornFloatFormat format;
} NornValhallLaneInfo;

/* By NornValhallLaneType. */
extern const NornValhallLaneInfo norn_valhall_lanes[NORN_VALHALL_LANE_TYPE_COUNT];

/* Flags of rows. */
enum {
  NORN_VALHALL_ROW_RAW_FLOATS = 1 << 0, /* floats are moved or tested as bits: nothing is flushed */
  NORN_VALHALL_ROW_NARROWS = 1 << 1,    /* a half write rounds the f32 result to f16 */
  NORN_VALHALL_ROW_SCALAR_HALF = 1 << 2, /* one 16-bit result, written to the halves in the mask */
  NORN_VALHALL_ROW_SOURCE_PER_LANE =
      1 << 3, /* lane i is computed from source i only, which has one lane */
  NORN_VALHALL_ROW_IMMEDIATE = 1 << 4,      /* source 1 is the immediate */
  NORN_VALHALL_ROW_EXCHANGE = 1 << 5,       /* reads other lanes of the warp */
  NORN_VALHALL_ROW_FLUSHES = 1 << 6,        /* f32 subnormals are zeros in every mode */
  NORN_VALHALL_ROW_KEEPS_SINCE_11 = 1 << 7, /* from architecture 11 on, nothing is flushed */
};

/* Parameters of rows that read other lanes. */
enum { NORN_VALHALL_EXCHANGE_PERMUTE, NORN_VALHALL_EXCHANGE_BALLOT };

typedef struct NornValhallRow NornValhallRow;

/* A decoded instruction. */
typedef struct NornValhallOperation {
  const NornValhallRow *row;
  NornIsaSwizzle swizzle[NORN_VALHALL_SOURCES];
  bool negate[NORN_VALHALL_SOURCES];
  bool absolute[NORN_VALHALL_SOURCES];
  bool complement[NORN_VALHALL_SOURCES];
  uint8_t modifier[NORN_VALHALL_MODIFIER_COUNT];
  uint8_t write_mask; /* NornValhallDestination */
  bool never_flushes; /* whatever the flush-to-zero mode */
  uint32_t immediate;
} NornValhallOperation;

/* A lane that is being computed. */
typedef struct NornValhallLane {
  const NornValhallOperation *operation;
  const NornValhallRow *row;
  NornFloatMode mode; /* rounding, and flushing of the result */
  unsigned index;
} NornValhallLane;

/* One value for each invocation of a warp. */
typedef uint64_t NornValhallValues[NORN_VALHALL_WARP];

/* Computes a lane of the result, r, from the sources, s, for `count` invocations. */
typedef void NornValhallLaneFunction(const NornValhallLane *lane, const uint64_t *const *s,
                                     unsigned count, uint64_t *restrict r);

struct NornValhallRow {
  NornValhallLaneFunction *function;
  uint8_t parameter; /* selects one of the variants of a function */
  uint8_t flags;
  uint8_t lanes;
  uint8_t result;
  uint8_t source[NORN_VALHALL_SOURCES];
};

/* The semantics of the instruction, or NULL if it is none of these. */
const NornValhallRow *norn_valhall_row(uint16_t instruction);

/* Which bits of a lane's result are undefined, given its sources and the masks of their undefined
 * bits. */
uint64_t norn_valhall_undefined_lane(const NornValhallLane *lane, const uint64_t *s,
                                     const uint64_t *u);

#endif
