#version 450
#extension GL_EXT_fragment_shader_barycentric : require
/* refused: OpCapability FragmentBarycentricKHR: this capability is not supported */
layout(location = 0) out vec4 color;
void main() { color = gl_BaryCoordEXT.xyzz; }
