#version 450
/* A constant index far beyond the end, in code that runs only with another constant.
; run: grid=1 a=u32[0, 1, 2] result=u32[9; 2] => result=u32[5, 9]
*/
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint n = 0;
layout(set = 0, binding = 0, std430) readonly buffer A { uvec4 first; uint x[]; } a;
layout(set = 0, binding = 1, std430) buffer Result { uint x[]; } result;
void main() {
  result.x[0] = 5;
  if (n > 0)
    result.x[1] = a.x[n - 1] + a.x[n - 2] + a.first.y;
}
