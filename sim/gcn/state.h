/* The state of a GCN wave of 64 lanes, and decoded VOP3 instructions.
 *
 * The state is a plain struct that the caller owns. Scalar registers are indexed by their code
 * in a source field, so VCC, M0, EXEC and the trap registers are part of the same array. */
#ifndef NORN_SIM_GCN_STATE_H
#define NORN_SIM_GCN_STATE_H

#include <norn/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NORN_GCN_LANES 64

/* Indices into the scalar registers. */
enum {
  NORN_GCN_VCC = 106,
  NORN_GCN_M0 = 124,
  NORN_GCN_EXEC = 126,
  NORN_GCN_SCALARS = 128,
};

/* Bits of the MODE register. Rounding: 0 nearest even, 1 up, 2 down, 3 toward zero. Denormals: bit
 * 0 of a pair keeps subnormal inputs, bit 1 keeps subnormal results. */
enum {
  NORN_GCN_MODE_ROUND_32 = 0,    /* 2 bits */
  NORN_GCN_MODE_ROUND_64 = 2,    /* 2 bits, also for half precision */
  NORN_GCN_MODE_DENORMAL_32 = 4, /* 2 bits */
  NORN_GCN_MODE_DENORMAL_64 = 6, /* 2 bits, also for half precision */
  NORN_GCN_MODE_DX10_CLAMP = 8,  /* CLAMP changes NaN to zero */
  NORN_GCN_MODE_IEEE = 9,        /* minimum and maximum make a signaling NaN quiet and return it */
};
#define NORN_GCN_MODE_ALL_DENORMALS (0xFu << NORN_GCN_MODE_DENORMAL_32)

typedef struct {
  uint32_t v[256][NORN_GCN_LANES];
  uint32_t s[NORN_GCN_SCALARS];
  uint64_t aperture[5]; /* source codes 235 to 239 */
  uint32_t mode;
  bool scc;
  uint32_t *lds; /* the caller's; nullable if lds_words is 0 */
  size_t lds_words;
  uint32_t primitive_count;               /* interpolation: primitives in LDS */
  uint32_t primitive[NORN_GCN_LANES / 4]; /* ... and the one of each quad of lanes */
} NornGcnState;

/* A decoded instruction. Fields that an instruction does not have are 0. */
typedef struct {
  uint16_t instruction;     /* NORN_GCN_V_... */
  uint16_t src[3];          /* 9-bit source codes */
  uint8_t vdst;             /* VGPR; the scalar code of the result where that is scalar */
  uint8_t sdst;             /* scalar code of the second result */
  bool has_sdst;            /* the second result is written */
  bool has_op_sel;          /* 16-bit results go into one half and keep the other */
  uint8_t absolute, negate; /* bit per source */
  uint8_t op_sel;           /* bit per source, bit 3 the result */
  uint8_t omod;
  bool clamp;
  uint8_t attribute, channel; /* interpolation; parameter: 0 p10, 1 p20, 2 p0 */
  bool high;
  uint8_t parameter;
} NornGcnDecoded;

/* VALUE of a 64-bit register pair starting at scalar code CODE. */
static inline uint64_t
norn_gcn_scalar_pair(const NornGcnState *state, unsigned code) {
  return state->s[code] | (uint64_t)state->s[code + 1] << 32;
}

#endif
