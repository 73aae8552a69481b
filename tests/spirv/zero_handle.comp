#version 450
/* An image whose handle is 0 has words of its own for its size, not that of a buffer.
; options: --abi=zero_handle.json
; run: grid=1 table0=picture picture=image(r32float, 3x2)[1, 2, 3, 4, 5, 6] y=i32[0; 3] y_size=12 => y=i32[1, 3, 2]
*/
layout(local_size_x = 1) in;
layout(binding = 0, r32f) uniform image2D picture;
layout(binding = 1, std430) buffer Y { int values[]; } y;
void main() {
  y.values[0] = 1;
  ivec2 size = imageSize(picture);
  y.values[1] = size.x;
  y.values[2] = size.y;
}
