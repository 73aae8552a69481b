/* The special values, by the names that the description gives them. */
#include "sim/valhall/special.h"
#include "isa/valhall_abi.h"
#include "sim/valhall/addresses.h"
#include <string.h>

/* Blend descriptors: opaque, four components, the target from bit 16 on. */
#define BLEND_DESCRIPTOR "blend_descriptor_"
#define BLEND_DESCRIPTOR_LENGTH (sizeof BLEND_DESCRIPTOR - 1)
#define OPAQUE_BLEND (1 | 3 << 3)

/* Special values that are the same for all lanes and instructions, by name without ".w0" and ".w1".
 */
static const struct {
  const char *name;
  uint64_t value;
} constant_specials[] = {
    {"thread_local_pointer", NORN_VALHALL_SCRATCH_ADDRESS},
    {"workgroup_local_pointer", NORN_VALHALL_SHARED_ADDRESS},
    {"core_id", 0},
    {"atest_datum", 0},
    {"shader_output",
     NORN_VALHALL_WANTS_POSITION | NORN_VALHALL_WANTS_EXTRAS | NORN_VALHALL_WANTS_VARYINGS},
    {"sample", NORN_VALHALL_SAMPLE_ADDRESS},
};

static bool
is_named(const char *name, size_t length, const char *other) {
  return strlen(other) == length && memcmp(name, other, length) == 0;
}

static char *
decode_special_name(const char *name, size_t length, uint32_t next, NornValhallSimSource *source) {
  source->kind = NORN_VALHALL_SOURCE_VALUE;
  if (is_named(name, length, "lane_id")) {
    source->kind = NORN_VALHALL_SOURCE_LANE_ID;
    return NULL;
  }
  if (is_named(name, length, "program_counter")) {
    source->value = NORN_VALHALL_CODE_ADDRESS + UINT64_C(8) * next;
    return NULL;
  }
  for (unsigned i = 0; i < G_N_ELEMENTS(constant_specials); i++) {
    if (is_named(name, length, constant_specials[i].name)) {
      source->value = constant_specials[i].value;
      return NULL;
    }
  }
  if (length == BLEND_DESCRIPTOR_LENGTH + 1 &&
      memcmp(name, BLEND_DESCRIPTOR, BLEND_DESCRIPTOR_LENGTH) == 0) {
    source->value = OPAQUE_BLEND | (uint64_t)(name[length - 1] - '0') << 16;
    return NULL;
  }
  return g_strdup_printf("the value of %.*s is not modeled", (int)length, name);
}

char *
norn_valhall_decode_special(const NornIsa *isa, const NornIsaOperand *operand, uint32_t special,
                            uint32_t next, NornValhallSimSource *source) {
  NornIsaText text = isa->texts[operand->texts + special];
  if (text == NORN_ISA_TEXT_ILLEGAL)
    return g_strdup_printf("there is no special value 0x%x", special);
  const char *name = norn_isa_string(isa, text);
  size_t length = strlen(name);
  bool has_word = length > 3 && name[length - 3] == '.' && name[length - 2] == 'w';
  bool high = has_word && name[length - 1] == '1';
  char *fault = decode_special_name(name, has_word ? length - 3 : length, next, source);
  if (high && source->kind == NORN_VALHALL_SOURCE_LANE_ID)
    source->kind = NORN_VALHALL_SOURCE_VALUE;
  if (high)
    source->value >>= 32;
  if (source->words == 1)
    source->value &= UINT32_MAX;
  return fault;
}
