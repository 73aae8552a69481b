#version 450
/* Input attachments: an element of an array, and one whose target the shader also writes. */
layout(input_attachment_index = 2, binding = 0) uniform subpassInput parts[2];
layout(input_attachment_index = 0, binding = 1) uniform isubpassInput counts;
layout(location = 0) out ivec4 sum;
layout(location = 1) out vec4 color;
void main() {
  sum = subpassLoad(counts) + 1;
  color = subpassLoad(parts[0]) + 10 * subpassLoad(parts[1]);
}
