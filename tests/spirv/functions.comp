#version 450
/* GLSL functions whose results are exact or nearly so.
; run: grid=1 table16=Y Y=f32[0; 32] => Y=f32[5, 0.6, 0.8, -1, 3, 7, -2, 0.5, 1.5, 2, 0.25, 1, 0, 10, 0.5, 3, 2.5, 1, \
;   1, 1, -2, 3, 4, 24, 0.75, -3, 0, 1.0009765625, 4, 5, 3, 2]
*/
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Y { float y[]; };
void main() {
  vec2 v = vec2(gl_LocalInvocationID.x + 3, 4);
  float one = v.x - 2.0;
  y[0] = length(v);
  y[1] = floor(normalize(v).x * 10.0 + 0.5) / 10.0;
  y[1] = abs(y[1] - 0.6) < 1e-6 ? 0.6 : y[1];
  y[2] = abs(normalize(v).y - 0.8) < 1e-6 ? 0.8 : 0.0;
  y[3] = sign(-v.x);
  y[4] = floor(v.x + 0.75);
  y[5] = mix(v.x, 11.0, 0.5 * one);
  y[6] = trunc(-2.5 * one);
  y[7] = fract(v.x + 0.5);
  y[8] = clamp(v.x, 0.5, 1.5);
  y[9] = roundEven(2.5 * one);
  y[10] = ldexp(one, -2);
  y[11] = step(2.0, v.x);
  y[12] = step(4.0, v.x);
  y[13] = dot(v, vec2(2, one));
  y[14] = smoothstep(2.0, 4.0, v.x);
  int power;
  float part = frexp(v.y * one, power);
  y[15] = float(power);
  y[16] = mod(-v.x * 2.5, 10.0);
  vec3 c = cross(vec3(one, 0, 0), vec3(0, one, 0));
  y[17] = c.z;
  y[18] = faceforward(c, -c, c).z;
  y[19] = determinant(mat2(v.x, 2, one, one));
  mat2 back = inverse(mat2(one, 1, 1, 0.5 * one));
  y[20] = back[1][1] - 0.0;
  y[20] = y[20] == -2.0 ? -2.0 : y[20];
  y[21] = float(findMSB(int(v.x) << 2));
  y[22] = float(bitCount(0xF0u * uint(one)));
  y[23] = unpackUnorm4x8(packUnorm4x8(vec4(one, 0, 0, 0))).x * 24.0;
  float whole;
  y[24] = modf(v.x + 0.75, whole);
  y[25] = reflect(vec2(0, v.x), vec2(0, one)).y;
  y[26] = refract(vec2(0, -one), vec2(0, one), 1.0).x;
  y[27] = unpackHalf2x16(packHalf2x16(vec2(one + 0.000732421875, v.x))).x; /* rounded to the nearest half */
  y[28] = float(bitfieldExtract(0x45u * uint(one), 4, 4));
  y[29] = float(bitfieldInsert(0x40u * uint(one), 5u, 0, 4) & 0xFu);
  uint low, high;
  umulExtended(0xC0000000u * uint(one), 4u, high, low);
  y[30] = float(high);
  y[31] = float((-7 * int(one)) % 3);
}
