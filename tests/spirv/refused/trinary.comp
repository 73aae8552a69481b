#version 450
#extension GL_AMD_shader_trinary_minmax : require
/* refused: OpExtInst .*: the instructions of this set are not understood \(trinary.comp line 6\) */
layout(binding = 0) buffer B { float b; };
void main() {
  b = min3(b, b + 1, 2);
}
