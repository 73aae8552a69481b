#version 450
/* A triangle that is partly clipped by a clip distance, with corners of different w. */
layout(location = 0) out float shade;
out float gl_ClipDistance[1];
void main() {
  vec2 corner = vec2((gl_VertexIndex & 1) * 2, gl_VertexIndex & 2) - 0.5;
  float number = gl_VertexIndex, w = 1 + number;
  gl_Position = gl_VertexIndex < 3 ? vec4(corner * w * 0.6, 0, w) : vec4(2, 2, 0, 1);
  gl_ClipDistance[0] = number - 0.5;
  shade = number + 1;
}
