#version 450
layout(location = 0) in vec2 position;
layout(location = 1) in mat4 matrix;
layout(location = 5) in uint id;
layout(location = 0) flat out uint number;
void main() {
  gl_Position = matrix * vec4(position, 0, 1);
  number = id;
}
