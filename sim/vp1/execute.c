/* The table of VP1 vector instructions, and running them.
 *
 * Each row names a mnemonic and the function that computes it for the whole vector. Its encoding
 * determines its operand form (register or immediate, with or without a destination) and its
 * signedness, so one row covers all forms. */
#include "sim/vp1/instruction.h"

#include <string.h>

static void
execute_vnop(NornVp1State *state, const Instruction *inst) {
  (void)state;
  (void)inst;
}

static NornVp1Execute *const semantics[NORN_VP1_INSTRUCTION_COUNT] = {
    [NORN_VP1_VMUL_S_ACC] = norn_vp1_vmul,
    [NORN_VP1_VMUL_S_ACC_IMM] = norn_vp1_vmul,
    [NORN_VP1_VMUL_S] = norn_vp1_vmul,
    [NORN_VP1_VMUL_U] = norn_vp1_vmul,
    [NORN_VP1_VMUL_S_IMM] = norn_vp1_vmul,
    [NORN_VP1_VMUL_U_IMM] = norn_vp1_vmul,
    [NORN_VP1_VMAC_S] = norn_vp1_vmac,
    [NORN_VP1_VMAC_U] = norn_vp1_vmac,
    [NORN_VP1_VMAC_S_IMM] = norn_vp1_vmac,
    [NORN_VP1_VMAC_U_IMM] = norn_vp1_vmac,
    [NORN_VP1_VMAC_S_ACC] = norn_vp1_vmac,
    [NORN_VP1_VMAC_U_ACC] = norn_vp1_vmac,
    [NORN_VP1_VMAC_S_ACC_IMM] = norn_vp1_vmac,
    [NORN_VP1_VMUL_U_BAD] = norn_vp1_vmul,
    [NORN_VP1_VMAD2_S_ACC] = norn_vp1_vmad2,
    [NORN_VP1_VMAD2_S] = norn_vp1_vmad2,
    [NORN_VP1_VMAD2_U] = norn_vp1_vmad2,
    [NORN_VP1_VMAC2_S_ACC] = norn_vp1_vmac2,
    [NORN_VP1_VMAC2_S] = norn_vp1_vmac2,
    [NORN_VP1_VMAC2_U] = norn_vp1_vmac2,
    [NORN_VP1_VMAC2_U_BAD] = norn_vp1_vmac2,
    [NORN_VP1_VMAC2_S_ACC_BAD] = norn_vp1_vmac2,
    [NORN_VP1_VMAC2_S_BAD] = norn_vp1_vmac2,
    [NORN_VP1_VLRP] = norn_vp1_vlrp,
    [NORN_VP1_VLRP2] = norn_vp1_vlrp2,
    [NORN_VP1_VLRP4A] = norn_vp1_vlrp4a,
    [NORN_VP1_VLRPF] = norn_vp1_vlrpf,
    [NORN_VP1_VLRP4B_U] = norn_vp1_vlrp4b,
    [NORN_VP1_VLRP4B_S] = norn_vp1_vlrp4b,
    [NORN_VP1_VMIN_S] = norn_vp1_vmin,
    [NORN_VP1_VMIN_U] = norn_vp1_vmin,
    [NORN_VP1_VMIN_S_IMM] = norn_vp1_vmin,
    [NORN_VP1_VMIN_U_IMM] = norn_vp1_vmin,
    [NORN_VP1_VMAX_S] = norn_vp1_vmax,
    [NORN_VP1_VMAX_U] = norn_vp1_vmax,
    [NORN_VP1_VMAX_S_IMM] = norn_vp1_vmax,
    [NORN_VP1_VMAX_U_IMM] = norn_vp1_vmax,
    [NORN_VP1_VADD_S] = norn_vp1_vadd,
    [NORN_VP1_VADD_U] = norn_vp1_vadd,
    [NORN_VP1_VADD_S_IMM] = norn_vp1_vadd,
    [NORN_VP1_VADD_U_IMM] = norn_vp1_vadd,
    [NORN_VP1_VSUB_S] = norn_vp1_vsub,
    [NORN_VP1_VSUB_U] = norn_vp1_vsub,
    [NORN_VP1_VSUB_U_IMM] = norn_vp1_vsub,
    [NORN_VP1_VABS_S] = norn_vp1_vabs,
    [NORN_VP1_VABS_U] = norn_vp1_vabs,
    [NORN_VP1_VNEG_S] = norn_vp1_vneg,
    [NORN_VP1_VCLIP] = norn_vp1_vclip,
    [NORN_VP1_VMINABS] = norn_vp1_vminabs,
    [NORN_VP1_VADD9] = norn_vp1_vadd9,
    [NORN_VP1_VCMPAD] = norn_vp1_vcmpad,
    [NORN_VP1_VBITOP] = norn_vp1_vbitop,
    [NORN_VP1_VAND_IMM] = norn_vp1_vand,
    [NORN_VP1_VXOR_IMM] = norn_vp1_vxor,
    [NORN_VP1_VOR_IMM] = norn_vp1_vor,
    [NORN_VP1_VSAR] = norn_vp1_vshift,
    [NORN_VP1_VSHR] = norn_vp1_vshift,
    [NORN_VP1_VSAR_IMM] = norn_vp1_vshift,
    [NORN_VP1_VSHR_IMM] = norn_vp1_vshift,
    [NORN_VP1_VMOV] = norn_vp1_vmov,
    [NORN_VP1_MOV] = norn_vp1_mov,
    [NORN_VP1_MOV_VC] = norn_vp1_mov_vc,
    [NORN_VP1_VSWZ] = norn_vp1_vswz,
    [NORN_VP1_VNOP] = execute_vnop,
};

static bool
execute_word(NornVp1State *state, uint32_t word, GError **error) {
  const NornIsaEncoding *encoding = norn_isa_decode(&norn_isa_vp1, NORN_VP1_ARCHITECTURE_1, word);
  if (!encoding) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "0x%08x is not a vector instruction", word);
    return false;
  }
  Instruction inst = {encoding, word, (encoding->flags & NORN_VP1_FLAG_SIGNED) != 0};
  semantics[encoding->instruction](state, &inst);
  return true;
}

bool
norn_vp1_run(NornVp1State *state, const void *code, size_t size, GError **error) {
  if (size % sizeof(uint32_t)) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "code of %zu bytes, expected a multiple of 4", size);
    return false;
  }
  for (size_t at = 0; at < size; at += sizeof(uint32_t)) {
    uint32_t word;
    memcpy(&word, (const char *)code + at, sizeof word);
    if (!execute_word(state, GUINT32_FROM_LE(word), error)) {
      g_prefix_error(error, "instruction %zu: ", at / sizeof(uint32_t));
      return false;
    }
  }
  return true;
}
