/* Resources as the hardware sees them: tables of descriptors. */
#include "sim/valhall/buffers.h"
#include "sim/common/launch.h"
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

/* Word `word` of a buffer's descriptor. */
static uint32_t
buffer_word(NornValhallSimBuffer buffer, unsigned word) {
  const uint32_t words[] = {DESCRIPTOR_TYPE_BUFFER, (uint32_t)buffer.size, (uint32_t)buffer.address,
                            (uint32_t)(buffer.address >> 32), buffer.stride};
  return word < G_N_ELEMENTS(words) ? words[word] : 0;
}

/* Word `word` of an image's descriptor, as far as programs read it to know sizes. */
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

/* A level of detail as a descriptor has it: unsigned, with eight fraction bits. */
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
  if (resource->image)
    return image_word(resource->image, word);
  return resource->sampler ? sampler_word(resource->sampler, word)
                           : buffer_word(norn_valhall_find_buffer(launch, handle), word);
}

uint64_t
norn_valhall_byte_address(const NornLaunch *launch, uint32_t handle, uint64_t offset) {
  NornValhallSimBuffer buffer = norn_valhall_find_buffer(launch, handle);
  return offset < buffer.size ? buffer.address + offset : NORN_VALHALL_NULL_ADDRESS_BIT;
}

uint64_t
norn_valhall_element_address(const NornLaunch *launch, uint32_t handle, uint64_t element) {
  return norn_valhall_byte_address(launch, handle,
                                   element * norn_valhall_find_buffer(launch, handle).stride);
}

uint32_t
norn_valhall_immediate_handle(const NornValhallSimInstruction *instruction) {
  const NornIsaEncoding *encoding = instruction->encoding;
  uint32_t table = norn_isa_field_get(encoding, NORN_VALHALL_FIELD_TABLE, instruction->word);
  uint32_t index = norn_isa_field_get(encoding, NORN_VALHALL_FIELD_INDEX, instruction->word);
  return norn_valhall_table_of_code(table) << NORN_VALHALL_TABLE_SHIFT | index;
}
