#version 450
#extension GL_EXT_shader_image_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
/* refused: OpCapability Int64ImageEXT: this capability is not supported */
layout(binding = 0, r64ui) uniform u64image2D i;
void main() { imageStore(i, ivec2(0), u64vec4(1ul)); }
