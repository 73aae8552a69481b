#version 310 es
/* Varyings of medium precision are interpolated to 16 bits: 2049 is 2048, 0.1 is 0.0999755859375. As a texture's coordinate 0.4999 stays left of the
; middle, where it would be 0.5; with --full-varyings (tests/spirv.sh) all stays as it is. Colors that are halves are stored as such.
; run: draw=fragments(1x1) varyings=f32[2049, 0.1, 1, 3, 0.4999, 0.5, 7, 0, 2049, 0.1, 1, 3, 0.4999, 0.5, 7, 0, 2049, 0.1, 1, 3, 0.4999, 0.5, 7, 0] \
;   table16=t table32=s t=image(r32float, 8x1)[0, 1, 2, 3, 4, 5, 6, 7] s=sampler(filter:nearest) => \
;   color0=f32[(2048, 0.0999755859375, 1, 3)] color1=f32[(3, 7, 2048, 0.0999755859375)] color2=f32[(2051, 0.5, 4, 3)]
*/
layout(set = 0, binding = 0) uniform mediump sampler2D image;
layout(location = 0) in mediump vec4 a;
layout(location = 1) in mediump vec3 b;
layout(location = 0) out highp vec4 same;
layout(location = 1) out highp vec4 texel;
layout(location = 2) out highp vec4 chosen;
void main() {
  same = a;
  texel = vec4(texture(image, b.xy).x, b.z, a.xy);
  highp vec4 sum = vec4(a.x + 3.0, 0.5, a.w + 1.0, 3.0);
  chosen = gl_FrontFacing ? sum : vec4(a.yxwz);
}
