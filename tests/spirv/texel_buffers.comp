#version 450
#extension GL_EXT_nonuniform_qualifier : require
/* Texel buffers: fetches, loads, stores, atomic accesses, sizes, an array of them with an index that differs between lanes.
; run: grid=1 a=image(rgba8unorm, 4)[255, 0, 51, 255, 0, 255, 0, 0, 0, 51, 0, 0, 102, 0, 0, 0] b[0]=image(r32uint, 2)[7, 8] b[1]=image(r32uint, 3)[1, 2, 3] \
;   c=image(rgba32float, 4) d=image(r32sint, 2)[5, 6] Y=f32[0; 4] \
;   => c=f32[1, 0, 0.2, 7, 0, 1, 0, 2, 0, 0.2, 0, 8, 0.4, 0, 0, 2] d=i32[7, 10] Y=f32[4, 2, 4, 2]
*/
layout(local_size_x = 4) in;
layout(binding = 0) uniform samplerBuffer a;
layout(binding = 1) uniform usamplerBuffer b[2];
layout(binding = 3, rgba32f) uniform imageBuffer c;
layout(binding = 4, r32i) uniform iimageBuffer d;
layout(std430, binding = 5) buffer Y { float y[]; };
void main() {
  int i = int(gl_LocalInvocationIndex);
  vec4 texel = texelFetch(a, i);
  texel.w = texelFetch(b[nonuniformEXT(i & 1)], i / 2 + (i & 1) - (i == 3 ? 1 : 0)).x;
  imageStore(c, i, texel);
  imageStore(c, i + 4, texel);
  imageAtomicAdd(d, i & 1, i);
  if (i == 0)
    y[0] = textureSize(a);
  if (i == 1)
    y[1] = textureSize(b[0]);
  if (i == 2)
    y[2] = imageSize(c);
  if (i == 3)
    y[3] = imageSize(d);
}
