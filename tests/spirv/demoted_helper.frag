#version 460
#extension GL_EXT_demote_to_helper_invocation : require
#extension GL_KHR_shader_subgroup_quad : require
/* An invocation becomes a helper when it is demoted.
; environment: vulkan1.3
; run: draw=fragments(2x2) => color0=f32[(0, 1, 0, 1), (0, 0, 0, 0), (0, 1, 0, 1), (0, 0, 0, 0)]
*/
layout(location = 0) out vec4 color;
float of_neighbor() {
  return subgroupQuadBroadcast(gl_HelperInvocation ? 1.0 : 0.0, 1u);
}
void main() {
  float before = of_neighbor();
  if (int(gl_FragCoord.x) == 1)
    demote;
  color = vec4(before, of_neighbor(), 0, 1);
}
