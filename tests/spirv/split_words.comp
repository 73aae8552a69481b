#version 450
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
/* Push constants that begin in a word of others, or in one where none begins: promoted constants are placed in words after all of them.
; run: first=u8[1, 2, 3, 4, 5, 6, 7] second=i16[8, 9, 10] Out=i32[0; 5] => Out=i32[1, 7, 8, 10, 4660]
*/
layout(local_size_x = 1) in;
layout(push_constant, scalar) uniform Push {
  layout(offset = 1) uint8_t first[7];
  layout(offset = 10) i16vec3 second;
};
layout(binding = 0) buffer Out { int result[5]; };

void main() {
  result[0] = first[0];
  result[1] = first[6];
  result[2] = second.x;
  result[3] = second.z;
  result[4] = 0x1234;
}
