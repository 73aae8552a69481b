#version 450
#extension GL_AMD_gpu_shader_half_float_fetch : require
#extension GL_AMD_gpu_shader_half_float : require
/* refused: OpCapability Float16ImageAMD: this capability is not supported */
layout(binding = 0) uniform f16sampler2D s;
layout(location = 0) out vec4 color;
void main() {
  color = vec4(texture(s, vec2(0)));
}
