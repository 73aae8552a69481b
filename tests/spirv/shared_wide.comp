#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_atomic_int64 : require
/* Atomic accesses to 64-bit numbers in workgroup memory without a layout: they are at multiples of 8 bytes in every element.
; run: grid=1 table16=Y Y=u64[0; 8] => Y=u64[0x100000002, 0x300000004, 0x500000006, 0x700000008, 10, 111, 212, 313]
*/
struct Tail {
  uint64_t wide;
  uint narrow;
};
struct Inner {
  uint narrow;
  Tail tail;
};
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Y { uint64_t y[]; };
shared Tail tails[4];
shared Inner inners[4];
void main() {
  uint i = gl_LocalInvocationIndex;
  tails[i].wide = 2 * i + 1;
  tails[i].narrow = 2 * i + 2;
  inners[i].narrow = i;
  inners[i].tail.wide = 10;
  inners[i].tail.narrow = 100 * i;
  barrier();
  uint k = 3 - i;
  uint64_t old = atomicExchange(tails[k].wide, 0ul);
  y[k] = atomicCompSwap(tails[k].wide, 0ul, old << 32 | tails[k].narrow);
  y[k] = tails[k].wide;
  atomicAdd(inners[k].tail.wide, uint64_t(inners[k].narrow + inners[k].tail.narrow));
  y[4 + k] = inners[k].tail.wide;
}
