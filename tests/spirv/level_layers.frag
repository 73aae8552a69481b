#version 450
/* The level of detail at a position in a layered image does not depend on the layer.
; run: draw=fragments(2x2) layers=image(r32float, 8x8, layers:2, levels:4) cubes=image(r32float, 8x8, layers:12, levels:4) layers.sampler=sampler(filter:nearest, mip:nearest) cubes.sampler=sampler(filter:nearest, mip:nearest) \
;   => color0=f32[(1, 1, 0, -2), (1, 1, 0, -2), (1, 1, 0, -2), (1, 1, 0, -2)]
*/
layout(location = 0) out vec4 color;
layout(binding = 0) uniform sampler2DArray layers;
layout(binding = 1) uniform samplerCubeArray cubes;
void main() {
  vec2 place = gl_FragCoord.xy / 4;
  vec3 direction = vec3(1, gl_FragCoord.xy / 16);
  color = vec4(textureQueryLod(layers, place), textureQueryLod(cubes, direction));
}
