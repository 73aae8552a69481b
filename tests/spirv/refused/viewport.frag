#version 450
/* refused: OpLoad .*: the built-in variable ViewportIndex is not supported here \(viewport.frag line 5\) */
layout(location = 0) out vec4 color;
void main() {
  color = vec4(gl_ViewportIndex);
}
