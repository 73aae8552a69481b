#version 450
/* Clip distances are stored as varyings, four to a location.
; options: --abi=clip.json
; run: draw=vertices(1) attribute0=A(rg32float, offset:0, stride:8) A=f32[3, 2] \
;   => position=f32[0, 0, 0, 2] varyings=f32[9, 0, 0, 0,  3, 2, 4, 6,  5]
*/
layout(location = 0) in vec2 place;
layout(location = 0) out float shade;
out gl_PerVertex {
  vec4 gl_Position;
  float gl_ClipDistance[5];
};
void main() {
  gl_Position = vec4(0, 0, 0, place.y);
  shade = 9;
  gl_ClipDistance[0] = place.x;
  gl_ClipDistance[1] = place.y;
  gl_ClipDistance[2] = 2 * place.y;
  gl_ClipDistance[3] = 2 * place.x;
  gl_ClipDistance[4] = place.x + place.y;
}
