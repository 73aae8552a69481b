#version 450
/* Varyings interpolated at other positions than the pixel's center, parts of structures and arrays.
; run: draw=fragments(2x2) varyings=gradients[0, 1, 10, 5, 0, 0, 6, 0, 0, 7, 0, 0,  1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  3, 0, 1] \
;   => color0=f32[(8.25, 5, 2, 3.5), (9.25, 5, 4, 3.5), (18.25, 5, 2, 4.5), (19.25, 5, 4, 4.5)]
*/
layout(location = 0) in vec4 v;
layout(location = 1) in float weights[2];
layout(location = 0) out vec4 color;
void main() {
  color.x = interpolateAtOffset(v, vec2(0.25, 0.25)).x;
  color.y = interpolateAtOffset(v.y, vec2(0, 0.25));
  color.z = interpolateAtCentroid(weights[0]);
  color.w = interpolateAtOffset(weights[1], vec2(0));
}
