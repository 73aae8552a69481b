#version 450
#extension GL_EXT_samplerless_texture_functions : require
/* Textures and images of every shape: fetches, levels, gradients, comparisons, gathers, offsets, sizes, stores, atomic accesses.
; run: grid=1 table16=Y,a,b,c,-,e,f,g,h,i,j,k,l,m,o,p table32=-,-,-,-,-,s,s,s,s,s,-,-,-,v \
;   a=image(r32float, 4x2, levels:2)[0, 1, 2, 3, 10, 11, 12, 13, 100, 101] b=image(r32uint, 3, layers:2)[1, 2, 3, 4, 5, 6] \
;   c=image(r32sint, 2x2x2)[-1, -2, -3, -4, -5, -6, -7, -8] \
;   e=image(r32float, 4)[0, 10, 20, 30] f=image(r32float, 2x2x2)[1, 2, 3, 4, 5, 6, 7, 8] \
;   g=image(r32float, 1x1, layers:6)[1, 2, 3, 4, 5, 6] h=image(r32float, 2x2, layers:2)[1, 2, 3, 4, 5, 6, 7, 8] \
;   i=image(r32float, 1x1, layers:12)[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] \
;   j=image(r32sint, 2x2)[1, 2, 3, 4] k=image(r32uint, 2x1, layers:2)[1, 2, 3, 4] l=image(r32float, 2)[0.5, 1.5] m=image(r32float, 2x2)[0.25, 0.5, 0.75, 1] \
;   o=image(r32float, 1x1, samples:4)[1, 2, 3, 4] p=image(r32float, 1x1, samples:4)[5, 6, 7, 8] \
;   s=sampler(filter:nearest, wrap:clamp) v=sampler(filter:nearest, wrap:clamp, compare:less_equal) Y=f32[0; 75] \
;   => j=i32[11, 2, 2, 104] k=i32[1, 9, 3, 7] l=f32[2.5, 1.5] p=f32[5, 6, 7, 9] \
;   Y=f32[12, 101, 3, 5, -7, 20, 30, 20, 10, 7, 2, 3, 4, 8, 11, 1, 0, 1, 1, 1, 1, 0, 0, 7, 8, 6, 5, 4, 4, 2, 2, 1, 2, 3, 1, 4, 2, 2, 1, 3, 2, 2, 2, 2, 1, 1, 1, 1, 2, 2, 2, 2, 2, 1, 2, 4, 4, 1.5, 1, 3, 4, 2, 4, \
;   20, 7, 0, 0, 0, 0, 0, 1, 1, 0, 3, 6]
*/
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Y { float y[]; };
layout(binding = 1) uniform texture2D a;
layout(binding = 2) uniform utexture1DArray b;
layout(binding = 3) uniform itexture3D c;
layout(binding = 5) uniform sampler1D e;
layout(binding = 6) uniform sampler3D f;
layout(binding = 7) uniform samplerCube g;
layout(binding = 8) uniform sampler2DArray h;
layout(binding = 9) uniform samplerCubeArray i;
layout(binding = 10, r32i) uniform iimage2D j;
layout(binding = 11, r32ui) uniform uimage2DArray k;
layout(binding = 12, r32f) uniform image1D l;
layout(binding = 13) uniform sampler2DShadow m;
layout(binding = 14) uniform texture2DMS o;
layout(binding = 15, r32f) uniform image2DMS p;
int n = 0;
void put(float v) { y[n++] = v; }
void put(vec2 v) { put(v.x); put(v.y); }
void put(vec4 v) { put(v.xy); put(v.zw); }
void put(ivec2 v) { put(vec2(v)); }
void put(ivec3 v) { put(vec2(v.xy)); put(v.z); }
void main() {
  put(texelFetch(a, ivec2(2, 1), 0).r);              /* 12 */
  put(texelFetch(a, ivec2(1, 0), 1).r);              /* 101 */
  put(texelFetchOffset(a, ivec2(2, 1), 0, ivec2(1, -1)).r); /* 3 */
  put(texelFetch(b, ivec2(1, 1), 0).r);              /* 5 */
  put(texelFetch(c, ivec3(0, 1, 1), 0).r);           /* -7 */
  put(textureLod(e, 0.6, 0).r);                      /* 20 */
  put(textureLodOffset(e, 0.6, 0, 1).r);             /* 30 */
  put(textureProjLod(e, vec2(1.2, 2), 0).r);         /* 20 */
  put(textureGrad(e, 0.3, 0.25, 0.25).r);            /* 10 */
  put(textureLod(f, vec3(0.2, 0.7, 0.9), 0).r);      /* 7 */
  put(textureGrad(f, vec3(0.7, 0.2, 0.2), vec3(0.1), vec3(0.1)).r); /* 2 */
  put(textureProjLod(f, vec4(0.4, 1.4, 0.4, 2), 0).r); /* 3 */
  put(textureLod(g, vec3(0, -1, 0), 0).r);           /* 4 */
  put(textureLod(h, vec3(0.7, 0.7, 1), 0).r);        /* 8 */
  put(textureLod(i, vec4(0, 0, 1, 1), 0).r);         /* 11 */
  put(textureLod(m, vec3(0.7, 0.2, 0.5), 0));        /* 1 */
  put(textureLod(m, vec3(0.2, 0.2, 0.5), 0));        /* 0 */
  put(textureProjLod(m, vec4(1.4, 0.4, 0.9, 2), 0)); /* 1 */
  put(textureGrad(m, vec3(0.2, 0.7, 0.75), vec2(0), vec2(0))); /* 1 */
  put(textureGather(m, vec2(0.5, 0.5), 0.75));       /* 1 1 0 0 */
  put(textureGather(h, vec3(0.5, 0.5, 1), 0));       /* 7 8 6 5 */
  put(textureGatherOffset(h, vec3(0.5, 0.5, 0), ivec2(1, 0), 0)); /* 4 4 2 2 */
  const ivec2 places[4] = ivec2[4](ivec2(0, 0), ivec2(1, 0), ivec2(0, 1), ivec2(-1, -1));
  put(textureGatherOffsets(h, vec3(0.5, 0.5, 0), places, 0)); /* 1 2 3 1 */
  put(textureSize(a, 0));                            /* 4 2 */
  put(textureSize(a, 1));                            /* 2 1 */
  put(textureSize(b, 0));                            /* 3 2 */
  put(textureSize(c, 0));                            /* 2 2 2 */
  put(textureSize(g, 0));                            /* 1 1 */
  put(textureSize(i, 0));                            /* 1 1 2 */
  put(textureQueryLevels(a));                        /* 2 */
  put(imageSize(j));                                 /* 2 2 */
  put(imageSize(k));                                 /* 2 1 2 */
  put(imageLoad(j, ivec2(1, 1)).r);                  /* 4 */
  put(imageLoad(k, ivec3(1, 0, 1)).r);               /* 4 */
  put(imageLoad(l, 1).r);                            /* 1.5 */
  imageStore(l, 0, vec4(2.5, 0, 0, 0));
  imageStore(k, ivec3(1, 0, 0), uvec4(9));
  put(imageAtomicAdd(j, ivec2(0, 0), 10));           /* 1 */
  put(imageAtomicMin(j, ivec2(0, 1), 2));            /* 3 */
  put(imageAtomicCompSwap(j, ivec2(1, 1), 4, 104));  /* 4 */
  put(imageAtomicCompSwap(j, ivec2(1, 0), 5, 9));    /* 2 */
  put(imageAtomicExchange(k, ivec3(1, 0, 1), 7));    /* 4 */
  put(textureGradOffset(e, 0.3, 0.25, 0.25, 1).r);   /* 20 */
  put(textureLodOffset(f, vec3(0.7, 0.7, 0.2), 0, ivec3(-1, 0, 1)).r); /* 7 */
  put(textureGatherOffsets(h, vec3(0.5, 0.5, 0), places, 1)); /* no second component */
  put(textureGatherOffsets(m, vec2(0.5, 0.5), 0.5, places)); /* 0 1 1 0 */
  put(texelFetch(o, ivec2(0, 0), 2).r);              /* 3 */
  put(imageLoad(p, ivec2(0, 0), 1).r);               /* 6 */
  imageStore(p, ivec2(0, 0), 3, vec4(9));
}
