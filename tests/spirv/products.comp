#version 450
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_ARB_shader_ballot : require
#extension GL_ARB_shader_group_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_clustered : require
/* Products over all or some invocations; votes and ballots of older extensions.
; run: grid=1 table16=Y Y=i32[0; 160] => Y=i32[\
;   2027025, 2027025, 2027025, 2027025, 2027025, 2027025, 2027025, 2027025, 16, 16, 16, 16, 16, 16, 16, 16, \
;   1, 1, 3, 15, 105, 945, 10395, 135135, 1, 2, 4, 8, 16, 16, 16, 16, \
;   0x3f800000, 0x40400000, 0x41700000, 0x42d20000, 0x446c4000, 0x46226c00, 0x4803f7c0, 0x49f77088, \
;   0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, \
;   3, 3, 35, 35, 99, 99, 195, 195, 4, 4, 4, 4, 1, 1, 1, 1, \
;   0x5555, 0x5555, 0x5555, 0x5555, 0x5555, 0x5555, 0x5555, 0x5555, 0x5555, 0x5555, 0x5555, 0x5555, 0x5555, 0x5555, 0x5555, 0x5555, \
;   3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, \
;   5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, \
;   16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16]
*/
layout(local_size_x = 16) in;
layout(std430, binding = 0) buffer Y { uint y[]; };
void main() {
  uint i = gl_SubGroupInvocationARB;
  if (i < 8u) {
    uint v = 2u * i + 1u;
    y[i] = subgroupMul(v);
    y[16u + i] = subgroupExclusiveMul(v);
    y[32u + i] = floatBitsToUint(subgroupInclusiveMul(float(v)));
    y[48u + i] = subgroupClusteredMul(v, 2);
  } else {
    int v = i < 12u ? 2 : 1;
    y[i] = uint(subgroupMul(v));
    y[16u + i] = uint(subgroupExclusiveMul(v));
    y[32u + i] = floatBitsToUint(subgroupMul(i < 12u ? 2.0 : 0.5));
    y[48u + i] = i < 12u ? 4u * uint(subgroupClusteredMul(1, 4)) : 1u;
  }
  y[64u + i] = uint(ballotARB((i & 1u) == 0u));
  y[80u + i] = readInvocationARB(i, 3u);
  y[96u + i] = readFirstInvocationARB(i + 1u);
  y[112u + i] = (anyInvocationARB(i == 3u) ? 1u : 0u) + (allInvocationsARB(i < 15u) ? 2u : 0u) + (allInvocationsEqualARB(i < 16u) ? 4u : 0u);
  y[128u + i] = uint(gl_SubGroupEqMaskARB);
  y[144u + i] = gl_SubGroupSizeARB;
}
