#version 450
/* Varyings, a texture with its sampler, discard, two colors.
; run: draw=fragments(4x2) varyings=gradients[0, 0.25, 0, 0, 0, 0.5, 0, 0, 0, 0, 0, 0, 1, 0, 0] table16=t table32=s \
;   t=image(r8unorm, 2x2)[0, 255, 255, 0] s=sampler(filter:nearest, wrap:clamp) \
;   => color0=f32[(0, 0.125, 0, 1), (0, 0.375, 0, 1), (1, 0.625, 0, 1), (0, 0, 0, 0), \
;   (1, 0.125, 0, 1), (1, 0.375, 0, 1), (0, 0.625, 0, 1), (0, 0, 0, 0)] \
;   color1=f32[(1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1), (0, 0, 0, 0), (1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1), (0, 0, 0, 0)]
*/
layout(location = 0) in vec2 at;
layout(location = 1) in float level;
layout(location = 0) out vec4 color;
layout(location = 1) out vec4 plain;
layout(binding = 0) uniform sampler2D image;
void main() {
  if (at.x > 0.8)
    discard;
  color = vec4(texture(image, at).r, at.x, 0, 1);
  plain = vec4(level);
}
