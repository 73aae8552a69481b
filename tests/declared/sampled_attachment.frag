#version 450
layout(input_attachment_index = 3, binding = 0) uniform subpassInputMS before;
layout(location = 0) out vec4 color;
void main() {
  color = subpassLoad(before, 3) - subpassLoad(before, 1);
}
