#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
/* refused: inputs and outputs of 64 bits are not supported */
layout(location = 0) flat out int64_t number;
void main() {
  number = int64_t(gl_VertexIndex) << 32;
  gl_Position = vec4(0);
}
