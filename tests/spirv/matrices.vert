#version 450
/* A product of matrices and a vector is computed from right to left, unless it is invariant; both results are correct.
; run: draw=vertices(2) first=f32[2, 0, 0, 0,  0, 2, 0, 0,  0, 0, 2, 0,  1, 0, 0, 1] \
;   second=f32[1, 2, 3, 4,  5, 6, 7, 8,  9, 10, 11, 12,  13, 14, 15, 16] \
;   attribute0=V(rg32float, offset:0, stride:8) V=f32[1, 2, 3, 4] \
;   => position=f32[84, 56, 64, 36, 132, 88, 104, 60]
*/
layout(location = 0) in vec2 place;
layout(push_constant) uniform Constants { mat4 first, second; };
#ifdef INVARIANT
invariant gl_Position;
#endif
void main() {
  gl_Position = first * second * vec4(place, 0, 1);
}
