#version 450
/* The sizes of cube arrays count cubes, not faces, for textures and for storage images.
; run: grid=1 many=image(rgba8unorm, 4x4, layers:18, levels:3) one=image(rgba8unorm, 8x8, layers:6, levels:2) stored=image(rgba8unorm, 2x2, layers:12) single=image(rgba8unorm, 5x5, layers:6) \
;   Y=i32[0; 10] => Y=[2, 2, 3, 8, 8, 2, 2, 2, 5, 5]
*/
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Y { int y[]; };
layout(binding = 1) uniform samplerCubeArray many;
layout(binding = 2) uniform samplerCube one;
layout(binding = 3, rgba8) uniform imageCubeArray stored;
layout(binding = 4, rgba8) uniform imageCube single;
void main() {
  ivec3 first = textureSize(many, 1), third = imageSize(stored);
  ivec2 second = textureSize(one, 0), fourth = imageSize(single);
  int values[10] = int[](first.x, first.y, first.z, second.x, second.y, third.x, third.y, third.z, fourth.x, fourth.y);
  for (int k = 0; k < 10; k++)
    y[k] = values[k];
}
