#version 450
/* If NaN and infinities need not be preserved, the results are 0; precise ones are computed.
; run: grid=1 table16=X,Y X=f32[7] Y=f32[1, 1, 1] => Y=f32[0, 0, 0]
*/
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer X { float x; };
layout(std430, binding = 1) buffer Y { float y[3]; };

void main() {
  precise float z = x * 0.0;
  y[0] = x * 0.0;
  y[1] = z;
  y[2] = x - x;
}
