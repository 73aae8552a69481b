#version 450
/* Levels of detail of gradients that are tiny, zero and huge.
; run: draw=fragments(2x2) k=1e-30 table16=t table32=s t=image(r32float, 4x4, levels:3)[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3] \
;   s=sampler(filter:nearest, mip:nearest) => color0=f32[(0, -128, 0, -97.65625), (0, -128, 0, -97.65625), (0, -128, 0, -97.65625), (0, -128, 0, -97.65625)] \
;   color1=f32[(1, 1, 1, 3), (1, 1, 1, 3), (1, 1, 1, 3), (1, 1, 1, 3)]
*/
layout(location = 0) out vec4 queried;
layout(location = 1) out vec4 sampled;
layout(push_constant) uniform K { float k; };
layout(binding = 0) uniform sampler2D t;
void main() {
  queried = vec4(textureQueryLod(t, vec2(k)), textureQueryLod(t, gl_FragCoord.xy * k));
  sampled = vec4(textureGrad(t, vec2(0.5), vec2(k), vec2(0)).r, texture(t, vec2(k)).r,
                 textureGrad(t, vec2(0.5), vec2(1e-42), vec2(1e-42)).r, textureGrad(t, vec2(0.5), vec2(1e38), vec2(1e38)).r);
}
