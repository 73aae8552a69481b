#version 450
/* A mixture of constants whose difference is not exact still ends at each of them.
; run: grid=1 table16=Y Y=f32[1, 0, 0.5] => Y=f32[1e-9, 0.1, 0.050000001]
*/
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) buffer Y { float y[3]; };
void main() {
  for (uint i = 0; i < 3; i++)
    y[i] = mix(0.1, 1e-9, y[i]);
}
