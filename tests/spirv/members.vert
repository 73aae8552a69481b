#version 450
/* Members of a block have locations and components of their own, those after them follow; only what is written is stored.
; run: draw=vertices(1) attribute0=V(rg32float, offset:0, stride:8) V=f32[2, 3] \
;   => position=f32[0, 0, 0, 1] varyings=f32[0, 0, 0, 0,  2, 3, 0, 0,  3, 0, 0, 0,  0, 0, 0, 0,  0, 0, 2, 0,  5]
*/
struct Inner {
  vec2 pair;
  float single;
};
layout(location = 0) in vec2 place;
layout(location = 0) out Block {
  float unused;
  Inner inner;
  layout(location = 4, component = 2) float far;
  float last;
} block;
void main() {
  gl_Position = vec4(0, 0, 0, 1);
  block.inner = Inner(place, place.y);
  block.far = place.x;
  block.last = place.x + place.y;
}
