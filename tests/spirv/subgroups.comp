#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_vote : require
/* Operations between invocations of a subgroup.
; run: grid=1 table16=Y Y=i32[0; 20] => \
;   Y=i32[120, 6, 28, 21, 4369, 4, 7, 1, 5, 1, 14, 8, 3, 1, 0, 15, 14, 1, 0, 0]
*/
layout(local_size_x = 16) in;
layout(std430, binding = 0) buffer Y { uint y[]; };
void main() {
  uint i = gl_SubgroupInvocationID;
  uint sum = subgroupAdd(i), cluster = subgroupClusteredAdd(i, 4);
  uint inclusive = subgroupInclusiveAdd(i), exclusive = subgroupExclusiveAdd(i);
  uvec4 fourths = subgroupBallot((i & 3u) == 0u);
  uint up = subgroupShuffleUp(i, 2), swapped = subgroupQuadSwapHorizontal(i);
  bool any = subgroupAny(i == 5u), all = subgroupAll(i < 16u);
  if (i == 0u) y[0] = sum;
  if (i == 0u) y[1] = cluster;
  if (i == 7u) y[2] = inclusive;
  if (i == 7u) y[3] = exclusive;
  y[4] = fourths.x;
  y[5] = subgroupBallotBitCount(fourths);
  if (i == 9u) y[6] = up;
  y[7] = any ? 1u : 0u;
  y[8] = subgroupBroadcast(i, 5);
  if (i > 0u && subgroupElect()) y[9] = i;
  if (i == 15u) y[10] = swapped;
  y[11] = subgroupBallotFindLSB(uvec4(0x100, 0, 0, 0));
  if (i == 3u) y[12] = subgroupBallotExclusiveBitCount(uvec4(0xFFFF, 0, 0, 0));
  y[13] = all ? 1u : 0u;
  y[14] = subgroupAllEqual(i) ? 1u : 0u;
  y[15] = subgroupMax(i);
  y[16] = subgroupBallotFindMSB(uvec4(0xF0007FFF, 9, 0, 0)); /* lanes 16 and above do not exist */
  y[17] = subgroupAllEqual(i < 8u ? 0.0 : -0.0) ? 1u : 0u;
  y[18] = subgroupAllEqual(uintBitsToFloat(0x7FC00000u + 0u * i)) ? 1u : 0u; /* NaN */
  y[19] = min(subgroupBroadcast(i, 20), 0u);
}
