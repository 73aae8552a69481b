#version 450
/* An invariant position is always computed in the same way: no factor is taken out of its sums.
; run: draw=vertices(1) scale=2 attribute0=V(rg32float, offset:0, stride:8) V=f32[3, 5] \
;   => position=f32[6, 10, 0, 1] varyings=f32[16]
*/
layout(location = 0) in vec2 place;
layout(location = 0) out float sum;
invariant gl_Position;
layout(push_constant) uniform Constants { float scale; };
void main() {
  vec2 scaled = place * scale;
  gl_Position = vec4(scaled, 0, 1);
  sum = scaled.x + scaled.y;
}
