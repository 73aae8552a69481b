#version 450
/* Stores to cubes, their faces being layers, and loads and atomic accesses of what was stored; an atomic access to one sample.
; run: grid=1 table16=y,a,b,c y=i32[0; 5] a=image(r32sint, 2x2, layers:6)[0; 24] b=image(r32sint, 1x1, layers:12)[0; 12] \
;   c=image(r32sint, 1x1, samples:4)[1, 2, 3, 4] \
;   => y=i32[7, 9, 0, 11, 3] c=i32[1, 2, 23, 4] a=i32[0, 7, 0, 0, 0; 4, 0; 4, 0; 4, 0; 4, 0, 0, 12, 0] b=i32[0; 8, 9, 0; 3]
*/
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Y { int y[5]; };
layout(binding = 1, r32i) uniform iimageCube a;
layout(binding = 2, r32i) uniform iimageCubeArray b;
layout(binding = 3, r32i) uniform iimage2DMS c;
void main() {
  imageStore(a, ivec3(1, 0, 0), ivec4(7));
  imageStore(a, ivec3(0, 1, 5), ivec4(11));
  imageStore(b, ivec3(0, 0, 8), ivec4(9));
  y[0] = imageLoad(a, ivec3(1, 0, 0)).x;
  y[1] = imageLoad(b, ivec3(0, 0, 8)).x;
  y[2] = imageLoad(b, ivec3(0, 0, 2)).x;
  y[3] = imageAtomicAdd(a, ivec3(0, 1, 5), 1);
  y[4] = imageAtomicAdd(c, ivec2(0, 0), 2, 20);
}
