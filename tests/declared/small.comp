#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
layout(push_constant) uniform P {
  i16vec2 pair;
  u8vec4 bytes;
  f16vec4 halves;
  int8_t letters[8];
  int16_t single;
};
layout(binding = 0) buffer B { int sum[5]; };
void main() {
  sum[0] = pair.y;
  sum[1] = bytes.z;
  sum[2] = int(halves.w);
  sum[3] = letters[7];
  sum[4] = single;
}
