#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
layout(push_constant) uniform P {
  float one[1];
  uint two[2];
  uint64_t wide[1];
  vec2 pair[1];
  float last;
};
layout(binding = 0) buffer B { float sum; };
void main() {
  sum = one[0] + float(two[1]) + float(wide[0]) + pair[0].y + last;
}
