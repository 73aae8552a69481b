#version 450
/* A push constant that is a row-major matrix, with more rows than columns, ends with its last row: the next member begins there.
; run: m=f32[1, 2, 3, 4, 5, 6, 7, 8] after=9 Out=f32[0; 5] => Out=f32[21, 43, 65, 87, 9]
*/
layout(local_size_x = 1) in;
layout(push_constant) uniform Push {
  layout(row_major) mat2x4 m;
  float after;
};
layout(std430, binding = 0) buffer Out { float result[5]; };

void main() {
  vec4 v = m * vec2(1.0, 10.0);
  for (int i = 0; i < 4; i++)
    result[i] = v[i];
  result[4] = after;
}
