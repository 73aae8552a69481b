#version 450
/* A push constant with the name that the driver uses for the number of workgroups. */
layout(local_size_x = 2) in;
layout(push_constant) uniform P { uint num_workgroups; };
layout(binding = 0) buffer B { uint x[]; };
void main() { x[gl_GlobalInvocationID.x] = num_workgroups * 10 + gl_NumWorkGroups.x; }
