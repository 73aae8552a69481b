#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_scalar_block_layout : require
/* Vectors of bytes, members of 8 and 16 bits, arrays of bytes: accessed as words where they fill words, except for those that a
 * scalar layout places anywhere.
; run: grid=1 table16=U,A,M,B,W U=u8[1, 2, 3, 4, 255, 128, 0, 7, 0; 8] A=u8[9, 1, 2, 3, 4, 254, 6, 7, 8, 0, 0, 0] \
;   M=u8[1, 2, 3, 4, 0, 0, 0x80, 0x3F, 5, 6, 7, 8, 0, 0x3C, 9, 10, 0; 16] B=u8[0x78, 0x56, 0x34, 0x12] W=u32[0; 8] \
;   => W=u32[0x040302FD, 0xF8FDFC04, 0x12345678, 260, 10, 0; 3] A=u8[9, 4, 3, 2, 1, 254, 6, 7, 8, 0, 0, 0] \
;   M=u8[1, 2, 3, 4, 0, 0, 0x80, 0x3F, 5, 6, 7, 8, 0, 0x3C, 9, 10, 1, 2, 3, 200, 0, 0, 0, 0x40, 5, 6, 7, 8, 0, 0x3C, 9, 0]
*/
struct Mixed {
  uint16_t first;
  uint8_t low, high;
  float number;
  uint8_t bytes[4];
  float16_t small;
  uint8_t last;
};
layout(local_size_x = 1) in;
layout(std430, binding = 0) readonly buffer U { i8vec4 u[]; };
layout(scalar, binding = 1) buffer A { uint8_t a; u8vec4 unaligned[]; };
layout(std430, binding = 2) buffer M { Mixed mixed[]; };
layout(std430, binding = 3) readonly buffer B { uint8_t b[]; };
layout(std430, binding = 4) buffer W { i8vec4 w[2]; uint together; uint sums[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  w[i] = i8vec4(ivec4(u[i]) - ivec4(4, 0, 0, 0));
  w[i + 1] = i8vec4(ivec4(u[i + 1]).wxyz * ivec4(1, 4, 1, 1) - ivec4(3, 0, 131, 8));
  unaligned[i] = unaligned[i].wzyx;
  Mixed m = mixed[i];
  m.high = uint8_t(200);
  m.number *= 2;
  mixed[i + 1] = m;
  together = uint(b[4 * i]) | uint(b[4 * i + 1]) << 8 | uint(b[4 * i + 2]) << 16 | uint(b[4 * i + 3]) << 24;
  u8vec4 v = unaligned[i + 1];
  sums[i] = uint(v.x) + uint(v.y);
  sums[i + 1] = uint(unaligned[i].x) + 6;
}
