#version 450
/* Elements of uniform words by an index are selected among the words that can be meant: every sixth for a member of a structure
 * of six words, every second for a row of matrices, and all where the strides have nothing in common.
; run: grid=9 table16=Y s=f32[1, 2, 3, 4, 11, 12, 5, 6, 7, 8, 13, 14, 9, 10, 11, 12, 15] q=f32[21, 22, 23, 24, 25, 26, 27, 28] Y=f32[0; 36] \
;   => Y=f32[2, 4, 1, 22, 6, 13, 6, 26, 10, 12, 9, 24, 2, 11, 2, 28, 6, 8, 5, 22, \
;   10, 15, 10, 26, 2, 4, 1, 24, 6, 13, 6, 28, 10, 12, 9, 22]
*/
struct S {
  vec2 v;
  float f;
  float m[2];
};
layout(push_constant, std430) uniform Push {
  S s[3];
  mat2 q[2];
};
layout(std430, binding = 0) buffer Y { float y[]; };
void main() {
  uint i = gl_GlobalInvocationID.x, element = i % 3u, k = i & 1u;
  y[4u * i] = s[element].v.y;
  y[4u * i + 1u] = s[element].m[k];
  y[4u * i + 2u] = s[element].v[k];
  y[4u * i + 3u] = q[k][i >> 1u & 1u].y;
}
