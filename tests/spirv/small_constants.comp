#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_scalar_block_layout : require
/* Push constants of 8 and 16 bits that an index selects: a word and a part of it, of arrays that begin within a word, of vectors across words.
; run: grid=1 table16=Y bytes=u32[0x04030201, 0x08070605] \
;   numbers=u32[0x000A0009, 0x000C000B, 0x000E000D, 0x0010000F, 0x00640011] triples=u32[0x00120011, 0x00140013, 0x00160015] Y=i32[0; 32] \
;   => Y=i32[1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17, 17, 20, 17, 20, 17, 20, 17, 20, 17, 21, 18, 22, 19, 20, 17, 21]
*/
layout(local_size_x = 8) in;
struct Numbers {
  uint16_t first, halves[8], last;
};
layout(push_constant, scalar) uniform Push {
  uint8_t bytes[8];
  Numbers numbers;
  u16vec3 triples[2];
};
layout(std430, binding = 0) buffer Y { int y[]; };
void main() {
  uint i = gl_LocalInvocationIndex;
  y[i] = int(bytes[i]);
  y[8 + i] = int(numbers.halves[i]);
  y[16 + i] = int(triples[i & 1].x);
  y[24 + i] = int(triples[i & 1][(i * 2 - (i & 1)) % 3]);
}
