#version 450
#extension GL_EXT_control_flow_attributes : require
/* What a shader says about its loops becomes marks.
; environment: vulkan1.2
; run: grid=1 table16=Sums Sums=i32[0; 4] count=5 => Sums=i32[28, 10, 10, 10]
*/
layout(local_size_x = 1) in;
layout(binding = 0) buffer Sums { int sums[4]; };
layout(push_constant) uniform Parameters { int count; };

void main() {
  [[dont_unroll]] for (int k = 0; k < 8; k++) sums[0] += k;
  [[unroll, min_iterations(100)]] for (int k = 0; k < count; k++) sums[1] += k;
  [[max_iterations(6), dependency_length(3)]] for (int k = 0; k < count; k++) sums[2] += k;
  [[min_iterations(2), max_iterations(20)]] for (int k = 0; k < count; k++) sums[3] += k;
}
