#version 450
/* Every volatile access is executed, and no others; tests/spirv.sh counts them.
; run: table16=X X=i32[3, 5, 0, 0] => X=i32[3, 5, 6, 5]
*/
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer X { volatile int read; int other; volatile int sum; int last; };
void main() {
  int first = read;
  sum = first;
  sum = first + read;
  last = other;
}
