#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
/* Push constants of less than a word, which share words: each is set by its own name, in any order.
; run: Out=i32[0; 10] high=3 low=2 whole=1 second=u8[5] first=0xFE third=6 number=7.5 pair=u8[8, 9] triple=u8[10, 11, 12] \
;   => Out=i32[1, 2, 3, 254, 5, 6, 7, 9, 12, 0]
; run: Out=i32[0; 10] high=-1 => Out=i32[0, 0, 65535, 0, 0, 0, 0, 0, 0, 0]
*/
layout(local_size_x = 1) in;
layout(push_constant) uniform Push {
  uint whole;
  uint16_t low, high;
  uint8_t first, second;
  uint16_t third;
  float16_t number;
  uint8_t pair[2];
  u8vec3 triple;
};
layout(binding = 0) buffer Out { uint result[10]; };

void main() {
  result[0] = whole;
  result[1] = low;
  result[2] = high;
  result[3] = first;
  result[4] = second;
  result[5] = third;
  result[6] = uint(number);
  result[7] = pair[1];
  result[8] = triple.z;
}
