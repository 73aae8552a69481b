#version 450
#extension GL_EXT_shared_memory_block : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
/* Workgroup memory as aliased blocks.
; environment: vulkan1.2
; other drivers: no, lavapipe gives each block memory of its own
; run: grid=1 table16=Y Y=i32[0; 24] => Y=i32[0, 4, 8, 12, 16, 20, 0, 5, 10, 15, 20, 25, 0x300, 0xf0c, 0xc, 0x10, 7, 1, 0, 0, 0, 0, 0, 0]
*/
layout(local_size_x = 6) in;
layout(std430, binding = 0) buffer Y { uint y[]; };
shared A { uint words[6]; };
shared B { uint8_t bytes[24]; };
shared C { layout(offset = 4) u16vec2 halves[4]; };
shared D { uint first; };
void main() {
  uint i = gl_LocalInvocationIndex;
  words[i] = i * 0x00050004u;
  barrier();
  y[i] = bytes[i * 4];
  y[i + 6] = bytes[i * 4 + 2];
  barrier();
  if (i < 4)
    bytes[2 * i + 4] = uint8_t(6 * i), bytes[2 * i + 5] = uint8_t(6 * i + 3);
  barrier();
  if (i < 4)
    y[i + 12] = uint(halves[i].x);
  barrier();
  if (i == 5)
    first = 7;
  barrier();
  if (i == 0)
    y[16] = first, y[17] = gl_NumSubgroups;
}
