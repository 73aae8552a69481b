#version 450
/* Which outputs are interpolated without perspective, and therefore multiplied by w, is known from the interface.
; options: --abi=linear.json
; run: draw=vertices(1) attribute0=A(rg32float, offset:0, stride:8) A=f32[3, 2] \
;   => position=f32[0, 0, 0, 2] varyings=f32[3, 0, 0, 0, 6, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
;     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
;     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
;     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3]
*/
layout(location = 0) in vec2 place;
layout(location = 0) noperspective out float decorated;
layout(location = 1) out float listed;
layout(location = 2) out float neither;
layout(location = 33) out float far;
void main() {
  gl_Position = vec4(0, 0, 0, place.y);
  decorated = listed = neither = far = place.x;
}
