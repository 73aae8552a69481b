#version 450
/* Expressions with a shorter form: powers of multiples of 1/2, quotients of roots, remainders by powers of
 * two, products with negated vectors, factors of 0, sums of products or quotients and another value, mixed constants.
; run: grid=1 table16=X,Y X=f32[3, 4, 0.5, -2, -13, 0] Y=i32[0; 45] => Y=i32[1; 45]
*/
layout(local_size_x = 1) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) buffer Y { uint y[]; };
int n = 0;
void near(float v, float wanted) { y[n++] = abs(v - wanted) <= 0.00001 * max(1, abs(wanted)) ? 1u : 0u; }
void same(float v, float wanted) { y[n++] = v == wanted ? 1u : 0u; }
void same(int v, int wanted) { y[n++] = v == wanted ? 1u : 0u; }
void main() {
  float three = x[0], four = x[1], part = x[2];
  int odd = int(x[4]);
  same(pow(three, 1), 3);
  same(pow(three, 2), 9);
  same(pow(three, 3), 27);
  same(pow(three, 5), 243);
  same(pow(three, 8), 6561);
  near(pow(part, 15), 1.0 / 32768);
  near(pow(part, 24), 1.0 / 16777216);
  same(pow(part, 32), 1.0 / 4294967296.0);
  near(pow(four, 0.5), 2);
  near(pow(four, -1.5), 0.125);
  near(pow(four, -0.5), 0.5);
  near(pow(four, 1.5), 8);
  near(pow(four, 2.5), 32);
  near(pow(three, -2), 1.0 / 9);
  same(pow(four, -1), 0.25);
  same(pow(x[5], 4), 0);
  near(three / sqrt(four), 1.5);
  near(1 / sqrt(four), 0.5);
  near(1 / length(vec3(three, four, 0)), 0.2);
  vec2 unit = vec2(three, four) / length(vec2(three, four));
  near(unit.x, 0.6);
  near(unit.y, 0.8);
  same(odd % 16, 3);
  same(odd % 1, 0);
  same((odd + 16) % 2, 1);
  same(odd % 5, 2);
  vec3 a = vec3(three, part, x[3]), b = vec3(four, x[3], part);
  same(dot(-a, b), -10);
  same(dot(-a, -b), 10);
  same(dot(a, b) + dot(a, -b), 0);
  same(dot(a, b) - 1, 9);
  same(1 - dot(a, b), -9);
  same(0.5 + dot(a, b), 10.5);
  mat3 sparse = mat3(2, 0, 0, 0, 0, -0.0, 0, 1, 0);
  vec3 mapped = sparse * a;
  same(mapped.x, 6);
  same(mapped.y, -2);
  same(mapped.z, 0);
  vec3 nothing = a + vec3(0);
  same(nothing.y, 0.5);
  vec3 mirrored = reflect(-a, vec3(0, 1, 0));
  same(mirrored.x, -3);
  same(mirrored.y, 0.5);
  near(mix(0.25, 1.5, part), 0.875);
  same(mix(0.25, 1.5, x[5]), 0.25);
  same(mix(1e8, 1, x[5] + 1), 1);
  vec4 point = vec4(a, 1);
  vec4 moved = mat4(2, 0, 1, 0, 0, 1, three, 0, 0, 0, 1, 0, 10, 20, four, 1) * point;
  same(moved.x, 16);
  same(moved.y, 20.5);
  same(moved.z, 6.5);
  near(three / four + part, 1.25);
  near(part - three / four, -0.25);
}
