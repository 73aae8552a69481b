#version 450
/* An access past the end accesses the last element, also in workgroup memory, and also if a mask leaves the index just one too high.
; options: --abi=clamped.json
; run: grid=1 fau.n=3 a=u32[1, 2, 3, 4] a_size=16 result=u32[7; 16] fau.result_size=64 => result=u32[11, 12, 13, 14, 14, 14, 14, 14, 11, 11, 11, 11, 14, 14, 14, 14]
*/
layout(local_size_x = 8) in;
layout(push_constant) uniform Push { uint n; };
layout(set = 0, binding = 0, std430) readonly buffer A { uint x[]; } a;
layout(set = 0, binding = 5, std430) writeonly buffer Result { uint x[16]; } result;
shared uint cells[4];
void main() {
  uint i = gl_LocalInvocationIndex;
  if (i <= n)
    cells[i] = a.x[i] + 10;
  barrier();
  result.x[i] = cells[i] + a.x[i + 8] - 4;
  result.x[i + 8] = cells[i & 4];
}
