#version 450
#extension GL_ARB_sparse_texture_clamp : require
/* refused: OpImageSampleImplicitLod .*: the image operand MinLod is not supported \(least_level.frag line 7\) */
layout(binding = 0) uniform sampler2D s;
layout(location = 0) out vec4 color;
void main() {
  color = textureClampARB(s, vec2(0), 1.0);
}
