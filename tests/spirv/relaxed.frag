#version 310 es
/* Arithmetic of medium precision as 16-bit floats: 0.1 + 1000 is 1000 there, 2049 is 2048.
; options: --relaxed-half
; run: draw=fragments(1x1) varyings=f32[0.1, 2049, 3, 0.5, 0.1, 2049, 3, 0.5, 0.1, 2049, 3, 0.5] => \
;   color0=f32[(1000, 3048, 1003, 1000.5)] color1=f32[(0.1, 2050, 3, -1000.5)] color2=f32[(3, 3074, 6.75, 1)] \
;   color3=f32[(4096, 6, 0.19995117, 0.5)]
*/
precision mediump float;
layout(location = 0) flat in vec4 a;
layout(location = 0) out vec4 sum;
layout(location = 1) out highp vec4 high;
layout(location = 2) out vec4 chain;
layout(location = 3) out vec4 scaled;
void main() {
  vec4 b = a + 1000.0;
  sum = b;
  highp vec3 c = a.xyz;
  high = vec4(c.x, c.y + 1.0, c.z, -b.w);
  chain = mix(a.wyzw * 2.0, vec4(9.0, 9.0, 9.0, 1.0), clamp(a.wwww, 0.0, 0.25));
  scaled = vec4(a.yzx * (a.w * 4.0), a.w);
}
