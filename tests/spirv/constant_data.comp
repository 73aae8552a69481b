#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
/* Tables after the code: of floats, vectors, structures, rows of a matrix, halves and bytes; one is read in two functions, one is a part of another.
; options: --constant-data
; run: grid=1 table16=X,Y X=i32[3, 12, 7, 9] Y=f32[0; 4] => Y=f32[449.5, 1081.5, 737.5, 1068.5]
*/
layout(local_size_x = 4) in;
layout(std430, binding = 0) readonly buffer X { int x[]; };
layout(std430, binding = 1) buffer Y { float y[]; };
const float ramp[24] = float[](1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225, 256, 289, 324, 361, 400, 441, 484, 529, 576);
const float part[16] = float[](9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225, 256, 289, 324);
struct Entry {
  vec3 weight;
  int count;
  f16vec2 scale;
  uint8_t shift;
};
const Entry entries[4] = Entry[](Entry(vec3(1, 2, 3), 7, f16vec2(0.5, 1.5), uint8_t(1)), Entry(vec3(3, 1, 2), 11, f16vec2(2.5, 0.5), uint8_t(2)),
                                 Entry(vec3(9, 5, 4), 2, f16vec2(1.5, 3.5), uint8_t(3)), Entry(vec3(6, 8, 7), 5, f16vec2(3.5, 2.5), uint8_t(0)));
const mat4x3 rows[3] = mat4x3[](mat4x3(1), mat4x3(2), mat4x3(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
float at(int i) { return ramp[i] + part[i & 15]; }
void main() {
  int i = x[gl_LocalInvocationIndex];
  Entry e = entries[i & 3];
  float sum = ramp[i + 8] + at(i) + part[i & 7];
  sum += dot(e.weight, vec3(1, 2, 3)) * float(e.count << int(e.shift)) + float(e.scale[i & 1]);
  y[gl_LocalInvocationIndex] = sum + rows[i % 3][i & 3][i % 3];
}
