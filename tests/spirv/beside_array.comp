#version 450
/* A buffer that is named by its address takes no entry of the table, so an array of images may have that of its binding.
; options: --buffer-addresses
; run: grid=1 table16=a,b a=image(r32sint, 1)[5] b=image(r32sint, 1)[6] y=i32[0; 2] => y=i32[5, 6]
*/
layout(local_size_x = 1) in;
layout(binding = 0, r32i) uniform iimage1D images[2];
layout(binding = 1, std430) buffer Y { int values[]; } y;
void main() {
  int a = imageLoad(images[0], 0).x, b = imageLoad(images[1], 0).x;
  y.values[0] = a;
  y.values[1] = b;
}
