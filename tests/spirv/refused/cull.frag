#version 450
/* refused: OpAccessChain .*: the built-in variable CullDistance is not supported here \(cull.frag line 6\) */
in float gl_CullDistance[1];
layout(location = 0) out vec4 color;
void main() {
  color = vec4(gl_CullDistance[0]);
}
