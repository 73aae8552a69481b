#version 450
layout(local_size_x = 4, local_size_y = 2) in;
layout(binding = 0, r32ui) uniform writeonly uimage2D dst;
void main() {
  imageStore(dst, ivec2(gl_GlobalInvocationID.xy), uvec4(gl_NumWorkGroups.x * 10 + gl_NumWorkGroups.y));
}
