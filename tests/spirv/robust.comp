#version 450
/* Accesses to buffers by address, checked against the sizes of the buffers.
; options: --abi=robust.json
; run: grid=1 a=u32[1, 2, 3, 4] a_size=16 table40=result result=u32[7; 8] => result=u32[1, 2, 3, 4, 0, 0, 0, 0] a=u32[1, 2, 3, 13]
*/
layout(local_size_x = 8) in;
layout(set = 0, binding = 0, std430) buffer A { uint x[]; } a;
layout(set = 0, binding = 5, std430) writeonly buffer Result { uint x[]; } result;
void main() {
  uint i = gl_LocalInvocationIndex;
  result.x[i] = a.x[i] + atomicAdd(a.x[i + 4], 5);
  if (i == 3)
    atomicAdd(a.x[i], 9);
  a.x[i + 4] = 100;
}
