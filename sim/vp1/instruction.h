/* VP1 vector instructions: how a word is decoded, and the functions that compute them. */
#ifndef NORN_SIM_VP1_INSTRUCTION_H
#define NORN_SIM_VP1_INSTRUCTION_H

#include "isa/isa.h"
#include "sim/vp1/execute.h"
#include <norn/vp1.h>

/* An instruction word with its encoding. */
typedef struct {
  const NornIsaEncoding *encoding;
  uint32_t word;
  bool is_signed;
} Instruction;

static inline bool
has(const Instruction *inst, NornVp1Field field) {
  return norn_isa_field_exists(inst->encoding, field);
}

/* The value of a field, 0 if the instruction does not have it. */
static inline uint32_t
get(const Instruction *inst, NornVp1Field field) {
  return norn_isa_field_get_or(inst->encoding, field, inst->word, 0);
}

static inline int32_t
sign_extend(uint32_t value, unsigned bits) {
  uint32_t sign = 1u << (bits - 1);
  value &= (sign << 1) - 1;
  return (int32_t)(value ^ sign) - (int32_t)sign;
}

/* --- Inputs: scalar_inputs.c --- */

#define SLCT_ROTATE 4 /* the selector that rotates within a quad */
#define SLCT_NONE 14  /* the selector that reads no bit of $c */

/* The rotation within a quad that the instruction's $c holds. */
unsigned norn_vp1_quad_rotation(const NornVp1State *state, const Instruction *inst);
/* The register `rotation` further in the quad of `reg`, wrapping around. */
unsigned norn_vp1_quad_register(unsigned reg, unsigned rotation);
/* The bit of $c that SLCT names; plain register numbers are flipped by it. */
unsigned norn_vp1_selected_bit(const NornVp1State *state, const Instruction *inst);
/* The register that is read as the second source, which SLCT can change. */
unsigned norn_vp1_mangled_source2(const NornVp1State *state, const Instruction *inst);
/* Half `part` of a register of conditions: 16 bits. */
unsigned norn_vp1_vc_half(const NornVp1State *state, unsigned reg, unsigned part);
/* The mask from an s2v instruction. Mode 7 halves the resolution: even components of the
 * register and of the odd register of its pair. */
unsigned norn_vp1_scalar_mask(const NornVp1State *state);

/* --- Instructions --- */

typedef void NornVp1Execute(NornVp1State *state, const Instruction *inst);

/* arithmetic.c */
NornVp1Execute norn_vp1_vmin, norn_vp1_vmax, norn_vp1_vadd, norn_vp1_vsub, norn_vp1_vabs,
    norn_vp1_vneg, norn_vp1_vand, norn_vp1_vor, norn_vp1_vxor, norn_vp1_vbitop, norn_vp1_mov,
    norn_vp1_mov_vc, norn_vp1_vmov, norn_vp1_vswz, norn_vp1_vshift, norn_vp1_vclip,
    norn_vp1_vminabs, norn_vp1_vadd9, norn_vp1_vcmpad;

/* multiply.c */
NornVp1Execute norn_vp1_vmul, norn_vp1_vmac, norn_vp1_vmad2, norn_vp1_vmac2, norn_vp1_vlrp,
    norn_vp1_vlrp2, norn_vp1_vlrp4a, norn_vp1_vlrpf, norn_vp1_vlrp4b;

#endif
