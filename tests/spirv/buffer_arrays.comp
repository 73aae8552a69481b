#version 450
#extension GL_EXT_nonuniform_qualifier : require
/* If buffers have addresses, buffers in arrays still have handles, which an index selects.
; options: --buffer-addresses
; run: grid=1 table16=a,b,c a=u32[1, 2, 3, 4] b=u32[10, 20, 30, 40] c=u32[100, 200, 300, 400] sums=u32[0; 4] => sums=u32[11, 30, 310, 14] a=u32[1, 7, 3, 7] b=u32[7, 20, 7, 40] c=u32[100, 200, 300, 400]
*/
layout(local_size_x = 4) in;
layout(std430, set = 0, binding = 0) buffer Words { uint words[]; } all[3];
layout(std430, set = 1, binding = 0) buffer Sums { uint words[]; } sums;

void main() {
  uint i = gl_LocalInvocationIndex;
  sums.words[i] = all[nonuniformEXT(i % 3)].words[i] + all[1].words[0];
  barrier();
  all[nonuniformEXT(1 - i % 2)].words[i] = 7;
}
