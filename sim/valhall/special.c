/* The values of special sources in the simulator. */
#include "sim/valhall/special.h"
#include "isa/valhall_abi.h"
#include "sim/valhall/addresses.h"
#include <norn/valhall.h>

/* Blend descriptors: opaque, four components, the target from bit 16 on. */
#define OPAQUE_BLEND (NORN_VALHALL_BLEND_OPAQUE | 3 << 3)

/* Values that are the same for all lanes and instructions, by their low words. */
static const struct {
  uint16_t special;
  uint64_t value;
} constant_specials[] = {
    {NORN_VALHALL_SPECIAL_THREAD_LOCAL_POINTER_W0, NORN_VALHALL_SCRATCH_ADDRESS},
    {NORN_VALHALL_SPECIAL_WORKGROUP_LOCAL_POINTER_W0, NORN_VALHALL_SHARED_ADDRESS},
    {NORN_VALHALL_SPECIAL_CORE_ID_W0, 0},
    {NORN_VALHALL_SPECIAL_ATEST_DATUM_W0, 0},
    {NORN_VALHALL_SPECIAL_SAMPLE_W0, NORN_VALHALL_SAMPLE_ADDRESS},
};

/* The parts of a vertex's outputs that are wanted: those with a buffer, all without a launch. */
static uint32_t
wanted_parts(const NornValhallSimProgram *program) {
  const NornVertexState *state = program ? program->launch->vertex : NULL;
  uint32_t wanted = 0;
  if (!state || state->position_buffer != SIZE_MAX)
    wanted |= NORN_VALHALL_WANTS_POSITION;
  if (!state || state->extra_buffer != SIZE_MAX)
    wanted |= NORN_VALHALL_WANTS_EXTRAS;
  if (!state || state->varying_buffer != SIZE_MAX)
    wanted |= NORN_VALHALL_WANTS_VARYINGS;
  return wanted;
}

/* The 64 bits of the special value whose low word is `special`; false if it is not modeled. */
static bool
find_value(const NornValhallSimProgram *program, uint32_t special, uint32_t next, uint64_t *value) {
  if (special == NORN_VALHALL_SPECIAL_PROGRAM_COUNTER_W0) {
    *value = NORN_VALHALL_CODE_ADDRESS + UINT64_C(8) * next;
    return true;
  }
  if (special == NORN_VALHALL_SPECIAL_SHADER_OUTPUT_W0) {
    *value = wanted_parts(program);
    return true;
  }
  if (special >= NORN_VALHALL_SPECIAL_BLEND_DESCRIPTOR_0_W0 &&
      special <= NORN_VALHALL_SPECIAL_BLEND_DESCRIPTOR_7_W0) {
    uint64_t target = (special - NORN_VALHALL_SPECIAL_BLEND_DESCRIPTOR_0_W0) / 2;
    uint32_t shader = program && program->blend[target].count ? program->blend[target].first : 0;
    *value = OPAQUE_BLEND | target << NORN_VALHALL_BLEND_TARGET_SHIFT;
    if (shader) /* the high word is the low word of its address */
      *value = NORN_VALHALL_BLEND_SHADER | target << NORN_VALHALL_BLEND_TARGET_SHIFT |
               (uint64_t)(uint32_t)(NORN_VALHALL_CODE_ADDRESS + UINT64_C(8) * shader) << 32;
    return true;
  }
  for (unsigned i = 0; i < G_N_ELEMENTS(constant_specials); i++) {
    if (constant_specials[i].special == special) {
      *value = constant_specials[i].value;
      return true;
    }
  }
  return false;
}

char *
norn_valhall_decode_special(const NornIsa *isa, const NornValhallSimProgram *program,
                            const NornIsaOperand *operand, uint32_t special, uint32_t next,
                            NornValhallSimSource *source) {
  NornIsaText text = isa->texts[operand->texts + special];
  if (text == NORN_ISA_TEXT_ILLEGAL)
    return g_strdup_printf("special value 0x%x does not exist", special);
  source->kind = NORN_VALHALL_SOURCE_VALUE;
  if (special == NORN_VALHALL_SPECIAL_LANE_ID_W0)
    source->kind = NORN_VALHALL_SOURCE_LANE_ID;
  else if (special != NORN_VALHALL_SPECIAL_LANE_ID_W1 &&
           !find_value(program, special & ~1u, next, &source->value))
    return g_strdup_printf("the value of %s is not modeled", norn_isa_string(isa, text));
  if (special & 1) /* the high word */
    source->value >>= 32;
  if (source->words == 1)
    source->value &= UINT32_MAX;
  return NULL;
}
