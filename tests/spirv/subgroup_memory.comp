#version 450
/* Lanes that exchange words in memory: each load sees what its neighbor has stored before the barrier of the subgroup, or of its memory.
; run: grid=1 table16=y y=u32[0; 32] => y=u32[1004, 1009, 1016, 1025, 1036, 1049, 1064, 1081, 1100, 1121, 1144, 1169, 1196, 1225, 1100, 100, \
;   3009, 3016, 3025, 3036, 3049, 3064, 3081, 3100, 3121, 3144, 3169, 3196, 3225, 3100, 2100, 100]
*/
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 16) in;
layout(std430, binding = 0) buffer Y { uint y[32]; };
shared uint a[17];
void main() {
  uint i = gl_LocalInvocationIndex;
  a[i] = i * i;
  if (i == 0)
    a[16] = 100;
  barrier();
  uint first = a[i + 1];
  subgroupBarrier();
  a[i] = first + 1000;
  subgroupBarrier();
  uint second = a[i + 1];
  subgroupMemoryBarrierShared();
  a[i] = second + 2000;
  subgroupMemoryBarrierShared();
  y[i] = second;
  y[i + 16] = a[i + 1];
}
