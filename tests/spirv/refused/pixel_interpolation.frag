#version 450
/* refused: OpExtInst .*: NoPerspective with a position other than the pixel's center is not supported \(pixel_interpolation.frag line 6\) */
layout(location = 0) noperspective in vec4 v;
layout(location = 0) out vec4 color;
void main() {
  color = interpolateAtOffset(v, vec2(0.25));
}
