#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_scalar_block_layout : require
/* std140, std430 and scalar layouts, matrices of either order, small and large integers, the length of a
 * runtime array.
; run: grid=1 table16=U,S,Y \
;   U=f32[1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0,  1, 4, 7, 0, 2, 5, 8, 0, 3, 6, 9, 0,  0.5, 0, 0, 0, 0.25, 0, 0, 0] \
;   S=i8[1, -2, 3, 0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] Y=f32[0; 12] \
;   => Y=f32[30, 36, 42, 30, 36, 42, 0.25, 1, -2, 3, 515, 7]
*/
layout(local_size_x = 1) in;
layout(std140, binding = 0) uniform U {
  mat3 columns;
  layout(row_major) mat3 rows;
  float weights[2];
} u;
layout(scalar, binding = 1) readonly buffer S {
  i8vec3 bytes;
  uint16_t halves[2];
  int64_t wide[];
} s;
layout(std430, binding = 2) buffer Y { float y[]; };
void main() {
  vec3 a = u.columns * vec3(1, 2, 3), b = u.rows * vec3(1, 2, 3);
  for (int k = 0; k < 3; k++) {
    y[k] = a[k];
    y[3 + k] = b[k];
    y[7 + k] = float(s.bytes[k]);
  }
  y[6] = u.weights[1];
  y[10] = float(s.halves[1]) - float(s.halves[0]) / 1.0 + float(s.wide.length());
  y[11] = float((s.wide[0] >> 56) - 8l);
}
