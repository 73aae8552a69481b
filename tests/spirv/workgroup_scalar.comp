#version 450
#extension GL_EXT_shared_memory_block : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
/* A block of workgroup memory with a scalar layout, whose vectors may begin at any multiple of their component size.
; environment: vulkan1.2
; run: grid=1 table16=Y Y=i32[0; 16] => Y=i32[7, 8, 9, 10, 0, 1, 2, 3, 6, 9, 12, 15, 300, 301, 302, 303]
*/
struct Element {
  uint8_t first;
  u16vec3 halves;
  uint8_t last;
  vec3 numbers;
};
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Y { int y[]; };
layout(scalar) shared A { uint16_t head; Element elements[4]; };
void main() {
  uint i = gl_LocalInvocationIndex, k = 3 - i;
  elements[i] = Element(uint8_t(7 + i), u16vec3(i, 300 + i, 9), uint8_t(i), vec3(1, 2, 3 * i));
  if (i == 0)
    head = 3us;
  barrier();
  y[k] = int(elements[k].first);
  y[4 + k] = int(elements[k].last);
  y[8 + k] = int(elements[k].numbers.z * elements[k].numbers.x) + int(head) * int(elements[k].numbers.y);
  y[12 + k] = int(elements[k].halves.y);
}
