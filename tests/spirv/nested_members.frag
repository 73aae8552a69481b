#version 450
/* Decorations of a block's member apply to all its parts, also to those of structures.
; run: draw=fragments(2x1) varyings=gradients[1, 5, 0,  0, 0, 0,  0, 0, 0,  0, 0, 0,  9, 5, 0,  2, 5, 0,  0, 0, 0,  0, 0, 0,  3, 5, 0,  4, 5, 0] \
;   => color0=f32[(1, 2, 3, 4), (1, 2, 3, 4)]
*/
struct Inner {
  vec2 pair;
};
struct Outer {
  Inner inner[2];
  vec2 two;
};
layout(location = 0) in Block {
  flat Outer outer;
} block;
layout(location = 0) out vec4 color;
void main() {
  color = vec4(block.outer.inner[0].pair.x, block.outer.inner[1].pair.y, block.outer.two);
}
