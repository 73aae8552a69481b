#version 450
/* The 36 vertices of a rotated cube, seen from (0, 0, 4), for cube.frag:
 *
 *   glslangValidator -V cube.vert -o cube.vert.spv; glslangValidator -V cube.frag -o cube.frag.spv
 *   norn run cube.frag.spv --vertex=cube.vert.spv 'draw=triangles(36, 256x256)' angle=0.7 \
 *     'image=image(rgba8unorm, 2x1)[(255, 255, 255, 255), (220, 60, 20, 255)]' image.sampler='sampler(filter:nearest)' \
 *     --save color=cube.png
 */
layout(push_constant) uniform Constants { float angle; };
layout(location = 0) out vec2 uv;
layout(location = 1) out vec3 normal;
layout(location = 2) out vec3 place;

const vec2 corners[6] = {vec2(0, 0), vec2(1, 0), vec2(1, 1), vec2(0, 0), vec2(1, 1), vec2(0, 1)};

void main() {
  int face = gl_VertexIndex / 6, axis = face / 2;
  float side = face % 2 == 0 ? 1 : -1;
  uv = corners[gl_VertexIndex % 6];
  vec3 flat_normal = vec3(0), corner = vec3(0);
  flat_normal[axis] = side;
  corner[axis] = side;
  corner[(axis + 1) % 3] = 2 * uv.x - 1;
  corner[(axis + 2) % 3] = 2 * uv.y - 1;

  float s = sin(angle), c = cos(angle);
  mat3 turn = mat3(1, 0, 0, 0, 0.8, 0.6, 0, -0.6, 0.8) * mat3(c, 0, -s, 0, 1, 0, s, 0, c);
  normal = turn * flat_normal;
  place = turn * corner;
  float w = 4 - place.z; /* the distance; 2 is the nearest that is seen, 6 the farthest */
  gl_Position = vec4(1.8 * place.x, -1.8 * place.y, 1.5 * w - 3, w);
}
