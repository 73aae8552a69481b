#version 450
/* Clip distances are varyings: fragments of which one is negative are clipped, but not at 0 or NaN. The gradients are of location 0, then of
   five distances; the first three distances are 1.
; options: --abi=clip.json
; run: draw=fragments(4x1) varyings=gradients[7, 0, 0,  0, 0, 0,  0, 0, 0,  0, 0, 0,  1, 0, 0,  1, 0, 0,  1, 0, 0,  1.5, -1, 0,  2, 0, 0] \
;   => color0=f32[(7, 1, 2, 0), (7, 0, 2, 0), (0, 0, 0, 0), (0, 0, 0, 0)]
; run: draw=fragments(2x1) varyings=gradients[7, 0, 0,  0, 0, 0,  0, 0, 0,  0, 0, 0,  1, 0, 0,  1, 0, 0,  1, 0, 0,  2, 0, 0,  1, -1, 0] \
;   => color0=f32[(7, 2, 0.5, 0), (0, 0, 0, 0)]
; run: draw=fragments(1x1) varyings=gradients[7, 0, 0,  0, 0, 0,  0, 0, 0,  0, 0, 0,  nan, 0, 0,  1, 0, 0,  1, 0, 0,  2, 0, 0,  3, 0, 0] \
;   => color0=f32[(7, 2, 3, 0)]
*/
layout(location = 0) in float shade;
in float gl_ClipDistance[5];
layout(location = 0) out vec4 color;
void main() {
  color = vec4(shade, gl_ClipDistance[3], gl_ClipDistance[4], 0);
}
