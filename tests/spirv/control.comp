#version 450
/* Loops with break and continue, a switch with fallthrough, functions with several returns, an array
 * with a variable index, a short-circuit condition.
; run: grid=1 table16=Y Y=i32[0; 16] \
;   => Y=i32[0, 10, 1002, 3, 107, 11, 12, 1013, 22, 23, 24, 25, 26, 27, 28, 29]
*/
layout(local_size_x = 16) in;
layout(std430, binding = 0) buffer Y { int y[]; };

int classify(int i) {
  if (i > 7)
    return 1;
  for (int k = 0; k < 20; k++) {
    if (k == 3)
      continue;
    if (k * k > i)
      return k == 1 ? 0 : i & 1;
  }
  return 100;
}

int fall(int i) {
  int sum = 0;
  switch (i) {
  case 2:
  case 7:
    sum += 1000;
    break;
  case 4:
    sum += 100; /* falls through */
  case 5:
    sum += i == 4 ? 3 : 6;
    break;
  case 1:
    sum += 9;
    break;
  default:
    if (i == 6)
      sum += 6;
  }
  return sum;
}

void main() {
  int i = int(gl_LocalInvocationIndex);
  int table[8] = int[8](0, 0, 0, 0, 0, 0, 0, 6);
  table[i & 7] += i;
  int found = table[i & 7];
  if (i > 7)
    y[i] = i + 14 + (i % 8 == 7 ? 0 : 0) * found;
  else if (classify(i) >= 0 && fall(i) >= 0)
    y[i] = found + fall(i);
}
