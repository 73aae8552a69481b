#version 450
/* Vectors and matrices: components selected by variable numbers, in any order, transposed, from arrays.
; other drivers: no, components are numbered by what is in a buffer
; run: grid=1 table16=X,Y X=i32[1, 2, 3, 0x3f800000, 0x40000000, 0x40400000, 0x40800000, 0x40a00000, 0x40c00000] Y=f32[0; 55] \
;   => Y=f32[10, 8, 6, 4, 6, 24, 1, 2, 9, 4, 6, 2, 4, 4, 1, 4, 3, 6, 41, 52, 63, 321, 654, 14, 32, 32, 77, 8, 10, 12, 4, 8, 50, 4, 5, 6, \
;   2, 6, 12, 3, 4, 3, 7, 3, 4, 0, 3, 2, 5, 4, 2, -2, -1, -2, 0.5]
*/
layout(local_size_x = 1) in;
layout(std430, binding = 0) readonly buffer X { int x[3]; float f[6]; };
layout(std430, binding = 1) buffer Y { float y[]; };
int n = 0;
void put(float v) { y[n++] = v; }
void put(vec2 v) { put(v.x); put(v.y); }
void put(vec3 v) { put(v.xy); put(v.z); }
void put(vec4 v) { put(v.xyz); put(v.w); }
struct Pair { vec2 first; mat2 second; };
void main() {
  vec4 a = vec4(f[0], f[1], f[2], f[3]), b = vec4(f[2], f[3], f[4], f[5]);
  put((a + b).wzyx);                     /* 10 8 6 4 */
  put((a + b)[x[0]]);                    /* 6 */
  put((a * b)[x[2]]);                    /* 24 */
  vec4 c = a;
  c[x[1]] = 9;
  put(c);                                /* 1 2 9 4 */
  c.zx = b.yw;
  put(c);                                /* 6 2 4 4 */
  mat2x3 m = mat2x3(f[0], f[1], f[2], f[3], f[4], f[5]);
  mat3x2 t = transpose(m);
  put(t[0]);                             /* 1 4 */
  put(t[2]);                             /* 3 6 */
  put(m * vec2(1, 10));                  /* 41 52 63 */
  put(vec3(1, 10, 100) * m);             /* 321 654 */
  put((t * m)[0]);                       /* 14 32 */
  put((t * m)[1]);                       /* 32 77 */
  put((m * 2.0)[1]);                     /* 8 10 12 */
  put(outerProduct(a.xy, b.xy)[1]);      /* 4 8 */
  put(dot(a, b));                        /* 50 */
  put(m[x[0]]);                          /* 4 5 6 */
  put((m + matrixCompMult(m, m))[0]);    /* 2 6 12 */
  Pair pairs[2] = Pair[2](Pair(a.xy, mat2(a)), Pair(b.xy, mat2(b)));
  Pair copy = pairs[x[0]];
  pairs[x[0]].second[x[0] - 1].y = 7;
  put(copy.second[0]);                   /* 3 4 */
  put(pairs[1].second[0]);               /* 3 7 */
  put(pairs[x[0] - 1].second[x[0]]);     /* 3 4 */
  put(pairs[0] == pairs[1] ? 1 : 0);     /* 0 */
  put(mix(a, b, bvec4(true, false, x[0] == 1, x[0] == 2))); /* 3 2 5 4 */
  put(mix(a.x, b.x, 0.5));               /* 2 */
  put(-a.yx);                            /* -2 -1 */
  put(vec2(determinant(mat2(f[0], f[1], f[2], f[3])), (inverse(mat2(2, 0, 0, 4)) * a.xy).y)); /* -2 0.5 */
}
