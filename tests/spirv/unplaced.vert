#version 450
/* Without a position, outputs without perspective are not scaled.
; run: draw=vertices(1) attribute0=A(r32float) A=f32[3] => varyings=f32[3]
*/
layout(location = 0) in float value;
layout(location = 0) noperspective out float linear;
void main() {
  linear = value;
}
