#version 450
/* refused: OpLoad .*: NoPerspective with a position other than the pixel's center is not supported \(centroid_noperspective.frag line 6\) */
layout(location = 0) noperspective centroid in vec4 v;
layout(location = 0) out vec4 color;
void main() {
  color = v;
}
