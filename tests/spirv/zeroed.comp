#version 450
#extension GL_EXT_null_initializer : require
/* Workgroup memory that is initialized with zeros: with more and with fewer words than there are invocations.
; run: grid=2 table16=Y Y=i32[0; 40] => Y=i32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, \
;   12, 13, 14, 15, 16, 17, 18, 19]
*/
layout(local_size_x = 20) in;
layout(std430, binding = 0) buffer Y { int y[]; };
shared int many[101] = {};
shared vec3 few = {};
void main() {
  uint i = gl_LocalInvocationIndex;
  int sum = int(few.x + few.y + few.z);
  for (uint k = i; k < 101; k += 20)
    sum += many[k];
  barrier();
  many[i] = 5;
  few = vec3(i);
  y[gl_GlobalInvocationID.x] = int(i) + sum;
}
