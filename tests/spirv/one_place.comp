#version 450
/* Two variables with the same binding, which the interface places together: one loads what the other stores, and either has the size.
; options: --abi=one_place.json
; run: grid=1 inputs=u32[0; 64] result=u32[7; 16] => inputs=u32[5, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0] result=u32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
*/
layout(local_size_x = 16) in;
layout(binding = 0, std430) buffer Inputs { uint x[]; } inputs;
layout(binding = 0, std430) buffer Wide { uvec4 x[]; } wide;
layout(binding = 1, std430) buffer Result { uint x[]; } result;
void main() {
  uint i = gl_GlobalInvocationID.x;
  inputs.x[i * 4] = i;
  uvec4 all = wide.x[i];
  inputs.x[i * 4] = 5;
  result.x[i] = all.x + all.y + uint(wide.x.length()) - 16;
}
