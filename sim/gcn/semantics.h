/* What one GCN instruction computes: its operand types and a function on one lane.
 *
 * The executor (execute.c) reads the sources as these types, applies ABS, NEG and OP_SEL before
 * and OMOD and CLAMP after the function, and stores the result that the function left in the
 * lane. So a function sees plain values. */
#ifndef NORN_SIM_GCN_SEMANTICS_H
#define NORN_SIM_GCN_SEMANTICS_H

#include "ir/numeric.h"
#include "sim/gcn/state.h"

/* What an operand is. Signed integers are sign-extended to 64 bits, all others zero-extended. */
typedef enum {
  NORN_GCN_NONE,
  NORN_GCN_U16,
  NORN_GCN_I16,
  NORN_GCN_F16,
  NORN_GCN_U24, /* the low 24 bits of a word */
  NORN_GCN_I24,
  NORN_GCN_U32,
  NORN_GCN_I32,
  NORN_GCN_F32,
  NORN_GCN_U64,
  NORN_GCN_I64,
  NORN_GCN_F64,
  NORN_GCN_U128, /* four words */
  NORN_GCN_MASK, /* one bit per lane in a scalar pair; the value is the lane's bit */
} NornGcnType;

/* One lane of one instruction. */
typedef struct {
  const NornGcnState *state;
  const NornGcnDecoded *inst;
  unsigned number; /* of the lane */
  uint64_t src[3];
  uint32_t wide[4];       /* the third source if it is U128; the result if it is U128 */
  uint64_t old;           /* the old value of the destination, as the result's type */
  NornFloatFormat format; /* of the result if it is a float, otherwise of the first source */
  NornFloatMode mode;     /* for that format */
  uint64_t result;        /* integers of up to 32 bits: the exact value, not yet truncated */
  bool carry;             /* the lane's bit of the second result */
  const char *problem;    /* why the lane must trap; NULL if it need not */
} NornGcnLane;

enum {
  NORN_GCN_FLUSH = 1,        /* subnormals are always flushed, whatever MODE says */
  NORN_GCN_KEEP = 2,         /* a lane that sets `carry` to true leaves its destination unchanged */
  NORN_GCN_WRITE_EXEC = 4,   /* the mask result is also written to EXEC */
  NORN_GCN_RELATIVE_SRC = 8, /* M0 is added to a vector source's register number */
  NORN_GCN_RELATIVE_DST = 16, /* ... to the destination's */
  NORN_GCN_ACCUMULATE = 32,   /* the old destination is the third source */
};

typedef struct NornGcnSemantics NornGcnSemantics;

/* Computes the result of a lane from its sources. */
typedef void NornGcnLaneFunction(NornGcnLane *lane, const NornGcnSemantics *row);

struct NornGcnSemantics {
  uint8_t result; /* NornGcnType */
  uint8_t src[3];
  uint8_t flags;
  uint8_t relations; /* comparisons: bit per NornRelation that holds */
  NornGcnLaneFunction *lane;
  /* Instructions on the whole wave have this function instead. */
  bool (*wave)(NornGcnState *state, const NornGcnDecoded *inst, GError **error);
};

/* The semantics of the instruction of that number (NORN_GCN_V_...). */
const NornGcnSemantics *norn_gcn_semantics(unsigned instruction);

/* The float format of TYPE, which must be one. */
NornFloatFormat norn_gcn_format(NornGcnType type);
bool norn_gcn_is_float(NornGcnType type);
/* Rounding and handling of subnormals for FORMAT according to MODE. */
NornFloatMode norn_gcn_mode(uint32_t mode, NornFloatFormat format);

#endif
