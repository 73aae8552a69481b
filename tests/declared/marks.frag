#version 450
layout(location = 0) out vec4 color;
layout(binding = 2) buffer Both { int both[]; };
void main() {
  color = vec4(both[0], both[1], both[2], 1);
  atomicAdd(both[3], 1);
}
