#version 450
layout(location = 0) flat in float level;
layout(location = 1) in float slope;
layout(location = 0) out vec4 color;
layout(push_constant) uniform Constants { layout(offset = 4) float least; };
void main() {
  if (level < least)
    discard;
  color = vec4(level, slope, gl_FragCoord.w, gl_FrontFacing);
}
