#version 450
/* A push constant with the same name as a color. */
layout(push_constant) uniform P { vec3 Normal; } p;
layout(location = 0) out vec4 Base;
layout(location = 1) out vec4 Normal;
void main() { Base = vec4(p.Normal, 1); Normal = vec4(2); }
