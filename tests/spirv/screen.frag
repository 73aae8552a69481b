#version 450
#extension GL_EXT_demote_to_helper_invocation : require
#extension GL_KHR_shader_subgroup_vote : require
/* Built-in variables of a fragment, textures at the level given by its neighbors, depth, and the color that was there before.
; run: draw=fragments(2x2) varyings=gradients[0, 0.5, 0, 0, 0, 0.5, 3, 0, 0, 7, 0, 0] table16=t,u table32=s,v \
;   t=image(r32float, 2x2, levels:2)[1, 2, 3, 4, 50] u=image(r32float, 2x2)[0.25, 0.5, 0.75, 1] \
;   s=sampler(filter:nearest, mip:nearest, wrap:clamp) v=sampler(filter:nearest, wrap:clamp, compare:less_equal) \
;   color1=image(rgba32float, 2x2)[(1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11, 12), (13, 14, 15, 16)] \
;   depth=image(r32float, 2x2)[1, 1, 1, 1] \
;   => color0=f32[(1, 50, 2, 0), (2, 50, 2, 0), (3, 50, 2, 1), (0, 0, 0, 0)] \
;   color1=f32[(2, 4, 6, 8), (10, 12, 14, 16), (18, 20, 22, 24), (13, 14, 15, 16)] \
;   color2=f32[(0.5, 0.5, 1, 5), (1.5, 0.5, 1, 5), (0.5, 1.5, 1, 5), (0, 0, 0, 0)] \
;   color3=f32[(0.5, 0.5, 0, 1), (0.5, 0.5, 0, 1), (0.5, 0.5, 0, 1), (0, 0, 0, 0)] \
;   color4=f32[(1, 1, 0.5, 1), (2, 1, 0.5, 1), (2, 1, 0.5, 1), (0, 0, 0, 0)] \
;   depth=f32[0.125, 0.375, 0.125, 1]
*/
layout(location = 0) in vec2 at;
layout(location = 0, component = 2) flat in int code;
layout(location = 0, component = 3) in float plain;
layout(location = 0) out vec4 color;
layout(location = 1) out vec4 twice;
layout(location = 2) out vec4 place;
layout(location = 3) out vec4 change;
layout(location = 4) out vec4 widths;
layout(binding = 0) uniform sampler2D t;
layout(binding = 1) uniform sampler2DShadow u;
layout(input_attachment_index = 1, binding = 5) uniform subpassInput before;
void main() {
  vec2 change_of_at = fwidth(at);
  float own = texture(t, at).r, small = texture(t, at, 1.0).r, moved = textureOffset(t, at * 0.001, ivec2(1, 0)).r;
  float shaded = texture(u, vec3(at, 0.625));
  float projected = textureProj(t, vec3(at * 2, 2)).r;
  float level = textureQueryLod(t, at).y;
  if (gl_FragCoord.x > 1 && gl_FragCoord.y > 1)
    demote;
  bool helper = helperInvocationEXT();
  gl_FragDepth = at.x / 2;
  color = vec4(own, small, moved, shaded);
  twice = subpassLoad(before) * 2;
  place = vec4(gl_FragCoord.xy, gl_FrontFacing ? 1 : 0, plain + level - (code == 0x40400000 ? 2 : 0));
  float area = gl_FragCoord.x * gl_FragCoord.y;
  widths = vec4(fwidthFine(area), fwidthCoarse(area), fwidth(1 - at.x), fwidth(at.y * -2));
  change = vec4(change_of_at, helper ? 1 : 0, projected == own ? 1 : 0);
}
