#version 450
/* Sizes of images in uniform words: of all levels down to the smallest, and of an image with layers; sizes of array elements are in descriptors.
; options: --image-words
; run: grid=1 t=image(r32float, 4x1, levels:3) layered=image(r32float, 5x3, layers:7, levels:2) several[0]=image(r32float, 3x5) several[1]=image(r32float, 6x2) ms=image(r32float, 2x2, samples:4) \
;   level=2 Y=i32[0; 16] => Y=[4, 1, 2, 1, 1, 1, 3, 2, 1, 7, 3, 5, 6, 2, 4, 2]
*/
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Y { int y[]; };
layout(binding = 1) uniform sampler2D t;
layout(binding = 2) uniform sampler2DArray layered;
layout(binding = 3) uniform sampler2D several[2];
layout(binding = 5) uniform sampler2DMS ms;
layout(push_constant) uniform P { int level; };
void main() {
  ivec2 first = textureSize(t, 0), second = textureSize(t, level - 1), last = textureSize(t, level);
  ivec3 small = textureSize(layered, 1);
  ivec2 one = textureSize(several[0], 0), other = textureSize(several[1], 0);
  int values[16] = int[](first.x, first.y, second.x, second.y, last.x, last.y, textureQueryLevels(t), small.x, small.y, small.z,
                         one.x, one.y, other.x, other.y, textureSamples(ms), textureSize(ms).y);
  for (int k = 0; k < 16; k++)
    y[k] = values[k];
}
