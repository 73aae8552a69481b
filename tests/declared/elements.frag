#version 450
layout(location = 0) in vec2 pairs[3];
layout(location = 3) flat in uint id[2];
layout(location = 0) out vec4 color;
void main() { color = vec4(pairs[0].x, pairs[1].y, pairs[2].x, 10 * id[0] + id[1]); }
