#version 450
#extension GL_EXT_null_initializer : require
/* A store at the start of the shader to a word that another invocation initializes with zero.
; run: grid=1 table16=Y Y=i32[0; 20] => Y=i32[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]
*/
layout(local_size_x = 20) in;
layout(std430, binding = 0) buffer Y { int y[]; };
shared int many[101] = {};
void main() {
  uint i = gl_LocalInvocationIndex;
  many[i < 16 ? i + 64 : i - 16] = int(i) + 1;
  barrier();
  y[i] = many[i < 16 ? i + 64 : i - 16];
}
