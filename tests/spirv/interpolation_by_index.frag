#version 450
/* Elements of a varying array, selected by a variable index, also in a block with integers, interpolated at other positions than the pixel's center.
; run: draw=fragments(2x2) varyings=gradients[0, 1, 10, 5, 1, 0, 6, 0, 1, 7, 1, 0,  1, 2, 0, 3, 0, 1, 0, 0, 0, 0, 0, 0, \
;   0, 0, 0,  0, 0, 0,  0, 0, 0,  0, 0, 0,  1, 2, 0,  0, 0, 0,  0, 0, 0,  0, 0, 0,  5, 4, 0] \
;   => color0=f32[(8.25, 5.75, 2.5, 6.5), (4.5, 3.75, 6.75, 8.5), (18.25, 5.75, 2.5, 7.5), (4.5, 4.75, 6.75, 8.5)] \
;   color1=f32[(2.5, 0, 0, 0), (12, 0, 0, 0), (2.5, 0, 0, 0), (12, 0, 0, 0)]
*/
layout(location = 0) in vec4 v[2];
layout(location = 2) in Block {
  flat int number;
  float pair[2];
} block;
layout(location = 0) out vec4 color;
layout(location = 1) out vec4 other;
void main() {
  int i = int(gl_FragCoord.x) & 1;
  color.xy = interpolateAtOffset(v[i], vec2(0.25, 0.25)).xy;
  color.z = interpolateAtOffset(v[1 - i][i], vec2(0.25, -0.25));
  color.w = interpolateAtCentroid(v[0][2 + i]);
  other = vec4(interpolateAtOffset(block.pair[i], vec2(0.25, 0)), 0, 0, block.number);
}
