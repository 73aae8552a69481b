#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 1) in;
layout(buffer_reference) buffer Number { uint value; };
layout(push_constant) uniform P { Number number; };
void main() {
  number.value += 1;
}
