#version 450
layout(location = 0) in vec2 first;
layout(location = 0, component = 2) in vec2 second;
void main() {
  gl_Position = vec4(first, second);
}
