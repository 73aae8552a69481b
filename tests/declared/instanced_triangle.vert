#version 450
layout(location = 0) in float size;
void main() {
  vec2 corners[] = {vec2(-1, -1), vec2(-1, 3), vec2(3, -1)};
  gl_Position = vec4(corners[gl_VertexIndex] * size * gl_InstanceIndex, 0.5, 1);
}
