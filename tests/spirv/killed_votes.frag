#version 450
#extension GL_KHR_shader_subgroup_ballot : require
/* A discarded invocation has ended where others count the active ones: 4 of 4x4, most of them helpers from the start.
; environment: vulkan1.3
; run: draw=fragments(2x2) => color0=f32[(12, 0, 0, 1), (0, 0, 0, 0), (12, 0, 0, 1), (0, 0, 0, 0)]
*/
layout(location = 0) out vec4 color;
void main() {
  if (int(gl_FragCoord.x) == 1)
    discard;
  color = vec4(float(subgroupBallotBitCount(subgroupBallot(true))), 0, 0, 1);
}
