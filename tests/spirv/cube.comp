#version 450
/* Filters extend over the edges of a cube's faces: two faces at an edge, three at a corner.
; run: grid=1 cube=image(r32float, 1x1, layers:6)[1, 2, 3, 4, 5, 6] cube.sampler=sampler(filter:linear) \
;   fine=image(r32float, 2x2, layers:6)[(1; 4), (2; 4), (3; 4), (4; 4), 5, 6, 7, 8, (9; 4)] fine.sampler=sampler(filter:linear, wrap:repeat) \
;   => Values=f32[5, 3, 3.5, 3, 4, 3.5, 3.5]
*/
layout(local_size_x = 1) in;
layout(binding = 0) uniform samplerCube cube;
layout(binding = 1) uniform samplerCube fine;
layout(binding = 2) buffer Values { float values[]; };
void main() {
  values[0] = textureLod(cube, vec3(0, 0, 1), 0).r;       /* the middle of a face */
  values[1] = textureLod(cube, vec3(1, 0, 1), 0).r;       /* between 1 and 5 */
  values[2] = textureLod(cube, vec3(-1, 0, 1), 0).r;      /* between 2 and 5 */
  values[3] = textureLod(cube, vec3(1, 1, 1), 0).r;       /* 1, 3, 5 */
  values[4] = textureLod(cube, vec3(-1, -1, -1), 0).r;    /* 2, 4, 6 */
  values[5] = textureLod(fine, vec3(1, 0.5, 1), 0).r;     /* halfway from 6 to 1 */
  values[6] = textureLod(fine, vec3(-1, 0.5, 1), 0).r;    /* from 5 to 2 */
}
