#version 450
#extension GL_EXT_fragment_shading_rate : require
/* refused: OpCapability FragmentShadingRateKHR: this capability is not supported */
layout(location = 0) out vec4 color;
void main() { color = vec4(gl_ShadingRateEXT); }
