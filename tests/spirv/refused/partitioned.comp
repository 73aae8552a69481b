#version 450
#extension GL_NV_shader_subgroup_partitioned : require
/* refused: OpCapability GroupNonUniformPartitionedNV: this capability is not supported */
layout(binding = 0) buffer B { uvec4 b; };
void main() { b = subgroupPartitionNV(b.x); }
