#version 450
/* Levels of detail by gradients of cubes, on faces of 2 by 2 texels: level 0 contains 0, level 1 contains 1, so the result is the level in between.
; run: grid=1 table16=c,a,Y,d table32=s,s,s,s s=sampler(filter:nearest, mip:linear, wrap:clamp, maximum_lod:8) \
;   c=image(r32float, 2x2, layers:6, levels:2)[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1] \
;   a=image(r32float, 1x1, layers:12)[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] d=image(r32float, 4x4, layers:6, levels:2)[0; 96, 1; 24] Y=f32[0; 14] \
;   => Y=f32[0, 1, 0.5, 0.5, 0, 1, 0.5, 1, 0, 10, 0, 0.5, 0.5, 1]
*/
layout(local_size_x = 1) in;
layout(binding = 0) uniform samplerCube c;
layout(binding = 1) uniform samplerCubeArray a;
layout(binding = 3) uniform samplerCube d;
layout(std430, binding = 2) buffer Y { float y[]; };
void main() {
  vec3 z = vec3(0, 0, 1), none = vec3(0);
  y[0] = textureGrad(c, z, vec3(1, 0, 0), none).r;                             /* one texel per pixel */
  y[1] = textureGrad(c, z, vec3(2, 0, 0), vec3(0, 0.5, 0)).r;                  /* two texels */
  y[2] = textureGrad(c, z, none, vec3(0, 1.41421356, 0)).r;                    /* the square root of two */
  y[3] = textureGrad(c, -3 * z, vec3(3, 3, 0), vec3(1, 1, 0)).r;               /* a diagonal */
  y[4] = textureGrad(c, z, none, none).r;
  y[5] = textureGrad(c, vec3(1, 0, 2), vec3(0, 0, 8), none).r;                 /* toward the face */
  y[6] = textureGrad(c, vec3(0, -2, 0), vec3(2.82842712, 50, 0), vec3(0)).r;   /* movement along the direction does not count */
  y[7] = textureGrad(c, vec3(4, 4, -4), vec3(0, 8, 0), vec3(8, 0, 0)).r;
  y[8] = textureGrad(c, vec3(2, 0, 0), vec3(1, 0, 0), vec3(0, 0, 1)).r;
  y[9] = textureGrad(a, vec4(0, -1, 0, 1), vec3(1, 0, 0), none).r;
  y[10] = textureGrad(c, vec3(1, 0, 2), vec3(1.5, 0, 3), none).r;              /* along the direction */
  y[11] = textureGrad(c, vec3(4, 4, 4), vec3(0, 0, 4), none).r;                /* z before y */
  y[12] = textureGrad(c, vec3(4, 4, 2), vec3(0, 5.05964426, 0), none).r;       /* y before x */
  y[13] = textureGrad(d, z, vec3(1, 0, 0), none).r;                            /* two of four texels */
}
