#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_subgroup_extended_types_float16 : require
#extension GL_KHR_shader_subgroup_arithmetic : require
/* Sums over the lower lanes: +0 in the first active lane, and -0 in the lanes above it if all lower values are -0.
; run: grid=1 table16=Y Y=u32[9; 64] => Y=u32[\
;   0, 0, 0x3f800000, 0x40400000, 0x40c00000, 0x41200000, 0x41700000, 0x41a80000, \
;   0x41e00000, 0x42100000, 0x42340000, 0x425c0000, 0x42840000, 0x429c0000, 0x42b60000, 0x42d20000, \
;   0, 0x80000000; 15, \
;   9, 9, 9, 0, 0x40400000, 0x40e00000, 0x41400000, 9; 9, \
;   0, 0, 0x3f800000, 0x40400000, 0x40c00000, 0x41200000, 0x41700000, 0x41a80000, \
;   0x41e00000, 0x42100000, 0x42340000, 0x425c0000, 0x42840000, 0x429c0000, 0x42b60000, 0x42d20000]
*/
layout(local_size_x = 16) in;
layout(std430, binding = 0) buffer Y { uint y[]; };
void main() {
  uint i = gl_LocalInvocationID.x;
  float f = float(i), negative = uintBitsToFloat(0x80000000u | y[63] & 0u);
  float sum = subgroupExclusiveAdd(negative);
  uint halves = floatBitsToUint(float(subgroupExclusiveAdd(float16_t(i))));
  if (i > 2u && i < 7u)
    y[32u + i] = floatBitsToUint(subgroupExclusiveAdd(f));
  y[i] = floatBitsToUint(subgroupExclusiveAdd(f));
  y[16u + i] = floatBitsToUint(sum);
  y[48u + i] = halves;
}
