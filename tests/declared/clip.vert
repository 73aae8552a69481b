#version 450
/* Vertices that each have a different w, clip distances, and a varying that does not follow the depth. */
out gl_PerVertex {
  vec4 gl_Position;
  float gl_ClipDistance[2];
};
layout(location = 0) out vec2 plain;
layout(location = 1) out vec2 deep;
void main() {
  vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4 - 1;
  float w = gl_VertexIndex == 1 ? 3 : 1;
  gl_Position = vec4(at * w, 0, w);
  gl_ClipDistance[0] = 1;
  gl_ClipDistance[1] = at.x * w;
  plain = at;
  deep = at;
}
