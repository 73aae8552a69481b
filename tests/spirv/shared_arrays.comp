#version 450
/* Arrays in workgroup memory that are indexed together are interleaved, so that a message accesses an element of each; as a
 * whole they behave as before. An array that is indexed separately and one of another length are not interleaved.
; run: grid=1 In=f32[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] Out=f32[0; 24] \
;   => Out=f32[12, 11, 10, 0, 6, 30, 9, 8, 7, 2, 5, 30, 6, 5, 4, 4, 4, 30, 3, 2, 1, 6, 3, 30]
*/
layout(local_size_x = 4) in;
layout(std430, binding = 0) readonly buffer In { float x[]; };
layout(std430, binding = 1) buffer Out { float result[]; };
shared float red[4], green[4], blue[4];
shared uint alone[4], longer[5];

void main() {
  uint i = gl_LocalInvocationIndex, j = 3 - i, k = i ^ 1;
  red[i] = x[3 * i];
  green[i] = x[3 * i + 1];
  blue[i] = x[3 * i + 2];
  longer[i] = i;
  if (i == 0)
    longer[4] = 3;
  alone[k] = 3 * i;
  barrier();
  float whole[4] = blue;
  atomicAdd(alone[k], longer[j]);
  barrier();
  result[6 * i] = blue[j];
  result[6 * i + 1] = green[j];
  result[6 * i + 2] = red[j];
  result[6 * i + 3] = float(alone[k]) - 3;
  result[6 * i + 4] = float(longer[j] + longer[4]);
  result[6 * i + 5] = whole[0] + whole[1] + whole[2] + whole[3];
}
