#version 450
/* Buffers, push constants, a branch.
; run: grid=1 a=2.0 n=3 table16=X,Y X=f32[1, 2, 0.5, 9] Y=f32[10, 20, 30, 40] => Y=f32[12, 24, 31, 40]
*/
layout(local_size_x = 16) in;
layout(push_constant) uniform Constants { float a; uint n; };
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) buffer Y { float y[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}
