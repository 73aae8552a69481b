#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
/* Attributes of signed and unsigned integers and from a component on, and outputs of narrow integers.
; run: draw=vertices(1) attribute0=A(rg8sint, offset:0, stride:8) attribute1=A(rg8uint, offset:0, stride:8) attribute2=A(rgba8sint, offset:4, stride:8) \
;   A=i8[-1, 5, 0, 0, 1, 2, -3, 4] \
;   => position=f32[0, 0, 0, 1] varyings=i32[-1, 5, 0, 0,  255, 5, 0, 0,  2, -3, 0, 0,  -1, 5, 0, 0,  65535, 5]
*/
layout(location = 0) in ivec2 with_sign;
layout(location = 1) in uvec2 without_sign;
layout(location = 2, component = 1) in ivec2 part;
layout(location = 0) flat out ivec2 out_with_sign;
layout(location = 1) flat out uvec2 out_without_sign;
layout(location = 2) flat out ivec2 out_part;
layout(location = 3) flat out i16vec2 narrow;
layout(location = 4) flat out u16vec2 narrow_without_sign;
void main() {
  gl_Position = vec4(0, 0, 0, 1);
  out_with_sign = with_sign;
  out_without_sign = without_sign;
  out_part = part;
  narrow = i16vec2(with_sign);
  narrow_without_sign = u16vec2(with_sign);
}
