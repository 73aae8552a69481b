/* Resources as the hardware sees them: tables of descriptors. */
#include "sim/valhall/buffers.h"
#include "sim/common/image.h"
#include "sim/common/launch.h"
#include "sim/valhall/images.h"
#include <norn/valhall.h>

#define DESCRIPTOR_TYPE_SAMPLER 1
#define DESCRIPTOR_TYPE_TEXTURE 2
#define DESCRIPTOR_TYPE_BUFFER 9

NornValhallSimBuffer
norn_valhall_find_buffer(const NornLaunch *launch, uint32_t handle) {
  size_t size;
  if (!norn_launch_find_buffer(launch, handle, &size))
    return (NornValhallSimBuffer){0, 0, 0};
  const NornResource *resource = norn_launch_find_resource(launch, handle);
  return (NornValhallSimBuffer){norn_memory_address(launch->memory, resource->buffer), size,
                                resource->stride};
}

/* The resource as a row of elements; it has no bytes if it is not one. */
static NornValhallSimBuffer
find_row(const NornLaunch *launch, uint32_t handle) {
  const NornResource *resource = norn_launch_find_resource(launch, handle);
  const NornImage *image = resource ? resource->image : NULL;
  uint64_t size;
  if (!image || !image->is_buffer || !norn_image_bytes(image, &size))
    return norn_valhall_find_buffer(launch, handle);
  return (NornValhallSimBuffer){norn_memory_address(launch->memory, image->buffer) + image->offset,
                                size, norn_pixel_format_bytes(image->format)};
}

/* Word `word` of the descriptor of a buffer, whose texels may have a format. */
static uint32_t
buffer_word(NornValhallSimBuffer buffer, const NornPixelFormat *format, unsigned word) {
  const uint32_t words[] = {
      DESCRIPTOR_TYPE_BUFFER,
      (uint32_t)buffer.size,
      (uint32_t)buffer.address,
      (uint32_t)(buffer.address >> 32),
      buffer.stride,
      0,
      0,
      format ? norn_valhall_conversion(*format) : 0,
  };
  return word < G_N_ELEMENTS(words) ? words[word] : 0;
}

/* Word `word` of an image's descriptor, limited to what programs read to find sizes. */
static uint32_t
image_word(const NornImage *image, unsigned word) {
  unsigned samples = 0;
  while (samples < 7 && 1u << (samples + 1) <= image->samples)
    samples++;
  const uint32_t words[] = {
      DESCRIPTOR_TYPE_TEXTURE,
      ((image->width - 1) & 0xFFFF) | (image->height - 1) << 16,
      ((image->levels - 1) & 0x1F) << 16,
      samples << 13,
      0,
      0,
      (image->layers - 1) & 0xFFFF,
      (image->depth - 1) & 0xFFFF,
  };
  return word < G_N_ELEMENTS(words) ? words[word] : 0;
}

/* A level of detail as it is encoded in a descriptor: unsigned, with eight fraction bits. */
static uint32_t
descriptor_lod(float lod) {
  return lod > 0 ? (uint32_t)(MIN(lod, 31.0f) * 256) & 0x1FFF : 0;
}

static uint32_t
sampler_word(const NornSampler *sampler, unsigned word) {
  static const uint8_t mip_codes[] = {
      [NORN_MIP_NONE] = 1, [NORN_MIP_NEAREST] = 0, [NORN_MIP_LINEAR] = 3};
  switch (word) {
  case 0:
    return DESCRIPTOR_TYPE_SAMPLER | (uint32_t)mip_codes[sampler->mip] << 30;
  case 1:
    return descriptor_lod(sampler->minimum_lod) | descriptor_lod(sampler->maximum_lod) << 16;
  default:
    return 0;
  }
}

uint32_t
norn_valhall_descriptor_word(const NornLaunch *launch, uint32_t handle, unsigned word) {
  const NornResource *resource = norn_launch_find_resource(launch, handle);
  if (!resource)
    return 0;
  const NornImage *image = resource->image;
  if (image && !image->is_buffer)
    return image_word(image, word);
  return resource->sampler
             ? sampler_word(resource->sampler, word)
             : buffer_word(find_row(launch, handle), image ? &image->format : NULL, word);
}

uint64_t
norn_valhall_byte_address(const NornLaunch *launch, uint32_t handle, uint64_t offset) {
  NornValhallSimBuffer buffer = norn_valhall_find_buffer(launch, handle);
  return offset < buffer.size ? buffer.address + offset : NORN_VALHALL_NULL_ADDRESS_BIT;
}

uint64_t
norn_valhall_element_address(const NornLaunch *launch, uint32_t handle, uint64_t element) {
  NornValhallSimBuffer row = find_row(launch, handle);
  uint64_t offset = element * row.stride;
  return offset < row.size ? row.address + offset : NORN_VALHALL_NULL_ADDRESS_BIT;
}

uint32_t
norn_valhall_immediate_handle(const NornValhallSimInstruction *instruction) {
  const NornIsaEncoding *encoding = instruction->encoding;
  uint32_t table = norn_isa_field_get(encoding, NORN_VALHALL_FIELD_TABLE, instruction->word);
  uint32_t index = norn_isa_field_get(encoding, NORN_VALHALL_FIELD_INDEX, instruction->word);
  return norn_valhall_table_of_code(table) << NORN_VALHALL_TABLE_SHIFT | index;
}
