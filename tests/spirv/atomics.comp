#version 450
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_quad : require
/* Atomic accesses of every kind to a buffer and to workgroup memory, and built-in variables about the grid.
; run: grid=2,1,3 table16=Y,Z num_workgroups=i32[2, 1, 3] Y=i32[0, 0, 100, -1, 0xFF, 7, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0] Z=i32[0; 31] \
;   => Y=i32[96, -96, 0, 95, 0xF0, 0xFFFF0007, 0, 42, 17, 42, 120, 96, 1, 0, 0, 0] \
;   Z=i32[2, 1, 3, 1, 0, 2, 16, 1, 1, 1, 0, 16, 32, 31, 63, 0xFFC0, 0xFFE0, 0, 1, 3, 7, 6, 9, 6, 1, 1, 8, 15, 1, 1, 2]
*/
layout(local_size_x = 16) in;
layout(std430, binding = 0) buffer Y { int y[16]; };
layout(std430, binding = 1) buffer Z { uint z[31]; };
shared int sum;
shared uint most;
void main() {
  uint lane = gl_LocalInvocationID.x;
  int i = int(lane) + 16 * int(gl_WorkGroupID.x + 2 * gl_WorkGroupID.z);
  atomicAdd(y[0], 1);
  atomicAdd(y[1], -1);
  atomicMin(y[2], i);
  atomicMax(y[3], i);
  atomicAnd(y[4], 0xFFF0);
  atomicOr(y[5], 0x10000 << lane);
  atomicXor(y[6], i == 5 ? 1 : 0);
  if (i == 0)
    atomicExchange(y[7], 42);
  if (i == 20)
    atomicCompSwap(y[8], 0, 17);
  atomicCompSwap(y[8], 99, 18);
  if (i == 3)
    atomicStore(y[9], 42, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelaxed);
  if (lane == 0) {
    sum = 0;
    most = 0;
  }
  barrier();
  atomicAdd(sum, int(lane));
  atomicMax(most, uint(i));
  barrier();
  if (i == 17)
    y[10] = sum;
  if (lane == 1)
    atomicMax(y[11], int(most) + atomicLoad(y[12], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelaxed));

  /* The last workgroup stores its built-in variables. */
  bool last = gl_WorkGroupID == gl_NumWorkGroups - 1;
  uvec4 odd = subgroupBallot((lane & 1u) == 1u);
  uint from = subgroupShuffle(lane * lane, 3), swapped = subgroupShuffleXor(lane, 6), down = subgroupShuffleDown(lane, 4);
  uint first = subgroupBroadcastFirst(lane + 1), across = subgroupQuadSwapVertical(lane), slant = subgroupQuadSwapDiagonal(lane);
  uint quad = subgroupQuadBroadcast(lane, 2);
  bool own = subgroupInverseBallot(odd), third = subgroupBallotBitExtract(odd, 3);
  bool both = subgroupAnd(lane) == 0u;
  if (!last)
    return;
  if (lane == 0) {
    z[0] = gl_NumWorkGroups.x;
    z[1] = gl_NumWorkGroups.y;
    z[2] = gl_NumWorkGroups.z;
    z[3] = gl_WorkGroupID.x;
    z[4] = gl_WorkGroupID.y;
    z[5] = gl_WorkGroupID.z;
    z[6] = gl_WorkGroupSize.x;
    z[7] = gl_WorkGroupSize.y;
    z[8] = gl_WorkGroupSize.z;
    z[9] = gl_NumSubgroups;
    z[10] = gl_SubgroupID;
    z[11] = gl_SubgroupSize;
  }
  if (lane == 5) {
    z[12] = gl_SubgroupEqMask.x;
    z[13] = gl_SubgroupLtMask.x;
    z[14] = gl_SubgroupLeMask.x;
    z[15] = gl_SubgroupGtMask.x;
    z[16] = gl_SubgroupGeMask.x;
    z[17] = gl_SubgroupGtMask.y;
    z[18] = own ? 1 : 0;
    z[19] = swapped;
    z[20] = across;
    z[21] = slant;
    z[22] = from;
    z[23] = quad;
    z[24] = first;
    z[25] = third ? 1 : 0;
  }
  if (lane == 4)
    z[26] = down;
  if (lane == 15)
    z[27] = gl_LocalInvocationIndex;
  z[28] = both ? 1 : 0;
  z[29] = subgroupAll(own == ((lane & 1u) == 1u)) ? 1 : 0;
  z[30] = subgroupOr(lane & 2u);
}
