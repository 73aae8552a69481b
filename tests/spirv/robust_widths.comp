#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
/* Accesses are checked by their width: of the last eight bytes, four are outside; the last byte is inside, the next one is not.
; options: --abi=robust.json
; run: grid=1 a=u8[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] a_size=12 table40=result result=u32[1, 7, 7, 7] \
;   => a=u8[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 99] result=u32[0x04030201, 0, 12, 0]
*/
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) buffer A { uint64_t x[]; } a;
layout(set = 0, binding = 0, std430) buffer B { uint8_t x[]; } b;
layout(set = 0, binding = 5, std430) buffer Result { uint x[]; } result;
void main() {
  uint one = result.x[0];
  result.x[0] = uint(a.x[one - 1]);
  result.x[1] = uint(a.x[one]);
  a.x[one] = 0;
  result.x[2] = b.x[one + 10];
  result.x[3] = b.x[one + 11];
  b.x[one + 10] = uint8_t(99);
  b.x[one + 11] = uint8_t(98);
}
