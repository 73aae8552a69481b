#version 450
#extension GL_EXT_samplerless_texture_functions : require
/* Resources of every kind. */
layout(local_size_x = 1) in;
layout(binding = 0) uniform sampler2D src;
layout(binding = 1) uniform texture2D more[2];
layout(binding = 3, rgba8) uniform writeonly image2D dst;
layout(binding = 4) buffer Sum { uint total; } sum;
layout(binding = 5) readonly buffer Words { int numbers[]; } words;
layout(push_constant) uniform Constants { float scale; layout(offset = 16) vec4 tint; };
void main() {
  ivec2 at = ivec2(gl_WorkGroupID.xy);
  vec2 size = vec2(gl_NumWorkGroups.xy);
  vec4 color = textureLod(src, (vec2(at) + 0.5) / size, 0) * tint;
  color.b = texelFetch(more[1], ivec2(0), 0).r;
  imageStore(dst, at, vec4(color.rgb * scale, color.a));
  atomicAdd(sum.total, words.numbers[at.x] + words.numbers.length());
}
