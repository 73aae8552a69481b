/* The parts that do not depend on the packages required for reading SPIR-V. */
#include <norn/spirv.h>
#include <string.h>

/* The minimum that Vulkan requires of a driver (maxComputeWorkGroupCount: section 43.1, Limit
 * Requirements), which is what the drivers for these machines offer. */
#define MIN_GRID_LIMIT 65535

void
norn_spirv_options_init(NornSpirvOptions *options) {
  *options = (NornSpirvOptions){.abi = {.resource_table = 16,
                                        .sampler_table = 32,
                                        .clip_location = 32,
                                        .grid_limit = MIN_GRID_LIMIT}};
}

bool
norn_spirv_is_module(const void *bytes, size_t size) {
  /* SPIR-V, section 2.3, in either byte order. */
  static const unsigned char magic[2][4] = {{3, 2, 0x23, 7}, {7, 0x23, 2, 3}};
  return size >= 4 && (!memcmp(bytes, magic[0], 4) || !memcmp(bytes, magic[1], 4));
}
