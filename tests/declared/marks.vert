#version 450
/* Leaves marks in a buffer and an image of its own, and in a buffer that the fragments also read. */
layout(location = 0) in vec2 place;
layout(binding = 0) buffer Marks { int marks[]; };
layout(binding = 1, r32i) uniform iimage2D seen;
layout(binding = 2) buffer Both { int both[]; };
void main() {
  gl_Position = vec4(place, 0, 1);
  marks[gl_VertexIndex] = gl_VertexIndex + 1;
  imageStore(seen, ivec2(gl_VertexIndex, 0), ivec4(gl_VertexIndex + 4));
  both[gl_VertexIndex] = gl_VertexIndex + 7;
}
