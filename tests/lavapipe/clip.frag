#version 450
layout(location = 0) in float shade;
layout(location = 0) out vec4 color;
void main() { color = vec4(shade, 0, 0, 1); }
