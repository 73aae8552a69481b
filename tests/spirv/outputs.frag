#version 450
/* Outputs that a function stores, that share a location, or that are partly stored; flat inputs.
; run: draw=fragments(1x1) varyings=f32[2.75, 1, 2, 3, 2.75, 1, 2, 3, 2.75, 1, 2, 3] => \
;   color0=f32[(2, 1, 2, 3)] color1=f32[(0.75, 0, 0, 0)] color2=f32[(2.75, 3, 1, 2)] color3=f32[(0, 7, 0, 0)]
*/
layout(location = 0) flat in vec4 a;
layout(location = 0) out vec4 whole;
layout(location = 1) out vec4 rest;
layout(location = 2, component = 0) out vec2 left;
layout(location = 2, component = 2) out vec2 right;
layout(location = 3) out vec4 single;
void main() {
  rest = modf(a, whole);
  left = a.xw;
  right = a.yz;
  single[int(a.y)] = 7;
}
