#version 450
#extension GL_ARB_sparse_texture2 : require
/* refused: OpCapability SparseResidency: this capability is not supported */
layout(binding = 0) uniform sampler2D s;
layout(location = 0) out vec4 color;
void main() {
  vec4 texel;
  sparseTextureARB(s, vec2(0), texel);
  color = texel;
}
