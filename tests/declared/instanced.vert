#version 450
#extension GL_ARB_shader_draw_parameters : require
layout(location = 0) in float of_instance;
layout(location = 1) in float of_vertex;
void main() {
  gl_Position = vec4(of_instance, of_vertex, gl_InstanceIndex, gl_BaseInstanceARB);
}
