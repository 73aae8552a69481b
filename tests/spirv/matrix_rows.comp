#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_scalar_block_layout : require
/* A row-major matrix, such as all that HLSL calls column-major, is loaded and stored row by row; the bytes between the rows are
 * not part of it. A single column of it is accessed word by word, a column-major matrix column by column.
; run: grid=1 table16=U,S,H,Y k=1 \
;   U=f32[0; 16, 1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0, 10, 11, 12, 0, 0; 8, 1, 0, 2, 0, 0, 1, 3, 0] \
;   S=f32[-1; 12] H=f16[1, 2, 3, 4] Y=f32[0; 11] \
;   => S=f32[1, 2, 3, -1, 4, 5, 6, -1, 7, 8, 9, -1] H=f16[1, 3, 2, 4] Y=f32[14, 32, 50, 68, 2, 3, 13, 2, 5, 8, 11]
*/
layout(local_size_x = 1) in;
layout(push_constant) uniform Push { int k; };
layout(std140, binding = 0) uniform U {
  layout(row_major) mat3x4 by_rows[2];
  layout(column_major) mat2x3 by_columns[2];
};
layout(std430, binding = 1) buffer S { layout(row_major) mat3 part; };
layout(scalar, binding = 2) buffer H { layout(row_major) f16mat2 halves; };
layout(std430, binding = 3) buffer Y { float y[]; };
void main() {
  mat3x4 rows = by_rows[k];
  vec4 a = rows * vec3(1, 2, 3), column = by_rows[k][1];
  vec3 b = by_columns[k] * vec2(2, 3);
  for (int i = 0; i < 4; i++) {
    y[i] = a[i];
    y[7 + i] = column[i];
  }
  for (int i = 0; i < 3; i++)
    y[4 + i] = b[i];
  part = mat3(rows);
  halves = transpose(halves);
}
