/* Valhall messages on images.
 *
 * The conversion word of an image has the simulator's own format: it is returned only by LEA_TEX
 * and the descriptors of texel buffers, and used only by LD_CVT and ST_CVT. */
#include "sim/valhall/images.h"
#include "sim/common/launch.h"
#include "sim/valhall/buffers.h"
#include "sim/valhall/components.h"
#include "sim/valhall/memory.h"
#include <norn/valhall.h>

/* --- Conversions --- */

/* A conversion word: channels, bits and kind of the format, and a marker. */
#define CONVERSION_MARK 0x4E000000u

uint32_t
norn_valhall_conversion(NornPixelFormat format) {
  return CONVERSION_MARK | format.channels | (uint32_t)format.bits << 4 |
         (uint32_t)format.kind << 12;
}

static bool
format_of(uint32_t conversion, NornPixelFormat *format) {
  *format = (NornPixelFormat){conversion & 0xF, conversion >> 4 & 0xFF,
                              (NornChannelKind)(conversion >> 12 & 0xF)};
  return norn_valhall_conversion(*format) == conversion && format->channels >= 1 &&
         format->channels <= 4 && (format->bits == 8 || format->bits == 16 || format->bits == 32) &&
         format->kind <= NORN_CHANNEL_FLOAT;
}

/* --- Texels --- */

/* Reads coordinates and handle of an image access and finds the texel's address, null outside. */
static bool
read_texel_address(NornValhallSimWarp *warp, unsigned lane, const NornImage **image,
                   uint64_t *address, GError **error) {
  const NornLaunch *launch = warp->run->launch;
  uint64_t xy, zw, handle;
  if (!norn_valhall_read_defined(warp, 0, lane, &xy, error) ||
      !norn_valhall_read_defined(warp, 1, lane, &zw, error))
    return false;
  if (warp->instruction->source_count < 3)
    handle = norn_valhall_immediate_handle(warp->instruction);
  else if (!norn_valhall_read_defined(warp, 2, lane, &handle, error))
    return false;
  const NornResource *resource = norn_launch_find_resource(launch, (uint32_t)handle);
  *image = resource && resource->image && !resource->image->is_buffer ? resource->image : NULL;
  *address = NORN_VALHALL_NULL_ADDRESS_BIT;
  if (!*image || !launch->memory)
    return true;
  /* In one dimension, x is the whole first source; the sample number is in the place of z. */
  bool is_line = (*image)->height == 1 && (*image)->depth == 1 && (*image)->layers == 1;
  NornTexelCoordinates at = {.x = is_line ? (int64_t)xy : (int64_t)(xy & 0xFFFF),
                             .y = is_line ? 0 : (int64_t)(xy >> 16),
                             .layer = (int64_t)(zw >> 16)};
  if ((*image)->samples > 1)
    at.sample = zw & 0xFFFF;
  else
    at.z = (int64_t)(zw & 0xFFFF);
  const uint8_t *bytes = norn_image_texel(*image, launch->memory, at);
  if (bytes)
    *address = norn_memory_address(launch->memory, (*image)->buffer) +
               (uint64_t)(bytes - norn_memory_bytes(launch->memory, (*image)->buffer, NULL));
  return true;
}

/* The checked bytes of a texel. */
static uint8_t *
access_texel(NornValhallSimWarp *warp, unsigned lane, uint64_t address, NornPixelFormat format,
             bool is_write, GError **error) {
  const NornValhallLaneAccess access = {.lane = lane,
                                        .address = address,
                                        .size = norn_pixel_format_bytes(format),
                                        .alignment = format.bits / 8,
                                        .is_write = is_write};
  return norn_valhall_access_memory(warp, &access, error);
}

/* Loads a texel into the registers; zeros from a null address. */
static bool
load_texel(NornValhallSimWarp *warp, unsigned lane, uint64_t address, NornPixelFormat format,
           GError **error) {
  NornTexel texel = {{0, 0, 0, 0}};
  if (!(address & NORN_VALHALL_NULL_ADDRESS_BIT)) {
    const uint8_t *bytes = access_texel(warp, lane, address, format, false, error);
    if (!bytes)
      return false;
    texel = norn_format_read(format, bytes);
  }
  norn_valhall_drop_last_uses(warp, lane);
  return norn_valhall_write_texel(warp, lane, format.kind, texel, error);
}

/* The format of an image that does not exist. */
static const NornPixelFormat no_format = {1, 32, NORN_CHANNEL_UINT};

static bool
load_image(NornValhallSimWarp *warp, unsigned lane, GError **error) {
  const NornImage *image;
  uint64_t address;
  return read_texel_address(warp, lane, &image, &address, error) &&
         load_texel(warp, lane, address, image ? image->format : no_format, error);
}

static bool
image_address(NornValhallSimWarp *warp, unsigned lane, GError **error) {
  const NornImage *image;
  uint64_t address;
  if (!read_texel_address(warp, lane, &image, &address, error))
    return false;
  norn_valhall_drop_last_uses(warp, lane);
  return norn_valhall_write_address(warp, lane, address, error) &&
         norn_valhall_write_staging(warp, 2, lane, 0xF,
                                    image ? norn_valhall_conversion(image->format) : 0, error);
}

/* Reads address and conversion of LD_CVT and ST_CVT. */
static bool
read_conversion(NornValhallSimWarp *warp, unsigned lane, uint64_t *address, NornPixelFormat *format,
                GError **error) {
  uint64_t conversion;
  if (!norn_valhall_read_defined(warp, 0, lane, address, error) ||
      !norn_valhall_read_defined(warp, 1, lane, &conversion, error))
    return false;
  *address += norn_valhall_field(warp->instruction, NORN_VALHALL_FIELD_OFFSET);
  if (*address & NORN_VALHALL_NULL_ADDRESS_BIT || format_of((uint32_t)conversion, format))
    return true;
  return norn_valhall_trap(warp, (int)lane, NORN_VALHALL_TRAP_CONVERSION, error,
                           "0x%x is not a conversion word from LEA_TEX or a descriptor",
                           (uint32_t)conversion);
}

static bool
load_converted(NornValhallSimWarp *warp, unsigned lane, GError **error) {
  uint64_t address;
  NornPixelFormat format = no_format;
  return read_conversion(warp, lane, &address, &format, error) &&
         load_texel(warp, lane, address, format, error);
}

static bool
store_converted(NornValhallSimWarp *warp, unsigned lane, GError **error) {
  uint64_t address;
  NornPixelFormat format;
  uint32_t components[4] = {0};
  unsigned bits = norn_valhall_component_bits(warp->instruction),
           count = norn_valhall_component_count(warp->instruction);
  if (!read_conversion(warp, lane, &address, &format, error) ||
      !norn_valhall_read_components(warp, lane, bits, count, components, error))
    return false;
  norn_valhall_drop_last_uses(warp, lane);
  if (address & NORN_VALHALL_NULL_ADDRESS_BIT || norn_valhall_is_helper(warp, lane))
    return true;
  uint8_t *bytes = access_texel(warp, lane, address, format, true, error);
  if (!bytes)
    return false;
  NornTexel texel;
  for (unsigned i = 0; i < 4; i++)
    texel.channel[i] = norn_component_widen(bits, format.kind, components[i]);
  norn_format_write(format, bytes, texel);
  return true;
}

/* --- The table --- */

static const NornValhallSimMessage messages[] = {
    [NORN_VALHALL_LD_TEX] = load_image,     [NORN_VALHALL_LD_TEX_IMM] = load_image,
    [NORN_VALHALL_LEA_TEX] = image_address, [NORN_VALHALL_LEA_TEX_IMM] = image_address,
    [NORN_VALHALL_LD_CVT] = load_converted, [NORN_VALHALL_ST_CVT] = store_converted,
};

NornValhallSimMessage
norn_valhall_image_message(uint16_t instruction) {
  return instruction < G_N_ELEMENTS(messages) ? messages[instruction] : NULL;
}
