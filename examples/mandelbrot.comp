#version 450
/* The Mandelbrot set, one invocation per pixel:
 *
 *   glslangValidator -V mandelbrot.comp -o mandelbrot.spv
 *   norn run mandelbrot.spv grid=32,32 'picture=image(rgba8unorm, 256x256)' 'center=f32[-0.5, 0]' \
 *     pitch=0.01 limit=100 --save picture=mandelbrot.png
 */
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) uniform writeonly image2D picture;
layout(push_constant) uniform Constants {
  vec2 center; /* of the picture, in the plane */
  float pitch; /* from pixel to pixel */
  int limit;   /* of steps */
};

void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(picture);
  if (any(greaterThanEqual(at, size)))
    return;
  precise vec2 c = center + vec2(at - size / 2) * pitch, z = vec2(0);
  int steps = 0;
  for (; steps < limit; steps++) {
    precise vec2 squares = z * z;
    if (squares.x + squares.y > 4)
      break;
    precise float twice = 2 * z.x * z.y;
    z = vec2(squares.x - squares.y, twice) + c;
  }
  ivec3 color = steps == limit ? ivec3(0) : ivec3(steps * 4, steps * 10, 64 + steps * 17) & 255;
  imageStore(picture, at, vec4(vec3(color) / 255, 1));
}
