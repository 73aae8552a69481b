#version 450
/* refused: OpLoad .*: without perspective, varyings are those of the pixel's center \(centroid_noperspective.frag line 6\) */
layout(location = 0) noperspective centroid in vec4 v;
layout(location = 0) out vec4 color;
void main() {
  color = v;
}
