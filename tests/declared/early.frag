#version 450
layout(early_fragment_tests) in;
layout(location = 0) flat in float level;
layout(location = 0) out float color;
layout(binding = 0) buffer Count { uint count; };
void main() {
  atomicAdd(count, 1);
  gl_FragDepth = 0;
  if (level < 0)
    discard;
  color = level;
}
