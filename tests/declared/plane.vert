#version 450
layout(location = 0) in vec4 corner;
layout(location = 1) in float shade;
layout(location = 0) flat out float level;
layout(location = 1) out float slope;
layout(push_constant) uniform Constants { float factor; };
void main() {
  gl_Position = corner;
  level = shade * factor;
  slope = corner.x;
}
