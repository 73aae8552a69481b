#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer A { float a[8]; };
layout(binding = 1) buffer B { int y[32]; };
// Conversions of floats to narrow integers, of values that fit.
void main() {
  for (int i = 0; i < 4; i++) {
    y[i] = int(int8_t(a[i]));
    y[8 + i] = int(int16_t(a[i] * 256));
    y[16 + i] = int(int16_t(float16_t(a[i])));
    y[24 + i] = int(int8_t(float16_t(a[i])));
  }
  for (int i = 4; i < 8; i++) {
    y[i] = int(uint8_t(a[i]));
    y[8 + i] = int(uint16_t(a[i] * 256));
    y[16 + i] = int(uint16_t(float16_t(a[i])));
    y[24 + i] = int(uint8_t(float16_t(a[i])));
  }
}
/*
; run: A=f32[-128, 127.5, -0.75, 3.25, 0, 255, 128.5, 200.25] B=i32[0; 32] grid=1 \
;      => B=i32[-128, 127, 0, 3, 0, 255, 128, 200, -32768, 32640, -192, 832, 0, 65280, 32896, 51264, \
;               -128, 127, 0, 3, 0, 255, 128, 200, -128, 127, 0, 3, 0, 255, 128, 200]
*/
