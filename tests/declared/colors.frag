#version 450
layout(location = 0) out vec4 parts[2];
layout(location = 2) out vec4 last;
void main() {
  parts[0] = vec4(1, 2, 3, 4);
  parts[1] = vec4(2, 3, 4, 5);
  last = vec4(1);
}
