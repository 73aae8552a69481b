#version 450
/* Outputs that a function stores, that share a location, that are partly stored, or that have fewer than four components; flat inputs.
; run: draw=fragments(1x1) varyings=f32[2.75, 1, 2, 3, 2.75, 1, 2, 3, 2.75, 1, 2, 3] \
;   color5=image(rgba8sint, 1x1)[9; 4] => \
;   color0=f32[(2, 1, 2, 3)] color1=f32[(0.75, 0, 0, 0)] color2=f32[(2.75, 3, 1, 2)] color3=f32[(0, 7, 0, 0)] \
;   color4=f32[(2.75, 1, 2, 1)] color5=[(-1, -2, 3, 1)]
*/
layout(location = 0) flat in vec4 a;
layout(location = 0) out vec4 whole;
layout(location = 1) out vec4 rest;
layout(location = 2, component = 0) out vec2 left;
layout(location = 2, component = 2) out vec2 right;
layout(location = 3) out vec4 single;
layout(location = 4) out vec3 three;
layout(location = 5) out ivec3 integers;
void main() {
  rest = modf(a, whole);
  left = a.xw;
  right = a.yz;
  single[int(a.y)] = 7;
  three = a.xyz;
  integers = ivec3(-a.y, -a.z, a.w);
}
