#version 450
#extension GL_ARB_shader_clock : require
/* refused: OpCapability ShaderClockKHR: this capability is not supported */
layout(binding = 0) buffer B { uvec2 b; };
void main() { b = clock2x32ARB(); }
