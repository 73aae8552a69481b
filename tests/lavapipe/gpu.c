/* Running shaders with Vulkan; see gpu.h. */
#include "gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

static void
check(VkResult result, const char *what) {
  if (result == VK_SUCCESS)
    return;
  fprintf(stderr, "%s failed: %d\n", what, result);
  exit(3);
}
#define CALL(call) check(call, #call)

typedef struct Buffer {
  VkBuffer buffer;
  VkDeviceMemory memory;
  guint8 *bytes; /* mapped */
} Buffer;

typedef struct GpuImage {
  VkImage image;
  VkImageView view;
  VkFormat format;
  Buffer staging;
} GpuImage;

/* The Vulkan objects of an item. */
typedef struct GpuItem {
  Buffer buffer;
  VkBufferView texels;
  GpuImage image;
  VkSampler sampler;
} GpuItem;

typedef struct Gpu {
  VkInstance instance;
  VkPhysicalDevice physical;
  VkDevice device;
  VkQueue queue;
  VkCommandBuffer commands;
  VkPhysicalDeviceMemoryProperties memory;
  GpuItem *items;
  VkDescriptorSetLayout layouts[16];
  VkDescriptorSet sets[16];
  guint set_count;
  VkPipelineLayout layout;
} Gpu;

/* --- Device --- */

static gboolean
find_device(Gpu *gpu, const char **reason) {
  VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_2};
  VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                               .pApplicationInfo = &application};
  VkPhysicalDevice devices[16];
  uint32_t count = G_N_ELEMENTS(devices);
  *reason = "the Vulkan loader finds no driver";
  if (vkCreateInstance(&info, NULL, &gpu->instance) != VK_SUCCESS ||
      vkEnumeratePhysicalDevices(gpu->instance, &count, devices) < 0)
    return FALSE;
  *reason = "Vulkan has no lavapipe device";
  for (uint32_t i = 0; i < count; i++) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(devices[i], &properties);
    if (properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU)
      continue;
    gpu->physical = devices[i];
    return TRUE;
  }
  return FALSE;
}

gboolean
gpu_is_there(const char **reason) {
  Gpu gpu = {0};
  gboolean there = find_device(&gpu, reason);
  if (gpu.instance)
    vkDestroyInstance(gpu.instance, NULL);
  return there;
}

static void
open_device(Gpu *gpu) {
  const char *reason;
  float priority = 1;
  if (!find_device(gpu, &reason))
    check(VK_ERROR_INITIALIZATION_FAILED, reason);
  VkPhysicalDeviceVulkan12Features features12 = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceVulkan11Features features11 = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &features12};
  VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                        .pNext = &features11};
  vkGetPhysicalDeviceFeatures2(gpu->physical, &features);
  vkGetPhysicalDeviceMemoryProperties(gpu->physical, &gpu->memory);
  VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                   .queueCount = 1,
                                   .pQueuePriorities = &priority};
  VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                             .pNext = &features,
                             .queueCreateInfoCount = 1,
                             .pQueueCreateInfos = &queue};
  CALL(vkCreateDevice(gpu->physical, &info, NULL, &gpu->device));
  vkGetDeviceQueue(gpu->device, 0, 0, &gpu->queue);
  VkCommandPool pool;
  VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  CALL(vkCreateCommandPool(gpu->device, &pool_info, NULL, &pool));
  VkCommandBufferAllocateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                          .commandPool = pool,
                                          .commandBufferCount = 1};
  CALL(vkAllocateCommandBuffers(gpu->device, &commands, &gpu->commands));
  VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  CALL(vkBeginCommandBuffer(gpu->commands, &begin));
}

/* Host-visible memory, whatever it is used for: the device has only one kind. */
static VkDeviceMemory
allocate(const Gpu *gpu, VkMemoryRequirements needs) {
  VkMemoryPropertyFlags wanted =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                               .allocationSize = needs.size};
  VkDeviceMemory memory;
  while (info.memoryTypeIndex < gpu->memory.memoryTypeCount &&
         (!(needs.memoryTypeBits >> info.memoryTypeIndex & 1) ||
          (gpu->memory.memoryTypes[info.memoryTypeIndex].propertyFlags & wanted) != wanted))
    info.memoryTypeIndex++;
  CALL(vkAllocateMemory(gpu->device, &info, NULL, &memory));
  return memory;
}

static Buffer
make_buffer(const Gpu *gpu, gsize size, const void *bytes) {
  Buffer buffer;
  VkMemoryRequirements needs;
  VkBufferCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
      .size = MAX(size, 16),
      .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
               VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
               VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
               VK_BUFFER_USAGE_VERTEX_BUFFER_BIT};
  CALL(vkCreateBuffer(gpu->device, &info, NULL, &buffer.buffer));
  vkGetBufferMemoryRequirements(gpu->device, buffer.buffer, &needs);
  buffer.memory = allocate(gpu, needs);
  CALL(vkBindBufferMemory(gpu->device, buffer.buffer, buffer.memory, 0));
  CALL(vkMapMemory(gpu->device, buffer.memory, 0, VK_WHOLE_SIZE, 0, (void **)&buffer.bytes));
  if (bytes)
    memcpy(buffer.bytes, bytes, size);
  return buffer;
}

/* --- Images --- */

static VkFormat
find_format(NornPixelFormat format) {
  static const struct {
    NornPixelFormat format;
    VkFormat there;
  } rows[] = {
#define ROWS(bits, kind, suffix, r, rg, rgba)                                                      \
  {{1, bits, NORN_CHANNEL_##kind}, VK_FORMAT_##r##_##suffix},                                      \
      {{2, bits, NORN_CHANNEL_##kind}, VK_FORMAT_##rg##_##suffix},                                 \
      {{4, bits, NORN_CHANNEL_##kind}, VK_FORMAT_##rgba##_##suffix}
      ROWS(8, UNORM, UNORM, R8, R8G8, R8G8B8A8),
      ROWS(8, SNORM, SNORM, R8, R8G8, R8G8B8A8),
      ROWS(8, UINT, UINT, R8, R8G8, R8G8B8A8),
      ROWS(8, SINT, SINT, R8, R8G8, R8G8B8A8),
      ROWS(16, UNORM, UNORM, R16, R16G16, R16G16B16A16),
      ROWS(16, UINT, UINT, R16, R16G16, R16G16B16A16),
      ROWS(16, SINT, SINT, R16, R16G16, R16G16B16A16),
      ROWS(16, FLOAT, SFLOAT, R16, R16G16, R16G16B16A16),
      ROWS(32, UINT, UINT, R32, R32G32, R32G32B32A32),
      ROWS(32, SINT, SINT, R32, R32G32, R32G32B32A32),
      ROWS(32, FLOAT, SFLOAT, R32, R32G32, R32G32B32A32),
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
    if (!memcmp(&rows[i].format, &format, sizeof format))
      return rows[i].there;
  check(VK_ERROR_FORMAT_NOT_SUPPORTED, "finding the format");
  return VK_FORMAT_UNDEFINED;
}

static void
barrier(const Gpu *gpu, VkImage image, VkImageLayout from, VkImageLayout to) {
  VkImageMemoryBarrier info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
      .oldLayout = from,
      .newLayout = to,
      .image = image,
      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                           VK_REMAINING_ARRAY_LAYERS}};
  vkCmdPipelineBarrier(gpu->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &info);
}

static VkBufferImageCopy
whole_image(const NornImage *image) {
  return (VkBufferImageCopy){.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, image->layers},
                             .imageExtent = {image->width, image->height, image->depth}};
}

static GpuImage
make_image(const Gpu *gpu, const NornImage *like, NornDimension dimension, VkImageUsageFlags usage,
           const void *bytes, gsize size) {
  static const struct {
    VkImageType type;
    VkImageViewType view;
    VkImageCreateFlags flags;
  } rows[] = {
      [NORN_DIMENSION_1D] = {VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D, 0},
      [NORN_DIMENSION_1D_ARRAY] = {VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D_ARRAY, 0},
      [NORN_DIMENSION_2D] = {VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, 0},
      [NORN_DIMENSION_2D_ARRAY] = {VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 0},
      [NORN_DIMENSION_3D] = {VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D, 0},
      [NORN_DIMENSION_CUBE] = {VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_CUBE,
                               VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT},
      [NORN_DIMENSION_CUBE_ARRAY] = {VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY,
                                     VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT},
  };
  GpuImage image = {.format = find_format(like->format), .staging = make_buffer(gpu, size, bytes)};
  VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                            .flags = rows[dimension].flags,
                            .imageType = rows[dimension].type,
                            .format = image.format,
                            .extent = {like->width, like->height, like->depth},
                            .mipLevels = 1,
                            .arrayLayers = like->layers,
                            .samples = VK_SAMPLE_COUNT_1_BIT,
                            .usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                     VK_IMAGE_USAGE_TRANSFER_DST_BIT};
  VkMemoryRequirements needs;
  CALL(vkCreateImage(gpu->device, &info, NULL, &image.image));
  vkGetImageMemoryRequirements(gpu->device, image.image, &needs);
  CALL(vkBindImageMemory(gpu->device, image.image, allocate(gpu, needs), 0));
  VkImageViewCreateInfo view = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
      .image = image.image,
      .viewType = rows[dimension].view,
      .format = image.format,
      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, like->layers}};
  CALL(vkCreateImageView(gpu->device, &view, NULL, &image.view));
  VkBufferImageCopy copy = whole_image(like);
  barrier(gpu, image.image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  vkCmdCopyBufferToImage(gpu->commands, image.staging.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL,
                         1, &copy);
  barrier(gpu, image.image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
  return image;
}

static void
read_back(const Gpu *gpu, const GpuImage *image, const NornImage *like) {
  VkBufferImageCopy copy = whole_image(like);
  barrier(gpu, image->image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
  vkCmdCopyImageToBuffer(gpu->commands, image->image, VK_IMAGE_LAYOUT_GENERAL,
                         image->staging.buffer, 1, &copy);
}

/* --- Resources --- */

static gboolean
is_texel_buffer(const Item *item) {
  return item->image.format.channels && item->resource.dimension == NORN_DIMENSION_BUFFER;
}

static VkSampler
make_sampler(const Gpu *gpu, const NornSampler *sampler, gboolean compares) {
  static const VkSamplerAddressMode wraps[] = {
      VK_SAMPLER_ADDRESS_MODE_REPEAT, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
      VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER};
  VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                              .magFilter = (VkFilter)sampler->magnify,
                              .minFilter = (VkFilter)sampler->minify,
                              .addressModeU = wraps[sampler->wrap[0]],
                              .addressModeV = wraps[sampler->wrap[1]],
                              .addressModeW = wraps[sampler->wrap[2]],
                              .compareEnable = compares,
                              .compareOp = (VkCompareOp)sampler->compare};
  VkSampler made;
  CALL(vkCreateSampler(gpu->device, &info, NULL, &made));
  return made;
}

static void
make_item(const Gpu *gpu, const Item *item, GpuItem *made) {
  if (item->resource.kind == NORN_SPIRV_SAMPLER) {
    made->sampler = make_sampler(gpu, &item->sampler, FALSE);
    return;
  }
  if (item->image.format.channels && !is_texel_buffer(item)) {
    made->image =
        make_image(gpu, &item->image, item->resource.dimension,
                   item->resource.kind == NORN_SPIRV_STORAGE_IMAGE ? VK_IMAGE_USAGE_STORAGE_BIT
                                                                   : VK_IMAGE_USAGE_SAMPLED_BIT,
                   item->bytes, item->size);
    return;
  }
  made->buffer = make_buffer(gpu, item->size, item->bytes);
  if (!is_texel_buffer(item))
    return;
  VkBufferViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                 .buffer = made->buffer.buffer,
                                 .format = find_format(item->image.format),
                                 .range = item->size};
  CALL(vkCreateBufferView(gpu->device, &view, NULL, &made->texels));
}

/* The other part of a combined texture, or NULL. */
static const Item *
find_other(const Scene *scene, const Item *item) {
  for (guint i = 0; i < scene->items->len; i++) {
    const Item *other = &g_array_index(scene->items, Item, i);
    if (other != item && other->resource.set == item->resource.set &&
        other->resource.binding == item->resource.binding && other->element == item->element)
      return other;
  }
  return NULL;
}

static VkDescriptorType
descriptor_type(const Scene *scene, const Item *item) {
  switch (item->resource.kind) {
  case NORN_SPIRV_STORAGE_BUFFER:
    return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  case NORN_SPIRV_UNIFORM_BUFFER:
    return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
  case NORN_SPIRV_STORAGE_IMAGE:
    return is_texel_buffer(item) ? VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER
                                 : VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
  case NORN_SPIRV_SAMPLER:
    return VK_DESCRIPTOR_TYPE_SAMPLER;
  default:
    if (is_texel_buffer(item))
      return VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    return find_other(scene, item) ? VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER
                                   : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
  }
}

/* Whether the item has no descriptor of its own because it is the sampler of a combined texture. */
static gboolean
is_half(const Scene *scene, const Item *item) {
  return item->resource.kind == NORN_SPIRV_SAMPLER && find_other(scene, item);
}

static void
make_layouts(Gpu *gpu, const Scene *scene) {
  for (guint i = 0; i < scene->items->len; i++)
    gpu->set_count = MAX(gpu->set_count, g_array_index(scene->items, Item, i).resource.set + 1);
  for (guint set = 0; set < gpu->set_count; set++) {
    g_autoptr(GArray) bindings = g_array_new(FALSE, TRUE, sizeof(VkDescriptorSetLayoutBinding));
    for (guint i = 0; i < scene->items->len; i++) {
      const Item *item = &g_array_index(scene->items, Item, i);
      VkDescriptorSetLayoutBinding binding = {.binding = item->resource.binding,
                                              .descriptorType = descriptor_type(scene, item),
                                              .descriptorCount =
                                                  item->resource.count ? item->resource.count : 4,
                                              .stageFlags = VK_SHADER_STAGE_ALL};
      if (item->resource.set == set && item->element == 0 && !is_half(scene, item))
        g_array_append_val(bindings, binding);
    }
    VkDescriptorSetLayoutCreateInfo info = {.sType =
                                                VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                            .bindingCount = bindings->len,
                                            .pBindings = (void *)bindings->data};
    CALL(vkCreateDescriptorSetLayout(gpu->device, &info, NULL, &gpu->layouts[set]));
  }
  VkPushConstantRange range = {VK_SHADER_STAGE_ALL, 0, sizeof scene->push};
  VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                     .setLayoutCount = gpu->set_count,
                                     .pSetLayouts = gpu->layouts,
                                     .pushConstantRangeCount = 1,
                                     .pPushConstantRanges = &range};
  CALL(vkCreatePipelineLayout(gpu->device, &info, NULL, &gpu->layout));
}

static void
write_item(const Gpu *gpu, const Scene *scene, guint i) {
  const Item *item = &g_array_index(scene->items, Item, i), *other = find_other(scene, item);
  const GpuItem *made = &gpu->items[i];
  VkDescriptorBufferInfo buffer = {made->buffer.buffer, 0, VK_WHOLE_SIZE};
  VkDescriptorImageInfo image = {made->sampler, made->image.view, VK_IMAGE_LAYOUT_GENERAL};
  if (other)
    image.sampler = gpu->items[other - &g_array_index(scene->items, Item, 0)].sampler;
  VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                .dstSet = gpu->sets[item->resource.set],
                                .dstBinding = item->resource.binding,
                                .dstArrayElement = item->element,
                                .descriptorCount = 1,
                                .descriptorType = descriptor_type(scene, item),
                                .pImageInfo = &image,
                                .pBufferInfo = &buffer,
                                .pTexelBufferView = &made->texels};
  if (!is_half(scene, item))
    vkUpdateDescriptorSets(gpu->device, 1, &write, 0, NULL);
}

static void
make_resources(Gpu *gpu, const Scene *scene) {
  VkDescriptorPoolSize sizes[11];
  make_layouts(gpu, scene);
  gpu->items = g_new0(GpuItem, scene->items->len + 1);
  for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
    sizes[i] = (VkDescriptorPoolSize){(VkDescriptorType)i, 256};
  VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                     .maxSets = 16,
                                     .poolSizeCount = G_N_ELEMENTS(sizes),
                                     .pPoolSizes = sizes};
  VkDescriptorPool pool;
  CALL(vkCreateDescriptorPool(gpu->device, &info, NULL, &pool));
  VkDescriptorSetAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = pool,
                                            .descriptorSetCount = gpu->set_count,
                                            .pSetLayouts = gpu->layouts};
  if (gpu->set_count)
    CALL(vkAllocateDescriptorSets(gpu->device, &allocation, gpu->sets));
  for (guint i = 0; i < scene->items->len; i++)
    make_item(gpu, &g_array_index(scene->items, Item, i), &gpu->items[i]);
  for (guint i = 0; i < scene->items->len; i++)
    write_item(gpu, scene, i);
}

static void
bind(const Gpu *gpu, const Scene *scene, VkPipelineBindPoint point, VkPipeline pipeline) {
  vkCmdBindPipeline(gpu->commands, point, pipeline);
  if (gpu->set_count)
    vkCmdBindDescriptorSets(gpu->commands, point, gpu->layout, 0, gpu->set_count, gpu->sets, 0,
                            NULL);
  vkCmdPushConstants(gpu->commands, gpu->layout, VK_SHADER_STAGE_ALL, 0, sizeof scene->push,
                     scene->push);
}

/* Runs the recorded commands, and copies the resulting contents of the items. */
static void
finish(const Gpu *gpu, Scene *scene) {
  for (guint i = 0; i < scene->items->len; i++)
    if (gpu->items[i].image.image)
      read_back(gpu, &gpu->items[i].image, &g_array_index(scene->items, Item, i).image);
  CALL(vkEndCommandBuffer(gpu->commands));
  VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .commandBufferCount = 1,
                         .pCommandBuffers = &gpu->commands};
  CALL(vkQueueSubmit(gpu->queue, 1, &submit, VK_NULL_HANDLE));
  CALL(vkQueueWaitIdle(gpu->queue));
  for (guint i = 0; i < scene->items->len; i++) {
    Item *item = &g_array_index(scene->items, Item, i);
    const GpuItem *made = &gpu->items[i];
    const Buffer *buffer = made->image.image ? &made->image.staging : &made->buffer;
    if (item->resource.kind != NORN_SPIRV_SAMPLER)
      memcpy(item->bytes, buffer->bytes, item->size);
  }
}

/* The specialization constants of a shader. */
static VkSpecializationInfo *
make_constants(const Shader *shader) {
  guint count = shader->constants->len;
  VkSpecializationInfo *info = g_new0(VkSpecializationInfo, 1);
  VkSpecializationMapEntry *entries = g_new0(VkSpecializationMapEntry, count + 1);
  guint32 *words = g_new0(guint32, count + 1);
  for (guint i = 0; i < count; i++) {
    const NornSpirvConstant *constant = &g_array_index(shader->constants, NornSpirvConstant, i);
    entries[i] = (VkSpecializationMapEntry){constant->id, i * 4, 4};
    words[i] = (guint32)constant->bits;
  }
  *info = (VkSpecializationInfo){count, entries, count * sizeof *words, words};
  return info;
}

static VkPipelineShaderStageCreateInfo
make_stage(const Gpu *gpu, const Shader *shader, VkShaderStageFlagBits stage) {
  gsize size;
  const void *words = g_bytes_get_data(shader->bytes, &size);
  VkShaderModuleCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = words};
  VkShaderModule module;
  CALL(vkCreateShaderModule(gpu->device, &info, NULL, &module));
  return (VkPipelineShaderStageCreateInfo){.sType =
                                               VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                           .stage = stage,
                                           .module = module,
                                           .pName = shader->entry,
                                           .pSpecializationInfo = make_constants(shader)};
}

void
gpu_compute(Scene *scene, const Shader *shader) {
  Gpu gpu = {0};
  VkPipeline pipeline;
  open_device(&gpu);
  make_resources(&gpu, scene);
  VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                      .stage =
                                          make_stage(&gpu, shader, VK_SHADER_STAGE_COMPUTE_BIT),
                                      .layout = gpu.layout};
  CALL(vkCreateComputePipelines(gpu.device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
  bind(&gpu, scene, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdDispatch(gpu.commands, scene->groups, 1, 1);
  finish(&gpu, scene);
}

/* --- Drawing --- */

/* The colors as they are declared, in 32 bits; locations between them are unused. */
typedef struct Targets {
  GpuImage images[NORN_COLOR_TARGETS];
  NornImage like[NORN_COLOR_TARGETS];
  VkAttachmentDescription attachments[NORN_COLOR_TARGETS];
  VkAttachmentReference references[NORN_COLOR_TARGETS];
  VkImageView views[NORN_COLOR_TARGETS];
  guint locations;
  VkRenderPass pass;
  VkFramebuffer framebuffer;
} Targets;

static void
make_targets(const Gpu *gpu, const Scene *scene, Targets *targets) {
  for (guint i = 0; i < NORN_COLOR_TARGETS; i++)
    targets->references[i] = (VkAttachmentReference){VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_GENERAL};
  for (guint i = 0; i < scene->colors->len; i++) {
    const Color *color = &g_array_index(scene->colors, Color, i);
    g_autofree guint8 *zeros = g_malloc0(PICTURE_SIDE * PICTURE_SIDE * 16);
    targets->like[i] = (NornImage){.format = {4, 32, color->kind},
                                   .width = PICTURE_SIDE,
                                   .height = PICTURE_SIDE,
                                   .depth = 1,
                                   .layers = 1,
                                   .levels = 1,
                                   .samples = 1};
    targets->images[i] =
        make_image(gpu, &targets->like[i], NORN_DIMENSION_2D, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                   zeros, PICTURE_SIDE * PICTURE_SIDE * 16);
    targets->views[i] = targets->images[i].view;
    targets->attachments[i] = (VkAttachmentDescription){.format = targets->images[i].format,
                                                        .samples = VK_SAMPLE_COUNT_1_BIT,
                                                        .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
                                                        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                        .initialLayout = VK_IMAGE_LAYOUT_GENERAL,
                                                        .finalLayout = VK_IMAGE_LAYOUT_GENERAL};
    targets->references[color->location].attachment = i;
    targets->locations = MAX(targets->locations, color->location + 1);
  }
  VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                  .colorAttachmentCount = targets->locations,
                                  .pColorAttachments = targets->references};
  VkRenderPassCreateInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                 .attachmentCount = scene->colors->len,
                                 .pAttachments = targets->attachments,
                                 .subpassCount = 1,
                                 .pSubpasses = &subpass};
  CALL(vkCreateRenderPass(gpu->device, &pass, NULL, &targets->pass));
  VkFramebufferCreateInfo framebuffer = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                         .renderPass = targets->pass,
                                         .attachmentCount = scene->colors->len,
                                         .pAttachments = targets->views,
                                         .width = PICTURE_SIDE,
                                         .height = PICTURE_SIDE,
                                         .layers = 1};
  CALL(vkCreateFramebuffer(gpu->device, &framebuffer, NULL, &targets->framebuffer));
}

static VkPipeline
make_pipeline(const Gpu *gpu, const Scene *scene, const Targets *targets, const Shader *vertex,
              const Shader *fragment) {
  VkVertexInputBindingDescription bindings[32];
  VkVertexInputAttributeDescription attributes[32];
  VkPipelineColorBlendAttachmentState blends[NORN_COLOR_TARGETS];
  guint count = MIN(scene->attributes->len, G_N_ELEMENTS(bindings));
  for (guint i = 0; i < count; i++) {
    const Attribute *attribute = &g_array_index(scene->attributes, Attribute, i);
    bindings[i] = (VkVertexInputBindingDescription){i, 16, VK_VERTEX_INPUT_RATE_VERTEX};
    attributes[i] = (VkVertexInputAttributeDescription){attribute->location, i,
                                                        find_format(attribute->format), 0};
  }
  for (guint i = 0; i < NORN_COLOR_TARGETS; i++)
    blends[i] = (VkPipelineColorBlendAttachmentState){.colorWriteMask = 0xF};
  VkPipelineShaderStageCreateInfo stages[] = {
      make_stage(gpu, vertex, VK_SHADER_STAGE_VERTEX_BIT),
      make_stage(gpu, fragment, VK_SHADER_STAGE_FRAGMENT_BIT)};
  VkPipelineVertexInputStateCreateInfo input = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
      .vertexBindingDescriptionCount = count,
      .pVertexBindingDescriptions = bindings,
      .vertexAttributeDescriptionCount = count,
      .pVertexAttributeDescriptions = attributes};
  VkPipelineInputAssemblyStateCreateInfo assembly = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
  VkViewport viewport = {0, 0, PICTURE_SIDE, PICTURE_SIDE, 0, 1};
  VkRect2D scissor = {{0, 0}, {PICTURE_SIDE, PICTURE_SIDE}};
  VkPipelineViewportStateCreateInfo viewports = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
      .viewportCount = 1,
      .pViewports = &viewport,
      .scissorCount = 1,
      .pScissors = &scissor};
  VkPipelineRasterizationStateCreateInfo raster = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
  VkPipelineMultisampleStateCreateInfo samples = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
      .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
  VkPipelineColorBlendStateCreateInfo blend = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
      .attachmentCount = targets->locations,
      .pAttachments = blends};
  VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                       .stageCount = 2,
                                       .pStages = stages,
                                       .pVertexInputState = &input,
                                       .pInputAssemblyState = &assembly,
                                       .pViewportState = &viewports,
                                       .pRasterizationState = &raster,
                                       .pMultisampleState = &samples,
                                       .pColorBlendState = &blend,
                                       .layout = gpu->layout,
                                       .renderPass = targets->pass};
  VkPipeline pipeline;
  CALL(vkCreateGraphicsPipelines(gpu->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
  return pipeline;
}

void
gpu_draw(Scene *scene, const Shader *vertex, const Shader *fragment, guint32 *pixels) {
  Gpu gpu = {0};
  Targets targets = {0};
  open_device(&gpu);
  make_resources(&gpu, scene);
  make_targets(&gpu, scene, &targets);
  VkPipeline pipeline = make_pipeline(&gpu, scene, &targets, vertex, fragment);
  VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                 .renderPass = targets.pass,
                                 .framebuffer = targets.framebuffer,
                                 .renderArea = {{0, 0}, {PICTURE_SIDE, PICTURE_SIDE}}};
  vkCmdBeginRenderPass(gpu.commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  bind(&gpu, scene, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  for (guint i = 0; i < MIN(scene->attributes->len, 32); i++) {
    const Attribute *attribute = &g_array_index(scene->attributes, Attribute, i);
    Buffer buffer = make_buffer(&gpu, attribute->size, attribute->bytes);
    vkCmdBindVertexBuffers(gpu.commands, i, 1, &buffer.buffer, &(VkDeviceSize){0});
  }
  vkCmdDraw(gpu.commands, VERTICES, 1, 0, 0);
  vkCmdEndRenderPass(gpu.commands);
  for (guint i = 0; i < scene->colors->len; i++)
    read_back(&gpu, &targets.images[i], &targets.like[i]);
  finish(&gpu, scene);
  for (guint i = 0; i < scene->colors->len; i++)
    memcpy(pixels + (gsize)i * PICTURE_SIDE * PICTURE_SIDE * 4, targets.images[i].staging.bytes,
           PICTURE_SIDE * PICTURE_SIDE * 16);
}
