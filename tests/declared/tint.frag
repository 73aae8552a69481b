#version 450
layout(location = 0) in vec2 uv;
layout(location = 1) flat in float level;
layout(location = 2) flat in uint flags;
layout(location = 0) out vec4 tint;
void main() {
  tint = vec4(uv, level, float(flags));
}
