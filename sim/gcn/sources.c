/* Scalar registers, inline constants and the word in LDS as sources. */
#include "sim/gcn/sources.h"
#include "ir/numeric.h"

enum {
  CODE_ZERO = 128,
  CODE_SIXTY_FOUR = 192,
  CODE_MINUS_SIXTEEN = 208,
  CODE_APERTURE = 235,
  CODE_FLOATS = 240,
  CODE_FLOATS_END = 249,
  CODE_VCCZ = 251,
  CODE_EXECZ = 252,
  CODE_SCC = 253,
  CODE_LDS_DIRECT = 254,
};

/* Codes 240 to 248: 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1/(2 pi), in each format. */
static const uint64_t inline_floats[3][9] = {
    [NORN_FLOAT_16] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118},
    [NORN_FLOAT_32] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000, 0xc0000000,
                       0x40800000, 0xc0800000, 0x3e22f983},
    [NORN_FLOAT_64] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
                       0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
                       0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882},
};

/* The word that M0 addresses in LDS: bits 0-15 are a byte address, bits 16-18 the type: 0
 * unsigned byte, 1 unsigned half, 2 word, 4 signed byte, 5 signed half. */
static const char *
read_lds_direct(const NornGcnState *state, uint64_t *value) {
  uint32_t m0 = state->s[NORN_GCN_M0];
  uint32_t address = m0 & 0xffff, type = m0 >> 16 & 7;
  unsigned bytes = type == 2 ? 4 : type & 1 ? 2 : 1;
  if (type == 3 || type > 5)
    return "M0 does not hold a valid type for lds_direct";
  if (address % bytes)
    return "M0 holds an unaligned address for lds_direct";
  if (address / 4 >= state->lds_words)
    return "lds_direct reads past the end of LDS";
  uint64_t bits = state->lds[address / 4] >> 8 * (address % 4);
  *value = type & 4 ? (uint32_t)norn_int_sign_extend(bits, 8 * bytes)
                    : norn_int_truncate(bits, 8 * bytes);
  return NULL;
}

const char *
norn_gcn_read_uniform(const NornGcnState *state, unsigned code, unsigned bits, uint64_t *value) {
  if (code < NORN_GCN_SCALARS) {
    if (bits > 32 && code + bits / 32 > NORN_GCN_SCALARS)
      return "a scalar source extends past the last register";
    *value = bits > 32 ? norn_gcn_scalar_pair(state, code) : state->s[code];
  } else if (code <= CODE_SIXTY_FOUR) {
    *value = code - CODE_ZERO;
  } else if (code <= CODE_MINUS_SIXTEEN) {
    *value = (uint64_t)((int64_t)CODE_SIXTY_FOUR - (int64_t)code);
  } else if (code >= CODE_FLOATS && code < CODE_FLOATS_END) {
    NornFloatFormat format = norn_float_of_width(bits);
    *value = inline_floats[format][code - CODE_FLOATS];
  } else if (code >= CODE_APERTURE && code < CODE_FLOATS) {
    *value = state->aperture[code - CODE_APERTURE];
  } else if (code == CODE_VCCZ) {
    *value = norn_gcn_scalar_pair(state, NORN_GCN_VCC) == 0;
  } else if (code == CODE_EXECZ) {
    *value = norn_gcn_scalar_pair(state, NORN_GCN_EXEC) == 0;
  } else if (code == CODE_SCC) {
    *value = state->scc;
  } else if (code == CODE_LDS_DIRECT) {
    return read_lds_direct(state, value);
  } else {
    return "a source code is reserved";
  }
  *value = norn_int_truncate(*value, MAX(bits, 32));
  return NULL;
}

bool
norn_gcn_read_scalar(const NornGcnState *state, unsigned code, uint32_t *value, GError **error) {
  uint64_t wide = 0;
  const char *problem = "expected a scalar source, found a vector register";
  if (code < NORN_GCN_VECTOR_SOURCES)
    problem = norn_gcn_read_uniform(state, code, 32, &wide);
  if (problem)
    g_set_error(error, NORN_ERROR, NORN_ERROR_TRAP, "%s", problem);
  *value = (uint32_t)wide;
  return problem == NULL;
}
