#version 450
#extension GL_EXT_shader_atomic_float : require
/* refused: OpCapability AtomicFloat64AddEXT: this capability is not supported */
layout(binding = 0) buffer B { double b; };
void main() { atomicAdd(b, double(1)); }
