#version 450
layout(constant_id = 3) const float scale = 1;
layout(location = 0) out vec4 color;
void main() {
  color = vec4(scale);
}
