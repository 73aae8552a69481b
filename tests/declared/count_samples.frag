#version 450
layout(location = 0) out float color;
layout(binding = 0) buffer Count { uint count; };
void main() {
  atomicAdd(count, 1);
  color = gl_SampleID + 1;
}
