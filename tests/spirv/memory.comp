#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_scalar_block_layout : require
/* Positions of parts: small members and arrays of arrays in push constants, halves at odd offsets, elements of three words, members
 * after vectors in memory of the invocation, which has initial values.
; run: grid=1 table16=X,Y a=2 b=-3 c=1 d=2 e=3 f=4 table=i32[11, 12, 13, 14, 15, 16] X=i16[1, 0, 15360, 15360, 16384, 16896, 17408, 17664, 17920, 7, 15360, 16384, 16896, 17408, 17664, 17920, \
;   10, 0, 11, 0, 12, 0, 20, 0, 21, 0, 22, 0, 30, 0, 31, 0, 32, 0] Y=i32[0; 14] => Y=i32[-1, 4321, 16, 12, 21, 43, 32, 20, 4, 4, 8, 2, 1, 654]
*/
layout(local_size_x = 1) in;
layout(push_constant, scalar) uniform Push {
  int16_t a, b;
  uint8_t c, d, e, f;
  int table[2][3];
};
layout(scalar, binding = 0) readonly buffer X {
  int n;
  float16_t lead;
  f16vec2 pairs[3];
  int16_t behind;
  f16vec3 threes[2];
  ivec3 triples[];
};
layout(std430, binding = 1) buffer Y { int y[]; };
struct Cell { ivec3 first; int last; };
int numbers[4] = int[](3, 1, 4, 1);
Cell cells[2] = Cell[](Cell(ivec3(1, 2, 3), 4), Cell(ivec3(5, 6, 7), 8));
void main() {
  y[0] = int(a) + int(b);
  y[1] = int(c) + 10 * int(d) + 100 * int(e) + 1000 * int(f);
  int k = n & 1;
  y[2] = table[k][k + 1];
  y[3] = table[1 - k][k];
  f16vec2 first = pairs[0], second = pairs[k];
  y[4] = int(first.x + first.y * 10.0hf);
  y[5] = int(second.x + second.y * 10.0hf);
  y[6] = triples[k + 1].z;
  y[7] = triples[1].x;
  y[8] = numbers[k + 1];
  y[9] = numbers[(n * 2) & 2];
  y[10] = cells[k].last;
  y[11] = cells[1 - k].first.y;
  y[12] = n;
  f16vec3 three = threes[k];
  y[13] = int(three.x + three.y * 10.0hf + three.z * 100.0hf);
}
