#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
/* Specialization constants of many types, each converted to a 64-bit float. */
layout(local_size_x = 1) in;
layout(constant_id = 0) const float single = 1;
layout(constant_id = 1) const float16_t half_ = 1.0hf;
layout(constant_id = 2) const double wide = 1;
layout(constant_id = 3) const int8_t signed_8 = int8_t(1);
layout(constant_id = 4) const uint16_t unsigned_16 = 1us;
layout(constant_id = 5) const int signed_32 = 1;
layout(constant_id = 6) const uint unsigned_32 = 1;
layout(constant_id = 7) const int64_t signed_64 = 1l;
layout(constant_id = 8) const uint64_t unsigned_64 = 1ul;
layout(constant_id = 9) const bool truth = false;
layout(binding = 0) buffer B { double b[]; };
void main() {
  b[0] = single;
  b[1] = half_;
  b[2] = wide;
  b[3] = signed_8;
  b[4] = unsigned_16;
  b[5] = signed_32;
  b[6] = unsigned_32;
  b[7] = signed_64;
  b[8] = unsigned_64;
  b[9] = truth ? 1 : 0;
}
