#version 450
/* Indices whose byte offset does not fit into 32 bits are also out of bounds: one whose product wraps, one whose sum does.
; options: --abi=robust.json
; run: grid=1 a=u32[1, 2, 3, 4, 5, 6] a_size=24 table40=result result=u32[0x40000000, 0x3FFFFFFE, 9, 9, 9] => a=u32[1, 2, 3, 4, 5, 6] result=u32[0x40000000, 0x3FFFFFFE, 0, 0, 0]
*/
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) buffer A { uint head[2]; uint x[]; } a;
layout(set = 0, binding = 5, std430) buffer Result { uint index[2]; uint y[]; } result;
void main() {
  uint product = result.index[0], sum = result.index[1];
  result.y[0] = a.x[product];
  a.x[product] = 77;
  result.y[1] = a.x[sum];
  a.x[sum] = 78;
  result.y[2] = atomicAdd(a.x[product + 1], 79);
}
