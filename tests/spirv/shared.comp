#version 450
/* Workgroup memory, barriers, atomic accesses of every kind.
; run: grid=2 table16=X,Y,Z X=i32[0; 4] Y=i32[0; 64] Z=i64[5] \
;   => X=i32[2016, 32, 63, 127] Y=i32[(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, \
;   12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), (63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, \
;   46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32)] Z=i64[5]
*/
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer X { uint sum; int steps; uint most; uint bits; };
layout(std430, binding = 1) buffer Y { uint y[]; };
layout(std430, binding = 2) buffer Z { uvec2 z; };
shared uint swapped[32];
shared uint total;
void main() {
  uint i = gl_LocalInvocationID.x, global = gl_GlobalInvocationID.x;
  if (i == 0)
    total = 0;
  swapped[31 - i] = global;
  barrier();
  y[global] = swapped[i];
  atomicAdd(total, swapped[i]);
  atomicMax(most, global);
  atomicOr(bits, global | 64u);
  if ((i & 1u) == 0u)
    atomicAdd(steps, 1);
  barrier();
  if (i == 0)
    atomicAdd(sum, total);
}
