/* Inputs of vector instructions that are selected by $c and the scalar unit. */
#include "sim/vp1/instruction.h"

unsigned
norn_vp1_quad_rotation(const NornVp1State *state, const Instruction *inst) {
  return state->c[get(inst, NORN_VP1_FIELD_COND)] >> 4 & 3;
}

unsigned
norn_vp1_quad_register(unsigned reg, unsigned rotation) {
  return (reg & ~3u) | ((reg + rotation) & 3);
}

unsigned
norn_vp1_selected_bit(const NornVp1State *state, const Instruction *inst) {
  unsigned select = get(inst, NORN_VP1_FIELD_SLCT);
  if (select == SLCT_NONE)
    return 0;
  return state->c[get(inst, NORN_VP1_FIELD_COND)] >> select & 1;
}

unsigned
norn_vp1_mangled_source2(const NornVp1State *state, const Instruction *inst) {
  unsigned reg = get(inst, NORN_VP1_FIELD_SRC2);
  if (get(inst, NORN_VP1_FIELD_SLCT) == SLCT_ROTATE)
    return norn_vp1_quad_register(reg, norn_vp1_quad_rotation(state, inst));
  return reg ^ norn_vp1_selected_bit(state, inst);
}

unsigned
norn_vp1_vc_half(const NornVp1State *state, unsigned reg, unsigned part) {
  return state->vc[reg] >> (part ? 16 : 0) & 0xffff;
}

/* The component of the source mask that each component of the spread mask is copied from, for
 * modes 0-6. */
static const uint8_t mask_spread[7][NORN_VP1_LANES] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {2, 2, 2, 2, 6, 6, 6, 6, 10, 10, 10, 10, 14, 14, 14, 14},
    {4, 5, 4, 5, 4, 5, 4, 5, 12, 13, 12, 13, 12, 13, 12, 13},
    {0, 0, 2, 0, 4, 4, 6, 4, 8, 8, 10, 8, 12, 12, 14, 12},
    {1, 1, 1, 3, 5, 5, 5, 7, 9, 9, 9, 11, 13, 13, 13, 15},
    {0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14, 14},
    {1, 1, 1, 1, 5, 5, 5, 5, 9, 9, 9, 9, 13, 13, 13, 13},
};

unsigned
norn_vp1_scalar_mask(const NornVp1State *state) {
  const NornVp1ScalarInput *s2v = &state->s2v;
  unsigned first = norn_vp1_vc_half(state, s2v->vcsrc & 3, s2v->vcpart);
  unsigned second = norn_vp1_vc_half(state, (s2v->vcsrc & 3) | 1, s2v->vcpart);
  unsigned mask = 0;
  for (unsigned i = 0; i < NORN_VP1_LANES; i++) {
    unsigned bit;
    if ((s2v->vcmode & 7) < 7)
      bit = first >> mask_spread[s2v->vcmode & 7][i];
    else
      bit = (i < 8 ? first : second) >> 2 * (i % 8);
    mask |= (bit & 1) << i;
  }
  return mask;
}
