#version 450
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
/* A 64-bit atomic access past the end of a buffer whose size is no multiple of 8 is moved to the last place that is one.
; options: --abi=clamped.json
; run: grid=1 b=u32[1, 2, 3] b_size=12 r=u32[7, 7] r_size=8 => b=u32[6, 2, 3] r=u32[1, 2]
*/
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer B { uint64_t v[]; } b;
layout(set = 0, binding = 1) buffer R { uint64_t r[]; } r;
void main() { r.r[0] = atomicAdd(b.v[1], 5ul); }
