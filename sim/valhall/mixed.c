/* Tracking undefined bytes through exclusive or.
 *
 * An undefined byte gets a number the first time that it is a source of an exclusive or. The
 * result is mixed with the undefined bytes that occur in an odd number of its sources: the
 * exclusive or of their numbers identifies that set, and 0 is the empty set, which makes the
 * byte defined. Numbers are spread over 32 bits, so different sets practically never have the
 * same one. A number is valid from one definition of the byte to the next; code that makes a
 * byte undefined clears its number. */
#include "sim/valhall/mixed.h"
#include <norn/valhall.h>

bool
norn_valhall_mixes(const NornValhallSimInstruction *instruction) {
  const NornValhallSimSource *shift = &instruction->source[1];
  return instruction->encoding->instruction == NORN_VALHALL_LSHIFT_XOR_I32 &&
         shift->kind == NORN_VALHALL_SOURCE_VALUE && !shift->value &&
         !norn_valhall_field(instruction,
                             NORN_VALHALL_FIELD_SWIZZLE0); /* selects part of the source */
}

/* The counter's next number, through a bijection of 32 bits that maps 0 to 0 (MurmurHash3's
 * finalizer). */
static uint32_t
next_number(NornValhallSimWarp *warp) {
  uint32_t x = ++warp->mix_count;
  x = (x ^ x >> 16) * UINT32_C(0x85EBCA6B);
  x = (x ^ x >> 13) * UINT32_C(0xC2B2AE35);
  return x ^ x >> 16;
}

static void
add_source(NornValhallSimWarp *warp, const NornValhallSimSource *source, unsigned lane,
           NornValhallSimMix *mix) {
  if (source->kind != NORN_VALHALL_SOURCE_REGISTER)
    return;
  unsigned defined = warp->defined[source->reg][lane];
  uint32_t *mixed = warp->mixed[source->reg][lane];
  for (unsigned byte = 0; byte < 4; byte++) {
    if (defined >> byte & 1)
      continue;
    if (!mixed[byte])
      mixed[byte] = next_number(warp);
    mix->unknown[byte] ^= mixed[byte];
  }
  if (defined != 0xF)
    warp->some_mixed |= NORN_VALHALL_REGISTER_BIT(source->reg);
}

uint32_t
norn_valhall_mix(NornValhallSimWarp *warp, unsigned lane, NornValhallSimMix *mix) {
  uint32_t undefined = 0;
  *mix = (NornValhallSimMix){0};
  add_source(warp, &warp->instruction->source[0], lane, mix);
  add_source(warp, &warp->instruction->source[2], lane, mix);
  for (unsigned byte = 0; byte < 4; byte++)
    undefined |= mix->unknown[byte] ? UINT32_C(0xFF) << 8 * byte : 0;
  return undefined;
}

void
norn_valhall_set_mix(NornValhallSimWarp *warp, unsigned reg, unsigned lane,
                     const NornValhallSimMix *mix) {
  for (unsigned byte = 0; byte < 4; byte++)
    warp->mixed[reg][lane][byte] = mix->unknown[byte];
  warp->some_mixed |= NORN_VALHALL_REGISTER_BIT(reg);
}

bool
norn_valhall_is_mixed(const NornValhallSimWarp *warp, unsigned reg, unsigned lane) {
  uint32_t any = 0;
  for (unsigned byte = 0; byte < 4; byte++)
    any |= warp->mixed[reg][lane][byte];
  return any != 0;
}
