/* Valhall's loads, stores and atomics between bytes and registers.
 *
 * The width is determined by the instruction, everything else by the names of its modifiers. */
#include "sim/valhall/access.h"
#include "ir/numeric.h"
#include "sim/common/atomic.h"
#include <norn/valhall.h>
#include <string.h>

/* --- Instructions --- */

/* Requiring the alignment of 32 bits for 24 bits is a conservative guess. */
typedef struct Width {
  uint8_t bytes, alignment, kind;
} Width;

#define WIDTHS(name, kind)                                                                         \
  [NORN_VALHALL_##name##_I8] = {1, 1, kind}, [NORN_VALHALL_##name##_I16] = {2, 2, kind},           \
  [NORN_VALHALL_##name##_I24] = {3, 4, kind}, [NORN_VALHALL_##name##_I32] = {4, 4, kind},          \
  [NORN_VALHALL_##name##_I48] = {6, 4, kind}, [NORN_VALHALL_##name##_I64] = {8, 4, kind},          \
  [NORN_VALHALL_##name##_I96] = {12, 4, kind}, [NORN_VALHALL_##name##_I128] = {16, 4, kind}
#define ATOMIC_WIDTHS(name)                                                                        \
  [NORN_VALHALL_##name##_I32] = {4, 4, NORN_VALHALL_ACCESS_ATOMIC},                                \
  [NORN_VALHALL_##name##_I64] = {8, 8, NORN_VALHALL_ACCESS_ATOMIC}

static const Width widths[] = {
    WIDTHS(LOAD, NORN_VALHALL_ACCESS_LOAD),
    WIDTHS(STORE, NORN_VALHALL_ACCESS_STORE),
    WIDTHS(LD_BUFFER, NORN_VALHALL_ACCESS_LOAD_BUFFER),
    ATOMIC_WIDTHS(ATOM),
    ATOMIC_WIDTHS(ATOM_RETURN),
    ATOMIC_WIDTHS(ATOM1),
    ATOMIC_WIDTHS(ATOM1_RETURN),
};

bool
norn_valhall_is_access(uint16_t instruction) {
  return instruction < G_N_ELEMENTS(widths) && widths[instruction].bytes;
}

/* --- Atomics --- */

/* By the name of the modifier; the first two have a fixed operand. */
static const struct {
  const char *name;
  NornAtomic atomic;
  int operand; /* 0: read from the instruction */
} atomics[] = {
    {"ainc", NORN_ATOMIC_ADD, 1},    {"adec", NORN_ATOMIC_ADD, -1}, {"aadd", NORN_ATOMIC_ADD},
    {"aaddu", NORN_ATOMIC_ADD},      {"aadds", NORN_ATOMIC_ADD},    {"asmin", NORN_ATOMIC_SMIN},
    {"asmax", NORN_ATOMIC_SMAX},     {"asmax1", NORN_ATOMIC_SMAX},  {"aumin", NORN_ATOMIC_UMIN},
    {"aumax", NORN_ATOMIC_UMAX},     {"aumax1", NORN_ATOMIC_UMAX},  {"aand", NORN_ATOMIC_AND},
    {"aor", NORN_ATOMIC_OR},         {"aor1", NORN_ATOMIC_OR},      {"axor", NORN_ATOMIC_XOR},
    {"axchg", NORN_ATOMIC_EXCHANGE},
};

static bool
find_atomic(const char *name, NornValhallMemoryAccess *access) {
  for (unsigned i = 0; i < G_N_ELEMENTS(atomics); i++) {
    if (strcmp(atomics[i].name, name) == 0) {
      access->atomic = atomics[i].atomic;
      access->fixed_operand = atomics[i].operand;
      return true;
    }
  }
  return false;
}

/* --- Decoding --- */

/* The part of the registers that is loaded or stored, if a modifier selects one. */
static void
decode_part(const NornIsa *isa, const NornIsaEncoding *encoding, uint64_t word,
            NornValhallMemoryAccess *access) {
  if (!norn_isa_field_exists(encoding, NORN_VALHALL_FIELD_LANE))
    return;
  const NornIsaField *field = norn_isa_field(encoding, NORN_VALHALL_FIELD_LANE);
  const NornIsaSwizzle *part = norn_isa_swizzle(isa, field, norn_isa_extract(field, word));
  if (!part->bits || part->bits < 8u * access->bytes)
    return;
  access->part_bits = part->bits;
  access->part_shift = (uint8_t)(part->bits * part->index[0]);
}

static bool
decode_atomic(const char *name, const NornIsaEncoding *encoding, uint64_t word,
              NornValhallMemoryAccess *access) {
  uint16_t number = encoding->instruction;
  access->has_compare = norn_isa_field_get_or(encoding, NORN_VALHALL_FIELD_COMPARE, word, 0);
  access->has_operand = number == NORN_VALHALL_ATOM_I32 || number == NORN_VALHALL_ATOM_I64 ||
                        number == NORN_VALHALL_ATOM_RETURN_I32 ||
                        number == NORN_VALHALL_ATOM_RETURN_I64;
  bool is_narrow = strcmp(name, "aaddu") == 0 || strcmp(name, "aadds") == 0;
  access->operand_words = is_narrow ? 1 : access->bytes / 4;
  access->sign_extends = strcmp(name, "aadds") == 0;
  return find_atomic(name, access);
}

bool
norn_valhall_decode_access(const NornIsa *isa, const NornIsaEncoding *encoding, uint64_t word,
                           NornValhallMemoryAccess *access, GError **error) {
  bool known = norn_valhall_is_access(encoding->instruction);
  memset(access, 0, sizeof *access);
  if (known) {
    Width width = widths[encoding->instruction];
    access->kind = width.kind;
    access->bytes = width.bytes;
    access->alignment = width.alignment;
    access->offset = norn_isa_immediate_of_field(encoding, NORN_VALHALL_FIELD_OFFSET, word);
    access->is_forced =
        norn_isa_field_get_or(encoding, NORN_VALHALL_FIELD_ACCESS, word,
                              NORN_VALHALL_ACCESS_NONE) == NORN_VALHALL_ACCESS_FORCE;
    access->sign_extends = !norn_isa_field_get_or(encoding, NORN_VALHALL_FIELD_UNSIGNED, word, 1);
    decode_part(isa, encoding, word, access);
  }
  if (known && access->kind == NORN_VALHALL_ACCESS_ATOMIC)
    known = decode_atomic(norn_isa_modifier_name(isa, encoding, NORN_VALHALL_FIELD_OPERATION, word),
                          encoding, word, access);
  if (!known)
    g_set_error(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED, "the memory access of %s is not modeled",
                norn_isa_string(isa, isa->names[encoding->instruction].text));
  return known;
}

/* --- Bytes and registers --- */

static uint8_t
bytes_mask(unsigned first, unsigned count) {
  return (uint8_t)(((1u << count) - 1) << first);
}

unsigned
norn_valhall_place_loaded(const NornValhallMemoryAccess *access, const uint8_t *bytes,
                          uint32_t words[NORN_VALHALL_ACCESS_WORDS],
                          uint8_t defined[NORN_VALHALL_ACCESS_WORDS]) {
  unsigned count = access->bytes;
  memset(words, 0, NORN_VALHALL_ACCESS_WORDS * sizeof *words);
  for (unsigned i = 0; i < count; i++)
    words[i / 4] |= (uint32_t)bytes[i] << i % 4 * 8;
  if (access->part_bits) {
    uint64_t value = words[0];
    if (access->sign_extends)
      value = (uint64_t)norn_int_sign_extend(value, 8 * count);
    value = norn_int_truncate(value, access->part_bits) << access->part_shift;
    words[0] = (uint32_t)value;
    words[1] = (uint32_t)(value >> 32);
    count = access->part_bits / 8;
  }
  for (unsigned i = 0; i * 4 < count; i++)
    defined[i] = bytes_mask(access->part_shift / 8, MIN(count - 4 * i, 4));
  return (count + 3) / 4;
}

unsigned
norn_valhall_stored_mask(const NornValhallMemoryAccess *access, unsigned index) {
  if (4 * index >= access->bytes)
    return 0;
  return bytes_mask(access->part_shift / 8, MIN(access->bytes - 4 * index, 4));
}

void
norn_valhall_collect_stored(const NornValhallMemoryAccess *access,
                            const uint32_t words[NORN_VALHALL_ACCESS_WORDS], uint8_t *bytes) {
  for (unsigned i = 0; i < access->bytes; i++)
    bytes[i] = (uint8_t)(words[i / 4] >> (i % 4 * 8 + access->part_shift));
}

static uint64_t
operand_at(const NornValhallMemoryAccess *access, const uint32_t *words) {
  uint64_t value = words[0];
  if (access->operand_words > 1)
    return value | (uint64_t)words[1] << 32;
  return access->sign_extends ? (uint64_t)norn_int_sign_extend(value, 32) : value;
}

uint64_t
norn_valhall_atomic_operand(const NornValhallMemoryAccess *access,
                            const uint32_t words[NORN_VALHALL_ACCESS_WORDS]) {
  if (access->fixed_operand)
    return norn_int_truncate((uint64_t)(int64_t)access->fixed_operand, 8u * access->bytes);
  return access->has_operand ? operand_at(access, words) : 1;
}

uint64_t
norn_valhall_atomic(const NornValhallMemoryAccess *access, uint64_t old,
                    const uint32_t words[NORN_VALHALL_ACCESS_WORDS]) {
  if (access->has_compare && operand_at(access, words + access->operand_words) != old)
    return old;
  return norn_atomic_combine(access->atomic, old, norn_valhall_atomic_operand(access, words),
                             8u * access->bytes);
}
