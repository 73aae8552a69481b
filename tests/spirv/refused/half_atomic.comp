#version 450
#extension GL_EXT_shader_atomic_float2 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
/* refused: OpCapability AtomicFloat16AddEXT: this capability is not supported */
layout(binding = 0) buffer B { float16_t b; };
void main() { atomicAdd(b, float16_t(1)); }
