#version 450
/* refused: the built-in variable CullDistance is not supported here */
out gl_PerVertex { vec4 gl_Position; float gl_CullDistance[1]; };
void main() {
  gl_Position = vec4(0);
  gl_CullDistance[0] = 1;
}
