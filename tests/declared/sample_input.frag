#version 450
layout(location = 1) sample in float slope;
layout(location = 0) out vec4 color;
void main() {
  color = vec4(slope + 1);
}
