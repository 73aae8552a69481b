#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_spirv_intrinsics : require
/* NaN, infinities and the signs of zeros are preserved in 16-bit floats.
; environment: vulkan1.2
; run: grid=1 table16=X,Y X=f32[inf, 0, 1] Y=f32[0; 13] => Y=f32[1, nan, nan, 0, inf, 1, 3, 0, 1, 1, 0, 0, 1]
*/
layout(local_size_x = 1) in;
layout(std430, binding = 0) readonly buffer X { float x[3]; };
layout(std430, binding = 1) buffer Y { float y[13]; };
/* SignedZeroInfNanPreserve */
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 16);
void main() {
  float16_t infinite = float16_t(x[0]), zero = float16_t(x[1]), one = float16_t(x[2]);
  y[0] = float(isinf(infinite));
  y[1] = float(infinite * 0.0hf);
  y[2] = float(dot(f16vec2(infinite, one), f16vec2(0, 1)));
  float16_t whole, fraction = modf(infinite, whole);
  y[3] = float(fraction);
  y[4] = float(whole);
  fraction = modf(-3.0hf * one, whole);
  y[5] = float(one / fraction < 0.0hf);              /* 1 / -0 */
  y[6] = float(-whole);
  y[7] = float(atan(zero, zero));
  y[8] = float(one / atan(-zero, one) < 0.0hf);
  y[9] = abs(float(atan(infinite, infinite)) - 0.785) < 0.01 ? 1.0 : 0.0;
  y[10] = float(infinite * zero == 0.0hf);
  y[11] = float(one / dot(-f16vec2(one), f16vec2(1, -1)) < 0.0hf);
  y[12] = abs(float(atan(one, -zero)) - 1.571) < 0.01 ? 1.0 : 0.0;
}
