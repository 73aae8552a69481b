#version 450
/* Quotients and remainders by the constant 0 are undefined: the shortest code says 0.
; run: grid=1 table16=b b=i32[7, -9, 0, 0, 0, 0] => b=i32[7, -9, 10, 11, 12, 13]
*/
layout(constant_id = 0) const int zero = 0;
layout(binding = 0) buffer B {
  int x[2];
  int y[2];
  uint z[2];
}
b;
void main() {
  b.y[0] = 10 + b.x[0] / zero;
  b.y[1] = 11 + b.x[1] % zero;
  b.z[0] = 12 + uint(b.x[0]) / uint(zero);
  b.z[1] = 13 + uint(b.x[1]) % uint(zero);
}
