#version 450
/* Remainders of signed division whose divisor is not constant have its sign.
; run: grid=1 table16=a,b,r a=i32[7, -7, 7, -7, 6, -6, 6, -6, 0, 2, -2, 2, -2147483648, 2147483647, 5, -5] \
;   b=i32[3, 3, -3, -3, 3, 3, -3, -3, -3, 9, 9, -9, 10, -10, 1, -1] r=i32[99; 16] \
;   => r=i32[1, 2, -2, -1, 0, 0, 0, 0, 0, 2, 7, -7, 2, -3, 0, 0]
*/
layout(local_size_x = 16) in;
layout(std430, binding = 0) buffer A { int a[16]; };
layout(std430, binding = 1) buffer B { int b[16]; };
layout(std430, binding = 2) buffer R { int r[16]; };
void main() {
  uint i = gl_LocalInvocationIndex;
  r[i] = a[i] % b[i];
}
