#version 450
/* Arrays that only ever hold one constant become one table, filled once, wherever they are indexed; arrays that are also stored to do not.
; run: grid=1 table16=X,Y X=i32[3, 0, 2, 1] Y=i32[0; 4] => Y=i32[1612, 1250, 1606, 1508]
*/
layout(local_size_x = 4) in;
layout(std430, binding = 0) readonly buffer X { int x[]; };
layout(std430, binding = 1) buffer Y { int y[]; };
const int squares[4] = int[](1, 4, 9, 16), cubes[4] = int[](1, 8, 27, 64);
int at(int i) { return squares[i] + squares[3 - i]; } /* one table for all calls */
void main() {
  uint i = gl_LocalInvocationIndex;
  int own[4] = cubes; /* stored to below */
  int reset[4] = squares;
  own[x[i]] += 1000;
  int sum = own[x[i]];
  for (int k = 0; k < 3; k++) {
    sum += squares[(x[i] + k) & 3] * at((x[i] + 2 * k) & 3);
    if (k == x[i])
      reset = cubes; /* another constant */
    sum += reset[(x[i] + 1) & 3];
    sum += cubes[x[i]];
  }
  y[i] = sum;
}
