#version 450
/* Two variables with the same binding alias; other variables do not, which tests/spirv.sh checks.
; run: table16=A,C A=i32[3, 0, 0, 0] C=i32[0; 4] => A=i32[5, 4, 0, 0] C=i32[4, 5, 0, 0]
*/
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer A { int a, a1; };
layout(std430, binding = 0) buffer B { int b, b1; };
layout(std430, binding = 1) buffer C { int c, c1; };
layout(std430, binding = 2) buffer D { int d; };
void main() {
  a = a + 1;
  c = b;
  b1 = a;
  b = c + 1;
  c1 = a;
  if (c1 == 0)
    d = 1;
}
