#version 450
/* A linked list of addresses; random addresses point anywhere, and random indices are past the end of workgroup memory.
; run: grid=1 steps=1 index=3 first=i32[5, 7, 0, 0] table16=result result=i32[0; 4] => result=i32[12, 5, 7, 0] first=i32[1, 7, 0, 0]
*/
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 1) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node {
  uint a, b;
  Node next;
};
layout(push_constant) uniform Push {
  Node first;
  uint steps, index;
};
layout(set = 0, binding = 0, std430) buffer Result { uint sum, a, b, other; } result;
shared uint cells[4];
void main() {
  Node node = first;
  for (uint k = 1; k < steps; k++)
    node = node.next;
  cells[index] = node.a + node.b;
  result.sum = cells[index];
  result.a = node.a;
  result.b = node.b;
  node.a = 1;
}
