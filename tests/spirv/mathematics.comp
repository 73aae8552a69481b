#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
/* Functions of GLSL.std.450: 1 if a result is within its error bound or, for an exact function, correct.
; run: grid=1 table16=X,Y X=f32[0.5, -0.75, 2, 10, -3.5] Y=i32[0; 84] => Y=i32[1; 84]
*/
layout(local_size_x = 1) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) buffer Y { uint y[]; };
int n = 0;
void near(float v, float wanted) { y[n++] = abs(v - wanted) <= 0.001 * max(1, abs(wanted)) ? 1u : 0u; }
void same(float v, float wanted) { y[n++] = v == wanted ? 1u : 0u; }
void same(uint v, uint wanted) { y[n++] = v == wanted ? 1u : 0u; }
void same(int v, int wanted) { y[n++] = v == wanted ? 1u : 0u; }
void main() {
  float half_ = x[0], minus = x[1], two = x[2], ten = x[3], odd = x[4];
  near(mix(two, ten, 0.25), 4);
  near(mix(two, 10.0, 0.75), 8);
  near(mix(10.0, two, 1.5), -2);
  near(sin(half_), 0.479426);
  near(cos(minus), 0.731689);
  near(tan(minus), -0.931596);
  near(asin(half_), 0.523599);
  near(asin(minus), -0.848062);
  near(acos(half_), 1.047198);
  near(acos(minus), 2.418858);
  near(atan(half_), 0.463648);
  near(atan(odd), -1.292497);
  near(atan(two), 1.107149);
  near(atan(minus, two), -0.358771);
  near(atan(half_, odd), 2.999696);
  near(atan(odd, odd), -2.356194);
  near(atan(two, -half_), 1.815775);
  near(atan(half_ - 0.5, two - 2), 0);
  near(sinh(minus), -0.822317);
  near(cosh(two), 3.762196);
  near(tanh(half_), 0.462117);
  near(tanh(ten * ten), 1);
  near(asinh(odd), -1.965721);
  near(acosh(two), 1.316958);
  near(atanh(minus), -0.972955);
  near(exp(two), 7.389056);
  near(log(ten), 2.302585);
  near(exp2(odd), 0.0883883);
  near(log2(ten), 3.321928);
  near(pow(ten, minus), 0.177828);
  near(sqrt(ten), 3.162278);
  near(inversesqrt(two), 0.707107);
  near(radians(ten), 0.174533);
  near(degrees(two), 114.591559);
  same(round(two + 0.25), 2);
  same(roundEven(odd), -4);
  same(trunc(odd), -3);
  same(floor(odd), -4);
  same(ceil(odd), -3);
  same(fract(odd), 0.5);
  same(abs(odd), 3.5);
  same(sign(odd), -1);
  same(sign(int(odd)), -1);
  same(sign(int(two)), 1);
  same(sign(int(half_)), 0);
  same(abs(int(odd)), 3);
  same(min(int(odd), int(two)), -3);
  same(max(int(odd), int(two)), 2);
  same(min(uint(two), uint(ten)), 2u);
  same(max(uint(two), uint(ten)), 10u);
  same(clamp(int(ten), -5, 5), 5);
  same(clamp(int(odd), -2, 5), -2);
  same(clamp(uint(ten), 3u, 7u), 7u);
  same(clamp(ten, 0, half_), 0.5);
  same(mix(two, ten, 0.25), 4);
  same(step(two, half_), 0);
  same(step(half_, two), 1);
  same(smoothstep(0, two, 1), 0.5);
  same(fma(two, ten, half_), 20.5);
  near(length(vec3(two, odd, ten)), 10.781929);
  near(length(odd), 3.5);
  near(distance(vec2(two, ten), vec2(half_, half_)), 9.617692);
  near(distance(two, odd), 5.5);
  same(cross(vec3(two, ten, half_), vec3(odd, minus, two)).y, -5.75);
  near(normalize(vec2(two, ten)).y, 0.980581);
  near(normalize(odd), -1);
  same(faceforward(vec2(two, ten), vec2(half_, 0), vec2(1, 0)).y, -10);
  same(reflect(vec2(two, ten), vec2(0, 1)).y, -10);
  near(refract(vec2(0.6, -0.8), vec2(0, 1), half_).x, 0.3);
  near(refract(vec2(0.6, -0.8), vec2(0, 1), two).x, 0);
  int exponent;
  same(frexp(ten, exponent), 0.625);
  same(exponent, 4);
  same(ldexp(half_, 5), 16);
  float whole;
  same(modf(odd, whole), -0.5);
  same(whole, -3);
  near(determinant(mat3(two, 0, 1, 0, ten, 2, 0, 1, half_)), 6);
  near(inverse(mat3(two, 0, 1, 0, ten, 2, 0, 1, half_))[1].y, 0.166667);
  near(determinant(mat4(two, 0, 0, 1, 0, ten, 0, 0, 0, 0, half_, 0, 0, 0, 0, 1)), 10);
  same(packSnorm4x8(vec4(half_ * 2, -1, 0, minus)), 0xA100817Fu);
  same(packUnorm2x16(vec2(two, 0)), 0x0000FFFFu);
  same(packSnorm2x16(vec2(two, minus * 2)), 0x80017FFFu);
  same(unpackSnorm4x8(uint(ten) << 24 | 0x81u).x, -1);
  same(unpackUnorm2x16(0xFFFFu << uint(two * 8)).y, 1);
  same(unpackSnorm2x16(0x8000u >> uint(half_)).x, -1);
}
