#version 450
#extension GL_AMD_shader_trinary_minmax : require
/* Minimum, maximum and median of three, in every order.
; run: grid=6 table16=F,S,Results F=f32[-1.5, 0.25, 8] S=i32[-7, 3, 0x7FFFFFFF] Results=u32[0; 54] => Results=u32[1; 54]
*/
layout(local_size_x = 1) in;
layout(std430, binding = 0) readonly buffer F { float f[]; };
layout(std430, binding = 1) readonly buffer S { int s[]; };
layout(std430, binding = 2) buffer Results { uint results[]; };
const ivec3 orders[6] = ivec3[](ivec3(0, 1, 2), ivec3(0, 2, 1), ivec3(1, 0, 2), ivec3(1, 2, 0), ivec3(2, 0, 1), ivec3(2, 1, 0));
void main() {
  uint n = gl_GlobalInvocationID.x, at = n * 9;
  ivec3 order = orders[n];
  vec2 x = vec2(f[order.x]), y = vec2(f[order.y], 0), z = vec2(f[order.z], -1);
  ivec3 a = ivec3(s[order.x]), b = ivec3(s[order.y]), c = ivec3(s[order.z]);
  uvec3 u = uvec3(a), v = uvec3(b), w = uvec3(c);
  results[at] = uint(min3(x, y, z).x == -1.5);
  results[at + 1] = uint(max3(x, y, z).x == 8);
  results[at + 2] = uint(mid3(x, y, z) == vec2(0.25, clamp(x.y, -1.0, 0.0)));
  results[at + 3] = uint(min3(a, b, c) == ivec3(-7));
  results[at + 4] = uint(max3(a, b, c) == ivec3(0x7FFFFFFF));
  results[at + 5] = uint(mid3(a, b, c) == ivec3(3));
  results[at + 6] = uint(min3(u, v, w) == uvec3(3));
  results[at + 7] = uint(max3(u, v, w) == uvec3(0xFFFFFFF9u));
  results[at + 8] = uint(mid3(u, v, w) == uvec3(0x7FFFFFFF));
}
