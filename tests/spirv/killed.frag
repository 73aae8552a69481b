#version 450
/* A discarded invocation continues as a helper if only derivatives can tell the difference: they see it.
; run: draw=fragments(2x2) => color0=f32[(2, 0, 0, 1), (0, 0, 0, 0), (2, 0, 0, 1), (0, 0, 0, 0)]
*/
layout(location = 0) out vec4 color;
float square(float x) {
  if (int(gl_FragCoord.x) == 1)
    discard;
  return x * x;
}
void main() {
  /* 0.25 and 2.25 */
  color = vec4(dFdxFine(square(gl_FragCoord.x)), 0, 0, 1);
}
