#version 450
/* Early tests: the depth that the shader stores is ignored.
; run: draw=fragments(2x2) depth=image(r32float, 2x2)[0.25, 0.5, 0.5, 0.75] color=image(r32float, 2x2) => color=[1, 1, 1, 1] depth=[0.25, 0.5, 0.5, 0.75]
*/
layout(early_fragment_tests) in;
layout(location = 0) out float color;
void main() {
  color = 1;
  gl_FragDepth = 0.125;
}
