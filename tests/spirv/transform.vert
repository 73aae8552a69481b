#version 450
#extension GL_ARB_shader_draw_parameters : require
/* Attributes, a matrix in push constants, position, varyings, vertex and instance index.
; run: draw=vertices(2, instances:2, first_vertex:1) matrix=f32[2, 0, 0, 0,  0, 2, 0, 0,  0, 0, 2, 0,  1, 0, 0, 1] \
;   first_instance=10 first_vertex=1 attribute0=V(rg32float, offset:0, stride:12) attribute1=V(r32float, offset:8, stride:12) \
;   V=f32[9, 9, 9, 1, 2, 0.5, 3, 4, 0.25] \
;   => position=f32[3, 4, 0, 1, 7, 8, 0, 1, 3, 4, 0, 1, 7, 8, 0, 1] \
;   varyings=f32[(0.5, 0, 0, 0, 1, 10, 1), (0.25, 0, 0, 0, 2, 10, 1), (0.5, 0, 0, 0, 1, 11, 1), (0.25, 0, 0, 0, 2, 11, 1)]
*/
layout(location = 0) in vec2 place;
layout(location = 1) in float shade;
layout(location = 0) out float shade_out;
layout(location = 1) out vec3 numbers;
layout(push_constant) uniform Constants { mat4 matrix; };
void main() {
  gl_Position = matrix * vec4(place, 0, 1);
  shade_out = shade;
  numbers = vec3(gl_VertexIndex, gl_InstanceIndex, gl_BaseVertexARB);
}
