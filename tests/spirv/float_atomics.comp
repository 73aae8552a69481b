#version 450
/* Atomic accesses to floats in a buffer, in workgroup memory and in an image.
; run: grid=2 table16=sums,image sums=f32[1, 2, 0, 1.5, 0, -2.25, 0, 7, 4, 0] image=image(r32float, 1)[0.5] \
;   => sums=f32[33, 9, 0, 5.5, 1.5, -2.25, -2.25, 3.25, 6, 4] image=f32[32.5]
*/
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, std430) buffer Sums { float sum, most, least, swapped, found, loaded, copy, stored, alone, before; } sums;
layout(set = 0, binding = 1, r32f) uniform image1D image;
shared float total;
void main() {
  if (gl_LocalInvocationIndex == 0)
    total = 0;
  barrier();
  atomicAdd(total, 0.5);
  atomicMax(sums.most, float(gl_GlobalInvocationID.x & 1) * 9.0);
  atomicMin(sums.least, float(gl_GlobalInvocationID.x));
  imageAtomicAdd(image, 0, 1.0);
  barrier();
  if (gl_LocalInvocationIndex == 0)
    atomicAdd(sums.sum, total * 2.0);
  if (gl_GlobalInvocationID.x == 3) {
    sums.before = atomicAdd(sums.alone, 2.0);
    sums.found = atomicExchange(sums.swapped, 5.5);
    sums.copy = atomicLoad(sums.loaded, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelaxed);
    atomicStore(sums.stored, 3.25, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelaxed);
  }
}
