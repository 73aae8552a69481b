#version 450
#extension GL_ARB_fragment_shader_interlock : require
/* refused: OpCapability FragmentShaderPixelInterlockEXT: this capability is not supported */
layout(pixel_interlock_ordered) in;
layout(location = 0) out vec4 color;
void main() { beginInvocationInterlockARB(); color = vec4(1); endInvocationInterlockARB(); }
