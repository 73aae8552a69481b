#version 450
#extension GL_AMD_gcn_shader : require
#extension GL_ARB_gpu_shader_int64 : require
/* refused: OpExtInst .*: the instructions of this set are not supported \(time.comp line 7\) */
layout(binding = 0) buffer B { uint64_t b; };
void main() {
  b = timeAMD();
}
