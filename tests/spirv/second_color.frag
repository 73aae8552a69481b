#version 450
/* Both colors of a target: the second one is not the color that is stored.
; run: draw=fragments(1x1) varyings=gradients[2, 0, 0, 3, 0, 0] => color0=f32[(2, 3, 0, 1)]
*/
layout(location = 0) in vec2 a;
layout(location = 0, index = 0) out vec4 first;
layout(location = 0, index = 1) out vec4 second;
void main() {
  first = vec4(a, 0, 1);
  second = vec4(1 - a, 0, 1);
}
