#version 450
/* The angle of numbers whose reciprocals are subnormal.
; run: grid=1 a=f32[3e38, 3e38, -3e38, 1.5e38] result=f32[0; 4] => result=f32[0.78539646, 2.3561964, -0.46364644, 1.10715]
*/
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) readonly buffer A { float x[]; } a;
layout(set = 0, binding = 1, std430) writeonly buffer Result { float x[]; } result;
void main() {
  result.x[0] = atan(a.x[0], a.x[1]);
  result.x[1] = atan(a.x[0], a.x[2]);
  result.x[2] = atan(-a.x[3], a.x[0]);
  result.x[3] = atan(a.x[1], a.x[3]);
}
